"""FaVIQ: a claim, a passage that was found for it, and one that was not the right one."""

from __future__ import annotations

from typing import Any

from veritab.datasets.example_rows import original_record
from veritab.datasets.writing.account import QUOTED, LossAccount, UnsupportedExample
from veritab.datasets.writing.sets import ADDRESSES, CHALLENGE, NO_LABEL, NO_WORDS, ElementOf, words_of
from veritab.schema import Example, Label

_GOLD = "that the evidence was annotated; the format's is found"
_SEVERAL = "all quoted evidence but the first"
_KEPT = ("question", "answer", "negative_evidence")


def record_of(example: Example, account: LossAccount, element_of: ElementOf | None = None) -> dict[str, Any]:
    """A claim as FaVIQ writes it; passages keep their numbers where the record has them."""
    if example.label is Label.NOT_ENOUGH_INFO:
        raise UnsupportedExample(NO_LABEL)
    record, quoted = original_record(example), words_of(example, element_of)
    for lost, what in (
        (bool(example.evidence), ADDRESSES if quoted else NO_WORDS),
        (not example.silver, _GOLD),
        (len(quoted) > 1, _SEVERAL),
        (bool(example.challenge), CHALLENGE),
    ):
        if lost:
            account.lose(what)
    account.lose_rest(example, (*_KEPT, *QUOTED))
    positive = record.get("positive_evidence")
    if not isinstance(positive, dict):
        positive = {"id": "", "title": quoted[0].page, "text": quoted[0].text} if quoted else None
    return {
        "id": example.claim.id,
        "claim": example.claim.text,
        "label": str(example.label) if example.label else None,
        "positive_evidence": positive,
        "negative_evidence": None,
        **{key: record[key] for key in _KEPT if key in record},
    }
