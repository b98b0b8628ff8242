"""Candidates get a score, and the cells in them too: spans of characters find their tokens."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.models.tiny import make_selector, make_verdict
from veritab.errors import FormatError, InputError
from veritab.models.candidates import UNREAD, CandidateScore, CandidateText, clean_candidate
from veritab.models.selector import SelectorModel

ROW = CandidateText("half: one two; minus; half.", ((6, 13), (15, 20), (22, 26)))


def test_a_span_scores_the_mean_of_its_tokens_and_the_whole_counts_the_claim_too(tmp_path: Path) -> None:
    model = SelectorModel.open(make_selector(tmp_path))
    assert model.scores([("two", ROW)]) == [CandidateScore(4.5, (1.5, -1.5, 0.5))]


def test_scores_come_in_the_order_they_are_asked_for(tmp_path: Path) -> None:
    model = SelectorModel.open(make_selector(tmp_path))
    asked = [("one " * count, CandidateText("two " * (9 - count), ((0, 3),))) for count in range(9)]
    assert model.scores(asked) == [CandidateScore(count + 2.0 * (9 - count), (2.0,)) for count in range(9)]
    assert model.scores([]) == []


def test_a_span_that_covers_part_of_a_word_has_its_token(tmp_path: Path) -> None:
    model = SelectorModel.open(make_selector(tmp_path))
    ((_, spans),) = model.scores([("", CandidateText("two half", ((1, 2), (2, 5), (0, 8), (-5, 99))))])
    assert spans == (2.0, 1.25, 1.25, 1.25)


@pytest.mark.parametrize("span", [(0, 0), (3, 4), (5, 5), (90, 99), (6, 2)])
def test_a_span_without_a_token_is_unread(tmp_path: Path, span: tuple[int, int]) -> None:
    model = SelectorModel.open(make_selector(tmp_path))
    ((_, spans),) = model.scores([("one", CandidateText("two half", (span, (0, 3))))])
    assert spans == (UNREAD, 2.0)


def test_spans_beyond_the_window_are_unread_and_the_claim_is_never_cut_for_them(tmp_path: Path) -> None:
    model = SelectorModel.open(make_selector(tmp_path, max_length=80))
    text = "two " * 200
    ((whole, spans),) = model.scores(
        [("one " * 10, CandidateText(text, ((0, 3), (4 * 68, 4 * 68 + 3), (4 * 69, 800))))]
    )
    assert spans == (2.0, 2.0, UNREAD)
    assert whole == 10 + 2 * 69


def test_spans_move_with_their_text_when_it_is_cleaned(tmp_path: Path) -> None:
    text = "\x00one\ud800 t\u200bwo minus"
    spans = tuple((text.index(word[0]), text.index(word[-1], text.index(word[0])) + 1) for word in ("one", "two"))
    assert clean_candidate(CandidateText(text, spans)) == CandidateText("one two minus", ((0, 3), (4, 7)))
    assert SelectorModel.open(make_selector(tmp_path)).scores([("", CandidateText(text, spans))])[0].spans == (1.0, 2.0)


def test_a_candidate_does_not_depend_on_those_beside_it(tmp_path: Path) -> None:
    model = SelectorModel.open(make_selector(tmp_path))
    asked = [("one " * (n % 7), CandidateText("two half minus " * n, ((0, 3), (4, 8)))) for n in range(1, 40)]
    alone = [score for each in asked for score in model.scores([each])]
    assert model.scores(asked) == alone
    assert model.scores(asked[::-1]) == alone[::-1]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(model.scores, [asked] * 8)) == [alone] * 8


@pytest.mark.parametrize("threads", [2, 3, None])
def test_candidates_are_read_side_by_side_with_the_same_scores(tmp_path: Path, threads: int | None) -> None:
    folder = make_selector(tmp_path)
    asked = [("one " * (n % 7), CandidateText("two half minus " * n, ((0, 3), (4, 8)))) for n in range(1, 40)]
    wanted = SelectorModel.open(folder, threads=1).scores(asked)
    assert SelectorModel.open(folder, threads=threads).scores(asked) == wanted


def test_what_goes_wrong_side_by_side_is_told_as_it_is_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = SelectorModel.open(make_selector(tmp_path), threads=2)
    model.load()
    monkeypatch.setattr(model._session(), "_session", None)
    with pytest.raises(FormatError, match=r"cannot run on \d+ tokens"):
        model.scores([("one", CandidateText("two"))] * 9)


def test_a_candidate_on_which_the_model_breaks_down_is_unread_and_the_log_tells(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = SelectorModel.open(make_selector(tmp_path))
    with caplog.at_level(logging.WARNING):
        found = model.scores([("one", CandidateText("two break", ((0, 3), (4, 9)))), ("one", CandidateText("two"))])
    assert found == [CandidateScore(UNREAD, (2.0, UNREAD)), CandidateScore(3.0)]
    assert "gives no number for 1 of 2 candidates" in caplog.text


@pytest.mark.parametrize("text", ["", "\ud800", "日本語の文", "two " * 250_000, "x" * 1_000_000])
def test_whatever_is_given_is_scored(tmp_path: Path, text: str) -> None:
    model = SelectorModel.open(make_selector(tmp_path), threads=1)
    model.load()
    (found,) = model.scores([(text, CandidateText(text, ((0, 3), (500_000, 500_003))))])
    assert found.spans[1] == UNREAD


def test_a_verdict_model_is_none(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a model for 'verdict', not for 'selector'"):
        SelectorModel.open(make_verdict(tmp_path))
