"""Rooms over HTTP: pages and forms, and the events that make them live, from a real server."""

from __future__ import annotations

import http.client
import itertools
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.web.serving import served, until
from tests.web.studio.game.world import SECRET_GOLD, SECRET_HINT, GameWorld
from tests.web.studio.world import HOME, Person, fields_of, words_of
from veritab.studio.game import rooms
from veritab.studio.game.playing import cast_vote
from veritab.studio.game.records import GameRoomRecord, GameRoundRecord
from veritab.studio.game.rounds import RoundOutcome, RoundSetup, Side
from veritab.web.studio.app import create_studio_app
from veritab.web.studio.game import clockwork, live
from veritab.web.studio.sessions import LOGIN

ROOMS = "/p/peaks/rooms"


@pytest.fixture
def three(world: GameWorld) -> list[Person]:
    """Three players of a game with one pair of claims."""
    world.pair()
    return [world.player(name) for name in ("calm-crane", "bold-badger", "wise-wren")]


def make(person: Person, **fields: str) -> str:
    """The address of a new room."""
    return str(person.send(ROOMS, **fields).headers["location"])


def begin(people: list[Person], **fields: str) -> tuple[str, list[str]]:
    """A room in which all play, and where each of them does."""
    room = make(people[0], **fields)
    for person in people[1:]:
        person.send(f"{room}/join")
    people[0].send(f"{room}/start")
    return room, [person.get(room, 303).headers["location"] for person in people]


def vote(world: GameWorld, address: str, *, right: bool = True) -> None:
    with world.writing() as session:
        record = session.get_one(GameRoundRecord, int(address.rpartition("/")[2]))
        side = RoundSetup.parse(record.setup).false_side
        cast_vote(session, record, side if right else side.other, now=world.now)


# -- pages and forms ---------------------------------------------------------------------------------------


def test_a_host_makes_a_room_and_others_come_in_by_its_link(world: GameWorld, three: list[Person]) -> None:
    host, other, late = three
    room = make(host, topic="Mountains")
    page = host.see(room)
    code = room.rpartition("/")[2]
    assert page.cssselect("#room-link")[0].text == f"{HOME}{room}"
    assert "Topic: Mountains" in words_of(page)
    assert "Wait until somebody comes in" in words_of(page)
    assert not page.cssselect("#room-start")
    (form,) = other.see(f"{ROOMS}/{code.lower()}").cssselect("#room-panel form")
    assert form.get("action") == f"{room}/join"
    other.follow(other.send(form.get("action"), **fields_of(form)))
    words = words_of(host.see(room))
    assert "calm-crane (you) host bold-badger 2 seats of 8 taken" in words
    assert not other.see(room).cssselect("#room-start")
    host.send(f"{room}/start")
    for person in (host, other):
        assert re.fullmatch(r"/p/peaks/rounds/\d+", person.get(room, 303).headers["location"])
    assert "They have begun without you" in words_of(late.see(room))
    assert "has begun to play" in late.send(f"{room}/join", 409).text


def test_only_members_of_the_game_find_a_room(world: GameWorld, three: list[Person]) -> None:
    room = make(three[0])
    world.game("lakes")
    stranger = world.member("sly-shrew", "lakes")
    for path in (room, f"{room}/events", room.replace("peaks", "lakes"), f"{ROOMS}/OOOOOO"):
        stranger.get(path, 404)
    stranger.send(f"{room}/join", 404)
    assert "Only those in room" in three[1].get(f"{room}/events", 403).text
    for action in ("start", "again"):
        three[1].send(f"{room}/{action}", 403)


def test_the_next_becomes_host_when_the_host_leaves(world: GameWorld, three: list[Person]) -> None:
    room = make(three[0])
    three[1].send(f"{room}/join")
    assert three[0].send(f"{room}/leave").headers["location"] == "/p/peaks"
    assert "bold-badger (you) host" in words_of(three[1].see(room))
    three[1].send(f"{room}/leave")
    assert "This room is over" in words_of(three[2].see(room))


