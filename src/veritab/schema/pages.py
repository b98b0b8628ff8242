"""The nouns every room speaks: pages and their elements, claims and their evidence, hits and verdicts.

A page is a sequence of blocks (sections, sentences, passages, lists, tables). Everything in it that can be
evidence is an `Element` with an `ElementId`, the address that FEVEROUS uses, and a context: what a reader
needs to see beside the element to understand it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, final

from veritab.errors import InputError, NotFound, short_repr
from veritab.text import nfc, squeeze, title_form

# -- addresses ---------------------------------------------------------------------------------------------


class Kind(StrEnum):
    """What an element is, in FEVEROUS's own words, plus `passage` for 100-word passages."""

    TITLE = "title"
    SECTION = "section"
    SENTENCE = "sentence"
    TABLE = "table"
    TABLE_CAPTION = "table_caption"
    HEADER_CELL = "header_cell"
    CELL = "cell"
    LIST = "list"
    ITEM = "item"
    PASSAGE = "passage"


CELLS = frozenset({Kind.CELL, Kind.HEADER_CELL})
"""The squares of tables."""
_IN_TABLES = CELLS | {Kind.TABLE, Kind.TABLE_CAPTION}

PATH_LENGTH = {
    Kind.TITLE: 0,
    Kind.SECTION: 1,
    Kind.SENTENCE: 1,
    Kind.TABLE: 1,
    Kind.TABLE_CAPTION: 1,
    Kind.HEADER_CELL: 3,
    Kind.CELL: 3,
    Kind.LIST: 1,
    Kind.ITEM: 2,
    Kind.PASSAGE: 1,
}
"""How many numbers the address of an element has, by its kind."""
_KINDS = {str(kind): kind for kind in Kind}
# Found from the left, so that `X_header_cell_0_0_0` is a header cell of X and not a cell of "X_header".
_SUFFIX = re.compile(
    r"_(?P<kind>header_cell|table_caption|sentence|section|passage|title|table|cell|list|item)"
    r"(?P<path>(?:_(?:0|[1-9][0-9]{0,8}))*)\Z"
)
# A page called "X_header" would print its cells as the header cells of X: there, and only there, the underscore
# is written %5F (and a title that already looks like that gets one more level of the same escape).
_TO_ESCAPE = re.compile(r"(?:_|%(?:25)*5F)(?=header\Z)")
_TO_UNESCAPE = re.compile(r"%(?:25)*5F(?=header\Z)")


@dataclass(frozen=True, slots=True, order=True)
class ElementId:
    """The address of one element: `ElementId("Korean Air", Kind.CELL, (1, 19, 0))` is "Korean Air_cell_1_19_0"."""

    page: str
    kind: Kind
    path: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if len(self.path) != PATH_LENGTH[self.kind]:
            raise InputError(f"a {self.kind} has {PATH_LENGTH[self.kind]} numbers in its address, not {self.path!r}")
        if not self.page:
            raise InputError("an element id needs a page title before its kind, e.g. 'Alan Turing_sentence_0'")
        object.__setattr__(self, "page", nfc(self.page))

    @classmethod
    def parse(cls, text: str) -> ElementId:
        """Read an address; the inverse of `str`."""
        match = _SUFFIX.search(text)
        if match and match.start() > 0:
            kind = _KINDS[match["kind"]]
            path = tuple(map(int, match["path"].split("_")[1:]))
            if len(path) == PATH_LENGTH[kind]:
                page = text[: match.start()]
                return cls(_unescape(page) if kind is Kind.CELL and "%" in page else page, kind, path)
        raise InputError(f"{text!r} is not an element id; expected e.g. 'Alan Turing_sentence_0'")

    @property
    def table(self) -> ElementId | None:
        """The table that the element is, or lies in; None where it is in none."""
        return ElementId(self.page, Kind.TABLE, self.path[:1]) if self.kind in _IN_TABLES else None

    def __str__(self) -> str:
        page = _escape(self.page) if self.kind is Kind.CELL else self.page
        return "_".join((page, self.kind, *map(str, self.path)))


def _escape(title: str) -> str:
    return _TO_ESCAPE.sub(lambda m: "%5F" if m[0] == "_" else "%25" + m[0][1:], title)


