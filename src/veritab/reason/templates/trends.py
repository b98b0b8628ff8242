"""Trends of a column from the first row to the last."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from veritab.lexicon.attributes import RANK_HEADER_STEMS
from veritab.lexicon.comparison import FELL, ROSE
from veritab.quantities import Date
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.derived import DerivedColumn, went
from veritab.reason.programs.programs import Rising
from veritab.reason.tables import TypedTable
from veritab.reason.tables.columns import ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate
from veritab.reason.templates.stretches import stretch_condition
from veritab.text import stems

_MIN_TIMES = 3


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


# -- every single time -------------------------------------------------------------------------------------

_EACH = frozenset({"every", "each"})
_TIMES = frozenset("year month census survey season quarter week time decade".split())
_AFTER = re.compile(r"\b(year|month|census|survey|season|quarter|week|decade) (?:after|by|on) \1\b", re.IGNORECASE)


def is_steady(claim: ParsedClaim) -> bool:
    """Whether a claim says that something went one way every time: "fell every single year", "month after month"."""
    if _AFTER.search(claim.text):
        return True
    for place, stem in enumerate(claim.stems):
        if stem in _EACH and not _TIMES.isdisjoint(claim.stems[place + 1 : place + 4]):
            return True
    return False


def generate_steady(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether a column went up, or down, from each of the times in question to the next."""
    claim, table = grounding.claim, grounding.links.table
    up = _way(claim)
    if not is_steady(claim) or not up:
        return
    months = stretch_condition(grounding)
    used = (months,) if months else grounding.conditions
    if months:
        rows = sorted(months.rows)
        if rows != list(range(rows[0], rows[-1] + 1)):
            return
    else:
        if not _runs_in_time(table) or any(c.column != 0 or not c.is_limit for c in used):
            return
        rows = sorted(grounding.executor.pick(grounding.where(used)).rows)
    if len(rows) < _MIN_TIMES:
        return
    for column in grounding.ordered:
        typed = table.columns[column]
        if typed.type is not ColumnType.NUMBER or isinstance(typed, DerivedColumn):
            continue
        if not RANK_HEADER_STEMS.isdisjoint(stems(typed.name)):
            continue  # Who rises has a lower rank.
        # Whether the first of the times is one from which or to which it went is open.
        both = [_goes(grounding, column, rows, up), _goes(grounding, column, [max(rows[0] - 1, 0), *rows], up)]
        if None in both or both[0] is not both[1]:
            continue
        rising = Rising(column, grounding.where(used), up > 0)
        for candidate in grounding.build(rising, "steady", used, (column,), detail="up" if up > 0 else "down"):
            if candidate.truth.holds is both[0] and (both[0] is False or months or _has_all_times(grounding, rows)):
                yield candidate


def _has_all_times(grounding: Grounding, rows: list[int]) -> bool:
    """Whether a table has both ends of the claim's range, and every year of it where the claim says every year."""
    values = [grounding.links.table.columns[0].values[row] for row in rows]
    years = [value.year or 0 for value in values if isinstance(value, Date)]
    named = [c.term.year for c in grounding.conditions if isinstance(c.term, Date)]
    yearly = "year" in grounding.claim.stems
    return {*named} <= {*years} and not (yearly and any(after - before != 1 for before, after in pairwise(years)))


def _way(claim: ParsedClaim) -> int:
    """1 where a claim says that something rose, -1 where it fell, 0 where neither or both."""
    went_ways = set(went(claim).values())
    up = not ROSE.isdisjoint(claim.stems) or 1 in went_ways
    down = not FELL.isdisjoint(claim.stems) or -1 in went_ways
    return up - down


def _goes(grounding: Grounding, column: int, rows: list[int], up: int) -> bool | None:
    """Whether each value is above the one before; None where one is missing or two are the same."""
    keys = grounding.executor.keys(column)
    values = [keys[row] for row in dict.fromkeys(rows)]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    steps = [up * (after - before) for before, after in pairwise(known)]
    return False if min(steps) < 0 else True if min(steps) > 0 else None
