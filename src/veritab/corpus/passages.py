"""Passages become pages and pages become passages: stretches of about a hundred words, as DPR, FaVIQ, FM2 and KILT use.

Read are the passage tables of DPR (`id`, `text`, `title`), JSON lines of passages, and KILT's knowledge source, which
has whole pages as lists of paragraphs.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from veritab.corpus.draft import Draft
from veritab.corpus.inline import clean_line, mark_links
from veritab.corpus.records import REPLACED, decode_utf8, group_lines, lines_of_groups, parse_object
from veritab.corpus.remote import SourcePath
from veritab.corpus.streams import (
    LARGEST_RECORD,
    WHOLE,
    ByteRange,
    RawRecord,
    bounded_lines,
    divides_by_lines,
    open_stream,
)
from veritab.corpus.tokenised import detokenise
from veritab.corpus.wikipedia import article_title
from veritab.errors import InputError
from veritab.files import partial_path
from veritab.schema import (
    Cell,
    Item,
    Link,
    ListBlock,
    Page,
    Passage,
    Place,
    Problem,
    Redirect,
    Section,
    Table,
    TableBlock,
)
from veritab.text import printable, title_form

_COLUMNS = ("id", "text", "title")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class _PassageRecord(NamedTuple):
    """A passage with the title of its page; or, from KILT, a page as paragraphs with their links."""

    title: str
    text: str | Sequence[Any]
    anchors: Any = ()


@dataclass(frozen=True)
class PassageReader:
    """Reads passages; consecutive ones with one title make a page, of passages or (on demand) of sentences."""

    sentences: bool = False

    def divided_by(self, path: SourcePath) -> str:
        """What a file can be cut between: its lines."""
        return divides_by_lines(path)

    def cut(self, path: SourcePath, span: ByteRange = WHOLE) -> Iterator[RawRecord | Problem]:
        """The records of a table or of JSON lines, put together by title; a record of a table begins with its header.

        A title that comes back later makes another page, which the store will tell of.
        """
        with open_stream(path) as stream:
            lines = bounded_lines(stream, path.name, LARGEST_RECORD)
            before, first = _first_line(lines)
            if not span.start:
                yield from before
            if first is None:
                return
            columns = _columns(first.data)
            key = _TitleInRow(columns) if columns else _title_in_json
            if span != WHOLE:
                lines = lines_of_groups(path, span, key)
                if not span.start and _first_line(lines)[1] is None:
                    return
            rows = lines if span.start or _is_header(first.data) else chain((first,), lines)
            header = "\t".join(columns).encode() + b"\n" if columns else b""
            for raw in group_lines(rows, key, LARGEST_RECORD):
                yield raw._replace(data=header + raw.data) if isinstance(raw, RawRecord) else raw

    def parse(self, raw: RawRecord) -> Iterator[Page | Redirect | Problem]:
        """The page of the records that belong together."""
        wrong: dict[str, None] = {}
        header, _, rest = raw.data.partition(b"\n")
        found = _rows(rest, _columns(header), wrong) if _is_header(header) else _objects(raw.data, wrong)
        records = list(found)
        title = records[0].title if records else ""
        yield from (Problem(title, raw.where, what, lost=not records and what != REPLACED) for what in wrong)
        for own, group in groupby(records, lambda record: record.title):
            yield from self._page(own or raw.title, group, raw)

    def _page(self, title: str, records: Iterable[_PassageRecord], raw: RawRecord) -> Iterator[Page | Problem]:
        draft = Draft(title, revision=raw.revision)
        if not draft.title:
            yield Problem("", raw.where, "a page without a title", lost=True)
            return
        for record in records:
            if isinstance(record.text, str):
                self._prose(draft, printable(record.text))
            else:
                self._paragraphs(draft, record, raw.where)
        yield from draft.problems
        yield draft.page() if len(draft) else Problem(draft.title, raw.where, "an empty page")

    def _prose(self, draft: Draft, marked_text: str) -> None:
        text, links = clean_line(marked_text)
        if text and self.sentences:
            draft.paragraph(text, links)
        elif text:
            draft.passage(text, links)

    def _paragraphs(self, draft: Draft, record: _PassageRecord, where: str) -> None:
        """A page of KILT: headings and list items are paragraphs that say so in front."""
        spans, complete = _spans(record)
        if not complete:
            draft.problem(where, "link anchors not found in their paragraph")
        items: list[Item] = []
        for number, paragraph in enumerate(record.text):
            if not isinstance(paragraph, str):
                draft.problem(where, "a paragraph that is not text")
                continue
            text = mark_links(paragraph.translate(_BLANK_CONTROLS), spans.get(number, ()))
            if bullet := _BULLET.match(text):
                mark = bullet["mark"] or ""
                items.append(
                    Item(*clean_line(text[bullet.end() :]), max(len(mark) - 1, 0), bullet["number"] is not None)
                )
                continue
            draft.list(items)
            items = []
            if heading := _HEADING.match(text):
                *outer, name = text[heading.end() :].strip().removesuffix(".").split(".:")
                shown, links = clean_line(name)
                if shown:
                    draft.section(shown, 2 + len(outer), links)
            elif number or clean_line(text)[0] != draft.title:  # the first paragraph is the title again
                self._prose(draft, text)
        draft.list(items)


# -- tables ------------------------------------------------------------------------------------------------


def _first_line(lines: Iterator[RawRecord | Problem]) -> tuple[list[Problem], RawRecord | None]:
    """What is wrong with a file up to its first good line, and that line without a byte order mark."""
    problems: list[Problem] = []
    for line in lines:
        if isinstance(line, RawRecord):
            return problems, line._replace(data=line.data.removeprefix(_BYTE_ORDER_MARK))
        problems.append(line)
    return problems, None


def _columns(line: bytes) -> tuple[str, ...]:
    """The columns of a table whose first line this is; none when it is no table. Without a header they are DPR's."""
    if line.lstrip().startswith(b"{") or b"\t" not in line:
        return ()
    names = tuple(name.strip(' "').lower() for name in decode_utf8(line)[0].split("\t"))
    return names if {"text", "title"}.issubset(names) else _COLUMNS


