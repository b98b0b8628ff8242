"""Servers behind one address that share a PostgreSQL: what one keeps all show, and work goes on whatever happens."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

import psycopg
import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

from tests.studio.postgres import find_programs, running_postgres
from tests.web.serving import until, without_models
from tests.web.test_archive import VERDICT, begin, results
from veritab.cli import app
from veritab.errors import EndpointError, InputError, MissingExtra, NewerStore
from veritab.pipeline import Checker
from veritab.schema import Claim
from veritab.web import job_book
from veritab.web.app import create_app
from veritab.web.archive import Archive
from veritab.web.databases import DatabaseAway
from veritab.web.job_book import MOST_RUNNING, JobState
from veritab.web.pages.jobs import CheckJob
from veritab.web.problems import RequestRefused

CLAIM = "K2 is higher than Mount Everest."
_PATIENCE = 120.0


@pytest.fixture
def archives(shared_place: str) -> Iterator[list[Archive]]:
    """The archive as two servers have it that started at once."""
    with ThreadPoolExecutor(2) as pool:
        opened = list(pool.map(Archive, [shared_place] * 2))
    yield opened
    for archive in opened:
        archive.close()


# -- what the database promises ----------------------------------------------------------------------------------------


def test_limits_hold_over_all_servers(shared_place: str) -> None:
    pair = [Archive(shared_place, most_verdicts=50) for _ in range(2)]

    def keep(number: int) -> bool:
        try:
            return bool(pair[number % 2].keep_verdict(VERDICT, f"client {number % 3}"))
        except RequestRefused:
            return False

    def start(number: int) -> bool:
        try:
            begin(pair[number % 2], f"job-{number}", client="one")
        except RequestRefused:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(keep, range(60))) == 15  # five of each
        assert sum(pool.map(start, range(30))) == 18
    for archive in pair:
        archive.close()


def test_every_claim_is_answered_once_however_many_take_turns(archives: list[Archive]) -> None:
    for number in range(4):
        begin(archives[0], f"job-{number}", claims=20, client=str(number % 2))
    held: list[int] = []

    def work(number: int) -> None:
        book, idle = archives[number % 2].jobs, 0
        while idle < 20:
            turn = book.take_turn(f"server {number}")
            if turn is None:
                idle += 1
                time.sleep(0.02)
                continue
            idle = 0
            held.append(1)
            assert len(held) <= MOST_RUNNING
            held.pop()
            assert book.end_turn(turn, results(min(4, 20 - turn.start)))

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(work, range(6)))
    for number in range(4):
        job = archives[1].jobs.job(f"job-{number}")
        assert (job.state, len(job.results)) == (JobState.DONE, 20)


def test_a_turn_whose_lease_has_ended_goes_to_another(archives: list[Archive], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(job_book, "LEASE_SECONDS", 0.3)
    begin(archives[0], claims=2)
    lost = archives[0].jobs.take_turn("paused")
    assert lost
    assert archives[1].jobs.take_turn("another") is None
    time.sleep(0.4)
    turn = archives[1].jobs.take_turn("another")
    assert turn
    assert not archives[0].jobs.renew_turn(lost)
    assert archives[1].jobs.end_turn(turn, results(2))
    assert not archives[0].jobs.end_turn(lost, results(2))
    assert len(archives[0].jobs.job("id").results) == 2


def test_a_job_is_taken_by_servers_that_have_its_corpus(archives: list[Archive]) -> None:
    begin(archives[0], corpus="n-reports")
    assert archives[0].jobs.take_turn("a", {"n-almanac"}) is None
    assert archives[1].jobs.take_turn("b", {"n-almanac", "n-reports"})


def test_the_page_of_a_job_says_what_it_waits_for(archives: list[Archive], checker: Checker) -> None:
    content = CheckJob("x", [Claim("1", CLAIM)], corpus="reports", corpus_name="reports").content()
    archives[0].jobs.add("id", "", "n-reports", content)
    with TestClient(create_app(checker, archive=archives[1])) as client:
        words = client.get("/jobs/id/progress").json()["words"]
        assert words == "Waiting to check 1 claim; no server that is running has the corpus 'reports'"
        assert client.get("/jobs/id").status_code == 200
        assert client.get("/jobs/id/report.html").status_code == 404
        archives[0].jobs.announce("another", {"n-reports"})
        until(lambda: client.get("/jobs/id/progress").json()["words"] == "Waiting to check 1 claim")


def test_a_database_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "veritab.web.postgres", raising=False)
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    with pytest.raises(MissingExtra, match=r"veritab\[web,studio\]"):
        Archive("postgresql://somebody@somewhere/x")


def test_a_job_on_documents_fails_when_their_server_has_ended(
    archives: list[Archive], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_book, "LEASE_SECONDS", 0.3)
    first, second = (archive.jobs for archive in archives)
    first.announce("holder", {"u-documents"})
    begin(archives[0], corpus="u-documents")
    for _ in range(6):  # as long as the other is heard of
        first.announce("holder", {"u-documents"})
        assert second.announce("other", {"n-almanac"}) == {"u-documents"}
        time.sleep(0.1)
    assert second.job("id").state is JobState.WAITING
    for _ in range(10):
        second.announce("other", {"n-almanac"})
        time.sleep(0.1)
    assert second.job("id").state is JobState.FAILED
    assert "bring them again" in second.job("id").error


def test_a_server_that_was_cut_off_does_not_declare_the_others_dead(
    archives: list[Archive], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_book, "LEASE_SECONDS", 0.3)
    first, second = (archive.jobs for archive in archives)
    second.announce("other", set())
    first.announce("holder", {"u-documents"})
    begin(archives[0], corpus="u-documents")
    time.sleep(0.5)  # the database was away, for both
    assert second.announce("other", set()) == {"u-documents"}
    first.announce("holder", {"u-documents"})
    assert second.job("id").state is JobState.WAITING


@pytest.mark.slow
def test_a_server_that_is_paused_in_mid_transaction_keeps_the_others_out_for_seconds_only(
    archives: list[Archive],
) -> None:
    first, second = archives

    def pause() -> None:
        with first._database.changing() as at:
            at.change("DELETE FROM serve_servers")
            time.sleep(8)
            at.change("DELETE FROM serve_servers")

    with ThreadPoolExecutor(1) as pool:
        paused = pool.submit(pause)
        time.sleep(0.5)
        started = time.monotonic()
        while time.monotonic() - started < 10:
            try:
                assert second.keep_verdict(VERDICT, "a")
                break
            except DatabaseAway:
                time.sleep(0.1)
        assert time.monotonic() - started < 7
        with pytest.raises(DatabaseAway):
            paused.result()
    assert first.keep_verdict(VERDICT, "a")


def test_tables_of_a_later_version_are_refused(shared_place: str) -> None:
    Archive(shared_place).close()
    with psycopg.connect(shared_place) as connection:
        connection.execute("UPDATE serve_format SET version = 99")
    with pytest.raises(NewerStore, match="later Veritab"):
        Archive(shared_place)


def test_a_database_that_cannot_be_used_is_told_without_its_password(postgres: str) -> None:
    folder = parse_qs(urlsplit(postgres).query)["host"][0]
    for address, kind, told in (
        ("postgresql://studio:hush@127.0.0.1:1/x", EndpointError, "is it running"),
        (f"postgresql://studio:hush@/nosuch?host={folder}", EndpointError, "createdb"),
        (f"postgresql://nobody:hush@/postgres?host={folder}&password=hush", EndpointError, "cannot be used"),
        ("postgresql://studio:hush@host:port/x", InputError, "expected postgresql://"),
        ("mysql://studio:hush@host/x", InputError, "expected postgresql://"),
        ("hush", InputError, "expected postgresql://"),
    ):
        started = time.monotonic()
        said = CliRunner().invoke(app, ["serve", "--port", "0", "--database", address])
        assert said.exit_code in (1, 2)
        assert isinstance(said.exception, (SystemExit, kind))
        assert told in said.stderr + str(said.exception)
        assert "hush" not in said.output + said.stderr + repr(said.exception)
        assert time.monotonic() - started < 10


# -- servers -----------------------------------------------------------------------------------------------------------


class Answer(NamedTuple):
    """What a server says."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Peer:
    """One of the servers, as people start it."""

    def __init__(self, folder: Path, address: str, kept: Path) -> None:
        folder.mkdir(exist_ok=True)
        config = folder / "settings.toml"
        config.write_text(without_models().as_toml(), encoding="utf-8")
        options = ["--config", config, "--port", 0, "--state", folder / "state", "--keep-uploads", kept]
        command = [sys.executable, "-m", "veritab", "serve", *map(str, options)]
        environment = {**os.environ, "VERITAB_DATABASE": address}
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)

    def wait(self) -> None:
        """Until it is ready."""
        assert self.process.stderr
        line = next(line for line in self.process.stderr if line.startswith("listening on "))
        self.port = urlsplit(line.split()[2]).port
        until(lambda: self.ask("/readyz").status == 200, _PATIENCE)

    def ask(self, path: str, body: bytes | None = None, kind: str = "application/x-www-form-urlencoded") -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        try:
            connection.request("POST" if body is not None else "GET", path, body, {"Content-Type": kind})
            answer = connection.getresponse()
            headers = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, headers, answer.read())
        finally:
            connection.close()

    def send(self, path: str, **fields: str) -> Answer:
        return self.ask(path, urlencode(fields).encode())

    def send_file(self, path: str, field: str, content: str) -> Answer:
        head = f'--x\r\nContent-Disposition: form-data; name="{field}"; filename="a.txt"\r\n\r\n'
        return self.ask(path, f"{head}{content}\r\n--x--\r\n".encode(), "multipart/form-data; boundary=x")

    def begin(self, claims: list[str]) -> str:
        """A job; its address."""
        return self.send_file("/file", "file", "\n".join(claims)).headers["location"]

    def done(self, job: str) -> int:
        return int(self.ask(f"{job}/progress").json["done"])

    def is_over(self, job: str) -> bool:
        answer = self.ask(f"{job}/progress")
        return answer.status == 200 and bool(answer.json["over"])

    def claims(self, job: str) -> list[str]:
        """Those that have a result, in order."""
        return [json.loads(line)["claim"] for line in self.ask(f"{job}/results.jsonl").body.splitlines()]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def end(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=20)


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """A PostgreSQL of their own, which is stopped and started again."""
    with running_postgres() as server:
        yield server.format("postgres")


