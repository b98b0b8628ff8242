"""Claims become lines of JSON, batch by batch and in order, in this process or in several."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from multiprocessing import get_context, parent_process
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import orjson

from veritab.errors import VeritabError
from veritab.render.json import verdict_to_json
from veritab.runs.claims import ClaimRecord
from veritab.schema import Claim

if TYPE_CHECKING:
    from veritab.pipeline import Checker
    from veritab.settings import Settings

OpenChecker: TypeAlias = "Callable[[], Checker]"
"""Opens a checker; other processes get this and not the checker, which cannot be pickled."""


@dataclass(frozen=True)
class CheckerFactory:
    """Opens a checker over a corpus with some settings, here and in other processes."""

    corpus: Path | None
    settings: Settings
    name: str = ""
    """What verdicts call the corpus; that of its folder by default."""
    documents: tuple[Path, ...] = ()
    """The files and folders that the corpus was made of, where it was made to check against them."""

    def __call__(self) -> Checker:
        from veritab.pipeline import Checker

        return Checker.open(self.corpus, self.settings, name=self.name)

    def for_worker(self, workers: int) -> CheckerFactory:
        """The same for one of several processes, which share the cores unless the settings say otherwise."""
        if self.settings.verify.threads:
            return self
        return replace(self, settings=self.settings.replaced({"verify.threads": max(1, _cores() // workers)}))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


BATCH = 16
"""How many claims are checked and written together."""

_AHEAD = 2


def batches(claims: Iterable[ClaimRecord], size: int = BATCH) -> Iterator[list[ClaimRecord]]:
    """The claims in batches of `size`."""
    rest = iter(claims)
    while batch := list(islice(rest, size)):
        yield batch


def check_batch(checker: Checker, claims: Sequence[ClaimRecord]) -> list[bytes]:
    """The verdicts on some claims, each a line of JSON with the id of its record."""
    verdicts = checker.check_many([Claim(str(each.id), each.text) for each in claims])
    return [
        orjson.dumps({"id": None} | verdict_to_json(verdict) | {"id": each.id, "claim": each.text})
        for each, verdict in zip(claims, verdicts, strict=True)
    ]


def check_all(claims: Iterable[ClaimRecord], checker: Checker, *, done: int = 0) -> Iterator[list[bytes]]:
    """The verdicts in batches, without those of the first `done` claims.

    Batches are cut at the same places wherever a run is resumed, because the rest of its batch changes the last digit
    of a claim's scores.
    """
    for batch, skip in _remaining_batches(claims, done):
        yield check_batch(checker, batch)[skip:]


def check_in_processes(
    claims: Iterable[ClaimRecord], open_checker: OpenChecker, workers: int, *, done: int = 0
) -> Iterator[list[bytes]]:
    """The same by several processes with a checker each; verdicts come in the order of the claims all the same."""
    context = get_context("spawn")  # a fork would inherit the threads and locks of the models
    waiting: deque[tuple[Future[list[bytes]], int]] = deque()
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, context, initializer=_start_worker, initargs=(open_checker, stop))
    try:
        for batch, skip in _remaining_batches(claims, done):
            waiting.append((pool.submit(_check_in_worker, batch), skip))
            if len(waiting) > workers * _AHEAD:
                future, first = waiting.popleft()
                yield future.result()[first:]
        while waiting:
            future, first = waiting.popleft()
            yield future.result()[first:]
    except BrokenProcessPool as error:
        raise VeritabError("a worker process died, which happens when memory runs out; try fewer --workers") from error
    except BaseException:
        stop.set()  # the verdicts under way are no longer wanted
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _remaining_batches(claims: Iterable[ClaimRecord], done: int) -> Iterator[tuple[list[ClaimRecord], int]]:
    """The batches that are not finished, and how many claims of each are."""
    for number, batch in enumerate(batches(claims)):
        skip = done - number * BATCH
        if skip < len(batch):
            yield batch, max(skip, 0)


# -- in a process of its own -------------------------------------------------------------------------------

_opened: OpenChecker | None = None


def _start_worker(open_checker: OpenChecker, stop: Event) -> None:
    """Leave Ctrl-C to the parent process, and exit when that one says so or is gone."""
    global _opened
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for exit_early in (_exit_with_parent, partial(_exit_when_stopped, stop)):
        threading.Thread(target=exit_early, daemon=True).start()
    # Opened with the first batch: an error raised here would end the process without a message.
    _opened = cache(open_checker)


def _exit_with_parent() -> None:
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _exit_when_stopped(stop: Event) -> None:
    stop.wait()
    os._exit(1)


def _check_in_worker(batch: Sequence[ClaimRecord]) -> list[bytes]:
    assert _opened is not None
    return check_batch(_opened(), batch)
