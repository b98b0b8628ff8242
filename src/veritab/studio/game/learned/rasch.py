"""Difficulty of claims and skill of players, fitted together on the rounds: a Rasch model of pairs.

A round is one right or wrong guess on two claims, so its logit is

    ease of the game + skill of the voter - (difficulty of the true claim + difficulty of the false claim).

Skills and difficulties are normal around 0, which makes them identifiable; how far they spread is fitted too (EM, with
a few imagined players and claims of spread 1, so that ten rounds do not settle it). The fit is the likeliest one given
those priors, by Newton's method; intervals are of the normal around it, from the inverse of the Hessian. Chances are
averaged over that normal: at the single best value they are too extreme, and spreads come out too small. The Hessian of
a large game does not fit into memory, so it is only ever multiplied with: steps are solved by conjugate gradients, and
the diagonal of its inverse is found by sampling (Papandreou and Yuille 2010), where what is known of each number given
all others is worked out instead of sampled (Siden et al. 2018).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from veritab.studio.game.learned.rows import GameRoundRow

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

    Indices: TypeAlias = NDArray[numpy.int64]
    Numbers: TypeAlias = NDArray[numpy.float64]

_SEED = 0
_Z = 1.959963984540054
_EASE_SPREAD = 3.0
_IMAGINED = 5.0
"""So many players and claims of spread 1 are imagined when spreads are fitted."""
_STEPS, _LAST_STEPS = 40, 5
_SAME_SPREAD = 0.002
_SAMPLES, _FEW_SAMPLES = 32, 4
_CLOSE = 1e-3
"""How exactly steps and samples are solved for: other steps follow, and samples scatter far wider."""
_NEAR_LOGISTIC = math.pi / 8
"""MacKay's approximation of a logistic function averaged over a normal."""


class Estimate(NamedTuple):
    """A skill or a difficulty in logits, with its 95 % interval, and on how many rounds it rests."""

    value: float
    low: float
    high: float
    rounds: int


class RaschFigures(NamedTuple):
    """How good players are and how hard claims are. A logit of 1 more takes odds of 1 to 1 to 2.7 to 1."""

    rounds: int
    ease: Estimate
    """The logit of a right guess by a player of skill 0 on two claims of difficulty 0."""
    skill_spread: float
    difficulty_spread: float
    skills: dict[int, Estimate]
    difficulties: dict[int, Estimate]
    reason: str = ""

    @property
    def usual_share(self) -> float:
        """How often such a player is right on such claims."""
        return 1 / (1 + math.exp(-self.ease.value))


_NOTHING = RaschFigures(0, Estimate(0.0, 0.0, 0.0, 0), 1.0, 1.0, {}, {}, "no round was voted in")


def fit_rasch(rounds: Sequence[GameRoundRow]) -> RaschFigures:
    """Skills by player and difficulties by claim, from the votes of people."""
    import numpy

    voted = [each for each in rounds if each.is_over and each.voter is not None]
    if not voted:
        return _NOTHING
    players, voters = numpy.unique([each.voter for each in voted], return_inverse=True)
    pairs = numpy.array([(each.true_claim, each.false_claim) for each in voted])
    claims, places = numpy.unique(pairs, return_inverse=True)
    places = places.reshape(pairs.shape)
    model = _PairModel(
        numpy.array([each.spotted for each in voted], dtype=float), voters, places, len(players), len(claims)
    )
    spreads = model.fit()
    margins = _Z * numpy.sqrt(model.variances(_SAMPLES))
    estimates = [
        Estimate(float(value), float(value - margin), float(value + margin), int(count))
        for value, margin, count in zip(model.values, margins, model.counts(), strict=True)
    ]
    skills = dict(zip(players.tolist(), estimates[: len(players)], strict=True))
    difficulties = dict(zip(claims.tolist(), estimates[len(players) : -1], strict=True))
    return RaschFigures(len(voted), estimates[-1], *spreads, skills, difficulties)


