"""The rows of a table that a claim is about."""

from __future__ import annotations

from veritab.schema import Cell, Kind, Page, Table, TableBlock
from veritab.verify.render import render
from veritab.verify.rows import nearest, rows

RIVERS = [["Nile", "6650", "Africa"], ["Danube", "2850", "Europe"], ["Rhine", "1233", "Europe"], ["Total", "10733", ""]]
HEADER = ["River", "Length", "Continent"]


def test_the_rows_that_share_most_with_the_claim_come_first() -> None:
    table = Table.of(RIVERS, header=HEADER)
    found = rows(table, "The Danube is in Europe.")
    assert [cell.text for cell in found[:3]] == ["Danube", "2850", "Europe"]
    assert [cell.text for cell in found[3:6]] == ["Rhine", "1233", "Europe"]
    assert {cell.kind for cell in found} == {Kind.CELL}
    assert render(found[:3]).text == "River is Danube; Length is 2850; Continent is Europe."


def test_a_row_of_totals_is_a_row_too() -> None:
    assert "River is Total; Length is 10733." in render(rows(Table.of(RIVERS, header=HEADER), "In total 10733.")).text


def test_rows_are_whole_and_fit() -> None:
    table = Table.of(RIVERS, header=HEADER)
    assert [cell.text for cell in rows(table, "The Danube.", most_words=11)] == ["Danube", "2850", "Europe"]
    assert [cell.text for cell in rows(table, "The Danube.", most_words=3)] == ["Danube"]


def test_headers_that_nobody_marked_are_found() -> None:
    plain = render(rows(Table.of([HEADER, *RIVERS]), "The Nile is long.")).text
    assert "River is Nile; Length is 6650; Continent is Africa." in plain
    box = [["Developer", "Ken Banks"], ["Written in", "Java"], ["Platform", "Linux"], ["Type", "SMS"]]
    marked = Table.of(box[1:], header=box[0])
    assert render(rows(marked, "Ken Banks wrote it.")).text == (
        "Developer is Ken Banks. Written in is Java. Platform is Linux. Type is SMS."
    )


def test_headers_that_name_rows_stand_before_their_cells() -> None:
    block = TableBlock(
        0, ((Cell("Year", header=True), Cell("Wins", header=True)), (Cell("1999", header=True), Cell("3")))
    )
    table = Page("Races", (block,)).tables[0]
    assert render(rows(table, "They won 3 in 1999.")).text == "Races. 1999: Wins is 3."


def test_an_empty_table_has_no_rows() -> None:
    assert rows(Table.of([]), "Anything.") == ()
    assert rows(Table.of([["", ""]], header=["a", "b"]), "Anything.") == ()


def test_the_row_that_a_claim_names_is_first_among_five_thousand() -> None:
    table = Table.of([[f"Town {n}", n, "text " * 50] for n in range(5000)], header=["Town", "People", "Note"])
    assert rows(table, "Town 4711 is large.")[0].text == "Town 4711"


def test_texts_nearest_to_a_claim_come_first_and_ties_keep_their_order() -> None:
    assert nearest(["tea is hot", "ice is cold", "tea and ice", "milk"], "Ice is cold.") == [1, 2, 0, 3]
    assert nearest(["a", "b"], "") == [0, 1]
