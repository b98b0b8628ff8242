"""Verdicts, elements and search results as JSON, one shape at every door; a verdict can be read back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from veritab.errors import FormatError, InputError, short_repr
from veritab.schema import (
    COMPUTED,
    Certificate,
    Claim,
    Context,
    Correction,
    CountedRows,
    DerivedFact,
    Element,
    ElementId,
    Flip,
    Hit,
    Kind,
    Label,
    Link,
    ModelUse,
    Origin,
    PartVerdict,
    Reason,
    Region,
    Searched,
    Uncertainty,
    Unsettled,
    Verdict,
)

if TYPE_CHECKING:
    from veritab.render.view import ClaimSpan
    from veritab.retrieve.search.matches import Match

_MOST_FACTS = 10


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
        "scores": _scores_to_json(verdict.scores),
        "uncertain": verdict.uncertain,
        **({"uncertain_because": str(verdict.uncertainty)} if verdict.uncertainty else {}),
        "evidence": [_hit_to_json(hit) for hit in verdict.evidence],
        "reasoning": list(verdict.reasoning),
        "certificate": certificate_to_json(verdict.certificate),
        "corpus": dict(verdict.corpus),
    }


def text_verdict_to_json(found: ClaimSpan, verdict: Verdict) -> dict[str, Any]:
    """A verdict on a sentence of a text, with the sentence as written and its place in the text."""
    return {"start": found.start, "end": found.end, "text": found.text, **verdict_to_json(verdict)}


def judgement_to_json(verdict: Verdict) -> dict[str, Any]:
    """A verdict on evidence that the caller gave, and in short what was computed with, derived and read."""
    record = verdict_to_json(verdict)
    record["cells"] = [str(hit.element.id) for hit in verdict.evidence if hit.by == COMPUTED]
    record["facts"] = [fact.text for fact in verdict.certificate.facts[:_MOST_FACTS]]
    if use := verdict.certificate.model:
        record["model"] = f"{use.name} {use.sha256}".strip()
        record["read"] = [str(hit.element.id) for hit in verdict.evidence if hit.by != COMPUTED]
    return record


def correction_to_json(correction: Correction) -> dict[str, Any]:
    """A correction with its edits, the evidence that asks for them, and the verdicts before and after."""
    named = {"id": correction.claim.id} if correction.claim.id else {}
    return {
        **named,
        "claim": correction.claim.text,
        "outcome": str(correction.outcome),
        "correction": correction.text or None,
        "edits": [
            {
                "start": edit.start,
                "end": edit.end,
                "old": edit.old,
                "new": edit.new,
                "kind": edit.kind,
                "element": str(edit.source) if edit.source else None,
            }
            for edit in correction.edits
        ],
        "evidence": [_hit_to_json(hit) for hit in correction.evidence],
        "tried": correction.tried,
        "verdict": verdict_to_json(correction.verdict),
        "corrected_verdict": verdict_to_json(correction.corrected) if correction.corrected else None,
    }


def verdict_from_json(record: Mapping[str, Any]) -> Verdict:
    """The verdict that `verdict_to_json` wrote."""
    try:
        return Verdict(
            Claim(str(record.get("id", "")), record["claim"]),
            Label(record["label"]),
            _scores_from_json(record["scores"]),
            tuple(map(_hit_from_json, record.get("evidence", ()))),
            tuple(record.get("reasoning", ())),
            certificate_from_json(record.get("certificate", {})),
            dict(record.get("corpus", {})),
            Uncertainty(record["uncertain_because"]) if record.get("uncertain_because") else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError, InputError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise FormatError(
            f"{short_repr(record)} is not a verdict ({reason}); expected what `veritab check --json` prints"
        ) from None


def _scores_to_json(scores: Mapping[Label, float]) -> dict[str, float]:
    return {str(label): score for label, score in scores.items()}


def _scores_from_json(record: Mapping[str, Any]) -> dict[Label, float]:
    return {Label(label): float(score) for label, score in record.items()}


# -- certificates ------------------------------------------------------------------------------------------


def certificate_to_json(certificate: Certificate) -> dict[str, Any]:
    """A certificate as one flat mapping; what was not worked out is left out."""
    use, searched = certificate.model, certificate.searched
    record: dict[str, Any] = {
        "confidence": certificate.confidence,
        "calibrated": certificate.calibrated,
        "by": certificate.by or None,
        "computed": certificate.computed and str(certificate.computed),
        "program": certificate.program or None,
        "rows": [_rows_to_json(rows) for rows in certificate.rows] or None,
        **_unsettled_to_json(certificate.unsettled),
        "smallest": None if certificate.smallest is None else list(map(str, certificate.smallest)),
        "flips": None if certificate.flips is None else [{"id": str(f.id), "to": str(f.to)} for f in certificate.flips],
        "missing": None if certificate.missing is None else list(certificate.missing),
        "cited": list(map(str, certificate.cited)) or None,
        "read_as": certificate.read_as or None,
        "searched": searched and _searched_to_json(searched),
        "parts": [_part_to_json(part) for part in certificate.parts] or None,
        "facts": [{"text": fact.text, "cells": list(map(str, fact.cells))} for fact in certificate.facts],
    }
    if use:
        record |= {"model": use.name, "answer": use.answer or None}
        if use.sha256:
            record |= {
                "sha256": use.sha256,
                "profile": use.profile,
                "temperature": use.temperature,
                "reading": use.reading,
                "tokens": use.tokens,
                "dropped": list(map(str, use.dropped)),
                "dropped_in_all": use.dropped_in_all,
            }
    return {name: value for name, value in record.items() if value is not None}


def _searched_to_json(searched: Searched) -> dict[str, Any]:
    missing = {"missing": list(searched.missing), "shards": searched.shards} if searched.missing else {}
    return {"pages": searched.pages, "read": list(searched.read), "candidates": searched.candidates, **missing}


def _searched_from_json(record: Mapping[str, Any]) -> Searched:
    return Searched(
        record["pages"],
        tuple(record["read"]),
        record["candidates"],
        tuple(record.get("missing", ())),
        record.get("shards", 0),
    )


def certificate_from_json(record: Mapping[str, Any]) -> Certificate:
    """The certificate that `certificate_to_json` wrote."""
    searched, computed = record.get("searched"), record.get("computed")
    use = ModelUse(
        record.get("model", ""),
        record.get("sha256", ""),
        record.get("profile", ""),
        record.get("temperature"),
        record.get("reading", ""),
        int(record.get("tokens", 0)),
        _ids(record.get("dropped", ())),
        int(record.get("dropped_in_all", 0)),
        record.get("answer", ""),
    )
    return Certificate(
        confidence=record.get("confidence"),
        calibrated=bool(record.get("calibrated", True)),
        by=record.get("by", ""),
        model=use if use.name else None,
        computed=Label(computed) if computed else None,
        program=record.get("program", ""),
        rows=tuple(map(_rows_from_json, record.get("rows", ()))),
        unsettled=_unsettled_from_json(record),
        smallest=_ids(record["smallest"]) if "smallest" in record else None,
        flips=tuple(Flip(ElementId.parse(flip["id"]), Label(flip["to"])) for flip in record["flips"])
        if "flips" in record
        else None,
        missing=tuple(record["missing"]) if "missing" in record else None,
        cited=_ids(record.get("cited", ())),
        searched=_searched_from_json(searched) if searched else None,
        facts=tuple(DerivedFact(fact["text"], _ids(fact["cells"])) for fact in record.get("facts", ())),
        parts=tuple(map(_part_from_json, record.get("parts", ()))),
        read_as=record.get("read_as", ""),
    )


def _part_to_json(part: PartVerdict) -> dict[str, Any]:
    return {
        "text": part.text,
        "label": str(part.label),
        "scores": _scores_to_json(part.scores),
        "evidence": list(map(str, part.evidence)),
        **_unsettled_to_json(part.unsettled),
        **({"answer": part.answer} if part.answer else {}),
        **({"reasoning": list(part.reasoning)} if part.reasoning else {}),
        **({"rows": [_rows_to_json(rows) for rows in part.rows]} if part.rows else {}),
        **({"computed": str(part.computed)} if part.computed else {}),
    }


def _part_from_json(record: Mapping[str, Any]) -> PartVerdict:
    return PartVerdict(
        record["text"],
        Label(record["label"]),
        _scores_from_json(record.get("scores", {})),
        _ids(record.get("evidence", ())),
        _unsettled_from_json(record),
        record.get("answer", ""),
        tuple(record.get("reasoning", ())),
        tuple(map(_rows_from_json, record.get("rows", ()))),
        Label(record["computed"]) if record.get("computed") else None,
    )


def _rows_to_json(counted: CountedRows) -> dict[str, Any]:
    return {
        "table": str(counted.table),
        "rows": list(counted.rows),
        "of": counted.of,
        "columns": list(counted.columns),
        "condition": counted.condition,
        "others": counted.others,
    }


def _rows_from_json(record: Mapping[str, Any]) -> CountedRows:
    return CountedRows(
        ElementId.parse(record["table"]),
        tuple(map(int, record["rows"])),
        int(record["of"]),
        tuple(map(int, record.get("columns", ()))),
        record.get("condition", ""),
        record.get("others", ""),
    )


def _unsettled_to_json(unsettled: Unsettled | None) -> dict[str, str]:
    return {"reason": str(unsettled.reason), "why": unsettled.text} if unsettled else {}


def _unsettled_from_json(record: Mapping[str, Any]) -> Unsettled | None:
    return Unsettled(Reason(record["reason"]), record["why"]) if record.get("reason") else None


def _ids(texts: Iterable[str]) -> tuple[ElementId, ...]:
    return tuple(map(ElementId.parse, texts))


# -- hits, elements and matches ----------------------------------------------------------------------------


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
        **_original(element),
    }


def _hit_from_json(record: Mapping[str, Any]) -> Hit:
    context = tuple(Context(ElementId.parse(near["id"]), near["text"]) for near in record.get("context", ()))
    links = tuple(Link(start, end, target) for start, end, target in record.get("links", ()))
    original = record.get("original")
    origin = original and Origin(original["file"], tuple(Region(*sides) for sides in original.get("regions", ())))
    element = Element(ElementId.parse(record["id"]), record["text"], links, context, origin)
    return Hit(element, float(record["score"]), record["by"])


def _context(element: Element) -> list[dict[str, str]]:
    return [{"id": str(near.id), "text": near.text} for near in element.context]


def _original(element: Element) -> dict[str, Any]:
    """The file that an element was read from, and where in it: a page of a PDF, or the cells of a sheet.

    A region is a page and the left, top, right and bottom of a box on it, in points, or in columns and rows of a sheet.
    """
    origin = element.origin
    if origin is None:
        return {}
    where: dict[str, Any] = {}
    if origin.page:
        where = {"sheet": origin.page, "cells": origin.cells} if origin.in_sheet else {"page": origin.page}
        where["regions"] = [list(region) for region in origin.regions]
    return {"original": {"file": origin.file, **where}}


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
        **_original(element),
    }


def match_to_json(match: Match) -> dict[str, Any]:
    """A search result, with the spans that match the query."""
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
