"""Workers and schedulers killed at random: `python -m benchmarks.scale_kills PAGES` writes results/scale_kills.md.

PAGES is the file of corpus R (`pages.jsonl`, made by `python -m benchmarks.corpus_r DIR`), of which the first `--pages`
are taken. Ingest into shards, index and check are run as commands on a real scheduler with two workers. While they
work, workers are killed and others started in their place; the scheduler is killed too, and then the command is run
again, as its error says. What comes out in the end is compared with what one process makes of the same.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.scale.processes import DaskProcesses, end

from benchmarks import growth_pages
from benchmarks.report import Report
from benchmarks.retrieval_speed import apart
from benchmarks.scale import SHARDS, Found, compare, find, take
from veritab.corpus.shards import MANIFEST
from veritab.engine import ThisProcess

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "scale_kills.md"
WORKERS = 2
SEED = 22
_PATIENCE = 300
_AT_ONCE = 3
"""Workers killed in one run of a command."""
_SAID = ("run the same command again", "--resume", "no scheduler answers")
"""What errors say that a scheduler's end is answered with: at work, in a run, and before the command has connected."""


@dataclass(frozen=True)
class Place:
    """Where one run of a command works: the source, what one process made of it, and a folder of its own."""

    source: Path
    expected: Path
    claims: Path
    folder: Path


@dataclass(frozen=True)
class Scenario:
    """A command to be killed: what is there before it, its words, and what its outcome differs in."""

    name: str
    begin: Callable[[Place], None]
    words: Callable[[Place], list[str]]
    differ: Callable[[Place], list[str]]


@dataclass
class Tally:
    """What came of the kills of one command."""

    workers: int = 0
    schedulers: int = 0
    runs: int = 0
    again: int = 0
    seconds: list[float] = field(default_factory=list)
    ended: list[float] = field(default_factory=list)
    """Seconds from the end of a scheduler to that of the command."""
    wrong: list[str] = field(default_factory=list)


# -- the commands ------------------------------------------------------------------------------------------


def ingest_words(place: Place) -> list[str]:
    return ["ingest", str(place.source), "--into", str(place.folder / "corpus"), "--shards", str(SHARDS)]


def index_words(place: Place) -> list[str]:
    return ["index", str(place.folder / "corpus")]


def check_words(place: Place) -> list[str]:
    into = place.folder / "run"
    resume = ["--resume"] if into.exists() else []
    return [
        "check",
        "--file",
        str(place.claims),
        "--corpus",
        str(place.expected / "corpus"),
        "--into",
        str(into),
        *resume,
    ]


def begin_with_nothing(place: Place) -> None:
    place.folder.mkdir()


def begin_without_index(place: Place) -> None:
    place.folder.mkdir()
    shutil.copytree(place.expected / "corpus", place.folder / "corpus", ignore=shutil.ignore_patterns("index"))


def pages_differ(place: Place) -> list[str]:
    """Pages, and what is found with an index that nobody disturbed."""
    run_here("index", place.folder / "corpus")
    return corpora_differ(place)


def corpora_differ(place: Place) -> list[str]:
    return compare(found(place.expected / "corpus", place.claims), found(place.folder / "corpus", place.claims))


def results_differ(place: Place) -> list[str]:
    """Verdicts, each claim once."""
    lines = (place.folder / "run" / "results.jsonl").read_bytes().splitlines()
    expected = (place.expected / "run" / "results.jsonl").read_bytes().splitlines()
    ids = [json.loads(line)["id"] for line in lines]
    differing = [f"{len(ids) - len(set(ids))} claims twice"] if len(set(ids)) < len(ids) else []
    missing = len(expected) - len(set(ids))
    if missing:
        differing.append(f"{missing} claims missing")
    if sorted(lines) != sorted(expected):
        differing.append(f"{len(set(expected) - set(lines))} verdicts")
    return differing


SCENARIOS = (
    Scenario("ingest", begin_with_nothing, ingest_words, pages_differ),
    Scenario("index", begin_without_index, index_words, corpora_differ),
    Scenario("check", begin_with_nothing, check_words, results_differ),
)


def found(corpus: Path, claims: Path) -> Found:
    """All pages of a corpus, and what its index finds for the claims."""
    texts = [json.loads(line)["claim"] for line in claims.read_text(encoding="utf-8").splitlines()]
    return apart(find, ThisProcess(), corpus, texts, 0)


def start(*words: object) -> subprocess.Popen[bytes]:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "veritab", *map(str, words)]
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def run_here(*words: object) -> None:
    """Run a command in one process, to its end."""
    process = start(*words)
    talk = process.communicate(timeout=_PATIENCE * 2)[0].decode()
    if process.returncode:
        raise SystemExit(f"veritab {' '.join(map(str, words))} failed: {talk}")


# -- the kills ---------------------------------------------------------------------------------------------


def begin_cluster(cluster: DaskProcesses) -> None:
    """A scheduler, at the address it had before, and new workers."""
    for process in filter(None, (*cluster.workers, cluster.scheduler)):
        end(process)
    cluster.workers.clear()
    cluster.start_scheduler()
    for _ in range(WORKERS):
        cluster.start_worker()


