"""Claims as files give them: JSON lines of any benchmark, plain lines, or a table with a column of claims."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import orjson

from veritab.corpus.streams import BROKEN_STREAM, open_stream, reason
from veritab.errors import FormatError, InputError
from veritab.text import squeeze

Style: TypeAlias = Literal["json", "csv", "lines"]

EXAMPLE = '{"id": 1, "claim": "K2 is higher than Everest."}'
LONGEST_CLAIM = 2000
"""Characters of a claim, at every door; a text of more is several claims."""
_CLAIM_KEYS = ("claim", "text")
_STYLES: dict[str, Style] = {
    ".jsonl": "json", ".ndjson": "json", ".json": "json", ".csv": "csv", ".tsv": "csv", ".txt": "lines",
}  # fmt: skip
_COMPRESSED = frozenset({".gz", ".bz2", ".xz"})
_SEPARATORS = ",;\t"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_NAMED = 3


class Asked(NamedTuple):
    """A claim of a file: its line, its name (the line's number where it has none) and its words."""

    number: int
    id: Any
    text: str


@dataclass(frozen=True)
class ClaimsFile:
    """A file of claims that was read through and found good; `sha256` is of the claims, however they are written."""

    path: Path
    name: str
    count: int
    sha256: str

    @classmethod
    def open(cls, path: Path, name: str | None = None) -> ClaimsFile:
        """Read the file through, so that a bad line is told before the long work and not in its middle."""
        shown = name or str(path)
        digest, count, bad = hashlib.sha256(), 0, []
        for each in _read(path, shown):
            if isinstance(each, InputError):
                bad.append(each)
            else:
                count += 1
                digest.update(orjson.dumps([each.id, each.text]) + b"\n")
        if bad:
            more = f" (and {len(bad) - _MOST_NAMED:,} more bad lines)" if len(bad) > _MOST_NAMED else ""
            raise InputError("\n".join(map(str, bad[:_MOST_NAMED])) + more)
        return cls(path, shown, count, digest.hexdigest())

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[Asked]:
        for each in _read(self.path, self.name):
            if isinstance(each, InputError):
                raise FormatError(f"{self.name} was changed while it was read; run again")
            yield each


def _read(path: Path, name: str) -> Iterator[Asked | InputError]:
    try:
        with open_stream(path) as stream:
            yield from read_claims(stream, name, _style_by_name(path))
    except BROKEN_STREAM as error:
        raise FormatError(f"{name} could not be read to its end: {reason(error)}") from error


def _style_by_name(path: Path) -> Style | None:
    return next((_STYLES.get(suffix) for suffix in reversed(path.suffixes) if suffix not in _COMPRESSED), None)


def style_of(line: bytes) -> Style:
    """How a file whose first line is this gives its claims."""
    start = line.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if start.startswith((b"{", b"[")):
        return "json"
    names = _names(start.decode(errors="replace"))
    return "csv" if any(key in names for key in _CLAIM_KEYS) else "lines"


def read_claims(
    lines: Iterable[bytes], name: str, style: Style | None = None, *, before: int = 0
) -> Iterator[Asked | InputError]:
    """The claims of lines, of which there were so many before; a line that holds none is an error in its place."""
    given = iter(lines)
    head = list(_up_to_words(given))
    style = style or style_of(head[-1] if head else b"")
    head[:1] = [line.removeprefix(_BYTE_ORDER_MARK) for line in head[:1]]
    every = enumerate(chain(head, given), before + 1)
    if style == "csv":
        return _from_table(every, name)
    if style == "json" and head and head[-1].lstrip().startswith(b"["):
        return _from_array(b"".join(line for _, line in every), name)
    read = _from_json if style == "json" else _from_line
    return (asked for number, line in every if line.strip() and (asked := read(line, number, name)) is not None)


def _up_to_words(lines: Iterator[bytes]) -> Iterator[bytes]:
    """The lines up to the first that says something."""
    for line in lines:
        yield line
        if line.removeprefix(_BYTE_ORDER_MARK).strip():
            return


def _from_line(line: bytes, number: int, name: str) -> Asked | InputError | None:
    try:
        return _asked(line.decode(), None, number, f"{name}, line {number}")
    except UnicodeDecodeError:
        return InputError(f"{name}, line {number} is not UTF-8; save the file in that encoding")


def _from_json(line: bytes, number: int, name: str) -> Asked | InputError | None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return InputError(f"{name}, line {number} is no JSON ({error}); expected e.g. {EXAMPLE}")
    return _from_record(record, f"{name}, line {number}", number)


def _from_array(data: bytes, name: str) -> Iterator[Asked | InputError]:
    """The claims of one JSON array of records."""
    try:
        records = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        yield InputError(f"{name} is no JSON ({error}); expected lines, e.g. {EXAMPLE}")
        return
    for number, record in enumerate(records, 1):
        asked = _from_record(record, f"{name}, record {number}", number)
        if asked is not None:
            yield asked


def _from_record(record: Any, where: str, number: int) -> Asked | InputError | None:
    if isinstance(record, str):
        return _asked(record, None, number, where)
    text = None
    if isinstance(record, dict):
        text = next((record[key] for key in _CLAIM_KEYS if record.get(key) is not None), None)
        if text == "" and record.get("id") == "":
            return None  # the first line of FEVEROUS files names the fields and holds nothing
    if not isinstance(text, str):
        return InputError(f"{where} has no claim; expected e.g. {EXAMPLE}")
    return _asked(text, record.get("id"), number, where)


def _asked(text: str, id: Any, number: int, where: str) -> Asked | InputError:
    claim = squeeze(text)
    if not any(map(str.isalnum, claim)):
        return InputError(f"{where}: {text[:80]!r} is no claim; expected e.g. {EXAMPLE}")
    try:
        refuse_long(f"{where}: a claim", claim)
    except InputError as error:
        return error
    return Asked(number, number if id is None or id == "" else id, claim)


def refuse_long(what: str, text: str, most: int = LONGEST_CLAIM) -> None:
    """A text that is too long for a claim, or for a query, is told with what to do instead."""
    if len(text) > most:
        raise InputError(
            f"{what} of {len(text):,} characters ({text[:30]!r}…) is too long; at most {most:,} are read, so cut it "
            "into sentences"
        )


# -- tables ------------------------------------------------------------------------------------------------


def _names(header: str) -> list[str]:
    separator = max(_SEPARATORS, key=header.count)
    row = next(csv.reader([header.rstrip("\r\n")], delimiter=separator), [])
    return [cell.strip().casefold() for cell in row]


def _from_table(lines: Iterator[tuple[int, bytes]], name: str) -> Iterator[Asked | InputError]:
    try:
        text = io.StringIO("".join(line.decode() for _, line in lines), newline="")
    except UnicodeDecodeError:
        yield InputError(f"{name} is not UTF-8; save the file in that encoding")
        return
    header, above = text.readline(), 1
    while header and not header.strip():
        header, above = text.readline(), above + 1
    names = _names(header)
    column = next((names.index(key) for key in _CLAIM_KEYS if key in names), None)
    if column is None:
        if header.strip():
            yield InputError(f"{name} has no column called claim, only {header.strip()[:80]!r}; name one so")
        return
    id_column = names.index("id") if "id" in names else None
    rows = csv.reader(text, delimiter=max(_SEPARATORS, key=header.count), strict=True)
    while True:
        number = above + rows.line_num + 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield InputError(f"{name}, line {number} is no row of a table ({error}); check its quotes")
            return
        if row is None:
            return
        if any(cell.strip() for cell in row):
            id = row[id_column].strip() if id_column is not None and id_column < len(row) else None
            yield _asked(row[column] if column < len(row) else "", id, number, f"{name}, line {number}")
