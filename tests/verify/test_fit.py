"""A calibration is fitted on development data, and measured."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from veritab.errors import InputError
from veritab.schema import Label
from veritab.verify.calibrate import Calibration, NotEnough, best_label, scores_of, two_way
from veritab.verify.fit import (
    accuracy,
    expected_calibration_error,
    fit,
    fit_abstention,
    fit_gamma,
    fit_temperature,
    fit_thresholds,
    macro_f1,
    risk_coverage,
    risk_coverage_area,
    supports_share,
)

S, R, _ = Label


def sample_logits(count: int = 4000, temperature: float = 1.0) -> tuple[Any, Any]:
    """Logits that are `temperature` times too large, and labels sampled by what they should have been."""
    chance = np.random.default_rng(0)
    logits = chance.normal(0, 2, (count, 3))
    odds = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = (chance.random((count, 1)) > odds.cumsum(axis=1)[:, :2]).sum(axis=1)
    return logits * temperature, labels


def test_a_fitted_temperature_calibrates_probabilities() -> None:
    logits, labels = sample_logits(temperature=2.5)
    overconfident = expected_calibration_error(Calibration().probabilities(logits), labels)
    fitted = Calibration(temperature=fit_temperature(logits, labels))
    assert fitted.temperature == pytest.approx(2.5, abs=0.15)
    assert expected_calibration_error(fitted.probabilities(logits), labels) < 0.02 < overconfident


def test_thresholds_undo_the_shift_of_a_model() -> None:
    logits, labels = sample_logits()
    odds = Calibration().probabilities(logits + np.array([0, 0, 1.5]))
    thresholds = fit_thresholds(odds, labels)
    assert sum(thresholds) == pytest.approx(1)
    found = np.argmax(odds / thresholds, axis=1)
    assert accuracy(found, labels) > accuracy(odds.argmax(axis=1), labels) + 0.03
    assert math.log(thresholds[2] / thresholds[0]) == pytest.approx(1.5, abs=0.4)
    even = fit_thresholds(np.eye(3), [0, 1, 2])
    assert even == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_macro_f1_counts_rare_labels_as_much_as_frequent_ones() -> None:
    gold = [0] * 8 + [1, 2]
    assert macro_f1([0] * 10, gold) == pytest.approx((16 / 18 + 0 + 0) / 3)
    assert macro_f1(gold, gold) == 1
    chance = np.random.default_rng(1)
    odds = chance.dirichlet((6, 1, 1), 500)
    labels = np.array([chance.choice(3, p=row) for row in odds])
    fair = np.argmax(odds / fit_thresholds(odds, labels, measure="macro f1"), axis=1)
    assert macro_f1(fair, labels) >= macro_f1(np.argmax(odds / fit_thresholds(odds, labels), axis=1), labels)


def test_gamma_is_fitted_to_the_margin_that_supports_needs() -> None:
    assert fit_gamma([0.9, 0.4, 0.35, 0.1], [True, True, True, False]) == pytest.approx(0.55, abs=0.26)
    assert fit_gamma([0.9, 0.1], [True, False]) == 0
    assert fit_gamma([0.6, 0.9], [False, True]) < -0.2
    assert -1 < fit_gamma([1.0, 1.0], [False, False]) < 1


@pytest.mark.parametrize("nei", ["excluded", "merged"])
def test_a_threshold_on_supports_is_fitted_that_separates_two_labels(nei: NotEnough) -> None:
    logits, labels = sample_logits()
    shifted = logits + np.array([-2.0, 0, 1.0])
    known = labels < 2 if nei == "excluded" else labels < 3
    fitted = fit(shifted, labels, nei=nei)
    assert fitted.nei == nei
    plain = Calibration(fitted.temperature)

    def right(calibration: Calibration) -> float:
        scores = [two_way(scores_of(row), nei) for row in calibration.probabilities(shifted[known])]
        found = [best_label(calibration.final_scores(each, ways=2)) for each in scores]
        border = (1 - calibration.gamma) / 2
        assert found == [S if each[S] > border else R for each in scores]
        return accuracy([label is S for label in found], labels[known] == 0)

    assert right(fitted) > right(plain) + 0.05


def test_the_share_of_supports_leaves_out_not_enough_info_or_counts_it_as_refutes() -> None:
    assert supports_share([[0.3, 0.2, 0.5], [0, 0, 1]]).tolist() == pytest.approx([0.6, 0.5])
    assert supports_share([[0.3, 0.2, 0.5]], "merged").tolist() == [0.3]


def test_a_card_keeps_a_fitted_calibration() -> None:
    logits, labels = sample_logits(300)
    fitted = fit(logits, labels, measure="macro f1")
    assert Calibration.of(fitted.table()) == fitted


def test_risk_grows_with_coverage_where_confidence_separates_right_from_wrong() -> None:
    assert risk_coverage([0.9, 0.8, 0.2, 0.1], [True, True, False, True]) == [
        (0.25, 0.0),
        (0.5, 0.0),
        (0.75, pytest.approx(1 / 3)),
        (1.0, 0.25),
    ]
    assert risk_coverage([0.5, 0.5], [True, False]) == [(1.0, 0.5)]
    good = risk_coverage_area(risk_coverage([0.9, 0.8, 0.2], [True, True, False]))
    bad = risk_coverage_area(risk_coverage([0.2, 0.8, 0.9], [True, True, False]))
    assert 0 < good < bad
    assert risk_coverage([], []) == []


def test_abstention_keeps_the_risk_that_is_allowed() -> None:
    confidence, correct = [0.9, 0.8, 0.7, 0.6], [True, True, False, True]
    assert fit_abstention(confidence, correct, 0.0) == 0.8
    assert fit_abstention(confidence, correct, 0.25) == 0.6
    assert fit_abstention([0.9], [False], 0.1) == 1.0


def test_calibration_error_is_zero_where_probabilities_come_true() -> None:
    assert expected_calibration_error([[1, 0, 0], [0, 1, 0]], [0, 1]) == 0
    assert expected_calibration_error([[1, 0, 0], [1, 0, 0]], [0, 1]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("numbers", "labels"),
    [([], []), ([[1, 2]], [0]), ([[1, 2, 3]], [3]), ([[1, 2, float("nan")]], [0]), ([[1, 2, 3]], [0, 1])],
)
def test_numbers_that_cannot_be_fitted_on_are_refused(numbers: Any, labels: Any) -> None:
    with pytest.raises(InputError):
        fit_temperature(numbers, labels)
