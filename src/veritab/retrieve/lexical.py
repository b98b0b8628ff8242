"""Selection without a model: tables become the cells that words and numbers point to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from veritab.retrieve.cells import LexicalCells
from veritab.retrieve.fuse import cut, sort_by_score
from veritab.schema import Claim, ElementId, Hit, Table


@dataclass(frozen=True)
class LexicalSelector:
    """Keeps the best texts and cells within the budgets; tables are swapped for their cells."""

    table_of: Callable[[ElementId], Table]
    sentences: int = 5
    cells: int = 25

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        """For each claim the best of its hits."""
        chosen = LexicalCells(self.table_of, budget=max(self.cells, 1)).select(claims, hits)
        return [cut(sort_by_score(each), sentences=self.sentences, cells=self.cells) for each in chosen]
