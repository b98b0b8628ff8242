"""Cells without their tables: what is rebuilt of them, and what is computed with it."""

from __future__ import annotations

from veritab import Element, ElementId, Evidence, Label, Page, Table, judge
from veritab.schema import Sentence, TableBlock
from veritab.verify.cells import rebuild_tables
from veritab.verify.judge import compute_answer

HEADER, ROWS = ["Mountain", "Height (m)", "Range"], [["Everest", "8,849", "Himalaya"], ["K2", "8,611", "Karakoram"]]


def peaks() -> Table:
    made = Table.of(ROWS, header=HEADER)
    return Page("Peaks", (Sentence(0, "Peaks are high."), TableBlock(0, made.rows, "The highest"))).tables[0]


def cells(table: Table, *places: tuple[int, int]) -> list[Element]:
    return [table.element(table.cell_id(place)) for place in places]


def infobox(title: str, **values: str) -> Table:
    made = Table.of([[name, value] for name, value in values.items()])
    rows = tuple((row[0]._replace(header=True), row[1]) for row in made.rows)
    return Page(title, (TableBlock(0, rows, infobox=True),)).tables[0]


def test_cells_of_one_table_become_its_rows_and_columns_again() -> None:
    given = cells(peaks(), (1, 0), (1, 1), (2, 0), (2, 1))
    ((table,), origins) = rebuild_tables(given)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["Mountain", "Height (m)"],
        ["Everest", "8,849"],
        ["K2", "8,611"],
    ]
    assert (table.id, table.caption) == (peaks().id, "The highest")
    assert set(origins.values()) == {cell.id for cell in given}


def test_a_table_that_is_given_whole_is_not_rebuilt() -> None:
    assert rebuild_tables(cells(peaks(), (1, 1)), [peaks().id]) == ((), {})


def test_cells_that_were_given_alone_are_computed_with_and_cited_by_their_own_ids() -> None:
    given = cells(peaks(), (1, 0), (1, 1), (2, 0), (2, 1))
    found = compute_answer("K2 is higher than Everest.", Evidence.of(given))
    assert found.answer is False
    assert set(found.cells) <= {cell.id for cell in given}


def test_cells_of_two_infoboxes_are_compared() -> None:
    one, other = infobox("Tokyo", Country="Japan", Population="14,047,594"), infobox("Rome", Population="2,748,109")
    given = [*cells(one, (1, 1)), *cells(other, (0, 1))]
    verdict = judge("Rome has more inhabitants than Tokyo.", given, model=None)
    assert verdict.label is Label.REFUTES
    assert {hit.element.id for hit in verdict.evidence} == {cell.id for cell in given}
    assert ElementId.parse("Tokyo_cell_0_1_1") in {hit.element.id for hit in verdict.evidence}
