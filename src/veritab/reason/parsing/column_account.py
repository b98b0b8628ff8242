"""Which columns a claim names: by words of a header, by a unit, by a comparative, or as no other can be meant."""

from __future__ import annotations

from functools import cached_property

from veritab.lexicon.accounting import KIND_STEMS, PERIOD_END_STEMS, PERIOD_START_STEMS
from veritab.lexicon.comparison import direction, positive_degree
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.quantities import Quantity, dimension, unit_named
from veritab.reason.measurements import without_brackets
from veritab.reason.parsing.claims import StatedNumber
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.parsing.mentions import MEDALS
from veritab.reason.parsing.word_account import ORDERED, WordAccount, orders
from veritab.reason.tables import Column, ColumnType
from veritab.reason.templates.grounding import ProgramCandidate
from veritab.text import stems

_MEASURES = {
    "length": frozenset("long short high low tall deep shallow wide narrow far near".split()),
    "mass": frozenset("heavy light".split()),
    "area": frozenset("large small big".split()),
    "speed": frozenset("fast slow".split()),
}
_SHARING = frozenset({"share of sum", "ratio", "difference"})
"""Templates whose columns a verb may name: "are home to more than half of them"."""
_AMOUNTING = frozenset("high low many few".split())
"""Adjectives of numbers, and not of what has them."""


