"""How often a claim is expected to be judged rightly: Fool Me Twice's Beta(4, 1), or a prior fitted to the votes.

The fitted prior is the one with the highest marginal likelihood: the votes of a claim are beta-binomial, and Minka's
fixed-point iteration climbs to the best parameters without a step size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

from veritab.audit.audit_rows import Votes
from veritab.audit.votes import MISLEADING, PRIOR_RIGHT, PRIOR_WRONG, expected_right
from veritab.errors import InputError, short_repr
from veritab.studio.game.learned.rows import GameClaimRow

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Numbers: TypeAlias = NDArray[numpy.float64]

MOST_PSEUDO_VOTES = 1000.0
"""Beyond it the claims of a game do not differ in how they are judged, as far as their votes tell."""
_ITERATIONS = 5000
_TOLERANCE = 1e-9
_MOST_LISTED = 25


class VotePrior(NamedTuple):
    """So many right and wrong votes are imagined before the first one."""

    right: float
    wrong: float
    reason: str = ""
    """Why it is the paper's, though it should have been fitted."""

    def expected(self, votes: Votes) -> float:
        """How often a claim is expected to be judged rightly."""
        return expected_right(votes, self.right, self.wrong)


PAPER_PRIOR = VotePrior(PRIOR_RIGHT, PRIOR_WRONG)


class PriorChoice(NamedTuple):
    """Where the prior comes from."""

    value: str
    """"paper", "fitted", or the two numbers, as it is typed."""
    prior: VotePrior | None
    """None where it is fitted to the votes."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The choice that somebody types: "paper", "fitted", or right and wrong votes, "8,2"."""
        if text in (PAPER.value, FITTED.value):
            return cls(text, PAPER_PRIOR if text == PAPER.value else None)
        try:
            right, wrong = (float(number) for number in text.split(","))
        except ValueError:
            right = wrong = 0.0
        if not (0 < right <= MOST_PSEUDO_VOTES and 0 < wrong <= MOST_PSEUDO_VOTES):
            raise InputError(
                f"the prior is {short_repr(text)}; expected paper, fitted, or right and wrong votes above 0, e.g. 4,1"
            )
        return cls(text, VotePrior(right, wrong))


PAPER = PriorChoice("paper", PAPER_PRIOR)
FITTED = PriorChoice("fitted", None)


class MisjudgedClaim(NamedTuple):
    """A claim that is expected to be judged wrongly more often than not."""

    id: int
    text: str
    votes: Votes
    expected: float


class PosteriorFigures(NamedTuple):
    """The prior, and the claims whose expected share of right votes is below one half."""

    prior: VotePrior
    claims: int
    misjudged: int
    worst: tuple[MisjudgedClaim, ...]


def choose_prior(choice: PriorChoice, votes: Iterable[Votes]) -> VotePrior:
    """The prior that is chosen, or the one that fits the votes best."""
    return choice.prior or fit_prior(votes)


def fit_prior(votes: Iterable[Votes]) -> VotePrior:
    """The Beta prior under which the votes are likeliest; the paper's, with the reason, where they cannot tell."""
    import numpy

    given = [each for each in votes if each.total]
    if sum(each.total > 1 for each in given) < 2:
        return PAPER_PRIOR._replace(reason="fewer than two claims have two votes")
    right, wrong, total = (
        _more_than(counts)
        for counts in zip(*((each.correct, each.total - each.correct, each.total) for each in given), strict=True)
    )
    if not right.size or not wrong.size:
        return PAPER_PRIOR._replace(reason="all votes are alike")
    share = right.sum() / total.sum()
    prior = numpy.array([share, 1 - share]) * (PRIOR_RIGHT + PRIOR_WRONG)
    for _ in range(_ITERATIONS):
        whole = _climb(total, prior.sum())
        factors = numpy.array([_climb(right, prior[0]) / whole, _climb(wrong, prior[1]) / whole])
        prior = prior * factors
        if prior.sum() > MOST_PSEUDO_VOTES:
            prior *= MOST_PSEUDO_VOTES / prior.sum()
            break
        if abs(factors - 1).max() < _TOLERANCE:
            break
    return VotePrior(float(prior[0]), float(prior[1]))


def _more_than(counts: Sequence[int]) -> Numbers:
    """How many of the counts are more than 0, 1, 2 ...: rising factorials of Gamma functions need no more."""
    import numpy

    histogram = numpy.bincount(counts)
    return (histogram[::-1].cumsum()[::-1][1:]).astype(float)


def _climb(above: Numbers, parameter: float) -> float:
    import numpy

    return float((above / (parameter + numpy.arange(len(above)))).sum())


def measure_posterior(claims: Sequence[GameClaimRow], prior: VotePrior) -> PosteriorFigures:
    """The claims that are judged wrongly more often than not, the worst first."""
    found = [
        MisjudgedClaim(claim.id, claim.text, claim.judged, expected)
        for claim in claims
        if claim.votes and (expected := prior.expected(claim.judged)) < MISLEADING
    ]
    found.sort(key=lambda each: (each.expected, each.id))
    return PosteriorFigures(prior, len(claims), len(found), tuple(found[:_MOST_LISTED]))
