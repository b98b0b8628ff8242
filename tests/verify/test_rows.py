"""The rows of a table that a claim is about."""

from __future__ import annotations

from veritab.schema import Cell, Kind, Page, Table, TableBlock
from veritab.verify.render import render
from veritab.verify.rows import rank_by_overlap, select_rows

RIVERS = [["Nile", "6650", "Africa"], ["Danube", "2850", "Europe"], ["Rhine", "1233", "Europe"], ["Total", "10733", ""]]
HEADER = ["River", "Length", "Continent"]


def test_the_rows_that_share_most_with_the_claim_come_first() -> None:
    table = Table.of(RIVERS, header=HEADER)
    found = select_rows(table, "The Danube is in Europe.")
    assert [cell.text for cell in found[:3]] == ["Danube", "2850", "Europe"]
    assert [cell.text for cell in found[3:6]] == ["Rhine", "1233", "Europe"]
    assert {cell.kind for cell in found} == {Kind.CELL}
    assert render(found[:3]).text == "River is Danube; Length is 2850; Continent is Europe."


def test_a_row_of_totals_is_a_row_too() -> None:
    assert (
        "River is Total; Length is 10,733."
        in render(select_rows(Table.of(RIVERS, header=HEADER), "In total 10733.")).text
    )


def test_rows_are_whole_and_fit() -> None:
    table = Table.of(RIVERS, header=HEADER)
    assert [cell.text for cell in select_rows(table, "The Danube.", most_words=11)] == ["Danube", "2850", "Europe"]
    assert [cell.text for cell in select_rows(table, "The Danube.", most_words=3)] == ["Danube"]


def test_headers_that_are_not_marked_are_recognised() -> None:
    plain = render(select_rows(Table.of([HEADER, *RIVERS]), "The Nile is long.")).text
    assert "River is Nile; Length is 6650; Continent is Africa." in plain
    box = [["Developer", "Ken Banks"], ["Written in", "Java"], ["Platform", "Linux"], ["Type", "SMS"]]
    marked = Table.of(box[1:], header=box[0])
    assert render(select_rows(marked, "Ken Banks wrote it.")).text == (
        "Developer is Ken Banks. Written in is Java. Platform is Linux. Type is SMS."
    )


def test_headers_that_name_rows_stand_before_their_cells() -> None:
    block = TableBlock(
        0, ((Cell("Year", header=True), Cell("Wins", header=True)), (Cell("1999", header=True), Cell("3")))
    )
    table = Page("Races", (block,)).tables[0]
    assert render(select_rows(table, "They won 3 in 1999.")).text == "Races. 1999: Wins is 3."


def test_an_empty_table_has_no_rows() -> None:
    assert select_rows(Table.of([]), "Anything.") == ()
    assert select_rows(Table.of([["", ""]], header=["a", "b"]), "Anything.") == ()


def test_the_row_of_a_large_table_that_a_claim_names_is_selected() -> None:
    table = Table.of([[f"Town {n}", n, "text " * 50] for n in range(5000)], header=["Town", "People", "Note"])
    assert select_rows(table, "Town 4711 is large.")[0].text == "Town 4711"


def test_texts_that_share_most_words_with_a_claim_rank_first_and_ties_keep_their_order() -> None:
    assert rank_by_overlap(["tea is hot", "ice is cold", "tea and ice", "milk"], "Ice is cold.") == [1, 2, 0, 3]
    assert rank_by_overlap(["a", "b"], "") == [0, 1]
