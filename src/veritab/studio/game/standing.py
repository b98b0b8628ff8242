"""How players stand: points by what they are for, how their claims fared, and what has happened to these since."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import ColumnElement, Select, case, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from veritab.studio.game.records import GameClaimRecord, GamePointRecord, GameRoundRecord
from veritab.studio.game.rounds import RoundOutcome, Side
from veritab.studio.game.views import awaited_rooms
from veritab.studio.game.vocabulary import GameClaimState, PointKind
from veritab.studio.records import AccountRecord, ProjectRecord


class PlayerStanding(NamedTuple):
    """Somebody's points, by what they are for, and their rank; who have the same total share it."""

    account_id: int
    name: str
    voting: int
    fooling: int
    likes: int
    writing: int
    total: int
    rank: int


def leaderboard(
    session: Session, project: ProjectRecord, *, since: float = 0.0, most: int = 50
) -> list[PlayerStanding]:
    """Who has the most points in a game, since a time; those who have none are not in it."""
    totals = _totals(project, since).subquery()
    rows = session.execute(
        select(
            totals.c.account_id,
            AccountRecord.name,
            *(totals.c[kind.value] for kind in PointKind),
            totals.c.total,
            func.rank().over(order_by=totals.c.total.desc()),
        )
        .join(AccountRecord, AccountRecord.id == totals.c.account_id)
        .order_by(totals.c.total.desc(), AccountRecord.name)
        .limit(most)
    )
    return [PlayerStanding(row[0], row[1], *map(int, row[2:])) for row in rows]


def standing_of(session: Session, project: ProjectRecord, account_id: int, *, since: float = 0.0) -> PlayerStanding:
    """How somebody stands, also where they have no points yet."""
    name = session.get_one(AccountRecord, account_id).name
    own = session.execute(_totals(project, since).where(GamePointRecord.account_id == account_id)).one_or_none()
    points = [0] * (len(PointKind) + 1) if own is None else [int(each) for each in own[1:]]
    totals = _totals(project, since, by_kind=False).subquery()
    before = session.scalar(select(func.count()).where(totals.c.total > points[-1])) or 0
    return PlayerStanding(account_id, name, *[*points, before + 1])


def _totals(project: ProjectRecord, since: float, *, by_kind: bool = True) -> Select[*tuple[Any, ...]]:
    points = GamePointRecord
    kinds = [
        func.sum(case((points.kind == kind.value, points.points), else_=0)).label(kind.value) for kind in PointKind
    ]
    total = func.sum(points.points).label("total")
    of_game = select(points.account_id, *(kinds if by_kind else ()), total).where(
        points.project_id == project.id, or_(points.round_id.is_(None), is_told(points.round_id))
    )
    return (of_game.where(points.at >= since) if since > 0 else of_game).group_by(points.account_id)


def is_told(round_id: InstrumentedAttribute[Any]) -> ColumnElement[bool]:
    """Whether anybody may know how a round ended: in a room, when all have voted.

    Who has voted there would see by their points which claim is false, and tell those who have not.
    """
    played = aliased(GameRoundRecord)
    return round_id.not_in(select(played.id).where(played.room_id.in_(awaited_rooms())))


# -- claims ------------------------------------------------------------------------------------------------


class PlayedClaim(NamedTuple):
    """How a claim fared that somebody wrote."""

    claim: GameClaimRecord
    state: GameClaimState
    votes: int
    right: int
    likes: int
    points: int
    """What its author got for it, for writing it too."""

    @property
    def fooled(self) -> float | None:
        """The share of voters that it fooled; None where there were none."""
        return (self.votes - self.right) / self.votes if self.votes else None


def my_claims(session: Session, project: ProjectRecord, account_id: int) -> list[PlayedClaim]:
    """The claims that somebody wrote in a game, the latest first."""
    got = (
        select(GamePointRecord.claim_id, func.sum(GamePointRecord.points).label("points"))
        .where(
            GamePointRecord.project_id == project.id,
            GamePointRecord.account_id == account_id,
            GamePointRecord.kind != PointKind.VOTING.value,
        )
        .group_by(GamePointRecord.claim_id)
        .subquery()
    )
    rows = session.execute(
        select(GameClaimRecord, func.coalesce(got.c.points, 0))
        .outerjoin(got, got.c.claim_id == GameClaimRecord.id)
        .where(GameClaimRecord.project_id == project.id, GameClaimRecord.author_id == account_id)
        .order_by(GameClaimRecord.id.desc())
    )
    return [
        PlayedClaim(claim, GameClaimState(claim.state), claim.votes, claim.right_votes, claim.likes, int(points))
        for claim, points in rows
    ]


