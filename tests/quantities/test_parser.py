"""Numbers and dates are read as people write them."""

from __future__ import annotations

import datetime
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.quantities import Date, NumberOrDate, Quantity, parse_numbers, parse_quantities


def number(text: str) -> tuple[float, str]:
    (one,) = parse_quantities(text)
    assert isinstance(one, Quantity)
    return round(one.value, 9), one.unit


def date(text: str) -> tuple[int | None, int | None, int | None]:
    (one,) = parse_quantities(text)
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
        ("44.5 %", 44.5, "%"),
        ("£ 3200", 3200, "£"),
        ("$3.4bn", 3_400_000_000, "$"),
        ("$ 5 m", 5_000_000, "$"),
        ("3.4 billion dollars", 3_400_000_000, "$"),
        ("5 million US dollars", 5_000_000, "$"),
        ("US$ 5 million", 5_000_000, "$"),
        ("A$5", 5, "$"),
        ("R$ 5", 5, "R$"),
        ("Rs. 500", 500, "₹"),
        ("eur 500", 500, "€"),
        ("2 crore rupees", 20_000_000, "₹"),
        ("1 036 000", 1_036_000, ""),
        ("+5", 5, ""),
        ("- 3", -3, ""),
        ("+ 1284", 1284, ""),
        ("- 3.5 %", -3.5, "%"),
        ("- 3 °C", -3, "°C"),
        ("− 3 km", -3, "km"),
        ("- 3.5 million", -3_500_000, ""),
        ("-$5", -5, "$"),
        ("$-5", -5, "$"),
        ("US$ −5.5 million", -5_500_000, "$"),
        ("5 km per hour", 5, "km/h"),
        ("30 mi per hour", 30, "mph"),
        ("5 m per second", 5, "m/s"),
        ("1.5×10⁶", 1_500_000, ""),
        ("1.5 × 10^6", 1_500_000, ""),
        ("1.5 x 10⁻³ m", 0.0015, "m"),
        ("1 036 000 km", 1_036_000, "km"),
        ("12 345 km", 12_345, "km"),
        ("-12 345.5 m", -12_345.5, "m"),
        ("100 km / h", 100, "km/h"),
        ("50 knots", 50, "kn"),
        ("3 nautical miles", 3, "nmi"),
        ("11 stone", 11, "st"),
        ("8 oz", 8, "oz"),
        ("512 mb", 512, "MB"),
        ("1.0 ghz", 1, "GHz"),
        ("5 kw", 5, "kW"),
        ("125cc", 125, "cm³"),
        ("46.2 m square", 46.2, "m²"),
        ("12 pts", 12, ""),
        ("12 points", 12, ""),
        ("1:03.53", 63.53, "s"),
        ("18'16.16", 1096.16, "s"),
        ("7:30 pm", 19.5 * 3600, "s"),
        ("12 a.m.", 0, "s"),
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
        ("may 14", (None, 5, 14)),
        ("14 may", (None, 5, 14)),
        ("13 - mar - 1993", (1993, 3, 13)),
        ("1995 / 02 / 08", (1995, 2, 8)),
        ("1909 - 09 - 21", (1909, 9, 21)),
        ("c. 1850", (1850, None, None)),
        ("c.1850", (1850, None, None)),
        ("44 BC", (-44, None, None)),
        ("44 B.C.", (-44, None, None)),
        ("1200 bce", (-1200, None, None)),
        ("AD 14", (14, None, None)),
        ("14 CE", (14, None, None)),
        ("29 February 2000", (2000, 2, 29)),
        ("29 February", (None, 2, 29)),
        ("29 February 1900", (1900, 2, None)),
        ("31 February 1931", (1931, 2, None)),
        ("1931-04-31", (1931, 4, None)),
        ("31/02/2007", (2007, None, None)),
    ],
)
def test_a_date_is_read_as_far_as_it_goes(text: str, expected: tuple[int | None, int | None, int | None]) -> None:
    assert date(text) == expected


