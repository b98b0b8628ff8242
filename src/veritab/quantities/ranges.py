"""Numbers and dates that belong together: 6 feet and 2 inches, 2017–18, 4–6 May 2011, 5–3–2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from veritab.lexicon.numbers import SCALE_ABBREVIATIONS, SCALES
from veritab.quantities.comparison import as_quantity, bare_year
from veritab.quantities.patterns import COMMA, COMPOUND_JOINT, JOINT, SCALED, SLASH
from veritab.quantities.types import Date, NumberOrDate, Quantity, Range, has_day
from veritab.quantities.units import compound, dimension

# A record of a season has a few numbers; more than these begin another range.
_LONGEST_RECORD = 8


def join_ranges(text: str, found: Sequence[NumberOrDate]) -> list[NumberOrDate | Range]:
    """The numbers and dates of a text, with those that belong together joined."""
    whole: list[NumberOrDate | Range] = []
    for value in found:
        longer = _join(text, whole[-1], value) if whole else None
        if longer:
            whole[-1] = longer
        else:
            whole.append(value)
    return whole


def _join(text: str, before: NumberOrDate | Range, value: NumberOrDate) -> NumberOrDate | Range | None:
    """What a value or a range becomes with the value after it, if they belong together."""
    start, end = before.span[1], value.span[0]
    if isinstance(before, Range):
        if JOINT.fullmatch(text, start, end):
            return _extend_record(before, value)
        return _with_year(before, value) if COMMA.fullmatch(text, start, end) else None
    if COMPOUND_JOINT.fullmatch(text, start, end):
        return _compound(before, value, text[start:end])
    if JOINT.fullmatch(text, start, end):
        ends = _range_ends(before, _with_currency_of(text, before, value))
        ends = ends and (_with_scale_of(text, *ends), ends[1])
    elif SLASH.fullmatch(text, start, end):
        ends = _season_years(before, value, longest=1)
    else:
        ends = None
    return ends and Range(*ends, (before.span[0], value.span[1]))


def _compound(major: NumberOrDate, minor: NumberOrDate, between: str) -> Quantity | None:
    """6 ft and 2 in as one; a race of 5 km and one of 800 m are two, so metric units must be adjacent."""
    if not isinstance(major, Quantity) or not isinstance(minor, Quantity):
        return None
    return None if major.unit in ("km", "kg") and between.strip() else compound(major, minor)


def _with_currency_of(text: str, low: NumberOrDate, high: NumberOrDate) -> NumberOrDate:
    """The high end of $5–10 in the money of the low one; the 10m of $5–10m are ten million and no metres."""
    if not isinstance(low, Quantity) or not isinstance(high, Quantity) or not dimension(low.unit).startswith("money:"):
        return high
    if not high.unit:
        return replace(high, unit=low.unit)
    if high.unit == "m" and SCALED.search(text, *high.span):
        return replace(high, value=high.value * 1e6, unit=low.unit, step=high.step * 1e6)
    return high


def _with_scale_of(text: str, low: NumberOrDate, high: NumberOrDate) -> NumberOrDate:
    """The low end of 5–10 million in millions; that of 500,000–1 million stays as it is."""
    if not isinstance(low, Quantity) or not isinstance(high, Quantity) or high.value < 10 or low.step > 1:
        return low
    found = SCALED.search(text, *high.span)
    if not found or found["scale"] == high.unit or SCALED.search(text, *low.span):
        return low
    word = found["scale"].lower()
    scale = SCALES.get(word) or SCALE_ABBREVIATIONS[word]
    if not 0 < low.value < high.value / scale:
        return low
    return replace(low, value=low.value * scale, step=low.step * scale)


def _extend_record(before: Range, value: NumberOrDate) -> Range | None:
    """Wins, losses and draws: 5–3 with –2 after it."""
    parts = (*before.parts, value)
    if len(parts) > _LONGEST_RECORD or not all(isinstance(one, Quantity) and not one.unit for one in parts):
        return None
    return replace(before, more=parts[2:], span=(before.span[0], value.span[1]))


def _with_year(before: Range, value: NumberOrDate) -> Range | None:
    """September 1–2 with the year that follows."""
    low, high = before.low, before.high
    year = bare_year(value) if isinstance(value, Date) else None
    if year is None or not isinstance(low, Date) or not isinstance(high, Date) or low.year or high.year:
        return None
    return Range(low.in_year(year), high.in_year(year), (before.span[0], value.span[1]))


def _range_ends(low: NumberOrDate, high: NumberOrDate) -> tuple[NumberOrDate, NumberOrDate] | None:
    """The two ends of a range, each as the other explains it: 60–70 km begins at 60 km, 2017–18 ends in 2018."""
    if isinstance(low, Quantity) and isinstance(high, Quantity):
        return (low if low.unit else replace(low, unit=high.unit)), high
    if isinstance(low, Date) and isinstance(high, Date):
        return _first_date(low, high), high
    if isinstance(low, Date) and isinstance(high, Quantity):
        return _season_years(low, high) or _day_range(low, high) or _number_range(low, high)
    if isinstance(low, Quantity) and isinstance(high, Date):
        if _may_be_day(low) and high.day and low.value < high.day:
            return Date(high.year, high.month, int(low.value), low.span), high
        year = bare_year(high) or 0
        if year < 0 and not low.unit and low.step == 1 and low.value > -year:
            return Date(-int(low.value), span=low.span), high
        return _number_range(low, high)
    return None


def _first_date(low: Date, high: Date) -> Date:
    if low.year is None and high.year is not None and low.month and high.month:
        return low.in_year(high.year - (1 if low.month > high.month else 0))
    if high.year is not None and high.year < 0 and (bare_year(low) or 0) > -high.year:
        return replace(low, year=-(low.year or 0))
    return low


def _may_be_day(number: Quantity) -> bool:
    """Whether a number is one or two digits and nothing else, and so may be a day."""
    length = number.span[1] - number.span[0] - (2 if number.ordinal else 0)
    return length <= 2 and not number.unit and number.step == 1 and number.value > 0


def _season_years(low: NumberOrDate, high: NumberOrDate, longest: int = 99) -> tuple[Date, Date] | None:
    """The years of 2017–18, or of 2017/18; 2017/24 is not a season."""
    year = bare_year(low) if isinstance(low, Date) else None
    if not year or year < 0 or not isinstance(high, Quantity) or not isinstance(low, Date) or not _two_digits(high):
        return None
    end = year - year % 100 + int(high.value) + (100 if high.value < year % 100 else 0)
    return (low, Date(end, span=high.span)) if end - year <= longest else None


def _two_digits(number: Quantity) -> bool:
    return number.span[1] - number.span[0] == 2 and not number.unit and number.step == 1


def _day_range(low: Date, high: Quantity) -> tuple[Date, Date] | None:
    """The days of May 4–6."""
    if not low.day or not _may_be_day(high) or not low.month or not low.day < high.value:
        return None
    if not has_day(low.year, low.month, int(high.value)):
        return None
    return low, replace(low, day=int(high.value), span=high.span)


def _number_range(low: NumberOrDate, high: NumberOrDate) -> tuple[Quantity, Quantity] | None:
    """The ends of 900–1100, of which one looked like a year."""
    first, last = as_quantity(low), as_quantity(high)
    if not first or not last or min(first.value, last.value) < 100 or first.ordinal or last.ordinal:
        return None
    return (first if first.unit else replace(first, unit=last.unit)), last
