"""Which two values a claim sets against each other, and how: "more A than B", "twice as many as", "two years before".

Only the words of the claim are read here; `pairs` finds the values.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from veritab.lexicon.comparison import APPROXIMATELY, COMPARATIVES, FELL, ROSE
from veritab.lexicon.grammar import DENIALS
from veritab.lexicon.numbers import DENOMINATORS, FACTORS
from veritab.quantities import Quantity, dimension, unit_named
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.programs.programs import Relation


class How(StrEnum):
    """What is computed of two values."""

    COMPARE = "compare"
    DIFFERENCE = "difference"
    RATIO = "ratio"
    SHARE = "share"
    MARGIN = "margin"
    """The difference to the one that comes next."""
    LIMIT = "limit"
    """One value of running text against a number that the claim gives; over tables the reasoner learned better."""
    AGE = "age"
    DURATION = "duration"


@dataclass(frozen=True)
class Question:
    """Two groups of words, each for a value, and how the claim says that the values stand to each other."""

    how: How
    one: frozenset[int]
    """The places of the words for the first value."""
    other: frozenset[int]
    asking: frozenset[int] = frozenset()
    """The places of the words that say how, and name nothing."""
    comparative: str = ""
    amount: StatedNumber | None = None
    negated: bool = False


# How far before the verb or the comparative a "not" stands that denies it.
_DENIES_WITHIN = 3
_CERTAIN = frozenset("doubt question wonder".split())
_FILLERS = frozenset("a an the about only just exactly roughly".split())
_RELATING = frozenset("more than less fewer over under exactly least most at longer no not".split())
# "Twice" is not 1.8 times.
_EXACT = 0.1
_DYING = frozenset("die died death dead lived".split())
_LASTING = frozenset("lasted last took take".split())


def questions(claim: ParsedClaim) -> Iterator[Question]:
    """Everything the claim may ask of two values."""
    read = _Reader(claim)
    every = (
        *(read.than, read.before_and_after, read.as_many_as, read.shares),
        *(read.from_to, read.margin, read.times, read.limits),
    )
    yield from dict.fromkeys(question for form in every for question in form())


class _Reader:
    def __init__(self, claim: ParsedClaim) -> None:
        self.claim = claim
        self.words = claim.stems
        self.amounts = [n for n in claim.numbers if isinstance(n.value, Quantity) and not n.value.ordinal]
        self.amounts += self._articles()

    def _articles(self) -> Iterator[StatedNumber]:
        """ "A minute" is one minute."""
        for place, (word, noun) in enumerate(zip(self.words, self.words[1:], strict=False)):
            unit = unit_named(noun) if word in ("a", "an") else None
            if unit and dimension(unit) == "time":
                yield StatedNumber(
                    Quantity(1.0, unit, step=0.0), (place, place + 2), self._relation(place) or Relation.IS
                )

    def _relation(self, place: int) -> Relation | None:
        """How the words before a number relate to it; None when only roughly."""
        before = [word for word in self.words[max(place - 5, 0) : place] if word not in _BETWEEN]
        line = " ".join(before)
        for ending, relation in _RELATIONS:
            if line.endswith(ending):
                return relation
        return None if APPROXIMATELY.intersection(before[-1:]) or before[-2:] == ["close", "to"] else Relation.IS

    def _is_rough(self, number: StatedNumber | None) -> bool:
        """Whether the claim says no more than about how much: no exact value makes that false."""
        if number is None:
            return False
        return self._relation(number.span[0]) is None or self.words[number.span[1] : number.span[1] + 2] == ("or", "so")

    def _made(
        self,
        how: How,
        sides: tuple[Iterable[int], Iterable[int]],
        asking: set[int],
        amount: StatedNumber | None,
        comparative: str = "",
    ) -> Iterator[Question]:
        """A question about the words of two sides, less those that only ask; none where a "not" is hard to place."""
        denied = self._is_denied(self._stressed(how, asking, amount))
        if denied is None or self._is_rough(amount):
            return
        if amount:
            asking = asking | self._relating(amount.span[0]) | set(range(*amount.span))
        asking = asking | {near for place in self._denying for near in (place, place + 1) if self._is_not(near)}
        one, other = (frozenset(side) & self.claim.content - asking for side in sides)
        yield Question(how, one, other, frozenset(asking), comparative, amount, denied)

    # -- what a "not" denies

    def _is_not(self, place: int) -> bool:
        return self.words[place : place + 1] == ("t",) or place in self._denying

    @cached_property
    def _denying(self) -> frozenset[int]:
        """The places of the words that deny something; those of "no more than 30" and "no doubt" do not."""
        return frozenset(place for place, word in enumerate(self.words) if self._denies(place, word))

    def _denies(self, place: int, word: str) -> bool:
        following = self.words[place + 1 : place + 2]
        if word not in DENIALS and (word != "no" or _CERTAIN.intersection(following)):
            return False
        limits = COMPARATIVES.intersection(following) and self.words[place + 2 : place + 3] == ("than",)
        return not (limits and self._limits(place + 3))

    def _stressed(self, how: How, asking: set[int], amount: StatedNumber | None) -> set[int]:
        """The places of the words that a "not" of the claim would be put before."""
        if how is How.AGE:
            asking = asking | {place for place, word in enumerate(self.words) if word in _DYING}
        if amount is None:
            return asking
        return asking | self._relating(amount.span[0]) - self._denying | {amount.span[0]}

    def _is_denied(self, stressed: set[int]) -> bool | None:
        """Whether the claim denies one of these words; None where it denies something else, or twice."""
        near = [place for place in self._denying if any(self._reaches(place, word) for word in stressed)]
        return None if len(near) < len(self._denying) or len(near) > 1 else bool(near)

    def _reaches(self, place: int, word: int) -> bool:
        # "No" belongs to the next word: no city is larger, but the city is no larger.
        return 0 < word - place <= (1 if self.words[place] == "no" else _DENIES_WITHIN)

    def _relating(self, place: int) -> set[int]:
        """The places before a number whose words say how the claim relates to it."""
        return {near for near in range(max(place - 3, 0), place) if self.words[near] in _RELATING}

    # -- more A than B

    def than(self) -> Iterator[Question]:
        for place, word in enumerate(self.words):
            if word != "than" or self._limits(place + 1):
                continue
            relating = {near for number in self.amounts for near in self._relating(number.span[0])}
            before = [near for near in range(place) if self.words[near] in COMPARATIVES and near not in relating]
            # Two comparatives make two statements: longer and more crowded than.
            if len(before) != 1:
                continue
            at = before[0]
            asking = {place, at}
            amount = self._amount_before(at)
            how = How.DIFFERENCE if amount else How.COMPARE
            sides = range(place), range(place + 1, len(self.words))
            yield from self._made(how, sides, asking, amount, self.words[at])

    def _limits(self, place: int) -> bool:
        """Whether a number, not a thing, stands there: more than 30."""
        rest = self.words[place : place + 3]
        if rest[:1] == ("half",) or set(rest[:1]) & FACTORS.keys():
            return True
        skipped = 1 if rest[:1] and rest[0] in _FILLERS else 0
        if rest[skipped : skipped + 1] and rest[skipped] in DENOMINATORS:
            return True
        return any(n.span[0] in (place, place + skipped) for n in (*self.claim.numbers, *self.amounts))

    def _amount_before(self, place: int) -> StatedNumber | None:
        return next((n for n in self.amounts if n.span[1] in (place, place - 1) and n.span[1] <= place), None)

    # -- before, after, behind, ahead of

    def before_and_after(self) -> Iterator[Question]:
        for place, word in enumerate(self.words):
            if word not in ("before", "after", "behind", "ahead") or self._limits(place + 1) or not place:
                continue
            amount = self._amount_before(place)
            sides = range(place), range(place + 1, len(self.words))
            how = How.DIFFERENCE if amount else How.COMPARE
            yield from self._made(how, sides, {place}, amount, word)

    # -- twice as many A as B

    def as_many_as(self) -> Iterator[Question]:
        for place, factor in self._factors():
            after = range(place, len(self.words))
            pivots = [near for near in after if self.words[near] == "as"]
            if len(pivots) > 1:
                first, second = pivots[0], pivots[1]
                one, other = (*range(factor.span[0]), *range(first + 1, second)), range(second + 1, len(self.words))
                yield from self._made(How.RATIO, (one, other), {first, second}, factor)
            elif self.words[place : place + 1] == ("the",):
                yield from self._made(How.RATIO, (range(factor.span[0]), after), set(), factor)

    def _factors(self) -> Iterator[tuple[int, StatedNumber]]:
        """Each factor of the claim, with the place after it: twice, eight times."""
        for place, word in enumerate(self.words):
            relation = self._relation(place)
            if word in FACTORS and relation:
                yield place + 1, StatedNumber(Quantity(FACTORS[word], step=_EXACT), (place, place + 1), relation)
        for number in self.amounts:
            end = number.span[1]
            relation = self._relation(number.span[0])
            if self.words[end : end + 1] == ("time",) and isinstance(number.value, Quantity) and relation:
                factor = Quantity(number.value.value, step=min(number.value.step, _EXACT))
                yield end + 1, StatedNumber(factor, (number.span[0], end + 1), relation)

    # -- less than half of A

    def shares(self) -> Iterator[Question]:
        for end, share in self._shares():
            if self.words[end : end + 1] != ("of",):
                continue
            after = range(end + 1, len(self.words))
            yield from self._made(How.SHARE, (range(share.span[0]), after), {end}, share)
            # The part may be named after the whole: half of the people of A live in B.
            for cut in after[1:]:
                sides = range(cut, len(self.words)), range(end + 1, cut)
                yield from self._made(How.SHARE, sides, {end}, share)

    def _shares(self) -> Iterator[tuple[int, StatedNumber]]:
        for place, word in enumerate(self.words):
            if word not in DENOMINATORS:
                continue
            numerator = next((n for n in self.amounts if n.span[1] == place), None)
            start = numerator.span[0] if numerator else place
            times = numerator.value.value if numerator and isinstance(numerator.value, Quantity) else 1.0
            relation = self._relation(start)
            if relation:
                share = Quantity(100 * times / DENOMINATORS[word], "%")
                yield place + 1, StatedNumber(share, (start, place + 1), relation)
        for number in self.amounts:
            # A majority is no exact half, and of rows more often than of a number.
            named = self.words[number.span[0]] == "majority"
            if isinstance(number.value, Quantity) and number.value.unit == "%" and not named:
                relation = self._relation(number.span[0])
                if relation:
                    yield number.span[1], StatedNumber(number.value, number.span, relation)

    # -- fell by N from A to B

    def from_to(self) -> Iterator[Question]:
        moved = [place for place, word in enumerate(self.words) if word in FELL | ROSE]
        starts = [place for place, word in enumerate(self.words) if word == "from"]
        if not moved or not starts:
            return
        ends = [place for place, word in enumerate(self.words) if word == "to" and place > starts[0]]
        if not ends:
            return
        sides = range(starts[0] + 1, ends[0]), range(ends[0] + 1, len(self.words))
        fell = self.words[moved[0]] in FELL
        amount = next((n for n in self.amounts if "by" in self.words[max(n.span[0] - 3, 0) : n.span[0]]), None)
        how = How.DIFFERENCE if amount else How.COMPARE
        yield from self._made(how, sides, {moved[0], starts[0], ends[0]}, amount, "more" if fell else "fewer")

    # -- won by N

    def margin(self) -> Iterator[Question]:
        by = [place for place, word in enumerate(self.words) if word == "by"]
        won = [place for place, word in enumerate(self.words) if word in ("won", "win", "victory", "beat")]
        for number in self.amounts:
            at = [place for place in by if number.span[0] - 3 <= place < number.span[0]]
            if won and at and won[0] < number.span[0]:
                yield from self._made(How.MARGIN, (range(number.span[0]), ()), {won[0], at[-1]}, number)

    # -- more than N

    def limits(self) -> Iterator[Question]:
        for number in self.claim.numbers:
            if number.relation is not Relation.IS and not self._denying:
                yield from self._made(How.LIMIT, (range(len(self.words)), ()), set(), number)

    # -- at the age of N, for N years

    def times(self) -> Iterator[Question]:
        everything = range(len(self.words))
        dying = not _DYING.isdisjoint(self.words)
        lasting = {place for place in everything if self.words[place] in _LASTING}
        for number in self.amounts:
            value, start = number.value, number.span[0]
            assert isinstance(value, Quantity)
            line = " ".join(("", *self.words[max(start - 6, 0) : start], ""))
            aged = line.endswith(_AGED) or " age of " in line
            asking = {place for place in range(start) if self.words[place] in ("age", "aged")}
            if aged or (dying and not value.unit and line.endswith((" at ", " to be "))):
                years = StatedNumber(Quantity(value.value, "year", step=value.step), number.span, number.relation)
                yield from self._made(How.AGE, (everything, ()), asking, years)
            elif dimension(value.unit) == "time":
                yield from self._made(How.DURATION, (everything, ()), asking | lasting, number)


# What may stand between "more than" and its number.
_BETWEEN = frozenset("a an the only just".split())
_AGED = (" aged ", " at age ")
_RELATIONS = (
    ("no more than", Relation.AT_MOST),
    ("not more than", Relation.AT_MOST),
    ("no less than", Relation.AT_LEAST),
    ("no fewer than", Relation.AT_LEAST),
    ("not less than", Relation.AT_LEAST),
    ("not fewer than", Relation.AT_LEAST),
    ("not longer than", Relation.AT_MOST),
    ("no longer than", Relation.AT_MOST),
    ("more than", Relation.ABOVE),
    ("over", Relation.ABOVE),
    ("above", Relation.ABOVE),
    ("longer than", Relation.ABOVE),
    ("less than", Relation.BELOW),
    ("fewer than", Relation.BELOW),
    ("under", Relation.BELOW),
    ("below", Relation.BELOW),
    ("at least", Relation.AT_LEAST),
    ("at most", Relation.AT_MOST),
)
