"""Whose turn it is to write, and whose to vote: the two roles alternate."""

from __future__ import annotations

from enum import StrEnum

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.studio.game.games import rules_of
from veritab.studio.game.pairing import has_pair
from veritab.studio.game.records import GameRoundRecord, GameWritingRecord
from veritab.studio.game.vocabulary import WritingState
from veritab.studio.records import ProjectRecord

SESSION_HOURS = 12
"""How long somebody who pauses is still in the same session."""


class PlayerRole(StrEnum):
    """What a player does next."""

    WRITE = "write"
    VOTE = "vote"
    EITHER = "either"


def role_due(
    session: Session, project: ProjectRecord, account_id: int, *, now: float, digest: str | None = None
) -> PlayerRole:
    """The other role than somebody's last within a session; either, where nothing says which.

    That is so at the beginning, where the rules do not take turns, after a claim that time ran out for, and where there
    are no claims to vote on. Whoever is at work on a claim is to write it; giving it up changes nothing, or nobody who
    only wants to vote would write.
    """
    if not rules_of(session, project).takes_turns:
        return PlayerRole.EITHER
    since = now - SESSION_HOURS * 3600
    voted = session.scalar(
        select(GameRoundRecord.opened_at)
        .where(
            GameRoundRecord.project_id == project.id,
            GameRoundRecord.account_id == account_id,
            GameRoundRecord.is_practice.is_(False),
        )
        .order_by(GameRoundRecord.id.desc())
        .limit(1)
    )
    writing = session.scalar(
        select(GameWritingRecord)
        .where(
            GameWritingRecord.project_id == project.id,
            GameWritingRecord.account_id == account_id,
            GameWritingRecord.state != WritingState.GIVEN_UP.value,
        )
        .order_by(GameWritingRecord.id.desc())
        .limit(1)
    )
    written = None if writing is None else max(writing.opened_at, writing.ended_at or 0.0)
    last = max(voted or 0.0, written or 0.0)
    if last < since or last <= 0:
        return PlayerRole.EITHER
    if writing is None or written is None or written < last:
        return PlayerRole.WRITE
    if writing.state == WritingState.OPEN and now < writing.deadline:
        return PlayerRole.WRITE
    if writing.state != WritingState.PUBLISHED:
        return PlayerRole.EITHER
    known = project.corpus_digest if digest is None else digest
    return PlayerRole.VOTE if has_pair(session, project, account_id, digest=known) else PlayerRole.EITHER
