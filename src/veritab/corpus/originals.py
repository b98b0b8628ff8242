"""Originals: the file that a document was read from, opened again beside what was found in it.

A file is found where it was read, or as a copy in the corpus, and shown only when it still holds what was read.
"""

from __future__ import annotations

import errno
import json
import math
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from veritab.corpus import picture as drawing
from veritab.corpus.documents.pdf import MOST_PAGES
from veritab.corpus.streams import RawRecord, bounded_file
from veritab.errors import DiskFull, FormatError, InputError, MissingExtra, NotFound, StoreError, VeritabError
from veritab.files import write_whole
from veritab.schema import Region, column_letters

if TYPE_CHECKING:
    from veritab.corpus.store import Store

FOLDER = "originals"
"""Where a corpus keeps copies of its documents, each called by the digest of what it holds."""
_COMPRESSED = frozenset({".gz", ".bz2", ".xz"})
_SHEETS = frozenset({".xlsx", ".csv", ".tsv"})
_MOST_REGIONS = 1_000
SCALES = (0.2, 4.0)
"""The smallest and the largest scale of a picture, in pixels for each point."""


class Picture(NamedTuple):
    """A page of a PDF as PNG; `scale` says how many pixels a point has become, `pages` how many pages there are."""

    png: bytes
    width: int
    height: int
    scale: float
    pages: int


class SheetSquare(NamedTuple):
    """A square of a sheet as it is shown."""

    text: str
    marked: bool


class SheetRow(NamedTuple):
    """A row of a sheet with its number there; its squares stand under the columns of the window."""

    number: int
    squares: tuple[SheetSquare, ...]


