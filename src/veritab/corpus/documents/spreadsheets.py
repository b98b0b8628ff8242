"""Spreadsheets: CSV, TSV and XLSX become tables; also the guard every zipped Office file passes before it is opened."""

from __future__ import annotations

import csv
import io
import re
import warnings
import zlib
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Decimal
from itertools import chain, islice, takewhile
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

from lxml.etree import XMLSyntaxError

from veritab.corpus.documents.headers import with_header
from veritab.corpus.documents.sheets import Part, SheetLine, SheetRange, is_note, parts_of
from veritab.corpus.draft import MOST_LOCATED, Draft
from veritab.corpus.inline import BREAK, clean_lines
from veritab.corpus.streams import LARGEST_RECORD, RawRecord
from veritab.errors import MissingExtra
from veritab.schema import Cell, Place, Region, Regions
from veritab.text import printable

if TYPE_CHECKING:
    from openpyxl import Workbook

MOST_CELLS = 1_000_000
"""Cells kept of one document; a table beyond that belongs in a database."""
# Squares looked at in one document, empty ones included.
_MOST_SQUARES = 50_000_000
_EMPTY = Cell("")


class Unreadable(Exception):
    """A document that cannot become a page; the message is the fixed phrase that says why."""


def cell_text(raw: str) -> str:
    """The clean text of a cell, its line breaks kept."""
    plain = printable(raw)
    return clean_lines(plain.replace("\r\n", BREAK).replace("\n", BREAK).replace("\r", BREAK), urls=False)[0]


# -- text with delimiters ----------------------------------------------------------------------------------

# In this order: where a tab, a bar or a semicolon cuts every row alike, commas are part of the text or of numbers.
_DELIMITERS = "\t|;,"
_LOOKED_AT = 100
_SAMPLE = 2**16
_NAMED_DELIMITER = re.compile(r"sep=(.)(?:\r\n|\r|\n)", re.IGNORECASE)
# A last line no file holds: when it does not come back as a row of its own, a quotation mark was never closed.
_LAST_LINE = "\x00last line\x00"


def read_delimited(text: str, draft: Draft, *, tabs: bool = False) -> None:
    """Add the one table of a CSV or TSV file."""
    rows, numbers = _delimited_rows(text, draft, tabs)
    regions: Iterator[tuple[Place, Regions]] = (
        ((at, position), (_square(1, number, position + 1),))
        for at, (number, row) in enumerate(zip(numbers, rows, strict=True))
        for position in range(len(row))
    )
    draft.table(with_header(rows), regions=dict(islice(regions, MOST_LOCATED)))


def _delimited_rows(text: str, draft: Draft, tabs: bool) -> tuple[list[list[Cell]], list[int]]:
    """The rows that hold anything, and the number of each in the file."""
    named = _NAMED_DELIMITER.match(text)  # what spreadsheet programs write to tell each other
    delimiter = named[1] if named else _delimiter(text, tabs)
    if named:
        text = text[named.end() :]
    # The limit is the module's own and shared by all: it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), 2 * LARGEST_RECORD))
    rows, numbers, closed = _records(text, delimiter, csv.QUOTE_MINIMAL, draft)
    if not closed:
        draft.problem("table_0", "a quotation mark is never closed; quotation marks were read as text")
        rows, numbers, _ = _records(text, delimiter, csv.QUOTE_NONE, draft)
    return rows, numbers


def _square(sheet: int, row: int, column: int, down: int = 1, across: int = 1) -> Region:
    """Where a cell stands on its sheet; numbers from 1."""
    return Region(sheet, column - 1, row - 1, column - 1 + across, row - 1 + down)


