"""What can be wrong with an index on disk, as errors that name the command that repairs it."""

from __future__ import annotations

import json
import logging
import sqlite3
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from veritab.corpus.store import quote_path
from veritab.errors import DamagedStore, DiskFull, StoreBusy, StoreError, VeritabError
from veritab.files import why_unwritable

log = logging.getLogger(__name__)

# What SQLite, tantivy and the system say when the disk is full, another process writes, or nothing may be written.
_FULL = ("No space left", "StorageFull", "disk is full", "quota exceeded")
_BUSY = ("LockBusy", "database is locked")
_REFUSED = ("ermission denied", "PermissionDenied", "ead-only", "ReadOnlyFilesystem", "readonly", "unable to open")


def damaged_index(folder: Path, what: str) -> DamagedStore:
    """The error for an index that cannot be used as it is; `folder` is the index's own, inside its corpus."""
    command = f"veritab index --rebuild {quote_path(folder.parent)}"
    return DamagedStore(f"the index in {str(folder)!r} is damaged: {what}; build it anew with: {command}")


@contextmanager
def translate_errors(folder: Path) -> Iterator[None]:
    """Errors of SQLite, tantivy and the system as ours, each saying what to do."""
    try:
        yield
    except VeritabError:
        raise
    except (sqlite3.DatabaseError, OSError, ValueError, RuntimeError, LookupError, zlib.error) as error:
        raise _ours(folder, error) from None
    except BaseException as error:
        # A panic in tantivy is not an Exception, so that it is not caught by accident; its class cannot be imported.
        if type(error).__name__ == "PanicException":
            raise _ours(folder, error) from None
        raise


def _ours(folder: Path, error: BaseException) -> StoreError:
    reason = " ".join(str(error).split())[:300]
    if any(words in reason for words in _FULL):
        return DiskFull(f"no room left for the index in {str(folder)!r}; free some, then run the same command")
    if any(words in reason for words in _BUSY):
        return StoreBusy(f"another process is writing to the index in {str(folder)!r}; wait for it, then run again")
    if any(words in reason for words in _REFUSED):
        why = why_unwritable(folder) if folder.is_dir() else ""
        return StoreError(f"cannot open the index in {str(folder)!r}: {why or 'check the permissions of its files'}")
    log.debug("the index in %s: %s", folder, reason)
    return damaged_index(folder, "a file does not hold what was written")


def has_wrong_checksum(file: Path) -> bool:
    """Whether a file of a sub-index holds other bytes than were written; reads all of it.

    tantivy ends each with a checksum in JSON, the length of that, and a fixed number.
    """
    content = file.read_bytes()
    try:
        (length,) = struct.unpack("<I", content[-8:-4])
        footer = json.loads(content[-8 - length : -8])
        return zlib.crc32(content[: -8 - length]) != int(footer["crc"])
    except (ValueError, LookupError, TypeError, struct.error):
        return True
