"""Files of claims: JSON lines of any benchmark, plain lines, or a table with a column of claims, in CSV or Parquet."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import orjson

from veritab.corpus.streams import BROKEN_STREAM, describe_error, open_stream
from veritab.datasets.parquet import is_parquet
from veritab.errors import FormatError, InputError, MissingExtra, short_repr
from veritab.schema import refuse_long
from veritab.text import squeeze

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FileFormat: TypeAlias = Literal["json", "csv", "lines"]

EXAMPLE = '{"id": 1, "claim": "K2 is higher than Everest."}'
_CLAIM_KEYS = ("claim", "text")
_FORMATS: dict[str, FileFormat] = {
    ".jsonl": "json", ".ndjson": "json", ".json": "json", ".csv": "csv", ".tsv": "csv", ".txt": "lines",
}  # fmt: skip
_COMPRESSED = frozenset({".gz", ".bz2", ".xz"})
_SEPARATORS = ",;\t"
_LONGEST_HEADER = 100_000
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_LISTED = 3
_ROWS = 1_000
_SPACE = re.compile(r"[ \t\n\r]*")


class ClaimRecord(NamedTuple):
    """One claim of a file: its line, its id (the line number where it has none) and its text."""

    number: int
    id: Any
    text: str
    has_id: bool = False
    """Whether the id is the file's own."""
    source: str = ""
    """The name of the file, where there are several."""


@dataclass(frozen=True)
class ClaimsFile:
    """A file of claims that was validated; `sha256` is of the claims, whatever the format of the file."""

    path: Path
    name: str
    count: int
    sha256: str
    source: str = ""
    """What tells the file from others; claims without an id are named by it and their line."""
    id_hashes: array[int] = field(default_factory=lambda: array("Q"), repr=False, compare=False)

    @classmethod
    def open(cls, path: Path, name: str | None = None, source: str = "") -> ClaimsFile:
        """Validate the whole file first, so that a bad line is reported before the long work and not in its middle."""
        shown = name or str(path)
        digest, hashes, bad = hashlib.sha256(), array("Q"), []
        for each in _read_with_source(path, shown, source):
            if isinstance(each, InputError):
                bad.append(each)
            else:
                hashes.append(hash_id(each.id))
                digest.update(_hashed_line(each))
        if bad:
            more = f" (and {len(bad) - _MOST_LISTED:,} more bad lines)" if len(bad) > _MOST_LISTED else ""
            raise InputError("\n".join(map(str, bad[:_MOST_LISTED])) + more)
        return cls(path, shown, len(hashes), digest.hexdigest(), source, hashes)

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[ClaimRecord]:
        digest = hashlib.sha256()
        for each in _read_with_source(self.path, self.name, self.source):
            if isinstance(each, InputError):
                raise self._changed()
            digest.update(_hashed_line(each))
            yield each
        if digest.hexdigest() != self.sha256:
            raise self._changed()

    def _changed(self) -> FormatError:
        return FormatError(f"{self.name} was changed while its claims were checked; begin again")


def _hashed_line(claim: ClaimRecord) -> bytes:
    return orjson.dumps([claim.id, claim.text]) + b"\n"


def _read_with_source(path: Path, name: str, source: str) -> Iterator[ClaimRecord | InputError]:
    for each in read_file(path, name):
        if source and isinstance(each, ClaimRecord):
            yield each._replace(source=source, id=each.id if each.has_id else f"{source}:{each.number}")
        else:
            yield each


def read_file(path: Path, name: str) -> Iterator[ClaimRecord | InputError]:
    """The claims of a file; a line without a claim is an error in its place."""
    if is_parquet(path):
        yield from _from_parquet(path, name)
        return
    try:
        with open_stream(path) as stream:
            yield from read_claims(stream, name, _format_by_name(path))
    except BROKEN_STREAM as error:
        raise FormatError(f"{name} could not be read to its end: {describe_error(error)}") from error


def _format_by_name(path: Path) -> FileFormat | None:
    return next((_FORMATS.get(suffix) for suffix in reversed(path.suffixes) if suffix not in _COMPRESSED), None)


def detect_format(line: bytes) -> FileFormat:
    """The format of a file with this first line."""
    start = line.removeprefix(_BYTE_ORDER_MARK).lstrip()
    if start.startswith((b"{", b"[")):
        return "json"
    names = _column_names(start.decode(errors="replace"))
    return "csv" if any(key in names for key in _CLAIM_KEYS) else "lines"


