"""Values of evidence as a claim writes its own: in figures or in words, in its unit, as a year alone."""

from __future__ import annotations

import re

from veritab.lexicon.numbers import ORDINALS, SMALL_CARDINALS
from veritab.quantities import Date, NumberOrDate, Quantity, dimension, parse_numbers

_FIGURES = re.compile(r"\d(?:[\d.,]*\d)?")
_CARDINALS = {number: word for word, number in SMALL_CARDINALS.items()}
_ORDINALS = {number: word for word, number in ORDINALS.items()}


def is_as_exact(one: NumberOrDate, other: NumberOrDate) -> bool:
    """Whether one date says as much as another: a year does not say the day. Of numbers, either does."""
    if isinstance(one, Date) and isinstance(other, Date):
        return (one.month is not None or other.month is None) and (one.day is not None or other.day is None)
    return isinstance(one, Quantity) and isinstance(other, Quantity)


def unit_of(value: NumberOrDate) -> str:
    return value.unit if isinstance(value, Quantity) else ""


def are_alike(one: NumberOrDate, other: NumberOrDate) -> bool:
    """Whether a value may stand where another one stands."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        units = {one.unit, other.unit}
        return "" in units or len({dimension(unit) for unit in units}) == 1
    return is_as_exact(other, one)


def write_value(old: str, new: str, value: NumberOrDate) -> str:
    """A value in the words of the evidence, or as the claim writes its own: in words, in figures, as a year alone."""
    if written := _write_number(old, new, value):
        return written
    if isinstance(value, Date):
        is_year = old.isdecimal() and value.year is not None
        return str(abs(value.year or 0)) if is_year else new
    number = int(value.value) if value.value == int(value.value) else -1
    known = _ORDINALS if old.lower() in ORDINALS else _CARDINALS
    if old.isalpha() and number in known:
        return known[number].capitalize() if old[0].isupper() else known[number]
    if new.isalpha() and number >= 0:
        return re.sub(r"\d[\d.,]*(?:st|nd|rd|th)?", _ordinal(number) if old[-1:].isalpha() else str(number), old)
    return new


def _write_number(old: str, new: str, value: NumberOrDate) -> str:
    """The old text with the new number in it, where that says the same: "19 metres" for "19 m"; else nothing."""
    number = _FIGURES.search(new)
    if not number or not isinstance(value, Quantity) or not value.unit or not _FIGURES.search(old):
        return ""
    written = _FIGURES.sub(number[0], old, count=1)
    (again, *_) = parse_numbers(written) or (None,)
    is_same = isinstance(again, Quantity) and again.unit == value.unit and again.value == value.value
    return written if is_same else ""


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
