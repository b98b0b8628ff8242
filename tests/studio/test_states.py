"""Every step from every state is either in this list or refused."""

from __future__ import annotations

import pytest

from veritab.errors import Conflict
from veritab.studio.states import (
    ClaimState,
    ClaimStep,
    MemberStage,
    MemberStep,
    TaskState,
    TaskStep,
    move_claim,
    move_member,
    move_task,
)

TASKS = """open take taken; taken give_back open; taken submit submitted; taken flag flagged; submitted reopen open;
submitted agree settled; submitted dispute disputed; submitted flag flagged; disputed review in_review;
flagged review in_review; in_review reopen open; in_review decide settled; settled review_again in_review;
open close closed; taken close closed; submitted close closed; disputed close closed; flagged close closed;
in_review close closed; settled close closed"""
CLAIMS = """good report reported; corrected report reported; returned report reported; reported correct corrected;
reported withdraw withdrawn; reported return returned"""
MEMBERS = """invited join phase_one; invited admit approved; phase_one read_feedback feedback_read;
feedback_read begin_phase_two phase_two; phase_two finish waiting; waiting approve approved; waiting reject rejected;
approved pause paused; paused resume approved"""


def ways(listed: str) -> dict[tuple[str, str], str]:
    words = (way.split() for way in listed.split(";"))
    return {(state.upper(), step.upper()): after.upper() for state, step, after in words}


@pytest.mark.parametrize(
    ("states", "steps", "move", "listed"),
    [
        (TaskState, TaskStep, move_task, TASKS),
        (ClaimState, ClaimStep, move_claim, CLAIMS),
        (MemberStage, MemberStep, move_member, MEMBERS),
    ],
)
def test_only_the_listed_steps_are_possible(states, steps, move, listed) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    expected = ways(listed)
    for state in states:
        for step in steps:
            if (state.name, step.name) in expected:
                assert move(state, step) is states[expected[state.name, step.name]]
            else:
                with pytest.raises(Conflict, match=f"{state.value} cannot {step.value}"):
                    move(state, step)


def test_a_refusal_says_what_is_possible() -> None:
    with pytest.raises(Conflict, match="possible: give back, submit, flag"):
        move_task(TaskState.TAKEN, TaskStep.DECIDE)
    with pytest.raises(Conflict, match="possible: nothing"):
        move_task(TaskState.CLOSED, TaskStep.TAKE)
