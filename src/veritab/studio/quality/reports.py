"""What becomes of a claim that was reported: it is corrected, withdrawn, or verified as it is.

A corrected claim is verified anew: its tasks are closed, with the answers to the old text in them, and as many new ones
take their place. Whoever saw the old text is not asked again. The old text is in the trail. Tasks with gold go on with
the new text and the grades that there are: a correction is of the wording, and nothing of them is published.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import Conflict, InputError
from veritab.schema import refuse_long
from veritab.studio.projects import leave_trail, require_manager
from veritab.studio.quality.kept import CORRECT, check_note, claim_subject, lock
from veritab.studio.records import (
    AssignmentRecord,
    ProjectRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import AssignmentState, ClaimState, ClaimStep, TaskState, TaskStep, move_claim, move_task
from veritab.studio.submission import WRITING_KINDS
from veritab.studio.vocabulary import SHARED_POOLS
from veritab.text import squeeze

_TRAIL = {ClaimStep.CORRECT: CORRECT, ClaimStep.WITHDRAW: "withdraw claim", ClaimStep.RETURN: "return claim"}


def end_report(
    session: Session,
    report: ReportRecord,
    *,
    by: int | None,
    step: ClaimStep,
    text: str = "",
    note: str = "",
    now: float,
) -> None:
    """A manager corrects the claim with a new text, withdraws it, or returns it to be verified as it is.

    Every open report of the claim ends with this one. Whoever reported a claim that is returned is not asked again.
    """
    claim = session.get_one(StudioClaimRecord, report.claim_id)
    require_manager(session, session.get_one(ProjectRecord, claim.project_id), by)
    tasks = _lock(session, claim)
    session.refresh(report)
    if report.ended_at is not None:
        raise Conflict(f"the report was dealt with already: the claim was {report.outcome}")
    _decide(session, claim, tasks, by=by, step=step, text=text, note=note, now=now)


def decide_claim(
    session: Session,
    claim: StudioClaimRecord,
    *,
    by: int | None,
    step: ClaimStep,
    text: str = "",
    note: str = "",
    now: float,
) -> None:
    """The same for a claim with several reports, or with none: a manager may correct or withdraw any."""
    require_manager(session, session.get_one(ProjectRecord, claim.project_id), by)
    _decide(session, claim, _lock(session, claim), by=by, step=step, text=text, note=note, now=now)


def _decide(
    session: Session,
    claim: StudioClaimRecord,
    tasks: Sequence[TaskRecord],
    *,
    by: int | None,
    step: ClaimStep,
    text: str,
    note: str,
    now: float,
) -> None:
    if step not in _TRAIL:
        raise InputError(f"a manager does not {step.value} a claim; possible: {', '.join(_TRAIL)}")
    said = check_note(note)
    before = {"text": claim.text, "state": claim.state}
    state = ClaimState(claim.state)
    if state is not ClaimState.REPORTED and step is not ClaimStep.RETURN:
        state = move_claim(state, ClaimStep.REPORT)
    state = move_claim(state, step)
    if step is ClaimStep.CORRECT:
        claim.text = _check_text(text, claim.text)
    elif text.strip():
        raise InputError(f"a new text is for a claim that is corrected; to {step.value} it, leave the text out")
    claim.state = state.value
    reports = _end_reports(session, claim, by, now)
    closed, opened = list[int](), list[int]()
    if step is ClaimStep.RETURN:
        opened = _open_again(tasks, {each.task_id for each in reports})
    else:
        closing = [task for task in tasks if _is_to_close(task, step)]
        closed = _close(session, closing, claim.state, now)
        if step is ClaimStep.CORRECT:
            opened = _start_anew(session, closing, now)
    leave_trail(
        session,
        _TRAIL[step],
        claim_subject(claim),
        before=before,
        after={
            "text": claim.text,
            "state": claim.state,
            "note": said,
            "reports": [each.id for each in reports],
            "closed": closed,
            "opened": opened,
        },
        by=by,
        project_id=claim.project_id,
        now=now,
    )


def _lock(session: Session, claim: StudioClaimRecord) -> Sequence[TaskRecord]:
    """Lock the tasks of a claim, which are returned, then the claim: in the order of whoever reports it."""
    session.flush()
    tasks = session.scalars(
        select(TaskRecord)
        .where(TaskRecord.claim_id == claim.id)
        .order_by(TaskRecord.id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).all()
    lock(session, claim)
    return tasks


def _check_text(text: str, old: str) -> str:
    refuse_long("a claim", text)
    new = squeeze(text)
    if not new:
        raise InputError("a corrected claim needs its new text")
    if new == old:
        raise InputError("the text is the old one; change it, or return the claim as it is")
    return new


def _end_reports(session: Session, claim: StudioClaimRecord, by: int | None, now: float) -> Sequence[ReportRecord]:
    reports = session.scalars(
        select(ReportRecord)
        .where(ReportRecord.claim_id == claim.id, ReportRecord.ended_at.is_(None))
        .order_by(ReportRecord.id)
    ).all()
    for each in reports:
        each.ended_at, each.ended_by, each.outcome = now, by, claim.state
    return reports


def _open_again(tasks: Iterable[TaskRecord], reported: set[int | None]) -> list[int]:
    opened = []
    for task in tasks:
        state = TaskState(task.state)
        if task.id not in reported or state not in (TaskState.FLAGGED, TaskState.IN_REVIEW):
            continue
        if state is TaskState.FLAGGED:
            state = move_task(state, TaskStep.REVIEW)
        task.state = move_task(state, TaskStep.REOPEN).value
        opened.append(task.id)
    return opened


def _is_to_close(task: TaskRecord, step: ClaimStep) -> bool:
    if task.state == TaskState.CLOSED:
        return False
    writes = task.kind in WRITING_KINDS
    if step is ClaimStep.WITHDRAW:
        return not writes or task.state != TaskState.SETTLED  # what was written from it stays
    return not writes and task.pool not in SHARED_POOLS


def _close(session: Session, tasks: Iterable[TaskRecord], outcome: str, now: float) -> list[int]:
    closed = []
    for task in tasks:
        task.state = move_task(TaskState(task.state), TaskStep.CLOSE).value
        closed.append(task.id)
    # One that its holder is submitting at this moment is left: they are told that the task is closed.
    held = session.scalars(
        select(AssignmentRecord)
        .where(AssignmentRecord.task_id.in_(closed), AssignmentRecord.state == AssignmentState.ACTIVE.value)
        .with_for_update(skip_locked=True)
    )
    for assignment in held:
        assignment.state, assignment.ended_at = AssignmentState.EXPIRED.value, now
        assignment.reason = f"the claim was {outcome}"
    return closed


def _start_anew(session: Session, tasks: Iterable[TaskRecord], now: float) -> list[int]:
    """New tasks like the old ones, without their answers."""
    new = [
        TaskRecord(
            project_id=task.project_id,
            kind=task.kind,
            pool=task.pool,
            phase=task.phase,
            claim_id=task.claim_id,
            highlight_id=task.highlight_id,
            drawn=task.drawn,
            gold=task.gold,
            state=TaskState.OPEN.value,
            wanted=task.wanted,
            priority=task.priority,
            is_for_super=task.is_for_super,
            not_before=task.not_before,
            made_at=now,
        )
        for task in tasks
    ]
    session.add_all(new)
    session.flush()
    return [task.id for task in new]
