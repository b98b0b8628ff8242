"""Work that goes on after the answer: a file of claims or a whole text, checked a few claims at a time.

Jobs are limited in number, size and time, and their names cannot be guessed. Of their places and their turns every
client has a share. They are written down as they go, so that a server which was stopped, or killed, goes on with them,
or another one that shares its database.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec

import orjson

from veritab.decompose import ExtractedClaim
from veritab.errors import VeritabError
from veritab.render.json import verdict_from_json, verdict_to_json
from veritab.schema import Claim, Label, Verdict
from veritab.web.archive import Archive
from veritab.web.databases import ask
from veritab.web.job_book import MOST_RUNNING, UPLOADED, JobState, KeptJob, Result, Turn
from veritab.web.problems import RequestRefused, describe_error
from veritab.web.workers import client

if TYPE_CHECKING:
    from veritab.web.corpora import Corpora
    from veritab.web.workers import Workers

P = ParamSpec("P")

MOST_CLAIMS = 2000
_BATCH = 4
_SECONDS_BETWEEN_LOOKS = 1.0
"""For the work of other servers, and whether one's own was called off there."""
_SECONDS_TO_ANNOUNCE = 3.0
_SECONDS_BETWEEN_SWEEPS = 600.0
_SECONDS_TO_LEAVE = 5.0
_LOG = logging.getLogger(__name__)


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
    """What addresses call it; empty for the server's first."""
    corpus_name: str = ""
    """What every server calls it, the first one too."""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    client: str = ""
    state: JobState = JobState.WAITING
    results: Sequence[StoredVerdict] = ()
    error: str = ""
    waits_for: str = ""
    """The corpus, in words, where no server that is alive has it."""

    @classmethod
    def read(cls, kept: KeptJob) -> CheckJob:
        """A job that was written down."""
        content = kept.content
        return cls(
            content["name"],
            _claims(content),
            content["text"],
            [ExtractedClaim(**{**each, "reasons": tuple(each["reasons"])}) for each in content["found"]],
            content["corpus"],
            content.get("corpus_name", content["corpus"]),
            kept.id,
            kept.client,
            kept.state,
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
            "corpus_name": self.corpus_name,
        }

    @property
    def is_over(self) -> bool:
        return self.state in (JobState.DONE, JobState.STOPPED, JobState.FAILED)

    @property
    def labels(self) -> list[Label]:
        return [kept.label for kept in self.results]

    def verdicts(self) -> Iterator[Verdict]:
        return (kept.verdict for kept in self.results)


def _claims(content: Mapping[str, Any]) -> list[Claim]:
    return [Claim(id, text) for id, text in content["claims"]]


