"""Comparing numbers and dates: whether two agree, which is greater, and by how much."""

from __future__ import annotations

import datetime
import math
from dataclasses import replace

from veritab.quantities.types import Date, NumberOrDate, Quantity, has_day
from veritab.quantities.units import convert

_FLOAT_ERROR = 1e-12  # what floating point may add to a value, as a share of it


def bare_year(date: Date) -> int | None:
    """The year of a date that has nothing else, and so may be a plain number."""
    return date.year if date.month is None and date.day is None and date.years == 1 else None


def as_quantity(value: NumberOrDate) -> Quantity | None:
    """A value as a number, which a bare year may be and another date is not."""
    if isinstance(value, Quantity):
        return value
    year = bare_year(value)
    return None if year is None else Quantity(float(year), "", value.span)


def agree(one: NumberOrDate, other: NumberOrDate) -> bool:
    """Whether two values can mean the same: equal up to the rounding of the less exact one.

    Units are converted where they measure the same thing, so 100 cm agrees with 1 m; different currencies and other
    different things never agree. A number without a unit may have any, and a bare year may be a number.
    """
    if isinstance(one, Date) and isinstance(other, Date):
        return _dates_agree(one, other)
    return _compare_numbers(one, other, exact=False) == 0


def compare(one: NumberOrDate, other: NumberOrDate, *, exact: bool = False) -> int | None:
    """-1, 0 or 1 as the first is less than, agrees with or is greater than the second; None when undecided.

    Undecided are values of different dimensions, a number and a day, and dates one of which is too vague ("1931" and
    "May 1931"). With `exact`, what rounding would forgive counts: 12.4 is more than 12.
    """
    if isinstance(one, Date) and isinstance(other, Date):
        return _compare_dates(one, other)
    return _compare_numbers(one, other, exact=exact)


def difference(one: NumberOrDate, other: NumberOrDate) -> Quantity | None:
    """The first less the second, negative when the second is greater; None when they cannot be subtracted.

    Numbers differ in the first's unit. Dates differ by days when both are days, by months when both know the month, and
    otherwise by years, which then may be one too many or too few; dates without a year do not differ by anything.
    """
    if isinstance(one, Date) and isinstance(other, Date):
        return _days_between(one, other) or _months_or_years_between(one, other)
    first, second = as_quantity(one), as_quantity(other)
    if first and second and first.unit and second.unit:
        second = convert(second, first.unit)
    if first is None or second is None:
        return None
    smallest = min(first.step, second.step)
    # No more digits than were written, and a few for what was converted: 12.3 less 12.1 is 0.2.
    places = 3 - math.floor(math.log10(smallest)) if smallest > 0 else 12
    value = round(first.value - second.value, max(0, min(places, 15)))
    return Quantity(value, first.unit or second.unit, step=max(first.step, second.step))


def age(birth: Date, at: Date) -> Quantity | None:
    """The whole years from a birth to a date; None when the years are not known or the birth comes later.

    The step is 0 when the age is sure, and 1 when the dates leave open whether it is one less.
    """
    if birth.year is None or at.year is None or birth.years > 1 or at.years > 1:
        return None
    years = _gapless_year(at.year) - _gapless_year(birth.year)
    order = _compare_dates(replace(birth, year=2000), replace(at, year=2000))
    if order == 1:
        years -= 1
    if years < 0:
        return None
    unsure = order is None or (order == 0 and birth.day is None)
    return Quantity(float(years), "year", step=1.0 if unsure and years else 0.0)


# -- numbers -----------------------------------------------------------------------------------------------


def _in_one_unit(one: NumberOrDate, other: NumberOrDate) -> tuple[Quantity, Quantity] | None:
    """Two values as numbers of one unit, if they can be."""
    first, second = as_quantity(one), as_quantity(other)
    if first is None or second is None:
        return None
    if first.unit == second.unit or not first.unit or not second.unit:
        return first, second
    # Always the same one of two units is converted, so that both orders of them round alike.
    if first.unit < second.unit:
        converted = convert(second, first.unit)
        return None if converted is None else (first, converted)
    converted = convert(first, second.unit)
    return None if converted is None else (converted, second)


def _compare_numbers(one: NumberOrDate, other: NumberOrDate, *, exact: bool) -> int | None:
    pair = _in_one_unit(one, other)
    if pair is None:
        return None
    first, second = pair
    forgiven = _FLOAT_ERROR * max(abs(first.value), abs(second.value))
    if not (exact or first.ordinal or second.ordinal):
        forgiven += max(first.step, second.step) / 2 * (1 + 1e-9)
    apart = first.value - second.value
    return 0 if abs(apart) <= forgiven else 1 if apart > 0 else -1


# -- dates -------------------------------------------------------------------------------------------------


def _gapless_year(year: int) -> int:
    """Years counted without a gap, for no year 0 comes between 1 BC and 1 AD."""
    return year + 1 if year < 0 else year


def _dates_agree(one: Date, other: Date) -> bool:
    known = [a == b for a, b in ((one.month, other.month), (one.day, other.day)) if a is not None and b is not None]
    if one.year is not None and other.year is not None:
        known.append(one.year < other.year + other.years and other.year < one.year + one.years)
    return bool(known) and all(known)


def _compare_dates(one: Date, other: Date) -> int | None:
    if (one.year is None) != (other.year is None):
        return None
    if one.year is not None and other.year is not None:
        if one.year + one.years <= other.year:
            return -1
        if other.year + other.years <= one.year:
            return 1
        if (one.year, one.years) != (other.year, other.years):
            return None
    if (one.month, one.day) == (other.month, other.day):
        return None if one.year is None and one.month is None and one.day is None else 0
    for a, b in ((one.month, other.month), (one.day, other.day)):
        if a is None or b is None:
            return None
        if a != b:
            return -1 if a < b else 1
    return 0


def _days_between(one: Date, other: Date) -> Quantity | None:
    days = [_day_number(date) for date in (one, other)]
    return None if days[0] is None or days[1] is None else Quantity(float(days[0] - days[1]), "day")


def _day_number(date: Date) -> int | None:
    if date.year is None or date.month is None or date.day is None:
        return None
    if not 1 <= date.year <= datetime.MAXYEAR or not has_day(date.year, date.month, date.day):
        return None
    return datetime.date(date.year, date.month, date.day).toordinal()


def _months_or_years_between(one: Date, other: Date) -> Quantity | None:
    if one.year is None or other.year is None:
        return None
    years = _gapless_year(one.year) - _gapless_year(other.year)
    if one.month is None or other.month is None:
        return Quantity(float(years), "year", step=float(max(one.years, other.years)))
    return Quantity(12.0 * years + one.month - other.month, "month")
