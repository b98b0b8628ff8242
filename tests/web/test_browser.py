"""The pages in Chromium: what people do, what they see, and that nothing from outside ever runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import pytest

from tests.web.hostile import HARM, IMAGE, SCRIPT, hostile
from tests.web.serving import served
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.pages.addresses import PageAddresses

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CLAIM = "Mount Everest is taller than K2."
CHECK = f"/check?claim={quote_plus(CLAIM)}"
WIDE = f"/check?claim={quote_plus('Jupiter has fewer moons than Mars.')}"
SIZES = ((360, 740), (820, 1100), (1440, 900))


@pytest.fixture(scope="module")
def address(checker: Checker) -> Iterator[str]:
    with served(create_app(checker)) as (_, (host, port)):
        yield f"http://{host}:{port}"


@pytest.fixture(scope="module")
def harmful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with ExitStack() as opened:
        checker = opened.enter_context(hostile(tmp_path_factory.mktemp("hostile")))
        _, (host, port) = opened.enter_context(served(create_app(checker)))
        yield f"http://{host}:{port}"


Opened = Callable[..., "Page"]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Opens an address; a console error, a broken script or a request to elsewhere fails the test."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def open_page(address: str, expect_errors: bool = False, **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        home = "/".join(address.split("/")[:3])
        if not expect_errors:
            page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda sent: faults.append(sent.url) if not sent.url.startswith(home) else None)
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not faults


def faults_of(page: Page, **only: Any) -> list[str]:
    """The serious faults that axe finds."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = axe.Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html']}" for fault in found if fault["impact"] in ("serious", "critical")
    ]


# -- what people do ----------------------------------------------------------------------------------------


def test_a_claim_is_typed_checked_and_its_evidence_opened(opened: Opened, address: str) -> None:
    page = opened(f"{address}/")
    page.wait_for_function("document.activeElement.id === 'claim'")  # the box gets the focus by itself
    page.keyboard.type(CLAIM)
    page.keyboard.press("Enter")
    page.wait_for_url("**/check?*")
    assert page.locator("h1").inner_text() in ("Supported", "Refuted", "Not enough information")
    assert page.input_value("#claim") == CLAIM
    page.locator(".card footer a").first.click()
    page.wait_for_url("**/page?*")
    marked = page.locator(".document .marked, .document .evidence").first
    marked.wait_for()
    assert page.evaluate(
        "element => { const box = element.getBoundingClientRect(); return box.top >= 0 && box.top < innerHeight }",
        marked.element_handle(),
    )


def test_links_of_a_page_lead_to_other_pages_of_the_corpus(opened: Opened, address: str) -> None:
    page = opened(f"{address}/page?title=K2")
    page.locator("article a", has_text="Mount Everest").first.click()
    page.wait_for_url("**/page?title=Mount+Everest")
    assert page.locator("h1").inner_text() == "Mount Everest"


def test_suggestions_are_chosen_with_the_keyboard(opened: Opened, address: str) -> None:
    page = opened(f"{address}/text")
    page.locator("h1").click()
    page.keyboard.press("/")
    page.keyboard.type("mount ev")
    page.locator("[role=option]").first.wait_for()
    page.keyboard.press("ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true]")
    assert page.get_attribute("#finder", "aria-activedescendant") == chosen.get_attribute("id")
    title = chosen.inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/page?*")
    assert page.locator("h1").inner_text() == title


def test_escape_closes_suggestions_and_enter_searches(opened: Opened, address: str) -> None:
    page = opened(f"{address}/search")
    page.locator("#q").press_sequentially("everest")
    page.locator("[role=option]").first.wait_for()
    page.keyboard.press("Escape")
    assert page.locator("[role=option]").count() == 0
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=everest*")
    assert page.locator(".found li").count() > 3


def test_a_file_is_uploaded_and_followed_to_its_end(opened: Opened, address: str, tmp_path: Path) -> None:
    file = tmp_path / "claims.txt"
    file.write_text(f"{CLAIM}\nK2 was climbed for the first time in 1954.\nThe Danube is longer than the Nile.\n")
    page = opened(f"{address}/file")
    page.set_input_files("#file", file)
    page.click("main button[type=submit]")
    page.wait_for_url("**/jobs/*")
    page.get_by_text("All 3 claims checked").wait_for()
    assert page.locator(".results li").count() == 3
    with page.expect_download() as download:
        page.get_by_text("JSON Lines").click()
    assert len(Path(download.value.path()).read_text().splitlines()) == 3


def test_a_text_is_marked_and_each_mark_leads_to_its_verdict(opened: Opened, address: str) -> None:
    page = opened(f"{address}/text")
    page.fill("#text", f"{CLAIM} How nice! K2 was climbed for the first time in 1954.")
    page.click("main button[type=submit]")
    page.locator("a.statement").nth(1).wait_for()
    page.locator("a.statement").nth(1).click()
    assert page.url.endswith("#statement-2")
    page.locator("#statement-2 a").click()
    page.wait_for_url("**/check?*")


