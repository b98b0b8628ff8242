"""Work on many things by one process or by many; what comes, and its order, do not depend on how many."""

from __future__ import annotations

import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from veritab.engine import Engine, ThisProcess
from veritab.errors import VeritabError
from veritab.schema import Claim, Element, Verdict
from veritab.settings import Settings

if TYPE_CHECKING:
    from veritab.pipeline import Checker

_BATCH = 32
_AHEAD = 3
Given = TypeVar("Given")
Made = TypeVar("Made")
Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_order(
    work: Callable[[Given], list[Made]], given: Iterable[Given], engine: Engine | None = None
) -> Iterator[Made]:
    """What `work` makes of each thing, in order, here or by an engine, to which it has to travel."""
    if engine is None or isinstance(engine, ThisProcess):
        for each in given:
            yield from work(each)
        return
    for made in engine.map(partial(_work_on, work), in_batches(given, _BATCH)):
        yield from made


def in_batches(given: Iterable[Given], size: int) -> Iterator[list[Given]]:
    """The things in lists of a size."""
    rest = iter(given)
    while batch := list(islice(rest, size)):
        yield batch


def _work_on(work: Callable[[Given], list[Made]], batch: list[Given]) -> list[Made]:
    return [made for each in batch for made in work(each)]


def from_anywhere(path: Path | None) -> Path | None:
    """A path as a process that was started in another folder finds it."""
    return path.absolute() if path else None


# -- several processes -------------------------------------------------------------------------------------


@contextmanager
def open_engine_here(processes: int) -> Iterator[Engine]:
    """This process, or several of this machine."""
    if processes < 2:
        yield ThisProcess()
        return
    with BuildProcesses(processes) as engine:
        yield engine


class BuildProcesses:
    """The engine that is some processes of this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=_leave_interrupts)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """The results in the order of the items, of which a few for each process are under way."""
        waiting: deque[Future[Result]] = deque()
        packed = pickle.dumps(function)
        try:
            for item in items:
                waiting.append(self._pool.submit(_apply, packed, item))
                if len(waiting) > self.workers * _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise VeritabError(
                "a worker process died, which happens when memory runs out; try fewer --processes"
            ) from error


def _apply(packed: bytes, item: Any) -> Any:
    return _load(packed)(item)


@lru_cache(maxsize=8)
def _load(packed: bytes) -> Callable[[Any], Any]:
    """One function for all items, so that what it opens stays open."""
    function: Callable[[Any], Any] = pickle.loads(packed)
    return function


def _leave_interrupts() -> None:
    """Leave Ctrl-C to the parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# -- a checker ---------------------------------------------------------------------------------------------


@dataclass
class TravellingChecker:
    """A checker that goes where the work goes: each process opens it for itself, when it first asks."""

    corpus: Path | None
    settings: Settings
    opened: Checker | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "corpus": from_anywhere(self.corpus), "opened": None}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.opened:
            self.opened.close()

    def open(self) -> Checker:
        """The checker of this process."""
        from veritab.pipeline import Checker

        self.opened = self.opened or Checker.open(self.corpus, self.settings)
        return self.opened

    def check_many(self, claims: Iterable[str | Claim], batch: int | None = None) -> Iterator[Verdict]:
        """Its verdicts on claims."""
        return self.open().check_many(claims, batch)

    def judge(self, pairs: Iterable[tuple[Claim, Sequence[Element]]]) -> list[Verdict]:
        """Its verdicts by given evidence."""
        return self.open().judge(pairs)
