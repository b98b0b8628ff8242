"""Bytes from disk in bounded memory: compressed or not, line by line, never more of one record than is sane."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, cast

from veritab.corpus.remote import RemoteFile, SourcePath, file_size
from veritab.errors import FormatError, InputError, NotFound
from veritab.schema import Problem

LARGEST_RECORD = 16 * 2**20
"""Bytes. The longest page of the English Wikipedia is far below this; a longer record is damage, not a page."""

_MAGIC: dict[bytes, Callable[[BinaryIO], BinaryIO]] = {
    b"\x1f\x8b": lambda file: cast(BinaryIO, gzip.GzipFile(fileobj=file)),
    b"BZh": lambda file: cast(BinaryIO, bz2.BZ2File(file)),
    b"\xfd7zXZ\x00": lambda file: cast(BinaryIO, lzma.LZMAFile(file)),  # noqa: SIM115  closed by the caller
}
BROKEN_STREAM = (EOFError, OSError, zlib.error, lzma.LZMAError)
"""What the decompressors raise when a file is cut or damaged."""


class RawRecord(NamedTuple):
    """One record cut out of a source, not yet understood; `where` is how a problem will name it."""

    where: str
    data: bytes
    title: str = ""
    revision: str = ""
    position: int = 0
    """How much of the source's file has been read up to here, in bytes on disk; 0 when unknown."""
    file: str = ""
    """The name of the file inside its source, when the record is the whole file: a document."""


class ByteRange(NamedTuple):
    """A stretch of a file in bytes: its records are those that begin in it. Without an end it goes to that of the file.

    Spans that follow on each other hold every record once, wherever they are cut.
    """

    start: int = 0
    end: int | None = None


WHOLE = ByteRange()


class Stream(io.BufferedReader):
    """A file being read, decompressed on the way; `position` counts bytes on disk, for progress reports."""

    def __init__(self, file: BinaryIO, unpacked: io.RawIOBase | BinaryIO) -> None:
        # What lies in the buffer when a compressed file turns out to be cut is lost, so it is kept small.
        super().__init__(unpacked, 2**16)  # type: ignore[arg-type]
        self._disk = file

    @property
    def position(self) -> int:
        return self._disk.tell()

    def close(self) -> None:
        super().close()
        self._disk.close()


@dataclass(frozen=True, slots=True)
class Truncated(Problem):
    """The rest of a file could not be read: what it would have held is unknown, so nothing counts as removed."""


def truncation(where: str, error: BaseException) -> Truncated:
    """The problem of a file that ends, or turns to nonsense, in the middle."""
    return Truncated("", where, f"the file is cut or damaged: {describe_error(error)}", lost=True)


def printable_path(path: SourcePath | str) -> str:
    """A path as text that can be written anywhere: bytes that are not UTF-8 become U+FFFD."""
    if isinstance(path, RemoteFile):
        return str(path)
    return os.fsencode(path).decode("utf-8", "replace")


def open_stream(path: SourcePath) -> Stream:
    """Open a file for reading, decompressing by what it holds rather than by its name."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise InputError(f"{printable_path(path)!r} is a pipe or a device; a file is needed, save it first")
    try:
        file = path.open("rb", buffering=0)
    except FileNotFoundError:
        raise NotFound(f"no file {str(path)!r}; give a path that exists") from None
    except IsADirectoryError:
        raise FormatError(f"{str(path)!r} is a folder; a file is needed here") from None
    except PermissionError:
        raise InputError(f"cannot read {str(path)!r}: permission denied") from None
    head = file.read(6)
    file.seek(0)
    for magic, unpack in _MAGIC.items():
        if head.startswith(magic):
            return Stream(file, unpack(file))
    if path.suffix in (".gz", ".bz2", ".xz") and head:
        file.close()
        raise FormatError(f"{str(path)!r} is not compressed as its name says; rename it or fetch it again")
    return Stream(file, file)


def reads_by_range(path: SourcePath) -> bool:
    """Whether a file can be read from the middle: not where it is decompressed, or fetched as a whole."""
    if isinstance(path, RemoteFile) and (not path.by_range or path.size is None):
        return False
    with path.open("rb") as file:
        return not file.read(6).startswith(tuple(_MAGIC))


def divides_by_lines(path: SourcePath) -> str:
    """What a file of lines can be cut between, as readers tell: "lines", or nothing."""
    return "lines" if reads_by_range(path) else ""


@contextmanager
def open_lines(path: SourcePath, span: ByteRange = WHOLE) -> Iterator[Stream]:
    """Open a file at the first line that begins in a span."""
    with open_stream(path) as stream:
        if span.start:
            stream.seek(span.start - 1)
            _skip_line(stream)
        yield stream


def count_lines(path: SourcePath, span: ByteRange) -> int:
    """How many lines begin in a span."""
    # One begins where the file does, and after each end of a line.
    start = max(span.start - 1, 0)
    left = (file_size(path) if span.end is None else span.end) - 1 - start
    count = 0 if span.start else 1
    with open_stream(path) as stream:
        stream.seek(start)
        while left > 0 and (block := stream.read(min(left, 2**20))):
            count += block.count(b"\n")
            left -= len(block)
    return count


def bounded_lines(
    stream: BinaryIO | Stream, name: str, limit: int = LARGEST_RECORD, end: int | None = None, first: int = 1
) -> Iterator[RawRecord | Problem]:
    """The lines of a stream without their ends; a line over the limit is skipped and reported.

    With an end come only lines that begin before that byte of the file; `first` is the number of the first.
    """
    number = first - 1
    while end is None or stream.tell() < end:
        number += 1
        where = f"{name}:{number}"
        too_long = False
        try:
            line = stream.readline(limit + 1)
            if len(line) > limit and not line.endswith(b"\n"):
                too_long = True
                _skip_line(stream)
        except BROKEN_STREAM as error:
            yield truncation(where, error)
            return
        if not line:
            return
        if too_long:
            yield Problem("", where, f"a line is longer than {limit // 2**20} MB", lost=True)
            continue
        line = line.rstrip(b"\r\n")
        if line:
            yield RawRecord(where, line, position=stream.position if isinstance(stream, Stream) else 0)


def bounded_file(path: SourcePath, name: str, limit: int = LARGEST_RECORD) -> RawRecord | Problem:
    """A whole small file as one record."""
    with open_stream(path) as stream:
        try:
            data = stream.read(limit + 1)
        except BROKEN_STREAM as error:
            return truncation(name, error)
    if len(data) > limit:
        return Problem("", name, f"a document is larger than {limit // 2**20} MB", lost=True)
    return RawRecord(name, data)


def _skip_line(stream: BinaryIO | Stream) -> None:
    while (rest := stream.readline(2**20)) and not rest.endswith(b"\n"):
        pass


def describe_error(error: BaseException) -> str:
    """What an exception says, or at least what it is."""
    return str(error) or type(error).__name__
