"""The rows of a game's figures, out of its database."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session, aliased

from veritab.studio.game.learned.measuring import GameFigures, measure_game
from veritab.studio.game.learned.prior import PAPER, PriorChoice
from veritab.studio.game.learned.rows import GameClaimRow, GameRoundRow
from veritab.studio.game.records import GameClaimRecord, GameRoundRecord
from veritab.studio.game.rounds import RoundOutcome, Side
from veritab.studio.game.vocabulary import GameClaimState
from veritab.studio.records import AccountRecord, ProjectRecord

_AT_ONCE = 1000
_STANDING = (GameClaimState.PLAYING.value, GameClaimState.RESTING.value)
_ENDED = (RoundOutcome.SPOTTED.value, RoundOutcome.FOOLED.value, RoundOutcome.TIMED_OUT.value)
_NO_TOPIC = "no topic"


def read_game(session: Session, project: ProjectRecord, prior: PriorChoice = PAPER) -> GameFigures:
    """The figures of a game, as far as it was played."""
    claims, rounds = list(read_claims(session, project)), list(read_rounds(session, project))
    return measure_game(claims, rounds, names_in(session, claims, rounds), prior)


def read_claims(session: Session, project: ProjectRecord) -> Iterator[GameClaimRow]:
    """Every claim of a game that stands, in the order in which they were made."""
    columns = (
        GameClaimRecord.id,
        GameClaimRecord.text,
        GameClaimRecord.truth,
        func.coalesce(func.nullif(GameClaimRecord.topic, ""), _NO_TOPIC),
        GameClaimRecord.author_id,
        GameClaimRecord.votes,
        GameClaimRecord.right_votes,
        GameClaimRecord.likes,
        func.coalesce(GameClaimRecord.checker["label"].as_string(), ""),
    )
    asked = select(*columns).where(GameClaimRecord.project_id == project.id, GameClaimRecord.state.in_(_STANDING))
    for row in session.execute(asked.order_by(GameClaimRecord.id), execution_options={"yield_per": _AT_ONCE}):
        yield GameClaimRow._make(row)


def read_rounds(session: Session, project: ProjectRecord) -> Iterator[GameRoundRow]:
    """Every round of a game that counts, in the order in which they were opened.

    Neither practice counts, nor a second meeting with a claim, nor a round with a claim that was withdrawn.
    """
    left, right = aliased(GameClaimRecord), aliased(GameClaimRecord)
    asked = (
        select(
            GameRoundRecord.id,
            GameRoundRecord.account_id,
            GameRoundRecord.left_id,
            GameRoundRecord.right_id,
            left.truth,
            GameRoundRecord.outcome,
            GameRoundRecord.left_hints,
            GameRoundRecord.right_hints,
            GameRoundRecord.opened_at,
            GameRoundRecord.ended_at,
            GameRoundRecord.choice,
        )
        .join(left, left.id == GameRoundRecord.left_id)
        .join(right, right.id == GameRoundRecord.right_id)
        .where(*counted_rounds(project), left.state.in_(_STANDING), right.state.in_(_STANDING))
        .order_by(GameRoundRecord.id)
    )
    for id, voter, first, second, is_left_true, outcome, *hints, opened_at, ended_at, choice in session.execute(
        asked, execution_options={"yield_per": _AT_ONCE}
    ):
        pairs = ((first, hints[0]), (second, hints[1]))
        (true_claim, true_hints), (false_claim, false_hints) = pairs if is_left_true else pairs[::-1]
        yield GameRoundRow(
            id,
            voter,
            true_claim,
            false_claim,
            outcome != RoundOutcome.TIMED_OUT,
            outcome == RoundOutcome.SPOTTED,
            true_hints,
            false_hints,
            max((ended_at or opened_at) - opened_at, 0.0),
            choice == Side.LEFT,
        )


def counted_rounds(project: ProjectRecord) -> tuple[ColumnElement[bool], ...]:
    """Which rounds of a game count: voted or timed out, no practice, the first with their claims, or the checker's."""
    return (
        GameRoundRecord.project_id == project.id,
        GameRoundRecord.is_practice.is_(False),
        GameRoundRecord.outcome.in_(_ENDED),
        or_(GameRoundRecord.setup["counts"].as_boolean(), GameRoundRecord.account_id.is_(None)),
    )


def names_in(session: Session, claims: list[GameClaimRow], rounds: list[GameRoundRow]) -> dict[int, str]:
    """What the authors and voters of these are called."""
    wanted = {each.author for each in claims} | {each.voter for each in rounds}
    found = session.execute(select(AccountRecord.id, AccountRecord.name))
    return {id: name for id, name in found if id in wanted}
