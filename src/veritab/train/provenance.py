"""What a network has learned from, kept beside its weights; one that goes on from others has learned from theirs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from veritab.errors import NotFound
from veritab.train import tokens
from veritab.train.folders import MANIFEST
from veritab.train.network import WEIGHTS
from veritab.train.recipe import Recipe

_FILE = "data.json"


def count_examples(recipe: Recipe, prepared: Path, before: Iterable[Path] = ()) -> dict[str, int]:
    """How many examples of each source a run took, and those that the networks took that it goes on from."""
    manifest = prepared / MANIFEST
    known = json.loads(manifest.read_text(encoding="utf-8"))["sources"] if manifest.is_file() else {}

    def taken(key: str) -> int:
        if key in known:
            return int(known[key]["examples"])
        return tokens.examples_of(recipe.job, tokens.read(prepared / f"{key}.npz"))

    counts: dict[str, int] = {}
    for source in recipe.trained_on:
        counts[source.name] = max(counts.get(source.name, 0), taken(source.key(recipe.seed)))
    for folder in before:
        for name, found in read_counts(folder).items():
            counts[name] = max(counts.get(name, 0), found)
    return dict(sorted(counts.items()))


def read_counts(folder: Path) -> dict[str, int]:
    """What the network in a folder has learned from: nothing of ours, where it is an encoder as it was published."""
    if has_counts(folder):
        found: dict[str, int] = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return found
    if (folder / WEIGHTS).is_file():
        raise NotFound(
            f"no {_FILE} in {str(folder)!r} says what it has learned from; fit that run again, "
            'or write one there: {"source": number of its examples, ...}'
        )
    return {}


def has_counts(folder: Path) -> bool:
    """Whether it is said what the network in a folder has learned from; runs did not always say it."""
    return (folder / _FILE).is_file()


def write_counts(folder: Path, counts: Mapping[str, int]) -> None:
    """Say it beside the weights."""
    (folder / _FILE).write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
