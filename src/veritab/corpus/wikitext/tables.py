"""Tables in wikitext: lines that start with a pipe or an exclamation mark become rows of cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from veritab.corpus.inline import BREAK, HIDDEN_STYLE, MARK, clean_line, clean_lines
from veritab.corpus.wikipedia import is_data_table, is_infobox
from veritab.corpus.wikitext.literals import SOFT
from veritab.corpus.wikitext.markup import ICON, ICON_END, plain
from veritab.schema import Cell, Links

_START = re.compile(r"[:\s]*\{\|(.*)")
_CLASS = re.compile(r"""\bclass\s*=\s*(?:"([^"]*)|'([^']*)|([^\s"'|]+))""", re.IGNORECASE)
_ROW_SPAN = re.compile(r"""\browspan\s*=\s*["']?\s*(\d{1,9})""", re.IGNORECASE)
_COLUMN_SPAN = re.compile(r"""\bcolspan\s*=\s*["']?\s*(\d{1,9})""", re.IGNORECASE)
_LINE_END = re.compile(f"[\n{SOFT}]")
_ITEM = re.compile(r"[*#:;]+\s*")
_ICON = re.compile(f"{ICON}([^{ICON}{ICON_END}]*){ICON_END}")
# Tables in tables in tables: more than a few levels are damage, and are read as one table.
_DEEPEST = 20


@dataclass
class CellSource:
    """A cell as it is being read."""

    attributes: str = ""
    header: bool = False
    lines: list[str] = field(default_factory=list)

    def cell(self) -> Cell:
        text, links = self.text()
        if not self.attributes:
            return Cell(text, links, self.header)
        down, across = _ROW_SPAN.search(self.attributes), _COLUMN_SPAN.search(self.attributes)
        return Cell(text, links, self.header, int(down[1]) if down else 1, int(across[1]) or 1 if across else 1)

    def text(self) -> tuple[str, Links]:
        written = "\n".join(self.lines)
        if "\n" in written or SOFT in written:
            first, *others = _LINE_END.split(written)
            written = BREAK.join(
                (first, *(_ITEM.sub("", other, count=1) if other[:1] in "*#:;" else other for other in others))
            )
        if ICON not in written:
            return clean_lines(plain(written))
        shown = clean_lines(plain(_ICON.sub("", written)))
        return shown if shown[0] else clean_lines(plain(BREAK.join(_ICON.findall(written))))


@dataclass
class TableSource:
    """A table as it is being read; `inner` holds the tables with data in its cells."""

    attributes: str
    closed: bool = False
    rest: str = ""
    caption: CellSource | None = None
    rows: list[list[CellSource]] = field(default_factory=list)
    inner: list[TableSource] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)

    @property
    def classes(self) -> str:
        match = _CLASS.search(self.attributes)
        return (match[1] or match[2] or match[3] or "") if match else ""

    @property
    def holds_data(self) -> bool:
        return is_data_table(self.classes)

    @property
    def infobox(self) -> bool:
        return is_infobox(self.classes)

    def cells(self) -> list[list[Cell]]:
        return [[source.cell() for source in row] for row in self.rows if row]

    def shown_caption(self) -> tuple[str, Links]:
        return clean_line(BREAK.join(map(plain, self.caption.lines))) if self.caption else ("", ())

    def all_lines(self) -> Iterator[str]:
        for row in self.rows:
            for source in row:
                yield from source.lines


def table_start(line: str) -> str | None:
    """The attributes of the table that starts on a line, if one does."""
    match = _START.match(line)
    return match[1] if match else None


def read_table(attributes: str, pending: list[str], depth: int = 0) -> TableSource:
    """Take a table's lines off the end of `pending`, which holds the text in reverse."""
    table = TableSource(attributes)
    current = CellSource(lines=table.loose)
    hidden_row = False
    while pending:
        line = pending.pop()
        if SOFT in line and "{|" in line:
            pending.extend(reversed(line.split(SOFT)))
            continue
        stripped = line.strip()
        sign = stripped[:2]
        if sign == "|}":
            table.closed, table.rest = True, stripped[2:]
            break
        if "{|" in line and depth < _DEEPEST and (inner_attributes := table_start(line)) is not None:
            _add_inner(table, current, read_table(inner_attributes, pending, depth + 1))
        elif sign == "|+":
            current = _cell(stripped[2:], header=False)
            table.caption = table.caption or current
        elif sign == "|-":
            hidden_row = bool(HIDDEN_STYLE.search(stripped))
            table.rows.append([])
            current = CellSource(lines=table.loose)
        elif sign[:1] in ("|", "!"):
            row = [_cell(written, stripped[0] == "!") for written in _split(stripped)]
            current = row[-1]
            if not hidden_row:
                if not table.rows:
                    table.rows.append([])
                table.rows[-1].extend(row)
        else:
            current.lines.append(line)
    return table


def _split(line: str) -> list[str]:
    inside = line[1:]
    return (inside.replace("!!", "||") if line[0] == "!" and "!!" in inside else inside).split("||")


def _cell(written: str, header: bool) -> CellSource:
    attributes, pipe, content = written.partition("|")
    if not pipe or MARK in attributes:  # a pipe after a link is one of the text
        return CellSource("", header, [written])
    return CellSource(attributes, header, [content])


def _add_inner(table: TableSource, current: CellSource, inner: TableSource) -> None:
    """A table in a cell stands for itself when it holds data; one used for layout is part of the cell's text."""
    if inner.holds_data:
        table.inner.append(inner)
    else:
        current.lines.extend(inner.all_lines())
        table.inner.extend(inner.inner)
    if inner.rest.strip():
        current.lines.append(inner.rest)
