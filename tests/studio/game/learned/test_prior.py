"""The prior of right votes: the paper's, and the one that fits."""

from __future__ import annotations

import numpy
import pytest

from tests.studio.game.learned.rows import a_claim
from veritab.audit.audit_rows import Votes
from veritab.errors import InputError
from veritab.studio.game.learned.prior import (
    PAPER,
    PAPER_PRIOR,
    PriorChoice,
    VotePrior,
    choose_prior,
    fit_prior,
    measure_posterior,
)


def test_the_paper_begins_with_four_right_votes_and_a_wrong_one() -> None:
    assert PAPER_PRIOR.expected(Votes(0, 0)) == 0.8
    assert PAPER_PRIOR.expected(Votes(1, 4)) == pytest.approx(5 / 9)
    assert choose_prior(PAPER, [Votes(0, 9)]) is PAPER_PRIOR


def test_claims_below_one_half_are_listed_the_worst_first() -> None:
    claims = [a_claim(1, votes=4, right=0), a_claim(2, votes=3, right=0), a_claim(3, votes=9, right=0), a_claim(4)]
    found = measure_posterior(claims, PAPER_PRIOR)
    assert [(each.id, each.expected) for each in found.worst] == [(3, 4 / 14), (1, 4 / 9)]
    assert (found.misjudged, found.claims) == (2, 4)


def simulated(right: float, wrong: float, claims: int = 4000) -> list[Votes]:
    random = numpy.random.default_rng(3)
    totals, chances = random.integers(0, 9, claims), random.beta(right, wrong, claims)
    return [Votes(int(right), int(n)) for right, n in zip(random.binomial(totals, chances), totals, strict=True)]


def test_a_fitted_prior_finds_what_the_votes_were_drawn_from() -> None:
    found = fit_prior(simulated(3.0, 1.5))
    assert found.right == pytest.approx(3.0, rel=0.15)
    assert found.wrong == pytest.approx(1.5, rel=0.15)


def test_no_other_prior_makes_the_votes_likelier() -> None:
    optimize, stats = pytest.importorskip("scipy.optimize"), pytest.importorskip("scipy.stats")
    votes = simulated(2.0, 2.0, 300)
    right, total = (numpy.array(each) for each in zip(*votes, strict=True))

    def unlikely(logs: numpy.ndarray) -> float:
        return -float(stats.betabinom.logpmf(right, total, *numpy.exp(logs)).sum())

    best = numpy.exp(optimize.minimize(unlikely, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-5}).x)
    found = fit_prior(votes)
    assert (found.right, found.wrong) == pytest.approx(tuple(best), rel=1e-3)


def test_claims_that_are_all_alike_give_many_pseudo_votes_and_not_endless_ones() -> None:
    random = numpy.random.default_rng(5)
    found = fit_prior([Votes(int(random.binomial(6, 0.8)), 6) for _ in range(500)])
    assert found.right + found.wrong > 20
    assert found.right / (found.right + found.wrong) == pytest.approx(0.8, abs=0.03)


@pytest.mark.parametrize(
    ("votes", "why"),
    [
        ([], "fewer than two claims"),
        ([Votes(1, 1), Votes(0, 1), Votes(1, 3)], "fewer than two claims"),
        ([Votes(3, 3), Votes(2, 2)], "all votes are alike"),
    ],
)
def test_votes_that_cannot_tell_leave_the_papers_prior_and_say_why(votes: list[Votes], why: str) -> None:
    found = fit_prior(votes)
    assert found[:2] == (4, 1)
    assert why in found.reason


def test_a_prior_can_be_set() -> None:
    assert choose_prior(PriorChoice.parse("8,2.5"), [Votes(0, 9)]) == VotePrior(8, 2.5)
    assert PriorChoice.parse("paper") == PAPER
    for typed in ("", "4", "4,1,1", "0,1", "4,-1", "many,few", "nan,1", "inf,1"):
        with pytest.raises(InputError, match="expected paper, fitted, or right and wrong votes"):
            PriorChoice.parse(typed)
