"""CSV, TSV and XLSX files become tables."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import openpyxl
import pytest

from veritab.corpus.documents import DocumentReader, spreadsheets
from veritab.corpus.streams import RawRecord
from veritab.errors import MissingExtra
from veritab.schema import Cell, Kind, Page, Problem, Redirect, Section, Sentence

BOMB = "expands beyond what a spreadsheet needs"
TOO_MANY = "more cells than can be kept; the rows after them were left out"


def parsed(name: str, data: bytes | str) -> list[Page | Redirect | Problem]:
    return list(DocumentReader().parse(RawRecord(name, data.encode() if isinstance(data, str) else data)))


def page_of(name: str, data: bytes | str) -> Page:
    (page,) = parsed(name, data)
    assert isinstance(page, Page), page
    return page


def grid(page: Page, number: int = 0) -> list[list[str]]:
    return [[cell.text for cell in row] for row in page.table(number).rows]


def headers(page: Page, number: int = 0) -> list[bool]:
    return [any(cell.header for cell in row) for row in page.table(number).rows]


# -- CSV and TSV -------------------------------------------------------------------------------------------


def test_a_csv_file_is_one_table_without_caption() -> None:
    page = page_of("x.csv", 'Country,Sales\nNorway,"1,200"\n"Sweden\r\nand ""more""",25\n')
    assert grid(page) == [["Country", "Sales"], ["Norway", "1,200"], ['Sweden\nand "more"', "25"]]
    assert headers(page) == [True, False, False]
    assert len(page.blocks) == 1
    assert page.table(0).caption == ""
    assert str(page.table(0).grid[2][1]) == "x_cell_0_2_1"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    rows = [["Country", "Sales"], ["Norway", "12"], ["Sweden", "25"]]
    assert grid(page_of("x.csv", "\n".join(delimiter.join(row) for row in rows))) == rows


def test_decimal_commas_are_no_delimiters() -> None:
    assert grid(page_of("x.csv", "a;b\n1,5;2,5\n3,5;4,5\n")) == [["a", "b"], ["1,5", "2,5"], ["3,5", "4,5"]]
    assert grid(page_of("x.csv", "1,5;2,5\n3,5;4,5\n")) == [["1,5", "2,5"], ["3,5", "4,5"]]


def test_commas_in_the_text_of_some_rows_do_not_matter() -> None:
    text = "name|note\na|one, two, three\nb|four\nc|five, six\n"
    assert grid(page_of("x.csv", text))[1] == ["a", "one, two, three"]


def test_a_ragged_table_keeps_every_cell() -> None:
    page = page_of("x.csv", "a,b,c\n1\n\n,,\n1,2,3,4,5\n")
    assert grid(page) == [["a", "b", "c"], ["1"], ["1", "2", "3", "4", "5"]]


def test_a_file_may_name_its_delimiter() -> None:
    assert grid(page_of("x.csv", "sep=!\r\na!b,c\r\n1!2\r\n")) == [["a", "b,c"], ["1", "2"]]


def test_tabs_cut_a_tsv_file_whatever_else_it_holds() -> None:
    assert grid(page_of("x.tsv", "a, b\tc\n1, 2\t3\n4\n")) == [["a, b", "c"], ["1, 2", "3"], ["4"]]


def test_a_file_of_one_column_is_a_table_of_one_column() -> None:
    assert grid(page_of("x.csv", "Country\nNorway\nSweden\n")) == [["Country"], ["Norway"], ["Sweden"]]


