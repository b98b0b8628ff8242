"""What is a claim, and what only looks like one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from veritab.decompose.statements import is_statement, named_subject

ALMANAC = Path(__file__).parents[2] / "examples" / "almanac"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Italy",
        "mountain",
        "asdf qwer",
        "???",
        "12345",
        "8849 m",
        "Mount Everest",
        "United States",
        "Los Angeles Lakers",
        "capital of Italy",
        "tallest mountain in the world",
        "the quick brown fox",
        "lorem ipsum dolor sit amet",
        "Hello!",
        "Who is Obama?",
        "how high is K2",
        "Did Einstein win the Nobel Prize",
        "Is Paris the capital of France?",
    ],
)
def test_names_phrases_letters_and_questions_state_nothing(text: str) -> None:
    assert not is_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "Everest is tall",
        "Emma Watson plays.",
        "Whales eat fish.",
        "Brad Wilk co-founded Nintendo in August 1991",
        "What Women Want is a film.",
        "How to Train Your Dragon 2 used real dragons",
        "Can is a German band from Cologne",
        "Roald Dahl wrote Who Goes There?",
        "Mike Nichols directed Who's Afraid of Virginia Woolf?",
        "Rom ist die Hauptstadt von Italien.",
        "罗马是意大利的首都。",
        "Рим — столица Италии.",
    ],
)
def test_in_doubt_a_sentence_is_a_statement(text: str) -> None:
    assert is_statement(text)


@pytest.mark.parametrize("name", ["claims", "reasoning"])
def test_every_claim_of_the_almanac_is_a_statement(name: str) -> None:
    lines = (ALMANAC / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    claims = [claim for line in lines if (claim := json.loads(line)["claim"])]
    assert len(claims) >= 200
    assert [claim for claim in claims if not is_statement(claim)] == []


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Zorblax is a mountain.", "Zorblax"),
        ("Mount Everest is higher than K2.", "Mount Everest"),
        ("Flurbleglorps were invented by Thomas Edison.", "Flurbleglorps"),
        ("The mountain is high.", ""),
        ("American Jazz pianist Dave Brubeck could not read music.", ""),
        ("In 1990 he won.", ""),
        ("Whoever leaves the club pays nothing.", ""),
        ("Half of the members were born abroad.", ""),
        ("Italy", ""),
        ("", ""),
    ],
)
def test_the_subject_is_the_name_that_a_claim_begins_with(text: str, subject: str) -> None:
    assert named_subject(text) == subject


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("when the home team was fitzroy , the crowd was 12000", True),
        ("where the river ends a delta was formed", True),
        ("when was the crowd larger than 12000 people", False),
        ("when the crowd was larger, who won the game?", False),
    ],
)
def test_a_clause_of_time_or_place_is_not_a_question(text: str, states: bool) -> None:
    assert is_statement(text) is states
