"""The projects of somebody, what they agree to, and the first page of each: what to do next, in one click."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from fastapi import APIRouter
from sqlalchemy import func, select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import Conflict, InputError
from veritab.studio import projects, quality
from veritab.studio.game.players import open_games
from veritab.studio.quality import CalibrationState
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    MembershipRecord,
    ProjectRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import AssignmentState, MemberStage, TaskState
from veritab.studio.tasks import has_tasks, next_task
from veritab.studio.vocabulary import Pool, Role, TaskKind
from veritab.web.pages.templating import counted, show_at
from veritab.web.studio.game.menu import is_newcomer, show_menu
from veritab.web.studio.guidelines import unread_guidelines
from veritab.web.studio.rendering import draw_markdown, render
from veritab.web.studio.sessions import (
    ProjectVisit,
    Visit,
    address_in,
    change,
    frame_game,
    leads_from_elsewhere,
    look,
    move_on,
    room_address,
)

_ACTIVE = AssignmentState.ACTIVE


class NextStep(NamedTuple):
    """What somebody can do now, or why nothing."""

    title: str
    words: str
    button: str = ""
    kinds: Sequence[TaskKind] = ()
    """Where one may choose what kind of task comes next."""
    link: tuple[str, str] | None = None
    unread: Sequence[tuple[TaskKind, int]] = ()


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/")
    async def all_projects(request: Request) -> Response:
        return await look(request, _list_projects)

    @router.post("/manage")
    async def manage(request: Request) -> Response:
        return await change(request, _begin_to_manage)

    @show_at(router, "/p/{project}")
    async def home(request: Request, project: str) -> Response:
        return await look(request, _show_home, project)

    @show_at(router, "/p/{project}/consent")
    async def show_consent(request: Request, project: str) -> Response:
        return await look(request, _show_consent, project)

    @router.post("/p/{project}/consent")
    async def give_consent(request: Request, project: str) -> Response:
        return await change(request, _give_consent, project)

    @router.post("/p/{project}/warning")
    async def read_warning(request: Request, project: str) -> Response:
        return await change(request, _read_warning, project)

    @router.post("/p/{project}/next")
    async def take_next(request: Request, project: str) -> Response:
        return await change(request, _take_next, project)


# -- all projects ------------------------------------------------------------------------------------------


def _list_projects(visit: Visit) -> Response:
    games = open_games(visit.session)
    if visit.who is None and games and not leads_from_elsewhere(visit.request):
        frame_game(visit)
        return render(visit, "game/open_games.html", games=games)
    own = projects.projects_of(visit.session, visit.signed.account_id)
    others: list[ProjectRecord] | None = None
    if visit.signed.is_administrator:
        ids = {project.id for project, _ in own}
        others = [project for project in projects.all_projects(visit.session) if project.id not in ids]
    joined = {project.id for project, _ in own}
    games = [project for project in games if project.id not in joined]
    return render(visit, "projects.html", rows=own, games=games, others=others, stage_words=_stage_words)


def _stage_words(project: ProjectRecord, member: MembershipRecord) -> str:
    if project.closed_at is not None:
        return "Closed. Your work stays to be seen."
    if member.consented_at is None:
        return "New: read what you agree to, and begin."
    if projects.is_game(project):
        return "A game. You run it, and may play." if member.role == Role.MANAGER else "A game: it is on."
    if member.role == Role.MANAGER:
        return "You manage it."
    return _STAGES[MemberStage(member.stage)]


_STAGES = {
    MemberStage.INVITED: "New: read what you agree to, and begin.",
    MemberStage.PHASE_ONE: "Calibration, phase one.",
    MemberStage.FEEDBACK_READ: "Calibration, phase two.",
    MemberStage.PHASE_TWO: "Calibration, phase two.",
    MemberStage.WAITING: "A manager looks at your calibration.",
    MemberStage.APPROVED: "You are at work.",
    MemberStage.REJECTED: "It ended after calibration.",
    MemberStage.PAUSED: "Paused.",
}


def _begin_to_manage(visit: Visit) -> Response:
    """An administrator becomes a manager of a project, which its trail says."""
    signed = visit.signed
    projects.require_administrator(visit.session, signed.account_id)
    project = projects.find_project(visit.session, visit.field("project", 100))
    projects.add_member(visit.session, project, signed.account_id, Role.MANAGER, by=signed.account_id, now=visit.now)
    return move_on(address_in(project.name))


# -- consent -----------------------------------------------------------------------------------------------


def _show_consent(visit: Visit, name: str) -> Response:
    here = visit.enter(name, consented=False)
    return render(
        here,
        "consent.html",
        text=draw_markdown(here.project.consent),
        seen=_digest(here.project.consent),
        then=room_address(name, visit.request.query_params.get("then", "")),
    )


def _give_consent(visit: Visit, name: str) -> Response:
    here = visit.enter(name, consented=False)
    if here.field("seen", 100) not in ("", _digest(here.project.consent)):
        raise Conflict("the text was changed while you read it; open the page again and read the new one")
    projects.give_consent(here.session, here.member, now=here.now)
    first = here.to("tutorial") if projects.is_game(here.project) and is_newcomer(here) else here.to()
    return move_on(room_address(name, here.field("then")) or first, "agreed")


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


# -- the first page ----------------------------------------------------------------------------------------


def _show_home(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    return show_menu(here) if projects.is_game(here.project) else _draw_home(here)


def _draw_home(here: ProjectVisit, *, nothing_left: bool = False) -> Response:
    state = quality.calibration_of(here.session, here.project, here.member)
    unread = unread_guidelines(here)
    return render(
        here,
        "home.html",
        here="project",
        lead=_lead(here.project),
        warning=quality.warning_of(here.session, here.member) if here.member.stage not in _ENDED else None,
        completion_code=projects.completion_code_of(here.session, here.project, here.member, nothing_left=nothing_left),
        next=_next_step(here, state, unread),
        practice=_count_practice(here) if here.member.stage not in _ENDED and not unread else 0,
        calibration=_calibration_words(state),
        guidelines_words=f"{counted(len(unread), 'guideline')} to read" if unread else "You have read all of them.",
        mine_words=_mine_words(here),
        manage_words=_manage_words(here) if here.is_manager else "",
    )


def _lead(project: ProjectRecord) -> str:
    kinds = projects.workflow_of(project).kinds
    return " ".join(kind.help for kind in kinds)


_ENDED = (MemberStage.REJECTED, MemberStage.PAUSED)
_NOT_NOW = {
    MemberStage.WAITING: (
        "Waiting",
        "You have finished calibration. A manager looks at it and decides whether you go on.",
    ),
    MemberStage.REJECTED: (
        "It ends here",
        "Your part in this project has ended after calibration. Ask a manager if you think that is wrong.",
    ),
    MemberStage.PAUSED: (
        "You are paused",
        "No tasks are given to you for now. Read the guidelines again, then ask a manager to let you go on.",
    ),
}


def _next_step(here: ProjectVisit, state: CalibrationState, unread: Sequence[tuple[TaskKind, int]]) -> NextStep:
    if here.project.closed_at is not None:
        return NextStep("This project is closed", "No more tasks are given out. Your work stays to be seen.")
    if state.stage in _NOT_NOW:
        title, words = _NOT_NOW[state.stage]
        said = quality.stage_reason(here.session, here.member)
        return NextStep(title, f"{words} The reason given: {said}" if said else words)
    if state.may_read:
        link = here.to("calibration"), "See the feedback"
        return NextStep(
            "Phase one is done", "Read how your answers compare with the right ones; then phase two begins.", link=link
        )
    if state.phase == 1 and state.done >= state.wanted:
        return NextStep(
            "Phase one is done",
            f"A manager has yet to grade {counted(state.ungraded, 'answer')} of yours. Come back later.",
        )
    if unread:
        return NextStep(
            "Read the guidelines first", "Tasks come to you once you have read how they are done.", unread=unread
        )
    held = _active_task(here)
    if held is not None:
        kind = TaskKind(held.kind)
        return NextStep(
            "Go on with your task", f"{kind.label}: {kind.help} What you have done so far is kept.", button="Go on"
        )
    if state.phase:
        words = (
            f"Phase {'one' if state.phase == 1 else 'two'} of calibration: {state.done} of {state.wanted} tasks done."
        )
        return NextStep("Calibration", words, button="Next task")
    kinds = _kinds_with_tasks(here)
    return NextStep(
        "Your next task",
        "It is chosen for you, and nobody else works on it meanwhile.",
        "Next task",
        kinds if len(kinds) > 1 else (),
    )


def _active_task(here: ProjectVisit) -> TaskRecord | None:
    return here.session.scalar(
        select(TaskRecord)
        .join(AssignmentRecord, AssignmentRecord.task_id == TaskRecord.id)
        .where(
            TaskRecord.project_id == here.project.id,
            AssignmentRecord.account_id == here.member.account_id,
            AssignmentRecord.state == _ACTIVE,
        )
        .limit(1)
    )


def _kinds_with_tasks(here: ProjectVisit) -> list[TaskKind]:
    kinds = projects.workflow_of(here.project).kinds
    return [kind for kind in kinds if has_tasks(here.session, here.project, kind, open_at=here.now)]


def _count_practice(here: ProjectVisit) -> int:
    seen = select(AssignmentRecord.task_id).where(AssignmentRecord.account_id == here.member.account_id)
    found = here.session.scalar(
        select(func.count()).where(
            TaskRecord.project_id == here.project.id,
            TaskRecord.pool == Pool.PRACTICE,
            TaskRecord.state == TaskState.OPEN,
            TaskRecord.id.not_in(seen),
        )
    )
    return found or 0


def _calibration_words(state: CalibrationState) -> str:
    if state.phase:
        return f"Phase {state.phase}: {state.done} of {state.wanted} tasks done."
    return "Your answers beside the right ones." if state.rows else ""


def _mine_words(here: ProjectVisit) -> str:
    count = here.session.scalar(
        select(func.count())
        .select_from(AnnotationRecord)
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .where(
            TaskRecord.project_id == here.project.id,
            AnnotationRecord.account_id == here.member.account_id,
            AnnotationRecord.is_last,
        )
    )
    if not count:
        return "Nothing submitted yet."
    return f"{counted(count, 'answer')}, and what became of {'it' if count == 1 else 'them'}."


def _manage_words(here: ProjectVisit) -> str:
    """What waits for a manager."""
    looked_at = here.session.scalar(
        select(func.count()).where(
            TaskRecord.project_id == here.project.id,
            TaskRecord.state.in_((TaskState.DISPUTED, TaskState.FLAGGED, TaskState.IN_REVIEW)),
        )
    )
    reports = here.session.scalar(
        select(func.count())
        .select_from(ReportRecord)
        .join(StudioClaimRecord, StudioClaimRecord.id == ReportRecord.claim_id)
        .where(StudioClaimRecord.project_id == here.project.id, ReportRecord.ended_at.is_(None))
    )
    waiting = here.session.scalar(
        select(func.count()).where(
            MembershipRecord.project_id == here.project.id, MembershipRecord.stage == MemberStage.WAITING
        )
    )
    parts = [
        counted(looked_at, "task") + " to decide" if looked_at else "",
        counted(reports, "report") if reports else "",
        f"{waiting} waiting to be let in" if waiting else "",
    ]
    return ", ".join(filter(None, parts)) or "Nothing waits for you."


def _read_warning(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    quality.read_warning(here.session, here.member, now=here.now)
    return move_on(here.to())


def _take_next(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    if unread := unread_guidelines(here):
        return move_on(here.to("guidelines", unread[0][0].value), "read-first")
    practice, chosen = here.field("pool", 40) == Pool.PRACTICE, here.field("kind", 40)
    if chosen and chosen not in list(TaskKind):
        raise InputError(f"{chosen!r} is no kind of task; expected one of {', '.join(TaskKind)}")
    assignment = next_task(
        here.session,
        here.project,
        here.member,
        now=here.now,
        practice=practice,
        kind=TaskKind(chosen) if chosen else None,
    )
    if assignment is None:
        if here.member.completion_code and here.member.stage == MemberStage.APPROVED and not practice and not chosen:
            return _draw_home(here, nothing_left=True)  # no address of its own: who types it has earned no code
        return move_on(here.to(), "no-practice" if practice else "nothing-of-kind" if chosen else "nothing")
    return move_on(here.to("task", assignment.id))
