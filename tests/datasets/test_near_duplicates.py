"""Near-identical texts: none at or above the threshold is missed, and none below it is told."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.datasets.near_duplicates import near_duplicates
from veritab.errors import InputError
from veritab.text import words

WORDS = st.sampled_from("the a tower river city of in is was built long high Paris Nile".split())
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), max_size=12)


def shingles(text: str) -> set[str]:
    found = words(text)
    return {*found, *(f"{one} {other}" for one, other in pairwise(found))}


def jaccard(one: str, other: str) -> float:
    first, second = shingles(one), shingles(other)
    return len(first & second) / len(first | second)


@given(TEXTS, st.sampled_from([0.2, 0.5, 0.75, 0.8, 1.0]))
def test_every_near_pair_of_different_texts_is_found_and_no_other(texts: list[str], threshold: float) -> None:
    different = list(dict.fromkeys(texts))
    expected = {
        (one, other): jaccard(different[one], different[other])
        for one, other in combinations(range(len(different)), 2)
        if jaccard(different[one], different[other]) >= threshold
    }
    found = near_duplicates(different, threshold=threshold)
    assert {(one, other) for one, other, _ in found} >= {pair for pair, how in expected.items() if how < 1}
    assert all(expected[one, other] == how for one, other, how in found)


@given(TEXTS, TEXTS, st.sampled_from([0.3, 0.8]))
def test_texts_are_compared_with_others_not_with_each_other(
    here: list[str], there: list[str], threshold: float
) -> None:
    here = list(dict.fromkeys(here))
    expected = {
        (one, other)
        for one, mine in enumerate(here)
        for other, theirs in enumerate(there)
        if jaccard(mine, theirs) >= threshold
    }
    found = {(one, other) for one, other, _ in near_duplicates(here, there, threshold)}
    assert found <= expected
    assert {other for _, other in found} == {other for _, other in expected}


def test_repetitions_are_paired_with_the_first_of_them() -> None:
    assert near_duplicates(["K2 is high.", "Nile", "k2 is HIGH", "K2 is high"]) == [(0, 2, 1.0), (0, 3, 1.0)]


def test_one_word_more_in_a_long_claim_is_near_and_another_word_in_a_short_one_is_not() -> None:
    long = "The Eiffel Tower was built in Paris by the company of Gustave Eiffel for the world fair"
    ((one, other, how),) = near_duplicates([long, f"{long} again", "K2 is high", "K2 is low"])
    assert (one, other) == (0, 1)
    assert 0.9 < how < 1


def test_texts_without_words_are_the_same_only_where_they_are() -> None:
    assert near_duplicates(["???", "!!!", "???"]) == [(0, 2, 1.0)]


def test_a_threshold_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match=r"above 0 and at most 1, not 0"):
        near_duplicates(["a"], threshold=0)
