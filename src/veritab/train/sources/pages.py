"""Which pages are held out: those that models are measured on, which nothing is trained on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from veritab.corpus.fever import title_of
from veritab.datasets import DataFiles
from veritab.datasets.normalise import title_key
from veritab.schema import ElementId

HELD_OUT_SHARE = 0.1
"""The share of VitaminC's pages that is held out."""


def bucket(name: str, buckets: int = 1000) -> int:
    """A hash bucket of a page, the same everywhere."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % buckets


def is_held_out(page: str) -> bool:
    """Whether a page of VitaminC is held out."""
    return bucket(page) < HELD_OUT_SHARE * 1000


def held_out_titles(data: DataFiles) -> frozenset[str]:
    """The pages of the claims that models are measured on, which nothing is trained on."""
    return data.once(_held_out_titles)


def _held_out_titles(data: DataFiles) -> frozenset[str]:
    return frozenset(map(title_key, _held_out_pages(data)))


def _held_out_pages(data: DataFiles) -> Iterator[str]:
    for record in data.records("fm2/dev"):
        yield record["wikipedia_page"]
    for record in data.records("fever/dev_gold_text"):
        yield from map(title_of, record["evidence_pages"])
    for record in data.records("fever/dev_three_way_with_text"):
        yield from (title_of(page) for page, *_ in record["evidence"])
    for name in ("fever/paper_dev", "feverous/official_records_dev50", "feverous/cell_claims"):
        for record in data.records(name):
            yield from _evidence_pages(record["evidence"])
    for record in data.records("feverous/full_table_gold_cells"):
        yield record["page"]
    for record in data.records("feverous/sentence_claims"):
        yield from (line.partition("\t")[0] for line in record["evidence"].split("\n"))


def _evidence_pages(sets: list[Any]) -> Iterator[str]:
    """The pages of evidence, which FEVER writes as tuples and FEVEROUS as addresses."""
    for each in sets:
        if isinstance(each, dict):
            yield from (ElementId.parse(id).page for id in each["content"])
        else:
            yield from (title_of(page) for _, _, page, *_ in each if page)
