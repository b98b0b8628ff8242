"""Tasks: who gets which, who never does, what comes back, and nobody twice."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import pytest
from sqlalchemy import event as listening
from sqlalchemy import func, insert, select, text
from sqlalchemy.orm import Session

from tests.studio.workplace import (
    DAY,
    NOW,
    fill_in,
    make_claim,
    make_member,
    make_page,
    make_project,
    make_task,
    take,
    verify,
)
from veritab.errors import Conflict, InputError, NotAllowed
from veritab.studio.annotating import append_events, draft_of, report, revise
from veritab.studio.database import Database, open_studio
from veritab.studio.projects import Workflow
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    EventRecord,
    HighlightRecord,
    MembershipRecord,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import ClaimState, MemberStage, TaskState
from veritab.studio.tasks import (
    add_mutations_task,
    add_verification_task,
    draw_writing_tasks,
    give_back,
    has_tasks,
    next_task,
    release_expired,
)
from veritab.studio.vocabulary import ClaimType, HighlightKind, Pool, ReportReason, TaskKind

HOUR = 3600.0


# -- who gets which ----------------------------------------------------------------------------------------


def test_a_task_is_taken_with_its_first_event(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        task, member = make_task(session, project), make_member(session, project)
        assignment = take(session, project, member)
        assert (assignment.task_id, assignment.state, assignment.events) == (task.id, "active", 1)
        assert assignment.lease_until == NOW + HOUR
        assert task.state == TaskState.TAKEN
        first = session.scalars(select(EventRecord)).one()
        assert (first.sequence, first.operation, first.seconds) == (1, "start", 0.0)


def test_a_task_in_somebodys_hands_is_theirs_again_and_nobody_elses(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        make_task(session, project)
        ibis, heron = make_member(session, project), make_member(session, project, "heron")
        assignment = take(session, project, ibis)
        assert next_task(session, project, heron, now=NOW) is None
        assert take(session, project, ibis, NOW + 60).id == assignment.id
        assert assignment.lease_until == NOW + 60 + HOUR


def test_tasks_come_by_priority_then_fewest_answers_then_age(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        answered, early, late, low, urgent = (make_task(session, project) for _ in range(5))
        answered.answers, answered.wanted = 1, 2
        low.priority, urgent.priority, urgent.answers, urgent.wanted = -1, 3, 1, 2
        session.flush()
        given = [take(session, project, make_member(session, project)).task_id for _ in range(5)]
        assert given == [urgent.id, early.id, late.id, answered.id, low.id]


def test_nobody_meets_their_own_claim(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, hours_after_writing=0)
        ibis, heron = make_member(session, project), make_member(session, project, "heron")
        claim = make_claim(session, project, author_id=ibis.account_id)
        add_verification_task(session, project, claim, rng=Random(1), now=NOW)
        assert next_task(session, project, ibis, now=NOW) is None
        assert take(session, project, heron)


def test_a_claim_waits_a_day_after_it_was_written(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        author, heron = make_member(session, project), make_member(session, project, "heron")
        claim = make_claim(session, project, author_id=author.account_id)
        add_verification_task(session, project, claim, rng=Random(1), now=NOW)
        assert next_task(session, project, heron, now=NOW + DAY - 1) is None
        assert take(session, project, heron, NOW + DAY)


def test_nobody_meets_a_claim_again_in_another_task(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        ibis, task = make_member(session, project), make_task(session, project)
        verify(session, take(session, project, ibis))
        claim = session.get_one(StudioClaimRecord, task.claim_id)
        again = add_verification_task(session, project, claim, rng=Random(1), now=NOW)
        assert next_task(session, project, ibis, now=NOW) is None
        assert take(session, project, make_member(session, project, "heron")).task_id == again.id


def test_whoever_saw_a_highlight_meets_none_of_its_claims(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        ibis, heron = make_member(session, project), make_member(session, project, "heron")
        (task,) = draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW)
        give_back(session, take(session, project, ibis), reason="not for me", now=NOW)
        task.state = TaskState.SETTLED
        claim = make_claim(session, project, author_id=heron.account_id, highlight_id=task.highlight_id)
        verifying = add_verification_task(session, project, claim, rng=Random(1), now=NOW)
        changing = add_mutations_task(session, project, claim, now=NOW)
        assert next_task(session, project, ibis, now=NOW + DAY) is None
        assert next_task(session, project, heron, now=NOW + DAY) is None
        crane = make_member(session, project, "crane")
        assert take(session, project, crane, NOW + DAY).task_id == verifying.id
        stork = make_member(session, project, "stork")
        assert take(session, project, stork, NOW + DAY).task_id == changing.id


def test_verifying_one_claim_of_a_highlight_does_not_keep_from_the_next(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, hours_after_writing=0)
        author, ibis = make_member(session, project, "heron"), make_member(session, project)
        (writing,) = draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW)
        writing.state = TaskState.SETTLED
        for _ in range(2):
            claim = make_claim(session, project, author_id=author.account_id, highlight_id=writing.highlight_id)
            add_verification_task(session, project, claim, rng=Random(1), now=NOW)
        verify(session, take(session, project, ibis))
        assert take(session, project, ibis)


@pytest.mark.parametrize("state", [ClaimState.REPORTED, ClaimState.WITHDRAWN])
def test_a_reported_or_withdrawn_claim_is_not_given_out(database: Database, state: ClaimState) -> None:
    with database.writing() as session:
        project = make_project(session)
        task = make_task(session, project)
        session.get_one(StudioClaimRecord, task.claim_id).state = state
        session.flush()
        assert next_task(session, project, make_member(session, project), now=NOW) is None


def test_one_kind_of_task_can_be_asked_for(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        make_task(session, project)
        (writing,) = draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW)
        member = make_member(session, project)
        assert take(session, project, member, kind=TaskKind.FEVEROUS_CLAIMS).task_id == writing.id


def test_tasks_of_another_project_stay_there(database: Database) -> None:
    with database.writing() as session:
        project, other = make_project(session), make_project(session)
        make_task(session, other)
        assert next_task(session, project, make_member(session, project), now=NOW) is None


def test_a_closed_project_gives_nothing_out(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        make_task(session, project)
        project.closed_at = NOW
        with pytest.raises(NotAllowed, match="closed"):
            next_task(session, project, make_member(session, project), now=NOW)


# -- stages and pools --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stage", "reason"),
    [
        (MemberStage.INVITED, "agree"),
        (MemberStage.WAITING, "manager looks at it"),
        (MemberStage.REJECTED, "ask a manager"),
        (MemberStage.PAUSED, "read the guidelines again"),
    ],
)
def test_whoever_may_not_work_is_told_why_and_what_to_do(database: Database, stage: MemberStage, reason: str) -> None:
    with database.writing() as session:
        project = make_project(session)
        make_task(session, project)
        make_task(session, project, pool=Pool.PRACTICE)
        member = make_member(session, project, stage=stage)
        for practice in (False, True):
            with pytest.raises(NotAllowed, match=reason):
                next_task(session, project, member, now=NOW, practice=practice)


def test_nobody_works_who_has_not_agreed_to_a_changed_consent(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        make_task(session, project)
        with pytest.raises(NotAllowed, match="agree"):
            next_task(session, project, make_member(session, project, consented_at=None), now=NOW)


@pytest.mark.parametrize(
    ("stage", "phase"), [(MemberStage.PHASE_ONE, 1), (MemberStage.FEEDBACK_READ, 2), (MemberStage.PHASE_TWO, 2)]
)
def test_calibration_gives_the_tasks_of_its_phase_alone(database: Database, stage: MemberStage, phase: int) -> None:
    with database.writing() as session:
        project = make_project(session, calibration_size=10)
        make_task(session, project, priority=9)
        tasks = {number: make_task(session, project, pool=Pool.CALIBRATION, phase=number) for number in (2, 1)}
        member = make_member(session, project, stage=stage)
        assert take(session, project, member).task_id == tasks[phase].id
        assert member.stage == (MemberStage.PHASE_ONE if phase == 1 else MemberStage.PHASE_TWO)


def test_a_phase_ends_after_as_many_tasks_as_the_project_says(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, calibration_size=2)
        gold = {"label": "SUPPORTS", "evidence": [["Nile_sentence_0"]], "challenge": "Other"}
        for _ in range(3):
            make_task(session, project, pool=Pool.CALIBRATION, phase=1, gold=gold)
        member = make_member(session, project, stage=MemberStage.PHASE_ONE)
        for _ in range(2):
            verify(session, take(session, project, member))
        assert next_task(session, project, member, now=NOW) is None


def test_everybody_does_the_same_calibration_task_at_once(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, calibration_size=1)
        task = make_task(session, project, pool=Pool.CALIBRATION, phase=1)
        members = [make_member(session, project, stage=MemberStage.PHASE_ONE) for _ in range(3)]
        taken = [take(session, project, member) for member in members]
        assert {each.task_id for each in taken} == {task.id}
        for assignment in taken:
            verify(session, assignment)
        assert (task.answers, task.state) == (3, TaskState.OPEN)


def test_one_report_does_not_end_the_calibration_of_others(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, calibration_size=1)
        task = make_task(session, project, pool=Pool.CALIBRATION, phase=1)
        first, second = (make_member(session, project, stage=MemberStage.PHASE_ONE) for _ in range(2))
        report(session, take(session, project, first), reason=ReportReason.LANGUAGE, now=NOW)
        assert take(session, project, second).task_id == task.id


def test_practice_is_given_to_whoever_asks_for_it(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        task = make_task(session, project, pool=Pool.PRACTICE)
        member = make_member(session, project)
        assert next_task(session, project, member, now=NOW) is None
        assert take(session, project, member, practice=True).task_id == task.id


def test_hidden_gold_is_drawn_into_the_work_by_its_share(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, gold_share=0.3)
        for pool in (Pool.WORK, Pool.GOLD):
            make_task(session, project, pool=pool)
        member, pools = make_member(session, project), Counter[str]()
        for number in range(100):
            with session.begin_nested() as attempt:
                assignment = take(session, project, member, NOW + number)
                pools[session.get_one(TaskRecord, assignment.task_id).pool] += 1
                attempt.rollback()
    assert abs(pools[Pool.GOLD] - 30) <= 16  # 3.5 standard errors


def test_gold_is_not_given_where_there_is_no_work_to_hide_it_in(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, gold_share=1)
        make_task(session, project, pool=Pool.GOLD)
        assert next_task(session, project, make_member(session, project), now=NOW) is None


def test_super_annotators_alone_get_the_tasks_for_them(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, super_share=1.0)
        work = make_task(session, project)
        by_super = session.scalars(select(TaskRecord).where(TaskRecord.pool == Pool.SUPER)).one()
        assert (by_super.claim_id, by_super.wanted, by_super.is_for_super) == (work.claim_id, 1, True)
        expert = make_member(session, project, is_super=True)
        assert take(session, project, expert).task_id == by_super.id
        verify(session, take(session, project, expert))
        assert next_task(session, project, expert, now=NOW) is None, "the claim was met"
        ibis = make_member(session, project)
        verify(session, take(session, project, ibis))
        assert next_task(session, project, ibis, now=NOW) is None


# -- making tasks ------------------------------------------------------------------------------------------


def test_overlap_is_drawn_when_a_task_is_made(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, overlap={2: 0.3, 3: 0.2})
        claim, rng = make_claim(session, project), Random(3)
        made = Counter(add_verification_task(session, project, claim, rng=rng, now=NOW).wanted for _ in range(400))
    assert set(made) == {1, 2, 3}
    assert abs(made[2] - 120) < 33
    assert abs(made[3] - 80) < 29  # 3.5 standard errors


def test_overlap_is_for_work_alone(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, overlap={3: 1.0}, super_share=1.0)
        assert make_task(session, project, pool=Pool.GOLD).wanted == 0
        assert session.scalar(select(func.count()).select_from(TaskRecord)) == 1


@pytest.mark.parametrize("workflow", [Workflow.FEVER, Workflow.FEVEROUS])
def test_each_page_is_written_about_once(database: Database, workflow: Workflow) -> None:
    pages = [make_page(f"River {number}") for number in range(9)]
    with database.writing() as session:
        project = make_project(session, workflow)
        first = draw_writing_tasks(session, project, pages, count=5, now=NOW)
        second = draw_writing_tasks(session, project, pages, count=9, now=NOW)
        assert (len(first), len(second)) == (5, 4)
        highlights = session.scalars(select(HighlightRecord)).all()
        assert sorted(each.page for each in highlights) == sorted(page.title for page in pages)
        if workflow is Workflow.FEVER:
            assert {task.kind for task in first + second} == {TaskKind.FEVER_CLAIMS}
            assert all(len(each.elements["ids"]) == 1 and not first[0].drawn for each in highlights)
        else:
            assert {task.kind for task in first + second} == {TaskKind.FEVEROUS_CLAIMS}
            assert Counter(each.kind for each in highlights).keys() == set(HighlightKind)
            assert all(task.drawn["mutated"] in (ClaimType.HIGHLIGHT_ONLY, "II") for task in first + second)


def test_a_plain_project_has_no_claims_to_write(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, Workflow.PLAIN)
        with pytest.raises(InputError, match="import"):
            draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW)
        with pytest.raises(InputError, match="one or more"):
            draw_writing_tasks(session, make_project(session), [make_page("Nile")], count=0, now=NOW)


# -- leases ------------------------------------------------------------------------------------------------


def test_a_lease_that_ran_out_gives_the_task_to_others_and_keeps_the_events(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        task = make_task(session, project)
        ibis, heron = make_member(session, project), make_member(session, project, "heron")
        assignment = take(session, project, ibis)
        append_events(session, assignment, fill_in(note="half done"), now=NOW + 60)
        assert next_task(session, project, heron, now=NOW + 60 + HOUR) is None
        assert take(session, project, heron, NOW + 61 + HOUR).task_id == task.id
        session.refresh(assignment)
        assert assignment.state == "expired"
        assert draft_of(session, assignment).fields == {"note": "half done"}
        with pytest.raises(Conflict, match="somebody else"):
            append_events(session, assignment, fill_in(note="more"), now=NOW + 62 + HOUR)


def test_whoever_comes_back_before_anybody_else_goes_on_with_draft_and_clock(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        ibis, task = make_member(session, project), make_task(session, project)
        make_task(session, project, priority=5)
        assignment = take(session, project, ibis)
        first = session.get_one(TaskRecord, assignment.task_id)
        append_events(session, assignment, [fill_in(note="x")[0]._replace(seconds=40.0)], now=NOW + 60)
        assert release_expired(session, now=NOW + DAY) == 1
        assert (assignment.state, first.state, task.state) == ("expired", TaskState.OPEN, TaskState.OPEN)
        back = take(session, project, ibis, NOW + DAY)
        assert (back.id, back.state, first.state) == (assignment.id, "active", TaskState.TAKEN)
        draft = append_events(session, back, [fill_in(note="y")[0]._replace(seconds=1e9)], now=NOW + DAY + 10)
        assert (draft.fields["note"], draft.seconds) == ("y", 50.0)


def test_a_page_that_stayed_open_goes_on_after_the_lease_where_nobody_took_the_task(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        task, ibis = make_task(session, project), make_member(session, project)
        assignment = take(session, project, ibis)
        release_expired(session, now=NOW + DAY)
        append_events(session, assignment, fill_in(note="back"), now=NOW + DAY)
        assert (assignment.state, task.state) == ("active", TaskState.TAKEN)
        assert assignment.lease_until == NOW + DAY + HOUR


def test_an_old_page_does_not_go_on_beside_a_new_task(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        make_task(session, project)
        ibis, heron = make_member(session, project), make_member(session, project, "heron")
        old = take(session, project, ibis)
        release_expired(session, now=NOW + DAY)
        verify(session, take(session, project, heron, NOW + DAY), NOW + DAY + 60)
        make_task(session, project)
        assert take(session, project, ibis, NOW + DAY).id != old.id
        session.get_one(TaskRecord, old.task_id).state = TaskState.OPEN
        with pytest.raises(Conflict, match="another task"):
            append_events(session, old, fill_in(note="x"), now=NOW + DAY)


def test_whoever_was_paused_finishes_what_they_hold_and_nothing_else(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        make_task(session, project)
        make_task(session, project, wanted=2)
        ibis, heron = make_member(session, project), make_member(session, project, "heron")
        left, held = take(session, project, ibis), take(session, project, heron)
        release_expired(session, now=left.lease_until + 1)
        held.state, held.lease_until = "active", NOW + DAY  # heron stayed
        session.get_one(TaskRecord, held.task_id).state = TaskState.TAKEN
        ibis.stage = heron.stage = MemberStage.PAUSED
        session.flush()
        with pytest.raises(NotAllowed, match="paused"):
            append_events(session, left, fill_in(note="x"), now=NOW + DAY)
        verify(session, held)
        with pytest.raises(NotAllowed, match="paused"):
            revise(session, held, now=NOW + 90)


def test_many_leases_are_released_in_the_end(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        tasks, member = [make_task(session, project) for _ in range(120)], make_member(session, project)
        alike = {"account_id": member.account_id, "state": "active", "taken_at": NOW, "lease_until": NOW + HOUR}
        for task in tasks:
            task.state = TaskState.TAKEN
            session.add(AssignmentRecord(task_id=task.id, **alike))
        assert [release_expired(session, now=NOW + DAY) for _ in range(3)] == [100, 20, 0]
        assert set(session.scalars(select(TaskRecord.state))) == {TaskState.OPEN}


def test_what_is_given_back_goes_to_others_and_never_comes_again(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        task, ibis = make_task(session, project), make_member(session, project)
        assignment = take(session, project, ibis)
        give_back(session, assignment, reason="not for me", now=NOW + 5)
        assert (assignment.state, assignment.reason, assignment.ended_at) == ("skipped", "not for me", NOW + 5)
        assert next_task(session, project, ibis, now=NOW + 5) is None
        assert take(session, project, make_member(session, project, "heron"), NOW + 5).task_id == task.id
        with pytest.raises(Conflict, match="skipped"):
            give_back(session, assignment, reason="again", now=NOW + 6)


# -- many at once ------------------------------------------------------------------------------------------


def at_once(work: Any, count: int) -> list[Any]:
    """What so many threads return that begin together."""
    barrier = threading.Barrier(count)

    def begin(number: int) -> Any:
        barrier.wait()
        return work(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def test_two_people_never_hold_one_task_and_no_task_has_more_answers_than_wanted(place: str) -> None:
    databases = [open_studio(place) for _ in range(3)]  # as three processes would
    with databases[0].writing() as session:
        project = make_project(session)
        for number in range(18):
            make_task(session, project, wanted=1 + number % 3)
        members = [make_member(session, project) for _ in range(9)]

    def work(number: int) -> list[int]:
        database, done = databases[number % 3], list[int]()
        while True:
            with database.writing() as session:
                assignment = next_in(session, project, members[number])
                held = select(func.count()).where(
                    AssignmentRecord.task_id == (assignment.task_id if assignment else 0),
                    AssignmentRecord.state == "active",
                )
                if assignment is None:
                    return done
                assert session.scalar(held) == 1
            with database.writing() as session:
                verify(session, session.get_one(AssignmentRecord, assignment.id))
            done.append(assignment.task_id)

    answered = Counter(task for done in at_once(work, 9) for task in done)
    for database in databases[1:]:
        database.close()
    with databases[0].reading() as session:
        for task in session.scalars(select(TaskRecord)):
            assert task.answers == answered[task.id] <= task.wanted
            assert (task.state == TaskState.SETTLED) == (task.answers == task.wanted)
        # Whoever asked as the last ones were taken went home; nothing is left in anybody's hands.
        assert set(session.scalars(select(AssignmentRecord.state))) == {"submitted"}
        assert session.scalar(select(func.count()).select_from(AnnotationRecord)) == answered.total()
    databases[0].close()


def next_in(session: Session, project: ProjectRecord, member: MembershipRecord) -> AssignmentRecord | None:
    """The next task in a transaction of its own."""
    here = session.get_one(MembershipRecord, member.id)
    return next_task(session, session.get_one(ProjectRecord, project.id), here, now=NOW)


def test_somebody_who_asks_in_many_tabs_gets_one_task(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        for _ in range(8):
            make_task(session, project)
        member = make_member(session, project)

    def ask(_: int) -> int:
        with database.writing() as session:
            assignment = next_in(session, project, member)
            assert assignment is not None
            return assignment.id

    assert len(set(at_once(ask, 8))) == 1


def test_managers_who_draw_at_once_use_each_page_once(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
    pages = [make_page(f"River {number}") for number in range(12)]

    def draw(_: int) -> int:
        with database.writing() as session:
            here = session.get_one(ProjectRecord, project.id)
            return len(draw_writing_tasks(session, here, pages, count=5, now=NOW))

    assert sorted(at_once(draw, 3)) == [2, 5, 5]


def test_the_next_task_is_found_without_looking_at_all_tasks(database: Database) -> None:
    """Of the tasks one row is read, plus what stands before it in the index, not the thousands behind."""
    with database.writing() as session:
        project = make_project(session)
        member = make_member(session, project)
        alike = {"project_id": project.id, "pool": Pool.WORK.value, "made_at": NOW}
        claim = {**alike, "text": "The Nile is long.", "state": ClaimState.GOOD.value, "source": {}}
        task = {**alike, "kind": TaskKind.FEVEROUS_VERIFICATION.value, "state": "open", "drawn": {}, "gold": {}}
        numbers = range(1, 3001)
        session.execute(insert(StudioClaimRecord), [{**claim, "id": number} for number in numbers])
        session.execute(insert(TaskRecord), [{**task, "claim_id": number} for number in numbers])
    if not database.is_sqlite:
        with database.writing() as session:
            session.execute(text("ANALYZE"))
    asked: list[tuple[str, Any]] = []
    listening.listen(database.engine, "before_cursor_execute", lambda *seen: asked.append((seen[2], seen[3])))
    with database.writing() as session:
        assert next_in(session, project, member)
    statement, values = next(each for each in asked if "ORDER BY tasks.answers" in each[0])
    explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
    with database.engine.connect() as connection:
        plan = "\n".join(str(line) for line in connection.exec_driver_sql(explain + statement, values))
    assert "ix_tasks_next" in plan
    for costly in ("SCAN", "Seq Scan on tasks", "Seq Scan on claims", "TEMP B-TREE", "Sort", "Hash"):
        assert costly not in plan, plan


@pytest.mark.parametrize("open_at", [None, NOW])
def test_whether_there_are_tasks_of_a_kind_is_known_without_looking_at_all_of_them(
    database: Database, open_at: float | None
) -> None:
    with database.writing() as session:
        project = make_project(session)
        task = {"project_id": project.id, "pool": Pool.WORK.value, "kind": TaskKind.FEVEROUS_VERIFICATION.value,
                "state": "open", "drawn": {}, "gold": {}, "not_before": NOW + 1, "made_at": NOW}  # fmt: skip
        session.execute(insert(TaskRecord), [task] * 3000)
    if not database.is_sqlite:
        with database.writing() as session:
            session.execute(text("ANALYZE"))
    asked: list[tuple[str, Any]] = []
    listening.listen(database.engine, "before_cursor_execute", lambda *seen: asked.append((seen[2], seen[3])))
    with database.reading() as session:
        assert has_tasks(session, project, TaskKind.FEVEROUS_VERIFICATION, open_at=open_at) is (open_at is None)
        assert not has_tasks(session, project, TaskKind.FEVEROUS_CLAIMS, open_at=open_at)
        explain = "EXPLAIN QUERY PLAN " if database.is_sqlite else "EXPLAIN "
        statement, values = asked[-1]
        plan = "\n".join(str(line) for line in session.connection().exec_driver_sql(explain + statement, values))
    assert "ix_tasks_kind" in plan, plan


@pytest.mark.parametrize("end", ["next", "skip"])
def test_a_task_that_was_closed_while_its_holder_wrote_does_not_hold_them(database: Database, end: str) -> None:
    """Closing passes over an assignment that its holder is writing to at that very moment."""
    with database.writing() as session:
        project = make_project(session)
        member = make_member(session, project)
        make_task(session, project)
        make_task(session, project)
        first = next_in(session, project, member)
        assert first is not None
        session.get_one(TaskRecord, first.task_id).state = TaskState.CLOSED
        if end == "skip":
            give_back(session, first, reason="not for me", now=NOW)
        second = next_in(session, project, member)
        assert second is not None
        assert second.task_id != first.task_id
        assert first.state != "active"
        assert session.get_one(TaskRecord, first.task_id).state == TaskState.CLOSED