def _records(text: str, delimiter: str, quoting: int, draft: Draft) -> tuple[list[list[Cell]], list[int], bool]:
    """The rows that hold anything, their numbers, and whether the last quotation mark was closed."""
    rows: list[list[Cell]] = []
    numbers: list[int] = []
    room = MOST_CELLS
    reader = csv.reader(
        chain(io.StringIO(text, newline=""), [_LAST_LINE]),
        delimiter=delimiter,
        quoting=quoting,  # type: ignore[arg-type]
    )
    for number, record in enumerate(reader, 1):
        if record and record[-1].endswith(_LAST_LINE):
            return rows, numbers, record == [_LAST_LINE]
        if any(record):
            room -= len(record)
            if room < 0:
                draft.problem("table_0", "more cells than can be kept; the rows after them were left out")
                break
            rows.append([Cell(cell_text(value)) if value else _EMPTY for value in record])
            numbers.append(number)
    return rows, numbers, True


def _delimiter(text: str, tabs: bool) -> str:
    """The character that cuts all rows alike; failing that, the one that comes closest among those in the first row."""
    if tabs and "\t" in text[:_SAMPLE]:
        return "\t"
    widths = {delimiter: _widths(text, delimiter) for delimiter in _DELIMITERS}
    shares = {delimiter: _share(found) for delimiter, found in widths.items()}
    for delimiter in _DELIMITERS:
        if shares[delimiter] == 1:
            return delimiter
    candidates = [mark for mark in _DELIMITERS if widths[mark][:1] > [1]] or [
        mark for mark in _DELIMITERS if shares[mark]
    ]
    fallback = "\t" if tabs else ","
    return max(candidates, key=lambda mark: shares[mark] * max(widths[mark]), default=fallback)


def _widths(text: str, delimiter: str) -> list[int]:
    reader = csv.reader(io.StringIO(text[:_SAMPLE], newline=""), delimiter=delimiter)
    widths = [len(row) for row in islice(reader, _LOOKED_AT) if row]
    if len(text) > _SAMPLE and 1 < len(widths) < _LOOKED_AT:
        widths.pop()  # the sample ends inside this row
    return widths


def _share(widths: list[int]) -> float:
    """Which part of the rows has the commonest width, if that is more than one cell."""
    if not widths:
        return 0.0
    width, count = min(Counter(widths).items(), key=lambda pair: (-pair[1], -pair[0]))
    return count / len(widths) if width > 1 else 0.0


# -- zipped Office files -----------------------------------------------------------------------------------

_LARGEST_EXPANDED = 256 * 2**20
_SUSPICIOUS_SIZE = 2**20
_HIGHEST_RATIO = 200
# Every tag becomes an object in memory, whatever its size on disk.
_MOST_TAGS = 16_000_000
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
DAMAGED = "a cut or damaged file"
_BROKEN_ZIP = (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)
"""What zipfile raises; RuntimeError and NotImplementedError are encrypted members and unknown methods."""
BROKEN_PACKAGE = (
    *_BROKEN_ZIP,
    OverflowError,
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    XMLSyntaxError,
    ParseError,
)
"""What the Office libraries raise when a part is missing, is not XML, or lacks what they count on."""


class _Metered(io.BytesIO):
    """A package in memory that can be read a few times, not endlessly: its parts may name each other in circles."""

    def __init__(self, data: bytes, needs: str) -> None:
        super().__init__(data)
        self._left = 4 * len(data) + 2**22
        self._needs = needs

    def read(self, size: int | None = -1, /) -> bytes:
        piece = super().read(size)
        self._left -= len(piece)
        if self._left < 0:
            raise Unreadable(f"expands beyond what {self._needs} needs")
        return piece


def open_package(data: bytes, name: str, needs: str) -> io.BytesIO:
    """A zipped Office file that is what its name says and does not expand beyond reason."""
    if data.startswith(_OLD_OFFICE):
        raise Unreadable("encrypted, or in the old binary format")
    if not data.startswith(b"PK"):
        raise Unreadable(f"not {name} file, though its name says so")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            if "[Content_Types].xml" not in archive.NameToInfo:
                raise Unreadable(f"not {name} file, though its name says so")
            if not _expands_sanely(archive):
                raise Unreadable(f"expands beyond what {needs} needs")
    except _BROKEN_ZIP:
        raise Unreadable(DAMAGED) from None
    return _Metered(data, needs)