@pytest.mark.parametrize(
    ("text", "year", "years"),
    [
        ("the 1850s", 1850, 10),
        ("the 19th century", 1801, 100),
        ("nineteenth century", 1801, 100),
        ("twenty-first century", 2001, 100),
        ("5th century BC", -500, 100),
    ],
)
def test_a_decade_or_a_century_is_as_long_as_it_is(text: str, year: int, years: int) -> None:
    (one,) = parse_quantities(text)
    assert isinstance(one, Date)
    assert (one.year, one.years) == (year, years)


@pytest.mark.parametrize(
    ("text", "years"),
    [("the 1930s–40s", [1930, 1940]), ("1930s and '40s", [1930, 1940]), ("the 1990s/00s", [1990, 2000])],
)
def test_a_decade_after_a_decade_is_not_a_number_of_seconds(text: str, years: list[int]) -> None:
    assert [(one.year, one.years) for one in parse_numbers(text) if isinstance(one, Date)] == [
        (year, 10) for year in years
    ]
    assert not any(isinstance(one, Quantity) for one in parse_numbers(text))


def test_a_power_of_ten_is_as_exact_as_its_digits() -> None:
    (one,) = parse_quantities("1.50 × 10^6 km")
    assert isinstance(one, Quantity)
    assert one.span == (0, 14)
    assert one.step == pytest.approx(10_000)


@pytest.mark.parametrize("text", ["<5", "> 5 km", "≤5", "≥ 5%", "<$1.5 million", "(500)", "($1,500)", "( 3.5% )"])
def test_a_cell_with_a_bound_or_an_account_is_not_an_exact_number(text: str) -> None:
    assert parse_quantities(text) == []
    assert parse_numbers(f"there {text}")


def test_a_list_or_a_place_in_brackets_is_not_an_account() -> None:
    assert number("(6)") == (6, "")
    assert len(parse_quantities("(3,3,0,3)")) == 4


def test_a_year_alone_in_brackets_is_a_year() -> None:
    assert date("(1931)") == (1931, None, None)


def test_the_year_of_a_day_before_christ_is_not_taken_for_one_after() -> None:
    assert [one.year for one in parse_numbers("5 March 1200 BC") if isinstance(one, Date)] == [None, -1200]


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
def test_a_verb_is_not_a_month_and_its_number_is_kept(text: str, value: float, unit: str) -> None:
    assert number(text) == (value, unit)


def test_a_rejected_month_leaves_the_date_beside_it() -> None:
    assert date("they march 20 May") == (None, 5, 20)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("T5", 5), ("t69", 69), ("t - 5th", 5), ("=3", 3), ("= 3", 3), ("3=", 3), ("13 =", 13), ("#1", 1), ("# 1", 1),
        ("No. 4", 4), ("no 4", 4), ("№ 4", 4), ("3rd", 3), ("No. 1931", 1931),
    ],
)  # fmt: skip
def test_a_rank_is_an_ordinal(text: str, place: float) -> None:
    (one,) = parse_quantities(text)
    assert isinstance(one, Quantity)
    assert (one.value, one.ordinal) == (place, True)


@pytest.mark.parametrize("text", ["20th century fox", "1098 rs 08", "1 - 2 l", "won 3"])
def test_what_only_looks_like_a_date_or_a_unit_is_a_number(text: str) -> None:
    assert not any(one.unit for one in parse_numbers(text) if isinstance(one, Quantity))
    assert not any(one.years > 1 for one in parse_numbers(text) if isinstance(one, Date))


@pytest.mark.parametrize("text", ["t - 34", "the T5 bus", "71 + 67 = 138"])
def test_a_letter_or_a_sum_makes_no_rank(text: str) -> None:
    assert not any(isinstance(one, Quantity) and one.ordinal for one in parse_numbers(text))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("198 ( - 18)", [198, -18]),
        ("- 10 (66 + 71 = 137)", [-10, 66, 71, 137]),
        ("- 3 apples", [3]),
        ("- 3 km away", [3]),
        ("- 3 m (10 ft)", [-3, 10]),
        ("8 - 3", [8, 3]),
        ("1 , 234", [1, 234]),
    ],
)
def test_a_sign_apart_counts_only_where_it_can_be_no_dash(text: str, values: list[float]) -> None:
    assert [one.value for one in parse_numbers(text) if isinstance(one, Quantity)] == values


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no number here",
        "F18",
        "3D",
        "v1.2.3",
        "may be",
        "1" * 30,
        "1.5xyz",
        "1.2.3",
        "and a half",
        "1e400",
        "31 February",
        "٣",
        "5٣",
        "٣5",
        "５",
        "ſix",
        "mıllion",
        "=SUM(A1:A3)",
        "4x100 m",
    ],
)
def test_what_is_not_a_number_is_not_parsed(text: str) -> None:
    assert parse_quantities(text) == []


