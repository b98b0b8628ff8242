"""Tables as they are drawn: every piece of evidence is there, and the drawing is a rectangle."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.render.made import CAPTION, CELL, hit, peaks_page
from veritab.errors import NotFound
from veritab.render.tables import TableExcerpt, excerpt_hits, table_finder
from veritab.schema import Cell, CountedRows, ElementId, Hit, Kind, Page, Table, TableBlock

TABLE = peaks_page().tables[0]


def area(excerpt: TableExcerpt) -> list[list[int]]:
    """How often each square of the drawing is covered; a browser draws a rectangle where each is covered once."""
    rows = excerpt.rows
    covered = [[0] * excerpt.width for _ in rows]
    for number, line in enumerate(rows):
        if line.left_out:
            covered[number] = [1] * excerpt.width
        column = 0
        for square in line.cells:
            while covered[number][column]:
                column += 1
            for row in range(number, number + square.rows):
                for each in range(column, column + square.columns):
                    covered[row][each] += 1
            column += square.columns
    return covered


def marked(excerpt: TableExcerpt) -> set[ElementId | None]:
    return {square.id for line in excerpt.rows for square in line.cells if square.is_evidence}


def test_a_long_table_is_cut_to_its_headers_and_the_rows_around_the_evidence() -> None:
    excerpt = excerpt_hits([hit(CELL)], TABLE, most_rows=5)
    assert [line.left_out for line in excerpt.rows] == [0, 0, 2, 0, 0, 0, 15]
    assert [square.text for square in excerpt.rows[4].cells] == ["Peak 3", "8,003", "26,003"]
    assert [square.is_evidence for square in excerpt.rows[4].cells] == [False, True, False]
    assert excerpt.rows[0].is_header
    assert not excerpt.is_whole
    assert excerpt.caption == "Peaks and their heights"


def counted(*rows: int, others: str = "without snow") -> CountedRows:
    return CountedRows(TABLE.id, rows, 20, (0, 1), "snow", others)


def test_the_rows_that_count_are_all_drawn_and_framed_and_the_gaps_say_what_the_others_lack() -> None:
    rows = (3, 8, 12, 16, 20)
    excerpt = excerpt_hits([hit(CELL)], TABLE, (), [counted(*rows)], most_rows=4)
    drawn = {line.number: line.cells for line in excerpt.rows if line.cells and not line.is_header}
    assert set(rows) < set(drawn)
    framed = {row for row, cells in drawn.items() if [square.is_key for square in cells] == [True, True, False]}
    assert framed == set(rows)
    assert all([square.is_read for square in drawn[row]][:2] == [False, False] for row in rows)
    assert next(line.gap for line in excerpt.rows if line.left_out).endswith("without snow left out")
    left = 22 - len(drawn) - 2
    assert excerpt.gaps == (f"{left} rows without snow left out",)


def test_what_was_looked_at_and_did_not_count_is_told_apart() -> None:
    excerpt = excerpt_hits([hit(CELL)], TABLE, (), [counted(3)], most_rows=30)
    (other,) = (line.cells for line in excerpt.rows if line.number == 10)
    assert [(square.is_key, square.is_read) for square in other] == [(False, True), (False, True), (False, False)]
    assert not any(square.is_read for line in excerpt.rows[:2] for square in line.cells)


def test_a_gap_is_not_explained_where_rows_that_count_are_left_out_too() -> None:
    excerpt = excerpt_hits([hit(CELL)], TABLE, (), [counted(*range(2, 22))], most_rows=4, most_counted=6)
    assert {line.others for line in excerpt.rows} == {""}
    assert sum(bool(line.cells) for line in excerpt.rows) < 12


def test_rows_of_a_table_that_has_changed_are_not_looked_for() -> None:
    excerpt = excerpt_hits([hit(CELL)], TABLE, (), [counted(3, 400)], most_rows=5)
    assert {line.number for line in excerpt.rows if line.cells} <= set(range(22))


def test_spans_are_drawn_as_spans() -> None:
    first, second = excerpt_hits([hit(CELL)], TABLE).rows[:2]
    assert [(square.text, square.columns, square.rows) for square in first.cells] == [
        ("Mountain", 1, 2),
        ("Height", 2, 1),
    ]
    assert [square.text for square in second.cells] == ["m", "ft"]


def test_a_small_table_is_drawn_whole() -> None:
    excerpt = excerpt_hits([hit(CELL)], TABLE, most_rows=30)
    assert excerpt.is_whole
    assert len(excerpt.rows) == 22


def test_wide_tables_keep_the_columns_of_the_evidence_and_the_names_of_the_rows() -> None:
    table = Table.of([[f"{row}/{column}" for column in range(40)] for row in range(3)])
    element = table.element(ElementId("Table", Kind.CELL, (0, 1, 30)))
    excerpt = excerpt_hits([Hit(element, 1.0, "test")], table, most_columns=4)
    assert [square.text for square in excerpt.rows[1].cells] == ["1/0", "1/1", "1/2", "…", "1/30", "…"]
    assert all(count == 1 for row in area(excerpt) for count in row)


def test_without_the_table_cells_are_drawn_with_the_headers_of_their_contexts() -> None:
    excerpt = excerpt_hits([hit(CELL), hit("Peaks (Asia)_cell_0_5_2"), hit("Peaks (Asia)_cell_0_7_1")])
    assert [[square.text for square in line.cells] for line in excerpt.rows] == [
        ["", "Height m", "Height ft"],
        ["Peak 3", "8,003", "26,003"],
        ["Peak 5", "8,005", ""],
    ]
    assert excerpt.caption == "Peaks and their heights"


def test_without_the_table_headers_that_are_evidence_are_marked_where_they_stand() -> None:
    headers = ["Peaks (Asia)_header_cell_0_5_0", "Peaks (Asia)_header_cell_0_1_0", "Peaks (Asia)_header_cell_0_9_0"]
    excerpt = excerpt_hits([hit(CELL), *map(hit, headers)])
    assert [[(square.text, square.is_evidence) for square in line.cells] for line in excerpt.rows] == [
        [("", False), ("Height m", True)],
        [("Peak 3", True), ("8,003", True)],
        [("Peak 7", True), ("", False)],
    ]


@settings(max_examples=40)
@given(st.data())
def test_without_the_table_no_evidence_is_lost(data: st.DataObject) -> None:
    cells = [element for element in TABLE.elements() if element.kind in (Kind.CELL, Kind.HEADER_CELL)]
    chosen = data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=6, unique_by=lambda cell: cell.id))
    excerpt = excerpt_hits([Hit(cell, 1.0, "t") for cell in chosen])
    drawn = [square.text for line in excerpt.rows for square in line.cells if square.is_evidence]
    assert all(any(cell.text in text for text in drawn) for cell in chosen)
    assert {len(line.cells) for line in excerpt.rows} == {excerpt.width}


def test_a_table_that_no_longer_has_the_cell_is_not_drawn() -> None:
    shorter = Table.of([["8,003"]], title="Peaks (Asia)")
    assert marked(excerpt_hits([hit(CELL)], shorter)) == {ElementId.parse(CELL)}


def test_a_caption_alone_marks_no_cell() -> None:
    excerpt = excerpt_hits([hit(CAPTION)], TABLE)
    assert marked(excerpt) == set()
    assert len(excerpt.rows) <= 13
    assert excerpt_hits([hit(CAPTION)]).rows == ()


def test_tables_are_found_in_a_corpus_and_none_where_there_is_none() -> None:
    class Corpus:
        def page(self, title: str) -> Page:
            if title != "Peaks (Asia)":
                raise NotFound(title)
            return peaks_page()

    find = table_finder(Corpus())  # type: ignore[arg-type]
    found = find(TABLE.id)
    assert found is not None
    assert found.id == TABLE.id
    assert find(ElementId("Peaks (Asia)", Kind.TABLE, (9,))) is None
    assert find(ElementId("Elsewhere", Kind.TABLE, (0,))) is None


CELLS = st.builds(
    Cell,
    st.sampled_from(["a", "b", ""]),
    header=st.booleans(),
    row_span=st.integers(1, 3),
    column_span=st.integers(1, 3),
)


@settings(max_examples=40)
@given(st.lists(st.lists(CELLS, min_size=1, max_size=6).map(tuple), min_size=1, max_size=9), st.data())
def test_evidence_is_always_drawn_within_the_limits_and_nothing_is_drawn_twice(
    rows: Sequence[tuple[Cell, ...]], data: st.DataObject
) -> None:
    table = Page("P", (TableBlock(0, tuple(rows)),)).tables[0]
    cells = [element for element in table.elements() if element.kind in (Kind.CELL, Kind.HEADER_CELL)]
    chosen = data.draw(st.lists(st.sampled_from(cells), min_size=1, max_size=3, unique_by=lambda cell: cell.id))
    excerpt = excerpt_hits([Hit(cell, 1.0, "t") for cell in chosen], table, most_rows=6, most_columns=6)
    assert marked(excerpt) == {cell.id for cell in chosen}
    assert sum(not line.left_out for line in excerpt.rows) <= 6
    assert sum(line.left_out or 1 for line in excerpt.rows) == len(table.places)


@pytest.mark.parametrize("rows", [[], [[]]])
def test_an_empty_table_is_no_trouble(rows: list[list[str]]) -> None:
    assert excerpt_hits([hit(CAPTION)], Table.of(rows)).rows == ()
