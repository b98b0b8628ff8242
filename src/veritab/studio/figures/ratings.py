"""How people rated the claims of a project: how each reads, its label, and what makes it false."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.schema import Label
from veritab.studio.records import AccountRecord, AnnotationRecord, StudioClaimRecord, TaskRecord
from veritab.studio.states import TaskState
from veritab.studio.vocabulary import TaskKind


class ClaimRatingRow(NamedTuple):
    """What one person said of one claim, by the id that its file gave it."""

    claim: str
    annotator: str
    rating: str
    label: Label | None
    """None where nobody could understand the claim."""
    cause: str
    """What makes it false, where they said so."""


def read_ratings(session: Session, project: int) -> Iterator[ClaimRatingRow]:
    """The ratings of a project, claim by claim; of changed answers the last."""
    question = (
        select(
            StudioClaimRecord.source_id,
            AccountRecord.name,
            AnnotationRecord.rating,
            AnnotationRecord.label,
            AnnotationRecord.fields,
        )
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .join(StudioClaimRecord, StudioClaimRecord.id == TaskRecord.claim_id)
        .join(AccountRecord, AccountRecord.id == AnnotationRecord.account_id)
        .where(
            TaskRecord.project_id == project,
            TaskRecord.kind == TaskKind.PLAIN_RATING.value,
            TaskRecord.state != TaskState.CLOSED.value,
            AnnotationRecord.is_last,
            AnnotationRecord.rating != "",
        )
        .order_by(StudioClaimRecord.id, AnnotationRecord.id)
    )
    for id, annotator, rating, label, fields in session.execute(question):
        given = Label(label) if label else None
        cause = fields.get("cause", "") if given is Label.REFUTES else ""
        yield ClaimRatingRow(id, annotator, rating, given, cause)
