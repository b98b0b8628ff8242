"""The language of reasoning: every operation does what a plain reading in Python does."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reason.strategies import (
    CLUB,
    CLUBS,
    NAME,
    POINTS,
    YEAR,
    League,
    leagues,
    readings,
    row_programs,
    statements,
    value_programs,
)
from veritab.quantities import Date, Quantity, Range
from veritab.reason.programs.denotations import CellGroup
from veritab.reason.programs.executor import Executor, related
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
from veritab.reason.programs.values import (
    ProgramValue,
    compare_values,
    compute_percentage,
    divide,
    subtract,
    values_agree,
)
from veritab.reason.tables import TypedTable
from veritab.schema import Table

ALL = All()
LIMITS: dict[Relation, Callable[[int, int], bool]] = {
    Relation.ABOVE: lambda a, b: a > b,
    Relation.BELOW: lambda a, b: a < b,
    Relation.AT_LEAST: lambda a, b: a >= b,
    Relation.AT_MOST: lambda a, b: a <= b,
    Relation.IS: lambda a, b: a == b,
    Relation.IS_NOT: lambda a, b: a != b,
}
limits = st.sampled_from(list(LIMITS))
points = st.integers(-4, 13)


def executor(header: Sequence[str], *rows: Sequence[object]) -> Executor:
    return Executor(TypedTable.of(Table.of(rows, header=header)))


def named(*values: str, header: str = "Value") -> Executor:
    """A machine over rows a, b, c with one value each."""
    return executor(["Name", header, "Code"], *([f"Thing {'abcdefgh'[n]}", v, "kx"] for n, v in enumerate(values)))


def thing(letter: str) -> RowProgram:
    return Where(ALL, 0, Relation.IS, f"Thing {letter}")


def number(value: float, unit: str = "") -> Quantity:
    return Quantity(float(value), unit)


def literal(value: float) -> Literal:
    return Literal(number(value))


def above(limit: float, column: int = POINTS) -> Where:
    return Where(ALL, column, Relation.ABOVE, number(limit))


def value_of(over: Executor, program: ValueProgram) -> float | str | None:
    value = over.compute(program).value
    assert not isinstance(value, Date | Range)
    return value.value if isinstance(value, Quantity) else value


def known(league: League, rows: Sequence[int] | None = None) -> list[int]:
    """The points that are not missing."""
    chosen = league.rows if rows is None else rows
    return [value for row in chosen if (value := league.points[row]) is not None]


# -- rows --


@given(leagues(), limits, points)
def test_a_limit_picks_the_rows_whose_number_stands_so_and_no_row_without_one(
    league: League, relation: Relation, limit: int
) -> None:
    holds = LIMITS[relation]
    expected = tuple(row for row in league.rows if (p := league.points[row]) is not None and holds(p, limit))
    assert league.executor.pick(Where(ALL, POINTS, relation, number(limit))).rows == expected


@given(leagues(), limits, st.integers(1989, 2000))
def test_years_are_limited_like_numbers(league: League, relation: Relation, limit: int) -> None:
    holds = LIMITS[relation]
    expected = tuple(row for row in league.rows if (y := league.years[row]) is not None and holds(y, limit))
    assert league.executor.pick(Where(ALL, YEAR, relation, Date(limit))).rows == expected


@given(leagues(), st.sampled_from(CLUBS[:-1]), st.sampled_from([Relation.IS, Relation.IS_NOT, Relation.CONTAINS]))
def test_words_pick_rows_that_say_them_and_never_a_missing_cell(league: League, club: str, relation: Relation) -> None:
    tests: dict[Relation, Callable[[str], bool]] = {
        Relation.IS: lambda text: text == club,
        Relation.IS_NOT: lambda text: text != club,
        Relation.CONTAINS: lambda text: club in text,
    }
    expected = tuple(row for row in league.rows if league.clubs[row] and tests[relation](league.clubs[row]))
    assert league.executor.pick(Where(ALL, CLUB, relation, club.lower())).rows == expected


@given(leagues(), points, points)
def test_between_includes_both_ends(league: League, low: int, high: int) -> None:
    expected = tuple(row for row in league.rows if (p := league.points[row]) is not None and low <= p <= high)
    assert league.executor.pick(Between(ALL, POINTS, number(low), number(high))).rows == expected


@given(leagues(), st.booleans(), st.integers(1, 5))
def test_the_nth_highest_value_is_held_by_all_that_tie_for_it(league: League, highest: bool, place: int) -> None:
    ranked = sorted(set(known(league)), reverse=highest)
    expected = (
        tuple(row for row in league.rows if league.points[row] == ranked[place - 1]) if place <= len(ranked) else ()
    )
    assert league.executor.pick(Top(ALL, POINTS, highest, place)).rows == expected


@given(leagues(), st.booleans(), st.integers(1, 5))
def test_the_best_n_are_those_that_fewer_than_n_beat(league: League, highest: bool, size: int) -> None:
    sign = 1 if highest else -1
    beaten_by = {
        row: sum(sign * other > sign * own for other in known(league))
        for row in league.rows
        if (own := league.points[row]) is not None
    }
    expected = tuple(row for row, count in beaten_by.items() if count < size) if size <= len(beaten_by) else ()
    assert league.executor.pick(Best(ALL, POINTS, highest, size)).rows == expected


@given(leagues(), st.integers(-10, 10))
def test_the_nth_row_counts_from_the_end_when_negative(league: League, place: int) -> None:
    rows = list(league.rows)
    inside = 0 < abs(place) <= len(rows)
    expected = (rows[place - 1] if place > 0 else rows[place],) if inside else ()
    assert league.executor.pick(Nth(ALL, place)).rows == expected


@given(leagues(), points, points)
def test_either_and_except_are_union_and_difference(league: League, one: int, other: int) -> None:
    runs = league.executor
    first, second = above(one), Where(ALL, POINTS, Relation.BELOW, number(other))
    a, b = set(runs.pick(first).rows), set(runs.pick(second).rows)
    assert runs.pick(Either(first, second)).rows == tuple(sorted(a | b))
    assert runs.pick(Except(first, second)).rows == tuple(sorted(a - b))


@given(leagues(), points, st.sampled_from(CLUBS[:-1]), st.integers(1989, 2000))
def test_the_order_of_conditions_does_not_matter(league: League, limit: int, club: str, year: int) -> None:
    conditions: list[tuple[int, Relation, str | Quantity | Date]] = [
        (POINTS, Relation.ABOVE, number(limit)),
        (CLUB, Relation.IS, club),
        (YEAR, Relation.AT_MOST, Date(year)),
    ]
    denotations = set()
    for order in permutations(conditions):
        rows: RowProgram = ALL
        for column, relation, term in order:
            rows = Where(rows, column, relation, term)
        picked = league.executor.pick(rows)
        denotations.add((picked.rows, picked.known, frozenset(picked.cells)))
    assert len(denotations) == 1


# -- values --


@given(leagues(), points)
def test_count_sum_mean_highest_and_lowest_agree_with_python(league: League, limit: int) -> None:
    runs, rows = league.executor, above(limit)
    chosen = [value for value in known(league) if value > limit]
    expected: dict[Aggregation, float | None] = dict.fromkeys(Aggregation)
    if chosen:
        expected = dict(
            zip(Aggregation, (sum(chosen), statistics.fmean(chosen), max(chosen), min(chosen)), strict=True)
        )
    for aggregation, wanted in expected.items():
        found = value_of(runs, Aggregate(aggregation, POINTS, rows))
        assert found == (None if wanted is None else pytest.approx(wanted, abs=1e-4))
    assert value_of(runs, Count(rows)) == (len(chosen) if known(league) else None)


@given(leagues())
def test_different_and_commonest_values_are_counted_without_missing_cells(league: League) -> None:
    runs, clubs = league.executor, Counter(filter(None, league.clubs))
    assert value_of(runs, Distinct(CLUB, ALL)) == (len(clubs) or None)
    ranked = clubs.most_common()
    alone = ranked and ranked[0][1] > 1 and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
    assert value_of(runs, MostCommon(CLUB, ALL)) == (ranked[0][0] if alone else None)


@given(leagues(), st.sampled_from(CLUBS[:-1]))
def test_a_column_holds_one_value_or_none(league: League, club: str) -> None:
    runs, rows = league.executor, Where(ALL, CLUB, Relation.IS, club)
    held = {league.points[row] for row in league.rows if league.clubs[row] == club}
    expected = held.pop() if len(held) == 1 else None
    assert value_of(runs, Of(POINTS, rows)) == expected


@given(leagues(), points, points)
def test_differences_ratios_and_shares_are_those_of_their_parts(league: League, one: int, other: int) -> None:
    runs = league.executor
    first, second = Count(above(one)), Count(above(other))
    a, b = value_of(runs, first), value_of(runs, second)
    if a is None or b is None:
        assert [value_of(runs, each(first, second)) for each in (Subtraction, Ratio, Percentage)] == [None] * 3
        return
    assert isinstance(a, float)
    assert isinstance(b, float)
    assert value_of(runs, Subtraction(first, second)) == a - b
    assert value_of(runs, Ratio(first, second)) == (a / b if b else None)
    assert value_of(runs, Percentage(first, second)) == (pytest.approx(100 * a / b) if b else None)


def test_a_sum_has_no_crumbs_of_floating_point() -> None:
    runs = named("0.1", "0.2", "0.4")
    assert value_of(runs, Aggregate(Aggregation.SUM, 1, ALL)) == 0.7
    assert (
        runs.decide(Is(Aggregate(Aggregation.SUM, 1, ALL), Relation.AT_MOST, Literal(Quantity(0.7, step=0.1)))).holds
        is True
    )


def test_years_and_ranks_are_not_added_up() -> None:
    assert value_of(named("1990", "1991", header="Year"), Aggregate(Aggregation.SUM, 1, ALL)) is None
    assert value_of(named("1st", "2nd", "3rd", header="Place"), Aggregate(Aggregation.MEAN, 1, ALL)) is None


def test_a_count_is_exact() -> None:
    counted = Is(Count(ALL), Relation.IS, Literal(Quantity(2.5, step=0.1)))
    assert named("1", "2").decide(counted).holds is False


def test_numbers_written_in_two_ways_are_one_value() -> None:
    runs = named("1,000", "1000", "1000.0")
    assert value_of(runs, Distinct(1, ALL)) == 1
    assert runs.decide(Same(1, ALL)).holds is True
    assert value_of(runs, Of(1, ALL)) == 1000


# -- statements --


@given(leagues(), points, points)
def test_all_most_none_and_only_agree_with_python(league: League, limit: int, year: int) -> None:
    runs = league.executor
    rows, others = above(limit), Where(ALL, POINTS, Relation.AT_MOST, number(year))
    a = set(runs.pick(rows).rows)
    b = set(runs.pick(others).rows)
    if not a:
        assert all(runs.decide(each(rows, others)).holds is None for each in (Every, No, Most, Only))
        return
    assert runs.decide(Every(rows, others)).holds is (a <= b)
    assert runs.decide(No(rows, others)).holds is (not a & b)
    assert runs.decide(Most(rows, others)).holds is (len(a & b) > len(a) / 2)
    assert runs.decide(Only(rows, others)).holds is (a == b)


@given(leagues())
def test_same_different_and_rising_agree_with_python(league: League) -> None:
    runs, values = league.executor, known(league)
    if len(values) < 2:
        said = (Same(POINTS, ALL), Different(POINTS, ALL), Rising(POINTS, ALL))
        assert [runs.decide(each).holds for each in said] == [None] * 3
        return
    assert runs.decide(Same(POINTS, ALL)).holds is (len(set(values)) == 1)
    assert runs.decide(Different(POINTS, ALL)).holds is (len(set(values)) == len(values))
    assert runs.decide(Rising(POINTS, ALL)).holds is all(a <= b for a, b in pairwise(values))
    assert runs.decide(Rising(POINTS, ALL, up=False)).holds is all(a >= b for a, b in pairwise(values))


@given(leagues(), limits, points)
def test_comparing_two_cells_agrees_with_python(league: League, relation: Relation, limit: int) -> None:
    runs = league.executor
    first = Of(POINTS, Nth(ALL, 1))
    for row in league.rows:
        a, b = league.points[0], league.points[row]
        expected = None if a is None or b is None else LIMITS[relation](a, b)
        assert runs.decide(Is(first, relation, Of(POINTS, Nth(ALL, row + 1)))).holds is expected


def test_not_and_and_know_three_truths() -> None:
    runs = named("5", "–", "7")
    said: dict[bool | None, TruthProgram] = {
        True: Is(Of(1, thing("a")), Relation.IS, literal(5)),
        False: Is(Of(1, thing("a")), Relation.IS, literal(6)),
        None: Is(Of(1, thing("b")), Relation.IS, literal(5)),
    }
    for truth, statement in said.items():
        assert runs.decide(statement).holds is truth
        assert runs.decide(Not(statement)).holds is (None if truth is None else not truth)
    for one, other in product(said, repeat=2):
        expected = False if False in (one, other) else None if None in (one, other) else True
        assert runs.decide(And(said[one], said[other])).holds is expected


def test_a_comparison_of_several_rows_holds_when_it_holds_of_each() -> None:
    runs = named("5", "6", "9", "5")
    lower = Either(thing("a"), thing("b"))
    assert runs.decide(Is(Of(1, lower), Relation.BELOW, Of(1, thing("c")))).holds is True
    assert runs.decide(Is(Of(1, lower), Relation.ABOVE, Of(1, thing("c")))).holds is False
    assert runs.decide(Is(Of(1, lower), Relation.ABOVE, Of(1, thing("d")))).holds is None


# -- what cannot be said --


def test_a_missing_cell_is_no_reason_to_refute() -> None:
    runs = named("5", "n/a", "7")
    assert runs.decide(Some(Where(thing("b"), 1, Relation.ABOVE, number(3)))).holds is None
    assert runs.decide(Some(Where(Where(ALL, 1, Relation.IS, number(4)), 0, Relation.IS, "Thing b"))).holds is None
    assert runs.compute(Count(Where(thing("b"), 1, Relation.ABOVE, number(3)))).value is None
    assert runs.decide(Some(Where(thing("a"), 1, Relation.ABOVE, number(6)))).holds is False


def test_a_row_that_another_condition_excludes_may_miss_any_cell() -> None:
    runs = named("5", "n/a", "7")
    assert runs.decide(Some(Where(Where(ALL, 1, Relation.IS, number(4)), 0, Relation.IS, "Thing a"))).holds is False


@pytest.mark.parametrize("relation", [Relation.ABOVE, Relation.BELOW, Relation.AT_LEAST, Relation.AT_MOST])
def test_what_measures_different_things_cannot_be_compared(relation: Relation) -> None:
    runs = named("5 km", "7 km", "9 km", header="Distance")
    heavy = Literal(number(6, "kg"))
    assert runs.decide(Is(Of(1, thing("a")), relation, heavy)).holds is None
    limited = Where(ALL, 1, relation, number(6, "kg"))
    assert runs.compute(Count(limited)).value is None
    for statement in (Some(limited), Every(ALL, limited), No(ALL, limited), Most(ALL, limited)):
        assert runs.decide(statement).holds is None


def test_words_and_days_have_no_place_among_numbers() -> None:
    runs = named("5", "7", "9")
    assert runs.decide(Some(Where(ALL, 0, Relation.ABOVE, number(1)))).holds is None
    assert runs.decide(Some(Where(ALL, 1, Relation.BELOW, Date(1931, 5, 9)))).holds is None
    assert runs.compute(Aggregate(Aggregation.HIGHEST, 0, ALL)).value is None
    assert runs.decide(Some(Where(Top(ALL, 0), 0, Relation.IS, "Thing a"))).holds is None


def test_units_of_one_dimension_are_converted() -> None:
    runs = named("5 km", "700 m", "9 km", header="Distance")
    assert runs.pick(Top(ALL, 1, highest=False)).rows == (1,)
    assert runs.pick(Where(ALL, 1, Relation.BELOW, number(5000, "m"))).rows == (1,)
    assert runs.pick(Where(ALL, 1, Relation.AT_MOST, number(5000, "m"))).rows == (0, 1)
    assert value_of(runs, Aggregate(Aggregation.SUM, 1, ALL)) == pytest.approx(14.7)


def test_dollars_and_euros_are_not_added_up() -> None:
    runs = named("$5", "€7", "$9", header="Price")
    assert runs.compute(Aggregate(Aggregation.SUM, 1, ALL)).value is None
    assert runs.decide(Is(Of(1, thing("a")), Relation.BELOW, Of(1, thing("b")))).holds is None


def test_shares_among_counts_are_not_ranked_or_added_with_them() -> None:
    runs = named("50", "30", "60", "62.5%", "20", header="Votes")
    assert runs.pick(Top(ALL, 1)).rows == (2,)
    assert runs.compute(Aggregate(Aggregation.SUM, 1, ALL)).value is None


# -- dates --


def test_after_a_year_means_after_all_of_it() -> None:
    runs = named("9 May 1930", "9 May 1931", "9 May 1932", header="Date")
    expected = {Relation.ABOVE: (2,), Relation.AT_LEAST: (1, 2), Relation.BELOW: (0,), Relation.AT_MOST: (0, 1)}
    for relation, rows in expected.items():
        assert runs.pick(Where(ALL, 1, relation, Date(1931))).rows == rows
    assert runs.pick(Between(ALL, 1, Date(1930), Date(1931))).rows == (0, 1)
    assert runs.pick(Where(ALL, 1, Relation.AT_MOST, Date(1930, years=10))).rows == (0, 1, 2)


def test_a_year_may_not_be_compared_with_a_day_in_it() -> None:
    runs = named("1931", "9 May 1931", "3 June 1930", header="Date")
    assert runs.decide(Is(Of(1, thing("a")), Relation.BELOW, Of(1, thing("b")))).holds is None
    assert runs.decide(Is(Of(1, thing("b")), Relation.BELOW, Of(1, thing("a")))).holds is None
    assert runs.decide(Is(Of(1, thing("a")), Relation.ABOVE, Of(1, thing("c")))).holds is True


@given(readings, readings)
def test_a_comparison_never_holds_in_both_directions(one: Quantity | Date, other: Quantity | Date) -> None:
    there, back = compare_values(one, other), compare_values(other, one)
    assert there is None or back is None or there == -back


# -- words --


def test_marks_without_letters_are_told_apart() -> None:
    runs = named("✓", "✗", "✓", "–", header="Won")
    assert runs.pick(Where(ALL, 1, Relation.IS, "✓")).rows == (0, 2)
    assert runs.pick(Where(ALL, 1, Relation.IS_NOT, "✓")).rows == (1,)
    assert runs.pick(Where(ALL, 1, Relation.CONTAINS, "✗")).rows == (1,)
    assert values_agree("✓", "✗") is False


def test_a_name_with_a_number_is_more_than_its_number() -> None:
    runs = executor(
        ["Site", "State", "Code"], ["Area 51", "Nevada", "x"], ["Route 51", "Utah", "x"], ["Lake", "Ohio", "y"]
    )
    names = [Of(0, Nth(ALL, place)) for place in (1, 2)]
    assert runs.decide(Is(names[0], Relation.IS, names[1])).holds is False
    assert runs.decide(Is(names[0], Relation.IS, Literal("Route 51"))).holds is False
    assert runs.decide(Is(names[0], Relation.CONTAINS, Literal("area"))).holds is True


def test_records_differ_in_their_last_number() -> None:
    one = Range(number(5), number(3), more=(number(2),))
    assert values_agree(one, Range(number(5), number(3), more=(number(1),))) is False
    assert values_agree(one, Range(number(5), number(3))) is False
    assert values_agree(one, one) is True


@pytest.mark.parametrize("value", ["words", None, Range(number(1), number(2))])
def test_what_is_no_number_is_neither_subtracted_nor_divided(value: ProgramValue | None) -> None:
    for combine in (subtract, divide, compute_percentage):
        assert combine(value, number(3)) is None
        assert combine(number(3), value) is None
    assert divide(number(3), number(0)) is None


# -- cells --


def test_an_answer_names_the_cells_it_rests_on() -> None:
    runs = named("5", "6", "9")
    assert runs.decide(Is(Of(1, thing("a")), Relation.BELOW, Of(1, thing("c")))).cells == (
        CellGroup((0,), 0),
        CellGroup((0,), 1),
        CellGroup((2,), 0),
        CellGroup((2,), 1),
    )
    assert runs.compute(Aggregate(Aggregation.HIGHEST, 1, ALL)).cells == (CellGroup((2,), 1),)
    assert runs.compute(Aggregate(Aggregation.SUM, 1, ALL)).cells == (CellGroup((0, 1, 2), 1),)
    assert runs.pick(Where(above(5, 1), 2, Relation.IS, "kx")).cells == (CellGroup((1, 2), 1), CellGroup((1, 2), 2))


def test_a_refutation_names_the_cells_that_speak_against_it() -> None:
    runs = named("5", "6", "9")
    assert runs.decide(Some(Where(thing("a"), 1, Relation.IS, number(8)))).cells == (
        CellGroup((0,), 0),
        CellGroup((0,), 1),
    )
    assert runs.decide(Every(ALL, above(5, 1))).cells == (CellGroup((0,), 1),)
    assert runs.decide(No(ALL, above(8, 1))).cells == (CellGroup((2,), 1),)
    assert set(runs.compute(Count(above(50, 1))).cells) == {CellGroup((0, 1, 2), 1)}


@given(leagues(), row_programs, value_programs, statements)
def test_every_program_runs_and_names_only_cells_of_the_table(
    league: League, rows: RowProgram, value: ValueProgram, statement: TruthProgram
) -> None:
    runs = league.executor
    cells = (*runs.pick(rows).cells, *runs.compute(value).cells, *runs.decide(statement).cells)
    assert all(0 <= block.column <= 4 and set(block.rows) <= set(league.rows) for block in cells)
    assert list(runs.pick(rows).rows) == sorted(set(runs.pick(rows).rows))
    found = runs.compute(value).value
    assert not isinstance(found, Quantity) or not math.isnan(found.value)


@given(leagues(), statements)
def test_running_a_program_again_gives_the_same(league: League, statement: TruthProgram) -> None:
    runs = league.executor
    first = runs.decide(statement)
    assert runs.decide(statement) == first == league.executor.decide(statement)


# -- time --


def test_ten_thousand_rows_are_computed_over() -> None:
    letters = "abcdefghij"
    rows = [
        [
            f"Town {''.join(letters[int(digit)] for digit in f'{n:04}')}",
            f"{7919 * n % 99991:,}",
            f"{1 + n % 28} May {1900 + n % 99}",
        ]
        for n in range(10_000)
    ]
    table = TypedTable.of(Table.of(rows, header=["Town", "People", "Founded"]))
    assert table.height == min(len(column.values) for column in table.columns) == 10_000
    dated = Where(ALL, 2, Relation.ABOVE, Date(1950))
    runs = Executor(table)
    picked: dict[RowProgram, int] = {
        Where(ALL, 0, Relation.CONTAINS, "abcd"): 1,
        Where(ALL, 0, Relation.IS, number(5)): 0,
        Where(ALL, 1, Relation.IS, number(5)): 0,
        dated: 4_848,
        Between(ALL, 1, number(5), number(500)): 49,
        Top(ALL, 1, place=3): 1,
        Best(ALL, 1, highest=True, size=10): 10,
        Either(above(5, 1), dated): 9_999,
        Except(ALL, dated): 5_152,
    }
    assert {program: len(runs.pick(program)[0]) for program in picked} == picked
    people = [7919 * n % 99991 for n in range(10_000)]
    computed: list[ValueProgram] = [
        Distinct(2, ALL),
        *(Aggregate(how, 1, ALL) for how in (Aggregation.SUM, Aggregation.HIGHEST, Aggregation.LOWEST)),
    ]
    values = [runs.compute(program)[0] for program in computed]
    assert [value.value for value in values if isinstance(value, Quantity)] == [
        2_772,
        sum(people),
        max(people),
        min(people),
    ]
    statements: list[TruthProgram] = [
        Same(1, ALL),
        Different(0, ALL),
        Rising(1, ALL),
        Every(above(5, 1), dated),
        No(above(5, 1), dated),
    ]
    assert [runs.decide(each)[0] for each in statements] == [False, True, False, False, False]


def test_the_name_column_is_the_key_of_these_tables() -> None:
    league = League(("Lions", "Bears"), (3, 4), (1990, 1991))
    assert league.executor.table.key == NAME


def test_a_count_names_every_cell_that_was_looked_at_after_those_that_counted() -> None:
    runs = named("5", "6", "9")
    assert runs.compute(Count(above(5, 1))).cells == (CellGroup((1, 2), 1), CellGroup((0, 1, 2), 1))


def test_the_third_is_known_from_the_first_two() -> None:
    runs = named("5", "6", "9", "1")
    assert runs.pick(Top(ALL, 1, True, 2)).cells == (CellGroup((1,), 1), CellGroup((1, 2), 1))


def test_who_is_not_the_highest_is_shown_with_what_it_has() -> None:
    runs = named("5", "6", "9")
    found = runs.decide(Some(Where(Top(ALL, 1), 0, Relation.IS, "Thing a")))
    assert found.holds is False
    assert {CellGroup((2,), 1), CellGroup((0,), 1), CellGroup((0,), 0)} <= set(found.cells)


def test_a_percentage_is_not_compared_with_a_number_that_cannot_be_one() -> None:
    assert related(Quantity(5_043_584), Relation.ABOVE, Quantity(20, "%")) is None
    assert related(Quantity(43), Relation.ABOVE, Quantity(20, "%")) is True


def test_a_missing_cell_leaves_open_what_it_could_turn() -> None:
    runs = named("5", "—", "9")
    assert runs.decide(Every(ALL, above(3, 1))).holds is None
    assert runs.decide(Every(ALL, above(6, 1))).holds is False
    assert runs.decide(No(ALL, above(20, 1))).holds is None
    assert runs.decide(No(ALL, above(6, 1))).holds is False
    assert runs.decide(Most(ALL, above(3, 1))).holds is True
    assert runs.decide(Most(ALL, above(6, 1))).holds is None
    assert runs.compute(Count(above(3, 1))).value == Quantity(2.0, step=0.0)


def test_a_sum_is_as_exact_as_the_least_exact_of_what_is_added_up() -> None:
    runs = named("1.2 million", "1.3 million", "5")
    total = runs.compute(Aggregate(Aggregation.SUM, 1, ALL)).value
    assert values_agree(total, Quantity(2_500_000.0, step=1.0)) is True
    assert isinstance(total, Quantity)
    assert total.value == 2_500_005


def test_a_sum_has_the_unit_that_its_parts_were_converted_to() -> None:
    runs = named("500 g", "3 lb", "2 kg")
    total = runs.compute(Aggregate(Aggregation.SUM, 1, Either(thing("b"), thing("c")))).value
    assert isinstance(total, Quantity)
    assert values_agree(total, Quantity(3.36, "kg", step=0.01)) is True


def test_nothing_is_the_highest_where_amounts_cannot_be_compared() -> None:
    runs = named("$5 million", "€600,000,000", "£3m", "$2 million")
    assert runs.compute(Aggregate(Aggregation.HIGHEST, 1, ALL)).value is None
    assert runs.decide(Some(Where(Top(ALL, 1), 0, Relation.IS, "Thing a"))).holds is None
