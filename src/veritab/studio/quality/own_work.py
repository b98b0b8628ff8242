"""What somebody sees of their own work: answers with what became of them, claims and how they fared, reports.

Hidden gold looks like any other task here: its grade is not shown, and a task that everybody answers is settled once it
is answered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.studio.log import EvidenceSets
from veritab.studio.projects import member_of
from veritab.studio.quality.calibration import calibration_of
from veritab.studio.quality.kept import grades_of, measures_of, sets_of, standing_decisions, texts_of
from veritab.studio.quality.measures import Measures
from veritab.studio.records import (
    AnnotationRecord,
    ProjectRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import ClaimState, TaskState
from veritab.studio.submission import WRITING_KINDS
from veritab.studio.vocabulary import SHARED_POOLS, Pool, TaskKind


class OwnReport(NamedTuple):
    """A report of a claim, as somebody sees it who made it or whose work it concerns."""

    report_id: int
    claim: str
    reason: str
    note: str
    """What whoever made it wrote; empty for the others."""
    made_at: float
    outcome: str
    """"corrected", "withdrawn" or "returned"; empty while nobody has dealt with it."""
    is_own: bool


class OwnAnswer(NamedTuple):
    """An answer of one's own, and what became of it."""

    annotation_id: int
    assignment_id: int
    task_id: int
    kind: TaskKind
    pool: Pool
    claim: str
    """The text that was asked about; empty where claims were written."""
    label: str
    challenge: str
    sets: EvidenceSets
    fields: Mapping[str, str]
    seconds: float
    submitted_at: float
    is_flagged: bool
    state: TaskState
    passed: bool | None
    """The grade; None where there is none, or none to be seen yet."""
    measures: Measures | None
    note: str
    """What a manager said with the grade."""
    report: OwnReport | None
    """The last report on its claim."""
    decided: str | None
    """The label that a manager decided on, once the task is settled; None where the answers settled it."""
    decision: str
    """The reason for that."""


class OwnClaim(NamedTuple):
    """A claim of one's own, and how it fared."""

    claim_id: int
    text: str
    type: str
    mutation: str
    made_at: float
    state: ClaimState
    report: OwnReport | None
    verdicts: tuple[str, ...]
    """What each task that asked about it came to, once settled."""


def my_work(
    session: Session, project: ProjectRecord, account_id: int, *, most: int = 100, skip: int = 0
) -> list[OwnAnswer]:
    """One's own answers, the newest first."""
    found = session.execute(
        select(AnnotationRecord, TaskRecord)
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .where(TaskRecord.project_id == project.id, AnnotationRecord.account_id == account_id, AnnotationRecord.is_last)
        .order_by(AnnotationRecord.submitted_at.desc(), AnnotationRecord.id.desc())
        .limit(most)
        .offset(skip)
    ).all()
    ids, tasks = [annotation.id for annotation, _ in found], [task for _, task in found]
    sets, grades = sets_of(session, ids), grades_of(session, ids)
    texts, decisions = texts_of(session, tasks), standing_decisions(session, tasks)
    reports = _last_reports(session, {task.claim_id for task in tasks if task.claim_id is not None}, account_id)
    hidden = _hidden_grades(session, project, account_id, tasks)
    rows = []
    for annotation, task in found:
        grade = grades.get(annotation.id) if task.id not in hidden else None
        decision = decisions.get(task.id)
        state = TaskState(task.state)
        rows.append(
            OwnAnswer(
                annotation_id=annotation.id,
                assignment_id=annotation.assignment_id,
                task_id=task.id,
                kind=TaskKind(task.kind),
                pool=Pool.WORK if task.pool == Pool.GOLD else Pool(task.pool),
                claim=texts.get(task.id, ""),
                label=annotation.label,
                challenge=annotation.challenge,
                sets=sets.get(annotation.id, ()),
                fields=annotation.fields,
                seconds=annotation.seconds,
                submitted_at=annotation.submitted_at,
                is_flagged=annotation.is_flagged,
                # For whoever has answered it, a task that stays open for the others is done.
                state=TaskState.SETTLED if task.pool in SHARED_POOLS and state is TaskState.OPEN else state,
                passed=grade.passed if grade else None,
                measures=measures_of(grade),
                note=grade.note if grade else "",
                report=reports.get(task.claim_id) if task.claim_id is not None else None,
                decided=decision.label if decision else None,
                decision=decision.reason if decision else "",
            )
        )
    return rows


