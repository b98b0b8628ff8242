"""Fits a calibration on development data, and tells how good one is.

Labels are the places of SUPPORTS, REFUTES and NOT ENOUGH INFO: 0, 1 and 2.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from veritab.errors import InputError
from veritab.schema import Label
from veritab.verify.calibrate import LABELS, Calibration
from veritab.verify.combine import BIAS, Combiner

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from veritab.verify.calibrate import NotEnough, Numbers

    Places: TypeAlias = NDArray[np.int64]

Measure: TypeAlias = Literal["accuracy", "macro f1"]

_COLDEST, _HOTTEST = -3.0, 3.0
_STEPS = 60
# Log-ratios of thresholds are looked for on a coarse grid, then on finer ones around the best point.
_GRIDS = ((3.0, 0.25), (0.25, 0.05), (0.05, 0.01))


def fit(logits: Any, labels: Any, *, measure: Measure = "accuracy", nei: NotEnough = "excluded") -> Calibration:
    """A calibration for these logits: its temperature, its thresholds, and gamma for tasks with two labels.

    Claims whose label is NOT ENOUGH INFO count for gamma only where that is merged: there they are to be refuted.
    """
    import numpy as np

    given, gold = _checked(logits, labels)
    scale = Calibration(temperature=fit_temperature(given, gold))
    probabilities = scale.probabilities(given)
    counted = gold < len(LABELS) if nei == "merged" else gold < LABELS.index(Label.NOT_ENOUGH_INFO)
    shares = supports_share(probabilities, nei)
    gamma = fit_gamma(shares[counted], gold[counted] == 0) if np.any(counted) else 0.0
    return Calibration(scale.temperature, fit_thresholds(probabilities, gold, measure=measure), gamma, nei)


def fit_temperature(logits: Any, labels: Any) -> float:
    """The temperature at which the labels are likeliest, found by golden sections."""
    import numpy as np

    given, gold = _checked(logits, labels)

    def surprise(warmth: float) -> float:
        scaled = given / np.exp(warmth)
        highest = scaled.max(axis=1, keepdims=True)
        total = np.log(np.exp(scaled - highest).sum(axis=1)) + highest[:, 0]
        return float(np.mean(total - scaled[np.arange(len(gold)), gold]))

    return float(np.exp(_lowest(surprise, _COLDEST, _HOTTEST)))


def _lowest(value: Callable[[float], float], low: float, high: float) -> float:
    golden = (5**0.5 - 1) / 2
    for _ in range(_STEPS):
        one, other = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, other) if value(one) <= value(other) else (one, high)
    return (low + high) / 2


def fit_thresholds(probabilities: Any, labels: Any, *, measure: Measure = "accuracy") -> tuple[float, float, float]:
    """The thresholds that give the best labels; of equally good ones those nearest to equal."""
    import numpy as np

    given, gold = _checked(probabilities, labels)
    logs = np.log(np.clip(given, 1e-12, 1.0))
    score = accuracy if measure == "accuracy" else macro_f1
    best = (0.0, 0.0)
    for reach, step in _GRIDS:
        offsets = np.round(np.arange(-reach, reach + step / 2, step), 6)
        points = [(round(best[0] + one, 6), round(best[1] + other, 6)) for one in offsets for other in offsets]
        ranked = ((score(np.argmax(logs - (0.0, *point), axis=1), gold), point) for point in points)
        best = max(ranked, key=lambda each: (each[0], -abs(each[1][0]) - abs(each[1][1])))[1]
    raised = np.exp([0.0, *best])
    supports, refutes, neither = (float(value) for value in raised / raised.sum())
    return supports, refutes, neither


def fit_gamma(shares: Any, true: Any) -> float:
    """The gamma with the highest accuracy, the one nearest to zero of equally good ones.

    `shares` are the probabilities of SUPPORTS where that of REFUTES is the rest: those that `supports_share` gives, or
    the scores of two-way verdicts, in which what was computed has had its vote.
    """
    import numpy as np

    margins = 2 * np.asarray(shares, dtype=np.float64) - 1
    holds = np.asarray(true, dtype=bool)
    if not len(margins):
        raise InputError("no claims to fit gamma on; give at least one that is supported or refuted")
    values = np.unique(margins)
    cuts = np.concatenate(([values[0] - 1e-6], (values[1:] + values[:-1]) / 2, [values[-1] + 1e-6], [0.0]))
    order = np.argsort(margins, kind="stable")
    # Right are the false ones up to the cut and the true ones beyond it.
    false_before = np.concatenate(([0], np.cumsum(~holds[order])))
    true_before = np.concatenate(([0], np.cumsum(holds[order])))
    places = np.searchsorted(margins[order], cuts, side="right")
    right = false_before[places] + holds.sum() - true_before[places]
    best = cuts[right == right.max()]
    gamma = -float(best[np.argmin(np.abs(best))])
    return min(max(gamma, -0.999999), 0.999999)


def fit_abstention(confidence: Any, correct: Any, most_risk: float) -> float:
    """The lowest confidence from which on answers are wrong no more often than this; 1 where none is enough."""
    import numpy as np

    sure = np.asarray(confidence, dtype=np.float64)
    allowed = [coverage for coverage, risk in risk_coverage(sure, correct) if risk <= most_risk]
    if not allowed:
        return 1.0
    return float(np.sort(sure)[::-1][round(allowed[-1] * len(sure)) - 1])


# -- how good it is ----------------------------------------------------------------------------------------


def accuracy(found: Any, gold: Any) -> float:
    """The share of labels that are right."""
    import numpy as np

    return float(np.mean(np.asarray(found) == np.asarray(gold)))


def macro_f1(found: Any, gold: Any) -> float:
    """The mean of the F1 of the labels that occur."""
    import numpy as np

    predicted, true = np.asarray(found), np.asarray(gold)
    scores = []
    for label in range(len(LABELS)):
        either = np.sum(predicted == label) + np.sum(true == label)
        if either:
            scores.append(2 * float(np.sum((predicted == label) & (true == label))) / float(either))
    return sum(scores) / len(scores) if scores else 0.0


def supports_share(probabilities: Any, nei: NotEnough = "excluded") -> Numbers:
    """The probability of SUPPORTS in a task of two labels, for each row."""
    import numpy as np

    given = np.asarray(probabilities, dtype=np.float64)
    if nei == "merged":
        merged: Numbers = given[:, 0]
        return merged
    together = given[:, 0] + given[:, 1]
    share: Numbers = np.where(together > 0, given[:, 0] / np.where(together > 0, together, 1.0), 0.5)
    return share


def expected_calibration_error(probabilities: Any, labels: Any, bins: int = 15) -> float:
    """How far the probabilities of the likeliest labels are from how often these are right, in bins of equal width."""
    import numpy as np

    given, gold = _checked(probabilities, labels)
    if bins < 1:
        raise InputError(f"{bins} bins are too few; expected 1 or more")
    confidence = given.max(axis=1)
    correct = given.argmax(axis=1) == gold
    places = np.clip(np.ceil(confidence * bins).astype(int) - 1, 0, bins - 1)
    error = 0.0
    for place in np.unique(places):
        inside = places == place
        error += float(np.mean(inside)) * abs(float(np.mean(confidence[inside])) - float(np.mean(correct[inside])))
    return error


def risk_coverage(confidence: Any, correct: Any) -> list[tuple[float, float]]:
    """For each level of confidence, surest first: the share of claims answered from there on, and how many wrongly."""
    import numpy as np

    sure, right = np.asarray(confidence, dtype=np.float64), np.asarray(correct, dtype=bool)
    if sure.shape != right.shape or sure.ndim != 1:
        raise InputError(f"{sure.shape} confidences and {right.shape} answers; expected as many of each")
    order = np.argsort(-sure, kind="stable")
    wrong = np.cumsum(~right[order])
    # Answers of equal confidence cannot be separated, so the curve has one point for all of them.
    last = np.append(np.flatnonzero(np.diff(sure[order])), len(sure) - 1) if len(sure) else np.array([], dtype=int)
    return [((place + 1) / len(sure), float(wrong[place]) / (place + 1)) for place in last.tolist()]


def risk_coverage_area(curve: list[tuple[float, float]]) -> float:
    """The risk over all coverages: 0 where every answer is right, less the better confidence tells right from wrong."""
    area, before = 0.0, 0.0
    for coverage, risk in curve:
        area += risk * (coverage - before)
        before = coverage
    return area


def _checked(values: Any, labels: Any) -> tuple[Numbers, Places]:
    import numpy as np

    given, gold = np.asarray(values, dtype=np.float64), np.asarray(labels)
    if given.ndim != 2 or given.shape[1] != len(LABELS) or gold.shape != given.shape[:1] or not len(given):
        raise InputError(f"{given.shape} numbers for {gold.shape} labels; expected one row of 3 for each label")
    if not np.isfinite(given).all():
        raise InputError("some of the numbers to fit on are not finite; leave out the claims that gave them")
    if not np.isin(gold, range(len(LABELS))).all():
        raise InputError(f"labels are {np.unique(gold)[:5].tolist()}; expected 0, 1 and 2")
    return given, gold.astype(np.int64)


# -- the combiner ------------------------------------------------------------------------------------------

_NEWTON_STEPS = 30


def fit_combiner(
    rows: Sequence[Mapping[str, float]],
    labels: Any,
    *,
    penalty: float = 1.0,
    sample_weights: Any = None,
    parts: float = 0.5,
) -> Combiner:
    """A multinomial logistic regression over features, by Newton's method; `penalty` shrinks weights towards zero."""
    import numpy as np

    names = sorted({name for row in rows for name in row})
    table = np.array([[row.get(name, 0.0) for name in names] + [1.0] for row in rows])
    gold = np.eye(len(LABELS))[np.asarray(labels)]
    own = np.ones(len(table)) if sample_weights is None else np.asarray(sample_weights, dtype=np.float64)
    width = table.shape[1]
    # As if every feature were scaled to the same variance.
    shrink = penalty * table.var(axis=0) + 1e-3
    weights = np.zeros((len(LABELS), width))
    for _ in range(_NEWTON_STEPS):
        logits = table @ weights.T
        raised = np.exp(logits - logits.max(axis=1, keepdims=True))
        probabilities = raised / raised.sum(axis=1, keepdims=True)
        gradient = ((probabilities - gold) * own[:, None]).T @ table + shrink * weights
        hessian = np.zeros((weights.size, weights.size))
        for one in range(len(LABELS)):
            for other in range(len(LABELS)):
                curve = own * probabilities[:, one] * ((one == other) - probabilities[:, other])
                block = (table * curve[:, None]).T @ table
                hessian[one * width : (one + 1) * width, other * width : (other + 1) * width] = block
        hessian[np.diag_indices_from(hessian)] += np.tile(shrink, len(LABELS))
        step = np.linalg.solve(hessian, gradient.reshape(-1)).reshape(weights.shape)
        weights -= step
        if np.abs(step).max() < 1e-7:
            break
    found = {
        label: {name: round(float(value), 4) for name, value in zip([*names, BIAS], row, strict=True)}
        for label, row in zip(LABELS, weights, strict=True)
    }
    return Combiner(found, parts)
