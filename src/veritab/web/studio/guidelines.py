"""Guidelines: read before the first task of a kind, changed by managers, each version kept with who has read it."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import Conflict, InputError, NotFound
from veritab.studio import projects
from veritab.studio.records import GuidelineReadingRecord, GuidelineRecord
from veritab.studio.tasks import has_tasks
from veritab.studio.vocabulary import Role, TaskKind
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.studio.rendering import draw_markdown, render
from veritab.web.studio.sessions import NotDone, ProjectVisit, Visit, change, look, move_on


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/guidelines")
    async def every_kind(request: Request, project: str) -> Response:
        return await look(request, _list, project)

    @show_at(router, "/p/{project}/guidelines/{kind}")
    async def show(request: Request, project: str, kind: str, version: int | None = None) -> Response:
        return await look(request, _show, project, kind, version)

    @router.post("/p/{project}/guidelines/{kind}/read")
    async def read(request: Request, project: str, kind: str) -> Response:
        return await change(request, _mark_read, project, kind)

    @show_at(router, "/p/{project}/guidelines/{kind}/edit")
    async def edit(request: Request, project: str, kind: str) -> Response:
        return await look(request, _edit, project, kind)

    @router.post("/p/{project}/guidelines/{kind}/edit")
    async def publish(request: Request, project: str, kind: str) -> Response:
        return await change(request, _preview_or_publish, project, kind)


def unread_guidelines(here: ProjectVisit) -> list[tuple[TaskKind, int]]:
    """The kinds of tasks, with the version, that somebody must read about before they are given any; managers too."""
    return [
        (kind, guideline.version)
        for kind, guideline, is_read in _current(here)
        if guideline is not None and not is_read and has_tasks(here.session, here.project, kind)
    ]


def _current(here: ProjectVisit) -> list[tuple[TaskKind, GuidelineRecord | None, bool]]:
    rows = []
    for kind in projects.workflow_of(here.project).kinds:
        guideline = projects.current_guideline(here.session, here.project, kind)
        is_read = guideline is not None and projects.has_read(here.session, guideline, here.member.account_id)
        rows.append((kind, guideline, is_read))
    return rows


def _list(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    return render(here, "guidelines.html", here="guidelines", rows=_current(here))


def _find_kind(here: ProjectVisit, name: str) -> TaskKind:
    for kind in projects.workflow_of(here.project).kinds:
        if kind.value == name:
            return kind
    raise NotFound(f"this project has no tasks {name[:40]!r}, and so no guidelines for them")


def _show(visit: Visit, name: str, kind_name: str, version: int | None) -> Response:
    here = visit.enter(name)
    kind = _find_kind(here, kind_name)
    versions = projects.guideline_versions(here.session, here.project, kind)
    current = versions[0] if versions else None
    shown = current if version is None else next((each for each in versions if each.version == version), None)
    if version is not None and shown is None:
        raise NotFound(f"there is no version {version} of these guidelines; the last is {len(versions)}")
    readings = _readings(here, shown) if shown else {}
    readers = None
    if here.is_manager and shown:
        members = projects.members_of(here.session, here.project)
        readers = [(account.name, readings.get(account.id)) for _, account in members]
    return render(
        here,
        "guideline.html",
        here="guidelines",
        kind=kind,
        guideline=shown,
        text=draw_markdown(shown.text, kind.label) if shown else "",
        is_current=shown is current,
        read_at=readings.get(here.member.account_id),
        versions=versions,
        readers=readers,
    )


def _readings(here: ProjectVisit, guideline: GuidelineRecord) -> dict[int, float]:
    rows = here.session.execute(
        select(GuidelineReadingRecord.account_id, GuidelineReadingRecord.read_at).where(
            GuidelineReadingRecord.guideline_id == guideline.id
        )
    )
    return dict(rows.all())


def _mark_read(visit: Visit, name: str, kind_name: str) -> Response:
    here = visit.enter(name)
    kind = _find_kind(here, kind_name)
    current = projects.current_guideline(here.session, here.project, kind)
    if current is None:
        raise NotFound("there is nothing to read yet")
    if here.field("version", 20) != str(current.version):
        raise Conflict(f"version {current.version} was published while you read; read that one, then say so")
    projects.mark_read(here.session, current, here.member.account_id, now=here.now)
    return move_on(here.to(), "read")


# -- changing them -----------------------------------------------------------------------------------------


def _edit(visit: Visit, name: str, kind_name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    kind = _find_kind(here, kind_name)
    current = projects.current_guideline(here.session, here.project, kind)
    return _draw_edit(here, kind, current.text if current else "")


def _draw_edit(
    here: ProjectVisit, kind: TaskKind, text: str, *, preview: bool = False, refused: str = "", status: int = 200
) -> Response:
    current = projects.current_guideline(here.session, here.project, kind)
    return render(
        here,
        "guideline_edit.html",
        here="guidelines",
        status=status,
        kind=kind,
        text=text,
        next_version=current.version + 1 if current else 1,
        most=projects.LONGEST_GUIDELINE,
        preview=draw_markdown(text) if preview else "",
        refused=as_sentence(refused),
    )


def _preview_or_publish(visit: Visit, name: str, kind_name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    kind, text = _find_kind(here, kind_name), here.field("text", 2 * projects.LONGEST_GUIDELINE)
    if here.field("step", 20) != "publish":
        return _draw_edit(here, kind, text, preview=True)
    before = projects.current_guideline(here.session, here.project, kind)
    try:
        after = projects.publish_guideline(
            here.session, here.project, kind, text, by=here.signed.account_id, now=here.now
        )
    except InputError as error:
        raise NotDone(_draw_edit(here, kind, text, refused=str(error), status=400)) from None
    return move_on(here.to("guidelines", kind.value), "unchanged" if after is before else "published")
