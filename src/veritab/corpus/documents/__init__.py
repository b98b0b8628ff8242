"""Plain documents: one file is one page, whatever program wrote it. Markdown, HTML and text are read here."""

from __future__ import annotations

import codecs
import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from lxml import etree
from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from veritab.corpus.documents.headers import with_header
from veritab.corpus.documents.pdf import read_pdf
from veritab.corpus.documents.spreadsheets import Unreadable, read_delimited, read_xlsx
from veritab.corpus.documents.titles import choose_title
from veritab.corpus.documents.word import read_docx
from veritab.corpus.draft import Draft
from veritab.corpus.html import Action, Dialect, Node, body, parse_tree, walk
from veritab.corpus.inline import clean_line
from veritab.corpus.records import REPLACED
from veritab.corpus.remote import SourcePath
from veritab.corpus.streams import RawRecord, bounded_file, printable_path
from veritab.schema import Item, Page, Problem
from veritab.text import printable, title_form

_COMPRESSED = frozenset({".gz", ".bz2", ".xz"})


@dataclass(frozen=True)
class DocumentReader:
    """Reads a file as a page, by the suffix of its name."""

    def cut(self, path: SourcePath) -> Iterator[RawRecord | Problem]:
        """The whole file."""
        read = bounded_file(path, path.name)
        yield read._replace(file=printable_path(path.name)) if isinstance(read, RawRecord) else read

    def parse(self, raw: RawRecord) -> Iterator[Page | Problem]:
        """The page a file holds, after the problems met on it."""
        name = _plain_name(raw.where)
        draft = Draft(raw.title or name.stem, revision=raw.revision)
        read = _READERS.get(name.suffix.lower())
        try:
            if read is None:
                raise Unreadable("no reader for files of this kind")
            read(raw, draft)
            if not len(draft):
                raise Unreadable(draft.problems.pop().what if draft.problems else "nothing to read in it")
        except Unreadable as unreadable:
            draft.problem(raw.where, str(unreadable), lost=True)
        yield from draft.problems
        if len(draft):
            page = draft.page()
            title = choose_title(draft.own_title, page.blocks)
            yield replace(page, title=title or page.title, file=raw.file or name.name, name=page.title)


def _plain_name(where: str) -> PurePosixPath:
    """The name of a file without the suffix of its compression, which is undone by the time a page is parsed."""
    name = PurePosixPath(PurePosixPath(where).name)
    return name.with_suffix("") if name.suffix.lower() in _COMPRESSED else name


def link_target(href: str, title: str) -> str:
    """The title of the document a relative address points to, seen from the page with that title; else nothing."""
    try:
        parts = urlsplit(href.strip())
    except ValueError:  # a broken address in brackets
        return ""
    if parts.scheme or parts.netloc or not parts.path or parts.path.endswith("/"):
        return ""
    path = unquote(parts.path)
    # An address from the root starts at the folder that holds the documents, like every title.
    path = posixpath.normpath(
        path.lstrip("/") if path.startswith("/") else posixpath.join(posixpath.dirname(title), path)
    )
    stem, suffix = posixpath.splitext(path)
    # Above that folder there are no pages; other suffixes are pictures and programs.
    if path == "." or path.split("/")[0] == ".." or (suffix and suffix.lower() not in SUFFIXES):
        return ""
    return title_form(stem)


