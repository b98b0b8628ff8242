"""Derived columns: the time between the dates of two columns, the difference of their numbers.

Claims use them as if they were in the table: "held office for twelve years", "has more silver than gold".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

from veritab.lexicon.comparison import lookup_forms
from veritab.lexicon.cues import DURATION_CUES
from veritab.quantities import Date, Quantity, age, difference
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.programs.denotations import CellGroup, CellGroups
from veritab.reason.tables import CellValue, Column, ColumnType, TypedTable
from veritab.schema import ElementId
from veritab.text import stems

_MAX_DATES, _MAX_NUMBERS = 5, 12
_MAX_DERIVED = 6
_TIME_UNITS = frozenset("day week month year decade".split())
_COMPARING = frozenset({"more", "less", "than", "rise", "fall", "difference", "twice", "same", "different"})


class DerivedColumn(Column):
    """A column computed from two others: the second minus the first."""

    def __init__(self, number: int, start: Column, end: Column) -> None:
        self.start, self.end = start, end
        self.lasts = start.type is ColumnType.DATE
        name = f"time from {start.name} to {end.name}" if self.lasts else f"{end.name} less {start.name}"
        cells = (*start.header_cells, *end.header_cells)
        super().__init__(number, (name,), cells, lambda rows: (), start.height)

    @property
    def type(self) -> ColumnType:
        return ColumnType.NUMBER

    @property
    def unit(self) -> str:
        return "year" if self.lasts else self.end.unit

    @cached_property
    def values(self) -> tuple[CellValue | None, ...]:
        return tuple(map(_subtract, self.start.values, self.end.values))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(_format_difference(value) for value in self.values)

    @cached_property
    def sample(self) -> tuple[str, ...]:
        return tuple(filter(None, self.texts))


def _subtract(start: CellValue | None, end: CellValue | None) -> Quantity | None:
    if isinstance(start, Date) and isinstance(end, Date):
        return _years_between(start, end)
    if isinstance(start, Quantity) and isinstance(end, Quantity):
        return difference(end, start)
    return None


def _years_between(start: Date, end: Date) -> Quantity | None:
    """The time from one date to another in years, exact where both are days."""
    apart = difference(end, start)
    if apart is None or apart.value < 0:
        return None
    if apart.unit == "day":
        whole = age(start, end)
        return Quantity(apart.value / 365.2425, "year", step=0.01) if whole else None
    return Quantity(apart.value / 12, "year", step=0.1) if apart.unit == "month" else apart


def _format_difference(value: CellValue | None) -> str:
    return f"{value.value:g} {value.unit}".strip() if isinstance(value, Quantity) else ""


class WidenedTable(TypedTable):
    """A typed table with derived columns after its own."""

    def __init__(self, table: TypedTable, pairs: Sequence[tuple[Column, Column]]) -> None:
        self.__dict__.update(table.__dict__)
        own = table.columns
        self.key_of_own = table.key
        self.__dict__["columns"] = (*own, *(DerivedColumn(len(own) + n, a, b) for n, (a, b) in enumerate(pairs)))
        self.__dict__["key"] = table.key

    def cell(self, row: int, column: int) -> ElementId | None:
        derived = self.columns[column]
        return super().cell(row, derived.end.number if isinstance(derived, DerivedColumn) else column)


def add_derived_columns(table: TypedTable, claim: ParsedClaim) -> TypedTable:
    """The table with the derived columns that the claim may mean."""
    pairs = list(_duration_pairs(table, claim)) + list(_change_pairs(table, claim))
    return WidenedTable(table, pairs[:_MAX_DERIVED]) if pairs else table


def source_cells(table: TypedTable, cells: CellGroups) -> CellGroups:
    """The cells of derived columns as cells of the columns they were computed from."""
    if not isinstance(table, WidenedTable):
        return cells
    found: list[CellGroup] = []
    for block in cells:
        column = table.columns[block.column]
        if isinstance(column, DerivedColumn):
            found += [CellGroup(block.rows, column.start.number), CellGroup(block.rows, column.end.number)]
        else:
            found.append(block)
    return tuple(found)


def _duration_pairs(table: TypedTable, claim: ParsedClaim) -> Iterator[tuple[Column, Column]]:
    """Pairs of date columns, the second hardly ever before the first, where the claim is about a duration."""
    spoken = any(isinstance(n.value, Quantity) and n.value.unit in _TIME_UNITS for n in claim.numbers)
    if not spoken and DURATION_CUES.isdisjoint(claim.stems):
        return
    dates = [column for column in table.columns if column.type is ColumnType.DATE and column.readable > 0.5]
    for one, other in combinations(dates[:_MAX_DATES], 2):
        known = [
            apart
            for a, b in zip(one.values, other.values, strict=True)
            if (apart := _signed_difference(a, b)) is not None
        ]
        if known and sum(apart >= 0 for apart in known) >= 0.9 * len(known):
            yield one, other
        elif known and sum(apart <= 0 for apart in known) >= 0.9 * len(known):
            yield other, one


def _signed_difference(one: CellValue | None, other: CellValue | None) -> float | None:
    if not isinstance(one, Date) or not isinstance(other, Date):
        return None
    apart = difference(other, one)
    return apart.value if apart else None


def _change_pairs(table: TypedTable, claim: ParsedClaim) -> Iterator[tuple[Column, Column]]:
    """Pairs of comparable number columns, each with a header word of its own that the claim has."""
    if not claim.cues & _COMPARING:
        return
    said = {form for stem in claim.stems for form in lookup_forms(stem)}
    numbers = [column for column in table.columns if column.type is ColumnType.NUMBER][:_MAX_NUMBERS]
    for one, other in combinations(numbers, 2):
        first, second = set(stems(one.name)), set(stems(other.name))
        alike = one.unit == other.unit and (len(one.header) > 1 or first & second or not one.unit)
        if alike and said & (first - second) and said & (second - first):
            yield one, other
