"""Readings side by side become ranges, scores, records and compounds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.quantities import Date, NumberOrDate, Quantity, Range, parse_numbers, parse_quantities


def first(text: str) -> NumberOrDate:
    return parse_numbers(text)[0]


def test_a_dash_makes_a_range_and_a_score_looks_the_same() -> None:
    (score,) = parse_quantities("L 6–16")
    assert isinstance(score, Range)
    assert [one.value for one in (score.low, score.high) if isinstance(one, Quantity)] == [6, 16]


def parts(text: str) -> list[list[object]]:
    """What each range of a text has: numbers, or years, months and days."""
    return [
        [one.value if isinstance(one, Quantity) else (one.year, one.month, one.day) for one in each.parts]
        for each in parse_quantities(text)
        if isinstance(each, Range)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 - 4", [[12, 4]]),
        ("5-3-2", [[5, 3, 2]]),
        ("5 – 3 – 2", [[5, 3, 2]]),
        ("6–4, 7–5", [[6, 4], [7, 5]]),
        ("4 - 6 , 6 - 2 , 6 - 3", [[4, 6], [6, 2], [6, 3]]),
        ("900 - 1100", [[900, 1100]]),
        ("1500–2500", [[1500, 2500]]),
    ],
)
def test_scores_and_records_keep_every_number_in_its_place(text: str, expected: list[list[float]]) -> None:
    assert parts(text) == expected
    assert len(parse_quantities(text)) == len(expected)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("4 - 6 may 2011", (2011, 5, 4), (2011, 5, 6)),
        ("4th–6th May 2011", (2011, 5, 4), (2011, 5, 6)),
        ("september 1 - 2 , 2007", (2007, 9, 1), (2007, 9, 2)),
        ("december 30 - january 2 , 2007", (2006, 12, 30), (2007, 1, 2)),
        ("April 28 – May 2, 2007", (2007, 4, 28), (2007, 5, 2)),
        ("100–44 BC", (-100, None, None), (-44, None, None)),
        ("1200–1100 BC", (-1200, None, None), (-1100, None, None)),
        ("27 BC – AD 14", (-27, None, None), (14, None, None)),
        ("1981 / 82", (1981, None, None), (1982, None, None)),
    ],
)
def test_each_end_of_a_range_of_dates_explains_the_other(text: str, low: object, high: object) -> None:
    assert parts(text) == [[low, high]]


@pytest.mark.parametrize("text", ["2017/24", "February 25–31, 1931", "12–4–1931"])
def test_no_range_is_made_of_what_cannot_be_one(text: str) -> None:
    assert not any(
        isinstance(one, Date) for each in parse_quantities(text) if isinstance(each, Range) for one in each.parts
    )


@pytest.mark.parametrize(
    ("text", "value", "unit", "steps"),
    [
        ("6 ft 2 in", 74 / 12, "ft", 12),
        ("6'2\"", 74 / 12, "ft", 12),
        ("6′ 2″", 74 / 12, "ft", 12),
        ("6'2", 74 / 12, "ft", 12),
        ("5 feet 11", 71 / 12, "ft", 12),
        ("5-foot-11", 71 / 12, "ft", 12),
        ("five feet eleven inches", 71 / 12, "ft", 12),
        ("2 h 15 min", 2.25, "h", 60),
        ("2h15m", 2.25, "h", 60),
        ("1h 30m 36s", 1.51, "h", 3600),
        ("4m30s", 4.5, "min", 60),
        ("174d 12h 00 m 00s", 174.5, "day", 86_400),
        ("1 hour and 30 minutes", 1.5, "h", 60),
        ("two hours and thirty minutes", 2.5, "h", 60),
        ("3 years 2 months", 38 / 12, "year", 12),
        ("3years , 2months", 38 / 12, "year", 12),
        ("10 st 4 lb", 144 / 14, "st", 14),
        ("10 stone 4 pounds", 144 / 14, "st", 14),
        ("2 lb 4 oz", 2.25, "lb", 16),
        ("1 m 88 cm", 1.88, "m", 100),
        ("1 km 500 m", 1.5, "km", 1000),
        ("2 kg 300 g", 2.3, "kg", 1000),
    ],
)
def test_a_compound_is_one_quantity_as_exact_as_its_last_part(text: str, value: float, unit: str, steps: float) -> None:
    (one,) = parse_quantities(text)
    assert isinstance(one, Quantity)
    assert (one.unit, one.span) == (unit, (0, len(text)))
    assert one.value == pytest.approx(value)
    assert one.step == pytest.approx(1 / steps)


def test_an_inch_after_feet_is_not_a_preposition() -> None:
    one = first("is 5 ft 11 in tall")
    assert isinstance(one, Quantity)
    assert one.value == pytest.approx(71 / 12)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("6 ft, 14 in", ["ft", "in"]),
        ("2 hours, 75 minutes", ["h", "min"]),
        ("5 ft (2 m)", ["ft", "m"]),
        ("5 km, 800 m", ["km", "m"]),
        ("5 km and 800 m", ["km", "m"]),
        ("5 km 1500 m", ["km", "m"]),
        ("30 minutes and 2 hours", ["min", "h"]),
        ("1.5 hours 30 min", ["h", "min"]),
        ("45'20", ["", ""]),
        ("40°26′4″N", ["", "", ""]),
    ],
)
def test_what_does_not_add_up_is_not_a_compound(text: str, units: list[str]) -> None:
    assert [one.unit for one in parse_numbers(text) if isinstance(one, Quantity)] == units


def test_the_unit_of_a_range_belongs_to_both_ends() -> None:
    assert [(one.value, one.unit) for one in parse_numbers("60–70 km") if isinstance(one, Quantity)] == [
        (60, "km"),
        (70, "km"),
    ]


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("$5–10 million", 5e6, 1e7, "$"),
        ("€1.5 to €2 million", 1.5e6, 2e6, "€"),
        ("$5–10m", 5e6, 1e7, "$"),
        ("£5-10bn", 5e9, 1e10, "£"),
        ("$5–10", 5, 10, "$"),
        ("5–10 million", 5e6, 1e7, ""),
        ("5–10m", 5, 10, "m"),
        ("5–10,000,000m", 5, 1e7, "m"),
        ("$500,000–1 million", 500_000, 1e6, "$"),
        ("$2 thousand–3 million", 2000, 3e6, "$"),
        ("6–3 million", 6, 3e6, ""),
    ],
)
def test_a_currency_or_a_scale_written_once_holds_for_both_ends(text: str, low: float, high: float, unit: str) -> None:
    (one,) = parse_quantities(text)
    assert isinstance(one, Range)
    ends = [(end.value, end.unit) for end in one.parts if isinstance(end, Quantity)]
    assert ends == [(low, unit), (high, unit)]


@pytest.mark.parametrize(
    ("text", "years"), [("2017–18", [2017, 2018]), ("1999–00", [1999, 2000]), ("1914-1918", [1914, 1918])]
)
def test_a_season_runs_from_year_to_year(text: str, years: list[int]) -> None:
    assert [one.year for one in parse_numbers(text) if isinstance(one, Date)] == years


@given(st.integers(1, 9), st.integers(0, 11))
def test_a_printed_height_reads_back(feet: int, inches: int) -> None:
    forms = [f"{feet} ft {inches} in", f"{feet}'{inches}\"", f"{feet}'{inches}", f"{feet} feet {inches} inches"]
    for form in forms:
        one = first(form)
        assert isinstance(one, Quantity)
        assert one.value == pytest.approx(feet + inches / 12)
        assert one.unit == "ft"


@given(st.lists(st.integers(0, 999), min_size=2, max_size=8), st.sampled_from(["-", "–", " - ", " – "]))
def test_a_printed_record_reads_back(numbers: list[int], dash: str) -> None:
    record = dash.join(map(str, numbers))
    assert parts(record) == [numbers]
    assert parse_quantities(record) == parse_quantities(f"{record} x")
