"""Sources into a store: cut in this process, parsed here or by workers, written here, resumable at any point.

`Ingest` is a generator's worth of steps: iterate over it to do the work and to draw a progress bar; its `report` is
whole when the iteration ends.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import multiprocessing
import multiprocessing.process
import os
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from veritab.corpus.originals import drop_copies, keep_copy
from veritab.corpus.packing import FORMAT
from veritab.corpus.remote import file_size, locate
from veritab.corpus.sources import ReaderOptions, SourceFile, SourceReader, add_title, source_files, source_name
from veritab.corpus.store import PackedPage, Store, pack_page
from veritab.corpus.streams import RawRecord, Truncated
from veritab.errors import FormatError, TooManyProblems, VeritabError
from veritab.schema import Page, Problem, Redirect

log = logging.getLogger(__name__)

Parsed: TypeAlias = PackedPage | Redirect | Problem

# A batch is what travels to a worker at once: large enough to outweigh the cost of sending it, small enough for memory.
_BATCH_BYTES = 2**20
_BATCH_RECORDS = 256
# So many batches wait per worker: a slow page does not leave the others idle.
_WAITING_PER_WORKER = 3
# Nor do more bytes wait than this, but for a single record that is larger.
_WAITING_BYTES = 16 * _BATCH_BYTES
_PAGES_PER_TRANSACTION = 500
_SAMPLES_PER_KIND = 20


class IngestProgress(NamedTuple):
    """How far an ingest has come: bytes of its sources on disk, and pages."""

    read: int
    total: int
    pages: int
    problems: int


@dataclass
class IngestReport:
    """What an ingest did. Problems are counted by kind and sampled, since a dump can hold millions."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    removed: int = 0
    redirects: int = 0
    records: int = 0
    lost: int = 0
    seconds: float = 0.0
    problem_counts: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)

    @property
    def pages(self) -> int:
        """Pages the sources hold."""
        return self.added + self.changed + self.unchanged

    def note(self, problem: Problem) -> None:
        self.problem_counts[problem.what] += 1
        self.lost += problem.lost
        if self.problem_counts[problem.what] <= _SAMPLES_PER_KIND:
            self.problems.append(problem)


