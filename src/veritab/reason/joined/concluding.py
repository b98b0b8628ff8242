"""The reasoning of a claim that several values decide together."""

from __future__ import annotations

from collections.abc import Iterable

from veritab.reason.facts import Fact
from veritab.reason.reasoner import Reasoning
from veritab.schema import ElementId

CONFIDENCE = 0.97


def conclude_joined(claim: str, holds: bool, said: str, ids: Iterable[ElementId]) -> Reasoning:
    """The answer with what was put together, in a line."""
    cells = tuple(dict.fromkeys(ids))
    told = said.replace(", of ", "; of ").replace(" = ", ": ")
    line = f"{told[:1].upper()}{told[1:]}, so that {'holds' if holds else 'is false'}"
    fact = Fact(f"{said}.", cells, 2.0 * CONFIDENCE)
    return Reasoning(claim, holds, CONFIDENCE if holds else 1 - CONFIDENCE, None, (line,), cells, (fact,), said)
