"""Running text with its links: how every reader turns marked-up pieces into clean text and link positions.

While a reader collects pieces it marks a link as MARK + target + GAP + anchor + END. Marks are control characters,
which no cleaned source text holds, so white space can be squeezed over the whole before positions are computed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import TypeAlias

from veritab.schema import Link, Links
from veritab.text import mask_urls, nfc, sentences

MARK, GAP, END = "\x01", "\x02", "\x03"
BREAK = "\x04"
"""A line break that matters: kept as a newline in cells, a space elsewhere."""

_MARKED = re.compile(f"{MARK}([^{MARK}{GAP}{END}]*){GAP}([^{MARK}{GAP}{END}]*){END}")
# Invisible characters; the marks are not among them.
_UNWANTED = re.compile("[\x00\x05-\x1f\x7f-\x9f\xad\u200b\u200e\u200f\u2060\ufeff\ufffe\uffff\ud800-\udfff]")
# Marks that a broken page left unpaired, and white space that a mark kept from being squeezed.
_TO_MEND = re.compile(f"[{MARK}{GAP}{END}{BREAK}]|\\s\\s")
_STRAY = re.compile(f"[{MARK}{GAP}{END}{BREAK}]")
_BREAKS = re.compile(f" ?(?:{BREAK} ?)+")


HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
"""A style that keeps an element from being seen."""

_RAISED = str.maketrans("0123456789+-−()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁽⁾ⁿ")
_CAN_BE_RAISED = re.compile(r"[0-9+\-−()n]{1,6}")


def to_superscript(text: str) -> str:
    """The text of a superscript: a number in it must not run into the number before it (10⁶, not 106)."""
    return text.translate(_RAISED) if _CAN_BE_RAISED.fullmatch(text) else text


def link_mark(target: str, anchor: str) -> str:
    """Mark a link inside collected text."""
    return f"{MARK}{target}{GAP}{anchor}{END}"


def mark_links(text: str, spans: Iterable[tuple[int, int, str]]) -> str:
    """Text with links marked where they are known to be; spans (start, end, target) are in order and do not overlap."""
    pieces: list[str] = []
    position = 0
    for start, end, target in spans:
        pieces += (text[position:start], link_mark(target, text[start:end]))
        position = end
    return "".join((*pieces, text[position:]))


def clean_line(raw: str, urls: bool = True) -> tuple[str, Links]:
    """One line of clean text and its links; web addresses become a token unless `urls` is false."""
    return clean_lines(raw.replace(BREAK, " ") if BREAK in raw else raw, urls)


def clean_lines(raw: str, urls: bool = True) -> tuple[str, Links]:
    """Like `running`, but breaks stay as newlines: the values of a cell keep apart."""
    text = " ".join(raw.split())
    if not text.isascii():
        text = nfc(text)
    if urls and "://" in text:
        text = mask_urls(text)
    if text.isprintable():
        return text, ()
    if _UNWANTED.search(text):
        text = nfc(" ".join(_UNWANTED.sub("", text).split()))
    if BREAK in text:
        # A break at either end, or before the first letter of a link, separates nothing.
        text = _BREAKS.sub("\n", text).strip().replace(f"{MARK}\n", MARK)
    return _positions(text)


LinkSpan: TypeAlias = tuple[int, int, str]
"""A link while its text is being collected: its first piece, the piece after its last, and its target."""


def join_pieces(
    pieces: list[str], spans: list[LinkSpan], urls: bool = True, *, breaks: bool = False
) -> tuple[str, Links]:
    """Pieces of text as one clean text, with links known by their pieces; `breaks` stay as newlines."""
    raw = "".join(pieces)
    if spans:
        text = " ".join(raw.split())
        stripped = raw.strip()
        # Where squeezing changed no length, every character is where it was, and no marks are needed.
        if len(text) == len(stripped) and text.isprintable() and not (urls and "://" in text) and nfc(text) == text:
            return text, _links_of(pieces, spans, raw.index(stripped), text)
        raw = _marked(pieces, spans)
    return clean_lines(raw, urls) if breaks else clean_line(raw, urls)


def _links_of(pieces: list[str], spans: list[LinkSpan], lead: int, text: str) -> Links:
    starts = list(accumulate(map(len, pieces), initial=-lead))
    links = []
    for first, last, target in spans:
        start, end = max(starts[first], 0), min(starts[last], len(text))
        while start < end and text[start] == " ":
            start += 1
        while start < end and text[end - 1] == " ":
            end -= 1
        if start < end:
            links.append(Link(start, end, target))
    return tuple(links)


def _marked(pieces: list[str], spans: list[LinkSpan]) -> str:
    opening = {first: target for first, _, target in spans}
    closing = {last for _, last, _ in spans}
    marked_pieces: list[str] = []
    for index, piece in enumerate([*pieces, ""]):
        if index in closing:
            marked_pieces.append(END)
        if index in opening:
            marked_pieces.append(f"{MARK}{opening[index]}{GAP}")
        marked_pieces.append(piece)
    return "".join(marked_pieces)


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
    if "  " in text or (not text.isprintable() and _TO_MEND.search(text)):
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


_LEFTOVER = re.compile(r" ?(?<!\[)\[\d{1,3}\](?![\w\]])| ?\{\{?\|\s*(?:class|style|border|width)\b[^{}]*\}\}?")


def drop_leftovers(text: str, links: Links) -> tuple[str, Links]:
    """Prose without reference marks ([12]) and broken tables ({|...}) that were typed as text; links move along."""
    if "[" not in text and "{" not in text:
        return text, links
    cuts = [leftover.span() for leftover in _LEFTOVER.finditer(text)]
    if not cuts:
        return text, links
    moved = list(range(len(text) + 1))
    kept: list[str] = []
    position = gone = 0
    for start, end in [*cuts, (len(text), len(text))]:
        kept.append(text[position:start])
        moved[position : start + 1] = range(position - gone, start + 1 - gone)
        moved[start:end] = [start - gone] * (end - start)
        gone += end - start
        position = end
    moved[len(text)] = len(text) - gone
    clean = "".join(kept)
    lead = len(clean) - len(clean.lstrip())
    shifted = (Link(moved[start] - lead, moved[end] - lead, target) for start, end, target in links)
    return clean.strip(), tuple(link for link in shifted if link.start < link.end)


def split_sentences(text: str, links: Links) -> Iterator[tuple[int, str, Links]]:
    """Offset, text and links of each sentence; a sentence never ends inside a link."""
    if not links:
        for start, end in sentences(text):
            yield start, text[start:end], ()
        return
    spans = sentences(text)
    waiting = list(reversed(links))
    for start, end in spans:
        inside: list[Link] = []
        while waiting and waiting[-1].start < end:
            link = waiting.pop()
            inside.append(Link(link.start - start, link.end - start, link.target))
            while link.end > end:
                end = next(spans)[1]
        yield start, text[start:end], tuple(inside)