def _expands_sanely(archive: ZipFile) -> bool:
    """Believe neither the directory of the archive nor its members alone: look at the one, then count the others."""
    members = archive.infolist()
    if sum(member.file_size for member in members) > _LARGEST_EXPANDED:
        return False
    if any(m.file_size > max(_SUSPICIOUS_SIZE, _HIGHEST_RATIO * m.compress_size) for m in members):
        return False
    size = tags = 0
    for member in members:
        with archive.open(member) as stream:
            while chunk := stream.read(2**20):
                size += len(chunk)
                tags += chunk.count(b"<")
                if size > _LARGEST_EXPANDED or tags > _MOST_TAGS:
                    return False
    return True


# -- XLSX --------------------------------------------------------------------------------------------------

_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^<>]*?ref=[\"']([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})[\"']")
_NO_VALUE = re.compile(
    rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\s[^<>]*/>)(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?</(?:\w+:)?c>"
)
_LONGEST_MATCH = 256
_MOST_MERGED = 100_000
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_QUOTED = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')
_PERCENT = re.compile(r"[0#?](?:\.([0#?]+))?\s*%")


class _SheetCell(Protocol):
    """What is used of a cell of the library."""

    column: int
    number_format: str | None
    value: object


class _Sheet(Protocol):
    """What is used of a sheet of the library."""

    title: str
    sheet_state: str

    def reset_dimensions(self) -> None: ...

    def iter_rows(self) -> Iterator[Sequence[_SheetCell]]: ...

    def _get_source(self) -> BinaryIO: ...


@dataclass
class _CellBudget:
    """How much more of a workbook can be kept and looked at, over all its sheets."""

    cells: int
    squares: int


def read_xlsx(data: bytes, draft: Draft) -> None:
    """Add every sheet that shows something: a section with its name, and a table."""
    with _opened_workbook(data) as workbook:
        draft.own_title = str(workbook.properties.title or "")
        room = _CellBudget(MOST_CELLS, _MOST_SQUARES)
        for number, sheet in enumerate(cast(list[_Sheet], workbook.worksheets), 1):
            if sheet.sheet_state != "visible":
                draft.problem(sheet.title, "a hidden sheet was left out")
            else:
                _add_sheet(sheet, number, draft, room)


def read_squares(data: bytes, suffix: str, number: int, last: int) -> tuple[str, dict[int, dict[int, str]]] | None:
    """The name of a sheet and its filled squares down to the last row asked for, by row and column from 1.

    None when there is no such sheet. A file with delimiters is one sheet without a name.
    """
    if suffix != ".xlsx":
        return ("", _delimited_squares(data, suffix == ".tsv", last)) if number == 1 else None
    with _opened_workbook(data) as workbook:
        sheets = cast(list[_Sheet], workbook.worksheets)
        if not 1 <= number <= len(sheets):
            return None
        sheet = sheets[number - 1]
        lines = _filled_lines(sheet, Draft("sheet"), _CellBudget(MOST_CELLS, _MOST_SQUARES))
        try:
            return sheet.title, dict(takewhile(lambda line: line[0] <= last, lines))
        except BROKEN_PACKAGE:
            raise Unreadable(DAMAGED) from None


@contextmanager
def _opened_workbook(data: bytes) -> Iterator[Workbook]:
    """A workbook of values, to be read row by row."""
    try:
        import openpyxl
    except ImportError:
        raise MissingExtra("reading XLSX files", "documents") from None
    package = open_package(data, "an XLSX", "a spreadsheet")
    with warnings.catch_warnings():
        # The library warns of what it will not write back (validations, drawings); nothing is written back here.
        warnings.simplefilter("ignore")
        try:
            workbook = openpyxl.load_workbook(package, read_only=True, data_only=True, keep_links=False)
        except OSError:
            raise Unreadable("not an XLSX file, though its name says so") from None
        except BROKEN_PACKAGE:
            raise Unreadable(DAMAGED) from None
        with closing(workbook):
            yield workbook


