"""What a program must account for before it may answer: every word, every number, and the role of each."""

from __future__ import annotations

import pytest

from veritab import Table
from veritab.reason.page import page_reasoning

SHIPS = Table.of(
    [
        ["Alpha", "1901", "120", "Cork"],
        ["Beta", "1911", "60", "Hull"],
        ["Gamma", "1921", "30", "Hull"],
        ["Delta", "1931", "31", "Cork"],
    ],
    header=["Ship", "Launched", "Length (m)", "Port"],
    title="Ferries of Ireland",
)


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Alpha is longer than Beta.", True),
        ("Beta is longer than Alpha.", False),
        ("Alpha is twice as long as Beta.", True),
        ("Alpha is the longest ship.", True),
        ("Beta is the longest ship.", False),
        # One word more is no other claim, where two rows and what is compared are named.
        ("The steamer Alpha is longer than Beta.", True),
        ("The steamer Beta is twice as long as Alpha.", False),
        ("The steamer Alpha, a wreck, is longer than Beta.", None),
        ("Alpha is not longer than the estimated Beta.", None),
        # Nothing says what they cost, or how they fared.
        ("Alpha was twice as expensive as Beta.", None),
        ("Alpha crashed more often than Beta.", None),
        ("Alpha is longer than Beta, largely through lucky repairs.", None),
        # A number in a role that it does not have.
        ("Alpha made the top ten in Norway.", None),
        ("Alpha lost the final by three lengths.", None),
        ("Alpha sailed in the second quarter of 1911.", None),
    ],
)
def test_only_a_program_with_every_word_answers(claim: str, answer: bool | None) -> None:
    assert page_reasoning(claim, [SHIPS]).answer is answer


def test_what_is_not_answered_still_gives_facts() -> None:
    found = page_reasoning("Alpha was twice as expensive as Beta.", [SHIPS])
    assert found.answer is None
    assert found.facts


VOTES = Table.of(
    [["Ron Poe", "199,246"], ["Rick Sands", "102,258"], ["Newt Ginn", "72,022"]],
    header=["Candidate", "Votes"],
    title="Primary of 2012",
)


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("Ron Poe has more votes than Rick Sands and Newt Ginn combined.", True),
        ("Rick Sands and Newt Ginn together have more votes than Ron Poe.", False),
    ],
)
def test_what_comes_before_than_is_what_is_compared(claim: str, answer: bool) -> None:
    assert page_reasoning(claim, [VOTES]).answer is answer
