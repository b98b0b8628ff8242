"""Does built data help? A grid over FEVER, VitaminC, Fool Me Twice and InfoTabS, with and without built claims.

    python -m benchmarks.transfer --mix BUILT FILE...   writes BUILT: labelled claims of files of `veritab build`, at
                                                        most 2,500 of each rule of each file
    python -m benchmarks.transfer RUN                   scores the fitted grid in RUN, and writes results/transfer.md

In between, `veritab transfer --into RUN` prepares and fits the grid; results/transfer.md says with which options.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.report import Report
from veritab.build.records import UNKNOWN
from veritab.build.sampling import random_stream
from veritab.files import replacing
from veritab.train.transfer.grid import TransferRun
from veritab.train.transfer.reporting import (
    MEASURES,
    TransferReport,
    effect_rows,
    report_grid,
    summary_lines,
    table_rows,
    write_report,
)

RESULTS = Path(__file__).parent / "results" / "transfer.md"
MOST, SEED = 2500, 0


def mix(into: Path, files: list[Path]) -> int:
    """Write at most so many labelled records of each rule of each file; how many they are."""
    kept: list[str] = []
    for file in files:
        by_rule: dict[str, list[str]] = defaultdict(list)
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if record["label"] != UNKNOWN:
                    by_rule[record["origin"]["rule"]].append(line)
        for rule, found in sorted(by_rule.items()):
            chosen = random_stream(SEED, file.name, rule).sample(range(len(found)), min(MOST, len(found)))
            kept += [found[place] for place in sorted(chosen)]
    with replacing(into) as out:
        out.write("".join(kept).encode())
    return len(kept)


def describe(report: TransferReport, log: list[dict[str, Any]], written: Report) -> None:
    """All tables of a scored grid."""
    grid = report.grid
    written.note(
        "How it was measured",
        f"Every model starts from {grid.base}: {grid.epochs:g} epochs a stage, learning rate {grid.rate:g}, batches of "
        f"{grid.batch}, {grid.max_length} tokens, at most {grid.at_most:,} examples of a set, seeds: {report.seeds}. "
        "`A > B` is A, then B. Evidence is given: gold, but FEVER's tested claims with NOT ENOUGH INFO have retrieved "
        "sentences, and those that are trained on sampled ones.",
    )
    written.note(
        "How it was measured",
        "Pages and claims that are tested are held out of everything trained on. Gamma is tuned on a fifth of the "
        "tested pages (InfoTabS: on its development tables), all figures are of the others. Intervals are 95 % "
        "bootstrap intervals over claims; they do not cover the chance of training. * is a set of which another part "
        "was trained on.",
    )
    fitted = [event for event in log if event["event"] == "model"]
    if fitted:
        seconds = sum(event["seconds"] for event in fitted)
        written.note("How it was measured", f"{len(fitted)} models, {seconds:,.0f} s of fitting in all.")
    rows = [["set", "examples", "SUPPORTS", "REFUTES", "NOT ENOUGH INFO", "left out"]]
    for name, each in report.sets.items():
        left_out = ", ".join(f"{reason} {count:,}" for reason, count in each["left_out"].items())
        rows.append([name, f"{each['examples']:,}", *(f"{count:,}" for count in each["labels"].values()), left_out])
    written.table("The sets", rows)
    for line in summary_lines(report):
        written.note("Does built data help?", line)
    told = [each for each in report.effects if each.outcome != "no difference"]
    if told:
        written.table("Where built claims make a difference (p by Holm's method below 0.05)", effect_rows(told))
    for nei in grid.nei:
        for measure, name in MEASURES.items():
            table = table_rows(report, nei, measure)
            if len(table) > 1:
                written.table(f"{name[0].upper()}{name[1:]}, NEI {nei}", table)
    written.table("Every comparison with built claims", effect_rows(report.effects))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, nargs="?", metavar="RUN")
    parser.add_argument("--mix", type=Path, nargs="+", metavar="FILE")
    asked = parser.parse_args()
    if asked.mix:
        into, *files = asked.mix
        print(f"{mix(into, files):,} claims in {into}")
    if asked.run:
        run = TransferRun(asked.run)
        report = report_grid(run)
        write_report(report, run.report)
        log = [json.loads(line) for line in run.log.read_text().splitlines()] if run.log.is_file() else []
        written = Report("Training on one set, testing on another", "python -m benchmarks.transfer")
        describe(report, log, written)
        written.write(RESULTS)


if __name__ == "__main__":
    main()
