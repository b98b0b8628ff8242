"""Rounds in both databases: what a move changes, what it never does, and who is told what."""

from __future__ import annotations

from random import Random

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, NOW, false_side, make_claim, make_claims, make_game, make_player
from veritab.errors import Conflict, InputError, NotFound
from veritab.studio.database import Database
from veritab.studio.game.playing import (
    begin_practice,
    begin_round,
    buy_hint,
    cast_vote,
    expire_due,
    find_round,
    leaderboard,
    like_claim,
    report_claim,
    round_of,
)
from veritab.studio.game.records import (
    GameClaimRecord,
    GameMeetingRecord,
    GameMoveRecord,
    GamePointRecord,
    GameReportRecord,
    GameRoundRecord,
)
from veritab.studio.game.rounds import NOT_SURE, RoundOutcome, Side
from veritab.studio.game.vocabulary import ClaimFault, GameClaimState
from veritab.studio.projects import close_project
from veritab.studio.records import ProjectRecord


def begin(
    session: Session, project: ProjectRecord, account_id: int, now: float = NOW, topic: str = ""
) -> GameRoundRecord:
    return begin_round(session, project, account_id, topic, rng=Random(3), digest=DIGEST, now=now)


def claims_of(session: Session, record: GameRoundRecord) -> list[GameClaimRecord]:
    return [session.get_one(GameClaimRecord, id) for id in (record.left_id, record.right_id)]


