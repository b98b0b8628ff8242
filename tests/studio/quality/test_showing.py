"""Answers side by side: who sees which, under what name, and what is marked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from tests.studio.quality.scene import ALPS, GOLD, NEI, NILE, REFUTES, SUPPORTS, Scene
from veritab.errors import Conflict, NotAllowed, NotFound
from veritab.schema import ElementId
from veritab.studio import quality
from veritab.studio.records import AnnotationRecord, MembershipRecord, TaskRecord
from veritab.studio.states import MemberStep
from veritab.studio.vocabulary import Pool


def test_managers_see_pseudonyms_and_what_differs(scene: Scene) -> None:
    owl, task = scene.manager(), scene.task(wanted=2)
    scene.answer(task, scene.member("ibis"), SUPPORTS, [[NILE, ALPS]], fields={"note": "Sure."})
    scene.answer(task, scene.member("crow"), REFUTES, [[NILE], ["Oder_item_0_1"]])
    first, second = quality.answers_of(scene.session, task, viewer=owl)
    assert (first.who, second.who) == ("ibis", "crow")
    assert (first.label, second.label, first.fields) == (SUPPORTS, REFUTES, {"note": "Sure."})
    assert first.differs == second.differs == {"label", "evidence"}
    assert first.unshared == {ElementId.parse(ALPS)}
    assert second.unshared == {ElementId.parse("Oder_item_0_1")}
    assert first.match == second.match == 0.5
    assert [[str(id) for id in pieces] for pieces in second.sets] == [[NILE], ["Oder_item_0_1"]]


def test_agreement_marks_nothing(scene: Scene) -> None:
    owl, task = scene.manager(), scene.task(wanted=2)
    for name, sets in (("ibis", [[NILE], [ALPS]]), ("crow", [[ALPS], [NILE]])):
        scene.answer(task, scene.member(name), NEI, sets)
    for answer in quality.answers_of(scene.session, task, viewer=owl):
        assert (answer.differs, answer.unshared, answer.match) == (frozenset(), frozenset(), 1.0)


def test_the_challenge_is_compared_too(scene: Scene) -> None:
    owl, task = scene.manager(), scene.task(wanted=2)
    scene.answer(task, scene.member("ibis"), NEI, (), "Other")
    scene.answer(task, scene.member("crow"), NEI, (), "Numerical Reasoning")
    shown = quality.answers_of(scene.session, task, viewer=owl)
    assert [(answer.differs, answer.match) for answer in shown] == [(frozenset({"challenge"}), None)] * 2


def test_a_single_answer_has_nothing_to_be_compared_with(scene: Scene) -> None:
    task = scene.task()
    scene.answer(task, scene.member("ibis"))
    [answer] = quality.answers_of(scene.session, task, viewer=scene.manager())
    assert (answer.differs, answer.unshared, answer.match) == (frozenset(), frozenset(), None)


def test_of_three_answers_the_match_is_a_mean(scene: Scene) -> None:
    owl, task = scene.manager(), scene.task(wanted=3)
    for name, sets in (("ibis", [[NILE]]), ("crow", [[NILE]]), ("wren", [[ALPS]])):
        scene.answer(task, scene.member(name), SUPPORTS, sets)
    shown = quality.answers_of(scene.session, task, viewer=owl)
    assert [answer.match for answer in shown] == [0.5, 0.5, 0.0]


def test_annotators_see_the_others_without_names_once_it_is_settled(scene: Scene) -> None:
    task, ibis, crow = scene.task(wanted=2), scene.member("ibis"), scene.member("crow")
    scene.answer(task, ibis)
    with pytest.raises(Conflict, match="the task is open; others' answers are shown once it is settled"):
        quality.answers_of(scene.session, task, viewer=ibis)
    scene.answer(task, crow)
    for viewer, own in ((ibis, [True, False]), (crow, [False, True])):
        shown = quality.answers_of(scene.session, task, viewer=viewer)
        assert [answer.who for answer in shown] == ["Annotator A", "Annotator B"]
        assert [answer.is_own for answer in shown] == own


def test_answers_in_dispute_are_hidden_from_those_who_gave_them(scene: Scene) -> None:
    task, ibis, owl = scene.task(wanted=2), scene.member("ibis"), scene.manager()
    scene.answer(task, ibis, SUPPORTS)
    scene.answer(task, scene.member("crow"), REFUTES)
    with pytest.raises(Conflict, match="the task is disputed"):
        quality.answers_of(scene.session, task, viewer=ibis)
    quality.adjudicate(scene.session, task, by=owl.account_id, label=NEI, reason="So.", now=scene.tick())
    assert len(quality.answers_of(scene.session, task, viewer=ibis)) == 2


def test_whoever_did_not_answer_a_task_does_not_see_its_answers(scene: Scene) -> None:
    task, crow = scene.task(), scene.member("crow")
    scene.answer(task, scene.member("ibis"))
    with pytest.raises(NotAllowed, match="only those who answered"):
        quality.answers_of(scene.session, task, viewer=crow)


def test_answers_of_another_project_are_not_there(scene: Scene) -> None:
    task = scene.task()
    scene.answer(task, scene.member("ibis"))
    hawk = Scene(scene.session, "hills").manager("hawk")
    with pytest.raises(NotFound, match=f"no task {task.id} in this project"):
        quality.answers_of(scene.session, task, viewer=hawk)


@pytest.mark.parametrize("pool", [Pool.CALIBRATION, Pool.PRACTICE])
def test_calibration_and_practice_give_nobody_elses_answers_away(scene: Scene, pool: Pool) -> None:
    task, ibis = scene.task(pool, gold=GOLD, phase=1), scene.member("ibis")
    scene.answer(task, ibis)
    with pytest.raises(NotAllowed, match=f"not shown in {pool}"):
        quality.answers_of(scene.session, task, viewer=ibis)
    assert len(quality.answers_of(scene.session, task, viewer=scene.manager())) == 1


def test_hidden_gold_looks_like_a_settled_task_of_one_answer(scene: Scene) -> None:
    task, ibis = scene.task(Pool.GOLD, gold=GOLD), scene.member("ibis")
    scene.answer(task, scene.member("crow"))
    scene.answer(task, ibis, REFUTES)
    [shown] = quality.answers_of(scene.session, task, viewer=ibis)
    assert (shown.is_own, shown.who, shown.differs, shown.match) == (True, "Annotator A", frozenset(), None)


def test_the_thirtieth_annotator_has_two_letters(scene: Scene) -> None:
    task, viewer = scene.task(wanted=30), None
    for number in range(30):
        viewer = scene.member(f"bird-{number}")
        scene.answer(task, viewer)
    assert viewer is not None
    shown = quality.answers_of(scene.session, task, viewer=viewer)
    assert [shown[25].who, shown[26].who, shown[29].who] == ["Annotator Z", "Annotator AA", "Annotator AD"]


# -- roles -------------------------------------------------------------------------------------------------


def act_on(
    scene: Scene, task: TaskRecord, answer: AnnotationRecord, member: MembershipRecord
) -> list[Callable[..., object]]:
    """Everything that only a manager does, but for `by`."""
    session, now = scene.session, scene.tick()
    return [
        partial(quality.review, session, task, now=now),
        partial(quality.review, session, task, again=True, reason="So.", now=now),
        partial(quality.reopen, session, task, now=now),
        partial(quality.adjudicate, session, task, label=NEI, reason="So.", now=now),
        partial(quality.grade_by_hand, session, answer, passed=True, now=now),
        partial(quality.decide_member, session, member, step=MemberStep.PAUSE, now=now),
    ]


def test_only_managers_of_the_project_decide_and_grade(scene: Scene) -> None:
    task, crow = scene.task(wanted=2), scene.member("crow")
    answer = scene.answer(task, crow, SUPPORTS)
    scene.answer(task, scene.member("wren"), REFUTES)
    ibis, hawk = scene.member("ibis"), Scene(scene.session, "hills").manager("hawk")
    for act in act_on(scene, task, answer, crow):
        with pytest.raises(NotAllowed, match="this takes a manager"):
            act(by=ibis.account_id)
        with pytest.raises(NotFound):
            act(by=hawk.account_id)
        assert (task.state, crow.stage) == ("disputed", "approved")
