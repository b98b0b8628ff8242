"""Trends of a column from the first row to the last."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import Rising
from veritab.reason.templates.grounding import Grounding, ProgramCandidate


def generate_trends(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether a column rises or falls."""
    if any(isinstance(grounding.links.table.columns[c.column], DerivedColumn) for c in grounding.conditions):
        return
    for cue, up in (("rise", True), ("fall", False)):
        if cue in grounding.cues:
            for column in grounding.ordered:
                others = grounding.conditions_beyond(column)
                rising = Rising(column, grounding.where(others), up)
                yield from grounding.build(rising, "trend", others, (column,), detail="up" if up else "down")
