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
from veritab.runs.asked import Asked
from veritab.schema import Claim

if TYPE_CHECKING:
    from veritab.pipeline import Checker
    from veritab.settings import Settings

Open: TypeAlias = "Callable[[], Checker]"
"""Opens a checker; processes are handed this and not the checker."""


@dataclass(frozen=True)
class Opening:
    """How a checker is opened, here and in other processes."""

    corpus: Path | None
    settings: Settings

    def __call__(self) -> Checker:
        from veritab.pipeline import Checker

        return Checker.open(self.corpus, self.settings)

    def among(self, workers: int) -> Opening:
        """The same for one of several processes, which share the cores unless the settings say otherwise."""
        if self.settings.verify.threads:
            return self
        return replace(self, settings=self.settings.replaced({"verify.threads": max(1, _cores() // workers)}))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


BATCH = 16
"""So many claims are checked together, and written together."""

_AHEAD = 2


def batches(asked: Iterable[Asked], size: int = BATCH) -> Iterator[list[Asked]]:
    """The claims, so many at a time."""
    rest = iter(asked)
    while batch := list(islice(rest, size)):
        yield batch


def lines_of(checker: Checker, asked: Sequence[Asked]) -> list[bytes]:
    """The answers to some claims, each a line of JSON with the name its claim was given."""
    verdicts = checker.check_many([Claim(str(each.id), each.text) for each in asked])
    return [
        orjson.dumps({"id": each.id, **_without_id(verdict_to_json(verdict)), "claim": each.text})
        for each, verdict in zip(asked, verdicts, strict=True)
    ]


def _without_id(record: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in record.items() if key != "id"}


def check_all(asked: Iterable[Asked], checker: Checker, *, done: int = 0) -> Iterator[list[bytes]]:
    """The answers in batches; those of the first `done` claims are left out.

    Batches are cut at the same places wherever a run goes on, so that what stands beside a claim, and with it the
    last digit of a score, is the same.
    """
    for batch, skip in _from(asked, done):
        yield lines_of(checker, batch)[skip:]


def check_in_processes(
    asked: Iterable[Asked], open_checker: Open, workers: int, *, done: int = 0
) -> Iterator[list[bytes]]:
    """The same, by several processes with a checker each; answers come in order all the same."""
    context = get_context("spawn")  # a fork would inherit the threads and locks of the models
    waiting: deque[tuple[Future[list[bytes]], int]] = deque()
    stop = context.Event()
    pool = ProcessPoolExecutor(workers, context, initializer=_set_up, initargs=(open_checker, stop))
    try:
        for batch, skip in _from(asked, done):
            waiting.append((pool.submit(_lines, batch), skip))
            if len(waiting) > workers * _AHEAD:
                future, first = waiting.popleft()
                yield future.result()[first:]
        while waiting:
            future, first = waiting.popleft()
            yield future.result()[first:]
    except BrokenProcessPool as error:
        raise VeritabError(
            "a worker process ended before its time, which a lack of memory can do; try fewer --workers"
        ) from error
    except BaseException:
        stop.set()  # nobody wants what is still being worked on
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _from(asked: Iterable[Asked], done: int) -> Iterator[tuple[list[Asked], int]]:
    """The batches that are not answered, and how much of each is."""
    for number, batch in enumerate(batches(asked)):
        skip = done - number * BATCH
        if skip < len(batch):
            yield batch, max(skip, 0)


# -- in a process of its own -------------------------------------------------------------------------------

_opened: Open | None = None


def _set_up(open_checker: Open, stop: Event) -> None:
    """A worker leaves Ctrl-C to the process that started it, and ends when that one says so or is gone."""
    global _opened
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for end in (_end_with_parent, partial(_end_when_told, stop)):
        threading.Thread(target=end, daemon=True).start()
    # Opened with the first batch, so that what cannot be opened is told as it is: here it would only end the process.
    _opened = cache(open_checker)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)


def _end_when_told(stop: Event) -> None:
    stop.wait()
    os._exit(1)


def _lines(batch: Sequence[Asked]) -> list[bytes]:
    assert _opened is not None
    return lines_of(_opened(), batch)
