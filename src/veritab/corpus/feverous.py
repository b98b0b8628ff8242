"""FEVEROUS pages: the JSON of a page read and written, its JSON lines, and its SQLite database used in place.

The published files are NFD and mark links as [[Target_page|anchor]]. What the dump is known to get wrong (links cut
open by sentence splitting, entities, stray tags, names in `order` without content, cells that do not fill the grid)
is read as a person would read it. What we write carries a few keys more (`offsets`, `revision`, `redirect`), which
other readers ignore.
"""

from __future__ import annotations

import html
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from veritab.corpus.database import is_sqlite
from veritab.corpus.draft import bound_spans
from veritab.corpus.inline import BREAK, END, GAP, MARK, clean_line, clean_lines
from veritab.corpus.records import REPLACED, parse_object
from veritab.corpus.remote import SourcePath, on_disk
from veritab.corpus.streams import (
    WHOLE,
    ByteRange,
    RawRecord,
    bounded_lines,
    divides_by_lines,
    open_lines,
    truncation,
)
from veritab.errors import DamagedStore, DiskFull, FormatError, NotFound
from veritab.files import partial_path
from veritab.schema import (
    Block,
    Cell,
    Element,
    ElementId,
    Item,
    Links,
    ListBlock,
    Page,
    Passage,
    Problem,
    Redirect,
    Section,
    Sentence,
    TableBlock,
)
from veritab.text import nfc, nfd, title_form

Json = dict[str, Any]
_LONGEST_REDIRECT = 8
_DEEPEST_LIST = 1000

# -- text with links ---------------------------------------------------------------------------------------

_LINK = re.compile(r"\[\[((?:(?!\[\[|\]\]).)*)\]\]", re.DOTALL)
_MARKS = re.compile("[\x00-\x08]")
_FRAGMENT = re.compile(r"(?<!&)#.*", re.DOTALL)
_LEFTOVER = re.compile(r"\[\[(?:[^|\[\]]*\|)?|\]\]|'{2,}|</?ref[^<>]*>|\{\{\{[^{}]*\}\}\}")
_TO_ESCAPE = re.compile(r"[\[\]]|''|</?ref|\{\{\{")
_ENTITIES = {"&": "&amp;", "[": "&#91;", "]": "&#93;", "|": "&#124;", "'": "&#39;", "<": "&lt;", "{": "&#123;"}
_TARGET_ENTITIES = _ENTITIES | {"_": "&#95;", "#": "&#35;", " ": "_"}
_ESCAPES = str.maketrans(_ENTITIES)
_TARGET_ESCAPES = str.maketrans(_TARGET_ENTITIES)


def write_text(text: str, links: Links) -> str:
    """Text with its links in FEVEROUS's notation; what could be misread is written as an entity."""
    if not links:
        return _escape(text, in_link=False)
    pieces: list[str] = []
    position = 0
    for start, end, target in links:
        pieces.append(_escape(text[position:start], in_link=False))
        pieces.append(f"[[{target.translate(_TARGET_ESCAPES)}|{_escape(text[start:end], in_link=True)}]]")
        position = end
    pieces.append(_escape(text[position:], in_link=False))
    return "".join(pieces)


def read_text(raw: str, finish: Callable[..., tuple[str, Links]] = clean_line) -> tuple[str, Links]:
    """The inverse: plain text and its links, whatever state the notation is in."""
    raw = nfc(_MARKS.sub("", raw))
    if "[[" in raw:
        raw = _LINK.sub(_read_link, raw)
    if _TO_ESCAPE.search(raw):
        raw = _LEFTOVER.sub("", raw)
    return finish(html.unescape(raw).replace("\n", BREAK) if "&" in raw else raw.replace("\n", BREAK), urls=False)


def _read_link(match: re.Match[str]) -> str:
    target, *shown = match[1].split("|")
    anchor = shown[-1] if shown else target.replace("_", " ")
    title = _FRAGMENT.sub("", target).replace("_", " ").strip()
    return f"{MARK}{title}{GAP}{anchor}{END}"


