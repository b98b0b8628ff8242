"""What a search found, for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table as Drawing
from rich.text import Text

from veritab.retrieve.search.highlight import Span
from veritab.retrieve.search.matches import Match
from veritab.schema import CELLS, Element, Kind

_MARK = "bold yellow"
_INDENT = 4
_LONGEST_TEXT = 500
_LONGEST_CELL = 120
_MOST_VALUES = 12


def render_match(number: int, match: Match, console: Console) -> None:
    """One hit: where it is, what it says with the words that were looked for marked, and its address."""
    element = match.element
    _line(console, f"{number}.", _heading(match))
    if element.kind is Kind.TITLE:
        if match.snippet:
            _line(console, "", marked(match.snippet.element.text, match.snippet.highlights))
    elif element.kind is Kind.TABLE:
        for row in match.rows:
            _line(console, "", _row(row))
    elif element.kind in CELLS:
        _line(console, "", _cell(match))
        for row in match.rows if not _beside(element) else ():
            _line(console, "", _row(row))
    else:
        _line(console, "", marked(element.text, match.highlights))
    _line(console, "", Text(str(element.id), "dim"))
    if console.is_terminal:
        console.print()


def _line(console: Console, name: str, text: Text) -> None:
    if not console.is_terminal:  # a program or a file reads this: one line, nothing wrapped, nothing padded
        console.print(Text(f"{name:<{_INDENT}}").append_text(text), soft_wrap=True)
        return
    grid = Drawing.grid(padding=(0, 1, 0, 0))
    grid.add_column(width=_INDENT - 1, no_wrap=True, style="dim")
    grid.add_column(ratio=1)
    grid.add_row(Text(name), text)
    console.print(grid)


def _heading(match: Match) -> Text:
    """The page and the sections, and of a table its caption."""
    element = match.element
    if element.kind is Kind.TITLE:
        return marked(element.text, match.highlights, "bold")
    parts = [
        Text(near.text, "bold" if near.id.kind is Kind.TITLE else "")
        for near in element.context
        if near.id.kind in _PLACES
    ]
    if element.kind is Kind.TABLE and element.text:
        parts.append(marked(element.text, match.highlights, "italic"))
    return Text(" › ").join(parts)


_PLACES = (Kind.TITLE, Kind.SECTION, Kind.TABLE_CAPTION)


def marked(text: str, spans: Iterable[Span], style: str = "", longest: int = _LONGEST_TEXT) -> Text:
    """A text with spans made visible; a long one is cut to a stretch around the first of them."""
    shown = Text(text, style)
    spans = list(spans)
    for start, end in spans:
        shown.stylize(_MARK, start, end)
    if len(text) > longest:
        begin = max(0, min(spans[0][0] - longest // 4 if spans else 0, len(text) - longest))
        begin = text.find(" ", begin) + 1 if begin else 0
        cut = shown[begin : begin + longest]
        shown = (
            Text("… " if begin else "").append_text(cut).append_text(Text(" …" if begin + longest < len(text) else ""))
        )
    return Text(" ").join(shown.split()) if "\n" in text else shown


def _row(row: Iterable[Match]) -> Text:
    """A row of a table, each value with the header over it, unless one header stands over all."""
    cells = [cell for cell in row if cell.element.text]
    labels = {_over(cell.element) for cell in cells}
    values = []
    for cell in cells:
        value = Text()
        if cell.element.kind is Kind.CELL and len(labels) > 1 and _over(cell.element):
            value.append(f"{_over(cell.element)}: ", "dim")
        values.append(value.append_text(marked(cell.element.text, cell.highlights, longest=_LONGEST_CELL)))
    more = [Text("…")] if len(values) > _MOST_VALUES else []
    return Text(" · ").join([*values[:_MOST_VALUES], *more])


def _over(element: Element) -> str:
    """The headers above a cell, outermost first."""
    row = element.id.path[1]
    over = [near.text for near in element.context if near.id.kind is Kind.HEADER_CELL and near.id.path[1] != row]
    return " / ".join(filter(None, reversed(over)))


def _beside(element: Element) -> list[str]:
    """The headers left of a cell, outermost first."""
    row = element.id.path[1]
    beside = [near.text for near in element.context if near.id.kind is Kind.HEADER_CELL and near.id.path[1] == row]
    return list(filter(None, reversed(beside)))


def _cell(match: Match) -> Text:
    """A cell with the headers of its row and of its column."""
    element = match.element
    label = " · ".join(filter(None, (*_beside(element), _over(element))))
    text = marked(element.text, match.highlights, "bold")
    return Text(f"{label}: ").append_text(text) if label else text
