"""Number linking: which columns the numbers and dates of a claim may be about, and which only repeat the topic."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from veritab.lexicon.comparison import FELL
from veritab.lexicon.grammar import BEFORE_GROUP_SIZES
from veritab.lexicon.numbers import SCALES
from veritab.quantities import Date, Quantity, bare_year, dimension, unit_named
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.parsing.conditions import CellCondition, make_condition
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.parsing.mentions import HeaderMentions
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import Relation
from veritab.reason.tables import Column, ColumnType
from veritab.text import Span, stems

_MEASURED = frozenset({ColumnType.NUMBER, ColumnType.DATE})
_REVERSED = {
    Relation.ABOVE: Relation.BELOW,
    Relation.BELOW: Relation.ABOVE,
    Relation.AT_LEAST: Relation.AT_MOST,
    Relation.AT_MOST: Relation.AT_LEAST,
}
_BEFORE_SIZES = frozenset((word,) for word in BEFORE_GROUP_SIZES)
_AFTER_COUNTS = frozenset(((), ("and",), ("or",), ("to",), ("of",), ("time",)))
_BEFORE_YEARS = frozenset("in since from by before after until till of and to between during year the at".split())
_YEARS = (500, 2100)
_SCALE = re.compile(r"\b(?:in|\() ?(thousand|million|billion)s?\b", re.IGNORECASE)
_MAX_CAPTION = 400
# The weight of a number that agrees with a cell, and of one that does so only with another relation than the claim's.
_AGREES, _AGREES_OTHERWISE = 0.5, 0.2
_NEAR = 0.2
_LONG_RUN = 3


class NumberLinks:
    """Links the numbers and dates of a claim to the columns of a table."""

    def __init__(self, mentions: HeaderMentions, executor: Executor) -> None:
        self.mentions = mentions
        self.executor = executor
        self.claim = mentions.claim
        self.table = executor.table

    # -- numbers that only repeat the topic

    @cached_property
    def ignored(self) -> frozenset[Span]:
        """The spans of numbers that only repeat the topic: those of the title, and the number of rows."""
        numbers = self.claim.numbers
        return frozenset(n.span for n in numbers if self._is_row_count(n) or self._in_title(n) or self._in_header(n))

    def _is_row_count(self, stated: StatedNumber) -> bool:
        """Whether a number is the number of rows: "the eight landers", "of ten districts", "the other three"."""
        value = stated.value
        if not isinstance(value, Quantity) or value.ordinal or stated.relation is not Relation.IS:
            return False
        if value.unit and (value.value != self.table.height or value.unit != unit_named(self.table.columns[0].name)):
            return False
        if value.unit:
            return self.claim.before(stated.span, 1) in _BEFORE_SIZES  # Ten weeks, where each row is a week.
        before, after = self.claim.before(stated.span, 1), self.claim.stems[stated.span[1] : stated.span[1] + 1]
        if before == ("other",):
            return True
        return value.value == self.table.height > 1 and before[:1] in _BEFORE_SIZES and after not in _AFTER_COUNTS

    def _in_title(self, stated: StatedNumber) -> bool:
        """Whether a number only repeats the title: the 1958 of a season's table without years."""
        said = self.claim.stems[slice(*stated.span)]
        if not isinstance(stated.value, Date):
            said = (*said, *self.claim.stems[stated.span[1] : stated.span[1] + 1])  # "800 lumens"
        found = (each for each in self.conditions(stated) if 0 < len(each.rows) < self.table.height)
        return self.mentions.title_words.issuperset(said) and not any(found)

    def _in_header(self, stated: StatedNumber) -> bool:
        """Whether a number is a word of a header, and of no cell: the 1990 of "Population 1990"."""
        said = self.claim.stems[slice(*stated.span)]
        runs = (run for run in self.mentions.header_runs if run[1] - run[0] >= _LONG_RUN)
        if any(run[0] <= stated.span[0] and stated.span[1] <= run[1] for run in runs):
            return True  # "Seen within 18 weeks" is a header, whatever else takes weeks.
        return self.mentions.header_words.issuperset(said) and not any(each.rows for each in self.conditions(stated))

    # -- numbers as the table writes them

    @cached_property
    def _scale(self) -> float:
        """The scale of the table's numbers, where its caption has one."""
        found = _SCALE.search(self.table.caption[:_MAX_CAPTION])
        if any(column.scale != 1 for column in self.table.columns if not isinstance(column, DerivedColumn)):
            return 1.0  # Where headers say so too, cells have been read by them.
        return SCALES[found[1].lower()] if found else 1.0

    def scaled(self, stated: StatedNumber) -> StatedNumber:
        """A number of the claim as the table would write it: 165 for 165,000 in a table of thousands."""
        value = stated.value
        if self._scale == 1 or not isinstance(value, Quantity) or value.unit or value.ordinal:
            return stated
        if value.value < self._scale:
            return stated
        return replace(stated, value=replace(value, value=value.value / self._scale, step=value.step / self._scale))

    # -- numbers as conditions on columns

    def conditions(self, stated: StatedNumber) -> Iterator[CellCondition]:
        """The conditions of a number on columns whose cells agree with it, and on those named beside it."""
        number = self.scaled(stated)
        said = self.claim.stems[slice(*number.span)]
        if said == ("one",) or number.span[0] in self.mentions.header_superlatives:
            return  # "One" is hardly ever the value of a cell, and the "first" of a header never.
        # The 1990 of "Population 1990" does not count people, and only ranks are 3rd.
        nowhere = self.mentions.header_words.issuperset(said) or _is_ordinal(number)
        for column in self.table.columns:
            if not self._comparable(column, number) or not (column.type in _MEASURED or column.readable > 0.5):
                continue
            measured = _same_measure(column, number)
            for relation in self._relations(number):
                found = self._about(column, number, relation)
                agrees = _AGREES if relation is number.relation else _AGREES_OTHERWISE
                weight = agrees if found.rows and not found.is_limit else 0.0
                dated = isinstance(number.value, Date) and column.type is ColumnType.DATE
                aged = is_age(self.claim, number.span, column)
                likely = not nowhere and (found.proximity > _NEAR or measured or dated or aged)
                if weight or (likely and relation is number.relation):
                    yield replace(found, weight=weight, measured=measured)

    def _relations(self, number: StatedNumber) -> list[Relation]:
        """The relations a number may have; the years between which something grew are also plain years."""
        relations = {number.relation}
        if isinstance(number.value, Date) and self.claim.cues & {"rise", "fall", "twice"}:
            relations.add(Relation.IS)
        return sorted(relations)

    def _about(self, column: Column, number: StatedNumber, relation: Relation) -> CellCondition:
        """The condition of a number on a column; a loss is a negative change."""
        term = number.value
        changes = isinstance(column, DerivedColumn) and not column.lasts
        if changes and isinstance(term, Quantity) and not FELL.isdisjoint(self.claim.before(number.span, 4)):
            term, relation = replace(term, value=-term.value), _REVERSED.get(relation, relation)
        return make_condition(self.mentions, self.executor, number.span, column.number, relation, term, 0.0)

    def _comparable(self, column: Column, stated: StatedNumber) -> bool:
        """Whether a number can be about a column at all."""
        value = stated.value
        if isinstance(value, Date):
            if isinstance(column, DerivedColumn):
                return False
            if column.type is ColumnType.NUMBER:
                return bare_year(value) is not None and (not self._is_dated(stated) or self.has_years(column))
            return True
        if column.type is ColumnType.DATE:
            return not value.unit and not value.ordinal and stated.relation is Relation.IS
        return not (value.unit and column.unit) or dimension(value.unit) == dimension(column.unit)

    def _is_dated(self, stated: StatedNumber) -> bool:
        """Whether a bare year is used as one: "in 1948", "the Games of 2000"."""
        return (self.claim.before(stated.span, 1) or ("",))[0] in _BEFORE_YEARS

    def has_years(self, column: Column) -> bool:
        """Whether the numbers of a column may be years."""
        known = [key for key in self.executor.keys(column.number) if key is not None]
        return not column.unit and bool(known) and _YEARS[0] <= min(known) and max(known) <= _YEARS[1]


def is_age(claim: ParsedClaim, span: Span, column: Column) -> bool:
    """Whether a number is an age without a word for it: "was 36 when she ran", "were over 30"."""
    if stems(column.name) != ("age",):
        return False
    before, after = claim.before(span, 2), claim.stems[span[1] : span[1] + 1]
    if before[-1:] in (("was",), ("wa",), ("aged",)) and after in (("when",), ("year",)):
        return True
    limits = before[-1:] in (("over",), ("under",)) and before[:1] in (("is",), ("was",), ("wa",), ("are",), ("were",))
    return limits or before in (("older", "than"), ("younger", "than"))


def _same_measure(column: Column, stated: StatedNumber) -> bool:
    value = stated.value
    if not isinstance(value, Quantity) or not value.unit or not column.unit:
        return False
    return dimension(value.unit) == dimension(column.unit)


def _is_ordinal(stated: StatedNumber) -> bool:
    return isinstance(stated.value, Quantity) and stated.value.ordinal
