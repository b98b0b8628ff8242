"""The corpus itself: its pages, and finding things in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from veritab.errors import InputError
from veritab.render.html import anchor_name, draw_runs, split_runs
from veritab.render.markup import Markup
from veritab.render.view import format_kind, header_names, section_names, shorten_around
from veritab.retrieve.search.matches import Match
from veritab.retrieve.search.query import KINDS
from veritab.schema import CELLS, LONGEST_CLAIM, Kind
from veritab.text import squeeze
from veritab.web.corpora import Chosen, ChosenCorpus
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.documents import BlockView, HeadingView, PageView
from veritab.web.pages.originals import first_leaf, has_leaves
from veritab.web.pages.templating import render_page, show_at

_MOST_FOUND = 30
_MOST_SUGGESTED = 8
_MOST_MARKS = 200
_SOME_PAGES = 48
_LONGEST_QUERY = 300
_LONGEST_TEXT = 420
_LONGEST_VALUE = 120
_MOST_VALUES = 10
_WORDS = {
    "": "Everything", "page": "Pages", "sentence": "Sentences", "item": "List items", "table": "Tables",
    "cell": "Cells", "section": "Sections", "table_caption": "Captions", "passage": "Passages",
}  # fmt: skip


class SearchResult(NamedTuple):
    """Something found, as the list of results shows it."""

    title: Markup
    place: str
    href: str
    kind: str
    text: Markup
    rows: Sequence[Sequence[tuple[str, Markup]]]


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/page")
    async def page(
        request: Request,
        chosen: Chosen,
        title: Annotated[str, Query(max_length=LONGEST_CLAIM)] = "",
        mark: Annotated[list[str] | None, Query()] = None,
    ) -> Response:
        marked = (mark or [])[:_MOST_MARKS]
        if not title:
            raise InputError("a page needs its title in the address, e.g. /page?title=Mount+Everest")
        return render_page(
            request, "page.html", **await request.app.state.readers.run(_document, chosen, title, marked)
        )

    @show_at(router, "/search")
    async def search(request: Request, chosen: Chosen, q: str = "", kind: str = "") -> Response:
        query = squeeze(q)[:_LONGEST_QUERY]
        if kind and kind not in KINDS:
            raise InputError(f"{kind[:40]!r} cannot be searched for; expected one of {', '.join(KINDS)}")
        found = await request.app.state.readers.run(_search, chosen, query, kind)
        kinds = list(_WORDS.items())
        return render_page(
            request, "search.html", here="/search", query=query, kind=kind, kinds=kinds, limit=_MOST_FOUND, **found
        )

    @show_at(router, "/suggest")
    async def suggest(request: Request, chosen: Chosen, q: str = "") -> Response:
        typed = squeeze(q)[:_LONGEST_QUERY]
        ask = chosen.checker.suggest
        titles = await request.app.state.readers.run(ask, typed, _MOST_SUGGESTED) if typed else []
        addresses = PageAddresses(chosen.name)
        return JSONResponse([{"title": title, "href": addresses.page(title)} for title in titles])


# -- a page ------------------------------------------------------------------------------------------------


def _document(chosen: ChosenCorpus, title: str, marked: Sequence[str]) -> dict[str, Any]:
    page = chosen.checker.store.page(title)
    ids = {anchor_name(element.id): element.id for element in page.elements}
    shown = PageView(page, {ids[name] for name in marked if name in ids}, PageAddresses(chosen.name))
    blocks = list(shown.blocks())
    unknown = [name[:40] for name in marked if name not in ids and name != Kind.TITLE]
    marked_ids = [ids[name] for name in marked if name in ids]
    leaf = first_leaf(page, marked_ids)
    return {
        "page": page,
        "source": (page.file or page.source).rpartition("/")[2],
        "original": PageAddresses(chosen.name).original(page.title, leaf, marked_ids) if has_leaves(page) else "",
        "requested": squeeze(title),
        "blocks": blocks,
        "contents": list_contents(blocks),
        "unknown": unknown[:5],
    }


def list_contents(blocks: Sequence[BlockView]) -> list[tuple[str, str, int]]:
    """The headings of a page: their words, where they are, and their levels."""
    heads = [block for block in blocks if isinstance(block, HeadingView)]
    return [(head.element.text, f"#{head.element.anchor}", head.level) for head in heads]


# -- searching ---------------------------------------------------------------------------------------------


def _search(chosen: ChosenCorpus, query: str, kind: str) -> dict[str, Any]:
    checker, addresses = chosen.checker, PageAddresses(chosen.name)
    if not query:
        titles = list(islice(checker.store.titles(), _SOME_PAGES))
        return {"results": [], "meant": [], "titles": [(title, addresses.page(title)) for title in titles]}
    matches = checker.search(query, kind or None, _MOST_FOUND)
    meant = [] if matches else checker.suggest(query, 5)
    return {
        "results": [show_match(match, addresses) for match in matches],
        "meant": [(title, addresses.page(title)) for title in meant],
        "titles": [],
    }


def show_match(match: Match, addresses: PageAddresses) -> SearchResult:
    """A match as the list of results shows it."""
    element = match.element
    is_page = element.kind is Kind.TITLE
    quoted = match.snippet if is_page else match
    return SearchResult(
        title=draw_runs(split_runs(element.id.page, (), match.highlights if is_page else ())),
        place=" › ".join(section_names(element)),
        href=addresses.element(element.id),
        kind="page" if is_page else format_kind(element.kind),
        text=_draw_match(quoted, _LONGEST_TEXT) if quoted else Markup(""),
        rows=[
            [(_column_name(cell), _draw_match(cell, _LONGEST_VALUE)) for cell in row if cell.element.text][
                :_MOST_VALUES
            ]
            for row in match.rows
        ],
    )


def _column_name(match: Match) -> str:
    """The nearest header above a cell; a header needs none, and the name of the page over an infobox says nothing."""
    element = match.element
    above = header_names(element)[1] if element.kind in CELLS else []
    return "" if element.kind is Kind.HEADER_CELL or not above or above[-1] == element.id.page else above[-1]


def _draw_match(match: Match, longest: int) -> Markup:
    """The text with the words of the query highlighted; a long one from a little before the first of them."""
    text, spans = shorten_around(match.element.text, match.highlights, longest)
    return draw_runs(split_runs(text, (), spans))
