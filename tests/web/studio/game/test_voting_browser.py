"""Voting in Chromium: the clock, hints, the vote and the reveal, by mouse, by keys, on a phone, and when things go wrong."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.serving import until
from tests.web.studio.desk import PHONE, Desk, desk_of, faults_of
from tests.web.studio.game.test_voting import begin, begin_practising, false_side, round_of, true_side
from tests.web.studio.game.world import SECRET_GOLD, SECRET_HINT, GameWorld
from tests.web.studio.world import Person
from veritab.studio.game.pieces import EvidencePiece, ShownCell
from veritab.web.server import listen
from veritab.web.studio.sessions import LOGIN

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def desk(world: GameWorld, browser: Browser) -> Iterator[Desk]:
    """A game behind a socket; its clock stands where the test puts it."""
    world.pair()
    with desk_of(world, browser) as made:
        yield made


@pytest.fixture
def crane(world: GameWorld) -> Person:
    return world.player("calm-crane")


def play(desk: Desk, person: Person, *, expect_errors: bool = False, **options: Any) -> tuple[Page, str]:
    """Somebody's round, in a window, and its address."""
    address = begin(person)
    return desk.open(desk.sit_down(person, **options), address, expect_errors=expect_errors), address


def clock_of(page: Page) -> int:
    """The seconds that the clock shows."""
    minutes, seconds = page.locator("[data-clock]").inner_text().split(":")
    return 60 * int(minutes) + int(seconds)


def hints(page: Page, side: str) -> list[str]:
    return page.locator(f"[data-side={side}] [data-hints] > li").all_inner_texts()


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_a_round_is_played_with_the_mouse_without_leaving_the_page(desk: Desk, world: GameWorld, crane: Person) -> None:
    page, address = play(desk, crane)
    page.evaluate("window.isTheSame = true")
    page.wait_for_selector("[data-clock]:text-is('2:58')")
    assert page.locator("[data-then]").is_hidden()
    assert page.locator("[data-worth]").inner_text() == "Worth 120 now"
    page.click("[data-side=left] [data-hint]")
    page.wait_for_selector("[data-side=left] [data-hints] > li")
    assert SECRET_HINT in hints(page, "left")[0]
    assert hints(page, "right") == []
    assert 145 <= clock_of(page) <= 150  # the server says what is left, and its clock stands
    page.click("[data-side=left] [data-hint]")
    page.wait_for_selector("[data-side=left] [data-hints] > li:nth-child(2)")
    page.click("[data-side=left] [data-hint]")
    page.wait_for_selector("[data-side=left] [data-hints] > li.gold")
    assert SECRET_GOLD in hints(page, "left")[2]
    assert page.locator("[data-side=left] [data-hint]").get_attribute("aria-disabled") == "true"
    page.click("[data-side=left] [data-hint]", force=True)
    page.click(f"[data-side={false_side(world, address)}] [data-vote]")
    page.wait_for_selector("h1:text-is('You spotted the false claim')")
    assert page.title().startswith("You spotted the false claim")
    page.wait_for_selector("[data-said]")
    page.click("text=Not sure")
    page.wait_for_selector("[data-liked]")
    assert page.evaluate("window.isTheSame")
    record = round_of(world, address)
    assert (record.left_hints, record.points, record.liked) == (3, 90, "not sure")


def test_the_page_becomes_the_reveal_when_time_has_run_out(desk: Desk, world: GameWorld, crane: Person) -> None:
    address = begin(crane)
    world.now += 178.5
    page = desk.open(desk.sit_down(crane), address)
    assert "low" in str(page.get_attribute("[data-clock]", "class"))
    assert page.locator("[data-side=left] [data-hint]").get_attribute("aria-disabled") == "true"
    world.now += 1.5
    page.wait_for_selector("h1:text-is('Time has run out')")
    assert page.evaluate("document.activeElement.textContent") == "Time has run out"
    assert round_of(world, address).outcome == "timed out"


