"""HTML becomes blocks: one walk over the tree, with a dialect that says what to skip and which tables hold data.

Speed matters here (whole encyclopedias pass through), so decisions about class and style attributes are remembered per
attribute value: a page repeats a few dozen of them thousands of times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias, TypeVar, cast

from lxml import etree

from veritab.corpus.draft import Draft
from veritab.corpus.inline import (
    BREAK,
    HIDDEN_STYLE,
    MARK,
    LinkSpan,
    clean_lines,
    drop_leftovers,
    join_pieces,
    to_superscript,
)
from veritab.corpus.records import REPLACED
from veritab.schema import Cell, Item, Links

Node: TypeAlias = "etree._Element"

# Control bytes are dropped before parsing: they end a document early in some parsers and could be taken for marks.
_CONTROL = bytes(range(0x00, 0x09)) + bytes((0x0B, 0x0C)) + bytes(range(0x0E, 0x20)) + b"\x7f"
_MARK_BYTES = tuple(bytes((code,)) for code in range(5))
LARGEST_PAGE = 8 * 2**20
"""Bytes. A tree and its cells may take a hundred times the memory of their source; no page people read is so large."""
# Enough for the links a corpus repeats, little enough for memory to stay flat.
_MOST_REMEMBERED = 20_000
# libxml2 refuses trees deeper than this, and pages written by hand are not.
_DEEPEST = 200


class Action(Enum):
    """What a dialect wants done with an element because of its class."""

    KEEP = "keep"
    SHOW = "show"
    """Keep, although its style hides it: readers open it with a click."""
    SKIP = "skip"
    FLAG_ICON = "flag icon"
    """A small picture that stands for a word; its description is used where a cell has nothing else."""
    FLAG = "flag"
    MATH = "math"


@dataclass(frozen=True)
class Dialect:
    """What differs between kinds of HTML pages."""

    class_action: Callable[[str], Action]
    is_data_table: Callable[[str], bool]
    is_infobox: Callable[[str], bool]
    target: Callable[[str], str]
    """The title a link's address points to, or the empty string."""
    left_out_sections: frozenset[str] = frozenset()
    drop_flagged: bool = False
    mask_urls: bool = True
    drops_leftovers: bool = False
    mark_headers: Callable[[Sequence[Sequence[Cell]]], Sequence[Sequence[Cell]]] | None = None
    """Finds the header cells of a table that marks none."""
    actions: dict[str, Action] = field(default_factory=dict, compare=False)
    targets: dict[str, str] = field(default_factory=dict, compare=False)
    cells: dict[str, Cell] = field(default_factory=dict, compare=False)


class FlaggedPage(Exception):
    """The page says of itself that it lacks citations, before its first section."""


def parse_tree(
    data: bytes, encoding: str = "utf-8", prepare: Callable[[Node], None] | None = None
) -> tuple[Node | None, list[str]]:
    """The tree of an HTML document (None when nothing is in it), and what had to be mended or left out to get it.

    Emphasis is gone from the tree; `prepare` sees it before.
    """
    mended: list[str] = []
    if len(data) > LARGEST_PAGE:
        return None, [f"an HTML page larger than {LARGEST_PAGE // 2**20} MB"]
    if any(byte in data for byte in _MARK_BYTES):
        data = data.translate(None, _CONTROL)
        mended.append("control characters were removed")
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        data = data.decode(encoding, "replace").encode()
        encoding = "utf-8"
        mended.append(REPLACED)
    root = _well_formed_tree(data) if encoding == "utf-8" else None
    if root is None:
        parser = etree.HTMLParser(encoding=encoding, remove_comments=True, remove_pis=True, huge_tree=True)
        try:
            root = etree.fromstring(data, parser)
        except etree.XMLSyntaxError:  # "Document is empty"
            root = None
        if root is None:
            return None, mended
        last = parser.error_log.last_error
        if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
            mended.append("nested deeper than can be read; the rest was left out")
        elif _may_be_cut(data):
            mended.append("a table is never closed: the page may be cut")
    if prepare:
        prepare(root)
    if _HIDDEN_EMPHASIS.search(data):
        for node in root.iter(*_EMPHASIS):
            if node.get("style") or node.get("hidden") is not None:
                node.tag = "span"
    etree.strip_tags(root, *_EMPHASIS)
    return root, mended


