"""What a network was trained on, and under which licences: kept beside its weights, repeated on its card.

A network that starts from others was trained on their data too. A source that is made of several data sets has the
strictest of their licences; the `[licences]` of a recipe are for sources that are not listed here.
"""

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
    """How many examples of each source a run is trained on, by itself and by the networks it starts from."""
    manifest = prepared / MANIFEST
    known = json.loads(manifest.read_text(encoding="utf-8"))["sources"] if manifest.is_file() else {}

    def count(key: str) -> int:
        if key in known:
            return int(known[key]["examples"])
        return tokens.examples_of(recipe.job, tokens.read(prepared / f"{key}.npz"))

    by_file: dict[tuple[str, object], int] = {}
    for source in recipe.trained_on:
        own = (source.name, source.options.get("file"))
        by_file[own] = max(by_file.get(own, 0), count(source.key(recipe.seed)))
    counts: dict[str, int] = {}
    for (name, _), found in by_file.items():
        counts[name] = counts.get(name, 0) + found
    for folder in before:
        for name, found in read_counts(folder).items():
            counts[name] = max(counts.get(name, 0), found)
    return dict(sorted(counts.items()))


def read_counts(folder: Path) -> dict[str, int]:
    """What the network in a folder was trained on: nothing of ours, where it is an encoder as it was published."""
    if has_counts(folder):
        found: dict[str, int] = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        return found
    if (folder / WEIGHTS).is_file():
        raise NotFound(
            f"no {_FILE} in {str(folder)!r} says what it was trained on; fit that run again, "
            'or write one there: {"source": number of its examples, ...}'
        )
    return {}


def has_counts(folder: Path) -> bool:
    """Whether a folder says what its network was trained on; early runs did not."""
    return (folder / _FILE).is_file()


def write_counts(folder: Path, counts: Mapping[str, int]) -> None:
    """Keep the counts beside the weights."""
    (folder / _FILE).write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


# -- licences ----------------------------------------------------------------------------------------------

_SHARE_ALIKE = "CC BY-SA 3.0"
LICENCES: Mapping[str, str] = {
    "fever": _SHARE_ALIKE,
    "vitaminc": _SHARE_ALIKE,
    "conjunctions": _SHARE_ALIKE,
    "mutated": _SHARE_ALIKE,
    "questions": _SHARE_ALIKE,
    "table_claims": _SHARE_ALIKE,
    "snli": "CC BY-SA 4.0",
    "mnli": "OANC",
    "infotabs": f"Apache-2.0 / {_SHARE_ALIKE}",
    "tabfact": "CC BY 4.0",
    "tabfact_cells": "CC BY 4.0",
    "semtabfacts": "CC BY 4.0",
    "bindings": _SHARE_ALIKE,
    "written": _SHARE_ALIKE,
    "given": "Apache-2.0",
    "given_few": "Apache-2.0",
    "retrieved": _SHARE_ALIKE,
    "pairs": "CC BY-SA / CC BY 4.0 / MIT / Apache-2.0 / ODC-BY",
    "synthetic": "Apache-2.0",
}
"""The licence of each source that is trained on, by its name."""
UNKNOWN = "not stated"


def licence_of(source: str, stated: Mapping[str, str]) -> str:
    """The licence of a source: what a recipe states, or else what is listed here."""
    return stated.get(source) or LICENCES.get(source, UNKNOWN)
