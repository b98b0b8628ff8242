"""The moves of a round as they are kept, and the round that they make."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.studio.game.records import GameMoveRecord, GameRoundRecord
from veritab.studio.game.rounds import Move, Round, RoundMove, RoundSetup, replay


def moves_of(session: Session, record: GameRoundRecord) -> list[RoundMove]:
    """What happened in a round, in order."""
    rows = session.execute(
        select(GameMoveRecord.move, GameMoveRecord.at, GameMoveRecord.value)
        .where(GameMoveRecord.round_id == record.id)
        .order_by(GameMoveRecord.sequence)
    )
    return [RoundMove(Move(move), at, value) for move, at, value in rows]


def round_of(session: Session, record: GameRoundRecord) -> Round:
    """A round by its moves."""
    return replay(RoundSetup.parse(record.setup), moves_of(session, record))


def append_moves(session: Session, record: GameRoundRecord, moves: Sequence[RoundMove], round: Round) -> None:
    """Keep moves in a locked round, and in its row where they lead to."""
    session.add_all(
        GameMoveRecord(round_id=record.id, sequence=sequence, move=move.value, at=at, value=value)
        for sequence, (move, at, value) in enumerate(moves, record.moves + 1)
    )
    record.moves += len(moves)
    for name, value in columns_of(round).items():
        setattr(record, name, value)
    session.flush()


def columns_of(round: Round) -> dict[str, object]:
    """What a round's row says of where it stands; when it ended is not among it."""
    return {
        "opened_at": round.opened_at,
        "deadline": round.deadline,
        "outcome": round.outcome.value,
        "left_hints": round.left_hints,
        "right_hints": round.right_hints,
        "choice": round.choice.value if round.choice else "",
        "liked": round.liked,
        "points": round.points.voter,
    }
