"""Grades: against gold by themselves, by a manager's judgement, and what misses of hidden gold lead to.

A miss is a wrong label. Evidence is measured and shown, but other evidence than gold's may be right too.

Where things are kept: misses on the membership; that somebody was warned, has read it, or was paused, in the trail.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import NotAllowed
from veritab.studio.projects import leave_trail, require_manager, settings_of
from veritab.studio.quality.kept import check_note, grades_of, sets_of
from veritab.studio.quality.measures import measure, read_gold
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    GradeRecord,
    JsonObject,
    MembershipRecord,
    ProjectRecord,
    TaskRecord,
    TrailRecord,
)
from veritab.studio.states import MemberStage, MemberStep, move_member
from veritab.studio.vocabulary import Pool, Role

_WARN = "warn member"
_READ_WARNING = "read warning"


class GoldWarning(NamedTuple):
    """That somebody missed hidden gold so often that they are told."""

    misses: int
    at: float


def grade_answers(session: Session, task: TaskRecord, *, now: float) -> None:
    """Grade every answer to a task against its gold, each once; nothing happens where the task has none."""
    if not task.gold:
        return
    has_grade = select(GradeRecord.id).where(GradeRecord.annotation_id == AnnotationRecord.id).exists()
    answers = session.scalars(
        select(AnnotationRecord)
        .where(AnnotationRecord.task_id == task.id, AnnotationRecord.is_last, ~has_grade)
        .order_by(AnnotationRecord.id)
    ).all()
    sets, gold = sets_of(session, [answer.id for answer in answers]), read_gold(task.gold)
    for answer in answers:
        measures = measure(answer.label, sets.get(answer.id, ()), answer.challenge, gold)
        _keep(session, answer, task, passed=measures.label, measures=measures._asdict(), now=now)


def grade_by_hand(
    session: Session, annotation: AnnotationRecord, *, by: int | None, passed: bool, note: str = "", now: float
) -> GradeRecord:
    """A manager's yes or no to an answer, which counts from now on; what was measured stays beside it."""
    task = session.get_one(TaskRecord, annotation.task_id)
    require_manager(session, session.get_one(ProjectRecord, task.project_id), by)
    if annotation.account_id == by:
        raise NotAllowed("nobody grades their own work; ask another manager to")
    before = grades_of(session, [annotation.id]).get(annotation.id)
    measures = dict(before.measures) if before else {}
    given = _keep(session, annotation, task, passed=passed, measures=measures, note=check_note(note), by=by, now=now)
    leave_trail(
        session,
        "grade answer",
        f"answer {annotation.id}",
        before={"passed": before.passed, "note": before.note} if before else None,
        after={"passed": passed, "note": given.note},
        by=by,
        project_id=task.project_id,
        now=now,
    )
    return given


def _keep(
    session: Session,
    annotation: AnnotationRecord,
    task: TaskRecord,
    *,
    passed: bool,
    measures: JsonObject,
    note: str = "",
    by: int | None = None,
    now: float,
) -> GradeRecord:
    if task.pool == Pool.GOLD:
        # Of a changed answer only the last grade counts, so a miss that was put right is taken back.
        before = session.scalars(
            select(GradeRecord)
            .join(AnnotationRecord, AnnotationRecord.id == GradeRecord.annotation_id)
            .where(AnnotationRecord.assignment_id == annotation.assignment_id)
            .order_by(GradeRecord.id.desc())
            .limit(1)
        ).first()
        was_miss = before is not None and not before.passed
        _count_misses(session, task, annotation.account_id, int(not passed) - int(was_miss), now)
    given = GradeRecord(annotation_id=annotation.id, by_id=by, passed=passed, measures=measures, note=note, made_at=now)
    session.add(given)
    session.flush()
    return given


# -- hidden gold -------------------------------------------------------------------------------------------


def _count_misses(session: Session, task: TaskRecord, account_id: int, change: int, now: float) -> None:
    member = session.scalars(
        select(MembershipRecord)
        .where(MembershipRecord.project_id == task.project_id, MembershipRecord.account_id == account_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    ).one()
    member.misses = max(0, member.misses + change)
    # A manager can see which tasks are gold: what they miss says nothing.
    if change <= 0 or member.role != Role.ANNOTATOR or member.stage != MemberStage.APPROVED:
        return
    settings = settings_of(session.get_one(ProjectRecord, task.project_id))
    if 0 < settings.pause_after <= member.misses:
        member.stage = move_member(MemberStage.APPROVED, MemberStep.PAUSE).value
        leave_trail(
            session,
            f"{MemberStep.PAUSE.value} member",
            member_subject(session, member),
            before={"stage": MemberStage.APPROVED.value},
            after={
                "stage": member.stage,
                "misses": member.misses,
                "reason": f"{member.misses} tasks whose right answer is known were answered wrongly",
            },
            by=None,
            project_id=member.project_id,
            now=now,
        )
    elif 0 < settings.warn_after == member.misses:
        leave_trail(
            session,
            _WARN,
            member_subject(session, member),
            after={"misses": member.misses},
            by=None,
            project_id=member.project_id,
            now=now,
        )


def member_subject(session: Session, member: MembershipRecord) -> str:
    """What the trail calls a member."""
    return f"account {session.get_one(AccountRecord, member.account_id).name}"


def warning_of(session: Session, member: MembershipRecord) -> GoldWarning | None:
    """The warning that somebody has not read yet, for their home page; `read_warning` takes it away."""
    if not member.misses:
        return None
    last = session.scalars(
        select(TrailRecord)
        .where(
            TrailRecord.project_id == member.project_id,
            TrailRecord.subject == member_subject(session, member),
            TrailRecord.what.in_((_WARN, _READ_WARNING)),
        )
        .order_by(TrailRecord.id.desc())
        .limit(1)
    ).first()
    return GoldWarning(last.after["misses"], last.at) if last is not None and last.what == _WARN else None


def read_warning(session: Session, member: MembershipRecord, *, now: float) -> None:
    """That somebody has seen their warning: it is shown once."""
    if warning_of(session, member) is not None:
        leave_trail(
            session,
            _READ_WARNING,
            member_subject(session, member),
            by=member.account_id,
            project_id=member.project_id,
            now=now,
        )
