"""A page of the corpus for the eye: headings, paragraphs, lists and tables, each element under its own name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from veritab.schema import ElementId, Item, Kind, Links, ListBlock, Page, Section, Sentence, TableBlock
from veritab.web.pages.marking import Pieces, anchor, pieces
from veritab.web.pages.tables import Drawn, whole


class Line(NamedTuple):
    """One element of running text."""

    pieces: Pieces
    anchor: str
    is_marked: bool


class Heading(NamedTuple):
    """A section's heading, and its level in HTML; the page's title is the first."""

    line: Line
    level: int
    kind: str = "heading"


class Paragraph(NamedTuple):
    """Sentences that belong together."""

    lines: Sequence[Line]
    kind: str = "paragraph"


class Entry(NamedTuple):
    """An item of a list with the list inside it."""

    line: Line
    inside: Listing | None


class Listing(NamedTuple):
    """A list, or a list in a list."""

    entries: Sequence[Entry]
    is_ordered: bool
    anchor: str = ""
    is_marked: bool = False
    kind: str = "list"


class Grid(NamedTuple):
    """A table."""

    table: Drawn
    anchor: str
    is_marked: bool
    kind: str = "table"


Shown: TypeAlias = Heading | Paragraph | Listing | Grid
_DEEPEST_LIST = 8


def shown(page: Page, marked: Collection[str] = ()) -> Iterator[Shown]:
    """What a page is made of, in reading order, with the elements of these names marked."""
    return _Reading(page, marked).blocks()


class _Reading:
    def __init__(self, page: Page, marked: Collection[str]) -> None:
        self._page = page
        self._marked = marked

    def blocks(self) -> Iterator[Shown]:
        paragraph: list[Line] = []
        tables = iter(self._page.tables)
        for block in self._page.blocks:
            starts_anew = type(block) is not Sentence or block.offset == 0
            if starts_anew and paragraph:
                yield Paragraph(paragraph)
                paragraph = []
            if type(block) is Sentence:
                paragraph.append(self._line(Kind.SENTENCE, block.number, block.text, block.links))
            elif type(block) is Section:
                line = self._line(Kind.SECTION, block.number, block.text, block.links)
                yield Heading(line, min(max(block.level, 2), 6))
            elif type(block) is ListBlock:
                yield self._list(block)
            elif type(block) is TableBlock:
                name = self._name(Kind.TABLE, block.number)
                yield Grid(whole(next(tables), self._marked), name, name in self._marked)
            else:
                yield Paragraph([self._line(Kind.PASSAGE, block.number, block.text, block.links)])
        if paragraph:
            yield Paragraph(paragraph)

    def _name(self, kind: Kind, *path: int) -> str:
        return anchor(ElementId(self._page.title, kind, path))

    def _line(self, kind: Kind, number: int, text: str, links: Links) -> Line:
        name = self._name(kind, number)
        return Line(pieces(text, links), name, name in self._marked)

    def _list(self, block: ListBlock) -> Listing:
        name = self._name(Kind.LIST, block.number)
        lines = [
            Line(pieces(item.text, item.links), own, own in self._marked)
            for position, item in enumerate(block.items)
            for own in [self._name(Kind.ITEM, block.number, position)]
        ]
        nested = _nested(list(zip(block.items, lines, strict=True)), 0)
        return nested._replace(anchor=name, is_marked=name in self._marked)


def _nested(items: Sequence[tuple[Item, Line]], depth: int) -> Listing:
    """Items whose levels keep the shape of the list, put inside each other again."""
    entries = []
    position = 0
    while position < len(items):
        item, line = items[position]
        end = position + 1
        while end < len(items) and items[end][0].level > item.level and depth < _DEEPEST_LIST:
            end += 1
        inside = _nested(items[position + 1 : end], depth + 1) if end > position + 1 else None
        entries.append(Entry(line, inside))
        position = end
    return Listing(entries, bool(items) and items[0][0].ordered)
