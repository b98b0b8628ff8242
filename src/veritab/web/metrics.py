"""Counts and timings of the server, for Prometheus."""

from __future__ import annotations

import os
import sys
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from veritab.web.workers import Workers

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts that only grow, and how long requests took."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._latency: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._claims: Counter[str] = Counter()
        self._started = time.time()

    def count_request(self, route: str, method: str, status: int, seconds: float) -> None:
        """One request, by the route's pattern: titles and ids would make a series each."""
        with self._lock:
            self._requests[route, method, status] += 1
            self._latency.setdefault(route, [0] * (len(_BUCKETS) + 1))[bisect_left(_BUCKETS, seconds)] += 1
            self._seconds[route] += seconds  # type: ignore[assignment]  # a counter adds floats as well

    def count_claim(self, label: str) -> None:
        """One claim, by its label."""
        with self._lock:
            self._claims[label] += 1

    def text(self, workers: Workers) -> str:
        """All of it, in the text form that Prometheus reads."""
        with self._lock:
            return "\n".join(self._lines(workers)) + "\n"

    def _lines(self, workers: Workers) -> Iterator[str]:
        yield from _head("veritab_requests_total", "counter", "Requests answered.")
        for (route, method, status), count in sorted(self._requests.items()):
            names = f'route="{_escape(route)}",method="{_escape(method)}",status="{status}"'
            yield f"veritab_requests_total{{{names}}} {count}"
        yield from _head("veritab_request_seconds", "histogram", "How long requests took.")
        for route, counts in sorted(self._latency.items()):
            yield from _histogram("veritab_request_seconds", f'route="{_escape(route)}"', counts, self._seconds[route])
        yield from _head("veritab_claims_total", "counter", "Claims checked or judged, by label.")
        for label, count in sorted(self._claims.items()):
            yield f'veritab_claims_total{{label="{_escape(label)}"}} {count}'
        yield from _gauge("veritab_queue_length", "Jobs that wait for a worker.", workers.waiting)
        yield from _gauge("veritab_workers_busy", "Workers at work.", workers.running)
        yield from _gauge("veritab_workers", "Workers there are.", workers.count)
        yield from _gauge("veritab_places_taken", "Requests that have a place, waiting or at work.", workers.taken)
        yield from _gauge("process_resident_memory_bytes", "Memory in use.", resident_bytes())
        yield from _gauge("process_start_time_seconds", "When the server began.", round(self._started, 3))


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


def _gauge(name: str, about: str, value: float) -> Iterator[str]:
    yield from _head(name, "gauge", about)
    yield f"{name} {value}"


def _histogram(name: str, labels: str, counts: list[int], seconds: float) -> Iterator[str]:
    total = 0
    for bound, count in zip((*_BUCKETS, "+Inf"), counts, strict=True):
        total += count
        yield f'{name}_bucket{{{labels},le="{bound}"}} {total}'
    yield f"{name}_sum{{{labels}}} {seconds:.6f}"
    yield f"{name}_count{{{labels}}} {total}"


def _escape(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def resident_bytes() -> int:
    """The memory this process holds now; where the system does not report it, the most it ever held, or 0."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    if sys.platform == "win32":
        return 0
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
