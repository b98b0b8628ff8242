"""Comparisons of two rows or two columns: which has more, by how much, how many times as much."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from veritab.lexicon.numbers import GROWTH_FACTORS
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.parsing.conditions import CellCondition, CellConditions
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    Count,
    Different,
    Either,
    Is,
    Literal,
    Of,
    Ratio,
    Relation,
    RowProgram,
    Same,
    Subtraction,
    ValueProgram,
)
from veritab.reason.tables import ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate

_ORDERING = frozenset({"more", "less", "before", "after", "than", "difference", "twice", "rank"})
_COMPARING = _ORDERING | {"same", "different"}
_CHANGING = frozenset({"more", "less", "than", "difference", "rise", "fall", "twice"})
_MAX_PAIRS = 6
_MAX_NUMBERS = 3


def generate_comparisons(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Two rows compared in a column, or two columns in a row."""
    if grounding.cues & _CHANGING or grounding.claim.multiples:
        yield from _between_columns(grounding)
    if not (grounding.cues & _COMPARING or grounding.claim.multiples):
        return
    for one, other in _pairs(grounding):
        first, second = _side(grounding, one, other), _side(grounding, other, one)
        for column in grounding.ordered if grounding.cues & _ORDERING or grounding.claim.multiples else ():
            if column in (one.column, other.column):
                continue
            left, right = Of(column, first), Of(column, second)
            yield from _above_or_below(grounding, left, right, (one, other), column, "compare")
            yield from _by_how_much(grounding, left, right, (one, other), column)
        for column in grounding.mentioned_columns(exclude=(one.column, other.column)):
            rows = Either(first, second)
            if "same" in grounding.cues:
                yield from grounding.build(Same(column, rows), "same", (one, other), (column,))
            if "different" in grounding.cues:
                yield from grounding.build(Different(column, rows), "differ", (one, other), (column,))
        if grounding.cues & {"more", "less"} and one.column == other.column:
            for relation in (Relation.ABOVE, Relation.BELOW):
                comparison = Is(Count(first), relation, Count(second))
                yield from grounding.build(comparison, "compare counts", (one, other), detail=relation.value)
    yield from _with_sums(grounding)


def _above_or_below(
    grounding: Grounding, left: ValueProgram, right: ValueProgram, used: CellConditions, column: int, template: str
) -> Iterator[ProgramCandidate]:
    for relation in (Relation.ABOVE, Relation.BELOW):
        yield from grounding.build(Is(left, relation, right), template, used, (column,), detail=relation.value)


def _pairs(grounding: Grounding) -> Iterator[tuple[CellCondition, CellCondition]]:
    """Two phrases that name two different rows."""
    named = [c for c in grounding.conditions if not c.is_limit and c.rows and not c.others]
    for one, other in list(combinations(named, 2))[:_MAX_PAIRS]:
        if one.rows.isdisjoint(other.rows) and (one.column == other.column or len(named) == 2):
            # "Doubled between 1969 and 2019" compares the later with the earlier.
            later = _is_earlier(grounding, one, other) and not _compares_as_named(grounding)
            yield (other, one) if later else (one, other)


def _compares_as_named(grounding: Grounding) -> bool:
    """Whether what is named first is compared with what is named second: "more in 2020 than in 2010"."""
    numbers = {place for number in grounding.claim.numbers for place in (number.span[0] - 1, number.span[0] - 2)}
    than = {place for place, stem in enumerate(grounding.claim.stems) if stem == "than"}
    return bool(than - numbers) and GROWTH_FACTORS.keys().isdisjoint(grounding.claim.stems)


def _is_earlier(grounding: Grounding, one: CellCondition, other: CellCondition) -> bool:
    """Whether two conditions are dates, the first before the second."""
    if one.column != other.column or grounding.links.table.columns[one.column].type is not ColumnType.DATE:
        return False
    first, second = (grounding.executor.keys(c.column)[min(c.rows)] for c in (one, other))
    return first is not None and second is not None and first < second


