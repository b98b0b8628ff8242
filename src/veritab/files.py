"""Files that appear whole or not at all: what is written takes the place of the old file when all of it is there."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from veritab.errors import InputError

_LONGEST_NAME = 100


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of another when all is written, and not before; a device is written to."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as device:
            yield device
        return
    new = target.with_name(f".{target.name[:_LONGEST_NAME]}.{secrets.token_hex(4)}.partial")
    with _opened(new, path) as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            if target.exists():
                new.chmod(target.stat().st_mode & 0o777)
            new.replace(target)
        except BaseException:
            new.unlink(missing_ok=True)
            raise


def _opened(new: Path, path: Path) -> BinaryIO:
    refuse_missing_folder(path)
    try:
        return new.open("xb")
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}; name another file") from None


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    with replacing(path) as file:
        file.write(data)


def refuse_missing_folder(path: Path | None) -> None:
    """A file that cannot be written is told before the work."""
    if path is None:
        return
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; name a file to write to")
    if not path.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r} to write {path.name!r} into; make it first")
