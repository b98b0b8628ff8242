"""What two readers said of built claims: how many read naturally, how many labels are right, how far the readers agree.

The readers of what is kept are language models that read alone, so that they err alike more than people would.

    python -m benchmarks.build_ratings                              writes results/build_ratings.md from ratings/*.jsonl
    python -m benchmarks.build_ratings keep KIND BUILT RATINGS...   puts what readers filled in into ratings/KIND.jsonl
    python -m benchmarks.build_ratings examples BUILT RATINGS...    prints claims that a reader found fault with

`veritab build rate BUILT --sheet SHEET` writes the sheets that readers fill in, {"id", "rater", "natural", "label"}.
What is kept holds ids and marks, no text: the claims are made of data that is not ours to give.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import orjson

from benchmarks.report import Report
from veritab.build.rating import (
    PERFECT,
    BuiltAs,
    RatingLine,
    blind_id,
    built_as,
    measure_ratings,
    read_rating_lines,
)
from veritab.datasets import load
from veritab.datasets.lines import records_of
from veritab.schema import Label

RATINGS = Path(__file__).parent / "ratings"
RESULTS = Path(__file__).parent / "results" / "build_ratings.md"
LEAST_NATURAL, MOST_INCOMPREHENSIBLE, LEAST_RIGHT = 0.80, 0.02, 0.93
UNKNOWN = "unknown"
MOST_EXAMPLES = 8


def keep(kind: str, built: Path, ratings: Sequence[Path]) -> None:
    """Write the marks of readers with the rule and the label that each claim was built with, without its text."""
    known = built_as(load(built))
    lines = []
    for line in (line for path in ratings for line in read_rating_lines(path)):
        if line.claim not in known:
            raise SystemExit(f"{built} holds no claim {line.claim!r}, which {line.annotator} rated")
        how = known[line.claim]
        lines.append(
            {
                "id": blind_id(how.id),
                "rater": line.annotator,
                "natural": line.rating,
                "label": str(line.label or ""),
                "rule": how.rule,
                "built": str(how.label or UNKNOWN),
            }
        )
    RATINGS.mkdir(exist_ok=True)
    ordered = sorted(lines, key=lambda line: (line["id"], line["rater"]))
    (RATINGS / f"{kind}.jsonl").write_bytes(
        b"".join(orjson.dumps(each, option=orjson.OPT_APPEND_NEWLINE) for each in ordered)
    )


def examples(built: Path, ratings: Sequence[Path]) -> None:
    """Print claims that a reader did not find perfect, or labelled otherwise than the builder, rule by rule."""
    claims = {each.claim.id: each for each in load(built)}
    known = built_as(claims.values())
    faults: dict[str, list[str]] = {}
    for line in (line for path in ratings for line in read_rating_lines(path)):
        how = known[line.claim]
        if line.rating != PERFECT or (how.label and line.label is not how.label):
            said = f"{line.annotator}: {line.rating}, {line.label or UNKNOWN}"
            faults.setdefault(how.rule, []).append(f"{claims[how.id].claim.text} ({how.label or UNKNOWN}; {said})")
    for rule, found in sorted(faults.items()):
        print(f"{rule}: {len(found)} ratings with a fault")
        for each in found[:MOST_EXAMPLES]:
            print(f"  {each}")


def _kept(path: Path) -> tuple[dict[str, BuiltAs], list[RatingLine]]:
    known = {}
    for line in records_of(path):
        if line.record is None:
            raise SystemExit(f"{path}, {line.where}: {line.wrong}")
        id, built = line.record["id"], line.record["built"]
        known[id] = BuiltAs(id, line.record["rule"], None if built == UNKNOWN else Label(built))
    return known, list(read_rating_lines(path))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"


def _row(name: str, found: dict[str, Any]) -> tuple[str, ...]:
    kappas = (found["kappa"]["rating"], found["kappa"]["label"])
    return (
        name,
        f"{found['claims']:,}",
        _percent(found["perfect"]),
        _percent(found["by_all"]["perfect"]),
        _percent(found["incomprehensible"]),
        _percent(found["labels_right"]),
        _percent(found["by_all"]["labels_right"]),
        _percent(found["by_all"]["labels_wrong"]),
        *("" if kappa is None else f"{kappa:.2f}" for kappa in kappas),
    )


_HEADER = (
    "rule",
    "claims",
    "natural, mean",
    "natural, both",
    "incomprehensible, mean",
    "label right, mean",
    "label right, both",
    "label wrong, both",
    "kappa, natural",
    "kappa, label",
)


def measure() -> None:
    """Print every kind that is kept, all of it and by rule, beside what is wanted."""
    report = Report("What readers say of built claims", "python -m benchmarks.build_ratings")
    report.note(
        "The readers", "They are language models, not people, and err alike more than people would: kappas flatter."
    )
    for path in sorted(RATINGS.glob("*.jsonl")):
        found = measure_ratings(*_kept(path)).as_dict()
        kind, claims = path.stem, found["claims"]
        natural, lost, right = found["perfect"], found["incomprehensible"], found["labels_right"]
        what = f"{kind}, {claims:,} claims"
        report.promise(f"{what}: natural", _percent(natural), f">= {LEAST_NATURAL:.0%}", kept=natural >= LEAST_NATURAL)
        report.promise(
            f"{what}: incomprehensible",
            _percent(lost),
            f"<= {MOST_INCOMPREHENSIBLE:.0%}",
            kept=lost <= MOST_INCOMPREHENSIBLE,
        )
        if right is not None:
            report.promise(f"{what}: label right", _percent(right), f">= {LEAST_RIGHT:.0%}", kept=right >= LEAST_RIGHT)
        rows = [_row("all", found), *(_row(rule, each) for rule, each in found["rules"].items())]
        report.table(kind, [_HEADER, *rows])
    report.write(RESULTS)


def main() -> None:
    """Keep ratings, show examples, or measure all that are kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command")
    for name in ("keep", "examples"):
        command = commands.add_parser(name)
        if name == "keep":
            command.add_argument("kind")
        command.add_argument("built", type=Path)
        command.add_argument("ratings", type=Path, nargs="+")
    asked = parser.parse_args()
    if asked.command == "keep":
        keep(asked.kind, asked.built, asked.ratings)
    elif asked.command == "examples":
        examples(asked.built, asked.ratings)
    else:
        measure()


if __name__ == "__main__":
    main()
