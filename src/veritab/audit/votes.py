"""How players of a game judged claims: Fool Me Twice's estimate of how often a claim is judged correctly.

A claim has few votes, so each begins with five pseudo-votes, four of them right, which is how often players are right
overall: a Beta(4, 1) prior. The expected value of the posterior is (4 + right votes) / (5 + votes).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from veritab.audit.audit_rows import AuditRow, Votes
from veritab.evaluate.metrics import Metric, wilson
from veritab.schema import Label

PRIOR_RIGHT, PRIOR_WRONG = 4, 1
MISLEADING = 0.5
_MOST_LISTED = 10


class JudgedClaim(NamedTuple):
    """A claim with its votes and how often it is expected to be judged correctly."""

    id: str
    text: str
    label: str
    votes: Votes
    expected: float


class VoteStatistics(NamedTuple):
    """How players judged a data set; `misleading` are the claims expected to be misjudged more often than not."""

    claims: int
    unvoted: int
    votes: int
    fooled: Metric
    fooled_by_label: dict[str, Metric]
    misleading: int
    worst: tuple[JudgedClaim, ...]

    @property
    def misleading_share(self) -> float:
        return self.misleading / self.claims


def expected_right(votes: Votes, right: float = PRIOR_RIGHT, wrong: float = PRIOR_WRONG) -> float:
    """How often a claim is expected to be judged correctly, by a prior of so many right and wrong pseudo-votes."""
    return (right + votes.correct) / (right + wrong + votes.total)


def vote_statistics(rows: Sequence[AuditRow]) -> VoteStatistics | None:
    """What the votes of a data set say; None where it has none."""
    judged = [
        JudgedClaim(row.id, row.text, str(row.label or ""), row.votes, expected_right(row.votes))
        for row in rows
        if row.votes is not None
    ]
    if not any(each.votes.total for each in judged):
        return None
    judged.sort(key=lambda each: (each.expected, each.id))
    labels = [str(label) for label in Label if any(each.label == label for each in judged)]
    return VoteStatistics(
        len(judged),
        sum(not each.votes.total for each in judged),
        sum(each.votes.total for each in judged),
        _fooled(judged),
        {label: _fooled([each for each in judged if each.label == label]) for label in labels},
        sum(each.expected < MISLEADING for each in judged),
        tuple(judged[:_MOST_LISTED]),
    )


def _fooled(judged: Sequence[JudgedClaim]) -> Metric:
    votes = sum(each.votes.total for each in judged)
    share = sum(each.votes.total - each.votes.correct for each in judged) / votes if votes else 0.0
    return Metric(share, *wilson(share, votes), "wilson", votes)
