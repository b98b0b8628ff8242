"""Quality with the tasks and answers of real annotators: taken by the rules, submitted from a log."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from tests.studio.quality.scene import ALPS, GOLD, NEI, NILE, REFUTES, SUPPORTS, Scene
from veritab.errors import Conflict, NotAllowed
from veritab.studio import quality
from veritab.studio.annotating import append_events, report, revise, submit
from veritab.studio.database import Database
from veritab.studio.log import LogEvent, LogOperation
from veritab.studio.records import AnnotationRecord, AssignmentRecord, MembershipRecord, StudioClaimRecord, TaskRecord
from veritab.studio.states import ClaimStep, MemberStage, MemberStep, TaskState
from veritab.studio.tasks import add_verification_task, next_task
from veritab.studio.vocabulary import Pool, ReportReason


@pytest.fixture
def scene(database: Database) -> Iterator[Scene]:
    """A project that calibrates with two tasks in each phase, and pauses with the second miss."""
    with database.writing() as session:
        yield Scene(session, calibration_size=2, gold_share=0.0, pause_after=2, warn_after=1, advised_seconds={})


def add(scene: Scene, pool: Pool = Pool.WORK, phase: int = 0, text: str = "The Nile is short.") -> TaskRecord:
    gold = None if pool is Pool.WORK else GOLD
    return add_verification_task(
        scene.session,
        scene.project,
        scene.claim(text),
        rng=Random(1),
        now=scene.tick(),
        pool=pool,
        phase=phase,
        gold=gold,
    )


def take(scene: Scene, member: MembershipRecord) -> AssignmentRecord | None:
    return next_task(scene.session, scene.project, member, now=scene.tick())


def send(scene: Scene, assignment: AssignmentRecord, label: str, *pieces: str, flag: bool = False) -> AnnotationRecord:
    fields = {"verdict": label, "misled": "yes", "challenge": "Other"}
    events = [LogEvent(LogOperation.HIGHLIGHT, piece, 1.0, f"{scene.now}-{piece}") for piece in pieces]
    events += [
        LogEvent(LogOperation.WRITE, f"{name}={value}", 2.0, f"{scene.now}-{name}") for name, value in fields.items()
    ]
    draft = append_events(scene.session, assignment, events, now=scene.tick())
    return submit(scene.session, assignment, seen=draft.events, now=scene.tick(), exists=lambda _: True, flag=flag)


def answer_next(scene: Scene, member: MembershipRecord, label: str, *pieces: str) -> AnnotationRecord:
    assignment = take(scene, member)
    assert assignment is not None
    return send(scene, assignment, label, *pieces)


def test_from_calibration_to_work_to_a_pause(scene: Scene) -> None:
    for phase in (1, 1, 2, 2):
        add(scene, Pool.CALIBRATION, phase)
    ibis, owl = scene.member("ibis", stage=MemberStage.PHASE_ONE), scene.manager()
    for label in (REFUTES, SUPPORTS):
        answer_next(scene, ibis, label, NILE, ALPS)
    assert take(scene, ibis) is None  # not before the feedback is read
    quality.read_feedback(scene.session, scene.project, ibis, now=scene.tick())
    for _ in range(2):
        answer_next(scene, ibis, REFUTES, NILE)
    assert ibis.stage == MemberStage.WAITING
    with pytest.raises(NotAllowed):
        take(scene, ibis)
    totals = quality.calibration_of(scene.session, scene.project, ibis, viewer=owl).totals
    assert [(each.label, each.precision, each.recall, each.complete) for each in totals.values()] == [
        (0.5, 1.0, 1.0, 2),
        (1.0, 1.0, 0.0, 0),
    ]
    quality.decide_member(scene.session, ibis, by=owl.account_id, step=MemberStep.APPROVE, now=scene.tick())
    scene.project.settings = {**scene.project.settings, "gold_share": 1.0}
    for _ in range(3):
        add(scene)
        add(scene, Pool.GOLD)
    answer_next(scene, ibis, SUPPORTS, NILE)
    assert quality.warning_of(scene.session, ibis) is not None
    answer_next(scene, ibis, SUPPORTS, NILE)
    assert ibis.stage == MemberStage.PAUSED
    with pytest.raises(NotAllowed):
        take(scene, ibis)
    assert {row.pool for row in quality.my_work(scene.session, scene.project, ibis.account_id)} == {
        Pool.CALIBRATION,
        Pool.WORK,
    }


def test_a_dispute_goes_to_a_third_person_and_then_to_a_manager(scene: Scene) -> None:
    task = add(scene)
    task.wanted = 2
    ibis, crow, wren, owl = (*(scene.member(name) for name in ("ibis", "crow", "wren")), scene.manager())
    answer_next(scene, ibis, SUPPORTS, NILE)
    assert take(scene, ibis) is None
    second = answer_next(scene, crow, REFUTES, ALPS)
    assert task.state == TaskState.DISPUTED
    quality.reopen(scene.session, task, by=owl.account_id, now=scene.tick())
    assert take(scene, crow) is None
    answer_next(scene, wren, NEI)
    assert task.state == TaskState.DISPUTED
    quality.adjudicate(
        scene.session, task, by=owl.account_id, label="", annotation_id=second.id, reason="So.", now=scene.tick()
    )
    assert (task.state, task.answers) == (TaskState.SETTLED, 3)
    with pytest.raises(Conflict, match="settled"):
        revise(scene.session, scene.session.get_one(AssignmentRecord, second.assignment_id), now=scene.tick())


def test_a_flag_brings_a_task_to_a_manager_once_it_has_its_answers(scene: Scene) -> None:
    task = add(scene)
    task.wanted = 2
    ibis, crow, wren, owl = (*(scene.member(name) for name in ("ibis", "crow", "wren")), scene.manager())
    assignment = take(scene, ibis)
    assert assignment is not None
    send(scene, assignment, SUPPORTS, NILE, flag=True)
    assert task.state == TaskState.OPEN
    answer_next(scene, crow, SUPPORTS, NILE)
    assert task.state == TaskState.FLAGGED
    assert take(scene, wren) is None
    quality.reopen(scene.session, task, by=owl.account_id, now=scene.tick())
    answer_next(scene, wren, SUPPORTS, NILE)
    assert (task.state, task.wanted) == (TaskState.SETTLED, 3)


def test_a_corrected_claim_goes_to_those_who_have_not_seen_it(scene: Scene) -> None:
    task = add(scene)
    task.wanted = 2
    ibis, crow, wren, rook, owl = (
        *(scene.member(name) for name in ("ibis", "crow", "wren", "rook")),
        scene.manager(),
    )
    answered = answer_next(scene, ibis, SUPPORTS, NILE)
    held = take(scene, crow)
    assert held is not None
    made = report(scene.session, held, reason=ReportReason.LANGUAGE, now=scene.tick())
    quality.end_report(
        scene.session,
        made,
        by=owl.account_id,
        step=ClaimStep.CORRECT,
        text="The Nile is a short river.",
        now=scene.tick(),
    )
    assert take(scene, ibis) is None
    assert take(scene, crow) is None
    with pytest.raises(Conflict):
        revise(scene.session, scene.session.get_one(AssignmentRecord, answered.assignment_id), now=scene.tick())
    for member in (wren, rook):
        assignment = take(scene, member)
        assert assignment is not None
        new = scene.session.get_one(TaskRecord, assignment.task_id)
        send(scene, assignment, REFUTES, NILE)
    assert (task.state, new.state, new.answers) == (TaskState.CLOSED, TaskState.SETTLED, 2)


def test_whoever_works_on_a_claim_that_is_withdrawn_is_told_and_gets_another(scene: Scene) -> None:
    task, ibis, owl = add(scene), scene.member("ibis"), scene.manager()
    held = take(scene, ibis)
    assert held is not None
    claim = scene.session.get_one(StudioClaimRecord, task.claim_id)
    quality.decide_claim(scene.session, claim, by=owl.account_id, step=ClaimStep.WITHDRAW, now=scene.tick())
    with pytest.raises(Conflict):
        send(scene, held, SUPPORTS, NILE)
    other = add(scene, text="The Alps are high.")
    following = take(scene, ibis)
    assert following is not None
    assert following.task_id == other.id


def test_a_returned_claim_is_not_for_whoever_reported_it(scene: Scene) -> None:
    task, ibis, crow, owl = add(scene), scene.member("ibis"), scene.member("crow"), scene.manager()
    held = take(scene, ibis)
    assert held is not None
    made = report(scene.session, held, reason=ReportReason.UNVERIFIABLE, now=scene.tick())
    assert take(scene, crow) is None
    quality.end_report(scene.session, made, by=owl.account_id, step=ClaimStep.RETURN, now=scene.tick())
    assert take(scene, ibis) is None
    answer_next(scene, crow, NEI)
    assert task.state == TaskState.SETTLED
