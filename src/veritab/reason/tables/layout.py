"""Which lines of a table are header, body and totals, and which way it is to be read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from veritab.quantities import Quantity, parse_quantities
from veritab.reason.tables.cells import clean_text
from veritab.reason.tables.columns import ColumnType, infer_column_type
from veritab.schema import Cell, Context, ElementId, Place

# Nobody compares a thousand columns; a row of a million cells must not become a million of them.
_MAX_COLUMNS = 1000
_MAX_HEADER_ROWS = 8
_SAMPLE = 50

# -- the grid ----------------------------------------------------------------------------------------------


class Tabular(Protocol):
    """What can be laid out as a table: a table of a page, or a synthetic one."""

    @property
    def id(self) -> ElementId: ...
    @property
    def caption(self) -> str: ...
    @property
    def infobox(self) -> bool: ...
    @property
    def context(self) -> tuple[Context, ...]: ...
    @property
    def rows(self) -> tuple[tuple[Cell, ...], ...]: ...
    @property
    def places(self) -> tuple[tuple[Place | None, ...], ...]: ...
    @property
    def width(self) -> int: ...
    def cell_id(self, place: Place) -> ElementId: ...


class Grid:
    """The grid of a table, or its transpose."""

    def __init__(self, table: Tabular, *, flipped: bool = False) -> None:
        self.table = table
        self.flipped = flipped
        self.places = table.places
        width = min(table.width, _MAX_COLUMNS)
        self.height, self.width = (width, len(self.places)) if flipped else (len(self.places), width)

    def place(self, row: int, column: int) -> Place | None:
        if self.flipped:
            row, column = column, row
        line = self.places[row]
        return line[column] if column < len(line) else None

    def text(self, place: Place) -> str:
        return self.table.rows[place[0]][place[1]].text

    def is_header(self, place: Place) -> bool:
        return self.table.rows[place[0]][place[1]].header

    def filled(self, row: int) -> list[Place]:
        """The cells of a row with text, without duplicates."""
        line = self.places[row][: self.width]
        return [place for place in dict.fromkeys(line) if place and self.text(place).strip()]

    def is_empty(self, row: int) -> bool:
        return not any(place and self.text(place).strip() for place in self.places[row][: self.width])

    def is_header_row(self, row: int) -> bool:
        line = self.places[row]
        last = line[len(line) - 1] if line else None
        # Row headers are on the left, so that the last cell is enough for most rows.
        if last and not self.is_header(last) and self.text(last).strip():
            return False
        filled = self.filled(row)
        return bool(filled) and all(map(self.is_header, filled))

    def is_ordinary(self, row: int) -> bool:
        """Whether it takes no more than two cells to see that a row is neither empty nor a header nor a separator."""
        line = self.places[row]
        if len(line) < 2 or not (first := line[0]) or not (second := line[1]) or first == second:
            return False
        one, other = self.text(first), self.text(second)
        return bool(one and other) and one != other and not self.is_header(second)

    def single(self, row: int) -> Place | None:
        """The only cell of a row, as in a separator: its text fills the row."""
        line = self.places[row]
        first = line[0] if line else None
        if self.width < 2 or len(line) < self.width or not first or first[0] != row:
            return None
        said = self.text(first).strip()
        if line[self.width - 1] == first:
            return first if said else None
        # The last row has nothing to head: there it is a thing of which nothing else is known.
        if self.width < 3 or not said or (row + 1 == len(self.places) and not self.is_header(first)):
            return None
        fills = "" if not self._said(line[1]) else said if len(said) > 3 and any(map(str.isalpha, said)) else None
        return first if all(self._said(place) == fills for place in line[1 : self.width]) else None

    def _said(self, place: Place | None) -> str:
        return self.text(place).strip() if place else ""


@dataclass(frozen=True)
class Layout:
    """Which lines of a grid are header, body and totals."""

    header_rows: Sequence[int]
    body: Sequence[int]
    across: Sequence[int]
    groups: Sequence[Place | None]
    """For each row of the body, the separator above it."""
    totals: Sequence[tuple[str, int]] = ()
    heading: str = ""
    above: Sequence[Place | None] = ()
    """For each column of a transposed table, the heading of its part."""

    def path(self, grid: Grid, across: int) -> Iterator[Place]:
        """The header cells of a column, widest first."""
        heading = self.above[across] if self.above else None
        if heading:
            yield heading
        for head in self.header_rows:
            place = grid.place(head, across)
            if place:
                yield place


# -- tables with their headers on top ----------------------------------------------------------------------

_TOTAL = re.compile(
    r"(?:grand |overall |career |sub ?-? ?|season )?(?:totals?|sum)(?: of (?:the|all)\b.{0,20})?(?: ?:)?", re.IGNORECASE
)
_SUMS_UP = re.compile(r"total|sum|avg|average|mean", re.IGNORECASE)
_MAX_LABEL = 30
_MIN_SUMMED, _MAX_SUMMED = 3, 100
_AVERAGE = re.compile(r"(?:overall |career |season )?(?:averages?|avg\.?|mean)(?: ?:)?", re.IGNORECASE)


def layout_upright(grid: Grid) -> Layout:
    first, heading = _title_rows(grid)
    header_rows = _header_rows(grid, first)
    body: list[int] = []
    groups: list[Place | None] = []
    totals: list[tuple[str, int]] = []
    group: Place | None = None
    marked = bool(header_rows) and _has_body(grid, header_rows)
    for row in range(header_rows[-1] + 1 if header_rows else first, grid.height):
        if (
            grid.is_ordinary(row)
            and not _total_kind(grid, row)
            and not (header_rows and _repeats(grid, header_rows[-1], row))
        ):
            body.append(row)
            groups.append(group)
        elif single := grid.single(row):
            group = single
        elif header_rows and ((marked and grid.is_header_row(row)) or _repeats(grid, header_rows[-1], row)):
            continue
        elif kind := _total_kind(grid, row):
            totals.append((kind, row))
        elif not grid.is_empty(row):
            body.append(row)
            groups.append(group)
    if len(body) > _MIN_SUMMED and not totals and _sums_up(grid, body):
        totals.append(("total", body.pop()))
        groups.pop()
    if len(body) < 2 and not any(groups) and totals:
        body, totals = sorted([*body, *(row for _, row in totals)]), []
        groups = [None] * len(body)
    if not body and group:
        # Every row has one cell: they are the rows.
        body = [
            row for row in range(header_rows[-1] + 1 if header_rows else first, grid.height) if not grid.is_empty(row)
        ]
        groups = [None] * len(body)
    return Layout(header_rows, body, range(grid.width), groups, totals, heading)


def _title_rows(grid: Grid) -> tuple[int, str]:
    """The first row after those that only hold a title, and the first title."""
    row, heading = 0, ""
    while row + 1 < grid.height:
        single = grid.single(row)
        if not single or not (grid.is_header(single) or _spans(grid, single)):
            single = _lone_title(grid, row)
        if not single:
            break
        heading = heading or clean_text(grid.text(single))
        row += 1
    return row, heading


def _lone_title(grid: Grid, row: int) -> Place | None:
    """The only cell of a row right above the header, as sheets have their titles."""
    filled = grid.filled(row)
    if len(filled) != 1 or grid.width < 2 or grid.place(row, 0) != filled[0]:
        return None
    named = grid.is_header_row(row + 1) and len(grid.filled(row + 1)) > 1
    return filled[0] if named or _first_row_names(grid, row + 1) else None


def _spans(grid: Grid, place: Place) -> bool:
    return grid.table.rows[place[0]][place[1]].column_span > 1


def _header_rows(grid: Grid, first: int) -> list[int]:
    """The rows on top that name the columns: those of header cells, or a first row unlike the rows below it."""
    header_rows: list[int] = []
    for row in range(first, grid.height):
        if not grid.is_header_row(row) or (header_rows and grid.single(row)):
            break
        header_rows.append(row)
    if len(header_rows) > _MAX_HEADER_ROWS or (len(header_rows) > 1 and header_rows[-1] + 1 == grid.height):
        return header_rows[:1]
    return header_rows or ([first] if _first_row_names(grid, first) else [])


def _first_row_names(grid: Grid, first: int) -> bool:
    """Whether a row that nothing marks as header is one: all words, above numbers or dates."""
    if first + 1 >= grid.height or grid.width < 2:
        return False
    names = [clean_text(grid.text(place)) for place in grid.filled(first)]
    if len(names) < grid.width or len({name.casefold() for name in names}) < len(names):
        return False
    if any(infer_column_type([name]) in (ColumnType.NUMBER, ColumnType.DATE) for name in names):
        return False
    below = range(first + 1, min(grid.height, first + 1 + _SAMPLE))
    return any(_type_of(grid, below, column) in (ColumnType.NUMBER, ColumnType.DATE) for column in range(grid.width))


def _type_of(grid: Grid, rows: Sequence[int], column: int) -> ColumnType:
    places = (grid.place(row, column) for row in rows)
    return infer_column_type([text for place in places if place and (text := clean_text(grid.text(place)))])


def _has_body(grid: Grid, header_rows: Sequence[int]) -> bool:
    """Whether header cells mark headers at all: in some tables every cell is one."""
    return any(
        not grid.is_header_row(row)
        for row in range(header_rows[-1] + 1, min(grid.height, header_rows[-1] + 1 + _SAMPLE))
    )


def _repeats(grid: Grid, head: int, row: int) -> bool:
    """Whether a row repeats the header, as in a table that was cut into pages."""
    one, other = grid.places[head], grid.places[row]
    if len(one) != len(other):
        return False
    for above, below in zip(one, other, strict=True):
        if not above or not below or grid.text(above).casefold() != grid.text(below).casefold():
            return False
    return True


def _total_kind(grid: Grid, row: int) -> str | None:
    """Whether a row sums up others: its first word says so, and hardly any other cell has words."""
    line = grid.places[row]
    first = line[0] if line and line[0] and grid.text(line[0]) else None
    first = first or next((place for place in line[1:3] if place and grid.text(place)), None)
    if first is None or len(line) < 2 or not _SUMS_UP.search(grid.text(first), 0, _MAX_LABEL):
        return None
    line, label = line[: grid.width], clean_text(grid.text(first))
    kind = "total" if _TOTAL.fullmatch(label) else "average" if _AVERAGE.fullmatch(label) else None
    others = {text for place in line if place and (text := clean_text(grid.text(place))) != label} if kind else set()
    # The total of a weightlifter is a lift with a name and a place, not a sum of the rows above.
    return kind if sum(not any(map(str.isdigit, text)) and len(text) > 3 for text in others) < 2 else None


def _sums_up(grid: Grid, body: Sequence[int]) -> bool:
    """Whether the last row, whatever it is called, has the sum of the others wherever all of them have numbers."""
    *others, last = body[-_MAX_SUMMED - 1 :]
    if len(others) < _MIN_SUMMED or len(body) > _MAX_SUMMED:
        return False
    checked = 0
    for column in range(1, grid.width):
        total = _plain_number(grid, last, column)
        if total is None:
            continue
        numbers = [_plain_number(grid, row, column) for row in others]
        known = [number for number in numbers if number is not None]
        if len(known) < len(others) or not all(number > 0 for number in known):
            return False
        # Rounded numbers do not add up to the last digit.
        if abs(sum(known) - total) > 0.005 * total:
            return False
        checked += 1
    return checked > 0


def _plain_number(grid: Grid, row: int, column: int) -> float | None:
    """The number of a cell that holds nothing else and is not a year."""
    place = grid.place(row, column)
    found = parse_quantities(clean_text(grid.text(place))) if place else []
    return found[0].value if len(found) == 1 and isinstance(found[0], Quantity) else None


# -- tables with their headers on the left -----------------------------------------------------------------

_PAIR_LABELS = re.compile(
    r"(?:(?:first|last|current|original|main|total|place|stable|latest|other|net|official) (?:of )?)?"
    r"(?:born|died|birth|death|full name|nickname|nationality|occupation|years active|spouse|children|education"
    r"|alma mater|genre|label|producer|writer|director|directed|written|produced|starring|music by|cinematography"
    r"|edited|release|recorded|length|studio|distribut|country|language|budget|box office|running time|developer"
    r"|publisher|platform|stable|license|website|type|founded|founder|headquarters|key people|industry|products"
    r"|revenue|employees|parent|owner|location|coordinates|area|population|elevation|time zone|area code|postal"
    r"|established|capacity|opened|closed|architect|built|height|weight|position|club|number|college|draft|party"
    r"|preceded|succeeded|president|prime minister|governor|monarch|term|in office|allegiance|branch|service|rank"
    r"|battles|awards|kingdom|phylum|class|order|family|genus|species|formula|mass|density|status|operator|route"
    r"|line|date|venue|city|state|region|district|county|demonym|government|mayor|leader|motto|affiliation|team"
    r"|sport|event|medal|host|champion|runner|episode|network|channel|series|season|origin|instrument|associated"
    r"|members|format|author|isbn|pages|media type|subject|motive|result|belligerent|commander|strength|casualties"
    r"|religion|residence|citizenship|known for|notable|field|institution|thesis|doctoral|manufacturer|engine"
    r"|introduced|designer|successor|predecessor|mouth|source|basin|discharge|constellation|magnitude|commissioned"
    r"|launched|laid down|displacement|speed|crew|armament|fate|code|symbol|name|title|personal|career|nearest"
    r"|artist|year|medium|dimensions|capital|currency|players|setup|playing|random|formed|damage|fatalities|adopted"
    r"|design|created|creator|use|editor|categories|frequency|issue|available|url|commercial|organisation|organization"
    r"|sex|breed|color|colour|distance|age|radius|temperature|discovered|completed|cost|material|style|denomination)",
    re.IGNORECASE,
)
# Route 51 is not a property, though a route is.
_DIGIT = re.compile(r"[0-9]")
_MAX_VALUE_COLUMNS = 3


def is_vertical(grid: Grid) -> bool:
    """Whether a table is read line by line, each a name and its value, as an infobox is."""
    if grid.width < 2 or not grid.height:
        return False
    if grid.table.infobox:
        return True
    rows = [row for row in range(min(grid.height, 4 * _SAMPLE)) if not grid.single(row)]
    if grid.width > _MAX_VALUE_COLUMNS + 1 or grid.height > 2 * _SAMPLE or not rows:
        return False
    pairs = [(grid.place(row, 0), grid.place(row, 1)) for row in rows]
    left = [label for label, _ in pairs if label]
    marked = sum(map(grid.is_header, left)) > 0.8 * len(rows)
    values = [value for _, value in pairs if value]
    if marked and not any(map(grid.is_header, values)):
        return _are_pairs(grid, left, values, 0.0)
    # A table of plain rows may hold an infobox too, its first pair taken for a header or not.
    plain = len(rows) > 1 and not any(map(grid.is_header, [*left[1:], *values[1:]]))
    if not plain or grid.width != 2 or len(left) < len(rows):
        return False
    # Below a marked header, the other pairs alone must look like properties of one thing.
    below = [pair for pair in pairs if pair[0] and not grid.is_header(pair[0])]
    labels, held = [label for label, _ in below if label], [value for _, value in below if value]
    return bool(labels) and _are_pairs(grid, labels, held, 0.4)


def _are_pairs(grid: Grid, labels: Sequence[Place], values: Sequence[Place], known: float) -> bool:
    """Whether the left cells name properties, all different, of one thing, and the right cells differ in kind."""
    names = [clean_text(grid.text(place)).casefold() for place in labels]
    texts = [text for place in values if (text := clean_text(grid.text(place)))]
    if len(set(names)) < len(names) or any(len(name) > 60 for name in names):
        return False
    if infer_column_type([name for name in names if name]) in (ColumnType.NUMBER, ColumnType.DATE):
        return False
    share = sum(bool(_PAIR_LABELS.match(name)) and not _DIGIT.search(name) for name in names) / len(names)
    alike = len(texts) > 1 and infer_column_type(texts) in (ColumnType.NUMBER, ColumnType.DATE, ColumnType.MARK)
    return share >= (max(known, 0.6) if alike else known) and not (alike and _in_one_unit(texts))


def _in_one_unit(texts: Sequence[str]) -> bool:
    """Whether values can be compared with each other, as the cells of a column can."""
    kinds = {(type(value), getattr(value, "unit", "")) for text in texts for value in parse_quantities(text)[:1]}
    return len(kinds) < 2


def layout_vertical(grid: Grid) -> Layout:
    """The layout of a vertical table, in the grid that has its columns as rows."""
    above: list[Place | None] = []
    across: list[int] = []
    heading, part = "", None
    for row in range(min(grid.height, _MAX_COLUMNS)):
        single = grid.single(row)
        if single and (grid.is_header(single) or not across):
            heading, part = heading or clean_text(grid.text(single)), single if across else None
        elif not single and grid.filled(row):
            across.append(row)
        above.append(part)
    body = [column for column in range(1, grid.width) if column == 1 or _is_new(grid, across, column)]
    return Layout([0], body, across, [None] * len(body), (), heading, above)


def _is_new(grid: Grid, across: Sequence[int], column: int) -> bool:
    """Whether a further column of values has values of its own, and is not the first one's cells spanning wide."""
    own = sum(grid.place(row, column) not in (None, grid.place(row, column - 1)) for row in across)
    return own * 2 > len(across)
