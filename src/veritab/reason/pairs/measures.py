"""Values with the words that say what they are values of, wherever they stand: in cells, list items and sentences.

A table keeps its values in order by rows and columns, a sentence by clauses. Here both become `Measure`s, so that a
claim may compare a number of a sentence with one of a table.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum

from veritab.lexicon.grammar import TABLE_STOP_STEMS
from veritab.quantities import Date, Quantity, Range, Reading, quantities
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.reason.tables.cells import cleaned
from veritab.reason.tables.synthetic import SyntheticTable
from veritab.schema import Element, ElementId
from veritab.text import Span, stems

_MOST_ROWS = 40
_MOST_SCANNED = 20000
_MOST_COLUMNS = 60
_LONGEST_TEXT = 1000
_LONGEST_NAME = 60
# A sentence with more numbers is a table that lost its shape; each would be named by all the others.
_MOST_SPOKEN = 40

Places = Mapping[str, tuple[ElementId, ...]]


class Bound(StrEnum):
    """Whether a date begins or ends something: a life, a term of office, a war."""

    NONE = ""
    START = "start"
    END = "end"


@dataclass(frozen=True, eq=False)
class Measure:
    """A number or date of a page, and what tells it from the others."""

    value: Reading
    text: str
    """The value as written."""
    name: str
    """What it belongs to: the row, the item, the one a clause is about."""
    what: str
    """What it measures: the name of its column; empty in running text."""
    said: Places
    """The words that tell it from other values of its sort, and the elements that say them."""
    header: frozenset[str]
    """The words for what it measures."""
    around: frozenset[str]
    """The words of what it stands in: title, sections, caption, the whole sentence."""
    ids: tuple[ElementId, ...]
    """The element that says it, and those that name what it belongs to."""
    key: frozenset[str] = frozenset()
    """The words of the name alone."""
    column: tuple[Hashable, int] | None = None
    """The table it stands in, made or given, and the number of its column; of running text, the sentence."""
    row: tuple[Hashable, int] | None = None
    bound: Bound = field(default=Bound.NONE)


# -- tables and lists --------------------------------------------------------------------------------------

_STARTS = frozenset("born birth baptised start started begin began opened from founded elected".split())
_ENDS = frozenset("died death dead end ended closed until to dissolved left".split())
_NAMING = frozenset({ColumnType.ENTITY, ColumnType.TEXT, ColumnType.DATE})
_VALUED = frozenset({ColumnType.NUMBER, ColumnType.DATE})


def in_table(table: TypedTable, wanted: AbstractSet[str]) -> Iterator[Measure]:
    """The values of the rows that say one of the wanted words."""
    around = _around(table)
    if table.height == 1 and table.key is None:
        yield from _in_infobox(table, around)
        return
    columns = table.columns[:_MOST_COLUMNS]
    naming = [column for column in columns if column.type in _NAMING or _has_years(column)]
    repeated = frozenset[ElementId]().union(*(_repeated(table, column) for column in columns))
    for row in _rows(table, naming, wanted):
        yield from (found for found in _in_row(table, row, naming, around) if found.ids[0] not in repeated)


def _has_years(column: Column) -> bool:
    """Whether a column of numbers may name rows by years: the games of 1984."""
    return all(len(text) == 4 and text.isdecimal() for text in column.sample)


def _around(table: TypedTable) -> frozenset[str]:
    texts = (table.title, table.caption, *table.sections)
    return frozenset(stem for text in texts for stem in stems(text[:_LONGEST_TEXT]))


def _rows(table: TypedTable, naming: Sequence[Column], wanted: AbstractSet[str]) -> list[int]:
    """The rows that say most of the wanted words, best first; a word that many rows say counts little."""
    if table.height <= _MOST_ROWS:
        return list(range(table.height))
    shares: dict[int, list[float]] = {}
    for column in naming:
        by_word: dict[str, list[int]] = {}
        for row, text in enumerate(column.texts[:_MOST_SCANNED]):
            for stem in wanted & frozenset(stems(text[:200])):
                by_word.setdefault(stem, []).append(row)
        for rows in by_word.values():
            for row in rows:
                shares.setdefault(row, []).append(1 / len(rows))
    # Exact sums, since sets have no order that two runs would share.
    counts = {row: math.fsum(each) for row, each in shares.items()}
    return sorted(counts, key=lambda row: (-counts[row], row))[:_MOST_ROWS]


def _in_row(table: TypedTable, row: int, naming: Sequence[Column], around: frozenset[str]) -> Iterator[Measure]:
    for column in table.columns[:_MOST_COLUMNS]:
        value, cell = column.values[row] if column.type in _VALUED else None, table.cell(row, column.number)
        if not isinstance(value, Quantity | Date) or cell is None:
            continue
        others = [other for other in naming if other is not column and not _apart(column, other)]
        owner = _owner(table, column, others)
        name = (owner.texts[row] if owner else "") or next((each.texts[row] for each in others if each.texts[row]), "")
        key = stems(without_brackets(name)) if owner else ()
        # The same name in another column links two tables that were joined.
        named = [other for other in others if key and stems(without_brackets(other.texts[row])) == key]
        beside = [found for other in named if (found := table.cell(row, other.number))]
        header = frozenset(stems(column.name)) if column.header else frozenset()
        said = _places((other.texts[row], table.cell(row, other.number)) for other in others)
        yield Measure(
            value, column.texts[row], name[:_LONGEST_NAME], column.name, said, header, around, (cell, *beside),
            frozenset(key), (table, column.number), (table, row), _bound(header, value),
        )  # fmt: skip


def _apart(column: Column, other: Column) -> bool:
    """Whether two columns stand under different headers: what is said of the men is not said of the women."""
    return len(column.header) > 1 < len(other.header) and column.header[0] != other.header[0]


def _owner(table: TypedTable, column: Column, others: Sequence[Column]) -> Column | None:
    """The column that names what a value is of: one under the same header, or the one that names the rows."""
    under = [each for each in others if len(column.header) > 1 < len(each.header) and each.type is ColumnType.ENTITY]
    joined = _joined(table)
    if joined and column.number >= joined:
        return table.columns[joined]
    return under[0] if under else None if table.key is None else table.columns[table.key]


def _joined(table: TypedTable) -> int:
    return table.table.joined_at if isinstance(table.table, SyntheticTable) else 0


def _repeated(table: TypedTable, column: Column) -> frozenset[ElementId]:
    """The cells that a join put beside several things: what is said of one of those is not said of them."""
    joined = _joined(table)
    if not joined or column.number < joined:
        return frozenset()
    counts = Counter(table.cell(row, column.number) for row in range(table.height))
    return frozenset(cell for cell, count in counts.items() if cell and count > 1)


_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")


def without_brackets(text: str) -> str:
    """A name without what brackets add to it."""
    return _BRACKETED.sub("", text[:_LONGEST_TEXT]) or text


def _places(texts: Iterable[tuple[str, ElementId | None]]) -> Places:
    places: dict[str, tuple[ElementId, ...]] = {}
    for text, cell in texts:
        for stem in dict.fromkeys(stems(text[:_LONGEST_TEXT])):
            if cell and stem not in TABLE_STOP_STEMS:
                places[stem] = (*places.get(stem, ()), cell)
    return places


def _bound(header: AbstractSet[str], value: Reading) -> Bound:
    if not isinstance(value, Date):
        return Bound.NONE
    return Bound.START if header & _STARTS else Bound.END if header & _ENDS else Bound.NONE


# Numbers inside brackets have words of their own: 2,407 (2,359 men, 48 women).
_BETWEEN = re.compile(r"[(),;]| and ")


def _in_infobox(table: TypedTable, around: frozenset[str]) -> Iterator[Measure]:
    title = frozenset(stems(table.title)) - TABLE_STOP_STEMS
    around |= {stem for column in table.columns[:_MOST_COLUMNS] for stem in stems(column.texts[0][:_LONGEST_TEXT])}
    for column in table.columns[:_MOST_COLUMNS]:
        text, cell = column.texts[0], table.cell(0, column.number)
        if cell is None:
            continue
        header = frozenset(stems(column.name))
        for number, (value, bound) in enumerate(_readings(quantities(text[:_LONGEST_TEXT]))):
            own = frozenset(stems(_piece(text, value))) - TABLE_STOP_STEMS if number else frozenset()
            own -= header | frozenset(stems(_written(text, value)))
            if number and not own:
                continue  # The same in another unit, or a part that nothing names.
            said = dict.fromkeys(header | own | title, (cell,))
            name = _piece(text, value) if number else column.name
            yield Measure(
                value, _written(text, value), name[:_LONGEST_NAME], column.name, said, header | own, around, (cell,),
                own or header, None, (table, 0), bound or _bound(header, value),
            )  # fmt: skip


def _readings(read: Iterable[Reading | Range]) -> Iterator[tuple[Reading, Bound]]:
    """Every number and date that was read; of a range, where it begins and where it ends."""
    for found in read:
        if isinstance(found, Range):
            if isinstance(found.low, Date):
                yield from ((found.low, Bound.START), (found.high, Bound.END))
        elif isinstance(found, Date) or not found.ordinal:
            yield found, Bound.NONE


def _written(text: str, value: Reading) -> str:
    return text[value.span[0] : value.span[1]]


def _piece(text: str, value: Reading) -> str:
    """What stands around a value up to the next bracket or comma."""
    start, end = value.span
    cuts = [found.end() for found in _BETWEEN.finditer(text, 0, start)]
    stop = _BETWEEN.search(text, end)
    return text[cuts[-1] if cuts else 0 : stop.start() if stop else len(text)].strip()


# -- sentences ---------------------------------------------------------------------------------------------

_JOINT = re.compile(r"[;,](?=\s)|\b(?:and|while|but|whereas)\b")
_LEADS_TO = r"(?: (?:the|end|of|about|early|late|on|in))*\s*\Z"
_FROM = re.compile(r"\b(?:from|since|between|born|began|started|broke out)" + _LEADS_TO, re.IGNORECASE)
_UNTIL = re.compile(r"\b(?:until|till|to|died|through|ended|finished)" + _LEADS_TO, re.IGNORECASE)
_VERB = re.compile(r"\b(?:was|were|is|are|has|had|have)\b")
_PROPER = re.compile(r"[A-Z][\w'’.-]*(?: (?:of |de |van |von |the )?[A-Z0-9][\w'’.-]*)*")


# How much one thing differs from another is no measure of either: "238 m lower than Mount Everest".
_DIFFERENCE = re.compile(r"\s*(?:[^\W\d]+er|more|less)\s(?:[^\W\d]+\s){0,3}?than\b", re.IGNORECASE)


def in_sentence(sentence: Element) -> Iterator[Measure]:
    """The numbers of a sentence with the words of their clauses, then the dates with theirs."""
    text = cleaned(sentence.text[:_LONGEST_TEXT])
    read = quantities(text)
    spans = [each.span for each in read]
    found = [each for each in _readings(read) if not _DIFFERENCE.match(text, each[0].span[1])]
    context = frozenset(stem for near in sentence.context for stem in stems(near.text[:_LONGEST_TEXT]))
    whole = context | frozenset(stems(text)) | frozenset(stems(sentence.id.page))
    for sort in (Quantity, Date):
        values = [(value, bound) for value, bound in found if isinstance(value, sort)][:_MOST_SPOKEN]
        for clause, spoken in _clauses(text, values):
            for value, bound in spoken:
                yield _spoken(sentence, text, clause, value, bound, whole, spans)


def _spoken(
    sentence: Element,
    text: str,
    clause: Span,
    value: Reading,
    bound: Bound,
    whole: frozenset[str],
    spans: Sequence[Span],
) -> Measure:
    before, after = text[clause[0] : value.span[0]], text[value.span[1] : clause[1]]
    said = _places([(before, sentence.id), (after, sentence.id)])
    if isinstance(value, Date) and not bound:
        bound = Bound.START if _FROM.search(before) else Bound.END if _UNTIL.search(before) else Bound.NONE
    name = bound.value or _name(text, clause, value.span, spans, without_brackets(sentence.id.page))
    # The noun that follows a number is what it counts: 10,816,286 residents.
    counted = frozenset(stems(after)[:2]) - TABLE_STOP_STEMS
    if bound and before.rstrip().endswith("(") and frozenset(stems(sentence.id.page)) <= frozenset(stems(before)):
        # So encyclopedias give the days of a life.
        counted |= {"born" if bound is Bound.START else "died"}
    return Measure(
        value, _written(text, value), name[:_LONGEST_NAME], "", said, counted, whole,
        (sentence.id,), frozenset(stems("" if bound else name)) - TABLE_STOP_STEMS, (sentence.id, 0), (sentence.id, 0),
        bound,
    )  # fmt: skip


def _name(text: str, clause: Span, value: Span, spans: Sequence[Span], page: str) -> str:
    """What a clause calls the one its value is of: its page, else a name, another number or date, else its words."""
    sides = ((clause[0], value[0]), (value[1], clause[1]))
    before, after = (text[start:end] for start, end in sides)
    if before.removeprefix("The ").startswith(page):
        return page
    for part, (start, end) in zip((before, after), sides, strict=True):
        proper = [found for found in _PROPER.findall(part) if frozenset(stems(found)) - TABLE_STOP_STEMS]
        if proper:
            return str(max(proper, key=len))
        if dated := [span for span in spans if start <= span[0] and span[1] <= end]:
            return text[slice(*dated[-1])]
    subject = _VERB.split(before, maxsplit=1)[0]
    return subject.strip(" ,;(") or after.strip(" ,;.)")


def _clauses(text: str, values: Sequence[tuple[Reading, Bound]]) -> Iterator[tuple[Span, list[tuple[Reading, Bound]]]]:
    """The clauses of a sentence, each with at least one of the values; what has none goes with the next that has."""
    spans = [value.span for value, _ in values]
    joints = [joint.span() for joint in _JOINT.finditer(text)]
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
