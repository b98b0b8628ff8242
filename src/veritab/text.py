"""Characters, words and sentences: one Unicode form, one white space, one token, one sentence splitter.

Text is NFC from the door inward (docs/design/002-one-unicode-form.md says why).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias

import sentencex
from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

URL_TOKEN = "<URL>"
"""What a bare web address in running text becomes, as in the FEVEROUS corpus."""

# Control characters carry no meaning in evidence and break terminals, JSON viewers and SQLite tools.
# Tab, newline and carriage return are white space, not control, so they are left for `squeeze`.
# Lone surrogates cannot be stored as UTF-8 at all.
_UNPRINTABLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u200b\u200e\u200f\u2060\ufeff\ufffe\uffff\ud800-\udfff]"
)
_URL = re.compile(r"(?:https?|ftp)://[^\s<>\"\[\]{}|^`\x00-\x1f]*[^\s<>\"\[\]{}|^`.,;:!?'()\x00-\x1f]", re.IGNORECASE)


# Putting combining marks in order takes the square of their number; no writing system needs more than a few.
_MARKS = "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff"
_TOO_MANY_MARKS = re.compile(f"([{_MARKS}]{{30}})[{_MARKS}]+")


def nfc(text: str) -> str:
    """The one Unicode form; cheap when the text already has it."""
    if text.isascii():
        return text
    if len(text) > 1000:
        text = _TOO_MANY_MARKS.sub(r"\1", text)
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def nfd(text: str) -> str:
    """The form the published FEVER and FEVEROUS databases use for their keys."""
    return text if text.isascii() else unicodedata.normalize("NFD", text)


def printable(text: str) -> str:
    """Drop control and invisible characters."""
    return text if text.isprintable() else _UNPRINTABLE.sub("", text)


def squeeze(text: str) -> str:
    """Normalised running text: NFC, printable, every run of white space one space, none at the ends."""
    return nfc(" ".join(printable(text).split()))


def shorten(text: str, longest: int) -> str:
    """The text, cut with an ellipsis where it is too long."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}…"


def title_form(text: str) -> str:
    """A page title as the store knows it. Underscores stay: only a reader knows whether they mean spaces."""
    return squeeze(text)


def mask_urls(text: str) -> str:
    """Replace bare web addresses by a token."""
    return _URL.sub(URL_TOKEN, text) if "://" in text else text


# -- words -------------------------------------------------------------------------------------------------

_LONGEST_WORD = 100


def _analyzer(*filters: Filter) -> TextAnalyzer:
    builder = TextAnalyzerBuilder(Tokenizer.simple())
    for each in (Filter.remove_long(_LONGEST_WORD), Filter.lowercase(), Filter.ascii_fold(), *filters):
        builder = builder.filter(each)
    return builder.build()


WORDS = _analyzer()
TERMS = _analyzer(Filter.stemmer("english"))
"""The analysers themselves: the index and its queries must use the same ones."""


def _clean(text: str) -> str:
    """One Unicode form, and no lone surrogates: a claim may come from anywhere."""
    return text if text.isascii() else nfc(printable(text))


def words(text: str) -> list[str]:
    """The words of a text: runs of letters and digits, in lower case, without accents."""
    return WORDS.analyze(_clean(text))


_ASCII_WORD = re.compile("[0-9A-Za-z]+")


def word_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of each word of an NFC text, as the tokenizer sees them."""
    shape = text if text.isascii() else text.translate(_SHAPES)
    return [match.span() for match in _ASCII_WORD.finditer(shape)]


class _Shapes(dict[int, str]):
    """Maps each character to "a" where the analyser takes it as part of a word and to a space elsewhere.

    The analyser itself is asked, since scripts differ from what regular expressions assume. Invisible characters do not
    end the word they are in, as `words` drops them.
    """

    def __missing__(self, code: int) -> str:
        self[code] = "a" if len(WORDS.analyze(f"a{printable(chr(code))}a")) == 1 else " "
        return self[code]


_SHAPES = _Shapes()


def terms(text: str) -> list[str]:
    """The words of a text as the index has them: `words`, each reduced to its Snowball stem."""
    return TERMS.analyze(_clean(text))


STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be because been before being both but by can could did do
    does doing during each few for from had has have having he her here hers him himself his how i if in into is it
    its itself me more most my no nor not of off on once only or other our out over own s same she should so some such
    t than that the their theirs them then there these they this those through to too under until up very was we were
    what when where which while who whom why will with would you your""".split()
)
STOP_TERMS = STOP_WORDS | frozenset(term for word in STOP_WORDS for term in terms(word))


def content_terms(text: str) -> list[str]:
    """The terms of a text without stop words, each once, in order; all of them where only stop words are left."""
    every = dict.fromkeys(terms(text))
    return [term for term in every if term not in STOP_TERMS] or list(every)


# -- tokens ------------------------------------------------------------------------------------------------

Span: TypeAlias = tuple[int, int]
"""A start, and one past the end."""


class Token(NamedTuple):
    """A word or a mark of a text, the form in which it is compared, and its offsets.

    `depth` counts the brackets and quotes around it, where a sentence is tokenized to be split.
    """

    text: str
    lower: str
    start: int
    end: int
    depth: int = 0

    @property
    def stem(self) -> str:
        return stem(self.text)

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()

    @property
    def is_number(self) -> bool:
        return self.text[0].isdigit()

    @property
    def is_proper(self) -> bool:
        return self.is_capital or self.is_number


