"""Pages for people: check a claim, a text or a file of claims, see what settles it, read and search the corpus.

Reading down the room: `checking`, `keeping`, `uploading`, `long_work`, `reading`, `originals` and `api` are the routes;
`documents` makes pages of the corpus ready for the templates, render/html.py draws verdicts and tables; `jobs` goes on
after the answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.web.archive import Archive
from veritab.web.bodies import BoundedRoute
from veritab.web.corpora import Corpora
from veritab.web.pages import api, checking, keeping, long_work, originals, reading, uploading
from veritab.web.pages.drawn import RecentVerdicts
from veritab.web.pages.jobs import JobRunner
from veritab.web.pages.templating import MEDIA_TYPES, render_page, show_at, static_file
from veritab.web.problems import ProblemDetails, RequestRefused

_SECONDS_BETWEEN_LOOKS = 600.0
_FOR_A_YEAR = "public, max-age=31536000, immutable"


def router(corpora: Corpora, archive: Archive) -> APIRouter:
    """The routes of the pages."""
    jobs = JobRunner(corpora, archive)

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        jobs.resume(app.state.workers, app.state.limits.seconds)
        forgetting = asyncio.ensure_future(_forget_in_time(jobs))
        yield
        forgetting.cancel()
        jobs.close()

    pages = APIRouter(lifespan=lifespan, route_class=BoundedRoute)
    recent = RecentVerdicts()
    checking.add(pages, recent)
    keeping.add(pages, recent)
    reading.add(pages)
    uploading.add(pages)
    originals.add(pages)
    long_work.add(pages, jobs)
    api.add(pages)
    show_at(pages, "/static/{name}")(_static)
    show_at(pages, "/favicon.ico")(_icon)
    return pages


async def _forget_in_time(jobs: JobRunner) -> None:
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
        jobs.forget_old()


async def _static(name: str) -> Response:
    if name not in MEDIA_TYPES:
        raise RequestRefused(404, f"there is no file {name[:40]!r}")
    return Response(static_file(name), media_type=MEDIA_TYPES[name], headers={"Cache-Control": _FOR_A_YEAR})


async def _icon() -> Response:
    return await _static("veritab.svg")


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
    detail = _sentence(problem.detail)
    return render_page(
        request, "error.html", status=problem.status, code=problem.status, title=title, detail=detail, retry=retry
    )


def _sentence(detail: str) -> str:
    """A sentence of its own, with a capital unless it begins with the name of a file."""
    begun = f"{detail[:1].upper()}{detail[1:]}" if detail.partition(" ")[0].isalpha() else detail
    return begun + ("" if detail.endswith((".", "!", "?", "…")) or not detail else ".")
