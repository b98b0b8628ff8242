"""Comparisons of values that no single table holds: "longer than", "twice as many as", "two years before".

The semantic parser reads one table at a time. Here the measurements of tables, lists, infoboxes and sentences are one
pool, and a claim is decided where each of its sides names a measurement and hardly a word is left unexplained. What is
compared becomes a small table, so that the computation is a program like any other and is explained in the same words.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, reduce
from itertools import islice, product

from veritab.lexicon.attributes import (
    ATTRIBUTE_STEMS,
    BIRTH_STEMS,
    COUNTER_HEADER_STEMS,
    DEATH_STEMS,
    RANK_HEADER_STEMS,
    header_synonyms,
)
from veritab.lexicon.comparison import (
    APPROXIMATELY,
    BETTER_RANKED,
    COMPARATIVES,
    COMPARED_DIMENSIONS,
    EARLIER,
    FASTER,
    FELL,
    LATER,
    LESS,
    MORE,
    ROSE,
    SLOWER,
    WORSE_RANKED,
)
from veritab.lexicon.cues import QUANTIFIER_CUES
from veritab.lexicon.grammar import DENIALS
from veritab.quantities import Date, Quantity, Reading, age, compare, convert, dimension, unit_named
from veritab.reason.facts import Fact
from veritab.reason.measurements import Boundary, Measurement, content_stems, without_brackets
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.programs.english import conclude
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.printing import format_value
from veritab.reason.programs.programs import (
    Aggregate,
    Aggregation,
    All,
    Either,
    Is,
    Literal,
    Not,
    Of,
    Percentage,
    Ratio,
    Relation,
    RowProgram,
    Subtraction,
    TruthProgram,
    ValueProgram,
    Where,
)
from veritab.reason.reasoner import Reasoning
from veritab.reason.tables.synthetic import SourcedText, SyntheticTable
from veritab.schema import ElementId

MAX_UNEXPLAINED = 0
"""How many words of a claim may be left unexplained."""
# Of 288 statements decided so among 15,000 of TabFact's training part, which no rule here was made by, 87 in 100 were
# decided right: 91 where no word was unexplained, fewer where some were.
_CONFIDENCE, _CONFIDENCE_PER_WORD = 0.90, 0.03
_MAX_COMPARISONS, _MAX_DECIDED, _MAX_MEASUREMENTS, _MAX_PER_SIDE, _MAX_PAIRS = 40, 80, 2000, 25, 30
_MAX_BOUNDARIES = 60
_MIN_FIT = 0.3
_SIMILAR_FIT = 0.3
"""Pairs that fit this much worse than the best one may still be meant."""

Side = tuple[Measurement, ...]


class Operation(StrEnum):
    """What is computed of two values."""

    COMPARE = "compare"
    DIFFERENCE = "difference"
    RATIO = "ratio"
    PERCENTAGE = "percentage"
    MARGIN = "margin"
    """The difference to the one that comes next."""
    THRESHOLD = "threshold"
    """One value of running text against a number of the claim; over tables the parser is better at it."""
    AGE = "age"
    DURATION = "duration"


@dataclass(frozen=True)
class ClaimComparison:
    """Which words of a claim name the values it compares, and how it compares them."""

    operation: Operation
    left: frozenset[int]
    """The positions of the words for the first value."""
    right: frozenset[int]
    cues: frozenset[int] = frozenset()
    """The positions of the words that say how, and name nothing."""
    comparative: str = ""
    amount: StatedNumber | None = None
    negated: bool = False


@dataclass(frozen=True)
class MeasurementPair:
    """The measurements that the two sides of a comparison may mean; several on a side are added up."""

    comparison: ClaimComparison
    left: Side
    right: Side
    fit: float


def decide_comparison(
    claim: ParsedClaim, measurements: Iterable[Measurement], max_unexplained: int = MAX_UNEXPLAINED
) -> Reasoning | None:
    """What the measurements say of a claim; None when it compares none of them, or could mean others."""
    comparisons = list(islice(parse_comparisons(claim), _MAX_COMPARISONS))
    linker = _Linker(claim, _merge_duplicates(measurements) if comparisons else [])
    pairs = sorted((pair for each in comparisons for pair in linker.link(each)), key=lambda pair: -pair.fit)
    best: Reasoning | None = None
    best_fit = -math.inf
    for pair in pairs[:_MAX_DECIDED]:
        if pair.fit < best_fit - _SIMILAR_FIT:
            break
        decided = _decide(claim, pair, max_unexplained)
        if decided is None:
            continue
        if best and decided.answer != best.answer:
            return None
        best_fit = max(best_fit, pair.fit)
        if best is None or decided.confidence > best.confidence:
            best = decided
    return best


# -- which words compare -----------------------------------------------------------------------------------

# How far before the verb or the comparative a "not" stands that denies it.
_NEGATION_WINDOW = 3
_CERTAINTY = frozenset("doubt question wonder".split())
_FILLERS = frozenset("a an the about only just exactly roughly".split())
_RELATING = frozenset("more than less fewer over under exactly least most at longer no not".split())
_DYING = DEATH_STEMS | {"die", "lived"}
_LASTING = frozenset("lasted last took take".split())
_MAX_FACTOR_STEP = 0.1
"""How exact a factor is: 1.8 times is not "twice"."""


def parse_comparisons(claim: ParsedClaim) -> Iterator[ClaimComparison]:
    """Every comparison that a claim may make."""
    parser = _ComparisonParser(claim)
    parsers = (
        *(parser.than, parser.before_and_after, parser.ratios, parser.percentages),
        *(parser.changes, parser.margins, parser.times, parser.thresholds),
    )
    yield from dict.fromkeys(comparison for parse in parsers for comparison in parse())


class _ComparisonParser:
    def __init__(self, claim: ParsedClaim) -> None:
        self.claim = claim
        self.words = claim.stems
        self.amounts = [n for n in claim.numbers if isinstance(n.value, Quantity) and not n.value.ordinal]
        for place, (word, noun) in enumerate(zip(self.words, self.words[1:], strict=False)):
            unit = unit_named(noun) if word in ("a", "an") else None  # "A minute" is one minute.
            if unit and dimension(unit) == "time":
                relation = claim.relation_at((place, place + 2))
                self.amounts.append(StatedNumber(Quantity(1.0, unit, step=0.0), (place, place + 2), relation))

    def _find(self, words: Iterable[str]) -> list[int]:
        return [place for place, word in enumerate(self.words) if word in words]

    def _build(
        self,
        operation: Operation,
        left: Iterable[int],
        right: Iterable[int],
        cues: set[int],
        amount: StatedNumber | None,
        comparative: str = "",
    ) -> Iterator[ClaimComparison]:
        """A comparison of two sides, less the words that only compare; none where a "not" is hard to place."""
        stressed = cues | {place for place in self._find(_DYING) if operation is Operation.AGE}
        if amount:
            if self._is_approximate(amount):
                return
            relating = self._relating(amount)
            stressed |= relating - self._denying | {amount.span[0]}
            cues = cues | relating | set(range(*amount.span))
        negated = self._is_negated(stressed)
        if negated is None:
            return
        contracted = {place + 1 for place in self._denying if self.words[place + 1 : place + 2] == ("t",)}
        cues = cues | self._denying | contracted
        one, other = (frozenset(side) & self.claim.content - cues for side in (left, right))
        yield ClaimComparison(operation, one, other, frozenset(cues), comparative, amount, negated)

    def _is_approximate(self, number: StatedNumber) -> bool:
        """Whether the claim says only about how much, which no exact value makes false."""
        start, end = number.span
        before = [word for word in self.words[max(start - 5, 0) : start] if word not in ("a", "an", "the")]
        near = not APPROXIMATELY.isdisjoint(before[-1:]) or before[-2:] == ["close", "to"]
        return near or self.words[end : end + 2] == ("or", "so")

    def _relating(self, number: StatedNumber) -> set[int]:
        """The positions before a number whose words say how the claim relates to it."""
        start = number.span[0]
        return {place for place in range(max(start - 3, 0), start) if self.words[place] in _RELATING}

    # -- what a "not" denies

    @cached_property
    def _denying(self) -> set[int]:
        """The positions of the words that deny something; those of "no more than 30" and "no doubt" do not."""
        return {place for place, word in enumerate(self.words) if self._denies(place, word)}

    def _denies(self, place: int, word: str) -> bool:
        following = self.words[place + 1 : place + 2]
        if word not in DENIALS and (word != "no" or _CERTAINTY.intersection(following)):
            return False
        limits = COMPARATIVES.intersection(following) and self.words[place + 2 : place + 3] == ("than",)
        return not (limits and self._is_number_at(place + 3))

    def _is_negated(self, stressed: set[int]) -> bool | None:
        """Whether the claim denies one of these words; None where it denies something else, or twice."""
        # "No" belongs to the next word: no city is larger, but the city is no larger.
        reach = {place: 1 if self.words[place] == "no" else _NEGATION_WINDOW for place in self._denying}
        near = [place for place in self._denying if any(0 < word - place <= reach[place] for word in stressed)]
        return None if len(near) < len(self._denying) or len(near) > 1 else bool(near)

    def _is_number_at(self, place: int) -> bool:
        """Whether a number, not a thing, stands there: more than 30."""
        starts = {place, place + (self.words[place : place + 1] != () and self.words[place] in _FILLERS)}
        numbers = (*self.claim.numbers, *self.claim.multiples, *self.amounts)
        return any(number.span[0] in starts for number in numbers)

    # -- each way to compare

    def than(self) -> Iterator[ClaimComparison]:
        """More A than B, 30 m taller than B."""
        relating = {place for number in self.amounts for place in self._relating(number)}
        for place in self._find(("than",)):
            before = [near for near in self._find(COMPARATIVES) if near < place and near not in relating]
            # Two comparatives make two statements: longer and more crowded than.
            if len(before) == 1 and not self._is_number_at(place + 1):
                yield from self._split_at(place, before[0], {place, before[0]})

    def before_and_after(self) -> Iterator[ClaimComparison]:
        """Two years before B."""
        for place in self._find(("before", "after", "behind", "ahead")):
            named = self.words[place - 1 : place] in (("named",), ("name",), ("called",))
            if place and not named and not self._is_number_at(place + 1):
                yield from self._split_at(place, place, {place})

    def _split_at(self, place: int, comparative: int, cues: set[int]) -> Iterator[ClaimComparison]:
        ends = (comparative, comparative - 1)
        amount = next((n for n in self.amounts if n.span[1] in ends), None)
        operation = Operation.DIFFERENCE if amount else Operation.COMPARE
        right = range(place + 1, len(self.words))
        yield from self._build(operation, range(place), right, cues, amount, self.words[comparative])

    def ratios(self) -> Iterator[ClaimComparison]:
        """Twice as many A as B, half the length of B."""
        for number in self.claim.multiples:
            assert isinstance(number.value, Quantity)
            factor = replace(number, value=Quantity(number.value.value, step=min(number.value.step, _MAX_FACTOR_STEP)))
            start, end = factor.span
            pivots = [place for place in self._find(("as",)) if place >= end]
            if len(pivots) > 1:
                first, second = pivots[:2]
                left, right = (*range(start), *range(first + 1, second)), range(second + 1, len(self.words))
                yield from self._build(Operation.RATIO, left, right, {first, second}, factor)
            elif self.words[end : end + 1] == ("the",):
                yield from self._build(Operation.RATIO, range(start), range(end, len(self.words)), set(), factor)

    def percentages(self) -> Iterator[ClaimComparison]:
        """Less than half of A, 30 % of A."""
        for share in self.amounts:
            start, end = share.span
            assert isinstance(share.value, Quantity)
            # A majority is not an exact half, and of rows more often than of a number.
            if share.value.unit != "%" or self.words[end : end + 1] not in (("of",), ("the",)):
                continue
            if self.words[start] == "majority":
                continue
            after = range(end + 1, len(self.words))
            yield from self._build(Operation.PERCENTAGE, range(start), after, {end}, share)
            # The part may be named after the whole: half of the people of A live in B.
            for cut in after[1:]:
                part, whole = range(cut, len(self.words)), range(end + 1, cut)
                yield from self._build(Operation.PERCENTAGE, part, whole, {end}, share)

    def changes(self) -> Iterator[ClaimComparison]:
        """Fell by 30 from A to B."""
        moved, starts = self._find(FELL | ROSE), self._find(("from",))
        ends = [place for place in self._find(("to",)) if starts and place > starts[0]]
        if not moved or not ends:
            return
        left, right = range(starts[0] + 1, ends[0]), range(ends[0] + 1, len(self.words))
        amount = next((n for n in self.amounts if "by" in self.words[max(n.span[0] - 3, 0) : n.span[0]]), None)
        operation = Operation.DIFFERENCE if amount else Operation.COMPARE
        comparative = "more" if self.words[moved[0]] in FELL else "fewer"
        yield from self._build(operation, left, right, {moved[0], starts[0], ends[0]}, amount, comparative)

    def margins(self) -> Iterator[ClaimComparison]:
        """Won by a minute."""
        won = self._find(("won", "win", "victory", "beat"))
        for number in self.amounts:
            start = number.span[0]
            by = [place for place in self._find(("by",)) if start - 3 <= place < start]
            if won and by and won[0] < start:
                yield from self._build(Operation.MARGIN, range(start), (), {won[0], by[-1]}, number)

    def thresholds(self) -> Iterator[ClaimComparison]:
        """More than 300 m tall."""
        for number in self.claim.numbers:
            if number.relation is not Relation.IS and not self._denying:
                yield from self._build(Operation.THRESHOLD, range(len(self.words)), (), set(), number)

    def times(self) -> Iterator[ClaimComparison]:
        """At the age of 66, for 14 months."""
        everything = range(len(self.words))
        for number in self.amounts:
            value, start = number.value, number.span[0]
            assert isinstance(value, Quantity)
            line = " ".join(("", *self.words[max(start - 6, 0) : start], ""))
            aged = line.endswith((" aged ", " at age ")) or " age of " in line
            cues = {place for place in self._find(("age", "aged")) if place < start}
            dying = not value.unit and not _DYING.isdisjoint(self.words) and line.endswith((" at ", " to be "))
            if aged or dying:
                years = replace(number, value=Quantity(value.value, "year", step=value.step))
                yield from self._build(Operation.AGE, everything, (), cues, years)
            elif dimension(value.unit) == "time":
                yield from self._build(Operation.DURATION, everything, (), cues | set(self._find(_LASTING)), number)


# -- which measurements are meant --------------------------------------------------------------------------


def _synonyms(word: str) -> frozenset[str]:
    """The words by which a claim may mean what a page calls by this one."""
    return header_synonyms(word) | ATTRIBUTE_STEMS.get(word, frozenset())


def _merge_duplicates(measurements: Iterable[Measurement]) -> list[Measurement]:
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


class _Linker:
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
            if set(one) & set(other) or not _comparable(first.value, second.value):
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
        fit += 0.7 * sum(not side.isdisjoint(_synonyms(stem)) for stem in header - side)
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
        return all(self._names(each.attribute_words) for each in (first, second))

    def _names(self, header: frozenset[str]) -> bool:
        return not header.isdisjoint(self._stems) or any(not self._stems.isdisjoint(_synonyms(stem)) for stem in header)

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
            if not measurement.attribute and not ordinal and (plain or _comparable(value, amount)):
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
                    second = min(others, key=lambda each: _in_unit(each.value, "s") or math.inf)
                    yield MeasurementPair(comparison, (second,), (winner,), fit)


def _comparable(one: Reading, other: Reading) -> bool:
    """Whether two values can be compared: both dates, or numbers of one dimension."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return dimension(one.unit) == dimension(other.unit)
    return isinstance(one, Date) and isinstance(other, Date)


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
    return bool(left and right) and not any(b in _synonyms(a) or a in _synonyms(b) for a in left for b in right)


