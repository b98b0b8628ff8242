"""The logits of the shipped verdict model for claims and texts, computed once and cached."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from veritab.papers.tables.cells import ProgressStep, TableNote
from veritab.papers.tables.inputs import TableInputs

MODEL = "verdict"
_AT_ONCE = 64
_DIGITS = 8


def model_note(original: str) -> TableNote:
    """What the shipped model replaces."""
    from veritab.models import open_verdict

    card = open_verdict(MODEL).card
    weights = card.files.get("model.onnx", "")[:_DIGITS]
    return TableNote("model", f"the shipped model {card.name!r} (sha256 {weights}…) replaces {original}")


def logits(inputs: TableInputs, pairs: Sequence[tuple[str, str]]) -> Generator[ProgressStep, None, Any]:
    """For each pair of a claim and a text the logits of SUPPORTS, REFUTES and NOT ENOUGH INFO, as an array."""
    import numpy as np

    from veritab.models import open_verdict
    from veritab.models.card import FILE, sha256_of
    from veritab.models.registry import folder_of

    model, card = open_verdict(MODEL), sha256_of(folder_of(MODEL) / FILE)
    rows: list[list[float]] = []
    for start in range(0, len(pairs), _AT_ONCE):
        sample = [list(pair) for pair in pairs[start : start + _AT_ONCE]]
        yield ProgressStep(f"judging: {start:,} of {len(pairs):,}")
        rows += inputs.cached("judged", [card, sample], lambda sample=sample: _read(model, sample))  # type: ignore[misc]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def _read(model: Any, pairs: Sequence[Sequence[str]]) -> list[list[float]]:
    found: list[list[float]] = model.logits([(claim, text) for claim, text in pairs]).tolist()
    return found


def three_way(rows: Any) -> list[int]:
    """The likeliest of three labels, by the calibration of the model's card."""
    from veritab.models import open_verdict
    from veritab.verify.calibrate import LABELS, Calibration, best_label, scores_of

    calibration = Calibration.of(open_verdict(MODEL).card.calibration)
    return [
        LABELS.index(best_label(calibration.final_scores(scores_of(each)))) for each in calibration.probabilities(rows)
    ]


def two_way(rows: Any) -> list[int]:
    """The likelier of SUPPORTS (0) and REFUTES (1)."""
    return [int(each[1] > each[0]) for each in rows]
