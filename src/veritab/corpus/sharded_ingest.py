"""Sources into a corpus of shards: parts parsed by any worker, shards filled one by one, resumable at any point.

    source --cut into parts--> `spool_part` --a spool for each part--> `fill_shard` --> a shard

Which parts a source has depends on the source alone, and pages are numbered in the order of the source: workers and
shards may be many or few, the pages and their numbers' order are the same. What was done is not done again after a
stop: a spool appears whole, and a shard takes all that a source has for it in one transaction.
"""

from __future__ import annotations

import json
import logging
import re
import secrets
import shutil
import sqlite3
import sys
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from hashlib import sha256
from heapq import merge, nsmallest
from importlib.metadata import version
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple, cast

from veritab.corpus.collector import calm_collector, tune_collector
from veritab.corpus.database import open_for_reading
from veritab.corpus.ingest import (
    DISPLACED,
    SAMPLES_PER_KIND,
    SECOND,
    IngestProgress,
    IngestReport,
    parse_record,
    reading_salt,
    record_digest,
    redirect_problems,
    refuse_too_many,
    refuse_truncated,
)
from veritab.corpus.originals import drop_copies, keep_copy
from veritab.corpus.remote import RemoteFile, SourcePath, file_size, locate
from veritab.corpus.shards import (
    DOCUMENTS,
    MANIFEST,
    ShardedStore,
    ShardList,
    make_shards,
    order_of_number,
    page_number,
    read_manifest,
    shard_of_title,
    write_manifest,
)
from veritab.corpus.sources import DividingReader, ReaderOptions, SourceFile, add_title, source_files, source_name
from veritab.corpus.spools import SpoolWriter, new_spool, read_section, read_summary, storage_errors
from veritab.corpus.store import FILE, PackedOriginal, PackedPage, Store, lock_folder, make_corpus_folder
from veritab.corpus.streams import WHOLE, ByteRange, RawRecord, Truncated, count_lines
from veritab.engine import Engine
from veritab.errors import DamagedStore, FormatError, InputError, StoreBusy, TooManyProblems, VeritabError
from veritab.files import partial_path, write_whole
from veritab.processes import Waiting, open_processes
from veritab.schema import Problem, Redirect

log = logging.getLogger(__name__)

SPOOL = "spool"
"""The folder in that of a corpus where an ingest at work keeps what it has parsed; it goes with its end."""
_RUN, _SETTLED = "run.json", "settled.json"
# Parts of a file that is read by ranges, and files read together.
_PART_BYTES = 16 * 2**20
_PART_FILES = 5_000
# Parts of a file that only one can read: they travel to whoever parses them.
_SENT_BYTES = 8 * 2**20
_WAITING_BYTES = 8 * _SENT_BYTES
# A task that runs twice meets itself: it waits so many seconds for the other to end.
_PATIENCE = 30.0
# The share of the bar that is the filling of shards.
_FILLING = 0.2


# -- parts of sources --------------------------------------------------------------------------------------


class PartPiece(NamedTuple):
    """A file of a source, a stretch of it, or some of its records that were cut out already."""

    file: SourceFile
    span: ByteRange = WHOLE
    by_lines: bool = False
    records: tuple[RawRecord | Problem, ...] | None = None


class SourcePart(NamedTuple):
    """What one worker parses at a time."""

    number: int
    pieces: tuple[PartPiece | Problem, ...]
    bytes: int
    """How much of its source it is, on disk."""


def cut_into_parts(plan: Iterable[SourceFile | Problem]) -> Iterator[SourcePart]:
    """The parts of a source: stretches of large files, many small files together."""
    for number, (pieces, size) in enumerate(_pieces_together(plan)):
        yield SourcePart(number, tuple(pieces), size)


def _pieces_together(plan: Iterable[SourceFile | Problem]) -> Iterator[tuple[list[PartPiece | Problem], int]]:
    together: list[PartPiece | Problem] = []
    held = 0
    for file in plan:
        if isinstance(file, Problem):
            together.append(file)
            continue
        size, unit = file_size(file.path), _divided_by(file)
        if size <= _PART_BYTES and not _has_unknown_size(file.path):
            together.append(PartPiece(file))
            held += size
            if held >= _PART_BYTES or len(together) >= _PART_FILES:
                yield together, held
                together, held = [], 0
            continue
        if together:
            yield together, held
            together, held = [], 0
        if unit:
            for start in range(0, size, _PART_BYTES):
                end = start + _PART_BYTES
                span = ByteRange(start, end if end < size else None)
                yield [PartPiece(file, span, unit == "lines")], min(end, size) - start
        else:
            yield from _cut_here(file, size)
    if together:
        yield together, held


