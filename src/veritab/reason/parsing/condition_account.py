"""What each phrase of a claim says of a cell: a name, a date, a number in its role, a rough or a limiting one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from veritab.lexicon.accounting import FAR_BEYOND, SLIGHTLY
from veritab.lexicon.attributes import RANK_HEADER_STEMS
from veritab.lexicon.comparison import FELL, ROSE
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.lexicon.names import is_of_place
from veritab.lexicon.numbers import MULTIPLES
from veritab.quantities import Date, Quantity, bare_year, dimension
from veritab.reason.hedges import hedge_of, holds_roughly, is_slight
from veritab.reason.measurements import without_brackets
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.parsing.column_account import ColumnAccount
from veritab.reason.parsing.conditions import CellCondition
from veritab.reason.parsing.derived import TOTAL_STEMS, DerivedColumn
from veritab.reason.parsing.number_links import is_age
from veritab.reason.parsing.word_account import is_ordinal
from veritab.reason.programs.programs import Is, Relation
from veritab.reason.tables import Column, ColumnType
from veritab.reason.templates.grounding import ProgramCandidate
from veritab.text import Span, stems

_MIN_NAME = 0.5
"""The least share of a cell's words that a phrase must have to name it."""
_NEAR, _NEAR_LIMIT = 0.5, 0.3
"""How close to a plain number the claim has to name the column that it is a value of, or a limit to."""
_LONGEST_NAME = 4
"""The most words of a name of which one may stand for it."""
_NUMBERING = frozenset({"no", "number", "nr"})
_PLACING = frozenset({"came", "come", "finish", "finished", "placed", "ranked"})
_PRICED = frozenset(
    "price cost revenue fee salary budget gross value prize worth earnings income amount sale spending".split()
)
_DATING = frozenset({"from", "since", "date"})
"""Words of headers and claims by which something is of a date from which on it is there."""
_LASTING = frozenset({"been"})
"""Words of what began at a date and goes on: "has been open since 1977"."""
_NATIONS = frozenset({"nation", "nationality", "nat", "noc"})
"""Words of headers for where people are from."""
_TEXTS = frozenset({ColumnType.TEXT, ColumnType.ENTITY})
_YEAR_DIGITS = 4
_DEGREE_REACH, _CHANGE_REACH = 3, 4
_BEING = frozenset(stems("is are was were"))
_MAKING = frozenset(stems("make made making"))
"""What makes up 22 percent of something has not gone up by them."""


