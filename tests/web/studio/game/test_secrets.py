"""What nobody is told before the vote: truth, gold evidence, hints that were not bought, who wrote a claim.

Every address that the application has is asked, by every number and code there is, so that a new one cannot be
forgotten. That nothing depends on the truth is shown by a second game in which it is the other way round: all answers
are the same there.
"""

from __future__ import annotations

import re
import shutil
import socket
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from fastapi.routing import APIRoute
from httpx2 import Response
from sqlalchemy import select

from tests.web.serving import served
from tests.web.studio.game.world import GAME, GameWorld
from tests.web.studio.world import Person
from veritab.pipeline import Checker
from veritab.studio.game.pairing import ClaimPair
from veritab.studio.game.pieces import EvidencePiece, ShownCell
from veritab.studio.game.playing import deal_round
from veritab.studio.game.records import GameClaimRecord, GameRoomRecord, GameRoundRecord, GameSeatRecord
from veritab.studio.projects import find_project
from veritab.web.pages.templating import MEDIA_TYPES, static_file
from veritab.web.studio.app import _router

CODE = "BCDFGH"
"""The code of the room."""
CANDIDATES = ("1", "3", CODE)
"""What is put into addresses: the round, the left claim, the room, and people and whatever else has these numbers."""
STREAM = re.compile(r"/rooms/\{\w+\}/events$")
SHOWS_PEOPLE = re.compile(r"^/p/[^/]+(|/leaderboard|/rooms.*)$")
"""Where players see each other's names: their points, and who is in a room."""
NAMES_OF_SECRETS = re.compile(r"false_side|is-false|is-true|gold_ids|\bsetup\b|author_id|truth[\"']?\s*[:=]")
AUTHORS = ("zealous-zander", "xenial-xerus")
GOLD = ("goldzqone", "goldzqtwo", "goldzqcell")
HINTS = tuple(f"hintzq{side}{number}" for side in ("left", "right") for number in range(1, 4))


class Secret(NamedTuple):
    """A round that is open, or over for one of a room while another plays."""

    world: GameWorld
    person: Person
    address: str


def make_world(checker: Checker, empty_studio: Path, folder: Path, *, left_is_true: bool) -> GameWorld:
    """A game with two claims whose every secret has a word of its own."""
    shutil.copytree(empty_studio, folder)
    world = GameWorld(str(folder), checker)
    world.game()
    for name in AUTHORS:
        world.player(name)
    world.player("calm-crane")
    world.player("keen-kite")
    cells = ((ShownCell("Mountain", True), ShownCell(GOLD[2], False, True)),)
    for side, truth, page, author, gold in (
        (
            "left",
            left_is_true,
            "Mount Everest",
            AUTHORS[0],
            [EvidencePiece(GOLD[0], ids=("Mount Everest_sentence_0",))],
        ),
        ("right", not left_is_true, "K2", AUTHORS[1], [EvidencePiece(GOLD[1], "", ("K2_sentence_0",), "", cells)]),
    ):
        hints = [EvidencePiece(f"hintzq{side}{number}") for number in range(1, 4)]
        world.claim(f"The {side} claim.", truth, page=page, author=author, gold=gold, hints=hints)
    return world


def deal(world: GameWorld, name: str = "calm-crane", room: bool = False) -> Secret:
    """Put the two claims before somebody, always on the same sides."""
    with world.writing() as session:
        project = find_project(session, GAME)
        claims = select(GameClaimRecord).where(GameClaimRecord.state == "playing").order_by(GameClaimRecord.id)
        pair = ClaimPair(*session.scalars(claims).all())
        made = session.scalar(select(GameRoomRecord)) if room else None
        if room and made is None:
            made = GameRoomRecord(
                project_id=project.id,
                code=CODE,
                host_id=world.account_id("calm-crane"),
                topic="",
                state="playing",
                left_id=pair.left.id,
                right_id=pair.right.id,
                made_at=world.now,
                started_at=world.now,
            )
            session.add(made)
            session.flush()
        if made:
            session.add(GameSeatRecord(room_id=made.id, account_id=world.account_id(name), sat_at=world.now))
        record = deal_round(
            session,
            project,
            world.account_id(name),
            pair,
            topic="",
            now=world.now,
            room_id=made.id if made else None,
        )
    return Secret(world, world.sign_in(name), f"/p/{GAME}/rounds/{record.id}")


