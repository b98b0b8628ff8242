"""Annotating: the log under two tabs, answers that count once, and what follows from them."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tests.studio.workplace import (
    DAY,
    ELEMENT,
    NOW,
    answer,
    event,
    fill_in,
    highlight,
    make_claim,
    make_member,
    make_page,
    make_project,
    make_task,
    take,
    verify,
)
from veritab.errors import Conflict, InputError, NotFound
from veritab.studio.annotating import (
    FaultyDraft,
    StaleDraft,
    append_events,
    comment,
    draft_of,
    events_of,
    faults_of,
    find_assignment,
    report,
    revise,
    skip,
    submit,
)
from veritab.studio.database import Database, open_studio
from veritab.studio.log import LogEvent, LogOperation
from veritab.studio.projects import Workflow, publish_guideline
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    EventRecord,
    EvidenceRecord,
    MembershipRecord,
    ProjectRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import ClaimState, MemberStage, TaskState
from veritab.studio.tasks import add_mutations_task, draw_writing_tasks, give_back, next_task, release_expired
from veritab.studio.vocabulary import ClaimType, HighlightSkipReason, Pool, ReportReason, SkipReason, TaskKind


def begin(session: Session, *, wanted: int = 1, workflow: Workflow = Workflow.FEVEROUS) -> AssignmentRecord:
    """Somebody has just taken a claim to verify."""
    project = make_project(session, workflow)
    make_task(session, project, wanted=wanted)
    return take(session, project, make_member(session, project))


def task_of(session: Session, assignment: AssignmentRecord) -> TaskRecord:
    return session.get_one(TaskRecord, assignment.task_id)


def ask_next(session: Session, assignment: AssignmentRecord, now: float = NOW + 60) -> AssignmentRecord | None:
    """What whoever holds an assignment gets when asking for the next task."""
    project = session.get_one(ProjectRecord, task_of(session, assignment).project_id)
    query = select(MembershipRecord).where(MembershipRecord.account_id == assignment.account_id)
    return next_task(session, project, session.scalars(query).one(), now=now)


def somebody_else(session: Session, assignment: AssignmentRecord, now: float = NOW + 60) -> AssignmentRecord:
    """The task in the hands of another member."""
    project = session.get_one(ProjectRecord, task_of(session, assignment).project_id)
    return take(session, project, make_member(session, project, "heron"), now)


def count_of(session: Session, table: type) -> int:
    return session.scalar(select(func.count()).select_from(table)) or 0


# -- the log -----------------------------------------------------------------------------------------------


def test_an_assignment_is_found_by_whoever_holds_it_alone(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        project = session.get_one(ProjectRecord, task_of(session, assignment).project_id)
        other = make_project(session)
        assert find_assignment(session, project, assignment.id, assignment.account_id) is assignment
        for place, id, account in (
            (project, assignment.id, assignment.account_id + 1),
            (other, assignment.id, assignment.account_id),
            (project, assignment.id + 1, assignment.account_id),
            (project, 10**30, assignment.account_id),
        ):
            with pytest.raises(NotFound):
                find_assignment(session, place, id, account)


def test_events_are_appended_and_give_the_draft_again(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        draft = append_events(session, assignment, highlight(ELEMENT) + fill_in(verdict="REFUTES"), now=NOW + 9)
        assert (draft.events, dict(draft.fields)) == (3, {"verdict": "REFUTES"})
        assert draft == draft_of(session, assignment)
        assert [each.operation for each in events_of(session, assignment)] == ["start", "Highlighting", "Write"]
        assert assignment.lease_until == NOW + 9 + 3600


def test_what_is_sent_twice_is_counted_once(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        sent = fill_in(note="a") + fill_in(note="b")
        append_events(session, assignment, [*sent, sent[0]], now=NOW + 9)
        draft = append_events(session, assignment, [*sent, *fill_in(note="c")], now=NOW + 10)
        assert (draft.events, assignment.events, count_of(session, EventRecord)) == (4, 4, 4)
        assert draft.fields == {"note": "c"}
        assert list(session.scalars(select(EventRecord.sequence).order_by(EventRecord.id))) == [1, 2, 3, 4]


def test_the_clients_clock_is_believed_within_what_can_be(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        clocks = [5.0, 3.0, float("nan"), float("inf"), -1.0]
        sent = [event(LogOperation.SEARCH, "Nile", seconds) for seconds in clocks]
        append_events(session, assignment, sent, now=NOW + 20)
        append_events(session, assignment, [event(LogOperation.BACK, "", 1.0)], now=NOW + 10)
        assert [each.seconds for each in events_of(session, assignment)] == [0, 5, 5, 5, 20, 20, 20]


@pytest.mark.parametrize(
    ("sent", "message"),
    [
        (event(LogOperation.START), "by the studio itself"),
        (event(LogOperation.FINISH), "by the studio itself"),
        (LogEvent(LogOperation.SEARCH, "Nile", 1.0), "key"),
        (event(LogOperation.SEARCH, "Nile", key="x" * 101), "100"),
        (event(LogOperation.HIGHLIGHT, "Nile_paragraph_0"), "Nile_paragraph_0"),
        (event(LogOperation.WRITE, "verdict"), "names no field"),
        (event(LogOperation.EVIDENCE_SET, "99"), "evidence set"),
        (event(LogOperation.WRITE, "claim-1=" + "x" * 1_000_000), "1,000,008"),
    ],
)
def test_a_step_that_cannot_be_read_is_refused_with_all_that_came_with_it(
    database: Database, sent: LogEvent, message: str
) -> None:
    with database.writing() as session:
        assignment = begin(session)
        with pytest.raises(InputError, match=message):
            append_events(session, assignment, [*fill_in(note="x"), sent], now=NOW + 9)
        assert count_of(session, EventRecord) == 1


def test_too_many_steps_at_once_are_refused(database: Database) -> None:
    with database.writing() as session, pytest.raises(InputError, match="1,001"):
        append_events(session, begin(session), fill_in(note="x") * 1001, now=NOW)


def test_characters_that_no_text_has_are_dropped(database: Database) -> None:
    with database.writing() as session:
        draft = append_events(session, begin(session), fill_in(note="e\u0301a\x00b\ud800c\n"), now=NOW + 9)
        assert draft.fields["note"] == "\u00e9abc\n"


def test_a_log_written_in_many_tabs_at_once_has_no_holes(place: str) -> None:
    databases = [open_studio(place) for _ in range(3)]  # as three processes would
    with databases[0].writing() as session:
        assignment = begin(session)
    twice = fill_in(note="the same")

    def type_on(number: int) -> None:
        for step in range(8):
            with databases[number % 3].writing() as session:
                held = session.get_one(AssignmentRecord, assignment.id)
                append_events(session, held, [*twice, event(LogOperation.SEARCH, f"{number} {step}")], now=NOW + 9)

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(type_on, range(6)))
    with databases[0].reading() as session:
        kept = session.scalars(select(EventRecord).order_by(EventRecord.sequence)).all()
        assert [each.sequence for each in kept] == list(range(1, 51))
        assert session.get_one(AssignmentRecord, assignment.id).events == 50
        assert len({each.value for each in kept if each.operation == "search"}) == 48
    for database in databases:
        database.close()


# -- submitting --------------------------------------------------------------------------------------------


def test_an_answer_keeps_what_was_chosen_and_how_it_came_about(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        project = session.get_one(ProjectRecord, task_of(session, assignment).project_id)
        publish_guideline(session, project, TaskKind.FEVEROUS_VERIFICATION, "Look well.", by=None, now=NOW)
        guideline = publish_guideline(
            session, project, TaskKind.FEVEROUS_VERIFICATION, "Look better.", by=None, now=NOW
        )
        sent = [
            *highlight("Nile_sentence_1", "Nile_cell_0_1_1"),
            event(LogOperation.EVIDENCE_SET, "2"),
            *highlight("Cairo_item_0_2"),
            *fill_in(verdict="REFUTES", misled="yes", challenge="Multi-hop Reasoning", note="far"),
        ]
        kept = answer(session, assignment, sent, NOW + 100, suggestion={"label": "SUPPORTS", "seen": "first"})
        assert (kept.revision, kept.is_last, kept.is_flagged) == (1, True, False)
        assert (kept.label, kept.challenge, kept.fields) == (
            "REFUTES",
            "Multi-hop Reasoning",
            {"misled": "yes", "note": "far"},
        )
        assert (kept.seconds, kept.events, kept.submitted_at) == (100.0, 10, NOW + 100)
        assert (kept.guideline_id, kept.suggestion) == (guideline.id, {"label": "SUPPORTS", "seen": "first"})
        pieces = session.execute(
            select(EvidenceRecord.set_number, EvidenceRecord.position, EvidenceRecord.element).order_by(
                EvidenceRecord.id
            )
        )
        assert [tuple(piece) for piece in pieces] == [
            (1, 1, "Nile_sentence_1"),
            (1, 2, "Nile_cell_0_1_1"),
            (2, 1, "Cairo_item_0_2"),
        ]
        assert events_of(session, assignment)[-1].operation is LogOperation.FINISH
        assert (assignment.state, task_of(session, assignment).state) == ("submitted", TaskState.SETTLED)


def test_an_answer_to_a_log_that_has_moved_on_is_refused_with_both_numbers(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        append_events(session, assignment, fill_in(verdict="SUPPORTS", note="x"), now=NOW + 9)
        with pytest.raises(StaleDraft, match=r"2 steps .* 3") as refused:
            submit(session, assignment, seen=2, now=NOW + 10, exists=lambda _: True)
        assert (refused.value.seen, refused.value.events) == (2, 3)
        assert isinstance(refused.value, Conflict)


def test_an_answer_sent_twice_is_one_answer(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        kept = verify(session, assignment)
        again = submit(session, assignment, seen=kept.events - 1, now=NOW + 90, exists=lambda _: True)
        assert again is kept
        assert (count_of(session, AnnotationRecord), count_of(session, EvidenceRecord)) == (1, 1)
        assert task_of(session, assignment).answers == 1
        with pytest.raises(Conflict, match="submitted"):
            submit(session, assignment, seen=kept.events, now=NOW + 90, exists=lambda _: True)
        with pytest.raises(Conflict, match="submitted"):
            append_events(session, assignment, fill_in(note="late"), now=NOW + 90)


def test_one_draft_submitted_in_many_tabs_at_once_is_one_answer(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session, wanted=3)
        sent = highlight(ELEMENT) + fill_in(verdict="SUPPORTS", challenge="Other")
        seen = append_events(session, assignment, sent, now=NOW + 9).events

    def send(_: int) -> int:
        with database.writing() as session:
            held = session.get_one(AssignmentRecord, assignment.id)
            return submit(session, held, seen=seen, now=NOW + 10, exists=lambda _: True).id

    with ThreadPoolExecutor(6) as pool:
        assert len(set(pool.map(send, range(6)))) == 1
    with database.reading() as session:
        assert count_of(session, AnnotationRecord) == 1
        assert session.get_one(TaskRecord, assignment.task_id).answers == 1


def test_a_draft_with_faults_stays_a_draft(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        sent = highlight(ELEMENT) + fill_in(verdict="SUPPORTS")
        seen = append_events(session, assignment, sent, now=NOW + 9).events
        found = faults_of(session, assignment, now=NOW + 9, exists=lambda _: False)
        assert [fault.code for fault in found] == ["challenge-missing", "element-gone"]
        with pytest.raises(FaultyDraft, match=f"hardest to verify.*{ELEMENT}") as refused:
            submit(session, assignment, seen=seen, now=NOW + 9, exists=lambda _: False)
        assert refused.value.faults == tuple(found)
        assert isinstance(refused.value, InputError)
        assert (assignment.state, assignment.events) == ("active", seen)
        assert count_of(session, AnnotationRecord) == 0


def test_time_counts_by_the_studios_clock(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        make_task(session, project)
        assignment = take(session, project, make_member(session, project))
        with pytest.raises(FaultyDraft, match="10 minutes"):
            verify(session, assignment, NOW + 601)


def test_a_task_is_open_again_until_it_has_its_answers(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session, wanted=2)
        task = task_of(session, assignment)
        verify(session, assignment)
        assert (task.state, task.answers) == (TaskState.OPEN, 1)
        verify(session, somebody_else(session, assignment), NOW + 99)
        assert (task.state, task.answers, task.settled_at) == (TaskState.SETTLED, 2, NOW + 99)


def test_answers_that_differ_are_disputed(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session, wanted=2)
        verify(session, assignment)
        verify(session, somebody_else(session, assignment), NOW + 99, "REFUTES")
        assert task_of(session, assignment).state == TaskState.DISPUTED


def test_a_flagged_answer_is_for_a_manager(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        assert verify(session, assignment, flag=True).is_flagged
        assert task_of(session, assignment).state == TaskState.FLAGGED


def test_hidden_gold_that_is_missed_is_counted(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, gold_share=1.0)
        gold = {"label": "REFUTES", "evidence": [[ELEMENT]], "challenge": "Other"}
        make_task(session, project)
        task = make_task(session, project, pool=Pool.GOLD, gold=gold)
        member = make_member(session, project)
        verify(session, take(session, project, member))
        assert (task.state, task.answers, member.misses) == (TaskState.OPEN, 1, 1)


# -- what writing leads to ---------------------------------------------------------------------------------

CLAIMS = {"claim_1": "The Nile is a river.", "claim_2": "The Nile is in Africa.", "claim_3": "The Nile is dry."}


def test_three_claims_are_kept_as_they_were_prescribed_and_wait_to_be_verified(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        (task,) = draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW, priority=2)
        task.drawn = {"truth": "false", "page_rule": "same page", "mutated": "II", "mutation": "negation"}
        author = make_member(session, project)
        challenges = {"challenge_1": "Other", "challenge_2": "Multi-hop Reasoning", "challenge_3": "Other"}
        answer(session, take(session, project, author), fill_in(**CLAIMS, **challenges))
        assert task.state == TaskState.SETTLED
        first, second, third = session.scalars(select(StudioClaimRecord).order_by(StudioClaimRecord.type)).all()
        assert [first.text, second.text, third.text] == list(CLAIMS.values())
        for claim in (first, second, third):
            assert (claim.author_id, claim.highlight_id) == (author.account_id, task.highlight_id)
            assert (claim.state, claim.pool, claim.made_at) == (ClaimState.GOOD, Pool.WORK, NOW + 60)
        assert [first.prescribed_truth, second.page_rule, third.mutation] == ["false", "same page", "negation"]
        assert [first.page_rule, second.prescribed_truth, third.page_rule] == ["", "", ""]
        assert [first.parent_id, second.parent_id, third.parent_id] == [None, None, second.id]
        assert second.expected_challenge == "Multi-hop Reasoning"
        made = session.scalars(select(TaskRecord).where(TaskRecord.id != task.id)).all()
        assert {each.claim_id for each in made} == {first.id, second.id, third.id}
        for each in made:
            assert (each.kind, each.pool) == (TaskKind.FEVEROUS_VERIFICATION, Pool.WORK)
            assert (each.not_before, each.priority) == (NOW + 60 + DAY, 3)


def test_every_type_of_claim_is_met_as_often_as_any_other(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        pages = [make_page(f"River {number}") for number in range(12)]
        tasks = draw_writing_tasks(session, project, pages, count=12, now=NOW)
        challenges = {f"challenge_{number}": "Other" for number in (1, 2, 3)}
        for _ in tasks:
            answer(session, take(session, project, make_member(session, project)), fill_in(**CLAIMS, **challenges))
        types = {claim.id: claim.type for claim in session.scalars(select(StudioClaimRecord))}
        query = select(TaskRecord.claim_id).where(TaskRecord.claim_id.is_not(None)).order_by(TaskRecord.id)
        order = [types[claim] for claim in session.scalars(query) if claim is not None]
        assert Counter(order) == dict.fromkeys(ClaimType, 12)
        assert len({tuple(order[at : at + 3]) for at in range(0, 36, 3)}) > 1, "the place tells the type"


def test_fever_claims_get_a_task_to_be_changed_and_one_to_be_labelled(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, Workflow.FEVER)
        (task,) = draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW)
        written = fill_in(claim_1="The  Nile is\ta river. ", claim_4="The Nile is in Africa.")
        answer(session, take(session, project, make_member(session, project)), written)
        claims = session.scalars(select(StudioClaimRecord).order_by(StudioClaimRecord.id)).all()
        assert [claim.text for claim in claims] == ["The Nile is a river.", "The Nile is in Africa."]
        made = session.scalars(select(TaskRecord).where(TaskRecord.id != task.id)).all()
        assert Counter((each.kind, each.claim_id) for each in made) == {
            (kind, claim.id): 1 for kind in (TaskKind.FEVER_MUTATIONS, TaskKind.FEVER_LABELLING) for claim in claims
        }
        waiting = {each.kind: each.not_before for each in made}
        assert waiting == {TaskKind.FEVER_MUTATIONS: 0, TaskKind.FEVER_LABELLING: NOW + 60 + DAY}


def test_mutations_are_claims_of_their_own_with_their_parent(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, Workflow.FEVER)
        claim = make_claim(session, project)
        add_mutations_task(session, project, claim, now=NOW)
        member = make_member(session, project)
        assignment = take(session, project, member)
        with pytest.raises(FaultyDraft, match="same words"):
            answer(session, assignment, fill_in(mutation_negation=claim.text))
        written = fill_in(mutation_negation="The Nile is short.", mutation_paraphrase="Long is the Nile.")
        answer(session, assignment, written)
        children = session.scalars(
            select(StudioClaimRecord).where(StudioClaimRecord.parent_id == claim.id).order_by(StudioClaimRecord.id)
        ).all()
        assert [(each.mutation, each.text) for each in children] == [
            ("paraphrase", "Long is the Nile."),
            ("negation", "The Nile is short."),
        ]
        tasks = session.scalars(select(TaskRecord).where(TaskRecord.kind == TaskKind.FEVER_LABELLING)).all()
        assert {task.claim_id for task in tasks} == {child.id for child in children}


@pytest.mark.parametrize("pool", [Pool.PRACTICE, Pool.CALIBRATION])
def test_what_is_written_for_practice_or_calibration_becomes_no_claim(database: Database, pool: Pool) -> None:
    with database.writing() as session:
        project = make_project(session, Workflow.FEVER, calibration_size=1)
        phase = 1 if pool is Pool.CALIBRATION else 0
        draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW, pool=pool, phase=phase)
        stage = MemberStage.PHASE_ONE if phase else MemberStage.APPROVED
        assignment = take(session, project, make_member(session, project, stage=stage), practice=not phase)
        kept = answer(session, assignment, fill_in(claim_1=CLAIMS["claim_1"], claim_2=CLAIMS["claim_2"]))
        assert kept.fields["claim-2"] == CLAIMS["claim_2"]
        assert count_of(session, StudioClaimRecord) == 0


def test_a_copied_sentence_is_refused(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, Workflow.FEVER)
        draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW)
        written = fill_in(claim_1=CLAIMS["claim_1"], claim_2="The Nile floods.")
        assignment = take(session, project, make_member(session, project))
        with pytest.raises(FaultyDraft, match="word for word"):
            answer(session, assignment, written, sentences=["The Nile floods."])


# -- changing ----------------------------------------------------------------------------------------------


def test_an_answer_can_be_changed_until_the_task_is_settled(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session, wanted=2)
        first = verify(session, assignment)
        revise(session, assignment, now=NOW + 100)
        revise(session, assignment, now=NOW + 101)
        assert assignment.state == "active"
        assert draft_of(session, assignment).fields["verdict"] == "SUPPORTS"
        second = answer(session, assignment, fill_in(verdict="REFUTES"), NOW + 130)
        assert (second.revision, second.label, second.is_last, first.is_last) == (2, "REFUTES", True, False)
        assert second.seconds == 90.0, "the clock stood between the two"
        task = task_of(session, assignment)
        assert (task.answers, task.state) == (1, TaskState.OPEN)
        verify(session, somebody_else(session, assignment), NOW + 140, "REFUTES")
        assert task.state == TaskState.SETTLED
        with pytest.raises(Conflict, match="settled"):
            revise(session, assignment, now=NOW + 150)


def test_a_change_that_others_overtake_leaves_the_first_answer(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session, wanted=2)
        first = verify(session, assignment)
        revise(session, assignment, now=NOW + 100)
        verify(session, somebody_else(session, assignment), NOW + 140)
        with pytest.raises(Conflict, match="first answer stands"):
            answer(session, assignment, fill_in(verdict="REFUTES"), NOW + 150)
        assert first.is_last
        assert ask_next(session, assignment, NOW + 150) is None
        assert assignment.state == "submitted"


def test_a_change_that_is_given_up_or_left_counts_as_submitted(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session, wanted=2)
        verify(session, assignment)
        revise(session, assignment, now=NOW + 100)
        give_back(session, assignment, reason="", now=NOW + 101)
        assert (assignment.state, task_of(session, assignment).state) == ("submitted", TaskState.OPEN)
        revise(session, assignment, now=NOW + 102)
        assert release_expired(session, now=NOW + DAY) == 1
        assert (assignment.state, task_of(session, assignment).state) == ("submitted", TaskState.OPEN)
        verify(session, somebody_else(session, assignment, NOW + DAY), NOW + DAY + 60)
        assert task_of(session, assignment).state == TaskState.SETTLED


def test_what_was_written_or_skipped_is_not_changed(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session, Workflow.FEVER)
        draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW)
        written = take(session, project, make_member(session, project))
        answer(session, written, fill_in(claim_1=CLAIMS["claim_1"], claim_2=CLAIMS["claim_2"]), flag=True)
        with pytest.raises(Conflict, match="with others"):
            revise(session, written, now=NOW + 99)
        skipped = begin(session)
        give_back(session, skipped, reason="not for me", now=NOW)
        with pytest.raises(Conflict, match="skipped"):
            revise(session, skipped, now=NOW + 99)


# -- reporting, skipping, remarks --------------------------------------------------------------------------


def test_a_reported_claim_is_for_a_manager(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        made = report(session, assignment, reason=ReportReason.OWN_NOTE, note=" no verb ", now=NOW + 9)
        assert report(session, assignment, reason=ReportReason.OWN_NOTE, note="no verb", now=NOW + 10) is made
        claim = session.get_one(StudioClaimRecord, made.claim_id)
        assert (made.reason, made.note, made.account_id) == ("note", "no verb", assignment.account_id)
        assert (claim.state, assignment.state) == (ClaimState.REPORTED, "reported")
        assert task_of(session, assignment).state == TaskState.FLAGGED
        assert ask_next(session, assignment) is None


def test_a_report_needs_a_claim_and_a_note_where_no_reason_fits(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        with pytest.raises(InputError, match="in a sentence"):
            report(session, assignment, reason=ReportReason.OWN_NOTE, note=" ", now=NOW)
        with pytest.raises(InputError, match="2,000"):
            report(session, assignment, reason=ReportReason.LANGUAGE, note="x" * 2001, now=NOW)
        project = make_project(session)
        draw_writing_tasks(session, project, [make_page("Nile")], count=1, now=NOW)
        with pytest.raises(InputError, match="no claim to report"):
            report(
                session, take(session, project, make_member(session, project)), reason=ReportReason.LANGUAGE, now=NOW
            )
        assert count_of(session, ReportRecord) == 0


def test_an_answered_claim_is_not_reported_while_it_is_changed(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session, wanted=2)
        verify(session, assignment)
        revise(session, assignment, now=NOW + 70)
        with pytest.raises(Conflict, match="answered already"):
            report(session, assignment, reason=ReportReason.LANGUAGE, now=NOW + 80)


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        (SkipReason.NOT_FOR_ME, TaskState.OPEN),
        (SkipReason.AMBIGUOUS_OR_PERSONAL, TaskState.FLAGGED),
        (SkipReason.AGAINST_GUIDELINES, TaskState.FLAGGED),
        (SkipReason.TYPO, TaskState.FLAGGED),
    ],
)
def test_what_is_skipped_goes_to_others_or_to_a_manager(
    database: Database, reason: SkipReason, state: TaskState
) -> None:
    with database.writing() as session:
        assignment = begin(session, workflow=Workflow.FEVER)
        for _ in range(2):  # sent twice
            assert skip(session, assignment, reason=reason, now=NOW + 9, exists=lambda _: True) is None
        assert (assignment.state, assignment.reason) == ("skipped", reason)
        assert task_of(session, assignment).state == state
        assert ask_next(session, assignment) is None


def test_a_highlight_that_gives_nothing_is_for_a_manager(database: Database) -> None:
    with database.writing() as session:
        project = make_project(session)
        for title, reason, state in (
            ("Nile", HighlightSkipReason.FORMATTING, TaskState.FLAGGED),
            ("Danube", HighlightSkipReason.NOT_FOR_ME, TaskState.OPEN),
        ):
            (task,) = draw_writing_tasks(session, project, [make_page(title)], count=1, now=NOW)
            assignment = take(session, project, make_member(session, project))
            skip(session, assignment, reason=reason, now=NOW + 9, exists=lambda _: True)
            assert (assignment.reason, task.state) == (reason, state)


def test_not_enough_information_is_an_answer_in_fever(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session, workflow=Workflow.FEVER)
        reason = SkipReason.NOT_ENOUGH_INFORMATION
        kept = skip(session, assignment, reason=reason, now=NOW + 9, exists=lambda _: True)
        assert kept is not None
        assert (kept.label, kept.seconds) == ("NOT ENOUGH INFO", 9.0)
        assert skip(session, assignment, reason=reason, now=NOW + 10, exists=lambda _: True) is kept
        assert task_of(session, assignment).state == TaskState.SETTLED
        assert draft_of(session, assignment).fields == {"verdict": "NOT ENOUGH INFO"}


def test_elsewhere_it_gives_the_task_to_somebody_else(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        skip(session, assignment, reason=SkipReason.NOT_ENOUGH_INFORMATION, now=NOW + 9, exists=lambda _: True)
        assert task_of(session, assignment).state == TaskState.OPEN


def test_remarks_are_kept_with_the_task(database: Database) -> None:
    with database.writing() as session:
        assignment = begin(session)
        task = task_of(session, assignment)
        made = comment(session, task, assignment.account_id, " Which Nile? ", now=NOW)
        assert (made.text, made.task_id, made.made_at) == ("Which Nile?", task.id, NOW)
        for wrong in (" ", "x" * 2001):
            with pytest.raises(InputError):
                comment(session, task, assignment.account_id, wrong, now=NOW)