def test_a_preposition_is_not_an_inch() -> None:
    assert [one.unit for one in parse_numbers("12 in May; 11 in (0.28 m)") if isinstance(one, Quantity)] == [
        "",
        "in",
        "m",
    ]


def test_words_that_do_not_continue_a_number_begin_another() -> None:
    assert [one.value for one in parse_numbers("two five twenty thirty") if isinstance(one, Quantity)] == [2, 5, 20, 30]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("between a million and a half million", [1_000_000, 500_000]),
        ("1,2,34,567", [1, 2, 34_567]),
        ("the second and a half million", [2, 500_000]),
        ("3 and 4 million", [3, 4_000_000]),
        ("12 345", [12, 345]),
        ("100 200 m", [100, 200]),
        ("ran 12 345 km", [12, 345]),
        ("1.5 × 10 m", [1.5, 10]),
    ],
)
def test_numbers_beside_each_other_stay_apart(text: str, values: list[float]) -> None:
    assert [one.value for one in parse_numbers(text) if isinstance(one, Quantity)] == values


def first(text: str) -> NumberOrDate:
    return parse_numbers(text)[0]


@given(st.text(alphabet="0123456789,.-–/: $%½km²May thirdonehundrednd", max_size=60))
def test_any_text_can_be_read_and_spans_are_in_order(text: str) -> None:
    end = 0
    for one in parse_numbers(text):
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
    for one in parse_numbers(text):
        assert end <= one.span[0] < one.span[1] <= len(text)
        end = one.span[1]


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text: str) -> None:
    for one in parse_numbers(text):
        assert text[slice(*one.span)]
        if isinstance(one, Quantity):
            assert math.isfinite(one.value)
            assert one.step > 0
        elif one.day:
            assert datetime.date(one.year or 2000, one.month or 1, one.day)


@given(st.integers(-(10**12), 10**12), st.integers(0, 6))
def test_a_plain_cell_reads_as_the_same_number_in_a_sentence(digits: int, places: int) -> None:
    for cell in (f"{digits / 10**places:.{places}f}", f"{digits / 10**places:,.{places}f}"):
        alone, beside = first(cell), first(f"{cell} x")
        assert alone == beside
        assert first(cell + "%") == first(cell + "% x")
        if isinstance(alone, Quantity):
            assert alone.value == float(cell.replace(",", ""))
            assert alone.step == pytest.approx(10.0**-places)


@given(st.dates(min_value=datetime.date(1000, 1, 1), max_value=datetime.date(2100, 12, 31)))
def test_a_printed_date_reads_back(day: datetime.date) -> None:
    month = f"{day:%B}"
    forms = [day.isoformat(), f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}"]
    forms += [f"{month.lower()} {day.day} , {day.year}", f"{day.day}-{month[:3]}-{day.year}", f"{day:%Y / %m / %d}"]
    for form in forms:
        assert date(form) == (day.year, day.month, day.day)


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
        "5 ft 11 ",
        "6'2",
        "2h15m",
        "44 BC–",
        "- 3 ",
        "# 1",
        "=",
        "1 036 ",
        "- ",
        "US$",
        "T5",
        "$-5",
        "1 km 5 m ",
        "$5–10 million ",
        "1×10⁶",
        "1 x 10^6 ",
        "1930s–40s",
        "<5",
        "(500)",
    ],
)
def test_hostile_text_is_read_from_left_to_right(unit: str) -> None:
    text = unit * (6_000 // len(unit))
    spans = [found.span for found in parse_quantities(text)]
    assert spans == sorted(spans)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
