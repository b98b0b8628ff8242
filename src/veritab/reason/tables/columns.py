"""The columns of a typed table: what kind of thing a column holds, in which unit, and the value of each cell.

Everything costly is computed when first asked for, so that a table of a million cells is cheap until it is read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from veritab.quantities import Date, Quantity, Range, bare_year, dimension, parse_quantities
from veritab.reason.tables.cells import CellReading, CellValue, months_come_first, read_cell
from veritab.schema import ElementId


class ColumnType(StrEnum):
    """What the cells of a column hold, by majority."""

    NUMBER = "number"
    DATE = "date"
    ENTITY = "entity"
    TEXT = "text"
    MARK = "mark"


_SAMPLE = 300
_MAJORITY = 0.7
# So many different short texts are names of things, however often each comes.
_SEVERAL = 12


@dataclass(eq=False)
class Column:
    """One column of a typed table: what its header says and, computed when asked for, what its cells hold."""

    number: int
    header: tuple[str, ...]
    header_cells: tuple[ElementId, ...]
    read_texts: Callable[[Sequence[int] | None], tuple[str, ...]] = field(repr=False)
    """What gives the cleaned texts of some rows of the body, or of all."""
    height: int

    @cached_property
    def name(self) -> str:
        """The header path in one line."""
        return " ".join(self.header) or f"column {self.number + 1}"

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """One cleaned text for each row of the body, empty where there is none."""
        return self.read_texts(None)

    @property
    def type(self) -> ColumnType:
        """What most of the cells hold."""
        return self._profile.type

    @property
    def unit(self) -> str:
        """The unit of the numbers, from the cells or from the header; empty where there is none."""
        return self._profile.unit

    @property
    def scale(self) -> float:
        """By what the header multiplies its numbers: a million under "Budget (million crowns)"."""
        return self._profile.scale

    @cached_property
    def values(self) -> tuple[CellValue | None, ...]:
        """The number or date each cell is about, in the unit of the column; None where nothing can be read.

        A column of numbers has quantities only and a column of dates has dates only, a period being the date it
        begins; elsewhere a value is whatever stands first in the cell, such as the two sides of a score.
        """
        known = {text: self._profile.value(text) for text in dict.fromkeys(self.texts)}
        return tuple(known[text] for text in self.texts)

    @cached_property
    def readable(self) -> float:
        """The share of the cells that are not missing which have a value."""
        filled = sum(map(bool, self.texts))
        return sum(value is not None for value in self.values) / filled if filled else 0.0

    @cached_property
    def sample(self) -> tuple[str, ...]:
        """The texts that are not missing, from rows spread over the whole table."""
        if self.height <= _SAMPLE:
            return tuple(filter(None, self.texts))
        return tuple(filter(None, self.read_texts([row * self.height // _SAMPLE for row in range(_SAMPLE)])))

    @cached_property
    def distinct(self) -> float:
        """How many different texts there are for each row, in the sample."""
        rows = min(self.height, _SAMPLE)
        return len({text.casefold() for text in self.sample}) / rows if rows else 0.0

    @cached_property
    def _profile(self) -> _ColumnProfile:
        return _infer_profile(self.sample, self.header)


# -- the type of a column ----------------------------------------------------------------------------------

_WORD = re.compile(r"\w+")
_MARK_WORDS = frozenset("yes no y n true false ✓ ✔ ✗ ✘ ☑ ☒ ☐ √ ● ○ • × x".split())
_DATE_WORDS = frozenset(
    """year years date dates season seasons founded established opened built completed released release born died birth
    death since until joined elected appointed introduced first last from began begin started start ended end formed
    inaugurated commissioned retired published debut tenure term era period dissolved closed est constructed acquired
    chartered incorporated""".split()
)
_NUMBER_WORDS = frozenset(
    """population attendance votes vote points point pts area height elevation length total number no distance score
    scores capacity weight students enrollment enrolment seats goals runs yards wins losses matches games size speed
    rank rating power depth altitude rpm hp price cost salary revenue income households inhabitants displacement code
    frequency apps appearances volume mass prominence members employees copies sales crowd id zip channel""".split()
)
# What is counted by the million, so that an "m" beside it is no metre.
_COUNTED = frozenset(
    """viewers viewership audience population ratings rating sales revenue gross budget users passengers share income
    profit cost price value copies box office""".split()
)
_USUAL_YEARS = range(1600, 2051)
_HAS_SCALE = re.compile(r"[0-9] ?(?:[kmb]|bn|mn|thousand|million|billion|trillion)\b", re.IGNORECASE)
_MAX_REST = 4
_EVEN_PAR = ("e", "even")


class _ColumnProfile(NamedTuple):
    """What a sample of its cells and its header say about a column."""

    type: ColumnType
    unit: str = ""
    scale: float = 1.0
    month_first: bool | None = None
    par: bool = False
    """Whether the numbers are strokes above or below par, where "e" is none."""

    def value(self, text: str) -> CellValue | None:
        """The value of a cell in such a column."""
        if not text or self.type is ColumnType.MARK:
            return None
        read = read_cell(text, month_first=self.month_first)
        if self.type is ColumnType.NUMBER:
            return self._number(read, text)
        if self.type is ColumnType.DATE:
            start = read.value.low if isinstance(read.value, Range) else read.value
            return start if isinstance(start, Date) else None
        return read.value

    def _number(self, read: CellReading, text: str) -> Quantity | None:
        value = read.value
        if self.par and text.lower() in _EVEN_PAR:
            return Quantity(0.0)
        if isinstance(value, Date):
            year = bare_year(value)
            value = None if year is None else Quantity(float(year), "", value.span)
        if not isinstance(value, Quantity) or len(read.rest.split()) > _MAX_REST:
            return None
        if self.scale != 1 and (value.unit == "m" or not _HAS_SCALE.search(text)):
            value = replace(value, value=value.value * self.scale, step=value.step * self.scale)
        if value.unit == "m" and self.unit != "m" and self.scale != 1:
            value = replace(value, unit="")
        return value if value.unit or value.ordinal or not self.unit else replace(value, unit=self.unit)


def infer_column_type(texts: Sequence[str]) -> ColumnType:
    """What a column of such texts holds, whatever its header."""
    return _infer_profile(texts, ()).type


def _infer_profile(sample: Sequence[str], header: Sequence[str]) -> _ColumnProfile:
    """The type and the unit of a column."""
    if not sample:
        return _ColumnProfile(ColumnType.TEXT)
    if all(text.lower() in _MARK_WORDS for text in sample):
        return _ColumnProfile(ColumnType.MARK)
    words = set(_WORD.findall(" ".join(header).lower()))
    par = "par" in words
    if par:
        sample = [text for text in sample if text.lower() not in _EVEN_PAR] or sample
    month_first = months_come_first(sample)
    cells = [read_cell(text, month_first=month_first) for text in sample]
    values = _dominant_values([cell for cell, text in zip(cells, sample, strict=True) if not _is_name(cell, text)])
    if not _are_dominant(values, sample, cells) or _are_scores(values):
        return _ColumnProfile(_text_type(sample, cells), month_first=month_first)
    if _are_dates(values, header, words):
        return _ColumnProfile(ColumnType.DATE, month_first=month_first)
    unit, scale = _unit_from_header(header, words)
    unit = _common_unit(values) or unit
    if unit == "m" and words & _COUNTED:
        unit, scale = "", 1e6
    return _ColumnProfile(ColumnType.NUMBER, unit, scale, par=par)


def _dominant_values(cells: Sequence[CellReading]) -> list[CellValue]:
    """The values of the cells that hold nothing else, or nothing else than most others: 12 goals, 9 goals."""
    rests = Counter(cell.rest for cell in cells if cell.leads and not cell.plain)
    rest, count = max(rests.items(), key=lambda each: (each[1], each[0]), default=("", 0))
    # One or two cells share little: there a single word is all that may stand beside a value.
    longest = 1 if len(cells) < 3 else _MAX_REST
    shared = rest if count > len(cells) / 2 and len(rest.split()) <= longest else None
    return [cell.value for cell in cells if cell.value and (cell.plain or _leads(cell, shared))]


def _leads(cell: CellReading, shared: str | None) -> bool:
    """Whether a cell begins with its value, in digits, and adds to it: what others add too, or the place to a day."""
    if not cell.leads:
        return False
    if isinstance(cell.value, Date) and cell.value.month and cell.value.day:
        return True
    return cell.rest == shared and not cell.spelled


def _is_name(cell: CellReading, text: str) -> bool:
    """Whether a year is the beginning of a name: "1896 Summer Olympics"."""
    if cell.plain or not isinstance(cell.value, Date) or bare_year(cell.value) is None:
        return False
    return text[cell.value.span[1] :].lstrip()[:1].isupper()


def _are_dominant(values: Sequence[CellValue], sample: Sequence[str], cells: Sequence[CellReading]) -> bool:
    """Whether values are what a column is about: most cells have one, or many do and the others all say the same."""
    share = len(values) / len(sample)
    if share >= _MAJORITY or share < 0.5 or len(sample) < 5:
        return share >= _MAJORITY
    return len({text.casefold() for text, cell in zip(sample, cells, strict=True) if cell.value is None}) <= 2


def _are_scores(values: Sequence[CellValue]) -> bool:
    """Whether most values are pairs of numbers, which have no order."""
    pairs = sum(isinstance(value, Range) for value in values)
    return pairs * 2 > len(values) and sum(map(_is_date, values)) < _MAJORITY * len(values)


def _is_date(value: CellValue) -> bool:
    return isinstance(value.low if isinstance(value, Range) else value, Date)


def _are_dates(values: Sequence[CellValue], header: Sequence[str], words: set[str]) -> bool:
    """Whether values are dates rather than numbers: 1,931 and 1931 look alike, the header and the others tell."""
    dates = [value.low if isinstance(value, Range) else value for value in values if _is_date(value)]
    if len(dates) < _MAJORITY * len(values):
        return False
    years = [year for year in (bare_year(date) for date in dates if isinstance(date, Date)) if year is not None]
    if len(years) * 2 < len(dates) or any(isinstance(value, Range) for value in values):
        return True
    if words & _DATE_WORDS and not words & {"total", "number", "no"}:
        return True
    if words & _NUMBER_WORDS or _unit_from_header(header, words)[0] or len(dates) < 0.9 * len(values):
        return False
    return sum(year in _USUAL_YEARS for year in years) >= 0.9 * len(years)


def _text_type(sample: Sequence[str], cells: Sequence[CellReading]) -> ColumnType:
    """Names are short, and differ from row to row or begin with capitals."""
    count = len(sample)
    if sum(map(len, sample)) > 40 * count or sum(any(map(str.isalpha, text)) for text in sample) < _MAJORITY * count:
        return ColumnType.TEXT
    if sum(cell.plain or isinstance(cell.value, Range) for cell in cells) * 4 > count:
        return ColumnType.TEXT
    proper = sum(text[0].isupper() and not text.isupper() for text in sample) >= _MAJORITY * count
    distinct = len({text.casefold() for text in sample})
    return ColumnType.ENTITY if proper or distinct >= min(count / 2, _SEVERAL) else ColumnType.TEXT


# -- the unit of a column ----------------------------------------------------------------------------------

_SCALES = {"thousand": 1e3, "thousands": 1e3, "000s": 1e3, "000": 1e3, "000 s": 1e3, "million": 1e6, "millions": 1e6}
_SCALES |= {"billion": 1e9, "billions": 1e9, "mil": 1e6, "mill": 1e6, "mn": 1e6, "bn": 1e9}
# Money is counted in these; beside anything else an "m" is a metre.
_LETTERS = {"k": 1e3, "m": 1e6, "b": 1e9}
_EVERY = re.compile(r"\s+(?:an?|per|each|every)\s+", re.IGNORECASE)
_SIGN_AND_LETTER = re.compile(r"([$€£¥₹])([kmb]n?)\b", re.IGNORECASE)
_IN_HEADER = re.compile(r"[(\[]([^()\[\]]*)[)\]]|\bin ([^()\[\]]+)$|, ([^,()]+)$|([%$€£¥₹])", re.IGNORECASE)
_MAX_NAME = 200
_TIMES = frozenset("s min h day week month year decade century".split())
_TIME_WORDS = frozenset("time times duration length lap gap seconds period interval record".split())


def _common_unit(values: Sequence[CellValue]) -> str:
    units = Counter(value.unit for value in values if isinstance(value, Quantity))
    unit, count = max(units.items(), key=lambda each: (each[1], each[0]), default=("", 0))
    return unit if count * 2 >= units.total() else ""


def _unit_from_header(header: Sequence[str], words: set[str]) -> tuple[str, float]:
    """The unit and the scale that a header names: "Area (km²)", "Gross in millions", "Share %"."""
    unit, scale = "", 1.0
    for name in reversed(header):
        for match in _IN_HEADER.finditer(name[:_MAX_NAME]):
            found, times = _parse_header_unit(next(filter(None, match.groups()), ""))
            # The plural of "Driver (s)" is no second.
            unit = unit or (found if found != "s" or words & _TIME_WORDS else "")
            scale = times if scale == 1 else scale
    if not unit and len(header) > 1 and (found := _parse_unit(header[-1])[0]) not in _TIMES:
        # "Height" over "m" and "ft"; but "Date" over "Day" is no duration.
        unit = found
    return unit, scale


def _parse_header_unit(text: str) -> tuple[str, float]:
    """The unit and the scale of a phrase such as "km²", "US$ millions" or "thousand tonnes"."""
    text = text.strip().removeprefix("in ")
    whole, scale = _parse_unit(text)
    if whole:
        return whole, scale
    # Bicycles a day are no days.
    text = _EVERY.split(text)[0]
    over, _, under = text.partition("/")
    unit, scale = "", _SCALES.get(text.lower(), 1.0)
    for piece in re.split(r"[ ,;]+", _SIGN_AND_LETTER.sub(r"\1 \2", over.strip()))[:4]:
        letters = _LETTERS if dimension(unit).startswith("money") else {}
        scale = scale if scale != 1 else (_SCALES | letters).get(piece.lower().strip("'’."), 1.0)
        unit = unit or _parse_unit(piece)[0]
    if under and dimension(_parse_unit(under)[0]) != dimension(unit):
        # "m / ft" gives two units, but "lb / ft" one that is neither.
        unit = ""
    return unit, scale


def _parse_unit(piece: str) -> tuple[str, float]:
    """The unit that a phrase names, as the reader of quantities knows it, and how many of it: "thousand km²"."""
    sign = piece.strip()
    if not sign or sign[0].isdigit():
        return "", 1.0
    for written in (f"1 {sign}", f"{sign}1"):
        found = parse_quantities(written)
        if len(found) == 1 and isinstance(found[0], Quantity) and found[0].span == (0, len(written)) and found[0].unit:
            return found[0].unit, found[0].value
    return "", 1.0
