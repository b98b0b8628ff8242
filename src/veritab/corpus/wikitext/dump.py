"""The XML that MediaWiki exports ("pages-articles"), cut into one record per article in constant memory."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from veritab.corpus.remote import SourcePath
from veritab.corpus.streams import BROKEN_STREAM, WHOLE, ByteRange, RawRecord, Stream, open_stream, truncation
from veritab.corpus.wikitext.dump_spans import PageStream
from veritab.schema import Problem

_ARTICLES = "0"


def cut_dump(path: SourcePath, span: ByteRange = WHOLE) -> Iterator[RawRecord | Problem]:
    """One record per article; a redirect becomes the page that says so."""
    with open_stream(path) if span == WHOLE else path.open("rb") as opened:
        try:
            stream = opened if isinstance(opened, Stream) else PageStream(opened, path, span)
            if not stream:
                return
            # The parser's own limits (10 MB of text in one element) stay on: no article comes near them.
            events = etree.iterparse(
                stream, tag=("{*}page", "{*}revision"), resolve_entities=False, no_network=True, remove_comments=True
            )
            for _, node in events:
                if node.tag.endswith("}page") or node.tag == "page":
                    if _child(node, "ns") in (_ARTICLES, ""):
                        record = _record(node, path.name)
                        if isinstance(record, RawRecord) and isinstance(stream, Stream):
                            record = record._replace(position=stream.position)
                        yield record
                    node.clear()
                # Of a page's history only the last revision is read; of the dump only the page at hand.
                while (before := node.getprevious()) is not None and before.tag == node.tag:
                    before.getparent().remove(before)
        except (etree.XMLSyntaxError, *BROKEN_STREAM) as error:
            yield truncation(path.name, error)


def _record(page: etree._Element, name: str) -> RawRecord | Problem:
    title = _child(page, "title")
    where = f"{name}:{title}" if title else f"{name}:{_child(page, 'id')}"
    revision = page.find("{*}revision")
    redirect = page.find("{*}redirect")
    number = _child(revision, "id") if revision is not None else ""
    target = redirect.get("title") if redirect is not None else None
    if target:
        return RawRecord(where, f"#REDIRECT [[{target}]]".encode(), title, number)
    text = _child(revision, "text") if revision is not None else ""
    if not title or not text:
        return Problem(title, where, "a page without title or text", lost=True)
    return RawRecord(where, text.encode(), title, number)


def _child(node: etree._Element, name: str) -> str:
    return node.findtext(f"{{*}}{name}") or ""
