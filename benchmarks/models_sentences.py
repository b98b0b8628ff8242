"""The claims of FM2's development set, and how well the sentences of their pages are ranked by words and by meaning."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.corpus_r import records
from benchmarks.models_figures import with_interval
from benchmarks.models_kept import Vectors
from benchmarks.models_sets import fm2_sentence
from benchmarks.retrieval import _page_corpus
from veritab.retrieve.in_page import rank_by_encoder, rank_in_page
from veritab.retrieve.index import Index
from veritab.schema import Claim, Element

TOP = 5
POOLS = {"own": "first ten retrieved + gold of the record", "whole": "all that the file holds of the page"}


class Asked(NamedTuple):
    """A claim of FM2, its gold, and what a selector has to choose from."""

    id: str
    claim: str
    page: str
    gold: tuple[str, ...]
    own: tuple[Element, ...]
    """The first ten that the game retrieved, and whatever else the record holds, which is gold."""
    whole: tuple[Element, ...]
    """The first ten and the gold of all claims about the page."""
    order: tuple[str, ...]
    """What the game retrieved, in its order; from the eleventh on it gives the gold away."""


def asked_of_fm2() -> list[Asked]:
    """The claims that have gold sentences."""
    every = list(records("fm2/dev"))
    pages: dict[str, dict[str, Element]] = {}
    for record in every:
        known = pages.setdefault(record["wikipedia_page"], {})
        for piece in (*record["retrieved_evidence"][:10], *record["gold_evidence"]):
            known.setdefault(name_of(piece["text"]), fm2_sentence(record, len(known), piece))
    return [_one(record, pages[record["wikipedia_page"]]) for record in every if record["gold_evidence"]]


def _one(record: dict[str, Any], page: dict[str, Element]) -> Asked:
    order = tuple(dict.fromkeys(name_of(piece["text"]) for piece in record["retrieved_evidence"]))
    gold = tuple(dict.fromkeys(name_of(piece["text"]) for piece in record["gold_evidence"]))
    own = tuple(page[name] for name in dict.fromkeys((*order, *gold)) if name in page)
    return Asked(record["id"], record["text"], record["wikipedia_page"], gold, own, tuple(page.values()), order[:10])


def name_of(text: str) -> str:
    """What is the same of a sentence however its white space was treated."""
    return "".join(filter(str.isalnum, text))


class Found(NamedTuple):
    """The share of gold sentences found, and of claims with some and with all of theirs."""

    sentences: str
    some: str
    all: str
    value: float


def found_in(rankings: Sequence[tuple[Sequence[str], Sequence[str]]]) -> Found:
    """How much of the gold of claims is in what comes first."""
    counts = [(sum(name in first for name in gold), len(gold)) for gold, first in rankings]
    hits, total = sum(found for found, _ in counts), sum(size for _, size in counts)
    some, every = sum(found > 0 for found, _ in counts), sum(found == size for found, size in counts)
    n = len(counts)
    return Found(
        with_interval(hits / total, total), with_interval(some / n, n), with_interval(every / n, n), hits / total
    )


# -- by words and by meaning -------------------------------------------------------------------------------

Rankings = list[tuple[Sequence[str], Sequence[str]]]
"""The gold of claims, and what comes first."""


@contextmanager
def fm2_pages() -> Iterator[Index]:
    """The pages of the claims as a corpus, as far as the file holds them."""
    by_page: dict[str, dict[str, dict[str, None]]] = {}
    for record in records("fm2/dev"):
        for piece in (*record["retrieved_evidence"][:10], *record["gold_evidence"]):
            section = by_page.setdefault(record["wikipedia_page"], {}).setdefault(piece["section_header"], {})
            section[piece["text"].strip()] = None
    with tempfile.TemporaryDirectory() as folder:
        index = _page_corpus(Path(folder), by_page)
        yield index
        index.close()
        index.store.close()


def in_page(asked: Sequence[Asked], index: Index, vectors: Vectors | None = None) -> Rankings:
    """The first sentences of each claim's page, by words, and by meaning too where there are vectors."""
    return [
        (each.gold, [name_of(hit.element.text) for hit in hits[:TOP]])
        for each in asked
        for hits in [rank_in_page(Claim(each.id, each.claim), index.store.page(each.page), index, vectors)]
    ]


def meant(asked: Sequence[Asked], vectors: Vectors) -> Rankings:
    """The first sentences of each claim's page by meaning alone."""
    vectors.encode([each.claim for each in asked], query=True)
    vectors.encode([element.text for each in asked for element in each.whole])
    return [
        (each.gold, [name_of(hit.element.text) for hit in hits[:TOP]])
        for each in asked
        for hits in [rank_by_encoder(Claim(each.id, each.claim), each.whole, vectors)]
    ]
