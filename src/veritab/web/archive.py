"""What outlives a restart: verdicts that somebody kept, as they were, and jobs with their results so far.

One SQLite file for the server's user alone; in memory where a server has no folder of its own.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import orjson

from veritab.errors import InputError, NotFound, VeritabError
from veritab.web.problems import RequestRefused

FILE = "archive.sqlite"
MOST_VERDICTS = 10_000
_SHARE = 10
_FORMAT = 1
_SCHEMA = """
CREATE TABLE IF NOT EXISTS verdicts (
    id TEXT PRIMARY KEY, kept REAL NOT NULL, client TEXT NOT NULL, packed BLOB NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS verdicts_by_client ON verdicts (client);
CREATE TABLE IF NOT EXISTS jobs (
    id TEXT PRIMARY KEY, made REAL NOT NULL, state TEXT NOT NULL, error TEXT NOT NULL, packed BLOB NOT NULL)
    WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS results (
    job TEXT NOT NULL, number INTEGER NOT NULL, label TEXT NOT NULL, confidence REAL NOT NULL,
    uncertain INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (job, number)) WITHOUT ROWID;
"""


class KeptVerdict(NamedTuple):
    """A verdict as it was drawn, with the record of it that programs read."""

    claim: str
    corpus: str
    """What addresses call the corpus; empty for the server's first."""
    title: str
    drawn: Mapping[str, str]
    """The parts of the page, as HTML."""
    record: Mapping[str, Any]
    id: str = ""
    kept: float = 0.0


Result: TypeAlias = tuple[str, float, bool, bytes]
"""A verdict of a job: label, confidence, whether it is uncertain, and its record, compressed."""


class KeptJob(NamedTuple):
    """A job as it was last written down, with its results in order."""

    id: str
    made: float
    state: str
    error: str
    content: Mapping[str, Any]
    results: Sequence[Result]


class Archive:
    """The kept verdicts and the jobs of a server. Any thread may use it."""

    def __init__(self, file: Path | None = None, most_verdicts: int = MOST_VERDICTS) -> None:
        """The archive in a file, which is made where it is missing; without one, in memory."""
        self.is_lasting = file is not None
        self._file = file
        self._most = most_verdicts
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
            if format not in (0, _FORMAT):
                raise InputError(f"{str(self._file)!r} was written by another version of Veritab; give another --state")
            database.executescript(f"{_SCHEMA} PRAGMA user_version = {_FORMAT};")
        except BaseException:
            database.close()
            raise
        return database

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._database.close()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                self._database.execute("BEGIN IMMEDIATE")
                yield self._database
                self._database.execute("COMMIT")
            except sqlite3.Error as error:
                raise VeritabError(f"cannot write to {str(self._file)!r}: {error}") from None
            finally:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")

    def _ask(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            return self._database.execute(query, values).fetchall()

    # -- verdicts

    def keep_verdict(self, verdict: KeptVerdict, client: str) -> str:
        """Keep a verdict; the address that it has from now on."""
        id = secrets.token_urlsafe(16)
        packed = zlib.compress(orjson.dumps(verdict._asdict(), option=orjson.OPT_NON_STR_KEYS))
        with self._changing() as database:
            (every,) = database.execute("SELECT count(*) FROM verdicts").fetchone()
            (own,) = database.execute("SELECT count(*) FROM verdicts WHERE client = ?", (client,)).fetchone()
            if every >= self._most or own >= max(1, self._most // _SHARE):
                whose = "you have" if own >= max(1, self._most // _SHARE) else "this server has"
                raise RequestRefused(429, f"{whose} kept as many verdicts as can be; forget some of them first")
            database.execute("INSERT INTO verdicts VALUES (?, ?, ?, ?)", (id, time.time(), client, packed))
        return id

    def verdict(self, id: str) -> KeptVerdict:
        """The verdict kept under an address."""
        found = self._ask("SELECT kept, packed FROM verdicts WHERE id = ?", id)
        if not found:
            raise NotFound("no verdict is kept under this address; it may have been forgotten")
        kept, packed = found[0]
        return KeptVerdict(**{**orjson.loads(zlib.decompress(packed)), "id": id, "kept": kept})

    def forget_verdict(self, id: str) -> None:
        """Forget a verdict, for good."""
        with self._changing() as database:
            database.execute("DELETE FROM verdicts WHERE id = ?", (id,))

    # -- jobs

    def write_job(self, id: str, made: float, state: str, content: Mapping[str, Any]) -> None:
        """Write a new job down."""
        packed = zlib.compress(orjson.dumps(content))
        with self._changing() as database:
            database.execute("INSERT INTO jobs VALUES (?, ?, ?, '', ?)", (id, made, state, packed))

    def write_results(self, id: str, first: int, results: Sequence[Result]) -> None:
        """Write results of a job down, all of them or none; those of a job that was forgotten are not."""
        known = "SELECT ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM jobs WHERE id = ?)"
        rows = [(id, number, *result, id) for number, result in enumerate(results, first)]
        with self._changing() as database:
            database.executemany(f"INSERT OR REPLACE INTO results {known}", rows)

    def write_state(self, id: str, state: str, error: str = "") -> None:
        """Write down how a job stands."""
        with self._changing() as database:
            database.execute("UPDATE jobs SET state = ?, error = ? WHERE id = ?", (state, error, id))

    def forget_job(self, id: str) -> None:
        """Forget a job and its results."""
        with self._changing() as database:
            database.execute("DELETE FROM results WHERE job = ?", (id,))
            database.execute("DELETE FROM jobs WHERE id = ?", (id,))

    def jobs(self) -> list[KeptJob]:
        """Every job, the oldest first."""
        found = "SELECT label, confidence, uncertain, packed FROM results WHERE job = ? ORDER BY number"
        return [
            KeptJob(
                id,
                made,
                state,
                error,
                orjson.loads(zlib.decompress(packed)),
                [
                    (label, confidence, bool(uncertain), data)
                    for label, confidence, uncertain, data in self._ask(found, id)
                ],
            )
            for id, made, state, error, packed in self._ask("SELECT * FROM jobs ORDER BY made, id")
        ]
