"""The application: guards, the API, the pages and what machines watch, put together around the corpora."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

from veritab.web import guards, problems
from veritab.web.api.origins import AllowedOrigins, CrossOrigin
from veritab.web.archive import Archive
from veritab.web.corpora import Corpora
from veritab.web.keys import Keys
from veritab.web.limits import Limits
from veritab.web.metrics import Metrics
from veritab.web.workers import Workers

if TYPE_CHECKING:
    from veritab.pipeline import Checker

_READERS = 2
_KEEPERS = 4
_SECONDS_TO_KEEP = 10.0
# The framework can report to tracing services of its own accord; nothing of ours ever leaves the machine.
_SILENT: Any = dict.fromkeys(("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False)
_FIRST_CLAIM = "Mount Everest is 8,849 metres high."
_LOG = logging.getLogger(__name__)


def create_app(
    corpora: Corpora | Checker,
    *,
    limits: Limits | None = None,
    keys: Keys | None = None,
    hosts: Collection[str] = (),
    cors_origins: Collection[str] = (),
    pages: bool = True,
    archive: Archive | None = None,
) -> FastAPI:
    """The server's application; `hosts` are the only names it answers to, where any are given.

    Pages of `cors_origins` may use the API from a browser. `archive` keeps verdicts and jobs over a restart; without
    one they are kept in memory.
    """
    from veritab.web.api import corpora as corpus_routes
    from veritab.web.api import watch
    from veritab.web.api.document import describe
    from veritab.web.api.routes import router

    limits = limits or Limits()
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        redirect_slashes=False,
        telemetry=_SILENT,
    )
    app.state.corpora = corpora if isinstance(corpora, Corpora) else Corpora([corpora])
    app.state.limits = limits
    app.state.metrics = Metrics()
    app.state.archive = archive or Archive()
    app.state.workers = Workers(limits.workers, limits.queue, limits.seconds)
    # Looking something up takes milliseconds and must not stand behind checks, which take hundreds of them.
    app.state.readers = Workers(_READERS, 4 * limits.queue, limits.seconds)
    # What waits for a database that is away must keep nothing else waiting.
    app.state.keepers = Workers(_KEEPERS, 4 * limits.queue, _SECONDS_TO_KEEP)
    app.state.opened = False
    app.include_router(router())
    app.include_router(corpus_routes.router(app.state.corpora))
    app.include_router(watch.router())
    if pages:
        _mount_pages(app)
    describe(app, limits, keyed=bool(keys))
    problems.install(app)
    _guard(app, limits, keys or Keys(), hosts, AllowedOrigins(cors_origins, keyed=bool(keys)))
    return app


def _mount_pages(app: FastAPI) -> None:
    from veritab.web import pages

    app.include_router(pages.router(app.state.corpora, app.state.archive), include_in_schema=False)
    app.state.error_page = pages.error_page


def _guard(app: FastAPI, limits: Limits, keys: Keys, hosts: Collection[str], origins: AllowedOrigins) -> None:
    """The middleware, innermost first: each that is added runs before those added earlier."""
    app.add_middleware(guards.BodyLimit, limits=limits)
    app.add_middleware(guards.SameOrigin)
    app.add_middleware(guards.KeyRequired, keys=keys)
    app.add_middleware(CrossOrigin, origins=origins)
    app.add_middleware(guards.KnownHosts, hosts=hosts)
    app.add_middleware(guards.HeaderLimit, limits=limits)
    app.add_middleware(guards.UnexpectedErrors)
    app.add_middleware(guards.RequestCounter, metrics=app.state.metrics)
    app.add_middleware(guards.SecureHeaders)


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    pools: tuple[Workers, ...] = (app.state.workers, app.state.readers, app.state.keepers)
    for pool in pools:
        pool.open()
    opening = asyncio.ensure_future(_open(app))
    yield
    opening.cancel()
    for pool in pools:
        await asyncio.to_thread(pool.close, app.state.limits.shutdown_seconds)


async def _open(app: FastAPI) -> None:
    """Check one claim before anybody asks, so that models and corpus are open; then the server is ready."""
    try:
        await app.state.workers.run(app.state.corpora.default.check, _FIRST_CLAIM)
        app.state.opened = True
    except Exception:  # no caller awaits this task, so the log is the only place for it; /readyz stays at 503
        _LOG.exception("the models and the corpus could not be opened")
