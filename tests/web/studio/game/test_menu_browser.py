"""The way into a game and its menu in Chromium: by keyboard alone, on a phone and in the dark, without motion."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.serving import served
from tests.web.studio.game.lively import make_lively
from tests.web.studio.game.world import GameWorld
from tests.web.studio.test_browser import LOOKS, PHONE, open_as
from tests.web.studio.world import PASSWORD
from tests.web.test_browser import faults_of
from veritab.pipeline import Checker

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def lively(checker: Checker, empty_studio: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GameWorld]:
    """A server with a game that has been going for a while; its address is `world.address`."""
    folder = tmp_path_factory.mktemp("lively") / "studio"
    shutil.copytree(empty_studio, folder)
    world = GameWorld(str(folder), checker)
    world.game(is_open=True)
    make_lively(world)
    with served(world.app) as (_, (host, port)):
        world.address = f"http://{host}:{port}"  # type: ignore[attr-defined]
        yield world
    world.close()


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_a_stranger_joins_learns_practises_and_votes_by_keyboard_alone(
    browser: Browser, lively: Any, script: bool
) -> None:
    page = open_as(browser, lively, "", "/", java_script_enabled=script, viewport=PHONE, reduced_motion="reduce")
    keys = page.keyboard
    page.locator("main .door").first.focus()
    keys.press("Enter")
    page.wait_for_url("**/play/peaks")
    page.locator("#password").focus()
    keys.type(PASSWORD)
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    page.wait_for_url("**/p/peaks/consent")
    page.locator("button", has_text="I agree").focus()
    keys.press("Enter")
    page.wait_for_url("**/p/peaks/tutorial?done=agreed")
    page.locator("button", has_text="Try a practice round").focus()
    keys.press("Enter")
    page.wait_for_url("**/p/peaks/rounds/*")
    page.goto(f"{lively.address}/p/peaks")
    assert page.locator(".going a").inner_text().startswith("Go on: ")
    page.locator("input[name=topic]").first.focus()
    keys.press("ArrowDown")  # the first topic after anything
    assert page.locator("input[name=topic]").nth(1).is_checked()
    keys.press("ArrowUp")
    page.locator("button", has_text="Vote").focus()
    keys.press("Enter")
    page.wait_for_url("**/p/peaks/rounds/*")
    assert "taller than" in page.inner_text("main")
    page.context.close()


def test_the_time_left_of_what_one_has_begun_goes_on(browser: Browser, lively: Any) -> None:
    person = lively.player("swift-swan")
    person.send("/p/peaks/tutorial")
    page = open_as(browser, lively, "swift-swan", "/p/peaks")
    assert page.locator(".going .left").inner_text() == "3:00"
    page.locator(".going .left", has_text="2:5").wait_for()
    page.context.close()


def test_every_page_is_sound_on_a_phone_and_in_the_dark(browser: Browser, lively: Any) -> None:
    paths = (
        ("", "/"),
        ("", "/play/peaks"),
        ("keen-lynx", "/p/peaks"),
        ("calm-crane", "/p/peaks"),
        ("calm-crane", "/p/peaks/leaderboard"),
        ("calm-crane", "/p/peaks/my-claims"),
        ("calm-crane", "/p/peaks/news"),
        ("calm-crane", "/p/peaks/tutorial"),
        ("wise-owl", "/p/peaks/manage"),
        ("wise-owl", "/p/peaks/rules"),
        ("wise-owl", "/p/peaks/manage/members"),
        ("wise-owl", "/p/peaks/manage/settings"),
    )
    found = {}
    for number, (name, path) in enumerate(paths):
        page = open_as(browser, lively, name, path, **LOOKS[number % len(LOOKS)])
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        faults = faults_of(page) + ([f"{overflow} pixels too wide"] if overflow > 0 else [])
        if faults:
            found[path] = faults
        page.context.close()
    assert not found
