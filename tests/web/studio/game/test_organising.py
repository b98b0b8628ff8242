"""Whoever runs a game sees what waits, sets the rules and who may play, and is shown nothing that a game has not."""

from __future__ import annotations

from random import Random

import pytest
from lxml import html
from starlette.testclient import TestClient

from tests.web.studio.game.lively import make_lively
from tests.web.studio.game.world import GAME, GameWorld
from tests.web.studio.world import fields_of, words_of
from veritab.studio import projects
from veritab.studio.game.games import game_of, rules_of
from veritab.studio.game.playing import begin_practice
from veritab.studio.game.records import GameRoundRecord
from veritab.studio.game.rules import Rules


def rules(world: GameWorld) -> Rules:
    with world.studio.database.reading() as session:
        return rules_of(session, projects.find_project(session, GAME))


def rules_form(page: html.HtmlElement) -> dict[str, str]:
    return fields_of(page.cssselect("form.settings")[0])


def test_every_rule_can_be_seen_and_changed(world: GameWorld) -> None:
    organiser = world.organiser()
    page = organiser.see("/p/peaks/rules")
    form = rules_form(page)
    assert set(Rules().as_dict()) <= set(form)
    assert "As in the paper" in words_of(page)
    form |= {"hint_seconds": "15", "checker_margin": "0.5"}
    del form["takes_turns"]
    assert organiser.send("/p/peaks/rules", **form).headers["location"] == "/p/peaks/rules?done=rules"
    assert rules(world) == Rules(hint_seconds=15, checker_margin=0.5, takes_turns=False)
    assert organiser.send("/p/peaks/rules", **form).headers["location"] == "/p/peaks/rules?done=same"
    assert "change rules" in words_of(organiser.see("/p/peaks/manage/trail"))


def test_all_rules_of_the_published_code_come_by_one_click(world: GameWorld) -> None:
    organiser = world.organiser()
    organiser.send("/p/peaks/rules", preset="code")
    assert rules(world) == Rules.preset("code")
    assert "As in the published code" in words_of(organiser.see("/p/peaks/rules"))
    organiser.send("/p/peaks/rules", 400, preset="mine")


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("vote_seconds", "5", "vote_seconds is 5"),
        ("vote_seconds", "soon", "'soon' is not a whole number"),
        ("hint_seconds", "", "is not a whole number"),
        ("checker_margin", "nan", "checker_margin is nan"),
        ("hint_seconds", "9" * 39, "hint_seconds is 9"),
    ],
)
def test_a_rule_that_cannot_be_is_refused_and_what_was_typed_stays(
    world: GameWorld, name: str, value: str, said: str
) -> None:
    organiser = world.organiser()
    form = rules_form(organiser.see("/p/peaks/rules"))
    answer = organiser.send("/p/peaks/rules", 400, **{**form, name: value, "like_points": "11"})
    page = html.document_fromstring(answer.text)
    assert said in words_of(page)
    assert rules_form(page)["like_points"] == "11"
    assert rules(world) == Rules()


def test_the_game_is_opened_to_all_and_closed_again(world: GameWorld) -> None:
    organiser = world.organiser()
    world.stranger().get("/play/peaks", 404)
    organiser.send("/p/peaks/open", open="yes")
    world.stranger().get("/play/peaks")
    assert "Anybody may play" in words_of(organiser.see("/p/peaks/manage"))
    organiser.send("/p/peaks/open", open="no")
    world.stranger().get("/play/peaks", 404)
    with world.studio.database.reading() as session:
        assert not game_of(session, projects.find_project(session, GAME)).is_open


@pytest.mark.parametrize("path", ["/rules", "/manage", "/manage/members", "/manage/settings", "/manage/trail"])
def test_players_do_not_run_the_game(world: GameWorld, path: str) -> None:
    person = world.player()
    person.get(f"/p/peaks{path}", 403)
    person.send("/p/peaks/rules", 403, preset="code")
    person.send("/p/peaks/open", 403, open="yes")


def test_another_project_has_no_rules(world: GameWorld) -> None:
    world.project()
    manager = world.manager()
    manager.get("/p/rivers/rules", 404)
    manager.send("/p/rivers/open", 404, open="yes")


def test_the_overview_counts_players_claims_and_rounds(world: GameWorld) -> None:
    make_lively(world)
    page = world.sign_in("wise-owl").see("/p/peaks/manage")
    words = words_of(page)
    for said in (
        "1 claim reported or resting",
        "5 players",
        "3 rounds",
        "5 playing",
        "1 resting",
        "almanac, 226 pages",
    ):
        assert said in words
    assert "task" not in words.lower()


def test_what_a_game_has_not_is_not_offered(world: GameWorld) -> None:
    make_lively(world)
    organiser = world.sign_in("wise-owl")
    entries = [link.text for link in organiser.see("/p/peaks/manage").cssselect(".subnav a")]
    assert entries == ["Overview", "Members", "Rules", "Settings", "Trail"]
    page = organiser.see("/p/peaks/manage/members")
    heads = [each.text for each in page.cssselect("table.rows")[0].cssselect("thead th")]
    assert heads == ["Pseudonym", "Role", "Stage", "Rounds", "Claims", "Claims reported", "Joined"]
    rows = {
        row.cssselect("th")[0].text_content(): [cell.text_content() for cell in row.cssselect("td")]
        for row in page.cssselect("table.rows")[0].cssselect("tbody tr")
    }
    assert rows["keen-lynx"][0] == "player"
    assert rows["keen-lynx"][2:5] == ["2", "0", "0"]
    assert rows["calm-crane"][2:4] == ["0", "3"]
    words = words_of(organiser.see(f"/p/peaks/manage/members/{world.member_id('keen-lynx')}"))
    assert "Make them a manager" in words
    for said in ("Calibration", "annotator", "gold", "Tasks they answered"):
        assert said not in words
    page = organiser.see("/p/peaks/manage/settings")
    assert not page.cssselect("#calibration_size")
    assert page.cssselect("#panel_answers")
    assert organiser.send("/p/peaks/manage/settings", panel_answers="4").headers["location"].endswith("done=settings")


def test_a_corpus_is_accepted_and_claims_that_rest_on_what_changed_rest(world: GameWorld) -> None:
    organiser = world.organiser()
    kept = world.claim(corpus_digest="")
    rested = world.claim("It rests on words that are not there.", corpus_digest="before")
    with world.writing() as session:
        projects.find_project(session, GAME).corpus_digest = "before"
    assert "Nobody can write" in words_of(organiser.see("/p/peaks/manage"))
    assert organiser.send("/p/peaks/manage/corpus").headers["location"].endswith("done=corpus")
    assert world.claim_of(kept).state == "playing"
    assert world.claim_of(rested).state == "resting"
    assert "The corpus has changed" not in words_of(organiser.see("/p/peaks/manage"))


def test_rounds_nobody_looks_at_are_ended_by_the_server(world: GameWorld) -> None:
    world.player()
    with world.writing() as session:
        project = projects.find_project(session, GAME)
        id = begin_practice(session, project, world.account_id("calm-crane"), rng=Random(1), now=world.now).id
    world.now += 181
    with TestClient(world.app) as client:  # what it looks after begins with it
        for _ in range(100):
            client.get("/healthz")
            if world.find(GameRoundRecord, id).outcome == "timed out":
                break
    assert world.find(GameRoundRecord, id).outcome == "timed out"
