"""The tables of games. A game is a project of the studio with rules; claims, rounds and their moves, and the points.

Truth and gold stand in `game_claims` alone. A round is rebuilt from `game_moves`; tallies and points are what they
come to, and `veritab game check` compares them.
"""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from veritab.studio.records import JsonObject, NumberedTable


class GameRecord(NumberedTable):
    """What makes a project a game."""

    __tablename__ = "games"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), unique=True)
    rules: Mapped[JsonObject]
    is_open: Mapped[bool] = mapped_column(default=False)
    """Whether anybody who finds the page may play; else it takes an invitation."""


class GameClaimRecord(NumberedTable):
    """A claim that is played, its truth, and what it was written from."""

    __tablename__ = "game_claims"
    __table_args__ = (
        # With the last two, whatever a menu counts stands in the index: rows are long, and would all be read for it.
        Index(
            "ix_game_claims_played",
            "project_id",
            "state",
            "truth",
            "topic",
            "votes",
            "id",
            "corpus_digest",
            "author_id",
        ),
        Index("ix_game_claims_fewest", "project_id", "state", "truth", "votes", "id"),
        Index("ix_game_claims_page", "project_id", "page"),
        Index("ix_game_claims_source", "project_id", "source_id"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    author_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    """Nobody where it was imported."""
    text: Mapped[str]
    truth: Mapped[bool]
    page: Mapped[str]
    topic: Mapped[str]
    gold: Mapped[JsonObject]
    """{"pieces": [...]}: one or two `EvidencePiece`s as JSON."""
    hints: Mapped[JsonObject]
    """{"pieces": [...]}: frozen when the claim was published, best first, without the gold."""
    state: Mapped[str]
    """A `GameClaimState`."""
    reason: Mapped[str] = mapped_column(default="")
    """Why it rests or was withdrawn."""
    tags: Mapped[JsonObject]
    """{"strategies": [...]}: how it fools people, as a reviewer sees it; "corrects" and "corrected_by" are claims."""
    checker: Mapped[JsonObject]
    """{"label", "scores", ...}: what the checker says by the gold; empty until it is asked."""
    corpus_digest: Mapped[str] = mapped_column(default="")
    """The corpus that it was written over; empty where it does not rest on one."""
    source_id: Mapped[str] = mapped_column(default="")
    source: Mapped[JsonObject]
    """The record that it was imported from, as far as it is written out again."""
    votes: Mapped[int] = mapped_column(default=0)
    right_votes: Mapped[int] = mapped_column(default=0)
    """Votes that judged it rightly; imported ones are included in both."""
    likes: Mapped[int] = mapped_column(default=0)
    made_at: Mapped[float]
    reviewed_at: Mapped[float | None]


class GameWritingRecord(NumberedTable):
    """Somebody at work on a claim about a page, until the deadline."""

    __tablename__ = "game_writings"
    __table_args__ = (
        Index("ix_game_writings_account", "project_id", "account_id", "state"),
        Index("ix_game_writings_due", "state", "deadline"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    topic: Mapped[str]
    page: Mapped[str]
    truth: Mapped[bool]
    """What the author was asked for."""
    state: Mapped[str]
    """"open", "published", "given up" or "timed out"."""
    opened_at: Mapped[float]
    deadline: Mapped[float]
    ended_at: Mapped[float | None]
    draft: Mapped[JsonObject]
    """{"text", "gold": [element id, ...]}: what is written so far."""
    claim_id: Mapped[int | None] = mapped_column(ForeignKey("game_claims.id"), index=True)


class GameRoundRecord(NumberedTable):
    """Two claims before one voter. What can be rebuilt from its moves stands here too, to be searched."""

    __tablename__ = "game_rounds"
    __table_args__ = (
        Index("ix_game_rounds_account", "project_id", "account_id", "outcome"),
        Index("ix_game_rounds_due", "outcome", "deadline"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    account_id: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    """Nobody where the checker plays."""
    room_id: Mapped[int | None] = mapped_column(ForeignKey("game_rooms.id"), index=True)
    topic: Mapped[str]
    left_id: Mapped[int] = mapped_column(ForeignKey("game_claims.id"), index=True)
    right_id: Mapped[int] = mapped_column(ForeignKey("game_claims.id"), index=True)
    setup: Mapped[JsonObject]
    """A `RoundSetup` as JSON: the rules as they were, the false side, the numbers of hints, whether it counts."""
    is_practice: Mapped[bool] = mapped_column(default=False)
    opened_at: Mapped[float]
    deadline: Mapped[float]
    outcome: Mapped[str]
    ended_at: Mapped[float | None]
    moves: Mapped[int] = mapped_column(default=0)
    """How many there are; the next has the number after it."""
    left_hints: Mapped[int] = mapped_column(default=0)
    right_hints: Mapped[int] = mapped_column(default=0)
    choice: Mapped[str] = mapped_column(default="")
    liked: Mapped[str] = mapped_column(default="")
    points: Mapped[int] = mapped_column(default=0)
    """The voter's."""


class GameMoveRecord(NumberedTable):
    """A move in a round. Appended, never changed."""

    __tablename__ = "game_moves"
    __table_args__ = (UniqueConstraint("round_id", "sequence"),)

    round_id: Mapped[int] = mapped_column(ForeignKey("game_rounds.id"))
    sequence: Mapped[int]
    move: Mapped[str]
    at: Mapped[float]
    value: Mapped[str] = mapped_column(default="")


class GameMeetingRecord(NumberedTable):
    """That somebody has met a claim, and in which round first."""

    __tablename__ = "game_meetings"
    __table_args__ = (UniqueConstraint("account_id", "claim_id"),)

    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    claim_id: Mapped[int] = mapped_column(ForeignKey("game_claims.id"), index=True)
    round_id: Mapped[int] = mapped_column(ForeignKey("game_rounds.id"))


class GamePointRecord(NumberedTable):
    """Points that somebody got, and for what. Appended, never changed."""

    __tablename__ = "game_points"
    __table_args__ = (
        UniqueConstraint("round_id", "claim_id", "account_id", "kind"),
        # It has all that a leaderboard adds up.
        Index("ix_game_points_account", "project_id", "account_id", "kind", "points", "round_id", "at"),
    )

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    kind: Mapped[str]
    """A `PointKind`."""
    points: Mapped[int]
    round_id: Mapped[int | None] = mapped_column(ForeignKey("game_rounds.id"))
    claim_id: Mapped[int | None] = mapped_column(ForeignKey("game_claims.id"), index=True)
    at: Mapped[float]


class GameReportRecord(NumberedTable):
    """That a claim should not be played, says a voter."""

    __tablename__ = "game_reports"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    claim_id: Mapped[int] = mapped_column(ForeignKey("game_claims.id"), index=True)
    round_id: Mapped[int] = mapped_column(ForeignKey("game_rounds.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    reason: Mapped[str]
    note: Mapped[str] = mapped_column(default="")
    made_at: Mapped[float]
    ended_at: Mapped[float | None]
    ended_by: Mapped[int | None] = mapped_column(ForeignKey("accounts.id"))
    outcome: Mapped[str] = mapped_column(default="")


class GameRoomRecord(NumberedTable):
    """Several people on one pair of claims."""

    __tablename__ = "game_rooms"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id"), index=True)
    code: Mapped[str] = mapped_column(unique=True)
    """What people type or open to come in."""
    host_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"))
    topic: Mapped[str]
    with_checker: Mapped[bool] = mapped_column(default=False)
    state: Mapped[str]
    """"waiting", "playing" or "over"."""
    left_id: Mapped[int | None] = mapped_column(ForeignKey("game_claims.id"))
    right_id: Mapped[int | None] = mapped_column(ForeignKey("game_claims.id"))
    after_id: Mapped[int | None] = mapped_column(ForeignKey("game_rooms.id"), unique=True)
    """The room that its people come from, where they play again; it has one room after it."""
    made_at: Mapped[float]
    started_at: Mapped[float | None]
    ended_at: Mapped[float | None]


class GameSeatRecord(NumberedTable):
    """Somebody in a room."""

    __tablename__ = "game_seats"
    __table_args__ = (UniqueConstraint("room_id", "account_id"),)

    room_id: Mapped[int] = mapped_column(ForeignKey("game_rooms.id"))
    account_id: Mapped[int] = mapped_column(ForeignKey("accounts.id"), index=True)
    sat_at: Mapped[float]
    left_at: Mapped[float | None]
