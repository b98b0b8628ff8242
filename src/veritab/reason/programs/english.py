"""Explanations: what a program computed over a table, in English.

`explain` shows its computation in one line ("Points of Ohio State = 66 > 10 = Points of Purdue"), as models read it
among the derived facts and a certificate keeps it. What people read is written by `veritab.reason.wording`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from veritab.quantities import Quantity
from veritab.reason.programs.denotations import RowNumbers
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.phrases import RowFilter, Verbalizer, split_filters
from veritab.reason.programs.printing import format_value, join_items, ordinal_word, quote_value, truncate
from veritab.reason.programs.programs import (
    OPPOSITE,
    Aggregate,
    Aggregation,
    All,
    And,
    Best,
    Count,
    Different,
    Distinct,
    Every,
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
    Relation,
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
from veritab.reason.programs.values import compare_values
from veritab.reason.tables import ColumnType

_LONGEST = 240
_MAX_ROW_NAME = 40
# More than are ever listed, so that the rest need not be formatted.
_ENOUGH = 4
_SIGNS = {
    Relation.IS: "=", Relation.IS_NOT: "≠", Relation.CONTAINS: "contains", Relation.ABOVE: ">", Relation.BELOW: "<",
    Relation.AT_LEAST: "≥", Relation.AT_MOST: "≤",
}  # fmt: skip
_FOLDS = {Aggregation.SUM: "sum", Aggregation.MEAN: "mean", Aggregation.HIGHEST: "max", Aggregation.LOWEST: "min"}
# 6 ft 2 in and 2:05.3 are read as one number, but nobody writes them as one.
_NUMBERS = re.compile(r"[0-9][0-9.,]*")
_MAX_COMPOUND = 16


def explain(statement: TruthProgram, executor: Executor) -> str:
    """The computation of a program in one line, with its numbers."""
    return truncate(_Explainer(executor).statement(statement), _LONGEST)


class _Explainer:
    """Explains computations over one table."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor
        self.table = executor.table
        self.verbalizer = Verbalizer(executor.table, full_name=self._full_name)

    # -- cells and rows

    def cell(self, row: int, column: int) -> str:
        """What a cell holds: its number or date, or its words."""
        typed = self.table.columns[column]
        text, value = typed.texts[row], typed.values[row]
        if not text:
            return "nothing"
        if value is None or typed.type not in (ColumnType.NUMBER, ColumnType.DATE):
            return quote_value(text)
        compound = isinstance(value, Quantity) and len(text) <= _MAX_COMPOUND and len(_NUMBERS.findall(text)) > 1
        return text if compound else format_value(value)

    def row(self, row: int) -> str:
        """What a row is called."""
        key = self.table.key
        name = "" if key is None else self.table.columns[key].texts[row]
        return truncate(name, _MAX_ROW_NAME) or f"row {row + 1:,}"

    def _full_name(self, condition: Where) -> str:
        rows = self.executor.pick(replace(condition, rows=All())).rows
        return self.row(rows[0]) if len(rows) == 1 else ""

    def names(self, rows: Sequence[int]) -> str:
        """What rows are called, the first few of them."""
        return join_items([self.row(row) for row in rows[:_ENOUGH]], of=len(rows))

    def cells(self, rows: Sequence[int], column: int) -> str:
        """What a column holds in rows, the first few of them."""
        filled = [row for row in rows if self.table.columns[column].texts[row]]
        return join_items([self.cell(row, column) for row in filled[:_ENOUGH]], of=len(filled)) or "nothing"

    def cell_of(self, row: int, column: int) -> str:
        """What a cell holds, and in which row: 66 (Ohio State)."""
        return f"{self.cell(row, column)} ({self.row(row)})"

    # -- values

    def label(self, program: ValueProgram) -> str:
        """What is computed: max(Points where Year is 1931)."""
        verbalizer = self.verbalizer
        match program:
            case Count():
                return f"count({verbalizer.bare(program.rows)})"
            case Distinct():
                return f"count(different {verbalizer.column(program.column)}{verbalizer.among(program.rows)})"
            case Aggregate():
                among = f"{verbalizer.column(program.column)}{verbalizer.among(program.rows)}"
                if verbalizer.is_dated(program.column) and program.aggregation in (
                    Aggregation.HIGHEST,
                    Aggregation.LOWEST,
                ):
                    return f"{verbalizer.aggregation(program)}{among}"
                return f"{_FOLDS[program.aggregation]}({among})"
            case Subtraction():
                return f"{self.label(program.one)} − {self._term(program.other)}"
            case Ratio():
                return f"{self._term(program.one)} / {self._term(program.other)}"
            case Percentage():
                return f"{self._term(program.part)} / {self._term(program.whole)}"
            case _:
                return verbalizer.value(program).removeprefix("the ")

    def _term(self, program: ValueProgram) -> str:
        text = self.label(program)
        return f"({text})" if isinstance(program, Subtraction | Ratio | Percentage) else text

    def result(self, program: ValueProgram) -> str:
        """Its result, and which row it is from."""
        value = self.executor.compute(program).value
        match program:
            case Of():
                return self._held(program)
            case Subtraction() | Ratio() | Percentage():
                sides = (
                    (program.part, program.whole) if isinstance(program, Percentage) else (program.one, program.other)
                )
                sign = " − " if isinstance(program, Subtraction) else " / "
                inner = sign.join(format_value(self.executor.compute(side).value) for side in sides)
                return inner if value is None else f"{inner} = {format_value(value)}"
            case Aggregate() if program.aggregation in (Aggregation.HIGHEST, Aggregation.LOWEST) and value is not None:
                rows = self.executor.compute(program).cells[-1].rows
                return f"{self.cell(rows[0], program.column)} ({self.names(rows)})"
            case MostCommon() if value is not None:
                rows, of = self.executor.compute(program).cells[-1].rows, self.executor.pick(program.rows).rows
                return f"{quote_value(value)} ({len(rows):,} of {len(of):,} rows)"
            case _:
                return quote_value(value)

    def _held(self, program: Of) -> str:
        rows = self.executor.pick(program.rows).rows
        if not rows:
            return "nothing"
        if self.executor.compute(program).value is not None:
            return self.cell(rows[0], program.column)
        return self.cells(rows, program.column)

    def side(self, program: ValueProgram) -> str:
        return (
            quote_value(program.term)
            if isinstance(program, Literal)
            else f"{self.label(program)} = {self.result(program)}"
        )

    # -- statements

    def statement(self, program: TruthProgram) -> str:
        """A computation in one line."""
        match program:
            case Is():
                return self._compared(program)
            case Some():
                return self._some(program.rows)
            case Every() | No() | Most() | Only():
                return self._quantified(program)
            case Same() | Different():
                return self._alike(program)
            case Rising():
                return self._rising(program)
            case Not():
                return self.statement(program.statement)
            case And():
                half = (_LONGEST - 2) // 2
                return f"{truncate(self.statement(program.one), half)}; {truncate(self.statement(program.other), half)}"

    def _compared(self, program: Is) -> str:
        holds = self.executor.decide(program).holds
        if holds is None:
            return f"{self.side(program.one)} and {self.side(program.other)} cannot be compared"
        sign = self._sign(program, holds)
        if not isinstance(program.other, Literal):
            result = self.result(program.other)
            twice = sign == "=" and result == self.result(program.one)
            return f"{self.side(program.one)}{'' if twice else f' {sign} {result}'} = {self.label(program.other)}"
        side, given = self.side(program.one), quote_value(program.other.term)
        if sign == "=":
            value = self.executor.compute(program.one).value
            same = value is None or quote_value(value) == given or not isinstance(value, Quantity)
            return side if same else f"{side} ≈ {given}"
        return f"{side}, not {given}" if sign == "≠" else f"{side} {sign} {given}"

    def _sign(self, program: Is, holds: bool) -> str:
        """The sign between the two values: which is greater, where that is known."""
        one, other = self.executor.compute(program.one), self.executor.compute(program.other)
        if program.relation in (Relation.IS, Relation.IS_NOT):
            return "=" if holds is (program.relation is Relation.IS) else "≠"
        if program.relation is Relation.CONTAINS:
            return "contains" if holds else "≠"
        sign = compare_values(one.value, other.value)
        if sign is None:
            return _SIGNS[program.relation if holds else OPPOSITE[program.relation]]
        return "<" if sign < 0 else ">" if sign else "="

    # -- rows that are there, or not

    def _some(self, rows: RowProgram) -> str:
        base, conditions = split_filters(rows)
        found = self.executor.pick(rows).rows
        if isinstance(base, Top | Best | Nth):
            chosen = self.executor.pick(base).rows
            if not chosen:
                return self._counted(base.rows)
            rest = [each for each in conditions if each.column not in (self.table.key, getattr(base, "column", None))]
            return self._chosen(base, chosen) + self._beside(rest, found[:1] or chosen)
        if not isinstance(base, All) or not conditions:
            return self._counted(rows)
        return self._found(conditions, found) if found else self._not_found(conditions)

    def _chosen(self, base: Top | Best | Nth, rows: RowNumbers) -> str:
        if isinstance(base, Nth):
            label = self.verbalizer.rows(base).removeprefix("the ")
            return f"{label} = {self.names(rows)}" if self.table.key is not None else f"{label}: {self.row(rows[0])}"
        name = f"{self.verbalizer.column(base.column)}{self.verbalizer.among(base.rows)}"
        extreme = self.verbalizer.extreme(base.column, base.highest)
        if isinstance(base, Best):
            ranked = sorted(rows, key=lambda row: self.executor.keys(base.column)[row] or 0.0, reverse=base.highest)
            held = [self.cell_of(row, base.column) for row in ranked[:_ENOUGH]]
            return f"{base.size:,} {extreme} {name} = {join_items(held, of=len(ranked))}"
        label = f"{ordinal_word(base.place)} {extreme} {name}"
        if base.place == 1:
            label = self.label(
                Aggregate(Aggregation.HIGHEST if base.highest else Aggregation.LOWEST, base.column, base.rows)
            )
        return f"{label} = {self.cell(rows[0], base.column)} ({self.names(rows)})"

    def _counted(self, rows: RowProgram) -> str:
        return self.side(Count(rows))

    def _beside(self, conditions: Sequence[RowFilter], rows: Sequence[int]) -> str:
        """What rows hold in the columns that conditions are about."""
        columns = dict.fromkeys(condition.column for condition in conditions)
        return "".join(f", {self.verbalizer.column(column)} = {self.cells(rows, column)}" for column in columns)

    def _found(self, conditions: Sequence[RowFilter], rows: RowNumbers) -> str:
        name, rest = self.verbalizer.subject(conditions)
        more = f" (and {len(rows) - 1:,} more row{'s' * (len(rows) > 2)})" if len(rows) > 1 else ""
        if self.table.height == 1 and not name:
            return self._beside(conditions, rows[:1]).removeprefix(", ")
        if len(rest) == 1 and (name or len(rows) == 1) and rest[0].column != self.table.key:
            column = rest[0].column
            return f"{self.verbalizer.column(column)} of {self.row(rows[0])} = {self.cell(rows[0], column)}{more}"
        return f"{self.row(rows[0])}: {self._beside(rest or conditions, rows[:1]).removeprefix(', ')}{more}"

    def _not_found(self, conditions: Sequence[RowFilter]) -> str:
        """The condition that fails, with what the rows that meet the others hold instead."""
        name, rest = self.verbalizer.subject(conditions)
        order = (
            [*reversed(rest), *(each for each in conditions if each not in rest)] if name else [*reversed(conditions)]
        )
        for failing in order if len(order) > 1 else ():
            kept = [condition for condition in conditions if condition is not failing]
            rows = self._meeting(kept)
            if rows:
                which = self.verbalizer.which(_where(kept))
                term = f", not {quote_value(failing.term)}" if isinstance(failing, Where) and _is_plain(failing) else ""
                return f"{self.verbalizer.column(failing.column)}{which} = {self.cells(rows, failing.column)}{term}"
        if self.table.height == 1:
            return self._beside(conditions, (0,)).removeprefix(", ")
        return self._counted(_where(conditions))

    def _meeting(self, conditions: Sequence[RowFilter]) -> RowNumbers:
        return self.executor.pick(_where(conditions)).rows

    # -- all, most, none, only

    def _quantified(self, program: Every | No | Most | Only) -> str:
        rows, others = self.executor.pick(program.rows).rows, set(self.executor.pick(program.others).rows)
        common = [row for row in rows if row in others]
        bare = self.verbalizer.bare(program.rows)
        if not rows:
            return self._counted(program.rows)
        said = self.verbalizer.predicate(program.others, many=True)
        counted = f"{len(common):,} of {len(rows):,} {bare} {said}"
        _, conditions = split_filters(program.others)
        if len(rows) == 1 and conditions:
            counted = self._found(conditions, rows)
        if isinstance(program, Only):
            besides = sorted(others - set(rows))
            if not besides:
                return f"{counted}, and no other"
            does = "does" if len(besides) == 1 else "do"
            return (
                f"{counted}, and also {self.names(besides)}"
                if common
                else f"{counted}, but {self.names(besides)} {does}"
            )
        if isinstance(program, Every) and len(common) < len(rows):
            if len(rows) == 1 and conditions:
                return counted
            return f"{counted}, not {self._examples(program, [row for row in rows if row not in others])}"
        return (
            f"{counted}: {self._examples(program, common)}"
            if isinstance(program, No) and common and len(rows) > 1
            else counted
        )

    def _examples(self, program: Every | No | Most | Only, rows: Sequence[int]) -> str:
        _, conditions = split_filters(program.others)
        named = [f"{self.row(row)}{self._in_brackets(conditions, row)}" for row in rows[:_ENOUGH]]
        return join_items(named, most=2, of=len(rows))

    def _in_brackets(self, conditions: Sequence[RowFilter], row: int) -> str:
        columns = [condition.column for condition in conditions if condition.column != self.table.key]
        return f" ({self.cell(row, columns[0])})" if columns else ""

    # -- alike, rising

    def _alike(self, program: Same | Different) -> str:
        rows = [row for row in self.executor.pick(program.rows).rows if self.table.columns[program.column].texts[row]]
        held = Counter(self.cell(row, program.column) for row in rows).most_common()
        name, bare = self.verbalizer.column(program.column), self.verbalizer.bare(program.rows)
        if len(held) == len(rows):
            return f"{len(rows):,} {bare} have {len(held):,} different {name}: {self.cells(rows, program.column)}"
        if len(held) == 1:
            return f"{name} = {held[0][0]} in all {len(rows):,} {bare}"
        often = [f"{value} ({count:,} of {len(rows):,})" for value, count in held[:_ENOUGH]]
        return f"{name}{self.verbalizer.which(program.rows)} = {join_items(often, of=len(held))}"

    def _rising(self, program: Rising) -> str:
        keys = self.executor.keys(program.column)
        rows = [row for row in self.executor.pick(program.rows).rows if keys[row] is not None]
        name = f"{self.verbalizer.column(program.column)}{self.verbalizer.which(program.rows)}"
        for before, after in pairwise(rows):
            first, second = keys[before] or 0.0, keys[after] or 0.0
            if first > second if program.up else first < second:
                start, end = self.cell_of(before, program.column), self.cell_of(after, program.column)
                return f"{name} goes from {start} {'down' if program.up else 'up'} to {end}"
        if len(rows) < 2:
            return f"{name} = {self.cells(rows, program.column)}"
        start, end = self.cell_of(rows[0], program.column), self.cell_of(rows[-1], program.column)
        return f"{name} goes from {start} to {end} and never {'falls' if program.up else 'rises'}"


def _where(conditions: Sequence[RowFilter]) -> RowProgram:
    rows: RowProgram = All()
    for condition in conditions:
        rows = replace(condition, rows=rows)
    return rows


def _is_plain(condition: Where) -> bool:
    return condition.relation in (Relation.IS, Relation.CONTAINS)
