"""The corpus inside the studio."""

from __future__ import annotations

import re
from typing import Any

import pytest
from lxml import html

from tests.web.hostile import SCRIPT
from tests.web.studio.world import Person, World, words_of
from veritab.schema import Cell, ElementId, Kind, Page, Section, Sentence, TableBlock
from veritab.web.pages.documents import MOST_COLUMNS, MOST_ROWS
from veritab.web.pages.templating import MEDIA_TYPES, script_address
from veritab.web.studio.browsing import PageShelf, describe_piece, draw_page


@pytest.fixture
def fox(world: World) -> Person:
    return world.member("quiet-fox")


class _Pages:
    """Stands in for a checker with one page."""

    def __init__(self, page: Page) -> None:
        self.store: Any = self
        self._page = page

    def page(self, _: str) -> Page:
        return self._page


def shelf_of(page: Page) -> PageShelf:
    return PageShelf(_Pages(page), page.title)  # type: ignore[arg-type]


def draw(page: Page, title: str = "") -> html.HtmlElement:
    """A page as the working screen shows it."""
    drawn = html.document_fromstring(draw_page(shelf_of(page), title or page.title))
    found: html.HtmlElement = drawn.cssselect("[data-place]")[0]
    return found


@pytest.mark.parametrize(("rows", "columns"), [(MOST_ROWS + 50, 2), (3, MOST_COLUMNS + 4)])
def test_a_table_is_drawn_whole_however_large_it_is(rows: int, columns: int) -> None:
    cells = tuple(tuple(Cell(f"{row}.{column}") for column in range(columns)) for row in range(rows))
    drawn = draw_page(shelf_of(Page(f"Large {rows}", (TableBlock(0, cells),))), "")
    assert drawn.count("<tr>") == rows
    assert f'id="cell_0_{rows - 1}_{columns - 1}"' in drawn
    assert "left out" not in drawn


def test_the_ids_in_the_document_and_its_prefixes_make_the_ids_of_the_elements() -> None:
    page = Page("A_header", (Sentence(0, "One.", ()), TableBlock(0, ((Cell("x"), Cell("y", header=True)),))))
    drawn = draw(page)
    named = {
        f"{drawn.get('data-cells' if name.startswith('cell_') else 'data-page')}_{name}"
        for name in drawn.xpath(".//span/@id | .//td/@id | .//th/@id")
    }
    assert named == {
        str(ElementId("A_header", Kind.SENTENCE, (0,))),
        str(ElementId("A_header", Kind.CELL, (0, 0, 0))),
        str(ElementId("A_header", Kind.HEADER_CELL, (0, 0, 1))),
    }


def test_headings_of_a_page_stand_under_its_title() -> None:
    page = Page("Deep", (Section(0, "One", 2), Section(1, "Two", 6), Sentence(0, "Text.", ())))
    drawn = draw(page)
    assert [(each.tag, each.text_content()) for each in drawn.cssselect("h2, h3, h4, h5, h6")] == [
        ("h2", "Deep"), ("h3", "One"), ("h6", "Two"),
    ]  # fmt: skip


def test_a_page_with_script_in_it_is_text() -> None:
    page = Page(f"Bad {SCRIPT}", (Sentence(0, f"It says {SCRIPT}.", ()), TableBlock(0, ((Cell(SCRIPT),),), SCRIPT)))
    assert SCRIPT not in draw_page(shelf_of(page), page.title)
    assert draw(page).get("data-title") == page.title


def test_a_piece_that_is_gone_says_so() -> None:
    piece = describe_piece(shelf_of(Page("K2", (Sentence(0, "High.", ()),))), ElementId("K2", Kind.SENTENCE, (7,)))
    assert piece["gone"]
    assert "K2_sentence_7" in piece["text"]


def test_links_lead_on_inside_of_the_page_they_stand_on(fox: Person) -> None:
    page = fox.see("/p/rivers/page?title=K2")
    assert "?title=Mount+Everest" in [each.get("href") for each in page.cssselect("article a")]
    assert page.cssselect(".page-contents a")[0].get("href").startswith("#section_")


def test_a_title_that_leads_to_another_says_so() -> None:
    drawn = draw(Page("Mount Everest", (Sentence(0, "High.", ()),)), "Chomolungma")
    assert drawn.get("data-place") == "Mount Everest"
    assert "Chomolungma leads here." in drawn.text_content()


def test_a_search_lists_what_it_found_with_links_to_the_elements(fox: Person) -> None:
    page = fox.see("/p/rivers/search?q=highest+mountain")
    assert page.cssselect("[data-place]")[0].get("data-place") == "?search=highest mountain"
    links = [each.get("href") for each in page.cssselect(".found h3 a")]
    assert len(links) > 3
    assert any(re.fullmatch(r"\?title=[^#]+#\w+", link) for link in links)
    assert "Nothing was found" in words_of(fox.see("/p/rivers/search?q=qqqqzzzz"))


def test_suggestions_are_titles(fox: Person) -> None:
    assert "Mount Everest" in fox.get("/p/rivers/suggest?q=mount+ev").json()
    assert fox.get("/p/rivers/suggest?q=").json() == []


def test_introductions_are_for_ticking(fox: Person) -> None:
    page = fox.see("/p/rivers/introduction?title=K2&title=No+such+page&title=Nepal")
    assert [each.get("data-introduction") for each in page.cssselect("[data-introduction]")] == ["K2", "Nepal"]
    assert page.cssselect("[data-introduction] input")[0].get("value") == "K2_sentence_0"
    assert "has no page Nowhere" in words_of(fox.see("/p/rivers/introduction?title=Nowhere"))


def test_strangers_and_other_projects_members_see_nothing_of_a_corpus(world: World) -> None:
    world.project("lakes")
    other = world.member("quiet-bee", "lakes")
    for path in ("page?title=K2", "search?q=high", "suggest?q=k", "introduction?title=K2"):
        other.get(f"/p/rivers/{path}", 404)
        world.stranger().get(f"/p/rivers/{path}", 303)


def test_every_module_that_a_module_imports_is_served_beside_it(fox: Person) -> None:
    modules = [name for name in MEDIA_TYPES if name.startswith("studio/") and name.endswith(".js")]
    assert modules
    for name in modules:
        address = script_address(name.removeprefix("studio/"))
        answer = fox.get(address)
        assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
        for imported in re.findall(r'from "\./([^"]+)"', answer.text):
            fox.get(script_address(imported))
    fox.get("/static/000000000000/studio/log.js", 404)
