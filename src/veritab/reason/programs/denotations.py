"""Denotations of programs: rows, a value or a truth value, each with the cells it was computed from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from veritab.reason.programs.values import ProgramValue

RowNumbers: TypeAlias = tuple[int, ...]


class CellGroup(NamedTuple):
    """Cells of one column."""

    rows: RowNumbers
    column: int


CellGroups: TypeAlias = tuple[CellGroup, ...]


class RowDenotation(NamedTuple):
    """The rows of a program, and the cells that show it."""

    rows: RowNumbers
    cells: CellGroups = ()
    known: bool = True
    """Whether its conditions could be tested: a row with a missing cell neither meets nor fails them."""


class ValueDenotation(NamedTuple):
    """The value of a program (None: unknown), and the cells it was computed from."""

    value: ProgramValue | None
    cells: CellGroups = ()
    words: str = ""
    """The text of the cell, where it is more than its number: 51 is not all of "Area 51"."""

    @property
    def said(self) -> ProgramValue | None:
        return self.words or self.value


class TruthDenotation(NamedTuple):
    """Whether a program holds (None: unknown), and the cells that decide it."""

    holds: bool | None
    cells: CellGroups = ()


class RowTest(NamedTuple):
    """Whether each row meets a condition; None where the cell is missing."""

    column: int
    denotations: list[bool | None]


def explain_no_rows(before: RowDenotation, tests: Sequence[RowTest]) -> RowDenotation:
    """The empty denotation of conditions, with the cells of the rows that meet most of them.

    It is unknown when only a missing cell keeps a row from meeting them.
    """
    met = {row: sum(bool(test.denotations[row]) for test in tests) for row in before.rows}
    open_still = any(count and all(test.denotations[row] is not False for test in tests) for row, count in met.items())
    could_ask = all(any(test.denotations[row] is not None for row in before.rows) for test in tests)
    most = max(met.values(), default=0)
    nearest = [row for row, count in met.items() if count == most]
    cells = (CellGroup(tuple(r for r in nearest if test.denotations[r] is not None), test.column) for test in tests)
    known = before.known and (not before.rows or (could_ask and not open_still))
    return RowDenotation((), (*restrict_cells(before.cells, nearest), *(block for block in cells if block.rows)), known)


def restrict_cells(cells: CellGroups, rows: Sequence[int]) -> CellGroups:
    """Those of the cells that are in these rows."""
    kept = set(rows)
    return tuple(CellGroup(tuple(row for row in block.rows if row in kept), block.column) for block in cells)
