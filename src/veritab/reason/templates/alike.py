"""The claim says that things are alike or different, or which value is the commonest."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from veritab.reason.programs.programs import And, Commonest, Different, Is, Literal, Relation, Same
from veritab.reason.templates.reading import Candidate, Reading, splits


def alike(reading: Reading) -> Iterator[Candidate]:
    """Whether rows hold the same in a column, all different values, or mostly one of them."""
    if reading.signs & {"same", "different"}:
        columns = reading.asked_columns()
        for column in columns:
            others = reading.without(column)
            for chosen in dict.fromkeys((others, tuple(c for c in others if c.others), ())):
                rows = reading.where(chosen)
                if "same" in reading.signs:
                    yield from reading.made(Same(column, rows), "all same", chosen, (column,))
                if "different" in reading.signs:
                    yield from reading.made(Different(column, rows), "all different", chosen, (column,))
        if reading.asked.stems.count("same") > 1:
            named = [column for column in columns if reading.links.named.weight(column) > 0.5]
            for one, other in combinations(named, 2):
                chosen = tuple(c for c in reading.conditions if c.column not in (one, other))
                both = And(Same(one, reading.where(chosen)), Same(other, reading.where(chosen)))
                yield from reading.made(both, "both same", chosen, (one, other))
    if reading.signs & {"common", "most_of", "high"}:
        for filters, target in splits(reading.conditions):
            if isinstance(target.term, str) and not target.others:
                commonest = Commonest(target.column, reading.where(filters))
                statement = Is(commonest, Relation.IS, Literal(target.term))
                yield from reading.made(statement, "commonest", (*filters, target))
