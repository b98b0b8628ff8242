"""Superlatives: the most, the least, the first, the third oldest, one of the three largest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations

from veritab.lexicon.comparison import direction, is_superlative
from veritab.quantities import Date
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.programs.denotations import CellGroups
from veritab.reason.programs.programs import Aggregate, Aggregation, Best, Every, Is, Literal, Nth, Of, Some, Top
from veritab.reason.tables import ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate, as_count, split_target

_ORDERING = frozenset({"high", "low", "early", "late", "superlative", "ordinal", "rank", "than any", "no than"})
_PLACING = frozenset({"early", "late", "ordinal", "rank"})
_MAX_NUMBERS = 2
_LARGEST_GROUP = 30


def generate_extremes(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Which row has the highest or lowest value, and which value that is."""
    if not grounding.cues & _ORDERING:
        return
    for column in filter(partial(_is_ranked, grounding), grounding.ordered):
        for highest in (True, False):
            yield from _rows(grounding, column, highest)
            yield from _values(grounding, column, highest)
            yield from _groups(grounding, column, highest)
    if grounding.cues & _PLACING:
        yield from _in_table_order(grounding)
    yield from _both_extreme(grounding)


def _is_ranked(grounding: Grounding, column: int) -> bool:
    """Whether the words of a claim can rank rows by a column: "the second-highest" is not about dates."""
    if grounding.links.table.columns[column].type is not ColumnType.DATE:
        return True
    return any(direction(stem, "date") for stem in grounding.claim.stems)


def _word(highest: bool) -> str:
    return "high" if highest else "low"


def _rows(grounding: Grounding, column: int, highest: bool) -> Iterator[ProgramCandidate]:
    others = grounding.conditions_beyond(column)
    # A table of the fifteen tallest does not say which is the sixteenth.
    for place in (each for each in grounding.claim.ordinals if each <= grounding.links.table.height):
        for filters, target in split_target(others):
            if target.is_limit:
                continue
            top = Top(grounding.where(filters), column, highest, place)
            statement = Some(grounding.where([target], top))
            used, detail = (*filters, target), _word(highest)
            yield from grounding.build(statement, "top", used, (column,), detail=detail, read=_ranked(grounding, top))


def _ranked(grounding: Grounding, top: Top) -> CellGroups:
    """The cells that show a rank other than the first: those of the ranks before it."""
    if top.place == 1:
        return ()
    return grounding.executor.pick(Best(top.rows, top.column, top.highest, top.place)).cells


def _values(grounding: Grounding, column: int, highest: bool) -> Iterator[ProgramCandidate]:
    others = grounding.conditions_beyond(column)
    numbers = [number for number in grounding.numbers_for(column) if not _counts_the_first(grounding, number)]
    for number in numbers[:_MAX_NUMBERS]:
        for filters in dict.fromkeys((others, ())):
            rows = grounding.where(filters)
            dated = grounding.links.table.columns[column].type is ColumnType.DATE
            if dated != isinstance(number.value, Date):
                continue
            if not dated:
                aggregation = Aggregation.HIGHEST if highest else Aggregation.LOWEST
                value = Is(Aggregate(aggregation, column, rows), number.relation, Literal(number.value))
            else:
                value = Is(Of(column, Top(rows, column, highest)), number.relation, Literal(number.value))
            yield from grounding.build(value, "top value", filters, (column,), number, _word(highest))


def _counts_the_first(grounding: Grounding, number: StatedNumber) -> bool:
    """Whether a number says how many are ranked: "the eight largest"."""
    following = grounding.claim.stems[number.span[1] : number.span[1] + 1]
    return as_count(number) is not None and any(map(is_superlative, following))


def _groups(grounding: Grounding, column: int, highest: bool) -> Iterator[ProgramCandidate]:
    """One of the three largest; the five largest all."""
    for number in grounding.free_numbers[:1]:
        size = as_count(number)
        if size and 1 < size < _LARGEST_GROUP:
            for filters, target in split_target(grounding.conditions_beyond(column)):
                if target.is_limit:
                    continue
                best = Best(grounding.where(filters), column, highest, size)
                statement, used = Some(grounding.where([target], best)), (*filters, target)
                read = grounding.executor.pick(best).cells
                yield from grounding.build(statement, "among top", used, (column,), number, _word(highest), read)


def _in_table_order(grounding: Grounding) -> Iterator[ProgramCandidate]:
    for place in (each for each in grounding.claim.ordinals if each <= grounding.links.table.height):
        for side in (place, -place):
            for others, target in split_target(grounding.conditions):
                statement = Some(grounding.where([target], Nth(grounding.where(others), side)))
                detail = "first" if side > 0 else "last"
                yield from grounding.build(statement, "nth", (*others, target), detail=detail)


def _both_extreme(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """The row that has the most of one thing has the most of another: "the last was the closest"."""
    if sum(map(is_superlative, grounding.claim.stems)) < 2:
        return
    used = tuple(condition for condition in grounding.conditions if condition.column not in grounding.ordered)
    rows = grounding.where(used)
    for one, other in permutations(grounding.ordered[:3], 2):
        for first in (True, False):
            for second in (True, False):
                both = Every(Top(rows, one, first), Top(rows, other, second))
                detail = f"{_word(first)} {_word(second)}"
                yield from grounding.build(both, "both top", used, (one, other), detail=detail)
