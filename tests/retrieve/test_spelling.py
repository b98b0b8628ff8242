"""Typos: a misspelt name finds the name, and what is only near stays what it is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.retrieve.corpora import indexed
from veritab.retrieve.entity_mentions import ClaimQuery
from veritab.retrieve.index import Index
from veritab.retrieve.retrievers import EvidenceRetriever, PageRetriever
from veritab.retrieve.spelling import SpellingReader, find_near_words, find_unknown
from veritab.schema import Claim, Page, ReadClaim, Sentence
from veritab.text import tokenize_for_index


def page(title: str, *sentences: str) -> Page:
    return Page(title, tuple(Sentence(number, text) for number, text in enumerate(sentences)))


WORLD = (
    page("Penicillin", "Alexander Fleming found penicillin in 1928.", "Today penicillin is made of mould."),
    page("Albert Einstein", "Albert Einstein was a physicist, born in Ulm in 1879."),
    page("Marie Curie", "Marie Curie was a physicist.", "She was born in Warsaw, on the river Vistula."),
    page("Niels Bohr", "Niels Bohr was a Danish physicist."),
    page("Alan Turing", "Alan Turing was a mathematician."),
    page("Turin", "Turin is a city in Italy."),
    page("Michael Faraday", "Michael Faraday worked with magnets."),
    page("Texas", "Texas is a large state."),
    page("Venus", "The planet Venus is hot."),
    page("Iraq", "The capital of Iraq is Baghdad."),
    page("Hamburg", "Hamburg is a port on the Elbe."),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with indexed(tmp_path_factory.mktemp("typos"), WORLD) as store, Index(store) as opened:
        yield opened


def read(index: Index, text: str) -> ReadClaim:
    claims = [Claim("", text)]
    hits = EvidenceRetriever(PageRetriever(index)).retrieve(claims, 20)
    return SpellingReader(index).read(claims, hits)[0]


def first_page(index: Index, text: str) -> str:
    (hits,) = PageRetriever(index).retrieve([Claim("", text)], 1)
    return hits[0].element.id.page


# -- near words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "near"),
    [
        ("penicilin", "penicillin"),
        ("pennicilin", "penicillin"),  # two mistakes in a long word
        ("einstien", "Einstein"),
        ("bhor", "Bohr"),
        ("farady", "Faraday"),
        ("warsw", "Warsaw"),
        ("wrasaw", "Warsaw"),
    ],
)
def test_the_nearest_word_is_found_as_pages_write_it(index: Index, word: str, near: str) -> None:
    assert [each.word for each in find_near_words(word, index)] == [near]


@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("zorbania", "nothing is near"),
        ("frday", "two mistakes are too many for a short word"),
        ("marsaw", "the first letter of a short word"),
        ("texan", "another form of a word"),
        ("venusa", "another form of a word"),
        ("iran", "a short name by another consonant"),
    ],
)
def test_what_is_no_slip_has_no_near_word(index: Index, word: str, why: str) -> None:
    assert find_near_words(word, index) == (), why


@pytest.mark.parametrize(
    "text", ["Turin and Turing", "Iran, Austria, Australia", "in 1928 or 1929", "born on the river"]
)
def test_known_words_common_words_and_numbers_are_never_unknown(index: Index, text: str) -> None:
    words = tokenize_for_index(text)
    assert find_unknown(words, index.names.spans(words), index) == []


def test_a_text_of_many_unknown_words_is_left_alone(index: Index) -> None:
    words = tokenize_for_index("Penicilin wurde zuallererst vonseiten Flemmings aufgefunden, beziehungsweise entdekkt")
    assert find_unknown(words, index.names.spans(words), index) == []


def test_what_was_found_is_forgotten_when_the_index_is_refreshed(index: Index) -> None:
    find_near_words("penicilin", index)
    assert "penicilin" in index.near_words
    index.refresh()
    assert not index.near_words


# -- retrieval ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claim", "title"),
    [
        ("Penicilin is made of mould.", "Penicillin"),
        ("Penicilin was invented.", "Penicillin"),
        ("Einstien was a scientist.", "Albert Einstein"),
        ("It lies on the river Vistla.", "Marie Curie"),
        ("niels bhor was a physicist", "Niels Bohr"),
        ("albert einstein was a physicist", "Albert Einstein"),
    ],
)
def test_a_misspelt_word_finds_the_page_of_the_right_one(index: Index, claim: str, title: str) -> None:
    assert first_page(index, claim) == title


def test_a_near_word_that_makes_no_name_counts_less(index: Index) -> None:
    query = ClaimQuery("It lies on the river Vistla.", index)
    assert query.boosts == {"vistula": 0.5}
    assert "vistula" in query.terms
    assert query.text == "It lies on the river Vistla."
    right = ClaimQuery("It lies on the river Vistula.", index)
    assert query.weight("vistula") == right.weight("vistula") / 2


def test_a_claim_without_unknown_words_is_searched_as_it_is(index: Index) -> None:
    query = ClaimQuery("Marie Curie was born in Warsaw.", index)
    assert (query.text, query.boosts) == ("Marie Curie was born in Warsaw.", {})


# -- reading -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("Penicilin was found by Alexander Fleming.", "Penicillin was found by Alexander Fleming."),
        ("Fleming found penicilin in 1928.", "Fleming found penicillin in 1928."),
        ("Albert Einstien was born in Ulm.", "Albert Einstein was born in Ulm."),
        ("Albret Einstien was born in Ulm.", "Albert Einstein was born in Ulm."),
        ("Einstien was born in Ulm.", "Einstein was born in Ulm."),
        ("In Turin, Hambrug and Ulm it was hot.", "In Turin, Hamburg and Ulm it was hot."),
        ("Since 1928 Penicilin is made of mould.", "Since 1928 Penicillin is made of mould."),
        ("Niels Bhor was a physicist.", "Niels Bohr was a physicist."),
        ("Marie Curie was born in Warsw.", "Marie Curie was born in Warsaw."),  # no name of a page, but the hit fits
    ],
)
def test_a_claim_is_read_in_the_spelling_of_the_corpus(index: Index, typed: str, text: str) -> None:
    found = read(index, typed)
    assert found.claim.text == text
    assert [typed[change.start : change.end] for change in found.changes] == [
        change.written for change in found.changes
    ]


@pytest.mark.parametrize(
    "typed",
    [
        "Zorbania's capital is Plix.",
        "Alan Turin was a mathematician.",
        "Iran's capital is Baghdad.",
        "Marburg is a port.",
        "Niels Bohra was a singer.",
        "Gustav Einstien painted houses.",  # nobody of that name is known
        "The machine vends sweets.",
        "Texan cattle is large.",
    ],
)
def test_a_claim_about_something_else_is_read_as_typed(index: Index, typed: str) -> None:
    assert read(index, typed) == ReadClaim(Claim("", typed))


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("marie curie was born in warsaw", "Marie Curie was born in Warsaw"),
        ("zorbo plixx was a physicist", "Zorbo Plixx was a physicist"),
        ("the planet is hot", "the planet is hot"),
    ],
)
def test_names_typed_without_capitals_get_them_without_a_word(index: Index, typed: str, text: str) -> None:
    assert read(index, typed) == ReadClaim(Claim("", text))
