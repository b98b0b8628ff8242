"""The claim compares two things: which has more, by how much, how many times as much."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from veritab.reason.parsing.claims import Stated
from veritab.reason.parsing.conditions import Condition, Conditions
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import (
    Count,
    Difference,
    Different,
    Either,
    Fold,
    Folded,
    Is,
    Literal,
    Of,
    Ratio,
    Relation,
    RowProgram,
    Same,
    ValueProgram,
)
from veritab.reason.tables import ColumnType
from veritab.reason.templates.reading import Candidate, Reading

_ORDERING = frozenset({"more", "less", "before", "after", "than", "difference", "twice", "rank"})
_COMPARING = _ORDERING | {"same", "different"}
_CHANGING = frozenset({"more", "less", "than", "difference", "rise", "fall", "twice"})
_GROWING = frozenset("doubled tripled trebled quadrupled halved".split())
_MOST_PAIRS = 6
_MOST_NUMBERS = 3


def comparisons(reading: Reading) -> Iterator[Candidate]:
    """Two rows compared in a column, or two columns in a row."""
    if reading.signs & _CHANGING or reading.asked.multiples:
        yield from _between_columns(reading)
    if not (reading.signs & _COMPARING or reading.asked.multiples):
        return
    for one, other in _pairs(reading):
        first, second = _side(reading, one, other), _side(reading, other, one)
        for column in reading.ordered if reading.signs & _ORDERING or reading.asked.multiples else ():
            if column in (one.column, other.column):
                continue
            left, right = Of(column, first), Of(column, second)
            yield from _above_or_below(reading, left, right, (one, other), column, "compare")
            yield from _by_how_much(reading, left, right, (one, other), column)
        for column in reading.asked_columns(exclude=(one.column, other.column)):
            rows = Either(first, second)
            if "same" in reading.signs:
                yield from reading.made(Same(column, rows), "same", (one, other), (column,))
            if "different" in reading.signs:
                yield from reading.made(Different(column, rows), "differ", (one, other), (column,))
        if reading.signs & {"more", "less"} and one.column == other.column:
            for relation in (Relation.ABOVE, Relation.BELOW):
                comparison = Is(Count(first), relation, Count(second))
                yield from reading.made(comparison, "compare counts", (one, other), detail=relation.value)
    yield from _with_sums(reading)


def _above_or_below(
    reading: Reading, left: ValueProgram, right: ValueProgram, used: Conditions, column: int, form: str
) -> Iterator[Candidate]:
    for relation in (Relation.ABOVE, Relation.BELOW):
        yield from reading.made(Is(left, relation, right), form, used, (column,), detail=relation.value)


def _pairs(reading: Reading) -> Iterator[tuple[Condition, Condition]]:
    """Two phrases that name two different rows."""
    named = [c for c in reading.conditions if not c.is_limit and c.rows and not c.others]
    for one, other in list(combinations(named, 2))[:_MOST_PAIRS]:
        if one.rows.isdisjoint(other.rows) and (one.column == other.column or len(named) == 2):
            # "Doubled between 1969 and 2019" compares the later with the earlier.
            later = _is_earlier(reading, one, other) and not _compares_as_named(reading)
            yield (other, one) if later else (one, other)


def _compares_as_named(reading: Reading) -> bool:
    """Whether what is named first is compared with what is named second: "more in 2020 than in 2010"."""
    numbers = {place for number in reading.asked.numbers for place in (number.span[0] - 1, number.span[0] - 2)}
    than = {place for place, stem in enumerate(reading.asked.stems) if stem == "than"}
    return bool(than - numbers) and _GROWING.isdisjoint(reading.asked.stems)


def _is_earlier(reading: Reading, one: Condition, other: Condition) -> bool:
    """Whether two conditions are dates, the first before the second."""
    if one.column != other.column or reading.links.table.columns[one.column].type is not ColumnType.DATE:
        return False
    first, second = (reading.machine.keys(c.column)[min(c.rows)] for c in (one, other))
    return first is not None and second is not None and first < second


def _side(reading: Reading, one: Condition, other: Condition) -> RowProgram:
    """The rows of one side; what stands nearer to it than to the other side tells which where it names several."""
    if len(one.rows) < 2:
        return reading.where([one])
    near = [
        c
        for c in reading.conditions
        if c not in (one, other) and c.rows & one.rows and c.column != one.column and _gap(c, one) <= _gap(c, other)
    ]
    return reading.where([one, *near])


def _gap(one: Condition, other: Condition) -> int:
    return max(other.span[0] - one.span[1], one.span[0] - other.span[1], 0)


def _by_how_much(reading: Reading, left: Of, right: Of, used: Conditions, column: int) -> Iterator[Candidate]:
    for one, other, detail in ((left, right, "above"), (right, left, "below")):
        fitting = [number for number in reading.free_numbers if reading.fits(number, column)]
        for number in fitting[:_MOST_NUMBERS]:
            gap = Is(Difference(one, other), number.relation, Literal(number.value))
            yield from reading.made(gap, "difference", used, (column,), number, detail)
        yield from _ratios(reading, one, other, used, (column,), detail)


def _ratios(
    reading: Reading, one: ValueProgram, other: ValueProgram, used: Conditions, columns: tuple[int, ...], detail: str
) -> Iterator[Candidate]:
    for times in reading.asked.multiples:
        ratio = Is(Ratio(one, other), times.relation, Literal(times.value))
        yield from reading.made(ratio, "ratio", used, columns, times, detail)


def _with_sums(reading: Reading) -> Iterator[Candidate]:
    """One thing against several together."""
    if "sum" not in reading.signs:
        return
    for listed in reading.lists:
        for one in reading.conditions:
            if one.is_limit or one.others or not one.rows or not one.rows.isdisjoint(listed.rows):
                continue
            for column in reading.ordered:
                left, right = Of(column, reading.where([one])), Folded(Fold.SUM, column, reading.where([listed]))
                yield from _above_or_below(reading, left, right, (one, listed), column, "compare sum")


def _between_columns(reading: Reading) -> Iterator[Candidate]:
    """What one row has in two columns: by how much it changed, how many times as much it is."""
    for column in reading.links.table.columns:
        if not isinstance(column, DerivedColumn) or column.lasts:
            continue
        used = tuple(c for c in reading.conditions if c.column not in (column.number, *_ends(column)))
        rows = reading.where(used)
        first, second = (column.end, column.start) if _is_first(reading, column) else (column.start, column.end)
        left, right = Of(first.number, rows), Of(second.number, rows)
        for one, other, detail in ((left, right, "above"), (right, left, "below")):
            for number in _sizes(reading, column)[:_MOST_NUMBERS]:
                gap = Is(Difference(one, other), number.relation, Literal(number.value))
                yield from reading.made(gap, "column difference", used, _ends(column), number, detail)
            yield from _ratios(reading, one, other, used, _ends(column), detail)


def _is_first(reading: Reading, column: DerivedColumn) -> bool:
    """Whether the second column of the two is what the first is compared with: named first, or the later year."""
    if not _compares_as_named(reading):
        return True
    start, end = (
        reading.links.named.own_place(a, b) for a, b in ((column.start, column.end), (column.end, column.start))
    )
    return start is None or end is None or end < start


def _ends(column: DerivedColumn) -> tuple[int, int]:
    return column.start.number, column.end.number


def _sizes(reading: Reading, column: DerivedColumn) -> list[Stated]:
    """The numbers that are not words of the two headers: 165,000, not the years 1971 and 2011."""
    mention = reading.links.mentions[column.number]
    return [n for n in reading.numbers_for(column.number) if not mention.words.issuperset(range(*n.span))]
