"""Joining a game that is open to all: a pseudonym and a password, nothing else."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from veritab.errors import Conflict, InputError, NotFound
from veritab.studio import accounts
from veritab.studio.game.players import find_open_game, join_game
from veritab.studio.projects import member_of
from veritab.studio.records import ProjectRecord
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.problems import describe_error
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import (
    LOGIN,
    NotDone,
    Visit,
    address_in,
    change,
    frame_game,
    keep_login,
    known_visitor,
    look,
    move_on,
    room_address,
)


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/play/{project}")
    async def door(request: Request, project: str) -> Response:
        return await look(request, _show, project)

    @router.post("/play/{project}")
    async def join(request: Request, project: str) -> Response:
        return await change(request, _join, project)


def _show(visit: Visit, name: str) -> Response:
    project = find_open_game(visit.session, name)
    if visit.who:
        try:
            member_of(visit.session, project, visit.who.account_id)
            return RedirectResponse(_wanted(visit, name) or address_in(name), 303)
        except NotFound:
            pass
    return known_visitor(visit.request, lambda: _draw(visit, project))


def _wanted(visit: Visit, name: str) -> str:
    """The room that somebody was sent to, if any."""
    return room_address(name, visit.request.query_params.get("then", ""))


def _draw(
    visit: Visit, project: ProjectRecord, *, pseudonym: str = "", refused: str = "", status: int = 200
) -> Response:
    frame_game(visit)
    then = _wanted(visit, project.name)
    return render(
        visit,
        "game/join.html",
        status=status,
        title=project.title,
        here_address=f"/play/{project.name}" + (f"?{urlencode({'then': then})}" if then else ""),
        name=pseudonym or accounts.propose_name(visit.session),
        shortest=accounts.SHORTEST_PASSWORD,
        refused=as_sentence(refused),
    )


def _join(visit: Visit, name: str) -> Response:
    project = find_open_game(visit.session, name)
    pseudonym, password = visit.field("name", 200), str(visit.form.get("password", ""))
    try:
        if visit.who is None and password != visit.form.get("again"):
            raise InputError("the two passwords differ; type the same one twice")
        login, _ = join_game(
            visit.session,
            project,
            now=visit.now,
            name=pseudonym,
            password=password,
            account_id=visit.who.account_id if visit.who else None,
            hasher=visit.studio.hasher,
        )
    except (InputError, Conflict) as error:
        problem = describe_error(error)
        raise NotDone(
            _draw(visit, project, pseudonym=pseudonym, refused=problem.detail, status=problem.status)
        ) from None
    if old := visit.request.cookies.get(LOGIN):
        accounts.sign_out(visit.session, old, now=visit.now)
    return keep_login(visit.request, move_on(_wanted(visit, name) or address_in(name), "joined"), login)
