"""The load of `benchmarks.studio`, for a few seconds: people work at once, processes are killed, nothing is lost."""

from __future__ import annotations

from collections import Counter

import pytest
from benchmarks.studio import Load, Noted, ServiceDoor, audit, prepare, run
from sqlalchemy import delete, update

from tests.studio.workplace import ELEMENT, fill_in, highlight
from veritab.studio.database import Database, open_studio
from veritab.studio.records import AnnotationRecord, AssignmentRecord, EventRecord, EvidenceRecord, TaskRecord


@pytest.mark.slow
def test_whatever_was_acknowledged_outlives_killed_processes_and_is_there_once(place: str) -> None:
    workshop = prepare(place, people=8, tasks=600)
    noted = run(workshop, Load(people=8, processes=2, seconds=5, kills=2, pause=0.05))
    database = open_studio(place)
    found = audit(database, noted)
    database.close()
    assert noted.errors == []
    assert noted.kills == 2
    assert noted.answers
    assert found.wrong == 0, found


def test_what_is_lost_or_wrong_is_seen(database: Database, place: str) -> None:
    workshop = prepare(place, people=1, tasks=20)
    door = ServiceDoor(database, workshop.project, workshop.members[0])
    lost, doubled, holed, over = (answer(door) for _ in range(4))
    noted = Noted({}, Counter([lost, doubled, holed, over]), {(lost, "never sent")}, [], 0.0, 0)
    assert audit(database, noted)[:5] == ([], [], [(lost, "never sent")], [], [])
    with database.writing() as session:
        session.execute(delete(EvidenceRecord))
        session.execute(delete(AnnotationRecord).where(AnnotationRecord.assignment_id == lost))
        session.execute(
            update(AnnotationRecord)
            .where(AnnotationRecord.assignment_id == over)
            .values(assignment_id=doubled, revision=2, is_last=False)
        )
        session.execute(delete(EventRecord).where(EventRecord.assignment_id == holed, EventRecord.sequence == 2))
        session.execute(
            update(TaskRecord).where(TaskRecord.id == session.get_one(AssignmentRecord, holed).task_id).values(wanted=0)
        )
        wrong_tasks = {session.get_one(AssignmentRecord, each).task_id for each in (lost, holed, over)}
    found = audit(database, noted)
    assert found.lost_answers == [lost, over]
    assert found.doubled_answers == [doubled]
    assert found.broken_logs == [holed]
    assert set(found.wrong_tasks) == wrong_tasks


def answer(door: ServiceDoor) -> int:
    """A task from its taking to its submission."""
    assignment, seen = door.next() or (0, 0)
    events = highlight(ELEMENT) + fill_in(verdict="SUPPORTS", challenge="Other")
    door.submit(assignment, door.append(assignment, events, seen))
    return assignment
