"""Wikipedia as HTML: rendered pages, Parsoid's REST output, and the Enterprise dumps (NDJSON in a tar)."""

from __future__ import annotations

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import unquote

from veritab.corpus.draft import Draft
from veritab.corpus.html import Action, Dialect, FlaggedPage, Node, body, first, parse_tree, text_of, walk
from veritab.corpus.records import REPLACED, parse_object
from veritab.corpus.remote import SourcePath
from veritab.corpus.streams import (
    BROKEN_STREAM,
    WHOLE,
    ByteRange,
    RawRecord,
    bounded_file,
    bounded_lines,
    divides_by_lines,
    open_lines,
    truncation,
)
from veritab.schema import Page, Problem, Redirect
from veritab.text import title_form

LEFT_OUT_SECTIONS = frozenset(
    {
        "references",
        "citations",
        "sources",
        "further reading",
        "external links",
        "works",
        "gallery",
        "citations and references",
        "bibliography",
        "external links & references",
    }
)
FLAGGED = "left out: flagged as lacking citations"

_SKIPPED = frozenset(
    """
    ambox mbox-small metadata navbox navbox-styles navbox-inner vertical-navbox sidebar navbar toc tocright
    reference references reflist mw-references-wrap mw-cite-backlink mw-ref autonumber Inline-Template Template-Fact
    mw-editsection editsection mw-jump-link mw-empty-elt mw-indicators printfooter catlinks
    thumb thumbinner thumbcaption gallery gallerybox mw-gallery-traditional magnify
    sortkey Z3988 shortdescription geo-nondefault geo-multi-punct persondata stub asbox
    portal portalbox portal-bar sistersitebox sister-box side-box authority-control succession-box-nav
    mw-file-description error citation-comment hide-when-compact topicon noexcerpt-nav mw-highlight-copy
    """.split()
)
_OPENED_BY_CLICK = frozenset({"NavContent", "mw-collapsible-content", "collapsible-list"})
# Namespaces that hold no articles; `w:` and language prefixes lead out of the corpus anyway.
NAMESPACES = frozenset(
    """
    file image media category template wikipedia wp project help portal special talk user book draft module mediawiki
    timedtext user_talk template_talk category_talk wikt wiktionary commons s wikisource d wikidata q b n v species
    """.split()
)
_ARTICLE = re.compile(r"(?:(?:(?:https?:)?//[a-z\-]+(?:\.m)?\.wikipedia\.org)?/wiki/|\./)([^?#]+)")
_PLAIN_NAME = re.compile(r"[A-Z0-9][A-Za-z0-9_(),.'\-]*")
_SITE_NAME = re.compile(r"\s+[-–—]\s+Wikipedia(?:, the free encyclopedia)?\s*$")
_REVISION = re.compile(rb'about="[^"]*/revision/(\d+)"')
# A redirect is a short page, and says so at once.
_BEGINNING = 2**14
_REDIRECT_HINTS = (b"redirectMsg", b"mw:PageProp/redirect", b"redirectText")


def article_title(name: str) -> str:
    """The title an address names: underscores are spaces, and the first letter is a capital."""
    title = title_form((unquote(name) if "%" in name else name).replace("_", " "))
    return title[:1].upper() + title[1:]


def link_target(href: str) -> str:
    """The article a link's address points to, or nothing for files, other sites and places on the same page."""
    match = _ARTICLE.match(href)
    if not match:
        return ""
    name = match[1]
    if _PLAIN_NAME.fullmatch(name) and "__" not in name and name[-1] != "_":  # most of them
        return name.replace("_", " ")
    title = article_title(name)
    return "" if title.partition(":")[0].replace(" ", "_").lower() in NAMESPACES and ":" in title else title


def _class_action(classes: str) -> Action:
    tokens = set(classes.split())
    if "ambox" in tokens:
        return Action.FLAG
    if "mwe-math-element" in tokens:
        return Action.MATH
    if "flagicon" in tokens:
        return Action.FLAG_ICON
    if tokens & _SKIPPED:
        return Action.SKIP
    return Action.SHOW if tokens & _OPENED_BY_CLICK else Action.KEEP


