"""Originals: found again, drawn with marks, shown as sheets, and every way they can be gone or made to hurt."""

from __future__ import annotations

import io
import shutil
import time
from pathlib import Path

import openpyxl
import pytest
from PIL import Image, ImageChops
from reportlab.lib import colors  # type: ignore[import-untyped]
from reportlab.lib.pdfencrypt import StandardEncryption  # type: ignore[import-untyped]
from reportlab.pdfbase.pdfmetrics import stringWidth  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]
from reportlab.platypus import Table  # type: ignore[import-untyped]

from veritab.corpus import originals, picture
from veritab.corpus.ingest import Ingest
from veritab.corpus.originals import FOLDER, Original, open_original
from veritab.corpus.store import Store
from veritab.errors import FormatError, InputError, MissingExtra, NotFound, VeritabError
from veritab.schema import Region

WIDTH, HEIGHT = 400, 300


def pdf(*, pages: int = 1, size: tuple[float, float] = (WIDTH, HEIGHT), rotation: int = 0, **options: object) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size, **options)
    for number in range(1, pages + 1):
        canvas.setPageRotation(rotation)
        canvas.drawString(72, 100, f"This is page {number} of the report.")
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def difference(plain: bytes, marked: bytes) -> Image.Image:
    """White where two pictures differ."""
    return ImageChops.difference(opened(plain), opened(marked)).convert("L").point(lambda value: 255 if value else 0)


def overlap(marked: Image.Image, box: tuple[float, float, float, float], scale: float) -> float:
    """Intersection over union of the marked pixels and a box in points."""
    expected = Image.new("L", marked.size, 0)
    expected.paste(255, tuple(round(side * scale) for side in box))  # type: ignore[arg-type]
    both = ImageChops.darker(marked, expected).histogram()[255]
    return both / ImageChops.lighter(marked, expected).histogram()[255]


def ingest(folder: Path, *sources: Path, keep: bool = False) -> None:
    with Store.create(folder) as store:
        for _ in Ingest(store, sources, keep_originals=keep):
            pass


# -- pictures ----------------------------------------------------------------------------------------------


def test_a_picture_marks_exactly_the_regions_of_its_page() -> None:
    original = Original("report.pdf", pdf(pages=2))
    regions = (Region(2, 70, 190, 260, 204), Region(2, 300, 20, 320, 280), Region(1, 0, 0, 400, 300))
    plain, marked = original.picture(2, scale=2), original.picture(2, regions, scale=2)
    assert (marked.width, marked.height, marked.scale, marked.pages) == (2 * WIDTH, 2 * HEIGHT, 2.0, 2)
    changed = difference(plain.png, marked.png)
    first, second = changed.crop((0, 0, 560, 600)), changed.crop((560, 0, 800, 600))
    assert overlap(first, (70, 190, 260, 204), 2) == 1.0
    assert overlap(second, (300 - 280, 20, 320 - 280, 280), 2) == 1.0


def test_what_is_marked_can_still_be_read() -> None:
    marked = opened(Original("report.pdf", pdf()).picture(1, [Region(1, 70, 185, 260, 206)], scale=3).png)
    inside = marked.crop((70 * 3 + 2, 185 * 3 + 2, 260 * 3 - 2, 206 * 3 - 2)).convert("L")
    darkest, lightest = inside.getextrema()
    assert int(str(darkest)) < 100 < 200 < int(str(lightest))


def test_a_turned_page_is_marked_where_it_is_seen() -> None:
    original = Original("report.pdf", pdf(rotation=90))
    marked = original.picture(1, [Region(1, 10, 20, 60, 80)], scale=1)
    assert (marked.width, marked.height) == (WIDTH, HEIGHT)
    assert overlap(difference(original.picture(1, scale=1).png, marked.png), (10, 20, 60, 80), 1) == 1.0


def test_a_page_of_a_hundred_metres_becomes_a_picture_of_bounded_size() -> None:
    drawn = Original("plan.pdf", pdf(size=(280_000, 280_000))).picture(1, [Region(1, 0, 0, 9, 9)], scale=4)
    assert drawn.width * drawn.height <= picture.MOST_PIXELS * 1.01
    strip = Original("strip.pdf", pdf(size=(14_000, 3))).picture(1, scale=4)
    assert strip.width <= picture.LONGEST_SIDE
    assert strip.height >= 1


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"%PDF-1.4 and then nothing of the kind", "damaged"),
        (pdf()[:400], "damaged"),
        (b"", "damaged"),
        (pdf(encrypt=StandardEncryption("secret")), "a password is needed"),
    ],
)
def test_a_file_that_cannot_be_drawn_is_refused_in_our_words(data: bytes, says: str) -> None:
    with pytest.raises(FormatError, match=says):
        Original("report.pdf", data).picture(1)


