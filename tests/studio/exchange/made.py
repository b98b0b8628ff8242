"""Projects with claims and answers, for what goes in and comes out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy.orm import Session

from veritab.studio.log import LogEvent, LogOperation, fold
from veritab.studio.projects import ProjectSettings, Workflow, create_project
from veritab.studio.quality import settle
from veritab.studio.records import (
    AccountRecord,
    AnnotationRecord,
    AssignmentRecord,
    EventRecord,
    EvidenceRecord,
    ProjectRecord,
    StudioClaimRecord,
    TaskRecord,
)
from veritab.studio.states import ClaimState, TaskState, TaskStep, move_task
from veritab.studio.submission import read_answer
from veritab.studio.tasks import add_verification_task
from veritab.studio.vocabulary import SHARED_POOLS, Pool, TaskKind

NOW = 1_700_000_000.0
SUPPORTS, REFUTES, UNKNOWN = "SUPPORTS", "REFUTES", "NOT ENOUGH INFO"
NILE, DANUBE, CELL = "Nile_sentence_0", "Danube_sentence_2", "Danube_cell_0_3_1"
_NAMES = (f"person-{number}" for number in count(1))


def make_project(
    session: Session, name: str = "rivers", workflow: Workflow = Workflow.FEVEROUS, **settings: Any
) -> ProjectRecord:
    """A project in which every claim gets one answer, unless the settings say otherwise."""
    return create_project(
        session,
        name,
        title="Rivers",
        corpus="",
        corpus_digest="x",
        workflow=workflow,
        settings=ProjectSettings.parse(settings),
        consent="",
        seed=7,
        now=NOW,
    )


def make_person(session: Session, name: str = "") -> AccountRecord:
    account = AccountRecord(name=name or next(_NAMES), password_digest="x", made_at=NOW)
    session.add(account)
    session.flush()
    return account


def make_claim(session: Session, project: ProjectRecord, text: str, **about: Any) -> StudioClaimRecord:
    given = {"state": ClaimState.GOOD.value, "pool": Pool.WORK.value, "source": {}, "made_at": NOW} | about
    claim = StudioClaimRecord(project_id=project.id, text=text, **given)
    session.add(claim)
    session.flush()
    return claim


def make_task(
    session: Session, project: ProjectRecord, text: str, *, wanted: int = 1, pool: str = Pool.WORK, **about: Any
) -> TaskRecord:
    """A claim and the task to verify it."""
    gold = about.pop("gold", None)
    claim = make_claim(session, project, text, pool=pool, **about)
    task = add_verification_task(session, project, claim, rng=Random(1), now=NOW, pool=pool, gold=gold)
    if pool not in SHARED_POOLS:
        task.wanted = wanted
    return task


def answer(
    session: Session,
    task: TaskRecord,
    label: str,
    sets: Sequence[Sequence[str]] = ((NILE,),),
    *,
    by: AccountRecord | None = None,
    challenge: str = "Other",
    at: float = NOW,
) -> AnnotationRecord:
    """Somebody's answer with its log, submitted, and the task moved as far as that goes."""
    steps = [(LogOperation.START, "start")]
    for number, pieces in enumerate(sets, 1):
        steps += [(LogOperation.EVIDENCE_SET, str(number))] if number > 1 else []
        steps += [(LogOperation.HIGHLIGHT, id) for id in pieces]
    steps += [(LogOperation.WRITE, f"verdict={label}"), (LogOperation.WRITE, f"challenge={challenge}")]
    steps += [(LogOperation.FINISH, "finish")]
    events = [LogEvent(operation, value, number * 1.5, str(number)) for number, (operation, value) in enumerate(steps)]
    draft = fold(events)
    read = read_answer(TaskKind(task.kind), draft)
    person = by or make_person(session)
    assignment = AssignmentRecord(
        task_id=task.id,
        account_id=person.id,
        state="submitted",
        taken_at=at - draft.seconds,
        lease_until=at,
        ended_at=at,
        events=len(events),
    )
    session.add(assignment)
    session.flush()
    session.add_all(
        EventRecord(assignment_id=assignment.id, sequence=sequence, at=at, **event._asdict())
        for sequence, event in enumerate(events, 1)
    )
    annotation = AnnotationRecord(
        assignment_id=assignment.id,
        task_id=task.id,
        account_id=person.id,
        revision=1,
        is_last=True,
        label=read.label,
        challenge=read.challenge,
        rating=read.rating,
        fields=dict(read.fields),
        events=len(events),
        seconds=draft.seconds,
        suggestion={},
        submitted_at=at,
    )
    session.add(annotation)
    session.flush()
    session.add_all(
        EvidenceRecord(annotation_id=annotation.id, set_number=number, position=position, element=str(id))
        for number, pieces in enumerate(draft.evidence, 1)
        for position, id in enumerate(pieces, 1)
    )
    task.answers += 1
    if task.pool not in SHARED_POOLS:
        task.state = move_task(move_task(TaskState(task.state), TaskStep.TAKE), TaskStep.SUBMIT)
    session.flush()
    settle(session, task, now=at)
    session.flush()
    return annotation


def write_lines(path: Path, *records: Any) -> Path:
    """A file of JSON lines; what is text already stays as it is."""
    lines = [each if isinstance(each, str) else json.dumps(each, ensure_ascii=False) for each in records]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a file, without the first line of FEVEROUS."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [record for record in records if record.get("id") != ""]
