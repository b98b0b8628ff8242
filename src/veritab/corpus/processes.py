"""Processes of this machine as an engine, for the parsing of sources."""

from __future__ import annotations

import gc
import multiprocessing
import multiprocessing.process
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from veritab.engine import Engine, Item, Result, ThisProcess
from veritab.errors import VeritabError

# So many items wait per worker: a slow one does not leave the others idle.
_WAITING_PER_WORKER = 3


class Processes:
    """An engine of a few processes; `size` of an item, and the most that may wait, bound the memory."""

    def __init__(self, pool: ProcessPoolExecutor, workers: int, size: Callable[[Any], int], most: int) -> None:
        self.workers = workers
        self._pool, self._size, self._most = pool, size, most

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """The results in the order of the items, never more than a few of which wait."""
        waiting: deque[tuple[int, Future[Result]]] = deque()
        try:
            for item in items:
                waiting.append((self._size(item), self._pool.submit(function, item)))
                while len(waiting) >= self.workers * _WAITING_PER_WORKER or sum(n for n, _ in waiting) > self._most:
                    yield waiting.popleft()[1].result()
            while waiting:
                yield waiting.popleft()[1].result()
        except BrokenProcessPool:
            raise VeritabError(
                "a worker was ended from outside, perhaps for want of memory; what was written is kept; "
                "run the same command again, with --workers 1 if memory is short"
            ) from None


@contextmanager
def open_processes(workers: int, size: Callable[[Any], int], most: int) -> Iterator[Engine]:
    """So many processes, or this one alone."""
    if workers < 2:
        yield ThisProcess()
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start_worker) as pool:
        try:
            yield Processes(pool, workers, size, most)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _start_worker() -> None:
    """A worker leaves Ctrl-C to its parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _tune_collector()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _tune_collector() -> None:
    """Pages are trees without cycles: reference counts free them, so the cycle collector would only look on."""
    gc.freeze()
    gc.set_threshold(200_000, 50, 1000)


@contextmanager
def calm_collector() -> Iterator[None]:
    """Keep the cycle collector from looking at pages while they are parsed and written."""
    before: tuple[Any, ...] = gc.get_threshold()
    _tune_collector()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
