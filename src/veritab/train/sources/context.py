"""What every source is handed: the files of the data sets, seeded random numbers, and a count of what is left out."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field

from veritab.build.sampling import random_stream
from veritab.datasets import DataFiles


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
        return random_stream(self.seed, *names)
