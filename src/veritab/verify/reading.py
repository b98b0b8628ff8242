"""What a model reads: the pieces of evidence nearest to the claim first, and facts worked out from whole tables.

Training examples are made by the same functions, so that a model meets in use what it has learnt from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, islice, zip_longest
from typing import NamedTuple, TypeAlias

from veritab.schema import Element, ElementId, Kind, Table
from veritab.verify.render import Length, Rendered, render
from veritab.verify.rows import is_upright, nearest, rows

Piece: TypeAlias = tuple[Element, ...]

CELLS = frozenset({Kind.CELL, Kind.HEADER_CELL})
_IN_TABLES = CELLS | {Kind.TABLE_CAPTION}
_SAID = frozenset({Kind.SENTENCE, Kind.PASSAGE, Kind.ITEM})
_FACT_WORDS = 200
_FACT_SHARE = 200 / 320
_MOST_TABLES = 12
_SAMPLE = 200


class Given(NamedTuple):
    """The evidence for one claim: elements, and tables as a whole. `ordered` says that the best elements come first.

    All of it is computed with; where `read` is given, a model reads those elements and their tables only.
    """

    elements: Sequence[Element] = ()
    tables: Sequence[Table] = ()
    ordered: bool = False
    read: Sequence[Element] | None = None

    @property
    def shown(self) -> Given:
        """What a model reads."""
        if self.read is None:
            return self
        near = {element.id.table for element in self.read}
        return Given(self.read, [table for table in self.tables if table.id in near], self.ordered)


def facts_that_fit(facts: Sequence[str], room: int, length: Length) -> int:
    """How many of the facts leave room for what they were worked out from and for what stands beside it."""
    words = accumulate(len(fact.split()) for fact in facts)
    lengths = accumulate(map(length, facts))
    return sum(w <= _FACT_WORDS and n <= room * _FACT_SHARE for w, n in zip(words, lengths, strict=True))


def pieces(claim: str, given: Given, *, with_rows: bool = True, with_facts: bool = False) -> list[Piece]:
    """The evidence with the best first; cells of one row stay together.

    Facts read out the rows of a table that a claim names, so beside them only infoboxes are read line by line.
    """
    said = list(_by_row(given.elements)) if given.ordered else _nearest_pieces(_said(given), claim)
    tables = _nearest_tables(given.tables, claim)
    read = [table for table in tables if with_rows and (is_upright(table) or not with_facts)]
    heads = [headline(table) for table in tables[1:] if table not in read]
    return [*map(headline, tables[:1]), *_alternating(said, [*_nearest_rows(read, claim), *heads])]


def together(read: Sequence[Piece], facts: Sequence[str], room: int, length: Length) -> Rendered:
    """The pieces and the facts as one text."""
    every = [element for piece in read for element in piece]
    return render(every, facts=facts, most=room, length=length)


def composed(
    claim: str, given: Given, facts: Sequence[str], room: int, length: Length, *, with_rows: bool = True
) -> Rendered:
    """All of that at once: what a model reads of the evidence for a claim, in this much room."""
    told = facts[: facts_that_fit(facts, room, length)]
    return together(pieces(claim, given, with_rows=with_rows, with_facts=bool(told)), told, room, length)


def one_by_one(read: Sequence[Piece], facts: Sequence[str], room: int, length: Length, most: int) -> list[Rendered]:
    """Each of the best pieces by itself; the facts of whole tables are a piece too, and come first."""
    told = [piece for piece in read if piece[0].kind is not Kind.TITLE]
    kept = told[: most - bool(facts)]
    texts = [together((), facts, room, length)] if facts else []
    texts += [together([piece], (), room, length) for piece in kept]
    left = tuple(element.id for piece in told[len(kept) :] for element in piece)
    return [*texts[:-1], texts[-1]._replace(dropped=texts[-1].dropped + left)] if texts else []


# -- which pieces there are --------------------------------------------------------------------------------


def table_id(part: ElementId) -> ElementId:
    return ElementId(part.page, Kind.TABLE, part.path[:1])


def _said(given: Given) -> list[Element]:
    """The elements that say something by themselves; what tables say is read from the tables, where these are given."""
    tables = {table.id for table in given.tables}
    return [
        element
        for element in given.elements
        if element.kind in _SAID or (element.kind in _IN_TABLES and table_id(element.id) not in tables)
    ]


def headline(table: Table) -> Piece:
    """What stands above a table: the title of its page, and its caption."""
    title = Element(ElementId(table.id.page, Kind.TITLE), table.id.page)
    return (title, table.caption_element) if table.caption_element else (title,)


def _nearest_tables(tables: Sequence[Table], claim: str) -> list[Table]:
    """The tables that share most with the claim, best first."""
    texts = [" ".join(islice((cell.text for row in table.rows for cell in row), _SAMPLE)) for table in tables]
    return [tables[place] for place in nearest(texts, claim)[:_MOST_TABLES]]


def _nearest_rows(tables: Sequence[Table], claim: str) -> list[Piece]:
    """The rows of tables that share most with the claim, best first whichever table they stand in."""
    cells = [cell for table in tables for cell in rows(table, claim)]
    return list(_by_row(cells)) if len(tables) == 1 else _nearest_pieces(cells, claim)


def _nearest_pieces(elements: Iterable[Element], claim: str) -> list[Piece]:
    """The pieces that elements make, those first that share most with the claim."""
    pieces = list(_by_row(elements))
    texts = [" ".join(element.text for element in piece) for piece in pieces]
    return [pieces[place] for place in nearest(texts, claim)]


def _by_row(elements: Iterable[Element]) -> Iterator[Piece]:
    """Each element by itself, but cells that follow each other in one row together."""
    for _, run in groupby(elements, key=_row):
        yield tuple(run)


def _row(element: Element) -> tuple[object, ...]:
    return element.id.page, element.id.path[:2], None if element.kind in CELLS else element.kind


def _alternating(one: Sequence[Piece], other: Sequence[Piece]) -> Iterator[Piece]:
    """The pieces of both, each in its order, by turns: where room is short, neither side takes all of it."""
    for pair in zip_longest(one, other):
        yield from filter(None, pair)
