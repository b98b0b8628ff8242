"""Pages and elements for people at a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table as Drawing
from rich.text import Text

from veritab.corpus.feverous import block_name
from veritab.schema import (
    Element,
    ElementId,
    Kind,
    ListBlock,
    Page,
    Place,
    Section,
    Sentence,
    Table,
    TableBlock,
)

_MOST_ROWS = 200
_INDENT = 15
_DEEPEST_INDENT = 12
_MARK = "▸"
_LONGEST_CELL = 200


def render_page(page: Page, console: Console) -> None:
    """The whole page, with the address of every block at its left."""
    console.print(Text(page.title, style="bold"))
    origin = " · ".join(filter(None, (page.source, page.revision and f"revision {page.revision}")))
    if origin:
        console.print(Text(origin, style="dim"), soft_wrap=True)
    tables = {table.id.path[0]: table for table in page.tables}
    for block in page.blocks:
        if type(block) is TableBlock:
            _render_table(tables[block.number], console)
        elif type(block) is ListBlock:
            console.print()
            for position, item in enumerate(block.items):
                bullet = "  " * min(item.level, _DEEPEST_INDENT) + ("# " if item.ordered else "• ")
                _line(console, f"item_{block.number}_{position}", bullet + item.text)
        elif type(block) is Section:
            console.print()
            _line(console, block_name(block), block.text, "bold")
        else:
            if type(block) is Sentence and block.offset == 0:
                console.print()
            _line(console, block_name(block), block.text)


def _line(console: Console, name: str, text: str, style: str = "") -> None:
    if not console.is_terminal:  # a program or a file reads this: one line, nothing wrapped, nothing padded
        console.print(Text(f"{name:<{_INDENT}}{text}".rstrip()), soft_wrap=True)
        return
    grid = Drawing.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=_INDENT - 2, no_wrap=True, style="dim")
    grid.add_column(ratio=1)
    grid.add_row(Text(name), Text(text, style=style))
    console.print(grid)


def _render_table(table: Table, console: Console) -> None:
    console.print()
    number = table.id.path[0]
    shown = table.caption or ("infobox" if table.infobox else "table")
    _line(console, f"table_{number}", shown, "italic")
    if _narrowest(table) <= console.width:
        console.print(Padding(_drawing(table), (0, 0, 0, _INDENT)))
    else:
        _render_records(table, console)
    if len(table.places) > _MOST_ROWS:
        _line(console, "", f"… {len(table.places) - _MOST_ROWS:,} more rows; --json has them all", "dim")


def _narrowest(table: Table, longest: int | None = None) -> int:
    """The width below which words in the drawing would have to be broken."""
    words = [0] * table.width
    for row, line in enumerate(table.places[:_MOST_ROWS]):
        for column in range(len(line)):
            words[column] = max([words[column], *map(len, _cut(table.text(row, column), longest).split())])
    return _INDENT + 6 + sum(width + 3 for width in words)


def _cut(text: str, longest: int | None) -> str:
    return text if longest is None or len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def _drawing(table: Table, marked: Collection[ElementId] = (), rows: Collection[int] | None = None) -> Drawing:
    longest = None if rows is None else _LONGEST_CELL
    drawing = Drawing(show_header=False, show_lines=False, pad_edge=False, border_style="dim")
    for _ in range(table.width + 1):
        drawing.add_column(overflow="fold")
    for row, line in enumerate(table.places[:_MOST_ROWS] if rows is None else table.places):
        if rows is not None and row not in rows:
            continue
        drawing.add_row(Text(str(row), style="dim"), *_cells(table, row, marked, longest))
        if _is_header_row(table, line):
            drawing.add_section()
    return drawing


def render_marked(table: Table, marked: Collection[ElementId], console: Console, most: int = 20) -> None:
    """A table with some of its cells marked; of a long one, its headers and the rows that hold them."""
    found = [row for row, line in enumerate(table.places) if any(p and table.cell_id(p) in marked for p in line)]
    heads = [row for row, line in enumerate(table.places[:most]) if _is_header_row(table, line)]
    rows = range(len(table.places)) if len(table.places) <= most else sorted({*heads, *found[:most]})
    if table.caption:
        console.print(Text(_cut(table.caption, _LONGEST_CELL), style="italic"), soft_wrap=True)
    hidden = 0
    if _narrowest(table, _LONGEST_CELL) <= console.width + _INDENT:
        console.print(_drawing(table, marked, rows))
        hidden = len(set(found).difference(rows))
    else:
        for id in marked:
            element = table.element(id)
            headers = [near.text for near in (*table.row_headers(id), *table.column_headers(id)[:1]) if near.text]
            words = [_cut(text, _LONGEST_CELL) for text in (*headers, element.text)]
            console.print(Text(f"{_MARK} {' · '.join(words)}"), soft_wrap=True)
    if len(rows) < len(table.places):
        also = f", {hidden:,} of them marked" if hidden else ""
        console.print(Text(f"… {len(table.places) - len(rows):,} more rows{also}", style="dim"))


def _is_header_row(table: Table, line: tuple[Place | None, ...]) -> bool:
    return bool(line) and all(place is None or table.rows[place[0]][place[1]].header for place in line)


def _render_records(table: Table, console: Console) -> None:
    """A table too wide for the terminal, row by row: each value with the headers above it."""
    header_rows = {row for row, line in enumerate(table.places) if _is_header_row(table, line)}
    for row, line in enumerate(table.places[:_MOST_ROWS]):
        if row in header_rows:
            continue
        values = []
        for place in dict.fromkeys(place for place in line if place):
            id = table.cell_id(place)
            above = [near.text for near in table.column_headers(id) if near.id.path[1] in header_rows]
            label = " / ".join(reversed(above))
            text = " ".join(table.rows[place[0]][place[1]].text.split())
            if text:
                values.append(f"{label}: {text}" if label else text)
        _line(console, f"  row {row}", " · ".join(values))


def _cells(table: Table, row: int, marked: Collection[ElementId], longest: int | None) -> Iterator[Text]:
    """The squares of a row; a spanned cell is written once, its other squares point back to it."""
    for column, place in enumerate(table.places[row]):
        if place is None:
            yield Text("")
            continue
        first = (row, column) == table.squares(table.cell_id(place))[0]
        cell = table.rows[place[0]][place[1]]
        text = _cut(cell.text, longest)
        if table.cell_id(place) in marked:
            yield Text(f"{_MARK} {text}", style="bold green")
            continue
        yield Text(text if first else ("″" if place[0] < row else "‹"), style=_style(cell.header, first))


def _style(header: bool, first: bool) -> str:
    return "dim" if not first else ("bold" if header else "")


def render_element(element: Element, console: Console) -> None:
    """One element: its text, then what stands around it."""
    console.print(Text(element.text or f"({_kind_in_words(element.id)})", style="bold"))
    console.print(Text(str(element.id), style="cyan"), soft_wrap=True)
    for near in element.context:
        _line(console, _kind_in_words(near.id), f"{near.text}")
    for link in element.links:
        _line(console, "link", f"{element.text[link.start : link.end]} → {link.target}")


def _kind_in_words(id: ElementId) -> str:
    return {Kind.HEADER_CELL: "header", Kind.TABLE_CAPTION: "caption"}.get(id.kind, id.kind.value)
