"""What the reasoner and a reader of its facts decide together: `python -m benchmarks.reasoning_joined FACTS LOGITS`.

FACTS is what `benchmarks.reasoning_facts` wrote, LOGITS what `benchmarks.reasoning_reader train --hold-out` wrote. How
much each one's log-odds count where the reasoner decides is fitted on the training statements held out from both, and
measured on TabFact val, as `veritab.reason.voting` joins them: where the reasoner cannot say, the reader decides alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from veritab.reason.reasoner import SURE

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


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("facts", type=Path)
    parser.add_argument("logits", type=Path)
    options = parser.parse_args(arguments)
    known, logits = read(options.facts), np.load(options.logits)
    held = logits["held/tabfact/index"]
    labels, reasoner = (side[held] for side in known["train"])
    reader = logits["held/tabfact"][:, 0] - logits["held/tabfact"][:, 1]
    decided = np.abs(reasoner) >= _DECIDES
    weights = fit(reader[decided], reasoner[decided], labels[decided])
    print(
        f"fitted on {decided.sum():,} held-out training statements: reader {weights[0]:.2f}, reasoner {weights[1]:.2f}"
    )
    labels, reasoner = known["val"]
    reader = logits["val/tabfact"][:, 0] - logits["val/tabfact"][:, 1]
    both = np.where(np.abs(reasoner) >= _DECIDES, weights[0] * reader + weights[1] * reasoner, reader)
    for name, odds in (("reasoner alone", reasoner), ("reader of its facts", reader), ("both", both)):
        print(f"TabFact val, {name}: {np.mean((odds > 0) == (labels > 0.5)):.1%} of {len(labels):,}")


if __name__ == "__main__":
    main()
