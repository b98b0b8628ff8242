"""Rough numbers: "about 150", "nearly double", "slightly more than"."""

from __future__ import annotations

from collections.abc import Sequence

from veritab.lexicon.accounting import HEDGES, HEDGES_BELOW
from veritab.quantities import Quantity, convert

# As shares of the number: up to the first a rough number holds, from the second on it does not; between, who knows.
_HOLDS, _FAILS = 0.05, 0.15
_HOLDS_BELOW, _FAILS_BELOW = 0.10, 0.20
_FAILS_BY_DIGITS = {1: _FAILS, 2: 0.11}
_FAILS_EXACT = 0.06
"""A number of three digits is less rough than one of one: 384 is not about 348, while 8.9 may be about 8."""
_SLIGHT_HOLDS, _SLIGHT_FAILS = 0.10, 0.25
_YEARS = 1.0
ROUGH_STEP = 2 * _HOLDS
"""The step of a rough number, as a share of it."""


def hedge_before(words: Sequence[str]) -> str:
    """The word right before a number that makes it a rough one, if any; articles between them do not count."""
    said = [word for word in words if word not in ("a", "an", "the", "of", "to")]
    return said[-1] if said and said[-1] in HEDGES else ""


def hedge_of(words: Sequence[str], start: int, end: int) -> str:
    """The word that makes the number at these positions a rough one: before it, or read as part of it."""
    inside = next((word for word in words[start:end] if word in HEDGES), "")
    return inside or hedge_before(words[max(start - 4, 0) : start])


def holds_roughly(value: Quantity, stated: Quantity, hedge: str) -> bool | None:
    """Whether a value is about what a claim says; None where opinions differ."""
    converted = convert(value, stated.unit) if value.unit and stated.unit and value.unit != stated.unit else value
    if converted is None or not stated.value:
        return None
    apart = converted.value / stated.value - 1
    # Ages and terms are given to the year.
    rounding = 1.01 * _YEARS / abs(stated.value) if stated.unit == "year" else 0.0
    fails = _FAILS_BY_DIGITS.get(_count_digits(stated.value), _FAILS_EXACT)
    holds, fails = (min(_HOLDS, rounding), max(_FAILS, 3 * rounding)) if rounding else (_HOLDS, fails)
    if hedge in HEDGES_BELOW:
        if -_HOLDS_BELOW <= apart <= 0:
            return True
        return False if apart <= -max(_FAILS_BELOW, fails) or apart >= max(_HOLDS, holds) else None
    if abs(apart) <= holds:
        return True
    return False if abs(apart) >= fails else None


def is_slight(value: Quantity, stated: Quantity) -> bool | None:
    """Whether a value is slightly more or less than another; None where opinions differ."""
    converted = convert(value, stated.unit) if value.unit and stated.unit and value.unit != stated.unit else value
    if converted is None or not stated.value:
        return None
    apart = abs(converted.value / stated.value - 1)
    return True if apart <= _SLIGHT_HOLDS else False if apart >= _SLIGHT_FAILS else None


def _count_digits(number: float) -> int:
    """The digits of a number that are not zeros at its end: three of 348,000."""
    return len(f"{abs(number):.6g}".partition("e")[0].replace(".", "").strip("0"))
