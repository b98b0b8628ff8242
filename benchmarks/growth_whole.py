"""What the figures of benchmarks/growth.py come to for the whole of Wikipedia: plain arithmetic, with what it assumes.

A cost is taken apart into what tables cost and what texts cost; that of texts is continued by the power law that fits
what was measured, that of tables in proportion to their number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.report import Report

PAGES = 6_900_000
TEXTS = 95_600_000
TABLES = 11_800_000
CORES = (1, 8, 32)
CLAIMS_A_DAY = 1_000_000
CORES_OF_A_MACHINE = 8
_DAY = 86_400
_TWO_WORKERS = re.compile(r"^\| (\w+): two workers over one process \| ([\d.]+) x", re.MULTILINE)
WHOLE = ("The whole of Wikipedia", "The same, once", "A million claims a day")
"""How the sections with figures for the whole of it begin."""


class Law(NamedTuple):
    """Cost as a power of size, through what was measured: the middle of it, and the exponent with its interval."""

    size: float
    cost: float
    exponent: float
    low: float
    high: float

    def at(self, size: float) -> float:
        """The cost of that size."""
        return float(self.cost * (size / self.size) ** self.exponent)

    def range(self, size: float) -> tuple[float, float]:
        """The least and the highest cost of that size, by the interval of the exponent."""
        costs = [self.cost * (size / self.size) ** exponent for exponent in (self.low, self.high)]
        return min(costs), max(costs)


def fit(sizes: Sequence[float], costs: Sequence[float]) -> Law:
    """Least squares on logarithms; the interval is that of 95 % by Student's t, and nothing is known of two sizes."""
    x, y = np.log(np.array(sizes, dtype=float)), np.log(np.array(costs, dtype=float))
    middle, spread = x.mean(), float(((x - x.mean()) ** 2).sum())
    exponent = float(((x - middle) * (y - y.mean())).sum() / spread)
    free = len(sizes) - 2
    if free < 1:
        return Law(math.exp(middle), math.exp(y.mean()), exponent, -math.inf, math.inf)
    from scipy import stats  # type: ignore[import-untyped]

    left = y - y.mean() - exponent * (x - middle)
    error = math.sqrt(float((left**2).sum()) / free / spread) * float(stats.t.ppf(0.975, free))
    return Law(math.exp(middle), math.exp(y.mean()), exponent, exponent - error, exponent + error)


class Grown(NamedTuple):
    """A cost that texts and tables have: the law of the texts', and what a table adds."""

    texts: Law
    table: float

    def at(self, texts: float, tables: float) -> float:
        return self.texts.at(texts) + self.table * tables

    def range(self, texts: float, tables: float) -> tuple[float, float]:
        low, high = self.texts.range(texts)
        return low + self.table * tables, high + self.table * tables


def taken_apart(points: Sequence[tuple[float, float, float]], other: tuple[float, float, float]) -> Grown:
    """The law of a cost at several sizes (texts, tables, cost), and a table's share by a corpus that has many of them.

    What a table costs is what remains of that corpus's cost when its texts cost what they do in the corpus whose number
    of texts is nearest; both have to hold, so two equations are solved for a text and a table.
    """
    near = min(points, key=lambda point: abs(math.log(point[0] / other[0])))
    text, table = np.linalg.solve([near[:2], other[:2]], [near[2], other[2]])
    table = max(float(table), 0.0)
    sizes = [texts for texts, _, _ in points]
    return Grown(fit(sizes, [max(cost - table * tables, text * 1e-9) for _, tables, cost in points]), table)


