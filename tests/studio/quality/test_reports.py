"""Reported claims: corrected and verified anew, withdrawn with their tasks, or returned as they are."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from tests.studio.quality.scene import GOLD, REFUTES, SUPPORTS, Scene
from veritab.errors import Conflict, InputError, NotAllowed, NotFound
from veritab.studio import quality
from veritab.studio.database import Database
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
    TrailRecord,
)
from veritab.studio.states import ClaimState, ClaimStep, TaskState
from veritab.studio.vocabulary import Pool, TaskKind

NEW = "The Nile is a short river."


def tasks(scene: Scene, claim_id: int | None) -> list[TaskRecord]:
    return list(
        scene.session.scalars(select(TaskRecord).where(TaskRecord.claim_id == claim_id).order_by(TaskRecord.id))
    )


def end(scene: Scene, report: ReportRecord, step: ClaimStep, by: int, text: str = "", note: str = "") -> None:
    quality.end_report(scene.session, report, by=by, step=step, text=text, note=note, now=scene.tick())


def test_a_corrected_claim_is_verified_anew(scene: Scene) -> None:
    owl, ibis, crow = scene.manager(), scene.member("ibis"), scene.member("crow")
    task = scene.task(wanted=2)
    task.priority = 7
    answer = scene.answer(task, ibis, SUPPORTS)
    report = scene.report(task, crow)
    end(scene, report, ClaimStep.CORRECT, owl.account_id, text=f"  {NEW} \n", note="An article.")
    claim = scene.session.get_one(StudioClaimRecord, task.claim_id)
    assert (claim.text, claim.state) == (NEW, ClaimState.CORRECTED)
    old, new = tasks(scene, claim.id)
    assert (old.state, old.answers, old.settled_at) == (TaskState.CLOSED, 1, None)
    assert (new.state, new.answers, new.wanted, new.priority, new.kind) == (TaskState.OPEN, 0, 2, 7, old.kind)
    assert (report.ended_at, report.ended_by, report.outcome) == (scene.now, owl.account_id, "corrected")
    trail = scene.session.scalars(select(TrailRecord)).one()
    assert (trail.what, trail.subject, trail.account_id) == ("correct claim", f"claim {claim.id}", owl.account_id)
    assert trail.before == {"text": "The Nile is short.", "state": "reported"}
    assert (trail.after["text"], trail.after["note"]) == (NEW, "An article.")
    assert (trail.after["closed"], trail.after["opened"]) == ([old.id], [new.id])
    # The old answer is kept with its task, and two new ones settle the new task.
    assert scene.session.get_one(AnnotationRecord, answer.id).is_last
    scene.answer(new, scene.member("wren"), REFUTES)
    scene.answer(new, scene.member("rook"), REFUTES)
    assert (old.state, new.state) == (TaskState.CLOSED, TaskState.SETTLED)


def test_tasks_say_which_text_they_asked_about(scene: Scene) -> None:
    owl, task = scene.manager(), scene.task()
    end(scene, scene.report(task, scene.member("ibis")), ClaimStep.CORRECT, owl.account_id, NEW)
    second = tasks(scene, task.claim_id)[1]
    end(scene, scene.report(second, scene.member("crow")), ClaimStep.CORRECT, owl.account_id, "The Nile is long.")
    third = tasks(scene, task.claim_id)[2]
    end(scene, scene.report(third, scene.member("wren")), ClaimStep.WITHDRAW, owl.account_id)
    texts = quality.texts_of(scene.session, [task, second, third, scene.task(kind=TaskKind.FEVEROUS_CLAIMS)])
    assert texts == {task.id: "The Nile is short.", second.id: NEW, third.id: "The Nile is long."}


def test_every_task_of_a_corrected_claim_starts_anew_and_whoever_holds_one_is_freed(scene: Scene) -> None:
    owl, ibis, crow, claim = scene.manager(), scene.member("ibis"), scene.member("crow"), scene.claim()
    settled, held, reported = (scene.task(claim=claim) for _ in range(3))
    scene.answer(settled, ibis)
    holding = scene.take(held, ibis)
    end(scene, scene.report(reported, crow), ClaimStep.CORRECT, owl.account_id, NEW)
    assert [task.state for task in tasks(scene, claim.id)] == [TaskState.CLOSED] * 3 + [TaskState.OPEN] * 3
    freed = scene.session.get_one(AssignmentRecord, holding.id)
    assert (freed.state, freed.ended_at, freed.reason) == ("expired", scene.now, "the claim was corrected")


def test_tasks_with_gold_go_on_with_the_new_text(scene: Scene) -> None:
    owl, ibis, crow = scene.manager(), scene.member("ibis"), scene.member("crow")
    task = scene.task(Pool.CALIBRATION, gold=GOLD, phase=1)
    scene.answer(task, ibis, REFUTES)
    end(scene, scene.report(task, crow), ClaimStep.CORRECT, owl.account_id, NEW)
    assert [each.state for each in tasks(scene, task.claim_id)] == [TaskState.OPEN]
    [row] = quality.calibration_of(scene.session, scene.project, ibis).rows
    assert (row.claim, row.passed) == (NEW, True)


def test_a_task_to_change_the_claim_is_done_with_the_new_text(scene: Scene) -> None:
    owl, claim = scene.manager(), scene.claim()
    mutations = scene.task(kind=TaskKind.FEVER_MUTATIONS, claim=claim)
    end(scene, scene.report(scene.task(claim=claim), scene.member("ibis")), ClaimStep.CORRECT, owl.account_id, NEW)
    assert mutations.state == TaskState.OPEN


def test_a_withdrawn_claim_takes_its_tasks_with_it(scene: Scene) -> None:
    owl, ibis, claim = scene.manager(), scene.member("ibis"), scene.claim()
    settled, reported = scene.task(claim=claim), scene.task(claim=claim)
    gold, mutations = (
        scene.task(Pool.GOLD, gold=GOLD, claim=claim),
        scene.task(kind=TaskKind.FEVER_MUTATIONS, claim=claim),
    )
    done = scene.task(kind=TaskKind.FEVER_MUTATIONS, claim=claim)
    scene.answer(settled, ibis)
    scene.answer(done, scene.member("wren"), "", (), "")
    report = scene.report(reported, scene.member("crow"))
    end(scene, report, ClaimStep.WITHDRAW, owl.account_id, note="Private.")
    assert (claim.state, claim.text, report.outcome) == (ClaimState.WITHDRAWN, "The Nile is short.", "withdrawn")
    assert {task.state for task in (settled, reported, gold, mutations)} == {TaskState.CLOSED}
    assert done.state == TaskState.SETTLED  # what was written from it stays
    assert len(tasks(scene, claim.id)) == 5


def test_a_returned_claim_is_verified_as_it_is_by_somebody_else(scene: Scene) -> None:
    owl, ibis, crow = scene.manager(), scene.member("ibis"), scene.member("crow")
    task = scene.task(wanted=2)
    scene.answer(task, ibis)
    report = scene.report(task, crow)
    end(scene, report, ClaimStep.RETURN, owl.account_id)
    claim = scene.session.get_one(StudioClaimRecord, task.claim_id)
    assert (claim.state, report.outcome) == (ClaimState.RETURNED, "returned")
    assert (task.state, task.answers, task.wanted) == (TaskState.OPEN, 1, 2)
    [assignment] = scene.session.scalars(select(AssignmentRecord).where(AssignmentRecord.account_id == crow.account_id))
    assert assignment.state == "reported"  # they have met the task, so they are not asked again
    scene.answer(task, scene.member("wren"))
    assert task.state == TaskState.SETTLED


def test_a_task_in_review_is_returned_too(scene: Scene) -> None:
    owl, task = scene.manager(), scene.task()
    report = scene.report(task, scene.member("ibis"))
    quality.review(scene.session, task, by=owl.account_id, now=scene.tick())
    end(scene, report, ClaimStep.RETURN, owl.account_id)
    assert task.state == TaskState.OPEN


def test_one_decision_ends_every_report_of_a_claim(scene: Scene) -> None:
    owl, claim = scene.manager(), scene.claim()
    first = scene.report(scene.task(claim=claim), scene.member("ibis"))
    second = scene.report(scene.task(claim=claim), scene.member("crow"))
    other = scene.task(claim=claim)
    other.state = TaskState.DISPUTED.value
    end(scene, second, ClaimStep.RETURN, owl.account_id)
    assert (first.outcome, second.outcome) == ("returned", "returned")
    assert [task.state for task in tasks(scene, claim.id)] == ["open", "open", "disputed"]
    with pytest.raises(Conflict, match="dealt with already: the claim was returned"):
        end(scene, first, ClaimStep.WITHDRAW, owl.account_id)


def test_a_claim_is_reported_again_after_it_was_returned(scene: Scene) -> None:
    owl, task = scene.manager(), scene.task()
    end(scene, scene.report(task, scene.member("ibis")), ClaimStep.RETURN, owl.account_id)
    end(scene, scene.report(task, scene.member("crow")), ClaimStep.WITHDRAW, owl.account_id)
    assert task.state == TaskState.CLOSED


def test_a_manager_corrects_or_withdraws_a_claim_that_nobody_reported(scene: Scene) -> None:
    owl, claim = scene.manager(), scene.claim()
    task = scene.task(claim=claim)
    scene.answer(task, scene.member("ibis"))

    def decide(step: ClaimStep, text: str = "") -> None:
        quality.decide_claim(scene.session, claim, by=owl.account_id, step=step, text=text, now=scene.tick())

    with pytest.raises(Conflict, match="good cannot return"):
        decide(ClaimStep.RETURN)
    decide(ClaimStep.CORRECT, NEW)
    assert (claim.state, task.state) == (ClaimState.CORRECTED, TaskState.CLOSED)
    decide(ClaimStep.WITHDRAW)
    with pytest.raises(Conflict, match="withdrawn cannot report"):
        decide(ClaimStep.CORRECT, "The Nile is long.")
    assert claim.text == NEW


@pytest.mark.parametrize(
    ("step", "text", "message"),
    [
        (ClaimStep.CORRECT, " \n", "needs its new text"),
        (ClaimStep.CORRECT, "The  Nile is short.", "the text is the old one"),
        (ClaimStep.CORRECT, "The Nile is long. " * 60_000, "too long"),
        (ClaimStep.WITHDRAW, NEW, "to withdraw it, leave the text out"),
        (ClaimStep.RETURN, NEW, "to return it, leave the text out"),
        (ClaimStep.REPORT, "", "possible: correct, withdraw, return"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(
    scene: Scene, step: ClaimStep, text: str, message: str
) -> None:
    owl, task = scene.manager(), scene.task()
    report = scene.report(task, scene.member("ibis"))
    with pytest.raises(InputError, match=message):
        end(scene, report, step, owl.account_id, text)
    claim = scene.session.get_one(StudioClaimRecord, task.claim_id)
    assert (claim.text, claim.state, task.state) == ("The Nile is short.", "reported", "flagged")
    assert report.ended_at is None


def test_of_two_managers_who_end_the_reports_of_a_claim_at_once_one_is_told(database: Database) -> None:
    with database.writing() as session:
        scene = Scene(session)
        claim = scene.claim()
        reports = [scene.report(scene.task(claim=claim), scene.member(name)).id for name in ("ibis", "crow")]
        managers = [scene.manager(name).account_id for name in ("owl", "hawk")]

    def correct(report_id: int, by: int) -> str:
        with database.writing() as session:
            report = session.get_one(ReportRecord, report_id)
            try:
                quality.end_report(session, report, by=by, step=ClaimStep.CORRECT, text=f"{NEW} {by}", now=2000.0)
            except Conflict as error:
                return str(error)
            return "corrected"

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(correct, reports, managers))
    assert said == ["corrected", "the report was dealt with already: the claim was corrected"]
    with database.reading() as session:
        states = sorted(session.scalars(select(TaskRecord.state).where(TaskRecord.claim_id == claim.id)))
    assert states == ["closed", "closed", "open", "open"]


def test_only_managers_of_the_project_end_reports(scene: Scene) -> None:
    ibis, task = scene.member("ibis"), scene.task()
    report = scene.report(task, scene.member("crow"))
    hawk = Scene(scene.session, "hills").manager("hawk")
    for step in (ClaimStep.CORRECT, ClaimStep.WITHDRAW, ClaimStep.RETURN):
        with pytest.raises(NotAllowed, match="this takes a manager"):
            end(scene, report, step, ibis.account_id, NEW)
        with pytest.raises(NotFound):
            end(scene, report, step, hawk.account_id, NEW)
    assert report.ended_at is None