def test_the_end_is_told_when_all_have_voted(world: GameWorld, three: list[Person]) -> None:
    room, rounds = begin(three)
    vote(world, rounds[0])
    page = three[0].see(room)
    assert "You are done. The answer is shown as soon as everybody is." in words_of(page)
    assert not page.cssselect("table, .truth")
    assert "spotted" not in words_of(three[0].see("/p/peaks"))
    vote(world, rounds[1], right=False)
    world.now += 10
    vote(world, rounds[2])
    page = three[0].see(room)
    assert page.cssselect("#room-title")[0].text == "You won."
    rows = [[" ".join(cell.text_content().split()) for cell in row] for row in page.cssselect("tbody tr")]
    assert rows == [
        ["calm-crane (you)", "Spotted it 0 hints, 180 seconds left", "120"],
        ["wise-wren", "Spotted it 0 hints, 170 seconds left", "120"],
        ["bold-badger", "Was fooled 0 hints, 180 seconds left", "0"],
    ]
    assert sorted(tag.text for tag in page.cssselect(".room-claims .truth")) == ["False", "True"]
    assert page.cssselect("a.button")[0].get("href") == rounds[0]
    assert three[1].see(room).cssselect("#room-title")[0].text == "calm-crane won."


def test_who_was_not_in_a_room_is_not_told_how_it_ended(world: GameWorld, three: list[Person]) -> None:
    room, rounds = begin(three[:2])
    for address in rounds:
        vote(world, address)
    page = three[2].see(room)
    assert "This room is over" in words_of(page)
    assert not page.cssselect("table, .truth")
    assert "taller" not in words_of(page)


def test_the_same_people_play_again_in_one_click_each(world: GameWorld, three: list[Person]) -> None:
    room, rounds = begin(three)
    for address in rounds:
        vote(world, address)
    world.pair(number=2)
    after = three[1].send(f"{room}/again").headers["location"]
    assert after != room
    offered = three[0].see(room).cssselect("#room-again")[0]
    assert offered.text == "Play again with bold-badger"
    assert three[0].send(f"{room}/again").headers["location"] == after
    assert "bold-badger host calm-crane (you)" in words_of(three[0].see(after))


def test_a_topic_without_claims_is_told_and_the_room_stays(world: GameWorld, three: list[Person]) -> None:
    room = make(three[0], topic="Rivers")
    three[1].send(f"{room}/join")
    assert "There are no claims you have not met" in three[0].send(f"{room}/start", 409).text
    assert three[0].see(room).cssselect("#room-start")


def test_against_the_checker_alone_one_click_begins(world: GameWorld, three: list[Person]) -> None:
    room = make(three[0], alone="yes")
    assert "/rounds/" in three[0].get(room, 303).headers["location"]
    assert world.find(GameRoomRecord, 1).with_checker
    assert "There are no claims you have not met" in three[0].send(ROOMS, 409, alone="yes").text


# -- events ------------------------------------------------------------------------------------------------


class Events:
    """The events that somebody's browser gets, read in a thread as they come."""

    def __init__(self, address: tuple[str, int], person: Person, path: str, **headers: str) -> None:
        self._connection = http.client.HTTPConnection(*address, timeout=20)
        sent = {"Cookie": f"{LOGIN}={person.login}", "Accept": "text/event-stream", "Sec-Fetch-Site": "same-origin"}
        self._connection.request("GET", path, headers=sent | headers)
        self.answer = self._connection.getresponse()
        self.text = ""
        self.is_over = False
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        while line := self.answer.readline():
            self.text += line.decode()
        self.is_over = True

    def close(self) -> None:
        if self._connection.sock:
            self._connection.sock.shutdown(2)
        self._reading.join(10)
        self._connection.close()

    def named(self, name: str) -> list[str]:
        """What the events of a name held."""
        found = re.findall(rf"event: {name}\n((?:data: .*\n)+)", self.text)
        return ["\n".join(line.removeprefix("data: ") for line in data.splitlines()) for data in found]

    @property
    def ids(self) -> list[str]:
        return re.findall(r"^id: (\w+)$", self.text, re.M)


@contextmanager
def following(address: tuple[str, int], person: Person, path: str, **headers: str) -> Iterator[Events]:
    events = Events(address, person, path, **headers)
    try:
        yield events
    finally:
        events.close()


