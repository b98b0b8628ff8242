"""Silver evidence: the first passage with the answer, the best one without it, and when an answer is held."""

from __future__ import annotations

import pytest

from veritab.build.passages import FoundPassage
from veritab.build.silver import AnswerMatcher, find_silver
from veritab.schema import ElementId, Kind
from veritab.text import terms


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


class _Weights:
    """Weighs every word alike."""

    def __init__(self, weight: float = 1.0) -> None:
        self._weight = weight

    def weights(self, question: str) -> dict[str, float]:
        return dict.fromkeys(terms(question), self._weight)


def _find(question: str, answer: str, *texts: str, weight: float = 1.0) -> tuple[int | None, int | None]:
    """Which of some texts is evidence, and which the negative, by number."""
    passages = [
        FoundPassage("Page", (ElementId("Page", Kind.SENTENCE, (number,)),), text) for number, text in enumerate(texts)
    ]
    found = find_silver(_Weights(weight), question, [answer], passages)
    evidence, negative = (passages.index(each) if each else None for each in found)
    return evidence, negative


def test_the_first_passage_with_the_answer_is_evidence_and_the_best_without_is_the_negative() -> None:
    texts = ["big city", "big city Vienna", "Vienna big city", "big"]
    assert _find("big city", "Vienna", *texts) == (1, 0)
    assert _find("big city", "Vienna", *texts[1:]) == (0, 2)
    assert _find("big city", "Vienna", "Vienna big city") == (0, None)


def test_there_is_no_negative_without_evidence() -> None:
    assert _find("big city", "Vienna", "big city") == (None, None)
    assert _find("big city", "Vienna") == (None, None)


def test_a_passage_that_has_little_of_the_question_holds_the_answer_by_chance() -> None:
    assert _find("one big city", "Vienna", "Vienna one") == (None, None)
    assert _find("one big city", "Vienna", "Vienna one big") == (0, None)


def test_with_half_of_the_question_the_sentence_with_the_answer_must_have_some_of_it() -> None:
    assert _find("one big old city", "Vienna", "A big city is here. Vienna is there.") == (None, None)
    assert _find("one big old city", "Vienna", "One is here. Vienna is a big city.") == (0, None)
    assert _find("one big old city", "Vienna", "One big old city is here. Vienna is there.") == (0, None)


def test_a_mere_number_must_stand_beside_what_is_asked() -> None:
    assert _find("how many large islands", "12", "How many large islands are here. It has 12 lakes.") == (None, None)
    assert _find("how many large islands", "12", "How many are large: it has 12 large islands.") == (0, None)


def test_a_passage_that_lacks_a_year_or_a_rare_word_of_the_question_is_about_something_else() -> None:
    assert _find("big city 2015", "Vienna", "Vienna is a big city.") == (None, None)
    assert _find("big city 2015", "Vienna", "Vienna is a big city in 2015.") == (0, None)
    assert _find("one big old city", "Vienna", "Vienna is one big city.") == (0, None)
    assert _find("one big old city", "Vienna", "Vienna is one big city.", weight=8) == (None, None)


def test_an_answer_that_the_question_holds_finds_nothing() -> None:
    assert _find("vienna big city", "Vienna", "Vienna is a big city.") == (None, None)


def test_the_title_of_a_page_counts_as_its_text() -> None:
    assert _find("big city", "Page", "big city") == (0, None)