def _may_be_cut(data: bytes) -> bool:
    """Whether a page ends before it should: of all large blocks, only a table may never be left open."""
    return data.count(b"<table") > data.count(b"</table")


def _well_formed_tree(data: bytes) -> Node | None:
    """The tree of a page that happens to be XML, as what MediaWiki writes often is: that parser is a quarter faster."""
    if not data.strip() or b"<!DOCTYPE" in data or b"<!doctype" in data or b"<html" in data:
        return None
    parser = etree.XMLParser(
        encoding="utf-8",
        remove_comments=True,
        remove_pis=True,
        resolve_entities=False,
        no_network=True,
        collect_ids=False,
    )
    try:
        return etree.fromstring(b"<body>" + data + b"</body>", parser)
    except etree.XMLSyntaxError:
        return None


# Emphasis says nothing that a reader of evidence needs; without it the walk has half as many nodes to visit.
_EMPHASIS = "b i em strong big small u tt font abbr acronym nobr s ins bdi wbr".split()

_HIDDEN_EMPHASIS = re.compile(rb"<(?:b|i|em|strong|big|small|u|tt|font|abbr|s|ins)\s[^>]*(?:display|visibility|hidden)")

# What the walk does with a tag.
_SKIP, _INLINE, _PARAGRAPH, _HEADING, _LIST, _TABLE, _CONTAINER, _LINE = range(8)
_SKIPPED = (
    "script style noscript template head meta link title iframe object embed svg canvas audio video map area img "
    "picture source track figure input button select textarea option label nav rp rt".split()
)
_CONTAINERS = (
    "html body div section article main header footer aside center blockquote form fieldset details address figcaption "
    "td th tr tbody thead tfoot li dd dt noframes hgroup".split()
)
_TAGS: dict[str, int] = {
    **dict.fromkeys(_SKIPPED, _SKIP),
    **dict.fromkeys(_CONTAINERS, _CONTAINER),
    **dict.fromkeys("h1 h2 h3 h4 h5 h6".split(), _HEADING),
    **dict.fromkeys("ul ol dl menu dir".split(), _LIST),
    **dict.fromkeys("p pre summary".split(), _PARAGRAPH),
    "table": _TABLE,
    "br": _LINE,
    "hr": _LINE,
}
_DIGITS = re.compile(r"\s*(\d{1,9})")


def walk(root: Node, draft: Draft, dialect: Dialect) -> None:
    """Add everything a tree holds to a draft."""
    _Walk(draft, dialect).container(root, loose=True, depth=0)