# -- what is computed of them ------------------------------------------------------------------------------


def _decide(claim: ParsedClaim, pair: MeasurementPair, max_unexplained: int) -> Reasoning | None:
    unexplained = _unexplained(claim, pair)
    if unexplained is None or unexplained > max_unexplained:
        return None
    lines: tuple[str, ...] = ()
    if pair.comparison.operation is Operation.AGE:
        table, program, lines = _age_program(pair)
    else:
        table, program = _comparison_program(pair)
    if program is None or not _counts_the_unit(claim, pair):
        return None
    program = Not(program) if pair.comparison.negated else program
    executor = Executor(table.typed())
    holds = executor.decide(program).holds
    if holds is None:
        return None
    confidence = _CONFIDENCE - _CONFIDENCE_PER_WORD * unexplained
    line = conclude(program, executor, word=None if lines else _tested_word(claim, pair.comparison))
    cells = _cited_cells(claim, pair)
    fact = Fact(f"{line.rpartition(', so ')[0]}.", cells, 2.0 * confidence)
    true = confidence if holds else 1 - confidence
    return Reasoning(claim.text, holds, true, program, (*lines, line), cells, (fact,))


def _tested_word(claim: ParsedClaim, comparison: ClaimComparison) -> str | None:
    """The word of the claim that stands or falls with the comparison."""
    if comparison.operation is not Operation.COMPARE or comparison.negated:
        return None
    places = [place for place in sorted(comparison.cues) if claim.stems[place] == comparison.comparative]
    return claim.phrase((places[0], places[0] + 1)) if places else None


