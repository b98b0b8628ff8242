"""Verdicts, elements and what a search found as the JSON that every door gives; a verdict is read back as it was."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from veritab.errors import FormatError, InputError
from veritab.schema import Claim, Context, Element, ElementId, Hit, Kind, Label, Link, Verdict

if TYPE_CHECKING:
    from veritab.retrieve.search.matches import Match


@dataclass(frozen=True)
class JsonLines:
    """One verdict a line, as `veritab check --json` prints it."""

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write each verdict as it arrives; returns how many there were."""
        count = 0
        for verdict in verdicts:
            out.write(json.dumps(verdict_to_json(verdict), ensure_ascii=False) + "\n")
            count += 1
        return count


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict as the mapping that every door prints."""
    named = {"id": verdict.claim.id} if verdict.claim.id else {}
    return {
        **named,
        "claim": verdict.claim.text,
        "label": str(verdict.label),
        "scores": {str(label): score for label, score in verdict.scores.items()},
        "evidence": [_hit_to_json(hit) for hit in verdict.evidence],
        "reasoning": list(verdict.reasoning),
        "certificate": dict(verdict.certificate),
        "corpus": dict(verdict.corpus),
    }


def verdict_from_json(record: Mapping[str, Any]) -> Verdict:
    """The verdict that `verdict_to_json` wrote."""
    try:
        return Verdict(
            Claim(str(record.get("id", "")), record["claim"]),
            Label(record["label"]),
            {Label(label): float(score) for label, score in record["scores"].items()},
            tuple(map(_hit_from_json, record.get("evidence", ()))),
            tuple(record.get("reasoning", ())),
            dict(record.get("certificate", {})),
            dict(record.get("corpus", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError, InputError) as error:
        said = f"{type(error).__name__}: {error}"
        raise FormatError(
            f"{_shown(record)} is no verdict ({said}); expected what `veritab check --json` prints"
        ) from None


def _hit_to_json(hit: Hit) -> dict[str, Any]:
    element = hit.element
    links = {"links": [[link.start, link.end, link.target] for link in element.links]} if element.links else {}
    return {
        "id": str(element.id),
        "kind": str(element.kind),
        "text": element.text,
        "score": hit.score,
        "by": hit.by,
        "context": _context(element),
        **links,
    }


def _hit_from_json(record: Mapping[str, Any]) -> Hit:
    context = tuple(Context(ElementId.parse(near["id"]), near["text"]) for near in record.get("context", ()))
    links = tuple(Link(start, end, target) for start, end, target in record.get("links", ()))
    element = Element(ElementId.parse(record["id"]), record["text"], links, context)
    return Hit(element, float(record["score"]), record["by"])


def _context(element: Element) -> list[dict[str, str]]:
    return [{"id": str(near.id), "text": near.text} for near in element.context]


def element_to_json(element: Element) -> dict[str, Any]:
    """An element with its context and its links."""
    return {
        "id": str(element.id),
        "kind": str(element.kind),
        "text": element.text,
        "context": _context(element),
        "links": [
            {"text": element.text[link.start : link.end], "target": link.target, "start": link.start, "end": link.end}
            for link in element.links
        ],
    }


def match_to_json(match: Match) -> dict[str, Any]:
    """Something found, with what shows why."""
    element = match.element
    found: dict[str, Any] = {
        "id": str(element.id),
        "page": element.id.page,
        "kind": "page" if element.kind is Kind.TITLE else str(element.kind),
        "text": element.text,
        "score": round(match.score, 4),
        "highlights": [list(span) for span in match.highlights],
        "context": _context(element),
    }
    if match.snippet:
        found["snippet"] = match_to_json(match.snippet)
    if match.rows:
        found["rows"] = [
            [{"id": str(cell.element.id), "text": cell.element.text} for cell in row] for row in match.rows
        ]
    return found


def _shown(record: object) -> str:
    shown = repr(record)
    return shown if len(shown) <= 80 else f"{shown[:79]}…"
