"""Texts and files given to the pages: begun, followed, stopped, forgotten."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from itertools import count
from typing import NamedTuple

import orjson
import pytest
from lxml import html
from starlette.testclient import TestClient

from tests.web.seen import BROWSER, drawn, words
from tests.web.serving import until
from veritab.errors import InputError, NotFound
from veritab.pipeline import Checker
from veritab.render.json import verdict_from_json
from veritab.schema import Claim, Label, Verdict
from veritab.web.app import create_app
from veritab.web.archive import Archive
from veritab.web.corpora import Corpora
from veritab.web.job_book import MOST_JOBS, SECONDS_KEPT, JobState
from veritab.web.limits import Limits
from veritab.web.pages import jobs, long_work
from veritab.web.problems import RequestRefused
from veritab.web.workers import Workers


def finished(client: TestClient, address: str) -> html.HtmlElement:
    until(lambda: client.get(f"{address}/progress").json()["over"], 20)
    return drawn(client, address)


def test_a_text_comes_back_marked(client: TestClient) -> None:
    text = "Mount Everest is taller than K2. What a view!\r\n\r\nK2 was climbed for the first time in 1954."
    answer = client.post("/text", data={"text": text}, follow_redirects=False)
    assert answer.status_code == 303
    page = finished(client, answer.headers["location"])
    marked = page.cssselect(".marked-text")[0]
    assert "What a view!" in marked.text_content()
    statements = page.cssselect("a.statement")
    assert len(statements) == 2
    assert all(page.get_element_by_id(link.get("href")[1:]) is not None for link in statements)
    assert len(page.cssselect(".results li")) == 2


@pytest.mark.parametrize("text", ["K2 is high.", "K2 is\nhigh.", "High. ", "", "a" * 500])
def test_a_stretch_of_a_text_loses_nothing_to_its_last_word(text: str) -> None:
    marked = long_work.MarkedStretch(text, 1, None)
    assert marked.before_it + marked.last_word == text
    assert len(marked.last_word.split()) <= 1


def test_a_file_is_checked_and_its_results_can_be_taken_away(client: TestClient) -> None:
    lines = b'{"id": "a", "claim": "Mount Everest is taller than K2."}\n{"id": "b", "claim": "K2 lies in Peru."}\n'
    answer = client.post("/file", files={"file": ("my claims.jsonl", lines)}, follow_redirects=False)
    address = answer.headers["location"]
    page = finished(client, address)
    assert words(page, "h1") == ["my claims.jsonl"]
    results = client.get(f"{address}/results.jsonl")
    told = [verdict_from_json(orjson.loads(line)) for line in results.content.splitlines()]
    assert [verdict.claim.id for verdict in told] == ["a", "b"]
    assert results.headers["content-disposition"] == 'attachment; filename="veritab-my-claims-jsonl.jsonl"'
    report = client.get(f"{address}/report.html")
    assert "K2 lies in Peru." in report.text


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "holds no claim"),
        (b'{"id": 1}\n', "has no claim"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"a" * 2001, "characters"),
        (b"a claim\n" * 2001, "more than 2,000 claims"),
    ],
)
def test_a_file_that_cannot_be_checked_says_why(client: TestClient, content: bytes, told: str) -> None:
    answer = client.post("/file", files={"file": ("../../x\\y.txt", content)}, headers=BROWSER)
    assert answer.status_code == 400
    page = html.document_fromstring(answer.text)
    assert told in words(page, ".error")[0]
    assert "../" not in words(page, ".error")[0]
    assert "Y.txt" not in words(page, ".error")[0]


def test_a_form_without_a_file_says_so(client: TestClient) -> None:
    assert client.post("/file", data={"other": "1"}, headers=BROWSER).status_code == 400


@pytest.mark.parametrize("text", ["", " \n ", "a" * (long_work.LONGEST_TEXT + 1)])
def test_a_text_that_cannot_be_checked_is_refused(client: TestClient, text: str) -> None:
    assert client.post("/text", data={"text": text}, headers=BROWSER).status_code == 400


def test_a_text_without_statements_says_so(client: TestClient) -> None:
    page = finished(client, client.post("/text", data={"text": "Really?"}, follow_redirects=False).headers["location"])
    assert "Nothing in this text" in words(page, ".empty")[0]


def test_nobody_finds_a_job_by_guessing(client: TestClient) -> None:
    drawn(client, "/jobs/guess", 404)
    assert client.get("/jobs/guess/results.jsonl").status_code == 404


def test_too_large_an_upload_is_refused(checker: Checker) -> None:
    with TestClient(create_app(checker, limits=Limits(upload_bytes=1000)), headers=BROWSER) as small:
        assert small.post("/file", files={"file": ("x.txt", b"a claim\n" * 500)}).status_code == 413


class Slow:
    """Stands in for a checker whose claims take a while."""

    name = "slow"

    def check_many(self, claims: list[Claim], batch: int) -> Iterator[Verdict]:
        for claim in claims:
            time.sleep(0.02)
            if "accident" in claim.text:
                raise RuntimeError("the secret reason")
            yield Verdict(claim, Label.SUPPORTS, {Label.SUPPORTS: 1.0})


def claims(count: int, text: str = "x") -> list[Claim]:
    return [Claim(str(number), text) for number in range(count)]


@asynccontextmanager
async def running(clock: Callable[[], float] = time.time) -> AsyncIterator[Running]:
    """A runner at work, with one thread to check in."""
    workers, keepers = Workers(1, 4), Workers(2, 100)
    runner = jobs.JobRunner(Corpora([Slow()]), Archive(clock=clock))  # type: ignore[list-item]
    runner.resume(workers, keepers, 10)
    try:
        yield Running(runner, keepers)
    finally:
        await runner.close(keepers)
        workers.close()
        keepers.close()


class Running(NamedTuple):
    """What visitors may do with a runner."""

    runner: jobs.JobRunner
    keepers: Workers

    async def start(self, job: jobs.CheckJob) -> str:
        return (await self.runner.start(job, self.keepers)).id

    async def job(self, id: str) -> jobs.CheckJob:
        return await self.runner.job(id, self.keepers)

    async def until(self, id: str, come: Callable[[jobs.CheckJob], bool]) -> jobs.CheckJob:
        async with asyncio.timeout(20):
            while not come(job := await self.job(id)):
                await asyncio.sleep(0.01)
        return job


def test_a_stopped_job_keeps_what_it_has() -> None:
    async def use() -> None:
        async with running() as kept:
            id = await kept.start(jobs.CheckJob("slow", claims(500)))
            await kept.until(id, lambda job: bool(job.results))
            await kept.runner.stop(id, kept.keepers)
            stopped = await kept.job(id)
            assert stopped.state is JobState.STOPPED
            assert 0 < len(stopped.results) < 500
            await asyncio.sleep(0.2)
            assert len((await kept.job(id)).results) == len(stopped.results)

    asyncio.run(use())


def test_an_accident_does_not_have_a_server_fall_silent(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []

    def announce(server: str, corpora: object) -> frozenset[str]:
        told.append(server)
        if len(told) == 1:
            raise RuntimeError("nobody foresaw this")
        return frozenset()

    async def use() -> None:
        archive = Archive()
        archive.is_shared = True
        monkeypatch.setattr(archive.jobs, "announce", announce)
        workers, keepers = Workers(1, 4), Workers(2, 100)
        runner = jobs.JobRunner(Corpora([Slow()]), archive)  # type: ignore[list-item]
        runner.resume(workers, keepers, 10)
        async with asyncio.timeout(20):
            while len(told) < 2:
                await asyncio.sleep(0.01)
        await runner.close(keepers)
        workers.close()
        keepers.close()

    monkeypatch.setattr(jobs, "_SECONDS_BETWEEN_LOOKS", 0.01)
    asyncio.run(use())
    assert "nobody foresaw this" in caplog.text


def test_work_called_off_at_the_moment_it_ends_is_called_off() -> None:
    async def use() -> None:
        workers = Workers(1, 4)
        for turns in range(6):
            done = threading.Event()
            task = asyncio.ensure_future(workers.work(10, done.set))
            while not done.is_set():
                await asyncio.sleep(0)
            time.sleep(0.01)  # the answer is there, and the loop has not seen it yet
            for _ in range(turns):
                await asyncio.sleep(0)
            if task.cancel():  # false where it had come to its end before
                with pytest.raises(asyncio.CancelledError):
                    await task
        workers.close()

    asyncio.run(use())


def test_an_accident_ends_a_job_without_its_internals() -> None:
    async def use() -> None:
        async with running() as kept:
            id = await kept.start(jobs.CheckJob("bad", claims(1, "accident")))
            job = await kept.until(id, lambda job: job.is_over)
        assert job.state is JobState.FAILED
        assert job.error
        assert "secret" not in job.error

    asyncio.run(use())


def test_there_are_only_so_many_jobs_and_for_so_long() -> None:
    now = [0.0]
    book = Archive(clock=lambda: now[0]).jobs

    def start(client: str) -> str:
        id = f"job-{next(numbers)}"
        book.add(id, client, "", {"claims": []})
        return id

    numbers = count()
    first, *_ = [start("a") for _ in range(18)]
    with pytest.raises(RequestRefused, match="18 of your files and texts") as refused:  # the rest is for others
        start("a")
    assert refused.value.status_code == 503
    for _ in range(MOST_JOBS - 18):
        start("b")
    with pytest.raises(RequestRefused, match="24 files and texts"):
        start("b")
    now[0] = SECONDS_KEPT + 1
    with pytest.raises(NotFound, match="forgotten"):
        book.job(first)
    start("a")


def test_the_oldest_job_that_is_over_of_who_has_most_makes_room_for_another() -> None:
    now = count()
    book = Archive(clock=lambda: next(now)).jobs
    every: list[str] = []
    for client in ["b", *["a"] * 11, "b", "b", *["a"] * 10]:
        every.append(f"job-{len(every)}")
        book.add(every[-1], client, "", {"claims": []})
        turn = book.take_turn("a server")
        assert turn
        assert book.end_turn(turn, [])
    book.add("one-more", "a", "", {"claims": []})
    with pytest.raises(NotFound, match="earlier where more than 24 are kept"):
        book.job(every[1])
    assert book.job(every[0]).state is JobState.DONE
    assert book.job(every[2]).state is JobState.DONE


def test_a_client_with_many_jobs_leaves_every_other_its_turn() -> None:
    async def use() -> None:
        async with running() as kept:
            many = [await kept.start(jobs.CheckJob("a", claims(40, "long"), client="a")) for _ in range(5)]
            others = [await kept.start(jobs.CheckJob(name, claims(8), client=name)) for name in ("b", "c")]
            for id in others:
                await kept.until(id, lambda job: job.state is JobState.DONE)
            assert (await kept.job(many[0])).state is JobState.RUNNING
            assert (await kept.job(many[3])).state is JobState.WAITING  # one's own are done one after the other

    asyncio.run(use())


def test_a_job_is_of_who_began_it(checker: Checker) -> None:
    archive = Archive()
    with TestClient(create_app(checker, archive=archive), headers=BROWSER, client=("10.0.0.7", 1)) as client:
        begun = [client.post("/text", data={"text": "K2 is high."}, follow_redirects=False)]
        begun.append(client.post("/file", files={"file": ("x.txt", b"K2 is high.")}, follow_redirects=False))
        ids = [answer.headers["location"].rpartition("/")[2] for answer in begun]
        assert [archive.jobs.job(id).client for id in ids] == ["10.0.0.7"] * 2


def test_a_text_with_too_many_statements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_work, "MOST_CLAIMS", 2)
    with pytest.raises(InputError, match="3 statements"):
        long_work.text_job("K2 is high. Everest is high. The Nile is long.")
