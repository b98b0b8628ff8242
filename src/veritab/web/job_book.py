"""Jobs as they are written down, for one server or for several: who may begin one, whose turn it is, what came of it.

A job is worked on for a few claims at a time, by whichever server is free. A turn is held under a lease, which its
server renews while it works; a server that died, or was paused for longer, loses it, and another one goes on from the
results that are written. Every change of hands raises the job's fence: who comes with an old one writes nothing, so
that every claim has exactly one result. Where a job loses its server three times at the same claims, it fails rather
than end one server after the other.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias

import orjson

from veritab.errors import NotFound
from veritab.web.databases import ArchiveDatabase, Transaction
from veritab.web.problems import RequestRefused
from veritab.web.workers import share_of

MOST_JOBS = 24
MOST_RUNNING = 2
"""Turns at a time, of all jobs and on all servers."""
SECONDS_KEPT = 24 * 3600.0
LEASE_SECONDS = 15.0
"""How long a server that says nothing has its turn, and is thought to be alive."""
MOST_LOST = 3
"""How often in a row the turns at the same claims may be lost with their servers."""
_ID = re.compile(r"[\w-]{1,64}", re.ASCII)
_OPEN = "state IN ('waiting', 'running')"
_LONG_AGO = 1.0
"""The end of a lease that was never given back; one that was has 0."""
UPLOADED = "u"
"""What the keys of documents begin with that a visitor brought to one server."""
_DOCUMENTS_GONE = "the documents that this is about were let go, or their server has ended; bring them again"


class JobState(StrEnum):
    """The state of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


Result: TypeAlias = tuple[str, float, bool, bytes]
"""A verdict of a job: label, confidence, whether it is uncertain, and its record, compressed."""


class KeptJob(NamedTuple):
    """A job as it stands, with its results in order."""

    id: str
    made: float
    client: str
    corpus: str
    state: JobState
    error: str
    content: Mapping[str, Any]
    results: Sequence[Result] = ()


class Turn(NamedTuple):
    """The right to check the next claims of a job, until its lease ends."""

    job: str
    fence: int
    client: str
    content: Mapping[str, Any]
    start: int
    """How many claims have a result."""


