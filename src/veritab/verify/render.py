"""Evidence becomes the text a model reads: whatever order it comes in, the same set gives the same text.

Titles, sections, captions and headers are printed once, before what stands under them; facts derived from whole
tables come last. Where room is short, the evidence that came last goes first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple, TypeAlias

from veritab.schema import CELLS, Context, Element, ElementId, Kind
from veritab.text import squeeze
from veritab.verify.number_forms import write_numbers

MOST = 320
"""How long a text becomes at most, in words unless another length is given."""

PLACEHOLDERS = frozenset({"Evidence", "Table"})
"""The titles of evidence that came without one, which tell a reader nothing."""

Length: TypeAlias = Callable[[str], int]

# Beyond this many characters for each unit of room, no text could fit: what lies further is not even looked at.
_CHARACTERS = 20
_LONGEST_LABEL = 400
_ENDS = frozenset(".!?…:;。！？")
_CLOSING = "\"'”’»)]"
# Inside a section: its heading, sentences, then tables, then lists.
_ORDER = {
    Kind.TITLE: 0,
    Kind.SECTION: 0,
    Kind.SENTENCE: 1,
    Kind.PASSAGE: 1,
    Kind.TABLE: 2,
    Kind.TABLE_CAPTION: 2,
    Kind.HEADER_CELL: 2,
    Kind.CELL: 2,
    Kind.LIST: 3,
    Kind.ITEM: 3,
}


class Rendered(NamedTuple):
    """A text, the evidence that is in it, and the evidence for which there was no room."""

    text: str
    used: tuple[ElementId, ...]
    dropped: tuple[ElementId, ...]


def count_words(text: str) -> int:
    """The number of words in a text with single spaces: a length that is cheap to take."""
    return text.count(" ") + 1 if text else 0


def render(
    evidence: Sequence[Element], *, facts: Sequence[str] = (), most: int = MOST, length: Length = count_words
) -> Rendered:
    """The evidence, best first, as one text of at most this length.

    Facts are the digest of whole tables and are kept before elements. The first element that says more than a title or
    a caption is cut where not even it fits.
    """
    room = _Room(most, length)
    kept_facts = room.facts(facts)
    pieces: list[_Piece] = []
    used: list[ElementId] = []
    unique: dict[ElementId, Element] = {}
    for element in evidence:
        unique.setdefault(element.id, element)
    for element in unique.values():
        piece = _piece(element, most)
        if not room.take(piece):
            if any(other.text for other in pieces) or not (cut := room.cut(piece)):
                break
            piece = cut
        used.append(element.id)
        pieces.append(piece)
    text = " ".join((*_pages(pieces), *kept_facts))
    return Rendered(text, tuple(used), tuple(unique)[len(used) :])


# -- one piece of evidence ---------------------------------------------------------------------------------


class _Piece(NamedTuple):
    """An element with what is printed before it."""

    id: ElementId
    text: str
    section: int = -1
    sections: tuple[str, ...] = ()
    caption: str = ""
    group: str = ""
    """The heading over a block of rows, as in an infobox."""
    row: str = ""
    column: str = ""
    headers: tuple[ElementId, ...] = ()
    before: tuple[tuple[tuple[object, ...], str], ...] = ()
    """What is printed once before this piece and others like it, by what makes them alike."""

    @property
    def place(self) -> tuple[str, int, int, tuple[int, ...], Kind]:
        """Where it stands, as far as its address and its context tell."""
        return self.id.page, self.section, _ORDER[self.id.kind], self.id.path, self.id.kind

    @property
    def sentence(self) -> str:
        return f"{self.column} is {self.text}" if self.column else self.text


def _piece(element: Element, most: int) -> _Piece:
    piece = _bare(element, most)
    return piece._replace(before=tuple(_before(piece)))


def _bare(element: Element, most: int) -> _Piece:
    id, kind = element.id, element.id.kind
    text = write_numbers(squeeze(element.text[: max(most, 1) * _CHARACTERS]))
    section, sections, caption = -1, [], ""
    headers: list[Context] = []
    for context in element.context:
        match context.id.kind:
            case Kind.SECTION:
                section = context.id.path[0]
                sections.append(_label(context.text))
            case Kind.TABLE_CAPTION:
                caption = _label(context.text)
            case Kind.CELL | Kind.HEADER_CELL:
                headers.append(context)
    if kind is Kind.SECTION:
        return _Piece(id, "", id.path[0], (*sections, _label(text)))
    place = tuple(filter(None, sections))
    if kind in (Kind.TABLE, Kind.TABLE_CAPTION):
        return _Piece(id, "", section, place, _label(text) or caption)
    if kind in CELLS:
        return _Piece(id, text, section, place, caption, *_labels(id, headers), tuple(each.id for each in headers))
    return _Piece(id, "" if kind is Kind.TITLE else text, section, place)


def _label(text: str) -> str:
    """What is printed before a colon or before `is`."""
    return _clean_label(text[: 2 * _LONGEST_LABEL])


# The same few labels come with every cell of a table.
@lru_cache(maxsize=8192)
def _clean_label(text: str) -> str:
    return _shortened(squeeze(text), _LONGEST_LABEL).rstrip(" :;,.")


def _labels(cell: ElementId, headers: Sequence[Context]) -> tuple[str, str, str]:
    """The heading over its rows, its row and its column, as far as headers name them, outermost first."""
    row = cell.path[1]
    # A cell that reaches over several rows has the names of all of them, from the top.
    left = sorted((each for each in headers if each.id.path[1] >= row), key=lambda each: -each.id.path[1])
    # What stands above a header is wider than it and no name of its column.
    above = [each for each in headers if each.id.path[1] < row] if cell.kind is Kind.CELL else []
    # A header that opens its row and yet stands above a cell further right goes over the whole table.
    over = bool(left) and cell.path[2] > 0 and all(each.id.path[2] == 0 for each in above)
    heading, column = (_outermost_first(above, " "), "") if over else ("", _outermost_first(above, " "))
    return ("" if heading == cell.page else heading), _outermost_first(left, ", "), column


def _outermost_first(headers: Iterable[Context], between: str) -> str:
    return between.join(dict.fromkeys(filter(None, [_label(each.text) for each in headers][::-1])))


def _shortened(text: str, most: int) -> str:
    """The first `most` characters, up to the end of a word where there is one."""
    if len(text) <= most:
        return text
    kept = text[:most]
    return kept if text[most] == " " else kept.rpartition(" ")[0] or kept


def _before(piece: _Piece) -> Iterator[tuple[tuple[object, ...], str]]:
    page, path = piece.id.page, piece.id.path
    if not (piece.text or piece.sections or piece.caption) and piece.id.kind is not Kind.TITLE:
        return
    yield (page,), _title(page)
    if piece.sections:
        yield (page, piece.section, piece.sections), f"{' › '.join(piece.sections)}:"
    if piece.caption:
        yield (page, "caption", path[0]), f"{piece.caption}:"
    if piece.group:
        yield (page, "group", path[0], piece.group), f"{piece.group}:"
    if piece.row:
        yield (page, "row", path[:2], piece.row), f"{piece.row}:" if piece.column else f"{piece.row} is"


# -- room --------------------------------------------------------------------------------------------------


class _Room:
    """What is left of the length a text may have."""

    def __init__(self, most: int, length: Length) -> None:
        self._most = most
        self._left = most
        self._length = length
        self._printed: set[tuple[object, ...]] = set()

    def facts(self, facts: Sequence[str]) -> list[str]:
        """The first facts that fit."""
        kept = []
        for fact in facts:
            text = _ended(write_numbers(squeeze(fact[: max(self._most, 1) * _CHARACTERS])))
            cost = self._length(text) if text else 0
            if cost > self._left:
                break
            self._left -= cost
            if text:
                kept.append(text)
        return kept

    def take(self, piece: _Piece) -> bool:
        """Whether a piece fits beside those taken before; then it is taken too."""
        cost = self._before(piece)
        if cost <= self._left and piece.text:
            cost += self._length(_ended(piece.sentence))
        if cost > self._left:
            return False
        self._left -= cost
        self._printed.update(key for key, _ in piece.before)
        return True

    def _before(self, piece: _Piece) -> int:
        """The length of what is still to be printed before a piece."""
        return sum(self._length(label) for key, label in piece.before if label and key not in self._printed)

    def cut(self, piece: _Piece) -> _Piece | None:
        """As much of a piece as fits; None where nothing of it does."""
        before = self._before(piece)
        low, high = 0, len(piece.text)
        while low < high:
            middle = (low + high + 1) // 2
            sentence = piece._replace(text=piece.text[:middle]).sentence
            if before + self._length(_ended(sentence)) <= self._left:
                low = middle
            else:
                high = middle - 1
        text = _shortened(piece.text, low)
        short = piece._replace(text=text)
        return short if text and self.take(short) else None


# -- printing ----------------------------------------------------------------------------------------------


def _pages(pieces: Iterable[_Piece]) -> Iterator[str]:
    printed = [piece for piece in pieces if piece.before]
    printed.sort(key=lambda piece: piece.place)
    for page, on_page in groupby(printed, key=lambda piece: piece.id.page):
        title = _title(page)
        if title:
            yield title
        for sections, run in groupby(on_page, key=lambda piece: piece.sections):
            yield from _section(" › ".join(sections), list(run))


@lru_cache(maxsize=1024)
def _title(page: str) -> str:
    return "" if page in PLACEHOLDERS else _ended(_shortened(squeeze(page[: 2 * _LONGEST_LABEL]), _LONGEST_LABEL))


def _section(path: str, pieces: Sequence[_Piece]) -> Iterator[str]:
    body = " ".join(filter(None, _blocks(pieces)))
    if path:
        yield f"{path}: {body}" if body else _ended(path)
    elif body:
        yield body


def _blocks(pieces: Sequence[_Piece]) -> Iterator[str]:
    for order, kind in groupby(pieces, key=lambda piece: _ORDER[piece.id.kind]):
        if order < 2:
            yield from (_ended(piece.text) for piece in kind)
            continue
        for _, run in groupby(kind, key=lambda piece: piece.id.path[0]):
            block = list(run)
            yield _table(block) if order == 2 else _list(block)


def _list(items: Iterable[_Piece]) -> str:
    return _ended("; ".join(filter(None, (item.text.rstrip(" .;,") for item in items))))


def _table(pieces: Sequence[_Piece]) -> str:
    caption = next((piece.caption for piece in pieces if piece.caption), "")
    body = " ".join(_rows(pieces))
    if caption:
        return f"{caption}: {body}" if body else _ended(caption)
    return body


def _rows(pieces: Sequence[_Piece]) -> Iterator[str]:
    """The rows of a table; a header that is printed before a cell is not printed once more by itself."""
    shown = {header for piece in pieces if piece.id.kind is Kind.CELL and piece.text for header in piece.headers}
    cells = [piece for piece in pieces if piece.text and (piece.row or piece.id not in shown)]
    for group, block in groupby(cells, key=lambda piece: piece.group):
        if group:
            yield f"{group}:"
        for _, row in groupby(block, key=lambda piece: piece.id.path[1]):
            yield _ended("; ".join(_runs(row)))


def _runs(row: Iterable[_Piece]) -> Iterator[str]:
    """The cells of one row after the headers that name it; some tables have several names in a row."""
    for name, run in groupby(row, key=lambda piece: piece.row):
        cells = list(run)
        body = "; ".join(cell.sentence for cell in cells).replace(":; ", ": ")
        if not name:
            yield body
        else:
            yield f"{name}: {body}" if any(cell.column for cell in cells) else f"{name} is {body}"


def _ended(text: str) -> str:
    """A text that ends as a sentence does."""
    if not text or text[-1] in _ENDS:
        return text
    return text if text.rstrip(_CLOSING)[-1:] in _ENDS else f"{text}."
