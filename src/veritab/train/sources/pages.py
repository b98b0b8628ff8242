"""The pages that claims are about: introductions as sentences, lines of FEVER's dump, and which are held out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from veritab.corpus.fever import title_of
from veritab.corpus.wikipedia import article_title
from veritab.datasets import DataFiles
from veritab.schema import ElementId
from veritab.text import sentences
from veritab.train.sources.normalise import plain_text, title_key

HELD_OUT_SHARE = 0.1
"""The share of VitaminC's pages that is held out."""
_LEAST_WORDS = 4


class Introduction(NamedTuple):
    """A page and the sentences it begins with."""

    title: str
    sentences: tuple[str, ...]


def bucket(name: str, buckets: int = 1000) -> int:
    """A hash bucket of a page, the same everywhere."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big") % buckets


def is_held_out(page: str) -> bool:
    """Whether a page of VitaminC is held out."""
    return bucket(page) < HELD_OUT_SHARE * 1000


def split(text: str) -> tuple[str, ...]:
    """The sentences of a paragraph, without stubs of a few words."""
    found = (text[start:end] for start, end in sentences(text))
    return tuple(each for each in found if each.count(" ") >= _LEAST_WORDS - 1)


class Library:
    """Wikipedia's introductions and FEVER's lines by title; a text is detokenised when it is needed."""

    def __init__(self, data: DataFiles) -> None:
        self._raw: dict[str, tuple[str, str]] = {}
        for record in data.records("wiki/passages"):
            title = article_title(record["url"].partition("/wiki/")[2])
            self._raw.setdefault(title_key(title), (title, record["text"]))
        self._lines: dict[str, dict[int, str]] = {}
        for record in data.records("fever/sentences"):
            self._lines.setdefault(title_key(title_of(record["page"])), {})[record["line"]] = record["text"]
        self._sentences = lru_cache(20_000)(self._split)

    def __contains__(self, title: str) -> bool:
        return title_key(title) in self._raw

    @property
    def titles(self) -> list[str]:
        """The titles of all introductions, in the order of their file."""
        return [title for title, _ in self._raw.values()]

    def introduction(self, title: str) -> Introduction:
        """The sentences of a page's introduction; none where the page is unknown."""
        name, text = self._raw.get(title_key(title), (title, ""))
        return Introduction(name, self._sentences(text))

    def beginning(self, title: str) -> str:
        """The first words of a page as its file has them, which say what kind of thing it is about."""
        return self._raw.get(title_key(title), ("", ""))[1][:300]

    def lines(self, title: str) -> dict[int, str]:
        """The lines of a page that FEVER's files hold, by their numbers."""
        return {number: plain_text(text) for number, text in self._lines.get(title_key(title), {}).items()}

    @staticmethod
    def _split(text: str) -> tuple[str, ...]:
        return split(plain_text(text))


def library(data: DataFiles) -> Library:
    """The one library of a folder of data sets: it takes seconds to read."""
    return data.once(Library)


# -- held-out pages ----------------------------------------------------------------------------------------


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
