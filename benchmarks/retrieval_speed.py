"""How fast words find pages: `python -m benchmarks.retrieval_speed CORPUS` writes results/retrieval_speed.md.

Veritab's own index, DrQA's hashed TF-IDF (scipy), bm25s and SQLite FTS5 take turns in one run: on corpus R and on
generated passages of several sizes. Every build and every round of queries is a process of its own, so that the memory
told is its own; documents come to it through a pipe from yet another one. CORPUS is made when it is not there.
`--quick` is a smoke run that needs no data.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import multiprocessing
import os
import shutil
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

import numpy as np

import veritab
from benchmarks.corpus_r import DATA, records
from benchmarks.corpus_r import build as build_corpus_r
from benchmarks.engines import (
    ENGINES,
    Corpus,
    Document,
    Generated,
    Generator,
    Source,
    Veritab,
    count_words,
    without_stop_words,
)
from benchmarks.report import Report
from veritab.corpus.feverous import page_to_json
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import FILE, Store
from veritab.retrieve import open_retriever
from veritab.retrieve.index import FOLDER, Index, build_index
from veritab.retrieve.sparse import LocalId, SparseHit
from veritab.schema import Claim, Page, Passage

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "retrieval_speed.md"
SIZES = (100_000, 300_000, 1_000_000)
QUICK_SIZES = (2_500, 5_000)
KS = (5, 100)
CLAIMS = 500
QUERIES = 300
REPEATS = 2
"""Queries are asked in so many processes; the quieter one counts, the difference is the noise."""
PATIENCE = 10.0
"""A round of queries ends after so many seconds, once it has asked a few."""
GROWTH = "Growth"
NOISE = "How to read this"
INCREMENTAL = "One thousand pages more"
BEYOND = "Beyond corpus R"

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


# -- in processes of their own -----------------------------------------------------------------------------


def apart(work: Callable[Parameters, Result], *arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
    """What a function returns, called in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments, **options).result()


def memory(name: str = "VmHWM") -> float:
    """Megabytes this process holds, or held at its highest."""
    with Path("/proc/self/status").open() as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith(name)) / 1024


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


def feed(source: Source, connection: Connection) -> None:
    """Send the documents of a source, many at a time, and nothing at the end."""
    documents = source.documents()
    while batch := list(islice(documents, 500)):
        connection.send(batch)
    connection.send([])


def received(source: Source) -> Iterator[Document]:
    """The documents of a source, read or made by another process, so that neither time nor memory is ours."""
    context = multiprocessing.get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=feed, args=(source, sending))
    process.start()
    sending.close()
    while batch := receiving.recv():
        yield from batch
    process.join()


class Built(NamedTuple):
    """What a build took: seconds, seconds of processor time, megabytes on disk and at most in memory."""

    seconds: float
    cpu: float
    disk: float
    peak: float


def build(engine: str, source: Source, folder: Path) -> Built:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    documents = received(source)
    first = next(documents)  # the other process is ready
    started, cpu = time.perf_counter(), time.process_time()
    ENGINES[engine].build(folder, _chained(first, documents))
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    return Built(seconds, cpu, megabytes(folder), memory())


def _chained(first: Document, rest: Iterator[Document]) -> Iterator[Document]:
    yield first
    yield from rest


class Round(NamedTuple):
    """How long queries took, in milliseconds: the median, the slowest of a hundred, all of them together."""

    asked: int
    median: float
    slow: float
    wall: float
    cpu: float


class Asked(NamedTuple):
    """What opening and asking took: milliseconds, and megabytes before, at most, and at the end not of files."""

    before: float
    opened: float
    first: float
    rounds: dict[int, Round]
    peak: float
    own: float


def ask(engine: str, folder: Path, queries: list[str]) -> Asked:
    before = memory("VmRSS")
    started = time.perf_counter()
    index = ENGINES[engine].open(folder)
    opened = time.perf_counter()
    index.search(queries[0], KS[0])
    first = time.perf_counter()
    _round(index.search, queries, max(KS), patience=3)
    rounds = {k: _round(index.search, queries, k) for k in KS}
    times = ((opened - started) * 1000, (first - started) * 1000)
    return Asked(before, *times, rounds, memory(), memory("RssAnon"))


def _round(search: Callable[[str, int], object], queries: list[str], k: int, patience: float = PATIENCE) -> Round:
    times: list[float] = []
    started, cpu = time.perf_counter(), time.process_time()
    for query in queries:
        before = time.perf_counter()
        search(query, k)
        times.append((time.perf_counter() - before) * 1000)
        if len(times) >= 20 and time.perf_counter() - started > patience:
            break
    cpu = (time.process_time() - cpu) * 1000 / len(times)
    return Round(len(times), statistics.median(times), statistics.quantiles(times, n=100)[98], sum(times), cpu)


