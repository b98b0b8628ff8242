"""The checker as a player: what it sees, when it asks, and when it is sure."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, NOW, false_side, make_claim, make_game, make_player
from veritab.schema import Label
from veritab.studio.database import Database
from veritab.studio.game.opponent import (
    LAST_SECONDS,
    Intention,
    Judge,
    Look,
    Scores,
    chance_that_left_is_false,
    due_looks,
    judge_with,
    make_intention,
    think,
)
from veritab.studio.game.pieces import EvidencePiece, ShownCell
from veritab.studio.game.playing import cast_vote, round_of
from veritab.studio.game.records import GameRoundRecord
from veritab.studio.game.rooms import make_room, start_room
from veritab.studio.game.rounds import Move, RoundOutcome, Side
from veritab.studio.game.rules import Rules
from veritab.studio.game.views import ShownClaim, ShownHint, VoterView

UNSETTLED = {Label.SUPPORTS: 0.1, Label.REFUTES: 0.1, Label.NOT_ENOUGH_INFO: 0.8}
TRUE = {Label.SUPPORTS: 0.8, Label.REFUTES: 0.1, Label.NOT_ENOUGH_INFO: 0.1}
FALSE = {Label.SUPPORTS: 0.1, Label.REFUTES: 0.8, Label.NOT_ENOUGH_INFO: 0.1}
RULES = Rules()


def claim_of(side: Side, hints: int, left: int = 5) -> ShownClaim:
    bought = tuple(ShownHint(EvidencePiece("So."), is_gold=False) for _ in range(hints))
    return ShownClaim(side, f"The {side} claim.", "K2", bought, left)


def view_with(left: ShownClaim, right: ShownClaim, seconds: float = 150.0) -> VoterView:
    return VoterView(1, "", NOW + seconds, seconds, 180, 120, 30, False, False, False, left, right)


def saying(**scores: Scores) -> tuple[list[str], object]:
    """A judge that says this of the claims, and the list of those it was asked about."""
    asked: list[str] = []

    def judge(claims: Sequence[ShownClaim]) -> list[Scores]:
        asked.extend(claim.side.value for claim in claims)
        return [scores[claim.side.value] for claim in claims]

    return asked, judge


def nobody_asks(claims: Sequence[ShownClaim]) -> list[Scores]:
    raise AssertionError("there is nothing to judge by")


# -- what it makes of what it sees -------------------------------------------------------------------------


def test_it_knows_what_a_voter_sees_and_nothing_else() -> None:
    """Whatever it is given to think with is a view of what may be sent, or the rules, which everybody may read."""
    assert list(inspect.signature(think).parameters) == ["view", "rules", "judge"]
    assert get_type_hints(think)["view"] is VoterView
    assert get_type_hints(Look) == {"project_id": int, "rules": Rules, "view": VoterView}


def test_without_a_hint_it_asks_for_one_and_judges_nothing() -> None:
    view = view_with(claim_of(Side.LEFT, 0), claim_of(Side.RIGHT, 0))
    assert think(view, RULES, nobody_asks) == Intention(Move.HINT, Side.LEFT)
    assert think(view, Rules(checker_margin=0), nobody_asks) == Intention(Move.HINT, Side.LEFT)


def test_it_asks_for_the_claim_that_it_knows_less_of() -> None:
    asked, judge = saying(left=UNSETTLED)
    view = view_with(claim_of(Side.LEFT, 1), claim_of(Side.RIGHT, 0))
    assert think(view, RULES, judge) == Intention(Move.HINT, Side.RIGHT)  # type: ignore[arg-type]
    assert asked == ["left"]


@pytest.mark.parametrize(
    ("left", "right", "side"), [(TRUE, UNSETTLED, Side.RIGHT), (UNSETTLED, TRUE, Side.LEFT), (FALSE, TRUE, Side.LEFT)]
)
def test_it_votes_when_it_is_sure_of_either(left: Scores, right: Scores, side: Side) -> None:
    _, judge = saying(left=left, right=right)
    view = view_with(claim_of(Side.LEFT, 1), claim_of(Side.RIGHT, 1))
    assert think(view, RULES, judge) == Intention(Move.VOTE, side)  # type: ignore[arg-type]
    assert think(view, Rules(checker_margin=1), judge).move is Move.HINT  # type: ignore[arg-type]


def test_where_no_hint_can_be_had_it_guesses() -> None:
    unsure = {Label.SUPPORTS: 0.32, Label.REFUTES: 0.3, Label.NOT_ENOUGH_INFO: 0.38}
    _, judge = saying(left=unsure, right=UNSETTLED)
    dear = view_with(claim_of(Side.LEFT, 1), claim_of(Side.RIGHT, 1), seconds=30 + LAST_SECONDS)
    assert think(dear, RULES, judge) == Intention(Move.VOTE, Side.RIGHT)  # type: ignore[arg-type]
    none_left = view_with(claim_of(Side.LEFT, 1, 0), claim_of(Side.RIGHT, 1, 0))
    assert think(none_left, RULES, judge) == Intention(Move.VOTE, Side.RIGHT)  # type: ignore[arg-type]
    one_left = view_with(claim_of(Side.LEFT, 1, 3), claim_of(Side.RIGHT, 0, 0))
    assert think(one_left, RULES, judge) == Intention(Move.HINT, Side.LEFT)  # type: ignore[arg-type]


_shares = st.floats(0, 1)
_scores = st.builds(
    lambda a, b: {Label.SUPPORTS: a * b, Label.REFUTES: a * (1 - b), Label.NOT_ENOUGH_INFO: 1 - a}, _shares, _shares
)


@given(_scores, _scores)
def test_one_of_two_claims_is_false(left: Scores, right: Scores) -> None:
    chance = chance_that_left_is_false(left, right)
    assert 0 <= chance <= 1
    assert chance + chance_that_left_is_false(right, left) == pytest.approx(1)


def test_a_table_is_read_as_a_table_and_by_nothing_but_its_words() -> None:
    given: list[object] = []

    class Reader:
        def judge(self, pairs: Sequence[object]) -> list[object]:
            given.extend(pairs)
            return []

    rows = ((ShownCell("Peak", True), ShownCell("Metres", True)), (ShownCell("K2"), ShownCell("8,611", is_marked=True)))
    table = EvidencePiece("K2, Metres: 8,611.", "Heights", ("K2_cell_0_1_1",), "Peaks", rows)
    line = EvidencePiece("K2 is high.", ids=("K2_sentence_0",), rows=rows[1:])
    judge_with(Reader())(  # type: ignore[arg-type]
        [ShownClaim(Side.LEFT, "K2 is low.", "K2", (ShownHint(table, False), ShownHint(line, True)), 3)]
    )
    shown = {"header": ["Peak", "Metres"], "rows": [["K2", "8,611"]], "caption": "Peaks"}
    assert given == [("K2 is low.", [{"title": "K2", "table": shown}, {"title": "K2", "text": "K2 is high."}])]


# -- in a room ---------------------------------------------------------------------------------------------


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.writing() as opened:
        yield opened


def begin(session: Session, **rules: Any) -> GameRoundRecord:
    """The checker's round in a room of somebody and the checker."""
    game = make_game(session, **rules)
    for truth in (True, False):
        make_claim(session, game, truth)
    who = make_player(session, game)
    room = make_room(session, game, who, "", with_checker=True, rng=Random(1), now=NOW)
    rounds = start_room(session, room, who, rng=Random(1), digest=DIGEST, now=NOW)
    return next(each for each in rounds if each.account_id is None)


