"""Prediction files of FEVER and FEVEROUS: what the official scorers of the two tasks read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TextIO

from veritab.corpus.fever import id_of
from veritab.errors import InputError
from veritab.schema import Claim, ElementId, Kind, Verdict

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_IN_TABLES_AND_LISTS = frozenset({Kind.CELL, Kind.HEADER_CELL, Kind.ITEM, Kind.TABLE_CAPTION})


@dataclass(frozen=True)
class FeverPredictions:
    """FEVER's predictions: sentences as [page, line], pages named as FEVER names them.

    Its pages are introductions of sentences alone, so other evidence has no place there and is left out.
    """

    sentences: int = 5
    """How many sentences are named; the scorer counts no more than five."""

    def __post_init__(self) -> None:
        _check(sentences=self.sentences)

    def prediction(self, verdict: Verdict) -> dict[str, Any]:
        """One line of the file."""
        ids = (id for id in _addresses(verdict) if id.kind is Kind.SENTENCE)
        evidence = [[id_of(id.page), id.path[0]] for id in ids]
        return _prediction(verdict, evidence[: self.sentences])

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write each prediction as it arrives; returns how many there were."""
        return _write(map(self.prediction, verdicts), out)


@dataclass(frozen=True)
class FeverousPredictions:
    """FEVEROUS's predictions: evidence as [page, kind, position], all three of them text."""

    sentences: int = 5
    """How many sentences are named; the scorer counts no more than five."""
    cells: int = 25
    """How many cells, items and captions are named; the scorer counts no more than twenty-five in all."""

    def __post_init__(self) -> None:
        _check(sentences=self.sentences, cells=self.cells)

    def prediction(self, verdict: Verdict) -> dict[str, Any]:
        """One line of the file."""
        return _prediction(verdict, list(self._evidence(verdict)))

    def _evidence(self, verdict: Verdict) -> Iterator[list[str]]:
        left = {True: self.cells, False: self.sentences}
        for id in _addresses(verdict):
            small = id.kind in _IN_TABLES_AND_LISTS
            if (small or id.kind is Kind.SENTENCE) and left[small] > 0:
                left[small] -= 1
                yield [id.page, id.kind.value, "_".join(map(str, id.path))]

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write each prediction as it arrives; returns how many there were."""
        return _write(map(self.prediction, verdicts), out)


def _check(**limits: int) -> None:
    for name, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise InputError(f"{name} is {value!r}; expected a whole number, 0 or more")


def _addresses(verdict: Verdict) -> list[ElementId]:
    """The evidence in its order, each piece once: a piece named twice would use up room for two."""
    return list(dict.fromkeys(hit.element.id for hit in verdict.evidence))


def _prediction(verdict: Verdict, evidence: list[Any]) -> dict[str, Any]:
    record = {"predicted_label": verdict.label.value, "predicted_evidence": evidence}
    return {"id": _id(verdict.claim), **record} if verdict.claim.id else record


def _id(claim: Claim) -> int | str:
    """Both tasks number their claims; any other id stays as it is."""
    return int(claim.id) if _NUMBER.fullmatch(claim.id) else claim.id


def _write(predictions: Iterable[dict[str, Any]], out: TextIO) -> int:
    count = 0
    for prediction in predictions:
        out.write(json.dumps(prediction, ensure_ascii=False) + "\n")
        count += 1
    return count
