"""PDF: what was written as positions on paper becomes headings, paragraphs, lists and tables again."""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from veritab.corpus.documents.spreadsheets import (
    Unreadable,
    cell_text,
    short_reason,
    with_header,
)
from veritab.corpus.draft import Draft
from veritab.corpus.inline import clean_line
from veritab.errors import MissingExtra
from veritab.schema import Cell, Item
from veritab.text import printable

if TYPE_CHECKING:
    from pdfplumber.page import Page as PdfPage
    from pdfplumber.table import Table as PdfTable

Node = etree._Element

_MOST_PAGES = 2_000
_MOST_CHARACTERS = 5_000_000
_LARGEST_STREAM = 64 * 2**20
_LARGEST_TOTAL = 256 * 2**20
_LARGEST_PAGE = 16 * 2**20
# Beyond that a page is a map or a plot, and looking for cells between all its lines takes for ever.
_MOST_EDGES = 4_000
_STREAM = re.compile(rb"stream\r?\n")
_WORDS = {"x_tolerance_ratio": 0.15}
_CLEARLY_LARGER = 1.15
_LONGEST_HEADING = 200
_MARGIN = 0.15
_FEWEST_ROWS = 8
_WIDEST_PAGE = 14_400  # the format's own limit, two hundred inches
_UNMAPPED = re.compile(r"\(cid:\d+\)")
_UNKNOWN = "\ufffd"
# The last three are what bullets of symbol fonts come out as.
_BULLET = re.compile(r"[•‣▪◦●■\uf0b7\uf0a7\ufffd]\s+")
_TABLE_CAPTION = re.compile(r"table\s+\w{1,6}\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?:;][\"'\u201d\u2019)\]]*$")
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(r"[-\u2013\u2014 ]*(?:\d{1,4}|[ivxlc]{1,6})[-\u2013\u2014 ]*")
_TOO_LONG = "longer than can be read; the pages after were left out"


