"""Claims meet a table: which phrases name a column, and which are answered by cells.

A phrase may mean cells of several columns ("3" stands in many), so what is found is a list of slots, one for each
phrase, with the conditions it may stand for, the likeliest first.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from veritab.quantities import Date, Quantity, bare_year, dimension
from veritab.reason.claims import Asked, Span, Stated
from veritab.reason.conditions import Condition, Slot, likeliest
from veritab.reason.derived import DerivedColumn, widened
from veritab.reason.lexicon import forms, is_comparative, is_superlative, points
from veritab.reason.machine import Machine
from veritab.reason.programs import All, Relation, Where
from veritab.reason.signs import signs
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.reason.values import Term
from veritab.reason.words import EMPTY, OUTCOME_CELLS, OUTCOMES, kin, root, stems

__all__ = ["Condition", "Links", "Mention", "Slot"]

_MOST_SLOTS = 10
# Cells are short; what a long one is about stands at its beginning.
_LONGEST_CELL = 40
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_BEFORE_SIZES = frozenset((word,) for word in "the of all s its his her their these those among".split())
_AFTER_COUNTS = frozenset(((), ("and",), ("or",), ("to",), ("of",), ("time",)))
_BEFORE_YEARS = frozenset("in since from by before after until till of and to between during year the at".split())
_YEARS = (500, 2100)
_YES = frozenset("yes y true ✓ ✔ ☑ √ ● • x".split())
_WITHOUT = frozenset("no not without outside non none never lack lacked neither".split())
_RISING = frozenset("gained gain grew rose increased increase grown risen".split())
_FALLING = frozenset("lost lose fell shrank decreased decrease declined dropped fallen".split())
_SCALE = re.compile(r"\b(?:in|\() ?(thousand|million|billion)s?\b", re.IGNORECASE)
_SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9}


@dataclass(frozen=True)
class Mention:
    """A column that a claim names: how fully, and with which words."""

    column: int
    weight: float
    words: frozenset[int]
    exact: frozenset[int] = frozenset()
    """Those of the words that the header has as they are."""


class Links:
    """Everything that connects a claim with a table."""

    def __init__(self, asked: Asked, machine: Machine) -> None:
        self.asked = asked
        self.machine = machine
        self.table = machine.table

    @cached_property
    def signs(self) -> frozenset[str]:
        """What the claim asks for, those words aside that name columns or cells: "greatest depth", "Broad Peak"."""
        stems = self.asked.stems
        said = frozenset(map(root, stems)) - EMPTY
        named = {
            place
            for place, stem in enumerate(stems)
            if is_superlative(stem)
            and any(stem in header and said & (set(map(root, header)) - {stem}) for header in self.headers.values())
        }
        whole = [slot.span for slot in self.slots if _full(slot.conditions) and slot.span[1] - slot.span[0] > 1]
        named.update(place for span in whole for place in range(*span))
        return signs([stem for place, stem in enumerate(stems) if place not in named]) if named else self.asked.signs

    @classmethod
    def of(cls, asked: Asked, table: TypedTable) -> Links:
        """The links of a claim with a table and with what can be worked out from its columns."""
        return cls(asked, Machine(widened(table, asked)))

    # -- columns

    @cached_property
    def mentions(self) -> Mapping[int, Mention]:
        """The columns that the claim names by a word of their header or one akin to it."""
        found = {}
        for column in self.table.columns:
            mention = self._mention(column)
            if mention:
                found[column.number] = mention
        for column in self.table.columns:
            if isinstance(column, DerivedColumn):
                found[column.number] = self._derived_mention(column, found)
        return found

    def _mention(self, column: Column) -> Mention | None:
        if not column.header or isinstance(column, DerivedColumn):
            return None
        rarity = self._header_rarity
        bracketed = _bracketed(column.name)
        said = {stem: self._said(stem) for stem in dict.fromkeys(stems(column.name)[:_LONGEST_CELL]) if stem in rarity}
        aside = bracketed | self.title_words
        worth = {stem: rarity[stem] * (0.3 if stem in aside else 1.0) for stem in said}
        weight = sum(worth[stem] * share for stem, (_, share) in said.items())
        if not weight:
            return None
        places = frozenset(place for found_at, _ in said.values() for place in found_at)
        exact = frozenset(place for found_at, share in said.values() if share == 1 for place in found_at)
        return Mention(column.number, weight / sum(worth.values()), places, exact)

    @staticmethod
    def _derived_mention(column: DerivedColumn, found: Mapping[int, Mention]) -> Mention:
        ends = [found[end.number] for end in (column.start, column.end) if end.number in found]
        words = frozenset(place for end in ends for place in end.words)
        return Mention(column.number, 0.3 + 0.35 * sum(end.weight for end in ends), words)

    def _said(self, stem: str) -> tuple[tuple[int, ...], float]:
        """Where the claim says a word, and how surely: one of the same root counts less, one akin to it still less."""
        exact = self._places.get(stem)
        if exact:
            return exact, 1.0
        related = self._forms.get(stem) or self._forms.get(root(stem))
        if related:
            return tuple(related), 0.9
        akin = tuple(dict.fromkeys(place for other in kin(stem) for place in self._forms.get(other, ())))
        return akin, 0.6 if akin else 0.0

    @cached_property
    def _places(self) -> Mapping[str, tuple[int, ...]]:
        places: dict[str, tuple[int, ...]] = {}
        for place, stem in enumerate(self.asked.stems):
            places[stem] = (*places.get(stem, ()), place)
        return places

    @cached_property
    def _forms(self) -> Mapping[str, tuple[int, ...]]:
        """Where the claim says a word in any form: "taller" is also "tall"."""
        places: dict[str, tuple[int, ...]] = {}
        for place, stem in enumerate(self.asked.stems):
            for form in forms(stem):
                places[form] = (*places.get(form, ()), place)
        return places

    @cached_property
    def _header_rarity(self) -> Mapping[str, float]:
        """What each word of the headers is worth: those of many headers tell little about one."""
        in_headers: dict[str, int] = defaultdict(int)
        for column in self.table.columns:
            if column.header and not isinstance(column, DerivedColumn):
                for stem in set(stems(column.name)[:_LONGEST_CELL]):
                    in_headers[stem] += 1
        return {stem: 1 / count for stem, count in in_headers.items() if stem not in EMPTY or len(in_headers) < 3}

    @cached_property
    def joining(self) -> Mapping[int, frozenset[str]]:
        """For each column the words that may stand between two members of a list: its header's, and the title's."""
        return {column: header | self.title_words for column, header in self.headers.items()}

    @cached_property
    def headers(self) -> Mapping[int, frozenset[str]]:
        """The words of each header."""
        return {column.number: frozenset(stems(column.name)[:_LONGEST_CELL]) for column in self.table.columns}

    @cached_property
    def _header_runs(self) -> list[Span]:
        """Where the claim says two or more words of a header one after the other."""
        claim, runs = self.asked.stems, []
        for column in self.table.columns:
            header = stems(column.name)[:_LONGEST_CELL]
            for start, stem in enumerate(header):
                for place in self._places.get(stem, ()):
                    size = 1
                    while header[start + size : start + size + 1] == claim[place + size : place + size + 1] != ():
                        size += 1
                    if size > 2 or (size == 2 and EMPTY.isdisjoint(claim[place : place + 2])):
                        runs.append((place, place + size))
        return runs

    @cached_property
    def _header_words(self) -> frozenset[str]:
        return frozenset(stem for column in self.table.columns for stem in stems(column.name)[:_LONGEST_CELL])

    @cached_property
    def _named(self) -> frozenset[str]:
        """Words of headers, and words that name nothing."""
        return frozenset(self._header_rarity) | EMPTY

    def nearness(self, column: int, span: Span) -> float:
        """How close to a phrase the claim names a column: 1 right beside it, 0 when it does not."""
        mention = self.mentions.get(column)
        if not mention:
            return 0.0
        gaps = [max(span[0] - place - 1, place - span[1], 0) for place in mention.words if not _inside(place, span)]
        return mention.weight * max(1 - min(gaps) / 8, 0.15) if gaps else 0.0

    @cached_property
    def ordered_columns(self) -> tuple[Column, ...]:
        """Columns whose cells have an order, those that the claim names first."""
        ordered = [c for c in self.table.columns if c.type in (ColumnType.NUMBER, ColumnType.DATE) and c.readable > 0.5]
        ordered += [
            c for c in self.table.columns if c.type is ColumnType.TEXT and c.readable > 0.5 and c not in ordered
        ]
        ordered = [c for c in ordered if any(key is not None for key in self.machine.keys(c.number))]
        return tuple(sorted(ordered, key=lambda c: (-self.mention_weight(c.number), c.number)))

    def mention_weight(self, column: int) -> float:
        mention = self.mentions.get(column)
        return mention.weight if mention else 0.0

    # -- phrases

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """The phrases that cells answer to, in the order of the claim."""
        by_span: dict[Span, list[Condition]] = defaultdict(list)
        numbers = {stated.span: stated for stated in self.asked.numbers if stated.span not in self.aside}
        for condition in _without_swallowed([*self._worded(), *self._outcomes()]):
            if not _is_told_better(condition, numbers) and condition.span not in self.aside:
                by_span[condition.span].append(condition)
        for span in self._whole_table(by_span):
            del by_span[span]
        for span, stated in numbers.items():
            if not any(_within(span, other) and other != span for other in by_span if _full(by_span[other])):
                by_span[span] += self._numbered(stated)
        for condition in (*self._marked(), *self._compared_columns()):
            by_span[condition.span].append(condition)
        slots = [
            Slot(span, tuple(likeliest(conditions)), numbers.get(span))
            for span, conditions in by_span.items()
            if conditions or span in numbers
        ]
        strongest = sorted(slots, key=lambda slot: (-_strength(slot), slot.span))[:_MOST_SLOTS]
        return tuple(sorted(strongest, key=lambda slot: slot.span))

    @cached_property
    def title_words(self) -> frozenset[str]:
        """The words of the title, the caption and the sections: a claim repeats them to say what it is about."""
        texts = (self.table.title, self.table.caption, *self.table.sections)
        return frozenset(stem for text in texts for stem in stems(text[:400]))

    def _in_title(self, stated: Stated) -> bool:
        """Whether a number only repeats what the table is about: the 1958 of a season's table without years."""
        said = self.asked.stems[slice(*stated.span)]
        if not isinstance(stated.value, Date):
            said = (*said, *self.asked.stems[stated.span[1] : stated.span[1] + 1])  # "800 lumens"
        found = (condition for condition in self._numbered(stated) if 0 < len(condition.rows) < self.table.height)
        return self.title_words.issuperset(said) and not any(found)

    def _in_header(self, stated: Stated) -> bool:
        """Whether a number is a word of a header, and of no cell: the 1990 of "Population 1990"."""
        said = self.asked.stems[slice(*stated.span)]
        return self._header_words.issuperset(said) and not any(c.rows for c in self._numbered(stated))

    @cached_property
    def aside(self) -> frozenset[Span]:
        """Where numbers stand that only say what the table is about: those of its title, and how many rows it has."""
        numbers = self.asked.numbers
        return frozenset(n.span for n in numbers if self._is_size(n) or self._in_title(n) or self._in_header(n))

    def _is_size(self, stated: Stated) -> bool:
        """Whether a number says how many there are: "the eight landers", "of ten districts", "the other three"."""
        value = stated.value
        if not isinstance(value, Quantity) or value.unit or value.ordinal or stated.relation is not Relation.IS:
            return False
        before, after = self.asked.before(stated.span, 1), self.asked.stems[stated.span[1] : stated.span[1] + 1]
        if before == ("other",):
            return True
        return value.value == self.table.height > 1 and before[:1] in _BEFORE_SIZES and after not in _AFTER_COUNTS

    def _whole_table(self, by_span: Mapping[Span, Sequence[Condition]]) -> list[Span]:
        """The phrases of "from Nabucco to Falstaff" where these are the first row and the last."""
        first = [span for span, found in by_span.items() if any(0 in c.rows and len(c.rows) == 1 for c in found)]
        end = self.table.height - 1
        last = [span for span, found in by_span.items() if any(end in c.rows and len(c.rows) == 1 for c in found)]
        stems = self.asked.stems
        for one in first:
            for other in last:
                if stems[one[0] - 1 : one[0]] == ("from",) and stems[one[1] : other[0]] == ("to",):
                    return [one, other]
        return []

    def _worded(self) -> Iterator[Condition]:
        """Phrases that say the words of a cell, or part of them."""
        said = frozenset(self._places) - EMPTY
        for column in self.table.columns:
            if isinstance(column, DerivedColumn):
                continue
            best: dict[Span, list[tuple[float, str]]] = defaultdict(list)
            for text in dict.fromkeys(column.texts):
                cell = stems(text[:400])[:_LONGEST_CELL]
                if said.isdisjoint(cell) or (len(cell) == 1 and column.type is ColumnType.NUMBER):
                    continue
                for span, weight in self._runs(cell):
                    best[span].append((weight, text))
            for span, matched in best.items():
                yield from self._conditions(column, span, matched)

    def _runs(self, cell: Sequence[str]) -> Iterator[tuple[Span, float]]:
        """The longest run of the cell's words in the claim, and what share of the cell it says."""
        claim = self.asked.stems
        content = sum(map(_substance, cell))
        runs: dict[Span, float] = {}
        for start, stem in enumerate(cell):
            for place in self._places.get(stem, ()):
                if start and place and cell[start - 1] == claim[place - 1]:
                    continue  # The run began a word earlier.
                size = 1
                while (
                    start + size < len(cell) and place + size < len(claim) and cell[start + size] == claim[place + size]
                ):
                    size += 1
                said = sum(map(_substance, cell[start : start + size]))
                if said >= 1 or size == len(cell):
                    span = _trimmed((place, place + size), claim) if size < len(cell) else (place, place + size)
                    runs[span] = max(runs.get(span, 0.0), said / content)
        longest = max((last - first for first, last in runs), default=0)
        for span, share in runs.items():
            if span[1] - span[0] == longest or share > 0.5:
                yield span, min(share, 1.0)

    def _conditions(self, column: Column, span: Span, matched: Sequence[tuple[float, str]]) -> Iterator[Condition]:
        """One condition for the cells that a phrase says most fully."""
        weight = max(share for share, _ in matched)
        said = self.asked.stems[slice(*span)]
        if weight < 0.999 and self._named.issuperset(said):
            return  # "hall" in a column of halls tells no row from another.
        if any(_within(span, run) and span != run for run in self._header_runs):
            return  # The Vienna of "Died in Vienna".
        texts = [text for share, text in matched if share >= weight - 1e-9]
        names = column.number == self.table.key and len(texts) == 1
        if (weight < 0.55 and not names and self.title_words.issuperset(said)) or said == stems(column.name):
            return  # What the table, or the column, is about.
        rare = len(texts) == 1 and weight > 0.15 and self.asked.phrase(span)[0].isupper()
        if span[1] - span[0] == 1 and not rare and (weight < 0.3 or (weight < 0.5 and len(texts) > 3)):
            return
        exact = weight > 0.999 and len(texts) == 1
        relation, term = (Relation.IS, texts[0]) if exact else (Relation.CONTAINS, self.asked.phrase(span))
        yield self._condition(span, column.number, relation, term, weight)

    def _condition(self, span: Span, column: int, relation: Relation, term: Term, weight: float) -> Condition:
        rows = frozenset(self.machine.pick(Where(All(), column, relation, term)).rows)
        return Condition(span, column, relation, term, rows, weight, self.nearness(column, span))

    def _outcomes(self) -> Iterator[Condition]:
        """Words for winning, losing and drawing, where a column begins its cells with letters for them: "W 20–6"."""
        said = [(place, OUTCOMES[stem]) for place, stem in enumerate(self.asked.stems) if stem in OUTCOMES]
        if not said:
            return
        for column in self.table.columns:
            if column.type is ColumnType.NUMBER or column.type is ColumnType.DATE:
                continue
            first = {cell[0] for text in dict.fromkeys(column.texts[:500]) if (cell := stems(text[:40]))}
            letters = {outcome: sorted(first & words) for outcome, words in OUTCOME_CELLS.items()}
            if not (letters["win"] and letters["loss"]):
                continue
            for place, outcome in said:
                for letter in letters[outcome][:1]:
                    if self.asked.stems[place] != letter:
                        yield self._condition((place, place + 1), column.number, Relation.CONTAINS, letter, 0.6)

    # -- numbers

    @cached_property
    def scale(self) -> float:
        """By how much the numbers of the table are to be multiplied, where its caption says so."""
        found = _SCALE.search(self.table.caption[:400])
        return _SCALES[found[1].lower()] if found else 1.0

    def scaled(self, stated: Stated) -> Stated:
        """A number of the claim as the table would write it: 165 for 165,000 in a table of thousands."""
        value = stated.value
        if (
            self.scale == 1
            or not isinstance(value, Quantity)
            or value.unit
            or value.ordinal
            or value.value < self.scale
        ):
            return stated
        return replace(stated, value=replace(value, value=value.value / self.scale, step=value.step / self.scale))

    def _numbered(self, stated: Stated) -> Iterator[Condition]:
        """The columns a number may be about: those whose cells agree with it, and those named beside it."""
        number = self.scaled(stated)
        if self.asked.stems[slice(*number.span)] == ("one",):
            return  # "One" is hardly ever the value of a cell.
        in_header = self._header_words.issuperset(self.asked.stems[slice(*number.span)])
        relations = {number.relation}
        if isinstance(number.value, Date) and self.asked.signs & {"rise", "fall", "twice"}:
            relations.add(Relation.IS)
        for column in self.table.columns:
            if not self._comparable(column, number) or not (column.type in _MEASURED or column.readable > 0.5):
                continue
            measured = _same_measure(column, number)
            for relation in sorted(relations):
                found = self._about(column, number, relation)
                weight = (0.5 if relation is number.relation else 0.2) if found.rows and not found.is_limit else 0.0
                dated = isinstance(number.value, Date) and column.type is ColumnType.DATE
                likely = found.nearness > 0.2 or measured or dated
                # The 1990 of "Population 1990" is no number of people, and nothing is 3rd but ranks.
                likely = likely and not in_header and not (isinstance(term := number.value, Quantity) and term.ordinal)
                if weight or (likely and relation is number.relation):
                    yield replace(found, weight=weight, measured=measured)

    def _about(self, column: Column, number: Stated, relation: Relation) -> Condition:
        """The demand of a number on a column; what was lost is a change downwards."""
        term = number.value
        changes = isinstance(column, DerivedColumn) and not column.lasts
        if changes and isinstance(term, Quantity) and not _FALLING.isdisjoint(self.asked.before(number.span, 4)):
            term, relation = replace(term, value=-term.value), _REVERSED.get(relation, relation)
        return self._condition(number.span, column.number, relation, term, 0.0)

    def _comparable(self, column: Column, stated: Stated) -> bool:
        """Whether a number can be about a column at all."""
        value = stated.value
        if isinstance(value, Date):
            if isinstance(column, DerivedColumn):
                return False
            if column.type is ColumnType.NUMBER:
                return bare_year(value) is not None and (not self._is_dated(stated) or self._has_years(column))
            return True
        if column.type is ColumnType.DATE:
            return not value.unit and not value.ordinal and stated.relation is Relation.IS
        return not (value.unit and column.unit) or dimension(value.unit) == dimension(column.unit)

    def _is_dated(self, stated: Stated) -> bool:
        """Whether a bare year is said as one: "in 1948", "the Games of 2000"."""
        return (self.asked.before(stated.span, 1) or ("",))[0] in _BEFORE_YEARS

    def _has_years(self, column: Column) -> bool:
        """Whether the numbers of a column may be years."""
        known = [key for key in self.machine.keys(column.number) if key is not None]
        return not column.unit and bool(known) and _YEARS[0] <= min(known) and max(known) <= _YEARS[1]

    # -- columns that answer by yes or no, or against each other

    def _marked(self) -> Iterator[Condition]:
        """Columns of yes and no that the claim names, and columns it says something has nothing of."""
        for column in self.table.columns:
            mention = self.mentions.get(column.number)
            if not mention or mention.weight < 0.4 or isinstance(column, DerivedColumn):
                continue
            span = (min(mention.words), max(mention.words) + 1)
            before = self.asked.stems[max(span[0] - 2, 0) : span[0]]
            own = span[1] - span[0] <= len(mention.words) + 1 and bool(mention.exact)
            without = own and not _WITHOUT.isdisjoint(before)
            texts = dict.fromkeys(column.texts)
            if column.type is ColumnType.MARK:
                yes = next((text for text in texts if text.casefold() in _YES), None)
                if yes:
                    yield self._condition(span, column.number, Relation.IS, yes, 0.5)
            elif without and column.type is ColumnType.NUMBER:
                denied = (max(span[0] - 2, 0) + _first_of(before, _WITHOUT), span[1])
                yield self._condition(denied, column.number, Relation.IS, Quantity(0.0, column.unit, step=0.0), 0.75)
            elif column.type is not ColumnType.NUMBER:
                none = next((text for text in texts if stems(text)[:1] in (("no",), ("none",), ("not",))), None)
                if none:
                    relation = Relation.IS if without else Relation.IS_NOT
                    yield self._condition(span, column.number, relation, none, 0.3)

    def _compared_columns(self) -> Iterator[Condition]:
        """Rows with more in one column than in another: "more silver than gold", "gained inhabitants"."""
        for column in self.table.columns:
            if not isinstance(column, DerivedColumn) or column.lasts:
                continue
            for place, stem in enumerate(self.asked.stems):
                up = self._direction(column, place, stem)
                if up:
                    relation = Relation.ABOVE if up > 0 else Relation.BELOW
                    zero = Quantity(0.0, column.unit, step=0.0)
                    yield self._condition((place, place + 1), column.number, relation, zero, 0.5)

    def _direction(self, column: DerivedColumn, place: int, stem: str) -> int:
        """1 where the claim says that there is more in the second column of the two, -1 where less, else 0."""
        if stem in _RISING or stem in _FALLING:
            return 1 if stem in _RISING else -1
        if not is_comparative(stem) or "than" not in self.asked.stems[place:]:
            return 0
        than = self.asked.stems.index("than", place)
        first, second = self.own_place(column.start, column.end), self.own_place(column.end, column.start)
        if first is None or second is None or (first > than) == (second > than):
            return 0
        return points(stem, "number") * (1 if first > than else -1)

    def own_place(self, column: Column, other: Column) -> int | None:
        """Where the claim first says a word that the header of one column has and that of another has not."""
        own = set(stems(column.name)) - set(stems(other.name))
        found = [place for stem in own for place in self._said(stem)[0]]
        return min(found, default=None)


