"""Typed tables: layouts, types, units, values."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from veritab.quantities import Date, Quantity, Range
from veritab.reason.tables import CellValue, Column, ColumnType, TypedTable
from veritab.schema import Cell, Page, Section, Table, TableBlock


def typed(rows: Sequence[Sequence[object]], header: Sequence[object] | None = None) -> TypedTable:
    return TypedTable.of(Table.of(rows, header=header, title="P"))


def marked(*rows: list[Cell | str], infobox: bool = False, caption: str = "") -> TypedTable:
    """A table on a page; a cell written "!x" is a header."""
    made = tuple(
        tuple(cell if isinstance(cell, Cell) else Cell(cell.lstrip("!"), header=cell.startswith("!")) for cell in row)
        for row in rows
    )
    page = Page("P", (Section(0, "Results", 2), TableBlock(3, made, caption, infobox=infobox)))
    return TypedTable.of(page.tables[0])


def column(*texts: str, header: str = "h") -> Column:
    """The second column of a table with as many named rows."""
    return typed([[f"Row of {'abcdefghijklmnop'[n]}", text] for n, text in enumerate(texts)], ["Name", header]).columns[
        1
    ]


def numbers(values: Sequence[CellValue | None]) -> list[object]:
    """Values in a form that is short to write down."""
    short: list[object] = []
    for value in values:
        if isinstance(value, Quantity):
            short.append((value.value, value.unit) if value.unit else value.value)
        elif isinstance(value, Date):
            short.append(tuple(part for part in (value.year, value.month, value.day) if part is not None))
        else:
            short.append(numbers([value.low, value.high]) if isinstance(value, Range) else None)
    return short


# -- layout --


def test_a_table_knows_where_it_stands_and_where_its_cells_are() -> None:
    table = marked(["!Name", "!Goals"], ["Ann", "3"], ["Bob", "5"], caption="Scorers")
    assert (table.title, table.sections, table.caption, str(table.id)) == ("P", ("Results",), "Scorers", "P_table_3")
    assert table.height == 2
    assert [str(table.cell(row, 1)) for row in range(2)] == ["P_cell_3_1_1", "P_cell_3_2_1"]
    assert [str(id) for id in table.columns[1].header_cells] == ["P_header_cell_3_0_1"]


def test_several_header_rows_become_a_path_without_repetitions() -> None:
    table = marked(
        [Cell("Name", header=True, row_span=2), Cell("Goals", header=True, column_span=2)],
        ["!League", "!goals"],
        ["Ann", "3", "4"],
    )
    assert [each.header for each in table.columns] == [("Name",), ("Goals", "League"), ("Goals",)]
    assert [each.name for each in table.columns] == ["Name", "Goals League", "Goals"]
    assert table.height == 1


def test_a_row_span_in_the_body_gives_its_value_to_every_row() -> None:
    table = marked(["!Year", "!Title"], [Cell("1999", row_span=2), "A"], ["B"])
    assert table.columns[0].texts == ("1999", "1999")
    assert table.cell(0, 0) == table.cell(1, 0)


def test_a_table_without_marked_headers_takes_a_first_row_of_words_above_numbers_for_one() -> None:
    table = typed([["City", "People"], ["Bern", "134,000"], ["Basel", "173,000"]])
    assert ([each.name for each in table.columns], table.height) == (["City", "People"], 2)


def test_a_table_without_any_header_has_numbered_columns() -> None:
    table = typed([["Bern", "134,000"], ["Basel", "173,000"]])
    assert [each.name for each in table.columns] == ["column 1", "column 2"]
    assert [each.header for each in table.columns] == [(), ()]
    assert (table.height, table.columns[1].type) == (2, ColumnType.NUMBER)


def test_a_title_over_the_whole_width_is_no_column_header() -> None:
    table = marked([Cell("Standings", header=True, column_span=2)], ["!Team", "!Points"], ["A", "3"], ["B", "4"])
    assert [each.name for each in table.columns] == ["Team", "Points"]
    assert table.caption == "Standings"


def test_separators_are_no_rows_but_name_the_group_of_the_rows_below() -> None:
    table = marked(
        ["!Team", "!Points", "!Goals"],
        [Cell("Group A", header=True, column_span=3)],
        ["Lions", "3", "1"],
        ["Bears", "4", "2"],
        ["Group B", "", ""],
        ["Wolves", "5", "3"],
    )
    assert table.columns[0].texts == ("Lions", "Bears", "Wolves")
    assert (table.columns[3].name, table.columns[3].texts) == ("group", ("Group A", "Group A", "Group B"))
    assert str(table.cell(2, 3)) == "P_cell_3_4_0"


def test_a_last_row_with_a_name_only_is_a_row() -> None:
    table = typed([["Lions", "3", "1"], ["Bears", "4", "2"], ["Wolves", "", ""]], ["Team", "Points", "Goals"])
    assert table.height == 3
    assert len(table.columns) == 3


def test_a_header_that_is_repeated_further_down_is_no_row() -> None:
    rows = [["Lions", "3"], ["Team", "Points"], ["Bears", "4"]]
    assert typed(rows, ["team", "points"]).columns[0].texts == ("Lions", "Bears")


def test_rows_of_totals_and_averages_stand_apart() -> None:
    rows = [["Lions", "3", "1"], ["Bears", "5", "2"], ["Total", "8", "3"], ["Average", "4", "1.5"]]
    table = typed(rows, ["Team", "Points", "Goals"])
    assert table.height == 2
    assert [(total.kind, total.texts) for total in table.totals] == [
        ("total", ("Total", "8", "3")),
        ("average", ("Average", "4", "1.5")),
    ]
    assert str(table.totals[0].cells[1]) == "P_cell_0_3_1"


def test_a_lift_called_total_is_a_row_like_the_others() -> None:
    rows = [
        ["Snatch", "145 kg", "Ann Lee", "Kanazawa, Japan"],
        ["Clean and jerk", "181 kg", "Bo Chen", "Athens, Greece"],
        ["Total", "326 kg", "Ann Lee", "Kanazawa, Japan"],
    ]
    table = typed(rows, ["Event", "Weight", "Athlete", "Place"])
    assert (table.height, table.totals) == (3, ())


def test_an_infobox_is_turned_so_that_its_left_side_is_the_header() -> None:
    table = marked(
        [Cell("Ann", header=True, column_span=2)],
        ["!Born", "9 May 1931"],
        [Cell("Career", header=True, column_span=2)],
        ["!Height", "1.80 m"],
        infobox=True,
    )
    assert [each.header for each in table.columns] == [("Born",), ("Career", "Height")]
    assert numbers([each.values[0] for each in table.columns]) == [(1931, 5, 9), (1.8, "m")]
    assert (table.height, table.key, table.caption) == (1, None, "Ann")
    assert str(table.cell(0, 1)) == "P_cell_3_3_1"


def test_left_headers_beside_several_values_give_as_many_rows() -> None:
    table = marked(["!Length", "3 m", "4 m"], ["!Built", "1931", "1940"], ["!Owner", "Ann", "Bob"])
    assert [each.name for each in table.columns] == ["Length", "Built", "Owner"]
    assert table.columns[0].texts == ("3 m", "4 m")


PAIRS = [["Stable release", "2.0.2"], ["Written in", "Java"], ["Founded", "1999"], ["License", "LGPL"]]


def test_an_infobox_whose_first_pair_was_taken_for_a_header_is_turned() -> None:
    table = typed(PAIRS, ["Developer(s)", "Ann Lee"])
    assert [each.name for each in table.columns][:2] == ["Developer(s)", "Stable release"]
    assert table.columns[0].texts == ("Ann Lee",)


def test_an_infobox_given_as_plain_rows_is_turned() -> None:
    assert [each.name for each in typed(PAIRS).columns] == ["Stable release", "Written in", "Founded", "License"]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (["Year", "Champion"], [["1999", "Lions"], ["2000", "Bears"], ["2001", "Lions"], ["2002", "Wolves"]]),
        (["Country", "Population"], [["France", "68 million"], ["Chad", "18 million"], ["Peru", "34 million"]]),
        (["Name", "Title"], [["Ann Lee", "Chairperson"], ["Bo Chen", "Senior Defender"], ["Cy Dow", "Secretary"]]),
        (["Type", "Count"], [["Class A", "12"], ["Class B", "15"], ["Class C", "30"]]),
    ],
)
def test_a_real_table_of_two_columns_stays_upright(header: list[str], rows: list[list[str]]) -> None:
    table = typed(rows, header)
    assert [each.name for each in table.columns] == header
    assert table.height == len(rows)


def test_row_headers_beside_numbers_of_one_kind_stay_upright() -> None:
    table = marked(["!Ann", "3"], ["!Bob", "5"], ["!Cy", "8"])
    assert (table.height, len(table.columns)) == (3, 2)


@pytest.mark.parametrize(
    ("header", "rows", "key"),
    [
        (["Rank", "Team", "City"], [["1", "Lions", "Bern"], ["2", "Bears", "Basel"], ["3", "Wolves", "Bern"]], 1),
        (["Year", "Winner"], [["1999", "Lions"], ["2000", "Lions"], ["2001", "Lions"], ["2002", "Bears"]], None),
        (["Year", "Goals"], [["1999", "3"], ["2000", "4"]], None),
        (["Event", "Result"], [["100 metres", "10.3 s"], ["Long jump", "8.06 m"], ["200 metres", "20.7 s"]], 0),
        (["Score", "Goals"], [["w 3 - 1", "3"], ["l 1 - 4", "4"], ["w 2 - 0", "2"]], None),
        (
            ["Opponent", "High points"],
            [["Lions", "Ann (30)"], ["Bears", "Bob (21)"], ["Wolves", "Ann (22)"], ["Lions", "Ann (25)"]],
            0,
        ),
    ],
)
def test_the_key_is_the_leftmost_column_that_tells_rows_apart(
    header: list[str], rows: list[list[str]], key: int | None
) -> None:
    assert typed(rows, header).key == key


# -- texts --


def test_footnote_marks_and_stray_characters_are_no_part_of_a_text() -> None:
    texts = column("12[1]", "13 [ 2 ]", "14†", "15*\r", "  16 [note 3]", "17 [a]").texts
    assert texts == ("12", "13", "14", "15", "16", "17")


@pytest.mark.parametrize("missing", ["", "n/a", "N / A", "—", "-", "–", "?", "tba", "TBD", "unknown", "[1]", "..."])
def test_what_says_that_nothing_is_known_is_missing(missing: str) -> None:
    read = column("12", missing, "14", "15")
    assert read.texts[1] == ""
    assert (read.type, read.readable) == (ColumnType.NUMBER, 1.0)
    assert numbers(read.values) == [12, None, 14, 15]


def test_none_is_a_word_and_not_a_gap() -> None:
    assert column("none", "some").texts == ("none", "some")


# -- types, units and values --


@pytest.mark.parametrize(
    ("texts", "header", "type", "values"),
    [
        (["1,234", "5", "−7"], "h", "number", [1234, 5, -7]),
        (["3", "lost", "5", "6"], "h", "number", [3, None, 5, 6]),
        (["1370 lb (635 kg)", "3200 lb (1451 kg)"], "Weight", "number", [(1370, "lb"), (3200, "lb")]),
        (["12 goals", "9 goals", "1 goal"], "h", "number", [12, 9, 1]),
        (["$3 million", "$4.5 million"], "h", "number", [(3e6, "$"), (4.5e6, "$")]),
        (["3", "5", "6", "did not play", "did not play"], "Goals", "number", [3, 5, 6, None, None]),
        (["five nations", "five nations", "five nations"], "Cup", "text", [5, 5, 5]),
        (["1st", "2nd", "3rd"], "Place", "number", [1, 2, 3]),
        (["68 + 70 = 138", "71 + 69 = 140"], "Score", "number", [138, 140]),
        (["- 5", "+ 3", "e"], "To par", "number", [-5, 3, 0]),
        (["286 400", "1 036 000", "950"], "Population", "number", [286400, 1036000, 950]),
        (["1203", "850", "1999"], "Students", "number", [1203, 850, 1999]),
        (["1203", "1850", "1999"], "Attendance", "number", [1203, 1850, 1999]),
        (["9 May 1931", "10 June 1940"], "h", "date", [(1931, 5, 9), (1940, 6, 10)]),
        (["may 1", "march 8"], "Date", "date", [(5, 1), (3, 8)]),
        (["1931", "1940", "1952"], "h", "date", [(1931,), (1940,), (1952,)]),
        (["1999 - 2000", "2000 - 01", "2005 - present"], "Season", "date", [(1999,), (2000,), (2005,)]),
        (["9 May 1931, Bern", "10 June 1940, Basel"], "Born", "date", [(1931, 5, 9), (1940, 6, 10)]),
        (["1947 - 10 - 26", "1948 / 1 / 2"], "Date", "date", [(1947, 10, 26), (1948, 1, 2)]),
        (["05 / 06 / 1975", "09 / 13 / 1975"], "Date", "date", [(1975, 5, 6), (1975, 9, 13)]),
        (["05.06.1975", "13.09.1975"], "Date", "date", [(1975, 6, 5), (1975, 9, 13)]),
        (["w 20 - 6", "l 3 - 7"], "Result", "text", [[20, 6], [3, 7]]),
        (["20 - 6", "3 - 7"], "Score", "text", [[20, 6], [3, 7]]),
        (["yes", "No", "yes"], "Won", "mark", [None, None, None]),
        (["✓", "✗", "✓"], "Won", "mark", [None, None, None]),
        (["W", "L", "L", "W", "W"], "Result", "text", [None] * 5),
        (["Bern", "Basel", "Zurich"], "City", "entity", [None] * 3),
        (["robinson r - 22", "bell 206b3 jetranger"], "Aircraft", "entity", [22, None]),
        (["Ann (30)", "Bob (21)", "Cy (9)"], "High points", "entity", [30, 21, 9]),
        (["district 2", "district 3", "district 4"], "h", "entity", [2, 3, 4]),
        (["", "", ""], "h", "text", [None] * 3),
    ],
)
def test_a_column_is_what_most_of_its_cells_are(texts: list[str], header: str, type: str, values: list[object]) -> None:
    read = column(*texts, header=header)
    assert (read.type, numbers(read.values)) == (type, values)


@pytest.mark.parametrize(
    ("header", "cell", "unit", "value"),
    [
        ("Area (km²)", "12", "km²", 12),
        ("Area (km square)", "12", "km²", 12),
        ("Area (thousand km²)", "12", "km²", 12e3),
        ("Half-life (billion years)", "4.5", "year", 4.5e9),
        ("Length in metres", "12", "m", 12),
        ("Height (m / ft)", "12", "m", 12),
        ("Share %", "12", "%", 12),
        ("Gross (US$ millions)", "12.5", "$", 12.5e6),
        ("Attendance in thousands", "12", "", 12e3),
        ("Viewers (millions)", "1.2 million", "", 1.2e6),
        ("Viewers (m)", "1.2", "", 1.2e6),
        ("Winning time (s)", "12.5", "s", 12.5),
        ("Driver (s)", "2", "", 2),
        ("Wind (m / s)", "2", "m/s", 2),
        ("Loading (lb / h)", "2", "", 2),
        ("Acceleration (km)", "9 seconds", "s", 9),
        ("Population (1980)", "12", "", 12),
    ],
)
def test_the_header_gives_the_unit_and_the_scale_that_the_cells_leave_out(
    header: str, cell: str, unit: str, value: float
) -> None:
    read = column(cell, cell, cell, header=header)
    assert read.unit == unit
    assert read.values[0] is not None
    assert numbers(read.values[:1]) == [(value, unit) if unit else value]


def test_a_lower_header_that_is_a_unit_is_the_unit() -> None:
    table = marked(
        [Cell("Mountain", header=True, row_span=2), Cell("Height", header=True, column_span=2)],
        ["!m", "!ft"],
        ["Everest", "8,849", "29,032"],
        ["K2", "8,611", "28,251"],
    )
    assert [each.unit for each in table.columns] == ["", "m", "ft"]


def test_a_cell_keeps_a_unit_of_its_own() -> None:
    assert numbers(column("12 km", "13 km", "900 m", "14").values) == [(12, "km"), (13, "km"), (900, "m"), (14, "km")]


# -- what should never come, and does --


def test_one_column_and_one_cell_are_tables_too() -> None:
    assert typed([["a"], ["b"]]).columns[0].texts == ("a", "b")
    assert typed([["12"]]).columns[0].values == (Quantity(12.0, "", (0, 2)),)


@pytest.mark.parametrize("rows", [[], [[]], [[], []], [["", ""], ["", ""]]])
def test_a_table_of_nothing_has_no_rows(rows: list[list[str]]) -> None:
    table = typed(rows)
    assert (table.height, table.key, table.totals) == (0, None, ())
    assert all(each.values == () for each in table.columns)


def test_a_header_without_rows_still_names_its_columns() -> None:
    table = typed([], ["Name", "Goals"])
    assert ([each.name for each in table.columns], table.height) == (["Name", "Goals"], 0)


def test_a_table_of_header_cells_only_has_rows() -> None:
    table = marked(["!Name", "!Goals"], ["!Ann", "!3"], ["!Bob", "!5"])
    assert (table.height, table.columns[1].texts) == (2, ("3", "5"))


def test_ragged_rows_keep_every_cell() -> None:
    table = typed([["Ann", "3"], ["Bob"], ["Cy", "5", "6", "7"]], ["Name", "Goals"])
    assert [each.texts for each in table.columns] == [
        ("Ann", "Bob", "Cy"),
        ("3", "", "5"),
        ("", "", "6"),
        ("", "", "7"),
    ]
    assert table.cell(1, 1) is None


def test_a_column_of_mixed_things_is_text_and_keeps_what_can_be_read() -> None:
    read = column("12", "Ann", "9 May 1931", "20 - 6", "yes", "some longer words about nothing", "no", "no")
    assert read.type is ColumnType.TEXT
    assert numbers(read.values)[:4] == [12, None, (1931, 5, 9), [20, 6]]


def test_formulas_are_text() -> None:
    read = column("=SUM(A1:A3)", "=A1+12", "=3*4")
    assert read.type not in (ColumnType.NUMBER, ColumnType.DATE)
    assert read.values == (None, None, None)


def test_no_value_is_infinite() -> None:
    values = column("1e400", "1e400", "1e99999", "9" * 400, "3", header="Number").values
    assert numbers(values) == [None, None, None, None, 3]


def test_digits_of_other_scripts_are_not_read() -> None:
    assert column("٣", "٤", "٥").values == (None, None, None)


@pytest.mark.parametrize("impossible", ["31 February 1999", "31 / 02 / 1999", "1999-02-31", "30.02.2000"])
def test_a_day_that_does_not_exist_is_no_day(impossible: str) -> None:
    value = column("1 March 1999", "2 March 1999", "3 March 1999", impossible, header="Date").values[-1]
    assert isinstance(value, Date)
    assert value.day is None


def test_a_huge_cell_is_read_at_its_beginning_only() -> None:
    huge = "12 km " + "x 1 " * 30_000
    read = column(huge, huge, "13 km", "14 km", "15 km", "16 km", "17 km", "18 km")
    values = read.values
    assert numbers(values[2:]) == [(n, "km") for n in range(13, 19)]
    assert len(read.texts[0]) > 100_000


def test_a_million_cells_are_read_only_where_asked() -> None:
    table = Table.of([["Ann", *["12"] * 999]] * 1000)
    view = TypedTable.of(table)
    assert (view.height, len(view.columns)) == (1000, 1000)
    assert numbers(view.columns[999].values[-1:]) == [12]
    assert "texts" not in vars(view.columns[500])


def test_a_million_columns_are_cut_and_a_million_rows_are_not() -> None:
    assert len(typed([["12"] * 100_000]).columns) == 1000
    assert typed([["12"]] * 100_000).height == 100_000


def test_ten_thousand_rows_are_read() -> None:
    table = Table.of(
        [[f"Name {n}", str(n * 7), f"{n} km", "9 May 1931"] * 2 for n in range(10_000)], header=[*"abcdefgh"]
    )
    values = TypedTable.of(table).columns[1].values
    assert numbers(values[:2] + values[-1:]) == [0, 7, 69_993]


CELLS = st.one_of(
    st.sampled_from(
        ["", "12", "1999", "-", "Total", "w 20 - 6", "9 May 1931", "Group A", "yes", "12 km", "Ann", "[1]"]
    ),
    st.text(max_size=8),
)


@given(st.lists(st.lists(CELLS, max_size=5), max_size=8), st.none() | st.lists(CELLS, max_size=5))
def test_any_table_can_be_typed_and_its_parts_fit_together(rows: list[list[str]], header: list[str] | None) -> None:
    given_table = Table.of(rows, header=header, title="P")
    table = TypedTable.of(given_table)
    assert [each.number for each in table.columns] == list(range(len(table.columns)))
    assert table.key is None or 0 <= table.key < len(table.columns)
    for each in table.columns:
        assert len(each.texts) == len(each.values) == table.height
        assert 0 <= each.readable <= 1
        for row, text in enumerate(each.texts):
            id = table.cell(row, each.number)
            assert not text or (id is not None and given_table.element(id).text)
        if each.type is ColumnType.NUMBER:
            assert all(value is None or isinstance(value, Quantity) for value in each.values)
        if each.type is ColumnType.DATE:
            assert all(value is None or isinstance(value, Date) for value in each.values)
    for total in table.totals:
        assert len(total.texts) == len(total.cells) == len(table.columns)


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (["Team", "Points"], [["Ohio State", "66"], ["Purdue", "10"]]),
        (["Site", "State"], [["Area 51", "Nevada"], ["Route 51", "Utah"], ["Big Lake", "Ohio"]]),
        (["City", "Population"], [["Oslo", "709,000"], ["Bergen", "289,000"]]),
    ],
)
def test_names_that_sound_like_properties_do_not_turn_a_table_with_a_header(
    header: list[str], rows: list[list[str]]
) -> None:
    table = typed(rows, header)
    assert [column.name for column in table.columns] == header
    assert table.height == len(rows)
