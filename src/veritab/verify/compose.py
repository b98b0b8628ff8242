"""Composes what a model reads: the pieces of evidence most similar to the claim first, and derived facts.

Training examples are made by the same functions, so that a model meets in use what it was trained on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, groupby, islice, zip_longest
from typing import TypeAlias

from veritab.schema import CELLS, Element, ElementId, Evidence, Hit, Kind, Table
from veritab.verify.evidence import PRECEDING
from veritab.verify.render import Length, Rendered, render
from veritab.verify.rows import is_vertical_table, rank_by_overlap, select_rows

Piece: TypeAlias = tuple[Element, ...]
"""What is read or left out as one: an element, or the cells of a row."""

_TABLE_KINDS = CELLS | {Kind.TABLE_CAPTION}
TEXT_KINDS = frozenset({Kind.SENTENCE, Kind.PASSAGE, Kind.ITEM})
_FACT_WORDS, _FACT_SHARE = 200, 200 / 320
# What was retrieved is more than tables.
_RETRIEVED_FACT_WORDS, _RETRIEVED_FACT_SHARE = 90, 0.4
_MOST_TABLES = 12
_SAMPLE = 200
_WIDEST_ROW = 8
# A text that is cut leaves room for what is printed before it, and for words that have more tokens than others.
_FILLED = 0.8


def count_fitting_facts(facts: Sequence[str], room: int, length: Length, *, ranked: bool = False) -> int:
    """How many of the facts leave room for the evidence they were derived from, and for what else was retrieved."""
    most, share = (_RETRIEVED_FACT_WORDS, _RETRIEVED_FACT_SHARE) if ranked else (_FACT_WORDS, _FACT_SHARE)
    words = accumulate(len(fact.split()) for fact in facts)
    lengths = accumulate(map(length, facts))
    return sum(w <= most and n <= room * share for w, n in zip(words, lengths, strict=True))


def rank_pieces(claim: str, evidence: Evidence, *, with_rows: bool = True, with_facts: bool = False) -> list[Piece]:
    """The evidence with the best first; cells of one row stay together.

    Facts read out the rows of a table that a claim names, so beside them only infoboxes are read line by line.
    """
    elements = [hit.element for hit in evidence.hits]
    if evidence.ranked:
        texts = list(group_by_row(elements))
    else:
        # What tables say is read from the tables, where these are given.
        tables = {table.id for table in evidence.tables}
        own = [
            element
            for element in elements
            if element.kind in TEXT_KINDS or (element.kind in _TABLE_KINDS and element.id.table not in tables)
        ]
        texts = _rank_groups(own, claim)
    ranked = _rank_tables(evidence.read_tables, claim)
    by_row = [table for table in ranked if with_rows and (is_vertical_table(table) or not with_facts)]
    headlines = [headline(table) for table in ranked[1:] if table not in by_row]
    return [*map(headline, ranked[:1]), *alternate(texts, [*_rank_rows(by_row, claim), *headlines])]


def render_pieces(pieces: Sequence[Piece], facts: Sequence[str], room: int, length: Length) -> Rendered:
    """The pieces and the facts as one text."""
    return render([element for piece in pieces for element in piece], facts=facts, most=room, length=length)


def compose(
    claim: str, evidence: Evidence, facts: Sequence[str], room: int, length: Length, *, with_rows: bool = True
) -> Rendered:
    """What a model reads of the evidence for a claim, in this much room."""
    kept = facts[: count_fitting_facts(facts, room, length, ranked=evidence.ranked)]
    pieces = rank_pieces(claim, evidence, with_rows=with_rows, with_facts=bool(kept))
    return render_pieces(pieces, kept, room, length)


def best_pieces(hits: Iterable[Hit], tables: Iterable[Table], most: int) -> list[Piece]:
    """The best texts and the best rows by turns, best first: a reranker's scores of the two do not compare.

    A row is read whole unless it is wide: what a claim says of a number makes no sense without its name. A sentence is
    read with the one that it leans on.
    """
    known = {table.id: table for table in tables}
    ranked = sorted(hits, key=lambda hit: -hit.score)
    preceding = {hit.element.id: hit.element for hit in ranked if hit.by == PRECEDING}
    own = [hit.element for hit in ranked if hit.element.kind not in CELLS and hit.by != PRECEDING]
    texts = [_with_preceding(element, preceding) for element in own]
    rows: dict[tuple[object, ...], list[Element]] = {}
    for hit in ranked:
        if hit.element.kind in CELLS:
            rows.setdefault(_row_key(hit.element), []).append(hit.element)
    best = [_complete_row(cells, known) for cells in islice(rows.values(), most)]
    # The one that holds the best hit of all goes first.
    sides = (texts, best) if ranked and ranked[0].element.kind not in CELLS else (best, texts)
    return list(islice(alternate(*sides), most))


def _with_preceding(element: Element, preceding: Mapping[ElementId, Element]) -> Piece:
    """A sentence after the one that it leans on."""
    if element.kind is not Kind.SENTENCE or not element.id.path[0]:
        return (element,)
    before = preceding.get(ElementId(element.id.page, Kind.SENTENCE, (element.id.path[0] - 1,)))
    return (before, element) if before else (element,)


def _complete_row(cells: Sequence[Element], tables: Mapping[ElementId, Table]) -> Piece:
    """The whole row that these cells stand in, or of a wide row these cells alone."""
    first = cells[0].id
    table = tables.get(ElementId(first.page, Kind.TABLE, first.path[:1]))
    if table is None:
        return tuple(cells)
    every = dict.fromkeys(id for id in table.grid[first.path[1]] if id and table.element(id).text)
    if len(every) > _WIDEST_ROW:
        return tuple(cells)
    plain = [id for id in every if id.kind is Kind.CELL]
    return tuple(table.element(id) for id in plain or every)


def render_one_by_one(
    pieces: Sequence[Piece], facts: Sequence[str], room: int, length: Length, most: int
) -> list[Rendered]:
    """Each of the best pieces by itself; the facts of whole tables are a piece too, and come first."""
    readable = [piece for piece in pieces if piece[0].kind is not Kind.TITLE]
    kept = readable[: most - bool(facts)]
    texts = [render_pieces((), facts, room, length)] if facts else []
    texts += [render_pieces([piece], (), room, length) for piece in kept]
    left = tuple(element.id for piece in readable[len(kept) :] for element in piece)
    return [*texts[:-1], texts[-1]._replace(dropped=texts[-1].dropped + left)] if texts else []


def chunk_texts(elements: Iterable[Element], room: int, length: Length) -> Iterator[Piece]:
    """Texts in their order, as many together as there is room for; one that is too long by itself is cut in several."""
    for is_long, run in groupby(elements, key=lambda element: length(element.text) > room * _FILLED):
        rest = list(run)
        if is_long:
            yield from ((part,) for element in rest for part in _cut_text(element, room, length))
            continue
        while rest:
            fitting = len(render(rest[:room], most=room, length=length).used) or 1
            yield tuple(rest[:fitting])
            rest = rest[fitting:]


def _cut_text(element: Element, room: int, length: Length) -> Iterator[Element]:
    words = element.text.split(" ")
    count = max(1, int(len(words) * room * _FILLED / length(element.text)))
    return (replace(element, text=" ".join(words[at : at + count])) for at in range(0, len(words), count))


# -- which pieces there are --------------------------------------------------------------------------------


def headline(table: Table) -> Piece:
    """What stands above a table: the title of its page, and its caption."""
    title = Element(ElementId(table.id.page, Kind.TITLE), table.id.page)
    return (title, table.caption_element) if table.caption_element else (title,)


def group_by_row(elements: Iterable[Element]) -> Iterator[Piece]:
    """Each element by itself, but cells that follow each other in one row together."""
    for _, run in groupby(elements, key=_row_key):
        yield tuple(run)


def _row_key(element: Element) -> tuple[object, ...]:
    return element.id.page, element.id.path[:2], None if element.kind in CELLS else element.kind


def _rank_tables(tables: Sequence[Table], claim: str) -> list[Table]:
    """The tables that share most words with the claim, best first."""
    texts = [" ".join(islice((cell.text for row in table.rows for cell in row), _SAMPLE)) for table in tables]
    return [tables[place] for place in rank_by_overlap(texts, claim)[:_MOST_TABLES]]


def _rank_rows(tables: Sequence[Table], claim: str) -> list[Piece]:
    """The rows of tables that share most words with the claim, best first whichever table they stand in."""
    cells = [cell for table in tables for cell in select_rows(table, claim)]
    return list(group_by_row(cells)) if len(tables) == 1 else _rank_groups(cells, claim)


def _rank_groups(elements: Iterable[Element], claim: str) -> list[Piece]:
    pieces = list(group_by_row(elements))
    texts = [" ".join(element.text for element in piece) for piece in pieces]
    return [pieces[place] for place in rank_by_overlap(texts, claim)]


def alternate(one: Sequence[Piece], other: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces of both, each in its order, by turns: where room is short, neither side takes all of it."""
    for pair in zip_longest(one, other):
        yield from filter(None, pair)
