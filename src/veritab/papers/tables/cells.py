"""A table of a paper as plain values: one cell for each number it holds, ours beside theirs, and what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from veritab.evaluate.metrics import RESAMPLES, SEED, Metric, wilson


class Number(NamedTuple):
    """What was measured here, from 0 to 1, with its 95 % interval and how many claims it was measured on."""

    value: float
    low: float
    high: float
    n: int

    def in_unit(self, unit: str) -> Number:
        """The number as its paper prints numbers: in percent, or as a share."""
        scale = 100 if unit == "percent" else 1
        value, low, high = (round(scale * each, 6) for each in self[:3])
        return Number(value, low, high, self.n)


@dataclass(frozen=True)
class TableCell:
    """One cell: what we measured or, with `why`, the reason that nothing could be; what the paper says; what differs.

    `ours` is a number, or a text where the table holds words. `notes` name entries of the table's notes, which say what
    replaces what.
    """

    row: str
    column: str
    ours: Number | str | None = None
    published: float | str | None = None
    notes: tuple[str, ...] = ()
    why: str = ""

    def as_dict(self, unit: str) -> dict[str, Any]:
        """The cell as JSON, both numbers in the unit of the paper."""
        return {
            "row": self.row,
            "column": self.column,
            "ours": self.ours.in_unit(unit)._asdict() if isinstance(self.ours, Number) else self.ours,
            "published": self.published,
            "notes": list(self.notes),
            "why": self.why,
        }


class ProgressStep(NamedTuple):
    """What is being done, for whoever waits."""

    what: str


class TableNote(NamedTuple):
    """What replaces what, under the name by which cells refer to it."""

    name: str
    text: str


TableEvent: TypeAlias = TableCell | TableNote | ProgressStep
"""What filling a table yields, in the order in which it becomes known."""


def share(outcomes: Iterable[bool]) -> Number:
    """How many of some claims came out right."""
    every = list(outcomes)
    if not every:
        return Number(0.0, 0.0, 1.0, 0)
    value = sum(every) / len(every)
    return Number(value, *wilson(value, len(every)), len(every))


def number(metric: Metric, n: int) -> Number:
    """A figure of an evaluation."""
    return Number(metric.value, metric.low, metric.high, n)


def resampled(labels: Sequence[int], predictions: Sequence[int], measure: Callable[[Any, Any], float]) -> Number:
    """A measure of what was said of some claims; for its interval the claims are drawn anew."""
    import numpy as np

    if not labels:
        return Number(0.0, 0.0, 1.0, 0)
    gold, predicted = np.asarray(labels), np.asarray(predictions)
    drawn = np.random.default_rng(SEED).integers(0, len(gold), (RESAMPLES, len(gold)))
    values = [measure(gold[sample], predicted[sample]) for sample in drawn]
    low, high = np.quantile(values, (0.025, 0.975))
    return Number(measure(gold, predicted), float(low), float(high), len(gold))


def f1_of(label: int) -> Callable[[Any, Any], float]:
    """The F1 of one label, as a measure."""

    def measure(gold: Any, predicted: Any) -> float:
        both = ((gold == label) & (predicted == label)).sum()
        together = (gold == label).sum() + (predicted == label).sum()
        return float(2 * both / together) if together else 0.0

    return measure


def macro_f1(gold: Any, predicted: Any) -> float:
    """The mean F1 of the three labels."""
    return sum(f1_of(label)(gold, predicted) for label in range(3)) / 3


def with_published(
    events: Iterable[TableEvent], published: Mapping[str, Mapping[str, float | str]]
) -> Iterator[TableEvent]:
    """The same cells, each with what the paper has in its place; a number that rests on no claim is none."""
    for each in events:
        if not isinstance(each, TableCell):
            yield each
            continue
        theirs = published.get(each.row, {}).get(each.column)
        if isinstance(each.ours, Number) and not each.ours.n:
            yield replace(each, ours=None, published=theirs, why="no claim on hand can be measured here")
        else:
            yield replace(each, published=theirs)
