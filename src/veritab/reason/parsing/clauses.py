"""Claims of two clauses: "X has the most points and Y the fewest" is split, and the second completed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from veritab.lexicon.comparison import is_comparative, is_superlative
from veritab.lexicon.grammar import CLAUSE_CONJUNCTIONS
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.conditions import CellCondition, merge_lists
from veritab.reason.parsing.linking import EntityLinks

_MIN_WORDS = 2


class Clauses(NamedTuple):
    """The two claims that a claim consists of, each complete, and whether that is certain."""

    parts: tuple[ParsedClaim, ParsedClaim]
    surely: bool


def split_clauses(links: EntityLinks) -> Clauses | None:
    """The clauses of a claim; None when it has only one."""
    claim = links.claim
    for place in _split_points(links):
        left, right = claim.text[: claim.words[place].start], claim.text[claim.words[place].end :]
        named = [c for c in _subjects(links) if c.span[1] <= place]
        if not named:
            continue
        filled = _complete_clause(links, place, right.strip(), named[0])
        if filled:
            return Clauses(
                (ParsedClaim(left.strip(" ,;")), ParsedClaim(filled)), _has_comparison(claim.stems[place + 1 :])
            )
    return None


def _split_points(links: EntityLinks) -> Iterator[int]:
    """The positions where a claim may be split: outside phrases, and not inside a list or a range."""
    stems = links.claim.stems
    likeliest = tuple(slot.conditions[0] for slot in links.slots if slot.conditions)
    inside = {
        place
        for condition in merge_lists(likeliest, links.claim, links.header_mentions.joining)
        for place in range(*condition.span)
    }
    for place, stem in enumerate(stems):
        if (
            stem in CLAUSE_CONJUNCTIONS
            and stems[place + 1 : place + 3] != ("the", "other")
            and place not in inside
            and _MIN_WORDS <= place < len(stems) - _MIN_WORDS
        ):
            yield place


def _subjects(links: EntityLinks) -> list[CellCondition]:
    """The phrases that name one row or a few, in the order of the claim."""
    found = [slot.conditions[0] for slot in links.slots if slot.conditions]
    few = max(links.table.height // 4, 1)
    return [c for c in found if isinstance(c.term, str) and not c.is_limit and 0 < len(c.rows) <= few]


def _complete_clause(links: EntityLinks, place: int, right: str, subject: CellCondition) -> str | None:
    """The second clause, with the subject of the first and what it compares with where these are missing."""
    claim = links.claim
    after = claim.stems[place + 1 :]
    named = [c for c in _subjects(links) if c.span[0] > place]
    says = any(map(is_comparative, after)) or any(map(is_superlative, after))
    own = [slot for slot in links.slots if slot.span[0] > place and slot.conditions and slot.conditions[0].weight]
    if named and named[0].column == subject.column:
        # "A and B have ...": a list, unless each half says something of its own.
        before = [slot for slot in links.slots if slot.span[1] <= place and slot.span != subject.span]
        if not (before or _has_comparison(claim.stems[:place])) or not (says or len(own) > 1):
            return None
        return right
    if not (says or own or "no" in after or "not" in after):
        return None
    filled = f"{claim.phrase(subject.span)} {right}"
    if any(map(is_comparative, after)) and "than" not in after and "than" in claim.stems[:place]:
        than = claim.stems.index("than")
        filled = f"{filled.rstrip(' .')} {claim.phrase((than, place))}"
    return filled


def _has_comparison(stems: tuple[str, ...]) -> bool:
    return any(map(is_comparative, stems)) or any(map(is_superlative, stems))
