"""What a reader of records is given and gives back: a record becomes an example, and what was noticed is noted."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from veritab.errors import short_repr
from veritab.schema import Claim, ElementId, Label
from veritab.text import squeeze

Task: TypeAlias = Literal["fever", "feverous", "fm2", "faviq", "claims"]
"""What a file's claims are for; "claims" have labels, but neither addresses nor an official score."""
Record: TypeAlias = Mapping[str, Any]

DUMMY = "an empty first record, left out"
NO_DUMMY = "no empty first record; the first line was read as a claim"
NFD = "page titles in another Unicode form"
ESCAPED = "brackets and colons of page titles written as -LRB-, -RRB-, -COLON-"
NUMBER_AS_TEXT = "numbers written as text"
LABEL_CASE = "labels in other words or another case"
UNGROUPED = "several sentences as one set, because the file does not tell which belong together"
NO_ADDRESS = "evidence quoted without an address"
EMPTY_SET = "empty evidence sets, left out"


class GoldText(NamedTuple):
    """A piece of evidence as the record itself quotes it; page and section are empty where it does not say."""

    page: str
    section: str
    text: str


class DataNote(NamedTuple):
    """Something that was put right while reading: how often, and the line where it was first met."""

    what: str
    times: int
    line: int


@dataclass
class DataNotes:
    """What a reading has noticed so far; `line` is where it is."""

    line: int = 0
    _times: dict[str, int] = field(default_factory=dict)
    _first: dict[str, int] = field(default_factory=dict)

    def add(self, what: str) -> None:
        """Note something of the line where the reading is."""
        self._times[what] = self._times.get(what, 0) + 1
        self._first.setdefault(what, self.line)

    def __iter__(self) -> Iterator[DataNote]:
        return (DataNote(what, times, self._first[what]) for what, times in self._times.items())


class RecordFormat(NamedTuple):
    """One way in which files write their records.

    `evidence` gives the evidence sets of a record and raises ValueError where they cannot be read; `texts` gives what
    the record quotes.
    """

    name: str
    task: Task
    matches: Callable[[Record], bool]
    evidence: Callable[[Record, Label | None, DataNotes], tuple[frozenset[ElementId], ...]]
    texts: Callable[[Record], Iterator[GoldText]]
    claim: str = "claim"
    label: Callable[[Record, DataNotes], Label | None] | None = None
    silver: bool = False
    dummy: bool = False
    """Whether such files begin with an empty record."""


def no_evidence(record: Record, label: Label | None, notes: DataNotes) -> tuple[frozenset[ElementId], ...]:
    """For files that quote their evidence, or have none."""
    return ()


# -- the parts of a record ---------------------------------------------------------------------------------

_LABELS = {str(label): label for label in Label}
_SPELLED = {
    "supports": Label.SUPPORTS, "supported": Label.SUPPORTS, "support": Label.SUPPORTS, "true": Label.SUPPORTS,
    "entailed": Label.SUPPORTS, "entailment": Label.SUPPORTS, "e": Label.SUPPORTS,
    "refutes": Label.REFUTES, "refuted": Label.REFUTES, "refute": Label.REFUTES, "false": Label.REFUTES,
    "contradiction": Label.REFUTES, "c": Label.REFUTES,
    "not enough info": Label.NOT_ENOUGH_INFO, "not enough information": Label.NOT_ENOUGH_INFO,
    "nei": Label.NOT_ENOUGH_INFO, "neutral": Label.NOT_ENOUGH_INFO, "n": Label.NOT_ENOUGH_INFO,
}  # fmt: skip


def label_of(given: Any, notes: DataNotes) -> Label | None:
    """The label a record gives; None where it gives none, or says that it is unknown."""
    if given is None or given == "" or given == "unknown":
        return None
    if not isinstance(given, str):
        raise ValueError(f"the label is {short_repr(given)}; expected one of {', '.join(_LABELS)}")
    label = _LABELS.get(given)
    if label is None:
        label = _SPELLED.get(" ".join(given.replace("_", " ").casefold().split()))
        if label is None:
            raise ValueError(f"the label {given[:80]!r} is unknown; expected one of {', '.join(_LABELS)}")
        notes.add(LABEL_CASE)
    return label


def claim_of(record: Record, key: str, number: int) -> Claim:
    """The claim of a record, named by the record's number where it has no id of its own."""
    text = record.get(key)
    if not isinstance(text, str) or not (text := squeeze(text)):
        there = ", ".join(record) or "nothing"
        raise ValueError(
            f"no {key}: {short_repr(text)} (the record has {there:.200})"
            if key in record
            else f"no {key}, only {there:.200}"
        )
    id = record.get("id", record.get("unique_id"))
    if id is not None and (isinstance(id, bool) or not isinstance(id, int | str)):
        raise ValueError(f"the id is {short_repr(id)}; expected a number or a text")
    named = "" if id is None else str(id).strip()
    return Claim(named or str(number), text)


def whole_number(given: Any, notes: DataNotes) -> int:
    """A number of a line or a cell, which some files write as text."""
    if type(given) is int and given >= 0:
        return given
    if isinstance(given, str) and given.isascii() and given.isdigit() and len(given) < 10:
        notes.add(NUMBER_AS_TEXT)
        return int(given)
    raise ValueError(f"{short_repr(given)} is not a line number; expected e.g. 0 or 7")


def listed(record: Record, key: str) -> list[Any]:
    """The list that a record has under a key; empty where it has something else there."""
    value = record.get(key)
    return value if isinstance(value, list) else []


def text_of(record: Record, key: str) -> str:
    """The text that a record has under a key; empty where it has something else there."""
    value = record.get(key)
    return value if isinstance(value, str) else ""


@lru_cache(maxsize=2**14)
def is_composed(text: str) -> bool:
    """Whether a text has the one Unicode form already."""
    return text.isascii() or unicodedata.is_normalized("NFC", text)


def is_dummy(record: Record) -> bool:
    """Whether a record says nothing: FEVEROUS files begin with one that only names the fields."""
    try:
        return bool(record) and not any(map(_says_something, record.values()))
    except RecursionError:
        return False  # whatever nests that deep was not written by FEVEROUS


def _says_something(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_says_something, value.values()))
    if isinstance(value, list):
        return any(map(_says_something, value))
    return value is not None and value != ""
