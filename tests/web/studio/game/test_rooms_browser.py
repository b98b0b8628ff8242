"""Rooms in Chromium: three people see each other come in, read and vote, and what came of it, without a reload."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.serving import until
from tests.web.studio.desk import PHONE, Desk, desk_of, faults_of
from tests.web.studio.game.test_rooms import begin, make, vote
from tests.web.studio.game.world import GameWorld
from tests.web.studio.world import Person
from veritab.studio.game.records import GameRoundRecord
from veritab.studio.game.rounds import RoundSetup
from veritab.web.server import listen
from veritab.web.studio.sessions import LOGIN

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

NAMES = ("calm-crane", "bold-badger", "wise-wren")
SEATS = "#room-panel .room-seats"
SHOTS = os.environ.get("VERITAB_SHOTS", "")
"""A folder for pictures of what the tests see; none are taken without it."""


@pytest.fixture
def desk(world: GameWorld, browser: Browser) -> Iterator[Desk]:
    world.pair()
    world.pair(number=2)
    with desk_of(world, browser) as made:
        yield made


@pytest.fixture
def three(world: GameWorld) -> list[Person]:
    return [world.player(name) for name in NAMES]


def false_side(world: GameWorld, page: Page) -> str:
    record = world.find(GameRoundRecord, int(page.url.rpartition("/")[2]))
    return RoundSetup.parse(record.setup).false_side.value


def look_at(page: Page, name: str) -> None:
    """A page as it should be: nothing that axe finds, nothing wider than the window."""
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"{name}.png", full_page=True)
    assert faults_of(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} is too wide"


def see(page: Page, words: str) -> None:
    page.wait_for_function(
        "words => (document.getElementById('room-panel')?.innerText ?? '').replace(/\\s+/g, ' ').includes(words)",
        arg=words,
    )


def test_three_people_play_one_pair_and_see_each_other(desk: Desk, three: list[Person]) -> None:
    world: GameWorld = desk.world  # type: ignore[assignment]
    host = desk.open(desk.sit_down(three[0]), "/p/peaks")
    host.click("button:text-is('Make a room')")
    host.wait_for_selector("#room-panel")
    host.evaluate("window.isTheSame = true")
    link = host.inner_text("#room-link")
    path = link.removeprefix(desk.home)
    other = desk.open(desk.sit_down(three[1], color_scheme="dark"), path)
    phone = desk.open(desk.sit_down(three[2], viewport=PHONE), path)
    look_at(phone, "invited-phone")
    other.click("#room-join")
    phone.click("#room-join")
    see(host, "bold-badger wise-wren 3 seats of 8 taken")
    assert host.evaluate("window.isTheSame") is True
    host.wait_for_selector("html.room-live")
    assert host.locator(".room-still").is_hidden()
    look_at(host, "lobby-wide")
    look_at(phone, "lobby-phone")
    host.click("#room-start")
    for page in (host, other, phone):
        page.wait_for_url("**/rounds/*")
    assert len({page.url for page in (host, other, phone)}) == 3
    look_at(phone, "playing-phone")
    other.click("[data-side=left] [data-hint]")
    see(host, "bold-badger is reading, 1 hint")
    see(phone, "bold-badger is reading, 1 hint")
    look_at(host, "playing-wide")
    side = false_side(world, host)
    host.click(f"[data-side={side}] [data-vote]")
    host.wait_for_url(f"**{path}")
    see(host, "You are done. The answer is shown as soon as everybody is.")
    see(other, "calm-crane is done")
    see(phone, "calm-crane is done")
    assert host.locator(".truth, table").count() == 0
    look_at(host, "done-wide")
    phone.click(f"[data-side={'left' if side == 'right' else 'right'}] [data-vote]")
    phone.wait_for_url(f"**{path}")
    host.evaluate("window.isTheSame = true")
    other.click(f"[data-side={side}] [data-vote]")
    for page in (host, other, phone):
        page.wait_for_selector("#room-panel table")
    assert host.evaluate("window.isTheSame") is True
    assert host.inner_text("#room-title") == "You won."
    assert phone.inner_text("#room-title") == "calm-crane won."
    assert [row.split("\t") for row in host.locator("#room-panel tbody tr").all_inner_texts()] == [
        ["calm-crane (you)", "Spotted it 0 hints, 180 seconds left", "120"],
        ["bold-badger", "Spotted it 1 hint, 150 seconds left", "120"],
        ["wise-wren", "Was fooled 0 hints, 180 seconds left", "0"],
    ]
    look_at(host, "over-wide")
    assert other.inner_text("h1") == "You spotted the false claim"  # who votes last is where the evidence is
    look_at(other, "over-dark")
    look_at(phone, "over-phone")
    other.click("#room-again")
    other.wait_for_function("path => location.pathname !== path", arg=path)
    see(host, "Play again with bold-badger")
    host.click("#room-again")
    host.wait_for_url(other.url)
    see(other, "calm-crane")


def test_a_room_begins_by_keyboard_and_the_focus_stays_where_it_is(desk: Desk, three: list[Person]) -> None:
    room = make(three[0])
    three[1].send(f"{room}/join")
    page = desk.open(desk.sit_down(three[0]), room)
    page.wait_for_selector("html.room-live")
    page.focus("#room-start")
    three[2].send(f"{room}/join")
    see(page, "wise-wren")
    assert page.evaluate("document.activeElement.id") == "room-start"
    page.wait_for_function("() => document.querySelector('[data-announce]').textContent === 'wise-wren has come in.'")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rounds/*")


def test_without_a_script_the_page_says_to_look_again(desk: Desk, three: list[Person]) -> None:
    world: GameWorld = desk.world  # type: ignore[assignment]
    room = make(three[0])
    page = desk.open(desk.sit_down(three[1], java_script_enabled=False, viewport=PHONE), room)
    page.click("#room-join")
    assert page.locator(".room-still").is_visible()
    three[0].send(f"{room}/start")
    page.click(".room-still a")
    page.wait_for_url("**/rounds/*")
    page.click(f"[data-side={false_side(world, page)}] [data-vote]")
    page.wait_for_url(f"**{room}")
    vote(world, three[0].get(room, 303).headers["location"], right=False)
    page.click(".room-still a")
    assert page.inner_text("#room-title") == "You won."


def test_against_the_checker_alone(desk: Desk, three: list[Person]) -> None:
    world: GameWorld = desk.world  # type: ignore[assignment]
    page = desk.open(desk.sit_down(three[0]), "/p/peaks")
    page.click("button:text-is('Against the checker alone')")
    page.wait_for_url("**/rounds/*")
    see(page, "The checker is reading")
    world.now += 12
    see(page, "The checker is reading, 1 hint")
    page.click(f"[data-side={false_side(world, page)}] [data-vote]")
    page.wait_for_url("**/rooms/*")
    for _ in range(4):
        world.now += 12
        time.sleep(1.2)
    page.wait_for_selector("#room-panel table")
    assert page.inner_text("#room-title") == "You beat the checker."
    look_at(page, "over-checker")


_SERVER = """
import sys, time
from tests.web.serving import without_models
from veritab.studio.opened import Studio
from veritab.web.server import listen, serve
from veritab.web.studio.app import create_studio_app

