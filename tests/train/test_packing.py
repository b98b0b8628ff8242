"""Texts that share lines: none is lost, each is read as if it were alone, and what is learnt from them is the same."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, strategies

from tests.train.small_networks import KINDS_OF_NETWORK, alone, network_of, tokens_of  # noqa: F401
from tests.train.small_runs import ROUNDED, fitted, recipe_of
from veritab.train import batches, loop
from veritab.train import recipe as recipes
from veritab.train.batches import TokenBatches
from veritab.train.network import perturbed_embeddings
from veritab.train.objectives import make_objective
from veritab.train.quantise import ActivationQuantiser, fake_quantised
from veritab.train.recipe import QuantiseConfig
from veritab.train.tokens import line_width, pack_sequences

JOBS = ("verdict", "selector", "encoder")
pytestmark = pytest.mark.usefixtures("alone")


def learnt(
    batches: TokenBatches, network: Any, told: dict[str, Any], quantise: QuantiseConfig | None = None
) -> tuple[Any, list[Any]]:
    """The loss of one step, and the gradients it leaves."""
    stage = {"name": "only", "sources": [{"name": "synthetic"}]}
    made = make_objective(recipes.parse_recipe({"base": "random:tiny", "stage": [stage], **told}), network)
    network.zero_grad()
    with fake_quantised(network, quantise):
        loss = made.learn(batches, np.arange(len(made.units(batches.tokens)))[::-1])
    return loss, [weights.grad.clone() for weights in network.parameters() if weights.grad is not None]


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few tokens at once that a step takes several turns."""
    monkeypatch.setattr(batches, "_AT_ONCE", 600)


# -- the same as apart -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS_OF_NETWORK)
@pytest.mark.parametrize("name", JOBS)
@pytest.mark.parametrize("pool", ["first", "mean"])
def test_texts_that_share_lines_teach_what_they_teach_apart(kind: str, name: str, pool: str) -> None:
    network = network_of(kind, name, pool)
    texts = tokens_of(name)
    chance = np.random.default_rng(1)
    teacher = chance.normal(size=(texts.texts, 3)).astype(np.float32) if name == "verdict" else None
    told: dict[str, Any] = {"job": name, "negatives": 2}
    if name == "verdict":
        told |= {"two_way": 0.3, "smoothing": 0.1, "teacher": {"run": "before"}}
    if name == "encoder":
        told |= {"anchor": 0.5}
    apart = TokenBatches(texts, network, "cpu", teacher)
    shared = TokenBatches(texts, network, "cpu", teacher, packs=True)
    assert shared.packs
    assert not apart.packs
    assert len(shared.step_batches(np.arange(texts.texts))) == 1
    wanted, gradients = learnt(apart, network, told)
    found, others = learnt(shared, network, told)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)
    assert len(gradients) == len(others) > 20
    for one, other in zip(gradients, others, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-5)


@pytest.mark.usefixtures("narrow")
@pytest.mark.parametrize("name", JOBS)
def test_a_step_of_many_tokens_takes_several_turns_and_teaches_the_same(name: str) -> None:
    network = network_of("mpnet", name)
    texts = tokens_of(name)
    shared = TokenBatches(texts, network, "cpu", packs=True)
    assert len(shared.step_batches(np.arange(texts.texts))) > 1
    wanted, _ = learnt(TokenBatches(texts, network, "cpu"), network, {"job": name})
    found, _ = learnt(shared, network, {"job": name})
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


def test_an_answer_does_not_depend_on_who_shares_the_line() -> None:
    network = network_of("mpnet", "verdict")
    texts = tokens_of("verdict")
    batches = TokenBatches(texts, network, "cpu", packs=True)
    with torch.no_grad():
        (together,) = batches.step_batches(np.arange(texts.texts))
        (two,) = batches.step_batches(np.array([5, 2]))
        torch.testing.assert_close(network(**two.inputs), network(**together.inputs)[[5, 2]], rtol=0, atol=1e-5)


# -- rounding ----------------------------------------------------------------------------------------------


