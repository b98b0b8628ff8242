"""SQLite files as Veritab opens them: by many threads at once, and also where nothing can be written."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote
from weakref import WeakSet

from veritab.corpus.remote import SourcePath


def is_sqlite(path: SourcePath) -> bool:
    """Whether a file is an SQLite database, by its first bytes."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\x00"


class _Connection:
    """A database connection that closes with whoever holds it."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self.database = database

    def close(self) -> None:
        self.database.close()

    def __del__(self) -> None:
        self.database.close()


class Connections:
    """A connection for each thread that asks; it goes with its thread, or with all others."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._local = threading.local()
        self._open: WeakSet[_Connection] = WeakSet()

    def __len__(self) -> int:
        return len(self._open)

    def own(self) -> sqlite3.Connection:
        """This thread's connection."""
        own: _Connection | None = getattr(self._local, "own", None)
        if own is None:
            own = self._local.own = _Connection(self._connect())
            self._open.add(own)
        return own.database

    def close(self) -> None:
        for connection in list(self._open):
            connection.close()
        self._local = threading.local()


def open_file(file: Path, mode: str) -> sqlite3.Connection:
    """A connection without hidden transactions; `mode` is written as in an SQLite address."""
    address = f"file:{quote(str(file.resolve()))}?{mode}"
    return sqlite3.connect(address, uri=True, timeout=10, check_same_thread=False, isolation_level=None)


def open_for_reading(file: Path) -> sqlite3.Connection:
    """A connection that cannot write."""
    connection = open_file(file, "mode=ro")
    try:
        connection.execute("SELECT 1 FROM sqlite_master")
    except sqlite3.OperationalError:
        # A read-only medium has no room for SQLite's shared-memory file; there is no writer either.
        connection.close()
        connection = open_file(file, "mode=ro&immutable=1")
    except BaseException:
        connection.close()
        raise
    return connection


def describe_damage(file: Path) -> str:
    """Tell a truncated or foreign file apart before SQLite meets it in the middle of some query; empty when sound."""
    with file.open("rb") as stream:
        header = stream.read(100)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\x00"):
        return "cut short or overwritten"
    page_size = int.from_bytes(header[16:18], "big")
    expected = int.from_bytes(header[28:32], "big") * (65536 if page_size == 1 else page_size)
    # While a write-ahead log holds the newest pages, the file itself may rightly be shorter than it says.
    log = file.with_name(f"{file.name}-wal")
    size = file.stat().st_size
    if size < expected and not (log.exists() and log.stat().st_size):
        return f"cut short, {size:,} of {expected:,} bytes"
    return ""


def take_lock(file: Path) -> sqlite3.Connection | None:
    """Become the only writer, until the connection is closed; None while another process is.

    The lock is held in a database of its own, so that a killed writer leaves nothing to clean up.
    """
    lock = sqlite3.connect(file, timeout=0.2, isolation_level=None, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except BaseException as error:
        lock.close()
        if isinstance(error, sqlite3.OperationalError) and "locked" in str(error):
            return None
        raise
    return lock
