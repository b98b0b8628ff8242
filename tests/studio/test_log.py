"""Drafts, undo, evidence and published operations, folded from the log."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.errors import InputError
from veritab.schema import ElementId
from veritab.studio.log import LONGEST_VALUE, LogEvent, LogOperation, check_event, fold, format_seconds

NILE, DANUBE, CELL = "Nile_sentence_0", "Danube_sentence_2", "Danube_cell_0_3_1"
IDS = {text: ElementId.parse(text) for text in (NILE, DANUBE, CELL)}


def log(*entries: str | tuple[str, str]) -> list[LogEvent]:
    """Events a second apart: "undo", ("highlight", id), ..."""
    events = []
    for number, entry in enumerate(entries):
        name, value = entry if isinstance(entry, tuple) else (entry, "")
        events.append(LogEvent(LogOperation[name.upper()], value, float(number), f"{number}"))
    return events


def test_highlights_fill_the_current_set_in_order() -> None:
    draft = fold(log(("highlight", NILE), ("highlight", CELL), ("evidence_set", "2"), ("highlight", NILE)))
    assert draft.sets == ((IDS[NILE], IDS[CELL]), (IDS[NILE],))
    assert draft.current == 2


def test_a_piece_is_in_a_set_once() -> None:
    assert fold(log(("highlight", NILE), ("highlight", NILE))).sets == ((IDS[NILE],),)


def test_undo_takes_back_one_step_and_redo_brings_it_back() -> None:
    events = log(("highlight", NILE), ("highlight", CELL), "undo")
    assert fold(events).sets == ((IDS[NILE],),)
    assert fold(events).can_redo
    assert fold([*events, *log("redo")]).sets == ((IDS[NILE], IDS[CELL]),)


def test_something_new_after_undo_cannot_be_redone() -> None:
    draft = fold(log(("highlight", NILE), "undo", ("highlight", CELL), "redo"))
    assert draft.sets == ((IDS[CELL],),)
    assert not draft.can_redo


def test_a_row_that_one_key_adds_is_undone_as_one() -> None:
    row = [LogEvent(LogOperation.HIGHLIGHT, f"Danube_cell_0_3_{column}", 1.0, f"row/{column}") for column in range(4)]
    assert len(fold(row).sets[0]) == 4
    assert fold([*row, *log("undo")]).sets == ((),)


def test_writing_into_one_field_is_one_step() -> None:
    events = log(("write", "claim-1=The"), ("write", "claim-1=The Nile"), ("write", "claim-2=A"), "undo")
    assert fold(events).fields == {"claim-1": "The Nile"}
    assert fold([*events, *log("undo")]).fields == {}


def test_fields_and_pieces_of_one_gesture_are_undone_together() -> None:
    gesture = [
        LogEvent(LogOperation.HIGHLIGHT, NILE, 0.0, "a/0"),
        LogEvent(LogOperation.WRITE, "misled=no", 0.0, "a/1"),
        LogEvent(LogOperation.WRITE, "verdict=NOT ENOUGH INFO", 0.0, "a/2"),
    ]
    assert fold(gesture).fields == {"misled": "no", "verdict": "NOT ENOUGH INFO"}
    undone = fold([*gesture, *log("undo")])
    assert (undone.sets, undone.fields, undone.can_undo) == (((),), {}, False)


def test_what_a_field_holds_may_have_any_signs() -> None:
    assert fold(log(("write", "note=a=b\n<script>"))).fields == {"note": "a=b\n<script>"}


def test_undoing_a_highlight_is_published_as_deleting_it() -> None:
    operations = fold(log(("start", "start"), ("highlight", NILE), "undo", ("finish", "finish"))).operations
    assert [(each.operation, each.value, each.time) for each in operations] == [
        ("start", "start", "0"),
        ("Highlighting", NILE, "1"),
        ("Highlighting deleted", NILE, "2"),
        ("finish", "finish", "3"),
    ]


def test_our_own_operations_are_not_published() -> None:
    assert fold(log(("write", "verdict=SUPPORTS"), ("evidence_set", "2"))).operations == ()


def test_nothing_to_undo_changes_nothing() -> None:
    assert fold(log("undo", "redo")).sets == ((),)


@pytest.mark.parametrize(("seconds", "text"), [(0.0, "0"), (72.882, "72.882"), (130.0, "130"), (0.1 + 0.2, "0.3")])
def test_seconds_are_written_as_in_the_published_data(seconds: float, text: str) -> None:
    assert format_seconds(seconds) == text


@pytest.mark.parametrize(
    ("operation", "value"),
    [("HIGHLIGHT", "nothing"), ("EVIDENCE_SET", "21"), ("EVIDENCE_SET", "0"), ("EVIDENCE_SET", ""), ("WRITE", "no sign"), ("WRITE", "=x"),
     ("SEARCH", "x" * (LONGEST_VALUE + 1)), ("WRITE", "note=a\x00b")],
)  # fmt: skip
def test_an_event_that_cannot_be_folded_is_refused_at_the_door(operation: str, value: str) -> None:
    with pytest.raises(InputError):
        check_event(LogEvent(LogOperation[operation], value, 0.0))


STEPS = st.one_of(
    st.tuples(st.just("highlight"), st.sampled_from(sorted(IDS))),
    st.tuples(st.just("unhighlight"), st.sampled_from(sorted(IDS))),
    st.tuples(st.just("evidence_set"), st.sampled_from("123")),
    st.tuples(st.just("write"), st.sampled_from(["verdict=SUPPORTS", "verdict=REFUTES", "challenge=Other"])),
    st.sampled_from(["undo", "redo"]),
)


@given(st.lists(STEPS, max_size=30))
def test_as_many_undos_as_it_takes_lead_back_to_nothing_and_redos_to_the_end(
    steps: list[str | tuple[str, str]],
) -> None:
    events = log(*steps)
    end = fold(events)
    back = list(events)
    while fold(back).can_undo:
        back += log("undo")
    assert not fold(back).evidence
    assert not fold(back).fields
    forth = list(back)
    undone = len(back) - len(events)
    for _ in range(undone):
        forth += log("redo")
    assert (fold(forth).evidence, fold(forth).fields) == (end.evidence, end.fields)


@given(st.lists(STEPS, max_size=30))
def test_published_highlights_add_up_to_the_evidence(steps: list[str | tuple[str, str]]) -> None:
    draft = fold(log(*[step for step in steps if step[0] != "evidence_set"]))
    chosen: set[str] = set()
    for operation in draft.operations:
        if operation.operation == "Highlighting":
            chosen.add(operation.value)
        else:
            chosen.discard(operation.value)
    assert chosen == {str(id) for id in draft.sets[0]}


def test_evidence_that_was_imported_is_folded_and_not_published() -> None:
    draft = fold(log(("highlight", NILE), ("evidence_added", CELL), ("evidence_removed", NILE)))
    assert draft.evidence == ((IDS[CELL],),)
    assert [each.operation for each in draft.operations] == ["Highlighting"]
    for operation in (LogOperation.EVIDENCE_ADDED, LogOperation.EVIDENCE_REMOVED):
        with pytest.raises(InputError, match="by imports alone"):
            check_event(LogEvent(operation, CELL, 1.0))
