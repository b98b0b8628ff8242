"""Rankings become one: plain functions over lists of hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from veritab.errors import InputError
from veritab.schema import Claim, Element, ElementId, Hit, Kind

Scorer = Callable[[Sequence[tuple[str, str]]], Sequence[float]]
"""Scores pairs of a claim and a text: a cross-encoder's `score`, for instance."""

IN_CELLS = frozenset({Kind.CELL, Kind.HEADER_CELL, Kind.ITEM, Kind.TABLE_CAPTION})
"""The kinds that share the official budget of cells; all others share that of sentences."""


def fuse(
    rankings: Sequence[Sequence[Hit]],
    weights: Sequence[float] | None = None,
    *,
    flatness: float = 60.0,
    by: str = "fused",
) -> list[Hit]:
    """One ranking of several, by reciprocal ranks: a hit near the top of any, or in the middle of many, comes first.

    The flatter, the less the first places of a ranking stand out from those that follow.
    """
    if weights is None:
        weights = [1.0] * len(rankings)
    if len(weights) != len(rankings):
        raise InputError(f"{len(rankings)} rankings need as many weights, not {len(weights)}")
    scores: dict[ElementId, float] = {}
    elements: dict[ElementId, Element] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for place, id in enumerate(dict.fromkeys(hit.element.id for hit in ranking)):
            scores[id] = scores.get(id, 0.0) + weight / (flatness + place + 1)
        elements |= {hit.element.id: hit.element for hit in ranking}
    return sort_by_score([Hit(elements[id], round(score, 9), by) for id, score in scores.items()])


def rerank(claim: Claim, hits: Sequence[Hit], scorer: Scorer, *, first: int = 50, by: str = "reranked") -> list[Hit]:
    """The first hits in the order a scorer of pairs gives them; the others follow as they were."""
    head, tail = list(hits[:first]), list(hits[first:])
    if not head:
        return tail
    scores = scorer([(claim.text, readable(hit.element)) for hit in head])
    if len(scores) != len(head):
        raise InputError(f"the scorer gave {len(scores)} scores for {len(head)} pairs")
    ordered = sort_by_score([Hit(hit.element, float(score), by) for hit, score in zip(head, scores, strict=True)])
    lowest = ordered[-1].score
    return ordered + [replace(hit, score=lowest - place) for place, hit in enumerate(tail, 1)]


def readable(element: Element) -> str:
    """An element with what a reader needs to understand it: its title, sections and headers, then its own text."""
    context = [near.text for near in element.context if near.text]
    return " | ".join(dict.fromkeys([*context, element.text])) if element.text else " | ".join(context)


def cut(hits: Sequence[Hit], *, sentences: int = 5, cells: int = 25) -> list[Hit]:
    """The first hits within the official budgets; each element once."""
    left = {True: cells, False: sentences}
    kept: dict[ElementId, Hit] = {}
    for hit in hits:
        budget = hit.element.kind in IN_CELLS
        if left[budget] > 0 and hit.element.id not in kept:
            left[budget] -= 1
            kept[hit.element.id] = hit
    return list(kept.values())


def sort_by_score(hits: Iterable[Hit]) -> list[Hit]:
    """Hits in order, best first; equal ones by their addresses."""
    return sorted(hits, key=lambda hit: (-hit.score, hit.element.id))
