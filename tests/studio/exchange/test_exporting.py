"""Projects go out as data sets, in every format."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import select

from tests.evaluate.test_official_feverous import REASON
from tests.studio.exchange.made import (
    CELL,
    DANUBE,
    NILE,
    NOW,
    REFUTES,
    SUPPORTS,
    UNKNOWN,
    answer,
    make_claim,
    make_person,
    make_project,
    make_task,
    read_lines,
    write_lines,
)
from veritab import datasets
from veritab.audit.audit_rows import audit_rows
from veritab.datasets.splitting import split
from veritab.datasets.writing import FOLDERS, FORMATS
from veritab.errors import InputError
from veritab.evaluate.official import feverous_score, triple
from veritab.schema import Context, Element, ElementId, Kind
from veritab.studio.database import Database
from veritab.studio.exchange.exporting import ExportReport, export
from veritab.studio.exchange.importing import import_file
from veritab.studio.projects import Workflow, find_project
from veritab.studio.quality import adjudicate, review
from veritab.studio.records import DecisionRecord, HighlightRecord, ProjectRecord, TaskRecord
from veritab.studio.states import ClaimState, TaskState
from veritab.studio.tasks import add_verification_task
from veritab.studio.vocabulary import Pool


def exported(database: Database, project: ProjectRecord, path: Path, **options: Any) -> list[dict[str, Any]]:
    """The records of an export as FEVEROUS."""
    export(database, project, path, **{"format": "feverous"} | options)
    return read_lines(path)


def test_a_settled_claim_goes_out_with_evidence_context_and_operations(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        task = make_task(session, project, "The Nile is long.")
        answer(session, task, REFUTES, [[CELL, NILE], [DANUBE]], challenge="Numerical Reasoning")

    def element(id: ElementId) -> Element | None:
        title = Context(ElementId(id.page, Kind.TITLE), id.page)
        header = Context(ElementId(id.page, Kind.HEADER_CELL, (0, 0, 1)), "Length")
        return Element(id, "words", (), (title, header) if id.kind is Kind.CELL else (title,))

    report = export(database, project, tmp_path / "out.jsonl", format="feverous", element_of=element)
    (record,) = read_lines(tmp_path / "out.jsonl")
    assert record == {
        "evidence": [
            {
                "content": [CELL, NILE],
                "context": {CELL: ["Danube_title", "Danube_header_cell_0_0_1"], NILE: ["Nile_title"]},
            },
            {"content": [DANUBE], "context": {DANUBE: ["Danube_title"]}},
        ],
        "id": task.claim_id,
        "claim": "The Nile is long.",
        "label": REFUTES,
        "annotator_operations": [
            {"operation": "start", "value": "start", "time": "0"},
            {"operation": "Highlighting", "value": CELL, "time": "1.5"},
            {"operation": "Highlighting", "value": NILE, "time": "3"},
            {"operation": "Highlighting", "value": DANUBE, "time": "6"},
            {"operation": "finish", "value": "finish", "time": "10.5"},
        ],
        "challenge": "Numerical Reasoning",
    }
    assert (report.result.claims, report.annotations, report.unsettled, report.unlabelled) == (1, 1, 0, 0)
    assert report.result.lost == ()


# -- what goes out, and what does not --


def test_only_settled_claims_go_out_unless_all_are_asked_for(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        answer(session, make_task(session, project, "Settled."), SUPPORTS)
        answer(session, make_task(session, project, "Half.", wanted=2), REFUTES)
        make_task(session, project, "Open.")
        disputed = make_task(session, project, "Disputed.", wanted=2)
        answer(session, disputed, SUPPORTS)
        answer(session, disputed, REFUTES)
    report = export(database, project, tmp_path / "a.jsonl", format="feverous")
    assert [record["claim"] for record in read_lines(tmp_path / "a.jsonl")] == ["Settled."]
    assert (report.unsettled, report.annotations) == (3, 1)
    every = {record["claim"]: record for record in exported(database, project, tmp_path / "b.jsonl", settled=False)}
    assert {claim: (record.get("label"), record.get("state")) for claim, record in every.items()} == {
        "Settled.": (SUPPORTS, None),
        "Half.": (REFUTES, "open"),
        "Open.": (None, "open"),
        "Disputed.": (None, "disputed"),
    }
    assert len(every["Disputed."]["annotations"]) == 2


def test_practice_withdrawn_and_other_projects_never_go_out(database: Database, tmp_path: Path) -> None:
    gold = {"label": REFUTES, "evidence": [[NILE]], "challenge": "Other"}
    with database.writing() as session:
        project, other = make_project(session), make_project(session, "seas")
        answer(session, make_task(session, project, "Work."), SUPPORTS)
        for pool in (Pool.PRACTICE, Pool.CALIBRATION, Pool.GOLD):
            task = make_task(session, project, f"In {pool.value}.", pool=pool, gold=gold)
            task.phase = 1 if pool is Pool.CALIBRATION else 0
            make_task(session, project, f"In {pool.value} without gold.", pool=pool)
        answer(session, make_task(session, project, "Withdrawn.", state=ClaimState.WITHDRAWN), SUPPORTS)
        answer(session, make_task(session, other, "Elsewhere."), SUPPORTS)
        make_claim(session, project, "Without a task.")
    assert [record["claim"] for record in exported(database, project, tmp_path / "a.jsonl")] == ["Work."]
    pools = ["work", "gold", "calibration"]
    asked = exported(database, project, tmp_path / "b.jsonl", pools=pools)
    assert [(record["claim"], record["label"]) for record in asked] == [
        ("Work.", SUPPORTS),
        ("In calibration.", REFUTES),
        ("In gold.", REFUTES),
    ]
    every = exported(database, project, tmp_path / "c.jsonl", pools=pools, settled=False)
    assert not any("practice" in record["claim"] or "Withdrawn" in record["claim"] for record in every)
    for wrong in (["practice"], ["super"], []):
        with pytest.raises(InputError, match="is not exported"):
            export(database, project, tmp_path / "d.jsonl", format="feverous", pools=wrong)


def test_a_closed_task_counts_for_nothing(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        task = make_task(session, project, "The Nile is long.")
        answer(session, task, SUPPORTS)
        task.state = TaskState.CLOSED
        claim_id = task.claim_id
        again = TaskRecord(**{
            column.name: getattr(task, column.name) for column in TaskRecord.__table__.columns if column.name != "id"
        })  # fmt: skip
        again.state, again.answers, again.settled_at = TaskState.OPEN, 0, None
        session.add(again)
        session.flush()
        answer(session, again, REFUTES)
    (record,) = exported(database, project, tmp_path / "a.jsonl")
    assert (record["id"], record["label"]) == (claim_id, REFUTES)
    assert "annotations" not in record


def test_since_a_date(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        answer(session, make_task(session, project, "Early."), SUPPORTS, at=NOW)
        answer(session, make_task(session, project, "Late."), SUPPORTS, at=NOW + 100)
        answer(session, make_task(session, project, "Late and open.", wanted=2), SUPPORTS, at=NOW + 100)
    assert [each["claim"] for each in exported(database, project, tmp_path / "a.jsonl", since=NOW + 50)] == ["Late."]
    late = exported(database, project, tmp_path / "b.jsonl", since=NOW + 50, settled=False)
    assert [each["claim"] for each in late] == ["Late.", "Late and open."]


def test_nothing_to_export_is_told_and_no_file_is_there(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
    with pytest.raises(InputError, match="no claim can be written"):
        export(database, project, tmp_path / "out.jsonl", format="feverous")
    assert list(tmp_path.glob("*.jsonl")) == []


# -- several answers, decisions --


def test_answers_that_agree_give_all_their_evidence_and_are_told_one_by_one(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        ann, bob = make_person(session), make_person(session)
        task = make_task(session, project, "The Nile is long.", wanted=2)
        answer(session, task, SUPPORTS, [[NILE], [CELL]], by=ann, challenge="Other")
        answer(session, task, SUPPORTS, [[CELL], [DANUBE, NILE]], by=bob, challenge="Multi-hop Reasoning")
    (record,) = exported(database, project, tmp_path / "a.jsonl")
    assert [each["content"] for each in record["evidence"]] == [[NILE], [CELL], [DANUBE, NILE]]
    assert record["challenge"] == "Other"
    first, second = record["annotations"]
    assert (first["annotator"], second["annotator"]) == (ann.id, bob.id)
    assert second["sets"] == [[CELL], [DANUBE, NILE]]
    assert second["evidence"] == [CELL, DANUBE, NILE]
    assert second["challenge"] == "Multi-hop Reasoning"
    assert first["operations"] == record["annotator_operations"] != second["operations"]
    assert ann.name not in json.dumps(record), "pseudonyms are not published"


def test_audits_read_what_each_annotator_said_from_every_format(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        task = make_task(session, project, "The Nile is long.", wanted=2)
        answer(session, task, SUPPORTS, [[NILE]])
        answer(session, task, SUPPORTS, [[NILE], [DANUBE]])
    for format in set(FORMATS) - {"beir", "fm2", "faviq", "kilt"}:
        export(database, project, tmp_path / format, format=format)
        (row,) = audit_rows(datasets.load(tmp_path / format))
        assert row.labels_given == (SUPPORTS, SUPPORTS), format
        assert row.evidence_given == (frozenset({NILE}), frozenset({NILE, DANUBE})), format


def test_a_decision_overrides_the_answers(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        manager = make_person(session)
        manager.is_administrator = True
        chosen, own = (make_task(session, project, f"Claim {name}.", wanted=2) for name in ("one", "two"))
        for task in (chosen, own):
            answer(session, task, SUPPORTS, [[NILE]])
            right = answer(session, task, REFUTES, [[CELL]], challenge="Multi-hop Reasoning")
            if task is chosen:
                adjudicate(session, task, by=manager.id, label="", annotation_id=right.id, reason="Yes.", now=NOW)
            else:
                sets = [[ElementId.parse(DANUBE)]]
                adjudicate(session, task, by=manager.id, label=REFUTES, sets=sets, reason="No.", now=NOW)
    first, second = exported(database, project, tmp_path / "a.jsonl")
    assert (first["label"], first["evidence"][0]["content"]) == (REFUTES, [CELL])
    assert first["annotator_operations"] == first["annotations"][1]["operations"]
    assert (second["label"], second["evidence"][0]["content"]) == (REFUTES, [DANUBE])
    assert (second["annotator_operations"], second["challenge"]) == ([], "Multi-hop Reasoning")
    assert [each["label"] for each in second["annotations"]] == [SUPPORTS, REFUTES]


def test_a_decision_that_was_doubted_counts_until_the_task_is_settled_again(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        task = make_task(session, project, "The Nile is long.")
        answer(session, task, SUPPORTS)
        by = make_person(session).id
        session.add(DecisionRecord(task_id=task.id, by_id=by, label=REFUTES, evidence={}, reason="x", made_at=NOW - 5))
    (record,) = exported(database, project, tmp_path / "a.jsonl")
    assert record["label"] == SUPPORTS, "it was settled by its answers since"
    with database.writing() as session:
        task = session.get_one(TaskRecord, task.id)
        review(session, task, by=None, again=True, reason="Doubts.", now=NOW)
    (record,) = exported(database, project, tmp_path / "b.jsonl", settled=False)
    assert (record["label"], record["state"]) == (SUPPORTS, "in review")


def test_super_annotators_are_told_beside_the_others(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session, super_share=1.0)
        claim = make_claim(session, project, "The Nile is long.")
        task = add_verification_task(session, project, claim, rng=Random(1), now=NOW)
        answer(session, task, SUPPORTS, [[NILE]])
        by_super = session.scalars(select(TaskRecord).where(TaskRecord.pool == Pool.SUPER)).one()
        answer(session, by_super, SUPPORTS, [[NILE, DANUBE]])
    (record,) = exported(database, project, tmp_path / "a.jsonl")
    assert [each["content"] for each in record["evidence"]] == [[NILE]]
    assert [each.get("super") for each in record["annotations"]] == [None, True]


def test_a_claim_that_nobody_understands_has_no_label(database: Database, tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "in.jsonl",
        {"claim": "Of is was.", "annotations": [{"rating": "incomprehensible"}]},
        {"claim": "The Nile is long.", "annotations": [{"label": SUPPORTS, "rating": "perfect"}, {"label": SUPPORTS}]},
    )
    with database.writing() as session:
        project = make_project(session, workflow=Workflow.PLAIN)
        import_file(session, project, path, format="annotations", kind="plain-rating", now=NOW, by=None)
    report = export(database, project, tmp_path / "a.jsonl", format="feverous")
    assert (report.result.claims, report.unlabelled) == (1, 1)
    (record,) = read_lines(tmp_path / "a.jsonl")
    assert [each.get("rating") for each in record["annotations"]] == ["perfect", None]
    every = exported(database, project, tmp_path / "b.jsonl", settled=False)
    assert [[each.get("rating") for each in record["annotations"]] for record in every] == [
        ["incomprehensible"],  # of one person alone, too: nothing else in the record says so
        ["perfect", None],
    ]


# -- where claims come from --


def test_claims_of_one_highlight_stay_together_in_a_split(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        author = make_person(session)
        for page in ("Nile", "Danube", "Volga", "Rhine"):
            highlight = HighlightRecord(
                project_id=project.id, page=page, kind="sentences", elements={"ids": [f"{page}_sentence_0"]}
            )
            session.add(highlight)
            session.flush()
            about: dict[str, Any] = {"author_id": author.id, "highlight_id": highlight.id}
            first = make_task(session, project, f"{page} is long.", type="I", prescribed_truth="true", **about)
            second = make_task(
                session, project, f"{page} is not long.", mutation="negation", parent_id=first.claim_id, **about
            )
            answer(session, first, SUPPORTS)
            answer(session, second, REFUTES)
    records = exported(database, project, tmp_path / "a.jsonl")
    assert records[0]["highlight"] == ["Nile_sentence_0"]
    assert records[0]["origin"] == {"author": author.id, "type": "I", "prescribed_truth": "true"}
    assert records[1]["origin"] == {"author": author.id, "mutation": "negation", "parent": str(records[0]["id"])}
    for format in ("feverous", "fever", "parquet", "label-studio"):
        into = tmp_path / f"by-{format}"
        export(database, project, into, format=format)
        examples = list(datasets.load(into))
        parts = split(examples, {"train": 0.5, "dev": 0.5}, by="highlight")
        pages = [{examples[place].claim.text.split()[0] for place in part.places} for part in parts]
        assert not pages[0] & pages[1]
        assert [len(part) for part in parts] == [4, 4]


def test_no_two_claims_have_one_id(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        written = make_task(session, project, "Written here.")
        answer(session, written, SUPPORTS)
        answer(session, make_task(session, project, "Imported.", source_id=str(written.claim_id)), SUPPORTS)
        answer(
            session, make_task(session, project, "Also written.", parent_id=written.claim_id, author_id=None), SUPPORTS
        )
    ids = [record["id"] for record in exported(database, project, tmp_path / "a.jsonl")]
    assert ids[:2] == [f"studio-{written.claim_id}", written.claim_id]
    assert len(set(ids)) == 3


def test_what_was_exported_comes_in_and_goes_out_the_same(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project, other = make_project(session), make_project(session, "again")
        by = make_person(session)
        by.is_administrator = True
        answer(session, make_task(session, project, "One answer.", source_id="a"), REFUTES, [[CELL, NILE], [DANUBE]])
        two = make_task(session, project, "Two answers.", wanted=2, source_id="b")
        answer(session, two, SUPPORTS, [[NILE]])
        answer(session, two, SUPPORTS, [[CELL]])
        decided = make_task(session, project, "Decided.", wanted=2, source_id="c")
        answer(session, decided, SUPPORTS)
        answer(session, decided, UNKNOWN, [])
        sets = [[ElementId.parse(DANUBE)]]
        adjudicate(session, decided, by=by.id, label=REFUTES, sets=sets, reason="x", now=NOW)
    first = exported(database, project, tmp_path / "a.jsonl")
    with database.writing() as session:
        project = find_project(session, "again")
        import_file(session, project, tmp_path / "a.jsonl", format="annotations", now=NOW, by=None)
    second = exported(database, other, tmp_path / "b.jsonl")
    for record in (*first, *second):
        for annotation in record.get("annotations", ()):
            del annotation["annotator"]  # other accounts
    assert second == first


# -- every format --


@pytest.mark.parametrize("format", sorted(FORMATS))
def test_every_format_can_be_written_and_read_again(database: Database, tmp_path: Path, format: str) -> None:
    with database.writing() as session:
        project = make_project(session, workflow=Workflow.PLAIN)
        for label, claim in ((SUPPORTS, "The Nile is long."), (REFUTES, "The Nile is short."), (UNKNOWN, "It sings.")):
            answer(session, make_task(session, project, claim), label)
    into = tmp_path / ("out" if format in FOLDERS else "out.jsonl")
    report = export(database, project, into, format=format, leave_out=True)
    read = list(datasets.load(into))
    assert len(read) == report.result.claims >= 2
    assert {example.claim.text for example in read} >= {"The Nile is long.", "The Nile is short."}
    assert {str(example.label) for example in read} >= {SUPPORTS, REFUTES}


def test_a_format_that_cannot_carry_a_claim_says_so_and_writes_nothing(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        answer(session, make_task(session, project, "The Nile is long."), SUPPORTS, [[CELL]])
    with pytest.raises(InputError, match="cannot be written as fever: its evidence is not sentences alone"):
        export(database, project, tmp_path / "a.jsonl", format="fever")
    assert not (tmp_path / "a.jsonl").exists()


@pytest.fixture
def official_reader(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """FEVEROUS's own reader, without what it imports beside it: a tokenizer, a database, a reader of lines."""
    pytest.importorskip("feverous", reason=REASON)

    @contextmanager
    def open_lines(path: str) -> Iterator[Any]:
        with Path(path).open(encoding="utf-8") as file:
            yield SimpleNamespace(iter=lambda: map(json.loads, file))

    stand_ins: dict[str, dict[str, Any]] = {
        "jsonlines": {"open": open_lines},
        "feverous.baseline.drqa.tokenizers.spacy_tokenizer": {"SpacyTokenizer": lambda annotators: None},
        "feverous.utils.util": {},
    }
    for name, holds in stand_ins.items():
        module = ModuleType(name)
        vars(module).update(holds)
        monkeypatch.setitem(sys.modules, name, module)
    return import_module("feverous.utils.annotation_processor")


