"""Tables as a reader is shown them: the rows and columns that hold evidence with their headers, and gaps between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from veritab.errors import NotFound
from veritab.schema import CELLS, Context, Element, ElementId, Hit, Kind, Page, Place, Table

if TYPE_CHECKING:
    from veritab.corpus import Corpus

Tables: TypeAlias = Callable[[ElementId], Table | None]
"""Finds the table with an address; None where it is not at hand."""

MOST_ROWS = 12
MOST_COLUMNS = 8


def tables_of(corpus: Corpus, remembered: int = 64) -> Tables:
    """Finds tables in a corpus; the last pages asked for are remembered."""
    page: Callable[[str], Page] = lru_cache(maxsize=remembered)(corpus.page)

    def find(id: ElementId) -> Table | None:
        try:
            return page(id.page).table(id.path[0])
        except NotFound:
            return None

    return find


class Square(NamedTuple):
    """One cell of the drawing; `gap` stands for columns left out, and has no cell."""

    text: str
    id: ElementId | None = None
    evidence: bool = False
    header: bool = False
    gap: bool = False
    columns: int = 1
    rows: int = 1


class Line(NamedTuple):
    """One row of the drawing; where rows are left out, `left_out` counts them and there are no squares."""

    squares: tuple[Square, ...]
    left_out: int = 0
    header: bool = False


class Excerpt(NamedTuple):
    """A table to be drawn, `width` squares wide with its gaps; `whole` says that nothing is left out."""

    id: ElementId
    caption: str
    lines: tuple[Line, ...]
    width: int
    whole: bool


def table_excerpt(
    hits: Sequence[Hit], table: Table | None = None, *, most_rows: int = MOST_ROWS, most_columns: int = MOST_COLUMNS
) -> Excerpt:
    """What is drawn of a table for the hits that lie in it.

    Where the table itself is not at hand, the hits are drawn with the headers that their contexts name.
    """
    ids = [hit.element.id for hit in hits]
    if table is None or not any(table.places) or not _fits(table, ids):
        return _from_contexts([hit.element for hit in hits], most_rows)
    marked = frozenset(id for id in ids if id.kind in CELLS)
    rows = _kept_rows(table, marked, most_rows)
    columns = _kept_columns(table, marked, rows, most_columns)
    drawn = _Drawing(table, marked, columns)
    lines = drawn.lines(rows)
    whole = len(rows) == len(table.places) and len(columns) == table.width
    return Excerpt(table.id, table.caption, tuple(lines), drawn.width, whole)


def _fits(table: Table, ids: Iterable[ElementId]) -> bool:
    """Whether the table still has these cells: a report may be drawn after its corpus changed."""
    try:
        first = [(id, table.squares(id)[0]) for id in ids if id.kind in CELLS]
    except NotFound:
        return False
    places = ((id, table.places[row][column]) for id, (row, column) in first)
    return all(place is not None and table.cell_id(place) == id for id, place in places)


# -- which rows and columns --------------------------------------------------------------------------------


def _kept_rows(table: Table, marked: Collection[ElementId], most: int) -> list[int]:
    height = len(table.places)
    if height <= most:
        return list(range(height))
    heads = [row for row in range(height) if _is_header_row(table, row)]
    found = sorted({table.squares(id)[0][0] for id in marked})
    leading = [row for number, row in enumerate(heads) if row == number]
    # A heading in the midst of a table names the rows below it.
    above = [max(head for head in heads if head < row) for row in found if any(head < row for head in heads)]
    kept = dict.fromkeys([*leading[: most // 2], *found])
    room = max(most - len(kept), 0)
    kept |= dict.fromkeys(above[:room])
    rest = [row for row in _nearby(found, height) if row not in kept] if found else list(range(height))
    kept |= dict.fromkeys(rest[: max(most - len(kept), 0)])
    return sorted(list(kept)[: max(most, len(leading[: most // 2]) + 1)])


def _nearby(rows: Iterable[int], height: int) -> list[int]:
    """The rows right before and after those, so that a reader sees among what they stand."""
    return [near for row in rows for near in (row - 1, row + 1) if 0 <= near < height]


def _is_header_row(table: Table, row: int) -> bool:
    line = table.places[row]
    return any(line) and all(place is None or table.rows[place[0]][place[1]].header for place in line)


def _kept_columns(table: Table, marked: Collection[ElementId], rows: Sequence[int], most: int) -> list[int]:
    width = table.width
    if width <= most:
        return list(range(width))
    found = dict.fromkeys(column for id in sorted(marked) for column in [table.squares(id)[0][1]])
    named = {header.id for id in marked for header in table.row_headers(id)}
    names = dict.fromkeys([0, *sorted({table.squares(id)[0][1] for id in named})])
    kept = dict.fromkeys([*list(names)[: most // 2], *found])
    kept |= dict.fromkeys(range(width)) if len(kept) < most else {}
    return sorted(list(kept)[:most])


# -- the squares -------------------------------------------------------------------------------------------


class _Drawing:
    """The squares of the kept rows and columns; a cell that spans several of them is drawn once."""

    def __init__(self, table: Table, marked: Collection[ElementId], columns: Sequence[int]) -> None:
        self._table = table
        self._marked = marked
        self._runs = list(_runs(columns))
        self._gap_at_end = columns[-1] + 1 < table.width
        gaps = sum(run.start > (self._runs[n - 1].stop if n else 0) for n, run in enumerate(self._runs))
        self.width = len(columns) + gaps + self._gap_at_end

    def lines(self, rows: Sequence[int]) -> list[Line]:
        lines: list[Line] = []
        expected = 0
        for run in _runs(rows):
            if run.start > expected:
                lines.append(Line((), run.start - expected))
            lines += [Line(tuple(self._squares(row, run)), header=_is_header_row(self._table, row)) for row in run]
            expected = run.stop
        if len(self._table.places) > expected:
            lines.append(Line((), len(self._table.places) - expected))
        return lines

    def _squares(self, row: int, rows: range) -> list[Square]:
        squares: list[Square] = []
        expected = 0
        for run in self._runs:
            if run.start > expected:
                squares.append(Square("…", gap=True))
            column = run.start
            while column < run.stop:
                square = self._square(row, column, rows, run)
                if square:
                    squares.append(square)
                column += square.columns if square else 1
            expected = run.stop
        return [*squares, Square("…", gap=True)] if self._gap_at_end else squares

    def _square(self, row: int, column: int, rows: range, columns: range) -> Square | None:
        """The square that begins here; None where one that began above or to the left goes on."""
        place = self._at(row, column)
        if place is None:
            return Square("")
        began_above = row > rows.start and self._at(row - 1, column) == place
        began_left = column > columns.start and self._at(row, column - 1) == place
        if began_above or began_left:
            return None
        cell, id = self._table.rows[place[0]][place[1]], self._table.cell_id(place)
        wide = _extent(place, [self._at(row, each) for each in range(column, columns.stop)])
        high = _extent(place, [self._at(each, column) for each in range(row, rows.stop)])
        return Square(cell.text, id, id in self._marked, cell.header, columns=wide, rows=high)

    def _at(self, row: int, column: int) -> Place | None:
        line = self._table.places[row]
        return line[column] if column < len(line) else None


def _extent(place: Place, squares: Iterable[Place | None]) -> int:
    size = 0
    for each in squares:
        if each != place:
            break
        size += 1
    return size


def _runs(numbers: Sequence[int]) -> Iterable[range]:
    """Sorted numbers as runs without gaps."""
    start = 0
    for position in range(1, len(numbers) + 1):
        if position == len(numbers) or numbers[position] != numbers[position - 1] + 1:
            yield range(numbers[start], numbers[position - 1] + 1)
            start = position


# -- without the table -------------------------------------------------------------------------------------


def _from_contexts(elements: Sequence[Element], most_rows: int) -> Excerpt:
    """A small table of the cells alone: each under the headers above it and beside those left of it."""
    first = elements[0]
    id = ElementId(first.id.page, Kind.TABLE, first.id.path[:1])
    cells = sorted({e.id: e for e in elements if e.kind is Kind.CELL}.values(), key=lambda e: e.id.path)
    heads = {e.id: e for e in sorted(elements, key=lambda e: e.id) if e.kind is Kind.HEADER_CELL}
    above = _named(cells, heads, _above)
    left = _named(cells, heads, _left)
    names = {cell.id.path[1]: left[_name(_left(cell))] for cell in cells}
    # A header that names none of the cells names its row, as the lines of an infobox are named.
    known = {each.id for cell in cells for each in (*_above(cell), *_left(cell))}
    for head in heads.values():
        if head.id not in known:
            before = names.get(head.id.path[1], Square("")).text
            name = " · ".join(filter(None, (before, head.text)))
            names[head.id.path[1]] = Square(name, head.id, True, True)
    named = any(square.text for square in names.values())
    lines = [Line((*[Square("", header=True)] * named, *above.values()), header=True)] if any(above) else []
    rows = sorted(names)
    for row in rows[:most_rows]:
        in_row = [cell for cell in cells if cell.id.path[1] == row]
        told = [_merged([cell for cell in in_row if _name(_above(cell)) == column]) for column in above]
        lines.append(Line((*[names[row]] * named, *told)))
    if len(rows) > most_rows:
        lines.append(Line((), len(rows) - most_rows))
    return Excerpt(id, _caption(first), tuple(lines), len(above) + named, False)


def _named(
    cells: Iterable[Element], heads: Collection[ElementId], headers: Callable[[Element], list[Context]]
) -> dict[str, Square]:
    """The names that headers give to cells, each as a square that is marked where a header of it is evidence."""
    squares: dict[str, Square] = {}
    for cell in cells:
        found = headers(cell)
        marked = next((each.id for each in found if each.id in heads), None)
        squares.setdefault(_name(found), Square(_name(found), marked, marked is not None, True))
    return squares


def _merged(cells: Sequence[Element]) -> Square:
    if not cells:
        return Square("")
    return Square(" · ".join(cell.text for cell in cells), cells[0].id, True)


def _above(cell: Element) -> list[Context]:
    return [near for near in cell.context if near.id.kind in CELLS and near.id.path[1] < cell.id.path[1]]


def _left(cell: Element) -> list[Context]:
    return [near for near in cell.context if near.id.kind in CELLS and near.id.path[1] >= cell.id.path[1]]


def _name(headers: Sequence[Context]) -> str:
    return " ".join(dict.fromkeys(near.text for near in reversed(headers) if near.text))


def _caption(element: Element) -> str:
    if element.kind in (Kind.TABLE, Kind.TABLE_CAPTION):
        return element.text
    return next((near.text for near in element.context if near.id.kind is Kind.TABLE_CAPTION), "")
