"""The few inputs that grow far larger than the others are multiplied apart."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from tests.train.small_runs import fitted, recipe_of
from veritab.models import open_verdict
from veritab.train import recipe as recipes
from veritab.train.examples import VerdictExample
from veritab.train.export import export
from veritab.train.folders import TrainingRun
from veritab.train.network import WEIGHTS, load_trained
from veritab.train.outliers import find_outliers
from veritab.train.synthetic import examples

_OUTLIER = 5


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TrainingRun:
    """A run whose network has one number inside that is far larger than all others, and hardly counts."""
    made = fitted(tmp_path_factory.mktemp("run"), recipe_of())[0]
    weights = load_file(made.trained / WEIGHTS)
    first = "encoder.encoder.layer.0."
    weights[f"{first}intermediate.dense.bias"][_OUTLIER] = 300
    weights[f"{first}output.dense.weight"] *= 8
    weights[f"{first}output.dense.weight"][:, _OUTLIER] /= 2400
    save_file(weights, made.trained / WEIGHTS)
    return made


def logits(run: TrainingRun, quantise: str) -> NDArray[np.float32]:
    run.recipe.write_text(recipe_of(more=quantise))
    list(export(run, sample=4, allow=True))
    pairs = [each for each in examples("verdict", seed=9, count=24) if isinstance(each, VerdictExample)]
    return open_verdict(run.model).logits([(pair.claim, pair.evidence) for pair in pairs])


def test_outlier_inputs_are_found_by_the_name_of_their_product(run: TrainingRun) -> None:
    run.recipe.write_text(recipe_of(more="[quantise]\noutliers = 1\n"))
    recipe = recipes.read(run.recipe)
    found = find_outliers(recipe, load_trained(recipe, run.trained).eval(), run.prepared)
    assert found["/encoder/encoder/layer.0/output/dense"] == (_OUTLIER,)


def test_outlier_inputs_no_longer_cost_the_others_precision(run: TrainingRun) -> None:
    exact = logits(run, '[quantise]\nbits = 8\nactivations = "none"\n')
    plain = logits(run, "[quantise]\nbits = 8\n")
    apart = logits(run, "[quantise]\nbits = 8\noutliers = 2\n")
    assert np.abs(apart - exact).mean() < np.abs(plain - exact).mean() / 2