def forget(folder: Path) -> None:
    """Have the system drop what it remembers of files, so that opening them is cold."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


# -- one engine after another ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """Which engines, how often each is asked, and where to put what they build."""

    engines: list[str]
    repeats: int
    work: Path


@dataclass
class Measured:
    """An engine on a source."""

    engine: str
    source: str
    size: int
    built: Built
    asked: Asked
    noise: float
    """How much longer the median query took in the slower process."""


def measure(engine: str, name: str, source: Source, size: int, queries: list[str], plan: Plan) -> Measured:
    """Build an index, ask it, and throw it away."""
    print(f"  {engine} on {name} ...", file=sys.stderr, flush=True)
    folder = plan.work / engine
    built = apart(build, engine, source, folder)
    found = []
    for _ in range(plan.repeats):
        forget(folder)
        found.append(apart(ask, engine, folder, queries))
    shutil.rmtree(folder)
    found.sort(key=lambda asked: asked.rounds[KS[0]].cpu)
    medians = [asked.rounds[KS[0]].median for asked in found]
    return Measured(engine, name, size, built, found[0], max(medians) / min(medians))


def tables(report: Report, found: list[Measured]) -> None:
    for name in dict.fromkeys(one.source for one in found):
        rows: list[tuple[str, ...]] = [
            ("engine", "build CPU-s", "build s", "documents per CPU-s", "disk MB", "build peak MB")
        ]
        for one in found:
            if one.source == name:
                built = one.built
                numbers = (built.cpu, built.seconds, one.size / built.cpu, built.disk, built.peak)
                rows.append((one.engine, *(f"{number:,.0f}" for number in numbers)))
        report.table(f"Building: {name}", rows)
        report.table(f"Searching: {name}", [_SEARCHING, *(_searching(one) for one in found if one.source == name)])


_SEARCHING = (
    *("engine", "cold open ms", "to the first answer ms", "p50 / p99 ms, k=5", "p50 / p99 ms, k=100"),
    *("queries a second, k=5 / 100", "per CPU-second, k=5 / 100", "peak MB", "of these not mapped", "asked"),
)


def _searching(one: Measured) -> tuple[str, ...]:
    asked = one.asked
    rounds = [asked.rounds[k] for k in KS]
    return (
        one.engine,
        f"{asked.opened:,.0f}",
        f"{asked.first:,.0f}",
        *(f"{each.median:.2f} / {each.slow:.1f}" for each in rounds),
        " / ".join(f"{1000 * each.asked / each.wall:,.0f}" for each in rounds),
        " / ".join(f"{1000 / each.cpu:,.0f}" for each in rounds),
        f"{asked.peak:.0f}",
        f"{asked.own:.0f}",
        f"{rounds[0].asked}",
    )


def speed(report: Report, on_pages: list[Measured], on_passages: list[Measured]) -> None:
    """What is wanted of our own index; how long queries may take is said for corpus R alone."""
    for one in (*on_pages, *on_passages):
        if one.engine != "veritab":
            continue
        medians = [one.asked.rounds[k].median for k in KS]
        what, measured = f"sparse p50 at k=5 / 100, {one.source}", " / ".join(f"{each:.2f}" for each in medians) + " ms"
        if one in on_pages:
            report.promise(what, measured, "< 5 ms", kept=max(medians) < 5)
        else:
            report.note(BEYOND, f"{what}: {measured}")
        opened = one.asked.opened / 1000
        report.promise(f"cold open, {one.source}", f"{opened:.3f} s", "< 0.3 s", kept=opened < 0.3)
        peak = one.asked.peak
        report.promise(f"query memory, {one.source}", f"{peak:.0f} MB", "< 300 MB", kept=peak < 300)


def growth(report: Report, found: list[Measured]) -> None:
    """How cost grows with size: the exponent of a power law through what was measured."""
    rows: list[tuple[str, ...]] = [
        ("engine", "sizes", "build CPU", "build peak MB", "query CPU, k=5", "query CPU, k=100", "query p50, k=5")
    ]
    for engine in dict.fromkeys(one.engine for one in found):
        own = [one for one in found if one.engine == engine]
        if len(own) < 2:
            continue
        sizes = [one.size for one in own]
        building = _exponent(sizes, [one.built.cpu for one in own])
        asking = [_exponent(sizes, [one.asked.rounds[k].cpu for one in own]) for k in KS]
        peak = _exponent(sizes, [one.built.peak for one in own])
        median = _exponent(sizes, [one.asked.rounds[KS[0]].median for one in own])
        exponents = (f"{number:.2f}" for number in (building, peak, *asking, median))
        rows.append((engine, ", ".join(f"{size:,}" for size in sizes), *exponents))
        if engine == "veritab":
            report.promise(
                "build CPU grows as size to the power of", f"{building:.2f}", "≤ 1.05", kept=building <= 1.05
            )
            worst = max(asking)
            report.promise("query CPU grows as size to the power of", f"{worst:.2f}", "≤ 0.8", kept=worst <= 0.8)
    report.table(GROWTH, rows)


def _exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(costs), 1)[0])


# -- one thousand pages more -------------------------------------------------------------------------------

_ADDED = 1000
_MARK = "vtbmarkword"
_DEPTH = 10
Rankings = list[list[SparseHit]]


def incremental(report: Report, corpus: Path, folder: Path, vocabulary: Path, claims: list[str]) -> None:
    """Add pages to a copy of an indexed corpus, and compare with an index built afresh."""
    _copy(corpus, folder)
    apart(index_whole, folder)
    before = apart(rankings, folder, claims)
    first = apart(add_pages, folder, vocabulary)
    seconds, cpu, found = apart(update, folder)
    wanted = f"{_ADDED:,} within 1 s"
    measured = f"{found:,} in {seconds:.2f} s (CPU {cpu:.2f} s)"
    report.promise("new pages found after indexing them", measured, wanted, kept=found == _ADDED and seconds < 1)
    after = apart(rankings, folder, claims)
    built, pages = apart(index_whole, folder, rebuild=True)
    anew = apart(rankings, folder, claims)
    same, ties = _agreement(after, anew)
    promise = f"rankings like those of a fresh index, {len(after):,} of pages and sentences"
    report.promise(promise, f"{same:,} and {ties:,} but for ties", "all", kept=same + ties == len(after))
    kept = sum(
        _order(one, first) == _order(other, first)[: len(_order(one, first))] for one, other in _both(after, before)
    )
    report.note(
        INCREMENTAL,
        f"{kept:,} of {len(after):,} rankings (the best {_DEPTH}) have the old pages in the order they had before; "
        "in the others the new pages changed how much a word weighs, in a fresh index too",
    )
    report.note(
        INCREMENTAL,
        f"the whole index (sub-indexes and names) of {pages:,} pages: CPU {built.cpu:.0f} s, {built.seconds:.0f} s, "
        f"{pages / built.cpu:,.0f} pages per CPU-second, {built.disk:.0f} MB, peak {built.peak:.0f} MB",
    )
    forget(folder)
    opened, peak = apart(open_whole, folder)
    report.promise("cold open of the whole index", f"{opened:.3f} s, {peak:.0f} MB", "< 0.3 s", kept=opened < 0.3)


def _copy(corpus: Path, folder: Path) -> None:
    """The corpus and its index, if it has one; SQLite copies its file, so that a writer does no harm."""
    folder.mkdir(parents=True)
    with (
        closing(sqlite3.connect(f"file:{corpus / FILE}?mode=ro", uri=True)) as old,
        closing(sqlite3.connect(folder / FILE)) as new,
    ):
        old.backup(new)
    if (corpus / FOLDER).is_dir():
        shutil.copytree(corpus / FOLDER, folder / FOLDER, ignore=shutil.ignore_patterns("*.lock", "*-shm", "*-wal"))


def index_whole(folder: Path, *, rebuild: bool = False) -> tuple[Built, int]:
    """Build the index of a corpus, or bring it up to date."""
    with Store.create(folder) as store:
        started, cpu = time.perf_counter(), time.process_time()
        for _ in build_index(store, rebuild=rebuild):
            pass
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        return Built(seconds, cpu, megabytes(folder / FOLDER), memory()), len(store)


def add_pages(folder: Path, vocabulary: Path) -> int:
    """Ingest generated pages that share one word; the number of the first."""
    source = folder / "added.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for passage in Generator(vocabulary).passages(_ADDED):
            page = Page(f"{passage.title} added", (Passage(0, f"{_MARK} {passage.text}"),))
            file.write(json.dumps(page_to_json(page), ensure_ascii=False) + "\n")
    with Store.create(folder) as store:
        last = max(number for number, _ in store.digests())
        for _ in Ingest(store, [source]):
            pass
    return last + 1


def update(folder: Path) -> tuple[float, float, int]:
    """Seconds until all new pages are found, of wall and processor time, and how many they are."""
    with Store.create(folder) as store:
        started, cpu = time.perf_counter(), time.process_time()
        for _ in build_index(store):
            pass
        with closing(Index(store)) as index:
            found = index.pages.search(_MARK, {"body": 1.0}, 2 * _ADDED)
        return time.perf_counter() - started, time.process_time() - cpu, len(found)


def rankings(folder: Path, claims: list[str]) -> Rankings:
    """The best pages, then the best sentences, for each claim."""
    with Store.open(folder) as store, closing(Index(store)) as index:
        sub_indexes = (index.pages, index.texts)
        return [sub_index.search(claim, Veritab.WEIGHTS, _DEPTH) for sub_index in sub_indexes for claim in claims]


def _both(one: Rankings, other: Rankings) -> Iterator[tuple[list[SparseHit], list[SparseHit]]]:
    return zip(one, other, strict=True)


def _agreement(one: Rankings, other: Rankings) -> tuple[int, int]:
    """How many rankings are the same, and how many have the same scores in another order of ties."""
    same = ties = 0
    for ours, theirs in _both(one, other):
        if [entry[:2] for entry in ours] == [entry[:2] for entry in theirs]:
            same += 1
        else:
            pairs = zip(ours, theirs, strict=False)
            ties += len(ours) == len(theirs) and all(math.isclose(a.score, b.score, rel_tol=1e-5) for a, b in pairs)
    return same, ties


def _order(ranking: list[SparseHit], new: int) -> list[tuple[int, LocalId]]:
    return [(entry.page, entry.place) for entry in ranking if entry.page < new]


def open_whole(folder: Path) -> tuple[float, float]:
    """Seconds to open a corpus with everything that finds things in it, and the memory after a first search."""
    started = time.perf_counter()
    with Store.open(folder) as store, closing(Index(store)):
        return time.perf_counter() - started, memory()


# -- from claim to elements --------------------------------------------------------------------------------


def full_retrieval(store_folder: Path, claims: list[str]) -> Round:
    """Words, titles and links together, on one core."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    retriever = open_retriever(store_folder)

    def search(text: str, k: int) -> object:
        return retriever.retrieve([Claim("0", text)], k)

    _round(search, claims[:50], KS[0])
    return _round(search, claims, KS[0])


