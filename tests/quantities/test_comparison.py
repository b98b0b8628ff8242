"""Readings agree, come before or after each other, and differ by so much."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.quantities import Date, NumberOrDate, Quantity, age, agree, compare, difference, parse_numbers
from veritab.quantities.units import UNITS


def first(text: str) -> NumberOrDate:
    return parse_numbers(text)[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("seven", "7"),
        ("1.2 million", "1,234,567"),
        ("12 km", "12"),
        ("second", "2nd"),
        ("May 1931", "2 May 1931"),
        ("1931", "May 2, 1931"),
        ("1,850", "1850"),
        ("three and a half million", "3,460,000"),
        ("half a million", "480,000"),
        ("1.2e6", "1,234,567"),
        ("100 cm", "1 m"),
        ("60 s", "1 minute"),
        ("6 ft 2 in", "1.88 m"),
        ("6'2\"", "188 cm"),
        ("2:15:30", "2 h 15 min"),
        ("12 months", "1 year"),
        ("32 °F", "0 °C"),
        ("1,370 lb", "621 kg"),
        ("1.2 thousand", "1234"),
        ("1850s", "1853"),
        ("19th century", "1853"),
        ("44 BC", "44 BC"),
        ("T5", "fifth"),
    ],
)
def test_readings_agree_as_far_as_they_were_written(one: str, other: str) -> None:
    assert agree(first(one), first(other))
    assert agree(first(other), first(one))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7", "8"),
        ("12 km", "12 mi"),
        ("1.2 million", "1,300,000"),
        ("three and a half million", "3,000,000"),
        ("1931", "1932"),
        ("5 May", "1931"),
        ("5 May", "5"),
        ("1 m", "1 cm"),
        ("$5", "€5"),
        ("5 kg", "5 km"),
        ("6 ft 2 in", "1.91 m"),
        ("1850s", "1861"),
        ("44 BC", "44"),
        ("44 BC", "AD 44"),
        ("5th", "5.2"),
    ],
)
def test_readings_that_differ_do_not_agree(one: str, other: str) -> None:
    assert not agree(first(one), first(other))
    assert not agree(first(other), first(one))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("7", "8", -1),
        ("12.4", "12", 0),
        ("1.2 million", "1,234,567", 0),
        ("2 km", "1999 cm", 1),
        ("5 °C", "50 °F", -1),
        ("30 mph", "40 km/h", 1),
        ("12 km", "11", 1),
        ("$5", "€6", None),
        ("5 kg", "6 km", None),
        ("1931", "1932", -1),
        ("1931", "May 1931", None),
        ("1931", "May 1930", 1),
        ("May 1931", "2 May 1931", None),
        ("May 1931", "2 June 1931", -1),
        ("2 May 1931", "2 May 1931", 0),
        ("2 May 1931", "3 May 1931", -1),
        ("5 May", "6 May", -1),
        ("5 May", "1931", None),
        ("5 May", "5 May 1931", None),
        ("5 May", "5", None),
        ("1931", "1,930", 1),
        ("44 BC", "AD 14", -1),
        ("100 BC", "44 BC", -1),
        ("1850s", "1861", -1),
        ("1850s", "1853", None),
        ("20th century", "19th century", 1),
        ("2nd", "third", -1),
    ],
)
def test_one_reading_is_less_than_another_or_it_cannot_be_said(one: str, other: str, expected: int | None) -> None:
    assert compare(first(one), first(other)) == expected
    assert compare(first(other), first(one)) == (None if expected is None else -expected)


@pytest.mark.parametrize(
    ("one", "other", "expected"), [("12.4", "12", 1), ("1.2 million", "1,234,567", -1), ("100 cm", "1 m", 0)]
)
def test_an_exact_comparison_forgives_no_rounding(one: str, other: str, expected: int) -> None:
    assert compare(first(one), first(other), exact=True) == expected
    assert compare(first(other), first(one), exact=True) == -expected


def test_an_exact_comparison_forgives_the_noise_of_adding() -> None:
    assert compare(Quantity(0.1 + 0.2), Quantity(0.3), exact=True) == 0


@pytest.mark.parametrize(
    ("one", "other", "value", "unit"),
    [
        ("12.3", "12.1", 0.2, ""),
        ("8,849 m", "8,611 m", 238, "m"),
        ("2 km", "500 m", 1.5, "km"),
        ("500 m", "2 km", -1500, "m"),
        ("10", "4 kg", 6, "kg"),
        ("1931", "1900", 31, "year"),
        ("2 May 1931", "1900", 31, "year"),
        ("May 1931", "2 March 1930", 14, "month"),
        ("1 March 2000", "28 February 2000", 2, "day"),
        ("1 March 1900", "28 February 1900", 1, "day"),
        ("AD 14", "27 BC", 40, "year"),
        ("1931", "1,900", 31, ""),
    ],
)
def test_readings_differ_by_so_much(one: str, other: str, value: float, unit: str) -> None:
    found = difference(first(one), first(other))
    assert found
    assert (found.value, found.unit) == (value, unit)


@pytest.mark.parametrize(
    ("one", "other"), [("$5", "€5"), ("5 kg", "5 km"), ("5 May", "1931"), ("5 May", "6 May"), ("2 May 1931", "5")]
)
def test_what_cannot_be_subtracted_differs_by_nothing(one: str, other: str) -> None:
    assert difference(first(one), first(other)) is None
    assert difference(first(other), first(one)) is None


@pytest.mark.parametrize(
    ("birth", "at", "years", "sure"),
    [
        ("9 May 1931", "8 May 2000", 68, True),
        ("9 May 1931", "9 May 2000", 69, True),
        ("May 1931", "June 2000", 69, True),
        ("June 1931", "2 May 2000", 68, True),
        ("May 1931", "9 May 2000", 69, False),
        ("1931", "2000", 69, False),
        ("9 May 1931", "2000", 69, False),
        ("1931", "1931", 0, True),
        ("27 BC", "AD 14", 40, False),
    ],
)
def test_an_age_is_in_whole_years_and_says_whether_it_is_sure(birth: str, at: str, years: float, sure: bool) -> None:
    one, other = first(birth), first(at)
    assert isinstance(one, Date)
    assert isinstance(other, Date)
    assert age(one, other) == Quantity(years, "year", step=0.0 if sure else 1.0)


@pytest.mark.parametrize(("birth", "at"), [("5 May", "2000"), ("2000", "1931"), ("9 May 2000", "8 May 2000")])
def test_nobody_has_an_age_before_the_birth_or_without_a_year(birth: str, at: str) -> None:
    one, other = first(birth), first(at)
    assert isinstance(one, Date)
    assert isinstance(other, Date)
    assert age(one, other) is None


quantity = st.builds(
    Quantity,
    st.one_of(st.integers(-100, 100).map(float), st.floats(-1e12, 1e12)),
    st.sampled_from(["", *sorted(set(UNITS.values()))]),
    step=st.sampled_from([0.01, 0.1, 1.0, 1e6]),
    ordinal=st.booleans(),
)
date = st.builds(
    Date,
    st.one_of(st.none(), st.integers(-50, -1), st.integers(1900, 1912)),
    st.one_of(st.none(), st.integers(1, 12)),
    st.one_of(st.none(), st.integers(1, 28)),
    years=st.sampled_from([1, 1, 1, 10]),
)
reading = st.one_of(quantity, date)


@given(reading, reading, st.booleans())
def test_a_comparison_turned_round_turns_its_answer(one: NumberOrDate, other: NumberOrDate, exact: bool) -> None:
    answer = compare(one, other, exact=exact)
    assert answer in (-1, 0, 1, None)
    assert compare(other, one, exact=exact) == (None if answer is None else -answer)


@given(reading, reading)
def test_what_compares_as_equal_agrees_and_what_does_not_disagrees(one: NumberOrDate, other: NumberOrDate) -> None:
    answer = compare(one, other)
    assert agree(one, other) == agree(other, one)
    if answer is not None:
        assert agree(one, other) == (answer == 0)
    elif isinstance(one, Quantity) or isinstance(other, Quantity):
        assert not agree(one, other)


@given(reading, reading)
def test_a_difference_turned_round_changes_its_sign(one: NumberOrDate, other: NumberOrDate) -> None:
    found, turned = difference(one, other), difference(other, one)
    assert (found is None) == (turned is None)
    same = isinstance(one, Date) or isinstance(other, Date) or one.unit == other.unit
    if found and turned and same:
        assert found.value == -turned.value


@given(*[st.dates(datetime.date(1000, 1, 1), datetime.date(2100, 12, 31))] * 2)
def test_days_are_compared_and_counted_as_the_calendar_does(one: datetime.date, other: datetime.date) -> None:
    first_day, second_day = (Date(day.year, day.month, day.day) for day in (one, other))
    assert compare(first_day, second_day) == (one > other) - (one < other)
    assert difference(first_day, second_day) == Quantity(float((one - other).days), "day")
