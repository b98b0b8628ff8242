"""What reading data sets costs: `python -m benchmarks.datasets` prints it and writes results/datasets.md.

A file in the shape of FEVER's training set, of the same size, is made on the fly and read through; memory is that of
the process that does nothing else, beside the same for a tenth of the file.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.report import Report

RESULTS = Path(__file__).parent / "results" / "datasets.md"
LABELS = {"SUPPORTS": 80_035, "REFUTES": 29_775, "NOT ENOUGH INFO": 35_639}
"""The claims of FEVER's training set, by label."""
PAGES = 12_000
REPEATS = 5
SECONDS = 5.0
GROWTH = 1.2
"""How much more memory ten times the file may take; what grows is a set of ids and a cache that has its limit."""

_READ = """
import resource, sys, time
from pathlib import Path
from veritab import datasets
data = datasets.load(Path(sys.argv[1]))
begun, busy = time.perf_counter(), time.process_time()
claims = sum(1 for _ in data)
seconds, busy = time.perf_counter() - begun, time.process_time() - busy
print(claims, len(data.problems), seconds, busy, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def records(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Records such as FEVER's training set has: several annotators, groups of one or more sentences, odd titles."""
    labels = [label for label, count in LABELS.items() for _ in range(count)]
    chance.shuffle(labels)
    pages = [page(number, chance) for number in range(PAGES)]
    for id, label in zip(chance.sample(range(230_000), len(labels)), labels, strict=True):
        subject = chance.choice(pages)
        yield {
            "id": id,
            "verifiable": "NOT VERIFIABLE" if label == "NOT ENOUGH INFO" else "VERIFIABLE",
            "label": label,
            "claim": f"{subject.replace('_', ' ')} was {chance.choice(('made', 'born', 'seen'))} in {1800 + id % 220}.",
            "evidence": groups(label, subject, pages, chance),
        }


def page(number: int, chance: random.Random) -> str:
    kind = chance.random()
    return (
        f"Soul_Food_{number}_-LRB-film-RRB-"
        if kind < 0.2
        else f"Beyonc\u00e9_{number}"
        if kind < 0.25
        else f"Page_{number}"
    )


def groups(label: str, subject: str, pages: list[str], chance: random.Random) -> list[list[list[Any]]]:
    if label == "NOT ENOUGH INFO":
        return [[[chance.randrange(300_000), None, None, None]]]
    made = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        annotation, evidence = chance.randrange(300_000), chance.randrange(300_000)
        group: list[list[Any]] = [[annotation, evidence, subject, chance.randrange(12)]]
        if chance.random() < 0.17:
            group.append([annotation, evidence, chance.choice(pages), chance.randrange(12)])
        made.append(group)
    return made


class Reading(NamedTuple):
    """One reading of a file in a process of its own; `busy` is how long a core worked for it."""

    claims: int
    problems: int
    seconds: float
    busy: float
    megabytes: float


def read(path: Path) -> Reading:
    done = subprocess.run([sys.executable, "-c", _READ, str(path)], capture_output=True, text=True, check=True)
    claims, problems, seconds, busy, kilobytes = done.stdout.split()
    return Reading(int(claims), int(problems), float(seconds), float(busy), int(kilobytes) / 1000)


def main() -> None:
    """Make the files, read them, write what it took."""
    report = Report("Data sets, read", "python -m benchmarks.datasets")
    with tempfile.TemporaryDirectory() as folder:
        whole, tenth, packed = (Path(folder) / name for name in ("train.jsonl", "tenth.jsonl", "train.jsonl.gz"))
        lines = [json.dumps(record) + "\n" for record in records(random.Random(0))]
        whole.write_text("".join(lines), encoding="utf-8")
        tenth.write_text("".join(lines[: len(lines) // 10]), encoding="utf-8")
        with gzip.open(packed, "wt", encoding="utf-8") as file:
            file.writelines(lines)
        size = whole.stat().st_size / 1e6
        del lines
        readings = {path: [read(path) for _ in range(REPEATS)] for path in (whole, tenth, packed)}
    first = readings[whole][0]
    complete = first.claims == sum(LABELS.values()) and not first.problems
    for path, what in ((whole, f"a file of the size of fever/train ({size:.0f} MB)"), (packed, "the same one packed")):
        seconds = statistics.median(each.seconds for each in readings[path])
        busy = statistics.median(each.busy for each in readings[path])
        told = f"{seconds:.2f} s by the clock for {first.claims:,} claims, {busy:.2f} s of one core"
        wanted = f"< {SECONDS:.0f} s by the clock"
        report.promise(f"{what} is read through", told, wanted, kept=complete and seconds < SECONDS)
    memory, less = (statistics.median(each.megabytes for each in readings[path]) for path in (whole, tenth))
    told = f"{memory:.0f} MB, {less:.0f} MB for a tenth of it: × {memory / less:.2f}"
    report.promise("memory does not grow with the file", told, f"≤ × {GROWTH}", kept=memory / less <= GROWTH)
    report.note("How", f"Medians of {REPEATS} readings, each in a process of its own; memory is its largest size.")
    load = f"{os.getloadavg()[0]:.1f} wanted the {os.cpu_count()} cores"
    report.note("How", f"The clock counts whatever else the machine does: {load} on average in the last minute.")
    report.write(RESULTS)


if __name__ == "__main__":
    main()