def from_claim_to_elements(report: Report, folder: Path, claims: list[str]) -> None:
    found = apart(full_retrieval, folder, claims)
    measured = f"{found.median:.1f} ms (p99 {found.slow:.0f} ms, CPU {found.cpu:.1f} ms)"
    report.promise("claim to elements on one core, p50", measured, "< 40 ms", kept=found.median < 40)


# -- all of it ---------------------------------------------------------------------------------------------


def fever_claims(count: int) -> list[str]:
    """The first claims of FEVER's development set."""
    return [record["claim"] for record in islice(records("fever/paper_dev"), count)]


def generated_corpus(folder: Path, vocabulary: Path, size: int) -> None:
    """A store of generated pages, for want of another."""
    folder.mkdir(parents=True)
    source = folder / "pages.jsonl"
    with source.open("w", encoding="utf-8") as file:
        for passage in Generator(vocabulary).passages(size):
            page = Page(passage.title, (Passage(0, passage.text),))
            file.write(json.dumps(page_to_json(page), ensure_ascii=False) + "\n")
    with Store.create(folder) as store:
        for _ in Ingest(store, [source]):
            pass


def on_generated(plan: Plan, sizes: list[int], vocabulary: Path) -> Iterator[Measured]:
    """Every engine on every size, asked the same questions."""
    queries = [without_stop_words(query) for query in apart(generated_queries, vocabulary, min(sizes))]
    for size in sizes:
        for engine in plan.engines:
            name = f"{size:,} generated passages"
            yield measure(engine, name, Generated(size, vocabulary), size, queries, plan)


