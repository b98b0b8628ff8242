"""Playing: rounds begin, hints are bought, votes are cast, and what follows from them is counted.

Every function that changes a round locks it first, so that two tabs of one person follow each other: a vote that is
sent twice is one vote. Rows are locked in one order, membership, round, claims by number, so that nobody waits in a
circle. Whose time has run out is told so by the round they get, not by a refusal.
"""

from __future__ import annotations

from random import Random

from sqlalchemy import select
from sqlalchemy.orm import Session

from veritab.errors import Conflict, InputError, NotFound, short_repr
from veritab.studio.database import can_write, find_numbered
from veritab.studio.game.checking import check_game
from veritab.studio.game.counting import is_counted, points_due, tally_of
from veritab.studio.game.games import rules_of
from veritab.studio.game.moves import append_moves, columns_of, round_of
from veritab.studio.game.pairing import ClaimPair, draw_pair
from veritab.studio.game.players import refuse_idle
from veritab.studio.game.records import (
    GameClaimRecord,
    GameMeetingRecord,
    GamePointRecord,
    GameReportRecord,
    GameRoundRecord,
)
from veritab.studio.game.rounds import (
    NOT_SURE,
    Move,
    Round,
    RoundMove,
    RoundOutcome,
    RoundSetup,
    Side,
    make_move,
    open_round,
)
from veritab.studio.game.rules import Rules
from veritab.studio.game.standing import (
    News,
    PlayedClaim,
    PlayerStanding,
    leaderboard,
    my_claims,
    news_of,
    standing_of,
)
from veritab.studio.game.turns import PlayerRole, role_due
from veritab.studio.game.views import RevealView, VoterView, view_of
from veritab.studio.game.vocabulary import ClaimFault, GameClaimState
from veritab.studio.records import MembershipRecord, ProjectRecord
from veritab.text import nfc, printable

__all__ = [
    "ClaimPair",
    "News",
    "PlayedClaim",
    "PlayerRole",
    "PlayerStanding",
    "RevealView",
    "VoterView",
    "begin_practice",
    "begin_round",
    "buy_hint",
    "cast_vote",
    "check_game",
    "deal_round",
    "draw_pair",
    "expire_due",
    "find_round",
    "leaderboard",
    "like_claim",
    "my_claims",
    "news_of",
    "report_claim",
    "role_due",
    "round_of",
    "standing_of",
    "view_of",
]

LONGEST_NOTE = 2000
_LIKES = (*(side.value for side in Side), NOT_SURE)


# -- rounds begin ------------------------------------------------------------------------------------------


def begin_round(
    session: Session,
    project: ProjectRecord,
    account_id: int,
    topic: str,
    *,
    rng: Random,
    digest: str,
    now: float,
    can_write: bool = True,
) -> GameRoundRecord:
    """Two claims of a topic, or of any, for somebody; their open round where they have one.

    A Conflict where it is their turn to write and they can, or there are no claims that they have not met.
    """
    refuse_idle(session, project, account_id)
    _lock_player(session, project, account_id)
    if going := _open_round_of(session, project, account_id, is_practice=False, now=now):
        return going
    if can_write and role_due(session, project, account_id, now=now, digest=digest) is PlayerRole.WRITE:
        raise Conflict("writing and voting take turns in this game, and it is your turn to write; write a claim first")
    pair = draw_pair(session, project, account_id, topic, rng=rng, digest=digest)
    return deal_round(session, project, account_id, pair, topic=topic, now=now)


def begin_practice(
    session: Session, project: ProjectRecord, account_id: int, *, rng: Random, now: float
) -> GameRoundRecord:
    """The round of the tutorial, which counts for nothing."""
    _lock_player(session, project, account_id)
    if going := _open_round_of(session, project, account_id, is_practice=True, now=now):
        return going
    claims = select(GameClaimRecord).where(
        GameClaimRecord.project_id == project.id, GameClaimRecord.state == GameClaimState.PRACTICE.value
    )
    pair = list(session.scalars(claims.order_by(GameClaimRecord.id).limit(2)))
    if len(pair) < 2:
        raise NotFound(f"game {project.name!r} has no claims to practise with")
    rng.shuffle(pair)
    return deal_round(session, project, account_id, ClaimPair(*pair), topic="", now=now, is_practice=True)


