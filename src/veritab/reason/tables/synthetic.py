"""Synthetic tables, made of lists, measurements and other tables, so that one parser reads them all.

Each of their cells has the id of the element it was taken from, so that computations cite what a reader can open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from veritab.reason.tables import TypedTable
from veritab.reason.tables.layout import Grid, layout_upright
from veritab.schema import Cell, Context, ElementId, Place


class SourcedText(NamedTuple):
    """A text and the element it was taken from."""

    text: str
    id: ElementId


class ToldValue(NamedTuple):
    """A value for readers: what it is, of what, and as its source prints it."""

    attribute: str
    owner: str
    printed: str


@dataclass(frozen=True, eq=False)
class SyntheticTable:
    """A table of texts from anywhere; a row may be shorter than the header."""

    id: ElementId
    header: Sequence[SourcedText]
    body: Sequence[Sequence[SourcedText]]
    caption: str = ""
    context: tuple[Context, ...] = ()
    infobox: bool = False
    joined_at: int = 0
    """Where the columns of a joined table begin, the first of them its key; 0 without a join."""
    told: Sequence[ToldValue] = ()
    """The value of each row in the words of its source, where rows are values from different places."""

    @cached_property
    def rows(self) -> tuple[tuple[Cell, ...], ...]:
        heads = tuple(Cell(square.text, header=True) for square in self.header)
        return (heads, *(tuple(Cell(square.text) for square in row) for row in self.body))

    @cached_property
    def places(self) -> tuple[tuple[Place | None, ...], ...]:
        return tuple(tuple((row, column) for column in range(len(cells))) for row, cells in enumerate(self.rows))

    @property
    def width(self) -> int:
        return max(map(len, self.rows))

    def cell_id(self, place: Place) -> ElementId:
        row, position = place
        return (self.body[row - 1] if row else self.header)[position].id

    def typed(self) -> TypedTable:
        """The typed table; its headers are on top, whatever they hold."""
        grid = Grid(self)
        return TypedTable(self, grid, layout_upright(grid))