def _delimited_squares(data: bytes, tabs: bool, last: int) -> dict[int, dict[int, str]]:
    from veritab.corpus.documents import decode

    draft = Draft("sheet")
    text = decode(RawRecord("", data), draft)
    rows, numbers = _delimited_rows(text, draft, tabs)
    return {
        number: {column: cell.text for column, cell in enumerate(row, 1) if cell.text}
        for number, row in zip(numbers, rows, strict=True)
        if number <= last
    }


def _add_sheet(sheet: _Sheet, sheet_number: int, draft: Draft, room: _CellBudget) -> None:
    """Add one sheet as far as there is room, and take what it needs of that."""
    filled: list[SheetLine] = []
    merged: list[SheetRange] = []
    try:
        for line in _filled_lines(sheet, draft, room):
            filled.append(line)
        merged = _merged_ranges(sheet, draft)
    except BROKEN_PACKAGE:
        draft.problem(sheet.title, "a sheet could not be read to its end")
    if not filled:
        return
    draft.section(cell_text(sheet.title).replace("\n", " "), 2)
    for part in parts_of(filled, merged):
        if not part.table and not _is_prose(part.titles):
            part = Part(table=part.titles)
        if not part.table:
            for line in part.titles:
                _add_text(line, sheet_number, draft)
        elif not _add_table(part, merged, sheet_number, draft, room):
            draft.problem(sheet.title, "more cells than can be kept; the rows after them were left out")
            return


def _add_text(line: SheetLine, sheet: int, draft: Draft) -> None:
    number, texts = line
    for column, text in texts.items():
        where = (_square(sheet, number, column),)
        draft.paragraph(text.replace("\n", " "), locate=lambda start, end, where=where: where)  # type: ignore[misc]


def _add_table(part: Part, merged: Sequence[SheetRange], sheet: int, draft: Draft, room: _CellBudget) -> bool:
    """Add a table as far as there is room, and say whether there was enough."""
    rows: list[list[Cell]] = []
    regions: dict[Place, Regions] = {}
    for row, columns in _laid_out(part.table, merged):
        room.cells -= len(row)
        if room.cells < 0:
            break
        for position, (cell, column) in enumerate(
            zip(row, columns, strict=True) if len(regions) < MOST_LOCATED else ()
        ):
            # A span is counted without the blank rows in it, which the sheet has.
            last = part.table[len(rows) + cell.row_span - 1][0]
            first = part.table[len(rows)][0]
            where = _square(sheet, first, column, last - first + 1, cell.column_span)
            regions[len(rows), position] = (where,)
        rows.append(row)
    titles = [
        (text.replace("\n", " "), number, column) for number, texts in part.titles for column, text in texts.items()
    ]
    draft.table(
        with_header(rows),
        ". ".join(text.rstrip(".") if text != titles[-1][0] else text for text, _, _ in titles),
        regions=regions,
        caption_regions=tuple(_square(sheet, number, column) for _, number, column in titles),
    )
    return room.cells >= 0


def _is_prose(lines: Sequence[SheetLine]) -> bool:
    """Whether lines of single cells are notes: most are whole sentences."""
    return 2 * sum(is_note(text) for _, texts in lines for text in texts.values()) >= len(lines)


def _filled_lines(sheet: _Sheet, draft: Draft, room: _CellBudget) -> Iterator[SheetLine]:
    """The rows that hold anything."""
    # A sheet may claim a million empty rows; without its claim rows are as long as what they hold.
    sheet.reset_dimensions()
    cells = 0
    for number, row in enumerate(sheet.iter_rows(), 1):
        room.squares -= 1 + len(row)
        texts = {cell.column: text for cell in row if cell.value is not None and (text := _written(cell))}
        cells += len(texts)
        if room.squares < 0 or cells > MOST_CELLS:
            draft.problem(sheet.title, "more cells than can be kept; the rows after them were left out")
            return
        if texts:
            yield number, texts


