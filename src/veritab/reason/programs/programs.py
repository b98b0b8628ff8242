"""Logical forms: a small, total language over a typed table.

A program is a value of one of three types: it denotes rows (`Where`, `Top`), a value (`Of`, `Count`, `Aggregate`) or a
truth value (`Is`, `Every`, `Same`). `executor.Executor` executes programs over a table, `english` explains them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from veritab.quantities import NumberOrDate
from veritab.reason.programs.values import Term


class Relation(StrEnum):
    """A relation between two values."""

    IS = "is"
    IS_NOT = "is not"
    CONTAINS = "contains"
    ABOVE = "above"
    BELOW = "below"
    AT_LEAST = "at least"
    AT_MOST = "at most"


OPPOSITE = {
    Relation.IS: Relation.IS_NOT,
    Relation.IS_NOT: Relation.IS,
    Relation.ABOVE: Relation.AT_MOST,
    Relation.AT_MOST: Relation.ABOVE,
    Relation.BELOW: Relation.AT_LEAST,
    Relation.AT_LEAST: Relation.BELOW,
}


# -- programs that denote rows -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class All:
    """Every row."""


@dataclass(frozen=True, slots=True)
class Where:
    """The rows whose cell in a column has a relation to a term."""

    rows: RowProgram
    column: int
    relation: Relation
    term: Term


@dataclass(frozen=True, slots=True)
class Between:
    """The rows whose cell in a column lies between two terms, both included."""

    rows: RowProgram
    column: int
    low: NumberOrDate
    high: NumberOrDate


@dataclass(frozen=True, slots=True)
class Top:
    """The rows with the n-th highest (or lowest) value of a column; several where they tie."""

    rows: RowProgram
    column: int
    highest: bool = True
    place: int = 1


@dataclass(frozen=True, slots=True)
class Best:
    """The n rows with the highest (or lowest) values of a column, ties at the end included."""

    rows: RowProgram
    column: int
    highest: bool
    size: int


@dataclass(frozen=True, slots=True)
class Nth:
    """The n-th row in the order of the table; counted from the end when `place` is negative."""

    rows: RowProgram
    place: int


@dataclass(frozen=True, slots=True)
class Either:
    """The rows of one or the other."""

    one: RowProgram
    other: RowProgram


@dataclass(frozen=True, slots=True)
class Except:
    """The rows of one that the other does not have."""

    rows: RowProgram
    other: RowProgram


RowProgram: TypeAlias = All | Where | Between | Top | Best | Nth | Either | Except


# -- programs that denote a value --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    """A value the claim gives."""

    term: Term


@dataclass(frozen=True, slots=True)
class Of:
    """What a column holds in those rows, where they hold one value."""

    column: int
    rows: RowProgram


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows."""

    rows: RowProgram


@dataclass(frozen=True, slots=True)
class Distinct:
    """How many different values a column has in those rows."""

    column: int
    rows: RowProgram


class Aggregation(StrEnum):
    """How the numbers of a column are aggregated."""

    SUM = "sum"
    MEAN = "mean"
    HIGHEST = "max"
    LOWEST = "min"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The sum, mean, highest or lowest of a column over those rows."""

    aggregation: Aggregation
    column: int
    rows: RowProgram


@dataclass(frozen=True, slots=True)
class MostCommon:
    """The value that most of those rows share in a column."""

    column: int
    rows: RowProgram


@dataclass(frozen=True, slots=True)
class Subtraction:
    """The first value minus the second; between dates, the time that passed."""

    one: ValueProgram
    other: ValueProgram


@dataclass(frozen=True, slots=True)
class Ratio:
    """The first value divided by the second."""

    one: ValueProgram
    other: ValueProgram


@dataclass(frozen=True, slots=True)
class Percentage:
    """What percentage the first value is of the second."""

    part: ValueProgram
    whole: ValueProgram


ValueProgram: TypeAlias = Literal | Of | Count | Distinct | Aggregate | MostCommon | Subtraction | Ratio | Percentage


# -- programs that denote a truth -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Is:
    """One value has a relation to another."""

    one: ValueProgram
    relation: Relation
    other: ValueProgram


@dataclass(frozen=True, slots=True)
class Some:
    """At least one row is there."""

    rows: RowProgram


@dataclass(frozen=True, slots=True)
class Every:
    """Each of the rows is also among the others."""

    rows: RowProgram
    others: RowProgram


@dataclass(frozen=True, slots=True)
class No:
    """None of the rows is among the others."""

    rows: RowProgram
    others: RowProgram


@dataclass(frozen=True, slots=True)
class Most:
    """More than half of the rows are among the others."""

    rows: RowProgram
    others: RowProgram


@dataclass(frozen=True, slots=True)
class Only:
    """The rows are there, and no row outside them is among the others."""

    rows: RowProgram
    others: RowProgram


@dataclass(frozen=True, slots=True)
class Same:
    """All of the rows hold one value in a column."""

    column: int
    rows: RowProgram


@dataclass(frozen=True, slots=True)
class Different:
    """No two of the rows hold the same value in a column."""

    column: int
    rows: RowProgram


@dataclass(frozen=True, slots=True)
class Rising:
    """From the first of the rows to the last, a column never falls (or never rises)."""

    column: int
    rows: RowProgram
    up: bool = True


@dataclass(frozen=True, slots=True)
class Not:
    """The program does not hold."""

    statement: TruthProgram


@dataclass(frozen=True, slots=True)
class And:
    """Both programs hold."""

    one: TruthProgram
    other: TruthProgram


TruthProgram: TypeAlias = Is | Some | Every | No | Most | Only | Same | Different | Rising | Not | And
