"""Pages for people: check a claim, a text or a file of claims, see what settles it, read and search the corpus.

Reading down the room: `checking`, `correcting`, `keeping`, `uploading`, `long_work`, `reading`, `originals` and `api`
are the routes; `documents` makes pages of the corpus ready for the templates, render/html.py draws verdicts and tables;
`jobs` goes on after the answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.web.archive import Archive
from veritab.web.bodies import BoundedRoute
from veritab.web.corpora import Corpora
from veritab.web.pages import api, checking, correcting, keeping, long_work, originals, reading, uploading
from veritab.web.pages.drawn import RecentVerdicts
from veritab.web.pages.jobs import JobRunner
from veritab.web.pages.templating import add_static, as_sentence, render_page
from veritab.web.problems import ProblemDetails


def router(corpora: Corpora, archive: Archive) -> APIRouter:
    """The routes of the pages."""
    jobs = JobRunner(corpora, archive)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        jobs.resume(app.state.workers, app.state.keepers, app.state.limits.seconds)
        yield
        await jobs.close(app.state.keepers)

    pages = APIRouter(lifespan=lifespan, route_class=BoundedRoute)
    recent = RecentVerdicts()
    checking.add(pages, recent)
    correcting.add(pages)
    keeping.add(pages, recent)
    reading.add(pages)
    uploading.add(pages)
    originals.add(pages)
    long_work.add(pages, jobs)
    api.add(pages)
    add_static(pages)
    return pages


_TITLES = {
    400: "That cannot be read",
    401: "A key is needed",
    403: "Not from here",
    404: "Nothing here",
    405: "Not this way",
    408: "Too slow",
    413: "Too much at once",
    415: "Not this way",
    429: "Enough for now",
    502: "No answer from the model",
    503: "Busy just now",
    504: "That took too long",
}


def error_page(request: Request, problem: ProblemDetails) -> Response:
    """What went wrong, in the look of all pages."""
    title = _TITLES.get(problem.status, problem.title)
    retry = problem.headers.get("Retry-After", "")
    detail = as_sentence(problem.detail)
    return render_page(
        request, "error.html", status=problem.status, code=problem.status, title=title, detail=detail, retry=retry
    )
