"""Whether shards find what one index finds, and how fast: `python -m benchmarks.shard_search CORPUS SHARDED...`.

The corpora hold the same pages, the first in one file, the others in shards. Sentences of random pages are the queries.
Every sub-index is asked together and apart, in as many threads as there are cores; results are compared entry by entry,
pages by their titles, scores to a millionth. Prints a table, writes nothing.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from veritab.retrieve.index import Index, open_index
from veritab.retrieve.shards import ThreadSearcher
from veritab.retrieve.sparse import SparseHit

_FIELDS = {
    "pages": ({"title": 1.5, "body": 1.0}, 60),
    "texts": ({"title": 0.5, "body": 1.0}, 100),
    "tables": ({"title": 1.0, "section": 0.5, "headers": 0.7, "body": 1.0}, 20),
}
_TOLERANCE = 1e-6
_LONGEST = 200


class Answer(NamedTuple):
    """What a query found, each entry by the title of its page and its place there, and how long it took."""

    entries: list[tuple[str, str]]
    scores: list[float]
    seconds: float


def ask(index: Index, name: str, query: str) -> Answer:
    fields, k = _FIELDS[name]
    started = time.perf_counter()
    hits: list[SparseHit] = getattr(index, name).search(query, fields, k)
    seconds = time.perf_counter() - started
    titles = index.store.titles_by_number(hit.page for hit in hits)
    return Answer([(titles[hit.page], str(hit.place)) for hit in hits], [hit.score for hit in hits], seconds)


def queries(index: Index, count: int) -> list[str]:
    """The beginnings of random texts of random pages."""
    chance = random.Random(1)
    titles = chance.sample(list(index.store.titles()), min(count, len(index.store)))
    texts = ([text for text, _ in index.store.page(title).texts() if len(text) > 20] for title in titles)
    return [chance.choice(some)[:_LONGEST] for some in texts if some]


def differs(one: Answer, other: Answer) -> bool:
    pairs = zip(one.scores, other.scores, strict=False)
    return one.entries != other.entries or any(abs(a - b) > _TOLERANCE * abs(a) for a, b in pairs)


def milliseconds(answers: Sequence[Answer]) -> str:
    times = sorted(1000 * answer.seconds for answer in answers)
    return f"{statistics.median(times):.2f} / {times[int(0.99 * (len(times) - 1))]:.2f}"


def compare(plain: Index, sharded: Iterable[Path], count: int) -> None:
    asked = queries(plain, count)
    expected = {name: [ask(plain, name, query) for query in asked] for name in _FIELDS}
    print(f"{len(asked)} queries; p50 / p99 in ms\n")
    print(f"{'corpus':<24} {'how':<9} {'different':>9}  " + "  ".join(f"{name:>15}" for name in _FIELDS))
    print(f"{'one file':<24} {'':<9} {'':>9}  " + "  ".join(f"{milliseconds(each):>15}" for each in expected.values()))
    for folder in sharded:
        for how, apart in (("together", None), ("apart", partial(ThreadSearcher, seconds=60))):
            with open_index(folder, apart) as index, closing(index.store):
                found = {name: [ask(index, name, query) for query in asked] for name in _FIELDS}
            wrong = sum(map(differs, chain(*expected.values()), chain(*found.values())))
            times = "  ".join(f"{milliseconds(each):>15}" for each in found.values())
            print(f"{folder.name:<24} {how:<9} {wrong:>9}  {times}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Whether shards find what one index finds, and how fast.")
    parser.add_argument("corpus", type=Path, help="the corpus in one file")
    parser.add_argument("sharded", type=Path, nargs="+", help="the same corpus in shards")
    parser.add_argument("--queries", type=int, default=1000)
    options = parser.parse_args()
    with open_index(options.corpus) as plain, closing(plain.store):
        compare(plain, options.sharded, options.queries)


if __name__ == "__main__":
    main()
