"""Units are known by their names and turned into each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.quantities import Quantity, convert, dimension, parse_unit
from veritab.quantities.units import UNITS

KNOWN = sorted(set(UNITS.values()))


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("km", "length"),
        ("nmi", "length"),
        ("st", "mass"),
        ("acre", "area"),
        ("week", "time"),
        ("kn", "speed"),
        ("°F", "temperature"),
        ("hp", "power"),
        ("MHz", "frequency"),
        ("cm³", "volume"),
        ("GB", "data"),
        ("%", "share"),
        ("$", "money:$"),
        ("€", "money:€"),
        ("kilometres", "length"),
        ("", ""),
        ("points", ""),
    ],
)
def test_a_unit_measures_one_thing(unit: str, expected: str) -> None:
    assert dimension(unit) == expected


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("Square Kilometres", "km²"),
        ("km2", "km²"),
        ("mhz", "MHz"),
        (" kg ", "kg"),
        ("USD", "$"),
        ("goals", ""),
        ("", ""),
    ],
)
def test_a_unit_goes_by_many_names(name: str, unit: str) -> None:
    assert parse_unit(name) == unit


@pytest.mark.parametrize(
    ("value", "unit", "other", "expected"),
    [
        (100, "cm", "m", 1),
        (1, "mi", "km", 1.609344),
        (1, "nmi", "m", 1852),
        (100, "°C", "°F", 212),
        (-40, "°F", "°C", -40),
        (36, "km/h", "m/s", 10),
        (1, "kn", "km/h", 1.852),
        (1, "st", "lb", 14),
        (1, "lb", "oz", 16),
        (1, "sq mi", "acre", 640),
        (100, "ha", "km²", 1),
        (1500, "kW", "MW", 1.5),
        (2, "h", "min", 120),
        (1, "year", "month", 12),
        (1, "century", "decade", 10),
        (2, "GB", "MB", 2000),
        (1998, "cm³", "L", 1.998),
        (3, "km", "kilometres", 3),
    ],
)
def test_a_quantity_is_the_same_in_another_unit(value: float, unit: str, other: str, expected: float) -> None:
    converted = convert(Quantity(value, unit), other)
    assert converted
    assert converted.value == pytest.approx(expected)
    assert converted.unit == parse_unit(other)


def test_a_converted_quantity_is_as_exact_as_it_was() -> None:
    converted = convert(Quantity(1.8, "m", step=0.1), "cm")
    assert converted
    assert converted.step == pytest.approx(10)


@pytest.mark.parametrize(
    ("unit", "other"), [("$", "€"), ("km", "kg"), ("km", ""), ("", "km"), ("", ""), ("%", "m"), ("km", "points")]
)
def test_what_measures_something_else_is_not_converted(unit: str, other: str) -> None:
    assert convert(Quantity(5, unit), other) is None


@given(st.floats(-1e9, 1e9), st.sampled_from(KNOWN), st.sampled_from(KNOWN))
def test_a_conversion_there_and_back_changes_nothing(value: float, unit: str, other: str) -> None:
    quantity = Quantity(value, unit, step=0.5)
    there = convert(quantity, other)
    assert (there is None) == (dimension(unit) != dimension(other))
    if there:
        back = convert(there, unit)
        assert back
        assert back.value == pytest.approx(value, rel=1e-9, abs=1e-9)
        assert back.unit == unit
        assert back.step == pytest.approx(0.5)
