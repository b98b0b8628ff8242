"""How much of the tables of documents is read: `python -m benchmarks.tables FOLDER` writes results/tables.md.

A table read is laid beside the table that went in. Columns are aligned first, in order, so that as many cell texts as
possible stand in both; then rows, in order, so that as many cells as possible agree. A filled square of the grid (spans
expanded) counts as recovered when the aligned row and column holds the same text. Texts are compared without regard to
line breaks and to how a number prints its thousands, its sign and its last zeros, for spreadsheets keep the number and
not the print. A table that comes back in two pieces is scored by its better piece. A table is lost when less than half
of its cells come back; it is lost silently when the reader reports no problem that speaks of a table.

`--half development` prints each table and writes nothing: readers are made on that half and reported on the other.
`--save FILE` keeps the figures, `--before FILE` sets those of an earlier reader beside them.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.made_tables import HALVES, Content, Made, expand, make, write_long
from benchmarks.report import Report
from veritab.corpus.documents import DocumentReader
from veritab.corpus.streams import RawRecord
from veritab.schema import Cell, Page, Problem, Table

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "tables.md"
BEFORE = ROOT / "benchmarks" / "results" / "tables-before.json"
REPEATS = 2
RULES = ("ruled", "half-ruled", "unruled")
FORMATS = ("pdf", "docx", "xlsx", "html")
TOOLS = ("LibreOffice", "reportlab", "python-docx", "openpyxl", "by hand")
TRAITS = ("merged", "two-line header", "totals", "units", "wrapped", "empty cells", "text only", "two pages")
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?")


class Score(NamedTuple):
    """What came back of one table."""

    made: Made
    content: Content
    cells: int
    found: int
    headers: int
    found_headers: int
    false_headers: int
    told: bool

    @property
    def lost(self) -> bool:
        return 2 * self.found < self.cells


def compared(text: str) -> str:
    """A cell's text without what its print adds."""
    plain = " ".join(unicodedata.normalize("NFKC", text).replace("\u2212", "-").split())
    number = plain.replace(",", "").removeprefix("+")
    if number.startswith("(") and number.endswith(")"):
        number = f"-{number[1:-1]}"
    match = _NUMBER.fullmatch(number)
    return number.rstrip("0").rstrip(".") if match and match[1] else number if match else plain


