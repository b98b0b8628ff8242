"""The reasoner's vote in a verdict."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.reason.reasoner import Reasoning
from veritab.reason.voting import joined, with_reasoning
from veritab.schema import Claim, Label, Table, Verdict

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


def test_a_verdict_takes_the_lines_and_the_cells_of_the_computation() -> None:
    table = Table.of([["Ohio State", "66"]], header=["Team", "Points"])
    id = table.grid[1][1]
    assert id
    verdict = Verdict(
        Claim("1", "Ohio State scored 66."), Label.NOT_ENOUGH_INFO, {**UNDECIDED, Label.NOT_ENOUGH_INFO: 0.5}
    )
    reasoning = Reasoning("a", True, 0.97, lines=("Points of Ohio State = 66",), cells=(id, id))
    found = with_reasoning(verdict, reasoning, table.element)
    assert found.label is Label.SUPPORTS
    assert [(hit.element.id, hit.by) for hit in found.evidence] == [(id, "reasoner")]
    assert found.reasoning == ("Points of Ohio State = 66",)
