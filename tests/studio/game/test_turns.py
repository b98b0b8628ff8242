"""Writing and voting alternate within a session."""

from __future__ import annotations

from random import Random

import pytest

from tests.studio.game.table import DIGEST, NOW, make_claims, make_game, make_player, make_writing
from veritab.errors import Conflict
from veritab.studio.database import Database
from veritab.studio.game.playing import PlayerRole, begin_practice, begin_round, cast_vote, role_due
from veritab.studio.game.rounds import Side
from veritab.studio.game.vocabulary import WritingState


def test_whoever_has_voted_writes_and_whoever_has_written_votes(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session, takes_turns=True)
        who = make_player(session, project)
        make_claims(session, project, 3)

        def due(now: float) -> PlayerRole:
            return role_due(session, project, who, now=now)

        begin_practice(session, project, who, rng=Random(1), now=NOW)
        assert due(NOW) is PlayerRole.EITHER
        record = begin_round(session, project, who, "", rng=Random(1), digest=DIGEST, now=NOW)
        assert begin_round(session, project, who, "", rng=Random(1), digest=DIGEST, now=NOW + 1) is record
        cast_vote(session, record, Side.LEFT, now=NOW + 2)
        assert due(NOW + 3) is PlayerRole.WRITE
        with pytest.raises(Conflict, match="it is your turn to write"):
            begin_round(session, project, who, "", rng=Random(1), digest=DIGEST, now=NOW + 3)
        assert due(NOW + 13 * 3600) is PlayerRole.EITHER
        make_writing(session, project, who, opened_at=NOW + 10, ended_at=NOW + 100)
        assert due(NOW + 101) is PlayerRole.VOTE
        begin_round(session, project, who, "", rng=Random(1), digest=DIGEST, now=NOW + 102)
        assert due(NOW + 103) is PlayerRole.WRITE


@pytest.mark.parametrize(
    ("state", "ended_at", "role"),
    [
        (WritingState.OPEN, None, PlayerRole.WRITE),
        (WritingState.GIVEN_UP, NOW + 60, PlayerRole.EITHER),
        (WritingState.TIMED_OUT, NOW + 60, PlayerRole.EITHER),
        (WritingState.PUBLISHED, NOW + 60, PlayerRole.VOTE),
    ],
)
def test_a_claim_that_came_to_nothing_leaves_the_choice(
    database: Database, state: WritingState, ended_at: float | None, role: PlayerRole
) -> None:
    with database.writing() as session:
        project = make_game(session, takes_turns=True)
        who = make_player(session, project)
        make_claims(session, project, 1)
        make_writing(session, project, who, state=state.value, ended_at=ended_at)
        assert role_due(session, project, who, now=NOW + 70) is role


def test_whoever_gives_a_claim_up_after_a_vote_is_still_to_write(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session, takes_turns=True)
        who = make_player(session, project)
        make_claims(session, project, 2)
        record = begin_round(session, project, who, "", rng=Random(1), digest=DIGEST, now=NOW)
        cast_vote(session, record, Side.LEFT, now=NOW + 2)
        for state, role in ((WritingState.GIVEN_UP, PlayerRole.WRITE), (WritingState.TIMED_OUT, PlayerRole.EITHER)):
            make_writing(session, project, who, state=state.value, opened_at=NOW + 10, ended_at=NOW + 60)
            assert role_due(session, project, who, now=NOW + 70) is role


def test_nobody_is_sent_to_vote_where_there_is_nothing_to_vote_on(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session, takes_turns=True)
        who = make_player(session, project)
        make_claims(session, project, 1, [who])
        make_writing(session, project, who)
        assert role_due(session, project, who, now=NOW + 70) is PlayerRole.EITHER


def test_where_the_rules_take_no_turns_either_may_be_next(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session, takes_turns=False)
        who = make_player(session, project)
        make_claims(session, project, 3)
        for number in range(3):
            record = begin_round(session, project, who, "", rng=Random(1), digest=DIGEST, now=NOW + number)
            cast_vote(session, record, Side.LEFT, now=NOW + number)
            assert role_due(session, project, who, now=NOW + number) is PlayerRole.EITHER
