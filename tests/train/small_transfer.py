"""Files of claims about a world that does not exist, small enough for a grid to be fitted in seconds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from veritab.train.examples import VerdictExample
from veritab.train.synthetic import examples

LABELS = ("SUPPORTS", "REFUTES", "NOT ENOUGH INFO")


def records(name: str, seed: int, count: int, labels: Sequence[str] = LABELS) -> list[dict[str, Any]]:
    """Claims with one sentence each, on pages of the file's own; no two claims are alike."""
    found = []
    for number, pair in enumerate(examples("verdict", seed=seed, count=count)):
        assert isinstance(pair, VerdictExample)
        label = LABELS[pair.label]
        if label in labels:
            claim = f"{pair.claim.rstrip('.')} {name} {number}."
            evidence = f"{name} {number // 2}\t{pair.evidence}"
            found.append({"claim": claim, "label": label, "evidence": evidence, "challenge": ""})
    return found


def write(path: Path, found: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in found))
    return path


def grid_file(folder: Path, **more: Any) -> Path:
    """A grid of three files: one to train on, one to go on with, one to test on, and one of built claims."""
    files = {
        name: write(folder / f"{name}.jsonl", records(name, seed, count, labels))
        for name, seed, count, labels in (
            ("first", 1, 300, LABELS),
            ("second", 2, 200, LABELS),
            ("third", 3, 200, LABELS),
            ("two", 4, 200, LABELS[:2]),
            ("made", 5, 300, LABELS),
        )
    }
    values = {
        "train": ["first"],
        "then": ["second"],
        "test": ["third", "two"],
        "base": "random:tiny",
        "max_length": 32,
        "epochs": 6.0,
        "rate": 5e-3,
        "batch": 32,
        **more,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    lines += ["[files]", *(f'{name} = "{files[name].name}"' for name in ("first", "second", "third", "two"))]
    lines += ["[built]", f'made = "{files["made"].name}"']
    path = folder / "grid.toml"
    path.write_text("\n".join(lines) + "\n")
    return path
