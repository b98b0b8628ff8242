"""The tables of the data sets as Veritab holds tables, and what is said about them."""

from __future__ import annotations

import html
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

from veritab.datasets import DataFiles
from veritab.datasets.normalise import LABELS, page_title, plain_text, strip_links
from veritab.schema import Block, Cell, ElementId, Page, Section, Table, TableBlock
from veritab.text import squeeze

UNTITLED = "Evidence"
"""The page of what comes without a title; rendering does not print it."""


class TableStatement(NamedTuple):
    """A sentence about a table, with what it is, and the sentences that stand around the table."""

    claim: str
    table: Table
    label: int
    key: str
    """The table's name in its data set."""
    context: tuple[str, ...] = ()


def infobox(title: str, entries: Iterable[tuple[str, str]]) -> Table:
    """A table of names and values, one a row, whose names are headers."""
    rows = tuple((Cell(squeeze(name), header=True), Cell(squeeze(value))) for name, value in entries)
    return Page(squeeze(title) or UNTITLED, (TableBlock(0, rows, infobox=True),)).tables[0]


# -- TabFact -----------------------------------------------------------------------------------------------


def _tabfact_tables(data: DataFiles) -> dict[str, dict[str, Any]]:
    """The records of TabFact's tables, by their names."""
    return {record["table_id"]: record for record in data.records("tabfact/tables")}


def tabfact_table(data: DataFiles, key: str) -> Table:
    """A table of TabFact."""
    record = data.once(_tabfact_tables)[key]
    return Table.of(record["rows"], header=record["header"], title=record["page_title"])


def tabfact_statements(data: DataFiles, split: str) -> Iterator[TableStatement]:
    """The statements of `train_partial` or `val`."""
    for record in data.records(f"tabfact/{split}"):
        key = record["table_id"]
        yield TableStatement(record["statement"], tabfact_table(data, key), LABELS[record["label"]], key)


# -- InfoTabS ----------------------------------------------------------------------------------------------


def _infotabs_tables(data: DataFiles) -> dict[str, Table]:
    """InfoTabS' infoboxes by their names; two records hold no table, and nothing is said about them."""
    return {
        record["table_id"]: _infotabs_table(record["table"])
        for record in data.records("infotabs/tables")
        if record["table"]
    }


def _infotabs_table(record: dict[str, list[str]]) -> Table:
    entries = (
        (name, plain_text(html.unescape(", ".join(values)))) for name, values in record.items() if name != "title"
    )
    return infobox(html.unescape(" ".join(record.get("title", ()))), entries)


def infotabs_statements(data: DataFiles, split: str) -> Iterator[TableStatement]:
    """The statements of `train`, `dev` or `test_alpha1`."""
    tables = data.once(_infotabs_tables)
    for record in data.records(f"infotabs/{split}"):
        key = record["table_id"]
        yield TableStatement(squeeze(record["hypothesis"]), tables[key], LABELS[record["label"]], key)


# -- SemTabFacts -------------------------------------------------------------------------------------------


class CellStatement(NamedTuple):
    """A statement about a table of a paper, and the cells that decide it: as (row, position) in it."""

    statement: TableStatement
    relevant: frozenset[tuple[int, int]]
    """None where the file does not say, as those for training do not."""


SEMTABFACTS_TRAIN, SEMTABFACTS_DEV = "train_manual_v1.3.2.zip", "dev_v1.1.zip"


def semtabfacts(data: DataFiles, name: str = SEMTABFACTS_TRAIN) -> Iterator[CellStatement]:
    """SemTabFacts' statements about the tables of papers."""
    with zipfile.ZipFile(data.file(f"semtabfacts/{name}")) as archive:
        for member in sorted(archive.namelist()):
            if "/output/" in member and member.endswith(".xml") and "__MACOSX" not in member:
                yield from _document(member, ElementTree.fromstring(archive.read(member)))


def _document(name: str, root: ElementTree.Element) -> Iterator[CellStatement]:
    for number, element in enumerate(root.iter("table")):
        table = _paper_table(element)
        for node in element.iter("statement"):
            kind, text = node.get("type") or "", squeeze(node.get("text") or "")
            if kind in LABELS and text:
                statement = TableStatement(text, table, LABELS[kind], f"{name}:{number}")
                yield CellStatement(statement, _relevant(element, node.get("id") or ""))


