"""What several months in a row have together: "from June to August", "in the last three months of 2024".

A stretch is more than its two ends, so that no value of June and none of August says what a claim about June to August
means. Where it is not said that something is added up, a level might be meant instead, of which each month has its own:
a number that is neither the sum nor one that a month could have is wrong in either reading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from veritab.lexicon.accounting import LEVEL_STEMS
from veritab.lexicon.numbers import MONTHS, SMALL_CARDINALS
from veritab.quantities import Date, Quantity
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.conditions import CellCondition
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import Aggregate, Aggregation, All, Is, Literal, Relation, Where
from veritab.reason.tables import Column, ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate
from veritab.reason.templates.wholes import sums_up
from veritab.text import Span, stems

_YEAR, _HALF, _QUARTER = 12, 6, 3
_JOINED = frozenset({"to", "until", "through", "till"})
_PARTS = {"quarter": _QUARTER, "half": _HALF}
_ENDS = {"first": 0, "last": -1}
_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_DIGITS = re.compile(r"\d{1,2}")


def find_stretch(claim: ParsedClaim) -> tuple[Span, tuple[int, int]] | None:
    """The words of the claim's one stretch of months, and its first and last month."""
    found = [each for place in range(len(claim.stems)) if (each := _stretch_at(claim, place))]
    return found[0] if len(found) == 1 else None


def _stretch_at(claim: ParsedClaim, place: int) -> tuple[Span, tuple[int, int]] | None:
    said = claim.stems[place:]
    if said[:1] in (("from",), ("between",)) and len(said) > 3 and said[1] in MONTHS and said[3] in MONTHS:
        joined = said[2] in _JOINED if said[0] == "from" else said[2] == "and"
        ends = MONTHS[said[1]], MONTHS[said[3]]
        return ((place, place + 4), ends) if joined and ends[0] < ends[1] else None
    if len(said) < 4 or said[0] != "the":
        return None
    if said[1] in _ENDS and said[3:5] == ("month", "of"):
        # Without a year they may be the last ones before now.
        size = SMALL_CARDINALS.get(said[2]) or (int(said[2]) if _DIGITS.fullmatch(said[2]) else 0)
        if not 1 < size < _YEAR or not _is_year(said[5:6]):
            return None
        first = 1 if said[1] == "first" else _YEAR - int(size) + 1
        return (place, place + 4), (first, first + int(size) - 1)
    size = _PARTS.get(said[2], 0)
    if size and said[1] in (_PLACES.keys() | _ENDS.keys()) and said[3] == "of" and _is_year(said[4:5]):
        number = _PLACES[said[1]] if said[1] in _PLACES else _YEAR // size
        return ((place, place + 3), (size * (number - 1) + 1, size * number)) if size * number <= _YEAR else None
    return None


def _is_year(words: tuple[str, ...]) -> bool:
    return bool(words) and bool(re.fullmatch(r"(?:1[5-9]|20)\d\d", words[0]))


def _months_of(column: Column) -> dict[int, int]:
    """The row of each month, in a column that names each month once."""
    found: dict[int, int] = {}
    for row, (text, value) in enumerate(zip(column.texts, column.values, strict=True)):
        named = stems(text)
        if len(named) > 2 or not named or named[0] not in MONTHS:
            continue
        day = value.day if isinstance(value, Date) else None
        if MONTHS[named[0]] in found or day or (len(named) > 1 and not _is_year(named[1:])):
            return {}
        found[MONTHS[named[0]]] = row
    return found


def stretch_condition(grounding: Grounding) -> CellCondition | None:
    """The rows of all months of the stretch that the claim names, as a list of them."""
    stretch = find_stretch(grounding.claim)
    if not stretch:
        return None
    span, (first, last) = stretch
    for column in grounding.links.table.columns[:2]:
        rows = _months_of(column)
        if isinstance(column, DerivedColumn) or any(month not in rows for month in range(first, last + 1)):
            continue
        named = [rows[month] for month in range(first, last + 1)]
        members = [_named(grounding, column.number, row, span) for row in named]
        if any(each.rows != {row} for each, row in zip(members, named, strict=True)):
            return None
        one, *others = members
        return replace(one, rows=frozenset(named), others=tuple(others))
    return None


def _named(grounding: Grounding, column: int, row: int, span: Span) -> CellCondition:
    typed = grounding.links.table.columns[column]
    value = typed.values[row] if typed.type is ColumnType.DATE else None
    term = value if isinstance(value, Date) else typed.texts[row]
    rows = frozenset(grounding.executor.pick(Where(All(), column, Relation.IS, term)).rows)
    return CellCondition(span, column, Relation.IS, term, rows, 1.0)


def generate_stretches(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """The sum of each column of numbers over the months that a claim is about."""
    months = stretch_condition(grounding)
    if not months or any(c.column != months.column for c in grounding.conditions if c.span[1] <= months.span[0]):
        return
    taken = range(*months.span)
    numbers = [n for n in grounding.claim.numbers if isinstance(n.value, Quantity) and not n.value.ordinal]
    numbers = [n for n in numbers if n.span[0] not in taken]
    for number in map(grounding.links.number_links.scaled, numbers if len(numbers) == 1 else ()):
        for column in grounding.links.ordered_columns:
            if not _adds_up(column) or not grounding.can_be_value(number, column.number):
                continue
            total = Aggregate(Aggregation.SUM, column.number, grounding.where([months]))
            statement = Is(total, number.relation, Literal(number.value))
            for candidate in grounding.build(statement, "stretch", (months,), (column.number,), number):
                if sums_up(grounding.claim) or _is_no_level(candidate, column, months):
                    yield candidate


def _adds_up(column: Column) -> bool:
    header = frozenset(stems(column.name))
    number = column.type is ColumnType.NUMBER and not isinstance(column, DerivedColumn)
    return number and column.unit not in ("%", "°C", "°F") and header.isdisjoint(LEVEL_STEMS)


def _is_no_level(candidate: ProgramCandidate, column: Column, months: CellCondition) -> bool:
    """Whether a number is the sum, or else too high for any of the months."""
    number = candidate.number
    if number is None or number.relation is not Relation.IS or not isinstance(number.value, Quantity):
        return False
    values = [value.value for row in months.rows if isinstance(value := column.values[row], Quantity)]
    return candidate.truth.holds or (bool(values) and number.value.value > max(values))
