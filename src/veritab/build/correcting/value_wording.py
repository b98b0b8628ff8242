"""Values of evidence as a claim writes its own: in figures or in words, in its unit, as a year alone."""

from __future__ import annotations

import re
from dataclasses import replace

from veritab.lexicon.numbers import MONTH_NAMES, ORDINALS, SMALL_CARDINALS
from veritab.quantities import Date, NumberOrDate, Quantity, dimension, parse_numbers

_FIGURES = re.compile(r"\d(?:[\d.,]*\d)?")
_CARDINALS = {number: word for word, number in SMALL_CARDINALS.items()}
_ORDINALS = {number: word for word, number in ORDINALS.items()}
_MONTHS_WITH_STOP = tuple(f"{month}." for month in MONTH_NAMES)
_HIGHEST_RANK = 100


def find_values(text: str) -> list[NumberOrDate]:
    """The values of a text, without the stop after a month that ends a sentence."""
    return [
        replace(value, span=(start, end - 1)) if text[start:end].endswith(_MONTHS_WITH_STOP) else value
        for value in parse_numbers(text)
        for start, end in (value.span,)
    ]


def is_as_exact(one: NumberOrDate, other: NumberOrDate) -> bool:
    """Whether one date says as much as another: a year does not say the day. Of numbers, either does."""
    if isinstance(one, Date) and isinstance(other, Date):
        return (one.month is not None or other.month is None) and (one.day is not None or other.day is None)
    return isinstance(one, Quantity) and isinstance(other, Quantity)


def unit_of(value: NumberOrDate) -> str:
    return value.unit if isinstance(value, Quantity) else ""


def are_alike(one: NumberOrDate, other: NumberOrDate) -> bool:
    """Whether a value may stand where another one stands; where a rank stands, another rank, or what may be one."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        if one.ordinal and not (other.ordinal or (other.value in range(1, _HIGHEST_RANK) and not other.unit)):
            return False
        units = {one.unit, other.unit}
        return "" in units or len({dimension(unit) for unit in units}) == 1
    if isinstance(one, Date) and isinstance(other, Date) and one.day is None and one.year and not other.year:
        return False
    return is_as_exact(other, one)


def write_value(old: str, new: str, value: NumberOrDate) -> str:
    """A value in the words of the evidence, or as the claim writes its own: in words, in figures, without the day."""
    if written := _write_number(old, new, value):
        return written
    new = new[slice(*value.span)]
    if isinstance(value, Date):
        return _write_date(old, new, value)
    number = int(value.value) if value.value == int(value.value) else -1
    known = _ORDINALS if old.lower() in ORDINALS else _CARDINALS
    if old.isalpha() and number in known:
        return known[number].capitalize() if old[0].isupper() else known[number]
    if new.isalpha() and number >= 0:
        return re.sub(r"\d[\d.,]*(?:st|nd|rd|th)?", _ordinal(number) if old[-1:].isalpha() else str(number), old)
    return new


def _write_number(old: str, new: str, value: NumberOrDate) -> str:
    """The old text with the new number in it, where that says the same: "19 metres" for "19 m"; else nothing.

    A number without a unit, as cells under a header have it, takes the old one.
    """
    number = _FIGURES.search(new)
    if not number or not isinstance(value, Quantity) or not _FIGURES.search(old):
        return ""
    written = _FIGURES.sub(number[0], old, count=1)
    (again, *_) = parse_numbers(written) or (None,)
    if not isinstance(again, Quantity) or not again.unit:
        return ""
    return written if again.unit == (value.unit or again.unit) and again.value == value.value else ""


def _write_date(old: str, new: str, value: Date) -> str:
    """A date as exact as the old one: its year alone, or its month and year."""
    (before, *_) = parse_numbers(old) or (None,)
    if not isinstance(before, Date) or value.year is None or value.year < 0 or before.year is None or before.day:
        return new
    if not before.month:
        return str(value.year) if old.isdecimal() else new
    return f"{MONTH_NAMES[value.month - 1]} {value.year}" if value.month and value.day else new


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