def _divided_by(file: SourceFile) -> str:
    divided_by = getattr(file.reader, "divided_by", None)
    return divided_by(file.path) if divided_by is not None and file_size(file.path) > _PART_BYTES else ""


def _has_unknown_size(path: SourcePath) -> bool:
    return isinstance(path, RemoteFile) and path.size is None


def _cut_here(file: SourceFile, size: int) -> Iterator[tuple[list[PartPiece | Problem], int]]:
    """The records of a file that must be read from its beginning, some at a time."""
    records: list[RawRecord | Problem] = []
    held = position = before = 0
    for raw in file.reader.cut(file.path):
        records.append(raw)
        if isinstance(raw, RawRecord):
            held += len(raw.data)
            position = min(max(position, raw.position), size)
        if held >= _SENT_BYTES:
            yield [PartPiece(file, records=tuple(records))], position - before
            records, held, before = [], 0, position
    if records:
        yield [PartPiece(file, records=tuple(records))], max(size - before, 0)


# -- parsing a part ----------------------------------------------------------------------------------------


class Spooling(NamedTuple):
    """Where the spools of a source go."""

    folder: Path
    shards: int
    known: Path | None
    """A database of the records that the corpus has from this source already, if it has any."""
    copies: Path | None
    """The corpus that keeps copies of documents, if it does."""


class Spooled(NamedTuple):
    """What a part held; problems come with where they stand in it."""

    bytes: int
    records: int
    pages: int
    known: int
    redirects: int
    lost: int
    lines: int
    """How many lines of its file begin in it, if its records are known by their lines."""
    begins_file: bool
    documents: bool
    counts: list[tuple[str, int]]
    problems: list[tuple[int, int, bool, str, str, str, bool]]


_KNOWN, _NEW = 0, 1
_PAGE, _REDIRECT = 0, 1
# What is wrong with a file as a whole comes after the record before it.
_AFTER = 2**40


def spool_part(spooling: Spooling, part: SourcePart) -> Spooled:
    """Parse a part, unless that was done before; what it holds is put down for each shard."""
    path = _spool_path(spooling.folder, part.number)
    if not path.exists():
        if _settled(spooling.folder):
            raise DamagedStore(f"the spool {str(path)!r} is gone; remove its folder, then run the same command again")
        with calm_collector():
            _spool(spooling, part, path)
    return Spooled(*read_summary(path))


def _spool_path(folder: Path, number: int) -> Path:
    return folder / f"part-{number:06}"


def _spool(spooling: Spooling, part: SourcePart, path: Path) -> None:
    with new_spool(path) as spool, _open_known(spooling.known) as known:
        work = _PartWork(spool, known, spooling)
        for place, piece in enumerate(part.pieces):
            if isinstance(piece, Problem):
                work.note(_AFTER + place, piece)
            else:
                work.take(piece)
        spool.finish(tuple(work.summary(part.bytes)))


