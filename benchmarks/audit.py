"""How long an audit takes: claims are made, written as a file of FEVEROUS records, read and audited, step by step.

    python -m benchmarks.audit      writes results/audit.md; --claims N and --profile only print

The claims are made so that nothing is easier than with real ones: as many different words and pages as FEVER has, words
as unevenly frequent as in English, one claim in ten nearly a repetition of another, evidence of three kinds.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from benchmarks.report import Report
from veritab import datasets
from veritab.audit.audit_rows import audit_rows
from veritab.audit.auditing import Audit, audit_steps
from veritab.audit.measures import measures

RESULTS = Path(__file__).parent / "results" / "audit.md"
CLAIMS, WORDS, PAGES = 100_000, 40_000, 20_000
LABELS = np.array(["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"])
TELLING = "never"
SEED = 0
WANTED = 60


def made_records(number: int) -> Iterator[dict[str, Any]]:
    """Records with claims of 8 to 20 words; three in a hundred refuted ones have a word that gives them away."""
    random = np.random.default_rng(SEED)
    often = 1 / np.arange(1, WORDS + 1)
    drawn = random.choice(WORDS, size=(number, 20), p=often / often.sum())
    lengths, pages = random.integers(8, 21, number), random.integers(0, PAGES, number)
    labels, kinds = random.choice(LABELS, number, p=(0.55, 0.4, 0.05)), random.integers(0, 3, number)
    repeated = random.random(number) < 0.1
    before: list[str] = ["word0"]
    for id in range(number):
        if repeated[id]:
            words = [*before[:-1], f"word{drawn[id, 0]}"]
        else:
            words = [f"Page{pages[id]}", "Title", *(f"word{each}" for each in drawn[id, : lengths[id]])]
        before = words
        told = [TELLING] if labels[id] == "REFUTES" and id % 33 == 0 else []
        yield {
            "id": id,
            "claim": " ".join((*words, *told)) + ".",
            "label": str(labels[id]),
            "evidence": [{"content": list(_evidence(f"Page{pages[id]} Title", int(kinds[id]), id)), "context": {}}],
            "challenge": "Other",
        }


def _evidence(page: str, kind: int, number: int) -> Iterator[str]:
    if kind != 1:
        yield f"{page}_sentence_{number % 30}"
    if kind != 0:
        yield f"{page}_cell_{number % 3}_{number % 17}_{number % 5}"


class Taken(NamedTuple):
    """What a step took: by the clock, and of the processor, which others may be using too."""

    seconds: float
    processor: float

    @classmethod
    def now(cls) -> Taken:
        return cls(time.perf_counter(), time.process_time())

    def since(self, before: Taken) -> Taken:
        return Taken(self.seconds - before.seconds, self.processor - before.processor)


def timed(path: Path) -> tuple[Audit, dict[str, Taken]]:
    """Read and audit a file; what each step took."""
    taken: dict[str, Taken] = {}
    step, begun = "reading", Taken.now()
    steps = audit_steps(tuple(audit_rows(datasets.load(path, task="feverous"))), path.name)
    while True:
        try:
            following, result = next(steps), None
        except StopIteration as end:
            following, result = "", end.value
        now = Taken.now()
        taken[step] = now.since(begun)
        step, begun = following, now
        if result is not None:
            return result, taken


def main() -> None:
    """Make claims, audit them, tell what each step took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--claims", type=int, default=CLAIMS, help="how many claims are made")
    parser.add_argument("--profile", action="store_true", help="print where the time goes instead")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.jsonl"
        path.write_bytes(b"\n".join(map(orjson.dumps, made_records(asked.claims))) + b"\n")
        if asked.profile:
            with cProfile.Profile() as profile:
                timed(path)
            pstats.Stats(profile).sort_stats("cumulative").print_stats(45)
            return
        result, taken = timed(path)
    report = Report("How long an audit takes", "python -m benchmarks.audit")
    seconds, processor = map(sum, zip(*taken.values(), strict=True))
    measured = f"{seconds:.0f} s (processor {processor:.0f} s, load {os.getloadavg()[0]:.1f})"
    report.promise(f"audit of {asked.claims:,} claims", measured, f"< {WANTED} s", kept=seconds < WANTED)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    report.note("Memory", f"at most {peak:,.0f} MB")
    steps = [(step, f"{each.seconds:.1f}", f"{each.processor:.1f}") for step, each in taken.items()]
    report.table("Steps", [("step", "seconds", "of the processor"), *steps])
    found = [(name, f"{value:.4g}") for name, value in measures(result).items()]
    report.table(f"What was found, of which only “{TELLING}” was put in", [("measure", "value"), *found])
    if asked.claims == CLAIMS:
        report.write(RESULTS)


if __name__ == "__main__":
    main()
