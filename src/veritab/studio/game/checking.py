"""Is everything in a game as its moves say: every round is rebuilt, tallies and points are counted again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from veritab.errors import Conflict, InputError, short_repr
from veritab.studio.game.counting import ClaimTally, imported_tally, points_due, tally_of
from veritab.studio.game.moves import columns_of
from veritab.studio.game.pairing import ClaimPair
from veritab.studio.game.records import (
    GameClaimRecord,
    GameMeetingRecord,
    GameMoveRecord,
    GamePointRecord,
    GameReportRecord,
    GameRoundRecord,
    GameWritingRecord,
)
from veritab.studio.game.rounds import Move, Round, RoundMove, RoundOutcome, RoundSetup, Side, replay
from veritab.studio.game.vocabulary import GameClaimState, PointKind, WritingState
from veritab.studio.problems import StudioProblem
from veritab.studio.records import ProjectRecord

_AT_ONCE = 200
_Got: TypeAlias = tuple[int, int, str, int, int | None]
"""Points in the ledger: project, account, kind, how many, claim."""
_ENDS = frozenset({Move.VOTE, Move.EXPIRE, Move.REPORT})


def check_game(session: Session, project: ProjectRecord) -> Iterator[StudioProblem]:
    """Everything in a game that does not fit; nothing where all is well."""
    tallies = defaultdict[int, ClaimTally](ClaimTally)
    last = 0
    of_game = select(GameRoundRecord).where(GameRoundRecord.project_id == project.id).order_by(GameRoundRecord.id)
    while records := session.scalars(of_game.where(GameRoundRecord.id > last).limit(_AT_ONCE)).all():
        last = records[-1].id
        yield from _check_rounds(session, records, tallies)
    yield from _check_open_rounds(session, project)
    yield from _check_claims(session, project, tallies)
    yield from _check_writing(session, project)


# -- rounds ------------------------------------------------------------------------------------------------


def _check_rounds(
    session: Session, records: Sequence[GameRoundRecord], tallies: dict[int, ClaimTally]
) -> Iterator[StudioProblem]:
    ids = [record.id for record in records]
    moves = defaultdict[int, list[GameMoveRecord]](list)
    made = select(GameMoveRecord).where(GameMoveRecord.round_id.in_(ids))
    for move in session.scalars(made.order_by(GameMoveRecord.round_id, GameMoveRecord.sequence)):
        moves[move.round_id].append(move)
    points = defaultdict[int | None, Counter[_Got]](Counter)
    for row in session.scalars(select(GamePointRecord).where(GamePointRecord.round_id.in_(ids))):
        points[row.round_id][row.project_id, row.account_id, row.kind, row.points, row.claim_id] += 1
    claims = {
        claim.id: claim
        for claim in session.scalars(
            select(GameClaimRecord).where(
                GameClaimRecord.id.in_({id for record in records for id in (record.left_id, record.right_id)})
            )
        )
    }
    met = _meetings(session, ids)
    for record in records:
        pair = ClaimPair(claims[record.left_id], claims[record.right_id])
        found = list(_check_moves(record, moves[record.id]))
        try:
            round = replay(RoundSetup.parse(record.setup), _read(moves[record.id]))
        except (Conflict, InputError, LookupError, ValueError) as error:
            found.append(f"it cannot be rebuilt from its moves: {error}")
        else:
            found += _check_row(record, round, moves[record.id])
            found += _check_people(record, round, pair, met)
            due = Counter[_Got]((record.project_id, *each) for each in points_due(record, round, pair))
            found += _check_points(points[record.id], due)
            for side, claim in zip(Side, pair, strict=True):
                tallies[claim.id] = tallies[claim.id].plus(tally_of(record, round, side))
        yield from (StudioProblem(f"round {record.id}", what) for what in found)


def _meetings(session: Session, ids: Sequence[int]) -> set[tuple[int, int]]:
    """Who has met which of the claims of some rounds."""
    of_round = and_(
        GameMeetingRecord.account_id == GameRoundRecord.account_id,
        GameMeetingRecord.claim_id.in_((GameRoundRecord.left_id, GameRoundRecord.right_id)),
    )
    rows = session.execute(
        select(GameMeetingRecord.account_id, GameMeetingRecord.claim_id)
        .join(GameRoundRecord, of_round)
        .where(GameRoundRecord.id.in_(ids))
    )
    return {(account, claim) for account, claim in rows}


def _read(moves: Sequence[GameMoveRecord]) -> list[RoundMove]:
    return [RoundMove(Move(each.move), each.at, each.value) for each in moves]


def _check_moves(record: GameRoundRecord, moves: Sequence[GameMoveRecord]) -> Iterator[str]:
    numbers = [move.sequence for move in moves]
    if numbers != [*range(1, len(numbers) + 1)]:
        hole = next(number for number, found in enumerate([*numbers, 0], 1) if found != number)
        yield f"move {hole} is missing"
    if record.moves != len(moves):
        yield f"it counts {record.moves} moves, and there are {len(moves)}"


def _check_row(record: GameRoundRecord, round: Round, moves: Sequence[GameMoveRecord]) -> Iterator[str]:
    ended_at = next((move.at for move in moves if move.move in _ENDS), None)
    for name, rebuilt in {**columns_of(round), "ended_at": ended_at}.items():
        kept = getattr(record, name)
        if kept != rebuilt:
            yield f"its {name.replace('_', ' ')} is {short_repr(kept)}, and its moves say {short_repr(rebuilt)}"


def _check_people(record: GameRoundRecord, round: Round, pair: ClaimPair, met: set[tuple[int, int]]) -> Iterator[str]:
    if record.left_id == record.right_id or {claim.project_id for claim in pair} != {record.project_id}:
        yield "its claims are not two of this game"
    if record.account_id is None or record.is_practice:
        return
    if round.setup.counts and record.account_id in {claim.author_id for claim in pair}:
        yield "it counts, and its voter wrote one of the claims"
    if not all((record.account_id, claim.id) in met for claim in pair):
        yield "that its voter has met both claims is not noted"


def _check_points(kept: Counter[_Got], due: Counter[_Got]) -> Iterator[str]:
    for _, account, kind, points, claim in kept - due:
        yield f"account {account} got {points} points for {kind} and claim {claim}, which its moves do not give"
    for _, account, kind, points, claim in due - kept:
        yield f"account {account} did not get {points} points for {kind} and claim {claim}"


def _check_open_rounds(session: Session, project: ProjectRecord) -> Iterator[StudioProblem]:
    rows = session.execute(
        select(GameRoundRecord.account_id, func.count())
        .where(
            GameRoundRecord.project_id == project.id,
            GameRoundRecord.account_id.is_not(None),
            GameRoundRecord.outcome == RoundOutcome.OPEN.value,
            GameRoundRecord.room_id.is_(None),
        )
        .group_by(GameRoundRecord.account_id, GameRoundRecord.is_practice)
        .having(func.count() > 1)
    )
    for account, count in rows:
        yield StudioProblem(f"account {account}", f"{count} rounds are open at once")


# -- claims ------------------------------------------------------------------------------------------------


def _check_claims(
    session: Session, project: ProjectRecord, tallies: Mapping[int, ClaimTally]
) -> Iterator[StudioProblem]:
    waiting = set(
        session.scalars(
            select(GameReportRecord.claim_id).where(
                GameReportRecord.project_id == project.id, GameReportRecord.ended_at.is_(None)
            )
        )
    )
    claim = GameClaimRecord
    rows = session.execute(
        select(claim.id, claim.state, claim.source, claim.votes, claim.right_votes, claim.likes)
        .where(claim.project_id == project.id)
        .order_by(claim.id)
        .execution_options(yield_per=1000)
    )
    with rows:
        for id, state, source, *kept in rows:
            for what in _check_claim(state, id in waiting):
                yield StudioProblem(f"claim {id}", what)
            counted = imported_tally(source).plus(tallies.get(id, ClaimTally()))
            for name, has, rounds in zip(ClaimTally._fields, kept, counted, strict=True):
                if has != rounds:
                    told = f"it has {has} {name.replace('_', ' ')}, and its rounds come to {rounds}"
                    yield StudioProblem(f"claim {id}", told)


def _check_claim(state: str, is_reported: bool) -> Iterator[str]:
    if state not in set(GameClaimState):
        yield f"the state {short_repr(state)} is unknown"
    if state == GameClaimState.PLAYING and is_reported:
        yield "it is played, and has a report that waits"


def _check_writing(session: Session, project: ProjectRecord) -> Iterator[StudioProblem]:
    """Claims that were written have an author who was asked for them, and got the points for each once."""
    writing, claim, points = GameWritingRecord, GameClaimRecord, GamePointRecord
    published = (
        select(writing.id, claim.id)
        .outerjoin(claim, and_(claim.id == writing.claim_id, claim.author_id == writing.account_id))
        .where(writing.project_id == project.id, writing.state == WritingState.PUBLISHED.value, claim.id.is_(None))
    )
    for id, _ in session.execute(published):
        yield StudioProblem(f"writing {id}", "it is published, and its author has no claim of it")
    got = (
        select(points.account_id, points.claim_id, points.kind, func.count(), func.max(claim.author_id))
        .outerjoin(claim, claim.id == points.claim_id)
        .where(points.project_id == project.id, points.round_id.is_(None))
        .group_by(points.account_id, points.claim_id, points.kind)
    )
    for account, claim_id, kind, times, author in session.execute(got):
        if kind != PointKind.WRITING or author != account or times > 1:
            told = f"it got points for {kind} and claim {claim_id} {times} times, without a round"
            yield StudioProblem(f"account {account}", told)
