"""The load of `benchmarks.game`, for a few seconds: people play at once, a process is killed, every vote counts once."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pytest
from benchmarks.game import NAME, GameTable, PlayNotes, audit, open_checker, prepare, run
from benchmarks.studio import Load
from sqlalchemy import delete, update

from veritab.studio.database import Database, open_studio
from veritab.studio.game.playing import begin_round, buy_hint, cast_vote
from veritab.studio.game.records import GameMoveRecord, GamePointRecord
from veritab.studio.game.rounds import RoundSetup, Side
from veritab.studio.opened import corpus_digest
from veritab.studio.projects import find_project

NOW = 1_700_000_000.0


@pytest.mark.slow
def test_every_vote_that_was_acknowledged_outlives_a_killed_process_and_is_there_once(
    place: str,
) -> None:
    with open_checker() as checker:
        table = prepare(place, players=6, claims=400, digest=corpus_digest(checker))
    noted = run(table, Load(people=6, processes=2, seconds=3, kills=1, pause=0.05))
    database = open_studio(place)
    found = audit(database, noted)
    database.close()
    assert noted.errors == []
    assert noted.kills == 1
    assert noted.moves["vote"]
    assert found.wrong == 0, found


def test_votes_that_are_lost_or_doubled_and_points_that_are_wrong_are_seen(database: Database, place: str) -> None:
    table = prepare(place, players=1, claims=20, digest="")
    lost, doubled, fine = (play(database, table) for _ in range(3))
    moves = defaultdict[str, Counter[tuple[int, str]]](Counter)
    moves["vote"].update((lost, doubled, fine))
    moves["hint"].update((id, "left") for id, _ in (lost, doubled, fine))
    noted = PlayNotes({}, moves, {999}, Counter(), [], 0.0, 0)
    assert audit(database, noted._replace(claims=set())).wrong == 0
    with database.writing() as session:
        session.execute(
            delete(GameMoveRecord).where(GameMoveRecord.round_id == lost[0], GameMoveRecord.move.in_(("vote", "hint")))
        )
        session.add(GameMoveRecord(round_id=doubled[0], sequence=9, move="vote", at=NOW, value=doubled[1]))
        session.execute(update(GamePointRecord).where(GamePointRecord.round_id == fine[0]).values(points=1))
    found = audit(database, noted)
    assert set(found.lost_moves) == {("hint", lost[0], "left"), ("vote", *lost)}
    assert found.doubled_votes == [doubled[0]]
    assert found.lost_claims == [999]
    assert found.wrong_standings[0] == f"round {doubled[0]}: this round is over"
    assert [said.partition(":")[0] for said in found.wrong_standings[1:]] == [f"account {table.players[0]}"]
    assert found.problems


def play(database: Database, table: GameTable) -> tuple[int, str]:
    """A round with a hint, and the right vote in it."""
    with database.writing() as session:
        project = find_project(session, NAME)
        record = begin_round(session, project, table.players[0], "", rng=Random(1), digest="", now=NOW)
        buy_hint(session, record, Side.LEFT, now=NOW)
        side = RoundSetup.parse(record.setup).false_side
        cast_vote(session, record, side, now=NOW + 1)
        return record.id, side.value
