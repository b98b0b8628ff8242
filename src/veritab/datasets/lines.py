"""The records of a file with the places they stand at: JSON lines, or one JSON array, compressed or not."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from veritab.corpus.records import REPLACED, parse_object
from veritab.corpus.streams import BROKEN_STREAM, LARGEST_RECORD, Stream, bounded_lines, open_stream, truncation
from veritab.datasets.records import Record
from veritab.schema import Problem

BLANK = "blank lines, left out"
BYTE_ORDER_MARK = "a byte order mark before the first record"
HALVES = "halves of characters, replaced"
ARRAY = "one JSON array instead of JSON lines"
CUT = "the file is cut or damaged: it ends in the middle of a record; fetch it again"
_MARK = codecs.BOM_UTF8


class RecordLine(NamedTuple):
    """A record of a file, or what is wrong with the line where one should stand; `notes` tell what was put right."""

    number: int
    record: Record | None = None
    wrong: str = ""
    notes: tuple[str, ...] = ()
    noun: str = "line"

    @property
    def where(self) -> str:
        return f"{self.noun} {self.number}"


def records_of(path: Path) -> Iterator[RecordLine]:
    """The records of a file, one at a time."""
    with open_stream(path) as stream:
        try:
            head = stream.peek(1)
        except BROKEN_STREAM as error:
            yield RecordLine(1, wrong=truncation("", error).what)
            return
        yield from (_of_array if head.removeprefix(_MARK).lstrip().startswith(b"[") else _of_lines)(stream)


# -- JSON lines --------------------------------------------------------------------------------------------


def _of_lines(stream: Stream) -> Iterator[RecordLine]:
    bad: RecordLine | None = None
    last = 0
    for raw in bounded_lines(stream, ""):
        number = int(raw.where[1:])
        if bad:
            yield bad
            bad = None
        if isinstance(raw, Problem):
            yield RecordLine(number, wrong=raw.what)
        elif data := raw.data.strip():
            try:
                record, replaced = parse_object(data)
                halved = False
                if b"\\ud" in data or b"\\uD" in data:
                    record, halved = _without_halves(record)
            except ValueError as error:
                bad = RecordLine(
                    number, wrong=f'not JSON: {error}; a record is one line such as {{"id": 1, "claim": "..."}}'
                )
                cut = data.startswith(b"{")
            else:
                noteworthy = replaced or halved or number > last + 1 or number == 1
                notes = tuple(_notes(data, replaced, halved, number > last + 1)) if noteworthy else ()
                yield RecordLine(number, record, "", notes)
        else:
            continue
        last = number
    if bad:
        # Told only now, when it is known to be the last one.
        yield bad._replace(wrong=CUT) if cut else bad


def _notes(data: bytes, replaced: bool, halved: bool, after_blank: bool) -> Iterator[str]:
    if data.startswith(_MARK):
        yield BYTE_ORDER_MARK
    if replaced:
        yield REPLACED
    if halved:
        yield HALVES
    if after_blank:
        yield BLANK


def _without_halves(record: Any) -> tuple[Any, bool]:
    """A record in which halves of characters, which JSON can spell and no file can hold, are question marks."""
    text = json.dumps(record, ensure_ascii=False)
    whole = text.encode("utf-8", "replace").decode()
    return (record, False) if whole == text else (json.loads(whole), True)


# -- one array ---------------------------------------------------------------------------------------------

_decode = json.JSONDecoder(strict=False).raw_decode
_SPACE = re.compile(r"\s*")
_PIECE = 2**18


def _of_array(stream: Stream) -> Iterator[RecordLine]:
    """The records of an array, of which never more than one is held."""
    text = _JsonText(stream)
    notes: tuple[str, ...] = (ARRAY,)
    number = 0
    text.skip("\ufeff")
    text.skip("[")
    while text.next() != "]":
        number += 1
        try:
            record, written = text.value()
        except ValueError as error:
            yield RecordLine(number, wrong=str(error), noun="record")
            return
        if "\\ud" in written or "\\uD" in written:
            record, halved = _without_halves(record)
            notes += (HALVES,) if halved else ()
        if isinstance(record, dict):
            yield RecordLine(number, record, notes=notes, noun="record")
            notes = ()
        else:
            what = f"a {type(record).__name__}, not an object; FaVIQ's files of retrieved passages are not claims"
            yield RecordLine(number, wrong=what, noun="record")
        text.skip(",")


class _JsonText:
    """A stream of JSON text from which values are taken one after the other."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._buffer = ""
        self._at = 0
        self._broken = ""
        self._ended = False

    def _more(self) -> bool:
        """Read on; False where there is nothing left."""
        if self._ended:
            return False
        try:
            piece = self._stream.read1(_PIECE)
        except BROKEN_STREAM as error:
            piece, self._broken = b"", truncation("", error).what
        self._ended = not piece
        self._buffer = self._buffer[self._at :] + self._decoder.decode(piece, final=not piece)
        self._at = 0
        return bool(piece)

    def next(self) -> str:
        """The next character that is no white space; empty at the end of the text."""
        while True:
            match = _SPACE.match(self._buffer, self._at)
            self._at = match.end() if match else self._at
            if self._at < len(self._buffer) or not self._more():
                return self._buffer[self._at : self._at + 1]

    def skip(self, mark: str) -> None:
        """Step over a character, where it comes next."""
        if self.next() == mark:
            self._at += 1

    def value(self) -> tuple[object, str]:
        """The next value, and how it is written; ValueError where the text holds none there."""
        while self.next():
            try:
                begun = self._at
                value, self._at = _decode(self._buffer, begun)
                return value, self._buffer[begun : self._at]
            except (json.JSONDecodeError, RecursionError) as error:
                # It may only go on in what was not read yet.
                if len(self._buffer) - self._at > LARGEST_RECORD or not self._more():
                    whole = self._buffer.rstrip().endswith("]")
                    raise ValueError(f"not JSON: {error}" if whole else self._broken or CUT) from None
        raise ValueError(self._broken or CUT)