class ConditionAccount(ColumnAccount):
    """Whether the conditions of programs are what the phrases of one claim mean."""

    def _is_topic(self, condition: CellCondition) -> bool:
        """Whether a phrase may only name what the page is about."""
        words = self.claim.stems[slice(*condition.span)]
        return isinstance(condition.term, str) and frozenset(stems(self.table.title)).issuperset(words)

    def _is_adjective(self, condition: CellCondition) -> bool:
        """Whether a phrase is the adjective of the place that a cell names: "Kenyan" of "Kenya"."""
        phrase = self.claim.stems[slice(*condition.span)]
        return isinstance(condition.term, str) and len(phrase) == 1 and is_of_place(phrase[0], stems(condition.term))

    def _is_of_another(self, candidate: ProgramCandidate, adjective: CellCondition) -> bool:
        """Whether an adjective is said of what another column names: an Indian climber may climb a peak in Nepal."""
        header = frozenset(stems(self.table.columns[adjective.column].name))
        if adjective.column == self.table.key or not header.isdisjoint(_NATIONS):
            return False
        ends = (adjective.column, self.table.key)
        texts = [each for each in self.table.columns if each.number not in ends and each.type in _TEXTS]
        following = self.claim.stems[adjective.span[1] : adjective.span[1] + 1]
        named = {each.column for each in candidate.conditions}
        return any(each.number in named or not set(following).isdisjoint(stems(each.name)) for each in texts)

    def _condition_faults(self, condition: CellCondition) -> Iterator[str]:
        if isinstance(condition.term, str):
            is_year = self.claim.phrase(condition.span).isdecimal()  # The year of a caption is enough to name it.
            if condition.weight < _MIN_NAME and not is_year and not self._is_short_name(condition):
                yield "less than half of a name"
            return
        typed = self.table.columns[condition.column]
        if isinstance(condition.term, Date):
            year = bare_year(condition.term)
            dated = typed.type is ColumnType.DATE or (year is not None and self.links.number_links.has_years(typed))
            if not dated:
                yield "a date in a column of something else"
            dating = bool(_DATING & {*stems(typed.name), *self.claim.before(condition.span, 2)[:1]})
            if self.claim.before(condition.span, 1) == ("from",) and not (self._is_range_start(condition) or dating):
                yield "from that date on, or of that date"
            since = condition.is_limit and self.claim.before(condition.span, 1) == ("since",)
            if since and ("since" in stems(typed.name) or not _LASTING.isdisjoint(self.claim.stems)):
                yield "a beginning that is another one, not one after it"
            return
        if typed.type is ColumnType.DATE:
            yield "a number in a column of dates"
        if isinstance(typed, DerivedColumn) and self._changes_into_another(condition, typed):
            yield "a change from one thing to another"
        if not frozenset(self.claim.before(condition.span, 1)).isdisjoint(_numbered_words(typed.name)):
            yield "a number of a name"
        if self._is_change(condition) and not isinstance(typed, DerivedColumn):
            yield "a number by which something changed"
        if condition.term.unit == "%" and typed.unit != "%":
            yield "a share in a column of something else"
        money = dimension(condition.term.unit).startswith("money") and not typed.unit
        if money and _PRICED.isdisjoint(stems(f"{typed.name} {self.table.caption}")):
            yield "money in a column of something else"
        alone = self._is_number(condition) and self._is_only_named(typed)
        if alone or is_age(self.claim, condition.span, typed) or self._is_numbered(condition):
            return
        after = self.claim.stems[condition.span[1] : condition.span[1] + 1]
        if not frozenset(after).isdisjoint(
            frozenset(stems(typed.name)) - frozenset(stems(without_brackets(typed.name)))
        ):
            return  # The unit of the header follows: 62 IBU.
        if isinstance(typed, DerivedColumn) and condition.is_limit and not self._is_number(condition):
            return  # What rose is no number in the claim.
        if not condition.measured and condition.proximity < (_NEAR_LIMIT if condition.is_limit else _NEAR):
            yield "a number far from its column"

    def _is_number(self, condition: CellCondition) -> bool:
        return condition.span in [number.span for number in self.claim.numbers]

    def _is_only_named(self, column: Column) -> bool:
        """Whether a claim has all words of this header, and of no other column of numbers."""
        if isinstance(column, DerivedColumn) or not column.header:
            return False
        said = frozenset(self.claim.stems)
        measured = (each for each in self.table.columns if each.type is ColumnType.NUMBER)
        whole = [each.number for each in measured if (header := self._plain_header(each)) and header <= said]
        return whole == [column.number]

    def _changes_into_another(self, condition: CellCondition, column: DerivedColumn) -> bool:
        """Whether what rose or fell would be one thing before and another after: visitors, then screenings."""
        said = self.claim.stems[slice(*condition.span)]
        first, last = (
            {stem for stem in stems(each.name) if not stem[0].isdigit() and stem not in TOTAL_STEMS}
            for each in (column.start, column.end)
        )
        return not column.lasts and not (ROSE | FELL).isdisjoint(said) and first != last

    def _is_change(self, condition: CellCondition) -> bool:
        """Whether a number follows a verb of change between two years: "gained four million", but not "rose to".

        One after "up" or "down" is a change in any case: "was up five million".
        """
        before = self.claim.before(condition.span, _CHANGE_REACH)
        if before[-1:] in (("up",), ("down",)):
            return _MAKING.isdisjoint(before[-2:-1])
        return bool(self.claim.ranges) and "to" not in before and not (ROSE | FELL).isdisjoint(before)

    def _is_short_name(self, condition: CellCondition) -> bool:
        """Whether a name has the first or the last word of the one that it can mean: "Truman", "the Stanhope"."""
        named = {self.table.columns[condition.column].texts[row] for row in condition.rows}
        phrase = self.claim.stems[slice(*condition.span)]
        if named and all(phrase == stems(text.partition(",")[0]) for text in named):
            return not self._is_topic(condition)  # The Preludes, of both books.
        if len(named) != 1 or (condition.column == self.table.key and len(condition.rows) != 1):
            return False
        (text,) = named
        cell = stems(text)
        written = self.claim.phrase(condition.span)
        is_start = condition.column == self.table.key and cell[: len(phrase)] == phrase
        is_name = condition.column == self.table.key or text.replace("-", "").replace(" ", "").isalpha()
        if self._says_half(condition, cell):
            return not self._is_topic(condition)
        is_end = is_start or (is_name and cell[-len(phrase) :] == phrase)
        return is_end and len(cell) <= _LONGEST_NAME and written[0].isupper() and not self._is_topic(condition)

    def _says_half(self, condition: CellCondition, cell: tuple[str, ...]) -> bool:
        """Whether a phrase with the words around it has half of a name: "the Stanhope press" of an iron press."""
        said = {self.claim.stems[place] for place in self._named_by(condition)} - TABLE_STOP_STEMS
        words = frozenset(cell) - TABLE_STOP_STEMS
        return len(said) > 1 and len(said) >= _MIN_NAME * len(words)

    def _is_numbered(self, condition: CellCondition) -> bool:
        """Whether a number is one by which things are counted: "No. 41", "the 34th president"."""
        header = frozenset(stems(self.table.columns[condition.column].name))
        ordinal = isinstance(condition.term, Quantity) and condition.term.ordinal
        following = self.claim.stems[condition.span[1] : condition.span[1] + 1]
        before = self.claim.before(condition.span, 1)
        if ordinal and header and RANK_HEADER_STEMS.issuperset(header):
            came = not _BEING.isdisjoint(before) and (not following or following[0] in TABLE_STOP_STEMS)
            return came or not _PLACING.isdisjoint(before)
        if ordinal and self._numbers_its_column(condition):
            return True
        if not header or not _NUMBERING.issuperset(header) or self.table.key is None:
            return False
        if before in (("no",), ("number",)):
            return True
        counted = frozenset(stems(self.table.columns[self.table.key].name)) | self._topic - TABLE_STOP_STEMS
        return ordinal and bool(following) and following[0] in counted

    def _numbers_its_column(self, condition: CellCondition) -> bool:
        """Whether an ordinal counts what its column is of: "the first floor", and then "the second"."""
        header = frozenset(stems(self.table.columns[condition.column].name)) - TABLE_STOP_STEMS
        ordinals = [number.span for number in self.claim.numbers if is_ordinal(number)]
        named = [span for span in ordinals if header.issuperset(self.claim.stems[span[1] : span[1] + 1])]
        named = [span for span in named if span[1] < len(self.claim.stems)]
        bare = self.claim.before(condition.span, 1) == ("the",) and condition.span[1] == len(self.claim.stems)
        return condition.span in named or (bool(named) and bare)

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
            hedge = hedge_of(self.claim.stems, *number.span) or self._roughness_of(number)
            value = self.links.executor.compute(program.one).value if hedge else None
            if hedge and number.relation is Relation.IS:
                holds = holds_roughly(value, number.value, hedge) if isinstance(value, Quantity) else None
                if holds is not candidate.truth.holds:
                    yield "a rough number"
        for condition in candidate.conditions:
            rough = isinstance(condition.term, Quantity) and hedge_of(self.claim.stems, *condition.span)
            if rough and not candidate.truth.holds and self._may_be_met(candidate, condition, str(rough)):
                yield "a rough number"

    def _degree_faults(self, candidate: ProgramCandidate) -> Iterator[str]:
        """Whether a limit that is to be passed slightly or by far is passed otherwise."""
        number, program = candidate.number, candidate.program
        if number and isinstance(program, Is) and isinstance(number.value, Quantity):
            value = self.links.executor.compute(program.one).value
            if isinstance(value, Quantity) and not self._is_passed_as_said(number.span, number, value, candidate):
                yield "a limit that is passed otherwise"
        rows = [condition.rows for condition in candidate.conditions]
        for condition in candidate.conditions:
            if condition.is_limit and isinstance(condition.term, Quantity):
                stated = StatedNumber(condition.term, condition.span, condition.relation)
                values = [self.table.columns[condition.column].values[row] for row in frozenset.intersection(*rows)]
                known = [value for value in values if isinstance(value, Quantity)]
                if not all(self._is_passed_as_said(condition.span, stated, value, candidate) for value in known):
                    yield "a limit that is passed otherwise"

    def _is_passed_as_said(
        self, span: Span, number: StatedNumber, value: Quantity, candidate: ProgramCandidate
    ) -> bool:
        before = frozenset(self.claim.before(span, _DEGREE_REACH))
        if number.relation is Relation.IS or not candidate.truth.holds or not isinstance(number.value, Quantity):
            return True
        slight = is_slight(value, number.value)
        if before & SLIGHTLY:
            return slight is True
        return slight is not True if before & FAR_BEYOND else True

    def _roughness_of(self, number: StatedNumber) -> str:
        """A word for about, where shares and multiples are in words and not said to be exact: "a third", "doubled"."""
        words = self.claim.stems[slice(*number.span)]
        worded = not any(word[:1].isdigit() for word in words) and not MULTIPLES.keys().isdisjoint(words)
        shared = isinstance(number.value, Quantity) and number.value.unit == "%" and not words[0][:1].isdigit()
        exactly = "exactly" in self.claim.before(number.span, 2)
        return "about" if (worded or shared) and not exactly else ""

    def _may_be_met(self, candidate: ProgramCandidate, rough: CellCondition, hedge: str) -> bool:
        """Whether a row that meets the other conditions may meet a rough one."""
        others = [each.rows for each in candidate.conditions if each is not rough]
        rows = frozenset.intersection(*others) if others else frozenset(range(self.table.height))
        values = [self.table.columns[rough.column].values[row] for row in rows]
        assert isinstance(rough.term, Quantity)
        return any(
            not isinstance(value, Quantity) or holds_roughly(value, rough.term, hedge) is not False for value in values
        )


def _numbered_words(header: str) -> frozenset[str]:
    """The words of a header that a small number follows: the "scope" of "Scope 1"."""
    words = stems(header)
    return frozenset(word for word, number in pairwise(words) if number.isdecimal() and len(number) < _YEAR_DIGITS)
