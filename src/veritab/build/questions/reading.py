"""A reading: one way to say a question and its answer as a claim, and what was chosen to come to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from veritab.build.inflection import is_common
from veritab.lexicon.grammar import ARTICLES, AUXILIARIES, BE, PREPOSITIONS, SUBORDINATORS
from veritab.text import squeeze

_FUNCTION_WORDS = ARTICLES | PREPOSITIONS | SUBORDINATORS
_VERBS = BE | frozenset("does did do has had".split())
_NEVER_AFTER_ARTICLES = _FUNCTION_WORDS - frozenset("up down off like out over under above".split()) | AUXILIARIES
_BEFORE_NOUNS = ARTICLES | frozenset("in on at by from with of during after before since until".split())


_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
"""A name that begins in lower case wherever it stands: "iPhone", "eBay"."""


class QuestionReading(NamedTuple):
    """A claim that a question and its answer may mean, with the features of the choices behind it."""

    text: str
    features: tuple[tuple[str, float], ...]


class ReadingDraft(NamedTuple):
    """A reading in the making: its words, how unusual its choices are, and their features."""

    words: tuple[str, ...]
    cost: float
    features: tuple[tuple[str, float], ...]

    def add(self, cost: float, *features: tuple[str, float]) -> ReadingDraft:
        """The same words with more said of them."""
        return ReadingDraft(self.words, self.cost + cost, self.features + features)


def write(words: Iterable[str]) -> str:
    """Words as a sentence: one space between them, a capital at the start, a full stop at the end."""
    text = squeeze(" ".join(filter(None, words))).removesuffix(".")
    start = next((place for place, letter in enumerate(text) if letter.isalnum()), 0)
    if _INNER_CAPITAL.match(text, start) or text[:start].endswith("."):
        return f"{text}."
    return f"{text[:start]}{text[start : start + 1].upper()}{text[start + 1 :]}."


def lower_first(text: str) -> str:
    """A text without the capital of its first word, where that word is no name: "First champion", "The center"."""
    word, _, rest = text.partition(" ")
    common = word[1:].islower() and is_common(word.lower())
    return f"{word.lower()}{text[len(word) :]}" if common and not rest[:1].isupper() else text


def choose(drafts: Iterable[ReadingDraft], answer: str, most: int) -> tuple[QuestionReading, ...]:
    """The drafts as readings, the usual ones first, each once, at most so many; those without the answer are none."""
    found: dict[str, QuestionReading] = {}
    inside = _inside(answer)
    for draft in sorted(drafts, key=_cost):
        text = write([inside if place and word == answer else word for place, word in enumerate(draft.words)])
        if text not in found and answer.lower() in text.lower():
            clash = ("clash", float(_clashes(text)))
            found[text] = QuestionReading(text, (("cost", draft.cost), clash, *draft.features))
            if len(found) == most:
                break
    return tuple(found.values())


def _inside(answer: str) -> str:
    """An answer as it stands inside a claim: "The center" begins in lower case there."""
    return lower_first(answer) if answer.partition(" ")[0].lower() in _FUNCTION_WORDS else answer


def _clashes(text: str) -> int:
    """How many words cannot stand after the one before: an article after an article, a word after itself."""
    words = [word.strip('.,;:"') for word in text.lower().split()]
    return sum(
        (before in ARTICLES and after in _NEVER_AFTER_ARTICLES)
        or (before in _BEFORE_NOUNS and after in _VERBS)
        or (before == after and before.isalpha())
        for before, after in pairwise(words)
    )


def _cost(draft: ReadingDraft) -> float:
    return draft.cost


def joined(*parts: Sequence[str] | str) -> tuple[str, ...]:
    """Words and lists of words as one list."""
    found: list[str] = []
    for part in parts:
        found.extend([part] if isinstance(part, str) else part)
    return tuple(found)
