"""A reading: one way to say a question and its answer as a claim, and what was chosen to come to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from veritab.text import squeeze


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


def write(words: Iterable[str], *, capital: bool) -> str:
    """Words as a sentence: one space between them, a full stop at the end."""
    text = squeeze(" ".join(filter(None, words)))
    text = text.removesuffix(".")
    if capital and text[:1].islower():
        text = text[0].upper() + text[1:]
    return f"{text}."


def choose(drafts: Iterable[ReadingDraft], answer: str, most: int, *, capital: bool) -> tuple[QuestionReading, ...]:
    """The drafts as readings, the usual ones first, each once, at most so many; those without the answer are none."""
    found: dict[str, QuestionReading] = {}
    for draft in sorted(drafts, key=_cost):
        text = write(draft.words, capital=capital)
        if text not in found and answer.lower() in text.lower():
            found[text] = QuestionReading(text, (("cost", draft.cost), *draft.features))
            if len(found) == most:
                break
    return tuple(found.values())


def _cost(draft: ReadingDraft) -> float:
    return draft.cost


def joined(*parts: Sequence[str] | str) -> tuple[str, ...]:
    """Words and lists of words as one list."""
    found: list[str] = []
    for part in parts:
        found.extend([part] if isinstance(part, str) else part)
    return tuple(found)
