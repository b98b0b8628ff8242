"""A piece of evidence as a player sees it: its words, where they stand, and the part of the table around them.

Pieces are frozen with the claim: what a voter is shown is what the author chose from, whatever becomes of the corpus.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Self

from veritab.errors import InputError, NotFound
from veritab.schema import (
    CELLS,
    Block,
    Context,
    Element,
    ElementId,
    Kind,
    ListBlock,
    Page,
    Place,
    Section,
    Sentence,
    Table,
    TableBlock,
)


class ShownCell(NamedTuple):
    """A cell of a table as it is drawn."""

    text: str
    is_header: bool = False
    is_marked: bool = False
    """Whether it is the evidence, not only beside it."""


@dataclass(frozen=True)
class EvidencePiece:
    """A sentence, an item, a caption, a row or cells of a table, or words quoted in a file."""

    text: str
    """What is said, in words, also of cells."""
    section: str = ""
    """The headings above it, "A | B"."""
    ids: tuple[str, ...] = ()
    """Its elements; none where it is quoted in a file."""
    caption: str = ""
    rows: tuple[tuple[ShownCell, ...], ...] = ()
    """The header and the rows concerned, where it stands in a table."""

    def as_dict(self) -> dict[str, Any]:
        """The piece as JSON."""
        return asdict(self) | {"ids": list(self.ids), "rows": [[list(cell) for cell in row] for row in self.rows]}

    @classmethod
    def parse(cls, table: dict[str, Any]) -> Self:
        """The piece of `as_dict`."""
        rows = tuple(tuple(ShownCell(*cell) for cell in row) for row in table["rows"])
        return cls(**{**table, "ids": tuple(table["ids"]), "rows": rows})


# -- the pieces of a page ----------------------------------------------------------------------------------

_TEXTS = frozenset({Kind.SENTENCE, Kind.ITEM, Kind.TABLE_CAPTION, Kind.PASSAGE})
_MOST_HEADER_ROWS = 3
"""So many rows of headers are drawn above a row, the nearest ones."""


def make_pieces(page: Page) -> list[EvidencePiece]:
    """Whatever can be shown of a page: its sentences, items and captions, then the rows of its tables."""
    texts = (page.element(id) for id in _text_ids(page))
    pieces = [_text_piece(element) for element in texts if element.text]
    return pieces + [piece for table in page.tables for piece in _row_pieces(table)]


def _text_ids(page: Page) -> Iterator[ElementId]:
    """The addresses of a page's texts; `page.elements` would make every cell of its tables, with all headers."""
    for block in page.blocks:
        if isinstance(block, ListBlock):
            yield from (ElementId(page.title, Kind.ITEM, (block.number, n)) for n in range(len(block.items)))
        elif isinstance(block, TableBlock):
            if block.caption:
                yield ElementId(page.title, Kind.TABLE_CAPTION, (block.number,))
        elif not isinstance(block, Section):
            kind = Kind.SENTENCE if isinstance(block, Sentence) else Kind.PASSAGE
            yield ElementId(page.title, kind, (block.number,))


def has_pieces(page: Page) -> bool:
    """Whether there is anything on a page to write about."""
    return any(_has_evidence(block) for block in page.blocks)


def _has_evidence(block: Block) -> bool:
    if isinstance(block, TableBlock):
        return bool(block.caption) or any(cell.text and not cell.header for row in block.rows for cell in row)
    if isinstance(block, ListBlock):
        return any(item.text for item in block.items)
    return not isinstance(block, Section) and bool(block.text)


def piece_of(page: Page, ids: Iterable[str]) -> EvidencePiece:
    """The piece that some elements of a page are: one sentence, item or caption, or cells of one row."""
    pieces = pieces_of(page, ids)
    if len(pieces) != 1:
        raise InputError("a piece of evidence is one sentence, item or caption, or cells of one row of a table")
    return pieces[0]


