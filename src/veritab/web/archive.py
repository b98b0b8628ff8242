"""What outlives a restart: verdicts that somebody kept, as they were, and jobs with their results so far.

In one SQLite file for the server's user alone; in PostgreSQL where several servers work as one; in memory where a
server has no folder of its own.
"""

from __future__ import annotations

import re
import secrets
import time
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from veritab.errors import NotFound
from veritab.web.databases import ArchiveDatabase, SqliteDatabase
from veritab.web.job_book import JobBook
from veritab.web.problems import RequestRefused

FILE = "archive.sqlite"
MOST_VERDICTS = 10_000
_SHARE = 10
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)


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


class Archive:
    """The kept verdicts and the jobs of a server, or of several. Any thread may use it."""

    def __init__(
        self,
        place: Path | str | None = None,
        most_verdicts: int = MOST_VERDICTS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """The archive in a file, at an address `postgresql://...`, or in memory; it is made where it is missing.

        The clock is for a file or memory: servers that share a database all go by the database's.
        """
        self._database = _open_database(place, clock)
        self._most = most_verdicts
        self.jobs = JobBook(self._database)
        self.is_lasting = self._database.is_lasting
        self.is_shared = self._database.is_shared
        self.is_away = False
        """Whether a shared database did not answer when it was last asked; the job runner asks every second."""

    def close(self) -> None:
        """Let go of the file, or of the database."""
        self._database.close()

    def keep_verdict(self, verdict: KeptVerdict, client: str) -> str:
        """Keep a verdict; the address that it has from now on."""
        id = secrets.token_urlsafe(16)
        packed = zlib.compress(orjson.dumps(verdict._asdict(), option=orjson.OPT_NON_STR_KEYS))
        with self._database.changing() as at:
            ((every,),) = at.ask("SELECT count(*) FROM serve_verdicts")
            ((own,),) = at.ask("SELECT count(*) FROM serve_verdicts WHERE client = ?", client)
            if every >= self._most or own >= max(1, self._most // _SHARE):
                whose = "you have" if own >= max(1, self._most // _SHARE) else "this server has"
                raise RequestRefused(429, f"{whose} kept as many verdicts as can be; forget some of them first")
            at.change("INSERT INTO serve_verdicts VALUES (?, ?, ?, ?)", id, at.now, client, packed)
        return id

    def verdict(self, id: str) -> KeptVerdict:
        """The verdict kept under an address."""
        found = []
        if _ID.fullmatch(id):
            with self._database.reading() as at:
                found = at.ask("SELECT kept, packed FROM serve_verdicts WHERE id = ?", id)
        if not found:
            raise NotFound("no verdict is kept under this address; it may have been forgotten")
        kept, packed = found[0]
        return KeptVerdict(**{**orjson.loads(zlib.decompress(packed)), "id": id, "kept": kept})

    def forget_verdict(self, id: str) -> None:
        """Forget a verdict, for good."""
        with self._database.changing() as at:
            at.change("DELETE FROM serve_verdicts WHERE id = ?", id)


def _open_database(place: Path | str | None, clock: Callable[[], float]) -> ArchiveDatabase:
    if not isinstance(place, str):
        return SqliteDatabase(place, clock)
    from veritab.web.postgres import PostgresDatabase

    return PostgresDatabase(place)
