"""What whoever runs a game sees and sets: what waits, the rules, and who may play."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter
from sqlalchemy import func, select
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import InputError
from veritab.studio.game.games import change_rules, game_of, open_to_all
from veritab.studio.game.records import GameClaimRecord, GameRoundRecord
from veritab.studio.game.rules import PRESETS, Rules
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.records import MembershipRecord
from veritab.studio.vocabulary import Role
from veritab.web.pages.templating import as_sentence, show_at
from veritab.web.studio.game.menu import count_to_review
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import NotDone, ProjectVisit, Visit, change, look, move_on

_WORDS = {
    "vote_seconds": ("Seconds to vote", "The clock of a round."),
    "most_points": ("Points of a round", "One for each second left goes to the voter, the rest to the authors."),
    "hint_seconds": ("Seconds a hint costs", "0 makes hints free."),
    "hints": ("Hints of a claim at most", "Its gold evidence comes after them."),
    "writing_seconds": ("Seconds to write a claim", ""),
    "writing_points": ("Points for a claim", "For writing it, whatever becomes of it."),
    "like_points": ("Points for a like", "For the claim that a voter finds the more interesting one."),
    "takes_turns": ("Writing and voting take turns", "Who wrote last votes next, and the other way round."),
    "room_seats": ("People in a room at most", ""),
    "checker_margin": ("How sure the checker must be", "How far apart it finds two claims before it votes in a room."),
    "checker_seconds": ("Seconds the checker takes", "Between two looks at a pair, as somebody who reads would."),
}
"""What people read for each rule."""


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/rules")
    async def show_rules(request: Request, project: str) -> Response:
        return await look(request, _show_rules, project)

    @router.post("/p/{project}/rules")
    async def set_rules(request: Request, project: str) -> Response:
        return await change(request, _change_rules, project)

    @router.post("/p/{project}/open")
    async def let_in(request: Request, project: str) -> Response:
        return await change(request, _let_in, project)


def show_overview(here: ProjectVisit, corpus: Mapping[str, Any] | None, trouble: str) -> Response:
    """The first page of whoever runs a game."""
    of_project = GameClaimRecord.project_id == here.project.id
    claims = dict(
        here.session.execute(
            select(GameClaimRecord.state, func.count())
            .where(of_project, GameClaimRecord.state != GameClaimState.PRACTICE.value)
            .group_by(GameClaimRecord.state)
        ).all()
    )
    rounds = here.session.scalar(
        select(func.count()).where(
            GameRoundRecord.project_id == here.project.id, GameRoundRecord.is_practice.is_(False)
        )
    )
    players = here.session.scalar(select(func.count()).where(MembershipRecord.project_id == here.project.id))
    return render(
        here,
        "game/manage.html",
        here="manage",
        to_review=count_to_review(here),
        claims={state.value: claims.get(state.value, 0) for state in GameClaimState if state.value in claims},
        rounds=rounds or 0,
        players=players or 0,
        is_open=game_of(here.session, here.project).is_open,
        corpus=corpus,
        corpus_trouble=trouble,
    )


# -- rules -------------------------------------------------------------------------------------------------


def _show_rules(visit: Visit, name: str) -> Response:
    return _draw_rules(visit.enter(name, Role.MANAGER))


def _draw_rules(here: ProjectVisit, *, refused: str = "", status: int = 200) -> Response:
    game = game_of(here.session, here.project)
    rules = Rules.parse(game.rules)
    presets = {name: Rules.preset(name) for name in PRESETS}
    return render(
        here,
        "game/rules.html",
        here="manage",
        status=status,
        rules=rules.as_dict(),
        presets={name: preset.as_dict() for name, preset in presets.items()},
        followed=next((name for name, preset in presets.items() if preset == rules), ""),
        words=_WORDS,
        is_open=game.is_open,
        form=here.form,
        refused=as_sentence(refused),
    )


def _change_rules(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    before = Rules.parse(game_of(here.session, here.project).rules)
    try:
        if preset := here.field("preset", 40):
            changes = Rules.preset(preset).as_dict()
        else:
            changes = {each.name: _read(here, each.name, each.default) for each in dataclasses.fields(Rules)}
        after = change_rules(here.session, here.project, changes, by=here.signed.account_id, now=here.now)
    except InputError as error:
        raise NotDone(_draw_rules(here, refused=str(error), status=400)) from None
    return move_on(here.to("rules"), "same" if after == before else "rules")


def _read(here: ProjectVisit, name: str, usual: Any) -> Any:
    """A rule as a form has it: a box that is not ticked is not sent."""
    said = here.field(name, 40)
    if isinstance(usual, bool):
        return bool(said)
    try:
        return int(said) if isinstance(usual, int) else float(said)
    except ValueError:
        wanted = "a whole number" if isinstance(usual, int) else "a number"
        raise InputError(f"{_WORDS[name][0].lower()}: {said!r} is not {wanted}; e.g. {usual}") from None


def _let_in(visit: Visit, name: str) -> Response:
    here = visit.enter(name, Role.MANAGER)
    is_open = here.field("open", 10) == "yes"
    open_to_all(here.session, here.project, is_open, by=here.signed.account_id, now=here.now)
    return move_on(here.to("rules"), "open-to-all" if is_open else "by-invitation")
