"""The span scorer: how likely each thing that passages mention is what a question asks for.

A linear model over cheap features. Its weights were fitted by `benchmarks/fit_answers.py` on questions made of
sentences.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from math import log

from veritab.build.answers.answer_types import NAMES, AnswerType, TypedAnswer, name_shares, type_answer, type_of_value
from veritab.build.answers.mentions import PassageSpan, ReadPassage, read_passage
from veritab.build.answers.wording import write_like
from veritab.build.passages import FoundPassage
from veritab.build.questions.normal_form import normal_form
from veritab.text import content_terms, terms

_REACH = 10
_PREPOSITIONS = frozenset("in on at by of from to as with for".split())
_LEAST_SHARE = 0.3
_ASKS = re.compile(r"\b(who|whom|whose|what|which|when|where|how (?:many|much|long|old|far|tall|big))\b", re.IGNORECASE)
_NOUN = re.compile(
    r"\b(?:what|which|how many|how much)\s+((?:[\w'’-]+\s+){0,2}?)(is|are|was|were|did|do|does|has|have|had)\b"
)

_OFFICE = re.compile(
    r"(?:(?:Chief|Master|Commanding|General|Officer|Sergeant|Sgt|Maj|Gen|Major|Captain|Colonel|Lieutenant|President|Prime"
    r"|Minister|Governor|Speaker|Secretary|Senator|Warrant|Staff|Deputy|Vice|King|Queen|Prince|Princess|Best|Actor|Actress"
    r"|Director|Golden|Globe|Award|Awards|Academy|of|the|State|Commander|Admiral|Congress|Head|Coach)\b[ -]?)+"
)

Features = dict[str, float]


@dataclass
class Candidate:
    """A possible answer: how it is written, the passage in which it looks best, and its features."""

    text: str
    passage: FoundPassage
    features: Features = field(default_factory=dict)
    score: float = 0.0
    times: int = 0
    articles: int = 0
    """How often it has "the" before it."""
    passages: set[FoundPassage] = field(default_factory=set)
    best: float = -1.0

    @property
    def written(self) -> str:
        """How a sentence has it: with its article, where it mostly has one and is no part of "the Vienna school"."""
        has_article = 2 * self.articles > self.times and (" " in self.text or self.text.endswith("s"))
        return f"the {self.text}" if has_article else self.text


class _Asked:
    """A question as spans are compared with it."""

    def __init__(self, question: str, passages: Sequence[ReadPassage]) -> None:
        self.terms = content_terms(question)
        having = {term: sum(term in each.terms or term in each.title_terms for each in passages) for term in self.terms}
        self.weights = {term: log((len(passages) + 1.5) / (having[term] + 0.5)) + 0.3 for term in self.terms}
        self.total = sum(self.weights.values()) or 1.0
        found = _ASKS.search(question)
        self.asks = found[1].lower() if found else "none"
        noun = _NOUN.search(question.lower())
        self.noun = (terms(noun[1]) or [""])[-1] if noun else ""

    def share(self, found: Iterable[str]) -> float:
        """How much of the question's weight these terms hold."""
        held = {*found}
        return sum(weight for term, weight in self.weights.items() if term in held) / self.total


class SpanScorer:
    """Weighs the features of what passages mention."""

    def __init__(self, weights: Mapping[str, float] | None = None) -> None:
        self._weights = _shipped() if weights is None else weights

    def rank(self, question: str, answer: str | TypedAnswer, passages: Sequence[FoundPassage]) -> list[Candidate]:
        """Everything of the answer's type that the passages mention and the question does not, the likeliest first."""
        found = list_candidates(question, answer, passages)
        for each in found:
            each.score = sum(self._weights.get(name, 0.0) * value for name, value in each.features.items())
        return sorted(found, key=lambda each: (-each.score, each.text))


