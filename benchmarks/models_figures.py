"""Figures about verdicts: accuracy with its interval, and what abstaining would buy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from veritab.evaluate.metrics import wilson
from veritab.papers.baselines.measures import score_labels
from veritab.verify.calibrate import LABELS, Calibration, Ways, best_label, scores_of, two_way
from veritab.verify.fit import risk_coverage, risk_coverage_area


class Accuracy(NamedTuple):
    """The share of claims whose label is right, with its 95 % interval, and F1 with every label counting the same."""

    value: float
    low: float
    high: float
    claims: int
    macro_f1: float

    def __str__(self) -> str:
        return f"{self.value:.1%} [{self.low:.1%}, {self.high:.1%}]"


def accuracy(logits: Any, labels: Sequence[int], ways: int = 3) -> Accuracy:
    """Of three labels, or of two: then claims without enough information are left out, and so is that label."""
    said = predicted(logits, ways)
    kept = [place for place, label in enumerate(labels) if label < ways]
    return right([labels[place] for place in kept], [int(said[place]) for place in kept], ways)


def right(labels: Sequence[int], said: Sequence[int], ways: int = 3) -> Accuracy:
    """How often what was said is right."""
    scores = score_labels(labels, said, ways)
    return Accuracy(scores.accuracy, *wilson(scores.accuracy, scores.claims), scores.claims, scores.macro_f1)


def predicted(logits: Any, ways: int = 3) -> NDArray[np.int64]:
    """The most probable of the first so many labels."""
    found: NDArray[np.int64] = np.asarray(logits)[:, :ways].argmax(axis=1)
    return found


def labelled(logits: Any, labels: Sequence[int], made: Calibration, ways: Ways = 3) -> Accuracy:
    """As `accuracy`, of the labels that a calibration gives."""
    said = labels_by(made, logits, ways)
    kept = [place for place, label in enumerate(labels) if label < ways]
    return right([labels[place] for place in kept], [int(said[place]) for place in kept], ways)


def labels_by(made: Calibration, logits: Any, ways: Ways = 3) -> NDArray[np.int64]:
    """The labels that a calibration gives, as `veritab judge` would."""
    scores = [scores_of(row) for row in made.probabilities(logits)]
    if ways == 2:
        scores = [two_way(each, made.nei) for each in scores]
    return np.array([LABELS.index(best_label(made.final_scores(each, ways=ways))) for each in scores], dtype=np.int64)


def with_interval(share: float, count: int) -> str:
    """A share with its 95 % interval."""
    low, high = wilson(share, count)
    return f"{share:.1%} [{low:.1%}, {high:.1%}]"


class Risk(NamedTuple):
    """The share of wrong labels among the surest claims: the area under its curve, and at three coverages."""

    area: float
    half: float
    most: float
    all: float

    def cells(self) -> list[str]:
        return [f"{self.area:.3f}", *(f"{value:.1%}" for value in self[1:])]


def risk(scores: Any, labels: Any) -> Risk:
    """What answering only the surest claims would cost in errors."""
    given = np.asarray(scores)
    curve = risk_coverage(given.max(axis=1), given.argmax(axis=1) == np.asarray(labels))
    at = [next(wrong for covered, wrong in curve if covered >= share - 1e-9) for share in (0.5, 0.8, 1.0)]
    return Risk(risk_coverage_area(curve), *at)
