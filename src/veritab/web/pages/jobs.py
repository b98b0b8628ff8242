"""Work that goes on after the answer: a file of claims or a whole text, checked a few claims at a time.

Jobs live in the server's memory, limited in number, size and time. Their names cannot be guessed.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import orjson

from veritab.decompose import ExtractedClaim
from veritab.errors import NotFound
from veritab.render.json import verdict_from_json, verdict_to_json
from veritab.schema import Claim, Label, Verdict
from veritab.web.problems import RequestRefused, describe_error

if TYPE_CHECKING:
    from veritab.web.corpora import Corpora
    from veritab.web.workers import Workers, WorkerSlot

MOST_JOBS = 24
MOST_RUNNING = 2
MOST_CLAIMS = 2000
SECONDS_KEPT = 3600.0
_BATCH = 4
_SECONDS_BETWEEN_TRIES = 1.0


class JobState(StrEnum):
    """The state of a job."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"


class StoredVerdict(NamedTuple):
    """A verdict as a job keeps it: compressed, with what the list of results shows."""

    label: Label
    confidence: float
    is_uncertain: bool
    packed: bytes

    @classmethod
    def of(cls, verdict: Verdict) -> StoredVerdict:
        record = orjson.dumps(verdict_to_json(verdict), option=orjson.OPT_NON_STR_KEYS)
        return cls(verdict.label, verdict.confidence, verdict.uncertain, zlib.compress(record, 3))

    @property
    def line(self) -> bytes:
        """The verdict as a line of JSON."""
        return zlib.decompress(self.packed)

    @property
    def verdict(self) -> Verdict:
        return verdict_from_json(orjson.loads(self.line))


@dataclass
class CheckJob:
    """Claims to check and their verdicts so far; a text has its sentences too."""

    name: str
    claims: Sequence[Claim]
    text: str = ""
    found: Sequence[ExtractedClaim] = ()
    corpus: str = ""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    made: float = field(default_factory=time.monotonic)
    state: JobState = JobState.WAITING
    results: list[StoredVerdict] = field(default_factory=list)
    error: str = ""

    @property
    def is_over(self) -> bool:
        return self.state in (JobState.DONE, JobState.STOPPED, JobState.FAILED)

    @property
    def labels(self) -> list[Label]:
        return [kept.label for kept in self.results]

    def verdicts(self) -> Iterator[Verdict]:
        return (kept.verdict for kept in self.results)


class JobRunner:
    """The jobs of a server. Used from its event loop only."""

    def __init__(self, corpora: Corpora, clock: Callable[[], float] = time.monotonic) -> None:
        self._corpora = corpora
        self._clock = clock
        self._jobs: dict[str, CheckJob] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turns: asyncio.Semaphore | None = None

    def start(self, job: CheckJob, workers: Workers, seconds: float) -> CheckJob:
        """Begin a job, or queue it; refused while there are too many."""
        self._forget_old()
        self._make_room()
        self._turns = self._turns or asyncio.Semaphore(MOST_RUNNING)
        job.made = self._clock()
        self._jobs[job.id] = job
        task = asyncio.get_running_loop().create_task(self._run(job, workers, seconds, self._turns))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        return job

    def job(self, id: str) -> CheckJob:
        """The job of that name."""
        self._forget_old()
        if id not in self._jobs:
            minutes = round(SECONDS_KEPT / 60)
            raise NotFound(
                f"no results are kept under this address; they are forgotten after {minutes} minutes, and earlier "
                f"where more than {MOST_JOBS} are kept"
            )
        return self._jobs[id]

    def stop(self, id: str) -> CheckJob:
        """End a job; its verdicts so far stay."""
        job = self.job(id)
        if task := self._tasks.get(id):
            task.cancel()
        return job

    def close(self) -> None:
        """End all jobs."""
        for task in self._tasks.values():
            task.cancel()

    def _forget_old(self) -> None:
        until = self._clock() - SECONDS_KEPT
        for id in [id for id, job in self._jobs.items() if job.made < until]:
            if task := self._tasks.get(id):
                task.cancel()
            del self._jobs[id]

    def _make_room(self) -> None:
        """Forget the oldest job that is over where there are too many; those at work are left alone."""
        if len(self._jobs) < MOST_JOBS:
            return
        oldest = next((id for id, job in self._jobs.items() if job.is_over), None)
        if oldest is None:
            raise RequestRefused(
                503, f"{MOST_JOBS} files and texts are being checked; try again later", retry_after="60"
            )
        del self._jobs[oldest]

    async def _run(self, job: CheckJob, workers: Workers, seconds: float, turns: asyncio.Semaphore) -> None:
        try:
            async with turns:
                with await _wait_for_slot(workers):
                    job.state = JobState.RUNNING
                    await self._check_all(job, workers, seconds)
            job.state = JobState.DONE
        except asyncio.CancelledError:
            job.state = JobState.STOPPED
        except Exception as error:
            job.state, job.error = JobState.FAILED, describe_error(error).detail

    async def _check_all(self, job: CheckJob, workers: Workers, seconds: float) -> None:
        for start in range(0, len(job.claims), _BATCH):
            job.results += await workers.work(seconds, self._check, job.corpus, job.claims[start : start + _BATCH])

    def _check(self, corpus: str, claims: Sequence[Claim]) -> list[StoredVerdict]:
        checker = self._corpora.find(corpus).checker
        return [StoredVerdict.of(verdict) for verdict in checker.check_many(claims, batch=len(claims))]


async def _wait_for_slot(workers: Workers) -> WorkerSlot:
    """A slot among the requests, however long it takes: a job has time."""
    while True:
        try:
            return workers.admit()
        except RequestRefused:
            if workers.is_closing:
                raise
            await asyncio.sleep(_SECONDS_BETWEEN_TRIES)
