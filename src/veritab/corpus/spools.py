"""Spools: what a part of a source became, put down by whoever parsed it and taken up shard by shard."""

from __future__ import annotations

import errno
import marshal
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from veritab.errors import DamagedStore, DiskFull, StoreError, VeritabError
from veritab.files import partial_path

# Written by this program for itself, of the same version: plain values only, which cannot run anything when read.
_MAGIC = b"VTSPOOL1"
# So much is held before it is written: a spool of any size takes this much memory.
_HELD_BYTES = 8 * 2**20


class SpoolWriter:
    """Takes entries for sections in any order; each section is read by itself later."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._held: defaultdict[int, list[tuple[Any, ...]]] = defaultdict(list)
        self._size = 0
        self._places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)

    def add(self, section: int, entry: tuple[Any, ...], size: int) -> None:
        """Put an entry into a section."""
        self._held[section].append(entry)
        self._size += size
        if self._size >= _HELD_BYTES:
            self._flush()

    def finish(self, summary: tuple[Any, ...]) -> None:
        """Write what is held, where the sections are, and what there is to say of the whole."""
        self._flush()
        footer = marshal.dumps((dict(self._places), summary))
        self._file.write(footer + len(footer).to_bytes(8, "big") + _MAGIC)

    def _flush(self) -> None:
        for section, entries in self._held.items():
            data = marshal.dumps(entries)
            self._places[section].append((self._file.tell(), len(data)))
            self._file.write(data)
        self._held.clear()
        self._size = 0


@contextmanager
def new_spool(path: Path) -> Iterator[SpoolWriter]:
    """A spool to write, there whole at the end or not at all."""
    with storage_errors(path.parent), partial_path(path) as partial, partial.open("xb") as file:
        yield SpoolWriter(file)


def read_summary(path: Path) -> Any:
    """What a spool says of its whole."""
    with storage_errors(path.parent), path.open("rb") as file:
        return _footer(path, file)[1]


def read_section(path: Path, section: int) -> Iterator[Any]:
    """The entries of a section, in the order in which they were put there."""
    with storage_errors(path.parent), path.open("rb") as file:
        for place, length in _footer(path, file)[0].get(section, ()):
            file.seek(place)
            yield from marshal.loads(file.read(length))


def _footer(path: Path, file: BinaryIO) -> Any:
    end = len(_MAGIC) + 8
    if path.stat().st_size >= end:
        file.seek(-end, 2)
        length, magic = int.from_bytes(file.read(8), "big"), file.read(len(_MAGIC))
        if magic == _MAGIC and length <= path.stat().st_size - end:
            file.seek(-end - length, 2)
            return marshal.loads(file.read(length))
    raise DamagedStore(f"the spool {str(path)!r} is damaged; remove its folder, then run the same command again")


@contextmanager
def storage_errors(folder: Path) -> Iterator[None]:
    """What the storage refuses, as errors of ours that say what to do."""
    try:
        yield
    except VeritabError:
        raise  # also of a server, whose errors are the system's too
    except sqlite3.DatabaseError as error:
        if "full" in str(error):
            raise _no_room(folder) from None
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _no_room(folder) from None
        if isinstance(error, FileNotFoundError):
            raise StoreError(
                f"{error.filename!r} is not there; the folder of a corpus must be on storage that all workers see, "
                "under one path"
            ) from None
        raise StoreError(f"cannot use {str(folder)!r}: {error.strerror}; check its permissions") from None


def _no_room(folder: Path) -> DiskFull:
    return DiskFull(f"no room left for {str(folder)!r}; free some, then run the same command to go on")
