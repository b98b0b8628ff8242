"""Calibration: two phases, feedback between them, grades by hand, and a decision."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from tests.web.studio.busy import GOLD
from tests.web.studio.world import Person, World, words_of
from veritab.studio import accounts, projects, quality
from veritab.studio.annotating import append_events, submit
from veritab.studio.log import LogEvent, LogOperation
from veritab.studio.records import AnnotationRecord, MembershipRecord, StudioClaimRecord, TaskRecord
from veritab.studio.states import ClaimStep, MemberStage
from veritab.studio.vocabulary import Pool, Role


@pytest.fixture
def person(world: World) -> Person:
    """Somebody in phase one, of two tasks each."""
    world.project("peaks", calibration_size=2)
    for phase in (1, 2):
        for number in range(2):
            text = f"Mount Everest is number {number} in phase {phase}."
            world.task(text, "peaks", pool=Pool.CALIBRATION, phase=phase, gold=GOLD)
    return world.member("calm-crane", "peaks", stage=MemberStage.PHASE_ONE)


def member(world: World, name: str = "calm-crane", project: str = "peaks") -> MembershipRecord:
    with world.studio.database.reading() as session:
        found = projects.find_project(session, project)
        return projects.member_of(session, found, accounts.find_account(session, name).id)


def test_somebody_goes_through_both_phases_and_is_approved(world: World, person: Person) -> None:
    manager = world.manager(project="peaks")
    assert "Phase one of calibration: 0 of 2 tasks done" in words_of(person.see("/p/peaks"))
    world.answer("calm-crane", "SUPPORTS", project="peaks")
    page = person.see("/p/peaks/calibration")
    assert "1 of 2 tasks done" in words_of(page)
    assert not page.cssselect(".graded")  # no feedback before the phase is over
    person.send("/p/peaks/calibration", 409)
    world.answer("calm-crane", "REFUTES", (("K2_sentence_0",),), project="peaks")
    assert "See the feedback" in words_of(person.see("/p/peaks"))
    page = person.see("/p/peaks/calibration")
    graded = [" ".join(each.text_content().split()) for each in page.cssselect(".graded")]
    assert "Right precision 1.00 recall 1.00 1 of 1 set complete same challenge" in graded[0]
    assert "Not right precision 0.00" in graded[1]
    assert "The right one" in graded[1]
    assert person.send("/p/peaks/calibration").headers["location"] == "/p/peaks?done=feedback-read"
    for _ in range(2):
        world.answer("calm-crane", "SUPPORTS", project="peaks")
    assert member(world).stage == MemberStage.WAITING
    assert "A manager looks at it" in words_of(person.see("/p/peaks"))
    assert "waiting" in words_of(manager.see("/p/peaks/manage/calibration"))
    page = manager.see(f"/p/peaks/manage/calibration/{member(world).id}")
    assert "0.50" in words_of(page)
    manager.send(f"/p/peaks/manage/members/{member(world).id}/decide", step="approve")
    assert member(world).stage == MemberStage.APPROVED
    assert "You are past calibration" in words_of(person.see("/p/peaks/calibration"))


def test_rejecting_somebody_is_asked_first_because_there_is_no_way_back(world: World, person: Person) -> None:
    manager = world.manager(project="peaks")
    with world.writing() as session:
        session.get_one(MembershipRecord, member(world).id).stage = MemberStage.WAITING
    address = f"/p/peaks/manage/members/{member(world).id}/decide"
    page = manager.send(address, 200, step="reject", reason="Too few right.")
    assert "no way back" in page.text
    assert member(world).stage == MemberStage.WAITING
    manager.send(address, step="reject", reason="Too few right.", sure="yes")
    assert member(world).stage == MemberStage.REJECTED
    assert "Too few right." in words_of(person.see("/p/peaks"))


@pytest.mark.parametrize("end", ["skip", "report"])
def test_giving_up_the_last_task_of_phase_two_ends_it(world: World, person: Person, end: str) -> None:
    with world.writing() as session:
        session.get_one(MembershipRecord, member(world).id).stage = MemberStage.FEEDBACK_READ
    world.answer("calm-crane", "SUPPORTS", project="peaks")
    with world.writing() as session:
        last = world.take(session, "calm-crane", "peaks").id
    person.send(f"/p/peaks/task/{last}/{end}", reason="unverifiable" if end == "report" else "")
    assert member(world).stage == MemberStage.WAITING
    assert "A manager looks at it" in words_of(person.see("/p/peaks"))


def test_withdrawing_the_last_task_of_phase_two_ends_it_at_the_next_click(world: World, person: Person) -> None:
    with world.writing() as session:
        session.get_one(MembershipRecord, member(world).id).stage = MemberStage.FEEDBACK_READ
    world.answer("calm-crane", "SUPPORTS", project="peaks")
    with world.writing() as session:
        left = session.scalar(select(TaskRecord).where(TaskRecord.phase == 2, TaskRecord.answers == 0))
        assert left is not None
        claim = session.get_one(StudioClaimRecord, left.claim_id)
        quality.decide_claim(session, claim, by=None, step=ClaimStep.WITHDRAW, now=world.now)
    for form in person.see("/p/peaks").forms:
        if form.action.endswith("/next") and "pool" not in form.fields:
            person.send("/p/peaks/next")
    assert member(world).stage == MemberStage.WAITING


def test_what_somebody_wrote_is_graded_by_a_manager(world: World, person: Person) -> None:
    manager = world.manager(project="peaks")
    world.project("claims", calibration_size=1)
    writer = world.member("swift-seal", "claims", stage=MemberStage.PHASE_ONE)
    grader = world.member("keen-kite", "claims", role=Role.MANAGER)
    grader.send("/p/claims/manage/tasks/draw", count="1", pool="calibration", phase="1")
    with world.writing() as session:
        assignment = world.take(session, "swift-seal", "claims")
        written = ["The Alps <b>are</b> high.", "The Alps have rivers.", "The Alps have no rivers."]
        events = [
            LogEvent(LogOperation.WRITE, f"{name}-{number}={text}", 1.0, f"{name}{number}")
            for number, claim in enumerate(written, 1)
            for name, text in (("claim", claim), ("challenge", "Other"))
        ]
        append_events(session, assignment, events, now=world.now + 5)
        submit(session, assignment, seen=assignment.events, now=world.now + 9, exists=lambda _: True)
    assert "A manager has yet to grade 1 answer" in words_of(writer.see("/p/claims"))
    assert "1 answerin calibration to grade" in words_of(grader.see("/p/claims/manage"))
    own = member(world, "swift-seal", "claims")
    page = grader.see(f"/p/claims/manage/calibration/{own.id}")
    assert "The Alps <b>are</b> high." in words_of(page)
    assert page.cssselect("details[open] .card, details[open] table")  # what it was about
    action = next(form.action for form in page.forms if "/grade/" in form.action)
    grader.send(action, passed="yes", note="Good <work>.")
    page = writer.see("/p/claims/calibration")
    assert "Good <work>." in words_of(page)
    writer.send("/p/claims/calibration")
    manager.send(action.replace("/claims/", "/peaks/"), 404, passed="no")  # of another project


def test_nobody_grades_themself(world: World) -> None:
    manager = world.manager()
    world.task()
    world.answer("wise-owl")
    with world.studio.database.reading() as session:
        annotation = session.scalar(select(AnnotationRecord.id))
    manager.send(f"/p/rivers/manage/calibration/1/grade/{annotation}", 403, passed="yes")
    manager.send("/p/rivers/manage/members/1/decide", 403, step="pause")


def test_a_project_without_calibration_says_so(world: World) -> None:
    assert "let in without calibration" in words_of(world.member("calm-crane").see("/p/rivers/calibration"))
    assert "Nobody is or was in calibration" in words_of(world.manager().see("/p/rivers/manage/calibration"))