def play(session: Session, own: GameRoundRecord, judge: Judge) -> list[tuple[float, str]]:
    """The moves it makes, and after how many seconds."""
    at, moves = NOW, []
    while own.outcome == RoundOutcome.OPEN:
        at += 1
        for look in due_looks(session, now=at):
            meant = think(look.view, look.rules, judge)
            assert make_intention(session, look.view, meant, now=at) is not None
            moves.append((at - NOW, meant.move.value))
    return moves


def test_it_looks_at_its_own_rounds_alone_and_after_a_while(session: Session) -> None:
    own = begin(session)
    assert due_looks(session, now=NOW + RULES.checker_seconds - 1) == []
    (look,) = due_looks(session, now=NOW + RULES.checker_seconds)
    assert look.view.round_id == own.id
    assert (look.view.left.hints, look.view.right.hints) == ((), ())


def test_it_does_not_pause_when_everybody_waits_for_it(session: Session) -> None:
    begin(session)
    for record in session.scalars(select(GameRoundRecord).where(GameRoundRecord.account_id.is_not(None))):
        cast_vote(session, record, Side.LEFT, now=NOW + 1)
    assert due_looks(session, now=NOW + 2)


def test_it_plays_by_the_rules_of_anybody_until_it_is_sure(session: Session) -> None:
    own = begin(session)
    wrong = false_side(own)

    def judge(claims: Sequence[ShownClaim]) -> list[Scores]:
        """Sees through a claim by its second hint."""
        return [(FALSE if claim.side is wrong else TRUE) if len(claim.hints) > 1 else UNSETTLED for claim in claims]

    moves = play(session, own, judge)
    assert moves == [(12.0, "hint"), (24.0, "hint"), (36.0, "hint"), (48.0, "vote")]
    assert own.outcome == RoundOutcome.SPOTTED
    assert round_of(session, own).points.total == 0


