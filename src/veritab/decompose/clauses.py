"""The head of a clause: its subject, its verb, and a fronted phrase such as "In 1990,"."""

from __future__ import annotations

from typing import NamedTuple

from veritab.decompose.parts_of_speech import is_finite
from veritab.decompose.verbs import is_active_past, is_always_finite
from veritab.lexicon.grammar import CLAUSE_CONJUNCTIONS, PREPOSITIONS, RELATIVE_WORDS, SUBORDINATORS
from veritab.text import Token

CLAUSE_BOUNDARIES = CLAUSE_CONJUNCTIONS | {";"}
"""What may join two clauses of the same rank."""


class ClauseHead(NamedTuple):
    """Where a clause begins, where its subject begins after a fronted phrase such as "In 1990,", and its verb."""

    start: int
    subject: int
    verb: int


def clause_head(tokens: list[Token], start: int) -> ClauseHead | None:
    """The subject and the first verb of a clause."""
    verb = _main_verb(tokens, start)
    if verb is None or verb == start:
        return None
    return ClauseHead(start, subject_start(tokens, start, verb), verb)


def _main_verb(tokens: list[Token], start: int) -> int | None:
    relative = False
    for place in range(start, len(tokens)):
        token = tokens[place]
        if token.depth:
            continue
        if token.lower in RELATIVE_WORDS and place > start:
            relative = True
        elif token.lower in ("when", "because", "if", ";", ":"):
            return None
        elif is_finite(tokens, place):
            if relative:
                return _verb_after(tokens, place)
            if tokens[start].lower in PREPOSITIONS and _is_in_fronted_phrase(tokens, start, place):
                continue
            if not is_always_finite(token.lower) and (
                is_reduced_relative(tokens, place) or _precedes_by(tokens, place)
            ):
                return _verb_after(tokens, place)
            return place
    return None


def is_reduced_relative(tokens: list[Token], place: int) -> bool:
    """Whether a past form is a participle on its noun: "the film directed by A was a hit"."""
    after = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    return (after in PREPOSITIONS or not is_active_past(tokens[place].lower)) and _verb_after(tokens, place) is not None


def _is_in_fronted_phrase(tokens: list[Token], start: int, place: int) -> bool:
    """Whether a past form is a participle in a fronted phrase: "At the games held in Rome, ..."."""
    if is_always_finite(tokens[place].lower) or place + 1 >= len(tokens) or tokens[place + 1].lower not in PREPOSITIONS:
        return False
    if any(token.text == "," for token in tokens[start:place]):
        return False
    return any(tokens[p].text == "," and not tokens[p].depth for p in range(place + 1, len(tokens)))


def _precedes_by(tokens: list[Token], place: int) -> bool:
    return place + 1 < len(tokens) and tokens[place + 1].lower == "by"


def _verb_after(tokens: list[Token], place: int) -> int | None:
    """The next unambiguous verb, where no clause begins or ends before it."""
    for later in range(place + 1, len(tokens)):
        token = tokens[later]
        if token.depth:
            continue
        if token.lower in CLAUSE_BOUNDARIES or token.text in ",;:" or token.lower in SUBORDINATORS:
            return None
        if is_finite(tokens, later) and is_always_finite(token.lower):
            return later
    return None


def subject_start(tokens: list[Token], start: int, verb: int) -> int:
    """Where the subject begins: after a fronted phrase such as "On May 7, 2015," where there is one."""
    first = tokens[start]
    if first.lower not in PREPOSITIONS:
        return start
    commas = [place for place in range(start, verb) if tokens[place].text == "," and not tokens[place].depth]
    if commas and commas[-1] + 1 < verb:
        return commas[-1] + 1
    dated = start + 2 < verb and tokens[start + 1].is_number and len(tokens[start + 1].text) == 4
    return start + 2 if dated and not tokens[start + 2].is_number else start
