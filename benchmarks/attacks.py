"""What somebody unfriendly sends, one attack after the other: how long it takes, what it costs, whom it keeps waiting.

python -m benchmarks.attacks [CHECKOUT_OF_BEFORE] [--only WORDS] [--write]

Every attack meets a server of its own, as `veritab serve` starts it, and a second one of an earlier checkout where one
is given. While it runs, /healthz is asked again and again, and the server's memory is read; so is an idle server in a
process of its own, which shows what the machine alone makes a client wait.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

RESULTS = Path(__file__).parent / "results" / "attacks.md"
HERE = Path(__file__).parents[1]
_READY_SECONDS = 90
_LONGEST = 75.0
_SETTLING = 4.0
_CLAIM = "Mount Everest is higher than K2."
_JSON = {"Content-Type": "application/json"}
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Sent:
    """A request; `address` is where on the loopback it comes from."""

    method: str
    path: str
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    address: str = "127.0.0.1"


@dataclass(frozen=True)
class Attack:
    """Requests sent at once, and those that somebody else sends a moment later."""

    name: str
    requests: tuple[Sent, ...]
    others: tuple[Sent, ...] = ()


def many(value: str, count: int, before: str, after: str) -> bytes:
    """A body of one value again and again."""
    return (before + ",".join([value] * count) + after).encode()


def form_of(parts: int) -> bytes:
    """A form of so many small files."""
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nK2 is high.\r\n'
    return part * parts + b"--x--\r\n"


def file_of(content: bytes) -> bytes:
    """A form with one file."""
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="claims.csv"\r\n\r\n'
    return head + content + b"\r\n--x--\r\n"


_TABLE = (
    '{"claim":"K2 is higher than 5 m.","evidence":[{"title":"T","table":{"header":["Name","m","a","b","c"],"rows":['
)
_FORM = {"Content-Type": "multipart/form-data; boundary=x"}
_FOREIGN = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
_CHECKED = f"/check?claim={quote(_CLAIM)}"
BAD_CELLS = Sent("POST", "/v1/judge", many("{}", 300_000, f"{_TABLE}[", "]]}}]}"), _JSON)
LONG_PAGE = Sent("POST", "/v1/search", b'{"query":"moon","page":"%s"}' % (b"Mount " * 160_000), _JSON)
ATTACKS = (
    Attack("300,000 bad cells in a body of 900 KB", (BAD_CELLS,)),
    Attack(
        "300,000 claims without words", (Sent("POST", "/v1/check", many("{}", 300_000, '{"claims":[', "]}"), _JSON),)
    ),
    Attack(
        "90,000 members that nothing has",
        (Sent("POST", "/v1/check", b'{"claim":"a"' + b"".join(b',"%x":1' % n for n in range(90_000)) + b"}", _JSON),),
    ),
    Attack("two searches on a page with a name of a million characters", (LONG_PAGE, LONG_PAGE)),
    Attack("ten pages with titles of 30,000 characters", (Sent("GET", f"/page?title={'Mount+' * 5000}"),) * 10),
    Attack(
        "a table of 300,000 cells",
        (Sent("POST", "/v1/judge", many('["K",1,2,3,4]', 60_000, _TABLE, "]}}]}"), _JSON),),
    ),
    Attack(
        "a cell of 900,000 characters",
        (Sent("POST", "/v1/judge", f'{_TABLE}["K2","{"4 " * 450_000}"]]}}}}]}}'.encode(), _JSON),),
    ),
    Attack("a form of 50,000 files", (Sent("POST", "/file", form_of(50_000), _FORM),)),
    Attack(
        "a file of claims with carriage returns only",
        (Sent("POST", "/file", file_of(b"id,claim\r1,K2 is high.\r"), _FORM),),
    ),
    Attack("a first line of 140,000 characters", (Sent("POST", "/file", file_of(b"claim," + b"a" * 140_000), _FORM),)),
    Attack("headers of 39 KB", (Sent("GET", "/healthz", headers={"X-Long": "a" * 39_000}),)),
    Attack("30 pictures of another site that check a claim", (Sent("GET", _CHECKED, headers=_FOREIGN),) * 30),
    Attack(
        "60 claims of one client, then one of another",
        (Sent("GET", f"/v1/check?claim={quote(_CLAIM)}"),) * 60,
        (Sent("GET", f"/v1/check?claim={quote(_CLAIM)}", address="127.0.0.2"),),
    ),
)


# -- a server ----------------------------------------------------------------------------------------------


@dataclass
class Served:
    """A server under attack."""

    process: subprocess.Popen[str]
    port: int

    def ask(self, sent: Sent, seconds: float = _LONGEST) -> tuple[str, float]:
        """The status of the answer and how long it took; where there was none, what happened instead."""
        started = time.monotonic()
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=seconds, source_address=(sent.address, 0)
        )
        try:
            connection.request(sent.method, sent.path, sent.body or None, dict(sent.headers))
            answer = connection.getresponse()
            answer.read()
            status = str(answer.status)
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
        finally:
            connection.close()
        return status, time.monotonic() - started

    @property
    def memory(self) -> int:
        return int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]) * _PAGE


@contextmanager
def served(checkout: Path, *options: str) -> Iterator[Served]:
    """`veritab serve` of a checkout, ready and warm."""
    command = [sys.executable, "-m", "veritab", "serve", "--port", "0", *options]
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        server = Served(process, _port_of(process))
        until = time.monotonic() + _READY_SECONDS
        while server.ask(Sent("GET", "/readyz"))[0] != "200":
            if time.monotonic() > until:
                sys.exit("the server did not become ready")
            time.sleep(0.1)
        for _ in range(3):
            server.ask(Sent("GET", f"/v1/check?claim={quote(_CLAIM)}"))
        server.ask(
            Sent("POST", "/v1/judge", b'{"claim":"K2 is high.","evidence":[[["name","m"],["K2","8,611"]]]}', _JSON)
        )
        for path in ("/", "/search?q=moon", "/page?title=K2"):
            server.ask(Sent("GET", path))
        yield server
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


_IDLE = """
import asyncio
async def answer(reader, writer):
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n")
    await writer.drain()
    writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


