"""What was computed over a table, in English: programs, the numbers they gave, and what follows from them.

`say` reads a program aloud, `explain` shows its computation in one line ("Points of Ohio State = 66 > 10 = Points of
Purdue"), and `conclude` adds what that means for the claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from veritab.quantities import Quantity
from veritab.reason.programs.machine import Machine, Rows, Truth
from veritab.reason.programs.phrases import Condition, Speaker, say, taken_apart
from veritab.reason.programs.printing import cut, listed, place, printed, shown
from veritab.reason.programs.programs import (
    OPPOSITE,
    All,
    And,
    Best,
    Commonest,
    Count,
    Difference,
    Different,
    Distinct,
    Every,
    Fold,
    Folded,
    Is,
    Literal,
    Most,
    No,
    Not,
    Nth,
    Of,
    Only,
    Ratio,
    Relation,
    Rising,
    RowProgram,
    Same,
    Share,
    Some,
    Statement,
    Top,
    ValueProgram,
    Where,
)
from veritab.reason.programs.values import compared
from veritab.reason.tables import ColumnType

__all__ = ["conclude", "explain", "printed", "say"]

_LONGEST = 240
_LONGEST_ROW_NAME = 40
_LONGEST_WORD = 40
# More than are ever listed, so that the rest need not be put into words.
_ENOUGH = 4
_SIGNS = {
    Relation.IS: "=", Relation.IS_NOT: "≠", Relation.CONTAINS: "contains", Relation.ABOVE: ">", Relation.BELOW: "<",
    Relation.AT_LEAST: "≥", Relation.AT_MOST: "≤",
}  # fmt: skip
_FOLDS = {Fold.SUM: "sum", Fold.MEAN: "mean", Fold.HIGHEST: "max", Fold.LOWEST: "min"}
# 6 ft 2 in and 2:05.3 are read as one number, but nobody writes them as one.
_NUMBERS = re.compile(r"[0-9][0-9.,]*")
_LONGEST_COMPOUND = 16


def explain(statement: Statement, machine: Machine) -> str:
    """The computation behind a statement in one line, with its numbers."""
    return cut(_Explainer(machine).statement(statement), _LONGEST)


def conclude(statement: Statement, machine: Machine, truth: Truth | None = None, word: str | None = None) -> str:
    """The computation, and what follows for the claim or for the word of it that was tested."""
    holds = (machine.decide(statement) if truth is None else truth).holds
    tested = f'"{cut(word, _LONGEST_WORD)}"' if word else "that"
    if holds is None:
        meaning = f", so {tested} cannot be told"
    elif word:
        meaning = f", so {tested} is {'true' if holds else 'false'}"
    else:
        meaning = ", so that holds" if holds else ", so that is false"
    return cut(_Explainer(machine).statement(statement), _LONGEST - len(meaning)) + meaning


class _Explainer:
    """Shows computations over one table."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.table = machine.table
        self.speaker = Speaker(machine.table, plain=True, full_name=self._full_name)

    # -- cells and rows

    def cell(self, row: int, column: int) -> str:
        """What a cell holds: its number or date, or its words."""
        typed = self.table.columns[column]
        text, value = typed.texts[row], typed.values[row]
        if not text:
            return "nothing"
        if value is None or typed.type not in (ColumnType.NUMBER, ColumnType.DATE):
            return shown(text)
        compound = isinstance(value, Quantity) and len(text) <= _LONGEST_COMPOUND and len(_NUMBERS.findall(text)) > 1
        return text if compound else printed(value)

    def row(self, row: int) -> str:
        """What a row is called."""
        key = self.table.key
        name = "" if key is None else self.table.columns[key].texts[row]
        return cut(name, _LONGEST_ROW_NAME) or f"row {row + 1:,}"

    def _full_name(self, condition: Where) -> str:
        rows = self.machine.pick(replace(condition, rows=All())).rows
        return self.row(rows[0]) if len(rows) == 1 else ""

    def names(self, rows: Sequence[int]) -> str:
        """What rows are called, the first few of them."""
        return listed([self.row(row) for row in rows[:_ENOUGH]], of=len(rows))

    def cells(self, rows: Sequence[int], column: int) -> str:
        """What a column holds in rows, the first few of them."""
        filled = [row for row in rows if self.table.columns[column].texts[row]]
        return listed([self.cell(row, column) for row in filled[:_ENOUGH]], of=len(filled)) or "nothing"

    def cell_of(self, row: int, column: int) -> str:
        """What a cell holds, and in which row: 66 (Ohio State)."""
        return f"{self.cell(row, column)} ({self.row(row)})"

    # -- values

    def label(self, program: ValueProgram) -> str:
        """What is computed: max(Points where Year is 1931)."""
        speaker = self.speaker
        match program:
            case Count():
                return f"count({speaker.bare(program.rows)})"
            case Distinct():
                return f"count(different {speaker.column(program.column)}{speaker.among(program.rows)})"
            case Folded():
                among = f"{speaker.column(program.column)}{speaker.among(program.rows)}"
                if speaker.is_dated(program.column) and program.fold in (Fold.HIGHEST, Fold.LOWEST):
                    return f"{speaker.fold(program)}{among}"
                return f"{_FOLDS[program.fold]}({among})"
            case Difference():
                return f"{self.label(program.one)} − {self._term(program.other)}"
            case Ratio():
                return f"{self._term(program.one)} / {self._term(program.other)}"
            case Share():
                return f"{self._term(program.part)} / {self._term(program.whole)}"
            case _:
                return speaker.value(program).removeprefix("the ")

    def _term(self, program: ValueProgram) -> str:
        text = self.label(program)
        return f"({text})" if isinstance(program, Difference | Ratio | Share) else text

    def result(self, program: ValueProgram) -> str:
        """What it gave, and which row it is from."""
        value = self.machine.compute(program).value
        match program:
            case Of():
                return self._held(program)
            case Difference() | Ratio() | Share():
                sides = (program.part, program.whole) if isinstance(program, Share) else (program.one, program.other)
                sign = " − " if isinstance(program, Difference) else " / "
                inner = sign.join(printed(self.machine.compute(side).value) for side in sides)
                return inner if value is None else f"{inner} = {printed(value)}"
            case Folded() if program.fold in (Fold.HIGHEST, Fold.LOWEST) and value is not None:
                rows = self.machine.compute(program).cells[-1].rows
                return f"{self.cell(rows[0], program.column)} ({self.names(rows)})"
            case Commonest() if value is not None:
                rows, of = self.machine.compute(program).cells[-1].rows, self.machine.pick(program.rows).rows
                return f"{shown(value)} ({len(rows):,} of {len(of):,} rows)"
            case _:
                return shown(value)

    def _held(self, program: Of) -> str:
        rows = self.machine.pick(program.rows).rows
        if not rows:
            return "nothing"
        if self.machine.compute(program).value is not None:
            return self.cell(rows[0], program.column)
        return self.cells(rows, program.column)

    def side(self, program: ValueProgram) -> str:
        return (
            shown(program.term) if isinstance(program, Literal) else f"{self.label(program)} = {self.result(program)}"
        )

    # -- statements

    def statement(self, program: Statement) -> str:
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
                return f"{cut(self.statement(program.one), half)}; {cut(self.statement(program.other), half)}"

    def _compared(self, program: Is) -> str:
        holds = self.machine.decide(program).holds
        if holds is None:
            return f"{self.side(program.one)} and {self.side(program.other)} cannot be compared"
        sign = self._sign(program, holds)
        if not isinstance(program.other, Literal):
            result = self.result(program.other)
            twice = sign == "=" and result == self.result(program.one)
            return f"{self.side(program.one)}{'' if twice else f' {sign} {result}'} = {self.label(program.other)}"
        side, given = self.side(program.one), shown(program.other.term)
        if sign == "=":
            value = self.machine.compute(program.one).value
            same = value is None or shown(value) == given or not isinstance(value, Quantity)
            return side if same else f"{side} ≈ {given}"
        return f"{side}, not {given}" if sign == "≠" else f"{side} {sign} {given}"

    def _sign(self, program: Is, holds: bool) -> str:
        """How the two stand to each other; which is greater is said where it is known."""
        one, other = self.machine.compute(program.one), self.machine.compute(program.other)
        if program.relation in (Relation.IS, Relation.IS_NOT):
            return "=" if holds is (program.relation is Relation.IS) else "≠"
        if program.relation is Relation.CONTAINS:
            return "contains" if holds else "≠"
        sign = compared(one.value, other.value)
        if sign is None:
            return _SIGNS[program.relation if holds else OPPOSITE[program.relation]]
        return "<" if sign < 0 else ">" if sign else "="

    # -- rows that are there, or not

    def _some(self, rows: RowProgram) -> str:
        base, conditions = taken_apart(rows)
        found = self.machine.pick(rows).rows
        if isinstance(base, Top | Best | Nth):
            chosen = self.machine.pick(base).rows
            if not chosen:
                return self._counted(base.rows)
            rest = [each for each in conditions if each.column not in (self.table.key, getattr(base, "column", None))]
            return self._chosen(base, chosen) + self._beside(rest, found[:1] or chosen)
        if not isinstance(base, All) or not conditions:
            return self._counted(rows)
        return self._found(conditions, found) if found else self._not_found(conditions)

    def _chosen(self, base: Top | Best | Nth, rows: Rows) -> str:
        if isinstance(base, Nth):
            label = self.speaker.rows(base).removeprefix("the ")
            return f"{label} = {self.names(rows)}" if self.table.key is not None else f"{label}: {self.row(rows[0])}"
        name = f"{self.speaker.column(base.column)}{self.speaker.among(base.rows)}"
        extreme = self.speaker.extreme(base.column, base.highest)
        if isinstance(base, Best):
            ranked = sorted(rows, key=lambda row: self.machine.keys(base.column)[row] or 0.0, reverse=base.highest)
            held = [self.cell_of(row, base.column) for row in ranked[:_ENOUGH]]
            return f"{base.size:,} {extreme} {name} = {listed(held, of=len(ranked))}"
        label = f"{place(base.place)} {extreme} {name}"
        if base.place == 1:
            label = self.label(Folded(Fold.HIGHEST if base.highest else Fold.LOWEST, base.column, base.rows))
        return f"{label} = {self.cell(rows[0], base.column)} ({self.names(rows)})"

    def _counted(self, rows: RowProgram) -> str:
        return self.side(Count(rows))

    def _beside(self, conditions: Sequence[Condition], rows: Sequence[int]) -> str:
        """What rows hold in the columns that conditions are about."""
        columns = dict.fromkeys(condition.column for condition in conditions)
        return "".join(f", {self.speaker.column(column)} = {self.cells(rows, column)}" for column in columns)

    def _found(self, conditions: Sequence[Condition], rows: Rows) -> str:
        name, rest = self.speaker.subject(conditions)
        more = f" (and {len(rows) - 1:,} more row{'s' * (len(rows) > 2)})" if len(rows) > 1 else ""
        if self.table.height == 1 and not name:
            return self._beside(conditions, rows[:1]).removeprefix(", ")
        if len(rest) == 1 and (name or len(rows) == 1) and rest[0].column != self.table.key:
            column = rest[0].column
            return f"{self.speaker.column(column)} of {self.row(rows[0])} = {self.cell(rows[0], column)}{more}"
        return f"{self.row(rows[0])}: {self._beside(rest or conditions, rows[:1]).removeprefix(', ')}{more}"

    def _not_found(self, conditions: Sequence[Condition]) -> str:
        """The condition that fails, with what the rows that meet the others hold instead."""
        name, rest = self.speaker.subject(conditions)
        order = (
            [*reversed(rest), *(each for each in conditions if each not in rest)] if name else [*reversed(conditions)]
        )
        for failing in order if len(order) > 1 else ():
            kept = [condition for condition in conditions if condition is not failing]
            rows = self._meeting(kept)
            if rows:
                which = self.speaker.which(_where(kept))
                term = f", not {shown(failing.term)}" if isinstance(failing, Where) and _is_plain(failing) else ""
                return f"{self.speaker.column(failing.column)}{which} = {self.cells(rows, failing.column)}{term}"
        if self.table.height == 1:
            return self._beside(conditions, (0,)).removeprefix(", ")
        return self._counted(_where(conditions))

    def _meeting(self, conditions: Sequence[Condition]) -> Rows:
        return self.machine.pick(_where(conditions)).rows

    # -- all, most, none, only

    def _quantified(self, program: Every | No | Most | Only) -> str:
        rows, others = self.machine.pick(program.rows).rows, set(self.machine.pick(program.others).rows)
        common = [row for row in rows if row in others]
        bare = self.speaker.bare(program.rows)
        if not rows:
            return self._counted(program.rows)
        said = self.speaker.predicate(program.others, many=True)
        counted = f"{len(common):,} of {len(rows):,} {bare} {said}"
        _, conditions = taken_apart(program.others)
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
        _, conditions = taken_apart(program.others)
        named = [f"{self.row(row)}{self._in_brackets(conditions, row)}" for row in rows[:_ENOUGH]]
        return listed(named, most=2, of=len(rows))

    def _in_brackets(self, conditions: Sequence[Condition], row: int) -> str:
        columns = [condition.column for condition in conditions if condition.column != self.table.key]
        return f" ({self.cell(row, columns[0])})" if columns else ""

    # -- alike, rising

    def _alike(self, program: Same | Different) -> str:
        rows = [row for row in self.machine.pick(program.rows).rows if self.table.columns[program.column].texts[row]]
        held = Counter(self.cell(row, program.column) for row in rows).most_common()
        name, bare = self.speaker.column(program.column), self.speaker.bare(program.rows)
        if len(held) == len(rows):
            return f"{len(rows):,} {bare} have {len(held):,} different {name}: {self.cells(rows, program.column)}"
        if len(held) == 1:
            return f"{name} = {held[0][0]} in all {len(rows):,} {bare}"
        often = [f"{value} ({count:,} of {len(rows):,})" for value, count in held[:_ENOUGH]]
        return f"{name}{self.speaker.which(program.rows)} = {listed(often, of=len(held))}"

    def _rising(self, program: Rising) -> str:
        keys = self.machine.keys(program.column)
        rows = [row for row in self.machine.pick(program.rows).rows if keys[row] is not None]
        name = f"{self.speaker.column(program.column)}{self.speaker.which(program.rows)}"
        for before, after in pairwise(rows):
            first, second = keys[before] or 0.0, keys[after] or 0.0
            if first > second if program.up else first < second:
                start, end = self.cell_of(before, program.column), self.cell_of(after, program.column)
                return f"{name} goes from {start} {'down' if program.up else 'up'} to {end}"
        if len(rows) < 2:
            return f"{name} = {self.cells(rows, program.column)}"
        start, end = self.cell_of(rows[0], program.column), self.cell_of(rows[-1], program.column)
        return f"{name} goes from {start} to {end} and never {'falls' if program.up else 'rises'}"


def _where(conditions: Sequence[Condition]) -> RowProgram:
    rows: RowProgram = All()
    for condition in conditions:
        rows = replace(condition, rows=rows)
    return rows


def _is_plain(condition: Where) -> bool:
    return condition.relation in (Relation.IS, Relation.CONTAINS)
