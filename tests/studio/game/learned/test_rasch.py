"""Skill and difficulty: what was put into simulated rounds comes out again."""

from __future__ import annotations

import time
import tracemalloc

import numpy
import pytest

from tests.studio.game.learned.rows import a_round, simulate
from veritab.studio.game.learned import rasch
from veritab.studio.game.learned.rasch import fit_rasch


def test_simulated_skills_and_difficulties_are_found_again() -> None:
    skills, difficulties, rounds = simulate(100, 200, 8000)
    found = fit_rasch(rounds)
    for true, estimates in ((skills, found.skills), (difficulties, found.difficulties)):
        values = [estimates[id].value for id in sorted(estimates)]
        assert numpy.corrcoef([true[id] for id in sorted(estimates)], values)[0, 1] > 0.75
    assert found.skill_spread == pytest.approx(0.8, abs=0.15)
    assert found.difficulty_spread == pytest.approx(0.7, abs=0.15)
    assert found.rounds == sum(each.rounds for each in found.skills.values()) == 8000


def test_intervals_hold_what_is_true_as_often_as_they_say() -> None:
    held = list[bool]()
    for seed in range(6):
        skills, difficulties, rounds = simulate(40, 60, 1500, seed=seed)
        found = fit_rasch(rounds)
        for true, estimates in ((skills, found.skills), (difficulties, found.difficulties)):
            held += [each.low <= true[id] <= each.high for id, each in estimates.items()]
    assert 0.925 < numpy.mean(held) < 0.975


def test_variances_are_the_diagonal_of_the_inverse_hessian() -> None:
    _, _, rounds = simulate(8, 6, 150)
    players, voters = numpy.unique([each.voter for each in rounds], return_inverse=True)
    pairs = numpy.array([(each.true_claim, each.false_claim) for each in rounds])
    claims, places = numpy.unique(pairs, return_inverse=True)
    right = numpy.array([each.spotted for each in rounds], dtype=float)
    model = rasch._PairModel(right, voters, places.reshape(pairs.shape), len(players), len(claims))
    model.fit()
    weights = model._weights()
    hessian = numpy.array([model._multiply(row, weights) for row in numpy.eye(model.size)])
    assert numpy.allclose(hessian, hessian.T)
    slope = model._gather(model.right - model._chances()) - model.precisions * model.values
    assert abs(slope).max() < 1e-3
    exact = numpy.diag(numpy.linalg.inv(hessian))
    assert numpy.allclose(numpy.sqrt(model.variances(400)), numpy.sqrt(exact), rtol=0.06)


def test_a_claim_that_fools_everybody_is_hard_and_one_round_says_little() -> None:
    rounds = [a_round(1, 2, spotted=False, voter=voter) for voter in range(1, 7)]
    rounds += [a_round(3, 4, voter=voter) for voter in range(1, 7)]
    rounds += [a_round(5, 6, voter=1)]
    found = fit_rasch(rounds)
    assert found.difficulties[1].value > 0.2 > -0.2 > found.difficulties[3].value
    alone = found.difficulties[5]
    assert alone.low < 0 < alone.high
    assert alone.rounds == 1


def test_votes_that_are_all_right_stay_finite() -> None:
    found = fit_rasch([a_round(1, 2, voter=voter) for voter in range(1, 50)])
    assert 0.9 < found.usual_share < 1
    assert all(abs(each.value) < 3 for each in found.skills.values())


def test_without_a_vote_there_is_a_reason() -> None:
    late = a_round(1, 2, spotted=False, is_over=False)
    assert fit_rasch([late, a_round(1, 2, voter=None)]).reason == "no round was voted in"


def test_a_hundred_thousand_votes_take_seconds_and_little_memory() -> None:
    _, _, rounds = simulate(1000, 2500, 50_000)  # each is a vote on two claims
    tracemalloc.start()
    begun = time.process_time()
    found = fit_rasch(rounds)
    seconds = time.process_time() - begun
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found.difficulties) > 4900
    assert most < 64 << 20
    assert seconds < 15
