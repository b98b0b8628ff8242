"""A verdict model that reads three words: yes supports, no refutes, perhaps does neither."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.models.tiny import LABELS, with_card, write_pair_model, write_tokenizer

_WEIGHTS = {
    "[PAD]": (1000.0, 0.0, 0.0),
    "[UNK]": (0.0, 0.0, 0.002),
    "[CLS]": (0.0, 0.0, 0.5),
    "yes": (3.0, 0.0, 0.0),
    "no": (0.0, 3.0, 0.0),
    "perhaps": (0.0, 0.0, 3.0),
    "break": (float("nan"), 0.0, 0.0),
}


def make_reader(
    folder: Path, *, max_length: int = 128, combiner: dict[str, Any] | None = None, **calibration: Any
) -> Path:
    """A folder with such a model."""
    write_pair_model(folder, np.array(list(_WEIGHTS.values()), dtype=np.float32), "logits")
    write_tokenizer(folder, {word: number for number, word in enumerate(_WEIGHTS)})
    more = {"combiner": combiner} if combiner else {}
    return with_card(folder, job="verdict", labels=list(LABELS), max_length=max_length, calibration=calibration, **more)
