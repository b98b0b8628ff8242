"""Lines become records: JSON objects, and groups of lines that belong to one page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import orjson

from veritab.corpus.remote import SourcePath
from veritab.corpus.streams import LARGEST_RECORD, ByteRange, RawRecord, bounded_lines, count_lines, open_lines
from veritab.schema import Problem

IN_PIECES = "a page in several pieces"
REPLACED = "bytes that are not UTF-8 were replaced"


def decode_utf8(data: bytes) -> tuple[str, bool]:
    """The text of some bytes, and whether any that are not UTF-8 had to be replaced."""
    try:
        return data.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return data.decode("utf-8-sig", "replace"), True


def parse_object(data: bytes) -> tuple[dict[str, Any], bool]:
    """The JSON object of a line, and whether bytes had to be replaced; ValueError when the line holds none."""
    try:
        record = orjson.loads(data)
        if isinstance(record, dict):
            return record, False
    except orjson.JSONDecodeError:
        pass  # stricter than it is fast: what it refuses may still be read, or be reported below
    text, replaced = decode_utf8(data)
    try:
        record = json.loads(text, strict=False)
    except json.JSONDecodeError as error:
        raise ValueError(error.msg) from None  # without the position, which differs from line to line
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(record, dict):
        raise ValueError("not an object")
    return record, replaced


def group_lines(
    lines: Iterable[RawRecord | Problem], key: Callable[[bytes], bytes | None], limit: int = LARGEST_RECORD
) -> Iterator[RawRecord | Problem]:
    """Consecutive lines with one key as one record of several lines.

    A line without a key goes with the lines before it, if any; an empty key is a key of its own. A group that would
    pass the limit is cut there.
    """
    group: list[RawRecord] = []
    current: bytes | None = None
    size = 0
    for line in lines:
        if isinstance(line, Problem):
            yield line
            continue
        own = key(line.data)
        if own is None and current is None:
            yield line
            continue
        same = own is None or own == current
        if group and not (same and size + len(line.data) <= limit):
            yield _join_lines(group)
            if same:
                yield Problem("", line.where, IN_PIECES)
            group, size = [], 0
        if own is not None:
            current = own
        group.append(line)
        size += len(line.data) + 1
    if group:
        yield _join_lines(group)


def lines_of_groups(
    path: SourcePath, span: ByteRange, key: Callable[[bytes], bytes | None]
) -> Iterator[RawRecord | Problem]:
    """The lines of the groups that begin in a span: not the rest of an earlier one, but all of the last."""
    current = _key_before(path, span.start, key) if span.start else None
    with open_lines(path, span) as stream:
        passing = current is not None
        own = False
        for line in bounded_lines(stream, path.name, LARGEST_RECORD, span.end):
            if isinstance(line, RawRecord):
                found = key(line.data)
                passing = passing and found in (None, current)
                if passing:
                    continue
                own, current = True, current if found is None else found
            yield line
        if not own or span.end is None:
            return
        for line in bounded_lines(stream, path.name, LARGEST_RECORD, first=1 + count_lines(path, span)):
            if isinstance(line, RawRecord):
                found = key(line.data)
                if found not in (None, current) or current is None:
                    return
                yield line


def _key_before(path: SourcePath, start: int, key: Callable[[bytes], bytes | None]) -> bytes | None:
    """The key of the last line with one that begins before a byte of a file."""
    reach = 2**16
    while True:
        found = None
        span = ByteRange(max(start - reach, 0), start)
        with open_lines(path, span) as stream:
            for line in bounded_lines(stream, path.name, LARGEST_RECORD, start):
                own = key(line.data) if isinstance(line, RawRecord) else None
                found = found if own is None else own
        if found is not None or not span.start:
            return found
        reach *= 8


def _join_lines(group: Sequence[RawRecord]) -> RawRecord:
    first, last = group[0], group[-1]
    if first is last:
        return first
    where = f"{first.where}-{last.where.rpartition(':')[2]}"
    return RawRecord(where, b"\n".join(line.data for line in group), position=last.position)
