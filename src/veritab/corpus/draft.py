"""A page in the making: readers add blocks in reading order, the draft numbers them and keeps them sound."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from veritab.corpus.inline import split_sentences
from veritab.schema import (
    Block,
    Cell,
    Item,
    Links,
    ListBlock,
    Page,
    Passage,
    Problem,
    Section,
    Sentence,
    TableBlock,
)
from veritab.text import title_form

# The HTML standard's own limit for a column span; rows are limited by the table itself.
_WIDEST_SPAN = 1000
TOO_WIDE = f"a span over more than {_WIDEST_SPAN:,} columns; taken as so many"
TOO_MANY_SQUARES = "a table of more squares than can be laid out; each cell kept as one square"
# Spans that cover more squares than this describe no table a person could read.
_MOST_SQUARES = 1_000_000


Mark: TypeAlias = tuple[int, "Counter[type]"]


class Draft:
    """Collects the blocks of one page and the problems met on the way."""

    def __init__(self, title: str, *, source: str = "", revision: str = "") -> None:
        self.title = title_form(title)
        self.source = source
        self.revision = revision
        self.problems: list[Problem] = []
        self._blocks: list[Block] = []
        self._count: Counter[type] = Counter()

    def __len__(self) -> int:
        return len(self._blocks)

    def page(self) -> Page:
        return Page(self.title, tuple(self._blocks), self.source, self.revision)

    def problem(self, where: str, what: str, *, lost: bool = False) -> None:
        self.problems.append(Problem(self.title, where, what, lost))

    def mark(self) -> Mark:
        """This point of the draft, to return to."""
        return len(self._blocks), self._count.copy()

    def roll_back(self, mark: Mark) -> None:
        """Forget every block added since a mark."""
        del self._blocks[mark[0] :]
        self._count = mark[1].copy()

    def section(self, text: str, level: int, links: Links = ()) -> None:
        self._blocks.append(Section(self._next(Section), text, level, links))

    def paragraph(self, text: str, links: Links = ()) -> None:
        """Split a paragraph into sentences and add them."""
        for offset, sentence, inside in split_sentences(text, links):
            self._blocks.append(Sentence(self._next(Sentence), sentence, inside, offset))

    def sentence(self, text: str, links: Links = (), *, number: int | None = None) -> None:
        """Add one sentence as it is; `number` keeps a source's own numbering, gaps included."""
        if number is not None:
            self._count[Sentence] = number
        self._blocks.append(Sentence(self._next(Sentence), text, links))

    def passage(self, text: str, links: Links = ()) -> None:
        self._blocks.append(Passage(self._next(Passage), text, links))

    def list(self, items: Iterable[Item]) -> None:
        kept = tuple(item for item in items if item.text)
        if kept:
            self._blocks.append(ListBlock(self._next(ListBlock), kept))

    def table(
        self, rows: Iterable[Sequence[Cell]], caption: str = "", caption_links: Links = (), *, infobox: bool = False
    ) -> None:
        """Add a table unless it holds no text at all (an empty one, or one made of images)."""
        kept = [tuple(row) for row in rows]
        if not any(cell.text for row in kept for cell in row):
            return
        number = self._next(TableBlock)
        bounded, mended = bound_spans(kept)
        if mended:
            self.problem(f"table_{number}", mended)
        self._blocks.append(TableBlock(number, bounded, caption, caption_links, infobox))

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
