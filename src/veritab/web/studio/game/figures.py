"""What a game teaches: tables for people with what Fool Me Twice prints beside them, and JSON for programs."""

from __future__ import annotations

from itertools import groupby

import orjson
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.studio.game.games import game_of
from veritab.studio.game.learned.measuring import GameFigures
from veritab.studio.game.learned.prior import FITTED, PriorChoice
from veritab.studio.game.learned.reading import read_game
from veritab.studio.game.learned.report import HINT_CAVEAT, best_players, game_rows, game_to_json, hardest_claims
from veritab.studio.vocabulary import Role
from veritab.web.pages.templating import show_at
from veritab.web.studio.game.reviewing import member_addresses
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, Visit, look


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/game-figures")
    async def show(request: Request, project: str, prior: str = "paper") -> Response:
        return await look(request, _show, project, prior)

    @show_at(router, "/p/{project}/game-figures.json")
    async def as_json(request: Request, project: str, prior: str = "paper") -> Response:
        return await look(request, _as_json, project, prior)


def _read(visit: Visit, name: str, prior: str) -> tuple[ProjectVisit, PriorChoice, GameFigures]:
    here = visit.enter(name, Role.MANAGER)
    game_of(here.session, here.project)
    chosen = PriorChoice.parse(prior)
    return here, chosen, read_game(here.session, here.project, chosen)


def _show(visit: Visit, name: str, prior: str) -> Response:
    here, chosen, figures = _read(visit, name, prior)
    members = member_addresses(here)
    return render(
        here,
        "game/game_figures.html",
        here="game-figures",
        groups=[(group, list(rows)) for group, rows in groupby(game_rows(figures), key=lambda row: row.group)],
        is_fitted=chosen == FITTED,
        caveats={"What came after hints": HINT_CAVEAT},
        claims=[(text, here.to("review", id), each) for id, text, each in hardest_claims(figures)],
        players=[(name, members.get(name, ""), each) for name, each in best_players(figures)],
    )


def _as_json(visit: Visit, name: str, prior: str) -> Response:
    _, _, figures = _read(visit, name, prior)
    content = orjson.dumps(game_to_json(figures), option=orjson.OPT_INDENT_2)
    return Response(content, media_type="application/json", headers={"Cache-Control": "no-store"})
