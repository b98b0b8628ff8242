"""Rounds over random play: points, time and order, whatever a player sends and whenever."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import Conflict
from veritab.studio.game import rounds
from veritab.studio.game.rounds import (
    NOT_SURE,
    Move,
    Points,
    Round,
    RoundMove,
    RoundOutcome,
    RoundSetup,
    Side,
    make_move,
    open_round,
    replay,
)
from veritab.studio.game.rules import PRESETS, Rules

START = 1_700_000_000.0
SETUP = RoundSetup(Rules(), Side.RIGHT, (11, 11))

_sides = st.sampled_from(Side)
_setups = st.builds(
    RoundSetup,
    rules=st.sampled_from([Rules.preset(name) for name in PRESETS]),
    false_side=_sides,
    hints=st.tuples(st.integers(0, 12), st.integers(0, 12)),
    counts=st.booleans(),
)
_values = {
    Move.HINT: _sides.map(str),
    Move.VOTE: _sides.map(str),
    Move.REPORT: _sides.map(str),
    Move.LIKE: st.sampled_from([*map(str, Side), NOT_SURE]),
    Move.EXPIRE: st.just(""),
}
_moves = st.sampled_from(list(_values)).flatmap(
    lambda move: st.builds(
        RoundMove, move=st.just(move), at=st.floats(-60, 400).map(START.__add__), value=_values[move]
    )
)


def play(setup: RoundSetup, tried: list[RoundMove]) -> tuple[Round, list[RoundMove]]:
    """What comes of moves that somebody tries, and those that were taken."""
    round, taken = open_round(setup, START), [RoundMove(Move.OPEN, START)]
    for move in tried:
        try:
            round = make_move(round, move)
        except Conflict:
            continue
        taken.append(move)
    return round, taken


@given(_setups, st.lists(_moves, max_size=30))
def test_a_right_round_is_worth_the_same_and_every_other_nothing(setup: RoundSetup, tried: list[RoundMove]) -> None:
    round, _ = play(setup, tried)
    scored = setup.counts and round.outcome is RoundOutcome.SPOTTED
    assert round.points.total == (setup.rules.most_points if scored else 0)
    assert all(0 <= points <= setup.rules.most_points for points in round.points)
    assert round.points.false_author - round.points.true_author in (0, 1)


@given(_setups, st.lists(_moves, max_size=30))
def test_time_is_never_negative_and_never_comes_back(setup: RoundSetup, tried: list[RoundMove]) -> None:
    round, left = open_round(setup, START), float(setup.rules.vote_seconds)
    for move in tried:
        try:
            after = make_move(round, move)
        except Conflict:
            continue
        assert 0 <= after.seconds_left(move.at) <= left
        assert after.now >= round.now
        round, left = after, after.seconds_left(move.at)


@given(_setups, st.lists(_moves, max_size=30))
def test_there_is_one_vote_at_most_and_nothing_counts_after_it(setup: RoundSetup, tried: list[RoundMove]) -> None:
    _, taken = play(setup, tried)
    ends = [made.move for made in taken if made.move in (Move.VOTE, Move.EXPIRE)]
    assert len(ends) <= 1
    assert sum(made.move is Move.LIKE for made in taken) <= 1
    if ends:
        after = taken[[made.move for made in taken].index(ends[0]) + 1 :]
        assert {made.move for made in after} <= {Move.LIKE, Move.REPORT}


@given(_setups, st.lists(_moves, max_size=30))
def test_a_round_is_rebuilt_from_its_moves(setup: RoundSetup, tried: list[RoundMove]) -> None:
    round, taken = play(setup, tried)
    assert replay(RoundSetup.parse(json.loads(json.dumps(setup.as_dict()))), taken) == round


@given(_setups, st.lists(_moves, max_size=20), st.floats(0, 400), st.floats(0, 400), _sides)
def test_waiting_and_hints_never_gain_points(
    setup: RoundSetup, tried: list[RoundMove], first: float, second: float, side: Side
) -> None:
    """Neither an earlier clock than the last move's nor any order of moves gives more than an early vote would."""
    round, _ = play(setup, tried)
    early, late = sorted((START + first, START + second))
    best = _points_of(lambda: rounds.vote(round, setup.false_side, early))
    assert _points_of(lambda: rounds.vote(round, setup.false_side, late)) <= best
    assert _points_of(lambda: rounds.vote(rounds.hint(round, side, early), setup.false_side, early)) <= best
    assert _points_of(lambda: rounds.vote(round, setup.false_side, START - 1000)) <= max(
        _points_of(lambda: rounds.vote(round, setup.false_side, round.now)), 0
    )