def deal_round(
    session: Session,
    project: ProjectRecord,
    account_id: int | None,
    pair: ClaimPair,
    *,
    topic: str,
    now: float,
    room_id: int | None = None,
    is_practice: bool = False,
) -> GameRoundRecord:
    """Put two claims before somebody, or before the checker; the clock begins.

    It scores nothing where they have met one of the claims before, or wrote it. Whoever deals to several people does so
    in the order of their numbers.
    """
    new = list[GameClaimRecord]()
    if account_id is not None:
        _lock_player(session, project, account_id)
        new = [] if is_practice else _not_met(session, account_id, pair)
    rules = rules_of(session, project)
    counts = len(new) == 2 and all(claim.author_id != account_id for claim in new)
    setup = RoundSetup(rules, pair.false_side, (_hints_of(pair.left, rules), _hints_of(pair.right, rules)), counts)
    opened = open_round(setup, now)
    record = GameRoundRecord(
        project_id=project.id,
        account_id=account_id,
        room_id=room_id,
        topic=topic,
        left_id=pair.left.id,
        right_id=pair.right.id,
        setup=setup.as_dict(),
        is_practice=is_practice,
        moves=0,
        **columns_of(opened),
    )
    session.add(record)
    session.flush()
    session.add_all(
        GameMeetingRecord(account_id=account_id, claim_id=claim.id, round_id=record.id)
        for claim in sorted(new, key=lambda claim: claim.id)
    )
    append_moves(session, record, [RoundMove(Move.OPEN, now)], opened)
    return record


def _lock_player(session: Session, project: ProjectRecord, account_id: int) -> None:
    """Let whatever else somebody begins in a game wait until the transaction ends."""
    session.flush()
    of = (MembershipRecord.project_id == project.id, MembershipRecord.account_id == account_id)
    if session.scalar(select(MembershipRecord.id).where(*of).with_for_update()) is None:
        raise NotFound(f"there is no project {project.name!r}")


def _open_round_of(
    session: Session, project: ProjectRecord, account_id: int, *, is_practice: bool, now: float
) -> GameRoundRecord | None:
    """The round that somebody goes on with; one of a room they go on with there."""
    query = select(GameRoundRecord).where(
        GameRoundRecord.project_id == project.id,
        GameRoundRecord.account_id == account_id,
        GameRoundRecord.outcome == RoundOutcome.OPEN.value,
        GameRoundRecord.room_id.is_(None),
        GameRoundRecord.is_practice.is_(is_practice),
    )
    for record in session.scalars(query.order_by(GameRoundRecord.id)).all():
        if _expire(session, record, now).is_open:
            return record
    return None


def _not_met(session: Session, account_id: int, pair: ClaimPair) -> list[GameClaimRecord]:
    met = select(GameMeetingRecord.claim_id).where(
        GameMeetingRecord.account_id == account_id, GameMeetingRecord.claim_id.in_([claim.id for claim in pair])
    )
    known = set(session.scalars(met))
    return [claim for claim in pair if claim.id not in known]


def _hints_of(claim: GameClaimRecord, rules: Rules) -> int:
    return min(len(claim.hints["pieces"]), rules.hints) + len(claim.gold["pieces"])


# -- rounds are found, and end -----------------------------------------------------------------------------


def find_round(
    session: Session, project: ProjectRecord, round_id: int, account_id: int, *, now: float | None = None
) -> GameRoundRecord:
    """Somebody's own round in a game; everybody else's is not there.

    With a time, and where something may be changed, one whose time has run out is noted as such.
    """
    found = find_numbered(session, GameRoundRecord, round_id)
    if found is None or found.account_id != account_id or found.project_id != project.id:
        raise NotFound(f"you have no round {round_id} in game {project.name!r}")
    if now is not None and found.outcome == RoundOutcome.OPEN and now >= found.deadline and can_write(session):
        _expire(session, found, now)
    return found


def expire_due(session: Session, *, now: float, limit: int = 1000) -> int:
    """Note the rounds of all games whose time has run out; how many there were."""
    due = (
        select(GameRoundRecord)
        .where(GameRoundRecord.outcome == RoundOutcome.OPEN.value, GameRoundRecord.deadline <= now)
        .order_by(GameRoundRecord.deadline)
        .limit(limit)
        .with_for_update(skip_locked=True, key_share=True)
        .execution_options(populate_existing=True)
    )
    return sum(not _expire(session, record, now).is_open for record in session.scalars(due).all())


def _expire(session: Session, record: GameRoundRecord, now: float) -> Round:
    """A round, locked, that has ended if its time is over; it ended at its deadline, whoever looks when."""
    round = _lock(session, record)
    return _note(session, record, round, RoundMove(Move.EXPIRE, round.deadline)) if round.is_due(now) else round


