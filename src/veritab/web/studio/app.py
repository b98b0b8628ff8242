"""The studio's application: the same guards, limits and problems as the server that checks claims, around a studio."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI
from sqlalchemy import select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import Conflict, VeritabError
from veritab.studio.exchange.works import WorkRunner
from veritab.studio.opened import Studio
from veritab.studio.projects import all_projects
from veritab.studio.sent_forms import forget_old
from veritab.studio.tasks import release_expired
from veritab.web import guards, problems
from veritab.web.api.work import json_response
from veritab.web.bodies import BoundedRoute
from veritab.web.keys import Keys
from veritab.web.limits import Limits
from veritab.web.metrics import Metrics
from veritab.web.pages.templating import add_static
from veritab.web.problems import RequestRefused
from veritab.web.studio import rendering
from veritab.web.studio.game.clockwork import keep_playing
from veritab.web.studio.game.live import RoomWatches
from veritab.web.studio.sessions import ConsentNeeded, JoinNeeded, SignInNeeded, StaleForm
from veritab.web.studio.works import works_folder
from veritab.web.workers import Workers

_READERS = _WRITERS = 8
"""Threads for the database, which spend their time waiting for it; those that write may wait for each other."""
_QUEUE = 256
_UPLOAD_BYTES = 64 << 20
_BODY_SECONDS = 60.0
_SECONDS_BETWEEN_LOOKS = 60.0
"""How late it may be noted that a round or a claim has run out of time, where nobody looks at it."""
_READY_SECONDS = 5.0
"""How long the database may take to answer whoever watches the server."""
_FORM_FIELDS = 400
"""A form of settings, or one with the pieces of every evidence set, has more fields than any other."""
_SILENT: Any = dict.fromkeys(("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False)
_LOG = logging.getLogger(__name__)


def studio_limits(limits: Limits | None = None) -> Limits:
    """The limits of a studio: many people ask little, instead of few people much."""
    given = limits or Limits(queue=_QUEUE)
    return replace(
        given,
        form_fields=max(given.form_fields, _FORM_FIELDS),
        upload_bytes=max(given.upload_bytes, _UPLOAD_BYTES),
        body_seconds=max(given.body_seconds, _BODY_SECONDS),
    )


def create_studio_app(
    studio: Studio,
    *,
    limits: Limits | None = None,
    hosts: Collection[str] = (),
    folder: Path | None = None,
    clock: Callable[[], float] = time.time,
) -> FastAPI:
    """The application of a studio; `hosts` are the only names it answers to, where any are given.

    `folder` is where files of imports and exports are kept; by default beside the studio's own.
    """
    limits = studio_limits(limits)
    app = FastAPI(
        openapi_url=None, docs_url=None, redoc_url=None, lifespan=_lifespan, redirect_slashes=False, telemetry=_SILENT
    )
    app.state.studio = studio
    app.state.clock = clock
    app.state.limits = limits
    app.state.metrics = Metrics()
    # Searching the corpus takes long beside a look into the database, and must not keep people waiting for theirs.
    app.state.workers = Workers(limits.workers, limits.queue, limits.seconds)
    app.state.readers = Workers(_READERS, 4 * limits.queue, limits.seconds)
    # An import keeps everybody from writing to SQLite until it is done: that must keep nobody from reading.
    app.state.writers = Workers(_WRITERS, 4 * limits.queue, limits.seconds)
    folder = folder or works_folder(studio)
    app.state.works = WorkRunner(studio.database, folder, lambda project: studio.checker(project).store, clock=clock)
    app.state.works_folder = folder
    app.state.room_watches = RoomWatches(app.state)
    app.state.error_page = rendering.error_page
    app.include_router(_router(), include_in_schema=False)
    problems.install(app)
    for kind, answer in (
        (SignInNeeded, rendering.ask_to_sign_in),
        (StaleForm, rendering.ask_to_send_again),
        (ConsentNeeded, rendering.ask_for_consent),
        (JoinNeeded, rendering.ask_to_join),
    ):
        app.add_exception_handler(kind, answer)
    _guard(app, limits, hosts)
    return app


@cache
def _router() -> APIRouter:
    """Every page. They know nothing of a studio before a request comes, so all applications share them."""
    from veritab.web.studio import (
        account,
        browsing,
        calibration,
        evidence,
        figures,
        game,
        guidelines,
        home,
        managing,
        members,
        mine,
        overseeing,
        qa,
        signing_in,
        working,
        works,
        writing,
    )

    pages = (
        signing_in,
        account,
        home,
        guidelines,
        browsing,
        working,
        writing,
        mine,
        calibration,
        managing,
        members,
        overseeing,
        qa,
        evidence,
        figures,
        works,
        game,
    )
    router = APIRouter(route_class=BoundedRoute)
    add_static(router)
    for module in pages:
        module.add(router)
    _add_watch(router)
    return router


def _add_watch(router: APIRouter) -> None:
    """What a machine asks that watches the server."""

    @router.get("/healthz")
    async def healthz() -> Response:
        return json_response({"status": "alive"})

    @router.get("/readyz")
    async def readyz(request: Request) -> Response:
        state = request.app.state
        if state.workers.is_closing:
            raise RequestRefused(503, "the server is stopping", retry_after="5")
        try:
            async with asyncio.timeout(_READY_SECONDS):
                await state.readers.run(_look_into, state.studio)
        except (TimeoutError, VeritabError):
            raise RequestRefused(503, "the database does not answer", retry_after="5") from None
        return json_response({"status": "ready"})


def _look_into(studio: Studio) -> None:
    with studio.database.reading() as session:
        session.execute(select(1))


def _guard(app: FastAPI, limits: Limits, hosts: Collection[str]) -> None:
    """The middleware, innermost first: each that is added runs before those added earlier."""
    app.add_middleware(guards.BodyLimit, limits=limits)
    app.add_middleware(guards.SameOrigin)
    app.add_middleware(guards.KeyRequired, keys=Keys())  # none are needed: it notes from where a request comes
    app.add_middleware(guards.KnownHosts, hosts=hosts)
    app.add_middleware(guards.HeaderLimit, limits=limits)
    app.add_middleware(guards.UnexpectedErrors)
    app.add_middleware(guards.RequestCounter, metrics=app.state.metrics)
    app.add_middleware(guards.SecureHeaders)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    pools: tuple[Workers, ...] = (app.state.workers, app.state.readers, app.state.writers)
    for pool in pools:
        pool.open()
    app.state.works.start()
    looking = [asyncio.ensure_future(each) for each in (_look_after(app), keep_playing(app.state))]
    yield
    for task in looking:
        task.cancel()
    await asyncio.to_thread(app.state.works.close)
    for pool in pools:
        await asyncio.to_thread(pool.close, app.state.limits.shutdown_seconds)


async def _look_after(app: FastAPI) -> None:
    """Open the corpora before anybody asks, then bring back tasks whose leases have run out, every minute."""
    await _try(app, _open_corpora, app.state.studio)
    while True:
        await _try(app, _release, app.state.studio, app.state.clock)
        await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)


async def _try(app: FastAPI, function: Callable[..., None], *args: Any) -> None:
    try:
        await app.state.workers.run(function, *args)
    except Exception:  # nobody awaits this; whoever opens a page is told what is wrong there
        _LOG.exception("the studio could not be looked after")


def _open_corpora(studio: Studio) -> None:
    with studio.database.reading() as session:
        projects = [each for each in all_projects(session) if each.closed_at is None]
    for project in projects:
        try:
            studio.open_corpus(project)
        except Conflict as error:  # the other projects go on
            _LOG.warning("%s", error)


def _release(studio: Studio, clock: Callable[[], float]) -> None:
    with studio.database.writing() as session:
        release_expired(session, now=clock())
        forget_old(session, now=clock())
