"""What evidence says that may stand in a corrected claim: its texts in order of importance, and the names in them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from veritab.decompose.names import find_names
from veritab.lexicon.numbers import MONTH_NAMES, MONTH_WORDS, SMALL_CARDINALS
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


def cells_in_columns_of(name: frozenset[str], table: Table) -> frozenset[ElementId]:
    """The cells of the columns in which a name stands, given by its terms; none where it stands nowhere."""
    columns = [[place for place in column if place] for column in zip_longest(*table.places)]
    held = [
        places
        for places in columns
        if any(
            (said := frozenset(terms(cell.text))) and said <= name
            for cell in (table.rows[row][at] for row, at in places)
            if not cell.header
        )
    ]
    return frozenset(table.cell_id(place) for places in held for place in places)


def find_name_spans(text: str) -> Iterator[Span]:
    """Where the names of a text stand; months are none."""
    place = 0
    for name in find_names(text):
        start = text.find(name, place)
        if start >= 0:
            place = start + len(name)
            first = name.split()[0]
            is_month = first in MONTH_NAMES or name.rstrip(".").lower() in MONTH_WORDS
            if not is_month and name.lower() not in SMALL_CARDINALS and any(map(str.isalpha, name)):
                yield start, place


_NO_NAMES = frozenset({"yes", "no", "none", "unknown", "total"})
_LONGEST_SMALL = 3
_LONGEST_SIGN = 2


def is_sign(name: str) -> bool:
    """Whether a name is as short as the sign of an element or the abbreviation of a state."""
    return len(name) <= _LONGEST_SIGN


def _is_name(cell: str) -> bool:
    """Whether a cell may be a name as a whole: no answer and no number; its words have capitals or are short."""
    if cell.casefold() in _NO_NAMES or not cell[:1].isupper() or parse_numbers(cell):
        return False
    told = (is_sign(cell) and cell.isalpha()) or re.search(r"[^\W\d_]{3}", cell)
    return bool(told) and not any(len(word) > _LONGEST_SMALL and word[0].islower() for word in cell.split())


def names_of(source: EvidenceText) -> Iterator[Stretch]:
    """The names of a source, also by their last words; a short cell is one as a whole."""
    # What a cell says in brackets is said of its value.
    text = re.sub(r"\([^()]*\)", lambda match: " " * len(match[0]), source.text) if source.is_cell else source.text
    spans = dict.fromkeys(find_name_spans(text))
    if source.is_cell and len(source.text.split()) <= LONGEST_NAME and not parse_numbers(source.text):
        spans = dict.fromkeys([*spans, (0, len(source.text))] if _is_name(source.text) else ())
    for start, end in spans:
        yield Stretch(source.text[start:end], source, start, end)
        *before, last = source.text[start:end].split() or [""]
        named = source.text[:start].casefold().endswith("the ")  # no person
        if before and len(before) < LONGEST_NAME - 1 and last[:1].isupper() and not named:
            yield Stretch(last, source, end - len(last), end, is_part=True)
