"""Elements and hits as the JSON that the commands print too."""

from __future__ import annotations

from typing import Any

from veritab.retrieve.search.matches import Match
from veritab.schema import Element, Kind


def element_json(element: Element) -> dict[str, Any]:
    """An element with its context and its links."""
    return {
        "id": str(element.id),
        "kind": element.kind.value,
        "text": element.text,
        "context": _context(element),
        "links": [
            {"text": element.text[link.start : link.end], "target": link.target, "start": link.start, "end": link.end}
            for link in element.links
        ],
    }


def match_json(match: Match) -> dict[str, Any]:
    """Something found, with what shows why."""
    element = match.element
    found: dict[str, Any] = {
        "id": str(element.id),
        "page": element.id.page,
        "kind": "page" if element.kind is Kind.TITLE else element.kind.value,
        "text": element.text,
        "score": round(match.score, 4),
        "highlights": [list(span) for span in match.highlights],
        "context": _context(element),
    }
    if match.snippet:
        found["snippet"] = match_json(match.snippet)
    if match.rows:
        found["rows"] = [
            [{"id": str(cell.element.id), "text": cell.element.text} for cell in row] for row in match.rows
        ]
    return found


def _context(element: Element) -> list[dict[str, str]]:
    return [{"id": str(near.id), "text": near.text} for near in element.context]