def _escape(text: str, *, in_link: bool) -> str:
    if _TO_ESCAPE.search(text) or (in_link and "|" in text) or ("&" in text and html.unescape(text) != text):
        return text.translate(_ESCAPES)
    return text


# -- a page and its JSON -----------------------------------------------------------------------------------


def page_to_json(page: Page) -> Json:
    """A page as FEVEROUS writes it: `title`, `order`, then every block under its name."""
    record: Json = {"title": page.title, "order": [block_name(block) for block in page.blocks]}
    for block in page.blocks:
        record[block_name(block)] = _block_to_json(block)
    offsets = {block_name(block): block.offset for block in page.blocks if type(block) is Sentence and block.offset}
    if offsets:
        record["offsets"] = offsets
    if page.revision:
        record["revision"] = page.revision
    return record


def block_name(block: Block) -> str:
    """The name of a block inside its page, such as `sentence_3`."""
    return f"{_NAMES[type(block)]}_{block.number}"


_NAMES: dict[type, str] = {
    Section: "section",
    Sentence: "sentence",
    Passage: "passage",
    ListBlock: "list",
    TableBlock: "table",
}
_NAME = re.compile(r"(section|sentence|passage|list|table)_(0|[1-9][0-9]{0,8})")


def _block_to_json(block: Block) -> Any:
    if type(block) is Section:
        return {"value": write_text(block.text, block.links), "level": block.level}
    if type(block) is TableBlock:
        return _table_to_json(block)
    if type(block) is ListBlock:
        return _list_to_json(block)
    assert isinstance(block, Sentence | Passage)
    return write_text(block.text, block.links)


def _table_to_json(block: TableBlock) -> Json:
    rows = [
        [
            {
                "id": f"{'header_cell' if cell.header else 'cell'}_{block.number}_{row}_{position}",
                "value": write_text(cell.text, cell.links),
                "is_header": cell.header,
                "row_span": cell.row_span,
                "column_span": cell.column_span,
            }
            for position, cell in enumerate(cells)
        ]
        for row, cells in enumerate(block.rows)
    ]
    table: Json = {"type": "infobox" if block.infobox else "table", "table": rows}
    if block.caption:
        table["caption"] = write_text(block.caption, block.caption_links)
    return table


def _list_to_json(block: ListBlock) -> Json:
    items: list[Json] = []
    for position, item in enumerate(block.items):
        entry: Json = {
            "id": f"item_{block.number}_{position}",
            "value": write_text(item.text, item.links),
            "level": item.level,
        }
        following = block.items[position + 1] if position + 1 < len(block.items) else None
        if following and following.level > item.level:
            entry["type"] = _list_type(following.ordered)
        items.append(entry)
    kind = _list_type(bool(block.items) and block.items[0].ordered)
    for entry, item, ordered in zip(items, block.items, _orders(kind, items), strict=True):
        if item.ordered != ordered:  # bullets and numbers side by side, which FEVEROUS cannot say
            entry["ordered"] = item.ordered
    return {"type": kind, "list": items}


def _orders(kind: Any, entries: list[Json]) -> Iterator[bool]:
    """Whether each item of a list is numbered, as the types of the list and of its items tell."""
    ordered_at: dict[int, bool] = {}
    opening = kind == "ordered_list"
    for entry in entries:
        level = _level(entry)
        ordered_at = {depth: ordered for depth, ordered in ordered_at.items() if depth <= level}
        yield ordered_at.setdefault(level, opening)
        opening = entry.get("type") == "ordered_list"


def _list_type(ordered: bool) -> str:
    return "ordered_list" if ordered else "unordered_list"


