"""Metrics with 95 % confidence intervals, and paired tests of whether two systems differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from veritab.errors import InputError

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Statistic: TypeAlias = Callable[[NDArray[numpy.float64]], NDArray[numpy.float64]]

RESAMPLES = 1000
SEED = 0
_Z = NormalDist().inv_cdf(0.975)


class Metric(NamedTuple):
    """A metric over n claims with its 95 % confidence interval, by `wilson` or `bootstrap` (percentiles)."""

    value: float
    low: float
    high: float
    method: str
    n: int = 0

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def interval(self) -> dict[str, Any]:
        """The interval as JSON."""
        return {"low": self.low, "high": self.high, "method": self.method}


def mean_metric(values: Sequence[float]) -> Metric:
    """The mean of one number for each claim; of shares the interval is Wilson's."""
    value, n = fmean(values), len(values)
    if all(each in (0, 1) for each in values):
        return Metric(value, *wilson(value, n), "wilson", n)
    return Metric(value, *bootstrap(values), "bootstrap", n)


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n; [0, 1] where n is 0."""
    if not n:
        return 0.0, 1.0
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    margin = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return max(0.0, min(share, centre - margin)), min(1.0, max(share, centre + margin))


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean over claims."""
    import numpy

    distinct, counts = _distinct(values)
    # Resampling claims is sampling how often each value occurs: the same distribution, with far fewer numbers.
    samples = numpy.random.default_rng(SEED).multinomial(len(values), counts / len(values), size=RESAMPLES)
    low, high = numpy.quantile(samples @ distinct / len(values), (0.025, 0.975))
    return float(low), float(high)


def pooled_metric(rows: Sequence[tuple[float, ...]], statistic: Statistic) -> Metric:
    """A metric computed from sums over claims (an F1, say): `rows` has the summands of each claim.

    The statistic gets sums, one row for each resample, and gives one number for each.
    """
    import numpy

    alike = sorted(Counter(rows).items())
    distinct, counts = numpy.array([row for row, _ in alike]), numpy.array([count for _, count in alike])
    value = float(statistic((counts @ distinct)[None, :])[0])
    samples = numpy.random.default_rng(SEED).multinomial(len(rows), counts / len(rows), size=RESAMPLES)
    low, high = numpy.quantile(statistic(samples @ distinct), (0.025, 0.975))
    return Metric(value, min(float(low), value), max(float(high), value), "bootstrap", len(rows))


def _distinct(values: Sequence[float]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The different values, rounding noise aside, and how often each occurs."""
    import numpy

    return numpy.unique(numpy.round(numpy.asarray(values, dtype=float), 12), return_counts=True)


# -- comparing ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MetricComparison:
    """Two systems on the same claims under one metric; the differences are second minus first.

    The 95 % interval is a paired bootstrap's, the p value (two-sided) that of a randomisation test which swaps
    the two systems claim by claim. `better`, `worse` and `same` count claims from the second system's side.
    """

    metric: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    better: int
    worse: int
    same: int

    def __str__(self) -> str:
        change = f"{self.difference:+.3f} [{self.low:+.3f}, {self.high:+.3f}], p = {self.p_value:.4f}"
        return f"{self.metric}: {self.first:.3f} -> {self.second:.3f}, {change}"


def compare_values(first: Sequence[float], second: Sequence[float], metric: str) -> MetricComparison:
    """Whether two systems differ on a mean, from one number of each for every claim, in the same order."""
    if len(first) != len(second) or not first:
        raise InputError(
            f"two systems are compared on the same claims, at least one, not {len(first)} and {len(second)}"
        )
    differences = [right - left for left, right in zip(first, second, strict=True)]
    better = sum(difference > 0 for difference in differences)
    worse = sum(difference < 0 for difference in differences)
    same = len(differences) - better - worse
    low, high = bootstrap(differences)
    p_value = _randomisation(differences)
    return MetricComparison(
        metric, fmean(first), fmean(second), fmean(differences), low, high, p_value, better, worse, same
    )


def _randomisation(differences: Sequence[float]) -> float:
    """The p value of a randomisation test: how often random signs give as large a total difference."""
    import numpy

    sizes, counts = _distinct([abs(difference) for difference in differences])
    observed = abs(math.fsum(differences))
    random = numpy.random.default_rng(SEED)
    extreme, rounds = 0, 10
    for _ in range(rounds):
        positive = random.binomial(counts, 0.5, size=(RESAMPLES, len(counts)))
        sums = (2 * positive - counts) @ sizes
        extreme += int(numpy.count_nonzero(numpy.abs(sums) >= observed - 1e-9))
    return (extreme + 1) / (rounds * RESAMPLES + 1)
