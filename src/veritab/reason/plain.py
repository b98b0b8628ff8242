"""Decide plain statements about named things by what pages say of these things.

All values that pages give for a thing have to agree on the answer: where one census makes a city the larger one and
another does not, nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice, product

from veritab.lexicon.accounting import HEDGES, RELATING_STEMS, SLIGHTLY
from veritab.lexicon.grammar import NAME_PARTICLES
from veritab.lexicon.measures import DATE_ATTRIBUTES
from veritab.quantities import Date, Quantity, Range, Reading, age, agree, convert, dimension, parse_quantities
from veritab.reason.facts import Fact
from veritab.reason.hedges import hedge_of, holds_roughly
from veritab.reason.measurements import without_brackets
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.programs.english import explain
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.printing import format_value
from veritab.reason.programs.programs import (
    All,
    Is,
    Literal,
    Not,
    Of,
    Ratio,
    Relation,
    Same,
    Subtraction,
    TruthProgram,
    Where,
)
from veritab.reason.reasoner import Reasoning
from veritab.reason.settling import as_decided, by_calendar, can_differ_by, comparable, meets, settle_limit
from veritab.reason.source_words import tell_value
from veritab.reason.statements import (
    WITHIN,
    AgeStatement,
    Amount,
    ComparisonStatement,
    EventStatement,
    SameStatement,
    Statement,
    ValueStatement,
    parse_statements,
    split_statement,
)
from veritab.reason.subjects import Subjects, SubjectValue
from veritab.reason.tables.synthetic import SourcedText, SyntheticTable, ToldValue
from veritab.reason.wording import tell
from veritab.schema import ElementId
from veritab.text import stems

CONFIDENCE = 0.97
_MAX_STATEMENTS, _MAX_VALUES, _MAX_PAIRS = 6, 6, 16
_ROUNDING = 0.02
"""Numbers closer than this share are neither the same nor different: one of them is rounded or a year older."""


def decide_plainly(claim: str, subjects: Subjects) -> Reasoning | None:
    """What pages say of a claim that is one plain statement; None where it is not, or they do not say.

    Where pages have the values and the values leave it open, the answer of the reasoning is None.
    """
    parts = split_statement(claim)
    return _decide_together(claim, parts, subjects) if parts else _decide_one(claim, subjects)


def _decide_one(claim: str, subjects: Subjects) -> Reasoning | None:
    for statement in islice(parse_statements(claim), _MAX_STATEMENTS):
        found = list(_decide(claim, statement, subjects))
        if found:
            return found[0] if len({each.answer for each in found}) == 1 else Reasoning(claim)
    return None


def _decide_together(claim: str, parts: Sequence[str], subjects: Subjects) -> Reasoning | None:
    """The answer to a claim that says several things: false where one is false, true where all are true."""
    found = [_decide_one(part, subjects) or Reasoning(part) for part in parts]
    false = [each for each in found if each.answer is False]
    if not false and not all(each.answer for each in found):
        return None
    deciding = false or found
    true = min(each.true for each in deciding)
    lines = tuple(line for each in deciding for line in each.lines)
    cells = tuple(dict.fromkeys(cell for each in deciding for cell in each.cells))
    facts = tuple(fact for each in deciding for fact in each.facts)
    form = "; ".join(each.form for each in deciding)
    return Reasoning(claim, not false, true, deciding[0].program, lines, cells, facts, form)


def _decide(claim: str, statement: Statement, subjects: Subjects) -> Iterator[Reasoning]:
    match statement:
        case ComparisonStatement():
            yield from _compare(claim, statement, subjects)
        case AgeStatement():
            yield from _decide_age(claim, statement, subjects)
        case SameStatement():
            yield from _decide_same(claim, statement, subjects)
        case ValueStatement():
            yield from _decide_value(claim, statement, subjects)
        case EventStatement():
            yield from _decide_event(claim, statement, subjects)


def _find(subjects: Subjects, name: str, attribute: str) -> list[SubjectValue]:
    return [value for value in subjects.values(name) if value.attribute == attribute][:_MAX_VALUES]


# -- two things --------------------------------------------------------------------------------------------


def _compare(claim: str, statement: ComparisonStatement, subjects: Subjects) -> Iterator[Reasoning]:
    for attribute in statement.attributes:
        if attribute == "lifetime":
            pairs = product(_lifetimes(subjects, statement.one), _lifetimes(subjects, statement.other))
        else:
            pairs = product(_find(subjects, statement.one, attribute), _find(subjects, statement.other, attribute))
        decided = [
            reasoning
            for one, other in islice(pairs, _MAX_PAIRS)
            if (reasoning := _compare_values(claim, statement, attribute, one, other))
        ]
        yield from decided
        if decided and not statement.must_agree:
            return


def _lifetimes(subjects: Subjects, name: str) -> list[SubjectValue]:
    """How old someone became, from the days of birth and death."""
    found = []
    for born, died in product(_find(subjects, name, "born"), _find(subjects, name, "died")):
        one, other = born.read(), died.read()
        years = age(one, other) if isinstance(one, Date) and isinstance(other, Date) else None
        if years and not years.step:
            span = f"{format_value(one or Date())} to {format_value(other or Date())}"
            text, ids = f"{years.value:.0f} years ({span})", (*died.ids, *born.ids)
            found.append(SubjectValue(born.subject, "lifetime", "lifetime", text, ids, "year", years))
    return found


def _compare_values(
    claim: str, statement: ComparisonStatement, attribute: str, one: SubjectValue, other: SubjectValue
) -> Reasoning | None:
    first, second = one.read(attribute), other.read(attribute)
    if first is None or second is None or not comparable(first, second) or one.subject == other.subject:
        return None
    table, rows = _tabulate(attribute, [(one, first), (other, second)])
    left, right = Of(1, rows[0]), Of(1, rows[1])
    amount = statement.amount
    if amount is None:
        relation = Relation.ABOVE if statement.up > 0 else Relation.BELOW
        program: TruthProgram = Is(left, relation, right)
        holds = Executor(table.typed()).decide(program).holds
        if holds is None or (statement.vague and holds):
            return Reasoning(claim)
        if statement.negated:
            return _conclude(claim, table, Not(program), not holds)
        return _conclude(claim, table, program, holds, statement.word or None)
    if amount.is_factor:
        combined: Ratio | Subtraction = Ratio(left, right)
    else:
        if not can_differ_by(amount.number.value, first):
            return None
        combined = Subtraction(left, right) if statement.up > 0 else Subtraction(right, left)
    program = Is(combined, amount.number.relation, Literal(amount.number.value))
    executor = Executor(table.typed())
    value = executor.compute(combined).value
    holds = meets(value, amount, executor.decide(program).holds)
    if isinstance(first, Date) and isinstance(second, Date):
        later, earlier = (first, second) if statement.up > 0 else (second, first)
        holds = by_calendar(holds, amount, later, earlier)
    return Reasoning(claim) if holds is None else _conclude(claim, table, as_decided(program, value, holds), holds)


def _tabulate(attribute: str, values: Sequence[tuple[SubjectValue, Reading]]) -> tuple[SyntheticTable, list[Where]]:
    """A small table of the values, and programs for its rows."""
    first = values[0][0]
    same = len({value.header for value, _ in values}) == 1
    header = [SourcedText("name", first.ids[-1]), SourcedText(first.header if same else attribute, first.ids[0])]
    body = []
    for value, reading in values:
        # South of the equator a latitude is negative, which its cell says with a letter.
        as_written = same and value.reading is None and attribute != "latitude"
        text = value.text if as_written else format_value(reading)
        body.append([SourcedText(value.subject, value.ids[-1]), SourcedText(text, value.ids[0])])
    told = [_tell(value, reading if value.attribute != "lifetime" else None) for value, reading in values]
    table = SyntheticTable(first.ids[0], header, body, told=told)
    return table, [Where(All(), 0, Relation.IS, value.subject) for value, _ in values]


def _tell(value: SubjectValue, reading: Reading | None) -> ToldValue:
    return tell_value(value.header, value.subject, value.text, reading, value.unit)


def _conclude(
    claim: str, table: SyntheticTable, program: TruthProgram, holds: bool, word: str | None = None
) -> Reasoning:
    """The reasoning of a program over a small table."""
    executor = Executor(table.typed())
    line, form = tell(program, executor, holds, word), explain(program, executor)
    cells = tuple(dict.fromkeys(square.id for row in table.body for square in reversed(row)))
    fact = Fact(f"{form}.", cells, 2.0 * CONFIDENCE)
    return Reasoning(claim, holds, CONFIDENCE if holds else 1 - CONFIDENCE, program, (line,), cells, (fact,), form)


# -- ages --------------------------------------------------------------------------------------------------


def _decide_age(claim: str, statement: AgeStatement, subjects: Subjects) -> Iterator[Reasoning]:
    amount = statement.amount
    for years, period, ids in _periods(statement, subjects):
        text = f"{years.value:.0f} years"
        name = "Age" if statement.until == "died" else "Time"
        told = ToldValue(period, "", text)
        table = SyntheticTable(ids[0], [SourcedText(name, ids[0])], [[SourcedText(text, ids[0])]], told=(told,))
        program = Is(Of(0, All()), amount.number.relation, Literal(amount.number.value))
        holds = meets(years, amount, Executor(table.typed()).decide(program).holds)
        program = as_decided(program, years, bool(holds))
        if holds is None or (years.step and _is_open(years, amount)):
            continue
        yield replace(_conclude(claim, table, program, holds), cells=ids)


def _periods(statement: AgeStatement, subjects: Subjects) -> Iterator[tuple[Quantity, str, tuple[ElementId, ...]]]:
    """The years of a life or a reign, when it began and ended, and what says so."""
    if statement.until == "died":
        for born, died in product(_find(subjects, statement.one, "born"), _find(subjects, statement.one, "died")):
            one, other = born.read(), died.read()
            years = age(one, other) if isinstance(one, Date) and isinstance(other, Date) else None
            if years:
                start, end = format_value(one or Date()), format_value(other or Date())
                yield years, f"{born.subject}, born {start}, died {end}", (*died.ids, *born.ids)
        return
    for reign in _find(subjects, statement.one, "reign"):
        ranges = [each for each in parse_quantities(reign.text) if isinstance(each, Range)]
        if len(ranges) == 1 and isinstance(ranges[0].low, Date) and isinstance(ranges[0].high, Date):
            years = age(ranges[0].low, ranges[0].high)
            if years:
                start, end = format_value(ranges[0].low), format_value(ranges[0].high)
                yield years, f"{reign.header} of {reign.subject} from {start} to {end}", reign.ids


def _is_open(years: Quantity, amount: Amount) -> bool:
    """Whether an age that may be one less leaves the answer open."""
    stated = amount.number.value
    assert isinstance(stated, Quantity)
    return abs(years.value - stated.value) <= 1 or amount.number.relation is not Relation.IS


# -- the same, and values ----------------------------------------------------------------------------------

_PARTS = re.compile(r"\s*(?:[,;/•·]|\band\b)\s*")


def _decide_same(claim: str, statement: SameStatement, subjects: Subjects) -> Iterator[Reasoning]:
    attribute = statement.attribute
    pairs = product(_find(subjects, statement.one, attribute), _find(subjects, statement.other, attribute))
    for one, other in islice(pairs, _MAX_PAIRS):
        same = _are_same(attribute, one, other)
        if same is None or one.subject == other.subject:
            continue
        values = [(value, value.read(attribute) or Date()) for value in (one, other)]
        dates = attribute in DATE_ATTRIBUTES
        table, _ = _tabulate(attribute, values) if dates else (_tabulate_texts([one, other]), None)
        program: TruthProgram = Same(1, All())
        holds = same is statement.same
        yield _conclude(claim, table, program if statement.same else Not(program), holds)


def _tabulate_texts(values: Sequence[SubjectValue]) -> SyntheticTable:
    first = values[0]
    header = [SourcedText("name", first.ids[-1]), SourcedText(first.header, first.ids[0])]
    return SyntheticTable(
        first.ids[0],
        header,
        [[SourcedText(v.subject, v.ids[-1]), SourcedText(without_brackets(v.text), v.ids[0])] for v in values],
        told=[ToldValue(v.header, v.subject, without_brackets(v.text)) for v in values],
    )


def _are_same(attribute: str, one: SubjectValue, other: SubjectValue) -> bool | None:
    if attribute in DATE_ATTRIBUTES:
        first, second = one.read(attribute), other.read(attribute)
        if isinstance(first, Date) and isinstance(second, Date):
            return first.year == second.year
        return None
    left, right = (stems(without_brackets(value.text)) for value in (one, other))
    if not left or not right:
        return None
    if left == right:
        return True
    return False if set(left).isdisjoint(right) else None


def _decide_value(claim: str, statement: ValueStatement, subjects: Subjects) -> Iterator[Reasoning]:
    for attribute in statement.attributes:
        values = _find(subjects, statement.one, "country" if attribute == WITHIN else attribute)
        values = [value for value in values if statement.year in f"{value.header} {value.text}"]
        if not parse_quantities(statement.value) and attribute in DATE_ATTRIBUTES:
            values = [value for value in values if value.read(attribute) is None]  # By whom, not when.
        if attribute == WITHIN:
            judged = [(value, _judge_country(value, statement.value, subjects)) for value in values]
        else:
            judged = [(value, _judge_value(attribute, value, statement.value)) for value in values]
        known = [(value, judgement) for value, judgement in judged if judgement is not None]
        if not judged:
            continue
        if len(known) < len(judged) or (statement.confirms and not any(judgement[0] for _, judgement in known)):
            return
        # A claim may give any of several values, and contradicts only all of them.
        true = [(value, judgement) for value, judgement in known if judgement[0]]
        for value, (holds, program) in (true or known)[:1]:
            table = _tabulate_texts([value]) if isinstance(program, str) else _tabulate_number(attribute, value)
            row = Where(All(), 0, Relation.IS, value.subject)
            said = (
                Is(Of(1, row), Relation.IS, Literal(program))
                if isinstance(program, str)
                else replace(program, one=Of(1, row))
            )
            yield _conclude(claim, table, Not(said) if statement.negated else said, holds is not statement.negated)


def _decide_event(claim: str, statement: EventStatement, subjects: Subjects) -> Iterator[Reasoning]:
    for value in islice(subjects.event_dates(statement.event), _MAX_VALUES):
        holds, program = _judge_value("date", value, statement.date) or (None, "")
        if isinstance(program, Is) and holds is not None and (holds or not statement.confirms):
            said = replace(program, one=Of(1, Where(All(), 0, Relation.IS, value.subject)))
            yield _conclude(claim, _tabulate_number("date", value), said, holds)


def _tabulate_number(attribute: str, value: SubjectValue) -> SyntheticTable:
    reading = value.read(attribute)
    assert reading is not None
    table, _ = _tabulate(attribute, [(value, reading)])
    return table


def _judge_value(attribute: str, value: SubjectValue, said: str) -> tuple[bool, Is | str] | None:
    """Whether what is said is the value, with the program or the text that shows it; None where one cannot tell."""
    phrase = ParsedClaim(said)
    if phrase.numbers:
        return _judge_number(attribute, value, phrase)
    return _judge_text(value, said)


def _judge_number(attribute: str, value: SubjectValue, phrase: ParsedClaim) -> tuple[bool, Is | str] | None:
    reading = value.read(attribute)
    if reading is None or len(phrase.numbers) != 1:
        return None
    amount = _amount_of(phrase)
    if amount is None:
        return None
    stated = amount.number
    program = Is(Of(1, All()), stated.relation, Literal(stated.value))
    if isinstance(reading, Date) or isinstance(stated.value, Date):
        if not (isinstance(reading, Date) and isinstance(stated.value, Date)) or stated.relation is not Relation.IS:
            return None
        return agree(reading, stated.value), program
    if stated.value.unit and dimension(stated.value.unit) != dimension(reading.unit):
        return None
    if amount.hedge:
        roughly = holds_roughly(reading, stated.value, amount.hedge)
        return None if roughly is None else (roughly, as_decided(program, reading, roughly))
    table = _tabulate_number(attribute, value)
    holds = Executor(table.typed()).decide(program).holds
    holds = holds if holds is None else settle_limit(holds, reading, amount)
    if holds is None:
        return None
    if not holds and stated.relation is Relation.IS and _is_close(reading, stated.value):
        return None
    return holds, program


def _is_close(reading: Quantity, stated: Quantity) -> bool:
    converted = convert(reading, stated.unit) if stated.unit and reading.unit else reading
    return converted is None or abs(converted.value - stated.value) <= _ROUNDING * abs(stated.value)


def _amount_of(phrase: ParsedClaim) -> Amount | None:
    """The number of a phrase that has no other words than those that relate to it."""
    number = phrase.numbers[0]
    rest = {word for place, word in enumerate(phrase.stems) if place not in range(*number.span)}
    if not rest <= RELATING_STEMS | HEDGES | SLIGHTLY:
        return None
    return Amount(number, hedge_of(phrase.stems, *number.span), slight=not rest.isdisjoint(SLIGHTLY))


def _judge_text(value: SubjectValue, said: str) -> tuple[bool, Is | str] | None:
    wanted = stems(said)
    cell = without_brackets(value.text)
    parts = [stems(part) for part in (cell, value.text, *_PARTS.split(cell))]
    if not wanted or not _is_name(said):
        return None
    if wanted in parts:
        return True, cell
    words = {word for part in parts for word in part}
    several = len(_PARTS.split(cell)) > 1
    if several or not _is_name(cell) or not words.isdisjoint(wanted):
        return None
    return False, said


def _judge_country(value: SubjectValue, said: str, subjects: Subjects) -> tuple[bool, Is | str] | None:
    """Whether a thing lies in a country: all of its countries are listed; what has a capital and no country is one."""
    countries = [stems(part) for part in _PARTS.split(without_brackets(value.text))]
    if stems(said) in countries:
        return True, value.text
    return (False, said) if _find(subjects, said, "capital") and not _find(subjects, said, "country") else None


def _is_name(text: str) -> bool:
    words = text.split()
    return bool(words) and len(words) <= 5 and all(w[0].isupper() or w.lower() in NAME_PARTICLES for w in words)
