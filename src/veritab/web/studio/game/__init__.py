"""The pages of the game, inside the studio's application."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from fastapi import APIRouter

_PAGES = ("joining", "menu", "standings", "organising", "voting", "writing", "rooms", "reviewing", "figures")


def add(router: APIRouter) -> None:
    """Add the pages of the game to the router."""
    for name in _PAGES:
        if find_spec(f"{__name__}.{name}"):
            import_module(f"{__name__}.{name}").add(router)