def _side(grounding: Grounding, one: CellCondition, other: CellCondition) -> RowProgram:
    """The rows of one side; where it names several, the conditions closer to it than to the other side narrow them."""
    if len(one.rows) < 2:
        return grounding.where([one])
    near = [
        c
        for c in grounding.conditions
        if c not in (one, other) and c.rows & one.rows and c.column != one.column and _gap(c, one) <= _gap(c, other)
    ]
    return grounding.where([one, *near])


def _gap(one: CellCondition, other: CellCondition) -> int:
    return max(other.span[0] - one.span[1], one.span[0] - other.span[1], 0)


def _by_how_much(
    grounding: Grounding, left: Of, right: Of, used: CellConditions, column: int
) -> Iterator[ProgramCandidate]:
    for one, other, detail in ((left, right, "above"), (right, left, "below")):
        fitting = [number for number in grounding.free_numbers if grounding.can_be_value(number, column)]
        for number in fitting[:_MAX_NUMBERS]:
            gap = Is(Subtraction(one, other), number.relation, Literal(number.value))
            yield from grounding.build(gap, "difference", used, (column,), number, detail)
        yield from _ratios(grounding, one, other, used, (column,), detail)


def _ratios(
    grounding: Grounding,
    one: ValueProgram,
    other: ValueProgram,
    used: CellConditions,
    columns: tuple[int, ...],
    detail: str,
) -> Iterator[ProgramCandidate]:
    for times in grounding.claim.multiples:
        ratio = Is(Ratio(one, other), times.relation, Literal(times.value))
        yield from grounding.build(ratio, "ratio", used, columns, times, detail)


def _with_sums(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """One thing against several together."""
    if "sum" not in grounding.cues:
        return
    for listed in grounding.lists:
        for one in grounding.conditions:
            if one.is_limit or one.others or not one.rows or not one.rows.isdisjoint(listed.rows):
                continue
            for column in grounding.ordered:
                left, right = (
                    Of(column, grounding.where([one])),
                    Aggregate(Aggregation.SUM, column, grounding.where([listed])),
                )
                yield from _above_or_below(grounding, left, right, (one, listed), column, "compare sum")


def _between_columns(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """What one row has in two columns: by how much it changed, how many times as much it is."""
    for column in grounding.links.table.columns:
        if not isinstance(column, DerivedColumn) or column.lasts:
            continue
        used = tuple(c for c in grounding.conditions if c.column not in (column.number, *_ends(column)))
        rows = grounding.where(used)
        first, second = (column.end, column.start) if _is_first(grounding, column) else (column.start, column.end)
        left, right = Of(first.number, rows), Of(second.number, rows)
        for one, other, detail in ((left, right, "above"), (right, left, "below")):
            for number in _sizes(grounding, column)[:_MAX_NUMBERS]:
                gap = Is(Subtraction(one, other), number.relation, Literal(number.value))
                yield from grounding.build(gap, "column difference", used, _ends(column), number, detail)
            yield from _ratios(grounding, one, other, used, _ends(column), detail)


def _is_first(grounding: Grounding, column: DerivedColumn) -> bool:
    """Whether the second of the two columns is the subject: named first, or the later year."""
    if not _compares_as_named(grounding):
        return True
    start, end = (
        grounding.links.header_mentions.own_position(a, b)
        for a, b in ((column.start, column.end), (column.end, column.start))
    )
    return start is None or end is None or end < start


def _ends(column: DerivedColumn) -> tuple[int, int]:
    return column.start.number, column.end.number


def _sizes(grounding: Grounding, column: DerivedColumn) -> list[StatedNumber]:
    """The numbers that are not words of the two headers: 165,000, not the years 1971 and 2011."""
    mention = grounding.links.mentions[column.number]
    return [n for n in grounding.numbers_for(column.number) if not mention.words.issuperset(range(*n.span))]
