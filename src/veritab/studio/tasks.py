"""Tasks: how they are made, who takes which, and how they come back.

Work and what super-annotators do is exclusive: one person holds a task at a time, and it opens again while answers are
wanted. Practice, calibration and hidden gold are for everybody: their tasks stay open, and only who has met one already
is told apart. Rows are locked in one order, membership, assignment, task, so that nobody waits in a circle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from random import Random

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from veritab.errors import Conflict, InputError, NotAllowed
from veritab.schema import Page
from veritab.studio.drawing import Highlight, draw_highlights, draw_prescription, draw_source_sentences
from veritab.studio.log import LogEvent, LogOperation, fold
from veritab.studio.projects import Workflow, settings_of
from veritab.studio.quality import advance, advance_after, calibration_of
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    EventRecord,
    HighlightRecord,
    JsonObject,
    MembershipRecord,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import (
    AssignmentState,
    ClaimState,
    MemberStage,
    MemberStep,
    TaskState,
    TaskStep,
    move_member,
    move_task,
)
from veritab.studio.vocabulary import SHARED_POOLS, HighlightKind, Pool, TaskKind

_RELEASED_AT_ONCE = 100
_FIRST_KEY = "start"
IMPORTED_DRAFT = "imported without a label"
"""Why an assignment ended that nobody ever held: it came from elsewhere, and whoever takes the task goes on with it."""


# -- making tasks ------------------------------------------------------------------------------------------


def draw_writing_tasks(
    session: Session,
    project: ProjectRecord,
    pages: Iterable[Page],
    *,
    count: int,
    now: float,
    pool: str = Pool.WORK,
    phase: int = 0,
    priority: int = 0,
) -> list[TaskRecord]:
    """So many tasks to write claims, about highlights drawn by lot; a page is used once in a project, ever.

    There are fewer where the pages that are left have nothing to write about.
    """
    workflow = Workflow(project.workflow)
    if workflow is Workflow.PLAIN:
        raise InputError(f"project {project.name!r} has no claims to write; import a file of claims instead")
    if count < 1:
        raise InputError(f"{count} tasks cannot be drawn; ask for one or more")
    # Two managers who draw at once draw different pages; whoever writes of the project meanwhile does not wait.
    session.refresh(project, with_for_update={"key_share": True})
    used = set(session.scalars(select(HighlightRecord.page).where(HighlightRecord.project_id == project.id)))
    rng = Random(f"{project.seed} highlights {len(used)}")
    fresh = (page for page in pages if page.title not in used)
    if workflow is Workflow.FEVER:
        kind, ids = TaskKind.FEVER_CLAIMS, draw_source_sentences(fresh, count, rng)
        highlights = [Highlight(id.page, HighlightKind.SENTENCES, (id,)) for id in ids]
    else:
        kind, highlights = TaskKind.FEVEROUS_CLAIMS, draw_highlights(fresh, count, rng)
    tasks = []
    for highlight in highlights:
        kept = HighlightRecord(
            project_id=project.id,
            page=highlight.page,
            kind=highlight.kind,
            elements={"ids": [str(id) for id in highlight.elements]},
        )
        session.add(kept)
        session.flush()
        drawn = draw_prescription(rng)._asdict() if kind is TaskKind.FEVEROUS_CLAIMS else {}
        task = _make_task(project, kind, now=now, pool=pool, phase=phase, priority=priority, drawn=drawn)
        task.highlight_id = kept.id
        tasks.append(task)
    session.add_all(tasks)
    session.flush()
    return tasks


VERIFICATION_KINDS = {
    Workflow.FEVER: TaskKind.FEVER_LABELLING,
    Workflow.FEVEROUS: TaskKind.FEVEROUS_VERIFICATION,
    Workflow.PLAIN: TaskKind.PLAIN_VERIFICATION,
}


def add_verification_task(
    session: Session,
    project: ProjectRecord,
    claim: StudioClaimRecord,
    *,
    rng: Random,
    now: float,
    pool: str = Pool.WORK,
    phase: int = 0,
    gold: JsonObject | None = None,
    priority: int = 0,
    kind: TaskKind | None = None,
) -> TaskRecord:
    """The task to verify a claim; how many answer it is drawn here, and so is whether a super-annotator gets one too.

    A claim that somebody wrote is not met before the hours that the project's settings say have gone by.
    """
    settings = settings_of(project)
    kind = kind or VERIFICATION_KINDS[Workflow(project.workflow)]
    waits_until = 0.0 if claim.author_id is None else claim.made_at + settings.hours_after_writing * 3600
    wanted = settings.overlap_rule.draw(rng)
    task = _make_task(project, kind, now=now, pool=pool, phase=phase, priority=priority)
    task.claim_id, task.gold, task.not_before = claim.id, gold or {}, waits_until
    session.add(task)
    if pool == Pool.WORK:
        task.wanted = wanted.annotators
        if wanted.super_annotator:
            by_super = _make_task(project, kind, now=now, pool=Pool.SUPER, priority=priority)
            by_super.claim_id, by_super.not_before, by_super.is_for_super = claim.id, waits_until, True
            session.add(by_super)
    session.flush()
    return task


def add_mutations_task(
    session: Session, project: ProjectRecord, claim: StudioClaimRecord, *, now: float, priority: int = 0
) -> TaskRecord:
    """The task to change a claim in FEVER's six ways."""
    task = _make_task(project, TaskKind.FEVER_MUTATIONS, now=now, pool=Pool.WORK, priority=priority)
    task.claim_id, task.highlight_id = claim.id, claim.highlight_id
    session.add(task)
    session.flush()
    return task


