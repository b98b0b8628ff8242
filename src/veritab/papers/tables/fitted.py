"""The papers' classifiers, fitted on first use by the recipes that ship and kept for the next table that asks."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from veritab.files import new_folder
from veritab.papers.tables.cells import ProgressStep
from veritab.papers.tables.inputs import TableInputs

if TYPE_CHECKING:
    from veritab.papers.baselines import Baseline
    from veritab.train.examples import VerdictExample

_DIGITS = 16


def recipe_of(settings: Mapping[str, Any], sources: Sequence[Mapping[str, Any]], seed: int = 0) -> dict[str, Any]:
    """The recipe that `settings` name, with what they change and with other sources; nothing is measured by it."""
    from veritab.papers.baselines import RECIPES

    changes = {name: value for name, value in settings.items() if name != "recipe"}
    recipe = tomllib.loads((RECIPES / f"{settings['recipe']}.toml").read_text(encoding="utf-8"))
    return {**recipe, **changes, "sources": [dict(each) for each in sources], "measure": [], "seed": seed}


def fit_or_load(inputs: TableInputs, what: str, recipe: Mapping[str, Any]) -> Generator[ProgressStep, None, Baseline]:
    """The model of a recipe; fitting takes a minute or some, reading it back nothing."""
    from veritab.papers import baselines

    identity = json.dumps([recipe, str(inputs.data_folder.resolve())], sort_keys=True).encode()
    folder = inputs.cache_folder / f"fitted-{recipe['model']}-{hashlib.sha256(identity).hexdigest()[:_DIGITS]}"
    if not folder.is_dir():
        inputs.cache_folder.mkdir(parents=True, exist_ok=True)
        with new_folder(folder) as partial:
            for progress in baselines.run(recipe, inputs.data_folder, partial, None):
                yield ProgressStep(f"fitting {what}: {progress.step}")
    return baselines.load(folder / baselines.MODEL)


def predict_labels(model: Baseline, pairs: Sequence[VerdictExample]) -> list[int]:
    """The most probable of the three labels for each pair."""
    return [max(range(3), key=row.__getitem__) for row in model.scores(pairs)]
