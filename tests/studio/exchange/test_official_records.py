"""The published records of FEVEROUS come in and go out as they were."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.studio.exchange.made import NOW, make_project, read_lines
from veritab.studio.database import Database
from veritab.studio.exchange.exporting import export
from veritab.studio.exchange.importing import import_file
from veritab.studio.log import LogEvent, LogOperation, fold
from veritab.studio.projects import find_project
from veritab.studio.records import AnnotationRecord, EventRecord

FILE = "official_records_dev50.jsonl.gz"


@pytest.fixture
def official(data_folder: Path) -> Path:
    path = data_folder / "feverous" / FILE
    if not path.exists():
        pytest.skip(f"the published records are not at {path}; they come from https://fever.ai/dataset/feverous.html")
    return path


def records_of(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_the_official_records_go_out_as_they_came_in(database: Database, official: Path, tmp_path: Path) -> None:
    with database.writing() as session:
        project = make_project(session)
        report = import_file(session, project, official, format="annotations", now=NOW, by=None)
    assert report == (50, 50, 0, 0, 50)
    written = export(database, project, tmp_path / "out.jsonl", format="feverous")
    before, after = records_of(official), read_lines(tmp_path / "out.jsonl")
    assert len(before) == len(after) == 50
    for one, other in zip(before, after, strict=True):
        assert other == one
        assert list(other) == list(one)
    assert (written.result.claims, written.annotations, written.result.lost) == (50, 50, ())


def test_their_logs_fold_to_their_evidence(database: Database, official: Path) -> None:
    with database.writing() as session:
        import_file(session, make_project(session), official, format="annotations", now=NOW, by=None)
    before = records_of(official)
    own = 0
    with database.reading() as session:
        assert find_project(session, "rivers").id
        annotations = session.scalars(select(AnnotationRecord).order_by(AnnotationRecord.id)).all()
        for annotation, record in zip(annotations, before, strict=True):
            rows = session.scalars(
                select(EventRecord)
                .where(EventRecord.assignment_id == annotation.assignment_id)
                .order_by(EventRecord.sequence)
            )
            events = [LogEvent(LogOperation(row.operation), row.value, row.seconds, row.key) for row in rows]
            draft = fold(events)
            assert [each._asdict() for each in draft.operations] == record["annotator_operations"]
            assert len(draft.evidence) == len(record["evidence"])
            assert (draft.fields["verdict"], draft.fields["challenge"]) == (record["label"], record["challenge"])
            own += sum(event.operation is LogOperation.EVIDENCE_REMOVED for event in events)
    assert own > 0, "some records highlight what is no evidence"
