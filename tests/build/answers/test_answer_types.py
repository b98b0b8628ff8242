"""The type of an answer: by its form, by its words, and by what the question asks for."""

from __future__ import annotations

import pytest

from veritab.build.answers.answer_types import AnswerType, name_shares, read_value, type_answer
from veritab.build.answers.wording import write_like
from veritab.quantities import parse_quantities


@pytest.mark.parametrize(
    ("question", "answer", "type"),
    [
        ("when did it open", "14 December 1972 UTC", "day"),
        ("when did it open", "December 1972", "month"),
        ("when did it open", "in 1972", "year"),
        ("when did they win", "1993–94", "years"),
        ("when was it written", "the 18th century", "period"),
        ("how many seasons are there", "one season", "count"),
        ("how many seasons are there", "12", "count"),
        ("how long is it", "228 minutes", "quantity"),
        ("what grade is he in", "fourth", "ordinal"),
        ("who wrote it", "J. K. Rowling", "person"),
        ("who wrote it", "Cathy Dennis and Rob Davis", "person"),
        ("where is it", "Vancouver", "place"),
        ("where is it", "in Santa Monica", "place"),
        ("which country has the most coast", "Canada", "place"),
        ("what is it made by", "Northern Railway Company", "name"),
        ("where do you get a check from", "a bank", "other"),
        ("what is it called", "Carbon copy", "other"),
        ("where is lord's prayer found in bible", "in the Gospel of Luke", "other"),
        ("where does route 66 start", "in Santa Monica", "place"),
        ("what was vietnam called", "Maria da Silva", "name"),
        ("why does it rise", "capillary action", "other"),
        ("when was the first minister elected", "Edmund Barton", "other"),
        ("what is the latest version", "67.0.3396", "other"),
        ("when did they stop", "the 90s", "other"),
        ("who is it", "senate ) would", "other"),
        ("what happens", "it is taken to the nearest harbour by tugs", "other"),
    ],
)
def test_an_answer_has_the_type_that_its_form_and_its_question_say(question: str, answer: str, type: str) -> None:
    assert type_answer(question, answer).type == type


def test_what_the_corpus_knows_of_a_name_counts_more_than_its_words() -> None:
    assert type_answer("what is it named after", "Carla Blum").type is AnswerType.PERSON
    assert type_answer("what is it named after", "Carla Blum", lambda _: AnswerType.PLACE).type is AnswerType.PLACE


def test_who_is_no_place_that_only_sounds_like_one_and_a_person_only_where_nothing_else_is_known() -> None:
    assert type_answer("where is it from", "Malvolio").type is AnswerType.PLACE
    assert type_answer("who said it", "Malvolio").type is AnswerType.PERSON
    assert type_answer("who won it", "Norway").type is AnswerType.PLACE
    assert type_answer("who won it", "Carla Blum", lambda _: AnswerType.NAME).type is AnswerType.NAME


def test_the_shares_of_a_name_sum_to_one() -> None:
    for name in ("George Washington", "Lake Superior", "Oxford University Press", "北京", ""):
        assert sum(name_shares(name).values()) == pytest.approx(1)


def test_a_number_inside_a_name_is_no_value() -> None:
    assert read_value("Apollo 11") is None
    assert read_value("11 Downing Street") is None
    assert read_value("about 11 moons") is not None


@pytest.mark.parametrize(
    ("answer", "found", "written"),
    [
        ("14 December 1972 UTC", "April 4, 1964", "4 April 1964"),
        ("December 14, 1972", "4 April 1964", "April 4, 1964"),
        ("December 1972", "4 April 1964", "April 1964"),
        ("1972", "4 April 1964", "1964"),
        ("December 14", "4 April 1964", "April 4"),
        ("14 December 1972", "1964", None),
        ("the 18th century", "17th century", "the 17th century"),
        ("seven", "12", "twelve"),
        ("7", "twelve", "12"),
        ("291 episodes", "42", "42 episodes"),
        ("one season", "three", None),
        ("5 km", "7 km", "7 km"),
        ("5 km", "7 kg", None),
        ("fourth", "ninth", "ninth"),
        ("fourth", "9", None),
        ("1993–94", "2001–02", "2001–02"),
        ("1993", "2001–02", None),
    ],
)
def test_a_value_is_written_as_the_answer_writes_its_own(answer: str, found: str, written: str | None) -> None:
    (value,) = parse_quantities(found)
    assert write_like(type_answer("", answer), value, found) == written
