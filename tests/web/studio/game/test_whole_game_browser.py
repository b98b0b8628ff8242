"""A whole game in two players' browsers and an organiser's: written, voted on, liked, reported and reviewed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.web.studio.desk import Desk, desk_of, saved
from tests.web.studio.game.test_writing import claims_of
from tests.web.studio.game.world import GAME, GameWorld
from tests.web.studio.world import Person
from veritab.studio.game.vocabulary import GameClaimState

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CLAIM = "There is a sentence on this page that nobody would take for what it says."


def write_claim(page: Page) -> None:
    """From the menu: write a claim, choose the first sentence of the page, publish."""
    page.click("button:has-text('Write')")
    page.wait_for_selector("#claim")
    page.fill("#claim", CLAIM)
    page.locator("[id^=sentence_]").first.click()
    page.locator("[data-pieces] [data-remove]").wait_for()
    saved(page)
    page.click("[data-publish]")
    page.wait_for_selector(".shown-to-voters")


def test_two_people_play_and_a_third_one_reviews(browser: Browser, world: GameWorld) -> None:
    author, voter, organiser = world.player("calm-crane"), world.player("lone-lynx"), world.organiser()
    with desk_of(world, browser) as desk:
        writing, voting, reviewing = (open_menu(desk, person) for person in (author, voter, organiser))
        write_claim(writing)
        (claim,) = claims_of(world)
        # A claim that nobody of the game wrote makes it a pair.
        world.claim("K2 is taller than Mount Everest.", not claim.truth, page="K2 (of somebody else)", topic="")

        voting.reload()
        voting.click("button:has-text('Vote')")
        mine = voting.locator("[data-side]", has_text=CLAIM)
        mine.wait_for()
        round_address = voting.url
        assert "calm-crane" not in voting.content()
        mine.locator("[data-hint]").click()
        mine.locator("[data-hints] > li").wait_for()
        false = mine if not claim.truth else voting.locator("[data-side]").filter(has_not_text=CLAIM)
        false.locator("[data-vote]").click()
        voting.wait_for_selector("h1:text-is('You spotted the false claim')")
        place = 0 if CLAIM in voting.inner_text("#claim-left") else 1
        voting.click(f"button:has-text('Claim {place + 1}')")
        voting.wait_for_selector("[data-liked]")

        writing.goto(f"{desk.home}/p/{GAME}/news")
        assert "liked" in writing.inner_text("main")
        voting.goto(f"{desk.home}/p/{GAME}/leaderboard")
        assert "120" in voting.inner_text("main")

        # The same voter finds on second thoughts that it should not be played.
        voting.goto(round_address)
        voting.click("summary:has-text('Report a claim')")
        voting.locator("details[open] input[name=side]").nth(place).check()
        voting.locator("details[open] input[name=reason][value=incorrect]").check()
        voting.click("details[open] button[type=submit]")
        voting.wait_for_selector("details.report", state="detached")
        assert world.claim_of(claim.id).state == GameClaimState.RESTING

        reviewing.goto(f"{desk.home}/p/{GAME}/review")
        reviewing.click(f"text={CLAIM}")
        reviewing.click("button[value=keep]")
        reviewing.wait_for_load_state()
        assert world.claim_of(claim.id).state == GameClaimState.PLAYING
        writing.goto(f"{desk.home}/p/{GAME}/news")
        assert "was reviewed and is played" in writing.inner_text("main")
        kept = world.claim_of(claim.id)
        assert (kept.votes, kept.right_votes, kept.likes) == (1, 1, 1)


def open_menu(desk: Desk, person: Person) -> Page:
    return desk.open(desk.sit_down(person), f"/p/{GAME}")
