"""The server under load: a real one on the loopback, many clients at once; does it stand, how fast, how much memory.

python -m benchmarks.serve --seconds 60 --clients 50 [--config FILE] [--write]
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from veritab.schema import Kind

RESULTS = Path(__file__).parent / "results" / "serve.md"
_READY_SECONDS = 60
_MEMORY = re.compile(r"^process_resident_memory_bytes (\d+)", re.MULTILINE)


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


def main() -> None:
    asked = _options()
    claims = _claims(asked.corpus)
    command = [sys.executable, "-m", "veritab", "serve", "--port", "0", "--queue", str(asked.queue)]
    for name, value in (("--workers", asked.workers), ("--corpus", asked.corpus), ("--config", asked.config)):
        command += [name, str(value)] if value else []
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        port, opened = _ready(server)
        print(f"ready after {opened:.1f} s; {asked.clients} clients for {asked.seconds} s, {len(claims)} claims")
        seen, memory = _load(port, claims, asked.clients, asked.seconds)
        server.send_signal(signal.SIGTERM)
        stopped = server.wait(60)
    finally:
        server.kill()
        server.wait()
    told = _told(asked, seen, memory, stopped)
    print(told)
    if asked.write:
        RESULTS.write_text(_HEAD + told, encoding="utf-8")
        print(f"written to {RESULTS}")
    if set(seen.statuses) - {"200", "503"} or stopped:
        sys.exit(3)


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--clients", type=int, default=50)
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


def _ready(server: subprocess.Popen[str]) -> tuple[int, float]:
    """The port the server took, once it can check claims, and after how many seconds that was."""
    started = time.monotonic()
    assert server.stderr
    talk = server.stderr
    port = next((int(found[1]) for line in talk if (found := re.search(r"listening on http://[^ ]*:(\d+)/", line))), 0)
    if not port:
        sys.exit("the server did not start")
    threading.Thread(target=lambda: [sys.stderr.write(line) for line in talk], daemon=True).start()
    while _get(port, "/readyz")[0] != 200:
        if time.monotonic() - started > _READY_SECONDS:
            sys.exit("the server did not become ready")
        time.sleep(0.1)
    return port, time.monotonic() - started


def _get(port: int, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def _load(port: int, claims: list[str], clients: int, seconds: float) -> tuple[Seen, list[int]]:
    """What all clients saw, and the server's memory at the start, at every tenth of the time, and at the end."""
    seen, end = Seen(), time.monotonic() + seconds
    threads = [threading.Thread(target=_client, args=(port, claims, end, number, seen)) for number in range(clients)]
    memory = [_memory(port)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        time.sleep(seconds / 10)
        memory.append(_memory(port))
    for thread in threads:
        thread.join()
    return seen, [*memory, _memory(port)]


def _memory(port: int) -> int:
    found = _MEMORY.search(_get(port, "/metrics")[1])
    return int(found[1]) if found else 0


def _client(port: int, claims: list[str], end: float, number: int, seen: Seen) -> None:
    """Asks one claim after the other; when told to come back later, does so a moment later."""
    chance = random.Random(number)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
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


def _at(share: float, values: list[float]) -> str:
    ordered = sorted(values)
    return f"{1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]:,.0f} ms" if ordered else "none"


def _told(asked: argparse.Namespace, seen: Seen, memory: list[int], stopped: int) -> str:
    megabytes = [round(each / 1e6) for each in memory]
    statuses = ", ".join(f"{count:,} x {status}" for status, count in sorted(seen.statuses.items()))
    rows = {
        "load": f"{asked.clients} clients at once for {asked.seconds:g} s",
        "answers": statuses,
        "claims per second": f"{len(seen.seconds) / asked.seconds:.1f}",
        "answered in, p50": _at(0.5, seen.seconds),
        "answered in, p99": _at(0.99, seen.seconds),
        "refused (503) in, p50": _at(0.5, seen.refused),
        "refused (503) in, p99": _at(0.99, seen.refused),
        "memory, start / middle / end": f"{megabytes[0]} / {megabytes[len(megabytes) // 2]} / {megabytes[-1]} MB",
        "memory, most": f"{max(megabytes)} MB",
        "exit status when told to stop": str(stopped),
    }
    return "\n".join(("| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows.items()), ""))


_HEAD = """# The server under load

`python -m benchmarks.serve --write`: `veritab serve` as it comes, on the loopback; every client asks one claim after
the other, each a sentence of the almanac, and comes back after a moment when it is refused. Clients and server share
the two cores. What is answered waits in line first: with the line full, that is most of the time.

"""

if __name__ == "__main__":
    main()
