"""The states of tasks, claims and members, and the only ways from one to another. Everything else is refused."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import TypeVar

from veritab.errors import Conflict


class TaskState(StrEnum):
    """Where a task stands."""

    OPEN = "open"
    TAKEN = "taken"
    SUBMITTED = "submitted"
    DISPUTED = "disputed"
    FLAGGED = "flagged"
    IN_REVIEW = "in review"
    SETTLED = "settled"
    CLOSED = "closed"
    """Its claim was withdrawn, or has another text now and a new task: the answers are kept and count for nothing."""


class TaskStep(StrEnum):
    """What moves a task."""

    TAKE = "take"
    GIVE_BACK = "give back"
    """It was skipped, or its lease ran out."""
    SUBMIT = "submit"
    REOPEN = "reopen"
    """Another answer is wanted."""
    AGREE = "agree"
    DISPUTE = "dispute"
    FLAG = "flag"
    REVIEW = "review"
    DECIDE = "decide"
    REVIEW_AGAIN = "review again"
    """A manager doubts what was settled."""
    CLOSE = "close"


_TASKS: Mapping[tuple[TaskState, TaskStep], TaskState] = {
    (TaskState.OPEN, TaskStep.TAKE): TaskState.TAKEN,
    (TaskState.TAKEN, TaskStep.GIVE_BACK): TaskState.OPEN,
    (TaskState.TAKEN, TaskStep.SUBMIT): TaskState.SUBMITTED,
    (TaskState.TAKEN, TaskStep.FLAG): TaskState.FLAGGED,
    (TaskState.SUBMITTED, TaskStep.REOPEN): TaskState.OPEN,
    (TaskState.SUBMITTED, TaskStep.AGREE): TaskState.SETTLED,
    (TaskState.SUBMITTED, TaskStep.DISPUTE): TaskState.DISPUTED,
    (TaskState.SUBMITTED, TaskStep.FLAG): TaskState.FLAGGED,
    (TaskState.DISPUTED, TaskStep.REVIEW): TaskState.IN_REVIEW,
    (TaskState.FLAGGED, TaskStep.REVIEW): TaskState.IN_REVIEW,
    (TaskState.IN_REVIEW, TaskStep.REOPEN): TaskState.OPEN,
    (TaskState.IN_REVIEW, TaskStep.DECIDE): TaskState.SETTLED,
    (TaskState.SETTLED, TaskStep.REVIEW_AGAIN): TaskState.IN_REVIEW,
    **{(state, TaskStep.CLOSE): TaskState.CLOSED for state in TaskState if state is not TaskState.CLOSED},
}


class AssignmentState(StrEnum):
    """Where a task stands in somebody's hands."""

    ACTIVE = "active"
    SUBMITTED = "submitted"
    SKIPPED = "skipped"
    REPORTED = "reported"
    EXPIRED = "expired"


class ClaimState(StrEnum):
    """Where a claim stands that somebody may have reported."""

    GOOD = "good"
    REPORTED = "reported"
    CORRECTED = "corrected"
    WITHDRAWN = "withdrawn"
    RETURNED = "returned"
    """The report was not followed: it is verified as it is."""


class ClaimStep(StrEnum):
    """What moves a claim."""

    REPORT = "report"
    CORRECT = "correct"
    WITHDRAW = "withdraw"
    RETURN = "return"


_CLAIMS: Mapping[tuple[ClaimState, ClaimStep], ClaimState] = {
    (ClaimState.GOOD, ClaimStep.REPORT): ClaimState.REPORTED,
    (ClaimState.CORRECTED, ClaimStep.REPORT): ClaimState.REPORTED,
    (ClaimState.RETURNED, ClaimStep.REPORT): ClaimState.REPORTED,
    (ClaimState.REPORTED, ClaimStep.CORRECT): ClaimState.CORRECTED,
    (ClaimState.REPORTED, ClaimStep.WITHDRAW): ClaimState.WITHDRAWN,
    (ClaimState.REPORTED, ClaimStep.RETURN): ClaimState.RETURNED,
}


class MemberStage(StrEnum):
    """How far somebody has come in a project."""

    INVITED = "invited"
    PHASE_ONE = "phase one"
    FEEDBACK_READ = "feedback read"
    PHASE_TWO = "phase two"
    WAITING = "waiting"
    APPROVED = "approved"
    REJECTED = "rejected"
    PAUSED = "paused"


class MemberStep(StrEnum):
    """What moves a member."""

    JOIN = "join"
    """Consent is given and calibration begins."""
    ADMIT = "admit"
    """Joins without calibration, where a project has none or a manager says so."""
    READ_FEEDBACK = "read feedback"
    BEGIN_PHASE_TWO = "begin phase two"
    FINISH = "finish"
    APPROVE = "approve"
    REJECT = "reject"
    PAUSE = "pause"
    RESUME = "resume"


_MEMBERS: Mapping[tuple[MemberStage, MemberStep], MemberStage] = {
    (MemberStage.INVITED, MemberStep.JOIN): MemberStage.PHASE_ONE,
    (MemberStage.INVITED, MemberStep.ADMIT): MemberStage.APPROVED,
    (MemberStage.PHASE_ONE, MemberStep.READ_FEEDBACK): MemberStage.FEEDBACK_READ,
    (MemberStage.FEEDBACK_READ, MemberStep.BEGIN_PHASE_TWO): MemberStage.PHASE_TWO,
    (MemberStage.PHASE_TWO, MemberStep.FINISH): MemberStage.WAITING,
    (MemberStage.WAITING, MemberStep.APPROVE): MemberStage.APPROVED,
    (MemberStage.WAITING, MemberStep.REJECT): MemberStage.REJECTED,
    (MemberStage.APPROVED, MemberStep.PAUSE): MemberStage.PAUSED,
    (MemberStage.PAUSED, MemberStep.RESUME): MemberStage.APPROVED,
}

_State = TypeVar("_State", bound=StrEnum)
_Step = TypeVar("_Step", bound=StrEnum)


def move_task(state: TaskState, step: TaskStep) -> TaskState:
    """The state of a task after a step."""
    return _move("task", _TASKS, state, step)


def move_claim(state: ClaimState, step: ClaimStep) -> ClaimState:
    """The state of a claim after a step."""
    return _move("claim", _CLAIMS, state, step)


def move_member(stage: MemberStage, step: MemberStep) -> MemberStage:
    """The stage of a member after a step."""
    return _move("member", _MEMBERS, stage, step)


def _move(thing: str, ways: Mapping[tuple[_State, _Step], _State], state: _State, step: _Step) -> _State:
    after = ways.get((state, step))
    if after is None:
        possible = ", ".join(other.value for at, other in ways if at is state) or "nothing"
        raise Conflict(f"a {thing} that is {state.value} cannot {step.value}; possible: {possible}")
    return after
