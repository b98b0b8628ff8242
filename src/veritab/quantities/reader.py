"""Reading: every form is looked for, and where two cover the same characters the first to start stays."""

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
from veritab.quantities.joined import joined
from veritab.quantities.spelled import part, spelled
from veritab.quantities.units import compound, unit_named
from veritab.quantities.values import Date, Quantity, Range, Reading, has_day

_LAST_YEAR = 2100
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−", "0123456789-+-")


def quantities(text: str) -> list[Reading | Range]:
    """Every number and date of a text, in order; two or more joined by dashes are one range."""
    plain = patterns.PLAIN.fullmatch(text)
    if plain:
        return [_plain(plain)]
    if patterns.SCORE.fullmatch(text):
        return [_score(text)]
    whole = patterns.WHOLE_CELL.fullmatch(text)
    if whole:
        if not whole["grouped"]:
            return []
        # A space that cannot be broken is what groups the digits of a number anywhere.
        text = whole["grouped"].replace(" ", "\u00a0") + text[whole.end("grouped") :]
    found = list(_singly(text))
    return joined(text, found) if len(found) > 1 else [*found]


def readings(text: str) -> list[Reading]:
    """Every number and date of a text, in order, the parts of a range one after the other."""
    found: list[Reading] = []
    for one in quantities(text):
        found += one.parts if isinstance(one, Range) else (one,)
    return found


def _plain(match: re.Match[str]) -> Reading:
    """The number of a cell that holds nothing else; the same as `_number` gives, sooner."""
    sign, grouped, digits, decimals, percent = match.groups()
    whole = grouped.replace(",", "").replace(" ", "") if grouped else digits
    if decimals:
        value, step = float(f"{whole}.{decimals}"), 10.0 ** -len(decimals)
    else:
        value, step = float(whole), 1.0
        if len(match[0]) == 4 and digits and 1000 <= value <= _LAST_YEAR:
            return Date(int(value), span=(0, 4))
    return Quantity(-value if sign else value, "%" if percent else "", (0, match.end()), step)


def _score(text: str) -> Range:
    """The range of a cell that holds nothing but a score or a record; the same as joining gives, sooner."""
    parts = [Quantity(float(one[0]), "", one.span()) for one in patterns.DIGITS.finditer(text)]
    return Range(parts[0], parts[1], (0, len(text)), tuple(parts[2:]))


def _singly(text: str) -> Iterator[Reading]:
    """The readings of all forms, one by one."""
    forms: list[_Form] = []
    if patterns.DIGIT.search(text):
        forms += _DIGIT_FORMS
    if not NUMBER_WORDS.isdisjoint(patterns.LETTERS.findall(text.lower())):
        forms += _WORD_FORMS
    found = [
        (match.start(), order, match)
        for order, form in enumerate(forms)
        if form.hint is None or form.hint.search(text)
        for match in form.pattern.finditer(text)
        if form.holds is None or form.holds(match)
    ]
    end = 0
    for start, order, match in sorted(found, key=lambda each: each[:2]):
        if start >= end:
            yield from forms[order].read(match)
            end = match.end()


# -- dates -------------------------------------------------------------------------------------------------


def _names_a_month(match: re.Match[str]) -> bool:
    """Soldiers march 20 miles, and march 1500 miles; in march 1500 they rest. A cell "march 20" is a date."""
    if match["month"] not in MONTHS_ALSO_VERBS or match[0] == match.string.strip():
        return True
    groups = match.groupdict()
    if groups.get("year_only"):
        return not patterns.AFTER_UNIT.match(match.string, match.end())
    return bool(groups["year"] or groups.get("of"))


def _written_date(match: re.Match[str]) -> Iterator[Reading]:
    groups = match.groupdict()
    written = groups["year"] or groups.get("year_only")
    year = int(written) if written else None
    month = MONTH_WORDS[groups["month"].lower()] if groups["month"][0].isalpha() else int(groups["month"])
    day = int(groups["day"]) if groups["day"] and has_day(year, month, int(groups["day"])) else None
    # Of "31 February 1931" the month is kept, of "31 February" nothing.
    if year or day:
        yield Date(year, month, day, match.span())


def _slashed_date(match: re.Match[str]) -> Iterator[Reading]:
    one, other, year = int(match["one"]), int(match["other"]), int(match["year"])
    for day, month in ((one, other), (other, one)):
        if 12 < day <= 31 and 1 <= month <= 12 and has_day(year, month, day):
            yield Date(year, month, day, match.span())
            return
    # 5/6/2007 is in May or in June, depending on the country: only the year is sure.
    yield Date(year, span=match.span())


def _decade(match: re.Match[str]) -> Iterator[Reading]:
    start, year = match.start(), int(match["year"])
    yield Date(year, span=(start, start + 4), years=10)
    if match["later"]:
        later = year - year % 100 + int(match["later"])
        yield Date(later + (100 if later < year else 0), span=match.span("later"), years=10)


def _is_an_era(match: re.Match[str]) -> bool:
    return int(match["after"] or match["year"]) > 0


def _era(match: re.Match[str]) -> Iterator[Reading]:
    year = int(match["after"] or match["year"])
    yield Date(-year if match["before"] else year, span=match.span())


def _is_a_century(match: re.Match[str]) -> bool:
    return 1 <= _century_number(match) <= 21


def _century_number(match: re.Match[str]) -> int:
    return int(match["number"]) if match["number"] else ORDINALS[match["word"].lower()] + (20 if match["tens"] else 0)


