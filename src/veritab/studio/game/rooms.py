"""Rooms: several people on one pair of claims at the same time, and the checker beside them where they want it.

Everybody in a room has a round of their own, by the rules of any other. What the others see of it is how many hints
were bought and whether it is over; how it ended is told when all are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import floor
from random import Random
from typing import NamedTuple

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session

from veritab.errors import Conflict, NotAllowed, NotFound, short_repr
from veritab.studio.game.games import game_of, rules_of
from veritab.studio.game.players import refuse_idle
from veritab.studio.game.playing import ClaimPair, deal_round, draw_pair
from veritab.studio.game.records import GameClaimRecord, GameRoomRecord, GameRoundRecord, GameSeatRecord
from veritab.studio.game.rounds import RoundOutcome, RoundSetup
from veritab.studio.game.views import awaited_rooms
from veritab.studio.game.vocabulary import RoomState
from veritab.studio.projects import refuse_closed
from veritab.studio.records import AccountRecord, ProjectRecord

CODE_LETTERS = "BCDFGHJKMNPQRTVWXZ"
"""No vowels, so that a code spells nothing, and none that looks like another letter or a digit."""
CODE_LENGTH = 6
CHECKER_NAME = "the checker"
WAITING_SECONDS = 12 * 3600.0
"""How long a room waits for its host before it ends by itself."""


# -- coming and going --------------------------------------------------------------------------------------


def make_room(
    session: Session,
    project: ProjectRecord,
    account_id: int,
    topic: str,
    *,
    with_checker: bool = False,
    rng: Random,
    now: float,
) -> GameRoomRecord:
    """A room that waits for people, its host the first of them."""
    game_of(session, project)
    refuse_idle(session, project, account_id)
    room = GameRoomRecord(
        project_id=project.id,
        code=_draw_code(session, rng),
        host_id=account_id,
        topic=topic,
        with_checker=with_checker,
        state=RoomState.WAITING.value,
        made_at=now,
    )
    session.add(room)
    session.flush()
    _take_seat(session, room, account_id, now)
    return room


def _draw_code(session: Session, rng: Random) -> str:
    while True:
        code = "".join(rng.choices(CODE_LETTERS, k=CODE_LENGTH))
        if session.scalar(select(GameRoomRecord.id).where(GameRoomRecord.code == code)) is None:
            return code


def find_room(session: Session, project: ProjectRecord, code: str) -> GameRoomRecord:
    """A room of a game by what somebody typed or opened."""
    wanted = "".join(code.split()).replace("-", "").upper()
    room = session.scalar(
        select(GameRoomRecord).where(GameRoomRecord.project_id == project.id, GameRoomRecord.code == wanted)
    )
    if room is None:
        raise NotFound(f"there is no room {short_repr(code)} in this game; a code has {CODE_LENGTH} letters")
    return room


def sit_down(session: Session, room: GameRoomRecord, account_id: int, *, now: float) -> GameSeatRecord:
    """Take a seat, which changes nothing where one has it; whoever waits in another room leaves that one."""
    _lock(session, room)
    own = _seat_of(session, room, account_id)
    if own is not None and own.left_at is None:
        return own
    if room.state != RoomState.WAITING:
        over = "is over" if room.state == RoomState.OVER else "has begun to play"
        raise Conflict(f"room {room.code} {over}; make another one, or ask for the code of the next")
    project = session.get_one(ProjectRecord, room.project_id)
    refuse_idle(session, project, account_id)
    most = rules_of(session, project).room_seats
    if len(_present(session, room)) >= most:
        raise Conflict(f"room {room.code} is full: {most} people are in it; make another one")
    return _take_seat(session, room, account_id, now)


def _take_seat(session: Session, room: GameRoomRecord, account_id: int, now: float) -> GameSeatRecord:
    waiting = (
        select(GameRoomRecord)
        .join(GameSeatRecord, GameSeatRecord.room_id == GameRoomRecord.id)
        .where(
            GameSeatRecord.account_id == account_id,
            GameSeatRecord.left_at.is_(None),
            GameRoomRecord.project_id == room.project_id,
            GameRoomRecord.state == RoomState.WAITING,
            GameRoomRecord.id != room.id,
        )
        .order_by(GameRoomRecord.id)
    )
    for other in session.scalars(waiting).all():
        stand_up(session, other, account_id, now=now)
    seat = _seat_of(session, room, account_id)
    if seat is None:
        seat = GameSeatRecord(room_id=room.id, account_id=account_id, sat_at=now)
        session.add(seat)
    seat.sat_at, seat.left_at = now, None
    session.flush()
    return seat


def stand_up(session: Session, room: GameRoomRecord, account_id: int, *, now: float) -> None:
    """Leave a room: the next in it becomes its host, and it ends with the last.

    One's round goes on by its clock, but without points: the others do not wait for it, and are told before it is over
    what was so.
    """
    _open_round_of(session, room, account_id)  # locked before the room, as where time has run out for both
    _lock(session, room)
    seat = _seat_of(session, room, account_id)
    if seat is None or seat.left_at is not None:
        return
    seat.left_at = now
    if going := _open_round_of(session, room, account_id):
        going.setup = {**going.setup, "counts": False}
    session.flush()
    left = _present(session, room)
    if not left:
        _end(room, now)
    elif room.host_id == account_id:
        room.host_id = left[0].account_id
    session.flush()


def _lock(session: Session, room: GameRoomRecord) -> None:
    """Keep others out of a room until this transaction is over, and see what they did before."""
    session.refresh(room, with_for_update=True)


def _seat_of(session: Session, room: GameRoomRecord, account_id: int) -> GameSeatRecord | None:
    return session.scalar(
        select(GameSeatRecord).where(GameSeatRecord.room_id == room.id, GameSeatRecord.account_id == account_id)
    )


def _open_round_of(session: Session, room: GameRoomRecord, account_id: int) -> GameRoundRecord | None:
    """What somebody plays in a room and has not ended, locked."""
    return session.scalar(
        select(GameRoundRecord)
        .where(
            GameRoundRecord.room_id == room.id,
            GameRoundRecord.account_id == account_id,
            GameRoundRecord.outcome == RoundOutcome.OPEN,
        )
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    )


def _present(session: Session, room: GameRoomRecord) -> Sequence[GameSeatRecord]:
    """Who is in a room, in the order they came."""
    return session.scalars(
        select(GameSeatRecord)
        .where(GameSeatRecord.room_id == room.id, GameSeatRecord.left_at.is_(None))
        .order_by(GameSeatRecord.sat_at, GameSeatRecord.id)
    ).all()


def _end(room: GameRoomRecord, now: float) -> None:
    if room.state != RoomState.OVER:
        room.state, room.ended_at = RoomState.OVER.value, now


# -- playing -----------------------------------------------------------------------------------------------


def start_room(
    session: Session, room: GameRoomRecord, account_id: int, *, rng: Random, digest: str, now: float
) -> list[GameRoundRecord]:
    """Put one pair of claims before everybody in a room, at the same moment; only its host begins.

    None of them wrote either claim. Where there is no pair that is new to all, it is to some, and the others play
    without points.
    """
    _lock(session, room)
    if room.host_id != account_id:
        raise NotAllowed(f"the host of room {room.code} begins the round; wait for them")
    if room.state != RoomState.WAITING:
        raise Conflict(f"room {room.code} has begun already")
    people = sorted(seat.account_id for seat in _present(session, room))
    if len(people) + room.with_checker < 2:
        raise Conflict("nobody else is in this room yet; send them the code, or play against the checker")
    project = session.get_one(ProjectRecord, room.project_id)
    refuse_closed(project)
    pair = _draw_for_all(session, project, people, room.topic, rng, digest)
    players: list[int | None] = [*people, *([None] if room.with_checker else [])]
    room.state, room.started_at = RoomState.PLAYING.value, now
    room.left_id, room.right_id = pair.left.id, pair.right.id
    session.flush()
    return [deal_round(session, project, who, pair, topic=room.topic, now=now, room_id=room.id) for who in players]


def _draw_for_all(
    session: Session, project: ProjectRecord, people: Sequence[int], topic: str, rng: Random, digest: str
) -> ClaimPair:
    refusal: Conflict | None = None
    tries = [(people[0], True), *((who, False) for who in people)] if len(people) > 1 else [(people[0], False)]
    for who, new_to_all in tries:
        others = [each for each in people if each != who]
        try:
            return draw_pair(session, project, who, topic, rng=rng, digest=digest, beside=others, new_to_all=new_to_all)
        except Conflict as error:
            refusal = error
    assert refusal
    raise refusal


def play_again(session: Session, room: GameRoomRecord, account_id: int, *, rng: Random, now: float) -> GameRoomRecord:
    """The room after this one: whoever asks first makes it and is its host, the others come along."""
    _lock(session, room)
    if _seat_of(session, room, account_id) is None:
        raise NotAllowed(f"only those who were in room {room.code} go on from there")
    if room.state == RoomState.WAITING:
        raise Conflict(f"room {room.code} has not played yet")
    after = session.scalar(select(GameRoomRecord).where(GameRoomRecord.after_id == room.id))
    if after is not None:
        sit_down(session, after, account_id, now=now)
        return after
    project = session.get_one(ProjectRecord, room.project_id)
    made = make_room(session, project, account_id, room.topic, with_checker=room.with_checker, rng=rng, now=now)
    made.after_id = room.id
    session.flush()
    return made


def end_rooms(session: Session, *, now: float) -> int:
    """Note which rooms are over: those all of whose rounds are, and those that waited for too long."""
    ended = session.execute(
        update(GameRoomRecord)
        .where(_is_over(now))
        .values(state=RoomState.OVER.value, ended_at=now)
        .execution_options(synchronize_session=False)
        .returning(GameRoomRecord.id)
    )
    return len(ended.all())


def are_rooms_over(session: Session, *, now: float) -> bool:
    """Whether there is anything for `end_rooms` to note."""
    return session.scalar(select(GameRoomRecord.id).where(_is_over(now)).limit(1)) is not None


def _is_over(now: float) -> ColumnElement[bool]:
    played = (GameRoomRecord.state == RoomState.PLAYING) & GameRoomRecord.id.not_in(awaited_rooms())
    forgotten = (GameRoomRecord.state == RoomState.WAITING) & (GameRoomRecord.made_at < now - WAITING_SECONDS)
    return played | forgotten


# -- what is seen ------------------------------------------------------------------------------------------


class SeatView(NamedTuple):
    """Somebody in a room, as all others may see them."""

    account_id: int | None
    """Nobody's where it is the checker."""
    name: str
    is_here: bool = True
    hints: int = 0
    """How many were bought, not which."""
    is_done: bool = False
    round_id: int | None = None
    """For whoever's it is; nobody else finds it."""


