"""What a player is sent of a round: before the vote what they may know, afterwards what was so.

Views hold what is sent and nothing else. Before the vote that is neither truth, nor gold evidence or hints
that were not bought, nor where on its page a hint stands, nor who wrote a claim.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from veritab.studio.game.moves import round_of
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.records import GameClaimRecord, GameRoundRecord, GameSeatRecord
from veritab.studio.game.rounds import Points, Round, RoundOutcome, Side


@dataclass(frozen=True)
class ShownHint:
    """A hint that was bought."""

    piece: EvidencePiece
    is_gold: bool


@dataclass(frozen=True)
class ShownClaim:
    """A claim before the vote."""

    side: Side
    text: str
    page: str
    """What it is about; where its evidence stands there is not told."""
    hints: tuple[ShownHint, ...]
    """Those bought, in order; the gold evidence comes last."""
    hints_left: int


@dataclass(frozen=True)
class VoterView:
    """A round before the vote, or until everybody in its room has voted."""

    round_id: int
    topic: str
    deadline: float
    """When the clock stands at nothing, in server time."""
    seconds_left: float
    vote_seconds: int
    most_points: int
    hint_seconds: int
    counts: bool
    """Whether it scores."""
    is_practice: bool
    is_waiting: bool
    """Whether this voter is done, and others of the room are not."""
    left: ShownClaim
    right: ShownClaim

    @property
    def claims(self) -> tuple[ShownClaim, ShownClaim]:
        return self.left, self.right


@dataclass(frozen=True)
class RevealedClaim:
    """A claim after the vote."""

    side: Side
    claim_id: int
    text: str
    truth: bool
    page: str
    gold: tuple[EvidencePiece, ...]
    hints: tuple[ShownHint, ...]
    """Those bought."""
    checker: dict[str, Any]
    """What the checker says by the gold evidence; empty until it was asked."""


@dataclass(frozen=True)
class RevealView:
    """A round that is over."""

    round_id: int
    topic: str
    outcome: RoundOutcome
    choice: Side | None
    false_side: Side
    points: Points
    seconds: float
    """How long it took."""
    most_points: int
    counts: bool
    is_practice: bool
    liked: str
    reported: Side | None
    left: RevealedClaim
    right: RevealedClaim

    @property
    def claims(self) -> tuple[RevealedClaim, RevealedClaim]:
        return self.left, self.right


def view_of(session: Session, record: GameRoundRecord, *, now: float) -> VoterView | RevealView:
    """What may be sent of a round now. In a room nothing is revealed before the last vote."""
    round = round_of(session, record)
    left, right = (session.get_one(GameClaimRecord, id) for id in (record.left_id, record.right_id))
    if round.is_open or _others_play(session, record):
        rules = round.setup.rules
        return VoterView(
            record.id,
            record.topic,
            round.deadline,
            round.seconds_left(now) if round.is_open else 0.0,
            rules.vote_seconds,
            rules.most_points,
            rules.hint_seconds,
            round.setup.counts,
            record.is_practice,
            not round.is_open,
            _show(round, Side.LEFT, left),
            _show(round, Side.RIGHT, right),
        )
    return RevealView(
        record.id,
        record.topic,
        round.outcome,
        round.choice,
        round.setup.false_side,
        round.points,
        max((record.ended_at or round.now) - round.opened_at, 0.0),
        round.setup.rules.most_points,
        round.setup.counts,
        record.is_practice,
        round.liked,
        round.reported,
        _reveal(round, Side.LEFT, left),
        _reveal(round, Side.RIGHT, right),
    )


def _others_play(session: Session, record: GameRoundRecord) -> bool:
    if record.room_id is None:
        return False
    return session.scalar(awaited_rooms().where(GameRoundRecord.room_id == record.room_id).limit(1)) is not None


def awaited_rooms() -> Select[int | None]:
    """The rooms in which a round is open that the others wait for; nobody waits for whoever has left."""
    has_left = select(GameSeatRecord.id).where(
        GameSeatRecord.room_id == GameRoundRecord.room_id,
        GameSeatRecord.account_id == GameRoundRecord.account_id,
        GameSeatRecord.left_at.is_not(None),
    )
    return select(GameRoundRecord.room_id).where(
        GameRoundRecord.room_id.is_not(None),
        GameRoundRecord.outcome == RoundOutcome.OPEN.value,
        ~has_left.exists(),
    )


def _show(round: Round, side: Side, claim: GameClaimRecord) -> ShownClaim:
    hints = _bought(round, side, claim)
    return ShownClaim(side, claim.text, claim.page, hints, _offered(round, side) - len(hints))


def _reveal(round: Round, side: Side, claim: GameClaimRecord) -> RevealedClaim:
    gold = tuple(EvidencePiece.parse(piece) for piece in claim.gold["pieces"])
    bought = _bought(round, side, claim)
    return RevealedClaim(side, claim.id, claim.text, claim.truth, claim.page, gold, bought, dict(claim.checker))


def _bought(round: Round, side: Side, claim: GameClaimRecord) -> tuple[ShownHint, ...]:
    """The hints of a claim that were bought: first those that were frozen with it, then its gold, one at a time."""
    gold = claim.gold["pieces"]
    frozen = claim.hints["pieces"][: max(_offered(round, side) - len(gold), 0)]
    pieces = [(piece, False) for piece in frozen] + [(piece, True) for piece in gold]
    return tuple(
        ShownHint(replace(EvidencePiece.parse(piece), ids=()), is_gold)
        for piece, is_gold in pieces[: round.hints_of(side)]
    )


def _offered(round: Round, side: Side) -> int:
    return round.setup.hints[0 if side is Side.LEFT else 1]
