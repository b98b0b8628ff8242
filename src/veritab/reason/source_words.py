"""Cells, columns and rows of a table in the words of its source: "8,849 m" as it is printed there, "Winner", "1934"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from veritab.quantities import Date, Quantity, Range, parse_quantities
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.phrases import RowFilter
from veritab.reason.programs.printing import format_value, join_items, truncate
from veritab.reason.programs.programs import Between, Relation
from veritab.reason.programs.values import ProgramValue
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.reason.tables.synthetic import SyntheticTable, ToldValue

_MAX_NAME = 60
_MAX_UNIT = 20
_MOST_NAMED = 6
_ENOUGH_LETTERS = 6
_IN_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]\s*\Z")
_SCALES = re.compile(r"\b(thousand|million|billion|trillion)s\b")
_BARE = re.compile(r"[−–+-]?[0-9][0-9.,]*")
_YEAR = re.compile(r"[12][0-9]{3}")
_MEASURED = frozenset({ColumnType.NUMBER, ColumnType.DATE})
_ABOVE = {
    Relation.ABOVE: ("above", "after"), Relation.BELOW: ("below", "before"), Relation.AT_LEAST: ("of at least", "from"),
    Relation.AT_MOST: ("of at most", "up to"),
}  # fmt: skip
_LACKING = {
    Relation.ABOVE: ("not above", "not after"), Relation.BELOW: ("not below", "not before"),
    Relation.AT_LEAST: ("below", "before"), Relation.AT_MOST: ("above", "after"),
}  # fmt: skip


class SourceWords:
    """What a table calls its columns and rows, and how it prints its cells."""

    def __init__(self, table: TypedTable) -> None:
        self.table = table
        self._named = cache(self._name_column)

    # -- columns

    def column(self, number: int) -> str:
        """The header of a column without its unit; of two levels the lower one, where it says enough."""
        return self._named(number)[0]

    def _name_column(self, number: int) -> tuple[str, str]:
        column = self.table.columns[number]
        if isinstance(column, DerivedColumn):
            return self._name_derived(column), ""
        parts, unit = (
            split_unit(column.header, column.unit) if column.type is ColumnType.NUMBER else (column.header, "")
        )
        if len(parts) > 1 and self._says_enough(column, parts):
            parts = parts[-1:]
        return truncate(" ".join(parts) or column.name, _MAX_NAME), unit

    def _name_derived(self, column: DerivedColumn) -> str:
        start, end = self.column(column.start.number), self.column(column.end.number)
        if column.start.number == column.end.number:
            return f"time in {start}"
        return f"time from {start} to {end}" if column.lasts else f"{end} minus {start}"

    def _says_enough(self, column: Column, parts: Sequence[str]) -> bool:
        """Whether the lower of two headers needs the upper one: "Winner" does not, "Gold" and "2020" do."""
        others = [other.header for other in self.table.columns if other is not column and other.header]
        beside = [other[-1].casefold() for other in others if other[0] == column.header[0]]
        letters = sum(map(str.isalpha, parts[-1]))
        unique = all(other[-1].casefold() != column.header[-1].casefold() for other in others)
        return letters >= _ENOUGH_LETTERS and unique and "total" not in beside

    def is_dated(self, column: int) -> bool:
        return self.table.columns[column].type is ColumnType.DATE

    # -- cells and rows

    def cell(self, row: int, column: int) -> str:
        """What a cell holds as its source prints it, with the unit that only the header has."""
        told, typed = self.told(row), self.table.columns[column]
        if told and column == len(self.table.columns) - 1:
            return told.printed
        text = typed.texts[row]
        if not text:
            return "nothing"
        if isinstance(typed, DerivedColumn):
            return self._derived_cell(row, typed)
        return print_text(text, typed.type, self._named(column)[1])

    def _derived_cell(self, row: int, column: DerivedColumn) -> str:
        result = format_value(column.values[row])
        if column.start.number == column.end.number:
            return f"{column.start.texts[row]}, {result}"
        start, end = self.cell(row, column.start.number), self.cell(row, column.end.number)
        return f"from {start} to {end}, {result}" if column.lasts else f"{end} − {start} = {result}"

    def told(self, row: int) -> ToldValue | None:
        """What a value that was put into a table by itself is of."""
        table = self.table.table
        return table.told[row] if isinstance(table, SyntheticTable) and table.told else None

    def naming(self, besides: int | None = None) -> list[int]:
        """The columns that name rows: first one of years of which no two rows have the same, then the key."""
        years = [column.number for column in self.table.columns[: self.table.key or 0] if is_unique_year(column)]
        keys = [] if self.table.key is None else [self.table.key]
        return [column for column in (*years, *keys) if column != besides]

    def row(self, row: int, besides: int | None = None) -> str:
        """What a row is called; empty where it has no name."""
        names = (self.table.columns[column].texts[row] for column in self.naming(besides))
        return truncate(next(filter(None, names), ""), _MAX_NAME)

    def rows(self, rows: Sequence[int], besides: int | None = None) -> str:
        """What rows are called, the first few of them."""
        names = [name for row in rows[: _MOST_NAMED + 1] if (name := self.row(row, besides))]
        return join_items(names, most=_MOST_NAMED, of=len(rows)) if names else ""

    # -- conditions

    def term(self, value: ProgramValue, column: int) -> str:
        """What a claim says of a column, words that begin in lower case in quotation marks."""
        if isinstance(value, str):
            return f'"{truncate(value, _MAX_NAME)}"' if value[:1].islower() else truncate(value, _MAX_NAME)
        return format_value(value)

    def has(self, condition: RowFilter) -> str:
        """What rows have that meet a condition: "Italy as Winner", "Points above 30"."""
        name = self.column(condition.column)
        if isinstance(condition, Between):
            low, high = self.term(condition.low, condition.column), self.term(condition.high, condition.column)
            return f"{name} from {low} to {high}"
        term = self.term(condition.term, condition.column)
        match condition.relation:
            case Relation.IS:
                return f"{term} as {name}"
            case Relation.IS_NOT:
                return f"other than {term} as {name}"
            case Relation.CONTAINS:
                return f"{term} in {name}"
        return f"{name} {_ABOVE[condition.relation][self._is_dated(condition)]} {term}"

    def lacks(self, conditions: Sequence[RowFilter]) -> str:
        """What is to be said of the rows that do not meet conditions: "without Italy as Winner", "not above 30"."""
        if len(conditions) != 1:
            return "that do not match" if conditions else ""
        (condition,) = conditions
        if isinstance(condition, Between):
            low, high = self.term(condition.low, condition.column), self.term(condition.high, condition.column)
            return f"with {self.column(condition.column)} outside {low} to {high}"
        term = self.term(condition.term, condition.column)
        match condition.relation:
            case Relation.IS | Relation.CONTAINS:
                return f"without {self.has(condition)}"
            case Relation.IS_NOT:
                return f"with {term} as {self.column(condition.column)}"
        return f"with {self.column(condition.column)} {_LACKING[condition.relation][self._is_dated(condition)]} {term}"

    def _is_dated(self, condition: RowFilter) -> bool:
        dated = not isinstance(condition, Between) and isinstance(condition.term, Date)
        return dated and self.table.columns[condition.column].type is not ColumnType.NUMBER


def is_unique_year(column: Column) -> bool:
    """Whether a column tells rows apart by a year each."""
    return column.type is ColumnType.DATE and column.distinct == 1 and all(map(_YEAR.fullmatch, column.sample))


def split_unit(header: Sequence[str], unit: str) -> tuple[Sequence[str], str]:
    """The header of numbers in a unit without the words for it, and those words: "km", "million", "% by mass"."""
    for place in reversed(range(len(header))):
        part, bracketed = header[place], _IN_BRACKETS.search(header[place])
        is_last = place == len(header) - 1
        words = bracketed[1] if bracketed else part.rpartition(" ")[2] if is_last else ""
        words = _SCALES.sub(r"\1", words.strip())
        if _is_unit(words, unit):
            rest = part[: bracketed.start()] if bracketed else part.removesuffix(words).strip()
            named = [*header[:place], *([rest] if rest else []), *header[place + 1 :]]
            return (named, words) if named else (header, "")
    return header, ""


def _is_unit(words: str, unit: str) -> bool:
    """Whether words say in which unit numbers are, or in thousands or millions."""
    if not words or len(words) > _MAX_UNIT or any(map(str.isdecimal, words)):
        return False
    found = next(iter(parse_quantities(f"1 {words}")), None)
    return isinstance(found, Quantity) and (found.value != 1 or bool(found.unit and found.unit == unit))


def tell_value(header: str, owner: str, text: str, reading: ProgramValue | None, unit: str = "") -> ToldValue:
    """A value from anywhere with what its source calls it."""
    if not isinstance(reading, Quantity | Date):
        return ToldValue(header, owner, truncate(text, _MAX_NAME))
    if isinstance(reading, Date):
        return ToldValue(header, owner, print_text(text, ColumnType.DATE))
    parts, words = split_unit((header,), unit or reading.unit)
    return ToldValue(" ".join(parts), owner, print_text(text, ColumnType.NUMBER, words))


def print_text(text: str, type: ColumnType, unit: str = "") -> str:
    """The number or date of a cell as it is printed there, with the unit of its column where it has none itself."""
    if type not in _MEASURED:
        return truncate(text, _MAX_NAME)
    wanted = Date | Range if type is ColumnType.DATE else Quantity | Range
    first = next((found for found in parse_quantities(text) if isinstance(found, wanted)), None)
    written = text[slice(*first.span)] if first else truncate(text, _MAX_NAME)
    if unit and _BARE.fullmatch(written):
        return f"{unit}{written}" if unit in "$€£¥" else f"{written} {unit}"
    return written
