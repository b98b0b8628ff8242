"""Claims for which what two pages or rows say has to be put together, read whole.

"A was president when B happened" sets a term of office against a date, "A and B were born in the same town" one infobox
against another. As with plain statements, a pattern has to match a claim from its first word to its last.
"""

from __future__ import annotations

from collections.abc import Iterator

from veritab.reason.joined.counts import decide_counts
from veritab.reason.joined.likeness import decide_likeness
from veritab.reason.joined.offices import decide_offices
from veritab.reason.joined.order import decide_order
from veritab.reason.joined.places import decide_places
from veritab.reason.reasoner import Reasoning
from veritab.reason.subjects import Subjects
from veritab.text import squeeze

__all__ = ["decide_joined"]

_MAX_CLAIM = 200


def decide_joined(claim: str, subjects: Subjects) -> Reasoning | None:
    """What pages together say of a claim; None where it is of none of these kinds, or they leave it open."""
    if len(claim) > _MAX_CLAIM:
        return None
    text = squeeze(claim).rstrip(" .").replace("’", "'")
    for decide in (decide_likeness, decide_places, decide_counts, decide_offices, decide_order):
        found: list[Reasoning] = list(_decide(decide(claim, text, subjects)))
        if found:
            return found[0] if len({each.answer for each in found}) == 1 else None
    return None


def _decide(found: Iterator[Reasoning]) -> Iterator[Reasoning]:
    return (each for each in found if each.answer is not None)
