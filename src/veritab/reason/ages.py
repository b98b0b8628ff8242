"""Decide how old somebody was when something happened, by a birth and a date that stand in different places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from veritab.lexicon.accounting import HEDGES, RELATING_STEMS, SLIGHTLY
from veritab.quantities import Date, Quantity, age
from veritab.reason.facts import Fact
from veritab.reason.hedges import hedge_of
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.programs.english import explain
from veritab.reason.programs.executor import Executor, related
from veritab.reason.programs.printing import format_value
from veritab.reason.programs.programs import All, Is, Literal, Of, Relation
from veritab.reason.reasoner import Reasoning
from veritab.reason.settling import as_decided, meets
from veritab.reason.statements import Amount
from veritab.reason.subjects import Subjects, SubjectValue
from veritab.reason.tables import ColumnType, TypedTable
from veritab.reason.tables.synthetic import SourcedText, SyntheticTable, ToldValue
from veritab.reason.wording import tell
from veritab.text import stems

CONFIDENCE = 0.97
_MAX_ROWS, _MAX_DATES = 2000, 6
_OLDEST = 125
_WHEN = re.compile(r"(?P<name>[^,]+?) was (?P<amount>[^,]+?) when (?P<event>.+?)[.?!\s]*\Z")
_AFTER_WHEN = re.compile(r"When (?P<event>[^,]+?), (?P<name>[^,]+?) was (?P<amount>[^,]+?)[.?!\s]*\Z")
_PRONOUN, _POSSESSIVE = re.compile(r"\A(?:he|she)\b"), re.compile(r"\A(?:his|her)\b")
_AGED = frozenset({"year", "old", "age", "aged", "already", "still", "only"})
_DENIALS = frozenset({"no", "not"})


class _AgeAt(NamedTuple):
    """Who was how old, and when: a clause with its subject in it."""

    name: str
    amount: Amount
    event: str


def decide_age_at(
    claim: str, subjects: Subjects, tables: Iterable[TypedTable], decide: Callable[[str], bool | None]
) -> Reasoning | None:
    """What a birth and the date of an event say of a claim; `decide` says whether something happened on a date."""
    said = _parse(claim)
    births = [each for each in subjects.values(said.name) if each.attribute == "born"] if said else []
    if said is None or len({each.text for each in births}) != 1 or not isinstance(births[0].read(), Date):
        return None
    dates = [each for each in _dates_named(said, tables) if decide(f"{said.event} {_at(each)}")]
    readings = {format_value(each.read() or Date()) for each in dates}
    return _decide(claim, said.amount, births[0], dates[0]) if len(readings) == 1 else None


def _parse(claim: str) -> _AgeAt | None:
    found = _WHEN.match(claim) or _AFTER_WHEN.match(claim)
    if not found:
        return None
    name, phrase = found["name"], ParsedClaim(found["amount"])
    number = phrase.numbers[0] if len(phrase.numbers) == 1 else None
    value = number.value if number else None
    if number is None or not isinstance(value, Quantity) or value.ordinal or value.unit not in ("", "year"):
        return None
    rest = {word for place, word in enumerate(phrase.stems) if place not in range(*number.span)}
    if not rest <= RELATING_STEMS | HEDGES | SLIGHTLY | _AGED or not 0 < value.value < _OLDEST:
        return None
    if not rest.isdisjoint(_DENIALS) and "than" not in rest:
        return None
    slight = not rest.isdisjoint(SLIGHTLY)
    event = _POSSESSIVE.sub(f"{name}'s", _PRONOUN.sub(name, found["event"]))
    return _AgeAt(name, Amount(number, hedge_of(phrase.stems, *number.span), slight=slight), event)


def _dates_named(said: _AgeAt, tables: Iterable[TypedTable]) -> list[SubjectValue]:
    """The dates of the rows that the clause names."""
    words = frozenset(stems(said.event))
    found: dict[str, SubjectValue] = {}
    for table in tables:
        if table.key is None or not 1 < table.height <= _MAX_ROWS:
            continue
        for row, text in enumerate(table.columns[table.key].texts):
            name = frozenset(stems(text))
            if name and name <= words:
                for value in _row_dates(table, row):
                    found.setdefault(value.text, value)
    return list(found.values())[:_MAX_DATES]


def _row_dates(table: TypedTable, row: int) -> Iterator[SubjectValue]:
    for column in table.columns:
        value, cell = column.values[row], table.cell(row, column.number)
        if column.type is ColumnType.DATE and isinstance(value, Date) and cell is not None:
            yield SubjectValue(column.texts[row], "date", column.name, column.texts[row], (cell,), "", value)


def _at(date: SubjectValue) -> str:
    reading = date.read() or Date()
    return f"{'on' if isinstance(reading, Date) and reading.day else 'in'} {format_value(reading)}"


def _decide(claim: str, amount: Amount, born: SubjectValue, date: SubjectValue) -> Reasoning | None:
    birth, event = born.read(), date.read()
    years = age(birth, event) if isinstance(birth, Date) and isinstance(event, Date) else None
    stated = amount.number.value
    if years is None or not isinstance(stated, Quantity):
        return None
    text = f"{years.value:.0f} years"
    start, end = format_value(birth or Date()), format_value(event or Date())
    told = ToldValue(f"from {start}, when {born.subject} was born, to {end}", "", text)
    table = SyntheticTable(
        date.ids[0], [SourcedText("Age", date.ids[0])], [[SourcedText(text, date.ids[0])]], told=(told,)
    )
    executor = Executor(table.typed())
    program = Is(Of(0, All()), amount.number.relation, Literal(stated))
    # Without the day of both it may be a year less.
    possible = (years, replace(years, value=years.value - 1)) if years.step else (years,)
    answers = {meets(each, amount, related(each, amount.number.relation, stated)) for each in possible}
    holds = answers.pop() if len(answers) == 1 else None
    # Somebody of 40 years and some months is over 40, and is not.
    if holds is None or (amount.number.relation is Relation.ABOVE and years.value == stated.value):
        return None
    program = as_decided(program, years, holds)
    ids = (*date.ids, *born.ids)
    fact = Fact(f"from {start} to {end} it is {text}.", ids, 2.0 * CONFIDENCE)
    line, true = tell(program, executor, holds), CONFIDENCE if holds else 1 - CONFIDENCE
    return Reasoning(claim, holds, true, program, (line,), ids, (fact,), explain(program, executor))
