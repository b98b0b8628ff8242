"""What type of thing an answer is: a person, a place, another name, a date, a number, or anything else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from veritab.build.mutations import COUNTRIES
from veritab.lexicon.numbers import NUMBER_WORDS
from veritab.quantities import Date, NumberOrDate, Quantity, Range, bare_year, parse_quantities
from veritab.text import STOP_WORDS, squeeze, words


class AnswerType(StrEnum):
    """What is asked for, as far as it decides which other answers look right."""

    PERSON = "person"
    PLACE = "place"
    NAME = "name"
    """Any other name: a work, a team, a company."""
    DAY = "day"
    MONTH = "month"
    YEAR = "year"
    PERIOD = "period"
    """A decade or a century."""
    COUNT = "count"
    ORDINAL = "ordinal"
    QUANTITY = "quantity"
    """A number with a unit."""
    YEARS = "years"
    """From one year to another: "1993–94"."""
    OTHER = "other"
    """What no other could stand for: "67.0.3396", "two of his sons", "to keep warm", "lithium"."""


NAMES = frozenset({AnswerType.PERSON, AnswerType.PLACE, AnswerType.NAME})
DATES = frozenset({AnswerType.DAY, AnswerType.MONTH, AnswerType.YEAR, AnswerType.PERIOD})
_AROUND_A_VALUE = frozenset(
    """in on at by the of about around circa c ca approximately roughly nearly over almost utc est gmt late early mid
    age per""".split()
)
_MOST_NOUNS = 2
_PERSONAL = re.compile(r"^(?:who|whom|whose)\b", re.IGNORECASE)
_OF_PEOPLE = re.compile(
    r"\b(?:who|whom|whose|name|named|character|actor|actress|singer|artist|author|writer|director|president|king|queen"
    r"|player|person|man|woman|girl|boy|god|goddess|explorer|scientist|leader|minister|governor|driver|founder)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(r"^(?:when|what (?:year|date|month|day|time))\b", re.IGNORECASE)
_MOST_OF_A_NAME = 4
_WHERE = re.compile(r"^where\b", re.IGNORECASE)
_BEFORE_A_NAME = re.compile(r"^(?:in|at|on|near|from|by|to)\s+(?=\S)", re.IGNORECASE)
_LOCAL = re.compile(
    r"^where\b|\b(?:what|which) (?:\w+ )?(?:city|country|state|town|place|county|continent|river|island)\b",
    re.IGNORECASE,
)
_COUNTRIES = frozenset({*COUNTRIES, "United States", "United Kingdom", "England", "Scotland", "Wales", "Ireland"})
_DECADE = re.compile(r"(?<!\d)\d0['’]?s\b")
_KNOWN, _ASKED_FOR = 4.0, 8.0
_SEVERAL = re.compile(r" and |, | & |/")


@dataclass(frozen=True)
class TypedAnswer:
    """An answer with its type; `value` is the number or date that it is."""

    text: str
    type: AnswerType
    value: NumberOrDate | Range | None = None


def type_answer(question: str, answer: str, sort_of: Callable[[str], AnswerType | None] | None = None) -> TypedAnswer:
    """The type of an answer, by its form, and for names by what is known of them and what the question asks for."""
    text = squeeze(answer).strip(" .,;:*")
    value = read_value(text)
    if value is not None:
        return TypedAnswer(text, type_of_value(value), value)
    if _WHEN.search(question):
        return TypedAnswer(text, AnswerType.OTHER)
    text = _BEFORE_A_NAME.sub("", text)
    content = [word for word in text.split() if word.lower() not in STOP_WORDS]
    capitals = [word for word in content if word[:1].isupper()]
    if not capitals or 2 * len(capitals) < len(content) or (len(content) > 1 and capitals == content[:1]):
        return TypedAnswer(text, AnswerType.OTHER)
    if len(content) > _MOST_OF_A_NAME:
        return TypedAnswer(text, AnswerType.OTHER)
    known = sort_of(text) if sort_of else None
    # Of several names the first decides.
    shares = dict(name_shares(_SEVERAL.split(text)[0]))
    if known:
        shares[known] += _KNOWN
    else:
        # "What was Vietnam called? French Indochina", "Malvolio", "Despacito": what only sounds like a person or a
        # place is none where none is asked for.
        if _PERSONAL.search(question):
            shares[AnswerType.PERSON] *= _ASKED_FOR
        elif not _OF_PEOPLE.search(question):
            shares[AnswerType.PERSON] = 0.0
        if shares[AnswerType.PLACE] < 1 and not _LOCAL.search(question):
            shares[AnswerType.PLACE] = 0.0
    if _LOCAL.search(question):
        shares[AnswerType.PLACE] *= _ASKED_FOR
    type = max(sorted(shares), key=lambda each: shares[each])
    # "Where is the Lord's prayer found? The Gospel of Luke": another place would be absurd.
    return TypedAnswer(text, AnswerType.OTHER if _WHERE.search(question) and type is not AnswerType.PLACE else type)


@lru_cache(50_000)
def read_value(text: str) -> NumberOrDate | Range | None:
    """The number or date that a text is, with no more around it than a unit, a preposition or what is counted."""
    found = parse_quantities(text)
    if len(found) != 1 or _DECADE.search(text):
        return None
    value = found[0]
    if isinstance(value, Range) and not _is_years(value):
        return None
    start, end = value.span
    before = words(text[:start])
    after = [word for word in text[end:].split() if words(word)]
    if any(word not in _AROUND_A_VALUE for word in before):
        return None
    rest = [word for word in after if words(word)[0] not in _AROUND_A_VALUE]
    if any(word[:1].isupper() for word in rest) or len(rest) > (_MOST_NOUNS if isinstance(value, Quantity) else 0):
        return None
    return value


def _is_years(value: Range) -> bool:
    return all(isinstance(part, Date) and bare_year(part) for part in value.parts)


def type_of_value(value: NumberOrDate | Range) -> AnswerType:
    """The type of a number, a date, or the years from one to another."""
    if isinstance(value, Range):
        return AnswerType.YEARS
    if isinstance(value, Quantity):
        return AnswerType.ORDINAL if value.ordinal else AnswerType.QUANTITY if value.unit else AnswerType.COUNT
    if value.years > 1:
        return AnswerType.PERIOD
    if value.day is not None:
        return AnswerType.DAY
    return AnswerType.MONTH if value.month is not None else AnswerType.YEAR


# -- names -------------------------------------------------------------------------------------------------


@lru_cache(50_000)
def name_shares(name: str) -> Mapping[AnswerType, float]:
    """How likely a name is that of a person, of a place and of anything else, by its words alone."""
    if name in _COUNTRIES:
        return {AnswerType.PERSON: 0.0, AnswerType.PLACE: 1.0, AnswerType.NAME: 0.0}
    weights = _shipped()
    scores = dict.fromkeys(sorted(NAMES), 0.0)
    for feature in name_features(name):
        for type, weight in weights.get(feature, {}).items():
            scores[AnswerType(type)] += weight
    best = max(scores.values())
    shares = {type: math.exp(score - best) for type, score in scores.items()}
    total = sum(shares.values())
    return {type: share / total for type, share in shares.items()}


def name_features(name: str) -> Iterator[str]:
    """What tells one sort of name from another: its words, first and last, their endings, and how many there are."""
    found = words(name)
    yield "any"
    yield f"size {min(len(found), 5)}"
    if not found:
        return
    yield f"first {found[0]}"
    yield f"last {found[-1]}"
    yield f"ending {found[-1][-3:]}"
    for word in found:
        yield f"word {word}"
    if "," in name:
        yield "comma"
    if any(word.isdigit() or word in NUMBER_WORDS for word in found):
        yield "number"
    if any(len(word) == 1 for word in found):
        yield "initial"
    if not STOP_WORDS.isdisjoint(found):
        yield "small words"


@lru_cache(1)
def _shipped() -> Mapping[str, Mapping[str, float]]:
    weights: dict[str, dict[str, float]] = json.loads(files(__package__).joinpath("name_types.json").read_text("utf-8"))
    return weights