def test_a_browser_whose_clock_runs_ahead_gains_and_loses_nothing(desk: Desk, world: GameWorld, crane: Person) -> None:
    address = begin(crane)
    context = desk.sit_down(crane)
    context.add_init_script("const real = performance.now; performance.now = () => real.call(performance) * 60;")
    page = desk.open(context, address)
    until(lambda: clock_of(page) < 100)
    page.wait_for_selector("[data-clock]:text('2:')")  # it asked, and was told
    page.click(f"[data-side={false_side(world, address)}] [data-vote]")
    page.wait_for_selector("h1:text-is('You spotted the false claim')")
    assert round_of(world, address).points == 120


def test_a_reload_and_a_second_tab_go_on_with_the_same_clock(desk: Desk, world: GameWorld, crane: Person) -> None:
    page, address = play(desk, crane)
    page.click("[data-side=right] [data-hint]")
    page.wait_for_selector("[data-side=right] [data-hints] > li")
    world.now += 20
    page.reload()
    assert 126 <= clock_of(page) <= 130
    assert len(hints(page, "right")) == 1
    second = desk.open(page.context, address)
    assert 126 <= clock_of(second) <= 130
    second.click("[data-side=left] [data-hint]")
    second.wait_for_selector("[data-side=left] [data-hints] > li")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_selector("[data-side=left] [data-hints] > li")
    assert 96 <= clock_of(page) <= 100
    second.click("[data-side=left] [data-vote]")
    second.wait_for_selector("main .contender.revealed")
    page.click("[data-side=right] [data-vote]")
    page.wait_for_selector("text=This round was over already. What you did first counts.")
    assert round_of(world, address).choice == "left"


def test_a_round_is_played_by_the_keyboard_alone(desk: Desk, world: GameWorld, crane: Person) -> None:
    page, address = play(desk, crane)
    press = page.keyboard.press
    assert "1" in page.locator("[data-keys-line]").inner_text()
    press("h")
    page.wait_for_selector("[data-side=left] [data-hints] > li")
    page.wait_for_selector("[data-announce]:has-text('Claim 1: ')", state="attached")
    press("j")
    page.wait_for_selector("[data-side=right] [data-hints] > li")
    press("1" if false_side(world, address) == "left" else "2")
    assert page.evaluate("document.activeElement.matches('[data-vote]')")
    assert round_of(world, address).outcome == "open"  # a key alone ends nothing
    press("Enter")
    page.wait_for_selector("h1:text-is('You spotted the false claim')")
    assert page.evaluate("document.activeElement.matches('h1')")
    for _ in range(30):
        press("Tab")
        if page.evaluate("document.activeElement.value") == "right":
            break
    press("Enter")
    page.wait_for_selector("[data-liked]:has-text('claim 2')")
    record = round_of(world, address)
    assert (record.left_hints, record.right_hints, record.liked) == (1, 1, "right")


def test_keys_do_nothing_while_somebody_types_nor_while_they_are_held(
    desk: Desk, world: GameWorld, crane: Person
) -> None:
    page, address = play(desk, crane)
    page.click("details.report summary")
    page.locator("#report-note").press_sequentially("h j 1 2")
    assert page.input_value("#report-note") == "h j 1 2"
    assert page.evaluate("document.activeElement.id") == "report-note"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.down("h")
    page.wait_for_selector("[data-side=left] [data-hints] > li")
    for _ in range(5):
        page.keyboard.down("h")
    page.keyboard.up("h")
    page.keyboard.press("j")
    page.wait_for_selector("[data-side=right] [data-hints] > li")
    record = round_of(world, address)
    assert (record.left_hints, record.right_hints) == (1, 1)


