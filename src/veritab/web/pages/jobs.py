"""Work that goes on after the answer: a file of claims or a whole text, checked a few claims at a time.

Jobs are limited in number, size and time, and their names cannot be guessed. Of their places and their turns every
client has a share. They are written down as they go, so that a server which was stopped, or killed, goes on with them.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from veritab.decompose import ExtractedClaim
from veritab.errors import NotFound
from veritab.render.json import verdict_from_json, verdict_to_json
from veritab.schema import Claim, Label, Verdict
from veritab.web.archive import Archive, KeptJob, Result
from veritab.web.problems import RequestRefused, describe_error
from veritab.web.workers import client, share_of

if TYPE_CHECKING:
    from veritab.web.corpora import Corpora
    from veritab.web.workers import Workers, WorkerSlot

MOST_JOBS = 24
MOST_RUNNING = 2
MOST_CLAIMS = 2000
SECONDS_KEPT = 24 * 3600.0
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

    @classmethod
    def read(cls, kept: Result) -> StoredVerdict:
        """One that was written down."""
        label, confidence, is_uncertain, packed = kept
        return cls(Label(label), confidence, is_uncertain, packed)

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
    made: float = field(default_factory=time.time)
    client: str = field(default_factory=client.get)
    state: JobState = JobState.WAITING
    results: list[StoredVerdict] = field(default_factory=list)
    error: str = ""

    @classmethod
    def read(cls, kept: KeptJob) -> CheckJob:
        """A job that was written down."""
        content = kept.content
        return cls(
            content["name"],
            [Claim(id, text) for id, text in content["claims"]],
            content["text"],
            [ExtractedClaim(**{**each, "reasons": tuple(each["reasons"])}) for each in content["found"]],
            content["corpus"],
            kept.id,
            kept.made,
            content["client"],
            JobState(kept.state),
            [StoredVerdict.read(result) for result in kept.results],
            kept.error,
        )

    def content(self) -> dict[str, Any]:
        """What is written down of it when it begins."""
        return {
            "name": self.name,
            "claims": [(claim.id, claim.text) for claim in self.claims],
            "text": self.text,
            "found": [each._asdict() for each in self.found],
            "corpus": self.corpus,
            "client": self.client,
        }

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

    def __init__(
        self, corpora: Corpora, archive: Archive | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._corpora = corpora
        self._archive = archive or Archive()
        self._clock = clock
        self._jobs = {kept.id: CheckJob.read(kept) for kept in self._archive.jobs()}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._turns = _Turns(MOST_RUNNING)
        self._is_closing = False

    def resume(self, workers: Workers, seconds: float) -> None:
        """Go on with the jobs that were at work when the server ended."""
        self._is_closing = False
        self.forget_old()
        for job in self._jobs.values():
            if not job.is_over and job.id not in self._tasks:
                job.state = JobState.WAITING
                self._begin(job, workers, seconds)

    def start(self, job: CheckJob, workers: Workers, seconds: float) -> CheckJob:
        """Begin a job, or queue it; refused while there are too many."""
        self.forget_old()
        self._make_room(job.client)
        job.made = self._clock()
        self._archive.write_job(job.id, job.made, job.state, job.content())
        self._jobs[job.id] = job
        self._begin(job, workers, seconds)
        return job

    def _begin(self, job: CheckJob, workers: Workers, seconds: float) -> None:
        task = asyncio.get_running_loop().create_task(self._run(job, workers, seconds))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))

    def job(self, id: str) -> CheckJob:
        """The job of that name."""
        self.forget_old()
        if id not in self._jobs:
            hours = round(SECONDS_KEPT / 3600)
            raise NotFound(
                f"no results are kept under this address; they are forgotten after {hours} hours, and earlier "
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
        """Leave all jobs as they are; what was not done is done after the next start."""
        self._is_closing = True
        for task in self._tasks.values():
            task.cancel()

    def forget_old(self) -> None:
        """Forget the jobs whose time is over."""
        until = self._clock() - SECONDS_KEPT
        for id in [id for id, job in self._jobs.items() if job.made < until]:
            if task := self._tasks.get(id):
                task.cancel()
            self._forget(id)

    def _forget(self, id: str) -> None:
        del self._jobs[id]
        self._archive.forget_job(id)

    def _make_room(self, own: str) -> None:
        """Forget a job that is over where there are too many, the oldest of who has most; those at work are left alone.

        Nobody has more than a share of them at work.
        """
        share = share_of(MOST_JOBS)
        if sum(job.client == own and not job.is_over for job in self._jobs.values()) >= share:
            raise _too_many(f"{share} of your files and texts")
        if len(self._jobs) < MOST_JOBS:
            return
        kept = Counter(job.client for job in self._jobs.values())
        over = [job for job in self._jobs.values() if job.is_over]
        if not over:
            raise _too_many(f"{MOST_JOBS} files and texts")
        self._forget(max(over, key=lambda job: kept[job.client]).id)

    async def _run(self, job: CheckJob, workers: Workers, seconds: float) -> None:
        try:
            await self._check_all(job, workers, seconds)
            job.state = JobState.DONE
        except asyncio.CancelledError:
            if self._is_closing:
                return
            job.state = JobState.STOPPED
        except Exception as error:
            if self._is_closing:
                return
            job.state, job.error = JobState.FAILED, describe_error(error).detail
        self._archive.write_state(job.id, job.state, job.error)

    async def _check_all(self, job: CheckJob, workers: Workers, seconds: float) -> None:
        for start in range(len(job.results), len(job.claims), _BATCH):
            async with self._turns.take(job.client, job.made):
                with await _wait_for_slot(workers):
                    job.state = JobState.RUNNING
                    job.results += await workers.work(seconds, self._check, job, start)

    def _check(self, job: CheckJob, start: int) -> list[StoredVerdict]:
        checker = self._corpora.find(job.corpus).checker
        claims = job.claims[start : start + _BATCH]
        results = [StoredVerdict.of(verdict) for verdict in checker.check_many(claims, batch=len(claims))]
        self._archive.write_results(job.id, start, [(each.label.value, *each[1:]) for each in results])
        return results


class _Turns:
    """So many jobs at work at a time, for a few claims each; then it is the turn of who has waited longest for one.

    Among the jobs of one client the oldest goes first.
    """

    def __init__(self, count: int) -> None:
        self._free = count
        self._at_work: Counter[str] = Counter()
        self._served: dict[str, int] = {}
        self._waiting: list[tuple[str, float, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def take(self, own: str, made: float) -> AsyncIterator[None]:
        """A turn, when it comes."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append((own, made, turn))
        self._pass_on()
        try:
            await turn
            yield
        finally:
            if turn.done() and not turn.cancelled():
                self._free += 1
                self._at_work[own] -= 1
            turn.cancel()
            self._pass_on()

    def _pass_on(self) -> None:
        self._waiting = [each for each in self._waiting if not each[2].done()]
        while self._free and self._waiting:
            chosen = min(
                self._waiting, key=lambda each: (self._at_work[each[0]], self._served.get(each[0], 0), each[1])
            )
            self._waiting.remove(chosen)
            self._served[chosen[0]] = max(self._served.values(), default=0) + 1
            self._free -= 1
            self._at_work[chosen[0]] += 1
            chosen[2].set_result(None)
        if not self._waiting:
            self._served.clear()

    def _order(self, waiting: tuple[str, float, asyncio.Future[None]]) -> tuple[int, int, float]:
        own, made, _ = waiting
        return self._at_work[own], self._served.get(own, 0), made


def _too_many(what: str) -> RequestRefused:
    return RequestRefused(503, f"{what} are being checked; try again later", retry_after="60")


async def _wait_for_slot(workers: Workers) -> WorkerSlot:
    """A slot among the requests, however long it takes: a job has time."""
    while True:
        try:
            return workers.admit()
        except RequestRefused:
            if workers.is_closing:
                raise
            await asyncio.sleep(_SECONDS_BETWEEN_TRIES)
