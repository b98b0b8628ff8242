"""Steps that a graphics card is told once and takes again and again, without being told every product anew."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from veritab.train.feed import Feed
from veritab.train.recipe import Quantise

HEIGHTS = 4
"""Heights of lines are a multiple of this: every other height would have to be told."""
_TRIED = 3
"""A step is tried so often before it is recorded, so that all that happens only once has happened."""
Take = Callable[[], Any]
Gradient = Callable[[Feed, NDArray[np.int64], Quantise | None], Any]


class Recorded(NamedTuple):
    """A step that can be taken again, and where it leaves its loss."""

    again: Take
    loss: Any


class _Known(NamedTuple):
    """A step of some height, and where it expects its texts."""

    columns: Any
    recorded: Recorded


class OnCard:
    """Records steps on the graphics card; one is over before the next begins, so that they share their memory."""

    def __init__(self) -> None:
        self._memory: Any = None

    def __call__(self, take: Take) -> Recorded:
        aside: Any = torch.cuda.Stream()  # type: ignore[no-untyped-call, unused-ignore]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(_TRIED):
                take()
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        self._memory = self._memory or torch.cuda.graph_pool_handle()
        with torch.cuda.graph(graph, pool=self._memory):
            loss = take()
        return Recorded(graph.replay, loss)


class Replays:
    """The gradient of a step, recorded for every height of lines that comes up.

    Gradients stay where they are from step to step, and what is recorded adds to them: set them to zero, not to None.
    """

    def __init__(self, gradient: Gradient, network: Any, record: Callable[[Take], Recorded] | None = None) -> None:
        self._gradient = gradient
        self._record = record or OnCard()
        self._weights = [weights for weights in network.parameters() if weights.requires_grad]
        self._known: dict[Hashable, _Known] = {}

    def __call__(self, feed: Feed, units: NDArray[np.int64], quantise: Quantise | None) -> Any:
        """The loss of a step, and its gradient beside the weights."""
        found = feed.lines(units) if feed.packs else []
        if len(found) != 1:
            return self._gradient(feed, units, quantise)
        (lines,) = found
        columns = feed.columns(lines)
        key = (feed, lines.height, len(lines.rows), quantise)
        if key not in self._known:
            there = feed.sent(columns)
            held = feed.holding(feed.unrolled(there, lines))
            self._known[key] = _Known(there, self._learning_nothing(lambda: self._gradient(held, units, quantise)))
        known = self._known[key]
        known.columns.copy_(feed.waiting(columns), non_blocking=True)
        known.recorded.again()
        return known.recorded.loss.clone()

    def _learning_nothing(self, take: Take) -> Recorded:
        """A step, recorded; its gradients are not added yet."""
        before = [None if weights.grad is None else weights.grad.clone() for weights in self._weights]
        recorded = self._record(take)
        for weights, kept in zip(self._weights, before, strict=True):
            if weights.grad is not None:
                weights.grad.zero_() if kept is None else weights.grad.copy_(kept)
        return recorded
