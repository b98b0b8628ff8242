"""The engine that is several processes of this machine."""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Generic, Self, TypeVar

from veritab.engine import Engine, ThisProcess, count_cores
from veritab.errors import VeritabError

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 2
_MOST_DEATHS = 3


@dataclass(frozen=True)
class Waiting:
    """How large the items that are under way may be together, and how large one is."""

    size: Callable[[Any], int]
    most: int


@dataclass
class _UnderWay(Generic[Item, Result]):
    item: Item
    size: int
    future: Future[Result]
    pool: ProcessPoolExecutor


class WorkerProcesses:
    """Applies a function to items by several processes, which end with this one, however it ends."""

    def __init__(
        self, workers: int, *, waiting: Waiting | None = None, start: Callable[[], None] | None = None
    ) -> None:
        """`waiting` bounds the memory of items that wait; `start` is called in each process when it begins."""
        self.workers = workers
        self.cores = max(1, count_cores() // workers)
        self._waiting, self._begin = waiting, start
        self._context = get_context("spawn")  # a fork would inherit the threads and locks of the models
        # Workers hear its end. An `Event` would not do: whoever sets it waits for all that listen, also for the dead.
        self._listen, self._line = self._context.Pipe(duplex=False)
        self._pool = self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()  # what is still under way is no longer wanted
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._listen.close()

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """The results in the order of the items, of which a few for each process are under way."""
        under_way: deque[_UnderWay[Item, Result]] = deque()
        packed = pickle.dumps(function)
        try:
            for item in items:
                under_way.append(self._submit(packed, item))
                while len(under_way) > self.workers * _AHEAD or self._is_much(under_way):
                    yield self._result(packed, under_way.popleft(), lost)
            while under_way:
                yield self._result(packed, under_way.popleft(), lost)
        finally:
            for each in under_way:
                each.future.cancel()

    def _is_much(self, under_way: Iterable[_UnderWay[Item, Result]]) -> bool:
        return self._waiting is not None and sum(each.size for each in under_way) > self._waiting.most

    def _start(self) -> ProcessPoolExecutor:
        given = (self._listen, self._begin)
        return ProcessPoolExecutor(self.workers, self._context, initializer=_start_worker, initargs=given)

    def _submit(self, packed: bytes, item: Item) -> _UnderWay[Item, Any]:
        size = self._waiting.size(item) if self._waiting else 0
        try:
            return _UnderWay(item, size, self._pool.submit(_apply, packed, item), self._pool)
        except BrokenProcessPool:
            self._restart(self._pool)
            return _UnderWay(item, size, self._pool.submit(_apply, packed, item), self._pool)

    def _restart(self, broken: ProcessPoolExecutor) -> None:
        if self._pool is broken:
            self._pool = self._start()
            broken.shutdown(wait=True, cancel_futures=True)

    def _result(
        self,
        packed: bytes,
        first: _UnderWay[Item, Result],
        lost: Callable[[Item, str], Result] | None,
    ) -> Result:
        """The result of the first item that is under way.

        The death of one process takes all that is under way with it. So the item is tried again with nothing else
        under way, and is lost only if processes die of it alone.
        """
        for _ in range(_MOST_DEATHS):
            try:
                return first.future.result()
            except BrokenProcessPool:
                self._restart(first.pool)
                first = self._submit(packed, first.item)
        try:
            return first.future.result()
        except BrokenProcessPool as error:
            self._restart(first.pool)
            why = "a worker process died, which happens when memory runs out"
            if lost is not None:
                return lost(first.item, why)
            raise VeritabError(f"{why}; what was written is kept; try again with fewer processes") from error


@contextmanager
def open_processes(
    workers: int, *, waiting: Waiting | None = None, start: Callable[[], None] | None = None
) -> Iterator[Engine]:
    """So many processes, or this one alone."""
    if workers < 2:
        yield ThisProcess()
        return
    with WorkerProcesses(workers, waiting=waiting, start=start) as engine:
        yield engine


# -- in a process of its own -------------------------------------------------------------------------------


def _start_worker(line: Connection, start: Callable[[], None] | None) -> None:
    """Leave Ctrl-C to the parent process, and exit when that one says so or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_at_the_end, args=(line,), daemon=True).start()
    if start:
        start()


def _exit_at_the_end(line: Connection) -> None:
    with suppress(EOFError, OSError):
        line.recv_bytes()
    os._exit(1)


def _apply(packed: bytes, item: Any) -> Any:
    return _load(packed)(item)


@lru_cache(maxsize=8)
def _load(packed: bytes) -> Callable[[Any], Any]:
    """One function for all items, so that what it opens stays open."""
    function: Callable[[Any], Any] = pickle.loads(packed)
    return function
