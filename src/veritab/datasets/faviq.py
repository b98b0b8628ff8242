"""FaVIQ: claims made from questions, with a passage that was found for them: silver evidence, never scored as gold."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.datasets.records import GoldText, Record, RecordFormat, no_evidence, text_of
from veritab.text import squeeze, title_form


def _positive(record: Record) -> Iterator[GoldText]:
    passage = record.get("positive_evidence")
    if isinstance(passage, dict) and (text := squeeze(text_of(passage, "text"))):
        yield GoldText(title_form(text_of(passage, "title")), "", text)


def _has_passage(record: Record) -> bool:
    return "positive_evidence" in record


OFFICIAL = RecordFormat("FaVIQ", "faviq", _has_passage, no_evidence, _positive, silver=True)
