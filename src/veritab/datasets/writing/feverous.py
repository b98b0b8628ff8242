"""FEVEROUS's claims: sets of element ids with the context of each, and what annotators did to find them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from veritab.datasets.example_rows import original_record
from veritab.datasets.writing.account import CONTEXT, LossAccount, UnsupportedExample
from veritab.datasets.writing.sets import NO_ROOM_FOR_SILVER, UNLABELLED, ElementOf, distinct_sets, number_or_text
from veritab.errors import InputError
from veritab.schema import ElementId, EvidenceSet, Example, Kind
from veritab.text import nfc

HEADER = {
    "evidence": [{"content": [], "context": {}}],
    "id": "",
    "claim": "",
    "label": "",
    "annotator_operations": [],
    "challenge": "",
}
"""The first line of every file of FEVEROUS: readers skip it unread."""
_POOR_CONTEXT = "the context beyond the title, which only the corpus knows (--corpus)"


def record_of(example: Example, account: LossAccount, element_of: ElementOf | None = None) -> dict[str, Any]:
    """A claim as FEVEROUS writes it; contexts and operations are the record's where it has them."""
    if example.silver:
        raise UnsupportedExample(NO_ROOM_FOR_SILVER)
    account.lose_rest(example, (CONTEXT, "annotator_operations"))
    record = original_record(example)
    said: dict[str, Any] = {"id": number_or_text(example.claim.id), "claim": example.claim.text}
    if example.label is None:
        if example.evidence:
            account.lose(UNLABELLED)
        return {**said, "challenge": example.challenge} if example.challenge else said
    known = _known_contexts(record.get("evidence"))
    told = told_sets(record.get("evidence"))
    evidence = [
        _set(told.get(gold) or [str(id) for id in sorted(gold)], known, element_of)
        for gold in distinct_sets(example, account)
    ]
    if not element_of and any(nfc(id) not in known for each in evidence for id in each["content"]):
        account.lose(_POOR_CONTEXT)
    operations = record.get("annotator_operations")
    return {
        "evidence": evidence,
        **said,
        "label": str(example.label),
        "annotator_operations": operations if isinstance(operations, list) else [],
        "challenge": example.challenge,
    }


def _known_contexts(evidence: Any) -> dict[str, list[str]]:
    """The contexts that a record tells, by the address as we write it."""
    known = {}
    for each in evidence if isinstance(evidence, list) else ():
        contexts = each.get("context") if isinstance(each, Mapping) else None
        for id, context in contexts.items() if isinstance(contexts, Mapping) else ():
            known[nfc(id)] = context
    return known


def told_sets(evidence: Any) -> dict[EvidenceSet, list[str]]:
    """The sets of a record in its own spelling and order, which is that of the annotator."""
    contents: list[Any] = (
        [each.get("content") for each in evidence if isinstance(each, Mapping)] if isinstance(evidence, list) else []
    )
    told = {}
    for content in contents:
        with suppress(InputError, TypeError):
            told[frozenset(map(ElementId.parse, content))] = content
    return told


def _set(content: list[str], known: Mapping[str, list[str]], element_of: ElementOf | None) -> dict[str, Any]:
    return {
        "content": content,
        "context": {id: known.get(nfc(id)) or _context(ElementId.parse(id), element_of) for id in content},
    }


def _context(id: ElementId, element_of: ElementOf | None) -> list[str]:
    element = element_of(id) if element_of else None
    return [str(each.id) for each in element.context] if element else [str(ElementId(id.page, Kind.TITLE))]
