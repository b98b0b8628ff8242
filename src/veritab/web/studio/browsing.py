"""The corpus inside the studio: its pages with every cell of their tables, searching, suggestions, introductions.

Each is a page of its own, of which the working screen takes the part that it needs (`[data-place]`). Links lead to
"?title=...", so that they lead on inside of whatever page they are drawn on.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Annotated, Any, NamedTuple
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from veritab.errors import NotFound
from veritab.pipeline import Checker
from veritab.render.html import anchor_name
from veritab.render.markup import Markup
from veritab.render.view import header_names, section_names
from veritab.schema import CELLS, LONGEST_CLAIM, Element, ElementId, Kind, Page
from veritab.studio.drawing import introduction
from veritab.studio.records import JsonObject, ProjectRecord
from veritab.text import squeeze
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.documents import PageView
from veritab.web.pages.reading import list_contents, show_match
from veritab.web.pages.templating import environment, show_at
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, Visit, look

NOWHERE = "?search="
"""What the log calls the empty search page, as FEVEROUS does; a query follows where there is one."""
_MOST_FOUND = 30
_MOST_SUGGESTED = 8
_LONGEST_QUERY = 300
_MOST_INTRODUCTIONS = 40
_WHOLE = 1 << 30
_MOST_KEPT = 128


class PlaceAddresses(PageAddresses):
    """Links that lead on inside of the page that they are drawn on."""

    def page(self, title: str, mark: Iterable[ElementId] = ()) -> str:
        """Where a page is shown, at the first of some elements."""
        first = next(iter(mark), None)
        return f"?{urlencode({'title': title})}" + (f"#{quote(anchor_name(first))}" if first else "")


ADDRESSES = PlaceAddresses()


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/page")
    @show_at(router, "/p/{project}/search")
    async def place(
        request: Request,
        project: str,
        title: Annotated[str, Query(max_length=LONGEST_CLAIM)] = "",
        q: Annotated[str, Query(max_length=LONGEST_CLAIM)] = "",
    ) -> Response:
        return await look(request, _show_place, project, title, q)

    @show_at(router, "/p/{project}/suggest")
    async def suggest(
        request: Request, project: str, q: Annotated[str, Query(max_length=LONGEST_CLAIM)] = ""
    ) -> Response:
        return await look(request, _suggest, project, q)

    @show_at(router, "/p/{project}/introduction")
    async def introductions(
        request: Request, project: str, title: Annotated[list[str] | None, Query()] = None
    ) -> Response:
        return await look(request, _show_introductions, project, title or [])


def _show_place(visit: Visit, project: str, title: str, query: str) -> Response:
    inside = visit.enter(project)
    inside.refuse_reading()
    return render(inside, "place.html", place=draw_place(inside, title=title, query=query), title=title or query)


def _suggest(visit: Visit, project: str, typed: str) -> Response:
    inside = visit.enter(project)
    inside.refuse_reading()
    beginning = squeeze(typed)[:_LONGEST_QUERY]
    checker = inside.studio.checker(inside.project)
    return JSONResponse(checker.suggest(beginning, _MOST_SUGGESTED) if beginning else [])


def _show_introductions(visit: Visit, project: str, titles: Sequence[str]) -> Response:
    inside = visit.enter(project)
    inside.refuse_reading()
    shelf = PageShelf.of(inside)
    shown = [introduce(page) for title in titles[:_MOST_INTRODUCTIONS] if (page := shelf.find(title))]
    return render(inside, "introductions.html", introductions=shown, asked=titles)


# -- pages -------------------------------------------------------------------------------------------------


class _Kept:
    """The pages that were read last, of every corpus: what somebody looks at is asked for again with each mark."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.pages: OrderedDict[tuple[str, str], Page] = OrderedDict()
        self.lock = threading.Lock()


_KEPT = _Kept(_MOST_KEPT)