place, port, ahead = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with Studio.open(place, without_models()) as studio:
    serve(create_studio_app(studio, clock=lambda: time.time() + ahead), listen("127.0.0.1", port))
"""


def test_a_server_that_is_killed_in_mid_round_is_followed_again(
    world: GameWorld, three: list[Person], browser: Browser
) -> None:
    world.pair()
    opened = listen("127.0.0.1", 0)
    port = opened.getsockname()[1]
    opened.close()
    ahead = world.now - time.time()
    home = f"http://127.0.0.1:{port}"

    def serve() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", _SERVER, world.studio.place, str(port), str(ahead)])

    running = [serve()]
    try:
        world.now = time.time() + ahead
        _, rounds = begin(three[:2])
        pages = []
        for person, address in zip(three, rounds, strict=False):
            context = browser.new_context()
            context.add_cookies([{"name": LOGIN, "value": person.login, "url": home}])
            page = context.new_page()
            page.set_default_timeout(30_000)
            until(lambda page=page, address=address: _goes(page, home + address), 60)
            pages.append(page)
        for page in pages:
            page.wait_for_selector("html.room-live")
        pages[1].click("[data-side=left] [data-hint]")
        see(pages[0], "bold-badger is reading, 1 hint")
        running[0].send_signal(signal.SIGKILL)
        running[0].wait()
        pages[0].wait_for_selector("html:not(.room-live) .room-still", state="visible")
        running.append(serve())
        pages[0].wait_for_selector("html.room-live")
        pages[1].wait_for_selector("html.room-live")
        pages[1].click("[data-side=right] [data-hint]")
        see(pages[0], "bold-badger is reading, 2 hints")
        for page in pages:
            page.click(f"[data-side={false_side(world, page)}] [data-vote]")
        for page in pages:
            page.wait_for_selector("#room-panel table")
        for page in pages:
            page.context.close()
    finally:
        for each in running:
            each.kill()
            each.wait()


def _goes(page: Page, address: str) -> bool:
    try:
        return page.goto(address) is not None
    except Exception:  # it does not listen yet
        return False
