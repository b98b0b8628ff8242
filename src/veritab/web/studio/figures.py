"""The figures of a project: tables for people with what the papers print beside them, and JSON for programs."""

from __future__ import annotations

from itertools import groupby

import orjson
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.studio.figures import StudioFigures, figure_rows, figures_to_json
from veritab.studio.figures.reading import read_figures, section_finder
from veritab.studio.vocabulary import Role
from veritab.web.pages.templating import show_at
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, Visit, look


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/figures")
    async def show(request: Request, project: str) -> Response:
        return await look(request, _show, project)

    @show_at(router, "/p/{project}/figures.json")
    async def as_json(request: Request, project: str) -> Response:
        return await look(request, _as_json, project)


def _read(here: ProjectVisit) -> StudioFigures:
    store = here.studio.open_corpus(here.project).store
    return read_figures(here.session, here.project.id, section_finder(store))


def _show(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    rows = figure_rows(_read(here))
    groups = [(group, list(members)) for group, members in groupby(rows, key=lambda row: row.group)]
    return render(here, "figures.html", here="figures", groups=groups)


def _as_json(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    content = orjson.dumps(figures_to_json(_read(here)), option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    return Response(content, media_type="application/json", headers={"Cache-Control": "no-store"})
