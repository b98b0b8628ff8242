"""Grades: against gold by themselves, and by a manager's judgement.

A miss is a wrong label. Evidence is measured and shown, but other evidence than gold's may be right too.
"""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import NotAllowed
from veritab.studio.projects import leave_trail, require_manager
from veritab.studio.quality.kept import check_note, grades_of, sets_of
from veritab.studio.quality.measures import measure, read_gold
from veritab.studio.quality.members import count_misses
from veritab.studio.records import (
    AnnotationRecord,
    GradeRecord,
    JsonObject,
    ProjectRecord,
    TaskRecord,
)
from veritab.studio.vocabulary import Pool


def grade_answers(session: Session, task: TaskRecord, *, now: float) -> None:
    """Grade every answer to a task against its gold, each once; nothing happens where the task has none."""
    gold = read_gold(task.gold)
    if gold is None:
        return
    has_grade = select(GradeRecord.id).where(GradeRecord.annotation_id == AnnotationRecord.id).exists()
    answers = session.scalars(
        select(AnnotationRecord)
        .where(AnnotationRecord.task_id == task.id, AnnotationRecord.is_last, ~has_grade)
        .order_by(AnnotationRecord.id)
    ).all()
    sets = sets_of(session, [answer.id for answer in answers])
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
        count_misses(session, task.project_id, annotation.account_id, int(not passed) - int(was_miss), now=now)
    given = GradeRecord(annotation_id=annotation.id, by_id=by, passed=passed, measures=measures, note=note, made_at=now)
    session.add(given)
    session.flush()
    return given