_REVERSED = {
    Relation.ABOVE: Relation.BELOW,
    Relation.BELOW: Relation.ABOVE,
    Relation.AT_LEAST: Relation.AT_MOST,
    Relation.AT_MOST: Relation.AT_LEAST,
}
_MEASURED = frozenset({ColumnType.NUMBER, ColumnType.DATE})


def _without_swallowed(conditions: Iterable[Condition]) -> list[Condition]:
    """A phrase inside a longer one of the same or a fuller match says nothing more."""
    found = list(conditions)
    longer: dict[Span, float] = defaultdict(float)
    for condition in found:
        longer[condition.span] = max(longer[condition.span], condition.weight)
    return [
        condition
        for condition in found
        if not any(
            condition.span != span and _within(condition.span, span) and weight >= min(condition.weight, 0.99)
            for span, weight in longer.items()
        )
    ]


def _same_measure(column: Column, stated: Stated) -> bool:
    value = stated.value
    if not isinstance(value, Quantity) or not value.unit or not column.unit:
        return False
    return dimension(value.unit) == dimension(column.unit)


def _is_told_better(condition: Condition, numbers: Mapping[Span, Stated]) -> bool:
    """Whether the words of a cell are those of a limit, or a part of a date: the "May" of "May 1914"."""
    limit = numbers.get(condition.span)
    if limit and limit.relation is not Relation.IS:
        return True
    dates = (span for span, stated in numbers.items() if isinstance(stated.value, Date) and stated.value.month)
    return condition.weight < 0.99 and any(_within(condition.span, span) for span in dates)


