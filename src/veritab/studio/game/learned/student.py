"""Welch's t-test: whether two groups of numbers differ in their means, without assuming that they spread alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, variance
from typing import NamedTuple

_TINY = 1e-300
_EXACT = 1e-15
_TERMS = 300


class MeanDifference(NamedTuple):
    """Two means and what Welch's test says of them; no test where a group has fewer than two or nothing spreads."""

    first: float | None
    second: float | None
    first_n: int
    second_n: int
    t: float | None = None
    degrees: float | None = None
    p_value: float | None = None
    reason: str = ""


def compare_means(first: Sequence[float], second: Sequence[float]) -> MeanDifference:
    """The means of two groups, with the two-sided p value of their difference."""
    means = (fmean(first) if first else None, fmean(second) if second else None, len(first), len(second))
    if min(len(first), len(second)) < 2:
        return MeanDifference(*means, reason="a group has fewer than two")
    spreads = [variance(each) / len(each) for each in (first, second)]
    if not sum(spreads):
        return MeanDifference(*means, reason="the numbers of each group are alike")
    t = (fmean(first) - fmean(second)) / math.sqrt(sum(spreads))
    parts = [spread**2 / (len(each) - 1) for spread, each in zip(spreads, (first, second), strict=True)]
    degrees = sum(spreads) ** 2 / sum(parts)
    return MeanDifference(*means, t, degrees, student_tails(t, degrees))


def student_tails(t: float, degrees: float) -> float:
    """How likely Student's t is so far from 0, or further, on either side."""
    return _beta_share(degrees / 2, 0.5, degrees / (degrees + t * t))


def _beta_share(a: float, b: float, x: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # the fraction converges fast on this side alone
        return 1 - _beta_share(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    value = c = 1.0
    d = 0.0
    for term in range(_TERMS):
        half = term // 2
        if term == 0:
            numerator = 1.0
        elif term % 2 == 0:
            numerator = half * (b - half) * x / ((a + 2 * half - 1) * (a + 2 * half))
        else:
            numerator = -(a + half) * (a + b + half) * x / ((a + 2 * half) * (a + 2 * half + 1))
        d = 1 / (1 + numerator * d or _TINY)
        c = 1 + numerator / c or _TINY
        value *= c * d
        if abs(1 - c * d) < _EXACT:
            break
    return front * (value - 1) / a