@dataclass(frozen=True)
class Measured:
    """The laws of what is needed: seconds of processor time, bytes, megabytes and milliseconds."""

    ingest: Grown
    index: Grown
    store: Grown
    found_by: Grown
    ingest_peak: Law
    index_peak: Law
    own_memory: Law
    median: Law
    slow: Law
    cpu: Law
    largest: int
    """Texts of the largest corpus that was measured."""

    @classmethod
    def of(cls, sizes: Sequence[dict[str, Any]], tables: dict[str, Any]) -> Measured:
        """The laws of what benchmarks.growth measured at several sizes, and of pages with tables."""
        texts = [one["written"]["texts"] for one in sizes]

        def grown(cost: Any) -> Grown:
            points = [(one["written"]["texts"], one["written"]["tables"], float(cost(one))) for one in (*sizes, tables)]
            return taken_apart(points[:-1], points[-1])

        def law(step: str, name: str) -> Law:
            return fit(texts, [one[step][name] for one in sizes])

        return cls(
            ingest=grown(lambda one: one["ingest"]["cpu"]),
            index=grown(lambda one: one["index"]["cpu"]),
            store=grown(lambda one: one["disk"]["store"]),
            found_by=grown(lambda one: sum(one["disk"].values()) - one["disk"]["store"]),
            ingest_peak=law("ingest", "peak"),
            index_peak=law("index", "peak"),
            own_memory=law("asked", "own"),
            median=law("asked", "median"),
            slow=law("asked", "slow"),
            cpu=law("asked", "cpu"),
            largest=max(texts),
        )


@dataclass(frozen=True)
class Speeds:
    """What checking costs, and what a second worker is worth."""

    checks: dict[str, float]
    """Processor seconds of a claim in bulk over the almanac, by profile; benchmarks.growth measures them."""
    memory: float
    """Megabytes of a process that checks, models included."""
    efficiency: dict[str, float]
    """How many times as fast two workers are as one process, halved, by command: benchmarks.scale measures it."""

    @classmethod
    def read(cls, kept: dict[str, Any], results: Path) -> Speeds:
        """From what growth.json holds, and scale.md where benchmarks.scale has been run."""
        checks = kept.get("checks", {})
        path = results / "scale.md"
        scaled = path.read_text(encoding="utf-8") if path.is_file() else ""
        efficiency = {name: float(times) / 2 for name, times in _TWO_WORKERS.findall(scaled)}
        seconds = {name: float(value["cpu"]) for name, value in checks.items()}
        return cls(seconds, max((value["peak"] for value in checks.values()), default=0.0), efficiency)

    def of(self, command: str, cores: int) -> float:
        """How much of several cores a command makes use of; all of one, and what two do of more."""
        return 1.0 if cores == 1 else self.efficiency.get(command, 1.0)


def hours(cpu: float, cores: int, efficiency: float = 1.0) -> float:
    """How long work takes that cores share."""
    return cpu / (cores * efficiency) / 3600


def cores_for(claims: int, cpu: float, efficiency: float = 1.0) -> int:
    """Cores that check so many claims within a day."""
    return math.ceil(claims * cpu / efficiency / _DAY)


def machines_for(cores: int, each: int = CORES_OF_A_MACHINE) -> int:
    return math.ceil(cores / each)


def whole_tables(report: Report, laws: Measured, speeds: Speeds) -> None:
    """The whole of Wikipedia as tables: making the corpus, asking it, and a million claims a day."""
    heading = f"{WHOLE[0]}, continued from {laws.largest:,} texts: nothing here was measured at that size"
    rows = [["", *(f"{cores} core{'s' * (cores > 1)}" for cores in CORES)]]
    for command, grown in (("ingest", laws.ingest), ("index", laws.index)):
        low, high = grown.range(TEXTS, TABLES)
        cells = []
        for cores in CORES:
            share = speeds.of(command, cores)
            middle, least, most = (hours(cpu, cores, share) for cpu in (grown.at(TEXTS, TABLES), low, high))
            cells.append(f"{_few(middle)} ({_span(least, most)})")
        rows.append([f"{command}, hours", *cells])
    for profile, seconds in speeds.checks.items():
        cpu = seconds + laws.cpu.at(TEXTS) / 1000
        rows.append(
            [
                f"claims a day, profile {profile}",
                *(_few(_DAY * cores * speeds.of("check", cores) / cpu) for cores in CORES),
            ]
        )
    processes = [f"{_few(cores * speeds.memory / 1024)} GB" for cores in CORES]
    rows.append(["memory of a checking process a core", *processes])
    report.table(heading, rows)
    _once(report, laws)
    _a_day(report, laws, speeds)
    _assume(report, laws, speeds)


