"""Tables of data sets as pages: each gets an address under its title, and the pages can be ingested as a corpus."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from veritab.datasets.table_questions import SourceTable, as_table, table_blocks
from veritab.schema import Block, Element, ElementId, Page, Table


class PlacedTable(NamedTuple):
    """A table and where it stands on the page of its title."""

    source: SourceTable
    number: int
    first_section: int

    def as_table(self) -> Table:
        return as_table(self.source, self.number, self.first_section)


@lru_cache(64)
def _as_table(placed: PlacedTable) -> Table:
    return placed.as_table()


class TablePages:
    """The pages that tables are placed on: one for each title, with its tables in the order they were met."""

    def __init__(self) -> None:
        self._pages: dict[str, list[PlacedTable]] = {}
        self._placed: dict[SourceTable, PlacedTable] = {}

    def place(self, source: SourceTable) -> PlacedTable:
        """The table with its address; the same table has one address, whatever its data set calls it."""
        known = source._replace(name="")
        if known not in self._placed:
            page = self._pages.setdefault(source.title, [])
            sections = sum(len(each.source.sections) for each in page)
            self._placed[known] = PlacedTable(source, len(page), sections)
            page.append(self._placed[known])
        return self._placed[known]

    def element(self, id: ElementId) -> Element:
        """The cell with that address."""
        return _as_table(self._pages[id.page][id.path[0]]).element(id)

    def pages(self, titles: Collection[str]) -> Iterator[Page]:
        """The pages of some titles, in the order they were met."""
        for title, tables in self._pages.items():
            if title in titles:
                blocks: list[Block] = []
                for each in tables:
                    blocks += table_blocks(each.source, each.number, each.first_section)
                yield Page(title, tuple(blocks))
