"""Which false claims go with which true ones, so that the words of claims alone do not tell the label.

For each question there are several false claims to choose from. Choosing goes question by question, a few times over:
each takes the claim that brings its words, and pairs of words, nearest to being as frequent in false claims as in true
ones. A claim with a mined answer costs something, as one that people would confuse is better; the less it costs, the
more of them are taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from veritab.text import words

_ROUNDS = 3


class FalseOption(NamedTuple):
    """False claims that may be taken for a question, and whether their answers were mined."""

    claims: tuple[str, ...]
    mined: bool


def balance_words(true: Sequence[str], options: Sequence[Sequence[FalseOption]], cost: float) -> list[int]:
    """The number of the option to take for each question, where a mined one costs so much."""
    aimed = Counter(feature for claim in true for feature in _features(claim))
    read = [[[f for claim in option.claims for f in _features(claim)] for option in each] for each in options]
    chosen = [0] * len(options)
    counts = Counter(feature for each in read for feature in each[0])
    for _ in range(_ROUNDS):
        before = list(chosen)
        for place, each in enumerate(read):
            counts.subtract(each[chosen[place]])
            chosen[place] = min(
                range(len(each)),
                key=lambda n: (_worse(each[n], aimed, counts) + cost * options[place][n].mined, n),
            )
            counts.update(each[chosen[place]])
        if chosen == before:
            break
    return chosen


def _features(claim: str) -> list[str]:
    """The words and pairs of words of a claim, each once; in their order, as sums of parts depend on it."""
    found = words(claim)
    return list(dict.fromkeys((*found, *(f"{one} {two}" for one, two in pairwise(found)))))


def _worse(features: Iterable[str], aimed: Counter[str], counts: Counter[str]) -> float:
    """How much farther claims with these words are from what is aimed at, as chi-square counts it."""
    return sum(_gap(aimed[each], counts[each] + 1) - _gap(aimed[each], counts[each]) for each in features)


def _gap(aimed: int, count: int) -> float:
    return (aimed - count) ** 2 / (aimed + count + 1)
