"""DOCX: what was written as styles becomes headings, paragraphs, lists and tables again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from lxml import etree

from veritab.corpus.documents.headers import with_header
from veritab.corpus.documents.spreadsheets import (
    BROKEN_PACKAGE,
    DAMAGED,
    Unreadable,
    open_package,
)
from veritab.corpus.documents.titles import choose_title
from veritab.corpus.draft import Draft
from veritab.corpus.inline import BREAK, clean_line, clean_lines, link_mark
from veritab.errors import MissingExtra
from veritab.schema import Cell, Item
from veritab.text import printable

if TYPE_CHECKING:
    from docx.document import Document
    from docx.parts.document import DocumentPart

Node = etree._Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_R_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_NUMBERING = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering"
_VALUE = f"{_W}val"
_P, _TBL, _TR, _TC = (f"{_W}{name}" for name in ("p", "tbl", "tr", "tc"))
_WRAPPERS = frozenset(f"{_W}{name}" for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo"))
# Properties, deleted text, and the copy of a drawing that older programs would show.
_UNSEEN = frozenset({*(f"{_W}{name}" for name in ("pPr", "rPr", "sdtPr", "del", "moveFrom")), f"{_MC}Fallback"})
_INSTEAD = {f"{_W}tab": " ", f"{_W}br": BREAK, f"{_W}cr": BREAK, f"{_W}noBreakHyphen": "-"}
_TEXTS = frozenset({f"{_W}t", f"{_M}t"})
_HEADING = re.compile(r"heading ([1-9])")
_FIGURE = re.compile(r"fig(?:ure|\.)", re.IGNORECASE)
_LAST_NUMBER = re.compile(r" ([2-9])$")
_WIDEST = 1000
_LOOKED_AT = 5
_LONGEST_CHAIN = 10


class _Style(NamedTuple):
    name: str
    base: str
    properties: Node | None
    heads_first_row: bool


def read_docx(data: bytes, draft: Draft, target: Callable[[str], str]) -> None:
    """Add the body of a Word document; `target` knows the title behind a link's address."""
    try:
        import docx
    except ImportError:
        raise MissingExtra("reading DOCX files", "documents") from None
    package = open_package(data, "a DOCX", "a document")
    try:
        document = docx.Document(package)
    except (KeyError, ValueError):  # no main document among the parts, or another kind of it
        raise Unreadable("not a DOCX file, though its name says so") from None
    except BROKEN_PACKAGE:
        raise Unreadable(DAMAGED) from None
    try:
        draft.own_title = document.core_properties.title
        _Docx(document, draft, target).body(document.element.body)
    except BROKEN_PACKAGE:
        raise Unreadable(DAMAGED) from None


