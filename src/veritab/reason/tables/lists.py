"""Lists as tables: "Altes Museum: 1830" is a row with a name and a year, "Baldini (Italy), 2:10:55" one with a time."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from veritab.quantities import Date, Quantity, Range, dimension
from veritab.reason.tables import TypedTable
from veritab.reason.tables.cells import CellValue, clean_text, read_cell
from veritab.reason.tables.synthetic import SourcedText, SyntheticTable
from veritab.schema import Element, ElementId, Kind

# Of a longer list nothing is computed: the count or the greatest of a part would be wrong of the whole.
_MAX_ITEMS = 20_000
_MAX_COLUMNS = 8
_MAX_ITEM = 600
# What follows the name of a thing in a list. A comma or a colon between digits is part of a number.
_AFTER_NAME = re.compile(r":(?!\d)\s*|\s[–—-]\s|(?<!\d),\s*|,\s+|\s*(?=[(\[])")
_MAX_NAME = 80
_PIECE = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|[^()\[\],;]+(?:,\d[^()\[\],;]*)*")
_EDGES = " .,;:–—"
_ANY_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class ItemPart:
    """A piece of an item: its text and what kind of thing it is ("year", "time", "detail")."""

    text: str
    kind: str


def split_item(item: str) -> tuple[ItemPart, ...]:
    """The pieces of an item; its name comes first, and may be a date."""
    text = clean_text(item[:_MAX_ITEM])
    cut = _AFTER_NAME.search(text)
    name, rest = (text[: cut.start()], text[cut.end() :]) if cut and 0 < cut.start() <= _MAX_NAME else (text, "")
    found = [*_split_name(name.strip(_EDGES))]
    for piece in _PIECE.finditer(rest):
        bracketed = piece[1] or piece[2]
        found += _split_piece((bracketed or piece[0]).strip(_EDGES), "note" if bracketed else "detail")
    return tuple(found)


def _split_name(name: str) -> Iterator[ItemPart]:
    read = read_cell(name)
    first = read.value.low if isinstance(read.value, Range) else read.value
    if isinstance(first, Date) and read.plain and read.value:
        yield ItemPart(name, _value_kind(read.value))
    elif name:
        yield ItemPart(name, "name")


def _split_piece(piece: str, kind: str) -> Iterator[ItemPart]:
    """The value a piece begins with, and the words it has beside: "3–2 on penalties" is a score and a detail."""
    read = read_cell(piece)
    if read.value and (read.plain or read.leads):
        start, end = read.value.span
        yield ItemPart(piece if read.plain else piece[start:end], _value_kind(read.value))
        piece = "" if read.plain else (piece[:start] + piece[end:]).strip(_EDGES)
    if _ANY_LETTER.search(piece):
        yield ItemPart(piece, kind)


def _value_kind(value: CellValue) -> str:
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


def build_list_table(items: Iterable[Element], introduction: str = "") -> TypedTable | None:
    """The items of one list as a table; `introduction` is the sentence before it. None where there are none,
    or too many to be read.
    """
    given = [item for item in items if item.id.kind is Kind.ITEM]
    if not 0 < len(given) <= _MAX_ITEMS:
        return None
    rows = [_index_parts(split_item(item.text)) for item in given]
    found = Counter(column for row in rows for column in row)
    order: dict[tuple[str, int], int] = defaultdict(int)
    for row in rows:
        for place, column in enumerate(row):
            order[column] += place
    often = [column for column, count in found.items() if count * 2 >= len(rows)]
    # What comes early in most items comes on the left.
    columns = sorted(often, key=lambda column: (order[column] / found[column], column))[:_MAX_COLUMNS]
    list_id = ElementId(given[0].id.page, Kind.LIST, given[0].id.path[:1])
    header = [SourcedText(_column_header(column), list_id) for column in columns]
    body = [
        [SourcedText(row.get(column, ""), item.id) for column in columns] for row, item in zip(rows, given, strict=True)
    ]
    if any(row.keys() - set(columns) for row in rows):
        # Not every piece has a column; it can still be found in the text of its item.
        header.append(SourcedText("text", list_id))
        body = [[*squares, SourcedText(item.text, item.id)] for squares, item in zip(body, given, strict=True)]
    return SyntheticTable(list_id, header, body, caption=introduction, context=given[0].context).typed()


def _index_parts(parts: Sequence[ItemPart]) -> dict[tuple[str, int], str]:
    """The parts of an item by kind, the second of a kind apart from the first."""
    seen: Counter[str] = Counter()
    row: dict[tuple[str, int], str] = {}
    for part in parts:
        row[part.kind, seen[part.kind]] = part.text
        seen[part.kind] += 1
    return row


def _column_header(column: tuple[str, int]) -> str:
    kind, number = column
    return f"{kind} {number + 1}" if number else kind
