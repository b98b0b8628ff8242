"""Running text with its links: how every reader turns marked-up pieces into clean text and link positions.

While a reader collects pieces it marks a link as MARK + target + GAP + anchor + END. Marks are control characters,
which no cleaned source text holds, so white space can be squeezed over the whole before positions are computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from veritab.schema import Link, Links
from veritab.text import mask_urls, nfc, sentences

MARK, GAP, END = "\x01", "\x02", "\x03"
BREAK = "\x04"
"""A line break that matters: kept as a newline in cells, a space elsewhere."""

_MARKED = re.compile(f"{MARK}([^{MARK}{GAP}{END}]*){GAP}([^{MARK}{GAP}{END}]*){END}")
# Characters nobody should see; the marks are not among them.
_UNWANTED = re.compile("[\x00\x05-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u2060\ufeff\ufffe\uffff\ud800-\udfff]")
# Marks that a broken page left unpaired, and white space that a mark kept from being squeezed.
_TO_MEND = re.compile(f"[{MARK}{GAP}{END}{BREAK}]|\\s\\s")
_STRAY = re.compile(f"[{MARK}{GAP}{END}{BREAK}]")
_BREAKS = re.compile(f" ?(?:{BREAK} ?)+")


def link_mark(target: str, anchor: str) -> str:
    """Mark a link inside collected text."""
    return f"{MARK}{target}{GAP}{anchor}{END}"


def marked(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Text with links marked where they are known to be; spans (start, end, target) are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end, target in spans:
        pieces += (text[position:start], link_mark(target, text[start:end]))
        position = end
    return "".join((*pieces, text[position:]))


def running(raw: str, urls: bool = True) -> tuple[str, Links]:
    """One line of clean text and its links; web addresses become a token unless `urls` is false."""
    return lines(raw.replace(BREAK, " ") if BREAK in raw else raw, urls)


def lines(raw: str, urls: bool = True) -> tuple[str, Links]:
    """Like `running`, but breaks stay as newlines: the values of a cell keep apart."""
    text = " ".join(raw.split())
    if not text.isascii():
        text = nfc(text)
    if urls and "://" in text:
        text = mask_urls(text)
    if text.isprintable():
        return text, ()
    if _UNWANTED.search(text):
        text = " ".join(_UNWANTED.sub("", text).split())
    if BREAK in text:
        # A break at either end, or before the first letter of a link, separates nothing.
        text = _BREAKS.sub("\n", text).strip().replace(f"{MARK}\n", MARK)
    return _positions(text)


def _positions(text: str) -> tuple[str, Links]:
    parts = _MARKED.split(text)
    if len(parts) == 4 and not parts[0] and not parts[3]:  # nothing but one link: most linked cells
        shown = parts[2].strip()
        if shown and "  " not in shown:
            return shown, ((Link(0, len(shown), parts[1]),) if parts[1] else ())
    plain: list[str] = []
    links: list[Link] = []
    length = 0
    for index in range(0, len(parts), 3):
        between = parts[index]
        plain.append(between)
        length += len(between)
        if index + 2 < len(parts):
            target, anchor = parts[index + 1], parts[index + 2]
            plain.append(anchor)
            shown = anchor.strip()
            if shown and target:
                start = length + anchor.index(shown[0])
                links.append(Link(start, start + len(shown), target))
            length += len(anchor)
    return _trim("".join(plain), links)


def _trim(text: str, links: list[Link]) -> tuple[str, Links]:
    """Strip the ends, and double spaces that a mark hid from squeezing, moving the links along."""
    if _TO_MEND.search(text):
        return _resqueeze(text, links)
    stripped = text.lstrip()
    lead = len(text) - len(stripped)
    if lead:
        links = [Link(start - lead, end - lead, target) for start, end, target in links]
    return stripped.rstrip(), tuple(links)


def _resqueeze(text: str, links: list[Link]) -> tuple[str, Links]:
    """The slow, general way: keep one space of each run and drop stray marks, mapping every position."""
    kept: list[str] = []
    moved: list[int] = []
    for character in text:
        moved.append(len(kept))
        if _STRAY.match(character):
            continue
        if character.isspace() and (not kept or kept[-1].isspace()):
            continue
        kept.append(character)
    moved.append(len(kept))
    return _trim("".join(kept), [Link(moved[start], moved[end], target) for start, end, target in links])


def split_sentences(text: str, links: Links) -> Iterator[tuple[int, str, Links]]:
    """Offset, text and links of each sentence; a sentence never ends inside a link."""
    spans = list(sentences(text))
    if not links:
        for start, end in spans:
            yield start, text[start:end], ()
        return
    position = 0
    while position < len(spans):
        start, end = spans[position]
        position += 1
        while position < len(spans) and any(link.start < end < link.end for link in links):
            end = spans[position][1]
            position += 1
        inside = tuple(
            Link(link.start - start, link.end - start, link.target)
            for link in links
            if start <= link.start and link.end <= end
        )
        yield start, text[start:end], inside