def _is_header(line: bytes) -> bool:
    return b"\t" in line and {b"text", b"title"}.issubset(name.strip(b' "').lower() for name in line.split(b"\t"))


class _TitleInRow:
    """Finds the title of a row; a row with too few columns has none, and is taken to go with the rows before it."""

    def __init__(self, columns: Sequence[str]) -> None:
        self._least = len(columns) - 1
        self._from_end = columns.index("title") - len(columns)

    def __call__(self, row: bytes) -> bytes | None:
        return row.split(b"\t")[self._from_end] if row.count(b"\t") >= self._least else None


def _rows(data: bytes, columns: Sequence[str], wrong: dict[str, None]) -> Iterator[_PassageRecord]:
    text_at, title_at = columns.index("text"), columns.index("title")
    for line in data.split(b"\n"):
        row, replaced = decode_utf8(line)
        if replaced:
            wrong[REPLACED] = None
        fields = row.split("\t")
        more = len(fields) - len(columns)
        if more < 0:
            wrong["a row with too few columns"] = None
            continue
        if more:
            # A tab inside the text: what is too much belongs there.
            wrong["a row with too many columns"] = None
            fields[text_at : text_at + more + 1] = [" ".join(fields[text_at : text_at + more + 1])]
        yield _PassageRecord(title_form(_unquoted(fields[title_at])), _unquoted(fields[text_at]))


def _unquoted(field: str) -> str:
    """A field without the quotation marks that CSV writers put around those that hold any."""
    if len(field) >= 2 and field[0] == field[-1] == '"':
        inner = field[1:-1]
        if '"' not in inner.replace('""', ""):
            return inner.replace('""', '"')
    return field


# -- JSON lines --------------------------------------------------------------------------------------------

_STRING = rb'\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"'
# What may name the page of a record, best first; a title that is empty names none.
_NAMES = tuple(
    re.compile(pattern)
    for pattern in (
        rb'"(?:wikipedia_)?title"(?!\s*:\s*"")' + _STRING,
        rb'"url"' + _STRING,
        rb'"contents"\s*:\s*"([^"\\]*(?:\\[^n][^"\\]*)*)\\n',
        rb'"_?id"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|[0-9]+)',
    )
)


