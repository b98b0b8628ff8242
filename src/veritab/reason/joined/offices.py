"""Who held an office, or was alive, when something happened: a term or a life set against a date."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from veritab.lexicon.attributes import BIRTH_STEMS, DEATH_STEMS, END_HEADER_STEMS, START_HEADER_STEMS
from veritab.lexicon.names import NAMES_FOR
from veritab.quantities import Date, Range, parse_quantities
from veritab.reason.joined.concluding import conclude_joined
from veritab.reason.joined.moments import Moment, find_moments
from veritab.reason.measurements import without_brackets
from veritab.reason.reasoner import Reasoning
from veritab.reason.subjects import Subjects, is_named
from veritab.reason.tables import Column, TypedTable
from veritab.schema import ElementId
from veritab.text import stem, stems

_WHEN = r"(?:when|while|during|at the time of|at the time when)"
_OFFICE = re.compile(
    r"(?P<one>(?-i:[A-Z])[\w .'-]*?) was (?:still |already )?(?:the )?(?:(?P<owner>[\w .-]+?)'s )?"
    rf"(?P<role>(?-i:[a-z])[\w -]*?)(?: of (?:the )?(?P<place>(?-i:[A-Z])[\w .-]*?))? {_WHEN} (?P<event>.+)",
    re.IGNORECASE,
)
_ALIVE = tuple(
    (re.compile(pattern, re.IGNORECASE), alive)
    for pattern, alive in (
        (rf"(?P<one>.+?) was (?:still )?(?:alive|living) {_WHEN} (?P<event>.+)", True),
        (r"(?P<one>.+?) (?:lived|survived) to see (?P<event>.+)", True),
        (rf"(?P<one>.+?) was (?:already dead|no longer alive|dead) {_WHEN} (?P<event>.+)", False),
        (r"(?P<one>.+?) (?:did not live|never lived) to see (?P<event>.+)", False),
    )
)
_OPEN = frozenset({"", "present", "incumbent", "today", "–", "-", "now"})
_LATEST = 9999
_TERM_HEADERS = frozenset(
    map(
        stem,
        "term office reign reigned tenure served service period year years dates time rule ruled presidency".split(),
    )
)
"""Words of headers for from when to when somebody held an office, and not for a life."""


class _Term(NamedTuple):
    """From which year to which somebody held an office."""

    first: int
    last: int
    ids: tuple[ElementId, ...]


def decide_offices(claim: str, text: str, subjects: Subjects) -> Iterator[Reasoning]:
    """The answers that terms of office and lives give."""
    for pattern, alive in _ALIVE:
        if found := pattern.fullmatch(text):
            yield from _decide_alive(claim, found, subjects, alive=alive)
            return
    found = _OFFICE.fullmatch(text)
    moments = find_moments(found["event"], subjects) if found else []
    if not found or not moments:
        return
    for table in subjects.tables:
        terms = _terms(table, found["one"]) if _is_list_of(table, found) else []
        for moment in moments if terms else ():
            yield from _place_in_terms(claim, found, terms, moment)


def _is_list_of(table: TypedTable, found: re.Match[str]) -> bool:
    """Whether the rows of a table held the office that a claim names, in the country that it names."""
    if table.key is None:
        return False
    role = set(stems(found["role"]))
    place = tuple(word for word in stems(found["place"] or found["owner"] or "") if word != "the")
    heading = set(stems(f"{table.columns[table.key].name} {table.caption} {' '.join(table.sections)}"))
    page = set(stems(f"{table.title} {table.caption}"))
    return role <= heading and any(page.issuperset(name) for name in (place, *NAMES_FOR.get(place, ())))


def _terms(table: TypedTable, name: str) -> list[_Term]:
    """The terms of somebody, each a row; none where one of them cannot be read."""
    assert table.key is not None
    rows = [row for row, text in enumerate(table.columns[table.key].texts) if is_named(name, text)]
    found = [_term_in(table, row) for row in rows]
    return [term for term in found if term] if all(found) else []


def _term_in(table: TypedTable, row: int) -> _Term | None:
    """The term that one cell or two cells of a row say."""
    starts: list[Column] = []
    ends: list[Column] = []
    for column in table.columns:
        words = set(stems(column.name)) - BIRTH_STEMS - DEATH_STEMS
        starts += [column] if not words.isdisjoint(START_HEADER_STEMS) else []
        ends += [column] if not words.isdisjoint(END_HEADER_STEMS) else []
        ranges = parse_quantities(column.texts[row]) if not words.isdisjoint(_TERM_HEADERS) else ()
        whole = [each for each in ranges if isinstance(each, Range)]
        cell = table.cell(row, column.number)
        if len(whole) == 1 and isinstance(whole[0].low, Date) and isinstance(whole[0].high, Date) and cell:
            return _Term(whole[0].low.year or 0, whole[0].high.year or _LATEST, (cell,))
    if not starts or not ends:
        return None
    first, last = _year_of(starts[0].texts[row]), _year_of(ends[0].texts[row])
    if last is None and without_brackets(ends[0].texts[row]).strip().lower() in _OPEN:
        # Somebody whom others followed is not in office still, where the end is left out.
        last = _LATEST if first == max(_year_of(text) or 0 for text in starts[0].texts) else None
    cells = (table.cell(row, column) for column in (table.key, starts[0].number, ends[0].number) if column is not None)
    return _Term(first, last, tuple(cell for cell in cells if cell)) if first and last else None


def _year_of(text: str) -> int | None:
    found = [each for each in parse_quantities(text) if isinstance(each, Date) and each.year]
    return found[0].year if len(found) == 1 and isinstance(found[0], Date) else None


def _place_in_terms(claim: str, found: re.Match[str], terms: list[_Term], moment: Moment) -> Iterator[Reasoning]:
    """The answer of one date; none in the first and last year of a term, where it may be either."""
    year = moment.date.year
    if year is None or any(year in (term.first, term.last) for term in terms):
        return
    inside = [term for term in terms if term.first < year < term.last]
    if not (moment.is_stated if inside else moment.is_only):
        return
    spans = " and ".join(f"from {each.first}" + (f" to {each.last}" if each.last < _LATEST else "") for each in terms)
    said = f"{found['one']} was {found['role']} {spans}, and {moment.said} is {'' if inside else 'not '}then"
    yield conclude_joined(
        claim, bool(inside), said, [id for each in (inside or terms) for id in (*each.ids, *moment.ids)]
    )


def _decide_alive(claim: str, found: re.Match[str], subjects: Subjects, *, alive: bool) -> Iterator[Reasoning]:
    values = subjects.values(found["one"])
    born = [value for value in values if value.attribute == "born"]
    died = [value for value in values if value.attribute == "died"]
    for birth, death, moment in product(born, died, find_moments(found["event"], subjects)):
        first, last, year = birth.read("born"), death.read("died"), moment.date.year
        if not isinstance(first, Date) or not isinstance(last, Date) or not first.year or not last.year or not year:
            continue
        if year in (first.year, last.year) or year < first.year:
            continue
        lived = year < last.year
        if not (moment.is_stated if lived is alive else moment.is_only):
            continue
        said = f"{death.subject} died in {last.year}, and {moment.said} is {'before' if lived else 'after'} that"
        yield conclude_joined(claim, lived is alive, said, (*death.ids, *birth.ids, *moment.ids))
