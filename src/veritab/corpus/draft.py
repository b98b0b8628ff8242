"""A page in the making: readers add blocks in reading order, the draft numbers them and keeps them sound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import TypeAlias

from veritab.corpus.inline import split_sentences
from veritab.schema import (
    Block,
    Cell,
    Item,
    Kind,
    Links,
    ListBlock,
    Page,
    Passage,
    Place,
    Problem,
    Regions,
    Section,
    Sentence,
    Spot,
    TableBlock,
)
from veritab.text import title_form

# The HTML standard's own limit for a column span; rows are limited by the table itself.
_WIDEST_SPAN = 1000
TOO_WIDE = f"a span over more than {_WIDEST_SPAN:,} columns; taken as so many"
TOO_MANY_SQUARES = "a table of more squares than can be laid out; each cell kept as one square"
# Spans that cover more squares than this describe no table a person could read.
_MOST_SQUARES = 1_000_000


# Beyond that a table is data, and showing where each of its cells stands costs more than it tells.
MOST_LOCATED = 100_000

Mark: TypeAlias = tuple[int, "Counter[type]", int]
Locate: TypeAlias = Callable[[int, int], Regions]
"""Tells where the characters from one position to another stand in the original."""


class Draft:
    """Collects the blocks of one page and the problems met on the way."""

    def __init__(self, title: str, *, source: str = "", revision: str = "") -> None:
        self.title = title_form(title)
        self.source = source
        self.revision = revision
        self.problems: list[Problem] = []
        self._blocks: list[Block] = []
        self._count: Counter[type] = Counter()
        self._located: dict[Spot, Regions] = {}
        self.own_title = ""
        """What the document calls itself in its properties, set by its reader as it stands there."""
        self.categories: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self._blocks)

    def page(self) -> Page:
        return Page(
            self.title,
            tuple(self._blocks),
            self.source,
            self.revision,
            self._located,
            categories=self.categories,
        )

    def problem(self, where: str, what: str, *, lost: bool = False) -> None:
        self.problems.append(Problem(self.title, where, what, lost))

    def mark(self) -> Mark:
        """This point of the draft, to return to."""
        return len(self._blocks), self._count.copy(), len(self._located)

    def roll_back(self, mark: Mark) -> None:
        """Forget every block added since a mark."""
        del self._blocks[mark[0] :]
        self._count = mark[1].copy()
        for spot in list(self._located)[mark[2] :]:
            del self._located[spot]

    def section(self, text: str, level: int, links: Links = (), *, regions: Regions = ()) -> None:
        number = self._next(Section)
        self._blocks.append(Section(number, text, level, links))
        self._locate(Kind.SECTION, (number,), regions)

    def paragraph(self, text: str, links: Links = (), *, locate: Locate | None = None) -> None:
        """Split a paragraph into sentences and add them."""
        for offset, sentence, inside in split_sentences(text, links):
            number = self._next(Sentence)
            self._blocks.append(Sentence(number, sentence, inside, offset))
            if locate:
                self._locate(Kind.SENTENCE, (number,), locate(offset, offset + len(sentence)))

    def sentence(self, text: str, links: Links = (), *, number: int | None = None) -> None:
        """Add one sentence as it is; `number` keeps a source's own numbering, gaps included."""
        if number is not None:
            self._count[Sentence] = number
        self._blocks.append(Sentence(self._next(Sentence), text, links))

    def passage(self, text: str, links: Links = ()) -> None:
        self._blocks.append(Passage(self._next(Passage), text, links))

    def list(self, items: Iterable[Item], *, regions: Sequence[Regions] = ()) -> None:
        """Add a list of those items that have text; `regions` has an entry for each item given."""
        kept = [(item, place) for item, place in zip_longest(items, regions, fillvalue=()) if item and item.text]
        if kept:
            number = self._next(ListBlock)
            self._blocks.append(ListBlock(number, tuple(item for item, _ in kept)))
            for position, (_, place) in enumerate(kept):
                self._locate(Kind.ITEM, (number, position), place)

    def table(
        self,
        rows: Iterable[Sequence[Cell]],
        caption: str = "",
        caption_links: Links = (),
        *,
        infobox: bool = False,
        regions: Mapping[Place, Regions] | None = None,
        caption_regions: Regions = (),
    ) -> None:
        """Add a table unless it holds no text at all (an empty one, or one made of images).

        `regions` are those of cells, by row and position in `rows`.
        """
        kept = [tuple(row) for row in rows]
        if not any(cell.text for row in kept for cell in row):
            return
        number = self._next(TableBlock)
        bounded, mended = bound_spans(kept)
        if mended:
            self.problem(f"table_{number}", mended)
        self._blocks.append(TableBlock(number, bounded, caption, caption_links, infobox))
        self._locate(Kind.TABLE_CAPTION, (number,), caption_regions)
        for place, where in (regions or {}).items():
            self._locate(Kind.CELL, (number, *place), where)

    def _locate(self, kind: Kind, path: tuple[int, ...], regions: Regions) -> None:
        if regions and len(self._located) < MOST_LOCATED:
            self._located[kind, path] = regions

    def _next(self, kind: type) -> int:
        number = self._count[kind]
        self._count[kind] = number + 1
        return number


def bound_spans(rows: Sequence[tuple[Cell, ...]]) -> tuple[tuple[tuple[Cell, ...], ...], str]:
    """The rows with every span inside the table, and what had to be done about them, if anything.

    A row span of 0 means "to the last row", as in HTML; one that reaches below the last row is common and harmless.
    """
    squares = 0
    height = len(rows)
    bounded: list[tuple[Cell, ...]] = []
    mended = ""
    for row, cells in enumerate(rows):
        squares += len(cells)
        if all(cell.row_span == 1 and cell.column_span == 1 for cell in cells):
            bounded.append(cells)
            continue
        room = height - row
        reach = 0
        fixed = []
        for cell in cells:
            down = room if cell.row_span < 1 else min(cell.row_span, room)
            across = min(max(cell.column_span, 1), _WIDEST_SPAN)
            mended = mended if across >= cell.column_span else TOO_WIDE
            reach += across
            # A line of the grid is as long as its last covered square, so a span downwards costs its distance too.
            squares += across if down == 1 else down * reach
            fixed.append(cell._replace(row_span=down, column_span=across))
        bounded.append(tuple(fixed))
    if squares <= _MOST_SQUARES:
        return tuple(bounded), mended
    return tuple(tuple(cell._replace(row_span=1, column_span=1) for cell in row) for row in rows), TOO_MANY_SQUARES
