"""Runs so small that a test can fit one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from veritab.train import recipe as recipes
from veritab.train.folders import TrainingRun
from veritab.train.loop import FitOptions, fit
from veritab.train.prepare import prepare

ROUNDED = """
[quantise]
bits = 4
block = 32
embeddings = 4
from = 0.5
"""


def recipe_of(job: str = "verdict", *, epochs: float = 4, top: str = "", more: str = "") -> str:
    return f"""
job = "{job}"
base = "random:tiny"
max_length = 32
batch = 32
{top}
[[stage]]
name = "first"
epochs = {epochs}
rate = 5e-3
sources = [{{name = "synthetic", count = 512}}]

[[stage]]
name = "second"
epochs = 1
rate = 2e-3
sources = [{{name = "synthetic", count = 128, salt = 1, times = 2}}]

[measure]
sources = [{{name = "synthetic", count = 64, salt = 2}}]
{more}
"""


def prepared(folder: Path, text: str) -> TrainingRun:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "given.toml").write_text(text)
    run = TrainingRun(folder)
    prepare(recipes.read(folder / "given.toml"), text, run, data=None, base=None)
    return run


def fitted(folder: Path, text: str, **told: Any) -> tuple[TrainingRun, list[dict[str, Any]]]:
    run = prepared(folder, text)
    return run, list(fit(run, FitOptions(**told)))
