"""Reasoning over all that a page, or the evidence for a claim, holds: tables, lists, infoboxes and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from veritab.reason.ages import decide_age_at
from veritab.reason.cell import decide_cell
from veritab.reason.changes import decide_change
from veritab.reason.comparisons import decide_comparison
from veritab.reason.comparisons.word_by_word import decide_word_by_word
from veritab.reason.joined import decide_joined
from veritab.reason.measurements import sentence_measurements, table_measurements
from veritab.reason.parsing.claims import ParsedClaim
from veritab.reason.plain import decide_plainly
from veritab.reason.programs.programs import Is, Not, TruthProgram
from veritab.reason.reasoner import Reasoner, Reasoning
from veritab.reason.statements import split_statement
from veritab.reason.subjects import Subjects
from veritab.reason.tables import TypedTable
from veritab.reason.tables.combining import combine_tables
from veritab.reason.tables.lists import build_list_table
from veritab.reason.tables.summing import leave_out_sum
from veritab.schema import Element, ElementId, Kind, Table

_MAX_SENTENCES = 500
_TEXTS = frozenset({Kind.SENTENCE, Kind.PASSAGE})


def page_reasoning(
    claim: str,
    tables: Iterable[Table | TypedTable] = (),
    elements: Iterable[Element] = (),
    *,
    reasoner: Reasoner | None = None,
) -> Reasoning:
    """What tables, list items and sentences together say of a claim.

    Cells among the elements are passed over: they are read in their table, which has to be given too.
    """
    elements = list(elements)
    typed = [table if isinstance(table, TypedTable) else TypedTable.of(table) for table in tables]
    typed += _list_tables(elements)
    # What two pages say of one name may be of two things, so that only tables of one page are combined.
    by_page: dict[str, list[TypedTable]] = {}
    for table in typed:
        if table.id.kind is Kind.TABLE:
            by_page.setdefault(table.id.page, []).append(table)
    every_table = [*typed, *(combined for page in by_page.values() for combined in combine_tables(page))]
    subjects = Subjects(typed, elements)
    plainly = decide_plainly(claim, subjects) or decide_age_at(
        claim, subjects, typed, lambda event: page_reasoning(event, typed, elements, reasoner=reasoner).answer
    )
    parsed = (reasoner or Reasoner(complete=True)).reason(claim, every_table)
    if parsed.answer is None and not reasoner:
        # What is said of all rows is not said of the row that sums them up.
        lessened = [without for table in typed if (without := leave_out_sum(table))]
        again = Reasoner(complete=True).reason(claim, lessened)
        parsed = parsed if again.answer is None else replace(again, facts=parsed.facts)
    words = ParsedClaim(claim)
    wanted = frozenset(words.stems[place] for place in words.content)
    measurements = [each for table in every_table for each in table_measurements(table, wanted)]
    for sentence in [element for element in elements if element.kind in _TEXTS][:_MAX_SENTENCES]:
        measurements += sentence_measurements(sentence)
    # Of two statements a comparison would decide one, by words of both.
    compared = None
    if not split_statement(claim):
        compared = decide_word_by_word(words, typed) or decide_comparison(words, measurements)
    found = _resolve(parsed, compared, typed) if compared and compared.answer is not None else parsed
    if found.answer is None and (given := decide_cell(words, typed)):
        found = replace(given, facts=found.facts)
    if found.answer is None and not (plainly and plainly.answer is not None):
        joined = decide_joined(claim, subjects) or decide_change(claim, elements)
        return _prefer_plain(joined, found) if joined else found
    return _prefer_plain(plainly, found) if plainly else found


def _prefer_plain(plainly: Reasoning, found: Reasoning) -> Reasoning:
    """The answer to a claim that was read whole, with the facts of the others."""
    facts = (*plainly.facts, *(fact for fact in found.facts if fact not in plainly.facts))
    return replace(plainly, facts=facts)


def _list_tables(elements: Iterable[Element]) -> tuple[TypedTable, ...]:
    """Each list among elements as a table, introduced by the sentence right before it that ends in a colon."""
    items: dict[tuple[str, int], list[Element]] = {}
    introductions: dict[tuple[str, int], str] = {}
    introduction = ""
    for element in elements:
        if element.kind is Kind.ITEM:
            name = (element.id.page, element.id.path[0])
            introductions.setdefault(name, introduction)
            items.setdefault(name, []).append(element)
        if element.kind is not Kind.LIST:
            introduction = element.text if element.kind is Kind.SENTENCE and element.text.endswith(":") else ""
    tables = (build_list_table(own, introductions[name]) for name, own in items.items())
    return tuple(table for table in tables if table)


# -- the parser's answer and the comparison's --------------------------------------------------------------

_EXACT = 0.85
"""From here on a comparison leaves next to no word unexplained, and cites exactly the cells that decide."""
_EXACT_BEYOND_TABLES = 0.80
"""As much, where the parser's own confidence means little: it was fitted to single tables of several rows."""
_CLEAR_MARGIN = 0.1


def _resolve(parsed: Reasoning, compared: Reasoning, tables: Sequence[TypedTable]) -> Reasoning:
    """One answer of two; none where they contradict each other and neither is clearly more confident."""
    (fact,) = compared.facts
    facts = (fact, *(each for each in parsed.facts if each.text != fact.text))
    compared = replace(compared, facts=facts)
    beyond = compared.confidence >= _EXACT_BEYOND_TABLES and not _rests_on_one_table(compared, tables)
    if parsed.answer is None or (beyond and parsed.answer is not compared.answer):
        return compared
    if parsed.answer is compared.answer:
        true = max(parsed.true, compared.true) if compared.answer else min(parsed.true, compared.true)
        exact = (beyond or compared.confidence >= _EXACT) and not _computes_the_same(parsed, compared)
        return replace(compared if exact else parsed, true=true, facts=facts)
    if abs(parsed.confidence - compared.confidence) < _CLEAR_MARGIN:
        return Reasoning(parsed.claim, None, (parsed.true + compared.true) / 2, facts=facts)
    return replace(max(parsed, compared, key=lambda each: each.confidence), facts=facts)


def _computes_the_same(parsed: Reasoning, compared: Reasoning) -> bool:
    """Whether the parser set the same kinds of values against each other over the same cells, and names them best."""
    covers = set(compared.cells) <= set(parsed.cells)
    return covers and _shape(parsed.program) == _shape(compared.program)


def _shape(program: TruthProgram | None) -> tuple[type, ...]:
    """The kinds of values that a program compares."""
    match program:
        case Not(statement):
            return (Not, *_shape(statement))
        case Is(one, _, other):
            return (Is, type(one), type(other))
    return (type(program),)


def _rests_on_one_table(reasoning: Reasoning, tables: Sequence[TypedTable]) -> bool:
    """Whether all its cells are of one table of several rows, as those were that the parser was fitted to."""
    kinds = {Kind.ITEM: Kind.LIST}
    sources = {ElementId(id.page, kinds.get(id.kind, Kind.TABLE), id.path[:1]) for id in reasoning.cells if id.path}
    in_text = any(id.kind in _TEXTS for id in reasoning.cells)
    return not in_text and len(sources) == 1 and all(table.height > 1 for table in tables if table.id in sources)
