"""How players stand: points apart by what they are for, how claims fared, and the news of them."""

from __future__ import annotations

from random import Random

from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, NOW, false_side, make_claim, make_game, make_player
from veritab.studio.database import Database
from veritab.studio.game.playing import (
    begin_round,
    cast_vote,
    like_claim,
    my_claims,
    news_of,
    report_claim,
)
from veritab.studio.game.records import GamePointRecord
from veritab.studio.game.rounds import Side
from veritab.studio.game.standing import leaderboard, standing_of
from veritab.studio.game.vocabulary import ClaimFault, GameClaimState, PointKind
from veritab.studio.records import ProjectRecord


def give(session: Session, project: ProjectRecord, who: int, kind: PointKind, points: int, at: float = NOW) -> None:
    session.add(GamePointRecord(project_id=project.id, account_id=who, kind=kind.value, points=points, at=at))
    session.flush()


def test_points_are_told_apart_and_equals_share_a_rank(database: Database) -> None:
    with database.writing() as session:
        project, other = make_game(session), make_game(session, "lakes")
        ada, bob, eve, tim = (make_player(session, project, name) for name in ("ada", "bob", "eve", "tim"))
        for number, kind in enumerate(PointKind, 1):
            give(session, project, ada, kind, number)
        give(session, project, bob, PointKind.VOTING, 10, NOW + 50)
        give(session, project, eve, PointKind.LIKES, 3)
        give(session, other, eve, PointKind.VOTING, 500)
        rows = leaderboard(session, project)
        assert [(row.account_id, *row[2:]) for row in rows] == [
            (ada, 1, 2, 3, 4, 10, 1),
            (bob, 10, 0, 0, 0, 10, 1),
            (eve, 0, 0, 3, 0, 3, 3),
        ]
        assert [standing_of(session, project, row.account_id) for row in rows] == rows
        assert standing_of(session, project, tim)[2:] == (0, 0, 0, 0, 0, 4)
        assert [row.account_id for row in leaderboard(session, project, since=NOW + 10)] == [bob]
        assert standing_of(session, project, ada, since=NOW + 10)[6:] == (0, 2)
        assert leaderboard(session, project, most=1) == rows[:1]


def test_an_author_sees_how_claims_fared_and_what_is_new(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        author = make_player(session, project, "ada")
        written = make_claim(session, project, False, author, text="Lies.")
        make_claim(session, project, True, author, state=GameClaimState.WITHDRAWN.value, reviewed_at=NOW + 900)
        make_claim(session, project, True)
        for number, is_right in enumerate((True, False)):
            who = make_player(session, project)
            record = begin_round(session, project, who, "", rng=Random(1), digest=DIGEST, now=NOW + number)
            side = false_side(record)
            cast_vote(session, record, side if is_right else side.other, now=NOW + 100)
            if is_right:
                like_claim(session, record, side.value, now=NOW + 101)
        rest, lies = my_claims(session, project, author)
        assert (lies.claim, lies.votes, lies.right, lies.likes, lies.points) == (written, 2, 1, 1, 20 + 10)
        assert (lies.state, lies.fooled) == (GameClaimState.PLAYING, 0.5)
        assert (rest.state, rest.votes, rest.points, rest.fooled) == (GameClaimState.WITHDRAWN, 0, 0, None)
        news = news_of(session, project, author)
        assert [(each.kind, each.claim_id) for each in news] == [
            ("reviewed", rest.claim.id),
            ("liked", written.id),
            ("fooled", written.id),
            ("spotted", written.id),
        ]
        assert news[1].at == NOW + 101  # not when the vote was cast, which its author may have read of by then
        assert [each.text for each in news[1:]] == [
            "Somebody liked “Lies.”, 10 points for you.",
            "“Lies.” fooled somebody.",
            "Somebody judged “Lies.” rightly, 20 points for you.",
        ]
        assert news_of(session, project, author, most=1) == news[:1]
        assert news_of(session, project, who) == []


def test_a_report_is_no_news_until_it_was_reviewed(database: Database) -> None:
    with database.writing() as session:
        project = make_game(session)
        author = make_player(session, project)
        make_claim(session, project, True)
        claim = make_claim(session, project, False, author)
        who = make_player(session, project)
        record = begin_round(session, project, who, "", rng=Random(1), digest=DIGEST, now=NOW)
        side = Side.LEFT if record.left_id == claim.id else Side.RIGHT
        report_claim(session, record, side, reason=ClaimFault.SPAM, now=NOW + 1)
        assert news_of(session, project, author) == []
        assert my_claims(session, project, author)[0].state is GameClaimState.RESTING
