"""The things that a claim names in full: rows by the names in their cells, and pages by their titles."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase

from veritab.lexicon.accounting import IDLE_STEMS
from veritab.lexicon.names import NAMES_FOR
from veritab.reason.measurements import (
    Measurement,
    is_infobox,
    naming_columns,
    row_measurements,
    table_context,
    table_measurements,
    without_brackets,
)
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.text import Span, stems

_MAX_ROWS, _MAX_TEXT, _MAX_SAME = 3000, 200, 30
_MIN_PART = 4
_NO_NAMES = frozenset((stem,) for stem in IDLE_STEMS - {"us"}) | frozenset((letter,) for letter in ascii_lowercase)
_BRACKETS = re.compile(r"\(([^()]*)\)")


@dataclass(frozen=True, eq=False)
class NamedThing:
    """A row or a page, and where the claim names it."""

    table: TypedTable
    row: int
    column: int
    """The column that has its name; -1 where the title has it."""
    span: Span

    @cached_property
    def values(self) -> tuple[Measurement, ...]:
        """All that is measured of it."""
        if self.column < 0:
            return tuple(table_measurements(self.table, frozenset()))
        return tuple(row_measurements(self.table, (self.row,)))

    @cached_property
    def said(self) -> frozenset[str]:
        """The stems of the cells that describe it."""
        cells = (column.texts[self.row] for column in naming_columns(self.table))
        return frozenset(stem for text in cells for stem in stems(text[:_MAX_TEXT]))

    @cached_property
    def about(self) -> frozenset[str]:
        """The stems of what its table is about, and of what kind of thing it is."""
        kind = stems(self.table.columns[self.column].name) if self.column >= 0 else ()
        return table_context(self.table) | frozenset(kind)


class ThingFinder:
    """Finds the things that a part of a claim names."""

    def __init__(self, claim: ParsedClaim, tables: Iterable[TypedTable]) -> None:
        self.claim = claim
        self.tables = [table for table in tables if table.height <= _MAX_ROWS]
        self._stems = frozenset(claim.stems)

    @cached_property
    def _named(self) -> list[tuple[TypedTable, Column, dict[Span, list[int]]]]:
        """For each column that has names, the rows by where the claim names them."""
        tables = [table for table in self.tables if not is_infobox(table)]
        found = [(table, column, self._rows_of(column)) for table in tables for column in naming_columns(table)]
        return [(table, column, rows) for table, column, rows in found if rows]

    def pairs(self, left: frozenset[int], right: frozenset[int]) -> Iterator[tuple[NamedThing, NamedThing]]:
        """Two things, one named by each side: rows of one column, or things of two tables."""
        whole: tuple[list[NamedThing], ...] = tuple([*self._titles(side)] for side in (left, right))
        for table, column, rows in self._named:
            one, other = (list(self._single_out(table, column, rows, side)) for side in (left, right))
            yield from ((a, b) for a in one for b in other if a.row != b.row and not _overlap(a.span, b.span))
            if column.number == table.key:
                whole[0].extend(one)
                whole[1].extend(other)
        yield from ((a, b) for a in whole[0] for b in whole[1] if a.table is not b.table)

    def _titles(self, side: frozenset[int]) -> Iterator[NamedThing]:
        """The pages with infoboxes that a side names."""
        for table in filter(is_infobox, self.tables):
            for span in self._spans(stems(without_brackets(table.title))):
                if self._is_within(span, side):
                    yield NamedThing(table, 0, -1, span)

    def _rows_of(self, column: Column) -> dict[Span, list[int]]:
        """The rows by where the claim has the name in this column; names inside longer ones are not meant."""
        found: dict[Span, list[int]] = {}
        parts: dict[tuple[str, ...], list[int]] = {}
        for row, text in enumerate(column.texts):
            name = stems(text[:_MAX_TEXT])
            if self._stems.isdisjoint(name) and name not in NAMES_FOR:
                continue
            for known in _names_in(text[:_MAX_TEXT]):
                for span in self._spans(known):
                    found.setdefault(span, []).append(row)
                if column.type is ColumnType.ENTITY:
                    for part in _parts_of(known):
                        parts.setdefault(part, []).append(row)
        for part, rows in parts.items():
            for span in self._spans(part) if len(rows) == 1 else ():
                if self.claim.words[span[0]].is_capital and not any(_overlap(span, other) for other in found):
                    found[span] = rows
        return {span: rows for span, rows in found.items() if not any(_contains(other, span) for other in found)}

    def _spans(self, name: Sequence[str]) -> Iterator[Span]:
        """Where the claim has a name."""
        name = tuple(name[1:] if name[:1] == ("the",) else name)
        size, words = len(name), self.claim.stems
        if not size or name in _NO_NAMES:
            return
        yield from ((at, at + size) for at in range(len(words) - size + 1) if words[at : at + size] == name)

    def _is_within(self, span: Span, side: frozenset[int]) -> bool:
        content = [place for place in range(*span) if place in self.claim.content]
        return bool(content) and side.issuperset(content)

    def _single_out(
        self, table: TypedTable, column: Column, named: dict[Span, list[int]], side: frozenset[int]
    ) -> Iterator[NamedThing]:
        """The rows that a side names; of several of one name, the one of which it says most."""
        for span, rows in named.items():
            if not self._is_within(span, side):
                continue
            words = {self.claim.stems[place] for place in side if place not in range(*span)}
            things = [NamedThing(table, row, column.number, span) for row in dict.fromkeys(rows[:_MAX_SAME])]
            most = max(len(words & thing.said) for thing in things) if len(things) > 1 else 0
            best = [thing for thing in things if len(things) == 1 or len(words & thing.said) == most]
            if len(best) == 1:
                yield best[0]


def _names_in(text: str) -> Iterator[tuple[str, ...]]:
    """The names that a cell has: without its brackets, inside of them, and others for the same thing."""
    name = stems(without_brackets(text))
    yield name
    yield from NAMES_FOR.get(name, ())
    yield from (stems(inside) for inside in _BRACKETS.findall(text) if inside.isupper() and inside.isalpha())


def _parts_of(name: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """What a longer name may be shortened to: a surname, a club without its "United"."""
    if len(name) > 1:
        parts = dict.fromkeys((name[-1:], name[:-1], name[:1]))
        yield from (part for part in parts if len("".join(part)) >= _MIN_PART)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _contains(outer: Span, inner: Span) -> bool:
    return outer != inner and outer[0] <= inner[0] and inner[1] <= outer[1]
