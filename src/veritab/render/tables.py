"""What a reader is shown of a table: the rows and columns that hold evidence with their headers, and gaps between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from veritab.errors import NotFound
from veritab.schema import CELLS, Context, CountedRows, Element, ElementId, Hit, Kind, Links, Page, Place, Table

if TYPE_CHECKING:
    from veritab.corpus import Corpus

TableFinder: TypeAlias = Callable[[ElementId], Table | None]
"""Finds the table with an address; None where it is not at hand."""

# Around the evidence there is a little more, so that a reader sees it among its neighbours; a phone has little room.
_FEW_ROWS, _MOST_ROWS = 7, 14
_FEW_COLUMNS, _MOST_COLUMNS = 3, 12
_FEW_OTHERS = 3
_ONE_BETWEEN = 2
_MOST_COUNTED = 60
"""Of more rows that count only the first are drawn."""


def table_finder(corpus: Corpus, remembered: int = 64) -> TableFinder:
    """Finds tables in a corpus; the last pages read are cached."""
    page: Callable[[str], Page] = lru_cache(maxsize=remembered)(corpus.page)

    def find(id: ElementId) -> Table | None:
        try:
            return page(id.page).table(id.path[0])
        except NotFound:
            return None

    return find


class ExcerptCell(NamedTuple):
    """One cell of an excerpt; a gap stands for columns left out, and is not a cell of the table."""

    text: str
    id: ElementId | None = None
    is_evidence: bool = False
    is_header: bool = False
    is_gap: bool = False
    is_first: bool = False
    """Whether it begins at the left edge."""
    columns: int = 1
    rows: int = 1
    is_key: bool = False
    """What the verdict rests on, or was computed from."""
    is_read: bool = False
    """What was looked at for the computation, and did not count."""
    is_near: bool = False
    """A header that explains evidence."""
    links: Links = ()


class ExcerptRow(NamedTuple):
    """One row of an excerpt; where rows are left out, `left_out` counts them and there are no cells."""

    cells: tuple[ExcerptCell, ...]
    left_out: int = 0
    is_header: bool = False
    number: int = 0
    """Its row in the table."""
    others: str = ""
    """What the rows that are left out are: "without Italy as Winner"."""

    @property
    def gap(self) -> str:
        """That rows are left out, in words."""
        return " ".join(filter(None, (f"{self.left_out:,} row{'s' * (self.left_out != 1)}", self.others, "left out")))


class TableExcerpt(NamedTuple):
    """What is shown of a table, `width` cells wide with its gaps; `is_whole` says that nothing is left out."""

    id: ElementId
    caption: str
    rows: tuple[ExcerptRow, ...]
    width: int
    is_whole: bool
    caption_links: Links = ()
    is_infobox: bool = False

    @property
    def gaps(self) -> tuple[str, ...]:
        """What is left out in all, in words."""
        counts: dict[str, int] = {}
        for row in self.rows:
            if row.left_out:
                counts[row.others] = counts.get(row.others, 0) + row.left_out
        return tuple(ExcerptRow((), count, others=others).gap for others, count in counts.items())

    @property
    def header_rows(self) -> int:
        """How many rows of headers it begins with."""
        return next((n for n, row in enumerate(self.rows) if not row.is_header), len(self.rows))


def excerpt_hits(
    hits: Sequence[Hit],
    table: Table | None = None,
    key: Collection[ElementId] = (),
    counted: Iterable[CountedRows] = (),
    *,
    most_rows: int = 0,
    most_columns: int = 0,
    most_counted: int = _MOST_COUNTED,
) -> TableExcerpt:
    """What is shown of a table for the hits that lie in it: their rows and columns, a few around them, the headers.

    The rows that count are drawn beyond `most_rows`, however large the table is. Where the table itself is not at hand,
    the hits are shown with the headers that their contexts name.
    """
    elements = [hit.element for hit in hits]
    cells = [element.id for element in elements if element.kind in CELLS]
    rows, columns = _room_around(table, cells) if table and _has_cells(table, cells) else (_FEW_ROWS, _MOST_COLUMNS)
    rows, columns = most_rows or rows, most_columns or columns
    if table is None or not any(table.places) or not _has_cells(table, cells):
        return _excerpt_contexts(elements, key, rows)
    near = {each.id for element in elements for each in element.context if each.id.kind is Kind.HEADER_CELL}
    own = [each for each in counted if each.table == table.id]
    return excerpt_table(
        table,
        cells,
        key,
        near - set(cells),
        own,
        most_rows=rows,
        most_columns=columns,
        most_counted=most_counted,
    )


def excerpt_table(
    table: Table,
    marked: Collection[ElementId] = (),
    key: Collection[ElementId] = (),
    near: Collection[ElementId] = (),
    counted: Sequence[CountedRows] = (),
    *,
    most_rows: int,
    most_columns: int,
    most_counted: int = _MOST_COUNTED,
) -> TableExcerpt:
    """A table to a limit of rows and columns, those that were counted and those of the marked cells first."""
    marked, use = frozenset(marked), _Use.of(table, counted, key, most_counted)
    rows = _choose_rows(table, marked, use, most_rows)
    columns = _choose_columns(table, marked, use, most_columns)
    layout = _Layout(table, columns, marked, frozenset(key), frozenset(near), use)
    is_whole = len(rows) == len(table.places) and len(columns) == table.width
    caption = table.caption_element
    return TableExcerpt(
        table.id,
        table.caption,
        tuple(layout.lay_out(rows)) if columns else (),
        layout.width,
        is_whole,
        caption.links if caption else (),
        table.infobox,
    )


def _has_cells(table: Table, ids: Iterable[ElementId]) -> bool:
    """Whether the table still has these cells: a verdict may be shown after its corpus changed."""
    try:
        places = [(id, table.squares(id)[0]) for id in ids]
    except NotFound:
        return False
    return all(place and table.cell_id(place) == id for id, (r, c) in places for place in [table.places[r][c]])


# -- which rows and columns --------------------------------------------------------------------------------


def _room_around(table: Table, cells: Sequence[ElementId]) -> tuple[int, int]:
    """How many rows and columns are shown: a few around the evidence, but no column that only fills the room."""
    found = [table.squares(id)[0] for id in cells]
    heads = {header.id for id in cells for header in table.row_headers(id)}
    names = {0, *(table.squares(id)[0][1] for id in heads)}
    rows = min(max(2 * len({row for row, _ in found}), _FEW_ROWS), _MOST_ROWS)
    columns = max(len(names | {column for _, column in found}), 2 * len(names), _FEW_COLUMNS)
    if columns + 1 >= table.width:  # a gap is not narrower than the column it stands for
        columns = table.width
    return rows, min(columns, _MOST_COLUMNS)


class _Use(NamedTuple):
    """The rows and columns of a table that count, and what the other rows are."""

    rows: tuple[int, ...] = ()
    columns: tuple[int, ...] = ()
    squares: frozenset[tuple[int, int]] = frozenset()
    others: str = ""

    @classmethod
    def of(cls, table: Table, counted: Sequence[CountedRows], key: Collection[ElementId], most: int) -> _Use:
        """What was counted, as far as the table still has it, and where key evidence lies."""
        height, width = len(table.places), table.width
        squares = {
            (row, column)
            for each in counted
            for row in each.rows[:most]
            for column in each.columns
            if row < height and column < width
        }
        keyed = [
            table.squares(id)[0] for id in key if id.table == table.id and id.kind in CELLS and _has_cells(table, [id])
        ]
        rows = {row for row, _ in (*squares, *keyed)}
        columns = dict.fromkeys(column for each in counted for column in each.columns if column < width)
        # Words for the rows that are left out are true of them where none of those that count is left out.
        others = {each.others for each in counted}
        said = others.pop() if len(others) == 1 and all(len(each.rows) <= most for each in counted) else ""
        return cls(tuple(sorted(rows))[:most], tuple(columns), frozenset(squares), said)


def _choose_rows(table: Table, marked: Collection[ElementId], use: _Use, most: int) -> list[int]:
    height = len(table.places)
    if height <= most:
        return list(range(height))
    heads = [row for row in range(height) if _is_header_row(table, row)]
    leading = [row for number, row in enumerate(heads) if row == number]
    evidence = [*use.rows, *sorted({table.squares(id)[0][0] for id in marked} - set(use.rows))]
    most = max(most, len(leading) + len(use.rows) + _FEW_OTHERS) if use.rows else most
    # A heading in the middle of a table names the rows below it.
    above = [max(head for head in heads if head < row) for row in evidence if any(head < row for head in heads)]
    kept = dict.fromkeys([*leading[: most // 2], *evidence])
    room = max(most - len(kept), 0)
    kept |= dict.fromkeys(above[:room])
    rest = [row for row in _neighbours(evidence, height) if row not in kept] if evidence else list(range(height))
    kept |= dict.fromkeys(rest[: max(most - len(kept), 0)])
    drawn = sorted(list(kept)[: max(most, len(leading[: most // 2]) + 1)])
    # A row takes no more room than the words that it is left out.
    between = [a + 1 for a, b in pairwise(drawn) if b - a == _ONE_BETWEEN and use.rows]
    return sorted([*drawn, *between])


def _neighbours(rows: Iterable[int], height: int) -> list[int]:
    """The rows right before and after those, so that a reader sees among what they stand."""
    return [near for row in rows for near in (row - 1, row + 1) if 0 <= near < height]


def _is_header_row(table: Table, row: int) -> bool:
    line = table.places[row]
    return any(line) and all(place is None or table.rows[place[0]][place[1]].header for place in line)


def _choose_columns(table: Table, marked: Collection[ElementId], use: _Use, most: int) -> list[int]:
    width = table.width
    if width <= most:
        return list(range(width))
    found = dict.fromkeys((*use.columns, *(table.squares(id)[0][1] for id in sorted(marked))))
    named = {header.id for id in marked for header in table.row_headers(id)}
    names = dict.fromkeys([0, *sorted({table.squares(id)[0][1] for id in named})])
    kept = dict.fromkeys([*list(names)[: most // 2], *found])
    kept |= dict.fromkeys(range(width)) if len(kept) < most else {}
    return sorted(list(kept)[:most])


# -- the cells ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Layout:
    """The cells of the chosen rows and columns; a cell that spans several of them is written once."""

    table: Table
    columns: Sequence[int]
    marked: frozenset[ElementId]
    key: frozenset[ElementId]
    near: frozenset[ElementId]
    use: _Use

    @cached_property
    def _runs(self) -> list[range]:
        return list(_find_runs(self.columns))

    @property
    def _gap_at_end(self) -> bool:
        return bool(self.columns) and self.columns[-1] + 1 < self.table.width

    @property
    def width(self) -> int:
        gaps = sum(run.start > (self._runs[n - 1].stop if n else 0) for n, run in enumerate(self._runs))
        return len(self.columns) + gaps + self._gap_at_end

    def lay_out(self, rows: Sequence[int]) -> Iterator[ExcerptRow]:
        expected = 0
        for run in _find_runs(rows):
            if run.start > expected:
                yield ExcerptRow((), run.start - expected, others=self.use.others)
            for row in run:
                yield ExcerptRow(tuple(self._cells(row, run)), 0, _is_header_row(self.table, row), row)
            expected = run.stop
        if len(self.table.places) > expected:
            yield ExcerptRow((), len(self.table.places) - expected, others=self.use.others)

    def _cells(self, row: int, rows: range) -> Iterator[ExcerptCell]:
        expected = 0
        for run in self._runs:
            if run.start > expected:
                yield ExcerptCell("…", is_gap=True)
            column = run.start
            while column < run.stop:
                cell = self._cell(row, column, rows, run)
                if cell:
                    yield cell
                column += cell.columns if cell else 1
            expected = run.stop
        if self._gap_at_end:
            yield ExcerptCell("…", is_gap=True)

    def _cell(self, row: int, column: int, rows: range, columns: range) -> ExcerptCell | None:
        """The cell that begins here; None where one that began above or to the left goes on."""
        place = self._at(row, column)
        if place is None:
            return ExcerptCell("")
        began_above = row > rows.start and self._at(row - 1, column) == place
        began_left = column > columns.start and self._at(row, column - 1) == place
        if began_above or began_left:
            return None
        cell, id = self.table.rows[place[0]][place[1]], self.table.cell_id(place)
        across = _extent(place, (self._at(row, each) for each in range(column, columns.stop)))
        down = _extent(place, (self._at(each, column) for each in range(row, rows.stop)))
        counts = any((r, c) in self.use.squares for r in range(row, row + down) for c in range(column, column + across))
        is_key = counts or id in self.key
        return ExcerptCell(
            cell.text,
            id,
            is_key or id in self.marked,
            cell.header,
            is_first=column == 0,
            columns=across,
            rows=down,
            is_key=is_key,
            is_read=column in self.use.columns and not is_key and not _is_header_row(self.table, row),
            is_near=id in self.near,
            links=cell.links,
        )

    def _at(self, row: int, column: int) -> Place | None:
        line = self.table.places[row]
        return line[column] if column < len(line) else None


def _extent(place: Place, places: Iterable[Place | None]) -> int:
    size = 0
    for each in places:
        if each != place:
            break
        size += 1
    return size


def _find_runs(numbers: Sequence[int]) -> Iterator[range]:
    """Sorted numbers as runs without gaps."""
    start = 0
    for position in range(1, len(numbers) + 1):
        if position == len(numbers) or numbers[position] != numbers[position - 1] + 1:
            yield range(numbers[start], numbers[position - 1] + 1)
            start = position


# -- without the table -------------------------------------------------------------------------------------


def _excerpt_contexts(elements: Sequence[Element], key: Collection[ElementId], most_rows: int) -> TableExcerpt:
    """A small table of the cells alone: each under the headers above it and beside those left of it."""
    first = elements[0]
    id = ElementId(first.id.page, Kind.TABLE, first.id.path[:1])
    cells = sorted({e.id: e for e in elements if e.kind is Kind.CELL}.values(), key=lambda e: e.id.path)
    heads = {e.id: e for e in sorted(elements, key=lambda e: e.id) if e.kind is Kind.HEADER_CELL}
    above = _name_headers(cells, heads, _above)
    left = _name_headers(cells, heads, _left)
    names = {cell.id.path[1]: left[_name(_left(cell))] for cell in cells}
    # A header that names none of the cells names its row, as the lines of an infobox are named.
    known = {each.id for cell in cells for each in (*_above(cell), *_left(cell))}
    for head in heads.values():
        if head.id not in known:
            before = names.get(head.id.path[1], ExcerptCell("")).text
            name = " · ".join(filter(None, (before, head.text)))
            names[head.id.path[1]] = ExcerptCell(name, head.id, True, True)
    named = any(cell.text for cell in names.values())
    lines = [ExcerptRow((*[ExcerptCell("", is_header=True)] * named, *above.values()), is_header=True)] * any(above)
    for row in sorted(names)[:most_rows]:
        in_row = [cell for cell in cells if cell.id.path[1] == row]
        columns = [[cell for cell in in_row if _name(_above(cell)) == column] for column in above]
        values = [
            ExcerptCell(" · ".join(cell.text for cell in some), some[0].id, True) if some else ExcerptCell("")
            for some in columns
        ]
        lines.append(ExcerptRow((*[names[row]] * named, *values), number=row))
    if len(names) > most_rows:
        lines.append(ExcerptRow((), len(names) - most_rows))
    rows = (line._replace(cells=tuple(each._replace(is_key=each.id in key) for each in line.cells)) for line in lines)
    is_caption = first.kind in (Kind.TABLE, Kind.TABLE_CAPTION)
    captions = (near.text for near in first.context if near.id.kind is Kind.TABLE_CAPTION)
    return TableExcerpt(id, first.text if is_caption else next(captions, ""), tuple(rows), len(above) + named, False)


def _name_headers(
    cells: Iterable[Element], heads: Collection[ElementId], headers: Callable[[Element], list[Context]]
) -> dict[str, ExcerptCell]:
    """The names that headers give to cells, each marked where a header of it is evidence."""
    named: dict[str, ExcerptCell] = {}
    for cell in cells:
        found = headers(cell)
        marked = next((each.id for each in found if each.id in heads), None)
        named.setdefault(_name(found), ExcerptCell(_name(found), marked, marked is not None, True))
    return named


def _above(cell: Element) -> list[Context]:
    return [near for near in cell.context if near.id.kind in CELLS and near.id.path[1] < cell.id.path[1]]


def _left(cell: Element) -> list[Context]:
    return [near for near in cell.context if near.id.kind in CELLS and near.id.path[1] >= cell.id.path[1]]


def _name(headers: Sequence[Context]) -> str:
    return " ".join(dict.fromkeys(near.text for near in reversed(headers) if near.text))
