"""Whether a program accounts for all that a claim says: each word, each number, and the role each has.

A program that leaves a word out answers another question: "the budget doubled" is not computed from an attendance, and
"made the top ten in Norway" is not a count of ten. So an answer stands only where every word of the claim is a word of
the cells, the headers or the title that the program uses, asks for its operation, or is on a short list of words that
say nothing by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass
from functools import cached_property

from veritab.lexicon.accounting import (
    ACCOUNTED_SYNONYMS,
    EVENT_LASTING_STEMS,
    EVENT_STEMS,
    HEDGES,
    IDLE_STEMS,
    KIND_STEMS,
    LASTING_STEMS,
    RELATING_STEMS,
    TEMPLATE_STEMS,
    UNSAFE_SYNONYMS,
    VAGUE_DIRECTIONS,
)
from veritab.lexicon.attributes import OUTCOME_STEMS, header_synonyms
from veritab.lexicon.comparison import direction, is_comparative, is_superlative, lookup_forms, positive_degree
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.quantities import Date, Quantity, bare_year, dimension, unit_named
from veritab.reason.hedges import hedge_of, holds_roughly
from veritab.reason.measurements import without_brackets
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.parsing.conditions import CellCondition
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.parsing.features import FeatureExtractor
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.parsing.ranking import CandidateRanking
from veritab.reason.programs.programs import Is, Relation, Where
from veritab.reason.programs.values import Term
from veritab.reason.tables import Column, ColumnType
from veritab.reason.templates.grounding import ProgramCandidate, as_count
from veritab.text import root, stems

_ORDERED = frozenset({"top", "top value", "among top", "compare", "compare sum", "compare counts"})
_COUNTING = frozenset({"count", "distinct"})
_MEASURES = {
    "length": frozenset("long short high low tall deep shallow wide narrow far near".split()),
    "mass": frozenset("heavy light".split()),
    "area": frozenset("large small big".split()),
    "speed": frozenset("fast slow".split()),
}
_LOOSE = frozenset({"nth", "both top", "any"})
"""Templates whose programs answer too often what was not asked."""
_OVER_ROWS = frozenset({"top", "top value", "among top", "sum", "mean", "share", "share of sum", "count"})
_SUMMING = re.compile(r"(?:both|all|combined|together|overall|total)\b(?! \w+ \w+ \w+)", re.IGNORECASE)
_UP = {"high": 1, "above": 1, "last": 1, "low": -1, "below": -1, "first": -1}
_MIN_NAME = 0.5
"""The least share of a cell's words that a phrase must have to name it."""
_NEAR, _NEAR_LIMIT = 0.5, 0.3
"""How close to a plain number the claim has to name the column that it is a value of, or a limit to."""
_RELATING_REACH = 4


_LEAST = 0.2
"""A program less probable than this has the words of the claim by chance."""
_AGREEING = 0.9
"""The share that the programs of one answer must have of all that account for the claim."""


def find_complete(
    links: EntityLinks, ranking: CandidateRanking, elsewhere: AbstractSet[str] = frozenset()
) -> tuple[ProgramCandidate, float] | None:
    """The most probable program that accounts for the whole claim, and how probable it is among all such programs.

    None where there is none, or where such programs contradict each other. `elsewhere` are stems of what the rows of
    other tables of the page are.
    """
    account = ClaimAccount(links, elsewhere)
    found = [each for each in ranking.candidates if each.candidate.template != "both" and each.probability >= _LEAST]
    complete = [each for each in found if account.is_complete(each.candidate)]
    if not complete:
        return None
    best = complete[0].candidate
    whole = sum(each.probability for each in complete) or 1.0
    agreeing = sum(each.probability for each in complete if each.candidate.truth.holds is best.truth.holds)
    return (best, complete[0].probability / whole) if agreeing >= _AGREEING * whole else None


