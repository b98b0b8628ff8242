"""Two servers on one PostgreSQL under load, one of them killed in mid-run: what is lost, doubled or refused wrongly.

python -m benchmarks.two_servers [--seconds 150] [--clients 50] [--jobs 20] [--claims 100] [--config FILE] [--write]
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

import psycopg

RESULTS = Path(__file__).parent / "results" / "two_servers.md"
_ROOT = Path(__file__).parents[1]
_KILLED_AT, _BACK_AT = 0.4, 0.6
_JOBS_BEGIN_UNTIL = 0.7
_NAMES = ("a", "b")
_STOPPED = 5
"""One job of so many is stopped."""
_FINE = {"200", "303", "503"}
_MODELLESS = '[select]\nmodel = "none"\n[verify]\nmodel = "none"\n'
_PATIENCE = 240.0
_PAUSE = 0.2
_LONGEST_AWAY = 60.0


class Answer(NamedTuple):
    """What a client is told."""

    status: str
    location: str = ""
    body: bytes = b""


class Peer:
    """One of the servers."""

    def __init__(self, folder: Path, address: str, config: Path, database: psycopg.Connection[Any]) -> None:
        began = time.time()
        options = ["--port", "0", "--state", str(folder), "--config", str(config), "--no-uploads"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "veritab", "serve", *options],
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "VERITAB_DATABASE": address, "PYTHONPATH": str(_ROOT / "src")},
        )
        self.told: list[str] = []
        assert self.process.stderr
        for line in self.process.stderr:
            self.told.append(line)
            if line.startswith("listening on "):
                self.port = urlsplit(line.split()[2]).port
                break
        else:
            sys.exit(f"a server did not start: {''.join(self.told)}")
        self._reader = threading.Thread(target=self._read_on, daemon=True)
        self._reader.start()
        until = time.monotonic() + _PATIENCE
        while self.ask("GET", "/readyz").status != "200":
            if time.monotonic() > until:
                sys.exit("a server did not become ready")
            time.sleep(0.1)
        while not (found := database.execute("SELECT id FROM serve_servers WHERE since >= %s", (began,)).fetchall()):
            time.sleep(0.1)
        ((self.id,),) = found

    def _read_on(self) -> None:
        assert self.process.stderr
        self.told.extend(self.process.stderr)

    def ask(self, method: str, path: str, body: bytes | None = None, kind: str = "", own: str = "127.0.0.1") -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60, source_address=(own, 0))
        try:
            connection.request(method, path, body, {"Content-Type": kind} if kind else {})
            answer = connection.getresponse()
            return Answer(str(answer.status), answer.getheader("Location", ""), answer.read())
        finally:
            connection.close()


@dataclass
class Seen:
    """What the clients saw."""

    statuses: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    by_balancer: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)


class Balancer:
    """Sends requests to the servers by turns; says 503 for one that is not there, as a proxy does."""

    def __init__(self, peers: list[Peer]) -> None:
        self.peers = peers
        self.seen = Seen()
        self._turn = 0

    def ask(self, own: str, what: str, method: str, path: str, body: bytes | None = None, kind: str = "") -> Answer:
        self._turn += 1
        peer = self.peers[self._turn % len(self.peers)]
        started = time.monotonic()
        try:
            answer = peer.ask(method, path, body, kind, own)
        except (OSError, http.client.HTTPException):
            answer = Answer("503")
            self.seen.by_balancer += 1
        seconds = time.monotonic() - started
        with self.seen.lock:
            self.seen.statuses[answer.status] += 1
            if answer.status not in _FINE:
                self.seen.wrong[f"{answer.status} {what} {answer.body[:200]!r}"] += 1
            elif answer.status != "503":
                self.seen.seconds[what].append(seconds)
        return answer


@dataclass
class Job:
    """A job that a client began."""

    address: str
    claims: list[str]
    to_stop: bool
    is_stopped: bool = False


class Client:
    """Somebody who does a bit of everything, and comes back a moment later when refused."""

    def __init__(self, number: int, balancer: Balancer, asked: argparse.Namespace, kept: list[str]) -> None:
        self.own = f"127.0.1.{number + 1}"
        self.job: Job | None = None
        self._begins_at = asked.seconds * _JOBS_BEGIN_UNTIL * number / asked.jobs if number < asked.jobs else None
        self._number = number
        self._balancer = balancer
        self._asked = asked
        self._kept = kept
        self._random = random.Random(number)
        self._downloads = 0

    def run(self, started: float) -> None:
        while (now := time.monotonic() - started) < self._asked.seconds + _PATIENCE * self._has_more_to_do:
            if self._begins_at is not None and now >= self._begins_at and self.job is None:
                self._begin_job()
            else:
                self._do_something()
            time.sleep(_PAUSE * self._random.random())

    @property
    def _has_more_to_do(self) -> bool:
        """Whether a job is still to be begun, or to be stopped."""
        return self._begins_at is not None if self.job is None else self.job.to_stop and not self.job.is_stopped

    def _do_something(self) -> None:
        match self._random.choices(("check", "search", "keep", "show", "job"), (40, 15, 10, 15, 20))[0]:
            case "check":
                claim = f"Mount Everest is {self._random.randrange(8000, 9000)} m high."
                self._ask("check", "GET", f"/v1/check?claim={quote(claim)}")
            case "search":
                self._ask("search", "GET", "/search?q=mountain")
            case "keep":
                body = urlencode({"claim": f"K2 is {self._random.randrange(8000, 8700)} m high."}).encode()
                answer = self._ask("keep", "POST", "/verdicts", body, "application/x-www-form-urlencoded")
                if answer.location:
                    self._kept.append(answer.location)
            case "show" if self._kept:
                self._ask("show", "GET", self._random.choice(self._kept))
            case "job" if self.job:
                self._follow(self.job)

    def _begin_job(self) -> None:
        claims = [f"Lake {self._number} is {number} m deep." for number in range(self._asked.claims)]
        lines = "\n".join(claims)
        head = f'--x\r\nContent-Disposition: form-data; name="file"; filename="{self._number}.txt"\r\n\r\n'
        body = f"{head}{lines}\r\n--x--\r\n".encode()
        answer = self._ask("begin a job", "POST", "/file", body, "multipart/form-data; boundary=x")
        if answer.location:
            self.job = Job(answer.location, claims, self._number % _STOPPED == _STOPPED - 1)

    def _follow(self, job: Job) -> None:
        answer = self._ask("progress", "GET", f"{job.address}/progress")
        if answer.status == "200" and job.to_stop and not job.is_stopped and json.loads(answer.body)["done"]:
            job.is_stopped = self._ask("stop", "POST", f"{job.address}/stop").status == "303"
        page = self._random.choice(("", "/results.jsonl", "/results.jsonl", "/report.html"))
        self._ask("results", "GET", f"{job.address}{page}")

    def _ask(self, what: str, *sent: Any) -> Answer:
        answer = self._balancer.ask(self.own, what, *sent)
        if answer.status == "503":
            time.sleep(self._random.uniform(0.2, 1.0))
        return answer


@dataclass
class Kill:
    """What became of the turns that a killed server had."""

    held: int = 0
    stopped: int = 0
    """By somebody, before another server took them."""
    moved_after: list[float] = field(default_factory=list)
    away_for: float = 0.0


def main() -> None:
    asked = _options()
    print(f"{asked.clients} clients for {asked.seconds:g} s, {asked.jobs} jobs of {asked.claims} claims", flush=True)
    with _postgres() as address, tempfile.TemporaryDirectory() as folder:
        config = asked.config or Path(folder) / "settings.toml"
        if not asked.config:
            config.write_text(_MODELLESS)
        peers: list[Peer] = []
        try:
            with psycopg.connect(address, autocommit=True) as database:
                for name in _NAMES:
                    peers.append(Peer(Path(folder) / name, address, config, database))
                balancer, kept = Balancer(peers), list[str]()
                clients = [Client(number, balancer, asked, kept) for number in range(asked.clients)]
                started = time.monotonic()
                threads = [threading.Thread(target=each.run, args=(started,)) for each in clients]
                for thread in threads:
                    thread.start()
                kill = _kill(peers, Path(folder), address, config, database, asked.seconds)
                for thread in threads:
                    thread.join()
                jobs = [each.job for each in clients if each.job]
                waited, faults = _judge(peers, database, jobs, kept)
        finally:
            for peer in peers:
                peer.process.send_signal(signal.SIGTERM)
                peer.process.wait(60)
    faults += [f"{count} x {what}" for what, count in balancer.seen.wrong.items()]
    faults += [] if kill.held else ["no server held a turn when one was to be killed"]
    faults += ["a turn was not taken by the other server"] if kill.held > kill.stopped + len(kill.moved_after) else []
    faults += [f"{asked.jobs - len(jobs)} jobs were never begun"] if len(jobs) < asked.jobs else []
    faults += ["a server wrote a traceback"] if any("Traceback" in line for peer in peers for line in peer.told) else []
    told = _tell(asked, balancer.seen, kill, jobs, kept, waited, faults)
    print(told)
    if asked.write:
        RESULTS.write_text(_HEAD + told, encoding="utf-8")
        print(f"written to {RESULTS}")
    if faults:
        sys.exit(3)


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=150)
    options.add_argument("--clients", type=int, default=50)
    options.add_argument("--jobs", type=int, default=20, help="at most 23: a server keeps 24")
    options.add_argument("--claims", type=int, default=100, help="of a job")
    options.add_argument("--config", type=Path, help="settings; without any, no models are used, and claims are quick")
    options.add_argument("--write", action="store_true", help=f"write the results into {RESULTS.name}")
    return options.parse_args()


@contextmanager
def _postgres() -> Iterator[str]:
    from tests.studio.postgres import running_postgres

    with running_postgres(durable=True) as server:
        yield server.format("postgres")


def _kill(
    peers: list[Peer], folder: Path, address: str, config: Path, database: psycopg.Connection[Any], seconds: float
) -> Kill:
    """Kill a server that works on a job in mid-run, see who goes on with its work, and start it again."""
    time.sleep(seconds * _KILLED_AT)
    until = time.monotonic() + seconds * (_BACK_AT - _KILLED_AT)
    while not (turns := _stop_one_at_work(peers, database)):
        if time.monotonic() > until:
            return Kill()
        time.sleep(0.02)
    number = next(iter(turns.values()))
    peers[number].process.kill()
    peers[number].process.wait()
    killed = time.monotonic()
    kill = Kill(len(turns))
    while time.monotonic() < until or (turns and time.monotonic() < killed + _LONGEST_AWAY):
        now = {id: row for id, *row in database.execute("SELECT id, server, state FROM serve_jobs").fetchall()}
        for id in list(turns):
            server, state = now[id]
            if state == "stopped":
                del turns[id]
                kill.stopped += 1
            elif server != peers[number].id:
                del turns[id]
                kill.moved_after.append(time.monotonic() - killed)
        time.sleep(0.1)
    peers[number] = Peer(folder / _NAMES[number], address, config, database)
    kill.away_for = time.monotonic() - killed
    return kill


def _stop_one_at_work(peers: list[Peer], database: psycopg.Connection[Any]) -> dict[str, int]:
    """Make a server that holds a turn stand still; by job its turns, or nothing where none was held when it stood."""
    for number in set(_turns(peers, database).values()):
        peers[number].process.send_signal(signal.SIGSTOP)
        if held := {job: holder for job, holder in _turns(peers, database).items() if holder == number}:
            return held
        peers[number].process.send_signal(signal.SIGCONT)
    return {}


def _turns(peers: list[Peer], database: psycopg.Connection[Any]) -> dict[str, int]:
    """The jobs that are worked on, and the number of the server that holds each."""
    held = "SELECT id, server FROM serve_jobs WHERE held_until > extract(epoch FROM clock_timestamp())"
    numbers = {peer.id: number for number, peer in enumerate(peers)}
    return {job: numbers[server] for job, server in database.execute(held).fetchall()}


def _judge(
    peers: list[Peer], database: psycopg.Connection[Any], jobs: list[Job], kept: list[str]
) -> tuple[float, list[str]]:
    """Wait until every job is over; what is missing, doubled or different."""
    started, faults = time.monotonic(), []
    while database.execute("SELECT 1 FROM serve_jobs WHERE state IN ('waiting', 'running')").fetchone():
        if time.monotonic() - started > _PATIENCE:
            faults.append("jobs did not come to an end")
            break
        time.sleep(0.2)
    waited = time.monotonic() - started
    for job in jobs:
        found = [_claims(peer.ask("GET", f"{job.address}/results.jsonl")) for peer in peers]
        progress = [json.loads(peer.ask("GET", f"{job.address}/progress").body) for peer in peers]
        if found[0] != found[1] or progress[0] != progress[1]:
            faults.append(f"{job.address} differs between the servers")
        if not progress[0]["over"]:
            faults.append(f"{job.address} is not over: {progress[0]['words']}")
        if found[0] != (job.claims[: len(found[0])] if job.is_stopped else job.claims):
            faults.append(f"{job.address} has {len(found[0])} results of {len(job.claims)}: {progress[0]['words']}")
    for address in kept:
        pages = [peer.ask("GET", address) for peer in peers]
        if pages[0] != pages[1] or pages[0].status != "200":
            faults.append(f"{address} is {pages[0].status} and {pages[1].status}")
    return waited, faults


def _claims(answer: Answer) -> list[str]:
    return [json.loads(line)["claim"] for line in answer.body.splitlines()] if answer.status == "200" else []


def _tell(
    asked: argparse.Namespace,
    seen: Seen,
    kill: Kill,
    jobs: list[Job],
    kept: list[str],
    waited: float,
    faults: list[str],
) -> str:
    moved = ", ".join(f"after {each:.1f} s" for each in kill.moved_after) or "none was taken"
    moved += f"; {kill.stopped} stopped by who had begun it" if kill.stopped else ""
    stopped = sum(job.is_stopped for job in jobs)
    rows = {
        "load": f"{asked.clients} clients for {asked.seconds:g} s, {'with' if asked.config else 'without'} models",
        "answers": ", ".join(f"{count:,} x {status}" for status, count in sorted(seen.statuses.items())),
        "of the 503, by the balancer for the killed server": f"{seen.by_balancer:,}",
        "answers a second": f"{sum(seen.statuses.values()) / asked.seconds:.1f}",
        "the killed server was away for": f"{kill.away_for:.0f} s",
        "turns it held, and when the other server took them": f"{kill.held}: {moved}",
        "jobs": f"{len(jobs)} of {asked.claims} claims, {stopped} of them stopped",
        "jobs came to their end after the load": f"{waited:.0f} s",
        "verdicts kept, all shown alike by both": f"{len(kept):,}",
        "lost, doubled, different or refused wrongly": "; ".join(faults) or "nothing",
        "load average of the machine, at the end": f"{os.getloadavg()[0]:.0f}",
    }
    lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items())]
    lines += ["", "| request | answers | p50 | p99 |", "|---|---|---|---|"]
    for what, seconds in sorted(seen.seconds.items()):
        lines.append(f"| {what} | {len(seconds):,} | {_at(0.5, seconds)} | {_at(0.99, seconds)} |")
    return "\n".join(lines) + "\n"


def _at(share: float, seconds: list[float]) -> str:
    return f"{1000 * sorted(seconds)[round(share * (len(seconds) - 1))]:,.0f} ms"


_HEAD = f"""# Two servers on one PostgreSQL

`python -m benchmarks.two_servers --write`: two `veritab serve` on the loopback with one PostgreSQL, which writes to the
disk before it answers. Clients, each from an address of its own, go to the servers by turns, whatever they do: they
check, search, keep verdicts and look at kept ones, begin jobs, follow, stop and download them, and come back when
refused. After {_KILLED_AT:.0%} of the time a server that then works on a job is killed (-9); after {_BACK_AT:.0%} it
is started again. In the end every job must be over, with one result for each claim, in order, and every kept verdict
be there, the same on both. Clients, servers and PostgreSQL share two cores.

"""


if __name__ == "__main__":
    main()