# -- news --------------------------------------------------------------------------------------------------


class News(NamedTuple):
    """Something that happened to a claim of somebody's."""

    at: float
    kind: str
    """"liked", "fooled", "spotted" or "reviewed"."""
    claim_id: int
    text: str


def news_of(session: Session, project: ProjectRecord, account_id: int, *, most: int = 30) -> list[News]:
    """What happened to somebody's claims, the latest first; who voted is not told."""
    claims = {
        claim.id: claim
        for claim in session.scalars(
            select(GameClaimRecord).where(
                GameClaimRecord.project_id == project.id, GameClaimRecord.author_id == account_id
            )
        )
    }
    own = select(GameClaimRecord.id).where(
        GameClaimRecord.project_id == project.id, GameClaimRecord.author_id == account_id
    )
    rounds = session.scalars(
        select(GameRoundRecord)
        .where(
            or_(GameRoundRecord.left_id.in_(own), GameRoundRecord.right_id.in_(own)),
            GameRoundRecord.account_id.is_not(None),
            or_(
                GameRoundRecord.outcome.in_((RoundOutcome.SPOTTED.value, RoundOutcome.FOOLED.value)),
                GameRoundRecord.liked.in_([side.value for side in Side]),
            ),
        )
        .order_by(GameRoundRecord.ended_at.desc())
        .limit(most)
    ).all()
    points = _points_by_round(session, account_id, [each.id for each in rounds])
    news = list[News]()
    for record in rounds:
        for side, claim in ((Side.LEFT, claims.get(record.left_id)), (Side.RIGHT, claims.get(record.right_id))):
            if claim is not None and record.setup["counts"]:
                news += _news_of_round(record, side, claim, points)
    for claim in claims.values():
        if claim.reviewed_at is not None:
            said = _REVIEWED.get(GameClaimState(claim.state), "was reviewed")
            news.append(News(claim.reviewed_at, "reviewed", claim.id, f"“{claim.text}” {said}."))
    return sorted(news, key=lambda each: (-each.at, each.claim_id, each.kind))[:most]


_REVIEWED = {
    GameClaimState.PLAYING: "was reviewed and is played",
    GameClaimState.WITHDRAWN: "was reviewed and withdrawn",
}


class _Got(NamedTuple):
    """Points of a round for a claim, and when they came."""

    points: int
    at: float


_Points: TypeAlias = dict[tuple[int | None, int | None, str], _Got]
"""By round, claim and kind."""


def _points_by_round(session: Session, account_id: int, ids: list[int]) -> _Points:
    points = GamePointRecord
    rows = session.execute(
        select(points.round_id, points.claim_id, points.kind, points.points, points.at).where(
            points.round_id.in_(ids), points.account_id == account_id
        )
    )
    return {(round, claim, kind): _Got(got, at) for round, claim, kind, got, at in rows}


def _news_of_round(record: GameRoundRecord, side: Side, claim: GameClaimRecord, points: _Points) -> list[News]:
    at, quoted, found = record.ended_at or record.opened_at, f"“{claim.text}”", list[News]()

    def got_for(kind: PointKind) -> tuple[float, str]:
        """When points came, and how many; they come with the vote, but for likes."""
        got = points.get((record.id, claim.id, kind.value), _Got(0, at))
        return got.at, f", {got.points:,} point{'s' if got.points != 1 else ''} for you" if got.points else ""

    if record.outcome == RoundOutcome.FOOLED:
        found.append(News(at, "fooled", claim.id, f"{quoted} fooled somebody."))
    elif record.outcome == RoundOutcome.SPOTTED:
        _, worth = got_for(PointKind.FOOLING)
        found.append(News(at, "spotted", claim.id, f"Somebody judged {quoted} rightly{worth}."))
    if record.liked == side:
        liked_at, worth = got_for(PointKind.LIKES)
        found.append(News(liked_at, "liked", claim.id, f"Somebody liked {quoted}{worth}."))
    return found