def test_the_official_reader_and_scorer_read_what_is_exported(
    database: Database, tmp_path: Path, official_reader: ModuleType
) -> None:
    scorer = pytest.importorskip("feverous.evaluation.feverous_scorer", reason=REASON)
    with database.writing() as session:
        project = make_project(session)
        answer(session, make_task(session, project, "The Nile is long."), SUPPORTS, [[NILE, CELL]])
        twice = make_task(session, project, "The Danube is blue.", wanted=2)
        answer(session, twice, REFUTES, [[DANUBE]])
        answer(session, twice, REFUTES, [[CELL]])
    export(database, project, tmp_path / "gold.jsonl", format="feverous")
    read = list(official_reader.AnnotationProcessor(str(tmp_path / "gold.jsonl")))
    assert [(each.get_claim(), each.get_verdict()) for each in read] == [
        ("The Nile is long.", SUPPORTS),
        ("The Danube is blue.", REFUTES),
    ]
    assert [set(each.get_evidence(flat=True)) for each in read] == [{NILE, CELL}, {DANUBE, CELL}]
    records = read_lines(tmp_path / "gold.jsonl")
    predictions = []
    for record in records:
        sets = [[triple(id) for id in each["content"]] for each in record["evidence"]]
        told = {"label": record["label"], "evidence": sets}
        predictions.append({"predicted_label": record["label"], "predicted_evidence": sets[0], **told})
    assert tuple(scorer.feverous_score(deepcopy(predictions)))[:2] == (1.0, 1.0)
    assert tuple(feverous_score(predictions))[:2] == (1.0, 1.0)