class JobBook:
    """The jobs of all servers that share a database. Any thread may use it."""

    def __init__(self, database: ArchiveDatabase) -> None:
        self._database = database
        if not database.is_shared:  # whoever held a turn here was this server, before it was killed
            with database.changing() as at:
                at.change("UPDATE serve_jobs SET held_until = ?, fence = fence + 1 WHERE held_until > 0", _LONG_AGO)

    # -- beginning and looking

    def add(self, id: str, client: str, corpus: str, content: Mapping[str, Any]) -> None:
        """Write a new job down, and forget one that is over where there are too many; refused where none is.

        Nobody has more than a share of those that are not over.
        """
        packed = zlib.compress(orjson.dumps(content))
        with self._database.changing() as at:
            _forget_old(at)
            _make_room(at, client)
            row = (id, at.now, client, corpus, JobState.WAITING.value, b"", packed, "", 0, 0.0, 0, 0)
            at.change(f"INSERT INTO serve_jobs VALUES ({', '.join('?' * len(row))})", *row)

    def job(self, id: str, *, whole: bool = False) -> KeptJob:
        """The job of that name; the records of its results are there only where the whole of it is asked for."""
        found, results = [], []
        if _ID.fullmatch(id):
            with self._database.reading() as at:
                query = "SELECT made, client, corpus, state, error, packed FROM serve_jobs WHERE id = ? AND made >= ?"
                found = at.ask(query, id, at.now - SECONDS_KEPT)
                columns = f"label, confidence, uncertain, {'packed' if whole else 'NULL'}"
                results = at.ask(f"SELECT {columns} FROM serve_results WHERE job = ? ORDER BY number", id)
        if not found:
            hours = round(SECONDS_KEPT / 3600)
            raise NotFound(
                f"no results are kept under this address; they are forgotten after {hours} hours, and earlier "
                f"where more than {MOST_JOBS} are kept"
            )
        made, client, corpus, state, error, packed = found[0]
        return KeptJob(
            id,
            made,
            client,
            corpus,
            JobState(state),
            bytes(error).decode("utf-8", "replace"),
            orjson.loads(zlib.decompress(packed)),
            [(label, confidence, bool(uncertain), record or b"") for label, confidence, uncertain, record in results],
        )

    def stop(self, id: str) -> None:
        """End a job; its results so far stay, and who works on it learns of it when its turn is next renewed."""
        with self._database.changing() as at:
            at.change(
                f"UPDATE serve_jobs SET state = 'stopped', held_until = 0, fence = fence + 1 WHERE id = ? AND {_OPEN}",
                id,
            )

    def forget_old(self) -> None:
        """Forget the jobs whose time is over."""
        with self._database.changing() as at:
            _forget_old(at)

    # -- turns

    def take_turn(self, server: str, corpora: Collection[str] | None = None) -> Turn | None:
        """The turn that is next; none where nothing waits, or where as many are at work as may be.

        It goes to the client who has waited longest for one, and among the jobs of a client to the oldest. Only jobs
        on the named corpora are taken, where any are named.
        """
        if not self._has_work():
            return None
        with self._database.changing() as at:
            held = at.ask("SELECT client FROM serve_jobs WHERE held_until > ?", at.now)
            if len(held) >= MOST_RUNNING:
                return None
            at_work = Counter(client for (client,) in held)
            served = dict(at.ask("SELECT client, max(served) FROM serve_jobs GROUP BY client"))
            waiting = at.ask(
                f"SELECT id, client, made, corpus FROM serve_jobs WHERE {_OPEN} AND held_until <= ?", at.now
            )
            orders = [
                (at_work[client], served[client], made, id, client)
                for id, client, made, corpus in waiting
                if corpora is None or corpus in corpora
            ]
            if not orders:
                return None
            *_, id, client = min(orders)
            ((fence, packed, lost),) = at.ask(
                "UPDATE serve_jobs SET state = 'running', server = ?, fence = fence + 1, held_until = ?, served = ?, "
                "lost = CASE WHEN held_until > 0 THEN lost + 1 ELSE 0 END WHERE id = ? RETURNING fence, packed, lost",
                server,
                at.now + LEASE_SECONDS,
                max(served.values()) + 1,
                id,
            )
            ((start,),) = at.ask("SELECT count(*) FROM serve_results WHERE job = ?", id)
            turn = Turn(id, fence, client, orjson.loads(zlib.decompress(packed)), start)
            if lost >= MOST_LOST:
                self._end_failed(
                    at, turn, f"the servers that checked what comes after claim {start:,} ended {lost} times"
                )
                return None
        return turn

    def _has_work(self) -> bool:
        with self._database.reading() as at:
            return bool(at.ask(f"SELECT 1 FROM serve_jobs WHERE {_OPEN} AND held_until <= ? LIMIT 1", at.now))

    def renew_turn(self, turn: Turn) -> bool:
        """Hold a turn for longer; whether it is still held, and the job neither stopped nor forgotten."""
        with self._database.changing() as at:
            return self._change_held(at, turn, "held_until = ?", at.now + LEASE_SECONDS)

    def end_turn(self, turn: Turn, results: Sequence[Result]) -> bool:
        """Write what came of a turn, all of it or nothing; whether the turn was still held."""
        is_last = turn.start + len(results) >= len(turn.content["claims"])
        state = JobState.DONE if is_last else JobState.RUNNING
        with self._database.changing() as at:
            # A fence of its own for the end: where the answer is lost and this is tried again, nothing comes twice.
            if not self._change_held(at, turn, "held_until = 0, fence = fence + 1, state = ?", state.value):
                return False
            for number, (label, confidence, is_uncertain, packed) in enumerate(results, turn.start):
                row = (turn.job, number, label, confidence, int(is_uncertain), packed)
                at.change("INSERT INTO serve_results VALUES (?, ?, ?, ?, ?, ?)", *row)
        return True

    def give_back(self, turn: Turn) -> None:
        """Leave a turn to whoever is next, as if it had not been taken."""
        with self._database.changing() as at:
            self._change_held(at, turn, "held_until = 0, fence = fence + 1")

    def fail(self, turn: Turn, error: str) -> None:
        """End a job for an error; its results so far stay."""
        with self._database.changing() as at:
            self._end_failed(at, turn, error)

    def _end_failed(self, at: Transaction, turn: Turn, error: str) -> None:
        told = error.encode("utf-8", "replace")
        self._change_held(at, turn, "held_until = 0, fence = fence + 1, state = 'failed', error = ?", told)

    def _change_held(self, at: Transaction, turn: Turn, changes: str, *values: Any) -> bool:
        where = "WHERE id = ? AND fence = ? AND state = 'running'"
        return at.change(f"UPDATE serve_jobs SET {changes} {where}", *values, turn.job, turn.fence) > 0

    # -- the servers that share the book

    def announce(self, server: str, corpora: Collection[str]) -> frozenset[str]:
        """Say that a server is alive and which corpora it has; those that others have.

        Jobs on documents that no server holds any longer fail: nobody can ever go on with them.
        """
        with self._database.changing() as at:
            known = {id: row for id, *row in at.ask("SELECT id, since, seen, corpora FROM serve_servers")}
            since, seen, _ = known.pop(server, (at.now, at.now, ""))
            since = since if at.now - seen < LEASE_SECONDS else at.now
            # Where the database was away nobody was heard; all have as long as a lease to come back.
            if at.now - since > LEASE_SECONDS:
                known = {id: row for id, row in known.items() if row[1] > at.now - LEASE_SECONDS}
                at.change("DELETE FROM serve_servers WHERE seen < ?", at.now - LEASE_SECONDS)
            at.change("DELETE FROM serve_servers WHERE id = ?", server)
            row = (server, since, at.now, " ".join(sorted(corpora)))
            at.change("INSERT INTO serve_servers VALUES (?, ?, ?, ?)", *row)
            others = {key for _, _, told in known.values() for key in told.split()}
            for id, corpus in at.ask(f"SELECT id, corpus FROM serve_jobs WHERE {_OPEN} AND held_until <= ?", at.now):
                if corpus.startswith(UPLOADED) and corpus not in others and corpus not in corpora:
                    failed = "UPDATE serve_jobs SET state = 'failed', error = ?, fence = fence + 1 WHERE id = ?"
                    at.change(failed, _DOCUMENTS_GONE.encode(), id)
        return frozenset(others)

    def leave(self, server: str) -> None:
        """Say that a server ends: its turns are free at once."""
        with self._database.changing() as at:
            at.change("DELETE FROM serve_servers WHERE id = ?", server)
            at.change(
                "UPDATE serve_jobs SET held_until = 0, fence = fence + 1 WHERE server = ? AND held_until > 0", server
            )


