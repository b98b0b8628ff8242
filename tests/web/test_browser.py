"""The pages in Chromium: what people do, what they see, and that nothing from outside ever runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

import pytest

from tests.web.hostile import HARM, IMAGE, SCRIPT, hostile
from tests.web.serving import served, without_models
from tests.web.six_documents import CLAIM as CRANE
from tests.web.six_documents import write_six_documents
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.corpora import Corpora
from veritab.web.limits import Limits
from veritab.web.pages.addresses import PageAddresses
from veritab.web.uploads import Uploads

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
def documents(checker: Checker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that takes documents."""
    folder = tmp_path_factory.mktemp("documents")

    def opened(corpus: Path, name: str) -> Checker:
        return Checker.open(corpus, without_models(), name=name)

    limits = Limits(document_bytes=1 << 20, document_files=8, uploads_per_client=50)
    corpora = Corpora([checker], Uploads(folder / "uploads", opened, limits=limits, keep_in=folder / "kept"))
    with served(create_app(corpora, limits=limits)) as (_, (host, port)):
        yield f"http://{host}:{port}"
    for name in corpora.names[1:]:
        corpora.find(name).checker.close()


@pytest.fixture(scope="module")
def six(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("six")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    return write_six_documents(folder)


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
    """The faults that axe finds."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    found = axe.Axe().run(page, options={"resultTypes": ["violations"], **only}).response["violations"]
    return [f"{fault['id']}: {fault['nodes'][0]['html']}" for fault in found]


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


# -- one's own documents -----------------------------------------------------------------------------------


def press_tab_to(page: Page, selector: str, most: int = 60) -> None:
    """Go on with the Tab key until an element has the focus."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"{most} times Tab do not lead to {selector}")


def test_six_documents_lead_to_a_verdict_by_the_keyboard_alone(opened: Opened, documents: str, six: list[Path]) -> None:
    page = opened(f"{documents}/")
    page.on("filechooser", lambda _: None)  # Chromium hands choosers over only some time after it is asked to
    page.locator("#claim:focus").wait_for()  # the box takes the focus by itself, and must not take it later
    press_tab_to(page, "#files")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Space")
    chooser.value.set_files(six)
    page.get_by_text("6 files, ").wait_for()
    press_tab_to(page, "form.documents button[type=submit]")
    page.keyboard.press("Enter")
    page.wait_for_url("**/documents/*")
    page.locator("#claim:focus").wait_for(timeout=60_000)
    assert page.locator("table.read tbody tr").count() == 6
    assert "6 documents read" in page.locator("main").inner_text()
    page.keyboard.type(CRANE)
    page.keyboard.press("Enter")
    page.wait_for_url("**/check?*")
    assert page.locator("h1").inner_text() == "Supported"
    assert "Ostra" in page.locator(".card").first.inner_text()
    assert page.locator("#corpus option:checked").inner_text() == "annual report.pdf and 5 more"


def test_six_documents_lead_to_a_verdict_on_a_phone(opened: Opened, documents: str, six: list[Path]) -> None:
    phone = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
    page = opened(f"{documents}/", **phone)

    def fits() -> bool:
        return bool(page.evaluate("document.documentElement.scrollWidth <= 360"))

    assert fits()
    page.set_input_files("#files", six)
    page.locator("form.documents button[type=submit]").tap()
    page.wait_for_url("**/documents/*")
    assert fits()
    page.locator("#claim").wait_for(timeout=60_000)
    assert fits()
    page.fill("#claim", CRANE)
    page.locator("form.claim button").tap()
    page.wait_for_url("**/check?*")
    assert page.locator("h1").inner_text() == "Supported"
    assert fits()


def test_documents_are_brought_without_script(opened: Opened, documents: str, six: list[Path]) -> None:
    page = opened(f"{documents}/documents", java_script_enabled=False)
    page.set_input_files("#files", six[3])
    page.click("form.documents button[type=submit]")
    page.locator("#claim").wait_for(timeout=60_000)  # the page asks again by itself
    assert "ships.csv" in page.locator("table.read").inner_text()


def test_files_and_folders_can_be_dropped_and_too_much_is_told_before_it_is_sent(
    opened: Opened, documents: str
) -> None:
    page = opened(f"{documents}/documents")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    drop = """([name, size, count]) => { const carried = new DataTransfer();
        for (let number = 0; number < count; number++) carried.items.add(new File(["x".repeat(size)], `${number}${name}`));
        document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true })) }"""
    refused = page.locator("[data-refused]")
    for given, told in (
        (("big.txt", 2 << 20, 1), "0big.txt has 2.0 MB; a file may have 1.0 MB."),
        (("many.txt", 10, 9), "9 files at once are too many; at most 8 may be sent."),
        (("photo.jpg", 10, 1), "None of these is a kind of file that is read."),
    ):
        page.evaluate(drop, list(given))
        page.click("form.documents button[type=submit]")
        assert refused.inner_text() == told
    assert sent == []
    page.evaluate(drop, ["lake.txt", 10, 2])
    assert refused.is_hidden()
    page.click("form.documents button[type=submit]")
    page.wait_for_url("**/documents/*")


def test_an_empty_form_says_what_to_do(opened: Opened, documents: str) -> None:
    page = opened(f"{documents}/documents")
    page.click("form.documents button[type=submit]")
    assert page.locator("[data-refused]").inner_text() == "Choose a file first, or paste a text."


def test_pasted_documents_are_kept_under_a_name_and_others_let_go(opened: Opened, documents: str) -> None:
    page = opened(f"{documents}/documents")
    page.click("text=Paste a text instead")
    page.fill("#pasted", "Lake Onda is 31 m deep.")
    page.click("form.documents button[type=submit]")
    page.locator("#name").wait_for(timeout=60_000)
    page.fill("#name", "Lakes of the north")
    page.click("form.keep button")
    page.wait_for_url("**/?corpus=*")
    assert page.locator("#corpus option:checked").inner_text() == "Lakes of the north"
    page.goto(f"{documents}/documents")
    page.click("text=Paste a text instead")
    page.fill("#pasted", "Lake Mera is 12 m deep.")
    page.click("form.documents button[type=submit]")
    page.locator("#name").wait_for(timeout=60_000)
    page.click("text=Let them go now")
    page.get_by_text("None yet").wait_for()


def test_the_original_opens_beside_the_verdict(opened: Opened, documents: str, six: list[Path]) -> None:
    page = opened(f"{documents}/documents", viewport={"width": 1180, "height": 900})
    page.set_input_files("#files", six)
    page.click("form.documents button[type=submit]")
    page.locator("#claim").wait_for(timeout=60_000)
    page.fill("#claim", CRANE)
    page.press("#claim", "Enter")
    page.wait_for_url("**/check?*")
    link = page.locator(".card a.original").first
    assert link.inner_text() == "See page 2 of annual report.pdf"
    link.focus()
    page.keyboard.press("Enter")
    picture = page.locator("dialog.beside img")
    picture.wait_for()
    page.wait_for_load_state("networkidle")
    assert picture.evaluate("image => image.naturalWidth") > 500
    assert page.locator("#original-name:focus").count() == 1
    assert page.locator("h1").inner_text() == "Supported"  # the verdict is still there
    assert faults_of(page) == []
    page.click("dialog.beside >> text=Previous")
    page.get_by_role("heading", name="Page 1 of annual report.pdf").wait_for()
    page.keyboard.press("Escape")
    assert page.locator("dialog.beside").is_hidden()
    assert page.evaluate("document.activeElement.textContent") == "See page 2 of annual report.pdf"
    page.set_viewport_size({"width": 360, "height": 740})
    link.click()
    picture.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.goto(f"{documents}{link.get_attribute('href')}")
    assert page.locator("h1").inner_text() == "Page 2 of annual report.pdf"
    assert faults_of(page) == []


def test_a_verdict_is_kept_seen_again_and_forgotten(opened: Opened, address: str) -> None:
    page = opened(f"{address}{CHECK}")
    label = page.locator("h1").inner_text()
    evidence = page.locator(".column-main").inner_html()
    page.click("text=Keep this verdict")
    page.wait_for_url("**/verdicts/*")
    assert page.locator("h1").inner_text() == label
    assert page.locator(".claim-said").inner_text() == CLAIM
    assert page.locator(".column-main").inner_html().split() == evidence.split()
    assert page.input_value("#link") == page.url
    with_all_open(page, page.url)
    assert faults_of(page) == []
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.click("text=Check again")
    page.wait_for_url("**/check?*")
    page.go_back()
    page.click("text=Forget it")
    page.wait_for_url(f"{address}/")


def test_a_claim_that_is_too_long_is_counted_and_never_cut(opened: Opened, address: str) -> None:
    page = opened(f"{address}/")
    counter = page.locator("#claim-counter")
    page.fill("#claim", "x" * 1000)
    assert counter.is_hidden()
    page.fill("#claim", "x" * 1950)
    assert counter.inner_text() == "1,950 of 2,000 characters"
    page.fill("#claim", "x" * 2345)
    assert counter.inner_text().startswith("2,345 of 2,000 characters: 345 too many.")
    assert len(page.input_value("#claim")) == 2345
    page.press("#claim", "Enter")
    assert page.url == f"{address}/"  # it is told, and nothing is sent
    page.fill("#claim", CLAIM)
    page.press("#claim", "Enter")
    page.wait_for_url("**/check?*")


def test_axe_finds_no_fault_while_documents_are_brought(opened: Opened, documents: str, six: list[Path]) -> None:
    for scheme in ("light", "dark"):
        page = opened(f"{documents}/documents", color_scheme=scheme, viewport={"width": 360, "height": 740})
        page.click("form.documents button[type=submit]")
        page.click("text=Paste a text instead")
        assert faults_of(page) == []
        page.set_input_files("#files", [*six, six[0].with_name("broken.pdf")])
        page.click("form.documents button[type=submit]")
        page.wait_for_url("**/documents/*")
        assert faults_of(page) == []
        page.locator("#claim").wait_for(timeout=60_000)
        assert faults_of(page) == []
        page.goto(f"{documents}/documents")
        assert faults_of(page) == []
        page.goto(f"{documents}/")
        assert faults_of(page) == []


# -- how it looks ------------------------------------------------------------------------------------------


def with_all_open(page: Page, address: str) -> None:
    page.goto(address)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")


def test_axe_finds_no_fault(opened: Opened, address: str) -> None:
    page = opened(f"{address}/")
    for path in ("/", CHECK, "/page?title=K2&mark=cell_0_2_1", "/search?q=everest", "/text", "/file", "/docs"):
        with_all_open(page, address + path)
        assert faults_of(page) == [], path


def test_words_can_be_read_in_the_dark_too(opened: Opened, address: str) -> None:
    page = opened(f"{address}/", color_scheme="dark")
    for path in ("/", CHECK, "/page?title=K2&mark=sentence_1&mark=cell_0_5_1", "/search?q=everest", "/file", "/docs"):
        with_all_open(page, address + path)
        assert faults_of(page, runOnly=["color-contrast"]) == [], path


def test_axe_finds_no_fault_on_results_and_errors(opened: Opened, address: str) -> None:
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
