"""Stretches of a MediaWiki dump as XML of their own, so that many can read a large one.

A page belongs to the stretch in which its tag begins; of a dump packed in many streams (`multistream`), in which the
stream with its tag begins.
"""

from __future__ import annotations

import bz2
import re
from collections.abc import Iterator
from itertools import chain
from typing import BinaryIO

from veritab.corpus.remote import RemoteFile, SourcePath, file_size
from veritab.corpus.streams import ByteRange

_OPEN, _CLOSE = b"<mediawiki>", b"</mediawiki>"
_PAGE = b"<page>"
_PACKED = b"BZh"
_STREAM = re.compile(rb"BZh[1-9]1AY&SY")
_STREAM_LENGTH = 10
_BLOCK = 2**20


def divides_by_pages(path: SourcePath) -> str:
    """What a dump can be cut between, as readers tell: "pages", or nothing where it must be read from its beginning."""
    if isinstance(path, RemoteFile) and (not path.by_range or path.size is None):
        return ""
    with path.open("rb") as file:
        head = file.read(_BLOCK)
    if not head.startswith(_PACKED):
        return "pages" if b"<mediawiki" in head else ""
    unpacker = bz2.BZ2Decompressor()
    try:
        unpacker.decompress(head)
    except OSError:
        return ""
    # The first stream of such a dump holds nothing but its header.
    return "pages" if unpacker.eof and _STREAM.match(unpacker.unused_data) else ""


class PageStream:
    """The pages of a stretch of a dump, as XML to be parsed; false where there are none."""

    def __init__(self, file: BinaryIO, path: SourcePath, span: ByteRange) -> None:
        end = file_size(path) if span.end is None else span.end
        packed = file.read(len(_PACKED)) == _PACKED
        pages = _cut_pages(_unpack(file, span.start) if packed else _read(file, span.start, end), span.start, end)
        first = next(pages, b"")
        self._some = bool(first)
        self._blocks = chain((first,), pages)

    def __bool__(self) -> bool:
        return self._some

    def read(self, size: int = -1) -> bytes:
        """The next block, of whatever size; nothing at the end."""
        return next((block for block in self._blocks if block), b"")


def _cut_pages(blocks: Iterator[tuple[int, bytes]], start: int, end: int) -> Iterator[bytes]:
    """What stands between the first page that begins in a stretch and the first that begins after it.

    Each block comes with where in the file it begins to count; those from `end` on are of the next stretch.
    """
    begun, tail = start == 0, b""
    for offset, block in blocks:
        if offset >= end:
            # A tag cut in two by the end of the stretch began in it.
            at = -1 if begun else (tail + block).find(_PAGE, 0, len(tail) + len(_PAGE) - 1)
            if not begun and at < 0:
                return
            if not begun:
                yield _OPEN + tail[at:]
            yield from _until_page(chain((block,), (rest for _, rest in blocks)))
            return
        if begun:
            yield block
            continue
        tail += block
        at = tail.find(_PAGE)
        if at < 0:
            tail = tail[1 - len(_PAGE) :]
            continue
        begun = True
        yield _OPEN + tail[at:]


def _until_page(blocks: Iterator[bytes]) -> Iterator[bytes]:
    held = b""
    for block in blocks:
        held += block
        at = held.find(_PAGE)
        if at >= 0:
            yield held[:at] + _CLOSE
            return
        yield held[: 1 - len(_PAGE)]
        held = held[1 - len(_PAGE) :]
    yield held  # the end of the dump, which closes itself unless it was cut


def _read(file: BinaryIO, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """The blocks of a dump that is not packed; none reaches over the end of the stretch."""
    file.seek(start)
    at = start
    while block := file.read(min(_BLOCK, end - at) if at < end else _BLOCK):
        yield at, block
        at += len(block)


def _unpack(file: BinaryIO, start: int) -> Iterator[tuple[int, bytes]]:
    """The blocks of a packed dump from the first stream of the stretch on, each with where its stream begins."""
    at = _find_stream(file, start)
    if at is None:
        return
    file.seek(at)
    raw = file.read(_BLOCK)
    while _STREAM.match(raw):
        unpacker = bz2.BZ2Decompressor()
        read = 0
        while not unpacker.eof:
            if not raw and unpacker.needs_input:
                raise EOFError("Compressed file ended before the end-of-stream marker was reached")
            block = unpacker.decompress(raw, _BLOCK)
            read += len(raw)
            raw = file.read(_BLOCK) if unpacker.needs_input and not unpacker.eof else b""
            if block:
                yield at, block
        rest = unpacker.unused_data
        at += read - len(rest)
        raw = rest if len(rest) >= _STREAM_LENGTH else rest + file.read(_BLOCK)


def _find_stream(file: BinaryIO, start: int) -> int | None:
    file.seek(start)
    at, held = start, b""
    while block := file.read(_BLOCK):
        held += block
        if found := _STREAM.search(held):
            return at + found.start()
        at += max(len(held) - _STREAM_LENGTH + 1, 0)
        held = held[1 - _STREAM_LENGTH :]
    return None