# Tables and claims about them are compared word by word: "twenty-two" is two words, "1,234.5" is one.
_WORD_OR_NUMBER = re.compile(r"[0-9]+(?:[.,:][0-9]+)*|[^\W_]+")
# Sentences are split between words and never inside one: "O'Brien", "U.S." and "well-known" are whole.
_WORD_OR_MARK = re.compile(r"\d+(?:[.,:/]\d+)*[^\W\d_]{0,3}(?![^\W_])|[^\W_]+(?:['’.\-–&][^\W_]+)*(?:['’](?=\s))?|\S")
_CLOSING_MARKS = {"(": ")", "[": "]", "“": "”", "«": "»", '"': '"'}


def tokenize_for_index(text: str) -> list[Token]:
    """The words of an NFC text as the index has them: `lower` is what `words` gives."""
    spans = word_spans(text)
    forms = words(text)
    if len(forms) != len(spans):  # a word too long for the index, or invisible characters
        forms = [" ".join(words(text[start:end])) for start, end in spans]
    return [
        Token(printable(text[start:end]), form, start, end)
        for (start, end), form in zip(spans, forms, strict=True)
        if form
    ]


def tokenize_words(text: str) -> list[Token]:
    """The words and numbers of a text, without marks, for comparing them with those of other texts."""
    return [Token(match[0], match[0].lower(), *match.span()) for match in _WORD_OR_NUMBER.finditer(text)]


def tokenize(sentence: str) -> list[Token]:
    """The words and marks of a sentence, for splitting it; brackets and quotes that never close enclose nothing."""
    matches = list(_WORD_OR_MARK.finditer(sentence))
    depths = _depths([match[0] for match in matches])
    return [
        Token(match[0], match[0].lower(), *match.span(), depth) for match, depth in zip(matches, depths, strict=True)
    ]


def _depths(texts: list[str]) -> list[int]:
    """How many brackets and quotes are around each of the tokens of a sentence."""
    if _CLOSING_MARKS.keys().isdisjoint(texts):
        return [0] * len(texts)
    opened: list[tuple[str, int]] = []  # what closes each, and where it was opened
    changes = [0] * (len(texts) + 1)
    for place, text in enumerate(texts):
        if opened and (text == opened[-1][0] or (text not in _CLOSING_MARKS and text in dict(opened[-8:]))):
            while opened[-1][0] != text:
                opened.pop()
            changes[opened.pop()[1]] += 1
            changes[place + 1] -= 1
        elif text in _CLOSING_MARKS:
            opened.append((_CLOSING_MARKS[text], place))
    depths, depth = [], 0
    for change in changes[:-1]:
        depth += change
        depths.append(depth)
    return depths


@lru_cache(maxsize=65536)
def stems(text: str) -> tuple[str, ...]:
    """The stems of the words and numbers of a text; for tables, where `terms` would merge too much."""
    return tuple(stem(word) for word in _WORD_OR_NUMBER.findall(text))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word folded and without its plural ending: "Games" is "game", "1,234" is "1234", "Málaga" is "malaga"."""
    if word[0].isdigit():
        return word.replace(",", "").lower()
    folded = word.casefold() if word.isascii() else _unaccented(word)
    if len(folded) > 3 and folded.endswith("s") and not folded.endswith(("ss", "us", "is")):
        if folded.endswith(("ches", "shes", "sses", "xes")):
            return folded[:-2]
        return folded[:-3] + "y" if folded.endswith("ies") and len(folded) > 4 else folded[:-1]
    return folded


def _unaccented(word: str) -> str:
    folded = unicodedata.normalize("NFD", word).casefold()
    return "".join(letter for letter in folded if not unicodedata.combining(letter)) or word


_ENDINGS = re.compile(
    r"(?<=....)(?:ations?|itions?|ances?|ences?|ments?|ings?|ions?|ives?|ous|ity|ably|als?|ers?|ors?|eds?|ly|ies|y|e)$"
)


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """The root that derived words share: "discovery", "discovered" and "discoverer" are "discover"."""
    if not word.isalpha():
        return word
    shorter = _ENDINGS.sub("", word)
    return _ENDINGS.sub("", shorter) if shorter != word and len(shorter) > 6 else shorter


# -- sentences ---------------------------------------------------------------------------------------------

# The splitter's time grows with the square of a run of quotation marks; paragraphs this long are taken in steps.
_STEP = 5000


def sentences(paragraph: str) -> Iterator[tuple[int, int]]:
    """Start and end of each sentence of a paragraph; white space between sentences belongs to none."""
    start = 0
    while start < len(paragraph):
        spans = list(_segment(paragraph[start : start + _STEP], start))
        if start + _STEP >= len(paragraph):
            yield from spans
            return
        # The last sentence of a step may go on: the next step begins with it, unless it fills the step alone.
        whole = spans[:-1] or spans
        yield from whole
        start = spans[-1][0] if len(spans) > 1 else start + _STEP


# "It is 8,849 m high" has no full stop after its unit; "It rises to 8,849 m. The mountain" ends with one.
_AFTER_UNIT = re.compile(
    r"(?<=[0-9] )(?:[cknm]?m|k?m[²³]|ft|in|mi|yd|[km]?g|t|lb|oz|m?s|h|min|ha|l|K|[kMG]?W|V|A|[kMG]?Hz|AU)\. "
    r"(?=[A-Z“\"])"
)


def _pieces(text: str) -> Iterator[str]:
    """The splitter's sentences, split again where it took the unit of a number for an abbreviation."""
    for piece in sentencex.segment("en", text):
        position = 0
        if ". " in piece[:-2]:
            for end in _AFTER_UNIT.finditer(piece):
                yield piece[position : end.end()]
                position = end.end()
        yield piece[position:]


def _segment(text: str, start: int) -> Iterator[tuple[int, int]]:
    for piece in _pieces(text):
        lead = len(piece) - len(piece.lstrip())
        stripped = piece.strip()
        if stripped:
            yield start + lead, start + lead + len(stripped)
        start += len(piece)
