"""DOCX and PDF files become pages."""

from __future__ import annotations

import io
import sys
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import docx
import pytest
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from reportlab.lib import colors  # type: ignore[import-untyped]
from reportlab.lib.pdfencrypt import StandardEncryption  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]
from reportlab.platypus import Table  # type: ignore[import-untyped]

from veritab.corpus.documents import DocumentReader, spreadsheets
from veritab.corpus.documents import pdf as pdf_reader
from veritab.corpus.streams import RawRecord
from veritab.errors import MissingExtra
from veritab.schema import Cell, Item, Link, ListBlock, Page, Problem, Redirect, Section, Sentence

BOMB = "expands beyond what a document needs"


def parsed(name: str, data: bytes, title: str = "") -> list[Page | Redirect | Problem]:
    return list(DocumentReader().parse(RawRecord(name, data, title)))


def page_of(name: str, data: bytes, title: str = "") -> Page:
    (page,) = parsed(name, data, title)
    assert isinstance(page, Page), page
    return page


def grid(page: Page, number: int = 0) -> list[list[str]]:
    return [[cell.text for cell in row] for row in page.table(number).rows]


def sentences(page: Page) -> list[str]:
    return [block.text for block in page.blocks if isinstance(block, Sentence)]


# -- DOCX --------------------------------------------------------------------------------------------------


def word(fill: Callable[[Any], None]) -> bytes:
    document = docx.Document()
    fill(document)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def test_styles_become_sections_sentences_and_lists() -> None:
    def fill(document: Any) -> None:
        document.add_heading("Annual report", 0)
        document.add_heading("Sales", 1)
        paragraph = document.add_paragraph("Sales ")
        paragraph.add_run("rose").bold = True
        paragraph.add_run(". Costs\tfell.")
        document.add_paragraph("")
        document.add_paragraph("growth", style="List Bullet")
        document.add_paragraph("steady", style="List Bullet 2")
        document.add_paragraph("one", style="List Number")
        document.add_heading("Details", 9)

    assert page_of("x.docx", word(fill)).blocks == (
        Section(0, "Annual report", 1),
        Section(1, "Sales", 1),
        Sentence(0, "Sales rose."),
        Sentence(1, "Costs fell.", offset=12),
        ListBlock(0, (Item("growth"), Item("steady", level=1))),
        ListBlock(1, (Item("one", ordered=True),)),
        Section(2, "Details", 9),
    )


def test_the_depth_of_a_list_is_its_numbering_level() -> None:
    def fill(document: Any) -> None:
        for depth in range(50):
            paragraph = document.add_paragraph(f"level {depth}")
            numbering = f"<w:numPr {nsdecls('w')}><w:ilvl w:val='{depth}'/><w:numId w:val='1'/></w:numPr>"
            paragraph._p.get_or_add_pPr().append(parse_xml(numbering))

    (block,) = page_of("x.docx", word(fill)).blocks
    assert isinstance(block, ListBlock)
    assert [(item.text, item.level) for item in block.items] == [(f"level {depth}", depth) for depth in range(50)]


def test_a_style_based_on_a_heading_is_a_heading() -> None:
    def fill(document: Any) -> None:
        style = document.styles.add_style("House style", 1)
        style.base_style = document.styles["Heading 3"]
        document.add_paragraph("Costs", style=style)

    assert page_of("x.docx", word(fill)).blocks == (Section(0, "Costs", 3),)


def test_styles_that_are_based_on_each_other_end() -> None:
    def fill(document: Any) -> None:
        one, two = document.styles.add_style("One", 1), document.styles.add_style("Two", 1)
        one.base_style, two.base_style = two, one
        document.add_paragraph("Sales rose.", style=one)

    assert sentences(page_of("x.docx", word(fill))) == ["Sales rose."]


def add_link(paragraph: Any, address: str, text: str) -> None:
    relation = paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), relation)
    run = OxmlElement("w:r")
    run.text = text
    link.append(run)
    paragraph._p.append(link)


def test_hyperlinks_to_documents_are_links() -> None:
    def fill(document: Any) -> None:
        paragraph = document.add_paragraph("See ")
        add_link(paragraph, "../plans/b%20c.docx#x", "the plan")
        paragraph.add_run(" and ")
        add_link(paragraph, "https://example.org", "the web")

    page = page_of("x.docx", word(fill), "reports/x")
    assert page.blocks == (Sentence(0, "See the plan and the web", (Link(4, 12, "plans/b c"),)),)


