"""A cross-encoder reranks what was retrieved: it reads each text and each row of a table beside the claim.

It gives each cell of a row a score. What the words and numbers of a claim say of cells counts too: that takes whole
columns into account, where the model sees one row at a time.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from veritab.errors import InputError
from veritab.models.candidates import UNREAD, CandidateScore, CandidateText
from veritab.retrieve.candidate_text import candidate_text, row_candidates
from veritab.retrieve.cells import rank_cells
from veritab.retrieve.fuse import cut, sort_by_score
from veritab.schema import CELLS, Claim, ElementId, Hit, Kind, Selector, Table

_BY = "selector"
# How much the score of a table weighs against those of its cells when tables compete for one budget.
_TABLE_EXPONENT = 0.5
# Probabilities are kept this far from 0 and 1 before their log odds are taken; what was not read has a score below 0.
_SMALLEST = 1e-9
_UNREAD_SCORE = 1e-6


class CandidateScorer(Protocol):
    """Scores candidates for claims, as a `SelectorModel` does."""

    def scores(self, claims_and_candidates: Sequence[tuple[str, CandidateText]]) -> list[CandidateScore]: ...


class _Cell(NamedTuple):
    """A cell, the table it lies in, how likely it is evidence by words and numbers, and the weight of its table."""

    id: ElementId
    table: Table
    likelihood: float
    table_weight: float

    @property
    def order(self) -> tuple[float, ElementId]:
        return -self.likelihood * self.table_weight, self.id


class _CandidateRow(NamedTuple):
    """A row to be read, or a part of one, and its cells."""

    candidate: CandidateText
    cells: tuple[ElementId, ...]


class CrossEncoderReranker:
    """Keeps the best texts and cells for each claim; tables are swapped for their cells.

    At most `candidates` texts and rows are read for a claim, and those that are not follow behind as they came. The
    log odds of a cell are those of the model, times `cell_weight`, and those by words and numbers, times the rest.
    `sentences` and `cells` are the budgets of `veritab.retrieve.cut`.
    """

    def __init__(
        self,
        model: CandidateScorer,
        table_of: Callable[[ElementId], Table] | None = None,
        *,
        sentences: int = 5,
        cells: int = 25,
        candidates: int = 100,
        cell_weight: float = 0.5,
    ) -> None:
        for name, number in (("sentences", sentences), ("cells", cells), ("candidates", candidates)):
            if number < 0:
                raise InputError(f"{name} is {number}; it must be 0 or more")
        if not 0 <= cell_weight <= 1:
            raise InputError(f"cell_weight is {cell_weight}; it must lie between 0 and 1")
        self._model = model
        self._table_of = table_of
        self._sentences = sentences
        self._cells = cells
        self._candidates = candidates
        self._cell_weight = cell_weight

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """For each claim the best of its hits, best first, each with how likely it is evidence."""
        return [self._select_one(claim, found) for claim, found in zip(claims, hits, strict=True)]

    def _select_one(self, claim: Claim, hits: Sequence[Hit]) -> list[Hit]:
        texts, tables = self._sorted(hits)
        cells = [cell for table, table_weight in tables for cell in _cells(claim, table, table_weight)]
        rows = _rows(cells, self._candidates)
        rows = rows[: max(self._candidates // 2, self._candidates - len(texts))]
        texts, unread = texts[: self._candidates - len(rows)], texts[self._candidates - len(rows) :]
        candidates = [*(candidate_text(hit.element) for hit in texts), *(row.candidate for row in rows)]
        scored = self._model.scores([(claim.text, each) for each in candidates])
        found = [
            Hit(hit.element, _likelihood(_score_of(score)), _BY) for hit, score in zip(texts, scored, strict=False)
        ]
        by_model = _scores_by_cell(rows, scored[len(texts) :])
        found += self._best_cells(cells, by_model)
        unread += [Hit(cell.table.element(cell.id), 0.0, _BY) for cell in self._other_cells(cells, by_model)]
        return cut(_append_unread(sort_by_score(found), unread), sentences=self._sentences, cells=self._cells)

    def _sorted(self, hits: Sequence[Hit]) -> tuple[list[Hit], list[tuple[Table, float]]]:
        """The texts among the hits, and the tables with the weight of each beside the best; these bring their cells."""
        every = {hit.element.id: hit for hit in reversed(hits)}
        found = [every[id] for id in dict.fromkeys(hit.element.id for hit in hits)]
        tables = {hit.element.id: hit for hit in found if hit.element.kind is Kind.TABLE}
        texts = [hit for hit in found if hit.element.id not in tables and _table_id(hit.element.id) not in tables]
        most = max((hit.score for hit in tables.values()), default=0.0)
        table_weight = {
            id: (max(hit.score, 0.0) / most) ** _TABLE_EXPONENT if most > 0 else 1.0 for id, hit in tables.items()
        }
        return texts, [(self._table(id), table_weight[id]) for id in tables]

    def _table(self, id: ElementId) -> Table:
        if self._table_of is None:
            raise InputError(
                f"{str(id)!r} is a table, and its cells are not given; give CrossEncoderReranker a table_of"
            )
        return self._table_of(id)

    def _best_cells(self, cells: Iterable[_Cell], by_model: Mapping[ElementId, float]) -> list[Hit]:
        """The cells that the model has read, as far as there is room."""
        scored = ((-self._combined(cell, by_model[cell.id]), cell.id, cell) for cell in cells if cell.id in by_model)
        best = heapq.nsmallest(self._cells, scored)
        return [Hit(cell.table.element(id), -score, _BY) for score, id, cell in best]

    def _other_cells(self, cells: Iterable[_Cell], by_model: Mapping[ElementId, float]) -> list[_Cell]:
        """The cells that it has not read, as far as there is room, best first."""
        others = (cell for cell in cells if cell.id not in by_model)
        return heapq.nsmallest(self._cells, others, key=lambda cell: cell.order)

    def _combined(self, cell: _Cell, by_model: float) -> float:
        by_words = _log_odds(cell.likelihood, _SMALLEST)
        return _likelihood((1 - self._cell_weight) * by_words + self._cell_weight * by_model, cell.table_weight)


@dataclass(frozen=True)
class InterpolatedReranker:
    """Interpolates the scores of a reranker and of retrieval: the log odds of both, added by weight, rank the texts.

    The reranker gets the best `tables` tables only, since the cells of all it reads compete for one budget, and should
    itself keep every text. Cells keep the scores that it gives them.
    """

    reranker: Selector
    weight: float = 0.5
    tables: int = 4
    sentences: int = 5
    cells: int = 25

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= 1:
            raise InputError(f"the weight is {self.weight}; it must lie between 0 and 1")

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """For each claim the best of its hits, best first."""
        kept = [self._without_more_tables(found) for found in hits]
        selected = self.reranker.select(claims, kept)
        return [self._interpolate(found, chosen) for found, chosen in zip(kept, selected, strict=True)]

    def _without_more_tables(self, hits: Sequence[Hit]) -> list[Hit]:
        tables = [hit for hit in hits if hit.element.kind is Kind.TABLE][self.tables :]
        return [hit for hit in hits if hit not in tables]

    def _interpolate(self, found: Sequence[Hit], chosen: Sequence[Hit]) -> list[Hit]:
        before = {hit.element.id: hit.score for hit in found if hit.element.kind is not Kind.TABLE}
        scored = [replace(hit, score=self._score(hit, before)) for hit in chosen]
        return cut(sort_by_score(scored), sentences=self.sentences, cells=self.cells)

    def _score(self, hit: Hit, before: dict[ElementId, float]) -> float:
        if hit.element.id not in before:
            return hit.score
        scores = _log_odds(hit.score, _UNREAD_SCORE), _log_odds(before[hit.element.id], _UNREAD_SCORE)
        return _likelihood(self.weight * scores[0] + (1 - self.weight) * scores[1])


def _cells(claim: Claim, table: Table, table_weight: float) -> Iterator[_Cell]:
    for id, likelihood in rank_cells(claim.text, table):
        yield _Cell(id, table, likelihood, table_weight)


def _rows(cells: Iterable[_Cell], most: int) -> list[_CandidateRow]:
    """The rows, or parts of rows, that hold the best cells; no more are printed than can be read."""
    ordered = sorted(cells, key=lambda cell: cell.order)
    orders = {cell.id: cell.order for cell in ordered}
    best = list(dict.fromkeys((cell.table.id, cell.id.path[1]) for cell in ordered))[:most]
    printed = []
    for id, table in {cell.table.id: cell.table for cell in ordered}.items():
        numbers = [number for owner, number in best if owner == id]
        printed += [_CandidateRow(*row) for row in row_candidates(table, numbers)]
    return sorted(printed, key=lambda row: min(orders.get(id, (1.0, id)) for id in row.cells))[:most]


def _scores_by_cell(rows: Sequence[_CandidateRow], scored: Sequence[CandidateScore]) -> dict[ElementId, float]:
    """The best score of each cell: one that reaches over several rows is read in each, and some may be cut off."""
    found: dict[ElementId, float] = {}
    for row, scores in zip(rows, scored, strict=True):
        for id, score in zip(row.cells, scores.spans, strict=True):
            if score > UNREAD:
                found[id] = max(score, found.get(id, UNREAD))
    return found


def _score_of(scored: CandidateScore) -> float:
    """The score of a single element: that of its span where it is a cell."""
    return scored.spans[0] if scored.spans else scored.whole


def _log_odds(probability: float, smallest: float) -> float:
    bounded = min(max(probability, smallest), 1 - smallest)
    return math.log(bounded / (1 - bounded))


def _likelihood(log_odds: float, weight: float = 1.0) -> float:
    return round(weight * (1 + math.tanh(log_odds / 2)) / 2, 9)


def _append_unread(found: list[Hit], unread: Sequence[Hit]) -> list[Hit]:
    """What was read, and behind it the rest in its order."""
    lowest = found[-1].score if found else 0.0
    return found + [Hit(hit.element, round(lowest - place, 9), hit.by) for place, hit in enumerate(unread, 1)]


def _table_id(id: ElementId) -> ElementId | None:
    """The table that a cell lies in."""
    return ElementId(id.page, Kind.TABLE, id.path[:1]) if id.kind in CELLS else None
