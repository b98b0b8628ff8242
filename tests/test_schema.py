"""Addresses, grids and contexts."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from veritab.errors import InputError, NotFound
from veritab.schema import (
    Cell,
    ElementId,
    Item,
    Kind,
    ListBlock,
    Page,
    Section,
    Sentence,
    Table,
    TableBlock,
)

NUMBERS = {
    Kind.TITLE: 0,
    Kind.SECTION: 1,
    Kind.SENTENCE: 1,
    Kind.TABLE: 1,
    Kind.TABLE_CAPTION: 1,
    Kind.HEADER_CELL: 3,
    Kind.CELL: 3,
    Kind.LIST: 1,
    Kind.ITEM: 2,
    Kind.PASSAGE: 1,
}
TITLE_PIECES = st.sampled_from(
    [
        "_",
        "_cell_",
        "_header",
        "header",
        "_header_cell_1_2_3",
        "%5F",
        "%255F",
        "_sentence_0",
        "é",
        "e\u0301",
        "Brasília",
        " ",
        "1",
        "_title",
        "\n",
    ]
)
TITLES = st.lists(st.one_of(TITLE_PIECES, st.text(min_size=1, max_size=6)), min_size=1, max_size=6).map("".join)


@st.composite
def addresses(draw: st.DrawFn) -> ElementId:
    kind = draw(st.sampled_from(list(Kind)))
    path = tuple(draw(st.lists(st.integers(0, 10**6), min_size=NUMBERS[kind], max_size=NUMBERS[kind])))
    return ElementId(draw(TITLES), kind, path)


@given(addresses())
@example(ElementId("X_header", Kind.CELL, (1, 2, 3)))
@example(ElementId("X%5Fheader", Kind.CELL, (1, 2, 3)))
@example(ElementId("X", Kind.HEADER_CELL, (1, 2, 3)))
def test_every_address_reads_back_as_itself(address: ElementId) -> None:
    assert ElementId.parse(str(address)) == address


@given(addresses(), addresses())
def test_two_addresses_never_print_alike(one: ElementId, other: ElementId) -> None:
    assert (str(one) == str(other)) == (one == other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Korean Air_cell_1_19_0", ElementId("Korean Air", Kind.CELL, (1, 19, 0))),
        ("Korean Air_header_cell_1_0_2", ElementId("Korean Air", Kind.HEADER_CELL, (1, 0, 2))),
        ("A_cell_1_2_3_sentence_4", ElementId("A_cell_1_2_3", Kind.SENTENCE, (4,))),
        ("snake_case_title", ElementId("snake_case", Kind.TITLE)),
        ("X_table_caption_3", ElementId("X", Kind.TABLE_CAPTION, (3,))),
        ("X_item_0_12", ElementId("X", Kind.ITEM, (0, 12))),
    ],
)
def test_an_address_says_page_kind_and_path(text: str, expected: ElementId) -> None:
    assert ElementId.parse(text) == expected
    assert str(expected) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Turing_paragraph_0",
        "Turing",
        "_sentence_0",
        "X_sentence",
        "X_cell_1_2",
        "X_sentence_01",
        "X_sentence_-1",
        "X_title_3",
        "X_sentence_" + "1" * 5000,
    ],
)
def test_what_is_no_address_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InputError, match=r"is not an element id; expected e\.g\. 'Alan Turing_sentence_0'"):
        ElementId.parse(text)


def test_an_address_in_either_unicode_form_is_the_same_address() -> None:
    composed = "Brasília_sentence_0"
    assert ElementId.parse(unicodedata.normalize("NFD", composed)) == ElementId.parse(composed)
    assert ElementId(unicodedata.normalize("NFD", "Brasília"), Kind.TITLE).page == "Brasília"


# -- grids --


def table(*rows: list[Cell | str], caption: str = "", infobox: bool = False) -> Page:
    """A page with one section and one table; a cell written "!x" is a header."""
    made = tuple(
        tuple(cell if isinstance(cell, Cell) else Cell(cell.lstrip("!"), header=cell.startswith("!")) for cell in row)
        for row in rows
    )
    return Page("P", (Section(0, "Results", 2), TableBlock(0, made, caption, infobox=infobox)))


def texts(page: Page) -> list[list[str]]:
    grid = page.tables[0]
    return [[grid.text(row, column) for column in range(grid.width)] for row in range(len(grid.places))]


def headers_of(page: Page, *path: int) -> list[str]:
    kind = Kind.HEADER_CELL if page.tables[0].rows[path[0]][path[1]].header else Kind.CELL
    return [near.text for near in page.element(ElementId("P", kind, (0, *path))).context[2:]]


def test_a_row_span_pushes_later_cells_to_the_right() -> None:
    page = table(["!Year", "!Title", "!Role"], [Cell("1999", row_span=2), "A", "x"], ["B", "y"])
    assert texts(page) == [["Year", "Title", "Role"], ["1999", "A", "x"], ["1999", "B", "y"]]
    # The position in the source's row is the address; the grid column decides which header applies.
    assert headers_of(page, 2, 0) == ["Title"]


def test_a_cell_that_spans_both_ways_keeps_one_address_and_all_its_squares() -> None:
    page = table(["!a", "!b", "!c"], [Cell("big", row_span=2, column_span=2), "x"], ["y"])
    big = ElementId("P", Kind.CELL, (0, 1, 0))
    assert page.tables[0].squares(big) == ((1, 0), (1, 1), (2, 0), (2, 1))
    assert [line.count(big) for line in page.tables[0].grid] == [0, 2, 2]
    assert headers_of(page, 1, 0) == ["a", "b"]


def test_ragged_and_over_wide_rows_keep_every_cell() -> None:
    page = table(["!a", "!b"], ["1"], ["2", "3", "4", "5"], [])
    kept = [element.text for element in page.elements if element.kind is Kind.CELL]
    assert kept == ["1", "2", "3", "4", "5"]
    assert page.tables[0].width == 4
    assert texts(page)[1] == ["1", "", "", ""]


def test_a_table_can_be_made_of_plain_rows() -> None:
    made = Table.of([["K2", 8611], ["Everest", None]], header=["Peak", "Height"], title=" Peaks\r", caption="By height")
    assert (made.id, made.caption) == (ElementId("Peaks", Kind.TABLE, (0,)), "By height")
    assert [str(id) for id in made.grid[0]] == ["Peaks_header_cell_0_0_0", "Peaks_header_cell_0_0_1"]
    assert [str(id) for id in made.grid[1]] == ["Peaks_cell_0_1_0", "Peaks_cell_0_1_1"]
    assert [[cell.text for cell in row] for row in made.rows[1:]] == [["K2", "8611"], ["Everest", ""]]
    assert [near.text for near in made.element(ElementId("Peaks", Kind.CELL, (0, 1, 1))).context][-1] == "Height"


def test_a_table_of_plain_rows_may_have_several_header_rows_and_stand_in_sections() -> None:
    made = Table.of([["a", "b"]], header=[["Goals", "Goals"], ["League", "Cup"]], sections=["Career", "Club"])
    assert [[cell.header for cell in row] for row in made.rows] == [[True, True], [True, True], [False, False]]
    assert [near.text for near in made.context] == ["Table", "Career", "Club"]


def test_a_table_of_plain_rows_may_be_ragged_or_empty() -> None:
    assert [len(row) for row in Table.of([["a"], [], ["b", "c", 1.5]]).rows] == [1, 0, 3]
    assert Table.of([]).rows == ()
    assert Table.of(iter([("a", "b")]), header=(), title="").id.page == "Table"


@pytest.mark.parametrize("rows", ["a table", 3, None, {"a": "b"}, ["a row"], [{"a": "b"}], [3]])
def test_what_is_no_list_of_rows_is_refused_with_an_example(rows: Any) -> None:
    with pytest.raises(InputError, match="K2"):
        Table.of(rows)


@pytest.mark.parametrize("given", [{"title": 5}, {"caption": 5}, {"sections": [1]}])
def test_a_title_caption_or_section_that_is_no_text_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="is a text, not"):
        Table.of([["a"]], **given)


def test_a_table_may_come_without_title_and_caption() -> None:
    made = Table.of([["a"]], title=None, caption=None)
    assert (made.id.page, made.caption) == ("Table", "")


def test_a_number_of_any_length_is_a_cell() -> None:
    assert Table.of([[10**5000, -(10**5000)]]).rows[0][0].text == "1" + "0" * 5000


def test_a_cell_that_cannot_be_written_is_refused() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for cell in (deep, [10**5000]):
        with pytest.raises(InputError, match="a cell is <list, too deep or too long to show>; expected a text"):
            Table.of([[cell]])
    with pytest.raises(InputError, match="a table is a list, not <int, too deep"):
        Table.of(10**5000)  # type: ignore[arg-type]


@given(
    st.lists(
        st.lists(
            st.builds(Cell, st.just("x"), st.just(()), st.booleans(), st.integers(1, 4), st.integers(1, 4)), max_size=5
        ),
        max_size=6,
    )
)
def test_every_cell_of_every_table_covers_at_least_one_square(rows: list[list[Cell]]) -> None:
    page = Page("P", (TableBlock(0, tuple(map(tuple, rows))),))
    view = page.tables[0]
    covered = [
        square
        for row, cells in enumerate(rows)
        for position in range(len(cells))
        for square in view._squares[row, position]
    ]
    assert len(covered) == len(set(covered))
    assert len(page.elements) == 2 + sum(map(len, rows))


def test_the_nearest_headers_are_found_and_adjacent_ones_follow() -> None:
    page = table(
        ["!", Cell("Height", header=True, column_span=2)],
        ["!Name", "!m", "!ft"],
        ["!Everest", "8,849", "29,032"],
        ["!K2", "8,611", "28,251"],
    )
    assert headers_of(page, 3, 2) == ["K2", "ft", "Height"]


def test_a_header_between_data_rows_starts_a_new_group() -> None:
    page = table(
        ["!Name", "!Born"], ["Ada", "1815"], [Cell("Composers", header=True, column_span=2)], ["Clara", "1819"]
    )
    assert headers_of(page, 1, 1) == ["Born"]
    assert headers_of(page, 3, 1) == ["Composers"]


def test_a_header_cell_stands_under_wider_headers_only() -> None:
    page = table([Cell("Height", header=True, column_span=2)], ["!m", "!ft"], ["1", "2"])
    assert headers_of(page, 1, 1) == ["Height"]
    assert headers_of(page, 0, 0) == []


def test_an_infobox_row_knows_its_label_and_its_group() -> None:
    page = table(
        [Cell("Ada", header=True, column_span=2)],
        [Cell("Career", header=True, column_span=2)],
        ["!Field", "Mathematics"],
        infobox=True,
    )
    assert headers_of(page, 2, 1) == ["Field", "Career", "Ada"]


def test_context_is_title_then_sections_then_caption_then_row_then_column_headers() -> None:
    rows = ((Cell("!", header=True), Cell("Points", header=True)), (Cell("Ohio", header=True), Cell("66")))
    page = Page(
        "P",
        (
            Section(0, "Season", 2),
            Section(1, "Final", 3),
            TableBlock(0, rows, "Standings"),
            Sentence(0, "Done."),
            Section(2, "After", 2),
            Sentence(1, "Later."),
        ),
    )
    cell = page.element(ElementId("P", Kind.CELL, (0, 1, 1)))
    assert [str(near.id) for near in cell.context] == [
        "P_title",
        "P_section_0",
        "P_section_1",
        "P_table_caption_0",
        "P_header_cell_0_1_0",
        "P_header_cell_0_0_1",
    ]
    assert [near.text for near in page.element(ElementId.parse("P_sentence_0")).context] == ["P", "Season", "Final"]
    assert [near.text for near in page.element(ElementId.parse("P_sentence_1")).context] == ["P", "After"]
    assert [near.text for near in page.element(ElementId.parse("P_section_1")).context] == ["P", "Season"]


def test_ten_thousand_header_columns_do_not_flood_the_context() -> None:
    wide = TableBlock(0, (tuple(Cell(str(n), header=n < 9_999) for n in range(10_000)),))
    page = Page("P", (wide,))
    last = page.element(ElementId("P", Kind.CELL, (0, 0, 9_999)))
    assert 2 <= len(last.context) <= 64
    assert last.context[1].text == "9998"


# -- pages --


def test_elements_come_in_reading_order_with_gaps_in_numbers_kept() -> None:
    page = Page("P", (Sentence(0, "One."), Sentence(2, "Three."), ListBlock(0, (Item("a"), Item("b", level=1)))))
    assert [str(element.id) for element in page.elements] == [
        "P_title",
        "P_sentence_0",
        "P_sentence_2",
        "P_list_0",
        "P_item_0_0",
        "P_item_0_1",
    ]


def test_a_missing_element_is_named_in_the_error() -> None:
    page = Page("P", (Sentence(0, "One."),))
    with pytest.raises(NotFound, match="page 'P' has no element 'P_sentence_7'"):
        page.element(ElementId.parse("P_sentence_7"))
    with pytest.raises(NotFound, match="has no table 4"):
        page.table(4)


@pytest.mark.parametrize("part", ["K2_table_1", "K2_table_caption_1", "K2_cell_1_2_3", "K2_header_cell_1_0_0"])
def test_an_address_in_a_table_names_the_table(part: str) -> None:
    assert ElementId.parse(part).table == ElementId.parse("K2_table_1")
    assert ElementId.parse("K2_sentence_1").table is None