def test_tables_keep_merged_cells_and_lines() -> None:
    def fill(document: Any) -> None:
        table = document.add_table(4, 3)
        for row, texts in enumerate((("Country", "Sales", ""), ("", "2022", "2023"), ("Norway", "10", "12\nest."))):
            for column, text in enumerate(texts):
                table.cell(row, column).text = text
        table.cell(0, 0).merge(table.cell(1, 0))
        table.cell(0, 1).merge(table.cell(0, 2))
        table.cell(3, 0).merge(table.cell(3, 1))
        table.cell(3, 2).text = "12"

    page = page_of("x.docx", word(fill))
    assert page.table(0).rows == (
        (Cell("Country", header=True, row_span=2), Cell("Sales", header=True, column_span=2)),
        (Cell("2022", header=True), Cell("2023", header=True)),
        (Cell("Norway"), Cell("10"), Cell("12\nest.")),
        (Cell("", column_span=2), Cell("12")),
    )


def test_a_header_row_is_one_that_says_so_or_whose_style_does() -> None:
    def fill(document: Any) -> None:
        for style in (None, "Light Grid Accent 1", "Table Grid"):
            table = document.add_table(2, 2, style=style)
            for at, cell in enumerate(table._cells):
                cell.text = str(at)
            if style is None:
                properties = table.rows[0]._tr.get_or_add_trPr()
                properties.append(OxmlElement("w:tblHeader"))
            document.add_paragraph("Between.")

    page = page_of("x.docx", word(fill))
    marked = [[cell.header for row in table.rows for cell in row] for table in page.tables]
    assert marked == [[True, True, False, False], [True, True, False, False], [False] * 4]


def test_a_caption_belongs_to_the_table_beside_it() -> None:
    def fill(document: Any) -> None:
        def table(text: str) -> None:
            added = document.add_table(1, 2)
            added.cell(0, 0).text, added.cell(0, 1).text = text, "1"

        document.add_paragraph("Table 1: Sales", style="Caption")
        table("a")
        document.add_paragraph("Table 2: Costs", style="Caption")
        table("b")
        document.add_paragraph("Prose.")
        table("c")
        document.add_paragraph("Table 3: Staff", style="Caption")
        document.add_paragraph("Figure 1: A plot", style="Caption")
        table("d")

    page = page_of("x.docx", word(fill))
    assert [table.caption for table in page.tables] == ["Table 1: Sales", "Table 2: Costs", "Table 3: Staff", ""]
    assert sentences(page) == ["Prose.", "Figure 1: A plot"]


def test_a_table_of_one_cell_is_a_frame_around_text() -> None:
    def fill(document: Any) -> None:
        cell = document.add_table(1, 1).cell(0, 0)
        cell.text = "Sales rose."
        inner = cell.add_table(2, 2)
        for at, one in enumerate(inner._cells):
            one.text = str(at)

    page = page_of("x.docx", word(fill))
    assert sentences(page) == ["Sales rose."]
    assert grid(page) == [["0", "1"], ["2", "3"]]


def test_tables_nested_five_deep_keep_their_text() -> None:
    def fill(document: Any) -> None:
        holder = document
        for depth in range(5):
            table = holder.add_table(1, 2)
            table.cell(0, 0).text = f"level {depth}"
            holder = table.cell(0, 1)
        holder.text = "inmost"

    page = page_of("x.docx", word(fill))
    assert grid(page) == [["level 0", "level 1\nlevel 2\nlevel 3\nlevel 4\ninmost"]]


def test_tracked_changes_controls_and_text_boxes_are_seen_as_a_reader_sees_them() -> None:
    body = f"""<w:sdt {nsdecls("w")} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:sdtContent>
      <w:p><w:del><w:r><w:delText>Old.</w:delText></w:r></w:del><w:ins><w:r><w:t>New.</w:t></w:r></w:ins>
      <w:r><w:instrText>PAGE</w:instrText></w:r><mc:AlternateContent>
      <mc:Choice><w:drawing><w:txbxContent><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p></w:txbxContent></w:drawing></mc:Choice>
      <mc:Fallback><w:pict><w:txbxContent><w:p><w:r><w:t>Boxed.</w:t></w:r></w:p></w:txbxContent></w:pict></mc:Fallback>
      </mc:AlternateContent></w:p></w:sdtContent></w:sdt>"""

    def fill(document: Any) -> None:
        document.element.body.insert(0, parse_xml(body))

    assert sentences(page_of("x.docx", word(fill))) == ["New.", "Boxed."]


