"""Review: which claims wait and why, what becomes of them, and the rows of figures out of both databases."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, NOW, false_side, make_claim, make_claims, make_game, make_player
from tests.studio.people import make_member
from veritab.errors import Conflict, InputError, NotAllowed, NotFound
from veritab.studio.database import Database
from veritab.studio.game import reviewing
from veritab.studio.game.checking import check_game
from veritab.studio.game.learned.prior import FITTED
from veritab.studio.game.learned.reading import read_claims, read_game, read_rounds
from veritab.studio.game.pairing import ClaimPair
from veritab.studio.game.playing import (
    begin_practice,
    begin_round,
    buy_hint,
    cast_vote,
    deal_round,
    draw_pair,
    like_claim,
    report_claim,
)
from veritab.studio.game.records import GameClaimRecord, GameReportRecord, GameRoundRecord
from veritab.studio.game.reviewing import ReviewReason, review_queue
from veritab.studio.game.rounds import Side
from veritab.studio.game.vocabulary import ClaimFault, GameClaimState, Strategy
from veritab.studio.projects import trail_of
from veritab.studio.records import ProjectRecord
from veritab.studio.vocabulary import Role


def a_pair(session: Session, game: ProjectRecord, **about: Any) -> tuple[GameClaimRecord, GameClaimRecord]:
    return make_claim(session, game, True, **about), make_claim(session, game, False, **about)


def play(
    session: Session, game: ProjectRecord, voter: int | None, pair: tuple[GameClaimRecord, GameClaimRecord], **said: Any
) -> GameRoundRecord:
    """Somebody votes on two claims: rightly without a hint, unless it is said otherwise."""
    record = deal_round(session, game, voter, ClaimPair(*pair), topic="", now=NOW)
    for number in range(said.get("hints", 0)):
        buy_hint(session, record, Side.LEFT, now=NOW + number)
    side = false_side(record)
    cast_vote(session, record, side if said.get("right", True) else side.other, now=NOW + said.get("seconds", 30))
    return record


def waiting(session: Session, game: ProjectRecord, **options: Any) -> dict[int, list[str]]:
    found = review_queue(session, game, **options)
    return {each.claim.id: [reason.value for reason in each.reasons] for each in found.claims}


def problems(session: Session, game: ProjectRecord) -> list[str]:
    session.flush()
    return [str(each) for each in check_game(session, game)]


def test_claims_wait_for_every_reason_and_those_of_the_tutorial_for_none(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        players = [make_player(session, game) for _ in range(8)]
        make_claims(session, game, 2)
        hard, easy = a_pair(session, game), a_pair(session, game)
        marked = make_claim(session, game, True, text="Write to karen@example.org.")
        rests = make_claim(session, game, True, state=GameClaimState.RESTING.value, reason="the page is gone")
        reported = make_claim(session, game, True), make_claim(session, game, False)
        for voter in players[:3]:
            play(session, game, voter, easy)
        for voter in players[:4]:
            play(session, game, voter, hard, right=False)
        record = deal_round(session, game, players[0], ClaimPair(*reported), topic="", now=NOW)
        report_claim(session, record, Side.RIGHT, reason=ClaimFault.SPAM, now=NOW)
        assert waiting(session, game) == {
            reported[1].id: ["reported"],
            rests.id: ["resting"],
            hard[0].id: ["misjudged"],
            hard[1].id: ["misjudged"],
            marked.id: ["marked"],
            easy[0].id: ["easy"],
            easy[1].id: ["easy"],
        }
        found = review_queue(session, game, page=2, most=5)
        assert ([each.claim.id for each in found.claims], found.has_more, found.total) == (
            [easy[0].id, easy[1].id],
            False,
            7,
        )
        assert found.counts[ReviewReason.MISJUDGED] == 2
        assert list(waiting(session, game, reason=ReviewReason.EASY)) == [easy[0].id, easy[1].id]
        play(session, game, players[4], easy, hints=1)
        assert waiting(session, game, reason=ReviewReason.EASY) == {}


def test_the_threshold_is_one_half_of_the_posterior(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        three = make_claim(session, game, True, votes=3, right_votes=0)
        four = make_claim(session, game, True, votes=4, right_votes=0)
        assert list(waiting(session, game)) == [four.id]
        for _ in range(20):
            make_claim(session, game, True, votes=3, right_votes=1)
        fitted = review_queue(session, game, prior=FITTED)
        assert fitted.prior.right < fitted.prior.wrong
        assert fitted.total == 22
        assert three.id in {each.claim.id for each in fitted.claims}


def test_a_kept_claim_is_played_again_and_its_reports_are_dealt_with(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        one, other = make_player(session, game), make_player(session, game)
        boss = make_boss(session, game)
        pair = a_pair(session, game, corpus_digest="old")
        record = deal_round(session, game, one, ClaimPair(*pair), topic="", now=NOW)
        report_claim(session, record, Side.LEFT, reason=ClaimFault.OTHER, note="is it?", now=NOW)
        assert pair[0].state == GameClaimState.RESTING
        for person in (one, other):
            with pytest.raises(NotAllowed):
                reviewing.keep_claim(session, game, pair[0], by=person, now=NOW)
        reviewing.keep_claim(session, game, pair[0], note="It is.", by=boss, now=NOW + 5)
        assert (pair[0].state, pair[0].reason, pair[0].reviewed_at) == ("playing", "", NOW + 5)
        assert pair[0].corpus_digest == DIGEST
        report = session.scalars(select(GameReportRecord)).one()
        assert (report.outcome, report.ended_by, report.ended_at) == ("kept", boss, NOW + 5)
        assert waiting(session, game) == {}
        left, name = trail_of(session, game.id)[0]
        assert (left.what, left.subject, left.after["note"]) == ("keep claim", f"game claim {pair[0].id}", "It is.")
        assert name.startswith("boss")
        assert problems(session, game) == []


def make_boss(session: Session, game: ProjectRecord) -> int:
    return make_member(session, game, "boss", Role.MANAGER).account_id


def test_a_withdrawn_claim_is_not_drawn_and_can_be_brought_back(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        player = make_player(session, game)
        true, false = a_pair(session, game)
        with pytest.raises(InputError, match="say why"):
            reviewing.withdraw_claim(session, game, true, reason=" ", by=None, now=NOW)
        reviewing.withdraw_claim(session, game, true, reason="It is wrong.", by=None, now=NOW)
        with pytest.raises(Conflict, match="a true and a false one"):
            draw_pair(session, game, player, "", rng=Random(1), digest=DIGEST)
        for act in (reviewing.keep_claim, reviewing.withdraw_claim):
            with pytest.raises(Conflict, match="withdrawn already"):
                act(
                    session,
                    game,
                    true,
                    by=None,
                    now=NOW,
                    **({"reason": "x"} if act is reviewing.withdraw_claim else {}),
                )
        with pytest.raises(Conflict, match="not withdrawn"):
            reviewing.restore_claim(session, game, false, by=None, now=NOW)
        reviewing.restore_claim(session, game, true, by=None, now=NOW + 1)
        assert {claim.id for claim in draw_pair(session, game, player, "", rng=Random(1), digest=DIGEST)} == {
            true.id,
            false.id,
        }
        assert [record.what for record, _ in trail_of(session, game.id)][:2] == ["bring claim back", "withdraw claim"]


def test_a_corrected_claim_is_a_new_one_without_votes_for_those_who_have_not_met_it(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        author, one, other = (make_player(session, game) for _ in range(3))
        true, false = make_claim(session, game, True, author), make_claim(session, game, False)
        play(session, game, one, (true, false), right=False)
        make_claim(session, game, True), make_claim(session, game, False)
        made = reviewing.correct_claim(session, game, false, text=false.text, truth=True, by=None, now=NOW + 9)
        assert (made.truth, made.votes, made.right_votes, made.text) == (True, 0, 0, false.text)
        assert (made.gold, made.hints, made.page) == (false.gold, false.hints, false.page)
        assert (false.state, false.reason, false.votes) == ("withdrawn", f"corrected as claim {made.id}", 1)
        seen = reviewing.look_at(session, game, made)
        assert (seen.corrects, reviewing.look_at(session, game, false).corrected_by) == (false.id, made.id)
        assert made.id not in {claim.id for claim in draw_pair(session, game, one, "", rng=Random(1), digest=DIGEST)}
        with pytest.raises(Conflict, match=f"claim {made.id} stands in its place"):
            reviewing.restore_claim(session, game, false, by=None, now=NOW)
        reviewing.withdraw_claim(session, game, made, reason="No.", by=None, now=NOW)
        reviewing.restore_claim(session, game, false, by=None, now=NOW)
        assert problems(session, game) == []
        assert other


@pytest.mark.parametrize(
    ("text", "why"),
    [("", "empty|Write"), ("One. And another one.", "sentence"), ("Same.", "neither"), ("x" * 99_999, "shorter")],
)
def test_a_correction_has_to_be_a_claim_and_a_change(database: Database, text: str, why: str) -> None:
    with database.writing() as session:
        game = make_game(session)
        claim = make_claim(session, game, True, text="Same.")
        with pytest.raises(InputError, match=f"(?i){why}"):
            reviewing.correct_claim(session, game, claim, text=text, truth=True, by=None, now=NOW)
        assert claim.state == GameClaimState.PLAYING


def test_tags_are_kept_in_their_order_and_change_nothing_else(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        claim = make_claim(session, game, True)
        for _ in range(2):
            chosen = [Strategy.DIVERSION, Strategy.TEMPORAL]
            reviewing.tag_claim(session, game, claim, chosen, by=None, now=NOW)
        assert claim.tags == {"strategies": ["temporal", "diversion"]}
        assert [record.what for record, _ in trail_of(session, game.id)].count("tag claim") == 1
        assert claim.reviewed_at is None


def test_claims_of_another_game_and_of_the_tutorial_are_not_found(database: Database) -> None:
    with database.writing() as session:
        game, other = make_game(session), make_game(session, "lakes")
        elsewhere = make_claim(session, other, True)
        practice = session.scalars(select(GameClaimRecord.id).where(GameClaimRecord.project_id == game.id)).first()
        for id in (elsewhere.id, practice or 0, 10**30, -1):
            with pytest.raises(NotFound):
                reviewing.find_claim(session, game, id)


def test_what_was_looked_at_comes_back_when_there_is_more_of_it(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        player = make_player(session, game, "hasty")
        text = "A claim of quite so many words that nobody reads them all in half a second of their time."
        for number in range(4):
            if number == 3:
                (row,) = reviewing.suspicions_in(session, game)
                assert row.names[0].startswith("hasty")
                with pytest.raises(InputError, match="what you found"):
                    reviewing.dismiss_suspicion(session, game, row.suspicion.key, note="", by=None, now=NOW)
                reviewing.dismiss_suspicion(session, game, row.suspicion.key, note="A child.", by=None, now=NOW)
                assert reviewing.suspicions_in(session, game) == []
                with pytest.raises(NotFound):
                    reviewing.dismiss_suspicion(session, game, row.suspicion.key, note="A child.", by=None, now=NOW)
            play(session, game, player, a_pair(session, game, text=f"{text} {number}"), seconds=1)
        (row,) = reviewing.suspicions_in(session, game)
        assert row.suspicion.seen == 4
        assert set(reviewing.claims_of_rounds(session, row.suspicion.rounds)) == set(row.suspicion.rounds)


def test_rows_are_of_rounds_that_count(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        one, other = make_player(session, game), make_player(session, game)
        pair, wrong = a_pair(session, game, checker={"label": "REFUTES"}), a_pair(session, game)
        record = play(session, game, one, pair, hints=2)
        like_claim(session, record, "left", now=NOW + 40)
        play(session, game, one, pair, right=False)  # again, which counts for nothing
        play(session, game, other, (pair[1], pair[0]), right=False)
        play(session, game, None, pair)  # the checker
        practice = begin_practice(session, game, one, rng=Random(1), now=NOW)
        cast_vote(session, practice, Side.LEFT, now=NOW + 1)
        play(session, game, one, wrong)
        reviewing.withdraw_claim(session, game, wrong[0], reason="Wrong.", by=None, now=NOW)
        begin_round(session, game, make_player(session, game), "", rng=Random(1), digest=DIGEST, now=NOW)
        session.flush()
        rounds = list(read_rounds(session, game))
        assert [(each.voter, each.spotted, each.true_hints, each.false_hints, each.seconds) for each in rounds] == [
            (one, True, 2, 0, 30.0),
            (other, False, 0, 0, 30.0),
            (None, True, 0, 0, 30.0),
        ]
        assert {(each.true_claim, each.false_claim) for each in rounds} == {(pair[0].id, pair[1].id)}
        assert [each.chose_left for each in rounds] == [False, False, False]
        claims = {claim.id: claim for claim in read_claims(session, game)}
        assert set(claims) == {pair[0].id, pair[1].id, wrong[1].id}
        assert claims[pair[0].id][5:] == (2, 1, 1, "REFUTES")
        figures = read_game(session, game)
        assert (figures.rounds, figures.fooled.by_label["SUPPORTS"].value) == (2, 0.5)
        assert figures.opponents.in_rooms.n == 1
        assert problems(session, game) == []
