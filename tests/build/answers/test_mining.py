"""Wrong answers mined in passages: of the right one's type, none of them another name for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.retrieve.corpora import indexed
from veritab.build.answers.corpus_names import CorpusNames, sort_by_opening
from veritab.build.answers.mentions import read_passage
from veritab.build.answers.mining import mine_answers
from veritab.build.passages import FoundPassage, PassageSearch
from veritab.schema import Link, Page, Redirect, Sentence

pytest.importorskip("lemminflect")

BRIDGE = FoundPassage(
    "Poe Bridge",
    (),
    "Poe Bridge was designed by J. K. Lee and opened on 3 May 1884. The bridge replaced a ferry that Maria da Silva had "
    "run since 1851. After a fire in June 1902 it was rebuilt by Thomas O'Brien. It has 12 arches and 40 lamps. "
    "Its cost was £4,000. However, the Great Northern Railway closed it in 1930.",
)


def mined(question: str, *answers: str, passages: tuple[FoundPassage, ...] = (BRIDGE,)) -> list[str]:
    return [each.text for each in mine_answers(question, answers, passages)]


def test_names_are_read_whole_and_without_the_words_around_them() -> None:
    names = [each.text for each in read_passage(BRIDGE).mentions if each.value is None]
    assert names == ["Poe Bridge", "J. K. Lee", "Maria da Silva", "Thomas O'Brien", "Great Northern Railway"]


def test_wrong_answers_are_of_the_right_ones_type() -> None:
    assert sorted(mined("who painted poe bridge", "Ann Smith")) == ["J. K. Lee", "Maria da Silva", "Thomas O'Brien"]
    assert sorted(mined("when was poe bridge painted", "1890")) == ["1851", "1884", "1902"]
    assert mined("when was poe bridge painted", "7 June 1890") == ["3 May 1884"]
    assert sorted(mined("when was poe bridge painted", "July 1890")) == ["June 1902", "May 1884"]
    assert mined("how many arches does poe bridge have", "14") == ["12", "40"]


def test_what_may_mean_the_same_as_any_given_answer_is_removed() -> None:
    assert mined("who designed poe bridge", "James K. Lee", "Tom O'Brien") == ["Maria da Silva"]
    assert "1884" not in mined("when was poe bridge opened", "1890", "May 1884")


def test_a_name_is_written_with_the_article_that_sentences_have_before_it() -> None:
    assert mined("what closed poe bridge", "Midland Canal Company") == ["the Great Northern Railway"]


def test_what_the_question_says_already_is_no_answer() -> None:
    assert "Thomas O'Brien" not in mined("who worked with thomas o'brien on poe bridge", "Ann Smith")


def test_the_likeliest_comes_first_with_the_passage_it_was_found_in() -> None:
    other = FoundPassage("Elm House", (), "Elm House was let to George Miller in 1700.")
    found = mine_answers("who rebuilt poe bridge after the fire", ["Ann Smith"], [BRIDGE, other])
    assert (found[-1].text, found[-1].passage) == ("George Miller", other)
    assert {each.passage for each in found[:-1]} == {BRIDGE}
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)


@pytest.mark.parametrize("answers", [(), ("",), ("senate ) would",), ("東京",), ("(",), ("67.0.3396",), ("a" * 9999,)])
def test_an_answer_of_no_type_has_no_wrong_ones(answers: tuple[str, ...]) -> None:
    assert mine_answers("who designed poe bridge", answers, [BRIDGE]) == []


def test_without_passages_there_are_no_wrong_answers() -> None:
    assert mined("who designed poe bridge", "Ann Smith", passages=()) == []
    assert (
        mined("who designed poe bridge", "Ann Smith", passages=(FoundPassage("東京", (), "東京は日本の首都。"),)) == []
    )


# -- what a corpus knows -----------------------------------------------------------------------------------


@pytest.fixture
def search(tmp_path: Path) -> Iterator[PassageSearch]:
    cities = "The Elbe flows through Dresden, Magdeburg, Hamburg, Usti and Hradec. The Port of the North is on it."
    pages: list[Page | Redirect] = [
        Page("Elbe", (Sentence(0, cities, (Link(82, 99, "Hamburg"),)),)),
        *(Page(name, (Sentence(0, f"{name} is a city in Germany."),)) for name in ("Dresden", "Magdeburg")),
        Page("Hamburg", (Sentence(0, "Hamburg is a city in northern Germany."),)),
        Page("Usti", (Sentence(0, "Usti is a city in Bohemia."),)),
        Page("Hradec", (Sentence(0, "Hradec (born 1931) was a painter."),)),
        Redirect("Gate to the World", "Hamburg"),
    ]
    indexed(tmp_path / "corpus", pages).close()
    with PassageSearch.open(tmp_path / "corpus") as opened:
        yield opened


def test_the_corpus_says_which_names_are_of_one_thing(search: PassageSearch) -> None:
    names = CorpusNames(search.index)
    assert names.pages_of("Gate to the World") == names.pages_of("Hamburg") == {"Hamburg"}
    assert names.pages_of("nobody") == frozenset()


def test_a_name_that_the_corpus_knows_to_be_of_another_sort_is_left_out(search: PassageSearch) -> None:
    passages = search.find("where does the elbe flow")
    found = mine_answers("where does the elbe flow", ["Gate to the World"], passages, names=CorpusNames(search.index))
    assert sorted(each.text for each in found) == ["Dresden", "Magdeburg", "Usti"]


def test_a_place_that_the_answer_lies_in_is_not_wrong(search: PassageSearch) -> None:
    passages = search.find("a city in germany or bohemia")
    found = mine_answers("where is the castle", ["Germany"], passages)
    assert sorted(each.text for each in found) == ["Dresden", "Hamburg", "Magdeburg", "Usti"]
    found = mine_answers("where is the castle", ["Germany"], passages, names=CorpusNames(search.index))
    assert [each.text for each in found] == ["Usti"]


def test_a_country_around_the_answer_is_not_wrong_by_whatever_name(tmp_path: Path) -> None:
    pages = [
        Page("Wisconsin", (Sentence(0, "Wisconsin is a U.S. state located in the north."),)),
        Page("Elm film", (Sentence(0, "Elm was filmed in the United States, in Canada and in Peru and in Chile."),)),
    ]
    indexed(tmp_path / "corpus", pages).close()
    with PassageSearch.open(tmp_path / "corpus") as search:
        passages = search.find("where was the elm film filmed")
        found = mine_answers("where was elm filmed", ["Wisconsin"], passages, names=CorpusNames(search.index))
    assert sorted(each.text for each in found) == ["Canada", "Chile", "Peru"]


def test_only_a_name_of_one_kind_stands_for_a_name(tmp_path: Path) -> None:
    pages = [
        Page("Elm Town", (Sentence(0, "Elm Town is a football club based in Elm."),)),
        Page("Oak Rovers", (Sentence(0, "Oak Rovers is a football team based in Oak."),)),
        Page("RMS Oak", (Sentence(0, "RMS Oak was an ocean liner of the Oak line."),)),
        Page("Oak Song", (Sentence(0, "Oak Song is a song by the band Ash."),)),
        Page("Final", (Sentence(0, "In the final, Oak Rovers and fans with RMS Oak, Oak Song and Big Oak met."),)),
    ]
    indexed(tmp_path / "corpus", pages).close()
    with PassageSearch.open(tmp_path / "corpus") as search:
        names = CorpusNames(search.index)
        found = mine_answers("who won the final", ["Elm Town"], search.find("who won the final"), names=names)
        unknown = mine_answers("who won the final", ["Elm Wanderers Club"], search.find("the final"), names=names)
    assert [each.text for each in found] == ["Oak Rovers"]
    assert not [each.text for each in unknown if each.text in ("RMS Oak", "Oak Song", "Big Oak")]


def test_somebody_in_a_story_plays_no_part_in_it(tmp_path: Path) -> None:
    pages = [
        Page("Ann Lee", (Sentence(0, "Ann Lee (born 1950) is an actress."),)),
        Page("Tom Poe", (Sentence(0, "Tom Poe (born 1950) is an actor."),)),
        Page("Doctor Elm", (Sentence(0, "Doctor Elm is a fictional character in Oak."),)),
        Page("Oak", (Sentence(0, "Oak was a film with Tom Poe and with Doctor Elm."),)),
    ]
    indexed(tmp_path / "corpus", pages).close()
    with PassageSearch.open(tmp_path / "corpus") as search:
        asked = "who played the baker in oak"
        found = mine_answers(asked, ["Ann Lee"], search.find(asked), names=CorpusNames(search.index))
    assert [each.text for each in found] == ["Tom Poe"]


def test_nothing_is_counted_in_halves_or_none() -> None:
    tour = FoundPassage("Elm", (), "Elm has 6.5 episodes on average, 0 films, 05 cars, and 12 songs of 8 singers.")
    assert sorted(mined("how many episodes of elm are there", "10", passages=(tour,))) == ["12", "8"]


def test_no_person_is_written_with_an_article() -> None:
    town = FoundPassage("Elm", (), "The Zachary Taylor house and the Zachary Taylor bridge are in the town of Elm.")
    assert mined("who lived in elm", "John Adams", passages=(town,)) == ["Zachary Taylor"]


@pytest.mark.parametrize(
    ("title", "opening", "sort"),
    [
        ("Ann Lee", "Ann Lee (29 February 1736 – 8 September 1784) led a church.", "person"),
        ("Ann Lee", "Ann Lee, also known as Mother Ann, was a preacher and writer.", "person"),
        ("Sri Lanka", "Sri Lanka, formerly Ceylon, officially so, is an island country in South Asia.", "place"),
        ("The Nile Song", "The Nile Song is the second song of the album.", "name"),
        ("Bank", "A bank is a financial institution; every bank lends.", None),
        ("Nothing", "", None),
    ],
)
def test_the_opening_of_a_page_says_what_sort_of_thing_it_is_about(title: str, opening: str, sort: str | None) -> None:
    assert sort_by_opening(title, opening) == sort