def test_everything_essential_works_without_script(opened: Opened, address: str) -> None:
    page = opened(f"{address}/", java_script_enabled=False)
    page.fill("#claim", CLAIM)
    page.click("form.claim button")
    assert page.locator(".card").count() > 0
    page.fill("#finder", "everest")
    page.press("#finder", "Enter")
    assert page.locator(".found li").count() > 3
    page.goto(f"{address}/text")
    page.fill("#text", CLAIM)
    page.click("main button[type=submit]")
    page.locator(".results li").wait_for(timeout=15_000)  # the page asks again by itself


def test_the_first_tab_stop_skips_to_the_content(opened: Opened, address: str) -> None:
    page = opened(f"{address}{CHECK}")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_every_tab_stop_can_be_seen(opened: Opened, address: str) -> None:
    page = opened(f"{address}{CHECK}")
    for _ in range(12):
        page.keyboard.press("Tab")
        assert page.evaluate(
            """() => { for (let each = document.activeElement; each; each = each.parentElement)
                       if (getComputedStyle(each).outlineStyle !== 'none') return true;
                       return false }"""
        ), page.evaluate("document.activeElement.outerHTML")


# -- how it looks ------------------------------------------------------------------------------------------


def with_all_open(page: Page, address: str) -> None:
    page.goto(address)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")


def test_axe_finds_no_serious_fault(opened: Opened, address: str) -> None:
    page = opened(f"{address}/")
    for path in ("/", CHECK, "/page?title=K2&mark=cell_0_2_1", "/search?q=everest", "/text", "/file", "/docs"):
        with_all_open(page, address + path)
        assert faults_of(page) == [], path


def test_words_can_be_read_in_the_dark_too(opened: Opened, address: str) -> None:
    page = opened(f"{address}/", color_scheme="dark")
    for path in ("/", CHECK, "/page?title=K2&mark=sentence_1&mark=cell_0_5_1", "/search?q=everest", "/file", "/docs"):
        with_all_open(page, address + path)
        assert faults_of(page, runOnly=["color-contrast"]) == [], path


def test_axe_finds_no_serious_fault_on_results_and_errors(opened: Opened, address: str) -> None:
    page = opened(f"{address}/text", expect_errors=True)
    page.fill("#text", f"{CLAIM} K2 was climbed for the first time in 1954.")
    page.click("main button[type=submit]")
    page.locator(".results").wait_for()
    assert faults_of(page) == []
    page.goto(f"{address}/nowhere")
    assert page.locator(".error h1").inner_text() == "Nothing here"
    assert faults_of(page) == []


def test_dark_is_dark_and_light_is_light(opened: Opened, address: str) -> None:
    brightness = {}
    for scheme in ("light", "dark"):
        page = opened(f"{address}/", color_scheme=scheme)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        brightness[scheme] = sum(int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(", "))
    assert brightness["light"] > 700
    assert brightness["dark"] < 100


def test_no_page_is_wider_than_its_window(opened: Opened, address: str) -> None:
    for width, height in SIZES:
        page = opened(f"{address}/", viewport={"width": width, "height": height})
        for path in ("/", WIDE, "/page?title=Eight-thousander", "/search?q=everest", "/text", "/file", "/docs"):
            page.goto(address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{path} at {width}"


# -- harm --------------------------------------------------------------------------------------------------


def test_no_script_from_outside_ever_runs(opened: Opened, harmful: str, tmp_path: Path) -> None:
    page = opened(f"{harmful}/", expect_errors=True)  # error pages are among those opened
    for text in (SCRIPT, IMAGE, HARM.title, "Harmful mountain number 7"):
        for path in ("/check?claim=", "/search?q=", "/page?title="):
            page.goto(harmful + path + quote_plus(text))
            assert page.evaluate("window.harmed") is None
    page.goto(harmful + PageAddresses().page(HARM.title))
    assert SCRIPT in page.locator("article").inner_text()
    page.goto(f"{harmful}/search")
    page.locator("#q").press_sequentially("harm")
    page.locator("[role=option]").first.wait_for()
    assert SCRIPT in page.locator("[role=option]").first.inner_text()
    file = tmp_path / "claims.txt"
    file.write_text(f"The mountain {SCRIPT} is high.\n{IMAGE} is low.\n")
    page.goto(f"{harmful}/file")
    page.set_input_files("#file", {"name": f"{IMAGE}.txt", "mimeType": "text/plain", "buffer": file.read_bytes()})
    page.click("main button[type=submit]")
    page.get_by_text("All 2 claims checked").wait_for()
    assert page.evaluate("window.harmed") is None


def test_the_policy_stops_a_script_that_got_in_after_all(opened: Opened, address: str) -> None:
    page = opened(f"{address}/", expect_errors=True)
    page.evaluate(
        """() => { const made = document.createElement('script'); made.textContent = 'window.harmed = 1';
                   document.body.append(made);
                   document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.harmed = 1">') }"""
    )
    page.wait_for_timeout(200)
    assert page.evaluate("window.harmed") is None
