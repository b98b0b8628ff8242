"""Six documents about one made-up harbour, one of each format, for tests that bring documents to a server."""

from __future__ import annotations

from pathlib import Path

FILES = ("annual report.pdf", "minutes.docx", "budget.xlsx", "ships.csv", "history.html", "notes.md")
CLAIM = "The crane Ostra lifts 80 tonnes."
"""Only the table of the PDF says so."""


def write_six_documents(folder: Path) -> list[Path]:
    """Write them; the paths, in the order of FILES."""
    report, minutes, budget, ships, history, notes = (folder / name for name in FILES)
    _write_pdf(report)
    _write_docx(minutes)
    _write_xlsx(budget)
    ships.write_text("Ship,Flag,Tonnes\nAurelia,Malta,12000\nBrennus,Norway,8400\nCalder,Panama,31000\n")
    history.write_text(
        "<html><head><title>History</title></head><body><h1>History of Port Selva</h1>"
        "<p>Port Selva was founded in 1871 by the engineer Ada Kron.</p></body></html>"
    )
    notes.write_text("# Notes\n\nThe lighthouse of Port Selva is 42 m high.\n\n- It was painted red in 1990.\n")
    return [report, minutes, budget, ships, history, notes]


def _write_pdf(path: Path) -> None:
    from reportlab.lib.pagesizes import A4  # type: ignore[import-untyped]
    from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle  # type: ignore[import-untyped]

    styles = getSampleStyleSheet()
    grid = Table(
        [
            ["Crane", "Capacity (tonnes)", "Built"],
            ["Ostra", "80", "1998"],
            ["Vika", "45", "2004"],
            ["Tor", "120", "2019"],
        ]
    )
    grid.setStyle(TableStyle([("GRID", (0, 0), (-1, -1), 0.5, "black")]))
    SimpleDocTemplate(str(path), pagesize=A4, title="Annual report of Port Selva").build(
        [
            Paragraph("Annual report of Port Selva", styles["Title"]),
            Paragraph("The harbour handled 412 ships in 2023. Revenue rose to 18.4 million euros.", styles["BodyText"]),
            PageBreak(),
            Paragraph("Cranes", styles["Heading1"]),
            Paragraph("The cranes of the harbour are listed below.", styles["BodyText"]),
            Spacer(1, 12),
            grid,
        ]
    )


def _write_docx(path: Path) -> None:
    from docx import Document

    document = Document()
    document.add_heading("Minutes of the board", 1)
    document.add_paragraph("The board approved a second quay on 4 May 2023. It will cost 3.2 million euros.")
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "Member", "Vote"
    for member, vote in (("Ines Holt", "for"), ("Karl Brandt", "against")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = member, vote
    document.save(str(path))


def _write_xlsx(path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Budget"
    for row in (("Item", "2022", "2023"), ("Dredging", 410, 515), ("Wages", 2100, 2240), ("Energy", 300, 280)):
        sheet.append(row)
    book.save(path)