def generated_queries(vocabulary: Path, size: int) -> list[str]:
    return Generator(vocabulary).queries(size, QUERIES)


def on_corpus(plan: Plan, name: str, corpus: Path, claims: list[str]) -> Iterator[Measured]:
    """Every engine on the pages of a store."""
    with Store.open(corpus) as store:
        size = len(store)
    queries = [without_stop_words(claim) for claim in claims]
    for engine in plan.engines:
        yield measure(engine, f"{name}, {size:,} pages", Corpus(corpus), size, queries, plan)


def explain(report: Report, about: str, found: list[Measured], load: Iterable[float]) -> None:
    noise = [one.noise for one in found]
    before = statistics.median(one.asked.before for one in found)
    loads = ", ".join(f"{each:.1f}" for each in load)
    lines = (
        f"Generated passages: seventy words each, drawn from {about}, and a title; queries: {QUERIES} group_starts of "
        "12 to 25 of their words. Queries on corpus R: claims of FEVER's development set.",
        "Stop words are taken out of the queries for everybody. Veritab stems and keeps stop words and positions in "
        "its index; bm25s drops 33 stop words; FTS5 has its standard tokenizer; DrQA has words and pairs of words.",
        "Queries are asked one at a time. The first answer of bm25s includes compiling its numba functions.",
        "Cold open: the files are dropped from the system's memory first, libraries are not. Peak memory includes "
        f"the mapped files that were read, Python and this program: {before:.0f} MB before anything is opened.",
        f"Each was asked in {REPEATS} processes (one, when quick) and the quieter one is told; the median query of the "
        f"other took {statistics.median(noise):.2f} times as long (median), {max(noise):.2f} times at worst. A round "
        f"of queries ends after {PATIENCE:.0f} s, so the slow engines were asked fewer (the last column).",
        f"The machine was shared; load when each engine was done: {loads}. Gaps below about 1.5 times say little.",
    )
    for line in lines:
        report.note(NOISE, line)