def page_from_json(record: Json, where: str = "") -> Iterator[Page | Redirect | Problem]:
    """The page a FEVEROUS record holds, with what was wrong with it."""
    title = record.get("title")
    if not isinstance(title, str) or not title_form(title):
        yield Problem("", where, "a record without a title", lost=True)
        return
    title = title_form(title)
    if isinstance(target := record.get("redirect"), str):
        yield Redirect(title, title_form(target))
        return
    reading = _PageReader(title)
    page = reading.page(record)
    yield from reading.problems
    if page.blocks:
        yield page
    else:
        yield Problem(title, where, "an empty page")


class _PageReader:
    """One record being read; problems are kept, never raised."""

    def __init__(self, title: str) -> None:
        self._title = title
        self.problems: list[Problem] = []

    def page(self, record: Json) -> Page:
        order = record.get("order")
        names = [name for name in order if isinstance(name, str)] if isinstance(order, list) else []
        listed = set(names)
        for name in record:
            if _NAME.fullmatch(name) and name not in listed:
                self._problem(name, "content that `order` does not name; added at the end")
                names.append(name)
        offsets = record.get("offsets")
        blocks = [block for name in dict.fromkeys(names) if (block := self._block(name, record, offsets))]
        return Page(self._title, tuple(blocks), revision=str(record.get("revision") or ""))

    def _block(self, name: str, record: Json, offsets: Any) -> Block | None:
        match = _NAME.fullmatch(name)
        if match is None or name not in record:
            self._problem(name, "`order` names something the page does not hold")
            return None
        number, content = int(match[2]), record[name]
        try:
            block = _READ[match[1]](self, number, content)
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            self._problem(name, f"content of the wrong shape: {type(error).__name__}")
            return None
        if type(block) is Sentence and isinstance(offsets, dict) and isinstance(offsets.get(name), int):
            return block._replace(offset=offsets[name])
        return block

    def section(self, number: int, content: Json) -> Section | None:
        text, links = read_text(content["value"])
        return Section(number, text, int(content.get("level") or 1), links) if text else None

    def sentence(self, number: int, content: str) -> Sentence | None:
        text, links = read_text(content)
        return Sentence(number, text, links) if text else None

    def passage(self, number: int, content: str) -> Passage | None:
        text, links = read_text(content)
        return Passage(number, text, links) if text else None

    def list(self, number: int, content: Json) -> ListBlock | None:
        entries = [self._entry(item, f"item_{number}_{n}") for n, item in enumerate(content["list"])]
        items: list[Item] = []
        for position, (entry, ordered) in enumerate(zip(entries, _orders(content.get("type"), entries), strict=True)):
            self._check_id(entry, f"item_{number}_{position}")
            text, links = read_text(_string(entry.get("value")))
            items.append(Item(text, links, _level(entry), bool(entry.get("ordered", ordered))))
        return ListBlock(number, tuple(items)) if items else None

    def table(self, number: int, content: Json) -> TableBlock | None:
        rows = [
            tuple(self._cell(entry, f"{number}_{row}_{position}") for position, entry in enumerate(entries))
            for row, entries in enumerate(self._row(row, f"table_{number}") for row in content["table"])
        ]
        bounded, mended = bound_spans(rows)
        if mended:
            self._problem(f"table_{number}", mended)
        caption, caption_links = read_text(_string(content.get("caption")))
        return TableBlock(number, bounded, caption, caption_links, content.get("type") == "infobox")

    def _row(self, row: Any, where: str) -> Sequence[Any]:
        if isinstance(row, Sequence) and not isinstance(row, str):
            return row
        self._problem(where, "a row that is no list of cells; left empty")
        return ()

    def _entry(self, entry: Any, where: str) -> Json:
        """One cell or item; what is not written as one keeps its place and, where it is text, its text."""
        if isinstance(entry, dict):
            return entry
        self._problem(where, "a cell or item of the wrong shape; only its text is kept")
        return {"value": _string(entry)}

    def _cell(self, entry: Any, place: str) -> Cell:
        entry = self._entry(entry, f"cell_{place}")
        header = bool(entry.get("is_header")) or str(entry.get("id")).startswith("header_cell")
        self._check_id(entry, f"{'header_cell' if header else 'cell'}_{place}")
        text, links = read_text(_string(entry.get("value")), clean_lines)
        spans = [_number(entry.get(key), 1) for key in _SPANS]
        if any(entry.get(key) not in (None, "", span, str(span)) for key, span in zip(_SPANS, spans, strict=True)):
            self._problem(f"cell_{place}", "a span that is no number; taken as 1")
        return Cell(text, links, header, *spans)

    def _check_id(self, entry: Json, expected: str) -> None:
        if entry.get("id", expected) != expected:
            self._problem(str(entry["id"]), "an id that differs from its position; the position counts")

    def _problem(self, where: str, what: str) -> None:
        self.problems.append(Problem(self._title, where, what))


