"""What a verdict rests on: the smallest evidence that keeps it, the single pieces that flip it, and what was not found.

Readings cost time, so there are few: the best pieces alone, then without one of them. They show the judge elements
only, not the tables around them. What was computed keeps the verdict by itself where it says the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Protocol, TypeAlias

from veritab.schema import CELLS, COMPUTED, Claim, Element, ElementId, Hit, Label, Verdict
from veritab.text import STOP_WORDS, terms, word_spans, words
from veritab.verify.reading import Given

_FIRST = (1, 2, 4)
"""How many of the best pieces are tried, one number after the other."""
_WITHOUT = 2
"""How many pieces are tried to be left out."""
_MOST = 5
"""How many of the best pieces are read where one is left out."""

Piece: TypeAlias = tuple[Element, ...]


class Judge(Protocol):
    """Judges claims by elements and whole tables, as `ModelVerifier` does."""

    def judge(self, claims: Sequence[Claim], given: Sequence[Given]) -> list[Verdict]: ...


def certified(verdicts: Sequence[Verdict], judge: Judge) -> list[dict[str, Any]]:
    """For each verdict the smallest evidence that keeps it and the pieces that flip it.

    Models take as long for several texts together as one after the other, so nothing is read that an earlier reading
    made needless.
    """
    works = [_Work(verdict) for verdict in verdicts]
    for number in _FIRST:
        _ask(judge, [(work, subset) for work in works for subset in work.alone(number)])
    _ask(judge, [(work, subset) for work in works for subset in work.without()])
    return [work.found() for work in works]


def _ask(judge: Judge, asked: Sequence[tuple[_Work, Piece]]) -> None:
    """Have the judge read these pieces for these verdicts, and keep what it says."""
    if asked:
        given = [Given(subset, ordered=True) for _, subset in asked]
        said = judge.judge([work.verdict.claim for work, _ in asked], given)
        for (work, subset), verdict in zip(asked, said, strict=True):
            work.told[subset] = verdict.label


class _Work:
    """One verdict on the way to its certificate."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.told: dict[Piece, Label] = {}
        self._computed = tuple(hit.element for hit in verdict.evidence if hit.by == COMPUTED)
        self._pieces = list(_pieces(verdict.evidence))
        says_the_same = verdict.certificate.get("computed", str(verdict.label)) == verdict.label
        self._is_computed = bool(self._computed) and says_the_same

    @property
    def _is_decided(self) -> bool:
        return self.verdict.label is not Label.NOT_ENOUGH_INFO

    def alone(self, number: int) -> Iterator[Piece]:
        """So many of the best pieces by themselves, where fewer were not enough and more are left."""
        is_open = self._is_decided and not self._is_computed and self.verdict.label not in self.told.values()
        if is_open and number < len(self._pieces):
            yield _joined(self._pieces[:number])

    def without(self) -> Iterator[Piece]:
        """All pieces but one, for the best; what was computed with counts as one."""
        if self._is_decided:
            for piece in self._tried():
                if rest := self._rest(piece):
                    yield rest

    def _tried(self) -> list[Piece]:
        if self._is_computed:
            return [self._computed]
        keeping = self._smallest()
        return [piece for piece in self._pieces if set(piece) <= set(keeping)][:_WITHOUT]

    def _rest(self, left_out: Piece) -> Piece:
        gone = set(left_out)
        return _joined([piece for piece in self._pieces if not set(piece) <= gone][:_MOST])

    def _smallest(self) -> Piece:
        if self._is_computed:
            return self._computed
        for number in _FIRST:
            first = _joined(self._pieces[:number])
            if self.told.get(first) is self.verdict.label:
                return first
        return _joined(self._pieces)

    def found(self) -> dict[str, Any]:
        if not self._is_decided:
            return {"smallest": [], "flips": []}
        flips = [
            {"id": str(element.id), "to": str(self.told.get(self._rest(piece), Label.NOT_ENOUGH_INFO))}
            for piece in self._tried()
            if self.told.get(self._rest(piece), Label.NOT_ENOUGH_INFO) is not self.verdict.label
            for element in piece
        ]
        return {"smallest": [str(element.id) for element in self._smallest()], "flips": flips}


def _pieces(hits: Iterable[Hit]) -> Iterator[Piece]:
    """Each element by itself, but cells that follow each other in one row together."""
    for _, run in groupby((hit.element for hit in hits), key=lambda element: _row(element.id)):
        yield tuple(run)


def _row(id: ElementId) -> tuple[object, ...]:
    return (id.page, id.path[:2], "row") if id.kind in CELLS else (id.page, id.path, id.kind)


def _joined(pieces: Iterable[Piece]) -> Piece:
    return tuple(element for piece in pieces for element in piece)


# -- what was not found ------------------------------------------------------------------------------------


def missing(claim: str, evidence: Iterable[Element]) -> list[str]:
    """The words of a claim that occur nowhere in the evidence or beside it, in stretches as they stand there."""
    known = _terms_of(evidence)
    spans = word_spans(claim)
    unknown = [_is_unknown(claim[start:end], known) for start, end in spans]
    runs = groupby(zip(spans, unknown, strict=True), key=lambda each: each[1])
    stretches = (list(run) for is_unknown, run in runs if is_unknown)
    return [claim[run[0][0][0] : run[-1][0][1]] for run in stretches]


def speaks_of(text: str, evidence: Iterable[Element]) -> bool:
    """Whether any word of a text that says something occurs in the evidence or beside it."""
    known = _terms_of(evidence)
    return any(not STOP_WORDS.issuperset(words(word)) and known.issuperset(terms(word)) for word in words(text))


def _terms_of(evidence: Iterable[Element]) -> set[str]:
    """The words of evidence, of the titles of its pages and of what stands around it."""
    known: set[str] = set()
    for element in evidence:
        known.update(terms(element.text), terms(element.id.page))
        for near in element.context:
            known.update(terms(near.text))
    return known


def _is_unknown(word: str, known: set[str]) -> bool:
    return not (STOP_WORDS.issuperset(words(word)) or known.issuperset(terms(word)))