class SeatResult(NamedTuple):
    """What came of somebody's round."""

    account_id: int | None
    name: str
    outcome: RoundOutcome
    hints: int
    seconds_left: int
    points: int
    counts: bool
    """Whether there were points to be had."""


class RevealedLine(NamedTuple):
    """One of the claims that a room played, when it is over."""

    text: str
    truth: bool


@dataclass(frozen=True)
class RoomView:
    """What may be sent of a room: nothing of how a round ended before all of them have."""

    id: int
    code: str
    topic: str
    state: RoomState
    host_id: int
    with_checker: bool
    most_seats: int
    seats: tuple[SeatView, ...]
    results: tuple[SeatResult, ...] = ()
    """Best first; none before everybody is done."""
    claims: tuple[RevealedLine, ...] = ()
    """The left and the right one, when everybody is done."""
    next_code: str = ""
    """The room in which some of these people play again."""
    next_host: str = ""

    @property
    def version(self) -> str:
        """What tells one look at a room from another."""
        return sha256(repr(self).encode()).hexdigest()[:16]

    @property
    def people(self) -> int:
        """How many are in it, the checker not among them."""
        return sum(seat.is_here and seat.account_id is not None for seat in self.seats)

    @property
    def can_start(self) -> bool:
        return self.state is RoomState.WAITING and len(self.seats) > 1

    def seat_of(self, account_id: int) -> SeatView | None:
        """Somebody's own seat."""
        return next((seat for seat in self.seats if seat.account_id == account_id and seat.is_here), None)

    def seen_by(self, account_id: int) -> RoomView:
        """The same for one person: how it ended is told to those who have played it to their end."""
        own = next((seat for seat in self.seats if seat.account_id == account_id and seat.round_id), None)
        if own is not None and own.is_done:
            return self
        plays = own is not None and self.state is RoomState.OVER
        return replace(self, results=(), claims=(), state=RoomState.PLAYING if plays else self.state)


