"""The log of an annotation, and the one function that makes of it everything else: `fold`.

Events are appended and never changed. The draft that a page shows again, what can be undone, the evidence sets and the
operations that a data set is published with are all read from the events, so they cannot disagree. The operations that
FEVEROUS publishes have FEVEROUS's names; those of our own are not exported.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from veritab.errors import InputError, short_repr
from veritab.schema import ElementId

MOST_SETS = 20
"""How many evidence sets a log can number; FEVEROUS allows three, which is asked when an annotation is submitted."""
LONGEST_VALUE = 10_000
"""Characters of an event's value; a claim may have far fewer."""


class LogOperation(StrEnum):
    """What somebody did, in the words that the log keeps."""

    START = "start"
    FINISH = "finish"
    SEARCH = "search"
    HYPERLINK = "hyperlink"
    NOW_ON = "Now on"
    PAGE_SEARCH = "Page search"
    PAGE_SEARCH_RESET = "page-search-reset"
    HIGHLIGHT = "Highlighting"
    UNHIGHLIGHT = "Highlighting deleted"
    BACK = "back-button-clicked"
    # Our own: not exported.
    EVIDENCE_SET = "Evidence set"
    """The set that what is highlighted next belongs to, from "1"."""
    EVIDENCE_ADDED = "Evidence added"
    """A piece of evidence of an annotation that was imported, where its own operations do not tell."""
    EVIDENCE_REMOVED = "Evidence removed"
    WRITE = "Write"
    """What stands in a field of the form now: "verdict=SUPPORTS", "claim-2=The Nile is long."."""
    UNDO = "Undo"
    REDO = "Redo"


PUBLISHED = frozenset(
    {
        LogOperation.START,
        LogOperation.FINISH,
        LogOperation.SEARCH,
        LogOperation.HYPERLINK,
        LogOperation.NOW_ON,
        LogOperation.PAGE_SEARCH,
        LogOperation.PAGE_SEARCH_RESET,
        LogOperation.HIGHLIGHT,
        LogOperation.UNHIGHLIGHT,
        LogOperation.BACK,
    }
)


_ADDING = frozenset({LogOperation.HIGHLIGHT, LogOperation.EVIDENCE_ADDED})
_REMOVING = frozenset({LogOperation.UNHIGHLIGHT, LogOperation.EVIDENCE_REMOVED})


class LogEvent(NamedTuple):
    """One thing that somebody did, `seconds` after the start.

    `key` is the client's: what is sent twice is counted once. Events whose keys differ only after a slash are one step,
    which is undone as one, e.g. the cells of a row that one key adds.
    """

    operation: LogOperation
    value: str
    seconds: float
    key: str = ""


class PublishedOperation(NamedTuple):
    """An operation as FEVEROUS publishes it; the time is seconds since the start, as text."""

    operation: str
    value: str
    time: str


EvidenceSets: TypeAlias = tuple[tuple[ElementId, ...], ...]


