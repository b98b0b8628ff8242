"""What a draft keeps of where things stand in their original."""

from veritab.corpus.draft import Draft
from veritab.schema import Cell, ElementId, Item, Kind, Origin, Region, Regions, column_letters


def _at(page: int, *box: float) -> Regions:
    return (Region(page, *box),)


def test_each_sentence_of_a_paragraph_is_located_by_its_own_characters() -> None:
    draft = Draft("Report")
    asked: list[str] = []
    text = "Sales rose. Costs fell."

    def locate(start: int, end: int) -> Regions:
        asked.append(text[start:end])
        return _at(1, start, 0, end, 10)

    draft.paragraph(text, locate=locate)
    page = draft.page()
    assert asked == ["Sales rose.", "Costs fell."]
    assert page.regions(ElementId("Report", Kind.SENTENCE, (1,))) == _at(1, 12, 0, 23, 10)


def test_headings_items_captions_and_cells_are_located() -> None:
    draft = Draft("Report")
    draft.section("Results", 1, regions=_at(1, 0, 0, 50, 12))
    draft.list([Item("one"), Item(""), Item("three")], regions=[_at(1, 0, 20, 9, 30), (), _at(2, 0, 0, 9, 10)])
    draft.table(
        [[Cell("a", header=True), Cell("b", header=True)], [Cell("1"), Cell("2")]],
        "Table 1",
        regions={(0, 0): _at(2, 0, 30, 10, 40), (1, 1): _at(3, 10, 40, 20, 50), (1, 0): _at(3, 0, 40, 10, 50)},
        caption_regions=_at(2, 0, 20, 40, 28),
    )
    page = draft.page()
    found = {str(element.id): page.regions(element.id) for element in page.elements}
    assert found["Report_section_0"] == _at(1, 0, 0, 50, 12)
    assert found["Report_item_0_1"] == _at(2, 0, 0, 9, 10)
    assert found["Report_table_caption_0"] == _at(2, 0, 20, 40, 28)
    assert found["Report_header_cell_0_0_0"] == _at(2, 0, 30, 10, 40)
    assert found["Report_cell_0_1_1"] == _at(3, 10, 40, 20, 50)
    assert found["Report_header_cell_0_0_1"] == found["Report_title"] == ()


def test_a_table_and_a_list_stand_where_their_parts_stand_on_each_page() -> None:
    draft = Draft("Report")
    draft.list([Item("one"), Item("two")], regions=[_at(1, 5, 20, 9, 30), _at(1, 0, 30, 7, 40)])
    rows = [[Cell("a"), Cell("b")], [Cell("1"), Cell("2")]]
    draft.table(rows, regions={(0, 0): _at(2, 0, 0, 1, 1), (0, 1): _at(2, 1, 0, 2, 1), (1, 0): _at(3, 0, 0, 1, 1)})
    page = draft.page()
    assert page.regions(ElementId("Report", Kind.LIST, (0,))) == _at(1, 0, 20, 9, 40)
    assert page.regions(ElementId("Report", Kind.TABLE, (0,))) == (Region(2, 0, 0, 2, 1), Region(3, 0, 0, 1, 1))
    assert page.regions(ElementId("Other", Kind.TABLE, (0,))) == ()


def test_rolling_back_forgets_where_things_stood() -> None:
    draft = Draft("Report")
    draft.section("Kept", 1, regions=_at(1, 0, 0, 5, 5))
    mark = draft.mark()
    draft.section("Dropped", 1, regions=_at(1, 0, 5, 5, 10))
    draft.roll_back(mark)
    assert draft.page().located == {(Kind.SECTION, (0,)): _at(1, 0, 0, 5, 5)}


def test_a_page_is_equal_to_itself_without_regions() -> None:
    plain, located = Draft("Report"), Draft("Report")
    plain.section("Results", 1)
    located.section("Results", 1, regions=_at(1, 0, 0, 50, 12))
    assert plain.page() == located.page()
    assert hash(plain.page()) == hash(located.page())


def test_an_origin_tells_a_person_where_to_look() -> None:
    assert str(Origin("reports/harvest.pdf", (Region(12, 72, 80, 200, 92), Region(13, 72, 72, 90, 84)))) == (
        "reports/harvest.pdf, page 12"
    )
    assert str(Origin("peaks.xlsx", _at(2, 2, 102, 3, 103))) == "peaks.xlsx, sheet 2, C103"
    assert str(Origin("peaks.csv.gz", _at(1, 0, 1, 2, 4))) == "peaks.csv.gz, sheet 1, A2:B4"
    assert str(Origin("notes.md")) == "notes.md"


def test_columns_are_called_by_letters() -> None:
    assert [column_letters(number) for number in (1, 26, 27, 702, 703)] == ["A", "Z", "AA", "ZZ", "AAA"]
