"""What a round comes to: how it counts for its two claims, and who gets which points for it.

Nothing does in practice, where the checker plays, and where somebody had met a claim before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from veritab.studio.game.pairing import ClaimPair
from veritab.studio.game.records import GameRoundRecord
from veritab.studio.game.rounds import Round, RoundOutcome, Side
from veritab.studio.game.vocabulary import PointKind


class ClaimTally(NamedTuple):
    """How a claim fared: a vote judges both claims, rightly or wrongly."""

    votes: int = 0
    right_votes: int = 0
    likes: int = 0

    def plus(self, other: ClaimTally) -> ClaimTally:
        return ClaimTally(*(one + another for one, another in zip(self, other, strict=True)))

    def minus(self, other: ClaimTally) -> ClaimTally:
        return ClaimTally(*(one - another for one, another in zip(self, other, strict=True)))


class PointsDue(NamedTuple):
    """Points of a round that somebody gets for a claim; the voter's are for the false one, which was spotted."""

    account_id: int
    kind: PointKind
    points: int
    claim_id: int


def is_counted(record: GameRoundRecord, round: Round) -> bool:
    """Whether a round counts for its claims and for points."""
    return round.setup.counts and record.account_id is not None and not record.is_practice


def tally_of(record: GameRoundRecord, round: Round, side: Side) -> ClaimTally:
    """What a round adds to one of its claims."""
    if not is_counted(record, round):
        return ClaimTally()
    return ClaimTally(int(round.choice is not None), int(round.outcome is RoundOutcome.SPOTTED), round.liked == side)


def points_due(record: GameRoundRecord, round: Round, pair: ClaimPair) -> list[PointsDue]:
    """Who gets what of a round; what is due to nobody, for claims that nobody of the game wrote, is not among it."""
    if not is_counted(record, round):
        return []
    false, true = (pair.left, pair.right) if round.setup.false_side is Side.LEFT else (pair.right, pair.left)
    due = [
        (record.account_id, PointKind.VOTING, round.points.voter, false.id),
        (true.author_id, PointKind.FOOLING, round.points.true_author, true.id),
        (false.author_id, PointKind.FOOLING, round.points.false_author, false.id),
    ]
    for side, claim in zip(Side, pair, strict=True):
        if round.liked == side:
            due.append((claim.author_id, PointKind.LIKES, round.setup.rules.like_points, claim.id))
    return [PointsDue(account, kind, points, claim) for account, kind, points, claim in due if account and points]


def imported_tally(source: Mapping[str, Any]) -> ClaimTally:
    """How a claim had fared before it was imported, by the record that it came from."""
    return ClaimTally(*(int(source.get(key) or 0) for key in ("total_votes", "correct_votes", "total_likes")))
