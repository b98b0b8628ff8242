"""A calibration turns logits into probabilities, and probabilities into the scores of a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from veritab.errors import FormatError, InputError
from veritab.schema import Label
from veritab.verify.calibrate import DEFAULT, Calibration, NotEnough, Ways, best_label, scores_of, two_way

S, R, N = Label

_SHARE = st.floats(0, 1)


def label_of(calibration: Calibration, scores: Mapping[Label, float], ways: Ways = 3) -> Label:
    """The label that a calibration gives these probabilities."""
    return best_label(calibration.final_scores(scores, ways=ways))


@given(
    st.tuples(_SHARE, _SHARE, _SHARE).filter(lambda shares: sum(shares) > 1e-3),
    st.tuples(*[st.floats(1e-3, 1)] * 3),
    st.floats(-0.99, 0.99),
    _SHARE,
    st.sampled_from([2, 3]),
    st.sampled_from(["excluded", "merged"]),
)
def test_the_label_has_the_highest_score_and_scores_sum_to_one_whatever_was_fitted(
    shares: tuple[float, float, float],
    thresholds: tuple[float, float, float],
    gamma: float,
    abstain: float,
    ways: Ways,
    nei: NotEnough,
) -> None:
    calibration = Calibration(thresholds=thresholds, gamma=gamma, nei=nei, abstain=abstain)
    probabilities = scores_of([share / sum(shares) for share in shares])
    probabilities = probabilities if ways == 3 else two_way(probabilities, nei)
    scores = calibration.final_scores(probabilities, ways=ways)
    assert set(scores) == set(Label)
    assert sum(scores.values()) == pytest.approx(1)
    assert min(scores.values()) >= 0
    label = best_label(scores)
    assert scores[label] == max(scores.values())
    if label is not N:
        assert probabilities[label] >= abstain - 1e-9
    without_abstention = label_of(Calibration(thresholds=thresholds, gamma=gamma, nei=nei), probabilities, ways)
    assert label in (without_abstention, N)


def test_gamma_moves_the_border_between_two_labels() -> None:
    calibration = Calibration(gamma=0.3)
    assert label_of(calibration, {S: 0.4, R: 0.6, N: 0.0}, 2) is S
    assert label_of(calibration, {S: 0.3, R: 0.7, N: 0.0}, 2) is R


def test_two_ways_leave_out_not_enough_info_or_count_it_as_refutes() -> None:
    scores = {S: 0.3, R: 0.2, N: 0.5}
    assert two_way(scores) == pytest.approx({S: 0.6, R: 0.4, N: 0})
    assert two_way(scores, "merged") == pytest.approx({S: 0.3, R: 0.7, N: 0})
    assert two_way({S: 0.0, R: 0.0, N: 1.0})[S] == 0.5


def test_a_card_keeps_a_calibration() -> None:
    assert Calibration.of({}) == Calibration()
    assert Calibration.of({"temperature": 2}).temperature == 2.0


@given(st.floats(0, 1), st.floats(-0.9, 0.9))
def test_gamma_is_the_one_of_faviq(supports: float, gamma: float) -> None:
    raised = np.exp([supports + gamma, 1 - supports])
    assume(abs(raised[0] - raised[1]) > 1e-9)
    found = label_of(Calibration(gamma=gamma), {S: supports, R: 1 - supports, N: 0.0}, 2)
    assert found is (S if raised[0] > raised[1] else R)


def test_a_profile_that_only_sets_abstention_takes_the_rest_from_the_table_around_it() -> None:
    table = {**Calibration(temperature=2.0, thresholds=(0.25, 0.5, 0.25)).table(), "careful": {"abstain": 0.8}}
    plain, careful = Calibration.of(table), Calibration.of(table, "careful")
    for scores, usual, careful_label in (({S: 0.7, R: 0.2, N: 0.1}, S, N), ({S: 0.05, R: 0.9, N: 0.05}, R, R)):
        assert (label_of(plain, scores), label_of(careful, scores)) == (usual, careful_label)
    assert careful.temperature == 2.0


def test_a_label_below_the_abstention_threshold_is_not_given() -> None:
    assert label_of(Calibration(abstain=0.6), {S: 0.55, R: 0.4, N: 0.05}) is N
    assert label_of(Calibration(abstain=0.5), {S: 0.55, R: 0.4, N: 0.05}) is S
    assert label_of(Calibration(abstain=0.9), {S: 0.55, R: 0.45, N: 0.0}, 2) is N
    assert label_of(Calibration(thresholds=(0.6, 0.2, 0.2)), {S: 0.55, R: 0.4, N: 0.05}) is R


@given(st.lists(st.floats(width=32), min_size=3, max_size=3))
def test_any_logits_give_probabilities(logits: list[float]) -> None:
    found = Calibration(temperature=0.5).probabilities(logits)
    assert found.sum() == pytest.approx(1)
    assert set(scores_of(found)) == set(Label)


def test_a_card_keeps_a_calibration_for_each_use() -> None:
    table = {"temperature": 2.0, "gamma": 0.1, "fm2": {"gamma": 0.4, "nei": "merged"}, "feverous": {"temperature": 3.0}}
    assert list(Calibration.profiles(table)) == [DEFAULT, "fm2", "feverous"]
    assert Calibration.of(table) == Calibration(2.0, gamma=0.1)
    assert Calibration.of(table, "fm2") == Calibration(2.0, gamma=0.4, nei="merged")
    assert Calibration.of(table, "feverous") == Calibration(3.0, gamma=0.1)
    whole = Calibration(1.5, (0.5, 0.3, 0.2), -0.4, "merged", 0.2)
    assert Calibration.of({"temperature": 9.0, "own": whole.table()}, "own") == whole
    with pytest.raises(InputError, match="no profile 'fm3'; known are 'default', 'fm2', 'feverous'"):
        Calibration.of(table, "fm3")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"temprature": 1.0}, "no 'temprature'; did you mean 'temperature'"),
        ({"reader": 0.6}, "no 'reader' any more; remove it"),
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
def test_a_calibration_with_wrong_values_is_refused(table: dict[str, Any], message: str) -> None:
    with pytest.raises((InputError, FormatError), match=message):
        Calibration.of(table)