_AGEING, _AGES = frozenset("older younger newer".split()), frozenset("old older new newer".split())


_BEGINNING = BIRTH_STEMS | frozenset("built founded established opened".split())


def _dates_a_beginning(measurement: Measurement) -> bool:
    """Whether a value says how old something is; in running text, only what was born or made is as old as that."""
    if not measurement.attribute:
        return not _BEGINNING.isdisjoint((*measurement.words, *measurement.attribute_words))
    return any(_AGES & _synonyms(stem) for stem in measurement.attribute_words)


def _relation(comparative: str, measurement: Measurement) -> Relation | None:
    """How a comparative relates one such value to another; None where it cannot be about them."""
    value = measurement.value
    dimensions = COMPARED_DIMENSIONS.get(comparative)
    if dimensions and isinstance(value, Quantity):
        # In a column, the unit may be understood.
        fitting = dimension(value.unit) in dimensions if value.unit else bool(measurement.attribute)
        if not fitting:
            return None
    up, down = MORE, LESS
    # Of numbers that count up, later is the only way in which one is more than another.
    if measurement.attribute_words & COUNTER_HEADER_STEMS or isinstance(value, Date):
        up, down = LATER, EARLIER
    elif measurement.attribute_words & RANK_HEADER_STEMS or value.ordinal:
        # The higher the rank, the lower its number.
        up, down = WORSE_RANKED, BETTER_RANKED
    elif comparative in FASTER | SLOWER:
        up, down = (SLOWER, FASTER) if dimension(value.unit) == "time" else (FASTER, SLOWER)
    return Relation.ABOVE if comparative in up else Relation.BELOW if comparative in down else None