@contextmanager
def idle_server() -> Iterator[Served]:
    """A server that does nothing but answer."""
    process = subprocess.Popen([sys.executable, "-c", _IDLE], stdout=subprocess.PIPE, text=True)
    assert process.stdout
    try:
        yield Served(process, int(process.stdout.readline()))
    finally:
        process.kill()
        process.wait()


def _port_of(process: subprocess.Popen[str]) -> int:
    assert process.stderr
    talk = process.stderr
    port = next((int(found[1]) for line in talk if (found := re.search(r"listening on http://[^ ]*:(\d+)/", line))), 0)
    if not port:
        sys.exit("the server did not start")
    threading.Thread(target=lambda: list(talk), daemon=True).start()
    return port


# -- an attack ---------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What an attack did: statuses, seconds, the longest that /healthz took, and memory."""

    statuses: Counter[str] = field(default_factory=Counter)
    others: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    others_seconds: float = 0.0
    idle: float = 0.0
    health: float = 0.0
    before: int = 0
    peak: int = 0
    after: int = 0


class HealthWatch:
    """Asks /healthz, and an idle server, again and again, and reads the memory, until it is told to stop."""

    def __init__(self, server: Served, idle: Served) -> None:
        self.server = server
        self.peak = 0
        self._longest = {server.port: 0.0, idle.port: 0.0}
        self._idle = idle
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._ask, args=(server,)),
            threading.Thread(target=self._ask, args=(idle,)),
            threading.Thread(target=self._weigh),
        ]

    @property
    def longest(self) -> float:
        return self._longest[self.server.port]

    @property
    def idle(self) -> float:
        return self._longest[self._idle.port]

    def __enter__(self) -> HealthWatch:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, server: Served) -> None:
        while not self._stop.wait(0.02):
            status, seconds = server.ask(Sent("GET", "/healthz"))
            took = seconds if status == "200" else _LONGEST
            self._longest[server.port] = max(self._longest[server.port], took)

    def _weigh(self) -> None:
        while not self._stop.wait(0.01):
            self.peak = max(self.peak, self.server.memory)