def run_killed(
    scenario: Scenario, place: Place, cluster: DaskProcesses, moments: Sequence[tuple[float, str]], tally: Tally,
    chance: random.Random,
) -> None:  # fmt: skip
    """Run a command to its end, killing at those moments, and again where it says so."""
    waiting = list(moments)
    tally.runs += 1
    began = time.monotonic()
    for _ in range(10):
        process = start(*scenario.words(place), "--cluster", cluster.file)
        killed = 0.0
        while process.poll() is None and not killed:
            time.sleep(0.02)
            if not waiting or time.monotonic() - began < waiting[0][0]:
                if time.monotonic() - began > _PATIENCE:
                    process.kill()
                continue
            _, what = waiting.pop(0)
            if what == "worker":
                worker = chance.choice(cluster.workers)
                end(worker)
                cluster.workers.remove(worker)
                cluster.start_worker()
                tally.workers += 1
            elif cluster.scheduler:
                end(cluster.scheduler)
                tally.schedulers += 1
                killed = time.monotonic()
        talk = process.communicate(timeout=_PATIENCE)[0].decode()
        if killed:
            tally.ended.append(time.monotonic() - killed)
            begin_cluster(cluster)
        if process.returncode == 0:
            tally.seconds.append(time.monotonic() - began)
            tally.wrong += scenario.differ(place)
            return
        tally.again += 1
        if not killed or not any(said in talk for said in _SAID):
            tally.wrong.append(f"exit {process.returncode}: {talk.strip()[-200:]}")
    tally.wrong.append("never finished")


def kill_often(
    scenario: Scenario, place: Place, cluster: DaskProcesses, workers: int, schedulers: int, chance: random.Random
) -> Tally:
    """Kill so many workers and schedulers while the command runs, anew in fresh folders until all are killed."""
    begin_cluster(cluster)
    tally = Tally()
    scenario.begin(place)
    run_killed(scenario, place, cluster, [], tally, chance)
    length = tally.seconds[0] if tally.seconds else _PATIENCE
    shutil.rmtree(place.folder)
    tally = Tally(wrong=tally.wrong)
    while (tally.workers < workers or tally.schedulers < schedulers) and tally.runs < 3 * (workers + schedulers):
        whats = ["worker"] * min(_AT_ONCE, workers - tally.workers)
        whats += ["scheduler"] * min(1, schedulers - tally.schedulers)
        chance.shuffle(whats)
        moments = sorted(chance.uniform(0.1, 1.0) * length for _ in whats)
        scenario.begin(place)
        run_killed(scenario, place, cluster, list(zip(moments, whats, strict=True)), tally, chance)
        shutil.rmtree(place.folder)
        print(f"  {scenario.name}: {tally.workers} workers, {tally.schedulers} schedulers, {tally.wrong}", flush=True)
    tally.seconds.insert(0, length)
    return tally


# -- all of it ---------------------------------------------------------------------------------------------


def prepare(options: argparse.Namespace, work: Path) -> Place:
    """The source, the claims, and what one process makes of them."""
    source = take(options.pages, options.number, work / "pages.jsonl")
    claims = work / "claims.jsonl"
    texts = growth_pages.claims(source, options.claims)
    claims.write_text("".join(json.dumps({"id": n, "claim": text}) + "\n" for n, text in enumerate(texts)))
    place = Place(source, work / "expected", claims, work / "killed")
    expected = Place(source, place.expected, claims, place.expected)
    place.expected.mkdir()
    run_here(*ingest_words(expected))
    if not (place.expected / "corpus" / MANIFEST).exists():
        raise SystemExit("the corpus of one process has no shards")
    run_here(*index_words(expected))
    run_here(*check_words(expected))
    return place


def main() -> None:
    """Kill, compare, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", type=Path, help="pages.jsonl of corpus R")
    parser.add_argument("--pages", dest="number", type=int, default=10_000, help="how many of them")
    parser.add_argument("--claims", type=int, default=64)
    parser.add_argument("--workers", type=int, default=30, help="how many workers are killed, over all commands")
    parser.add_argument("--schedulers", type=int, default=5, help="how many schedulers are killed")
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    chance = random.Random(SEED)
    report = Report("Workers and schedulers killed", "python -m benchmarks.scale_kills PAGES")
    rows = [["command", "workers killed", "schedulers killed", "runs", "run again", "seconds undisturbed",
             "seconds with kills", "error after a scheduler's end, s", "differs from one process"]]  # fmt: skip
    wrong = workers = schedulers = 0
    with ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        place = prepare(options, work)
        (work / "dask").mkdir()
        cluster = stack.enter_context(DaskProcesses(work / "dask"))
        for number, scenario in enumerate(SCENARIOS):
            share = [(each + number) // len(SCENARIOS) for each in (options.workers, options.schedulers)]
            tally = kill_often(scenario, place, cluster, share[0], share[1], chance)
            wrong, workers = wrong + len(tally.wrong), workers + tally.workers
            schedulers += tally.schedulers
            undisturbed, *killed = tally.seconds
            rows.append([scenario.name, str(tally.workers), str(tally.schedulers), str(tally.runs), str(tally.again),
                         f"{undisturbed:.0f}", _span(killed), _span(tally.ended),
                         "; ".join(tally.wrong) or "nothing"])  # fmt: skip
    report.promise(
        f"{workers} workers and {schedulers} schedulers killed", f"{wrong} differences", "none", kept=not wrong
    )
    report.table("What the kills cost", rows)
    report.note(
        "What was done",
        f"{options.number:,} pages of corpus R into {SHARDS} shards, {options.claims} claims; a scheduler and "
        f"{WORKERS} workers without nannies, each killed by SIGKILL at moments drawn at random (seed {SEED}) from the "
        "length of an undisturbed run. Compared are the bytes of all pages, the order and scores of what the index "
        "finds, and the lines of results.jsonl, each claim once.",
    )
    report.write(options.results)


def _span(seconds: Sequence[float]) -> str:
    return f"{min(seconds):.0f} to {max(seconds):.0f}" if seconds else "-"


if __name__ == "__main__":
    main()