@pytest.fixture(scope="module")
def starting(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Peer]]:
    """Starts a server."""
    folder, started = tmp_path_factory.mktemp("servers"), []

    def start(name: str) -> Peer:
        started.append(Peer(folder / name, database, folder / "kept"))
        return started[-1]

    yield start
    for each in started:
        each.end()


@pytest.fixture(scope="module")
def peers(starting: Callable[[str], Peer]) -> list[Peer]:
    """Two servers that started at once, on an empty database."""
    pair = [starting(name) for name in "ab"]
    for each in pair:
        each.wait()
    return pair


def numbered(count: int, what: str) -> list[str]:
    return [f"{what} is {8000 + number} m high." for number in range(count)]


@pytest.mark.slow
def test_what_one_keeps_all_show_and_any_forgets(peers: list[Peer]) -> None:
    first, second = peers
    address = first.send("/verdicts", claim=CLAIM).headers["location"]
    pages = [each.ask(address).body for each in peers]
    assert pages[0] == pages[1]
    assert b"Kept on" in pages[0]
    assert second.ask(f"{address}/verdict.json").json["claim"] == CLAIM
    assert second.send(f"{address}/forget").status == 303
    assert [each.ask(address).status for each in peers] == [404, 404]


@pytest.mark.slow
def test_any_server_shows_a_job_and_stops_it(peers: list[Peer]) -> None:
    first, second = peers
    claims = numbered(2000, "K2")
    job = first.begin(claims)
    until(lambda: second.done(job) >= 4, _PATIENCE)
    assert b'max="2000"' in second.ask(job).body
    assert second.send(f"{job}/stop").status == 303
    stopped = first.ask(f"{job}/progress").json
    assert stopped["over"]
    time.sleep(2)
    assert first.ask(f"{job}/progress").json == second.ask(f"{job}/progress").json == stopped
    assert first.claims(job) == second.claims(job) == claims[: stopped["done"]]
    assert first.ask(f"{job}/report.html").status == second.ask(f"{job}/report.html").status == 200