def _lock(session: Session, record: GameRoundRecord) -> Round:
    session.flush()
    session.refresh(record, with_for_update={"key_share": True})
    return round_of(session, record)


def _note(session: Session, record: GameRoundRecord, round: Round, made: RoundMove) -> Round:
    """The round after a move, which is kept."""
    after = make_move(round, made)
    if round.is_open and not after.is_open:
        record.ended_at = after.now
    append_moves(session, record, [made], after)
    return after


# -- moves -------------------------------------------------------------------------------------------------


def buy_hint(session: Session, record: GameRoundRecord, side: Side, *, now: float, seen: int | None = None) -> Round:
    """The next hint of a claim. `seen` is how many the voter had when asking: what is sent twice buys one."""
    round = _expire(session, record, now)
    if round.outcome is RoundOutcome.TIMED_OUT or (seen is not None and round.is_open and round.hints_of(side) > seen):
        return round
    return _note(session, record, round, RoundMove(Move.HINT, max(now, round.now), side.value))


def cast_vote(session: Session, record: GameRoundRecord, side: Side, *, now: float) -> Round:
    """Call one of the claims false. Points and tallies follow; the same vote again is the same round."""
    round = _expire(session, record, now)
    if round.outcome is RoundOutcome.TIMED_OUT or round.choice is side:
        return round
    after = _note(session, record, round, RoundMove(Move.VOTE, max(now, round.now), side.value))
    _count(session, record, round, after)
    return after


def like_claim(session: Session, record: GameRoundRecord, choice: str, *, now: float) -> Round:
    """Say which claim was the more interesting one, a side or `NOT_SURE`; its author gets the points for it."""
    if choice not in _LIKES:
        raise InputError(f"{short_repr(choice)} cannot be liked; expected one of {', '.join(_LIKES)}")
    round = _expire(session, record, now)
    if round.liked == choice:
        return round
    after = _note(session, record, round, RoundMove(Move.LIKE, max(now, round.now), choice))
    _count(session, record, round, after)
    return after


def report_claim(
    session: Session, record: GameRoundRecord, side: Side, *, reason: ClaimFault, note: str = "", now: float
) -> Round:
    """Say that a claim should not be played: it rests until somebody has reviewed it."""
    note = nfc(printable(note)).strip()
    if reason is ClaimFault.OTHER and not note:
        raise InputError("say in a sentence what is wrong with the claim")
    if len(note) > LONGEST_NOTE:
        raise InputError(f"the note has {len(note):,} characters; at most {LONGEST_NOTE:,}")
    round = _expire(session, record, now)
    if round.reported is side:
        return round
    after = _note(session, record, round, RoundMove(Move.REPORT, max(now, round.now), side.value))
    if record.is_practice or record.account_id is None:
        return after
    claim = _lock_claims(session, record)[0 if side is Side.LEFT else 1]
    if claim.state == GameClaimState.PLAYING:
        claim.state, claim.reason = GameClaimState.RESTING.value, f"reported: {reason.label.lower()}"
    session.add(
        GameReportRecord(
            project_id=record.project_id,
            claim_id=claim.id,
            round_id=record.id,
            account_id=record.account_id,
            reason=reason.value,
            note=note,
            made_at=now,
        )
    )
    session.flush()
    return after


def _count(session: Session, record: GameRoundRecord, before: Round, after: Round) -> None:
    """Add to the tallies of both claims, and to the points, what a move has changed."""
    if not is_counted(record, after):
        return
    pair = _lock_claims(session, record)
    for side, claim in zip(Side, pair, strict=True):
        more = tally_of(record, after, side).minus(tally_of(record, before, side))
        claim.votes += more.votes
        claim.right_votes += more.right_votes
        claim.likes += more.likes
    known = set(points_due(record, before, pair))
    session.add_all(
        GamePointRecord(project_id=record.project_id, round_id=record.id, at=after.now, **due._asdict())
        for due in points_due(record, after, pair)
        if due not in known
    )
    session.flush()


def _lock_claims(session: Session, record: GameRoundRecord) -> ClaimPair:
    session.flush()
    ids = (record.left_id, record.right_id)
    rows = session.scalars(
        select(GameClaimRecord)
        .where(GameClaimRecord.id.in_(ids))
        .order_by(GameClaimRecord.id)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )
    found = {claim.id: claim for claim in rows}
    return ClaimPair(found[record.left_id], found[record.right_id])
