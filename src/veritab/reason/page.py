"""Reasoning over all that a page, or the evidence found for a claim, holds: tables, lists, infoboxes and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from veritab.reason.facts import Fact
from veritab.reason.pairs.measures import Measure, in_sentence, in_table
from veritab.reason.pairs.weighing import MOST_LEFT, Weighed, weigh
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.programs.programs import Is, Not, TruthProgram
from veritab.reason.reasoner import Reasoner, Reasoning
from veritab.reason.tables import TypedTable
from veritab.reason.tables.combining import combine_tables
from veritab.reason.tables.lists import build_list_table
from veritab.schema import Element, ElementId, Kind, Page, Table

_MOST_SENTENCES = 500
_UNEXPLAINED_AMONG_PAGES = 1
"""How many words may be left over where evidence comes from several pages: there is always one that some words fit."""
_AMONG_PAGES = Reasoner(sure=0.75, unexplained=_UNEXPLAINED_AMONG_PAGES)
_SAID = frozenset({Kind.SENTENCE, Kind.PASSAGE})


def tables_of(source: Page | Iterable[Element]) -> tuple[TypedTable, ...]:
    """The tables of a page, infoboxes among them, and its lists as tables; of elements, their lists."""
    if isinstance(source, Page):
        return (*map(TypedTable.of, source.tables), *_lists(source.elements))
    return _lists(source)


def page_reasoning(
    claim: str,
    tables: Iterable[Table | TypedTable] = (),
    elements: Iterable[Element] = (),
    *,
    reasoner: Reasoner | None = None,
) -> Reasoning:
    """What tables, list items and sentences together say of a claim.

    Cells among the elements are passed over: what they say is read in their table, which has to be given too.
    """
    given = list(elements)
    typed = [table if isinstance(table, TypedTable) else TypedTable.of(table) for table in tables]
    typed += _lists(given)
    join_tables = _combined(table for table in typed if table.id.kind is Kind.TABLE)
    parsed = ParsedClaim(claim)
    strays = len({*(table.id.page for table in typed), *(element.id.page for element in given)}) > 1
    chosen = reasoner or (_AMONG_PAGES if strays else Reasoner())
    found = chosen.reason(claim, [*typed, *join_tables])
    sentences = [element for element in given if element.kind in _SAID][:_MOST_SENTENCES]
    most_left = _UNEXPLAINED_AMONG_PAGES if strays else MOST_LEFT
    weighed = weigh(parsed, _measures(parsed, [*typed, *join_tables], sentences), most_left)
    return _together(found, weighed, typed) if weighed else found


def _combined(tables: Iterable[TypedTable]) -> list[TypedTable]:
    """The tables of each page together; what two pages say of one name may be of two things."""
    pages: dict[str, list[TypedTable]] = {}
    for table in tables:
        pages.setdefault(table.id.page, []).append(table)
    return [made for page in pages.values() for made in combine_tables(page)]


def _lists(elements: Iterable[Element]) -> tuple[TypedTable, ...]:
    """Each list among elements as a table, announced by the sentence right before it that ends in a colon."""
    items: dict[tuple[str, int], list[Element]] = {}
    leads: dict[tuple[str, int], str] = {}
    lead = ""
    for element in elements:
        if element.kind is Kind.ITEM:
            name = (element.id.page, element.id.path[0])
            leads.setdefault(name, lead)
            items.setdefault(name, []).append(element)
        if element.kind is not Kind.LIST:
            lead = element.text if element.kind is Kind.SENTENCE and element.text.endswith(":") else ""
    made = (build_list_table(given, leads[name]) for name, given in items.items())
    return tuple(table for table in made if table)


def _measures(parsed: ParsedClaim, tables: Sequence[TypedTable], sentences: Sequence[Element]) -> list[Measure]:
    wanted = frozenset(parsed.stems[place] for place in parsed.content)
    found = [measure for table in tables for measure in in_table(table, wanted)]
    return found + [measure for sentence in sentences for measure in in_sentence(sentence)]


# -- what the reasoner learned, and what the rules of `pairs` say -------------------------------------------

# From here on the rules left next to no word over, and name exactly the cells that decide.
_EXACT = 0.85
_EXACT_BEYOND = 0.80
"""As much, where the reasoner's own sureness says little."""
_SURER = 0.1


def _together(found: Reasoning, weighed: Weighed, tables: Sequence[TypedTable]) -> Reasoning:
    """One answer of two; none where they contradict each other and neither is clearly surer."""
    fact = Fact(f"{weighed.lines[-1].rpartition(', so ')[0]}.", weighed.ids, 2.0 * weighed.sure)
    found = replace(found, facts=(fact, *(each for each in found.facts if each.text != fact.text)))
    true = weighed.sure if weighed.holds else 1 - weighed.sure
    ruled = Reasoning(found.claim, weighed.holds, true, weighed.program, weighed.lines, weighed.ids, found.facts)
    beyond = weighed.sure >= _EXACT_BEYOND and not _in_one_table(weighed, tables)
    if found.answer is None or (beyond and found.answer is not ruled.answer):
        return ruled
    if found.answer is not ruled.answer:
        if abs(found.confidence - ruled.confidence) < _SURER:
            return Reasoning(found.claim, None, (found.true + true) / 2, facts=found.facts)
        return max(found, ruled, key=lambda each: each.confidence)
    surer = max(found.true, true) if weighed.holds else min(found.true, true)
    exact = (beyond or weighed.sure >= _EXACT) and not _says_as_much(found, weighed)
    return replace(ruled if exact else found, true=surer)


def _in_one_table(weighed: Weighed, tables: Sequence[TypedTable]) -> bool:
    """Whether one table of several rows says it all, as those did that the reasoner learned from."""
    lists = {Kind.ITEM: Kind.LIST}
    sources = {ElementId(id.page, lists.get(id.kind, Kind.TABLE), id.path[:1]) for id in weighed.ids if id.path}
    said = any(id.kind in _SAID for id in weighed.ids)
    return not said and len(sources) == 1 and all(table.height > 1 for table in tables if table.id in sources)


def _says_as_much(found: Reasoning, weighed: Weighed) -> bool:
    """Whether the reasoner computed the same of the same cells, whose names it knows best."""
    return set(weighed.ids) <= set(found.cells) and _shape(found.program) == _shape(weighed.program)


def _shape(program: TruthProgram | None) -> tuple[type, ...]:
    """What a statement sets against what."""
    match program:
        case Not(statement):
            return (Not, *_shape(statement))
        case Is(one, _, other):
            return (Is, type(one), type(other))
    return (type(program),)