def test_a_right_vote_shares_120_points_among_the_voter_and_both_authors(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter, one, two = (make_player(session, project, name) for name in ("vera", "ada", "bob"))
        true, false = make_claim(session, project, True, one), make_claim(session, project, False, two)
        record = begin(session, project, voter)
        round = cast_vote(session, record, false_side(record), now=NOW + 101)
        assert (round.outcome, tuple(round.points)) == (RoundOutcome.SPOTTED, (79, 20, 21))
        rows = session.execute(
            select(GamePointRecord.account_id, GamePointRecord.kind, GamePointRecord.points, GamePointRecord.claim_id)
        )
        assert {tuple(row) for row in rows} == {
            (voter, "voting", 79, false.id),
            (one, "fooling", 20, true.id),
            (two, "fooling", 21, false.id),
        }
        assert [(each.votes, each.right_votes) for each in (true, false)] == [(1, 1)] * 2
        assert (record.outcome, record.points, record.ended_at, record.moves) == ("spotted", 79, NOW + 101, 2)
        assert [(row.account_id, row.total, row.rank) for row in leaderboard(session, project)] == [
            (voter, 79, 1),
            (two, 21, 2),
            (one, 20, 3),
        ]


def test_a_wrong_vote_is_worth_nothing_and_counts_against_both_claims(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter = make_player(session, project)
        make_claims(session, project, 1, [make_player(session, project), make_player(session, project)])
        record = begin(session, project, voter)
        round = cast_vote(session, record, false_side(record).other, now=NOW + 1)
        assert round.outcome is RoundOutcome.FOOLED
        assert session.scalar(select(func.count()).select_from(GamePointRecord)) == 0
        assert [(each.votes, each.right_votes) for each in claims_of(session, record)] == [(1, 0)] * 2


def test_points_for_claims_that_nobody_wrote_go_to_nobody(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter = make_player(session, project)
        make_claims(session, project, 1)
        record = begin(session, project, voter)
        cast_vote(session, record, false_side(record), now=NOW + 150)
        like_claim(session, record, "left", now=NOW + 151)
        assert [(row.account_id, row.points) for row in session.scalars(select(GamePointRecord))] == [(voter, 30)]
        assert [each.likes for each in claims_of(session, record)] == [1, 0]


def test_a_like_is_asked_once_and_paid_to_the_author(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        authors = [make_player(session, project), make_player(session, project)]
        make_claims(session, project, 1, authors)
        record = begin(session, project, make_player(session, project))
        with pytest.raises(Conflict, match="when the round is over"):
            like_claim(session, record, "left", now=NOW + 1)
        cast_vote(session, record, false_side(record).other, now=NOW + 2)
        for _ in range(2):
            assert like_claim(session, record, "left", now=NOW + 3).liked == "left"
        with pytest.raises(Conflict, match="already which claim you like"):
            like_claim(session, record, NOT_SURE, now=NOW + 4)
        with pytest.raises(InputError, match="'both' cannot be liked; expected one of left, right, not sure"):
            like_claim(session, record, "both", now=NOW + 4)
        liked, other = claims_of(session, record)
        assert (liked.likes, other.likes) == (1, 0)
        (row,) = session.scalars(select(GamePointRecord))
        assert (row.account_id, row.kind, row.points) == (liked.author_id, "likes", 10)


def test_a_move_after_the_deadline_is_a_time_out_and_no_wrong_vote(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter = make_player(session, project)
        make_claims(session, project, 3)
        record = begin(session, project, voter)
        for _ in range(2):
            assert cast_vote(session, record, Side.LEFT, now=NOW + 180).outcome is RoundOutcome.TIMED_OUT
            assert buy_hint(session, record, Side.LEFT, now=NOW + 999).outcome is RoundOutcome.TIMED_OUT
        assert (record.outcome, record.choice, record.ended_at, record.moves) == ("timed out", "", NOW + 180, 2)
        assert [each.votes for each in claims_of(session, record)] == [0, 0]
        assert like_claim(session, record, NOT_SURE, now=NOW + 1000).liked == NOT_SURE


def test_a_vote_cannot_be_changed_and_nothing_is_bought_after_it(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        make_claims(session, project, 1)
        record = begin(session, project, make_player(session, project))
        voted = cast_vote(session, record, Side.LEFT, now=NOW + 5)
        assert cast_vote(session, record, Side.LEFT, now=NOW + 6) == voted
        for act in (cast_vote, buy_hint):
            with pytest.raises(Conflict, match="this round is over"):
                act(session, record, Side.RIGHT, now=NOW + 7)
        assert [each.votes for each in claims_of(session, record)] == [1, 1]


def test_a_hint_that_is_asked_for_twice_at_once_is_bought_once(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        make_claims(session, project, 1)
        record = begin(session, project, make_player(session, project))
        for _ in range(2):
            assert buy_hint(session, record, Side.RIGHT, now=NOW + 1, seen=0).right_hints == 1
        assert buy_hint(session, record, Side.RIGHT, now=NOW + 2, seen=1).right_hints == 2
        assert (record.right_hints, record.deadline) == (2, NOW + 120)


def test_a_clock_that_goes_back_gains_nothing(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        make_claims(session, project, 1)
        record = begin(session, project, make_player(session, project))
        buy_hint(session, record, Side.LEFT, now=NOW + 100)
        assert cast_vote(session, record, false_side(record), now=NOW - 5000).points.voter == 50
        times = list(session.scalars(select(GameMoveRecord.at).order_by(GameMoveRecord.sequence)))
        assert times == [NOW, NOW + 100, NOW + 100]


def test_a_round_that_is_open_goes_on(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter = make_player(session, project)
        make_claims(session, project, 3)
        record = begin(session, project, voter)
        assert begin(session, project, voter, NOW + 100).id == record.id
        assert begin(session, project, voter, NOW + 180).id != record.id
        assert record.outcome == RoundOutcome.TIMED_OUT


def test_nobody_meets_a_claim_twice_nor_their_own(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter = make_player(session, project)
        make_claims(session, project, 3)
        make_claims(session, project, 3, [voter])
        met = set[int]()
        for number in range(3):
            record = begin(session, project, voter, NOW + number)
            cast_vote(session, record, Side.LEFT, now=NOW + number)
            met |= {record.left_id, record.right_id}
            assert all(claim.author_id is None for claim in claims_of(session, record))
        assert len(met) == 6
        assert met == set(session.scalars(select(GameMeetingRecord.claim_id)))
        with pytest.raises(Conflict, match="there are no claims you have not met in this game"):
            begin(session, project, voter, NOW + 9)


def test_a_reported_claim_rests_and_the_round_ends_without_points(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter = make_player(session, project)
        make_claims(session, project, 1)
        record = begin(session, project, voter)
        with pytest.raises(InputError, match="say in a sentence"):
            report_claim(session, record, Side.LEFT, reason=ClaimFault.OTHER, note=" ", now=NOW + 1)
        for _ in range(2):
            report_claim(session, record, Side.LEFT, reason=ClaimFault.SPAM, note="buy\x00 now", now=NOW + 2)
        (report,) = session.scalars(select(GameReportRecord))
        assert (report.claim_id, report.account_id, report.note) == (record.left_id, voter, "buy now")
        left, right = claims_of(session, record)
        assert (left.state, left.reason) == (GameClaimState.RESTING, "reported: spam")
        assert (right.state, left.votes, right.votes) == (GameClaimState.PLAYING, 0, 0)
        assert (record.outcome, record.points) == (RoundOutcome.REPORTED, 0)
        with pytest.raises(Conflict, match="this round is over"):
            cast_vote(session, record, Side.LEFT, now=NOW + 3)


def test_a_report_after_the_vote_leaves_the_result(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        make_claims(session, project, 1)
        record = begin(session, project, make_player(session, project))
        cast_vote(session, record, false_side(record), now=NOW + 1)
        report_claim(session, record, Side.RIGHT, reason=ClaimFault.INCORRECT, now=NOW + 600)
        assert (record.outcome, record.points) == (RoundOutcome.SPOTTED, 120)
        assert claims_of(session, record)[1].state == GameClaimState.RESTING


def test_practice_counts_for_nothing(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter = make_player(session, project)
        record = begin_practice(session, project, voter, rng=Random(1), now=NOW)
        assert begin_practice(session, project, voter, rng=Random(1), now=NOW + 5).id == record.id
        buy_hint(session, record, Side.LEFT, now=NOW + 6)
        cast_vote(session, record, false_side(record), now=NOW + 7)
        like_claim(session, record, "left", now=NOW + 8)
        report_claim(session, record, Side.LEFT, reason=ClaimFault.SPAM, now=NOW + 9)
        assert (record.outcome, record.points) == (RoundOutcome.SPOTTED, 0)
        for table in (GamePointRecord, GameMeetingRecord, GameReportRecord):
            assert session.scalar(select(func.count()).select_from(table)) == 0
        for claim in claims_of(session, record):
            assert (claim.votes, claim.likes, claim.state) == (0, 0, GameClaimState.PRACTICE)
        assert begin_practice(session, project, voter, rng=Random(1), now=NOW + 10).id != record.id


def test_a_round_is_there_for_its_voter_alone(database: Database) -> None:
    with database.writing() as session:
        project, other = make_game(session), make_game(session, "lakes")
        voter, stranger = make_player(session, project), make_player(session, project)
        make_claims(session, project, 1)
        record = begin(session, project, voter)
        assert find_round(session, project, record.id, voter) is record
        for where, number, who in (
            (project, record.id, stranger),
            (other, record.id, voter),
            (project, 2**70, voter),
            (project, -1, voter),
        ):
            with pytest.raises(NotFound, match="you have no round"):
                find_round(session, where, number, who)


def test_looking_at_a_round_whose_time_is_over_notes_it(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter = make_player(session, project)
        make_claims(session, project, 1)
        record = begin(session, project, voter)
    with database.reading() as session:
        assert find_round(session, project, record.id, voter, now=NOW + 500).outcome == RoundOutcome.OPEN
    with database.writing() as session:
        assert find_round(session, project, record.id, voter, now=NOW + 179).outcome == RoundOutcome.OPEN
        assert find_round(session, project, record.id, voter, now=NOW + 180).outcome == RoundOutcome.TIMED_OUT


def test_rounds_that_are_due_are_noted_together_and_once(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        make_claims(session, project, 2)
        records = [begin(session, project, make_player(session, project), NOW + each) for each in (0, 0, 0, 90)]
        assert expire_due(session, now=NOW + 179) == 0
        assert expire_due(session, now=NOW + 181, limit=2) == 2
        assert expire_due(session, now=NOW + 181) == 1
        assert [record.outcome for record in records] == ["timed out"] * 3 + ["open"]
        assert all(round_of(session, record).outcome == record.outcome for record in records)


def test_a_closed_game_begins_no_round_and_a_stranger_finds_no_game(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        voter, stranger = make_player(session, project), make_player(session, make_game(session, "lakes"))
        make_claims(session, project, 1)
        with pytest.raises(NotFound, match="there is no project 'rivers'"):
            begin(session, project, stranger)
        close_project(session, project, by=None, now=NOW)
        with pytest.raises(Conflict, match="closed"):
            begin(session, project, voter)
