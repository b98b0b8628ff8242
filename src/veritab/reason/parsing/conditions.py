"""Conditions on the cells of a column that phrases of a claim are linked to, and the row programs they make."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from veritab.quantities import Date, Quantity
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.parsing.mentions import HeaderMentions
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import All, Between, Either, Relation, RowProgram, Where
from veritab.reason.programs.values import Term
from veritab.text import Span

_MAX_ALTERNATIVES = 4


@dataclass(frozen=True)
class CellCondition:
    """A phrase of the claim, linked to the cells of one column."""

    span: Span
    column: int
    relation: Relation
    term: Term
    rows: frozenset[int]
    weight: float
    """The share of the cell's words in the phrase, from 0 to 1; for a number, whether cells agree."""
    proximity: float = 0.0
    """How close to the phrase the claim names the column, from 0 to 1."""
    measured: bool = False
    """Whether the number is given in the unit of the column."""
    others: tuple[CellCondition, ...] = ()
    """The other members of a list: "Zulu, Xhosa or Afrikaans"."""

    @property
    def likelihood(self) -> float:
        return self.weight + self.proximity + 0.3 * self.measured

    @property
    def is_limit(self) -> bool:
        return self.relation not in (Relation.IS, Relation.CONTAINS, Relation.IS_NOT)

    @property
    def members(self) -> tuple[CellCondition, ...]:
        """The conditions of a list, or this one alone."""
        return (replace(self, others=()), *self.others) if self.others else (self,)


CellConditions = tuple[CellCondition, ...]


@dataclass(frozen=True)
class Slot:
    """A phrase of the claim and the conditions it may mean, most probable first."""

    span: Span
    conditions: CellConditions
    number: StatedNumber | None = None


def make_condition(
    mentions: HeaderMentions, executor: Executor, span: Span, column: int, relation: Relation, term: Term, weight: float
) -> CellCondition:
    """A condition with the rows that meet it."""
    rows = frozenset(executor.pick(Where(All(), column, relation, term)).rows)
    return CellCondition(span, column, relation, term, rows, weight, mentions.proximity(column, span))


def is_within(inner: Span, outer: Span) -> bool:
    """Whether a phrase is part of another."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def where(conditions: Iterable[CellCondition], rows: RowProgram | None = None) -> RowProgram:
    """The rows that meet all conditions; two limits of one column become a range, a list a disjunction."""
    program = rows or All()
    given = sorted(conditions, key=lambda each: (bool(each.others), each.column, each.span))
    done: set[int] = set()
    for place, condition in enumerate(given):
        if place in done:
            continue
        upper = next((n for n in range(place + 1, len(given)) if _is_range(condition, given[n])), None)
        if upper is None:
            program = _apply(program, condition)
        else:
            done.add(upper)
            low, high = condition.term, given[upper].term
            assert isinstance(low, Quantity | Date)
            assert isinstance(high, Quantity | Date)
            program = Between(program, condition.column, low, high)
    return program


def _apply(program: RowProgram, condition: CellCondition) -> RowProgram:
    picked = [Where(program, each.column, each.relation, each.term) for each in condition.members]
    either: RowProgram = picked[0]
    for other in picked[1:]:
        either = Either(either, other)
    return either


def _is_range(low: CellCondition, high: CellCondition) -> bool:
    same = low.column == high.column and not isinstance(low.term, str) and not isinstance(high.term, str)
    return same and low.relation is Relation.AT_LEAST and high.relation is Relation.AT_MOST


def has_clash(conditions: Iterable[CellCondition]) -> bool:
    """Whether no row can meet all conditions because two of them name different things in one column."""
    named: dict[int, frozenset[int]] = {}
    for condition in conditions:
        if condition.is_limit or not isinstance(condition.term, str):
            continue
        if named.get(condition.column, condition.rows).isdisjoint(condition.rows) and condition.rows:
            return True
        named[condition.column] = condition.rows
    return False


def rank_conditions(conditions: Sequence[CellCondition]) -> list[CellCondition]:
    """The most probable conditions of a phrase, one for each column and kind of relation."""
    ranked = sorted(conditions, key=lambda each: (-each.likelihood, each.column, each.relation))
    best = {(each.column, each.is_limit): each for each in reversed(ranked)}
    return [each for each in ranked if best[each.column, each.is_limit] is each][:_MAX_ALTERNATIVES]


def merge_lists(
    conditions: CellConditions, claim: ParsedClaim, joining: Mapping[int, frozenset[str]]
) -> CellConditions:
    """The conditions with those of one column merged that the claim lists by commas, "and" or "or".

    Between two members there may be words of `joining`, such as those of the header: "Lake Erie and Lake Ontario".
    """
    merged: list[CellCondition] = []
    for condition in conditions:
        last = merged[-1] if merged else None
        if last and _continues_list(last, condition, claim, joining.get(condition.column, frozenset())):
            members = (*last.others, condition)
            merged[-1] = replace(
                last,
                span=(last.span[0], condition.span[1]),
                rows=last.rows | condition.rows,
                weight=min(last.weight, condition.weight),
                others=members,
            )
        else:
            merged.append(condition)
    return tuple(merged)


_JOINT = re.compile(r"[,;/&]|\b(?:and|or|plus|as well as)\b", re.IGNORECASE)
_JOINING = frozenset("and or the a an his her it their with of in for from by as well both".split())


def _continues_list(last: CellCondition, condition: CellCondition, claim: ParsedClaim, header: frozenset[str]) -> bool:
    between = claim.stems[last.span[1] : condition.span[0]]
    written = claim.text[claim.words[last.span[1] - 1].end : claim.words[condition.span[0]].start]
    return (
        last.column == condition.column
        and not last.is_limit
        and not condition.is_limit
        and last.rows.isdisjoint(condition.rows)
        and len(between) <= 3
        and (_JOINING | header).issuperset(between)
        and bool(_JOINT.search(written))
    )
