"""Cells that came without their tables become small tables again, so that they can be computed with.

Each cell knows its row, and by its context the headers beside and above it. Cells of one table under the same headers
make a column; what is not known is left empty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from veritab.schema import CELLS, Cell, Element, ElementId, Kind, Page, Section, Table, TableBlock


class RebuiltTables(NamedTuple):
    """The tables, and which of the given cells each of theirs stands for."""

    tables: tuple[Table, ...]
    origins: Mapping[ElementId, ElementId]


class _PlacedCell(NamedTuple):
    """A cell with the names of its row and of its column, as far as headers give them."""

    element: Element
    row_name: str
    column: str


def rebuild_tables(elements: Iterable[Element], known: Iterable[ElementId] = ()) -> RebuiltTables:
    """Tables of the cells among elements, but for those whose whole tables are known."""
    whole = set(known)
    by_table: dict[ElementId, list[Element]] = {}
    for element in elements:
        owner = element.id.table
        if element.kind in CELLS and owner and owner not in whole:
            by_table.setdefault(owner, []).append(element)
    tables: list[Table] = []
    origins: dict[ElementId, ElementId] = {}
    for id, cells in by_table.items():
        table, own = _rebuild(id, cells)
        tables.append(table)
        origins |= own
    return RebuiltTables(tuple(tables), origins)


def _rebuild(id: ElementId, cells: Sequence[Element]) -> tuple[Table, dict[ElementId, ElementId]]:
    placed = [_place(cell) for cell in cells if cell.kind is Kind.CELL] or [_place(cell) for cell in cells]
    if all(cell.row_name and (not cell.column or cell.column == id.page) for cell in placed):
        rows = [(Cell(cell.row_name, header=True), Cell(cell.element.text)) for cell in placed]
        table = _make_table(id, rows, cells[0], infobox=True)
        return table, {table.cell_id((row, 1)): cell.element.id for row, cell in enumerate(placed)}
    columns = list(dict.fromkeys(cell.column for cell in placed))
    numbers = sorted({cell.element.id.path[1] for cell in placed})
    names = {cell.element.id.path[1]: cell.row_name for cell in placed if cell.row_name}
    lead = [Cell("", header=True)] if names else []
    grid: list[tuple[Cell, ...]] = [(*lead, *(Cell(column, header=True) for column in columns))]
    origins: dict[tuple[int, int], ElementId] = {}
    for row, number in enumerate(numbers, 1):
        line = {cell.column: cell.element for cell in placed if cell.element.id.path[1] == number}
        first = [Cell(names.get(number, ""), header=True)] if names else []
        grid.append((*first, *(Cell(line[column].text if column in line else "") for column in columns)))
        for column, element in line.items():
            origins[row, len(lead) + columns.index(column)] = element.id
    table = _make_table(id, grid, cells[0], infobox=False)
    return table, {table.cell_id(place): origin for place, origin in origins.items()}


def _place(cell: Element) -> _PlacedCell:
    headers = [each for each in cell.context if each.id.kind in CELLS]
    row = cell.id.path[1]
    beside = [each.text for each in headers if each.id.path[1] == row and each.text]
    above = [each.text for each in headers if each.id.path[1] < row and each.text]
    # The outermost header comes last in a context, and first in a name.
    return _PlacedCell(cell, ", ".join(dict.fromkeys(beside[::-1])), " ".join(dict.fromkeys(above[::-1])))


def _make_table(id: ElementId, rows: Sequence[tuple[Cell, ...]], cell: Element, *, infobox: bool) -> Table:
    caption = next((each.text for each in cell.context if each.id.kind is Kind.TABLE_CAPTION), "")
    sections = [each.text for each in cell.context if each.id.kind is Kind.SECTION]
    headings = tuple(Section(number, text, number + 2) for number, text in enumerate(sections))
    block = TableBlock(id.path[0], tuple(rows), caption, infobox=infobox)
    return Page(id.page, (*headings, block)).tables[0]