def is_infobox(classes: str) -> bool:
    return any(token == "infobox" or token.startswith("infobox_") for token in classes.split())


def is_data_table(classes: str) -> bool:
    return "wikitable" in classes.split() or is_infobox(classes)


@dataclass(frozen=True)
class WikipediaReader:
    """Reads Wikipedia pages as HTML, alone in files or as records of JSON lines."""

    drop_flagged: bool = False
    """Whether pages and sections that are flagged as lacking citations are left out, as FEVEROUS leaves them out."""

    @cached_property
    def _dialect(self) -> Dialect:
        return Dialect(
            class_action=_class_action,
            is_data_table=is_data_table,
            is_infobox=is_infobox,
            target=link_target,
            left_out_sections=LEFT_OUT_SECTIONS,
            drop_flagged=self.drop_flagged,
            drops_leftovers=True,
        )

    def divided_by(self, path: SourcePath) -> str:
        """What a file can be cut between: the lines of one that is neither an archive nor a page."""
        return "" if is_tar(path) or _is_html_file(path.name) else divides_by_lines(path)

    def cut(self, path: SourcePath, span: ByteRange = WHOLE) -> Iterator[RawRecord | Problem]:
        """The records of a tar of NDJSON, of a file of JSON lines, or of one HTML file."""
        if is_tar(path):
            yield from _tar_lines(path)
        elif _is_html_file(path.name):
            yield bounded_file(path, path.name)
        else:
            with open_lines(path, span) as stream:
                yield from bounded_lines(stream, path.name, end=span.end)

    def parse(self, raw: RawRecord) -> Iterator[Page | Redirect | Problem]:
        """The page of one record, with its redirects."""
        if _is_html_file(raw.where):
            yield from self.page(raw.data, where=raw.where, revision=raw.revision, file_title=raw.title)
            return
        try:
            record, replaced = parse_object(raw.data)
        except ValueError as error:
            yield Problem("", raw.where, f"not JSON: {error}", lost=True)
            return
        if replaced:
            yield Problem(str(record.get("title")), raw.where, REPLACED)
        yield from self._record(record, raw.where)

    def _record(self, record: dict[str, Any], where: str) -> Iterator[Page | Redirect | Problem]:
        """A record of an Enterprise dump (`name`, `article_body`), or of plain JSON lines (`title`, `html`)."""
        title = record.get("name") or record.get("title") or ""
        article = record.get("article_body") or {}
        html = article.get("html") if article else record.get("html")
        version = record.get("version") or {}
        revision = version.get("identifier") if version else record.get("revision")
        if not isinstance(html, str) or not isinstance(title, str):
            yield Problem(str(title), where, "a record without title or HTML", lost=True)
            return
        for redirect in record.get("redirects") or ():
            if redirect.get("name"):
                yield Redirect(article_title(redirect["name"]), article_title(title))
        # "surrogatepass" never happens for valid JSON; lone surrogates become "?" rather than an error.
        yield from self.page(html.encode("utf-8", "replace"), title, where=where, revision=str(revision or ""))

    def page(
        self, html: bytes, title: str = "", *, where: str = "", revision: str = "", file_title: str = ""
    ) -> Iterator[Page | Redirect | Problem]:
        """One page of HTML; the title is taken from the document when none is given, and from its file at last."""
        html = drop_apparatus(html)
        root, mended = parse_tree(html)
        if root is None:
            yield Problem(title, where, mended[0] if mended else "no HTML in it", lost=True)
            return
        title = article_title(title) if title else _own_title(root) or article_title(file_title or _stem(where))
        if not title:
            yield Problem("", where, "a page without a title", lost=True)
            return
        target = _redirect_target(root) if any(hint in html[:_BEGINNING] for hint in _REDIRECT_HINTS) else ""
        if target:
            yield Redirect(title, target)
            return
        draft = Draft(title, revision=revision or _own_revision(html))
        for what in mended:
            draft.problem(where, what)
        try:
            walk(_content(root, html), draft, self._dialect)
        except FlaggedPage:
            yield Problem(title, where, FLAGGED)
            return
        yield from draft.problems
        if len(draft):
            yield draft.page()
        else:
            yield Problem(draft.title, where, "nothing left on the page", lost=True)


