"""The rows of figures, streamed out of a studio's database."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import Any, Protocol, TypeAlias

from sqlalchemy import ColumnElement, Executable, and_, case, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from veritab.errors import NotFound
from veritab.schema import ElementId, EvidenceSet, Kind, Label, Page
from veritab.studio.figures.measuring import StudioFigures, measure_studio
from veritab.studio.figures.rows import (
    FULL_TEXT_PREFIX,
    AnnotationRow,
    AuthoredClaim,
    MemberRow,
    OperationCounts,
    WritingRow,
    WrittenClaim,
)
from veritab.studio.log import LogOperation
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    DecisionRecord,
    EventRecord,
    EvidenceRecord,
    GradeRecord,
    HighlightRecord,
    MembershipRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import AssignmentState, ClaimState, MemberStage, TaskState
from veritab.studio.submission import WRITING_KINDS
from veritab.studio.vocabulary import Pool, Role, TaskKind

SectionFinder: TypeAlias = Callable[[ElementId], int | None]
"""Gives the number of the section that an element stands in, -1 for the introduction; None where it is gone."""

_MUTATIONS, _THREE_CLAIMS = TaskKind.FEVER_MUTATIONS.value, TaskKind.FEVEROUS_CLAIMS.value
_WRITING = tuple(sorted(WRITING_KINDS))
_AT_ONCE = 500
_PAGES = 64
_INTRODUCTION = -1


def read_figures(session: Session, project: int, section_of: SectionFinder | None = None) -> StudioFigures:
    """The figures of a project, as far as its work has come."""
    return measure_studio(
        read_annotations(session, project, section_of),
        read_writings(session, project),
        read_members(session, project),
        read_authored_claims(session, project),
    )


class PageSource(Protocol):
    """A corpus, as far as sections are looked up in it."""

    def page(self, title: str) -> Page: ...


def section_finder(corpus: PageSource) -> SectionFinder:
    """Looks up the sections of elements; the pages looked at last are remembered."""
    page_of = lru_cache(_PAGES)(corpus.page)

    def section_of(id: ElementId) -> int | None:
        try:
            page = page_of(id.page)
            element = page.element(ElementId(page.title, id.kind, id.path))
        except NotFound:
            return None
        sections = [context.id.path[0] for context in element.context if context.id.kind is Kind.SECTION]
        return sections[-1] if sections else _INTRODUCTION

    return section_of


def _has_come_to_something() -> ColumnElement[bool]:
    """Whether an assignment has an answer, also one that is being revised, or was refused.

    The answers to a closed task count for nothing; that its claim was reported does.
    """
    refused = AssignmentRecord.state.in_((AssignmentState.SKIPPED.value, AssignmentState.REPORTED.value))
    answered = and_(AnnotationRecord.id.is_not(None), TaskRecord.state != TaskState.CLOSED.value)
    return or_(refused, answered)


def _stream(session: Session, question: Executable) -> Iterator[Any]:
    return iter(session.execute(question, execution_options={"yield_per": _AT_ONCE}))


# -- what was done with claims -----------------------------------------------------------------------------


def read_annotations(
    session: Session, project: int, section_of: SectionFinder | None = None
) -> Iterator[AnnotationRow]:
    """What everybody did with claims that were theirs to verify, in order of time."""
    author = aliased(AccountRecord)
    ended_at = func.coalesce(AnnotationRecord.submitted_at, AssignmentRecord.ended_at, AssignmentRecord.taken_at)
    question = (
        select(
            AssignmentRecord.id,
            AssignmentRecord.state,
            AssignmentRecord.reason,
            ended_at.label("at"),
            AccountRecord.name.label("annotator"),
            author.name.label("author"),
            TaskRecord.kind,
            case((TaskRecord.is_for_super, Pool.SUPER.value), else_=TaskRecord.pool).label("pool"),
            StudioClaimRecord.id.label("claim"),
            StudioClaimRecord.text,
            AnnotationRecord.label.label("verdict"),
            AnnotationRecord.challenge,
            AnnotationRecord.rating,
            AnnotationRecord.seconds,
            AnnotationRecord.is_flagged,
            _report_reason().label("report"),
            _is_answered_by_others().label("overlaps"),
            EvidenceRecord.set_number,
            EvidenceRecord.element,
            *_operations(),
        )
        .join(TaskRecord, TaskRecord.id == AssignmentRecord.task_id)
        .join(StudioClaimRecord, StudioClaimRecord.id == TaskRecord.claim_id)
        .join(AccountRecord, AccountRecord.id == AssignmentRecord.account_id)
        .outerjoin(author, author.id == StudioClaimRecord.author_id)
        .outerjoin(
            AnnotationRecord,
            and_(AnnotationRecord.assignment_id == AssignmentRecord.id, AnnotationRecord.is_last),
        )
        .outerjoin(EvidenceRecord, EvidenceRecord.annotation_id == AnnotationRecord.id)
        .where(
            TaskRecord.project_id == project,
            TaskRecord.kind.not_in(_WRITING),
            _has_come_to_something(),
        )
        .order_by(ended_at, AssignmentRecord.id, EvidenceRecord.set_number, EvidenceRecord.position)
    )
    for _, rows in groupby(_stream(session, question), lambda row: row.id):
        pieces = list(rows)
        yield _annotation(pieces[0], _evidence_sets(pieces), section_of)


def _operations() -> Iterator[ColumnElement[int]]:
    """How often each kind of search was made for an annotation, up to its submission."""
    is_search = EventRecord.operation == LogOperation.SEARCH.value
    wanted = {
        "searches": is_search,
        "full_text": and_(is_search, func.lower(EventRecord.value).startswith(FULL_TEXT_PREFIX, autoescape=True)),
        "hyperlinks": EventRecord.operation == LogOperation.HYPERLINK.value,
        "page_searches": EventRecord.operation == LogOperation.PAGE_SEARCH.value,
    }
    for name in OperationCounts._fields:
        # Asked for each annotation, by an index: a join with all counts at once is planned badly by PostgreSQL.
        count = select(func.count()).where(
            EventRecord.assignment_id == AnnotationRecord.assignment_id,
            EventRecord.sequence <= AnnotationRecord.events,
            wanted[name],
        )
        yield count.correlate(AnnotationRecord).scalar_subquery().label(name)


def _operation_counts(row: Any) -> OperationCounts | None:
    """What was searched; None where no time went by, as for what was imported without a log."""
    return OperationCounts(*(row._mapping[name] for name in OperationCounts._fields)) if row.seconds else None


def _report_reason() -> ColumnElement[str | None]:
    return (
        select(func.max(ReportRecord.reason))
        .where(ReportRecord.task_id == AssignmentRecord.task_id, ReportRecord.account_id == AssignmentRecord.account_id)
        .correlate(AssignmentRecord)
        .scalar_subquery()
    )


def _is_answered_by_others() -> ColumnElement[bool]:
    """Whether anybody else answered the same claim: only such answers have to be remembered."""
    task, annotation = aliased(TaskRecord), aliased(AnnotationRecord)
    return exists(
        select(annotation.id)
        .join(task, task.id == annotation.task_id)
        .where(
            task.claim_id == TaskRecord.claim_id,
            annotation.account_id != AssignmentRecord.account_id,
            annotation.is_last,
            annotation.label != "",
        )
        .correlate(TaskRecord, AssignmentRecord)
    )


def _evidence_sets(rows: list[Any]) -> tuple[EvidenceSet, ...]:
    pieces = ((row.set_number, row.element) for row in rows if row.element is not None)
    return tuple(
        frozenset(ElementId.parse(element) for _, element in each)
        for _, each in groupby(pieces, lambda piece: piece[0])
    )


def _annotation(row: Any, evidence: tuple[EvidenceSet, ...], section_of: SectionFinder | None) -> AnnotationRow:
    found = AnnotationRow(
        claim=str(row.claim),
        text=row.text,
        annotator=row.annotator,
        kind=row.kind,
        at=row.at,
        pool=row.pool,
        author=row.author,
        label=Label(row.verdict) if row.verdict else None,
        evidence=evidence,
        challenge=row.challenge or None,
        rating=row.rating or None,
        seconds=row.seconds or None,
        operations=_operation_counts(row),
        skipped=row.reason if row.state == AssignmentState.SKIPPED else None,
        flagged=row.reason if row.is_flagged else None,
        reported=(row.report or row.reason) if row.state == AssignmentState.REPORTED else None,
        overlaps=row.overlaps,
    )
    if section_of is None:
        return found
    sections = (section_of(id) for id in sorted(found.pieces))
    return found._replace(sections=tuple(section for section in sections if section is not None))


# -- what was written --------------------------------------------------------------------------------------


def read_writings(session: Session, project: int) -> Iterator[WritingRow]:
    """What everybody wrote, highlight by highlight, and the mutations of a claim together."""
    is_mutation = TaskRecord.kind == _MUTATIONS
    by_highlight = and_(
        StudioClaimRecord.highlight_id == TaskRecord.highlight_id,
        # The mutations of FEVER are a task of their own; those of FEVEROUS are written along with the claim.
        (TaskRecord.kind == _THREE_CLAIMS) | StudioClaimRecord.parent_id.is_(None),
    )
    yield from _read_written(session, project, ~is_mutation, by_highlight)
    yield from _read_written(session, project, is_mutation, StudioClaimRecord.parent_id == TaskRecord.claim_id)


def _read_written(
    session: Session, project: int, wanted: ColumnElement[bool], belongs: ColumnElement[bool]
) -> Iterator[WritingRow]:
    question = (
        select(
            AssignmentRecord.id,
            AssignmentRecord.state,
            AssignmentRecord.reason,
            AssignmentRecord.account_id,
            AccountRecord.name.label("author"),
            TaskRecord.kind,
            TaskRecord.pool,
            HighlightRecord.kind.label("highlight"),
            AnnotationRecord.seconds,
            StudioClaimRecord.author_id,
            StudioClaimRecord.text,
            StudioClaimRecord.type,
            StudioClaimRecord.mutation,
            StudioClaimRecord.page_rule,
            StudioClaimRecord.prescribed_truth,
            *_operations(),
        )
        .join(TaskRecord, TaskRecord.id == AssignmentRecord.task_id)
        .join(AccountRecord, AccountRecord.id == AssignmentRecord.account_id)
        .outerjoin(HighlightRecord, HighlightRecord.id == TaskRecord.highlight_id)
        .outerjoin(
            AnnotationRecord,
            and_(AnnotationRecord.assignment_id == AssignmentRecord.id, AnnotationRecord.is_last),
        )
        .outerjoin(StudioClaimRecord, belongs)
        .where(
            TaskRecord.project_id == project,
            TaskRecord.kind.in_(_WRITING),
            wanted,
            _has_come_to_something(),
        )
        .order_by(AssignmentRecord.id, StudioClaimRecord.id)
    )
    for _, rows in groupby(_stream(session, question), lambda row: row.id):
        every = list(rows)
        yield _writing(every[0], every)


def _writing(row: Any, rows: list[Any]) -> WritingRow:
    # Whoever skipped a highlight did not write what another wrote about it.
    claims = [each for each in rows if each.author_id == each.account_id]
    return WritingRow(
        author=row.author,
        kind=row.kind,
        claims=tuple(
            WrittenClaim(each.text, each.type or None, each.mutation or None, each.prescribed_truth or None)
            for each in claims
        ),
        pool=row.pool,
        highlight=row.highlight,
        page_rule=next((each.page_rule for each in claims if each.page_rule), None),
        seconds=row.seconds or None,
        operations=_operation_counts(row),
        skipped=row.reason if row.state == AssignmentState.SKIPPED else None,
    )


def read_authored_claims(session: Session, project: int) -> Iterator[AuthoredClaim]:
    """The settled claims that members wrote, by author: the label decided upon, or the one that all gave."""
    task = aliased(TaskRecord)
    decided = (
        select(DecisionRecord.label)
        .join(task, task.id == DecisionRecord.task_id)
        .where(
            task.claim_id == StudioClaimRecord.id,
            task.pool == Pool.WORK.value,
            task.state == TaskState.SETTLED.value,
        )
        .order_by(DecisionRecord.id.desc())
        .limit(1)
        .correlate(StudioClaimRecord)
        .scalar_subquery()
    )
    question = (
        select(
            AccountRecord.name,
            StudioClaimRecord.id,
            StudioClaimRecord.text,
            HighlightRecord.page,
            decided.label("decided"),
            func.min(AnnotationRecord.label).label("lowest"),
            func.max(AnnotationRecord.label).label("highest"),
        )
        .select_from(StudioClaimRecord)
        .join(AccountRecord, AccountRecord.id == StudioClaimRecord.author_id)
        .join(TaskRecord, TaskRecord.claim_id == StudioClaimRecord.id)
        .outerjoin(
            AnnotationRecord,
            and_(AnnotationRecord.task_id == TaskRecord.id, AnnotationRecord.is_last, AnnotationRecord.label != ""),
        )
        .outerjoin(HighlightRecord, HighlightRecord.id == StudioClaimRecord.highlight_id)
        .where(
            StudioClaimRecord.project_id == project,
            StudioClaimRecord.state != ClaimState.WITHDRAWN.value,
            TaskRecord.kind.not_in(_WRITING),
            TaskRecord.pool == Pool.WORK.value,
            TaskRecord.state == TaskState.SETTLED.value,
        )
        .group_by(AccountRecord.name, StudioClaimRecord.id, StudioClaimRecord.text, HighlightRecord.page)
        .order_by(AccountRecord.name, StudioClaimRecord.id)
    )
    for row in _stream(session, question):
        given = row.lowest if row.lowest == row.highest else None
        label = given if row.decided is None else row.decided
        if label:
            pages = (row.page,) if row.page is not None else ()
            yield AuthoredClaim(row.name, str(row.id), row.text, Label(label), pages)


# -- who was let in ----------------------------------------------------------------------------------------

_APPROVED = {MemberStage.APPROVED: True, MemberStage.PAUSED: True, MemberStage.REJECTED: False}


def read_members(session: Session, project: int) -> Iterator[MemberRow]:
    """Annotators by the kinds of tasks that they were calibrated on."""
    graded: defaultdict[tuple[int, str], dict[int, Any]] = defaultdict(dict)
    grades = (
        select(AnnotationRecord.id, AnnotationRecord.account_id, TaskRecord.kind, GradeRecord.measures)
        .join(AnnotationRecord, AnnotationRecord.id == GradeRecord.annotation_id)
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .where(
            TaskRecord.project_id == project,
            TaskRecord.pool == Pool.CALIBRATION.value,
            TaskRecord.state != TaskState.CLOSED.value,
            AnnotationRecord.is_last,
        )
        .order_by(GradeRecord.id)
    )
    for grade in session.execute(grades):  # of several grades for one annotation the last counts
        graded[grade.account_id, grade.kind][grade.id] = grade.measures.get("label")
    members = (
        select(AccountRecord.id, AccountRecord.name, MembershipRecord.stage)
        .join(MembershipRecord, MembershipRecord.account_id == AccountRecord.id)
        .where(MembershipRecord.project_id == project, MembershipRecord.role == Role.ANNOTATOR.value)
        .order_by(AccountRecord.name)
    )
    for member in session.execute(members):
        for kind in TaskKind:
            verdicts = graded.get((member.id, kind.value))
            if verdicts is not None:
                right = [float(verdict) for verdict in verdicts.values() if verdict is not None]
                yield MemberRow(
                    member.name,
                    kind,
                    member.stage,
                    sum(right) / len(right) if right else None,
                    _APPROVED.get(member.stage),
                )
