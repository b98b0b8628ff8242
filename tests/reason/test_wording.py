"""Computations as readers are told them: names and numbers of the source, the step, and what follows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given

from tests.reason.strategies import League, leagues, statements
from veritab.quantities import Date, NumberOrDate, Quantity
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    And,
    Best,
    Count,
    Different,
    Distinct,
    Every,
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
    Where,
)
from veritab.reason.tables import TypedTable
from veritab.reason.wording import tell
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


TOLD: list[tuple[TruthProgram, str]] = [
    (Is(Of(POINTS, OHIO_STATE), Relation.ABOVE, Of(POINTS, PURDUE)), "Points of Ohio State: 66; of Purdue: 10; 66 − 10 = 56 more"),
    (Is(Of(POINTS, OHIO_STATE), Relation.BELOW, Of(POINTS, PURDUE)),
     "Points of Ohio State: 66; of Purdue: 10; 66 − 10 = 56 more"),
    (Is(Of(POINTS, where(TEAM, "Toledo")), Relation.IS, Of(POINTS, where(TEAM, "Kent State"))),
     "Points of Toledo: 39; of Kent State: 39"),
    (Is(Aggregate(Aggregation.HIGHEST, POINTS, ALL), Relation.IS, Literal(number(66))),
     "Highest Points: 66 (Ohio State)"),
    (Is(Aggregate(Aggregation.LOWEST, DATE, ALL), Relation.IS, Literal(Date(1931, 5, 9))),
     "Earliest Date: 9 May 1931 (Ohio State)"),
    (Is(Count(IN_OHIO), Relation.IS, Literal(number(4))),
     "3 rows have Ohio as State (Ohio State, Toledo and Kent State): 3, not 4"),
    (Is(Count(IN_OHIO), Relation.AT_LEAST, Literal(number(2))),
     "3 rows have Ohio as State (Ohio State, Toledo and Kent State), at least 2"),
    (Is(Aggregate(Aggregation.SUM, POINTS, ALL), Relation.IS, Literal(number(154))),
     "Points of Ohio State, Purdue, Toledo and Kent State: 66 + 10 + 39 + 39 = 154"),
    (Is(Aggregate(Aggregation.MEAN, POINTS, ALL), Relation.IS, Literal(number(38))),
     "Points of Ohio State, Purdue, Toledo and Kent State: (66 + 10 + 39 + 39) / 4 = 38.5, about 38"),
    (Is(Of(RESULT, where(DATE, Date(1931, 5, 9))), Relation.IS, Literal("L 6–16")),
     "Result of Ohio State (9 May 1931 as Date): W 16–6, not L 6–16"),
    (Is(Subtraction(Of(POINTS, OHIO_STATE), Of(POINTS, PURDUE)), Relation.IS, Literal(number(56))),
     "Points of Ohio State: 66; of Purdue: 10; 66 − 10 = 56"),
    (Is(Ratio(Of(POINTS, OHIO_STATE), Of(POINTS, PURDUE)), Relation.ABOVE, Literal(number(2))),
     "Points of Ohio State: 66; of Purdue: 10; 66 / 10 = 6.6 times, more than 2"),
    (Is(Percentage(Count(IN_OHIO), Count(ALL)), Relation.IS, Literal(number(60, "%"))),
     "3 rows have Ohio as State (Ohio State, Toledo and Kent State); 5 rows in all; 3 / 5 = 60 %"),
    (Is(Distinct(STATE, ALL), Relation.IS, Literal(number(2))), "2 different values of State (Ohio and Indiana)"),
    (Is(MostCommon(STATE, ALL), Relation.IS, Literal("Ohio")), "Most common State: Ohio (3 of 5 rows)"),
    (Is(Of(POINTS, where(TEAM, "Butler")), Relation.ABOVE, Literal(number(3))),
     "Points of Butler: nothing, which cannot be compared with 3"),
    (Some(where(TEAM, "Purdue", rows=Top(ALL, POINTS))), "Highest Points: 66 (Ohio State); Purdue: 10"),
    (Some(where(TEAM, "Purdue", rows=Top(ALL, POINTS, place=2))),
     "Second highest Points: 39 (Toledo and Kent State); Purdue: 10"),
    (Some(where(STATE, "Indiana", rows=Top(ALL, POINTS))), "Highest Points: 66 (Ohio State), State Ohio"),
    (Some(where(TEAM, "Purdue", rows=Best(ALL, POINTS, highest=True, size=2))),
     "2 highest Points: 66 (Ohio State), 39 (Toledo) and 39 (Kent State)"),
    (Some(where(TEAM, "Purdue", rows=Nth(ALL, 2))), "Second row: Purdue"),
    (Some(where(POINTS, number(67), rows=OHIO_STATE)), "Points of Ohio State: 66, not 67"),
    (Some(where(POINTS, number(60), Relation.ABOVE, OHIO_STATE)), "Points of Ohio State: 66"),
    (Some(where(POINTS, number(67), rows=where(TEAM, "Purd", Relation.CONTAINS))),
     "No row has Purd in Team and 67 as Points"),
    (Some(where(POINTS, number(67), rows=where(TEAM, "kent", Relation.CONTAINS))),
     "Points of Kent State: 39, not 67"),
    (Some(where(POINTS, number(67), rows=where(TEAM, "state", Relation.CONTAINS))),
     'Points of Ohio State and Kent State ("state" in Team): 66 and 39, not 67'),
    (Some(where(STATE, "Iowa")), "No row has Iowa as State"),
    (Every(IN_OHIO, where(POINTS, number(50), Relation.ABOVE)),
     "1 of 3 rows with Ohio as State have Points above 50, not Toledo (39) and Kent State (39)"),
    (Most(ALL, IN_OHIO), "3 of 5 rows have Ohio as State"),
    (No(IN_OHIO, where(POINTS, number(50), Relation.ABOVE)),
     "1 of 3 rows with Ohio as State have Points above 50: Ohio State (66)"),
    (Only(PURDUE, where(STATE, "Indiana")), "Purdue: State Indiana, and also Butler"),
    (Only(OHIO_STATE, MANY), "Ohio State: Points 66, and also Toledo and Kent State"),
    (Only(MANY, IN_OHIO), "3 of 3 rows with Points above 30 have Ohio as State, and no other"),
    (Only(where(STATE, "Indiana"), MANY),
     "0 of 2 rows with Indiana as State have Points above 30, but Ohio State, Toledo and Kent State do"),
    (Same(STATE, MANY), "State of Ohio State: Ohio; of Toledo: Ohio; of Kent State: Ohio; the same"),
    (Same(STATE, ALL), "State: Ohio (3 of 5 rows) and Indiana (2 of 5 rows)"),
    (Different(DATE, MANY),
     "Date of Ohio State: 9 May 1931; of Toledo: 1 June 1932; of Kent State: 8 June 1932; different"),
    (Rising(DATE, ALL), "Date goes from 9 May 1931 (Ohio State) to 2 May 1933 (Butler) and never falls"),
    (Rising(POINTS, ALL), "Points goes from 66 (Ohio State) down to 10 (Purdue)"),
    (Not(Is(Count(ALL), Relation.IS, Literal(number(5)))), "5 rows in all"),
    (And(Is(Count(ALL), Relation.IS, Literal(number(5))), Most(ALL, IN_OHIO)),
     "5 rows in all; 3 of 5 rows have Ohio as State"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "text"), TOLD, ids=[text for _, text in TOLD])
def test_a_computation_is_told_in_the_words_of_its_source(
    executor: Executor, statement: TruthProgram, text: str
) -> None:
    holds = executor.decide(statement).holds
    follows = {True: "holds", False: "is false", None: "cannot be told"}[holds]
    assert tell(statement, executor, holds) == f"{text}, so that {follows}"


def test_what_follows_names_the_word_of_the_claim(executor: Executor) -> None:
    statement = Is(Of(POINTS, OHIO_STATE), Relation.BELOW, Of(POINTS, PURDUE))
    told = "Points of Ohio State: 66; of Purdue: 10; 66 − 10 = 56 more"
    assert tell(statement, executor, False, "fewer") == f'{told}, so "fewer" is false'
    assert tell(statement, executor, True, "fewer") == f'{told}, so "fewer" holds'


def over(header: Sequence[str] | list[list[str]], *rows: list[str]) -> Executor:
    return Executor(TypedTable.of(Table.of([list(row) for row in rows], header=header)))


def test_numbers_are_printed_as_in_the_source_with_the_unit_of_the_header() -> None:
    lakes = over(["Lake", "Area (thousand km²)"], ["Victoria", "68.8"], ["Huron", "59.6"], ["Chad", "1.5"])
    statement = Is(Of(1, where(0, "Victoria")), Relation.ABOVE, Of(1, where(0, "Huron")))
    told = "Area of Victoria: 68.8 thousand km²; of Huron: 59.6 thousand km²"
    assert tell(statement, lakes, True, "larger").startswith(told)
    peaks = over(
        ["Peak", "Height"], ["Everest", "8,849 m (29,032 ft)"], ["K2", "8,611 m (28,251 ft)"], ["Lhotse", "8,516 m"]
    )
    statement = Is(Of(1, where(0, "Everest")), Relation.ABOVE, Of(1, where(0, "K2")))
    told = 'Height of Everest: 8,849 m; of K2: 8,611 m; 8,849 − 8,611 = 238 m more, so "taller" holds'
    assert tell(statement, peaks, True, "taller") == told


def test_a_negative_number_is_taken_away_in_brackets() -> None:
    points = over(["Element", "Boiling point (°C)"], ["Bromine", "58.8"], ["Chlorine", "−34.0"], ["Iodine", "184.4"])
    statement = Is(
        Subtraction(Of(1, where(0, "Bromine")), Of(1, where(0, "Chlorine"))), Relation.IS, Literal(number(24.8, "°C"))
    )
    told = "Boiling point of Bromine: 58.8 °C; of Chlorine: −34.0 °C; 58.8 − (−34.0) = 92.8 °C, not 24.8 °C, so that is false"
    assert tell(statement, points, False) == told


def test_rows_are_named_by_the_year_that_comes_before_their_name() -> None:
    header = [["", "", "Final", "Final"], ["Year", "Host", "Winner", "Score"]]
    finals = [
        ["1930", "Uruguay", "Uruguay", "4–2"],
        ["1934", "Italy", "Italy", "2–1"],
        ["1938", "France", "Italy", "4–2"],
    ]
    cups = over(header, *finals)
    won = Is(Count(where(2, "Italy")), Relation.IS, Literal(number(5)))
    assert tell(won, cups, False, "five") == '2 rows have Italy as Winner (1934 and 1938): 2, not 5, so "five" is false'


def test_of_two_headers_the_lower_one_is_said_where_it_says_enough() -> None:
    header = [["Nation", "Medals", "Medals"], ["Nation", "Silver", "Total"]]
    games = over(header, ["Japan", "12", "45"], ["Italy", "13", "40"], ["Kenya", "2", "11"])
    assert tell(Is(Of(1, where(0, "Japan")), Relation.IS, Literal(number(12))), games, True).startswith(
        "Medals Silver of Japan: 12"
    )


def test_what_happened_is_told_as_a_participle() -> None:
    bridges = over(["Bridge", "Opened"], ["Tower", "1894"], ["Albert", "1873"], ["Kew", "1903"])
    statement = Is(Of(1, where(0, "Tower")), Relation.BELOW, Of(1, where(0, "Albert")))
    assert (
        tell(statement, bridges, False) == "Tower: opened 1894; Albert: opened 1873; 21 years later, so that is false"
    )


def test_long_names_and_long_cells_are_cut() -> None:
    long = "a very long story of many words " * 40
    runs = over([long, "Text", "Points"], *([f"{long} {letter}", letter * 300, "3"] for letter in "abcdefgh"))
    for statement in (Same(1, ALL), Some(where(0, long)), Every(ALL, where(1, long)), Some(Top(ALL, 2))):
        assert len(tell(statement, runs, None, long)) <= 320


@given(leagues(), statements)
def test_everything_can_be_told_in_one_line(league: League, statement: TruthProgram) -> None:
    text = tell(statement, league.executor, None, "fewer")
    assert 0 < len(text) <= 320
    assert "\n" not in text
