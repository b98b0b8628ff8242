"""Entity linking: which phrases of a claim name a column, and which match cells.

A phrase may mean cells of several columns ("3" is in many), so that each phrase becomes a slot with the conditions it
may mean, most probable first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from veritab.lexicon.accounting import KIND_STEMS
from veritab.lexicon.comparison import FELL, ROSE, direction, is_comparative
from veritab.lexicon.grammar import TABLE_STOP_STEMS, WITHOUT
from veritab.quantities import Date, Quantity, Range
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.parsing.conditions import CellCondition, Slot, is_within, make_condition, rank_conditions
from veritab.reason.parsing.cues import find_cues
from veritab.reason.parsing.derived import DerivedColumn, add_derived_columns, went, year_before
from veritab.reason.parsing.mentions import ColumnMention, HeaderMentions
from veritab.reason.parsing.number_links import NumberLinks
from veritab.reason.parsing.phrase_links import link_phrases
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import Relation
from veritab.reason.tables import CellValue, Column, ColumnType, TypedTable
from veritab.text import Span, stems

_MAX_SLOTS = 10
_YES = frozenset("yes y true ✓ ✔ ☑ √ ● • x".split())
_NONE = frozenset({("no",), ("none",), ("not",)})
_MIN_MENTION = 0.4
_COMPARED_REACH = 6


class EntityLinks:
    """The links between a claim and a table."""

    def __init__(self, claim: ParsedClaim, executor: Executor) -> None:
        self.claim = claim
        self.executor = executor
        self.table = executor.table
        self.header_mentions = HeaderMentions(claim, executor.table)
        self.number_links = NumberLinks(self.header_mentions, executor)

    @classmethod
    def of(cls, claim: ParsedClaim, table: TypedTable) -> EntityLinks:
        """The links of a claim with a table and its derived columns."""
        return cls(claim, Executor(add_derived_columns(table, claim)))

    @property
    def mentions(self) -> Mapping[int, ColumnMention]:
        """The columns that the claim names."""
        return self.header_mentions.by_column

    @cached_property
    def cues(self) -> frozenset[str]:
        """The cues of the claim, except for words that name columns or cells: "greatest depth", "Broad Peak"."""
        tokens = self.claim.stems
        named = set(self.header_mentions.header_superlatives)
        whole = [
            slot.span for slot in self.slots if _is_full_match(slot.conditions) and slot.span[1] - slot.span[0] > 1
        ]
        named.update(place for span in whole for place in range(*span))
        if not named:
            return self.claim.cues
        return find_cues([stem for place, stem in enumerate(tokens) if place not in named])

    @cached_property
    def ordered_columns(self) -> tuple[Column, ...]:
        """Columns with an order, those that the claim names first."""
        readable = [column for column in self.table.columns if column.readable > 0.5]
        measured = [column for column in readable if column.type in (ColumnType.NUMBER, ColumnType.DATE)]
        ordered = [*measured, *(column for column in readable if self._holds_values(column))]
        ordered = [c for c in ordered if any(key is not None for key in self.executor.keys(c.number))]
        return tuple(sorted(ordered, key=lambda c: (-self.header_mentions.weight(c.number), c.number)))

    def _holds_values(self, column: Column) -> bool:
        """Whether a column of texts holds values with remarks; the year of "1896 Summer Olympics" is part of a name."""
        if column.type is not ColumnType.TEXT or column.number == self.table.key:
            return False
        known = [(value, text) for value, text in zip(column.values, column.texts, strict=True) if value is not None]
        spoken = sum(_is_mostly(value, text) for value, text in known)
        return spoken * 2 > len(known)

    # -- all rows

    @cached_property
    def whole_set(self) -> frozenset[int]:
        """The positions of what describes all rows, between their number and their kind: "the ten largest cities"."""
        found: set[int] = set()
        known = KIND_STEMS | self.header_mentions.title_words - TABLE_STOP_STEMS
        if self.table.key is not None:
            known |= frozenset(stems(self.table.columns[self.table.key].name))
        for number in self.claim.numbers:
            value = number.value
            sized = isinstance(value, Quantity) and value.value == self.table.height
            if sized and number.span in self.number_links.ignored:
                found.update(self._described(number.span[1], known))
        return frozenset(found)

    def _described(self, start: int, known: frozenset[str]) -> Sequence[int]:
        """The positions up to the first noun of a known kind, a plural rather than one that only qualifies it."""
        phrase = list(self.claim.noun_phrase(start))
        kinds = [place for place in phrase if self.claim.stems[place] in known]
        heads = [place for place in kinds if self.claim.is_plural(place)] or kinds
        return range(start, heads[0] + 1) if heads else ()

    # -- phrases

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The phrases that match cells, in the order of the claim."""
        ignored = self.number_links.ignored
        numbers = {stated.span: stated for stated in self.claim.numbers if stated.span not in ignored}
        by_span: dict[Span, list[CellCondition]] = defaultdict(list)
        for found in link_phrases(self.header_mentions, self.executor):
            if self.whole_set.issuperset(range(*found.span)):
                continue
            if not _belongs_to_number(found, numbers) and found.span not in ignored:
                by_span[found.span].append(found)
        for span in self._whole_table(by_span):
            del by_span[span]
        for span, stated in numbers.items():
            if not any(is_within(span, other) and other != span for other in by_span if _is_full_match(by_span[other])):
                by_span[span] += self.number_links.conditions(stated)
        for found in (*self._yes_no_conditions(), *self._column_comparisons()):
            by_span[found.span].append(found)
        slots = [
            Slot(span, tuple(rank_conditions(conditions)), numbers.get(span))
            for span, conditions in by_span.items()
            if conditions or span in numbers
        ]
        strongest = sorted(slots, key=lambda slot: (-_strength(slot), slot.span))[:_MAX_SLOTS]
        return tuple(sorted(strongest, key=lambda slot: slot.span))

    def _whole_table(self, by_span: Mapping[Span, Sequence[CellCondition]]) -> list[Span]:
        """The phrases of "from Nabucco to Falstaff" where these are the first row and the last."""
        stems, end = self.claim.stems, self.table.height - 1
        for one in _spans_naming(by_span, 0):
            for other in _spans_naming(by_span, end):
                if stems[one[0] - 1 : one[0]] == ("from",) and stems[one[1] : other[0]] == ("to",):
                    return [one, other]
        return []

    def _condition(
        self, span: Span, column: int, relation: Relation, term: str | Quantity, weight: float
    ) -> CellCondition:
        return make_condition(self.header_mentions, self.executor, span, column, relation, term, weight)

    # -- columns of yes and no, and columns compared with each other

    def _yes_no_conditions(self) -> Iterator[CellCondition]:
        """Conditions on columns of yes and no that the claim names, and on columns of which it denies a value."""
        for column in self.table.columns:
            mention = self.mentions.get(column.number)
            if not mention or mention.weight < _MIN_MENTION or isinstance(column, DerivedColumn):
                continue
            span = (min(mention.words), max(mention.words) + 1)
            denied = self._denied(span, mention)
            if column.type is ColumnType.MARK:
                yes = next((text for text in dict.fromkeys(column.texts) if text.casefold() in _YES), None)
                if yes:
                    yield self._condition(span, column.number, Relation.IS, yes, 0.5)
            elif denied and column.type is ColumnType.NUMBER:
                yield self._condition(denied, column.number, Relation.IS, Quantity(0.0, column.unit, step=0.0), 0.75)
            elif column.type is not ColumnType.NUMBER:
                none = next((text for text in dict.fromkeys(column.texts) if stems(text)[:1] in _NONE), None)
                if none:
                    yield self._condition(span, column.number, Relation.IS if denied else Relation.IS_NOT, none, 0.3)

    def _denied(self, span: Span, mention: ColumnMention) -> Span | None:
        """The words of "no known moons", where the column is named by its own words and side by side."""
        if span[1] - span[0] > len(mention.words) + 1 or not mention.exact:
            return None
        before = range(max(span[0] - 2, 0), span[0])
        return next(((place, span[1]) for place in before if self.claim.stems[place] in WITHOUT), None)

    def _column_comparisons(self) -> Iterator[CellCondition]:
        """Rows with more in one column than in another: "more silver than gold", "gained inhabitants"."""
        for column in self.table.columns:
            if not isinstance(column, DerivedColumn) or column.lasts:
                continue
            for place, stem in enumerate(self.claim.stems):
                up = self._direction(column, place, stem)
                if up:
                    relation = Relation.ABOVE if up > 0 else Relation.BELOW
                    zero = Quantity(0.0, column.unit, step=0.0)
                    yield self._condition((place, place + 1), column.number, relation, zero, 0.5)

    def _direction(self, column: DerivedColumn, place: int, stem: str) -> int:
        """1 where the claim has more in the second column of the two, -1 where less, else 0."""
        if stem in ROSE or stem in FELL:
            return 1 if stem in ROSE else -1
        if way := went(self.claim).get(place, 0):
            return way
        if column.assumed and is_comparative(stem) and place < (before := year_before(self.claim)).start:
            return direction(stem, "number") if before.start - place <= _COMPARED_REACH else 0
        if not is_comparative(stem) or "than" not in self.claim.stems[place:]:
            return 0
        than = self.claim.stems.index("than", place)
        first = self.header_mentions.own_position(column.start, column.end)
        second = self.header_mentions.own_position(column.end, column.start)
        if first is None or second is None or (first > than) == (second > than):
            return 0
        return direction(stem, "number") * (1 if first > than else -1)


