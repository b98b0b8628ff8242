"""Tasks, claims and reports of a project, in lists: what waits for a decision, what comes first, what is drawn next."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from sqlalchemy import ColumnElement, func, select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import InputError, NotFound
from veritab.studio import accounts, projects, quality
from veritab.studio.projects import Workflow
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    HighlightRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import ClaimState, ClaimStep, TaskState
from veritab.studio.vocabulary import Pool, ReportReason, Role, TaskKind
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.studio.answers import find_task
from veritab.web.studio.evidence import draw_verdict_label
from veritab.web.studio.rendering import ask_first, is_sure, render
from veritab.web.studio.sessions import (
    NotDone,
    ProjectVisit,
    RecordNumber,
    Visit,
    attempt,
    change,
    local_address,
    look,
    move_on,
)

_AT_ONCE = 50
_MOST_DRAWN = 1_000
_TO_DECIDE = (TaskState.DISPUTED, TaskState.FLAGGED, TaskState.IN_REVIEW)
PageNumber = Annotated[int, Query(ge=1, le=100_000)]


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/manage/tasks")
    async def tasks(
        request: Request,
        project: str,
        state: str = "",
        pool: str = "",
        kind: str = "",
        answered_by: str = "",
        page: PageNumber = 1,
    ) -> Response:
        chosen = {"state": state, "pool": pool, "kind": kind, "answered_by": answered_by}
        return await look(request, _list_tasks, project, chosen, page)

    @router.post("/p/{project}/manage/tasks/draw")
    async def draw(request: Request, project: str) -> Response:
        return await attempt(request, _draw_more, project)

    @router.post("/p/{project}/manage/tasks/{task}/priority")
    async def priority(request: Request, project: str, task: RecordNumber) -> Response:
        return await change(request, _set_priority, project, task)

    @show_at(router, "/p/{project}/manage/claims")
    async def claims(
        request: Request, project: str, words: str = "", state: str = "", author: str = "", page: PageNumber = 1
    ) -> Response:
        return await look(request, _list_claims, project, {"words": words, "state": state, "author": author}, page)

    @show_at(router, "/p/{project}/manage/qa")
    async def queue(request: Request, project: str, page: PageNumber = 1) -> Response:
        return await look(request, _list_queue, project, page)

    @show_at(router, "/p/{project}/manage/reports")
    async def reports(request: Request, project: str, ended: bool = False, page: PageNumber = 1) -> Response:
        return await look(request, _list_reports, project, ended, page)

    @router.post("/p/{project}/manage/reports/{report}")
    async def end_report(request: Request, project: str, report: RecordNumber) -> Response:
        return await change(request, _end_report, project, report)


# -- tasks -------------------------------------------------------------------------------------------------


def count_tasks(here: ProjectVisit) -> dict[Pool, dict[TaskState, int]]:
    """How many tasks of each pool are in each state."""
    counts: dict[Pool, dict[TaskState, int]] = {}
    for pool, state, count in here.session.execute(
        select(TaskRecord.pool, TaskRecord.state, func.count())
        .where(TaskRecord.project_id == here.project.id)
        .group_by(TaskRecord.pool, TaskRecord.state)
    ):
        counts.setdefault(Pool(pool), {})[TaskState(state)] = count
    return {pool: counts[pool] for pool in Pool if pool in counts}


def _list_tasks(visit: Visit, name: str, chosen: dict[str, str], page: int) -> Response:
    return _draw_tasks(visit.enter(name, Role.MANAGER), chosen, page)


def _draw_tasks(
    here: ProjectVisit, chosen: dict[str, str], page: int = 1, *, refused: str = "", status: int = 200
) -> Response:
    asked = (
        select(TaskRecord, StudioClaimRecord.text, HighlightRecord.page)
        .outerjoin(StudioClaimRecord, StudioClaimRecord.id == TaskRecord.claim_id)
        .outerjoin(HighlightRecord, HighlightRecord.id == TaskRecord.highlight_id)
        .where(*_task_conditions(here, chosen))
        .order_by(TaskRecord.priority.desc(), TaskRecord.id.desc())
        .limit(_AT_ONCE + 1)
        .offset((page - 1) * _AT_ONCE)
    )
    rows = here.session.execute(asked).all()
    return render(
        here,
        "manage_tasks.html",
        here="manage",
        status=status,
        counts=count_tasks(here),
        states=list(TaskState),
        pools=list(Pool),
        kinds=projects.workflow_of(here.project).kinds,
        chosen=chosen,
        rows=rows[:_AT_ONCE],
        has_more=len(rows) > _AT_ONCE,
        page=page,
        may_draw=projects.workflow_of(here.project) is not Workflow.PLAIN and here.project.closed_at is None,
        most=_MOST_DRAWN,
        kind_words={kind.value: kind.label for kind in TaskKind},
        pool_words={pool.value: pool.label for pool in Pool},
        back=here.to("manage", "tasks", **{name: value for name, value in chosen.items() if value}, page=page),
        form=here.form,
        refused=as_sentence(refused),
    )


def _task_conditions(here: ProjectVisit, chosen: dict[str, str]) -> list[ColumnElement[bool]]:
    conditions = [TaskRecord.project_id == here.project.id]
    for field, column, known in (
        ("state", TaskRecord.state, TaskState),
        ("pool", TaskRecord.pool, Pool),
        ("kind", TaskRecord.kind, TaskKind),
    ):
        if value := chosen.get(field):
            if value not in list(known):
                raise InputError(f"{field} is {value[:40]!r}; expected one of {', '.join(known)}")
            conditions.append(column == value)
    if person := chosen.get("answered_by"):
        account = accounts.find_account(here.session, person[:100])
        theirs = select(AssignmentRecord.task_id).where(AssignmentRecord.account_id == account.id)
        conditions.append(TaskRecord.id.in_(theirs))
    return conditions


def _draw_more(visit: Visit, name: str) -> Response:
    with visit.studio.database.reading() as session:
        here = visit.within(session).enter(name, Role.MANAGER)
        pool, count = here.field("pool", 40), here.field("count", 10)
        try:
            projects.refuse_closed(here.project)
            if not count.isdecimal() or not 1 <= int(count) <= _MOST_DRAWN:
                raise InputError(f"{count!r} tasks cannot be drawn at a time; expected 1 to {_MOST_DRAWN:,}")
            if pool not in (Pool.WORK, Pool.PRACTICE, Pool.CALIBRATION):
                raise InputError(f"tasks to write claims cannot be drawn into the pool {pool!r}")
            if projects.workflow_of(here.project) is Workflow.PLAIN:
                raise InputError(f"project {name!r} has no claims to write; import a file of claims instead")
            phase = _read_phase(here) if pool == Pool.CALIBRATION else 0
        except InputError as error:
            problem = describe_error(error)
            raise NotDone(_draw_tasks(here, {}, refused=problem.detail, status=problem.status)) from None
    made = visit.studio.draw_tasks(
        here.project, int(count), pool=pool, phase=phase, by=visit.signed.account_id, now=visit.now
    )
    return move_on(here.to("manage", "tasks"), "drawn" if made else "drawn-none")


def _read_phase(here: ProjectVisit) -> int:
    phase = here.field("phase", 10)
    if phase not in ("1", "2"):
        raise InputError("calibration has phases 1 and 2; choose one of them")
    return int(phase)


def _set_priority(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    task, said = find_task(here.session, here.project, id), here.field("priority", 10)
    if not said.removeprefix("-").isdecimal() or abs(int(said)) > 1000:
        raise InputError(f"{said!r} is no priority; expected a whole number from -1000 to 1000, the highest first")
    before, task.priority = task.priority, int(said)
    if task.priority != before:
        projects.leave_trail(
            here.session,
            "change priority",
            f"task {task.id}",
            before={"priority": before},
            after={"priority": task.priority},
            by=here.signed.account_id,
            project_id=here.project.id,
            now=here.now,
        )
    back = local_address(here.field("back"))
    return move_on(back if back.startswith(here.to("manage", "tasks")) else here.to("manage", "tasks"), "priority")


# -- claims ------------------------------------------------------------------------------------------------


def _list_claims(visit: Visit, name: str, chosen: dict[str, str], page: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    conditions = [StudioClaimRecord.project_id == here.project.id]
    if words := chosen["words"].strip()[:200]:
        conditions.append(StudioClaimRecord.text.icontains(words, autoescape=True))
    if state := chosen["state"]:
        if state not in list(ClaimState):
            raise InputError(f"state is {state[:40]!r}; expected one of {', '.join(ClaimState)}")
        conditions.append(StudioClaimRecord.state == state)
    if author := chosen["author"].strip():
        conditions.append(StudioClaimRecord.author_id == accounts.find_account(here.session, author[:100]).id)
    rows = here.session.execute(
        select(StudioClaimRecord, AccountRecord.name)
        .outerjoin(AccountRecord, AccountRecord.id == StudioClaimRecord.author_id)
        .where(*conditions)
        .order_by(StudioClaimRecord.id.desc())
        .limit(_AT_ONCE + 1)
        .offset((page - 1) * _AT_ONCE)
    ).all()
    shown = rows[:_AT_ONCE]
    tasks = here.session.scalars(
        select(TaskRecord).where(TaskRecord.claim_id.in_([claim.id for claim, _ in shown])).order_by(TaskRecord.id)
    )
    by_claim: dict[int, list[TaskRecord]] = {}
    for task in tasks:
        by_claim.setdefault(task.claim_id or 0, []).append(task)
    return render(
        here,
        "manage_claims.html",
        here="manage",
        chosen=chosen,
        states=list(ClaimState),
        rows=[(claim, author or "", by_claim.get(claim.id, [])) for claim, author in shown],
        total=here.session.scalar(select(func.count()).select_from(StudioClaimRecord).where(*conditions)),
        has_more=len(rows) > _AT_ONCE,
        page=page,
        pool_words={pool.value: pool.label for pool in Pool},
    )


# -- what waits for a decision -----------------------------------------------------------------------------


def _list_queue(visit: Visit, name: str, page: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    rows = here.session.execute(
        select(TaskRecord, StudioClaimRecord.text, StudioClaimRecord.state)
        .outerjoin(StudioClaimRecord, StudioClaimRecord.id == TaskRecord.claim_id)
        .where(TaskRecord.project_id == here.project.id, TaskRecord.state.in_(_TO_DECIDE))
        # Few tasks wait; by the column itself, SQLite would walk through all tasks in the order of `ix_tasks_listed`.
        .order_by(-TaskRecord.priority, TaskRecord.id)
        .limit(_AT_ONCE + 1)
        .offset((page - 1) * _AT_ONCE)
    ).all()
    labels: dict[int, list[str]] = {}
    for task_id, label in here.session.execute(
        select(AnnotationRecord.task_id, AnnotationRecord.label)
        .where(AnnotationRecord.task_id.in_([task.id for task, _, _ in rows]), AnnotationRecord.is_last)
        .order_by(AnnotationRecord.id)
    ):
        labels.setdefault(task_id, []).append(label)
    return render(
        here,
        "manage_queue.html",
        here="manage",
        rows=[(task, text, state, labels.get(task.id, [])) for task, text, state in rows[:_AT_ONCE]],
        has_more=len(rows) > _AT_ONCE,
        page=page,
        label_of=draw_verdict_label,
        kind_words={kind.value: kind.label for kind in TaskKind},
    )


# -- reports -----------------------------------------------------------------------------------------------


def _list_reports(visit: Visit, name: str, ended: bool, page: int) -> Response:
    return _draw_reports(visit.enter(name, Role.MANAGER), ended, page)


def _draw_reports(
    here: ProjectVisit, ended: bool = False, page: int = 1, *, about: int = 0, refused: str = "", status: int = 200
) -> Response:
    rows = here.session.execute(
        select(ReportRecord, StudioClaimRecord, AccountRecord.name)
        .join(StudioClaimRecord, StudioClaimRecord.id == ReportRecord.claim_id)
        .join(AccountRecord, AccountRecord.id == ReportRecord.account_id)
        .where(
            StudioClaimRecord.project_id == here.project.id,
            ReportRecord.ended_at.is_not(None) if ended else ReportRecord.ended_at.is_(None),
        )
        .order_by(ReportRecord.id.desc() if ended else ReportRecord.id)
        .limit(_AT_ONCE + 1)
        .offset((page - 1) * _AT_ONCE)
    ).all()
    authors = dict(here.session.execute(select(AccountRecord.id, AccountRecord.name)).all())
    return render(
        here,
        "manage_reports.html",
        here="manage",
        status=status,
        rows=[(report, claim, by, authors.get(claim.author_id or 0, "")) for report, claim, by in rows[:_AT_ONCE]],
        has_more=len(rows) > _AT_ONCE,
        page=page,
        ended=ended,
        reasons={each.value: each.label for each in ReportReason},
        about=about,
        form=here.form,
        refused=as_sentence(refused),
    )


def _end_report(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    report = here.session.get(ReportRecord, id)
    claim = here.session.get(StudioClaimRecord, report.claim_id) if report else None
    if report is None or claim is None or claim.project_id != here.project.id:
        raise NotFound(f"there is no report {id} in this project")
    chosen = here.field("step", 20)
    try:
        if chosen not in (ClaimStep.CORRECT, ClaimStep.WITHDRAW, ClaimStep.RETURN):
            raise InputError("choose what becomes of the claim: correct, withdraw or return it")
        step = ClaimStep(chosen)
        if step is ClaimStep.WITHDRAW and not is_sure(here):
            words = (
                f"“{claim.text}” is not given out any more, its open tasks are closed, and it is not exported. There "
                "is no way back."
            )
            return ask_first(here, "Withdraw this claim?", words, "Withdraw", here.to("manage", "reports"))
        quality.end_report(
            here.session,
            report,
            by=here.signed.account_id,
            step=step,
            text=here.field("text", 100_000) if step is ClaimStep.CORRECT else "",
            note=here.field("note", 10_000),
            now=here.now,
        )
    except InputError as error:
        problem = describe_error(error)
        raise NotDone(_draw_reports(here, about=id, refused=problem.detail, status=problem.status)) from None
    return move_on(here.to("manage", "reports"), "report-ended")