def test_events_tell_what_happens_and_nothing_of_how_it_will_end(
    world: GameWorld, three: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.02)
    room = make(three[0], with_checker="yes")
    with served(world.app) as (_, address), following(address, three[0], f"{room}/events") as events:
        assert events.answer.headers["content-type"].startswith("text/event-stream")
        assert events.answer.headers["cache-control"] == "no-store"
        assert "default-src 'none'" in events.answer.headers["content-security-policy"]
        until(lambda: events.named("panel"))
        three[1].send(f"{room}/join")
        three[2].send(f"{room}/join")
        until(lambda: len(events.named("said")) == 2)
        three[2].send(f"{room}/leave")
        three[0].send(f"{room}/start")
        until(lambda: "The round has begun." in events.named("said"))
        rounds = [person.get(room, 303).headers["location"] for person in three[:2]]
        assert f'data-go="{rounds[0]}"' in events.named("panel")[-1]
        three[1].send(f"{rounds[1]}/hint", side="left")
        until(lambda: "bold-badger asked for a hint." in events.named("said"))
        vote(world, rounds[1], right=False)
        until(lambda: "bold-badger is done." in events.named("said"))
        before = events.text
        for secret in (SECRET_GOLD, SECRET_HINT, "Mount Everest", "false_side", "truth", "fooled", "gold", "setup"):
            assert secret not in before, secret
        vote(world, rounds[0])
        _vote_for_the_checker(world)
        until(lambda: "Everybody is done." in events.named("said"))
        until(lambda: "Was fooled" in events.named("panel")[-1])
        said = events.named("said")
        assert said[:3] == ["bold-badger has come in.", "wise-wren has come in.", "wise-wren has left."]
        assert len(events.ids) == len(events.named("panel"))
        assert all(one != next for one, next in itertools.pairwise(events.ids))


def _vote_for_the_checker(world: GameWorld) -> None:
    with world.writing() as session:
        record = session.query(GameRoundRecord).filter(GameRoundRecord.account_id.is_(None)).one()
        cast_vote(session, record, Side.LEFT, now=world.now)


def test_whoever_comes_back_has_missed_nothing_and_hears_nothing_twice(
    world: GameWorld, three: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 0.05)
    room = make(three[0])
    with served(world.app) as (_, address):
        with following(address, three[0], f"{room}/events") as events:
            until(lambda: events.ids)
        last = events.ids[-1]
        with following(address, three[0], f"{room}/events", **{"Last-Event-ID": last}) as again:
            until(lambda: again.text.count(": still here") > 2)
            assert again.ids == []
        three[1].send(f"{room}/join")
        with following(address, three[0], f"{room}/events?seen={last}") as late:
            until(lambda: late.ids)
            assert late.ids != [last]
            assert "bold-badger" in late.named("panel")[0]


def test_events_come_from_the_database_whichever_server_wrote_it(
    world: GameWorld, three: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.02)
    room = make(three[0])
    other = create_studio_app(world.studio, clock=lambda: world.now)
    with (
        served(world.app) as (_, address),
        served(other) as (_, second),
        following(address, three[0], f"{room}/events") as one,
        following(second, three[0], f"{room}/events") as two,
    ):
        until(lambda: one.ids and two.ids)
        Person(other, three[1].login).send(f"{room}/join")
        until(lambda: one.named("said") == two.named("said") == ["bold-badger has come in."])
        assert one.ids == two.ids


def test_a_room_is_looked_at_once_however_many_follow_it(
    world: GameWorld, three: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.2)
    looks: list[float] = []

    def watch(*args: Any) -> rooms.RoomView:
        looks.append(time.monotonic())
        return rooms.watch_room(*args)

    monkeypatch.setattr(live, "watch_room", watch)
    room = make(three[0])
    with served(world.app) as (_, address):
        streams = [Events(address, three[0], f"{room}/events") for _ in range(live.STREAMS_PER_PERSON)]
        until(lambda: all(each.ids for each in streams))
        begun, before = time.monotonic(), len(looks)
        time.sleep(1.0)
        assert len(looks) - before <= (time.monotonic() - begun) / 0.2 + 1
        refused = Events(address, three[0], f"{room}/events")
        assert refused.answer.status == 503
        assert int(refused.answer.headers["retry-after"]) > 0
        for each in (*streams, refused):
            each.close()
        until(lambda: not world.app.state.room_watches._watches)
        done = len(looks)
        time.sleep(0.5)
        assert len(looks) <= done + 1
        with following(address, three[0], f"{room}/events") as events:
            until(lambda: events.ids)


