"""What all rows of a table have together: a total that a claim states, and by how much it changed.

These are tried beside the other exact constructions: nothing but a sum is asked for by "added up" or "all told", and a
sum that comes out exactly is hardly there by chance.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.quantities import Date, Quantity
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.parsing.conditions import CellConditions, has_clash
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.programs.programs import Aggregate, Aggregation, Is, Literal, Relation, Subtraction
from veritab.reason.tables import Column, ColumnType
from veritab.reason.templates.grounding import Grounding, ProgramCandidate, as_count

_TOGETHER = re.compile(
    r"\b(?:add(?:ed|ing)? (?:up|together)|summed|all told|all in all|in all(?! \w)|in total|(?:put|taken) together"
    r"|altogether|all together|together|combined|between them|an? total of|totall?(?:ed|ing|s))\b",
    re.IGNORECASE,
)
_MORE = {"more": 1, "fewer": -1, "less": -1}
_MIN_ROWS, _MANY = 2, 100
_MIN_DIGITS = 3
"""A number of so many digits is not the sum of a column by chance."""


def sums_up(claim: ParsedClaim) -> bool:
    """Whether a claim says by words that it adds up."""
    return bool(_TOGETHER.search(claim.text))


def generate_wholes(grounding: Grounding) -> Iterator[ProgramCandidate]:
    """The total of each column of numbers over the rows that the claim is about, and its change between two columns."""
    numbers = [number for number in grounding.claim.numbers if _can_be_total(grounding, number)]
    said = sums_up(grounding.claim)
    for number in map(grounding.links.number_links.scaled, numbers):
        used = tuple(c for c in grounding.conditions if c.span != number.span and not _is_about_change(grounding, c))
        named = all(isinstance(c.term, str) and not c.is_limit for c in used)
        if has_clash(used) or not named or (used and not said):
            continue
        if _is_more(grounding.claim, number):
            yield from _total_changes(grounding, number, used) if said else ()
            continue
        for column in grounding.links.ordered_columns:
            derived = isinstance(column, DerivedColumn)
            if derived or column.type is not ColumnType.NUMBER or column.unit == "%":
                continue
            if any(c.column == column.number for c in used) or not _can_be_total_of(grounding, number, column):
                continue
            total = Aggregate(Aggregation.SUM, column.number, grounding.where(used))
            if len(grounding.executor.pick(total.rows).rows) < _MIN_ROWS:
                continue
            statement = Is(total, number.relation, Literal(number.value))
            for candidate in grounding.build(statement, "sum", used, (column.number,), number):
                if said or (candidate.truth.holds and number.relation is Relation.IS):
                    yield candidate


def _total_changes(grounding: Grounding, number: StatedNumber, used: CellConditions) -> Iterator[ProgramCandidate]:
    """By how much the totals of two columns differ: "altogether 67 more in 2024 than in 2023"."""
    up = _is_more(grounding.claim, number)
    than = grounding.claim.stems.index("than")
    mentions = grounding.links.header_mentions
    for column in grounding.links.table.columns:
        if not isinstance(column, DerivedColumn) or column.lasts:
            continue
        ends = (column.start, column.end)
        places = [mentions.own_position(one, other) for one, other in (ends, ends[::-1])]
        if None in places or not grounding.can_be_value(number, column.number):
            continue
        first, second = ends if (places[0] or 0) < than else ends[::-1]
        one, other = (Aggregate(Aggregation.SUM, each.number, grounding.where(used)) for each in (first, second))
        apart = Subtraction(one, other) if up > 0 else Subtraction(other, one)
        statement = Is(apart, number.relation, Literal(number.value))
        numbers = (column.start.number, column.end.number)
        yield from grounding.build(statement, "sum change", used, numbers, number)


def _is_more(claim: ParsedClaim, number: StatedNumber) -> int:
    """1 for "five more than", -1 for "five fewer than", 0 for anything else."""
    after = claim.stems[number.span[1] : number.span[1] + 1]
    return _MORE.get(after[0], 0) if after and claim.stems.count("than") == 1 else 0


def _is_about_change(grounding: Grounding, condition: object) -> bool:
    """Whether a phrase is linked to a difference of two columns, which a total is not of."""
    column = getattr(condition, "column", None)
    return isinstance(column, int) and isinstance(grounding.links.table.columns[column], DerivedColumn)


def _can_be_total_of(grounding: Grounding, number: StatedNumber, column: Column) -> bool:
    """Whether a number may be the total of a column: its unit, or the word after it, is not of something else."""
    if not grounding.can_be_value(number, column.number):
        return False
    if isinstance(number.value, Quantity) and number.value.unit:
        return True
    following = grounding.claim.stems[number.span[1] : number.span[1] + 1]
    mention = grounding.links.mentions.get(column.number)
    named = mention is not None and number.span[1] in mention.words
    return named or not following or following[0] in TABLE_STOP_STEMS or not _is_small(number)


def _is_small(number: StatedNumber) -> bool:
    """Whether a number may rather be one of things: "three players"."""
    size = as_count(number)
    return size is not None and size < _MANY


def _can_be_total(grounding: Grounding, number: StatedNumber) -> bool:
    """Whether a number may be a total: no date, no rank, no share, no year and not the number of rows."""
    value = number.value
    if isinstance(value, Date) or value.ordinal or value.unit == "%":
        return False
    if number.span in grounding.links.number_links.ignored:
        return False
    return sums_up(grounding.claim) or len(f"{abs(value.value):.0f}") >= _MIN_DIGITS