def _century(match: re.Match[str]) -> Iterator[Reading]:
    number = _century_number(match)
    yield Date(-100 * number if match["before"] else 100 * number - 99, span=match.span(), years=100)


def _clock(match: re.Match[str]) -> Iterator[Reading]:
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


def _number(match: re.Match[str]) -> Iterator[Reading]:
    decimals = match["decimals"] or match["point"] or ""
    exponent = _exponent(match["exponent"]) if match["exponent"] else 0
    value = float(f"{patterns.SEPARATOR.sub('', match['whole'] or '0')}{decimals}e{exponent}")
    fraction = match["fraction"] or match["lone"]
    if fraction:
        value += FRACTION_SIGNS[fraction]
    if match["part"]:
        value += part(match["part"])
    scale, unit = _scale_and_unit(match)
    if match[0] == match["whole"] and len(match[0]) == 4 and 1000 <= value <= _LAST_YEAR:
        yield Date(int(value), span=match.span())
        return
    digits = max(len(decimals) - 1, 0, 2 if fraction else 1 if match["part"] else 0)
    step = 10.0 ** (exponent - digits) * scale
    negative = match["debit"] or (match["sign"] and match["sign"][0] != "+")
    yield Quantity((-value if negative else value) * scale, unit, match.span(), step, ordinal=bool(match["ordinal"]))


def _exponent(text: str) -> int:
    """The power of ten of e6, × 10^6 and ×10⁶."""
    return int(re.split("[eE^]|10", text, maxsplit=1)[1].lstrip("^").translate(_RAISED))


def _scale_and_unit(match: re.Match[str]) -> tuple[float, str]:
    """$3m is three million dollars; 3m, without the dollar, is three metres."""
    money, short, unit = match["money"] or _coded(match["code"]), match["short"] or match["apart"], match["unit"]
    if short == "m" and not money and not unit:
        return 1, "m"
    scale = SCALES[match["scale"].lower()] if match["scale"] else SCALE_ABBREVIATIONS[short.lower()] if short else 1
    return scale, money or unit_named(unit or "")


def _coded(code: str | None) -> str:
    return "" if not code else "₹" if code[:2] in ("Rs", "rs") else unit_named(code.upper())


def _rank(match: re.Match[str]) -> Iterator[Reading]:
    place = match["tied"] or match["number"] or match["alone"] or match["equal"]
    yield Quantity(float(place), "", match.span(), 1.0, ordinal=True)


# -- compounds ---------------------------------------------------------------------------------------------


def _feet(match: re.Match[str]) -> Iterator[Reading]:
    feet = patterns.SEPARATOR.sub("", match["feet"] or match["short_feet"])
    inches = match["inches"] or match["short_inches"]
    value = float(inches.rstrip("½¼¾") or 0) + FRACTION_SIGNS.get(inches[-1], 0.0)
    step = 0.01 if inches[-1] in FRACTION_SIGNS else 10.0 ** -len(inches.partition(".")[2])
    yield from _compound(match, (float(feet), "ft"), (value, "in"), step)


def _stones(match: re.Match[str]) -> Iterator[Reading]:
    yield from _compound(match, (float(match["stones"]), "st"), (float(match["pounds"]), "lb"))


def _stones_add_up(match: re.Match[str]) -> bool:
    return int(match["pounds"]) < 14


def _duration(match: re.Match[str]) -> Iterator[Reading]:
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
) -> Iterator[Reading]:
    whole = compound(Quantity(*major, match.span()), Quantity(*minor, match.span(), step))
    if whole:
        yield whole


# -- the forms ---------------------------------------------------------------------------------------------


class _Form(NamedTuple):
    """A way to write a number or a date; without its hint a text cannot have it, and a match may not hold."""

    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Iterator[Reading]]
    hint: re.Pattern[str] | None = None
    holds: Callable[[re.Match[str]], bool] | None = None


_CENTURY_HINT = re.compile("[cC](?:entur|ENTUR)")
# Where two begin together the earlier form stays.
_DIGIT_FORMS = (
    _Form(patterns.DASHED, _written_date, re.compile("-[ \u00a0]?[A-Za-z]")),
    _Form(patterns.MONTH_FIRST, _written_date, None, _names_a_month),
    _Form(patterns.DAY_FIRST, _written_date, None, _names_a_month),
    _Form(patterns.ISO, _written_date, re.compile("[12][0-9]{3}[ \u00a0]?[-/]")),
    _Form(patterns.SLASHED, _slashed_date, re.compile("[/.][ \u00a0]?[12][0-9]{3}")),
    _Form(patterns.DECADE, _decade, re.compile("0['’]?s")),
    _Form(patterns.ERA, _era, re.compile("[ABCabc]\\.? ?[DECdec]"), _is_an_era),
    _Form(patterns.CENTURY, _century, _CENTURY_HINT, _is_a_century),
    _Form(patterns.CLOCK, _clock, re.compile("[0-9](?:[:'′][0-9]|[ \u00a0]?[ap]\\.?m)")),
    _Form(patterns.FEET, _feet, re.compile("[0-9][ -]?(?:f[eot]|['’′])")),
    _Form(patterns.STONES, _stones, re.compile("[0-9][ -]?st"), _stones_add_up),
    _Form(patterns.DURATION, _duration, re.compile("[0-9] ?[hm]")),
    _Form(patterns.RANK, _rank, re.compile("[#=№ºTt]|[Nn][Oo]")),
    _Form(patterns.NUMBER, _number),
)
_WORD_FORMS = (
    _Form(patterns.CENTURY, _century, _CENTURY_HINT, _is_a_century),
    _Form(patterns.SPELLED, spelled),
)
