"""What pages say of the things that a claim names: the lines of infoboxes, the rows of tables, and first sentences.

A thing is what a page or a row is named after, by all of its name: the row of a translation says nothing of the
original, and "Mount Everest base camp" is not the mountain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from veritab.lexicon.accounting import KIND_STEMS
from veritab.lexicon.measures import ATTRIBUTE_DIMENSIONS, ATTRIBUTE_OF, DATE_ATTRIBUTES, HEADER_FILLERS
from veritab.quantities import Date, Quantity, Range, Reading, dimension, parse_quantities
from veritab.reason.measurements import without_brackets
from veritab.reason.programs.printing import format_value
from veritab.reason.sentence_facts import dated_event, named_dates, named_measures, sentence_attributes
from veritab.reason.tables import Column, TypedTable
from veritab.reason.tables.cells import clean_text
from veritab.schema import Element, ElementId, Kind
from veritab.text import stems

_MAX_COLUMNS = 80
_MAX_ROWS = 5000
_MAX_TEXT = 400
_MAX_SENTENCES, _MAX_OTHERS = 12, 200
_LONGEST_NOUN = 40
_TOLD_APART = frozenset("on in at near of".split())
_AVERAGED = frozenset({"distance", "density"})
"""What has a mean where nothing else is said of it."""
_SOUTHERN = re.compile(r"\A\W*\d[\d.]*\s*°\s*S\b")
_TEXTS = frozenset({Kind.SENTENCE, Kind.ITEM})
_KINDS = KIND_STEMS | {"mount", "the"}


@dataclass(frozen=True)
class SubjectValue:
    """What a page says of one attribute of a thing."""

    subject: str
    attribute: str
    """What is measured, under one name: "height" for an elevation; else the words of the header."""
    header: str
    text: str
    ids: tuple[ElementId, ...]
    unit: str = ""
    reading: Reading | None = None
    """The value, where it was read already."""

    def read(self, attribute: str = "") -> Reading | None:
        """The number or date of an attribute."""
        wanted = attribute or self.attribute
        if self.reading is not None:
            return self.reading
        for found in _readings(self.text):
            if wanted in DATE_ATTRIBUTES:
                if isinstance(found, Date) and found.year is not None:
                    return found
                continue
            value = _as_number(found, self.unit)
            if value and wanted == "latitude" and _SOUTHERN.match(self.text):
                value = replace(value, value=-value.value)
            if value and ATTRIBUTE_DIMENSIONS.get(wanted, dimension(value.unit)) == dimension(value.unit):
                return value
            if value:
                return None
        return None


def _readings(text: str) -> Iterator[Reading]:
    for found in parse_quantities(text[:_MAX_TEXT]):
        if isinstance(found, Range):
            yield found.low
        else:
            yield found


def _as_number(found: Reading, unit: str) -> Quantity | None:
    """A reading as a number in the unit of its header; a bare year may be one."""
    if isinstance(found, Date):
        bare = found.year is not None and found.month is None and found.years == 1
        return Quantity(float(found.year or 0), unit, found.span) if bare else None
    if found.ordinal:
        return None
    return found if found.unit or not unit else Quantity(found.value, unit, found.span, found.step)


def name_attribute(header: str) -> str:
    """The one name of what a header measures."""
    words = [stem for stem in stems(without_brackets(header)) if stem not in HEADER_FILLERS and not stem.isdecimal()]
    if not _AVERAGED.isdisjoint(words):
        words = [stem for stem in words if stem not in ("mean", "average", "from")]
    return ATTRIBUTE_OF.get(frozenset(words)) or " ".join(sorted(words))


def is_named(name: str, full: str) -> bool:
    """Whether a name is all of another one, but for words of its kind: "Everest" is "Mount Everest"."""
    one, other = (tuple(stem for stem in stems(each) if stem != "the") for each in (name, without_brackets(full)))
    if one == other:
        return bool(one)
    short, long = (tuple(stem for stem in each if stem not in _KINDS) for each in (one, other))
    return bool(short) and short == long and set(one) <= set(other)


def _is_person(table: TypedTable) -> bool:
    return table.height == 1 and table.key is None and any(name_attribute(c.name) == "born" for c in table.columns)


def _is_short_for(name: str, title: str) -> bool:
    """Whether a name is the surname or the first name of a person: Debussy, Galileo."""
    short, full = name.split(), without_brackets(title).split()
    if len(short) != 1 or len(name) < 4 or not name[0].isupper() or len(full) < 2:
        return False
    # Names are often typed without their accents: "Dvorak".
    return name in (full[0], full[-1]) or stems(name) in (stems(full[0]), stems(full[-1]))


def _is_edition(name: str, title: str) -> bool:
    """Whether a name has the year of a title, and no words that the title has not: the Olympics of 1964."""
    one, other = frozenset(stems(name)), frozenset(stems(title))
    years = {stem for stem in other if len(stem) == 4 and stem.isdecimal()}
    named = {stem for stem in one & other if not stem.isdecimal()}
    added, left_out = one - other, other - one
    return bool(years and named) and years <= one and added <= {"the", "of", "in"} and left_out <= {"summer"}


class Subjects:
    """The things that tables and sentences are about."""

    def __init__(self, tables: Sequence[TypedTable], elements: Sequence[Element]) -> None:
        self.tables = tables
        self.elements = elements

    def values(self, name: str) -> list[SubjectValue]:
        """All that is said of a thing, lines of infoboxes first."""
        name = self._full_name(name)
        found = [value for table in self.tables for value in self._table_values(table, name)]
        return [*found, *self._sentence_values(name)]

    def _full_name(self, name: str) -> str:
        """The title that a surname or the year of an edition stands for, if one page only has it."""
        titles = [table.title for table in self.tables if table.height == 1 and table.key is None]
        if any(is_named(name, title) for title in titles):
            return name
        people = {table.title for table in self.tables if _is_person(table) and _is_short_for(name, table.title)}
        editions = {title for title in titles if _is_edition(name, title)}
        found = people or editions
        return found.pop() if len(found) == 1 else name

    def _table_values(self, table: TypedTable, name: str) -> Iterator[SubjectValue]:
        columns = table.columns[:_MAX_COLUMNS]
        if table.height == 1 and table.key is None:
            if is_named(name, table.title):
                yield from self._row_values(table, columns, 0, table.title)
            return
        if table.key is None or table.height > _MAX_ROWS:
            return
        rows = [row for row, text in enumerate(table.columns[table.key].texts) if is_named(name, text)]
        if len(rows) == 1:
            title = table.columns[table.key].texts[rows[0]]
            yield from self._row_values(table, columns, rows[0], title)

    def _row_values(self, table: TypedTable, columns: Sequence[Column], row: int, title: str) -> Iterator[SubjectValue]:
        key = table.cell(row, table.key) if table.key is not None else None
        for column in columns:
            text, cell = column.texts[row], table.cell(row, column.number)
            if column.number == table.key or not text or cell is None or not column.header:
                continue
            unit = column.unit if isinstance(column.unit, str) else ""
            ids = (cell, key) if key else (cell,)
            yield SubjectValue(title, name_attribute(column.name), column.name, text, ids, unit)

    # -- sentences

    def event_dates(self, event: str) -> Iterator[SubjectValue]:
        """When sentences that begin with an event say that it was."""
        for sentence in islice((e for e in self.elements if e.kind is Kind.SENTENCE), _MAX_OTHERS):
            if date := dated_event(clean_text(sentence.text[:1000]), event):
                yield SubjectValue(event, "date", "date", format_value(date), (sentence.id,), "", date)

    def _sentence_values(self, name: str) -> Iterator[SubjectValue]:
        own = [e for e in self.elements if e.kind is Kind.SENTENCE and is_named(name, e.id.page)]
        for sentence in own[:_MAX_SENTENCES]:
            text = clean_text(sentence.text[:1000])
            if _is_about(text, sentence.id.page):
                title = without_brackets(sentence.id.page)
                for attribute, reading in sentence_attributes(text):
                    written = text[slice(*reading.span)]
                    yield SubjectValue(title, attribute, attribute, written, (sentence.id,), "", reading)
        yield from self._owned_values(name)
        # A page may have the name of a file, by which none of its sentences begins.
        about = [e for e in own if _is_about(clean_text(e.text[:1000]), e.id.page)]
        others = (e for e in self.elements if e.kind in _TEXTS and e not in about)
        for sentence in islice(others, _MAX_OTHERS):
            text = clean_text(sentence.text[:1000])
            said: list[tuple[str, Reading]] = [*named_dates(text, name), *named_measures(text, name)]
            title = _title_of(sentence)
            if not said and title and _is_about_title(text, name, title):
                said = list(sentence_attributes(text))
            for attribute, value in said:
                yield SubjectValue(name, attribute, attribute, format_value(value), (sentence.id,), "", value)

    def _owned_values(self, name: str) -> Iterator[SubjectValue]:
        """What the page of an owner says of what it has: "Berlin's tower" is "The tower" there."""
        owned = _OWNED.fullmatch(name)
        if not owned:
            return
        for sentence in islice((e for e in self.elements if e.kind is Kind.SENTENCE), _MAX_OTHERS):
            text = clean_text(sentence.text[:1000])
            start = f"The {owned['noun']} "
            elsewhere = text.startswith(f"{start}in ") and not text.startswith(f"{start}in {owned['owner']}")
            if is_named(owned["owner"], sentence.id.page) and text.startswith(start) and not elsewhere:
                said: list[tuple[str, Reading]] = [
                    *named_dates(text, owned["noun"]),
                    *named_measures(text, owned["noun"]),
                ]
                for attribute, value in said:
                    yield SubjectValue(name, attribute, attribute, format_value(value), (sentence.id,), "", value)


_OWNED = re.compile(r"(?P<owner>(?-i:[A-Z])[\w .-]*?)'s (?P<noun>[a-z][\w -]+)")


def _title_of(sentence: Element) -> str:
    """The title of the document that a sentence stands in: its first heading, without what a colon adds."""
    heading = next((near.text for near in sentence.context if near.id.kind is Kind.SECTION), "")
    return heading.partition(":")[0].strip() if ":" in heading else ""


def _is_about_title(text: str, name: str, title: str) -> bool:
    """Whether a sentence calls what its document is about by the noun of the title: "The observatory was founded"."""
    words, own = stems(title), frozenset(stems(name)) - {"the"}
    noun = next((word for word in reversed(words) if not word.isdecimal()), "")
    start = stems(text[:_LONGEST_NOUN])
    # Another one is told apart by where it is: "The observatory on Mount Lee".
    begins = start[:2] == ("the", noun) and _TOLD_APART.isdisjoint(start[2:3])
    return bool(noun) and begins and len(own) > 1 and noun in own and own <= set(words) and " than " not in text


def _is_about(text: str, page: str) -> bool:
    """Whether a sentence begins with what its page is about, and compares it with nothing."""
    begins = text.removeprefix("The ").startswith(without_brackets(page).removeprefix("The "))
    return (begins or bool(_PRONOUN.match(text))) and " than " not in text


_PRONOUN = re.compile(r"(?:It|He|She|Its|His|Her)\b")