@pytest.mark.slow
def test_documents_are_of_one_server_until_they_are_kept(peers: list[Peer]) -> None:
    first, second = peers
    token = first.send_file("/v1/corpora", "files", "Lake Onda is 31 m deep.").json["id"]
    until(lambda: first.ask(f"/v1/corpora/{token}").json["state"] == "ready", _PATIENCE)
    until(lambda: second.ask(f"/documents/{token}").status == 503)
    for path in (f"/v1/corpora/{token}", f"/documents/{token}/progress", f"/v1/check?claim=x&corpus={token}"):
        refused = second.ask(path)
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        assert "sticky sessions" in refused.json["detail"]
    job = first.send(f"/text?corpus={token}", text="Lake Onda is 31 m deep.").headers["location"]
    until(lambda: second.is_over(job.partition("?")[0]), _PATIENCE)
    assert second.claims(job.partition("?")[0]) == ["Lake Onda is 31 m deep."]
    assert second.ask(job).status == 200
    assert first.send(f"/documents/{token}/keep", name="lakes").status == 303
    until(lambda: second.ask("/v1/check?claim=Lake+Onda+is+31+m+deep.&corpus=lakes").status == 200)
    assert second.ask(f"/v1/check?claim=Lake+Onda+is+31+m+deep.&corpus={token}").status == 200


