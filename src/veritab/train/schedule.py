"""The learning-rate schedule of a run, and how many of its steps fit a limit of seconds."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from statistics import median

from veritab.train.recipe import Recipe

_FIRST = 20
"""The first steps are not timed: memory is allocated, kernels are chosen, files are read."""
_RECENT = 5
"""The median of this many last estimates counts, so that a short stall passes."""
_GROWS_UNTIL = 0.5
"""Beyond this share a stage gets no longer: its learning rate has fallen, and would have to rise again."""


class Schedule:
    """The steps of all stages; fewer, if all of them would take longer than allowed.

    With a limit of seconds the steps are planned again whenever `fit` is called: fewer where time runs out, and more,
    up to what the recipe wants, where steps turn out to be faster than estimated.
    """

    def __init__(
        self,
        recipe: Recipe,
        steps: list[int],
        costs: list[float],
        seconds: float | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.steps = list(steps)
        self._wanted = tuple(steps)
        self._recipe = recipe
        self._costs = costs
        self._seconds = seconds
        self._clock = clock
        self._started = self._since = clock()
        self._taken = 0
        self._work = 0.0
        self._recent: deque[float] = deque(maxlen=_RECENT)

    @property
    def total(self) -> int:
        return sum(self.steps)

    def elapsed(self) -> float:
        return self._clock() - self._started

    def share(self, stage: int, step: int) -> float:
        """The share of all steps that is done."""
        return (sum(self.steps[:stage]) + step) / self.total

    def rate(self, stage: int, step: int) -> float:
        """The learning rate of a step: linear warm-up, then linear decay to zero."""
        if self._recipe.schedule == "all":
            place, steps = sum(self.steps[:stage]) + step, self.total
        else:
            place, steps = step, self.steps[stage]
        rising = max(1.0, self._recipe.warm_up * steps)
        share = min((place + 1) / rising, (steps - place) / max(1.0, steps - rising), 1.0)
        return self._recipe.stages[stage].rate * share

    def count_step(self, stage: int) -> None:
        """Count one more step as done."""
        self._taken += 1
        self._work += self._costs[stage]
        if self._taken == _FIRST:
            self._begin()

    def restart_clock(self) -> None:
        """Leave the time since the last step out of the estimate."""
        self._begin()

    def fit(self, stage: int, step: int) -> None:
        """Plan as many steps as there is time for, of this stage and of later ones alike."""
        if self._seconds is None:
            return
        if self._taken > _FIRST and self._work:
            self._recent.append((self._clock() - self._since) / self._work)
            self._begin()
        if self._recent:
            self._plan(stage, step, max(0.0, self._seconds - self.elapsed()) / max(median(self._recent), 1e-12))

    def _begin(self) -> None:
        self._since, self._work = self._clock(), 0.0

    def _plan(self, stage: int, step: int, affordable: float) -> None:
        """Cut the steps of every stage by the same share, so that the rest is affordable."""
        cost, planned, later = self._costs[stage], self.steps[stage], self._wanted[stage + 1 :]
        after = sum(count * each for count, each in zip(later, self._costs[stage + 1 :], strict=True))
        share = min(1.0, (affordable + step * cost) / (self._wanted[stage] * cost + after))
        own = max(step, math.floor(share * self._wanted[stage]))
        may_grow = step < min(_GROWS_UNTIL, 1 - self._recipe.average) * planned
        self.steps[stage] = own if may_grow else min(own, planned)
        if after:
            rest = max(0.0, affordable - (self.steps[stage] - step) * cost)
            self.steps[stage + 1 :] = [max(1, math.floor(count * min(1.0, rest / after))) for count in later]