class _Walk:
    def __init__(self, draft: Draft, dialect: Dialect) -> None:
        self._draft = draft
        self._dialect = dialect
        self._urls = dialect.mask_urls
        self._actions = dialect.actions
        self._targets = dialect.targets
        self._cells = dialect.cells
        self._hidden: dict[str, bool] = {}
        # While > 0, everything up to the next heading of this level or a higher one is left out.
        self._left_out_level = 0
        self._section_level = 0
        self._section_start = draft.mark()
        # Tables met inside a paragraph, an item or a cell: each becomes a table of its own after the block it was in.
        self._inner_tables: list[Node] = []
        self._icons: list[Node] = []
        # The links of the text being collected.
        self._spans: list[LinkSpan] = []

    # -- blocks --

    def container(self, node: Node, *, loose: bool, depth: int) -> None:
        """Walk the blocks of a node; `loose` text between them is a paragraph too."""
        if depth > _DEEPEST:
            self._paragraph([all_text(node)])
            return
        pieces: list[str] = [node.text] if node.text else []
        for child in node:
            what = _TAGS.get(child.tag, _INLINE)
            if what == _INLINE or what == _LINE:
                if loose:
                    self._inline_child(child, what, pieces, depth)
            elif what != _SKIP and not self._skips(child, pieces):
                if loose:
                    self._paragraph(pieces)
                pieces = []
                self._block(child, what, loose, depth)
            tail = child.tail
            if tail:
                pieces.append(tail)
        if loose:
            self._paragraph(pieces)

    def _block(self, node: Node, what: int, loose: bool, depth: int) -> None:
        if what == _HEADING:
            self._heading(node, depth)
        elif self._left_out_level:
            # Headings end a left-out section even when they are wrapped in a container, so keep looking.
            if what == _CONTAINER:
                self.container(node, loose=loose, depth=depth + 1)
        elif what == _CONTAINER:
            self.container(node, loose=loose, depth=depth + 1)
        else:
            self._text_block(node, what, depth)
            while self._inner_tables:
                inner, self._inner_tables = self._inner_tables, []
                for table in inner:
                    self._table(table, depth + 1)

    def _text_block(self, node: Node, what: int, depth: int) -> None:
        if what == _PARAGRAPH:
            pieces: list[str] = []
            self._collect(node, pieces, depth)
            self._paragraph(pieces)
        elif what == _LIST:
            items: list[Item] = []
            self._items(node, 0, items, depth)
            self._draft.list(items)
        elif what == _TABLE:
            self._table(node, depth)

    def _heading(self, node: Node, depth: int) -> None:
        pieces: list[str] = []
        self._collect(node, pieces, depth)
        text, links = self._joined(pieces)
        level = int(node.tag[1])
        if self._left_out_level and level > self._left_out_level:
            return
        self._left_out_level = 0
        if text.casefold() in self._dialect.left_out_sections:
            self._left_out_level = level
            return
        self._section_level = level
        self._section_start = self._draft.mark()
        if text:
            self._draft.section(text, level, links)

    def _paragraph(self, pieces: list[str]) -> None:
        if pieces and not self._left_out_level:
            text, links = self._joined(pieces)
            if self._dialect.drops_leftovers:
                text, links = drop_leftovers(text, links)
            if text:
                self._draft.paragraph(text, links)
        elif self._spans:
            self._spans = []

    def _items(self, node: Node, level: int, items: list[Item], depth: int, ordered: bool | None = None) -> None:
        ordered = node.tag == "ol" if ordered is None else ordered
        has_terms = node.find("dt") is not None
        if depth > _DEEPEST:
            return
        for child in node:
            tag = child.tag
            if tag in ("li", "dt", "dd"):
                if not self._skips(child):
                    own = level + 1 if has_terms and tag == "dd" else level
                    self._item(child, own, ordered, items, depth + 1)
            elif _TAGS.get(tag) == _LIST:
                self._items(child, level + 1, items, depth + 1)
            elif tag == "div":  # groups of terms, and what editors wrap around items
                self._items(child, level, items, depth + 1, ordered)

    def _item(self, node: Node, level: int, ordered: bool, items: list[Item], depth: int) -> None:
        pieces: list[str] = []
        nested: list[Node] = []
        self._collect(node, pieces, depth, nested)
        text, links = self._joined(pieces)
        if text:
            items.append(Item(text, links, level, ordered))
        for inner in nested:
            self._items(inner, level + 1 if text else level, items, depth + 1)

    # -- tables --

    def _table(self, node: Node, depth: int) -> None:
        classes = node.get("class") or ""
        if not self._dialect.is_data_table(classes):
            # A table used for layout: its prose between blocks is not trusted, the blocks in it are.
            self.container(node, loose=False, depth=depth + 1)
            return
        rows: list[list[Cell]] = []
        caption: tuple[str, Links] = ("", ())
        for part in node:
            tag = part.tag
            if tag == "tr":
                self._row(part, rows, depth)
            elif tag in ("tbody", "thead", "tfoot"):
                for row in part:
                    if row.tag == "tr":
                        self._row(row, rows, depth)
                    elif row.tag in ("td", "th"):
                        rows.append([self._cell(row, depth)])
            elif tag in ("td", "th"):
                rows.append([self._cell(part, depth)])
            elif tag == "caption" and not caption[0] and not self._skips(part):
                pieces: list[str] = []
                self._collect(part, pieces, depth)
                caption = self._joined(pieces)
        mark = self._dialect.mark_headers
        marked = mark(rows) if mark and not any(cell.header for row in rows for cell in row) else rows
        self._draft.table(marked, *caption, infobox=self._dialect.is_infobox(classes))

    def _row(self, node: Node, rows: list[list[Cell]], depth: int) -> None:
        if not self._skips(node):
            rows.append([self._cell(cell, depth) for cell in node.iterchildren("td", "th")])

    def _cell(self, node: Node, depth: int) -> Cell:
        children = len(node)
        if not children:
            cell = self._plain_cell(node.text or "")
        elif children == 1 and node[0].tag == "a" and not len(node[0]):
            cell = self._link_cell(node, node[0], depth)
        else:
            cell = self._mixed_cell(node, depth)
        down, across = node.get("rowspan"), node.get("colspan")
        header = node.tag == "th"
        if header or down is not None or across is not None:
            return Cell(cell.text, cell.links, header, _span(down), _span(across) or 1)
        return cell

    def _plain_cell(self, raw: str) -> Cell:
        """A cell of text alone. Tables repeat their words: the same text is the same cell."""
        known = self._cells.get(raw)
        if known is None:
            known = Cell(*clean_lines(raw, self._urls))
            _remember(self._cells, raw, known)
        return known

    def _link_cell(self, node: Node, link: Node, depth: int) -> Cell:
        """A cell of one link alone, repeated about as often."""
        before, after, href, anchor = node.text, link.tail, link.get("href"), link.text
        if (before and not before.isspace()) or (after and not after.isspace()) or not href or not anchor:
            return self._mixed_cell(node, depth)
        if link.get("class") or link.get("style"):
            return self._mixed_cell(node, depth)
        key = f"{href}{MARK}{anchor}"  # no text holds that character, so no plain cell has this key
        known = self._cells.get(key)
        if known is None:
            known = self._mixed_cell(node, depth)
            _remember(self._cells, key, known)
        return known

    def _mixed_cell(self, node: Node, depth: int) -> Cell:
        pieces: list[str] = []
        self._icons.clear()
        self._collect(node, pieces, depth)
        text, links = self._joined(pieces, breaks=True)
        if not text and self._icons:
            described = [alt for icon in self._icons for image in icon.iter("img") if (alt := image.get("alt"))]
            text, links = clean_lines(BREAK.join(described), self._urls)
        return Cell(text, links)

    # -- running text --

    def _collect(self, node: Node, pieces: list[str], depth: int, nested: list[Node] | None = None) -> None:
        """Collect the text under a node; lists go to `nested` when it is given, else into the text."""
        if depth > _DEEPEST:
            pieces.append(all_text(node))
            return
        text = node.text
        if text:
            pieces.append(text)
        for child in node:
            what = _TAGS.get(child.tag, _INLINE)
            if what == _INLINE or what == _LINE:
                self._inline_child(child, what, pieces, depth, nested)
            elif what != _SKIP and not self._skips(child, pieces):
                if what == _LIST and nested is not None:
                    nested.append(child)
                elif what == _TABLE and self._dialect.is_data_table(child.get("class") or ""):
                    self._inner_tables.append(child)
                else:
                    pieces.append(BREAK)
                    self._collect(child, pieces, depth + 1, nested)
                    pieces.append(BREAK)
            tail = child.tail
            if tail:
                pieces.append(tail)

    def _inline_child(
        self, child: Node, what: int, pieces: list[str], depth: int, nested: list[Node] | None = None
    ) -> None:
        tag = child.tag
        if what == _LINE:
            pieces.append(BREAK)
        elif tag == "a":
            self._link(child, pieces, depth)
        elif not self._skips(child, pieces):
            if tag == "sup":
                spans = len(self._spans)
                inner: list[str] = []
                self._collect(child, inner, depth + 1)
                del self._spans[spans:]  # they count other pieces
                pieces.append(to_superscript("".join(inner)))
            else:
                self._collect(child, pieces, depth + 1, nested)

    def _link(self, node: Node, pieces: list[str], depth: int) -> None:
        if self._skips(node):
            return
        href = node.get("href")
        target = ""
        if href:
            known = self._targets.get(href)
            if known is None:
                known = self._dialect.target(href)
                _remember(self._targets, href, known)
            target = known
        start = len(pieces)
        self._collect(node, pieces, depth + 1)
        if target and len(pieces) > start:
            self._spans.append((start, len(pieces), target))

    def _joined(self, pieces: list[str], *, breaks: bool = False) -> tuple[str, Links]:
        """The text of collected pieces and its links; the walk is ready to collect the next."""
        spans = self._spans
        if spans:
            self._spans = []
        return join_pieces(pieces, spans, self._urls, breaks=breaks)

    # -- what to skip --

    def _skips(self, node: Node, pieces: list[str] | None = None) -> bool:
        classes = node.get("class")
        if classes:
            action = self._actions.get(classes)
            if action is None:
                action = self._dialect.class_action(classes)
                _remember(self._actions, classes, action)
            if action is not Action.KEEP:
                if action is Action.SHOW:
                    return False
                if action is Action.FLAG:
                    self._flagged(node)
                elif action is Action.FLAG_ICON:
                    self._icons.append(node)
                elif action is Action.MATH and pieces is not None:
                    pieces.append(_formula(node))
                return True
        style = node.get("style")
        if style:
            hidden = self._hidden.get(style)
            if hidden is None:
                hidden = self._hidden[style] = bool(HIDDEN_STYLE.search(style))
            return hidden
        return False

    def _flagged(self, node: Node) -> None:
        """A notice box: when it says that citations lack, leave its section (or the whole page) out."""
        if not self._dialect.drop_flagged or self._left_out_level:
            return
        boxes = (box.get("class") or "" for box in node.iter("table", "div", "li", "span"))
        if any(lacks_citations(classes) for classes in boxes):
            if not self._section_level:
                raise FlaggedPage(self._draft.title)
            self._draft.roll_back(self._section_start)
            self._draft.problem("section", "left out: flagged as lacking citations")
            self._left_out_level = self._section_level


