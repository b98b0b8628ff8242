"""Calibration: two phases of tasks with a known answer, feedback between them, and a manager who lets people in.

Answers to claims are graded against gold as they come. What people write is graded by a manager, yes or no, and phase
one is over only when all of it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from veritab.errors import Conflict, NotFound
from veritab.studio.log import EvidenceSets
from veritab.studio.projects import leave_trail, require_role, settings_of
from veritab.studio.quality.kept import grades_of, measures_of, sets_of
from veritab.studio.quality.measures import Gold, Measures, read_gold
from veritab.studio.quality.members import member_subject
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    GradeRecord,
    MembershipRecord,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import AssignmentState, MemberStage, MemberStep, TaskState, move_member
from veritab.studio.vocabulary import Pool, Role, TaskKind


class GradedAnswer(NamedTuple):
    """An answer beside the right one, with its grade."""

    annotation_id: int
    task_id: int
    kind: TaskKind
    phase: int
    claim: str
    """Empty where claims were written."""
    label: str
    sets: EvidenceSets
    challenge: str
    fields: Mapping[str, str]
    """What was written, for tasks that ask for claims."""
    gold: Gold | None
    passed: bool | None
    """None where nobody has graded it yet."""
    measures: Measures | None
    note: str
    """What a manager said about it."""


class GradeTotals(NamedTuple):
    """Graded answers together; a mean is None where no answer has the measure."""

    answers: int
    graded: int
    passed: int
    label: float | None
    challenge: float | None
    precision: float | None
    recall: float | None
    complete: int
    gold_sets: int


class CalibrationState(NamedTuple):
    """How far somebody has come in calibration, and what they may see of it."""

    stage: MemberStage
    phase: int
    """1 or 2; 0 where somebody is not in calibration, or no longer."""
    done: int
    wanted: int
    ungraded: int
    """How many answers of this phase a manager has yet to grade."""
    may_read: bool
    """Whether the feedback on phase one waits to be read, which opens phase two."""
    rows: Sequence[GradedAnswer]
    """In the order in which they were submitted. A member sees those of phases that are over, a manager all."""
    totals: Mapping[int, GradeTotals]
    """Of the rows, by phase."""


_PHASES = {
    MemberStage.PHASE_ONE: 1,
    MemberStage.FEEDBACK_READ: 2,
    MemberStage.PHASE_TWO: 2,
}
CALIBRATING = frozenset({*_PHASES, MemberStage.WAITING})
"""The stages in which somebody's calibration is not over."""
_OVER = {
    MemberStage.INVITED: 0,
    MemberStage.PHASE_ONE: 0,
    MemberStage.FEEDBACK_READ: 1,
    MemberStage.PHASE_TWO: 1,
}


def calibration_of(
    session: Session, project: ProjectRecord, member: MembershipRecord, *, viewer: MembershipRecord | None = None
) -> CalibrationState:
    """How a member's calibration stands: as they see it, or as another viewer does, who must be a manager."""
    _check_member(project, member)
    is_own = viewer is None or viewer.account_id == member.account_id
    if viewer is not None and not is_own:
        if viewer.project_id != project.id:
            raise NotFound(f"there is no project {project.name!r}")
        require_role(viewer, Role.MANAGER)
    stage = MemberStage(member.stage)
    phase = _PHASES.get(stage, 0)
    rows = _graded_answers(session, project, member.account_id)
    here = [row for row in rows if row.phase == phase]
    wanted = _wanted(session, project, member, phase) if phase else 0
    ungraded = sum(row.passed is None for row in here)
    may_read = stage is MemberStage.PHASE_ONE and len(here) >= wanted and not ungraded
    over = 1 if may_read else _OVER.get(stage, 2)
    shown = [row for row in rows if row.phase <= over] if is_own else rows
    totals = {number: add_up(row for row in shown if row.phase == number) for number in (1, 2)}
    return CalibrationState(
        stage,
        phase,
        min(len(here), wanted),
        wanted,
        ungraded,
        may_read,
        shown,
        {n: t for n, t in totals.items() if t.answers},
    )


def add_up(rows: Iterable[GradedAnswer]) -> GradeTotals:
    """Graded answers together."""
    answers = list(rows)
    measured = [row.measures for row in answers if row.measures is not None]
    return GradeTotals(
        answers=len(answers),
        graded=sum(row.passed is not None for row in answers),
        passed=sum(bool(row.passed) for row in answers),
        label=_mean(each.label for each in measured),
        challenge=_mean(each.challenge for each in measured),
        precision=_mean(each.precision for each in measured),
        recall=_mean(each.recall for each in measured),
        complete=sum(each.complete for each in measured),
        gold_sets=sum(each.gold_sets for each in measured),
    )


def read_feedback(session: Session, project: ProjectRecord, member: MembershipRecord, *, now: float) -> None:
    """That a member has read the feedback on phase one, which they must before phase two; said twice, it is once."""
    state = calibration_of(session, project, member)
    if state.phase == 2:
        return
    if state.stage is MemberStage.PHASE_ONE and not state.may_read:
        if state.done < state.wanted:
            raise Conflict(f"{state.done} of {state.wanted} tasks of phase one are done; feedback comes after the last")
        raise Conflict(f"a manager has yet to grade {state.ungraded} of your answers; feedback comes after that")
    member.stage = move_member(state.stage, MemberStep.READ_FEEDBACK).value
    leave_trail(
        session,
        MemberStep.READ_FEEDBACK.value,
        member_subject(session, member),
        before={"stage": state.stage.value},
        after={"stage": member.stage},
        by=member.account_id,
        project_id=project.id,
        now=now,
    )


