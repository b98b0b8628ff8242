"""The record format of a file, detected from its first records."""

from __future__ import annotations

from collections.abc import Iterable

from veritab.datasets import example_rows, faviq, fever, feverous, fm2, statements
from veritab.datasets.records import Record, RecordFormat, Task, is_dummy
from veritab.errors import FormatError

RECORD_FORMATS = (
    *example_rows.RECORD_FORMATS, feverous.BUILT,
    fm2.OFFICIAL, faviq.OFFICIAL, feverous.TABLES, fever.SUFFICIENT, fever.PAIRS,
    fever.OFFICIAL, feverous.OFFICIAL, fever.WITH_TEXT, feverous.SENTENCES,
    statements.VITAMINC, statements.TABFACT, statements.NLI, statements.JUDGE,
)  # fmt: skip
_OF_TASK: dict[Task, RecordFormat] = {
    "fever": fever.OFFICIAL, "feverous": feverous.OFFICIAL, "fm2": fm2.OFFICIAL, "faviq": faviq.OFFICIAL,
    "claims": statements.VITAMINC,
}  # fmt: skip
TASKS: tuple[Task, ...] = tuple(_OF_TASK)


def find_format(record: Record) -> RecordFormat | None:
    """The shape of one record; None where it could be of several or of none."""
    return next((format for format in RECORD_FORMATS if format.matches(record)), None)


def detect_format(records: Iterable[Record], name: str, task: Task | None, otherwise: Task = "fever") -> RecordFormat:
    """The shape of a file, by its first records; that of its task, or of another, where they do not tell."""
    first = list(records)
    for record in first:
        _refuse(record, name)
    found = next(filter(None, map(find_format, first)), None)
    if found and task and found.task != task:
        raise FormatError(f"{name} is written as {found.name}, task {found.task!r}, not {task!r}; leave the task out")
    if found:
        return found
    if any("claim" in record or is_dummy(record) for record in first):  # the others are told by line
        return _OF_TASK[task or otherwise]
    raise FormatError(
        f"{name} holds no claims that could be read: its records have {', '.join(first[0])[:200] or 'nothing'}; "
        'expected e.g. {"id": 1, "claim": "...", "label": "SUPPORTS", "evidence": [...]}'
    )


def _refuse(record: Record, name: str) -> None:
    """What looks like a data set and is none."""
    if "evidence_wiki_url" in record or "evidence_sentence_id" in record:
        raise FormatError(
            f"{name} is FEVER with one row for each sentence of evidence: which sentences belong together is lost, so "
            "it can be neither scored nor trained on as FEVER; take the official file from https://fever.ai/dataset/"
        )
    if "predicted_label" in record and "claim" not in record:
        raise FormatError(f"{name} holds predictions, not claims; score it with: veritab evaluate PREDICTIONS GOLD")
    if "id" in record and "lines" in record and "text" in record:
        raise FormatError(f"{name} holds pages of a corpus, not claims; read it with: veritab ingest")
