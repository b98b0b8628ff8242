"""What an answer rests on: the rows that count and their cells, of all that were looked through."""

from __future__ import annotations

from hypothesis import given

from tests.reason.strategies import League, leagues, statements
from tests.reason.test_wording import ALL, IN_OHIO, MANY, OHIO_STATE, POINTS, PURDUE, STATE, TEAM, number, where
from veritab.quantities import Quantity
from veritab.reason.page import page_reasoning
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    Count,
    Every,
    Is,
    Literal,
    Most,
    No,
    Of,
    Relation,
    Some,
    Top,
    TruthProgram,
)
from veritab.reason.tables import TypedTable
from veritab.reason.uses import find_uses
from veritab.schema import CountedRows, ElementId, Kind, Table

ROWS = [
    ["Ohio State", "Ohio", "66"],
    ["Purdue", "Indiana", "10"],
    ["Toledo", "Ohio", "39"],
    ["Kent State", "Ohio", "38"],
    ["Butler", "Indiana", "4"],
]
TABLE = Table.of(ROWS, header=["Team", "State", "Points"], title="League")
EXECUTOR = Executor(TypedTable.of(TABLE))
ID = ElementId("League", Kind.TABLE, (0,))


def used(program: TruthProgram) -> tuple[set[str], list[CountedRows]]:
    found = find_uses(program, EXECUTOR)
    return {TABLE.element(id).text for id in found.cells}, list(found.rows)


def equals(value: float) -> Literal:
    return Literal(Quantity(value))


def test_a_count_rests_on_the_rows_that_count() -> None:
    cells, rows = used(Is(Count(IN_OHIO), Relation.IS, equals(4)))
    assert cells == {"Ohio State", "Toledo", "Kent State", "Ohio"}
    assert rows == [CountedRows(ID, (1, 3, 4), 5, (0, 1), "Ohio as State", "without Ohio as State")]


def test_a_count_of_none_names_what_is_lacking_and_no_row() -> None:
    cells, rows = used(Is(Count(where(STATE, "Iowa")), Relation.IS, equals(1)))
    assert not cells
    assert rows == [CountedRows(ID, (), 5, (0, 1), "Iowa as State", "without Iowa as State")]


def test_a_comparison_rests_on_both_values_and_their_names() -> None:
    cells, rows = used(Is(Of(POINTS, OHIO_STATE), Relation.ABOVE, Of(POINTS, PURDUE)))
    assert cells == {"Ohio State", "66", "Purdue", "10"}
    assert [each.rows for each in rows] == [(1,), (2,)]
    assert {each.others for each in rows} == {""}


def test_a_superlative_rests_on_the_first_and_the_next() -> None:
    cells, rows = used(Is(Aggregate(Aggregation.HIGHEST, POINTS, ALL), Relation.IS, equals(66)))
    assert cells == {"Ohio State", "66", "Toledo", "39"}
    assert rows == [CountedRows(ID, (1, 3), 5, (0, 2), "Points", "lower in Points")]


def test_a_false_superlative_rests_on_the_first_and_the_one_that_was_claimed() -> None:
    cells, rows = used(Some(where(TEAM, "Butler", rows=Top(ALL, POINTS))))
    assert cells == {"Ohio State", "66", "Butler", "4"}
    assert rows[0].rows == (1, 5)


def test_a_second_place_rests_on_the_first_too() -> None:
    cells, _ = used(Some(where(TEAM, "Toledo", rows=Top(ALL, POINTS, place=2))))
    assert cells == {"Ohio State", "66", "Toledo", "39"}


def test_all_is_refuted_by_the_exceptions_and_none_by_an_example() -> None:
    cells, rows = used(Every(IN_OHIO, where(POINTS, number(38), Relation.ABOVE)))
    assert cells == {"Kent State", "Ohio", "38"}
    assert rows[0].others == ""  # the others from Ohio are left out as well
    cells, _ = used(No(IN_OHIO, where(POINTS, number(60), Relation.ABOVE)))
    assert cells == {"Ohio State", "Ohio", "66"}


def test_most_rests_on_those_that_do() -> None:
    cells, rows = used(Most(ALL, MANY))
    assert cells == {"Ohio State", "66", "Toledo", "39", "Kent State", "38"}
    assert rows[0].others == "with Points not above 30"


def test_a_derived_value_rests_on_the_two_it_was_derived_from() -> None:
    rows = [["Ann", "1990", "1996"], ["Bea", "1996", "2000"], ["Cid", "2000", "2012"]]
    table = Table.of(rows, header=["President", "From", "To"], title="Presidents")
    found = page_reasoning("Cid was in office for twelve years.", [table])
    assert {"Presidents_cell_0_3_0", "Presidents_cell_0_3_1", "Presidents_cell_0_3_2"} >= {
        str(id) for id in found.uses.cells
    }


def test_a_table_on_its_side_has_cells_and_no_rows() -> None:
    box = Table.of([["Elevation", "8,611 m"], ["Country", "Pakistan"]], title="K2", infobox=True)
    found = page_reasoning("K2 lies in Pakistan.", [box])
    assert found.answer
    assert found.uses.rows == ()


@given(leagues(), statements)
def test_every_program_has_uses_within_its_table(league: League, statement: TruthProgram) -> None:
    executor = league.executor
    found = find_uses(statement, executor)
    for each in found.rows:
        assert all(1 <= row <= executor.table.height for row in each.rows)
        assert each.of == executor.table.height
