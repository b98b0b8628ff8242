"""Programs that account for every word of a claim and still set two things against each other that do not compare.

"Ada led 14 people in 1907" may be a row of 1907 whose only number is the day of a return; "the lamps got £174,000" may
stand as 174 in a column of thousands whose header does not say so. Nothing is answered then: a reader sees more.
"""

from __future__ import annotations

import re

from veritab.quantities import Date, Quantity
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import (
    And,
    Count,
    Is,
    Literal,
    Not,
    Of,
    Relation,
    Some,
    TruthProgram,
    ValueProgram,
    Where,
)

_TIMES = re.compile(r"\b(?:times|occasions|rows|lines|entries|twice|once)\b", re.IGNORECASE)
_YEAR = re.compile(r"\b(?:1[5-9]|20)\d\d\b")
_PLACE = re.compile(r"\b(?:first|second|third|fourth|fifth|last|final)\b")
_SCALES = (1e3, 1e6)
_EQUAL = 0.01
_LEAST_SCALED = 1000
_SMALL = 20


def is_doubtful(claim: str, program: TruthProgram, executor: Executor, holds: bool) -> bool:
    """Whether an answer by this program may rest on two things that do not compare."""
    match program:
        case And(first, second):
            return is_doubtful(claim, first, executor, holds) or is_doubtful(claim, second, executor, holds)
        case Not(statement):
            return is_doubtful(claim, statement, executor, not holds)
        case Is(Of(column), _, Literal()) | Some(Where(_, column, _, Quantity())) if _names_another(
            claim, executor.table.columns[column].name
        ):
            return True
        case Is(one, Relation.IS, Literal(Quantity() as stated)) if not stated.ordinal:
            value = executor.compute(one).value
            return _is_rounded_half(value, stated) if holds else _do_not_compare(claim, one, value, stated)
        case Some(Where(rows, column, Relation.IS, Quantity() as stated)) if not holds:
            one = Of(column, rows)
            return _do_not_compare(claim, one, executor.compute(one).value, stated)
    return False


def _names_another(claim: str, header: str) -> bool:
    """Whether a claim speaks of 2016 or of the second ballot, and the column of 2020 or of the first."""
    return any(
        found and named and found.isdisjoint(named)
        for found, named in (
            (set(pattern.findall(claim.lower())), set(pattern.findall(header.lower()))) for pattern in (_YEAR, _PLACE)
        )
    )


def _is_rounded_half(value: object, stated: Quantity) -> bool:
    """Two match points are not two and a half."""
    return (
        isinstance(value, Quantity)
        and stated.step == 1
        and abs(stated.value) < _SMALL
        and abs(value.value % 1 - 0.5) < _EQUAL
        and stated.unit == value.unit
    )


def _do_not_compare(claim: str, one: ValueProgram, value: object, stated: Quantity) -> bool:
    if isinstance(value, Date):
        return True
    if not isinstance(value, Quantity):
        return False
    if isinstance(one, Count):
        # The 4 of "Loomwright 4" is part of a name; a number in words counts.
        in_digits = re.search(rf"\b{int(stated.value)}\b", claim) is not None
        return value.value <= 1 < stated.value and in_digits and not _TIMES.search(claim)
    return (
        bool(value.value)
        and stated.value >= _LEAST_SCALED
        and any(abs(stated.value / (value.value * scale) - 1) <= _EQUAL for scale in _SCALES)
    )
