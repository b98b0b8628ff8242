"""How fast predictions are scored, and whether the official numbers come out: `python -m benchmarks.scoring`.

10,000 claims of FEVER and of FEVEROUS are made by rule, with a prediction for each; FEVER's own golden test is scored
where the public data is at hand (VERITAB_DATA).
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.report import Report
from veritab import datasets
from veritab.datasets import Task
from veritab.evaluate.predictions import read_predictions
from veritab.evaluate.scores import PredictionScores, score

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "scoring.md"
DATA = Path(os.environ.get("VERITAB_DATA", ROOT.parent / "shared" / "data"))
CLAIMS = 10_000
ROUNDS = 3
SECONDS = 2.0
GOLDEN = (0.32573257325732574, 0.5208520852085209, 0.1043804380438068, 0.44224422442244227, 0.1688970477815144)
LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")
CHALLENGES = ("Numerical Reasoning", "Multi-hop Reasoning", "Combining Tables and Text", "Other")
KINDS = ("sentence_{}", "cell_0_{}_1", "item_0_{}")


def main() -> None:
    """Measure, print, and write the results file."""
    report = Report("Scoring predictions", "python -m benchmarks.scoring")
    with tempfile.TemporaryDirectory() as folder:
        for task in ("fever", "feverous"):
            _measure(task, Path(folder), report)
    _golden(report)
    report.note(
        "How it was measured",
        f"The median of {ROUNDS} rounds, in seconds of one core, which other work on the machine hardly changes, and "
        "by the clock, which it does. Scoring is matching, the official numbers, ours, their intervals (1,000 "
        "draws) and all slices.",
    )
    report.write(RESULTS)


def _measure(task: Task, folder: Path, report: Report) -> None:
    gold, predictions = folder / f"{task}.jsonl", folder / f"{task}_predictions.jsonl"
    random.seed(0)
    claims = [_claim(number, task) for number in range(CLAIMS)]
    _write(gold, claims)
    _write(predictions, [_prediction(claim, task) for claim in claims])
    examples = list(datasets.load(gold, task=task))
    read = read_predictions(predictions, task, [example.claim.id for example in examples])
    command = [sys.executable, "-m", "veritab", "evaluate", str(predictions), str(gold), "--json"]
    runs: dict[str, Callable[[], object]] = {
        "scored": lambda: score(examples, read, task),
        "read from files and scored": lambda: _from_files(gold, predictions, task),
        "by `veritab evaluate`, from start to end": lambda: subprocess.run(command, check=True, capture_output=True),
    }
    for what, run in runs.items():
        wall, work = _seconds(run)
        told = f"{work:.2f} s of one core, {wall:.2f} s by the clock"
        if what == "scored" or task == "fever":
            named = f"{CLAIMS:,} {task.upper()} claims {what}"
            report.promise(named, told, f"under {SECONDS:g} s of one core", kept=work < SECONDS)
        else:
            report.note(f"{CLAIMS:,} {task.upper()} claims with 23 pieces of evidence each", f"{what}: {told}")


def _seconds(run: Callable[[], object]) -> tuple[float, float]:
    """By the clock, and of one core: the second hardly depends on what else the machine does."""
    walls, works = [], []
    for _ in range(ROUNDS):
        clock, work = time.perf_counter(), _work()
        run()
        walls.append(time.perf_counter() - clock)
        works.append(_work() - work)
    return median(walls), median(works)


def _work() -> float:
    """Seconds of a core used so far, by this process and those it started."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def _from_files(gold: Path, predictions: Path, task: Task, *, by_line: bool = False) -> PredictionScores:
    examples = list(datasets.load(gold, task=task))
    ids = [example.claim.id for example in examples]
    return score(examples, read_predictions(predictions, task, ids, by_line=by_line), task, by_line=by_line)


def _golden(report: Report) -> None:
    gold, predictions = (DATA / "fever" / f"scorer_{name}.jsonl.gz" for name in ("actual", "predictions"))
    if not gold.exists():
        report.note("FEVER's golden test", f"not run: no {gold.name} in the data folder")
        return
    told = _from_files(gold, predictions, "fever", by_line=True)
    found = tuple(told.official.values())
    what = "FEVER's golden test, 9,999 claims: score, accuracy, precision, recall, F1"
    report.promise(what, ", ".join(map(str, found)), "the same to the last digit", kept=found == GOLDEN)


# -- claims made by rule -----------------------------------------------------------------------------------


def _claim(number: int, task: Task) -> dict[str, Any]:
    label = LABELS[number % 3]
    pages = [f"Page {random.randrange(CLAIMS)}" for _ in range(random.choice((1, 1, 1, 2, 3)))]
    sets = [[_piece(page) for page in pages] for _ in range(random.choice((1, 1, 2)))]
    told = {"id": number, "claim": " ".join(["word"] * random.randint(5, 30)) + ".", "label": label}
    if task == "fever":
        groups = [[[0, 0, page.replace(" ", "_"), line] for page, _, line in gold] for gold in sets]
        return told | {"evidence": [[[0, None, None, None]]] if label == LABELS[2] else groups}
    content = [
        {"content": [f"{page}_{kind.format(line)}" for page, kind, line in gold], "context": {}} for gold in sets
    ]
    return told | {"evidence": content, "challenge": random.choice(CHALLENGES)}


def _piece(page: str) -> tuple[str, str, int]:
    return page, random.choice(KINDS), random.randrange(20)


def _prediction(claim: dict[str, Any], task: Task) -> dict[str, Any]:
    """Half of the gold, and as much noise as there is room for."""
    label = claim["label"] if random.random() < 0.6 else random.choice(LABELS)
    evidence = list(_some(claim, task))
    random.shuffle(evidence)
    return {"id": claim["id"], "predicted_label": label, "predicted_evidence": evidence}


def _some(claim: dict[str, Any], task: Task) -> Iterator[Any]:
    if task == "fever":
        yield from (piece[2:] for group in claim["evidence"] for piece in group if piece[2] and random.random() < 0.5)
        yield from ([f"Page_{random.randrange(CLAIMS)}", random.randrange(20)] for _ in range(3))
        return
    yield from (id for group in claim["evidence"] for id in group["content"] if random.random() < 0.5)
    yield from (f"Page {random.randrange(CLAIMS)}_sentence_{number}" for number in range(3))
    yield from (f"Page {random.randrange(CLAIMS)}_cell_0_{number}_0" for number in range(20))


def _write(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


if __name__ == "__main__":
    main()
