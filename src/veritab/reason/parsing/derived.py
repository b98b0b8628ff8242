"""Derived columns: the time between the dates of two columns, the difference of their numbers.

Claims use them as if they were in the table: "held office for twelve years", "has more silver than gold".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, pairwise

from veritab.lexicon.comparison import FELL, ROSE, lookup_forms
from veritab.lexicon.cues import DURATION_CUES
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.quantities import Date, Quantity, Range, age, difference
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.programs.denotations import CellGroup, CellGroups
from veritab.reason.tables import CellValue, Column, ColumnType, TypedTable
from veritab.reason.tables.cells import read_cell
from veritab.schema import ElementId
from veritab.text import stems

_MAX_DATES, _MAX_NUMBERS = 5, 12
_MAX_DERIVED = 6
_TIME_UNITS = frozenset("day week month year decade".split())
_COMPARING = frozenset({"more", "less", "than", "rise", "fall", "difference", "twice", "same", "different"})


_CHANGING = frozenset({"rise", "fall", "twice"})
_WENT = frozenset((verb, way) for verb in ("go", "goe", "went", "gone") for way in ("up", "down"))
_YEAR_BEFORE = re.compile(
    r"\bthan (?:in )?(?:(?:the|a) year (?:before|earlier|previously)|the (?:previous|preceding|prior) year)\b",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\([^()]*\)")
TOTAL_STEMS = frozenset({"total", "all", "overall"})
_YEAR = re.compile("1[5-9][0-9][0-9]|20[0-9][0-9]")


class DerivedColumn(Column):
    """A column computed from two others: the second minus the first."""

    def __init__(self, number: int, start: Column, end: Column, *, assumed: bool = False) -> None:
        self.start, self.end = start, end
        self.assumed = assumed
        """Whether the claim leaves it to the reader which two years are compared: "loans quadrupled"."""
        self.lasts = start.type is ColumnType.DATE
        name = f"time from {start.name} to {end.name}" if self.lasts else f"{end.name} less {start.name}"
        name = f"length of {start.name}" if start.number == end.number else name
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


class PeriodEnd(Column):
    """The second dates of a column of periods: the 1961 of "1953–1961"."""

    def __init__(self, periods: Column) -> None:
        super().__init__(
            periods.number, periods.header, periods.header_cells, lambda rows: periods.texts, periods.height
        )

    @cached_property
    def values(self) -> tuple[CellValue | None, ...]:
        return tuple(_end_of_period(text) for text in self.texts)


def _end_of_period(text: str) -> Date | None:
    value = read_cell(text).value if text else None
    return value.high if isinstance(value, Range) and isinstance(value.high, Date) else None


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

    def __init__(
        self, table: TypedTable, pairs: Sequence[tuple[Column, Column]], assumed: Sequence[tuple[Column, Column]] = ()
    ) -> None:
        self.__dict__.update(table.__dict__)
        own = table.columns
        self.key_of_own = table.key
        derived = [(pair, False) for pair in pairs] + [(pair, True) for pair in assumed]
        added = (DerivedColumn(len(own) + n, a, b, assumed=leaves) for n, ((a, b), leaves) in enumerate(derived))
        self.__dict__["columns"] = (*own, *added)
        self.__dict__["key"] = table.key

    def cell(self, row: int, column: int) -> ElementId | None:
        derived = self.columns[column]
        return super().cell(row, derived.end.number if isinstance(derived, DerivedColumn) else column)


def add_derived_columns(table: TypedTable, claim: ParsedClaim) -> TypedTable:
    """The table with the derived columns that the claim may mean."""
    changes = list(_change_pairs(table, claim))
    totals = [pair for pair in changes if _is_to_total(table, pair)]
    # What a year had in all is meant by the year, unless the claim names a part of it.
    parts = _part_columns(table, claim) if totals else frozenset()
    named = [pair for pair in changes if pair not in totals and not {each.number for each in pair} & parts]
    said = [*_duration_pairs(table, claim), *named][:_MAX_DERIVED]
    assumed = [] if said else (totals or list(_assumed_pairs(table, claim)))[:_MAX_DERIVED]
    return WidenedTable(table, said, assumed) if said or assumed else table


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
    for column in dates[:_MAX_DATES]:
        end = PeriodEnd(column)
        if sum(value is not None for value in end.values) * 2 > column.height:
            yield column, end


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


def _assumed_pairs(table: TypedTable, claim: ParsedClaim) -> Iterator[tuple[Column, Column]]:
    """The two years that a claim compares without naming both: "quadrupled", "fell in 2024"."""
    if not (claim.cues & _CHANGING or {*claim.stems} & (ROSE | FELL) or went(claim) or year_before(claim)):
        return
    named = [place for place, stem in enumerate(claim.stems) if _YEAR.fullmatch(stem)]
    if len(named) > 1 or (named and claim.stems[named[0] - 1 : named[0]] not in (("in",), ("for",))):
        return
    said = {form for stem in claim.stems for form in lookup_forms(stem)}
    families = _columns_by_year(table)
    own = {words: frozenset(_plain_words(columns)) for words, columns in families.items()}
    spoken = [words for words in families if not said.isdisjoint(own[words])]
    spoken = (
        spoken or [words for words in families if not own[words]] or [w for w in families if not said.isdisjoint(w)]
    )
    for words, columns in families.items():
        if len(families) > 1 and words not in spoken:
            continue
        years = sorted(columns)
        if not named and len(years) == 2:
            yield columns[years[0]], columns[years[1]]
        elif named and (last := int(claim.stems[named[0]])) in columns and last - 1 in columns:
            yield columns[last - 1], columns[last]


def went(claim: ParsedClaim) -> dict[int, int]:
    """The positions of the "up" or "down" of what went there, 1 for up and -1 for down."""
    pairs = enumerate(pairwise(claim.stems), 1)
    return {place: 1 if pair[1] == "up" else -1 for place, pair in pairs if pair in _WENT}


def year_before(claim: ParsedClaim) -> range:
    """The positions of "than the year before", by which a year is compared with the one before it."""
    found = _YEAR_BEFORE.search(claim.text)
    return range(*claim.span(*found.span())) if found else range(0)


def _plain_words(columns: Mapping[int, Column]) -> Iterator[str]:
    """The words of headers other than years, totals and what stands in brackets."""
    for column in columns.values():
        words = stems(_BRACKETS.sub(" ", column.name))
        yield from (word for word in words if not _YEAR.fullmatch(word) and word not in TOTAL_STEMS | TABLE_STOP_STEMS)


def _is_to_total(table: TypedTable, pair: tuple[Column, Column]) -> bool:
    """Whether one of two columns of years is plain and the other the total of its year, which has parts too."""
    families = _columns_by_year(table)
    for words, columns in families.items():
        numbers = {column.number for column in columns.values()}
        if {each.number for each in pair} <= numbers:
            return any(TOTAL_STEMS & {*stems(each.name)} - words for each in pair)
    return False


def _part_columns(table: TypedTable, claim: ParsedClaim) -> frozenset[int]:
    """The columns of parts of a year that the claim does not name: "2024 inbound"."""
    families = _columns_by_year(table)
    return frozenset(
        column.number
        for columns in families.values()
        for column in columns.values()
        if (own := frozenset(_plain_words({0: column}))) and own.isdisjoint(claim.stems)
    )


def _columns_by_year(table: TypedTable) -> dict[frozenset[str], dict[int, Column]]:
    """The columns of numbers that have a year in their header, by the other words of it."""
    found: dict[frozenset[str], dict[int, Column]] = {}
    for column in table.columns:
        words = stems(column.name)
        years = [word for word in words if _YEAR.fullmatch(word)]
        if len(years) == 1 and column.type is ColumnType.NUMBER:
            found.setdefault(frozenset(words) - {years[0]}, {})[int(years[0])] = column
    for total in [each for each in found if each & TOTAL_STEMS]:
        # Beside "2022" and "2023", the total of "2024 inbound", "2024 outbound" and "2024 total" is what 2024 had.
        plain = found.get(total - TOTAL_STEMS, {})
        if plain and not plain.keys() & found[total].keys():
            plain.update(found.pop(total))
    return found
