"""Tables the way people make them: few rules or none, headers that nothing marks, several on a sheet."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import docx
import openpyxl
import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from veritab.corpus.documents import DocumentReader
from veritab.corpus.streams import RawRecord
from veritab.schema import Cell, ElementId, Kind, Page, Problem, Region, Sentence

LOOKS_LIKE_ONE = "lines that look like a table were read as text"
PROSE = (
    "The company grew in all regions during the year and the number of people",
    "employed rose to 1,200 by the end of December, most of them in the north.",
)
SALES = [
    ["Country", "Net sales", "Staff"],
    ["Norway", "1,210", "12"],
    ["Denmark", "(35)", "7"],
    ["Iceland", "8", "140"],
]
LEFTS = (72, 260, 340)
RIGHTS = (0, 300, 370)


def parsed(name: str, data: bytes) -> tuple[Page, list[Problem]]:
    found = list(DocumentReader().parse(RawRecord(name, data, "x")))
    (page,) = [one for one in found if isinstance(one, Page)]
    return page, [one for one in found if isinstance(one, Problem)]


def grid(page: Page, number: int = 0) -> list[list[str]]:
    return [[cell.text for cell in row] for row in page.table(number).rows]


def heads(page: Page, number: int = 0) -> list[bool]:
    """For each row, whether all its cells are headers."""
    return [all(cell.header for cell in row) for row in page.table(number).rows]


def sentences(page: Page) -> list[str]:
    return [block.text for block in page.blocks if isinstance(block, Sentence)]


# -- PDF ---------------------------------------------------------------------------------------------------


def pdf(*pages: Callable[[Any], object]) -> bytes:
    """A PDF of A4 pages (595 by 842 points) in Helvetica 10."""
    stream = io.BytesIO()
    canvas = Canvas(stream, invariant=1)
    for draw in pages:
        canvas.setFont("Helvetica", 10)
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def write(canvas: Any, top: float, *lines: str, left: float = 72, step: float = 12) -> float:
    for line in lines:
        canvas.drawString(left, 842 - top, line)
        top += step
    return top


def put_rows(canvas: Any, top: float, rows: Sequence[Sequence[str]], step: float = 16) -> float:
    """Rows with a column of words at the left and columns of numbers at the right."""
    for row in rows:
        canvas.drawString(LEFTS[0], 842 - top, row[0])
        for right, text in zip(RIGHTS[1:], row[1:], strict=True):
            canvas.drawRightString(right, 842 - top, text)
        top += step
    return top


def test_a_table_with_only_a_rule_below_its_header_is_a_table() -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 80, *PROSE)
        write(canvas, 120, "Table 1. Sales by country")
        put_rows(canvas, 140, SALES)
        canvas.line(72, 842 - 144, 370, 842 - 144)
        write(canvas, 220, "After the table.")

    page, problems = parsed("x.pdf", pdf(draw))
    assert not problems
    assert grid(page) == SALES
    assert heads(page) == [True, False, False, False]
    assert page.table(0).caption == "Table 1. Sales by country"
    assert sentences(page) == [" ".join(PROSE), "After the table."]


def test_columns_without_any_rule_are_a_table() -> None:
    page, problems = parsed("x.pdf", pdf(lambda canvas: put_rows(canvas, 140, SALES)))
    assert (grid(page), heads(page), problems) == (SALES, [True, False, False, False], [])


def test_what_wraps_in_a_cell_is_one_row() -> None:
    def draw(canvas: Any) -> None:
        put_rows(canvas, 140, SALES[:2])
        write(canvas, 172, "Denmark with Greenland", "and the Faroe Islands", step=11)
        canvas.drawRightString(RIGHTS[1], 842 - 172, "35")
        canvas.drawRightString(RIGHTS[2], 842 - 172, "7")
        put_rows(canvas, 199, SALES[3:])

    page, _ = parsed("x.pdf", pdf(draw))
    assert grid(page)[2] == ["Denmark with Greenland and the Faroe Islands", "35", "7"]
    assert len(grid(page)) == 4


def test_a_name_over_two_columns_spans_them() -> None:
    def draw(canvas: Any) -> None:
        canvas.drawString(72, 842 - 100, "Department")
        for center, text in ((285, "2023"), (405, "2024")):
            canvas.drawCentredString(center, 842 - 100, text)
            canvas.line(center - 50, 842 - 104, center + 50, 842 - 104)
        for top, row in ((116, "Plan Actual Plan Actual"), (136, "Roads 10 20 30 40"), (152, "Parks 1 2 3 4")):
            texts = row.split()
            if len(texts) == 5:
                canvas.drawString(72, 842 - top, texts.pop(0))
            for right, text in zip((270, 330, 390, 450), texts, strict=True):
                canvas.drawRightString(right, 842 - top, text)
        canvas.line(72, 842 - 122, 455, 842 - 122)

    page, problems = parsed("x.pdf", pdf(draw))
    assert not problems
    assert page.table(0).rows[:3] == (
        (Cell("Department", header=True, row_span=2), Cell("2023", (), True, 1, 2), Cell("2024", (), True, 1, 2)),
        tuple(Cell(text, header=True) for text in ("Plan", "Actual", "Plan", "Actual")),
        tuple(map(Cell, ("Roads", "10", "20", "30", "40"))),
    )


def test_a_table_goes_on_over_the_page_with_its_header_once() -> None:
    more = [["Sweden", "77", "3"], ["Finland", "5", "21"], ["Estonia", "900", "2"]]
    again = pdf(lambda canvas: put_rows(canvas, 700, SALES), lambda canvas: put_rows(canvas, 80, [SALES[0], *more]))
    page, _ = parsed("x.pdf", again)
    assert (len(page.tables), grid(page)) == (1, SALES + more)
    page, _ = parsed(
        "x.pdf", pdf(lambda canvas: put_rows(canvas, 700, SALES), lambda canvas: put_rows(canvas, 80, more))
    )
    assert (len(page.tables), grid(page)) == (1, SALES + more)


def test_rules_between_columns_alone_leave_rows_apart() -> None:
    def draw(canvas: Any) -> None:
        put_rows(canvas, 140, SALES)
        for across in (68, 240, 305, 375):
            canvas.line(across, 842 - 126, across, 842 - 194)
        for down in (126, 145, 194):
            canvas.line(68, 842 - down, 375, 842 - down)

    page, _ = parsed("x.pdf", pdf(draw))
    assert (grid(page), heads(page)) == (SALES, [True, False, False, False])


def two_columns(canvas: Any) -> None:
    for left in (60, 320):
        write(canvas, 100, *(f"{text[:40]}" for text in PROSE * 3), left=left)


def contents(canvas: Any) -> None:
    write(canvas, 80, "Contents")
    for at, name in enumerate(("Introduction", "The upper valley", "Mills and millers", "Sources")):
        write(canvas, 110 + 16 * at, name)
        canvas.drawRightString(500, 842 - 110 - 16 * at, str(3 + 9 * at))


def numbered_contents(canvas: Any) -> None:
    for at, name in enumerate(("Introduction", "The upper valley", "Mills and millers", "Sources")):
        write(canvas, 110 + 16 * at, f"1.{at + 1}")
        write(canvas, 110 + 16 * at, name, left=100)
        canvas.drawRightString(500, 842 - 110 - 16 * at, str(3 + 9 * at))


def numbered(canvas: Any) -> None:
    for at, text in enumerate(PROSE * 2):
        write(canvas, 100 + 14 * at, f"{at + 1}.")
        write(canvas, 100 + 14 * at, text, left=96)


def letter(canvas: Any) -> None:
    for at, text in enumerate(("12 Mill Lane", "Aldermoor AM3 4QT", "3 May 2024")):
        canvas.drawRightString(530, 842 - 80 - 13 * at, text)
    write(canvas, 160, *PROSE)


@pytest.mark.parametrize("draw", [two_columns, contents, numbered_contents, numbered, letter])
def test_what_is_only_laid_out_like_one_is_no_table(draw: Callable[[Any], None]) -> None:
    page, problems = parsed("x.pdf", pdf(draw))
    assert (list(page.tables), problems) == ([], [])


def test_rows_of_values_above_a_rule_are_no_header() -> None:
    def draw(canvas: Any) -> None:
        put_rows(canvas, 140, SALES)
        canvas.line(72, 842 - 175, 370, 842 - 175)  # above the last row only

    page, _ = parsed("x.pdf", pdf(draw))
    assert (grid(page), heads(page)) == (SALES, [True, False, False, False])


def test_lines_that_look_like_a_table_are_told_of() -> None:
    def draw(canvas: Any) -> None:
        for at in range(5):  # every line has its numbers elsewhere
            write(canvas, 100 + 12 * at, "12,000", left=72 + 23 * at)
            write(canvas, 100 + 12 * at, "9,414", left=130 + 23 * at)
            write(canvas, 100 + 12 * at, "77,031", left=190 + 23 * at)

    page, problems = parsed("x.pdf", pdf(draw))
    assert not page.tables
    assert [(problem.where, problem.what) for problem in problems] == [("page 1", LOOKS_LIKE_ONE)]


def test_sentences_and_cells_know_where_they_stand_on_a_page() -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 100, "Sales rose. The number of people employed fell in the", "north. Costs did not change.")
        put_rows(canvas, 200, SALES)

    page, _ = parsed("x.pdf", pdf(lambda canvas: write(canvas, 100, *PROSE), draw))
    second = page.regions(ElementId(page.title, Kind.SENTENCE, (2,)))
    assert [(region.page, round(region.top), round(region.bottom)) for region in second] == [
        (2, 92, 102),
        (2, 104, 114),
    ]
    assert second[0].left > 120  # behind "Sales rose."
    assert second[1].left == 72
    (cell,) = page.regions(ElementId(page.title, Kind.CELL, (0, 1, 1)))
    assert (cell.page, round(cell.right), round(cell.top)) == (2, 300, 208)


# -- DOCX --------------------------------------------------------------------------------------------------


def word_table(rows: Sequence[Sequence[str]], bold: Sequence[int] = ()) -> bytes:
    document = docx.Document()
    table = document.add_table(len(rows), len(rows[0]))
    for at, row in enumerate(rows):
        for column, text in enumerate(row):
            table.cell(at, column).paragraphs[0].add_run(text).bold = at in bold
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("rows", "bold", "expected"),
    [
        (SALES, (), [True, False, False, False]),
        ([["Apples", "12"], ["Pears", "7"], ["Plums", "3"]], (), [False] * 3),
        ([["2021", "7"], ["2022", "8"], ["2023", "9"]], (0,), [True, False, False]),
        ([["Name:", "Ann Lee"], ["Town:", "Ely"], ["Trade:", "Potter"]], (), [False] * 3),
        ([["Sales", ""], ["Country", "EUR"], ["Norway", "1"]], (), [False, True, False]),
    ],
)
def test_an_unmarked_header_of_a_word_table_is_found(
    rows: list[list[str]], bold: tuple[int, ...], expected: list[bool]
) -> None:
    page, _ = parsed("x.docx", word_table(rows, bold))
    assert heads(page) == expected


# -- HTML --------------------------------------------------------------------------------------------------

BODY = "<tr><td>Norway</td><td>1</td></tr><tr><td>Denmark</td><td>2</td></tr>"


@pytest.mark.parametrize(
    "head",
    [
        "<tr><td><b>Country</b></td><td><strong>2023</strong></td></tr>",
        '<tr style="font-weight: 700"><td>Country</td><td>2023</td></tr>',
        "<thead><tr><td>Country</td><td>2023</td></tr></thead>",
        "<tr><td>Country</td><td>Sales</td></tr>",
    ],
)
def test_an_unmarked_header_of_an_html_table_is_found(head: str) -> None:
    page, _ = parsed("x.html", f"<table>{head}{BODY}</table>".encode())
    assert heads(page) == [True, False, False]


def test_html_rows_that_are_all_bold_say_nothing_about_headers() -> None:
    page, _ = parsed(
        "x.html",
        b"<table><tr><td><b>7</b></td><td><b>1</b></td></tr><tr><td><b>8</b></td><td><b>2</b></td></tr></table>",
    )
    assert heads(page) == [False, False]


# -- XLSX --------------------------------------------------------------------------------------------------


def sheet(cells: dict[str, object]) -> bytes:
    book = openpyxl.Workbook()
    active: Any = book.active
    for address, value in cells.items():
        active[address] = value
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_tables_below_each_other_keep_titles_and_notes() -> None:
    cells = {"A1": "Sales in 2023", "A3": "Country", "B3": "EUR", "A4": "Norway", "B4": 5, "A5": "Denmark", "B5": 6}
    cells |= {"A7": "Figures of the tax office are not yet final.", "A9": "Staff", "A10": "Office", "B10": "People"}
    cells |= {"A11": "Oslo", "B11": 12, "A13": "Bergen", "B13": 3}
    page, problems = parsed("x.xlsx", sheet(cells))
    assert not problems
    assert grid(page, 0) == [["Country", "EUR"], ["Norway", "5"], ["Denmark", "6"]]
    assert grid(page, 1) == [["Office", "People"], ["Oslo", "12"], ["Bergen", "3"]]
    assert [heads(page, at) for at in (0, 1)] == [[True, False, False]] * 2
    assert page.table(0).caption == "Sales in 2023"
    assert "Staff" in page.table(1).caption
    (where,) = page.regions(ElementId(page.title, Kind.CELL, (1, 2, 1)))
    assert where == Region(1, 1, 12, 2, 13)  # B13


def test_tables_beside_each_other_are_two_and_a_spacer_column_parts_none() -> None:
    left = {"A1": "Country", "B1": "EUR", "A2": "Norway", "B2": 5, "A3": "Denmark", "B3": 6}
    right = {"D1": "Office", "E1": "People", "D2": "Oslo", "E2": 12, "D3": "Bergen", "E3": 3}
    page, _ = parsed("x.xlsx", sheet(left | right))
    assert [grid(page, at)[0] for at in (0, 1)] == [["Country", "EUR"], ["Office", "People"]]
    page, _ = parsed("x.xlsx", sheet(left | {"D1": "USD", "E1": "GBP", "D2": 1, "E2": 2, "D3": 3, "E3": 4}))
    assert grid(page)[0] == ["Country", "EUR", "", "USD", "GBP"]


# -- CSV ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"Country,EUR\rNorway,5\r", []),
        (b'Country,"EUR\rin 2023"\rNorway,5\r', []),
        (b"Country," + b"E" * 140_000 + b"\nNorway,5\n", []),
        (b"Country,EUR\nNor\x00way,5\n", ["control characters were removed"]),
    ],
)
def test_odd_delimited_files_are_read(data: bytes, told: list[str]) -> None:
    page, problems = parsed("x.csv", data)
    assert grid(page)[1] == ["Norway", "5"]
    assert heads(page) == [True, False]
    assert [problem.what for problem in problems] == told
