"""What passages mention that could answer a question: names, dates and numbers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from veritab.build.mutations import NATIONALITIES
from veritab.build.passages import FoundPassage
from veritab.lexicon.numbers import CALENDAR_WORDS
from veritab.quantities import Date, NumberOrDate, Range, parse_quantities
from veritab.text import STOP_WORDS, Token, terms, tokenize_for_index, words

_PARTICLES = frozenset("of de da di del la le van von der den the al bin ibn du des for & and".split())
_NEVER_ENDS = frozenset({"and", "&", "for", "the", "of"})
_MOST_WORDS = 7
_JOINS = frozenset({" ", "-", "–", "'", "’", ". ", ".", " & "})
_SENTENCE_ENDS = re.compile(r"[.!?;:][\"”')\]]*\s|\n")
_NOT_NAMES = frozenset(word.lower() for word in NATIONALITIES) | CALENDAR_WORDS | STOP_WORDS | {
    "however", "although", "despite", "since", "many", "several", "according", "originally", "born", "later", "first",
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "additionally", "today", "currently",
    "european", "asian", "african", "christian", "jewish", "muslim", "western", "northern", "eastern",
    "southern", "north", "south", "east", "west", "i", "mr", "mrs", "dr", "st", "ii", "iii", "iv", "jr", "sr",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PassageSpan:
    """A stretch of a passage: its words by their numbers, the sentence it is in, and the number or date that it is."""

    text: str
    first: int
    last: int
    sentence: int
    value: NumberOrDate | Range | None = None
    article: bool = False
    """Whether it has "the" before it: "the United States"."""


@dataclass(frozen=True)
class ReadPassage:
    """A passage with its terms, the sentence that each is in, and what it mentions."""

    passage: FoundPassage
    terms: tuple[str, ...]
    sentences: tuple[int, ...]
    title_terms: frozenset[str]
    mentions: tuple[PassageSpan, ...]


@lru_cache(4000)
def read_passage(passage: FoundPassage) -> ReadPassage:
    """Read what a passage mentions; kept, as questions about one thing find the same passages."""
    tokens = tokenize_for_index(passage.text)
    sentences = tuple(_number_sentences(passage.text, tokens))
    values = [value for value in parse_quantities(passage.text) if value.span[1] > value.span[0]]
    mentions = [
        *_find_values(passage.text, tokens, sentences, values),
        *_find_names(passage, tokens, sentences, [value.span for value in values if isinstance(value, Date)]),
    ]
    read = terms(passage.text)
    if len(read) != len(tokens):  # a word too long for the index
        read = [(terms(token.text) or [token.lower])[0] for token in tokens]
    return ReadPassage(passage, tuple(read), sentences, frozenset(terms(passage.title)), tuple(mentions))


def _number_sentences(text: str, tokens: Sequence[Token]) -> Iterator[int]:
    number = 0
    for place, token in enumerate(tokens):
        between = text[tokens[place - 1].end : token.start] if place else ""
        # "J. K. Rowling" is one sentence.
        if _SENTENCE_ENDS.match(between) and (len(tokens[place - 1].text) > 1 or not token.is_capital):
            number += 1
        yield number


# -- numbers and dates -------------------------------------------------------------------------------------


def _find_values(
    text: str, tokens: Sequence[Token], sentences: Sequence[int], values: Sequence[NumberOrDate | Range]
) -> Iterator[PassageSpan]:
    starts, ends = [token.start for token in tokens], [token.end for token in tokens]
    for value in values:
        parts: list[NumberOrDate | Range] = [value]
        if isinstance(value, Range):
            # What is joined by a dash may be a score, in which neither number counts anything.
            parts += (part for part in value.parts if isinstance(part, Date))
        for part in parts:
            start, end = part.span
            first, last = bisect_right(ends, start), bisect_left(starts, end)
            if first < last:
                yield PassageSpan(text[start:end], first, last, sentences[first], part)


# -- names -------------------------------------------------------------------------------------------------


def _find_names(
    passage: FoundPassage, tokens: Sequence[Token], sentences: Sequence[int], dates: Sequence[tuple[int, int]]
) -> Iterator[PassageSpan]:
    text = passage.text
    starts = [token.start for token in tokens]
    taken = {place for start, end in dates for place in range(bisect_left(starts, start), bisect_left(starts, end))}
    title = frozenset(words(passage.title))
    inner = {token.text for place, token in enumerate(tokens) if place and sentences[place] == sentences[place - 1]}
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if not token.is_capital or place in taken:
            place += 1
            continue
        last = _end_of_name(text, tokens, place, taken, sentences)
        first = place
        begins = place == 0 or sentences[place] != sentences[place - 1]
        place = last
        while first < last and (
            tokens[first].lower in STOP_WORDS or (begins and tokens[first].lower in _NOT_NAMES and last - first > 1)
        ):
            first, begins = first + 1, False
        if first == last or last - first > _MOST_WORDS or tokens[first].lower in CALENDAR_WORDS:
            continue
        only = tokens[first]
        if last - first == 1 and (
            only.lower in _NOT_NAMES
            or len(only.text) < 3
            or (begins and only.text not in inner and only.lower not in title)
        ):
            continue
        article = first > 0 and tokens[first - 1].lower == "the" and sentences[first - 1] == sentences[first]
        yield PassageSpan(text[only.start : tokens[last - 1].end], first, last, sentences[first], article=article)


def _end_of_name(text: str, tokens: Sequence[Token], first: int, taken: set[int], sentences: Sequence[int]) -> int:
    """One past the last word of the name that begins here."""
    last = first + 1
    while last < len(tokens) and last not in taken and sentences[last] == sentences[first]:
        gap = text[tokens[last - 1].end : tokens[last].start]
        if gap not in _JOINS or (gap in (". ", ".") and len(tokens[last - 1].text) > 2):
            break
        word = tokens[last]
        if word.is_capital or (word.is_number and gap == " " and len(word.text) < 4):
            last += 1
            continue
        following = last + 1
        if word.lower in _PARTICLES and gap == " ":
            while following < len(tokens) and tokens[following].lower in ("the", "la", "der", "den"):
                following += 1
            if (
                following < len(tokens)
                and following not in taken
                and tokens[following].is_capital
                and word.lower not in ("and", "for")
                and text[tokens[following - 1].end : tokens[following].start] == " "
            ):
                last = following + 1
                continue
        break
    return last
