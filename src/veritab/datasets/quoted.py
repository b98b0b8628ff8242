"""What a record itself quotes as evidence."""

from __future__ import annotations

from veritab.datasets.record_formats import find_format
from veritab.datasets.records import GoldText
from veritab.schema import Example

__all__ = ["GoldText", "gold_texts"]


def gold_texts(example: Example) -> tuple[GoldText, ...]:
    """The evidence that the record quotes; empty where it holds only addresses.

    Where a claim has not enough information, this is what was retrieved for it, or what was left after a fact was
    taken away.
    """
    format = find_format(example.record)
    return tuple(format.texts(example.record)) if format else ()
