"""Parsing numbers and dates: every format is tried, and of two matches that overlap the first to start wins."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from veritab.lexicon.numbers import (
    FRACTION_SIGNS,
    MONTH_WORDS,
    MONTHS_ALSO_VERBS,
    NUMBER_WORDS,
    ORDINALS,
    SCALE_ABBREVIATIONS,
    SCALES,
)
from veritab.quantities import patterns
from veritab.quantities.number_words import fraction_value, parse_number_words
from veritab.quantities.ranges import join_ranges
from veritab.quantities.types import Date, NumberOrDate, Quantity, Range, has_day
from veritab.quantities.units import compound, parse_unit

_LAST_YEAR = 2100
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")


def parse_quantities(text: str) -> list[NumberOrDate | Range]:
    """Every number and date of a text, in order; two or more joined by dashes are one range."""
    plain = patterns.PLAIN.fullmatch(text)
    if plain:
        return [_parse_plain_cell(plain)]
    if patterns.SCORE.fullmatch(text):
        return [_parse_score_cell(text)]
    whole = patterns.WHOLE_CELL.fullmatch(text)
    if whole:
        if not whole["grouped"]:
            return []
        # A space that cannot be broken is what groups the digits of a number anywhere.
        text = whole["grouped"].replace(" ", "\u00a0") + text[whole.end("grouped") :]
    found = list(_parse_singly(text))
    return join_ranges(text, found) if len(found) > 1 else [*found]


def parse_numbers(text: str) -> list[NumberOrDate]:
    """Every number and date of a text, in order, the parts of a range one after the other."""
    found: list[NumberOrDate] = []
    for one in parse_quantities(text):
        found += one.parts if isinstance(one, Range) else (one,)
    return found


def _parse_plain_cell(match: re.Match[str]) -> NumberOrDate:
    """The number of a cell that holds nothing else: a fast path for what `_parse_number` gives."""
    sign, grouped, digits, decimals, percent = match.groups()
    whole = grouped.replace(",", "").replace(" ", "") if grouped else digits
    if decimals:
        value, step = float(f"{whole}.{decimals}"), 10.0 ** -len(decimals)
    else:
        value, step = float(whole), 1.0
        if len(match[0]) == 4 and digits and 1000 <= value <= _LAST_YEAR:
            return Date(int(value), span=(0, 4))
    return Quantity(-value if sign else value, "%" if percent else "", (0, match.end()), step)


def _parse_score_cell(text: str) -> Range:
    """The range of a cell that holds nothing but a score or a record: a fast path for `join_ranges`."""
    parts = [Quantity(float(one[0]), "", one.span()) for one in patterns.DIGITS.finditer(text)]
    return Range(parts[0], parts[1], (0, len(text)), tuple(parts[2:]))


def _parse_singly(text: str) -> Iterator[NumberOrDate]:
    """The numbers and dates of all formats, one by one."""
    formats: list[_NumberFormat] = []
    if patterns.DIGIT.search(text):
        formats += _DIGIT_FORMATS
    if not NUMBER_WORDS.isdisjoint(patterns.LETTERS.findall(text.lower())):
        formats += _WORD_FORMATS
    found = [
        (match.start(), order, match)
        for order, each in enumerate(formats)
        if each.required is None or each.required.search(text)
        for match in each.pattern.finditer(text)
        if each.is_valid is None or each.is_valid(match)
    ]
    end = 0
    for start, order, match in sorted(found, key=lambda match: match[:2]):
        if start >= end:
            yield from formats[order].parse(match)
            end = match.end()


# -- dates -------------------------------------------------------------------------------------------------


def _is_month(match: re.Match[str]) -> bool:
    """Soldiers march 20 miles, and march 1500 miles; in march 1500 they rest. A cell "march 20" is a date."""
    if match["month"] not in MONTHS_ALSO_VERBS or match[0] == match.string.strip():
        return True
    groups = match.groupdict()
    if groups.get("year_only"):
        return not patterns.AFTER_UNIT.match(match.string, match.end())
    return bool(groups["year"] or groups.get("of"))


def _parse_written_date(match: re.Match[str]) -> Iterator[NumberOrDate]:
    groups = match.groupdict()
    written = groups["year"] or groups.get("year_only")
    year = int(written) if written else None
    month = MONTH_WORDS[groups["month"].lower()] if groups["month"][0].isalpha() else int(groups["month"])
    day = int(groups["day"]) if groups["day"] and has_day(year, month, int(groups["day"])) else None
    # Of "31 February 1931" the month is kept, of "31 February" nothing.
    if year or day:
        yield Date(year, month, day, match.span())


def _parse_slashed_date(match: re.Match[str]) -> Iterator[NumberOrDate]:
    one, other, year = int(match["one"]), int(match["other"]), int(match["year"])
    for day, month in ((one, other), (other, one)):
        if 12 < day <= 31 and 1 <= month <= 12 and has_day(year, month, day):
            yield Date(year, month, day, match.span())
            return
    # 5/6/2007 is in May or in June, depending on the country: only the year is certain.
    yield Date(year, span=match.span())


def _parse_decade(match: re.Match[str]) -> Iterator[NumberOrDate]:
    start, year = match.start(), int(match["year"])
    yield Date(year, span=(start, start + 4), years=10)
    if match["later"]:
        later = year - year % 100 + int(match["later"])
        yield Date(later + (100 if later < year else 0), span=match.span("later"), years=10)


def _is_era(match: re.Match[str]) -> bool:
    return int(match["after"] or match["year"]) > 0


def _parse_era(match: re.Match[str]) -> Iterator[NumberOrDate]:
    year = int(match["after"] or match["year"])
    yield Date(-year if match["before"] else year, span=match.span())


def _is_century(match: re.Match[str]) -> bool:
    return 1 <= _century_number(match) <= 21


def _century_number(match: re.Match[str]) -> int:
    return int(match["number"]) if match["number"] else ORDINALS[match["word"].lower()] + (20 if match["tens"] else 0)


def _parse_century(match: re.Match[str]) -> Iterator[NumberOrDate]:
    number = _century_number(match)
    yield Date(-100 * number if match["before"] else 100 * number - 99, span=match.span(), years=100)


def _parse_clock(match: re.Match[str]) -> Iterator[NumberOrDate]:
    if match["hour"]:
        # A time of the day is its seconds since midnight.
        hour = int(match["hour"]) % 12 + (12 if match["half"] == "p" else 0)
        yield Quantity(3600.0 * hour + 60 * int(match["minute"] or 0), "s", match.span(), 60.0)
        return
    seconds = 0.0
    for each in re.split("[:'′]", match[0]):
        seconds = seconds * 60 + float(each)
    yield Quantity(seconds, "s", match.span(), 10.0 ** -len(match[0].partition(".")[2]))


# -- numbers -----------------------------------------------------------------------------------------------


def _parse_number(match: re.Match[str]) -> Iterator[NumberOrDate]:
    decimals = match["decimals"] or match["point"] or ""
    exponent = _parse_exponent(match["exponent"]) if match["exponent"] else 0
    value = float(f"{patterns.SEPARATOR.sub('', match['whole'] or '0')}{decimals}e{exponent}")
    fraction = match["fraction"] or match["lone"]
    if fraction:
        value += FRACTION_SIGNS[fraction]
    if match["part"]:
        value += fraction_value(match["part"])
    scale, unit = _scale_and_unit(match)
    if match[0] == match["whole"] and len(match[0]) == 4 and 1000 <= value <= _LAST_YEAR:
        yield Date(int(value), span=match.span())
        return
    digits = max(len(decimals) - 1, 0, 2 if fraction else 1 if match["part"] else 0)
    step = 10.0 ** (exponent - digits) * scale
    negative = match["debit"] or (match["sign"] and match["sign"][0] != "+")
    yield Quantity((-value if negative else value) * scale, unit, match.span(), step, ordinal=bool(match["ordinal"]))


def _parse_exponent(text: str) -> int:
    """The power of ten of e6, × 10^6 and ×10⁶."""
    return int(re.split("[eE^]|10", text, maxsplit=1)[1].lstrip("^").translate(_SUPERSCRIPTS))


def _scale_and_unit(match: re.Match[str]) -> tuple[float, str]:
    """$3m is three million dollars; 3m, without the dollar, is three metres."""
    money = match["money"] or _currency_of_code(match["code"])
    short, unit = match["short"] or match["apart"], match["unit"]
    if short == "m" and not money and not unit:
        return 1, "m"
    scale = SCALES[match["scale"].lower()] if match["scale"] else SCALE_ABBREVIATIONS[short.lower()] if short else 1
    return scale, money or parse_unit(unit or "")


def _currency_of_code(code: str | None) -> str:
    return "" if not code else "₹" if code[:2] in ("Rs", "rs") else parse_unit(code.upper())


def _parse_rank(match: re.Match[str]) -> Iterator[NumberOrDate]:
    place = match["tied"] or match["number"] or match["alone"] or match["equal"]
    yield Quantity(float(place), "", match.span(), 1.0, ordinal=True)


# -- compounds ---------------------------------------------------------------------------------------------


def _parse_feet(match: re.Match[str]) -> Iterator[NumberOrDate]:
    feet = patterns.SEPARATOR.sub("", match["feet"] or match["short_feet"])
    inches = match["inches"] or match["short_inches"]
    value = float(inches.rstrip("½¼¾") or 0) + FRACTION_SIGNS.get(inches[-1], 0.0)
    step = 0.01 if inches[-1] in FRACTION_SIGNS else 10.0 ** -len(inches.partition(".")[2])
    yield from _compound(match, (float(feet), "ft"), (value, "in"), step)


def _parse_stones(match: re.Match[str]) -> Iterator[NumberOrDate]:
    yield from _compound(match, (float(match["stones"]), "st"), (float(match["pounds"]), "lb"))


def _stones_add_up(match: re.Match[str]) -> bool:
    return int(match["pounds"]) < 14


def _parse_duration(match: re.Match[str]) -> Iterator[NumberOrDate]:
    hours, minutes = match["hours"] or match["whole_hours"], match["minutes"] or match["last_minutes"]
    if not match["seconds"]:
        yield from _compound(match, (float(hours), "h"), (float(minutes), "min"))
        return
    step = 10.0 ** -len(match["seconds"].partition(".")[2])
    if hours:
        seconds = float(minutes) * 60 + float(match["seconds"])
        if match["days"]:
            yield from _compound(match, (float(match["days"]), "day"), (float(hours) * 3600 + seconds, "s"), step)
            return
        yield from _compound(match, (float(hours), "h"), (seconds, "s"), step)
    else:
        minor = (float(match["seconds"]), "s")
        yield from _compound(match, (float(match["most_minutes"]), "min"), minor, step)


def _compound(
    match: re.Match[str], major: tuple[float, str], minor: tuple[float, str], step: float = 1.0
) -> Iterator[NumberOrDate]:
    whole = compound(Quantity(*major, match.span()), Quantity(*minor, match.span(), step))
    if whole:
        yield whole


# -- the formats ---------------------------------------------------------------------------------------------


class _NumberFormat(NamedTuple):
    """A way to write a number or a date, what a text must contain for it, and whether a match is valid."""

    pattern: re.Pattern[str]
    parse: Callable[[re.Match[str]], Iterator[NumberOrDate]]
    required: re.Pattern[str] | None = None
    is_valid: Callable[[re.Match[str]], bool] | None = None


_CENTURY_HINT = re.compile("[cC](?:entur|ENTUR)")
# Of two formats that match at the same place the earlier one wins.
_DIGIT_FORMATS = (
    _NumberFormat(patterns.DASHED, _parse_written_date, re.compile("-[ \u00a0]?[A-Za-z]")),
    _NumberFormat(patterns.MONTH_FIRST, _parse_written_date, None, _is_month),
    _NumberFormat(patterns.DAY_FIRST, _parse_written_date, None, _is_month),
    _NumberFormat(patterns.ISO, _parse_written_date, re.compile("[12][0-9]{3}[ \u00a0]?[-/]")),
    _NumberFormat(patterns.SLASHED, _parse_slashed_date, re.compile("[/.][ \u00a0]?[12][0-9]{3}")),
    _NumberFormat(patterns.DECADE, _parse_decade, re.compile("0['’]?s")),
    _NumberFormat(patterns.ERA, _parse_era, re.compile("[ABCabc]\\.? ?[DECdec]"), _is_era),
    _NumberFormat(patterns.CENTURY, _parse_century, _CENTURY_HINT, _is_century),
    _NumberFormat(patterns.CLOCK, _parse_clock, re.compile("[0-9](?:[:'′][0-9]|[ \u00a0]?[ap]\\.?m)")),
    _NumberFormat(patterns.FEET, _parse_feet, re.compile("[0-9][ -]?(?:f[eot]|['’′])")),
    _NumberFormat(patterns.STONES, _parse_stones, re.compile("[0-9][ -]?st"), _stones_add_up),
    _NumberFormat(patterns.DURATION, _parse_duration, re.compile("[0-9] ?[hm]")),
    _NumberFormat(patterns.RANK, _parse_rank, re.compile("[#=№ºTt]|[Nn][Oo]")),
    _NumberFormat(patterns.NUMBER, _parse_number),
)
_WORD_FORMATS = (
    _NumberFormat(patterns.CENTURY, _parse_century, _CENTURY_HINT, _is_century),
    _NumberFormat(patterns.SPELLED, parse_number_words),
)
