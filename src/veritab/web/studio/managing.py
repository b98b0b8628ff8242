"""What a manager sees first, the trail of changes, and the settings of a project."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query
from sqlalchemy import func, select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import Conflict, InputError, VeritabError
from veritab.pipeline import Checker
from veritab.studio import projects, quality
from veritab.studio.game.writing import follow_corpus
from veritab.studio.opened import accept_corpus, corpus_digest
from veritab.studio.records import AnnotationRecord, MembershipRecord, ReportRecord, StudioClaimRecord, TaskRecord
from veritab.studio.states import MemberStage, TaskState
from veritab.studio.vocabulary import Pool, Role, SuggestionTime, TaskKind
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.studio.game.organising import show_overview
from veritab.web.studio.overseeing import count_tasks
from veritab.web.studio.rendering import ask_first, is_sure, render
from veritab.web.studio.sessions import NotDone, ProjectVisit, Visit, change, look, move_on

_DAY = 24 * 3600.0
_DAYS_SHOWN = 14
_OVERLAPS = (2, 3, 4, 5)
_SUM = "overlap-"
_ADVISED = "advised-"
_ROUNDED = 1e-6


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/manage")
    async def overview(request: Request, project: str) -> Response:
        return await look(request, _show, project)

    @show_at(router, "/p/{project}/manage/trail")
    async def trail(request: Request, project: str, most: Annotated[int, Query(ge=1, le=10_000)] = 100) -> Response:
        return await look(request, _show_trail, project, most)

    @show_at(router, "/p/{project}/manage/settings")
    async def settings(request: Request, project: str) -> Response:
        return await look(request, _show_settings, project)

    @router.post("/p/{project}/manage/settings")
    async def change_settings(request: Request, project: str) -> Response:
        return await change(request, _change_settings, project)

    @router.post("/p/{project}/manage/consent")
    async def change_consent(request: Request, project: str) -> Response:
        return await change(request, _change_consent, project)

    @router.post("/p/{project}/manage/close")
    async def close(request: Request, project: str) -> Response:
        return await change(request, _close, project)

    @router.post("/p/{project}/manage/corpus")
    async def accept(request: Request, project: str) -> Response:
        return await change(request, _accept_corpus, project)


# -- the overview ------------------------------------------------------------------------------------------


def _show(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    corpus, trouble = _look_at_corpus(here)
    if projects.is_game(here.project):
        return show_overview(here, corpus.corpus if corpus else None, trouble)
    counts = count_tasks(here)
    work = counts.get(Pool.WORK, {})
    done = work.get(TaskState.SETTLED, 0)
    all_of_them = sum(count for state, count in work.items() if state is not TaskState.CLOSED)
    return render(
        here,
        "manage.html",
        here="manage",
        waiting=_waiting(here, counts),
        done=done,
        total=all_of_them,
        counts=counts,
        states=list(TaskState),
        members=_members_by_stage(here),
        days=_answers_by_day(here),
        corpus=corpus.corpus if corpus else None,
        corpus_trouble=trouble,
    )


def _look_at_corpus(here: ProjectVisit) -> tuple[Checker | None, str]:
    """The corpus of a project as far as it can be opened, and what is wrong with it."""
    try:
        corpus = here.studio.open_corpus(here.project)
    except Conflict as error:
        return None, as_sentence(str(error))
    digest = corpus_digest(corpus)
    if digest == here.project.corpus_digest:
        return corpus, ""
    return corpus, f"The corpus has changed: it was {here.project.corpus_digest}, now it is {digest}."


def _waiting(here: ProjectVisit, counts: Mapping[Pool, Mapping[TaskState, int]]) -> list[tuple[int, str, str, str]]:
    """What a manager should look at: how many, of what, what to do, and where."""
    to_decide = sum(
        count
        for by_state in counts.values()
        for state, count in by_state.items()
        if state in (TaskState.DISPUTED, TaskState.FLAGGED, TaskState.IN_REVIEW)
    )
    reports = here.session.scalar(
        select(func.count())
        .select_from(ReportRecord)
        .join(StudioClaimRecord, StudioClaimRecord.id == ReportRecord.claim_id)
        .where(StudioClaimRecord.project_id == here.project.id, ReportRecord.ended_at.is_(None))
    )
    ungraded = sum(quality.count_ungraded(here.session, here.project).values())
    stages = _members_by_stage(here)
    open_work = counts.get(Pool.WORK, {}).get(TaskState.OPEN, 0)
    entries = [
        (to_decide, "task", "to decide", here.to("manage", "qa")),
        (reports or 0, "report", "of claims", here.to("manage", "reports")),
        (ungraded, "answer", "in calibration to grade", here.to("manage", "calibration")),
        (stages.get(MemberStage.WAITING, 0), "member", "waiting to be let in", here.to("manage", "calibration")),
        (stages.get(MemberStage.PAUSED, 0), "member", "paused", here.to("manage", "members")),
    ]
    found = [entry for entry in entries if entry[0]]
    if not open_work:
        found.append((0, "task", "open: draw or import some", here.to("manage", "tasks")))
    return found


def _members_by_stage(here: ProjectVisit) -> dict[MemberStage, int]:
    rows = here.session.execute(
        select(MembershipRecord.stage, func.count())
        .where(MembershipRecord.project_id == here.project.id, MembershipRecord.role == Role.ANNOTATOR)
        .group_by(MembershipRecord.stage)
    )
    found = {MemberStage(stage): count for stage, count in rows}
    return {stage: found[stage] for stage in MemberStage if stage in found}


def _answers_by_day(here: ProjectVisit) -> list[tuple[float, int]]:
    """How many answers came on each of the last days, the oldest first; days are those of UTC."""
    today = int(here.now // _DAY)
    first = today - _DAYS_SHOWN + 1
    counts: dict[int, int] = {}
    for at in here.session.scalars(
        select(AnnotationRecord.submitted_at)
        .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
        .where(
            TaskRecord.project_id == here.project.id,
            AnnotationRecord.is_last,
            AnnotationRecord.submitted_at >= first * _DAY,
        )
    ):
        counts[int(at // _DAY)] = counts.get(int(at // _DAY), 0) + 1
    return [(day * _DAY, counts.get(day, 0)) for day in range(first, today + 1)]


# -- the trail ---------------------------------------------------------------------------------------------


def _show_trail(visit: Visit, name: str, most: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    rows = projects.trail_of(here.session, here.project.id, most=most + 1)
    return render(
        here, "manage_trail.html", here="manage", rows=rows[:most], has_more=len(rows) > most, most=most, say=_say
    )


def _say(values: Mapping[str, Any]) -> str:
    """What a record of the trail holds, in a line."""
    return ", ".join(f"{name.replace('_', ' ')}: {_say_value(value)}" for name, value in values.items())


def _say_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"({_say(value)})" if value else "none"
    if isinstance(value, list):
        return ", ".join(map(_say_value, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return "none" if value in (None, "") else str(value)


# -- settings ----------------------------------------------------------------------------------------------


def _show_settings(visit: Visit, name: str) -> Response:
    return _draw_settings(visit.enter(name, Role.MANAGER))


def _draw_settings(here: ProjectVisit, *, refused: str = "", status: int = 200) -> Response:
    corpus, trouble = _look_at_corpus(here)
    return render(
        here,
        "manage_settings.html",
        here="manage",
        status=status,
        overlaps=_OVERLAPS,
        kinds=projects.workflow_of(here.project).kinds,
        suggestions=list(SuggestionTime),
        workflow=projects.workflow_of(here.project),
        can_accept=corpus is not None,
        corpus_trouble=trouble,
        form=here.form,
        refused=as_sentence(refused),
    )


def _change_settings(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    try:
        changes = _read_settings(here)
        after = projects.change_settings(here.session, here.project, changes, by=here.signed.account_id, now=here.now)
    except InputError as error:
        raise NotDone(_draw_settings(here, refused=str(error), status=400)) from None
    return move_on(here.to("manage", "settings"), "same" if after == here.settings else "settings")


def _read_settings(here: ProjectVisit) -> dict[str, Any]:
    """The settings that a form holds; what it leaves out stays."""
    changes = dict[str, Any]()
    for field in (
        "super_share", "lease_minutes", "hours_after_writing", "gold_share", "warn_after", "pause_after",
        "calibration_size", "most_sets", "panel_answers",
    ):  # fmt: skip
        if said := here.field(field, 20):
            changes[field] = _read_number(field, said, getattr(here.settings, field))
    if said := here.field("suggestion", 20):
        changes["suggestion"] = said
    overlap = {number: here.field(f"{_SUM}{number}", 20) for number in _OVERLAPS}
    if any(f"{_SUM}{number}" in here.form for number in _OVERLAPS):
        shares = {
            str(number): _read_number("overlap", said, here.settings.overlap.get(number, 0.0))
            for number, said in overlap.items()
            if said
        }
        changes["overlap"] = {number: share for number, share in shares.items() if share}
    advised = {kind: here.field(f"{_ADVISED}{kind}", 20) for kind in TaskKind}
    if any(f"{_ADVISED}{kind}" in here.form for kind in TaskKind):
        changes["advised_seconds"] = {
            kind.value: _read_number(f"advised seconds of {kind.value}", said, 0)
            for kind, said in advised.items()
            if said
        }
    return changes


def _read_number(name: str, said: str, now: float | int) -> float | int:
    """A number of a form; one that is as it was shown, which is rounded, is as it was."""
    whole = isinstance(now, int)
    try:
        number = int(said) if whole else float(said)
        return now if abs(number - now) < _ROUNDED else number
    except ValueError:
        wanted = "a whole number" if whole else "a number, e.g. 0.05"
        raise InputError(f"{name} is {said!r}; expected {wanted}") from None


def _change_consent(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    text = here.field("consent", 200_000)
    if text == here.project.consent:
        return move_on(here.to("manage", "settings"), "same")
    if not is_sure(here):
        words = "Everybody in the project, you too, has to agree to the new text before they go on."
        back = here.to("manage", "settings")
        return ask_first(here, "Change what people agree to?", words, "Change it", back)
    try:
        projects.change_consent(here.session, here.project, text, by=here.signed.account_id, now=here.now)
    except InputError as error:
        raise NotDone(_draw_settings(here, refused=str(error), status=400)) from None
    return move_on(here.to("manage", "settings"), "consent")


def _close(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    if here.project.closed_at is not None:
        projects.reopen_project(here.session, here.project, by=here.signed.account_id, now=here.now)
        return move_on(here.to("manage", "settings"), "opened")
    projects.close_project(here.session, here.project, by=here.signed.account_id, now=here.now)
    return move_on(here.to("manage", "settings"), "closed")


def _accept_corpus(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    checker = here.studio.open_corpus(here.project)
    try:
        if projects.is_game(here.project):
            changed = corpus_digest(checker) != here.project.corpus_digest
            follow_corpus(here.session, here.project, checker, by=here.signed.account_id, now=here.now)
        else:
            changed = accept_corpus(here.session, here.project, checker, by=here.signed.account_id, now=here.now)
    except VeritabError as error:
        problem = describe_error(error)
        raise NotDone(_draw_settings(here, refused=problem.detail, status=problem.status)) from None
    return move_on(here.to("manage", "settings"), "corpus" if changed else "same")
