"""Statements about one thing, or about what two share: "The capital of A is B", "A and B died in the same year"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from veritab.lexicon.measures import (
    DATE_VERBS,
    MEASURING_VERBS,
    NAMING_VERBS,
    ONE_TIME_VERBS,
    PLACE_VERBS,
    POSITIVE_ATTRIBUTES,
    TITLES,
)
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.statements.amounts import name_noun, parse_years
from veritab.reason.statements.comparing import DATING_VERBS, without_verb
from veritab.reason.statements.kinds import (
    WITHIN,
    AgeStatement,
    EventStatement,
    SameStatement,
    Statement,
    ValueStatement,
)
from veritab.reason.subjects import name_attribute

Namer = Callable[[re.Match[str]], tuple[str, ...]]


def _by_name(found: re.Match[str]) -> tuple[str, ...]:
    return (name_noun(found["noun"]),)


def _by_header(found: re.Match[str]) -> tuple[str, ...]:
    return (name_attribute(found["noun"]),)


def _by_adjective(found: re.Match[str]) -> tuple[str, ...]:
    adjective = found["adjective"].lower()
    return () if adjective == "old" else (POSITIVE_ATTRIBUTES[adjective],)


def _by_day(found: re.Match[str]) -> tuple[str, ...]:
    return (DATE_VERBS[found["verb"].lower()],)


def _by_measure(found: re.Match[str]) -> tuple[str, ...]:
    return (MEASURING_VERBS[found["verb"].lower()],)


def _by_distance(found: re.Match[str]) -> tuple[str, ...]:
    return (name_attribute(f"distance from {found['place']}"),)


def _by_whom(found: re.Match[str]) -> tuple[str, ...]:
    return NAMING_VERBS[found["verb"].lower()]


def _by_place(found: re.Match[str]) -> tuple[str, ...]:
    return (PLACE_VERBS[found["verb"].lower()],)


def _by_country(found: re.Match[str]) -> tuple[str, ...]:
    return (WITHIN,)


def _by_count(found: re.Match[str]) -> tuple[str, ...]:
    return (name_noun(found["noun"]),) if ParsedClaim(found["value"]).numbers else ()


# -- ages and durations ------------------------------------------------------------------------------------

_AGES = tuple(
    (re.compile(pattern, re.IGNORECASE), until)
    for pattern, until in (
        (r"(?P<one>.+?) died (?:at the age of|at age|aged|at) (?P<age>.+)", "died"),
        (r"(?P<one>.+?) lived (?:to be|to the age of|until the age of|to) (?P<age>.+?)(?: years old)?", "died"),
        (r"(?P<one>.+?) lived for (?P<age>.+)", "died"),
        (r"(?P<one>.+?) was (?P<age>.+?)(?: years old)? when (?:he|she) died", "died"),
        (r"(?P<one>.+?) was (?P<age>.+?)(?: years old)? at (?:(?:the time of )?(?:his|her)) death", "died"),
        (r"(?P<one>.+?) (?:reigned|ruled) for (?P<age>.+)", "reign"),
    )
)


def parse_ages(text: str) -> Iterator[Statement]:
    """A died at the age of 84; A reigned for 63 years."""
    for pattern, until in _AGES:
        found = pattern.fullmatch(text)
        amount = parse_years(found["age"]) if found else None
        if found and amount:
            yield AgeStatement(found["one"], amount, until)


# -- what two things share ---------------------------------------------------------------------------------


_SHARED: tuple[tuple[re.Pattern[str], Namer], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (
            r"(?P<one>.+?) and (?P<other>.+?) (?:belong to|belonged to|have|had|share|shared|are in|were in"
            r"|are of|lie in|stand in|come from|are from|speak|use|are part of) (?P<same>the same|different)"
            r" (?P<noun>[\w -]+)",
            _by_header,
        ),
        (
            r"(?P<one>.+?) (?:belongs to|has|had|is in|was in|lies in|stands in|is from) (?P<same>the same) "
            r"(?P<noun>[\w -]+) as (?P<other>.+)",
            _by_header,
        ),
        (
            rf"(?P<one>.+?) and (?P<other>.+?) (?:were )?(?:both )?(?P<verb>{DATING_VERBS}) in"
            r" (?P<same>the same|different) years?",
            _by_day,
        ),
    )
)


def parse_sameness(text: str) -> Iterator[Statement]:
    """Helium and neon belong to the same group; A and B died in the same year."""
    for pattern, name in _SHARED:
        if found := pattern.fullmatch(text):
            same = found["same"].lower() == "the same"
            yield SameStatement(found["one"], without_verb(found["other"]), name(found)[0], same)


# -- values ------------------------------------------------------------------------------------------------

_NAME = r"(?-i:[A-Z])"
_VALUES: tuple[tuple[re.Pattern[str], Namer], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"the (?P<noun>[\w -]+?) of (?P<one>.+?) (?:is|was|are|were) (?P<not>not )?(?P<value>.+)", _by_name),
        (r"(?P<one>.+?)'s? (?P<noun>[\w -]+?) (?:is|was|are|were) (?P<not>not )?(?P<value>.+)", _by_name),
        (
            r"(?P<one>.+?) (?:has|had) (?:an?|the) (?P<not>not )?(?P<noun>[\w -]+?) (?:of|at) (?P<value>.*\d.*)",
            _by_name,
        ),
        (
            r"(?P<one>.+?) (?:has|had) (?P<not>not )?(?P<value>.*\d.*?) (?P<noun>people|inhabitants|residents)"
            r"(?: in (?P<year>\d{4}))?",
            _by_name,
        ),
        (
            rf"(?P<one>.+?) (?:is|was) (?P<not>not )?(?P<value>.*\d.*?) (?P<adjective>{'|'.join(POSITIVE_ATTRIBUTES)})",
            _by_adjective,
        ),
        (
            rf"(?P<one>.+?) (?:was |were )?(?P<not>not )?(?P<verb>{DATING_VERBS}) (?:in|on) (?P<value>.*\d.*)",
            _by_day,
        ),
        (rf"(?P<one>.+?) (?P<verb>{'|'.join(MEASURING_VERBS)})(?: at)? (?P<value>.*\d.*)", _by_measure),
        (
            r"(?P<one>.+?) is (?:on average )?(?P<value>\D*\d[\d,.]* (?:million |billion )?[a-z]+)(?: away)? from"
            rf" (?:the )?(?P<place>{_NAME}\w+)(?: on average)?",
            _by_distance,
        ),
        (r"(?P<one>.+?) has (?:the )?(?P<noun>(?-i:[a-z ]+)) (?P<value>\d+|(?-i:[A-Z][a-z]?))", _by_header),
        (
            rf"(?P<one>.+?) (?:is|was|were) (?P<not>not )?(?P<verb>{'|'.join(NAMING_VERBS)}) (?:the )?"
            rf"(?P<value>{_NAME}.*)",
            _by_whom,
        ),
        (
            rf"(?P<value>{_NAME}[\w' .-]*) (?:is|was) (?P<not>not )?the (?P<noun>{'|'.join(TITLES)}) of (?:the )?"
            rf"(?P<one>{_NAME}.*)",
            _by_header,
        ),
        (
            rf"(?P<one>{_NAME}.*?) (?:is|lies|stands) (?P<not>not )?(?:an? (?:\w+ )?\w+ )?in "
            rf"(?P<value>{_NAME}[\w' -]*)",
            _by_country,
        ),
        (rf"(?P<one>.+?) (?:was )?(?P<verb>born|died) in (?P<value>{_NAME}[\w' -]*)", _by_place),
        (
            r"(?P<one>.+?) (?:has|had) (?P<not>not )?(?P<value>\D*?\d[\d,]*|[a-z]+(?:-[a-z]+)?)"
            r" (?P<noun>(?-i:[a-z -]+))",
            _by_count,
        ),
    )
)


def parse_values(text: str) -> Iterator[Statement]:
    """The capital of A is B; A has a population of 5,000; A is 300 m tall; A was founded in 1898."""
    for pattern, name in _VALUES:
        found = pattern.fullmatch(text)
        if found and (attributes := name(found)):
            negated = bool(found.groupdict().get("not"))
            # Who was born in Copenhagen was born in Denmark.
            confirms = name is _by_place
            year = found.groupdict().get("year") or ""
            yield ValueStatement(found["one"], attributes, found["value"], negated, confirms, year)


_EVENT = re.compile(r"(?P<event>\S.* (?P<verb>[a-z]+ed|[a-z]+) .*?) (?:in|on) (?P<date>(?:\d|[A-Z][a-z]+ \d)[\w ,]*)")


def parse_events(text: str) -> Iterator[Statement]:
    """Spain joined the European Communities in 1986."""
    if found := _EVENT.fullmatch(text):
        once = not ONE_TIME_VERBS.isdisjoint(found["event"].split())
        yield EventStatement(found["event"], found["date"], confirms=not once)
