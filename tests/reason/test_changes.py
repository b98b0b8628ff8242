"""What rose or fell is computed from a sentence that gives it for two years."""

from __future__ import annotations

import pytest

from veritab.reason.changes import decide_change
from veritab.reason.page import page_reasoning
from veritab.schema import Page, Sentence

_REPORT = Page(
    "Osterby Bakery: report for 2025",
    (
        Sentence(0, "In 2025 it sold 412,000 loaves, after 388,000 the year before."),
        Sentence(1, "Visitor numbers reached 1.2 million, up from 980,000 in 2024."),
        Sentence(2, "The police recorded 142 injured cyclists and 3 deaths, after 157 injured and 5 deaths in 2024."),
        Sentence(3, "Complaints fell from 450 to 312 in 2025, while the staff stayed."),
        Sentence(4, "Rents rose to EUR 9 against EUR 9 in 2024."),
    ),
)


@pytest.mark.parametrize(
    ("claim", "answer"),
    [
        ("The bakery sold more loaves in 2025 than in 2024.", True),
        ("The bakery sold fewer loaves in 2025 than the year before.", False),
        ("In 2025 it sold more loaves than the year before.", True),
        ("Visitor numbers rose in 2025.", True),
        ("Visitor numbers went down", False),
        ("Complaints fell in 2025.", True),
        ("In 2025 there were more complaints than in 2024.", False),
        ("Rents increased in 2025.", False),
    ],
)
def test_a_change_between_two_years_is_computed(claim: str, answer: bool) -> None:
    found = page_reasoning(claim, elements=_REPORT.elements)
    assert found.answer is answer
    assert found.lines[0].endswith("holds" if answer else "is false")


@pytest.mark.parametrize(
    "claim",
    [
        "It sold more loaves in 2024 than in 2023.",  # of other years
        "The bakery sold more rolls in 2025 than in 2024.",  # of something else
        "The staff fell in 2025.",  # another clause
        "Deaths rose in 2025.",  # four numbers
        "The bakery sold no more loaves in 2025 than in 2024.",
        "The bakery sold far more loaves in 2025 than in 2024.",
        "The bakery sold 10 percent more loaves in 2025 than in 2024.",
        "The bakery sold more loaves in 2025 than the mill.",
    ],
)
def test_what_the_sentence_does_not_say_is_left_open(claim: str) -> None:
    assert decide_change(claim, _REPORT.elements) is None


def test_two_sentences_that_disagree_say_nothing() -> None:
    other = Page("Notes on 2025", (Sentence(0, "It sold 380,000 loaves, after 388,000 in 2024."),))
    assert decide_change("It sold more loaves than in 2024.", _REPORT.elements) is not None
    assert decide_change("It sold more loaves than in 2024.", [*_REPORT.elements, *other.elements]) is None
