"""What retrieval says of a text and what a model says of it, weighed together before the budgets cut."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from veritab.errors import InputError
from veritab.retrieve.fuse import by_score, cut
from veritab.schema import Claim, ElementId, Hit, Kind, Selector

_SMALLEST = 1e-6


@dataclass(frozen=True)
class BlendedSelector:
    """Keeps the best texts and cells: texts by the log odds of a selector and of what found them, added by weight.

    The selector reads the best `tables` tables only, since the cells of all it reads compete for one budget, and
    should itself keep every text. The cells are as it has them.
    """

    selector: Selector
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
        selected = self.selector.select(claims, kept)
        return [self._blended(found, chosen) for found, chosen in zip(kept, selected, strict=True)]

    def _without_more_tables(self, hits: Sequence[Hit]) -> list[Hit]:
        tables = [hit for hit in hits if hit.element.kind is Kind.TABLE][self.tables :]
        return [hit for hit in hits if hit not in tables]

    def _blended(self, found: Sequence[Hit], chosen: Sequence[Hit]) -> list[Hit]:
        before = {hit.element.id: hit.score for hit in found if hit.element.kind is not Kind.TABLE}
        scored = [replace(hit, score=self._score(hit, before)) for hit in chosen]
        return cut(by_score(scored), sentences=self.sentences, cells=self.cells)

    def _score(self, hit: Hit, before: dict[ElementId, float]) -> float:
        if hit.element.id not in before:
            return hit.score
        odds = self.weight * _log_odds(hit.score) + (1 - self.weight) * _log_odds(before[hit.element.id])
        return round((1 + math.tanh(odds / 2)) / 2, 9)


def _log_odds(probability: float) -> float:
    """What was not read at all has a score below 0, and counts as next to impossible."""
    sure = min(max(probability, _SMALLEST), 1 - _SMALLEST)
    return math.log(sure / (1 - sure))