def test_a_page_that_is_not_there_is_not_found() -> None:
    for number in (0, -1, 3, 10**9):
        with pytest.raises(NotFound, match=f"has no page {number}; it has 2"):
            Original("report.pdf", pdf(pages=2)).picture(number)


def test_a_picture_takes_only_so_long(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(picture, "__file__", str(slow))
    monkeypatch.setattr(picture, "SECONDS", 0.5)
    started = time.monotonic()
    with pytest.raises(FormatError, match=r"takes more than 0\.5 s to draw"):
        Original("report.pdf", pdf()).picture(1)
    assert time.monotonic() - started < 10


def test_pages_are_drawn_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture, "SECONDS", 0.05)
    with originals._drawing_lock, pytest.raises(VeritabError, match="too many pages are being drawn"):
        Original("report.pdf", pdf()).picture(1)


def test_a_file_that_ends_the_program_that_draws_is_called_damaged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    falling = tmp_path / "falling.py"
    falling.write_text("import os\nos.abort()\n")
    monkeypatch.setattr(picture, "__file__", str(falling))
    with pytest.raises(FormatError, match="the file is damaged, or needs too much memory"):
        Original("report.pdf", pdf()).picture(1)


@pytest.mark.parametrize("scale", [0, -1, 100, float("nan"), float("inf")])
def test_a_scale_beyond_reason_is_refused(scale: float) -> None:
    with pytest.raises(InputError, match="a picture's scale is"):
        Original("report.pdf", pdf()).picture(1, scale=scale)


def test_only_what_has_pages_is_drawn_and_only_what_has_sheets_is_shown_as_such() -> None:
    with pytest.raises(InputError, match="has no pages to draw"):
        Original("notes.md", b"A.").picture(1)
    with pytest.raises(InputError, match="has no sheets"):
        Original("report.pdf", pdf()).sheet(1)
    assert Original("a.PDF.gz", b"").has_pages
    assert Original("a.csv", b"").has_sheets


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="documents"):
        Original("report.pdf", pdf()).picture(1)


# -- sheets ------------------------------------------------------------------------------------------------


def workbook() -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    book.create_sheet("Hidden").sheet_state = "hidden"
    sheet = book.create_sheet("Peaks")
    rows: list[tuple[str | int, ...]] = [("peak", "metres", "first climbed")]
    rows += [(f"P{n}", 8000 + n, 1950 + n) for n in range(200)]
    for at, row in enumerate(rows):
        for column, value in enumerate(row):
            sheet.cell(3 + at, 2 + column, value)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_a_sheet_shows_the_marked_cells_with_what_is_around_and_above_them(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "peaks.xlsx").write_bytes(workbook())
    ingest(tmp_path / "corpus", tmp_path / "in")
    with Store.open(tmp_path / "corpus") as store:
        cell = store.element("peaks_cell_0_100_1")
        assert cell.text == "8099"
        assert cell.origin is not None
        assert (cell.origin.file, cell.origin.regions) == ("peaks.xlsx", (Region(2, 2, 102, 3, 103),))
        window = open_original(store, "peaks").sheet(2, cell.origin.regions)
    assert window.name == "Peaks"
    assert window.columns == ("B", "C", "D")
    assert [row.number for row in window.rows] == [3, 100, 101, 102, 103, 104, 105, 106]
    assert [square.text for square in window.rows[0].squares] == ["peak", "metres", "first climbed"]
    marked = [(row.number, square.text) for row in window.rows for square in row.squares if square.marked]
    assert marked == [(103, "8099")]


def test_a_file_with_delimiters_is_a_sheet_whose_rows_keep_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "peaks.csv").write_text("peak;metres\n\nK2;8611\n\nLhotse;8516\n")
    ingest(tmp_path / "corpus", tmp_path / "peaks.csv")
    with Store.open(tmp_path / "corpus") as store:
        origin = store.element("peaks_cell_0_2_1").origin
        assert origin is not None
        assert origin.regions == (Region(1, 1, 4, 2, 5),)
        window = open_original(store, "peaks").sheet(1, origin.regions)
    assert [(row.number, *(square.text for square in row.squares)) for row in window.rows] == [
        (1, "peak", "metres"),
        (2, "", ""),
        (3, "K2", "8611"),
        (4, "", ""),
        (5, "Lhotse", "8516"),
    ]
    assert window.rows[4].squares[1].marked


