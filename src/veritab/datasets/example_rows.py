"""Examples as rows of our own, which carry all that an example holds: for Parquet, and what else has room for them.

    {"id", "claim", "label", "evidence": [[element id, ...], ...], "challenge", "silver", "task", "record"}

`record` is what the first file said of the claim, where that is known. KILT's records, the tasks of Label Studio and
the queries of BEIR become such rows, too, when they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from veritab.datasets.records import DataNotes, GoldText, Record, RecordFormat, Task
from veritab.errors import InputError, short_repr
from veritab.schema import ElementId, EvidenceSet, Example, Label


def to_row(example: Example, task: str) -> dict[str, Any]:
    """An example as a row."""
    return {
        "id": example.claim.id,
        "claim": example.claim.text,
        "label": str(example.label) if example.label else None,
        "evidence": written_sets(example.evidence),
        "challenge": example.challenge,
        "silver": example.silver,
        "task": task,
        "record": dict(original_record(example)),
    }


def written_sets(evidence: tuple[EvidenceSet, ...]) -> list[list[str]]:
    """Evidence sets as lists of element ids, each in order."""
    return [[str(id) for id in sorted(gold)] for gold in evidence]


def original_record(example: Example) -> Record:
    """What the first file said of a claim, through whatever forms the example went since."""
    record = example.record
    while is_row(record):
        first = record.get("record")
        record = first if isinstance(first, Mapping) else {}
    return record


def origin_of(example: Example) -> Record:
    """What a built claim was made of, by which rule, as its record says; empty where the record does not."""
    origin = original_record(example).get("origin")
    return origin if isinstance(origin, Mapping) else {}


EARLIER = "earlier"
"""Under an origin, the origin of the claim that was built upon, where that was built, too."""


def origins_of(example: Example) -> tuple[Record, ...]:
    """All origins of a claim that was built, perhaps of another that was built: the first of them first."""
    found = []
    origin: Any = origin_of(example)
    while isinstance(origin, Mapping) and origin:
        found.append(origin)
        origin = origin.get(EARLIER)
    return tuple(reversed(found))


def built_of(example: Example) -> tuple[str, str] | None:
    """The source and the record there that a claim was first built of; None where nothing says that it was."""
    origins = origins_of(example)
    record = str(origins[0].get("record", "")) if origins else ""
    return (str(origins[0].get("source", "")), record) if record else None


def is_row(record: Record) -> bool:
    """Whether a record is a row of ours."""
    return "silver" in record and "claim" in record and record.get("task") in get_args(Task)


# -- reading -----------------------------------------------------------------------------------------------


def _evidence(record: Record, label: Label | None, notes: DataNotes) -> tuple[EvidenceSet, ...]:
    sets = record.get("evidence") or []
    if not isinstance(sets, list) or not all(isinstance(each, list) for each in sets):
        raise ValueError(f'the evidence is {short_repr(sets)}; expected sets such as [["Alan Turing_sentence_0"]]')
    return tuple(frozenset(map(_address, each)) for each in sets)


def _address(given: Any) -> ElementId:
    if not isinstance(given, str):
        raise ValueError(f"{short_repr(given)} is not an address of evidence; expected e.g. 'Alan Turing_sentence_0'")
    try:
        return ElementId.parse(given)
    except InputError as error:
        raise ValueError(str(error)) from None


def _quoted(record: Record) -> Iterator[GoldText]:
    from veritab.datasets.record_formats import find_format  # the shapes hold these, too

    first = record.get("record")
    format = find_format(first) if isinstance(first, dict) else None
    return format.texts(record["record"]) if format else iter(())


def _of_task(task: Task) -> Callable[[Record], bool]:
    return lambda record: is_row(record) and record.get("task") == task


RECORD_FORMATS = tuple(
    RecordFormat(f"rows of {task}", task, _of_task(task), _evidence, _quoted) for task in get_args(Task)
)
"""One for each task, so that what was made of FEVER is still scored as FEVER."""
