"""Giveaways: n-grams, and other features of claims, that go with a label more often than chance would have it.

For a feature w and a label l, with probabilities p estimated by counting:

    LMI(w, l)   p(w, l) log(p(l | w) / p(l)), which is p(w, l) log(p(w, l) / (p(w) p(l))): both papers write the same
    nPMI(w, l)  log(p(w, l) / (p(w) p(l))) / -log p(w, l): 1 where neither comes without the other, 0 by chance

What they count differs. Fool Me Twice counts every occurrence of a pair and divides by the number of claims; p(l) is
the share of claims. FaVIQ, after Schuster et al., divides by the number of all occurrences; p(l) is the share of those.
nPMI counts the claims that have the feature at all. LMI prefers frequent features, nPMI exclusive ones.

No data set is free of them: among thousands of words some go with a label by accident, frequent ones far enough to
lead a list by LMI, rare ones to lead one by nPMI. So each is also tested by its log-likelihood ratio (G2), by which
frequent and rare features can be compared, in a permutation test: what goes with a label more clearly than anything
did under shuffled labels is beyond chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from veritab.audit.ngrams import Ngrams
from veritab.evaluate.metrics import SEED

if TYPE_CHECKING:
    from numpy import bool_, float64, int64
    from numpy.typing import NDArray

SHUFFLES = 20
TOP = 10
LEAST = 5
"""A feature of fewer claims is never a giveaway."""


class LmiVariant(StrEnum):
    """Whose definition of LMI: what its probabilities are estimated from."""

    FM2 = "fm2"
    FAVIQ = "faviq"


class Giveaway(NamedTuple):
    """A feature that goes with a label: in how many claims of it, in how many of all, how strongly."""

    thing: str
    label: str
    here: int
    anywhere: int
    strength: float
    beyond_chance: bool


@dataclass(frozen=True, eq=False)
class Associations:
    """How features go with labels; `labels` has one of `names` for every claim."""

    ngrams: Ngrams
    labels: Sequence[str]
    names: Sequence[str]

    def by_lmi(self, label: str, counting: LmiVariant = LmiVariant.FM2, top: int = TOP) -> tuple[Giveaway, ...]:
        """The features with the highest local mutual information with a label, highest first."""
        number = self.names.index(label)
        return self._first(_lmi(self._occurrences, self._claims, counting)[:, number], number, top)

    def by_npmi(self, label: str, least: int = 1, top: int = TOP) -> tuple[Giveaway, ...]:
        """The features with the highest normalised PMI with a label, of those that at least `least` claims have."""
        import numpy

        number = self.names.index(label)
        often = self._present.sum(axis=1) >= least
        return self._first(numpy.where(often, self.npmi[:, number], -1), number, top)

    def beyond_chance(self, top: int = TOP) -> tuple[Giveaway, ...]:
        """The features that go with a label more clearly than shuffled labels ever did, the clearest first; by G2."""
        found = [
            is_giveaway
            for number in range(len(self.names))
            for is_giveaway in self._first(self._clear[:, number], number, top)
            if is_giveaway.beyond_chance
        ]
        return tuple(sorted(found, key=lambda is_giveaway: -is_giveaway.strength)[:top])

    @cached_property
    def npmi(self) -> NDArray[float64]:
        """The normalised PMI of each feature with each label, -1 where they never meet."""
        return _npmi(self._present, self._claims)

    @cached_property
    def is_giveaway(self) -> NDArray[bool_]:
        """For each feature and label whether they go together beyond chance."""
        is_giveaway: NDArray[bool_] = (self._clear > self.chance) & self._often[:, None]
        return is_giveaway

    @cached_property
    def share_given_away(self) -> float:
        """The share of claims that have something which goes with their own label beyond chance."""
        import numpy

        once = self.ngrams.once
        given = self.is_giveaway[once.thing, self._codes[once.claim]]
        return len(numpy.unique(once.claim[given])) / max(len(self.labels), 1)

    @cached_property
    def chance(self) -> float:
        """The clearest association of anything with any label that shuffled labels gave, as G2."""
        import numpy

        often = self.ngrams.once.only(self._often)
        generator, reached = numpy.random.default_rng(SEED), 0.0
        for _ in range(SHUFFLES):
            present = _counts(often, generator.permutation(self._codes), len(self.names))
            reached = max(reached, float(_g2(present, self._claims).max(initial=0.0)))
        return reached

    @cached_property
    def _codes(self) -> NDArray[int64]:
        import numpy

        number_of = {name: number for number, name in enumerate(self.names)}
        return numpy.array([number_of[label] for label in self.labels], dtype=numpy.int64)

    @cached_property
    def _claims(self) -> NDArray[int64]:
        import numpy

        return numpy.bincount(self._codes, minlength=len(self.names))

    @cached_property
    def _occurrences(self) -> NDArray[int64]:
        return _counts(self.ngrams, self._codes, len(self.names))

    @cached_property
    def _present(self) -> NDArray[int64]:
        return _counts(self.ngrams.once, self._codes, len(self.names))

    @cached_property
    def _often(self) -> NDArray[bool_]:
        often: NDArray[bool_] = self._present.sum(axis=1) >= LEAST
        return often

    @cached_property
    def _clear(self) -> NDArray[float64]:
        return _g2(self._present, self._claims)

    def _first(self, strengths: NDArray[float64], number: int, top: int) -> tuple[Giveaway, ...]:
        import numpy

        return tuple(
            Giveaway(
                self.ngrams.names[place],
                self.names[number],
                int(self._present[place, number]),
                int(self._present[place].sum()),
                float(strengths[place]),
                bool(self.is_giveaway[place, number]),
            )
            for place in numpy.argsort(-strengths, kind="stable")[:top].tolist()
            if strengths[place] > 0
        )


# -- the measures, for all things and labels at once ------------------------------------------------------


def _counts(ngrams: Ngrams, codes: NDArray[int64], labels: int) -> NDArray[int64]:
    """How often each thing comes with each label."""
    import numpy

    flat = numpy.bincount(ngrams.thing * labels + codes[ngrams.claim], minlength=len(ngrams.names) * labels)
    return flat.reshape(-1, labels)


def _lmi(counts: NDArray[int64], claims: NDArray[int64], counting: LmiVariant) -> NDArray[float64]:
    import numpy

    per_label = counts.sum(axis=0) if counting is LmiVariant.FAVIQ else claims
    return numpy.where(counts > 0, counts / max(int(per_label.sum()), 1) * _lift(counts, per_label), 0.0)


def _npmi(present: NDArray[int64], claims: NDArray[int64]) -> NDArray[float64]:
    import numpy

    share = present / max(int(claims.sum()), 1)
    met = (share > 0) & (share < 1)
    scale = -numpy.log(numpy.where(met, share, 0.5))
    # Where every claim has both, neither tells anything of the other.
    return numpy.where(met, _lift(present, claims) / scale, numpy.where(share == 1, 0.0, -1.0))


def _lift(counts: NDArray[int64], per_label: NDArray[int64]) -> NDArray[float64]:
    """The logarithm of how many times as often as by chance a thing comes with a label; 0 where it never does."""
    import numpy

    expected = counts.sum(axis=1, keepdims=True) * (per_label / max(int(per_label.sum()), 1))
    ratio = numpy.divide(counts, expected, out=numpy.ones(counts.shape), where=counts > 0)
    lift: NDArray[float64] = numpy.log(ratio)
    return lift


def _g2(present: NDArray[int64], claims: NDArray[int64]) -> NDArray[float64]:
    """The log-likelihood ratio of having a thing and bearing a label; 0 where they meet less often than by chance."""
    import numpy

    total = int(claims.sum())
    having = present.sum(axis=1, keepdims=True)
    score = numpy.zeros(present.shape)
    for seen, rows, columns in (
        (present, having, claims),
        (having - present, having, total - claims),
        (claims - present, total - having, claims),
        (total - having - claims + present, total - having, total - claims),
    ):
        expected = rows * columns / max(total, 1)
        ratio = numpy.divide(seen, expected, out=numpy.ones(present.shape), where=(seen > 0) & (expected > 0))
        score += 2 * seen * numpy.log(ratio)
    return numpy.where(present * total > having * claims, score, 0.0)
