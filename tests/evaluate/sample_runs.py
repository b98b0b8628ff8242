"""Runs for the tests: made up answers to made up claims, laid down as a run is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from veritab import datasets
from veritab.evaluate.importing import import_answers
from veritab.evaluate.scored_runs import ScoredRun
from veritab.runs.labelled import LabelledClaims
from veritab.schema import Label

LABELS = tuple(Label)
CLAIMS = 30


def write_gold(file: Path, claims: int = CLAIMS, seed: int = 0) -> Path:
    """Claims in FEVEROUS's form: the label and the evidence of each follow from its number."""
    records = [
        {
            "id": number,
            "claim": f"Claim {number} of {seed} is about page {number % 7}.",
            "label": gold_label(number),
            "evidence": [{"content": gold_evidence(number), "context": {}}],
            "challenge": "Numerical Reasoning" if number % 2 else "Other",
        }
        for number in range(claims)
    ]
    dummy = {"id": "", "claim": "", "label": "", "evidence": [{"content": [], "context": {}}], "challenge": ""}
    file.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in (dummy, *records)))
    return file


def gold_label(number: int) -> Label:
    return LABELS[number % 3]


def gold_evidence(number: int) -> list[str]:
    return [f"Page {number % 7}_sentence_{number % 3}", f"Page {number % 7}_cell_0_1_{number % 2}"]


def write_predictions(
    file: Path,
    wrong: Sequence[int] = (),
    bare: Sequence[int] = (),
    claims: int = CLAIMS,
    evidence: Mapping[int, list[str]] | None = None,
) -> Path:
    """Predictions that are right but for some labels (`wrong`) and for some without evidence (`bare`)."""
    given = evidence or {}
    records = [
        {
            "id": number,
            "predicted_label": LABELS[(number + (number in wrong)) % 3],
            "predicted_evidence": given.get(number, [] if number in bare else gold_evidence(number)),
        }
        for number in range(claims)
    ]
    file.write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    return file


def made_run(
    folder: Path,
    name: str,
    wrong: Sequence[int] = (),
    bare: Sequence[int] = (),
    *,
    claims: int = CLAIMS,
    seed: int = 0,
    oracle: str | None = None,
    tags: Mapping[str, str] | None = None,
    evidence: Mapping[int, list[str]] | None = None,
) -> ScoredRun:
    """An evaluated run in a folder of that name."""
    gold = write_gold(folder / f"gold-{claims}-{seed}.jsonl", claims, seed)
    predictions = write_predictions(folder / f"{name}.jsonl", wrong, bare, claims, evidence)
    questions = LabelledClaims(datasets.load(gold))
    return import_answers(predictions, folder / name, questions, {"oracle": oracle, "tags": dict(tags or {})})
