"""Claims that come twice, within a data set and between two."""

from __future__ import annotations

import pytest

from tests.audit.samples import REFUTES, SUPPORTS, row
from veritab.audit.duplicates import find_duplicates, find_leaks, names_in

LONG = "The river that runs through the old town was first bridged by the guild of the weavers in {}"


def test_case_and_punctuation_do_not_make_a_claim_new() -> None:
    found = find_duplicates([row("Ann sang."), row("ann sang", REFUTES), row("Ann sang!"), row("Bob sang.")])
    assert (found.claims, found.same, found.same_disagreeing, found.near) == (4, 2, 1, 0)
    assert found.examples[0].disagree


def test_claims_that_differ_in_a_word_are_near() -> None:
    given = [row(LONG.format("1390")), row(LONG.format("1490"), REFUTES), row("Something else is told here.")]
    found = find_duplicates(given)
    assert (found.same, found.near, found.near_disagreeing) == (0, 2, 1)
    assert found.examples[0].first.text.endswith("1390")


def test_claims_without_words_are_compared_as_they_are() -> None:
    assert find_duplicates([row("!!"), row("??"), row("!!")]).same == 1


def test_what_two_data_sets_share() -> None:
    here = [
        row("Ann Lee sang.", SUPPORTS, "Ann Lee"),
        row(LONG.format("1390"), SUPPORTS, "River"),
        row("Nobody else was there.", REFUTES, "Void"),
    ]
    there = [row("ANN LEE sang", REFUTES, "Song"), row(LONG.format("1490"), SUPPORTS, "River"), row("Ann Lee ran.")]
    found = find_leaks(here, there)
    assert (found.claims, found.same, found.same_disagreeing, found.near) == (3, 1, 1, 1)
    assert (found.pages, found.shared_pages) == (1, ("River",))
    assert (found.names, found.shared_names) == (1, ("ann lee",))
    assert [pair.similarity for pair in found.examples] == [1.0, pytest.approx(0.83, abs=0.1)]


def test_what_neither_data_set_tells_is_not_zero() -> None:
    found = find_leaks([row("all is lower case")], [row("and so is this")])
    assert found.pages is None
    assert found.names is None
    assert found.same == 0


@pytest.mark.parametrize(
    ("claim", "names"),
    [
        ("Mount Everest is taller than K2.", ("mount everest", "k2")),
        ("The Lord of the Rings was written by J. R. R. Tolkien.", ("lord of the rings", "j r r tolkien")),
        ("In Paris he met Marie Curie in 1903.", ("paris", "marie curie")),
        ("Rivers run.", ()),
        ("imran khan was captain", ()),
    ],
)
def test_names_are_what_capitals_show(claim: str, names: tuple[str, ...]) -> None:
    assert names_in(claim) == names