def test_absurd_spans_are_bounded() -> None:
    def fill(document: Any) -> None:
        table = document.add_table(1, 2)
        table.cell(0, 0).text = "a"
        span = OxmlElement("w:gridSpan")
        span.set(qn("w:val"), "99999")
        table.cell(0, 0)._tc.get_or_add_tcPr().append(span)

    assert page_of("x.docx", word(fill)).table(0).rows[0][0].column_span == 1000


def test_an_empty_document_is_lost_with_a_reason() -> None:
    data = word(lambda document: None)
    assert parsed("x.docx", data) == [Problem("x", "x.docx", "nothing to read in it", lost=True)]


def packed(*members: tuple[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return stream.getvalue()


TYPES = b'<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'


@pytest.mark.parametrize("data", [b"", b"Sales rose.", packed(("a.txt", b"a")), packed(("[Content_Types].xml", TYPES))])
def test_what_is_no_word_document_is_lost_with_a_reason(data: bytes) -> None:
    assert parsed("x.docx", data) == [Problem("x", "x.docx", "not a DOCX file, though its name says so", lost=True)]


def test_a_cut_or_damaged_document_is_lost_with_a_reason() -> None:
    data = word(lambda document: document.add_paragraph("Sales rose."))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    torn = packed(*((name, part[:500] if name == "word/document.xml" else part) for name, part in members))
    for broken in (data[: len(data) // 2], torn):
        (problem,) = parsed("x.docx", broken)
        assert isinstance(problem, Problem)
        assert problem.what == "a cut or damaged file"
        assert problem.lost


def test_a_document_that_expands_beyond_reason_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spreadsheets, "_LARGEST_EXPANDED", 1000)
    assert parsed("x.docx", word(lambda document: None)) == [Problem("x", "x.docx", BOMB, lost=True)]


# -- PDF ---------------------------------------------------------------------------------------------------

Drawing = Callable[[Any], None]


def pdf(*pages: Drawing, **options: Any) -> bytes:
    """A PDF of A4 pages (595 by 842 points); 0, 0 is the lower left corner."""
    stream = io.BytesIO()
    canvas = Canvas(stream, invariant=1, **options)
    for draw in pages:
        draw(canvas)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def write(canvas: Any, top: float, *lines: str, left: float = 72, size: float = 10, step: float = 12) -> float:
    canvas.setFont("Helvetica", size)
    for line in lines:
        canvas.drawString(left, 842 - top, line)
        top += step
    return top


PROSE = (
    "The company grew in all regions during the year and the num-",
    "ber of employees rose to 1,200 by the end of December. Most of",
    "the growth came from the north.",
)


def test_lines_become_paragraphs_and_divided_words_are_whole_again() -> None:
    def draw(canvas: Any) -> None:
        below = write(canvas, 100, *PROSE)
        write(canvas, below + 12, "A second paragraph stands apart from the first one and is well-", "Known for it.")

    page = page_of("x.pdf", pdf(draw))
    assert page.blocks == (
        Sentence(
            0,
            "The company grew in all regions during the year and the number of employees rose to 1,200 "
            "by the end of December.",
        ),
        Sentence(1, "Most of the growth came from the north.", offset=114),
        Sentence(2, "A second paragraph stands apart from the first one and is well- Known for it."),
    )


def test_paragraphs_are_told_apart_by_indents_and_short_last_lines() -> None:
    def draw(canvas: Any) -> None:
        below = write(canvas, 100, *PROSE)
        below = write(canvas, below, "Another paragraph begins right below the short last line of that.")
        below = write(canvas, below, "It has a second line that runs on for as long as the first line did.")
        write(canvas, below, "An indented line begins a third one, which is the last of them.", left=90)

    starts = [
        block.text[:7]
        for block in page_of("x.pdf", pdf(draw)).blocks
        if isinstance(block, Sentence) and not block.offset
    ]
    assert starts == ["The com", "Another", "An inde"]


def test_clearly_larger_lines_are_headings() -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 80, "Annual report of the", "whole company", size=20, step=24)
        write(canvas, 140, "Sales", size=14)
        write(canvas, 160, *PROSE)
        write(canvas, 240, "Costs", size=14)
        write(canvas, 260, "Costs fell.", size=10.5)

    page = page_of("x.pdf", pdf(draw))
    assert [(block.text, block.level) for block in page.blocks if isinstance(block, Section)] == [
        ("Annual report of the whole company", 1),
        ("Sales", 2),
        ("Costs", 2),
    ]
    assert sentences(page)[-1] == "Costs fell."


def draw_table(canvas: Any, top: float, rows: list[list[str]], spans: tuple[Any, ...] = ()) -> None:
    table = Table(rows, colWidths=90, rowHeights=20, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black), *spans])
    table.wrapOn(canvas, 400, 400)
    table.drawOn(canvas, 100, 842 - top - 20 * len(rows))


