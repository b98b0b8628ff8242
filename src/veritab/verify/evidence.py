"""Gathers evidence: what a retriever found with the whole tables around it, or what a caller hands over.

Callers may give texts, tables and elements; each becomes a piece with an address that a verdict can name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, islice
from typing import Any, TypeAlias

from veritab.errors import InputError, short_repr
from veritab.schema import (
    CELLS,
    Block,
    Claim,
    Element,
    ElementId,
    Evidence,
    Hit,
    Item,
    Kind,
    ListBlock,
    Page,
    Sentence,
    Table,
    TableBlock,
)
from veritab.text import content_terms, sentences, squeeze, title_form
from veritab.verify.rows import named_rows, select_rows

EvidenceInput: TypeAlias = str | Mapping[str, Any] | Sequence[Sequence[object]] | Table | Element | Hit | Page
"""A text; {"title", "text"}; {"table": {"header", "rows", "caption"}}; rows of cells; or what a page is made of."""

NAMED = "name"
"""The `by` of hits that a page begins with whose subject a claim names."""
BRIDGE = "bridge"
"""The `by` of hits in rows that a text leads to."""
DESCRIPTION = "description"
"""The `by` of hits that say the name of something that a claim describes."""
PRECEDING = "preceding"
"""The `by` of sentences that the one after them leans on."""
_MOST_NAMED = 3
_MOST_LEANING = 3
_MOST_WORDS = 50
_BRIDGING_TEXTS, _MOST_BRIDGES = 4, 2
TITLE = "Evidence"
"""The page of texts and tables that come without a title."""

_EXPECTED = 'expected a text, {"title", "text"}, {"table": {"header", "rows", "caption"}} or rows of cells'
_BULLET = re.compile(r"\s*(?:[-*•–]|\d{1,3}[.)])\s+(?=\S)")


# -- what a retriever found --------------------------------------------------------------------------------


@dataclass(frozen=True)
class TableGatherer:
    """Adds the whole tables that retrieved cells and captions stand in, since computing over them needs all rows.

    A verifier reads the cells that score at least `threshold` times the best score, and the texts that score a tenth of
    that; the rows that the best texts lead to; and how the pages begin that a claim names. The rest is background,
    computed with and shown.
    """

    table_of: Callable[[ElementId], Table]
    threshold: float = 0.0
    pages_named_in: Callable[[str], Iterable[Page]] = lambda claim: ()
    """The pages whose subjects a claim names: what their infoboxes and first sentences say is read and computed with,
    since a comparison needs both of its sides and a reranker may see only one."""
    preceding: Callable[[ElementId], Element | None] = lambda sentence: None
    """The sentence before one, in its section."""

    def gather(self, claim: Claim, hits: Sequence[Hit]) -> Evidence:
        """The selected hits as evidence."""
        ids = dict.fromkeys(hit.element.id.table for hit in hits)
        read = select_readable(hits, self.threshold)
        tables = {id: self.table_of(id) for id in ids if id}
        found = find_bridges(claim.text, read, tables.values())
        # A retriever that finds nothing has the last word.
        for page in islice(self.pages_named_in(claim.text), _MOST_NAMED if hits else 0):
            infoboxes = [table for table in page.tables if table.infobox]
            tables |= {table.id: table for table in infoboxes if table.id not in tables}
            found += (Hit(element, 0.0, NAMED) for element in begin_page(page, infoboxes, claim.text))
        read = list(self._with_preceding(claim.text, read))
        known = {hit.element.id for hit in read}
        added = {hit.element.id: hit for hit in found if hit.element.id not in known}
        background = [hit for hit in hits if hit not in read and hit.element.id not in added]
        return Evidence((*read, *added.values()), tuple(tables.values()), tuple(background))

    def _with_preceding(self, claim: str, hits: Sequence[Hit]) -> Iterator[Hit]:
        """The best sentences after what they lean on: "Guests under 16 remain exempt" does not say from which levy."""
        wanted, known = set(content_terms(claim)), {hit.element.id for hit in hits}
        leaning = [hit.element for hit in hits if hit.element.kind is Kind.SENTENCE][:_MOST_LEANING]
        for hit in hits:
            before = self.preceding(hit.element.id) if hit.element in leaning else None
            missing = wanted.difference(content_terms(f"{hit.element.id.page} {hit.element.text}"))
            if before and before.id not in known and not missing.isdisjoint(content_terms(before.text)):
                yield Hit(before, 0.0, PRECEDING)
            yield hit


def sentence_before(page: Page, id: ElementId) -> Element | None:
    """The sentence before one, where both stand in the same section; numbers may have gaps, as in FEVER's pages."""
    if id.kind is not Kind.SENTENCE:
        return None
    before = ElementId(id.page, Kind.SENTENCE, (id.path[0] - 1,))
    one = next((element for element in page.elements if element.id == before), None)
    return one if one and one.context == page.element(id).context else None