class SheetWindow(NamedTuple):
    """What surrounds the marked squares of a sheet: columns by their letters, rows by their numbers, some left out."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[SheetRow, ...]


@dataclass(frozen=True)
class Original:
    """A file as it was read."""

    file: str
    data: bytes

    @property
    def suffix(self) -> str:
        """What kind of file it is, in lower case and without the suffix of its compression."""
        name = PurePosixPath(self.file)
        return (name.with_suffix("") if name.suffix.lower() in _COMPRESSED else name).suffix.lower()

    @property
    def has_pages(self) -> bool:
        """Whether `picture` can draw it."""
        return self.suffix == ".pdf"

    @property
    def has_sheets(self) -> bool:
        """Whether `sheet` can show it."""
        return self.suffix in _SHEETS

    def picture(self, page: int, regions: Iterable[Region] = (), scale: float = 1.5) -> Picture:
        """A page of a PDF as it is printed, those of the regions that lie on it marked."""
        if not self.has_pages:
            raise InputError(f"{self.file!r} has no pages to draw; only those of PDF files are drawn")
        if not (math.isfinite(scale) and SCALES[0] <= scale <= SCALES[1]):
            raise InputError(f"a picture's scale is {scale!r}; give one from {SCALES[0]} to {SCALES[1]}")
        boxes = [list(region[1:]) for region in regions if region.page == page][:_MOST_REGIONS]
        asked = {"page": page, "regions": boxes, "scale": scale, "most_pages": MOST_PAGES}
        header, _, png = self._draw(json.dumps(asked).encode() + b"\n" + self.data).partition(b"\n")
        answer = json.loads(header)
        if wrong := answer.get("wrong"):
            raise self._refusal(wrong, page, answer.get("pages", 0))
        return Picture(png, answer["width"], answer["height"], answer["scale"], answer["pages"])

    def _draw(self, question: bytes) -> bytes:
        _require_drawing()
        # Its folder holds modules named like some of Python's own: the program must not find them first.
        command = [sys.executable, "-P", drawing.__file__]
        with _one_at_a_time(self.file):
            try:
                done = subprocess.run(command, input=question, capture_output=True, timeout=drawing.SECONDS)
            except subprocess.TimeoutExpired:
                raise FormatError(
                    f"a page of {self.file!r} takes more than {drawing.SECONDS} s to draw; open the file itself"
                ) from None
        if done.returncode or not done.stdout:
            raise FormatError(f"a page of {self.file!r} cannot be drawn: the file is damaged, or needs too much memory")
        return done.stdout

    def _refusal(self, wrong: str, page: int, pages: int) -> VeritabError:
        if wrong == drawing.NO_PAGE:
            return NotFound(f"{self.file!r} has no page {page}; it has {pages:,}")
        if wrong == drawing.ENCRYPTED:
            return FormatError(f"{self.file!r} cannot be drawn: it is encrypted, and a password is needed")
        return FormatError(f"{self.file!r} cannot be drawn: the file is damaged; open the file itself")

    def sheet(self, number: int, regions: Sequence[Region] = ()) -> SheetWindow:
        """The squares around the marked ones of a sheet, from its first row and column on where none is marked."""
        from veritab.corpus.documents.spreadsheets import Unreadable, read_squares

        if not self.has_sheets:
            raise InputError(f"{self.file!r} has no sheets; only XLSX, CSV and TSV files have")
        marks = [region for region in regions if region.page == number][:_MOST_REGIONS]
        last = max((math.ceil(region.bottom) for region in marks), default=0) + _MOST_ROWS
        try:
            found = read_squares(self.data, self.suffix, number, last)
        except Unreadable as error:
            raise FormatError(f"{self.file!r} cannot be shown: {error}") from None
        if found is None:
            raise NotFound(f"{self.file!r} has no sheet {number}")
        name, lines = found
        return _window(name, lines, marks)


@contextmanager
def _one_at_a_time(file: str) -> Iterator[None]:
    if not _drawing_lock.acquire(timeout=2 * drawing.SECONDS):
        raise VeritabError(f"too many pages are being drawn to draw one of {file!r} now; try again in a minute")
    try:
        yield
    finally:
        _drawing_lock.release()


_drawing_lock = threading.Lock()


def _require_drawing() -> None:
    from importlib.util import find_spec

    if not find_spec("pypdfium2") or not find_spec("PIL"):
        raise MissingExtra("drawing pages of PDF files", "documents")


# -- sheets ------------------------------------------------------------------------------------------------

_MOST_ROWS, _MOST_COLUMNS = 60, 26
_AROUND = 3
_LONGEST_TEXT = 500


def _window(name: str, lines: dict[int, dict[int, str]], marks: Sequence[Region]) -> SheetWindow:
    """Rows and columns near the marks, and the first ones, which tell what the others are."""
    width = max((column for texts in lines.values() for column in texts), default=1)
    height = max(lines, default=1)
    down = [(region.top, region.bottom) for region in marks]
    across = [(region.left, region.right) for region in marks]
    rows = _near(down, min(lines, default=1), height, _MOST_ROWS)
    first = min((column for texts in lines.values() for column in texts), default=1)
    columns = _near(across, first, width, _MOST_COLUMNS)

    def square(row: int, column: int) -> SheetSquare:
        marked = any(m.left < column <= m.right and m.top < row <= m.bottom for m in marks)
        return SheetSquare(lines.get(row, {}).get(column, "")[:_LONGEST_TEXT], marked)

    shown = (SheetRow(row, tuple(square(row, column) for column in columns)) for row in rows)
    return SheetWindow(name, tuple(map(column_letters, columns)), tuple(shown))


def _near(spans: Iterable[tuple[float, float]], first: int, last: int, most: int) -> list[int]:
    """Numbers within and around spans, after the first number of all; without spans the first ones."""
    wanted = {first}
    for start, end in sorted(spans):
        begin = max(math.floor(start) + 1 - _AROUND, first)
        wanted.update(range(begin, min(math.ceil(end) + _AROUND, last, begin + most) + 1))
        if len(wanted) >= most:
            break
    else:
        if len(wanted) == 1:
            wanted.update(range(first, min(last, first + most) + 1))
    return sorted(wanted)[:most]


# -- finding and keeping files -----------------------------------------------------------------------------


def open_original(store: Store, title: str) -> Original:
    """The file of the page with that title or redirect, which still holds what was read."""
    kept = store.original(title)
    for path in (store.folder / FOLDER / kept.sha256.hex(), *_where_read(kept.source, kept.file)):
        data = _content(path)
        if data is not None and sha256(data).digest() == kept.sha256:
            return Original(kept.file, data)
    raise NotFound(
        f"the original of {title!r}, {kept.file!r}, has changed or moved since it was read; "
        "ingest its folder again, with --keep-originals to keep a copy"
    )


def _where_read(source: str, file: str) -> Iterator[Path]:
    """Where the file of a source was: in its folder, or the source itself."""
    yield Path(source) / file
    if Path(source).name == file:
        yield Path(source)


def _content(path: Path) -> bytes | None:
    try:
        read = bounded_file(path, path.name) if path.is_file() else None
    except (OSError, ValueError, VeritabError):  # a name no file can have, or one that cannot be opened
        return None
    return read.data if isinstance(read, RawRecord) else None


def keep_copy(folder: Path, data: bytes) -> None:
    """Keep a copy of a document in its corpus."""
    copy = folder / FOLDER / sha256(data).hexdigest()
    if copy.is_file() and copy.stat().st_size == len(data):
        return
    try:
        copy.parent.mkdir(mode=0o700, exist_ok=True)
        write_whole(copy, data)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise DiskFull(f"no room left for {str(folder)!r}; free some, then run the same command to go on") from None
        raise StoreError(f"cannot write to {str(copy.parent)!r}: {error.strerror}; check its permissions") from None


def drop_copies(store: Store) -> None:
    """Remove the copies of documents that the corpus no longer holds."""
    folder = store.folder / FOLDER
    if folder.is_dir():
        wanted = {digest.hex() for digest in store.original_digests()}
        for copy in folder.iterdir():
            if copy.name not in wanted:
                copy.unlink(missing_ok=True)
