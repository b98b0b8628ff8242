"""Which pieces of evidence a model reads first."""

from __future__ import annotations

from veritab.schema import Element, ElementId, Hit, Kind, Table
from veritab.verify.compose import best_pieces

_RIVERS = Table.of([["Danube", "2,850", "Black Sea"], ["Rhine", "1,233", "North Sea"]], header=["River", "km", "Mouth"])


def text(number: int, score: float) -> Hit:
    return Hit(Element(ElementId("Rivers", Kind.SENTENCE, (number,)), f"Sentence {number}."), score, "test")


def cell(row: int, column: int, score: float) -> Hit:
    return Hit(_RIVERS.element(_RIVERS.grid[row][column]), score, "test")  # type: ignore[arg-type]


def test_texts_and_rows_take_turns_whatever_their_scores() -> None:
    hits = [text(0, 0.2), text(1, 0.1), cell(1, 1, 0.9), cell(2, 1, 0.8)]
    pieces = best_pieces(hits, [_RIVERS], 3)
    assert [piece[0].text for piece in pieces] == ["Danube", "Sentence 0.", "Rhine"]
    assert [piece[0].text for piece in best_pieces(hits[:2], [_RIVERS], 3)] == ["Sentence 0.", "Sentence 1."]


def test_a_row_is_read_whole_unless_it_is_wide() -> None:
    (row,) = best_pieces([cell(1, 1, 0.9), cell(1, 2, 0.1)], [_RIVERS], 6)
    assert [element.text for element in row] == ["Danube", "2,850", "Black Sea"]
    wide = Table.of([[str(number) for number in range(9)]], header=[f"Column {number}" for number in range(9)])
    hit = Hit(wide.element(wide.grid[1][4]), 1.0, "test")  # type: ignore[arg-type]
    ((only,),) = best_pieces([hit], [wide], 6)
    assert only.text == "4"
    ((alone,),) = best_pieces([hit], [], 6)
    assert alone.text == "4"