def _make_task(
    project: ProjectRecord,
    kind: TaskKind,
    *,
    now: float,
    pool: str,
    phase: int = 0,
    priority: int = 0,
    drawn: JsonObject | None = None,
) -> TaskRecord:
    return TaskRecord(
        project_id=project.id,
        kind=kind,
        pool=Pool(pool),
        phase=phase,
        drawn=drawn or {},
        gold={},
        state=TaskState.OPEN,
        wanted=0 if pool in SHARED_POOLS else 1,
        answers=0,
        priority=priority,
        is_for_super=pool == Pool.SUPER,
        not_before=0.0,
        made_at=now,
    )


def has_tasks(session: Session, project: ProjectRecord, kind: TaskKind, *, open_at: float | None = None) -> bool:
    """Whether a project has tasks of a kind that were not closed; with `open_at`, work that can be taken then.

    The index `ix_tasks_kind` answers: pages ask this all the time, and there may be hundreds of thousands of tasks.
    """
    there = select(TaskRecord.id).where(TaskRecord.project_id == project.id, TaskRecord.kind == kind)
    if open_at is None:
        there = there.where(TaskRecord.state != TaskState.CLOSED)
    else:
        there = there.where(
            TaskRecord.state == TaskState.OPEN, TaskRecord.pool == Pool.WORK, TaskRecord.not_before <= open_at
        )
    return session.scalar(there.limit(1)) is not None


# -- taking one --------------------------------------------------------------------------------------------


