"""What evidence says that may stand in a corrected claim: its texts in order of importance, and the names in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from veritab.decompose.names import find_names
from veritab.lexicon.numbers import MONTH_NAMES, SMALL_CARDINALS
from veritab.quantities import parse_numbers
from veritab.schema import CELLS, Element, ElementId, Evidence, Kind, Table
from veritab.text import Span, terms

_MOST_SOURCES = 60
_MOST_BESIDE = 16
LONGEST_NAME = 4
TITLE_RANK = 4


class EvidenceText(NamedTuple):
    """A text of the evidence, the terms that it is read with (its title and headers too), and its rank."""

    id: ElementId | None
    text: str
    around: frozenset[str]
    rank: int
    is_cell: bool


class Stretch(NamedTuple):
    """A stretch of a source that may take the place of words of a claim."""

    text: str
    source: EvidenceText
    start: int
    end: int
    is_part: bool = False
    """Whether it is a part of a name, such as what a family is called."""

    @property
    def is_computed(self) -> bool:
        return self.source is COMPUTATION


COMPUTATION = EvidenceText(None, "", frozenset(), 0, True)
"""Stands for what was computed, which no single element says."""


def list_sources(deciding: Sequence[Element], evidence: Evidence) -> list[EvidenceText]:
    """The texts that new words may come from: the deciding elements, the cells beside them, the other elements."""
    tables = {table.id: table for table in evidence.tables}
    listed = {element.id: element for element in deciding}
    for element in deciding:
        table = tables.get(element.id.table) if element.kind in CELLS and element.id.table else None
        for cell in _cells_beside(element.id, table) if table else ():
            listed.setdefault(cell.id, cell)
    for element in evidence.elements:
        listed.setdefault(element.id, element)
    found = []
    infoboxes = {table.id for table in evidence.tables if table.infobox}
    texts = [
        element
        for element in listed.values()
        # The headers of an infobox, and those above columns, say what values are, and are none.
        if element.kind is not Kind.TITLE
        and not (element.kind is Kind.HEADER_CELL and (element.id.table in infoboxes or element.id.path[1] == 0))
    ]
    for rank, element in enumerate(texts[:_MOST_SOURCES]):
        context = (near.text for near in element.context if near.id.kind is not Kind.SECTION)
        around = frozenset(terms(" ".join((element.text, *context))))
        found.append(EvidenceText(element.id, element.text, around, rank, element.kind in CELLS))
    return found


def _cells_beside(id: ElementId, table: Table) -> list[Element]:
    """The cells of the row that a cell stands in, then the nearest of its column."""
    row, column = id.path[1], id.path[2]
    every = (
        table.cell_id(place)
        for number, places in enumerate(table.places)
        for at, place in enumerate(places)
        if place and (number == row or at == column)
    )
    nearest = sorted(dict.fromkeys(every), key=lambda each: (each.path[1] != row, abs(each.path[1] - row)))
    return [table.element(each) for each in nearest[:_MOST_BESIDE]]


def find_name_spans(text: str) -> Iterator[Span]:
    """Where the names of a text stand; months are none."""
    place = 0
    for name in find_names(text):
        start = text.find(name, place)
        if start >= 0:
            place = start + len(name)
            first = name.split()[0]
            if first not in MONTH_NAMES and name.lower() not in SMALL_CARDINALS and any(map(str.isalpha, name)):
                yield start, place


_NAME_CELL = re.compile(r"(?!(?:[Yy]es|[Nn]o|[Nn]one|[Uu]nknown|[Tt]otal)$)(?=.*[^\W\d_]{3})[^\W\d_a-z]")
"""A cell that may be a name as a whole: of some length, and neither a sign nor an answer."""


def names_of(source: EvidenceText) -> Iterator[Stretch]:
    """The names of a source, also by their last words; a short cell is one as a whole."""
    spans = dict.fromkeys(find_name_spans(source.text))
    if source.is_cell and len(source.text.split()) <= LONGEST_NAME and not parse_numbers(source.text):
        spans = dict.fromkeys([*spans, (0, len(source.text))] if _NAME_CELL.match(source.text) else ())
    for start, end in spans:
        yield Stretch(source.text[start:end], source, start, end)
        *before, last = source.text[start:end].split() or [""]
        if before and len(before) < LONGEST_NAME - 1 and last[:1].isupper():
            yield Stretch(last, source, end - len(last), end, is_part=True)
