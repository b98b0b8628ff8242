"""Signing in and out, joining by an invitation or a panel's link, and one's own account."""

from __future__ import annotations

import json

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from veritab.errors import VeritabError
from veritab.studio import accounts
from veritab.web.pages.templating import show_at
from veritab.web.problems import describe_error
from veritab.web.studio.rendering import send_again_page, sign_in_page
from veritab.web.studio.sessions import (
    LOGIN,
    FrameValues,
    Visit,
    change,
    forget_login,
    keep_login,
    local_address,
    look,
)


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/sign-in")
    async def form(request: Request, then: str = "/") -> Response:
        return await look(request, _show, local_address(then))

    @router.post("/sign-in")
    async def sign_in(request: Request) -> Response:
        return await change(request, _sign_in)

    @router.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        return await change(request, _sign_out)


def _show(visit: Visit, then: str) -> Response:
    if visit.who:
        return RedirectResponse(then, 303)
    return sign_in_page(visit.request, then=then)


def _sign_in(visit: Visit) -> Response:
    request, name, then = visit.request, visit.field("name", 200), local_address(visit.field("then"))
    held = _read_held(visit)
    try:
        token = accounts.sign_in(visit.session, name, str(visit.form.get("password", "")), now=visit.now)
    except VeritabError as error:
        problem = describe_error(error)
        return sign_in_page(request, then=then, held=held, name=name, refused=problem.detail, status=problem.status)
    if old := request.cookies.get(LOGIN):
        accounts.sign_out(visit.session, old, now=visit.now)
    if not held:
        return keep_login(request, RedirectResponse(then, 303), token)
    request.state.frame = FrameValues(accounts.form_token(token), name)
    why = "You were signed out before this was sent."
    return keep_login(request, send_again_page(request, then, held, why), token)


def _read_held(visit: Visit) -> list[tuple[str, str]]:
    """What was sent before somebody signed in; it came from this server's own page, and goes where they see it."""
    try:
        return [(str(name), str(value)) for name, value in json.loads(str(visit.form.get("held", "[]")))]
    except (ValueError, TypeError):
        return []


def _sign_out(visit: Visit) -> Response:
    if visit.who:
        accounts.sign_out(visit.session, visit.token, now=visit.now)
    return forget_login(RedirectResponse("/sign-in", 303))
