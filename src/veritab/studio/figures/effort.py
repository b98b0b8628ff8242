"""How long annotations took, and how much was searched for them (FEVEROUS, 7.5.1 and 7.5.2)."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from veritab.datasets.statistics import Spread
from veritab.studio.figures.rows import OperationCounts
from veritab.studio.figures.values import Figure, mean_figure

LONGEST = 1200
"""Seconds after which somebody was away rather than at work; such annotations are counted and not averaged."""

_TENTHS = 10


class Effort(NamedTuple):
    """What annotations of one kind took: seconds each, and how many searches and links each.

    Seconds are those of annotations of up to 1,200 seconds; how many took longer stands apart. Searches are all of
    them, for pages as for words in pages (`full_text`, where no suggested page was taken); page searches look for a
    word on the page that is open.
    """

    annotations: int
    seconds: Figure
    median_seconds: Figure
    too_long: int
    searches: Figure
    full_text: Figure
    hyperlinks: Figure
    page_searches: Figure


class EffortCounter:
    """Counts what annotations took; its memory does not grow with them."""

    def __init__(self) -> None:
        self.annotations = self.too_long = self.logged = 0
        self.seconds = 0.0
        self.tenths: Counter[int] = Counter()
        self.operations = OperationCounts()

    def add(self, seconds: float | None, operations: OperationCounts | None) -> None:
        """Count one annotation; None where its log was not kept."""
        self.annotations += 1
        if seconds is not None and seconds > LONGEST:
            self.too_long += 1
        elif seconds is not None:
            self.seconds += seconds
            self.tenths[round(seconds * _TENTHS)] += 1
        if operations is not None:
            self.logged += 1
            self.operations = OperationCounts(*map(sum, zip(self.operations, operations, strict=True)))

    def result(self) -> Effort:
        """The means and the median of all that was counted."""
        timed = Spread.of(self.tenths)
        things = f"annotation of up to {LONGEST:,} seconds"
        return Effort(
            self.annotations,
            mean_figure(self.seconds, timed.n, things),
            mean_figure(timed.median * timed.n / _TENTHS, timed.n, things),
            self.too_long,
            *(mean_figure(count, self.logged, "annotation with a log") for count in self.operations),
        )