def sources() -> dict[str, str]:
    """What tells whether Veritab's own code is still the same."""
    folder = Path(veritab.__file__).parent
    files = sorted(folder.rglob("*.py"))
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def changed_meanwhile(report: Report, before: dict[str, str]) -> None:
    """Every process reads the code anew: tell when not all of them ran the same."""
    after = sources()
    different = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if different:
        report.note(
            NOISE, f"Veritab's code was edited during this run, so its parts may not fit: {', '.join(different)}."
        )


@dataclass
class Progress:
    """What was measured, and how busy the machine was meanwhile."""

    found: list[Measured] = field(default_factory=list)
    load: list[float] = field(default_factory=list)

    def take(self, measured: Iterable[Measured]) -> list[Measured]:
        taken = []
        for one in measured:
            taken.append(one)
            self.load.append(os.getloadavg()[0])
            print("  " + " | ".join(_searching(one)), file=sys.stderr, flush=True)
        self.found += taken
        return taken


def run(options: argparse.Namespace, report: Report, work: Path) -> None:
    before = sources()
    vocabulary = work / "vocabulary.npz"
    about = apart(count_words, vocabulary, made_up=options.quick or not (DATA / "wiki").is_dir())
    progress = Progress()
    plan = Plan(options.engines, 1 if options.quick else REPEATS, work)
    corpus: Path = options.corpus or work / "corpus"
    name = "a small corpus" if options.quick else "corpus R"
    claims = apart(generated_queries, vocabulary, min(options.sizes)) if options.quick else fever_claims(CLAIMS)
    if not (corpus / FILE).is_file():
        _make(corpus, vocabulary, quick=options.quick)
    on_pages = progress.take(on_corpus(plan, name, corpus, claims))
    on_passages = progress.take(on_generated(plan, options.sizes, vocabulary))
    speed(report, on_pages, on_passages[-len(options.engines) :])
    growth(report, on_passages)
    incremental(report, corpus, work / "grown", vocabulary, claims[:200])
    from_claim_to_elements(report, work / "grown", claims)
    tables(report, progress.found)
    explain(report, about, progress.found, progress.load)
    changed_meanwhile(report, before)


def _make(corpus: Path, vocabulary: Path, *, quick: bool) -> None:
    if quick:
        apart(generated_corpus, corpus, vocabulary, max(QUICK_SIZES))
        return
    for line in build_corpus_r(corpus):
        print(line, file=sys.stderr, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval_speed", description=__doc__)
    parser.add_argument("corpus", nargs="?", type=Path, help="corpus R; made when it is not there")
    parser.add_argument("--sizes", nargs="+", type=int, help="how many passages to generate")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), help="which to compare")
    parser.add_argument("--quick", action="store_true", help="a smoke run without data; writes no results")
    parser.add_argument("--work", type=Path, help="where to put what is built meanwhile (about 3 GB)")
    options = parser.parse_args()
    options.sizes = sorted(options.sizes or (QUICK_SIZES if options.quick else SIZES))
    options.engines = options.engines or ["veritab", "drqa", "bm25s-numpy" if options.quick else "bm25s", "fts5"]
    return options


def main() -> None:
    options = arguments()
    report = Report("The speed of retrieval, measured", "python -m benchmarks.retrieval_speed CORPUS")
    if options.work:
        options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.work) as folder:
        run(options, report, Path(folder))
    if not options.quick:
        report.write(RESULTS)


if __name__ == "__main__":
    main()
