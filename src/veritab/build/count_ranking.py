"""Readings of questions that ask for counts, as most questions over tables do: what their grammar rules out.

The weights of the converter were fitted to questions about things; these corrections are for "how many" and "how much".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from veritab.build.questions.conversion import Conversion, convert
from veritab.build.questions.ranking import LinearRanker, ReadQuestion
from veritab.build.questions.reading import QuestionReading

_RULED_OUT = 6.0
_TIMES = re.compile(r"\bhow many (?:\w+ )?times\b", re.IGNORECASE)
_INVERTED = re.compile(
    r"\bhow many\b.* (?:has|was|does|did)\b|\bhow (?:much|many) (?:more|less|fewer|[a-z]+er)\b", re.IGNORECASE
)
"""One of several never "has": in "how many golds has Brazil won" the subject comes after the verb."""

_DO = re.compile(r"\b(?:did|does|do)\b", re.IGNORECASE)
_STRANDED = re.compile(r"\bhow many\b.* (?:in|on|at|for|with|to|from|by|against)\W*$", re.IGNORECASE)


class CountRanker(LinearRanker):
    """The shipped weights, and what the grammar of counts adds to them."""

    def rank(self, questions: Sequence[ReadQuestion]) -> list[list[float]]:
        """For every question a score for each of its readings."""
        return [
            [score + _correction(each, reading) for score, reading in zip(scores, each.readings, strict=True)]
            for each, scores in zip(questions, super().rank(questions), strict=True)
        ]


def _correction(question: ReadQuestion, reading: QuestionReading) -> float:
    named = {name for name, value in reading.features if value == 1.0}
    as_subject = any(name.startswith(("subject:how-many:", "subject:how-much:")) for name in named)
    found = 0.0
    if any(name.startswith("subject:") and name.endswith(":do") for name in named):
        found -= _RULED_OUT
    if as_subject and (_TIMES.search(question.question) or _INVERTED.search(question.question)):
        found -= _RULED_OUT
    if "pivot:auxiliary-later" in named and _DO.search(question.question):
        found -= _RULED_OUT  # "make" of "what make did he drive" is no verb
    if named & {"complement:how-many:value", "before-predicate:how-many:preposition"}:
        found -= _RULED_OUT
    if "place:core:end" in named and (_TIMES.search(question.question) or _STRANDED.search(question.question)):
        found += _RULED_OUT / 2
    if as_subject and question.answer != "1" and "number:singular:singular" in named:
        found -= _RULED_OUT
    if question.answer == "1":
        found += sum(
            _RULED_OUT / 2 for name in ("phrase:how-many:count:one", "number:answer:singular") if name in named
        )
    return found


_NO_RULE = re.compile(
    r"\b(?:did|does|do)\b.* not\b|"
    r"\b(?:in|on|at|for|by|to|with|from) how many\b|"
    r"\bhow (?:much|many) (?:more |less )?[a-z]+er (?:is|was|are|were|did)\b|"
    r"\bhow many (?:\w+ )?times (?:is|was|are|were) .* (?:the|an?)\b|\bhow many \w+ has (?:the|an?)\b",
    re.IGNORECASE,
)
_RANKER = CountRanker()


def convert_over_table(question: str, answer: str) -> Conversion:
    """The claim that a question over a table means with its answer, or why there is none."""
    if _NO_RULE.search(question):
        return Conversion("", None, "no rule reads this way of asking", 0.0)
    return convert(question, answer, _RANKER)
