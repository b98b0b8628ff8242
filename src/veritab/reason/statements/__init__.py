"""Plain statements about named things, read whole: "A is 200 m taller than B", "A died at 84", "A's capital is B".

Each pattern has to match a claim from its first word to its last, so that nothing the claim says is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from veritab.reason.statements.comparing import parse_comparisons
from veritab.reason.statements.kinds import (
    WITHIN,
    AgeStatement,
    Amount,
    ComparisonStatement,
    EventStatement,
    SameStatement,
    Statement,
    ValueStatement,
)
from veritab.reason.statements.valuing import parse_ages, parse_events, parse_sameness, parse_values
from veritab.text import squeeze

__all__ = [
    "WITHIN",
    "AgeStatement",
    "Amount",
    "ComparisonStatement",
    "EventStatement",
    "SameStatement",
    "Statement",
    "ValueStatement",
    "parse_statements",
    "split_statement",
]

_MAX_CLAIM = 200


def parse_statements(claim: str) -> Iterator[Statement]:
    """The plain statements that a claim may be, as a whole."""
    text = squeeze(claim[:_MAX_CLAIM])
    if len(claim) > _MAX_CLAIM or not text:
        return
    text = text.rstrip(" .").replace("’", "'")
    for parse in (parse_comparisons, parse_ages, parse_sameness, parse_values, parse_events):
        yield from parse(text)


_PREDICATE = "is|was|has|had|lies|melts|boils|died|covers|weighs"
_TWO_PREDICATES = re.compile(
    rf"(?P<one>.+?) (?P<first>(?:{_PREDICATE}) .+?),? and (?:it )?(?P<second>(?:{_PREDICATE}) .+)", re.IGNORECASE
)
_ITS = re.compile(r"(?P<one>.+?)(?P<first>'s? .+| (?:has|had|is|was) .+?),? and its (?P<second>.+)", re.IGNORECASE)
_WHEN_AND_BY_WHOM = re.compile(
    r"(?P<one>.+?) (?P<verb>(?:is|was|were) [a-z ]+?) (?P<first>(?:in|on) [^,]*\d) (?P<second>by .+)"
)


def split_statement(claim: str) -> tuple[str, ...]:
    """The parts of a claim that says two things of one subject; none where it says one."""
    text = squeeze(claim[:_MAX_CLAIM]).rstrip(" .").replace("’", "'")
    if len(claim) > _MAX_CLAIM:
        return ()
    if found := _TWO_PREDICATES.fullmatch(text):
        return tuple(f"{found['one']} {found[part]}" for part in ("first", "second"))
    if found := _ITS.fullmatch(text):
        return f"{found['one']}{found['first']}", f"{found['one']}'s {found['second']}"
    if found := _WHEN_AND_BY_WHOM.fullmatch(text):
        return tuple(f"{found['one']} {found['verb']} {found[part]}" for part in ("first", "second"))
    return ()