def _once(report: Report, laws: Measured) -> None:
    rows = [["whatever the number of cores", "expected", "by the interval of the exponent"]]
    for name, grown in (("corpus.sqlite, GB", laws.store), ("index, GB", laws.found_by)):
        low, high = (each / 1e9 for each in grown.range(TEXTS, TABLES))
        rows.append([name, _few(grown.at(TEXTS, TABLES) / 1e9), _span(low, high)])
    for name, law in (
        ("finding evidence for a claim, p50 ms", laws.median),
        ("finding evidence for a claim, p99 ms", laws.slow),
        ("own memory of a process that asks, MB (files are mapped, not counted)", laws.own_memory),
        ("memory of a process that ingests, MB", laws.ingest_peak),
        ("memory of a process that indexes, MB", laws.index_peak),
    ):
        low, high = law.range(TEXTS)
        rows.append([name, _few(law.at(TEXTS)), _span(low, high)])
    report.table(WHOLE[1], rows)


def _a_day(report: Report, laws: Measured, speeds: Speeds) -> None:
    if not speeds.checks:
        return
    rows = [
        [
            f"{CLAIMS_A_DAY:,} claims a day",
            "seconds of a core a claim",
            "cores",
            f"machines of {CORES_OF_A_MACHINE}",
            "memory a machine",
        ]
    ]
    corpus = laws.found_by.at(TEXTS, TABLES) / 2**30
    for profile, seconds in speeds.checks.items():
        cpu = seconds + laws.cpu.at(TEXTS) / 1000
        cores = cores_for(CLAIMS_A_DAY, cpu, speeds.of("check", 2))
        memory = CORES_OF_A_MACHINE * speeds.memory / 1024
        rows.append(
            [
                f"profile {profile}",
                f"{cpu:.2f}",
                f"{cores}",
                f"{machines_for(cores)}",
                f"{_few(memory)} GB, and {_few(corpus)} GB for the index to stay in the system's cache",
            ]
        )
    report.table(WHOLE[2], rows)


def _assume(report: Report, laws: Measured, speeds: Speeds) -> None:
    heading = "What is assumed"
    both = laws.ingest.at(TEXTS, TABLES) + laws.index.at(TEXTS, TABLES)
    size = (laws.store.at(TEXTS, TABLES) + laws.found_by.at(TEXTS, TABLES)) / 1e6
    known = {name: f"{value:.2f}" for name, value in speeds.efficiency.items()}
    lines = [
        f"Wikipedia has {PAGES:,} pages, {TEXTS:,} sentences and {TABLES:,} tables (FEVEROUS's figures); list items "
        "and captions are not among them, and each would cost what a sentence does.",
        f"Exponents hold {TEXTS / laws.largest:,.0f} times beyond the largest corpus measured: texts' CPU "
        f"{laws.ingest.texts.exponent:.2f} (ingest), {laws.index.texts.exponent:.2f} (index), p50 "
        f"{laws.median.exponent:.2f}, p99 {laws.slow.exponent:.2f}. Intervals are of the exponents alone.",
        f"Tables are as large as corpus R's, and cost in proportion: {1000 * laws.ingest.table:.2f} ms to "
        f"ingest, {1000 * laws.index.table:.2f} ms to index, {laws.store.table:,.0f} and "
        f"{laws.found_by.table:,.0f} bytes, each.",
        "Pages are FEVEROUS JSON lines; rendered HTML takes longer to parse (benchmarks/results/corpus.md).",
        "Every core is like those of the machine that measured, and has work to the end: at least as many shards as "
        "cores, of about equal size, as titles are spread by their hash.",
        f"Disks keep up: {_few(size / both * max(CORES))} MB a second written in all at {max(CORES)} cores, merges of "
        "segments not counted; the file system that workers share is as fast.",
        "What several cores are worth is what two were ("
        + (", ".join(f"{name} {value}" for name, value in sorted(known.items())) or "not measured yet, so 1.00")
        + ", halved from how many times as fast they were); 8 and 32 cores were not there to measure.",
        "A claim takes what it does over the almanac, and what finding evidence takes at this size; a cold cache is "
        "not counted. Claims come evenly over the day: for peaks, multiply.",
    ]
    for line in lines:
        report.note(heading, line)


def _few(number: float) -> str:
    """A number by two or three digits; more would say more than is known."""
    if number >= 100:
        return f"{float(f'{number:.2g}'):,.0f}"
    return f"{number:.1f}" if number >= 1 else f"{number:.2g}"


def _span(low: float, high: float) -> str:
    """From the least to the most; an interval over three powers of ten says that nothing is known."""
    return f"{_few(low)} to {_few(high)}" if high < 1000 * low else "too few sizes to tell"