def _is_mostly(value: CellValue, text: str) -> bool:
    """Whether a value makes up at least half of its text."""
    start, end = value.span if isinstance(value, Quantity | Date | Range) else (0, 0)
    return (end - start) * 2 >= len(text)


def _spans_naming(by_span: Mapping[Span, Sequence[CellCondition]], row: int) -> list[Span]:
    """The phrases that name one row and no other."""
    return [span for span, found in by_span.items() if any(each.rows == {row} for each in found)]


def _belongs_to_number(found: CellCondition, numbers: Mapping[Span, StatedNumber]) -> bool:
    """Whether a match with a cell is only part of a limit or a date: the "May" of "May 1914"."""
    limit = numbers.get(found.span)
    if limit and limit.relation is not Relation.IS:
        return True
    dates = (span for span, stated in numbers.items() if isinstance(stated.value, Date) and stated.value.month)
    return found.weight < 0.99 and any(is_within(found.span, span) for span in dates)


def _strength(slot: Slot) -> float:
    best = max((each.likelihood for each in slot.conditions), default=0.0)
    return best + 0.2 * (slot.span[1] - slot.span[0]) + (0.5 if slot.number else 0)


def _is_full_match(conditions: Iterable[CellCondition]) -> bool:
    return any(each.weight > 0.7 for each in conditions)
