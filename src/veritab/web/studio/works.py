"""Files in and out of a project: imports and exports that go on by themselves, watched, stopped and fetched here."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from veritab.errors import Conflict, InputError, NotFound
from veritab.studio.exchange import works
from veritab.studio.exchange.exporting import EXPORT_FORMATS, EXPORT_POOLS
from veritab.studio.exchange.formats import IMPORT_FORMATS
from veritab.studio.exchange.importing import IMPORT_POOLS
from veritab.studio.exchange.works import WorkKind, WorkRunner, WorkState
from veritab.studio.opened import Studio
from veritab.studio.projects import Workflow
from veritab.studio.records import AccountRecord, WorkRecord
from veritab.studio.vocabulary import Pool, Role, TaskKind
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import (
    NotDone,
    ProjectVisit,
    RecordNumber,
    Visit,
    attempt,
    change,
    look,
    move_on,
    wants_page,
)

_AT_WORK = (WorkState.WAITING, WorkState.RUNNING)
_FOLDER = "works"


def works_folder(studio: Studio) -> Path:
    """Where the files of imports and exports are: in the studio's folder, or in one of the user's for each database."""
    if studio.database.is_sqlite:
        return Path(studio.place) / _FOLDER
    from platformdirs import user_state_path

    name = hashlib.sha256(studio.place.encode()).hexdigest()[:12]
    return user_state_path("veritab", appauthor=False) / f"studio-{name}"


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/manage/works")
    async def show(request: Request, project: str) -> Response:
        return await look(request, _show, project)

    @router.post("/p/{project}/manage/import")
    async def begin_import(request: Request, project: str) -> Response:
        return _wake(request, await change(request, _import, project))

    @router.post("/p/{project}/manage/export")
    async def begin_export(request: Request, project: str) -> Response:
        return _wake(request, await change(request, _export, project))

    @show_at(router, "/p/{project}/manage/works/{work}")
    async def progress(request: Request, project: str, work: RecordNumber) -> Response:
        return await look(request, _progress, project, work)

    @show_at(router, "/p/{project}/manage/works/{work}/file")
    async def fetch(request: Request, project: str, work: RecordNumber) -> Response:
        return await look(request, _fetch, project, work)

    @router.post("/p/{project}/manage/works/{work}/stop")
    async def stop(request: Request, project: str, work: RecordNumber) -> Response:
        return await attempt(request, _stop, project, work)


def _wake(request: Request, answer: Response) -> Response:
    """Let what was asked for begin, now that the transaction is over."""
    runner: WorkRunner = request.app.state.works
    runner.wake()
    return answer


def _show(visit: Visit, name: str) -> Response:
    return _draw(visit.enter(name, Role.MANAGER))


def _draw(here: ProjectVisit, *, refused: str = "", status: int = 200) -> Response:
    rows = [_describe(here, work) for work in works.works_of(here.session, here.project)]
    return render(
        here,
        "manage_works.html",
        here="manage",
        status=status,
        rows=rows,
        import_formats=IMPORT_FORMATS,
        export_formats=EXPORT_FORMATS,
        import_pools=[Pool(each) for each in IMPORT_POOLS],
        export_pools=[Pool(each) for each in EXPORT_POOLS],
        can_rate=here.project.workflow == Workflow.PLAIN,
        megabytes=here.request.app.state.limits.upload_bytes >> 20,
        form=here.form,
        refused=as_sentence(refused),
    )


def _describe(here: ProjectVisit, work: WorkRecord) -> dict[str, Any]:
    by = here.session.get(AccountRecord, work.made_by) if work.made_by is not None else None
    options = work.options
    if work.kind == WorkKind.IMPORT:
        title = f"{options['name']} into {Pool(options['pool']).label.lower()}"
        title += f", phase {options['phase']}" if options.get("phase") else ""
    else:
        title = EXPORT_FORMATS.get(options["format"], options["format"])
        title += "" if options["settled"] else ", unsettled claims too"
        if options.get("since"):
            title += f", since {datetime.fromtimestamp(options['since'], UTC):%Y-%m-%d}"
    return {
        "work": work,
        "title": title,
        "by": by.name if by else "a command",
        "is_busy": work.state in _AT_WORK,
        "has_file": work.kind == WorkKind.EXPORT and work.state == WorkState.DONE and bool(work.file),
        "words": _say(work),
    }


def _say(work: WorkRecord) -> str:
    match work.state:
        case WorkState.WAITING:
            return "waits for its turn"
        case WorkState.RUNNING:
            of = f" of {work.total:,}" if work.total else ""
            return f"{work.done:,}{of} claims so far"
    return work.state


# -- beginning ---------------------------------------------------------------------------------------------


def _import(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    file = here.upload("file")
    folder: Path = here.request.app.state.works_folder
    try:
        if file is None:
            raise InputError("no file was chosen")
        phase = here.field("phase", 10)
        kept = works.keep_upload(folder, file.file)
        try:
            work = works.start_import(
                here.session,
                here.project,
                kept,
                name=file.filename or "",
                format=here.field("format", 40),
                pool=here.field("pool", 40),
                phase=int(phase) if phase.isdecimal() else 0,
                kind=TaskKind.PLAIN_RATING if here.field("rate", 10) == "yes" else "",
                check_elements=here.field("check_elements", 10) == "yes",
                by=here.signed.account_id,
                now=here.now,
            )
        except BaseException:
            (folder / kept).unlink(missing_ok=True)
            raise
    except InputError as error:
        problem = describe_error(error)
        raise NotDone(_draw(here, refused=problem.detail, status=problem.status)) from None
    return move_on(here.to("manage", "works", work.id), "work-begun")


def _export(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    try:
        work = works.start_export(
            here.session,
            here.project,
            format=here.field("format", 40),
            settled=here.field("settled", 10) != "no",
            since=_read_day(here.field("since", 20)),
            pools=[value for value in here.form.getlist("pools") if isinstance(value, str)],
            leave_out=here.field("leave_out", 10) == "yes",
            by=here.signed.account_id,
            now=here.now,
        )
    except InputError as error:
        problem = describe_error(error)
        raise NotDone(_draw(here, refused=problem.detail, status=problem.status)) from None
    return move_on(here.to("manage", "works", work.id), "work-begun")


def _read_day(said: str) -> float | None:
    if not said:
        return None
    try:
        return datetime.strptime(said, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        raise InputError(f"{said!r} is not a day; expected e.g. 2025-03-31") from None


# -- watching, fetching, stopping --------------------------------------------------------------------------


def _progress(visit: Visit, name: str, id: int) -> Response:
    """How far a work is: a page that looks again by itself, or JSON for programs."""
    here = visit.enter(name, Role.MANAGER)
    work = works.find_work(here.session, here.project, id)
    if wants_page(here.request):
        return render(here, "manage_work.html", here="manage", row=_describe(here, work))
    told = {"id": work.id, "kind": work.kind, "state": work.state, "done": work.done, "total": work.total}
    return JSONResponse(told | {"message": work.message}, headers={"Cache-Control": "no-store"})


def _fetch(visit: Visit, name: str, id: int) -> Response:
    here = visit.enter(name, Role.MANAGER)
    work = works.find_work(here.session, here.project, id)
    if work.kind != WorkKind.EXPORT or work.state != WorkState.DONE:
        raise Conflict(f"the {work.kind} is {work.state}; there is a file once an export is done")
    path = here.request.app.state.works_folder / Path(work.file).name
    if not path.is_file():
        raise NotFound(
            "the file of this export was removed, or is at another server that has --files of its own; export again"
        )
    return FileResponse(
        path, filename=path.name.partition("-")[2], media_type="application/octet-stream", headers=_PRIVATE
    )


_PRIVATE = {"Cache-Control": "no-store"}


def _stop(visit: Visit, name: str, id: int) -> Response:
    with visit.studio.database.reading() as session:
        here = visit.within(session).enter(name, Role.MANAGER)
        works.find_work(session, here.project, id)
    runner: WorkRunner = visit.request.app.state.works
    runner.stop(id, by=visit.signed.account_id, now=visit.now)
    return move_on(here.to("manage", "works"), "work-stopped")
