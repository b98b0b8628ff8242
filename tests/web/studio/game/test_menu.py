"""The first page of a game: what one can do now, by whose turn it is, and how one stands."""

from __future__ import annotations

from random import Random

import pytest
from lxml import html
from sqlalchemy import select

from tests.web.studio.game.lively import make_lively, play
from tests.web.studio.game.world import GAME, SECRET_GOLD, SECRET_HINT, GameWorld
from tests.web.studio.world import Person, words_of
from veritab.studio import projects
from veritab.studio.game.playing import begin_round
from veritab.studio.game.records import GameClaimRecord, GameRoundRecord, GameWritingRecord
from veritab.studio.game.rules import Rules
from veritab.studio.game.vocabulary import GameClaimState, WritingState
from veritab.studio.projects import close_project


def button(page: html.HtmlElement, words: str) -> html.HtmlElement:
    return next(each for each in page.cssselect("form.play button") if each.text_content().strip() == words)


def why_not(page: html.HtmlElement, words: str) -> str:
    """The reason beside a button that cannot be pressed."""
    pressed = button(page, words)
    assert pressed.get("disabled") is not None
    return " ".join(page.get_element_by_id(pressed.get("aria-describedby")).text_content().split())


def topics(page: html.HtmlElement) -> dict[str, str]:
    return {each.cssselect("b")[0].text: each.cssselect("span span")[0].text for each in page.cssselect(".topic")}


def writing(world: GameWorld, name: str, state: WritingState = WritingState.OPEN) -> int:
    """Somebody at work on a claim, or done with it."""
    with world.writing() as session:
        record = GameWritingRecord(
            project_id=projects.find_project(session, GAME).id,
            account_id=world.account_id(name),
            topic="",
            page="K2",
            truth=True,
            state=state.value,
            opened_at=world.now,
            deadline=world.now + 480,
            ended_at=None if state is WritingState.OPEN else world.now,
            draft={"text": "", "gold": []},
        )
        session.add(record)
        session.flush()
        return record.id


# -- the frame ---------------------------------------------------------------------------------------------


def test_a_game_has_its_own_brand_and_ways_to_go(world: GameWorld) -> None:
    page = world.player().see("/p/peaks")
    assert page.cssselect(".brand")[0].text_content().strip() == "Veritab Game"
    entries = [link.text for link in page.cssselect("header nav a")]
    assert entries == ["Play", "My claims", "News", "Leaderboard"]
    assert "Write a claim that fools people" in words_of(page)
    of_manager = [link.text for link in world.organiser().see("/p/peaks").cssselect("header nav a")]
    assert of_manager == [*entries, "Review", "Figures", "Manage"]


def test_other_projects_keep_the_frame_of_the_studio(world: GameWorld) -> None:
    world.project()
    page = world.member("calm-crane").see("/p/rivers")
    assert page.cssselect(".brand")[0].text_content().strip() == "Veritab Studio"
    assert not page.cssselect("link[href*='game.css']")


def test_whoever_is_new_agrees_then_learns_how_it_is_played(world: GameWorld) -> None:
    person = world.player(consented=False)
    assert person.get("/p/peaks", 303).headers["location"] == "/p/peaks/consent"
    assert "You play under a pseudonym" in words_of(person.see("/p/peaks/consent"))
    page = person.follow(person.send("/p/peaks/consent"))
    assert page.cssselect("h1")[0].text == "How it is played"
    assert len(page.cssselect(".steps > li")) == 3
    assert "New here?" in words_of(person.see("/p/peaks"))


# -- what one can do ---------------------------------------------------------------------------------------


def test_where_there_are_no_claims_the_first_one_is_asked_for(world: GameWorld) -> None:
    page = world.player().see("/p/peaks")
    assert "There are no claims yet. Write the first one" in words_of(page)
    assert "too few claims" in why_not(page, "Vote")
    assert button(page, "Write").get("disabled") is None


def test_claims_that_one_wrote_or_met_are_not_counted(world: GameWorld) -> None:
    person = world.player()
    world.claim("My own claim.", author="calm-crane")
    world.claim("One that rests.", state=GameClaimState.RESTING)
    assert topics(person.see("/p/peaks"))["Anything"].startswith("no new claims, 226 pages")
    world.pair()
    page = person.see("/p/peaks")
    assert topics(page)["Anything"].startswith("2 new claims")
    assert topics(page)["Mountains"] == "2 new claims"
    assert button(page, "Vote").get("disabled") is None


