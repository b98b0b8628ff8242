"""What somebody sees of their own work."""

from __future__ import annotations

import pytest

from tests.studio.quality.scene import GOLD, NEI, NILE, REFUTES, SUPPORTS, Scene
from veritab.studio import quality
from veritab.studio.quality import OwnAnswer
from veritab.studio.records import MembershipRecord
from veritab.studio.states import ClaimStep, MemberStage, TaskState
from veritab.studio.vocabulary import Pool


def work(scene: Scene, member: MembershipRecord) -> list[OwnAnswer]:
    return quality.my_work(scene.session, scene.project, member.account_id)


def test_own_answers_come_newest_first_and_nobody_elses(scene: Scene) -> None:
    ibis, crow = scene.member("ibis"), scene.member("crow")
    first = scene.answer(scene.task(wanted=2), ibis, SUPPORTS)
    scene.answer(scene.task(), crow, REFUTES)
    second = scene.answer(scene.task(), ibis, NEI, ())
    elsewhere = Scene(scene.session, "hills")
    elsewhere.now = scene.now
    elsewhere.answer(elsewhere.task(), ibis)
    rows = work(scene, ibis)
    assert [(row.annotation_id, row.label, row.state) for row in rows] == [
        (second.id, NEI, TaskState.SETTLED),
        (first.id, SUPPORTS, TaskState.OPEN),
    ]
    assert [[str(id) for id in pieces] for pieces in rows[1].sets] == [[NILE]]
    assert (rows[0].sets, rows[0].claim, rows[0].passed, rows[0].decided) == ((), "The Nile is short.", None, None)
    page = quality.my_work(scene.session, scene.project, ibis.account_id, most=1, skip=1)
    assert [row.annotation_id for row in page] == [first.id]


def test_a_decision_is_shown_once_the_task_is_settled(scene: Scene) -> None:
    ibis, owl, task = scene.member("ibis"), scene.manager(), scene.task(wanted=2)
    scene.answer(task, ibis, SUPPORTS)
    scene.answer(task, scene.member("crow"), REFUTES)
    assert (work(scene, ibis)[0].state, work(scene, ibis)[0].decided) == (TaskState.DISPUTED, None)
    for label in (NEI, REFUTES):
        quality.adjudicate(scene.session, task, by=owl.account_id, label=label, reason=f"{label}.", now=scene.tick())
        assert (work(scene, ibis)[0].decided, work(scene, ibis)[0].decision) == (label, f"{label}.")
        quality.review(scene.session, task, by=owl.account_id, again=True, reason="Hm.", now=scene.tick())
        assert work(scene, ibis)[0].decided is None


def test_grades_are_shown_where_they_give_nothing_away(scene: Scene) -> None:
    ibis, owl = scene.member("ibis", stage=MemberStage.PHASE_ONE), scene.manager()
    first, second = (scene.task(Pool.CALIBRATION, gold=GOLD, phase=1) for _ in range(2))
    scene.answer(scene.task(Pool.PRACTICE, gold=GOLD), ibis, REFUTES)
    scene.answer(first, ibis, SUPPORTS)
    assert [row.passed for row in work(scene, ibis)] == [None, True]
    graded = scene.answer(second, ibis, REFUTES)
    quality.grade_by_hand(scene.session, graded, by=owl.account_id, passed=True, note="Well found.", now=scene.tick())
    rows = work(scene, ibis)
    assert [row.passed for row in rows] == [True, False, True]
    assert rows[0].note == "Well found."
    assert rows[0].measures is not None
    assert rows[0].measures.precision == 1.0


def test_hidden_gold_looks_like_work(scene: Scene) -> None:
    ibis = scene.member("ibis")
    scene.answer(scene.task(Pool.GOLD, gold=GOLD), ibis, SUPPORTS)
    scene.answer(scene.task(), ibis, SUPPORTS)
    gold, plain = work(scene, ibis)
    same = {name: getattr(gold, name) for name in ("pool", "state", "passed", "measures", "note", "decided", "report")}
    assert same == {name: getattr(plain, name) for name in same}
    assert gold.pool is Pool.WORK


def test_an_answer_to_a_corrected_claim_shows_the_text_that_was_answered(scene: Scene) -> None:
    ibis, crow, owl, task = scene.member("ibis"), scene.member("crow"), scene.manager(), scene.task(wanted=2)
    scene.answer(task, ibis)
    report = scene.report(task, crow, note="A word is missing.")
    [row] = work(scene, ibis)
    assert row.report is not None
    assert (row.report.outcome, row.report.reason, row.report.is_own, row.report.note) == ("", "language", False, "")
    quality.end_report(
        scene.session, report, by=owl.account_id, step=ClaimStep.CORRECT, text="The Nile is long.", now=scene.tick()
    )
    [row] = work(scene, ibis)
    assert (row.claim, row.state) == ("The Nile is short.", TaskState.CLOSED)
    assert row.report is not None
    assert row.report.outcome == "corrected"


def test_own_reports_say_what_became_of_them(scene: Scene) -> None:
    ibis, owl = scene.member("ibis"), scene.manager()
    first = scene.report(scene.task(), ibis, note="A word is missing.")
    scene.report(scene.task(), ibis)
    scene.report(scene.task(), scene.member("crow"))
    quality.end_report(scene.session, first, by=owl.account_id, step=ClaimStep.RETURN, now=scene.tick())
    newest, oldest = quality.my_reports(scene.session, scene.project, ibis.account_id)
    assert (oldest.outcome, oldest.note, oldest.is_own) == ("returned", "A word is missing.", True)
    assert newest.outcome == ""


def test_own_claims_show_reports_and_verdicts_once_settled(scene: Scene) -> None:
    ibis, crow, owl = scene.member("ibis"), scene.member("crow"), scene.manager()
    agreed, decided, waiting, reported = (scene.claim(f"Claim {number}.", author=ibis) for number in range(4))
    scene.claim("Somebody else's.", author=crow)
    scene.answer(scene.task(claim=agreed), crow, SUPPORTS)
    disputed = scene.task(claim=decided, wanted=2)
    scene.answer(disputed, crow, SUPPORTS)
    scene.answer(disputed, scene.member("wren"), REFUTES)
    scene.answer(scene.task(claim=waiting, wanted=2), crow, SUPPORTS)
    scene.report(scene.task(claim=reported), crow, note="Private words.")
    fared = {claim.text: claim for claim in quality.my_claims(scene.session, scene.project, ibis.account_id)}
    assert list(fared) == ["Claim 3.", "Claim 2.", "Claim 1.", "Claim 0."]
    assert [claim.verdicts for claim in fared.values()] == [(), (), (), (SUPPORTS,)]
    report = fared["Claim 3."].report
    assert report is not None
    assert (report.reason, report.note, report.is_own) == ("language", "", False)
    quality.adjudicate(scene.session, disputed, by=owl.account_id, label=NEI, reason="So.", now=scene.tick())
    newest_first = quality.my_claims(scene.session, scene.project, ibis.account_id, most=1, skip=2)
    assert [(claim.text, claim.verdicts) for claim in newest_first] == [("Claim 1.", (NEI,))]


@pytest.mark.parametrize("rows", [quality.my_work, quality.my_claims, quality.my_reports])
def test_whoever_has_done_nothing_sees_nothing(scene: Scene, rows) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    assert rows(scene.session, scene.project, scene.member("ibis").account_id) == []