class _TextLine(NamedTuple):
    """A line of text where it stands on its page, sizes in points."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float


_Table = list[list[Cell]]


def read_pdf(data: bytes, draft: Draft) -> None:
    """Add the text of a PDF, its lines joined to paragraphs again, and the tables drawn with lines."""
    try:
        import pdfplumber
    except ImportError:
        raise MissingExtra("reading PDF files", "documents") from None
    if b"%PDF-" not in data[:1024]:
        raise Unreadable("not a PDF file, though its name says so")
    if not _inflates_sanely(data):
        raise Unreadable("expands beyond what a document needs")
    broken = _broken_pdf()
    try:
        pdf = pdfplumber.open(io.BytesIO(data), pages=range(1, _MOST_PAGES + 1))  # type: ignore[arg-type]
        pages = pdf.pages
        draft.own_title = printable(str(pdf.metadata.get("Title") or ""))
    except broken as error:
        raise Unreadable(_why_closed(error)) from None
    read = list(_read_pages(pages, draft, broken))
    if not any(block for page in read for block in page):
        raise Unreadable("a PDF without pages" if not pages else "no text in it; the pages are pictures or empty")
    if len(pages) == _MOST_PAGES:
        draft.problem(f"page {_MOST_PAGES}", _TOO_LONG)
    _Flow(draft, _without_running_heads(read, [float(page.height) for page in pages])).add()


def _broken_pdf() -> tuple[type[Exception], ...]:
    """What the PDF libraries raise on files that are not what they promise."""
    from pdfminer.psexceptions import PSException
    from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

    plain = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
    return (MalformedPDFException, PdfminerException, PSException, struct.error, zlib.error, *plain)


def _why_closed(error: Exception) -> str:
    from pdfminer.pdfdocument import PDFEncryptionError

    cause = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    return (
        "encrypted; a password is needed"
        if isinstance(cause, PDFEncryptionError)
        else f"a cut or damaged file: {short_reason(cause)}"
    )


def _inflates_sanely(data: bytes) -> bool:
    """Whether the compressed streams of a file stay within reason, pictures (never unpacked here) aside."""
    total = 0
    for match in _STREAM.finditer(data):
        size, head = _inflated(data, match.end())
        twice, _ = _inflated(head, 0)
        is_picture = b"/Image" in data[max(match.start() - 512, 0) : match.start()]
        total += 0 if is_picture else size
        if max(size, twice) > _LARGEST_STREAM or total > _LARGEST_TOTAL:
            return False
    return True


def _inflated(data: bytes, position: int) -> tuple[int, bytes]:
    """The size of a zlib stream, counted no further than the limit, and how its content begins."""
    inflater = zlib.decompressobj()
    size, head = 0, b""
    try:
        while position < len(data) and not inflater.eof and size <= _LARGEST_STREAM:
            chunk = inflater.unconsumed_tail or data[position : (position := position + 2**16)]
            piece = inflater.decompress(chunk, 2**20)
            head = head or piece[: 2**17]
            size += len(piece)
    except zlib.error:  # not compressed this way, or damaged from here on
        pass
    return size, head


def _read_pages(
    pages: Iterable[PdfPage], draft: Draft, broken: tuple[type[Exception], ...]
) -> Iterator[list[_TextLine | _Table]]:
    """The lines and tables of each page in reading order."""
    characters = size = 0
    for page in pages:
        where = f"page {page.page_number}"
        blocks: list[_TextLine | _Table] = []
        try:
            own = _content_size(page)
            size += own
            if own > _LARGEST_PAGE:
                draft.problem(where, "a page with more drawn on it than can be read was left out")
            else:
                characters += len(page.chars)
                blocks = _page_blocks(page, draft)
            page.close()
        except broken as error:
            draft.problem(where, f"a page could not be read: {short_reason(error)}")
        yield blocks
        if characters > _MOST_CHARACTERS or size > _LARGEST_TOTAL:
            draft.problem(where, _TOO_LONG)
            return


def _content_size(page: PdfPage) -> int:
    from pdfminer.pdftypes import PDFStream, resolve1

    streams = [resolve1(part) for part in page.page_obj.contents]
    return sum(len(stream.get_data()) for stream in streams if isinstance(stream, PDFStream))


def _page_blocks(page: PdfPage, draft: Draft) -> list[_TextLine | _Table]:
    tables: list[tuple[tuple[float, float, float, float], _Table]] = []
    if len(page.edges) > _MOST_EDGES:
        draft.problem(f"page {page.page_number}", "more ruling lines than tables have; tables were read as text")
    else:
        tables = [(table.bbox, rows) for table in page.find_tables() if (rows := _table_rows(table))]
    words = [
        word
        for word in page.extract_words(return_chars=True, **_WORDS)
        if not any(_lies_in(word, box) for box, _ in tables)
    ]
    upright = [word for word in words if word["upright"]]
    if len(upright) < len(words):
        draft.problem(f"page {page.page_number}", "text that does not stand upright was left out")
    beside = _rows_of_words(upright)
    gutter = _gutter(beside, float(page.width))
    blocks: list[_TextLine | _Table] = [_line(row) for row in (_by_columns(beside, gutter) if gutter else beside)]
    if any(_UNKNOWN in block.text[1:] for block in blocks if isinstance(block, _TextLine)):
        draft.problem(f"page {page.page_number}", "glyphs that stand for no known character")
    for box, cells in reversed(tables):
        below = (at for at, line in enumerate(blocks) if isinstance(line, _TextLine) and _follows(line, box, gutter))
        blocks.insert(next(below, len(blocks)), cells)
    return blocks


def _lies_in(word: dict[str, Any], box: tuple[float, float, float, float]) -> bool:
    across, down = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return bool(box[0] <= across <= box[2] and box[1] <= down <= box[3])


def _follows(line: _TextLine, box: tuple[float, float, float, float], gutter: float) -> bool:
    """Whether a line stands below the top of a table, in the same column when the page has two."""
    apart = bool(gutter) and (line.right <= gutter <= box[0] or box[2] <= gutter <= line.left)
    return line.top >= box[1] and not apart


def _table_rows(table: PdfTable) -> _Table:
    """The cells between ruling lines with their spans; nothing when it is a frame or a drawing rather than a table."""
    texts = {
        box: text or ""
        for row, written in zip(table.rows, table.extract(**_WORDS), strict=True)
        for box, text in zip(row.cells, written, strict=True)
        if box
    }
    tops, lefts = (sorted({box[side] for box in texts}) for side in (1, 0))
    if len(tops) < 2 or len(lefts) < 2 or sum(bool(text.strip()) for text in texts.values()) < 2:
        return []
    taken: set[tuple[int, int]] = set()
    starts: dict[tuple[int, int], Cell] = {}
    for box, text in texts.items():
        rows = [at for at, top in enumerate(tops) if box[1] <= top < box[3]]
        columns = [at for at, left in enumerate(lefts) if box[0] <= left < box[2]]
        taken.update((row, column) for row in rows for column in columns)
        shown = cell_text(_joined(text.split("\n")))
        starts[rows[0], columns[0]] = Cell(shown, row_span=len(rows), column_span=len(columns))
    squares = [[(row, column) for column in range(len(lefts))] for row in range(len(tops))]
    return [[starts.get(at, Cell("")) for at in row if at in starts or at not in taken] for row in squares]


def _rows_of_words(words: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Words that stand beside each other, top to bottom and left to right."""
    rows: list[list[dict[str, Any]]] = []
    for word in sorted(words, key=lambda word: (word["top"] + word["bottom"], word["x0"])):
        if rows and (word["top"] + word["bottom"]) / 2 < rows[-1][0]["bottom"]:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: float(word["x0"])) for row in rows]


