"""Counts of rows or distinct values, and shares of a whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from veritab.quantities import Quantity
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.parsing.conditions import CellConditions, has_clash
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    Count,
    Distinct,
    Is,
    Literal,
    Of,
    Percentage,
    Relation,
    ValueProgram,
)
from veritab.reason.tables import ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate, as_count, split_target

_MAX_NUMBERS = 3
_MAX_SUBSETS = 12
_ONE = Quantity(1.0, step=0.0)


def generate_counts(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """How many rows, how many different values, what share of rows or of a sum."""
    most = 2 * grounding.links.table.height + 5
    numbers = [number for number in grounding.free_numbers if (size := as_count(number)) is not None and size <= most]
    for number in numbers[:_MAX_NUMBERS]:
        literal = Literal(number.value)
        for chosen in _subsets(grounding.conditions):
            count = Is(Count(grounding.where(chosen)), number.relation, literal)
            yield from grounding.build(count, "count", chosen, (), number)
        for column in grounding.mentioned_columns():
            for chosen in dict.fromkeys((grounding.conditions_beyond(column), ())):
                distinct = Is(Distinct(column, grounding.where(chosen)), number.relation, literal)
                yield from grounding.build(distinct, "distinct", chosen, (column,), number)
    if "only" in grounding.cues:
        for chosen in _subsets(grounding.conditions):
            one = Is(Count(grounding.where(chosen)), Relation.IS, Literal(_ONE))
            yield from grounding.build(one, "only one", chosen)
    yield from _shares(grounding)


def _subsets(conditions: CellConditions) -> list[CellConditions]:
    """All conditions, each pair, each alone, none."""
    chosen = [conditions, *combinations(conditions, 2), *((c,) for c in conditions), ()]
    return [subset for subset in dict.fromkeys(chosen) if not has_clash(subset)][:_MAX_SUBSETS]


def _shares(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """What percentage of the rows, or of the sum of a column, belongs to some of them."""
    percentages = [n for n in grounding.claim.numbers if isinstance(n.value, Quantity) and n.value.unit == "%"]
    for number in percentages[:_MAX_NUMBERS]:
        conditions = tuple(c for c in grounding.conditions if c.span != number.span)
        for others, target in split_target(conditions):
            part, every = grounding.where((*others, target)), grounding.where(others)
            used = (*others, target)
            share = Is(Percentage(Count(part), Count(every)), number.relation, Literal(number.value))
            yield from grounding.build(share, "share", used, (), number)
            yield from _shares_of_sums(grounding, number, others, used)


def _shares_of_sums(
    grounding: Grounding, number: StatedNumber, others: CellConditions, used: CellConditions
) -> Iterator[ProgramCandidate]:
    columns = grounding.links.table.columns
    for column in grounding.ordered[:3]:
        if columns[column].type is not ColumnType.NUMBER or any(c.column == column for c in used):
            continue
        part = Aggregate(Aggregation.SUM, column, grounding.where(used))
        if columns[column].unit == "%":
            if len(used) == 1 and not used[0].others:
                continue  # What one row has is looked up.
            said = Is(part, number.relation, Literal(number.value))
            yield from grounding.build(said, "share given", used, (column,), number)
            continue
        for whole_sum, kept in _wholes(grounding, column, others, used):
            share = Is(Percentage(part, whole_sum), number.relation, Literal(number.value))
            yield from grounding.build(share, "share of sum", kept, (column,), number)


def _wholes(
    grounding: Grounding, column: int, others: CellConditions, used: CellConditions
) -> Iterator[tuple[ValueProgram, CellConditions]]:
    """What a share may be a share of: the sum over all rows, or over the rows of the other conditions."""
    yield Aggregate(Aggregation.SUM, column, grounding.where(others)), used
    for whole_row in grounding.conditions:
        if whole_row not in used and len(whole_row.rows) == 1:
            yield Of(column, grounding.where([whole_row])), (*used, whole_row)
