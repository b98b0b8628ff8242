"""Shards that cannot be asked while a claim is checked: the others answer, and what was missing is told.

Only where somebody takes note: anywhere else the error of a shard is raised like any other.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import lru_cache
from typing import TypeVar

from veritab.errors import NotFound, StoreError

T = TypeVar("T")

log = logging.getLogger(__name__)

_noted: ContextVar[dict[str, str] | None] = ContextVar("missing_shards", default=None)


def note_missing(work: Callable[[], T]) -> tuple[T, Mapping[str, str]]:
    """What work gives without the shards that cannot be asked, and these by name, each with what happened."""
    missing: dict[str, str] = {}
    while True:
        known = len(missing)
        token = _noted.set(missing)
        try:
            return work(), missing
        except NotFound:
            # A page that was found before its shard was lost: now that one is left out from the beginning.
            if len(missing) == known:
                raise
        finally:
            _noted.reset(token)
            if (outside := _noted.get()) is not None:
                outside.update(missing)


def ask_shard(name: str, question: Callable[[], T], nothing: Callable[[], T]) -> T:
    """The answer of a shard; nothing where it cannot be asked and that is noted."""
    missing = _noted.get()
    if missing is None:
        return question()
    if name not in missing:
        try:
            return question()
        except (StoreError, sqlite3.Error, OSError) as error:
            lose_shard(name, error)
    return nothing()


def lose_shard(name: str, error: Exception) -> None:
    """Go on without a shard; where nobody takes note of that, the error is raised."""
    missing = _noted.get()
    if missing is None:
        raise error
    _warn(name, str(error))
    missing[name] = str(error)


@lru_cache(maxsize=100)  # once, not for every claim
def _warn(name: str, why: str) -> None:
    log.warning("the shard %s cannot be asked: %s", name, why)


def is_missing(name: str = "") -> bool:
    """Whether a shard was noted as missing; any, without a name."""
    missing = _noted.get() or {}
    return name in missing if name else bool(missing)
