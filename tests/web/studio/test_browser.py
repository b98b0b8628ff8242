"""The studio in Chromium: by keyboard alone, without script, on a phone and in the dark, and nothing from outside runs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.serving import served
from tests.web.studio.busy import make_busy
from tests.web.studio.world import PASSWORD, World
from tests.web.test_browser import faults_of
from veritab.pipeline import Checker
from veritab.studio.accounts import IDLE_SECONDS
from veritab.studio.states import MemberStage
from veritab.web.studio.sessions import LOGIN

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE, WIDE = {"width": 360, "height": 740}, {"width": 1440, "height": 900}
LOOKS: tuple[dict[str, Any], ...] = (
    {"viewport": PHONE, "color_scheme": "dark"},
    {"viewport": WIDE, "color_scheme": "light"},
    {"viewport": PHONE, "color_scheme": "light"},
    {"viewport": WIDE, "color_scheme": "dark"},
)


@pytest.fixture(scope="module")
def busy(checker: Checker, empty_studio: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A server with a busy studio; its address is `world.address`."""
    folder = tmp_path_factory.mktemp("busy") / "studio"
    shutil.copytree(empty_studio, folder)
    world = World(str(folder), checker)
    world.project()
    world.tasks = make_busy(world)  # type: ignore[attr-defined]
    with served(world.app) as (_, (host, port)):
        world.address = f"http://{host}:{port}"  # type: ignore[attr-defined]
        yield world
    world.close()


def open_as(browser: Browser, world: Any, name: str, path: str, **options: Any) -> Page:
    """A page as somebody sees it who is signed in; nobody's name opens it as a stranger."""
    context = browser.new_context(**options)
    if name:
        cookie = {"name": LOGIN, "value": world.sign_in(name).login, "url": world.address, "sameSite": "Strict"}
        context.add_cookies([cookie])  # type: ignore[list-item]
    page = context.new_page()
    page.goto(f"{world.address}{path}")
    return page


def test_somebody_begins_by_keyboard_alone_and_without_script(browser: Browser, busy: Any) -> None:
    busy.member("merry-marten", stage=MemberStage.INVITED, consented=False, has_read=False)
    page = open_as(browser, busy, "", "/p/rivers", java_script_enabled=False)
    keys = page.keyboard
    keys.type("merry-marten")
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    page.wait_for_url("**/p/rivers/consent")
    page.locator("button", has_text="I agree").focus()
    keys.press("Enter")
    page.wait_for_url("**/p/rivers?done=agreed")
    page.locator(".next a").first.focus()
    keys.press("Enter")
    page.wait_for_url("**/guidelines/feverous-verification")
    page.locator("button", has_text="I have read it").focus()
    keys.press("Enter")
    page.wait_for_url("**/p/rivers?done=read")
    assert page.locator("[role=status]").inner_text() == "Noted. Tasks of this kind can come to you now."
    page.locator("button", has_text="Next task").focus()
    with page.expect_navigation():
        keys.press("Enter")
    assert "/p/rivers/task/" in page.url
    page.context.close()


def test_what_was_written_when_the_session_ended_is_sent_after_signing_in(browser: Browser, busy: Any) -> None:
    page = open_as(browser, busy, "wise-owl", "/p/rivers/guidelines/feverous-claims/edit")
    page.fill("#text", "Write about what is highlighted.")
    before, busy.now = busy.now, busy.now + IDLE_SECONDS + 1
    page.click("text=Publish version")
    page.fill("#name", "wise-owl")
    page.fill("#password", PASSWORD)
    page.keyboard.press("Enter")
    page.locator("button", has_text="Send it now").click()
    page.wait_for_url("**/guidelines/feverous-claims?done=published")
    assert "Write about what is highlighted." in page.inner_text(".prose")
    busy.now = before
    page.context.close()


def test_every_page_is_sound_on_a_phone_and_in_the_dark(browser: Browser, busy: Any) -> None:
    tasks = busy.tasks
    paths = (
        ("", "/sign-in"),
        ("calm-crane", "/p/rivers/mine"),
        ("wise-owl", f"/p/rivers/qa/{tasks['disputed']}"),
        ("wise-owl", "/p/rivers/manage"),
        ("wise-owl", "/p/rivers/manage/members"),
        ("wise-owl", "/p/rivers/manage/tasks"),
        ("wise-owl", "/p/rivers/manage/works"),
        ("wise-owl", "/p/rivers/manage/settings"),
    )
    found = {}
    for number, (name, path) in enumerate(paths):
        page = open_as(browser, busy, name, path, **LOOKS[number % len(LOOKS)])
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        faults = faults_of(page) + ([f"{overflow} pixels too wide"] if overflow > 0 else [])
        if faults:
            found[path] = faults
        page.context.close()
    assert not found
