"""Means and sums with intervals, and whether two systems differ."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from veritab.errors import InputError
from veritab.evaluate.figures import compare_values, mean_figure, total_figure


def ratio(sums: Any) -> Any:
    return sums[:, 0] / sums[:, 1]


def test_a_share_has_wilsons_interval_and_says_of_how_many() -> None:
    figure = mean_figure([1.0] * 8 + [0.0] * 2)
    assert (figure.value, figure.method, figure.n) == (0.8, "wilson", 10)
    assert figure.low == pytest.approx(0.4902, abs=1e-4)
    assert figure.high == pytest.approx(0.9433, abs=1e-4)
    assert figure.interval() == {"low": figure.low, "high": figure.high, "method": "wilson"}


def test_a_figure_of_sums_is_that_of_all_claims_and_lies_in_its_interval() -> None:
    figure = total_figure([(1.0, 2.0), (0.0, 1.0), (3.0, 4.0)] * 20, ratio)
    assert figure.value == 4 / 7
    assert figure.low < figure.value < figure.high
    assert (figure.method, figure.n) == ("bootstrap", 60)


def test_the_order_of_claims_changes_nothing() -> None:
    rows = [(float(number % 3), 2.0) for number in range(50)]
    assert total_figure(rows, ratio) == total_figure(rows[::-1], ratio)


def test_the_interval_of_a_mean_taken_as_sums_is_that_of_the_mean() -> None:
    values = [float(value) for value in numpy.random.default_rng(1).random(300).round(1)]
    mean = mean_figure(values)
    sums = total_figure([(value, 1.0) for value in values], ratio)
    assert sums.value == pytest.approx(mean.value)
    assert sums.low == pytest.approx(mean.low, abs=0.01)
    assert sums.high == pytest.approx(mean.high, abs=0.01)


def test_two_systems_are_compared_on_the_same_claims() -> None:
    comparison = compare_values([0.0] * 10 + [1.0] * 10, [1.0] * 20, "score")
    assert (comparison.difference, comparison.better, comparison.worse, comparison.same) == (0.5, 10, 0, 10)
    assert comparison.p_value < 0.05


@pytest.mark.parametrize("first", [[1.0], []])
def test_what_has_no_counterpart_cannot_be_compared(first: list[float]) -> None:
    with pytest.raises(InputError, match="the same claims"):
        compare_values(first, [], "score")
