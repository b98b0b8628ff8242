"""Grades against gold, hidden gold that warns and pauses, and grades by hand."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.studio.quality.scene import ALPS, GOLD, NILE, REFUTES, SUPPORTS, Scene
from veritab.errors import InputError, NotAllowed
from veritab.studio import quality
from veritab.studio.records import AnnotationRecord, AssignmentRecord, GradeRecord, MembershipRecord, TrailRecord
from veritab.studio.states import MemberStage, MemberStep
from veritab.studio.vocabulary import Pool, Role, TaskKind


def grades(scene: Scene, annotation: AnnotationRecord) -> list[GradeRecord]:
    found = select(GradeRecord).where(GradeRecord.annotation_id == annotation.id).order_by(GradeRecord.id)
    return list(scene.session.scalars(found))


def miss(scene: Scene, member: MembershipRecord, times: int = 1) -> None:
    for _ in range(times):
        scene.answer(scene.task(Pool.GOLD, gold=GOLD), member, SUPPORTS)


def trail(scene: Scene, what: str) -> list[TrailRecord]:
    return list(scene.session.scalars(select(TrailRecord).where(TrailRecord.what == what).order_by(TrailRecord.id)))


@pytest.mark.parametrize("pool", [Pool.PRACTICE, Pool.CALIBRATION, Pool.GOLD])
def test_an_answer_is_graded_against_gold_once(scene: Scene, pool: Pool) -> None:
    task = scene.task(pool, gold=GOLD, phase=1)
    answer = scene.answer(task, scene.member("ibis"), REFUTES, [[NILE, ALPS], [NILE]])
    quality.settle(scene.session, task, now=scene.tick())
    [grade] = grades(scene, answer)
    assert (grade.passed, grade.by_id) == (True, None)
    assert grade.measures == {
        "label": True,
        "challenge": True,
        "precision": 1.0,
        "recall": 1.0,
        "complete": 1,
        "gold_sets": 1,
    }


def test_work_is_not_graded_even_where_gold_is_known(scene: Scene) -> None:
    assert grades(scene, scene.answer(scene.task(gold=GOLD), scene.member("ibis"))) == []


def test_only_a_wrong_label_is_a_miss(scene: Scene) -> None:
    ibis = scene.member("ibis")
    scene.answer(scene.task(Pool.GOLD, gold=GOLD), ibis, REFUTES, [["Oder_sentence_7"]], challenge="")
    assert ibis.misses == 0
    miss(scene, ibis)
    assert ibis.misses == 1


def test_practice_and_calibration_count_no_misses(scene: Scene) -> None:
    ibis = scene.member("ibis")
    for pool in (Pool.PRACTICE, Pool.CALIBRATION):
        scene.answer(scene.task(pool, gold=GOLD, phase=1), ibis, SUPPORTS)
    assert ibis.misses == 0


def test_the_second_miss_warns_once_until_it_is_read(scene: Scene) -> None:
    ibis = scene.member("ibis")
    miss(scene, ibis)
    assert quality.warning_of(scene.session, ibis) is None
    miss(scene, ibis)
    assert quality.warning_of(scene.session, ibis) == (2, scene.now)
    quality.read_warning(scene.session, ibis, now=scene.tick())
    quality.read_warning(scene.session, ibis, now=scene.tick())
    assert quality.warning_of(scene.session, ibis) is None
    miss(scene, ibis)
    assert quality.warning_of(scene.session, ibis) is None
    assert [each.account_id for each in trail(scene, "read warning")] == [ibis.account_id]


def test_the_fifth_miss_pauses_with_the_reason_in_the_trail(scene: Scene) -> None:
    ibis = scene.member("ibis")
    miss(scene, ibis, 4)
    assert ibis.stage == MemberStage.APPROVED
    miss(scene, ibis)
    assert ibis.stage == MemberStage.PAUSED
    [paused] = trail(scene, "pause member")
    assert (paused.subject, paused.account_id, paused.before) == ("account ibis", None, {"stage": "approved"})
    assert paused.after["reason"] == "tasks whose right answer is known, answered wrongly: 5"
    assert quality.stage_reason(scene.session, ibis) == paused.after["reason"]
    miss(scene, ibis)  # the one that they held when they were paused
    assert (ibis.misses, ibis.stage) == (6, MemberStage.PAUSED)


def test_whoever_is_resumed_starts_from_nothing(scene: Scene) -> None:
    ibis, owl = scene.member("ibis"), scene.manager()
    miss(scene, ibis, 5)
    quality.decide_member(
        scene.session, ibis, by=owl.account_id, step=MemberStep.RESUME, reason="They talked.", now=scene.tick()
    )
    assert (ibis.stage, ibis.misses) == (MemberStage.APPROVED, 0)
    assert quality.stage_reason(scene.session, ibis) == "They talked."
    for misses in (0, 1):
        assert (ibis.misses, quality.warning_of(scene.session, ibis)) == (misses, None)
        miss(scene, ibis)
    assert quality.warning_of(scene.session, ibis) == (2, scene.now)


def test_a_project_may_warn_and_pause_earlier_or_never(scene: Scene) -> None:
    scene.project.settings = {"warn_after": 0, "pause_after": 0}
    ibis = scene.member("ibis")
    miss(scene, ibis, 6)
    assert (ibis.stage, quality.warning_of(scene.session, ibis)) == (MemberStage.APPROVED, None)
    scene.project.settings = {"warn_after": 1, "pause_after": 1}
    crow = scene.member("crow")
    miss(scene, crow)
    assert crow.stage == MemberStage.PAUSED


def test_a_manager_who_works_too_is_not_paused(scene: Scene) -> None:
    owl = scene.member("owl", Role.MANAGER)
    miss(scene, owl, 6)
    assert (owl.stage, owl.misses, quality.warning_of(scene.session, owl)) == (MemberStage.APPROVED, 6, None)


def test_a_changed_answer_takes_its_miss_back(scene: Scene) -> None:
    ibis, task = scene.member("ibis"), scene.task(Pool.GOLD, gold=GOLD)
    for revision, label, misses in ((1, SUPPORTS, 1), (2, SUPPORTS, 1), (3, REFUTES, 0), (4, SUPPORTS, 1)):
        if revision == 1:
            answer = scene.answer(task, ibis, label)
        else:
            answer.is_last = False
            assignment = scene.session.get_one(AssignmentRecord, answer.assignment_id)
            answer = scene.annotation(assignment, label, revision=revision)
            quality.settle(scene.session, task, now=scene.tick())
        assert ibis.misses == misses, f"after revision {revision}"


def test_an_answer_by_nobody_of_the_project_is_graded_too(scene: Scene) -> None:
    crow = Scene(scene.session, "hills").member("crow")
    answer = scene.answer(scene.task(Pool.GOLD, gold=GOLD), crow, SUPPORTS)
    assert ([grade.passed for grade in grades(scene, answer)], crow.misses) == ([False], 0)


# -- by hand -----------------------------------------------------------------------------------------------


def test_a_manager_grades_what_was_written(scene: Scene) -> None:
    ibis, owl = scene.member("ibis"), scene.manager()
    task = scene.task(Pool.CALIBRATION, kind=TaskKind.FEVEROUS_CLAIMS, phase=1)
    answer = scene.answer(task, ibis, "", (), "", fields={"claim-1": "It is long."})
    assert quality.count_ungraded(scene.session, scene.project) == {ibis.account_id: 1}
    first = quality.grade_by_hand(
        scene.session, answer, by=owl.account_id, passed=False, note=" A pronoun. ", now=scene.tick()
    )
    assert (first.passed, first.note, first.measures, first.by_id) == (False, "A pronoun.", {}, owl.account_id)
    quality.grade_by_hand(scene.session, answer, by=owl.account_id, passed=True, now=scene.tick())
    assert quality.count_ungraded(scene.session, scene.project) == {}
    changed = trail(scene, "grade answer")[-1]
    assert (changed.before, changed.after) == (
        {"passed": False, "note": "A pronoun."},
        {"passed": True, "note": ""},
    )


def test_a_manager_who_overrules_gold_keeps_what_was_measured_and_takes_the_miss_back(scene: Scene) -> None:
    ibis, owl = scene.member("ibis"), scene.manager()
    answer = scene.answer(scene.task(Pool.GOLD, gold=GOLD), ibis, SUPPORTS)
    assert ibis.misses == 1
    grade = quality.grade_by_hand(
        scene.session, answer, by=owl.account_id, passed=True, note="Gold is wrong here.", now=scene.tick()
    )
    assert (ibis.misses, grade.measures["label"]) == (0, False)


def test_a_note_is_kept_as_a_text_can_be_stored(scene: Scene) -> None:
    ibis, owl = scene.member("ibis"), scene.manager()
    answer = scene.answer(scene.task(), ibis)

    def grade(note: str) -> str:
        return quality.grade_by_hand(
            scene.session, answer, by=owl.account_id, passed=True, note=note, now=scene.tick()
        ).note

    assert grade("<b>Good</b>\x00 work") == "<b>Good</b> work"  # a page escapes it
    with pytest.raises(InputError, match="has 5,000 characters; at most 2,000"):
        grade("x" * 5000)


def test_nobody_grades_their_own_work(scene: Scene) -> None:
    owl = scene.manager()
    answer = scene.answer(scene.task(), owl)
    with pytest.raises(NotAllowed, match="their own work"):
        quality.grade_by_hand(scene.session, answer, by=owl.account_id, passed=True, now=scene.tick())