def _merged_ranges(sheet: _Sheet, draft: Draft) -> list[SheetRange]:
    """The merged cells of a sheet, found in its XML as it streams by: the library's lean mode does not tell them."""
    found: dict[SheetRange, None] = {}
    missing = False
    tail = b""
    with sheet._get_source() as stream:
        while (chunk := stream.read(2**20)) and len(found) < _MOST_MERGED:
            window = tail + chunk
            for match in _MERGED.finditer(window):
                found[int(match[2]), _column(match[1]), int(match[4]), _column(match[3])] = None
            missing = missing or bool(_NO_VALUE.search(window))
            tail = window[-_LONGEST_MATCH:]
    if missing:
        draft.problem(sheet.title, "formulas without a stored value became empty cells")
    return list(found)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number


def _laid_out(filled: Sequence[SheetLine], merged: Iterable[SheetRange]) -> Iterator[tuple[list[Cell], list[int]]]:
    """Rows of cells from the first used column on, each with the columns they stand in; blank rows are already gone, so
    spans are counted without them."""
    if not filled:
        return
    left = min(min(texts) for _, texts in filled)
    right = max(max(texts) for _, texts in filled)
    covered = _covered(filled, merged, left, right)
    ends = {row: max(texts) for row, (_, texts) in enumerate(filled)}
    for row, column in covered:
        ends[row] = max(ends[row], column)
    for row, (_, texts) in enumerate(filled):
        cells: list[Cell] = []
        columns: list[int] = []
        for column in range(left, ends[row] + 1):
            square = covered.get((row, column), _EMPTY)
            if square is not None:
                is_plain = square is _EMPTY and column in texts
                cells.append(Cell(texts[column]) if is_plain else square)
                columns.append(column)
        yield cells, columns


def _covered(
    filled: Sequence[SheetLine], merged: Iterable[SheetRange], left: int, right: int
) -> dict[tuple[int, int], Cell | None]:
    """For each square of a merged range its cell, at the range's first square, or None."""
    numbers = [number for number, _ in filled]
    covered: dict[tuple[int, int], Cell | None] = {}
    for top, first, bottom, last in merged:
        rows = range(bisect_left(numbers, top), bisect_right(numbers, bottom))
        columns = range(max(first, left), min(last, right) + 1)
        if len(rows) * len(columns) < 2 or len(covered) + len(rows) * len(columns) > MOST_CELLS:
            continue
        squares = [(row, column) for row in rows for column in columns]
        if any(square in covered for square in squares):
            continue  # ranges that overlap: the first one wins, as a browser would have it
        covered.update(dict.fromkeys(squares))
        number, texts = filled[rows[0]]
        text = texts.get(first, "") if number == top else ""
        covered[squares[0]] = Cell(text, row_span=len(rows), column_span=len(columns))
    return covered


def _written(cell: _SheetCell) -> str:
    """A value the way people write it."""
    value = cell.value
    if isinstance(value, str):
        return cell_text(_ESCAPED.sub(lambda match: chr(int(match[1], 16)), value) if "_x" in value else value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        at_midnight = value.time() == time()
        return value.date().isoformat() if at_midnight else value.isoformat(" ", "seconds")
    if isinstance(value, time):
        return value.isoformat("seconds")
    if isinstance(value, int | float):
        return _number(value, cell.number_format or "")
    if isinstance(value, date):
        return value.isoformat()
    return cell_text(str(value))


def _number(value: int | float, number_format: str) -> str:
    shown = _QUOTED.sub("", number_format.partition(";")[0])
    percent = _PERCENT.search(shown)
    if percent and abs(value) < 1e12:
        step = Decimal(1).scaleb(-min(len(percent[1] or ""), 10))
        return f"{(Decimal(repr(value)) * 100).quantize(step, ROUND_HALF_UP)}%"
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value)).zfill(len(shown) if shown.strip("0") == "" else 0)  # "00000" is a postal code
    text = format(value, ".15g")
    return format(Decimal(text), "f") if "e" in text and 1e-7 < abs(value) < 1e21 else text
