"""Files and folders that appear whole or not at all: written aside, then renamed."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from veritab.errors import InputError

_LONGEST_NAME = 100


@contextmanager
def partial_path(path: Path) -> Iterator[Path]:
    """A path to write to; what is there at the end replaces the file at `path`, unless an error is raised."""
    target = path.resolve()
    partial = target.with_name(f".{target.name[:_LONGEST_NAME]}.{secrets.token_hex(4)}.partial")
    try:
        yield partial
        with partial.open("r+b") as file:
            os.fsync(file.fileno())
        if target.exists():
            partial.chmod(target.stat().st_mode & 0o777)
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that replaces another once all is written, and not before; a device is written to directly."""
    if path.exists() and not path.resolve().is_file():
        with path.open("wb") as device:
            yield device
        return
    refuse_missing_folder(path)
    with partial_path(path) as partial:
        try:
            file = partial.open("xb")
        except OSError as error:
            raise InputError(f"cannot write {str(path)!r}: {error.strerror}; name another file") from None
        with file:
            yield file


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    with replacing(path) as file:
        file.write(data)


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to make and fill, which then appears under its name; one that another process put there first stays."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name[:_LONGEST_NAME]}.", suffix=".partial") as aside:
        partial = Path(aside) / folder.name
        yield partial
        try:
            partial.rename(folder)
        except OSError:
            if not folder.is_dir():
                raise


def make_private_folder(folder: Path) -> Path:
    """A folder for its owner alone, made where it is missing; one that is there keeps the rights it was given.

    One that belongs to somebody else is refused: under a name that can be guessed, it may have been put there.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise PermissionError(errno.EPERM, "belongs to another user", str(folder))
    return folder


def make_folder_like(folder: Path, file: Path) -> None:
    """Make a folder, where it is missing, for those who may read a file."""
    readers = file.stat().st_mode & 0o444
    folder.mkdir(mode=0o700 | readers | readers >> 2, exist_ok=True)


def why_unwritable(folder: Path) -> str:
    """Why nothing can be written into a folder, with what to do; empty where something can."""
    if os.access(folder, os.W_OK | os.X_OK):
        return ""
    # Windows has no such call, nor disks that are mounted to be read only.
    if hasattr(os, "statvfs") and os.statvfs(folder).f_flag & os.ST_RDONLY:
        return "its disk is read-only; copy it to one that can be written"
    return "this user may not write there; change its permissions, or copy it"


def refuse_missing_folder(path: Path | None) -> None:
    """Refuse a path that cannot be written to, before the work begins."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file to write to")
    if not path.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into; make it first")
