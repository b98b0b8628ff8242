"""Who plays: games that anybody may join, who may not play now, and when a panel's participant is done."""

from __future__ import annotations

from argon2 import PasswordHasher
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from veritab.errors import Conflict, NotAllowed, NotFound, short_repr
from veritab.studio.accounts import HASHER, begin_login, create_account
from veritab.studio.game.records import GameClaimRecord, GameRecord, GameRoundRecord, GameWritingRecord
from veritab.studio.game.rounds import RoundOutcome
from veritab.studio.game.vocabulary import WritingState
from veritab.studio.projects import add_member, find_project, member_of, settings_of
from veritab.studio.records import MembershipRecord, ProjectRecord
from veritab.studio.states import MemberStage
from veritab.studio.vocabulary import Role

MOST_NEW_AN_HOUR = 500
"""How many strangers may join an open game within an hour: a school does, and who floods it gets no further."""
_HOUR = 3600.0
_NOT_NOW = {
    MemberStage.REJECTED: "your part in this game has ended; ask whoever runs it if you think that is wrong",
    MemberStage.PAUSED: "you are paused in this game; ask whoever runs it to let you go on",
}


def open_games(session: Session) -> list[ProjectRecord]:
    """The games that anybody may join, by title."""
    joined = select(ProjectRecord).join(GameRecord, GameRecord.project_id == ProjectRecord.id)
    found = joined.where(GameRecord.is_open, ProjectRecord.closed_at.is_(None))
    return list(session.scalars(found.order_by(ProjectRecord.title, ProjectRecord.id)))


def find_open_game(session: Session, name: str) -> ProjectRecord:
    """A game that anybody may join; NotFound for all that is not, as if it were not there."""
    project = find_project(session, name)
    is_open = session.scalar(select(GameRecord.is_open).where(GameRecord.project_id == project.id))
    if not is_open or project.closed_at is not None:
        raise NotFound(f"there is no project {short_repr(name)}")
    return project


def is_open_to_all(session: Session, name: str) -> bool:
    """Whether there is a game of this name that anybody may join."""
    try:
        return bool(find_open_game(session, name))
    except NotFound:
        return False


def join_game(
    session: Session,
    project: ProjectRecord,
    *,
    now: float,
    name: str = "",
    password: str = "",
    account_id: int | None = None,
    hasher: PasswordHasher = HASHER,
) -> tuple[str, MembershipRecord]:
    """A new login and membership in an open game, for an account or for somebody new."""
    find_open_game(session, project.name)
    if account_id is None:
        _refuse_flood(session, project, now)
        account_id = create_account(session, name, password, now=now, hasher=hasher).id
    try:
        member = member_of(session, project, account_id)
    except NotFound:
        member = add_member(session, project, account_id, Role.ANNOTATOR, now=now)
    return begin_login(session, account_id, now=now), member


def _refuse_flood(session: Session, project: ProjectRecord, now: float) -> None:
    new = select(func.count()).where(
        MembershipRecord.project_id == project.id, MembershipRecord.joined_at > now - _HOUR
    )
    if (session.scalar(new) or 0) >= MOST_NEW_AN_HOUR:
        raise Conflict(
            f"{MOST_NEW_AN_HOUR} people have joined within an hour, which is the most; come back later, or ask whoever "
            "runs the game for an invitation"
        )


def refuse_idle(session: Session, project: ProjectRecord, account_id: int) -> None:
    """A refusal where nothing new begins: the game is closed, or this player is paused."""
    if project.closed_at is not None:
        raise Conflict("this game is closed, and nothing begins any more; whoever runs it can open it again")
    if reason := _NOT_NOW.get(MemberStage(member_of(session, project, account_id).stage)):
        raise NotAllowed(reason)


def refuse_voter(session: Session, project: ProjectRecord, account_id: int, *, now: float) -> None:
    """A refusal for whoever has a round to vote in: until then they read of the corpus what they pay hints for."""
    voting = select(GameRoundRecord.id).where(
        GameRoundRecord.project_id == project.id,
        GameRoundRecord.account_id == account_id,
        GameRoundRecord.outcome == RoundOutcome.OPEN.value,
        GameRoundRecord.deadline > now,
        GameRoundRecord.is_practice.is_(False),
    )
    if session.scalar(voting.limit(1)) is not None:
        raise Conflict("you are in a round, where hints tell what the pages say; vote first, then read them")


def code_for_panel(session: Session, project: ProjectRecord, member: MembershipRecord) -> str:
    """The code that a panel pays for, once somebody has ended enough rounds and claims, however well; else empty."""
    if not member.completion_code:
        return ""
    rounds = select(func.count()).where(
        GameRoundRecord.project_id == project.id,
        GameRoundRecord.account_id == member.account_id,
        GameRoundRecord.outcome != RoundOutcome.OPEN.value,
        GameRoundRecord.is_practice.is_(False),
    )
    claims = select(func.count()).where(
        GameClaimRecord.project_id == project.id, GameClaimRecord.author_id == member.account_id
    )
    done = (session.scalar(rounds) or 0) + (session.scalar(claims) or 0)
    return member.completion_code if done >= settings_of(project).panel_answers else ""


def has_expired(session: Session, *, now: float) -> bool:
    """Whether the time of any round or claim that is written has run out, in any game."""
    round = select(GameRoundRecord.id).where(
        GameRoundRecord.outcome == RoundOutcome.OPEN.value, GameRoundRecord.deadline <= now
    )
    writing = select(GameWritingRecord.id).where(
        GameWritingRecord.state == WritingState.OPEN.value, GameWritingRecord.deadline <= now
    )
    return any(session.scalar(each.limit(1)) is not None for each in (round, writing))
