"""Paired significance tests of two systems on the same claims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from veritab.evaluate.metrics import SEED
from veritab.schema import Label

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Counts: TypeAlias = NDArray[numpy.int64]
    Numbers: TypeAlias = NDArray[numpy.float64]

_RESAMPLES = 10_000


def mcnemar(better: int, worse: int) -> float:
    """The p value of McNemar's exact test, two-sided, from how many claims got better and worse."""
    changed = better + worse
    if not changed:
        return 1.0
    ways = fewer = 1
    for count in range(min(better, worse)):
        ways = ways * (changed - count) // (count + 1)
        fewer += ways
    return float(min(1.0, 2 * fewer / 2**changed))


def holm(p_values: Sequence[float]) -> list[float]:
    """The p values of several comparisons, adjusted by Holm's method for the family-wise error rate."""
    adjusted, largest = [0.0] * len(p_values), 0.0
    for place, number in enumerate(sorted(range(len(p_values)), key=lambda number: p_values[number])):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[number]))
        adjusted[number] = largest
    return adjusted


class MacroF1Difference(NamedTuple):
    """Macro F1 of two systems; `low` and `high` are the 95 % bootstrap interval of the difference, p is two-sided."""

    first: float
    second: float
    low: float
    high: float
    p_value: float


class PairedLabels(NamedTuple):
    """The gold label of a claim and what two systems predict."""

    gold: Label
    first: Label | None
    second: Label | None


def macro_f1_difference(claims: Sequence[PairedLabels]) -> MacroF1Difference:
    """Two systems under macro F1, the mean F1 of the labels that the gold has; p by swapping them claim by claim."""
    import numpy

    # Claims with the same three labels are alike: how many of each kind are drawn or swapped is all that counts.
    kinds = Counter(claims)
    both = _PairedConfusions(sorted(kinds, key=lambda kind: tuple(map(str, kind))))
    counts = numpy.array([kinds[kind] for kind in both.kinds])
    random = numpy.random.default_rng(SEED)
    ((first,), (second,)) = both.macro_f1(counts[None, :])
    swapped = random.binomial(counts, 0.5, size=(_RESAMPLES, len(counts)))
    by_chance = numpy.subtract(*both.macro_f1(counts - swapped, swapped))
    extreme = int(numpy.count_nonzero(numpy.abs(by_chance) >= abs(second - first) - 1e-12))
    before, after = both.macro_f1(random.multinomial(len(claims), counts / len(claims), size=_RESAMPLES))
    low, high = numpy.quantile(after - before, (0.025, 0.975))
    return MacroF1Difference(float(first), float(second), float(low), float(high), (extreme + 1) / (_RESAMPLES + 1))


class _PairedConfusions:
    """The confusions of two systems, by kinds of claims."""

    def __init__(self, kinds: Sequence[PairedLabels]) -> None:
        self.kinds = kinds
        labels = [label for label in Label if any(kind.gold is label for kind in kinds)]
        self._first = _summands([(kind.gold, kind.first) for kind in kinds], labels)
        self._second = _summands([(kind.gold, kind.second) for kind in kinds], labels)

    def macro_f1(self, kept: Counts, swapped: Counts | None = None) -> tuple[Numbers, Numbers]:
        """Macro F1 of both for each row of counts, where some of each kind may be swapped between them."""
        first, second = _summed(kept, self._first), _summed(kept, self._second)
        if swapped is not None:
            first, second = first + _summed(swapped, self._second), second + _summed(swapped, self._first)
        return _macro_f1(first), _macro_f1(second)


def _summands(pairs: Sequence[tuple[Label, Label | None]], labels: Sequence[Label]) -> Counts:
    """What each pair of gold and predicted adds to the hits, the predictions and the golds of each label."""
    import numpy

    return numpy.array(
        [
            [(gold is predicted is label, predicted is label, gold is label) for label in labels]
            for gold, predicted in pairs
        ],
        dtype=numpy.int64,
    )


def _summed(counts: Counts, summands: Counts) -> Counts:
    import numpy

    summed: Counts = numpy.tensordot(counts, summands, axes=1)
    return summed


def _macro_f1(sums: Counts) -> Numbers:
    import numpy

    hits, predicted, gold = (sums[..., number] for number in range(3))
    f1: Numbers = (2 * hits / numpy.maximum(predicted + gold, 1)).mean(axis=-1)
    return f1
