"""The server under load: a real one on the loopback, many clients at once; does it stand, how fast, how much memory.

python -m benchmarks.serve [--seconds 60] [--clients 50] [--config FILE] [--write]
python -m benchmarks.serve --attacks [--write]        the same while two of benchmarks.attacks run
python -m benchmarks.serve --minutes 20 [--write]     a few clients for long, with attacks among them: is memory flat
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.attacks import BAD_CELLS, HERE, LONG_PAGE, Sent, Served, idle_server, served
from veritab.schema import Kind

RESULTS = Path(__file__).parent / "results" / "serve.md"
_SOAK_CLIENTS = 4
_SOAK_PAUSE = 5.0
_SAMPLES = 40
# A soak is flat when its last quarter holds hardly more than its second; the first is for caches to fill.
_FLAT = 1.05


@dataclass
class Seen:
    """What the clients saw."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """Of the requests that were answered 200."""
    refused: list[float] = field(default_factory=list)
    """Of those that were answered 503."""
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, status: str, seconds: float) -> None:
        with self.lock:
            self.statuses[status] += 1
            if status == "200":
                self.seconds.append(seconds)
            elif status == "503":
                self.refused.append(seconds)


@dataclass
class Load:
    """What was seen by the clients, by those who attack, and of the server."""

    clients: Seen = field(default_factory=Seen)
    attackers: Seen = field(default_factory=Seen)
    health: Seen = field(default_factory=Seen)
    idle: Seen = field(default_factory=Seen)
    """Of a server that does nothing, at the same time: what the machine and the clients themselves take."""
    memory: list[int] = field(default_factory=list)
    stopped: int = 0


def main() -> None:
    asked = _options()
    seconds = asked.minutes * 60 if asked.minutes else asked.seconds
    clients = _SOAK_CLIENTS if asked.minutes else asked.clients
    claims = _claims(asked.corpus)
    options = ["--queue", str(asked.queue)]
    for name, value in (("--workers", asked.workers), ("--corpus", asked.corpus), ("--config", asked.config)):
        options += [name, str(value)] if value else []
    print(f"{clients} clients for {seconds:g} s, {len(claims)} claims", flush=True)
    load = Load()
    with served(HERE, *options) as server, idle_server() as idle:
        _run(server, idle, load, claims, clients, seconds, asked)
        server.process.send_signal(signal.SIGTERM)
        load.stopped = server.process.wait(60)
    heading = "soak" if asked.minutes else "attacks" if asked.attacks else "load"
    told = _told(load, clients, seconds)
    print(told)
    if asked.write:
        _write(heading, told)
    if set(load.clients.statuses) - {"200", "503"} or load.stopped:
        sys.exit(3)
    if asked.minutes and not _is_flat(load.memory):
        sys.exit("memory grew")


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--minutes", type=float, help="a soak of so long")
    options.add_argument("--clients", type=int, default=50)
    options.add_argument("--attacks", action="store_true", help="with two attacks all the time")
    options.add_argument("--workers", type=int)
    options.add_argument("--queue", type=int, default=32)
    options.add_argument("--corpus", type=Path)
    options.add_argument("--config", type=Path)
    options.add_argument("--write", action="store_true", help="write the results into benchmarks/results/serve.md")
    return options.parse_args()


def _claims(corpus: Path | None) -> list[str]:
    """Sentences of the corpus, as they stand: claims that find their evidence."""
    from veritab.corpus import open_corpus

    with open_corpus(corpus) as store:
        pages = (store.page(title) for title, _ in zip(store.titles(), range(200), strict=False))
        texts = [each.text for page in pages for each in page.elements if each.kind is Kind.SENTENCE]
    chosen = [text for text in texts if 20 < len(text) < 200]
    return random.Random(6).sample(chosen, min(500, len(chosen)))


# -- who asks ----------------------------------------------------------------------------------------------


def _run(
    server: Served,
    idle: Served,
    load: Load,
    claims: list[str],
    clients: int,
    seconds: float,
    asked: argparse.Namespace,
) -> None:
    """Let everybody loose; memory is read from the start to the end."""
    end = time.monotonic() + seconds
    pause = _SOAK_PAUSE if asked.minutes else 0.0
    work: list[Callable[[], None]] = [
        lambda number=number: _ask_claims(server, claims, end, number, load.clients)  # type: ignore[misc]
        for number in range(clients)
    ]
    work.append(lambda: _repeat(server, Sent("GET", "/healthz"), end, 0.1, load.health))
    work.append(lambda: _repeat(idle, Sent("GET", "/"), end, 0.1, load.idle))
    if asked.attacks or asked.minutes:
        for sent in (BAD_CELLS, LONG_PAGE):
            foe = Sent(sent.method, sent.path, sent.body, sent.headers, "127.0.2.1")
            work.append(lambda foe=foe: _repeat(server, foe, end, pause, load.attackers))  # type: ignore[misc]
    threads = [threading.Thread(target=each) for each in work]
    load.memory.append(server.memory)
    for thread in threads:
        thread.start()
    for _ in range(_SAMPLES):
        time.sleep(seconds / _SAMPLES)
        load.memory.append(server.memory)
    for thread in threads:
        thread.join()
    time.sleep(4)
    load.memory.append(server.memory)


def _ask_claims(server: Served, claims: list[str], end: float, number: int, seen: Seen) -> None:
    """Asks one claim after the other, from an address of its own; when told to come back later, does so in a moment."""
    chance = random.Random(number)
    connection = http.client.HTTPConnection(
        "127.0.0.1", server.port, timeout=60, source_address=(f"127.0.1.{1 + number % 250}", 0)
    )
    while time.monotonic() < end:
        started = time.monotonic()
        try:
            body = json.dumps({"claim": chance.choice(claims)})
            connection.request("POST", "/v1/check", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            status = str(answer.status)
        except (OSError, http.client.HTTPException) as error:
            status = type(error).__name__
            connection.close()
        seen.add(status, time.monotonic() - started)
        if status != "200":
            time.sleep(0.1 + 0.4 * chance.random())  # less patient than Retry-After asks, so that overload lasts
    connection.close()


def _repeat(server: Served, sent: Sent, end: float, pause: float, seen: Seen) -> None:
    while time.monotonic() < end:
        seen.add(*server.ask(sent))
        time.sleep(pause)


# -- what is printed ---------------------------------------------------------------------------------------


def _is_flat(memory: list[int]) -> bool:
    quarter = len(memory) // 4
    second, last = memory[quarter : 2 * quarter], memory[-quarter:]
    return sum(last) / len(last) <= _FLAT * sum(second) / len(second)


def _at(share: float, values: list[float]) -> str:
    ordered = sorted(values)
    return f"{1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]:,.0f} ms" if ordered else "none"


def _spread(seen: Seen) -> str:
    return " / ".join(_at(share, seen.seconds) for share in (0.5, 0.99, 1.0))


def _statuses(seen: Seen) -> str:
    return ", ".join(f"{count:,} x {status}" for status, count in sorted(seen.statuses.items()))


def _told(load: Load, clients: int, seconds: float) -> str:
    memory = [round(each / 1e6) for each in load.memory]
    quarters = [memory[round(share * (len(memory) - 2))] for share in (0, 0.25, 0.5, 0.75, 1)]
    rows = {
        "load": f"{clients} clients at once for {seconds:g} s",
        "answers": _statuses(load.clients),
        "claims per second": f"{len(load.clients.seconds) / seconds:.1f}",
        "answered in, p50": _at(0.5, load.clients.seconds),
        "answered in, p99": _at(0.99, load.clients.seconds),
        "refused (503) in, p50": _at(0.5, load.clients.refused),
        "refused (503) in, p99": _at(0.99, load.clients.refused),
        "attacks": _statuses(load.attackers),
        "/healthz, p50 / p99 / longest": _spread(load.health),
        "an idle server, at the same time": _spread(load.idle),
        "memory at the start, after each quarter": " / ".join(map(str, quarters)) + " MB",
        "memory, most": f"{max(memory)} MB",
        "memory, four seconds after the end": f"{memory[-1]} MB",
        "exit status when told to stop": str(load.stopped),
        "load average of the machine, at the end": f"{os.getloadavg()[0]:.0f}",
    }
    shown = {name: value for name, value in rows.items() if value}
    return "\n".join(("| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in shown.items()), ""))


_HEAD = """# The server under load

