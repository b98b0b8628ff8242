"""The rows of figures come out of both databases as they went in."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import insert
from sqlalchemy.orm import Session

from tests.studio.figures.samples import N, R, S, pieces
from veritab.errors import NotFound
from veritab.schema import ElementId, Page, Section, Sentence
from veritab.studio.database import Database
from veritab.studio.figures import figures_to_json
from veritab.studio.figures.reading import (
    read_annotations,
    read_authored_claims,
    read_figures,
    read_members,
    read_writings,
    section_finder,
)
from veritab.studio.figures.rows import AuthoredClaim, MemberRow, OperationCounts, WritingRow, WrittenClaim
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    DecisionRecord,
    EventRecord,
    EvidenceRecord,
    GradeRecord,
    HighlightRecord,
    MembershipRecord,
    ProjectRecord,
    ReportRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.vocabulary import Pool, TaskKind

VERIFY, WRITE = TaskKind.FEVEROUS_VERIFICATION.value, TaskKind.FEVEROUS_CLAIMS.value


class Filled:
    """A studio that is filled step by step, one second after another."""

    def __init__(self, session: Session) -> None:
        self.session, self.now = session, 1000.0
        self.project = self.add_project("birds")
        self.people = {name: self.add(AccountRecord(name=name, made_at=0.0)).id for name in ("ann", "bob", "ibis", "x")}

    def add(self, record: Any) -> Any:
        self.session.add(record)
        self.session.flush()
        return record

    def add_project(self, name: str) -> int:
        project = ProjectRecord(
            name=name, title=name, corpus="", corpus_digest="", workflow="feverous",
            settings={}, consent="", seed=1, made_at=0.0,
        )  # fmt: skip
        return int(self.add(project).id)

    def add_claim(self, text: str, author: str | None = "ibis", **others: Any) -> int:
        values = {"project_id": self.project, "state": "good", "pool": "work", "source": {}, "made_at": 0.0, **others}
        return int(self.add(StudioClaimRecord(text=text, author_id=self.people.get(author or ""), **values)).id)

    def add_task(self, claim: int | None, kind: str = VERIFY, pool: str = "work", **others: Any) -> int:
        values = {"project_id": self.project, "drawn": {}, "gold": {}, "state": "settled", "made_at": 0.0, **others}
        return int(self.add(TaskRecord(claim_id=claim, kind=kind, pool=pool, **values)).id)

    def take(self, task: int, who: str, state: str, reason: str = "") -> int:
        self.now += 1
        taken = AssignmentRecord(
            task_id=task, account_id=self.people[who], state=state,
            taken_at=self.now - 1, lease_until=self.now + 60, ended_at=self.now, reason=reason,
        )  # fmt: skip
        return int(self.add(taken).id)

    def answer(
        self,
        task: int,
        who: str,
        label: str = "",
        sets: Sequence[Sequence[str]] = (),
        operations: Sequence[tuple[str, str]] = (("start", "start"), ("finish", "finish")),
        reason: str = "",
        **others: Any,
    ) -> int:
        assignment = self.take(task, who, "submitted", reason)
        for number, (operation, value) in enumerate(operations, 1):
            self.add(
                EventRecord(
                    assignment_id=assignment, sequence=number, at=self.now, seconds=float(number),
                    operation=operation, value=value, key=str(number),
                )
            )  # fmt: skip
        values = {
            "revision": 1, "fields": {}, "suggestion": {}, "events": len(operations), "seconds": 60.0,
            "submitted_at": self.now, **others,
        }  # fmt: skip
        annotation = AnnotationRecord(
            assignment_id=assignment, task_id=task, account_id=self.people[who], label=label, **values
        )
        self.add(annotation)
        for number, elements in enumerate(sets, 1):
            for position, element in enumerate(elements, 1):
                self.add(
                    EvidenceRecord(annotation_id=annotation.id, set_number=number, position=position, element=element)
                )
        return int(annotation.id)


@pytest.fixture
def filled(database: Database) -> Any:
    with database.writing() as session:
        yield Filled(session)


def test_an_answer_comes_with_its_evidence_and_its_searches(filled: Filled) -> None:
    task = filled.add_task(filled.add_claim("K2 is high."))
    filled.answer(
        task,
        "ann",
        S,
        sets=[["K2_sentence_0", "K2_cell_0_1_1"], ["K2_sentence_0"]],
        operations=[
            ("start", "start"), ("search", "K2"), ("search", "Contains...K 2"), ("hyperlink", "Pakistan"),
            ("Page search", "high"), ("Page search", "metres"), ("Write", "verdict=SUPPORTS"), ("finish", "finish"),
            ("search", "after it was submitted"),
        ],
        events=8,
        challenge="Other",
        seconds=81.5,
    )  # fmt: skip
    (row,) = read_annotations(filled.session, filled.project)
    assert (row.text, row.annotator, row.author, row.kind, row.pool) == ("K2 is high.", "ann", "ibis", VERIFY, "work")
    assert (row.label, row.challenge, row.rating, row.seconds, row.at) == (S, "Other", None, 81.5, 1001.0)
    assert row.evidence == (pieces("K2_sentence_0", "K2_cell_0_1_1"), pieces("K2_sentence_0"))
    assert row.operations == OperationCounts(searches=2, full_text=1, hyperlinks=1, page_searches=2)
    assert (row.skipped, row.flagged, row.reported, row.overlaps) == (None, None, None, False)


def test_only_the_last_revision_counts(filled: Filled) -> None:
    task = filled.add_task(filled.add_claim("K2 is high."))
    first = filled.answer(task, "ann", S, sets=[["K2_sentence_0"]], is_last=False)
    record = filled.session.get_one(AnnotationRecord, first)
    filled.add(
        AnnotationRecord(
            assignment_id=record.assignment_id, task_id=task, account_id=record.account_id, revision=2, label=R,
            fields={}, events=2, seconds=90.0, suggestion={}, submitted_at=1002.0,
        )
    )  # fmt: skip
    (row,) = read_annotations(filled.session, filled.project)
    assert (row.label, row.evidence) == (R, ())


def test_answers_come_in_order_of_time_and_say_whether_others_answered(filled: Filled) -> None:
    shared, alone, looked_up = (filled.add_claim(text, None) for text in ("Shared.", "Alone.", "Looked up."))
    task, single, other = filled.add_task(shared), filled.add_task(alone), filled.add_task(looked_up)
    filled.answer(single, "ann", S)
    filled.answer(task, "bob", R)
    filled.answer(task, "ann", S)
    filled.answer(other, "ann", S)
    filled.answer(filled.add_task(looked_up, is_for_super=True), "x", S)
    filled.take(single, "bob", "skipped", "typo")
    rows = list(read_annotations(filled.session, filled.project))
    assert [row.at for row in rows] == sorted(row.at for row in rows)
    assert [(row.text, row.overlaps) for row in rows[:4]] == [
        ("Alone.", False), ("Shared.", True), ("Shared.", True), ("Looked up.", True),
    ]  # fmt: skip
    assert rows[4].pool == Pool.SUPER
    assert rows[0].author is None


def test_whoever_took_a_task_first_may_answer_last(filled: Filled) -> None:
    task = filled.add_task(filled.add_claim("Shared."))
    filled.answer(task, "ann", S, submitted_at=2000.0)
    filled.answer(task, "bob", S, submitted_at=1500.0)
    assert [row.annotator for row in _annotations(filled)] == ["bob", "ann"]


def test_an_answer_that_is_being_revised_counts_as_it_was_submitted(filled: Filled) -> None:
    task = filled.add_task(filled.add_claim("It is."))
    annotation = filled.session.get_one(AnnotationRecord, filled.answer(task, "ann", S))
    filled.session.get_one(AssignmentRecord, annotation.assignment_id).state = "active"
    assert [row.label for row in _annotations(filled)] == [S]


def test_the_answers_to_a_closed_task_count_for_nothing_and_its_reports_do(filled: Filled) -> None:
    closed = filled.add_task(filled.add_claim("It were."), state="closed")
    filled.answer(closed, "ann", S)
    filled.take(closed, "bob", "reported", "language")
    assert [(row.annotator, row.reported) for row in _annotations(filled)] == [("bob", "language")]


def test_skips_flags_and_reports_have_their_reasons(filled: Filled) -> None:
    claim = filled.add_claim("It is.")
    task = filled.add_task(claim)
    filled.take(task, "ann", "skipped", "typo")
    filled.take(task, "bob", "reported", "")
    filled.add(
        ReportRecord(claim_id=claim, task_id=task, account_id=filled.people["bob"], reason="language", made_at=1.0)
    )
    filled.answer(task, "ibis", S, is_flagged=True, reason="vague")
    filled.take(filled.add_task(claim), "x", "expired")
    filled.take(filled.add_task(claim), "x", "active")
    found = [(row.annotator, row.skipped, row.flagged, row.reported) for row in _annotations(filled)]
    assert found == [
        ("ann", "typo", None, None),
        ("bob", None, None, "language"),
        ("ibis", None, "vague", None),
    ]


def _annotations(filled: Filled) -> list[Any]:
    return list(read_annotations(filled.session, filled.project))


def test_what_was_imported_without_a_log_has_no_seconds(filled: Filled) -> None:
    operations = [("Write", "verdict=SUPPORTS"), ("Evidence added", "K2_sentence_0")]
    filled.answer(filled.add_task(filled.add_claim("It is.")), "ann", S, operations=operations, seconds=0.0)
    (row,) = _annotations(filled)
    assert (row.seconds, row.operations) == (None, None)


def test_another_project_is_another_matter(filled: Filled) -> None:
    filled.answer(filled.add_task(filled.add_claim("It is.")), "ann", S)
    other = filled.add_project("stones")
    assert list(read_annotations(filled.session, other)) == []
    assert list(read_writings(filled.session, other)) == []
    assert list(read_members(filled.session, other)) == []
    assert list(read_authored_claims(filled.session, other)) == []


def test_a_highlight_comes_with_its_three_claims(filled: Filled) -> None:
    highlight = filled.add(HighlightRecord(project_id=filled.project, page="K2", kind="table", elements={"ids": []}))
    task = filled.add_task(None, WRITE, highlight_id=highlight.id)
    filled.answer(task, "ibis", operations=[("start", "start"), ("hyperlink", "Asia")], seconds=300.0)
    first = filled.add_claim("One.", highlight_id=highlight.id, type="I", prescribed_truth="false")
    filled.add_claim("Two.", highlight_id=highlight.id, type="II", page_rule="several pages")
    filled.add_claim("Three.", highlight_id=highlight.id, type="III", parent_id=first, mutation="negation")
    filled.add_claim("Of somebody else.", "bob", highlight_id=highlight.id)
    (row,) = read_writings(filled.session, filled.project)
    claims = (
        WrittenClaim("One.", "I", truth="false"),
        WrittenClaim("Two.", "II"),
        WrittenClaim("Three.", "III", "negation"),
    )
    assert row == WritingRow(
        "ibis", WRITE, claims, "work", "table", "several pages", 300.0, OperationCounts(hyperlinks=1)
    )


def test_mutations_of_fever_are_a_task_of_their_own(filled: Filled) -> None:
    highlight = filled.add(HighlightRecord(project_id=filled.project, page="K2", kind="sentences", elements={}))
    write = filled.add_task(None, TaskKind.FEVER_CLAIMS.value, highlight_id=highlight.id)
    filled.answer(write, "ibis")
    claim = filled.add_claim("K2 is high.", highlight_id=highlight.id)
    filled.answer(filled.add_task(claim, TaskKind.FEVER_MUTATIONS.value), "ibis")
    filled.add_claim("K2 is low.", highlight_id=highlight.id, parent_id=claim, mutation="negation")
    filled.take(filled.add_task(None, TaskKind.FEVER_CLAIMS.value), "ann", "skipped", "no facts")
    rows = list(read_writings(filled.session, filled.project))
    assert [(row.author, [claim.text for claim in row.claims], row.skipped) for row in rows] == [
        ("ibis", ["K2 is high."], None),
        ("ann", [], "no facts"),
        ("ibis", ["K2 is low."], None),
    ]
    assert _annotations(filled) == []


def test_members_have_their_verdict_accuracy_in_calibration(filled: Filled) -> None:
    for name, stage in (("ann", "approved"), ("bob", "rejected"), ("ibis", "phase one"), ("x", "approved")):
        filled.add(
            MembershipRecord(
                project_id=filled.project, account_id=filled.people[name], role="annotator", stage=stage, joined_at=0.0
            )
        )
    tasks = [filled.add_task(filled.add_claim(f"Claim {n}."), pool="calibration") for n in range(2)]
    regraded = 0
    for name, verdicts in (("bob", (False, False)), ("ann", (True, False))):
        for task, right in zip(tasks, verdicts, strict=True):
            regraded = annotation = filled.answer(task, name, S)
            filled.add(GradeRecord(annotation_id=annotation, passed=right, measures={"label": right}, made_at=0.0))
    # The last answer of ann was graded again, by a manager.
    filled.add(GradeRecord(annotation_id=regraded, passed=True, measures={"label": True}, made_at=1.0))
    written = filled.answer(filled.add_task(None, WRITE, pool="calibration"), "ibis")
    filled.add(GradeRecord(annotation_id=written, passed=True, measures={}, made_at=0.0))
    assert list(read_members(filled.session, filled.project)) == [
        MemberRow("ann", VERIFY, "approved", 1.0, approved=True),
        MemberRow("bob", VERIFY, "rejected", 0.0, approved=False),
        MemberRow("ibis", WRITE, "phase one", None, approved=None),
    ]


def test_settled_claims_come_by_author_with_the_label_decided_upon(filled: Filled) -> None:
    highlight = filled.add(HighlightRecord(project_id=filled.project, page="K2", kind="table", elements={}))
    agreed = filled.add_claim("Agreed.", highlight_id=highlight.id)
    disputed, decided = filled.add_claim("Disputed."), filled.add_claim("Decided.", "ann")
    withdrawn, open_claim = filled.add_claim("Withdrawn.", state="withdrawn"), filled.add_claim("Open.")
    for claim, labels in ((agreed, (S, S)), (disputed, (S, R)), (decided, (S, R)), (withdrawn, (S, S))):
        task = filled.add_task(claim)
        for who, label in zip(("bob", "x"), labels, strict=True):
            filled.answer(task, who, label)
        if claim == decided:
            for label in (S, N):
                filled.add(
                    DecisionRecord(
                        task_id=task, by_id=filled.people["x"], label=label, evidence={}, reason="", made_at=0.0
                    )
                )
    unanswered, unreadable = filled.add_claim("Decided alone."), filled.add_claim("Unreadable.")
    for claim, word in ((unanswered, R.value), (unreadable, "")):
        task = filled.add_task(claim)
        filled.add(
            DecisionRecord(task_id=task, by_id=filled.people["x"], label=word, evidence={}, reason="", made_at=0.0)
        )
    filled.answer(filled.add_task(open_claim, state="open", wanted=2), "bob", S)
    filled.answer(filled.add_task(filled.add_claim("Imported.", None)), "bob", S)
    assert list(read_authored_claims(filled.session, filled.project)) == [
        AuthoredClaim("ann", str(decided), "Decided.", N),
        AuthoredClaim("ibis", str(agreed), "Agreed.", S, ("K2",)),
        AuthoredClaim("ibis", str(unanswered), "Decided alone.", R),
    ]


def test_all_figures_of_a_project_at_once(filled: Filled) -> None:
    for number in range(3):
        task = filled.add_task(filled.add_claim(f"Claim {number}."))
        for who, label in (("ann", S), ("bob", S if number else R)):
            filled.answer(task, who, label, sets=[[f"K2_sentence_{number}"]])
    figures = read_figures(filled.session, filled.project, lambda id: id.path[0] - 1)
    assert figures.agreement.ways[2].value == pytest.approx(-0.2)
    assert figures.verification.section_positions == (6, {-1: 2, 0: 2, 1: 2})
    assert figures.verification.effort[VERIFY].seconds == (60.0, 6, "")
    assert figures_to_json(figures)["agreement"]["same_evidence"] == {"value": 1.0, "n": 3}


# -- sections and size -------------------------------------------------------------------------------------


class OnePage:
    """A corpus of one page."""

    def page(self, title: str) -> Page:
        if title != "K2":
            raise NotFound(f"there is no page {title!r}")
        blocks = (
            Sentence(0, "It is high."),
            Section(0, "Name", 2),
            Sentence(1, "It is a letter and a number."),
            Section(1, "Letter", 3),
            Sentence(2, "It is a K."),
        )
        return Page("K2", blocks)


def test_sections_are_looked_up_and_unknown_elements_have_none() -> None:
    section_of = section_finder(OnePage())
    ids = "K2_sentence_0", "K2_sentence_1", "K2_sentence_2", "K2_sentence_9", "K3_sentence_0"
    assert [section_of(ElementId.parse(id)) for id in ids] == [-1, 0, 1, None, None]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_memory_does_not_grow_with_annotations_that_are_read(database: Database) -> None:
    with database.writing() as session:
        filled = Filled(session)

        def add(first: int, last: int) -> None:
            numbers = range(first, last)
            session.execute(
                insert(StudioClaimRecord),
                [{"id": n, "project_id": filled.project, "text": f"Claim {n}.", "state": "good", "pool": "work",
                  "source": {}, "made_at": 0.0} for n in numbers],
            )  # fmt: skip
            session.execute(
                insert(TaskRecord),
                [{"id": n, "project_id": filled.project, "claim_id": n, "kind": VERIFY, "pool": "work", "drawn": {},
                  "gold": {}, "state": "settled", "made_at": 0.0} for n in numbers],
            )  # fmt: skip
            person = filled.people["ann"]
            session.execute(
                insert(AssignmentRecord),
                [{"id": n, "task_id": n, "account_id": person, "state": "submitted", "taken_at": 0.0,
                  "lease_until": 0.0, "ended_at": 0.0} for n in numbers],
            )  # fmt: skip
            session.execute(
                insert(AnnotationRecord),
                [{"id": n, "assignment_id": n, "task_id": n, "account_id": person, "revision": 1, "label": str(S),
                  "fields": {}, "events": 1, "seconds": 5.0, "suggestion": {}, "submitted_at": float(n)}
                 for n in numbers],
            )  # fmt: skip
            session.execute(
                insert(EvidenceRecord),
                [{"annotation_id": n, "set_number": 1, "position": p, "element": f"K2_sentence_{p}"}
                 for n in numbers for p in range(3)],
            )  # fmt: skip

        def peak() -> int:
            tracemalloc.start()
            read_figures(session, filled.project)
            _, most = tracemalloc.get_traced_memory()
            tracemalloc.stop()
            return most

        add(1, 1000)
        peak()  # what is built at first use
        few = peak()
        add(1000, 6000)
        assert peak() < few + 400_000
