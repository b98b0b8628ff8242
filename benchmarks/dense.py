"""What dense retrieval costs: `python -m benchmarks.dense ENCODER` prints it and writes results/dense.md.

ENCODER is a folder that `veritab.models.encoder.Encoder` opens; it is tried on the almanac. Searching is
measured on random vectors that lie in groups, with one thread; readers run in processes of their own, so that the
memory told is theirs.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpus import run
from benchmarks.report import Report
from veritab.corpus.almanac import open_almanac
from veritab.models.encoder import Encoder
from veritab.retrieve.dense.retriever import DenseUnit, entries
from veritab.retrieve.dense.vectors import VectorIndex

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "dense.md"
DIMENSION = 384
FEW, MANY = 50_000, 200_000
QUERIES = 200
REPEATS = 3
ENCODING = "Encoding"
INDEX = "The index"
_GROUPS = MANY // 50


# -- encoding ----------------------------------------------------------------------------------------------


def encoding(report: Report, folder: Path) -> None:
    with open_almanac() as store:
        found = (text for page in store.pages() for text in entries(page, DenseUnit.ELEMENTS).values())
        texts = list(islice(found, 1000))
    words = statistics.mean(len(text.split()) for text in texts)
    report.note(ENCODING, f"{folder.name}: {len(texts):,} elements of the almanac, {words:.0f} words on average")
    for threads in (1, 2):
        encoder = Encoder.open(folder, threads=threads)
        encoder.encode(texts[:32])
        seconds = min(_timed(partial(encoder.encode, texts)) for _ in range(REPEATS))
        one = statistics.median(_timed(partial(encoder.encode, [text], query=True)) for text in texts[:50])
        report.note(
            ENCODING,
            f"{threads} thread{'s' * (threads > 1)}: {seconds:.1f} s, {len(texts) / seconds:.0f} texts a second; "
            f"one alone {one * 1000:.1f} ms",
        )
    alone = np.concatenate([encoder.encode([text]) for text in texts[:100]])
    apart = float(np.abs(encoder.encode(texts)[:100] - alone).max())
    report.promise(
        "a text's vector alone and among others, largest difference", f"{apart:.0e}", "< 1e-5", kept=apart < 1e-5
    )


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


# -- searching ---------------------------------------------------------------------------------------------

_READER = """
import os, statistics, sys, time
# Two threads that share their cores with others wait for each other most of the time.
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
import numpy as np
from veritab.retrieve.dense.vectors import VectorIndex
def memory(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name)) / 1024
queries = np.load(sys.argv[2])
started = time.perf_counter()
index = VectorIndex.open(sys.argv[1], encoder="e")
opened = time.perf_counter() - started
times = []
for query in queries:
    started = time.perf_counter()
    index.search(query[None], 10, exact=sys.argv[3] == "exact")
    times.append(time.perf_counter() - started)
started = time.perf_counter()
index.search(queries, 10, exact=sys.argv[3] == "exact")
batch = (time.perf_counter() - started) / len(queries)
print(opened * 1000, statistics.median(times) * 1000, batch * 1000, memory("RssAnon"), memory("RssFile"))
"""


def clustered(count: int, seed: int) -> Iterator[Any]:
    """Vectors of unit length in groups of about fifty, ten thousand at a time."""
    centres = np.random.default_rng(0).normal(size=(_GROUPS, DIMENSION)).astype(np.float32)
    rng = np.random.default_rng(seed)
    for start in range(0, count, 10_000):
        size = min(10_000, count - start)
        vectors = centres[rng.integers(0, _GROUPS, size)] + 0.6 * rng.normal(size=(size, DIMENSION)).astype(np.float32)
        yield vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def fill(folder: Path, count: int) -> float:
    """Seconds to make an index of that many vectors."""
    started = time.perf_counter()
    with VectorIndex.create(folder, encoder="e", dimension=DIMENSION, exact_below=FEW) as index:
        row = 0
        for vectors in clustered(count, seed=1):
            index.add(
                [f"Page {number // 20}_sentence_{number % 20}" for number in range(row, row + len(vectors))], vectors
            )
            row += len(vectors)
            index.commit()
        index.settle()
    return time.perf_counter() - started


def read(report: Report, folder: Path, queries: Path, how: str) -> float:
    """The median milliseconds of one query, in a process of its own."""
    opened, one, batch, own, mapped = run(_READER, folder, queries, how)
    report.note(
        INDEX,
        f"{how}: opens in {opened:.0f} ms; one query {one:.2f} ms, {QUERIES} at once {batch:.2f} ms each; "
        f"{own:.0f} MB of its own, {mapped:.0f} MB of mapped files and libraries",
    )
    return one


def recall(found: list[list[str]], wanted: list[list[str]]) -> float:
    return sum(len(set(one) & set(other)) for one, other in zip(found, wanted, strict=True)) / sum(map(len, wanted))


def keys(index: VectorIndex, queries: Any, **options: bool) -> list[list[str]]:
    return [[match.key for match in matches] for matches in index.search(queries, 10, **options)]


def in_floats(queries: Any) -> list[list[str]]:
    """The nearest of the few, with nothing rounded."""
    scores = queries @ np.concatenate(list(clustered(FEW, seed=1))).T
    best = np.argsort(-scores, axis=1)[:, :10]
    return [[f"Page {row // 20}_sentence_{row % 20}" for row in rows] for rows in best.tolist()]


def searching(report: Report, work: Path) -> None:
    queries = next(clustered(QUERIES, seed=2))
    np.save(work / "queries.npy", queries)
    times = {}
    for count in (FEW, MANY):
        folder = work / str(count)
        seconds = fill(folder, count)
        sizes = {path.suffix: path.stat().st_size / 2**20 for path in sorted(folder.iterdir()) if path.stat().st_size}
        files = ", ".join(f"{size:.0f} MB {suffix}" for suffix, size in sizes.items() if size >= 1)
        report.note(INDEX, f"{count:,} x {DIMENSION}: made in {seconds:.0f} s; on disk {files}")
        times[count, "exact"] = read(report, folder, work / "queries.npy", "exact")
    times[MANY, "graph"] = read(report, work / str(MANY), work / "queries.npy", "graph")
    with VectorIndex.open(work / str(FEW), encoder="e") as few, VectorIndex.open(work / str(MANY), encoder="e") as many:
        rounded = recall(keys(few, queries), in_floats(queries))
        approximate = recall(keys(many, queries), keys(many, queries, exact=True))
    report.promise("recall at 10 of eight bits against floats", f"{rounded:.3f}", "≥ .95", kept=rounded >= 0.95)
    report.promise("recall at 10 of the graph against exact", f"{approximate:.3f}", "≥ .95", kept=approximate >= 0.95)
    exact, graph = times[FEW, "exact"], times[MANY, "graph"]
    report.promise(f"one query, {FEW:,} vectors, exact", f"{exact:.1f} ms", "< 100 ms", kept=exact < 100)
    report.promise(f"one query, {MANY:,} vectors, graph", f"{graph:.1f} ms", "< 10 ms", kept=graph < 10)
    gain = times[MANY, "exact"] / graph
    report.promise(f"exact / graph, {MANY:,} vectors", f"{gain:.0f}", "≥ 5", kept=gain >= 5)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.dense ENCODER")
    report = Report("Dense retrieval, measured", "python -m benchmarks.dense ENCODER")
    encoding(report, Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        searching(report, Path(folder))
    report.write(RESULTS)


if __name__ == "__main__":
    main()
