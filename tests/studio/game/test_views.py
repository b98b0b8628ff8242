"""What a player is sent: before the vote nothing that gives the answer away, afterwards everything."""

from __future__ import annotations

from dataclasses import asdict
from random import Random
from typing import Any

from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, NOW, false_side, make_claim, make_game, make_player
from veritab.studio.database import Database
from veritab.studio.game.playing import (
    ClaimPair,
    RevealView,
    VoterView,
    begin_round,
    buy_hint,
    cast_vote,
    deal_round,
    view_of,
)
from veritab.studio.game.records import GameRoomRecord, GameRoundRecord
from veritab.studio.game.rounds import Points, RoundOutcome, Side
from veritab.studio.game.vocabulary import RoomState
from veritab.studio.records import ProjectRecord


def begin(session: Session, **rules: Any) -> GameRoundRecord:
    """A round in which the page, the author, the gold and each hint have words of their own."""
    project = make_game(session, **rules)
    for truth in (True, False):
        author = make_player(session, project, "secret-author")
        make_claim(session, project, truth, author, checker={"label": "SUPPORTS", "scores": {}})
    return begin_round(session, project, make_player(session, project), "", rng=Random(1), digest=DIGEST, now=NOW)


def test_before_the_vote_nothing_tells_the_answer(database: Database) -> None:
    with database.writing() as session:
        record = begin(session)
        buy_hint(session, record, Side.LEFT, now=NOW + 10)
        view = view_of(session, record, now=NOW + 20)
        assert isinstance(view, VoterView)
        sent = str(asdict(view))
        for secret in ("Gold", "truth", "sentence_", "secret-author", "SUPPORTS", "false_side", "Hint 1 "):
            assert secret not in sent, secret
        assert (view.seconds_left, view.deadline) == (130.0, NOW + 150)
        assert [(len(claim.hints), claim.hints_left) for claim in view.claims] == [(1, 10), (0, 11)]
        assert view.left.hints[0].piece.text.startswith("Hint 0 ")


def test_the_gold_comes_after_the_hints_and_is_marked(database: Database) -> None:
    with database.writing() as session:
        record = begin(session, hints=2, hint_seconds=1)
        for _ in range(3):
            buy_hint(session, record, Side.RIGHT, now=NOW + 1)
        view = view_of(session, record, now=NOW + 2)
        assert isinstance(view, VoterView)
        shown = [(hint.piece.text.split(" of ")[0], hint.is_gold) for hint in view.right.hints]
        assert shown == [("Hint 0", False), ("Hint 1", False), ("Gold", True)]
        assert view.right.hints_left == 0


def test_after_the_vote_everything_is_told(database: Database) -> None:
    with database.writing() as session:
        record = begin(session)
        cast_vote(session, record, false_side(record), now=NOW + 100)
        view = view_of(session, record, now=NOW + 500)
        assert isinstance(view, RevealView)
        assert (view.outcome, view.points, view.seconds) == (RoundOutcome.SPOTTED, Points(80, 20, 20), 100.0)
        assert [claim.truth for claim in view.claims] == [claim.side is not view.false_side for claim in view.claims]
        assert all(claim.gold[0].ids == (f"{claim.page}_sentence_99",) for claim in view.claims)
        assert view.left.checker["label"] == "SUPPORTS"


def test_a_clock_that_has_run_out_shows_nothing_left(database: Database) -> None:
    with database.writing() as session:
        record = begin(session)
    with database.reading() as session:
        view = view_of(session, record, now=NOW + 500)
        assert isinstance(view, VoterView)
        assert view.seconds_left == 0


def deal(session: Session, project: ProjectRecord, room: int | None, players: list[int]) -> list[GameRoundRecord]:
    pair = ClaimPair(make_claim(session, project, True), make_claim(session, project, False))
    return [deal_round(session, project, who, pair, topic="", now=NOW, room_id=room) for who in players]


def test_in_a_room_nothing_is_revealed_before_the_last_vote(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        players = [make_player(session, project) for _ in range(2)]
        room = GameRoomRecord(
            project_id=project.id,
            code="abc",
            host_id=players[0],
            topic="",
            with_checker=False,
            state=RoomState.PLAYING.value,
            made_at=NOW,
        )
        session.add(room)
        session.flush()
        first, second = deal(session, project, room.id, players)
        cast_vote(session, first, Side.LEFT, now=NOW + 5)
        waits = view_of(session, first, now=NOW + 6)
        assert isinstance(waits, VoterView)
        assert waits.is_waiting
        cast_vote(session, second, Side.LEFT, now=NOW + 7)
        assert all(isinstance(view_of(session, each, now=NOW + 8), RevealView) for each in (first, second))


def test_a_second_vote_on_a_claim_scores_nothing(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        who, author = make_player(session, project), make_player(session, project)
        pair = ClaimPair(make_claim(session, project, True, author), make_claim(session, project, False))
        votes = []
        for player in (who, who, author, None):
            record = deal_round(session, project, player, pair, topic="", now=NOW)
            votes.append(cast_vote(session, record, Side.RIGHT, now=NOW + 100).points)
        assert votes == [Points(80, 20, 20), Points(), Points(), Points()]
        assert [(claim.votes, claim.right_votes) for claim in pair] == [(1, 1)] * 2
