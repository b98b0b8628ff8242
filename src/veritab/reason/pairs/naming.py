"""Which values of a page the words of a claim name, two at a time.

Each side of the claim must name its value: the row or clause it stands in, and what it measures unless nothing else
could be meant. Pairs are ranked by how well they fit the words.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from veritab.lexicon.attributes import ATTRIBUTE_STEMS, header_synonyms
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.quantities import Date, Quantity, Reading, compare, convert, dimension
from veritab.reason.pairs.measures import Bound, Measure, without_brackets
from veritab.reason.pairs.questions import How, Question
from veritab.reason.parsing.claims import ParsedClaim
from veritab.schema import ElementId
from veritab.text import stems

_MOST_MEASURES = 2000
_MOST_ON_A_SIDE = 25
_MOST_PAIRS = 30
_MOST_BOUNDS = 60
_LEAST_FIT = 0.3

Side = tuple[Measure, ...]


@dataclass(frozen=True)
class Pair:
    """The values that the two sides of a question may mean; several on a side are added up."""

    question: Question
    one: Side
    other: Side
    fit: float


def distinct(given: Iterable[Measure]) -> list[Measure]:
    """Each value once, known by all the words that any table has for it."""
    found: dict[tuple[ElementId, str, Bound, frozenset[str]], Measure] = {}
    for measure in given:
        name = (measure.ids[0], measure.text, measure.bound, measure.key)
        known = found.get(name)
        if known is None:
            found[name] = measure
        elif not known.said.keys() >= measure.said.keys():
            ids = tuple(dict.fromkeys((*known.ids, *measure.ids)))
            found[name] = replace(known, said={**measure.said, **known.said}, ids=ids)
        if len(found) >= _MOST_MEASURES:
            break
    return list(found.values())


# What claims call by an adjective, and pages by a noun.


def akin(word: str) -> frozenset[str]:
    """The words by which a claim may mean what a page calls by this one."""
    return header_synonyms(word) | ATTRIBUTE_STEMS.get(word, frozenset())


_BIRTHS = frozenset("born birth baptised".split())


class Finder:
    """Finds the values that the two sides of a question name."""

    def __init__(self, claim: ParsedClaim, measures: Sequence[Measure]) -> None:
        self.claim = claim
        self.measures = measures
        self._said = frozenset(claim.stems)
        self._named_rows: dict[frozenset[str], bool] = {}

    def best(self, question: Question) -> list[Pair]:
        """The pairs that fit a question best."""
        one, other = self._words(question.one), self._words(question.other)
        if question.how in (How.AGE, How.DURATION):
            pairs = self._bounded(question, one)
        elif question.how is How.LIMIT:
            pairs = self._limited(question, one)
        elif question.how is How.MARGIN:
            pairs = self._margins(question, one)
        else:
            pairs = self._compared(question, one, other)
        return sorted(pairs, key=lambda pair: -pair.fit)[:_MOST_PAIRS]

    def _words(self, places: Iterable[int]) -> frozenset[str]:
        return frozenset(self.claim.stems[place] for place in places)

    @cached_property
    def _worth(self) -> Mapping[str, float]:
        """What a word is worth: one that every value is called by tells none from another."""
        counts = Counter(stem for measure in self.measures for stem in {*measure.said, *measure.header})
        return {stem: 1.0 if count <= max(2, len(self.measures) / 4) else 0.4 for stem, count in counts.items()}

    @cached_property
    def _by_row(self) -> Mapping[object, Sequence[Measure]]:
        rows: dict[object, list[Measure]] = {}
        for measure in self.measures:
            rows.setdefault(measure.row, []).append(measure)
        return rows

    # -- two values, each with words of its own

    def _compared(self, question: Question, one: frozenset[str], other: frozenset[str]) -> Iterator[Pair]:
        for (fit_one, first), (fit_other, second) in product(self._named(one, other), self._named(other, one)):
            apart = not set(first) & set(second) and comparable(first[0].value, second[0].value)
            if apart and self._of_one_thing(first[0], second[0]) and self._told(first[0], one, second[0], other):
                yield Pair(question, first, second, fit_one + fit_other + _kinship(first[0], second[0]))

    def _named(self, side: frozenset[str], across: frozenset[str]) -> list[tuple[float, Side]]:
        """The values that a side names, best first; several together where the claim adds them up."""
        if not side:
            return []
        fits: list[tuple[float, Side]] = [(self.fit(measure, side, across), (measure,)) for measure in self.measures]
        named = [each for each in fits if each[0] > _LEAST_FIT]
        if "sum" in self.claim.cues:
            named += self._groups(side, across)
        return sorted(named, key=lambda each: -each[0])[:_MOST_ON_A_SIDE]

    def _groups(self, side: frozenset[str], across: frozenset[str]) -> Iterator[tuple[float, Side]]:
        columns: dict[object, list[Measure]] = {}
        for measure in self.measures:
            if measure.column and measure.key and measure.key <= side:
                columns.setdefault(measure.column, []).append(measure)
        for group in columns.values():
            if len(group) > 1:
                yield sum(self.fit(measure, side, across) for measure in group), tuple(group)

    def fit(self, measure: Measure, side: frozenset[str], across: frozenset[str] = frozenset()) -> float:
        """How well the words of a side name a value; `across` are the words of the other side."""
        worth = self._worth
        fit = math.fsum(worth[stem] for stem in side if stem in measure.said or stem in measure.header)
        fit += 0.7 * math.fsum(worth[stem] for stem in measure.header - side if not side.isdisjoint(akin(stem)))
        key = self._key(measure)
        if key <= side:
            return fit + (0.5 if key else 0.0)
        if key & side:
            return fit + 0.2
        # Where the side is the name of some row, the rows that only mention it are not meant.
        return fit - 1.0 if key <= across or self._names_a_row(side) else fit - 0.3

    def _key(self, measure: Measure) -> frozenset[str]:
        """The words of what a value belongs to: of an infobox its page, where the claim names several of those."""
        page = self._pages.get(measure.ids[0].page) if _in_infobox(measure) else None
        return page if page and len(self._pages) > 1 else measure.key

    @cached_property
    def _pages(self) -> Mapping[str, frozenset[str]]:
        """The pages with infoboxes that the claim names, and the words of their titles."""
        titles = {measure.ids[0].page for measure in self.measures if _in_infobox(measure)}
        known = {title: frozenset(stems(without_brackets(title))) - TABLE_STOP_STEMS for title in sorted(titles)}
        return {title: words for title, words in known.items() if words and words <= self._said}

    def _names_a_row(self, side: frozenset[str]) -> bool:
        known = self._named_rows.get(side)
        if known is None:
            known = self._named_rows[side] = any(each.key and each.key <= side for each in self.measures)
        return known

    def _told(self, first: Measure, one: frozenset[str], second: Measure, other: frozenset[str]) -> bool:
        """Whether the claim tells the two values from others: it names their rows, or the one that both are of."""
        sides = ((first, one), (second, other))
        named = [measure.column is None or not side.isdisjoint(measure.said) for measure, side in sides]
        told = all(named) or (any(named) and first.row == second.row)
        return told and self._asked_for(first) and self._asked_for(second)

    def _of_one_thing(self, first: Measure, second: Measure) -> bool:
        """Whether two plain numbers count the same, or each counts what the claim names: "more sons than daughters"."""
        if not isinstance(first.value, Quantity) or first.value.unit or not _differ(first.header, second.header):
            return True
        return all(self._is_named(measure.header) for measure in (first, second))

    def _is_named(self, header: frozenset[str]) -> bool:
        return not header.isdisjoint(self._said) or any(not self._said.isdisjoint(akin(stem)) for stem in header)

    def _asked_for(self, measure: Measure) -> bool:
        """Whether the claim names what the value measures, or its row has no other value of that sort."""
        if not measure.what or self._is_named(measure.header):
            return True
        rivals = [each for each in self._by_row[measure.row] if comparable(each.value, measure.value)]
        return len({each.what for each in rivals}) == 1

    def _limited(self, question: Question, side: frozenset[str]) -> Iterator[Pair]:
        """One value, against the number of the question."""
        assert question.amount
        for fit, (measure, *_) in self._named(side, frozenset()):
            if not measure.what and _of_one_sort(measure.value, question.amount.value):
                yield Pair(question, (measure,), (), fit)

    # -- where something begins and ends, who comes next

    def _bounded(self, question: Question, side: frozenset[str]) -> Iterator[Pair]:
        """From where something begins to where it ends: of one row, item, infobox or sentence."""
        living = question.how is How.AGE
        for start, end in product(self._at(Bound.START), self._at(Bound.END)):
            if living:
                # A life may be told in two sentences of its page.
                one = start.ids[0].page == end.ids[0].page and not _BIRTHS.isdisjoint({*start.header, *start.said})
            else:
                one = start.row == end.row
            if one:
                yield Pair(question, (start,), (end,), self.fit(start, side) + self.fit(end, side))

    def _at(self, bound: Bound) -> list[Measure]:
        found = [measure for measure in self.measures if measure.bound is bound]
        return found[:_MOST_BOUNDS]

    def _margins(self, question: Question, side: frozenset[str]) -> Iterator[Pair]:
        """The one that is named, if it took the least time of its column, and the next."""
        for fit, (measure, *_) in self._named(side, frozenset()):
            if not isinstance(measure.value, Quantity) or dimension(measure.value.unit) != "time":
                continue
            column = [each for each in self.measures if each.column == measure.column and each is not measure]
            later = [each for each in column if compare(each.value, measure.value) == 1]
            if later and len(later) == len(column):
                yield Pair(question, (min(later, key=_seconds),), (measure,), fit)


def _in_infobox(measure: Measure) -> bool:
    return measure.column is None and bool(measure.what)


def _seconds(measure: Measure) -> float:
    value = convert(measure.value, "s") if isinstance(measure.value, Quantity) else None
    return value.value if value else math.inf


def _of_one_sort(value: Reading, amount: Reading) -> bool:
    """Whether a value can be above or below an amount, which need not repeat the unit."""
    if isinstance(value, Quantity) and isinstance(amount, Quantity):
        return not amount.ordinal and (not amount.unit or comparable(value, amount))
    return isinstance(value, Date) and isinstance(amount, Date)


def comparable(one: Reading, other: Reading) -> bool:
    """Whether two values can be set against each other: both dates, or numbers of one dimension."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return dimension(one.unit) == dimension(other.unit)
    return isinstance(one, Date) and isinstance(other, Date)


def _kinship(one: Measure, other: Measure) -> float:
    """Values of one column are the likeliest to be compared, then those of one row."""
    if one.column is not None and one.column == other.column:
        return 0.8
    if one.header and one.header == other.header:
        return 0.6
    if one.row == other.row:
        return 0.3
    return -0.6 if one.what and other.what and _differ(one.header, other.header) else 0.0


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two headers say different things: the time of an orbit is not that of a rotation."""
    left, right = one - other, other - one
    return bool(left and right) and not any(stem in akin(own) or own in akin(stem) for own in left for stem in right)
