"""Blocking work runs in a few threads, behind a queue of limited length; what nobody waits for any longer ends.

Every client has its share: it may hold three quarters of the slots, and clients take turns at the workers, so that one
that asks for much does not keep the others waiting.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Any, Literal, NamedTuple, ParamSpec, Self, TypeVar

from veritab.cancel import cancelled_by
from veritab.retrieve.index import give_back_memory
from veritab.web.problems import RequestRefused

P = ParamSpec("P")
T = TypeVar("T")

client: ContextVar[str] = ContextVar("client", default="")
"""Whose request is answered: a key, or an address. Set by `guards`; what goes on after the answer has the same."""
_LONGEST_RETRY = 60
# A request whose turn would come later than this share of its time is sent away at once rather than at the end of it.
_PATIENCE = 1 / 3
_LEARNING = 0.2
_LEFT_FOR_OTHERS = 4
_SECONDS_BEFORE_TIDYING = 1.0


def share_of(places: int) -> int:
    """How many of some places one client may hold: all but a quarter."""
    return places - places // _LEFT_FOR_OTHERS


class WorkerSlot:
    """The right of one request to have work done, until it leaves."""

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave: Callable[[], None] | None = leave

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.leave()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.leave()

    def leave(self) -> None:
        """Make room for another; a second time changes nothing."""
        leave, self._leave = self._leave, None
        if leave:
            leave()


class _Job(NamedTuple):
    future: Future[Any]
    call: Callable[[], Any]


class Workers:
    """Threads that take jobs: those of one client in the order they come, clients by turns.

    A request first takes a slot (`admit`), of which there are as many as workers and waiting room together; it then has
    one job done after another (`work`). So the queue is never longer than there are slots, and a long stream does not
    keep others out: its next claim queues again. `run` is both for a request of one job.
    """

    def __init__(self, count: int, queue: int, seconds: float = 30.0) -> None:
        self.count = count
        self.places = count + queue
        self.seconds = seconds
        self._jobs: dict[str, deque[_Job]] = {}
        """By client; the one whose turn it is comes first."""
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._held: Counter[str] = Counter()
        self._begun: dict[Future[Any], float] = {}
        self._usual_seconds: float | None = None
        self._untidy = False
        self._closing = False
        self._stopped = False

    # -- from the event loop

    def admit(self) -> WorkerSlot:
        """A slot for one request; refused at once where none is free, or where the server is stopping."""
        own = client.get()
        if self._closing:
            raise _stopping()
        if self._held[own] >= share_of(self.places):
            raise self._overloaded("too much of your work is waiting")
        if self.taken >= self.places or (self.taken >= self.count and self._wait > self.seconds * _PATIENCE):
            raise self._overloaded()
        self._held[own] += 1
        return WorkerSlot(lambda: self._leave(own))

    def _leave(self, own: str) -> None:
        self._held[own] -= 1
        if not self._held[own]:
            del self._held[own]

    async def work(self, seconds: float, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """One job of a request that has a slot: it must begin within `seconds`, and then end within as many.

        When its time is up, or nobody awaits it any longer, it is cancelled, in the queue or at its work.
        """
        future: Future[T] = Future()
        begun = asyncio.Event()
        called_off = threading.Event()
        loop = asyncio.get_running_loop()

        def job() -> T:
            loop.call_soon_threadsafe(begun.set)
            with cancelled_by(called_off):
                return function(*args, **kwargs)

        self._add(_Job(future, job))
        answer = asyncio.wrap_future(future)
        answer.add_done_callback(lambda _: begun.set())
        try:
            if not await _in_time(begun.wait(), seconds):
                raise self._overloaded()
            # Not `wait_for`, which before Python 3.12 forgets that it was called off when the answer comes meanwhile.
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError:
            raise RequestRefused(504, "the answer took too long; ask for less at a time, or again later") from None
        finally:
            called_off.set()
            answer.cancel()
            self._forget(future)

    def _add(self, job: _Job) -> None:
        with self._changed:
            if self._stopped:
                raise _stopping()
            self._start_threads()
            self._jobs.setdefault(client.get(), deque()).append(job)
            self._changed.notify()

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """One job as a request of its own."""
        with self.admit():
            return await self.work(self.seconds, function, *args, **kwargs)

    def _forget(self, future: Future[Any]) -> None:
        """Take a job that is no longer awaited out of the queue."""
        if future.done() and not future.cancelled():
            return
        with self._changed:
            kept = {own: deque(job for job in jobs if job.future is not future) for own, jobs in self._jobs.items()}
            self._jobs = {own: jobs for own, jobs in kept.items() if jobs}

    def _start_threads(self) -> None:
        """Threads begin with the first job, so that an application that is only looked at has none."""
        while len(self._threads) < self.count:
            name = f"veritab-worker-{len(self._threads)}"
            self._threads.append(threading.Thread(target=self._take_jobs, name=name, daemon=True))
            self._threads[-1].start()

    # -- the queue

    @property
    def waiting(self) -> int:
        with self._changed:
            return sum(map(len, self._jobs.values()))

    @property
    def running(self) -> int:
        return len(self._begun)

    @property
    def taken(self) -> int:
        return self._held.total()

    @property
    def is_closing(self) -> bool:
        return self._closing

    @property
    def _wait(self) -> float:
        """The seconds that a request which comes now should have to wait; those at work show when jobs get longer.

        Clients take turns: before the next job of one, as many of every other are done, as far as they have so many.
        """
        with self._changed:
            longest = max((time.monotonic() - begun for begun in self._begun.values()), default=0.0)
        own = self._held[client.get()]
        ahead = own + sum(min(own + 1, held) for name, held in self._held.items() if name != client.get())
        return ahead * max(self._usual_seconds or 0.0, longest) / self.count

    def _overloaded(self, why: str = "too much work is waiting") -> RequestRefused:
        wait = max(1, min(_LONGEST_RETRY, math.ceil(self._wait)))
        return RequestRefused(503, f"{why}; try again in {wait} s", retry_after=str(wait))

    # -- the end

    def open(self) -> None:
        """Begin, or begin again after a close."""
        with self._changed:
            self._threads = [thread for thread in self._threads if not self._stopped]
            self._closing = self._stopped = False

    def refuse(self) -> None:
        """Take no new requests; what has a slot goes on."""
        self._closing = True

    def close(self, seconds: float = 5.0) -> bool:
        """Stop when the jobs at hand are done; whether all were done in time."""
        self._closing = True
        with self._changed:
            self._stopped = True
            for jobs in self._jobs.values():
                for job in jobs:
                    job.future.cancel()
            self._jobs.clear()
            self._changed.notify_all()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    # -- in the threads

    def _take_jobs(self) -> None:
        while job := self._next():
            if job.future.set_running_or_notify_cancel():
                self._run(job)
            del job  # what a job holds may be large, and the next may be long in coming

    def _run(self, job: _Job) -> None:
        with self._changed:
            self._begun[job.future] = time.monotonic()
        try:
            job.future.set_result(job.call())
        except BaseException as error:
            job.future.set_exception(error)
        finally:
            with self._changed:
                took = time.monotonic() - self._begun.pop(job.future)
                usual = took if self._usual_seconds is None else self._usual_seconds
                self._usual_seconds = usual + _LEARNING * (took - usual)

    def _next(self) -> _Job | None:
        while True:
            with self._changed:
                if not self._jobs and not self._stopped:
                    self._changed.wait(_SECONDS_BEFORE_TIDYING if self._untidy else None)
                if self._jobs:
                    return self._take()
                if self._stopped:
                    return None
                untidy, self._untidy = self._untidy, False
            if untidy:
                give_back_memory()  # a large request leaves much of it free

    def _take(self) -> _Job:
        own, jobs = next(iter(self._jobs.items()))
        del self._jobs[own]
        job = jobs.popleft()
        if jobs:  # whose turn it was waits until all others have had theirs
            self._jobs[own] = jobs
        self._untidy = True
        return job


async def _in_time(event: Coroutine[Any, Any, Literal[True]], seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await event
    except TimeoutError:
        return False


def _stopping() -> RequestRefused:
    return RequestRefused(503, "the server is stopping; try another one, or again later", retry_after="5")
