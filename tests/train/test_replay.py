"""Steps that are recorded: what is taken again is learnt from the texts of now, and leaves the same gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from tests.train.small_networks import alone, network_of, tokens_of  # noqa: F401
from veritab.train import feed as feeds
from veritab.train import recipe as recipes
from veritab.train.feed import Feed
from veritab.train.jobs import job
from veritab.train.recipe import Quantise
from veritab.train.replay import HEIGHTS, OnCard, Recorded, Replays

pytestmark = pytest.mark.usefixtures("alone")
STEPS = [np.arange(0, 12), np.arange(12, 24), np.arange(3, 15), np.arange(0, 5)]


class Repeated:
    """A record without a graphics card: the same is done once more, and the loss is left where it was."""

    def __init__(self) -> None:
        self.recorded = 0

    def __call__(self, take: Callable[[], Any]) -> Recorded:
        self.recorded += 1
        loss = take()
        return Recorded(lambda: loss.copy_(take()), loss)


def compared(device: str, record: Any, name: str = "selector") -> None:
    """Steps taken one by one, and the same from a record."""
    network = network_of("mpnet", name).to(device)
    stage = {"name": "only", "sources": [{"name": "invented"}]}
    made = job(recipes.made({"job": name, "base": "random:tiny", "stage": [stage]}), network)

    def gradient(feed: Feed, units: Any, quantise: Quantise | None) -> Any:
        return made.learn(feed, units)

    feed = Feed(tokens_of(name), network, device, packs=True, multiple=HEIGHTS)
    replays = Replays(gradient, network, record)
    for units in STEPS:
        # What is recorded adds to gradients where they lie: they must not be made anew between two steps.
        network.zero_grad(set_to_none=False)
        wanted = gradient(feed, units, None)
        gradients = [weights.grad.clone() for weights in network.parameters() if weights.grad is not None]
        network.zero_grad(set_to_none=False)
        found = replays(feed, units, None)
        others = [weights.grad for weights in network.parameters() if weights.grad is not None]
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-4)
        for one, other in zip(gradients, others, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-2, atol=1e-4)


@pytest.mark.parametrize("name", ["verdict", "selector"])
def test_a_recorded_step_learns_from_the_texts_of_now(name: str) -> None:
    record = Repeated()
    compared("cpu", record, name)
    # Three steps are of one height and of as many texts.
    assert record.recorded == 2


def test_a_step_that_takes_several_turns_is_not_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "_AT_ONCE", 256)
    record = Repeated()
    compared("cpu", record)
    assert record.recorded == 1


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no graphics card")
def test_a_graphics_card_takes_again_what_it_was_told_once() -> None:
    compared("cuda", OnCard())
