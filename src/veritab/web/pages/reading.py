"""The corpus itself: its pages, and finding things in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from veritab.errors import InputError
from veritab.retrieve.search.matches import Match
from veritab.retrieve.search.question import KINDS
from veritab.schema import Element, Kind
from veritab.text import squeeze
from veritab.web.pages.documents import Heading, Shown, shown
from veritab.web.pages.marking import Pieces, element_address, page_address, pieces
from veritab.web.pages.templating import drawn, shown_at

if TYPE_CHECKING:
    from veritab.pipeline import Checker

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


class Hit(NamedTuple):
    """Something found, as the list of results shows it."""

    title: Pieces
    place: str
    href: str
    kind: str
    text: Pieces
    rows: Sequence[Sequence[tuple[str, Pieces]]]


def add(router: APIRouter, checker: Checker) -> None:
    """Add these pages to the router."""

    @shown_at(router, "/page")
    async def page(request: Request, title: str = "", mark: Annotated[list[str] | None, Query()] = None) -> Response:
        marked = (mark or [])[:_MOST_MARKS]
        if not title:
            raise InputError("a page needs its title in the address, e.g. /page?title=Mount+Everest")
        return drawn(request, "page.html", **await request.app.state.readers.run(_document, checker, title, marked))

    @shown_at(router, "/search")
    async def search(request: Request, q: str = "", kind: str = "") -> Response:
        query = squeeze(q)[:_LONGEST_QUERY]
        if kind and kind not in KINDS:
            raise InputError(f"{kind[:40]!r} cannot be searched for; expected one of {', '.join(KINDS)}")
        found = await request.app.state.readers.run(_found, checker, query, kind)
        kinds = list(_WORDS.items())
        return drawn(
            request, "search.html", here="/search", query=query, kind=kind, kinds=kinds, limit=_MOST_FOUND, **found
        )

    @shown_at(router, "/suggest")
    async def suggest(request: Request, q: str = "") -> Response:
        typed = squeeze(q)[:_LONGEST_QUERY]
        titles = await request.app.state.readers.run(checker.suggest, typed, _MOST_SUGGESTED) if typed else []
        return JSONResponse([{"title": title, "href": page_address(title)} for title in titles])


# -- a page ------------------------------------------------------------------------------------------------


def _document(checker: Checker, title: str, marked: Sequence[str]) -> dict[str, Any]:
    page = checker.store.page(title)
    blocks = list(shown(page, frozenset(marked)))
    names = {f"{id.kind}_{'_'.join(map(str, id.path))}" for id in (element.id for element in page.elements)}
    unknown = [name[:40] for name in marked if name not in names and name != Kind.TITLE]
    return {
        "page": page,
        "asked": squeeze(title),
        "blocks": blocks,
        "contents": _contents(blocks),
        "unknown": unknown[:5],
    }


def _contents(blocks: Sequence[Shown]) -> list[tuple[str, str, int]]:
    heads = [block for block in blocks if isinstance(block, Heading)]
    return [("".join(p.text for p in head.line.pieces), f"#{head.line.anchor}", head.level) for head in heads]


# -- searching ---------------------------------------------------------------------------------------------


def _found(checker: Checker, query: str, kind: str) -> dict[str, Any]:
    if not query:
        titles = list(islice(checker.store.titles(), _SOME_PAGES))
        return {"found": [], "meant": [], "titles": [(title, page_address(title)) for title in titles]}
    matches = checker.search(query, kind or None, _MOST_FOUND)
    meant = [] if matches else checker.suggest(query, 5)
    return {
        "found": [_hit(match) for match in matches],
        "meant": [(title, page_address(title)) for title in meant],
        "titles": [],
    }


def _hit(match: Match) -> Hit:
    element = match.element
    is_page = element.kind is Kind.TITLE
    text: Pieces = ()
    if is_page and match.snippet:
        text = _cut(match.snippet, _LONGEST_TEXT)
    elif not is_page:
        text = _cut(match, _LONGEST_TEXT)
    return Hit(
        title=pieces(element.text, (), match.highlights) if is_page else pieces(element.id.page),
        place=" › ".join(near.text for near in element.context if near.id.kind is Kind.SECTION),
        href=element_address(element.id),
        kind="page" if is_page else element.kind.value.replace("_", " "),
        text=text,
        rows=[_row(row) for row in match.rows],
    )


def _row(row: Sequence[Match]) -> list[tuple[str, Pieces]]:
    said = [cell for cell in row if cell.element.text]
    return [(_over(cell.element), _cut(cell, _LONGEST_VALUE)) for cell in said[:_MOST_VALUES]]


def _over(element: Element) -> str:
    """The nearest header above a cell; a header needs none, and the name of the page over an infobox says nothing."""
    row, heads = element.id.path[1], (near for near in element.context if near.id.kind is Kind.HEADER_CELL)
    above = next((near.text for near in heads if near.id.path[1] != row and near.text), "")
    return "" if element.kind is Kind.HEADER_CELL or above == element.id.page else above


def _cut(match: Match, longest: int) -> Pieces:
    """The text with what was looked for marked; a long one from a little before the first of it."""
    text, spans = match.element.text, match.highlights
    if len(text) <= longest:
        return pieces(text, (), spans)
    begin = max(0, min(spans[0][0] - longest // 4 if spans else 0, len(text) - longest))
    begin = text.find(" ", begin) + 1 if begin else 0
    end = begin + longest
    lead, tail = "… " if begin else "", " …" if end < len(text) else ""
    moved = [
        (start - begin + len(lead), stop - begin + len(lead)) for start, stop in spans if begin <= start and stop <= end
    ]
    return pieces(lead + text[begin:end] + tail, (), moved)
