"""Comparisons of two things of which every word is accounted for.

Two things are named in full, the column by the words of its header or by those that say no more than that something
has a value in it, and the rest is what the table says of the things or of itself. Where several columns can be meant,
all of them have to agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from veritab.lexicon.accounting import ACCOUNTED_SYNONYMS, IDLE_STEMS, UNSAFE_SYNONYMS, VAGUE_DEGREES
from veritab.lexicon.attributes import header_synonyms
from veritab.lexicon.measures import (
    ABBREVIATED_HEADERS,
    COMPARED_ATTRIBUTES,
    DATE_VERBS,
    HAVING_VERBS,
    HEADER_FILLERS,
    MEASURING_VERBS,
    MUST_AGREE,
    MUST_BE_NAMED,
    POSITIVE_ATTRIBUTES,
)
from veritab.quantities import Date, Quantity
from veritab.reason.comparisons.computing import comparison_program
from veritab.reason.comparisons.linking import MeasurementPair
from veritab.reason.comparisons.naming import NamedThing, ThingFinder
from veritab.reason.comparisons.reading import ClaimComparison, Operation, parse_comparisons
from veritab.reason.facts import Fact
from veritab.reason.measurements import Measurement
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.programs.english import explain
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import Is, Not
from veritab.reason.reasoner import Reasoning
from veritab.reason.settling import as_decided, by_calendar, comparable, meets
from veritab.reason.statements.kinds import Amount
from veritab.reason.subjects import name_attribute
from veritab.reason.tables import TypedTable
from veritab.reason.wording import tell
from veritab.text import stem, stems

CONFIDENCE = 0.97
_OPERATIONS = frozenset({Operation.COMPARE, Operation.DIFFERENCE, Operation.RATIO})
_JOINING = frozenset("and but while which who whom whose when where although though or nor yet there also then".split())
"""Words that begin another statement."""
_IDLE = IDLE_STEMS - _JOINING
_VERB_ATTRIBUTES = {stem(verb): attribute for verb, attribute in (DATE_VERBS | MEASURING_VERBS).items()}
_MAX_PAIRS = 12


def decide_word_by_word(claim: ParsedClaim, tables: Iterable[TypedTable]) -> Reasoning | None:
    """What tables say of a comparison of two things that they name; None where a word of it is left over."""
    comparisons = [each for each in parse_comparisons(claim) if each.operation in _OPERATIONS]
    if not comparisons:
        return None
    finder = ThingFinder(claim, tables)
    found: list[Reasoning] = []
    for comparison in comparisons:
        for one, other in list(finder.pairs(comparison.left, comparison.right))[:_MAX_PAIRS]:
            reading = _PairReading(claim, comparison, one, other)
            found += [_decide(claim, comparison, *pair) for pair in reading.values()]
    return found[0] if len({each.answer for each in found}) == 1 else None


@dataclass(frozen=True)
class _PairReading:
    """A comparison of two things, and what each word of it is for."""

    claim: ParsedClaim
    comparison: ClaimComparison
    one: NamedThing
    other: NamedThing

    def values(self) -> list[tuple[Measurement, Measurement]]:
        """The values that the claim may compare: those of columns that it names, or else means."""
        named: list[tuple[Measurement, Measurement]] = []
        meant: list[tuple[Measurement, Measurement]] = []
        for one, other in self._comparable_values():
            words = frozenset(stems(one.attribute))
            header = words - HEADER_FILLERS or words & HAVING_VERBS.keys()
            is_implied = name_attribute(one.attribute) in self._implied
            if not self._is_explained(header, implied=is_implied):
                continue
            if is_implied or (header and header <= self._said):
                named.append((one, other))
            elif header and all(self._is_meant(each) for each in header):
                meant.append((one, other))
        return named or meant

    def _comparable_values(self) -> Iterator[tuple[Measurement, Measurement]]:
        same_table = self.one.table is self.other.table
        for one in self.one.values:
            for other in self.other.values:
                names = [name_attribute(each.attribute) for each in (one, other)]
                fits = one.column == other.column if same_table else bool(names[0]) and names[0] == names[1]
                if fits and comparable(one.value, other.value):
                    yield one, other

    def _is_meant(self, header: str) -> bool:
        """Whether a word of a header is said, or words that mean it."""
        if header in self._said or header in MUST_BE_NAMED:
            return header in self._said
        if header in ABBREVIATED_HEADERS:
            return not any(self._said.isdisjoint(words) for words in ABBREVIATED_HEADERS[header][0])
        return not self._said.isdisjoint(_meanings(header))

    # -- what the words are for

    @cached_property
    def _left_over(self) -> frozenset[int]:
        """The places of the words that neither name the things nor compare them."""
        taken = {*range(*self.one.span), *range(*self.other.span), *self.comparison.cues}
        return frozenset(p for p, word in enumerate(self.claim.stems) if p not in taken and word not in _IDLE)

    @cached_property
    def _said(self) -> frozenset[str]:
        return frozenset(self.claim.stems[place] for place in self._left_over)

    @cached_property
    def _between(self) -> range:
        """The places between what compares and the second thing, which name what is compared."""
        words, cues = self.claim.stems, sorted(self.comparison.cues)
        wanted = ("as",) if self.comparison.operation is Operation.RATIO else (self.comparison.comparative, "than")
        places = [place for place in cues if words[place] in wanted]
        return range(places[0] + 1, places[-1]) if len(places) > 1 else range(0)

    @cached_property
    def _implied(self) -> frozenset[str]:
        """What the comparative or the verb measures: older is by birth, though not "an older car"."""
        found = {_VERB_ATTRIBUTES[word] for word in self._said if word in _VERB_ATTRIBUTES}
        nouns = [self.claim.stems[place] for place in self._between if place in self._left_over]
        if self.comparison.operation is Operation.RATIO:
            found |= {POSITIVE_ATTRIBUTES[word] for word in nouns if word in POSITIVE_ATTRIBUTES}
        elif not nouns and not found and self.comparison.comparative not in MUST_AGREE:
            found |= set(COMPARED_ATTRIBUTES.get(self.comparison.comparative, ((), 0))[0])
        return frozenset(found)

    def _is_explained(self, header: frozenset[str], *, implied: bool) -> bool:
        """Whether every word that is left is of the header, or said of the things or of their table."""
        known = header | {meaning for each in header for meaning in _meanings(each)}
        if implied:
            known |= _VERB_ATTRIBUTES.keys() | POSITIVE_ATTRIBUTES.keys()
        known |= self.one.about | self.other.about
        words = self.claim.stems
        for place in self._left_over:
            word = words[place]
            if word in known or (word in ("many", "much") and place in self._between):
                continue
            own, across = (self.one, self.other) if place in self.comparison.left else (self.other, self.one)
            if place in self._between or word not in own.said:
                return False
            # A year that is said of one thing alone is said of both.
            if word.isdecimal() and not self._has_number(place) and word not in across.said:
                return False
        return True

    def _has_number(self, place: int) -> bool:
        """Whether the other side has a number of its own."""
        across = self.comparison.right if place in self.comparison.left else self.comparison.left
        return any(self.claim.stems[each].isdecimal() for each in across & self._left_over)


def _meanings(header: str) -> frozenset[str]:
    """The words that say no more than that something has a value under this word of a header."""
    nothing: frozenset[str] = frozenset()
    having = HAVING_VERBS.get(header, nothing)
    if header in MUST_BE_NAMED:
        return having
    required, optional = ABBREVIATED_HEADERS.get(header, ((), nothing))
    known = (ACCOUNTED_SYNONYMS.get(header, nothing) | header_synonyms(header)) - UNSAFE_SYNONYMS.get(header, nothing)
    return having.union(known, optional, *required)


# -- what is computed --------------------------------------------------------------------------------------


def _decide(claim: ParsedClaim, comparison: ClaimComparison, one: Measurement, other: Measurement) -> Reasoning:
    """The answer of two values; none where they leave it open."""
    table, program = comparison_program(MeasurementPair(comparison, (one,), (other,), 0.0))
    executor = Executor(table.typed())
    holds = executor.decide(program).holds if program else None
    if holds is None or not isinstance(program, Is):
        return Reasoning(claim.text)
    settled = _settle(claim, comparison, program, holds, executor, (one, other))
    if settled is None:
        return Reasoning(claim.text)
    holds, program = settled
    said = Not(program) if comparison.negated else program
    holds = holds is not comparison.negated
    line, form = tell(said, executor, holds), explain(said, executor)
    cells = tuple(dict.fromkeys((*one.ids, *other.ids)))
    fact = Fact(f"{form}.", cells, 2.0 * CONFIDENCE)
    return Reasoning(claim.text, holds, CONFIDENCE if holds else 1 - CONFIDENCE, said, (line,), cells, (fact,), form)


def _settle(
    claim: ParsedClaim,
    comparison: ClaimComparison,
    program: Is,
    holds: bool,
    executor: Executor,
    values: tuple[Measurement, Measurement],
) -> tuple[bool, Is] | None:
    """The answer, as exact as the claim is; None where it is a matter of opinion."""
    number = comparison.amount
    if number is None:
        degree = {claim.stems[place - 1] for place in comparison.cues if claim.stems[place] == comparison.comparative}
        return None if holds and degree & VAGUE_DEGREES else (holds, program)
    amount = Amount(number, comparison.hedge, comparison.operation is Operation.RATIO)
    value = executor.compute(program.one).value
    met = meets(value, amount, holds)
    first, second = (each.value for each in values)
    if isinstance(value, Quantity) and value.value > 0 and isinstance(first, Date) and isinstance(second, Date):
        later, earlier = (first, second) if (first.year or 0) >= (second.year or 0) else (second, first)
        met = by_calendar(met, amount, later, earlier)
    return None if met is None else (met, as_decided(program, value, met))