def select_readable(hits: Sequence[Hit], threshold: float) -> list[Hit]:
    """The cells whose score is at least this share of the best, and the texts that score a tenth of that.

    A reranker gives cells of other tables high scores for the number they hold, whatever it counts there. What says the
    name of something that a claim describes is always read.
    """
    least = threshold * max((hit.score for hit in hits if hit.by != DESCRIPTION), default=0.0)
    return [
        hit
        for hit in hits
        if hit.by == DESCRIPTION or hit.score >= (least if hit.element.kind in CELLS else least / 10)
    ]


def find_bridges(claim: str, hits: Sequence[Hit], tables: Iterable[Table]) -> list[Hit]:
    """The rows that the best texts name and the claim does not.

    Which station lightning struck may be said in a sentence, and how high it stands in the row of that station.
    """
    texts = [hit for hit in hits if hit.element.kind not in CELLS][:_BRIDGING_TEXTS]
    horizontal = [table for table in tables if not table.infobox]
    rows = (
        [Hit(table.element(cell.id), hit.score, BRIDGE) for cell in row]
        for hit in texts
        for table in horizontal
        for row in named_rows(table, hit.element.text, claim)
    )
    return [hit for row in islice(rows, _MOST_BRIDGES) for hit in row]


def begin_page(page: Page, infoboxes: Iterable[Table], claim: str) -> Iterator[Element]:
    """The first sentence of a page, and the lines of its infobox with those first that share most with the claim."""
    yield from islice((element for element in page.elements if element.kind is Kind.SENTENCE), 1)
    for table in infoboxes:
        yield from (table.element(cell.id) for cell in select_rows(table, claim, _MOST_WORDS))


# -- what a caller hands over ------------------------------------------------------------------------------


def parse_evidence(
    given: EvidenceInput | Iterable[EvidenceInput] | Evidence,
    table_of: Callable[[Element], Table | None] = lambda cell: None,
) -> Evidence:
    """The evidence that a caller hands over, as elements and tables with addresses.

    `table_of` says in which table a cell or caption stands where somebody knows: a cell alone does not say what its row
    is called, nor how it compares with others.
    """
    if isinstance(given, Evidence):
        return given
    parsed = _EvidenceParser(given)
    known = {table.id for table in parsed.tables}
    around = (table_of(each) for each in parsed.elements if each.id.table and each.id.table not in known)
    added = {table.id: table for table in around if table}
    return Evidence.of(parsed.elements, (*parsed.tables, *added.values()))


def _list_pieces(evidence: Any) -> list[Any]:
    """The pieces of evidence; one piece need not be put in a list, not even a table of rows."""
    if isinstance(evidence, str | Mapping | Table | Element | Hit | Page):
        return [evidence]
    if not _is_list(evidence):
        raise InputError(f"evidence is a list, not {short_repr(evidence)}; {_EXPECTED}, in a list")
    pieces = list(evidence)
    return [pieces] if pieces and all(_is_row(piece) for piece in pieces) else pieces


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _is_row(value: object) -> bool:
    """Whether this is one row of cells rather than a table of rows."""
    return isinstance(value, list | tuple) and not any(map(_is_list, value))