def my_claims(
    session: Session, project: ProjectRecord, account_id: int, *, most: int = 100, skip: int = 0
) -> list[OwnClaim]:
    """One's own claims, the newest first."""
    claims = session.scalars(
        select(StudioClaimRecord)
        .where(StudioClaimRecord.project_id == project.id, StudioClaimRecord.author_id == account_id)
        .order_by(StudioClaimRecord.made_at.desc(), StudioClaimRecord.id.desc())
        .limit(most)
        .offset(skip)
    ).all()
    ids = {claim.id for claim in claims}
    reports, verdicts = _last_reports(session, ids, account_id), _verdicts(session, ids)
    return [
        OwnClaim(
            claim.id,
            claim.text,
            claim.type,
            claim.mutation,
            claim.made_at,
            ClaimState(claim.state),
            reports.get(claim.id),
            tuple(verdicts[claim.id]),
        )
        for claim in claims
    ]


def my_reports(
    session: Session, project: ProjectRecord, account_id: int, *, most: int = 100, skip: int = 0
) -> list[OwnReport]:
    """The reports that somebody made, the newest first."""
    found = session.execute(
        select(ReportRecord, StudioClaimRecord)
        .join(StudioClaimRecord, StudioClaimRecord.id == ReportRecord.claim_id)
        .where(StudioClaimRecord.project_id == project.id, ReportRecord.account_id == account_id)
        .order_by(ReportRecord.id.desc())
        .limit(most)
        .offset(skip)
    )
    return [_show_report(report, claim.text, account_id) for report, claim in found]


def _show_report(report: ReportRecord, claim: str, account_id: int) -> OwnReport:
    is_own = report.account_id == account_id
    note = report.note if is_own else ""
    return OwnReport(report.id, claim, report.reason, note, report.made_at, report.outcome, is_own)


def _last_reports(session: Session, claim_ids: Iterable[int], account_id: int) -> dict[int, OwnReport]:
    found = session.execute(
        select(ReportRecord, StudioClaimRecord)
        .join(StudioClaimRecord, StudioClaimRecord.id == ReportRecord.claim_id)
        .where(ReportRecord.claim_id.in_(list(claim_ids)))
        .order_by(ReportRecord.id)
    )
    return {claim.id: _show_report(report, claim.text, account_id) for report, claim in found}


def _hidden_grades(session: Session, project: ProjectRecord, account_id: int, tasks: Iterable[TaskRecord]) -> set[int]:
    """The tasks whose grade is not shown: hidden gold, and calibration in a phase that is not over."""
    hidden = {task.id for task in tasks if task.pool == Pool.GOLD}
    calibrated = {task.id for task in tasks if task.pool == Pool.CALIBRATION}
    if not calibrated:
        return hidden
    member = member_of(session, project, account_id)
    return hidden | (calibrated - {row.task_id for row in calibration_of(session, project, member).rows})


def _verdicts(session: Session, claim_ids: Iterable[int]) -> defaultdict[int, list[str]]:
    tasks = session.scalars(
        select(TaskRecord)
        .where(
            TaskRecord.claim_id.in_(list(claim_ids)),
            TaskRecord.kind.not_in([kind.value for kind in WRITING_KINDS]),
            TaskRecord.state == TaskState.SETTLED.value,
        )
        .order_by(TaskRecord.id)
    ).all()
    decisions = standing_decisions(session, tasks)
    agreed = dict(
        session.execute(
            select(AnnotationRecord.task_id, AnnotationRecord.label).where(
                AnnotationRecord.task_id.in_([task.id for task in tasks]), AnnotationRecord.is_last
            )
        ).all()
    )
    verdicts = defaultdict[int, list[str]](list)
    for task in tasks:
        decision = decisions.get(task.id)
        label = decision.label if decision else agreed.get(task.id)
        if task.claim_id is not None and label:
            verdicts[task.claim_id].append(label)
    return verdicts
