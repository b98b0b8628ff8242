"""What every source is handed: the files of the data sets, seeded random numbers, and a count of what is left out."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from veritab.build.sampling import random_stream
from veritab.datasets import DataFiles
from veritab.train.sources.pages import held_out_titles


@dataclass(frozen=True)
class SourceContext:
    """One reading of one source: the same data and seed give the same examples.

    Sources see no path, only `data`, which notes every file that is read.
    """

    data: DataFiles
    seed: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """Why records became no examples, and how many."""
    tested: frozenset[str] = frozenset()
    """More pages that nothing may be trained on, by the keys of their titles."""

    @property
    def held_out(self) -> frozenset[str]:
        """The pages that nothing is trained on, by the keys of their titles."""
        return held_out_titles(self.data) | self.tested

    def rng(self, *names: object) -> random.Random:
        """A stream of random numbers for each name, so that one choice more does not change all that follow."""
        return random_stream(self.seed, *names)
