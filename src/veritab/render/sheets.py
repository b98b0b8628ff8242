"""Verdicts as rows for spreadsheets: CSV, and XLSX with the evidence on a sheet of its own.

A claim may begin with "=", which spreadsheets would run as a formula. Here every text stays a text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, TextIO

from veritab.errors import MissingExtra
from veritab.render.view import VerdictView
from veritab.schema import COMPUTED, Label, Verdict
from veritab.text import shorten

VERDICT_COLUMNS = (
    *("number", "id", "claim", "label", "supports", "refutes", "not enough info", "uncertain", "why", "parts"),
    *("evidence", "computed", "corpus", "revision"),
)
EVIDENCE_COLUMNS = ("number", "claim", "element", "page", "kind", "text", "score", "found by", "rests on it")
_FORMULA = re.compile(r"[=+\-@\t\r]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LONGEST = 32_000
"""A cell of a workbook holds 32,767 characters."""
_WIDTHS = {"claim": 50, "why": 60, "parts": 40, "evidence": 60, "text": 60, "element": 30, "computed": 40, "page": 24}

Value = str | int | float


def neutralise(text: str) -> str:
    """A text that no spreadsheet takes for a formula: one that could be one gets an apostrophe before it."""
    return f"'{text}" if _FORMULA.match(text) else text


@dataclass(frozen=True)
class CsvTable:
    """One verdict a row."""

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int:
        """Write each verdict as it arrives; returns how many there were."""
        table = csv.writer(out, lineterminator="\r\n")
        table.writerow(VERDICT_COLUMNS)
        count = 0
        for count, verdict in enumerate(verdicts, 1):
            table.writerow([neutralise(v) if isinstance(v, str) else v for v in _verdict_row(count, verdict)])
        return count


@dataclass(frozen=True)
class Workbook:
    """A workbook with a sheet of verdicts and a sheet of their evidence."""

    def write(self, verdicts: Iterable[Verdict], out: BinaryIO) -> int:
        """Write the workbook; returns how many verdicts there were."""
        try:
            from openpyxl import Workbook as Book
        except ImportError:
            raise MissingExtra("writing XLSX files", "documents") from None
        book = Book(write_only=True)
        first = _begin_sheet(book, "Verdicts", VERDICT_COLUMNS)
        second = _begin_sheet(book, "Evidence", EVIDENCE_COLUMNS)
        count = 0
        try:
            for count, verdict in enumerate(verdicts, 1):
                first.append(_cells(first, _verdict_row(count, verdict)))
                for row in _evidence_rows(count, verdict):
                    second.append(_cells(second, row))
        finally:  # rows wait in files of their own, which a stopped run leaves open otherwise
            first.close()
            second.close()
        book.save(out)
        return count


def _begin_sheet(book: Any, title: str, columns: tuple[str, ...]) -> Any:
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(title)
    sheet.freeze_panes = "A2"
    for number, name in enumerate(columns, 1):
        sheet.column_dimensions[get_column_letter(number)].width = _WIDTHS.get(name, 14)
    heads = _cells(sheet, columns)
    for head in heads:
        head.font = Font(bold=True)
    sheet.append(heads)
    return sheet


def _cells(sheet: Any, row: Iterable[Value]) -> list[Any]:
    """The cells of a row; a text is of the type text, whatever it begins with."""
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment

    cells = []
    for value in row:
        cell = WriteOnlyCell(sheet, value=_printable(value) if isinstance(value, str) else value)
        if isinstance(value, str):
            cell.data_type = "s"
            cell.quotePrefix = True  # it stays a text when somebody edits it
        cell.alignment = Alignment(vertical="top", wrap_text=True)
        cells.append(cell)
    return cells


def _printable(text: str) -> str:
    return shorten(_CONTROLS.sub("", text).encode("utf-8", "replace").decode(), _LONGEST)


def _verdict_row(number: int, verdict: Verdict) -> tuple[Value, ...]:
    view, certificate = VerdictView(verdict), verdict.certificate
    framed = view.framed or {hit.element.id for hit in verdict.evidence}
    rests_on = [hit.element for hit in verdict.evidence if hit.element.id in framed]
    return (
        number,
        verdict.claim.id,
        verdict.claim.text,
        str(verdict.label),
        *(round(verdict.scores.get(label, 0.0), 4) for label in Label),
        str(verdict.uncertainty or ""),
        "\n".join(verdict.reasoning),
        "\n".join(f"{part.label}: {part.text}" for part in certificate.parts),
        "\n".join(f"{element.id}: {element.text}" for element in rests_on),
        certificate.program,
        str(verdict.corpus.get("name", "")),
        str(verdict.corpus.get("revision", "")),
    )


def _evidence_rows(number: int, verdict: Verdict) -> Iterator[tuple[Value, ...]]:
    framed = VerdictView(verdict).framed
    for hit in verdict.evidence:
        id = hit.element.id
        by = "computation" if hit.by == COMPUTED else hit.by
        said = (number, verdict.claim.text, str(id), id.page, str(id.kind), hit.element.text)
        yield (*said, round(hit.score, 4), by, "yes" if id in framed else "")
