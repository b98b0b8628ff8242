"""Files of claims and annotations come into a project: all, or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select

from tests.studio.exchange.made import (
    CELL,
    DANUBE,
    NILE,
    NOW,
    REFUTES,
    SUPPORTS,
    UNKNOWN,
    make_person,
    make_project,
    make_task,
    write_lines,
)
from veritab.errors import Conflict, FormatError, InputError, NotAllowed, NotFound
from veritab.schema import ElementId
from veritab.studio.annotating import append_events, draft_of
from veritab.studio.database import Database
from veritab.studio.exchange.importing import MOST_FAULTS, ImportReport, RefusedImport, import_file
from veritab.studio.log import LogEvent, LogOperation, fold
from veritab.studio.projects import Workflow, add_member, close_project, find_project
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    DecisionRecord,
    EventRecord,
    MembershipRecord,
    StudioClaimRecord,
    StudioTable,
    TaskRecord,
    TrailRecord,
)
from veritab.studio.states import ClaimState, MemberStage
from veritab.studio.tasks import next_task
from veritab.studio.upkeep import check_studio
from veritab.studio.vocabulary import Role


def bring(
    database: Database,
    path: Path,
    format: str = "annotations",
    workflow: Workflow = Workflow.FEVEROUS,
    settings: dict[str, Any] | None = None,
    **options: Any,
) -> ImportReport:
    """Import a file into the project `rivers`, made where it is missing."""
    with database.writing() as session:
        try:
            project = find_project(session, "rivers")
        except NotFound:
            project = make_project(session, workflow=workflow, **settings or {})
    with database.writing() as session:
        project = find_project(session, "rivers")
        report = import_file(session, project, path, format=format, now=NOW, by=options.pop("by", None), **options)
    assert list(check_studio(database)) == []
    return report


def rows(database: Database, table: Any) -> list[Any]:
    with database.reading() as session:
        return list(session.scalars(select(table).order_by(table.id)))


def refused(database: Database, path: Path, format: str = "annotations", **options: Any) -> list[str]:
    """The faults of a file of which nothing is kept."""
    before = count(database)
    with pytest.raises(RefusedImport) as caught:
        bring(database, path, format, **options)
    after = count(database)
    if before["projects"]:
        assert after == before
    assert (after["claims"], after["tasks"], after["events"]) == (before["claims"], before["tasks"], before["events"])
    return [str(fault) for fault in caught.value.faults]


def count(database: Database) -> dict[str, int]:
    with database.reading() as session:
        tables = StudioTable.metadata.sorted_tables
        return {table.name: session.scalar(select(func.count()).select_from(table)) or 0 for table in tables}


# -- claims --


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("claims.txt", "The Nile is long.\n\nThe Danube  is blue.\n"),
        ("claims.jsonl", '{"claim": "The Nile is long."}\n{"text": "The Danube is blue.", "label": "SUPPORTS"}\n'),
        ("claims.json", '["The Nile is long.", {"claim": "The Danube is blue."}]'),
        ("claims.csv", "claim,editor\nThe Nile is long.,x\nThe Danube is blue.,y\n"),
    ],
)
def test_claims_come_from_any_file_of_claims(database: Database, tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert bring(database, tmp_path / name, "claims") == (2, 0, 0, 0, 0)
    claims = rows(database, StudioClaimRecord)
    assert [claim.text for claim in claims] == ["The Nile is long.", "The Danube is blue."]
    assert {(claim.author_id, claim.state, claim.pool, claim.source_id) for claim in claims} == {
        (None, "good", "work", "")
    }
    tasks = rows(database, TaskRecord)
    assert [(task.claim_id, task.kind, task.state) for task in tasks] == [
        (claim.id, "feverous-verification", "open") for claim in claims
    ]


def test_ids_of_the_file_are_kept(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", {"id": 1, "claim": "The Nile is long."}, {"id": "b", "claim": "Not so."})
    bring(database, path, "claims")
    assert [claim.source_id for claim in rows(database, StudioClaimRecord)] == ["1", "b"]


def test_a_second_file_without_ids_is_no_duplicate_of_the_first(database: Database, tmp_path: Path) -> None:
    bring(database, write_lines(tmp_path / "a.txt", "The Nile is long."), "claims")
    bring(database, write_lines(tmp_path / "b.txt", "The Nile is blue."), "claims")
    assert len(rows(database, StudioClaimRecord)) == 2


def test_what_came_is_in_the_trail(database: Database, tmp_path: Path) -> None:
    bring(database, write_lines(tmp_path / "a.txt", "The Nile is long."), "claims", name="rivers.txt")
    last = rows(database, TrailRecord)[-1]
    assert (last.what, last.subject, last.after["claims"]) == ("import claims", "file rivers.txt", 1)


# -- annotations --


def record(
    claim: str = "The Nile is long.", label: str | None = SUPPORTS, *sets: list[str], **more: Any
) -> dict[str, Any]:
    evidence = [{"content": each, "context": {}} for each in sets]
    return {"claim": claim, "evidence": evidence, **({"label": label} if label else {}), **more}


def draft(database: Database, assignment: AssignmentRecord) -> Any:
    with database.reading() as session:
        events = session.scalars(
            select(EventRecord).where(EventRecord.assignment_id == assignment.id).order_by(EventRecord.sequence)
        )
        return fold(LogEvent(LogOperation(each.operation), each.value, each.seconds, each.key) for each in events)


def test_a_label_makes_a_finished_answer_of_somebody_who_cannot_sign_in(database: Database, tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl", record("The Nile is long.", REFUTES, [NILE, CELL], [DANUBE], challenge="Other")
    )
    assert bring(database, path) == (1, 1, 0, 0, 1)
    (task,), (annotation,) = rows(database, TaskRecord), rows(database, AnnotationRecord)
    assert (task.state, task.answers, task.settled_at) == ("settled", 1, NOW)
    assert (annotation.label, annotation.challenge) == (REFUTES, "Other")
    (assignment,) = rows(database, AssignmentRecord)
    assert [[str(id) for id in pieces] for pieces in draft(database, assignment).evidence] == [[NILE, CELL], [DANUBE]]
    (account,) = rows(database, AccountRecord)
    assert (account.password_digest, account.closed_at) == ("", NOW)
    assert account.name.startswith("imported-")
    assert [(each.role, each.stage) for each in rows(database, MembershipRecord)] == [("annotator", "approved")]


def test_evidence_without_a_label_is_an_answer_that_was_begun(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("The Nile is long.", None, [NILE]))
    assert bring(database, path) == (1, 0, 1, 0, 0)
    (assignment,), (task,) = rows(database, AssignmentRecord), rows(database, TaskRecord)
    assert (assignment.state, task.state, task.answers) == ("expired", "open", 0)
    assert draft(database, assignment).sets == ((ElementId.parse(NILE),),)
    assert rows(database, AnnotationRecord) == []


def test_whoever_takes_a_task_that_was_begun_goes_on_with_its_evidence(database: Database, tmp_path: Path) -> None:
    bring(database, write_lines(tmp_path / "a.jsonl", record("The Nile is long.", None, [NILE, CELL], [DANUBE])))
    with database.writing() as session:
        project = find_project(session, "rivers")
        member = add_member(
            session, project, make_person(session).id, Role.ANNOTATOR, now=NOW, stage=MemberStage.APPROVED
        )
        member.consented_at = NOW
        assignment = next_task(session, project, member, now=NOW)
        assert assignment is not None
        found = draft_of(session, assignment)
        undo = LogEvent(LogOperation.UNDO, "", 1.0, "u")
        after = append_events(session, assignment, [undo], now=NOW + 1)
    assert [[str(id) for id in pieces] for pieces in found.evidence] == [[NILE, CELL], [DANUBE]]
    assert [each.operation for each in found.operations] == ["start"]
    assert after.evidence == (), "one step takes it away"
    assert list(check_studio(database)) == []


def test_an_answer_counts_as_one_where_more_are_wanted(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("The Nile is long.", SUPPORTS, [NILE]))
    assert bring(database, path, settings={"overlap": {"2": 1.0}}) == (1, 1, 0, 0, 0)
    (task,) = rows(database, TaskRecord)
    assert (task.state, task.answers, task.wanted) == ("open", 1, 2)


def test_what_each_person_said_comes_as_an_answer_of_each(database: Database, tmp_path: Path) -> None:
    said = [
        {
            "annotator": "ann@example.org",
            "label": SUPPORTS,
            "sets": [[NILE], [CELL]],
            "challenge": "Other",
            "seconds": 9,
        },
        {"annotator": "bob", "label": "supported", "evidence": [NILE]},
    ]
    other = [{"annotator": "bob", "label": REFUTES, "evidence": [DANUBE]}]
    path = write_lines(
        tmp_path / "a.jsonl",
        record("The Nile is long.", SUPPORTS, [NILE], [CELL], challenge="Other", annotations=said),
        record("The Danube is short.", REFUTES, [DANUBE], annotations=other),
    )
    assert bring(database, path, settings={"overlap": {"2": 1.0}}) == (2, 3, 0, 0, 1)
    accounts = rows(database, AccountRecord)
    assert len(accounts) == 2, "bob is the same person in both"
    assert not any("ann" in account.name or "bob" in account.name for account in accounts)
    first, second, third = rows(database, AnnotationRecord)
    assert (first.label, second.label, third.label) == (SUPPORTS, SUPPORTS, REFUTES)
    assert (first.seconds, third.account_id) == (9, second.account_id)
    assert rows(database, DecisionRecord) == []


def test_where_people_disagree_what_the_file_says_in_the_end_is_a_decision(database: Database, tmp_path: Path) -> None:
    said = [{"label": SUPPORTS, "evidence": [NILE]}, {"label": REFUTES, "evidence": [CELL]}]
    bring(database, write_lines(tmp_path / "a.jsonl", record("The Nile is long.", REFUTES, [CELL], annotations=said)))
    (decision,), (task,) = rows(database, DecisionRecord), rows(database, TaskRecord)
    assert (decision.label, decision.evidence["sets"], task.state) == (REFUTES, [[CELL]], "settled")


def test_where_people_disagree_and_the_file_does_not_say_the_task_is_disputed(
    database: Database, tmp_path: Path
) -> None:
    said = [{"label": SUPPORTS, "evidence": [NILE]}, {"label": REFUTES, "evidence": [CELL]}]
    bring(database, write_lines(tmp_path / "a.jsonl", {"claim": "The Nile is long.", "annotations": said}))
    (task,) = rows(database, TaskRecord)
    assert task.state == "disputed"


def test_fevers_records_come_into_a_project_of_fever(database: Database, tmp_path: Path) -> None:
    evidence = [[[1, 2, "Nile", 0], [1, 2, "Danube", 2]], [[3, 4, "Nile", 4]]]
    unknown = {"id": 8, "claim": "The Nile sings.", "label": UNKNOWN, "evidence": [[[5, None, None, None]]]}
    path = write_lines(
        tmp_path / "a.jsonl", {"id": 7, "claim": "The Nile is long.", "label": SUPPORTS, "evidence": evidence}, unknown
    )
    assert bring(database, path, workflow=Workflow.FEVER) == (2, 2, 0, 0, 2)
    first, second = rows(database, AnnotationRecord)
    assert (first.label, second.label) == (SUPPORTS, UNKNOWN)
    assert first.fields == {"set-1-verdict": SUPPORTS, "set-2-verdict": SUPPORTS}


def test_built_claims_come_to_be_rated(database: Database, tmp_path: Path) -> None:
    said = [{"label": "", "rating": "incomprehensible"}]
    path = write_lines(
        tmp_path / "a.jsonl",
        {"claim": "The Nile is long."},
        record("The Danube is blue.", SUPPORTS, annotations=[{"label": SUPPORTS, "rating": "minor"}]),
        {"claim": "Of is was.", "annotations": said},
    )
    assert bring(database, path, workflow=Workflow.PLAIN, kind="plain-rating") == (3, 2, 0, 0, 2)
    assert {task.kind for task in rows(database, TaskRecord)} == {"plain-rating"}
    assert [(each.label, each.rating) for each in rows(database, AnnotationRecord)] == [
        (SUPPORTS, "minor"),
        ("", "incomprehensible"),
    ]


def test_label_studios_tasks_come_with_the_answer_of_each_person(database: Database, tmp_path: Path) -> None:
    def said(label: str, by: Any, **more: Any) -> dict[str, Any]:
        choice = {"from_name": "verdict", "to_name": "claim", "type": "choices", "value": {"choices": [label]}}
        return {"result": [choice], "completed_by": by, **more}

    tasks = [
        {
            "id": 4,
            "data": {"claim": "The Nile is long.", "claim_id": "n", "sets": [[NILE]], "challenge": "Other"},
            "annotations": [said(SUPPORTS, {"id": 3, "email": "a@example.org"}, lead_time=12.5), said(SUPPORTS, 4)],
        },
        {"id": 5, "data": {"claim": "The Danube is blue."}, "annotations": []},
        {"id": 6, "data": {"claim": "Both are wet."}, "annotations": [said(REFUTES, 3), said(SUPPORTS, 4)]},
    ]
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    assert bring(database, tmp_path / "tasks.json", "label-studio") == (3, 4, 0, 0, 1)
    assert [claim.source_id for claim in rows(database, StudioClaimRecord)] == ["n", "5", "6"]
    first, second, third, fourth = rows(database, AnnotationRecord)
    assert (first.label, first.seconds, first.challenge) == (SUPPORTS, 12.5, "Other")
    assert first.account_id == third.account_id != second.account_id == fourth.account_id
    assert [task.state for task in rows(database, TaskRecord)] == ["settled", "open", "disputed"]
    assert not any("example" in json.dumps(claim.source) for claim in rows(database, StudioClaimRecord))


# -- pools --


@pytest.mark.parametrize(("pool", "phase"), [("gold", 0), ("calibration", 2), ("practice", 0)])
def test_where_the_right_answer_is_known_it_is_gold(database: Database, tmp_path: Path, pool: str, phase: int) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("The Nile is long.", REFUTES, [NILE, CELL], challenge="Other"))
    assert bring(database, path, pool=pool, phase=phase) == (1, 0, 0, 1, 0)
    (task,) = rows(database, TaskRecord)
    assert task.gold == {"label": REFUTES, "evidence": [[NILE, CELL]], "challenge": "Other"}
    assert (task.pool, task.phase, task.state) == (pool, phase, "open")
    assert rows(database, AnnotationRecord) == []


def test_gold_needs_a_label_and_practice_does_not(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("The Nile is long.", None, [NILE]))
    (fault,) = refused(database, path, pool="gold")
    assert fault.startswith("line 1: the claim 'The Nile is long.' has no label")
    assert bring(database, path, pool="practice").gold == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"pool": "super"}, "'super'"),
        ({"pool": "nowhere"}, "'nowhere'"),
        ({"pool": "calibration"}, "phase 0; say 1 or 2"),
        ({"pool": "gold", "phase": 1}, "only calibration has phases"),
        ({"kind": "fever-claims"}, "'fever-claims'; expected feverous-verification"),
        ({"kind": "plain-rating"}, "'plain-rating'"),
        ({"format": "pdf"}, "'pdf'; expected one of claims, annotations, label-studio"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(database: Database, tmp_path: Path, options: Any, said: str) -> None:
    path = write_lines(tmp_path / "a.jsonl", record())
    with pytest.raises(InputError, match=said):
        bring(database, path, **options)


def test_only_managers_import_and_only_into_open_projects(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record())
    with database.writing() as session:
        project = make_project(session)
        annotator, stranger, manager = (make_person(session).id for _ in range(3))
        add_member(session, project, annotator, Role.ANNOTATOR, now=NOW)
        add_member(session, project, manager, Role.MANAGER, now=NOW)
    with pytest.raises(NotAllowed):
        bring(database, path, by=annotator)
    with pytest.raises(NotFound):
        bring(database, path, by=stranger)
    assert bring(database, path, by=manager).claims == 1
    with database.writing() as session:
        close_project(session, find_project(session, "rivers"), by=None, now=NOW)
    with pytest.raises(Conflict, match="closed"):
        bring(database, path)


# -- faults --


def test_one_fault_and_nothing_is_kept(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record(), "not json", record("The Danube is blue."))
    (fault,) = refused(database, path)
    assert fault.startswith("line 2: not JSON")


def test_every_fault_is_told_by_its_line_and_with_its_value(database: Database, tmp_path: Path) -> None:
    operation = {"operation": "Highlighting", "value": NILE, "time": "1"}
    path = write_lines(
        tmp_path / "a.jsonl",
        record("The Nile is long.", "maybe"),
        record("The Danube is blue.", SUPPORTS, ["nowhere"]),
        record("x" * 2001),
        record("..."),
        record("The Volga is wide.", annotator_operations=[operation, operation | {"operation": "Undo"}]),
        record("The Rhine is wide.", annotator_operations=[operation | {"time": "soon"}]),
        record("The Rhone is wide.", annotator_operations=[operation | {"value": "nowhere"}]),
        record("The Tiber is wide.", annotations=[{"label": "perhaps"}]),
        record("The Seine is wide.", annotations=[{"annotator": 1, "label": SUPPORTS}] * 2),
        record("The Saone is wide.", annotations=[{"label": SUPPORTS, "rating": "odd"}]),
        record("The Loire is wide.", annotations=[{"label": SUPPORTS, "evidence": "Nile"}]),
        {"claim": "The Oder is wide.", "id": ["x"]},
        record("The Elbe is wide.", id="x" * 300),
    )
    told = refused(database, path)
    expected = [
        "line 1: the label 'maybe' is unknown; expected one of SUPPORTS",
        "line 2: 'nowhere' is not an address of evidence",
        "line 3: a claim of 2,001 characters",
        "line 4: '...' is not a claim; write a sentence",
        "line 5: operation 2 is 'Undo'; expected one of",
        "line 6: operation 1 has the time 'soon'; expected e.g.",
        "line 7: 'nowhere' is not an address of evidence; expected e.g. 'Alan Turing_sentence_0'",
        "line 8: the label 'perhaps' is unknown",
        "line 9: annotation 2 is by '1' again; leave one",
        "line 10: the rating is 'odd'; expected one of perfect, minor, incomprehensible",
        "line 11: the evidence is ['Nile']; expected sets",
        "line 12: the id is ['x']; expected a number or a text",
        "line 13: the id 'xxxx",
    ]
    assert len(told) == len(expected)
    for said, wanted in zip(told, expected, strict=True):
        assert said.startswith(wanted), said


def test_a_claim_of_a_megabyte_is_refused(database: Database, tmp_path: Path) -> None:
    long = "The Nile is long. " * 60_000
    for name, format, line in (("a.txt", "claims", long), ("a.jsonl", "annotations", json.dumps({"claim": long}))):
        (fault,) = refused(database, write_lines(tmp_path / name, line), format)
        assert "line 1: a claim of 1,079,999 characters" in fault
        assert len(fault) < 300


def test_duplicates_are_refused_in_the_file_and_in_the_project(database: Database, tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "a.jsonl",
        {"id": 1, "claim": "The Nile is long."},
        {"id": 2, "claim": "The  nile is long."},
        {"id": 1, "claim": "The Danube is blue."},
    )
    for format in ("annotations", "claims"):
        assert refused(database, path, format) == [
            "line 2: the claim 'The nile is long.' came before in line 1; take one of the two out",
            "line 3: the id '1' came before in line 1; give the claim another",
        ]
    bring(database, write_lines(tmp_path / "b.jsonl", {"id": 7, "claim": "The Nile is long."}))
    again = write_lines(tmp_path / "c.jsonl", {"id": 7, "claim": "The Nile is long."})
    assert refused(database, again) == [
        "line 1: the claim 'The Nile is long.' is in the project already; take one of the two out",
        "line 1: the id '7' is in the project already; give the claim another",
    ]


def test_a_claim_that_was_withdrawn_may_come_again(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        make_task(session, make_project(session), "The Nile is long.", state=ClaimState.WITHDRAWN)
    assert bring(database, write_lines(tmp_path / "a.txt", "The Nile is long."), "claims").claims == 1


def test_evidence_that_the_corpus_does_not_have_is_a_fault(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("The Nile is long.", SUPPORTS, [NILE, CELL]))

    def exists(id: ElementId) -> bool:
        return id.page == "Nile"

    assert refused(database, path, exists=exists) == [
        f"line 1: the corpus has no {CELL!r}; bring its page in, or take the evidence out"
    ]
    assert bring(database, path).claims == 1, "without a corpus it is believed"


def test_fevers_verdict_needs_sentences(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record("The Nile is long.", SUPPORTS))
    (fault,) = refused(database, path, workflow=Workflow.FEVER)
    assert fault.startswith("line 1: SUPPORTS without evidence is no answer in this project")


def test_at_most_a_hundred_faults_are_told(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record(), *(["nonsense"] * 150))
    with pytest.raises(RefusedImport, match="and 50 more") as caught:
        bring(database, path)
    assert (len(caught.value.faults), caught.value.more) == (MOST_FAULTS, 50)


@pytest.mark.parametrize("format", ["claims", "annotations", "label-studio"])
@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"\xff\xfe\x00\x01", b"\x1f\x8b\x08\x00broken", b"[1, 2", b'{"a": 1}\n']
)
def test_a_file_that_holds_no_claims_is_told_by_the_name_that_people_know(
    database: Database, tmp_path: Path, format: str, content: bytes
) -> None:
    kept = tmp_path / "import-x1"
    kept.write_bytes(content)
    with pytest.raises(InputError) as caught:
        bring(database, kept, format, name="rivers.jsonl")
    assert "import-x1" not in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_another_file_than_tasks_of_label_studio_is_refused(database: Database, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", record())
    (fault,) = refused(database, path, "label-studio")
    assert fault.startswith('line 1: it has claim, evidence, label; expected a task such as {"data"')
    with pytest.raises(FormatError, match="no task of Label Studio"):
        bring(database, write_lines(tmp_path / "b.json", "[]"), "label-studio")


def test_no_text_with_a_nul_gets_in(database: Database, tmp_path: Path) -> None:
    wrong = {"operation": "search", "value": "a\x00b", "time": "1"}
    (fault,) = refused(database, write_lines(tmp_path / "a.jsonl", record(annotator_operations=[wrong])))
    assert fault.startswith("line 1: operation 1 has the value 'a\\x00b'")
    bring(database, write_lines(tmp_path / "b.jsonl", record("The\x00 Nile.", note="a\x00b")))
    (claim,) = rows(database, StudioClaimRecord)
    assert (claim.text, claim.source["note"]) == ("The Nile.", "ab")
