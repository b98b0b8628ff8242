"""Which columns a claim mentions: by the words of their headers, by words of the same root, by synonyms."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from veritab.lexicon.attributes import header_synonyms
from veritab.lexicon.comparison import is_superlative, lookup_forms
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.parsing.derived import DerivedColumn
from veritab.reason.tables import Column, TypedTable
from veritab.text import Span, root, stems

_MAX_HEADER = 40
_MAX_TITLE = 400
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
# The weight of words in brackets, such as units, and of words of the title: they hardly tell columns apart.
_MINOR_WEIGHT = 0.3
_SAME_ROOT, _SYNONYM = 0.9, 0.6
_MAX_DISTANCE = 8
"""From this distance in words on, a phrase is hardly about a column."""
_MIN_PROXIMITY = 0.15
_WHOLES = frozenset({"total", "overall"})
MEDALS = frozenset({"gold", "silver", "bronze"})


@dataclass(frozen=True)
class ColumnMention:
    """A column that a claim mentions: how fully, and in which words."""

    column: int
    weight: float
    words: frozenset[int]
    exact: frozenset[int] = frozenset()
    """Those of the words that are in the header unchanged."""


class HeaderMentions:
    """Mentions of the headers and the title of a table in a claim."""

    def __init__(self, claim: ParsedClaim, table: TypedTable) -> None:
        self.claim = claim
        self.table = table

    @cached_property
    def by_column(self) -> Mapping[int, ColumnMention]:
        """The columns that the claim mentions."""
        found = {}
        for column in self.table.columns:
            mention = self._mention(column)
            if mention:
                found[column.number] = mention
        for column in self.table.columns:
            if isinstance(column, DerivedColumn):
                found[column.number] = _derived_mention(column, found)
        if self.whole is not None:
            words = self.headers[self.whole] | {"medal"}
            places = frozenset(place for place, stem in enumerate(self.claim.stems) if stem in words)
            found[self.whole] = ColumnMention(self.whole, 1.0, places, places)
        return found

    @cached_property
    def whole(self) -> int | None:
        """The column of totals, where a claim names what others are parts of and none of the parts: "28 medals"."""
        totals = [column.number for column, header in self._columns if not _WHOLES.isdisjoint(header)]
        if len(totals) != 1:
            return None
        words = self.headers[totals[0]] - _WHOLES
        others = [header for column, header in self._columns if column.number != totals[0]]
        parts = [header for header in others if header & words]
        if not words and any("gold" in header for header in others):
            parts = [header for header in others if header & MEDALS]
            words = frozenset({"medal"})
        said = frozenset(self.claim.stems)
        named = any((header - words) & said for header in parts)
        return totals[0] if len(parts) > 1 and words & said and not named else None

    @property
    def _columns(self) -> list[tuple[Column, frozenset[str]]]:
        """The columns of the table itself, with the words of their headers."""
        return [(each, self.headers[each.number]) for each in self.table.columns if not isinstance(each, DerivedColumn)]

    def weight(self, column: int) -> float:
        mention = self.by_column.get(column)
        return mention.weight if mention else 0.0

    def proximity(self, column: int, span: Span) -> float:
        """How close to a phrase the claim mentions a column: 1 right beside it, 0 when it does not."""
        mention = self.by_column.get(column)
        if not mention:
            return 0.0
        outside = (place for place in mention.words if not span[0] <= place < span[1])
        gaps = [max(span[0] - place - 1, place - span[1], 0) for place in outside]
        return mention.weight * max(1 - min(gaps) / _MAX_DISTANCE, _MIN_PROXIMITY) if gaps else 0.0

    def own_position(self, column: Column, other: Column) -> int | None:
        """The position of the first word of the claim that one header has and another has not."""
        own = set(stems(column.name)) - set(stems(other.name))
        return min((place for stem in own for place in self._find_word(stem)[0]), default=None)

    # -- the words of the claim

    @cached_property
    def places(self) -> Mapping[str, tuple[int, ...]]:
        """The positions of each stem."""
        places: dict[str, tuple[int, ...]] = {}
        for place, stem in enumerate(self.claim.stems):
            places[stem] = (*places.get(stem, ()), place)
        return places

    @cached_property
    def _forms(self) -> Mapping[str, tuple[int, ...]]:
        """The positions of a word in any form: "taller" is also "tall"."""
        places: dict[str, tuple[int, ...]] = {}
        for place, stem in enumerate(self.claim.stems):
            for form in lookup_forms(stem):
                places[form] = (*places.get(form, ()), place)
        return places

    def _find_word(self, stem: str) -> tuple[tuple[int, ...], float]:
        """The positions of a word and its weight: one of the same root counts less, a synonym still less."""
        exact = self.places.get(stem)
        if exact:
            return exact, 1.0
        related = self._forms.get(stem) or self._forms.get(root(stem))
        if related:
            return tuple(related), _SAME_ROOT
        akin = tuple(dict.fromkeys(place for other in header_synonyms(stem) for place in self._forms.get(other, ())))
        return akin, _SYNONYM if akin else 0.0

    # -- the words of headers and title

    @cached_property
    def title_words(self) -> frozenset[str]:
        """The stems of the title, the caption and the sections, which a claim repeats to name its topic."""
        texts = (self.table.title, self.table.caption, *self.table.sections)
        return frozenset(stem for text in texts for stem in stems(text[:_MAX_TITLE]))

    @cached_property
    def headers(self) -> Mapping[int, frozenset[str]]:
        """The stems of each header."""
        return {column.number: frozenset(stems(column.name)[:_MAX_HEADER]) for column in self.table.columns}

    @cached_property
    def joining(self) -> Mapping[int, frozenset[str]]:
        """For each column the stems that may come between two members of a list: its header's, and the title's."""
        return {column: header | self.title_words for column, header in self.headers.items()}

    @cached_property
    def header_words(self) -> frozenset[str]:
        return frozenset().union(*self.headers.values())

    @cached_property
    def uninformative_stems(self) -> frozenset[str]:
        """Stems of headers, and stop words."""
        return frozenset(self._rarity) | TABLE_STOP_STEMS

    @cached_property
    def header_runs(self) -> list[Span]:
        """Where the claim has two or more consecutive words of a header."""
        tokens, runs = self.claim.stems, []
        for column in self.table.columns:
            header = stems(column.name)[:_MAX_HEADER]
            for start, stem in enumerate(header):
                for place in self.places.get(stem, ()):
                    size = 1
                    while header[start + size : start + size + 1] == tokens[place + size : place + size + 1] != ():
                        size += 1
                    if size > 2 or (size == 2 and TABLE_STOP_STEMS.isdisjoint(tokens[place : place + 2])):
                        runs.append((place, place + size))
        return runs

    @cached_property
    def header_superlatives(self) -> frozenset[int]:
        """The positions of the "first" of a header such as "First performance", if the claim has another word of it."""
        matches = frozenset(map(root, self.claim.stems)) - TABLE_STOP_STEMS
        return frozenset(
            place
            for place, stem in enumerate(self.claim.stems)
            if is_superlative(stem)
            and any(stem in header and matches & (set(map(root, header)) - {stem}) for header in self.headers.values())
        )

    @cached_property
    def _rarity(self) -> Mapping[str, float]:
        """The weight of each word of the headers: those of many headers count little."""
        in_headers: dict[str, int] = defaultdict(int)
        for column in self.table.columns:
            if column.header and not isinstance(column, DerivedColumn):
                for stem in self.headers[column.number]:
                    in_headers[stem] += 1
        return {
            stem: 1 / count for stem, count in in_headers.items() if stem not in TABLE_STOP_STEMS or len(in_headers) < 3
        }

    def _mention(self, column: Column) -> ColumnMention | None:
        if not column.header or isinstance(column, DerivedColumn):
            return None
        header = dict.fromkeys(stems(column.name)[:_MAX_HEADER])
        matches = {stem: self._find_word(stem) for stem in header if stem in self._rarity}
        aside = _bracketed(column.name) | self.title_words
        weights = {stem: self._rarity[stem] * (_MINOR_WEIGHT if stem in aside else 1.0) for stem in matches}
        weight = sum(weights[stem] * share for stem, (_, share) in matches.items())
        if not weight:
            return None
        places = frozenset(place for found_at, _ in matches.values() for place in found_at)
        exact = frozenset(place for found_at, share in matches.values() if share == 1 for place in found_at)
        return ColumnMention(column.number, weight / sum(weights.values()), places, exact)


def _derived_mention(column: DerivedColumn, found: Mapping[int, ColumnMention]) -> ColumnMention:
    """A derived column is mentioned as far as its two sources are."""
    ends = [found[end.number] for end in (column.start, column.end) if end.number in found]
    words = frozenset(place for end in ends for place in end.words)
    return ColumnMention(column.number, 0.3 + 0.35 * sum(end.weight for end in ends), words)


def _bracketed(name: str) -> frozenset[str]:
    """The stems of a header that are only in brackets, such as its unit."""
    inside = " ".join(_IN_BRACKETS.findall(name))
    return frozenset(stems(inside)) - frozenset(stems(_IN_BRACKETS.sub(" ", name))) if inside else frozenset()
