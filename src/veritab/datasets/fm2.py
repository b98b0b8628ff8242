"""Fool Me Twice: claims written for a game, with the sentences their authors relied on, quoted without an address."""

from __future__ import annotations

from collections.abc import Iterator

from veritab.datasets.records import GoldText, Record, RecordFormat, listed, no_evidence, text_of
from veritab.text import squeeze, title_form


def _gold(record: Record) -> Iterator[GoldText]:
    page = title_form(text_of(record, "wikipedia_page"))
    for piece in listed(record, "gold_evidence"):
        if isinstance(piece, dict) and (text := squeeze(text_of(piece, "text"))):
            yield GoldText(page, squeeze(text_of(piece, "section_header")), text)


def _is_from_the_game(record: Record) -> bool:
    return "gold_evidence" in record and "text" in record


OFFICIAL = RecordFormat("FoolMeTwice", "fm2", _is_from_the_game, no_evidence, _gold, claim="text")
