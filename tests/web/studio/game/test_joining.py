"""A game that is open to all is found, joined and left alone; any other is not there for strangers."""

from __future__ import annotations

import pytest

from tests.web.studio.game.world import GameWorld
from tests.web.studio.world import PASSWORD, Person, fields_of, parsed, words_of
from veritab.studio import accounts, projects
from veritab.studio.game import players
from veritab.studio.projects import close_project
from veritab.web.studio.sessions import LOGIN


def join(person: Person, path: str = "/play/open", status: int = 303, **fields: str) -> Person:
    form = next(form for form in person.see(path).forms if form.action == path)
    answer = person.client.post(path, data={**fields_of(form), "password": PASSWORD, "again": PASSWORD, **fields})
    assert answer.status_code == status, answer.text[-800:]
    if status == 303:
        assert answer.headers["location"] == "/p/open?done=joined"
        person.login = person.client.cookies[LOGIN]
    return person


def test_a_stranger_finds_the_open_games_chooses_a_pseudonym_and_plays(world: GameWorld) -> None:
    world.game("open", "Open to <all>", is_open=True)
    stranger = world.stranger()
    page = stranger.see("/")
    assert [link.get("href") for link in page.cssselect("main .door")] == ["/play/open"]
    assert "Open to <all>" in words_of(page)
    assert page.cssselect(".brand")[0].text_content().strip() == "Veritab Game"
    proposed = stranger.see("/play/open").cssselect("#name")[0].get("value")
    assert proposed
    join(stranger, name=proposed)
    assert stranger.get("/p/open", 303).headers["location"] == "/p/open/consent"
    assert stranger.send("/p/open/consent").headers["location"] == "/p/open/tutorial?done=agreed"
    assert "Open to <all>" in words_of(stranger.see("/p/open"))
    assert stranger.get("/play/open", 303).headers["location"] == "/p/open"


def test_whoever_has_an_account_joins_with_it(world: GameWorld) -> None:
    world.game("open", "Open", is_open=True)
    person = world.sign_in("calm-crane")
    assert "/play/open" in [link.get("href") for link in person.see("/").cssselect("main .door")]
    page = person.see("/play/open")
    assert "Play as calm-crane" in words_of(page)
    assert person.send("/play/open").headers["location"] == "/p/open?done=joined"


def test_every_page_of_an_open_game_leads_those_to_the_door_who_are_not_in_it(world: GameWorld) -> None:
    world.game("open", "Open", is_open=True)
    for person in (world.stranger(), world.sign_in("calm-crane")):
        for path in ("", "/consent", "/manage"):
            assert person.get(f"/p/open{path}", 303).headers["location"] == "/play/open"


def test_whoever_was_sent_to_a_room_comes_to_it_by_joining_and_agreeing(world: GameWorld) -> None:
    world.game("open", "Open", is_open=True)
    stranger = world.stranger()
    door = stranger.get("/p/open/rooms/BCDFGH", 303).headers["location"]
    assert door == "/play/open?then=%2Fp%2Fopen%2Frooms%2FBCDFGH"
    (form,) = stranger.see(door).forms
    values = {**fields_of(form), "password": PASSWORD, "again": PASSWORD}
    answer = stranger.client.post(form.action, data=values)
    stranger.login = stranger.client.cookies[LOGIN]
    joined = answer.headers["location"]
    assert joined == "/p/open/rooms/BCDFGH?done=joined"
    consent = stranger.get(joined, 303).headers["location"]
    fields = fields_of(stranger.see(consent).forms[-1])
    assert stranger.send("/p/open/consent", **fields).headers["location"] == "/p/open/rooms/BCDFGH?done=agreed"


@pytest.mark.parametrize(
    "then", ["//elsewhere.example/p/open/rooms/B", "/p/peaks/rooms/B", "/p/open/../x", "javascript:0"]
)
def test_a_detour_leads_to_rooms_of_the_same_game_alone(world: GameWorld, then: str) -> None:
    world.game("open", "Open", is_open=True)
    person = world.player(game="open")
    assert person.get(f"/play/open?then={then}", 303).headers["location"] == "/p/open"
    assert person.send("/p/open/consent", then=then).headers["location"] == "/p/open/tutorial?done=agreed"


def test_whoever_was_signed_in_before_is_asked_to_sign_in_again(world: GameWorld) -> None:
    world.game("open", "Open", is_open=True)
    person = world.player(game="open")
    world.now += 2 * accounts.LOGIN_SECONDS
    assert person.get("/p/open", 303).headers["location"].startswith("/sign-in")


def test_a_game_by_invitation_is_not_there_for_strangers(world: GameWorld) -> None:
    stranger = world.stranger()
    assert stranger.get("/", 303).headers["location"] == "/sign-in"
    assert stranger.get("/p/peaks", 303).headers["location"].startswith("/sign-in")
    stranger.get("/play/peaks", 404)
    stranger.get("/play/rivers", 404)
    stranger.get("/play/%2e%2e", 404)
    person = world.sign_in("calm-crane")
    person.get("/p/peaks", 404)
    person.send("/play/peaks", 404)


def test_nobody_joins_a_closed_game(world: GameWorld) -> None:
    world.game("open", "Open", is_open=True)
    with world.writing() as session:
        close_project(session, projects.find_project(session, "open"), by=None, now=world.now)
    world.stranger().get("/play/open", 404)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"again": "another one here"}, "The two passwords differ"),
        ({"password": "short", "again": "short"}, "has 5 characters"),
        ({"name": "Anna Schmidt"}, "Anna Schmidt"),
        ({"name": "calm-crane"}, "calm-crane"),
    ],
)
def test_what_cannot_be_taken_is_said_on_the_page(world: GameWorld, fields: dict[str, str], words: str) -> None:
    world.game("open", "Open", is_open=True)
    world.account("calm-crane")
    stranger = world.stranger()
    form = stranger.see("/play/open").forms[0]
    answer = stranger.client.post(
        "/play/open", data={**fields_of(form), "password": PASSWORD, "again": PASSWORD, **fields}
    )
    assert answer.status_code in (400, 409, 422)
    assert words in " ".join(parsed(answer).cssselect("[role=alert]")[0].text_content().split())


def test_a_flood_of_new_players_is_stopped(world: GameWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world.game("open", "Open", is_open=True)
    monkeypatch.setattr(players, "MOST_NEW_AN_HOUR", 2)
    join(world.stranger()), join(world.stranger())
    join(world.stranger(), status=409)
    world.now += 3601
    join(world.stranger())


def test_a_form_of_another_site_joins_nobody(world: GameWorld) -> None:
    world.game("open", "Open", is_open=True)
    answer = world.stranger().client.post("/play/open", data={"password": PASSWORD, "again": PASSWORD})
    assert answer.status_code == 403


def test_an_invitation_to_a_game_says_that_it_is_one(world: GameWorld) -> None:
    organiser = world.organiser()
    answer = organiser.send("/p/peaks/manage/invite", 200, role="annotator", days="1", places="1")
    link = answer.text.partition("/join/")[2].partition('"')[0]
    page = world.stranger().see(f"/join/{link}")
    assert "You are invited to play" in words_of(page)
