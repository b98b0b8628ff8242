"""Check-worthy sentences of a text, with their offsets, each also as a claim that stands alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from veritab.decompose.checkworthy import LONGEST_SENTENCE, reasons_to_check
from veritab.decompose.coreference import CoreferenceResolver
from veritab.decompose.subjects import gender_of
from veritab.schema import Claim
from veritab.text import sentences, squeeze, tokenize

# Control characters and halves of characters, as spaces: offsets stay, and the sentence splitter is spared them.
_INVISIBLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Lines end with a newline alone, as many characters later as they were: offsets stay.
_LINE_END = re.compile(r"\r\n?")
_LINE = re.compile(r"[^\n]*\n?")
_LIST_MARK = re.compile(r"\s*(?:[-*+•‣▪–>]|#{1,6}|\(?\d{1,3}[.)]|\(?[a-z]\))\s+")
_HEADING = re.compile(r"\s*#{1,6}\s")
_TABLE_ROW = re.compile(r"\s*\|.*\|\s*$")
_END_OF_SENTENCE = re.compile(r"[.!?:;,。！？…][\"'”’»)\]]*\s*$")
# A line shorter than this share of the longest in its block was not wrapped: it ends where its writer ended it.
_SHORT = 0.7


class ExtractedClaim(NamedTuple):
    """A check-worthy sentence: its offsets, as written, as a claim that stands alone, and the reasons to check it."""

    start: int
    end: int
    text: str
    claim: str
    reasons: tuple[str, ...]


def extract_claims(text: str, *, title: str = "") -> list[ExtractedClaim]:
    """The check-worthy sentences of a text, in order; `text[start:end]` is each as written.

    The title says what "it" is before the text names anything, if it is a person's name or one that the text uses.
    """
    visible = _visible(text)
    resolver = CoreferenceResolver(_topic(squeeze(title), visible))
    found = []
    for start, end, is_new in _sentences(visible):
        if is_new:
            resolver.begin_paragraph()
        sentence = squeeze(visible[start:end])
        if len(sentence) > LONGEST_SENTENCE:
            continue
        tokens = tokenize(sentence)
        claim = resolver.decontextualize(sentence, tokens)
        reasons = reasons_to_check(sentence, tokens) if tokens else ()
        if reasons:
            found.append(ExtractedClaim(start, end, text[start:end], claim, reasons))
    return found


def count_passed_over(text: str, found: Iterable[ExtractedClaim]) -> int:
    """How many sentences of a text are not among its claims; lines without an end, such as headings, are none."""
    checked = {each.start for each in found}
    visible = _visible(text)
    spans = ((start, end) for start, end, _ in _sentences(visible) if start not in checked)
    return sum(bool(_END_OF_SENTENCE.search(visible[start:end])) for start, end in spans)


def number_claims(found: Iterable[ExtractedClaim]) -> list[Claim]:
    """What was extracted from a text as claims to check, named by their place: 1, 2, 3."""
    return [Claim(str(number), each.claim) for number, each in enumerate(found, 1)]


def _visible(text: str) -> str:
    """A text of the same length with a space for what is not shown, and one kind of line end."""
    return _LINE_END.sub(lambda end: "\n".rjust(len(end[0])), _INVISIBLE.sub(" ", text))


def _topic(title: str, text: str) -> str:
    """A title that names what the text is about: many are only the name of a file."""
    return title if title and (gender_of(title) or title in text) else ""


def decontextualize(written: Iterable[str]) -> list[str]:
    """Sentences that follow one another, each made to stand alone."""
    resolver = CoreferenceResolver()
    return [resolver.decontextualize(sentence) for sentence in written]


# -- sentences and their offsets ----------------------------------------------------------------------------


def _sentences(text: str) -> Iterator[tuple[int, int, bool]]:
    """Start and end of each sentence of a text, and whether it begins a paragraph."""
    for start, end in _paragraphs(text):
        marked = _LIST_MARK.match(text, start, end)
        begin = marked.end() if marked else start
        is_new, cut_at = True, -1
        for first, last in sentences(text[begin:end]):
            # What follows a run of letters too long for a sentence, without a space, is its rest.
            if first != cut_at:
                yield begin + first, begin + last, is_new
            is_new, cut_at = False, last if last - first > LONGEST_SENTENCE else -1


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each paragraph, list item and heading."""
    block: list[tuple[int, int]] = []
    for line in _LINE.finditer(text):
        start, end = line.span()
        if not line[0].strip() or _TABLE_ROW.match(line[0]):
            yield from _split_block(text, block)
            block = []
        elif _HEADING.match(line[0]):
            yield from _split_block(text, block)
            yield start, end
            block = []
        else:
            if block and _LIST_MARK.match(line[0]):
                yield from _split_block(text, block)
                block = []
            block.append((start, end))
    yield from _split_block(text, block)


def _split_block(text: str, block: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The paragraphs of a block of lines: a short line without a stop, before a capital, is a heading."""
    if not block:
        return
    longest = max(end - start for start, end in block)
    first = block[0][0]
    for (start, end), (following, _) in pairwise(block):
        line = text[start:end]
        is_short = len(line) < _SHORT * longest and not _END_OF_SENTENCE.search(line)
        if is_short and text[following : following + 1].isupper():
            yield first, end
            first = following
    yield first, block[-1][1]