def _comparison_program(pair: MeasurementPair) -> tuple[SyntheticTable, TruthProgram | None]:
    comparison, amount = pair.comparison, pair.comparison.amount
    table = _build_table([*pair.left, *pair.right])
    one, other = _side_value(table, 0, len(pair.left)), _side_value(table, len(pair.left), len(pair.right))
    if comparison.comparative in _AGEING and not all(map(_dates_a_beginning, (*pair.left, *pair.right))):
        return table, None
    relation = _relation(comparison.comparative, pair.left[0])
    if comparison.operation is Operation.COMPARE:
        return table, Is(one, relation, other) if relation else None
    assert amount
    computed: ValueProgram
    match comparison.operation:
        case Operation.THRESHOLD:
            computed = one
        case Operation.RATIO:
            computed = Ratio(one, other)
        case Operation.PERCENTAGE:
            if not _is_part(pair):
                return table, None
            computed = Percentage(one, other)
        case Operation.MARGIN:
            computed = Subtraction(one, other)
        case Operation.DURATION:
            computed = Subtraction(other, one)
        case _:
            if relation is None or not _can_differ_by(amount.value, pair.left[0].value):
                return table, None
            computed = Subtraction(one, other) if relation is Relation.ABOVE else Subtraction(other, one)
    return table, Is(computed, amount.relation, Literal(amount.value))