def _title_in_json(line: bytes) -> bytes | None:
    return next((match[1] for name in _NAMES if (match := name.search(line))), None)


def _objects(data: bytes, wrong: dict[str, None]) -> Iterator[_PassageRecord]:
    for line in data.split(b"\n"):
        try:
            record, replaced = parse_object(line)
        except ValueError as error:
            wrong[f"not JSON: {error}"] = None
            continue
        if replaced:
            wrong[REPLACED] = None
        read = _from_kilt(record) or _from_url(record) or _from_passage(record)
        if read is None:
            wrong["a record without text"] = None
        else:
            yield read


def _from_kilt(record: dict[str, Any]) -> _PassageRecord | None:
    title, text = record.get("wikipedia_title"), record.get("text")
    if isinstance(title, str) and isinstance(text, list):
        return _PassageRecord(title_form(title), text, record.get("anchors", ()))
    return None


def _from_url(record: dict[str, Any]) -> _PassageRecord | None:
    """A passage known by the address of its page; those we know of are tokenised."""
    url, text = record.get("url"), record.get("text")
    if isinstance(url, str) and isinstance(text, str) and not record.get("title"):
        # Titles may hold slashes and question marks, and addresses do not always write them as escapes.
        _, wiki, name = url.partition("#")[0].partition("/wiki/")
        return _PassageRecord(article_title(name if wiki else url.rstrip("/").rpartition("/")[2]), detokenise(text))
    return None


def _from_passage(record: dict[str, Any]) -> _PassageRecord | None:
    text = record.get("text", record.get("contents"))
    if not isinstance(text, str):
        return None
    title = record.get("title")
    if not title and "text" not in record:
        first, newline, rest = text.partition("\n")
        if newline:
            title, text = first.strip().removeprefix('"').removesuffix('"'), rest
    if not title:
        title = record.get("id", record.get("_id"))  # better than to have no address at all
    return _PassageRecord(title_form(str(title)) if isinstance(title, str | int) else "", text)


# -- KILT --------------------------------------------------------------------------------------------------

_HEADING = re.compile(r"\s*Section::::")
_BULLET = re.compile(r"\s*BULLET::::(?:(?P<mark>[-*#:;]+)|(?P<number>[0-9]{1,9})\.)?\s*")
# Control characters could be taken for link marks; blanks in their place keep the anchors' positions true.
_BLANK_CONTROLS = dict.fromkeys(range(0x20), " ")


def _spans(record: _PassageRecord) -> tuple[dict[int, list[tuple[int, int, str]]], bool]:
    """The links of each paragraph in order, and whether all of them could be used."""
    spans: dict[int, list[tuple[int, int, str]]] = {}
    complete = isinstance(record.anchors, list | tuple)
    for anchor in record.anchors if complete else ():
        span = _span(anchor, record.text)
        if span is None:
            complete = False
        else:
            spans.setdefault(span[0], []).append(span[1:])
    for number, links in spans.items():
        kept: list[tuple[int, int, str]] = []
        for link in sorted(links):
            if kept and link[0] < kept[-1][1]:
                complete = False
            elif link[2]:
                kept.append(link)
        spans[number] = kept
    return spans, complete


def _span(anchor: Any, paragraphs: Sequence[Any]) -> tuple[int, int, int, str] | None:
    if not isinstance(anchor, dict):
        return None
    number, start, end, href = (anchor.get(key) for key in ("paragraph_id", "start", "end", "href"))
    if not (type(number) is type(start) is type(end) is int and isinstance(href, str)):
        return None
    paragraph = paragraphs[number] if 0 <= number < len(paragraphs) else None
    if not isinstance(paragraph, str) or not 0 <= start < end <= len(paragraph):
        return None
    if anchor.get("text", paragraph[start:end]) != paragraph[start:end]:
        return None
    return number, start, end, article_title(href.partition("#")[0])


# -- from pages to passages --------------------------------------------------------------------------------