def test_a_server_that_stops_ends_its_streams_at_once(world: GameWorld, three: list[Person]) -> None:
    room = make(three[0])
    with served(world.app) as (server, address), following(address, three[0], f"{room}/events") as events:
        until(lambda: events.ids)
        begun = time.monotonic()
        server.stop()
        until(lambda: events.is_over)
        assert time.monotonic() - begun < 5
        assert events.text.endswith("\n\n")


def test_a_stream_ends_when_one_leaves_and_when_it_has_lasted_long_enough(
    world: GameWorld, three: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.02)
    room = make(three[0])
    three[1].send(f"{room}/join")
    with served(world.app) as (_, address):
        with following(address, three[1], f"{room}/events") as events:
            until(lambda: events.ids)
            three[1].send(f"{room}/leave")
            until(lambda: events.is_over)
            assert "data-events" not in events.named("panel")[-1]
        monkeypatch.setattr(live, "LONGEST_SECONDS", 0.1)
        monkeypatch.setattr(live, "HEARTBEAT_SECONDS", 0.05)
        with following(address, three[0], f"{room}/events") as events:
            until(lambda: events.is_over)


def test_whoever_has_just_come_in_is_not_shown_an_older_look(
    world: GameWorld, three: list[Person], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.3)
    room = make(three[0])
    with served(world.app) as (_, address), following(address, three[0], f"{room}/events") as first:
        until(lambda: first.ids)
        for person in three[1:]:
            person.send(f"{room}/join")
            with following(address, person, f"{room}/events") as events:
                until(lambda events=events: events.ids)
                assert "(you)" in events.named("panel")[0]
                assert not events.is_over


# -- the checker -------------------------------------------------------------------------------------------


def test_the_checker_plays_to_the_end_by_itself(world: GameWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clockwork, "TICK_SECONDS", 0.05)
    world.game("lakes", checker_seconds=0, hint_seconds=0)
    world.pair("lakes")
    person = world.player(game="lakes")
    with served(world.app):
        room = person.send("/p/lakes/rooms", alone="yes").headers["location"]
        own = person.get(room, 303).headers["location"]
        vote(world, own)
        until(lambda: "Spotted it" in words_of(person.see(room)), 30)
    with world.studio.database.reading() as session:
        record = session.query(GameRoundRecord).filter(GameRoundRecord.account_id.is_(None)).one()
        assert record.outcome in (RoundOutcome.SPOTTED, RoundOutcome.FOOLED)
        assert record.moves > 2


def test_a_checker_that_was_stopped_goes_on_where_it_stood(world: GameWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clockwork, "TICK_SECONDS", 0.05)
    world.game("lakes", checker_seconds=5, hint_seconds=1)
    world.pair("lakes")
    person = world.player(game="lakes")

    def moves() -> int:
        with world.studio.database.reading() as session:
            return session.query(GameRoundRecord).filter(GameRoundRecord.account_id.is_(None)).one().moves

    with served(world.app):
        person.send("/p/lakes/rooms", alone="yes")
        world.now += 5
        until(lambda: moves() == 2, 20)
    restarted = create_studio_app(world.studio, clock=lambda: world.now)
    with served(restarted):
        time.sleep(0.5)
        assert moves() == 2
        world.now += 5
        until(lambda: moves() == 3, 20)


def test_time_runs_out_and_rooms_end_though_nobody_looks(world: GameWorld, three: list[Person]) -> None:
    room, _ = begin(three)
    world.now += 181
    with served(world.app):
        until(lambda: world.find(GameRoomRecord, 1).state == "over")
        words = words_of(three[0].see(room))
    assert words.count("Ran out of time") == 3
    assert "Nobody spotted the false claim." in words