def _unescape(title: str) -> str:
    return _TO_UNESCAPE.sub(lambda m: "_" if m[0] == "%5F" else "%" + m[0][3:], title)


# -- where an element stands in its original -----------------------------------------------------------------


class Region(NamedTuple):
    """A rectangle of an original, on a page counted from 1.

    On a page of a PDF it is measured in points from the top left corner of what is seen of the page. On a sheet of a
    workbook (its pages) every square is one wide and one high, so that cell B3 is `Region(1, 1, 2, 2, 3)`.
    """

    page: int
    left: float
    top: float
    right: float
    bottom: float


Regions: TypeAlias = tuple[Region, ...]
"""Where one element stands: a sentence over two lines has two regions."""

Spot: TypeAlias = tuple[Kind, tuple[int, ...]]
"""Kind and path of an element; a header cell is at the spot of a cell, since what is a header may change."""


def spot_of(id: ElementId) -> Spot:
    """The element's address on its page."""
    return Kind.CELL if id.kind in CELLS else id.kind, id.path


class Origin(NamedTuple):
    """The original of an element: a file, by its name inside the folder it was read from, and where in it."""

    file: str
    regions: Regions = ()

    @property
    def page(self) -> int | None:
        """The page, or the sheet, that it begins on, from 1; None where the file has none, or they are not known."""
        return self.regions[0].page if self.regions else None

    @property
    def in_sheet(self) -> bool:
        """Whether pages are sheets, on which an element has a place among columns and rows."""
        return _SHEET_FILE.search(self.file) is not None

    @property
    def cells(self) -> str:
        """The squares of its sheet, as people write them: "C103" or "A2:B4"; empty where it is on no sheet."""
        return ", ".join(map(_cell_range, self.regions)) if self.in_sheet else ""

    def __str__(self) -> str:
        """Where a person finds it: "report.pdf, page 12" or "sales.xlsx, sheet 2, C103"."""
        page = self.page and (f"sheet {self.page}, {self.cells}" if self.in_sheet else f"page {self.page}")
        return f"{self.file}, {page}" if page else self.file


_SHEET_FILE = re.compile(r"\.(?:xlsx|csv|tsv)(?:\.(?:gz|bz2|xz))?\Z", re.IGNORECASE)


def column_letters(number: int) -> str:
    """What a sheet calls a column: A for 1, AA for 27."""
    letters = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _cell_range(region: Region) -> str:
    first = f"{column_letters(int(region.left) + 1)}{int(region.top) + 1}"
    last = f"{column_letters(int(region.right))}{int(region.bottom)}"
    return first if first == last else f"{first}:{last}"


# -- what a page is made of --------------------------------------------------------------------------------


class Link(NamedTuple):
    """A hyperlink: the characters of the text it covers, and the title of the page it points to."""

    start: int
    end: int
    target: str


Links: TypeAlias = tuple[Link, ...]


@final
class Section(NamedTuple):
    """A heading; it holds what follows up to the next heading of its level or a higher one."""

    number: int
    text: str
    level: int
    links: Links = ()


@final
class Sentence(NamedTuple):
    """A sentence of a paragraph; `offset` is where it starts there, so 0 begins a new paragraph."""

    number: int
    text: str
    links: Links = ()
    offset: int = 0


@final
class Passage(NamedTuple):
    """A stretch of words cut by length rather than by meaning."""

    number: int
    text: str
    links: Links = ()


class Item(NamedTuple):
    """One entry of a list, with its depth; `ordered` tells whether its own (nested) list is numbered."""

    text: str
    links: Links = ()
    level: int = 0
    ordered: bool = False


@final
class ListBlock(NamedTuple):
    """A list with its nested lists flattened: items keep counting, levels keep the shape."""

    number: int
    items: tuple[Item, ...]


class Cell(NamedTuple):
    """A cell as its source wrote it, before spans are expanded."""

    text: str
    links: Links = ()
    header: bool = False
    row_span: int = 1
    column_span: int = 1


@final
class TableBlock(NamedTuple):
    """A table as its source wrote it: rows of cells of any length."""

    number: int
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    caption_links: Links = ()
    infobox: bool = False


