"""The projects of somebody, and the first page of each."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from veritab.studio.records import MembershipRecord, ProjectRecord
from veritab.web.pages.templating import show_at
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import Visit, look


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/")
    async def all_projects(request: Request) -> Response:
        return await look(request, _list_projects)

    @show_at(router, "/p/{project}")
    async def home(request: Request, project: str) -> Response:
        return await look(request, _show_home, project)


def _list_projects(visit: Visit) -> Response:
    rows = visit.session.execute(
        select(ProjectRecord, MembershipRecord)
        .join(MembershipRecord, MembershipRecord.project_id == ProjectRecord.id)
        .where(MembershipRecord.account_id == visit.signed.account_id)
        .order_by(ProjectRecord.title)
    ).all()
    return render(visit, "projects.html", rows=rows)


def _show_home(visit: Visit, name: str) -> Response:
    return render(visit.enter(name), "home.html", here="project")
