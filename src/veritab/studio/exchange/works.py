"""Imports and exports that are started from a page, done in a thread, and that outlive a restart.

A work is taken in one transaction and held by a lease, which is renewed while it goes on. One whose lease has ended was
killed: an export begins again, as its file appears only when it is whole, and of an import nothing was kept, since the
claims and the word that they are in are one transaction. Files are in a folder for their owner alone.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from veritab.corpus.store import Store
from veritab.datasets.writing import FOLDERS
from veritab.datasets.writing.sets import evidence_elements
from veritab.errors import Conflict, InputError, NotFound, StoreBusy, VeritabError
from veritab.files import make_private_folder
from veritab.studio.database import Database
from veritab.studio.exchange.exporting import (
    EXPORT_FORMATS,
    EXPORT_POOLS,
    ExportReport,
    count_claims,
    element_finder,
    export,
)
from veritab.studio.exchange.formats import IMPORT_FORMATS
from veritab.studio.exchange.importing import IMPORT_POOLS, ImportReport, check_kind, import_file
from veritab.studio.projects import leave_trail, refuse_closed, require_manager
from veritab.studio.records import ProjectRecord, WorkRecord
from veritab.studio.vocabulary import Pool

_LOG = logging.getLogger(__name__)
LEASE_SECONDS = 60.0
_RENEW_SECONDS = 2.0
_LOOK_SECONDS = 2.0
_LOST_SECONDS = 3600.0
"""After so long nobody waits any more for the server that a file was brought to."""
_PIECE = 2**20
_UPLOAD = "import-"


class WorkKind(StrEnum):
    """What a work does."""

    IMPORT = "import"
    EXPORT = "export"


class WorkState(StrEnum):
    """Where a work stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"


# -- asking for one ----------------------------------------------------------------------------------------


