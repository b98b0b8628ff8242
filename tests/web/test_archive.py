"""What outlives a restart: kept verdicts as they were, and jobs that go on after a kill."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import stat
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import orjson
import pytest
from starlette.testclient import TestClient

from tests.web.serving import without_models
from tests.web.test_uploads import BROWSER, LAKES, bring, finished, serving
from veritab.errors import InputError, NotFound
from veritab.pipeline import Checker
from veritab.schema import Claim, Label
from veritab.web import job_book
from veritab.web.app import create_app
from veritab.web.archive import FILE, Archive, KeptVerdict
from veritab.web.job_book import SECONDS_KEPT, JobState, Result, Turn
from veritab.web.pages.jobs import CheckJob
from veritab.web.problems import RequestRefused

CLAIM = "K2 is higher than Mount Everest."
VERDICT = KeptVerdict("a claim", "", "Refuted", {"answer": "<p>x</p>"}, {"corpus": {"name": "almanac"}})


@pytest.fixture
def archive(place: Path | str) -> Iterator[Archive]:
    opened = Archive(place)
    yield opened
    opened.close()


# -- kept verdicts -----------------------------------------------------------------------------------------


def test_a_verdict_is_kept_as_it_was_and_outlives_a_restart(checker: Checker, place: Path | str) -> None:
    for restarted in (False, True):
        archive = Archive(place)
        with TestClient(create_app(checker, archive=archive), headers=BROWSER) as client:
            if not restarted:
                shown = client.get("/check", params={"claim": CLAIM}).text
                assert 'action="/verdicts"' in shown
                kept = client.post("/verdicts", data={"claim": CLAIM})
                address = kept.url.path
            page = client.get(address).text
            record = client.get(f"{address}/verdict.json").json()
        archive.close()
        assert "Kept on" in page
        assert "Check again" in page
        assert "Checked against" not in page  # it was, then; the notice says against what
        assert "Who has the address can see it." in page
        assert record["claim"] == CLAIM
        evidence = re.search(r'<h2 id="evidence">.*?</section>', shown, re.DOTALL)
        assert evidence
        assert evidence[0] in page  # to the letter
        assert "/check?claim=K2+is+higher" in page


def test_a_kept_verdict_outlives_its_documents(checker: Checker, tmp_path: Path) -> None:
    with serving(checker, tmp_path) as client:
        token = bring(client, ("lakes.txt", LAKES))
        finished(client, token)
        kept = client.post(f"/verdicts?corpus={token}", data={"claim": "Lake Onda is 31 m deep."})
        client.post(f"/documents/{token}/let-go")
        page = client.get(kept.url.path)
        assert page.status_code == 200
        assert "lies in the north" in page.text
        assert "lakes.txt" in page.text
        assert "can see it, and use the documents" in page.text


def test_a_kept_verdict_is_forgotten_when_asked(client: TestClient) -> None:
    address = client.post("/verdicts", data={"claim": CLAIM}, headers=BROWSER).url.path
    assert client.post(f"{address}/forget", headers=BROWSER, follow_redirects=False).status_code == 303
    assert client.get(address).status_code == 404
    assert client.post(f"{address}/forget").status_code == 404
    assert client.get("/verdicts/guess").status_code == 404
    assert client.post("/verdicts", data={"claim": " "}).status_code == 400


def test_only_so_many_verdicts_are_kept_and_nobody_keeps_them_all(place: Path | str) -> None:
    archive = Archive(place, most_verdicts=20)
    for _ in range(2):
        archive.keep_verdict(VERDICT, "a")
    with pytest.raises(RequestRefused, match="you have kept as many"):
        archive.keep_verdict(VERDICT, "a")
    for number in range(18):
        id = archive.keep_verdict(VERDICT, f"client {number}")
    with pytest.raises(RequestRefused, match="this server has kept as many"):
        archive.keep_verdict(VERDICT, "z")
    archive.forget_verdict(id)
    archive.keep_verdict(VERDICT, "z")
    archive.close()


def test_the_archive_is_for_its_owner_alone_and_forgets_for_good(tmp_path: Path) -> None:
    now = [time.time()]
    archive = Archive(tmp_path / FILE, clock=lambda: now[0])
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    begin(archive)
    assert archive.jobs.end_turn(take(archive), [("SUPPORTS", 0.9, False, b"a secret that must go")])
    now[0] += SECONDS_KEPT + 1
    archive.jobs.forget_old()
    archive.close()
    assert b"a secret" not in (tmp_path / FILE).read_bytes()


def test_what_an_earlier_version_kept_is_there(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as database:
        for table in (
            "verdicts (id TEXT PRIMARY KEY, kept REAL, client TEXT, packed BLOB) WITHOUT ROWID",
            "jobs (id TEXT PRIMARY KEY, made REAL, state TEXT, error TEXT, packed BLOB) WITHOUT ROWID",
            "results (job TEXT, number INTEGER, label TEXT, confidence REAL, uncertain INTEGER, packed BLOB, "
            "PRIMARY KEY (job, number)) WITHOUT ROWID",
        ):
            database.execute(f"CREATE TABLE {table}")
        content = CheckJob("x", [Claim("1", CLAIM), Claim("2", CLAIM)]).content()
        del content["corpus_name"]
        packed = (zlib.compress(orjson.dumps(each)) for each in (VERDICT._asdict(), content))
        database.execute("INSERT INTO verdicts VALUES ('kept', 1.0, 'a', ?)", (next(packed),))
        database.execute("INSERT INTO jobs VALUES ('id', ?, 'running', '', ?)", (time.time(), next(packed)))
        database.execute("INSERT INTO results VALUES ('id', 0, 'SUPPORTS', 0.9, 0, x'00')")
        database.execute("PRAGMA user_version = 1")
    database.close()
    for _ in range(2):
        archive = Archive(tmp_path / FILE)
        assert archive.verdict("kept").title == "Refuted"
        assert [result[0] for result in CheckJob.read(archive.jobs.job("id")).results] == [Label.SUPPORTS]
        assert take(archive).start == 1
        archive.close()


def test_a_file_that_is_no_archive_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database at all, but long enough to be one" * 50)
    with pytest.raises(InputError, match=r"archive\.sqlite' cannot be used"):
        Archive(tmp_path / FILE)
    (tmp_path / FILE).unlink()
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(InputError, match="another version"):
        Archive(tmp_path / FILE)


# -- jobs ----------------------------------------------------------------------------------------------------


def begin(archive: Archive, id: str = "id", claims: int = 1, client: str = "a", corpus: str = "n") -> None:
    content = CheckJob("a file", [Claim(str(number), CLAIM) for number in range(claims)]).content()
    archive.jobs.add(id, client, corpus, content)


def take(archive: Archive, server: str = "a server") -> Turn:
    turn = archive.jobs.take_turn(server)
    assert turn
    return turn


def results(count: int) -> list[Result]:
    return [("SUPPORTS", 0.9, False, b"x")] * count


def test_a_job_outlives_a_restart_with_its_results(checker: Checker, place: Path | str) -> None:
    archive = Archive(place)
    with TestClient(create_app(checker, archive=archive), headers=BROWSER) as client:
        job = client.post("/text", data={"text": "K2 is 8,611 m high. Mount Everest is in Asia."}).url.path
        while not client.get(f"{job}/progress").json()["over"]:
            time.sleep(0.05)
        lines = client.get(f"{job}/results.jsonl").content
    archive.close()
    archive = Archive(place)
    with TestClient(create_app(checker, archive=archive), headers=BROWSER) as client:
        assert client.get(f"{job}/results.jsonl").content == lines
        page = client.get(job).text
        assert "also when the server is stopped" in page
        assert page.count('class="statement ') == 2
        assert "K2 is 8,611 m high" in client.get(f"{job}/report.html").text
    archive.close()


def test_an_old_job_is_forgotten_on_disk_too(tmp_path: Path) -> None:
    now = [0.0]
    archive = Archive(tmp_path / FILE, clock=lambda: now[0])
    begin(archive, "old")
    now[0] += SECONDS_KEPT + 1
    begin(archive, "young")
    archive.jobs.forget_old()
    assert archive.jobs.job("young")
    now[0] -= SECONDS_KEPT
    with pytest.raises(NotFound):
        archive.jobs.job("old")
    archive.close()


def test_a_turn_goes_on_where_the_last_one_ended(archive: Archive) -> None:
    begin(archive, claims=3)
    first = take(archive)
    assert archive.jobs.take_turn("another") is None
    assert archive.jobs.end_turn(first, results(2))
    second = take(archive, "another")
    assert (second.start, second.fence > first.fence) == (2, True)
    assert archive.jobs.job("id").state is JobState.RUNNING
    assert archive.jobs.end_turn(second, results(1))
    assert archive.jobs.job("id").state is JobState.DONE
    assert [result[3] for result in archive.jobs.job("id", whole=True).results] == [b"x"] * 3
    assert archive.jobs.take_turn("another") is None


def test_who_has_lost_a_turn_writes_nothing(archive: Archive) -> None:
    begin(archive, claims=2)
    for lose in (archive.jobs.give_back, lambda _: archive.jobs.leave("a server")):
        lost = take(archive)
        lose(lost)
        turn = take(archive, "another")
        assert not archive.jobs.end_turn(lost, results(2))
        assert not archive.jobs.renew_turn(lost)
        archive.jobs.fail(lost, "nobody is told of this")
        archive.jobs.give_back(lost)
        assert archive.jobs.renew_turn(turn)
        archive.jobs.give_back(turn)
    turn = take(archive)
    assert archive.jobs.end_turn(turn, results(2))
    assert not archive.jobs.end_turn(turn, results(2))  # the answer was lost, and it is tried again
    assert len(archive.jobs.job("id").results) == 2


def test_a_job_that_is_stopped_or_fails_keeps_what_it_has(archive: Archive) -> None:
    for id in ("stopped", "failed"):
        begin(archive, id, claims=3)
        archive.jobs.end_turn(take(archive), results(1))
        turn = take(archive)
        if id == "failed":
            archive.jobs.fail(turn, "an accident\x00 with \ud800 in it")
        else:
            archive.jobs.stop(id)
            assert not archive.jobs.renew_turn(turn)
            assert not archive.jobs.end_turn(turn, results(1))
        job = archive.jobs.job(id)
        assert (job.state, len(job.results)) == (JobState(id), 1)
        archive.jobs.stop(id)  # once is enough
        assert archive.jobs.job(id).state is JobState(id)
    assert archive.jobs.job("failed").error.startswith("an accident")


def test_a_job_that_ends_its_servers_fails_at_the_third(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(archive, claims=9)
    for server in ("a", "b"):
        with monkeypatch.context() as patch:
            patch.setattr(job_book, "LEASE_SECONDS", 0.0)
            take(archive, server)
    assert archive.jobs.end_turn(take(archive), results(4))  # these claims are not what they died of
    archive.jobs.give_back(take(archive))
    with monkeypatch.context() as patch:
        patch.setattr(job_book, "LEASE_SECONDS", 0.0)
        for server in ("a", "b", "c"):
            take(archive, server)
    assert archive.jobs.take_turn("d") is None
    job = archive.jobs.job("id")
    assert (job.state, len(job.results)) == (JobState.FAILED, 4)
    assert job.error == "the servers that checked what comes after claim 4 ended 3 times"


def test_a_server_of_its_own_does_not_begin_for_ever_what_it_dies_of(tmp_path: Path) -> None:
    file = tmp_path / "archive.sqlite"
    archive = Archive(file)
    begin(archive)
    for _ in range(3):
        take(archive)
        archive.close()  # killed: the turn is not given back
        archive = Archive(file)
    assert archive.jobs.take_turn("a server") is None
    assert archive.jobs.job("id").state is JobState.FAILED
    archive.close()


def test_tables_of_the_second_format_are_brought_up_to_date(place: Path | str) -> None:
    archive = Archive(place)
    begin(archive)
    with archive._database.changing() as at:
        at.change("ALTER TABLE serve_jobs DROP COLUMN lost")
        is_file = isinstance(place, Path)
        at.change("PRAGMA user_version = 2" if is_file else "UPDATE serve_format SET version = 2")
    archive.close()
    archive = Archive(place)
    assert take(archive).job == "id"
    archive.close()
    Archive(place).close()


def test_only_so_many_turns_are_held_at_a_time(archive: Archive) -> None:
    for number in range(4):
        begin(archive, f"job-{number}", client=str(number))
    turns = [archive.jobs.take_turn(f"server {number}") for number in range(4)]
    assert [turn.job if turn else None for turn in turns] == ["job-0", "job-1", None, None]


@pytest.mark.parametrize("id", ["guess", "", "a b", "\x00", "\ud800", "é", "x" * 1000, "'; DROP TABLE serve_jobs; --"])
def test_nothing_is_kept_under_what_is_no_address(archive: Archive, id: str) -> None:
    with pytest.raises(NotFound):
        archive.jobs.job(id)
    with pytest.raises(NotFound):
        archive.verdict(id)


def test_a_job_whose_documents_are_gone_says_so_and_keeps_what_it_has(checker: Checker, place: Path | str) -> None:
    archive = Archive(place)
    content = CheckJob("x", [Claim("1", CLAIM)], corpus="gone", corpus_name="gone").content()
    archive.jobs.add("id", "", "u-gone", content)
    with TestClient(create_app(checker, archive=archive), headers=BROWSER) as client:
        while not client.get("/jobs/id/progress").json()["over"]:
            time.sleep(0.05)
        told = client.get("/jobs/id").text
        assert "no corpus" in told or "bring them again" in told
    archive.close()


@contextmanager
def command(folder: Path, port: int) -> Iterator[subprocess.Popen[str]]:
    """A server of its own, as people start it."""
    config = folder / "settings.toml"
    config.write_text(without_models().as_toml(), encoding="utf-8")
    options = ["--config", config, "--port", port, "--state", folder / "state", "--keep-uploads", folder / "kept"]
    started = [sys.executable, "-m", "veritab", "serve", *map(str, options)]
    with subprocess.Popen(started, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            assert any(line.startswith("listening on ") for line in server.stderr)
            yield server
        finally:
            server.kill()


def ask(address: str, data: bytes | None = None, kind: str = "") -> Any:
    asked = Request(address, data, {"Content-Type": kind} if kind else {})
    for _ in range(100):
        try:
            return urlopen(asked, timeout=30)
        except URLError as error:  # it listens, and answers in a moment
            if not isinstance(error.reason, ConnectionError):
                raise
            time.sleep(0.1)
    raise AssertionError("the server does not answer")


@pytest.mark.slow
def test_a_job_goes_on_after_a_kill_and_every_claim_is_answered_once(tmp_path: Path, unused_port: int) -> None:
    address = f"http://127.0.0.1:{unused_port}"
    claims = "".join(f"Mount Everest is {8000 + number} m high.\n" for number in range(48))
    body = f'--x\r\nContent-Disposition: form-data; name="file"; filename="c.txt"\r\n\r\n{claims}\r\n--x--\r\n'
    with command(tmp_path, unused_port) as server:
        job = ask(f"{address}/file", body.encode(), "multipart/form-data; boundary=x").url
        brought = '--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nA lake.\r\n--x--\r\n'
        ask(f"{address}/v1/corpora", brought.encode(), "multipart/form-data; boundary=x")
        while not 4 <= json.load(ask(f"{job}/progress"))["done"] < 48:
            time.sleep(0.02)
        server.send_signal(signal.SIGKILL)
        server.wait()
    assert list((tmp_path / "state" / "uploads").iterdir())
    with command(tmp_path, unused_port):
        assert list((tmp_path / "state" / "uploads").iterdir()) == []  # what the killed one left
        first = json.load(ask(f"{job}/progress"))["done"]
        while not json.load(ask(f"{job}/progress"))["over"]:
            time.sleep(0.05)
        lines = [json.loads(line) for line in ask(f"{job}/results.jsonl")]
    assert 4 <= first <= 48
    assert [line["claim"] for line in lines] == claims.splitlines()
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "state").iterdir()} <= {0o600, 0o700}


@pytest.fixture
def unused_port() -> int:
    import socket

    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_two_servers_do_not_share_a_folder(tmp_path: Path) -> None:
    from veritab.web.state import held_folder

    refused = pytest.raises(InputError, match="another server uses")
    with held_folder(tmp_path / "state"), refused, held_folder(tmp_path / "state"):
        pass
    with held_folder(tmp_path / "state") as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
