"""What the shipped verdict model says of claims beside texts; asked once, and kept."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from veritab.papers.tables.cells import Note, Step
from veritab.papers.tables.given import Given

MODEL = "verdict"
_AT_ONCE = 64
_DIGITS = 8


def model_note(original: str) -> Note:
    """What the shipped model stands in for."""
    from veritab.models import open_verdict

    card = open_verdict(MODEL).card
    weights = card.files.get("model.onnx", "")[:_DIGITS]
    return Note("model", f"the shipped model {card.name!r} (sha256 {weights}…) stands in for {original}")


def logits(given: Given, pairs: Sequence[tuple[str, str]]) -> Generator[Step, None, Any]:
    """For each pair of a claim and a text the logits of SUPPORTS, REFUTES and NOT ENOUGH INFO, as an array."""
    import numpy as np

    from veritab.models import open_verdict
    from veritab.models.card import FILE, sha256_of
    from veritab.models.registry import folder_of

    model, card = open_verdict(MODEL), sha256_of(folder_of(MODEL) / FILE)
    rows: list[list[float]] = []
    for start in range(0, len(pairs), _AT_ONCE):
        some = [list(pair) for pair in pairs[start : start + _AT_ONCE]]
        yield Step(f"judging: {start:,} of {len(pairs):,}")
        rows += given.keep("judged", [card, some], lambda some=some: _read(model, some))  # type: ignore[misc]
    return np.array(rows, dtype=np.float64).reshape(-1, 3)


def _read(model: Any, pairs: Sequence[Sequence[str]]) -> list[list[float]]:
    found: list[list[float]] = model.logits([(claim, text) for claim, text in pairs]).tolist()
    return found


def three_way(rows: Any) -> list[int]:
    """The likeliest of three labels, by the calibration of the model's card."""
    from veritab.models import open_verdict
    from veritab.verify.calibrate import LABELS, Calibration, best_label, scores_of

    fitted = Calibration.of(open_verdict(MODEL).card.calibration)
    return [LABELS.index(best_label(fitted.final_scores(scores_of(each)))) for each in fitted.probabilities(rows)]


def two_way(rows: Any) -> list[int]:
    """The likelier of SUPPORTS (0) and REFUTES (1)."""
    return [int(each[1] > each[0]) for each in rows]
