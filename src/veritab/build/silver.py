"""Silver evidence: of the passages found for a question, the first that holds its answer, and the best that does not.

It was found, not annotated: that a passage holds the answer does not mean that it says so of what was asked. Records
carry `silver`, and nothing scores such evidence as gold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple, Protocol

from veritab.build.passages import FoundPassage
from veritab.lexicon.grammar import ARTICLES
from veritab.lexicon.numbers import SMALL_CARDINALS, TENS
from veritab.quantities import Date, Range, parse_quantities
from veritab.text import sentences, terms, words

_LEAST_SHARE = 0.5
"""A passage with less of the question's words, by weight, holds the answer by chance."""
_ENOUGH_SHARE = 0.7
_NEAR_SHARE, _NEAR_NUMBER = 0.3, 0.5
"""What the sentence with the answer must have too where the passage has not enough, or the answer is a mere number."""
_RARE = log(1000)
"""A word that one text in a thousand has; what lacks such a word of the question is about something else."""
_NUMBER = re.compile(r" (?:\d{1,3}|\d{5,}) ")
_YEAR_OR_RANK = re.compile(r"1\d{3}|20\d{2}|\d+(?:st|nd|rd|th)")
_GROUPED = re.compile(r"(?<=\d),(?=\d{3})")
_DIGITS = {word: str(number) for word, number in (SMALL_CARDINALS | TENS).items()}


class SilverEvidence(NamedTuple):
    """What was found for a question: the passage with its answer, and a passage to be told apart from it."""

    passage: FoundPassage | None = None
    """The first that holds the answer; None where none does."""
    negative: FoundPassage | None = None
    """The first that does not hold it: the likeliest to be taken for evidence."""


class QuestionWeights(Protocol):
    """What says how telling the terms of a question are; a `PassageSearch` does."""

    def weights(self, question: str) -> dict[str, float]: ...


class AnswerMatcher:
    """Tells whether texts hold one of some answers: word by word, or the same day written in another way."""

    def __init__(self, answers: Iterable[str]) -> None:
        given = tuple(answers)
        self._phrases = tuple(phrase for phrase in map(_phrase, given) if phrase.strip())
        self.is_number = bool(self._phrases) and all(_NUMBER.fullmatch(phrase) for phrase in self._phrases)
        """Whether it is a mere number, and no year: every other passage has one."""
        self._dates = tuple(date for answer in given if (date := _only_date(answer)))

    def holds(self, text: str) -> bool:
        """Whether the text holds an answer."""
        plain = _spaced(text)
        if any(phrase in plain for phrase in self._phrases):
            return True
        return bool(self._dates) and any(_says(found, date) for found in _dates(text) for date in self._dates)


def find_silver(
    search: QuestionWeights, question: str, answers: Iterable[str], passages: Sequence[FoundPassage]
) -> SilverEvidence:
    """The silver evidence for a question, of the passages that a search found for it, best first.

    An answer that the question holds already is in every passage about it, and tells nothing.
    """
    matcher = AnswerMatcher(answers)
    if matcher.holds(question):
        return SilverEvidence()
    weights = search.weights(question)
    passage, negative = None, None
    for each in passages:
        if not matcher.holds(_whole(each)):
            negative = negative or each
        elif passage is None and _answers(weights, matcher, each):
            passage = each
        if passage and negative:
            break
    return SilverEvidence(passage, negative if passage else None)


def _answers(weights: dict[str, float], matcher: AnswerMatcher, passage: FoundPassage) -> bool:
    """Whether a passage that holds an answer is likely to say so of what was asked."""
    held = set(terms(_whole(passage)))
    if any(term not in held and (weights[term] > _RARE or _YEAR_OR_RANK.fullmatch(term)) for term in weights):
        return False
    share = _share(weights, held)
    wanted = _NEAR_NUMBER if matcher.is_number else _NEAR_SHARE if share < _ENOUGH_SHARE else 0.0
    return share >= _LEAST_SHARE and _nearest_share(weights, matcher, passage) >= wanted


def _nearest_share(weights: dict[str, float], matcher: AnswerMatcher, passage: FoundPassage) -> float:
    """The largest share of the question that a sentence with the answer has, with the title of its page."""
    every = [passage.text[start:end] for start, end in sentences(passage.text)]
    holding = [each for each in every if matcher.holds(each)] or every
    return max((_share(weights, set(terms(f"{passage.title} {each}"))) for each in holding), default=0.0)


def _share(weights: dict[str, float], held: set[str]) -> float:
    return sum(weight for term, weight in weights.items() if term in held) / max(sum(weights.values()), 1e-9)


def _whole(passage: FoundPassage) -> str:
    return f"{passage.title}. {passage.text}"


def _spaced(text: str) -> str:
    """The words of a text between spaces, numbers in digits, so that words are found whole."""
    found = (_DIGITS.get(word, word) for word in words(_GROUPED.sub("", text)))
    return f" {' '.join(found)} "


def _phrase(answer: str) -> str:
    """An answer as a text has it; the article before it may be another."""
    found = _spaced(answer).split()
    while len(found) > 1 and found[0] in ARTICLES:
        del found[0]
    return f" {' '.join(found)} "


def _dates(text: str) -> list[Date]:
    every = [part for each in parse_quantities(text) for part in (each.parts if isinstance(each, Range) else (each,))]
    return [each for each in every if isinstance(each, Date)]


def _only_date(answer: str) -> Date | None:
    """The day or month that an answer is; None where it is anything else, or a year, which is a word like others."""
    found = parse_quantities(answer)
    if len(found) != 1 or not isinstance(found[0], Date) or found[0].month is None:
        return None
    start, end = found[0].span
    return found[0] if not words(answer[:start] + " " + answer[end:]) else None


def _says(found: Date, asked: Date) -> bool:
    """Whether a date is the one asked for, or more exact than that."""
    return all(
        wanted is None or wanted == had
        for wanted, had in ((asked.year, found.year), (asked.month, found.month), (asked.day, found.day))
    )
