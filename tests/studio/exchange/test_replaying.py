"""Annotations from elsewhere, as events of our own."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from veritab.schema import ElementId
from veritab.studio.exchange.replaying import replay
from veritab.studio.log import PUBLISHED, EvidenceSets, LogEvent, LogOperation, fold, format_seconds

IDS = [ElementId.parse(f"Nile_sentence_{number}") for number in range(5)]
A, B, C, D, E = IDS
HIGHLIGHT, UNHIGHLIGHT = LogOperation.HIGHLIGHT, LogOperation.UNHIGHLIGHT


def log(*steps: tuple[LogOperation, ElementId]) -> list[LogEvent]:
    return [LogEvent(operation, str(id), float(second)) for second, (operation, id) in enumerate(steps)]


def own_events(operations: list[LogEvent], sets: EvidenceSets) -> list[tuple[str, str]]:
    return [
        (each.operation.value, each.value) for each in replay(operations, sets, ()) if each.operation not in PUBLISHED
    ]


def test_operations_that_add_up_need_nothing_else() -> None:
    assert own_events(log((HIGHLIGHT, A), (HIGHLIGHT, B), (UNHIGHLIGHT, A)), ((B,),)) == []


def test_pieces_go_into_the_set_that_has_them_in_the_end() -> None:
    operations = log((HIGHLIGHT, A), (HIGHLIGHT, C), (HIGHLIGHT, B))
    assert own_events(operations, ((A, B), (C,))) == [("Evidence set", "2"), ("Evidence set", "1")]


def test_what_was_never_taken_back_and_what_was_lost_is_made_up_for() -> None:
    assert own_events(log((HIGHLIGHT, A), (HIGHLIGHT, B)), ((A, C),)) == [
        ("Evidence removed", str(B)),
        ("Evidence added", str(C)),
    ]
    assert own_events([], ((A,), (A, B))) == [
        ("Evidence added", str(A)),
        ("Evidence set", "2"),
        ("Evidence added", str(A)),
        ("Evidence added", str(B)),
    ]


STEPS = st.tuples(st.sampled_from([HIGHLIGHT, UNHIGHLIGHT, LogOperation.NOW_ON]), st.sampled_from(IDS))
SETS = st.lists(st.lists(st.sampled_from(IDS), unique=True, min_size=1).map(tuple), max_size=4).map(tuple)


@given(st.lists(STEPS, max_size=12), SETS)
@example([(HIGHLIGHT, A)], ())
@example([(HIGHLIGHT, B), (HIGHLIGHT, A)], ((A, B),))
def test_fold_gives_every_annotation_again_and_publishes_its_operations_alone(
    steps: list[tuple[LogOperation, ElementId]], sets: EvidenceSets
) -> None:
    operations = log(*steps)
    events = replay(operations, sets, (("verdict", "SUPPORTS"), ("challenge", "Other")))
    draft = fold(events)
    assert draft.evidence == sets
    assert dict(draft.fields) == {"verdict": "SUPPORTS", "challenge": "Other"}
    published = [(each.operation.value, each.value, format_seconds(each.seconds)) for each in operations]
    assert [tuple(each) for each in draft.operations] == published
    assert len({event.key for event in events}) == len(events)
    seconds = [event.seconds for event in events]
    assert seconds == sorted(seconds)
