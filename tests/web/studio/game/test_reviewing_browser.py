"""Review and figures in a browser: axe finds no fault, also on a phone and in the dark, and nothing is too wide."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.studio.desk import Desk, desk_of, faults_of
from tests.web.studio.game.test_reviewing import QUEUE, play, report
from tests.web.studio.game.world import GAME, GameWorld

if TYPE_CHECKING:
    from playwright.sync_api import Browser


pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def desk(world: GameWorld, browser: Browser) -> Iterator[Desk]:
    with desk_of(world, browser) as made:
        yield made


@pytest.mark.parametrize(
    "options",
    [{"color_scheme": "light"}, {"color_scheme": "dark", "viewport": {"width": 390, "height": 800}}],
    ids=["wide and light", "phone and dark"],
)
def test_a_claim_is_reviewed_and_axe_finds_no_fault(desk: Desk, world: GameWorld, options: dict[str, Any]) -> None:
    boss = world.organiser()
    world.player()
    for number in range(3):
        play(world, "calm-crane", world.pair(number=number), seconds=0.2)
    reported = world.pair(number=4)
    report(world, "calm-crane", reported)
    context = desk.sit_down(boss, reduced_motion="reduce", **options)  # what fades in is pale at first
    page = desk.open(context, QUEUE)
    for address in (QUEUE, f"{QUEUE}/rounds", f"/p/{GAME}/game-figures", f"{QUEUE}/{reported[0]}"):
        page.goto(f"{desk.home}{address}")
        assert faults_of(page) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.fill("#note", "It is wrong.")
    page.click("button[value=withdraw]")
    page.wait_for_selector("text=Withdrawn. The claim is not played any more")
    page.click("button[value=restore]")
    page.wait_for_selector("text=The claim is back")
    assert faults_of(page) == []