class Ingest:
    """Reads sources into a store; iterate to do the work."""

    def __init__(
        self,
        store: Store,
        sources: Sequence[Path | str],
        *,
        format: str | None = None,
        options: ReaderOptions = ReaderOptions(),  # noqa: B008
        workers: int = 1,
        max_lost: float = 0.1,
        names: Sequence[str] | None = None,
        keep_originals: bool = False,
    ) -> None:
        self.report = IngestReport()
        self._store = store
        self._sources = [locate(source) for source in sources]
        # What the store calls them: the same name again means the same source, brought up to date.
        self._names = names or [source_name(source) for source in self._sources]
        self._called = names or [
            source_name(source) if isinstance(source, str) else str(source) for source in self._sources
        ]
        self._format = format
        self._options = options
        self._workers = workers
        self._max_lost = max_lost
        self._keep_originals = keep_originals
        self._truncated: list[Truncated] = []
        self._read = 0
        self._total = 0

    def __iter__(self) -> Iterator[IngestProgress]:
        started = time.monotonic()
        # Checked before anything is written: a misspelt path must not leave half an ingest behind.
        plans = [list(source_files(source, self._format, self._options)) for source in self._sources]
        self._total = sum(file_size(part.path) for plan in plans for part in plan if isinstance(part, SourceFile))
        failures: list[VeritabError] = []
        with _calm_collector(), _pool(self._workers) as pool:
            for plan, name, called in zip(plans, self._names, self._called, strict=True):
                try:
                    yield from self._ingest(name, called, plan, pool)
                except (FormatError, TooManyProblems) as failure:
                    failures.append(failure)  # the sources after this one are read all the same
        drop_copies(self._store)
        self._note_redirects()
        self.report.seconds = time.monotonic() - started
        if failures:
            raise failures[0]

    def _ingest(
        self, name: str, called: str, plan: list[SourceFile | Problem], pool: ProcessPoolExecutor | None
    ) -> Iterator[IngestProgress]:
        reader = repr(sorted({repr(part.reader) for part in plan if isinstance(part, SourceFile)}))
        number = self._store.source_id(name, reader)
        records_before, lost_before = self.report.records, self.report.lost
        self._truncated = []
        batches = _batches(self._new_records(number, plan))
        for group in _groups(_parse_all(batches, pool, self._workers)):
            with self._store.transaction():
                for done in group:
                    self._write(number, done)
            yield self._step()
        try:
            self._refuse_truncated()
            self._refuse_too_many(called, self.report.records - records_before, self.report.lost - lost_before)
        except VeritabError:
            with self._store.transaction():
                self._store.settle_titles()
            raise
        with self._store.transaction():
            for page in self._store.finish(number):
                self.report.removed += 1
                if page.displaced:
                    what = "removed, though another source had a page of this title; ingest that source again"
                    self._note(Problem(page.title, page.displaced, what))
        yield self._step()

    def _new_records(self, source: int, plan: list[SourceFile | Problem]) -> Iterator[_Job]:
        """The records that are not in the store as they are."""
        fresh = len(self._store) == 0
        before = self._read
        for part in plan:
            if isinstance(part, Problem):
                self._note(part)
                continue
            salt = f"{part.reader!r} {FORMAT} {part.title}".encode()
            for raw in part.reader.cut(part.path):
                if isinstance(raw, Problem):
                    self.report.records += 1
                    self._note(raw)
                    if isinstance(raw, Truncated):
                        self._truncated.append(raw)
                    continue
                self.report.records += 1
                self._read = before + raw.position
                raw = add_title(raw, part)
                if raw.file and self._keep_originals:
                    keep_copy(self._store.folder, raw.data)
                digest = _digest(raw, salt)
                known = None if fresh else self._store.known(source, digest, self.report.records)
                if known is None:
                    yield _Job(part.reader, raw, digest, self.report.records)
                else:
                    self.report.unchanged += known
            before += file_size(part.path)
            self._read = before

    def _write(self, source: int, done: _Done) -> None:
        for one in done.parsed:
            if isinstance(one, PackedPage):
                change, instead_of = self._store.add(source, one, done.digest, done.record)
                setattr(self.report, change, getattr(self.report, change) + 1)
                if instead_of:
                    self._note(Problem(one.title, done.where, "a second page with this title; the later one is kept"))
            elif isinstance(one, Redirect):
                self._store.add_redirect(source, one, done.digest)
                self.report.redirects += 1
            else:
                self._note(one)

    def _note(self, problem: Problem) -> None:
        self.report.note(problem)
        log.debug("%s: %s (%s)", problem.where, problem.what, problem.page)

    def _note_redirects(self) -> None:
        for title in self._store.broken_redirects():
            self._note(Problem(title, "redirects", "a redirect that leads to no page, or in a circle"))
        for title in self._store.shadowed_redirects():
            self._note(Problem(title, "redirects", "a redirect that is never followed: a page has its title"))

    def _refuse_truncated(self) -> None:
        """Pages that a cut file no longer shows are not removed pages, so the source is left unfinished."""
        if self._truncated:
            problem = self._truncated[0]
            raise FormatError(f"{problem.where}: {problem.what}; what came before it is kept; fetch the file again")

    def _refuse_too_many(self, source: str, records: int, lost: int) -> None:
        if lost > self._max_lost * max(records, 1):
            samples = "; ".join(f"{p.where}: {p.what}" for p in self.report.problems if p.lost)
            raise TooManyProblems(
                f"{lost:,} of {records:,} records of {source!r} could not be read ({samples[:300]}); "
                "what could be read is kept; allow more with --max-lost"
            )

    def _step(self) -> IngestProgress:
        problems = sum(self.report.problem_counts.values())
        return IngestProgress(min(self._read, self._total), self._total, self.report.pages, problems)


