"""Values written as the right answer writes its own, so that the form of an answer does not tell which is right."""

from __future__ import annotations

import re

from veritab.build.answers.answer_types import AnswerType, TypedAnswer, type_of_value
from veritab.lexicon.numbers import MONTH_NAMES, SMALL_CARDINALS
from veritab.quantities import Date, NumberOrDate, Quantity, Range

_MONTH_FIRST = re.compile(
    rf"(?:{'|'.join(MONTH_NAMES)}|{'|'.join(name[:3] for name in MONTH_NAMES)})\.? \d{{1,2}}\b", re.I
)
_YEAR = re.compile(r"\b\d{3,4}\b")
_WORDS = {number: word for word, number in SMALL_CARDINALS.items()}


def write_like(answer: TypedAnswer, value: NumberOrDate | Range, text: str) -> str | None:
    """A value in the form of the answer; None where it is of another type or says less than the answer does."""
    if isinstance(value, Range) or isinstance(answer.value, Range):
        return text if answer.type is AnswerType.YEARS and type_of_value(value) is AnswerType.YEARS else None
    if isinstance(value, Date):
        return _write_date(answer, value, text)
    if not isinstance(answer.value, Quantity):
        return None
    return _write_number(answer, answer.value, value, text)


def _write_date(answer: TypedAnswer, value: Date, text: str) -> str | None:
    year, own = value.year, answer.value
    if value.years > 1 or answer.type is AnswerType.PERIOD:
        alike = isinstance(own, Date) and own.years == value.years > 1
        return f"{answer.text[: own.span[0]]}{text}{answer.text[own.span[1] :]}" if alike and own else None
    if answer.type is AnswerType.YEAR:
        return str(year) if year and year > 0 else None
    if value.month is None:
        return None
    month = MONTH_NAMES[value.month - 1]
    with_year = isinstance(own, Date) and own.year is not None
    if with_year and (year is None or year < 1):
        return None
    if answer.type is AnswerType.MONTH:
        return f"{month} {year}" if with_year else month
    if answer.type is not AnswerType.DAY or value.day is None:
        return None
    if _MONTH_FIRST.search(answer.text):
        comma = "," if "," in answer.text else ""
        return f"{month} {value.day}{comma} {year}" if with_year else f"{month} {value.day}"
    return f"{value.day} {month} {year}" if with_year else f"{value.day} {month}"


def _write_number(answer: TypedAnswer, own: Quantity, value: Quantity, text: str) -> str | None:
    if own.ordinal or value.ordinal:
        return text if own.ordinal and value.ordinal else None
    if own.unit or value.unit:
        return text if own.unit == value.unit else None
    start, end = own.span
    said = answer.text[start:end]
    number = text
    if value.value in _WORDS and said[:1].isalpha():
        number = _WORDS[int(value.value)]
    elif said[:1].isdigit() and text[:1].isalpha():
        if not value.value.is_integer():
            return None
        number = f"{int(value.value):,}"
    rest = answer.text[end:]
    if rest.strip() and (own.value == 1) != (value.value == 1):
        return None  # "one season" and "three season"
    return f"{answer.text[:start]}{number}{rest}"
