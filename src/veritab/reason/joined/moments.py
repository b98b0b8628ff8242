"""When something happened that a claim tells in a clause: "the Olympics came to London", "Rome became capital"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from veritab.lexicon.accounting import ACCOUNTED_SYNONYMS
from veritab.lexicon.attributes import HOST_STEMS, header_synonyms
from veritab.lexicon.measures import DATE_VERBS, HEADER_FILLERS
from veritab.quantities import Date, parse_quantities
from veritab.reason.subjects import Subjects, SubjectValue
from veritab.reason.tables import TypedTable
from veritab.schema import ElementId, Kind
from veritab.text import stem, stems

_YEAR = re.compile(r"\b(1\d{3}|20\d{2})\b")
_DATED = re.compile(
    r"(?:.+ \d{4}|in \d{4},? .+|(?:the )?\d{4}(?: (?:(?-i:[A-Z])[\w'-]*|in|at|of|the|and))+(?: [a-z]+)?)", re.IGNORECASE
)
"""Clauses that have a year when something happened: "the war ended in 1918", "the 1970 World Cup began".

In "the 1966 trophy was stolen" it is none.
"""
_LONGEST_SUBJECT = 7
_MAX_ELEMENTS = 300
_IDLE = frozenset(
    map(stem, "the a an of in on at was were is be been did do became become got had its made to and it".split())
)
_DENIALS = frozenset(map(stem, "not never no nor without failed".split()))
_UNTOLD = HEADER_FILLERS | frozenset("since year date when from".split())
_SYNONYMS = {stem(verb): frozenset(stems(attribute)) for verb, attribute in DATE_VERBS.items() if " " not in verb}


class Moment(NamedTuple):
    """A date, what says it, whether the evidence states that what is told happened then, and whether only then."""

    date: Date
    said: str
    ids: tuple[ElementId, ...]
    is_stated: bool = True
    is_only: bool = True


def find_moments(clause: str, subjects: Subjects) -> list[Moment]:
    """When the pages say that what a clause tells happened; the year that the clause has, where it has one."""
    years = _YEAR.findall(clause)
    if len(years) == 1 and _DATED.fullmatch(clause):
        ids = _find_statement(clause, subjects)
        return [Moment(Date(int(years[0])), years[0], ids, bool(ids))]
    return [] if years else [*_editions(clause, subjects), *dated_values(clause, subjects)]


def _find_statement(clause: str, subjects: Subjects) -> tuple[ElementId, ...]:
    """What states a clause: a sentence with its words in their order, or a row of a table, with the title above it."""
    words = re.findall(r"[\w'-]+", clause)
    names = {each for word in words if not word[0].islower() for each in stems(word)}
    told = {each for word in words if word[0].islower() for each in stems(word)} - _IDLE
    if len(names) < 2:
        return ()
    for element in subjects.elements[:_MAX_ELEMENTS]:
        if element.kind in (Kind.SENTENCE, Kind.ITEM) and _states(
            f"{element.id.page} {element.text}", names, told, clause
        ):
            return (element.id,)
    return next((cells for table in subjects.tables if (cells := _find_row(table, names, told))), ())


def _states(text: str, names: set[str], told: set[str], clause: str) -> bool:
    """Whether a text has all the words of a clause, those that are no numbers in their order, and denies nothing."""
    said = stems(text)
    wanted = [each for each in stems(clause) if each in names | told]
    if not set(wanted) <= set(said) or not _DENIALS.isdisjoint(said):
        return False
    rest = iter(said)
    return all(each in rest for each in wanted if not each.isdecimal())


def _find_row(table: TypedTable, names: set[str], told: set[str]) -> tuple[ElementId, ...]:
    """The cells of a row that has the names of a clause under headers that say what the clause tells of them."""
    around = set(stems(f"{table.title} {table.caption} {' '.join(table.sections)}"))
    headers = {column.number: _header_words(column.name) for column in table.columns}
    telling = [column for column in table.columns if not headers[column.number].isdisjoint(told)]
    if not told:
        telling = [column for column in table.columns if not HOST_STEMS.isdisjoint(stems(column.name))]
    meant = around.union(*(headers[column.number] for column in telling))
    if not told <= meant:
        return ()
    for row in range(min(table.height, _MAX_ELEMENTS)):
        years = [column for column in table.columns if not names.isdisjoint(_numbers(column.texts[row]))]
        own = {each for column in telling for each in stems(column.texts[row])}
        own.update(each for column in years for each in _numbers(column.texts[row]))
        used = [column for column in telling if not names.isdisjoint(stems(column.texts[row]))]
        # Each header that the clause has words of is that of a name in it.
        if names <= own | around and (len(used) == len(telling)):
            cells = (table.cell(row, column.number) for column in (*used, *years))
            return tuple(dict.fromkeys(cell for cell in cells if cell))
    return ()


def _header_words(header: str) -> set[str]:
    """The words of a header, and the verbs that mean it: "won" under "Winner"."""
    own = set(stems(header))
    return own.union(*(ACCOUNTED_SYNONYMS.get(each, ()) for each in own), *(header_synonyms(each) for each in own))


def _numbers(text: str) -> list[str]:
    return [each for each in stems(text) if each.isdecimal()]


# -- editions ----------------------------------------------------------------------------------------------

_EDITION = re.compile(
    r"(?:the )?(?:(?P<before>(?-i:[A-Z])[\w .'-]*?) )?(?P<event>Olympics|Olympic Games|Games|World Cup)"
    r"(?: (?:in|came to|were held in|took place in|opened in|at|was held in) (?P<city>(?-i:[A-Z])[\w .'-]*))?",
    re.IGNORECASE,
)

_HOSTS_OF_SEVERAL = frozenset(
    {
        *("London", "Paris", "Los Angeles", "Athens", "Tokyo", "Beijing", "Innsbruck", "Lake Placid", "St. Moritz"),
        *("Cortina d'Ampezzo", "Milan", "Mexico", "Italy", "France", "Germany", "Brazil", "United States"),
    }
)
"""Cities and countries of more than one Olympics or World Cup, of which the pages at hand may know one."""


def _editions(clause: str, subjects: Subjects) -> Iterator[Moment]:
    """The year of the games in a city, where the pages know of one year only."""
    found = _EDITION.fullmatch(clause)
    city = (found["city"] or found["before"]) if found else None
    if not found or not city or (found["city"] and found["before"]):
        return
    event = "olympic" if "world" not in found["event"].lower() else "world"
    moments: dict[int, Moment] = {}
    for element in subjects.elements[:_MAX_ELEMENTS]:
        years, title = _YEAR.findall(element.id.page), element.id.page.lower()
        held = re.search(rf"\b(?:held|took place) in {re.escape(city)}\b", element.text)
        if len(years) == 1 and event in title and held and element.kind is Kind.SENTENCE:
            moments.setdefault(int(years[0]), Moment(Date(int(years[0])), element.id.page, (element.id,)))
    for table in subjects.tables:
        years = _YEAR.findall(table.title)
        if len(years) == 1 and event in table.title.lower() and table.height == 1:
            for column in table.columns:
                cell = table.cell(0, column.number)
                if "host" in stems(column.name) and column.texts[0].startswith(city) and cell:
                    moments.setdefault(int(years[0]), Moment(Date(int(years[0])), table.title, (cell,)))
    if len(moments) == 1:
        yield from (each._replace(is_only=city not in _HOSTS_OF_SEVERAL) for each in moments.values())


# -- what infoboxes date -----------------------------------------------------------------------------------


def dated_values(clause: str, subjects: Subjects) -> Iterator[Moment]:
    """The dates of infoboxes and rows that a clause tells in full: "Rome became capital" is "Capital since"."""
    words = clause.split()
    for end in range(min(len(words) - 1, _LONGEST_SUBJECT), 0, -1):
        values = subjects.values(" ".join(words[:end]))
        if not values:
            continue
        told = frozenset(stems(" ".join(words[end:]))) - _IDLE
        known = {word for value in values for word in (*stems(value.text), *stems(value.subject))}
        for value in values:
            date = _date_of(value)
            if date and _tells(told, frozenset(stems(value.header)) - _UNTOLD, known):
                yield Moment(date, f"{value.header} of {value.subject} = {value.text}", value.ids)
        return


def _tells(told: frozenset[str], header: frozenset[str], known: set[str]) -> bool:
    """Whether a clause says what a header says, and nothing beside it that the page does not."""
    meant = told.union(*(_SYNONYMS.get(word, frozenset()) for word in told))
    if not header or not header <= meant:
        return False
    named = header | {word for word in told if not _SYNONYMS.get(word, frozenset()).isdisjoint(header)}
    return told - named <= known


def _date_of(value: SubjectValue) -> Date | None:
    if isinstance(value.reading, Date):
        return value.reading if value.reading.year else None
    found = [each for each in parse_quantities(value.text) if isinstance(each, Date) and each.year and each.years == 1]
    return found[0] if len(found) == 1 or (found and found[0].span[0] == 0) else None