def test_every_text_of_a_line_is_rounded_by_its_own_numbers() -> None:
    network = network_of("bert", "verdict")
    texts = tokens_of("verdict")
    chance = np.random.default_rng(2)
    states = (
        chance.normal(size=(len(texts.ids), 8)) * np.repeat(chance.uniform(0.1, 9, texts.texts), texts.lengths)[:, None]
    )
    begins = np.cumsum(texts.lengths) - texts.lengths
    lines, rounding = TokenBatches(texts, network, "cpu", packs=True), ActivationQuantiser("text")
    (piece,) = lines.step_batches(np.arange(texts.texts))
    rounding.places = piece.inputs["places"]
    height, width = piece.inputs["input_ids"].shape
    packed = torch.full((height * width, 8), 1e3)
    starts = rounding.places.starts.tolist()
    for begin, start, length in zip(begins, starts, texts.lengths, strict=True):
        packed[start : start + length] = torch.from_numpy(states[begin : begin + length]).float()
    (found,) = rounding(None, (packed.view(height, width, 8),))
    for begin, start, length in zip(begins, starts, texts.lengths, strict=True):
        single = ActivationQuantiser("text")
        single.mask = torch.ones(1, int(length))
        (wanted,) = single(None, (torch.from_numpy(states[begin : begin + length]).float().unsqueeze(0),))
        assert torch.equal(found.view(-1, 8)[start : start + length], wanted[0])


@pytest.mark.parametrize("activations", ["text", "token"])
def test_a_rounded_network_learns_the_same_from_shared_lines(activations: str) -> None:
    network = network_of("mpnet", "verdict")
    texts = tokens_of("verdict")
    how = QuantiseConfig(bits=4, embeddings=4, activations=activations)
    wanted, _ = learnt(TokenBatches(texts, network, "cpu"), network, {"job": "verdict"}, how)
    found, gradients = learnt(TokenBatches(texts, network, "cpu", packs=True), network, {"job": "verdict"}, how)
    # A number that lies between two steps may be rounded either way.
    assert float(found) == pytest.approx(float(wanted), abs=5e-3)
    assert all(bool(gradient.isfinite().all()) for gradient in gradients)


def test_token_vectors_are_pushed_the_same_way_from_shared_lines() -> None:
    network = network_of("bert", "verdict")
    texts = tokens_of("verdict")
    moved = []
    for packs in (False, True):
        batches = TokenBatches(texts, network, "cpu", packs=packs)
        learnt(batches, network, {"job": "verdict"})
        with perturbed_embeddings(network, 0.5):
            moved.append(learnt(batches, network, {"job": "verdict"})[0])
    torch.testing.assert_close(moved[0], moved[1], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", JOBS)
def test_a_whole_run_learns_from_shared_lines(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "TokenBatches", partial(TokenBatches, packs=True))
    monkeypatch.setattr(batches, "line_width", lambda lengths: 64)
    top = "adversarial = 0.1\naverage = 0.4" if name == "verdict" else ""
    _, events = fitted(tmp_path, recipe_of(name, epochs=3, top=top, more=ROUNDED if name == "verdict" else ""))
    losses = [event["loss"] for event in events if event["event"] == "step"]
    assert losses[-1] < 0.8 * losses[0]


# -- where texts go ----------------------------------------------------------------------------------------


@given(strategies.lists(strategies.integers(1, 300), min_size=1, max_size=30), strategies.integers(1, 5))
def test_every_text_is_whole_and_alone_in_its_place(sizes: list[int], lines_at_once: int) -> None:
    lengths = np.array(sizes, dtype=np.int64)
    width = line_width(lengths)
    found = pack_sequences(np.arange(len(sizes)), lengths, width, width * lines_at_once)
    assert sorted(row for lines in found for row in lines.rows.tolist()) == list(range(len(sizes)))
    for lines in found:
        taken = np.zeros(lines.height * lines.width, dtype=np.int64)
        assert lines.height <= lines_at_once
        for row, start in zip(lines.rows.tolist(), lines.starts.tolist(), strict=True):
            assert start // width == (start + sizes[row] - 1) // width
            taken[start : start + sizes[row]] += 1
        assert taken.max() == 1


def test_short_texts_fill_the_lines_of_long_ones() -> None:
    lengths = np.array([100, 300, 84, 284, 384], dtype=np.int64)
    (lines,) = pack_sequences(np.arange(5), lengths, line_width(lengths), 10**6)
    assert (lines.height, lines.width) == (3, 384)


@pytest.mark.parametrize(("longest", "width"), [(20, 256), (256, 256), (257, 320), (384, 384), (500, 512)])
def test_lines_are_as_wide_as_the_longest_text_asks_for(longest: int, width: int) -> None:
    assert line_width(np.array([3, longest])) == width
