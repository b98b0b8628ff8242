"""Training: examples become tokens, tokens train a network, the network becomes a model's folder.

Three steps write into the folder of a run: `prepare.prepare`, `loop.fit` and `export.export`. `veritab train` is their
command; `fit_run` is for a machine with a graphics card that has torch and transformers but not the rest of Veritab's
dependencies, so what it imports stays lean.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from veritab.errors import MissingExtra

_NEEDED: Mapping[str, tuple[str, ...]] = {
    "prepare": ("numpy", "tokenizers"),
    "fit": ("numpy", "torch", "transformers", "safetensors"),
    "export": ("numpy", "torch", "transformers", "safetensors", "onnx", "onnxruntime"),
}
STEPS = tuple(_NEEDED)


def need(step: str) -> None:
    """Refuse a step whose packages are not installed."""
    if any(importlib.util.find_spec(name) is None for name in _NEEDED[step]):
        raise MissingExtra("training", "train")


def fit_run(folder: str | Path, *, base: str | Path | None = None, **options: Any) -> None:
    """Fit a prepared run to its end; other options are those of `loop.FitOptions`, and the run's log has the events."""
    from veritab.train.folders import TrainingRun
    from veritab.train.loop import FitOptions, fit

    for _ in fit(TrainingRun(Path(folder)), FitOptions(base=None if base is None else Path(base), **options)):
        pass