Block: TypeAlias = Section | Sentence | Passage | ListBlock | TableBlock


class Context(NamedTuple):
    """A neighbour that helps to understand an element, but is no evidence itself."""

    id: ElementId
    text: str


@dataclass(frozen=True, slots=True)
class Element:
    """Anything that can be evidence. The context is ordered: title, sections outermost first, caption,
    row headers, column headers (each nearest first)."""

    id: ElementId
    text: str
    links: Links = ()
    context: tuple[Context, ...] = ()
    origin: Origin | None = field(default=None, compare=False)

    @property
    def kind(self) -> Kind:
        return self.id.kind


Place: TypeAlias = tuple[int, int]
"""Row, and position in that row or column of the grid."""

_Chain: TypeAlias = tuple[Place, ...]
# A cell in a table with thousands of header columns side by side is not helped by naming them all.
_MOST_HEADERS = 32


class Table:
    """A view over a page: the grid after row and column spans are expanded, each square naming its element."""

    def __init__(self, page: Page, block: TableBlock, context: tuple[Context, ...]) -> None:
        self.id = ElementId(page.title, Kind.TABLE, (block.number,))
        self.caption = block.caption
        self.infobox = block.infobox
        self.rows = block.rows
        self._block = block
        self._outer = context
        self._file = page.file
        self._located = page.located

    @classmethod
    def of(
        cls,
        rows: Iterable[Iterable[object]],
        *,
        header: Iterable[object] | None = None,
        title: str | None = "Table",
        caption: str | None = "",
        sections: Iterable[str] = (),
        infobox: bool = False,
    ) -> Table:
        """A table of plain rows, for those who have no page; `header` is one row of names, or a list of such rows."""
        heads = () if header is None else _header_rows(_listed(header, "a header"))
        marked = tuple(tuple(Cell(_cell_text(cell), header=True) for cell in _listed(row, "a row")) for row in heads)
        plain = (tuple(Cell(_cell_text(cell)) for cell in _listed(row, "a row")) for row in _listed(rows, "a table"))
        names = tuple(
            Section(n, _words(name, "a section"), n + 2) for n, name in enumerate(_listed(sections, "sections"))
        )
        block = TableBlock(0, (*marked, *plain), _words(caption, "a caption"), infobox=infobox)
        return Page(title_form(_words(title, "a title")) or "Table", (*names, block)).tables[0]

    def __repr__(self) -> str:
        return f"<Table {self.id}: {len(self.grid)} rows, {self.width} columns>"

    @property
    def context(self) -> tuple[Context, ...]:
        """The title of its page and the sections it stands in, outermost first."""
        return self._outer

    @cached_property
    def places(self) -> tuple[tuple[Place | None, ...], ...]:
        """For each square of the grid, the (row, position) of the cell that covers it; None where no cell does.

        Lines end at their last covered square: one over-wide row must not make the others long.
        """
        return tuple(map(tuple, _expand(self.rows)))

    @cached_property
    def grid(self) -> tuple[tuple[ElementId | None, ...], ...]:
        """For each square of the grid, the address of the cell that covers it; None where no cell does."""
        ids = {place: self.cell_id(place) for line in self.places for place in line if place}
        return tuple(tuple(ids[place] if place else None for place in line) for line in self.places)

    @property
    def width(self) -> int:
        return max(map(len, self.places), default=0)

    def cell_id(self, place: Place) -> ElementId:
        row, position = place
        kind = Kind.HEADER_CELL if self.rows[row][position].header else Kind.CELL
        return ElementId(self.id.page, kind, (*self.id.path, row, position))

    def text(self, row: int, column: int) -> str:
        """The text of a square; empty where no cell covers it."""
        line = self.places[row]
        place = line[column] if column < len(line) else None
        return self.rows[place[0]][place[1]].text if place else ""

    def squares(self, id: ElementId) -> tuple[Place, ...]:
        """All squares (row, column) a cell covers, in reading order."""
        if id.kind in CELLS and id.path[:1] == self.id.path and id.path[1:] in self._squares:
            return self._squares[id.path[1], id.path[2]]
        raise NotFound(f"table {self.id} has no cell {str(id)!r}")

    @cached_property
    def _squares(self) -> dict[Place, tuple[Place, ...]]:
        squares: dict[Place, list[Place]] = {}
        for row, line in enumerate(self.places):
            for column, place in enumerate(line):
                if place:
                    squares.setdefault(place, []).append((row, column))
        return {place: tuple(covered) for place, covered in squares.items()}

    def row_headers(self, id: ElementId) -> tuple[Context, ...]:
        """The nearest header to the left and those directly left of it, nearest first."""
        return self._headers(self.squares(id), self._left)

    def column_headers(self, id: ElementId) -> tuple[Context, ...]:
        """The nearest header above and those directly above it, nearest first."""
        return self._headers(self.squares(id), self._above)

    def _headers(self, squares: Sequence[Place], chains: list[list[_Chain]]) -> tuple[Context, ...]:
        own = self.places[squares[0][0]][squares[0][1]]
        found = dict.fromkeys(header for row, column in squares for header in chains[row][column] if header != own)
        return tuple(
            Context(self.cell_id(place), self.rows[place[0]][place[1]].text) for place in list(found)[:_MOST_HEADERS]
        )

    @cached_property
    def _left(self) -> list[list[_Chain]]:
        chains = []
        for line in self.places:
            run = _Run()
            chains.append([run.before(place, self._is_header(place)) for place in line])
        return chains

    @cached_property
    def _above(self) -> list[list[_Chain]]:
        runs = [_Run() for _ in range(self.width)]
        return [
            [run.before(place, self._is_header(place)) for run, place in zip(runs, line, strict=False)]
            for line in self.places
        ]

    def _is_header(self, place: Place | None) -> bool:
        return place is not None and self.rows[place[0]][place[1]].header

    def elements(self) -> Iterator[Element]:
        """The caption, then every cell in the order its source wrote it."""
        if self.caption_element:
            yield self.caption_element
        for row, cells in enumerate(self.rows):
            for position in range(len(cells)):
                yield self._cell_element(row, position)

    def element(self, id: ElementId) -> Element:
        """The cell with that address."""
        row, column = self.squares(id)[0]
        place = self.places[row][column]
        if place is None or self.cell_id(place) != id:
            raise NotFound(f"table {self.id} has no cell {str(id)!r}")
        return self._cell_element(*place)

    @cached_property
    def caption_element(self) -> Element | None:
        """The caption, where there is one."""
        id = ElementId(self.id.page, Kind.TABLE_CAPTION, self.id.path)
        links = self._block.caption_links
        return Element(id, self.caption, links, self._outer, self.origin(id)) if self.caption else None

    def origin(self, id: ElementId) -> Origin | None:
        """Where the caption or a cell stands in the original."""
        return Origin(self._file, self._located.get(spot_of(id), ())) if self._file else None

    def _cell_element(self, row: int, position: int) -> Element:
        cell, squares, caption = self.rows[row][position], self._squares[row, position], self.caption_element
        headers = self._group_headers(squares) if cell.header else self._cell_headers(squares)
        inner = (*self._outer, Context(caption.id, caption.text)) if caption else self._outer
        id = self.cell_id((row, position))
        return Element(id, cell.text, cell.links, inner + headers, self.origin(id))

    def _cell_headers(self, squares: Sequence[Place]) -> tuple[Context, ...]:
        return tuple(dict.fromkeys(self._headers(squares, self._left) + self._headers(squares, self._above)))

    def _group_headers(self, squares: Sequence[Place]) -> tuple[Context, ...]:
        """What a header cell stands under: the wider headers above it. Its equals beside it explain nothing."""
        row, position = self.places[squares[0][0]][squares[0][1]] or (0, 0)
        span = self.rows[row][position].column_span
        above = self._headers(squares[:1], self._above)
        return tuple(h for h in above if self.rows[h.id.path[1]][h.id.path[2]].column_span > span)


