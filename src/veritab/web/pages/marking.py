"""A text for the eye: cut into pieces that are plain, marked, or links. Templates escape each piece by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias
from urllib.parse import urlencode

from veritab.retrieve.search.highlight import Span
from veritab.schema import ElementId, Kind, Link


class Piece(NamedTuple):
    """A stretch of a text: where it leads, and whether it is one of the words looked for."""

    text: str
    href: str = ""
    marked: bool = False


Pieces: TypeAlias = Sequence[Piece]


def pieces(text: str, links: Iterable[Link] = (), spans: Iterable[Span] = ()) -> Pieces:
    """The text in pieces, none of which crosses the edge of a link or of a span."""
    links, spans = list(links), list(spans)
    if not links and not spans:
        return (Piece(text),) if text else ()
    edges = {0, len(text)}
    for start, end in [*((link.start, link.end) for link in links), *spans]:
        edges |= {min(max(start, 0), len(text)), min(max(end, 0), len(text))}
    cuts = sorted(edges)
    return tuple(
        Piece(text[start:end], _leads_to(links, start), any(a <= start < b for a, b in spans))
        for start, end in pairwise(cuts)
    )


def _leads_to(links: Iterable[Link], place: int) -> str:
    target = next((link.target for link in links if link.start <= place < link.end), "")
    return page_address(target) if target else ""


# -- where things are --------------------------------------------------------------------------------------


def anchor(id: ElementId) -> str:
    """The name of an element on the page that shows it."""
    return "_".join((id.kind, *map(str, id.path)))


def page_address(title: str, mark: Iterable[ElementId] = ()) -> str:
    """Where a page of the corpus is shown; with elements, opened at the first of them and all of them marked.

    The title is a parameter, because a browser takes the title ".." in a path for the folder above.
    """
    marks = [anchor(id) for id in mark]
    query = urlencode([("title", title), *(("mark", each) for each in marks)])
    return f"/page?{query}" + (f"#{marks[0]}" if marks else "")


def element_address(id: ElementId) -> str:
    """Where an element is shown."""
    return page_address(id.page, [] if id.kind is Kind.TITLE else [id])


def check_address(claim: str, revision: str = "") -> str:
    """Where a claim is checked; a link that keeps the revision can tell when the corpus has changed since."""
    return "/check?" + urlencode({"claim": claim} | ({"at": revision} if revision else {}))
