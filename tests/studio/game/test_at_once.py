"""Two tabs, two threads: what is done twice at once is done once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, NOW, false_side, make_claims, make_game, make_player
from veritab.errors import Conflict
from veritab.studio.database import Database
from veritab.studio.game.playing import (
    begin_round,
    buy_hint,
    cast_vote,
    check_game,
    expire_due,
    like_claim,
    report_claim,
)
from veritab.studio.game.records import GameClaimRecord, GameMoveRecord, GameRoundRecord
from veritab.studio.game.rounds import Round, RoundOutcome, Side
from veritab.studio.game.vocabulary import ClaimFault
from veritab.studio.projects import find_project
from veritab.studio.records import ProjectRecord


@pytest.fixture
def game(database: Database) -> tuple[ProjectRecord, int]:
    """A game with a player and claims to meet."""
    with database.writing() as session:
        project = make_game(session)
        authors = [make_player(session, project) for _ in range(2)]
        make_claims(session, project, 4, authors)
        return project, make_player(session, project)


def at_once(database: Database, *acts: Callable[[Session], Any]) -> list[Any]:
    """What comes of several acts that begin at one moment, each in a thread and a transaction of its own."""
    results: list[Any] = [None] * len(acts)
    start = threading.Barrier(len(acts))

    def run(number: int) -> None:
        start.wait()
        try:
            with database.writing() as session:
                results[number] = acts[number](session)
        except Exception as error:  # what somebody is told is what is looked at
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def begin(session: Session, game: tuple[ProjectRecord, int]) -> GameRoundRecord:
    return begin_round(session, game[0], game[1], "", rng=Random(), digest=DIGEST, now=NOW)


def on(record: GameRoundRecord, act: Callable[..., Round], *args: Any, **more: Any) -> Callable[[Session], Round]:
    """A move in a round, as another session finds it."""
    return lambda session: act(session, session.get_one(GameRoundRecord, record.id), *args, **{"now": NOW + 10, **more})


def problems(database: Database) -> list[str]:
    with database.reading() as session:
        return [str(each) for each in check_game(session, find_project(session, "rivers"))]


def count(database: Database, table: type[Any], *where: Any) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(table).where(*where)) or 0


def test_a_round_that_is_begun_twice_at_once_is_one(database: Database, game: tuple[ProjectRecord, int]) -> None:
    found = at_once(database, *[lambda session: begin(session, game).id] * 4)
    assert len(set(found)) == 1
    assert count(database, GameRoundRecord) == 1
    assert problems(database) == []


def test_a_vote_that_is_sent_twice_at_once_counts_once(database: Database, game: tuple[ProjectRecord, int]) -> None:
    with database.writing() as session:
        record = begin(session, game)
    right = false_side(record)
    same = at_once(database, *[on(record, cast_vote, right)] * 4)
    assert {round.outcome for round in same} == {RoundOutcome.SPOTTED}
    assert count(database, GameMoveRecord, GameMoveRecord.move == "vote") == 1
    assert count(database, GameClaimRecord, GameClaimRecord.votes == 1) == 2
    assert problems(database) == []


def test_of_two_votes_at_once_the_first_counts(database: Database, game: tuple[ProjectRecord, int]) -> None:
    with database.writing() as session:
        record = begin(session, game)
    found = at_once(database, *(on(record, cast_vote, side) for side in Side))
    assert sorted(type(each).__name__ for each in found) == ["Conflict", "Round"]
    assert count(database, GameMoveRecord, GameMoveRecord.move == "vote") == 1
    assert problems(database) == []


def test_a_hint_two_likes_and_two_reports_at_once_leave_one_of_each(
    database: Database, game: tuple[ProjectRecord, int]
) -> None:
    with database.writing() as session:
        record = begin(session, game)
    assert {round.left_hints for round in at_once(database, *[on(record, buy_hint, Side.LEFT, seen=0)] * 3)} == {1}
    with database.writing() as session:
        on(record, cast_vote, Side.LEFT)(session)
    likes = at_once(database, *[on(record, like_claim, "left"), on(record, like_claim, "right")] * 2)
    assert sum(isinstance(each, Conflict) for each in likes) == 2
    at_once(database, *[on(record, report_claim, Side.LEFT, reason=ClaimFault.SPAM)] * 3)
    moves = ("open", "hint", "vote", "like", "report")
    assert [count(database, GameMoveRecord, GameMoveRecord.move == move) for move in moves] == [1] * 5
    assert problems(database) == []


def test_a_vote_at_the_deadline_and_the_clock_agree(database: Database, game: tuple[ProjectRecord, int]) -> None:
    with database.writing() as session:
        record = begin(session, game)
    votes = on(record, cast_vote, Side.LEFT, now=NOW + 180)
    found = at_once(database, *[votes, lambda session: expire_due(session, now=NOW + 180)] * 2)
    assert {found[0].outcome, found[2].outcome} == {RoundOutcome.TIMED_OUT}
    assert count(database, GameMoveRecord, GameMoveRecord.move == "expire") == 1
    assert problems(database) == []


def test_many_players_vote_on_the_same_claims_at_once(database: Database, game: tuple[ProjectRecord, int]) -> None:
    """Nobody waits in a circle: claims are locked in one order, whichever stands on the left."""
    with database.writing() as session:
        project = find_project(session, "rivers")
        players = [make_player(session, project) for _ in range(8)]

    def play(who: int) -> Callable[[Session], None]:
        def act(session: Session) -> None:
            record = begin_round(session, project, who, "", rng=Random(who), digest=DIGEST, now=NOW)
            cast_vote(session, record, Side.LEFT, now=NOW + 10)
            like_claim(session, record, "right", now=NOW + 11)

        return act

    for _ in range(3):
        assert at_once(database, *map(play, players)) == [None] * 8
    assert count(database, GameMoveRecord, GameMoveRecord.move == "vote") == 24
    assert problems(database) == []