class PageShelf(NamedTuple):
    """The pages of one project's corpus."""

    checker: Checker
    digest: str

    @classmethod
    def of(cls, visit: ProjectVisit) -> PageShelf:
        return cls.in_project(visit.studio.checker(visit.project), visit.project)

    @classmethod
    def in_project(cls, checker: Checker, project: ProjectRecord) -> PageShelf:
        return cls(checker, f"{project.corpus}\n{project.corpus_digest}")

    def page(self, title: str) -> Page:
        """The page of a title, or of one that leads to it."""
        key = self.digest, title
        with _KEPT.lock:
            if key in _KEPT.pages:
                _KEPT.pages.move_to_end(key)
                return _KEPT.pages[key]
        page = self.checker.store.page(title)
        with _KEPT.lock:
            _KEPT.pages[key] = page
            while len(_KEPT.pages) > _KEPT.most:
                _KEPT.pages.popitem(last=False)
        return page

    def find(self, title: str) -> Page | None:
        """The page of a title, where there is one."""
        try:
            return self.page(title)
        except NotFound:
            return None

    def element(self, id: ElementId) -> Element | None:
        """An element, where the corpus has it."""
        page = self.find(id.page)
        try:
            return page.element(id) if page else None
        except NotFound:
            return None

    def has(self, id: ElementId) -> bool:
        """Whether the corpus has an element."""
        return self.element(id) is not None


def describe_piece(shelf: PageShelf, id: ElementId) -> JsonObject:
    """A piece of evidence with what is read beside it, as the tray shows it wherever it stands."""
    element = shelf.element(id)
    return {
        "text": element.text if element else f"{id} is not in the corpus any more",
        "place": describe_context(element) if element else id.page,
        "href": ADDRESSES.element(id),
        "context": [str(near.id) for near in element.context] if element else [],
        "gone": element is None,
    }


def describe_context(element: Element) -> str:
    """Where an element stands, in a line: "Eight-thousander › The fourteen mountains · K2 · Height, m"."""
    captions = [near.text for near in element.context if near.id.kind is Kind.TABLE_CAPTION]
    headers = header_names(element) if element.kind in CELLS else ([], [])
    place = " › ".join((element.id.page, *section_names(element), *captions))
    return " · ".join(filter(None, (place, *(", ".join(names) for names in headers))))


# -- what is drawn -----------------------------------------------------------------------------------------


def draw_place(visit: ProjectVisit, *, title: str = "", query: str = "") -> Markup:
    """A page of the corpus, or what a search finds; with neither, the words with which one begins."""
    wanted = squeeze(query)[:_LONGEST_QUERY]
    if title:
        return draw_page(PageShelf.of(visit), title)
    if wanted:
        return _draw_results(visit.studio.checker(visit.project), wanted)
    return _draw("place_empty.html", place=NOWHERE)


def draw_page(
    shelf: PageShelf, title: str, addresses: PageAddresses = ADDRESSES, *, with_contents: bool = False
) -> Markup:
    """A page of the corpus, every element under its name; `with_contents` opens the list of its headings."""
    page = shelf.page(title)
    blocks = list(PageView(page, (), addresses, most_rows=_WHOLE, most_columns=_WHOLE).blocks())
    name, of_cell = ElementId(page.title, Kind.SENTENCE, (0,)), ElementId(page.title, Kind.CELL, (0, 0, 0))
    return _draw(
        "place_page.html",
        page=page,
        requested=squeeze(title),
        blocks=blocks,
        contents=list_contents(blocks),
        with_contents=with_contents,
        prefix=str(name).removesuffix("_sentence_0"),
        cell_prefix=str(of_cell).removesuffix("_cell_0_0_0"),
    )


def _draw_results(checker: Checker, query: str) -> Markup:
    matches = checker.search(query, None, _MOST_FOUND)
    meant = [] if matches else checker.suggest(query, 5)
    return _draw(
        "place_results.html",
        place=f"{NOWHERE}{query}",
        query=query,
        limit=_MOST_FOUND,
        results=[show_match(match, ADDRESSES) for match in matches],
        meant=[(title, ADDRESSES.page(title)) for title in meant],
    )


def _draw(template: str, **values: Any) -> Markup:
    return Markup(environment().get_template(f"studio/{template}").render(values))


class IntroductionView(NamedTuple):
    """The sentences that a page begins with."""

    title: str
    sentences: Sequence[Element]


def introduce(page: Page) -> IntroductionView:
    """A page's introduction, as FEVER takes evidence from."""
    return IntroductionView(page.title, [page.element(id) for id in introduction(page)])
