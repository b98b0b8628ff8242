"""Negation, shared words, and what players of a game made of claims."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.samples import REFUTES, row
from veritab import datasets
from veritab.audit.audit_rows import Votes, audit_rows
from veritab.audit.votes import expected_right, vote_statistics
from veritab.audit.wording import denial, denies, negates, negation, overlap


@pytest.mark.parametrize(
    "claim",
    [
        "He did not go.",
        "He didn't go.",
        "He didn’t go.",
        "No one went.",
        "NEVER again",
        "He cannot go.",
        "It is without end.",
    ],
)
def test_negations_are_seen(claim: str) -> None:
    assert negates(claim)


@pytest.mark.parametrize("claim", ["He went north.", "A knot is tied.", "Nothingness is a word.", "Noel sang.", ""])
def test_words_that_only_look_like_negations_are_not(claim: str) -> None:
    assert not negates(claim)


@pytest.mark.parametrize(
    "claim", ["It is only a song.", "He is incapable of it.", "She refused it.", "He has yet to go.", "not"]
)
def test_denials_are_seen(claim: str) -> None:
    assert denies(claim)


def test_a_plain_claim_denies_nothing() -> None:
    assert not denies("The commonly planted tree lacquered the denim.")


def test_rates_are_by_label_and_their_gap_is_the_widest() -> None:
    given = [row("It is not so."), row("It is so."), row("It is not.", REFUTES), row("It is only so.", REFUTES)]
    found = negation(given, ["SUPPORTS", "REFUTES"])
    assert {label: metric.value for label, metric in found.by_label.items()} == {"SUPPORTS": 0.5, "REFUTES": 0.5}
    assert found.gap == 0
    assert denial(given, ["SUPPORTS", "REFUTES"]).gap == 0.5


def test_a_gap_that_two_claims_make_is_not_clear_and_one_that_many_make_is() -> None:
    few = [row("It is not so."), row("It is so.", REFUTES)]
    assert not negation(few, ["SUPPORTS", "REFUTES"]).is_clear
    assert negation(few * 20, ["SUPPORTS", "REFUTES"]).is_clear
    assert not negation([], []).is_clear


def test_overlap_leaves_out_claims_of_unknown_evidence() -> None:
    given = [row("a", overlap=0.2), row("b", overlap=0.4), row("c"), row("d", REFUTES)]
    found = overlap(given, ["SUPPORTS", "REFUTES"])
    assert list(found.by_label) == ["SUPPORTS"]
    assert found.by_label["SUPPORTS"].value == pytest.approx(0.3)
    assert found.gap == 0


# -- votes --


def test_the_posterior_begins_with_four_right_votes_and_a_wrong_one() -> None:
    assert expected_right(Votes(0, 0)) == 0.8
    assert expected_right(Votes(0, 3)) == 0.5
    assert expected_right(Votes(2, 8)) == pytest.approx(6 / 13)


def test_the_most_misleading_claims_come_first() -> None:
    given = [
        row("easy", votes=Votes(5, 5)),
        row("hard", REFUTES, votes=Votes(0, 4)),
        row("unseen", votes=Votes(0, 0)),
        row("none"),
    ]
    found = vote_statistics(given)
    assert found is not None
    assert [each.text for each in found.worst] == ["hard", "unseen", "easy"]
    assert (found.claims, found.unvoted, found.votes, found.misleading) == (3, 1, 9, 1)
    assert found.fooled.value == pytest.approx(4 / 9)
    assert {label: metric.value for label, metric in found.fooled_by_label.items()} == {"SUPPORTS": 0, "REFUTES": 1}
    assert found.misleading_share == pytest.approx(1 / 3)


def test_a_data_set_without_votes_has_no_statistics_of_them() -> None:
    assert vote_statistics([row("a"), row("b", votes=Votes(0, 0))]) is None


def test_fool_me_twice_fools_a_fifth_of_its_voters(data_folder: Path) -> None:
    """Published: 20.40 % of all votes; the development set is a tenth of them."""
    found = vote_statistics(list(audit_rows(datasets.load("fm2/dev", data=data_folder))))
    assert found is not None
    assert (found.claims, found.votes, found.misleading) == (1169, 2402, 2)
    assert found.fooled.low < 0.2040 < found.fooled.high
