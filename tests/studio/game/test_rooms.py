"""Rooms: who is in them, what all of them play, and what they see of each other."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from tests.studio.game.table import DIGEST, NOW, false_side, make_claim, make_claims, make_game, make_player
from tests.studio.people import make_member, make_project
from veritab.errors import Conflict, NotAllowed, NotFound
from veritab.studio.database import Database
from veritab.studio.game.playing import (
    begin_round,
    buy_hint,
    cast_vote,
    check_game,
    expire_due,
    leaderboard,
    report_claim,
    standing_of,
    view_of,
)
from veritab.studio.game.records import GameClaimRecord, GamePointRecord, GameRoomRecord, GameRoundRecord
from veritab.studio.game.rooms import (
    CHECKER_NAME,
    CODE_LENGTH,
    CODE_LETTERS,
    WAITING_SECONDS,
    end_rooms,
    find_room,
    make_room,
    play_again,
    room_view,
    sit_down,
    stand_up,
    start_room,
    tell_changes,
    watch_room,
)
from veritab.studio.game.rounds import RoundOutcome, RoundSetup, Side
from veritab.studio.game.views import RevealView, VoterView
from veritab.studio.game.vocabulary import ClaimFault, RoomState
from veritab.studio.projects import close_project
from veritab.studio.records import ProjectRecord


@pytest.fixture
def session(database: Database) -> Iterator[Session]:
    with database.writing() as opened:
        yield opened


@pytest.fixture
def game(session: Session) -> ProjectRecord:
    made = make_game(session)
    make_claims(session, made, 3)
    return made


@pytest.fixture
def people(session: Session, game: ProjectRecord) -> list[int]:
    return [make_player(session, game, name) for name in ("ann", "ben", "cleo")]


def open_room(
    session: Session, game: ProjectRecord, people: list[int], *, with_checker: bool = False, topic: str = ""
) -> GameRoomRecord:
    """A room that waits, the first of them its host."""
    room = make_room(session, game, people[0], topic, with_checker=with_checker, rng=Random(5), now=NOW)
    for number, person in enumerate(people[1:], 1):
        sit_down(session, room, person, now=NOW + number)
    return room


def start(session: Session, room: GameRoomRecord, at: float = NOW + 60) -> dict[int | None, GameRoundRecord]:
    dealt = start_room(session, room, room.host_id, rng=Random(3), digest=DIGEST, now=at)
    return {each.account_id: each for each in dealt}


def names_of(session: Session, room: GameRoomRecord) -> list[str]:
    return [seat.name.partition("-")[0] for seat in watch_room(session, room.id).seats]


# -- coming and going --------------------------------------------------------------------------------------


def test_a_room_is_found_by_its_code_however_it_is_typed(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    room = open_room(session, game, people[:1])
    assert len(room.code) == CODE_LENGTH
    assert {*room.code} <= {*CODE_LETTERS}
    assert find_room(session, game, f" {room.code[:3].lower()}-{room.code[3:]} ") is room
    with pytest.raises(NotFound, match="there is no room 'OOOOOO' in this game; a code has 6 letters"):
        find_room(session, game, "OOOOOO")
    with pytest.raises(NotFound):
        find_room(session, make_game(session, "lakes"), room.code)


def test_a_project_that_is_no_game_has_no_rooms(session: Session) -> None:
    project = make_project(session, "words")
    member = make_member(session, project, "calm-crane")
    with pytest.raises(NotFound, match="project 'words' is not a game"):
        make_room(session, project, member.account_id, "", rng=Random(1), now=NOW)


def test_no_two_rooms_have_one_code(session: Session, game: ProjectRecord, people: list[int]) -> None:
    rooms = [make_room(session, game, person, "", rng=Random(5), now=NOW) for person in people]
    assert len({room.code for room in rooms}) == 3


def test_people_sit_down_once_and_leave_again(session: Session, game: ProjectRecord, people: list[int]) -> None:
    room = open_room(session, game, people)
    sit_down(session, room, people[1], now=NOW + 9)
    assert names_of(session, room) == ["ann", "ben", "cleo"]
    stand_up(session, room, people[1], now=NOW + 10)
    stand_up(session, room, people[1], now=NOW + 11)
    assert names_of(session, room) == ["ann", "cleo"]
    sit_down(session, room, people[1], now=NOW + 12)
    assert names_of(session, room) == ["ann", "cleo", "ben"]


def test_a_room_has_as_many_seats_as_the_rules_say(session: Session, people: list[int]) -> None:
    small = make_game(session, "lakes", room_seats=2)
    three = [make_player(session, small) for _ in range(3)]
    room = open_room(session, small, three[:2])
    with pytest.raises(Conflict, match=f"room {room.code} is full: 2 people are in it; make another one"):
        sit_down(session, room, three[2], now=NOW)
    stand_up(session, room, three[0], now=NOW)
    sit_down(session, room, three[2], now=NOW)


def test_when_the_host_leaves_the_next_becomes_host_and_the_last_ends_the_room(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    room = open_room(session, game, people)
    stand_up(session, room, people[0], now=NOW + 20)
    assert (room.host_id, room.state) == (people[1], RoomState.WAITING)
    stand_up(session, room, people[1], now=NOW + 21)
    stand_up(session, room, people[2], now=NOW + 22)
    assert (room.state, room.ended_at) == (RoomState.OVER, NOW + 22)
    with pytest.raises(Conflict, match="is over; make another one"):
        sit_down(session, room, people[0], now=NOW + 23)


def test_whoever_comes_into_a_room_leaves_the_one_they_waited_in(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    first = open_room(session, game, people[:2])
    other = make_room(session, game, people[2], "", rng=Random(6), now=NOW)
    sit_down(session, other, people[0], now=NOW + 5)
    assert names_of(session, first) == ["ben"]
    assert first.host_id == people[1]
    assert names_of(session, other) == ["cleo", "ann"]


def test_a_room_that_nobody_starts_ends_by_itself(session: Session, game: ProjectRecord, people: list[int]) -> None:
    room = open_room(session, game, people)
    assert end_rooms(session, now=NOW + WAITING_SECONDS) == 0
    assert end_rooms(session, now=NOW + WAITING_SECONDS + 1) == 1
    session.refresh(room)
    assert room.state == RoomState.OVER


def test_a_closed_game_has_no_rooms(session: Session, game: ProjectRecord, people: list[int]) -> None:
    room = open_room(session, game, people[:2])
    close_project(session, game, by=None, now=NOW)
    for attempt in (
        lambda: make_room(session, game, people[2], "", rng=Random(1), now=NOW),
        lambda: sit_down(session, room, people[2], now=NOW),
        lambda: start(session, room),
    ):
        with pytest.raises(Conflict, match="is closed"):
            attempt()


# -- playing -----------------------------------------------------------------------------------------------


def test_everybody_plays_the_same_pair_by_the_same_clock(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    room = open_room(session, game, people, with_checker=True)
    rounds = start(session, room)
    assert {*rounds} == {*people, None}
    assert (
        len({(each.left_id, each.right_id, each.opened_at, each.deadline, each.room_id) for each in rounds.values()})
        == 1
    )
    assert (room.state, room.started_at, room.left_id) == (RoomState.PLAYING, NOW + 60, rounds[people[0]].left_id)
    assert all(RoundSetup.parse(rounds[person].setup).counts for person in people)
    assert not RoundSetup.parse(rounds[None].setup).counts


def test_only_the_host_begins_and_only_once(session: Session, game: ProjectRecord, people: list[int]) -> None:
    room = open_room(session, game, people)
    with pytest.raises(NotAllowed, match=f"the host of room {room.code} begins"):
        start_room(session, room, people[1], rng=Random(1), digest=DIGEST, now=NOW)
    start(session, room)
    with pytest.raises(Conflict, match="has begun already"):
        start(session, room)
    with pytest.raises(Conflict, match="has begun to play"):
        sit_down(session, room, make_player(session, game), now=NOW)


def test_nobody_begins_alone_but_against_the_checker(session: Session, game: ProjectRecord, people: list[int]) -> None:
    with pytest.raises(Conflict, match="nobody else is in this room yet"):
        start(session, open_room(session, game, people[:1]))
    assert {*start(session, open_room(session, game, people[:1], with_checker=True))} == {people[0], None}


def test_the_claims_are_by_nobody_in_the_room(session: Session, people: list[int]) -> None:
    game = make_game(session, "lakes")
    own = [make_player(session, game) for _ in range(3)]
    others = [make_player(session, game) for _ in range(2)]
    make_claims(session, game, 3, own)
    room = open_room(session, game, own)
    with pytest.raises(Conflict, match="a round needs a true and a false one"):
        start(session, room)
    assert room.state == RoomState.WAITING
    make_claim(session, game, True, others[0])
    make_claim(session, game, False, others[1])
    start(session, room)
    authors = {session.get_one(GameClaimRecord, id).author_id for id in (room.left_id, room.right_id) if id}
    assert authors == {*others}


def test_a_pair_that_is_new_to_all_comes_before_one_that_some_have_met(session: Session) -> None:
    game = make_game(session, "lakes")
    people = [make_player(session, game) for _ in range(3)]
    make_claims(session, game, 1)
    met = begin_round(session, game, people[1], "", rng=Random(1), digest=DIGEST, now=NOW)
    rounds = start(session, open_room(session, game, people))
    assert {rounds[people[0]].left_id, rounds[people[0]].right_id} == {met.left_id, met.right_id}
    counting = [RoundSetup.parse(rounds[person].setup).counts for person in people]
    assert counting == [True, False, True]
    make_claims(session, game, 1)
    late = [people[1], make_player(session, game)]
    again = start(session, open_room(session, game, late), NOW + 600)
    assert not {again[late[0]].left_id, again[late[0]].right_id} & {met.left_id, met.right_id}
    assert all(RoundSetup.parse(each.setup).counts for each in again.values())


def test_where_all_have_met_all_claims_they_are_told(session: Session) -> None:
    game = make_game(session, "lakes")
    people = [make_player(session, game) for _ in range(2)]
    make_claims(session, game, 1)
    start(session, open_room(session, game, people))
    with pytest.raises(Conflict, match="there are no claims you have not met in this game"):
        start(session, open_room(session, game, people))


def test_the_checker_s_vote_counts_for_nobody(session: Session, game: ProjectRecord, people: list[int]) -> None:
    own = start(session, open_room(session, game, people[:1], with_checker=True))[None]
    cast_vote(session, own, false_side(own), now=NOW + 70)
    assert own.outcome == RoundOutcome.SPOTTED
    claims = [session.get_one(GameClaimRecord, id) for id in (own.left_id, own.right_id)]
    assert [claim.votes for claim in claims] == [0, 0]
    assert session.scalars(select(GamePointRecord)).all() == []


def at_once(acts: Sequence[Callable[[], object]]) -> list[object]:
    """What comes of things that are done at the same time; a refusal is one of them."""
    ready = threading.Barrier(len(acts))

    def act(number: int) -> object:
        ready.wait(10)
        try:
            return acts[number]()
        except Conflict as error:
            return error

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(act, range(len(acts))))


def test_of_two_who_take_the_last_seat_at_once_one_gets_it(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session, room_seats=2)
        people = [make_player(session, game) for _ in range(3)]
        number = open_room(session, game, people[:1]).id

    def sit(person: int) -> None:
        with database.writing() as session:
            sit_down(session, session.get_one(GameRoomRecord, number), person, now=NOW)

    told = at_once([lambda: sit(people[1]), lambda: sit(people[2])])
    assert sorted(isinstance(each, Conflict) for each in told) == [False, True]
    with database.reading() as session:
        assert watch_room(session, number).people == 2


def test_who_plays_again_at_once_meets_in_one_room_and_begins_once(database: Database) -> None:
    with database.writing() as session:
        game = make_game(session)
        make_claims(session, game, 2)
        people = [make_player(session, game) for _ in range(3)]
        room = open_room(session, game, people)
        for own in start(session, room).values():
            cast_vote(session, own, Side.LEFT, now=NOW + 61)
        number = room.id

    def again(person: int) -> int:
        with database.writing() as session:
            return play_again(
                session, session.get_one(GameRoomRecord, number), person, rng=Random(person), now=NOW + 70
            ).id

    (after,) = {*at_once([lambda person=person: again(person) for person in people])}  # type: ignore[misc]
    assert isinstance(after, int)

    def begin() -> None:
        with database.writing() as session:
            start(session, session.get_one(GameRoomRecord, after), NOW + 80)

    told = at_once([begin, begin])
    assert sorted(isinstance(each, Conflict) for each in told) == [False, True]
    with database.reading() as session:
        rounds = session.scalars(select(GameRoundRecord).where(GameRoundRecord.room_id == after)).all()
        assert sorted(each.account_id or 0 for each in rounds) == people


# -- what is seen ------------------------------------------------------------------------------------------


def test_others_see_how_far_somebody_is_and_not_how_it_ended(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    room = open_room(session, game, people)
    rounds = start(session, room)
    ann, ben, cleo = (rounds[person] for person in people)
    before = watch_room(session, room.id)
    buy_hint(session, ann, Side.LEFT, now=NOW + 70)
    buy_hint(session, ann, Side.RIGHT, now=NOW + 71)
    cast_vote(session, ben, false_side(ben), now=NOW + 72)
    after = room_view(session, room, people[1], now=NOW + 73)
    assert [(seat.hints, seat.is_done) for seat in after.seats] == [(2, False), (0, True), (0, False)]
    assert (after.state, after.results, after.claims) == (RoomState.PLAYING, (), ())
    told = [sentence.partition("-")[0] + sentence[sentence.index(" ") :] for sentence in tell_changes(before, after)]
    assert told == ["ann asked for a hint.", "ben is done."]
    assert isinstance(view_of(session, ben, now=NOW + 73), VoterView)
    cast_vote(session, ann, false_side(ann).other, now=NOW + 74)
    cast_vote(session, cleo, false_side(cleo), now=NOW + 80)
    ended = room_view(session, room, people[0], now=NOW + 81)
    assert ended.state is RoomState.OVER
    assert [claim.truth for claim in ended.claims] == [false_side(ann) is Side.RIGHT, false_side(ann) is Side.LEFT]
    assert [
        (each.account_id, each.outcome.value, each.hints, each.seconds_left, each.points) for each in ended.results
    ] == [
        (people[1], "spotted", 0, 168, 120),
        (people[2], "spotted", 0, 160, 120),
        (people[0], "fooled", 2, 106, 0),
    ]
    assert tell_changes(after, ended)[-1] == "Everybody is done."
    assert isinstance(view_of(session, ben, now=NOW + 81), RevealView)
    assert end_rooms(session, now=NOW + 82) == 1


def test_a_look_at_a_room_holds_no_truth_before_the_end(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    """The same moves in two rooms that differ in which side is false look the same."""
    seen = set()
    for seed in range(8):
        three = [make_player(session, game, name) for name in ("ann", "ben", "cleo")]
        room = open_room(session, game, three)
        rounds = start_room(session, room, three[0], rng=Random(seed), digest=DIGEST, now=NOW)
        buy_hint(session, rounds[0], Side.LEFT, now=NOW + 1)
        cast_vote(session, rounds[0], Side.LEFT, now=NOW + 2)
        cast_vote(session, rounds[1], Side.RIGHT, now=NOW + 3)
        view = watch_room(session, room.id)
        seen.add((*tuple((seat.hints, seat.is_done, seat.is_here) for seat in view.seats), view.results, view.state))
        assert not {"truth", "false_side", "outcome", "choice", "points"} & {*view.seats[0]._fields}
    assert len(seen) == 1


def test_nobody_waits_for_whoever_has_left(session: Session, game: ProjectRecord, people: list[int]) -> None:
    room = open_room(session, game, people)
    rounds = start(session, room)
    stand_up(session, room, people[0], now=NOW + 65)
    assert room.host_id == people[1]
    for person in people[1:]:
        cast_vote(session, rounds[person], Side.LEFT, now=NOW + 70)
    others = room_view(session, room, people[1], now=NOW + 71)
    assert others.state is RoomState.OVER
    assert [each.account_id for each in others.results] == sorted(people[1:])
    own = room_view(session, room, people[0], now=NOW + 71)
    assert (own.state, own.results, own.claims) == (RoomState.PLAYING, (), ())
    assert isinstance(view_of(session, rounds[people[0]], now=NOW + 71), VoterView)
    cast_vote(session, rounds[people[0]], Side.LEFT, now=NOW + 75)
    assert len(room_view(session, room, people[0], now=NOW + 76).results) == 3


def test_whoever_leaves_gets_no_points_by_what_the_others_are_told(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    room = open_room(session, game, people[:2])
    rounds = start(session, room)
    left = rounds[people[0]]
    stand_up(session, room, people[0], now=NOW + 61)
    cast_vote(session, rounds[people[1]], Side.LEFT, now=NOW + 62)
    assert isinstance(view_of(session, rounds[people[1]], now=NOW + 63), RevealView)
    after = cast_vote(session, left, false_side(left), now=NOW + 64)
    assert (after.outcome, after.points.total) == (RoundOutcome.SPOTTED, 0)
    assert standing_of(session, game, people[0]).total == 0
    assert not list(check_game(session, game))


def test_nobody_sees_by_points_who_was_right_before_all_have_voted(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    room = open_room(session, game, people[:2])
    rounds = start(session, room)
    first, last = (rounds[person] for person in people[:2])
    cast_vote(session, first, false_side(first), now=NOW + 70)
    assert not leaderboard(session, game)
    assert standing_of(session, game, people[0]).total == 0
    cast_vote(session, last, false_side(last), now=NOW + 80)
    assert standing_of(session, game, people[0]).voting == 120
    assert people[1] in {row.account_id for row in leaderboard(session, game)}


def test_time_that_runs_out_and_a_report_end_a_round_too(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    room = open_room(session, game, people[:2])
    rounds = start(session, room)
    report_claim(session, rounds[people[0]], Side.LEFT, reason=ClaimFault.SPAM, now=NOW + 65)
    assert watch_room(session, room.id).seats[0].is_done
    assert expire_due(session, now=NOW + 60 + 180) == 1
    view = watch_room(session, room.id)
    assert {each.outcome for each in view.results} == {RoundOutcome.REPORTED, RoundOutcome.TIMED_OUT}


def test_the_same_people_play_again_in_one_room(session: Session, game: ProjectRecord, people: list[int]) -> None:
    room = open_room(session, game, people, with_checker=True, topic="Rivers")
    with pytest.raises(Conflict, match="has not played yet"):
        play_again(session, room, people[0], rng=Random(1), now=NOW)
    for own in start(session, room).values():
        cast_vote(session, own, Side.LEFT, now=NOW + 90)
    before = watch_room(session, room.id)
    next_room = play_again(session, room, people[1], rng=Random(1), now=NOW + 100)
    assert (next_room.host_id, next_room.topic, next_room.with_checker) == (people[1], "Rivers", True)
    after = watch_room(session, room.id)
    assert after.next_code == next_room.code
    assert tell_changes(before, after) == [f"{after.next_host} plays again."]
    assert play_again(session, room, people[0], rng=Random(2), now=NOW + 101) is next_room
    assert names_of(session, next_room) == ["ben", "ann", CHECKER_NAME]
    start(session, next_room, NOW + 110)
    with pytest.raises(NotAllowed):
        play_again(session, room, make_player(session, game), rng=Random(1), now=NOW)


def test_a_room_that_ended_before_it_began_leads_to_no_other(
    session: Session, game: ProjectRecord, people: list[int]
) -> None:
    room = open_room(session, game, people)
    before = watch_room(session, room.id)
    sit_down(session, room, make_player(session, game, "dora"), now=NOW + 30)
    stand_up(session, room, people[1], now=NOW + 31)
    told = tell_changes(before, watch_room(session, room.id))
    assert [sentence[:3] + sentence[sentence.index(" ") :] for sentence in told] == [
        "dor has come in.",
        "ben has left.",
    ]
