"""Sources into a store: cut in this process, parsed here or by workers, written here, resumable at any point.

`Ingest` is a generator's worth of steps: iterate over it to do the work and to draw a progress bar; its `report` is
whole when the iteration ends.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeAlias

from veritab.corpus.collector import calm_collector, tune_collector
from veritab.corpus.originals import drop_copies, keep_copy
from veritab.corpus.packing import FORMAT
from veritab.corpus.remote import file_size, locate
from veritab.corpus.sources import ReaderOptions, SourceFile, SourceReader, add_title, source_files, source_name
from veritab.corpus.store import PackedPage, Store, pack_page
from veritab.corpus.streams import RawRecord, Truncated
from veritab.engine import Engine
from veritab.errors import FormatError, TooManyProblems, VeritabError
from veritab.processes import Waiting, open_processes
from veritab.schema import Page, Problem, Redirect

log = logging.getLogger(__name__)

Parsed: TypeAlias = PackedPage | Redirect | Problem

# A batch is what travels to a worker at once: large enough to outweigh the cost of sending it, small enough for memory.
_BATCH_BYTES = 2**20
_BATCH_RECORDS = 256
# No more bytes wait for workers than this, but for a single record that is larger.
_WAITING_BYTES = 16 * _BATCH_BYTES
_PAGES_PER_TRANSACTION = 500
SAMPLES_PER_KIND = 20
SECOND = "a second page with this title; the later one is kept"
DISPLACED = "removed, though another source had a page of this title; ingest that source again"


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
        if self.problem_counts[problem.what] <= SAMPLES_PER_KIND:
            self.problems.append(problem)

    def note_all(self, counts: Mapping[str, int], samples: Iterable[Problem], lost: int = 0) -> None:
        """Note many problems, of which the first of each kind are given, in their order."""
        before, more = Counter(self.problem_counts), Counter[str]()
        for problem in samples:
            more[problem.what] += 1
            if before[problem.what] + more[problem.what] <= SAMPLES_PER_KIND:
                self.problems.append(problem)
        self.problem_counts.update({what: counts[what] for what in more})
        self.lost += lost


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
        engine: Engine | None = None,
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
        self._engine = engine
        self._truncated: list[Truncated] = []
        self._read = 0
        self._total = 0

    def __iter__(self) -> Iterator[IngestProgress]:
        started = time.monotonic()
        # Checked before anything is written: a misspelt path must not leave half an ingest behind.
        plans = [list(source_files(source, self._format, self._options)) for source in self._sources]
        self._total = sum(file_size(part.path) for plan in plans for part in plan if isinstance(part, SourceFile))
        failures: list[VeritabError] = []
        with calm_collector(), self._open_engine() as engine:
            for plan, name, called in zip(plans, self._names, self._called, strict=True):
                try:
                    yield from self._ingest(name, called, plan, engine)
                except (FormatError, TooManyProblems) as failure:
                    failures.append(failure)  # the sources after this one are read all the same
        drop_copies(self._store)
        self._note_redirects()
        self.report.seconds = time.monotonic() - started
        if failures:
            raise failures[0]

    @contextmanager
    def _open_engine(self) -> Iterator[Engine]:
        if self._engine is not None:
            yield self._engine
            return
        with open_processes(self._workers, waiting=Waiting(_size, _WAITING_BYTES), start=tune_collector) as engine:
            yield engine

    def _ingest(
        self, name: str, called: str, plan: list[SourceFile | Problem], engine: Engine
    ) -> Iterator[IngestProgress]:
        reader = repr(sorted({repr(part.reader) for part in plan if isinstance(part, SourceFile)}))
        number = self._store.source_id(name, reader)
        records_before, lost_before = self.report.records, self.report.lost
        self._truncated = []
        batches = _batches(self._new_records(number, plan))
        for group in _groups(engine.map(_parse_batch, batches)):
            with self._store.transaction():
                for done in group:
                    self._write(number, done)
            yield self._step()
        try:
            refuse_truncated(self._truncated)
            records, lost = self.report.records - records_before, self.report.lost - lost_before
            refuse_too_many(called, records, lost, self.report.problems, self._max_lost)
        except VeritabError:
            with self._store.transaction():
                self._store.settle_titles()
            raise
        with self._store.transaction():
            for page in self._store.finish(number):
                self.report.removed += 1
                if page.displaced:
                    self._note(Problem(page.title, page.displaced, DISPLACED))
        yield self._step()

    def _new_records(self, source: int, plan: list[SourceFile | Problem]) -> Iterator[_Job | Problem]:
        """The records that are not in the store as they are, and what is wrong with others, in one order."""
        fresh = len(self._store) == 0
        before = self._read
        for part in plan:
            if isinstance(part, Problem):
                yield part
                continue
            salt = reading_salt(part)
            for raw in part.reader.cut(part.path):
                self.report.records += 1
                if isinstance(raw, Problem):
                    yield raw
                    continue
                self._read = before + raw.position
                raw = add_title(raw, part)
                if raw.file and self._keep_originals:
                    keep_copy(self._store.folder, raw.data)
                digest = record_digest(raw, salt)
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
                    self._note(Problem(one.title, done.where, SECOND))
            elif isinstance(one, Redirect):
                self._store.add_redirect(source, one, done.digest)
                self.report.redirects += 1
            else:
                self._note(one)
                if isinstance(one, Truncated):
                    self._truncated.append(one)

    def _note(self, problem: Problem) -> None:
        self.report.note(problem)
        log.debug("%s: %s (%s)", problem.where, problem.what, problem.page)

    def _note_redirects(self) -> None:
        for problem in redirect_problems(self._store):
            self._note(problem)

    def _step(self) -> IngestProgress:
        problems = sum(self.report.problem_counts.values())
        return IngestProgress(min(self._read, self._total), self._total, self.report.pages, problems)


def redirect_problems(store: Store) -> Iterator[Problem]:
    """What is wrong with the redirects of a corpus."""
    for title in store.broken_redirects():
        yield Problem(title, "redirects", "a redirect that leads to no page, or in a circle")
    for title in store.shadowed_redirects():
        yield Problem(title, "redirects", "a redirect that is never followed: a page has its title")


def refuse_truncated(truncated: Sequence[Problem]) -> None:
    """Pages that a cut file no longer shows are not removed pages, so the source is left unfinished."""
    for problem in truncated:
        raise FormatError(f"{problem.where}: {problem.what}; what came before it is kept; fetch the file again")


def refuse_too_many(source: str, records: int, lost: int, problems: Iterable[Problem], max_lost: float) -> None:
    """A source that lost a larger share of its records than allowed is left unfinished too."""
    if lost > max_lost * max(records, 1):
        samples = "; ".join(f"{p.where}: {p.what}" for p in problems if p.lost)
        raise TooManyProblems(
            f"{lost:,} of {records:,} records of {source!r} could not be read ({samples[:300]}); "
            "what could be read is kept; allow more with --max-lost"
        )


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


def reading_salt(part: SourceFile) -> bytes:
    """How the records of a file are read."""
    return f"{part.reader!r} {FORMAT} {part.title}".encode()


def record_digest(raw: RawRecord, salt: bytes) -> bytes:
    """What a record's pages depend on: its bytes, its title, and how it is read."""
    # There is nothing to gain by forging one; SHA-256 is what processors compute fastest.
    file = (raw.file.encode(),) if raw.file else ()
    return hashlib.sha256(b"\0".join((salt, raw.title.encode(), *file, raw.data))).digest()[:16]


