"""The figures of evidence count what a verdict shows against the gold set of which it shows most."""

from __future__ import annotations

import pytest
from benchmarks.evidence import Figures, Shown, gold_of, is_tuned_on, measure

from veritab.schema import Claim, Element, ElementId, Example, Hit, Label, Verdict

SCORES = {Label.SUPPORTS: 0.9, Label.REFUTES: 0.05, Label.NOT_ENOUGH_INFO: 0.05}


def ids(*texts: str) -> frozenset[ElementId]:
    return frozenset(map(ElementId.parse, texts))


def shown(gold: list[frozenset[ElementId]], *found: str) -> Shown:
    claim = Claim("1", "K2 is high.")
    hits = tuple(Hit(Element(ElementId.parse(each), "text"), 0.9, "selector") for each in found)
    return Shown(Example(claim, Label.SUPPORTS, tuple(gold)), Verdict(claim, Label.SUPPORTS, SCORES, hits))


def test_precision_and_recall_are_by_element_and_by_claim() -> None:
    first = (ids("K2_sentence_0", "K2_sentence_1"), ids("K2_sentence_0"))
    second = (ids("K2_cell_0_1_1"), ids("K2_cell_0_1_1", "K2_cell_0_2_1", "K2_cell_0_3_1"))
    found = Figures.of([first, second])
    assert (found.micro_precision, found.micro_recall) == pytest.approx((2 / 3, 2 / 4))
    assert (found.macro_precision, found.macro_recall) == pytest.approx(((1 / 2 + 1) / 2, (1 + 1 / 3) / 2))
    assert found.size == 1.5


def test_of_several_gold_sets_the_one_counts_of_which_most_is_shown() -> None:
    gold = [ids("K2_sentence_0", "K2_sentence_1"), ids("K2_sentence_2")]
    assert measure([shown(gold, "K2_sentence_2", "K2_sentence_0")], lambda verdict: verdict).macro_recall == 1


def test_headers_and_titles_are_context_on_both_sides() -> None:
    assert gold_of(ids("K2_header_cell_0_0_1", "K2_title", "K2_cell_0_1_1")) == ids("K2_cell_0_1_1")
    found = measure([shown([ids("K2_cell_0_1_1")], "K2_cell_0_1_1", "K2_header_cell_0_0_1")], lambda verdict: verdict)
    assert (found.macro_precision, found.size) == (1, 1)


def test_the_halves_depend_on_the_claim_alone() -> None:
    examples = [Example(Claim(str(number), f"Claim {number}."), None) for number in range(200)]
    assert 70 < sum(map(is_tuned_on, examples)) < 130
