"""Whatever players try in whatever order and at whatever time: points, time and the log hold in the database too."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, NOW, make_claims, make_game, make_player
from veritab.errors import Conflict
from veritab.studio.database import Database, open_studio
from veritab.studio.game.playing import (
    VoterView,
    begin_practice,
    begin_round,
    buy_hint,
    cast_vote,
    check_game,
    expire_due,
    leaderboard,
    like_claim,
    report_claim,
    round_of,
    view_of,
)
from veritab.studio.game.records import GameClaimRecord, GameMoveRecord, GamePointRecord, GameRoundRecord
from veritab.studio.game.rounds import NOT_SURE, RoundOutcome, Side
from veritab.studio.game.vocabulary import ClaimFault
from veritab.studio.records import ProjectRecord

_NAMES = count()
_ACTS = ("begin", "practise", "hint", "vote", "like", "report", "expire")


class Tried(NamedTuple):
    """Something that somebody tries."""

    act: str
    player: int
    side: Side
    seconds: float
    """How far the server's clock has moved since; it may go back."""


_tried = st.builds(
    Tried,
    act=st.sampled_from(("begin", "vote", *_ACTS)),
    player=st.integers(0, 3),
    side=st.sampled_from(Side),
    seconds=st.one_of(st.floats(0, 60), st.floats(-400, 400)),
)


@pytest.fixture(scope="module")
def database(empty_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    opened = open_studio(shutil.copytree(empty_sqlite, tmp_path_factory.mktemp("play") / "studio"))
    yield opened
    opened.close()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tried=st.lists(_tried, min_size=5, max_size=40), turns=st.booleans(), seed=st.integers(0, 99))
def test_points_time_and_log_hold_whatever_is_tried(
    database: Database, tried: list[Tried], turns: bool, seed: int
) -> None:
    with database.writing() as session:
        project = make_game(session, f"game-{next(_NAMES)}", takes_turns=turns)
        players = [make_player(session, project) for _ in range(4)]
        make_claims(session, project, 6, players)
        rng, now = Random(seed), NOW
        for each in tried:
            now += each.seconds
            before = count_moves(session)
            try:
                with session.begin_nested():  # as at every door: what is refused is not kept
                    act(session, project, players[each.player], each, rng, now)
            except Conflict:
                assert count_moves(session) == before
        assert [str(problem) for problem in check_game(session, project)] == []
        check_points(session, project)
        check_rounds(session, project, now)


def count_moves(session: Session) -> int:
    """How many moves people have made; that time ran out is noted also where what they want is refused then."""
    return session.scalar(select(func.count()).where(GameMoveRecord.move != "expire")) or 0


def act(session: Session, project: ProjectRecord, who: int, tried: Tried, rng: Random, now: float) -> None:
    """Try something, with the last round of somebody where it takes one."""
    if tried.act == "begin":
        begin_round(session, project, who, "", rng=rng, digest=DIGEST, now=now)
    elif tried.act == "practise":
        begin_practice(session, project, who, rng=rng, now=now)
    elif tried.act == "expire":
        expire_due(session, now=now)
    else:
        of_player = select(GameRoundRecord).where(
            GameRoundRecord.project_id == project.id, GameRoundRecord.account_id == who
        )
        record = session.scalars(of_player.order_by(GameRoundRecord.id.desc()).limit(1)).first()
        if record is None:
            return
        if tried.act == "hint":
            buy_hint(session, record, tried.side, now=now)
        elif tried.act == "vote":
            cast_vote(session, record, tried.side, now=now)
        elif tried.act == "like":
            like_claim(session, record, rng.choice([*map(str, Side), NOT_SURE]), now=now)
        else:
            report_claim(session, record, tried.side, reason=ClaimFault.SPAM, now=now)


def check_points(session: Session, project: ProjectRecord) -> None:
    """A right round is worth 120, every other nothing; the leaderboard is what its rounds come to."""
    totals, by_player = Counter[int | None](), Counter[int]()
    for row in session.scalars(select(GamePointRecord).where(GamePointRecord.project_id == project.id)):
        assert row.points > 0
        by_player[row.account_id] += row.points
        totals[row.round_id] += row.points if row.kind != "likes" else 0
    rounds = session.scalars(select(GameRoundRecord).where(GameRoundRecord.project_id == project.id)).all()
    for record in rounds:
        spotted = record.outcome == RoundOutcome.SPOTTED and not record.is_practice
        assert totals[record.id] == (120 if spotted else 0)
    assert {row.account_id: row.total for row in leaderboard(session, project)} == dict(by_player)


def check_rounds(session: Session, project: ProjectRecord, now: float) -> None:
    """Time is never negative, votes are one a round, nobody meets their own claims, nor one twice."""
    met = Counter[tuple[int | None, int]]()
    for record in session.scalars(select(GameRoundRecord).where(GameRoundRecord.project_id == project.id)):
        view, round = view_of(session, record, now=now), round_of(session, record)
        assert isinstance(view, VoterView) == round.is_open
        if isinstance(view, VoterView):
            assert 0 <= view.seconds_left <= 180
        assert record.ended_at is None or record.opened_at <= record.ended_at <= record.opened_at + 180
        votes = select(func.count()).where(GameMoveRecord.round_id == record.id, GameMoveRecord.move == "vote")
        assert (session.scalar(votes) or 0) <= 1
        for id in (record.left_id, record.right_id):
            assert session.get_one(GameClaimRecord, id).author_id != record.account_id
            met[record.account_id, id] += not record.is_practice
    assert max(met.values(), default=0) <= 1