def keep_upload(folder: Path, file: BinaryIO) -> str:
    """Keep a file that somebody brings until it was imported, and say what it is called in the folder."""
    make_private_folder(folder)
    descriptor, path = tempfile.mkstemp(prefix=_UPLOAD, dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as kept:
            shutil.copyfileobj(file, kept, _PIECE)
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise
    return Path(path).name


def start_import(
    session: Session,
    project: ProjectRecord,
    upload: str,
    *,
    name: str,
    format: str,
    by: int | None,
    now: float,
    pool: str = Pool.WORK,
    phase: int = 0,
    priority: int = 0,
    kind: str = "",
    check_elements: bool = True,
) -> WorkRecord:
    """Ask for the import of a file that `keep_upload` keeps; `name` is what people call it."""
    refuse_closed(project)
    if Path(upload).name != upload or not upload.startswith(_UPLOAD):
        raise InputError(f"{upload[:80]!r} is no file that was brought; bring it again")
    if format not in IMPORT_FORMATS:
        raise InputError(f"nothing is imported as {format!r}; expected one of {', '.join(IMPORT_FORMATS)}")
    if pool not in IMPORT_POOLS:
        raise InputError(f"nothing is imported into {pool!r}; expected one of {', '.join(IMPORT_POOLS)}")
    options = {
        "name": Path(name).name[:200] or "the file",
        "format": format,
        "pool": str(pool),
        "phase": phase,
        "priority": priority,
        "kind": check_kind(project, kind).value,
        "check_elements": check_elements,
    }
    return _start(session, project, WorkKind.IMPORT, options, by, now, file=upload)


def start_export(
    session: Session,
    project: ProjectRecord,
    *,
    format: str,
    by: int | None,
    now: float,
    settled: bool = True,
    since: float | None = None,
    pools: Sequence[str] = (Pool.WORK,),
    leave_out: bool = False,
) -> WorkRecord:
    """Ask for an export; its file is in the folder of works when it is done."""
    if format not in EXPORT_FORMATS:
        raise InputError(f"no format {format!r}; expected one of {', '.join(EXPORT_FORMATS)}")
    if not pools or not {*pools} <= {*EXPORT_POOLS}:
        raise InputError(f"{', '.join(pools) or 'nothing'} is not exported; choose of {', '.join(EXPORT_POOLS)}")
    options = {
        "format": format,
        "settled": settled,
        "since": since,
        "pools": [str(pool) for pool in pools],
        "leave_out": leave_out,
    }
    return _start(session, project, WorkKind.EXPORT, options, by, now)


def _start(
    session: Session,
    project: ProjectRecord,
    kind: WorkKind,
    options: dict[str, Any],
    by: int | None,
    now: float,
    file: str = "",
) -> WorkRecord:
    require_manager(session, project, by)
    work = WorkRecord(
        project_id=project.id,
        kind=kind,
        state=WorkState.WAITING,
        options=options,
        done=0,
        message="",
        file=file,
        made_by=by,
        made_at=now,
    )
    session.add(work)
    session.flush()
    leave_trail(session, f"start {kind}", f"work {work.id}", after=options, by=by, project_id=project.id, now=now)
    return work


def find_work(session: Session, project: ProjectRecord, work_id: int) -> WorkRecord:
    """A work of a project; another project's is not there."""
    work = session.get(WorkRecord, work_id)
    if work is None or work.project_id != project.id:
        raise NotFound(f"there is no import or export {work_id} in project {project.name!r}")
    return work


def works_of(session: Session, project: ProjectRecord, most: int = 50) -> Sequence[WorkRecord]:
    """The last imports and exports of a project, the newest first."""
    of_project = select(WorkRecord).where(WorkRecord.project_id == project.id)
    return session.scalars(of_project.order_by(WorkRecord.id.desc()).limit(most)).all()


def stop_work(session: Session, work: WorkRecord, *, by: int | None, now: float) -> None:
    """Note that a work is not wanted any longer; whoever does it ends at the next step."""
    project = session.get_one(ProjectRecord, work.project_id)
    require_manager(session, project, by)
    session.refresh(work, with_for_update=True)
    if work.state not in (WorkState.WAITING, WorkState.RUNNING):
        raise Conflict(f"the {work.kind} is {work.state} already")
    work.state, work.ended_at, work.lease_until = WorkState.STOPPED, now, None
    work.message = "it was stopped; nothing of it was kept"
    leave_trail(session, f"stop {work.kind}", f"work {work.id}", by=by, project_id=project.id, now=now)


# -- doing it ----------------------------------------------------------------------------------------------


class _WorkEnded(Exception):
    """A work is not wanted any longer, or somebody else does it."""


class WorkRunner:
    """Does the works of a studio one after the other: in a thread of its own after `start`, or for whoever calls `run`.

    `store_of` opens the corpus of a project. Several runners, in as many processes, take different works; they have the
    folder in common. Where they do not, each imports the files that were brought to it.
    """

    def __init__(
        self,
        database: Database,
        folder: Path,
        store_of: Callable[[ProjectRecord], Store],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database, self._store_of, self._clock = database, store_of, clock
        self._folder = make_private_folder(folder)
        self._wanted, self._closing = threading.Event(), threading.Event()
        self._not_wanted: set[int] = set()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Look for works until `close`."""
        self._thread = threading.Thread(target=self._go_on, name="studio-works", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End; a work that runs begins again after the next start."""
        self._closing.set()
        self._wanted.set()
        if self._thread:
            self._thread.join()

    def wake(self) -> None:
        """Look for works now."""
        self._wanted.set()

    def stop(self, work_id: int, *, by: int | None, now: float) -> None:
        """End a work that waits or runs; nothing of it is kept."""
        self._not_wanted.add(work_id)  # an import that runs here lets go of the database, so that the rest can be said
        try:
            with self._database.writing() as session:
                work = session.get_one(WorkRecord, work_id)
                stop_work(session, work, by=by, now=now)
        finally:
            self._not_wanted.discard(work_id)
        if work.kind == WorkKind.IMPORT:
            (self._folder / work.file).unlink(missing_ok=True)

    def run(self) -> int:
        """Do every work that waits, or whose runner was killed, and say how many."""
        done = 0
        while not self._closing.is_set() and (work := self._take()) is not None:
            self._do(work)
            done += 1
        return done

    def _go_on(self) -> None:
        while not self._closing.is_set():
            try:
                self.run()
            except VeritabError:
                _LOG.exception("the studio's imports and exports cannot be looked after now; trying again")
            self._wanted.wait(_LOOK_SECONDS)
            self._wanted.clear()

    def _take(self) -> WorkRecord | None:
        now = self._clock()
        killed = and_(WorkRecord.state == WorkState.RUNNING, WorkRecord.lease_until < now)
        first = select(WorkRecord).where(or_(WorkRecord.state == WorkState.WAITING, killed)).order_by(WorkRecord.id)
        with self._database.reading() as session:  # a look keeps nobody waiting
            here = [work.id for work in session.scalars(first) if self._has_file(work, now)]
        if not here:
            return None
        with self._database.writing() as session:
            wanted = first.where(WorkRecord.id.in_(here)).limit(1).with_for_update(skip_locked=True)
            work = session.scalar(wanted)
            if work is not None:
                work.state, work.lease_until = WorkState.RUNNING, now + LEASE_SECONDS
                work.done, work.total = 0, None
            return work

    def _has_file(self, work: WorkRecord, now: float) -> bool:
        """Whether a work can be done here; a file that no server finds for long is told to be gone."""
        is_here = work.kind != WorkKind.IMPORT or (self._folder / work.file).is_file()
        return is_here or now - work.made_at > _LOST_SECONDS

    def _do(self, work: WorkRecord) -> None:
        held = _Held(self._database, work, self._clock, lambda: work.id in self._not_wanted or self._closing.is_set())
        try:
            if work.kind == WorkKind.IMPORT:
                if not (self._folder / work.file).is_file():
                    raise NotFound("the file that was brought is not in the folder of works any more; bring it again")
                self._import(held)
            else:
                self._export(held)
        except _WorkEnded:
            if work.id not in self._not_wanted:
                held.end(WorkState.WAITING)
        except StoreBusy:
            held.end(WorkState.WAITING)  # another import, or a database that begins again
        except VeritabError as error:
            held.end(WorkState.FAILED, str(error))
        except OSError as error:
            held.end(
                WorkState.FAILED, f"the folder of works cannot be used: {error.strerror}; ask whoever runs the studio"
            )
        except Exception:  # the thread must live on, and whoever waits must be told
            _LOG.exception("%s %s of the studio ended in an accident", work.kind, work.id)
            held.end(WorkState.FAILED, "an accident ended it; the log of the server tells which")
        if work.kind == WorkKind.IMPORT and held.is_over:
            (self._folder / work.file).unlink(missing_ok=True)

    def _import(self, held: _Held) -> None:
        work, options = held.work, held.work.options
        with self._database.reading() as session:
            project = session.get_one(ProjectRecord, work.project_id)
        find = element_finder(self._store_of(project)) if options["check_elements"] else None
        with self._database.writing(unhurried=True) as session:
            held.lock(session)
            report = import_file(
                session,
                session.get_one(ProjectRecord, project.id),
                self._folder / work.file,
                format=options["format"],
                pool=options["pool"],
                phase=options["phase"],
                priority=options["priority"],
                kind=options["kind"],
                name=options["name"],
                by=work.made_by,
                now=self._clock(),
                exists=(lambda id: find(id) is not None) if find else None,
                tick=held.refuse_ended,
            )
            held.end_in(session, WorkState.DONE, _tell_import(report), report.claims)
        held.is_over = True

    def _export(self, held: _Held) -> None:
        work, options = held.work, held.work.options
        with self._database.reading() as session:
            project = session.get_one(ProjectRecord, work.project_id)
            held.total = count_claims(session, project)
        store = self._store_of(project)
        for left in self._folder.glob(f".export-{work.id}-*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix=f".export-{work.id}-", dir=self._folder) as aside:
            report = export(
                self._database,
                project,
                Path(aside) / f"{project.name}-{options['format']}{_ENDS.get(options['format'], '.jsonl')}",
                format=options["format"],
                settled=options["settled"],
                since=options["since"],
                pools=options["pools"],
                leave_out=options["leave_out"],
                element_of=element_finder(store),
                elements=evidence_elements(store.pages()),
                tick=held.renew,
            )
            whole = _pack(Path(aside), report.result.files)
            whole.chmod(0o600)
            work.file = f"{work.id}-{whole.name}"
            held.renew(report.result.claims, at_once=True)
            whole.replace(self._folder / work.file)
        held.end(WorkState.DONE, _tell_export(report), held.total)


class _Held:
    """A work in a runner's hands, as long as its lease is the one that it took."""

    def __init__(
        self, database: Database, work: WorkRecord, clock: Callable[[], float], is_ended: Callable[[], bool]
    ) -> None:
        self.work, self.total = work, work.total
        self._database, self._clock, self._is_ended = database, clock, is_ended
        self._lease, self._renewed = work.lease_until, clock()
        self.is_over = False
        """Whether it was ended here, for good; another server may be at it otherwise."""

    def refuse_ended(self, _: int) -> None:
        """Go no further where the work is not wanted any longer."""
        if self._is_ended():
            raise _WorkEnded

    def renew(self, done: int, *, at_once: bool = False) -> None:
        """Tell how far the work has come, every other second, and hold it for as long again."""
        self.refuse_ended(done)
        now = self._clock()
        if at_once or now - self._renewed >= _RENEW_SECONDS:
            with self._database.writing() as session:
                work = self.lock(session)
                work.done, work.total, work.lease_until = done, self.total, now + LEASE_SECONDS
                self._lease, self._renewed = work.lease_until, now

    def lock(self, session: Session) -> WorkRecord:
        """The work, which nobody else takes before the transaction ends."""
        work = session.get_one(WorkRecord, self.work.id, with_for_update=True)
        if work.state != WorkState.RUNNING or work.lease_until != self._lease:
            raise _WorkEnded
        return work

    def end_in(self, session: Session, state: WorkState, message: str, done: int | None = None) -> None:
        """Write down what came of a work, together with what else a transaction keeps."""
        work = self.lock(session)
        work.state, work.message, work.lease_until = state, message, None
        work.file = self.work.file if work.kind == WorkKind.EXPORT and state is WorkState.DONE else work.file
        if state is not WorkState.WAITING:
            work.ended_at = self._clock()
        if done is not None:
            work.done = work.total = done

    def end(self, state: WorkState, message: str = "", done: int | None = None) -> None:
        """Write down what came of a work, unless it was stopped or somebody else has it by now."""
        with suppress(_WorkEnded):
            with self._database.writing() as session:
                self.end_in(session, state, message, done)
            self.is_over = state is not WorkState.WAITING


_ENDS = {"label-studio": ".json", **dict.fromkeys(FOLDERS, "")}


def _pack(folder: Path, files: Sequence[Path]) -> Path:
    """What was written as one file."""
    if len(files) == 1:
        return files[0]
    whole = folder / f"{files[0].relative_to(folder).parts[0].split('.')[0]}.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in files:
            packed.write(file, file.relative_to(folder))
    return whole


def _tell_import(report: ImportReport) -> str:
    told = {
        "with an answer": report.answers,
        "begun": report.begun,
        "with the right answer": report.gold,
        "settled": report.settled,
    }
    return ", ".join([f"{report.claims:,} claims", *(f"{count:,} {what}" for what, count in told.items() if count)])


def _tell_export(report: ExportReport) -> str:
    result = report.result
    told = [f"{result.claims:,} claims with {report.annotations:,} annotations"]
    if report.unsettled:
        told.append(f"{report.unsettled:,} claims wait for answers")
    if report.unlabelled:
        told.append(f"{report.unlabelled:,} claims have no label")
    told += [f"left out {each.claims:,} claims: {each.what}" for each in result.left_out]
    told += [f"not written of {each.claims:,} claims: {each.what}" for each in result.lost]
    return "\n".join(told)
