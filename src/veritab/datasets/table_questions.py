"""Questions over tables, and answers with their cells, as WikiTableQuestions and FetaQA write them.

A question that cannot be read, or whose table is gone, ragged or without a header, is a `Problem` of its line.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from veritab.corpus.wikipedia import WikipediaReader
from veritab.datasets.lines import RecordLine, records_of
from veritab.datasets.records import Record, listed, text_of
from veritab.datasets.registry import find_data_file, find_data_folder
from veritab.datasets.tabular import UNTITLED
from veritab.errors import FormatError, NotFound, short_repr
from veritab.schema import Block, Cell, Page, Problem, Section, Sentence, Table, TableBlock
from veritab.text import squeeze, title_form

_PAGES = "wiki/pages_html"
_TABLE_NAME = re.compile(r"csv/(\d+)-csv/(\d+)\.csv")
_SAYS_WHAT = re.compile(r"\b(?:is|was|are|were)\b")
_SAME_TABLE = 0.3
"""The least share of a table's texts that a table of its page must have to be taken for it."""


class SourceTable(NamedTuple):
    """A table of a data set: where it stood, and its rows as texts, the header first."""

    name: str
    title: str
    rows: tuple[tuple[str, ...], ...]
    sections: tuple[str, ...] = ()
    caption: str = ""
    opening: str = ""
    """The sentence in which its page says what it is about; empty where that is not known."""


class TableQuestion(NamedTuple):
    """A question, what answers it, and the table that tells."""

    where: str
    id: str
    text: str
    answers: tuple[str, ...]
    table: SourceTable


class TableAnswer(NamedTuple):
    """An answer in whole sentences, and the cells that it was written from: as (row, column) of the table."""

    where: str
    id: str
    text: str
    cells: tuple[tuple[int, int], ...]
    table: SourceTable


class TableQuestions:
    """A file of questions over tables, or of answers with their cells: by its path or its name in the data folder.

    The tables of questions are in `tables`, by default the file of that name beside the questions. Where the data
    folder has the pages of the tables, they give titles, sections and captions. `limit` is how many lines are read.
    """

    def __init__(
        self, name: str | Path, *, tables: Path | None = None, data: Path | None = None, limit: int | None = None
    ) -> None:
        self.name = str(name) if not Path(name).is_file() else Path(name).name
        self._folder = find_data_folder(data)
        self._path = Path(name) if Path(name).is_file() else find_data_file(str(name), self._folder)
        self._tables_path, self._limit = tables, limit
        if tables is not None and not tables.is_file():
            raise NotFound(f"no file {str(tables)!r}; give the file of tables with --tables")
        self._tables: dict[str, SourceTable | str] | None = None

    def __iter__(self) -> Iterator[TableQuestion | TableAnswer | Problem]:
        found = 0
        for number, line in enumerate(islice(records_of(self._path), self._limit)):
            if line.record is None:
                yield Problem("", line.where, line.wrong)
                continue
            found += 1
            try:
                yield self._read(line, line.record, number)
            except ValueError as error:
                yield Problem(_id(line.record, number), line.where, str(error))
        if not found:
            raise FormatError(f"{str(self._path)!r} holds no question; expected lines such as {_EXAMPLE}")

    def _read(self, line: RecordLine, record: Record, number: int) -> TableQuestion | TableAnswer:
        id = _id(record, number)
        if "table_array" in record:
            return _answer(line.where, id, record)
        question, name, answer = (_first(record, keys) for keys in _KEYS)
        if not isinstance(question, str) or not squeeze(question):
            raise ValueError(f"no question, only {', '.join(record)[:200] or 'nothing'}; expected e.g. {_EXAMPLE}")
        if not isinstance(name, str):
            raise ValueError(f"the question names no table, but {short_repr(name)}; expected e.g. {_EXAMPLE}")
        table = self._known_tables().get(name, f"there is no table {name!r} in {self._tables_name()}")
        if isinstance(table, str):
            raise ValueError(table)
        return TableQuestion(line.where, id, squeeze(question), _answers(answer), table)

    def _tables_name(self) -> str:
        return self._beside().name

    def _beside(self) -> Path:
        try:
            return self._tables_path or find_data_file("tables", self._path.parent)
        except NotFound:
            raise NotFound(f"no file of tables beside {str(self._path)!r}; name it with --tables") from None

    def _known_tables(self) -> dict[str, SourceTable | str]:
        """The tables that are asked about, by name; for one that cannot be used, what is wrong with it."""
        if self._tables is None:
            asked = {_first(line.record or {}, _TABLE_KEYS) for line in islice(records_of(self._path), self._limit)}
            self._tables = {}
            for line in records_of(self._beside()):
                name = _first(line.record or {}, ("table_id", "id"))
                if isinstance(name, str) and name in asked and line.record is not None:
                    self._tables[name] = _table(name, line.record)
            self._place_on_pages(self._tables)
        return self._tables

    def _place_on_pages(self, tables: dict[str, SourceTable | str]) -> None:
        """Give tables the titles, sections and captions of their pages, where the data folder has those."""
        try:
            path = find_data_file(_PAGES, self._folder)
        except NotFound:
            return
        of_page = {_page_name(name): name for name in tables}
        for line in records_of(path):
            name = of_page.get(text_of(line.record or {}, "page"), "")
            table = tables.get(name)
            if isinstance(table, SourceTable) and line.record is not None:
                tables[name] = _placed_on(line.record, table)


_TABLE_KEYS = ("table", "table_id", "context")
_KEYS = (("question", "utterance"), _TABLE_KEYS, ("answer", "answers", "targetValue"))
_EXAMPLE = '{"id": 1, "question": "who won?", "table": "name of a table", "answer": "Ann"}'