_Known = TypeVar("_Known")


def _remember(known: dict[str, _Known], key: str, value: _Known) -> None:
    if len(known) >= _MOST_REMEMBERED:
        known.clear()
    known[key] = value


def _span(value: str | None) -> int:
    match = _DIGITS.match(value) if value else None
    return int(match[1]) if match else 1


def _formula(node: Node) -> str:
    for inner in node.iter("img", "math"):
        written = inner.get("alt") or inner.get("alttext")
        if written:
            return " ".join(written.split())
    return all_text(node)


_LACKS = re.compile(
    r"\b(?:ambox|box)-(?:refimprove|unreferenced|more_citations_needed|blp_sources|blp_unsourced|blp_refimprove|"
    r"citations?_missing|no_footnotes|more_footnotes(?:_needed)?|unsourced|no_citations?)(?![a-z])",
    re.IGNORECASE,
)


def lacks_citations(classes: str) -> bool:
    """Whether a notice box's class says that the page or section needs (more) citations."""
    return bool(_LACKS.search(classes))


def all_text(node: Node) -> str:
    """Every character under a node, as it stands there."""
    return "".join(cast(Iterator[str], node.itertext()))


def text_of(node: Node | None) -> str:
    """The plain text of a node, squeezed."""
    return " ".join(all_text(node).split()) if node is not None else ""


def body(root: Node) -> Node:
    """The body of a document, or the root of a fragment."""
    found = root.find("body")
    return root if found is None else found


def first(root: Node, expression: str) -> Node | None:
    """The first node an XPath expression finds."""
    found = cast(list[Node], root.xpath(expression))
    return found[0] if found else None
