"""A corpus that means harm: markup and script in titles, texts, links, cells and captions, titles that are paths."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.retrieve.corpora import WORLD, indexed
from tests.web.serving import without_models
from veritab.pipeline import Checker
from veritab.schema import Cell, Item, Link, ListBlock, Page, Redirect, Section, Sentence, TableBlock

SCRIPT = "<script>window.harmed = 1</script>"
IMAGE = '<img src=x onerror="window.harmed = 1">'
BREAKING = "\"><svg/onload='window.harmed = 1'>"
TITLES = (f"Harm {SCRIPT}", "..", "a/b?c#d&e=f", "../../etc/passwd", "--help", f"Break {BREAKING}", "100%41")
HARM = Page(
    TITLES[0],
    (
        Sentence(0, f"Harmful mountain number 7 {IMAGE}.", (Link(0, 7, f"Break {BREAKING}"),)),
        Sentence(1, "It links to .. and to nowhere.", (Link(12, 14, ".."), Link(22, 29, "Nowhere at all"))),
        Section(0, f"Section {SCRIPT}", 2),
        TableBlock(
            0,
            (
                (Cell(f"Peak {SCRIPT}", header=True), Cell(f"Height {BREAKING}", header=True)),
                (Cell(f"Harmful {IMAGE}", header=True), Cell(f"8,000 {SCRIPT}")),
                (Cell(f"Harmless {IMAGE}", header=True), Cell("7,000")),
            ),
            caption=f"Caption {BREAKING}",
        ),
        ListBlock(0, (Item(f"Item {SCRIPT}"), Item(IMAGE, level=1, ordered=True), Item("Last"))),
    ),
)
PAGES: tuple[Page | Redirect, ...] = (
    HARM,
    *(Page(title, (Sentence(0, f"The page {number} called so is here."),)) for number, title in enumerate(TITLES[1:])),
    *WORLD,
    Redirect(f"Other {SCRIPT}", HARM.title),
)


@contextmanager
def hostile(folder: Path) -> Iterator[Checker]:
    """A checker over that corpus, without models."""
    indexed(folder / "corpus", PAGES).close()
    with Checker.open(folder / "corpus", without_models()) as opened:
        yield opened
