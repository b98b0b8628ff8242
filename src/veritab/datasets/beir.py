"""A folder as BEIR has it: corpus.jsonl with documents, queries.jsonl with claims, qrels/*.tsv with what belongs.

BEIR has no labels and no evidence sets. Folders that Veritab wrote have both in the `metadata` of the queries; others
are read as claims without a label, and each document that is judged relevant as a set of its own where its id is the
address of an element.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from veritab.datasets.lines import RecordLine, records_of
from veritab.errors import FormatError, InputError
from veritab.schema import ElementId

QUERIES, DOCUMENTS, JUDGEMENTS = "queries.jsonl", "corpus.jsonl", "qrels"


def is_beir(path: Path) -> bool:
    """Whether a path is such a folder, or the judgements of one of its splits."""
    return (_folder(path) / QUERIES).is_file() and (path.is_dir() or path.suffix == ".tsv")


def rows_of_beir(path: Path) -> Iterator[RecordLine]:
    """The claims of a folder as rows; those of one split where a file of judgements is named."""
    folder = _folder(path)
    split = None if path.is_dir() else path.stem
    judged = dict[str, list[str]]()
    for file in [path] if split else sorted((folder / JUDGEMENTS).glob("*.tsv")):
        for query, document in _judgements(file):
            judged.setdefault(query, []).append(document)
    for line in records_of(folder / QUERIES):
        if line.record is None:
            yield line
            continue
        metadata = line.record.get("metadata")
        details = metadata if isinstance(metadata, dict) else {}
        id = str(line.record.get("_id"))
        if split is None or (details["split"] == split if "split" in details else id in judged):
            yield line._replace(record=_row(line.record, details, judged.get(id, [])))


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent.parent


def _row(query: Any, details: dict[str, Any], judged: list[str]) -> dict[str, Any]:
    return {
        "id": query.get("_id"),
        "claim": query.get("text"),
        "label": details.get("label"),
        "evidence": details["evidence"] if "evidence" in details else [[id] for id in judged if _is_address(id)],
        "challenge": details.get("challenge", ""),
        "silver": bool(details.get("silver")),
        "task": details.get("task", "claims"),
        "record": {},
    }


def _is_address(id: str) -> bool:
    try:
        ElementId.parse(id)
    except InputError:
        return False
    return True


def _judgements(file: Path) -> Iterator[tuple[str, str]]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines, delimiter="\t")
            next(rows, None)  # the names of the columns
            for row in rows:
                if len(row) != 3:
                    raise FormatError(f"{str(file)!r}, line {rows.line_num}: expected query-id, corpus-id and score")
                if row[2].strip() != "0":
                    yield row[0], row[1]
    except (UnicodeDecodeError, csv.Error, OSError) as error:
        raise FormatError(f"{str(file)!r} cannot be read as judgements ({error}); fetch or write it again") from None
