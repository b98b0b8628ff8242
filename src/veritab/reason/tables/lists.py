"""Lists as tables: "Altes Museum: 1830" is a row with a name and a year, "Baldini (Italy), 2:10:55" one with a time."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from veritab.quantities import Date, Quantity, Range, dimension
from veritab.reason.tables import TypedTable
from veritab.reason.tables.cells import CellValue, cleaned, read_cell
from veritab.reason.tables.synthetic import SourcedText, SyntheticTable
from veritab.schema import Element, ElementId, Kind

# Of a longer list nothing is computed: the count or the greatest of a part would be wrong of the whole.
_MOST_ITEMS = 20_000
_MOST_COLUMNS = 8
_LONGEST_ITEM = 600
# What follows the name of a thing in a list. A comma or a colon between digits is part of a number.
_AFTER_NAME = re.compile(r":(?!\d)\s*|\s[–—-]\s|(?<!\d),\s*|,\s+|\s*(?=[(\[])")
_LONGEST_NAME = 80
_PIECE = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|[^()\[\],;]+(?:,\d[^()\[\],;]*)*")
_EDGES = " .,;:–—"
_ANY_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class ItemPart:
    """A piece of an item: what it says, and what sort of thing that is ("year", "time", "detail")."""

    text: str
    sort: str


def split_item(item: str) -> tuple[ItemPart, ...]:
    """What an item says, piece by piece; what names it comes first, and may be a date."""
    text = cleaned(item[:_LONGEST_ITEM])
    cut = _AFTER_NAME.search(text)
    name, rest = (text[: cut.start()], text[cut.end() :]) if cut and 0 < cut.start() <= _LONGEST_NAME else (text, "")
    found = [*_named(name.strip(_EDGES))]
    for piece in _PIECE.finditer(rest):
        bracketed = piece[1] or piece[2]
        found += _read((bracketed or piece[0]).strip(_EDGES), "note" if bracketed else "detail")
    return tuple(found)


def _named(name: str) -> Iterator[ItemPart]:
    read = read_cell(name)
    first = read.value.low if isinstance(read.value, Range) else read.value
    if isinstance(first, Date) and read.plain and read.value:
        yield ItemPart(name, _sort(read.value))
    elif name:
        yield ItemPart(name, "name")


def _read(piece: str, sort: str) -> Iterator[ItemPart]:
    """The value a piece begins with, and the words it has beside: "3–2 on penalties" is a score and a detail."""
    read = read_cell(piece)
    if read.value and (read.plain or read.leads):
        start, end = read.value.span
        yield ItemPart(piece if read.plain else piece[start:end], _sort(read.value))
        piece = "" if read.plain else (piece[:start] + piece[end:]).strip(_EDGES)
    if _ANY_LETTER.search(piece):
        yield ItemPart(piece, sort)


def _sort(value: CellValue) -> str:
    match value:
        case Range(low=Date()):
            return "years"
        case Range():
            return "score"
        case Date(month=None):
            return "year"
        case Date():
            return "date"
        case Quantity(ordinal=True):
            return "place"
    return dimension(value.unit).split(":")[0] or "number"


def build_list_table(items: Iterable[Element], lead: str = "") -> TypedTable | None:
    """The items of one list as a table; `lead` is the sentence that announces it. None where there are none,
    or too many to be read.
    """
    given = [item for item in items if item.id.kind is Kind.ITEM]
    if not 0 < len(given) <= _MOST_ITEMS:
        return None
    rows = [_row(split_item(item.text)) for item in given]
    found = Counter(column for row in rows for column in row)
    order: dict[tuple[str, int], int] = defaultdict(int)
    for row in rows:
        for place, column in enumerate(row):
            order[column] += place
    often = [column for column, count in found.items() if count * 2 >= len(rows)]
    # What stands early in most items stands on the left.
    columns = sorted(often, key=lambda column: (order[column] / found[column], column))[:_MOST_COLUMNS]
    list_id = ElementId(given[0].id.page, Kind.LIST, given[0].id.path[:1])
    header = [SourcedText(_header(column), list_id) for column in columns]
    body = [
        [SourcedText(row.get(column, ""), item.id) for column in columns] for row, item in zip(rows, given, strict=True)
    ]
    if any(row.keys() - set(columns) for row in rows):
        # Not all that the items say has a column: it can still be found in their words.
        header.append(SourcedText("text", list_id))
        body = [[*squares, SourcedText(item.text, item.id)] for squares, item in zip(body, given, strict=True)]
    return SyntheticTable(list_id, header, body, caption=lead, context=given[0].context).typed()


def _row(parts: Sequence[ItemPart]) -> dict[tuple[str, int], str]:
    """The parts of an item by sort, the second of a sort apart from the first."""
    seen: Counter[str] = Counter()
    row: dict[tuple[str, int], str] = {}
    for part in parts:
        row[part.sort, seen[part.sort]] = part.text
        seen[part.sort] += 1
    return row


def _header(column: tuple[str, int]) -> str:
    sort, number = column
    return f"{sort} {number + 1}" if number else sort