# -- while people work --


def test_an_export_is_of_one_moment_while_people_work(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veritab.studio.exchange.exporting._AT_ONCE", 2)
    with database.writing() as session:
        project = make_project(session)
        for number in range(6):
            answer(session, make_task(session, project, f"Claim {number}."), SUPPORTS)
    seen = []

    def work(claims: int) -> None:
        seen.append(claims)
        with database.writing() as session:
            mine = find_project(session, "rivers")
            answer(session, make_task(session, mine, f"New {claims}."), REFUTES)

    report = export(database, project, tmp_path / "a.jsonl", format="feverous", tick=work)
    assert seen == [2, 4, 6]
    assert report.result.claims == 6
    assert len(exported(database, project, tmp_path / "b.jsonl")) == 9


def test_an_export_that_is_stopped_leaves_what_was_there_before(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        answer(session, make_task(session, project, "The Nile is long."), SUPPORTS)
    before = write_lines(tmp_path / "a.jsonl", {"id": 1, "claim": "Before."})

    def stop(claims: int) -> None:
        raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        export(database, project, before, format="feverous", tick=stop)
    assert read_lines(before) == [{"id": 1, "claim": "Before."}]
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["a.jsonl"]


def test_a_report_is_json(database: Database, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        answer(session, make_task(session, project, "The Nile is long."), SUPPORTS)
    report = export(database, project, tmp_path / "a.jsonl", format="fever")
    assert isinstance(report, ExportReport)
    told = json.loads(json.dumps(report.as_dict()))
    assert (told["claims"], told["annotations"], told["unsettled"]) == (1, 1, 0)
    assert told["lost"][0]["what"] == "the challenge"
