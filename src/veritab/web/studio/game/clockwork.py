"""What happens in games when nobody asks: time runs out, rooms end, the checker plays, and a corpus changes.

Everything is read from the database anew each time, so that it goes on after a restart, and any number of servers may
do it side by side.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from starlette.datastructures import State

from veritab.errors import Conflict
from veritab.studio.game.opponent import Look, due_looks, judge_with, make_intention, think
from veritab.studio.game.players import has_expired
from veritab.studio.game.playing import expire_due
from veritab.studio.game.rooms import are_rooms_over, end_rooms
from veritab.studio.game.writing import changed_claims, expire_writings, rest_changed
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import all_projects, is_game
from veritab.studio.records import ProjectRecord

TICK_SECONDS = 1.0
CORPUS_SECONDS = 60.0
_LOG = logging.getLogger(__name__)


async def keep_playing(state: State) -> None:
    """Look every second, and at corpora every minute, for as long as the application runs."""
    unplayable: set[int] = set()
    known: dict[int, str] = {}
    await asyncio.gather(
        _every(TICK_SECONDS, state, lambda: _note_ends(state)),
        _every(TICK_SECONDS, state, lambda: _oppose(state, unplayable)),
        _every(CORPUS_SECONDS, state, lambda: _rest_what_changed(state, known)),
    )


async def _every(seconds: float, state: State, act: Callable[[], Coroutine[Any, Any, None]]) -> None:
    while not state.readers.is_closing:
        try:
            await act()
        except Exception:  # nobody awaits this; the next look may have better luck
            if not state.readers.is_closing:
                _LOG.exception("the games could not be looked after")
        await asyncio.sleep(seconds)


# -- the end of rounds and rooms ---------------------------------------------------------------------------


async def _note_ends(state: State) -> None:
    # Most often nothing is, and then nobody waits to write; nor do the workers, who tidy up after each job.
    if await asyncio.to_thread(_is_anything_over, state):
        await state.writers.run(_end_all, state)


def _is_anything_over(state: State) -> bool:
    now = state.clock()
    with state.studio.database.reading() as session:
        return has_expired(session, now=now) or are_rooms_over(session, now=now)


def _end_all(state: State) -> None:
    now = state.clock()
    with state.studio.database.writing() as session:
        expire_due(session, now=now)
        expire_writings(session, now=now)
        end_rooms(session, now=now)


# -- the checker -------------------------------------------------------------------------------------------


async def _oppose(state: State, unplayable: set[int]) -> None:
    """One move in each of the checker's rounds in which it is due."""
    for look in await asyncio.to_thread(_look, state):
        if look.view.round_id in unplayable:
            continue
        try:
            await state.workers.run(_play, state, look)
        except Exception:
            unplayable.add(look.view.round_id)  # its time runs out, as anybody's who cannot go on
            raise


def _look(state: State) -> list[Look]:
    with state.studio.database.reading() as session:
        return due_looks(session, now=state.clock())


def _play(state: State, look: Look) -> None:
    with state.studio.database.reading() as session:
        project = session.get_one(ProjectRecord, look.project_id)
    meant = think(look.view, look.rules, judge_with(state.studio.open_corpus(project)))
    with state.studio.database.writing() as session:
        make_intention(session, look.view, meant, now=state.clock())


# -- corpora that change -----------------------------------------------------------------------------------


async def _rest_what_changed(state: State, known: dict[int, str]) -> None:
    """Have claims rest whose evidence has changed, before a manager comes to accept the corpus."""
    if changed := await asyncio.to_thread(_changed_since, state, known):
        await state.writers.run(_rest, state, changed)


def _changed_since(state: State, known: dict[int, str]) -> list[int]:
    """The claims of all games whose evidence has changed; `known` are the corpora that were looked at."""
    found: list[int] = []
    with state.studio.database.reading() as session:
        for project in all_projects(session):
            if not is_game(project) or project.closed_at is not None:
                continue
            try:
                checker = state.studio.open_corpus(project)
                digest = corpus_digest(checker)
            except Conflict:  # it is gone; whoever opens the game is told so
                continue
            if digest not in (project.corpus_digest, known.get(project.id)):
                found += changed_claims(session, project, checker)
            known[project.id] = digest
    return found


def _rest(state: State, ids: list[int]) -> None:
    with state.studio.database.writing() as session:
        rest_changed(session, ids)
