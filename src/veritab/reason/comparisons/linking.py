"""Which measurements the two sides of a comparison may mean, and how well each fits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from veritab.lexicon.attributes import ATTRIBUTE_STEMS, BIRTH_STEMS, header_synonyms
from veritab.quantities import Quantity, Reading, compare, convert, dimension
from veritab.reason.comparisons.reading import ClaimComparison, Operation
from veritab.reason.measurements import Boundary, Measurement, content_stems, without_brackets
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.settling import comparable
from veritab.schema import ElementId

_MAX_MEASUREMENTS, _MAX_PER_SIDE, _MAX_PAIRS = 2000, 25, 30
_MAX_BOUNDARIES = 60
_MIN_FIT = 0.3

Side = tuple[Measurement, ...]


@dataclass(frozen=True)
class MeasurementPair:
    """The measurements that the two sides of a comparison may mean; several on a side are added up."""

    comparison: ClaimComparison
    left: Side
    right: Side
    fit: float


def synonyms(word: str) -> frozenset[str]:
    """The words by which a claim may mean what a page calls by this one."""
    return header_synonyms(word) | ATTRIBUTE_STEMS.get(word, frozenset())


def merge_duplicates(measurements: Iterable[Measurement]) -> list[Measurement]:
    """Each value once, with all the words that any table has for it."""
    merged: dict[tuple[ElementId, str, Boundary, frozenset[str]], Measurement] = {}
    for each in measurements:
        key = (each.ids[0], each.text, each.boundary, each.entity_words)
        known = merged.get(key)
        if known is None:
            merged[key] = each
        elif not known.words.keys() >= each.words.keys():
            ids = tuple(dict.fromkeys((*known.ids, *each.ids)))
            merged[key] = replace(known, words={**each.words, **known.words}, ids=ids)
        if len(merged) >= _MAX_MEASUREMENTS:
            break
    return list(merged.values())


class Linker:
    """Links the two sides of a comparison to measurements."""

    def __init__(self, claim: ParsedClaim, measurements: Sequence[Measurement]) -> None:
        self.claim = claim
        self.measurements = measurements
        self._stems = frozenset(claim.stems)
        self._named_rows: dict[frozenset[str], bool] = {}

    def link(self, comparison: ClaimComparison) -> list[MeasurementPair]:
        """The pairs that fit a comparison best."""
        left, right = (
            frozenset(self.claim.stems[place] for place in side) for side in (comparison.left, comparison.right)
        )
        match comparison.operation:
            case Operation.AGE | Operation.DURATION:
                pairs = self._periods(comparison, left)
            case Operation.THRESHOLD:
                pairs = self._single_values(comparison, left)
            case Operation.MARGIN:
                pairs = self._margins(comparison, left)
            case _:
                pairs = self._two_values(comparison, left, right)
        return sorted(pairs, key=lambda pair: -pair.fit)[:_MAX_PAIRS]

    def _two_values(
        self, comparison: ClaimComparison, left: frozenset[str], right: frozenset[str]
    ) -> Iterator[MeasurementPair]:
        for (fit_one, one), (fit_other, other) in product(self._candidates(left, right), self._candidates(right, left)):
            first, second = one[0], other[0]
            if set(one) & set(other) or not comparable(first.value, second.value):
                continue
            if right and all(map(str.isdecimal, right)) and not self._is_of_one_thing(comparison, first, second):
                continue
            # The claim names the rows of both, or the one row that has both.
            named = [m.in_infobox or not side.isdisjoint(m.words) for m, side in ((first, left), (second, right))]
            identified = all(named) or (any(named) and first.row == second.row)
            if identified and self._same_attribute(first, second) and all(map(self._is_asked_for, (first, second))):
                yield MeasurementPair(comparison, one, other, fit_one + fit_other + _affinity(first, second))

    def _is_of_one_thing(self, comparison: ClaimComparison, first: Measurement, second: Measurement) -> bool:
        """Whether a value that the claim names by a year alone is of what it names with the other one."""
        if first.column == second.column and first.attribute:
            return True
        words = self.claim.words
        names = {words[p].stem for p in comparison.left if self.claim.text[words[p].start].isupper()}
        own = first.ids[0].page == second.ids[0].page and names <= content_stems(first.ids[0].page)
        return own or not names or names <= second.words.keys()

    def _candidates(self, side: frozenset[str], across: frozenset[str]) -> list[tuple[float, Side]]:
        """The measurements that a side names, best first; several together where the claim adds them up."""
        if not side:
            return []
        fits: list[tuple[float, Side]] = [(self._fit(each, side, across), (each,)) for each in self.measurements]
        named = [each for each in fits if each[0] > _MIN_FIT]
        if "sum" in self.claim.cues:
            columns: dict[object, list[Measurement]] = {}
            for each in self.measurements:
                if each.column and each.entity_words and each.entity_words <= side:
                    columns.setdefault(each.column, []).append(each)
            groups = (group for group in columns.values() if len(group) > 1)
            named += [(sum(self._fit(each, side, across) for each in group), tuple(group)) for group in groups]
        return sorted(named, key=lambda each: -each[0])[:_MAX_PER_SIDE]

    def _fit(self, measurement: Measurement, side: frozenset[str], across: frozenset[str] = frozenset()) -> float:
        """How well the words of a side name a measurement; `across` are the words of the other side."""
        header = measurement.attribute_words
        fit: float = sum(stem in measurement.words or stem in header for stem in side)
        fit += 0.7 * sum(not side.isdisjoint(synonyms(stem)) for stem in header - side)
        entity = measurement.entity_words
        if measurement.in_infobox and len(self._named_pages) > 1:
            entity = self._named_pages.get(measurement.ids[0].page, entity)
        if entity <= side:
            return fit + (0.5 if entity else 0.0)
        if entity & side:
            return fit + 0.2
        # Where the side is the name of some row, the rows that only mention it are not meant.
        return fit - 1.0 if entity <= across or self._names_a_row(side) else fit - 0.3

    @cached_property
    def _named_pages(self) -> Mapping[str, frozenset[str]]:
        """The pages with infoboxes that the claim names, and the words of their titles."""
        titles = sorted({each.ids[0].page for each in self.measurements if each.in_infobox})
        words = {title: content_stems(without_brackets(title)) for title in titles}
        return {title: stems for title, stems in words.items() if stems and stems <= self._stems}

    def _names_a_row(self, side: frozenset[str]) -> bool:
        if side not in self._named_rows:
            self._named_rows[side] = any(each.entity_words and each.entity_words <= side for each in self.measurements)
        return self._named_rows[side]

    def _same_attribute(self, first: Measurement, second: Measurement) -> bool:
        """Whether two plain numbers count the same, or each counts what the claim names: "more sons than daughters"."""
        if not isinstance(first.value, Quantity) or first.value.unit:
            return True
        if not _differ(first.attribute_words, second.attribute_words):
            return True
        # Of two rows of a table, the numbers would be of two columns.
        in_rows = first.row != second.row and all(each.column and not each.in_infobox for each in (first, second))
        two_rows = in_rows and first.attribute_words.isdisjoint(second.attribute_words)
        return not two_rows and all(self._names(each.attribute_words) for each in (first, second))

    def _names(self, header: frozenset[str]) -> bool:
        return not header.isdisjoint(self._stems) or any(not self._stems.isdisjoint(synonyms(stem)) for stem in header)

    def _is_asked_for(self, measurement: Measurement) -> bool:
        """Whether the claim names what is measured, and in running text what it is measured of."""
        if measurement.attribute:
            return self._names(measurement.attribute_words)
        entity = measurement.entity_words
        return bool(measurement.boundary) or not entity or not entity.isdisjoint(self._stems)

    def _single_values(self, comparison: ClaimComparison, side: frozenset[str]) -> Iterator[MeasurementPair]:
        """One value of a sentence, against the number of the claim, which need not repeat the unit."""
        assert comparison.amount
        amount = comparison.amount.value
        for fit, (measurement, *_) in self._candidates(side, frozenset()):
            value = measurement.value
            plain = isinstance(value, Quantity) and isinstance(amount, Quantity) and not amount.unit
            ordinal = isinstance(amount, Quantity) and amount.ordinal
            if not measurement.attribute and not ordinal and (plain or comparable(value, amount)):
                yield MeasurementPair(comparison, (measurement,), (), fit)

    def _periods(self, comparison: ClaimComparison, side: frozenset[str]) -> Iterator[MeasurementPair]:
        """From where something begins to where it ends: of one row, item, infobox or sentence."""
        starts, ends = (
            [each for each in self.measurements if each.boundary is boundary][:_MAX_BOUNDARIES]
            for boundary in (Boundary.START, Boundary.END)
        )
        for start, end in product(starts, ends):
            if comparison.operation is Operation.AGE:
                # A life may take two sentences of its page.
                born = not BIRTH_STEMS.isdisjoint((*start.attribute_words, *start.words))
                same = born and start.ids[0].page == end.ids[0].page
            else:
                same = start.row == end.row
            if same:
                yield MeasurementPair(comparison, (start,), (end,), self._fit(start, side) + self._fit(end, side))

    def _margins(self, comparison: ClaimComparison, side: frozenset[str]) -> Iterator[MeasurementPair]:
        """The one that is named, if it took the least time of its column, and the next."""
        for fit, (winner, *_) in self._candidates(side, frozenset()):
            if isinstance(winner.value, Quantity) and dimension(winner.value.unit) == "time":
                others = [each for each in self.measurements if each.column == winner.column and each is not winner]
                if others and all(compare(each.value, winner.value) == 1 for each in others):
                    second = min(others, key=lambda each: in_unit(each.value, "s") or math.inf)
                    yield MeasurementPair(comparison, (second,), (winner,), fit)


def _affinity(one: Measurement, other: Measurement) -> float:
    """Values of one column are the likeliest to be compared, then those of one row."""
    if one.column is not None and one.column == other.column:
        return 0.8
    if one.attribute_words and one.attribute_words == other.attribute_words:
        return 0.6
    if one.row == other.row:
        return 0.3
    return -0.6 if one.attribute and other.attribute and _differ(one.attribute_words, other.attribute_words) else 0.0


def _differ(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two headers name different things: the time of an orbit is not that of a rotation."""
    left, right = one - other, other - one
    return bool(left and right) and not any(b in synonyms(a) or a in synonyms(b) for a in left for b in right)


def in_unit(value: Reading, unit: str) -> float | None:
    if not isinstance(value, Quantity):
        return None
    converted = value if value.unit == unit else convert(value, unit)
    return converted.value if converted else None
