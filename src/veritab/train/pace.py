"""How many steps a run takes, how fast it learns in each, and what a limit of seconds leaves of them."""

from __future__ import annotations

import math
import time

from veritab.train.recipe import Recipe


class Pace:
    """The steps of all stages; fewer, if all of them would take longer than allowed."""

    def __init__(self, recipe: Recipe, steps: list[int], costs: list[float], seconds: float | None) -> None:
        self.steps = steps
        self._recipe = recipe
        self._costs = costs
        self._seconds = seconds
        self._started = time.monotonic()
        self._done = 0.0

    @property
    def total(self) -> int:
        return sum(self.steps)

    def elapsed(self) -> float:
        return time.monotonic() - self._started

    def share(self, stage: int, step: int) -> float:
        """How much of all steps is over."""
        return (sum(self.steps[:stage]) + step) / self.total

    def rate(self, stage: int, step: int) -> float:
        """The learning rate of a step: up in a straight line, then down to nothing."""
        if self._recipe.schedule == "all":
            place, steps = sum(self.steps[:stage]) + step, self.total
        else:
            place, steps = step, self.steps[stage]
        rising = max(1.0, self._recipe.warm_up * steps)
        share = min((place + 1) / rising, (steps - place) / max(1.0, steps - rising), 1.0)
        return self._recipe.stages[stage].rate * share

    def took(self, stage: int) -> None:
        """One more step is over."""
        self._done += self._costs[stage]

    def fit(self, stage: int, step: int) -> None:
        """Leave out steps for which there is no time, of this stage and of those to come alike."""
        if self._seconds is None or not self._done:
            return
        left = [self.steps[stage] - step, *self.steps[stage + 1 :]]
        work = sum(count * cost for count, cost in zip(left, self._costs[stage:], strict=True))
        affordable = max(0.0, self._seconds - self.elapsed()) * self._done / self.elapsed()
        if work <= affordable or not work:
            return
        share = affordable / work
        self.steps[stage] = step + math.floor(left[0] * share)
        self.steps[stage + 1 :] = [max(1, math.floor(count * share)) for count in left[1:]]
