"""Which words of a claim compare values, and how: "longer than", "twice as many as", "two years before"."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from veritab.lexicon.attributes import DEATH_STEMS
from veritab.lexicon.comparison import APPROXIMATELY, COMPARATIVES, FELL, ROSE
from veritab.lexicon.grammar import DENIALS
from veritab.quantities import Quantity, dimension, unit_named
from veritab.reason.hedges import hedge_of
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.programs.programs import Relation


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
    hedge: str = ""
    """The word that makes the amount a rough one."""


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
        hedge = ""
        if amount:
            hedge = self._hedge(amount)
            relating = self._relating(amount)
            stressed |= relating - self._denying | {amount.span[0]}
            cues = cues | relating | set(range(*amount.span))
        negated = self._is_negated(stressed)
        if negated is None:
            return
        contracted = {place + 1 for place in self._denying if self.words[place + 1 : place + 2] == ("t",)}
        cues = cues | self._denying | contracted
        one, other = (frozenset(side) & self.claim.content - cues for side in (left, right))
        yield ClaimComparison(operation, one, other, frozenset(cues), comparative, amount, negated, hedge)

    def _hedge(self, number: StatedNumber) -> str:
        """The word by which the claim says only about how much, which no exact value makes false."""
        start, end = number.span
        before = [word for word in self.words[max(start - 5, 0) : start] if word not in ("a", "an", "the")]
        near = not APPROXIMATELY.isdisjoint(before[-1:]) or before[-2:] == ["close", "to"]
        if near or self.words[end : end + 2] == ("or", "so"):
            return hedge_of(self.words, start, end) or "about"
        return ""

    def _relating(self, number: StatedNumber) -> set[int]:
        """The positions before a number whose words say how the claim relates to it."""
        start = number.span[0]
        return {place for place in range(max(start - 3, 0), start) if self.words[place] in _RELATING | APPROXIMATELY}

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
