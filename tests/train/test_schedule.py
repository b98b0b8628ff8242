"""The plan of a run with a limit of seconds: it shrinks, grows again, and never wants more than the recipe."""

from __future__ import annotations

import pytest

from veritab.train import recipe as recipes
from veritab.train.recipe import Recipe
from veritab.train.schedule import Schedule

TELL = 50


def recipe(**more: object) -> Recipe:
    stage = {"name": "only", "sources": [{"name": "snli"}]}
    return recipes.parse_recipe(
        {"job": "verdict", "base": "somewhere", "stage": [stage, {**stage, "name": "then"}], **more}
    )


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def run(pace: Schedule, clock: Clock, stage: int, slow: int, slowly: float, quickly: float) -> list[int]:
    """Take all steps of a stage, the first ones slowly; how long the plan for the stage was each time it was made."""
    step, plans = 0, []
    while step < pace.steps[stage]:
        clock.now += slowly if step < slow else quickly
        step += 1
        pace.count_step(stage)
        if step % TELL == 0 or step >= pace.steps[stage]:
            pace.fit(stage, step)
            plans.append(pace.steps[stage])
    return plans


def made(seconds: float | None, steps: list[int], **more: object) -> tuple[Schedule, Clock]:
    clock = Clock()
    return Schedule(recipe(**more), steps, [1.0, 2.0], seconds, clock), clock


def test_without_a_limit_all_steps_are_taken_however_long_they_take() -> None:
    pace, clock = made(None, [300, 100])
    assert run(pace, clock, 0, 300, 9.0, 9.0)[-1] == 300
    assert pace.steps == [300, 100]


def test_a_slow_first_moment_does_not_count() -> None:
    pace, clock = made(1000, [300, 100])
    assert set(run(pace, clock, 0, 20, 20.0, 0.5)) == {300}
    assert pace.steps == [300, 100]


def test_a_plan_that_was_cut_in_a_jam_grows_again() -> None:
    pace, clock = made(1000, [1000, 10])
    plans = run(pace, clock, 0, 60, 3.0, 0.5)
    assert plans[0] < 500
    assert plans[-1] == 1000
    assert pace.steps == [1000, 10]


def test_what_takes_too_long_ends_in_time_and_both_stages_give_way_alike() -> None:
    pace, clock = made(1000, [2000, 1000])
    run(pace, clock, 0, 0, 1.0, 1.0)
    assert 450 <= pace.steps[0] <= 550
    assert 200 <= pace.steps[1] <= 300
    run(pace, clock, 1, 0, 2.0, 2.0)
    assert 950 <= pace.elapsed() <= 1000


def test_a_stage_whose_rate_has_fallen_gets_no_longer() -> None:
    pace, clock = made(1000, [2000, 1])
    plans = run(pace, clock, 0, 300, 2.0, 0.1)
    later = plans[300 // TELL :]
    assert max(plans) < 2000
    assert sorted(later, reverse=True) == later


def test_time_that_was_spent_on_something_else_is_gone_but_makes_no_step_slower() -> None:
    pace, clock = made(1000, [400, 200])
    run(pace, clock, 0, 0, 1.0, 1.0)
    clock.now += 400
    pace.restart_clock()
    assert run(pace, clock, 1, 0, 2.0, 2.0)[0] == pytest.approx(100, abs=2)


def test_the_rate_rises_falls_and_ends_at_next_to_nothing() -> None:
    pace, _ = made(None, [100, 50], warm_up=0.1)
    rates = [pace.rate(0, step) for step in range(100)]
    top = rates.index(max(rates))
    assert 8 <= top <= 11
    assert rates[:top] == sorted(rates[:top])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[-1] < 0.02 * max(rates)
