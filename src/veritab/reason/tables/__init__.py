"""Typed tables: a table as rows of things and columns of values, whatever way its source laid it out.

Header rows become paths, separators become a group column, rows of totals are kept apart, and an infobox, whose headers
run down its left side, is turned so that each of them is a column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from veritab.quantities import Range
from veritab.reason.tables.cells import CellValue, clean_text
from veritab.reason.tables.columns import Column, ColumnType
from veritab.reason.tables.layout import Grid, Layout, Tabular, is_vertical, layout_upright, layout_vertical
from veritab.schema import ElementId, Kind, Place

__all__ = ["CellValue", "Column", "ColumnType", "Total", "TypedTable"]

_MAX_KEYS = 20
_MAX_NAME = 60
_DESCRIPTIVE = frozenset("0123456789(,;:")


@dataclass(frozen=True)
class Total:
    """A row that sums up the others ("total" or "average"), kept out of the body."""

    kind: str
    texts: tuple[str, ...]
    cells: tuple[ElementId | None, ...]


class TypedTable:
    """A table ready to be computed with: columns with types and units, rows of the body, totals apart."""

    def __init__(self, table: Tabular, grid: Grid, layout: Layout) -> None:
        self.table = table
        self.id = table.id
        self.title = table.id.page
        self.sections = tuple(context.text for context in table.context if context.id.kind is Kind.SECTION)
        self.caption = table.caption or layout.heading
        self.height = len(layout.body)
        self._grid = grid
        self._layout = layout

    @classmethod
    def of(cls, table: Tabular) -> TypedTable:
        """The typed form of a table."""
        grid = Grid(table)
        if is_vertical(grid):
            return cls(table, Grid(table, flipped=True), layout_vertical(grid))
        return cls(table, grid, layout_upright(grid))

    def __repr__(self) -> str:
        return f"<TypedTable {self.id}: {self.height} rows, {len(self.columns)} columns>"

    def without_row(self, row: int) -> TypedTable:
        """The same table, with a row of its body among the totals."""
        layout = self._layout
        kept = [number for number in range(self.height) if number != row]
        body, groups = [layout.body[each] for each in kept], [layout.groups[each] for each in kept]
        totals = [*layout.totals, ("total", layout.body[row])]
        return TypedTable(self.table, self._grid, replace(layout, body=body, groups=groups, totals=totals))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns from left to right, then one that names the group of each row where separators do."""
        columns = [self._column(number, across) for number, across in enumerate(self._layout.across)]
        if any(self._layout.groups):
            columns.append(Column(len(columns), ("group",), (), self._texts(self._group), self.height))
        return tuple(columns)

    @cached_property
    def key(self) -> int | None:
        """The column that names the rows: its names hardly repeat, and columns on the left are preferred."""
        if self._grid.flipped and self.height == 1:
            # What an infobox is about is the page.
            return None
        own = self.columns[: min(len(self._layout.across), _MAX_KEYS)]
        scores = [
            (_naming_score(column) - 0.03 * column.number, -column.number) for column in own if _names_rows(column)
        ]
        best = max(scores, default=(0.0, 0))
        return -best[1] if best[0] > 0.6 else None

    @cached_property
    def totals(self) -> tuple[Total, ...]:
        """The rows that sum up the others."""
        return tuple(self._total(kind, row) for kind, row in self._layout.totals)

    def cell(self, row: int, column: int) -> ElementId | None:
        """The id of a cell of the body; None where no cell covers the place."""
        place = self._group(row) if column >= len(self._layout.across) else self._place(row, column)
        return self.table.cell_id(place) if place else None

    def squares(self, rows: Iterable[int], columns: Iterable[int]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
        """Rows and columns of the body as those of the table's own grid; None where it was turned on its side."""
        if self._grid.flipped:
            return None
        across = self._layout.across
        own = tuple(across[column] for column in columns if column < len(across))
        return tuple(self._layout.body[row] for row in rows), own

    def _place(self, row: int, column: int) -> Place | None:
        return self._grid.place(self._layout.body[row], self._layout.across[column])

    def _group(self, row: int) -> Place | None:
        return self._layout.groups[row]

    def _column(self, number: int, across: int) -> Column:
        grid, body = self._grid, self._layout.body
        path: dict[str, tuple[str, Place]] = {}
        for place in self._layout.path(grid, across):
            text = clean_text(grid.text(place))
            if text:
                path.setdefault(text.casefold(), (text, place))
        header = tuple(text for text, _ in path.values())
        cells = tuple(grid.table.cell_id(place) for _, place in path.values())
        return Column(number, header, cells, self._texts(lambda row: grid.place(body[row], across)), self.height)

    def _texts(self, place: Callable[[int], Place | None]) -> Callable[[Sequence[int] | None], tuple[str, ...]]:
        """A reader of the texts of a column, given a function that finds the cell of a row."""

        def read(rows: Sequence[int] | None) -> tuple[str, ...]:
            wanted = range(self.height) if rows is None else rows
            return tuple(clean_text(self._grid.text(found)) if (found := place(row)) else "" for row in wanted)

        return read

    def _total(self, kind: str, row: int) -> Total:
        places = [self._grid.place(row, across) for across in self._layout.across]
        if len(self.columns) > len(places):
            places.append(None)
        texts = tuple(clean_text(self._grid.text(place)) if place else "" for place in places)
        return Total(kind, texts, tuple(self.table.cell_id(place) if place else None for place in places))


def _names_rows(column: Column) -> bool:
    if column.type is ColumnType.ENTITY:
        return True
    if column.type is not ColumnType.TEXT or column.distinct <= 0.9:
        return False
    # A score is not a name, nor is a paragraph; "100 metres" may be one.
    worded = sum(any(map(str.isalpha, text)) and len(text) <= _MAX_NAME for text in column.sample)
    scores = sum(isinstance(value, Range) for value in column.values)
    return worded > 0.7 * len(column.sample) and scores * 2 < column.height


def _naming_score(column: Column) -> float:
    """How well a column tells rows apart; names with brackets or numbers in them say more than a name."""
    texts = column.sample
    more = sum(any(map(_DESCRIPTIVE.__contains__, text)) for text in texts)
    return column.distinct - 0.3 * more / len(texts)
