"""Which row belongs to which key, and which files count: the SQLite file of a folder of vectors.

Its transactions are what makes a change of the folder happen; the files beside it follow.
"""

from __future__ import annotations

import errno
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from veritab.corpus.database import open_file, open_for_reading, take_lock
from veritab.errors import DamagedStore, DiskFull, NewerStore, StaleIndex, StoreBusy, StoreError
from veritab.retrieve.dense.rows import row_bytes

FILE = "vectors.sqlite"
FORMAT = 1
_LOCK = "writer.lock"
_APPLICATION = 0x56455256  # "VERV"
_SCHEMA = """
CREATE TABLE manifest (name TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;
CREATE TABLE entries (row INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, digest BLOB NOT NULL);
CREATE TABLE dead (row INTEGER PRIMARY KEY);
"""
_DAMAGE = ("malformed", "not a database", "no such table", "disk I/O")


@dataclass(frozen=True)
class Manifest:
    """What the folder holds: whose vectors, how many, in which files, and the state of the corpus they came from."""

    encoder: str
    dimension: int
    rows: int = 0
    count: int = 0
    generation: int = 0
    commits: int = 0
    graph: str = ""
    graph_rows: int = 0
    graph_bytes: int = 0
    source: str = ""

    @property
    def vectors(self) -> str:
        return f"vectors-{self.generation}.i8"

    @property
    def files(self) -> dict[str, int]:
        """The files that count and how long they are at least."""
        files = {self.vectors: self.rows * row_bytes(self.dimension)}
        return files | {self.graph: self.graph_bytes} if self.graph else files


class StoredVector(NamedTuple):
    """Where a key's vector is, and the digest of what it was made from."""

    row: int
    digest: bytes