def test_unsure_to_the_end_it_guesses_with_what_it_could_pay_for(session: Session) -> None:
    own = begin(session)
    moves = play(session, own, lambda claims: [UNSETTLED for _ in claims])
    assert moves == [(12.0, "hint"), (24.0, "hint"), (36.0, "hint"), (48.0, "hint"), (57.0, "vote")]
    assert own.outcome in (RoundOutcome.SPOTTED, RoundOutcome.FOOLED)


def test_it_votes_before_its_time_is_over_however_slowly_it_reads(session: Session) -> None:
    own = begin(session, checker_seconds=3600, vote_seconds=10, hint_seconds=0)
    assert due_looks(session, now=NOW + 6) == []
    (look,) = due_looks(session, now=NOW + 10 - LAST_SECONDS)
    meant = think(look.view, look.rules, nobody_asks)
    assert meant.move is Move.VOTE
    make_intention(session, look.view, meant, now=NOW + 8)
    assert own.outcome != RoundOutcome.OPEN


def test_the_move_of_the_first_server_counts(session: Session) -> None:
    own = begin(session)
    (look,) = due_looks(session, now=NOW + 12)
    (same,) = due_looks(session, now=NOW + 12)
    meant = think(look.view, look.rules, nobody_asks)
    make_intention(session, look.view, meant, now=NOW + 12)
    make_intention(session, same.view, meant, now=NOW + 12.5)
    assert own.left_hints + own.right_hints == 1
    make_intention(session, look.view, Intention(Move.VOTE, Side.LEFT), now=NOW + 13)
    assert make_intention(session, same.view, Intention(Move.VOTE, Side.RIGHT), now=NOW + 13.5) is None
    assert own.choice == Side.LEFT
    assert make_intention(session, same.view, meant, now=NOW + 14) is None


def test_two_servers_at_once_make_one_move(database: Database) -> None:
    with database.writing() as session:
        number = begin(session).id
    with database.reading() as session:
        (look,) = due_looks(session, now=NOW + 12)
    ready = threading.Barrier(2)

    def move() -> None:
        ready.wait(10)
        with database.writing() as session:
            make_intention(session, look.view, Intention(Move.HINT, Side.LEFT), now=NOW + 12)

    servers = [threading.Thread(target=move) for _ in range(2)]
    for server in servers:
        server.start()
    for server in servers:
        server.join(20)
    with database.reading() as session:
        assert session.get_one(GameRoundRecord, number).left_hints == 1


def test_what_it_is_shown_holds_nothing_that_it_has_not_paid_for(session: Session) -> None:
    own = begin(session)
    make_intention(session, due_looks(session, now=NOW + 12)[0].view, Intention(Move.HINT, Side.LEFT), now=NOW + 12)
    (look,) = due_looks(session, now=NOW + 24)
    shown = repr(look.view)
    assert shown.count("Hint 0 of") == 1
    assert not any(word in shown for word in ("Gold of", "Hint 1 of", "truth", "sentence_", "false_side"))
    assert own.outcome == RoundOutcome.OPEN