class _Docx:
    """Walks over the body of one document."""

    def __init__(self, document: Document, draft: Draft, target: Callable[[str], str]) -> None:
        self._draft = draft
        self._target = target
        self._relations = document.part.rels
        self._styles = {
            _value(style, "styleId", own=True): _style(style) for style in document.styles.element.iter(f"{_W}style")
        }
        self._formats = _number_formats(document.part)
        self._boxes: list[Node] = []
        self._list: list[tuple[str, Item]] = []

    def body(self, parent: Node) -> None:
        """Add the blocks of a body, a text box, or the only cell of a table."""
        blocks = list(_inside(parent, _P, _TBL))
        captions = self._captions(blocks)
        captioned = {at for at, _ in captions.values()}
        for at, block in enumerate(blocks):
            if at not in captioned:
                if block.tag == _P:
                    self._paragraph(block)
                else:
                    self._table(block, captions[at][1] if at in captions else None)
        self._end_list()

    def _captions(self, blocks: Sequence[Node]) -> dict[int, tuple[int, Node]]:
        """For each table with a caption, where that stands: before it, or else after it and before no other table."""
        styled = {at for at, block in enumerate(blocks) if block.tag == _P and self._is_caption(block)}
        tables = {at for at, block in enumerate(blocks) if block.tag == _TBL}
        found: dict[int, tuple[int, Node]] = {}
        for at in sorted(tables):
            if at - 1 in styled:
                found[at] = (at - 1, blocks[at - 1])
            elif at + 1 in styled and at + 2 not in tables:
                found[at] = (at + 1, blocks[at + 1])
        return found

    def _is_caption(self, paragraph: Node) -> bool:
        named = any(style.name == "caption" for style in self._chain(_style_id(paragraph)))
        return named and not _FIGURE.match("".join(node.text or "" for node in paragraph.iter(f"{_W}t")).strip())

    def _paragraph(self, paragraph: Node) -> None:
        text, links = clean_line(self._text(paragraph), urls=False)
        boxes, self._boxes = self._boxes, []
        level = self._heading_level(paragraph)
        list_id, depth = ("", 0) if level else self._list_place(paragraph)
        if text and list_id:
            if self._list and depth == 0 and self._list[0][0] != list_id:
                self._end_list()
            ordered = self._formats.get(list_id, {}).get(depth, "bullet") != "bullet"
            self._list.append((list_id, Item(text, links, depth, ordered)))
        elif text:
            self._end_list()
            if level:
                if not len(self._draft) and self._is_title(paragraph):
                    self._draft.own_title = choose_title(self._draft.own_title, ()) or text
                self._draft.section(text, level, links)
            else:
                self._draft.paragraph(text, links)
        for box in boxes:
            self._end_list()
            self.body(box)

    def _end_list(self) -> None:
        self._draft.list(item for _, item in self._list)
        self._list = []

    # -- styles --

    def _chain(self, style_id: str) -> Iterator[_Style]:
        """A style and those it is based on."""
        for _ in range(_LONGEST_CHAIN):
            style = self._styles.get(style_id)
            if style is None:
                return
            yield style
            style_id = style.base

    def _is_title(self, paragraph: Node) -> bool:
        return any(style.name == "title" for style in self._chain(_style_id(paragraph)))

    def _heading_level(self, paragraph: Node) -> int:
        for style in self._chain(_style_id(paragraph)):
            if style.name == "title":
                return 1
            if match := _HEADING.fullmatch(style.name):
                return int(match[1])
        return 0

    def _list_place(self, paragraph: Node) -> tuple[str, int]:
        """Which numbering a paragraph belongs to (none: the empty string), and how deep it stands there."""
        chain = list(self._chain(_style_id(paragraph)))
        for properties in (paragraph.find(f"{_W}pPr"), *(style.properties for style in chain)):
            numbering = properties.find(f"{_W}numPr") if properties is not None else None
            list_id = _value(numbering, "numId")
            if list_id:
                named = _LAST_NUMBER.search(chain[0].name) if chain else None  # "List Bullet 2"
                return ("" if list_id == "0" else list_id), _integer(
                    _value(numbering, "ilvl"), int(named[1]) - 1 if named else 0
                )
        return "", 0

    # -- tables --

    def _table(self, table: Node, caption: Node | None) -> None:
        self._end_list()
        rows = list(_inside(table, _TR))
        cells = [cell for row in rows[:2] for cell in _inside(row, _TC)]
        if len(rows) == 1 and len(cells) == 1:  # a frame around text
            self.body(cells[0])
            return
        laid_out = self._with_headers(table, rows, self._rows(rows))
        shown = clean_line(self._text(caption), urls=False) if caption is not None else ("", ())
        self._draft.table(laid_out, *shown)
        boxes, self._boxes = self._boxes, []
        for box in boxes:
            self.body(box)

    def _with_headers(
        self, table: Node, rows: Sequence[Node], cells: Sequence[Sequence[Cell]]
    ) -> list[tuple[Cell, ...]]:
        """The rows with their headers marked: those that repeat on every page, else what their look and words say."""
        said = 0
        while said < len(rows) - 1 and _is_on(rows[said].find(f"{_W}trPr/{_W}tblHeader")):
            said += 1
        if said:
            return [tuple(cell._replace(header=at < said) for cell in row) for at, row in enumerate(cells)]
        bold = {at for at, row in enumerate(rows[:_LOOKED_AT]) if self._is_bold(row)}
        marked = with_header(cells, bold)
        if len(rows) > 1 and self._styles_first_row(table):
            marked[0] = tuple(cell._replace(header=True) for cell in marked[0])
        return marked

    def _styles_first_row(self, table: Node) -> bool:
        properties = table.find(f"{_W}tblPr")
        look = properties.find(f"{_W}tblLook") if properties is not None else None
        if look is None or not (
            look.get(f"{_W}firstRow") in ("1", "true", "on") or _integer(look.get(_VALUE), 0, 16) & 0x20
        ):
            return False
        return any(style.heads_first_row for style in self._chain(_value(properties, "tblStyle")))

    def _is_bold(self, row: Node) -> bool:
        """Whether all that a row says is bold, or set in a style for the headings of tables."""
        texts = [text for text in row.iter(f"{_W}t") if (text.text or "").strip()]
        runs = [(run, run.getparent()) for text in texts if (run := text.getparent()) is not None]
        return bool(runs) and all(
            _is_on(run.find(f"{_W}rPr/{_W}b"))
            or (parent is not None and any("heading" in style.name for style in self._chain(_style_id(parent))))
            for run, parent in runs
        )

    def _rows(self, rows: Iterable[Node]) -> list[list[Cell]]:
        laid_out: list[list[Cell]] = []
        merging: dict[int, tuple[int, int]] = {}  # grid column -> row and position of the cell that reaches down
        for at, row in enumerate(rows):
            before = _integer(_value(row.find(f"{_W}trPr"), "gridBefore"), 0)
            cells = [Cell("", column_span=min(before, _WIDEST))] if before else []
            laid_out.append(cells)
            column = before
            for node in _inside(row, _TC):
                properties = node.find(f"{_W}tcPr")
                across = min(max(_integer(_value(properties, "gridSpan"), 1), 1), _WIDEST)
                down = properties.find(f"{_W}vMerge") if properties is not None else None
                anchor = merging.get(column)
                if down is not None and down.get(_VALUE) != "restart" and anchor and _reaches(laid_out, anchor, at):
                    above = laid_out[anchor[0]][anchor[1]]
                    laid_out[anchor[0]][anchor[1]] = above._replace(row_span=above.row_span + 1)
                else:
                    merging[column] = (at, len(cells))
                    text, links = clean_lines(self._cell_text(node), urls=False)
                    cells.append(Cell(text, links, column_span=across))
                column += across
        return laid_out

    def _cell_text(self, cell: Node) -> str:
        """The paragraphs of a cell, those of tables inside it included."""
        pieces = []
        for block in _inside(cell, _P, _TBL):
            if block.tag == _P:
                pieces.append(self._text(block))
            else:
                pieces += [self._cell_text(inner) for row in _inside(block, _TR) for inner in _inside(row, _TC)]
        return BREAK.join(pieces)

    # -- running text --

    def _text(self, node: Node) -> str:
        pieces: list[str] = []
        self._collect(node, pieces)
        return "".join(pieces)

    def _collect(self, node: Node, pieces: list[str]) -> None:
        for child in node:
            tag = child.tag
            if tag in _TEXTS:
                pieces.append(printable(child.text or ""))
            elif tag in _INSTEAD:
                pieces.append(_INSTEAD[tag])
            elif tag == f"{_W}txbxContent":
                self._boxes.append(child)
            elif tag == f"{_W}hyperlink":
                self._link(child, pieces)
            elif tag not in _UNSEEN:
                self._collect(child, pieces)

    def _link(self, node: Node, pieces: list[str]) -> None:
        relation = self._relations.get(node.get(_R_ID))
        target = self._target(relation.target_ref) if relation is not None and relation.is_external else ""
        shown = self._text(node)
        pieces.append(link_mark(target, shown) if target else shown)


