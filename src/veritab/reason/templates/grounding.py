"""A grounding of a claim: each of its phrases linked to one condition or none, from which templates build programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from veritab.lexicon.numbers import MONTHS
from veritab.quantities import Quantity, dimension, parse_unit
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.parsing.conditions import CellCondition, CellConditions, has_clash, where
from veritab.reason.parsing.derived import source_cells
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.programs.denotations import CellGroups, TruthDenotation
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import All, Except, Not, RowProgram, TruthProgram
from veritab.reason.tables import ColumnType
from veritab.text import Span, stems

_MAX_COLUMNS = 4
_LARGEST_COUNT = 100_000
_EXCEPT = (
    ("instead", "of"),
    ("rather", "than"),
    ("apart", "from"),
    ("other", "than"),
    ("except", "for"),
    ("exception", "of"),
    ("aside", "from"),
)
_EXCEPT_WORDS = frozenset("except beside excluding barring".split())
# Templates that a claim may negate.
_NEGATED = frozenset(
    {
        "lookup", "two lookups", "each", "every", "compare", "compare sum", "difference", "column difference", "ratio",
        "same", "all same", "top", "top value", "among top", "count", "share", "sum",
    }
)  # fmt: skip


@dataclass(frozen=True)
class ProgramCandidate:
    """A program the claim may mean, its denotation, and the parts of the claim it covers."""

    program: TruthProgram
    template: str
    conditions: CellConditions
    columns: tuple[int, ...]
    """The columns it computes over or compares in, beyond those of its conditions."""
    number: StatedNumber | None
    truth: TruthDenotation
    detail: str = ""
    """What distinguishes it from others of its template: the direction of a comparison, the aggregation."""


class Grounding:
    """Phrases of a claim with one condition each."""

    def __init__(self, links: EntityLinks, conditions: CellConditions) -> None:
        self.links = links
        self.executor: Executor = links.executor
        self.claim: ParsedClaim = links.claim
        self.cues = links.cues
        self.among = tuple(c for c in conditions[:1] if self._is_among(c, conditions[1:]))
        self.excluded = tuple(c for c in conditions if self._is_excluded(c))
        self.conditions = tuple(c for c in conditions if c not in self.excluded and c not in self.among)

    @cached_property
    def rows(self) -> RowProgram:
        """The rows the claim is about: all of them, or those of a list it begins with, without those it excludes."""
        rows = where(self.among) if self.among else All()
        return Except(rows, where(self.excluded)) if self.excluded else rows

    @cached_property
    def free_numbers(self) -> list[StatedNumber]:
        """The numbers that no condition uses."""
        taken = {place for c in (*self.conditions, *self.excluded, *self.among) for place in range(*c.span)}
        numbers = (number for number in self.claim.numbers if number.span not in self.links.number_links.ignored)
        return [self.links.number_links.scaled(number) for number in numbers if taken.isdisjoint(range(*number.span))]

    @cached_property
    def ordered(self) -> list[int]:
        """The columns with an order that the claim most likely compares in."""
        return [column.number for column in self.links.ordered_columns[:_MAX_COLUMNS]]

    @cached_property
    def lists(self) -> list[CellCondition]:
        """The conditions that are lists of several things."""
        return [condition for condition in self.conditions if condition.others]

    def where(self, conditions: Iterable[CellCondition], rows: RowProgram | None = None) -> RowProgram:
        """The rows that meet all conditions, of those the claim is about."""
        return where(conditions, rows or self.rows)

    def mentioned_columns(self, exclude: Sequence[int] = ()) -> list[int]:
        """The columns the claim mentions, those of the highest weight first."""
        named = sorted(self.links.mentions.values(), key=lambda each: (-each.weight, each.column))
        return [mention.column for mention in named if mention.column not in exclude][:_MAX_COLUMNS]

    def numbers_for(self, column: int) -> list[StatedNumber]:
        """The numbers that may be a value of a column: the free ones, and those of conditions on it."""
        own = [c.span for c in self.conditions if c.column == column]
        spans = {number.span for number in self.free_numbers} | set(own)
        ends = {span for ends in self.claim.ranges for span in ends}
        numbers = [
            self.links.number_links.scaled(number) for number in self.claim.numbers if number.span in spans - ends
        ]
        return [number for number in numbers if self.can_be_value(number, column)]

    def can_be_value(self, number: StatedNumber, column: int) -> bool:
        """Whether a number can be a value of a column, or what two of its values differ by."""
        typed, value = self.links.table.columns[column], number.value
        if not isinstance(value, Quantity) or not value.unit:
            return not (isinstance(value, Quantity) and value.ordinal)
        if typed.type is ColumnType.DATE:
            return dimension(value.unit) == "time"
        if not typed.unit and value.unit == "year" and "age" in stems(typed.name):
            return True
        if not typed.unit:
            measures = {dimension(other.unit) for other in self.links.table.columns if other.unit}
            return _names_unit(typed.name, value.unit) and dimension(value.unit) not in measures
        return dimension(typed.unit) == dimension(value.unit)

    def conditions_beyond(self, column: int) -> CellConditions:
        """The conditions on other columns."""
        return tuple(condition for condition in self.conditions if condition.column != column)

    def build(
        self,
        program: TruthProgram,
        template: str,
        conditions: Iterable[CellCondition] = (),
        columns: tuple[int, ...] = (),
        number: StatedNumber | None = None,
        detail: str = "",
        read: CellGroups = (),
    ) -> Iterator[ProgramCandidate]:
        """The candidate of a program, and of its negation where the claim negates; none where its truth is unknown.

        `read` are cells that a reader needs besides those of the denotation.
        """
        used = (*conditions, *self.excluded, *self.among)
        holds, cells = self.executor.decide(program)
        if holds is None:
            return
        cells = source_cells(self.links.table, (*cells, *read))
        yield ProgramCandidate(program, template, used, columns, number, TruthDenotation(holds, cells), detail)
        if "not" in self.cues and template in _NEGATED:
            yield ProgramCandidate(
                Not(program), f"not {template}", used, columns, number, TruthDenotation(not holds, cells), detail
            )

    def _is_among(self, condition: CellCondition, others: Sequence[CellCondition]) -> bool:
        """Whether a claim begins with the set that the rest is about: "Of diamond, graphite and C60, only ..."."""
        begins = self.claim.stems[: condition.span[0]] in (("of",), ("among",), ("of", "the"), ("among", "the"))
        return begins and bool(condition.others) and any(each.column == condition.column for each in others)

    def _is_excluded(self, condition: CellCondition) -> bool:
        return bool(find_exclusion(self.claim, condition.span))


def find_exclusion(claim: ParsedClaim, span: Span) -> range:
    """The positions of the words that exclude what a phrase names: "apart from the shop", "besides Palermo"."""
    before, end = claim.before(span, 3), span[0]
    if before[-1:] in (("the",), ("a",)):
        before, end = before[:-1], end - 1
    if before[-2:] in _EXCEPT:
        return range(end - 2, end)
    return range(end - 1, end) if before and before[-1] in _EXCEPT_WORDS else range(0)


def _names_unit(header: str, unit: str) -> bool:
    """Whether a header names a unit: 79 years may be under "Years since then", but 76 seconds not under "Athletes".

    Under the name of a month are its days.
    """
    words = stems(header)
    return unit in map(parse_unit, words) or (unit == "day" and not MONTHS.keys().isdisjoint(words))


def split_target(conditions: CellConditions) -> Iterator[tuple[CellConditions, CellCondition]]:
    """Each condition as the target, with the others, or none of them, as filters."""
    for place, target in enumerate(conditions):
        others = (*conditions[:place], *conditions[place + 1 :])
        if not has_clash((*others, target)):
            yield others, target
        if others:
            yield (), target


def as_count(number: StatedNumber) -> int | None:
    """A number as a count, if it can be one."""
    value = number.value
    if isinstance(value, Quantity) and not value.ordinal and not value.unit and value.value == int(value.value):
        return int(value.value) if 0 <= value.value < _LARGEST_COUNT else None
    return None
