"""The claim says what is the most, the least, the first, the third oldest, one of the three largest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations

from veritab.lexicon.comparison import direction, is_superlative
from veritab.quantities import Date
from veritab.reason.parsing.claims import Stated
from veritab.reason.programs.answers import Blocks
from veritab.reason.programs.programs import Best, Every, Fold, Folded, Is, Literal, Nth, Of, Some, Top
from veritab.reason.tables import ColumnType
from veritab.reason.templates.reading import Candidate, Reading, splits, whole

_ORDERING = frozenset({"high", "low", "early", "late", "superlative", "ordinal", "rank", "than any", "no than"})
_PLACING = frozenset({"early", "late", "ordinal", "rank"})
_MOST_NUMBERS = 2
_LARGEST_GROUP = 30


def extremes(reading: Reading) -> Iterator[Candidate]:
    """Which row has the highest or lowest value, and which value that is."""
    if not reading.signs & _ORDERING:
        return
    for column in filter(partial(_is_ranked, reading), reading.ordered):
        for highest in (True, False):
            yield from _rows(reading, column, highest)
            yield from _values(reading, column, highest)
            yield from _groups(reading, column, highest)
    if reading.signs & _PLACING:
        yield from _in_table_order(reading)
    yield from _both_extreme(reading)


def _is_ranked(reading: Reading, column: int) -> bool:
    """Whether the words of a claim can rank rows by a column: "the second-highest" says nothing of dates."""
    if reading.links.table.columns[column].type is not ColumnType.DATE:
        return True
    return any(direction(stem, "date") for stem in reading.asked.stems)


def _word(highest: bool) -> str:
    return "high" if highest else "low"


def _rows(reading: Reading, column: int, highest: bool) -> Iterator[Candidate]:
    others = reading.without(column)
    # A table of the fifteen tallest does not say which is the sixteenth.
    for place in (each for each in reading.asked.places if each <= reading.links.table.height):
        for filters, target in splits(others):
            if target.is_limit:
                continue
            top = Top(reading.where(filters), column, highest, place)
            statement = Some(reading.where([target], top))
            used, detail = (*filters, target), _word(highest)
            yield from reading.made(statement, "top", used, (column,), detail=detail, read=_ranked(reading, top))


def _ranked(reading: Reading, top: Top) -> Blocks:
    """The cells that show a place other than the first: those of the places before it."""
    if top.place == 1:
        return ()
    return reading.machine.pick(Best(top.rows, top.column, top.highest, top.place)).cells


def _values(reading: Reading, column: int, highest: bool) -> Iterator[Candidate]:
    others = reading.without(column)
    numbers = [number for number in reading.numbers_for(column) if not _counts_the_first(reading, number)]
    for number in numbers[:_MOST_NUMBERS]:
        for filters in dict.fromkeys((others, ())):
            rows = reading.where(filters)
            dated = reading.links.table.columns[column].type is ColumnType.DATE
            if dated != isinstance(number.value, Date):
                continue
            if not dated:
                fold = Fold.HIGHEST if highest else Fold.LOWEST
                value = Is(Folded(fold, column, rows), number.relation, Literal(number.value))
            else:
                value = Is(Of(column, Top(rows, column, highest)), number.relation, Literal(number.value))
            yield from reading.made(value, "top value", filters, (column,), number, _word(highest))


def _counts_the_first(reading: Reading, number: Stated) -> bool:
    """Whether a number says how many are ranked: "the eight largest"."""
    following = reading.asked.stems[number.span[1] : number.span[1] + 1]
    return whole(number) is not None and any(map(is_superlative, following))


def _groups(reading: Reading, column: int, highest: bool) -> Iterator[Candidate]:
    """One of the three largest; the five largest all."""
    for number in reading.free_numbers[:1]:
        size = whole(number)
        if size and 1 < size < _LARGEST_GROUP:
            for filters, target in splits(reading.without(column)):
                if target.is_limit:
                    continue
                best = Best(reading.where(filters), column, highest, size)
                statement, used = Some(reading.where([target], best)), (*filters, target)
                read = reading.machine.pick(best).cells
                yield from reading.made(statement, "among top", used, (column,), number, _word(highest), read)


def _in_table_order(reading: Reading) -> Iterator[Candidate]:
    for place in (each for each in reading.asked.places if each <= reading.links.table.height):
        for side in (place, -place):
            for others, target in splits(reading.conditions):
                statement = Some(reading.where([target], Nth(reading.where(others), side)))
                detail = "first" if side > 0 else "last"
                yield from reading.made(statement, "nth", (*others, target), detail=detail)


def _both_extreme(reading: Reading) -> Iterator[Candidate]:
    """The row that has the most of one thing has the most of another: "the last was the closest"."""
    if sum(map(is_superlative, reading.asked.stems)) < 2:
        return
    used = tuple(condition for condition in reading.conditions if condition.column not in reading.ordered)
    rows = reading.where(used)
    for one, other in permutations(reading.ordered[:3], 2):
        for first in (True, False):
            for second in (True, False):
                both = Every(Top(rows, one, first), Top(rows, other, second))
                detail = f"{_word(first)} {_word(second)}"
                yield from reading.made(both, "both top", used, (one, other), detail=detail)
