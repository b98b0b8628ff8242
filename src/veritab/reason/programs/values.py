"""How values of cells and claims are ordered, compared and combined: words, numbers and dates."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeAlias

from veritab.quantities import Date, NumberOrDate, Quantity, Range, agree, bare_year, convert, difference, parse_numbers
from veritab.text import stems

ProgramValue: TypeAlias = str | Quantity | Date | Range
"""What a cell holds or a program computes."""

Term: TypeAlias = str | NumberOrDate
"""What a claim compares with: words, a number or a date."""


def sort_key(value: ProgramValue | None, unit: str = "") -> float | None:
    """The sort key of a value among those of its kind, numbers in a given unit; None when it has none."""
    match value:
        case Quantity():
            if unit and value.unit and value.unit != unit:
                converted = convert(value, unit)
                return converted.value if converted else None
            return value.value
        case Date(year=None, month=int(month)):
            return _within_year(month, value.day)
        case Date(year=int(year)):
            return year + _within_year(value.month, value.day)
    return None


def _within_year(month: int | None, day: int | None) -> float:
    return ((month or 1) - 1) / 12 + ((day or 1) - 1) / 372


def sort_keys(values: Sequence[ProgramValue | None], unit: str) -> list[float | None]:
    """The sort keys of a column's values of the most common kind; the others have none."""
    kinds = [_value_kind(value) for value in values]
    counted = Counter(filter(None, kinds))
    if not counted:
        return [None] * len(values)
    commonest = max(counted, key=lambda kind: (counted[kind], kind))
    if commonest == "number":
        unit = common_unit(values, unit)
    return [sort_key(value, unit) if kind == commonest else None for value, kind in zip(values, kinds, strict=True)]


def common_unit(values: Sequence[ProgramValue | None], unit: str) -> str:
    """The unit in which the numbers of a column are sorted: its own, or else the first that a cell has."""
    units = (value.unit for value in values if isinstance(value, Quantity) and value.unit not in ("", "%"))
    return unit or next(units, "")


def _value_kind(value: ProgramValue | None) -> str:
    """The kind of values that can be sorted together: shares are not numbers, days of any year are not dates."""
    match value:
        case Quantity():
            return "share" if value.unit == "%" else "number"
        case Date(year=None):
            return "day"
        case Date():
            return "date"
    return ""


def unit_of(value: ProgramValue | None) -> str:
    return value.unit if isinstance(value, Quantity) else ""


def compare_values(one: ProgramValue | None, other: ProgramValue | None) -> int | None:
    """-1, 0 or 1 as the first is below, the same as or above the second, as written; None when unknown.

    The second may be a period: a day in 1931 is the same as 1931, neither before it nor after. Whether 1931 comes
    before that day is unknown.
    """
    if _beyond_percent(one, other) or _beyond_percent(other, one):
        return None
    unit = unit_of(one) or unit_of(other)
    ends = _number_ends if isinstance(one, Quantity) or isinstance(other, Quantity) else _date_ends
    first, second = ends(one, unit), ends(other, unit)
    if first is None or second is None:
        return None
    if isinstance(one, Date) and isinstance(other, Date) and (one.year is None) != (other.year is None):
        return None
    # Rounding errors of converting and adding up must not decide.
    noise = _NOISE * max(abs(first[0]), abs(second[0]))
    if first[0] > second[1] + noise:
        return 1
    if first[1] < second[0] - noise:
        return -1
    return 0 if first[0] >= second[0] - noise and first[1] <= second[1] + noise else None


_NOISE = 1e-12


def _beyond_percent(one: ProgramValue | None, other: ProgramValue | None) -> bool:
    """Whether a percentage is compared with a number that cannot be one: 5,043,584 people are not more than a fifth."""
    return unit_of(one) == "%" and isinstance(other, Quantity) and not other.unit and abs(other.value) > 100


def _number_ends(value: ProgramValue | None, unit: str) -> tuple[float, float] | None:
    """A number as an interval; a bare year may be one: 1,500 people, written 1500."""
    if isinstance(value, Date) and bare_year(value) is None:
        return None
    place = sort_key(value, unit)
    return None if place is None else (place, place)


def _date_ends(value: ProgramValue | None, _unit: str) -> tuple[float, float] | None:
    """Where a date begins and where it ends."""
    first = sort_key(value)
    if first is None or not isinstance(value, Date) or value.day:
        return None if first is None else (first, first)
    if value.month:
        return first, first + _within_year(1, 31)
    return first, first + value.years - 1 + _within_year(12, 31)


def values_agree(one: ProgramValue | None, other: ProgramValue | None) -> bool | None:
    """Whether two values can mean the same, numbers up to the rounding of the less exact one."""
    if one is None or other is None:
        return None
    if isinstance(one, str) and isinstance(other, str):
        return same_words(one, other)
    if isinstance(one, str) or isinstance(other, str):
        words, reading = (one, other) if isinstance(one, str) else (other, one)
        return any(values_agree(read, reading) for read in parse_numbers(str(words)[:200]))
    if isinstance(one, Range) or isinstance(other, Range):
        if isinstance(one, Range) and isinstance(other, Range) and len(one.parts) == len(other.parts):
            return all(map(agree, one.parts, other.parts))
        return False
    return agree(one, other)


def same_words(one: str, other: str) -> bool:
    """Whether two texts have the same words; those that have none, such as ✓ and ✗, must be written alike."""
    words = stems(one)
    return words == stems(other) and (bool(words) or one.casefold() == other.casefold())


def phrase_matcher(phrase: str) -> Callable[[str], bool]:
    """A test whether a text has a phrase among its words, in order and adjacent."""
    wanted = stems(phrase)
    size = len(wanted)
    if not size:
        return lambda text: bool(phrase) and phrase.casefold() in text.casefold()

    def contains(text: str) -> bool:
        found = stems(text)
        return any(found[start : start + size] == wanted for start in range(len(found) - size + 1))

    return contains


def round_sum(value: float, step: float) -> float:
    """A sum of numbers of a step without what floating point adds to it: 0.1 and 0.2 make 0.3."""
    places = 3 - math.floor(math.log10(step)) if 0 < step < math.inf else 12
    return round(value, max(0, min(places, 15)))


def subtract(one: ProgramValue | None, other: ProgramValue | None) -> Quantity | None:
    """The first minus the second; between dates, the time that passed."""
    if isinstance(one, Quantity | Date) and isinstance(other, Quantity | Date):
        return difference(one, other)
    return None


def divide(one: ProgramValue | None, other: ProgramValue | None) -> Quantity | None:
    """The first over the second, where both are numbers of one dimension and the second is not zero."""
    if not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return None
    below = sort_key(other, one.unit)
    if not below:
        return None
    return Quantity(one.value / below, step=0.01)


def compute_percentage(part: ProgramValue | None, whole: ProgramValue | None) -> Quantity | None:
    """What percentage the first is of the second."""
    ratio = divide(part, whole)
    return Quantity(100 * ratio.value, "%", step=1.0) if ratio else None
