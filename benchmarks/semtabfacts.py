"""SemTabFacts' statements and tables: sentences of scientists about the tables of their papers."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

from benchmarks.tabfact import Statement
from veritab.reason.tables import TypedTable
from veritab.schema import Table

_TRAIN = "train_manual_v1.3.2.zip"


class SemTabFactsStatement(Statement):
    """A sentence about a table of a paper."""

    def typed(self) -> TypedTable:
        return TypedTable.of(_documents(self.data)[self.table][0])


def semtabfacts(data: Path) -> Iterator[Statement]:
    """The training statements that their table entails or refutes."""
    for name, (_, statements) in _documents(data).items():
        for text, kind in statements:
            if kind in ("entailed", "refuted"):
                yield SemTabFactsStatement(text, kind == "entailed", name, data)


@cache
def _documents(data: Path) -> dict[str, tuple[Table, list[tuple[str, str]]]]:
    """Every table by file and number, and its statements with their kinds."""
    found = {}
    with zipfile.ZipFile(data / "semtabfacts" / _TRAIN) as archive:
        for path in sorted(archive.namelist()):
            if "/output/" in path and path.endswith(".xml") and "__MACOSX" not in path:
                for number, table in enumerate(ElementTree.fromstring(archive.read(path)).iter("table")):
                    statements = [(_line(each.get("text")), each.get("type") or "") for each in table.iter("statement")]
                    found[f"{path}:{number}"] = _table(table), statements
    return found


def _table(element: ElementTree.Element) -> Table:
    rows = [[_line(cell.get("text")) for cell in row.iter("cell")] for row in element.iter("row")]
    caption = element.find("caption")
    said = _line(caption.get("text")) if caption is not None else ""
    return Table.of(rows[1:], header=rows[0] if rows else None, caption=said)


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
