"""Statements that compare two things: "K2 is 238 m lower than Mount Everest", "A outlived B by two years"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from veritab.lexicon.measures import (
    COMPARED_ATTRIBUTES,
    DATE_VERBS,
    MEASURING_VERBS,
    MUST_AGREE,
    POSITIVE_ATTRIBUTES,
)
from veritab.reason.statements.amounts import name_noun, parse_degree, parse_times
from veritab.reason.statements.kinds import ComparisonStatement
from veritab.reason.subjects import name_attribute

_TRAILING = re.compile(r" (?:is|was|are|were|does|did|has|had|do|died|was born)$")
_DIRECTIONS = {
    **dict.fromkeys("more larger bigger higher greater longer older after north".split(), 1),
    **dict.fromkeys("fewer less smaller lower shorter younger before south predates predated".split(), -1),
    **{"later than": 1, "earlier than": -1, "farther from": 1, "further from": 1, "closer to": -1, "nearer to": -1},
    **{"nearer": -1, "more time": 1, "less time": -1, "outlived": 1},
}
"""The words that say which of two has more."""

DATING_VERBS = "|".join(sorted(map(re.escape, DATE_VERBS), key=len, reverse=True))
_MORE_OR_LESS = "more|larger|bigger|higher|greater|longer|fewer|less|smaller|lower|shorter"


def without_verb(name: str) -> str:
    """The second of two things without the verb that is repeated after it: "than B did"."""
    return _TRAILING.sub("", name)


def parse_comparisons(text: str) -> Iterator[ComparisonStatement]:
    """The comparisons of two things that a claim may be, as a whole."""
    yield from _adjectives(text)
    yield from _ratios(text)
    yield from _ratios_of_nouns(text)
    for pattern, name in _WORDINGS:
        found = pattern.fullmatch(text)
        attributes = name(found) if found else ()
        if found and any(attributes):
            more, given = found["more"].lower(), found.groupdict()
            word = more if more in _MORE_OR_LESS.split("|") else ""
            other = _same_edition(found["one"], found["other"])
            yield from _build(found["one"], other, attributes, _DIRECTIONS[more], given.get("middle") or "", word)


def _build(
    one: str, other: str, attributes: tuple[str, ...], up: int, middle: str, word: str = "", *, must_agree: bool = False
) -> Iterator[ComparisonStatement]:
    """A comparison with what stands before its comparative: a "not", an amount, a vague degree."""
    read = parse_degree(middle)
    if read is None:
        return
    amount, negated, vague = read
    other = without_verb(other)
    if amount and negated:
        return
    yield ComparisonStatement(one, other, attributes, up, amount, negated, vague, word, must_agree)


# -- adjectives and ratios ---------------------------------------------------------------------------------

_ADJECTIVES = "|".join(sorted(map(re.escape, COMPARED_ATTRIBUTES), key=len, reverse=True))
_COMPARATIVE = re.compile(
    rf"(?P<one>.+?) (?:is|was|are|were)(?P<middle> .*?)?? (?P<comparative>{_ADJECTIVES})"
    r"(?: (?:in|by) (?P<attribute>[a-z]+))? than (?P<other>.+)",
    re.IGNORECASE,
)


def _adjectives(text: str) -> Iterator[ComparisonStatement]:
    """K2 is 238 m lower than Mount Everest."""
    found = _COMPARATIVE.fullmatch(text)
    if not found:
        return
    comparative = found["comparative"].lower()
    attributes, up = COMPARED_ATTRIBUTES[comparative]
    if found["attribute"]:
        attributes = (name_attribute(found["attribute"]),)
    agree = comparative in MUST_AGREE and not found["attribute"]
    middle = found["middle"] or ""
    yield from _build(found["one"], found["other"], attributes, up, middle, found["comparative"], must_agree=agree)


_RATIO = re.compile(
    r"(?P<one>.+?) (?:is|was|are|were|has|had|(?P<verb>weighs|weighed|costs?))(?P<middle> .*?)??"
    r" (?P<times>(?:\S+ )?times|twice|half|thrice) as "
    r"(?P<adjective>\w+)(?P<noun> .+?)? as (?P<other>.+)",
    re.IGNORECASE,
)


def _ratios(text: str) -> Iterator[ComparisonStatement]:
    """A is more than twice as long as B, A has twice as many inhabitants as B."""
    found = _RATIO.fullmatch(text)
    attribute = _scaled_attribute(found) if found else ""
    amount = parse_times(f"{found['middle'] or ''} {found['times']} as".strip()) if found else None
    if found and attribute and amount:
        yield ComparisonStatement(found["one"], without_verb(found["other"]), (attribute,), 1, amount)


_OWN_RATIO = re.compile(
    r"(?:(?:the )?(?P<noun>[\w -]+?) of (?P<one>.+?)|(?P<owner>.+?)['’]s? (?P<own>[\w -]+?))"
    r" (?:is|was)(?P<middle> .*?)?? (?P<times>(?:\S+ )?times|twice|double|half)"
    r" (?:that of|(?P<others>.+?)['’]s$) ?(?P<other>.*)",
    re.IGNORECASE,
)
_ORBIT_RATIO = re.compile(
    r"(?P<one>.+?) takes(?P<middle> .*?)?? (?P<times>(?:\S+ )?times|twice|half) as long as (?P<other>.+?)"
    r" to (?:orbit|circle|go (?:a)?round|travel (?:a)?round) (?:the )?(?-i:[A-Z])\w+",
    re.IGNORECASE,
)


def _ratios_of_nouns(text: str) -> Iterator[ComparisonStatement]:
    """A's diameter is more than twice that of B, A takes twice as long as B to go round the Sun."""
    found = _OWN_RATIO.fullmatch(text)
    orbit = _ORBIT_RATIO.fullmatch(text)
    match = orbit or found
    if not match:
        return
    amount = parse_times(f"{match['middle'] or ''} {match['times']} as".strip())
    if amount and orbit:
        yield ComparisonStatement(orbit["one"], orbit["other"], ("orbital period",), 1, amount)
    elif amount and found:
        one, other = found["one"] or found["owner"], found["other"] or found["others"]
        if other:
            yield ComparisonStatement(one, other, (name_noun(found["noun"] or found["own"]),), 1, amount)