@pytest.fixture
def make(checker: Checker, empty_studio: Path, tmp_path: Path) -> Iterator[Callable[..., GameWorld]]:
    made: list[GameWorld] = []

    def make_one(left_is_true: bool = True) -> GameWorld:
        made.append(make_world(checker, empty_studio, tmp_path / str(len(made)), left_is_true=left_is_true))
        return made[-1]

    yield make_one
    for world in made:
        world.close()


# -- every address -----------------------------------------------------------------------------------------


def addresses(method: str) -> Iterator[str]:
    """Every address that the application answers to, with everything in it that somebody might try."""
    for route in _router().routes:
        assert isinstance(route, APIRoute), route
        if method in (route.methods or set()) and not STREAM.search(route.path) and "/static/" not in route.path:
            names = [name for name in re.findall(r"\{(\w+)(?::\w+)?\}", route.path) if name != "project"]
            for values in product(CANDIDATES, repeat=len(names)):
                known = {"project": GAME, **dict(zip(names, values, strict=True))}
                yield re.sub(r"\{(\w+)(?::\w+)?\}", lambda found, known=known: known[found[1]], route.path)  # type: ignore[misc]


FIELDS = {
    "side": "middle", "reason": "spam", "note": "why", "topic": "", "text": "K2 is a mountain.", "title": "K2", "q": "K2",
    "choice": "middle", "seen": "0", "claim": "3", "code": CODE, "decision": "keep", "truth": "true", "gold": "sentence_0",
}  # fmt: skip
"""What is sent to every form. No side is named, so that nothing is bought and no round ends."""


def looks(secret: Secret) -> Iterator[tuple[str, Response]]:
    """Every answer to somebody who opens everything, as a page and as JSON."""
    for path in addresses("GET"):
        for accept in ("text/html", "application/json"):
            yield path, secret.person.client.get(path, headers={"Accept": accept})
    for name in MEDIA_TYPES:
        yield name, secret.person.client.get(f"/static/{name}")
    for query in ("goldzqone", "hintzqleft1", "left claim"):
        for path in ("search", "suggest"):
            answer = secret.person.client.get(f"/p/{GAME}/{path}", params={"q": query})
            answer._content = answer.content.replace(query.encode(), b"")  # what was asked is said again
            yield path, answer


def attempts(secret: Secret, only: str = "") -> Iterator[tuple[str, Response]]:
    """Every answer to somebody who sends everything, each time signed in anew: some of it ends a login."""
    for path in (each for each in addresses("POST") if only in each and each != "/account/close"):  # it would end them
        for accept in ("text/html", "application/json"):
            person = secret.world.sign_in("calm-crane")
            data = {"form_token": person.form_token, **FIELDS}
            answer = person.client.post(path, data=data, headers={"Accept": accept})
            assert answer.status_code != 401 or path == "/sign-in", path
            yield path, answer


def require_silence(path: str, answer: Response, unsold: tuple[str, ...] = HINTS, gold: tuple[str, ...] = GOLD) -> None:
    """Nothing of what is secret is in an answer, nor in its headers."""
    said = f"{answer.headers!r}\n{answer.text}"
    for marker in (*unsold, *gold):
        assert marker not in said, (path, marker)
    if not SHOWS_PEOPLE.match(path):
        for name in AUTHORS:
            assert name not in said, (path, name)
    if "/rounds/" in path or answer.headers.get("content-type", "").startswith("application/json"):
        assert not NAMES_OF_SECRETS.search(said), (path, said)


def test_no_address_tells_a_secret_before_the_vote(make: Callable[..., GameWorld]) -> None:
    secret = deal(make())
    for path, answer in (*looks(secret), *attempts(secret)):
        require_silence(path, answer)
    record = secret.world.find(GameRoundRecord, 1)
    assert (record.outcome, record.left_hints, record.right_hints) == ("open", 0, 0)
    person = secret.world.sign_in("calm-crane")
    person.send(f"{secret.address}/vote", side="left")
    told = person.get(secret.address).text
    assert all(marker in told for marker in (GOLD[0], GOLD[2]))  # the words that were looked for are the right ones


