"""How the benchmark of tables compares what was read with what went in."""

from __future__ import annotations

import pytest
from benchmarks.made_tables import expand
from benchmarks.tables import align, compared

from veritab.schema import Cell


def cells(*rows: str) -> list[list[Cell]]:
    return [[Cell(text.strip()) for text in row.split("|")] for row in rows]


@pytest.mark.parametrize(
    ("printed", "kept"), [("1,250.50", "1250.5"), ("(35)", "-35"), ("+7", "7"), ("two\nlines", "two lines")]
)
def test_a_number_is_the_same_however_it_is_printed(printed: str, kept: str) -> None:
    assert compared(printed) == compared(kept)


def test_different_texts_stay_different() -> None:
    assert len({compared(text) for text in ("10", "1", "1.0%", "100", "-10")}) == 5


def test_cells_count_only_in_their_row_and_column() -> None:
    wanted = cells("Country|Sales", "Norway|12", "Denmark|8")
    assert len(align(wanted, wanted)) == 6
    assert len(align(wanted, cells("A title|", "Country|Sales", "Norway|12", "Denmark|8"))) == 6
    assert len(align(wanted, cells("Country|Sales", "Norway|8", "Denmark|12"))) == 4
    assert len(align(wanted, cells("Country Sales Norway 12 Denmark 8"))) == 0
    assert len(align(wanted, cells("Country|Sales", "Norway 12|", "Denmark|8"))) == 4


def test_a_span_fills_all_its_squares() -> None:
    grid = expand([[Cell("a", row_span=2), Cell("b", column_span=2)], [Cell("c"), Cell("d")]])
    assert [[cell.text for cell in row] for row in grid] == [["a", "b", "b"], ["a", "c", "d"]]
