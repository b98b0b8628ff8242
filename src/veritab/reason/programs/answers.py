"""What running a program gives: rows, a value or a truth, each with the cells it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from veritab.reason.programs.values import Value

Rows: TypeAlias = tuple[int, ...]


class Block(NamedTuple):
    """Cells of one column."""

    rows: Rows
    column: int


Blocks: TypeAlias = tuple[Block, ...]


class Picked(NamedTuple):
    """The rows a program picked, and the cells that say so."""

    rows: Rows
    cells: Blocks = ()
    known: bool = True
    """Whether its conditions could be asked at all: of a row whose cell is missing it cannot be said that it fails."""


class Computed(NamedTuple):
    """The value a program computed (None: cannot be said), and the cells it was computed from."""

    value: Value | None
    cells: Blocks = ()
    words: str = ""
    """What the cell says, where it is about more than its number: 51 is not all of "Area 51"."""

    @property
    def said(self) -> Value | None:
        return self.words or self.value


class Truth(NamedTuple):
    """Whether a statement holds (None: cannot be said), and the cells that settle it."""

    holds: bool | None
    cells: Blocks = ()


class Answered(NamedTuple):
    """What a condition says of each row: that it is met, that it is not, or nothing where the cell is missing."""

    column: int
    answers: list[bool | None]


def none_left(before: Picked, tests: Sequence[Answered]) -> Picked:
    """No row meets every condition: the cells of those that meet the most of them say so.

    It is not known when only a missing cell stands between a row and its conditions.
    """
    met = {row: sum(bool(test.answers[row]) for test in tests) for row in before.rows}
    open_still = any(count and all(test.answers[row] is not False for test in tests) for row, count in met.items())
    could_ask = all(any(test.answers[row] is not None for row in before.rows) for test in tests)
    most = max(met.values(), default=0)
    nearest = [row for row, count in met.items() if count == most]
    cells = (Block(tuple(r for r in nearest if test.answers[r] is not None), test.column) for test in tests)
    known = before.known and (not before.rows or (could_ask and not open_still))
    return Picked((), (*only_in(before.cells, nearest), *(block for block in cells if block.rows)), known)


def only_in(cells: Blocks, rows: Sequence[int]) -> Blocks:
    """Those of the cells that stand in these rows."""
    kept = set(rows)
    return tuple(Block(tuple(row for row in block.rows if row in kept), block.column) for block in cells)