class JobRunner:
    """What a server does for jobs, its own and those of servers that share its archive. For its event loop only."""

    def __init__(self, corpora: Corpora, archive: Archive | None = None) -> None:
        self._corpora = corpora
        self._archive = archive or Archive()
        self._book = self._archive.jobs
        self._server = secrets.token_urlsafe(8)
        self._tasks: list[asyncio.Task[None]] = []
        self._news = asyncio.Event()

    # -- what visitors ask for

    async def start(self, job: CheckJob, keepers: Workers) -> CheckJob:
        """Begin a job, or queue it; refused while there are too many."""
        job.corpus_name = job.corpus or self._corpora.default.name
        key = self._corpora.key_of(job.corpus_name)
        await ask(keepers, self._book.add, job.id, job.client, key, job.content())
        self._news.set()
        return job

    async def job(self, id: str, keepers: Workers, *, whole: bool = False) -> CheckJob:
        """The job of that name; the records of its verdicts are there only where the whole of it is asked for."""

        def read() -> tuple[CheckJob, str]:
            kept = self._book.job(id, whole=whole)
            return CheckJob.read(kept), kept.corpus

        job, key = await ask(keepers, read)
        has_home = not self._archive.is_shared or key in self._corpora.keys() | self._corpora.elsewhere
        if not has_home and not job.is_over:
            job.waits_for = "the documents" if key.startswith(UPLOADED) else f"the corpus {job.corpus_name!r}"
        return job

    async def stop(self, id: str, keepers: Workers) -> CheckJob:
        """End a job; its verdicts so far stay."""
        job = await self.job(id, keepers)
        await ask(keepers, self._book.stop, id)
        return job

    # -- the work

    def resume(self, workers: Workers, keepers: Workers, seconds: float) -> None:
        """Take turns at the jobs, those too that were at work when a server ended."""
        self._news = asyncio.Event()
        begun = [self._take_turns(workers, keepers, seconds) for _ in range(MOST_RUNNING)]
        begun.append(self._forget_in_time(keepers))
        if self._archive.is_shared:
            begun.append(self._announce(keepers))
        self._tasks = [asyncio.ensure_future(each) for each in begun]

    async def close(self, keepers: Workers) -> None:
        """Leave all jobs as they are; what was not done is done by another server, or after the next start."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        with contextlib.suppress(VeritabError, RequestRefused, TimeoutError):
            async with asyncio.timeout(_SECONDS_TO_LEAVE):
                await keepers.run(self._book.leave, self._server)

    async def _take_turns(self, workers: Workers, keepers: Workers, seconds: float) -> None:
        """One turn after the other, as long as there are any."""
        while not workers.is_closing:
            self._news.clear()
            try:
                if await self._take_turn(workers, keepers, seconds):
                    self._news.set()
                    continue
            except RequestRefused:
                pass  # no place here, or no database; others may have both
            except Exception:  # nobody awaits this; the log is the only place for it
                _LOG.exception("a turn of a job could not be taken")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_SECONDS_BETWEEN_LOOKS):
                    await self._news.wait()

    async def _take_turn(self, workers: Workers, keepers: Workers, seconds: float) -> bool:
        """Check the next claims of the job whose turn it is; whether there was one."""
        with workers.admit():
            keys = self._corpora.keys() if self._archive.is_shared else None
            turn = await ask(keepers, self._book.take_turn, self._server, keys)
            if turn is None:
                return False
            self._news.set()  # there may be more to do than this
            try:
                results = await self._work(turn, workers, keepers, seconds)
                if results is not None:
                    kept = [(each.label.value, *each[1:]) for each in results]
                    await self._insist(keepers, self._book.end_turn, turn, kept)
            except Exception as error:
                if workers.is_closing:
                    return False
                problem = describe_error(error)
                if problem.status == HTTPStatus.SERVICE_UNAVAILABLE:  # too much to do here just now
                    await self._insist(keepers, self._book.give_back, turn)
                    return False
                await self._insist(keepers, self._book.fail, turn, problem.detail)
        return True

    async def _work(self, turn: Turn, workers: Workers, keepers: Workers, seconds: float) -> list[StoredVerdict] | None:
        """The verdicts of a turn; none where it was lost meanwhile, and the work called off."""
        claims = _claims(turn.content)[turn.start : turn.start + _BATCH]
        if not claims:
            return []
        own = client.set(turn.client)  # whose turn it is at the workers
        work = asyncio.ensure_future(workers.work(seconds, self._check, turn.content, claims))
        client.reset(own)
        try:
            while not (await asyncio.wait({work}, timeout=_SECONDS_BETWEEN_LOOKS))[0]:
                if not await self._still_has(turn, keepers):
                    return None
            return work.result()
        finally:
            work.cancel()

    async def _still_has(self, turn: Turn, keepers: Workers) -> bool:
        try:
            return await ask(keepers, self._book.renew_turn, turn)
        except RequestRefused:
            return True  # as far as anybody knows; nothing is written without the turn

    async def _insist(self, keepers: Workers, function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> None:
        """Have something written down, however long the database is away."""
        while True:
            try:
                await ask(keepers, function, *args, **kwargs)
                return
            except RequestRefused:
                await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)

    def _check(self, content: Mapping[str, Any], claims: Sequence[Claim]) -> list[StoredVerdict]:
        checker = self._corpora.find(content.get("corpus_name", content["corpus"])).checker
        return [StoredVerdict.of(verdict) for verdict in checker.check_many(claims, batch=len(claims))]

    async def _announce(self, keepers: Workers) -> None:
        """Say every moment that this server is alive and which corpora it has, and hear it from others."""
        while True:
            try:
                async with asyncio.timeout(_SECONDS_TO_ANNOUNCE):
                    keys = self._corpora.keys()
                    self._corpora.elsewhere = await ask(keepers, self._book.announce, self._server, keys)
                self._archive.is_away = False
            except (VeritabError, RequestRefused, TimeoutError):
                self._archive.is_away = True
            except Exception:  # a server that falls silent counts as dead; the log is the only place for it
                _LOG.exception("this server could not tell the others that it is alive")
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)

    async def _forget_in_time(self, keepers: Workers) -> None:
        while True:
            try:
                await ask(keepers, self._book.forget_old)
            except (VeritabError, RequestRefused):
                pass  # in ten minutes, then
            except Exception:
                _LOG.exception("old jobs could not be forgotten")
            await asyncio.sleep(_SECONDS_BETWEEN_SWEEPS)