def advance(session: Session, project: ProjectRecord, member: MembershipRecord) -> None:
    """Move a member on in phase two: it begins with the first answer, and is over when there is no more to answer."""
    done = _count_done(session, project, member, phase=2)
    if member.stage == MemberStage.FEEDBACK_READ and done:
        member.stage = move_member(MemberStage.FEEDBACK_READ, MemberStep.BEGIN_PHASE_TWO).value
    if member.stage == MemberStage.PHASE_TWO and done >= _wanted(session, project, member, phase=2):
        member.stage = move_member(MemberStage.PHASE_TWO, MemberStep.FINISH).value


def advance_after(session: Session, task: TaskRecord, account_id: int) -> None:
    """The same for whoever answered a task, or gave it up: with fewer tasks left, that may have been the last."""
    if task.pool != Pool.CALIBRATION:
        return
    whose = (MembershipRecord.project_id == task.project_id, MembershipRecord.account_id == account_id)
    member = session.scalar(select(MembershipRecord).where(*whose).execution_options(populate_existing=True))
    if member is not None:
        advance(session, session.get_one(ProjectRecord, task.project_id), member)


def count_ungraded(session: Session, project: ProjectRecord) -> dict[int, int]:
    """How many calibration answers of each account wait for a manager's grade, where any do."""
    has_grade = select(GradeRecord.id).where(GradeRecord.annotation_id == AnnotationRecord.id).exists()
    return dict(session.execute(_answers_by_account(project, func.count()).where(~has_grade)).all())


def who_calibrated(session: Session, project: ProjectRecord) -> set[int]:
    """The accounts that have answered a calibration task."""
    return set(session.scalars(_answers_by_account(project)))


def _answers_by_account(project: ProjectRecord, *counted: ColumnElement[int]) -> Select[*tuple[Any, ...]]:
    """Accounts with answers to calibration tasks; the states are named so that an index finds the few tasks of many."""
    return (
        select(AnnotationRecord.account_id, *counted)
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .where(
            TaskRecord.project_id == project.id,
            TaskRecord.pool == Pool.CALIBRATION.value,
            TaskRecord.state.in_([state.value for state in TaskState if state is not TaskState.CLOSED]),
            AnnotationRecord.is_last,
        )
        .group_by(AnnotationRecord.account_id)
    )


# -- counting ----------------------------------------------------------------------------------------------


def _wanted(session: Session, project: ProjectRecord, member: MembershipRecord, phase: int) -> int:
    """How many answers end a phase: as many as the project says, or all that there are for this member."""
    size = settings_of(project).calibration_size
    refused = select(AssignmentRecord.task_id).where(
        AssignmentRecord.account_id == member.account_id,
        AssignmentRecord.state.in_((AssignmentState.SKIPPED.value, AssignmentState.REPORTED.value)),
    )
    there = session.scalar(
        select(func.count()).where(*_calibration_tasks(project, phase), TaskRecord.id.not_in(refused))
    )
    return min(size, there) if there else size


def _count_done(session: Session, project: ProjectRecord, member: MembershipRecord, phase: int) -> int:
    found = session.scalar(
        select(func.count())
        .select_from(AnnotationRecord)
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .where(
            *_calibration_tasks(project, phase),
            AnnotationRecord.account_id == member.account_id,
            AnnotationRecord.is_last,
        )
    )
    return found or 0


def _calibration_tasks(project: ProjectRecord, phase: int) -> tuple[ColumnElement[bool], ...]:
    return (
        TaskRecord.project_id == project.id,
        TaskRecord.pool == Pool.CALIBRATION.value,
        TaskRecord.phase == phase,
        TaskRecord.state != TaskState.CLOSED.value,
    )


def _graded_answers(
    session: Session,
    project: ProjectRecord,
    account_id: int,
    pool: Pool = Pool.CALIBRATION,
) -> list[GradedAnswer]:
    asked = (
        select(AnnotationRecord, TaskRecord, StudioClaimRecord.text)
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .outerjoin(StudioClaimRecord, StudioClaimRecord.id == TaskRecord.claim_id)
        .where(
            TaskRecord.project_id == project.id,
            TaskRecord.pool == pool.value,
            TaskRecord.state != TaskState.CLOSED.value,
            AnnotationRecord.account_id == account_id,
            AnnotationRecord.is_last,
        )
        .order_by(AnnotationRecord.submitted_at, AnnotationRecord.id)
    )
    found = session.execute(asked).all()
    ids = [annotation.id for annotation, _, _ in found]
    sets, grades = sets_of(session, ids), grades_of(session, ids)
    rows = []
    for annotation, task, text in found:
        grade = grades.get(annotation.id)
        rows.append(
            GradedAnswer(
                annotation_id=annotation.id,
                task_id=task.id,
                kind=TaskKind(task.kind),
                phase=task.phase,
                claim=text or "",
                label=annotation.label,
                sets=sets.get(annotation.id, ()),
                challenge=annotation.challenge,
                fields=annotation.fields,
                gold=read_gold(task.gold),
                passed=grade.passed if grade else None,
                measures=measures_of(grade),
                note=grade.note if grade else "",
            )
        )
    return rows


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _check_member(project: ProjectRecord, member: MembershipRecord) -> None:
    if member.project_id != project.id:
        raise NotFound(f"there is no such member of project {project.name!r}")
