"""How Veritab reads numbers and dates, in running text and in cells: one reader, used wherever two values are compared.

`quantities("rose 1.2 million km² by 9 May 1931")` gives a `Quantity` and a `Date`; two of them joined by a dash give a
`Range`, which is also what a score ("6–16") looks like. `agree` compares readings as tolerantly as they were written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its unit; `step` is the worth of its last written digit: 100,000 for "1.2 million"."""

    value: float
    unit: str = ""
    span: Span = (0, 0)
    step: float = 1.0
    ordinal: bool = False


@dataclass(frozen=True, slots=True)
class Date:
    """A day, a month or a year, as far as the text tells. A bare number such as 1931 is read as a year."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    span: Span = (0, 0)


Reading: TypeAlias = Quantity | Date


@dataclass(frozen=True, slots=True)
class Range:
    """Two readings joined by a dash: from low to high, or the two sides of a score."""

    low: Reading
    high: Reading
    span: Span = (0, 0)


# -- the words ---------------------------------------------------------------------------------------------

_ONES = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
_SMALL = {word: n for n, word in enumerate(f"zero {_ONES} eighteen nineteen".split())}
_TENS = {word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "dozen": 12}
_SHORT_SCALES = {"k": 10**3, "m": 10**6, "mn": 10**6, "mln": 10**6, "b": 10**9, "bn": 10**9}
_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30, "fortieth": 40,
    "fiftieth": 50, "sixtieth": 60, "seventieth": 70, "eightieth": 80, "ninetieth": 90, "hundredth": 100,
}  # fmt: skip
_FRACTIONS = {
    "½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4, "⅕": 1 / 5, "⅖": 2 / 5, "⅗": 3 / 5, "⅘": 4 / 5,
    "⅙": 1 / 6, "⅚": 5 / 6, "⅐": 1 / 7, "⅛": 1 / 8, "⅜": 3 / 8, "⅝": 5 / 8, "⅞": 7 / 8, "⅑": 1 / 9, "⅒": 1 / 10,
}  # fmt: skip
_PARTS = {"half": 1 / 2, "quarter": 1 / 4, "quarters": 3 / 4}
_MONTH_NAMES = "january february march april may june july august september october november december".split()
_MONTHS = {name: n for n, name in enumerate(_MONTH_NAMES, 1)}
_MONTHS |= {name[:3]: n for name, n in _MONTHS.items()} | {"sept": 9}

# In small letters these are verbs, unless what stands beside them says otherwise.
_ALSO_VERBS = ("march", "may")

# Each unit under the name it is compared by, and the other ways to write it.
_UNIT_NAMES = {
    "%": "percent|per cent|pct",
    "km": "kilometres|kilometre|kilometers|kilometer|kms",
    "m": "metres|metre|meters|meter",
    "cm": "centimetres|centimetre|centimeters|centimeter",
    "mm": "millimetres|millimetre|millimeters|millimeter",
    "mi": "miles|mile",
    "ft": "feet|foot",
    "in": "inches|inch",
    "yd": "yards|yard|yds",
    "km²": "km2|square kilometres|square kilometre|square kilometers|square kilometer|sq km",
    "m²": "m2|square metres|square metre|square meters|square meter|sq m",
    "sq mi": "square miles|square mile|mi²|mi2",
    "sq ft": "square feet|square foot|ft²|ft2",
    "ha": "hectares|hectare",
    "acre": "acres",
    "km/h": "kph|kmh|kilometres per hour|kilometers per hour",
    "mph": "miles per hour",
    "kg": "kilograms|kilogram|kilogrammes|kilogramme",
    "g": "grams|gram",
    "t": "tonnes|tonne|tons|ton",
    "lb": "pounds|pound|lbs",
    "L": "litres|litre|liters|liter",
    "s": "seconds|second|sec|secs",
    "min": "minutes|minute|mins",
    "h": "hours|hour|hrs|hr",
    "day": "days",
    "week": "weeks",
    "month": "months",
    "year": "years|yrs|yr",
    "decade": "decades",
    "century": "centuries",
    "W": "watts|watt",
    "kW": "kilowatts|kilowatt",
    "MW": "megawatts|megawatt",
    "GW": "gigawatts|gigawatt",
    "Hz": "hertz",
    "kHz": "",
    "MHz": "",
    "GHz": "",
    "°C": "degrees Celsius|C°",
    "°F": "degrees Fahrenheit",
    "$": "dollars|dollar|USD",
    "€": "euros|euro|EUR",
    "£": "GBP|pounds sterling",
    "¥": "yen|JPY",
    "₹": "rupees|rupee|INR",
}
_UNITS = {name: unit for unit, others in _UNIT_NAMES.items() for name in (unit, *filter(None, others.split("|")))}
_UNIT_WORDS = {name.lower(): unit for name, unit in _UNITS.items() if len(name) > 3}

# -- the patterns ------------------------------------------------------------------------------------------

# Every repetition is bounded and a match starts where no number is under way, so that a hundred thousand digits or
# commas cost a hundred thousand small steps, not their square.
_GAP = r"[ \u00a0]"
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<day>3[01]|[12][0-9]|0?[1-9])(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>[12][0-9]{3})(?!\w|[.,][0-9])"
_COMMA = rf"(?:{_GAP}?,{_GAP}?|{_GAP})"
_MONTH_FIRST = re.compile(
    rf"\b{_MONTH}{_GAP}?(?:{_DAY}(?:{_COMMA}{_YEAR})?|(?:{_COMMA})?{_YEAR.replace('<year>', '<year_only>')})",
    re.IGNORECASE,
)
_DAY_FIRST = re.compile(rf"(?<![\w.,]){_DAY}{_GAP}(?P<of>of{_GAP})?{_MONTH}(?:{_COMMA}{_YEAR})?", re.IGNORECASE)
_ISO = re.compile(
    r"(?<![\w.-])(?P<year>[12][0-9]{3})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12][0-9]|3[01])(?![\w-])"
)
_SLASHED = re.compile(
    r"(?<![\w./])(?P<one>[0-3]?[0-9])(?P<mark>[/.])(?P<other>[0-3]?[0-9])(?P=mark)(?P<year>[12][0-9]{3})(?![\w/])"
)
_DECADE = re.compile(r"(?<![\w.,])(?P<year>[12][0-9]{2}0)['’]?s\b")
_CLOCK = re.compile(r"(?<![\w.:])[0-9]{1,3}(?::[0-5][0-9]){1,2}(?:\.[0-9]{1,6})?(?![\w:])")


def _either(names: Iterable[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=lambda name: (-len(name), name)))


# "12 in 1931" has no inches, "5 ft 11 in (1.80 m)" has: letters that are also words count at the end of a phrase.
_MISTAKABLE = r"(?:in|t|h|g|s|L|W)(?=$|[).,;/]|[ \u00a0][(])"
_SYMBOL = rf"(?!(?:in|t|h|g|s|L|W)\b)(?:{_either(name for name in _UNITS if len(name) < 5)})(?!\w)"
_UNIT = rf"(?:(?:{_GAP}|-)?(?P<unit>(?i:{_either(_UNIT_WORDS)})(?!\w)|{_SYMBOL}|{_MISTAKABLE}))?"
_AFTER_UNIT = re.compile(_UNIT.removesuffix("?"))
_FRACTION = f"[{''.join(_FRACTIONS)}]"
_LINK = rf"(?:{_GAP}|-)"
# "and a half" goes on with a number; "half a" and "a quarter of a" begin one, before a word such as "million".
_AND_PART = rf"(?i:{_LINK}and{_LINK}(?:(?:an?|one){_LINK}(?:half|quarter)|three{_LINK}quarters)\b)"
_PART_OF = (
    rf"(?i:(?:\b(?:three{_LINK}quarters|quarter){_GAP}of{_GAP}an?{_GAP}|\bhalf{_GAP}an?{_GAP}"
    rf"|\b(?:half|quarter){_LINK})(?=(?:{_either(_SCALES)})\b))"
)
_NUMBER = re.compile(
    r"(?P<sign>(?<![\w)\]])[-−–])?(?<!\w)(?<![0-9]\.)"
    r"(?:(?:US|A|C|CA|AU|NZ|HK)?(?P<money>[$€£¥₹])[ \u00a0]?)?"
    # In India, digits are grouped as in 12,34,567.
    r"(?:(?P<whole>(?<![0-9],)[0-9]{1,2}(?:,[0-9]{2}){1,8},[0-9]{3}(?![0-9]|,[0-9])"
    r"|[0-9]{1,3}(?:[,\u00a0\u2009\u202f][0-9]{3}){1,6}(?![0-9]|,[0-9]{3})|[0-9]{1,18}(?![0-9]))"
    # Not the 1 of 1.5xyz: a number is read whole or not at all.
    r"(?P<decimals>\.[0-9]{1,30}(?![0-9]))?(?!\.[0-9])"
    rf"(?:(?P<fraction>{_FRACTION})|(?P<exponent>[eE][-+−]?[0-9]{{1,2}}(?![0-9]))|(?P<part>{_AND_PART}))?"
    rf"|(?P<lone>{_FRACTION})|(?P<point>(?<!\.)\.[0-9]{{1,18}}(?![0-9])))"
    r"(?:(?P<ordinal>st|nd|rd|th)\b"
    r"|(?:(?P<short>(?:mln|bn|mn|[kKmMbB])\b)"
    rf"|(?:{_GAP}|-)(?P<scale>(?i:{_either(_SCALES)}))\b)?{_UNIT}(?![A-Za-z]))"
)
_WORD = re.compile(rf"(?i:\b(?:{_either([*_SMALL, *_TENS, *_SCALES, *_ORDINALS])})\b)")
_SPELLED = re.compile(
    rf"(?:{_PART_OF})?{_WORD.pattern}(?:{_AND_PART}|(?:-|{_GAP}(?:and{_GAP})?){_WORD.pattern}){{0,11}}{_UNIT}"
)
_SPELLED_PIECE = re.compile(rf"(?P<part>{_PART_OF}|{_AND_PART})|{_WORD.pattern}")
_PART = re.compile(_either(_PARTS), re.IGNORECASE)
_JOINT = re.compile(rf"{_GAP}?(?:[-‐‑‒–—−]|to){_GAP}?")
_DIGIT_OR_WORD = re.compile(rf"[0-9]|{_FRACTION}|{_WORD.pattern}")
_SEPARATOR = re.compile(r"[^0-9]")
_LAST_YEAR = 2100

# -- the reader --------------------------------------------------------------------------------------------


def quantities(text: str) -> list[Reading | Range]:
    """Every number and date of a text, in order; two joined by a dash are one range."""
    joined: list[Reading | Range] = []
    for reading in _singly(text):
        before = joined[-1] if joined else None
        if before and not isinstance(before, Range) and _JOINT.fullmatch(text, before.span[1], reading.span[0]):
            upper = _upper_end(before, reading)
            if upper:
                joined[-1] = Range(_lower_end(before, upper), upper, (before.span[0], reading.span[1]))
                continue
        joined.append(reading)
    return joined


def readings(text: str) -> list[Reading]:
    """Every number and date of a text, in order, the two ends of a range one after the other."""
    found: list[Reading] = []
    for one in quantities(text):
        found += (one.low, one.high) if isinstance(one, Range) else (one,)
    return found


def agree(one: Reading, other: Reading) -> bool:
    """Whether two readings can mean the same value: equal up to the rounding of the less exact one.

    Units are not converted: readings with different units never agree, not even 100 cm and 1 m. One without a unit may
    have any.
    """
    if isinstance(one, Date) and isinstance(other, Date):
        pairs = ((one.year, other.year), (one.month, other.month), (one.day, other.day))
        known = [a == b for a, b in pairs if a is not None and b is not None]
        return bool(known) and all(known)
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        if one.unit and other.unit and one.unit != other.unit:
            return False
        return abs(one.value - other.value) <= (
            0 if one.ordinal or other.ordinal else max(one.step, other.step) / 2 * (1 + 1e-9)
        )
    date, quantity = (one, other) if isinstance(one, Date) else (other, one)
    return isinstance(date, Date) and isinstance(quantity, Quantity) and bare_year(date) == quantity.value


def bare_year(date: Date) -> int | None:
    """The year of a date that has nothing else, and so may be a plain number."""
    return date.year if date.month is None and date.day is None else None


def _singly(text: str) -> Iterator[Reading]:
    """The readings of all patterns; where two cover the same characters the first to start, then the surer, stays."""
    if not _DIGIT_OR_WORD.search(text):
        return
    found = [
        (match.start(), order, match)
        for order, (pattern, read) in enumerate(_READERS)
        for match in pattern.finditer(text)
        if read is not _written_date or _names_a_month(match)
    ]
    end = 0
    for start, order, match in sorted(found, key=lambda each: each[:2]):
        if start >= end:
            yield from _READERS[order][1](match)
            end = match.end()


def _lower_end(low: Reading, high: Reading) -> Reading:
    """The first of two joined readings as the second explains it: 60–70 km begins at 60 km."""
    if isinstance(low, Quantity) and isinstance(high, Quantity) and not low.unit:
        return replace(low, unit=high.unit)
    return low


def _upper_end(low: Reading, high: Reading) -> Reading | None:
    """The second of two joined readings as the first explains it: the 18 of 2017–18 is a year."""
    if type(low) is type(high):
        return high
    if isinstance(low, Date) and isinstance(high, Quantity) and high.span[1] - high.span[0] == 2 and not high.unit:
        year = bare_year(low)
        if year is not None:
            century = year - year % 100
            return Date(year=century + int(high.value) + (100 if high.value < year % 100 else 0), span=high.span)
    return None


def _names_a_month(match: re.Match[str]) -> bool:
    """Soldiers march 20 miles, and march 1500 miles; in march 1500 they rest."""
    if match["month"] not in _ALSO_VERBS:
        return True
    groups = match.groupdict()
    if groups.get("year_only"):
        return not _AFTER_UNIT.match(match.string, match.end())
    return bool(groups["year"] or groups.get("of"))


def _written_date(match: re.Match[str]) -> Iterator[Reading]:
    groups = match.groupdict()
    year, day = groups["year"] or groups.get("year_only"), groups["day"]
    month = _MONTHS[groups["month"].lower()] if groups["month"][0].isalpha() else int(groups["month"])
    yield Date(int(year) if year else None, month, int(day) if day else None, match.span())


def _slashed_date(match: re.Match[str]) -> Iterator[Reading]:
    one, other, year = int(match["one"]), int(match["other"]), int(match["year"])
    for day, month in ((one, other), (other, one)):
        if 12 < day <= 31 and 1 <= month <= 12:
            yield Date(year, month, day, match.span())
            return
    # 5/6/2007 is in May or in June, depending on the country: only the year is sure.
    yield Date(year, span=match.span())


def _decade(match: re.Match[str]) -> Iterator[Reading]:
    start, year = match.start(), int(match["year"])
    yield Date(year, span=(start, start + 4))


def _clock(match: re.Match[str]) -> Iterator[Reading]:
    seconds = 0.0
    for part in match[0].split(":"):
        seconds = seconds * 60 + float(part)
    yield Quantity(seconds, "s", match.span(), 10.0 ** -len(match[0].partition(".")[2]))


def _number(match: re.Match[str]) -> Iterator[Reading]:
    decimals = match["decimals"] or match["point"] or ""
    exponent = (match["exponent"] or "e0").replace("−", "-")
    value = float(_SEPARATOR.sub("", match["whole"] or "0") + decimals + exponent)
    fraction = match["fraction"] or match["lone"]
    if fraction:
        value += _FRACTIONS[fraction]
    if match["part"]:
        value += _part(match["part"])
    scale, unit = _scale_and_unit(match)
    if match[0] == match["whole"] and len(match[0]) == 4 and 1000 <= value <= _LAST_YEAR:
        yield Date(int(value), span=match.span())
        return
    digits = max(len(decimals) - 1, 0, 2 if fraction else 1 if match["part"] else 0)
    step = 10.0 ** (int(exponent[1:]) - digits) * scale
    yield Quantity(
        (-value if match["sign"] else value) * scale, unit, match.span(), step, ordinal=bool(match["ordinal"])
    )


def _scale_and_unit(match: re.Match[str]) -> tuple[float, str]:
    """$3m is three million dollars; 3m, without the dollar, is three metres."""
    money, short, unit = match["money"], match["short"], match["unit"]
    if short == "m" and not money and not unit:
        return 1, "m"
    scale = _SCALES[match["scale"].lower()] if match["scale"] else _SHORT_SCALES[short.lower()] if short else 1
    return scale, money or _unit(unit)


def _unit(name: str | None) -> str:
    return "" if not name else _UNITS.get(name) or _UNIT_WORDS[name.lower()]


def _part(text: str) -> float:
    """What a half or some quarters are worth."""
    found = _PART.search(text)
    return _PARTS[found[0].lower()] if found else 1.0


def _spelled(match: re.Match[str]) -> Iterator[Reading]:
    end = match.start("unit") if match["unit"] else match.end()
    pieces = list(_SPELLED_PIECE.finditer(match.string, match.start(), end))
    words = ["", *(piece[0].lower() for piece in pieces), ""]
    numbers: list[Quantity] = []
    share: float | None = None
    for before, word, after, piece in zip(words, words[1:], words[2:], pieces, strict=False):
        goes_on = numbers and not numbers[-1].ordinal
        if not piece["part"]:
            longer = _continued(numbers[-1], word) if goes_on and share is None else None
            if longer:
                numbers[-1] = replace(longer, span=(longer.span[0], piece.end()))
            else:
                start = piece.start() if numbers else match.start()
                numbers.append(_first_word(word, (start, piece.end()), share))
            share = None
        elif after in _SCALES and not (goes_on and before not in _SCALES):
            share = _part(word)
        elif goes_on:
            # "A million and a half" has half a million more.
            whole = _SCALES.get(before, 1)
            value, span = numbers[-1].value + _part(word) * whole, (numbers[-1].span[0], piece.end())
            numbers[-1] = replace(numbers[-1], value=value, step=whole / 10, span=span)
    if match["unit"]:
        numbers[-1] = replace(numbers[-1], unit=_unit(match["unit"]), span=(numbers[-1].span[0], match.end()))
    yield from numbers


def _first_word(word: str, span: Span, share: float | None) -> Quantity:
    value = _SMALL.get(word) or _TENS.get(word) or _ORDINALS.get(word) or _SCALES.get(word, 0)
    step = float(value) if value >= 1000 else 1.0
    if share is not None:
        return Quantity(value * share, "", span, step / 10)
    return Quantity(float(value), "", span, step, word in _ORDINALS)


def _continued(number: Quantity, word: str) -> Quantity | None:
    """The number with one word more: "two hundred" with "fifty" goes on, "two" with "five" does not."""
    if number.ordinal:
        return None
    scale = _SCALES.get(word)
    if scale:
        # In "two million five hundred thousand" the thousand counts only what follows the million.
        below = number.value % (scale * 1000 if scale >= 1000 else 1000)
        step = number.step * scale if number.step < 1 else float(scale) if scale >= 1000 else 1.0
        return replace(number, value=number.value - below + (below or 1) * scale, step=step)
    value = _SMALL.get(word) or _TENS.get(word) or _ORDINALS.get(word, 0)
    room = 10 if value < 10 else 100
    if number.value < 20 or number.value % room:
        return None
    return replace(number, value=number.value + value, step=1.0, ordinal=word in _ORDINALS)


_Reader: TypeAlias = Callable[[re.Match[str]], Iterator[Reading]]
_READERS: tuple[tuple[re.Pattern[str], _Reader], ...] = (
    (_MONTH_FIRST, _written_date),
    (_DAY_FIRST, _written_date),
    (_ISO, _written_date),
    (_SLASHED, _slashed_date),
    (_DECADE, _decade),
    (_CLOCK, _clock),
    (_NUMBER, _number),
    (_SPELLED, _spelled),
)
