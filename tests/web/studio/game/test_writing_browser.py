"""Writing a claim in Chromium: by mouse, by keyboard alone, in two windows, and when the server goes away."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.web.serving import until
from tests.web.studio.desk import PHONE, Desk, desk_of, faults_of, saved
from tests.web.studio.game.test_writing import CLAIM, PAGE, SENTENCE, claims_of, open_writing, record_of
from tests.web.studio.game.world import GAME, GameWorld
from tests.web.studio.test_working_browser import mark
from tests.web.studio.world import Person
from veritab.studio import accounts
from veritab.web.studio.sessions import LOGIN

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

K2 = [f"{PAGE}_header_cell_1_3_1", f"{PAGE}_cell_1_3_2"]


@pytest.fixture
def desk(world: GameWorld, browser: Browser) -> Iterator[Desk]:
    with desk_of(world, browser) as made:
        yield made


@pytest.fixture
def crane(world: GameWorld) -> Person:
    return world.player("calm-crane")


def world_of(desk: Desk) -> GameWorld:
    assert isinstance(desk.world, GameWorld)
    return desk.world


def begin(desk: Desk, person: Person, *, address: str = "", expect_errors: bool = False, **options: Any) -> Page:
    """Somebody at work on a claim, in a window."""
    address = address or open_writing(world_of(desk))
    return desk.open(desk.sit_down(person, **options), address, expect_errors=expect_errors)


def write(page: Page, text: str) -> None:
    """Type a claim, and wait until the server has it."""
    page.fill("#claim", text)
    saved(page)


def texts(page: Page) -> list[str]:
    """The evidence as it is listed."""
    return page.locator("[data-pieces] .gold-words p:first-child").all_inner_texts()


def draft(desk: Desk, address: str) -> tuple[str, list[str]]:
    kept = record_of(world_of(desk), address).draft
    return kept["text"], kept["gold"]


def test_a_claim_is_written_with_the_mouse_on_cells_and_a_sentence(desk: Desk, crane: Person) -> None:
    address = open_writing(world_of(desk))
    page = begin(desk, crane, address=address)
    mark(page, "cell_1_3_2")
    mark(page, "cell_1_3_3")  # of the same row: one piece
    mark(page, "sentence_0")
    page.locator("[data-pieces]", has_text="8,611; Height ft: 28,251").wait_for()
    assert len(texts(page)) == 2
    assert "picked" in str(page.get_attribute("#cell_1_3_2", "class"))
    mark(page, "sentence_3")
    page.locator("[data-too-many]:visible").wait_for()
    assert len(texts(page)) == 2
    page.locator("[data-remove]").nth(1).click()
    mark(page, "sentence_3")
    assert not page.locator("[data-too-many]").is_visible()
    write(page, CLAIM)
    page.click("[data-publish]")
    page.wait_for_selector(".shown-to-voters")
    (claim,) = claims_of(world_of(desk))
    ids = [piece["ids"] for piece in claim.gold["pieces"]]
    assert ids == [[f"{PAGE}_cell_1_3_2", f"{PAGE}_cell_1_3_3"], [f"{PAGE}_sentence_3"]]


def test_a_claim_is_written_with_the_keyboard_alone(desk: Desk, crane: Person) -> None:
    page = begin(desk, crane)
    assert page.evaluate("document.activeElement.id") == "claim"
    page.keyboard.type("All of the eight-thousanders stand in one part of the world.")
    for _ in range(40):  # back to the page, to the one place of it that Tab leads to
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.id").startswith(("sentence", "header_cell", "cell")):
            break
    while page.evaluate("document.activeElement.id") != "sentence_1":
        page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert len(texts(page)) == 1
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('[data-publish]')"):
            break
    saved(page)
    page.keyboard.press("Enter")
    page.wait_for_selector(".shown-to-voters")
    assert claims_of(world_of(desk))[0].gold["pieces"][0]["ids"] == [f"{PAGE}_sentence_1"]


def test_control_and_enter_publish_and_a_whole_row_is_one_key(desk: Desk, crane: Person) -> None:
    page = begin(desk, crane)
    page.locator("#cell_1_3_2").click()
    page.keyboard.press("Enter")  # away again
    page.keyboard.press("r")
    assert len(texts(page)) == 1
    page.fill("#claim", CLAIM)
    page.keyboard.press("Enter")
    assert "\n" not in page.input_value("#claim")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".shown-to-voters")
    assert len(claims_of(world_of(desk))[0].gold["pieces"][0]["ids"]) > 4


def test_half_a_second_after_the_last_key_a_search_and_the_checker_answer(desk: Desk, crane: Person) -> None:
    page = begin(desk, crane)
    asked: list[str] = []
    page.on("request", lambda sent: asked.append(sent.url.rpartition("/")[2]) if sent.method == "POST" else None)
    mark(page, "sentence_0")
    page.locator("#claim").press_sequentially("Fourteen independent mountains are that high.", delay=15)
    page.locator(".ranked > li.gold").wait_for()
    page.locator(".checker-said").wait_for()
    assert asked.count("feedback") <= 2  # one for the mark, one for all of the letters
    marked = {word.lower() for word in page.locator(".ranked mark").all_inner_texts()}
    assert {"fourteen", "independent"} <= marked
    assert "Your evidence comes first" in page.inner_text("[data-rank]")
    assert "sure" in page.inner_text(".checker-said")
    page.fill("#claim", "")
    until(lambda: not page.locator(".ranked").count())


def test_an_answer_to_an_older_text_never_stands_over_a_newer_one(desk: Desk, crane: Person) -> None:
    page = begin(desk, crane)
    held: list[Any] = []

    def hold(route: Any) -> None:
        held.append(route) if "Lhotse" in route.request.post_data else route.continue_()

    page.route("**/feedback", hold)
    with page.expect_request("**/feedback"):
        page.fill("#claim", "Lhotse is one of them.")
    page.fill("#claim", "Makalu is one of them.")
    page.locator(".ranked mark", has_text="Makalu").first.wait_for()
    with page.expect_response("**/feedback"):
        held[0].continue_()
    page.wait_for_timeout(100)
    assert "Makalu" in page.locator(".ranked mark").all_inner_texts()
    assert "Lhotse" not in page.locator(".ranked mark").all_inner_texts()


def test_a_reload_goes_on_with_the_draft_and_the_clock(desk: Desk, crane: Person) -> None:
    address = open_writing(world_of(desk))
    page = begin(desk, crane, address=address)
    mark(page, "sentence_0")
    page.fill("#claim", CLAIM)  # not kept yet: leaving the page sends it
    desk.world.now += 100
    page.reload()
    until(lambda: draft(desk, address) == (CLAIM, [SENTENCE]))
    page.reload()
    assert page.input_value("#claim") == CLAIM
    assert len(texts(page)) == 1
    assert page.inner_text("[data-clock]") in ("6:20", "6:19")
    page.locator(".ranked").wait_for()  # drawn with the page


def test_a_second_window_goes_on_with_what_the_first_has_written(desk: Desk, crane: Person) -> None:
    address = open_writing(world_of(desk))
    first = begin(desk, crane, address=address)
    write(first, "From the first window.")
    second = desk.open(first.context, address)
    assert second.input_value("#claim") == "From the first window."
    mark(second, "sentence_0")
    write(second, "From the second window.")
    first.bring_to_front()
    first.evaluate("dispatchEvent(new Event('focus'))")
    until(lambda: first.input_value("#claim") == "From the second window.")
    assert len(texts(first)) == 1
    first.click("[data-publish]")
    first.wait_for_selector(".shown-to-voters")
    second.evaluate("dispatchEvent(new Event('focus'))")
    second.wait_for_selector(".shown-to-voters")


def test_a_page_that_was_left_in_another_window_is_left_here_too(desk: Desk, crane: Person) -> None:
    address = crane.send(f"/p/{GAME}/write", topic="").headers["location"]
    first = begin(desk, crane, address=address, expect_errors=True)
    second = desk.open(first.context, address)
    second.click("text=Another page")
    second.wait_for_load_state()
    page = record_of(world_of(desk), address).page
    first.fill("#claim", "About the page before.")
    first.wait_for_selector(f"article[data-title={page!r}]")
    assert draft(desk, address)[0] == ""


def test_when_time_runs_out_it_is_said_and_the_text_stays_to_be_copied(desk: Desk, crane: Person) -> None:
    world = world_of(desk)
    address = open_writing(world, deadline=world.now + 4)
    page = begin(desk, crane, address=address)
    assert "low" in str(page.get_attribute("[data-clock]", "class"))
    write(page, CLAIM)
    world.now += 4
    page.locator("[data-over]:visible").wait_for()
    assert page.input_value("#claim") == CLAIM
    assert not page.is_editable("#claim")
    assert page.is_disabled("[data-publish]")
    page.reload()
    assert "Time is over" in page.inner_text("h1")
    assert page.input_value("#written") == CLAIM
    assert not claims_of(world)


def test_while_there_is_no_server_one_writes_on_and_it_is_kept_later(desk: Desk, crane: Person) -> None:
    address = open_writing(world_of(desk))
    page = begin(desk, crane, address=address, expect_errors=True)
    write(page, "Before.")
    desk.stop()
    page.fill("#claim", "While nobody answers.")
    page.locator("[data-banner]", has_text="no connection").wait_for()
    desk.start()
    page.wait_for_selector("[data-saved][data-state=saved]")
    assert draft(desk, address)[0] == "While nobody answers."
    assert not page.locator("[data-banner]").is_visible()
    page.locator(".ranked").wait_for()


def test_who_signs_in_anew_in_another_window_goes_on(desk: Desk, crane: Person) -> None:
    address = open_writing(world_of(desk))
    page = begin(desk, crane, address=address, expect_errors=True)
    desk.end_logins("calm-crane")
    page.fill("#claim", CLAIM)
    page.locator("[data-banner]", has_text="signed out").wait_for()
    again = desk.world.sign_in("calm-crane")
    page.context.add_cookies([{"name": LOGIN, "value": again.login, "url": desk.home}])
    saved(page)
    assert draft(desk, address)[0] == CLAIM


def test_a_server_that_is_killed_in_the_middle_loses_nothing_that_it_said_it_kept(
    world: GameWorld, crane: Person, browser: Browser, tmp_path: Path
) -> None:
    world.now = time.time()
    with world.writing() as session:
        login = accounts.begin_login(session, world.account_id("calm-crane"), now=world.now)
    address = open_writing(world)

    def serve(port: int) -> tuple[subprocess.Popen[str], int]:
        code = (
            "import sys; from tests.web.studio.game.test_writing_browser import serve_alone; serve_alone(*sys.argv[1:])"
        )
        server = subprocess.Popen(
            [sys.executable, "-c", code, world.studio.place, str(port)], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        with server.stdout:
            return server, int(server.stdout.readline())

    server, port = serve(0)
    try:
        context = browser.new_context()
        context.add_cookies([{"name": LOGIN, "value": login, "url": f"http://127.0.0.1:{port}"}])
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}{address}")
        mark(page, "sentence_0")
        write(page, CLAIM)
        server.send_signal(signal.SIGKILL)
        server.wait()
        page.fill("#claim", f"{CLAIM[:-1]}, they say.")
        page.locator("[data-banner]", has_text="no connection").wait_for()
        server, _ = serve(port)
        saved(page)
        page.reload()
        assert page.input_value("#claim") == f"{CLAIM[:-1]}, they say."
        assert len(texts(page)) == 1
        left = page.inner_text("[data-clock]")
        assert left.startswith("7:"), left
        page.click("[data-publish]")
        page.wait_for_selector(".shown-to-voters")
        assert len(claims_of(world)) == 1
        context.close()
    finally:
        server.kill()
        server.wait()


def serve_alone(place: str, port: str) -> None:
    """A server of the game in a process of its own, which says where it listens."""
    from tests.web.serving import without_models
    from veritab.studio.opened import Studio
    from veritab.web.server import listen, server_for
    from veritab.web.studio.app import create_studio_app

    opened = listen("127.0.0.1", int(port))
    studio = Studio.open(place, without_models())
    server = server_for(create_studio_app(studio))
    sys.stdout.write(f"{opened.getsockname()[1]}\n")
    sys.stdout.flush()
    server.run(sockets=[opened])


def test_without_a_script_the_form_does_it_all(desk: Desk, crane: Person) -> None:
    page = begin(desk, crane, java_script_enabled=False)
    page.fill("#claim", "One. Two.")
    page.locator(".tick", has_text="All of them are in Asia").locator("input").check()
    page.click("button[formaction]")
    page.locator(".ranked > li.gold").wait_for()
    assert "says" in page.inner_text(".checker-said")
    page.fill("#claim", CLAIM)
    page.click("[data-publish]")
    page.wait_for_selector(".shown-to-voters")


def test_what_is_forced_is_told_and_the_text_stays(desk: Desk, crane: Person) -> None:
    page = begin(desk, crane, expect_errors=True)
    page.fill("#claim", "One is here. Another is there.")
    page.click("[data-publish]")
    page.locator(".fault", has_text="one sentence").wait_for()
    page.locator(".fault", has_text="Choose the evidence").wait_for()
    assert page.input_value("#claim") == "One is here. Another is there."
    assert not claims_of(world_of(desk))


def test_it_fits_a_phone(desk: Desk, crane: Person) -> None:
    page = begin(desk, crane, viewport=PHONE, has_touch=True, is_mobile=True)
    mark(page, "sentence_0")
    page.tap("[data-look-at=answer]")
    assert page.inner_text("[data-look-at=answer]") == "Claim (1)"
    write(page, "Fourteen mountains of the Olympic Games rise above all others, as everybody knows by now.")
    page.locator(".checker-said").wait_for()
    for _ in range(2):
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        page.tap("[data-look-at=pages]")
    page.tap("[data-look-at=answer]")
    page.tap("[data-publish]")
    page.wait_for_selector(".shown-to-voters")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_screens_are_clean_to_axe(desk: Desk, crane: Person, scheme: Any) -> None:
    page = begin(desk, crane, color_scheme=scheme, reduced_motion="reduce", expect_errors=True)
    assert faults_of(page) == []
    mark(page, "sentence_0")
    mark(page, "cell_1_3_2")
    write(page, "It was not Mount Everest that was climbed. So they say.")
    page.locator(".checker-said").wait_for()
    page.wait_for_timeout(200)
    assert faults_of(page) == []
    moving = "[...document.querySelectorAll('*')].filter(each => parseFloat(getComputedStyle(each).transitionDuration))"
    assert page.evaluate(f"{moving}.length") == 0
    page.click("[data-publish]")
    page.locator("#claim-faults .fault").wait_for()
    assert faults_of(page) == []
    page.fill("#claim", CLAIM)
    page.click("[data-publish]")
    page.wait_for_selector(".shown-to-voters")
    assert faults_of(page) == []
