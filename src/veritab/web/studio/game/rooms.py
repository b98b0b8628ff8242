"""Rooms: people come in by a code, play one pair at the same time, and see each other's progress as it happens.

A room is one panel, drawn by the server: on its own page, beside the round that somebody plays in it, and again in
every event. Without a script, or without events, the page says to reload it.
"""

from __future__ import annotations

from random import SystemRandom
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import NotAllowed
from veritab.studio.game.records import GameRoomRecord, GameRoundRecord
from veritab.studio.game.rooms import (
    RoomView,
    find_room,
    make_room,
    play_again,
    room_view,
    sit_down,
    stand_up,
    start_room,
    tell_winner,
)
from veritab.web.pages.templating import environment, show_at
from veritab.web.studio.game.live import LAST_EVENT, RoomStream
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, Visit, address_in, change, look, move_on

_LONGEST_TOPIC = 500
_ANY = SystemRandom()


def add(router: APIRouter) -> None:
    """Add these pages to the router."""
    base = "/p/{project}/rooms"

    @router.post(base)
    async def make(request: Request, project: str) -> Response:
        return await change(request, _make, project)

    @show_at(router, f"{base}/{{code}}")
    async def show(request: Request, project: str, code: str) -> Response:
        return await look(request, _show, project, code)

    @router.get(f"{base}/{{code}}/events")
    async def events(request: Request, project: str, code: str, seen: str = "") -> Response:
        return await look(request, _open_stream, project, code, seen)

    @router.post(f"{base}/{{code}}/join")
    async def join(request: Request, project: str, code: str) -> Response:
        return await change(request, _join, project, code)

    @router.post(f"{base}/{{code}}/start")
    async def start(request: Request, project: str, code: str) -> Response:
        return await change(request, _start, project, code)

    @router.post(f"{base}/{{code}}/leave")
    async def leave(request: Request, project: str, code: str) -> Response:
        return await change(request, _leave, project, code)

    @router.post(f"{base}/{{code}}/again")
    async def again(request: Request, project: str, code: str) -> Response:
        return await change(request, _play_again, project, code)


def _enter(visit: Visit, name: str, code: str) -> tuple[ProjectVisit, GameRoomRecord]:
    here = visit.enter(name)
    return here, find_room(here.session, here.project, code)


# -- what is shown -----------------------------------------------------------------------------------------


def _show(visit: Visit, name: str, code: str) -> Response:
    here, room = _enter(visit, name, code)
    own = here.signed.account_id
    view = room_view(here.session, room, own, now=here.now)
    seat = view.seat_of(own)
    if seat and seat.round_id and not seat.is_done:
        return move_on(here.to("rounds", seat.round_id))
    link = str(here.request.url.replace(path=here.to("rooms", room.code), query=""))
    return render(here, "game/room.html", link=link, **_panel_values(view, own))


def panel_of(here: ProjectVisit, record: GameRoundRecord) -> dict[str, Any]:
    """What the panel beside a round shows, where it is played in a room."""
    if record.room_id is None:
        return {"room": None}
    own = here.signed.account_id
    return _panel_values(
        room_view(here.session, here.session.get_one(GameRoomRecord, record.room_id), own, now=here.now), own
    )


def _panel_values(view: RoomView, own: int) -> dict[str, Any]:
    left = next((seat for seat in view.seats if seat.account_id == own and not seat.is_here), None)
    return {
        "room": view,
        "own": own,
        "seat": view.seat_of(own),
        "left_round": left.round_id if left else None,
        "winner": tell_winner(view, own) if view.results else "",
    }


def _open_stream(visit: Visit, name: str, code: str, seen: str) -> Response:
    here, room = _enter(visit, name, code)
    own, project, token = here.signed.account_id, here.project.name, here.form_token
    if room_view(here.session, room, own, now=here.now).seat_of(own) is None:
        raise NotAllowed(f"only those in room {room.code} see what happens there; come in first")

    def draw(view: RoomView) -> str:
        values = {"to": lambda *parts: address_in(project, *parts), "form_token": token, **_panel_values(view, own)}
        return environment().get_template("studio/game/room_panel.html").render(values)

    last = here.request.headers.get(LAST_EVENT) or seen
    return RoomStream(here.request.app.state.room_watches, room.id, own, draw, last)


# -- what is done ------------------------------------------------------------------------------------------


def _make(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    alone = here.field("alone", 10) == "yes"
    room = make_room(
        here.session,
        here.project,
        here.signed.account_id,
        here.field("topic", _LONGEST_TOPIC),
        with_checker=alone or here.field("with_checker", 10) == "yes",
        rng=_ANY,
        now=here.now,
    )
    return _begin(here, room) if alone else move_on(here.to("rooms", room.code))


def _join(visit: Visit, name: str, code: str) -> Response:
    here, room = _enter(visit, name, code)
    sit_down(here.session, room, here.signed.account_id, now=here.now)
    return move_on(here.to("rooms", room.code))


def _start(visit: Visit, name: str, code: str) -> Response:
    return _begin(*_enter(visit, name, code))


def _begin(here: ProjectVisit, room: GameRoomRecord) -> Response:
    digest = here.project.corpus_digest
    start_room(here.session, room, here.signed.account_id, rng=_ANY, digest=digest, now=here.now)
    return move_on(here.to("rooms", room.code))


def _leave(visit: Visit, name: str, code: str) -> Response:
    here, room = _enter(visit, name, code)
    stand_up(here.session, room, here.signed.account_id, now=here.now)
    return move_on(here.to())


def _play_again(visit: Visit, name: str, code: str) -> Response:
    here, room = _enter(visit, name, code)
    after = play_again(here.session, room, here.signed.account_id, rng=_ANY, now=here.now)
    if after.with_checker and room_view(here.session, room, here.signed.account_id, now=here.now).people == 1:
        return _begin(here, after)  # nobody else would come along
    return move_on(here.to("rooms", after.code))