def next_task(
    session: Session,
    project: ProjectRecord,
    member: MembershipRecord,
    *,
    now: float,
    practice: bool = False,
    kind: TaskKind | None = None,
) -> AssignmentRecord | None:
    """What somebody does next; None where there is nothing for them now.

    A task that is still in their hands comes first, then one whose lease ran out and that nobody else holds: its draft
    goes on. Otherwise they take one: by priority, those with the fewest answers first, then the oldest; never a claim
    that they wrote, nor a claim or highlight that any task has shown them. Calibration gives its own tasks, and a share
    of the work is hidden gold. `practice` asks for practice instead, `kind` for one kind of task.
    """
    session.flush()
    session.refresh(member, with_for_update=True)  # two tabs that ask at once get one task
    _refuse_idle(project, member)
    pools, phase = _pools_of(member, practice)
    if active := _find_active(session, project, member):
        active.lease_until = _lease(project, now)
        return active
    release_expired(session, now=now)
    if left := _find_left(session, project, member, [*pools, Pool.GOLD] if Pool.WORK in pools else pools, kind):
        with suppress(Conflict):  # somebody takes it this very moment
            renew_lease(session, left, now=now)
            return left
    if phase and _is_calibrated(session, project, member):
        advance(session, project, member)  # its last task may have been withdrawn
        return None
    found = (_find_open(session, project, member, pool, phase, kind, now) for pool in pools)
    task = next(filter(None, found), None)
    if task and task.pool == Pool.WORK and _is_time_for_gold(project, member, now):
        task = _find_open(session, project, member, Pool.GOLD, phase, kind, now) or task
    return _take(session, project, member, task, now) if task else None


def _refuse_idle(project: ProjectRecord, member: MembershipRecord) -> None:
    """A NotAllowed where nothing is put into somebody's hands now."""
    if project.closed_at is not None:
        raise NotAllowed(f"project {project.name!r} is closed; nothing is given out any longer")
    if reason := _NOT_NOW.get(MemberStage.INVITED if member.consented_at is None else MemberStage(member.stage)):
        raise NotAllowed(reason)


def _pools_of(member: MembershipRecord, practice: bool) -> tuple[Sequence[Pool], int]:
    """Where somebody's tasks come from, best first, and the phase of calibration."""
    if practice:
        return [Pool.PRACTICE], 0
    stage = MemberStage(member.stage)
    if stage is MemberStage.FEEDBACK_READ:
        stage = move_member(stage, MemberStep.BEGIN_PHASE_TWO)
        member.stage = stage
    if stage in _PHASES:
        return [Pool.CALIBRATION], _PHASES[stage]
    return [Pool.SUPER, Pool.WORK] if member.is_super else [Pool.WORK], 0


def _is_calibrated(session: Session, project: ProjectRecord, member: MembershipRecord) -> bool:
    """Whether somebody has answered as many tasks of a phase as it has."""
    state = calibration_of(session, project, member)
    return state.done >= state.wanted


_PHASES = {MemberStage.PHASE_ONE: 1, MemberStage.PHASE_TWO: 2}
_NOT_NOW = {
    MemberStage.INVITED: "you have not agreed to take part yet; read what the project asks and agree to it first",
    MemberStage.WAITING: "your calibration is complete; a manager looks at it and decides whether you go on",
    MemberStage.REJECTED: "your part in this project has ended after calibration; ask a manager if you think it wrong",
    MemberStage.PAUSED: "you are paused; read the guidelines again, then ask a manager to let you go on",
}


def _find_active(session: Session, project: ProjectRecord, member: MembershipRecord) -> AssignmentRecord | None:
    held = session.execute(
        select(AssignmentRecord, TaskRecord)
        .join(TaskRecord, TaskRecord.id == AssignmentRecord.task_id)
        .where(
            AssignmentRecord.account_id == member.account_id,
            AssignmentRecord.state == AssignmentState.ACTIVE,
            TaskRecord.project_id == project.id,
        )
        .order_by(AssignmentRecord.id)
        .execution_options(populate_existing=True)
    )
    found: AssignmentRecord
    for found, task in held:
        is_answered = has_answered(session, found)
        if can_revise(task) or not (is_answered or task.state == TaskState.CLOSED):
            return found
        # It was being revised as others settled it, or written to as its claim was withdrawn.
        found.state = AssignmentState.SUBMITTED if is_answered else AssignmentState.EXPIRED
    return None


