"""Answers of several people to the same claims: all that has to be kept until every row is read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

from veritab.schema import EvidenceSet, Label
from veritab.studio.figures.rows import AnnotationRow
from veritab.studio.vocabulary import Pool


class GivenAnswer(NamedTuple):
    """The answer of one person to one claim; `number` is its place, from 1, among the answers of that person."""

    annotator: str
    label: Label
    pieces: EvidenceSet
    number: int


class Overlap:
    """The answers to claims that may have several, in order of time; those of super-annotators stand apart."""

    def __init__(self) -> None:
        self._answers: defaultdict[str, dict[str, GivenAnswer]] = defaultdict(dict)
        self._found: dict[str, EvidenceSet] = {}
        self._numbers: Counter[str] = Counter()

    def add(self, row: AnnotationRow) -> None:
        """Keep an answer where it can be compared with another."""
        if row.label is None:
            return
        if row.pool == Pool.SUPER:
            self._found[row.claim] = self._found.get(row.claim, frozenset()) | row.pieces
        elif row.pool == Pool.WORK:
            self._numbers[row.annotator] += 1
            if row.overlaps:
                number = self._numbers[row.annotator]
                self._answers[row.claim][row.annotator] = GivenAnswer(row.annotator, row.label, row.pieces, number)

    def claims(self) -> Iterator[tuple[GivenAnswer, ...]]:
        """The answers to each claim that has two or more."""
        return (tuple(each.values()) for each in self._answers.values() if len(each) > 1)

    def pairs(self) -> Iterator[tuple[GivenAnswer, GivenAnswer]]:
        """Every two answers to the same claim."""
        for answers in self.claims():
            yield from combinations(answers, 2)

    def compared(self) -> Iterator[tuple[GivenAnswer, EvidenceSet]]:
        """Every answer with all the evidence that super-annotators found for its claim."""
        for claim, found in self._found.items():
            for answer in self._answers.get(claim, {}).values():
                yield answer, found
