"""Calibration: two phases, feedback between them, and managers who let people in."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.studio.quality.scene import ALPS, GOLD, NILE, REFUTES, SUPPORTS, Scene
from veritab.errors import Conflict, InputError, NotAllowed, NotFound
from veritab.studio import quality
from veritab.studio.quality import CalibrationState
from veritab.studio.records import MembershipRecord, TaskRecord, TrailRecord
from veritab.studio.states import ClaimStep, MemberStage, MemberStep
from veritab.studio.vocabulary import Pool, TaskKind


def tasks(
    scene: Scene, phase: int, count: int = 2, kind: TaskKind = TaskKind.FEVEROUS_VERIFICATION
) -> list[TaskRecord]:
    gold = {} if kind is TaskKind.FEVEROUS_CLAIMS else GOLD
    return [scene.task(Pool.CALIBRATION, gold=gold, phase=phase, kind=kind) for _ in range(count)]


def beginner(scene: Scene, name: str = "ibis") -> MembershipRecord:
    return scene.member(name, stage=MemberStage.PHASE_ONE)


def state(scene: Scene, member: MembershipRecord, viewer: MembershipRecord | None = None) -> CalibrationState:
    return quality.calibration_of(scene.session, scene.project, member, viewer=viewer)


def read(scene: Scene, member: MembershipRecord) -> None:
    quality.read_feedback(scene.session, scene.project, member, now=scene.tick())


def test_somebody_goes_through_both_phases(scene: Scene) -> None:
    first, second, ibis = tasks(scene, 1), tasks(scene, 2), beginner(scene)
    assert state(scene, ibis)[:6] == (MemberStage.PHASE_ONE, 1, 0, 2, 0, False)
    scene.answer(first[0], ibis, REFUTES, [[NILE, ALPS]])
    with pytest.raises(Conflict, match="1 of 2 tasks of phase one are done"):
        read(scene, ibis)
    scene.answer(first[1], ibis, SUPPORTS, [[NILE]], challenge="")
    assert state(scene, ibis)[:6] == (MemberStage.PHASE_ONE, 1, 2, 2, 0, True)
    read(scene, ibis)
    read(scene, ibis)  # a second click
    assert state(scene, ibis)[:6] == (MemberStage.FEEDBACK_READ, 2, 0, 2, 0, False)
    scene.answer(second[0], ibis, REFUTES)
    assert state(scene, ibis)[:3] == (MemberStage.PHASE_TWO, 2, 1)
    scene.answer(second[1], ibis, REFUTES)
    assert state(scene, ibis)[:4] == (MemberStage.WAITING, 0, 0, 0)
    assert [row.phase for row in state(scene, ibis).rows] == [1, 1, 2, 2]


def test_feedback_puts_the_answer_beside_the_right_one(scene: Scene) -> None:
    first, ibis, owl = tasks(scene, 1), beginner(scene), scene.manager()
    scene.answer(first[0], ibis, REFUTES, [[NILE, ALPS]])
    wrong = scene.answer(first[1], ibis, SUPPORTS, [[NILE], ["Oder_item_0_1"]], challenge="")
    quality.grade_by_hand(
        scene.session, wrong, by=owl.account_id, passed=False, note="Look at the cell.", now=scene.tick()
    )
    feedback = state(scene, ibis)
    row = feedback.rows[1]
    assert (row.label, row.claim, row.passed, row.note) == (SUPPORTS, "The Nile is short.", False, "Look at the cell.")
    assert [[str(id) for id in pieces] for pieces in row.sets] == [[NILE], ["Oder_item_0_1"]]
    assert row.gold is not None
    assert (row.gold.label, row.gold.challenge) == (REFUTES, "Other")
    assert [[str(id) for id in pieces] for pieces in row.gold.sets] == [[NILE, ALPS]]
    assert row.measures == (False, False, 0.5, 0.0, 0, 1)
    assert feedback.totals == {1: (2, 2, 1, 0.5, 0.5, 0.75, 0.5, 1, 2)}


def test_the_right_answers_are_hidden_until_a_phase_is_over_but_not_from_managers(scene: Scene) -> None:
    first, second, ibis, owl = tasks(scene, 1), tasks(scene, 2), beginner(scene), scene.manager()
    scene.answer(first[0], ibis)
    assert state(scene, ibis).rows == []
    assert len(state(scene, ibis, viewer=owl).rows) == 1
    scene.answer(first[1], ibis)
    read(scene, ibis)
    scene.answer(second[0], ibis)
    assert [row.phase for row in state(scene, ibis).rows] == [1, 1]
    assert list(state(scene, ibis).totals) == [1]
    assert [row.phase for row in state(scene, ibis, viewer=owl).rows] == [1, 1, 2]
    assert [row.phase for row in state(scene, ibis, viewer=ibis).rows] == [1, 1]


def test_what_was_written_is_graded_by_a_manager_before_phase_two(scene: Scene) -> None:
    written, ibis, owl = tasks(scene, 1, kind=TaskKind.FEVEROUS_CLAIMS), beginner(scene), scene.manager()
    answers = [scene.answer(task, ibis, "", (), "", fields={"claim-1": "The Nile is long."}) for task in written]
    assert state(scene, ibis)[2:6] == (2, 2, 2, False)
    with pytest.raises(Conflict, match="a manager has yet to grade 2 of your answers"):
        read(scene, ibis)
    for answer, passed in zip(answers, (True, False), strict=True):
        quality.grade_by_hand(scene.session, answer, by=owl.account_id, passed=passed, now=scene.tick())
    feedback = state(scene, ibis)
    assert feedback.may_read
    assert feedback.totals == {1: (2, 2, 1, None, None, None, None, 0, 0)}
    assert feedback.rows[0].fields == {"claim-1": "The Nile is long."}
    assert (feedback.rows[0].gold, feedback.rows[0].measures) == (None, None)


def test_a_phase_ends_with_the_tasks_that_there_are_for_somebody(scene: Scene) -> None:
    [only], ibis, crow = tasks(scene, 1, count=1), beginner(scene), beginner(scene, "crow")
    assert state(scene, ibis).wanted == 1
    scene.answer(only, ibis)
    assert state(scene, ibis).may_read
    [other] = tasks(scene, 1, count=1)
    scene.take(other, crow, "skipped")
    assert state(scene, crow).wanted == 1
    assert state(scene, ibis).wanted == 2  # it is for those who are still in the phase


def test_a_phase_without_tasks_is_not_over(scene: Scene) -> None:
    ibis = beginner(scene)
    assert state(scene, ibis)[:6] == (MemberStage.PHASE_ONE, 1, 0, 2, 0, False)
    with pytest.raises(Conflict, match="0 of 2"):
        read(scene, ibis)


def test_a_withdrawn_claim_is_no_part_of_a_calibration(scene: Scene) -> None:
    first, ibis, owl = tasks(scene, 1), beginner(scene), scene.manager()
    scene.answer(first[0], ibis)
    report = scene.report(first[1], beginner(scene, "crow"))
    quality.end_report(scene.session, report, by=owl.account_id, step=ClaimStep.WITHDRAW, now=scene.tick())
    assert state(scene, ibis)[2:6] == (1, 1, 0, True)


# -- who sees and decides ----------------------------------------------------------------------------------


def test_calibration_is_seen_by_its_member_and_managers_only(scene: Scene) -> None:
    ibis, crow = beginner(scene), scene.member("crow")
    with pytest.raises(NotAllowed, match="takes a manager"):
        state(scene, ibis, viewer=crow)
    other = Scene(scene.session, "hills")
    with pytest.raises(NotFound):
        state(scene, ibis, viewer=other.manager("hawk"))
    with pytest.raises(NotFound):
        quality.calibration_of(scene.session, other.project, ibis)


@pytest.mark.parametrize(
    ("stage", "step", "after"),
    [
        (MemberStage.WAITING, MemberStep.APPROVE, MemberStage.APPROVED),
        (MemberStage.WAITING, MemberStep.REJECT, MemberStage.REJECTED),
        (MemberStage.APPROVED, MemberStep.PAUSE, MemberStage.PAUSED),
        (MemberStage.PAUSED, MemberStep.RESUME, MemberStage.APPROVED),
    ],
)
def test_a_manager_decides_on_a_member(scene: Scene, stage: MemberStage, step: MemberStep, after: MemberStage) -> None:
    ibis, owl = scene.member("ibis", stage=stage), scene.manager()
    quality.decide_member(
        scene.session, ibis, by=owl.account_id, step=step, reason=" Seen all of it. ", now=scene.tick()
    )
    assert ibis.stage == after
    trail = scene.session.scalars(select(TrailRecord)).one()
    assert (trail.what, trail.subject, trail.account_id) == (f"{step} member", "account ibis", owl.account_id)
    assert trail.before["stage"] == stage
    assert trail.after == {"stage": after, "misses": 0, "reason": "Seen all of it."}
    assert quality.stage_reason(scene.session, ibis) == "Seen all of it."


def test_a_manager_cannot_skip_calibration_for_somebody(scene: Scene) -> None:
    ibis, owl = beginner(scene), scene.manager()
    with pytest.raises(InputError, match="cannot finish for somebody; possible: approve, reject, pause, resume"):
        quality.decide_member(scene.session, ibis, by=owl.account_id, step=MemberStep.FINISH, now=scene.tick())
    with pytest.raises(Conflict, match="phase one cannot approve"):
        quality.decide_member(scene.session, ibis, by=owl.account_id, step=MemberStep.APPROVE, now=scene.tick())


def test_nobody_decides_on_themself(scene: Scene) -> None:
    owl = scene.manager()
    owl.stage = MemberStage.PAUSED.value
    with pytest.raises(NotAllowed, match="themself"):
        quality.decide_member(scene.session, owl, by=owl.account_id, step=MemberStep.RESUME, now=scene.tick())