def _find_left(
    session: Session,
    project: ProjectRecord,
    member: MembershipRecord,
    pools: Sequence[Pool],
    kind: TaskKind | None,
) -> AssignmentRecord | None:
    """The last task whose lease ran out in somebody's hands, where nobody holds it now."""
    is_free = select(TaskRecord.id).where(
        TaskRecord.id == AssignmentRecord.task_id,
        TaskRecord.project_id == project.id,
        TaskRecord.state == TaskState.OPEN,
        TaskRecord.pool.in_(pools),
    )
    if kind is not None:
        is_free = is_free.where(TaskRecord.kind == kind)
    return session.scalar(
        select(AssignmentRecord)
        .where(
            AssignmentRecord.account_id == member.account_id,
            AssignmentRecord.state == AssignmentState.EXPIRED,
            is_free.exists(),
        )
        .order_by(AssignmentRecord.lease_until.desc(), AssignmentRecord.id)
        .limit(1)
        .with_for_update(of=AssignmentRecord)
        .execution_options(populate_existing=True)
    )


_GIVEN_OUT = (ClaimState.GOOD, ClaimState.CORRECTED, ClaimState.RETURNED)
_GIVEN_OUT_TO_ALL = (*_GIVEN_OUT, ClaimState.REPORTED)  # one report does not end everybody's calibration


def _find_open(
    session: Session,
    project: ProjectRecord,
    member: MembershipRecord,
    pool: Pool,
    phase: int,
    kind: TaskKind | None,
    now: float,
) -> TaskRecord | None:
    """The first task of a pool that somebody may take, locked against others.

    The index `ix_tasks_next` has the tasks of a priority in the order in which they are wanted: the search ends at the
    first that fits, however many there are.
    """
    seen = aliased(TaskRecord)
    mine = (
        select(AssignmentRecord.id)
        .join(seen, seen.id == AssignmentRecord.task_id)
        .where(AssignmentRecord.account_id == member.account_id)
    )
    highlight = func.coalesce(TaskRecord.highlight_id, StudioClaimRecord.highlight_id)
    there = and_(TaskRecord.project_id == project.id, TaskRecord.state == TaskState.OPEN, TaskRecord.pool == pool)
    fitting = (
        select(TaskRecord)
        .outerjoin(StudioClaimRecord, StudioClaimRecord.id == TaskRecord.claim_id)
        .where(
            there,
            TaskRecord.not_before <= now,
            *(() if member.is_super else (TaskRecord.is_for_super.is_(False),)),
            or_(
                TaskRecord.claim_id.is_(None),
                and_(
                    StudioClaimRecord.author_id.is_distinct_from(member.account_id),
                    StudioClaimRecord.state.in_(_GIVEN_OUT_TO_ALL if pool in SHARED_POOLS else _GIVEN_OUT),
                ),
            ),
            ~select(AssignmentRecord.id)
            .where(AssignmentRecord.task_id == TaskRecord.id, AssignmentRecord.account_id == member.account_id)
            .exists(),
            ~mine.where(seen.claim_id == TaskRecord.claim_id).exists(),
            ~mine.where(seen.highlight_id == highlight).exists(),
        )
        .order_by(TaskRecord.answers, TaskRecord.id)
        .limit(1)
        .with_for_update(of=TaskRecord, skip_locked=True)
        .execution_options(populate_existing=True)
    )
    if phase:
        fitting = fitting.where(TaskRecord.phase == phase)
    if kind is not None:
        fitting = fitting.where(TaskRecord.kind == kind)
    highest = select(TaskRecord.priority).where(there).order_by(TaskRecord.priority.desc()).limit(1)
    priority = session.scalar(highest)
    while priority is not None:
        if found := session.scalar(fitting.where(TaskRecord.priority == priority)):
            return found
        priority = session.scalar(highest.where(TaskRecord.priority < priority))
    return None


def _is_time_for_gold(project: ProjectRecord, member: MembershipRecord, now: float) -> bool:
    return Random(f"{project.seed} gold {member.account_id} {now!r}").random() < settings_of(project).gold_share