def _age_program(pair: MeasurementPair) -> tuple[SyntheticTable, TruthProgram | None, tuple[str, ...]]:
    """Ages are whole years, counted from birthday to birthday."""
    born, died, amount = pair.left[0], pair.right[0], pair.comparison.amount
    assert amount
    assert isinstance(born.value, Date)
    assert isinstance(died.value, Date)
    years = age(born.value, died.value)
    id, whole = died.ids[0], f"{years.value:.0f} years" if years else ""
    table = SyntheticTable(id, [SourcedText("Age", id)], [[SourcedText(whole, id)]])
    if years is None or years.step:
        return table, None, ()
    program = Is(Of(0, All()), amount.relation, Literal(amount.value))
    return table, program, (f"from {born.text} to {died.text} it is {whole}",)


def _can_differ_by(amount: Reading, value: Reading) -> bool:
    """Whether an amount can be the difference of such values: days of dates, but not seconds of plain numbers."""
    if not isinstance(amount, Quantity) or isinstance(value, Date):
        return isinstance(amount, Quantity) and dimension(amount.unit) == "time"
    return not amount.unit or dimension(amount.unit) == dimension(value.unit)


def _counts_the_unit(claim: ParsedClaim, pair: MeasurementPair) -> bool:
    """Whether the values are of what is counted: "one more run than" is not about the attendance."""
    amount = pair.comparison.amount
    if pair.comparison.operation is not Operation.DIFFERENCE or not amount or not pair.left[0].attribute:
        return True
    after = [claim.stems[place] for place in range(amount.span[1], len(claim.stems)) if place in claim.content]
    unit = amount.value.unit if isinstance(amount.value, Quantity) else ""
    if unit or not after or after[0] not in {claim.stems[place] for place in pair.comparison.left}:
        return True
    return any(after[0] == stem or after[0] in _synonyms(stem) for stem in pair.left[0].attribute_words)