# -- characters --------------------------------------------------------------------------------------------

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# A PDF file may hold few bytes that no text has.
_OTHER_KINDS = (b"%PDF-", b"PK\x03\x04")
# Tab, line ends, form feed and escape do occur in text.
_CONTROL = bytes(set(range(0x20)) - set(b"\t\n\r\f\x1b"))
_DECLARED = re.compile(rb"<meta\s[^>]*?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.\-]{1,40})", re.IGNORECASE)
_DECLARED_WITHIN = 4096
# What browsers read in place of what a page declares, by Python's names. No other word of a page is taken: Python also
# knows codecs that expand, or that are no character sets.
_CHARACTER_SETS = {
    **{name: name for name in ("utf-8", "cp866", "koi8-r", "koi8-u", "mac-roman", "cp874", "cp932", "cp949")},
    **{name: name for name in ("big5", "euc_jp", "iso2022_jp", "gb18030")},
    **{f"cp{number}": f"cp{number}" for number in range(1250, 1259)},
    **{f"iso8859-{number}": f"iso8859-{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
}
_AS_WINDOWS = "bytes that are not UTF-8 were read as Windows-1252"


def decode(raw: RawRecord, draft: Draft, *, declared: str = "") -> str:
    """The text of a file: by its byte order mark, by what it declares, as UTF-8, or else as Windows-1252."""
    data = raw.data
    for mark, encoding in _BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _decode_as(encoding, data[len(mark) :], raw.where, draft)
    printed = data.translate(None, _CONTROL)
    if data.startswith(_OTHER_KINDS) or len(data) - len(printed) > 4 + len(data) // 50:
        raise Unreadable("not text, though its name says so")
    if len(printed) < len(data):
        draft.problem(raw.where, "control characters were removed")
        data = printed
    if declared and declared != "utf-8":
        return _decode_as(declared, data, raw.where, draft)
    try:
        return data.decode()
    except UnicodeDecodeError:
        text = data.decode("utf-8", "replace")
    # A few bad bytes (or a cut) among many good sequences are damage to UTF-8, not another encoding.
    bad = text.count("\ufffd")
    if sum(character > "\x7f" for character in text) > 2 * bad:
        draft.problem(raw.where, REPLACED)
        return text
    draft.problem(raw.where, _AS_WINDOWS)
    return data.decode("cp1252", "replace")


def _decode_as(encoding: str, data: bytes, where: str, draft: Draft) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        draft.problem(
            where, REPLACED if encoding == "utf-8" else "bytes outside the declared character set were replaced"
        )
        return data.decode(encoding, "replace")


def _declared(data: bytes) -> str:
    match = _DECLARED.search(data[:_DECLARED_WITHIN])
    try:
        return _CHARACTER_SETS.get(codecs.lookup(match[1].decode()).name, "") if match else ""
    except LookupError:
        return ""


# -- HTML --------------------------------------------------------------------------------------------------

_SKIPPED = frozenset({"nav", "navbar", "navigation", "breadcrumb", "breadcrumbs", "toc", "headerlink", "skip-link"})
_SKIPPED_ROLES = frozenset({"navigation", "search", "doc-toc"})
_MOST_HEADS = 4
_TEXTS = etree.XPath(".//text()[normalize-space()]")
_HEAVY = "self::b or self::strong or " + " or ".join(
    f"contains(translate(@style, ' ', ''), 'font-weight:{weight}')" for weight in ("bold", "600", "700", "800", "900")
)
_PLAIN_TEXTS = etree.XPath(f".//text()[normalize-space()][not(ancestor::*[{_HEAVY}])]")
_BLOCKS_OF_LAYOUT = frozenset({"table", "h1", "h2", "h3", "h4", "h5", "h6", "form", "main", "article", "section"})


def _class_action(classes: str) -> Action:
    return Action.KEEP if _SKIPPED.isdisjoint(classes.split()) else Action.SKIP


def read_html(raw: RawRecord, draft: Draft) -> None:
    """Add what an HTML page shows to its readers."""
    _add_html(decode(raw, draft, declared=_declared(raw.data)), raw.where, draft)


def _add_html(text: str, where: str, draft: Draft) -> None:
    root, mended = parse_tree(text.encode("utf-8", "replace"), prepare=_mark_header_rows)
    for what in mended:
        draft.problem(where, what)
    if root is None:
        return
    if sum(1 for _ in root.iter("h1")) != 1:  # the only heading of the first level says it better
        draft.own_title = draft.own_title or root.findtext(".//title") or ""
    _prepare(root)
    dialect = Dialect(
        class_action=_class_action,
        is_data_table=lambda classes: True,
        is_infobox=lambda classes: False,
        target=lambda href: link_target(href, draft.title),
        mask_urls=False,
        mark_headers=with_header,
    )
    walk(body(root), draft, dialect)


def _mark_header_rows(root: Node) -> None:
    """Make header cells of the cells in a table's head, or else of first rows that are bold where others are not."""
    for table in root.iter("table"):
        if table.find(".//th") is not None or table.find(".//table") is not None:
            continue
        rows = table.findall("tr") + table.findall("thead/tr") + table.findall("tbody/tr")
        heads = table.findall("thead/tr")
        if not heads:
            strong = [_is_bold(row) for row in rows[: _MOST_HEADS + 1]]
            count = strong.index(False) if False in strong else 0
            heads = rows[:count]
        for cell in (cell for row in heads if len(rows) > len(heads) for cell in row.findall("td")):
            cell.tag = "th"


def _is_bold(row: Node) -> bool:
    """Whether all that a row says is bold."""
    texts = _TEXTS(row)
    return bool(texts) and not _PLAIN_TEXTS(row)


def _prepare(root: Node) -> None:
    """Say in tags what the walk should see: no navigation, no layout tables, captions on their tables."""
    for node in list(root.iter("figure")):
        _open_figure(node)
    for node in root.iter("*"):
        if node.get("hidden") is not None or node.get("role") in _SKIPPED_ROLES:
            node.tag = "nav"
    for footer in _outermost(root, "footer"):
        for node in _outermost(footer, "ul", "ol"):
            if _only_links(node):
                node.tag = "nav"
    for table in _layout_tables(root):
        table.tag = "div"


def _outermost(root: Node, *tags: str) -> Iterator[Node]:
    """The nodes with these tags that stand in no other one."""
    walker = etree.iterwalk(root, events=("start",), tag=tags)
    for _, node in walker:
        if node is not root:
            walker.skip_subtree()
            yield node


def _only_links(node: Node) -> bool:
    linked = sum(_letters(link) for link in _outermost(node, "a"))
    return 0 < linked == _letters(node)


def _letters(node: Node) -> int:
    return sum(len(word) for text in node.itertext() for word in text.split())


def _open_figure(figure: Node) -> None:
    figure.tag = "div"
    table, caption = figure.find(".//table"), figure.find("figcaption")
    if table is not None and caption is not None and table.find("caption") is None:
        caption.tag, caption.tail = "caption", None
        table.insert(0, caption)


def _layout_tables(root: Node) -> list[Node]:
    """The tables that only arrange a page: those that say so, and those without header cells or caption that hold
    another table, a heading or another large block, or only a single cell."""
    layout: list[Node] = []
    open_tables: list[dict[str, int]] = []
    watched = ("table", "th", "td", "caption", *_BLOCKS_OF_LAYOUT)
    for event, node in etree.iterwalk(root, events=("start", "end"), tag=watched):
        tag = node.tag
        if event == "start":
            if open_tables:
                kind = "block" if tag in _BLOCKS_OF_LAYOUT else tag
                open_tables[-1][kind] = open_tables[-1].get(kind, 0) + 1
            if tag == "table":
                open_tables.append({})
        elif tag == "table":
            held = open_tables.pop()
            arranges = not held.get("th") and not held.get("caption") and (held.get("block") or held.get("td", 0) < 2)
            if arranges or node.get("role") in ("presentation", "none"):
                layout.append(node)
    return layout


# -- Markdown ----------------------------------------------------------------------------------------------

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(?=\S)(?:.*+\n)*?(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)")
_TITLE_LINE = re.compile(r"^title:[ \t]*(\S.*?)[ \t]*\r?$", re.MULTILINE)
# Deep enough for a list in a list fifty times over, and well within Python's own stack.
_DEEPEST = 150
_QUOTE_MARKS = re.compile(r"[\s>]*")


@cache
def _markdown() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    parser.core.ruler.before("inline", "surplus_cells", _keep_surplus_cells)
    return parser


def _keep_surplus_cells(state: StateCore) -> None:
    """Give a row the cells it has beyond its table's header: the parser drops them."""
    source: list[str] = []
    tokens: list[Token] = []
    cells = 0
    for token in state.tokens:
        if token.type == "tr_open":
            cells = 0
        elif token.type == "td_open":
            cells += 1
        elif token.type == "tr_close" and cells and tokens[-2].map:
            source = source or state.src.split("\n")
            line = _QUOTE_MARKS.sub("", source[tokens[-2].map[0]], count=1).rstrip()
            written = escapedSplit(line.removeprefix("|"))
            for content in written[cells : -1 if written[-1] == "" else None]:
                tokens += _cell_tokens(content.strip())
        tokens.append(token)
    state.tokens = tokens


def _cell_tokens(content: str) -> list[Token]:
    return [
        Token("td_open", "td", 1),
        Token("inline", "", 0, content=content, children=[]),
        Token("td_close", "td", -1),
    ]


# The parser takes some seconds for so many characters, and the square of the brackets where links may begin.
_LONGEST_MARKDOWN = 1_000_000
_MOST_BRACKETS = 20_000


def read_markdown(raw: RawRecord, draft: Draft) -> None:
    """Add a Markdown document by way of HTML; what is nested beyond reason is read as text instead."""
    text = printable(decode(raw, draft))
    front_matter = _FRONT_MATTER.match(text)
    source = text[front_matter.end() :] if front_matter else text
    if named := _TITLE_LINE.search(front_matter[0] if front_matter else ""):
        draft.own_title = named[1].strip("\"'")
    if len(source) > _LONGEST_MARKDOWN or source.count("[") > _MOST_BRACKETS:
        draft.problem(raw.where, "longer than Markdown can be parsed in reasonable time; read as text")
        _add_text(source, draft)
        return
    parser = _markdown()
    tokens = parser.parse(source)
    if any(token.level >= _DEEPEST - 1 and token.nesting == 1 for token in tokens):
        draft.problem(raw.where, "nested too deeply for Markdown; read as text")
        _add_text(source, draft)
    else:
        _add_html(parser.renderer.render(tokens, parser.options, {}), raw.where, draft)


# -- text --------------------------------------------------------------------------------------------------

_UNDERLINE = re.compile(r"={3,}|-{3,}")
_RULE = re.compile(r"[-=_*~#+]{3,}|(?:[-*_] ){2,}[-*_]")
_ENTRY = re.compile(r"(?P<indent> *)(?:[-*+•‣▪\u2013]|(?P<number>\d{1,3})[.)]) +(?P<text>\S.*)")


class _TextBlocks:
    """Turns lines into paragraphs, headings and lists, the way people type them."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._paragraph: list[str] = []
        self._entries: list[tuple[int, bool, list[str]]] = []
        self._after_gap = False

    def add(self, line: str, following: str) -> bool:
        """Take a line; whether the following one was its underline."""
        text = line.strip()
        entry = _ENTRY.fullmatch(line)
        if not text:
            self._end_paragraph()
            self._after_gap = True
            return False
        heads = not self._paragraph and (entry is None or entry["number"]) and _UNDERLINE.fullmatch(following)
        if heads:
            self.end()
            self._draft.section(_squeezed(text), 1 if following[0] == "=" else 2)
        elif _RULE.fullmatch(text):
            self.end()
        elif entry and self._begins_entry(following):
            self._entry(len(entry["indent"]), bool(entry["number"]), entry["text"])
        elif self._entries and (not self._after_gap or len(line) - len(line.lstrip()) > self._entries[-1][0]):
            self._entries[-1][2].append(text)
        else:
            self._end_list()
            self._paragraph.append(text)
        self._after_gap = False
        return bool(heads)

    def end(self) -> None:
        self._end_paragraph()
        self._end_list()

    def _begins_entry(self, following: str) -> bool:
        """A wrapped line may begin with a dash or a number too; a list shows by what stands around."""
        return not self._paragraph or self._paragraph[-1].endswith(":") or bool(_ENTRY.fullmatch(following))

    def _entry(self, indent: int, ordered: bool, text: str) -> None:
        self._end_paragraph()
        if self._entries and self._after_gap and indent <= self._entries[0][0] and ordered != self._entries[0][1]:
            self._end_list()
        self._entries.append((indent, ordered, [text]))

    def _end_paragraph(self) -> None:
        text = _squeezed(" ".join(self._paragraph))
        if text:
            self._draft.paragraph(text)
        self._paragraph = []

    def _end_list(self) -> None:
        open_indents: list[int] = []
        items: list[Item] = []
        for indent, ordered, texts in self._entries:
            while open_indents and indent < open_indents[-1]:
                open_indents.pop()
            if not open_indents or indent > open_indents[-1]:
                open_indents.append(indent)
            items.append(Item(_squeezed(" ".join(texts)), level=len(open_indents) - 1, ordered=ordered))
        self._draft.list(items)
        self._entries = []


def _squeezed(text: str) -> str:
    return clean_line(printable(text), urls=False)[0]


def read_text(raw: RawRecord, draft: Draft) -> None:
    """Add the paragraphs, headings and lists of a text file."""
    _add_text(decode(raw, draft), draft)


def _add_text(text: str, draft: Draft) -> None:
    lines = [line.expandtabs(4).rstrip() for line in text.splitlines()]
    blocks = _TextBlocks(draft)
    underlines = False
    for line, following in pairwise([*lines, ""]):
        underlines = False if underlines else blocks.add(line, following)
    blocks.end()


# -- which reader a file needs -----------------------------------------------------------------------------

_READERS: dict[str, Callable[[RawRecord, Draft], None]] = {
    **dict.fromkeys((".md", ".markdown"), read_markdown),
    **dict.fromkeys((".html", ".htm"), read_html),
    **dict.fromkeys((".txt", ".text"), read_text),
    ".csv": lambda raw, draft: read_delimited(decode(raw, draft), draft),
    ".tsv": lambda raw, draft: read_delimited(decode(raw, draft), draft, tabs=True),
    ".xlsx": lambda raw, draft: read_xlsx(raw.data, draft),
    ".docx": lambda raw, draft: read_docx(raw.data, draft, lambda href: link_target(href, draft.title)),
    ".pdf": lambda raw, draft: read_pdf(raw.data, draft),
}
SUFFIXES = frozenset(_READERS)
"""The suffixes of the files that are read, in lower case."""