def _first_of(words: Sequence[str], wanted: frozenset[str]) -> int:
    return next(place for place, word in enumerate(words) if word in wanted)


def _bracketed(name: str) -> frozenset[str]:
    """The words of a header that stand in brackets only, such as its unit."""
    inside = " ".join(_IN_BRACKETS.findall(name))
    return frozenset(stems(inside)) - frozenset(stems(_IN_BRACKETS.sub(" ", name))) if inside else frozenset()


def _strength(slot: Slot) -> float:
    best = max((condition.likelihood for condition in slot.conditions), default=0.0)
    return best + 0.2 * (slot.span[1] - slot.span[0]) + (0.5 if slot.number else 0)


def _substance(stem: str) -> float:
    """What a word counts for in a phrase."""
    return 0.25 if stem in EMPTY else 1.0


def _full(conditions: Iterable[Condition]) -> bool:
    return any(condition.weight > 0.7 for condition in conditions)


def _within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _inside(place: int, span: Span) -> bool:
    return span[0] <= place < span[1]


def _trimmed(span: Span, claim: Sequence[str]) -> Span:
    """A span without the empty words at its ends."""
    start, end = span
    while start < end - 1 and claim[start] in EMPTY:
        start += 1
    while end > start + 1 and claim[end - 1] in EMPTY:
        end -= 1
    return start, end
