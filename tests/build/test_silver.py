"""Silver evidence: the first passage with the answer, the best one without it, and when an answer is held."""

from __future__ import annotations

import pytest

from veritab.build.passages import FoundPassage
from veritab.build.silver import ENOUGH_SHARE, LEAST_SHARE, AnswerMatcher, SilverEvidence, find_silver
from veritab.schema import ElementId, Kind


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("April 19, 1987", "It was first shown on 19 April 1987."),
        ("April 1987", "It was first shown on 19 April 1987."),
        ("the Beatles", "A song by Beatles members."),
        ("Beyoncé", "BEYONCE won."),
        ("five seasons", "It ran for 5 seasons."),
        ("1200", "There were 1,200 people."),
        ("Queen", "Queen's first album."),
        ("1987", "In 1987 it ended."),
    ],
)
def test_an_answer_is_held_however_it_is_written(answer: str, text: str) -> None:
    assert AnswerMatcher([answer]).holds(text)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("April 19, 1987", "It was first shown in April 1987."),
        ("April 19, 1987", "It was first shown on 19 April 1988."),
        ("Iran", "Tirana is the capital."),
        ("5", "There were 15 of them, in 1,005 places."),
        ("?", "Nothing is asked here?"),
    ],
)
def test_words_are_whole_and_dates_as_exact_as_the_answer(answer: str, text: str) -> None:
    assert not AnswerMatcher([answer]).holds(text)


def test_any_of_several_answers_will_do() -> None:
    assert AnswerMatcher(["Jules Gabriel Verne", "Jules Verne"]).holds("It is by Jules Verne.")
    assert not AnswerMatcher([]).holds("It is by Jules Verne.")


class _Shares:
    """Says one share of whole passages and another of single sentences."""

    def __init__(self, share: float, of_sentence: float) -> None:
        self._share, self._of_sentence = share, of_sentence

    def share(self, question: str, passage: FoundPassage) -> float:
        return self._share if passage in FOUND else self._of_sentence


def _find(
    passages: list[FoundPassage], share: float = 1.0, of_sentence: float = 1.0, question: str = "where is it?"
) -> SilverEvidence:
    return find_silver(_Shares(share, of_sentence), question, ["Vienna"], passages)


def _passage(number: int, text: str) -> FoundPassage:
    return FoundPassage("Page", (ElementId("Page", Kind.SENTENCE, (number,)),), text)


FOUND = [
    _passage(number, text)
    for number, text in enumerate(["Other.", "It exists. It is in Vienna.", "Vienna again.", "No."])
]


def test_the_first_passage_with_the_answer_is_evidence_and_the_best_without_is_the_negative() -> None:
    assert _find(FOUND) == (FOUND[1], FOUND[0])
    assert _find(FOUND[1:]) == (FOUND[1], FOUND[3])


def test_there_is_no_negative_without_evidence() -> None:
    assert _find(FOUND[:1]) == (None, None)
    assert _find([]) == (None, None)


def test_a_passage_that_has_little_of_the_question_holds_the_answer_by_chance() -> None:
    assert _find(FOUND, LEAST_SHARE - 0.01).passage is None
    assert _find(FOUND, LEAST_SHARE).passage == FOUND[1]


def test_with_half_of_the_question_the_sentence_with_the_answer_must_have_some_of_it() -> None:
    assert _find(FOUND[:2], LEAST_SHARE, of_sentence=0.1).passage is None
    assert _find(FOUND[:2], ENOUGH_SHARE, of_sentence=0.1).passage == FOUND[1]


def test_an_answer_that_the_question_holds_finds_nothing() -> None:
    assert _find(FOUND, question="is it in vienna or graz?").passage is None


def test_the_title_of_a_page_counts_as_its_text() -> None:
    passage = FoundPassage("Vienna", (), "It is the capital of Austria.")
    assert _find([passage]).passage == passage
