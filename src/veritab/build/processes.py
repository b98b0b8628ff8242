"""Work on many things by one process or by several; what comes, and its order, do not depend on how many."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context
from typing import TypeVar

from veritab.errors import VeritabError

_BATCH = 32
_AHEAD = 3
Given = TypeVar("Given")
Made = TypeVar("Made")


def map_in_order(work: Callable[[Given], list[Made]], given: Iterable[Given], processes: int = 1) -> Iterator[Made]:
    """What `work` makes of each thing, in order; `work` has to be picklable where there are several processes."""
    if processes < 2:
        for each in given:
            yield from work(each)
        return
    waiting: deque[Future[list[Made]]] = deque()
    pool = ProcessPoolExecutor(processes, get_context("spawn"), initializer=_leave_interrupts)
    try:
        rest = iter(given)
        while batch := list(islice(rest, _BATCH)):
            waiting.append(pool.submit(_work_on, work, batch))
            if len(waiting) > processes * _AHEAD:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool as error:
        raise VeritabError(
            "a worker process died, which happens when memory runs out; try fewer --processes"
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _work_on(work: Callable[[Given], list[Made]], batch: list[Given]) -> list[Made]:
    return [made for each in batch for made in work(each)]
