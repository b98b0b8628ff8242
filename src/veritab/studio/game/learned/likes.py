"""Which claims people like: true against false ones, by topic, as in section 3.3 of Fool Me Twice.

What is compared is the likes a vote of each claim that has votes, claim by claim; FM2's published claims give the
paper's means so, and not when votes are counted. Likes come from rounds without a vote too, where time ran out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from veritab.studio.game.learned.rows import GameClaimRow
from veritab.studio.game.learned.student import MeanDifference, compare_means

_TOGETHER = ("Science", "Technology")
"""Topics that the paper counts together."""


class LikeFigures(NamedTuple):
    """Likes a vote of true claims (first) and of false ones (second)."""

    overall: MeanDifference
    by_topic: Mapping[str, MeanDifference]


def measure_likes(claims: Iterable[GameClaimRow]) -> LikeFigures:
    """How much better true claims are liked than false ones."""
    shares: defaultdict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
    for claim in claims:
        if claim.votes:
            shares[claim.topic][0 if claim.truth else 1].append(claim.likes / claim.votes)
    by_topic = {topic: compare_means(*pair) for topic, pair in sorted(shares.items())}
    if all(topic in shares for topic in _TOGETHER):
        first, second = (shares[topic] for topic in _TOGETHER)
        by_topic[" and ".join(_TOGETHER)] = compare_means(first[0] + second[0], first[1] + second[1])
    overall = tuple([share for pair in shares.values() for share in pair[side]] for side in (0, 1))
    return LikeFigures(compare_means(*overall), by_topic)
