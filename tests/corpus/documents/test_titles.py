"""What documents are called."""

from __future__ import annotations

import io

import docx
import openpyxl
import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from veritab.corpus.documents import DocumentReader
from veritab.corpus.documents.titles import choose_title
from veritab.corpus.streams import RawRecord
from veritab.schema import Page, Section, Sentence


def page_of(file: str, data: bytes, name: str = "folder/file") -> Page:
    (page,) = (one for one in DocumentReader().parse(RawRecord(file, data, name)) if isinstance(one, Page))
    return page


def pdf(title: str, *lines: tuple[str, int]) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream)
    canvas.setTitle(title)
    for number, (text, size) in enumerate(lines):
        canvas.setFont("Helvetica", size)
        canvas.drawString(72, 760 - 40 * number, text)
    canvas.save()
    return stream.getvalue()


LINES = (("Harvest in the north", 24), ("Wheat rose by a tenth in the year under review.", 11), ("Rye did not.", 11))


def word(title: str, *paragraphs: tuple[str, str]) -> bytes:
    document = docx.Document()
    document.core_properties.title = title
    for text, style in paragraphs:
        document.add_paragraph(text, style)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def workbook(title: str) -> bytes:
    book = openpyxl.Workbook()
    book.properties.title = title
    assert book.active is not None
    for row in (["peak", "metres"], ["K2", 8611]):
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_a_document_is_called_what_its_properties_say() -> None:
    assert page_of("x.pdf", pdf("Harvest report 2023", *LINES)).title == "Harvest report 2023"
    assert page_of("x.docx", word("Harvest report 2023", ("Wheat rose.", "Normal"))).title == "Harvest report 2023"
    assert page_of("x.xlsx", workbook("Highest peaks")).title == "Highest peaks"
    assert page_of("x.md", b"---\ntitle: 'Harvest report'\n---\n# One\n\nA.\n\n# Two\n\nB.").title == "Harvest report"


def test_a_document_without_properties_is_called_by_its_only_heading_of_the_first_level() -> None:
    assert page_of("x.pdf", pdf("", *LINES)).title == "Harvest in the north"
    body = (("Harvest in the north", "Heading 1"), ("Wheat", "Heading 2"), ("It rose.", "Normal"))
    assert page_of("x.docx", word("", *body)).title == "Harvest in the north"
    assert page_of("x.md", b"# Harvest in the north\n\n## Wheat\n\nIt rose.").title == "Harvest in the north"


def test_the_title_style_of_word_counts_although_other_headings_stand_beside_it() -> None:
    body = (("Harvest in the north", "Title"), ("Wheat", "Heading 1"), ("It rose.", "Normal"), ("Rye", "Heading 1"))
    assert page_of("x.docx", word("Word Document", *body)).title == "Harvest in the north"


def test_a_web_page_is_called_by_its_heading_rather_than_by_its_title() -> None:
    text = "<title>Harvest | Ministry</title><h1>Harvest in the north</h1><p>Wheat rose.</p>"
    assert page_of("x.html", text.encode()).title == "Harvest in the north"
    assert page_of("x.html", text.replace("h1>", "h2>").encode()).title == "Harvest | Ministry"


def test_a_document_with_nothing_of_the_kind_is_called_by_its_file() -> None:
    for page in (
        page_of("x.xlsx", workbook("")),
        page_of("x.md", b"# One\n\nA.\n\n# Two\n\nB."),
        page_of("x.txt", b"A."),
    ):
        assert page.title == page.name == "folder/file"


@pytest.mark.parametrize(
    "made_up",
    [
        "Microsoft Word - harvest.docx",
        "Untitled",
        "untitled 1",
        "Document1",
        "Book1",
        "Dokument2",
        "PowerPoint Presentation",
        "Word Document",
        "New Microsoft Word Document (2)",
        "harvest_final_v3.indd",
        r"C:\Users\k\harvest.doc",
        "Annual report template",
        "(anonymous)",
        "Introduction",
        "2023",
        "  ",
        "x" * 201,
    ],
)
def test_what_programs_put_there_is_no_title(made_up: str) -> None:
    blocks = (Section(0, "Harvest in the north", 1), Sentence(0, "Wheat rose."))
    assert choose_title(made_up, blocks) == "Harvest in the north"
    assert choose_title("", (Section(0, made_up, 1),)) == ""


@pytest.mark.parametrize("title", ["Harvest report 2023", "The Book of Rye", "Documents of the north", "Über Roggen"])
def test_a_title_that_tells_something_stays(title: str) -> None:
    assert choose_title(title, ()) == title