def test_one_true_claim_alone_cannot_be_voted_on(world: GameWorld) -> None:
    person = world.player()
    world.claim()
    page = person.see("/p/peaks")
    assert topics(page)["Anything"].startswith("1 new claim,")
    assert "a true and a false one" in why_not(page, "Vote")


def test_the_roles_take_turns_and_the_page_says_why(world: GameWorld) -> None:
    world.player()
    world.pair()
    world.pair(number=2)
    play(world, "calm-crane")
    person = world.sign_in("calm-crane")
    page = person.see("/p/peaks")
    assert "Your turn to write" in words_of(page)
    assert why_not(page, "Vote") == "Writing and voting take turns, and you voted last: write next."
    world.now += 200
    writing(world, "calm-crane", WritingState.PUBLISHED)
    page = person.see("/p/peaks")
    assert "Your turn to vote" in words_of(page)
    assert why_not(page, "Write") == "Writing and voting take turns, and you wrote last: vote next."


def test_where_the_rules_do_not_take_turns_both_are_offered(world: GameWorld) -> None:
    world.player()
    world.pair()
    world.pair(number=2)
    world.organiser().send("/p/peaks/rules", **rules_without("takes_turns"))
    play(world, "calm-crane")
    page = world.sign_in("calm-crane").see("/p/peaks")
    assert [each.get("disabled") for each in page.cssselect("form.play button")] == [None, None]


def rules_without(name: str) -> dict[str, str]:
    return {rule: str(value) for rule, value in Rules().as_dict().items() if rule != name}


def test_what_one_has_begun_is_offered_first_with_the_time_left(world: GameWorld) -> None:
    person = world.player()
    world.pair()
    with world.writing() as session:
        project = projects.find_project(session, GAME)
        me, digest = world.account_id("calm-crane"), project.corpus_digest
        id = begin_round(session, project, me, "", rng=Random(1), digest=digest, now=world.now - 78).id
    claim = writing(world, "calm-crane")
    page = person.see("/p/peaks")
    going = [(link.text_content(), link.get("href")) for link in page.cssselect(".going a")]
    assert going == [
        ("Go on: 1:42 left", f"/p/peaks/rounds/{id}"),
        ("Go on: 8:00 left", f"/p/peaks/writings/{claim}"),
    ]
    assert not page.cssselect("form.play")
    world.now += 500
    page = person.see("/p/peaks")
    assert not page.cssselect(".going")
    assert page.cssselect("form.play")


def test_whoever_has_played_goes_on_playing_when_the_consent_has_changed(world: GameWorld) -> None:
    person = world.player()
    world.pair()
    person.send("/p/peaks/vote", topic="")
    world.organiser().send("/p/peaks/manage/consent", consent="You agree to less.", sure="yes")
    assert person.get("/p/peaks", 303).headers["location"] == "/p/peaks/consent"
    assert person.send("/p/peaks/consent").headers["location"] == "/p/peaks?done=agreed"


def test_the_menu_tells_nothing_of_the_claims_to_come(world: GameWorld) -> None:
    person = world.player()
    world.pair()
    text = person.get("/p/peaks").text
    for secret in (SECRET_GOLD, SECRET_HINT, "taller than", "Mount Everest"):
        assert secret not in text


def test_how_one_stands_is_told(world: GameWorld) -> None:
    make_lively(world)
    page = world.player("keen-lynx-2").see("/p/peaks")
    assert tiles(page) == {"Points": "0", "Rank": "–", "Rounds": "0", "Claims written": "0"}
    page = world.sign_in("keen-lynx").see("/p/peaks")
    assert tiles(page) == {"Points": "80", "Rank": "1", "Rounds": "2", "Claims written": "0"}
    page = world.sign_in("calm-crane").see("/p/peaks")
    assert tiles(page)["Claims written"] == "3"


def tiles(page: html.HtmlElement) -> dict[str, str]:
    return {each.cssselect("dt")[0].text: each.cssselect("dd")[0].text for each in page.cssselect(".tiles > div")}


def test_whoever_runs_the_game_sees_what_waits(world: GameWorld) -> None:
    make_lively(world)
    assert "1 claim reported or resting" in words_of(world.sign_in("wise-owl").see("/p/peaks"))
    assert "/review" not in world.sign_in("keen-lynx").get("/p/peaks").text


