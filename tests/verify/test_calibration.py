"""How sure a verdict may be, and how that is fitted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from veritab.errors import FormatError, InputError
from veritab.schema import Label
from veritab.verify.calibration import DEFAULT, Calibration, NotEnough, scores_of, two_way
from veritab.verify.fitting import (
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

S, R, N = Label


def drawn(count: int = 4000, temperature: float = 1.0) -> tuple[Any, Any]:
    """Logits `temperature` times too bold, and labels drawn by what they should have been."""
    chance = np.random.default_rng(0)
    logits = chance.normal(0, 2, (count, 3))
    odds = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    labels = (chance.random((count, 1)) > odds.cumsum(axis=1)[:, :2]).sum(axis=1)
    return logits * temperature, labels


def test_temperature_makes_probabilities_believable() -> None:
    logits, labels = drawn(temperature=2.5)
    bold = expected_calibration_error(Calibration().probabilities(logits), labels)
    fitted = Calibration(temperature=fit_temperature(logits, labels))
    assert fitted.temperature == pytest.approx(2.5, abs=0.15)
    assert expected_calibration_error(fitted.probabilities(logits), labels) < 0.02 < bold


def test_thresholds_are_found_that_a_shifted_model_needs() -> None:
    logits, labels = drawn()
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


def test_gamma_moves_the_border_between_two_labels() -> None:
    assert fit_gamma([0.9, 0.4, 0.35, 0.1], [True, True, True, False]) == pytest.approx(0.55, abs=0.26)
    assert fit_gamma([0.9, 0.1], [True, False]) == 0
    assert fit_gamma([0.6, 0.9], [False, True]) < -0.2
    assert -1 < fit_gamma([1.0, 1.0], [False, False]) < 1
    calibration = Calibration(gamma=0.3)
    assert calibration.label({S: 0.4, R: 0.6, N: 0.0}, ways=2) is S
    assert calibration.label({S: 0.3, R: 0.7, N: 0.0}, ways=2) is R


@given(st.floats(0, 1), st.floats(-0.9, 0.9))
def test_gamma_is_that_of_faviq(supports: float, gamma: float) -> None:
    raised = np.exp([supports + gamma, 1 - supports])
    assume(abs(raised[0] - raised[1]) > 1e-9)
    found = Calibration(gamma=gamma).label({S: supports, R: 1 - supports, N: 0.0}, ways=2)
    assert found is (S if raised[0] > raised[1] else R)


@pytest.mark.parametrize("nei", ["excluded", "merged"])
def test_two_labels_are_told_apart_by_a_threshold_on_supports_that_is_fitted(nei: NotEnough) -> None:
    logits, labels = drawn()
    shifted = logits + np.array([-2.0, 0, 1.0])
    told = labels < 2 if nei == "excluded" else labels < 3
    fitted = fit(shifted, labels, nei=nei)
    assert fitted.nei == nei
    plain = Calibration(fitted.temperature)

    def right(calibration: Calibration) -> float:
        scores = [two_way(scores_of(row), nei) for row in calibration.probabilities(shifted[told])]
        said = [calibration.label(each, ways=2) for each in scores]
        border = (1 - calibration.gamma) / 2
        assert said == [S if each[S] > border else R for each in scores]
        return accuracy([label is S for label in said], labels[told] == 0)

    assert right(fitted) > right(plain) + 0.05


def test_two_ways_leave_out_not_enough_info_or_count_it_as_refutes() -> None:
    scores = {S: 0.3, R: 0.2, N: 0.5}
    assert two_way(scores) == pytest.approx({S: 0.6, R: 0.4, N: 0})
    assert two_way(scores, "merged") == pytest.approx({S: 0.3, R: 0.7, N: 0})
    assert two_way({S: 0.0, R: 0.0, N: 1.0})[S] == 0.5
    assert supports_share([[0.3, 0.2, 0.5], [0, 0, 1]]).tolist() == pytest.approx([0.6, 0.5])
    assert supports_share([[0.3, 0.2, 0.5]], "merged").tolist() == [0.3]


def test_a_profile_that_only_abstains_reads_all_else_as_the_table_around_it() -> None:
    table = {**Calibration(temperature=2.0, thresholds=(0.25, 0.5, 0.25)).table(), "careful": {"abstain": 0.8}}
    plain, careful = Calibration.of(table), Calibration.of(table, "careful")
    for scores, usual, wary in (({S: 0.7, R: 0.2, N: 0.1}, S, N), ({S: 0.05, R: 0.9, N: 0.05}, R, R)):
        assert (plain.label(scores), careful.label(scores)) == (usual, wary)
    assert careful.temperature == 2.0


def test_a_label_that_is_not_likely_enough_is_not_given() -> None:
    assert Calibration(abstain=0.6).label({S: 0.55, R: 0.4, N: 0.05}) is N
    assert Calibration(abstain=0.5).label({S: 0.55, R: 0.4, N: 0.05}) is S
    assert Calibration(abstain=0.9).label({S: 0.55, R: 0.45, N: 0.0}, ways=2) is N
    assert Calibration(thresholds=(0.6, 0.2, 0.2)).label({S: 0.55, R: 0.4, N: 0.05}) is R


@given(st.lists(st.floats(width=32), min_size=3, max_size=3))
def test_any_logits_give_probabilities(logits: list[float]) -> None:
    found = Calibration(temperature=0.5).probabilities(logits)
    assert found.sum() == pytest.approx(1)
    assert set(scores_of(found)) == set(Label)


def test_a_card_keeps_a_calibration() -> None:
    logits, labels = drawn(300)
    fitted = fit(logits, labels, measure="macro f1")
    assert Calibration.of(fitted.table()) == fitted
    assert Calibration.of({}) == Calibration()
    assert Calibration.of({"temperature": 2}).temperature == 2.0


def test_a_card_keeps_a_calibration_for_each_use() -> None:
    table = {"temperature": 2.0, "gamma": 0.1, "fm2": {"gamma": 0.4, "nei": "merged"}, "feverous": {"temperature": 3.0}}
    assert list(Calibration.profiles(table)) == [DEFAULT, "fm2", "feverous"]
    assert Calibration.of(table) == Calibration(2.0, gamma=0.1)
    assert Calibration.of(table, "fm2") == Calibration(2.0, gamma=0.4, nei="merged")
    assert Calibration.of(table, "feverous") == Calibration(3.0, gamma=0.1)
    whole = Calibration(1.5, (0.5, 0.3, 0.2), -0.4, "merged", 0.2, 0.6, 0.3)
    assert Calibration.of({"temperature": 9.0, "own": whole.table()}, "own") == whole
    with pytest.raises(InputError, match="no profile 'fm3'; known are 'default', 'fm2', 'feverous'"):
        Calibration.of(table, "fm3")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"temprature": 1.0}, "no 'temprature'; did you mean 'temperature'"),
        ({"temperature": "hot"}, "temperature is 'hot'; expected a number"),
        ({"temperature": 0}, "temperature is 0.0; expected a number above 0"),
        ({"temperature": float("inf")}, "expected finite numbers"),
        ({"thresholds": [1, 2, 3]}, "expected 'SUPPORTS' = 0.33"),
        ({"thresholds": {"SUPPORTS": 0, "REFUTES": 1, "NOT ENOUGH INFO": 1}}, "expected three numbers above 0"),
        ({"gamma": 1}, "gamma is 1.0; expected a number between -1 and 1"),
        ({"abstain": 2}, "expected a probability, 0 to 1"),
        ({"nei": "dropped"}, "nei is 'dropped'; expected 'excluded' or 'merged'"),
        ({"nei": ["merged"]}, "expected 'excluded' or 'merged'"),
        ({"fm2": {"gama": 0.1}}, "no 'gama'; did you mean 'gamma'"),
        ({"default": {"gamma": 0.1}}, "write what it holds into the table around it"),
    ],
)
def test_a_calibration_that_makes_no_sense_is_refused(table: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, FormatError), match=message):
        Calibration.of(table)


def test_risk_falls_with_coverage_where_confidence_tells_right_from_wrong() -> None:
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


def test_abstaining_keeps_the_risk_that_is_allowed() -> None:
    confidence, correct = [0.9, 0.8, 0.7, 0.6], [True, True, False, True]
    assert fit_abstention(confidence, correct, 0.0) == 0.8
    assert fit_abstention(confidence, correct, 0.25) == 0.6
    assert fit_abstention([0.9], [False], 0.1) == 1.0


def test_calibration_error_is_nothing_where_probabilities_come_true() -> None:
    assert expected_calibration_error([[1, 0, 0], [0, 1, 0]], [0, 1]) == 0
    assert expected_calibration_error([[1, 0, 0], [1, 0, 0]], [0, 1]) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("numbers", "labels"),
    [([], []), ([[1, 2]], [0]), ([[1, 2, 3]], [3]), ([[1, 2, float("nan")]], [0]), ([[1, 2, 3]], [0, 1])],
)
def test_numbers_that_cannot_be_fitted_on_are_told(numbers: Any, labels: Any) -> None:
    with pytest.raises(InputError):
        fit_temperature(numbers, labels)
