"""Numbers with their intervals, and cells with what the paper has in their place."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.papers.tables.cells import Number, TableCell, TableNote, f1_of, macro_f1, resampled, share, with_published


@given(st.lists(st.booleans(), min_size=1, max_size=200))
def test_a_share_lies_in_its_interval(outcomes: list[bool]) -> None:
    found = share(outcomes)
    assert found.value == sum(outcomes) / len(outcomes)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.n == len(outcomes)


def test_of_no_claims_nothing_is_known() -> None:
    assert share([]) == resampled([], [], macro_f1) == Number(0.0, 0.0, 1.0, 0)


def test_f1_is_that_of_hand() -> None:
    wanted, predict_labels = [0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]
    # SUPPORTS: 2 of 3 found, 2 of 2 right. REFUTES: 1 of 2, 1 of 2. NOT ENOUGH INFO: 1 of 1, 1 of 2.
    assert resampled(wanted, predict_labels, f1_of(0)).value == pytest.approx(0.8)
    assert resampled(wanted, predict_labels, f1_of(1)).value == pytest.approx(0.5)
    assert resampled(wanted, predict_labels, macro_f1).value == pytest.approx((0.8 + 0.5 + 2 / 3) / 3)


def test_an_interval_that_is_drawn_is_the_same_every_time() -> None:
    wanted, predict_labels = [0, 1, 2] * 30, [0, 1, 1] * 30
    first = resampled(wanted, predict_labels, macro_f1)
    assert first == resampled(wanted, predict_labels, macro_f1)
    assert first.low < first.value < first.high


def test_cells_get_what_the_paper_has_in_their_place() -> None:
    told = with_published([TableNote("a", "b"), TableCell("x", "y"), TableCell("x", "z")], {"x": {"y": 1.5}})
    assert [each.published for each in told if isinstance(each, TableCell)] == [1.5, None]


def test_a_number_that_rests_on_no_claim_is_none() -> None:
    (cell,) = with_published([TableCell("x", "y", share([]))], {"x": {"y": 1.5}})
    assert isinstance(cell, TableCell)
    assert cell.ours is None
    assert cell.why
