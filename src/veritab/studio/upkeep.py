"""Is everything in a studio as its log says, and can it be carried elsewhere: check, backup, restore.

A backup is one file for both databases: every row of every table as JSON, as they all were at one moment, while people
go on working. What was backed up from SQLite can be restored into PostgreSQL and the other way round.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby, islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar, cast

from sqlalchemy import Table, func, insert, select, text
from sqlalchemy.exc import DataError, IntegrityError, StatementError
from sqlalchemy.orm import Session

from veritab.corpus.streams import BROKEN_STREAM, describe_error, open_stream
from veritab.errors import Conflict, FormatError, InputError, NewerStore, StoreError, short_repr
from veritab.files import partial_path, refuse_missing_folder
from veritab.schema import ElementId
from veritab.studio.database import Database, has_studio, initialize, newest_version, open_studio, shown_place
from veritab.studio.game.checking import check_game
from veritab.studio.log import AnnotationDraft, LogEvent, LogOperation, fold
from veritab.studio.problems import StudioProblem
from veritab.studio.projects import Workflow
from veritab.studio.quality import sets_of
from veritab.studio.records import (
    AnnotationRecord,
    AssignmentRecord,
    DecisionRecord,
    EventRecord,
    EvidenceRecord,
    MembershipRecord,
    ProjectRecord,
    ReportRecord,
    StudioClaimRecord,
    StudioTable,
    TaskRecord,
)
from veritab.studio.states import AssignmentState, ClaimState, MemberStage, TaskState
from veritab.studio.submission import read_answer
from veritab.studio.vocabulary import SHARED_POOLS, TaskKind

_AT_ONCE = 200
_Numbered = TypeVar("_Numbered", AssignmentRecord, TaskRecord, StudioClaimRecord, MembershipRecord)


# -- check -------------------------------------------------------------------------------------------------


def check_studio(
    database: Database, *, exists: Callable[[ProjectRecord, ElementId], bool] | None = None
) -> Iterator[StudioProblem]:
    """Everything that does not fit, at one moment; nothing where all is well.

    Every annotation is made anew from the events that it was submitted after, and compared. `exists` says whether the
    corpus of a project has an element; without it that is not asked.
    """
    with database.reading() as session:
        if database.is_sqlite:
            yield from _check_file(session)
        for assignments in _pages(session, AssignmentRecord):
            yield from _check_assignments(session, assignments)
        for tasks in _pages(session, TaskRecord):
            yield from _check_tasks(session, tasks)
        for claims in _pages(session, StudioClaimRecord):
            yield from _check_claims(session, claims)
        for members in _pages(session, MembershipRecord):
            for member in members:
                if member.stage not in set(MemberStage):
                    yield StudioProblem(f"member {member.id}", f"the stage {short_repr(member.stage)} is unknown")
        for game in session.scalars(select(ProjectRecord).where(ProjectRecord.workflow == Workflow.GAME.value)).all():
            for where, what in check_game(session, game):
                yield StudioProblem(f"game {game.name}: {where}", what)
        if exists is not None:
            yield from _check_elements(session, exists)


def _pages(session: Session, table: type[_Numbered]) -> Iterator[Sequence[_Numbered]]:
    last = 0
    while rows := session.scalars(select(table).where(table.id > last).order_by(table.id).limit(_AT_ONCE)).all():
        last = rows[-1].id
        yield rows
        session.expunge_all()


def _check_file(session: Session) -> Iterator[StudioProblem]:
    for (said,) in session.execute(text("PRAGMA quick_check")):
        if said != "ok":
            yield StudioProblem("the file", f"it is damaged ({said}); restore the last backup")
    for table, row, other, _ in session.execute(text("PRAGMA foreign_key_check")):
        yield StudioProblem(f"{table} {row}", f"it names a row of {other} that is not there")


def _check_assignments(session: Session, assignments: Sequence[AssignmentRecord]) -> Iterator[StudioProblem]:
    ids = [each.id for each in assignments]
    kinds = _kinds(session, {each.task_id for each in assignments})
    logs = defaultdict[int, list[EventRecord]](list)
    rows = select(EventRecord).where(EventRecord.assignment_id.in_(ids))
    for event in session.scalars(rows.order_by(EventRecord.assignment_id, EventRecord.sequence)):
        logs[event.assignment_id].append(event)
    revisions = defaultdict[int, list[AnnotationRecord]](list)
    given = select(AnnotationRecord).where(AnnotationRecord.assignment_id.in_(ids))
    for annotation in session.scalars(given.order_by(AnnotationRecord.assignment_id, AnnotationRecord.revision)):
        revisions[annotation.assignment_id].append(annotation)
    sets = sets_of(session, [each.id for some in revisions.values() for each in some])
    for assignment in assignments:
        where = f"assignment {assignment.id}"
        for what in _check_log(assignment, logs[assignment.id]):
            yield StudioProblem(where, what)
        for what in _check_revisions(assignment, revisions[assignment.id]):
            yield StudioProblem(where, what)
        for annotation in revisions[assignment.id]:
            written = sets.get(annotation.id, ())
            for what in _check_annotation(annotation, logs[assignment.id], kinds.get(assignment.task_id, ""), written):
                yield StudioProblem(f"answer {annotation.id}", what)


def _kinds(session: Session, task_ids: set[int]) -> Mapping[int, str]:
    rows = session.execute(select(TaskRecord.id, TaskRecord.kind).where(TaskRecord.id.in_(task_ids)))
    return {row.id: row.kind for row in rows}


def _check_log(assignment: AssignmentRecord, events: Sequence[EventRecord]) -> Iterator[str]:
    numbers = [event.sequence for event in events]
    if numbers != [*range(1, len(numbers) + 1)]:
        hole = next(number for number, found in enumerate([*numbers, 0], 1) if found != number)
        yield f"event {hole} is missing from its log"
    if assignment.events != len(events):
        yield f"it counts {assignment.events} events, and there are {len(events)}"
    if assignment.state not in set(AssignmentState):
        yield f"the state {short_repr(assignment.state)} is unknown"


def _check_revisions(assignment: AssignmentRecord, revisions: Sequence[AnnotationRecord]) -> Iterator[str]:
    if [each.revision for each in revisions] != [*range(1, len(revisions) + 1)]:
        yield f"its answers have the revisions {', '.join(str(each.revision) for each in revisions)}"
    if revisions and [each.is_last for each in revisions] != [False] * (len(revisions) - 1) + [True]:
        yield "another of its answers than the last counts"
    if assignment.state == AssignmentState.SUBMITTED and not revisions:
        yield "it is submitted, and there is no answer"
    if any((each.task_id, each.account_id) != (assignment.task_id, assignment.account_id) for each in revisions):
        yield "an answer of it is to another task, or of somebody else"


def _check_annotation(
    annotation: AnnotationRecord, events: Sequence[EventRecord], kind: str, written: Sequence[Sequence[ElementId]]
) -> Iterator[str]:
    if annotation.events > len(events):
        yield f"it was submitted after {annotation.events} events, and there are {len(events)}"
        return
    try:
        draft = _fold(events[: annotation.events])
        found = read_answer(TaskKind(kind), draft)
    except (InputError, ValueError) as error:
        yield f"its log cannot be read: {error}"
        return
    for name in ("label", "challenge", "rating"):
        kept, folded = getattr(annotation, name), getattr(found, name)
        if kept != folded:
            yield f"its {name} is {short_repr(kept)}, and its log says {short_repr(folded)}"
    if annotation.fields != dict(found.fields):
        yield f"its fields are {short_repr(annotation.fields)}, and its log says {short_repr(dict(found.fields))}"
    if tuple(map(tuple, written)) != draft.evidence:
        yield f"its evidence is {_shown(written)}, and its log says {_shown(draft.evidence)}"


def _fold(events: Sequence[EventRecord]) -> AnnotationDraft:
    return fold(LogEvent(LogOperation(each.operation), each.value, each.seconds, each.key) for each in events)


def _shown(sets: Sequence[Sequence[ElementId]]) -> str:
    return short_repr([[str(id) for id in pieces] for pieces in sets], 200)


def _check_tasks(session: Session, tasks: Sequence[TaskRecord]) -> Iterator[StudioProblem]:
    ids = [task.id for task in tasks]
    last = select(AnnotationRecord.task_id, func.count()).where(AnnotationRecord.is_last)
    answers = _counted(session, last.where(AnnotationRecord.task_id.in_(ids)).group_by(AnnotationRecord.task_id))
    decided = set(session.scalars(select(DecisionRecord.task_id).where(DecisionRecord.task_id.in_(ids))))
    unanswered = ~select(AnnotationRecord.id).where(AnnotationRecord.assignment_id == AssignmentRecord.id).exists()
    held = _counted(
        session,
        select(AssignmentRecord.task_id, func.count())
        .where(AssignmentRecord.task_id.in_(ids), AssignmentRecord.state == AssignmentState.ACTIVE, unanswered)
        .group_by(AssignmentRecord.task_id),
    )
    for task in tasks:
        for what in _check_task(task, answers.get(task.id, 0), held.get(task.id, 0), task.id in decided):
            yield StudioProblem(f"task {task.id}", what)


def _counted(session: Session, query: Any) -> Mapping[int, int]:
    return {row[0]: row[1] for row in session.execute(query)}


def _check_task(task: TaskRecord, answers: int, held: int, decided: bool) -> Iterator[str]:
    if task.state not in set(TaskState):
        yield f"the state {short_repr(task.state)} is unknown"
    if task.kind not in set(TaskKind):
        yield f"the kind {short_repr(task.kind)} is unknown"
    if task.answers != answers:
        yield f"it counts {task.answers} answers, and there are {answers}"
    if task.pool in SHARED_POOLS or task.state == TaskState.CLOSED:
        return
    if (task.state == TaskState.SETTLED) != (task.settled_at is not None):
        yield f"it is {task.state}, and {'has' if task.settled_at is not None else 'lacks'} a time when it was settled"
    if task.state == TaskState.SETTLED and answers < task.wanted and not decided:
        yield f"it is settled with {answers} of {task.wanted} answers, and nobody decided so"
    if held != (task.state == TaskState.TAKEN):
        yield f"it is {task.state}, and in the hands of {held}"


def _check_claims(session: Session, claims: Sequence[StudioClaimRecord]) -> Iterator[StudioProblem]:
    waiting = select(ReportRecord.claim_id).where(
        ReportRecord.claim_id.in_([claim.id for claim in claims]), ReportRecord.ended_at.is_(None)
    )
    reported = set(session.scalars(waiting))
    for claim in claims:
        where = f"claim {claim.id}"
        if claim.state not in set(ClaimState):
            yield StudioProblem(where, f"the state {short_repr(claim.state)} is unknown")
        if (claim.state == ClaimState.REPORTED) != (claim.id in reported):
            there = "has" if claim.id in reported else "has no"
            yield StudioProblem(where, f"it is {claim.state}, and {there} report that waits")


def _check_elements(session: Session, exists: Callable[[ProjectRecord, ElementId], bool]) -> Iterator[StudioProblem]:
    for project in session.scalars(select(ProjectRecord).order_by(ProjectRecord.id)).all():
        query = (
            select(EvidenceRecord.element, func.count())
            .join(AnnotationRecord, AnnotationRecord.id == EvidenceRecord.annotation_id)
            .join(TaskRecord, TaskRecord.id == AnnotationRecord.task_id)
            .where(TaskRecord.project_id == project.id, AnnotationRecord.is_last)
            .group_by(EvidenceRecord.element)
            .order_by(EvidenceRecord.element)
            .execution_options(yield_per=1000)
        )
        with session.execute(query) as chosen:
            for element, times in chosen:
                if not exists(project, ElementId.parse(element)):
                    told = f"{short_repr(element)}, which is evidence {times} times"
                    yield StudioProblem(f"project {project.name}", f"the corpus has no {told}; bring its page back")


# -- backup ------------------------------------------------------------------------------------------------

_FORMAT, _MARK = 1, "veritab_studio_backup"
_ROWS = 1000


class BackupReport(NamedTuple):
    """What a backup holds: rows by table."""

    rows: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(self.rows.values())


def backup(
    database: Database, target: Path, *, now: float, tick: Callable[[int], None] = lambda rows: None
) -> BackupReport:
    """Write everything there is at this moment into one file, for its owner alone; packed where it is called .gz.

    People go on working. The file is there when all of it is. `tick` is told how many rows were written so far.
    """
    refuse_missing_folder(target)
    rows: dict[str, int] = {}
    with database.reading() as session, partial_path(target) as partial, _private_file(partial, target) as file:
        file.write(_line({_MARK: _FORMAT, "tables": newest_version(), "made_at": now}))
        for table in StudioTable.metadata.sorted_tables:
            columns = [column.name for column in table.columns]
            file.write(_line({"table": table.name, "columns": columns}))
            rows[table.name] = 0
            every = select(table).order_by(table.c.id).execution_options(yield_per=_ROWS)
            with session.execute(every) as found:
                for some in found.partitions():
                    file.writelines(_line(list(row)) for row in some)
                    rows[table.name] += len(some)
                    tick(sum(rows.values()))
        file.write(_line({"end": rows}))
    return BackupReport(rows)


@contextmanager
def _private_file(partial: Path, target: Path) -> Iterator[BinaryIO]:
    try:
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:
        raise InputError(f"cannot write {str(target)!r}: {error.strerror}; name another file") from None
    with os.fdopen(descriptor, "wb") as file:
        if target.suffix != ".gz":
            yield file
            return
        with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
            yield cast(BinaryIO, packed)


def _line(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"


# -- restore -----------------------------------------------------------------------------------------------


def restore(place: str | Path, file: Path) -> BackupReport:
    """Bring a backup back, into a studio that is made for it: an empty folder, or an empty database of a server.

    Everything is there at the end, or nothing.
    """
    with _reading(file) as lines:
        _check_header(next(lines, None), file)
        database = _open_empty(place)
        try:
            with database.writing(unhurried=True) as session:
                return BackupReport(_fill(session, lines, file, is_sqlite=database.is_sqlite))
        finally:
            database.close()


def _check_header(header: Any, file: Path) -> None:
    if not isinstance(header, dict) or _MARK not in header:
        raise FormatError(f"{str(file)!r} is no backup of a studio; make one with: veritab studio backup")
    if header[_MARK] != _FORMAT:
        raise NewerStore(f"{str(file)!r} was written by a later Veritab; update this one")
    if header.get("tables") != newest_version():
        raise StoreError(
            f"{str(file)!r} has the tables {header.get('tables')!r}, and this Veritab has {newest_version()!r}; "
            "restore it with the version that wrote it, then bring it up with: veritab studio init"
        )


def _open_empty(place: str | Path) -> Database:
    """A studio without a row, made where there is none."""
    if not has_studio(place):
        initialize(place)
    database = open_studio(place)
    with database.reading() as session:
        full = next((table.name for table in StudioTable.metadata.sorted_tables if _has_rows(session, table)), None)
    if full:
        database.close()
        raise Conflict(f"there is a studio with {full} in {shown_place(place)} already; restore into an empty place")
    return database


def _has_rows(session: Session, table: Table) -> bool:
    return session.execute(select(table.c.id).limit(1)).first() is not None


@contextmanager
def _reading(file: Path) -> Iterator[Iterator[Any]]:
    """The lines of a backup, each as what it says."""
    with open_stream(file) as stream:

        def read() -> Iterator[Any]:
            for number, line in enumerate(stream, 1):
                try:
                    yield json.loads(line)
                except ValueError:
                    raise FormatError(f"{str(file)!r}, line {number} is not of a backup; take another copy") from None

        try:
            yield read()
        except BROKEN_STREAM as error:
            raise FormatError(f"{str(file)!r} is cut or damaged: {describe_error(error)}; take another copy") from error


def _fill(session: Session, lines: Iterator[Any], file: Path, *, is_sqlite: bool) -> dict[str, int]:
    tables = {table.name: table for table in StudioTable.metadata.sorted_tables}
    rows: dict[str, int] = {}
    for line in _in_batches(lines):
        match line:
            case {"table": str(name), "columns": [*columns]} if name in tables and {*columns} == {
                *tables[name].c.keys()
            }:
                rows[name] = 0
            case [*some] if rows and all(isinstance(row, list) and len(row) == len(columns) for row in some):
                if not is_sqlite and any(map(_has_nul, some)):
                    raise FormatError(
                        f"a row of {name} in {str(file)!r} holds U+0000, which PostgreSQL does not keep; restore it "
                        "into a folder instead"
                    )
                try:
                    session.execute(insert(tables[name]), [dict(zip(columns, row, strict=True)) for row in some])
                except (IntegrityError, DataError, StatementError):
                    raise _not_whole(file) from None
                rows[name] += len(some)
            case {"end": counts} if counts == rows and rows.keys() == tables.keys():
                if not is_sqlite:
                    _number_on(session, tables)
                return rows
            case _:
                raise _not_whole(file)
    raise FormatError(f"{str(file)!r} is cut: its end is missing; take another copy")


def _not_whole(file: Path) -> FormatError:
    return FormatError(f"{str(file)!r} is not a whole backup of these tables; take another copy")


def _in_batches(lines: Iterator[Any]) -> Iterator[Any]:
    """Lines about tables one by one, and rows together."""
    for is_row, some in groupby(lines, lambda line: isinstance(line, list)):
        if not is_row:
            yield from some
            continue
        while batch := [*islice(some, _ROWS)]:
            yield batch


def _has_nul(value: Any) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, dict):
        return any(map(_has_nul, (*value, *value.values())))
    return isinstance(value, list) and any(map(_has_nul, value))


def _number_on(session: Session, tables: Iterable[str]) -> None:
    """Let the server, which numbers new rows by itself, go on after those that it was given."""
    for name in tables:
        sequence = f"pg_get_serial_sequence('{name}', 'id')"
        session.execute(text(f"SELECT setval({sequence}, (SELECT max(id) FROM {name}))"))