def _aligned(scores: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The pairs, in order on both sides, with the highest sum."""
    height, width = len(scores), len(scores[0]) if scores else 0
    best = [[0] * (width + 1) for _ in range(height + 1)]
    for row in range(height - 1, -1, -1):
        for column in range(width - 1, -1, -1):
            both = scores[row][column] + best[row + 1][column + 1]
            best[row][column] = max(best[row + 1][column], best[row][column + 1], both)
    pairs, row, column = [], 0, 0
    while row < height and column < width:
        if best[row][column] == best[row + 1][column]:
            row += 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            pairs.append((row, column))
            row, column = row + 1, column + 1
    return pairs


def _common(one: Iterable[str], other: Iterable[str]) -> int:
    left = list(other)
    found = 0
    for text in one:
        if text and text in left:
            left.remove(text)
            found += 1
    return found


def align(wanted: Sequence[Sequence[Cell]], read: Sequence[Sequence[Cell]]) -> list[tuple[Cell, Cell]]:
    """The cells of two grids that stand in the same place and say the same."""
    one, other = ([[compared(cell.text) for cell in line] for line in grid] for grid in (wanted, read))
    columns = _aligned([[_common(a, b) for b in zip(*other, strict=True)] for a in zip(*one, strict=True)])
    agreeing = [[sum(a[c] == b[d] != "" for c, d in columns) for b in other] for a in one]
    return [
        (wanted[row][column], read[at][across])
        for row, at in _aligned(agreeing)
        for column, across in columns
        if one[row][column] and one[row][column] == other[at][across]
    ]


def read(path: Path) -> tuple[list[Table], list[Problem]]:
    found = list(DocumentReader().parse(RawRecord(path.name, path.read_bytes(), path.stem)))
    pages = [one for one in found if isinstance(one, Page)]
    return [table for page in pages for table in page.tables], [one for one in found if isinstance(one, Problem)]


def score(made: Made) -> list[Score]:
    tables, problems = read(made.path)
    told = any("table" in problem.what for problem in problems)
    left = [expand(table.rows) for table in tables]
    scores = []
    for content in made.tables:
        wanted = expand(content.rows)
        matches: list[tuple[Cell, Cell]] = []
        best = -1
        for at, grid in enumerate(left):
            found = align(wanted, grid)
            if len(found) > len(matches):
                matches, best = found, at
        if best >= 0:
            del left[best]  # two tables that were read as one count once
        filled = [cell for line in wanted for cell in line if cell.text]
        headers = [cell for cell in filled if cell.header]
        false = sum(theirs.header for ours, theirs in matches if not ours.header)
        right = sum(theirs.header for ours, theirs in matches if ours.header)
        scores.append(Score(made, content, len(filled), len(matches), len(headers), right, false, told))
    return scores


# -- figures -----------------------------------------------------------------------------------------------


def _share(found: int, of: int) -> str:
    return f"{found / of:.1%}" if of else "-"


def _figures(scores: Sequence[Score]) -> dict[str, int]:
    return {
        "tables": len(scores),
        "cells": sum(one.cells for one in scores),
        "found": sum(one.found for one in scores),
        "headers": sum(one.headers for one in scores),
        "found_headers": sum(one.found_headers for one in scores),
        "false_headers": sum(one.false_headers for one in scores),
        "whole": sum(one.found == one.cells for one in scores),
        "lost": sum(one.lost for one in scores),
        "silent": sum(one.lost and not one.told for one in scores),
    }


def groups(scores: Sequence[Score]) -> dict[str, dict[str, int]]:
    """The figures of all tables, by rule, by format, by tool, by trait, and of PDF files by rule."""
    forms = {form: form.upper() for form in FORMATS}
    named: dict[str, list[Score]] = {name: [] for name in ("all", *RULES, *forms.values())}
    named |= {f"PDF, {rule}": [] for rule in RULES} | {name: [] for name in (*TOOLS, *TRAITS)}
    for one in scores:
        names = ["all", one.made.rule, forms[one.made.format], one.made.tool, *one.content.traits]
        names += [f"PDF, {one.made.rule}"] * (one.made.format == "pdf")
        for name in names:
            named[name].append(one)
    return {name: _figures(held) for name, held in named.items()}


def speed(path: Path) -> tuple[float, float]:
    """Seconds to read a file, and that as a multiple of what the PDF library needs to find its characters."""
    import pdfplumber

    def timed(work: Callable[[], object]) -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    def characters() -> int:
        with pdfplumber.open(path) as pdf:
            return sum(len(page.chars) for page in pdf.pages)

    bare = min(timed(characters) for _ in range(REPEATS))
    own = min(timed(lambda: read(path)) for _ in range(REPEATS))
    return own, own / bare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--half", choices=HALVES, default="report")
    parser.add_argument("--save", type=Path)
    parser.add_argument("--before", type=Path, default=BEFORE)
    arguments = parser.parse_args()
    folder = arguments.folder / arguments.half
    made, without = make(arguments.half, folder)
    if not shutil.which("soffice"):
        print("soffice is missing: the documents that LibreOffice writes are left out", file=sys.stderr)
    scores = [one for document in made for one in score(document)]
    if arguments.half == "development":
        for one in scores:
            fate = ("lost, told" if one.told else "lost") if one.lost else ""
            headers = f"{one.found_headers}/{one.headers} headers, {one.false_headers} false"
            print(f"{one.made.path.name:44} {one.made.rule:10} {one.found:4}/{one.cells:<4} {headers} {fate}")
    invented = {path.name: len(tables) for path in without if (tables := read(path)[0])}
    doubted = [path.name for path in without if any("table" in problem.what for problem in read(path)[1])]
    figures = groups(scores)
    long = arguments.folder / "long.pdf"
    if not long.exists():
        write_long(long)
    seconds, ratio = speed(long)
    kept = {"groups": figures, "invented": invented, "doubted": doubted, "seconds": seconds, "ratio": ratio}
    if arguments.save:
        arguments.save.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    if arguments.half == "report" and not arguments.save:
        before = json.loads(arguments.before.read_text(encoding="utf-8"))
        _report(kept, before, len(made), len(without)).write(RESULTS)
    else:
        for name, line in figures.items():
            print(
                name,
                _share(line["found"], line["cells"]),
                "headers",
                _share(line["found_headers"], line["headers"]),
                line,
            )
        print({key: value for key, value in kept.items() if key != "groups"})


def _report(kept: dict[str, Any], before: dict[str, Any], documents: int, without: int) -> Report:
    now, then = kept["groups"], before["groups"]
    report = Report("Tables in documents, measured", "python -m benchmarks.tables FOLDER")
    for rule, wanted in (("ruled", 0.95), ("half-ruled", 0.95), ("unruled", 0.85)):
        for name in (rule, f"PDF, {rule}"):
            line = now[name]
            share = line["found"] / line["cells"]
            report.promise(
                f"cells of tables recovered: {name}", f"{share:.1%}", f"≥ {wanted:.0%}", kept=share >= wanted
            )
    silent = now["all"]["silent"]
    report.promise("tables lost without a word", str(silent), "0", kept=silent == 0)
    report.promise(
        "tables read where there are none", str(sum(kept["invented"].values())), "0", kept=not kept["invented"]
    )
    times = kept["ratio"] / before["ratio"]
    report.promise("time for a PDF of 100 pages, against before", f"{times:.2f} times", "≤ 1.5", kept=times <= 1.5)
    rows = [
        [
            "",
            "tables",
            "cells before",
            "cells now",
            "headers before",
            "headers now",
            "whole before",
            "whole now",
            "lost silently before",
            "now",
        ]
    ]
    for name, line in now.items():
        old = then[name]
        rows.append(
            [
                name,
                str(line["tables"]),
                _share(old["found"], old["cells"]),
                _share(line["found"], line["cells"]),
                _share(old["found_headers"], old["headers"]),
                _share(line["found_headers"], line["headers"]),
                str(old["whole"]),
                str(line["whole"]),
                str(old["silent"]),
                str(line["silent"]),
            ]
        )
    report.table("By rule, format, tool and what makes them hard", rows)
    report.note(
        "Notes", f"{documents} documents with {now['all']['tables']} tables, and {without} documents without any."
    )
    report.note(
        "Notes", f"Cells taken for headers: {now['all']['false_headers']} ({then['all']['false_headers']} before)."
    )
    report.note(
        "Notes", f"Documents without tables of which the reader says that lines look like one: {len(kept['doubted'])}."
    )
    report.note(
        "Notes",
        f"100 pages take {kept['seconds']:.1f} s of one core, {kept['ratio']:.2f} times what the PDF library needs to "
        f"find the characters ({before['ratio']:.2f} before).",
    )
    return report


if __name__ == "__main__":
    main()
