"""Degrees of adjectives, and which way they point."""

from __future__ import annotations

import pytest

from veritab.lexicon.comparison import direction, is_comparative, is_superlative, positive_degree


@pytest.mark.parametrize(
    ("word", "base"),
    [("tallest", "tall"), ("bigger", "big"), ("heaviest", "heavy"), ("latest", "late"), ("river", "river")],
)
def test_adjectives_lose_their_comparison(word: str, base: str) -> None:
    assert positive_degree(word) == base


def test_words_point_up_or_down_by_what_orders_a_column() -> None:
    assert direction("oldest", "date") == -1
    assert direction("oldest", "age") == 1
    assert direction("fastest", "time") == -1
    assert direction("highest", "rank") == -1
    assert direction("taller", "date") == 0


def test_a_forest_is_not_a_superlative() -> None:
    assert is_superlative("densest")
    assert not is_superlative("forest")
    assert is_comparative("wider")
    assert not is_comparative("number")
