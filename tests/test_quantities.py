"""Numbers and dates are read as people write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.quantities import Date, Quantity, Range, agree, quantities, readings


def number(text: str) -> tuple[float, str]:
    (one,) = quantities(text)
    assert isinstance(one, Quantity)
    return round(one.value, 9), one.unit


def date(text: str) -> tuple[int | None, int | None, int | None]:
    (one,) = quantities(text)
    assert isinstance(one, Date)
    return one.year, one.month, one.day


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,234.5", 1234.5, ""),
        ("12,345,678 voters", 12345678, ""),
        ("12\u00a0345 voters", 12345, ""),
        ("1.2 million people", 1_200_000, ""),
        (".345", 0.345, ""),
        ("12.5%", 12.5, "%"),
        ("4 per cent", 4, "%"),
        ("−6 °C", -6, "°C"),
        ("-7", -7, ""),
        ("33⅓ rpm", 33.333333333, ""),
        ("½", 0.5, ""),
        ("8,849 m", 8849, "m"),
        ("a 40-kilometre road", 40, "km"),
        ("3 million km²", 3_000_000, "km²"),
        ("$3.5m", 3_500_000, "$"),
        ("€2bn", 2_000_000_000, "€"),
        ("US$ 4,000", 4000, "$"),
        ("$1931", 1931, "$"),
        ("1931 km", 1931, "km"),
        ("3m", 3, "m"),
        ("2:03:59.5", 7439.5, "s"),
        ("seven", 7, ""),
        ("Twenty-one", 21, ""),
        ("two hundred and fifty thousand", 250_000, ""),
        ("two million five hundred thousand", 2_500_000, ""),
        ("ten seconds", 10, "s"),
        ("nine Days", 9, "day"),
        ("21st", 21, ""),
        ("second", 2, ""),
        ("twenty-first", 21, ""),
        ("1,00,000 rupees", 100_000, "₹"),
        ("₹12,34,56,789.5", 123_456_789.5, "₹"),
        ("1.2e6", 1_200_000, ""),
        ("3E+5 km", 300_000, "km"),
        ("5e−3 m", 0.005, "m"),
        ("three and a half million", 3_500_000, ""),
        ("Three-and-a-half hours", 3.5, "h"),
        ("3 and a half million dollars", 3_500_000, "$"),
        ("twenty and three quarters", 20.75, ""),
        ("a million and a half", 1_500_000, ""),
        ("a dozen and a half", 18, ""),
        ("half a million", 500_000, ""),
        ("a half-million people", 500_000, ""),
        ("three quarters of a million", 750_000, ""),
        ("two and one half", 2.5, ""),
    ],
)
def test_a_number_is_read_with_its_unit(text: str, value: float, unit: str) -> None:
    assert number(text) == (value, unit)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("September 9, 1931", (1931, 9, 9)),
        ("may 5 , 1931", (1931, 5, 5)),
        ("9 September 1931", (1931, 9, 9)),
        ("9th of September, 1931", (1931, 9, 9)),
        ("1931-09-09", (1931, 9, 9)),
        ("25/08/2007", (2007, 8, 25)),
        ("Sept 1931", (1931, 9, None)),
        ("Sept. 24", (None, 9, 24)),
        ("in 1931", (1931, None, None)),
        ("the 1930s", (1930, None, None)),
        ("may 1931", (1931, 5, None)),
        ("5 march 1931", (1931, 3, 5)),
        ("the 5th of may", (None, 5, 5)),
        ("March 20", (None, 3, 20)),
        ("MAY 20", (None, 5, 20)),
        ("20 May", (None, 5, 20)),
        ("june 20", (None, 6, 20)),
    ],
)
def test_a_date_is_read_as_far_as_it_goes(text: str, expected: tuple[int | None, int | None, int | None]) -> None:
    assert date(text) == expected


def test_a_date_that_countries_read_differently_keeps_only_its_year() -> None:
    assert date("05/06/2007") == (2007, None, None)


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("soldiers march 20 miles", 20, "mi"),
        ("soldiers march 1500 miles", 1500, "mi"),
        ("It may 5 times", 5, ""),
        ("the last 20 march home", 20, ""),
        ("all 12 may vote", 12, ""),
    ],
)
def test_a_verb_is_no_month_and_its_number_is_kept(text: str, value: float, unit: str) -> None:
    assert number(text) == (value, unit)


def test_a_rejected_month_leaves_the_date_beside_it() -> None:
    assert date("they march 20 May") == (None, 5, 20)


def test_a_dash_makes_a_range_and_a_score_looks_the_same() -> None:
    (score,) = quantities("L 6–16")
    assert isinstance(score, Range)
    assert [one.value for one in (score.low, score.high) if isinstance(one, Quantity)] == [6, 16]


def test_the_unit_of_a_range_belongs_to_both_ends() -> None:
    assert [(one.value, one.unit) for one in readings("60–70 km") if isinstance(one, Quantity)] == [
        (60, "km"),
        (70, "km"),
    ]


@pytest.mark.parametrize(
    ("text", "years"), [("2017–18", [2017, 2018]), ("1999–00", [1999, 2000]), ("1914-1918", [1914, 1918])]
)
def test_a_season_runs_from_year_to_year(text: str, years: list[int]) -> None:
    assert [one.year for one in readings(text) if isinstance(one, Date)] == years


@pytest.mark.parametrize(
    "text", ["", "no number here", "F18", "3D", "v1.2.3", "may be", "1" * 30, "1.5xyz", "1.2.3", "and a half"]
)
def test_what_is_no_number_is_not_read(text: str) -> None:
    assert quantities(text) == []


def test_a_preposition_is_no_inch() -> None:
    assert [one.unit for one in readings("12 in May; 5 ft 11 in (1.80 m)") if isinstance(one, Quantity)] == [
        "", "ft", "in", "m",
    ]  # fmt: skip


def test_words_that_do_not_continue_a_number_begin_another() -> None:
    assert [one.value for one in readings("two five twenty thirty") if isinstance(one, Quantity)] == [2, 5, 20, 30]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("between a million and a half million", [1_000_000, 500_000]),
        ("1,2,34,567", [1, 2, 34_567]),
        ("the second and a half million", [2, 500_000]),
        ("3 and 4 million", [3, 4_000_000]),
    ],
)
def test_numbers_beside_each_other_stay_apart(text: str, values: list[float]) -> None:
    assert [one.value for one in readings(text) if isinstance(one, Quantity)] == values


def first(text: str) -> Quantity | Date:
    return readings(text)[0]


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
    ],
)
def test_readings_that_differ_do_not_agree(one: str, other: str) -> None:
    assert not agree(first(one), first(other))
    assert not agree(first(other), first(one))


@pytest.mark.parametrize(("one", "other"), [("100 cm", "1 m"), ("1 m", "1 cm"), ("60 s", "1 minute"), ("$5", "€5")])
def test_different_units_never_agree_for_none_is_converted(one: str, other: str) -> None:
    assert not agree(first(one), first(other))
    assert not agree(first(other), first(one))


@given(st.text(alphabet="0123456789,.-–/: $%½km²May thirdonehundrednd", max_size=60))
def test_any_text_can_be_read_and_spans_are_in_order(text: str) -> None:
    end = 0
    for one in readings(text):
        assert end <= one.span[0] < one.span[1] <= len(text)
        end = one.span[1]


@given(
    st.lists(
        st.sampled_from(
            "a and half quarter quarters three of million dozen second may march 5 1,00 ,000 1e5 - km 1931".split()
        ),
        max_size=12,
    )
)
def test_any_words_of_numbers_can_be_read_and_spans_are_in_order(words: list[str]) -> None:
    text = " ".join(words)
    end = 0
    for one in readings(text):
        assert end <= one.span[0] < one.span[1] <= len(text)
        end = one.span[1]


@given(st.integers(0, 10**15))
def test_grouped_digits_read_back(value: int) -> None:
    one = first(f"{value:,} people")
    assert isinstance(one, Quantity)
    assert one.value == value


@pytest.mark.parametrize(
    "unit",
    [
        "1",
        "1,",
        "111,",
        "1.1.",
        "1:",
        "9/",
        "1–",
        "one ",
        "May ",
        "$",
        "½",
        "-",
        " ",
        "1,00,",
        "1e1",
        "one and a half ",
        "half a ",
        "may 5 ",
    ],
)
def test_hostile_text_costs_no_more_than_its_length(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        started = time.process_time()
        quantities(text)
        return time.process_time() - started

    # Ten times the text may take forty times as long on a busy machine; a quadratic reader would take a hundred.
    assert seconds(60_000) < 40 * max(min(seconds(6_000) for _ in range(3)), 0.002)
