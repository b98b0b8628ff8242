"""Verdicts as W3C Web Annotations: each is an annotation on the sentences and cells that it rests on."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TextIO
from urllib.parse import quote

from veritab.render.claimreview import check_address, cited_hits, fill_address
from veritab.render.html import anchor_name
from veritab.render.view import LABELS
from veritab.schema import Element, Kind, Verdict

_CONTEXT = "http://www.w3.org/ns/anno.jsonld"
_QUOTED = frozenset({Kind.SENTENCE, Kind.PASSAGE, Kind.ITEM, Kind.TABLE_CAPTION, Kind.CELL, Kind.HEADER_CELL})


@dataclass(frozen=True)
class WebAnnotations:
    """An annotation page (JSON-LD) with an annotation for each verdict."""

    page_url: str = ""
    """Where a page of the corpus is read; "{page}" stands for its title. Without it, pages are named by a URN."""
    url: str = ""
    """The address of an annotation; "{id}" stands for the id of its claim."""
    created: str = ""
    """When it was made, as 2026-11-16T12:00:00Z."""
    creator: str = ""
    """Who makes it."""
    language: str = ""

    def __post_init__(self) -> None:
        for name in ("page_url", "url"):
            check_address(name, getattr(self, name))

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write each annotation as it arrives; returns how many there were."""
        out.write(f'{{"@context": "{_CONTEXT}", "type": "AnnotationPage", "items": [')
        count = 0
        for verdict in verdicts:
            out.write(",\n" if count else "\n")
            out.write(json.dumps(self.annotation(verdict), ensure_ascii=False))
            count += 1
        out.write("\n]}\n")
        return count

    def annotation(self, verdict: Verdict) -> dict[str, Any]:
        """The annotation that a verdict is."""
        targets = [self._target(hit.element) for hit in cited_hits(verdict)]
        optional = {
            "id": fill_address(self.url, id=verdict.claim.id),
            "created": self.created,
            "creator": {"type": "Person", "name": self.creator} if self.creator else "",
        }
        return {
            **{name: value for name, value in optional.items() if value},
            "type": "Annotation",
            "motivation": "assessing",
            "generator": {"type": "Software", "name": "Veritab"},
            "body": self._body(verdict),
            # An annotation has a target; a verdict without evidence is one on its claim alone.
            "target": targets or [{"source": "urn:veritab:claim", "selector": [_quote(verdict.claim.text)]}],
        }

    def _body(self, verdict: Verdict) -> list[dict[str, Any]]:
        said = [f"{LABELS[verdict.label].words}: {verdict.claim.text}", *verdict.reasoning]
        language = {"language": self.language} if self.language else {}
        return [
            {"type": "TextualBody", "purpose": "tagging", "value": str(verdict.label)},
            {
                "type": "TextualBody",
                "purpose": "assessing",
                "format": "text/plain",
                **language,
                "value": "\n".join(said),
            },
        ]

    def _target(self, element: Element) -> dict[str, Any]:
        page = element.id.page
        source = fill_address(self.page_url, page=page) or f"urn:veritab:page:{quote(page, safe='')}"
        fragment = {"type": "FragmentSelector", "value": anchor_name(element.id)}
        quoted = [_quote(element.text)] if element.kind in _QUOTED and element.text else []
        return {"source": source, "selector": [fragment, *quoted]}


def _quote(text: str) -> dict[str, str]:
    return {"type": "TextQuoteSelector", "exact": text}
