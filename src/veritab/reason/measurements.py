"""The numbers and dates of a page with the words that identify them, from cells, list items, infoboxes and sentences.

A table identifies its values by row and column, a sentence by clause. As measurements both can be compared.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from veritab.lexicon.attributes import END_HEADER_STEMS, START_HEADER_STEMS
from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.quantities import Date, Quantity, Range, Reading, parse_quantities
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.reason.tables.cells import clean_text
from veritab.reason.tables.synthetic import SyntheticTable
from veritab.schema import Element, ElementId
from veritab.text import Span, stems

_MAX_ROWS = 40
_MAX_SCANNED_ROWS = 20_000
_MAX_COLUMNS = 60
_MAX_TEXT = 1000
_MAX_NAME = 60
# A sentence with more numbers is a table that lost its shape; each would be named by all the others.
_MAX_PER_SENTENCE = 40


class Boundary(StrEnum):
    """Whether a date begins or ends something: a life, a term of office, a war."""

    NONE = ""
    START = "start"
    END = "end"


@dataclass(frozen=True, eq=False)
class Measurement:
    """A number or date of a page, and the words that identify it."""

    value: Reading
    text: str
    """The value as written."""
    entity: str
    """What it belongs to: the row, the item, the subject of a clause."""
    attribute: str
    """What it measures: the name of its column; empty in running text."""
    words: Mapping[str, tuple[ElementId, ...]]
    """The stems that tell it from other values, and the elements that have them."""
    attribute_words: frozenset[str]
    context: frozenset[str]
    """The stems of its title, sections and caption, or of its whole sentence."""
    ids: tuple[ElementId, ...]
    """The element that holds it, then those that name its entity."""
    entity_words: frozenset[str] = frozenset()
    column: tuple[Hashable, int] | None = None
    """The table and the number of its column; the sentence; None in an infobox."""
    row: tuple[Hashable, int] | None = None
    boundary: Boundary = Boundary.NONE

    @property
    def in_infobox(self) -> bool:
        return self.column is None


def content_stems(text: str) -> frozenset[str]:
    """The stems of a text that name something."""
    return frozenset(stems(text[:_MAX_TEXT])) - TABLE_STOP_STEMS


_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")


def without_brackets(text: str) -> str:
    """A name without what brackets add to it."""
    return _BRACKETED.sub("", text[:_MAX_TEXT]) or text


# -- tables, lists and infoboxes ---------------------------------------------------------------------------


def table_measurements(table: TypedTable, wanted: AbstractSet[str]) -> Iterator[Measurement]:
    """The values of the rows that have one of the wanted stems."""
    if is_infobox(table):
        yield from _infobox_measurements(table)
    else:
        yield from row_measurements(table, _matching_rows(table, naming_columns(table), wanted))


def is_infobox(table: TypedTable) -> bool:
    """Whether a table is about one thing, its page."""
    return table.height == 1 and table.key is None


def table_context(table: TypedTable) -> frozenset[str]:
    """The stems of what a table says that it is about."""
    texts = (table.title, table.caption, *table.sections)
    return frozenset(stem for text in texts for stem in stems(text[:_MAX_TEXT]))


def naming_columns(table: TypedTable) -> list[Column]:
    """The columns that tell rows apart."""
    columns = table.columns[:_MAX_COLUMNS]
    return [column for column in columns if column.type in _NAMING or _has_only_years(column)]


def row_measurements(table: TypedTable, rows: Iterable[int]) -> Iterator[Measurement]:
    """The values of some rows."""
    columns, naming, context = table.columns[:_MAX_COLUMNS], naming_columns(table), table_context(table)
    # What a join adds names the rows; its values are read in their own table.
    joined_at = table.table.joined_at if isinstance(table.table, SyntheticTable) else 0
    for row in rows:
        yield from _measure_row(table, row, columns[: joined_at or None], naming, context)


_NAMING = frozenset({ColumnType.ENTITY, ColumnType.TEXT, ColumnType.DATE})


def _has_only_years(column: Column) -> bool:
    """Whether a column of numbers may name rows by years: the games of 1984."""
    return all(len(text) == 4 and text.isdecimal() for text in column.sample)


def _matching_rows(table: TypedTable, naming: Sequence[Column], wanted: AbstractSet[str]) -> Sequence[int]:
    """The rows with most of the wanted stems, best first; a stem of many rows counts little."""
    if table.height <= _MAX_ROWS:
        return range(table.height)
    weights: dict[int, list[float]] = {}
    for column in naming:
        by_stem: dict[str, list[int]] = {}
        for row, text in enumerate(column.texts[:_MAX_SCANNED_ROWS]):
            for stem in wanted & frozenset(stems(text[:200])):
                by_stem.setdefault(stem, []).append(row)
        for rows in by_stem.values():
            for row in rows:
                weights.setdefault(row, []).append(1 / len(rows))
    # Exact sums, since sets have no order that two runs would share.
    scores = {row: math.fsum(each) for row, each in weights.items()}
    return sorted(scores, key=lambda row: (-scores[row], row))[:_MAX_ROWS]


def _measure_row(
    table: TypedTable, row: int, columns: Sequence[Column], naming: Sequence[Column], context: frozenset[str]
) -> Iterator[Measurement]:
    for column in columns:
        value = column.values[row] if column.type in (ColumnType.NUMBER, ColumnType.DATE) else None
        cell = table.cell(row, column.number)
        if not isinstance(value, Quantity | Date) or cell is None:
            continue
        # What stands under another header of two levels is of something else: the women's records beside the men's.
        others = [o for o in naming if o is not column and _group(o) in ("", _group(column) or _group(o))]
        own = [o for o in others if _group(o) and _group(column) and o.type is ColumnType.ENTITY]
        owner = own[0] if own else None if table.key is None else table.columns[table.key]
        entity = (owner.texts[row] if owner else "") or next((o.texts[row] for o in others if o.texts[row]), "")
        key = stems(without_brackets(entity)) if owner else ()
        naming_cells = [o.number for o in others if key and stems(without_brackets(o.texts[row])) == key]
        attribute_words = frozenset(stems(column.name)) if column.header else frozenset()
        yield Measurement(
            value,
            column.texts[row],
            entity[:_MAX_NAME],
            column.name,
            _index_words((other.texts[row], table.cell(row, other.number)) for other in others),
            attribute_words,
            context,
            (cell, *(found for number in naming_cells if (found := table.cell(row, number)))),
            frozenset(key),
            (table, column.number),
            (table, row),
            _header_boundary(attribute_words, value),
        )


def _group(column: Column) -> str:
    """The upper header of a column whose header has two levels."""
    return column.header[0] if len(column.header) > 1 else ""


def _index_words(texts: Iterable[tuple[str, ElementId | None]]) -> Mapping[str, tuple[ElementId, ...]]:
    index: dict[str, tuple[ElementId, ...]] = {}
    for text, cell in texts:
        for stem in dict.fromkeys(stems(text[:_MAX_TEXT])):
            if cell and stem not in TABLE_STOP_STEMS:
                index[stem] = (*index.get(stem, ()), cell)
    return index


def _header_boundary(header: AbstractSet[str], value: Reading) -> Boundary:
    if not isinstance(value, Date):
        return Boundary.NONE
    return (
        Boundary.START if header & START_HEADER_STEMS else Boundary.END if header & END_HEADER_STEMS else Boundary.NONE
    )


# Numbers inside brackets have words of their own: 2,407 (2,359 men, 48 women).
_PART_BOUNDARY = re.compile(r"[(),;]| and ")


def _infobox_measurements(table: TypedTable) -> Iterator[Measurement]:
    columns = table.columns[:_MAX_COLUMNS]
    context = table_context(table) | {stem for column in columns for stem in stems(column.texts[0][:_MAX_TEXT])}
    for column in columns:
        text, cell = column.texts[0], table.cell(0, column.number)
        if cell is None:
            continue
        header = frozenset(stems(column.name))
        for number, (value, boundary) in enumerate(_split_ranges(parse_quantities(text[:_MAX_TEXT]))):
            written, part = text[slice(*value.span)], _part_around(text, value.span)
            own = content_stems(part) - header - frozenset(stems(written)) if number else frozenset()
            if number and not own:
                continue  # The same in another unit, or a part that nothing names.
            yield Measurement(
                value,
                written,
                (part if number else column.name)[:_MAX_NAME],
                column.name,
                dict.fromkeys(header | own | content_stems(table.title), (cell,)),
                header | own,
                context,
                (cell,),
                own or header,
                None,
                (table, 0),
                boundary or _header_boundary(header, value),
            )


def _split_ranges(found: Iterable[Reading | Range]) -> Iterator[tuple[Reading, Boundary]]:
    """Every number and date; of a range of dates, where it begins and where it ends."""
    for reading in found:
        if isinstance(reading, Range):
            if isinstance(reading.low, Date):
                yield from ((reading.low, Boundary.START), (reading.high, Boundary.END))
        elif isinstance(reading, Date) or not reading.ordinal:
            yield reading, Boundary.NONE


def _part_around(text: str, span: Span) -> str:
    """What stands around a value up to the next bracket or comma."""
    cuts = [found.end() for found in _PART_BOUNDARY.finditer(text, 0, span[0])]
    stop = _PART_BOUNDARY.search(text, span[1])
    return text[cuts[-1] if cuts else 0 : stop.start() if stop else len(text)].strip()


# -- sentences ---------------------------------------------------------------------------------------------

_CLAUSE_BOUNDARY = re.compile(r"[;,](?=\s)|\b(?:and|while|but|whereas)\b")
_LEADS_TO = r"(?: (?:the|end|of|about|early|late|on|in))*\s*\Z"
_FROM = re.compile(r"\b(?:from|since|between|born|began|started|broke out)" + _LEADS_TO, re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|to|died|through|ended|finished)" + _LEADS_TO, re.IGNORECASE)
_VERB = re.compile(r"\b(?:was|were|is|are|has|had|have)\b")
_PROPER_NAME = re.compile(r"[A-Z][\w'’.-]*(?: (?:of |de |van |von |the )?[A-Z0-9][\w'’.-]*)*")
# How much one thing differs from another is a measurement of neither: "238 m lower than Mount Everest".
_CLOCK = re.compile(r"\b(?:at|from|to|until|till|by|between|around|about|before|after)\s(?:[01]?\d|2[0-3]):[0-5]\d\Z")
_DIFFERENCE = re.compile(r"\s*(?:[^\W\d]+er|more|less)\s(?:[^\W\d]+\s){0,3}?than\b", re.IGNORECASE)


def sentence_measurements(sentence: Element) -> Iterator[Measurement]:
    """The numbers of a sentence with the words of their clauses, then the dates with theirs."""
    text = clean_text(sentence.text[:_MAX_TEXT])
    readings = parse_quantities(text)
    values = [each for each in _split_ranges(readings) if not _DIFFERENCE.match(text, each[0].span[1])]
    # The clock says when something ended, and not how long it took.
    values = [each for each in values if not _CLOCK.search(text[: each[0].span[1]])]
    around = (text, sentence.id.page, *(context.text for context in sentence.context))
    context = frozenset(stem for each in around for stem in stems(each[:_MAX_TEXT]))
    spans = [each.span for each in readings]
    for kind in (Quantity, Date):
        of_kind = [each for each in values if isinstance(each[0], kind)][:_MAX_PER_SENTENCE]
        for clause, own in _split_clauses(text, of_kind):
            for value, boundary in own:
                yield _clause_measurement(sentence, text, clause, value, boundary, context, spans)


def _clause_measurement(
    sentence: Element,
    text: str,
    clause: Span,
    value: Reading,
    boundary: Boundary,
    context: frozenset[str],
    spans: Sequence[Span],
) -> Measurement:
    before, after = text[clause[0] : value.span[0]], text[value.span[1] : clause[1]]
    if isinstance(value, Date) and not boundary:
        boundary = Boundary.START if _FROM.search(before) else Boundary.END if _UNTIL.search(before) else Boundary.NONE
    entity = boundary.value or _clause_entity(text, clause, value.span, spans, without_brackets(sentence.id.page))
    # The noun that follows a number is what it counts: 10,816,286 residents.
    counted = frozenset(stems(after)[:2]) - TABLE_STOP_STEMS
    if boundary and before.rstrip().endswith("(") and frozenset(stems(sentence.id.page)) <= frozenset(stems(before)):
        # Encyclopedias give the days of a life so.
        counted |= {"born" if boundary is Boundary.START else "died"}
    return Measurement(
        value,
        text[slice(*value.span)],
        entity[:_MAX_NAME],
        "",
        _index_words([(before, sentence.id), (after, sentence.id)]),
        counted,
        context,
        (sentence.id,),
        content_stems("" if boundary else entity),
        (sentence.id, 0),
        (sentence.id, 0),
        boundary,
    )


def _clause_entity(text: str, clause: Span, value: Span, spans: Sequence[Span], page: str) -> str:
    """What a value of a clause belongs to: its page, else a name, another number or date, else its words."""
    sides = ((clause[0], value[0]), (value[1], clause[1]))
    before, after = (text[start:end] for start, end in sides)
    if before.removeprefix("The ").startswith(page):
        return page
    for part, (start, end) in zip((before, after), sides, strict=True):
        if names := [name for name in _PROPER_NAME.findall(part) if content_stems(name)]:
            return str(max(names, key=len))
        if inside := [span for span in spans if start <= span[0] and span[1] <= end]:
            return text[slice(*inside[-1])]
    subject = _VERB.split(before, maxsplit=1)[0]
    return subject.strip(" ,;(") or after.strip(" ,;.)")


def _split_clauses(
    text: str, values: Sequence[tuple[Reading, Boundary]]
) -> Iterator[tuple[Span, list[tuple[Reading, Boundary]]]]:
    """The clauses of a sentence, each with at least one of the values; one without goes with the next."""
    spans = [value.span for value, _ in values]
    joints = [joint.span() for joint in _CLAUSE_BOUNDARY.finditer(text)]
    ends = [start for start, end in joints if not any(first < end and start < last for first, last in spans)]
    ends.append(len(text))
    start, waiting = 0, list(values)
    for number, end in enumerate(ends):
        own = [each for each in waiting if each[0].span[1] <= end]
        if not own or (len(own) < len(waiting) and number + 1 == len(ends)):
            continue
        waiting = waiting[len(own) :]
        yield (start, end if waiting else len(text)), own
        start = end
        if not waiting:
            return
