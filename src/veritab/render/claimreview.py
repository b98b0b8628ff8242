"""Verdicts as schema.org's ClaimReview, the JSON-LD by which search engines and archives know fact checks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TextIO
from urllib.parse import quote, urlsplit

from veritab.errors import InputError
from veritab.render.view import VerdictView
from veritab.schema import Hit, Label, Verdict

_CONTEXT = "https://schema.org"
_BEST, _WORST = 5, 1
_NAMES = {1: "False", 2: "Mostly false", 3: "Half true", 4: "Mostly true", 5: "True"}
_UNKNOWN = "Not enough information"


class Rating(NamedTuple):
    """A value on the scale from false to true, and its name; no value where it is unknown."""

    value: int | None
    name: str


def rating(verdict: Verdict) -> Rating:
    """SUPPORTS is 5 and REFUTES 1; of a refuted claim with several parts, those that hold raise it to at most 4.

    NOT ENOUGH INFO has no number: the middle of the scale would say that the claim is half true.
    """
    if verdict.label is Label.NOT_ENOUGH_INFO:
        return Rating(None, _UNKNOWN)
    if verdict.label is Label.SUPPORTS:
        return Rating(_BEST, _NAMES[_BEST])
    parts = VerdictView(verdict).certificate.parts
    held = sum(part.label is Label.SUPPORTS for part in parts)
    value = min(_WORST + round((_BEST - _WORST) * held / len(parts)), _BEST - 1) if parts else _WORST
    return Rating(value, _NAMES[value])


@dataclass(frozen=True)
class ClaimReview:
    """ClaimReview with what the caller knows of the review; what is not given is left out, never made up."""

    author: str = ""
    """Who publishes the review."""
    author_url: str = ""
    url: str = ""
    """Where the review will be read; "{id}" stands for the id of its claim."""
    date: str = ""
    """When it was published, as 2026-11-16."""
    language: str = ""
    claimant: str = ""
    """Who made the claims."""
    appearance: str = ""
    """The address of the text that the claims are from."""
    page_url: str = ""
    """Where a page of the corpus is read; "{page}" stands for its title."""
    graph: bool = True
    """One document with all reviews, or else a line for each."""

    def __post_init__(self) -> None:
        for name in ("author_url", "url", "appearance", "page_url"):
            check_address(name, getattr(self, name))

    def review(self, verdict: Verdict) -> dict[str, Any]:
        """The review of one claim."""
        review: dict[str, Any] = _without_blanks(
            {
                "@type": "ClaimReview",
                "url": fill_address(self.url, id=verdict.claim.id),
                "datePublished": self.date,
                "inLanguage": self.language,
                "author": self._author(),
                "claimReviewed": verdict.claim.text,
                "itemReviewed": self._claim(verdict),
                "reviewRating": self._rating(verdict),
                "reviewBody": " ".join(map(_sentence, self._body(verdict))),
                "citation": [self._citation(hit) for hit in cited_hits(verdict)],
            }
        )
        return review

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write each review as it arrives; returns how many there were."""
        return self._write_graph(verdicts, out) if self.graph else self._write_lines(verdicts, out)

    def _write_graph(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        out.write(f'{{"@context": "{_CONTEXT}", "@graph": [')
        count = 0
        for verdict in verdicts:
            out.write(",\n" if count else "\n")
            out.write(_dump_embeddable(self.review(verdict)))
            count += 1
        out.write("\n]}\n")
        return count

    def _write_lines(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        count = 0
        for verdict in verdicts:
            out.write(_dump_embeddable({"@context": _CONTEXT, **self.review(verdict)}) + "\n")
            count += 1
        return count

    def _body(self, verdict: Verdict) -> list[str]:
        uncertain = [f"This answer is uncertain: {verdict.uncertainty}"] if verdict.uncertainty else []
        return [*verdict.reasoning, *uncertain]

    def _author(self) -> dict[str, str]:
        named = {"name": self.author, "url": self.author_url}
        return {"@type": "Organization", **named} if any(named.values()) else {}

    def _claim(self, verdict: Verdict) -> dict[str, Any]:
        appearance = {"@type": "CreativeWork", "url": self.appearance} if self.appearance else {}
        claimant = {"@type": "Thing", "name": self.claimant} if self.claimant else {}
        return {"@type": "Claim", "text": verdict.claim.text, "author": claimant, "appearance": appearance}

    def _rating(self, verdict: Verdict) -> dict[str, Any]:
        value, name = rating(verdict)
        scale = {} if value is None else {"ratingValue": value, "bestRating": _BEST, "worstRating": _WORST}
        return {"@type": "Rating", **scale, "alternateName": name}

    def _citation(self, hit: Hit) -> dict[str, Any]:
        element = hit.element
        return {
            "@type": "CreativeWork",
            "name": element.id.page,
            "identifier": str(element.id),
            "text": element.text,
            "url": fill_address(self.page_url, page=element.id.page),
        }


def cited_hits(verdict: Verdict) -> list[Hit]:
    """The evidence that the verdict rests on; all of it where the certificate does not say which that is."""
    chosen = VerdictView(verdict).key or {hit.element.id for hit in verdict.evidence}
    return [hit for hit in verdict.evidence if hit.element.id in chosen]


def check_address(name: str, address: str) -> None:
    """Refuse an option that is no web address."""
    parts = urlsplit(address)
    if address and (parts.scheme not in ("http", "https") or not parts.netloc):
        raise InputError(f"{name} is {address!r}; expected a web address such as https://example.org/checks/")


def fill_address(address: str, **fields: str) -> str:
    """An address with what its fields stand for."""
    for name, value in fields.items():
        address = address.replace(f"{{{name}}}", quote(value, safe=""))
    return address


def _sentence(line: str) -> str:
    line = line[:1].upper() + line[1:]
    return line if line.endswith((".", "!", "?")) else f"{line}."


def _without_blanks(value: Any) -> Any:
    """The same without empty texts, lists and objects."""
    if isinstance(value, Mapping):
        filled = {name: _without_blanks(each) for name, each in value.items()}
        return {name: each for name, each in filled.items() if each not in ("", [], {})}
    return [_without_blanks(each) for each in value] if isinstance(value, list) else value


def _dump_embeddable(value: Any) -> str:
    """JSON that may also stand inside a page's script element, which a "</script>" in a claim would end."""
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