def list_candidates(question: str, answer: str | TypedAnswer, passages: Sequence[FoundPassage]) -> list[Candidate]:
    """The candidates with their features, in the order they are mentioned."""
    typed = type_answer(question, answer) if isinstance(answer, str) else answer
    read = [read_passage(each) for each in passages]
    asked = _Asked(question, read)
    said = frozenset(terms(question))
    is_person = typed.type is AnswerType.PERSON
    found: dict[str, Candidate] = {}
    for rank, passage in enumerate(read):
        overall: Features = {}
        for mention in passage.mentions:
            written, fit = _fit(mention, typed)
            held = frozenset(terms(written)) if written else frozenset()
            if not written or held <= said:
                continue
            overall = overall or _passage_features(asked, passage, rank)
            features = overall | _mention_features(asked, passage, mention) | {"type": fit}
            if held & said:
                features["said"] = len(held & said) / len(held)
            # No person has an article: "the Zachary Taylor administration" names one all the same.
            _meet(found, written, passage.passage, features).articles += mention.article and not is_person
    for each in found.values():
        each.features["times"] = log(each.times)
        each.features["passages"] = log(len(each.passages))
        each.features["words"] = min(len(each.text.split()), 4) / 4
    return list(found.values())


def _meet(found: dict[str, Candidate], text: str, passage: FoundPassage, features: Features) -> Candidate:
    """One mention more of a candidate: of every feature the highest value counts."""
    candidate = found.setdefault(normal_form(text), Candidate(text, passage))
    candidate.times += 1
    candidate.passages.add(passage)
    strength = features["sentence"] + features["near"] + features["rank"]
    if strength > candidate.best:
        candidate.best, candidate.passage = strength, passage
    for name, value in features.items():
        candidate.features[name] = max(candidate.features.get(name, value), value)
    return candidate


def _fit(mention: PassageSpan, answer: TypedAnswer) -> tuple[str | None, float]:
    """A mention as the answer would be written, and how surely it is of its type; None where it is of another."""
    if mention.value is not None:
        if answer.value is None:
            return None, 0.0
        written = write_like(answer, mention.value, mention.text)
        return written, 1.0 if type_of_value(mention.value) is answer.type else 0.5
    if answer.type not in NAMES or _OFFICE.fullmatch(mention.text):
        return None, 0.0
    if answer.type is AnswerType.PERSON and " " in answer.text and " " not in mention.text:
        return None, 0.0
    share = name_shares(mention.text)[answer.type]
    return (mention.text, share) if share >= _LEAST_SHARE else (None, 0.0)


def _passage_features(asked: _Asked, passage: ReadPassage, rank: int) -> Features:
    return {
        "rank": 1 / (1 + rank),
        "passage": asked.share([*passage.terms, *passage.title_terms]),
        "title": asked.share(passage.title_terms),
        "named": sum(term in asked.weights for term in passage.title_terms) / max(len(passage.title_terms), 1),
    }


def _mention_features(asked: _Asked, passage: ReadPassage, mention: PassageSpan) -> Features:
    held, first, last = passage.terms, mention.first, mention.last
    start = max(first - _REACH, 0)
    near: Features = {}
    for place in (*range(start, first), *range(last, min(last + _REACH, len(held)))):
        weight = asked.weights.get(held[place])
        if weight is not None and passage.sentences[place] == mention.sentence:
            distance = first - place if place < first else place - last + 1
            near[held[place]] = max(near.get(held[place], 0.0), weight / (1 + distance / 3))
    in_sentence = [term for term, number in zip(held, passage.sentences, strict=True) if number == mention.sentence]
    before = held[first - 1] if first and passage.sentences[first - 1] == mention.sentence else ""
    features = {
        "sentence": asked.share(in_sentence),
        "near": sum(near.values()) / asked.total,
        "first": float(mention.sentence == 0),
        "is title": float(frozenset(held[first:last]) == passage.title_terms),
    }
    if asked.noun and asked.noun in held[max(first - 4, 0) : last + 4]:
        features["noun"] = 1.0
    if before in _PREPOSITIONS:
        features[f"{asked.asks} {before}"] = 1.0
    return features


@lru_cache(1)
def _shipped() -> Mapping[str, float]:
    weights: dict[str, float] = json.loads(files(__package__).joinpath("spans.json").read_text("utf-8"))
    return weights
