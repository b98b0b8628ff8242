"""How cost grows with size: `python -m benchmarks.growth PAGES` writes results/growth.md and growth.json.

PAGES is the file of corpus R (`pages.jsonl`, made by `python -m benchmarks.corpus_r DIR`). A corpus is made of it at
every size, ingested, indexed and asked, each in a process of its own; texts are what has an entry of its own in the
index. Beyond the real pages they are generated, as benchmarks/growth_pages.py says. What was measured is kept size by
size in growth.json, and not measured again while the code is the same; a run that was stopped goes on there.
`--table` measures nothing: it writes growth.md anew from what the results folder holds. What it comes to for the whole
of Wikipedia is written into docs/howto-scale.md too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import veritab
from benchmarks import growth_pages
from benchmarks.corpus_r import DATA
from benchmarks.growth_whole import WHOLE, Measured, Speeds, fit, whole_tables
from benchmarks.report import Report
from benchmarks.retrieval_speed import apart, fever_claims, forget, memory
from veritab import Checker, Settings
from veritab.corpus.ingest import Ingest
from veritab.corpus.store import FILE, Store
from veritab.files import write_whole
from veritab.retrieve import open_retriever
from veritab.retrieve.index import FOLDER, build_index
from veritab.schema import Claim

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
SIZES = (100_000, 300_000, 1_000_000, 3_000_000)
CLAIMS = 400
ROUNDS = 2
EXAM = ROOT / "benchmarks" / "exams" / "development-almanac.jsonl"
EVERY = 10
PROFILES = ("default", "fast")
K = 5
WITH_TABLES = "with tables"
PAGE = ROOT / "docs" / "howto-scale.md"
BEGIN, END = "<!-- begin growth -->", "<!-- end growth -->"
_PARTS = ("pages", "texts", "tables", "names.sqlite")
_ROOM = 1_500
"""Bytes on disk for a text while it is measured: pages, corpus and index, merges of segments included."""


# -- one size, in processes of their own --------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    """What a step took: seconds, seconds of processor time, and megabytes of memory at most."""

    seconds: float
    cpu: float
    peak: float


def _cost(started: tuple[float, float]) -> Cost:
    seconds, cpu = _clock()
    return Cost(round(seconds - started[0], 2), round(cpu - started[1], 2), round(memory(), 1))


def _clock() -> tuple[float, float]:
    return time.perf_counter(), sum(sum(resource.getrusage(who)[:2]) for who in _WHO)


_WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def ingest(source: Path, folder: Path) -> Cost:
    started = _clock()
    with Store.create(folder) as store:
        for _ in Ingest(store, [source]):
            pass
    return _cost(started)


def index(folder: Path) -> Cost:
    started = _clock()
    with Store.create(folder) as store:
        for _ in build_index(store):
            pass
    return _cost(started)


@dataclass(frozen=True)
class Asked:
    """What finding evidence for claims took: milliseconds for opening and a claim, and the memory that is held."""

    opened: float
    first: float
    median: float
    slow: float
    cpu: float
    resident: float
    own: float
    """Of what is resident, that which is not mapped files: the system can drop those and read them again."""
    claims: int


def ask(folder: Path, claims: Sequence[str]) -> Asked:
    started = time.perf_counter()
    retriever = open_retriever(folder)
    opened = time.perf_counter()
    with closing(retriever):
        retriever.retrieve([Claim("0", claims[0])], K)
        first = time.perf_counter()
        rounds: list[list[float]] = []
        cpu = time.process_time()
        for _ in range(ROUNDS):
            rounds.append([])
            for claim in claims:
                before = time.perf_counter()
                retriever.retrieve([Claim("0", claim)], K)
                rounds[-1].append((time.perf_counter() - before) * 1000)
        cpu = (time.process_time() - cpu) * 1000 / (ROUNDS * len(claims))
        # The quicker of the two: what else the machine does now and then is nobody's cost.
        times = [min(pair) for pair in zip(*rounds, strict=True)]
        milliseconds = [(opened - started) * 1000, (first - started) * 1000, statistics.median(times)]
        milliseconds += [statistics.quantiles(times, n=100)[98], cpu]
        held = [memory("VmRSS"), memory("RssAnon")]
    opening, answering, median, slow, used, resident, own = (round(each, 2) for each in (*milliseconds, *held))
    return Asked(opening, answering, median, slow, used, resident, own, len(claims))


def disk(folder: Path) -> dict[str, int]:
    """Bytes of the store and of every part of the index, over all shards where there are some."""
    sizes = dict.fromkeys(("store", *_PARTS), 0)
    for path in folder.rglob("*"):
        if path.is_file():
            parts = path.relative_to(folder).parts
            if FOLDER in parts:
                name = parts[parts.index(FOLDER) + 1]
                sizes[name if name in sizes else "names.sqlite"] += path.stat().st_size
            elif path.name.startswith(FILE):
                sizes["store"] += path.stat().st_size
    return sizes


def measure(pages: Path, size: int | None, shards: int | None, work: Path) -> dict[str, Any]:
    """Make a corpus of so many texts (of all pages with tables, without a size), and throw it away."""
    work.mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=work) as name:
        source, folder = Path(name) / "pages.jsonl", Path(name) / "corpus"
        if size is None:
            written = apart(growth_pages.write_with_tables, pages, source)
        else:
            written = apart(growth_pages.write, pages, source, size)
        say(f"{written.texts:,} texts on {written.pages:,} pages, {written.real:,} of them real")
        made = apart(ingest, source, folder) if shards is None else apart(ingest_shards, source, folder, shards)
        say(f"ingested in {made.seconds:.0f} s")
        indexed = apart(index, folder) if shards is None else apart(index_shards, folder)
        say(f"indexed in {indexed.seconds:.0f} s")
        found: dict[str, Any] = {"written": written._asdict(), "ingest": asdict(made), "index": asdict(indexed)}
        found["source"] = source.stat().st_size
        found["disk"] = disk(folder)
        if size is not None:
            claims = growth_pages.claims(pages, CLAIMS // 2)
            claims += fever_claims(CLAIMS - len(claims)) if DATA.is_dir() else []
            forget(folder)
            asked = apart(ask, folder, claims)
            found["asked"] = asdict(asked)
            say(f"asked: p50 {asked.median:.1f} ms, p99 {asked.slow:.0f} ms, {asked.resident:.0f} MB")
    return found | {"load": round(max(load, os.getloadavg()[0]), 1)}


def check(profile: str) -> Cost:
    """What a claim takes in bulk, over the almanac and without a certificate; models are open before."""
    claims = [json.loads(line)["claim"] for line in EXAM.read_text(encoding="utf-8").splitlines()][::EVERY]
    settings = Settings() if profile == "default" else Settings().with_profile(profile)
    with Checker.open(None, settings.replaced({"check.certificate": False})) as checker:
        list(checker.check_many(claims[:5]))
        started = _clock()
        list(checker.check_many(claims[5:]))
        cost = _cost(started)
    checked = len(claims) - 5
    return Cost(round(cost.seconds / checked, 4), round(cost.cpu / checked, 4), cost.peak)


def ingest_shards(source: Path, folder: Path, shards: int) -> Cost:
    return _command("ingest", str(source), "--into", str(folder), "--shards", str(shards))


def index_shards(folder: Path) -> Cost:
    return _command("index", str(folder))


def _command(*words: str) -> Cost:
    """What a command takes, run as people run it, in the processes that it starts."""
    import subprocess

    started = _clock()
    subprocess.run([sys.executable, "-m", "veritab", *words], check=True, stdout=subprocess.DEVNULL)
    cost = _cost(started)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return Cost(cost.seconds, cost.cpu, round(peak, 1))


def say(what: str) -> None:
    print(f"  {what}", file=sys.stderr, flush=True)


# -- what is kept ------------------------------------------------------------------------------------------


def code() -> str:
    """Names the code that is measured."""
    digest = hashlib.sha256()
    for room in ("corpus", "retrieve", "schema", "text.py"):
        place = Path(veritab.__file__).parent / room
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def load_kept(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"measured": {}}


def keep(path: Path, kept: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(kept, indent=1) + "\n").encode())


# -- what is told ------------------------------------------------------------------------------------------

_TOLD: tuple[tuple[str, Callable[[dict[str, Any]], float]], ...] = (
    ("ingest, CPU-s", lambda one: one["ingest"]["cpu"]),
    ("ingest, s", lambda one: one["ingest"]["seconds"]),
    ("ingest, peak MB", lambda one: one["ingest"]["peak"]),
    ("index, CPU-s", lambda one: one["index"]["cpu"]),
    ("index, s", lambda one: one["index"]["seconds"]),
    ("index, peak MB", lambda one: one["index"]["peak"]),
    ("corpus.sqlite, MB", lambda one: one["disk"]["store"] / 2**20),
    ("index: pages, MB", lambda one: one["disk"]["pages"] / 2**20),
    ("index: texts, MB", lambda one: one["disk"]["texts"] / 2**20),
    ("index: tables, MB", lambda one: one["disk"]["tables"] / 2**20),
    ("index: names, MB", lambda one: one["disk"]["names.sqlite"] / 2**20),
    ("opening, cold, ms", lambda one: one["asked"]["opened"]),
    ("first answer, cold, ms", lambda one: one["asked"]["first"]),
    ("a claim, p50 ms", lambda one: one["asked"]["median"]),
    ("a claim, p99 ms", lambda one: one["asked"]["slow"]),
    ("a claim, CPU ms", lambda one: one["asked"]["cpu"]),
    ("resident while asked, MB", lambda one: one["asked"]["resident"]),
    ("of these not mapped files, MB", lambda one: one["asked"]["own"]),
)


def tell(report: Report, kept: dict[str, Any], results: Path) -> None:
    """All figures as tables, with the exponents, and what they come to for the whole of Wikipedia."""
    measured = kept["measured"]
    sizes = sorted(
        (one for key, one in measured.items() if key != WITH_TABLES), key=lambda one: one["written"]["texts"]
    )
    texts = [one["written"]["texts"] for one in sizes]
    head = ["", *(f"{each:,} texts" for each in texts), "grows as texts to the power of"]
    rows = [head]
    rows.append(["pages", *(f"{one['written']['pages']:,}" for one in sizes), ""])
    rows.append(
        ["generated texts", *(f"{one['written']['texts'] - one['written']['real_texts']:,}" for one in sizes), ""]
    )
    rows.append(["tables", *(f"{one['written']['tables']:,}" for one in sizes), ""])
    different = [one["written"]["vocabulary"] for one in sizes]
    rows.append(["different words", *(f"{each:,}" for each in different), _power(texts, different)])
    for name, value in _TOLD:
        costs = [value(one) for one in sizes]
        rows.append([name, *(_short(cost) for cost in costs), _power(texts, costs)])
    rows.append(["load of the machine, at most", *(f"{one['load']:.1f}" for one in sizes), ""])
    report.table("Growth", rows)
    _explain(report, kept, sizes)
    if len(sizes) > 1 and WITH_TABLES in measured:
        laws = Measured.of(sizes, measured[WITH_TABLES])
        whole_tables(report, laws, Speeds.read(kept, results))


def _short(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}"


def _power(sizes: Sequence[float], costs: Sequence[float]) -> str:
    if len(sizes) < 2 or min(costs) <= 0:
        return ""
    law = fit(sizes, costs)
    return f"{law.exponent:.2f}" + (f" ({law.low:.2f} to {law.high:.2f})" if len(sizes) > 2 else "")


def _explain(report: Report, kept: dict[str, Any], sizes: list[dict[str, Any]]) -> None:
    heading = "How to read this"
    shards = kept["shards"]
    report.note(
        heading,
        "Texts are sentences, items, captions and passages: what has an entry of its own. As far as corpus R goes "
        "all are real; beyond, pages are generated from real ones (benchmarks/growth_pages.py).",
    )
    if shards:
        report.note(heading, f"The corpora have {shards} shards, built by one process.")
    for one in sizes:
        if heaps := one["written"]["heaps"]:
            report.note(
                heading,
                f"The generator was fitted on the real pages: vocabulary grows as text to the power of {heaps:.2f} at "
                f"their end (Heaps), frequency falls as rank to the power of {one['written']['zipf']:.2f} (Zipf). "
                f"Of {one['written']['words']:,} words, real and generated, {one['written']['vocabulary']:,} differ.",
            )
    report.note(
        heading,
        "Ingest, index and questions are processes of their own, with one worker. Peak memory is the highest resident "
        "size the system tells, Python and mapped files included.",
    )
    asked = sizes[0]["asked"]["claims"] if sizes else 0
    report.note(
        heading,
        f"A claim: pages, then texts and tables on them, as `Checker` finds evidence, without models. {asked} claims, "
        "half of them FEVER's, half first sentences of pages that every corpus has; the quicker of two rounds counts.",
    )
    report.note(heading, "Exponents: least squares on logarithms, with 95 % intervals (Student's t, sizes minus 2).")


def fill(page: Path, results: Path) -> None:
    """Put what the whole of Wikipedia comes to into a page of the documentation, in place of what is there."""
    text, found = page.read_text(encoding="utf-8"), results.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    sections = [part for part in found.split("\n## ") if part.startswith(WHOLE)]
    tables = ["\n".join(line for line in part.splitlines() if line.startswith("|")) for part in sections]
    if begin and end and tables:
        page.write_text("\n\n".join([f"{before}{begin}", *tables, f"{end}{after}"]), encoding="utf-8")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    parser.add_argument("pages", nargs="?", type=Path, help="corpus R's pages.jsonl, or any FEVEROUS JSON lines")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), help="how many texts")
    parser.add_argument("--shards", type=int, help="make corpora of so many shards")
    parser.add_argument(
        "--work", type=Path, default=ROOT / ".bench" / "growth", help="where corpora are made meanwhile"
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="where growth.md and growth.json are")
    parser.add_argument("--again", action="store_true", help="measure what was measured before, too")
    parser.add_argument("--table", action="store_true", help="measure nothing, write the tables anew")
    options = parser.parse_args()
    if not options.table and options.pages is None:
        parser.error("name the file of pages, or say --table")
    return options


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure what is not kept yet; every size is kept as soon as it is done."""
    path = options.results / "growth.json"
    kept = load_kept(path)
    now = {"code": code(), "shards": options.shards}
    if options.again or {name: kept.get(name) for name in now} != now:
        kept = {**now, "measured": {}}
    for size in (*sorted(options.sizes), None):
        key = WITH_TABLES if size is None else str(size)
        if key in kept["measured"]:
            continue
        say(f"{size or WITH_TABLES} ...")
        needed = (size or 300_000) * _ROOM
        options.work.mkdir(parents=True, exist_ok=True)
        if (free := shutil.disk_usage(options.work).free) < needed:
            sys.exit(f"{needed / 1e9:.0f} GB are needed in {options.work}, {free / 1e9:.0f} are free; name a --work")
        kept["measured"][key] = measure(options.pages, size, options.shards, options.work)
        keep(path, kept)
    kept.setdefault("checks", {})
    for profile in PROFILES:
        if profile not in kept["checks"]:
            say(f"claims, profile {profile} ...")
            kept["checks"][profile] = asdict(apart(check, profile))
            keep(path, kept)
    wanted = {*map(str, options.sizes), WITH_TABLES}
    return kept | {"measured": {key: one for key, one in kept["measured"].items() if key in wanted}}


def main() -> None:
    options = arguments()
    kept = load_kept(options.results / "growth.json") if options.table else run(options)
    report = Report("How cost grows", "python -m benchmarks.growth PAGES")
    tell(report, kept, options.results)
    report.write(options.results / "growth.md")
    if options.results == RESULTS:
        fill(PAGE, RESULTS / "growth.md")


if __name__ == "__main__":
    main()
