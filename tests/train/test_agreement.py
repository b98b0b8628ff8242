"""What is compared of an export: as many of each set as can be, labels, and the cells of a selector apart."""

from __future__ import annotations

import numpy as np
import pytest
from torch import nn

from veritab.train.agreement import MIN_AGREEMENT, ModelOutputs, _cells, _figures, _sample_sizes, default_sample


@pytest.mark.parametrize(
    ("sizes", "wanted", "shares"),
    [
        ([900, 900], 1000, [500, 500]),
        ([9000, 30, 9000], 1000, [485, 30, 485]),
        ([10, 20], 1000, [10, 20]),
        ([5, 5, 5], 2, [1, 1, 1]),
    ],
)
def test_sets_are_mixed_evenly_and_small_ones_leave_room(sizes: list[int], wanted: int, shares: list[int]) -> None:
    assert _sample_sizes(sizes, wanted) == shares


def test_a_cell_has_the_mean_of_its_tokens_as_a_score() -> None:
    by_token = np.array([9.0, 1.0, 3.0, -4.0, 9.0])
    marks = np.array([0, 2, 2, 5, 0])
    assert _cells(by_token, marks).tolist() == [2.0, -4.0]
    assert not len(_cells(by_token, np.zeros(5, dtype=np.int64)))


def answered(cells: list[float]) -> ModelOutputs:
    return ModelOutputs(np.array([[1.0], [-1.0]]), np.array([True, True]), np.array(cells))


def test_cells_on_the_other_side_of_zero_are_counted_apart() -> None:
    one, other = answered([1.0, -1.0, 2.0, 0.1]), answered([0.5, -1.0, 2.0, -0.1])
    figures, complaint = _figures("selector", one, other)
    assert figures["agreement with the trained network, %"] == 100
    assert (figures["agreement, cells, %"], figures["agreement, cells"]) == (75, 4)
    assert f"75.0 % of cells, less than {MIN_AGREEMENT} %" in complaint


def test_a_model_without_cells_says_nothing_of_them() -> None:
    figures, complaint = _figures("selector", answered([]), answered([]))
    assert not complaint
    assert not any("cells" in name for name in figures)


def test_a_large_network_is_asked_less() -> None:
    assert default_sample(nn.Linear(4, 4)) == 1000
    assert default_sample(nn.Linear(10_000, 5_000, device="meta")) == 600
