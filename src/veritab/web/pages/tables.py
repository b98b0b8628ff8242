"""Tables for the eye: an excerpt or the whole, with links, names to jump to, and what is marked in it and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from veritab.errors import NotFound
from veritab.render.tables import Excerpt, Line, table_excerpt
from veritab.render.tables import Square as Plain
from veritab.schema import CELLS, ElementId, Hit, Kind, Table
from veritab.web.pages.marking import Pieces, anchor, pieces

MOST_ROWS = 1000
MOST_COLUMNS = 60
_LONGEST_CELL = 240
# Around what was found there is a little more, so that a reader sees among what it stands; a phone has little room.
_FEW_ROWS, _MOST_ROWS_AROUND = 7, 14
_FEW_COLUMNS, _MOST_COLUMNS_AROUND = 3, 12


class Square(NamedTuple):
    """One cell as drawn: `is_evidence` marks what settles the claim, `is_near` the headers that explain it."""

    pieces: Pieces
    anchor: str = ""
    title: str = ""
    scope: str = ""
    columns: int = 1
    rows: int = 1
    is_evidence: bool = False
    is_key: bool = False
    is_near: bool = False
    is_gap: bool = False

    @property
    def classes(self) -> str:
        named = {"evidence": self.is_evidence, "key": self.is_key, "near": self.is_near, "gap": self.is_gap}
        return " ".join(name for name, holds in named.items() if holds)


class Row(NamedTuple):
    """A row as drawn; where rows are left out there are none of its squares, only how many rows."""

    squares: Sequence[Square]
    left_out: int = 0


class Drawn(NamedTuple):
    """A table as drawn."""

    caption: Pieces
    caption_anchor: str
    head: Sequence[Row]
    body: Sequence[Row]
    width: int
    is_whole: bool
    infobox: bool = False


def whole(table: Table, marked: Collection[str] = ()) -> Drawn:
    """All of a table, to a limit, with the cells of these names marked."""
    excerpt = table_excerpt([], table, most_rows=MOST_ROWS, most_columns=MOST_COLUMNS)
    return _Drawing(excerpt, table, marked).drawn()


def around(hits: Sequence[Hit], table: Table | None, key: Collection[ElementId] = ()) -> Drawn:
    """What of a table explains the cells that were found in it: their rows and columns, and the headers of these."""
    cells = [hit.element.id for hit in hits if hit.element.kind in CELLS]
    rows, columns = _room(table, cells)
    excerpt = table_excerpt(hits, table, most_rows=rows, most_columns=columns)
    drawing = _Drawing(excerpt, table, [anchor(id) for id in cells], _LONGEST_CELL)
    headers = (near.id for hit in hits for near in hit.element.context if near.id.kind is Kind.HEADER_CELL)
    drawing.near = set(headers) - set(cells)
    drawing.key = key
    return drawing.drawn()


def _room(table: Table | None, cells: Sequence[ElementId]) -> tuple[int, int]:
    """How many rows and columns are drawn: a few around what was found, but no column that only fills the room."""
    try:
        found = [table.squares(id)[0] for id in cells] if table else []
        heads = {header.id for id in cells for header in table.row_headers(id)} if table else set()
        names = {0, *(table.squares(id)[0][1] for id in heads)} if table else {0}
    except NotFound:  # the corpus has changed since the verdict
        return _FEW_ROWS, _MOST_COLUMNS_AROUND
    rows = min(max(2 * len({row for row, _ in found}), _FEW_ROWS), _MOST_ROWS_AROUND)
    columns = max(len(names | {column for _, column in found}), 2 * len(names), _FEW_COLUMNS)
    if table and columns + 1 >= table.width:  # a gap is no narrower than the column it stands for
        columns = table.width
    return rows, min(columns, _MOST_COLUMNS_AROUND)


class _Drawing:
    """An excerpt on its way to the template."""

    def __init__(
        self, excerpt: Excerpt, table: Table | None, marked: Collection[str], longest: int | None = None
    ) -> None:
        self._excerpt = excerpt
        self._table = table
        self._marked = frozenset(marked)
        self._longest = longest
        self._named: set[str] = set()
        self.near: Collection[ElementId] = ()
        self.key: Collection[ElementId] = ()

    def drawn(self) -> Drawn:
        table, excerpt = self._table, self._excerpt
        caption = table.caption_element if table else None
        heads = next((n for n, line in enumerate(excerpt.lines) if not line.header), len(excerpt.lines))
        rows = [self._row(line) for line in excerpt.lines]
        return Drawn(
            pieces(caption.text, caption.links) if caption else pieces(excerpt.caption),
            anchor(caption.id) if caption else "",
            rows[:heads],
            rows[heads:],
            excerpt.width,
            excerpt.whole,
            bool(table and table.infobox),
        )

    def _row(self, line: Line) -> Row:
        return Row([self._square(square, line) for square in line.squares], line.left_out)

    def _square(self, square: Plain, line: Line) -> Square:
        id = square.id
        scope = ("col" if line.header else "row") if square.header else ""
        if id is None:
            return Square(pieces(square.text), scope=scope, is_gap=square.gap)
        text, links = square.text, self._table.rows[id.path[1]][id.path[2]].links if self._table else ()
        if self._longest and len(text) > self._longest:
            text, links = f"{text[: self._longest - 1].rstrip()}…", ()
        name = anchor(id)
        is_evidence = name in self._marked
        first = name not in self._named  # a cell that spans a gap is drawn twice, but named once
        self._named.add(name)
        return Square(
            pieces(text, links),
            name if first else "",
            str(id) if is_evidence else "",
            scope,
            square.columns,
            square.rows,
            is_evidence,
            id in self.key,
            id in self.near,
        )
