"""Retrieval and a model have a say each in which texts are evidence."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from veritab.errors import InputError
from veritab.retrieve.rerank import InterpolatedReranker
from veritab.schema import Claim, Element, ElementId, Hit, Kind

CLAIM = Claim("1", "x")


def _hit(kind: Kind, number: int, score: float, by: str = "texts") -> Hit:
    path = (number, 0, 0) if kind is Kind.CELL else (number,)
    return Hit(Element(ElementId("P", kind, path), "text"), score, by)


class Told:
    """Gives the scores it was told, by number; swaps a table for one cell."""

    def __init__(self, scores: dict[int, float]) -> None:
        self._scores = scores
        self.tables: list[int] = []

    def select(self, claims: Sequence[Claim], hits: Sequence[Sequence[Hit]]) -> list[list[Hit]]:
        return [[self._one(hit) for hit in found] for found in hits]

    def _one(self, hit: Hit) -> Hit:
        number = hit.element.id.path[0]
        if hit.element.kind is Kind.TABLE:
            self.tables.append(number)
            return _hit(Kind.CELL, number, 0.4, "selector")
        return Hit(hit.element, self._scores[number], "selector")


def _order(hits: Sequence[Hit]) -> list[int]:
    return [hit.element.id.path[0] for hit in hits]


def test_a_text_that_both_think_well_of_comes_before_one_that_only_one_does() -> None:
    hits = [_hit(Kind.SENTENCE, 0, 0.9), _hit(Kind.SENTENCE, 1, 0.8), _hit(Kind.SENTENCE, 2, 0.1)]
    model = Told({0: 0.1, 1: 0.8, 2: 0.9})
    assert _order(InterpolatedReranker(model, 0.5).select([CLAIM], [hits])[0])[0] == 1
    assert _order(InterpolatedReranker(model, 0.0).select([CLAIM], [hits])[0]) == [0, 1, 2]
    assert _order(InterpolatedReranker(model, 1.0).select([CLAIM], [hits])[0]) == [2, 1, 0]


def test_only_the_best_tables_are_read_and_their_cells_keep_their_scores() -> None:
    hits = [_hit(Kind.TABLE, number, 0.9 - number / 10) for number in range(6)]
    model = Told({})
    (found,) = InterpolatedReranker(model, tables=2).select([CLAIM], [hits])
    assert model.tables == [0, 1]
    assert [hit.score for hit in found] == [0.4, 0.4]


def test_the_budgets_cut_after_the_scores_are_joined() -> None:
    hits = [_hit(Kind.SENTENCE, number, 0.5) for number in range(9)]
    model = Told({number: number / 10 for number in range(9)})
    assert _order(InterpolatedReranker(model, sentences=2).select([CLAIM], [hits])[0]) == [8, 7]


def test_what_the_model_did_not_read_comes_last_whatever_its_score() -> None:
    hits = [_hit(Kind.SENTENCE, 0, 0.6), _hit(Kind.SENTENCE, 1, 0.5)]
    assert _order(InterpolatedReranker(Told({0: -1.0, 1: 0.5})).select([CLAIM], [hits])[0]) == [1, 0]


def test_a_weight_is_a_share() -> None:
    with pytest.raises(InputError, match=r"the weight is 1\.5; it must lie between 0 and 1"):
        InterpolatedReranker(Told({}), 1.5)
