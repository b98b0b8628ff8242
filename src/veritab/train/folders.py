"""The layout of a run's folder, and where the encoder it starts from is found."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from veritab.errors import InputError, NotFound
from veritab.train.recipe import Recipe

MANIFEST = "manifest.json"
"""The origin of prepared examples, beside them."""


class TrainingRun(NamedTuple):
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
        return self.prepared / MANIFEST

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


def find_answers(recipe: Recipe, teacher: Path | None) -> dict[str, Path]:
    """The files of the teacher's logits by the key of their source: of the run given, or the one the recipe names.

    Empty where the recipe has no teacher.
    """
    if recipe.teacher is None:
        return {}
    run = TrainingRun(teacher or Path(recipe.teacher.run))
    if not run.prepared.is_dir():
        raise NotFound(f"no run of a teacher at {str(run.folder)!r}; fit one with keep_logits = true")
    found = {}
    for source in recipe.trained_on:
        key = source.key(recipe.seed)
        found[key] = run.prepared / f"{key}.logits.npy"
        if not found[key].is_file():
            raise NotFound(
                f"the teacher at {str(run.folder)!r} has no answers to {source.title}, {found[key].name}; "
                "fit it with the same source, options and seed, and keep_logits = true"
            )
    return found


def sha256_of(*paths: Path) -> str:
    """The sha256 of a file, or of several one after the other, in hex."""
    found = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: found)
    return found.hexdigest()
