"""Exporting: the model opens in the runtime and says what the network said, in whole numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.train.small_runs import ROUNDED, fitted, recipe_of
from veritab.errors import NotFound
from veritab.models import open_verdict
from veritab.models.card import TrainingData
from veritab.train import agreement, onnx_graph
from veritab.train import recipe as recipes
from veritab.train.agreement import Disagreement
from veritab.train.examples import VerdictExample
from veritab.train.export import export
from veritab.train.folders import TrainingRun
from veritab.train.network import load_trained
from veritab.train.quantise import fake_quantise_weights, fake_quantised, quantise_blocks
from veritab.train.recipe import QuantiseConfig
from veritab.train.synthetic import examples
from veritab.train.tokenise import Tokeniser
from veritab.train.weights import compress_weights, decompress_weights


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> TrainingRun:
    """A fitted run."""
    return fitted(tmp_path_factory.mktemp("run"), recipe_of(more=ROUNDED))[0]


def pairs() -> list[VerdictExample]:
    return [each for each in examples("verdict", seed=9, count=12) if isinstance(each, VerdictExample)]


def told_by_network(run: TrainingRun) -> list[list[float]]:
    recipe = recipes.read(run.recipe)
    network = load_trained(recipe, run.trained).eval()
    tokeniser = Tokeniser(run.trained / "tokenizer.json", recipe.max_length)
    found = []
    with torch.inference_mode(), fake_quantised(network, recipe.quantise):
        for pair in pairs():
            made = tokeniser.verdict([pair])
            ids = torch.from_numpy(made.ids.astype(np.int64))[None]
            types = (torch.arange(ids.shape[1]) >= int(made.firsts[0])).long()[None]
            found.append(network(ids, torch.ones_like(ids), types)[0].tolist())
    return found


@pytest.mark.parametrize(
    ("bits", "embeddings", "activations"), [(4, 4, "text"), (8, 8, "text"), (8, 0, "token"), (4, 4, "none")]
)
def test_the_exported_model_opens_and_says_what_the_network_says(
    run: TrainingRun, bits: int, embeddings: int, activations: str
) -> None:
    how = f'[quantise]\nbits = {bits}\nembeddings = {embeddings}\nactivations = "{activations}"\n'
    run.recipe.write_text(recipe_of(more=how))
    *_, figures = export(run, sample=16)
    assert figures["agreement with the trained network, %"] == 100
    said = open_verdict(run.model).logits([(pair.claim, pair.evidence) for pair in pairs()])
    np.testing.assert_allclose(said, told_by_network(run), atol=2e-2)
    card = open_verdict(run.model).card
    assert (card.job, card.recipe) == ("verdict", "recipe")
    assert card.data == (TrainingData("synthetic", "Apache-2.0", 512),)
    assert card.measured["trained network, synthetic (count=64, salt=2), three-way"] > 95


def test_a_model_that_says_something_else_is_refused_unless_allowed(
    run: TrainingRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "MIN_AGREEMENT", 100.1)
    with pytest.raises(Disagreement, match="agrees with the trained network on") as refused:
        list(export(run, sample=4))
    assert refused.value.exit_code == 3
    assert list(export(run, sample=4, allow=True))
    assert json.loads(run.log.read_text().splitlines()[-1])["event"] == "agreement"


def test_large_weights_lie_in_a_file_beside_the_model(run: TrainingRun, monkeypatch: pytest.MonkeyPatch) -> None:
    run.recipe.write_text(recipe_of())
    small, _ = export(run, sample=4)
    before = open_verdict(run.model).logits([(pair.claim, pair.evidence) for pair in pairs()])
    monkeypatch.setattr(onnx_graph, "LARGEST_FILE", small["bytes"]["model.onnx"] - 1)
    exported, _ = export(run, sample=4)
    assert list(exported["bytes"]) == ["model.onnx", "model.onnx.data"]
    model = open_verdict(run.model)
    assert "model.onnx.data" in model.card.files
    np.testing.assert_array_equal(model.logits([(pair.claim, pair.evidence) for pair in pairs()]), before)


def test_a_run_from_before_runs_said_what_they_learned_from_is_exported(run: TrainingRun) -> None:
    (run.trained / "data.json").rename(run.folder / "data.json")
    list(export(run, sample=4, allow=True))
    (run.folder / "data.json").rename(run.trained / "data.json")
    assert open_verdict(run.model).card.data == (TrainingData("synthetic", "Apache-2.0", 512),)


def test_a_run_that_is_not_fitted_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="fit the run first"):
        list(export(TrainingRun(tmp_path)))


@pytest.mark.parametrize("job", ["selector", "encoder"])
def test_other_jobs_are_exported_alike(job: str, tmp_path: Path) -> None:
    run, _ = fitted(tmp_path, recipe_of(job, epochs=0.5, more=ROUNDED))
    *_, figures = export(run, sample=16)
    assert figures["agreement with the trained network, %"] == 100


# -- rounding ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", [4, 8])
def test_rounding_what_is_rounded_changes_nothing(bits: int) -> None:
    weights = torch.randn(24, 96, generator=torch.Generator().manual_seed(0))
    once = quantise_blocks(weights, bits, 32)
    again = quantise_blocks(once.weights(96), bits, 32)
    assert torch.equal(once.codes, again.codes)
    assert torch.equal(once.scales, again.scales)
    assert float((once.weights(96) - weights).abs().max()) <= 1.01 * float(once.scales.abs().max())


def test_blocks_of_nothing_stay_nothing() -> None:
    assert not fake_quantise_weights(torch.zeros(4, 32), QuantiseConfig(bits=4)).any()


@pytest.mark.parametrize(("bits", "embeddings"), [(4, 4), (8, 8)])
def test_packed_weights_come_back_as_they_were_rounded(run: TrainingRun, bits: int, embeddings: int) -> None:
    quantise = QuantiseConfig(bits=bits, embeddings=embeddings)
    network = load_trained(recipes.read(run.recipe), run.trained)
    torch.manual_seed(0)
    for values in network.parameters():
        torch.nn.init.normal_(values)
    with fake_quantised(network, quantise):
        wanted = {name: values.clone() for name, values in network.state_dict().items()}
    network.load_state_dict(decompress_weights(compress_weights(network, quantise)))
    with fake_quantised(network, quantise):
        for name, values in network.state_dict().items():
            torch.testing.assert_close(values, wanted[name], rtol=1e-5, atol=1e-7)


def test_gradients_pass_through_rounding_and_weights_come_back_exact(run: TrainingRun) -> None:
    network = load_trained(recipes.read(run.recipe), run.trained).train()
    before = {name: values.clone() for name, values in network.state_dict().items()}
    ids = torch.randint(4, 20, (3, 12), generator=torch.Generator().manual_seed(0))
    with fake_quantised(network, QuantiseConfig(bits=4, embeddings=4)):
        network(ids, torch.ones_like(ids)).sum().backward()
    product = network.encoder.encoder.layer[0].attention.self.query
    assert float(product.weight.grad.abs().sum()) > 0
    assert all(torch.equal(values, before[name]) for name, values in network.state_dict().items())
