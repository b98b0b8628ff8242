"""JSON records with their line numbers: JSON lines, one JSON array, or one object of ids and labels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from veritab.corpus.streams import BROKEN_STREAM, describe_error, open_stream
from veritab.errors import FormatError, short_repr
from veritab.evaluate.issues import LineIssue

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class JsonRecords(NamedTuple):
    """The records of a file by line (or by number, in an array), and the issues with other lines.

    The empty record that FEVEROUS files begin with is not among them.
    """

    records: list[tuple[int, Mapping[str, Any]]]
    faults: list[LineIssue]


def read_records(path: Path) -> JsonRecords:
    """Read all records of a file, compressed or not."""
    return records_in(read_bytes(path), str(path))


def read_bytes(path: Path) -> bytes:
    """What a file holds, unpacked."""
    try:
        with open_stream(path) as stream:
            return stream.read()
    except BROKEN_STREAM as error:
        raise FormatError(
            f"{str(path)!r} could not be read to its end: {describe_error(error)}; fetch it again"
        ) from error


def records_in(data: bytes, name: str) -> JsonRecords:
    """The records of some bytes; `name` is what a message calls them."""
    data = data.removeprefix(_BYTE_ORDER_MARK)
    start = data[:4096].lstrip()
    if start.startswith(b"["):
        return _from_array(data, name)
    labels = _labels(data) if start.startswith(b"{") else None
    if labels is None:
        return _from_lines(data)
    return JsonRecords([(number, _labelled(*pair)) for number, pair in enumerate(labels, 1)], [])


def id_in(record: Mapping[str, Any]) -> str:
    """The id of a record, as text; empty where it has none, or one that is neither a number nor a text."""
    id = record.get("id")
    return str(id).strip() if isinstance(id, int | str) and not isinstance(id, bool) else ""


def _labelled(id: str, label: Any) -> Mapping[str, Any]:
    return {"id": id, "predicted_label": label}


def _from_lines(data: bytes) -> JsonRecords:
    read = JsonRecords([], [])
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            read.faults.append(LineIssue("no JSON", number, f"no JSON ({error}); expected one object on each line"))
            continue
        _take(record, number, read)
    return read


def _from_array(data: bytes, name: str) -> JsonRecords:
    try:
        records = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{name!r} is not JSON ({error}); expected one object on each line") from None
    read = JsonRecords([], [])
    for number, record in enumerate(records, 1):
        _take(record, number, read)
    return read


def _take(record: Any, number: int, read: JsonRecords) -> None:
    if isinstance(record, dict):
        if number > 1 or not record or any(record.values()):
            read.records.append((number, record))
    else:
        read.faults.append(
            LineIssue("no object", number, f"{short_repr(record)} is not an object; expected {{...}} on each line")
        )


def _labels(data: bytes) -> list[tuple[str, Any]] | None:
    """The pairs of one object {id: label}, doubled ids and all; None where a file is something else."""
    if b"predicted_label" in data:
        return None
    try:
        pairs = json.loads(data, object_pairs_hook=_Pairs)
    except (ValueError, RecursionError):
        return None
    simple = isinstance(pairs, _Pairs) and pairs and not any(isinstance(value, list) for _, value in pairs)
    return list(pairs) if simple and not {"id", "label", "claim", "header"} & {key for key, _ in pairs} else None


class _Pairs(list[tuple[str, Any]]):
    """The names and values of an object as they were written: a plain dict would drop the first of two."""
