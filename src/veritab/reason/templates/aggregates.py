"""Sums and means of a column."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.quantities import Quantity
from veritab.reason.parsing.conditions import has_clash
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import Aggregate, Aggregation, Is, Literal
from veritab.reason.tables import ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate

_MAX_NUMBERS = 3

_CHANGING = frozenset({"rise", "fall", "difference"})


def generate_aggregates(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """The sum or mean of a column over some rows, against a number."""
    wanted = [
        aggregation
        for cue, aggregation in (("sum", Aggregation.SUM), ("mean", Aggregation.MEAN))
        if cue in grounding.cues
    ]
    columns = [c for c in grounding.ordered if _adds_up(grounding, c)]
    for aggregation in wanted:
        for column in columns:
            others = grounding.conditions_beyond(column)
            numbers = [number for number in grounding.numbers_for(column) if isinstance(number.value, Quantity)]
            for number in numbers[:_MAX_NUMBERS]:
                for filters in dict.fromkeys((() if has_clash(others) else others, (), *((c,) for c in others))):
                    total = Aggregate(aggregation, column, grounding.where(filters))
                    statement = Is(total, number.relation, Literal(number.value))
                    yield from grounding.build(statement, aggregation.value, filters, (column,), number)


def _adds_up(grounding: Grounding, column: int) -> bool:
    """Whether a claim may aggregate a column; a derived difference only where the claim is about change."""
    typed = grounding.links.table.columns[column]
    changes = isinstance(typed, DerivedColumn) and not typed.lasts
    return typed.type is ColumnType.NUMBER and not (changes and grounding.cues.isdisjoint(_CHANGING))