def is_tar(path: SourcePath) -> bool:
    """Whether a file is a tar archive, compressed or not."""
    with path.open("rb") as file:
        return tarfile.is_tarfile(file)


def _tar_lines(path: SourcePath) -> Iterator[RawRecord | Problem]:
    try:
        with path.open("rb") as file, tarfile.open(fileobj=file, mode="r|*") as archive:
            for member in archive:
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is not None:
                    yield from bounded_lines(cast(BinaryIO, stream), f"{path.name}/{member.name}")
    except (tarfile.TarError, *BROKEN_STREAM) as error:
        yield truncation(path.name, error)


# Navigation boxes, lists of references and tables of contents are a third of a page, and nothing of them is read.
_APPARATUS = (b'<ol class="references"', b'class="navbox', b'id="toc"')
_LONGEST_TAG = 1000
_SAME_TAG = {name: re.compile(rb"<(/?)" + name + rb"[\s>]") for name in (b"table", b"div", b"ol")}


def drop_apparatus(html: bytes) -> bytes:
    """A page without what the walk would skip anyway: what is not parsed costs nothing."""
    cuts = sorted(cut for sign in _APPARATUS for cut in _elements_with(sign, html))
    kept: list[bytes] = []
    position = 0
    for start, end in cuts:
        if start >= position:
            kept.append(html[position:start])
            position = end
    return b"".join((*kept, html[position:])) if kept else html


def _elements_with(sign: bytes, html: bytes) -> Iterator[tuple[int, int]]:
    """Where the elements start and end whose opening tag shows a sign."""
    found = html.find(sign)
    while found >= 0:
        start = html.rfind(b"<", max(0, found - _LONGEST_TAG), found + 1)
        tags = _SAME_TAG.get(html[start + 1 : start + 7].split(b" ")[0]) if start >= 0 else None
        end = _end_of(start, html, tags) if tags else found + len(sign)
        if not end:
            return  # the tags of this page do not match: the parser will know what to make of them
        # What holds a heading is no apparatus.
        if tags and html.find(b"<h2", start, end) < 0:
            yield start, end
        found = html.find(sign, max(end, found + len(sign)))


def _end_of(start: int, html: bytes, tags: re.Pattern[bytes]) -> int:
    """Where the element ends that opens here; 0 when it never does."""
    depth = 0
    for tag in tags.finditer(html, start):
        depth += -1 if tag[1] else 1
        if not depth:
            return tag.end()
    return 0


# The first one that is there; page indicators hold a small `mw-parser-output` of their own, before the article.
_PARSED = "div[contains(concat(' ', @class, ' '), ' mw-parser-output ')]"
_CONTENT = (
    f"//div[@id='mw-content-text']//{_PARSED}",
    "//div[@id='mw-content-text']",
    "//div[@id='bodyContent']",
    f"//{_PARSED}",
)


def _content(root: Node, html: bytes) -> Node:
    """The article itself; a whole document may have menus around it, a fragment has not."""
    if b"<html" in html[:1000].lower():
        for expression in _CONTENT:
            found = first(root, expression)
            if found is not None:
                return found
    return body(root)


def _own_title(root: Node) -> str:
    shown = text_of(first(root, "//h1[@id='firstHeading']")) or text_of(first(root, "//head/title"))
    return title_form(_SITE_NAME.sub("", shown))


def _own_revision(html: bytes) -> str:
    found = _REVISION.search(html, 0, 4096)
    return found[1].decode() if found else ""


def _redirect_target(root: Node) -> str:
    link = first(root, "//link[@rel='mw:PageProp/redirect']")
    if link is None:
        link = first(root, "//*[contains(@class, 'redirectMsg') or contains(@class, 'redirectText')]//a[@href]")
    return link_target(link.get("href") or "") if link is not None else ""


def _is_html_file(name: str) -> bool:
    return name.lower().removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz").endswith((".html", ".htm"))


def _stem(where: str) -> str:
    return Path(where).name.split(".html")[0].split(".htm")[0]