@pytest.mark.slow
def test_everything_else_goes_on_while_the_database_is_away(peers: list[Peer], database: str) -> None:
    claims = numbered(60, "Mount Everest")
    job = peers[0].begin(claims)
    kept = peers[0].send("/verdicts", claim=CLAIM).headers["location"]
    until(lambda: peers[1].done(job) >= 4, _PATIENCE)
    control_postgres(database, "stop")
    for each in peers:
        for path in (job, f"{job}/progress", f"{job}/results.jsonl", kept):
            refused = each.ask(path)
            assert (refused.status, refused.headers["retry-after"]) == (503, "2")
        assert each.ask("/v1/check?claim=K2+is+high.").status == 200
        assert each.ask("/search?q=K2").status == 200
        until(lambda each=each: each.ask("/readyz").json["database"] == "away")
    control_postgres(database, "start")
    for each in peers:
        until(lambda each=each: each.ask(kept).status == 200)
    until(lambda: peers[1].is_over(job), _PATIENCE)
    assert peers[0].claims(job) == claims
    assert {each.ask("/readyz").json["database"] for each in peers} == {"here"}


@pytest.mark.slow
def test_a_server_that_was_paused_doubles_nothing(peers: list[Peer]) -> None:
    paused, other = peers
    claims = numbered(80, "The Nile")
    job = paused.begin(claims)
    done = pause_at_work(paused, other, job)
    until(lambda: other.done(job) > done, _PATIENCE)  # the lease has ended
    paused.signal(signal.SIGCONT)
    until(lambda: other.is_over(job), _PATIENCE)
    assert paused.claims(job) == other.claims(job) == claims


@pytest.mark.slow
def test_another_server_goes_on_when_one_is_killed(peers: list[Peer], starting: Callable[[str], Peer]) -> None:
    killed, other = peers
    claims = numbered(80, "The Amazon")
    job = killed.begin(claims)
    pause_at_work(killed, other, job)
    killed.end()
    until(lambda: other.is_over(job), _PATIENCE)
    assert other.claims(job) == claims
    peers[0] = starting("a")
    peers[0].wait()
    assert peers[0].claims(job) == claims


def pause_at_work(server: Peer, other: Peer, job: str) -> int:
    """Pause a server while it is its turn; how much was done by then. The other one's work tells whose turn it is."""
    until(lambda: other.done(job) >= 4, _PATIENCE)
    for _ in range(40):
        server.signal(signal.SIGSTOP)
        time.sleep(0.2)
        done, end = other.done(job), time.monotonic() + 3
        while time.monotonic() < end and other.done(job) == done:
            time.sleep(0.05)
        if other.done(job) == done:
            return done
        server.signal(signal.SIGCONT)
        time.sleep(0.1)
    raise AssertionError("it was never this server's turn")


def control_postgres(address: str, what: str) -> None:
    """Stop a server that `running_postgres` started, or start it again."""
    programs = find_programs()
    assert programs
    folder = Path(parse_qs(urlsplit(address).query)["host"][0])
    options = ["-m", "fast"] if what == "stop" else ["-o", f"-k {folder} -c listen_addresses= -c max_connections=200"]
    as_user: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.getuid() == 0 else {}
    subprocess.run(
        [programs / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-w", *options, what],
        check=True,
        stdout=subprocess.DEVNULL,
        cwd=folder,
        timeout=60,
        **as_user,
    )
