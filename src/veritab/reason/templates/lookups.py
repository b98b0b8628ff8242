"""Lookups: what a row holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from veritab.reason.parsing.conditions import CellCondition
from veritab.reason.programs.programs import And, Every, Some
from veritab.reason.templates.grounding import Grounding, ProgramCandidate


def generate_lookups(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """What one row holds, two rows hold, or each thing of a list."""
    if not grounding.conditions:
        return
    if grounding.lists:
        yield from _each_listed(grounding)
        return
    by_column: dict[int, list[CellCondition]] = defaultdict(list)
    for condition in grounding.conditions:
        by_column[condition.column].append(condition)
    doubled = [group for group in by_column.values() if _name_different_rows(group)]
    if not doubled:
        yield from grounding.build(Some(grounding.where(grounding.conditions)), "lookup", grounding.conditions)
    for group in doubled[:2]:
        yield from _two_rows(grounding, group[0], group[-1])
        if len(group) == 2:
            for dropped in group:
                kept = tuple(condition for condition in grounding.conditions if condition is not dropped)
                if len({c.column for c in kept}) == len(kept):
                    yield from grounding.build(Some(grounding.where(kept)), "lookup", kept)


def _each_listed(grounding: Grounding) -> Iterator[ProgramCandidate]:
    for listed in grounding.lists[:2]:
        rest = tuple(condition for condition in grounding.conditions if condition is not listed)
        if rest:
            every = Every(grounding.where([listed]), grounding.where(rest))
            yield from grounding.build(every, "each", (listed, *rest))
            yield from grounding.build(Some(grounding.where([listed, *rest])), "any", (listed, *rest))


def _two_rows(grounding: Grounding, one: CellCondition, other: CellCondition) -> Iterator[ProgramCandidate]:
    """Two rows: the conditions before the second are about the first, or all conditions about both."""
    rest = [condition for condition in grounding.conditions if condition.column != one.column]
    before = [condition for condition in rest if condition.span < other.span]
    after = [condition for condition in rest if condition.span > other.span]
    if before and after:
        both = And(Some(grounding.where([one, *before])), Some(grounding.where([other, *after])))
        yield from grounding.build(both, "two lookups", (one, other, *rest))
    if rest:
        both = And(Some(grounding.where([one, *rest])), Some(grounding.where([other, *rest])))
        yield from grounding.build(both, "both lookups", (one, other, *rest))


def _name_different_rows(group: Sequence[CellCondition]) -> bool:
    """Whether conditions on one column are about different rows, not two parts of one cell or of one range."""
    if len(group) < 2 or group[0].is_limit or not (group[0].rows and group[-1].rows):
        return False
    return group[0].rows.isdisjoint(group[-1].rows)
