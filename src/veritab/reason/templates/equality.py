"""Rows that hold the same or different values, and the most common value."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from veritab.reason.programs.programs import And, Different, Is, Literal, MostCommon, Relation, Same
from veritab.reason.templates.grounding import Grounding, ProgramCandidate, split_target


def generate_equality(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """Whether rows hold the same in a column, all different values, or mostly one of them."""
    if grounding.cues & {"same", "different"}:
        columns = grounding.mentioned_columns()
        for column in columns:
            others = grounding.conditions_beyond(column)
            for chosen in dict.fromkeys((others, tuple(c for c in others if c.others), ())):
                rows = grounding.where(chosen)
                if "same" in grounding.cues:
                    yield from grounding.build(Same(column, rows), "all same", chosen, (column,))
                if "different" in grounding.cues:
                    yield from grounding.build(Different(column, rows), "all different", chosen, (column,))
        if grounding.claim.stems.count("same") > 1:
            named = [column for column in columns if grounding.links.header_mentions.weight(column) > 0.5]
            for one, other in combinations(named, 2):
                chosen = tuple(c for c in grounding.conditions if c.column not in (one, other))
                both = And(Same(one, grounding.where(chosen)), Same(other, grounding.where(chosen)))
                yield from grounding.build(both, "both same", chosen, (one, other))
    if grounding.cues & {"common", "most_of", "high"}:
        for filters, target in split_target(grounding.conditions):
            if isinstance(target.term, str) and not target.others:
                commonest = MostCommon(target.column, grounding.where(filters))
                statement = Is(commonest, Relation.IS, Literal(target.term))
                yield from grounding.build(statement, "commonest", (*filters, target))
