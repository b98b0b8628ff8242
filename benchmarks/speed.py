"""How long a claim takes and how many are checked a second, by profile, beside another checkout in the same run.

    python -m benchmarks.speed [OTHER] [--rounds 3]

OTHER is a checkout of another version, whose default profile is timed by turns with this one's. Machines are noisy:
only the ratios inside one run mean much.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.report import Report

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).parent / "results" / "speed.md"
CLAIMS = Path(__file__).parent / "exams" / "development-almanac.jsonl"
_EVERY = 5
_TIMED = """
import json, statistics, sys, time
from veritab import Checker, Settings
profile, claims = sys.argv[1], json.loads(sys.argv[2])
settings = Settings() if profile == "default" else Settings().with_profile(profile)
with Checker.open(None, settings) as checker:
    for claim in claims[:10]:
        checker.check(claim)
    times = []
    for claim in claims[10:60]:
        start = time.perf_counter()
        checker.check(claim)
        times.append(time.perf_counter() - start)
bulk = settings.replaced({"check.certificate": False})
with Checker.open(None, bulk) as checker:
    list(checker.check_many(claims[:10]))
    start = time.perf_counter()
    list(checker.check_many(claims[10:]))
    rate = (len(claims) - 10) / (time.perf_counter() - start)
print(json.dumps([statistics.median(times), rate]))
"""


def time_checks(checkout: Path, profile: str, claims: Sequence[str]) -> tuple[float, float]:
    """The median seconds of a claim that is checked alone with its certificate, and the claims a second in bulk."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = [sys.executable, "-c", _TIMED, profile, json.dumps(claims)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    median, rate = json.loads(done.stdout.splitlines()[-1])
    return median, rate


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, nargs="?")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    claims = [json.loads(line)["claim"] for line in CLAIMS.read_text(encoding="utf-8").splitlines()][::_EVERY]
    timed = [("default", ROOT, "default"), ("fast", ROOT, "fast")]
    if options.other:
        timed.insert(0, ("before, default", options.other, "default"))
    found: dict[str, list[tuple[float, float]]] = {name: [] for name, _, _ in timed}
    for _ in range(options.rounds):
        for name, checkout, profile in timed:
            found[name].append(time_checks(checkout, profile, claims))
    rows = []
    first = timed[0][0]
    for name, own in found.items():
        ratios = [(p / q, r / s) for (p, r), (q, s) in zip(own, found[first], strict=True)]
        rows.append(
            [
                name,
                f"{1000 * statistics.median(p for p, _ in own):.0f} ms",
                f"{statistics.median(r for _, r in own):.1f}",
                f"{statistics.median(p for p, _ in ratios):.2f}",
                f"{statistics.median(r for _, r in ratios):.2f}",
            ]
        )
    report = Report("How fast claims are checked", "python -m benchmarks.speed OTHER")
    head = ["profile", "warm p50", "claims a second in bulk", "p50 : first line", "rate : first line"]
    report.table(f"{len(claims)} claims over the almanac, medians of {options.rounds} rounds", [head, *rows])
    report.write(RESULTS)


if __name__ == "__main__":
    main()
