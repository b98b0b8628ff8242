"""A claim finds pages: by the words they share, by their best sentence, by the names the claim says, and by links.

Each way of finding a page is a feature, and a page's score is their weighted sum, so nothing is put first blindly: a
title inside a claim is strong evidence, and weak where it is a common word in a long claim. The weights are fitted by
benchmarks/fit_pages.py, on other claims than those the project reports on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from veritab.retrieve.entity_mentions import ClaimQuery, EntityMention, find_mentions, find_misspelt, title_terms
from veritab.retrieve.name_index import NameSource
from veritab.text import terms

FeatureValues: TypeAlias = dict[str, float]

WEIGHTS: FeatureValues = {
    "detected": 1.0,
    "famous": 0.93,
    "located": -0.54,
    "named": 0.41,
    "named_exactly": 0.26,
    "named_first": 0.93,
    "named_inside": -1.61,
    "named_length": 2.08,
    "named_place": -0.73,
    "named_proper": 1.17,
    "named_proper_first": 0.43,
    "named_whole": 0.39,
    "qualified": -0.81,
    "qualifier_said": 0.13,
    "sentence": 1.07,
    "sentence_long": 0.58,
    "sentence_rank": 0.53,
    "sentence_share": 0.56,
    "spelt_alike": 1.11,
    "surname_famous": 1.19,
    "surname_first": 0.19,
    "title_said": -0.95,
    "title_share": -1.25,
    "title_unsaid": -0.62,
    "title_whole": 0.9,
    "words": 1.12,
    "words_long": 1.21,
    "words_rank": 0.62,
}

_WORD_HITS = 60
_SENTENCE_HITS = 100
_FAMOUS = 12
_MOST_LONE_NAMES = 5
_PAGE_FIELDS = {"title": 1.5, "body": 1.0}
_TEXT_FIELDS = {"title": 0.5, "body": 1.0}


@dataclass(slots=True)
class PageCandidate:
    """A page that may hold evidence, and its features."""

    number: int
    title: str = ""
    features: FeatureValues = field(default_factory=dict)
    score: float = 0.0


def rank_pages(query: ClaimQuery, known: Iterable[str] = ()) -> list[PageCandidate]:
    """The pages a claim finds by itself, best first; `known` are pages that another detector found named in it."""
    found = page_candidates(query, known)
    for page in found:
        page.score = sum(WEIGHTS.get(name, 0.0) * value for name, value in page.features.items())
    return sorted(found, key=lambda page: (-page.score, page.title))


def page_candidates(query: ClaimQuery, known: Iterable[str] = ()) -> list[PageCandidate]:
    """Every page that anything in the claim points to, with its features."""
    if not query.terms:
        return []
    found = _PageCandidates()
    _by_words(query, found)
    _by_sentences(query, found)
    _by_fame(query, found)
    named = _by_names(query, found, known)
    titles = query.index.store.titles_by_number(found.pages)
    for number, page in found.pages.items():
        if number in titles:  # an entry may outlive its page until the index is brought up to date
            page.title = titles[number]
            title_features(query, page.title, page.features)
            name_features(query, page.title, page.features, named.get(page.title, ()))
    return [page for page in found.pages.values() if page.title]


class _PageCandidates:
    """Candidates by the number of their page."""

    def __init__(self) -> None:
        self.pages: dict[int, PageCandidate] = {}

    def features(self, number: int) -> FeatureValues:
        return self.pages.setdefault(number, PageCandidate(number)).features


def _by_words(query: ClaimQuery, found: _PageCandidates) -> None:
    hits = query.index.pages.search(query.terms, _PAGE_FIELDS, _WORD_HITS, boosts=query.boosts)
    for place, hit in enumerate(hits):
        features = found.features(hit.page)
        features["words"] = hit.share_of(hits[0])
        features["words_long"] = features["words"] * query.length / 3
        features["words_rank"] = 1 / (1 + place)


def _by_sentences(query: ClaimQuery, found: _PageCandidates) -> None:
    hits = query.index.texts.search(query.terms, _TEXT_FIELDS, _SENTENCE_HITS, boosts=query.boosts)
    for place, hit in enumerate(hits):
        features = found.features(hit.page)
        if "sentence" not in features:
            features["sentence"] = hit.share_of(hits[0])
            features["sentence_long"] = features["sentence"] * query.length / 3
            features["sentence_share"] = hit.score / query.total / 3
            features["sentence_rank"] = 1 / (1 + place)


def _by_fame(query: ClaimQuery, found: _PageCandidates) -> None:
    """A surname alone means the page that says most, more often than not."""
    for name in query.lone_names()[:_MOST_LONE_NAMES]:
        for term in terms(name):
            for place, hit in enumerate(query.index.pages.largest(term, "title", _FAMOUS)):
                features = found.features(hit.page)
                features["famous"] = max(features.get("famous", 0.0), 1 - place / _FAMOUS)


def _by_names(query: ClaimQuery, found: _PageCandidates, known: Iterable[str]) -> dict[str, list[EntityMention]]:
    named: dict[str, list[EntityMention]] = {}
    for mention in find_mentions(query):
        named.setdefault(mention.title, []).append(mention)
    for mention in find_misspelt(query):
        named.setdefault(mention.title, []).append(mention)
    detected = set(known)
    for title, number in query.index.store.numbers_by_title({*named, *detected}).items():
        features = found.features(number)
        if title in detected:
            features["detected"] = 1.0
    return named


def title_features(query: ClaimQuery, title: str, features: FeatureValues) -> None:
    """How a title fits the words of a claim."""
    short, extra, in_parentheses, _ = title_terms(title)
    weights = {term: query.weight(term) for term in sorted(short)}
    said = sum(weight for term, weight in weights.items() if term in query.said)
    features["title_said"] = said / (sum(weights.values()) or 1.0)
    features["title_whole"] = float(bool(short) and short <= query.said)
    features["title_share"] = said / query.total
    features["title_unsaid"] = sum(weight for term, weight in weights.items() if term not in query.said) / 10
    if extra:
        features["qualified" if in_parentheses else "located"] = 1.0
        features["qualifier_said"] = len(extra & query.said) / len(extra)


def name_features(query: ClaimQuery, title: str, features: FeatureValues, named: Sequence[EntityMention]) -> None:
    """What the best name for a page in the claim says; else, whether the claim has its last word, a surname perhaps."""
    if named:
        best: FeatureValues = max((_name_features(query, title, mention) for mention in named), key=_strength)
        features.update(best)
        return
    surname = title_terms(title).last_word
    for place, word in enumerate(query.words):
        if surname and word.is_proper and word.lower == surname:
            features["surname_first"] = float(place <= 1)
            features["surname_famous"] = features.get("famous", 0.0)
            return


def _name_features(query: ClaimQuery, title: str, mention: EntityMention) -> FeatureValues:
    span, share = mention.span, mention.share
    proper = query.proper(span) * share
    first = float(span.first <= 1)
    surface = query.surface(span)
    unqualified = mention.how is NameSource.UNQUALIFIED
    return {
        "named": share,
        "named_proper": proper,
        "named_first": first * share,
        "named_proper_first": proper * first,
        "named_inside": float(query.is_inside(span)),
        "named_length": min(span.last - span.first, 6) / 6 * share,
        "named_exactly": float(surface == title or (unqualified and title.startswith(surface))),
        "named_place": float(unqualified and not title_terms(title).in_parentheses),
        "named_whole": float(mention.how not in (NameSource.UNQUALIFIED, NameSource.SIMILAR)),
        "spelt_alike": share if mention.how is NameSource.SIMILAR else 0.0,
    }


def _strength(features: FeatureValues) -> tuple[bool, bool, float, float]:
    proper = features["named_proper"] > 0.5
    return proper, not features["named_inside"], features["named_whole"], features["named_length"]
