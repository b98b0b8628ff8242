"""Parts of a source: stretches of large files or many small ones, which any worker parses into a spool each.

Which parts a source has depends on the source alone, so that pages are the same whatever the number of workers.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from heapq import merge
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple, cast

from veritab.cancel import stop_if_cancelled
from veritab.corpus.collector import calm_collector
from veritab.corpus.database import open_for_reading
from veritab.corpus.ingest import SAMPLES_PER_KIND, parse_record, reading_salt, record_digest
from veritab.corpus.originals import keep_copy
from veritab.corpus.remote import RemoteFile, SourcePath, file_size
from veritab.corpus.shards import DOCUMENTS, ShardedStore, shard_of_title
from veritab.corpus.sources import DividingReader, SourceFile, add_title
from veritab.corpus.spools import SpoolWriter, new_spool, read_summary
from veritab.corpus.store import PackedPage, Store
from veritab.corpus.streams import WHOLE, ByteRange, RawRecord, Truncated, count_lines
from veritab.errors import DamagedStore
from veritab.files import partial_path
from veritab.schema import Problem, Redirect

SETTLED = "settled.json"
"""Beside the spools of a source once all are there: how many, and where its first page stands."""
KNOWN, NEW = 0, 1
"""The two sections of a spool for each shard: records that it has already, and what is new for it."""
PAGE, REDIRECT = 0, 1
"""What an entry for a shard is."""
# Parts of a file that is read by ranges, and files read together.
_PART_BYTES = 16 * 2**20
_PART_FILES = 5_000
# Parts of a file that only one can read: they travel to whoever parses them.
_SENT_BYTES = 8 * 2**20
WAITING_BYTES = 8 * _SENT_BYTES
"""How much of such files may be under way to workers at once."""
# What is wrong with a file as a whole comes after the record before it.
_AFTER = 2**40


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


def sent_bytes(item: object) -> int:
    """How much of a source travels to a worker."""
    pieces = item.pieces if isinstance(item, SourcePart) else ()
    return sum(
        len(raw.data)
        for piece in pieces
        if isinstance(piece, PartPiece)
        for raw in piece.records or ()
        if isinstance(raw, RawRecord)
    )


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


def spool_part(spooling: Spooling, part: SourcePart) -> Spooled:
    """Parse a part, unless that was done before; what it holds is put down for each shard."""
    path = spool_path(spooling.folder, part.number)
    if not path.exists():
        if read_settled(spooling.folder):
            raise DamagedStore(f"the spool {str(path)!r} is gone; remove its folder, then run the same command again")
        with calm_collector():
            _spool(spooling, part, path)
    return Spooled(*read_summary(path))


def read_settled(spools: Path) -> tuple[int, int] | None:
    """How many parts a source has and where its first page stands, once all parts are parsed."""
    try:
        parts, base = json.loads((spools / SETTLED).read_bytes())
    except FileNotFoundError:
        return None
    return parts, base


def spool_path(folder: Path, number: int) -> Path:
    """Where what a part held is put down."""
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
            stop_if_cancelled()
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
                    self._spool.add(2 * shard + KNOWN, (self._records, digest), 64)
                continue
            for position, read in enumerate(parse_record(piece.file.reader, raw)):
                if isinstance(read, PackedPage):
                    shard = DOCUMENTS if read.original else shard_of_title(read.title, self._shards)
                    self._documents |= read.original is not None
                    packed = (*read[:4], read.original and tuple(read.original), read.categories)
                    entry = (PAGE, self._records, position, digest, raw.where, self._pages, packed)
                    self._put(shard, entry, len(read.data) + 256)
                    self._pages += 1
                elif isinstance(read, Redirect):
                    shard = shard_of_title(read.title, self._shards)
                    self._put(shard, (REDIRECT, self._records, position, digest, read.title, read.target), 256)
                    self._redirects += 1
                else:
                    self.note(position, read)

    def _put(self, shard: int, entry: tuple[Any, ...], size: int) -> None:
        self._spool.add(2 * shard + NEW, entry, size)

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


def write_known(file: Path, store: ShardedStore, source: str) -> bool:
    """Write which records of a source the shards have; whether there are any."""
    # Closed before the shards are, also where there is no room to write it.
    with closing(merge(*(_known_to(shard, number, source) for number, shard in enumerate(store.shards)))) as rows:
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