def _take(
    session: Session, project: ProjectRecord, member: MembershipRecord, task: TaskRecord, now: float
) -> AssignmentRecord:
    if task.pool not in SHARED_POOLS:
        task.state = move_task(TaskState(task.state), TaskStep.TAKE)
    assignment = AssignmentRecord(
        task_id=task.id,
        account_id=member.account_id,
        state=AssignmentState.ACTIVE,
        taken_at=now,
        lease_until=_lease(project, now),
    )
    session.add(assignment)
    session.flush()
    events = [LogEvent(LogOperation.START, LogOperation.START, 0.0, _FIRST_KEY), *_begun_elsewhere(session, task)]
    session.add_all(
        EventRecord(assignment_id=assignment.id, sequence=sequence, at=now, **event._asdict())
        for sequence, event in enumerate(events, 1)
    )
    assignment.events = len(events)
    session.flush()
    return assignment


def _begun_elsewhere(session: Session, task: TaskRecord) -> Iterator[LogEvent]:
    """The evidence that a task was imported with, for whoever answers it first; one undo takes it away."""
    if task.answers:
        return
    of_task = AssignmentRecord.task_id == task.id, AssignmentRecord.reason == IMPORTED_DRAFT
    begun = session.scalars(
        select(EventRecord)
        .join(AssignmentRecord, AssignmentRecord.id == EventRecord.assignment_id)
        .where(*of_task)
        .order_by(EventRecord.assignment_id, EventRecord.sequence)
    )
    draft = fold(LogEvent(LogOperation(each.operation), each.value, each.seconds, each.key) for each in begun)
    for number, pieces in enumerate(draft.evidence, 1):
        if number > 1:
            yield LogEvent(LogOperation.EVIDENCE_SET, str(number), 0.0, f"imported/{number}")
        for position, id in enumerate(pieces):
            yield LogEvent(LogOperation.EVIDENCE_ADDED, str(id), 0.0, f"imported/{number}.{position}")


# -- holding one, and giving it back -----------------------------------------------------------------------


def lock_assignment(session: Session, assignment: AssignmentRecord) -> None:
    """See an assignment as it is, and keep it so until the transaction ends; its member comes first in the order."""
    session.flush()
    session.execute(
        select(MembershipRecord.id)
        .join(TaskRecord, TaskRecord.project_id == MembershipRecord.project_id)
        .where(TaskRecord.id == assignment.task_id, MembershipRecord.account_id == assignment.account_id)
        .with_for_update(of=MembershipRecord)
    ).all()
    session.refresh(assignment, with_for_update=True)


def lock_task(session: Session, assignment: AssignmentRecord) -> TaskRecord:
    """The task of a locked assignment, locked."""
    return session.get_one(TaskRecord, assignment.task_id, with_for_update=True, populate_existing=True)


def renew_lease(session: Session, assignment: AssignmentRecord, *, now: float) -> None:
    """Let somebody hold a locked assignment for as long again.

    One whose lease ran out goes on where it stood, draft and clock, as long as nobody else has taken the task since and
    its holder has begun no other. Otherwise it is a Conflict.
    """
    if assignment.state == AssignmentState.EXPIRED:
        task = lock_task(session, assignment)
        if task.state != TaskState.OPEN:
            why = assignment.reason or "you were away too long, and the task went to somebody else"
            raise Conflict(f"{why}; ask for the next one")
        resume(session, assignment, task, now=now)
        if task.pool not in SHARED_POOLS:
            task.state = move_task(TaskState(task.state), TaskStep.TAKE)
    elif assignment.state != AssignmentState.ACTIVE:
        raise Conflict(f"the task is {assignment.state} already; ask for the next one")
    else:
        task = session.get_one(TaskRecord, assignment.task_id)
        until = _lease(session.get_one(ProjectRecord, task.project_id), now)
        assignment.lease_until = max(assignment.lease_until, until)  # another server may have renewed it since


