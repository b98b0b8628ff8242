"""Limits that claims set to numbers and dates ("more than 24", "before 1960"), held against the values of a text.

A model reads "more than 64 %" and "less than 64 %" much alike; arithmetic does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from veritab.quantities import Date, NumberOrDate, Quantity, compare, parse_numbers
from veritab.text import Span, stem

_UP = "more than|greater than|higher than|larger than|longer than|over|above|after|at least"
_DOWN = "less than|fewer than|lower than|smaller than|shorter than|under|below|before|at most"
_BOUND = re.compile(rf"\b(?:(?P<up>{_UP})|(?P<down>{_DOWN})) (?=(?:[$€£#]|the )?\s?\w)", re.IGNORECASE)
_SHARE = re.compile(r"(?<![\d.,/])(\d{1,3}(?:\.\d+)?) ?(?:/|out of) ?(10|100|5)(?![\d/,]|\.\d)")
"""A mark of so many, which claims write as percent too."""
_FARTHEST = 5
_FARTHEST_FACTOR = 3.0
"""Values that differ by more than this are hardly those of the same thing."""


class Bound(NamedTuple):
    """A limit: its words, and the value that it is set to."""

    span: Span
    """Of the words, with the space after them."""
    is_above: bool
    is_strict: bool
    value: NumberOrDate
    after: str
    """The stem of the word after the value: what is counted."""


class SaidValue(NamedTuple):
    """A value of a text, the stem of the word after it, and the limit it is set to, if any: 1 above, -1 below."""

    value: NumberOrDate
    after: str
    bound: int = 0


def find_bounds(text: str) -> list[Bound]:
    """The limits that a text sets to numbers and dates."""
    found = []
    values = parse_numbers(text)
    for match in _BOUND.finditer(text):
        value = next((each for each in values if match.end() <= each.span[0] <= match.end() + _FARTHEST), None)
        if value is not None:
            strict = not match[0].lower().startswith("at ")
            found.append(Bound(match.span(), bool(match["up"]), strict, value, word_after(text, value.span[1])))
    return found


def read_values(text: str) -> Iterator[SaidValue]:
    """The values of a text, with the limits it sets to them."""
    limits = {bound.value.span: 1 if bound.is_above else -1 for bound in find_bounds(text)}
    for share in _SHARE.finditer(text):
        percent = 100 * float(share[1]) / float(share[2])
        yield SaidValue(Quantity(percent, "%", share.span()), word_after(text, share.end()))
    for value in parse_numbers(text):
        yield SaidValue(value, word_after(text, value.span[1]), limits.get(value.span, 0))


def word_after(text: str, place: int) -> str:
    """The stem of the word that follows a place, over a bracket or a sign."""
    match = re.match(r"[^\w%]*([\w%]+)", text[place:])
    return stem(match[1]) if match else ""


def is_kept(bound: Bound, said: Iterable[SaidValue]) -> bool | None:
    """Whether the value that a text gives for the same thing surely keeps a limit; None where it gives none."""
    near = sorted(
        (each for each in said if _may_be_same(bound.value, each.value)), key=lambda each: _apart(bound, each)
    )
    if not near or _apart(bound, near[0]) > math.log(_FARTHEST_FACTOR):
        return None
    same = [each for each in near if each.after == bound.after and each.after] or near
    nearest = same[0]
    # What rounding would forgive counts: 16 million is less than 16.5 million.
    order = compare(nearest.value, bound.value, exact=True)
    if order is None:
        return None
    if order == 0:
        return not bound.is_strict or nearest.bound == (1 if bound.is_above else -1)
    # Over 400 songs may be fewer than 500, or more.
    if nearest.bound and (nearest.bound > 0) is not (order > 0):
        return False
    return (order > 0) is bound.is_above


def _may_be_same(one: NumberOrDate, other: NumberOrDate) -> bool:
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return one.unit == other.unit and one.ordinal is other.ordinal
    return isinstance(one, Date) and isinstance(other, Date) and compare(one, other) is not None


def _apart(bound: Bound, said: SaidValue) -> float:
    one, other = bound.value, said.value
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        if one.value > 0 and other.value > 0:
            return abs(math.log(one.value / other.value))
        return 0.0 if one.value == other.value else math.inf
    if isinstance(one, Date) and isinstance(other, Date) and one.year is not None and other.year is not None:
        return abs(one.year - other.year) / 100
    return 0.0
