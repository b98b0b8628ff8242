"""Whether a program accounts for all that a claim says: each word, each number, and the role each has.

A program that leaves a word out answers another question: "the budget doubled" is not computed from an attendance, and
"made the top ten in Norway" is not a count of ten. So an answer stands only where every word of the claim is a word of
the cells, the headers or the title that the program uses, asks for its operation, or is on a short list of words that
say nothing by themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from veritab.lexicon.accounting import PERIOD_END_STEMS, PERIOD_START_STEMS, UNSPARABLE_STEMS
from veritab.lexicon.attributes import BIRTH_STEMS
from veritab.lexicon.comparison import (
    FELL,
    ROSE,
    direction,
    has_direction,
    is_comparative,
    is_superlative,
    lookup_forms,
    positive_degree,
)
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.lexicon.numbers import NUMBER_WORDS
from veritab.quantities import Date, Quantity, dimension
from veritab.reason.parsing.candidates import generate_exact_candidates
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.parsing.condition_account import ConditionAccount
from veritab.reason.parsing.conditions import CellCondition
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.parsing.ranking import CandidateRanking
from veritab.reason.parsing.word_account import (
    NO_CONTEXT,
    ORDERED,
    ORDERING,
    OVER_ROWS,
    UP,
    PageContext,
    is_ordinal,
    orders,
)
from veritab.reason.programs.programs import Is
from veritab.reason.tables import ColumnType
from veritab.reason.tables.summing import SUMMING
from veritab.reason.templates.grounding import ProgramCandidate, as_count, find_exclusion
from veritab.reason.templates.stretches import find_stretch
from veritab.text import Span, stems

_APART = frozenset({"differ", "differed", "difference", "apart", "gap"})
_MORE_OR_LESS = frozenset({"more", "fewer", "less"})
_MEASURING = frozenset({"long", "short", "many", "few", "much"})
_RISEN = ROSE | FELL | frozenset("up down rise increase drop decline decrease growth".split())
_RISE_REACH = 3
_MAKING = frozenset({"make", "made"})
"""What makes up half of something has not gone up."""
_COUNTING = frozenset({"count", "distinct"})
_LOOSE = frozenset({"nth", "both top", "any"})
"""Templates whose programs answer too often what was not asked."""
_SPARING = frozenset({"compare", "ratio", "difference", "two lookups"})
"""Templates that name two rows, so that a word more hardly makes another claim of them."""
_SUMS = frozenset({"sum", "stretch", "sum change", "mean", "compare sum", "compare rest", "share of sum"})
"""Templates that add up what rows have."""
_COMPARING_COUNTS = frozenset({"compare counts", "count ratio", "count difference"})
_OFFICE = frozenset("term office reign tenure served service elected appointed from since to until".split())
_OWNERS, _BEING = frozenset(stems("its his her their")), frozenset(stems("is are was were"))
_LEAST = 0.2
"""A program less probable than this has the words of the claim by chance."""
_LEAST_TOLD = 0.08
"""As much, where a program names so many cells that it hardly has them all by chance."""
_TELLING = frozenset(
    {"two lookups", "difference", "ratio", "compare", "share of sum", "share given", "sum", "top", "mean"}
)
_MANY = 3
"""From so many conditions on, what one row holds is hardly there by chance."""
_AGREEING = 0.9
"""The share that the programs of one answer must have of all that account for the claim."""
_WHOLE_PERCENT = 101.0
"""All parts of a whole, rounded."""


def find_complete(
    links: EntityLinks, ranking: CandidateRanking, context: PageContext = NO_CONTEXT
) -> tuple[ProgramCandidate, float] | None:
    """The most probable program that accounts for the whole claim, and how probable it is among all such programs.

    None where there is none, or where such programs contradict each other.
    """
    account = ClaimAccount(links, context)
    exact = [each for each in generate_exact_candidates(links) if account.is_complete(each)]
    if exact:
        return (exact[0], 1.0) if len({each.truth.holds for each in exact}) == 1 else None
    found = [each for each in ranking.candidates if each.candidate.template != "both"]
    complete = [each for each in found if each.probability >= _LEAST and account.is_complete(each.candidate)]
    if not complete:
        told = (each for each in found if each.probability >= _LEAST_TOLD and _is_telling(each.candidate))
        complete = [each for each in told if account.is_complete(each.candidate)]
    if not complete:
        return None
    best = complete[0].candidate
    whole = sum(each.probability for each in complete) or 1.0
    agreeing = sum(each.probability for each in complete if each.candidate.truth.holds is best.truth.holds)
    return (best, complete[0].probability / whole) if agreeing >= _AGREEING * whole else None


class ClaimAccount(ConditionAccount):
    """Whether the programs of one claim and table account for all of it."""

    def is_complete(self, candidate: ProgramCandidate) -> bool:
        """Whether a program accounts for every word and number of the claim, each in its role."""
        left = self.unaccounted(candidate)
        return (not left or self._may_spare(candidate, left)) and not any(self.faults(candidate))

    def _may_spare(self, candidate: ProgramCandidate, left: Sequence[str]) -> bool:
        """Whether the one word left out hardly changes what is compared: two rows and their column are named anyway."""
        if len(left) > 1 or candidate.template not in _SPARING:
            return False
        (word,) = left
        elsewhere = any(word in stems(column.name) for column in self.table.columns)
        if elsewhere or word[0].isdigit() or word in UNSPARABLE_STEMS or orders(word):
            return False
        if not self._is_beside_a_name(candidate, word) or not self._assumed.isdisjoint(candidate.columns):
            return False
        if candidate.template == "two lookups":
            # Two values that are swapped are wrong whatever was done; two that are right may be right by another verb.
            return not _is_verb(word) or not candidate.truth.holds
        return not _is_verb(word) and self._says_one_thing(candidate)

    def _is_beside_a_name(self, candidate: ProgramCandidate, word: str) -> bool:
        """Whether a word belongs to the name of a row: "the steamer Alpha", but not "the price of lamps"."""
        near = {place for c in candidate.conditions for member in c.members for place in _sides(member.span)}
        near |= {place - 1 for place in near if self.claim.stems[place : place + 1] in (("the",), ("s",))}
        near |= {place + 1 for place in near if self.claim.stems[place : place + 1] in (("s",),)}
        return not self._find((word,)) - near

    def _says_one_thing(self, candidate: ProgramCandidate) -> bool:
        """Whether a claim has one clause, and names a column of dates, which are of many things, by its own words."""
        taken = {place for c in candidate.conditions for place in range(*c.span)}
        if self._find(("and", "while", "but")) - taken:
            return False
        dated = [column for column in candidate.columns if self.table.columns[column].type is ColumnType.DATE]
        return all(column in self.links.mentions and self.links.mentions[column].exact for column in dated)

    # -- roles

    def faults(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Why a program cannot be meant, though it has all the words."""
        template = candidate.template.removeprefix("not ")
        if template in _LOOSE:
            yield "the order of rows says nothing"
        for condition in candidate.conditions:
            for member in condition.members:
                yield from self._condition_faults(member)
            if not candidate.truth.holds and self._is_topic(condition) and not _is_side(candidate, condition):
                yield "the name of the page"
            if self._is_adjective(condition) and self._is_of_another(candidate, condition):
                yield "the country of the row, not of its people"
        if template in ORDERED:
            yield from self._order_faults(candidate, template)
        for column in candidate.columns:
            if not self._is_named(candidate, column, template):
                yield f"column {self.table.columns[column].name} is not named"
            if self._is_named_better(candidate, column):
                yield "another column is named more fully"
        if template in _COUNTING and candidate.number:
            yield from self._count_faults(candidate.number)
            if not candidate.conditions and self.claim.stems[candidate.number.span[1] :][:1] == ("of",):
                yield "two of the rows are not all rows"
        yield from self._hedge_faults(candidate)
        yield from self._degree_faults(candidate)
        if template == "share" and len(candidate.conditions) > 1:
            whole = frozenset.intersection(*(c.rows for c in candidate.conditions[:-1]))
            if len(whole) < 2:
                yield "a share of one row"
        several = self._scope_size(candidate.conditions) > 1
        if template == "share given" and several and not all(map(self._has_parts_of_one, candidate.columns)):
            yield "shares of different wholes"
        if template in ("share", "share of sum"):
            yield from self._share_faults(candidate, template)
        if template == "no" and {condition.column for condition in candidate.conditions} == {self.table.key}:
            yield "nothing is denied of a row"
        enough = template == "compare rest" and candidate.detail == "above" and not candidate.truth.holds
        if template in _SUMS and not enough and self._lacks_values(candidate):
            yield "a value is missing"
        if (template in OVER_ROWS or template == "compare rest") and self._has_sums:
            yield "a row sums up others"
        if template == "lookup" and {c.column for c in candidate.conditions} == {self.table.key}:
            yield "a row is only named"
        if template == "every" and ("in", "all") in pairwise(self.claim.stems):
            yield "in all is no every"
        if template in ("mean", "sum", "top value") and self._is_plain_number_of_times(candidate):
            yield "a plain number is no time"
        averaged = any(self._is_rate(column) for column in candidate.columns)
        if template == "mean" and self._scope_size(candidate.conditions) < 2 and not averaged:
            yield "a mean of one row"
        if template not in ("stretch", "steady") and self._names_ends_of_a_stretch(candidate):
            yield "a stretch of months is more than its ends"
        if template == "lookup" and self._gives_two_numbers(candidate):
            yield "two numbers of one cell"
        if template.endswith("lookup") and not candidate.truth.holds:
            yield from self._mismatch_faults(candidate)
        if candidate.truth.holds and self._is_of_one_row(candidate):
            yield "the value of one row is not that of the whole"
        if template in ("top", "top value"):
            yield from self._superlative_faults(candidate)
        if template == "difference" and self._is_other_direction(candidate):
            yield "the other direction"
        if template == "ratio" and candidate.detail == "below":
            yield "the sides are the other way round"
        if template in _COMPARING_COUNTS and max(len(c.rows) for c in candidate.conditions[:2]) < 2:
            yield "one row is not counted"
        if template in ("difference", "column difference") and isinstance(getattr(candidate.number, "value", 0), Date):
            yield "no difference is a date"

    def _names_ends_of_a_stretch(self, candidate: ProgramCandidate) -> bool:
        """Whether a program tells something of single months that a claim says of all from one to another."""
        places = range(*self._stretch) if self._stretch else range(0)
        named = [member for condition in candidate.conditions for member in condition.members]
        single = [each for each in named if len(each.rows) == 1 and not each.is_limit and each.span[0] in places]
        # The difference between May and June is one of the two.
        return bool(single) and (self.claim.stems[places[0]] == "from" or candidate.template in _SUMS)

    @cached_property
    def _stretch(self) -> Span | None:
        found = find_stretch(self.claim)
        return found[0] if found else None

    def _is_plain_number_of_times(self, candidate: ProgramCandidate) -> bool:
        """Whether a number without a unit is set against times: 3 against the 61:22 of a column of goals."""
        unit = candidate.number.value.unit if candidate.number and isinstance(candidate.number.value, Quantity) else "?"
        return not unit and all(dimension(self.table.columns[each].unit) == "time" for each in candidate.columns)

    def _gives_two_numbers(self, candidate: ProgramCandidate) -> bool:
        """Whether two numbers that are no range would be in one cell: fewer than ten, in seven months."""
        given = [c for c in candidate.conditions if isinstance(c.term, Quantity)]
        ends = {span for ends in self.claim.ranges for span in ends}
        columns = [c.column for c in given if c.span not in ends]
        return len(set(columns)) < len(columns)

    def _has_parts_of_one(self, column: int) -> bool:
        """Whether the percentages of a column are parts of one whole, so that some of them can be added."""
        values = [value.value for value in self.table.columns[column].values if isinstance(value, Quantity)]
        return sum(values) <= _WHOLE_PERCENT

    def _scope_size(self, conditions: Iterable[CellCondition]) -> int:
        """How many rows meet all conditions."""
        rows = [condition.rows for condition in conditions]
        return len(frozenset.intersection(*rows)) if rows else self.table.height

    @cached_property
    def _has_sums(self) -> bool:
        """Whether a row has the name of several others: "Both operators", "All lines"."""
        key = self.table.key
        return key is not None and any(map(SUMMING.match, self.table.columns[key].texts))

    def _lacks_values(self, candidate: ProgramCandidate) -> bool:
        """Whether a cell that would be added is empty, and its value not known."""
        rows = frozenset(range(self.table.height))
        named = [condition.rows for condition in candidate.conditions]
        if candidate.template in ("sum", "stretch", "sum change", "mean"):
            rows = rows.intersection(*named)
        elif candidate.template == "compare sum":
            rows = frozenset().union(*named)
        return any(not self.table.columns[each].texts[row].strip() for each in candidate.columns for row in rows)

    def _share_faults(self, candidate: ProgramCandidate, template: str) -> Iterator[str]:
        """A share of rows is none of what a row has, and "38 % of the athletes were women" is none of the women."""
        if candidate.number is None:
            return
        before = self.claim.before(candidate.number.span, _RISE_REACH)
        if not _RISEN.isdisjoint(before) and _MAKING.isdisjoint(before):
            yield "a share by which something changed"
        if any(isinstance(self.table.columns[each], DerivedColumn) for each in candidate.columns):
            yield "a share of what was subtracted"
        if template == "share of sum" and any("%" in self.table.columns[each].name for each in candidate.columns):
            yield "a share of shares"
        after = self.claim.stems[candidate.number.span[1] :]
        if template == "share" and after[:1] == ("of",) and not _OWNERS.isdisjoint(after[1:2]):
            yield "a share of what one row has"
        if template == "share" and not self._counts_things(candidate.number.span[1]):
            yield "a share of what is not counted"
        verb = next((place for place, stem in enumerate(after) if stem in _BEING), len(after))
        named = {stem for column in candidate.columns for stem in stems(self.table.columns[column].name)}
        if template == "share of sum" and not named.isdisjoint(after[verb + 1 :]):
            yield "a share of a larger whole than its column"

    def _counts_things(self, start: int) -> bool:
        """Whether what follows "half of" is several things, and not the money or the water."""
        words = self.claim.words
        while start < len(words) and words[start].stem in TABLE_STOP_STEMS:
            start += 1
        if words[start + 1 : start + 2] and words[start + 1].stem == "s":
            start += 2  # Half of Wexmoor's counters are counters.
        if start == len(words) or words[start].stem[0].isdigit() or words[start].stem in NUMBER_WORDS:
            return True
        return any(map(self.claim.is_plural, self.claim.noun_phrase(start)))

    def _is_of_one_row(self, candidate: ProgramCandidate) -> bool:
        """Whether one row has what the claim gives to all: Sydney, of one state, as "the capital of Australia".

        Births and deaths are always those of rows, and never of what a table is about.
        """
        if len(candidate.conditions) != 1 or self.table.key is None or self.table.height < 2:
            return False
        (condition,) = candidate.conditions
        name = stems(self.table.columns[condition.column].name)
        if condition.column != self.table.key and not _LIFE.isdisjoint(name):
            return True
        definite = ("the", *name)
        places = range(len(self.claim.stems) - len(name))
        return condition.column != self.table.key and any(
            self.claim.stems[place : place + len(definite)] == definite for place in places
        )

    def _says_more(self, candidate: ProgramCandidate, condition: CellCondition) -> bool:
        """Whether a row that meets the other conditions has the value beside others: "Pakistan, China"."""
        others = [each.rows for each in candidate.conditions if each is not condition]
        rows = frozenset.intersection(*others) if others else frozenset()
        texts = self.table.columns[condition.column].texts
        wanted = frozenset(stems(str(condition.term)))
        return any(wanted < frozenset(stems(texts[row])) for row in rows)

    def _mismatch_faults(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Why a row without what the claim says does not make it false: the claim may mean another row by it."""
        key = self.table.key
        names = {stems(text) for text in self.table.columns[key].texts} if key is not None else set()
        for condition in candidate.conditions:
            if isinstance(condition.term, str) and condition.column != key and stems(condition.term) in names:
                yield "the name of another row"
            if isinstance(condition.term, str) and self._says_more(candidate, condition):
                yield "a cell that lists more"
            if self._is_first_of_several(condition):
                yield "a later time than the first"
            ends = {span for ends in self.claim.ranges for span in ends}
            period = PERIOD_START_STEMS | PERIOD_END_STEMS
            if condition.span in ends and period & {*stems(self.table.columns[condition.column].name)}:
                yield "a time within a longer one"
        rows = [condition.rows for condition in candidate.conditions]
        others = [
            frozenset.intersection(*rows[:place], *rows[place + 1 :]) for place in range(len(rows)) if len(rows) > 1
        ]
        # Only a row that has all the rest shows by its one cell that the claim is false.
        if not any(len(each) == 1 for each in others) and self.table.height > 1:
            yield "no one row to differ from"

    def _is_first_of_several(self, condition: CellCondition) -> bool:
        """Whether a column says when something was first, and the claim not: a peak is climbed again."""
        column = self.table.columns[condition.column]
        is_first = column.type is ColumnType.DATE and "first" in stems(column.name)
        return is_first and "first" not in self.claim.stems

    def _superlative_faults(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Whether what is highest is a row and not the column: the highest tensile modulus of grade 4645."""
        leading = self._leading_direction(candidate)
        conditions = [c for c in candidate.conditions if not find_exclusion(self.claim, c.span)]
        narrowing = conditions[:-1] if candidate.template.endswith("top") else conditions
        least = max((2 if candidate.truth.holds else 1), *self.claim.ordinals)
        if narrowing and self._scope_size(narrowing) < least:
            yield "a superlative of one row"
        if candidate.template.endswith("top") and any(self._describes(conditions[-1], c) for c in narrowing):
            yield "a place of the row, not of those it is ranked among"
        if leading is not None and self._ranks_columns(candidate, leading):
            yield "the superlative is of a column"
        for condition in candidate.conditions:
            if leading is not None and condition.column == self.table.key and condition.span[0] == leading + 1:
                yield "the superlative is of a row"

    def _describes(self, target: CellCondition, other: CellCondition) -> bool:
        """Whether a phrase follows a name and only describes it: "Field Road in Boston is the longest"."""
        between = self.claim.stems[target.span[1] : other.span[0]]
        after = self.claim.stems[other.span[1] : other.span[1] + 1]
        return len(between) <= 2 and target.span[1] <= other.span[0] and after in (("is",), ("was",), ("wa",))

    def _ranks_columns(self, candidate: ProgramCandidate, leading: int) -> bool:
        """Whether "was highest in the first quarter" is about one row, of columns that are alike."""
        before = self.claim.stems[leading - 1 : leading]
        headers = self.links.header_mentions.headers
        words = headers[candidate.columns[0]]
        others = [other for column, other in headers.items() if column != candidate.columns[0]]
        alike = any(len(words & other) * 2 >= len(words) > 1 for other in others)
        return alike and before in (("is",), ("was",), ("are",), ("were",), ("wa",))

    def _is_other_direction(self, candidate: ProgramCandidate) -> bool:
        """Whether a difference is counted from the wrong side: "50 seconds ahead", "five more than"."""
        if not candidate.number or not candidate.columns:
            return False
        if not _APART.isdisjoint(self.claim.stems) and isinstance(candidate.program, Is):
            # What two things differ by has no direction, and is above nothing.
            value = self.links.executor.compute(candidate.program.one).value
            if isinstance(value, Quantity) and value.value < 0:
                return True
        start, end = candidate.number.span
        after = [stem for stem in self.claim.stems[end : end + 2] if is_comparative(stem)]
        before = [stem for stem in self.claim.stems[max(start - 4, 0) : start] if is_comparative(stem)]
        limit = self.claim.before(candidate.number.span, 1) == ("than",)
        said = after or ([] if limit else before[-1:])
        # Five more votes are more, whatever else the header ranks: "Votes by round".
        order = "number" if said and said[0] in _MORE_OR_LESS else self.features.order(candidate.columns[0])
        way = direction(said[0], order) if said else 0
        return bool(way) and way != UP.get(candidate.detail, 0)

    def _order_faults(self, candidate: ProgramCandidate, template: str) -> Iterator[str]:
        leading = self._leading_direction(candidate)
        if leading is None:
            yield "nothing compares"
            return
        stem = self.claim.stems[leading]
        beats_all = is_comparative(stem) and self._than_any_other()
        if template in ("top", "named top", "top value", "among top") and not is_superlative(stem) and not beats_all:
            yield "no superlative"
        if template.startswith("compare") and not is_comparative(stem) and stem not in ORDERING:
            yield "no comparative"
        if template.startswith("compare") and not self._compares_in_order(candidate):
            yield "the sides are the other way round"
        if candidate.columns:
            order = self.features.order(candidate.columns[0])
            if order == "rank" and positive_degree(stem) in _MEASURING:
                order = "number"  # Longer opening hours per week are no better rank.
            if direction(stem, order) != UP.get(candidate.detail, 0):
                yield "the other direction"
            if order == "date" and self._is_of_office(candidate.columns[0], stem):
                yield "an age of persons, not of their terms"
            header = frozenset(stems(self.table.columns[candidate.columns[0]].name))
            if not has_direction(stem) and header.isdisjoint(lookup_forms(stem)):
                yield "a superlative of something else"
            if stem in ("first", "last") and order == "number":
                yield "nothing comes first by its amount"
            if stem in ("best", "worst", "better", "worse") and order != "rank":
                yield "good may be high or low"
        elif stem not in ("more", "most", "fewer", "less"):
            yield "counts are more or fewer"
        ordinals = [n for n in self.claim.numbers if is_ordinal(n)]
        if ordinals and template != "top":
            yield "an ordinal that is no rank"

    def _is_of_office(self, column: int, word: str) -> bool:
        """Whether a word for the age of persons would be asked of dates that are not of their births."""
        header = frozenset(stems(self.table.columns[column].name))
        young, old = positive_degree(word) == "young", positive_degree(word) == "old"
        return (young and header.isdisjoint(BIRTH_STEMS)) or (old and not header.isdisjoint(_OFFICE))

    def _compares_in_order(self, candidate: ProgramCandidate) -> bool:
        """Whether what the program compares comes before "than", and what it compares with after it."""
        taken = {place for condition in candidate.conditions for place in range(*condition.span)}
        pivots = sorted(self._find(("than", "before", "after")) - taken)
        if not pivots or len(candidate.conditions) < 2:
            return True
        one, other = candidate.conditions[:2]
        return one.span[1] <= pivots[-1] <= other.span[0]

    def _count_faults(self, number: StatedNumber) -> Iterator[str]:
        """Whether a number is rather the value of a column that the claim names right after it: "seven goals"."""
        end = number.span[1]
        following = self.claim.stems[end : end + 1]
        for column in self.table.columns:
            if column.type is ColumnType.NUMBER and following and following[0] in stems(column.name):
                yield "a value, not a count"
        if as_count(number) is None:
            yield "no count"


_LIFE = frozenset(stem for word in ("birth", "birthplace", "born", "death", "died") for stem in stems(word))


def _sides(span: Span) -> tuple[int, int]:
    """The positions right before and right after a phrase."""
    return span[0] - 1, span[1]


def _is_side(candidate: ProgramCandidate, condition: CellCondition) -> bool:
    """Whether a phrase names one of two rows of a column that are compared, which the page can be too."""
    compared = candidate.template in _SPARING | {"change"}
    return compared and [each.column for each in candidate.conditions].count(condition.column) > 1


def _is_telling(candidate: ProgramCandidate) -> bool:
    """Whether a program names so much that it is meant, however rare its kind is."""
    return candidate.template in _TELLING or (candidate.template == "lookup" and len(candidate.conditions) >= _MANY)


def _is_verb(stem: str) -> bool:
    """Whether a word has the ending of verbs that say what somebody did."""
    return stem.endswith("ed") and len(stem) > 4
