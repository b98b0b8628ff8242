"""What a cluster gives and costs: `python -m benchmarks.scale PAGES` prints it and writes results/scale.md.

PAGES is the file of corpus R (`pages.jsonl`, made by `python -m benchmarks.corpus_r DIR`), of which the first `--pages`
are taken. Ingest, index and check are timed by turns: one process, one worker, two workers, each with one thread and
one core of its own, so that a ratio within a round compares like with like; and one process with every core, since
writing an index keeps more than one busy. Then pages, rankings and verdicts are compared with those of one process over
a corpus of one file, for every number of workers and of shards.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import psutil

from benchmarks import growth_pages
from benchmarks.report import Report
from benchmarks.retrieval_speed import apart
from veritab import Settings
from veritab.corpus.almanac import PAGES as ALMANAC
from veritab.corpus.feverous import write_jsonl
from veritab.corpus.ingest import Ingest
from veritab.corpus.sharded_ingest import ShardedIngest
from veritab.corpus.store import Store
from veritab.engine import Engine, ThisProcess
from veritab.errors import VeritabError
from veritab.retrieve import open_retriever
from veritab.retrieve.index import build_index, build_shards
from veritab.runs import CheckerFactory, ClaimRecord, check_on_engine
from veritab.scale import open_engine
from veritab.schema import Claim

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "scale.md"
EXAM = ROOT / "benchmarks" / "exams" / "development-almanac.jsonl"
SHARDS = 4
ONE = "one process"
EVERY_CORE = "one process, every core"
MODES = (ONE, "local:1", "local:2", EVERY_CORE)
WORKERS = (ONE, "local:1", "local:2", "local:4")
SHARD_NUMBERS = (1, 3, 16)
_FASTER = 1.7
_OVERHEAD = 0.15


# -- what it takes -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Taken:
    """Seconds of work, seconds before it began, and megabytes of the largest worker at its highest."""

    seconds: float
    startup: float
    peak: float


@contextmanager
def opened(mode: str) -> Iterator[tuple[Engine, float]]:
    """An engine, and how long it took to open."""
    if mode in (ONE, EVERY_CORE):
        yield ThisProcess(), 0.0
        return
    with open_engine(mode) as engine:
        yield engine, engine.startup_seconds


def timed(mode: str, work: Callable[..., None], *arguments: Any) -> Taken:
    """Do some work on an engine with a core for each worker, and watch the memory of whoever does it."""
    cores = {ONE: 1, EVERY_CORE: os.cpu_count() or 1}.get(mode) or int(mode.removeprefix("local:"))
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    with opened(mode) as (engine, startup), _Watch(workers=mode.startswith("local:")) as watch:
        started = time.perf_counter()
        work(engine, *arguments)
        return Taken(time.perf_counter() - started, startup, watch.highest())


class _Watch:
    """Looks at the memory of this process, or of each of its workers, ten times a second."""

    def __init__(self, *, workers: bool) -> None:
        self._workers = workers
        self._peak = 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> _Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def highest(self) -> float:
        return self._peak

    def _look(self) -> None:
        here = psutil.Process()
        while not self._over.wait(0.1):
            for process in here.children(recursive=True) if self._workers else [here]:
                try:
                    self._peak = max(self._peak, process.memory_info().rss / 2**20)
                except psutil.NoSuchProcess:
                    continue


def ingest(engine: Engine, source: Path, folder: Path, shards: int = SHARDS) -> None:
    for _ in ShardedIngest(folder, [source], shards=shards, names=["pages"], engine=engine):
        pass


def index(engine: Engine, folder: Path) -> None:
    with Store.open(folder) as store:
        for _ in build_shards(store, engine, rebuild=True):
            pass


def check(engine: Engine, folder: Path, claims: Sequence[str]) -> None:
    for _ in check_lines(engine, folder, claims):
        pass


def check_lines(engine: Engine, folder: Path, claims: Sequence[str]) -> Iterator[bytes]:
    """The verdicts, from workers with one thread each: then they are the same and so is what they take."""
    settings = Settings().replaced({"verify.threads": 1})
    records = [ClaimRecord(number, number, text) for number, text in enumerate(claims)]
    return chain.from_iterable(check_on_engine(records, CheckerFactory(folder, settings), engine))


def measure(report: Report, source: Path, part: Path, claims: Sequence[str], rounds: int) -> None:
    """Time ingest of pages, index of a part of them and check by turns; say how times compare within each round."""
    taken: dict[tuple[str, str], list[Taken]] = {}
    with tempfile.TemporaryDirectory() as name:
        corpus = Path(name) / "corpus"
        ingest(ThisProcess(), part, corpus)
        for number in range(rounds):
            for mode in MODES if number % 2 == 0 else MODES[::-1]:
                fresh = Path(name) / "fresh"
                for what, work, arguments in (
                    ("ingest", ingest, (source, fresh)),
                    ("index", index, (corpus,)),
                    ("check", check, (corpus, claims)),
                ):
                    if mode == EVERY_CORE and what != "index":
                        continue  # these keep one core busy, whatever there is
                    found = apart(timed, mode, work, *arguments)
                    taken.setdefault((what, mode), []).append(found)
                    print(f"  round {number + 1}, {what}, {mode}: {found.seconds:.1f} s", flush=True)
                shutil.rmtree(fresh, ignore_errors=True)
    for what in ("ingest", "index", "check"):
        one, single, double = ([each.seconds for each in taken[what, mode]] for mode in MODES[:3])
        overhead = statistics.median(b / a - 1 for a, b in zip(one, single, strict=True))
        faster = statistics.median(a / b for a, b in zip(one, double, strict=True))
        report.promise(
            f"{what}: one worker over one process", f"{overhead:+.1%}", "below 15 %", kept=overhead < _OVERHEAD
        )
        again = statistics.median(a / b for a, b in zip(single, double, strict=True))
        report.promise(f"{what}: two workers over one worker", f"{again:.2f} x", "1.7 x", kept=again >= _FASTER)
        report.promise(f"{what}: two workers over one process", f"{faster:.2f} x", "1.7 x", kept=faster >= _FASTER)
    rows = [["work", "who", "seconds, median", "of each round", "start-up, s", "memory of a worker at most, MB"]]
    for (what, mode), several in taken.items():
        seconds = [each.seconds for each in several]
        shown = ", ".join(f"{each:.1f}" for each in seconds)
        startup = statistics.median(each.startup for each in several)
        peak = max(each.peak for each in several)
        rows.append([what, mode, f"{statistics.median(seconds):.1f}", shown, f"{startup:.1f}", f"{peak:,.0f}"])
    report.table("Times", rows)


# -- that it is the same -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """What can be got out of a corpus: its pages, what queries find, and verdicts on claims."""

    pages: str
    rankings: list[list[tuple[str, float]]]
    verdicts: list[dict[str, Any]]


def find(engine: Engine, folder: Path, claims: Sequence[str], verdicts: int) -> Found:
    """Everything that must not depend on who made the corpus."""
    with Store.open(folder) as store:
        dump = folder.with_suffix(".jsonl")
        for _ in write_jsonl(chain(store.pages(), store.redirects()), dump):
            pass
    with closing(open_retriever(folder)) as retriever:
        found = retriever.retrieve([Claim(str(number), text) for number, text in enumerate(claims)], 20)
    rankings = [[(str(hit.element), hit.score) for hit in hits] for hits in found]
    lines = map(json.loads, check_lines(engine, folder, claims[:verdicts]))
    return Found(hashlib.sha256(dump.read_bytes()).hexdigest(), rankings, [_without_corpus(line) for line in lines])


def _without_corpus(verdict: dict[str, Any]) -> dict[str, Any]:
    """A verdict without the name and the state of its corpus, which every corpus has its own of."""
    corpus = {name: value for name, value in verdict["corpus"].items() if name not in ("name", "revision")}
    return verdict | {"corpus": corpus}


def reference(source: Path, folder: Path, claims: Sequence[str], verdicts: int) -> Found:
    """What one process finds in a corpus of one file."""
    with Store.create(folder) as store:
        for _ in Ingest(store, [source], names=["pages"]):
            pass
        for _ in build_index(store):
            pass
    return find(ThisProcess(), folder, claims, verdicts)


def compare(expected: Found, found: Found) -> list[str]:
    """In what two differ; scores may by a millionth."""
    differing = [] if found.pages == expected.pages else ["pages"]
    names = [[[element for element, _ in hits] for hits in each.rankings] for each in (expected, found)]
    if names[0] != names[1]:
        differing.append("order of rankings")
    elif _largest_gap(expected, found) > 1e-6:
        differing.append(f"scores of rankings by {_largest_gap(expected, found):.1e}")
    wrong = sum(one != other for one, other in zip(expected.verdicts, found.verdicts, strict=True))
    return [*differing, *([f"{wrong} verdicts"] if wrong else [])]


def _largest_gap(expected: Found, found: Found) -> float:
    pairs = zip(chain.from_iterable(expected.rankings), chain.from_iterable(found.rankings), strict=True)
    return max((abs(one[1] - other[1]) for one, other in pairs), default=0.0)


def compare_all(mode: str, source: Path, claims: Sequence[str], verdicts: int, expected: Found) -> dict[int, list[str]]:
    """In what the corpora of all numbers of shards differ that some workers made."""
    with ExitStack() as stack:
        engine, _ = stack.enter_context(opened(mode))
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        differing = {}
        for shards in SHARD_NUMBERS:
            try:
                ingest(engine, source, work / f"of-{shards}", shards)
                index(engine, work / f"of-{shards}")
                differing[shards] = compare(expected, find(engine, work / f"of-{shards}", claims, verdicts))
            except VeritabError as error:
                differing[shards] = [f"error: {error}"]
        return differing


def equality(report: Report, name: str, source: Path, claims: Sequence[str], verdicts: int) -> None:
    """Compare every number of workers and of shards with one process and one file."""
    with tempfile.TemporaryDirectory() as work:
        expected = apart(reference, source, Path(work) / "expected", claims, verdicts)
    rows = [["workers", *(f"{shards} shards" if shards > 1 else "1 shard" for shards in SHARD_NUMBERS)]]
    wrong = 0
    for mode in WORKERS:
        found = apart(compare_all, mode, source, claims, verdicts, expected)
        wrong += sum(bool(each) for each in found.values())
        rows.append([mode, *("; ".join(each) or "equal" for each in found.values())])
        print(f"  {name}, {mode}: {found}", flush=True)
    hits = sum(map(len, expected.rankings))
    what = f"{name}: pages, {hits:,} hits of {len(claims)} claims, {len(expected.verdicts)} verdicts"
    combinations = len(WORKERS) * len(SHARD_NUMBERS)
    report.promise(what, f"{combinations - wrong} of {combinations} equal", "all equal", kept=not wrong)
    report.table(f"Equal to one process over one file: {name}", rows)


# -- all of it ---------------------------------------------------------------------------------------------


def take(pages: Path, number: int, target: Path) -> Path:
    """The first pages of a file, as a file."""
    with pages.open("rb") as lines, target.open("wb") as written:
        written.writelines(islice(lines, number))
    return target


def main() -> None:
    """Measure, compare, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path, help="pages.jsonl of corpus R")
    parser.add_argument("--pages", dest="number", type=int, default=240_000, help="how many of them are ingested")
    parser.add_argument("--index-pages", type=int, default=60_000, help="how many are indexed")
    parser.add_argument("--claims", type=int, default=128, help="how many claims are checked, 16 at a time")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--equal-pages", type=int, default=3_000, help="how many pages are compared")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--verdicts", type=int, default=16)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    report = Report("On a cluster", "python -m benchmarks.scale PAGES")
    with tempfile.TemporaryDirectory() as name:
        source = take(options.pages, options.number, Path(name) / "pages.jsonl")
        part = take(options.pages, options.index_pages, Path(name) / "index.jsonl")
        claims = growth_pages.claims(part, options.claims)
        measure(report, source, part, claims, options.rounds)
        part = take(options.pages, options.equal_pages, Path(name) / "part.jsonl")
        of_part = growth_pages.claims(part, options.queries)
        equality(report, f"{options.equal_pages:,} pages of corpus R", part, of_part, options.verdicts)
    exam = [json.loads(line)["claim"] for line in EXAM.read_text(encoding="utf-8").splitlines()]
    equality(report, "the almanac", ALMANAC, exam[:: max(1, len(exam) // options.queries)], options.verdicts)
    report.note(
        "What was done",
        f"{options.number:,} pages of corpus R ingested into {SHARDS} shards, {options.index_pages:,} indexed, "
        f"{len(claims)} claims over these checked, "
        f"{options.rounds} rounds by turns; load of the machine at the end {os.getloadavg()[0]:.1f}. A worker, and the "
        "one process, check with one thread. Every worker had a core of its own, and so had the one process but where "
        "it is said. Seconds are those of the work, without start-up; ratios are medians of "
        "those within a round.",
    )
    report.write(options.results)


if __name__ == "__main__":
    main()
