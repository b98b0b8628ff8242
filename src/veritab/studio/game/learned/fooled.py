"""How often voters are fooled, by label, topic and author, with Wilson's intervals.

A round is one decision, and a vote on both of its claims: where both stand in one group, the interval counts it once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from veritab.evaluate.metrics import Metric, wilson
from veritab.schema import Label
from veritab.studio.game.learned.rows import GameClaimRow, GameRoundRow

NOBODY = "imported"


class FooledFigures(NamedTuple):
    """The share of votes that were wrong; `n` is the number of votes."""

    overall: Metric
    by_label: Mapping[str, Metric]
    by_topic: Mapping[str, Metric]
    by_author: Mapping[str, Metric]


def measure_fooled(
    claims: Sequence[GameClaimRow], rounds: Sequence[GameRoundRow], names: Mapping[int, str]
) -> FooledFigures:
    """How often claims were misjudged."""
    by_id = {claim.id: claim for claim in claims}

    def grouped(name_of: Callable[[GameClaimRow], str]) -> dict[str, Metric]:
        votes, wrong, twice = Counter[str](), Counter[str](), Counter[str]()
        for claim in claims:
            votes[name_of(claim)] += claim.votes
            wrong[name_of(claim)] += claim.votes - claim.right
        for each in rounds:
            first, second = (name_of(by_id[id]) for id in (each.true_claim, each.false_claim))
            if each.is_over and each.voter is not None and first == second:
                twice[first] += 1
        return {
            name: _share(wrong[name], votes[name], votes[name] - twice[name]) for name in sorted(votes) if votes[name]
        }

    by_label = grouped(lambda claim: str(claim.label))
    overall = grouped(lambda _: "")
    return FooledFigures(
        overall.get("", _share(0, 0, 0)),
        {str(label): by_label[label] for label in Label if label in by_label},
        grouped(lambda claim: claim.topic),
        grouped(lambda claim: NOBODY if claim.author is None else names.get(claim.author, "")),
    )


def _share(wrong: int, votes: int, decisions: int) -> Metric:
    share = wrong / votes if votes else 0.0
    return Metric(share, *wilson(share, max(decisions, 0)), "wilson", votes)