def test_a_quotation_mark_that_is_never_closed_swallows_nothing() -> None:
    problem, page = parsed("x.csv", 'a,b\n1,"2\n3,4\n')
    assert problem == Problem("x", "table_0", "a quotation mark is never closed; quotation marks were read as text")
    assert isinstance(page, Page)
    assert grid(page) == [["a", "b"], ["1", '"2'], ["3", "4"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Country,Sales\nNorway,12", [True, False]),
        ("Country,Capital\nNorway,Oslo", [True, False]),
        ("Country,2019,2020\nNorway,10,12", [True, False]),
        (",2019,2020\nNorway,10,12", [True, False]),
        ("Norway,12\nSweden,25", [False, False]),
        ("2019,2020\n2021,2022", [False, False]),
        ("2019-01-31,x\n2019-02-28,y", [False, False]),
        ("a,a\n1,2", [False, False]),
        ("a,,c\n1,2,3", [False, False]),
        ("$5,a\n$6,b", [False, False]),
        ("only,one row", [False]),
        ("Sales by country\n\nCountry,Sales\nNorway,12", [False, True, False]),
    ],
)
def test_the_first_row_holds_headers_when_it_looks_like_it(text: str, expected: list[bool]) -> None:
    assert headers(page_of("x.csv", text)) == expected


def test_cells_know_their_column_header() -> None:
    page = page_of("x.csv", "Country,Sales\nNorway,12")
    (cell,) = (element for element in page.elements if element.text == "12")
    assert [context.text for context in cell.context] == ["x", "Sales"]


def test_windows_spreadsheets_are_read_with_a_problem() -> None:
    problem, page = parsed("x.csv", "Name;Preis\nZoë;5 €\n".encode("cp1252"))
    assert problem == Problem("x", "x.csv", "bytes that are not UTF-8 were read as Windows-1252")
    assert isinstance(page, Page)
    assert grid(page)[1] == ["Zoë", "5 €"]


def test_a_cell_larger_than_the_limit_of_the_csv_module_is_kept() -> None:
    page = page_of("x.csv", f"a,b\n{'x' * 300_000},2\n")
    assert [len(text) for text in grid(page)[1]] == [300_000, 1]


def test_ten_thousand_columns_are_kept() -> None:
    line = ",".join(map(str, range(10_000)))
    page = page_of("x.csv", f"{line}\n{line}\n")
    assert page.table(0).width == 10_000


def test_more_cells_than_can_be_kept_are_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "MOST_CELLS", 5)
    problem, page = parsed("x.csv", "a,b\n1,2\n3,4\n")
    assert problem == Problem("x", "table_0", TOO_MANY)
    assert isinstance(page, Page)
    assert grid(page) == [["a", "b"], ["1", "2"]]


def test_marks_inside_a_cell_are_dropped_and_told_of() -> None:
    problem, page = parsed("x.csv", "a,b\nx\x01y\x02z\x03,2\n")
    assert isinstance(problem, Problem)
    assert isinstance(page, Page)
    assert grid(page)[1] == ["xyz", "2"]


# -- XLSX --------------------------------------------------------------------------------------------------


def workbook(fill: Callable[[Any], None]) -> bytes:
    book = openpyxl.Workbook()
    fill(book)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def sheet_of(*rows: Sequence[object], merged: tuple[str, ...] = ()) -> bytes:
    def fill(book: Any) -> None:
        for row in rows:
            book.active.append(row)
        for cells in merged:
            book.active.merge_cells(cells)

    return workbook(fill)


