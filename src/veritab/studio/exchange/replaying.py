"""An annotation that was made elsewhere becomes a log of events that `fold` makes the same annotation of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from veritab.schema import ElementId
from veritab.studio.log import EvidenceSets, LogEvent, LogOperation


def replay(operations: Sequence[LogEvent], sets: EvidenceSets, fields: Sequence[tuple[str, str]]) -> list[LogEvent]:
    """Events that publish these operations, and no others, and end with these evidence sets and fields.

    Published operations do not tell which set a piece belongs to: it is put into the set that has it in the end, else
    into the one that is being filled. Where they do not add up to the evidence (a highlight that was never taken back,
    or one that was lost), events that are not published make up for it.
    """
    events = [*_fill(operations, sets)]
    seconds = max((event.seconds for event in operations), default=0.0)
    events += [LogEvent(LogOperation.WRITE, f"{name}={text}", seconds) for name, text in fields]
    return [event._replace(key=str(number)) for number, event in enumerate(events, 1)]


def _fill(operations: Sequence[LogEvent], wanted: EvidenceSets) -> Iterator[LogEvent]:
    home = {id: number for number, pieces in reversed([*enumerate(wanted, 1)]) for id in pieces}
    there: dict[int, list[ElementId]] = {number: [] for number in range(1, max(len(wanted), 1) + 1)}
    current, seconds = 1, 0.0

    def turn_to(number: int) -> Iterator[LogEvent]:
        nonlocal current
        if number != current:
            current = number
            yield LogEvent(LogOperation.EVIDENCE_SET, str(number), seconds)

    for event in operations:
        seconds = max(seconds, event.seconds)
        if event.operation is LogOperation.HIGHLIGHT:
            id = ElementId.parse(event.value)
            yield from turn_to(home.get(id, current))
            if id not in there[current]:
                there[current].append(id)
        elif event.operation is LogOperation.UNHIGHLIGHT:
            id = ElementId.parse(event.value)
            yield from turn_to(next((number for number, pieces in there.items() if id in pieces), current))
            there[current] = [piece for piece in there[current] if piece != id]
        yield event

    for number, pieces in enumerate(wanted, 1):
        kept = 0
        while there[number][: kept + 1] == [*pieces[: kept + 1]] and kept < len(pieces):
            kept += 1
        changes = [(LogOperation.EVIDENCE_REMOVED, id) for id in there[number][kept:]]
        changes += [(LogOperation.EVIDENCE_ADDED, id) for id in pieces[kept:]]
        if changes:
            yield from turn_to(number)
            yield from (LogEvent(operation, str(id), seconds) for operation, id in changes)
    if not wanted:
        yield from (LogEvent(LogOperation.EVIDENCE_REMOVED, str(id), seconds) for id in there[1])
