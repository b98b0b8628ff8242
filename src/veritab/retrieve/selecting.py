"""What was found is read beside the claim: a cross-encoder says which texts, and which cells of tables, are evidence.

Texts are read one by one, tables row by row, with a score for each cell. What the words and numbers of a claim say of
cells counts too: it knows whole columns, where the model sees one row at a time.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from veritab.errors import InputError
from veritab.models.candidates import UNREAD, CandidateScore, CandidateText
from veritab.retrieve.cells import rank_cells
from veritab.retrieve.fuse import by_score, cut
from veritab.schema import Claim, Context, Element, ElementId, Hit, Kind, Table

# -- what is read ------------------------------------------------------------------------------------------

_CELLS = frozenset({Kind.CELL, Kind.HEADER_CELL})
# The titles of evidence that came without one, which tell a reader nothing.
_PLACEHOLDERS = frozenset({"Evidence", "Table"})
# A caption may be as long as an article; what it explains must still fit beside it.
_LONGEST_LEAD = 120
_LONGEST_NAME = 80
_MOST = 400


def candidate(element: Element) -> CandidateText:
    """An element as the selector reads it: "Title. Section: text"; a cell after its headers, with its span."""
    if element.kind is Kind.TITLE:
        return CandidateText(element.text)
    lead = _lead(element.id.page, element.context)
    if element.kind not in _CELLS:
        return CandidateText(lead + element.text)
    headers = [near for near in element.context if near.id.kind is Kind.HEADER_CELL and near.text]
    # A cell that reaches over several rows has headers beside it in all of them.
    beside = [near.text for near in headers if near.id.path[1] >= element.id.path[1]]
    above = [near for near in headers if near.id.path[1] < element.id.path[1]]
    over = _column_names(above)
    names = over or _named(" ".join(reversed(beside)))
    label = "".join(f"{_clipped(text)}; " for text in reversed(beside)) if over else ""
    start = len(lead + label + names)
    return CandidateText(f"{lead}{label}{names}{element.text}.", ((start, start + len(element.text)),))


def row_candidates(
    table: Table, rows: Iterable[int] | None = None, *, most: int = _MOST
) -> list[tuple[CandidateText, tuple[ElementId, ...]]]:
    """The rows of a table as the selector reads them, each with the addresses of its cells in the order of its spans.

    "Title. Section. Caption: row header; column header is cell; column header is cell." Of a row with more than `most`
    characters several candidates are made, which all begin with its first cell. Empty cells are not read.
    """
    caption = table.caption_element
    lead = _lead(table.id.page, [*table.context, *([Context(caption.id, caption.text)] if caption else [])])
    wanted = range(len(table.places)) if rows is None else rows
    printed = (_printed(table, row, most) for row in wanted)
    return [_joined(lead, cells) for row in printed for cells in _parts(row, most)]


class _Printed(NamedTuple):
    """A cell as it is printed in its row: what stands before it, its text, and its address."""

    before: str
    text: str
    id: ElementId

    @property
    def length(self) -> int:
        return len(self.before) + len(self.text)


def _printed(table: Table, row: int, most: int) -> list[_Printed]:
    cells: list[_Printed] = []
    after_header = False
    for place in dict.fromkeys(place for place in table.places[row] if place):
        cell, id = table.rows[place[0]][place[1]], table.cell_id(place)
        if not cell.text:
            continue
        # Headers name themselves; above those of rows stand those of other rows.
        names = "" if cell.header else _column_names(table.column_headers(id))
        # In an infobox the header of the row is all there is to name the cell.
        joint = " is " if after_header and not names and not cell.header else "; "
        cells.append(_Printed((joint if cells else "") + names, cell.text[:most], id))
        after_header = cell.header
    return cells


def _column_names(above: Sequence[Context]) -> str:
    """The headers above a cell, outermost first; the title of the page, as over an infobox, names no column."""
    names = (near.text for near in reversed(above) if near.text and near.text != near.id.page)
    return _named(" ".join(dict.fromkeys(names)))


def _parts(row: Sequence[_Printed], most: int) -> Iterator[list[_Printed]]:
    """The cells of a row in stretches of about `most` characters; the later ones begin with its first cell."""
    part: list[_Printed] = []
    length = 0
    for cell in row:
        if length and length + cell.length > most:
            yield part
            part, length = [row[0]._replace(text=row[0].text[:_LONGEST_NAME])], 0
        part.append(cell)
        length += cell.length
    if part:
        yield part


def _joined(lead: str, cells: Sequence[_Printed]) -> tuple[CandidateText, tuple[ElementId, ...]]:
    text = lead
    spans: list[tuple[int, int]] = []
    for cell in cells:
        start = len(text) + len(cell.before)
        text += cell.before + cell.text
        spans.append((start, len(text)))
    return CandidateText(f"{text}.", tuple(spans)), tuple(cell.id for cell in cells)


def _lead(title: str, context: Iterable[Context]) -> str:
    """What stands above: "Title. Section › Subsection. Caption: "."""
    near = list(context)
    sections = " › ".join(each.text for each in near if each.id.kind is Kind.SECTION and each.text)
    captions = [each.text for each in near if each.id.kind is Kind.TABLE_CAPTION]
    parts = ["" if title in _PLACEHOLDERS else title, sections, *captions]
    told = [_clipped(part, _LONGEST_LEAD) for part in parts if part]
    return f"{'. '.join(told)}: " if told else ""


def _named(header: str) -> str:
    return f"{_clipped(header)} is " if header else ""


def _clipped(text: str, most: int = _LONGEST_NAME) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


# -- what is chosen ----------------------------------------------------------------------------------------


class Scorer(Protocol):
    """Scores candidates for claims, as a `SelectorModel` does."""

    def scores(self, claims_and_candidates: Sequence[tuple[str, CandidateText]]) -> list[CandidateScore]: ...


class _Cell(NamedTuple):
    """A cell, the table it lies in, how likely it is evidence by words and numbers, and what its table is worth."""

    id: ElementId
    table: Table
    likelihood: float
    worth: float

    @property
    def order(self) -> tuple[float, ElementId]:
        return -self.likelihood * self.worth, self.id


class _Row(NamedTuple):
    """A row to be read, or a part of one, and its cells."""

    candidate: CandidateText
    cells: tuple[ElementId, ...]


class CrossSelector:
    """Keeps the best texts and cells for each claim; tables are swapped for their cells.

    At most `candidates` texts and rows are read for a claim, and those that are not follow behind as they came. The
    log odds of a cell are those of the model, times `cell_weight`, and those by words and numbers, times the rest.
    `sentences` and `cells` are the budgets of `veritab.retrieve.cut`.
    """

    def __init__(
        self,
        model: Scorer,
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
        cells = [cell for table, worth in tables for cell in _cells(claim, table, worth)]
        rows = _rows(cells, self._candidates)
        rows = rows[: max(self._candidates // 2, self._candidates - len(texts))]
        texts, unread = texts[: self._candidates - len(rows)], texts[self._candidates - len(rows) :]
        asked = [*(candidate(hit.element) for hit in texts), *(row.candidate for row in rows)]
        scored = self._model.scores([(claim.text, each) for each in asked])
        found = [Hit(hit.element, _likelihood(_own(score)), _BY) for hit, score in zip(texts, scored, strict=False)]
        by_model = _by_cell(rows, scored[len(texts) :])
        found += self._best_cells(cells, by_model)
        unread += [Hit(cell.table.element(cell.id), 0.0, _BY) for cell in self._other_cells(cells, by_model)]
        return cut(_followed(by_score(found), unread), sentences=self._sentences, cells=self._cells)

    def _sorted(self, hits: Sequence[Hit]) -> tuple[list[Hit], list[tuple[Table, float]]]:
        """The texts among the hits, and the tables with what each is worth beside the best; these bring their cells."""
        every = {hit.element.id: hit for hit in reversed(hits)}
        found = [every[id] for id in dict.fromkeys(hit.element.id for hit in hits)]
        tables = {hit.element.id: hit for hit in found if hit.element.kind is Kind.TABLE}
        texts = [hit for hit in found if hit.element.id not in tables and _table_id(hit.element.id) not in tables]
        most = max((hit.score for hit in tables.values()), default=0.0)
        worth = {id: (max(hit.score, 0.0) / most) ** _TRUST if most > 0 else 1.0 for id, hit in tables.items()}
        return texts, [(self._table(id), worth[id]) for id in tables]

    def _table(self, id: ElementId) -> Table:
        if self._table_of is None:
            raise InputError(f"{str(id)!r} is a table, and nobody says what it holds; give CrossSelector a table_of")
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
        likely = min(max(cell.likelihood, _SMALLEST), 1 - _SMALLEST)
        by_words = math.log(likely / (1 - likely))
        return _likelihood((1 - self._cell_weight) * by_words + self._cell_weight * by_model, cell.worth)


_BY = "selector"
# How much the score of a table weighs against those of its cells when tables compete for one budget.
_TRUST = 0.5
_SMALLEST = 1e-9


def _cells(claim: Claim, table: Table, worth: float) -> Iterator[_Cell]:
    for id, likelihood in rank_cells(claim.text, table):
        yield _Cell(id, table, likelihood, worth)


def _rows(cells: Iterable[_Cell], most: int) -> list[_Row]:
    """The rows, or parts of rows, that hold the best cells; no more are printed than can be read."""
    ordered = sorted(cells, key=lambda cell: cell.order)
    orders = {cell.id: cell.order for cell in ordered}
    best = list(dict.fromkeys((cell.table.id, cell.id.path[1]) for cell in ordered))[:most]
    printed = []
    for id, table in {cell.table.id: cell.table for cell in ordered}.items():
        numbers = [number for owner, number in best if owner == id]
        printed += [_Row(*row) for row in row_candidates(table, numbers)]
    return sorted(printed, key=lambda row: min(orders.get(id, (1.0, id)) for id in row.cells))[:most]


def _by_cell(rows: Sequence[_Row], scored: Sequence[CandidateScore]) -> dict[ElementId, float]:
    """The best score of each cell: one that reaches over several rows is read in each, and some may be cut off."""
    found: dict[ElementId, float] = {}
    for row, scores in zip(rows, scored, strict=True):
        for id, score in zip(row.cells, scores.spans, strict=True):
            if score > UNREAD:
                found[id] = max(score, found.get(id, UNREAD))
    return found


def _own(scored: CandidateScore) -> float:
    """The score of a single element: that of its span where it is a cell."""
    return scored.spans[0] if scored.spans else scored.whole


def _likelihood(log_odds: float, worth: float = 1.0) -> float:
    return round(worth * (1 + math.tanh(log_odds / 2)) / 2, 9)


def _followed(found: list[Hit], unread: Sequence[Hit]) -> list[Hit]:
    """What was read, and behind it the rest in its order."""
    lowest = found[-1].score if found else 0.0
    return found + [Hit(hit.element, round(lowest - place, 9), hit.by) for place, hit in enumerate(unread, 1)]


def _table_id(id: ElementId) -> ElementId | None:
    """The table that a cell lies in."""
    return ElementId(id.page, Kind.TABLE, id.path[:1]) if id.kind in _CELLS else None
