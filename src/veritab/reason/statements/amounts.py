"""By how much, and how many: the words between a subject and what is said of it."""

from __future__ import annotations

import re
from dataclasses import replace

from veritab.lexicon.accounting import HEDGES, RELATING_STEMS, SLIGHTLY, VAGUE_DEGREES
from veritab.quantities import Quantity
from veritab.reason.hedges import hedge_of
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.statements.kinds import Amount
from veritab.reason.subjects import name_attribute
from veritab.text import stem

_ARTICLE = re.compile(
    r"\b(?:a|an)(?= (?:year|month|week|day|century|decade|kilometre|kilometer|metre|meter|mile|foot)\b)"
)


def parse_degree(middle: str) -> tuple[Amount | None, bool, bool] | None:
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
        if not (RELATING_STEMS | HEDGES | SLIGHTLY).issuperset(rest):
            return None
        hedge = hedge_of(phrase.stems, *numbers[0].span)
        return Amount(numbers[0], hedge, slight=not SLIGHTLY.isdisjoint(rest)), negated, False
    return (None, negated, bool(rest)) if VAGUE_DEGREES.issuperset(rest) else None


def parse_times(phrase: str) -> Amount | None:
    """How many times as much: "more than twice as"."""
    words = ParsedClaim(phrase)
    if len(words.multiples) != 1:
        return None
    times = words.multiples[0]
    rest = {word for place, word in enumerate(words.stems) if place not in range(*times.span)}
    if not rest <= RELATING_STEMS | HEDGES | {"time", "as"}:
        return None
    return Amount(times, hedge_of(words.stems, *times.span), is_factor=True)


def parse_years(phrase: str) -> Amount | None:
    """So many years, of which the claim need not say that they are years."""
    read = parse_degree(phrase)
    amount = read[0] if read and not read[1] else None
    value = amount.number.value if amount else None
    if not amount or not isinstance(value, Quantity) or value.unit not in ("", "year"):
        return None
    return replace(amount, number=replace(amount.number, value=replace(value, unit="year")))


_POPULATION = frozenset({"people", "inhabitant", "resident", "citizen"})


def name_noun(noun: str) -> str:
    """What a noun counts: people are a population."""
    return "population" if stem(noun.split()[-1]) in _POPULATION and " " not in noun else name_attribute(noun)