def read_claims(
    lines: Iterable[bytes], name: str, format: FileFormat | None = None, *, skipped: int = 0
) -> Iterator[ClaimRecord | InputError]:
    """The claims of lines that follow `skipped` others; a line without a claim is an error in its place."""
    rest = _split_lines(lines)
    head: list[bytes] = []
    for line in rest:  # up to the first line that is not blank
        head.append(line if head else line.removeprefix(_BYTE_ORDER_MARK))
        if head[-1].strip():
            break
    format = format or detect_format(head[-1] if head else b"")
    numbered = enumerate(chain(head, rest), skipped + 1)
    if format == "csv":
        return _from_table(numbered, name)
    if format == "json" and head and head[-1].lstrip().startswith(b"["):
        return _from_array(b"".join(line for _, line in numbered), name)
    read = _from_json if format == "json" else _from_line
    return (record for number, line in numbered if line.strip() and (record := read(line, number, name)) is not None)


def _split_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Lines, also of a file that ends them with carriage returns only."""
    for line in lines:
        if b"\r" in line.removesuffix(b"\r\n"):
            yield from line.splitlines(keepends=True)
        else:
            yield line


def _from_line(line: bytes, number: int, name: str) -> ClaimRecord | InputError | None:
    try:
        return _claim_record(line.decode(), None, number, f"{name}, line {number}")
    except UnicodeDecodeError:
        return InputError(f"{name}, line {number} is not UTF-8; save the file in that encoding")


def _from_json(line: bytes, number: int, name: str) -> ClaimRecord | InputError | None:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        return InputError(f"{name}, line {number} is not JSON ({error}); expected e.g. {EXAMPLE}")
    return _from_record(record, f"{name}, line {number}", number)


def _from_array(data: bytes, name: str) -> Iterator[ClaimRecord | InputError]:
    """The claims of one JSON array of records."""
    try:
        for number, record in enumerate(_read_array(data.decode()), 1):
            claim = _from_record(record, f"{name}, record {number}", number)
            if claim is not None:
                yield claim
    except UnicodeDecodeError:
        yield InputError(f"{name} is not UTF-8; save the file in that encoding")
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        yield InputError(f"{name} is not JSON{where}; expected lines, e.g. {EXAMPLE}")


def _read_array(text: str) -> Iterator[Any]:
    """The records of a JSON array, one at a time: whoever wants only the first of a large one pays for no more."""
    decoder = json.JSONDecoder()
    place = _skip_space(text, text.index("[") + 1)
    while text[place : place + 1] != "]":
        record, place = decoder.raw_decode(text, place)
        yield record
        place = _skip_space(text, place)
        if text[place : place + 1] == ",":
            place = _skip_space(text, place + 1)
            if text[place : place + 1] == "]":
                raise json.JSONDecodeError("a comma before the end", text, place)
        elif text[place : place + 1] != "]":
            raise json.JSONDecodeError("no comma between two records", text, place)
    if _skip_space(text, place + 1) != len(text):
        raise json.JSONDecodeError("something after the end", text, place)


def _skip_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _from_record(record: Any, where: str, number: int) -> ClaimRecord | InputError | None:
    if isinstance(record, str):
        return _claim_record(record, None, number, where)
    text = None
    if isinstance(record, dict):
        text = next((record[key] for key in _CLAIM_KEYS if record.get(key) is not None), None)
        if text == "" and record.get("id") == "":
            return None  # the first line of FEVEROUS files names the fields and holds nothing
    if not isinstance(text, str):
        return InputError(f"{where} has no claim; expected e.g. {EXAMPLE}")
    return _claim_record(text, record.get("id"), number, where)


def _claim_record(text: str, id: Any, number: int, where: str) -> ClaimRecord | InputError:
    claim = squeeze(text)
    if not any(map(str.isalnum, claim)):
        return InputError(f"{where}: {text[:80]!r} is not a claim; expected e.g. {EXAMPLE}")
    try:
        refuse_long(f"{where}: a claim", claim)
    except InputError as error:
        return error
    has_id = id is not None and id != ""
    return ClaimRecord(number, id if has_id else number, claim, has_id)


# -- tables ------------------------------------------------------------------------------------------------


def _column_names(header: str) -> list[str]:
    """The names of the columns; none where a line is too long for names, or is no row."""
    if len(header) > _LONGEST_HEADER:
        return []
    separator = max(_SEPARATORS, key=header.count)
    try:
        row = next(csv.reader([header.rstrip("\r\n")], delimiter=separator), [])
    except csv.Error:
        return []
    return [cell.strip().casefold() for cell in row]


def _describe_row(error: csv.Error) -> str:
    """What is wrong with a row, in our words."""
    said = str(error)
    if "field limit" in said:
        return f"a field of it is longer than {csv.field_size_limit():,} characters"
    if "end of data" in said:
        return "a quote is opened and never closed"
    if "expected after" in said:
        return "something follows a closing quote"
    return "a line ends where none may end"


def _from_table(lines: Iterator[tuple[int, bytes]], name: str) -> Iterator[ClaimRecord | InputError]:
    try:
        yield from _from_rows(((number, line.decode()) for number, line in lines), name)
    except UnicodeDecodeError:
        yield InputError(f"{name} is not UTF-8; save the file in that encoding")


def _from_rows(lines: Iterator[tuple[int, str]], name: str) -> Iterator[ClaimRecord | InputError]:
    above, header = next(((number, line) for number, line in lines if line.strip()), (0, ""))
    names = _column_names(header)
    column = next((names.index(key) for key in _CLAIM_KEYS if key in names), None)
    if column is None:
        if header.strip():
            yield InputError(f"{name} has no column called claim, only {header.strip()[:80]!r}; name one so")
        return
    id_column = names.index("id") if "id" in names else None
    rows = csv.reader((line for _, line in lines), delimiter=max(_SEPARATORS, key=header.count), strict=True)
    while True:
        number = above + rows.line_num + 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield InputError(
                f"{name}, line {number} is not a row of a table ({_describe_row(error)}); check its quotes"
            )
            return
        if row is None:
            return
        if any(cell.strip() for cell in row):
            id = row[id_column].strip() if id_column is not None and id_column < len(row) else None
            yield _claim_record(row[column] if column < len(row) else "", id, number, f"{name}, line {number}")


def _from_parquet(path: Path, name: str) -> Iterator[ClaimRecord | InputError]:
    """The claims of a Parquet file, some rows at a time."""
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("reading Parquet", "scale") from None
    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            columns = {each.casefold(): each for each in file.schema_arrow.names}
            column = next((columns[key] for key in _CLAIM_KEYS if key in columns), None)
            if column is None:
                named = short_repr(", ".join(file.schema_arrow.names))
                yield InputError(f"{name} has no column called claim, only {named}; name one so")
                return
            id_column = columns.get("id")
            wanted = [column, *([id_column] if id_column else [])]
            for batch in file.iter_batches(_ROWS, columns=wanted):
                for row in batch.to_pylist():
                    number += 1
                    id = row[id_column] if id_column else None
                    yield _from_row(row[column], id, number, f"{name}, row {number}")
    except (pyarrow.ArrowException, OSError) as error:
        raise FormatError(f"{name} is not a complete Parquet file ({error}); write it again") from None


def _from_row(text: Any, id: Any, number: int, where: str) -> ClaimRecord | InputError:
    if not isinstance(text, str):
        return InputError(f"{where} has no claim but {short_repr(text)}; expected a column of texts")
    if not isinstance(id, str | int | None):
        return InputError(f"{where} has the id {short_repr(id)}; expected a text or a whole number")
    return _claim_record(text, id, number, where)


# -- ids ---------------------------------------------------------------------------------------------------


def hash_id(id: Any) -> int:
    """Eight bytes for an id, so that millions of them can be compared."""
    return int.from_bytes(hashlib.blake2b(str(id).encode(errors="surrogatepass"), digest_size=8).digest(), "big")


class SeenIds:
    """The ids of millions of claims, of which only hashes are kept."""

    def __init__(self) -> None:
        self._runs: list[NDArray[np.uint64]] = []

    def add(self, file: ClaimsFile, earlier: Iterable[ClaimsFile] = ()) -> None:
        """Add the ids of a file; one that is there already is refused, with both its places."""
        import numpy as np

        new = np.sort(np.frombuffer(file.id_hashes, np.uint64)) if len(file) else np.empty(0, np.uint64)
        repeated = {*new[1:][new[1:] == new[:-1]].tolist()}
        for run in self._runs:
            place = np.minimum(np.searchsorted(run, new), len(run) - 1)
            repeated.update(new[run[place] == new].tolist())
        if repeated:
            _refuse_repeated(repeated, (*earlier, file))
        if len(new):
            self._runs.append(new)
        # Merged as binary numbers are counted up, so that there are few runs and each id is moved few times.
        while len(self._runs) > 1 and len(self._runs[-2]) <= 2 * len(self._runs[-1]):
            self._runs.append(np.sort(np.concatenate([self._runs.pop(), self._runs.pop()])))


def _refuse_repeated(hashes: set[int], files: Iterable[ClaimsFile]) -> None:
    places: dict[str, str] = {}
    for file in files:
        for claim in file:
            if hash_id(claim.id) not in hashes:
                continue
            place = f"{file.name}, line {claim.number}"
            if first := places.get(str(claim.id)):
                raise InputError(
                    f"{place} has the id {short_repr(claim.id)}, as {first} has; ids tell the answers apart, so give "
                    "each claim one of its own, or none"
                )
            places[str(claim.id)] = place