def _paper_table(element: ElementTree.Element) -> Table:
    lines = [list(row.iter("cell")) for row in element.iter("row")]
    # NameSwaps that reach over several columns have those of the columns under them.
    grouped = bool(lines) and any(_span(cell, "col") > 1 for cell in lines[0])
    rows = tuple(
        tuple(_paper_cell(cell, header=number == 0 or (number == 1 and grouped)) for cell in line)
        for number, line in enumerate(lines)
    )
    caption = element.find("caption")
    caption_text = squeeze(caption.get("text") or "") if caption is not None else ""
    return Page("Table", (TableBlock(0, rows, caption_text),)).tables[0]


def _paper_cell(cell: ElementTree.Element, *, header: bool) -> Cell:
    return Cell(squeeze(cell.get("text") or ""), (), header, _span(cell, "row"), _span(cell, "col"))


def _span(cell: ElementTree.Element, way: str) -> int:
    """How many rows or columns a cell covers."""
    first, last = (int(cell.get(f"{way}-{end}") or 0) for end in ("start", "end"))
    return max(last - first + 1, 1)


def _relevant(element: ElementTree.Element, statement: str) -> frozenset[tuple[int, int]]:
    return frozenset(
        (row, position)
        for row, line in enumerate(element.iter("row"))
        for position, cell in enumerate(line.iter("cell"))
        for evidence in cell.iter("evidence")
        if evidence.get("statement_id") == statement and evidence.get("type") == "relevant"
    )


# -- FEVEROUS ----------------------------------------------------------------------------------------------

_COMMON = 3
_MOSTLY = 0.5


def _infobox_names(data: DataFiles) -> frozenset[str]:
    """What infoboxes call their entries."""
    seen = Counter(row[0].text.casefold() for table in data.once(_infotabs_tables).values() for row in table.rows)
    return frozenset(name for name, times in seen.items() if times >= _COMMON)


def feverous_table(data: DataFiles, record: dict[str, Any], page: str) -> Table:
    """A table of the FEVEROUS files, which write the first row of an infobox as if it were a header."""
    lines = [[strip_links(cell) for cell in line] for line in (record["header"], *record["rows"])]
    names = data.once(_infobox_names)
    if all(len(line) == 2 for line in lines):
        known = sum(line[0].casefold() in names for line in lines)
        if known >= _MOSTLY * len(lines):
            return infobox(page, ((line[0], line[1]) for line in lines))
    return Table.of(
        lines[1:], header=lines[0], title=page or UNTITLED, caption=strip_links(record.get("caption") or "")
    )


def feverous_statements(data: DataFiles) -> Iterator[TableStatement]:
    """The claims of FEVEROUS whose whole table is known, with the sentences that belong to their evidence."""
    for number, record in enumerate(data.records("feverous/full_tables")):
        table = feverous_table(data, record["table"], page_title(record["title"]))
        context = tuple(filter(None, map(strip_links, record["context"])))
        yield TableStatement(squeeze(record["query"]), table, LABELS[record["label"]], str(number), context)


# -- Wikipedia ---------------------------------------------------------------------------------------------


def wiki_table(record: dict[str, Any]) -> Table:
    """A table as wiki/tables holds it: header and data are cells with links, sections are separated by dashes."""
    header = tuple(Cell(plain_text(text), header=True) for text, _ in record["header"])
    rows = tuple(tuple(Cell(plain_text(text)) for text, _ in row) for row in record["data"])
    sections: list[Block] = [
        Section(number, squeeze(name), number + 2)
        for number, name in enumerate(filter(None, map(squeeze, record["section_title"].split(" -- "))))
    ]
    return Page(squeeze(record["title"]) or UNTITLED, (*sections, TableBlock(0, (header, *rows)))).tables[0]


def cells_of(table: Table, row: int) -> list[ElementId]:
    """The addresses of the cells of one row, each once."""
    return list(dict.fromkeys(id for id in table.grid[row] if id))
