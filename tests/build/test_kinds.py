"""What the things of a corpus are, by their first sentences, lists and columns."""

from __future__ import annotations

import pytest

from tests.build.pages import CORPUS
from veritab.build.kinds import PERSON, PLACE, CorpusKinds, read_is_a

KINDS = CorpusKinds(CORPUS)


@pytest.mark.parametrize(
    ("text", "phrase", "noun", "definite", "lies_in"),
    [
        ("Elbrus is a dormant volcano in the western Caucasus.", "dormant volcano", "volcano", False, ""),
        ("Curie was a Polish and French physicist and chemist.", "Polish and French physicist", "physicist", False, ""),
        ("Cairo is the capital of Egypt and a city.", "capital", "capital", True, "Egypt"),
        ("Denali is the highest mountain in North America.", "mountain", "mountain", True, "North America"),
        ("Texas is a state in the United States.", "state", "state", False, "the United States"),
        (
            "Paul Nicholls (born April 12, 1979) is an English actor and film director.",
            "English actor and film director",
            "director",
            False,
            "",
        ),
        ("Psych is an American comedy series created by Steve Franks.", "American comedy series", "series", False, ""),
        (") Brief is a 1993 thriller based on a novel.", "1993 thriller", "thriller", False, ""),
        ("Hepburn was a British [a] actress.", "British actress", "actress", False, ""),
        (
            "Boston is the capital of the Commonwealth of Massachusetts.",
            "capital",
            "capital",
            True,
            "the Commonwealth of Massachusetts",
        ),
        ("Italy is a republic in southern Europe, south of the Alps.", "republic", "republic", False, ""),
    ],
)
def test_a_first_sentence_says_what_a_thing_is(text: str, phrase: str, noun: str, definite: bool, lies_in: str) -> None:
    found = read_is_a("X", 0, text)
    assert found is not None
    assert (found.phrase, found.noun, found.definite) == (phrase, noun, definite)
    assert found.lies_in == lies_in
    assert str(found.sentence) == "X_sentence_0"


def test_what_is_called_a_family_of_things_is_none_of_them() -> None:
    assert read_is_a("Linux", 0, "Linux is a family of open source operating systems.") is None
    assert read_is_a("Xbox One", 0, "Xbox One is a line of video game consoles made by Microsoft.") is None


@pytest.mark.parametrize(
    "text",
    [
        "Radio is the sending of signals.",
        "The Games were held in London.",
        "It is one of the first.",
        "Eli Wallach (1915 – 2014) was an American film, television and stage actor.",
    ],
)
def test_a_first_sentence_that_does_not_say_it_plainly_is_left(text: str) -> None:
    assert read_is_a("X", 0, text) is None


def test_things_of_the_same_kind_come_from_lists_and_columns_first() -> None:
    assert KINDS.similar("Nile") == ["Danube"]
    assert KINDS.share_group("Nile", "Danube") == "Capitals_table_0"
    assert KINDS.share_group("Cairo", "Vienna") == "Capitals_list_0"
    assert KINDS.similar("Ada Lovelace") == ["Alan Turing"]
    assert KINDS.similar("Nowhere") == []


def test_things_of_another_kind_are_still_of_the_same_sort() -> None:
    assert KINDS.dissimilar("Ada Lovelace") == ["Franz Schubert"]
    assert KINDS.sort_of("Franz Schubert") == PERSON
    assert KINDS.sort_of("Cairo") == PLACE
    assert "Ada Lovelace" not in KINDS.dissimilar("Nile")


def test_a_place_lies_in_another() -> None:
    cairo = KINDS.is_a("Cairo")
    assert cairo is not None
    assert cairo.lies_in == "Egypt"
    assert KINDS.places_within("Egypt") == ("Cairo",)


def test_the_pages_of_a_large_corpus_are_looked_up_where_a_claim_names_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("veritab.build.kinds.MOST_PAGES", 3)
    kinds = CorpusKinds(CORPUS)
    assert {title for title in CORPUS.titles() if kinds.noun_of(title)} > {"Nile", "Cairo", "Alan Turing"}


def test_somebody_who_was_born_is_a_person_whatever_they_are_called() -> None:
    found = read_is_a("Fidel Castro", 0, "Fidel Castro (born August 13, 1926) is a Cuban revolutionary.")
    assert found is not None
    assert found.is_person
