"""Where the parts of a run lie, and where the encoder it starts from is found."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from veritab.errors import InputError, NotFound
from veritab.train.recipe import Recipe

RANDOM = "random:"
"""A base that begins so has no weights: they are drawn by chance, in the size named after it."""


class Run(NamedTuple):
    """The folder of a run."""

    folder: Path

    @property
    def recipe(self) -> Path:
        return self.folder / "recipe.toml"

    @property
    def prepared(self) -> Path:
        return self.folder / "prepared"

    @property
    def manifest(self) -> Path:
        return self.prepared / "manifest.json"

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint.pt"

    @property
    def log(self) -> Path:
        return self.folder / "log.jsonl"

    @property
    def measured(self) -> Path:
        return self.folder / "measured.npz"

    @property
    def trained(self) -> Path:
        return self.folder / "trained"

    @property
    def model(self) -> Path:
        return self.folder / "model"


def find_base(recipe: Recipe, base: Path | None) -> Path:
    """The folder of the encoder a recipe starts from: the one given, or the one of its name inside it."""
    if base is None:
        raise InputError(f"the recipe starts from {recipe.base!r}; say where its folder is with --base DIR")
    for folder in (base / recipe.base, base):
        if (folder / "config.json").is_file():
            return folder
    raise NotFound(
        f"no config.json in {str(base)!r} nor in {str(base / recipe.base)!r}; expected the folder of a model"
    )


def sha256_of(path: Path) -> str:
    """What a file holds, as a hash of hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
