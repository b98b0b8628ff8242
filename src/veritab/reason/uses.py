"""Which rows and cells an answer was computed from: those that count, not all that were looked through."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from veritab.reason.parsing.derived import source_cells
from veritab.reason.programs.denotations import CellGroup, RowNumbers
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.phrases import split_filters
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    And,
    Best,
    Between,
    Count,
    Different,
    Distinct,
    Either,
    Every,
    Except,
    Is,
    Literal,
    Most,
    MostCommon,
    No,
    Not,
    Nth,
    Of,
    Only,
    Percentage,
    Ratio,
    Rising,
    RowProgram,
    Same,
    Some,
    Subtraction,
    Top,
    TruthProgram,
    ValueProgram,
    Where,
)
from veritab.reason.source_words import SourceWords
from veritab.reason.tables import TypedTable
from veritab.schema import CountedRows, ElementId, Kind, Table

_MAX_CELLS = 60


class _Use(NamedTuple):
    """Rows that count with the columns in which they do, and what the others are."""

    rows: RowNumbers
    columns: tuple[int, ...]
    condition: str = ""
    others: str = ""


class Uses(NamedTuple):
    """The cells an answer was computed from, and the rows that count in each table."""

    cells: tuple[ElementId, ...] = ()
    rows: tuple[CountedRows, ...] = ()


def find_uses(program: TruthProgram, executor: Executor) -> Uses:
    """What the answer of a program rests on: the cells of the rows that count, with the cells that name these rows."""
    uses = list(_Finder(executor).statement(program))
    table = executor.table
    cells = dict.fromkeys(cell for use in uses for cell in _cells(table, use))
    counted = tuple(record for use in uses if (record := _record(table, use)))
    return Uses(tuple(cells)[:_MAX_CELLS], counted)


def _columns(table: TypedTable, use: _Use) -> list[int]:
    """The columns of a use, the one that names the rows first; of a derived column those that it was derived from."""
    groups = source_cells(table, tuple(CellGroup(use.rows, column) for column in use.columns))
    return list(dict.fromkeys([*SourceWords(table).naming()[:1], *(group.column for group in groups)]))


def _cells(table: TypedTable, use: _Use) -> Iterator[ElementId]:
    columns = _columns(table, use)
    for row in use.rows[:_MAX_CELLS]:
        yield from (cell for column in columns if (cell := table.cell(row, column)))


def _record(table: TypedTable, use: _Use) -> CountedRows | None:
    """A use as rows and columns of the table that a reader sees; None where it was made of several, or was turned."""
    squares = table.squares(use.rows, _columns(table, use))
    if squares is None or table.height < 2 or table.id.kind is not Kind.TABLE or not isinstance(table.table, Table):
        return None
    return CountedRows(table.id, squares[0], table.height, squares[1], use.condition, use.others)


class _Finder:
    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.table = executor.table
        self.words = SourceWords(executor.table)

    # -- statements

    def statement(self, program: TruthProgram) -> Iterator[_Use]:
        match program:
            case Is():
                yield from self._value(program.one)
                yield from self._value(program.other)
            case Some():
                yield from self._some(program.rows)
            case Every() | No() | Most() | Only():
                yield from self._quantified(program)
            case Same() | Different():
                yield self._use(self._filled(program.rows, program.column), program.rows, (program.column,))
            case Rising():
                yield self._use(self._turning(program), program.rows, (program.column,))
            case Not():
                yield from self.statement(program.statement)
            case And():
                yield from self.statement(program.one)
                yield from self.statement(program.other)

    def _some(self, rows: RowProgram) -> Iterator[_Use]:
        base, conditions = split_filters(rows)
        columns = tuple(condition.column for condition in conditions)
        if isinstance(base, Top | Best):
            claimed = self.executor.pick(_chain(conditions, base.rows)).rows if conditions else ()
            yield self._ranked(base, claimed, columns)
        elif isinstance(base, Nth):
            yield self._use(self.executor.pick(base).rows, base.rows, columns)
        elif found := self.executor.pick(rows).rows:
            yield self._use(found, rows)
        else:
            yield from self._nearest(rows)

    def _nearest(self, rows: RowProgram) -> Iterator[_Use]:
        """What is there instead where no row meets the conditions: the rows that meet most of them."""
        groups = [group for group in self.executor.pick(rows).cells if group.rows]
        fewest = min((group.rows for group in groups), key=len, default=())
        # Where every row misses them all, none is nearer than another.
        near = fewest if len(fewest) < self.table.height else ()
        yield self._use(near, rows)

    def _quantified(self, program: Every | No | Most | Only) -> Iterator[_Use]:
        rows, others = self.executor.pick(program.rows).rows, self.executor.pick(program.others).rows
        met = set(others)
        common = tuple(row for row in rows if row in met)
        apart = tuple(row for row in rows if row not in met)
        columns = self._tested(program.others)
        match program:
            case Every() | No():
                against = apart if isinstance(program, Every) else common
                use = self._use(against or rows, program.rows, columns)
                # Of the rows that speak against it the others differ in what is said, not in what is spoken of.
                yield use._replace(others="") if against and len(against) < len(rows) else use
            case Most():
                yield self._use(common, program.others, self._tested(program.rows))
            case Only():
                yield self._use(tuple(sorted({*rows, *others})), program.others, self._tested(program.rows))

    def _turning(self, program: Rising) -> RowNumbers:
        """The two rows between which a column turns; all of them where it does not."""
        keys = self.executor.keys(program.column)
        rows = [row for row in self.executor.pick(program.rows).rows if keys[row] is not None]
        for before, after in pairwise(rows):
            first, second = keys[before] or 0.0, keys[after] or 0.0
            if first > second if program.up else first < second:
                return before, after
        return tuple(rows)

    # -- values

    def _value(self, program: ValueProgram) -> Iterator[_Use]:
        match program:
            case Literal():
                return
            case Of():
                yield self._use(self.executor.pick(program.rows).rows, program.rows, (program.column,))
            case Count(All()):
                return
            case Count():
                yield self._use(self.executor.pick(program.rows).rows, program.rows)
            case Distinct():
                yield self._use(self._filled(program.rows, program.column), program.rows, (program.column,))
            case Aggregate() if program.aggregation in (Aggregation.HIGHEST, Aggregation.LOWEST):
                highest = program.aggregation is Aggregation.HIGHEST
                yield self._ranked(Top(program.rows, program.column, highest), (), ())
            case Aggregate():
                yield self._use(self._filled(program.rows, program.column), program.rows, (program.column,))
            case MostCommon():
                found = self.executor.compute(program).cells
                yield self._use(found[-1].rows if found else (), program.rows, (program.column,))
            case Subtraction() | Ratio():
                yield from self._value(program.one)
                yield from self._value(program.other)
            case Percentage():
                yield from self._value(program.part)
                yield from self._value(program.whole)

    def _ranked(self, base: Top | Best, claimed: RowNumbers, columns: Sequence[int]) -> _Use:
        """The rows that come first, and beside them the one that a claim names or else the next one."""
        chosen = self.executor.pick(base).rows
        rows = {*chosen, *claimed}
        if isinstance(base, Top) and base.place > 1:
            ahead = (self.executor.pick(replace(base, place=place)).rows for place in range(1, min(base.place, 10)))
            rows |= {row for each in ahead for row in each}
        elif isinstance(base, Top) and rows == set(chosen):
            rows |= set(self.executor.pick(replace(base, place=2)).rows)
        name, dated = self.words.column(base.column), self.words.is_dated(base.column)
        further = ("earlier" if base.highest else "later") if dated else ("lower" if base.highest else "higher")
        tested = self._tested(base.rows)
        # Of those beyond a condition it is not known how high they are.
        others = "" if tested else f"{further} in {name}"
        return _Use(tuple(sorted(rows)), (*tested, base.column, *columns), f"{name}", others)

    # -- rows

    def _use(self, rows: RowNumbers, program: RowProgram, columns: Iterable[int] = ()) -> _Use:
        base, conditions = split_filters(program)
        said = conditions if isinstance(base, All) else ()
        has = " and ".join(map(self.words.has, said))
        is_named = any(condition.column == self.table.key for condition in said)
        lacks = "" if is_named else self.words.lacks(said)
        return _Use(rows, tuple(dict.fromkeys((*self._tested(program), *columns))), has, lacks)

    def _tested(self, program: RowProgram) -> tuple[int, ...]:
        """The columns that rows were chosen by."""
        match program:
            case Where() | Between():
                return (*self._tested(program.rows), program.column)
            case Top() | Best():
                return (*self._tested(program.rows), program.column)
            case Either():
                return (*self._tested(program.one), *self._tested(program.other))
            case Except():
                return (*self._tested(program.rows), *self._tested(program.other))
            case Nth():
                return self._tested(program.rows)
            case All():
                return ()

    def _filled(self, rows: RowProgram, column: int) -> RowNumbers:
        texts = self.table.columns[column].texts
        return tuple(row for row in self.executor.pick(rows).rows if texts[row])


def _chain(conditions: Sequence[Where | Between], among: RowProgram) -> RowProgram:
    for condition in conditions:
        among = replace(condition, rows=among)
    return among