`python -m benchmarks.serve --write`: `veritab serve` as it comes, on the loopback; every client asks one claim after
the other from an address of its own, each a sentence of the almanac, and comes back after a moment when it is refused.
Clients and server share the two cores. What is answered waits in line first: with the line full, that is most of the
time.
"""
_SECTIONS = {
    "load": "\n## Many clients\n\n",
    "attacks": "\n## Many clients while two attacks run\n\n"
    "`--attacks`: 300,000 bad cells, and a search on a page with a name of a million characters, each sent again as\n"
    "soon as it is answered.\n\n",
    "soak": "\n## For long\n\n"
    f"`--minutes N`: {_SOAK_CLIENTS} clients, and both attacks every {_SOAK_PAUSE:g} s. Memory is flat where the last "
    "quarter holds at most five per\ncent more than the second.\n\n",
}


def _write(section: str, told: str) -> None:
    """Put the results of one kind of load beside those of the others."""
    before = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    kept = {}
    for name, head in _SECTIONS.items():
        title = head.strip().splitlines()[0]
        start = before.find(f"{title}\n")
        if start >= 0:
            found = before.find("\n## ", start)
            kept[name] = before[before.find("| | |", start) : None if found < 0 else found]
    kept[section] = told
    parts = (head + kept[name].rstrip("\n") + "\n" for name, head in _SECTIONS.items() if name in kept)
    RESULTS.write_text(_HEAD + "".join(parts), encoding="utf-8")
    print(f"written to {RESULTS}")


if __name__ == "__main__":
    main()