def test_ruled_tables_are_tables_and_no_prose() -> None:
    rows = [["Country", "Sales", ""], ["", "2022", "2023"], ["Norway", "10", "12"], ["Total", "", "12"]]
    spans = (("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 3), (1, 3)))

    def draw(canvas: Any) -> None:
        write(canvas, 80, *PROSE)
        write(canvas, 140, "Table 1. Sales by country")
        draw_table(canvas, 150, rows, spans)
        write(canvas, 260, "After the table.")

    page = page_of("x.pdf", pdf(draw))
    assert page.table(0).caption == "Table 1. Sales by country"
    assert page.table(0).rows == (
        (Cell("Country", header=True, row_span=2), Cell("Sales", header=True, column_span=2)),
        (Cell("2022", header=True), Cell("2023", header=True)),
        (Cell("Norway"), Cell("10"), Cell("12")),
        (Cell("Total", column_span=2), Cell("12")),
    )
    assert [type(block).__name__ for block in page.blocks] == ["Sentence", "Sentence", "TableBlock", "Sentence"]
    assert sentences(page)[-1] == "After the table."


def test_a_frame_around_text_is_no_table() -> None:
    def draw(canvas: Any) -> None:
        canvas.rect(60, 842 - 200, 450, 150)
        write(canvas, 100, *PROSE)

    page = page_of("x.pdf", pdf(draw))
    assert not page.tables
    assert len(sentences(page)) == 2


def test_running_heads_and_page_numbers_are_left_out() -> None:
    def numbered(number: int) -> Drawing:
        def draw(canvas: Any) -> None:
            write(canvas, 40, f"Annual report - {number}")
            write(canvas, 80, f"Chapter {number}", size=16)
            write(canvas, 110, f"This is what stands on the page that has number {number} and goes on")
            write(canvas, 800, f"{number}", left=300)

        return draw

    page = page_of("x.pdf", pdf(*map(numbered, range(1, 5))))
    assert [block.text for block in page.blocks if isinstance(block, Section)] == [f"Chapter {n}" for n in range(1, 5)]
    assert sentences(page) == [f"This is what stands on the page that has number {n} and goes on" for n in range(1, 5)]


def test_a_bare_page_number_is_left_out_where_no_other_page_has_one() -> None:
    def numbered(number: str) -> Drawing:
        def draw(canvas: Any) -> None:
            write(canvas, 300, "Sales rose.")
            write(canvas, 800, number, left=300)

        return draw

    page = page_of("x.pdf", pdf(*map(numbered, ("iv", "- 5 -", "Remark", "7"))))
    assert sentences(page) == ["Sales rose.", "Sales rose.", "Sales rose.", "Remark", "Sales rose."]


def test_a_paragraph_goes_on_over_the_page() -> None:
    def first(canvas: Any) -> None:
        write(canvas, 700, *PROSE[:2])

    def second(canvas: Any) -> None:
        write(canvas, 80, PROSE[2], "A line that follows the short one.")

    page = page_of("x.pdf", pdf(first, second))
    assert sentences(page)[1] == "Most of the growth came from the north."


def test_two_columns_are_read_one_after_the_other() -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 60, "A title that stands above both of the columns of this page here", left=140)
        for side, left in (("left", 50), ("right", 310)):
            write(
                canvas, 100, *(f"The {side} column has line {n:02} and it is about full" for n in range(12)), left=left
            )

    text = " ".join(sentences(page_of("x.pdf", pdf(draw))))
    assert text.startswith("A title that stands")
    assert text.index("left column has line 11") < text.index("right column has line 00")


def test_bullets_are_list_items() -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 100, "We expect the following of the next year:", "\u2022 growth", "\u2022 profit")

    page = page_of("x.pdf", pdf(draw))
    assert page.blocks[-1] == ListBlock(0, (Item("growth"), Item("profit")))


def test_text_that_does_not_stand_upright_is_told_of() -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 100, *PROSE)
        canvas.rotate(90)
        canvas.drawString(300, -20, "arXiv stamp")

    problem, page = parsed("x.pdf", pdf(draw))
    assert problem == Problem("x", "page 1", "text that does not stand upright was left out")
    assert isinstance(page, Page)
    assert len(sentences(page)) == 2


