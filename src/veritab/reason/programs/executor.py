"""Executes programs over one table, in time linear in its rows.

Nothing raises and nothing loops: what is unknown (a missing cell, two units that do not convert) is None. Only counts
treat a missing cell as one that does not meet the condition, as readers do. Every denotation has the cells it was
computed from.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import cached_property, partial
from itertools import pairwise

from veritab.cancel import stop_if_cancelled
from veritab.quantities import Date, Quantity
from veritab.reason.programs.denotations import (
    CellGroup,
    CellGroups,
    RowDenotation,
    RowNumbers,
    RowTest,
    TruthDenotation,
    ValueDenotation,
    explain_no_rows,
    restrict_cells,
)
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
from veritab.reason.programs.values import (
    ProgramValue,
    Term,
    common_unit,
    compare_values,
    compute_percentage,
    divide,
    phrase_matcher,
    round_sum,
    same_words,
    sort_key,
    sort_keys,
    subtract,
    values_agree,
)
from veritab.reason.tables import Column, ColumnType, TypedTable

# More values are not compared with each other.
_MAX_HELD = 50


class Executor:
    """Executes programs over one table, each once: what programs share is cached."""

    def __init__(self, table: TypedTable) -> None:
        self.table = table
        self._picked: dict[RowProgram, RowDenotation] = {}
        self._computed: dict[ValueProgram, ValueDenotation] = {}
        self._answers: dict[tuple[int, Relation, Term], list[bool | None]] = {}
        self._keys: dict[int, list[float | None]] = {}

    def keys(self, column: int) -> list[float | None]:
        """The sort key of each cell of a column, all in one unit; None where it has none."""
        found = self._keys.get(column)
        if found is None:
            typed = self.table.columns[column]
            found = self._keys[column] = sort_keys(typed.values, typed.unit)
        return found

    @cached_property
    def every_row(self) -> RowNumbers:
        return tuple(range(self.table.height))

    # -- rows

    def pick(self, program: RowProgram) -> RowDenotation:
        """The rows of a program."""
        found = self._picked.get(program)
        if found is None:
            stop_if_cancelled()
            found = self._picked[program] = self._pick(program)
        return found

    def _pick(self, program: RowProgram) -> RowDenotation:
        match program:
            case All():
                return RowDenotation(self.every_row)
            case Where() | Between():
                return self._filter_rows(program)
            case Top() | Best():
                return self._rank_rows(program)
            case Nth():
                before = self.pick(program.rows)
                place = program.place - 1 if program.place > 0 else len(before.rows) + program.place
                return RowDenotation(before.rows[place : place + 1] if place >= 0 else (), before.cells, before.known)
            case Either():
                one, other = self.pick(program.one), self.pick(program.other)
                rows = tuple(sorted({*one.rows, *other.rows}))
                return RowDenotation(rows, one.cells + other.cells, one.known and other.known)
            case Except():
                one, other = self.pick(program.rows), self.pick(program.other)
                left_out = set(other.rows)
                rows = tuple(row for row in one.rows if row not in left_out)
                return RowDenotation(rows, one.cells + other.cells, one.known and other.known)

    def _filter_rows(self, program: Where | Between) -> RowDenotation:
        """The rows that meet a chain of conditions, whatever their order."""
        tests: list[RowTest] = []
        base: RowProgram = program
        while isinstance(base, Where | Between):
            tests.append(RowTest(base.column, self._answers_to(base)))
            base = base.rows
        tests.reverse()
        before = self.pick(base)
        rows = before.rows
        for test in tests:
            rows = tuple(row for row in rows if test.denotations[row])
        if not rows:
            nearest = explain_no_rows(before, tests)
            return nearest._replace(cells=nearest.cells + self._rows_meeting_elsewhere(base, tests))
        return RowDenotation(
            rows, (*restrict_cells(before.cells, rows), *(CellGroup(rows, test.column) for test in tests)), before.known
        )

    def _rows_meeting_elsewhere(self, base: RowProgram, tests: Sequence[RowTest]) -> CellGroups:
        """The cells of rows that meet the conditions but are not among the highest."""
        if not isinstance(base, Top | Best):
            return ()
        rows = tuple(row for row in self.pick(base.rows).rows if all(test.denotations[row] for test in tests))
        return (CellGroup(rows, base.column), *(CellGroup(rows, test.column) for test in tests)) if rows else ()

    def _scanned_cells(self, program: RowProgram) -> CellGroups:
        """The cells that had to be read to know that no other rows meet the conditions."""
        columns, base = [], program
        while isinstance(base, Where | Between):
            columns.append(base.column)
            base = base.rows
        if isinstance(base, Either):
            return self._scanned_cells(base.one) + self._scanned_cells(base.other)
        rows = self.pick(base).rows
        return tuple(CellGroup(rows, column) for column in reversed(columns))

    def _answers_to(self, condition: Where | Between) -> list[bool | None]:
        if isinstance(condition, Where):
            return self._test_rows(condition.column, condition.relation, condition.term)
        low = self._test_rows(condition.column, Relation.AT_LEAST, condition.low)
        high = self._test_rows(condition.column, Relation.AT_MOST, condition.high)
        return list(map(_and, low, high))

    def _test_rows(self, column: int, relation: Relation, term: Term) -> list[bool | None]:
        """Whether the cell of each row has a relation to a term; None for a missing cell, even for "is not"."""
        wanted = (column, relation, term)
        found = self._answers.get(wanted)
        if found is None:
            typed, test = self.table.columns[column], _test(relation, term)
            different = dict(zip(typed.texts, typed.values, strict=True))
            known = {text: test(text, value) for text, value in different.items() if text}
            found = self._answers[wanted] = [known.get(text) for text in typed.texts]
        return found

    def _rank_rows(self, program: Top | Best) -> RowDenotation:
        before = self.pick(program.rows)
        values = self.keys(program.column)
        known = {row: value for row in before.rows if (value := values[row]) is not None}
        if before.rows and (not known or self._beyond_order(program.column, before.rows)):
            return RowDenotation((), before.cells, known=False)
        ranked = sorted(known.values(), reverse=program.highest)
        if isinstance(program, Top):
            # Those that tie share a place, and the next value has the next place: 24 is the third of 66, 39, 39, 24.
            ranked, place = list(dict.fromkeys(ranked)), program.place
        else:
            place = program.size
        if not 1 <= place <= len(ranked):
            return RowDenotation((), before.cells, before.known)
        limit = ranked[place - 1]
        if isinstance(program, Top):
            rows = tuple(row for row, value in known.items() if value == limit)
        else:
            rows = tuple(row for row, value in known.items() if (value >= limit if program.highest else value <= limit))
        # Who is third is known from the first two.
        ahead = {*ranked[:place]}
        above = tuple(row for row, value in known.items() if value in ahead)
        cells = (*restrict_cells(before.cells, rows), CellGroup(rows, program.column), CellGroup(above, program.column))
        return RowDenotation(rows, cells if place > 1 else cells[:-1], before.known)

    def _beyond_order(self, column: int, rows: RowNumbers) -> bool:
        """Whether some of the rows hold an amount that cannot be compared with the others: euros among dollars."""
        values, keys = self.table.columns[column].values, self.keys(column)
        return any(
            keys[row] is None and isinstance(value := values[row], Quantity) and value.unit != "%" for row in rows
        )

    # -- values

    def compute(self, program: ValueProgram) -> ValueDenotation:
        """The value of a program."""
        found = self._computed.get(program)
        if found is None:
            found = self._computed[program] = self._compute(program)
        return found

    def _compute(self, program: ValueProgram) -> ValueDenotation:
        match program:
            case Literal():
                return ValueDenotation(program.term)
            case Of():
                return self._read_cells(program)
            case Count():
                picked = self.pick(program.rows)
                cells = picked.cells + self._scanned_cells(program.rows)
                return ValueDenotation(_exactly(len(picked.rows)) if picked.known else None, cells)
            case Distinct():
                held, cells = self._distinct_values(program.column, program.rows)
                return ValueDenotation(_exactly(len(set(held))) if held else None, cells)
            case Aggregate():
                return self._aggregate(program)
            case MostCommon():
                return self._most_common(program)
            case Subtraction() | Ratio() | Percentage():
                return self._combine(program)

    def _distinct_values(self, column: int, rows: RowProgram) -> tuple[list[Hashable], CellGroups]:
        """The cells of a column, without missing ones, in a form that is equal where they hold the same."""
        picked, typed = self.pick(rows), self.table.columns[column]
        known = tuple(row for row in picked.rows if typed.texts[row])
        return [_identity(typed, row) for row in known], (*picked.cells, CellGroup(known, column))

    def _read_cells(self, program: Of) -> ValueDenotation:
        picked, column = self.pick(program.rows), self.table.columns[program.column]
        cells = (*picked.cells, CellGroup(picked.rows, program.column))
        if not all(column.texts[row] for row in picked.rows):
            return ValueDenotation(None, cells)
        if len({_identity(column, row) for row in picked.rows}) != 1:
            return ValueDenotation(None, cells)
        first = picked.rows[0]
        text = column.texts[first]
        return ValueDenotation(column.values[first] or text, cells, "" if column.type in _MEASURED else text)

    def _aggregate(self, program: Aggregate) -> ValueDenotation:
        picked, column = self.pick(program.rows), self.table.columns[program.column]
        values = self.keys(program.column)
        known = {row: value for row in picked.rows if (value := values[row]) is not None}
        if not known or self._beyond_order(program.column, picked.rows):
            return ValueDenotation(None, picked.cells)
        if program.aggregation in (Aggregation.HIGHEST, Aggregation.LOWEST):
            best = max(known.values()) if program.aggregation is Aggregation.HIGHEST else min(known.values())
            rows = tuple(row for row, value in known.items() if value == best)
            return ValueDenotation(
                column.values[rows[0]], (*restrict_cells(picked.cells, rows), CellGroup(rows, program.column))
            )
        cells = (*picked.cells, CellGroup(tuple(known), program.column))
        read = [column.values[row] for row in picked.rows if column.values[row] is not None]
        added = [value for value in read if isinstance(value, Quantity) and not value.ordinal]
        if not len(known) == len(read) == len(added):
            return ValueDenotation(None, cells)  # Years, dates and ranks are not added up, nor are days and dollars.
        # A sum is as exact as the least exact of what is added up, and printed as the most exact.
        step, finest = max(value.step for value in added), min(value.step for value in added)
        unit = "%" if added[0].unit == "%" else common_unit(column.values, column.unit)
        total = math.fsum(known.values())
        if program.aggregation is Aggregation.SUM:
            return ValueDenotation(Quantity(round_sum(total, finest), unit, step=step), cells)
        return ValueDenotation(Quantity(round_sum(total / len(known), finest / 1000), unit, step=step / 100), cells)

    def _most_common(self, program: MostCommon) -> ValueDenotation:
        held, cells = self._distinct_values(program.column, program.rows)
        ranked = Counter(held).most_common(2)
        if not ranked or ranked[0][1] < 2 or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
            return ValueDenotation(None, cells)
        column, picked = self.table.columns[program.column], self.pick(program.rows)
        rows = tuple(row for row in picked.rows if column.texts[row] and _identity(column, row) == ranked[0][0])
        return ValueDenotation(
            column.texts[rows[0]], (*restrict_cells(picked.cells, rows), CellGroup(rows, program.column))
        )

    def _combine(self, program: Subtraction | Ratio | Percentage) -> ValueDenotation:
        first, second = (
            (program.part, program.whole) if isinstance(program, Percentage) else (program.one, program.other)
        )
        one, other = self.compute(first), self.compute(second)
        return ValueDenotation(_COMBINED[type(program)](one.value, other.value), one.cells + other.cells)

    # -- statements

    def decide(self, program: TruthProgram) -> TruthDenotation:
        """Whether a program holds."""
        match program:
            case Is():
                return self._compare(program)
            case Some():
                picked = self.pick(program.rows)
                return TruthDenotation(bool(picked.rows) if picked.known or picked.rows else None, picked.cells)
            case Every() | No() | Most() | Only():
                return self._quantify(program)
            case Same() | Different():
                held, cells = self._distinct_values(program.column, program.rows)
                if len(held) < 2:
                    return TruthDenotation(None, cells)
                return TruthDenotation(len(set(held)) == (1 if isinstance(program, Same) else len(held)), cells)
            case Rising():
                return self._check_trend(program)
            case Not():
                holds, cells = self.decide(program.statement)
                return TruthDenotation(None if holds is None else not holds, cells)
            case And():
                first, second = self.decide(program.one), self.decide(program.other)
                return TruthDenotation(_and(first.holds, second.holds), first.cells + second.cells)

    def _compare(self, program: Is) -> TruthDenotation:
        """A comparison holds of many rows when it holds of each of them, and fails when it holds of none."""
        alike = program.relation in _ALIKE
        one, other = self._compared_values(program.one, alike), self._compared_values(program.other, alike)
        cells = self.compute(program.one).cells + self.compute(program.other).cells
        found = {related(a, program.relation, b) for a in one for b in other}
        if not alike and not isinstance(program.other, Literal):
            # A claim with "after 1931" means the whole year; a cell may lack the day.
            found |= {None for a in one for b in other if compare_values(b, a) is None}
        return TruthDenotation(found.pop() if len(found) == 1 else None, cells)

    def _compared_values(self, program: ValueProgram, alike: bool) -> tuple[ProgramValue | None, ...]:
        """The one value of a program, or the several that a column holds; as words where it is to be the same."""
        computed = self.compute(program)
        if computed.value is not None or not isinstance(program, Of):
            return (computed.said if alike else computed.value,)
        rows, column = self.pick(program.rows).rows, self.table.columns[program.column]
        worded = alike and column.type not in _MEASURED
        held = dict.fromkeys((not worded and column.values[row]) or column.texts[row] or None for row in rows)
        return tuple(held) if len(held) <= _MAX_HELD else (None,)

    def _quantify(self, program: Every | No | Most | Only) -> TruthDenotation:
        rows, others = self.pick(program.rows), self.pick(program.others)
        if not rows.rows or not others.known:
            return TruthDenotation(None, rows.cells)
        common = set(rows.rows) & set(others.rows)
        missing = (
            len(self._undetermined_rows(program.others).intersection(rows.rows)) if len(common) < len(rows.rows) else 0
        )
        holds = _quantifier(program, len(common), missing, len(rows.rows), len(others.rows))
        # One row is enough to refute "every" and "no"; else all of them were looked at, in the columns of the others.
        read: set[int] = {*rows.rows, *others.rows} if isinstance(program, Only) else set(rows.rows)
        if holds is False and isinstance(program, Every | No):
            read = read - common if isinstance(program, Every) else common
        settling = tuple(sorted(read))
        columns = dict.fromkeys(block.column for block in others.cells)
        through = self._scanned_cells(program.others) if isinstance(program, Only) else ()
        return TruthDenotation(holds, rows.cells + tuple(CellGroup(settling, column) for column in columns) + through)

    def _undetermined_rows(self, program: RowProgram) -> frozenset[int]:
        """The rows for which only missing cells leave open whether they meet the conditions."""
        tests, base = [], program
        while isinstance(base, Where | Between):
            tests.append(self._answers_to(base))
            base = base.rows
        if not tests:
            return frozenset()
        return frozenset(
            row for row in self.pick(base).rows if None in (said := [test[row] for test in tests]) and False not in said
        )

    def _check_trend(self, program: Rising) -> TruthDenotation:
        picked, values = self.pick(program.rows), self.keys(program.column)
        known = [value for row in picked.rows if (value := values[row]) is not None]
        cells = (*picked.cells, CellGroup(picked.rows, program.column))
        if len(known) < 2:
            return TruthDenotation(None, cells)
        steps = pairwise(known)
        return TruthDenotation(all(a <= b if program.up else a >= b for a, b in steps), cells)


_ALIKE = frozenset({Relation.IS, Relation.IS_NOT, Relation.CONTAINS})
_MEASURED = frozenset({ColumnType.NUMBER, ColumnType.DATE})


def related(one: ProgramValue | None, relation: Relation, other: ProgramValue | None) -> bool | None:
    """Whether one value has a relation to another; None when they cannot be compared."""
    if relation is Relation.CONTAINS and isinstance(one, str) and isinstance(other, str):
        return phrase_matcher(other)(one)
    if relation in _ALIKE:
        same = values_agree(one, other)
        return same if same is None or relation is not Relation.IS_NOT else not same
    sign = compare_values(one, other)
    return None if sign is None else _ORDERED[relation](sign)


_ORDERED: dict[Relation, Callable[[int], bool]] = {
    Relation.ABOVE: lambda sign: sign > 0,
    Relation.BELOW: lambda sign: sign < 0,
    Relation.AT_LEAST: lambda sign: sign >= 0,
    Relation.AT_MOST: lambda sign: sign <= 0,
}
_COMBINED: dict[
    type[Subtraction] | type[Ratio] | type[Percentage],
    Callable[[ProgramValue | None, ProgramValue | None], ProgramValue | None],
] = {
    Subtraction: subtract,
    Ratio: divide,
    Percentage: compute_percentage,
}


def _quantifier(program: Every | No | Most | Only, met: int, missing: int, all_rows: int, others: int) -> bool | None:
    """Whether enough rows meet a quantifier, whatever the missing cells hold; None where they could change it."""
    match program:
        case Every():
            return False if met + missing < all_rows else None if missing else True
        case No():
            return False if met else None if missing else True
        case Most():
            at_least, at_most = 2 * met > all_rows, 2 * (met + missing) > all_rows
            return at_least if at_least is at_most else None
        case Only():
            return met == all_rows == others


def _test(relation: Relation, term: Term) -> Callable[[str, ProgramValue | None], bool | None]:
    """A test of the text and the value of one cell that is not missing."""
    if relation not in _ALIKE:
        return lambda text, value: related(value, relation, term)
    if not isinstance(term, str):
        return lambda text, value: related(value or text, relation, term)
    said = phrase_matcher(term) if relation is Relation.CONTAINS else partial(same_words, term)
    return lambda text, value: said(text) is not (relation is Relation.IS_NOT)


def _identity(column: Column, row: int) -> Hashable:
    """A key that is equal for cells that hold the same: 1,000 and 1000, "Won" and "won"."""
    value = column.values[row] if column.type in _MEASURED else None
    if isinstance(value, Quantity):
        return sort_key(value, column.unit) if sort_key(value, column.unit) is not None else (value.value, value.unit)
    if isinstance(value, Date):
        return value.year, value.month, value.day, value.years
    return column.texts[row].casefold()


def _exactly(count: int) -> Quantity:
    return Quantity(float(count), step=0.0)


def _and(one: bool | None, other: bool | None) -> bool | None:
    """False as soon as one is, whatever the other; None where one is unknown."""
    if one is False or other is False:
        return False
    return None if one is None or other is None else True
