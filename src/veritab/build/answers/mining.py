"""Wrong answers for a question: things of the right answer's type in the passages found for it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from veritab.build.answers.answer_types import NAMES, AnswerType, type_answer
from veritab.build.answers.corpus_names import CorpusNames
from veritab.build.answers.equivalence import same_answer
from veritab.build.answers.scoring import SpanScorer
from veritab.build.passages import FoundPassage

TOP = 50
"""A wrong answer is drawn from so many: the first of them is too often a right one."""
_LOOKED_AT = 4 * TOP


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
    found: list[MinedAnswer] = []
    for each in ranked:
        if names and typed.type in NAMES and not _is_of_type(names.sort_of(each.text), typed.type):
            continue
        if equivalents:
            same = any(each.text.lower() == answer.lower() for answer in answers)
        else:
            same = any(same_answer(each.text, answer, names.pages_of if names else None) for answer in answers)
        if not same:
            found.append(MinedAnswer(each.text, each.passage, round(each.score, 4)))
            if len(found) == most:
                break
    return found


def _is_of_type(known: AnswerType | None, wanted: AnswerType) -> bool:
    return known is None or known is wanted


@lru_cache(1)
def _scorer() -> SpanScorer:
    return SpanScorer()
