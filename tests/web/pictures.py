"""Draws the pictures of the documentation anew: python -m tests.web.pictures (with the models that ship)."""

from __future__ import annotations

import io
import shutil
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.conftest import CHROMIUM_FLAGS
from tests.web.serving import served
from tests.web.six_documents import CLAIM as DOCUMENT_CLAIM
from tests.web.six_documents import write_six_documents
from veritab.pipeline import Checker
from veritab.web.app import create_app
from veritab.web.corpora import Corpora
from veritab.web.uploads import Uploads

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER = Path(__file__).parents[2] / "docs" / "images"
CLAIM = "Italy won the FIFA World Cup five times."
TEXT = """Mount Everest is the highest mountain on Earth. It rises to 8,849 m above sea level. What a sight it must be!

Annapurna was the first eight-thousander to be climbed. Ludwig van Beethoven wrote ten symphonies. Tokyo hosted the Summer \
Olympics in 1964 and in 2020. The Eiffel Tower is repainted every year."""


def main() -> None:
    """Draw them all."""
    with ExitStack() as opened:
        folder = Path(opened.enter_context(TemporaryDirectory()))
        checker = opened.enter_context(Checker.open())
        uploads = Uploads(folder / "uploads", lambda at, name: Checker.open(at, name=name), keep_in=folder / "kept")
        _, (host, port) = opened.enter_context(served(create_app(Corpora([checker], uploads))))
        running = opened.enter_context(sync_playwright())
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=CHROMIUM_FLAGS.split())
        address = f"http://{host}:{port}"
        check = f"{address}/check?claim={quote_plus(CLAIM)}"
        keep(_opened(browser, check, 1180, 1000, "light"), "page-verdict")
        keep(_opened(browser, check, 1180, 1000, "dark"), "page-verdict-dark")
        keep(_opened(browser, check, 390, 780, "dark"), "page-phone")
        text = _opened(browser, f"{address}/text", 1180, 760, "light")
        text.fill("#text", TEXT)
        text.click("main button[type=submit]")
        text.get_by_text("claims checked").first.wait_for()
        text.locator("[data-job]").wait_for(state="detached", timeout=120_000)
        text.locator(".results").wait_for()
        keep(text, "page-text")
        keep(_opened(browser, f"{address}/", 1180, 1000, "light"), "page-home")
        _draw_documents(_opened(browser, f"{address}/documents", 1180, 1000, "light"), folder)
        browser.close()


def _draw_documents(page: Page, folder: Path) -> None:
    page.set_input_files("#files", write_six_documents(folder))
    page.click("form.documents button[type=submit]")
    page.locator("table.read").wait_for(timeout=60_000)
    keep(page, "page-documents")
    page.fill("#claim", DOCUMENT_CLAIM)
    page.press("#claim", "Enter")
    page.locator(".card a.original").first.click()
    page.locator("dialog.beside img").wait_for()
    page.wait_for_load_state("networkidle")
    keep(page, "page-original")
    page.click("dialog.beside >> text=Close")
    page.click("text=Keep this verdict")
    page.locator(".kept").wait_for()
    keep(page, "page-kept")


def _opened(browser: Browser, address: str, width: int, height: int, scheme: str) -> Page:
    size, light = {"width": width, "height": height}, scheme == "light"
    context = browser.new_context(viewport=size, color_scheme="light" if light else "dark")  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    return page


def keep(page: Page, name: str) -> None:
    """A picture of the window in few colours, so that it is small; the rare colours of small bars are kept."""
    drawn = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    few = drawn.quantize(256, method=Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    few.save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
