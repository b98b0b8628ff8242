"""What the reasoner and a reader of its facts decide together: `python -m benchmarks.reasoning_joined FACTS LOGITS`.

FACTS is what `benchmarks.reasoning_facts` wrote, LOGITS what `benchmarks.reasoning_reader train --hold-out` wrote. How
much each one's log-odds count where the reasoner decides is fitted on the training statements held out from both, and
measured on TabFact val, as `veritab.verify.voting` joins them: where the reasoner cannot say, the reader decides alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from benchmarks.report import Report
from veritab.reason.reasoner import SURE

RESULTS = Path(__file__).parent / "results" / "reasoning_reader.md"

_DECIDES = float(np.log(SURE / (1 - SURE)))


def read(path: Path) -> dict[str, tuple[Any, Any]]:
    """For each split, the labels and the reasoner's log-odds."""
    found: dict[str, tuple[list[float], list[float]]] = {}
    for line in path.read_bytes().splitlines():
        record = orjson.loads(line)
        labels, said = found.setdefault(record["split"], ([], []))
        labels.append(float(record["label"] == "ENTAILED"))
        said.append(record["true"])
    return {split: (np.array(labels), _log_odds(np.array(said))) for split, (labels, said) in found.items()}


def _log_odds(probability: Any) -> Any:
    sure = np.clip(probability, 1e-4, 1 - 1e-4)
    return np.log(sure / (1 - sure))


def fit(reader: Any, reasoner: Any, labels: Any, steps: int = 4000, rate: float = 0.05) -> Any:
    """Logistic regression on the two log-odds, by plain gradient descent."""
    signs = np.stack([reader, reasoner], axis=1)
    weights = np.array([1.0, 0.0])
    for _ in range(steps):
        said = 1 / (1 + np.exp(-signs @ weights))
        weights -= rate * signs.T @ (said - labels) / len(labels)
    return weights


def reading(logits: Any, part: str) -> Any:
    """The reader's log-odds that statements are true."""
    return logits[part][:, 0] - logits[part][:, 1]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", type=Path)
    parser.add_argument("logits", type=Path)
    parser.add_argument("--rows", type=Path, help="logits of a reader of rows as text, to compare with")
    options = parser.parse_args(arguments)
    report = Report("A reader of derived facts", "python -m benchmarks.reasoning_joined FACTS LOGITS --rows LOGITS")
    known, logits = read(options.facts), np.load(options.logits)
    held = logits["held/tabfact/index"]
    labels, reasoner = (side[held] for side in known["train"])
    decided = np.abs(reasoner) >= _DECIDES
    weights = fit(reading(logits, "held/tabfact")[decided], reasoner[decided], labels[decided])
    labels, reasoner = known["val"]
    reader = reading(logits, "val/tabfact")
    both = np.where(np.abs(reasoner) >= _DECIDES, weights[0] * reader + weights[1] * reasoner, reader)
    right = {name: np.mean((odds > 0) == (labels > 0.5)) for name, odds in (("facts", reader), ("both", both))}
    report.promise("TabFact val, reader of derived facts", f"{right['facts']:.1%}", "71 %", kept=right["facts"] >= 0.71)
    if options.rows:
        rows = np.mean((reading(np.load(options.rows), "val/tabfact") > 0) == (labels > 0.5))
        report.note("Beside it", f"the same encoder on rows of the table as text: {rows:.1%}")
    report.note("Beside it", f"the side the reasoner leans to: {np.mean((reasoner > 0) == (labels > 0.5)):.1%}")
    report.note("Beside it", f"reader and reasoner joined: {right['both']:.1%}")
    report.note("Beside it", f"{len(labels):,} statements")
    fitted = (
        f"{decided.sum():,} training statements held out from both: reader {weights[0]:.2f}, reasoner {weights[1]:.2f}"
    )
    report.note("What each one's log-odds count where the reasoner decides", f"fitted on {fitted}")
    report.write(RESULTS)


if __name__ == "__main__":
    main()
