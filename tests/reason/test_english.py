"""Programs and computations in English: what is written, that it is short, and that nothing cannot be said."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reason.strategies import League, leagues, row_programs, statements, value_programs
from veritab.quantities import Date, NumberOrDate, Quantity, Range, parse_quantities
from veritab.reason.programs.english import explain
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.phrases import Verbalizer
from veritab.reason.programs.printing import format_value, join_items
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    And,
    Best,
    Between,
    Count,
    Different,
    Distinct,
    Either,
    Every,
    Except,
    Is,
    Literal,
    Most,
    MostCommon,
    No,
    Not,
    Nth,
    Of,
    Only,
    Percentage,
    Ratio,
    Relation,
    Rising,
    RowProgram,
    Same,
    Some,
    Subtraction,
    Top,
    TruthProgram,
    ValueProgram,
    Where,
)
from veritab.reason.programs.values import ProgramValue
from veritab.reason.tables import TypedTable
from veritab.schema import Table

TEAM, STATE, POINTS, DATE, RESULT = range(5)
ALL = All()


@pytest.fixture(scope="module")
def executor() -> Executor:
    rows = [
        ["Ohio State", "Ohio", "66", "9 May 1931", "W 16–6"],
        ["Purdue", "Indiana", "10", "16 May 1931", "L 6–16"],
        ["Toledo", "Ohio", "39", "1 June 1932", "W 7–3"],
        ["Kent State", "Ohio", "39", "8 June 1932", "L 2–3"],
        ["Butler", "Indiana", "–", "2 May 1933", "W 4–1"],
    ]
    return Executor(TypedTable.of(Table.of(rows, header=["Team", "State", "Points", "Date", "Result"])))


def where(column: int, term: str | NumberOrDate, relation: Relation = Relation.IS, rows: RowProgram = ALL) -> Where:
    return Where(rows, column, relation, term)


def number(value: float, unit: str = "") -> Quantity:
    return Quantity(float(value), unit)


OHIO_STATE, PURDUE = where(TEAM, "Ohio State"), where(TEAM, "Purdue")
IN_OHIO = where(STATE, "Ohio")
MANY = where(POINTS, number(30), Relation.ABOVE)


# -- values --


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (number(66), "66"),
        (number(1234.5), "1,234.5"),
        (number(-0.0), "0"),
        (number(0.1 + 0.2), "0.3"),
        (number(1 / 3), "0.333"),
        (number(0.00012345), "0.000123"),
        (Quantity(100 / 3, "%"), "33.3 %"),
        (Quantity(12.345, step=0.001), "12.345"),
        (number(21340.5), "21,340.5"),
        (Quantity(3.0, ordinal=True), "3rd"),
        (Quantity(12.0, ordinal=True), "12th"),
        (number(5, "km"), "5 km"),
        (number(-5, "$"), "-$5"),
        (number(1200000, "$"), "$1,200,000"),
        (number(1, "day"), "1 day"),
        (number(42, "day"), "42 days"),
        (number(2, "century"), "2 centuries"),
        (Date(1931, 5, 9), "9 May 1931"),
        (Date(1931, 5), "May 1931"),
        (Date(None, 5, 9), "9 May"),
        (Date(1931), "1931"),
        (Date(-44), "44 BC"),
        (Date(1930, years=10), "1930s"),
        (Date(1801, years=100), "19th century"),
        (Range(number(12), number(4)), "12–4"),
        (Range(number(5), number(3), more=(number(2),)), "5–3–2"),
        (Range(number(60, "km"), number(70, "km")), "60–70 km"),
        (Range(Date(1990), Date(1995)), "1990–1995"),
        ("L 6–16", "L 6–16"),
    ],
)
def test_a_value_is_printed_as_people_write_it(value: ProgramValue, text: str) -> None:
    assert format_value(value) == text


@given(
    st.floats(-1e12, 1e12).filter(lambda value: value == 0 or abs(value) > 1e-6), st.sampled_from(["", "km", "%", "$"])
)
def test_a_printed_number_reads_as_the_number(value: float, unit: str) -> None:
    (read,) = parse_quantities(format_value(Quantity(value, unit, step=0.01)).replace("-", "−"))
    assert isinstance(read, Quantity)
    assert read.unit == unit
    assert read.value == pytest.approx(value, rel=0.01, abs=0.051)


@given(st.dates(datetime.date(1000, 1, 1), datetime.date(2900, 1, 1)))
def test_a_printed_day_reads_as_the_day(day: datetime.date) -> None:
    (read,) = parse_quantities(format_value(Date(day.year, day.month, day.day)))
    assert isinstance(read, Date)
    assert (read.year, read.month, read.day) == (day.year, day.month, day.day)


def test_a_long_list_says_how_many_more() -> None:
    assert join_items(["a"]) == "a"
    assert join_items(["a", "b", "c", "d"]) == "a, b, c and d"
    assert join_items(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
    assert join_items(["a", "b", "c", "d"], of=10_000) == "a, b, c and 9,997 more"


# -- programs --

VERBALIZED: list[tuple[RowProgram | ValueProgram, str]] = [
    (ALL, "all rows"),
    (where(POINTS, number(30), Relation.ABOVE, IN_OHIO), 'the rows where State is "Ohio" and Points is above 30'),
    (OHIO_STATE, "Ohio State"),
    (Between(ALL, POINTS, number(10), number(40)), "the rows where Points is between 10 and 40"),
    (where(DATE, Date(1931, 5), Relation.ABOVE), "the rows where Date is after May 1931"),
    (where(DATE, Date(1932), Relation.AT_LEAST), "the rows where Date is 1932 or later"),
    (Top(ALL, POINTS), "the row with the highest Points"),
    (Top(IN_OHIO, DATE, highest=False, place=2), 'the row with the second earliest Date where State is "Ohio"'),
    (Best(ALL, POINTS, highest=False, size=3), "the 3 rows with the lowest Points"),
    (Nth(ALL, 2), "the second row"),
    (Nth(ALL, -1), "the last row"),
    (Nth(ALL, -2), "the second to last row"),
    (where(STATE, "Ohio", rows=Best(ALL, POINTS, highest=True, size=2)),
     'those of the 2 rows with the highest Points where State is "Ohio"'),
    (Either(OHIO_STATE, PURDUE), "Ohio State and Purdue"),
    (Except(ALL, PURDUE), "all rows except Purdue"),
    (Of(POINTS, OHIO_STATE), "Points of Ohio State"),
    (Of(RESULT, where(DATE, Date(None, 5, 9))), "Result where Date is 9 May"),
    (Of(STATE, Top(ALL, POINTS)), "State of the row with the highest Points"),
    (Count(MANY), "the number of rows where Points is above 30"),
    (Distinct(STATE, ALL), "the number of different values of State"),
    (Aggregate(Aggregation.HIGHEST, POINTS, ALL), "the highest Points"),
    (Aggregate(Aggregation.LOWEST, DATE, IN_OHIO), 'the earliest Date where State is "Ohio"'),
    (Aggregate(Aggregation.SUM, POINTS, ALL), "the sum of Points"),
    (MostCommon(STATE, MANY), "the commonest State where Points is above 30"),
    (Subtraction(Of(POINTS, OHIO_STATE), Of(POINTS, PURDUE)), "Points of Ohio State less Points of Purdue"),
    (Percentage(Count(MANY), Count(ALL)), "the number of rows where Points is above 30 as a share of the number of rows"),
    (Of(POINTS, where(TEAM, "State", Relation.CONTAINS)), 'Points where Team contains "State"'),
]  # fmt: skip


@pytest.mark.parametrize(("program", "text"), VERBALIZED, ids=[text for _, text in VERBALIZED])
def test_a_program_is_verbalized_in_the_words_of_its_table(
    executor: Executor, program: RowProgram | ValueProgram, text: str
) -> None:
    verbalizer = Verbalizer(executor.table)
    said = verbalizer.rows(program) if isinstance(program, RowProgram) else verbalizer.value(program)
    assert said == text


# -- computations --

EXPLAINED: list[tuple[TruthProgram, str]] = [
    (Is(Of(POINTS, OHIO_STATE), Relation.ABOVE, Of(POINTS, PURDUE)), "Points of Ohio State = 66 > 10 = Points of Purdue"),
    (Is(Of(POINTS, OHIO_STATE), Relation.BELOW, Of(POINTS, PURDUE)), "Points of Ohio State = 66 > 10 = Points of Purdue"),
    (Is(Of(POINTS, where(TEAM, "Toledo")), Relation.IS, Of(POINTS, where(TEAM, "Kent State"))),
     "Points of Toledo = 39 = Points of Kent State"),
    (Is(Aggregate(Aggregation.HIGHEST, POINTS, ALL), Relation.IS, Literal(number(66))), "max(Points) = 66 (Ohio State)"),
    (Is(Aggregate(Aggregation.LOWEST, DATE, ALL), Relation.IS, Literal(Date(1931, 5, 9))), "earliest Date = 9 May 1931 (Ohio State)"),
    (Is(Count(IN_OHIO), Relation.IS, Literal(number(4))), 'count(rows where State is "Ohio") = 3, not 4'),
    (Is(Count(IN_OHIO), Relation.AT_LEAST, Literal(number(2))), 'count(rows where State is "Ohio") = 3 > 2'),
    (Is(Aggregate(Aggregation.SUM, POINTS, ALL), Relation.IS, Literal(number(154))), "sum(Points) = 154"),
    (Is(Aggregate(Aggregation.MEAN, POINTS, ALL), Relation.IS, Literal(number(38))), "mean(Points) = 38.5 ≈ 38"),
    (Is(Of(RESULT, where(DATE, Date(1931, 5, 9))), Relation.IS, Literal("L 6–16")),
     'Result where Date is 9 May 1931 = "W 16–6", not "L 6–16"'),
    (Is(Subtraction(Of(POINTS, OHIO_STATE), Of(POINTS, PURDUE)), Relation.IS, Literal(number(56))),
     "Points of Ohio State − Points of Purdue = 66 − 10 = 56"),
    (Is(Ratio(Of(POINTS, OHIO_STATE), Of(POINTS, PURDUE)), Relation.ABOVE, Literal(number(2))),
     "Points of Ohio State / Points of Purdue = 66 / 10 = 6.6 > 2"),
    (Is(Percentage(Count(IN_OHIO), Count(ALL)), Relation.IS, Literal(number(60, "%"))),
     'count(rows where State is "Ohio") / count(rows) = 3 / 5 = 60 %'),
    (Is(Distinct(STATE, ALL), Relation.IS, Literal(number(2))), "count(different State) = 2"),
    (Is(MostCommon(STATE, ALL), Relation.IS, Literal("Ohio")), 'commonest State = "Ohio" (3 of 5 rows)'),
    (Is(Of(POINTS, where(TEAM, "Butler")), Relation.ABOVE, Literal(number(3))),
     "Points of Butler = nothing and 3 cannot be compared"),
    (Some(where(TEAM, "Purdue", rows=Top(ALL, POINTS))), "max(Points) = 66 (Ohio State)"),
    (Some(where(TEAM, "Purdue", rows=Top(ALL, POINTS, place=2))), "second highest Points = 39 (Toledo and Kent State)"),
    (Some(where(STATE, "Indiana", rows=Top(ALL, POINTS))), 'max(Points) = 66 (Ohio State), State = "Ohio"'),
    (Some(where(TEAM, "Purdue", rows=Best(ALL, POINTS, highest=True, size=2))),
     "2 highest Points = 66 (Ohio State), 39 (Toledo) and 39 (Kent State)"),
    (Some(where(TEAM, "Purdue", rows=Nth(ALL, 2))), "second row = Purdue"),
    (Some(where(POINTS, number(67), rows=OHIO_STATE)), "Points of Ohio State = 66, not 67"),
    (Some(where(POINTS, number(60), Relation.ABOVE, OHIO_STATE)), "Points of Ohio State = 66"),
    (Some(where(POINTS, number(67), rows=where(TEAM, "Purd", Relation.CONTAINS))), 'count(rows where Team contains "Purd" and Points is 67) = 0'),
    (Some(where(POINTS, number(67), rows=where(TEAM, "kent", Relation.CONTAINS))), "Points of Kent State = 39, not 67"),
    (Some(where(POINTS, number(67), rows=where(TEAM, "state", Relation.CONTAINS))),
     'Points where Team contains "state" = 66 and 39, not 67'),
    (Some(where(STATE, "Iowa")), 'count(rows where State is "Iowa") = 0'),
    (Every(IN_OHIO, where(POINTS, number(50), Relation.ABOVE)),
     '1 of 3 rows where State is "Ohio" have Points above 50, not Toledo (39) and Kent State (39)'),
    (Most(ALL, IN_OHIO), '3 of 5 rows have State "Ohio"'),
    (No(IN_OHIO, where(POINTS, number(50), Relation.ABOVE)),
     '1 of 3 rows where State is "Ohio" have Points above 50: Ohio State (66)'),
    (Only(PURDUE, where(STATE, "Indiana")), 'State of Purdue = "Indiana", and also Butler'),
    (Only(OHIO_STATE, MANY), "Points of Ohio State = 66, and also Toledo and Kent State"),
    (Only(MANY, IN_OHIO), '3 of 3 rows where Points is above 30 have State "Ohio", and no other'),
    (Only(where(STATE, "Indiana"), MANY),
     '0 of 2 rows where State is "Indiana" have Points above 30, but Ohio State, Toledo and Kent State do'),
    (Same(STATE, MANY), 'State = "Ohio" in all 3 rows where Points is above 30'),
    (Same(STATE, ALL), 'State = "Ohio" (3 of 5) and "Indiana" (2 of 5)'),
    (Different(DATE, MANY), "3 rows where Points is above 30 have 3 different Date: 9 May 1931, 1 June 1932 and 8 June 1932"),
    (Rising(DATE, ALL), "Date goes from 9 May 1931 (Ohio State) to 2 May 1933 (Butler) and never falls"),
    (Rising(POINTS, ALL), "Points goes from 66 (Ohio State) down to 10 (Purdue)"),
    (Not(Is(Count(ALL), Relation.IS, Literal(number(5)))), "count(rows) = 5"),
    (And(Is(Count(ALL), Relation.IS, Literal(number(5))), Most(ALL, IN_OHIO)), 'count(rows) = 5; 3 of 5 rows have State "Ohio"'),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "text"), EXPLAINED, ids=[text for _, text in EXPLAINED])
def test_a_computation_is_shown_with_its_numbers(executor: Executor, statement: TruthProgram, text: str) -> None:
    assert explain(statement, executor) == text


def test_a_height_and_a_time_are_shown_as_they_are_written() -> None:
    rows = [["Ann Lee", "6 ft 2 in", "2:05.3"], ["Bob Ray", "5 ft 9 in", "2:07.1"]]
    runs = Executor(TypedTable.of(Table.of(rows, header=["Player", "Height", "Time"])))
    assert explain(Some(where(0, "Bob Ray", rows=Top(ALL, 1))), runs) == "max(Height) = 6 ft 2 in (Ann Lee)"
    assert explain(Some(where(0, "Bob Ray", rows=Top(ALL, 2, highest=False))), runs) == "min(Time) = 2:05.3 (Ann Lee)"


def test_long_names_and_long_cells_are_cut() -> None:
    long = "a very long story of many words " * 40
    rows = [[f"{long} {letter}", letter * 300, "3"] for letter in "abcdefgh"]
    runs = Executor(TypedTable.of(Table.of(rows, header=[long, "Text", "Points"])))
    for statement in (Same(1, ALL), Some(where(0, long)), Every(ALL, where(1, long)), Some(Top(ALL, 2))):
        assert len(explain(statement, runs)) <= 240


@given(leagues(), row_programs, value_programs, statements)
def test_everything_can_be_said_and_explained_in_one_short_line(
    league: League, rows: RowProgram, value: ValueProgram, statement: TruthProgram
) -> None:
    runs = league.executor
    verbalizer = Verbalizer(runs.table)
    assert verbalizer.rows(rows).strip()
    assert verbalizer.value(value).strip()
    text = explain(statement, runs)
    assert 0 < len(text) <= 240
    assert "\n" not in text
    assert text == explain(statement, league.executor)
