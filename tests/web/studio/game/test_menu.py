"""The first page of a game, and the frame around all of its pages."""

from __future__ import annotations

from tests.web.studio.game.world import GameWorld
from tests.web.studio.world import words_of


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


def test_whoever_is_new_agrees_before_they_play(world: GameWorld) -> None:
    person = world.player(consented=False)
    assert person.get("/p/peaks", 303).headers["location"] == "/p/peaks/consent"
    assert "You play under a pseudonym" in words_of(person.see("/p/peaks/consent"))
