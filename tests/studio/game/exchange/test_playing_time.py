"""How long people played, and nothing else."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.orm import Session

from tests.studio.game.exchange.made import game_in
from tests.studio.game.table import make_claim, make_player, make_writing
from veritab.studio.database import Database
from veritab.studio.game.exchange.playing_time import PlayedDay, playing_time, write_playing_time
from veritab.studio.game.records import GameMoveRecord, GameRoundRecord
from veritab.studio.game.rounds import Move
from veritab.studio.records import AccountRecord, ProjectRecord

NOON = 1_700_049_600.0 - 6_400.0  # 2023-11-15 10:13:20 UTC
MIDNIGHT = 1_700_092_800.0


def make_round(
    session: Session, project: ProjectRecord, account_id: int | None, begun: float, ended: float | None, **about: float
) -> None:
    """A round of three minutes, with a like at a time where one is given."""
    left, right = (make_claim(session, project, truth) for truth in (True, False))
    record = GameRoundRecord(
        project_id=project.id, account_id=account_id, topic="", left_id=left.id, right_id=right.id, setup={},
        opened_at=begun, deadline=about.get("deadline", begun + 180), ended_at=ended, outcome="spotted", points=77,
        is_practice=bool(about.get("is_practice", False)),
    )  # fmt: skip
    session.add(record)
    session.flush()
    moves = [(Move.OPEN, begun), (Move.VOTE, ended or begun)]
    moves += [(Move.LIKE, about["liked"])] if "liked" in about else []
    session.add_all(
        GameMoveRecord(round_id=record.id, sequence=number, move=move.value, at=at)
        for number, (move, at) in enumerate(moves, 1)
    )


def test_rounds_and_writings_count_by_account_and_day(database: Database, tmp_path: Path) -> None:
    game, other = game_in(database), game_in(database, "lakes")
    with database.writing() as session:
        ibis, wren = make_player(session, game, "ibis"), make_player(session, game, "wren")
        names = {id: session.get_one(AccountRecord, id).name for id in (ibis, wren)}
        make_round(session, game, ibis, NOON, NOON + 60, liked=NOON + 70)
        make_round(session, game, ibis, NOON + 1000, NOON + 1020, liked=NOON + 9000)  # gone for hours before the like
        make_round(session, game, ibis, NOON + 2000, NOON + 2900)  # the server noticed late that time was over
        make_round(session, game, ibis, NOON + 2000, NOON + 2030, is_practice=True)  # beside the other
        make_writing(session, game, ibis, opened_at=MIDNIGHT - 100, deadline=MIDNIGHT + 380, ended_at=MIDNIGHT + 50)
        make_writing(session, game, wren, opened_at=NOON, deadline=NOON + 480, ended_at=None)  # still at it
        make_round(session, game, wren, NOON + 5000, NOON + 5012.4)
        make_round(session, game, None, NOON, NOON + 90)  # the checker's
        make_round(session, other, wren, NOON, NOON + 90)
    with database.reading() as session:
        days = list(playing_time(session, game))
    assert days == [
        PlayedDay(names[ibis], "2023-11-15", 70 + 20 + 180 + 100),
        PlayedDay(names[ibis], "2023-11-16", 50),
        PlayedDay(names[wren], "2023-11-15", 12),
    ]
    assert write_playing_time(database, game, tmp_path / "time.csv") == days
    lines = (tmp_path / "time.csv").read_text().splitlines()
    assert lines[0] == "account,day,seconds"
    assert lines[1] == f"{names[ibis]},2023-11-15,370"
    assert len(lines) == 4


def test_a_game_that_nobody_played_has_no_days(database: Database, tmp_path: Path) -> None:
    assert write_playing_time(database, game_in(database), tmp_path / "time.csv") == []
    assert (tmp_path / "time.csv").read_text() == "account,day,seconds\n"
