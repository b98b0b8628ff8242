"""Liveness, readiness and metrics, for the machines that watch the server."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.web import metrics
from veritab.web.api.shapes import AliveShape, ReadyShape
from veritab.web.api.work import json_response
from veritab.web.problems import RequestRefused


def router() -> APIRouter:
    """/healthz, /readyz and /metrics, and the document that describes the API."""
    routes = APIRouter(tags=["watch"])

    @routes.get("/healthz", summary="Whether the server is alive", response_model=AliveShape)
    async def healthz() -> Response:
        return json_response({"status": "alive"})

    @routes.get("/readyz", summary="Whether models and corpus are open", response_model=ReadyShape)
    async def readyz(request: Request) -> Response:
        """Answers 503 until the first claim could be checked, and again from the moment the server is stopped.

        Where several servers share a database, `database` says whether it answers: without it claims are still
        checked, and what is kept cannot be reached.
        """
        state = request.app.state
        if state.workers.is_closing:
            raise RequestRefused(503, "the server is stopping", retry_after="5")
        if not state.opened:
            raise RequestRefused(503, "the models and the corpus are still being opened", retry_after="1")
        checker = state.corpora.default
        await state.readers.run(checker.follow)
        told = {"status": "ready", "corpus": dict(checker.corpus)}
        if state.archive.is_shared:
            told["database"] = "away" if state.archive.is_away else "here"
        return json_response(told)

    @routes.get(
        "/metrics",
        summary="Figures for Prometheus",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
    )
    async def metrics_text(request: Request) -> Response:
        state = request.app.state
        return Response(state.metrics.text(state.workers), media_type=metrics.MEDIA_TYPE)

    @routes.get("/openapi.json", include_in_schema=False)
    async def document(request: Request) -> Response:
        return json_response(request.app.openapi())

    return routes
