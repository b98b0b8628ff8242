"""The claim counts rows or different values, or says what share of the whole something is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from veritab.quantities import Quantity
from veritab.reason.parsing.claims import Stated
from veritab.reason.parsing.conditions import Conditions, clash
from veritab.reason.programs.programs import (
    Count,
    Distinct,
    Fold,
    Folded,
    Is,
    Literal,
    Of,
    Relation,
    Share,
    ValueProgram,
)
from veritab.reason.tables import ColumnType
from veritab.reason.templates.reading import Candidate, Reading, splits, whole

_MOST_NUMBERS = 3
_MOST_SUBSETS = 12
_ONE = Quantity(1.0, step=0.0)


def counts(reading: Reading) -> Iterator[Candidate]:
    """How many rows, how many different values, what share of rows or of a sum."""
    most = 2 * reading.links.table.height + 5
    numbers = [number for number in reading.free_numbers if (size := whole(number)) is not None and size <= most]
    for number in numbers[:_MOST_NUMBERS]:
        literal = Literal(number.value)
        for chosen in _subsets(reading.conditions):
            count = Is(Count(reading.where(chosen)), number.relation, literal)
            yield from reading.made(count, "count", chosen, (), number)
        for column in reading.asked_columns():
            for chosen in dict.fromkeys((reading.without(column), ())):
                distinct = Is(Distinct(column, reading.where(chosen)), number.relation, literal)
                yield from reading.made(distinct, "distinct", chosen, (column,), number)
    if "only" in reading.signs:
        for chosen in _subsets(reading.conditions):
            one = Is(Count(reading.where(chosen)), Relation.IS, Literal(_ONE))
            yield from reading.made(one, "only one", chosen)
    yield from _shares(reading)


def _subsets(conditions: Conditions) -> list[Conditions]:
    """All conditions, each pair, each alone, none."""
    chosen = [conditions, *combinations(conditions, 2), *((c,) for c in conditions), ()]
    return [subset for subset in dict.fromkeys(chosen) if not clash(subset)][:_MOST_SUBSETS]


def _shares(reading: Reading) -> Iterator[Candidate]:
    """What percentage of the rows, or of the sum of a column, belongs to some of them."""
    percentages = [n for n in reading.asked.numbers if isinstance(n.value, Quantity) and n.value.unit == "%"]
    for number in percentages[:_MOST_NUMBERS]:
        conditions = tuple(c for c in reading.conditions if c.span != number.span)
        for others, target in splits(conditions):
            part, every = reading.where((*others, target)), reading.where(others)
            used = (*others, target)
            share = Is(Share(Count(part), Count(every)), number.relation, Literal(number.value))
            yield from reading.made(share, "share", used, (), number)
            yield from _shares_of_sums(reading, number, others, used)


def _shares_of_sums(reading: Reading, number: Stated, others: Conditions, used: Conditions) -> Iterator[Candidate]:
    columns = reading.links.table.columns
    for column in reading.ordered[:3]:
        if columns[column].type is not ColumnType.NUMBER or any(c.column == column for c in used):
            continue
        part = Folded(Fold.SUM, column, reading.where(used))
        if columns[column].unit == "%":
            if len(used) == 1 and not used[0].others:
                continue  # What one row has is looked up.
            said = Is(part, number.relation, Literal(number.value))
            yield from reading.made(said, "share given", used, (column,), number)
            continue
        for whole_sum, kept in _wholes(reading, column, others, used):
            share = Is(Share(part, whole_sum), number.relation, Literal(number.value))
            yield from reading.made(share, "share of sum", kept, (column,), number)


def _wholes(
    reading: Reading, column: int, others: Conditions, used: Conditions
) -> Iterator[tuple[ValueProgram, Conditions]]:
    """What a share may be a share of: the sum over all rows, or over those the claim speaks of."""
    yield Folded(Fold.SUM, column, reading.where(others)), used
    for whole_row in reading.conditions:
        if whole_row not in used and len(whole_row.rows) == 1:
            yield Of(column, reading.where([whole_row])), (*used, whole_row)
