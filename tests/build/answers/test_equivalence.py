"""Two answers that mean the same are told from two that do not."""

from __future__ import annotations

import pytest

from veritab.build.answers.equivalence import pair_features, probability_same, why_same


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("The Archies", "archies", "form"),
        ("Zürich", "Zurich", "form"),
        ("14 December 1972 UTC", "December 1972", "value"),
        ("two", "2", "value"),
        ("1 km", "1,000 m", "value"),
        ("1993–94", "1994", "value"),
        ("John Vincent Calipari", "John Calipari", "containment"),
        ("Paris, France", "Paris", "containment"),
        ("United States", "USA", "place"),
        ("American", "United States", "place"),
        ("NBA", "National Basketball Association", "classifier"),
        ("Philip Collins", "Phil Collins", "classifier"),
    ],
)
def test_answers_that_mean_the_same_are_found(one: str, other: str, why: str) -> None:
    assert why_same(one, other) == why
    assert why_same(other, one) == why


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Paris", "London"),
        ("1972", "1973"),
        ("14 December 1972", "15 December 1972"),
        ("World War I", "World War II"),
        ("Super Bowl LI", "Super Bowl LII"),
        ("Apollo 11", "Apollo 12"),
        ("Kim Basinger", "Kim Kardashian"),
        ("1993–94", "2001–02"),
        ("", "Paris"),
    ],
)
def test_answers_that_differ_are_kept_apart(one: str, other: str) -> None:
    assert why_same(one, other) == ""


def test_names_that_lead_to_one_page_mean_the_same() -> None:
    pages = {"Big Smoke": frozenset({"London"}), "London": frozenset({"London"}), "Paris": frozenset({"Paris"})}
    assert why_same("Big Smoke", "London", pages.__getitem__) == "link"
    assert why_same("Big Smoke", "Paris", pages.__getitem__) == ""


def test_the_order_of_two_names_does_not_matter() -> None:
    for one, other in (
        ("NBA", "National Basketball Association"),
        ("Ann Lee", "Anne Leigh"),
        ("", "a"),
        ("東京", "Tokyo"),
    ):
        assert pair_features(one, other) == pair_features(other, one)
        assert 0 <= probability_same(one, other) <= 1
