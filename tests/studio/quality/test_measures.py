"""An answer against gold: the official meaning of precision and recall, and what people are graded by besides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from veritab.schema import ElementId
from veritab.studio.quality import Measures, match_evidence, measure
from veritab.studio.quality.measures import parse_sets

NILE, ALPS, RHINE = "Nile_sentence_0", "Alps_cell_0_1_2", "Rhine_item_0_3"
GOLD = {"label": "REFUTES", "evidence": [[NILE, ALPS], [RHINE]], "challenge": "Numerical Reasoning"}


def measured(label: str, *sets: list[str], challenge: str = "Other", gold: Mapping[str, Any] = GOLD) -> Measures:
    return measure(label, parse_sets(sets), challenge, gold)


def test_the_right_answer_gets_everything() -> None:
    right = measured("REFUTES", [NILE, ALPS], [RHINE], challenge="Numerical Reasoning")
    assert right == (True, True, 1.0, 1.0, 2, 2)


def test_recall_needs_one_whole_set_and_precision_counts_pieces() -> None:
    half = measured("REFUTES", [NILE, "Oder_sentence_1"])
    assert (half.precision, half.recall, half.complete) == (0.5, 0.0, 0)
    whole = measured("SUPPORTS", [RHINE, "Oder_sentence_1"])
    assert (whole.label, whole.precision, whole.recall, whole.complete) == (False, 0.5, 1.0, 1)


def test_a_gold_set_spread_over_two_sets_is_recalled_but_not_complete() -> None:
    spread = measured("REFUTES", [NILE], [ALPS])
    assert (spread.recall, spread.complete, spread.gold_sets) == (1.0, 0, 2)


def test_a_piece_in_two_sets_is_one_piece() -> None:
    assert measured("REFUTES", [NILE, "Oder_sentence_1"], [NILE, "Oder_sentence_2"]).precision == 1 / 3


def test_people_have_no_budget() -> None:
    many = [f"Nile_sentence_{number}" for number in range(40)]
    gold = {"label": "SUPPORTS", "evidence": [many]}
    assert measured("SUPPORTS", many, gold=gold).recall == 1.0


def test_gold_without_evidence_asks_for_none() -> None:
    gold = {"label": "NOT ENOUGH INFO", "evidence": []}
    for sets in ([], [[NILE]]):
        assert measured("NOT ENOUGH INFO", *sets, gold=gold) == (True, None, None, None, 0, 0)
    assert measured("SUPPORTS", [NILE], gold={"label": "NOT ENOUGH INFO"}).label is False


def test_gold_without_enough_information_may_have_evidence() -> None:
    gold = {"label": "NOT ENOUGH INFO", "evidence": [[NILE]]}
    assert measured("NOT ENOUGH INFO", gold=gold)[2:4] == (1.0, 0.0)  # nothing named is precise, officially
    assert measured("NOT ENOUGH INFO", [NILE, ALPS], gold=gold)[2:4] == (0.5, 1.0)


def test_titles_with_underscores_and_other_letters_are_told_apart() -> None:
    gold = {"label": "SUPPORTS", "evidence": [["Müll_er_sentence_1"]]}
    assert measured("SUPPORTS", ["Müll_er_sentence_1"], gold=gold).recall == 1.0
    assert measured("SUPPORTS", ["Müll_sentence_1"], gold=gold).precision == 0.0


IDS = st.sampled_from([ElementId.parse(f"{page}_sentence_{number}") for page in "AB" for number in range(4)])
SETS = st.lists(st.lists(IDS, min_size=1, max_size=4, unique=True), max_size=3)


@given(SETS, SETS)
def test_the_measures_are_what_their_names_say(sets: list[list[ElementId]], wanted: list[list[ElementId]]) -> None:
    found = measure("SUPPORTS", sets, "", {"label": "supports", "evidence": [list(map(str, each)) for each in wanted]})
    named, right = {id for each in sets for id in each}, {id for each in wanted for id in each}
    assert found.label
    if wanted:
        assert found.precision == (len(named & right) / len(named) if named else 1.0)
        assert found.recall == float(any(set(each) <= named for each in wanted))
        assert found.complete == sum(any(set(each) <= set(own) for own in sets) for each in wanted)
    else:
        assert (found.precision, found.recall) == (None, None)


def test_the_evidence_match_is_the_papers() -> None:
    first, second = parse_sets([[NILE, ALPS]]), parse_sets([[ALPS], [RHINE], [ALPS, RHINE]])
    assert match_evidence(first, second) == 2 * 1 / (2 + 2)
    assert match_evidence(first, first) == 1.0
    assert match_evidence(first, ()) == 0.0
    assert match_evidence((), ()) is None
