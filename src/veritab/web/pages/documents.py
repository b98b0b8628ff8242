"""A page of the corpus for the eye: headings, paragraphs, lists and tables, each element under its own name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from veritab.render.html import anchor_name, draw_runs, draw_table, split_runs
from veritab.render.markup import Markup
from veritab.render.tables import excerpt_table
from veritab.schema import ElementId, Item, Kind, Links, ListBlock, Page, Section, Sentence, TableBlock
from veritab.web.pages.addresses import PageAddresses

MOST_ROWS = 1000
MOST_COLUMNS = 60
_DEEPEST_LIST = 8


class ElementView(NamedTuple):
    """One element of running text."""

    text: str
    html: Markup
    anchor: str
    is_marked: bool


class HeadingView(NamedTuple):
    """A section's heading, and its level in HTML; the page's title is the first."""

    element: ElementView
    level: int
    kind: str = "heading"


class ParagraphView(NamedTuple):
    """Sentences that belong together."""

    elements: Sequence[ElementView]
    kind: str = "paragraph"


class ItemView(NamedTuple):
    """An item of a list with the list inside it."""

    element: ElementView
    nested: ListView | None


class ListView(NamedTuple):
    """A list, or a list in a list."""

    items: Sequence[ItemView]
    is_ordered: bool
    anchor: str = ""
    is_marked: bool = False
    kind: str = "list"


class TableView(NamedTuple):
    """A table."""

    html: Markup
    anchor: str
    is_marked: bool
    kind: str = "table"


BlockView: TypeAlias = HeadingView | ParagraphView | ListView | TableView


@dataclass(frozen=True)
class PageView:
    """A page in reading order, with some of its elements marked."""

    page: Page
    marked: Collection[ElementId] = ()
    addresses: PageAddresses = PageAddresses()  # noqa: RUF009  # it is frozen
    most_rows: int = MOST_ROWS
    most_columns: int = MOST_COLUMNS

    def blocks(self) -> Iterator[BlockView]:
        """What the page is made of."""
        paragraph: list[ElementView] = []
        tables = iter(self.page.tables)
        for block in self.page.blocks:
            starts_anew = type(block) is not Sentence or block.offset == 0
            if starts_anew and paragraph:
                yield ParagraphView(paragraph)
                paragraph = []
            if type(block) is Sentence:
                paragraph.append(self._element(Kind.SENTENCE, (block.number,), block.text, block.links))
            elif type(block) is Section:
                element = self._element(Kind.SECTION, (block.number,), block.text, block.links)
                yield HeadingView(element, min(max(block.level, 2), 6))
            elif type(block) is ListBlock:
                yield self._list(block)
            elif type(block) is TableBlock:
                table = next(tables)
                cells = [id for id in self.marked if id.table == table.id and len(id.path) == 3]
                excerpt = excerpt_table(table, cells, most_rows=self.most_rows, most_columns=self.most_columns)
                drawn = draw_table(excerpt, "Table", self.addresses, anchored=True)
                yield TableView(drawn, anchor_name(table.id), table.id in self.marked)
            else:
                yield ParagraphView([self._element(Kind.PASSAGE, (block.number,), block.text, block.links)])
        if paragraph:
            yield ParagraphView(paragraph)

    def _element(self, kind: Kind, path: tuple[int, ...], text: str, links: Links) -> ElementView:
        id = ElementId(self.page.title, kind, path)
        drawn = draw_runs(split_runs(text, links, (), self.addresses))
        return ElementView(text, drawn, anchor_name(id), id in self.marked)

    def _list(self, block: ListBlock) -> ListView:
        id = ElementId(self.page.title, Kind.LIST, (block.number,))
        items = [
            (item, self._element(Kind.ITEM, (block.number, position), item.text, item.links))
            for position, item in enumerate(block.items)
        ]
        return _nest(items, 0)._replace(anchor=anchor_name(id), is_marked=id in self.marked)


def _nest(items: Sequence[tuple[Item, ElementView]], depth: int) -> ListView:
    """Items whose levels keep the shape of the list, put inside each other again."""
    views = []
    position = 0
    while position < len(items):
        item, element = items[position]
        end = position + 1
        while end < len(items) and items[end][0].level > item.level and depth < _DEEPEST_LIST:
            end += 1
        nested = _nest(items[position + 1 : end], depth + 1) if end > position + 1 else None
        views.append(ItemView(element, nested))
        position = end
    return ListView(views, bool(items) and items[0][0].ordered)
