"""The records of whatever holds claims: JSON lines and arrays, folders of BEIR, Parquet, KILT, Label Studio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from veritab.datasets import lines
from veritab.datasets.beir import is_beir, rows_of_beir
from veritab.datasets.kilt import is_kilt, row_of_kilt
from veritab.datasets.label_studio import is_task, row_of_task
from veritab.datasets.lines import RecordLine
from veritab.datasets.parquet import is_parquet, rows_of_parquet
from veritab.datasets.records import Record
from veritab.errors import FormatError


class _ForeignFormat(NamedTuple):
    """A way of keeping claims that is not by the keys of the record itself, and how a row is made of it."""

    matches: Callable[[Record], bool]
    to_row: Callable[[Record], dict[str, Any]]


_FOREIGN_FORMATS = (_ForeignFormat(is_task, row_of_task), _ForeignFormat(is_kilt, row_of_kilt))
_ANOTHER_FORM = "a record of another form than the first one of the file"


def records_of(path: Path) -> Iterator[RecordLine]:
    """The records of a file or a folder, one at a time; those that keep claims elsewhere become rows."""
    if is_beir(path):
        return rows_of_beir(path)
    if is_parquet(path):
        return rows_of_parquet(path)
    if path.is_dir():
        raise FormatError(
            f"{str(path)!r} is a folder without queries.jsonl (BEIR) or data/*.parquet; name a file, or such a folder"
        )
    return _as_rows(lines.records_of(path))


def files_of(path: Path) -> list[Path]:
    """The files that a data set is made of, in the order of their names: itself, or what its folder holds."""
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.is_file())
    return [path]


def _as_rows(read: Iterator[RecordLine]) -> Iterator[RecordLine]:
    """Records as they are, or as rows where the first of them is of a form that becomes one."""
    before: list[RecordLine] = []
    for line in read:
        before.append(line)
        if line.record is not None:
            break
    first = before[-1].record if before else None
    form = next((form for form in _FOREIGN_FORMATS if first is not None and form.matches(first)), None)
    every = chain(before, read)
    return every if form is None else (_as_row(line, form) for line in every)


def _as_row(line: RecordLine, form: _ForeignFormat) -> RecordLine:
    if line.record is None:
        return line
    if not form.matches(line.record):
        return line._replace(record=None, wrong=_ANOTHER_FORM)
    try:
        return line._replace(record=form.to_row(line.record))
    except ValueError as error:
        return line._replace(record=None, wrong=str(error))
