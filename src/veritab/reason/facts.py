"""Derived facts: what a careful reader would compute from a table to judge a claim, in short sentences.

First the results of the most probable programs, then the rows that the claim names, then summaries of the columns it
mentions. Every fact has the cells it was computed from, so that facts are evidence too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.parsing.ranking import CandidateRanking, ScoredCandidate
from veritab.reason.programs.denotations import CellGroup, CellGroups, RowNumbers
from veritab.reason.programs.english import explain
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.printing import format_value, truncate
from veritab.reason.programs.programs import Aggregate, Aggregation, All
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.schema import ElementId

# The results of the first programs come before the rows, those of less probable ones after.
_FIRST_PROGRAMS, _MORE_PROGRAMS = 3, 8
_MIN_PROBABILITY = 0.02
_MAX_ROWS = 6
# Rows that match this much less of the claim than the best one are left out.
_MIN_OF_BEST = 0.2
_MAX_TIED = 3
_MAX_IN_ROW = 10
_MAX_CELLS = 40
_MAX_TEXT = 60
_MAX_VALUES = 6


@dataclass(frozen=True)
class Fact:
    """A sentence derived from a table, and the cells it was computed from."""

    text: str
    cells: tuple[ElementId, ...]
    weight: float
    """Its relevance to the claim, by which facts of several tables are sorted."""


def derive_facts(links: EntityLinks, ranking: CandidateRanking) -> tuple[Fact, ...]:
    """The facts relevant to a claim, the most relevant first, without duplicates."""
    unique: dict[str, Fact] = {}
    for fact in _FactWriter(links).facts(ranking):
        unique.setdefault(fact.text, fact)
    return tuple(unique.values())


def truncate_facts(facts: Iterable[Fact], most: int) -> tuple[Fact, ...]:
    """The first facts that fit in a budget of words."""
    kept, left = [], most
    for fact in facts:
        left -= len(fact.text.split())
        if left < 0:
            break
        kept.append(fact)
    return tuple(kept)


def cell_ids(table: TypedTable, blocks: CellGroups, most_rows: int) -> tuple[ElementId, ...]:
    """The ids of cells and of the cells that name their rows, without duplicates, in reading order."""
    found: dict[ElementId, None] = {}
    for block in blocks:
        for row in block.rows[:most_rows]:
            for column in (table.key, block.column):
                cell = table.cell(row, column) if column is not None else None
                if cell:
                    found[cell] = None
    return tuple(found)


class _FactWriter:
    def __init__(self, links: EntityLinks) -> None:
        self.links = links
        self.table: TypedTable = links.table
        self.executor: Executor = links.executor
        self.conditions = [condition for slot in links.slots for condition in slot.conditions]
        self._columns = self._by_relevance()

    def facts(self, ranking: CandidateRanking) -> Iterator[Fact]:
        ranked = ranking.candidates
        yield from self._program_facts(ranked[:_FIRST_PROGRAMS], 2.0)
        yield from self._row_facts()
        more = ranked[_FIRST_PROGRAMS : _FIRST_PROGRAMS + _MORE_PROGRAMS]
        yield from self._program_facts([each for each in more if each.probability >= _MIN_PROBABILITY], 0.5)
        yield from self._column_facts()

    # -- what programs computed

    def _program_facts(self, ranked: Sequence[ScoredCandidate], weight: float) -> Iterator[Fact]:
        for each in ranked:
            text = explain(each.candidate.program, self.executor)
            yield Fact(f"{text}.", self._addresses(each.candidate.truth.cells), weight * each.probability)

    def _addresses(self, blocks: CellGroups) -> tuple[ElementId, ...]:
        headers = [header for block in blocks for header in self.table.columns[block.column].header_cells]
        return tuple(dict.fromkeys((*headers, *cell_ids(self.table, blocks, _MAX_CELLS))))

    # -- rows the claim names

    def _row_facts(self) -> Iterator[Fact]:
        scores = self._row_scores()
        best = sorted(scores, key=lambda row: (-scores[row], row))[:_MAX_ROWS]
        for row in best:
            if scores[row] >= _MIN_OF_BEST * scores[best[0]]:
                yield self._read_out(row, scores[row])

    def _row_scores(self) -> dict[int, float]:
        """How much of the claim each row matches; a phrase that many rows match counts little."""
        scores: dict[int, float] = defaultdict(float)
        for slot in self.links.slots:
            best: dict[int, float] = defaultdict(float)
            for condition in slot.conditions:
                if condition.is_limit or not condition.rows:
                    continue
                relevance = (0.3 + condition.likelihood) / (1 + len(condition.rows) / 8)
                for row in sorted(condition.rows)[:500]:
                    best[row] = max(best[row], relevance)
            for row, relevance in best.items():
                scores[row] += relevance
        return scores

    def _by_relevance(self) -> list[int]:
        """The columns, those first that the claim names or whose cells it mentions."""
        relevance: dict[int, float] = defaultdict(float)
        for mention in self.links.mentions.values():
            relevance[mention.column] += mention.weight
        for condition in self.conditions:
            relevance[condition.column] += 0.5 * condition.likelihood
        if self.table.key is not None:
            relevance[self.table.key] += 1.0
        return sorted(range(len(self.table.columns)), key=lambda column: (-relevance[column], column))

    def _read_out(self, row: int, weight: float) -> Fact:
        said, cells = [], []
        for column in sorted(self._columns[:_MAX_IN_ROW]):
            typed = self.table.columns[column]
            text = typed.texts[row]
            if not text:
                continue
            said.append(f"{truncate(typed.name, _MAX_TEXT)} is {truncate(text, _MAX_TEXT)}")
            cells += [*typed.header_cells, self.table.cell(row, column)]
        cell_ids = tuple(dict.fromkeys(cell for cell in cells if cell))
        return Fact(f"Row {row + 1}: {'; '.join(said)}.", cell_ids, weight)

    # -- columns the claim mentions

    def _column_facts(self) -> Iterator[Fact]:
        for number in self._columns[:4] if self.table.height > 1 else ():
            column = self.table.columns[number]
            if column.type is ColumnType.NUMBER:
                yield from self._numbers(column)
            elif column.type is not ColumnType.DATE:
                yield from self._values(column)

    def _numbers(self, column: Column) -> Iterator[Fact]:
        said, cells = [], list(column.header_cells)
        for aggregation in Aggregation:
            found = self.executor.compute(Aggregate(aggregation, column.number, All()))
            if found.value is None:
                continue
            extreme = aggregation in (Aggregation.HIGHEST, Aggregation.LOWEST)
            rows = found.cells[-1].rows[:_MAX_TIED] if extreme else ()
            said.append(f"{aggregation.value} {format_value(found.value)}{self._named(rows)}")
            cells += self._addresses((CellGroup(rows, column.number),))
        if said:
            yield Fact(f"{column.name}: {', '.join(said)}.", tuple(dict.fromkeys(cells)), 0.1)

    def _named(self, rows: RowNumbers) -> str:
        """The names of rows, in brackets."""
        key = self.table.key
        names = [truncate(self.table.columns[key].texts[row], _MAX_TEXT) for row in rows] if key is not None else []
        return f" ({', '.join(filter(None, names))})" if any(names) else ""

    def _values(self, column: Column) -> Iterator[Fact]:
        counts = Counter(text for text in column.texts if text)
        repeated = [(text, count) for text, count in counts.most_common(_MAX_VALUES) if count > 1]
        if repeated:
            said = ", ".join(f"{truncate(text, _MAX_TEXT)} {count} times" for text, count in repeated)
            yield Fact(f"{column.name}: {said}; {len(counts)} different.", column.header_cells, 0.1)