def _is_part(pair: MeasurementPair) -> bool:
    """Whether the first can be a share of the second: not more than it."""
    unit = pair.right[0].value.unit if isinstance(pair.right[0].value, Quantity) else ""
    part, whole = ([_in_unit(each.value, unit) for each in side] for side in (pair.left, pair.right))
    if None in part or None in whole:
        return False
    return 0 <= math.fsum(filter(None, part)) <= math.fsum(filter(None, whole))


def _in_unit(value: Reading, unit: str) -> float | None:
    if not isinstance(value, Quantity):
        return None
    converted = value if value.unit == unit else convert(value, unit)
    return converted.value if converted else None


def _build_table(measurements: Sequence[Measurement]) -> SyntheticTable:
    """A table of the measurements alone: what each is of, and its value."""
    first = measurements[0]
    one_attribute = len({each.attribute for each in measurements}) == 1
    id = first.ids[0]
    kind = "date" if isinstance(first.value, Date) else dimension(first.value.unit).split(":")[0] or "number"
    header = [SourcedText("name", id), SourcedText((one_attribute and first.attribute) or kind, id)]
    body = []
    for label, each in zip(_row_labels(measurements), measurements, strict=True):
        text, value = each.text, each.value
        # A unit that stands only in the header of its column is written out.
        if not one_attribute and isinstance(value, Quantity) and value.unit and dimension(value.unit) != "time":
            text = text if any(map(str.isalpha, text)) else format_value(value)
        body.append([SourcedText(label, each.ids[-1]), SourcedText(text, each.ids[0])])
    return SyntheticTable(id, header, body)


