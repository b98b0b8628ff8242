"""What is looked for, and what gold and rankings are at that level: pages, tables, sentences, cells, elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import TypeAlias

from veritab.errors import InputError
from veritab.schema import ElementId, Example, Hit, Kind
from veritab.text import nfc

RankedItem: TypeAlias = Hit | ElementId | str
"""Something that was found. A text is an element id; at the level of pages it may also be a title."""
RankedList: TypeAlias = Sequence[RankedItem]
RankedLists: TypeAlias = Sequence[RankedList] | Mapping[str, RankedList]
"""One ranking per example, in the same order; or by claim id, where a claim without a ranking found nothing."""
Key: TypeAlias = ElementId | str


class Level(StrEnum):
    """What is looked for: whole pages or tables, or elements as they are.

    `SENTENCE` is sentences alone, `TEXT` also items and passages; `CELL` is cells and header cells.
    """

    PAGE = "page"
    TABLE = "table"
    SENTENCE = "sentence"
    TEXT = "text"
    CELL = "cell"
    ELEMENT = "element"


TABLE_KINDS = frozenset({Kind.TABLE, Kind.TABLE_CAPTION, Kind.HEADER_CELL, Kind.CELL})
"""Tables and what is in them."""
_KEPT = {
    Level.SENTENCE: frozenset({Kind.SENTENCE}),
    Level.TEXT: frozenset({Kind.SENTENCE, Kind.ITEM, Kind.PASSAGE}),
    Level.CELL: frozenset({Kind.CELL, Kind.HEADER_CELL}),
    Level.ELEMENT: frozenset(Kind),
}


def project(found: RankedItem, level: Level) -> Key | None:
    """What something found is at a level: a page title, a table, the element itself; None if it has no place there."""
    if level is Level.PAGE:
        return _page(found)
    id = element_id(found)
    if level is Level.TABLE:
        return ElementId(id.page, Kind.TABLE, id.path[:1]) if id.kind in TABLE_KINDS else None
    return id if id.kind in _KEPT[level] else None


def element_id(found: RankedItem) -> ElementId:
    """The address of something found."""
    if isinstance(found, Hit):
        return found.element.id
    return found if isinstance(found, ElementId) else ElementId.parse(found)


def _page(found: RankedItem) -> str:
    try:
        return element_id(found).page
    except InputError:
        return nfc(str(found))


def gold_sets(example: Example, level: Level) -> list[frozenset[Key]]:
    """The evidence sets of a claim, brought to a level."""
    return [frozenset(key for id in gold if (key := project(id, level)) is not None) for gold in example.evidence]


def is_scored(example: Example, sets: Sequence[frozenset[Key]]) -> bool:
    """Whether a claim counts at a level: its evidence was annotated, and every set asks for something there."""
    return bool(sets) and all(sets) and not example.silver
