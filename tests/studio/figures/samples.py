"""Rows for figures, with as little to write as possible."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from veritab.schema import ElementId, EvidenceSet, Label
from veritab.studio.figures.overlap import Overlap
from veritab.studio.figures.rows import AnnotationRow
from veritab.studio.vocabulary import TaskKind

S, R, N = Label.SUPPORTS, Label.REFUTES, Label.NOT_ENOUGH_INFO
_TIMES = count()


def pieces(*ids: str) -> EvidenceSet:
    """An evidence set; "K2_sentence_0" is an address, and "3" is sentence 3 of some page."""
    return frozenset(ElementId.parse(id if "_" in id else f"Page_sentence_{id}") for id in ids)


def annotate(claim: str, annotator: str, label: Label | None = S, *ids: str, **others: Any) -> AnnotationRow:
    """What somebody did with a claim, later than everything before; `ids` are one evidence set."""
    row = AnnotationRow(claim, f"Claim {claim}.", annotator, TaskKind.FEVEROUS_VERIFICATION, float(next(_TIMES)))
    return row._replace(**{"label": label, "evidence": (pieces(*ids),) if ids else (), **others})


def collect(*rows: AnnotationRow) -> Overlap:
    """The answers of some rows."""
    overlap = Overlap()
    for row in rows:
        overlap.add(row)
    return overlap


def near(value: float, n: int) -> tuple[object, int, str]:
    """What a figure of about this value is equal to."""
    return pytest.approx(value), n, ""
