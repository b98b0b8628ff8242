"""Trends of a column from the first row to the last."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from veritab.quantities import Date
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import Rising
from veritab.reason.tables import TypedTable
from veritab.reason.tables.columns import ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate


def generate_trends(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether a column rises or falls."""
    if any(isinstance(grounding.links.table.columns[c.column], DerivedColumn) for c in grounding.conditions):
        return
    if not _runs_in_time(grounding.links.table):
        return
    for cue, up in (("rise", True), ("fall", False)):
        if cue in grounding.cues:
            for column in grounding.ordered:
                others = grounding.conditions_beyond(column)
                rising = Rising(column, grounding.where(others), up)
                yield from grounding.build(rising, "trend", others, (column,), detail="up" if up else "down")


def _runs_in_time(table: TypedTable) -> bool:
    """Whether each row is a later time than the one before: between other rows nothing rises or falls."""
    first = table.columns[0]
    dates = [value for value in first.values if isinstance(value, Date)]
    times = [(date.year or 0, date.month or 0, date.day or 0) for date in dates]
    return first.type is ColumnType.DATE and len(times) > 1 and all(a <= b for a, b in pairwise(times))
