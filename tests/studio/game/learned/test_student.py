"""Welch's t-test, against scipy's."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from veritab.studio.game.learned.student import compare_means, student_tails

VALUES = st.lists(st.integers(0, 12).map(lambda twelfths: twelfths / 12), min_size=2, max_size=30)


@settings(deadline=None, max_examples=60)
@given(VALUES, VALUES)
def test_the_test_is_scipys(first: list[float], second: list[float]) -> None:
    stats = pytest.importorskip("scipy.stats")
    found = compare_means(first, second)
    if len(set(first)) == 1 or len(set(second)) == 1:  # scipy warns of numbers that are all alike
        return
    known = stats.ttest_ind(first, second, equal_var=False)
    assert found.t == pytest.approx(known.statistic, rel=1e-6, abs=1e-9)
    assert found.degrees == pytest.approx(known.df, rel=1e-6)
    assert found.p_value == pytest.approx(known.pvalue, rel=1e-6, abs=1e-12)


def test_the_papers_values_go_together() -> None:
    assert student_tails(2.53, 582) == pytest.approx(0.01, abs=0.005)
    assert student_tails(-2.50, 52.4) == pytest.approx(0.02, abs=0.005)
    assert student_tails(0, 7) == 1
    assert math.isclose(student_tails(12.706204736, 1), 0.05, rel_tol=1e-6)


def test_groups_that_cannot_be_compared_say_why() -> None:
    assert compare_means([1.0], [0.5, 0.2]).reason == "a group has fewer than two"
    assert compare_means([], []).first is None
    assert compare_means([1.0, 1.0], [0.5, 0.5]).reason == "the numbers of each group are alike"
