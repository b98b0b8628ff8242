"""Lines become records: JSON objects, and groups of lines that belong to one page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import orjson

from veritab.corpus.streams import LARGEST_RECORD, RawRecord
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


def _join_lines(group: Sequence[RawRecord]) -> RawRecord:
    first, last = group[0], group[-1]
    if first is last:
        return first
    where = f"{first.where}-{last.where.rpartition(':')[2]}"
    return RawRecord(where, b"\n".join(line.data for line in group), position=last.position)
