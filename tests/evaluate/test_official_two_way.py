"""Fool Me Twice and FaVIQ: passages found, and labels in words."""

from __future__ import annotations

import pytest

from veritab.evaluate.official_two_way import passage_shares, said_label
from veritab.schema import Label

S, R = Label.SUPPORTS, Label.REFUTES


@pytest.mark.parametrize(
    ("said", "label"),
    [("true", S), ("The True.", S), (" FALSE ", R), ("a false", R), ("REFUTES", R), ("supports", S), ("maybe", None)],
)
def test_what_a_model_says_is_read_after_normalisation(said: str, label: Label | None) -> None:
    assert said_label(said) == label


def test_shares_of_passages_count_a_repeated_passage_once() -> None:
    found = passage_shares(["x", "a", "a", "b"], ["a", "b"], at=(1, 5))
    assert found == {"R-Precision": 0.5, "Recall@1": 0.0, "Recall@5": 1.0}