class _Job(NamedTuple):
    reader: SourceReader
    raw: RawRecord
    digest: bytes
    record: int


class _Done(NamedTuple):
    where: str
    digest: bytes
    record: int
    parsed: list[Parsed]


def _digest(raw: RawRecord, salt: bytes) -> bytes:
    """What a record's pages depend on: its bytes, its title, and how it is read."""
    # There is nothing to gain by forging one; SHA-256 is what processors compute fastest.
    file = (raw.file.encode(),) if raw.file else ()
    return hashlib.sha256(b"\0".join((salt, raw.title.encode(), *file, raw.data))).digest()[:16]


def _batches(jobs: Iterable[_Job]) -> Iterator[list[_Job]]:
    batch: list[_Job] = []
    size = 0
    for job in jobs:
        batch.append(job)
        size += len(job.raw.data)
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_RECORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _groups(batches: Iterable[list[_Done]]) -> Iterator[list[_Done]]:
    """Enough results for one transaction."""
    group: list[_Done] = []
    size = 0
    for batch in batches:
        group += batch
        size += sum(len(one.data) for done in batch for one in done.parsed if isinstance(one, PackedPage))
        if len(group) >= _PAGES_PER_TRANSACTION or size >= 8 * _BATCH_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _parse_all(batches: Iterator[list[_Job]], pool: ProcessPoolExecutor | None, workers: int) -> Iterator[list[_Done]]:
    """Parse batches in order, here or in the pool, never holding more than a few."""
    if pool is None:
        yield from map(_parse_batch, batches)
        return
    waiting: deque[tuple[int, Future[list[_Done]]]] = deque()
    try:
        for batch in batches:
            waiting.append((sum(len(job.raw.data) for job in batch), pool.submit(_parse_batch, batch)))
            while len(waiting) >= workers * _WAITING_PER_WORKER or sum(size for size, _ in waiting) > _WAITING_BYTES:
                yield waiting.popleft()[1].result()
        while waiting:
            yield waiting.popleft()[1].result()
    except BrokenProcessPool:
        raise VeritabError(
            "a worker was ended from outside, perhaps for want of memory; what was written is kept; "
            "run the same command again, with --workers 1 if memory is short"
        ) from None


def _parse_batch(batch: list[_Job]) -> list[_Done]:
    return [_Done(raw.where, digest, record, list(_parse(_own(reader), raw))) for reader, raw, digest, record in batch]


_readers: dict[SourceReader, SourceReader] = {}


def _own(reader: SourceReader) -> SourceReader:
    """This process's copy of a reader: one for all batches, since readers remember what they have met."""
    return _readers.setdefault(reader, reader)


def _parse(reader: SourceReader, raw: RawRecord) -> Iterator[Parsed]:
    try:
        for read in reader.parse(raw):
            yield pack_page(read, raw.data) if isinstance(read, Page) else read
    except VeritabError as error:  # an extra that is not installed, say: the message tells what to do
        yield Problem(raw.title, raw.where, str(error), lost=True)
    except Exception as error:  # one record must not end an ingest of millions; it is counted as lost
        log.debug("the reader failed at %s", raw.where, exc_info=True)
        yield Problem(raw.title, raw.where, f"the reader failed: {type(error).__name__}", lost=True)


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor | None]:
    if workers < 2:
        yield None
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _start_worker) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _start_worker() -> None:
    """A worker leaves Ctrl-C to its parent, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    _tune_collector()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _tune_collector() -> None:
    """Pages are trees without cycles: reference counts free them, so the cycle collector would only look on."""
    gc.freeze()
    gc.set_threshold(200_000, 50, 1000)


@contextmanager
def _calm_collector() -> Iterator[None]:
    before: tuple[Any, ...] = gc.get_threshold()
    _tune_collector()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
