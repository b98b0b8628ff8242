"""What every source is handed: the files of the data sets, seeded random numbers, and a count of what is left out."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from veritab.datasets import DataFiles
from veritab.errors import InputError


@dataclass(frozen=True)
class SourceContext:
    """One reading of one source: the same data and seed give the same examples.

    Sources see no path, only `data`, which notes every file that is read.
    """

    data: DataFiles
    seed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """Why records became no examples, and how many."""

    def rng(self, *names: object) -> random.Random:
        """A stream of random numbers for each name, so that one choice more does not change all that follow."""
        return random.Random("|".join(map(str, (self.seed, *names))))


def weighted_choice(rng: random.Random, weights: Mapping[str, float]) -> str:
    """One of the names, each as often as its weight says."""
    return rng.choices(list(weights), list(weights.values()))[0]


def check_weights(weights: Mapping[str, float], known: tuple[str, ...], what: str) -> dict[str, float]:
    """Weights for known names only, of which at least one counts."""
    for name, weight in weights.items():
        if name not in known or weight < 0:
            raise InputError(f"{what} has {name!r} = {weight!r}; expected weights from 0 on for {', '.join(known)}")
    if not sum(weights.values()) > 0:
        raise InputError(f"{what} is {dict(weights)!r}; give at least one of {', '.join(known)} a weight above 0")
    return dict(weights)