def test_the_time_is_said_aloud_only_when_little_is_left(desk: Desk, world: GameWorld, crane: Person) -> None:
    address = begin(crane)
    world.now += 119
    page = desk.open(desk.sit_down(crane), address)
    assert page.locator("[data-announce]").inner_text() == ""
    page.wait_for_selector("[data-announce]:text-is('60 seconds left')", state="attached")
    assert page.get_attribute("[data-clock]", "role") == "timer"  # which is not read aloud by itself


def test_a_claim_is_reported_from_the_page(desk: Desk, world: GameWorld, crane: Person) -> None:
    page, address = play(desk, crane)
    page.click("details.report summary")
    page.check("details.report [value=left]")
    page.check("details.report [value=spam]")
    page.click("details.report button")
    page.wait_for_selector("h1:text-is('Reported')")
    assert round_of(world, address).outcome == "reported"


def test_practice_is_played_to_its_end(desk: Desk, world: GameWorld, crane: Person) -> None:
    address = begin_practising(world)
    page = desk.open(desk.sit_down(crane), address)
    assert "It counts for nothing" in page.locator("main").inner_text()
    page.click(f"[data-side={true_side(world, address)}] [data-vote]")
    page.wait_for_selector("h1:text-is('You were fooled')")
    assert "It counts for nothing" in page.locator("main").inner_text()


def test_without_script_every_button_works(desk: Desk, world: GameWorld, crane: Person) -> None:
    page, address = play(desk, crane, java_script_enabled=False)
    assert "3:00 left when this page was opened" in page.locator(".round-time").inner_text()
    assert page.locator("[data-keys-line]").is_hidden()
    page.click("[data-side=left] [data-hint]")
    assert len(hints(page, "left")) == 1
    assert clock_of(page) == 150
    page.click(f"[data-side={false_side(world, address)}] [data-vote]")
    assert "You spotted the false claim" in page.locator("h1").inner_text()
    page.click("text=Ask it")
    assert page.locator("[data-said]").count() == 1
    page.click("text=Back to the round")
    page.click("form[action$='/like'] [value=left]")
    assert "You found claim 1 more interesting." in page.locator("main").inner_text()


def test_a_lost_answer_buys_one_hint_and_casts_one_vote(desk: Desk, world: GameWorld, crane: Person) -> None:
    page, address = play(desk, crane, expect_errors=True)
    lost: list[str] = []

    def lose(route: Any) -> None:
        if route.request.url not in lost:
            lost.append(route.request.url)
            route.fetch()  # the server has it; the answer never arrives
            route.abort()
        else:
            route.continue_()

    page.route("**/hint", lose)
    page.route("**/rounds/*/vote", lose)
    page.click("[data-side=left] [data-hint]")
    page.wait_for_selector("[data-side=left] [data-hints] > li")
    page.click(f"[data-side={false_side(world, address)}] [data-vote]")
    page.wait_for_selector("h1:text-is('You spotted the false claim')")
    assert len(lost) == 2
    record = round_of(world, address)
    assert (record.left_hints, record.moves) == (1, 3)


# -- kill -9 -----------------------------------------------------------------------------------------------

_SERVER = """
import sys, time
from tests.web.serving import without_models
from veritab.studio.opened import Studio
from veritab.web.server import listen, server_for
from veritab.web.studio.app import create_studio_app

place, port, ahead = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
studio = Studio.open(place, without_models())
server_for(create_studio_app(studio, clock=lambda: time.time() + ahead)).run(sockets=[listen("127.0.0.1", port)])
"""


def serve(place: str, port: int, ahead: float) -> subprocess.Popen[bytes]:
    """A server in a process of its own, its clock so far ahead of this machine's."""
    return subprocess.Popen([sys.executable, "-c", _SERVER, place, str(port), str(ahead)], env=dict(os.environ))


