"""Rankers choose among readings: linear weights over the features of the choices, or a cross-encoder that reads both.

Both stand behind one protocol, so that whoever converts questions does not know which it is. The weights were fitted by
`benchmarks/fit_questions.py`; the cross-encoder is a selector by the recipe `questions`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple, Protocol

from veritab.build.questions.reading import QuestionReading
from veritab.models.candidates import CandidateScore, CandidateText

SHORTLIST = 24
"""How many readings a cross-encoder reads: those that the weights put first."""


class ReadQuestion(NamedTuple):
    """A question with its answer and its readings."""

    question: str
    answer: str
    readings: tuple[QuestionReading, ...]


class Ranker(Protocol):
    """Scores the readings of questions: the higher, the likelier what was meant."""

    def rank(self, questions: Sequence[ReadQuestion]) -> list[list[float]]:
        """For every question a score for each of its readings."""
        ...


class ReadingScorer(Protocol):
    """What a cross-encoder has to do: a score for each claim and candidate; a `SelectorModel` does."""

    def scores(self, claims_and_candidates: Sequence[tuple[str, CandidateText]]) -> list[CandidateScore]:
        """For each pair the log odds that they belong together."""
        ...


class LinearRanker:
    """Weighs the features of every reading; no network, no model."""

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        self._weights = _shipped() if weights is None else weights

    def rank(self, questions: Sequence[ReadQuestion]) -> list[list[float]]:
        """For every question the weighted sum of each reading's features."""
        return [[self.score(reading) for reading in each.readings] for each in questions]

    def score(self, reading: QuestionReading) -> float:
        """The weighted sum of a reading's features; a feature without a weight counts nothing."""
        weights = self._weights
        return sum([weights.get(name, 0.0) * value for name, value in reading.features])


class ModelRanker:
    """A cross-encoder over the readings that the weights put first; what those say counts as much as it says."""

    def __init__(self, model: ReadingScorer, *, shortlist: int = SHORTLIST, share: float = 0.5) -> None:
        self._model, self._shortlist, self._share = model, shortlist, share
        self._weights = LinearRanker()

    @classmethod
    def open(cls, folder: Path | str) -> ModelRanker:
        """A ranker with the selector in that folder, as `veritab train questions` writes it."""
        from veritab.models.registry import open_selector

        return cls(open_selector(folder))

    def rank(self, questions: Sequence[ReadQuestion]) -> list[list[float]]:
        """For every question a score for each reading; those beyond the shortlist stay below it."""
        linear = self._weights.rank(questions)
        lists = [_best(scores, self._shortlist) for scores in linear]
        pairs = [
            (asked_text(each.question, each.answer), CandidateText(each.readings[place].text))
            for each, places in zip(questions, lists, strict=True)
            for place in places
        ]
        read = iter(self._model.scores(pairs) if pairs else ())
        found = []
        for scores, places in zip(linear, lists, strict=True):
            best = max(scores, default=0.0)
            mixed = {place: next(read).whole + self._share * (scores[place] - best) for place in places}
            floor = min(mixed.values(), default=0.0) - 1
            found.append([mixed.get(place, floor + score - best) for place, score in enumerate(scores)])
        return found


def asked_text(question: str, answer: str) -> str:
    """What a cross-encoder reads beside a reading: the question, then its answer."""
    return f"{question.rstrip(' ?')}? {answer}"


def _best(scores: Iterable[float], most: int) -> list[int]:
    ordered = sorted(enumerate(scores), key=lambda each: (-each[1], each[0]))
    return sorted(place for place, _ in ordered[:most])


@lru_cache(1)
def _shipped() -> Mapping[str, float]:
    weights: dict[str, float] = json.loads(files(__package__).joinpath("weights.json").read_text("utf-8"))
    return weights