def test_a_merged_cell_is_marked_over_all_its_squares(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    for row in (["region", "peak"], ["Asia", "K2"], [None, None], [None, "Lhotse"], ["Africa", "Kibo"]):
        sheet.append(row)
    sheet.merge_cells("A2:A4")
    book.save(tmp_path / "merged.xlsx")
    ingest(tmp_path / "corpus", tmp_path / "merged.xlsx")
    with Store.open(tmp_path / "corpus") as store:
        origin = store.element("merged_cell_0_1_0").origin
        assert origin is not None
        window = open_original(store, "merged").sheet(1, origin.regions)
    marked = [row.number for row in window.rows if row.squares[0].marked]
    assert marked == [2, 3, 4]


def test_a_window_is_never_larger_than_a_person_can_look_at() -> None:
    wide = "\n".join(",".join("x" for _ in range(100)) for _ in range(100)).encode()
    window = Original("wide.csv", wide).sheet(1, [Region(1, 0, 0, 100, 100)])
    assert (len(window.rows), len(window.columns)) == (60, 26)
    plain = Original("wide.csv", wide).sheet(1)
    assert (plain.rows[0].number, plain.columns[0], len(plain.rows)) == (1, "A", 60)


def test_a_sheet_that_is_not_there_or_cannot_be_read_is_told() -> None:
    with pytest.raises(NotFound, match="has no sheet 3"):
        Original("peaks.xlsx", workbook()).sheet(3)
    with pytest.raises(NotFound, match="has no sheet 2"):
        Original("peaks.csv", b"a,b\n1,2\n").sheet(2)
    with pytest.raises(FormatError, match="cannot be shown"):
        Original("peaks.xlsx", workbook()[:500]).sheet(1)


# -- finding and keeping -----------------------------------------------------------------------------------


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    (folder / "reports").mkdir(parents=True)
    (folder / "reports" / "harvest.md").write_text("# Harvest report\n\nWheat rose.")
    return folder


def test_an_original_is_found_where_it_was_read(documents: Path, tmp_path: Path) -> None:
    ingest(tmp_path / "corpus", documents)
    ingest(tmp_path / "single", documents / "reports" / "harvest.md")
    for corpus, file in (("corpus", "reports/harvest.md"), ("single", "harvest.md")):
        with Store.open(tmp_path / corpus) as store:
            original = open_original(store, "Harvest report")
            assert (original.file, original.data[:9]) == (file, b"# Harvest")
        assert not (tmp_path / corpus / FOLDER).exists()


def test_an_original_that_changed_or_moved_is_not_shown(documents: Path, tmp_path: Path) -> None:
    ingest(tmp_path / "corpus", documents)
    (documents / "reports" / "harvest.md").write_text("Something else.")
    for gone in (False, True):
        if gone:
            shutil.rmtree(documents)
        with Store.open(tmp_path / "corpus") as store, pytest.raises(NotFound) as refused:
            open_original(store, "Harvest report")
        assert "'reports/harvest.md', has changed or moved" in str(refused.value)
        assert str(tmp_path) not in str(refused.value)


def test_a_copy_is_kept_when_asked_for_and_goes_with_its_page(documents: Path, tmp_path: Path) -> None:
    ingest(tmp_path / "corpus", documents)
    ingest(tmp_path / "corpus", documents, keep=True)  # nothing is new, and still a copy is made
    (tmp_path / "corpus" / FOLDER / "left-over").write_text("of an ingest that was stopped")
    moved = tmp_path / "moved"
    documents.rename(moved)
    with Store.open(tmp_path / "corpus") as store:
        assert open_original(store, "reports/harvest").data.endswith(b"Wheat rose.")
    moved.rename(documents)
    (documents / "reports" / "harvest.md").write_text("# Harvest report\n\nRye rose.")
    ingest(tmp_path / "corpus", documents, keep=True)
    (copy,) = (tmp_path / "corpus" / FOLDER).iterdir()
    assert copy.read_text().endswith("Rye rose.")


def test_a_compressed_document_is_found_and_told_by_what_it_holds(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "peaks.csv.gz").write_bytes(gzip.compress(b"peak,metres\nK2,8611\n"))
    ingest(tmp_path / "corpus", tmp_path / "peaks.csv.gz")
    with Store.open(tmp_path / "corpus") as store:
        (title,) = store.titles()
        assert open_original(store, title).sheet(1).rows[1].squares[1].text == "8611"


def test_a_page_that_is_no_file_has_no_original(tmp_path: Path) -> None:
    (tmp_path / "pages.jsonl").write_text('{"title": "K2", "html": "<p>K2 is a mountain.</p>"}')
    ingest(tmp_path / "corpus", tmp_path / "pages.jsonl")
    with Store.open(tmp_path / "corpus") as store:
        assert store.element("K2_sentence_0").origin is None
        with pytest.raises(NotFound, match="was not read from a file of its own"):
            open_original(store, "K2")


# -- from a claim's evidence to the paper ------------------------------------------------------------------

WIDTHS, HEIGHTS = (90.0, 60.0, 75.5), (22.0, 18.0, 31.0, 18.0)
ROWS = (("Crop", "2022", "2023"), ("Wheat", "310", "342"), ("Rye", "120", "118"), ("Barley", "95", "101"))
LEFT, FOOT = 72.3, 140.7  # of the table, in the coordinates of the paper, which begin at its foot
PROSE = "Wheat rose by a tenth. Rye fell a little, as it had in the year before that one."


def harvest(*, crop: tuple[float, float, float, float] | None = None, rotation: int = 0) -> bytes:
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=(595, 420))
    canvas.setTitle("Harvest report 2023")
    for number in (1, 2):
        if crop:
            canvas.setCropBox(crop)
        canvas.setPageRotation(rotation)
        canvas.setFont("Helvetica", 11)
        canvas.drawString(72, 360, PROSE if number == 2 else "The first page has no table at all.")
        if number == 2:
            table = Table(ROWS, WIDTHS, HEIGHTS, style=[("GRID", (0, 0), (-1, -1), 0.6, colors.black)])
            table.wrapOn(canvas, 400, 300)
            table.drawOn(canvas, LEFT, FOOT)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def paper_box(row: int, column: int, *, height: float = 420, left: float = 0) -> tuple[float, float, float, float]:
    """Where a cell was drawn, from the top left of what is seen of the paper."""
    top = height - FOOT - sum(HEIGHTS[row:])
    return (
        LEFT - left + sum(WIDTHS[:column]),
        top,
        LEFT - left + sum(WIDTHS[: column + 1]),
        top + HEIGHTS[row],
    )


