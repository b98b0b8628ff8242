"""Wrong answers for a question: things of the right answer's type in the passages found for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from veritab.build.answers.answer_types import NAMES, AnswerType, TypedAnswer, name_shares, read_value, type_answer
from veritab.build.answers.corpus_names import CorpusNames
from veritab.build.answers.equivalence import same_answer
from veritab.build.answers.scoring import Candidate, SpanScorer
from veritab.build.passages import FoundPassage
from veritab.quantities import Date, NumberOrDate, Quantity, Range
from veritab.retrieve.name_index import key

TOP = 50
"""A wrong answer is drawn from so many: the first of them is too often a right one."""
_LOOKED_AT = 4 * TOP
_WITH_NOUNS = frozenset({AnswerType.PLACE, AnswerType.NAME})
_LEAST_NEAR, _LEAST_KNOWN = 3, 5
_MOST_TERMS = 10
_LIKELY = 0.5
_NEAR_YEARS, _NEAR_FACTOR = 40, 4.0


class MinedAnswer(NamedTuple):
    """A wrong answer, the passage it was found in, and how likely an answer it looks."""

    text: str
    passage: FoundPassage
    score: float


def mine_answers(
    question: str,
    answers: Sequence[str],
    passages: Sequence[FoundPassage],
    *,
    names: CorpusNames | None = None,
    scorer: SpanScorer | None = None,
    most: int = TOP,
    equivalents: bool = False,
) -> list[MinedAnswer]:
    """Wrong answers of the first answer's type, the likeliest first, none of them another name for any answer.

    With `names` the corpus says which names are of one thing and of which sort; `equivalents` keeps what may mean the
    same as an answer, unless it is the same word for word.
    """
    if not answers:
        return []
    typed = type_answer(question, answers[0], names.sort_of if names else None)
    ranked = (scorer or _scorer()).rank(question, typed, passages)[:_LOOKED_AT]
    if names:
        names.look_up([*answers, *(each.text for each in ranked)])
    alike = _Likeness(typed, answers, names)
    kept = [each for each in ranked if alike.is_of_type(each.text)]
    if equivalents:
        same = {answer.lower() for answer in answers}
        kept = [each for each in kept if each.text.lower() not in same]
    else:
        kept = [each for each in kept if not alike.may_be_right(each.text)]
    chosen = _first_with(_LEAST_NEAR, [each for each in kept if alike.is_near(each.text)], kept)
    chosen = _first_with(_LEAST_KNOWN, [each for each in chosen if alike.is_known(each.text)], chosen)
    most = min(most, _MOST_TERMS) if typed.type is AnswerType.TERM else most
    return [MinedAnswer(each.text, each.passage, round(each.score, 4)) for each in chosen[:most]]


def _first_with(least: int, chosen: list[Candidate], others: list[Candidate]) -> list[Candidate]:
    """The chosen ones where they are enough to draw from, else the others."""
    return chosen if len(chosen) >= least else others


class _Likeness:
    """How a candidate compares with the given answers, by what the corpus knows of both."""

    def __init__(self, typed: TypedAnswer, answers: Sequence[str], names: CorpusNames | None) -> None:
        self._typed, self._answers, self._names = typed, answers, names
        self._noun = names.noun_of(typed.text) if names and typed.type in _WITH_NOUNS else ""
        self._openings = " ".join(map(names.openings, answers)) if names and typed.type is AnswerType.PLACE else ""

    def is_of_type(self, text: str) -> bool:
        """Whether it is of the answer's type by what the corpus knows; where that is nothing, by its words."""
        wanted = self._typed.type
        if wanted not in NAMES:
            return True
        known = self._names.sort_of(text) if self._names else None
        return known is wanted if known else wanted is not AnswerType.PERSON or name_shares(text)[wanted] >= _LIKELY

    def is_known(self, text: str) -> bool:
        """Whether the corpus says that it is of the answer's type: what only looks like a name may be half of one."""
        if self._names is None or self._typed.type not in NAMES:
            return True
        return self._names.sort_of(text) is self._typed.type

    def may_be_right(self, text: str) -> bool:
        """Whether it means the same as an answer, or is a place that one lies in or that lies in one."""
        pages_of = self._names.pages_of if self._names else None
        if any(same_answer(text, answer, pages_of) for answer in self._answers):
            return True
        if self._names is None or self._typed.type is not AnswerType.PLACE:
            return False
        opening = self._names.openings(text)
        return _holds(self._openings, text) or any(_holds(opening, answer) for answer in self._answers)

    def is_near(self, text: str) -> bool:
        """Whether it is of the answer's kind, or a value that is not far from it: what is far off looks wrong."""
        own = self._typed.value
        if own is not None:
            value = read_value(text)
            return value is not None and _are_near(own, value)
        if not self._noun or self._names is None:
            return True
        return self._names.noun_of(text) == self._noun


def _holds(text: str, name: str) -> bool:
    return bool(name) and f" {key(name)} " in f" {key(text)} "


def _are_near(one: NumberOrDate | Range, other: NumberOrDate | Range) -> bool:
    first, second = (each.low if isinstance(each, Range) else each for each in (one, other))
    if isinstance(first, Date) and isinstance(second, Date):
        return first.year is None or second.year is None or abs(first.year - second.year) <= _NEAR_YEARS
    if isinstance(first, Quantity) and isinstance(second, Quantity):
        small, large = sorted((abs(first.value), abs(second.value)))
        return large <= _NEAR_FACTOR * max(small, 1.0)
    return False


@lru_cache(1)
def _scorer() -> SpanScorer:
    return SpanScorer()
