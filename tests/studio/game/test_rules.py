"""The rules of the game as one value."""

from __future__ import annotations

import pytest

from veritab.errors import InputError
from veritab.studio.game.rules import Rules


def test_the_paper_s_rules_are_the_default() -> None:
    assert Rules() == Rules.preset("paper") == Rules.parse({})
    rules = Rules()
    assert (rules.vote_seconds, rules.most_points, rules.hint_seconds) == (180, 120, 30)
    assert (rules.writing_points, rules.like_points, rules.writing_seconds) == (0, 10, 480)


def test_the_published_code_s_hints_are_cheaper_and_writing_pays() -> None:
    rules = Rules.preset("code")
    assert (rules.hint_seconds, rules.writing_points) == (10, 100)
    assert rules == Rules().changed({"hint_seconds": 10, "writing_points": 100})


def test_rules_come_back_from_json() -> None:
    rules = Rules.preset("code").changed({"takes_turns": False, "checker_margin": 0.5})
    assert Rules.parse(rules.as_dict()) == rules


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"hint_second": 3}, "did you mean 'hint_seconds'?"),
        ({"hint_seconds": 1.5}, "hint_seconds is 1.5; expected a whole number, e.g. 30"),
        ({"takes_turns": 1}, "takes_turns is 1; expected true or false, e.g. true"),
        ({"checker_margin": "much"}, "checker_margin is 'much'; expected a number"),
        ({"vote_seconds": 5}, "vote_seconds is 5; it must be 10 or more"),
    ],
)
def test_a_rule_that_cannot_be_is_named(changes: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told.replace("?", r"\?")):
        Rules().changed(changes)


def test_a_preset_that_nobody_made_is_named_with_those_there_are() -> None:
    with pytest.raises(InputError, match="no rules 'book'; expected one of paper, code"):
        Rules.preset("book")
