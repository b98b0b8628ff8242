"""The reasoner's vote in a verdict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.reason.reasoner import Reasoning
from veritab.schema import Label
from veritab.verify.voting import Weights, joined

UNDECIDED = {Label.SUPPORTS: 0.4, Label.REFUTES: 0.4, Label.NOT_ENOUGH_INFO: 0.2}


def test_a_reasoner_that_cannot_say_moves_nothing() -> None:
    assert joined(UNDECIDED, Reasoning("a", None, 0.6)) == UNDECIDED


def test_what_was_computed_tips_an_undecided_verdict() -> None:
    scores = joined(UNDECIDED, Reasoning("a", False, 0.05))
    assert scores[Label.REFUTES] > scores[Label.SUPPORTS]
    assert scores[Label.NOT_ENOUGH_INFO] == pytest.approx(0.2)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_scores_still_sum_to_what_they_did(supports: float, refutes: float, true: float) -> None:
    scores = {Label.SUPPORTS: supports / 2, Label.REFUTES: refutes / 2, Label.NOT_ENOUGH_INFO: 0.1}
    found = joined(scores, Reasoning("a", true > 0.5, true))
    assert sum(found.values()) == pytest.approx(sum(scores.values()))
    assert all(0 <= score <= 1 + 1e-9 for score in found.values())


def test_weights_say_who_counts_how_much() -> None:
    sure, against = {Label.SUPPORTS: 0.9, Label.REFUTES: 0.1, Label.NOT_ENOUGH_INFO: 0.0}, Reasoning("a", False, 0.1)
    assert joined(sure, against, Weights(1.0, 0.0)) == pytest.approx(sure)
    assert joined(sure, against, Weights(0.0, 1.0))[Label.REFUTES] == pytest.approx(0.9)
