"""Documents of any kind become running text, in which sentences are found again."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import docx
import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from veritab.decompose import RunningText, extract_claims, page_text, parse_document, read_document
from veritab.errors import FormatError, NotFound
from veritab.schema import Page, Section, Sentence

MARKDOWN = """# Riga

Riga was founded in **1201**. It has [3 rivers](rivers.md).

- Its port was opened in 1850.

| year | people |
|------|--------|
| 1900 | 282,000 |
"""
HTML = """<html><head><title>x</title></head><body><nav>Home</nav><h1>Riga</h1><p>Riga was founded in <b>1201</b>.
It has <a href="rivers.html">3 rivers</a>.</p><ul><li>Its port was opened in 1850.</li></ul></body></html>"""
SAID = ["Riga was founded in 1201.", "Riga has 3 rivers.", "Riga's port was opened in 1850."]


def claims(text: RunningText) -> list[str]:
    found = extract_claims(text.body, title=text.title)
    assert all(text.body[each.start : each.end] == each.text for each in found)
    return [each.claim for each in found]


def word() -> bytes:
    document = docx.Document()
    document.add_heading("Riga", 1)
    document.add_paragraph("Riga was founded in 1201. It has 3 rivers.")
    document.add_paragraph("Its port was opened in 1850.", style="List Bullet")
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def pdf() -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file)
    for line, said in enumerate(("Riga was founded in 1201. It has 3 rivers.", "Its port was opened in 1850.")):
        canvas.drawString(72, 700 - 14 * line, said)
    canvas.save()
    return file.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "title"),
    [
        ("riga.md", MARKDOWN.encode(), "Riga"),
        ("riga.html", HTML.encode(), "Riga"),
        ("riga.docx", word(), "Riga"),
        ("riga.pdf", pdf(), "riga"),
        ("riga.txt", b"Riga was founded in 1201. It has 3 rivers.\n\n- Its port was opened in 1850.\n", "riga"),
    ],
)
def test_sentences_are_found_in_documents_of_every_kind(tmp_path: Path, name: str, data: bytes, title: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    text = read_document(path)
    assert text.title == title
    assert claims(text) == SAID


def test_the_body_of_a_plain_text_is_the_text_as_it_is(tmp_path: Path) -> None:
    written = "  Riga\r\n\r\nRiga was founded\r\nin 1201.  \n"
    path = tmp_path / "riga.txt"
    path.write_bytes(written.encode())
    assert read_document(path) == RunningText("riga", written)


def test_a_compressed_text_is_read_as_what_it_is(tmp_path: Path) -> None:
    path = tmp_path / "riga.txt.gz"
    path.write_bytes(gzip.compress(b"Riga was founded in 1201."))
    assert read_document(path) == RunningText("riga", "Riga was founded in 1201.")


@pytest.mark.parametrize(("data", "title"), [(HTML.encode(), "Riga"), (word(), "Riga"), (pdf(), "stdin")])
def test_a_document_without_a_suffix_is_known_by_how_it_begins(data: bytes, title: str) -> None:
    text = parse_document(data, "stdin")
    assert text.title == title
    assert claims(text) == SAID


def test_text_that_is_not_unicode_is_read_too() -> None:
    assert parse_document("Málaga has 3 rivers.".encode("cp1252"), "stdin").body == "Málaga has 3 rivers."


def test_a_page_becomes_paragraphs_with_an_empty_line_between() -> None:
    page = Page(
        "Riga",
        (Section(0, "History", 2), Sentence(0, "One."), Sentence(1, "Two.", offset=5), Sentence(2, "Three.")),
    )
    assert page_text(page) == RunningText("Riga", "History\n\nOne. Two.\n\nThree.")


@pytest.mark.parametrize(
    ("name", "data"),
    [("riga.xyz", b"Riga."), ("riga.pdf", b"no"), ("riga.txt", bytes(range(32)) * 9), ("a.docx", b"PK")],
)
def test_what_cannot_be_read_says_so_with_a_remedy(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(FormatError, match=f"{name}.*give a text, Markdown, HTML, DOCX or PDF"):
        read_document(path)


def test_a_missing_file_and_a_folder_give_different_errors(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        read_document(tmp_path / "none.txt")
    with pytest.raises(FormatError, match="is a folder"):
        read_document(tmp_path)
