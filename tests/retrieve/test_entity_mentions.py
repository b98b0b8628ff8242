"""The names in a claim: which pages they stand for, without a model."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

import pytest

from tests.retrieve.corpora import indexed
from veritab.retrieve.entity_mentions import (
    ClaimQuery,
    find_mentions,
    find_misspelt,
    link_names,
    longest_mentions,
)
from veritab.retrieve.index import Index
from veritab.retrieve.name_index import NameSource
from veritab.retrieve.spelling import MOST_WORDS
from veritab.schema import Link, Page, Redirect, Sentence


def page(title: str, text: str, *links: tuple[str, str]) -> Page:
    """A page of one sentence; links are anchors with their targets."""
    spans = tuple(Link(text.index(anchor), text.index(anchor) + len(anchor), target) for anchor, target in links)
    return Page(title, (Sentence(0, text, spans),))


LIBRARY = (
    page("Soul Food", "Soul food is a style of cooking."),
    page("Soul Food (film)", "Soul Food is a film of 1997."),
    page("Soul Food (TV series)", "Soul Food is a television series."),
    page("Mary Stuart", "Mary Stuart was a queen."),
    page("Stuart", "Stuart is a surname."),
    page("New York City", "New York City is the largest city of its state."),
    page("New York", "New York is a state."),
    page("In the End", "In the End is a song."),
    page("Szilveszter Csollány", "Szilveszter Csollány was a gymnast."),
    page("The Queen", "They met the queen there, and the queen again.", ("queen", "Mary Stuart")),
    page("A Court", "At court the queen was seen.", ("queen", "Mary Stuart")),
    page("A Hive", "A hive has one queen.", ("queen", "Queen bee")),
    page("Queen bee", "A queen bee lays eggs."),
    Redirect("Big Apple", "New York City"),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with indexed(tmp_path_factory.mktemp("library"), LIBRARY) as store, Index(store) as opened:
        yield opened


def named(index: Index, claim: str) -> list[str]:
    return [mention.title for mention in longest_mentions(ClaimQuery(claim, index))]


def test_the_longest_name_wins(index: Index) -> None:
    assert named(index, "She moved to New York City.") == ["New York City"]
    assert named(index, "Mary Stuart was born in Scotland.") == ["Mary Stuart"]


def test_a_redirect_leads_to_its_page(index: Index) -> None:
    assert named(index, "She moved to the Big Apple.") == ["New York City"]


def test_a_name_of_small_words_is_a_name_when_it_is_written_as_one(index: Index) -> None:
    assert named(index, "In the End was released in 2000.") == ["In the End"]
    assert named(index, "He left in the end.") == []


def test_a_qualifier_said_by_the_claim_decides_between_namesakes(index: Index) -> None:
    assert named(index, "Soul Food is a film by a studio.") == ["Soul Food (film)"]
    assert named(index, "Soul Food is a TV series.") == ["Soul Food (TV series)"]
    assert named(index, "Soul Food is tasty.") == ["Soul Food"]


def test_the_words_of_links_stand_for_what_they_usually_mean(index: Index) -> None:
    shares = {
        mention.title: mention.share
        for mention in find_mentions(ClaimQuery("The queen wept.", index))
        if mention.how is NameSource.ANCHOR and mention.span.key == "queen"
    }
    assert shares == {"Mary Stuart": 2 / 3, "Queen bee": 1 / 3}


def test_a_misspelt_name_finds_the_title_it_is_almost(index: Index) -> None:
    assert named(index, "Szilvester Csollany won a medal.") == ["Szilveszter Csollány"]
    (mention,) = find_misspelt(ClaimQuery("Silwester Csollani won a medal.", index))  # too far for a slip or two
    assert mention.title == "Szilveszter Csollány"
    assert 0 < mention.share < 1
    assert find_misspelt(ClaimQuery("Someone Entirely Different won a medal.", index)) == []


def test_a_misspelt_surname_alone_finds_the_page_it_is_the_last_word_of(index: Index) -> None:
    assert [mention.title for mention in find_misspelt(ClaimQuery("Later Csolany won a medal.", index))] == [
        "Szilveszter Csollány"
    ]


def test_letters_and_their_accents_apart_or_together_make_the_same_name(index: Index) -> None:
    for form in ("NFC", "NFD"):
        claim = unicodedata.normalize(form, "Szilveszter Csollány won a medal.")
        assert named(index, claim) == ["Szilveszter Csollány"]


def test_names_found_by_a_model_are_looked_up_like_any_other(index: Index) -> None:
    assert link_names(["Big Apple", "nobody", "Soul Food"], index) == ["New York City", "Soul Food"]


@pytest.mark.parametrize(
    "claim", ["", " ", "…!?", "the of and", "東京", "\udcff\x00", "(((", 'title:"x', "a" * 100_000]
)
def test_a_claim_without_names_has_none(index: Index, claim: str) -> None:
    assert named(index, claim) == []


def test_a_very_long_claim_is_read_up_to_a_point(index: Index) -> None:
    query = ClaimQuery("New York City is large. " * 5000, index)
    assert len(query.words) == MOST_WORDS
    assert {mention.title for mention in longest_mentions(query)} == {"New York City"}


def test_a_surname_alone_is_a_lone_name(index: Index) -> None:
    assert ClaimQuery("Csollány visited New York City.", index).lone_names() == ["csollany"]
