"""Items become tasks, tasks become results in the order of the items, whatever happens to workers."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from distributed import CancelledError
from distributed.scheduler import KilledWorker

from veritab.errors import InputError, VeritabError, short_repr
from veritab.scale.working import TaskOutcome, run_task

if TYPE_CHECKING:
    from veritab.scale.cluster import ClusterEngine

Item = TypeVar("Item")
Result = TypeVar("Result")

_AHEAD = 3
"""Tasks under way for each worker: one at work, the next one there, and one to come."""
_HELD = 16
"""Items for each worker that are begun and not yet given back, because an earlier one takes longer."""
_ALONE = 3
"""How many workers must die of an item that is alone at work before it is given up."""
_TRIES = 20
"""How often an item is done again for reasons that are not its own."""
_RESULT_WITHIN = 60.0


@dataclass(eq=False)
class _Task:
    """An item on its way, packed until there is a result, and what has happened to it."""

    packed: bytes
    future: Any = None
    workers: frozenset[str] = frozenset()
    """The only ones that may do it, where some were refused."""
    outcome: TaskOutcome | None = None
    died_alone: int = 0
    tries: int = 0


def map_tasks(
    engine: ClusterEngine,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    lost: Callable[[Item, str], Result] | None,
) -> Iterator[Result]:
    """The results in order.

    A worker that dies takes the tasks that wait behind the one at work into suspicion too. So suspects are done again
    one at a time, with nothing else at work: what workers die of then is the item itself.
    """
    work = _Mapping(engine, function)
    rest = iter(items)
    waiting: deque[_Task] = deque()
    more = True
    try:
        while True:
            while waiting and waiting[0].outcome is not None:
                yield _result(waiting.popleft(), lost)
            if more and work.has_room(len(waiting)):
                for item in rest:
                    waiting.append(work.begin(item))
                    break
                else:
                    more = False
                continue
            if not waiting:
                return
            work.await_one()
    finally:
        work.release()


class _Mapping:
    """The tasks of one map that are under way, and those suspected of killing workers."""

    def __init__(self, engine: ClusterEngine, function: Callable[[Any], Any]) -> None:
        self._engine = engine
        self._function = _pack(function, "the function")
        self._name = _name(function)
        self._terms = engine.terms
        self._under_way: dict[str, _Task] = {}
        self._suspects: deque[_Task] = deque()
        self._finished: SimpleQueue[Any] = SimpleQueue()
        engine.note_life()

    def has_room(self, waiting: int) -> bool:
        """Whether another item may begin."""
        if self._suspects:
            return False
        workers = self._engine.standing.workers
        return len(self._under_way) < workers * _AHEAD and waiting < workers * _HELD

    def begin(self, item: Item) -> _Task:
        """Send an item on its way."""
        task = _Task(_pack(item, "an item"))
        self._submit(task)
        return task

    def await_one(self) -> None:
        """Wait until a task has ended, well or badly; raise once none can end any more."""
        if not self._under_way and self._suspects:
            self._submit(self._suspects[0])
        while True:
            try:
                future = self._finished.get(timeout=1.0)
            except Empty:
                self._engine.watch()
                if self._take_back():
                    return
                continue
            self._engine.note_life()
            task = self._under_way.get(future.key)
            if task is not None and task.future is future:  # and not one that was given up meanwhile
                self._settle(task)
                return

    def release(self) -> None:
        """Give up what is under way; workers stop soon, where their work asks whether to go on."""
        for task in self._under_way.values():
            task.future.release()
        self._under_way.clear()
        self._engine.standing.under_way = 0

    def _submit(self, task: _Task) -> None:
        task.workers = self._engine.chosen()
        future = self._engine.submit(
            run_task, self._terms, self._function, task.packed, name=self._name, workers=task.workers
        )
        task.future = future
        self._under_way[future.key] = task
        self._engine.standing.under_way = len(self._under_way)
        future.add_done_callback(self._finished.put)

    def _take_back(self) -> bool:
        """Take back what nobody can do any more, as all its workers are gone; whether there is any."""
        bound = [task for task in self._under_way.values() if task.workers]
        there = self._engine.there() if bound else frozenset()
        gone = [task for task in bound if task.workers.isdisjoint(there)]
        for task in gone:
            self._drop(task)
            self._suspect(task, 1, ", ".join(sorted(task.workers)))
        return bool(gone)

    def _settle(self, task: _Task) -> None:
        future = task.future
        status = future.status
        if status == "finished":
            self._fetch(task)
            return
        error = future.exception(timeout=_RESULT_WITHIN) if status == "error" else None
        self._drop(task)
        if error is not None:
            if isinstance(error, KilledWorker):
                self._suspect_by(task, error)
                return
            # A worker that has no such function, most likely because its Veritab is another one.
            differing = self._engine.inspect()
            for address, why in differing.items():
                self._engine.refuse(address, why)
            if not differing:
                raise VeritabError(f"a worker cannot run {self._name}: {type(error).__name__}: {error}") from error
        else:  # cancelled: the scheduler is gone, or somebody had it start its workers anew
            self._engine.watch()
        self._again(task)

    def _fetch(self, task: _Task) -> None:
        """Get what a task came to; it may be lost with its worker on the way, and is then done again."""
        try:
            outcome: TaskOutcome = task.future.result(timeout=_RESULT_WITHIN)
        except (OSError, CancelledError):  # also when it takes too long
            self._engine.watch()
            self._drop(task)
            self._again(task)
            return
        except KilledWorker as error:
            self._drop(task)
            self._suspect_by(task, error)
            return
        self._drop(task)
        if outcome.refused:
            self._engine.refuse(outcome.worker, outcome.refused)
            self._again(task)
            return
        if task in self._suspects:
            self._suspects.remove(task)
        task.outcome, task.packed = outcome, b""

    def _suspect_by(self, task: _Task, error: KilledWorker) -> None:
        self._suspect(task, error.allowed_failures + 1, error.last_worker.address)

    def _suspect(self, task: _Task, deaths: int, last: str) -> None:
        if task not in self._suspects:
            self._suspects.append(task)
            return
        task.died_alone += deaths
        if task.died_alone >= _ALONE:
            self._suspects.remove(task)
            why = f"{task.died_alone} workers died of it, one after the other, while it alone was at work (last {last})"
            task.outcome = TaskOutcome(refused=why)

    def _again(self, task: _Task) -> None:
        task.tries += 1
        if task.tries > _TRIES:
            raise VeritabError(f"{self._name} was begun {task.tries} times and never finished; look at the dashboard")
        if task not in self._suspects:
            self._submit(task)

    def _drop(self, task: _Task) -> None:
        self._under_way.pop(task.future.key, None)
        task.future.release()
        self._engine.standing.under_way = len(self._under_way)


def _result(task: _Task, lost: Callable[[Item, str], Result] | None) -> Result:
    outcome = task.outcome
    assert outcome is not None
    if outcome.error is not None:
        raise outcome.error
    if outcome.result is not None:
        result: Result = pickle.loads(outcome.result)
        return result
    item: Item = pickle.loads(task.packed)
    if lost is None:
        raise VeritabError(f"the work was given up at one item: {outcome.refused}; the item is {short_repr(item)}")
    return lost(item, outcome.refused)


def _pack(value: object, what: str) -> bytes:
    try:
        return pickle.dumps(value, protocol=5)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise InputError(f"{what} cannot travel to a worker: {error}") from error


def _name(function: Callable[[Any], Any]) -> str:
    while isinstance(function, partial):
        function = function.func
    return getattr(function, "__name__", type(function).__name__)
