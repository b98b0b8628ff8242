"""Originals beside what was found in them: a page of a PDF as a picture with marks, a sheet with its cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from veritab.corpus.documents.pdf import MOST_PAGES
from veritab.corpus.originals import Original, open_original
from veritab.errors import InputError
from veritab.render.html import anchor_name, describe_origin
from veritab.schema import LONGEST_CLAIM, ElementId, Origin, Page, Region
from veritab.web.corpora import Chosen, ChosenCorpus
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.templating import render_page, show_at

_MOST_MARKS = 200
_SCALE = 1.6
_FOR_A_WHILE = "private, max-age=600"

_Title = Annotated[str, Query(max_length=LONGEST_CLAIM)]
_PageNumber = Annotated[int, Query(ge=1, le=MOST_PAGES)]
_Marks = Annotated[list[str] | None, Query()]


class _MarkedOriginal(NamedTuple):
    page: Page
    original: Original
    ids: Sequence[ElementId]
    regions: Sequence[Region]


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/original")
    async def show(
        request: Request, chosen: Chosen, title: _Title = "", page: _PageNumber = 1, mark: _Marks = None
    ) -> Response:
        values = await request.app.state.readers.run(_describe, chosen, title, page, mark or [])
        return render_page(request, "original.html", **values)

    @show_at(router, "/original.png")
    async def picture(
        request: Request, chosen: Chosen, title: _Title = "", page: _PageNumber = 1, mark: _Marks = None
    ) -> Response:
        drawn = await request.app.state.workers.run(_draw, chosen, title, page, mark or [])
        return Response(drawn, media_type="image/png", headers={"Cache-Control": _FOR_A_WHILE})


def has_leaves(page: Page) -> bool:
    """Whether a document has pages or sheets that can be shown."""
    return bool(page.located)


def first_leaf(page: Page, ids: Sequence[ElementId]) -> int:
    """The page of the original that the first of some elements stands on, or its first page."""
    return next((region.page for id in ids for region in page.regions(id)), 1)


def _open(chosen: ChosenCorpus, title: str, marked: Sequence[str]) -> _MarkedOriginal:
    if not title:
        raise InputError("an original needs the title of its page in the address, e.g. /original?title=report&page=2")
    store = chosen.checker.store
    page = store.page(title)
    wanted = set(marked[:_MOST_MARKS])
    ids = [element.id for element in page.elements if anchor_name(element.id) in wanted] if wanted else []
    regions = [region for id in ids for region in page.regions(id)]
    return _MarkedOriginal(page, open_original(store, title), ids, regions)


def _draw(chosen: ChosenCorpus, title: str, number: int, marked: Sequence[str]) -> bytes:
    opened = _open(chosen, title, marked)
    return opened.original.picture(number, opened.regions, _SCALE).png


def _describe(chosen: ChosenCorpus, title: str, number: int, marked: Sequence[str]) -> dict[str, Any]:
    page, original, ids, regions = _open(chosen, title, marked)
    addresses = PageAddresses(chosen.name)
    last = max((region.page for some in page.located.values() for region in some), default=1)
    here = Origin(original.file, (Region(number, 0, 0, 0, 0),))
    beside = {n: addresses.original(page.title, n, ids) for n in (number - 1, number + 1) if 1 <= n <= last}
    return {
        "page": page,
        "file": original.file,
        "name": describe_origin(here),
        "number": number,
        "marks": sum(region.page == number for region in regions),
        "picture": addresses.original(page.title, number, ids, "/original.png") if original.has_pages else "",
        "sheet": original.sheet(number, regions) if original.has_sheets else None,
        "before": beside.get(number - 1),
        "after": beside.get(number + 1),
        "document": addresses.page(page.title, ids),
    }
