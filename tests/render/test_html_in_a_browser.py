"""The report in a real browser: nothing is fetched, labels can be chosen, nothing runs over the edge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.render.made import CELL, ITEM, REFUTES, SENTENCE, UNKNOWN, Found, peaks_page, verdict
from veritab.render import write
from veritab.render.html import HtmlReport
from veritab.schema import ElementId, Hit, Table

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


WIDE = Table.of(
    [[f"Peak {n}", *(f"value {n} {letter}" for letter in "ABCDEFGHI")] for n in range(3)],
    header=["Name", *"ABCDEFGHI"],
    title="Wide",
)


def tables(id: ElementId) -> Table:
    return WIDE if id.page == "Wide" else peaks_page().table(id.path[0])


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Opens a report of five verdicts, or the same as a text, and sees to it that nothing else is loaded or said."""
    told: list[str] = []
    contexts = []

    def open_report(*, of_text: bool = False, **settings: Any) -> Page:
        verdicts = [
            verdict(SENTENCE, CELL, smallest=[CELL], confidence=0.9),
            verdict(ITEM, label=REFUTES, parts=[{"text": "A part.", "label": "REFUTES"}]),
            verdict(CELL, label=REFUTES),
            verdict(label=UNKNOWN, missing=["w" * 300]),
            replace(
                verdict(label=UNKNOWN), evidence=tuple(Hit(WIDE.element(id), 1.0, "x") for id in WIDE.grid[1] if id)
            ),
        ]
        file = tmp_path / "report.html"
        if of_text:
            found = [Found(10 * number, 10 * number + 8) for number in range(5)]
            file.write_text(HtmlReport(tables=tables).text_page("Sentence. " * 5, found, verdicts), encoding="utf-8")
        else:
            write("html", verdicts, file, tables=tables, title="t" * 200)
        contexts.append(browser.new_context(**settings))
        page = contexts[-1].new_page()
        page.on("console", lambda message: told.append(message.text))
        page.on("request", lambda request: told.append(request.url) if request.url != file.as_uri() else None)
        page.goto(file.as_uri())
        return page

    yield open_report
    assert told == []
    for context in contexts:
        context.close()


def test_one_label_at_a_time_can_be_shown_with_the_keyboard(opened: Callable[..., Page]) -> None:
    page = opened()
    shown = page.locator("main > article:visible")
    assert shown.count() == 5
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.locator("input:checked").get_attribute("id") == "show-refutes"
    assert shown.count() == 2


@pytest.mark.parametrize("of_text", [False, True], ids=["report", "text"])
@pytest.mark.parametrize("width", [360, 768, 1440])
def test_nothing_runs_over_the_edge(opened: Callable[..., Page], width: int, of_text: bool) -> None:
    page = opened(of_text=of_text, viewport={"width": width, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_wide_table_scrolls_beside_the_column_that_names_its_rows(opened: Callable[..., Page]) -> None:
    page = opened(viewport={"width": 390, "height": 800})
    box = page.locator(".scroll.wide")
    box.scroll_into_view_if_needed()
    first = box.locator("tbody .first").first
    before = first.bounding_box()
    box.evaluate("box => box.scrollLeft = 200")
    after = first.bounding_box()
    assert before
    assert after
    assert after["x"] == before["x"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_on_a_large_screen_a_wide_table_is_wider_than_the_text(opened: Callable[..., Page]) -> None:
    page = opened(viewport={"width": 1600, "height": 900})
    wide, text = (
        page.locator("article.verdict:has(.card.wide)").bounding_box(),
        page.locator("#verdict-1").bounding_box(),
    )
    assert wide
    assert text
    assert wide["width"] > text["width"]
    assert wide["x"] >= 0
    assert wide["x"] + wide["width"] <= 1600


def test_paper_has_everything_unfolded(opened: Callable[..., Page]) -> None:
    page = opened()
    words = page.locator("#verdict-1 .certificate dl")
    assert not words.is_visible()
    page.emulate_media(media="print")
    box = words.bounding_box()
    assert box
    assert box["height"] > 20
    assert not page.locator(".choice").is_visible()


def test_a_mark_leads_to_its_note_and_back(opened: Callable[..., Page]) -> None:
    page = opened(of_text=True)
    page.click("#sentence-2 a")
    assert page.url.endswith("#verdict-2")
    page.click("#verdict-2 .back")
    assert page.url.endswith("#sentence-2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("of_text", [False, True], ids=["report", "text"])
def test_axe_finds_no_serious_fault(opened: Callable[..., Page], scheme: str, of_text: bool) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    page = opened(of_text=of_text, color_scheme=scheme, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    faults = axe.Axe().run(page).response["violations"]
    assert [
        (fault["id"], fault["nodes"][0]["html"]) for fault in faults if fault["impact"] in ("serious", "critical")
    ] == []
