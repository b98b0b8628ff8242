"""Who plays: open games are joined, and whoever is paused begins nothing new."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from sqlalchemy.orm import Session

from tests.studio.game.table import NOW, make_game, make_player
from tests.studio.people import FAST, PASSWORD, make_account
from veritab.errors import Conflict, NotAllowed, NotFound
from veritab.studio.database import Database
from veritab.studio.game import players
from veritab.studio.game.games import open_to_all
from veritab.studio.game.players import has_expired, is_open_to_all, join_game, open_games, refuse_idle
from veritab.studio.game.playing import begin_practice, begin_round, expire_due
from veritab.studio.projects import close_project, member_of, trail_of
from veritab.studio.states import MemberStage


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.writing() as opened:
        yield opened


def test_only_open_games_are_found(session: Session) -> None:
    game, other = make_game(session), make_game(session, "lakes")
    open_to_all(session, game, True, by=None, now=NOW)
    assert [each.id for each in open_games(session)] == [game.id]
    assert (is_open_to_all(session, game.name), is_open_to_all(session, other.name)) == (True, False)
    close_project(session, game, by=None, now=NOW)
    assert not open_games(session)
    assert not is_open_to_all(session, "no such game")


def test_whoever_is_new_gets_an_account_and_a_place(session: Session) -> None:
    game = make_game(session)
    open_to_all(session, game, True, by=None, now=NOW)
    login, member = join_game(session, game, now=NOW, name="quiet-heron", password=PASSWORD, hasher=FAST)
    assert login
    assert (member.role, member.consented_at) == ("annotator", None)
    assert "add member" in [record.what for record, _ in trail_of(session, game.id)]
    _, again = join_game(session, game, now=NOW, account_id=member.account_id)
    assert again.id == member.id


def test_nobody_joins_a_game_by_invitation_without_one(session: Session) -> None:
    game, account = make_game(session), make_account(session, "quiet-heron")
    with pytest.raises(NotFound):
        join_game(session, game, now=NOW, account_id=account.id)


def test_a_flood_is_stopped_for_strangers_alone(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    game = make_game(session)
    open_to_all(session, game, True, by=None, now=NOW)
    monkeypatch.setattr(players, "MOST_NEW_AN_HOUR", 1)
    known = make_account(session, "quiet-heron")
    join_game(session, game, now=NOW, name="calm-crane", password=PASSWORD, hasher=FAST)
    with pytest.raises(Conflict, match="come back later"):
        join_game(session, game, now=NOW, name="shy-newt", password=PASSWORD, hasher=FAST)
    join_game(session, game, now=NOW, account_id=known.id)


@pytest.mark.parametrize("stage", [MemberStage.PAUSED, MemberStage.REJECTED])
def test_who_is_paused_begins_nothing_new(session: Session, stage: MemberStage) -> None:
    game = make_game(session)
    player = make_player(session, game)
    refuse_idle(session, game, player)
    member_of(session, game, player).stage = stage.value
    with pytest.raises(NotAllowed, match="ask whoever runs it"):
        begin_round(session, game, player, "", rng=Random(1), digest="", now=NOW)


def test_nothing_begins_in_a_closed_game(session: Session) -> None:
    game = make_game(session)
    player = make_player(session, game)
    close_project(session, game, by=None, now=NOW)
    with pytest.raises(Conflict, match="closed"):
        refuse_idle(session, game, player)


def test_whether_anything_has_run_out_is_known_without_writing(session: Session) -> None:
    game = make_game(session)
    begin_practice(session, game, make_player(session, game), rng=Random(1), now=NOW)
    session.flush()
    assert not has_expired(session, now=NOW + 179)
    assert has_expired(session, now=NOW + 180)
    expire_due(session, now=NOW + 180)
    session.flush()
    assert not has_expired(session, now=NOW + 180)