def resume(session: Session, assignment: AssignmentRecord, task: TaskRecord, *, now: float) -> None:
    """Put a task into somebody's hands again, who may work and holds no other; the clock stood in the meantime."""
    project = session.get_one(ProjectRecord, task.project_id)
    whose = (MembershipRecord.project_id == project.id, MembershipRecord.account_id == assignment.account_id)
    _refuse_idle(project, session.scalars(select(MembershipRecord).where(*whose)).one())
    other = session.scalar(
        select(AssignmentRecord.id)
        .join(TaskRecord, TaskRecord.id == AssignmentRecord.task_id)
        .where(
            AssignmentRecord.account_id == assignment.account_id,
            AssignmentRecord.state == AssignmentState.ACTIVE,
            TaskRecord.project_id == task.project_id,
        )
        .limit(1)
    )
    if other is not None:
        raise Conflict("you have begun another task since; finish or skip that one first")
    last = session.scalar(select(func.max(EventRecord.seconds)).where(EventRecord.assignment_id == assignment.id))
    assignment.taken_at = now - (last or 0.0)
    assignment.lease_until = _lease(project, now)
    assignment.state, assignment.ended_at = AssignmentState.ACTIVE, None


def give_back(session: Session, assignment: AssignmentRecord, *, reason: str, now: float) -> None:
    """Let others do a task, and never see it again; giving up a revision leaves what was submitted."""
    lock_assignment(session, assignment)
    if assignment.state != AssignmentState.ACTIVE:
        raise Conflict(f"the task is {assignment.state} already, so it cannot be given back")
    task = lock_task(session, assignment)
    if has_answered(session, assignment):
        end_assignment(assignment, AssignmentState.SUBMITTED, now)
        return
    end_assignment(assignment, AssignmentState.SKIPPED, now, reason)
    if task.pool not in SHARED_POOLS and task.state == TaskState.TAKEN:  # not so if its claim was withdrawn meanwhile
        task.state = move_task(TaskState(task.state), TaskStep.GIVE_BACK)
    advance_after(session, task, assignment.account_id)


def end_assignment(assignment: AssignmentRecord, state: AssignmentState, now: float, reason: str = "") -> None:
    """Take a task out of somebody's hands."""
    assignment.state, assignment.ended_at, assignment.reason = state, now, reason


def release_expired(session: Session, *, now: float) -> int:
    """Open the tasks again whose leases have run out, some at a time, and say how many; their events are kept.

    Whoever held one goes on with it if they come back before somebody else has taken it. What was being revised counts
    as it was submitted.
    """
    expired = session.scalars(
        select(AssignmentRecord)
        .where(AssignmentRecord.state == AssignmentState.ACTIVE, AssignmentRecord.lease_until < now)
        .order_by(AssignmentRecord.lease_until)
        .limit(_RELEASED_AT_ONCE)
        .with_for_update(skip_locked=True)
        .execution_options(populate_existing=True)
    ).all()
    for assignment in expired:
        if has_answered(session, assignment):
            end_assignment(assignment, AssignmentState.SUBMITTED, now)
            continue
        end_assignment(assignment, AssignmentState.EXPIRED, now)
        if session.get_one(TaskRecord, assignment.task_id).pool in SHARED_POOLS:
            continue  # nobody waits for these to open, and locking them in any order could end in a circle
        task = lock_task(session, assignment)
        if task.state == TaskState.TAKEN:
            task.state = move_task(TaskState(task.state), TaskStep.GIVE_BACK)
    session.flush()
    return len(expired)


def has_answered(session: Session, assignment: AssignmentRecord) -> bool:
    """Whether something was submitted: such an assignment is active only while it is revised."""
    found = select(AnnotationRecord.id).where(AnnotationRecord.assignment_id == assignment.id).limit(1)
    return session.scalar(found) is not None


def can_revise(task: TaskRecord) -> bool:
    """Whether answers to a task may still be changed."""
    return task.pool not in SHARED_POOLS and task.state in _UNSETTLED


_UNSETTLED = (TaskState.OPEN, TaskState.TAKEN, TaskState.DISPUTED, TaskState.FLAGGED)


def _lease(project: ProjectRecord, now: float) -> float:
    return now + settings_of(project).lease_minutes * 60