def tell_winner(view: RoomView, account_id: int) -> str:
    """Who was best, said to one of them."""
    best = view.results[0] if view.results and view.results[0].outcome is RoundOutcome.SPOTTED else None
    if best is None:
        return "Nobody spotted the false claim."
    alone = view.with_checker and view.people == 1
    if best.account_id == account_id:
        return "You beat the checker." if alone else "You won."
    if best.account_id is None:
        return "The checker beat you." if alone else "The checker won."
    return f"{best.name} won."


def tell_changes(before: RoomView, after: RoomView) -> list[str]:
    """What happened in a room between two looks, a sentence each."""
    told = []
    known = {seat.account_id: seat for seat in before.seats if seat.is_here}
    for seat in after.seats:
        was = known.get(seat.account_id)
        if was is None and seat.is_here:
            told.append(f"{seat.name} has come in.")
        elif was and not seat.is_here:
            told.append(f"{seat.name} has left.")
        if was and seat.hints > was.hints:
            told.append(f"{seat.name} asked for a hint.")
        if was and seat.is_done and not was.is_done:
            told.append(f"{seat.name} is done.")
    there = {seat.account_id for seat in after.seats}
    told += [f"{seat.name} has left." for account_id, seat in known.items() if account_id not in there]
    if before.state is RoomState.WAITING and after.state is RoomState.PLAYING:
        told.append("The round has begun.")
    if after.results and not before.results:
        told.append("Everybody is done.")
    if after.next_code and not before.next_code:
        told.append(f"{after.next_host} plays again.")
    return [f"{each[0].upper()}{each[1:]}" if each.startswith(CHECKER_NAME) else each for each in told]


