"""The programs a claim may mean: every sensible way to put its phrases together, each with its truth in the table.

None of them is chosen here. `ranking` says which the claim most likely means.
"""

from __future__ import annotations

from collections.abc import Iterator

from veritab.reason.parsing.conditions import Conditions, as_lists
from veritab.reason.parsing.linking import Links
from veritab.reason.programs.programs import Statement
from veritab.reason.templates.alike import alike
from veritab.reason.templates.comparisons import comparisons
from veritab.reason.templates.counts import counts
from veritab.reason.templates.extremes import extremes
from veritab.reason.templates.folds import folds
from veritab.reason.templates.lookups import lookups
from veritab.reason.templates.quantified import quantified
from veritab.reason.templates.reading import Candidate, Reading
from veritab.reason.templates.trends import trends

__all__ = ["Candidate", "candidates"]

_FORMS = (lookups, comparisons, extremes, counts, folds, quantified, alike, trends)
_FORMS_OF_ONE_ROW = (lookups, comparisons)
"""An infobox is one row: nothing in it can be counted, ranked or added up."""
_MOST_BEAMS, _MOST_READINGS = 20, 10
_MOST_CANDIDATES = 300


def candidates(links: Links) -> list[Candidate]:
    """Every program that fits, each once."""
    found: dict[Statement, Candidate] = {}
    forms = _FORMS if links.table.height > 1 else _FORMS_OF_ONE_ROW
    for reading in _readings(links):
        for form in forms:
            for candidate in form(reading):
                found.setdefault(candidate.program, candidate)
                if len(found) >= _MOST_CANDIDATES:
                    return list(found.values())
    return list(found.values())


def _readings(links: Links) -> Iterator[Reading]:
    """The likeliest readings of the phrases, lists read as lists and apart."""
    seen: set[Conditions] = set()
    for chosen in _choices(links):
        for conditions in dict.fromkeys((as_lists(chosen, links.asked, links.named.joining), chosen)):
            if conditions not in seen:
                seen.add(conditions)
                yield Reading(links, conditions)


def _whole_ranges(links: Links, chosen: Conditions) -> bool:
    """Whether the two ends of each range are understood alike, or neither of them is."""
    by_span = {condition.span: condition for condition in chosen}
    for low, high in links.asked.ranges:
        one, other = by_span.get(low), by_span.get(high)
        if (one is None) != (other is None):
            return False
        if one and other and (one.column != other.column or one.is_limit != other.is_limit):
            return False
    return True


def _choices(links: Links) -> list[Conditions]:
    """The likeliest ways to give each phrase one meaning, or none; the likeliest first."""
    beams: list[tuple[float, Conditions]] = [(0.0, ())]
    for slot in links.slots:
        grown = []
        for score, chosen in beams:
            skip = 0.35 if slot.number or not slot.conditions or slot.conditions[0].weight < 0.6 else 0.1
            grown.append((score + skip, chosen))
            grown += [(score + condition.likelihood, (*chosen, condition)) for condition in slot.conditions]
        grown.sort(key=lambda beam: -beam[0])
        beams = grown[:_MOST_BEAMS]
    return [chosen for _, chosen in beams if _whole_ranges(links, chosen)][:_MOST_READINGS]
