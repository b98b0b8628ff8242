"""Figures against a number in which runs differ."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evaluate.sample_runs import made_run
from veritab.errors import InputError, NotFound
from veritab.evaluate.curves import curve, draw_curves
from veritab.evaluate.scored_runs import ScoredRun


def trained(folder: Path, on: str, wrong: int) -> ScoredRun:
    return made_run(folder, f"on-{on}", wrong=range(wrong), tags={"trained_on": on})


def test_runs_stand_in_the_order_of_the_number(tmp_path: Path) -> None:
    runs = [trained(tmp_path, "1000", 3), trained(tmp_path, "50", 15), trained(tmp_path, "200", 9)]
    steps = curve(runs, "trained_on", "label_accuracy")
    assert [(step.at, step.run) for step in steps] == [(50, "on-50"), (200, "on-200"), (1000, "on-1000")]
    assert [step.metric.value for step in steps] == pytest.approx([0.5, 0.7, 0.9])


def test_runs_that_differ_in_their_claims_stand_by_how_many_they_are(tmp_path: Path) -> None:
    runs = [made_run(tmp_path, "large", wrong=(1,)), made_run(tmp_path, "small", wrong=(1,), claims=10)]
    assert [step.at for step in curve(runs, "claims", "score")] == [10, 30]
    with pytest.raises(InputError, match="cannot be compared"):
        curve(runs, "trained_on", "score")


def test_a_run_without_the_number_says_how_to_give_it(tmp_path: Path) -> None:
    runs = [trained(tmp_path, "50", 15), made_run(tmp_path, "other")]
    with pytest.raises(InputError, match=r"other has no 'trained_on'.*--tag trained_on=1000"):
        curve(runs, "trained_on", "score")


@pytest.mark.parametrize("tag", ["plenty", "nan", "inf"])
def test_a_tag_that_is_no_number_is_named(tmp_path: Path, tag: str) -> None:
    runs = [trained(tmp_path, "50", 15), trained(tmp_path, tag, 1)]
    with pytest.raises(InputError, match=f"trained_on = '{tag}', which is not a number"):
        curve(runs, "trained_on", "score")


def test_an_unknown_figure_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no metric 'beauty'; the metrics are: score"):
        curve([trained(tmp_path, "50", 15)], "trained_on", "beauty")


def test_a_curve_is_drawn_with_its_axis(tmp_path: Path) -> None:
    runs = [trained(tmp_path, "50", 15), trained(tmp_path, "5000", 3)]
    svg = draw_curves({"accuracy": curve(runs, "trained_on", "label_accuracy")}, "trained_on")
    assert "Figures by trained_on" in svg
    assert draw_curves({}, "trained_on") == ""
