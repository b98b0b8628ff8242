"""The content of a cell: its text without footnote marks, and the number or date it is about."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from veritab.quantities import Date, NumberOrDate, Quantity, Range, bare_year, parse_quantities
from veritab.text import squeeze

CellValue: TypeAlias = NumberOrDate | Range

# -- texts -------------------------------------------------------------------------------------------------

_MISSING = frozenset(
    "n/a|na|n.a.|n.a|-|--|---|–|––|—|——|−|‐|―|?|??|???|…|...|tba|tbd|t.b.a.|t.b.d.|unknown|notavailable|notknown"
    "|notapplicable|nan|null|/".split("|")
)
_MAX_MISSING = 16
_FOOTNOTE = re.compile(
    r"\[ ?(?:[0-9]{1,3}|[a-zA-Z]{1,2}|(?:n|nb|note|fn|ref)\.? ?[0-9a-zA-Z]{0,3}|citation needed|update)? ?\]"
)
_MARKS = " \t\r\n†‡*§¶^"


def clean_text(text: str) -> str:
    """A cell's text without footnote marks; empty where the cell marks a missing value."""
    if text.isalnum():
        return "" if text.lower() in _MISSING else text
    if "[" in text:
        text = _FOOTNOTE.sub("", text)
    text = squeeze(text).strip(_MARKS)
    return "" if len(text) <= _MAX_MISSING and text.replace(" ", "").lower() in _MISSING else text


# -- values ------------------------------------------------------------------------------------------------


class CellReading(NamedTuple):
    """What is parsed from a cell: the value it is about, and the words beside it."""

    value: CellValue | None
    rest: str = ""
    """The words beside the value that may mean something of their own."""
    plain: bool = False
    """Whether the cell holds its value and nothing else."""
    leads: bool = False
    """Whether the cell begins with its value, as "12 goals" does."""
    spelled: bool = False
    """Whether its value is written in words, as in "One Direction"."""


# A cell of a hundred thousand characters is not a value; it begins with what it is about.
_MAX_VALUE = 200
_BRACKETED = re.compile(r"\([^()]*(?:\)|$)|\[[^\[\]]*(?:\]|$)")
_WORD = re.compile(r"\w+")
# Words that stand beside a number or a date without making the cell about something else.
_BESIDE = frozenset(
    """c ca circa about approx approximately around over under est estimated nearly almost more less than up to no nr
    rank ranked tied t monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat
    sun present now current date since from until ad ce at us usd au nz hk""".split()
)
_FORMULA = re.compile(r"= ?(?:[^\W\d_]+[0-9]* ?[(!:+*/-]|[0-9.]+ ?[-+*/^])")


def read_cell(text: str, *, month_first: bool | None = None) -> CellReading:
    """The value a cell is about; `month_first` tells how 5/6/2007 is meant, where the column shows it."""
    if text.isdecimal() and len(text) <= _MAX_VALUE and (plain := parse_quantities(text)):
        return CellReading(plain[0], "", True, True)
    text = _normalise_cell(text[:_MAX_VALUE])
    date = _parse_full_date(text, month_first)
    if date:
        return CellReading(date, _words_outside(text, [date.span]), date.span[1] == len(text), True)
    found = [] if _FORMULA.match(text) else parse_quantities(text)
    if not found:
        return CellReading(None, text)
    if found[0].span == (0, len(text)):
        return CellReading(found[0], "", True, True, text[0].isalpha())
    brackets = [match.span() for match in _BRACKETED.finditer(text)] if "(" in text or "[" in text else []
    outside = [one for one in found if not any(start <= one.span[0] < end for start, end in brackets)]
    if not outside:
        # A number in brackets after a word explains the word; alone in brackets it is the cell.
        return CellReading(found[0], "", True, True) if found[0].span[0] <= 1 else CellReading(found[0], text)
    main = outside[0]
    rest = _words_outside(text, [*brackets, *(one.span for one in outside)])
    alone = all(_belongs_to(main, other) for other in outside[1:])
    leads = main.span[0] <= 2 and (alone or isinstance(main, Date))
    return CellReading(main, rest, alone and not rest, leads, text[main.span[0]].isalpha())


