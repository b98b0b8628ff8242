"""How well claims are checked end to end, and what it costs: `python -m benchmarks.check [--corpus-r FOLDER]` prints it
and writes results/check.md.

Parts: almanac (the claims over the corpus that ships), corpus_r (FEVER claims over corpus R, beside FEVER's own
configuration: DrQA and decomposable attention), speed (cold and warm), bulk (one and two workers), memory (of a worker
that checks thousands of claims). Answers are kept in `--cache`, so that a run that was cut short goes on where it was;
`--set verify.model=fast` changes settings.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import multiprocessing.process
import os
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.corpus_r import DATA, fever_examples, records
from benchmarks.report import Report
from benchmarks.retrieval import almanac_examples, prepare
from veritab.corpus.store import Store
from veritab.evaluate.metrics import wilson
from veritab.papers.baselines import MODEL, RECIPES, Baseline, load, run
from veritab.papers.retrieval.configurations import retriever, selector
from veritab.pipeline import Checker
from veritab.processes import WorkerProcesses
from veritab.render.json import verdict_from_json, verdict_to_json
from veritab.retrieve import cut
from veritab.runs.checking import CheckerFactory, check_all, check_on_engine
from veritab.runs.claims import ClaimRecord
from veritab.schema import Claim, ElementId, Example, Kind, Label, Verdict
from veritab.settings import Settings, record
from veritab.train.examples import VerdictExample

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "check.md"
_COLD = (
    "import veritab; "
    "veritab.Checker.open().check('Mount Everest is taller than K2.'); "
    # Not getrusage, which counts what the parent held when it forked.
    "print(next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmHWM')))"
)
_BULK = 64
_MANY = 2_000


@dataclass(frozen=True)
class Bench:
    """What all parts of a run share."""

    report: Report
    settings: Settings
    cache: Path | None
    corpus_r: Path | None
    most: int


@dataclass(frozen=True)
class Share:
    """How many of how many, with its interval."""

    right: int
    n: int

    @property
    def value(self) -> float:
        return self.right / self.n if self.n else 0.0

    def __str__(self) -> str:
        low, high = wilson(self.value, self.n)
        return f"{self.value:.1%} [{low:.1%}, {high:.1%}]"


def share(outcomes: Iterable[bool]) -> Share:
    every = list(outcomes)
    return Share(sum(every), len(every))


# -- answers that are kept ---------------------------------------------------------------------------------


def answers(bench: Bench, name: str, checker: Checker, claims: Sequence[Claim]) -> list[Verdict]:
    """The verdict on each claim; those of an earlier run with the same settings, models and corpus are not sought."""
    told = json.dumps(record(checker), sort_keys=True)
    file = bench.cache / f"{name}-{hashlib.sha256(told.encode()).hexdigest()[:12]}.jsonl" if bench.cache else None
    kept = {verdict.claim: verdict for verdict in _kept(file)}
    waiting = [claim for claim in claims if claim not in kept]
    for done, verdict in enumerate(checker.check_many(waiting), 1):
        kept[verdict.claim] = verdict
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as kept_file:
                kept_file.write(json.dumps(verdict_to_json(verdict), ensure_ascii=False) + "\n")
        if done % 50 == 0:
            print(f"  {name}: {done} of {len(waiting)}", file=sys.stderr, flush=True)
    return [kept[claim] for claim in claims]


def _kept(file: Path | None) -> Iterator[Verdict]:
    if file and file.is_file():
        for line in file.read_text(encoding="utf-8").splitlines():
            yield verdict_from_json(json.loads(line))


def drawn(examples: Sequence[Example], most: int) -> list[Example]:
    """So many of the examples, the same ones every time."""
    ordered = sorted(examples, key=lambda example: hashlib.sha1(example.claim.id.encode()).hexdigest())
    return ordered[:most] if most else ordered


# -- the almanac -------------------------------------------------------------------------------------------


def covers(verdict: Verdict, example: Example, *, cells: int = 25) -> bool:
    """Whether one full evidence set is among the first five sentences and so many cells."""
    found = {hit.element.id for hit in cut(verdict.evidence, sentences=5, cells=cells)}
    return any(evidence <= found for evidence in example.evidence)


def evidence_kind(example: Example) -> str:
    """What the first evidence set is made of."""
    kinds = {id.kind for id in example.evidence[0]}
    texts = kinds & {Kind.SENTENCE, Kind.PASSAGE}
    if not texts:
        return "items" if kinds == {Kind.ITEM} else "cells, items and captions"
    return "sentences" if kinds == texts else "sentences and cells"


def half(example: Example) -> str:
    """Errors were looked at in one half of the claims only."""
    looked_at = int(hashlib.sha1(example.claim.id.encode()).hexdigest(), 16) % 2 == 0
    return "half whose errors were looked at" if looked_at else "half that was only measured"


def almanac(bench: Bench) -> None:
    examples = drawn(almanac_examples(), bench.most)
    with Checker.open(settings=bench.settings) as checker:
        verdicts = answers(bench, "almanac", checker, [example.claim for example in examples])
    pairs = list(zip(examples, verdicts, strict=True))
    labels = share(verdict.label is example.label for example, verdict in pairs)
    score = share(verdict.label is example.label and covers(verdict, example) for example, verdict in pairs)
    report = bench.report
    report.promise("almanac, label accuracy", str(labels), "≥ 85 %", kept=labels.value >= 0.85)
    report.promise("almanac, FEVEROUS score", str(score), "≥ 70 %", kept=score.value >= 0.7)
    for title, group in (("challenge", lambda e: e.challenge), ("evidence", evidence_kind), ("half", half)):
        report.table(f"Almanac by {title}", _by(title, pairs, group))
    report.table("Almanac, labels (rows: right, columns: given)", _confusion(pairs))
    missed = Counter(example.label for example, verdict in pairs if verdict.label is not example.label)
    report.note("Almanac, labels (rows: right, columns: given)", f"wrong by label: {dict(missed)}")


def _by(title: str, pairs: Sequence[tuple[Example, Verdict]], group: Callable[[Example], str]) -> list[list[str]]:
    rows = [[title, "n", "label accuracy", "evidence complete", "FEVEROUS score"]]
    for name in sorted({group(example) for example, _ in pairs}):
        some = [(e, v) for e, v in pairs if group(e) == name]
        rows.append(
            [
                name,
                str(len(some)),
                str(share(v.label is e.label for e, v in some)),
                str(share(covers(v, e) for e, v in some)),
                str(share(v.label is e.label and covers(v, e) for e, v in some)),
            ]
        )
    return rows


def _confusion(pairs: Sequence[tuple[Example, Verdict]]) -> list[list[str]]:
    counts = Counter((example.label, verdict.label) for example, verdict in pairs)
    return [["", *Label], *([str(gold), *(str(counts[gold, given]) for given in Label)] for gold in Label)]


# -- corpus R ----------------------------------------------------------------------------------------------


def fever_three_way(store: Store, most: int) -> list[Example]:
    """Claims of FEVER's development set: those whose evidence is in the corpus, and half as many that have none."""
    verifiable = drawn(fever_examples(store), most * 2 // 3 if most else 0)
    none = [
        Example(Claim(str(each["id"]), each["claim"]), Label.NOT_ENOUGH_INFO)
        for each in records("fever/paper_dev")
        if each["label"] == Label.NOT_ENOUGH_INFO
    ]
    return verifiable + drawn(none, most - len(verifiable) if most else len(verifiable) // 2)


def fever_score(examples: Sequence[Example], found: Sequence[tuple[Label, set[ElementId]]]) -> tuple[Share, Share]:
    """Label accuracy, and the FEVER score: the label, and for verifiable claims a full evidence set, must be right."""
    pairs = list(zip(examples, found, strict=True))
    labels = share(label is example.label for example, (label, _) in pairs)
    score = share(
        label is example.label and (not example.evidence or any(each <= ids for each in example.evidence))
        for example, (label, ids) in pairs
    )
    return labels, score


def corpus_r(bench: Bench) -> None:
    if not bench.corpus_r:
        bench.report.note("Left out", "corpus_r: name its folder with --corpus-r, it is made when it is not there.")
        return
    index = prepare(bench.corpus_r)
    index.close()
    with Checker.open(bench.corpus_r, bench.settings) as checker:
        examples = fever_three_way(checker.store, bench.most)
        verdicts = answers(bench, "fever", checker, [example.claim for example in examples])
        ours = fever_score(examples, [(v.label, _sentences(v)) for v in verdicts])
        papers = fever_score(examples, list(_as_published(checker.store, examples, bench.cache)))
    index.store.close()
    rows = [["system", "n", "label accuracy", "FEVER score"]]
    rows.append(["DrQA + decomposable attention", str(len(examples)), *map(str, papers)])
    rows.append(["Veritab", str(len(examples)), *map(str, ours)])
    bench.report.table("FEVER over corpus R, three-way", rows)
    for what, own, other in zip(("label accuracy", "FEVER score"), ours, papers, strict=True):
        gain = (own.value - other.value) * 100
        bench.report.promise(
            f"FEVER over corpus R, {what} above DrQA + attention", f"{gain:+.1f} points", "≥ 25", kept=gain >= 25
        )


def _sentences(verdict: Verdict) -> set[ElementId]:
    return {hit.element.id for hit in cut(verdict.evidence, sentences=5, cells=0)}


def _as_published(
    store: Store, examples: Sequence[Example], cache: Path | None
) -> Iterator[tuple[Label, set[ElementId]]]:
    """FEVER's own configuration: five pages by DrQA, five sentences by TF-IDF, read together by attention."""
    claims = [example.claim for example in examples]
    pages = retriever("drqa", store).retrieve(claims, 5)
    found = selector("drqa-sentences", store).select(claims, pages)
    texts = [" ".join(f"{hit.element.id.page} {hit.element.text}" for hit in hits[:5]) for hits in found]
    pairs = [VerdictExample(claim.text, text, 2) for claim, text in zip(claims, texts, strict=True)]
    for hits, scores in zip(found, _attention(cache).scores(pairs), strict=True):
        best = max(range(len(scores)), key=lambda place: scores[place])
        yield list(Label)[best], {hit.element.id for hit in hits[:5]}


def _attention(cache: Path | None) -> Baseline:
    """FEVER's better classifier, fitted on first use."""
    import tempfile
    import tomllib

    folder = (cache or Path(tempfile.mkdtemp())) / "attention"
    if not (folder / MODEL).is_dir():
        recipe = tomllib.loads((RECIPES / "baseline-attention.toml").read_text(encoding="utf-8"))
        for step in run({**recipe, "measure": []}, DATA, folder, None):
            print(f"  attention: {step}", file=sys.stderr, flush=True)
    return load(folder / MODEL)


# -- what it costs -----------------------------------------------------------------------------------------


def speed(bench: Bench) -> None:
    for _ in range(2):  # the first builds the almanac and fills the disk's memory
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", _COLD], capture_output=True, text=True, check=True)
        seconds = time.perf_counter() - started
    memory = int(done.stdout) / 1024
    bench.report.promise("cold check of one claim on the almanac", f"{seconds:.2f} s", "< 3 s", kept=seconds < 3)
    bench.report.promise("its memory", f"{memory:.0f} MB", "< 700 MB", kept=memory < 700)
    claims = [example.claim for example in drawn(almanac_examples(), 60)]
    for name, changes in (("everything", {}), ("without certificates", {"check.certificate": False})):
        times = _times(bench.settings.replaced(changes), claims)
        middle, late = statistics.median(times), sorted(times)[int(len(times) * 0.95)]
        bench.report.note("Warm", f"{name}: p50 {middle:.0f} ms, p95 {late:.0f} ms a claim (n = {len(times)})")
        if not changes:
            bench.report.promise("warm check of one claim, p50", f"{middle:.0f} ms", "< 400 ms", kept=middle < 400)


def _times(settings: Settings, claims: Sequence[Claim]) -> list[float]:
    """Milliseconds for each claim, one by one, after some to warm up."""
    times = []
    with Checker.open(settings=settings) as checker:
        for claim in claims:
            started = time.perf_counter()
            checker.check(claim)
            times.append((time.perf_counter() - started) * 1000)
    return times[10:] or times


def bulk(bench: Bench) -> None:
    asked = [
        ClaimRecord(number, example.claim.id, example.claim.text)
        for number, example in enumerate(drawn(almanac_examples(), bench.most or _BULK), 1)
    ]
    opening = CheckerFactory(None, bench.settings)
    with opening() as checker:
        list(check_all(asked[:4], checker))
        started = time.perf_counter()
        list(check_all(asked, checker))
        bench.report.note("Bulk", f"one worker: {len(asked) / (time.perf_counter() - started):.2f} claims a second")
    started = time.perf_counter()
    with WorkerProcesses(2) as engine:
        list(check_on_engine(asked, opening.for_worker(engine.cores), engine))
    rate = len(asked) / (time.perf_counter() - started)
    bench.report.note("Bulk", f"two workers: {rate:.2f} claims a second, their start included (n = {len(asked)})")


def memory(bench: Bench) -> None:
    """What a worker holds as claims go by: it must not grow with them."""
    every = list(almanac_examples())
    asked = (  # with a year each, so that none is known from before
        ClaimRecord(number, number, f"In {1000 + number}, {every[number % len(every)].claim.text}")
        for number in range(bench.most or _MANY)
    )
    opening = CheckerFactory(None, bench.settings)
    held: list[tuple[int, float]] = []
    done = 0
    with WorkerProcesses(1) as engine:
        for lines in check_on_engine(asked, opening.for_worker(engine.cores), engine):
            done += len(lines)
            held.append((done, sum(map(_resident, multiprocessing.active_children()))))
    marks = sorted({held[len(held) * part // 10][0] for part in range(1, 10)} | {held[0][0], held[-1][0]})
    shown = ", ".join(f"{megabytes:.0f} MB after {claims:,}" for claims, megabytes in held if claims in marks)
    bench.report.note("Memory", f"one worker: {shown} claims")
    middle, late = held[len(held) // 2][1], held[-1][1]
    growth = late / middle - 1
    bench.report.promise("growth of a worker in the second half", f"{growth:.1%}", "< 5 %", kept=growth < 0.05)


def _resident(process: multiprocessing.process.BaseProcess) -> float:
    """Megabytes that a process has in memory."""
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


# -- parts -------------------------------------------------------------------------------------------------

PARTS: dict[str, Callable[[Bench], None]] = {
    "almanac": almanac,
    "corpus_r": corpus_r,
    "speed": speed,
    "bulk": bulk,
    "memory": memory,
}


def _setting(text: str) -> tuple[str, Any]:
    """A setting as it is typed; what is no number and no truth is a text."""
    name, _, value = text.partition("=")
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", nargs="*", choices=tuple(PARTS), default=list(PARTS))
    parser.add_argument("--corpus-r", type=Path, metavar="FOLDER")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="where answers are kept between runs")
    parser.add_argument("--at-most", type=int, default=0, help="claims measured of a set; 0 for all")
    parser.add_argument("--set", type=_setting, nargs="*", default=[], metavar="SECTION.KEY=VALUE")
    parser.add_argument("--results", type=Path, metavar="FILE", help="where results are written")
    options = parser.parse_args(arguments)
    settings = Settings().replaced({"check.evidence": "official"}).replaced(dict(options.set))
    report = Report("Claims checked end to end", "python -m benchmarks.check --corpus-r CORPUS_R")
    bench = Bench(report, settings, options.cache, options.corpus_r, options.at_most)
    for part in options.parts:
        print(f"-- {part}", file=sys.stderr, flush=True)
        PARTS[part](bench)
    if options.results or set(options.parts) == set(PARTS):
        report.write(options.results or RESULTS)


if __name__ == "__main__":
    main()
