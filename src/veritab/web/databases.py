"""Where an archive is kept: in SQLite, for one server alone, or in PostgreSQL, which several servers share.

The same SQL goes to both: values are marked by `?`, and everything that changes is one transaction, of which there is
one at a time, so that what a transaction has counted is still true when it ends.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypeVar

from veritab.errors import InputError, VeritabError
from veritab.web.problems import RequestRefused
from veritab.web.workers import Workers

P = ParamSpec("P")
T = TypeVar("T")

FORMAT = 3
"""Of the tables; 1 had jobs without leases, 2 did not count the turns that were lost."""
TABLES = (
    "CREATE TABLE serve_verdicts (id TEXT PRIMARY KEY, kept DOUBLE PRECISION NOT NULL, client TEXT NOT NULL, "
    "packed BLOB NOT NULL)",
    "CREATE INDEX serve_verdicts_by_client ON serve_verdicts (client)",
    "CREATE TABLE serve_jobs (id TEXT PRIMARY KEY, made DOUBLE PRECISION NOT NULL, client TEXT NOT NULL, "
    "corpus TEXT NOT NULL, state TEXT NOT NULL, error BLOB NOT NULL, packed BLOB NOT NULL, "
    "server TEXT NOT NULL, fence INTEGER NOT NULL, held_until DOUBLE PRECISION NOT NULL, served INTEGER NOT NULL, "
    "lost INTEGER NOT NULL DEFAULT 0)",
    "CREATE TABLE serve_results (job TEXT NOT NULL, number INTEGER NOT NULL, label TEXT NOT NULL, "
    "confidence DOUBLE PRECISION NOT NULL, uncertain INTEGER NOT NULL, packed BLOB NOT NULL, "
    "PRIMARY KEY (job, number))",
    "CREATE TABLE serve_servers (id TEXT PRIMARY KEY, since DOUBLE PRECISION NOT NULL, seen DOUBLE PRECISION NOT NULL, "
    "corpora TEXT NOT NULL)",
)
_FROM_FIRST_FORMAT = (
    "INSERT INTO serve_verdicts SELECT id, kept, client, packed FROM verdicts",
    "INSERT INTO serve_jobs SELECT id, made, '', '', state, CAST(error AS BLOB), packed, '', 0, 0, 0, 0 FROM jobs",
    "INSERT INTO serve_results SELECT job, number, label, confidence, uncertain, packed FROM results",
    "DROP TABLE verdicts",
    "DROP TABLE jobs",
    "DROP TABLE results",
)
FROM_SECOND_FORMAT = "ALTER TABLE serve_jobs ADD COLUMN lost INTEGER NOT NULL DEFAULT 0"


class DatabaseAway(RequestRefused):
    """The database does not answer now; what needs it is asked for again later."""

    def __init__(self) -> None:
        super().__init__(
            503, "what is kept cannot be reached just now: the servers' database does not answer", retry_after="2"
        )


class Transaction:
    """What is asked and changed at one moment, `now` by the database's clock."""

    def __init__(self, execute: Callable[[str, Sequence[Any]], Any], now: float) -> None:
        self._execute = execute
        self.now = now

    def ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """The rows that a query finds."""
        return list(self._execute(query, values).fetchall())

    def change(self, statement: str, *values: Any) -> int:
        """How many rows a statement changed."""
        return int(self._execute(statement, values).rowcount)


class ArchiveDatabase(Protocol):
    """Transactions; any thread may begin one."""

    is_lasting: bool
    """Whether it outlives the server."""
    is_shared: bool
    """Whether other servers may be at work in it."""

    def changing(self) -> AbstractContextManager[Transaction]:
        """A transaction that changes something: all of it is kept, or nothing. There is one at a time."""
        ...

    def reading(self) -> AbstractContextManager[Transaction]:
        """A look at everything as it is at one moment."""
        ...

    def close(self) -> None:
        """Let go of every connection."""
        ...


class SqliteDatabase:
    """A file for the server's user alone, or memory. One server has it."""

    is_shared = False

    def __init__(self, file: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        """The file is made where it is missing; without one, everything is in memory."""
        self.is_lasting = file is not None
        self._file = file
        self._clock = clock
        self._lock = threading.Lock()
        if file is not None and not file.exists():
            os.close(os.open(file, os.O_CREAT | os.O_EXCL, 0o600))
        try:
            self._database = self._connect()
        except sqlite3.DatabaseError as error:
            raise InputError(f"{str(file)!r} cannot be used ({error}); move it away, or give another --state") from None

    def _connect(self) -> sqlite3.Connection:
        database = sqlite3.connect(self._file or ":memory:", check_same_thread=False, isolation_level=None)
        try:
            # What was forgotten must not be found in the file by somebody who looks at its bytes.
            database.executescript("PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")
            (format,) = database.execute("PRAGMA user_version").fetchone()
            if not 0 <= format <= FORMAT:
                raise InputError(f"{str(self._file)!r} was written by another version of Veritab; give another --state")
            if format != FORMAT:
                database.execute("BEGIN IMMEDIATE")
                needed = {0: TABLES, 1: (*TABLES, *_FROM_FIRST_FORMAT), 2: (FROM_SECOND_FORMAT,)}
                for statement in needed[format]:
                    database.execute(statement)
                database.execute(f"PRAGMA user_version = {FORMAT}")
                database.execute("COMMIT")
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        with self._lock:
            self._database.close()

    @contextmanager
    def changing(self) -> Iterator[Transaction]:
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                yield Transaction(self._database.execute, self._clock())
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                raise VeritabError(f"cannot write to {str(self._file)!r}: {error}") from None
            finally:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with self._lock:
            yield Transaction(self._database.execute, self._clock())


async def ask(keepers: Workers, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the database answers, in a thread of those that may wait for it."""
    try:
        return await keepers.run(function, *args, **kwargs)
    except RequestRefused as refused:
        if refused.status_code == HTTPStatus.GATEWAY_TIMEOUT:
            raise DatabaseAway from None
        raise
