"""FoolMeTwice: a claim, the sentences of one page that its author relied on, and what happened to it in the game."""

from __future__ import annotations

from typing import Any

from veritab.datasets import fm2
from veritab.datasets.example_rows import original_record
from veritab.datasets.writing.account import QUOTED, LossAccount, UnsupportedExample
from veritab.datasets.writing.sets import (
    ADDRESSES,
    CHALLENGE,
    NO_LABEL,
    NO_ROOM_FOR_SILVER,
    NO_WORDS,
    ElementOf,
    words_of,
)
from veritab.schema import Example, Label

_SEVERAL_PAGES = "its evidence is from several pages, and the format has room for one"
_FROM_THE_GAME: dict[str, Any] = {
    "category": "NOCAT",
    "correct_votes": 0,
    "retrieved_evidence": [],
    "total_likes": 0,
    "total_votes": 0,
}


def record_of(example: Example, account: LossAccount, element_of: ElementOf | None = None) -> dict[str, Any]:
    """A claim as FoolMeTwice writes it; votes and likes are the record's, or none."""
    if example.label is Label.NOT_ENOUGH_INFO:
        raise UnsupportedExample(NO_LABEL)
    if example.silver:
        raise UnsupportedExample(NO_ROOM_FOR_SILVER)
    record, quoted = original_record(example), words_of(example, element_of)
    pages = {id.page for gold in example.evidence for id in gold} | {text.page for text in quoted if text.page}
    if len(pages) > 1:
        raise UnsupportedExample(_SEVERAL_PAGES)
    if example.evidence:
        account.lose(ADDRESSES if quoted else NO_WORDS)
    if example.challenge:
        account.lose(CHALLENGE)
    account.lose_rest(example, (*_FROM_THE_GAME, *QUOTED))
    gold = [{"section_header": text.section, "text": text.text} for text in quoted]
    game = {key: record.get(key, value) for key, value in _FROM_THE_GAME.items()}
    return {
        **game,
        "gold_evidence": record["gold_evidence"] if fm2.OFFICIAL.matches(record) else gold,
        "id": example.claim.id,
        "label": str(example.label) if example.label else None,
        "text": example.claim.text,
        "wikipedia_page": next(iter(pages), record.get("wikipedia_page") or ""),
    }