@pytest.mark.parametrize("data", [b"", b"Sales rose.", b"\x00" * 100])
def test_what_is_no_pdf_is_lost_with_a_reason(data: bytes) -> None:
    assert parsed("x.pdf", data) == [Problem("x", "x.pdf", "not a PDF file, though its name says so", lost=True)]


def test_a_locked_pdf_is_lost_and_one_that_only_forbids_printing_is_read() -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 100, "Sales rose.")

    locked = pdf(draw, encrypt=StandardEncryption("secret", "owner", strength=128))
    assert parsed("x.pdf", locked) == [Problem("x", "x.pdf", "encrypted; a password is needed", lost=True)]
    open_to_all = pdf(draw, encrypt=StandardEncryption("", "owner", canPrint=0, strength=128))
    assert sentences(page_of("x.pdf", open_to_all)) == ["Sales rose."]


def test_a_pdf_without_text_is_lost_with_a_reason() -> None:
    def draw(canvas: Any) -> None:
        canvas.rect(100, 100, 200, 200, fill=1)

    expected = Problem("x", "x.pdf", "no text in it; the pages are pictures or empty", lost=True)
    assert parsed("x.pdf", pdf(draw)) == [expected]


def test_a_pdf_cut_in_the_middle_keeps_what_can_be_found() -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 100, "Sales rose.")

    data = pdf(draw, draw, draw)
    for end in range(0, len(data), 97):
        for one in parsed("x.pdf", data[:end]):
            if isinstance(one, Page):
                assert set(sentences(one)) <= {"Sales rose."}
            else:
                assert isinstance(one, Problem)


def test_a_pdf_that_expands_beyond_reason_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 100, *PROSE * 20, step=5)

    data = pdf(draw, pageCompression=1)
    bomb = b"%PDF-1.4\n1 0 obj\n<</Length 1>>\nstream\n" + zlib.compress(
        zlib.compress(b"\x00" * 200_000, 0)[:3000] * 40
    )
    monkeypatch.setattr(pdf_reader, "_LARGEST_STREAM", 20_000)
    assert isinstance(parsed("x.pdf", data)[-1], Page)
    assert parsed("x.pdf", bomb) == [Problem("x", "x.pdf", BOMB, lost=True)]


def test_a_pdf_compressed_twice_is_measured_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_reader, "_LARGEST_STREAM", 100_000)
    bomb = b"%PDF-1.4\nstream\n" + zlib.compress(zlib.compress(b"\x00" * 200_000))
    assert parsed("x.pdf", bomb) == [Problem("x", "x.pdf", BOMB, lost=True)]


def test_a_long_pdf_is_read_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(canvas: Any) -> None:
        write(canvas, 400, "Sales rose.")

    what = "longer than can be read; the pages after were left out"
    monkeypatch.setattr(pdf_reader, "_MOST_CHARACTERS", 15)
    problem, page = parsed("x.pdf", pdf(draw, draw, draw))
    assert problem == Problem("x", "page 2", what)
    assert isinstance(page, Page)
    assert sentences(page) == ["Sales rose."] * 2
    monkeypatch.undo()
    monkeypatch.setattr(pdf_reader, "MOST_PAGES", 2)
    problem, page = parsed("x.pdf", pdf(draw, draw, draw))
    assert problem == Problem("x", "page 2", what)


def test_a_page_of_endless_drawing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def short(canvas: Any) -> None:
        write(canvas, 100, "Sales rose.")

    def endless(canvas: Any) -> None:
        for at in range(300):
            canvas.line(at, 0, at, 800)

    monkeypatch.setattr(pdf_reader, "_LARGEST_PAGE", 2000)
    problem, page = parsed("x.pdf", pdf(short, endless))
    assert problem == Problem("x", "page 2", "a page with more drawn on it than can be read was left out")
    assert isinstance(page, Page)
    monkeypatch.undo()
    monkeypatch.setattr(pdf_reader, "_MOST_EDGES", 200)

    def both(canvas: Any) -> None:
        short(canvas)
        endless(canvas)

    problem, page = parsed("x.pdf", pdf(both))
    assert problem == Problem("x", "page 1", "more ruling lines than tables have; tables were read as text")


@pytest.mark.parametrize(("name", "module"), [("DOCX", "docx"), ("PDF", "pdfplumber")])
def test_the_extra_is_named_when_it_is_not_installed(name: str, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"reading {name} files .* 'veritab\[documents\]'"):
        parsed(f"x.{name.lower()}", b"")
