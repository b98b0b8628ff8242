"""What a fit reports: its progress, then accuracy and macro F1 of its labels, three-way and two-way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple, TypeVar

Fitted = TypeVar("Fitted")


class FitProgress(NamedTuple):
    """The step that a fit has finished, and the numbers of that step."""

    step: str
    values: Mapping[str, float]


def finish(steps: Generator[FitProgress, None, Fitted]) -> Fitted:
    """Run a fit to its end, for what it gives."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Fitted = end.value
            return result


class BaselineScores(NamedTuple):
    """Shares from 0 to 1; `majority` is the accuracy of always predicting the most frequent label."""

    claims: int
    accuracy: float
    macro_f1: float
    majority: float


def score_labels(gold: Sequence[int], predicted: Sequence[int], labels: int) -> BaselineScores:
    """The scores of predicted labels; macro F1 is over the labels that occur in the gold."""
    if not gold:
        return BaselineScores(0, 0.0, 0.0, 0.0)
    right = sum(one == other for one, other in zip(gold, predicted, strict=True))
    occurring = [label for label in range(labels) if label in set(gold)]
    f1 = sum(_f1(gold, predicted, label) for label in occurring) / len(occurring)
    return BaselineScores(len(gold), right / len(gold), f1, Counter(gold).most_common(1)[0][1] / len(gold))


def _f1(gold: Sequence[int], predicted: Sequence[int], label: int) -> float:
    both = sum(one == label == other for one, other in zip(gold, predicted, strict=True))
    return 2 * both / (gold.count(label) + predicted.count(label)) if both else 0.0


def three_way(gold: Sequence[int], rows: Sequence[tuple[float, float, float]]) -> BaselineScores:
    """The scores of the most probable of the three labels."""
    return score_labels(gold, [_best(row) for row in rows], 3)


def two_way(gold: Sequence[int], rows: Sequence[tuple[float, float, float]]) -> BaselineScores:
    """The scores on claims that are supported or refuted, of the more probable of these two."""
    decided = [(label, _best(row[:2])) for label, row in zip(gold, rows, strict=True) if label < 2]
    return score_labels([label for label, _ in decided], [predicted for _, predicted in decided], 2)


def _best(row: Sequence[float]) -> int:
    return max(range(len(row)), key=row.__getitem__)
