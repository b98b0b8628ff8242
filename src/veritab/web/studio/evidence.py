"""Answers for the eye: labels in words, evidence drawn where it stands, and a reader for the pages that it is from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from veritab.errors import InputError, NotFound
from veritab.pipeline import Checker
from veritab.render.html import anchor_name, draw_label, draw_runs, draw_table
from veritab.render.markup import Markup, joined, tag
from veritab.render.tables import excerpt_hits, excerpt_table
from veritab.render.view import LABELS, EvidenceCard, format_kind, group_evidence, highlight_claim_words
from veritab.schema import Element, ElementId, Hit, Kind, Label, Page
from veritab.web.pages.addresses import PageAddresses
from veritab.web.pages.documents import MOST_COLUMNS, MOST_ROWS, PageView
from veritab.web.pages.reading import list_contents
from veritab.web.pages.templating import show_at
from veritab.web.studio.rendering import render
from veritab.web.studio.sessions import ProjectVisit, Visit, look

_LONGEST_CELL = 240
_MOST_MARKS = 200
_PAGES_AT_HAND = 64
_UNSHARED = "Not in every answer"


@dataclass(frozen=True)
class ReaderAddresses(PageAddresses):
    """Where a project shows pages of its corpus to be read."""

    project: str = ""

    def page(self, title: str, mark: Iterable[ElementId] = ()) -> str:
        """Where a page is shown, opened at the first of some elements and all of them marked."""
        marks = [anchor_name(id) for id in mark][:_MOST_MARKS]
        query = urlencode([("title", title), *(("mark", each) for each in marks)])
        return f"/p/{self.project}/read?{query}" + (f"#{marks[0]}" if marks else "")


def add(router: APIRouter) -> None:
    """Add these pages to the router."""

    @show_at(router, "/p/{project}/read")
    async def read(
        request: Request, project: str, title: str = "", mark: Annotated[list[str] | None, Query()] = None
    ) -> Response:
        return await look(request, _read, project, title, (mark or [])[:_MOST_MARKS])


def _read(visit: Visit, name: str, title: str, marked: Sequence[str]) -> Response:
    here = visit.enter(name)
    here.refuse_reading()
    if not title:
        raise InputError("a page needs its title in the address, e.g. ?title=Mount+Everest")
    page = here.studio.open_corpus(here.project).store.page(title)
    ids = {anchor_name(element.id): element.id for element in page.elements}
    marks = {ids[each] for each in marked if each in ids}
    blocks = list(PageView(page, marks, ReaderAddresses(project=name)).blocks())
    return render(here, "read.html", page=page, blocks=blocks, contents=list_contents(blocks))


# -- labels ------------------------------------------------------------------------------------------------


def draw_verdict_label(label: str) -> Markup:
    """A label as its sign and its name."""
    return draw_label(LABELS[Label(label)]) if label in list(Label) else tag("span", "no verdict", class_="tag")


def format_seconds(seconds: float) -> str:
    """How long something took: "45 s", "2 min 5 s"."""
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


# -- evidence ----------------------------------------------------------------------------------------------


class DrawnPiece(NamedTuple):
    """A piece of evidence in a line."""

    id: ElementId
    text: str
    place: str
    href: str


class EvidenceDrawing:
    """Draws evidence of a project's corpus as it is now; what has vanished since is named."""

    def __init__(self, here: ProjectVisit, claim: str = "") -> None:
        self._checker: Checker = here.studio.open_corpus(here.project)
        self._addresses = ReaderAddresses(project=here.project.name)
        self._claim = claim
        self._page = lru_cache(maxsize=_PAGES_AT_HAND)(self._checker.store.page)

    def draw(self, pieces: Sequence[ElementId], unshared: Collection[ElementId] = ()) -> Markup:
        """The pieces of one evidence set, by the places where they stand; `unshared` ones are framed."""
        drawn: list[Markup] = []
        found: list[Hit] = []
        for id in pieces:
            if id.kind is Kind.TABLE:
                drawn.append(self._whole_table(id))
            elif element := self.find(id):
                found.append(Hit(element, 1.0, "people"))
            else:
                drawn.append(_lost(id))
        cards = [self._card(card, frozenset(unshared)) for card in group_evidence(found)]
        return joined(*cards, *drawn)

    def describe(self, id: ElementId) -> DrawnPiece:
        """A piece in a line."""
        element = self.find(id)
        text = element.text if element else "no longer in the corpus"
        return DrawnPiece(id, text, f"{id.page}, {format_kind(id.kind)}", self._addresses.element(id))

    def find(self, id: ElementId) -> Element | None:
        """An element, as long as the corpus has it."""
        try:
            page: Page = self._page(id.page)
            return page.element(ElementId(page.title, id.kind, id.path))
        except NotFound:
            return None

    def _whole_table(self, id: ElementId) -> Markup:
        try:
            table = self._page(id.page).table(id.path[0])
        except NotFound:
            return _lost(id)
        excerpt = excerpt_table(table, most_rows=MOST_ROWS, most_columns=MOST_COLUMNS)
        return tag("div", self._place(id.page, (), [id]), draw_table(excerpt, f"Table of {id.page}"), class_="card")

    def _card(self, card: EvidenceCard, unshared: frozenset[ElementId]) -> Markup:
        if card.table:
            table = self._page(card.page).table(card.table.path[0])
            excerpt = excerpt_hits(card.hits, table, unshared)
            content = draw_table(excerpt, f"Table of {card.page}", longest=_LONGEST_CELL, key=_UNSHARED)
        else:
            content = joined(*self._quotes(card, unshared))
        return tag("div", self._place(card.page, card.sections, card.ids), content, class_="card")

    def _place(self, page: str, sections: Sequence[str], ids: Sequence[ElementId]) -> Markup:
        place = tag("span", " › ".join(sections), class_="place") if sections else None
        link = tag("b", tag("a", page, href=self._addresses.page(page, ids)))
        return tag("p", link, " ", place, class_="card-place", dir="auto")

    def _quotes(self, card: EvidenceCard, unshared: frozenset[ElementId]) -> Iterator[Markup]:
        for hit in card.hits:
            element = hit.element
            is_own = element.id in unshared
            text = draw_runs(highlight_claim_words(element.text, self._claim)) if self._claim else element.text
            mark = tag("span", _UNSHARED.lower(), class_="tag strong") if is_own else None
            classes = format_kind(element.kind).replace(" ", "-") + " key" * is_own
            yield tag("blockquote", text, " ", mark, class_=classes, dir="auto", title=str(element.id))


def _lost(id: ElementId) -> Markup:
    return tag("p", tag("code", str(id)), " is no longer in the corpus.", class_="notice")