class _PartWork:
    """A part being parsed."""

    def __init__(self, spool: SpoolWriter, known: _Known, spooling: Spooling) -> None:
        self._spool, self._known = spool, known
        self._shards, self._copies = spooling.shards, spooling.copies
        self._records = self._pages = self._unchanged = self._redirects = self._lost = self._lines = 0
        self._begins_file = self._documents = False
        self._counts: Counter[str] = Counter()
        self._problems: list[tuple[int, int, bool, str, str, str, bool]] = []

    def take(self, piece: PartPiece) -> None:
        """Parse what is new of a piece, and put all of it down."""
        if piece.by_lines:
            self._lines, self._begins_file = count_lines(piece.file.path, piece.span), piece.span.start == 0
        salt = reading_salt(piece.file)
        for raw in _records(piece):
            self._records += 1
            if isinstance(raw, Problem):
                self.note(0, raw)
                continue
            raw = add_title(raw, piece.file)
            if raw.file and self._copies:
                keep_copy(self._copies, raw.data)
            digest = record_digest(raw, salt)
            if found := self._known(digest):
                self._unchanged += found[0]
                for shard in found[1]:
                    self._spool.add(2 * shard + _KNOWN, (self._records, digest), 64)
                continue
            for position, read in enumerate(parse_record(piece.file.reader, raw)):
                if isinstance(read, PackedPage):
                    shard = DOCUMENTS if read.original else shard_of_title(read.title, self._shards)
                    self._documents |= read.original is not None
                    packed = (*read[:4], read.original and tuple(read.original), read.categories)
                    entry = (_PAGE, self._records, position, digest, raw.where, self._pages, packed)
                    self._put(shard, entry, len(read.data) + 256)
                    self._pages += 1
                elif isinstance(read, Redirect):
                    shard = shard_of_title(read.title, self._shards)
                    self._put(shard, (_REDIRECT, self._records, position, digest, read.title, read.target), 256)
                    self._redirects += 1
                else:
                    self.note(position, read)

    def _put(self, shard: int, entry: tuple[Any, ...], size: int) -> None:
        self._spool.add(2 * shard + _NEW, entry, size)

    def note(self, position: int, problem: Problem) -> None:
        """Count a problem, and keep it where it may be shown."""
        self._counts[problem.what] += 1
        self._lost += problem.lost
        cut_off = isinstance(problem, Truncated)
        if self._counts[problem.what] <= SAMPLES_PER_KIND or cut_off:
            told = (problem.page, problem.where, problem.what, problem.lost)
            self._problems.append((self._records, position, cut_off, *told))

    def summary(self, size: int) -> Spooled:
        """What the part held."""
        return Spooled(
            size,
            self._records,
            self._pages,
            self._unchanged,
            self._redirects,
            self._lost,
            self._lines,
            self._begins_file,
            self._documents,
            list(self._counts.items()),
            self._problems,
        )


def _records(piece: PartPiece) -> Iterable[RawRecord | Problem]:
    if piece.records is not None:
        return piece.records
    if piece.span == WHOLE:
        return piece.file.reader.cut(piece.file.path)
    return cast(DividingReader, piece.file.reader).cut(piece.file.path, piece.span)


class _Known:
    """Tells which records a corpus has already, and in which shards."""

    def __init__(self, database: sqlite3.Connection | None) -> None:
        self._database = database

    def __call__(self, digest: bytes) -> tuple[int, Sequence[int]] | None:
        if self._database is None:
            return None
        row = self._database.execute("SELECT pages, shards FROM known WHERE digest = ?", (digest,)).fetchone()
        return (row[0], array("H", row[1])) if row else None


@contextmanager
def _open_known(file: Path | None) -> Iterator[_Known]:
    if file is None:
        yield _Known(None)
        return
    with closing(open_for_reading(file)) as database:
        yield _Known(database)


def _known_to(shard: Store, number: int, source: str) -> Iterator[tuple[bytes, int, int]]:
    for digest, pages in shard.known_records(source):
        yield digest, pages, number