def test_a_corpus_that_changed_stops_writing_and_not_voting(world: GameWorld) -> None:
    person, organiser = world.player(), world.organiser()
    world.pair()
    with world.writing() as session:
        projects.find_project(session, GAME).corpus_digest = "another"
        for record in session.scalars(select(GameClaimRecord)):
            record.corpus_digest = "another"
    page = person.see("/p/peaks")
    assert why_not(page, "Write") == "Nobody can write just now: the pages have changed."
    assert button(page, "Vote").get("disabled") is None
    assert "has changed: it was another" in why_not(organiser.see("/p/peaks"), "Write")


def test_where_nobody_can_write_whoever_voted_last_votes_again(world: GameWorld) -> None:
    player = world.player()
    for number in (1, 2):
        world.pair(number=number)
    address = player.send("/p/peaks/vote").headers["location"]
    player.send(f"{address}/vote", side="left")
    player.send("/p/peaks/vote", 409)
    with world.writing() as session:
        projects.find_project(session, GAME).corpus_digest = "another"
        for record in session.scalars(select(GameClaimRecord)):
            record.corpus_digest = "another"
    assert button(player.see("/p/peaks"), "Vote").get("disabled") is None
    assert player.send("/p/peaks/vote").headers["location"] != address


def test_who_is_paused_and_what_is_closed_is_not_played(world: GameWorld) -> None:
    person, organiser = world.player(), world.organiser()
    number = world.member_id("calm-crane")
    organiser.send(f"/p/peaks/manage/members/{number}/decide", step="pause", reason="Take a <i>break</i>.")
    page = person.see("/p/peaks")
    assert "You are paused in this game" in words_of(page)
    assert "Take a <i>break</i>." in words_of(page)
    assert not page.cssselect("form.play")
    person.send("/p/peaks/tutorial", 403)
    with world.writing() as session:
        close_project(session, projects.find_project(session, GAME), by=None, now=world.now)
    assert "is closed" in words_of(organiser.see("/p/peaks"))
    person.see("/p/peaks/leaderboard")


def test_somebody_of_a_panel_gets_the_code_for_playing_however_badly(world: GameWorld) -> None:
    world.player()
    with world.writing() as session:
        project = projects.find_project(session, GAME)
        member = projects.member_of(session, project, world.account_id("calm-crane"))
        member.completion_code = "THANKS-7"
        project.settings = {**project.settings, "panel_answers": 2}
    for number in (1, 2):
        world.pair(number=number)
        assert "THANKS-7" not in words_of(world.sign_in("calm-crane").see("/p/peaks"))
        play(world, "calm-crane", right=False)
    assert "THANKS-7" in words_of(world.sign_in("calm-crane").see("/p/peaks"))


# -- rooms and practice ------------------------------------------------------------------------------------


def test_the_code_of_a_room_leads_there(world: GameWorld) -> None:
    person = world.player()
    assert person.get("/p/peaks/find-room?code=+BCD-FGH+", 303).headers["location"] == "/p/peaks/rooms/BCD-FGH"
    assert person.get("/p/peaks/find-room?code=..%2F..%2Fx", 303).headers["location"] == "/p/peaks/rooms/..%2F..%2Fx"
    assert person.get("/p/peaks/find-room", 303).headers["location"] == "/p/peaks"


def test_the_tutorial_says_the_rules_of_this_game(world: GameWorld) -> None:
    world.game("fast", "Fast", vote_seconds=60, hint_seconds=0, writing_points=100, takes_turns=False)
    words = words_of(world.player(game="fast").see("/p/fast/tutorial"))
    for said in ("You have 60 seconds", "Hints are free", "brings 100 points"):
        assert said in words
    assert "take turns" not in words


def test_a_practice_round_can_be_played_skipped_and_played_again(world: GameWorld) -> None:
    person = world.player()
    first = person.send("/p/peaks/tutorial").headers["location"]
    id = int(first.removeprefix("/p/peaks/rounds/"))
    assert world.find(GameRoundRecord, id).is_practice
    assert person.send("/p/peaks/tutorial").headers["location"] == first
    page = person.see("/p/peaks")
    assert "New here?" not in words_of(page)
    assert tiles(page)["Rounds"] == "0"
    world.now += 1000
    assert person.send("/p/peaks/tutorial").headers["location"] != first


@pytest.mark.parametrize("path", ["", "/tutorial", "/leaderboard", "/news", "/my-claims", "/find-room?code=X"])
def test_nobody_else_sees_a_page_of_a_game(world: GameWorld, path: str) -> None:
    person: Person = world.sign_in("calm-crane")
    person.get(f"/p/peaks{path}", 404)
    assert world.stranger().get(f"/p/peaks{path}", 303).headers["location"].startswith("/sign-in")
