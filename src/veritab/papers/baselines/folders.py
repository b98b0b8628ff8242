"""A baseline in its folder: one JSON file of what it is, one safetensors file of its weights."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from veritab.errors import FormatError, NotFound

ABOUT = "baseline.json"
NUMBERS = "baseline.safetensors"


def save_description(folder: Path, model: str, settings: Any, **more: Any) -> None:
    """Write the model's name, its settings and what else it needs to be loaded."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"model": model, "settings": asdict(settings), **more}
    (folder / ABOUT).write_text(json.dumps(about, ensure_ascii=False, indent=1), encoding="utf-8")


def read_description(folder: Path, model: str = "") -> dict[str, Any]:
    """The description in a folder; with a name, an error unless it is of that model."""
    file = folder / ABOUT
    if not file.is_file():
        raise NotFound(f"{folder} holds no {ABOUT}; fit a baseline into it first")
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        name = found["model"]
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{file} does not say which baseline it is ({error}); fit it again") from error
    if model and name != model:
        raise FormatError(f"{file} is of the baseline {name!r}, not {model!r}")
    return found


def save_tensors(folder: Path, tensors: Mapping[str, torch.Tensor]) -> None:
    """Write the weights of a model."""
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, folder / NUMBERS)


def load_tensors(folder: Path) -> dict[str, torch.Tensor]:
    """The weights of a model."""
    file = folder / NUMBERS
    if not file.is_file():
        raise NotFound(f"{folder} holds no {NUMBERS}; fit the baseline again")
    try:
        return dict(load_file(file))
    except SafetensorError as error:
        raise FormatError(f"{file} cannot be read ({error}); fit the baseline again") from error