def _scaled_attribute(found: re.Match[str]) -> str:
    """What there is so many times as much of."""
    adjective, noun = found["adjective"].lower(), (found["noun"] or "").strip()
    if found["verb"]:
        return MEASURING_VERBS[found["verb"].lower()] if adjective == "much" and not noun else ""
    if adjective in ("many", "much") and noun:
        return name_noun(noun)
    return POSITIVE_ATTRIBUTES.get(adjective, "") if not noun else ""


# -- nouns and verbs ---------------------------------------------------------------------------------------

_THOSE = re.compile(r"those (?:of|in) (?P<year>\d{4})", re.IGNORECASE)
_YEAR = re.compile(r"\b\d{4}\b")
_SYNONYMS = {"country": "nation", "competitor": "athlete"}

Namer = Callable[[re.Match[str]], tuple[str, ...]]


def _by(*attributes: str) -> Namer:
    return lambda found: attributes


def _by_noun(found: re.Match[str]) -> tuple[str, ...]:
    return (name_noun(found["noun"]),)


def _by_count(found: re.Match[str]) -> tuple[str, ...]:
    attribute = name_attribute(found["noun"])
    return (_SYNONYMS.get(attribute, attribute),)


def _by_verb(found: re.Match[str]) -> tuple[str, ...]:
    return (MEASURING_VERBS[found["verb"].lower()],)


def _by_melting(found: re.Match[str]) -> tuple[str, ...]:
    return (MEASURING_VERBS[f"{found['verb'].lower()}s"],)


def _by_date(found: re.Match[str]) -> tuple[str, ...]:
    return (DATE_VERBS[found["verb"].lower()],)


def _by_distance(found: re.Match[str]) -> tuple[str, ...]:
    return (name_attribute(f"distance from {found['place']}"),)


def _same_edition(one: str, other: str) -> str:
    """What "those of 1968" stands for beside the 1964 Olympics."""
    those = _THOSE.fullmatch(other)
    return _YEAR.sub(those["year"], one) if those and len(_YEAR.findall(one)) == 1 else other


