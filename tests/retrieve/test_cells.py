"""Claims find the cells that settle them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import InputError
from veritab.retrieve.cells import LexicalCells, rank_cells
from veritab.schema import Block, Cell, Claim, Element, ElementId, Hit, Kind, Page, Section, Sentence, Table, TableBlock

LIGHTHOUSES = [
    ["Lighthouse", "Island", "First lit", "Height (m)", "Keeper"],
    ["Skarholm", "Nordøya", "1871", "24", "Aina Berg"],
    ["Grey Stack", "Lunga", "1902", "41", "Tom Pike"],
    ["Point Orla", "Lunga", "1858", "19", "Ruth Fell"],
    ["Marrow Rock", "Tessel", "1931-05-02", "33", "Jan Vos"],
    ["Old Wick", "Tessel", "1844", "12", "Piet Vos"],
    ["Candle Head", "Sund", "1888", "27", "Ole Lund"],
    ["Ternholm", "Sund", "1910", "30", "Eva Lund"],
]


def table_of(rows: Sequence[Sequence[str]], *, title: str = "Lights of the North", headings: int = 1) -> Table:
    cells = tuple(tuple(Cell(text, header=n < headings) for text in row) for n, row in enumerate(rows))
    return Page(title, (TableBlock(0, cells),)).table(0)


def best(claim: str, table: Table, count: int) -> list[str]:
    return [table.rows[id.path[1]][id.path[2]].text for id, _ in rank_cells(claim, table, count)]


# -- which cells -------------------------------------------------------------------------------------------


def test_a_named_row_and_a_named_column_meet_in_the_first_cells() -> None:
    assert set(best("Grey Stack has a height that was measured.", table_of(LIGHTHOUSES), 2)) == {"Grey Stack", "41"}


def test_a_row_that_is_named_comes_before_the_others() -> None:
    assert set(best("The keeper of Old Wick was somebody else.", table_of(LIGHTHOUSES), 5)) == set(LIGHTHOUSES[5])


def test_a_claim_about_the_highest_takes_the_whole_column() -> None:
    heights = {row[3] for row in LIGHTHOUSES[1:]}
    assert heights <= set(best("The highest of all has a great height.", table_of(LIGHTHOUSES), 14))
    assert heights <= set(best("Grey Stack has the greatest height of all.", table_of(LIGHTHOUSES), 20))


def test_a_quantifier_lifts_the_column_above_what_it_is_worth_to_a_plain_claim() -> None:
    def score(claim: str) -> float:
        return dict(rank_cells(claim, table_of(LIGHTHOUSES)))[ElementId("Lights of the North", Kind.CELL, (0, 5, 3))]

    assert score("Grey Stack has the greatest height.") > score("Grey Stack has a height.")


@pytest.mark.parametrize("written", ["May 2, 1931", "2 May 1931", "May 1931"])
def test_a_date_is_found_however_it_is_written(written: str) -> None:
    assert best(f"It was opened on {written}.", table_of(LIGHTHOUSES), 1) == ["1931-05-02"]


def test_a_number_in_words_finds_its_digits() -> None:
    assert "33" in best("One of them rises thirty-three metres.", table_of(LIGHTHOUSES), 2)


def test_words_of_the_title_count_less_than_words_of_a_row() -> None:
    rows = [["Light", "Place"], ["North", "Lunga"], ["Bell", "Sund"], ["Horn", "Tessel"]]
    assert best("Of the lights of the north, Bell is known.", table_of(rows), 1) == ["Bell"]


def test_an_infobox_is_read_by_its_row_headers() -> None:
    rows = [["Keeper", "Aina Berg"], ["Range", "18 miles"], ["Colour", "white"], ["Bell", "none"]]
    cells = tuple((Cell(name, header=True), Cell(value)) for name, value in rows)
    table = Page("Skarholm", (TableBlock(0, cells, infobox=True),)).table(0)
    assert set(best("Skarholm has a range of twenty miles.", table, 2)) == {"Range", "18 miles"}


def test_columns_are_named_by_the_first_row_where_no_cell_is_a_header() -> None:
    found = best("The height of Grey Stack is great.", table_of(LIGHTHOUSES, headings=0), 4)
    assert {"Grey Stack", "41"} <= set(found)


def test_a_cell_over_several_rows_belongs_to_each() -> None:
    rows = (
        (Cell("Island", header=True), Cell("Light", header=True)),
        (Cell("Lunga", row_span=2), Cell("Grey Stack")),
        (Cell("Point Orla"),),
        (Cell("Sund"), Cell("Ternholm")),
    )
    table = Page("Lights", (TableBlock(0, rows),)).table(0)
    assert set(best("Point Orla stands on Lunga.", table, 2)) == {"Lunga", "Point Orla"}


def test_an_empty_cell_comes_after_the_filled_cells_of_its_row() -> None:
    rows = [["Light", "Island", "Note"], ["Skarholm", "Nordøya", ""], ["Ternholm", "Sund", "new"]]
    assert best("Skarholm is lit.", table_of(rows), 2) == ["Skarholm", "Nordøya"]


# -- any table, any claim ----------------------------------------------------------------------------------


@given(
    st.text(max_size=80),
    st.lists(
        st.lists(
            st.builds(
                Cell,
                st.text(max_size=12) | st.sampled_from(["Lunga", "1931", "12 km"]),
                header=st.booleans(),
                row_span=st.integers(1, 3),
                column_span=st.integers(1, 3),
            ),
            max_size=4,
        ).map(tuple),
        max_size=5,
    ).map(tuple),
)
def test_every_cell_of_a_small_table_is_ranked_once_and_always_the_same(
    claim: str, rows: tuple[tuple[Cell, ...], ...]
) -> None:
    table = Page("Lights", (TableBlock(0, rows),)).table(0)
    ranked = rank_cells(claim, table)
    every = {table.cell_id((row, position)) for row, cells in enumerate(rows) for position in range(len(cells))}
    assert len(ranked) == len(every)
    assert {id for id, _ in ranked} == every
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
    assert all(0 < score < 1 for _, score in ranked)
    assert rank_cells(claim, table) == ranked
    assert rank_cells(claim, table, 3) == ranked[:3]


def test_equal_cells_come_in_reading_order() -> None:
    ranked = rank_cells("", Page("P", (TableBlock(0, (tuple([Cell("1")] * 4),)),)).table(0))
    assert len({score for _, score in ranked}) == 1
    assert [id.path[2] for id, _ in ranked] == [0, 1, 2, 3]


def test_ten_thousand_rows_are_ranked() -> None:
    rows = [["Year", "Light", "Visits", "Island"]] + [[str(n % 90), f"L{n}", f"{n}", "Lunga"] for n in range(10_000)]
    table = table_of(rows)
    found = best("Light L777 on Lunga had 900 visits.", table, 25)
    assert {"L777", "777", "900"} <= set(found)


@pytest.mark.parametrize("claim", ["Lunga 12 km, " * 8000, "1 2 3 4 " * 12_000, "x" * 100_000])
def test_a_claim_of_a_hundred_thousand_characters_is_read(claim: str) -> None:
    assert len(rank_cells(claim, table_of(LIGHTHOUSES), 25)) == 25


# -- the stage ---------------------------------------------------------------------------------------------

ISLANDS = [["Island", "People"], ["Lunga", "80"], ["Sund", "1,200"], ["Tessel", "310"]]


def page() -> Page:
    def block(number: int, rows: list[list[str]], caption: str = "") -> TableBlock:
        cells = tuple(tuple(Cell(text, header=n == 0) for text in row) for n, row in enumerate(rows))
        return TableBlock(number, cells, caption)

    blocks: tuple[Block, ...] = (
        Sentence(0, "The North is lit."),
        Section(0, "Lights", 2),
        block(0, LIGHTHOUSES, "Lights in use"),
        block(1, ISLANDS),
    )
    return Page("The North", blocks)


def hits(*ids: str) -> list[Hit]:
    return [Hit(page().element(ElementId.parse(id)), 1.0, "test") for id in ids]


def selected(claim: str, found: list[Hit], budget: int = 25) -> list[Hit]:
    selector = LexicalCells(lambda id: page().table(id.path[0]), budget=budget)
    (answer,) = selector.select([Claim("1", claim)], [found])
    return answer


def test_a_table_is_swapped_for_its_cells_and_other_hits_stay_in_place() -> None:
    answer = selected("Grey Stack is 41 metres high.", hits("The North_table_0", "The North_sentence_0"), budget=3)
    assert [hit.element.kind for hit in answer] == [Kind.CELL, Kind.CELL, Kind.CELL, Kind.SENTENCE]
    assert answer[0].by == "cells"
    assert answer[-1].by == "test"


def test_the_budget_is_shared_by_all_tables_of_a_claim() -> None:
    answer = selected(
        "Grey Stack stands on Lunga, where 80 people live.", hits("The North_table_0", "The North_table_1"), budget=8
    )
    assert len(answer) == 8
    assert {hit.element.id.path[0] for hit in answer} == {0, 1}
    assert {"Grey Stack", "Lunga", "80"} <= {hit.element.text for hit in answer}


def test_a_cell_that_is_a_hit_already_does_not_come_twice() -> None:
    answer = selected("Lunga has 80 people.", hits("The North_cell_1_1_0", "The North_table_1", "The North_table_1"))
    ids = [hit.element.id for hit in answer]
    assert len(ids) == len(set(ids)) == 8


def test_a_selected_cell_has_the_context_its_page_gives_it() -> None:
    found = selected("Grey Stack is 41 metres high.", hits("The North_table_0"), budget=100)
    assert found
    for hit in found:
        assert hit.element == page().element(hit.element.id)


def test_a_header_stands_under_its_group_as_its_page_says() -> None:
    rows = (
        (Cell("Light", header=True), Cell("Size", header=True, column_span=2)),
        (Cell("Name", header=True), Cell("Height", header=True), Cell("Width", header=True)),
        (Cell("Skarholm"), Cell("24"), Cell("6")),
    )
    whole = Page("P", (TableBlock(0, rows),))
    hit = Hit(whole.element(ElementId("P", Kind.TABLE, (0,))), 1.0, "test")
    (answer,) = LexicalCells(lambda id: whole.table(0)).select([Claim("1", "Skarholm")], [[hit]])
    assert len(answer) == 8
    for found in answer:
        assert found.element == whole.element(found.element.id)


def test_a_table_without_cells_leaves_nothing() -> None:
    empty = Page("P", (TableBlock(0, ()),))
    hit = Hit(Element(ElementId("P", Kind.TABLE, (0,)), ""), 1.0, "test")
    assert LexicalCells(lambda id: empty.table(0)).select([Claim("1", "x")], [[hit]]) == [[]]


def test_a_budget_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="budget of 0"):
        LexicalCells(lambda id: page().table(0), budget=0)