def _forget_old(at: Transaction) -> None:
    until = at.now - SECONDS_KEPT
    at.change("DELETE FROM serve_results WHERE job IN (SELECT id FROM serve_jobs WHERE made < ?)", until)
    at.change("DELETE FROM serve_jobs WHERE made < ?", until)


def _make_room(at: Transaction, own: str) -> None:
    """Forget a job that is over where there are too many, the oldest of who has most."""
    kept = at.ask("SELECT id, client, state FROM serve_jobs ORDER BY made, id")
    over = [(id, client) for id, client, state in kept if state not in (JobState.WAITING, JobState.RUNNING)]
    share = share_of(MOST_JOBS)
    if sum(client == own and (id, client) not in over for id, client, _ in kept) >= share:
        raise _too_many(f"{share} of your files and texts")
    if len(kept) < MOST_JOBS:
        return
    if not over:
        raise _too_many(f"{MOST_JOBS} files and texts")
    counts = Counter(client for _, client, _ in kept)
    id, _ = max(over, key=lambda job: counts[job[1]])
    at.change("DELETE FROM serve_results WHERE job = ?", id)
    at.change("DELETE FROM serve_jobs WHERE id = ?", id)


def _too_many(what: str) -> RequestRefused:
    return RequestRefused(503, f"{what} are being checked; try again later", retry_after="60")
