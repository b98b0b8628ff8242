"""Candidate generation: every program that the phrases of a claim may mean, executed over the table.

`ranking` scores them.
"""

from __future__ import annotations

from collections.abc import Iterator

from veritab.reason.parsing.conditions import CellConditions, merge_lists
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.programs.programs import TruthProgram
from veritab.reason.templates.aggregates import generate_aggregates
from veritab.reason.templates.comparisons import generate_comparisons
from veritab.reason.templates.counts import generate_counts
from veritab.reason.templates.equality import generate_equality
from veritab.reason.templates.exact import asks_exactly, generate_exact
from veritab.reason.templates.extremes import generate_extremes
from veritab.reason.templates.grounding import Grounding, ProgramCandidate
from veritab.reason.templates.lookups import generate_lookups
from veritab.reason.templates.quantifiers import generate_quantifiers
from veritab.reason.templates.stretches import generate_stretches
from veritab.reason.templates.trends import generate_steady, generate_trends
from veritab.reason.templates.wholes import generate_wholes

_TEMPLATES = (
    generate_lookups,
    generate_comparisons,
    generate_extremes,
    generate_counts,
    generate_aggregates,
    generate_quantifiers,
    generate_equality,
    generate_trends,
)
_ONE_ROW_TEMPLATES = (generate_lookups, generate_comparisons)
"""An infobox is one row: nothing in it can be counted, ranked or added up."""
_MAX_BEAMS, _MAX_GROUNDINGS = 20, 10
_MAX_CANDIDATES = 300


def generate_candidates(links: EntityLinks) -> list[ProgramCandidate]:
    """All candidate programs of a claim, without duplicates."""
    found: dict[TruthProgram, ProgramCandidate] = {}
    templates = _TEMPLATES if links.table.height > 1 else _ONE_ROW_TEMPLATES
    for grounding in _groundings(links):
        for template in templates:
            for candidate in template(grounding):
                found.setdefault(candidate.program, candidate)
                if len(found) >= _MAX_CANDIDATES:
                    return list(found.values())
    return list(found.values())


def generate_exact_candidates(links: EntityLinks) -> list[ProgramCandidate]:
    """The candidate programs of constructions that mean one computation and no other."""
    if links.table.height < 2:
        return []
    found: dict[TruthProgram, ProgramCandidate] = {}
    exactly = asks_exactly(links.claim)
    for grounding in _groundings(links):
        exact = generate_exact(grounding) if exactly else ()
        steady = generate_steady(grounding)
        for candidate in (*exact, *generate_stretches(grounding), *steady, *generate_wholes(grounding)):
            found.setdefault(candidate.program, candidate)
    return list(found.values())


def _groundings(links: EntityLinks) -> Iterator[Grounding]:
    """The most probable groundings of the phrases, with lists merged and with their members apart."""
    seen: set[CellConditions] = set()
    for chosen in _beam_search(links):
        for conditions in dict.fromkeys((merge_lists(chosen, links.claim, links.header_mentions.joining), chosen)):
            if conditions not in seen:
                seen.add(conditions)
                yield Grounding(links, conditions)


def _has_whole_ranges(links: EntityLinks, chosen: CellConditions) -> bool:
    """Whether both ends of each range are grounded in the same way, or neither is."""
    by_span = {condition.span: condition for condition in chosen}
    for low, high in links.claim.ranges:
        one, other = by_span.get(low), by_span.get(high)
        if (one is None) != (other is None):
            return False
        if one and other and (one.column != other.column or one.is_limit != other.is_limit):
            return False
    return True


def _beam_search(links: EntityLinks) -> list[CellConditions]:
    """The best ways to ground each phrase in one condition or none, best first."""
    beams: list[tuple[float, CellConditions]] = [(0.0, ())]
    for slot in links.slots:
        grown = []
        for score, chosen in beams:
            skip = 0.35 if slot.number or not slot.conditions or slot.conditions[0].weight < 0.6 else 0.1
            grown.append((score + skip, chosen))
            grown += [(score + condition.likelihood, (*chosen, condition)) for condition in slot.conditions]
        grown.sort(key=lambda beam: -beam[0])
        beams = grown[:_MAX_BEAMS]
    return [chosen for _, chosen in beams if _has_whole_ranges(links, chosen)][:_MAX_GROUNDINGS]
