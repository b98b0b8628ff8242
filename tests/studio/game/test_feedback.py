"""What an author is shown: the pieces of the page, best first, the rank of the gold, and the checker's answer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.studio.game.writers import NILE, RHINE, corpus_of
from veritab.errors import InputError
from veritab.pipeline import Checker
from veritab.schema import Cell, Page, Sentence, TableBlock
from veritab.studio.advice import AdviceCode
from veritab.studio.game.feedback import METHODS, checker_answer, choose_hints, feedback_on, rank_pieces
from veritab.studio.game.pieces import EvidencePiece, make_pieces, pieces_of

DAMS = "The tallest dam of Sudan on the Nile is the Merowe."


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    with corpus_of(tmp_path_factory.mktemp("corpus"), NILE, RHINE) as opened:
        yield opened


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checker]:
    with corpus_of(tmp_path_factory.mktemp("one page"), NILE) as opened:
        yield opened


def test_a_corpus_of_one_page_ranks_its_pieces_too(alone: Checker) -> None:
    assert feedback_on(DAMS, NILE, [], alone).pieces[0].piece.text.startswith("Dam: Merowe Dam")


@pytest.mark.parametrize("method", METHODS)
def test_a_row_of_a_table_is_found_like_a_sentence(checker: Checker, method: str) -> None:
    feedback = feedback_on(DAMS, NILE, ["Nile_cell_0_2_1"], checker, method=method)
    first = feedback.pieces[0]
    assert first.piece.text == "Dam: Merowe Dam; Country: Sudan; Height: 67 m"
    assert (first.is_gold, feedback.gold_rank, feedback.gold_ranks) == (True, 1, (1,))
    assert AdviceCode.GOLD_FIRST in {advice.code for advice in feedback.advice}


def test_the_words_that_the_claim_has_too_are_told(checker: Checker) -> None:
    first = feedback_on(DAMS, NILE, [], checker).pieces[0]
    assert [first.piece.text[start:end] for start, end in first.spans] == ["Dam", "Merowe", "Dam", "Sudan"]


def test_gold_that_comes_later_has_its_rank(checker: Checker) -> None:
    feedback = feedback_on(DAMS, NILE, ["Nile_sentence_1", "Nile_cell_0_1_0"], checker, most=2)
    assert feedback.gold_rank != 1
    assert len(feedback.gold_ranks) == 2
    assert feedback.gold_ranks == tuple(sorted(feedback.gold_ranks))
    assert len(feedback.pieces) == 2
    assert AdviceCode.GOLD_FIRST not in {advice.code for advice in feedback.advice}


def test_nothing_typed_and_far_too_much_are_answered(checker: Checker) -> None:
    empty = feedback_on("", NILE, [], checker)
    assert [each.piece for each in empty.pieces] == make_pieces(NILE)
    assert (empty.gold_rank, empty.advice) == (None, ())
    long = feedback_on("dam " * 25_000, NILE, ["nonsense"], checker)
    assert [advice.code for advice in long.advice] == [AdviceCode.TOO_LONG]


def test_an_unknown_way_to_rank_is_named(checker: Checker) -> None:
    with pytest.raises(InputError, match="there is no way to rank pieces called 'magic'"):
        rank_pieces(DAMS, NILE, checker, method="magic")


def test_a_page_without_pieces_has_no_feedback(checker: Checker) -> None:
    assert feedback_on(DAMS, Page("Empty"), [], checker).pieces == ()


# -- hints


def test_hints_hold_nothing_of_the_gold(checker: Checker) -> None:
    copied = Page("Nile", (*NILE.blocks, Sentence(9, "It is about 6,650 km long!")))
    hints = choose_hints(DAMS, copied, pieces_of(copied, ["Nile_sentence_1"]), checker, 10)
    assert not any("6,650" in piece.text for piece in hints)
    assert len(hints) == 7


def test_a_caption_that_is_gold_is_not_drawn_with_the_rows_below_it(checker: Checker) -> None:
    hints = choose_hints(DAMS, NILE, pieces_of(NILE, ["Nile_table_caption_0"]), checker, 10)
    assert not any(piece.rows or "Large dams" in piece.text for piece in hints)


def test_a_header_that_is_gold_is_not_drawn_either_and_a_cell_takes_its_row_along(checker: Checker) -> None:
    assert not any(
        piece.rows for piece in choose_hints(DAMS, NILE, pieces_of(NILE, ["Nile_header_cell_0_0_2"]), checker, 10)
    )
    rows = [
        piece for piece in choose_hints(DAMS, NILE, pieces_of(NILE, ["Nile_cell_0_2_1"]), checker, 10) if piece.rows
    ]
    assert [piece.text for piece in rows] == ["Dam: Aswan High Dam; Country: Egypt; Height: 111 m"]


def test_gold_in_a_cell_over_two_rows_takes_both_along(checker: Checker) -> None:
    rows = (
        (Cell("Country", header=True), Cell("Year", header=True)),
        (Cell("Egypt", row_span=2), Cell("2016")),
        (Cell("2020"),),
        (Cell("Sudan"), Cell("2020")),
    )
    page = Page("Games", (TableBlock(0, rows),))
    hints = choose_hints("Egypt was there.", page, pieces_of(page, ["Games_cell_0_1_0"]), checker, 10)
    assert [piece.text for piece in hints] == ["Country: Sudan; Year: 2020"]


def test_hints_are_the_best_ones_and_no_more_than_asked_for(checker: Checker) -> None:
    gold = pieces_of(NILE, ["Nile_sentence_0"])
    hints = choose_hints(DAMS, NILE, gold, checker, 3)
    assert len(hints) == 3
    assert hints[0].text.startswith("Dam: Merowe Dam")
    assert choose_hints(DAMS, NILE, gold, checker, 0) == []


# -- the checker


def test_the_checker_answers_by_the_pieces_alone(checker: Checker) -> None:
    pieces = pieces_of(NILE, ["Nile_cell_0_1_2", "Nile_cell_0_2_2"])
    answer = checker_answer("The Aswan High Dam is higher than the Merowe Dam.", pieces, checker)
    assert answer["label"] == max(answer["scores"], key=answer["scores"].__getitem__)
    assert answer["confidence"] == max(answer["scores"].values())
    assert sum(answer["scores"].values()) == pytest.approx(1, abs=0.001)


def test_the_checker_reads_quoted_words_and_those_that_the_corpus_has_otherwise(checker: Checker) -> None:
    for ids in ((), ("Atlantis_sentence_0",), ("Nile_sentence_1",)):
        piece = EvidencePiece("The Nile is 9,000 km long.", ids=ids)
        assert set(checker_answer("The Nile is long.", [piece], checker)) == {"label", "scores", "confidence"}
    assert checker_answer("The Nile is long.", [], checker)["label"] == "NOT ENOUGH INFO"
