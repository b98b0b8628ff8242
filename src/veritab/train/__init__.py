"""What made the models, repeatable: examples become tokens, tokens train a network, the network becomes a folder.

Three steps write into the folder of a run: `prepare.prepare`, `loop.fit` and `export.export`. `python -m veritab.train`
is a door to them that needs no more than a step itself needs, for a machine that only has a graphics card.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping

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
