"""A claim parsed without a table: its tokens, its numbers, and the cues for computations."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.lexicon.numbers import MULTIPLES
from veritab.quantities import Date, NumberOrDate, Quantity, Range, bare_year, parse_quantities
from veritab.reason.hedges import ROUGH_STEP, hedge_of
from veritab.reason.parsing.cues import find_cues
from veritab.reason.parsing.limits import find_relation, parse_share
from veritab.reason.programs.programs import Relation
from veritab.text import Span, Token, tokenize_words

# A longer text is not a claim.
_MAX_CLAIM = 1500
_MAX_WORDS = 120
_MAX_NUMBERS = 12
# What makes a number a part of a word: "eight-thousander", but not "second-highest".
_COMPOUND = re.compile(r"-(?!(?:[^\W\d]+est|most|least|last)\b)[^\W\d]")
_FROM_THERE = {"before": -1, "earlier": -1, "previously": -1, "later": 1, "afterward": 1}
_MIRRORED = {Relation.ABOVE: Relation.BELOW, Relation.BELOW: Relation.ABOVE}
_LONGEST_PHRASE = 5
_PLURALS = frozenset("people men women children".split())
_BEFORE_RANGES = frozenset("the of year census censuse game".split())
_BEFORE_PRONOUNS = frozenset((word,) for word in "only the not no every any each this that is was are were".split())


@dataclass(frozen=True)
class StatedNumber:
    """A number or date in a claim, and how the claim relates to it: "more than 30" is above 30."""

    value: NumberOrDate
    span: Span
    """From one token of the claim up to another."""
    relation: Relation = Relation.IS


@dataclass(frozen=True)
class ParsedClaim:
    """A claim, tokenized, with its numbers and cues."""

    text: str

    @cached_property
    def words(self) -> list[Token]:
        return tokenize_words(self.text[:_MAX_CLAIM])[:_MAX_WORDS]

    @cached_property
    def stems(self) -> tuple[str, ...]:
        return tuple(word.stem for word in self.words)

    @cached_property
    def content(self) -> frozenset[int]:
        """The positions of words that name something."""
        return frozenset(place for place, stem in enumerate(self.stems) if stem not in TABLE_STOP_STEMS)

    @cached_property
    def cues(self) -> frozenset[str]:
        """The names of the computations that words of the claim ask for."""
        return find_cues(self.stems)

    @cached_property
    def numbers(self) -> tuple[StatedNumber, ...]:
        """Every number and date, ranges split, and shares in words: "two thirds of"."""
        shares = list(self._shares())
        taken = {place for share in shares for place in range(*share.span)}
        read = [number for number in self._numbers() if taken.isdisjoint(range(*number.span))]
        read = self._date_from_each_other(read)
        ordered = sorted([*self._between(read), *shares], key=lambda number: number.span)
        return tuple(ordered[:_MAX_NUMBERS])

    @cached_property
    def ranges(self) -> tuple[tuple[Span, Span], ...]:
        """The ends of each range, such as "between 1862 and 1880"."""
        pairs = zip(self.numbers, self.numbers[1:], strict=False)
        return tuple((low.span, high.span) for low, high in pairs if self._opens(low, high))

    @cached_property
    def multiples(self) -> tuple[StatedNumber, ...]:
        """How many times as much: "twice as many", "more than five times as far", "quadrupled"."""
        return tuple(self._multiples())

    @cached_property
    def ordinals(self) -> tuple[int, ...]:
        """The ordinals of the claim, as in "second highest"; 1 is always asked for."""
        found = [int(n.value.value) for n in self.numbers if isinstance(n.value, Quantity) and n.value.ordinal]
        return tuple(dict.fromkeys([1, *(place for place in found if 1 < place <= 20)]))

    def span(self, start: int, end: int) -> Span:
        """The words that cover these characters."""
        starts = [word.start for word in self.words]
        # The sign before an amount is no word: the £ of "more than £500" does not belong to "than".
        first = min(bisect_right([word.end for word in self.words], start), len(starts) - 1)
        return first, max(bisect_left(starts, end), first + 1)

    def phrase(self, span: Span) -> str:
        """The text of a span."""
        first, last = self.words[span[0]], self.words[span[1] - 1]
        return self.text[first.start : last.end]

    def before(self, span: Span, size: int) -> tuple[str, ...]:
        """The words before a span."""
        return self.stems[max(span[0] - size, 0) : span[0]]

    def relation_at(self, span: Span, *, date: bool = False) -> Relation:
        """How the claim relates a value to the number at a span: "more than 30" is above 30."""
        if date and self.before(span, 1) == ("since",) and ("has", "been") in pairwise(self.stems[: span[0]]):
            return Relation.IS  # What has been open since 1977 opened then.
        return find_relation(self.before(span, 5), self.stems[span[1] : span[1] + 3], date)

    def noun_phrase(self, start: int) -> Iterator[int]:
        """The positions from one on up to a comma or a word that is no noun and no adjective."""
        for place in range(start, min(start + _LONGEST_PHRASE, len(self.words))):
            between = self.text[self.words[place - 1].end : self.words[place].start] if place > start else ""
            if "," in between or self.stems[place] in TABLE_STOP_STEMS:
                return
            yield place

    def is_plural(self, place: int) -> bool:
        """Whether a noun is of several things: "moons", "people"."""
        word = self.words[place]
        return word.stem in _PLURALS or self.text[word.start : word.end].lower() != word.stem

    def _numbers(self) -> Iterator[StatedNumber]:
        for found in parse_quantities(self.text[:_MAX_CLAIM]):
            ends: Sequence[NumberOrDate] = (found.low, found.high) if isinstance(found, Range) else (found,)
            for reading in ends:
                if not self.words or reading.span[0] >= self.words[-1].end:
                    continue
                span = self.span(*reading.span)
                if self._is_pronoun(span) or _COMPOUND.match(self.text, reading.span[1]):
                    continue
                relation = self.relation_at(span, date=isinstance(reading, Date))
                yield StatedNumber(self._roughen(reading, span, relation), span, relation)

    def _roughen(self, value: NumberOrDate, span: Span, relation: Relation) -> NumberOrDate:
        """A number as rough as the claim makes it: about 150 is anything near 150."""
        if isinstance(value, Date) or value.ordinal or relation is not Relation.IS:
            return value
        if not hedge_of(self.stems, *span):
            return value
        return replace(value, step=max(value.step, ROUGH_STEP * abs(value.value)))

    def _is_pronoun(self, span: Span) -> bool:
        """Whether a "one" stands for a thing and not for a number: "the only one", "not one", "is one of"."""
        if self.stems[span[0] : span[1]] != ("one",):
            return False
        described = self.before(span, 2)[:1] == ("the",)  # "the chemistry one"
        return described or self.before(span, 1) in _BEFORE_PRONOUNS or self.stems[span[1] : span[1] + 1] == ("of",)

    def _between(self, numbers: Sequence[StatedNumber]) -> Iterator[StatedNumber]:
        """Numbers with both ends of "between 1862 and 1880" and "from 1960 to 1990" made limits."""
        closed = False
        for place, number in enumerate(numbers):
            following = numbers[place + 1] if place + 1 < len(numbers) else None
            if closed:
                closed = False
                yield replace(number, relation=Relation.AT_MOST)
            elif following and self._opens(number, following):
                closed = True
                yield replace(number, relation=Relation.AT_LEAST)
            else:
                yield number

    def _opens(self, low: StatedNumber, high: StatedNumber) -> bool:
        before = [stem for stem in self.before(low.span, 4) if stem not in _BEFORE_RANGES][-1:]
        joined = self.stems[low.span[1] : high.span[0]]
        return (before == ["between"] and joined == ("and",)) or (
            before == ["from"] and joined in (("to",), ("until",))
        )

    def _date_from_each_other(self, numbers: Sequence[StatedNumber]) -> list[StatedNumber]:
        """Numbers with "five years earlier" as the year that it is, where a claim has one other year."""
        years = [year for n in numbers if isinstance(n.value, Date) and (year := bare_year(n.value)) is not None]
        if len(years) != 1 or len([n for n in numbers if isinstance(n.value, Date)]) != 1:
            return list(numbers)
        return [self._date_from(number, years[0]) or number for number in numbers]

    def _date_from(self, number: StatedNumber, year: int) -> StatedNumber | None:
        """The year that is so many years before or after another, where nothing else is counted from."""
        value, (start, end) = number.value, number.span
        if not isinstance(value, Quantity) or value.unit != "year" or value.value != int(value.value):
            return None
        way = _FROM_THERE.get(self.stems[end], 0) if end < len(self.stems) else 0
        # Before a name it is counted from that: "five years before Beta".
        bare = way and re.match(r"\W*\Z|\s*,", self.text[self.words[end].end :])
        if not bare or number.relation is not Relation.IS or hedge_of(self.stems, start, end):
            return None
        there = Date(year=year + way * int(value.value), span=(value.span[0], self.words[end].end))
        return StatedNumber(there, (start, end + 1))

    def _shares(self) -> Iterator[StatedNumber]:
        for place in range(len(self.stems)):
            found = parse_share(self.stems, place)
            if found:
                size, percent = found
                span = (place, place + size)
                relation = Relation.ABOVE if self.stems[place] == "majority" else self.relation_at(span)
                # Whoever says "a third" does not mean 33.3 percent, unless it is exactly a third.
                step = 0.5 if "exactly" in self.before(span, 2) else ROUGH_STEP * percent
                yield StatedNumber(Quantity(percent, "%", step=step), span, relation)

    def _multiples(self) -> Iterator[StatedNumber]:
        for place, stem in enumerate(self.stems):
            if stem in MULTIPLES and (stem != "half" or self.stems[place + 1 : place + 2] == ("as",)):
                span = (place, place + 1)
                times = Quantity(MULTIPLES[stem], step=ROUGH_STEP * MULTIPLES[stem])
                relation = self.relation_at(span)
                # More than halved is less than half.
                yield StatedNumber(times, span, _MIRRORED.get(relation, relation) if stem == "halved" else relation)
        for number in self.numbers:
            after = self.stems[number.span[1] : number.span[1] + 2]
            if after[:1] == ("time",) and isinstance(number.value, Quantity) and not number.value.ordinal:
                yield replace(number, span=(number.span[0], number.span[1] + 1))
