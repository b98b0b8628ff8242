"""Claims find cells by their words and numbers: the rows a claim names, the columns it asks for, and their crossing.

A cell is likely evidence when the claim has its words or its number, when its row or its column matches the claim, and
most of all when both do. Claims that count or compare ("most", "all", "more than") need whole columns. These features
have weights, `_WEIGHTS`, fitted by `python -m benchmarks.cells --fit`; nothing else here is learned.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from veritab.errors import InputError
from veritab.lexicon.attributes import TERM_FAMILIES
from veritab.lexicon.cues import COLUMN_CUES
from veritab.quantities import Date, NumberOrDate, Quantity, agree, parse_numbers
from veritab.schema import Claim, ElementId, Hit, Kind, Place, Table
from veritab.text import STOP_TERMS, terms

# -- the claim ---------------------------------------------------------------------------------------------

_COLUMN_TERMS = frozenset(terms(COLUMN_CUES))
_DATED = frozenset(terms("when year date day month season born died since until during before after"))
_SAME = {
    term: frozenset(other for family in TERM_FAMILIES if term in family.split() for other in family.split())
    for family in TERM_FAMILIES
    for term in family.split()
}
# Beyond this a text is no claim; comparing each of its numbers with each cell would take minutes.
_MOST_NUMBERS = 64
_MOST_CHARACTERS = 5000


@dataclass(frozen=True)
class _ClaimTerms:
    """What a claim says, as tables are searched for it."""

    terms: frozenset[str]
    stems: frozenset[str]
    digits: frozenset[str]
    readings: tuple[NumberOrDate, ...]
    quantified: bool
    dated: bool
    counted: bool


def _read_claim(text: str) -> _ClaimTerms:
    every = frozenset(terms(text))
    content = every - STOP_TERMS or every
    found = tuple(parse_numbers(text[:_MOST_CHARACTERS])[:_MOST_NUMBERS])
    return _ClaimTerms(
        terms=content,
        stems=frozenset(term[:_STEM] for term in content if len(term) >= _STEM),
        digits=frozenset(f"{one.value:.0f}" for one in found if isinstance(one, Quantity)),
        readings=found,
        quantified=bool(every & _COLUMN_TERMS) or any(isinstance(one, Quantity) for one in found),
        dated=bool(every & _DATED) or any(isinstance(one, Date) for one in found),
        counted=any(isinstance(one, Quantity) and not one.ordinal for one in found),
    )


_STEM = 5
_RELATED = 0.8
_HALF = 0.5


def _similarity(term: str, claim_terms: _ClaimTerms) -> float:
    """How much a word of a header is a word of the claim: the same, of one family, or of one beginning."""
    if term in claim_terms.terms:
        return 1.0
    if not claim_terms.terms.isdisjoint(_SAME.get(term, ())):
        return _RELATED
    return _HALF if term[:_STEM] in claim_terms.stems else 0.0


# -- the table ---------------------------------------------------------------------------------------------

# Of a large table only the rows that share most with the claim are laid out, for the sake of time.
_MOST_CELLS = 3000
_TYPED_ROWS = 50
_EXPLAINED = 0.35
# What is found is measured against the best found, or against this: one word of the title is a weak best.
_LEAST = 1.5
_NUMBER = re.compile(r"[0-9]")


@dataclass
class _CellMatch:
    """What of the claim one cell holds: the weight of each word, and how much of the cell they make up."""

    words: dict[str, float] = field(default_factory=dict)
    share: float = 0.0

    @property
    def weight(self) -> float:
        return sum(self.words.values())


class _ClaimTable:
    """A table laid beside a claim: what was found in every cell, row and column."""

    def __init__(self, claim_terms: _ClaimTerms, table: Table) -> None:
        self.claim_terms = claim_terms
        self.table = table
        self.headings = _heading_rows(table)
        # A table without header cells names its columns in its first row, if anywhere; that row stays a row.
        self.naming = self.headings or frozenset([0])
        self.explained = frozenset(terms(f"{table.id.page} {table.caption}"))
        self.columns: list[list[tuple[int, Place]]] = [[] for _ in range(table.width)]
        self.rows_of: dict[Place, set[int]] = {}
        self.columns_of: dict[Place, set[int]] = {}
        self.found: dict[Place, _CellMatch] = {}
        self._lay_out(self._survey())
        self._match_words()
        self._match_numbers()
        self.most = max([*(found.weight for found in self.found.values()), _LEAST])
        self.row_weight = self._row_weights()
        self.header_weight = self._header_weights()
        self.value_weight = [self._best_value(column) for column in self.columns]
        self.kind_weight = [self._kind_weight(column) for column in self.columns]
        self.labels = self._labels()

    def text(self, place: Place) -> str:
        return self.table.rows[place[0]][place[1]].text

    def _survey(self) -> list[int]:
        """Counts the rows that hold each word of the claim, and says which rows to lay out."""
        rows = self.table.rows
        wanted = self.claim_terms.terms | self.claim_terms.digits
        shared = [wanted.intersection(terms(" ".join(cell.text for cell in cells))) for cells in rows]
        rows_with = Counter(term for common in shared for term in common)
        self.rarity = {term: self._rare(term, count) for term, count in rows_with.items()}
        if sum(map(len, rows)) <= _MOST_CELLS:
            return list(range(len(rows)))
        weight = [sum(sorted(self.rarity[term] for term in common)) for common in shared]
        order = sorted(range(len(rows)), key=lambda row: (row not in self.naming, -weight[row], row))
        room = accumulate(len(rows[row]) for row in order)
        return sorted(row for row, cells in zip(order, room, strict=True) if cells <= _MOST_CELLS or row == order[0])

    def _lay_out(self, rows: Iterable[int]) -> None:
        """The cells over these rows, each with its rows and columns, and each column from the top."""
        for row in rows:
            for column, place in enumerate(self.table.places[row]):
                if place:
                    self.columns[column].append((row, place))
                    self.rows_of.setdefault(place, set()).add(row)
                    self.columns_of.setdefault(place, set()).add(column)

    def _match_words(self) -> None:
        for place in self.rows_of:
            own = set(terms(self.text(place)))
            common = sorted(own & self.claim_terms.terms)
            if common:
                share = min(len(common) / max(len(own - STOP_TERMS), 1), 1.0)
                words = {term: self.rarity.get(term, 0.0) * math.sqrt(share) for term in common}
                self.found[place] = _CellMatch(words, share)

    def _rare(self, term: str, count: int) -> float:
        weight = math.log(1 + (len(self.table.rows) + 1) / (count + 0.5))
        return weight * (_EXPLAINED if term in self.explained else 1.0)

    def _match_numbers(self) -> None:
        """Numbers that claim and cell write differently: "seven" and 7, "May 1931" and 1931-05-02."""
        if not self.claim_terms.readings:
            return
        matched: dict[Place, list[tuple[str, float, float]]] = {}
        cells_with: Counter[str] = Counter()
        for place in self.rows_of:
            text = self.text(place)
            for one in parse_numbers(text) if _NUMBER.search(text) and len(text) < 1000 else ():
                name, closeness = self._same_number(one)
                if closeness:
                    share = min((one.span[1] - one.span[0]) / len(text), 1.0)
                    matched.setdefault(place, []).append((name, closeness, share))
                    cells_with[name] += 1
        for place, names in matched.items():
            found = self.found.setdefault(place, _CellMatch())
            for name, closeness, share in names:
                weight = closeness * math.log(1 + (len(self.table.rows) + 1) / (cells_with[name] + 0.5)) * share
                found.words[name] = max(found.words.get(name, 0.0), weight)
                found.share = max(found.share, share * closeness)

    def _same_number(self, one: NumberOrDate) -> tuple[str, float]:
        best, name = 0.0, ""
        for order, other in enumerate(self.claim_terms.readings):
            if agree(one, other):
                closeness = 1.0 if _equal(one, other) else _HALF
                if closeness > best:
                    best, name = closeness, f"={order}"
        return name, best

    def _row_weights(self) -> dict[int, float]:
        """For every row below the headings, the weight of all words of the claim that it holds, each counted once."""
        rows: dict[int, dict[str, float]] = {}
        for place, found in self.found.items():
            for row in self.rows_of[place] - self.headings:
                words = rows.setdefault(row, {})
                for term, value in found.words.items():
                    words[term] = max(words.get(term, 0.0), value)
        weight = {row: sum(words.values()) for row, words in rows.items()}
        most = max([*weight.values(), _LEAST])
        return {row: value / most for row, value in weight.items()}

    def _header_weights(self) -> list[float]:
        """For every column, how much of the claim its headings say."""
        by_column = [self._heading_terms(column) for column in range(len(self.columns))]
        columns_with = Counter(term for heading in by_column for term in heading)
        weight = []
        for heading in by_column:
            value = 0.0
            for term in heading:
                rare = math.log(1 + (len(by_column) + 1) / (columns_with[term] + 0.5))
                value += _similarity(term, self.claim_terms) * rare * (_EXPLAINED if term in self.explained else 1.0)
            weight.append(value / math.sqrt(len(heading) or 1))
        most = max([*weight, _LEAST])
        return [value / most for value in weight]

    def _heading_terms(self, column: int) -> list[str]:
        places = dict.fromkeys(place for row, place in self.columns[column] if row in self.naming)
        found = dict.fromkeys(term for place in places for term in terms(self.text(place)))
        return [term for term in found if term not in STOP_TERMS]

    def _best_value(self, column: Sequence[tuple[int, Place]]) -> float:
        """The best of what was found in the cells of a column below its headings."""
        found = (self.found[place] for row, place in column if place in self.found and row not in self.headings)
        return max((one.weight for one in found), default=0.0) / self.most

    def _kind_weight(self, column: Sequence[tuple[int, Place]]) -> float:
        """How far a column holds the kind of value the claim gives or asks for: dates or numbers."""
        if not (self.claim_terms.dated or self.claim_terms.counted):
            return 0.0
        texts = [self.text(place) for row, place in column[:_TYPED_ROWS] if row not in self.headings]
        kinds = Counter(type(one) for text in texts if text and len(text) < 100 for one in parse_numbers(text)[:1])
        filled = sum(map(bool, texts)) or 1
        dates, numbers = kinds[Date] / filled, kinds[Quantity] / filled
        return max(dates if self.claim_terms.dated else 0.0, numbers if self.claim_terms.counted else 0.0)

    def _labels(self) -> frozenset[Place]:
        """The cells that name their rows: in each the first with letters."""
        labels: dict[int, Place] = {}
        for place in self.rows_of:
            if place[0] not in labels and any(map(str.isalpha, self.text(place))):
                labels[place[0]] = place
        return frozenset(labels.values())


def _equal(one: NumberOrDate, other: NumberOrDate) -> bool:
    if isinstance(one, Date) and isinstance(other, Date):
        return (one.year, one.month, one.day) == (other.year, other.month, other.day)
    return not (isinstance(one, Quantity) and isinstance(other, Quantity)) or one.value == other.value


def _heading_rows(table: Table) -> frozenset[int]:
    """Rows of nothing but headers, which name columns."""
    return frozenset(
        row for row, cells in enumerate(table.rows) if len(cells) > 1 and all(cell.header for cell in cells)
    )


# -- the features of a cell --------------------------------------------------------------------------------

_WEIGHTS = {
    "own": 1.47,
    "own, nothing else in the cell": 1.66,
    "row": 2.1,
    "header": 0.42,
    "values of the column": -0.44,
    "kind": 0.37,
    "row and header": 0.03,
    "row and values": 1.4,
    "label": 0.45,
    "label of the row": -0.91,
    "whole column by header": 0.52,
    "whole column by values": -0.32,
    "whole column of labels": 0.7,
    "heading": -1.68,
    "heading that is named": 0.01,
    "empty": -2.04,
    "far down": -0.3,
}
_OFFSET = -3.34


def _cell_features(table_match: _ClaimTable, place: Place) -> tuple[float, ...]:
    """The features of a cell, each between 0 and 1, in the order of `_WEIGHTS`."""
    found = table_match.found.get(place)
    own = found.weight / table_match.most if found else 0.0
    columns = table_match.columns_of[place]
    header = max(table_match.header_weight[column] for column in columns)
    empty = float(not table_match.text(place))
    down = place[0] / len(table_match.table.rows)
    if place[0] in table_match.headings:
        return (*[0.0] * 13, 1.0, max(own, header), empty, down)
    row = max(table_match.row_weight.get(row, 0.0) for row in table_match.rows_of[place])
    value = max(table_match.value_weight[column] for column in columns)
    kind = max(table_match.kind_weight[column] for column in columns)
    label = float(place in table_match.labels)
    whole = float(table_match.claim_terms.quantified)
    return (
        own,
        own * found.share if found else 0.0,
        row,
        header,
        value,
        kind,
        row * header,
        row * value,
        label,
        label * row,
        whole * header,
        whole * value,
        whole * label,
        0.0,
        0.0,
        empty,
        down,
    )


def cell_features(claim_text: str, table: Table) -> Iterator[tuple[Place, tuple[float, ...]]]:
    """Every cell that is ranked, with its features, on which the weights are fitted."""
    table_match = _ClaimTable(_read_claim(claim_text), table)
    return ((place, _cell_features(table_match, place)) for place in table_match.rows_of)


def rank_cells(claim_text: str, table: Table, limit: int | None = None) -> list[tuple[ElementId, float]]:
    """The cells of a table with how likely each is evidence for the claim, best first, ties in reading order.

    Of a table with thousands of cells only the best rows are ranked.
    """
    weights = tuple(_WEIGHTS.values())
    scored = []
    for place, features in cell_features(claim_text, table):
        total = _OFFSET + sum(feature * weight for feature, weight in zip(features, weights, strict=True))
        scored.append((-round(1 / (1 + math.exp(-total)), 9), place))
    best = sorted(scored) if limit is None else heapq.nsmallest(limit, scored)
    return [(table.cell_id(place), -score) for score, place in best]


# -- the stage ---------------------------------------------------------------------------------------------

# How much the score of a table weighs against those of its cells when tables compete for one budget.
_TABLE_EXPONENT = 0.5


class LexicalCells:
    """Swaps each table among a claim's hits for its best cells, at most `budget` of them over all tables."""

    def __init__(self, table_of: Callable[[ElementId], Table], *, budget: int = 25) -> None:
        if budget < 1:
            raise InputError(f"a budget of {budget} cells finds nothing; give 1 or more")
        self._table_of = table_of
        self._budget = budget

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """For each claim its hits, the tables among them swapped for cells in the same place."""
        return [self._select_one(claim, found) for claim, found in zip(claims, hits, strict=True)]

    def _select_one(self, claim: Claim, hits: Sequence[Hit]) -> list[Hit]:
        tables = {hit.element.id: self._table_of(hit.element.id) for hit in hits if hit.element.kind is Kind.TABLE}
        weight = {hit.element.id: max(hit.score, 0.0) ** _TABLE_EXPONENT for hit in reversed(hits)}
        chosen = self._choose(claim, tables, weight)
        selected: list[Hit] = []
        for hit in hits:
            if hit.element.kind is not Kind.TABLE:
                selected.append(hit)
            elif hit.element.id in tables:
                table = tables.pop(hit.element.id)
                cells = chosen.get(hit.element.id, ())
                selected += (Hit(table.element(id), round(hit.score * score, 6), "cells") for id, score in cells)
        return selected

    def _choose(
        self, claim: Claim, tables: Mapping[ElementId, Table], weight: Mapping[ElementId, float]
    ) -> dict[ElementId, list[tuple[ElementId, float]]]:
        """For each table the cells that fit into the budget; cells that are hits already do not come twice."""
        offers = []
        for order, (table_id, table) in enumerate(tables.items()):
            ranked = rank_cells(claim.text, table, self._budget + len(weight))
            fresh = [(id, score) for id, score in ranked if id not in weight]
            offers += [
                (-score * weight[table_id], order, rank, table_id, id, score) for rank, (id, score) in enumerate(fresh)
            ]
        chosen: dict[ElementId, list[tuple[ElementId, float]]] = {}
        for *_, table_id, id, score in heapq.nsmallest(self._budget, offers):
            chosen.setdefault(table_id, []).append((id, score))
        return chosen