def test_a_server_that_is_killed_in_mid_round_goes_on_with_the_same_clock(
    world: GameWorld, crane: Person, browser: Browser
) -> None:
    world.pair()
    opened = listen("127.0.0.1", 0)
    port = opened.getsockname()[1]
    opened.close()
    ahead = world.now - time.time()
    running = [serve(world.studio.place, port, ahead)]
    try:
        context = browser.new_context()
        context.add_cookies([{"name": LOGIN, "value": crane.login, "url": f"http://127.0.0.1:{port}"}])
        page = context.new_page()
        page.set_default_timeout(30_000)
        world.now = time.time() + ahead
        address = begin(crane)
        deadline = round_of(world, address).deadline

        def open_page() -> bool:
            try:
                return page.goto(f"http://127.0.0.1:{port}{address}") is not None
            except Exception:
                return False

        until(open_page, 60)
        page.click("[data-side=left] [data-hint]")
        page.wait_for_selector("[data-side=left] [data-hints] > li")
        running[0].send_signal(signal.SIGKILL)
        running[0].wait()
        page.click("[data-side=right] [data-hint]")
        page.wait_for_selector("[data-told]:has-text('no connection')")
        running.append(serve(world.studio.place, port, ahead))
        page.wait_for_selector("[data-told]", state="hidden")
        assert round_of(world, address).deadline == deadline - 30
        left = deadline - 30 - (time.time() + ahead)
        assert abs(clock_of(page) - left) <= 2
        page.click(f"[data-side={false_side(world, address)}] [data-vote]")
        page.wait_for_selector("h1:text-is('You spotted the false claim')")
        record = round_of(world, address)
        assert (record.left_hints, record.right_hints, record.outcome) == (1, 0, "spotted")
        context.close()
    finally:
        for each in running:
            each.kill()
            each.wait()


# -- looks -------------------------------------------------------------------------------------------------


def table_hint() -> EvidencePiece:
    head = [ShownCell(each, True) for each in ("Mountain", "Height, m", "Height, ft", "Range", "First climbed")]
    row = [ShownCell("K2", True), ShownCell("8,611", False, True), *map(ShownCell, ("28,251", "Karakoram", "1954"))]
    caption = "The highest mountains of the world"
    return EvidencePiece("K2 is 8,611 m high.", "Heights | Asia", (), caption, (tuple(head), tuple(row)))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("window", [PHONE, {"width": 1360, "height": 850}], ids=["phone", "wide"])
def test_axe_finds_no_fault_and_nothing_is_too_wide(
    world: GameWorld, crane: Person, browser: Browser, scheme: str, window: dict[str, int]
) -> None:
    long = "In 1954 an Italian expedition led by Ardito Desio was the first whose members stood on the summit of K2."
    world.claim(long, True, page="K2", gold=[table_hint()], hints=[table_hint()])
    world.claim("Mount Everest is a lake.", False, page="Mount Everest", hints=[EvidencePiece("It is " + "so " * 60)])
    with desk_of(world, browser) as desk:
        address = begin(crane)
        motion: dict[str, Any] = {"reduced_motion": "reduce"}
        page = desk.open(desk.sit_down(crane, viewport=window, color_scheme=scheme, **motion), address)
        for side in ("left", "right"):
            for number in (1, 2):
                page.click(f"[data-side={side}] [data-hint]")
                page.wait_for_selector(f"[data-side={side}] [data-hints] > li:nth-child({number})")
        page.click("details.report summary")
        assert faults_of(page) == []
        assert fits(page)
        assert page.evaluate("getComputedStyle(document.querySelector('[data-hints] li')).animationName") == "none"
        if folder := os.environ.get("VERITAB_PICTURES"):
            page.screenshot(path=f"{folder}/round-{scheme}-{window['width']}.png", full_page=True)
        page.click(f"[data-side={false_side(world, address)}] [data-vote]")
        page.wait_for_selector("[data-said]")
        assert faults_of(page) == []
        assert fits(page)
        if folder:
            page.screenshot(path=f"{folder}/reveal-{scheme}-{window['width']}.png", full_page=True)
