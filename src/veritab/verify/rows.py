"""Selects the rows of a whole table that a claim is about, and ranks texts by the words they share with it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from veritab.reason.tables import Column, TypedTable
from veritab.reason.tables.layout import Grid, is_vertical
from veritab.schema import CELLS, Cell, Context, Element, ElementId, Kind, Table
from veritab.text import content_terms, terms

_MOST_ROWS = 5000
_LONGEST_ROW = 2000


def select_rows(table: Table, claim: str, most_words: int = 200) -> tuple[Element, ...]:
    """The cells of the rows that share most with the claim, best row first, up to `most_words` words.

    Each cell comes with the headers that the layout of its table gives it, whether or not the source marked them.
    """
    lines = _Reader(table).lines()
    kept: list[Element] = []
    left = most_words
    for line in rank_by_overlap([line.text for line in lines], claim):
        cells = [cell for cell in lines[line].cells() if cell.text]
        costs = [_words(cell) for cell in cells]
        if sum(costs) > left:
            kept += _first(cells, costs, left) if not kept else ()
            break
        left -= sum(costs)
        kept += cells
    return tuple({cell.id: cell for cell in kept}.values())


def named_rows(table: Table, text: str, other: str) -> Iterator[tuple[Element, ...]]:
    """The cells of the rows whose names stand in a text, as names do, and not in the other text."""
    reader = _Reader(table)
    known, passed_over = _padded(text), _padded(other)
    for row, name in reader.names():
        padded = _padded(name)
        if padded.strip() and not name[0].islower() and padded in known and padded not in passed_over:
            yield tuple(cell for cell in reader.row(row) if cell.text)


def _padded(text: str) -> str:
    return f" {' '.join(terms(text))} "


def _first(cells: Sequence[Element], costs: Sequence[int], most: int) -> Iterator[Element]:
    """The first cells of a row that fit; one at least, which whoever prints it may cut."""
    left = most
    for number, (cell, cost) in enumerate(zip(cells, costs, strict=True)):
        left -= cost
        if left < 0 and number:
            return
        yield cell


def _words(cell: Element) -> int:
    headers = sum(len(each.text.split()) for each in cell.context if each.id.kind in CELLS)
    return len(cell.text.split()) + headers


class _Line(NamedTuple):
    """One row of the table as its source wrote it: what a claim may share with it, and what reads its cells."""

    text: str
    cells: Callable[[], list[Element]]


class _Reader:
    """The lines of a table, whichever way it is to be read."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._typed = TypedTable.of(table)
        self._vertical = is_vertical_table(table)
        caption = table.caption_element
        self._outer = (*table.context, Context(caption.id, caption.text)) if caption else table.context

    def lines(self) -> list[_Line]:
        columns, height = self._typed.columns, range(min(self._typed.height, _MOST_ROWS))
        if self._vertical:
            # The lines of an infobox are found by their names too.
            return [
                self._line([column.name, *column.texts[: len(height)]], partial(self._down, column, height))
                for column in columns
            ]
        body = [self._line((column.texts[row] for column in columns), partial(self._across, row)) for row in height]
        totals = [self._line(total.texts, partial(self._elements, total.cells)) for total in self._typed.totals]
        return body + totals

    def names(self) -> Iterator[tuple[int, str]]:
        """The rows that have a name, and their names."""
        key = self._typed.key
        texts = self._typed.columns[key].texts[:_MOST_ROWS] if key is not None and not self._vertical else ()
        return ((row, text) for row, text in enumerate(texts) if any(map(str.isalpha, text)))

    def row(self, number: int) -> list[Element]:
        return self._across(number)

    def _line(self, texts: Iterable[str], cells: Callable[[], list[Element]]) -> _Line:
        return _Line(" ".join(texts), cells)

    def _down(self, column: Column, height: Iterable[int]) -> list[Element]:
        return [self._element(column, id, ()) for row in height if (id := self._typed.cell(row, column.number))]

    def _across(self, row: int) -> list[Element]:
        return self._elements([self._typed.cell(row, column.number) for column in self._typed.columns])

    def _elements(self, ids: Sequence[ElementId | None]) -> list[Element]:
        """The cells of a row; a header that names the row is printed before them, and is none of them."""
        found = [(column, id) for column, id in zip(self._typed.columns, ids, strict=True) if id]
        plain = [(column, id) for column, id in found if id.kind is Kind.CELL]
        return [self._element(column, id, self._table.row_headers(id)) for column, id in plain or found]

    def _element(self, column: Column, id: ElementId, left: tuple[Context, ...]) -> Element:
        cell = self._cell(id)
        # A column's names may be more than the cells that hold them: two names in one cell count twice.
        above = (Context(header, self._cell(header).text) for header in column.header_cells[::-1] if header != id)
        headers = dict.fromkeys((*left, *above))
        return Element(id, cell.text, cell.links, (*self._outer, *headers), self._table.origin(id))

    def _cell(self, id: ElementId) -> Cell:
        return self._table.rows[id.path[1]][id.path[2]]


def is_vertical_table(table: Table) -> bool:
    """Whether names stand at the left of a table and values beside them, as in an infobox."""
    return is_vertical(Grid(table))


def rank_by_overlap(texts: Sequence[str], claim: str) -> list[int]:
    """The indices of texts by the words they share with the claim, best first; rare words count more."""
    wanted = frozenset(content_terms(claim))
    shared = [wanted.intersection(terms(text[:_LONGEST_ROW])) for text in texts]
    spread = Counter(term for each in shared for term in each)
    weights = {term: math.log(1 + len(texts) / count) for term, count in spread.items()}
    scores = [sum(weights[term] for term in sorted(each)) for each in shared]
    return sorted(range(len(texts)), key=lambda place: (-scores[place], place))
