"""How players stand: the leaderboard, one's own claims, and what has happened to them."""

from __future__ import annotations

from enum import StrEnum

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from veritab.studio.game.playing import leaderboard, my_claims, news_of, standing_of
from veritab.studio.game.vocabulary import GameClaimState, PointKind
from veritab.web.pages.templating import show_at
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, Visit, look, set_cookie

_WEEK = 7 * 24 * 3600.0
_MOST = 50
_MOST_NEWS = 50


class Period(StrEnum):
    """Since when points are counted."""

    WEEK = "week"
    ALL = "all"


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/leaderboard")
    async def board(request: Request, project: str, since: Period = Period.ALL) -> Response:
        return await look(request, _show_board, project, since)

    @show_at(router, "/p/{project}/my-claims")
    async def claims(request: Request, project: str) -> Response:
        return await look(request, _show_claims, project)

    @show_at(router, "/p/{project}/news")
    async def news(request: Request, project: str) -> Response:
        return await look(request, _show_news, project)


def _show_board(visit: Visit, name: str, period: Period) -> Response:
    here = visit.enter(name)
    since = here.now - _WEEK if period is Period.WEEK else 0.0
    rows = leaderboard(here.session, here.project, since=since, most=_MOST)
    own = standing_of(here.session, here.project, here.member.account_id, since=since)
    is_listed = any(row.account_id == own.account_id for row in rows)
    return render(
        here,
        "game/leaderboard.html",
        here="leaderboard",
        rows=rows if is_listed else [*rows, own],
        own=own,
        is_listed=is_listed,
        is_empty=not rows,
        period=period,
        kinds=list(PointKind),
    )


def _show_claims(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    rows = my_claims(here.session, here.project, here.member.account_id)
    return render(here, "game/my_claims.html", here="my-claims", rows=rows, state_words=_STATES)


_STATES = {
    GameClaimState.PLAYING: "In play",
    GameClaimState.RESTING: "Rests until somebody has reviewed it",
    GameClaimState.WITHDRAWN: "Withdrawn",
    GameClaimState.PRACTICE: "For practice",
}


# -- news --------------------------------------------------------------------------------------------------


def _show_news(visit: Visit, name: str) -> Response:
    here = visit.enter(name)
    rows = news_of(here.session, here.project, here.member.account_id, most=_MOST_NEWS)
    answer = render(here, "game/news.html", here="news", rows=rows, seen_at=_seen_at(here))
    set_cookie(here.request, answer, _cookie(here), str(int(here.now)))
    return answer


def count_news(here: ProjectVisit) -> int:
    """How many news somebody has not seen yet in this browser."""
    seen = _seen_at(here)
    return sum(each.at > seen for each in news_of(here.session, here.project, here.member.account_id, most=_MOST_NEWS))


def _seen_at(here: ProjectVisit) -> float:
    said = here.request.cookies.get(_cookie(here), "")
    return float(said) if said.isdecimal() and len(said) < 12 else 0.0


def _cookie(here: ProjectVisit) -> str:
    return f"veritab_news_{here.member.id}"
