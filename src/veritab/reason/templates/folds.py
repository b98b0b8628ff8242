"""The claim adds up or averages a column."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.quantities import Quantity
from veritab.reason.parsing.conditions import clash
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import Fold, Folded, Is, Literal
from veritab.reason.tables import ColumnType
from veritab.reason.templates.reading import Candidate, Reading

_MOST_NUMBERS = 3

_CHANGING = frozenset({"rise", "fall", "difference"})


def folds(reading: Reading) -> Iterator[Candidate]:
    """The sum or mean of a column over some rows, against a number."""
    asked = [fold for sign, fold in (("sum", Fold.SUM), ("mean", Fold.MEAN)) if sign in reading.signs]
    columns = [c for c in reading.ordered if _adds_up(reading, c)]
    for fold in asked:
        for column in columns:
            others = reading.without(column)
            numbers = [number for number in reading.numbers_for(column) if isinstance(number.value, Quantity)]
            for number in numbers[:_MOST_NUMBERS]:
                for filters in dict.fromkeys((() if clash(others) else others, (), *((c,) for c in others))):
                    total = Folded(fold, column, reading.where(filters))
                    statement = Is(total, number.relation, Literal(number.value))
                    yield from reading.made(statement, fold.value, filters, (column,), number)


def _adds_up(reading: Reading, column: int) -> bool:
    """Whether a claim may add up a column: what one column has more than another only where it speaks of change."""
    typed = reading.links.table.columns[column]
    changes = isinstance(typed, DerivedColumn) and not typed.lasts
    return typed.type is ColumnType.NUMBER and not (changes and reading.signs.isdisjoint(_CHANGING))
