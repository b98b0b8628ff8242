"""Shards searched apart, in threads or where they are held, with what one searcher over all of them finds.

Each group of shards gives the pages of its best entries, weighed by how many entries of the whole corpus have a word,
and the most that any other of its entries may score. The index over all shards scores the entries of those pages, and
groups that may have more are asked for more. What is left between a group's score and the true one is the average
length of a field: by BM25 a word's score grows no faster than that average, so the ratio of the averages bounds it.

It pays for large corpora only: with 1.4 million texts in four shards on two cores, one searcher takes about half the
time, because few entries are left to search in and each of the two steps has its own cost.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from math import isqrt
from pathlib import Path
from typing import Protocol, TypeAlias

from veritab.corpus.missing import is_missing, lose_shard
from veritab.errors import StoreError
from veritab.retrieve.sparse import SUB_INDEXES, Clause, ShardAnswer, ShardQuery, SparseHit, SparseIndex, SubIndex
from veritab.schema import Kind

# Scores are 32-bit numbers, rounded.
_DOUBT = 1 + 1e-5
_DEEPER = 4


class ShardSearcher(Protocol):
    """Searches groups of shards, each by itself."""

    @property
    def groups(self) -> Sequence[Sequence[str]]:
        """The names of the shards that are searched together, group by group."""
        ...

    def search(self, queries: Mapping[int, ShardQuery]) -> Mapping[int, ShardAnswer | Exception]:
        """What groups answer, by their numbers, or why one does not."""
        ...

    def refresh(self) -> None:
        """See what was written since."""
        ...

    def close(self) -> None: ...


OpenSearcher: TypeAlias = Callable[[Sequence[Path]], ShardSearcher]
"""What searches the shards whose indexes are in some folders."""


class DividedIndex(SparseIndex):
    """A sub-index whose shards are searched apart; what concerns few pages is asked of all together."""

    def __init__(self, folder: Path, sub_index: SubIndex, shards: Sequence[Path], searcher: ShardSearcher) -> None:
        super().__init__(folder, sub_index, shards)
        self._apart = searcher

    def _search(
        self, clauses: Sequence[Clause], k: int, pages: Iterable[int] | None, kinds: Iterable[Kind] | None
    ) -> list[SparseHit]:
        if pages is not None or k < 1:
            return super()._search(clauses, k, pages, kinds)
        only = None if kinds is None else tuple(kinds)
        statistics = self.statistics(clauses)
        groups = self._apart.groups
        share = -(-k // len(groups))
        depth = share + 3 * isqrt(share) + 2
        answers: dict[int, ShardAnswer] = {}
        asked = [number for number, names in enumerate(groups) if not any(map(is_missing, names))]
        hits: list[SparseHit] = []
        while asked:
            query = ShardQuery(self.sub_index.name, tuple(clauses), only, statistics, depth)
            for number, answer in self._apart.search(dict.fromkeys(asked, query)).items():
                if isinstance(answer, ShardAnswer):
                    answers[number] = answer
                    continue
                answers.pop(number, None)
                for name in groups[number]:
                    lose_shard(name, answer)
            found = {page for answer in answers.values() for page in answer.pages}
            hits = super()._search(clauses, k, found, only)
            least = hits[k - 1].score if len(hits) >= k else 0.0
            asked = [number for number, answer in answers.items() if answer.most and answer.most * _DOUBT >= least]
            depth *= _DEEPER
        return hits


class ThreadSearcher:
    """Searches shards in threads of this process; one that takes too long is waited for no longer."""

    def __init__(self, folders: Sequence[Path], seconds: float, threads: int = 0) -> None:
        """`folders` are the indexes of the shards; there are as many threads as cores unless they are told."""
        threads = threads or os.cpu_count() or 1
        parts = [folders[first::threads] for first in range(min(threads, len(folders)))]
        self.groups = [[folder.parent.name for folder in part] for part in parts]
        self._seconds = seconds
        self._indexes = [{each.name: SparseIndex(part[0], each, part) for each in SUB_INDEXES} for part in parts]
        self._pool = ThreadPoolExecutor(len(parts), "veritab-shards")

    def search(self, queries: Mapping[int, ShardQuery]) -> Mapping[int, ShardAnswer | Exception]:
        asked = {
            number: self._pool.submit(self._indexes[number][query.sub_index].best, query)
            for number, query in queries.items()
        }
        wait(asked.values(), self._seconds)
        late = StoreError(f"no answer within {self._seconds:g} s")
        answers: dict[int, ShardAnswer | Exception] = {}
        for number, future in asked.items():
            if not future.done():
                future.cancel()
                answers[number] = late
            else:
                error = future.exception()
                if error is not None and not isinstance(error, StoreError):
                    raise error
                answers[number] = error or future.result()
        return answers

    def refresh(self) -> None:
        for own in self._indexes:
            for index in own.values():
                index.refresh()

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