def _batches(jobs: Iterable[_Job | Problem]) -> Iterator[list[_Job | Problem]]:
    batch: list[_Job | Problem] = []
    size = 0
    for job in jobs:
        batch.append(job)
        size += 0 if isinstance(job, Problem) else len(job.raw.data)
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_RECORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _size(batch: list[_Job | Problem]) -> int:
    return sum(len(job.raw.data) for job in batch if not isinstance(job, Problem))


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


def _parse_batch(batch: list[_Job | Problem]) -> list[_Done]:
    return [_Done(job.where, b"", 0, [job]) if isinstance(job, Problem) else _parse_job(job) for job in batch]


def _parse_job(job: _Job) -> _Done:
    return _Done(job.raw.where, job.digest, job.record, list(parse_record(job.reader, job.raw)))


_readers: dict[SourceReader, SourceReader] = {}


def _own(reader: SourceReader) -> SourceReader:
    """This process's copy of a reader: one for all batches, since readers remember what they have met."""
    return _readers.setdefault(reader, reader)


def parse_record(reader: SourceReader, raw: RawRecord) -> Iterator[Parsed]:
    """What a record holds, ready to be written; a reader that fails loses the record and nothing else."""
    try:
        for read in _own(reader).parse(raw):
            yield pack_page(read, raw.data) if isinstance(read, Page) else read
    except VeritabError as error:  # an extra that is not installed, say: the message tells what to do
        yield Problem(raw.title, raw.where, str(error), lost=True)
    except Exception as error:  # one record must not end an ingest of millions; it is counted as lost
        log.debug("the reader failed at %s", raw.where, exc_info=True)
        yield Problem(raw.title, raw.where, f"the reader failed: {type(error).__name__}", lost=True)