def _first(record: Record, keys: Sequence[str]) -> Any:
    return next((record[key] for key in keys if record.get(key) is not None), None)


def _id(record: Record, number: int) -> str:
    id = _first(record, ("id", "feta_id"))
    named = str(id).strip() if isinstance(id, int | str) and not isinstance(id, bool) else ""
    return named or str(number)


def _answers(given: Any) -> tuple[str, ...]:
    listed = given if isinstance(given, list) else re.split(r"(?<!\\)\|", given) if isinstance(given, str) else None
    if listed is None or not all(isinstance(each, str) for each in listed):
        raise ValueError(f"the answer is {short_repr(given)}; expected a text, or a list of texts")
    found = tuple(dict.fromkeys(filter(None, (squeeze(each.replace(r"\p", "|")) for each in listed))))
    if not found:
        raise ValueError("the question has no answer")
    return found


# -- tables ------------------------------------------------------------------------------------------------


def _table(name: str, record: Record) -> SourceTable | str:
    rows = (listed(record, "header"), *listed(record, "rows"))
    try:
        table = _of_rows(name, text_of(record, "title"), rows)
    except ValueError as error:
        return str(error)
    sections = tuple(squeeze(each) for each in listed(record, "sections") if isinstance(each, str))
    return table._replace(
        sections=sections, caption=squeeze(text_of(record, "caption")), opening=text_of(record, "opening")
    )


def _of_rows(name: str, title: str, rows: Sequence[Any]) -> SourceTable:
    """A table of plain rows; ValueError where it has no header, no rows, or rows of several lengths."""
    texts = tuple(
        tuple(squeeze(str("" if cell is None else cell)) for cell in row) for row in rows if isinstance(row, list)
    )
    if not texts or not any(texts[0]):
        raise ValueError(f"table {name!r} has no header")
    if len(texts) < 2:
        raise ValueError(f"table {name!r} has no rows under its header")
    width = len(texts[0])
    for number, row in enumerate(texts):
        if len(row) != width:
            raise ValueError(f"table {name!r} is ragged: row {number} has {len(row)} cells, the header has {width}")
    return SourceTable(name, title_form(squeeze(title)) or UNTITLED, texts)


def _page_name(table: str) -> str:
    """What the pages are called that WikiTableQuestions took its tables from."""
    match = _TABLE_NAME.fullmatch(table)
    return f"{match[1]}-page/{match[2]}" if match else table


def _placed_on(record: Record, table: SourceTable) -> SourceTable:
    """The table with the title of its page, and with what that has above it."""
    for page in WikipediaReader().page(text_of(record, "html").encode(), html.unescape(text_of(record, "title"))):
        if isinstance(page, Page):
            same = max(page.tables, key=lambda each: _shared(each, table), default=None)
            opening = find_opening(page)
            if same is None or _shared(same, table) < _SAME_TABLE:
                return table._replace(title=page.title, opening=opening)
            sections = tuple(each.text for each in same.context[1:])
            return table._replace(title=page.title, sections=sections, caption=same.caption, opening=opening)
    return table._replace(title=title_form(squeeze(text_of(record, "title"))) or table.title)


def _shared(table: Table, source: SourceTable) -> float:
    texts = {text.casefold() for row in source.rows for text in row if text}
    return len(texts & {cell.text.casefold() for row in table.rows for cell in row}) / max(len(texts), 1)


def find_opening(page: Page) -> str:
    """The first sentence that says what the page is about: notes on other pages and on names come before it."""
    words = page.title.partition(" (")[0].split()
    for block in page.blocks:
        if type(block) is Section:
            break
        if type(block) is Sentence and _SAYS_WHAT.search(block.text):
            start = block.text[:120]
            if any(word in start for word in words) and not re.match(
                r"For |This (?:is an? \w+ name|name|article)", start
            ):
                return block.text
    return ""


def as_table(source: SourceTable, number: int = 0, first_section: int = 0) -> Table:
    """The table as one of a page, with a number of its own there, under sections of its own."""
    return Page(source.title, table_blocks(source, number, first_section)).tables[0]


def table_blocks(source: SourceTable, number: int = 0, first_section: int = 0) -> tuple[Block, ...]:
    """A table and the headings above it as blocks of a page."""
    header, *rows = source.rows
    cells = (tuple(Cell(text, header=True) for text in header), *(tuple(map(Cell, row)) for row in rows))
    sections = (Section(first_section + n, name, n + 2) for n, name in enumerate(source.sections))
    return (*sections, TableBlock(number, cells, source.caption))


# -- answers with cells ------------------------------------------------------------------------------------


def _answer(where: str, id: str, record: Record) -> TableAnswer:
    text = squeeze(text_of(record, "answer"))
    if not text:
        raise ValueError("there is no answer")
    table = _of_rows(id, text_of(record, "table_page_title"), listed(record, "table_array"))
    section = squeeze(text_of(record, "table_section_title"))
    table = table._replace(sections=(section,) if section else ())
    cells = []
    for place in listed(record, "highlighted_cell_ids"):
        match place:
            case [int(row), int(column)] if 0 <= row < len(table.rows) and 0 <= column < len(table.rows[0]):
                cells.append((row, column))
            case _:
                raise ValueError(f"the table has no cell {short_repr(place)}; expected e.g. [row, column]")
    if not cells:
        raise ValueError("no cells are given that the answer was written from")
    return TableAnswer(where, id, text, tuple(dict.fromkeys(cells)), table)
