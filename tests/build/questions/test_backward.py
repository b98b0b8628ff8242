"""Sentences become questions whose right reading is the sentence."""

from __future__ import annotations

import random

import pytest

from veritab.build.questions.backward import BackwardQuestion, ask_of_page
from veritab.build.questions.normal_form import normal_form

pytest.importorskip("lemminflect")

PAGE = (
    "Poe Bridge is a bridge in Leeds.",
    "It was built in 1883 by Ann Lee.",
    "Poe Bridge was opened on 3 May 1884 in Leeds.",
    "Poe Bridge has 12 arches.",
    "Poe Bridge replaced the Old Ferry in 1884.",
    "Poe Bridge is the longest bridge of the county.",
)


def asked(seeds: int = 30) -> list[BackwardQuestion]:
    return [each for seed in range(seeds) for each in ask_of_page("Poe Bridge", PAGE, random.Random(seed))]


def test_every_kind_of_question_is_asked() -> None:
    assert {each.rule for each in asked()} >= {"subject", "object", "time", "count", "elliptical"}


def test_the_sentence_is_right_and_other_readings_are_wrong() -> None:
    for each in asked():
        assert len(each.right) == len(each.readings)
        assert any(each.right)
        assert not all(each.right)
        assert each.answer.lower() not in each.question.lower()
        for reading, right in zip(each.readings, each.right, strict=True):
            if right and each.rule == "count":
                assert normal_form(reading.text) == "poe bridge has 12 arches"


def test_questions_are_roughened_as_people_type() -> None:
    questions = [each.question for each in asked()]
    assert any(question.islower() for question in questions)
    assert any(not question.endswith("?") for question in questions)


def test_the_same_seed_asks_the_same() -> None:
    assert asked(3) == asked(3)


def test_nothing_is_asked_about_what_cannot_be_cut() -> None:
    assert (
        list(
            ask_of_page(
                "Poe Bridge", ["Bridges!", "", 'He said "no".', "Where it is nobody knows at all."], random.Random(1)
            )
        )
        == []
    )