# The reader takes "may 1" in small letters for a verb and a number; in a cell it is a day.
_MONTH = re.compile(r"\b(?:may|march)\b")
_SUM = re.compile(r"[0-9]+(?: ?[+-] ?[0-9]+)+ ?= ?([0-9]+)\Z")
_SIGNED = re.compile(r"([-+−–]) ([0-9.,]+%?)")
_GROUPED = re.compile(r"[0-9]{1,3}(?: [0-9]{3}){1,4}")


def _normalise_cell(text: str) -> str:
    """A cell in the words of running text: "68 + 70 = 138" says 138, "- 5" alone is minus five."""
    if "ma" in text:
        text = _MONTH.sub(lambda match: match[0].capitalize(), text)
    if "=" in text and (added := _SUM.match(text)):
        return added[1]
    if " " in text:
        if signed := _SIGNED.fullmatch(text):
            return signed[1].replace("–", "-") + signed[2]
        if _GROUPED.fullmatch(text):
            return text.replace(" ", "")
    return text


_YEAR_FIRST = re.compile(r"([12][0-9]{3}) ?([-./]) ?([0-9]{1,2}) ?\2 ?([0-9]{1,2})(?![0-9])")
_YEAR_LAST = re.compile(r"([0-9]{1,2}) ?([-./]) ?([0-9]{1,2}) ?\2 ?([12][0-9]{3})(?![0-9])")


def _parse_full_date(text: str, month_first: bool | None) -> Date | None:
    """A date in figures at the beginning of a cell, where the order of its parts is known."""
    if not text[:1].isdigit():
        return None
    if found := _YEAR_FIRST.match(text):
        return _make_date(found[1], found[3], found[4], found.span())
    if found := _YEAR_LAST.match(text):
        first = month_first
        if first is None:
            first = _detect_month_first([text])
        if first is not None:
            month, day = (found[1], found[3]) if first else (found[3], found[1])
            return _make_date(found[4], month, day, found.span())
    return None


def _make_date(year: str, month: str, day: str, span: tuple[int, int]) -> Date | None:
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= monthrange(int(year), int(month))[1]):
        return None
    return Date(int(year), int(month), int(day), span)


def months_come_first(texts: Sequence[str]) -> bool | None:
    """Whether dates in figures have the month before the day, as a day above the twelfth shows; None if none does."""
    return _detect_month_first([text for text in texts if text[:1].isdigit()])


def _detect_month_first(texts: Sequence[str]) -> bool | None:
    votes = {"day": 0, "month": 0}
    for found in filter(None, map(_YEAR_LAST.match, texts)):
        one, other = int(found[1]), int(found[3])
        votes["day"] += one > 12 >= other
        votes["month"] += other > 12 >= one
    return None if votes["day"] == votes["month"] else votes["month"] > votes["day"]


def _words_outside(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The words outside the given spans, in the singular, that may say something of their own."""
    pieces, position = [], 0
    for start, end in sorted(spans):
        pieces.append(text[position:start])
        position = max(position, end)
    pieces.append(text[position:])
    words = (word for word in _WORD.findall(" ".join(pieces).lower()) if word not in _BESIDE)
    return " ".join(word[:-1] if len(word) > 3 and word.endswith("s") else word for word in words)


def _belongs_to(main: CellValue, other: CellValue) -> bool:
    """Whether one more reading belongs to the first: the time of a date, the other unit of a measure, a next set."""
    if isinstance(main, Range):
        return isinstance(other, Range)
    if isinstance(main, Date):
        return not isinstance(other, Date) or bare_year(main) is None
    return isinstance(other, Quantity) and bool(other.unit and main.unit)