def meet(checkout: Path, attack: Attack) -> Seen:
    """What an attack does to a server of a checkout."""
    seen = Seen()
    with served(checkout) as server, idle_server() as idle:
        time.sleep(2.0)
        seen.before = server.memory
        with HealthWatch(server, idle) as watch:
            started = time.monotonic()
            threads = _send(server, attack.requests, seen.statuses)
            if attack.others:
                time.sleep(0.5)
                began = time.monotonic()
                for thread in _send(server, attack.others, seen.others):
                    thread.join()
                seen.others_seconds = time.monotonic() - began
            for thread in threads:
                thread.join()
            seen.seconds = time.monotonic() - started
            time.sleep(0.5)
        seen.health, seen.idle, seen.peak = watch.longest, watch.idle, watch.peak
        time.sleep(_SETTLING)
        seen.after = server.memory
    return seen


def _send(server: Served, requests: tuple[Sent, ...], statuses: Counter[str]) -> list[threading.Thread]:
    lock = threading.Lock()

    def send(sent: Sent) -> None:
        status, _ = server.ask(sent)
        with lock:
            statuses[status] += 1

    threads = [threading.Thread(target=send, args=(sent,)) for sent in requests]
    for thread in threads:
        thread.start()
    return threads


# -- what is printed ---------------------------------------------------------------------------------------


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("before", type=Path, nargs="?", help="a checkout of an earlier commit")
    options.add_argument("--only", default="", help="only attacks with these words in their names")
    options.add_argument("--write", action="store_true", help=f"write the results into {RESULTS.relative_to(HERE)}")
    asked = options.parse_args()
    checkouts = ([("before", asked.before.resolve())] if asked.before else []) + [("now", HERE)]
    lines = [
        "| attack | | answers | all answered in | /healthz, longest | memory before, peak, after |",
        "|---|---|---|---|---|---|",
    ]
    slowest = 0.0
    for attack in ATTACKS:
        if asked.only not in attack.name:
            continue
        for name, checkout in checkouts:
            seen = meet(checkout, attack)
            slowest = max(slowest, seen.health if name == "now" else 0.0)
            lines.append(_line(attack, name, seen))
            print(lines[-1], flush=True)
    if asked.write:
        RESULTS.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")
        print(f"written to {RESULTS}")
    print(f"the longest that /healthz took now: {1000 * slowest:,.0f} ms")


def _line(attack: Attack, name: str, seen: Seen) -> str:
    statuses = _counts(seen.statuses)
    if attack.others:
        statuses += f"; the other: {_counts(seen.others)} in {seen.others_seconds:.1f} s"
    memory = ", ".join(f"{each / 1e6:,.0f}" for each in (seen.before, seen.peak, seen.after))
    health = f"{1000 * seen.health:,.0f} ms (idle: {1000 * seen.idle:,.0f} ms)"
    return f"| {attack.name} | {name} | {statuses} | {seen.seconds:.2f} s | {health} | {memory} MB |"


def _counts(statuses: Counter[str]) -> str:
    return ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items()))


_HEAD = """# The server under attack

`python -m benchmarks.attacks CHECKOUT_OF_BEFORE --write`: every attack against a server of its own, on two cores that
the attacker shares; `before` is the server of commit 4143b0e. A client waits 75 seconds at most (TimeoutError). "Idle"
is the longest that a server which does nothing took to answer at the same time, in a process of its own: what the
machine alone makes a client wait, with whatever else runs on it. Memory is read four seconds after the last answer.

"""

if __name__ == "__main__":
    main()