def _by_columns(rows: list[list[dict[str, Any]]], gutter: float) -> list[list[dict[str, Any]]]:
    """Rows that run across two columns are cut at the gutter; the left column is read before the right one."""
    ordered: list[list[dict[str, Any]]] = []
    waiting: list[list[dict[str, Any]]] = []
    for row in rows:
        left = [word for word in row if word["x1"] <= gutter]
        right = [word for word in row if word["x0"] >= gutter]
        if len(left) + len(right) < len(row):  # a line over both columns ends them
            ordered += [*waiting, row]
            waiting = []
        else:
            ordered += [left] if left else []
            waiting += [right] if right else []
    return ordered + waiting


def _gutter(rows: list[list[dict[str, Any]]], width: float) -> float:
    """Where two columns of prose part, or 0: hardly a word stands there, and the lines on both sides are full."""
    if len(rows) < _FEWEST_ROWS or width > _WIDEST_PAGE:
        return 0.0
    crossing = _words_across(rows, int(width))
    middle = range(int(width * 0.35), int(width * 0.65))
    gutter = float(min(middle, key=lambda x: (sum(crossing[x - 1 : x + 2]), abs(x - width / 2)), default=0))
    halves = [([w for w in row if w["x1"] <= gutter], [w for w in row if w["x0"] >= gutter]) for row in rows]
    both = [(left, right) for left, right in halves if left and right]
    if crossing[int(gutter)] > len(rows) / 4 or len(both) < max(_FEWEST_ROWS, len(rows) / 3):
        return 0.0
    sides = [[side[-1]["x1"] - side[0]["x0"] for side in column] for column in zip(*both, strict=True)]
    return gutter if all(median(side) > 0.7 * max(side) > 0.2 * width for side in sides) else 0.0


def _words_across(rows: Iterable[Iterable[dict[str, Any]]], width: int) -> list[int]:
    """How many words stand over each point of a page's width."""
    changes = [0] * (width + 2)
    for row in rows:
        for word in row:
            changes[max(min(int(word["x0"]), width), 0)] += 1
            changes[max(min(int(word["x1"]), width), 0) + 1] -= 1
    return list(accumulate(changes))


def _line(words: list[dict[str, Any]]) -> _TextLine:
    sizes = Counter(round(character["size"] * 2) / 2 for word in words for character in word["chars"])
    size = max(sizes.items(), key=lambda pair: (pair[1], pair[0]))[0]
    left, right = words[0]["x0"], max(word["x1"] for word in words)
    top, bottom = min(word["top"] for word in words), max(word["bottom"] for word in words)
    text = _UNMAPPED.sub(_UNKNOWN, printable(" ".join(word["text"] for word in words)))
    return _TextLine(text, left, right, top, bottom, size)


def _without_running_heads(
    pages: list[list[_TextLine | _Table]], heights: list[float]
) -> list[list[_TextLine | _Table]]:
    """Leave out page numbers, and the lines at the edges of pages that come back on most of them."""
    body = _body_size(pages)
    edges = [_edges(page, height) for page, height in zip(pages, heights, strict=False)]
    times = Counter(key for lines in edges for key in {_without_number(line, body) for line in lines})
    repeated = {key for key, count in times.items() if count > 2 and count > len(pages) / 2}

    def runs(line: _TextLine) -> bool:
        numbers_page = len(pages) > 2 and _PAGE_NUMBER.fullmatch(line.text)
        return bool(numbers_page) or _without_number(line, body) in repeated

    left_out = {id(line) for lines in edges for line in lines if runs(line)}
    return [[block for block in page if id(block) not in left_out] for page in pages]


def _without_number(line: _TextLine, body: float) -> str:
    """A line as it comes back on the next page; the number in a heading is its own, not the page's."""
    return line.text if line.size > body else _DIGITS.sub("#", line.text)


