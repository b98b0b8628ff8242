"""Wrong answers for a question: things of the right answer's type in the passages found for it."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from veritab.build.answers.answer_types import NAMES, AnswerType, TypedAnswer, name_shares, read_value, type_answer
from veritab.build.answers.corpus_names import CorpusNames, has_kind, kind_of_noun
from veritab.build.answers.equivalence import same_answer
from veritab.build.answers.scoring import Candidate, SpanScorer
from veritab.build.passages import FoundPassage
from veritab.lexicon.names import NAMES_FOR
from veritab.quantities import Date, NumberOrDate, Quantity, Range
from veritab.text import stem, stems

TOP = 50
"""A wrong answer is drawn from so many: the first of them is too often a right one."""
_LOOKED_AT = 4 * TOP
_LEAST_NEAR = 3
_ASKED_KIND = re.compile(r"\b(?:(?:who|what|which) (?:is|was|are|were) the|what|which) ((?:[a-z]+ ){1,3})")
_CHARACTER = "character"
_LIKELY, _SURE = 0.5, 0.8
_INITIALS = re.compile(r"\b(?:[A-Z]\.){2,}")
_NEAR_YEARS, _NEAR_FACTOR = 20, 3.0


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
) -> list[MinedAnswer]:
    """Wrong answers of the first answer's type, the likeliest first, none of them another name for any answer.

    With `names` the corpus says which names are of one thing and of which sort.
    """
    if not answers:
        return []
    typed = type_answer(question, answers[0], names.sort_of if names else None)
    ranked = (scorer or _scorer()).rank(question, typed, passages)[:_LOOKED_AT]
    if names:
        names.look_up([*answers, *(each.text for each in ranked)])
    alike = _Likeness(question, typed, answers, names)
    kept = [each for each in ranked if alike.is_of_type(each.text) and not alike.may_be_right(each.text)]
    if typed.value is not None:
        chosen = _first_with(
            _LEAST_NEAR, [each for each in kept if alike.distance(each.text) <= 1], alike.nearest(kept)
        )
    else:
        kept = [each for each in kept if alike.is_known(each.text)]
        near = [each for each in kept if alike.is_near_kind(each.text)]
        # Where there are few, any person may stand for another, and any place; but no team for a film.
        if not alike.is_of_one_kind:
            near = _first_with(_LEAST_NEAR, near, kept)
        chosen = _first_with(_LEAST_NEAR, [each for each in near if alike.is_of_kind(each.text)], near)
    return [MinedAnswer(each.written, each.passage, round(each.score, 4)) for each in chosen[:most]]


def _first_with(least: int, chosen: list[Candidate], others: list[Candidate]) -> list[Candidate]:
    """The chosen ones where they are enough to draw from, else the others."""
    return chosen if len(chosen) >= least else others


class _Likeness:
    """How a candidate compares with the given answers, by what the corpus knows of both."""

    def __init__(self, question: str, typed: TypedAnswer, answers: Sequence[str], names: CorpusNames | None) -> None:
        self._typed, self._answers, self._names = typed, answers, names
        self._nouns: frozenset[str] = frozenset()
        self._kinds: frozenset[str] = frozenset()
        self.is_of_one_kind = False
        """Whether only things of the answer's kind may stand for it: the question asks for that kind, or it is a name
        of neither a person nor a place."""
        if names and typed.type in NAMES:
            own = names.noun_of(typed.text)
            # "which river": whichever of the words is the noun, no page says that it is "a separates".
            asked = _ASKED_KIND.search(question.lower())
            self._nouns = frozenset({own} if own else map(stem, asked[1].split()) if asked else ())
            self._kinds = frozenset(map(kind_of_noun, self._nouns))
            kinds_asked = (
                {kind_of_noun(noun) for noun in map(stem, asked[1].split()) if has_kind(noun)} if asked else set()
            )
            self.is_of_one_kind = typed.type is AnswerType.NAME or bool(kinds_asked & self._kinds)
        self._openings = " ".join(map(names.openings, answers)) if names and typed.type is AnswerType.PLACE else ""

    def is_of_type(self, text: str) -> bool:
        """Whether it is of the answer's type by what the corpus knows; where that is nothing, by its words."""
        wanted = self._typed.type
        if wanted not in NAMES:
            return self._is_countable(text)
        known = self._names.sort_of(text) if self._names else None
        if known is AnswerType.PERSON and self._nouns and (_CHARACTER in self._nouns) != self._is_character(text):
            return False
        return known is wanted if known else wanted is not AnswerType.PERSON or name_shares(text)[wanted] >= _LIKELY

    def _is_character(self, text: str) -> bool:
        """Whether it is somebody in a story, who plays no part in a film."""
        return self._names is not None and self._names.noun_of(text) == _CHARACTER

    def _is_countable(self, text: str) -> bool:
        """Whether a number counts something where the answer does: there are neither 6.5 episodes nor none."""
        own, other = self._typed.value, read_value(text)
        if re.match(r"0\d", text):
            return False  # "05" is part of a date or a code
        if not isinstance(own, Quantity) or not isinstance(other, Quantity):
            return True
        return (other.value > 0 or own.value <= 0) and (other.value.is_integer() or not own.value.is_integer())

    def is_known(self, text: str) -> bool:
        """Whether the corpus says that it is of the answer's type, or its words leave no doubt: what only looks like a
        name may be half of one."""
        wanted = self._typed.type
        if self._names is None or wanted not in NAMES:
            return True
        if known := self._names.sort_of(text):
            return known is wanted
        is_whole = wanted is AnswerType.PLACE or (wanted is AnswerType.PERSON and " " in text)
        return is_whole and name_shares(text)[wanted] >= _SURE

    def may_be_right(self, text: str) -> bool:
        """Whether it means the same as an answer, or is a place that one lies in or that lies in one."""
        pages_of = self._names.pages_of if self._names else None
        if any(same_answer(text, answer, pages_of) for answer in self._answers):
            return True
        if self._names is None or self._typed.type is not AnswerType.PLACE:
            return False
        opening = self._names.openings(text)
        return _holds(self._openings, text) or any(_holds(opening, answer) for answer in self._answers)

    def is_of_kind(self, text: str) -> bool:
        """Whether it is what the answer is by the corpus, a river for a river; anything where that is not known."""
        return not self._nouns or self._names is None or self._names.noun_of(text) in self._nouns

    def is_near_kind(self, text: str) -> bool:
        """Whether it may stand for the answer though the corpus calls it otherwise: a film for a novel."""
        if self._names is None or self._typed.type not in NAMES:
            return True
        return kind_of_noun(self._names.noun_of(text)) in self._kinds

    def distance(self, text: str) -> float:
        """How far a value is from the answer's; beyond 1 it looks wrong at once."""
        own, other = self._typed.value, read_value(text)
        return _distance(own, other) if own is not None and other is not None else math.inf

    def nearest(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """The few values that are nearest to the answer's, in the order given."""
        near = sorted(self.distance(each.text) for each in candidates)[:_LEAST_NEAR]
        return [each for each in candidates if self.distance(each.text) <= max(near)] if near else []


def _holds(text: str, name: str) -> bool:
    """Whether a text has a name, or another name of the same: "a U.S. state" has the United States."""
    said = f" {' '.join(_stems(text))} "
    own = _stems(name)
    return any(each and f" {' '.join(each)} " in said for each in (own, *NAMES_FOR.get(own, ())))


def _stems(text: str) -> tuple[str, ...]:
    """The stems of a text without articles before names, "U.S." as "US"."""
    found = stems(_INITIALS.sub(lambda initials: initials[0].replace(".", ""), text))
    return found[1:] if found[:1] == ("the",) else found


def _distance(one: NumberOrDate | Range, other: NumberOrDate | Range) -> float:
    first, second = (each.low if isinstance(each, Range) else each for each in (one, other))
    if isinstance(first, Date) and isinstance(second, Date):
        return 0.0 if first.year is None or second.year is None else abs(first.year - second.year) / _NEAR_YEARS
    if isinstance(first, Quantity) and isinstance(second, Quantity):
        small, large = sorted((abs(first.value), abs(second.value)))
        return large / max(small, 1.0) / _NEAR_FACTOR
    return math.inf


@lru_cache(1)
def _scorer() -> SpanScorer:
    return SpanScorer()