@pytest.mark.parametrize("cell", [(1, 2), (2, 0), (3, 1)])
@pytest.mark.parametrize("scale", [1.0, 1.5, 3.0])
def test_the_pixels_marked_for_a_cell_are_those_of_its_box_on_the_paper(
    tmp_path: Path, cell: tuple[int, int], scale: float
) -> None:
    (tmp_path / "harvest.pdf").write_bytes(harvest())
    ingest(tmp_path / "corpus", tmp_path / "harvest.pdf")
    row, column = cell
    with Store.open(tmp_path / "corpus") as store:
        found = store.element(f"harvest_cell_0_{row}_{column}")
        original = open_original(store, "Harvest report 2023")
    assert found.text == ROWS[row][column]
    assert found.origin is not None
    assert str(found.origin) == "harvest.pdf, page 2"
    plain, marked = original.picture(2, scale=scale), original.picture(2, found.origin.regions, scale=scale)
    share = overlap(difference(plain.png, marked.png), paper_box(row, column), scale)
    print(f"cell {cell} at scale {scale}: intersection over union {share:.4f}")  # noqa: T201 - seen with -s
    assert share >= 0.95


def test_a_cropped_page_is_marked_where_it_is_seen(tmp_path: Path) -> None:
    crop = (40.0, 60.0, 500.0, 400.0)
    (tmp_path / "harvest.pdf").write_bytes(harvest(crop=crop))
    ingest(tmp_path / "corpus", tmp_path / "harvest.pdf")
    with Store.open(tmp_path / "corpus") as store:
        origin = store.element("harvest_cell_0_1_2").origin
        original = open_original(store, "harvest")
    assert origin is not None
    plain, marked = original.picture(2, scale=2), original.picture(2, origin.regions, scale=2)
    assert (plain.width, plain.height) == (920, 680)
    box = paper_box(1, 2, height=crop[3], left=crop[0])
    assert overlap(difference(plain.png, marked.png), box, 2) >= 0.95


def test_the_ink_of_a_sentence_lies_under_its_mark_and_no_other_does(tmp_path: Path) -> None:
    (tmp_path / "harvest.pdf").write_bytes(harvest())
    ingest(tmp_path / "corpus", tmp_path / "harvest.pdf")
    with Store.open(tmp_path / "corpus") as store:
        number = next(
            element.id.path[0] for element in store.page("harvest").elements if element.text == "Wheat rose by a tenth."
        )
        origin = store.element(f"harvest_sentence_{number}").origin
        original = open_original(store, "harvest")
    assert origin is not None
    plain, marked = original.picture(2, scale=4), original.picture(2, origin.regions, scale=4)
    changed = difference(plain.png, marked.png)
    ink = opened(plain.png).convert("L").point(lambda value: 255 if value < 128 else 0)
    end = 72 + stringWidth("Wheat rose by a tenth.", "Helvetica", 11)
    own = ImageChops.darker(ink, ink.point(lambda _: 0))
    own.paste(ink.crop((0, 0, round(end * 4) + 2, 70 * 4)), (0, 0))
    under = ImageChops.darker(ink, changed).histogram()[255]
    assert under == own.histogram()[255] > 500