def _inside(parent: Node, *tags: str) -> Iterator[Node]:
    """The children with these tags, those wrapped by content controls and tracked insertions included."""
    for child in parent:
        if child.tag in tags:
            yield child
        elif child.tag in _WRAPPERS:
            yield from _inside(child, *tags)


def _value(parent: Node | None, name: str, *, own: bool = False) -> str:
    """What a property says: an attribute of a child, or of the node itself."""
    if own and parent is not None:
        return parent.get(f"{_W}{name}") or ""
    child = parent.find(f"{_W}{name}") if parent is not None else None
    return (child.get(_VALUE) or "") if child is not None else ""


def _integer(text: str | None, default: int, base: int = 10) -> int:
    try:
        return min(max(int(text[:9], base), 0), 10**6) if text else default
    except ValueError:
        return default


def _is_on(node: Node | None) -> bool:
    return node is not None and node.get(_VALUE) not in ("0", "false", "off")


def _style_id(paragraph: Node) -> str:
    return _value(paragraph.find(f"{_W}pPr"), "pStyle")


def _style(node: Node) -> _Style:
    first_row = any(part.get(f"{_W}type") == "firstRow" for part in node.iter(f"{_W}tblStylePr"))
    return _Style(_value(node, "name").lower(), _value(node, "basedOn"), node.find(f"{_W}pPr"), first_row)


def _number_formats(part: DocumentPart) -> dict[str, dict[int, str]]:
    """How each numbering writes each of its levels: "bullet", "decimal" and so on."""
    try:
        root: Node = getattr(part.part_related_by(_NUMBERING), "element")  # noqa: B009 - its type does not tell
    except KeyError:  # a document without lists
        return {}
    abstract: dict[str, dict[int, str]] = {}
    for node in root.iter(f"{_W}abstractNum"):
        levels = {_integer(level.get(f"{_W}ilvl"), 0): _value(level, "numFmt") for level in node.iter(f"{_W}lvl")}
        abstract[_value(node, "abstractNumId", own=True)] = levels
    return {
        _value(node, "numId", own=True): abstract.get(_value(node, "abstractNumId"), {})
        for node in root.iter(f"{_W}num")
    }


def _reaches(rows: Sequence[Sequence[Cell]], anchor: tuple[int, int], row: int) -> bool:
    return anchor[0] + rows[anchor[0]][anchor[1]].row_span == row
