"""The first page of a game: what to do next, and how one stands."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from veritab.studio.game.games import rules_of
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit


def add(router: APIRouter) -> None:
    """Add these pages to the router."""


def show_menu(here: ProjectVisit) -> Response:
    """What a player can do now."""
    return render(here, "game/menu.html", here="project", rules=rules_of(here.session, here.project))
