"""Signing in and out, and joining by an invitation or a panel's link."""

from __future__ import annotations

import json

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from veritab.errors import Conflict, InputError, VeritabError
from veritab.studio import accounts
from veritab.studio.projects import is_game
from veritab.studio.records import ProjectRecord
from veritab.studio.vocabulary import Role
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.studio.rendering import render, send_again_page, sign_in_page
from veritab.web.studio.sessions import (
    LOGIN,
    FrameValues,
    NotDone,
    Visit,
    address_in,
    attempt,
    change,
    forget_login,
    frame_game,
    keep_login,
    known_visitor,
    local_address,
    look,
    move_on,
)

_PARTICIPANT_NAMES = ("participant", "PROLIFIC_PID", "workerId")
"""What panels call the participant in the links that they send people to."""


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/sign-in")
    async def form(request: Request, then: str = "/") -> Response:
        return await look(request, _show, local_address(then))

    @router.post("/sign-in")
    async def sign_in(request: Request) -> Response:
        return await attempt(request, _sign_in)

    @router.post("/sign-out")
    async def sign_out(request: Request) -> Response:
        return await change(request, _sign_out)

    @show_at(router, "/join/{token}")
    async def invitation(request: Request, token: str) -> Response:
        return await look(request, _show_invitation, token)

    @router.post("/join/{token}")
    async def join(request: Request, token: str) -> Response:
        return await change(request, _join, token)


# -- signing in --------------------------------------------------------------------------------------------


def _show(visit: Visit, then: str) -> Response:
    if visit.who:
        return RedirectResponse(then, 303)
    return sign_in_page(visit.request, then=then)


def _sign_in(visit: Visit) -> Response:
    request, name, then = visit.request, visit.field("name", 200), local_address(visit.field("then"))
    held = _read_held(visit)
    try:
        token = visit.studio.sign_in(name, str(visit.form.get("password", "")), now=visit.now)
    except VeritabError as error:
        problem = describe_error(error)
        return sign_in_page(request, then=then, held=held, name=name, refused=problem.detail, status=problem.status)
    if old := request.cookies.get(LOGIN):
        with visit.studio.database.writing() as session:
            accounts.sign_out(session, old, now=visit.now)
    if held is None:
        return keep_login(request, RedirectResponse(then, 303), token)
    request.state.frame = FrameValues(accounts.form_token(token), name)
    why = "You were signed out before this was sent."
    return keep_login(request, send_again_page(request, then, held, why), token)


def _read_held(visit: Visit) -> list[tuple[str, str]] | None:
    """What was sent before somebody signed in, if anything; it goes no further than to a page that shows it to them."""
    try:
        return [(str(name), str(value)) for name, value in json.loads(str(visit.form.get("held", "")))]
    except (ValueError, TypeError):
        return None


def _sign_out(visit: Visit) -> Response:
    if visit.who:
        accounts.sign_out(visit.session, visit.token, now=visit.now)
    return forget_login(RedirectResponse("/sign-in", 303))


# -- joining -----------------------------------------------------------------------------------------------


def _show_invitation(visit: Visit, token: str) -> Response:
    return known_visitor(visit.request, lambda: _draw_invitation(visit, token))


def _draw_invitation(visit: Visit, token: str, *, name: str = "", refused: str = "", status: int = 200) -> Response:
    given = visit.field("participant", 200) or next(
        (visit.request.query_params[each] for each in _PARTICIPANT_NAMES if each in visit.request.query_params), ""
    )
    invitation = accounts.find_invitation(visit.session, token, now=visit.now, participant=given)
    project = visit.session.get_one(ProjectRecord, invitation.project_id)
    if is_game(project):
        frame_game(visit)
    return render(
        visit,
        "join.html",
        status=status,
        title=project.title,
        role=Role(invitation.role),
        invitation=invitation,
        here_address=f"/join/{token}",
        participant=given,
        name=name or accounts.propose_name(visit.session),
        shortest=accounts.SHORTEST_PASSWORD,
        refused=as_sentence(refused),
    )


def _join(visit: Visit, token: str) -> Response:
    invitation = accounts.find_invitation(visit.session, token, now=visit.now, participant=visit.field("participant"))
    name, password = visit.field("name", 200), str(visit.form.get("password", ""))
    # Whoever is signed in joins as who they are; a panel sends people who need no name.
    account_id = visit.who.account_id if visit.who and not invitation.is_panel else None
    try:
        if account_id is None and not invitation.is_panel and password != visit.form.get("again"):
            raise InputError("the two passwords differ; type the same one twice")
        login, member = accounts.accept_invitation(
            visit.session,
            token,
            now=visit.now,
            name=name,
            password=password,
            participant=visit.field("participant", 200),
            account_id=account_id,
            hasher=visit.studio.hasher,
        )
    except (InputError, Conflict) as error:
        problem = describe_error(error)
        raise NotDone(
            _draw_invitation(visit, token, name=name, refused=problem.detail, status=problem.status)
        ) from None
    if old := visit.request.cookies.get(LOGIN):
        accounts.sign_out(visit.session, old, now=visit.now)
    project = visit.session.get_one(ProjectRecord, member.project_id)
    return keep_login(visit.request, move_on(address_in(project.name), "joined"), login)