_WORDINGS: tuple[tuple[re.Pattern[str], Namer], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (
            rf"(?P<one>.+?) (?:has|had)(?P<middle> .*?)??(?: an?)? (?P<more>{_MORE_OR_LESS}) (?P<noun>[\w -]+?)"
            r" than (?P<other>.+)",
            _by_noun,
        ),
        (
            r"(?P<one>.+?) (?:got|won|received|recorded|counted|scored|sold|employs|employed|produced|produces)"
            r"(?P<middle> .*?)?? (?P<more>more|fewer|less) (?P<noun>[\w-]+) than (?P<other>.+)",
            _by_noun,
        ),
        (
            rf"(?P<one>.+?)['’]s? (?P<noun>[\w -]+?) (?:is|was)(?P<middle> .*?)?? (?P<more>{_MORE_OR_LESS}) than "
            r"(?:that of )?(?P<other>.+?)(?:['’]s)?",
            _by_noun,
        ),
        (
            rf"(?:the )?(?P<noun>[\w -]+?) of (?P<one>.+?) (?:is|was)(?P<middle> .*?)?? (?P<more>{_MORE_OR_LESS}) than "
            r"(?:that|the (?P=noun)) of (?P<other>.+)",
            _by_noun,
        ),
        (
            r"(?:there were )?(?P<more>more|fewer) (?P<noun>[\w-]+)(?: (?:took part|competed|participated|were held))?"
            r" (?:in|at) (?P<one>.+?) than (?:in|at) (?P<other>.+)",
            _by_count,
        ),
        (
            r"(?P<one>.+?) (?P<verb>melts|boils) at an?(?P<middle> .*?)?? (?P<more>higher|lower) temperature than "
            r"(?P<other>.+)",
            _by_verb,
        ),
        (
            r"(?P<one>.+?) (?:needs|requires|takes) an?(?P<middle> .*?)?? (?P<more>higher|lower) temperature to"
            r" (?P<verb>melt|boil) than (?P<other>.+)",
            _by_melting,
        ),
        (
            r"(?P<one>.+?) (?P<verb>weighs|weighed|costs?)(?P<middle> .*?)?? (?P<more>more|less) than (?P<other>.+)",
            _by_verb,
        ),
        (
            r"(?P<one>.+?) (?P<verb>covers|covered) an?(?P<middle> .*?)?? (?P<more>larger|smaller|bigger|greater) area"
            r" than (?P<other>.+)",
            _by_verb,
        ),
        (
            r"(?P<one>.+?) (?:lies|is|is situated|is located)(?P<middle> .*?)?? (?:(?:farther|further|more to the) )"
            r"(?P<more>north|south) than (?P<other>.+)",
            _by("latitude"),
        ),
        (
            r"(?P<one>.+?) is(?P<middle> .*?)?? (?P<more>closer to|nearer to|nearer|farther from|further from)"
            r" (?:the )?(?P<place>(?-i:[A-Z])\w+) than (?P<other>.+)",
            _by_distance,
        ),
        (
            r"(?P<one>.+?) takes(?P<middle> .*?)?? (?P<more>longer|more time|less time) to (?:orbit|circle|go around)"
            r" (?:the )?(?-i:[A-Z])\w+ than (?P<other>.+)",
            _by("orbital period"),
        ),
        (
            r"(?P<one>.+?) (?:goes|travels|moves) (?:a)?round (?:its (?:planet|star)|(?:the )?(?-i:[A-Z])\w+) in"
            r"(?P<middle> .*?)?? (?P<more>more time|less time) than (?P<other>.+)",
            _by("orbital period"),
        ),
        (
            rf"(?P<one>.+?) (?:was |were )?(?P<verb>{DATING_VERBS})(?P<middle> .*?)?? "
            r"(?P<more>before|after|earlier than|later than) (?P<other>.+)",
            _by_date,
        ),
        (r"(?P<one>.+?) (?P<more>outlived) (?P<other>.+?)(?: by (?P<middle>.+))?", _by("died")),
        (
            r"(?P<one>.+?) (?P<more>predates|predated) (?P<other>.+?)(?: by (?P<middle>.+))?",
            _by(*COMPARED_ATTRIBUTES["older"][0][1:]),
        ),
        (r"(?P<one>.+?) lived(?P<middle> .*?)?? (?P<more>longer|shorter) than (?P<other>.+)", _by("lifetime")),
        (r"(?P<one>.+?) died(?P<middle> .*?)?? (?P<more>older|younger) than (?P<other>.+)", _by("lifetime")),
    )
)