def _listed(given: Iterable[Any], what: str) -> list[Any]:
    """The parts of a list; text and mappings have parts too, but never those that were meant."""
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise InputError(
            f"{what} is a list, not {short_repr(given)}; expected e.g. [['K2', '8,611 m'], ['Everest', '8,849 m']]"
        )
    return list(given)


def _header_rows(header: list[Any]) -> list[Any]:
    nested = [not isinstance(part, (str, bytes)) and isinstance(part, Iterable) for part in header]
    return header if header and all(nested) else [header]


def _cell_text(cell: object) -> str:
    if cell is None:
        return ""
    try:
        return squeeze(str(cell))
    except (ValueError, RecursionError):
        if isinstance(cell, int):
            return str(Decimal(cell))  # Python writes no whole number of more than 4,300 digits by itself
        raise InputError(f"a cell is {short_repr(cell)}; expected a text or a number, e.g. 'K2' or 8611") from None


def _words(given: object, what: str) -> str:
    if given is not None and not isinstance(given, str):
        raise InputError(f"{what} is a text, not {short_repr(given)}")
    return squeeze(given or "")


class _Run:
    """Walks along a line of squares and remembers the run of adjacent headers last passed, nearest first."""

    __slots__ = ("chain", "unbroken")

    def __init__(self) -> None:
        self.chain: _Chain = ()
        self.unbroken = False

    def before(self, place: Place | None, is_header: bool) -> _Chain:
        """The headers before this square; then step onto it."""
        chain = self.chain
        if is_header and place is not None and not (self.unbroken and chain[0] == place):
            self.chain = (place, *chain[: _MOST_HEADERS - 1]) if self.unbroken else (place,)
        self.unbroken = is_header
        return chain


