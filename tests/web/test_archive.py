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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from starlette.testclient import TestClient

from tests.web.serving import without_models
from tests.web.test_uploads import BROWSER, LAKES, bring, finished, serving
from veritab.errors import InputError, NotFound
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.archive import FILE, Archive, KeptVerdict
from veritab.web.pages.jobs import SECONDS_KEPT, CheckJob, JobRunner
from veritab.web.problems import RequestRefused

CLAIM = "K2 is higher than Mount Everest."
VERDICT = KeptVerdict("a claim", "", "Refuted", {"answer": "<p>x</p>"}, {"corpus": {"name": "almanac"}})


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    opened = Archive(tmp_path / FILE)
    yield opened
    opened.close()


# -- kept verdicts -----------------------------------------------------------------------------------------


def test_a_verdict_is_kept_as_it_was_and_outlives_a_restart(checker: Checker, tmp_path: Path) -> None:
    for restarted in (False, True):
        archive = Archive(tmp_path / FILE)
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


def test_only_so_many_verdicts_are_kept_and_nobody_keeps_them_all(tmp_path: Path) -> None:
    archive = Archive(tmp_path / FILE, most_verdicts=20)
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


def test_the_archive_is_for_its_owner_alone_and_forgets_for_good(archive: Archive, tmp_path: Path) -> None:
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    archive.write_job("id", time.time(), "done", {"name": "x"})
    archive.write_results("id", 0, [("SUPPORTS", 0.9, False, b"a secret that must go")])
    archive.forget_job("id")
    archive._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert b"a secret" not in (tmp_path / FILE).read_bytes()


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


def test_results_of_a_job_that_was_forgotten_are_not_written(archive: Archive) -> None:
    archive.write_results("nobody", 0, [("SUPPORTS", 0.9, False, b"x")])
    assert archive.jobs() == []
    assert archive._ask("SELECT count(*) FROM results") == [(0,)]


# -- jobs ----------------------------------------------------------------------------------------------------


def test_a_job_outlives_a_restart_with_its_results(checker: Checker, tmp_path: Path) -> None:
    archive = Archive(tmp_path / FILE)
    with TestClient(create_app(checker, archive=archive), headers=BROWSER) as client:
        job = client.post("/text", data={"text": "K2 is 8,611 m high. Mount Everest is in Asia."}).url.path
        while not client.get(f"{job}/progress").json()["over"]:
            time.sleep(0.05)
        lines = client.get(f"{job}/results.jsonl").content
    archive.close()
    archive = Archive(tmp_path / FILE)
    with TestClient(create_app(checker, archive=archive), headers=BROWSER) as client:
        assert client.get(f"{job}/results.jsonl").content == lines
        page = client.get(job).text
        assert "also when the server is stopped" in page
        assert page.count('class="statement ') == 2
        assert "K2 is 8,611 m high" in client.get(f"{job}/report.html").text
    archive.close()


def test_an_old_job_is_forgotten_on_disk_too(archive: Archive) -> None:
    now = time.time()
    archive.write_job("old", now - SECONDS_KEPT - 1, "done", CheckJob("old", ()).content())
    archive.write_job("young", now, "done", CheckJob("young", ()).content())
    runner = JobRunner(None, archive)  # type: ignore[arg-type]
    runner.forget_old()
    assert [job.id for job in archive.jobs()] == ["young"]
    with pytest.raises(NotFound):
        runner.job("old")


def test_a_job_whose_documents_are_gone_says_so_and_keeps_what_it_has(checker: Checker, tmp_path: Path) -> None:
    archive = Archive(tmp_path / FILE)
    content = CheckJob("x", (), corpus="gone").content() | {"claims": [("1", CLAIM)]}
    archive.write_job("id", time.time(), "running", content)
    with TestClient(create_app(checker, archive=archive), headers=BROWSER) as client:
        while not client.get("/jobs/id/progress").json()["over"]:
            time.sleep(0.05)
        assert "no corpus" in client.get("/jobs/id").text
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