@dataclass(frozen=True)
class AnnotationDraft:
    """Where an annotation stands after some events."""

    sets: EvidenceSets = ((),)
    """The pieces of each evidence set, in the order in which they were chosen; at least one set, perhaps empty."""
    current: int = 1
    """The set that is being filled, from 1."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """What stands in each field of the form that somebody wrote in."""
    can_undo: bool = False
    can_redo: bool = False
    events: int = 0
    """How many events this is the sum of."""
    seconds: float = 0.0
    """When the last of them happened."""
    operations: tuple[PublishedOperation, ...] = ()

    @property
    def evidence(self) -> EvidenceSets:
        """The sets that hold anything."""
        return tuple(pieces for pieces in self.sets if pieces)


class _Content(NamedTuple):
    """What undo takes back: the evidence and the fields."""

    sets: EvidenceSets
    fields: Mapping[str, str]


_EMPTY = _Content(((),), MappingProxyType({}))


def fold(events: Iterable[LogEvent]) -> AnnotationDraft:
    """Everything that events say, in their order: the draft, its evidence, and the operations as they are published."""
    past: list[_Content] = []
    future: list[_Content] = []
    now, step = _EMPTY, ""
    current, seen, seconds = 1, 0, 0.0
    operations: list[PublishedOperation] = []

    for event in events:
        seen += 1
        seconds = max(seconds, event.seconds)
        operation, before = event.operation, now
        if operation is LogOperation.UNDO and past:
            future.append(now)
            now, step = past.pop(), ""
        elif operation is LogOperation.REDO and future:
            past.append(now)
            now, step = future.pop(), ""
        elif operation is LogOperation.EVIDENCE_SET:
            current = set_number(event.value)
        elif (after := _apply(now, current, event)) != now:
            name = _step_name(event)
            if not (step and step == name):
                past.append(now)
            now, step = after, name
            future.clear()
        if operation in PUBLISHED:
            operations.append(PublishedOperation(operation.value, event.value, format_seconds(event.seconds)))
        elif operation in (LogOperation.UNDO, LogOperation.REDO):
            operations += _publish_change(before.sets, now.sets, event.seconds)

    sets = now.sets + ((),) * (current - len(now.sets))
    return AnnotationDraft(sets, current, now.fields, bool(past), bool(future), seen, seconds, tuple(operations))


def set_number(value: str) -> int:
    """The number of an evidence set, from 1."""
    if not (value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= MOST_SETS):
        raise InputError(f"{short_repr(value)} is not an evidence set; they are numbered 1 to {MOST_SETS}")
    return int(value)


def split_field(value: str) -> tuple[str, str]:
    """The name of a field and what stands in it."""
    name, sign, text = value.partition("=")
    if not name or not sign:
        raise InputError(f"{short_repr(value)} names no field; expected e.g. 'verdict=SUPPORTS'")
    return name, text


def check_event(event: LogEvent) -> LogEvent:
    """The event, where somebody can have done it and `fold` can read it; otherwise an InputError."""
    if len(event.value) > LONGEST_VALUE:
        raise InputError(
            f"the value of {event.operation.value!r} has {len(event.value):,} characters; at most {LONGEST_VALUE:,}"
        )
    if "\x00" in event.value:
        raise InputError(f"the value of {event.operation.value!r} holds U+0000, which is not kept; leave it out")
    if event.operation in (LogOperation.EVIDENCE_ADDED, LogOperation.EVIDENCE_REMOVED):
        raise InputError(
            f"{event.operation.value!r} is written by imports alone; send {LogOperation.HIGHLIGHT.value!r}"
        )
    if event.operation in (LogOperation.HIGHLIGHT, LogOperation.UNHIGHLIGHT):
        ElementId.parse(event.value)
    elif event.operation is LogOperation.EVIDENCE_SET:
        set_number(event.value)
    elif event.operation is LogOperation.WRITE:
        split_field(event.value)
    return event


def format_seconds(seconds: float) -> str:
    """Seconds as FEVEROUS writes them: "0", "72.882"."""
    return repr(round(seconds, 3)).removesuffix(".0")


def _apply(content: _Content, current: int, event: LogEvent) -> _Content:
    if event.operation is LogOperation.WRITE:
        name, text = split_field(event.value)
        return content._replace(fields=MappingProxyType({**content.fields, name: text}))
    if event.operation not in _ADDING | _REMOVING:
        return content
    id = ElementId.parse(event.value)
    sets = list(content.sets + ((),) * (current - len(content.sets)))
    pieces = sets[current - 1]
    if event.operation in _REMOVING:
        sets[current - 1] = tuple(piece for piece in pieces if piece != id)
    elif id not in pieces:
        sets[current - 1] = (*pieces, id)
    return content._replace(sets=tuple(sets))


def _step_name(event: LogEvent) -> str:
    """What is undone together: one gesture, or everything written into one field without a pause for something else."""
    gesture = event.key.rpartition("/")[0]
    if event.operation is LogOperation.WRITE and not gesture:
        return f"={split_field(event.value)[0]}"
    return gesture


def _publish_change(before: EvidenceSets, after: EvidenceSets, seconds: float) -> list[PublishedOperation]:
    """What undo or redo did, as if it had been done by hand."""
    there, here = ({id: None for pieces in sets for id in pieces} for sets in (before, after))
    time = format_seconds(seconds)
    gone = [PublishedOperation(LogOperation.UNHIGHLIGHT.value, str(id), time) for id in there if id not in here]
    return gone + [PublishedOperation(LogOperation.HIGHLIGHT.value, str(id), time) for id in here if id not in there]
