"""Deterministic fits: seeds, held-out pairs, early stopping at the best epoch."""

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
    """Torch is seeded and deterministic inside this block; outside, its random state is unchanged."""
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
    """As `seeded`, and on one thread, so that sums are the same on every machine."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with seeded(seed):
            yield
    finally:
        torch.set_num_threads(threads)


def check_examples(pairs: Sequence[VerdictExample]) -> Sequence[VerdictExample]:
    """The pairs, if a model can be fitted to them."""
    if not pairs:
        raise InputError("there are no pairs to fit to; name a source that has some")
    strange = next((pair.label for pair in pairs if pair.label not in range(LABELS)), None)
    if strange is not None:
        raise InputError(f"a pair has the label {strange!r}; expected 0 SUPPORTS, 1 REFUTES or 2 NOT ENOUGH INFO")
    return pairs


def split_held_out(pairs: Sequence[VerdictExample], share: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The indices of training pairs and of held-out ones; no claim is among both."""
    aside = np.array([hash_bucket(pair.claim, _PARTS) < share * _PARTS for pair in pairs], dtype=bool)
    if aside.all():
        aside[:] = False
    return np.flatnonzero(~aside), np.flatnonzero(aside)


def shuffled(places: NDArray[np.int64], size: int) -> Iterator[NDArray[np.int64]]:
    """The indices in batches, in random order."""
    order = places[torch.randperm(len(places)).numpy()]
    for start in range(0, len(order), size):
        yield order[start : start + size]


class StoppingConfig(Protocol):
    """The settings of early stopping."""

    @property
    def epochs(self) -> int: ...
    @property
    def patience(self) -> int: ...
    @property
    def seed(self) -> int: ...


def train_until_best(
    network: torch.nn.Module, learn: Callable[[], float], answers: Callable[[], Any], gold: Any, course: StoppingConfig
) -> Iterator[FitProgress]:
    """Train until the held-out accuracy has not improved for `patience` epochs, and keep the best epoch.

    `gold` are the held-out labels; where there are none, all epochs are run.
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