class ClaimAccount:
    """What the programs of one claim and table account for."""

    def __init__(self, links: EntityLinks, elsewhere: AbstractSet[str] = frozenset()) -> None:
        self.links = links
        self._named_elsewhere = elsewhere
        self.claim = links.claim
        self.table = links.table
        self.features = FeatureExtractor(links)

    def is_complete(self, candidate: ProgramCandidate) -> bool:
        """Whether a program accounts for every word and number of the claim, each in its role."""
        return not self.unaccounted(candidate) and not any(self.faults(candidate))

    def unaccounted(self, candidate: ProgramCandidate) -> tuple[str, ...]:
        """The words of the claim that a program leaves out, in order."""
        accounted = self._accounted(candidate)
        stems = self.claim.stems
        numbers = {place for number in self.claim.numbers for place in range(*number.span)}
        # What is not before a number relates to none: "the bridges over the Thames", "the only one".
        idle = self._find(("one",)) - numbers
        idle |= {place for place in self._find(("over", "under")) if not numbers & {place + 1, place + 2, place + 3}}
        return tuple(
            stem
            for place, stem in enumerate(stems)
            if place not in accounted and stem not in IDLE_STEMS and stem not in KIND_STEMS and place not in idle
        )

    # -- words

    def _accounted(self, candidate: ProgramCandidate) -> set[int]:
        template = candidate.template.removeprefix("not ")
        places = {place for c in candidate.conditions for place in range(*c.span)}
        tested = set(_tests(candidate.program))
        for slot in self.links.slots:
            # A side of a comparison may be narrowed by a phrase that is no condition of the whole.
            if any((each.column, each.relation, each.term) in tested for each in slot.conditions):
                places.update(range(*slot.span))
        numbers = self._used_numbers(candidate)
        for number in numbers:
            places.update(range(*number.span))
            places.update(self._relating(number))
        used = self._columns(candidate)
        for column in used:
            places.update(self._header_places(column))
        for column in used:
            typed = self.table.columns[column]
            if isinstance(typed, DerivedColumn) and typed.lasts:
                is_event = not EVENT_STEMS.isdisjoint(stems(f"{typed.start.name} {typed.end.name}"))
                places.update(self._find(EVENT_LASTING_STEMS if is_event else LASTING_STEMS))
        places.update(self._topic_places(candidate))
        places.update(self._cue_places(candidate, template))
        if candidate.template.startswith("not ") or template == "no":
            places.update(self._find(TEMPLATE_STEMS["no"]))
        return places

    def _find(self, wanted: Iterable[str]) -> set[int]:
        known = frozenset(wanted)
        return {place for place, stem in enumerate(self.claim.stems) if stem in known}

    def _columns(self, candidate: ProgramCandidate) -> tuple[int, ...]:
        """The columns that a program reads, those that derived ones come from included."""
        used = dict.fromkeys((*candidate.columns, *(c.column for c in candidate.conditions)))
        if self.table.key is not None:
            used.setdefault(self.table.key)  # Its header says what kind of things the rows are.
        for column in tuple(used):
            typed = self.table.columns[column]
            if isinstance(typed, DerivedColumn):
                used.update(dict.fromkeys((typed.start.number, typed.end.number)))
        return tuple(used)

    def _header_places(self, column: int) -> set[int]:
        """The positions of the words of a header, of words of their root, and of words that mean the same."""
        typed = self.table.columns[column]
        if isinstance(typed, DerivedColumn) or not typed.header:
            return set()
        header = set(stems(typed.name)) - TABLE_STOP_STEMS
        roots = {root(stem) for stem in header if len(stem) > 3}
        akin = {word for stem in header for word in header_synonyms(stem) - UNSAFE_SYNONYMS.get(stem, frozenset())}
        outcomes = {word for stem in header & OUTCOME_STEMS.keys() for word in header_synonyms(stem)}
        akin -= OUTCOME_STEMS.keys() - outcomes
        akin |= {word for stem in header for word in ACCOUNTED_SYNONYMS.get(stem, ())}
        return {
            place
            for place, stem in enumerate(self.claim.stems)
            if stem in header
            or (len(stem) > 3 and root(stem) in roots)
            or (not _orders(stem) and not akin.isdisjoint(lookup_forms(stem)))
        }

    @cached_property
    def _topic(self) -> frozenset[str]:
        return self.links.header_mentions.title_words - TABLE_STOP_STEMS

    @cached_property
    def _own_header_words(self) -> dict[int, frozenset[str]]:
        """The words that a header has and the title has not."""
        headers = self.links.header_mentions.headers
        return {column: words - TABLE_STOP_STEMS for column, words in headers.items()}

    def _topic_places(self, candidate: ProgramCandidate) -> set[int]:
        """The positions of words of the title, unless they name a column that the program does not use."""
        used = self._columns(candidate)
        elsewhere = frozenset(
            word for column, words in self._own_header_words.items() if column not in used for word in words
        )
        # A page on varieties and plots may count the plots in this table, and never the varieties.
        if candidate.template.removeprefix("not ") in _OVER_ROWS:
            elsewhere |= self._named_elsewhere
        roots = {root(stem) for stem in self._topic if len(stem) > 4}
        return {
            place
            for place, stem in enumerate(self.claim.stems)
            if stem not in elsewhere and (stem in self._topic or (len(stem) > 4 and root(stem) in roots))
        }

    def _cue_places(self, candidate: ProgramCandidate, template: str) -> set[int]:
        places = self._find(TEMPLATE_STEMS.get(template, frozenset()))
        if template in _ORDERED or candidate.detail in _UP:
            leading = self._leading_direction(candidate)
            if leading is not None:
                places.add(leading)
                places.update(self._find(("than",)) if is_comparative(self.claim.stems[leading]) else ())
                places.update(self._than_any_other())
        if template in ("top", "nth"):
            places |= {p for n in self.claim.numbers if _is_ordinal(n) for p in range(*n.span)}
        return places

    def _than_any_other(self) -> set[int]:
        """The positions of "than any other" and "than the others", or of "no other" before "than"."""
        claim = self.claim.stems
        for place in self._find(("than",)):
            reach = range(place, min(place + 5, len(claim)))
            found = {near for near in reach if claim[near] in ("than", "any", "all", "every", "other")}
            if len(found) > 1:
                return found
            before = {near for near in range(place) if claim[near] in ("no", "none", "other")}
            if len(before) > 1 or (before and claim[min(before)] == "no"):
                return before | {place}
        return set()

    # -- numbers

    def _used_numbers(self, candidate: ProgramCandidate) -> list[StatedNumber]:
        """The numbers that a program uses, and those that only repeat the title or the number of rows."""
        spans = {c.span for condition in candidate.conditions for c in condition.members}
        sizes = {len(condition.members) for condition in candidate.conditions if condition.others}
        if candidate.template in ("sum", "mean", "every") and candidate.conditions:
            sizes.add(len(frozenset.intersection(*(condition.rows for condition in candidate.conditions))))
        used = []
        for number in self.claim.numbers:
            in_program = number.span in spans or (candidate.number and candidate.number.span == number.span)
            if in_program or number.span in self.links.number_links.ignored or as_count(number) in sizes:
                used.append(number)
        for number in self.claim.multiples:
            if candidate.number and candidate.number.span == number.span:
                used.append(number)
        return used

    def _relating(self, number: StatedNumber) -> set[int]:
        """The positions around a number of the words that say how the claim relates to it."""
        start, end = number.span
        found = set()
        for place in range(start - 1, max(start - _RELATING_REACH, 0) - 1, -1):
            if self.claim.stems[place] not in RELATING_STEMS and self.claim.stems[place] not in HEDGES:
                break
            found.add(place)
        if start > 1 and self.claim.stems[start - 1] == "than":
            near = range(max(start - _RELATING_REACH, 0), start - 1)
            compared = [place for place in near if is_comparative(self.claim.stems[place])]
            found.update(range(compared[-1], start - 1) if compared else ())
        for place in range(end, min(end + 2, len(self.claim.stems))):
            if self.claim.stems[place] not in ("or", "more", "fewer", "less", "time", "and", "to"):
                break
            found.add(place)
        unit = number.value.unit if isinstance(number.value, Quantity) else ""
        if unit and end < len(self.claim.stems) and unit_named(self.claim.stems[end]) == unit:
            found.add(end)
        return found

    # -- the direction of a comparison

    def _directions(self, candidate: ProgramCandidate) -> list[int]:
        """The positions of the words that compare, other than those of names and headers."""
        taken = {place for c in candidate.conditions for place in range(*c.span)}
        for number in self._used_numbers(candidate):
            taken |= self._relating(number)
        for column in candidate.columns:
            mention = self.links.mentions.get(column)
            taken |= mention.exact if mention else frozenset()
        return [
            place
            for place, stem in enumerate(self.claim.stems)
            if place not in taken and _orders(stem) and stem not in VAGUE_DIRECTIONS
        ]

    def _leading_direction(self, candidate: ProgramCandidate) -> int | None:
        found = self._directions(candidate)
        return found[0] if found else None

    # -- roles

    def faults(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Why a program cannot be meant, though it has all the words."""
        template = candidate.template.removeprefix("not ")
        if template in _LOOSE:
            yield "the order of rows says nothing"
        for condition in candidate.conditions:
            for member in condition.members:
                yield from self._condition_faults(member)
            if not candidate.truth.holds and self._is_topic(condition):
                yield "the name of the page"
        if template in _ORDERED:
            yield from self._order_faults(candidate, template)
        for column in candidate.columns:
            if not self._is_named(candidate, column, template):
                yield f"column {self.table.columns[column].name} is not named"
        if template in _COUNTING and candidate.number:
            yield from self._count_faults(candidate.number)
        yield from self._hedge_faults(candidate)
        if template == "share" and len(candidate.conditions) > 1:
            whole = frozenset.intersection(*(c.rows for c in candidate.conditions[:-1]))
            if len(whole) < 2:
                yield "a share of one row"
        if template == "no" and {condition.column for condition in candidate.conditions} == {self.table.key}:
            yield "nothing is denied of a row"
        if template in _OVER_ROWS and self._has_sums:
            yield "a row sums up others"
        if template == "mean" and self._scope_size(candidate.conditions) < 2:
            yield "a mean of one row"
        if template.endswith("lookup") and not candidate.truth.holds:
            yield from self._mismatch_faults(candidate)
        if template in ("top", "top value"):
            yield from self._superlative_faults(candidate)
        if template == "compare counts" and max(len(c.rows) for c in candidate.conditions) < 2:
            yield "one row is not counted"
        if template in ("difference", "column difference") and isinstance(getattr(candidate.number, "value", 0), Date):
            yield "no difference is a date"

    def _scope_size(self, conditions: Iterable[CellCondition]) -> int:
        """How many rows meet all conditions."""
        rows = [condition.rows for condition in conditions]
        return len(frozenset.intersection(*rows)) if rows else self.table.height

    @cached_property
    def _has_sums(self) -> bool:
        """Whether a row has the name of several others: "Both operators", "All lines"."""
        key = self.table.key
        return key is not None and any(map(_SUMMING.match, self.table.columns[key].texts))

    def _is_topic(self, condition: CellCondition) -> bool:
        """Whether a phrase may only name what the page is about."""
        words = self.claim.stems[slice(*condition.span)]
        return isinstance(condition.term, str) and frozenset(stems(self.table.title)).issuperset(words)

    def _condition_faults(self, condition: CellCondition) -> Iterator[str]:
        if isinstance(condition.term, str):
            is_year = self.claim.phrase(condition.span).isdecimal()  # The year of a caption is enough to name it.
            if condition.weight < _MIN_NAME and not is_year:
                yield "less than half of a name"
            return
        typed = self.table.columns[condition.column]
        if isinstance(condition.term, Date):
            year = bare_year(condition.term)
            dated = typed.type is ColumnType.DATE or (year is not None and self.links.number_links.has_years(typed))
            if not dated:
                yield "a date in a column of something else"
            if self.claim.before(condition.span, 1) == ("from",) and not self._is_range_start(condition):
                yield "from that date on, or of that date"
            if condition.is_limit and "since" in {*self.claim.before(condition.span, 1)} & {*stems(typed.name)}:
                yield "a beginning that is another one, not one after it"
            return
        if typed.type is ColumnType.DATE:
            yield "a number in a column of dates"
        if self._is_age(condition):
            return
        if not condition.measured and condition.proximity < (_NEAR_LIMIT if condition.is_limit else _NEAR):
            yield "a number far from its column"

    def _is_age(self, condition: CellCondition) -> bool:
        """Whether a plain number is an age without a word for it: "was 36 when she ran"."""
        asks = self.claim.before(condition.span, 1) in (("was",), ("wa",), ("aged",))
        when = self.claim.stems[condition.span[1] : condition.span[1] + 1] in (("when",), ("year",))
        return asks and when and stems(self.table.columns[condition.column].name) == ("age",)

    def _is_range_start(self, condition: CellCondition) -> bool:
        """Whether a "from" goes on: from 1948 to 1960, from 1948 onwards."""
        return self.claim.stems[condition.span[1] : condition.span[1] + 1] in (
            ("to",),
            ("until",),
            ("onward",),
            ("on",),
        )

    def _hedge_faults(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Whether a rough number decides that is neither clearly met nor clearly missed."""
        number, program = candidate.number, candidate.program
        if number and isinstance(program, Is) and isinstance(number.value, Quantity):
            hedge = hedge_of(self.claim.stems, *number.span)
            value = self.links.executor.compute(program.one).value if hedge else None
            if hedge and number.relation is Relation.IS:
                holds = holds_roughly(value, number.value, hedge) if isinstance(value, Quantity) else None
                if holds is not candidate.truth.holds:
                    yield "a rough number"
        for condition in candidate.conditions:
            rough = isinstance(condition.term, Quantity) and hedge_of(self.claim.stems, *condition.span)
            if rough and not candidate.truth.holds and self._may_be_met(candidate, condition, str(rough)):
                yield "a rough number"

    def _may_be_met(self, candidate: ProgramCandidate, rough: CellCondition, hedge: str) -> bool:
        """Whether a row that meets the other conditions may meet a rough one."""
        others = [each.rows for each in candidate.conditions if each is not rough]
        rows = frozenset.intersection(*others) if others else frozenset(range(self.table.height))
        values = [self.table.columns[rough.column].values[row] for row in rows]
        assert isinstance(rough.term, Quantity)
        return any(
            not isinstance(value, Quantity) or holds_roughly(value, rough.term, hedge) is not False for value in values
        )

    def _mismatch_faults(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Why a row without what the claim says does not make it false: the claim may mean another row by it."""
        key = self.table.key
        names = {stems(text) for text in self.table.columns[key].texts} if key is not None else set()
        for condition in candidate.conditions:
            if isinstance(condition.term, str) and condition.column != key and stems(condition.term) in names:
                yield "the name of another row"
        rows = [condition.rows for condition in candidate.conditions]
        others = [
            frozenset.intersection(*rows[:place], *rows[place + 1 :]) for place in range(len(rows)) if len(rows) > 1
        ]
        # Only a row that has all the rest shows by its one cell that the claim is false.
        if not any(len(each) == 1 for each in others) and self.table.height > 1:
            yield "no one row to differ from"

    def _superlative_faults(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Whether what is highest is a row and not the column: the highest tensile modulus of grade 4645."""
        leading = self._leading_direction(candidate)
        narrowing = candidate.conditions[:-1] if candidate.template.endswith("top") else candidate.conditions
        if narrowing and candidate.truth.holds and self._scope_size(narrowing) < 2:
            yield "a superlative of one row"
        for condition in candidate.conditions:
            if leading is not None and condition.column == self.table.key and condition.span[0] == leading + 1:
                yield "the superlative is of a row"

    def _order_faults(self, candidate: ProgramCandidate, template: str) -> Iterator[str]:
        leading = self._leading_direction(candidate)
        if leading is None:
            yield "nothing compares"
            return
        stem = self.claim.stems[leading]
        beats_all = is_comparative(stem) and self._than_any_other()
        if template in ("top", "top value", "among top") and not is_superlative(stem) and not beats_all:
            yield "no superlative"
        if template.startswith("compare") and not is_comparative(stem) and stem not in _ORDERING:
            yield "no comparative"
        if template.startswith("compare") and not self._compares_in_order(candidate):
            yield "the sides are the other way round"
        if candidate.columns:
            order = self.features.order(candidate.columns[0])
            if direction(stem, order) != _UP.get(candidate.detail, 0):
                yield "the other direction"
            if stem in ("best", "worst", "better", "worse") and order != "rank":
                yield "good may be high or low"
        elif stem not in ("more", "most", "fewer", "less"):
            yield "counts are more or fewer"
        ordinals = [n for n in self.claim.numbers if _is_ordinal(n)]
        if ordinals and template != "top":
            yield "an ordinal that is no rank"

    def _compares_in_order(self, candidate: ProgramCandidate) -> bool:
        """Whether what the program compares comes before "than", and what it compares with after it."""
        pivots = sorted(self._find(("than", "before", "after")))
        if not pivots or len(candidate.conditions) < 2:
            return True
        one, other = candidate.conditions[:2]
        return one.span[1] <= pivots[-1] <= other.span[0]

    def _is_named(self, candidate: ProgramCandidate, column: int, template: str) -> bool:
        """Whether the claim names what a program compares by: in a word of its header, or by the comparative."""
        typed = self.table.columns[column]
        if isinstance(typed, DerivedColumn):
            return all(self._is_named(candidate, end.number, template) for end in (typed.start, typed.end))
        mention = self.links.mentions.get(column)
        units = frozenset(stems(typed.name)) - frozenset(stems(without_brackets(typed.name)))
        if typed.unit and [each.unit for each in self.table.columns].count(typed.unit) == 1 and template != "mean":
            units = frozenset()
        said = [self.claim.stems[place] for place in mention.words] if mention else []
        said = [stem for stem in said if stem not in units]  # A unit does not name what it measures.
        if any(stem not in self._topic or _orders(stem) for stem in said):
            return True
        leading = self._leading_direction(candidate) if template in _ORDERED else None
        header = stems(without_brackets(typed.name))
        counted = leading is not None and self.claim.stems[leading] in ("most", "more", "fewest", "fewer")
        if (
            counted
            and leading is not None
            and header
            and self.claim.stems[leading + 1 : leading + 1 + len(header)] == header
        ):
            return True  # The most earthquakes, in a section on earthquakes.
        if typed.type is ColumnType.DATE and template in _ORDERED:
            leading = self._leading_direction(candidate)
            return leading is not None and bool(direction(self.claim.stems[leading], "date"))
        return leading is not None and self._is_measured(typed, self.claim.stems[leading])

    def _is_measured(self, column: Column, word: str) -> bool:
        """Whether a column that only its unit names measures what a comparative asks for: "km", "longer"."""
        return positive_degree(word) in _MEASURES.get(dimension(unit_named(column.name.strip())), frozenset())

    def _count_faults(self, number: StatedNumber) -> Iterator[str]:
        """Whether a number is rather the value of a column that the claim names right after it: "seven goals"."""
        end = number.span[1]
        following = self.claim.stems[end : end + 1]
        for column in self.table.columns:
            if column.type is ColumnType.NUMBER and following and following[0] in stems(column.name):
                yield "a value, not a count"
        if as_count(number) is None:
            yield "no count"


def _tests(program: object) -> Iterator[tuple[int, Relation, Term]]:
    """The conditions that a program tests, wherever in it."""
    if isinstance(program, Where):
        yield program.column, program.relation, program.term
    if is_dataclass(program):
        for each in fields(program):
            yield from _tests(getattr(program, each.name))


def _orders(stem: str) -> bool:
    return is_superlative(stem) or is_comparative(stem) or stem in _ORDERING


_ORDERING = frozenset("before after predate predated precede preceded above below ahead behind outnumber".split())


def _is_ordinal(number: StatedNumber) -> bool:
    return isinstance(number.value, Quantity) and number.value.ordinal
