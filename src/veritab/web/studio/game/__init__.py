"""The pages of the game, inside the studio's application."""

from __future__ import annotations

from fastapi import APIRouter


def add(router: APIRouter) -> None:
    """Add the pages of the game to the router."""
    from veritab.web.studio.game import (
        figures,
        joining,
        menu,
        organising,
        reviewing,
        rooms,
        standings,
        voting,
        writing,
    )

    for module in (joining, menu, voting, writing, rooms, standings, organising, reviewing, figures):
        module.add(router)
