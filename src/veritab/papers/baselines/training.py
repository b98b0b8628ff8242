"""Fits that come out the same every time: seeds, pairs held out, epochs of which the best is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from veritab.errors import InputError
from veritab.papers.baselines.measures import FitProgress
from veritab.papers.baselines.vocabulary import hash_bucket
from veritab.train.examples import VerdictExample

LABELS = 3
_PARTS = 1000


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Chance begins at the seed inside, and is outside what it was before."""
    strict = torch.are_deterministic_algorithms_enabled()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.use_deterministic_algorithms(True)
        try:
            yield
        finally:
            torch.use_deterministic_algorithms(strict)


@contextmanager
def deterministic(seed: int = 0) -> Iterator[None]:
    """As `seeded`, and on one thread: sums come out the same on every machine, and busy cores are not waited for."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with seeded(seed):
            yield
    finally:
        torch.set_num_threads(threads)


def check_examples(pairs: Sequence[VerdictExample]) -> Sequence[VerdictExample]:
    """The pairs, if a model can be check_examples with them."""
    if not pairs:
        raise InputError("there are no pairs to fit to; name a source that has some")
    strange = next((pair.label for pair in pairs if pair.label not in range(LABELS)), None)
    if strange is not None:
        raise InputError(f"a pair has the label {strange!r}; expected 0 SUPPORTS, 1 REFUTES or 2 NOT ENOUGH INFO")
    return pairs


def held_out(pairs: Sequence[VerdictExample], share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of pairs to learn from and of pairs to choose the best epoch by; no claim is among both."""
    aside = np.array([hash_bucket(pair.claim, _PARTS) < share * _PARTS for pair in pairs], dtype=bool)
    if aside.all():
        aside[:] = False
    return np.flatnonzero(~aside), np.flatnonzero(aside)


def shuffled(places: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """The places in batches, in an order that chance decides."""
    order = places[torch.randperm(len(places)).numpy()]
    for start in range(0, len(order), size):
        yield order[start : start + size]


class StoppingConfig(Protocol):
    """The settings that say how long a network learns."""

    @property
    def epochs(self) -> int: ...
    @property
    def patience(self) -> int: ...
    @property
    def seed(self) -> int: ...


def train_until_best(
    network: torch.nn.Module, learn: Callable[[], float], answers: Callable[[], Any], gold: Any, course: StoppingConfig
) -> Iterator[FitProgress]:
    """Let the network learn until its answers to what is held out have not got better for some epochs; keep the best.

    `gold` are the labels of what is held out; where nothing is, it learns to the end.
    """
    best, best_at = -1.0, 0
    kept = None
    for epoch in range(1, course.epochs + 1):
        with deterministic(course.seed + epoch):
            values = {"loss": learn()}
        if len(gold):
            values["held out"] = float((np.array(answers()).argmax(axis=1) == np.asarray(gold)).mean())
            if values["held out"] > best:
                best, best_at, kept = values["held out"], epoch, deepcopy(network.state_dict())
        yield FitProgress(f"epoch {epoch}", values)
        if len(gold) and epoch - best_at >= course.patience:
            break
    if kept is not None:
        network.load_state_dict(kept)