def split_passages(words_text: str, size: int = 100) -> Iterator[str]:
    """Stretches of `size` words, which are what white space separates; the last may be shorter."""
    if size < 1:
        raise InputError(f"a passage cannot have {size} words; give a size of 1 or more, such as 100")
    words = words_text.split()
    for start in range(0, len(words), size):
        yield " ".join(words[start : start + size])


def as_passages(page: Page, size: int = 100, *, tables: bool = False) -> Page:
    """A page cut into passages: its sentences, items and older passages, and on demand the rows of its tables.

    Sections stay, and no passage reaches over a heading: it would stand in two sections and have neither as context.
    A link that is cut belongs to the passage it begins in.
    """
    draft = Draft(page.title, source=page.source, revision=page.revision)
    views = iter(page.tables)
    pieces: list[str] = []
    for block in page.blocks:
        if isinstance(block, Section):
            _add_passages(draft, pieces, size)
            pieces = []
            draft.section(block.text, block.level, block.links)
        elif isinstance(block, ListBlock):
            pieces += (mark_links(item.text, item.links) for item in block.items)
        elif isinstance(block, TableBlock):
            table = next(views)
            pieces += _row_texts(table) if tables else ()
        else:
            pieces.append(mark_links(block.text, block.links))
    _add_passages(draft, pieces, size)
    return draft.page()


def _add_passages(draft: Draft, pieces: Iterable[str], size: int) -> None:
    text, links = clean_line(" ".join(pieces), urls=False)
    waiting = list(reversed(links))
    start = 0
    for passage in split_passages(text, size):
        end = start + len(passage)
        inside: list[Link] = []
        while waiting and waiting[-1].start < end:
            link = waiting.pop()
            inside.append(Link(link.start - start, min(link.end, end) - start, link.target))
        draft.passage(passage, tuple(inside))
        start = end + 1


def _row_texts(table: Table) -> Iterator[str]:
    """The caption, then each row that holds data as "header: value; header: value."."""
    if table.caption:
        yield table.caption
    labels: dict[Place, str] = {}
    for line in table.places:
        cells = {place: table.rows[place[0]][place[1]] for place in line if place}
        cells = {place: cell for place, cell in cells.items() if cell.text}
        for place in cells.keys() - labels.keys():
            labels[place] = _label(table, place, cells[place])
        said = {labels[place] for place, cell in cells.items() if not cell.header}
        texts = [
            f"{labels[place]}: {cell.text}" if labels[place] else cell.text
            for place, cell in cells.items()
            if not (cell.header and cell.text in said)
        ]
        if said:
            yield f"{'; '.join(texts)}."


def _label(table: Table, place: Place, cell: Cell) -> str:
    """The nearest header that says what a cell is: the one above it or else beside it; in an infobox, beside it."""
    id = table.cell_id(place)
    above = () if table.infobox else table.column_headers(id)
    beside = () if cell.header else table.row_headers(id)
    headers = above + beside
    return headers[0].text if headers else ""


def write_passages(pages: Iterable[Page], path: Path) -> int:
    """Write the passages of pages as DPR's table and say how many there are; the file appears when all are written.

    A page of anything but passages is cut into them first. Ids count from 1, as DPR's do.
    """
    number = 0
    compressed = path.suffix == ".gz"
    with (
        partial_path(path) as partial,
        partial.open("wb") as file,
        _text_stream(file, compressed=compressed) as stream,
    ):
        table = csv.writer(stream, delimiter="\t", lineterminator="\n")
        table.writerow(_COLUMNS)
        for page in pages:
            for passage in _passages(page):
                number += 1
                table.writerow((number, " ".join(passage.text.split()), title_form(page.title)))
    return number


def _text_stream(file: BinaryIO, *, compressed: bool) -> io.TextIOWrapper:
    # No name and no time in the archive: the same passages give the same bytes.
    target = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if compressed else file
    return io.TextIOWrapper(target, "utf-8", newline="")


def _passages(page: Page) -> list[Passage]:
    if not all(isinstance(block, Passage | Section) for block in page.blocks):
        page = as_passages(page)
    return [block for block in page.blocks if isinstance(block, Passage)]
