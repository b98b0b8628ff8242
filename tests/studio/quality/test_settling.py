"""What becomes of answers: agreed, disputed, flagged, decided by a manager."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from tests.studio.quality.scene import ALPS, GOLD, NEI, NILE, REFUTES, SUPPORTS, Scene
from veritab.errors import Conflict, InputError, NotFound
from veritab.studio import quality
from veritab.studio.database import Database
from veritab.studio.quality.measures import parse_sets
from veritab.studio.records import AnnotationRecord, AssignmentRecord, DecisionRecord, TaskRecord, TrailRecord
from veritab.studio.states import TaskState
from veritab.studio.vocabulary import Pool, TaskKind


def disputed(scene: Scene) -> TaskRecord:
    task = scene.task(wanted=2)
    scene.answer(task, scene.member("ibis"), SUPPORTS)
    scene.answer(task, scene.member("crow"), REFUTES, [[NILE], [ALPS]])
    return task


def last_trail(scene: Scene) -> TrailRecord:
    return scene.session.scalars(select(TrailRecord).order_by(TrailRecord.id.desc()).limit(1)).one()


def test_a_task_stays_open_until_it_has_the_answers_it_wants(scene: Scene) -> None:
    task = scene.task(wanted=2)
    scene.answer(task, scene.member("ibis"))
    assert (task.state, task.settled_at) == (TaskState.OPEN, None)


def test_answers_with_the_same_label_settle_whatever_their_evidence(scene: Scene) -> None:
    task = scene.task(wanted=3)
    for name, sets in (("ibis", [[NILE]]), ("crow", [[ALPS]]), ("wren", [[NILE, ALPS]])):
        scene.answer(task, scene.member(name), SUPPORTS, sets, challenge=name)
    assert (task.state, task.settled_at) == (TaskState.SETTLED, scene.now)


def test_different_labels_dispute(scene: Scene) -> None:
    task = disputed(scene)
    assert (task.state, task.settled_at) == (TaskState.DISPUTED, None)


def test_a_flag_wants_a_manager_even_where_labels_agree(scene: Scene) -> None:
    task = scene.task(wanted=2)
    scene.answer(task, scene.member("ibis"), flag=True)
    scene.answer(task, scene.member("crow"))
    assert task.state == TaskState.FLAGGED


def test_settling_twice_changes_nothing(scene: Scene) -> None:
    task = scene.task()
    scene.answer(task, scene.member("ibis"))
    settled_at = task.settled_at
    quality.settle(scene.session, task, now=scene.tick())
    assert (task.state, task.settled_at) == (TaskState.SETTLED, settled_at)


def test_only_the_last_revision_counts(scene: Scene) -> None:
    task, ibis = scene.task(wanted=2), scene.member("ibis")
    first = scene.answer(task, ibis, REFUTES)
    first.is_last = False
    assignment = scene.session.get_one(AssignmentRecord, first.assignment_id)
    scene.annotation(assignment, SUPPORTS, revision=2)
    scene.answer(task, scene.member("crow"), SUPPORTS)
    assert task.state == TaskState.SETTLED


def test_written_claims_settle_their_task(scene: Scene) -> None:
    task = scene.task(kind=TaskKind.FEVEROUS_CLAIMS)
    scene.answer(task, scene.member("ibis"), "", (), "", fields={"claim-1": "The Nile is long."})
    assert task.state == TaskState.SETTLED


@pytest.mark.parametrize("pool", [Pool.PRACTICE, Pool.CALIBRATION, Pool.GOLD])
def test_tasks_with_gold_stay_open_for_everybody(scene: Scene, pool: Pool) -> None:
    task = scene.task(pool, gold=GOLD, phase=1)
    scene.answer(task, scene.member("ibis"), SUPPORTS)
    scene.answer(task, scene.member("crow"), REFUTES, flag=True)
    assert task.state == TaskState.OPEN


# -- a manager decides -------------------------------------------------------------------------------------


def test_a_manager_finds_one_answer_right(scene: Scene) -> None:
    task, owl = disputed(scene), scene.manager()
    right = quality.answers_of(scene.session, task, viewer=owl)[1]
    quality.review(scene.session, task, by=owl.account_id, now=scene.tick())
    assert task.state == TaskState.IN_REVIEW
    decision = quality.adjudicate(
        scene.session,
        task,
        by=owl.account_id,
        label=REFUTES,
        annotation_id=right.annotation_id,
        reason=" The cell says so. ",
        now=scene.tick(),
    )
    assert (task.state, task.settled_at) == (TaskState.SETTLED, scene.now)
    assert (decision.label, decision.annotation_id, decision.evidence) == (REFUTES, right.annotation_id, {})
    assert decision.reason == "The cell says so."
    trail = last_trail(scene)
    assert (trail.what, trail.subject, trail.account_id) == ("adjudicate task", f"task {task.id}", owl.account_id)
    assert trail.before == {"state": "in review"}
    assert (trail.after["state"], trail.after["reason"]) == ("settled", "The cell says so.")


def test_a_manager_decides_with_evidence_of_their_own(scene: Scene) -> None:
    task, owl = disputed(scene), scene.manager()
    decision = quality.adjudicate(
        scene.session,
        task,
        by=owl.account_id,
        label=NEI,
        sets=parse_sets([[NILE, ALPS]]),
        challenge="Numerical Reasoning",
        reason="Neither says so.",
        now=scene.tick(),
    )
    assert (decision.label, decision.annotation_id) == (NEI, None)
    assert decision.evidence == {"sets": [[NILE, ALPS]], "challenge": "Numerical Reasoning"}
    assert quality.decision_of(scene.session, task) == decision


def test_a_decision_that_says_nothing_is_refused(scene: Scene) -> None:
    task, owl = disputed(scene), scene.manager()
    answer = quality.answers_of(scene.session, task, viewer=owl)[0].annotation_id
    other = scene.task()
    elsewhere = scene.answer(other, scene.member("wren")).id

    def adjudicate(
        label: str,
        reason: str = "So it is.",
        sets: Sequence[Sequence[str]] = (),
        annotation_id: int | None = None,
        challenge: str = "",
    ) -> None:
        quality.adjudicate(
            scene.session,
            task,
            by=owl.account_id,
            label=label,
            sets=parse_sets(sets),
            challenge=challenge,
            annotation_id=annotation_id,
            reason=reason,
            now=scene.tick(),
        )

    with pytest.raises(InputError, match="needs a reason"):
        adjudicate(REFUTES, reason=" \n")
    with pytest.raises(InputError, match="at most 2,000"):
        adjudicate(REFUTES, reason="x" * 1_000_000)
    with pytest.raises(InputError, match="'TRUE' is not a verdict; expected one of SUPPORTS"):
        adjudicate("TRUE")
    with pytest.raises(InputError, match="not a verdict"):
        adjudicate("")
    with pytest.raises(InputError, match="set of the decision is empty"):
        adjudicate(REFUTES, sets=[[NILE], []])
    with pytest.raises(InputError, match="'Guessing' is not a challenge; expected one of Numerical Reasoning"):
        adjudicate(REFUTES, challenge="Guessing")
    with pytest.raises(NotFound, match=f"has no answer {elsewhere}"):
        adjudicate("", annotation_id=elsewhere)
    with pytest.raises(InputError, match="not both"):
        adjudicate(SUPPORTS, sets=[[NILE]], annotation_id=answer)
    with pytest.raises(InputError, match=f"answer {answer} says SUPPORTS, not REFUTES"):
        adjudicate(REFUTES, annotation_id=answer)
    assert task.state == TaskState.DISPUTED
    assert scene.session.scalars(select(DecisionRecord)).all() == []


def test_an_answer_that_was_changed_since_cannot_be_chosen(scene: Scene) -> None:
    task, owl = disputed(scene), scene.manager()
    first = scene.session.get_one(
        AnnotationRecord, quality.answers_of(scene.session, task, viewer=owl)[0].annotation_id
    )
    first.is_last = False
    with pytest.raises(Conflict, match="was changed by its author"):
        quality.adjudicate(
            scene.session, task, by=owl.account_id, label="", annotation_id=first.id, reason="So.", now=scene.tick()
        )


def test_what_is_not_in_doubt_is_not_reviewed(scene: Scene) -> None:
    owl, task = scene.manager(), scene.task()
    for act in (quality.review, quality.reopen):
        with pytest.raises(Conflict, match="open cannot"):
            act(scene.session, task, by=owl.account_id, now=scene.tick())
    with pytest.raises(Conflict, match="open cannot decide"):
        quality.adjudicate(scene.session, task, by=owl.account_id, label=NEI, reason="So.", now=scene.tick())


def test_one_more_answer_may_be_asked_for(scene: Scene) -> None:
    task, owl = disputed(scene), scene.manager()
    quality.reopen(scene.session, task, by=owl.account_id, reason="Two against one.", now=scene.tick())
    assert (task.state, task.wanted, task.answers) == (TaskState.OPEN, 3, 2)
    assert last_trail(scene).after["wanted"] == 3
    scene.answer(task, scene.member("wren"), SUPPORTS)
    assert task.state == TaskState.DISPUTED  # a majority settles nothing


def test_a_flag_that_was_looked_at_does_not_come_back(scene: Scene) -> None:
    task, owl = scene.task(wanted=1), scene.manager()
    scene.answer(task, scene.member("ibis"), flag=True)
    quality.reopen(scene.session, task, by=owl.account_id, now=scene.tick())
    scene.answer(task, scene.member("crow"))
    assert task.state == TaskState.SETTLED


def test_a_task_flagged_before_its_last_answer_wants_no_more_than_before(scene: Scene) -> None:
    task, owl = scene.task(wanted=3), scene.manager()
    scene.answer(task, scene.member("ibis"), flag=True)
    task.state = TaskState.FLAGGED.value
    quality.reopen(scene.session, task, by=owl.account_id, now=scene.tick())
    assert task.wanted == 3


def test_what_is_settled_is_reviewed_again_only_where_somebody_says_so_and_why(scene: Scene) -> None:
    task, owl = scene.task(), scene.manager()
    scene.answer(task, scene.member("ibis"))
    with pytest.raises(Conflict, match="settled cannot review"):
        quality.review(scene.session, task, by=owl.account_id, now=scene.tick())
    with pytest.raises(InputError, match="needs a reason"):
        quality.review(scene.session, task, by=owl.account_id, again=True, now=scene.tick())
    quality.review(scene.session, task, by=owl.account_id, again=True, reason="A reader doubts it.", now=scene.tick())
    assert (task.state, task.settled_at) == (TaskState.IN_REVIEW, None)
    assert last_trail(scene).before == {"state": "settled"}
    first = quality.adjudicate(scene.session, task, by=owl.account_id, label=NEI, reason="Rightly.", now=scene.tick())
    quality.review(scene.session, task, by=owl.account_id, again=True, reason="And again.", now=scene.tick())
    second = quality.adjudicate(scene.session, task, by=owl.account_id, label=REFUTES, reason="No.", now=scene.tick())
    assert quality.decisions_of(scene.session, task) == [second, first]
    assert quality.decision_of(scene.session, task) == second


def test_answers_that_settle_a_task_after_a_decision_count_for_more(scene: Scene) -> None:
    ibis, owl = scene.member("ibis"), scene.manager()
    claim = scene.claim(author=owl)
    task = scene.task(claim=claim)
    scene.answer(task, ibis, SUPPORTS, flag=True)
    quality.adjudicate(scene.session, task, by=owl.account_id, label=NEI, reason="So.", now=scene.tick())
    quality.review(scene.session, task, by=owl.account_id, again=True, reason="Or not.", now=scene.tick())
    quality.reopen(scene.session, task, by=owl.account_id, now=scene.tick())
    scene.answer(task, scene.member("crow"), SUPPORTS)
    assert task.state == TaskState.SETTLED
    assert quality.decision_of(scene.session, task) is None
    assert len(quality.decisions_of(scene.session, task)) == 1
    assert quality.my_work(scene.session, scene.project, ibis.account_id)[0].decided is None
    assert quality.my_claims(scene.session, scene.project, owl.account_id)[0].verdicts == (SUPPORTS,)


def test_a_reported_claim_is_dealt_with_before_its_task(scene: Scene) -> None:
    task, owl = scene.task(), scene.manager()
    scene.report(task, scene.member("ibis"))
    with pytest.raises(Conflict, match="correct, withdraw or return it first"):
        quality.reopen(scene.session, task, by=owl.account_id, now=scene.tick())
    with pytest.raises(Conflict, match="correct, withdraw or return it first"):
        quality.adjudicate(scene.session, task, by=owl.account_id, label=NEI, reason="So.", now=scene.tick())


def test_of_two_managers_who_decide_at_once_one_is_told(database: Database) -> None:
    with database.writing() as session:
        scene = Scene(session)
        task_id, managers = disputed(scene).id, [scene.manager(name).account_id for name in ("owl", "hawk")]

    def decide(by: int) -> str:
        with database.writing() as session:
            task = session.get_one(TaskRecord, task_id)
            try:
                quality.adjudicate(session, task, by=by, label=NEI, reason="So.", now=2000.0)
            except Conflict as error:
                return str(error)
            return "decided"

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(decide, managers))
    assert said[1] == "decided"
    assert "settled cannot decide" in said[0]
