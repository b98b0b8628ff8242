"""Pieces of evidence: what is shown of sentences, items, captions and rows of tables."""

from __future__ import annotations

import json

import pytest

from tests.studio.game.writers import BARE, NILE
from veritab.errors import InputError
from veritab.schema import Cell, Page, Section, Sentence, TableBlock
from veritab.studio.game.pieces import EvidencePiece, ShownCell, has_pieces, make_pieces, piece_of, pieces_of


def test_a_page_is_cut_into_sentences_items_captions_and_rows() -> None:
    pieces = make_pieces(NILE)
    assert [piece.ids[0] for piece in pieces] == [
        "Nile_sentence_0",
        "Nile_sentence_1",
        "Nile_sentence_2",
        "Nile_item_0_0",
        "Nile_item_0_1",
        "Nile_table_caption_0",
        "Nile_cell_0_1_0",
        "Nile_cell_0_2_0",
    ]
    assert {piece.section for piece in pieces[2:5]} == {"Course"}


def test_a_row_is_said_in_words_and_drawn_under_its_header() -> None:
    *_, row = make_pieces(NILE)
    assert row.text == "Dam: Merowe Dam; Country: Sudan; Height: 67 m"
    assert (row.section, row.caption) == ("Dams", "Large dams of the Nile")
    assert row.ids == ("Nile_cell_0_2_0", "Nile_cell_0_2_1", "Nile_cell_0_2_2")
    assert row.rows == (
        (ShownCell("Dam", True), ShownCell("Country", True), ShownCell("Height", True)),
        tuple(ShownCell(text, is_marked=True) for text in ("Merowe Dam", "Sudan", "67 m")),
    )


def test_a_cell_is_marked_in_its_row_and_said_with_the_name_of_the_row() -> None:
    piece = piece_of(NILE, ["Nile_cell_0_1_2"])
    assert piece.text == "Dam: Aswan High Dam; Height: 111 m"
    assert [cell.is_marked for cell in piece.rows[-1]] == [False, False, True]
    assert piece.ids == ("Nile_cell_0_1_2",)


def test_cells_of_one_row_are_one_piece_and_of_two_rows_two() -> None:
    ids = ["Nile_cell_0_1_2", "Nile_sentence_0", "Nile_cell_0_1_0", "Nile_cell_0_2_2"]
    assert [piece.ids for piece in pieces_of(NILE, ids)] == [
        ("Nile_cell_0_1_0", "Nile_cell_0_1_2"),
        ("Nile_sentence_0",),
        ("Nile_cell_0_2_2",),
    ]
    with pytest.raises(InputError, match="a piece of evidence is one sentence"):
        piece_of(NILE, ids)


def test_an_infobox_names_its_lines_and_not_its_columns() -> None:
    rows = (
        (Cell("Nile", header=True, column_span=2),),
        (Cell("Course", header=True, column_span=2),),
        (Cell("Length", header=True), Cell("6,650 km")),
        (Cell("Mouth", header=True), Cell("Mediterranean Sea")),
    )
    pieces = make_pieces(Page("Nile", (TableBlock(0, rows, infobox=True),)))
    assert [piece.text for piece in pieces] == ["Length: 6,650 km", "Mouth: Mediterranean Sea"]
    assert pieces[0].rows[0] == (ShownCell("Nile", True), ShownCell("", True))


def test_a_cell_over_two_rows_is_said_in_both_and_row_headers_have_the_names_of_their_column() -> None:
    rows = (
        (Cell("Country", header=True), Cell("Year", header=True), Cell("Gold", header=True)),
        (Cell("Egypt", header=True, row_span=2), Cell("2016"), Cell("0")),
        (Cell("2020"), Cell("1")),
    )
    pieces = make_pieces(Page("Games", (TableBlock(0, rows),)))
    assert [piece.text for piece in pieces] == [
        "Country: Egypt; Year: 2016; Gold: 0",
        "Country: Egypt; Year: 2020; Gold: 1",
    ]
    assert pieces[1].ids[0] == "Games_header_cell_0_1_0"


@pytest.mark.parametrize(
    ("id", "told"),
    [
        ("Rhine_sentence_0", "is of another page; choose evidence from 'Nile'"),
        ("Nile_sentence_99", "has no element 'Nile_sentence_99'; choose evidence that the page has"),
        ("Nile_cell_0_9_9", "choose evidence that the page has"),
        ("Nile_header_cell_0_1_1", "choose evidence that the page has"),
        ("Nile_cell_7_0_0", "choose evidence that the page has"),
        ("Nile_section_0", "is no evidence by itself"),
        ("Nile_table_0", "is no evidence by itself"),
        ("Nile_title", "is no evidence by itself"),
        ("the first sentence", "is not an element id"),
        ("", "is not an element id"),
    ],
)
def test_what_is_no_evidence_of_the_page_is_refused(id: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        pieces_of(NILE, [id])


def test_a_page_of_headings_and_headers_has_no_pieces() -> None:
    headers = Page("Only headers", (TableBlock(0, ((Cell("Dam", header=True),),)), Section(0, "Dams", 2)))
    for page in (BARE, headers, Page("Empty"), Page("Blank", (Sentence(0, ""),))):
        assert not has_pieces(page)
        assert make_pieces(page) == []
    assert has_pieces(NILE)


def test_pieces_come_back_from_json() -> None:
    for piece in make_pieces(NILE):
        assert EvidencePiece.parse(json.loads(json.dumps(piece.as_dict()))) == piece
