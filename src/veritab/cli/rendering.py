"""Pages and elements for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterator

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
    Section,
    Sentence,
    Table,
    TableBlock,
)

_MOST_COLUMNS = 30
_MOST_ROWS = 200


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
                bullet = "  " * item.level + ("# " if item.ordered else "• ")
                _line(console, f"item_{block.number}_{position}", bullet + item.text)
        elif type(block) is Section:
            console.print()
            _line(console, block_name(block), block.text, "bold")
        else:
            if type(block) is Sentence and block.offset == 0:
                console.print()
            _line(console, block_name(block), block.text)


def _line(console: Console, name: str, text: str, style: str = "") -> None:
    grid = Drawing.grid(padding=(0, 2, 0, 0))
    grid.add_column(width=13, no_wrap=True, style="dim")
    grid.add_column(ratio=1)
    grid.add_row(Text(name), Text(text, style=style))
    console.print(grid)


def _render_table(table: Table, console: Console) -> None:
    console.print()
    number = table.id.path[0]
    shown = table.caption or ("infobox" if table.infobox else "table")
    _line(console, f"table_{number}", shown, "italic")
    drawing = Drawing(show_header=False, show_lines=False, pad_edge=False, border_style="dim")
    columns = min(table.width, _MOST_COLUMNS)
    for _ in range(columns + 1):
        drawing.add_column(overflow="fold")
    for row, line in enumerate(table.places[:_MOST_ROWS]):
        cells = list(_cells(table, row, columns))
        drawing.add_row(Text(str(row), style="dim"), *cells)
        if line and all(place is None or table.rows[place[0]][place[1]].header for place in line):
            drawing.add_section()
    console.print(Padding(drawing, (0, 0, 0, 15)))
    hidden = [f"{len(table.places) - _MOST_ROWS} more rows"] if len(table.places) > _MOST_ROWS else []
    hidden += [f"{table.width - columns} more columns"] if table.width > columns else []
    if hidden:
        console.print(Padding(Text(f"… {' and '.join(hidden)}; --json has everything", style="dim"), (0, 0, 0, 15)))


def _cells(table: Table, row: int, columns: int) -> Iterator[Text]:
    """The squares of a row; a spanned cell is written once, its other squares show where it came from."""
    line = table.places[row]
    for column in range(columns):
        place = line[column] if column < len(line) else None
        if place is None:
            yield Text("")
            continue
        cell = table.rows[place[0]][place[1]]
        first = (row, column) == table.squares(table.cell_id(place))[0]
        above = not first and place[0] < row
        yield Text(cell.text if first else ("″" if above else "‹"), style=_style(cell.header, first))


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