def _write_known(file: Path, store: ShardedStore, source: str) -> bool:
    """Write which records of a source the shards have; whether there are any."""
    rows = merge(*(_known_to(shard, number, source) for number, shard in enumerate(store.shards)))
    together = (
        (digest, sum(pages for _, pages, _ in some), array("H", (shard for *_, shard in some)).tobytes())
        for digest, some in ((digest, list(group)) for digest, group in groupby(rows, key=lambda row: row[0]))
    )
    first = next(together, None)
    if first is None:
        return False
    with partial_path(file) as partial, closing(sqlite3.connect(partial, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode = OFF")
        database.execute("CREATE TABLE known (digest BLOB PRIMARY KEY, pages INTEGER, shards BLOB) WITHOUT ROWID")
        database.execute("BEGIN")
        database.executemany("INSERT INTO known VALUES (?, ?, ?)", chain((first,), together))
        database.execute("COMMIT")
    return True


# -- filling a shard ---------------------------------------------------------------------------------------


class Before(NamedTuple):
    """What the parts of a source before one held, by which its records, pages and lines are numbered."""

    records: int
    pages: int
    lines: int


class Filling(NamedTuple):
    """What the shards of a corpus take from a source."""

    corpus: Path
    shards: tuple[str, ...]
    spools: Path
    parts: tuple[Before, ...]
    run: str
    task: int
    source: str
    reader: str
    base: int
    """Where the first page of the source stands in the order of all pages."""
    complete: bool
    """Whether the source was read to its end, so that pages it no longer holds are to go."""


class Filled(NamedTuple):
    """What a shard took; problems come with where they stand in the source, and no more of them than are shown."""

    added: int
    changed: int
    unchanged: int
    removed: int
    second: int
    second_samples: list[tuple[int, int, str, str]]
    displaced: int
    displaced_samples: list[tuple[int, str, str]]


def fill_shard(filling: Filling, number: int) -> Filled:
    """Write into a shard what a source has for it, all in one transaction, unless that was done before."""
    with _writing(filling.corpus / filling.shards[number]) as store, calm_collector(), ExitStack() as stack:
        if number == DOCUMENTS:
            store.elsewhere = _Elsewhere(filling, stack)
        done = store.result(filling.run, filling.task)
        if done is None:
            with store.transaction():
                done = json.dumps(_fill(store, filling, number))
                store.keep_result(filling.run, filling.task, done)
    return Filled(*json.loads(done))


class _Elsewhere:
    """Whether a page of another shard than that of documents has a title; what is asked for it is opened once."""

    def __init__(self, filling: Filling, stack: ExitStack) -> None:
        self._filling, self._stack = filling, stack
        self._opened: dict[int, Store] = {}

    def __call__(self, title: str) -> bool:
        number = shard_of_title(title, len(self._filling.shards))
        if number == DOCUMENTS:
            return False
        if number not in self._opened:
            shard = Store.open(self._filling.corpus / self._filling.shards[number])
            self._opened[number] = self._stack.enter_context(shard)
        return title in self._opened[number].numbers_by_title([title])


@contextmanager
def _writing(folder: Path) -> Iterator[Store]:
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            store = Store.create(folder)
            break
        except StoreBusy:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.5)
    with store:
        yield store


def _fill(store: Store, filling: Filling, number: int) -> Filled:
    source = store.source_id(filling.source, filling.reader)
    changes: Counter[str] = Counter()
    second = 0
    second_samples: list[tuple[int, int, str, str]] = []
    # Known records first: a page of theirs must not be taken for one of an earlier reading when another is written.
    for part, before in enumerate(filling.parts):
        for record, digest in read_section(_spool_path(filling.spools, part), 2 * number + _KNOWN):
            changes["unchanged"] += store.known(source, digest, before.records + record) or 0
    for part, before in enumerate(filling.parts):
        for kind, record, position, digest, *more in read_section(_spool_path(filling.spools, part), 2 * number + _NEW):
            record += before.records
            if kind == _REDIRECT:
                store.add_redirect(source, Redirect(*more), digest)
                continue
            where, place, packed = more
            order = filling.base + before.pages + place
            title, data, revision, links, original, categories = packed
            file = PackedOriginal(*original) if original else None
            page = PackedPage(title, data, revision, links, file, categories)
            change, instead_of = store.add(source, page, digest, record, page_number(order, number))
            changes[change] += 1
            if instead_of:
                second += 1
                if second <= SAMPLES_PER_KIND:
                    second_samples.append((record, position, title, _shift_lines(where, before.lines)))
    if filling.complete:
        removed = store.finish(source)
    else:
        removed = []
        store.settle_titles()
    displaced = [(page.number, page.title, page.displaced) for page in removed if page.displaced]
    return Filled(
        changes["added"],
        changes["changed"],
        changes["unchanged"],
        len(removed),
        second,
        second_samples,
        len(displaced),
        displaced[:SAMPLES_PER_KIND],
    )


_LINES = re.compile(r"^(.*:)(\d+)(?:-(\d+))?$", re.DOTALL)


def _shift_lines(where: str, lines: int) -> str:
    """Where a record stands in its file, when its part counts lines from its own beginning."""
    match = _LINES.match(where) if lines else None
    if match is None:
        return where
    name, first, last = match.groups()
    return f"{name}{int(first) + lines}" + (f"-{int(last) + lines}" if last else "")


# -- the whole ---------------------------------------------------------------------------------------------


class ShardedIngest:
    """Reads sources into a corpus of shards, by any engine; iterate to do the work."""

    def __init__(
        self,
        folder: Path | str,
        sources: Sequence[Path | str],
        *,
        shards: int | None = None,
        format: str | None = None,
        options: ReaderOptions = ReaderOptions(),  # noqa: B008
        workers: int = 1,
        max_lost: float = 0.1,
        names: Sequence[str] | None = None,
        keep_originals: bool = False,
        engine: Engine | None = None,
    ) -> None:
        self.report = IngestReport()
        self._folder = Path(folder).absolute()
        given = [locate(source) for source in sources]
        self._names = list(names or map(source_name, given))
        self._called = list(names or [source_name(each) if isinstance(each, str) else str(each) for each in given])
        # A worker may have been started in another folder.
        self._sources = [each if isinstance(each, str) else each.absolute() for each in given]
        self._shards = shards
        self._format = format
        self._options = options
        self._workers = workers
        self._max_lost = max_lost
        self._keep_originals = keep_originals
        self._engine = engine
        self._run = ""
        self._read = 0.0
        self._total = 0

    def __iter__(self) -> Iterator[IngestProgress]:
        started = time.monotonic()
        # Checked before anything is written: a misspelt path must not leave half a corpus behind.
        plans = [list(source_files(source, self._format, self._options)) for source in self._sources]
        self._total = sum(file_size(file.path) for plan in plans for file in plan if isinstance(file, SourceFile))
        failures: list[VeritabError] = []
        with self._writing() as manifest, self._open_engine() as engine:
            self._run = self._resume_or_begin(plans, manifest)
            for task, plan in enumerate(plans):
                try:
                    yield from self._ingest(task, plan, manifest, engine)
                except (FormatError, TooManyProblems) as failure:
                    failures.append(failure)  # the sources after this one are read all the same
            if not manifest.whole:
                write_manifest(self._folder, manifest._replace(whole=True))
            with ShardedStore(self._folder) as store:
                drop_copies(store)
                for problem in redirect_problems(store):
                    self._note(problem)
            self._forget_run()
        self.report.seconds = time.monotonic() - started
        if failures:
            raise failures[0]

    @property
    def _spool(self) -> Path:
        return self._folder / SPOOL

    @contextmanager
    def _writing(self) -> Iterator[ShardList]:
        """The shards, which nobody else writes to meanwhile."""
        make_corpus_folder(self._folder)
        if (self._folder / FILE).exists():
            raise InputError(
                f"{str(self._folder)!r} is a corpus of one file, which is not cut into shards; "
                "ingest into another folder, or without --shards"
            )
        with closing(lock_folder(self._folder)):
            if not (self._folder / MANIFEST).exists():
                make_shards(self._folder, self._shards or 1, whole=False)
            manifest = read_manifest(self._folder)
            if self._shards not in (None, len(manifest.shards)):
                raise InputError(
                    f"{str(self._folder)!r} has {len(manifest.shards):,} shards, not {self._shards:,}; "
                    "leave --shards out, or ingest into another folder"
                )
            ShardedStore(self._folder, unfinished=True).close()  # refuses shards that are missing or of another corpus
            yield manifest

    @contextmanager
    def _open_engine(self) -> Iterator[Engine]:
        with ExitStack() as stack:
            yield self._engine or stack.enter_context(
                open_processes(self._workers, waiting=Waiting(_sent_bytes, _WAITING_BYTES), start=tune_collector)
            )

    def _resume_or_begin(self, plans: list[list[SourceFile | Problem]], manifest: ShardList) -> str:
        """The name of this run: that of one that was stopped, if it was of the same command and the same files."""
        program = (version("veritab"), sys.version_info[:2])
        options = (self._max_lost, self._keep_originals)
        stamps = [_stamps(plan) for plan in plans]
        of_what = sha256(repr([program, options, self._names, stamps, manifest.shards]).encode()).hexdigest()
        note = self._spool / _RUN
        try:
            stopped = json.loads(note.read_bytes())
            if stopped["of"] == of_what:
                log.info("going on with the ingest that was stopped")
                return str(stopped["run"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # nothing to go on with: what is there is of no use
        run = secrets.token_hex(8)
        with storage_errors(self._folder):
            if self._spool.exists():
                self._forget_run()
            self._spool.mkdir()
            write_whole(note, json.dumps({"run": run, "of": of_what}).encode())
        return run

    def _forget_run(self) -> None:
        """Remove the spools; their note first, so that a removal that was stopped leaves nothing to go on with."""
        (self._spool / _RUN).unlink(missing_ok=True)
        shutil.rmtree(self._spool)

    def _ingest(
        self, task: int, plan: list[SourceFile | Problem], manifest: ShardList, engine: Engine
    ) -> Iterator[IngestProgress]:
        spools = self._spool / f"source-{task:04}"
        size = sum(file_size(file.path) for file in plan if isinstance(file, SourceFile))
        read, pages = self._read, self.report.pages
        parsed = _Parsed()
        stamps = _stamps(plan)
        for part in self._parse(spools, task, plan, manifest, engine):
            parsed.take(part)
            yield self._step(read + (1 - _FILLING) * parsed.bytes, pages + parsed.pages + parsed.known)
        self._refuse_changed(task, plan, stamps)
        failure = self._judge(task, parsed)
        filling = Filling(
            self._folder,
            tuple(shard.folder for shard in manifest.shards),
            spools,
            tuple(parsed.parts),
            self._run,
            task,
            self._names[task],
            repr(sorted({repr(file.reader) for file in plan if isinstance(file, SourceFile)})),
            self._settle_base(spools, len(parsed.parts)),
            failure is None,
        )
        filled: list[Filled] = []
        for order in self._fill_order(len(filling.shards), documents=parsed.documents):
            for shard in engine.map(partial(fill_shard, filling), order):
                filled.append(shard)
                share = 1 - _FILLING + _FILLING * len(filled) / len(filling.shards)
                yield self._step(read + share * size, pages + parsed.pages + parsed.known)
        self._read = read + size
        self._tell(parsed, filled)
        yield self._step(self._read, self.report.pages)
        if failure:
            raise failure

    def _parse(
        self, spools: Path, task: int, plan: list[SourceFile | Problem], manifest: ShardList, engine: Engine
    ) -> Iterator[Spooled]:
        """What the parts of a source hold; those whose spools are there are not parsed again."""
        known: Path | None = None
        copies = self._folder if self._keep_originals else None
        with storage_errors(self._folder):
            spools.mkdir(exist_ok=True)
        if settled := _settled(spools):
            parts: Iterable[SourcePart] = (SourcePart(number, (), 0) for number in range(settled[0]))
        else:
            parts = (
                part._replace(pieces=()) if _spool_path(spools, part.number).exists() else part
                for part in cut_into_parts(plan)
            )
            known = self._known(spools / "known.sqlite", self._names[task])
        yield from engine.map(partial(spool_part, Spooling(spools, len(manifest.shards), known, copies)), parts)

    def _fill_order(self, count: int, *, documents: bool) -> tuple[range, ...]:
        """Which shards are filled side by side: what documents are called depends on the pages of all others."""
        if not documents:
            with ShardedStore(self._folder, unfinished=True) as store:
                documents = store.has_documents()
        return (range(1, count), range(DOCUMENTS, 1)) if documents else (range(count),)

    def _known(self, file: Path, source: str) -> Path | None:
        """The database of what the shards have from a source, made where it is missing."""
        if not file.exists():
            with ShardedStore(self._folder, unfinished=True) as store, storage_errors(self._folder):
                return file if _write_known(file, store, source) else None
        return file

    def _settle_base(self, spools: Path, parts: int) -> int:
        """Where the first page of a source stands: above all that have or had a number when its filling began."""
        if settled := _settled(spools):
            return settled[1]
        base = 1
        with ShardedStore(self._folder, unfinished=True) as store:
            base += max(order_of_number(shard.highest_number()) for shard in store.shards)
        with storage_errors(self._folder):
            write_whole(spools / _SETTLED, json.dumps([parts, base]).encode())
        return base

    def _refuse_changed(self, task: int, plan: list[SourceFile | Problem], stamps: list[object]) -> None:
        """Refuse a source that was changed after its first part was read: its parts would be of two states."""
        try:
            changed = _stamps(plan) != stamps
        except FileNotFoundError:
            changed = True
        if changed:
            raise InputError(
                f"{self._called[task]!r} was changed while it was read; nothing of it was written; "
                "run the same command again when nobody writes to it"
            )

    def _judge(self, task: int, parsed: _Parsed) -> VeritabError | None:
        """Why a source counts as not read to its end, if it does."""
        try:
            refuse_truncated(parsed.truncated)
            problems = chain(self.report.problems, (problem for *_, problem in parsed.samples))
            refuse_too_many(self._called[task], parsed.records, parsed.lost, problems, self._max_lost)
        except (FormatError, TooManyProblems) as failure:
            return failure
        return None

    def _tell(self, parsed: _Parsed, filled: list[Filled]) -> None:
        """Put what parts and shards gave together, as one process would have told it."""
        report = self.report
        report.records += parsed.records
        report.redirects += parsed.redirects
        for shard in filled:
            report.added += shard.added
            report.changed += shard.changed
            report.unchanged += shard.unchanged
            report.removed += shard.removed
        second = [
            (record, position, Problem(page, where, SECOND))
            for shard in filled
            for record, position, page, where in shard.second_samples
        ]
        counts = parsed.counts + Counter({SECOND: sum(shard.second for shard in filled)})
        samples = sorted(parsed.samples + second, key=lambda sample: sample[:2])
        report.note_all(counts, [problem for *_, problem in samples], parsed.lost)
        displaced = nsmallest(SAMPLES_PER_KIND, chain.from_iterable(shard.displaced_samples for shard in filled))
        report.note_all(
            Counter({DISPLACED: sum(shard.displaced for shard in filled)}),
            [Problem(page, source, DISPLACED) for _, page, source in displaced],
        )

    def _note(self, problem: Problem) -> None:
        self.report.note(problem)
        log.debug("%s: %s (%s)", problem.where, problem.what, problem.page)

    def _step(self, read: float, pages: int) -> IngestProgress:
        problems = sum(self.report.problem_counts.values())
        return IngestProgress(min(int(read), self._total), self._total, pages, problems)


class _Parsed:
    """What the parts of a source held, gathered in their order."""

    def __init__(self) -> None:
        self.parts: list[Before] = []
        self.records = self.pages = self.known = self.redirects = self.lost = self.bytes = 0
        self.documents = False
        self.counts: Counter[str] = Counter()
        self.samples: list[tuple[int, int, Problem]] = []
        self.truncated: list[Problem] = []
        self._sampled: Counter[str] = Counter()
        self._lines = 0

    def take(self, part: Spooled) -> None:
        """Take what the next part held."""
        before = Before(self.records, self.pages, 0 if part.begins_file else self._lines)
        self._lines = before.lines + part.lines
        self.parts.append(before if part.lines else before._replace(lines=0))
        for record, position, cut_off, page, where, what, lost in part.problems:
            kind = Truncated if cut_off else Problem
            problem = kind(page, _shift_lines(where, self.parts[-1].lines), what, lost=lost)
            if cut_off:
                self.truncated.append(problem)
            self._sampled[what] += 1
            if self._sampled[what] <= SAMPLES_PER_KIND:
                self.samples.append((before.records + record, position, problem))
        self.counts.update(dict(part.counts))
        self.records += part.records
        self.pages += part.pages
        self.known += part.known
        self.redirects += part.redirects
        self.lost += part.lost
        self.documents |= part.documents
        self.bytes += part.bytes


def _settled(spools: Path) -> tuple[int, int] | None:
    """How many parts a source has and where its first page stands, once all parts are parsed."""
    try:
        parts, base = json.loads((spools / _SETTLED).read_bytes())
    except FileNotFoundError:
        return None
    return parts, base


def _sent_bytes(item: object) -> int:
    """How much of a source travels to a worker."""
    pieces = item.pieces if isinstance(item, SourcePart) else ()
    return sum(
        len(raw.data)
        for piece in pieces
        if isinstance(piece, PartPiece)
        for raw in piece.records or ()
        if isinstance(raw, RawRecord)
    )


def _stamps(plan: Iterable[SourceFile | Problem]) -> list[object]:
    """What tells whether the files of a source are still those that were read before."""
    stamps: list[object] = []
    for file in plan:
        if isinstance(file, Problem):
            stamps.append(str(file))
        elif isinstance(file.path, RemoteFile):
            stamps.append((str(file), file.path.size))
        else:
            about = file.path.stat()
            stamps.append((str(file), about.st_size, about.st_mtime_ns))
    return stamps
