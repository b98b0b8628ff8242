"""Documents as running text, in which the sentences that were checked can be found again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import NamedTuple

from veritab.corpus.streams import RawRecord, bounded_file
from veritab.errors import FormatError
from veritab.schema import ListBlock, Page, Passage, Problem, Redirect, Section, Sentence

_PLAIN = frozenset({".txt", ".text", ""})
_HTML = frozenset({".html", ".htm"})
_COMPRESSED = frozenset({".gz", ".bz2", ".xz"})
_MAGIC = ((b"%PDF-", ".pdf"), (b"PK\x03\x04", ".docx"), (b"<!doctype html", ".html"), (b"<html", ".html"))
_SNIFFED_BYTES = 512
_REMEDY = "give a text, Markdown, HTML, DOCX or PDF file"
_BULLET = "• "


class RunningText(NamedTuple):
    """A running text and what it is called; offsets of sentences count in its body.

    The body of a plain text is the text itself. Any other document is read into a page by the corpus's own readers, and
    the body is what `page_text` makes of that page: paragraphs, headings and list items, an empty line between any two.
    """

    title: str
    body: str


def read_document(path: Path | str) -> RunningText:
    """The text of a file, by the suffix of its name: plain text as it is, other documents by way of a page."""
    path = Path(path)
    raw = bounded_file(path, path.name)
    if isinstance(raw, Problem):
        raise FormatError(f"{str(path)!r} cannot be read: {raw.what}; {_REMEDY}")
    if _suffix(path.name) in _HTML:
        from veritab.corpus.sources import read_source

        return _single_page_text(read_source(path), str(path))  # a saved page of Wikipedia has a reader of its own
    return parse_document(raw.data, path.name)


def parse_document(data: bytes, name: str, title: str = "") -> RunningText:
    """The text of a document in memory, by the suffix of its name, or by how it begins where it has none."""
    from veritab.corpus.documents import DocumentReader

    suffix = _suffix(name)
    suffix = _sniff_suffix(data) if suffix in _PLAIN else suffix
    title = title or _stem(name)
    if suffix in _PLAIN:
        return RunningText(title, _decode(RawRecord(name, data), title))
    where = name if _suffix(name) == suffix else f"{title}{suffix}"
    return _single_page_text(DocumentReader().parse(RawRecord(where, data, title)), name)


def page_text(page: Page) -> RunningText:
    """A page as running text: its paragraphs, headings and list items. Tables are left out."""
    return RunningText(page.title, "\n\n".join(_paragraphs(page)))


def _paragraphs(page: Page) -> Iterator[str]:
    paragraph: list[str] = []
    for block in page.blocks:
        if paragraph and not (isinstance(block, Sentence) and block.offset):
            yield " ".join(paragraph)
            paragraph = []
        if isinstance(block, Sentence):
            paragraph.append(block.text)
        elif isinstance(block, ListBlock):
            yield from (f"{_BULLET}{item.text}" for item in block.items)
        elif isinstance(block, Section | Passage) and block.text:
            yield block.text
    if paragraph:
        yield " ".join(paragraph)


def _single_page_text(found: Iterable[Page | Redirect | Problem], name: str) -> RunningText:
    """The text of the one page a document holds."""
    problems: list[str] = []
    for each in found:
        if isinstance(each, Page):
            return page_text(each)
        if isinstance(each, Problem):
            problems.append(each.what)
    raise FormatError(f"{name!r} cannot be read: {problems[-1] if problems else 'no page in it'}; {_REMEDY}")


def _decode(raw: RawRecord, title: str) -> str:
    from veritab.corpus.documents import decode
    from veritab.corpus.documents.spreadsheets import Unreadable
    from veritab.corpus.draft import Draft

    try:
        return decode(raw, Draft(title))
    except Unreadable as unreadable:
        raise FormatError(f"{raw.where!r} cannot be read: {unreadable}; {_REMEDY}") from None


def _suffix(name: str) -> str:
    suffixes = [suffix.lower() for suffix in PurePath(name).suffixes if suffix.lower() not in _COMPRESSED]
    return suffixes[-1] if suffixes else ""


def _stem(name: str) -> str:
    plain = PurePath(name)
    while plain.suffix.lower() in _COMPRESSED:
        plain = plain.with_suffix("")
    return plain.stem


def _sniff_suffix(data: bytes) -> str:
    head = data[:_SNIFFED_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return next((suffix for magic, suffix in _MAGIC if head.startswith(magic.lower())), "")