class KeyTable:
    """Keys, rows and the manifest of a folder; `command` is what its errors say builds it anew."""

    def __init__(self, folder: Path, *, writable: bool, command: str) -> None:
        self.folder = folder
        self._command = command
        self._file = folder / FILE
        self._writable = writable
        self._guard = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._lock: sqlite3.Connection | None = None

    @property
    def _db(self) -> sqlite3.Connection:
        if self._database is None:
            self._database = open_file(self._file, "mode=rwc") if self._writable else open_for_reading(self._file)
        return self._database

    # -- beginning and end --

    def take_lock(self) -> None:
        """Become the only writer."""
        with self.alone():
            self._lock = take_lock(self.folder / _LOCK)
        if self._lock is None:
            raise StoreBusy(f"another process is writing to {str(self.folder)!r}; wait for it, then run again")

    def close(self) -> None:
        with self._guard:
            self._disconnect()
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    def _disconnect(self) -> None:
        if self._database is None:
            return
        if self._writable:
            # Leave one whole file behind, fit to be copied or mounted read-only.
            with suppress(sqlite3.DatabaseError):
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._database.close()
        self._database = None

    def discard(self) -> None:
        """Begin anew; only the lock stays."""
        with self.alone():
            self._disconnect()
            for name in (FILE, f"{FILE}-wal", f"{FILE}-shm"):
                (self.folder / name).unlink(missing_ok=True)

    def is_blank(self) -> bool:
        """Whether there is no file, or that of an index whose making was stopped before anything was in it."""
        if not self._file.is_file() or not self._file.stat().st_size:
            return True
        with self.alone():
            return not self._pragma("application_id") and not self._one("SELECT count(*) FROM sqlite_master")

    def make(self, manifest: Manifest) -> None:
        """Make the file."""
        with self.alone():
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("BEGIN IMMEDIATE")
            for statement in _SCHEMA.split(";"):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA application_id = {_APPLICATION}")
            self._db.execute(f"PRAGMA user_version = {FORMAT}")
            self.commit(manifest)

    def check(self, encoder: str, dimension: int | None = None) -> Manifest:
        """The manifest, if it is one of this version, of this encoder and this many numbers."""
        with self.alone():
            application, version = self._pragma("application_id"), self._pragma("user_version")
        if application != _APPLICATION:
            raise self.damaged("is not one: its file is of another kind")
        if version > FORMAT:
            raise NewerStore(
                f"{str(self.folder)!r} was written by a newer Veritab (format {version}, this one reads {FORMAT}); "
                "upgrade with: pip install -U veritab"
            )
        if version < FORMAT:
            raise self._stale(f"has the format {version} of an older Veritab, this one reads {FORMAT}")
        manifest = self.manifest()
        if manifest.encoder != encoder:
            raise self._stale(f"was made by another encoder ({manifest.encoder}, not {encoder})")
        if dimension not in (None, manifest.dimension):
            raise self._stale(f"has vectors of {manifest.dimension} numbers, not {dimension}")
        return manifest

    # -- reading --

    def manifest(self) -> Manifest:
        """What was committed last."""
        with self.alone():
            found = dict(self._db.execute("SELECT name, value FROM manifest").fetchall())
        try:
            return Manifest(**found)
        except TypeError:
            raise self.damaged("has an incomplete manifest") from None

    def stored(self, keys: Iterable[str]) -> dict[str, StoredVector]:
        """Where the vectors of these keys are; keys without one are left out."""
        query = "SELECT key, row, digest FROM entries WHERE key IN ({})"
        with self.alone():
            return {key: StoredVector(row, digest) for key, row, digest in self._select(query, list(keys))}

    def keys(self, rows: Iterable[int]) -> dict[int, str]:
        """The keys of these rows."""
        with self.alone():
            return dict(self._select("SELECT row, key FROM entries WHERE row IN ({})", sorted(rows)))

    def rows(self, *, below: int = 2**62) -> Iterator[tuple[str, int]]:
        """Every key and its row in the order of rows, before that row."""
        query = "SELECT key, row FROM entries WHERE row > ? AND row < ? ORDER BY row LIMIT 1000"
        last = -1
        while True:
            with self.alone():
                found = self._db.execute(query, (last, below)).fetchall()
            yield from found
            if not found:
                return
            last = found[-1][1]

    def living(self) -> list[int]:
        """The rows with a key, in order."""
        with self.alone():
            return [row for (row,) in self._db.execute("SELECT row FROM entries ORDER BY row")]

    def dead(self) -> list[int]:
        """The rows whose key is gone or has another row."""
        with self.alone():
            return [row for (row,) in self._db.execute("SELECT row FROM dead")]

    def _one(self, query: str) -> int:
        value: int = self._db.execute(query).fetchone()[0]
        return value

    def _pragma(self, name: str) -> int:
        return self._one(f"PRAGMA {name}")

    def _select(self, query: str, values: list[Any]) -> Iterator[tuple[Any, ...]]:
        for start in range(0, len(values), 500):
            some = values[start : start + 500]
            yield from self._db.execute(query.format(",".join("?" * len(some))), some)

    # -- writing --

    @property
    def in_transaction(self) -> bool:
        return self._db.in_transaction

    def begin(self) -> None:
        """Begin a transaction, or go on with the one that is under way."""
        if not self._db.in_transaction:
            # A lost commit would name files that are gone by then.
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("BEGIN IMMEDIATE")

    def roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def commit(self, manifest: Manifest) -> None:
        """End the transaction; what the manifest says is so from now on."""
        self._db.executemany("INSERT OR REPLACE INTO manifest VALUES (?, ?)", list(vars(manifest).items()))
        self._db.execute("COMMIT")

    def count(self) -> int:
        """How many keys there are."""
        return self._one("SELECT count(*) FROM entries")

    def put(self, key: str, row: int, digest: bytes) -> None:
        """Give a key a row, in place of the one it has."""
        self.remove(key)
        self._db.execute("INSERT INTO entries VALUES (?, ?, ?)", (row, key, digest))

    def remove(self, key: str) -> bool:
        """Take a key out; its row is dead from now on."""
        found = self._db.execute("DELETE FROM entries WHERE key = ? RETURNING row", (key,)).fetchall()
        self._db.executemany("INSERT INTO dead VALUES (?)", found)
        return bool(found)

    def renumber(self) -> None:
        """Give the living rows the numbers they have once the dead are gone."""
        number = "row_number() OVER (ORDER BY row) - 1"
        self._db.execute(f"CREATE TEMP TABLE renumbered AS SELECT {number}, key, digest FROM entries")
        self._db.execute("DELETE FROM entries")
        self._db.execute("INSERT INTO entries SELECT * FROM renumbered")
        self._db.execute("DROP TABLE renumbered")
        self._db.execute("DELETE FROM dead")

    # -- what goes wrong --

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep other threads out; the errors of SQLite and of files become ours, each saying what to do."""
        try:
            with self._guard:
                yield
        except sqlite3.DatabaseError as error:
            raise self._translation(str(error)) from None
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise self._translation("full") from None
            raise self._unusable(f"{error.strerror}: {error.filename}") from None

    def _translation(self, reason: str) -> StoreError:
        folder = str(self.folder)
        if "full" in reason:
            return DiskFull(f"no room left for {folder!r}; free some, then run the same command to go on")
        if "locked" in reason or "busy" in reason:
            return StoreBusy(f"another process is writing to {folder!r}; wait for it, then run again")
        if any(words in reason for words in _DAMAGE):
            return self.damaged(f"is damaged ({reason})")
        return self._unusable(reason)

    def _unusable(self, reason: str) -> StoreError:
        return StoreError(
            f"cannot use the vector index in {str(self.folder)!r}: {reason}; check the folder and its permissions"
        )

    def _stale(self, what: str) -> StaleIndex:
        return StaleIndex(f"the vector index in {str(self.folder)!r} {what}; build it anew with: {self._command}")

    def damaged(self, what: str) -> DamagedStore:
        """The error to raise of an index whose files do not fit together."""
        return DamagedStore(f"the vector index in {str(self.folder)!r} {what}; build it anew with: {self._command}")
