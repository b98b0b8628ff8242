"""Rows in Parquet, one file for each split, in a folder with a data card: as Hugging Face has data sets."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from veritab.datasets.lines import RecordLine
from veritab.errors import FormatError, MissingExtra

MAGIC = b"PAR1"
_BATCH = 1000


def is_parquet(path: Path) -> bool:
    """Whether a path is a Parquet file, or a folder with some under `data`."""
    if path.is_dir():
        return any((path / "data").glob("*.parquet"))
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False  # whoever reads it as lines tells why it cannot be read


def rows_of_parquet(path: Path) -> Iterator[RecordLine]:
    """The rows of a file, or of all files of a folder, in the order of their names."""
    number = 0
    for file in sorted((path / "data").glob("*.parquet")) if path.is_dir() else [path]:
        for row in _rows(file):
            number += 1
            yield RecordLine(number, row, noun="row")


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra("reading Parquet", "evaluate") from None
    try:
        with parquet.ParquetFile(file) as opened:
            for batch in opened.iter_batches(_BATCH):
                yield from map(_row, batch.to_pylist())
    except (pyarrow.ArrowException, OSError) as error:
        raise FormatError(f"{str(file)!r} is not a complete Parquet file ({error}); fetch or write it again") from None


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its first record as values again, which stands there as JSON."""
    if isinstance(row.get("record"), str):
        try:
            row["record"] = json.loads(row["record"])
        except ValueError:
            row["record"] = {}
    return row
