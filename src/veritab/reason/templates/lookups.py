"""The claim says what a row holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from veritab.reason.parsing.conditions import Condition
from veritab.reason.programs.programs import And, Every, Some
from veritab.reason.templates.reading import Candidate, Reading


def lookups(reading: Reading) -> Iterator[Candidate]:
    """What one row holds, two rows hold, or each thing of a list."""
    if not reading.conditions:
        return
    if reading.lists:
        yield from _each(reading)
        return
    by_column: dict[int, list[Condition]] = defaultdict(list)
    for condition in reading.conditions:
        by_column[condition.column].append(condition)
    doubled = [group for group in by_column.values() if _apart(group)]
    if not doubled:
        yield from reading.made(Some(reading.where(reading.conditions)), "lookup", reading.conditions)
    for group in doubled[:2]:
        yield from _two_rows(reading, group[0], group[-1])
        if len(group) == 2:
            for dropped in group:
                kept = tuple(condition for condition in reading.conditions if condition is not dropped)
                if len({c.column for c in kept}) == len(kept):
                    yield from reading.made(Some(reading.where(kept)), "lookup", kept)


def _each(reading: Reading) -> Iterator[Candidate]:
    for listed in reading.lists[:2]:
        rest = tuple(condition for condition in reading.conditions if condition is not listed)
        if rest:
            every = Every(reading.where([listed]), reading.where(rest))
            yield from reading.made(every, "each", (listed, *rest))
            yield from reading.made(Some(reading.where([listed, *rest])), "any", (listed, *rest))


def _two_rows(reading: Reading, one: Condition, other: Condition) -> Iterator[Candidate]:
    """Two things of one sort: what stands before the second is said of the first, or everything of both."""
    rest = [condition for condition in reading.conditions if condition.column != one.column]
    before = [condition for condition in rest if condition.span < other.span]
    after = [condition for condition in rest if condition.span > other.span]
    if before and after:
        both = And(Some(reading.where([one, *before])), Some(reading.where([other, *after])))
        yield from reading.made(both, "two lookups", (one, other, *rest))
    if rest:
        both = And(Some(reading.where([one, *rest])), Some(reading.where([other, *rest])))
        yield from reading.made(both, "both lookups", (one, other, *rest))


def _apart(group: Sequence[Condition]) -> bool:
    """Whether conditions on one column are about different rows, not two parts of one cell or of one range."""
    if len(group) < 2 or group[0].is_limit or not (group[0].rows and group[-1].rows):
        return False
    return group[0].rows.isdisjoint(group[-1].rows)