def parse_text(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise InputError(f"{what} is a text, not {short_repr(value)}")
    return squeeze(value)


class _EvidenceParser:
    """The evidence as tables and elements, each piece with an address of its own.

    What comes with addresses keeps them unless another piece has them too; what comes without gets free ones.
    """

    def __init__(self, evidence: Any) -> None:
        self._blocks: dict[str, list[Block]] = {}
        self._tables: dict[ElementId, Table] = {}
        self._elements: dict[ElementId, Element] = {}
        self._free: dict[tuple[str, Kind], int] = {}
        pieces = [piece.element if isinstance(piece, Hit) else piece for piece in _list_pieces(evidence)]
        for piece in pieces:
            self._take_addressed(piece)
        for piece in pieces:
            self._take(piece)
        for title, blocks in self._blocks.items():
            self._keep_page(Page(title, tuple(blocks)))

    @property
    def tables(self) -> list[Table]:
        return list(self._tables.values())

    @property
    def elements(self) -> list[Element]:
        return list(self._elements.values())

    # -- what has an address

    def _take_addressed(self, piece: Any) -> None:
        match piece:
            case Element():
                title = self._title(piece.id.page, lambda title: self._has_other(_on_page(piece, title)))
                self._keep(_on_page(piece, title))
            case Page():
                title = self._title(piece.title, lambda title: self._clashes(replace(piece, title=title)))
                self._keep_page(replace(piece, title=title))
            case Table():
                self._keep_table(piece)

    def _title(self, title: str, is_taken: Callable[[str], bool]) -> str:
        """The title, or where other evidence has it, the title with a number: "notes (2)"."""
        numbered = (f"{title} ({number})" for number in count(2))
        return next(each for each in chain((title,), numbered) if not is_taken(each))

    def _clashes(self, page: Page) -> bool:
        tables = any(not _is_same(self._tables.get(table.id, table), table) for table in page.tables)
        return tables or any(self._has_other(element) for element in page.elements if element.kind not in CELLS)

    def _has_other(self, element: Element) -> bool:
        known = self._elements.get(element.id)
        return known is not None and known.text != element.text

    def _keep_page(self, page: Page) -> None:
        for table in page.tables:
            self._keep_table(table)
        for element in page.elements:
            if element.kind not in CELLS:
                self._keep(element)

    def _keep(self, element: Element) -> None:
        self._elements.setdefault(element.id, element)
        kind = Kind.LIST if element.kind is Kind.ITEM else element.kind
        if element.id.path and kind not in CELLS:
            self._use(element.id.page, kind, element.id.path[0])

    def _keep_table(self, table: Table) -> None:
        known = self._tables.get(table.id)
        if known and not _is_same(known, table):
            # Tables made of rows are all the first of their page.
            number = self._use(table.id.page, Kind.TABLE)
            block = TableBlock(number, table.rows, table.caption, infobox=table.infobox)
            table = Table(Page(table.id.page), block, table.context)
        self._tables.setdefault(table.id, table)
        self._use(table.id.page, Kind.TABLE, table.id.path[0])

    def _use(self, title: str, kind: Kind, number: int | None = None) -> int:
        """Takes a number for a piece of a page, the next free one where none is given."""
        free = self._free.get((title, kind), 0)
        used = free if number is None else number
        self._free[title, kind] = max(free, used + 1)
        return used

    # -- what has none

    def _take(self, piece: Any) -> None:
        match piece:
            case Element() | Page() | Table():
                pass
            case str():
                self._add_text(TITLE, piece)
            case Mapping():
                self._take_mapping(piece)
            case _ if _is_list(piece):
                self._add_table(TITLE, Table.of(piece))
            case _:
                raise InputError(f"{short_repr(piece)} is not evidence; {_EXPECTED}")

    def _take_mapping(self, piece: Mapping[str, Any]) -> None:
        title = title_form(parse_text(piece.get("title") or "", "the title of evidence")) or TITLE
        if "text" not in piece and "table" not in piece:
            raise InputError(f"evidence {short_repr(dict(piece))} has neither a text nor a table; {_EXPECTED}")
        if piece.get("text") is not None:
            if not isinstance(piece["text"], str):
                raise InputError(f"the text of evidence is a text, not {short_repr(piece['text'])}; {_EXPECTED}")
            self._add_text(title, piece["text"])
        if piece.get("table") is not None:
            self._add_table(title, _table(piece["table"]))

    def _add_table(self, title: str, table: Table) -> None:
        block = TableBlock(self._use(title, Kind.TABLE), table.rows, table.caption, infobox=table.infobox)
        self._blocks.setdefault(title, []).append(block)

    def _add_text(self, title: str, text: str) -> None:
        """Running text as sentences, and lines with bullets as a list."""
        blocks = self._blocks.setdefault(title, [])
        items: list[Item] = []
        for line in [*text.splitlines(), ""]:
            bullet = _BULLET.match(line)
            if bullet:
                items.append(Item(squeeze(line[bullet.end() :])))
                continue
            if items:
                blocks.append(ListBlock(self._use(title, Kind.LIST), tuple(items)))
                items = []
            paragraph = squeeze(line)
            for start, end in sentences(paragraph):
                blocks.append(Sentence(self._use(title, Kind.SENTENCE), paragraph[start:end], offset=start))


def _on_page(element: Element, title: str) -> Element:
    return replace(element, id=ElementId(title, element.id.kind, element.id.path))


def _is_same(one: Table, other: Table) -> bool:
    return (one.rows, one.caption, one.infobox) == (other.rows, other.caption, other.infobox)


def _table(given: Any) -> Table:
    """A table of JSON: an object with its rows, or the rows alone."""
    if not isinstance(given, Mapping):
        return Table.of(given)
    if "rows" not in given:
        raise InputError(f"the table {short_repr(dict(given))} has no rows; {_EXPECTED}")
    caption = given.get("caption")
    return Table.of(
        given["rows"] if given["rows"] is not None else [],
        header=given.get("header"),
        caption=parse_text(caption, "the caption of a table") if caption is not None else "",
    )
