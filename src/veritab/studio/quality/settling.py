"""What becomes of a task once it was answered, and what a manager does where the answers do not settle it."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import Conflict, InputError, NotFound, short_repr
from veritab.schema import ElementId, Label
from veritab.studio.database import find_numbered
from veritab.studio.projects import leave_trail, require_manager
from veritab.studio.quality.calibration import advance_after
from veritab.studio.quality.grading import grade_answers
from veritab.studio.quality.kept import check_note, last_answers, lock, standing_decisions
from veritab.studio.records import (
    AnnotationRecord,
    DecisionRecord,
    JsonObject,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
    TrailRecord,
)
from veritab.studio.states import ClaimState, TaskState, TaskStep, move_task
from veritab.studio.vocabulary import SHARED_POOLS, Challenge, TaskKind

_REOPEN = "reopen task"


def settle(session: Session, task: TaskRecord, *, now: float) -> None:
    """Grade the answers to a task that was submitted, and move it: open again, settled, disputed or flagged.

    To be called after every submission; called twice, it does nothing the second time. Answers agree where their
    labels do. Tasks that everybody answers are never settled: their answers are graded, and they stay open.
    """
    if task.pool in SHARED_POOLS:
        grade_answers(session, task, now=now)
    last = select(AnnotationRecord.account_id).where(AnnotationRecord.task_id == task.id, AnnotationRecord.is_last)
    if (account_id := session.scalar(last.order_by(AnnotationRecord.id.desc()).limit(1))) is not None:
        advance_after(session, task, account_id)
    if task.state != TaskState.SUBMITTED:
        return
    task.state = move_task(TaskState.SUBMITTED, _find_step(session, task)).value
    if task.state == TaskState.SETTLED:
        task.settled_at = now


def _find_step(session: Session, task: TaskRecord) -> TaskStep:
    if task.answers < task.wanted:
        return TaskStep.REOPEN
    answers = last_answers(session, task)
    flagged = [answer.submitted_at for answer in answers if answer.is_flagged]
    if flagged and max(flagged) > _reopened_at(session, task):
        return TaskStep.FLAG
    return TaskStep.AGREE if len({answer.label for answer in answers}) < 2 else TaskStep.DISPUTE


def _reopened_at(session: Session, task: TaskRecord) -> float:
    """When a manager last asked for another answer: flags from before have been looked at."""
    at = session.scalar(
        select(TrailRecord.at)
        .where(
            TrailRecord.project_id == task.project_id,
            TrailRecord.subject == f"task {task.id}",
            TrailRecord.what == _REOPEN,
        )
        .order_by(TrailRecord.id.desc())
        .limit(1)
    )
    return at if at is not None else float("-inf")


# -- review ------------------------------------------------------------------------------------------------


def review(
    session: Session, task: TaskRecord, *, by: int | None, again: bool = False, reason: str = "", now: float
) -> None:
    """A manager takes a disputed or flagged task in hand; with `again` and a reason, one that was settled."""
    _begin(session, task, by)
    before = task.state
    reason = _check_reason(reason) if again else check_note(reason)
    task.state = move_task(TaskState(before), TaskStep.REVIEW_AGAIN if again else TaskStep.REVIEW).value
    task.settled_at = None
    _leave(session, "review task", task, before, by=by, now=now, reason=reason)


def adjudicate(
    session: Session,
    task: TaskRecord,
    *,
    by: int,
    label: str,
    sets: Sequence[Sequence[ElementId]] = (),
    challenge: str = "",
    annotation_id: int | None = None,
    reason: str,
    now: float,
) -> DecisionRecord:
    """Settle a task by a manager's decision: one of its answers is right, or another label with evidence of its own.

    `challenge` goes with a label of the manager's own, where the data set has one; else that of the answers is kept.
    A task that is still disputed or flagged is taken into review on the way. Decisions are kept.
    """
    _begin(session, task, by)
    reason = _check_reason(reason)
    _refuse_reported(session, task)
    if annotation_id is not None:
        label, sets = _label_of_answer(session, task, annotation_id, label, sets), ()
    elif label not in list(Label) and not (label == "" and task.kind == TaskKind.PLAIN_RATING):
        raise InputError(f"{short_repr(label)} is not a verdict; expected one of {', '.join(Label)}")
    if any(not pieces for pieces in sets):
        raise InputError("an evidence set of the decision is empty; leave it out")
    if challenge and challenge not in list(Challenge):
        raise InputError(f"{short_repr(challenge)} is not a challenge; expected one of {', '.join(Challenge)}")
    evidence: JsonObject = {}
    if annotation_id is None:
        evidence["sets"] = [[str(id) for id in pieces] for pieces in sets]
        if challenge:
            evidence["challenge"] = challenge
    before = task.state
    task.state = move_task(_in_review(task), TaskStep.DECIDE).value
    task.settled_at = now
    decision = DecisionRecord(
        task_id=task.id,
        by_id=by,
        annotation_id=annotation_id,
        label=label,
        evidence=evidence,
        reason=reason,
        made_at=now,
    )
    session.add(decision)
    session.flush()
    _leave(session, "adjudicate task", task, before, by=by, now=now, reason=reason, decision=decision.id, label=label)
    return decision


def reopen(session: Session, task: TaskRecord, *, by: int | None, reason: str = "", now: float) -> None:
    """Ask one more person instead of deciding; what was flagged so far has been looked at."""
    _begin(session, task, by)
    reason = check_note(reason)
    _refuse_reported(session, task)
    before = task.state
    task.state = move_task(_in_review(task), TaskStep.REOPEN).value
    task.wanted = max(task.wanted, task.answers + 1)
    _leave(session, _REOPEN, task, before, by=by, now=now, reason=reason, wanted=task.wanted)


def decision_of(session: Session, task: TaskRecord) -> DecisionRecord | None:
    """The decision that settled a task; None where its answers did, or it is not settled."""
    return standing_decisions(session, [task]).get(task.id)


def decisions_of(session: Session, task: TaskRecord) -> list[DecisionRecord]:
    """What was decided on a task at any time, the last first; `decision_of` says which one counts."""
    return list(
        session.scalars(
            select(DecisionRecord).where(DecisionRecord.task_id == task.id).order_by(DecisionRecord.id.desc())
        )
    )


def _begin(session: Session, task: TaskRecord, by: int | None) -> None:
    require_manager(session, session.get_one(ProjectRecord, task.project_id), by)
    lock(session, task)


def _in_review(task: TaskRecord) -> TaskState:
    state = TaskState(task.state)
    return move_task(state, TaskStep.REVIEW) if state in (TaskState.DISPUTED, TaskState.FLAGGED) else state


def _check_reason(reason: str) -> str:
    said = check_note(reason)
    if not said:
        raise InputError("a decision needs a reason; say in a sentence why it is right")
    return said


def _refuse_reported(session: Session, task: TaskRecord) -> None:
    claim = session.get(StudioClaimRecord, task.claim_id) if task.claim_id is not None else None
    if claim is not None and claim.state == ClaimState.REPORTED:
        raise Conflict("the claim of this task is reported; correct, withdraw or return it first")


def _label_of_answer(
    session: Session, task: TaskRecord, annotation_id: int, label: str, sets: Sequence[Sequence[ElementId]]
) -> str:
    answer = find_numbered(session, AnnotationRecord, annotation_id)
    if answer is None or answer.task_id != task.id:
        raise NotFound(f"task {task.id} has no answer {annotation_id}")
    if not answer.is_last:
        raise Conflict(f"answer {annotation_id} was changed by its author since; look at the task again")
    if sets:
        raise InputError("choose an answer with its evidence, or give a label with evidence of its own; not both")
    if label not in ("", answer.label):
        raise InputError(f"answer {annotation_id} says {answer.label or 'nothing'}, not {label}")
    return answer.label


def _leave(
    session: Session, what: str, task: TaskRecord, before: str, *, by: int | None, now: float, **after: object
) -> None:
    leave_trail(
        session,
        what,
        f"task {task.id}",
        before={"state": before},
        after={"state": task.state, **after},
        by=by,
        project_id=task.project_id,
        now=now,
    )
