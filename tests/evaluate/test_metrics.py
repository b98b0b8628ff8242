"""Means and sums with intervals, and whether two systems differ."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from veritab.errors import InputError
from veritab.evaluate.metrics import compare_values, mean_metric, pooled_metric


def ratio(sums: Any) -> Any:
    return sums[:, 0] / sums[:, 1]


def test_a_share_has_wilsons_interval_and_says_of_how_many() -> None:
    metric = mean_metric([1.0] * 8 + [0.0] * 2)
    assert (metric.value, metric.method, metric.n) == (0.8, "wilson", 10)
    assert metric.low == pytest.approx(0.4902, abs=1e-4)
    assert metric.high == pytest.approx(0.9433, abs=1e-4)
    assert metric.interval() == {"low": metric.low, "high": metric.high, "method": "wilson"}


def test_a_figure_of_sums_is_that_of_all_claims_and_lies_in_its_interval() -> None:
    metric = pooled_metric([(1.0, 2.0), (0.0, 1.0), (3.0, 4.0)] * 20, ratio)
    assert metric.value == 4 / 7
    assert metric.low < metric.value < metric.high
    assert (metric.method, metric.n) == ("bootstrap", 60)


def test_the_order_of_claims_changes_nothing() -> None:
    rows = [(float(number % 3), 2.0) for number in range(50)]
    assert pooled_metric(rows, ratio) == pooled_metric(rows[::-1], ratio)


def test_the_interval_of_a_mean_taken_as_sums_is_that_of_the_mean() -> None:
    values = [float(value) for value in numpy.random.default_rng(1).random(300).round(1)]
    mean = mean_metric(values)
    sums = pooled_metric([(value, 1.0) for value in values], ratio)
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