def _edges(page: Iterable[_TextLine | _Table], height: float) -> list[_TextLine]:
    """The two outermost lines in each margin of a page."""
    lines = sorted((block for block in page if isinstance(block, _TextLine)), key=lambda line: line.top)
    head = [line for line in lines[:2] if line.bottom < height * _MARGIN]
    return head + [line for line in lines[-2:] if line.top > height * (1 - _MARGIN)]


def _sizes(pages: Iterable[Iterable[_TextLine | _Table]]) -> Counter[float]:
    """How many characters each font size has."""
    sizes = Counter[float]()
    for page in pages:
        for block in page:
            if isinstance(block, _TextLine):
                sizes[block.size] += len(block.text)
    return sizes


def _body_size(pages: Iterable[Iterable[_TextLine | _Table]]) -> float:
    return max(_sizes(pages).items(), key=lambda pair: (pair[1], -pair[0]), default=(0.0, 0))[0]


class _Flow:
    """Joins the lines of all pages to headings, paragraphs and lists."""

    def __init__(self, draft: Draft, pages: list[list[_TextLine | _Table]]) -> None:
        self._draft = draft
        self._pages = pages
        larger = sorted((size for size in _sizes(pages) if size >= _body_size(pages) * _CLEARLY_LARGER), reverse=True)
        self._levels = {size: min(level, 6) for level, size in enumerate(larger, 1)}
        self._paragraph: list[_TextLine] = []
        self._items: list[Item] = []

    def add(self) -> None:
        for page in self._pages:
            step = _usual_step(page)
            for block in page:
                if isinstance(block, _TextLine):
                    if self._paragraph and not self._goes_on(block, step):
                        self._end_paragraph()
                    self._paragraph.append(block)
                else:
                    self._draft.table(with_header(block), self._caption())
        self._end_paragraph()
        self._end_list()

    def _goes_on(self, line: _TextLine, step: float) -> bool:
        """Whether a line continues the paragraph before it."""
        last = self._paragraph[-1]
        if line.size != last.size and (line.size in self._levels or last.size in self._levels):
            return False
        if _BULLET.match(line.text):
            return False
        if line.top <= last.top:  # the next column or page
            return not _SENTENCE_END.search(last.text) and (line.text[:1].islower() or last.text.endswith("-"))
        if line.top - last.top > 1.3 * step and line.top - last.bottom > 0.3 * line.size:
            return False
        if len(self._paragraph) > 1 and line.left - last.left > 0.8 * line.size:
            return False
        widest = max(line.right, *(other.right for other in self._paragraph[-8:]))
        return not (_SENTENCE_END.search(last.text) and last.right < widest - 0.15 * (widest - last.left))

    def _caption(self) -> str:
        """The paragraph just before a table, when it calls itself the table's."""
        text = _clean(self._paragraph)
        caption = text if _TABLE_CAPTION.match(text) and len(text) <= 2 * _LONGEST_HEADING else ""
        if caption:
            self._paragraph = []
        self._end_paragraph()
        self._end_list()
        return caption

    def _end_paragraph(self) -> None:
        text = _clean(self._paragraph)
        size = self._paragraph[0].size if self._paragraph else 0.0
        self._paragraph = []
        if bullet := _BULLET.match(text):
            self._items.append(Item(text[bullet.end() :]))
        elif text:
            self._end_list()
            if size in self._levels and len(text) <= _LONGEST_HEADING:
                self._draft.section(text, self._levels[size])
            else:
                self._draft.paragraph(text)

    def _end_list(self) -> None:
        self._draft.list(self._items)
        self._items = []


def _usual_step(page: Iterable[_TextLine | _Table]) -> float:
    """The usual distance from one line of a page to the next."""
    tops = [block.top for block in page if isinstance(block, _TextLine)]
    steps = [below - above for above, below in pairwise(tops) if below > above]
    return median(steps) if steps else 0.0


def _clean(paragraph: Iterable[_TextLine]) -> str:
    return clean_line(_joined([line.text for line in paragraph]), urls=False)[0]


def _joined(texts: Iterable[str]) -> str:
    """Lines as one text, with words that were divided at a line's end whole again."""
    joined = ""
    for text in texts:
        if joined[-1:] in "-\u2010\u00ad" and joined[-2:-1].isalpha() and text[:1].islower():
            joined = joined[:-1] + text
        else:
            joined += f" {text}" if joined else text
    return joined