def _expand(rows: Sequence[Sequence[Cell]]) -> list[list[Place | None]]:
    """Lay cells out as a browser does: each goes to the first free square of its row, spans cover the rest."""
    if all(cell.row_span == 1 == cell.column_span for cells in rows for cell in cells):
        return [[(row, position) for position in range(len(cells))] for row, cells in enumerate(rows)]
    grid: list[list[Place | None]] = [[] for _ in rows]
    for row, cells in enumerate(rows):
        line = grid[row]
        column = 0
        for position, cell in enumerate(cells):
            while column < len(line) and line[column] is not None:
                column += 1
            end = column + cell.column_span
            for below in grid[row : row + cell.row_span]:
                if len(below) < end:
                    below.extend([None] * (end - len(below)))
                for square in range(column, end):
                    if below[square] is None:
                        below[square] = (row, position)
            column = end
    return grid


# -- pages -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """A document: its title and its blocks in reading order. `source`, where it came from, is not part of it."""

    title: str
    blocks: tuple[Block, ...] = ()
    source: str = field(default="", compare=False)
    revision: str = ""
    located: Mapping[Spot, Regions] = field(default_factory=dict, compare=False)
    """Where sentences, headings, items, captions and cells stand in the original, as far as that is known."""
    file: str = field(default="", compare=False)
    """The original, by its name inside the folder it was read from; empty for pages that are no file of their own."""
    name: str = field(default="", compare=False)
    """The name of a document's file, which leads to the page too, whatever its title is."""
    categories: tuple[str, ...] = field(default=(), compare=False)
    """What a wiki sorts it under, each once, in order."""

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Everything that can be evidence, in reading order, with its context; the title comes first."""
        return tuple(self._elements())

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        return tuple(Table(self, block, context) for block, context in self._in_context() if type(block) is TableBlock)

    @cached_property
    def links(self) -> tuple[str, ...]:
        """The titles this page points to, each once, in reading order."""
        return tuple(dict.fromkeys(link.target for _, links in self.texts() for link in links))

    def element(self, id: ElementId) -> Element:
        """The element with that address."""
        found = self._cell(id) if id.kind in CELLS else self._by_id.get(id)
        if found is None:
            raise NotFound(f"page {self.title!r} has no element {str(id)!r}")
        return found

    def regions(self, id: ElementId) -> Regions:
        """Where an element stands in the original; a table or a list stands where its parts stand, page by page."""
        if not self.located or id.page != self.title:
            return ()
        return self._around_parts.get((id.kind, id.path), ()) or self.located.get(spot_of(id), ())

    @cached_property
    def _around_parts(self) -> Mapping[Spot, Regions]:
        parts: dict[Spot, dict[int, list[Region]]] = {}
        for (kind, path), regions in self.located.items():
            whole = _WHOLES.get(kind)
            for region in regions if whole else ():
                parts.setdefault((whole or kind, path[:1]), {}).setdefault(region.page, []).append(region)
        return {spot: tuple(_surround(pages[page]) for page in sorted(pages)) for spot, pages in parts.items()}

    def _origin(self, id: ElementId) -> Origin | None:
        return Origin(self.file, self.regions(id)) if self.file else None

    def _cell(self, id: ElementId) -> Element | None:
        try:
            return self.table(id.path[0]).element(id) if id.page == self.title else None
        except NotFound:
            return None

    def table(self, number: int) -> Table:
        """The table with that number."""
        for table in self.tables:
            if table.id.path == (number,):
                return table
        raise NotFound(f"page {self.title!r} has no table {number}")

    def texts(self) -> Iterator[tuple[str, Links]]:
        """Every text of the page with its links, without the cost of building elements."""
        for block in self.blocks:
            if type(block) is TableBlock:
                yield block.caption, block.caption_links
                for row in block.rows:
                    for cell in row:
                        yield cell.text, cell.links
            elif type(block) is ListBlock:
                for item in block.items:
                    yield item.text, item.links
            else:
                yield block.text, block.links

    @cached_property
    def _by_id(self) -> Mapping[ElementId, Element]:
        """Everything but cells, of which there may be thousands, each with headers to be looked up."""
        return {element.id: element for element in self._elements(cells=False)}

    def is_called_by(self, section: Section) -> bool:
        """Whether a heading gave a document its title: then it is no context, since it says what the title says."""
        return bool(self.file) and section.text == self.title

    def _in_context(self) -> Iterator[tuple[Block, tuple[Context, ...]]]:
        """Each block with the title and the sections it stands in."""
        title = Context(ElementId(self.title, Kind.TITLE), self.title)
        sections: list[tuple[int, Context]] = []
        for block in self.blocks:
            if type(block) is Section:
                while sections and sections[-1][0] >= block.level:
                    sections.pop()
            yield block, (title, *(context for _, context in sections))
            if type(block) is Section and not self.is_called_by(block):
                sections.append(
                    (block.level, Context(ElementId(self.title, Kind.SECTION, (block.number,)), block.text))
                )

    def _elements(self, *, cells: bool = True) -> Iterator[Element]:
        title = ElementId(self.title, Kind.TITLE)
        yield Element(title, self.title, origin=self._origin(title))
        tables = iter(self.tables)
        for block, context in self._in_context():
            if type(block) is TableBlock:
                table = next(tables)
                yield Element(table.id, table.caption, block.caption_links, context, self._origin(table.id))
                if cells:
                    yield from table.elements()
                elif table.caption_element:
                    yield table.caption_element
            elif type(block) is ListBlock:
                whole = ElementId(self.title, Kind.LIST, (block.number,))
                yield Element(whole, "", (), context, self._origin(whole))
                for position, item in enumerate(block.items):
                    id = ElementId(self.title, Kind.ITEM, (block.number, position))
                    yield Element(id, item.text, item.links, context, self._origin(id))
            else:
                id = ElementId(self.title, _KIND_OF_BLOCK[type(block)], (block.number,))
                yield Element(id, block.text, block.links, context, self._origin(id))


_WHOLES = {Kind.CELL: Kind.TABLE, Kind.ITEM: Kind.LIST}


def _surround(regions: Sequence[Region]) -> Region:
    """The smallest region around all of these, which are of one page."""
    page, lefts, tops, rights, bottoms = zip(*regions, strict=True)
    return Region(page[0], min(lefts), min(tops), max(rights), max(bottoms))


_KIND_OF_BLOCK: dict[type[Any], Kind] = {
    Section: Kind.SECTION,
    Sentence: Kind.SENTENCE,
    Passage: Kind.PASSAGE,
}


@dataclass(frozen=True, slots=True)
class Redirect:
    """Another name for a page."""

    title: str
    target: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was wrong with a source. `what` names the kind of problem in fixed words; `where` says where.

    `lost` is true when a record could not become a page at all.
    """

    page: str
    where: str
    what: str
    lost: bool = False
