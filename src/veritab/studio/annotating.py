"""Annotating: events come in, drafts go out, answers are submitted, changed, reported or skipped.

Every function that changes something locks the assignment first, so that two tabs of one person follow each other: the
log has no holes, and what is sent twice is kept once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import Conflict, InputError, NotFound
from veritab.schema import ElementId, Label
from veritab.studio.database import find_numbered
from veritab.studio.drawing import Prescription
from veritab.studio.log import AnnotationDraft, LogEvent, LogOperation, check_event, fold
from veritab.studio.projects import current_guideline, settings_of
from veritab.studio.quality import advance_after, settle
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    CommentRecord,
    EventRecord,
    EvidenceRecord,
    JsonObject,
    ProjectRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import AssignmentState, ClaimState, ClaimStep, TaskState, TaskStep, move_claim, move_task
from veritab.studio.submission import (
    FEVER_CLAIM_FIELDS,
    MUTATION_FIELDS,
    WRITING_KINDS,
    DraftFault,
    find_faults,
    find_warnings,
    read_answer,
)
from veritab.studio.tasks import (
    add_mutations_task,
    add_verification_task,
    can_revise,
    end_assignment,
    give_back,
    has_answered,
    lock_assignment,
    lock_task,
    renew_lease,
    resume,
)
from veritab.studio.vocabulary import (
    SHARED_POOLS,
    ClaimType,
    HighlightSkipReason,
    Pool,
    ReportReason,
    SkipReason,
    TaskKind,
)
from veritab.text import nfc, printable, squeeze

__all__ = [
    "DraftFault",
    "FaultyDraft",
    "StaleDraft",
    "append_events",
    "comment",
    "draft_of",
    "events_of",
    "faults_of",
    "find_assignment",
    "find_faults",
    "find_warnings",
    "report",
    "revise",
    "skip",
    "submit",
]

MOST_EVENTS_AT_ONCE = 1000
LONGEST_KEY = 100
LONGEST_NOTE = 2000
_BY_THE_STUDIO = frozenset({LogOperation.START, LogOperation.FINISH})


class StaleDraft(Conflict):
    """Somebody submits what they see, and the log has more: another tab, or a connection that came back."""

    def __init__(self, seen: int, events: int) -> None:
        super().__init__(
            f"this page has seen {seen} steps of the annotation and there are {events}; look at both, then submit again"
        )
        self.seen, self.events = seen, events


class FaultyDraft(InputError):
    """A draft cannot be submitted as it is; `faults` say why."""

    def __init__(self, faults: Sequence[DraftFault]) -> None:
        super().__init__(" ".join(fault.message for fault in faults))
        self.faults = tuple(faults)


def find_assignment(session: Session, project: ProjectRecord, assignment_id: int, account_id: int) -> AssignmentRecord:
    """Somebody's own assignment in a project; everybody else's is not there."""
    found = find_numbered(session, AssignmentRecord, assignment_id)
    if (
        found is None
        or found.account_id != account_id
        or session.get_one(TaskRecord, found.task_id).project_id != project.id
    ):
        raise NotFound(f"you have no task {assignment_id} in project {project.name!r}")
    return found


# -- the log -----------------------------------------------------------------------------------------------


def events_of(session: Session, assignment: AssignmentRecord) -> list[LogEvent]:
    """What was done on an assignment, in order."""
    rows = session.execute(
        select(EventRecord.operation, EventRecord.value, EventRecord.seconds, EventRecord.key)
        .where(EventRecord.assignment_id == assignment.id)
        .order_by(EventRecord.sequence)
    )
    return [LogEvent(LogOperation(operation), value, seconds, key) for operation, value, seconds, key in rows]


def draft_of(session: Session, assignment: AssignmentRecord) -> AnnotationDraft:
    """Where an assignment stands."""
    return fold(events_of(session, assignment))


def append_events(
    session: Session, assignment: AssignmentRecord, events: Sequence[LogEvent], *, now: float
) -> AnnotationDraft:
    """Add events to the log, those with a new key, and say where the draft stands then; the lease is renewed.

    The client's seconds are believed between those of the event before and those that have really gone by.
    """
    if len(events) > MOST_EVENTS_AT_ONCE:
        raise InputError(f"{len(events):,} steps were sent at once; at most {MOST_EVENTS_AT_ONCE:,}")
    checked = [_check_sent(event) for event in events]
    lock_assignment(session, assignment)
    renew_lease(session, assignment, now=now)
    before = events_of(session, assignment)
    added = _append(session, assignment, before, checked, now)
    return fold(before + added)


def _check_sent(event: LogEvent) -> LogEvent:
    if event.operation in _BY_THE_STUDIO:
        raise InputError(f"{event.operation.value!r} is written by the studio itself; leave it out")
    if not 0 < len(event.key) <= LONGEST_KEY:
        raise InputError(f"a step needs a key of its own, 1 to {LONGEST_KEY} characters, e.g. '7f3a-12'")
    return check_event(event._replace(value=_clean(event.value), key=_clean(event.key)))


def _clean(text: str) -> str:
    """A text as it can be stored: in one Unicode form, without what no text has."""
    return nfc(printable(text))


def _append(
    session: Session, assignment: AssignmentRecord, before: Sequence[LogEvent], events: Iterable[LogEvent], now: float
) -> list[LogEvent]:
    known = {event.key for event in before}
    last = before[-1].seconds if before else 0.0
    elapsed = max(last, now - assignment.taken_at)
    added = list[LogEvent]()
    for event in events:
        if event.key not in known:
            known.add(event.key)
            last = min(max(last, event.seconds), elapsed)
            added.append(event._replace(seconds=last))
    session.add_all(
        EventRecord(
            assignment_id=assignment.id,
            sequence=sequence,
            at=now,
            seconds=event.seconds,
            operation=event.operation,
            value=event.value,
            key=event.key,
        )
        for sequence, event in enumerate(added, assignment.events + 1)
    )
    assignment.events += len(added)
    session.flush()
    return added


# -- submitting --------------------------------------------------------------------------------------------


def faults_of(
    session: Session,
    assignment: AssignmentRecord,
    *,
    now: float,
    exists: Callable[[ElementId], bool],
    sentences: Sequence[str] = (),
) -> list[DraftFault]:
    """What keeps an assignment from being submitted now."""
    task = session.get_one(TaskRecord, assignment.task_id)
    draft = draft_of(session, assignment)
    return _find_faults(session, task, draft, max(draft.seconds, now - assignment.taken_at), exists, sentences)


def _find_faults(
    session: Session,
    task: TaskRecord,
    draft: AnnotationDraft,
    seconds: float,
    exists: Callable[[ElementId], bool],
    sentences: Sequence[str],
) -> list[DraftFault]:
    kind = TaskKind(task.kind)
    original = ""
    if kind is TaskKind.FEVER_MUTATIONS:
        original = session.get_one(StudioClaimRecord, task.claim_id).text
    return find_faults(
        kind,
        draft,
        task,
        seconds=seconds,
        exists=exists,
        settings=settings_of(session.get_one(ProjectRecord, task.project_id)),
        sentences=sentences,
        original=original,
    )


def submit(
    session: Session,
    assignment: AssignmentRecord,
    *,
    seen: int,
    now: float,
    exists: Callable[[ElementId], bool],
    flag: bool = False,
    suggestion: JsonObject | None = None,
    sentences: Sequence[str] = (),
) -> AnnotationRecord:
    """Make a draft of `seen` events an answer, and everything that follows from it.

    The task is open again while more answers are wanted, and is settled or disputed with the last. Claims that were
    written get the tasks that they are for. Sent twice, it is one answer.
    """
    lock_assignment(session, assignment)
    before = _last_annotation(session, assignment)
    if assignment.state == AssignmentState.SUBMITTED and before is not None and before.events == seen + 1:
        return before
    renew_lease(session, assignment, now=now)
    if assignment.events != seen:
        raise StaleDraft(seen, assignment.events)
    task = lock_task(session, assignment)
    if before is not None and not can_revise(task):
        raise Conflict("the task was settled in the meantime; your first answer stands")
    events = events_of(session, assignment)
    draft = fold(events)
    seconds = max(draft.seconds, now - assignment.taken_at)
    if faults := _find_faults(session, task, draft, seconds, exists, sentences):
        raise FaultyDraft(faults)
    revision = before.revision + 1 if before else 1
    finish = LogEvent(LogOperation.FINISH, LogOperation.FINISH, seconds, f"finish-{revision}")
    _append(session, assignment, events, [finish], now)
    end_assignment(assignment, AssignmentState.SUBMITTED, now)
    if before is not None:
        before.is_last = False
    annotation = _keep(session, assignment, task, draft, revision, seconds, flag, suggestion, now)
    if before is None:
        _move_on(session, task, annotation, now)
    return annotation


def _last_annotation(session: Session, assignment: AssignmentRecord) -> AnnotationRecord | None:
    return session.scalar(
        select(AnnotationRecord)
        .where(AnnotationRecord.assignment_id == assignment.id, AnnotationRecord.is_last)
        .execution_options(populate_existing=True)
    )


def _keep(
    session: Session,
    assignment: AssignmentRecord,
    task: TaskRecord,
    draft: AnnotationDraft,
    revision: int,
    seconds: float,
    flag: bool,
    suggestion: JsonObject | None,
    now: float,
) -> AnnotationRecord:
    kind = TaskKind(task.kind)
    answer = read_answer(kind, draft)
    guideline = current_guideline(session, session.get_one(ProjectRecord, task.project_id), kind)
    annotation = AnnotationRecord(
        assignment_id=assignment.id,
        task_id=task.id,
        account_id=assignment.account_id,
        revision=revision,
        is_last=True,
        label=answer.label,
        challenge=answer.challenge,
        rating=answer.rating,
        fields=dict(answer.fields),
        events=assignment.events,
        seconds=seconds,
        guideline_id=guideline.id if guideline else None,
        suggestion=suggestion or {},
        is_flagged=flag,
        submitted_at=now,
    )
    session.add(annotation)
    session.flush()
    session.add_all(
        EvidenceRecord(annotation_id=annotation.id, set_number=number, position=position, element=str(id))
        for number, pieces in enumerate(draft.evidence, 1)
        for position, id in enumerate(pieces, 1)
    )
    session.flush()
    return annotation


def _move_on(session: Session, task: TaskRecord, annotation: AnnotationRecord, now: float) -> None:
    task.answers += 1
    if task.pool not in SHARED_POOLS:
        task.state = move_task(TaskState(task.state), TaskStep.SUBMIT)
    if TaskKind(task.kind) in WRITING_KINDS and task.pool == Pool.WORK:
        _keep_claims(session, task, annotation, now)
    session.flush()
    settle(session, task, now=now)
    session.flush()


# -- what writing leads to ---------------------------------------------------------------------------------


def _keep_claims(session: Session, task: TaskRecord, annotation: AnnotationRecord, now: float) -> None:
    """The claims of an answer, and the tasks that they are for: these come before more writing, once they may."""
    project = session.get_one(ProjectRecord, task.project_id)
    claims = list(_read_claims(task, annotation, now))
    session.add_all(claims)
    session.flush()
    if task.kind == TaskKind.FEVEROUS_CLAIMS:
        first, second, third = claims
        third.parent_id = first.id if task.drawn["mutated"] == ClaimType.HIGHLIGHT_ONLY else second.id
    rng = Random(f"{project.seed} claims {annotation.id}")
    rng.shuffle(claims)  # nothing about the order of tasks tells the type of a claim
    for claim in claims:
        if task.kind == TaskKind.FEVER_CLAIMS:
            add_mutations_task(session, project, claim, now=now, priority=task.priority + 1)
        add_verification_task(session, project, claim, rng=rng, now=now, priority=task.priority + 1)


def _read_claims(task: TaskRecord, annotation: AnnotationRecord, now: float) -> Iterator[StudioClaimRecord]:
    fields = annotation.fields

    def make(name: str, **about: str | int | None) -> StudioClaimRecord:
        return StudioClaimRecord(
            project_id=task.project_id,
            text=squeeze(fields[name]),
            author_id=annotation.account_id,
            highlight_id=task.highlight_id,
            state=ClaimState.GOOD,
            pool=task.pool,
            source={},
            made_at=now,
            **about,
        )

    match TaskKind(task.kind):
        case TaskKind.FEVER_CLAIMS:
            yield from (make(name) for name in FEVER_CLAIM_FIELDS if name in fields)
        case TaskKind.FEVER_MUTATIONS:
            for mutation, name in MUTATION_FIELDS.items():
                if name in fields:
                    yield make(name, parent_id=task.claim_id, mutation=mutation)
        case TaskKind.FEVEROUS_CLAIMS:
            drawn = Prescription(**task.drawn)
            asked: Sequence[dict[str, str]] = (
                {"prescribed_truth": drawn.truth},
                {"page_rule": drawn.page_rule},
                {"mutation": drawn.mutation},
            )
            for number, (type, about) in enumerate(zip(ClaimType, asked, strict=True), 1):
                yield make(f"claim-{number}", type=type, expected_challenge=fields[f"challenge-{number}"], **about)


# -- changing, reporting, skipping -------------------------------------------------------------------------


def revise(session: Session, assignment: AssignmentRecord, *, now: float) -> None:
    """Open an own answer again; until it is submitted once more, the one before counts."""
    lock_assignment(session, assignment)
    task = lock_task(session, assignment)
    if assignment.state == AssignmentState.ACTIVE:
        return
    if assignment.state != AssignmentState.SUBMITTED:
        raise Conflict(f"the task is {assignment.state}; only an answer that was submitted can be changed")
    if TaskKind(task.kind) in WRITING_KINDS:
        raise Conflict("claims that were submitted are with others already; tell a manager what is wrong with one")
    if not can_revise(task):
        raise Conflict("the task is settled, so the answer cannot be changed any longer; tell a manager what is wrong")
    resume(session, assignment, task, now=now)


def report(
    session: Session, assignment: AssignmentRecord, *, reason: ReportReason, note: str = "", now: float
) -> ReportRecord:
    """Say that a claim breaks the rules, instead of verifying it: a manager looks at it."""
    note = _clean(note).strip()
    if reason is ReportReason.OWN_NOTE and not note:
        raise InputError("say in a sentence what is wrong with the claim")
    _refuse_long(note)
    lock_assignment(session, assignment)
    if made := _find_report(session, assignment):
        return made
    renew_lease(session, assignment, now=now)
    task = lock_task(session, assignment)
    if task.claim_id is None:
        raise InputError("there is no claim to report in this task; skip it with a reason")
    _refuse_answered(session, assignment)
    claim = session.get_one(StudioClaimRecord, task.claim_id, with_for_update=True, populate_existing=True)
    if claim.state != ClaimState.REPORTED:
        claim.state = move_claim(ClaimState(claim.state), ClaimStep.REPORT)
    made = ReportRecord(
        claim_id=claim.id, task_id=task.id, account_id=assignment.account_id, reason=reason, note=note, made_at=now
    )
    session.add(made)
    end_assignment(assignment, AssignmentState.REPORTED, now, reason)
    if task.pool not in SHARED_POOLS:
        task.state = move_task(TaskState(task.state), TaskStep.FLAG)
    session.flush()
    advance_after(session, task, assignment.account_id)
    return made


def _find_report(session: Session, assignment: AssignmentRecord) -> ReportRecord | None:
    """What was reported already, where it is sent twice."""
    if assignment.state != AssignmentState.REPORTED:
        return None
    return session.scalar(
        select(ReportRecord).where(
            ReportRecord.task_id == assignment.task_id, ReportRecord.account_id == assignment.account_id
        )
    )


def skip(
    session: Session,
    assignment: AssignmentRecord,
    *,
    reason: SkipReason | HighlightSkipReason,
    now: float,
    exists: Callable[[ElementId], bool],
) -> AnnotationRecord | None:
    """Leave a task: to somebody else, or, where the claim or the highlight is at fault, to a manager.

    That a claim to be labelled has not enough information is an answer, which is returned.
    """
    lock_assignment(session, assignment)
    if assignment.state == AssignmentState.SKIPPED and assignment.reason == reason:
        return None
    task = lock_task(session, assignment)
    is_answer = reason is SkipReason.NOT_ENOUGH_INFORMATION and task.kind == TaskKind.FEVER_LABELLING
    if is_answer and assignment.state == AssignmentState.SUBMITTED:
        return _last_annotation(session, assignment)
    renew_lease(session, assignment, now=now)
    if is_answer:
        verdict = LogEvent(LogOperation.WRITE, f"verdict={Label.NOT_ENOUGH_INFO}", now, f"skip-{assignment.events}")
        _append(session, assignment, events_of(session, assignment), [verdict], now)
        return submit(session, assignment, seen=assignment.events, now=now, exists=exists)
    if reason in (SkipReason.NOT_FOR_ME, SkipReason.NOT_ENOUGH_INFORMATION) or task.pool in SHARED_POOLS:
        give_back(session, assignment, reason=reason, now=now)
        return None
    _refuse_answered(session, assignment)
    end_assignment(assignment, AssignmentState.SKIPPED, now, reason)
    task.state = move_task(TaskState(task.state), TaskStep.FLAG)
    session.flush()
    return None


def comment(session: Session, task: TaskRecord, account_id: int, text: str, *, now: float) -> CommentRecord:
    """A remark on a task."""
    text = _clean(text).strip()
    if not text:
        raise InputError("a comment needs words")
    _refuse_long(text)
    made = CommentRecord(task_id=task.id, account_id=account_id, text=text, made_at=now)
    session.add(made)
    session.flush()
    return made


def _refuse_long(note: str) -> None:
    if len(note) > LONGEST_NOTE:
        raise InputError(f"the note has {len(note):,} characters; at most {LONGEST_NOTE:,}")


def _refuse_answered(session: Session, assignment: AssignmentRecord) -> None:
    if has_answered(session, assignment):
        raise Conflict("the claim was answered already; give the change up first, then tell a manager what is wrong")
