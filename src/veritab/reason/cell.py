"""Decide claims that give the number of one cell, and name its row and its column by all of their words.

The semantic parser prefers the reading that holds: of "the balcony costs 395" it finds the 395 under the stalls. Where
a claim has one number, one row and one column by name, and says nothing else, only that cell can decide it.
"""

from __future__ import annotations

from collections.abc import Iterable

from veritab.lexicon.accounting import HEDGES, IDLE_STEMS, KIND_STEMS
from veritab.lexicon.comparison import is_comparative, is_superlative
from veritab.lexicon.grammar import DENIALS
from veritab.quantities import Quantity, convert, dimension
from veritab.reason.measurements import without_brackets
from veritab.reason.parsing.claims import ParsedClaim, StatedNumber
from veritab.reason.programs.english import explain
from veritab.reason.programs.executor import Executor
from veritab.reason.programs.programs import All, Is, Literal, Of, Relation, Where
from veritab.reason.reasoner import Reasoning
from veritab.reason.tables import Column, ColumnType, TypedTable
from veritab.reason.uses import find_uses
from veritab.reason.wording import tell
from veritab.text import stems

CONFIDENCE = 0.97
_MAX_ROWS = 2000
_REFUSED = (
    DENIALS | HEDGES | frozenset("no and or nor but only except both each every all any than total up down".split())
)
_GIVING = frozenset("cost costs price charge sell sold amount".split())
"""Verbs that say no more than that something has a number."""
_ROUNDING = 0.02
_SCALE = 200
"""From this factor on, two numbers may be the same in thousands and in millions."""


def decide_cell(claim: ParsedClaim, tables: Iterable[TypedTable]) -> Reasoning | None:
    """What the one cell that a claim names says of it; None where it names none, or several that disagree."""
    said = frozenset(claim.stems)
    if said & _REFUSED or any(is_comparative(stem) or is_superlative(stem) for stem in said):
        return None
    found = [reasoning for table in tables if (reasoning := _decide_by(claim, table))]
    return found[0] if len({each.answer for each in found}) == 1 else None


def _decide_by(claim: ParsedClaim, table: TypedTable) -> Reasoning | None:
    if table.key is None or not 1 < table.height <= _MAX_ROWS:
        return None
    key = table.columns[table.key]
    rows = [row for row, text in enumerate(key.texts) if _occurs(stems(without_brackets(text)), claim.stems)]
    if len(rows) != 1:
        return None
    row = rows[0]
    name = frozenset(stems(key.texts[row]))
    columns = [each for each in table.columns if each is not key and _is_named(each, claim, name)]
    if len(columns) != 1 or columns[0].type is not ColumnType.NUMBER:
        return None
    column = columns[0]
    number = _only_number(claim, table, name, column)
    value, cell = column.values[row], table.cell(row, column.number)
    if number is None or not isinstance(value, Quantity) or cell is None:
        return None
    holds = _agrees(value, number)
    if holds is None:
        return None
    program = Is(
        Of(column.number, Where(All(), key.number, Relation.IS, key.texts[row])), number.relation, _shown(number)
    )
    executor = Executor(table)
    truth = executor.decide(program)
    if truth.holds is not holds:
        return None
    keys = table.cell(row, key.number)
    cells = (cell, keys) if keys else (cell,)
    line, form = tell(program, executor, holds), explain(program, executor)
    true = CONFIDENCE if holds else 1 - CONFIDENCE
    return Reasoning(claim.text, holds, true, program, (line,), cells, (), form, find_uses(program, executor))


def _occurs(name: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether all words of a name stand together in a claim."""
    size = len(name)
    return size > 0 and any(words[place : place + size] == name for place in range(len(words) - size + 1))


def _is_named(column: Column, claim: ParsedClaim, row: frozenset[str]) -> bool:
    header = frozenset(stems(without_brackets(column.name)))
    return bool(column.header) and bool(header) and header <= frozenset(claim.stems) and header.isdisjoint(row)


def _only_number(claim: ParsedClaim, table: TypedTable, row: frozenset[str], column: Column) -> StatedNumber | None:
    """The one number of a claim that the names and the title have not, where no word is left over."""
    key = table.columns[table.key or 0]
    about = (table.title, table.caption, *table.sections, key.name, column.name)
    known = row | frozenset(stem for text in about for stem in stems(text))
    numbers = [each for each in claim.numbers if not known.issuperset(claim.stems[slice(*each.span)])]
    if len(numbers) != 1 or numbers[0].relation is not Relation.IS:
        return None
    value = numbers[0].value
    if not isinstance(value, Quantity) or value.ordinal:
        return None
    taken = range(*numbers[0].span)
    rest = {stem for place, stem in enumerate(claim.stems) if place not in taken}
    return numbers[0] if rest <= known | IDLE_STEMS | KIND_STEMS | _GIVING else None


def _agrees(value: Quantity, number: StatedNumber) -> bool | None:
    stated = number.value
    assert isinstance(stated, Quantity)
    if stated.unit and value.unit:
        converted = convert(value, stated.unit)
        if converted is None:
            return None
        value = converted
    elif value.unit or (stated.unit and not dimension(stated.unit).startswith("money")):
        return None
    if value.value == stated.value:
        return True
    if not value.unit and abs(stated.value) > _SCALE * abs(value.value):
        return None  # 500 may be 500 million euros.
    return False if abs(value.value - stated.value) > _ROUNDING * abs(stated.value) else None


def _shown(number: StatedNumber) -> Literal:
    assert isinstance(number.value, Quantity)
    return Literal(number.value)