def room_view(session: Session, room: GameRoomRecord, account_id: int, *, now: float) -> RoomView:
    """A room as somebody may see it."""
    return watch_room(session, room.id).seen_by(account_id)


def watch_room(session: Session, room_id: int) -> RoomView:
    """A room as all in it may see it."""
    room = session.get_one(GameRoomRecord, room_id)
    project = session.get_one(ProjectRecord, room.project_id)
    people = session.execute(
        select(GameSeatRecord, AccountRecord.name)
        .join(AccountRecord, AccountRecord.id == GameSeatRecord.account_id)
        .where(GameSeatRecord.room_id == room.id)
        .order_by(GameSeatRecord.sat_at, GameSeatRecord.id)
    ).all()
    rounds = {
        each.account_id: each
        for each in session.scalars(select(GameRoundRecord).where(GameRoundRecord.room_id == room.id))
    }
    seats = [
        _seat_view(seat.account_id, name, seat.left_at is None, rounds.get(seat.account_id))
        for seat, name in people
        if seat.left_at is None or seat.account_id in rounds
    ]
    if room.with_checker:
        seats.append(_seat_view(None, CHECKER_NAME, True, rounds.get(None)))
    after = session.execute(
        select(GameRoomRecord.code, AccountRecord.name)
        .join(AccountRecord, AccountRecord.id == GameRoomRecord.host_id)
        .where(GameRoomRecord.after_id == room.id, GameRoomRecord.state == RoomState.WAITING)
    ).first()
    all_done = bool(rounds) and all(seat.is_done for seat in seats if seat.is_here)
    return RoomView(
        id=room.id,
        code=room.code,
        topic=room.topic,
        state=RoomState.OVER if all_done else RoomState(room.state),
        host_id=room.host_id,
        with_checker=room.with_checker,
        most_seats=rules_of(session, project).room_seats,
        seats=tuple(seats),
        results=_results(seats, rounds) if all_done else (),
        claims=_reveal(session, room) if all_done else (),
        next_code=after[0] if after else "",
        next_host=after[1] if after else "",
    )


def _seat_view(account_id: int | None, name: str, is_here: bool, own: GameRoundRecord | None) -> SeatView:
    if own is None:
        return SeatView(account_id, name, is_here)
    hints = own.left_hints + own.right_hints
    return SeatView(account_id, name, is_here, hints, own.outcome != RoundOutcome.OPEN, own.id)


def _reveal(session: Session, room: GameRoomRecord) -> tuple[RevealedLine, ...]:
    played = [session.get_one(GameClaimRecord, id) for id in (room.left_id, room.right_id) if id is not None]
    return tuple(RevealedLine(claim.text, claim.truth) for claim in played)


def _results(seats: Sequence[SeatView], rounds: dict[int | None, GameRoundRecord]) -> tuple[SeatResult, ...]:
    found = []
    for seat in seats:
        own = rounds.get(seat.account_id)
        if own is None or not seat.is_done:  # whoever left in the middle may still be at it
            continue
        left = max(own.deadline - (own.ended_at or own.deadline), 0.0)
        counts = RoundSetup.parse(own.setup).counts
        outcome = RoundOutcome(own.outcome)
        found.append(SeatResult(seat.account_id, seat.name, outcome, seat.hints, floor(left), own.points, counts))
    return tuple(sorted(found, key=lambda each: (each.outcome is not RoundOutcome.SPOTTED, -each.seconds_left)))
