"""How often a verdict is right: three-way, two-way, and with every label counting the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple


class Scores(NamedTuple):
    """Shares from nought to one; `majority` is what always saying the most frequent label gets."""

    claims: int
    accuracy: float
    macro_f1: float
    majority: float


def measured(wanted: Sequence[int], said: Sequence[int], labels: int) -> Scores:
    """The scores of what was said; macro F1 is over the labels that occur among what was wanted."""
    if not wanted:
        return Scores(0, 0.0, 0.0, 0.0)
    right = sum(one == other for one, other in zip(wanted, said, strict=True))
    occurring = [label for label in range(labels) if label in set(wanted)]
    f1 = sum(_f1(wanted, said, label) for label in occurring) / len(occurring)
    return Scores(len(wanted), right / len(wanted), f1, Counter(wanted).most_common(1)[0][1] / len(wanted))


def _f1(wanted: Sequence[int], said: Sequence[int], label: int) -> float:
    both = sum(one == label == other for one, other in zip(wanted, said, strict=True))
    return 2 * both / (wanted.count(label) + said.count(label)) if both else 0.0


def three_way(wanted: Sequence[int], rows: Sequence[tuple[float, float, float]]) -> Scores:
    """The scores of the most probable of the three labels."""
    return measured(wanted, [_best(row) for row in rows], 3)


def two_way(wanted: Sequence[int], rows: Sequence[tuple[float, float, float]]) -> Scores:
    """The scores on claims that are supported or refuted, of the more probable of these two."""
    decided = [(label, _best(row[:2])) for label, row in zip(wanted, rows, strict=True) if label < 2]
    return measured([label for label, _ in decided], [said for _, said in decided], 2)


def _best(row: Sequence[float]) -> int:
    return max(range(len(row)), key=row.__getitem__)
