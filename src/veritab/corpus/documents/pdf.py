"""PDF: what was written as positions on paper becomes headings, paragraphs, lists and tables again."""

from __future__ import annotations

import io
import re
import struct
import zlib
from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from lxml import etree

from veritab.corpus.documents.aligned import AlignedTable, Box, Interval, Rule, Word, find_aligned
from veritab.corpus.documents.headers import is_numeric, with_header
from veritab.corpus.documents.spreadsheets import (
    DAMAGED,
    Unreadable,
    cell_text,
)
from veritab.corpus.draft import Draft, Locate
from veritab.corpus.inline import clean_line
from veritab.errors import MissingExtra
from veritab.schema import Cell, Item, Place, Region, Regions
from veritab.text import printable

if TYPE_CHECKING:
    from pdfplumber.page import Page as PdfPage
    from pdfplumber.table import Table as PdfTable

Node = etree._Element

MOST_PAGES = 2_000
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
_MOST_HEADS = 4
_SHORTEST_RULE = 8
_NEAR = 6
_BOLD = re.compile(r"bold|black|heavy|-bd\b", re.IGNORECASE)
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
    words: Regions
    """Where each word of the text stands."""


class _Table(NamedTuple):
    """A table, or the part of it on one page."""

    rows: list[list[Cell]]
    regions: dict[Place, Regions]
    box: Box
    columns: list[Interval]
    heads: int = 0
    """How many rows hold headers; 0 when only their content can tell."""
    bold: frozenset[int] = frozenset()


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
        pdf = pdfplumber.open(io.BytesIO(data), pages=range(1, MOST_PAGES + 1))  # type: ignore[arg-type]
        pages = pdf.pages
        draft.own_title = printable(str(pdf.metadata.get("Title") or ""))
    except broken as error:
        raise Unreadable(_why_closed(error)) from None
    read = list(_read_pages(pages, draft, broken))
    if not any(block for page in read for block in page):
        raise Unreadable("a PDF without pages" if not pages else "no text in it; the pages are pictures or empty")
    if len(pages) == MOST_PAGES:
        draft.problem(f"page {MOST_PAGES}", _TOO_LONG)
    shown = _without_running_heads(read, [float(page.height) for page in pages])
    _Flow(draft, _with_tables_joined(shown)).add()


def _broken_pdf() -> tuple[type[Exception], ...]:
    """What the PDF libraries raise on files that are not what they promise."""
    from pdfminer.psexceptions import PSException
    from pdfplumber.utils.exceptions import MalformedPDFException, PdfminerException

    plain = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
    return (MalformedPDFException, PdfminerException, PSException, struct.error, zlib.error, *plain)


def _why_closed(error: Exception) -> str:
    from pdfminer.pdfdocument import PDFEncryptionError

    cause = error.args[0] if error.args and isinstance(error.args[0], Exception) else error
    return "encrypted; a password is needed" if isinstance(cause, PDFEncryptionError) else DAMAGED


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
        except broken:
            draft.problem(where, "a page could not be read")
        yield blocks
        if characters > _MOST_CHARACTERS or size > _LARGEST_TOTAL:
            draft.problem(where, _TOO_LONG)
            return


def _content_size(page: PdfPage) -> int:
    from pdfminer.pdftypes import PDFStream, resolve1

    streams = [resolve1(part) for part in page.page_obj.contents]
    return sum(len(stream.get_data()) for stream in streams if isinstance(stream, PDFStream))


def _page_blocks(page: PdfPage, draft: Draft) -> list[_TextLine | _Table]:
    where = f"page {page.page_number}"
    written = page.extract_words(return_chars=True, **_WORDS)
    upright = [_word(word) for word in written if word["upright"]]
    if len(upright) < len(written):
        draft.problem(where, "text that does not stand upright was left out")
    tables: list[_Table] = []
    rules: list[Rule] = []
    if len(page.edges) > _MOST_EDGES:
        draft.problem(where, "more ruling lines than tables have; tables were read as text")
    else:
        rules = _rules(page.edges)
        tables = [ruled for found in page.find_tables() if (ruled := _ruled_table(found, upright, rules, page))]
    words = [word for word in upright if not any(_lies_in(word, table.box) for table in tables)]
    beside = _rows_of_words(words)
    gutter = _gutter(beside, float(page.width))
    lines = _by_columns(beside, gutter) if gutter else beside
    aligned, doubtful = find_aligned(lines, rules)
    if doubtful:
        draft.problem(where, "lines that look like a table were read as text")
    blocks: list[_TextLine | _Table] = []
    at = 0
    for table in aligned:
        blocks += [_line(line, page) for line in lines[at : table.first]]
        blocks.append(_set_out(table, lines, page))
        at = table.end
    blocks += [_line(line, page) for line in lines[at:]]
    if any(_UNKNOWN in block.text[1:] for block in blocks if isinstance(block, _TextLine)):
        draft.problem(where, "glyphs that stand for no known character")
    for ruled in reversed(tables):
        below = (at for at, block in enumerate(blocks) if _follows(block, ruled.box, gutter))
        blocks.insert(next(below, len(blocks)), ruled)
    return blocks