_READ: dict[str, Callable[[_PageReader, int, Any], Block | None]] = {
    "section": _PageReader.section,
    "sentence": _PageReader.sentence,
    "passage": _PageReader.passage,
    "list": _PageReader.list,
    "table": _PageReader.table,
}


_SPANS = ("row_span", "column_span")


def _number(value: Any, otherwise: int) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        return otherwise


def _level(entry: Json) -> int:
    return min(max(_number(entry.get("level"), 0), 0), _DEEPEST_LIST)


def _string(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


# -- files -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FeverousReader:
    """Reads FEVEROUS JSON lines and its SQLite database."""

    def divided_by(self, path: SourcePath) -> str:
        return "" if is_sqlite(path) else divides_by_lines(path)

    def cut(self, path: SourcePath, span: ByteRange = WHOLE) -> Iterator[RawRecord | Problem]:
        if is_sqlite(path):
            with on_disk(path) as file, FeverousDatabase(file) as database:
                yield from database.records()
            return
        with open_lines(path, span) as stream:
            yield from bounded_lines(stream, path.name, end=span.end)

    def parse(self, raw: RawRecord) -> Iterator[Page | Redirect | Problem]:
        try:
            record, replaced = parse_object(raw.data)
        except ValueError as error:
            yield Problem("", raw.where, f"not JSON: {error}", lost=True)
            return
        if replaced:
            yield Problem(str(record.get("title")), raw.where, REPLACED)
        yield from page_from_json(record, raw.where)


class FeverousDatabase:
    """The published `wiki(id, data)` database, used where it lies: nothing is copied, nothing is written."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise NotFound(f"no file {str(path)!r}; give the path of a FEVEROUS database")
        self._connection = sqlite3.connect(
            f"file:{quote(str(self.path.resolve()))}?mode=ro", uri=True, check_same_thread=False
        )
        try:
            columns = {row[1] for row in self._connection.execute("PRAGMA table_info(wiki)")}
        except sqlite3.DatabaseError as error:
            raise DamagedStore(f"{str(path)!r} is no readable SQLite database ({error}); fetch it again") from None
        if not {"id", "data"} <= columns:
            raise FormatError(f"{str(path)!r} has no table wiki(id, data); it is not a FEVEROUS database")

    def __enter__(self) -> FeverousDatabase:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._connection.close()

    def __len__(self) -> int:
        with self._readable():
            count: int = self._connection.execute("SELECT count(*) FROM wiki").fetchone()[0]
        return count

    def page(self, title: str) -> Page:
        """The page with that title, in whichever Unicode form it is given."""
        wanted = title = title_form(title)
        for _ in range(_LONGEST_REDIRECT):
            found = next((one for one in self._read(title) if not isinstance(one, Problem)), None)
            if isinstance(found, Page):
                return found
            if found is None:
                break
            title = found.target
        raise NotFound(f"no page {wanted!r} in {self.path.name}")

    def _read(self, title: str) -> Iterator[Page | Redirect | Problem]:
        for key in dict.fromkeys((nfd(title), title)):
            with self._readable():
                row = self._connection.execute("SELECT data FROM wiki WHERE id = ?", (key,)).fetchone()
            if row:
                yield from self._parsed(RawRecord(title, row[0].encode() if isinstance(row[0], str) else bytes(row[0])))

    def element(self, id: ElementId | str) -> Element:
        """The element with that address; its page may be named by a redirect."""
        address = ElementId.parse(id) if isinstance(id, str) else id
        page = self.page(address.page)
        return page.element(ElementId(page.title, address.kind, address.path))

    def titles(self) -> Iterator[str]:
        with self._readable():
            for (key,) in self._connection.execute("SELECT id FROM wiki ORDER BY id"):
                yield nfc(key)

    def pages(self) -> Iterator[Page]:
        """Every page, in the order of the database."""
        return (one for one in self._everything() if isinstance(one, Page))

    def redirects(self) -> Iterator[Redirect]:
        """Every redirect, in the order of the database; the published one has none."""
        return (one for one in self._everything() if isinstance(one, Redirect))

    def _everything(self) -> Iterator[Page | Redirect | Problem]:
        for raw in self.records():
            if isinstance(raw, Problem):
                raise DamagedStore(f"{str(self.path)!r}: {raw.what}; fetch it again")
            yield from self._parsed(raw)

    def _parsed(self, raw: RawRecord) -> Iterator[Page | Redirect | Problem]:
        for one in FeverousReader().parse(raw):
            if isinstance(one, Problem) and one.lost:
                raise DamagedStore(f"{str(self.path)!r}: {raw.where}: {one.what}; fetch it again")
            yield one

    def check_integrity(self) -> list[str]:
        """What SQLite itself finds wrong with the file; empty when all is well. Reads the whole file."""
        with self._readable():
            found = [row[0] for row in self._connection.execute("PRAGMA integrity_check(10)")]
        return [] if found == ["ok"] else found

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise DamagedStore(f"{str(self.path)!r} is cut or damaged ({error}); fetch it again") from None

    def records(self) -> Iterator[RawRecord | Problem]:
        """Every row as a record, a few at a time."""
        size = self.path.stat().st_size
        try:
            last = self._connection.execute("SELECT max(rowid) FROM wiki").fetchone()[0] or 1
            for row, key, data in self._connection.execute("SELECT rowid, id, data FROM wiki"):
                encoded = data.encode() if isinstance(data, str) else bytes(data)
                yield RawRecord(f"{self.path.name}:{nfc(str(key))}", encoded, position=size * row // last)
        except sqlite3.DatabaseError as error:
            yield truncation(self.path.name, error)


# -- writing -----------------------------------------------------------------------------------------------


def dump(read: Page | Redirect) -> str:
    """One page or redirect as a line of FEVEROUS JSON, in the NFD form that the published files have."""
    record = (
        page_to_json(read) if isinstance(read, Page) else {"title": read.title, "order": [], "redirect": read.target}
    )
    return nfd(json.dumps(record, ensure_ascii=False, separators=(", ", ": ")))


def write_jsonl(pages: Iterable[Page | Redirect], path: Path) -> Iterator[Page | Redirect]:
    """Write pages as JSON lines, yielding each one once it is written; the file appears when all are."""
    with _writing(path) as partial, partial.open("w", encoding="utf-8", newline="\n") as file:
        for read in pages:
            file.write(dump(read) + "\n")
            yield read


def write_sqlite(pages: Iterable[Page | Redirect], path: Path) -> Iterator[Page | Redirect]:
    """Write pages as a FEVEROUS database, yielding each one once it is written; the file appears when all are."""
    with _writing(path) as partial, closing(sqlite3.connect(partial)) as connection:
        connection.execute("CREATE TABLE wiki (id PRIMARY KEY, data json)")
        for read in pages:
            connection.execute("INSERT INTO wiki VALUES (?, ?)", (nfd(read.title), dump(read)))
            yield read
        connection.commit()


@contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """A path to write to, as `partial_path` gives it; errors say which file cannot be written."""
    try:
        with partial_path(path) as partial:
            yield partial
    except (sqlite3.DatabaseError, OSError) as error:
        raise DiskFull(f"cannot write {str(path)!r}: {error}; make room, or name another place") from None
