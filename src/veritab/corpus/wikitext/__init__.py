"""Wikitext: single pages in files, and the pages of a MediaWiki dump.

`literals` clears a page of what is not for readers. Then it is read section by section, so that a bracket or
table that is not closed spoils one section and not the page: `markup` turns a section into lines of marked text,
with the help of `templates` (and `expansions`, `infobox`); `blocks` and
`tables` turn lines into blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path

from veritab.corpus.draft import Draft
from veritab.corpus.inline import clean_line
from veritab.corpus.records import REPLACED, decode_utf8
from veritab.corpus.remote import SourcePath
from veritab.corpus.streams import WHOLE, ByteRange, RawRecord, bounded_file
from veritab.corpus.wikipedia import FLAGGED, LEFT_OUT_SECTIONS, article_title
from veritab.corpus.wikitext.blocks import BlockReader
from veritab.corpus.wikitext.dump import cut_dump
from veritab.corpus.wikitext.dump_spans import divides_by_pages
from veritab.corpus.wikitext.literals import settle_literals
from veritab.corpus.wikitext.markup import FLAG, categories_of, expand, link_title, plain, tidy
from veritab.corpus.wikitext.templates import Templates
from veritab.schema import Page, Problem, Redirect

_SUFFIXES = frozenset({".wiki", ".wikitext", ".mediawiki", ".txt", ".gz", ".bz2", ".xz"})
_REDIRECT = re.compile(r"\s*#\s*(?:redirect\w*|weiterleitung)\s*:?\s*\[\[([^\[\]|\n]+)", re.IGNORECASE)
_HEADING = re.compile(r"^(={1,6})(.+?)(={1,6})[ \t]*$", re.MULTILINE)
# A page this long with no line end in it lost them on its way here.
_LONG = 4000


def _is_dump(path: SourcePath) -> bool:
    # A dump in parts is named like "pages-articles1.xml-p1p41242.bz2".
    return any(suffix.startswith(".xml") for suffix in path.suffixes)


@dataclass(frozen=True)
class WikitextReader:
    """Reads wikitext, from one file per page or from a dump of a whole wiki."""

    drop_flagged: bool = False

    def divided_by(self, path: SourcePath) -> str:
        """What a file can be cut between: the pages of a dump, or the streams in which they are packed."""
        return divides_by_pages(path) if _is_dump(path) else ""

    def cut(self, path: SourcePath, span: ByteRange = WHOLE) -> Iterator[RawRecord | Problem]:
        """The pages of a dump, or the one page of a file."""
        if _is_dump(path):
            yield from cut_dump(path, span)
        else:
            yield bounded_file(path, path.name)

    def parse(self, raw: RawRecord) -> Iterator[Page | Redirect | Problem]:
        """The page of one record, or where it redirects to."""
        title = article_title(raw.title or _stem(raw.where))
        if not title:
            yield Problem("", raw.where, "a page without a title", lost=True)
            return
        draft = Draft(title, revision=raw.revision)
        text, replaced = decode_utf8(raw.data)
        if replaced:
            draft.problem(raw.where, REPLACED)
        if redirect := _REDIRECT.match(text):
            target = link_title(redirect[1])
            yield (
                Redirect(title, target) if target else Problem(title, raw.where, "a redirect to no article", lost=True)
            )
            return
        if len(text) > _LONG and "\n" not in text.strip():
            draft.problem(raw.where, "no line ends: headings, lists and tables cannot be told apart")
        if "&lt;ref" in text and "<" not in text:
            draft.problem(raw.where, "escaped as if still inside XML; unescaped once")
            text = unescape(text)
        if not self._read(text, draft):
            yield Problem(title, raw.where, FLAGGED)
            return
        yield from draft.problems
        if len(draft):
            yield draft.page()
        else:
            yield Problem(title, raw.where, "nothing left on the page", lost=True)

    def _read(self, text: str, draft: Draft) -> bool:
        """Read all sections into a draft; false when the page says of itself that it lacks citations."""
        templates = Templates(draft.title)
        unclosed: list[str] = []
        blocks = BlockReader(draft)
        left_out_level = 0
        settled = settle_literals(text)
        draft.categories = categories_of(settled)
        for level, written, body in _sections(settled):
            if left_out_level and level > left_out_level:
                continue
            left_out_level = 0
            heading, links = clean_line(plain(tidy(expand(written, templates, unclosed))))
            if heading.casefold() in LEFT_OUT_SECTIONS:
                left_out_level = level
                continue
            marked = expand(body, templates, unclosed)
            if FLAG in marked and self.drop_flagged:
                if not level:
                    return False
                draft.problem("section", FLAGGED)
                left_out_level = level
                continue
            if heading:
                draft.section(heading, level, links)
            blocks.read(tidy(marked.replace(FLAG, "")))
        if unclosed:
            draft.problem(unclosed[0], "a bracket that is never closed is read as text")
        if templates.unknown:
            draft.problem(", ".join(list(templates.unknown)[:5]), "templates without a known expansion left out")
        return True


def _sections(text: str) -> Iterator[tuple[int, str, str]]:
    """Level, heading and body of each section; what comes before the first heading has level 0."""
    level, heading, start = 0, "", 0
    for match in _HEADING.finditer(text):
        yield level, heading, text[start : match.start()]
        level = min(len(match[1]), len(match[3]))
        # Of "=== x ==" one character belongs to the heading.
        heading = match[1][level:] + match[2] + match[3][level:]
        start = match.end()
    yield level, heading, text[start:]


def _stem(where: str) -> str:
    name = Path(where)
    while name.suffix.lower() in _SUFFIXES:
        name = name.with_suffix("")
    return name.name
