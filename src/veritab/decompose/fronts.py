"""What stands before the verb of a clause: its subject, and a lead such as "In 1990,"."""

from __future__ import annotations

from typing import NamedTuple

from veritab.decompose.tokens import PREPOSITIONS, Token, is_finite
from veritab.decompose.verbs import is_active, is_sure

JOINTS = frozenset("and but while whereas ;".split())
RELATIVE = frozenset("who which that whose whom where".split())
NESTING = RELATIVE | frozenset("when because although though if whether unless how why what".split())
"""Words that join two clauses; that begin a clause about a noun; that begin any clause inside another."""


class Front(NamedTuple):
    """What stands before a verb: where the subject begins after a lead such as "In 1990,", and the verb."""

    start: int
    subject: int
    verb: int


def front_of(line: list[Token], start: int) -> Front | None:
    """The subject and the first verb of a clause."""
    verb = _main_verb(line, start)
    if verb is None or verb == start:
        return None
    return Front(start, subject_start(line, start, verb), verb)


def _main_verb(line: list[Token], start: int) -> int | None:
    relative = False
    for place in range(start, len(line)):
        token = line[place]
        if token.depth:
            continue
        if token.low in RELATIVE and place > start:
            relative = True
        elif token.low in ("when", "because", "if", ";", ":"):
            return None
        elif is_finite(line, place):
            if relative:
                return _verb_after(line, place)
            if line[start].low in PREPOSITIONS and _is_in_lead(line, start, place):
                continue
            if not is_sure(token.low) and (is_reduced(line, place) or _is_by(line, place)):
                return _verb_after(line, place)
            return place
    return None


def is_reduced(line: list[Token], place: int) -> bool:
    """Whether a past form is a participle on its noun: "the film directed by A was a hit"."""
    after = line[place + 1].low if place + 1 < len(line) else ""
    return (after in PREPOSITIONS or not is_active(line[place].low)) and _verb_after(line, place) is not None


def _is_in_lead(line: list[Token], start: int, place: int) -> bool:
    """Whether a past form is a participle in a lead: "At the games held in Rome, ..."."""
    if is_sure(line[place].low) or place + 1 >= len(line) or line[place + 1].low not in PREPOSITIONS:
        return False
    if any(token.text == "," for token in line[start:place]):
        return False
    return any(line[p].text == "," and not line[p].depth for p in range(place + 1, len(line)))


def _is_by(line: list[Token], place: int) -> bool:
    return place + 1 < len(line) and line[place + 1].low == "by"


def _verb_after(line: list[Token], place: int) -> int | None:
    """The next verb that is surely one, where nothing joins or ends a clause before it."""
    for later in range(place + 1, len(line)):
        token = line[later]
        if token.depth:
            continue
        if token.low in JOINTS or token.text in ",;:" or token.low in NESTING:
            return None
        if is_finite(line, later) and is_sure(token.low):
            return later
    return None


def subject_start(line: list[Token], start: int, verb: int) -> int:
    """Where the subject begins: after a lead such as "On May 7, 2015," where there is one."""
    first = line[start]
    if first.low not in PREPOSITIONS:
        return start
    commas = [place for place in range(start, verb) if line[place].text == "," and not line[place].depth]
    if commas and commas[-1] + 1 < verb:
        return commas[-1] + 1
    dated = start + 2 < verb and line[start + 1].is_number and len(line[start + 1].text) == 4
    return start + 2 if dated and not line[start + 2].is_number else start
