"""Rankings become one: fused, reordered by a scorer, cut to a budget."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import InputError
from veritab.retrieve.fuse import cut, fuse, readable, rerank
from veritab.schema import Claim, Context, Element, ElementId, Hit, Kind


def hit(name: str, score: float = 1.0, kind: Kind = Kind.SENTENCE) -> Hit:
    path = {Kind.CELL: (0, 0, 0), Kind.ITEM: (0, 0)}.get(kind, (0,))
    return Hit(Element(ElementId(name, kind, path), name), score, "test")


def names(hits: Sequence[Hit]) -> list[str]:
    return [found.element.text for found in hits]


def test_what_several_rankings_like_comes_before_what_one_likes() -> None:
    assert names(fuse([[hit("a"), hit("b"), hit("c")], [hit("b"), hit("d")], [hit("c"), hit("b")]])) == list("bcad")


def test_a_weight_makes_a_ranking_count_for_more() -> None:
    rankings = [[hit("a"), hit("b")], [hit("b"), hit("a")]]
    assert names(fuse(rankings, [2, 1])) == ["a", "b"]
    assert names(fuse(rankings, [1, 2])) == ["b", "a"]


def test_equal_hits_come_in_the_order_of_their_addresses() -> None:
    assert names(fuse([[hit("b")], [hit("a")]])) == ["a", "b"]


def test_a_hit_twice_in_a_ranking_counts_once_at_its_first_place() -> None:
    once, twice = fuse([[hit("a"), hit("b")]]), fuse([[hit("a"), hit("a"), hit("b"), hit("a")]])
    assert [(f.element, f.score) for f in once] == [(f.element, f.score) for f in twice]


def test_no_rankings_make_no_ranking() -> None:
    assert fuse([]) == []
    assert fuse([[], []]) == []


def test_weights_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="2 rankings need as many weights, not 1"):
        fuse([[], []], [1.0])


@given(st.lists(st.lists(st.sampled_from("abcdefg"), max_size=7), max_size=4))
def test_fusing_loses_and_invents_nothing(rankings: list[list[str]]) -> None:
    fused = fuse([[hit(name) for name in ranking] for ranking in rankings])
    assert sorted(names(fused)) == sorted({name for ranking in rankings for name in ranking})
    assert [f.score for f in fused] == sorted((f.score for f in fused), reverse=True)


def by_length(pairs: Sequence[tuple[str, str]]) -> list[float]:
    return [float(len(text)) for _, text in pairs]


def test_a_scorer_orders_the_first_hits_and_leaves_the_others_behind_them() -> None:
    hits = [hit("a"), hit("bbb"), hit("cc"), hit("dddd")]
    reranked = rerank(Claim("1", "claim"), hits, by_length, first=3)
    assert names(reranked) == ["bbb", "cc", "a", "dddd"]
    assert [f.score for f in reranked] == sorted((f.score for f in reranked), reverse=True)


def test_a_scorer_that_forgets_a_pair_is_found_out() -> None:
    with pytest.raises(InputError, match="gave 1 scores for 2 pairs"):
        rerank(Claim("1", "claim"), [hit("a"), hit("b")], lambda pairs: [1.0])


def test_nothing_to_rerank_is_nothing() -> None:
    assert rerank(Claim("1", "claim"), [], by_length) == []


def test_an_element_is_read_with_its_context() -> None:
    context = (Context(ElementId("P", Kind.TITLE), "P"), Context(ElementId("P", Kind.SECTION, (0,)), "History"))
    element = Element(ElementId("P", Kind.CELL, (0, 1, 1)), "8,849", (), context)
    assert readable(element) == "P | History | 8,849"


def test_sentences_and_cells_have_budgets_of_their_own() -> None:
    hits = [hit(f"s{n}") for n in range(4)] + [hit(f"c{n}", kind=Kind.CELL) for n in range(4)]
    hits += [hit("i", kind=Kind.ITEM), hit("t", kind=Kind.TABLE_CAPTION)]
    assert names(cut(hits, sentences=2, cells=5)) == ["s0", "s1", "c0", "c1", "c2", "c3", "i"]


def test_an_element_uses_its_budget_once() -> None:
    assert names(cut([hit("a"), hit("a"), hit("b")], sentences=2)) == ["a", "b"]