class _PairModel:
    """The votes, and the fit to them; numbers are the skills, then the difficulties, then the ease of the game."""

    def __init__(self, right: Numbers, voters: Indices, places: Indices, players: int, claims: int) -> None:
        import numpy

        self.right, self.voters = right, voters
        self.first, self.second = places[:, 0] + players, places[:, 1] + players
        self.players, self.size = players, players + claims + 1
        self.values = numpy.zeros(self.size)
        self.shrinkage = numpy.ones(len(right))
        """By how much the logit of each round is drawn to 0, because it is not known exactly."""
        self.precisions = numpy.ones(self.size)
        """Of the priors."""
        self.precisions[-1] = _EASE_SPREAD**-2

    def fit(self) -> tuple[float, float]:
        """Fit everything; the spreads of skills and difficulties are returned."""
        spreads = (1.0, 1.0)
        for _ in range(_STEPS):
            self._step()
            moments = self.values**2 + self.variances(_FEW_SAMPLES)
            before, spreads = spreads, (_spread(moments[: self.players]), _spread(moments[self.players : -1]))
            self.precisions[: self.players] = spreads[0] ** -2
            self.precisions[self.players : -1] = spreads[1] ** -2
            if all(abs(new / old - 1) < _SAME_SPREAD for new, old in zip(spreads, before, strict=True)):
                break
        for _ in range(_LAST_STEPS):
            self._step()
        return spreads

    def counts(self) -> Numbers:
        """On how many rounds each number rests."""
        return self._gather(self.right * 0 + 1, sign=1)

    def variances(self, samples: int) -> Numbers:
        """The diagonal of the inverse Hessian; the shrinkage is set by the same samples.

        The variance of a number is that given all others, which the diagonal of the Hessian gives, and that of its mean
        given the others, which samples give.
        """
        import numpy

        random = numpy.random.default_rng(_SEED)
        weights = self._weights()
        diagonal = self._gather(weights, sign=1) + self.precisions
        means, logits = numpy.zeros(self.size), numpy.zeros(len(weights))
        for _ in range(samples):
            noise = self._gather(numpy.sqrt(weights) * random.standard_normal(len(weights)))
            noise += numpy.sqrt(self.precisions) * random.standard_normal(self.size)
            sample = self._solve(noise, weights)
            means += (sample - self._multiply(sample, weights) / diagonal) ** 2
            logits += self._logits(sample) ** 2
        self.shrinkage = 1 / numpy.sqrt(1 + _NEAR_LOGISTIC * logits / samples)
        return 1 / diagonal + means / samples

    def _step(self) -> None:
        """A step of Newton's method, halved until it leads upwards; the objective is concave."""
        slope = self._gather(self.right - self._chances()) - self.precisions * self.values
        step = self._solve(slope, self._weights())
        start, before = self.values, self._objective()
        for halvings in range(_STEPS):
            self.values = start + step / 2**halvings
            if self._objective() >= before:
                return
        self.values = start

    def _objective(self) -> float:
        import numpy

        logits = self._logits(self.values)
        likelihood = self.right * logits - numpy.logaddexp(0, self.shrinkage * logits) / self.shrinkage
        return float(likelihood.sum() - (self.precisions * self.values**2).sum() / 2)

    def _chances(self) -> Numbers:
        import numpy

        chances: Numbers = 1 / (1 + numpy.exp(-numpy.clip(self.shrinkage * self._logits(self.values), -50, 50)))
        return chances

    def _weights(self) -> Numbers:
        chances = self._chances()
        return self.shrinkage * chances * (1 - chances)

    def _solve(self, target: Numbers, weights: Numbers) -> Numbers:
        """Solve with the Hessian by conjugate gradients, scaled by its diagonal."""
        import numpy

        diagonal = self._gather(weights, sign=1) + self.precisions
        solution, residual = numpy.zeros(self.size), target
        scaled = residual / diagonal
        direction, product = scaled, _dot(residual, scaled)
        goal = _CLOSE**2 * product
        for _ in range(self.size):
            if product <= goal:
                break
            image = self._multiply(direction, weights)
            length = product / _dot(direction, image)
            solution = solution + length * direction
            residual = residual - length * image
            scaled = residual / diagonal
            before, product = product, _dot(residual, scaled)
            direction = scaled + product / before * direction
        return solution

    def _multiply(self, values: Numbers, weights: Numbers) -> Numbers:
        """The Hessian times numbers."""
        return self._gather(weights * self._logits(values)) + self.precisions * values

    def _logits(self, values: Numbers) -> Numbers:
        logits: Numbers = values[-1] + values[self.voters] - values[self.first] - values[self.second]
        return logits

    def _gather(self, per_round: Numbers, sign: int = -1) -> Numbers:
        """What rounds add to each number; claims are taken away, unless the sign says otherwise."""
        import numpy

        found: Numbers = numpy.bincount(self.voters, per_round, self.size).astype(float)
        found += sign * numpy.bincount(self.first, per_round, self.size)
        found += sign * numpy.bincount(self.second, per_round, self.size)
        found[-1] = per_round.sum()
        return found


def _dot(first: Numbers, second: Numbers) -> float:
    """Without the threads of a linear algebra library: for so few numbers they cost more than they save."""
    return float((first * second).sum())


def _spread(moments: Numbers) -> float:
    """The spread of numbers around 0, with some of spread 1 imagined beside them."""
    return math.sqrt((float(moments.sum()) + _IMAGINED) / (len(moments) + _IMAGINED))
