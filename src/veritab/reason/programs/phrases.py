"""Programs in English: "the rows where Points is above 30", "Points of Ohio State is above Points of Purdue"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from veritab.quantities import Date, Quantity
from veritab.reason.programs.printing import format_value, ordinal_word, quote_value, truncate
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    Best,
    Between,
    Count,
    Distinct,
    Either,
    Except,
    Literal,
    MostCommon,
    Nth,
    Of,
    Percentage,
    Ratio,
    Relation,
    RowProgram,
    Subtraction,
    Top,
    ValueProgram,
    Where,
)
from veritab.reason.tables import ColumnType, TypedTable

_MAX_NAME = 40
_MAX_TERM = 60

RowFilter: TypeAlias = Where | Between
# What follows the name of a column in "Points is above 30" and "has Points above 30".
_IS = {
    Relation.IS: "is {}", Relation.IS_NOT: "is not {}", Relation.CONTAINS: "contains {}", Relation.ABOVE: "is above {}",
    Relation.BELOW: "is below {}", Relation.AT_LEAST: "is at least {}", Relation.AT_MOST: "is at most {}",
}  # fmt: skip
_IS_DATE = _IS | {
    Relation.ABOVE: "is after {}", Relation.BELOW: "is before {}", Relation.AT_LEAST: "is {} or later",
    Relation.AT_MOST: "is {} or earlier",
}  # fmt: skip
_HAS = {Relation.IS: "{}", Relation.IS_NOT: "other than {}", Relation.CONTAINS: "containing {}"}


def split_filters(rows: RowProgram) -> tuple[RowProgram, tuple[RowFilter, ...]]:
    """The rows that conditions filter, and the conditions, in order."""
    conditions: list[RowFilter] = []
    while isinstance(rows, Where | Between):
        conditions.append(rows)
        rows = rows.rows
    return rows, tuple(reversed(conditions))


@dataclass(frozen=True, eq=False)
class Verbalizer:
    """Verbalizes programs in the words of one table."""

    table: TypedTable
    full_name: Callable[[Where], str] | None = None
    """Gives the full name of the row that a part of it identifies, or nothing where several rows match."""

    # -- columns

    def column(self, number: int) -> str:
        return truncate(self.table.columns[number].name, _MAX_NAME)

    def is_dated(self, column: int) -> bool:
        return self.table.columns[column].type is ColumnType.DATE

    def extreme(self, column: int, highest: bool) -> str:
        if self.is_dated(column):
            return "latest" if highest else "earliest"
        return "highest" if highest else "lowest"

    # -- conditions

    def condition(self, condition: RowFilter) -> str:
        """A condition as a sentence: Points is above 30."""
        name = self.column(condition.column)
        if isinstance(condition, Between):
            return f"{name} is between {quote_value(condition.low)} and {quote_value(condition.high)}"
        return f"{name} {self.related(condition)}"

    def related(self, condition: Where) -> str:
        dated = isinstance(condition.term, Date) and self.table.columns[condition.column].type is not ColumnType.NUMBER
        return (_IS_DATE if dated else _IS)[condition.relation].format(quote_value(condition.term))

    def has(self, condition: RowFilter) -> str:
        """A condition as what a row has: Points above 30."""
        name = self.column(condition.column)
        if isinstance(condition, Between):
            return f"{name} between {quote_value(condition.low)} and {quote_value(condition.high)}"
        if condition.relation is Relation.IS and isinstance(condition.term, Quantity):
            return f"{name} of {quote_value(condition.term)}"
        said = _HAS[condition.relation].format(quote_value(condition.term)) if condition.relation in _HAS else ""
        return f"{name} {said or self.related(condition).removeprefix('is ')}"

    def all_of(self, conditions: Sequence[RowFilter]) -> str:
        return " and ".join(map(self.condition, conditions))

    def name_of(self, condition: RowFilter) -> str:
        """The name of the row that a condition on the key column identifies."""
        if not isinstance(condition, Where) or condition.column != self.table.key:
            return ""
        if condition.relation is Relation.CONTAINS and self.full_name:
            return self.full_name(condition)
        return truncate(format_value(condition.term), _MAX_TERM) if condition.relation is Relation.IS else ""

    # -- rows

    def rows(self, program: RowProgram) -> str:
        """Rows as a phrase with its article."""
        base, conditions = split_filters(program)
        if conditions:
            if isinstance(base, All):
                name = self.name_of(conditions[0]) if len(conditions) == 1 else ""
                return name or f"the rows where {self.all_of(conditions)}"
            return f"those of {self.rows(base)} where {self.all_of(conditions)}"
        match base:
            case Top() | Best() | Nth():
                return self._chosen(base)
            case Either():
                return f"{self.rows(base.one)} and {self.rows(base.other)}"
            case Except():
                return f"{self.rows(base.rows)} except {self.rows(base.other)}"
            case _:
                return "all rows"

    def _chosen(self, program: Top | Best | Nth) -> str:
        among = self.among(program.rows)
        if isinstance(program, Nth):
            last = "last" if program.place == -1 else f"{ordinal_word(-program.place)} to last"
            return f"the {ordinal_word(program.place) if program.place > 0 else last} row{among}"
        extreme = f"{self.extreme(program.column, program.highest)} {self.column(program.column)}{among}"
        if isinstance(program, Best):
            return f"the {program.size:,} rows with the {extreme}"
        return f"the row with the {'' if program.place == 1 else ordinal_word(program.place) + ' '}{extreme}"

    def bare(self, program: RowProgram) -> str:
        """Rows as a phrase without an article, to be counted."""
        base, conditions = split_filters(program)
        if not isinstance(base, All):
            return self.rows(program)
        return f"rows where {self.all_of(conditions)}" if conditions else "rows"

    def among(self, program: RowProgram) -> str:
        """The phrase for the rows among which a value or a row is; empty for all rows."""
        base, conditions = split_filters(program)
        if isinstance(base, All):
            return f" where {self.all_of(conditions)}" if conditions else ""
        return f" among {self.rows(program)}"

    def which(self, program: RowProgram) -> str:
        """The phrase for the rows of a column; empty for all rows."""
        base, conditions = split_filters(program)
        if isinstance(base, All) and not (len(conditions) == 1 and self.name_of(conditions[0])):
            return self.among(program)
        return f" of {self.rows(program)}"

    # -- values

    def value(self, program: ValueProgram) -> str:
        """A value as a phrase."""
        match program:
            case Literal():
                return quote_value(program.term)
            case Of():
                return f"{self.column(program.column)}{self.which(program.rows)}"
            case Count():
                return f"the number of {self.bare(program.rows)}"
            case Distinct():
                return f"the number of different values of {self.column(program.column)}{self.among(program.rows)}"
            case Aggregate():
                return f"the {self.aggregation(program)}{self.column(program.column)}{self.among(program.rows)}"
            case MostCommon():
                return f"the commonest {self.column(program.column)}{self.among(program.rows)}"
            case Subtraction():
                return f"{self._part(program.one)} less {self._part(program.other)}"
            case Ratio():
                return f"{self._part(program.one)} divided by {self._part(program.other)}"
            case Percentage():
                return f"{self._part(program.part)} as a share of {self._part(program.whole)}"

    def aggregation(self, program: Aggregate) -> str:
        if program.aggregation in (Aggregation.HIGHEST, Aggregation.LOWEST):
            return f"{self.extreme(program.column, program.aggregation is Aggregation.HIGHEST)} "
        return "sum of " if program.aggregation is Aggregation.SUM else "mean "

    def _part(self, program: ValueProgram) -> str:
        text = self.value(program)
        return f"({text})" if isinstance(program, Subtraction | Ratio | Percentage) else text

    def subject(self, conditions: Sequence[RowFilter]) -> tuple[str, tuple[RowFilter, ...]]:
        """The row that one of the conditions names, and the other conditions; no name where none does."""
        for number, condition in enumerate(conditions):
            if name := self.name_of(condition):
                return name, (*conditions[:number], *conditions[number + 1 :])
        return "", tuple(conditions)

    def predicate(self, others: RowProgram, *, many: bool) -> str:
        """The predicate of rows that are among others: have Points above 30."""
        base, conditions = split_filters(others)
        if not isinstance(base, All) or not conditions:
            return f"{'are' if many else 'is'} among {self.rows(others)}"
        name, rest = self.subject(conditions)
        if name and not rest:
            return f"{'are' if many else 'is'} {name}"
        return f"{'have' if many else 'has'} {' and '.join(map(self.has, conditions))}"
