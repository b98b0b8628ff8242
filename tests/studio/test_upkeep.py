"""Studios are checked against their log, backed up and restored."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import func, select, text, update
from sqlalchemy.orm import Session

from tests.studio.exchange.made import (
    CELL,
    DANUBE,
    NILE,
    NOW,
    REFUTES,
    SUPPORTS,
    answer,
    make_claim,
    make_person,
    make_project,
    make_task,
)
from veritab.errors import Conflict, FormatError, InputError, NewerStore, StoreError
from veritab.schema import ElementId
from veritab.studio import annotating, tasks
from veritab.studio.database import FILE, Database, initialize, open_studio
from veritab.studio.log import LogEvent, LogOperation
from veritab.studio.projects import add_member, find_project
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    CommentRecord,
    EventRecord,
    EvidenceRecord,
    MembershipRecord,
    ProjectRecord,
    StudioClaimRecord,
    StudioTable,
    TaskRecord,
)
from veritab.studio.states import MemberStage
from veritab.studio.upkeep import backup, check_studio, restore
from veritab.studio.vocabulary import Role


def fill(database: Database) -> None:
    """A studio with a bit of everything that a log leads to."""
    with database.writing() as session:
        project = make_project(session, hours_after_writing=0)
        answer(session, make_task(session, project, "The Nile is long."), SUPPORTS, [[NILE, CELL], [DANUBE]])
        disputed = make_task(session, project, "The Danube is \U0001f30a, “blue” and 2,850 km long.", wanted=2)
        answer(session, disputed, SUPPORTS)
        answer(session, disputed, REFUTES, [[CELL]])
        make_task(session, project, "Open.")
        first = make_claim(session, project, "Parent.", source={"note": "x", "deep": [1, {"a": None}]})
        make_claim(session, project, "Child.", parent_id=first.id)


def problems(database: Database, **options: Any) -> list[str]:
    return [str(problem) for problem in check_studio(database, **options)]


# -- check --


def test_a_studio_that_was_worked_in_is_in_order(database: Database) -> None:
    fill(database)
    with database.writing() as session:
        project = find_project(session, "rivers")
        person = make_person(session)
        member = add_member(session, project, person.id, Role.ANNOTATOR, now=NOW, stage=MemberStage.APPROVED)
        member.consented_at = NOW
        claim = make_claim(session, project, "The Rhine is wide.")
        task = tasks.add_verification_task(session, project, claim, rng=Random(1), now=NOW, priority=9)
        task.wanted = 2
        assignment = tasks.next_task(session, project, member, now=NOW)
        assert assignment is not None
        assert assignment.task_id == task.id
        written = [(LogOperation.HIGHLIGHT, NILE), (LogOperation.WRITE, "verdict=NOT ENOUGH INFO")]
        written += [(LogOperation.WRITE, "challenge=Other"), (LogOperation.UNDO, ""), (LogOperation.REDO, "")]
        events = [LogEvent(operation, value, 1.0, f"k{number}") for number, (operation, value) in enumerate(written)]
        annotating.append_events(session, assignment, events, now=NOW + 5)
        annotating.submit(session, assignment, seen=6, now=NOW + 9, exists=lambda id: True)
        annotating.revise(session, assignment, now=NOW + 10)
        more = [LogEvent(LogOperation.HIGHLIGHT, CELL, 12.0, "k9")]
        annotating.append_events(session, assignment, more, now=NOW + 12)
        annotating.submit(session, assignment, seen=8, now=NOW + 14, exists=lambda id: True)
    assert problems(database) == []
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(AnnotationRecord).where(AnnotationRecord.revision == 2))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda session: session.execute(
                update(AnnotationRecord).where(AnnotationRecord.id == 1).values(label=REFUTES)
            ),
            ["answer 1: its label is 'REFUTES', and its log says 'SUPPORTS'"],
        ),
        (
            lambda session: session.execute(update(AnnotationRecord).where(AnnotationRecord.id == 1).values(events=99)),
            ["answer 1: it was submitted after 99 events, and there are 8"],
        ),
        (
            lambda session: session.execute(
                update(AnnotationRecord).where(AnnotationRecord.id == 1).values(fields={"note": "x"}, challenge="")
            ),
            [
                "answer 1: its challenge is '', and its log says 'Other'",
                "answer 1: its fields are {'note': 'x'}, and its log says {}",
            ],
        ),
        (
            lambda session: session.delete(session.get_one(EvidenceRecord, 2)),
            [
                f"answer 1: its evidence is [['{NILE}'], ['{DANUBE}']], and its log says "
                f"[['{NILE}', '{CELL}'], ['{DANUBE}']]"
            ],
        ),
        (
            lambda session: session.delete(session.get_one(EventRecord, 2)),
            [
                "assignment 1: event 2 is missing from its log",
                "assignment 1: it counts 8 events, and there are 7",
                "answer 1: it was submitted after 8 events, and there are 7",
            ],
        ),
        (
            lambda session: session.execute(update(EventRecord).where(EventRecord.id == 2).values(operation="Odd")),
            ["answer 1: its log cannot be read: 'Odd' is not a valid LogOperation"],
        ),
        (
            lambda session: session.execute(update(EventRecord).where(EventRecord.id == 2).values(value=DANUBE)),
            [
                f"answer 1: its evidence is [['{NILE}', '{CELL}'], ['{DANUBE}']], and its log says "
                f"[['{DANUBE}', '{CELL}'], ['{DANUBE}']]"
            ],
        ),
        (
            lambda session: session.execute(
                update(AnnotationRecord).where(AnnotationRecord.id == 1).values(is_last=False, revision=2)
            ),
            [
                "assignment 1: its answers have the revisions 2",
                "assignment 1: another of its answers than the last counts",
                "task 1: it counts 1 answers, and there are 0",
                "task 1: it is settled with 0 of 1 answers, and nobody decided so",
            ],
        ),
        (
            lambda session: session.execute(
                update(AssignmentRecord).where(AssignmentRecord.id == 1).values(state="asleep", account_id=2)
            ),
            [
                "assignment 1: the state 'asleep' is unknown",
                "assignment 1: an answer of it is to another task, or of somebody else",
            ],
        ),
        (
            lambda session: session.execute(update(TaskRecord).where(TaskRecord.id == 1).values(answers=3, wanted=2)),
            [
                "task 1: it counts 3 answers, and there are 1",
                "task 1: it is settled with 1 of 2 answers, and nobody decided so",
            ],
        ),
        (
            lambda session: session.execute(update(TaskRecord).where(TaskRecord.id == 1).values(state="open")),
            ["task 1: it is open, and has a time when it was settled"],
        ),
        (
            lambda session: session.execute(
                update(TaskRecord).where(TaskRecord.id == 3).values(state="taken", kind="odd")
            ),
            ["task 3: the kind 'odd' is unknown", "task 3: it is taken, and in the hands of 0"],
        ),
        (
            lambda session: session.execute(
                update(StudioClaimRecord).where(StudioClaimRecord.id == 1).values(state="reported")
            ),
            ["claim 1: it is reported, and has no report that waits"],
        ),
        (
            lambda session: session.add(
                MembershipRecord(project_id=1, account_id=1, role="annotator", stage="lost", joined_at=NOW)
            ),
            ["member 1: the stage 'lost' is unknown"],
        ),
    ],
)
def test_what_does_not_fit_the_log_is_told(
    database: Database, change: Callable[[Session], Any], said: list[str]
) -> None:
    fill(database)
    with database.writing() as session:
        change(session)
    assert problems(database) == said


def test_evidence_that_vanished_from_the_corpus_is_told(database: Database) -> None:
    fill(database)

    def exists(project: ProjectRecord, id: ElementId) -> bool:
        assert project.name == "rivers"
        return id.page == "Nile"

    assert problems(database, exists=exists) == [
        f"project rivers: the corpus has no {CELL!r}, which is evidence 2 times; bring its page back",
        f"project rivers: the corpus has no {DANUBE!r}, which is evidence 1 times; bring its page back",
    ]


def test_a_row_that_is_not_there_is_told(tmp_path: Path, empty_sqlite: Path) -> None:
    shutil.copytree(empty_sqlite, tmp_path / "studio")
    database = open_studio(tmp_path / "studio")
    fill(database)
    with sqlite3.connect(tmp_path / "studio" / FILE) as other:
        other.execute("DELETE FROM accounts WHERE id = 1")  # SQLite asks for no keys unless it is told to
    other.close()
    assert "assignments 1: it names a row of accounts that is not there" in problems(database)
    database.close()


# -- backup and restore --


def everything(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    with database.reading() as session:
        return {
            table.name: [tuple(row) for row in session.execute(select(table).order_by(table.c.id))]
            for table in StudioTable.metadata.sorted_tables
        }


@pytest.mark.parametrize("name", ["studio.backup", "studio.backup.gz"])
def test_a_backup_comes_back_whole_in_either_database(
    database: Database, new_place: str, tmp_path: Path, name: str
) -> None:
    fill(database)
    before = everything(database)
    made = backup(database, tmp_path / name, now=NOW)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o600
    assert made.total == sum(map(len, before.values())) > 40
    assert restore(new_place, tmp_path / name) == made
    again = open_studio(new_place)
    try:
        assert everything(again) == before
        assert problems(again) == []
        with again.writing() as session:  # and work goes on, with numbers of its own
            task = make_task(session, find_project(session, "rivers"), "After.")
            assert task.id == len(before["tasks"]) + 1
            answer(session, task, SUPPORTS)
    finally:
        again.close()


def test_a_backup_is_of_one_moment_while_people_work(database: Database, new_place: str, tmp_path: Path) -> None:
    fill(database)
    before = everything(database)
    times = []

    def work(rows: int) -> None:
        times.append(rows)
        with database.writing() as session:
            project = session.scalars(select(ProjectRecord)).one()
            task = make_task(session, project, f"New {rows}.")
            answer(session, task, SUPPORTS)
            session.add(CommentRecord(task_id=task.id, account_id=1, text="x", made_at=NOW))

    backup(database, tmp_path / "studio.backup", now=NOW, tick=work)
    assert len(times) > 5
    restore(new_place, tmp_path / "studio.backup")
    again = open_studio(new_place)
    assert everything(again) == before
    again.close()


def test_a_backup_that_fails_leaves_the_last_one(database: Database, tmp_path: Path) -> None:
    fill(database)
    target = tmp_path / "studio.backup"
    backup(database, target, now=NOW)
    first = target.read_bytes()

    def fail(rows: int) -> None:
        raise RuntimeError("the power is gone")

    with pytest.raises(RuntimeError):
        backup(database, target, now=NOW, tick=fail)
    assert target.read_bytes() == first
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["studio.backup"]
    with pytest.raises(InputError, match="there is no folder"):
        backup(database, tmp_path / "nowhere" / "studio.backup", now=NOW)


def test_nothing_is_restored_over_a_studio(place: str, database: Database, tmp_path: Path) -> None:
    fill(database)
    backup(database, tmp_path / "studio.backup", now=NOW)
    before = everything(database)
    with pytest.raises(Conflict, match="there is a studio with accounts"):
        restore(place, tmp_path / "studio.backup")
    assert everything(database) == before


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: [], "no backup of a studio"),
        (lambda lines: [b"hello\n"], "line 1 is not of a backup"),
        (lambda lines: [b'{"claim": "x"}\n'], "no backup of a studio"),
        (lambda lines: lines[:-1], "is cut: its end is missing"),
        (lambda lines: lines[: len(lines) // 2], "is cut: its end is missing"),
        (lambda lines: lines[:3] + lines[4:], "not a whole backup"),
        (lambda lines: [*lines[:2], b"[1, 2]\n", *lines[2:]], "not a whole backup"),
        (lambda lines: [lines[0], *lines[2:]], "not a whole backup"),
        (lambda lines: [*lines[:1], b'{"table": "claims", "columns": ["id"]}\n', *lines[2:]], "not a whole backup"),
    ],
)
def test_a_damaged_backup_is_refused_and_nothing_of_it_stays(
    place: str, database: Database, tmp_path: Path, change: Callable[[list[bytes]], list[bytes]], said: str
) -> None:
    initialize(tmp_path / "source")
    good = open_studio(tmp_path / "source")
    fill(good)
    backup(good, tmp_path / "studio.backup", now=NOW)
    good.close()
    wrong = tmp_path / "wrong.backup"
    wrong.write_bytes(b"".join(change((tmp_path / "studio.backup").read_bytes().splitlines(keepends=True))))
    with pytest.raises(FormatError, match=said):
        restore(place, wrong)
    assert not any(everything(database).values())


def test_a_packed_backup_that_is_cut_is_told(database: Database, tmp_path: Path) -> None:
    fill(database)
    target = tmp_path / "studio.backup.gz"
    backup(database, target, now=NOW)
    assert gzip.decompress(target.read_bytes()).startswith(b'{"veritab_studio_backup": 1')
    target.write_bytes(target.read_bytes()[:-200])
    with pytest.raises(FormatError, match="cut or damaged"):
        restore(tmp_path / "restored", target)


def test_backups_of_other_versions_say_what_to_do(database: Database, tmp_path: Path) -> None:
    backup(database, tmp_path / "a", now=NOW)
    header, *rest = (tmp_path / "a").read_bytes().splitlines(keepends=True)
    for changes, error, said in (
        ({"veritab_studio_backup": 2}, NewerStore, "later Veritab"),
        ({"tables": "0000"}, StoreError, "with the version that wrote it"),
    ):
        line = json.dumps(json.loads(header) | changes).encode() + b"\n"
        (tmp_path / "b").write_bytes(b"".join([line, *rest]))
        with pytest.raises(error, match=said):
            restore(tmp_path / "restored", tmp_path / "b")
    assert not (tmp_path / "restored").exists()


def test_what_postgresql_does_not_keep_is_told(tmp_path: Path, place: str, empty_sqlite: Path) -> None:
    shutil.copytree(empty_sqlite, tmp_path / "odd")
    odd = open_studio(tmp_path / "odd")
    with odd.writing() as session:
        session.execute(
            text("INSERT INTO accounts (name, password_digest, is_administrator, made_at) VALUES (:name, '', 0, 1.0)"),
            {"name": "a\x00b"},
        )
    backup(odd, tmp_path / "a", now=NOW)
    odd.close()
    if place.startswith("postgresql"):
        with pytest.raises(FormatError, match=r"a row of accounts .* holds U\+0000"):
            restore(place, tmp_path / "a")
    else:
        assert restore(place, tmp_path / "a").rows["accounts"] == 1
