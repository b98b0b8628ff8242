from __future__ import annotations

import pytest

from veritab.build.correcting.bounds import find_bounds, is_kept, read_values


def kept(claim: str, evidence: str) -> list[bool | None]:
    said = list(read_values(evidence))
    return [is_kept(bound, said) for bound in find_bounds(claim)]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("It has more than 70 reviews.", True),
        ("It has over 80 reviews.", False),
        ("It has fewer than 75 reviews.", True),
        ("It has at least 74 reviews.", True),
        ("It has more than 74 reviews.", False),
        ("It has more than 7,000 reviews.", None),
    ],
)
def test_a_limit_is_held_against_the_value_of_the_same_thing(claim: str, expected: bool | None) -> None:
    assert kept(claim, "It has a rating of 31 %, based on 74 reviews.") == [expected]


def test_each_limit_is_held_against_the_value_with_its_own_unit() -> None:
    assert kept("It has over 35 % by less than 40 reviews.", "It has 31 %, based on 48 reviews.") == [False, False]


def test_what_rounding_would_forgive_counts() -> None:
    assert kept("He cost more than £16.5 million.", "He was sold for £16 million.") == [False]


def test_a_limit_that_the_evidence_sets_too_is_kept() -> None:
    assert kept("It sold more than 24 million copies.", "It sold more than 24 million copies.") == [True]


def test_days_are_compared_with_days() -> None:
    evidence = "It closed on 19 March 2019."
    assert kept("It closed after 19 March 2019.", evidence) == [False]
    assert kept("It closed before 20 March 2019.", evidence) == [True]


def test_a_mark_out_of_ten_is_a_share_too() -> None:
    assert kept("It was rated over 77 %.", "It has an average of 7.6/10.") == [False]
    assert kept("It was rated over 25 %.", "It has a score of 26 out of 100.") == [True]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("He sang more than 300 songs.", True),
        ("He sang fewer than 300 songs.", False),
        ("He sang fewer than 500 songs.", False),
        ("He sang more than 500 songs.", False),
    ],
)
def test_what_the_evidence_only_limits_surely_keeps_no_other_limit(claim: str, expected: bool) -> None:
    assert kept(claim, "He sang over 400 songs.") == [expected]