class ColumnAccount(WordAccount):
    """The columns that the programs of one claim and table may read."""

    def _is_named_better(self, candidate: ProgramCandidate, column: int) -> bool:
        """Whether a claim has all the words of a header that it has of this one, and more: "the second round"."""
        headers = self.links.header_mentions.headers
        taken = {place for c in candidate.conditions for place in range(*c.span)}
        said = {stem for place, stem in enumerate(self.claim.stems) if place not in taken} - TABLE_STOP_STEMS
        own = headers[column] & said
        others = [each for each in self.table.columns if each.number not in candidate.columns]
        whole = self._plain_header(self.table.columns[column]) <= said
        alike = [each for each in others if each.type is self.table.columns[column].type]
        derived = isinstance(self.table.columns[column], DerivedColumn)
        if not whole and not derived and own and any(own == self._plain_header(each) for each in alike):
            return True  # Of orders, and orders from abroad, it is the orders.
        if column in self._assumed:
            return False  # Its year is not said, and so has fewer words than another one.
        return bool(own) and any(
            own < headers[each.number] & said
            for each in others
            if each.type is self.table.columns[column].type and not isinstance(each, DerivedColumn)
        )

    def _is_named(self, candidate: ProgramCandidate, column: int, template: str) -> bool:
        """Whether the claim names what a program compares by: in a word of its header, or by the comparative."""
        typed = self.table.columns[column]
        kinds = self.links.header_mentions.headers[column] & MEDALS
        if kinds and kinds.isdisjoint(self.claim.stems):
            return False  # Medals are not only those of gold.
        if column in self._assumed or column == self.links.header_mentions.whole:
            return True
        if isinstance(typed, DerivedColumn) and typed.start.number == typed.end.number:
            return True  # A period has a length only where the claim asks for one.
        if template == "margin" or (template == "share given" and self._is_only_measure(candidate.number, typed)):
            return True
        if template in ("difference", "time between") and self._is_only_measure(candidate.number, typed):
            return True
        if isinstance(typed, DerivedColumn) and self._is_period(typed):
            return True
        if self._is_said_whole(candidate, typed, template):
            return True
        if isinstance(typed, DerivedColumn):
            return all(self._is_named(candidate, end.number, template) for end in (typed.start, typed.end))
        mention = self.links.mentions.get(column)
        units = frozenset(stems(typed.name)) - frozenset(stems(without_brackets(typed.name)))
        if typed.unit and [each.unit for each in self.table.columns].count(typed.unit) == 1 and template != "mean":
            units = frozenset()
        said = [self.claim.stems[place] for place in mention.words] if mention else []
        if template in _SHARING or template in ("top", "mean", "sum", "stretch", "compare rest"):
            said += [self.claim.stems[place] for place in self._header_places(column)]
        said = [stem for stem in said if stem not in units]  # A unit does not name what it measures.
        if any(stem not in self._topic or orders(stem) for stem in said):
            return True
        leading = self._leading_direction(candidate) if template in ORDERED else None
        header = stems(without_brackets(typed.name))
        counted = leading is not None and self.claim.stems[leading] in ("most", "more", "fewest", "fewer")
        if (
            counted
            and leading is not None
            and header
            and self.claim.stems[leading + 1 : leading + 1 + len(header)] == header
        ):
            return True  # The most earthquakes, in a section on earthquakes.
        if typed.type is ColumnType.DATE and template in ORDERED:
            leading = self._leading_direction(candidate)
            return leading is not None and bool(direction(self.claim.stems[leading], "date"))
        return leading is not None and self._is_measured(typed, self.claim.stems[leading])

    def _is_only_measure(self, number: StatedNumber | None, column: Column) -> bool:
        """Whether a number has a unit that only this column can have: "200 grams more"."""
        unit = number.value.unit if number and isinstance(number.value, Quantity) else ""
        dates = [each.number for each in self.table.columns if each.type is ColumnType.DATE]
        if dimension(unit) == "time" and dates == [column.number]:
            return not any(each.unit and dimension(each.unit) == "time" for each in self.table.columns)
        measured = [each.number for each in self.table.columns if each.unit and dimension(each.unit) == dimension(unit)]
        # Money is paid for many things.
        return bool(unit) and measured == [column.number] and not dimension(unit).startswith("money")

    @cached_property
    def _assumed(self) -> frozenset[int]:
        """The columns of the years that a claim compares without naming them."""
        derived = [each for each in self.table.columns if isinstance(each, DerivedColumn) and each.assumed]
        return frozenset(end.number for each in derived for end in (each.start, each.end))

    def _is_measured(self, column: Column, word: str) -> bool:
        """Whether a column that only its unit names measures what a comparative asks for: "km", "longer"."""
        return positive_degree(word) in _MEASURES.get(dimension(unit_named(column.name.strip())), frozenset())

    def _plain_header(self, column: Column) -> frozenset[str]:
        return frozenset(stems(without_brackets(column.name))) - TABLE_STOP_STEMS

    def _is_period(self, column: DerivedColumn) -> bool:
        """Whether two headers say from when to when and nothing else, so that whatever lasts, lasts that long."""
        if not column.lasts or [each for each in self.table.columns if _lasts(each) and each is not column]:
            return False
        start, end = (frozenset(stems(each.name)) for each in (column.start, column.end))
        shared = (start & end) | TABLE_STOP_STEMS
        return start - shared <= PERIOD_START_STEMS and end - shared <= PERIOD_END_STEMS and start != end

    def _is_said_whole(self, candidate: ProgramCandidate, column: Column, template: str) -> bool:
        """Whether a claim has all the words of a header, though they are words of the title too: "population"."""
        header = frozenset(stems(without_brackets(column.name))) - TABLE_STOP_STEMS
        taken = {place for c in candidate.conditions for place in range(*c.span)}
        said = frozenset(stem for place, stem in enumerate(self.claim.stems) if place not in taken)
        leading = self._leading_direction(candidate) if template in ORDERED else None
        if leading is not None:
            # The lowest height is one of the heights; the strongest earthquake is none of their numbers.
            following = self.claim.stems[leading + 1 : leading + 2]
            said = said if positive_degree(self.claim.stems[leading]) in _AMOUNTING else frozenset()
            said = said if following and following[0] in header else frozenset()
        return bool(header) and header <= said and not header <= KIND_STEMS and not isinstance(column, DerivedColumn)


def _lasts(column: Column) -> bool:
    return isinstance(column, DerivedColumn) and column.lasts
