"""What the database keeps of answers, read back: their evidence, their grades, the text that was asked about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import InputError
from veritab.schema import ElementId
from veritab.studio.log import EvidenceSets
from veritab.studio.quality.measures import Measures
from veritab.studio.records import (
    AnnotationRecord,
    DecisionRecord,
    EvidenceRecord,
    GradeRecord,
    StudioClaimRecord,
    StudioTable,
    TaskRecord,
    TrailRecord,
)
from veritab.studio.states import TaskState
from veritab.text import printable

LONGEST_NOTE = 2000
CORRECT = "correct claim"
"""What the trail says where a claim got another text."""


def last_answers(session: Session, task: TaskRecord) -> list[AnnotationRecord]:
    """The answers to a task that count, in the order in which people took it."""
    return list(
        session.scalars(
            select(AnnotationRecord)
            .where(AnnotationRecord.task_id == task.id, AnnotationRecord.is_last)
            .order_by(AnnotationRecord.assignment_id)
        )
    )


def sets_of(session: Session, annotation_ids: Iterable[int]) -> dict[int, EvidenceSets]:
    """The evidence sets of answers, for every one that has any."""
    sets: defaultdict[int, defaultdict[int, list[ElementId]]] = defaultdict(lambda: defaultdict(list))
    rows = session.execute(
        select(EvidenceRecord.annotation_id, EvidenceRecord.set_number, EvidenceRecord.element)
        .where(EvidenceRecord.annotation_id.in_(list(annotation_ids)))
        .order_by(EvidenceRecord.annotation_id, EvidenceRecord.set_number, EvidenceRecord.position)
    )
    for annotation_id, number, element in rows:
        sets[annotation_id][number].append(ElementId.parse(element))
    return {id: tuple(map(tuple, numbered.values())) for id, numbered in sets.items()}


def grades_of(session: Session, annotation_ids: Iterable[int]) -> dict[int, GradeRecord]:
    """The grade of each answer that has one; of several the last."""
    rows = session.scalars(
        select(GradeRecord).where(GradeRecord.annotation_id.in_(list(annotation_ids))).order_by(GradeRecord.id)
    )
    return {grade.annotation_id: grade for grade in rows}


def standing_decisions(session: Session, tasks: Iterable[TaskRecord]) -> dict[int, DecisionRecord]:
    """What managers decided on tasks, where that is what settled them: answers may have, since it was decided."""
    settled = {task.id: task.settled_at for task in tasks if task.state == TaskState.SETTLED}
    found = session.scalars(
        select(DecisionRecord).where(DecisionRecord.task_id.in_(list(settled))).order_by(DecisionRecord.id)
    )
    last = {decision.task_id: decision for decision in found}
    return {id: decision for id, decision in last.items() if decision.made_at >= (settled[id] or 0.0)}


def measures_of(grade: GradeRecord | None) -> Measures | None:
    """What was measured for a grade; None where a manager judged by eye, or there is no grade."""
    return Measures(**grade.measures) if grade is not None and grade.measures else None


def texts_of(session: Session, tasks: Iterable[TaskRecord]) -> dict[int, str]:
    """The claim that each task asks or asked about, for every task that has one.

    That is the claim's text, except where the task was closed because the text was corrected: then it is the old one.
    """
    by_claim = defaultdict[int, list[TaskRecord]](list)
    for task in tasks:
        if task.claim_id is not None:
            by_claim[task.claim_id].append(task)
    claims = session.scalars(select(StudioClaimRecord).where(StudioClaimRecord.id.in_(by_claim))).all()
    texts = {task.id: claim.text for claim in claims for task in by_claim[claim.id]}
    doubtful = [claim for claim in claims if any(task.state == TaskState.CLOSED for task in by_claim[claim.id])]
    if doubtful:
        corrections = session.scalars(
            select(TrailRecord).where(
                TrailRecord.project_id.in_({claim.project_id for claim in doubtful}),
                TrailRecord.what == CORRECT,
                TrailRecord.subject.in_([claim_subject(claim) for claim in doubtful]),
            )
        )
        for correction in corrections:
            texts.update((id, correction.before["text"]) for id in correction.after["closed"] if id in texts)
    return texts


def claim_subject(claim: StudioClaimRecord) -> str:
    """What the trail calls a claim."""
    return f"claim {claim.id}"


def check_note(text: str) -> str:
    """What somebody says about a decision, as it is kept."""
    said = printable(text).strip()
    if len(said) > LONGEST_NOTE:
        raise InputError(f"the note has {len(said):,} characters; at most {LONGEST_NOTE:,}")
    return said


def lock(session: Session, record: StudioTable) -> None:
    """Look at a row again and keep it as it is until the transaction ends, so that two people do not both move it."""
    session.flush()
    session.refresh(record, with_for_update=True)
