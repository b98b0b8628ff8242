"""A figure and its kin: numbers that say how many things they rest on, or why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple


class Figure(NamedTuple):
    """A number that was measured on n things; without a value where nothing can be measured, with the reason."""

    value: float | None
    n: int
    reason: str = ""


def mean_figure(total: float, n: int, things: str) -> Figure:
    """A total divided by the number of things it is of; a share where the total is a count of them."""
    return Figure(total / n, n) if n else Figure(None, 0, f"no {things}")


class Tally(NamedTuple):
    """How many of n things there are by name, the most frequent first."""

    n: int
    counts: Mapping[str, int]

    @classmethod
    def of(cls, counts: Counter[str]) -> Tally:
        """A tally of all that was counted."""
        return cls(counts.total(), dict(sorted(counts.items(), key=lambda each: (-each[1], each[0]))))


class Histogram(NamedTuple):
    """How many of n things there are by number, the lowest first."""

    n: int
    counts: Mapping[int, int]

    @classmethod
    def of(cls, counts: Counter[int]) -> Histogram:
        """A histogram of all that was counted."""
        return cls(counts.total(), dict(sorted(counts.items())))
