"""What goes wrong, in the one shape of RFC 9457 (application/problem+json), on every route."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, TypeAlias

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from veritab.errors import Cancelled, Conflict, EndpointError, InputError, NotAllowed, NotFound, StoreBusy, VeritabError
from veritab.render.faults import describe_faults
from veritab.text import shorten

MEDIA_TYPE = "application/problem+json"
CLIENT_GONE = 499
"""Nobody reads the answer; what servers write into their logs for that."""
_GONE_PHRASE = "Client Closed Request"
_UNREADABLE = "There was an error parsing the body"
NOTHING_SERVED = "nothing is served at this address; /openapi.json lists what is"
_DETAILS = {
    400: "the body cannot be read; send JSON, not nested deeper than a table is",
    404: NOTHING_SERVED,
    405: "this address is not served for that method; the header Allow lists those it is served for",
}
"""The detail where the framework gives no more than the status."""
_METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
_LONGEST_DETAIL = 1000
_BUSY = "somebody else keeps what is needed here busy just now, or it does not answer; try again in a moment"
MOST_FAULTS = 100
"""More are not looked for."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProblemDetails:
    """What went wrong with a request, for the person who must act."""

    status: int
    detail: str = ""
    errors: Sequence[Mapping[str, str]] = ()
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return _GONE_PHRASE if self.status == CLIENT_GONE else HTTPStatus(self.status).phrase

    def as_json(self) -> dict[str, Any]:
        """The members of the problem; `type` is about:blank, so the title is the status in words."""
        members = {"type": "about:blank", "title": self.title, "status": self.status}
        if self.detail:
            members["detail"] = _clean(self.detail)
        if self.errors:
            members["errors"] = [{name: _clean(value) for name, value in each.items()} for each in self.errors]
        return members


class RequestRefused(HTTPException):
    """A request that is not served, with the status and the reason."""

    def __init__(self, status: int, detail: str, errors: Sequence[Mapping[str, str]] = (), **headers: str) -> None:
        named = {name.replace("_", "-").title(): value for name, value in headers.items()}
        super().__init__(status, detail, named)
        self.errors = errors


DrawProblem: TypeAlias = Callable[[Request, ProblemDetails], Response]
"""Draws a problem for people; set on `app.state.error_page` by the pages."""


def _clean(text: str) -> str:
    """A message that fits on a screen and holds no half of a character, which JSON cannot."""
    whole = text.encode("utf-8", "replace").decode()
    return shorten(whole, _LONGEST_DETAIL)


def describe_error(error: Exception) -> ProblemDetails:
    """The problem that an exception stands for; an unexpected one is reported without its internals."""
    match error:
        case RequestValidationError():
            return _describe_invalid(error)
        case HTTPException():
            faults = error.errors if isinstance(error, RequestRefused) else ()
            problem = ProblemDetails(error.status_code, error.detail, faults, dict(error.headers or {}))
            plain = problem.detail in ("", problem.title, _UNREADABLE)
            return replace(problem, detail=_DETAILS.get(problem.status, "")) if plain else problem
        case InputError():
            return ProblemDetails(400, str(error))
        case NotFound():
            return ProblemDetails(404, str(error))
        case NotAllowed():
            return ProblemDetails(403, str(error))
        case Conflict():
            return ProblemDetails(409, str(error))
        case Cancelled():
            return ProblemDetails(504, str(error))
        case EndpointError():
            _LOG.error("a request failed: %s", error)
            return ProblemDetails(502, "the language model that decides here gave no answer; the server's log says why")
        case StoreBusy():
            _LOG.warning("a request came too early: %s", error)
            return ProblemDetails(503, _BUSY, headers={"Retry-After": "2"})
        case VeritabError():
            _LOG.error("a request failed: %s", error)
            return ProblemDetails(500, "the server's corpus or models cannot be used; its log says why")
        case _:
            _LOG.error("a request failed", exc_info=error)
            return ProblemDetails(500, "an unexpected error happened; the server's log says what")


def _describe_invalid(error: RequestValidationError) -> ProblemDetails:
    """What is wrong with which part of a request."""
    refused = refuse_faults(error.errors(), error.body)
    return ProblemDetails(400, refused.detail, refused.errors)


def refuse_faults(errors: Sequence[Mapping[str, Any]], sent: Any) -> RequestRefused:
    """The refusal of a request that the validator found fault with; the values stay out of the answer."""
    found = describe_faults(errors[:MOST_FAULTS], sent)
    faults = [{"where": each.where, "what": each.what} for each in found]
    first = faults[0] if faults else {"where": "the request", "what": "cannot be understood"}
    return RequestRefused(400, f"{first['where']}: {first['what']}", faults)


def problem_response(request: Request, problem: ProblemDetails) -> Response:
    """The problem as an answer: a page for a browser that asked for one, JSON for everybody else."""
    draw: DrawProblem | None = getattr(request.app.state, "error_page", None) if "app" in request.scope else None
    if draw and not request.url.path.startswith("/v1/") and "text/html" in request.headers.get("accept", ""):
        drawn = draw(request, problem)
        drawn.status_code = problem.status
        drawn.headers.update(problem.headers)
        return drawn
    return Response(orjson.dumps(problem.as_json()), problem.status, dict(problem.headers), MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Make every error of the app a problem; an unexpected one is caught by `guards.UnexpectedErrors`."""

    async def handle(request: Request, error: Exception) -> Response:
        problem = describe_error(error)
        if problem.status == 405:
            problem = replace(problem, headers={"Allow": ", ".join(_methods_at(app, request.scope))})
        if isinstance(error, RequestValidationError) and _is_not_json(request):
            problem = ProblemDetails(415, "the body must be JSON; send the header Content-Type: application/json")
        return problem_response(request, problem)

    handler: Callable[[Request, Exception], Awaitable[Response]] = handle
    for kind in (HTTPException, RequestValidationError, VeritabError):
        app.add_exception_handler(kind, handler)


def _methods_at(app: FastAPI, scope: Scope) -> list[str]:
    """Every method that an address is served for; the framework names those of the first route only."""
    methods: set[str] = set()
    for method in _METHODS:
        found = (route.matches({**scope, "method": method})[0] for route in app.routes)
        methods |= {method} if Match.FULL in found else set()
    return sorted(methods)


def _is_not_json(request: Request) -> bool:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    return request.method == "POST" and request.url.path.startswith("/v1/") and not kind.endswith(("/json", "+json"))
