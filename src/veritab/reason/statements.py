"""Plain statements about named things, read whole: "A is 200 m taller than B", "A died at 84", "A's capital is B".

Each pattern has to match a claim from its first word to its last, so that nothing the claim says is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from veritab.lexicon.accounting import HEDGES, RELATING_STEMS, VAGUE_DEGREES
from veritab.lexicon.measures import (
    COMPARED_ATTRIBUTES,
    DATE_VERBS,
    MEASURING_VERBS,
    MUST_AGREE,
    NAMING_VERBS,
    PLACE_VERBS,
    POSITIVE_ATTRIBUTES,
)
from veritab.quantities import Quantity
from veritab.reason.hedges import hedge_of
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.subjects import name_attribute
from veritab.text import squeeze, stem

_MAX_CLAIM = 200


@dataclass(frozen=True)
class Amount:
    """By how much, or how many times as much; `hedge` makes it a rough number."""

    number: StatedNumber
    hedge: str = ""
    is_factor: bool = False


@dataclass(frozen=True)
class ComparisonStatement:
    """That one thing has more, or less, of an attribute than another."""

    one: str
    other: str
    attributes: tuple[str, ...]
    up: int
    """1 where the first has more of it, -1 where less, 0 where the two only differ by so much."""
    amount: Amount | None = None
    negated: bool = False
    vague: bool = False
    """Whether the statement says vaguely by how much: "slightly taller"."""
    word: str = ""
    """The comparative."""
    must_agree: bool = False
    """Whether it does not say by what it compares, so that all attributes have to agree."""


@dataclass(frozen=True)
class AgeStatement:
    """How old someone was at death, or how long something lasted."""

    one: str
    amount: Amount
    until: str = "died"


@dataclass(frozen=True)
class SameStatement:
    """That two things have the same, or not the same, of an attribute."""

    one: str
    other: str
    attribute: str
    same: bool = True


@dataclass(frozen=True)
class ValueStatement:
    """That a thing has a value of an attribute."""

    one: str
    attributes: tuple[str, ...]
    value: str
    negated: bool = False
    confirms: bool = False
    """Whether another value does not contradict it: who was born in Copenhagen was born in Denmark."""


Statement = ComparisonStatement | AgeStatement | SameStatement | ValueStatement


def parse_statements(claim: str) -> Iterator[Statement]:
    """The plain statements that a claim may be, as a whole."""
    text = squeeze(claim[:_MAX_CLAIM])
    if len(claim) > _MAX_CLAIM or not text:
        return
    text = text.rstrip(" .").replace("’", "'")
    for parse in _PARSERS:
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


# -- comparisons -------------------------------------------------------------------------------------------

_ADJECTIVES = "|".join(sorted(map(re.escape, COMPARED_ATTRIBUTES), key=len, reverse=True))
_COMPARATIVE = re.compile(
    rf"(?P<one>.+?) (?:is|was|are|were)(?P<middle> .*?)?? (?P<comparative>{_ADJECTIVES})"
    r"(?: (?:in|by) (?P<attribute>[a-z]+))? than (?P<other>.+)",
    re.IGNORECASE,
)
_TRAILING = re.compile(r" (?:is|was|are|were|does|did|has|had|do|died|was born)$")


def _comparatives(text: str) -> Iterator[Statement]:
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


def _build(
    one: str, other: str, attributes: tuple[str, ...], up: int, middle: str, word: str = "", *, must_agree: bool = False
) -> Iterator[ComparisonStatement]:
    """A comparison with what stands before its comparative: a "not", an amount, a vague degree."""
    read = _parse_degree(middle)
    if read is None:
        return
    amount, negated, vague = read
    other = _TRAILING.sub("", other)
    if amount and negated:
        return
    yield ComparisonStatement(one, other, attributes, up, amount, negated, vague, word, must_agree)


_ARTICLE = re.compile(
    r"\b(?:a|an)(?= (?:year|month|week|day|century|decade|kilometre|kilometer|metre|meter|mile|foot)\b)"
)


def _parse_degree(middle: str) -> tuple[Amount | None, bool, bool] | None:
    """The amount, whether it is denied, and whether it is vague; None where there are other words."""
    phrase = ParsedClaim(_ARTICLE.sub("1", middle.strip()))
    if not phrase.words:
        return None, False, False
    numbers = [n for n in phrase.numbers if isinstance(n.value, Quantity) and not n.value.ordinal]
    if len(numbers) > 1 or len(numbers) < len(phrase.numbers):
        return None
    taken = {place for number in numbers for place in range(*number.span)}
    rest = [word for place, word in enumerate(phrase.stems) if place not in taken]
    negated = "not" in rest
    rest = [word for word in rest if word != "not"]
    if numbers:
        if not (RELATING_STEMS | HEDGES).issuperset(rest):
            return None
        hedge = hedge_of(phrase.stems, *numbers[0].span)
        return Amount(numbers[0], hedge), negated, False
    return (None, negated, bool(rest)) if VAGUE_DEGREES.issuperset(rest) else None


_RATIO = re.compile(
    r"(?P<one>.+?) (?:is|was|are|were|has|had|(?P<verb>weighs|weighed|costs?))(?P<middle> .*?)??"
    r" (?P<times>(?:\S+ )?times|twice|half|thrice) as "
    r"(?P<adjective>\w+)(?P<noun> .+?)? as (?P<other>.+)",
    re.IGNORECASE,
)


def _ratios(text: str) -> Iterator[Statement]:
    """A is more than twice as long as B, A has twice as many inhabitants as B."""
    found = _RATIO.fullmatch(text)
    if not found:
        return
    adjective, noun = found["adjective"].lower(), (found["noun"] or "").strip()
    if found["verb"]:
        if adjective != "much" or noun:
            return
        attribute = MEASURING_VERBS[found["verb"].lower()]
    elif adjective in ("many", "much") and noun:
        attribute = _name_noun(noun)
    elif adjective in POSITIVE_ATTRIBUTES and not noun:
        attribute = POSITIVE_ATTRIBUTES[adjective]
    else:
        return
    said = f"{found['middle'] or ''} {found['times']} as".strip()
    phrase = ParsedClaim(said)
    if len(phrase.multiples) != 1:
        return
    times = phrase.multiples[0]
    rest = {word for place, word in enumerate(phrase.stems) if place not in range(*times.span)}
    if not rest <= RELATING_STEMS | HEDGES | {"time", "as"}:
        return
    amount = Amount(times, hedge_of(phrase.stems, *times.span), is_factor=True)
    yield ComparisonStatement(found["one"], _TRAILING.sub("", found["other"]), (attribute,), 1, amount)


_POPULATION = frozenset({"people", "inhabitant", "resident", "citizen"})


def _name_noun(noun: str) -> str:
    """What a noun counts: people are a population."""
    return "population" if stem(noun.split()[-1]) in _POPULATION and " " not in noun else name_attribute(noun)


_MORE = {"more": 1, "larger": 1, "bigger": 1, "higher": 1, "greater": 1, "longer": 1, "fewer": -1, "less": -1}
_MORE |= {"smaller": -1, "lower": -1, "shorter": -1}
_NOUN = re.compile(
    rf"(?P<one>.+?) (?:has|had)(?P<middle> .*?)??(?: an?)? (?P<more>{'|'.join(_MORE)}) (?P<noun>[\w -]+?)"
    r" than (?P<other>.+)",
    re.IGNORECASE,
)
_OF = re.compile(
    rf"(?:the )?(?P<noun>[\w -]+?) of (?P<one>.+?) (?:is|was)(?P<middle> .*?)?? (?P<more>{'|'.join(_MORE)}) than "
    r"(?:that|the (?P=noun)) of (?P<other>.+)",
    re.IGNORECASE,
)


def _nouns_compared(text: str) -> Iterator[Statement]:
    """A has more inhabitants than B; the boiling point of A is lower than that of B."""
    for found in filter(None, (_NOUN.fullmatch(text), _OF.fullmatch(text))):
        attribute = _name_noun(found["noun"])
        if attribute:
            up = _MORE[found["more"].lower()]
            yield from _build(found["one"], found["other"], (attribute,), up, found["middle"] or "", found["more"])


_THERE = re.compile(
    r"(?:there were )?(?P<more>more|fewer) (?P<noun>[\w-]+)(?: (?:took part|competed|participated|were held))?"
    r" (?:in|at) (?P<one>.+?) than (?:in|at) (?P<other>.+)",
    re.IGNORECASE,
)
_THOSE = re.compile(r"those (?:of|in) (?P<year>\d{4})", re.IGNORECASE)
_YEAR = re.compile(r"\b\d{4}\b")
_SYNONYMS = {"country": "nation", "competitor": "athlete"}


def _numbers_compared(text: str) -> Iterator[Statement]:
    """More nations took part in the 1964 Olympics than in those of 1968."""
    found = _THERE.fullmatch(text)
    if not found:
        return
    one, other, attribute = found["one"], found["other"], name_attribute(found["noun"])
    those = _THOSE.fullmatch(other)
    if those and len(_YEAR.findall(one)) == 1:
        other = _YEAR.sub(those["year"], one)
    up = _MORE[found["more"].lower()]
    yield from _build(one, other, (_SYNONYMS.get(attribute, attribute),), up, "", found["more"])


_WARMTH = re.compile(
    r"(?P<one>.+?) (?P<verb>melts|boils) at an?(?P<middle> .*?)?? (?P<more>higher|lower) temperature than "
    r"(?P<other>.+)",
    re.IGNORECASE,
)
_WEIGHT = re.compile(
    r"(?P<one>.+?) (?P<verb>weighs|weighed|costs?)(?P<middle> .*?)?? (?P<more>more|less) than (?P<other>.+)",
    re.IGNORECASE,
)
_EXTENT = re.compile(
    r"(?P<one>.+?) (?P<verb>covers|covered) an?(?P<middle> .*?)?? (?P<more>larger|smaller|bigger|greater) area than "
    r"(?P<other>.+)",
    re.IGNORECASE,
)
_NORTH = re.compile(
    r"(?P<one>.+?) (?:lies|is|is situated|is located)(?P<middle> .*?)?? (?:(?:farther|further|more to the) )"
    r"(?P<side>north|south) than (?P<other>.+)",
    re.IGNORECASE,
)
_NEARER = re.compile(
    r"(?P<one>.+?) is(?P<middle> .*?)?? (?P<more>closer to|nearer to|nearer|farther from|further from) (?:the )?"
    r"(?P<place>[A-Z]\w+) than (?P<other>.+)",
)
_ORBIT = re.compile(
    r"(?P<one>.+?) takes(?P<middle> .*?)?? (?P<more>longer|more time|less time) to (?:orbit|circle|go around) (?:the )?"
    r"(?P<place>[A-Z]\w+) than (?P<other>.+)",
)


def _verbs_compared(text: str) -> Iterator[Statement]:
    """Zinc melts at a higher temperature than tin; Tokyo lies farther north than Vienna."""
    for match in filter(None, (_WARMTH.fullmatch(text), _WEIGHT.fullmatch(text), _EXTENT.fullmatch(text))):
        attribute, more = MEASURING_VERBS[match["verb"].lower()], match["more"].lower()
        yield from _build(match["one"], match["other"], (attribute,), _MORE[more], match["middle"] or "", more)
    if found := _NORTH.fullmatch(text):
        up = 1 if found["side"].lower() == "north" else -1
        yield from _build(found["one"], found["other"], ("latitude",), up, found["middle"] or "")
    if found := _NEARER.fullmatch(text):
        up = -1 if found["more"].endswith(("to", "nearer")) else 1
        attribute = name_attribute(f"distance from {found['place']}")
        yield from _build(found["one"], found["other"], (attribute,), up, found["middle"] or "")
    if found := _ORBIT.fullmatch(text):
        up = -1 if found["more"] == "less time" else 1
        yield from _build(found["one"], found["other"], ("orbital period",), up, found["middle"] or "")


_VERBS = "|".join(sorted(map(re.escape, DATE_VERBS), key=len, reverse=True))
_DATED = re.compile(
    rf"(?P<one>.+?) (?:was |were )?(?P<verb>{_VERBS})(?P<middle> .*?)?? "
    r"(?P<order>before|after|earlier than|later than) (?P<other>.+)",
    re.IGNORECASE,
)
_OUTLIVED = re.compile(
    r"(?P<one>.+?) (?P<verb>outlived|predates|predated) (?P<other>.+?)(?: by (?P<middle>.+))?", re.IGNORECASE
)


def _dates_compared(text: str) -> Iterator[Statement]:
    """A was born two years before B; A outlived B by two years."""
    found = _DATED.fullmatch(text)
    if found:
        up = -1 if found["order"].lower() in ("before", "earlier than") else 1
        attribute = DATE_VERBS[found["verb"].lower()]
        yield from _build(found["one"], found["other"], (attribute,), up, found["middle"] or "")
    found = _OUTLIVED.fullmatch(text)
    if found and found["verb"].lower() == "outlived":
        yield from _build(found["one"], found["other"], ("died",), 1, found["middle"] or "")
    elif found:
        attributes, _ = COMPARED_ATTRIBUTES["older"]
        yield from _build(found["one"], found["other"], attributes[1:], -1, found["middle"] or "")


_LIVED_LONGER = re.compile(
    r"(?P<one>.+?) lived(?P<middle> .*?)?? (?P<more>longer|shorter) than (?P<other>.+)", re.IGNORECASE
)
_DIED_OLDER = re.compile(
    r"(?P<one>.+?) died(?P<middle> .*?)?? (?P<more>older|younger) than (?P<other>.+)", re.IGNORECASE
)


def _lives_compared(text: str) -> Iterator[Statement]:
    """A lived longer than B."""
    for found in filter(None, (_LIVED_LONGER.fullmatch(text), _DIED_OLDER.fullmatch(text))):
        up = 1 if found["more"].lower() in ("longer", "older") else -1
        yield from _build(found["one"], found["other"], ("lifetime",), up, found["middle"] or "")


# -- ages and durations ------------------------------------------------------------------------------------

_AGES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<one>.+?) died (?:at the age of|at age|aged|at) (?P<age>.+)",
        r"(?P<one>.+?) lived (?:to be|to the age of|until the age of|to) (?P<age>.+?)(?: years old)?",
        r"(?P<one>.+?) lived for (?P<age>.+)",
        r"(?P<one>.+?) was (?P<age>.+?)(?: years old)? when (?:he|she) died",
        r"(?P<one>.+?) was (?P<age>.+?)(?: years old)? at (?:his|her|the time of his|the time of her) death",
    )
)
_REIGN = re.compile(r"(?P<one>.+?) (?:reigned|ruled) for (?P<age>.+)", re.IGNORECASE)


def _ages(text: str) -> Iterator[Statement]:
    """A died at the age of 84; A reigned for 63 years."""
    for pattern in (*_AGES, _REIGN):
        found = pattern.fullmatch(text)
        amount = _parse_years(found["age"]) if found else None
        if found and amount:
            yield AgeStatement(found["one"], amount, "reign" if pattern is _REIGN else "died")


def _parse_years(phrase: str) -> Amount | None:
    """So many years, of which the claim need not say that they are years."""
    read = _parse_degree(phrase)
    amount = read[0] if read and not read[1] else None
    value = amount.number.value if amount else None
    if not amount or not isinstance(value, Quantity) or value.unit not in ("", "year"):
        return None
    return replace(amount, number=replace(amount.number, value=replace(value, unit="year")))


# -- the same, and values ----------------------------------------------------------------------------------

_SAME = re.compile(
    r"(?P<one>.+?) and (?P<other>.+?) (?:belong to|belonged to|have|had|share|shared|are in|were in|are of|lie in"
    r"|stand in|come from|are from|speak|use|are part of) (?P<same>the same|different) (?P<noun>[\w -]+)",
    re.IGNORECASE,
)
_SAME_AS = re.compile(
    r"(?P<one>.+?) (?:belongs to|has|had|is in|was in|lies in|stands in|is from) (?P<same>the same) "
    r"(?P<noun>[\w -]+) as (?P<other>.+)",
    re.IGNORECASE,
)
_SAME_YEAR = re.compile(
    rf"(?P<one>.+?) and (?P<other>.+?) (?:were )?(?:both )?(?P<verb>{_VERBS}) in (?P<same>the same|different) years?",
    re.IGNORECASE,
)


def _sameness(text: str) -> Iterator[Statement]:
    """Helium and neon belong to the same group; A and B died in the same year."""
    for found in filter(None, (_SAME.fullmatch(text), _SAME_AS.fullmatch(text))):
        same = found["same"].lower() == "the same"
        yield SameStatement(found["one"], _TRAILING.sub("", found["other"]), name_attribute(found["noun"]), same)
    dated = _SAME_YEAR.fullmatch(text)
    if dated:
        attribute = DATE_VERBS[dated["verb"].lower()]
        yield SameStatement(dated["one"], dated["other"], attribute, dated["same"].lower() == "the same")


_ATTRIBUTE_OF = re.compile(
    r"the (?P<noun>[\w -]+?) of (?P<one>.+?) (?:is|was|are|were) (?P<not>not )?(?P<value>.+)", re.IGNORECASE
)
_POSSESSIVE = re.compile(
    r"(?P<one>.+?)'s? (?P<noun>[\w -]+?) (?:is|was|are|were) (?P<not>not )?(?P<value>.+)", re.IGNORECASE
)
_HAS = re.compile(
    r"(?P<one>.+?) (?:has|had) (?:an?|the) (?P<not>not )?(?P<noun>[\w -]+?) (?:of|at) (?P<value>.*\d.*)", re.IGNORECASE
)
_INHABITANTS = re.compile(
    r"(?P<one>.+?) (?:has|had) (?P<not>not )?(?P<value>.*\d.*?) (?P<noun>people|inhabitants|residents)", re.IGNORECASE
)
_MEASURED = re.compile(
    rf"(?P<one>.+?) (?:is|was) (?P<not>not )?(?P<value>.*\d.*?) (?P<adjective>{'|'.join(POSITIVE_ATTRIBUTES)})",
    re.IGNORECASE,
)
_DATED_VALUE = re.compile(
    rf"(?P<one>.+?) (?:was |were )?(?P<not>not )?(?P<verb>{_VERBS}) (?:in|on) (?P<value>.*\d.*)", re.IGNORECASE
)


def _values(text: str) -> Iterator[Statement]:
    """The capital of A is B; A has a population of 5,000; A is 300 m tall; A was founded in 1898."""
    for pattern in (_ATTRIBUTE_OF, _POSSESSIVE, _HAS, _INHABITANTS):
        found = pattern.fullmatch(text)
        if found:
            yield ValueStatement(found["one"], (_name_noun(found["noun"]),), found["value"], bool(found["not"]))
    found = _MEASURED.fullmatch(text)
    if found and found["adjective"].lower() != "old":
        attribute = POSITIVE_ATTRIBUTES[found["adjective"].lower()]
        yield ValueStatement(found["one"], (attribute,), found["value"], bool(found["not"]))
    found = _DATED_VALUE.fullmatch(text)
    if found:
        yield ValueStatement(found["one"], (DATE_VERBS[found["verb"].lower()],), found["value"], bool(found["not"]))
    yield from _verb_values(text)


_MEASURES = re.compile(rf"(?P<one>.+?) (?P<verb>{'|'.join(MEASURING_VERBS)})(?: at)? (?P<value>.*\d.*)", re.IGNORECASE)
_AWAY = re.compile(
    r"(?P<one>.+?) is (?:on average )?(?P<value>\D*\d[\d,.]* (?:million |billion )?[a-z]+)(?: away)? from (?:the )?"
    r"(?P<place>[A-Z]\w+)(?: on average)?",
)
_COUNTED = re.compile(
    r"(?P<one>.+?) (?:has|had) (?P<not>not )?(?P<value>\D*?\d[\d,]*|[a-z]+(?:-[a-z]+)?) (?P<noun>[a-z -]+)"
)
_LABELLED = re.compile(r"(?P<one>.+?) has (?:the )?(?P<noun>[a-z ]+) (?P<value>\d+|[A-Z][a-z]?)")
_NAMING = re.compile(
    rf"(?P<one>.+?) (?:is|was|were) (?P<not>not )?(?P<verb>{'|'.join(NAMING_VERBS)}) (?P<value>(?:the )?[A-Z].*)"
)
_PLACED = re.compile(r"(?P<one>.+?) (?:was )?(?P<verb>born|died) in (?P<value>[A-Z][\w' -]*)")


def _verb_values(text: str) -> Iterator[Statement]:
    """Lithium melts at 454 kelvin; Vienna has 23 districts; Niels Bohr was born in Copenhagen."""
    if found := _MEASURES.fullmatch(text):
        yield ValueStatement(found["one"], (MEASURING_VERBS[found["verb"].lower()],), found["value"])
    if found := _AWAY.fullmatch(text):
        yield ValueStatement(found["one"], (name_attribute(f"distance from {found['place']}"),), found["value"])
    if found := _LABELLED.fullmatch(text):
        yield ValueStatement(found["one"], (name_attribute(found["noun"]),), found["value"])
    if found := _NAMING.fullmatch(text):
        attributes = NAMING_VERBS[found["verb"].lower()]
        yield ValueStatement(found["one"], attributes, found["value"].removeprefix("the "), bool(found["not"]))
    if found := _PLACED.fullmatch(text):
        yield ValueStatement(found["one"], (PLACE_VERBS[found["verb"]],), found["value"], confirms=True)
    if (found := _COUNTED.fullmatch(text)) and ParsedClaim(found["value"]).numbers:
        yield ValueStatement(found["one"], (_name_noun(found["noun"]),), found["value"], bool(found["not"]))


_PARSERS = (
    *(_comparatives, _ratios, _nouns_compared, _numbers_compared, _verbs_compared, _dates_compared, _lives_compared),
    *(_ages, _sameness, _values),
)
