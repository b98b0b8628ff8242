"""Lines of marked wikitext become blocks of a draft: paragraphs, lists, and tables that hold data."""

from __future__ import annotations

import re

from veritab.corpus.draft import Draft
from veritab.corpus.inline import BREAK, END, MARK, clean_line, drop_leftovers
from veritab.corpus.wikitext.literals import SOFT
from veritab.corpus.wikitext.markup import plain
from veritab.corpus.wikitext.tables import TableSource, read_table, table_start
from veritab.schema import Item

_SIGNS = frozenset("*#:;")
_PREFIX = re.compile(r"[*#:;]+")
# "; term : definition" on one line; a colon inside a link, or of a web address, divides nothing.
_DEFINITION = re.compile(rf"((?:[^:{MARK}]|{MARK}[^{END}]*{END})*):(?!//)(.*)")


class BlockReader:
    """Reads lines into a draft."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._paragraph: list[str] = []
        self._list = _List()
        self._layout = 0

    def read(self, text: str) -> None:
        """Read the lines of one section."""
        pending = text.split("\n")
        pending.reverse()
        self._layout = 0
        while pending:
            line = pending.pop()
            if SOFT in line:
                pending.extend(reversed(_soft_lines(line)))
            else:
                self._line(line.rstrip(), pending)
        self._end()

    def _line(self, line: str, pending: list[str]) -> None:
        first = line[:1]
        if not line:
            self._end()
        elif "{|" in line and (attributes := table_start(line)) is not None:
            self._end()
            self._table(attributes, pending)
        elif self._layout and first in "|!":
            # A cell of a table used for layout: its prose is not trusted, the blocks below it are.
            self._end()
            if line.startswith("|}"):
                self._layout -= 1
                pending.append(line[2:])
        elif first in _SIGNS:
            self._end_paragraph()
            self._item(line)
        elif line.startswith("----"):
            self._end()
            pending.append(line.lstrip("-"))
        else:
            self._end_list()
            self._paragraph.append(line)

    def _end(self) -> None:
        self._end_paragraph()
        self._end_list()

    def _end_paragraph(self) -> None:
        if self._paragraph:
            text, links = drop_leftovers(*clean_line(plain("\n".join(self._paragraph))))
            self._paragraph.clear()
            if text:
                self._draft.paragraph(text, links)

    def _end_list(self) -> None:
        if self._list.items:
            self._draft.list(self._list.items)
        self._list = _List()

    def _item(self, line: str) -> None:
        match = _PREFIX.match(line)
        prefix = match[0] if match else ""
        if not self._list.goes_on_with(prefix):
            self._end_list()
        text = line[len(prefix) :]
        if prefix.endswith(";") and (definition := _DEFINITION.match(text)):
            self._list.add(prefix, definition[1])
            self._list.add(prefix[:-1] + ":", definition[2])
        else:
            self._list.add(prefix, text)

    # -- tables --

    def _table(self, attributes: str, pending: list[str]) -> None:
        if not TableSource(attributes).holds_data:
            self._layout += 1
            return
        table = read_table(attributes, pending)
        if not table.closed:
            self._draft.problem("table", "a table is never closed; it is read up to the end of its section")
        self._add(table)
        pending.append(table.rest)

    def _add(self, table: TableSource) -> None:
        self._paragraph.extend(table.loose)
        self._end_paragraph()
        self._draft.table(table.cells(), *table.shown_caption(), infobox=table.infobox)
        for inner in table.inner:
            self._add(inner)


def _soft_lines(line: str) -> list[str]:
    """The lines inside a line; those that only go on with a list's item stay in it."""
    pieces = line.split(SOFT)
    if not pieces[0]:
        del pieces[0]
    if pieces[0][:1] not in _SIGNS or "{|" in line:
        return pieces
    glued = pieces[:1]
    for piece in pieces[1:]:
        if piece[:1] in _SIGNS:
            glued.append(piece)
        else:
            glued[-1] += BREAK + piece
    return glued


class _List:
    """The items of one list and how deep each is: an item without text holds no level open."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self._open: list[tuple[str, int]] = []
        self._terms: set[int] = set()
        self._kind = ""

    def goes_on_with(self, prefix: str) -> bool:
        return not self._kind or self._kind == _path(prefix)[0]

    def add(self, prefix: str, marked: str) -> None:
        path = _path(prefix)
        self._kind = path[0]
        while self._open and not (len(path) > len(self._open[-1][0]) and path.startswith(self._open[-1][0])):
            self._open.pop()
        level = self._open[-1][1] + 1 if self._open else 0
        self._terms = {depth for depth in self._terms if depth <= len(path)}
        if prefix[-1] == ";":
            self._terms.add(len(path))
        elif prefix[-1] == ":" and len(path) in self._terms:
            level += 1
        text, links = clean_line(plain(marked))
        if text:
            self._open.append((path, level))
            self.items.append(Item(text, links, level, prefix[-1] == "#"))


def _path(prefix: str) -> str:
    """Terms and definitions share one list."""
    return prefix.replace(";", ":")