def test_nobody_reads_the_pages_for_nothing_while_they_vote(make: Callable[..., GameWorld]) -> None:
    secret = deal(make())
    readers = ("page?title=K2", "search?q=K2", "suggest?q=K2", "introduction?title=K2", "read?title=K2")

    def statuses() -> set[int]:
        return {secret.person.client.get(f"/p/{GAME}/{each}").status_code for each in readers}

    assert statuses() == {409}
    secret.person.send(f"{secret.address}/vote", side="left")
    assert statuses() == {200}


def test_a_hint_tells_itself_and_nothing_else(make: Callable[..., GameWorld]) -> None:
    secret = deal(make())
    bought = list[str]()
    for side, number in (("left", 1), ("right", 1), ("left", 2), ("left", 3)):
        path = f"{secret.address}/hint"
        data = {"form_token": secret.person.form_token, "side": side}
        answer = secret.person.client.post(path, data=data, headers={"Accept": "application/json"})
        bought.append(f"hintzq{side}{number}")
        unsold = tuple(each for each in HINTS if each not in bought)
        for told in (answer, secret.person.get(secret.address)):
            assert all(each in told.text for each in bought)
            require_silence(path, told, unsold)
    secret.person.send(f"{secret.address}/hint", side="left")
    told = secret.person.get(secret.address)
    assert GOLD[0] in told.text
    require_silence(secret.address, told, unsold, GOLD[1:])
    assert "Mount Everest_sentence" not in told.text  # where on its page the gold stands


def test_nothing_depends_on_which_claim_is_false(make: Callable[..., GameWorld]) -> None:
    true, false = (list(told_of(deal(make(left_is_true)))) for left_is_true in (True, False))
    for one, other in zip(true, false, strict=True):
        assert one == other


def told_of(secret: Secret) -> Iterator[tuple[str, int, str]]:
    """All that somebody is told who buys a hint for each claim and looks everywhere."""
    for side in ("left", "right"):
        secret.person.send(f"{secret.address}/hint", side=side)
    for path, answer in (*looks(secret), *attempts(secret, only="/rounds/")):
        said = f"{sorted(answer.headers.items())}\n{answer.text}"
        yield path, answer.status_code, _same(said.replace(secret.person.form_token, ""))


def _same(text: str) -> str:
    """A text without what is drawn by lot for every answer."""
    return re.sub(r'name="(once|form_token)" value="[^"]*"|set-cookie\', \'[^\']*', "", text)


def test_in_a_room_nothing_is_told_before_the_last_vote(make: Callable[..., GameWorld]) -> None:
    world = make()
    done, other = deal(world, room=True), deal(world, "keen-kite", room=True)
    done.person.send(f"{done.address}/vote", side="left")
    for path, answer in looks(done):
        require_silence(path, answer)
    for path, answer in looks(other):
        require_silence(path, answer)
    other.person.send(f"{other.address}/vote", side="left")
    assert GOLD[0] in done.person.get(done.address).text


def test_the_events_of_a_room_tell_nothing_before_the_last_vote(make: Callable[..., GameWorld]) -> None:
    streams = [route.path for route in _router().routes if isinstance(route, APIRoute) and STREAM.search(route.path)]
    if not streams:
        pytest.skip("there are no rooms to listen to")
    world = make()
    done = deal(world, room=True)
    deal(world, "keen-kite", room=True)
    done.person.send(f"{done.address}/vote", side="left")
    path = f"/p/{GAME}/rooms/{CODE}/events"
    with served(world.app) as (_, place):
        heard = listen_to(place, path, done.person)
    assert "200" in heard.partition("\r\n")[0], heard
    for marker in (*GOLD, *HINTS):
        assert marker not in heard
    assert not NAMES_OF_SECRETS.search(heard)


def listen_to(place: tuple[str, int], path: str, person: Person, seconds: float = 1.5) -> str:
    """What comes in the first moments of a stream."""
    asked = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\nCookie: veritab_studio={person.login}\r\n\r\n"
    heard = b""
    with socket.create_connection(place, timeout=seconds) as connection:
        connection.sendall(asked.encode())
        try:
            while piece := connection.recv(65536):
                heard += piece
        except TimeoutError:
            pass
    return heard.decode()


def test_the_script_of_a_round_knows_no_secret_by_name() -> None:
    assert not NAMES_OF_SECRETS.search(static_file("studio/game/round.js").decode())
