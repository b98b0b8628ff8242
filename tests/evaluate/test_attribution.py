"""Every wrong answer is put down to the stage that lost it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.evaluate.attribution import Attribution, Fault, SystemAnswer, attribute, count_faults
from veritab.evaluate.scores import within_budget
from veritab.schema import Claim, ElementId, Example, Label


def ids(*texts: str) -> tuple[ElementId, ...]:
    return tuple(map(ElementId.parse, texts))


def example(*sets: tuple[str, ...], label: Label = Label.SUPPORTS, silver: bool = False) -> Example:
    return Example(Claim("1", "A claim."), label, tuple(frozenset(ids(*each)) for each in sets), silver=silver)


def fault(gold: Example, *found: str, label: Label = Label.SUPPORTS, read: tuple[str, ...] = ()) -> Fault:
    return attribute(gold, SystemAnswer(label, ids(*found), read), "feverous").fault


def test_a_right_label_on_full_evidence_has_no_fault() -> None:
    gold = example(("K2_sentence_0", "K2_cell_0_1_1"))
    assert fault(gold, "K2_cell_0_1_1", "Nile_sentence_3", "K2_sentence_0") is Fault.NONE


def test_a_wrong_label_on_full_evidence_is_the_fault_of_the_label() -> None:
    gold = example(("K2_sentence_0",))
    assert attribute(gold, SystemAnswer(Label.REFUTES, ids("K2_sentence_0")), "fever") == Attribution(Fault.LABEL)


def test_a_page_that_was_never_read_is_missed() -> None:
    gold = example(("K2_sentence_0", "Nile_sentence_0"))
    found = attribute(gold, SystemAnswer(Label.SUPPORTS, ids("K2_sentence_0")), "feverous")
    assert found == Attribution(Fault.PAGE, ids("Nile_sentence_0"), label_right=True)


def test_a_page_that_was_read_without_effect_leaves_its_element_missed() -> None:
    assert fault(example(("Nile_sentence_0",)), "K2_sentence_0") is Fault.PAGE
    assert fault(example(("Nile_sentence_0",)), "K2_sentence_0", read=("Nile",)) is Fault.ELEMENT


def test_a_cell_is_missed_only_where_its_table_was_reached() -> None:
    gold = example(("K2_cell_0_1_1",))
    assert fault(gold, "K2_cell_0_2_1") is Fault.CELL
    assert fault(gold, "K2_table_caption_0") is Fault.CELL
    assert fault(gold, "K2_cell_1_2_1") is Fault.ELEMENT
    assert fault(gold, "K2_sentence_0") is Fault.ELEMENT


def test_a_missed_sentence_outweighs_a_missed_cell() -> None:
    assert fault(example(("K2_cell_0_1_1", "K2_sentence_4")), "K2_cell_0_2_1") is Fault.ELEMENT


def test_of_several_gold_sets_the_nearest_counts() -> None:
    gold = example(("Nile_sentence_0",), ("K2_sentence_1", "K2_sentence_2"), ("K2_sentence_3",))
    found = attribute(gold, SystemAnswer(Label.REFUTES, ids("K2_sentence_1")), "fever")
    assert found.fault is Fault.ELEMENT
    assert len(found.missing) == 1


def test_evidence_beyond_the_limit_of_the_score_is_told_apart() -> None:
    gold = example(("K2_sentence_9",))
    found = [f"K2_sentence_{number}" for number in (0, 1, 2, 3, 4, 9)]
    assert fault(gold, *found) is Fault.LIMIT
    assert fault(gold, *found[1:]) is Fault.NONE


def test_cells_do_not_use_up_the_room_of_sentences_in_feverous_but_do_in_fever() -> None:
    gold = example(("K2_sentence_9",))
    found = ids(*(f"K2_cell_0_{number}_0" for number in range(5)), "K2_sentence_9")
    assert attribute(gold, SystemAnswer(Label.SUPPORTS, found), "feverous").fault is Fault.NONE
    assert attribute(gold, SystemAnswer(Label.SUPPORTS, found), "fever").fault is Fault.LIMIT


def test_where_nothing_can_be_found_only_the_label_can_be_wrong() -> None:
    gold = example(label=Label.NOT_ENOUGH_INFO)
    assert fault(gold, "K2_sentence_0", label=Label.NOT_ENOUGH_INFO) is Fault.NONE
    assert fault(gold, label=Label.SUPPORTS) is Fault.INVENTED


def test_evidence_that_was_not_annotated_blames_no_stage() -> None:
    assert fault(example(("K2_sentence_0",), silver=True), label=Label.REFUTES) is Fault.UNPLACED
    assert fault(example(), label=Label.REFUTES) is Fault.UNPLACED
    assert fault(example(("K2_sentence_0",), silver=True)) is Fault.NONE


def test_a_task_that_scores_labels_blames_no_stage() -> None:
    gold = example(("K2_sentence_0",))
    assert attribute(gold, SystemAnswer(Label.REFUTES), "faviq").fault is Fault.UNPLACED
    assert attribute(gold, SystemAnswer(Label.SUPPORTS), "fm2").fault is Fault.NONE
    unknown = example(("K2_sentence_0",), label=Label.NOT_ENOUGH_INFO)
    assert attribute(unknown, SystemAnswer(Label.NOT_ENOUGH_INFO), "fever").fault is Fault.NONE
    assert attribute(unknown, SystemAnswer(Label.NOT_ENOUGH_INFO), "feverous").fault is Fault.PAGE


@pytest.mark.parametrize("answer", [None, SystemAnswer(None, ids("K2_sentence_0"))])
def test_no_answer_is_a_fault_of_its_own(answer: SystemAnswer | None) -> None:
    assert attribute(example(("K2_sentence_0",)), answer, "fever").fault is Fault.UNANSWERED


def test_faults_are_counted_in_the_order_of_the_stages() -> None:
    found = [Attribution(Fault.LABEL), Attribution(Fault.PAGE, label_right=True), Attribution(Fault.PAGE)]
    assert count_faults(found) == ((Fault.PAGE, 2, 1), (Fault.LABEL, 1, 0))


SENTENCES = st.builds(
    lambda page, line: ElementId.parse(f"{page}_sentence_{line}"), st.sampled_from("AB"), st.integers(0, 9)
)
CELLS = st.builds(
    lambda page, row: ElementId.parse(f"{page}_cell_0_{row}_0"), st.sampled_from("AB"), st.integers(0, 40)
)
PIECES = st.lists(SENTENCES | CELLS, max_size=60)


@given(PIECES, st.lists(st.frozensets(SENTENCES | CELLS, min_size=1, max_size=4), min_size=1, max_size=3))
def test_an_answer_is_right_exactly_where_a_gold_set_lies_in_what_counts(
    found: list[ElementId], sets: list[frozenset[ElementId]]
) -> None:
    gold = Example(Claim("1", "A claim."), Label.REFUTES, tuple(sets))
    told = attribute(gold, SystemAnswer(Label.REFUTES, found), "feverous")
    complete = any(each <= within_budget(found, "feverous") for each in sets)
    assert (told.fault is Fault.NONE) == complete
    assert bool(told.missing) != complete