def pieces_of(page: Page, ids: Iterable[str]) -> list[EvidencePiece]:
    """The pieces that elements of a page make, in the order given; cells of one row are one piece."""
    groups: dict[tuple[Any, ...], list[ElementId]] = {}
    for id in dict.fromkeys(map(ElementId.parse, ids)):
        if id.page != page.title:
            raise InputError(f"{str(id)!r} is of another page; choose evidence from {page.title!r}")
        if id.kind not in _TEXTS | CELLS:
            raise InputError(f"{str(id)!r} is no evidence by itself; choose sentences, items, captions or cells")
        key = (Kind.CELL, *id.path[:2]) if id.kind in CELLS else (id.kind, *id.path)
        groups.setdefault(key, []).append(id)
    try:
        return [_chosen_piece(page, chosen) for chosen in groups.values()]
    except NotFound as error:
        raise InputError(f"{error}; choose evidence that the page has") from None


def _chosen_piece(page: Page, ids: list[ElementId]) -> EvidencePiece:
    first = page.element(ids[0])
    if first.kind not in CELLS:
        return _text_piece(first)
    table = page.table(first.id.path[0])
    for id in ids:
        table.element(id)  # a cell may be named a header cell by mistake, or lie beyond the table
    return _row_piece(table, first.id.path[1], {id.path[1:] for id in ids})  # type: ignore[misc]


def _text_piece(element: Element) -> EvidencePiece:
    return EvidencePiece(element.text, _section(element.context), (str(element.id),))


def _section(context: Iterable[Context]) -> str:
    return " | ".join(near.text for near in context if near.id.kind is Kind.SECTION and near.text)


def _row_pieces(table: Table) -> Iterator[EvidencePiece]:
    for row, line in enumerate(table.places):
        cells = [table.rows[place[0]][place[1]] for place in line if place]
        if any(cell.text and not cell.header for cell in cells):
            yield _row_piece(table, row)


def _row_piece(table: Table, row: int, chosen: Iterable[Place] | None = None) -> EvidencePiece:
    """A row under its headers, with all of its cells marked, or those chosen."""
    places = [place for place in dict.fromkeys(table.places[row]) if place and table.rows[place[0]][place[1]].text]
    marked = [place for place in places if chosen is None or place in set(chosen)]
    # Who reads "8,611 m" must also read whose height that is: a row is known by its first cell.
    said = [place for place in places if place in marked or place == places[0]]
    headers = _header_rows(table, row)
    return EvidencePiece(
        _say_cells(table, row, said, headers),
        _section(table.context),
        tuple(str(table.cell_id(place)) for place in marked),
        table.caption,
        (*(_drawn_row(table, each) for each in headers), _drawn_row(table, row, marked)),
    )


def _header_rows(table: Table, row: int) -> list[int]:
    """The rows of headers above a row. What stands above the header of a row are the headers of other rows."""
    cells = {place for place in table.places[row] if place and not table.rows[place[0]][place[1]].header}
    above = {header.id.path[1] for place in cells for header in table.column_headers(table.cell_id(place))}
    return sorted(each for each in above if each < row)[-_MOST_HEADER_ROWS:]


def _say_cells(table: Table, row: int, places: Iterable[Place], headers: Iterable[int]) -> str:
    """Cells in words: "Peak: K2; Height: 8,611 m", or "Born: 1912" where the header stands beside."""
    # A header over the whole table, as the title over an infobox, names no column.
    naming = [each for each in headers if len(set(table.places[each])) > 1]
    text, after_header = "", False
    for place in places:
        column = table.places[row].index(place)
        names = dict.fromkeys(filter(None, (table.text(each, column) for each in naming)))
        is_header = table.rows[place[0]][place[1]].header
        joint = "" if not text else ": " if after_header and not names and not is_header else "; "
        text += joint + "".join(f"{name}: " for name in [" ".join(names)] if name) + table.text(row, column)
        after_header = is_header
    return text


def _drawn_row(table: Table, row: int, marked: Iterable[Place] = ()) -> tuple[ShownCell, ...]:
    """The squares of a row; a cell that covers several of them is written once."""
    drawn: list[ShownCell] = []
    wanted, before = set(marked), None
    for place in table.places[row]:
        cell = table.rows[place[0]][place[1]] if place else None
        text = cell.text if cell and place != before else ""
        drawn.append(ShownCell(text, bool(cell and cell.header), place in wanted))
        before = place
    return tuple(drawn)