def _points_of(vote: Callable[[], Round]) -> int:
    try:
        return vote().points.voter
    except Conflict:
        return 0


@pytest.mark.parametrize(
    ("after", "points"),
    [(0.0, Points(120, 0, 0)), (60.0, Points(120, 0, 0)), (60.5, Points(119, 0, 1)), (100.0, Points(80, 20, 20))],
)
def test_the_voter_gets_whole_seconds_and_the_false_claim_the_odd_point(after: float, points: Points) -> None:
    assert rounds.vote(open_round(SETUP, START), Side.RIGHT, START + after).points == points


def test_in_the_last_second_everything_goes_to_the_authors() -> None:
    assert rounds.vote(open_round(SETUP, START), Side.RIGHT, START + 179.5).points == Points(0, 60, 60)


def test_a_wrong_guess_is_worth_nothing_to_anybody() -> None:
    round = rounds.vote(open_round(SETUP, START), Side.LEFT, START + 1)
    assert (round.outcome, round.points) == (RoundOutcome.FOOLED, Points())


def test_a_round_that_does_not_count_scores_nothing() -> None:
    round = rounds.vote(open_round(SETUP._replace(counts=False), START), Side.RIGHT, START + 1)
    assert (round.outcome, round.points) == (RoundOutcome.SPOTTED, Points())


def test_time_that_has_run_out_is_not_a_wrong_vote() -> None:
    round = open_round(SETUP, START)
    with pytest.raises(Conflict, match="time has run out"):
        rounds.vote(round, Side.RIGHT, START + 180)
    with pytest.raises(Conflict, match="time left"):
        rounds.expire(round, START + 179.9)
    over = rounds.expire(round, START + 180)
    assert (over.outcome, over.choice, over.points) == (RoundOutcome.TIMED_OUT, None, Points())


def test_a_hint_brings_the_deadline_nearer_and_cannot_end_the_round() -> None:
    round = open_round(SETUP, START)
    for _ in range(5):
        round = rounds.hint(round, Side.LEFT, START)
    assert round.deadline == START + 30
    with pytest.raises(Conflict, match="a hint takes 30 seconds"):
        rounds.hint(round, Side.LEFT, START)


def test_a_claim_has_only_the_hints_it_has() -> None:
    round = rounds.hint(open_round(SETUP._replace(hints=(1, 0)), START), Side.LEFT, START)
    for side in Side:
        with pytest.raises(Conflict, match="no more hints"):
            rounds.hint(round, side, START)


def test_a_report_ends_an_open_round_without_points_and_leaves_a_result_as_it_is() -> None:
    round = open_round(SETUP, START)
    assert rounds.report(round, Side.LEFT, START + 2).outcome is RoundOutcome.REPORTED
    voted = rounds.vote(round, Side.RIGHT, START + 2)
    later = rounds.report(voted, Side.LEFT, START + 500)
    assert (later.outcome, later.points, later.reported) == (voted.outcome, voted.points, Side.LEFT)


@pytest.mark.parametrize("moves", [[], [RoundMove(Move.VOTE, START, "left")], [RoundMove(Move.OPEN, START)] * 2])
def test_moves_that_make_no_round_are_refused(moves: list[RoundMove]) -> None:
    with pytest.raises(Conflict):
        replay(SETUP, moves)