def _set_out(table: AlignedTable, lines: Sequence[Sequence[Word]], page: PdfPage) -> _Table:
    rows = [[cell._replace(text=cell_text(_joined(cell.text.split("\n")))) for cell in row] for row in table.rows]
    regions = {place: _regions(page, [box]) for place, box in table.boxes.items()}
    bold = _bold_rows(table.boxes, [word for line in lines[table.first : table.end] for word in line])
    return _Table(rows, regions, _surrounding(table.boxes.values()), table.columns, table.heads, bold)


def _word(word: dict[str, Any]) -> Word:
    characters = word["chars"]
    text = _UNMAPPED.sub(_UNKNOWN, printable(word["text"])).replace(" ", "\u00a0")
    size = round(characters[len(characters) // 2]["size"] * 2) / 2
    bold = bool(_BOLD.search(characters[0]["fontname"]))
    return Word(text, word["x0"], word["x1"], word["top"], word["bottom"], size, bold)


def _middle(word: Word) -> float:
    return (word.top + word.bottom) / 2


def _lies_in(word: Word, box: Box) -> bool:
    across, down = (word.left + word.right) / 2, _middle(word)
    return box.left <= across <= box.right and box.top <= down <= box.bottom


def _follows(block: _TextLine | _Table, box: Box, gutter: float) -> bool:
    """Whether a line or a table stands below the top of a table, in the same column when the page has two."""
    own = block.box if isinstance(block, _Table) else Box(block.left, block.top, block.right, block.bottom)
    apart = bool(gutter) and (own.right <= gutter <= box.left or box.right <= gutter <= own.left)
    return own.top >= box.top and not apart


def _surrounding(boxes: Iterable[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return Box(min(lefts), min(tops), max(rights), max(bottoms))


def _regions(page: PdfPage, boxes: Iterable[Box]) -> Regions:
    """Boxes as seen on the page, whose margins may have been cut off."""
    left, top = page.cropbox[:2]
    return tuple(
        Region(page.page_number, *(round(float(value), 1) for value in moved))
        for box in boxes
        for moved in [(box.left - left, box.top - top, box.right - left, box.bottom - top)]
    )


def _bold_rows(boxes: Mapping[Place, Box], words: Sequence[Word]) -> frozenset[int]:
    """Those of the first rows all of whose words are bold."""
    strong: set[int] = set()
    for row in range(_MOST_HEADS + 1):
        own = [box for (at, _), box in boxes.items() if at == row]
        held = [word for word in words if any(_lies_in(word, box) for box in own)]
        if held and all(word.bold for word in held):
            strong.add(row)
    return frozenset(strong)


def _rules(edges: Iterable[dict[str, Any]]) -> list[Rule]:
    """The horizontal lines of a page, pieces of one line joined."""
    pieces = sorted(
        (round(edge["top"], 1), float(edge["x0"]), float(edge["x1"]))
        for edge in edges
        if edge["orientation"] == "h" and edge["x1"] - edge["x0"] > _SHORTEST_RULE
    )
    rules: list[Rule] = []
    for height, left, right in pieces:
        last = rules[-1] if rules else None
        if last and height - last.height < 1 and left <= last.right + 2 and right >= last.left:
            rules[-1] = Rule(min(last.left, left), max(last.right, right), last.height, (*last.pieces, (left, right)))
        else:
            rules.append(Rule(left, right, height, ((left, right),)))
    return rules


def _ruled_table(table: PdfTable, words: Sequence[Word], rules: Sequence[Rule], page: PdfPage) -> _Table | None:
    """The cells between ruling lines with their spans; nothing when it is a frame or a drawing rather than a table."""
    whole = Box(*table.bbox)
    inside = [word for word in words if _lies_in(word, whole)]
    cells = [Box(*box) for row in table.rows for box in row.cells if box]
    inside.sort(key=_middle)
    middles = [_middle(word) for word in inside]
    held = {
        cell: [w for w in inside[bisect_left(middles, cell.top) : bisect(middles, cell.bottom)] if _lies_in(w, cell)]
        for cell in cells
    }
    if (
        len({cell.top for cell in cells}) < 2
        or len({cell.left for cell in cells}) < 2
        or sum(map(bool, held.values())) < 2
    ):
        return None
    lines = _rows_of_words(inside)
    if len({cell.left for cell in cells}) == 2:  # a rule after the first column alone: the words may stand in more
        found, _ = find_aligned(lines, rules)
        if len(found) == 1 and len(found[0].columns) > 2 and 5 * (found[0].end - found[0].first) >= 4 * len(lines):
            return _set_out(found[0], lines, page)
    texts: dict[Box, str] = {}
    if any(word.left < cell.left - 1 or word.right > cell.right + 1 for cell in cells for word in held[cell]):
        # Words of neighbouring cells that touch: the library parts them character by character.
        for row, written in zip(table.rows, table.extract(**_WORDS), strict=True):
            texts.update({Box(*box): text or "" for box, text in zip(row.cells, written, strict=True) if box})
    else:
        for row_cells in _by_top(cells):
            texts.update(_split_row(row_cells, held))
    tops, lefts = (sorted({box[side] for box in texts}) for side in (1, 0))
    taken: set[tuple[int, int]] = set()
    starts: dict[tuple[int, int], tuple[Cell, Box]] = {}
    for box, text in texts.items():
        covered = [at for at, top in enumerate(tops) if box.top <= top < box.bottom]
        columns = [at for at, left in enumerate(lefts) if box.left <= left < box.right]
        taken.update((down, across) for down in covered for across in columns)
        shown = cell_text(_joined(text.split("\n")))
        starts[covered[0], columns[0]] = Cell(shown, row_span=len(covered), column_span=len(columns)), box
    rows: list[list[Cell]] = []
    boxes: dict[Place, Box] = {}
    for place in ((down, across) for down in range(len(tops)) for across in range(len(lefts))):
        if place[1] == 0:
            rows.append([])
        if place in starts:
            cell, boxes[place[0], len(rows[-1])] = starts[place]
            rows[-1].append(cell)
        elif place not in taken:
            rows[-1].append(Cell(""))
    edges = [(left, max(cell.right for cell in cells if cell.left == left)) for left in sorted({c.left for c in cells})]
    regions = {place: _regions(page, [box]) for place, box in boxes.items()}
    return _Table(rows, regions, whole, edges, bold=_bold_rows(boxes, inside))


def _by_top(cells: Iterable[Box]) -> Iterable[list[Box]]:
    rows: dict[float, list[Box]] = {}
    for cell in cells:
        rows.setdefault(cell.top, []).append(cell)
    return rows.values()


def _split_row(cells: Sequence[Box], held: Mapping[Box, Sequence[Word]]) -> dict[Box, str]:
    """The texts of a row's cells; where rules part only columns, several numbers below each other are several rows."""
    lines = {cell: _rows_of_words(held[cell]) for cell in cells}
    filled = [own for own in lines.values() if own]
    even = len({len(own) for own in filled}) == 1 and len(filled) > 1 and len(filled[0]) > 2
    numeric = [own for own in filled if len(own) > 1 and all(is_numeric(_words_text(line)) for line in own)]
    longest = max(filled if even else numeric, key=len, default=[])
    tops = [line[0].top for line in longest]
    alike = [own for own in lines.values() if len(own) >= len(tops)]
    if not tops or len(alike) < 2:
        return {cell: "\n".join(map(_words_text, own)) for cell, own in lines.items()}
    texts: dict[Box, str] = {}
    for cell, own in lines.items():
        # A line belongs to the row whose number stands beside it or above it.
        starts = [cell.top, *(top - 0.3 * longest[0][0].size for top in tops[1:])]
        for start, end in pairwise([*starts, cell.bottom]):
            held_here = [line for line in own if start <= line[0].top < end]
            texts[cell._replace(top=start, bottom=end)] = "\n".join(map(_words_text, held_here))
    return texts


def _words_text(words: Iterable[Word]) -> str:
    return " ".join(word.text for word in words)


def _rows_of_words(words: Iterable[Word]) -> list[list[Word]]:
    """Words that stand beside each other, top to bottom and left to right."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.top + word.bottom, word.left)):
        if rows and (word.top + word.bottom) / 2 < rows[-1][0].bottom:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.left) for row in rows]


def _by_columns(rows: list[list[Word]], gutter: float) -> list[list[Word]]:
    """Rows that run across two columns are cut at the gutter; the left column is read before the right one."""
    ordered: list[list[Word]] = []
    waiting: list[list[Word]] = []
    for row in rows:
        left = [word for word in row if word.right <= gutter]
        right = [word for word in row if word.left >= gutter]
        if len(left) + len(right) < len(row):  # a line over both columns ends them
            ordered += [*waiting, row]
            waiting = []
        else:
            ordered += [left] if left else []
            waiting += [right] if right else []
    return ordered + waiting


def _gutter(rows: list[list[Word]], width: float) -> float:
    """Where two columns of prose part, or 0: hardly a word stands there, and the lines on both sides are full."""
    if len(rows) < _FEWEST_ROWS or width > _WIDEST_PAGE:
        return 0.0
    crossing = _words_across(rows, int(width))
    middle = range(int(width * 0.35), int(width * 0.65))
    gutter = float(min(middle, key=lambda x: (sum(crossing[x - 1 : x + 2]), abs(x - width / 2)), default=0))
    halves = [([w for w in row if w.right <= gutter], [w for w in row if w.left >= gutter]) for row in rows]
    both = [(left, right) for left, right in halves if left and right]
    if crossing[int(gutter)] > len(rows) / 4 or len(both) < max(_FEWEST_ROWS, len(rows) / 3):
        return 0.0
    # Lines of a table have gaps on both sides of its middle; lines of prose have none.
    broken = [side for pair in both for side in pair if any(b.left - a.right > a.size for a, b in pairwise(side))]
    sides = [[side[-1].right - side[0].left for side in column] for column in zip(*both, strict=True)]
    full = all(median(side) > 0.7 * max(side) > 0.2 * width for side in sides)
    return gutter if full and len(broken) < len(both) / 2 else 0.0


def _words_across(rows: Iterable[Iterable[Word]], width: int) -> list[int]:
    """How many words stand over each point of a page's width."""
    changes = [0] * (width + 2)
    for row in rows:
        for word in row:
            changes[max(min(int(word.left), width), 0)] += 1
            changes[max(min(int(word.right), width), 0) + 1] -= 1
    return list(accumulate(changes))


def _line(words: Sequence[Word], page: PdfPage) -> _TextLine:
    sizes = Counter[float]()
    for word in words:
        sizes[word.size] += len(word.text)
    size = max(sizes.items(), key=lambda pair: (pair[1], pair[0]))[0]
    left, right = words[0].left, max(word.right for word in words)
    top, bottom = min(word.top for word in words), max(word.bottom for word in words)
    regions = _regions(page, [Box(word.left, word.top, word.right, word.bottom) for word in words])
    return _TextLine(_words_text(words), left, right, top, bottom, size, regions)


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
        self._items: list[tuple[Item, Regions]] = []

    def add(self) -> None:
        for page in self._pages:
            step = _usual_step(page)
            for block in page:
                if isinstance(block, _TextLine):
                    if self._paragraph and not self._goes_on(block, step):
                        self._end_paragraph()
                    self._paragraph.append(block)
                else:
                    self._table(block)
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
        if _TABLE_CAPTION.match(line.text) and line.top - last.bottom > 0.5 * line.size:
            return False
        if line.top - last.top > 1.3 * step and line.top - last.bottom > 0.3 * line.size:
            return False
        if len(self._paragraph) > 1 and line.left - last.left > 0.8 * line.size:
            return False
        widest = max(line.right, *(other.right for other in self._paragraph[-8:]))
        return not (_SENTENCE_END.search(last.text) and last.right < widest - 0.15 * (widest - last.left))

    def _table(self, table: _Table) -> None:
        """Add a table, with the paragraph just before it as its caption when that calls itself so."""
        text = _clean(self._paragraph)
        caption = text if _TABLE_CAPTION.match(text) and len(text) <= 2 * _LONGEST_HEADING else ""
        regions = _line_regions(self._paragraph) if caption else ()
        if caption:
            self._paragraph = []
        self._end_paragraph()
        self._end_list()
        if table.heads:
            rows = [tuple(cell._replace(header=at < table.heads) for cell in row) for at, row in enumerate(table.rows)]
        else:
            rows = with_header(table.rows, table.bold)
        self._draft.table(rows, caption, regions=table.regions, caption_regions=regions)

    def _end_paragraph(self) -> None:
        lines, self._paragraph = self._paragraph, []
        text = _clean(lines)
        size = lines[0].size if lines else 0.0
        if bullet := _BULLET.match(text):
            self._items.append((Item(text[bullet.end() :]), _line_regions(lines)))
        elif text:
            self._end_list()
            if size in self._levels and len(text) <= _LONGEST_HEADING:
                self._draft.section(text, self._levels[size], regions=_line_regions(lines))
            else:
                self._draft.paragraph(text, locate=_locator(text, lines))

    def _end_list(self) -> None:
        items, self._items = self._items, []
        self._draft.list((item for item, _ in items), regions=[regions for _, regions in items])


def _line_regions(lines: Iterable[_TextLine]) -> Regions:
    return tuple(_around(line.words) for line in lines)


def _around(words: Regions) -> Region:
    pages, lefts, tops, rights, bottoms = zip(*words, strict=True)
    return Region(pages[0], min(lefts), min(tops), max(rights), max(bottoms))


def _locator(text: str, lines: Sequence[_TextLine]) -> Locate:
    """Tells on which lines, from which word to which, some characters of a paragraph stand."""
    places: list[tuple[int, int, int, Region]] = []
    at = 0
    for number, line in enumerate(lines):
        for word, region in zip(line.text.split(" "), line.words, strict=True):
            # A divided word lost its hyphen; what was cleaned away cannot be found, and is passed over.
            part = word.rstrip("-\u2010\u00ad")
            found = text.find(part, at, at + len(word) + 40)
            if found >= 0:
                at = found + len(part)
                places.append((found, at, number, region))

    def locate(start: int, end: int) -> Regions:
        held: dict[int, list[Region]] = {}
        for first, last, number, region in places:
            if first < end and last > start:
                held.setdefault(number, []).append(region)
        return tuple(_around(tuple(regions)) for regions in held.values())

    return locate


def _with_tables_joined(pages: list[list[_TextLine | _Table]]) -> list[list[_TextLine | _Table]]:
    """A table that ends a page goes on at the top of the next where its columns do and its header comes again, or
    where nothing there looks like a header of its own."""
    last: list[_TextLine | _Table] = []
    for page in pages:
        if last and page and isinstance(last[-1], _Table) and isinstance(page[0], _Table):
            joined = _with_next(last[-1], page[0])
            if joined:
                last[-1] = joined
                del page[0]
        last = page or last
    return pages


def _with_next(table: _Table, following: _Table) -> _Table | None:
    pairs = list(zip(table.columns, following.columns, strict=False))
    if len(table.columns) != len(following.columns):
        return None
    again = 0
    while again < min(_MOST_HEADS, len(following.rows) - 1) and _same_texts(table.rows, following.rows, again):
        again += 1
    aligned = all(abs(a[0] - b[0]) < _NEAR or abs(a[1] - b[1]) < _NEAR for a, b in pairs)
    if not again and (not aligned or following.bold or following.heads):
        return None
    added = following.rows[again:]
    moved = {
        (row - again + len(table.rows), at): where for (row, at), where in following.regions.items() if row >= again
    }
    return table._replace(rows=[*table.rows, *added], regions={**table.regions, **moved}, columns=following.columns)


def _same_texts(rows: Sequence[Sequence[Cell]], others: Sequence[Sequence[Cell]], at: int) -> bool:
    return at < len(rows) and [cell.text for cell in rows[at]] == [cell.text for cell in others[at]]


def _usual_step(page: Iterable[_TextLine | _Table]) -> float:
    """The usual distance from one line of a page to the next."""
    pairs = [(a.top, b.top) for a, b in pairwise(page) if isinstance(a, _TextLine) and isinstance(b, _TextLine)]
    steps = [below - above for above, below in pairs if below > above]
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
