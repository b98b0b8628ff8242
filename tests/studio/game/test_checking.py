"""A game is checked against its moves: what was played fits, and whatever was changed behind its back is seen."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from sqlalchemy import delete, update
from sqlalchemy.orm import Session

from tests.studio.game.table import (
    DIGEST,
    NOW,
    false_side,
    make_claim,
    make_claims,
    make_game,
    make_player,
    make_writing,
)
from veritab.studio.database import Database
from veritab.studio.game.playing import (
    begin_practice,
    begin_round,
    buy_hint,
    cast_vote,
    check_game,
    deal_round,
    draw_pair,
    expire_due,
    like_claim,
    report_claim,
)
from veritab.studio.game.records import (
    GameClaimRecord,
    GameMeetingRecord,
    GameMoveRecord,
    GamePointRecord,
    GameRoundRecord,
)
from veritab.studio.game.rounds import Side
from veritab.studio.game.vocabulary import ClaimFault, PointKind
from veritab.studio.projects import find_project
from veritab.studio.upkeep import check_studio


def fill(session: Session) -> None:
    """A game with a round of every kind: spotted and liked, fooled, timed out, reported, open, of the checker."""
    project = make_game(session)
    authors = [make_player(session, project, name) for name in ("ada", "bob")]
    make_claims(session, project, 6, authors)
    came = {"total_votes": 3, "correct_votes": 2, "total_likes": 1}
    make_claim(session, project, True, source=came, votes=3, right_votes=2, likes=1)
    voter = make_player(session, project, "vera")
    begin_practice(session, project, voter, rng=Random(1), now=NOW)

    def begin(now: float) -> GameRoundRecord:
        return begin_round(session, project, voter, "", rng=Random(1), digest=DIGEST, now=now)

    first = begin(NOW)
    buy_hint(session, first, Side.LEFT, now=NOW + 5)
    cast_vote(session, first, false_side(first), now=NOW + 90)
    like_claim(session, first, "left", now=NOW + 99)
    second = begin(NOW + 100)
    cast_vote(session, second, false_side(second).other, now=NOW + 110)
    report_claim(session, begin(NOW + 200), Side.RIGHT, reason=ClaimFault.OBSCENE, now=NOW + 220)
    begin(NOW + 300)
    expire_due(session, now=NOW + 1000)
    pair = draw_pair(session, project, voter, "", rng=Random(1), digest=DIGEST)
    by_checker = deal_round(session, project, None, pair, topic="", now=NOW + 1000)
    cast_vote(session, by_checker, Side.LEFT, now=NOW + 1010)
    begin(NOW + 1000)
    claim = make_claim(session, project, True, authors[0])
    make_writing(session, project, authors[0], claim_id=claim.id)
    session.add(
        GamePointRecord(
            project_id=project.id,
            account_id=authors[0],
            kind=PointKind.WRITING.value,
            points=100,
            claim_id=claim.id,
            at=NOW,
        )
    )


def problems(database: Database) -> list[str]:
    with database.reading() as session:
        return [str(problem) for problem in check_game(session, find_project(session, "rivers"))]


def test_a_game_that_was_played_is_in_order(database: Database) -> None:
    with database.writing() as session:
        fill(session)
    assert problems(database) == []
    assert list(check_studio(database)) == []


def _of_round(number: int, **values: Any) -> Callable[[Session], Any]:
    return lambda session: session.execute(update(GameRoundRecord).where(GameRoundRecord.id == number).values(**values))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_of_round(3, outcome="spotted"), ["round 3: its outcome is 'spotted', and its moves say 'fooled'"]),
        (_of_round(2, points=120), ["round 2: its points is 120, and its moves say 60"]),
        (_of_round(2, moves=7), ["round 2: it counts 7 moves, and there are 4"]),
        (_of_round(5, ended_at=None), [f"round 5: its ended at is None, and its moves say {NOW + 480}"]),
        (
            lambda session: session.execute(
                update(GameMoveRecord)
                .where(GameMoveRecord.round_id == 5, GameMoveRecord.sequence == 2)
                .values(move="x")
            ),
            ["round 5: it cannot be rebuilt from its moves: 'x' is not a valid Move"],
        ),
        (
            lambda session: session.execute(
                delete(GameMoveRecord).where(GameMoveRecord.round_id == 5, GameMoveRecord.sequence == 1)
            ),
            [
                "round 5: move 1 is missing",
                "round 5: it counts 2 moves, and there are 1",
                "round 5: it cannot be rebuilt from its moves: a round is opened once",
            ],
        ),
        (
            lambda session: session.execute(delete(GameMeetingRecord).where(GameMeetingRecord.round_id == 4)),
            ["round 4: that its voter has met both claims is not noted"],
        ),
        (
            lambda session: session.execute(update(GameClaimRecord).values(state="playing")),
            ["it is played, and has a report that waits"],
        ),
        (
            lambda session: session.execute(
                update(GamePointRecord).where(GamePointRecord.kind == "voting").values(points=61)
            ),
            ["got 61 points for voting", "did not get 60 points for voting"],
        ),
        (
            lambda session: session.execute(delete(GamePointRecord).where(GamePointRecord.kind == "likes")),
            ["did not get 10 points for likes"],
        ),
        (
            lambda session: session.execute(update(GameClaimRecord).where(GameClaimRecord.votes == 3).values(votes=4)),
            ["it has 4 votes, and its rounds come to 3"],
        ),
        (
            lambda session: session.execute(
                update(GamePointRecord).where(GamePointRecord.kind == "writing").values(kind="likes")
            ),
            ["it got points for likes and claim"],
        ),
        (
            lambda session: session.execute(
                update(GameClaimRecord).where(GameClaimRecord.author_id.is_not(None)).values(author_id=None)
            ),
            ["round 2: account", "round 2: account", "round 2: account", "writing 1: it is published", "account"],
        ),
    ],
)
def test_what_was_changed_behind_the_game_s_back_is_seen(
    database: Database, change: Callable[[Session], Any], told: list[str]
) -> None:
    with database.writing() as session:
        fill(session)
        change(session)
    found = problems(database)
    assert len(found) == len(told), found
    assert all(said in problem for said, problem in zip(told, found, strict=True)), found
    assert [str(each) for each in check_studio(database)] == [f"game rivers: {problem}" for problem in found]
