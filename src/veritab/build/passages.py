"""Passages that may answer a question: whole sentences of one page, about a hundred words, found by their words.

The index finds pages, as wholes and by their sentences; their texts are cut into passages, and BM25 over passages puts
those in order. FaVIQ does the same with passages cut beforehand: cutting the pages found needs no index of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import lru_cache
from math import log
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from veritab.errors import InputError
from veritab.retrieve.index import Index, open_index
from veritab.schema import Block, ElementId, Kind, ListBlock, Page, Passage, Section, Sentence
from veritab.text import content_terms, terms

_WORDS = 100
"""How long a passage is about."""
_LEAST_WORDS = 50
"""A new section begins a new passage where the last one has as many."""
_PAGE_FIELDS = {"title": 1.5, "body": 1.0}
_TEXT_FIELDS = {"title": 0.5, "body": 1.0}
_PAGE_HITS = 40
_TEXT_HITS = 100
_MOST_TERMS = 40
_SATURATION = 0.9
_LENGTH_SHARE = 0.4
_PAGES_KEPT = 4000


class FoundPassage(NamedTuple):
    """Whole sentences of one page that stand one after another, about a hundred words."""

    title: str
    elements: tuple[ElementId, ...]
    text: str


class _Indexed(NamedTuple):
    passage: FoundPassage
    terms: list[str]
    """Of its title and its text."""


class PassageSearch:
    """Finds the passages of a corpus that share the most telling words with a question."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._entries = max(len(index.texts), 1)
        self._weight = lru_cache(100_000)(self._weigh)
        self._passages_of = lru_cache(_PAGES_KEPT)(self._cut)

    @classmethod
    def open(cls, corpus: Path | str | None = None) -> PassageSearch:
        """Search the indexed corpus in a folder; the bundled almanac without one."""
        return cls(open_index(corpus))

    def __enter__(self) -> PassageSearch:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the index and the corpus."""
        with ExitStack() as every:
            every.callback(self.index.store.close)
            every.callback(self.index.close)

    def find(self, question: str, most: int = 50) -> list[FoundPassage]:
        """The passages for a question, best first; of equals, the earlier on its page, by titles."""
        if most < 1:
            raise InputError(f"most is {most}; it must be 1 or more")
        weights = self.weights(question)
        if not weights:
            return []
        wanted = list(weights)
        hits = [
            *self.index.pages.search(wanted, _PAGE_FIELDS, _PAGE_HITS),
            *self.index.texts.search(wanted, _TEXT_FIELDS, _TEXT_HITS),
        ]
        scored = []
        for number in dict.fromkeys(hit.page for hit in hits):
            for indexed in self._passages_of(number):
                score = _score(indexed.terms, weights)
                if score > 0:
                    scored.append((-round(score, 6), indexed.passage.elements, indexed.passage))
        scored.sort(key=lambda each: each[:2])
        return [passage for _, _, passage in scored[:most]]

    def weights(self, question: str) -> dict[str, float]:
        """How telling each term of a question is: the logarithm of how many texts there are for one that has it."""
        return {term: self._weight(term) for term in content_terms(question)[:_MOST_TERMS]}

    def _weigh(self, term: str) -> float:
        having = self.index.texts.frequency("body", term)
        return log(1 + (self._entries - having + 0.5) / (having + 0.5))

    def _cut(self, number: int) -> list[_Indexed]:
        return [
            _Indexed(passage, terms(f"{passage.title} {passage.text}"))
            for _, page in self.index.store.pages_by_number([number])
            for passage in cut_passages(page)
        ]


def cut_passages(page: Page) -> Iterator[FoundPassage]:
    """The texts of a page, in their order, as passages; a text is never cut, however long it is."""
    ids: list[ElementId] = []
    texts: list[str] = []
    size = 0
    for block in page.blocks:
        if size >= _LEAST_WORDS and type(block) is Section:
            yield FoundPassage(page.title, tuple(ids), " ".join(texts))
            ids, texts, size = [], [], 0
        for id, text in _texts(page.title, block):
            length = text.count(" ") + 1
            # A sentence goes where the larger part of it fits.
            if size and size + length / 2 > _WORDS:
                yield FoundPassage(page.title, tuple(ids), " ".join(texts))
                ids, texts, size = [], [], 0
            ids.append(id)
            texts.append(text)
            size += length
    if ids:
        yield FoundPassage(page.title, tuple(ids), " ".join(texts))


def _texts(title: str, block: Block) -> Iterator[tuple[ElementId, str]]:
    """The sentences, list items and ready-made passages of a block; what tables hold is not running text."""
    if type(block) is Sentence and block.text:
        yield ElementId(title, Kind.SENTENCE, (block.number,)), block.text
    elif type(block) is Passage and block.text:
        yield ElementId(title, Kind.PASSAGE, (block.number,)), block.text
    elif type(block) is ListBlock:
        for position, item in enumerate(block.items):
            if item.text:
                yield ElementId(title, Kind.ITEM, (block.number, position)), item.text


def _score(held: list[str], weights: dict[str, float]) -> float:
    """BM25 of a passage; the length that others are compared with is the one that passages are cut to."""
    damping = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * len(held) / _WORDS)
    total = 0.0
    for term, weight in weights.items():
        times = held.count(term)
        if times:
            total += weight * times / (times + damping)
    return total
