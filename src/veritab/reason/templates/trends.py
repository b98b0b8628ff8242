"""The claim says how a column went from the first row to the last."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import Rising
from veritab.reason.templates.reading import Candidate, Reading


def trends(reading: Reading) -> Iterator[Candidate]:
    """Whether a column rises or falls."""
    if any(isinstance(reading.links.table.columns[c.column], DerivedColumn) for c in reading.conditions):
        return
    for sign, up in (("rise", True), ("fall", False)):
        if sign in reading.signs:
            for column in reading.ordered:
                others = reading.without(column)
                rising = Rising(column, reading.where(others), up)
                yield from reading.made(rising, "trend", others, (column,), detail="up" if up else "down")
