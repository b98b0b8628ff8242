"""Slows down guessing: after some wrong passwords for a name, each further try has to wait, longer every time.

It knows names, not accounts, so that it tells nothing about which there are. A try is counted before it is made, and
outside of the transaction that it is made in: a failed sign-in is taken back. On SQLite, which one server has to
itself, tries are counted in memory; on PostgreSQL in a table, so that several servers count together.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from hashlib import sha256
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from veritab.errors import NotAllowed
from veritab.studio.database import Database, database_of, hold_alone
from veritab.studio.records import SignInTryRecord

FREE_TRIES = 5
FIRST_WAIT = 30.0
LONGEST_WAIT = 900.0


class Tries(NamedTuple):
    """How many wrong passwords were given for a name, and when the last was."""

    wrong: int
    last_at: float

    def another(self, now: float) -> Tries:
        """The tries with one more; NotAllowed where it has to wait."""
        until = self.last_at + self._wait
        if now < until:
            raise NotAllowed(f"too many wrong passwords for this name; try again in {_say(until - now)}")
        return Tries(1 if now - self.last_at > LONGEST_WAIT else self.wrong + 1, now)

    @property
    def _wait(self) -> float:
        over = self.wrong - FREE_TRIES
        return min(FIRST_WAIT * 2.0 ** min(over, 30), LONGEST_WAIT) if over >= 0 else 0.0


def _say(seconds: float) -> str:
    return f"{seconds:.0f} seconds" if seconds < 90 else f"{seconds / 60:.0f} minutes"


class Throttle(Protocol):
    """Counts the tries of each name."""

    def begin(self, name: str, now: float) -> None:
        """Count a try before it is made, so that many at once are counted too; NotAllowed where it has to wait."""

    def forget(self, name: str) -> None:
        """Begin anew after the right password."""


class MemoryThrottle:
    """The tries that this process knows of."""

    MOST_NAMES = 10_000

    def __init__(self) -> None:
        self._tries: dict[str, Tries] = {}
        self._lock = threading.Lock()

    def begin(self, name: str, now: float) -> None:
        with self._lock:
            before = self._tries.get(name, Tries(0, now))
            after = before.another(now)
            self._tries.pop(name, None)
            self._tries[name] = after
            while len(self._tries) > self.MOST_NAMES:
                del self._tries[next(iter(self._tries))]

    def forget(self, name: str) -> None:
        with self._lock:
            self._tries.pop(name, None)


class SharedThrottle:
    """The tries that all servers of a database know of; what somebody typed as their name is kept as a digest only."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, name: str, now: float) -> None:
        with self._alone(name) as (session, digest):
            session.execute(delete(SignInTryRecord).where(SignInTryRecord.last_at < now - LONGEST_WAIT))
            found = session.scalar(select(SignInTryRecord).where(SignInTryRecord.name_digest == digest))
            after = Tries(found.wrong if found else 0, found.last_at if found else now).another(now)
            if found is None:
                found = SignInTryRecord(name_digest=digest)
                session.add(found)
            found.wrong, found.last_at = after

    def forget(self, name: str) -> None:
        with self._alone(name) as (session, digest):
            session.execute(delete(SignInTryRecord).where(SignInTryRecord.name_digest == digest))

    @contextmanager
    def _alone(self, name: str) -> Iterator[tuple[Session, str]]:
        digest = sha256(name.encode(errors="surrogatepass")).hexdigest()
        with self._database.writing() as session:
            hold_alone(session, f"sign in {digest}")
            yield session, digest


_IN_MEMORY: MutableMapping[Database, Throttle] = WeakKeyDictionary()


def throttle_of(session: Session) -> Throttle:
    """The throttle of a database: one for all of its sessions."""
    database = database_of(session)
    return _IN_MEMORY.setdefault(database, MemoryThrottle()) if database.is_sqlite else SharedThrottle(database)