def repacked(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return stream.getvalue()


def test_each_sheet_is_a_section_and_a_table() -> None:
    def fill(book: Any) -> None:
        book.active.title = "Sales"
        book.active.append(["Country", "2023"])
        book.active.append(["Norway", 12])
        book.create_sheet("Empty")
        book.create_sheet("Costs").append(["Rent", 5.5])

    page = page_of("x.xlsx", workbook(fill))
    assert [block.text for block in page.blocks if isinstance(block, Section)] == ["Sales", "Costs"]
    assert [block.level for block in page.blocks if isinstance(block, Section)] == [2, 2]
    assert grid(page) == [["Country", "2023"], ["Norway", "12"]]
    assert headers(page) == [True, False]
    assert grid(page, 1) == [["Rent", "5.5"]]


def test_a_sheet_of_notes_is_read_as_text() -> None:
    def fill(book: Any) -> None:
        book.active.title = "Notes"
        book.active.append(["Notes on the harvest"])
        book.active.append(["The trees were sprayed four times. No tree was lost."])
        book.active.append(["A hailstorm on 14 June damaged the fruit."])
        book.create_sheet("Names").append(["Pippin"])

    page = page_of("x.xlsx", workbook(fill))
    assert [block.text for block in page.blocks if isinstance(block, Sentence)] == [
        "Notes on the harvest",
        "The trees were sprayed four times.",
        "No tree was lost.",
        "A hailstorm on 14 June damaged the fruit.",
    ]
    assert grid(page) == [["Pippin"]]


def test_values_are_written_as_people_write_them() -> None:
    values: dict[object, str] = {
        12.0: "12",
        -3: "-3",
        0.1 + 0.2: "0.3",
        1e-5: "0.00001",
        1.5e18: "1500000000000000000",
        1e300: "1e+300",
        True: "TRUE",
        date(2023, 1, 31): "2023-01-31",
        datetime(2023, 1, 31, 14, 30): "2023-01-31 14:30:00",
        time(14, 30): "14:30:00",
        timedelta(hours=30): "1 day, 6:00:00",
        "#DIV/0!": "#DIV/0!",
        "two\nlines _x000D_here": "two\nlines\nhere",
        " a\x0b  b ": "a b",
    }
    data = sheet_of(*([key if key != " a\x0b  b " else " a   b "] for key in values))
    assert [row[0] for row in grid(page_of("x.xlsx", data))] == list(values.values())


def test_number_formats_show_percentages_and_leading_zeros() -> None:
    formats = [(0.125, "0%", "13%"), (0.1235, "0.0%", "12.4%"), (-0.5, '0.00%;[Red]"x%"', "-50.00%")]
    formats += [(123, "00000", "00123"), (5, '0"%"', "5"), (1e20, "0%", "100000000000000000000")]

    def fill(book: Any) -> None:
        for row, (value, number_format, _) in enumerate(formats, 1):
            book.active.cell(row, 1, value).number_format = number_format

    assert [row[0] for row in grid(page_of("x.xlsx", workbook(fill)))] == [shown for _, _, shown in formats]


def test_empty_edges_are_trimmed_and_blank_rows_left_out() -> None:
    rows: list[list[object]] = [[], [None, None, "a", None, "b"], [], [None, None, None, None, 1], [None, None, 2]]
    assert grid(page_of("x.xlsx", sheet_of(*rows))) == [["a", "", "b"], ["", "", "1"], ["2"]]


def test_merged_cells_become_spans() -> None:
    rows: list[list[object]] = [
        ["Country", "Sales", None],
        [None, "2022", "2023"],
        [],
        ["Norway", 10, 12],
        ["Total", None, 37],
    ]
    page = page_of("x.xlsx", sheet_of(*rows, merged=("A1:A3", "B1:C1", "A5:B5")))
    assert page.table(0).rows == (
        (Cell("Country", header=True, row_span=2), Cell("Sales", header=True, column_span=2)),
        (Cell("2022", header=True), Cell("2023", header=True)),
        (Cell("Norway"), Cell("10"), Cell("12")),
        (Cell("Total", column_span=2), Cell("37")),
    )
    table = page.table(0)
    assert [context.text for context in table.column_headers(table.grid[2][2])] == ["2023", "Sales"]  # type: ignore[arg-type]


def test_a_title_above_a_header_is_the_caption() -> None:
    rows: list[list[object]] = [["Sales by country", None], ["Country", "Sales"], ["Norway", 12]]
    page = page_of("x.xlsx", sheet_of(*rows, merged=("A1:B1",)))
    assert page.table(0).caption == "Sales by country"
    assert grid(page) == [["Country", "Sales"], ["Norway", "12"]]
    assert headers(page) == [True, False]


def test_notes_above_a_table_are_sentences_and_its_scale_is_the_caption() -> None:
    rows: list[list[object]] = [
        ["Budget of Talvora", None],
        ["All amounts are in millions of crowns.", None],
        ["It was passed on 3 December by 31 votes to 18.", None],
        ["Source", "Amount"],
        ["Sales tax", 1131],
    ]
    page = page_of("x.xlsx", sheet_of(*rows))
    assert page.table(0).caption == "Budget of Talvora. All amounts are in millions of crowns."
    sentences = [element.text for element in page.elements if element.kind is Kind.SENTENCE]
    assert sentences == ["It was passed on 3 December by 31 votes to 18."]


def test_an_empty_merged_cell_keeps_the_cells_beside_it_in_place() -> None:
    page = page_of("x.xlsx", sheet_of(["a"], ["b", None, 1], ["c", None, 2], merged=("B1:B3",)))
    assert [[page.table(0).text(row, column) for column in range(3)] for row in range(3)] == [
        ["a", "", ""],
        ["b", "", "1"],
        ["c", "", "2"],
    ]


def test_overlapping_and_endless_merged_ranges_do_no_harm() -> None:
    def change(name: str, part: bytes) -> bytes:
        ranges = b'<mergeCell ref="A1:B2"/><mergeCell ref="B1:B3"/><mergeCell ref="A3:XFD1048576"/>'
        return part.replace(b"</sheetData>", b"</sheetData><mergeCells>" + ranges + b"</mergeCells>")

    page = page_of("x.xlsx", repacked(sheet_of(["a", "b"], ["c", "d"], ["e", "f"]), change))
    assert page.table(0).rows == ((Cell("a", row_span=2, column_span=2),), (), (Cell("e", column_span=2),))


def test_hidden_sheets_are_left_out_with_a_problem() -> None:
    def fill(book: Any) -> None:
        book.active.append(["a", 1])
        for state in ("hidden", "veryHidden"):
            sheet = book.create_sheet(state)
            sheet.append(["secret"])
            sheet.sheet_state = state

    *problems, page = parsed("x.xlsx", workbook(fill))
    assert problems == [Problem("x", name, "a hidden sheet was left out") for name in ("hidden", "veryHidden")]
    assert isinstance(page, Page)
    assert len(page.tables) == 1


def test_formulas_that_were_never_computed_are_told_of() -> None:
    problem, page = parsed("x.xlsx", sheet_of(["a", "b"], [1, "=A2*2"]))
    assert problem == Problem("x", "Sheet", "formulas without a stored value became empty cells")
    assert isinstance(page, Page)
    assert grid(page) == [["a", "b"], ["1"]]


def test_a_sheet_that_claims_a_million_rows_costs_nothing() -> None:
    def change(name: str, part: bytes) -> bytes:
        return part.replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"')

    assert grid(page_of("x.xlsx", repacked(sheet_of(["a", "b"], [1, 2]), change))) == [["a", "b"], ["1", "2"]]


def test_far_apart_cells_are_kept_until_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(book: Any) -> None:
        for row in range(1, 30):
            book.active.cell(row, 1, row)
            book.active.cell(row, 1000, row)

    monkeypatch.setattr(spreadsheets, "MOST_CELLS", 10_000)
    problem, page = parsed("x.xlsx", workbook(fill))
    assert problem == Problem("x", "Sheet", TOO_MANY)
    assert isinstance(page, Page)
    assert len(page.table(0).rows) == 10


def test_squares_are_counted_over_all_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(book: Any) -> None:
        for sheet in (book.active, book.create_sheet("Second"), book.create_sheet("Third")):
            sheet.append(["a", "b"])
            sheet.cell(1, 50, "far")

    monkeypatch.setattr(spreadsheets, "_MOST_SQUARES", 120)
    problem, page = parsed("x.xlsx", workbook(fill))
    assert problem == Problem("x", "Third", TOO_MANY)
    assert isinstance(page, Page)
    assert [block.text for block in page.blocks if isinstance(block, Section)] == ["Sheet", "Second"]


def test_a_reason_that_repeats_a_whole_value_is_cut_short() -> None:
    def change(name: str, part: bytes) -> bytes:
        return part.replace(b"<v>2</v>", b"<v>" + b"x" * 10_000 + b".5</v>")

    problem = parsed("x.xlsx", repacked(sheet_of([1, 2]), change))[0]
    assert isinstance(problem, Problem)
    assert problem.what == "a sheet could not be read to its end"
    assert len(problem.what) < 200


def test_a_sheet_that_breaks_off_keeps_its_first_rows() -> None:
    def change(name: str, part: bytes) -> bytes:
        return part[: part.index(b'<row r="3"')] + b"<row" if "sheet1" in name else part

    problem, page = parsed("x.xlsx", repacked(sheet_of(["a", "b"], [1, 2], [3, 4]), change))
    assert isinstance(problem, Problem)
    assert problem.what == "a sheet could not be read to its end"
    assert isinstance(page, Page)
    assert grid(page) == [["a", "b"], ["1", "2"]]


def test_a_workbook_without_anything_in_it_is_lost() -> None:
    assert parsed("x.xlsx", sheet_of()) == [Problem("x", "x.xlsx", "nothing to read in it", lost=True)]


@pytest.mark.parametrize("data", [b"", b"Country,Sales\n", b"\x00" * 100])
def test_what_is_no_zip_is_no_xlsx(data: bytes) -> None:
    assert parsed("x.xlsx", data) == [Problem("x", "x.xlsx", "not an XLSX file, though its name says so", lost=True)]


def packed(**members: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr("[Content_Types].xml" if name == "types" else name, data)
    return stream.getvalue()


def test_a_plain_zip_is_no_xlsx() -> None:
    types = b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
    for data in (packed(note=b"hello"), packed(types=types)):
        expected = Problem("x", "x.xlsx", "not an XLSX file, though its name says so", lost=True)
        assert parsed("x.xlsx", data) == [expected]


def test_an_encrypted_or_old_workbook_is_lost_with_a_reason() -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 100
    expected = Problem("x", "x.xlsx", "encrypted, or in the old binary format", lost=True)
    assert parsed("x.xlsx", data) == [expected]


def test_a_cut_or_damaged_workbook_is_lost_with_a_reason() -> None:
    data = sheet_of(["a", "b"], [1, 2])
    flipped = bytearray(data)
    flipped[data.index(b"xl/workbook.xml") + 40] ^= 0xFF
    for broken in (data[: len(data) // 2], bytes(flipped)):
        (problem,) = parsed("x.xlsx", broken)
        assert isinstance(problem, Problem)
        assert problem.what == "a cut or damaged file"
        assert problem.lost


def test_a_zip_bomb_is_refused_by_its_ratio() -> None:
    data = packed(types=b"<Types/>", bomb=b"\x00" * (3 * 2**20))
    assert parsed("x.xlsx", data) == [Problem("x", "x.xlsx", BOMB, lost=True)]


def test_a_zip_bomb_is_refused_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "_LARGEST_EXPANDED", 1000)
    assert parsed("x.xlsx", packed(types=b"<Types/>", big=b"ab" * 1000)) == [Problem("x", "x.xlsx", BOMB, lost=True)]


def test_a_package_of_nothing_but_tags_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "_MOST_TAGS", 1000)
    assert parsed("x.xlsx", packed(types=b"<c/>" * 2000)) == [Problem("x", "x.xlsx", BOMB, lost=True)]


def test_members_that_lie_about_their_size_are_not_believed() -> None:
    data = bytearray(packed(types=b"<Types/>", big=b"ab" * 10_000))
    directory = data.rindex(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = (10).to_bytes(4, "little")
    (problem,) = parsed("x.xlsx", bytes(data))
    assert isinstance(problem, Problem)
    assert problem.what == "a cut or damaged file"


def test_sheets_that_all_share_one_large_part_are_refused() -> None:
    def change(name: str, part: bytes) -> bytes:
        if name == "xl/workbook.xml":
            sheet = part[part.index(b"<sheet ") : part.index(b"</sheets>")]
            sheets = [sheet.replace(b'"Sheet"', b'"S%d"' % n) for n in range(500)]
            return part.replace(sheet, b"".join(sheets))
        return part.replace(b"<dimension", b"<nothing")

    rows = [[f"{row * column * 7919 % 104729:x}" for column in range(1, 40)] for row in range(1, 1500)]
    (problem,) = [one for one in parsed("x.xlsx", repacked(sheet_of(*rows), change)) if isinstance(one, Problem)]
    assert problem == Problem("x", "x.xlsx", BOMB, lost=True)


def test_the_extra_is_named_when_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtra, match=r"reading XLSX files .* 'veritab\[documents\]'"):
        parsed("x.xlsx", b"")
