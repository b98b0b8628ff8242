"""The checker as a player: it sees what a voter sees, pays for hints as a voter does, and votes when it is sure.

What it knows is a `VoterView`. It looks, thinks outside of any transaction, and then makes one move; how long it waits
between two looks is told by the moves that it has made, so that it goes on after a restart where it stood. Where two
servers think about the same round, the move of the first counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session, aliased

from veritab.errors import Conflict
from veritab.pipeline import Checker
from veritab.schema import Label
from veritab.studio.game.pieces import EvidencePiece
from veritab.studio.game.playing import buy_hint, cast_vote
from veritab.studio.game.records import GameMoveRecord, GameRoundRecord
from veritab.studio.game.rounds import Move, Round, RoundOutcome, RoundSetup, Side
from veritab.studio.game.rules import Rules
from veritab.studio.game.views import ShownClaim, VoterView, view_of

LAST_SECONDS = 3.0
"""How long before its time runs out it votes at the latest: a look and a move take a while."""

Scores: TypeAlias = Mapping[Label, float]
Judge: TypeAlias = Callable[[Sequence[ShownClaim]], list[Scores]]
"""Gives the scores of claims by the hints shown with them."""


class Intention(NamedTuple):
    """A move that the checker means to make."""

    move: Move
    side: Side


class Look(NamedTuple):
    """A round that the checker plays, as it sees it."""

    project_id: int
    rules: Rules
    view: VoterView


def due_looks(session: Session, *, now: float, most: int = 16) -> list[Look]:
    """The rounds of the checker in which it is its turn to look, the most urgent first."""
    last = select(func.max(GameMoveRecord.at)).where(GameMoveRecord.round_id == GameRoundRecord.id).scalar_subquery()
    other = aliased(GameRoundRecord)
    is_awaited = exists().where(
        other.room_id == GameRoundRecord.room_id, other.account_id.is_not(None), other.outcome == RoundOutcome.OPEN
    )
    rows = session.execute(
        select(GameRoundRecord, last, is_awaited)
        .where(
            GameRoundRecord.outcome == RoundOutcome.OPEN,
            GameRoundRecord.deadline > now,
            GameRoundRecord.account_id.is_(None),
            GameRoundRecord.room_id.is_not(None),
        )
        .order_by(GameRoundRecord.deadline, GameRoundRecord.id)
    )
    found: list[Look] = []
    for record, moved_at, others_play in rows:
        rules = RoundSetup.parse(record.setup).rules
        pause = rules.checker_seconds if others_play else 0  # nobody should wait for it alone
        if now < min(moved_at + pause, record.deadline - LAST_SECONDS):
            continue
        view = view_of(session, record, now=now)
        if isinstance(view, VoterView):
            found.append(Look(record.project_id, rules, view))
        if len(found) == most:
            break
    return found


def think(view: VoterView, rules: Rules, judge: Judge) -> Intention:
    """The next move: a vote where one claim is false by a margin, or where no more hints can be had; else a hint."""
    shown = [claim for claim in view.claims if claim.hints]
    scores = dict(zip([claim.side for claim in shown], judge(shown), strict=True)) if shown else {}
    left = chance_that_left_is_false(scores.get(Side.LEFT), scores.get(Side.RIGHT))
    wanted = next_hint(view, rules)
    if wanted is None or (shown and abs(2 * left - 1) >= rules.checker_margin):
        return Intention(Move.VOTE, Side.LEFT if left >= 0.5 else Side.RIGHT)
    return Intention(Move.HINT, wanted)


def next_hint(view: VoterView, rules: Rules) -> Side | None:
    """The claim whose next hint it would buy: the one with fewer; none where there is no time to read it."""
    if view.seconds_left - view.hint_seconds <= LAST_SECONDS:
        return None
    buyable = [claim for claim in view.claims if claim.hints_left]
    return min(buyable, key=lambda claim: len(claim.hints)).side if buyable else None


def chance_that_left_is_false(left: Scores | None, right: Scores | None) -> float:
    """How likely the left claim is the false one, given that one of them is; what is unsettled counts for neither."""
    left_true, right_true = (_chance_of_truth(each) for each in (left, right))
    left_false, right_false = (1 - left_true) * right_true, left_true * (1 - right_true)
    total = left_false + right_false
    return left_false / total if total else 0.5


def _chance_of_truth(scores: Scores | None) -> float:
    if scores is None:
        return 0.5
    return scores[Label.SUPPORTS] + scores[Label.NOT_ENOUGH_INFO] / 2


def make_intention(session: Session, view: VoterView, meant: Intention, *, now: float) -> Round | None:
    """Make a move by the rules of any player; nothing where another server was faster, or the round is over."""
    record = session.get_one(GameRoundRecord, view.round_id)
    try:
        if meant.move is Move.VOTE:
            return cast_vote(session, record, meant.side, now=now)
        seen = len(next(claim for claim in view.claims if claim.side is meant.side).hints)
        return buy_hint(session, record, meant.side, now=now, seen=seen)
    except Conflict:  # what it saw is not how it stands any more; it looks again
        return None


def judge_with(checker: Checker) -> Judge:
    """What a checker makes of claims by the words and tables shown with them, and nothing else."""

    def judge(claims: Sequence[ShownClaim]) -> list[Scores]:
        pairs = [(claim.text, [_as_evidence(claim.page, hint.piece) for hint in claim.hints]) for claim in claims]
        return [verdict.scores for verdict in checker.judge(pairs)]

    return judge


def _as_evidence(title: str, piece: EvidencePiece) -> dict[str, Any]:
    """A piece as the checker reads it; rows under a header as a table, which it can compute with."""
    header, *rows = piece.rows or ((),)
    if not rows or not all(cell.is_header for cell in header):
        return {"title": title, "text": piece.text}
    cells = [[cell.text for cell in row] for row in rows]
    table = {"header": [cell.text for cell in header], "rows": cells, "caption": piece.caption}
    return {"title": title, "table": table}
