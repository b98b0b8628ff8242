"""Shards searched by the workers that hold them: each keeps the same ones open, as long as it lives.

with open_engine("tcp://scheduler:8786") as engine:
    checker = Checker.open("corpus", apart=search_on(engine))
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from distributed import Client

from veritab.errors import StaleIndex, StoreError, VeritabError
from veritab.retrieve.index import read_note
from veritab.retrieve.shards import OpenSearcher
from veritab.retrieve.sparse import SUB_INDEXES, ShardAnswer, ShardQuery, SparseIndex

if TYPE_CHECKING:
    from veritab.scale.cluster import ClusterEngine

# How often it is looked whether the workers that are waited for still live.
_LOOK_EVERY = 1.0


def search_on(engine: ClusterEngine, seconds: float = 10.0) -> OpenSearcher:
    """What searches the shards of a corpus on the workers of a cluster, which see its folder as this process does."""
    return partial(WorkerSearcher, client=engine.client, seconds=seconds)


class WorkerSearcher:
    """Searches groups of shards on workers; the group of one that died goes to another."""

    def __init__(self, folders: Sequence[Path], client: Client, seconds: float) -> None:
        """`folders` are the indexes of the shards; `seconds` is how long an answer may take."""
        self._client = client
        self._seconds = seconds
        workers = self._living()
        count = min(len(workers), len(folders))
        if not count:
            raise VeritabError("the cluster has no worker to hold the shards; start workers, then run again")
        self._parts = [tuple(each.absolute() for each in folders[first::count]) for first in range(count)]
        self.groups = [[folder.parent.name for folder in part] for part in self._parts]
        self._holders = workers[:count]
        self.refresh()

    def refresh(self) -> None:
        self._states = [tuple(map(_state, part)) for part in self._parts]

    def close(self) -> None:
        """Workers keep what they hold for the next who asks."""

    def search(self, queries: Mapping[int, ShardQuery]) -> Mapping[int, ShardAnswer | Exception]:
        if self._client.status != "running":
            return dict.fromkeys(queries, _connection_lost())
        finished: SimpleQueue[Any] = SimpleQueue()
        asked = {number: self._submit(number, query, finished) for number, query in queries.items()}
        answers: dict[int, ShardAnswer | Exception] = {}
        until = time.monotonic() + self._seconds
        while asked and (left := until - time.monotonic()) > 0:
            try:
                finished.get(timeout=min(left, _LOOK_EVERY))
            except Empty:
                self._replace_dead(asked, queries, finished)
            if self._client.status != "running":
                return answers | dict.fromkeys(asked, _connection_lost())
            for number in [number for number, future in asked.items() if future.done()]:
                answers[number] = _answer_of(asked.pop(number), max(until - time.monotonic(), _LOOK_EVERY))
        for number, future in asked.items():
            future.cancel()
            answers[number] = StoreError(f"{self._holders[number]} gave no answer within {self._seconds:g} s")
        return answers

    def _submit(self, number: int, query: ShardQuery, finished: SimpleQueue[Any]) -> Any:
        future = self._client.submit(
            search_shards,
            self._parts[number],
            self._states[number],
            query,
            workers=[self._holders[number]],
            allow_other_workers=False,
            pure=False,
        )
        future.add_done_callback(finished.put)
        return future

    def _replace_dead(
        self, asked: dict[int, Any], queries: Mapping[int, ShardQuery], finished: SimpleQueue[Any]
    ) -> None:
        """Give what dead workers held to others."""
        living = self._living()
        for number, future in asked.items():
            if living and not future.done() and self._holders[number] not in living:
                self._holders[number] = living[number % len(living)]
                future.cancel()
                asked[number] = self._submit(number, queries[number], finished)

    def _living(self) -> list[str]:
        return sorted(self._client.scheduler_info(n_workers=-1).get("workers", ()))  # none of a scheduler that is gone


def _state(folder: Path) -> tuple[str, int]:
    note = read_note(folder)
    return (note["corpus"], note["revision"]) if note else ("", 0)


def _connection_lost() -> StoreError:
    return StoreError("the connection to the scheduler was lost; open the corpus again on a cluster that is there")


def _answer_of(future: Any, seconds: float) -> ShardAnswer | Exception:
    """What a task came to; its answer may be lost with its worker on the way."""
    try:
        answer: ShardAnswer = future.result(timeout=seconds)
        return answer
    except StoreError as error:
        return error
    except Exception as error:  # whatever ended it, the other shards go on
        return StoreError(f"its worker: {type(error).__name__}: {error}")


# -- on a worker -------------------------------------------------------------------------------------------

# Workers outlive commands; what they hold keeps files open and mapped, also of corpora that nobody asks any more.
_MOST_HELD = 8
_held: dict[tuple[Path, ...], tuple[tuple[tuple[str, int], ...], dict[str, SparseIndex]]] = {}


def search_shards(folders: tuple[Path, ...], states: tuple[tuple[str, int], ...], query: ShardQuery) -> ShardAnswer:
    """The answer of some shards, which stay open for the next query."""
    held = _held.get(folders)
    if held is None or held[0] != states:
        if tuple(map(_state, folders)) != states:
            raise StaleIndex(f"the index in {str(folders[0])!r} is in another state on a worker; open the corpus again")
        indexes = {each.name: SparseIndex(folders[0], each, folders) for each in SUB_INDEXES}
        _held.pop(folders, None)
        while len(_held) >= _MOST_HELD:
            del _held[next(iter(_held))]
        held = _held[folders] = (states, indexes)
    return held[1][query.sub_index].best(query)