def _row_labels(measurements: Sequence[Measurement]) -> list[str]:
    """What to call each value: by its entity, or whatever else tells them apart."""
    names, pages = [each.entity for each in measurements], [each.ids[0].page for each in measurements]
    options = [names, [each.attribute for each in measurements], pages]
    # In an infobox a value is named by its line, which others have too.
    if any(each.in_infobox for each in measurements):
        options.insert(0, pages)
    for labels in options:
        if all(labels) and len(set(labels)) == len(labels):
            return labels
    return [f"{name or page} ({number})" for number, (name, page) in enumerate(zip(names, pages, strict=True), 1)]


def _side_value(table: SyntheticTable, start: int, size: int) -> ValueProgram:
    rows: list[RowProgram] = [Where(All(), 0, Relation.IS, row[0].text) for row in table.body[start : start + size]]
    return Of(1, rows[0] if rows else All()) if size < 2 else Aggregate(Aggregation.SUM, 1, reduce(Either, rows))


# -- what is left unexplained, and what is cited -----------------------------------------------------------

# Verbs and nouns by which sentences say that something has a value.
_PLAIN = frozenset(
    """have had having number total amount amounted made make up reached found counted living lived home exactly take
    taken took need needed well much many far year time than part whole together combined share percent cent reach wa
    more most least less point it also still even then now one two doubt question live large great""".split()
)
# Words that make a claim say something else of more than two values.


def _unexplained(claim: ParsedClaim, pair: MeasurementPair) -> int | None:
    """How many words of the claim nothing accounts for; None when one of them is a name or a number."""
    measurements, cues = [*pair.left, *pair.right], pair.comparison.cues
    if any(word in QUANTIFIER_CUES and place not in cues for place, word in enumerate(claim.stems)):
        return None
    exact = {stem for m in measurements for stem in (*m.words, *m.attribute_words, *m.context, *m.entity_words)}
    known = exact | {word for m in measurements for stem in (*m.attribute_words, *m.words) for word in _synonyms(stem)}
    known |= {noun for noun, adjectives in ATTRIBUTE_STEMS.items() if not adjectives.isdisjoint(exact)}
    numbers = {place for number in claim.numbers for place in range(*number.span)}
    count = 0
    for place in (claim.content | numbers) - cues:
        stem = claim.stems[place]
        name = claim.text[claim.words[place].start].isupper()
        if stem in exact or (place not in numbers and (stem in known or stem in _PLAIN)):
            continue
        if name and place not in numbers and _is_derived(stem, known):
            continue
        if name or place in numbers or stem.endswith("est"):
            return None
        count += 1
    return count


def _is_derived(stem: str, known: set[str]) -> bool:
    """Whether a word is derived from a known one, or it from the word: Kenyan and Kenya."""
    return len(stem) > 4 and any(word[:5] == stem[:5] for word in known if abs(len(word) - len(stem)) < 4)


def _cited_cells(claim: ParsedClaim, pair: MeasurementPair) -> tuple[ElementId, ...]:
    """The values, what names them, and the cells that have other words of the claim about them."""
    cited: dict[ElementId, None] = {}
    for side, places in ((pair.left, pair.comparison.left), (pair.right, pair.comparison.right)):
        words = {claim.stems[place] for place in places}
        for each in side:
            cited.update(dict.fromkeys(each.ids))
            for stem in sorted(words & each.words.keys()) if not each.entity_words <= words else ():
                cited.update(dict.fromkeys(each.words[stem]))
    return tuple(cited)
