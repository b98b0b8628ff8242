"""Pages give elements: the sentences, items, captions and passages that fit a claim, and the tables beside them.

As with pages, what suggests that an element is evidence is a feature, and the score is their weighted sum, fitted by
benchmarks/fit_elements.py. What the page's title already says of the claim counts less: a sentence rarely repeats it.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

from veritab.lexicon.attributes import ADJECTIVE_ATTRIBUTES
from veritab.retrieve.entity_mentions import ClaimQuery
from veritab.retrieve.pages import FeatureValues, PageCandidate
from veritab.retrieve.sparse import LocalId, SparseIndex
from veritab.schema import Kind, ListBlock, Page, Section, TableBlock
from veritab.text import STOP_WORDS, terms

TEXT_WEIGHTS: FeatureValues = {
    "caption": -1.09,
    "first": 1.68,
    "first_long": -1.39,
    "first_of_other": 0.84,
    "item": -0.13,
    "length": 0.79,
    "page": 2.51,
    "page_first": -1.0,
    "page_rank": 2.99,
    "position": -0.83,
    "rest": 2.9,
    "rest_names": 0.79,
    "rest_numbers": 0.64,
    "words": 0.96,
    "words_page": 0.64,
}
# Set by hand while looking at FEVEROUS's tables; no claims with whole tables and titles are left to fit them on.
TABLE_WEIGHTS: FeatureValues = {"anywhere": 2.0, "best_of_page": 0.5, "page": 2.0, "page_rank": 1.0, "words": 1.0}
# From scores to how likely an element is evidence (slope, offset), so that texts and tables are on one scale.
_TEXT_SCALE = (1.21, -7.87)
_TABLE_SCALE = (1.95, -8.75)

_HITS = 80
_TEXT_FIELDS = {"section": 0.3, "body": 1.0}
_TABLE_FIELDS = {"title": 1.0, "section": 0.5, "headers": 0.7, "body": 1.0}
_TABLE_HITS = 20
_ATTRIBUTES = {
    term: tuple(terms(attributes)) for adjectives, attributes in ADJECTIVE_ATTRIBUTES for term in terms(adjectives)
}


@dataclass(slots=True)
class ElementCandidate:
    """An element that may be evidence, and its features."""

    title: str
    place: LocalId
    features: FeatureValues = field(default_factory=dict)
    score: float = 0.0


def rank_texts(query: ClaimQuery, pages: Sequence[PageCandidate]) -> list[ElementCandidate]:
    """The sentences, items, captions and passages of some pages, best first."""
    return _ranked(text_candidates(query, pages), TEXT_WEIGHTS, _TEXT_SCALE)


def rank_tables(query: ClaimQuery, pages: Sequence[PageCandidate]) -> list[ElementCandidate]:
    """The tables of some pages, and any other that fits the claim well, best first."""
    return _ranked(table_candidates(query, pages), TABLE_WEIGHTS, _TABLE_SCALE)


def _ranked(
    pieces: list[ElementCandidate], weights: Mapping[str, float], scale: tuple[float, float]
) -> list[ElementCandidate]:
    slope, offset = scale
    for piece in pieces:
        score = sum(weights.get(name, 0.0) * value for name, value in piece.features.items())
        piece.score = 1 / (1 + exp(-slope * score - offset))
    return sorted(pieces, key=lambda piece: (-piece.score, piece.title, piece.place))


def text_candidates(query: ClaimQuery, pages: Sequence[PageCandidate]) -> list[ElementCandidate]:
    """The pieces of text that may be evidence, with their features."""
    if not pages or not query.terms:
        return []
    found = _by_words(query, query.index.texts, query.terms, pages, _TEXT_FIELDS)
    likely = _likelihoods(pages)
    pieces = []
    for rank, page in enumerate(pages):
        rest = UnexplainedTerms(query, page.title)
        whole = query.page(page.title)
        long = log(1 + len(whole.blocks)) / 5
        for place, text, first in _texts(whole, found.get(page.number, {})):
            features = rest.features(text) | {
                "page": likely[rank],
                "page_rank": 1 / (1 + rank),
                "page_first": float(rank == 0),
                "first": float(first),
                "first_long": first * long,
                "first_of_other": float(first and rank > 0),
                "position": 1 / (1 + place.path[0]) if place.kind is Kind.SENTENCE else 0.0,
                "words": found.get(page.number, {}).get(place, 0.0),
                "caption": float(place.kind is Kind.TABLE_CAPTION),
                "item": float(place.kind is Kind.ITEM),
            }
            features["words_page"] = features["words"] * likely[rank]
            pieces.append(ElementCandidate(page.title, place, features))
    return pieces


def table_candidates(query: ClaimQuery, pages: Sequence[PageCandidate]) -> list[ElementCandidate]:
    """The tables that may be evidence, with their features."""
    if not query.terms:
        return []
    sparse = query.index.tables
    everywhere = sparse.search(query.terms, _TABLE_FIELDS, _TABLE_HITS, boosts=query.boosts)
    inside = _by_words(query, sparse, _with_attributes(query.terms), pages, _TABLE_FIELDS)
    likely = dict(zip((page.number for page in pages), _likelihoods(pages), strict=True))
    ranks = {page.number: rank for rank, page in enumerate(pages)}
    best_of_page: dict[int, float] = {number: max(places.values()) for number, places in inside.items()}
    pieces: dict[tuple[int, LocalId], ElementCandidate] = {}
    titles = query.index.store.titles_by_number({hit.page for hit in everywhere} | set(inside))
    for hit in everywhere:
        pieces[hit.page, hit.place] = ElementCandidate(
            titles.get(hit.page, ""), hit.place, {"anywhere": hit.share_of(everywhere[0])}
        )
    for number, places in inside.items():
        for place, score in places.items():
            piece = pieces.setdefault((number, place), ElementCandidate(titles.get(number, ""), place))
            piece.features |= {
                "words": score,
                "best_of_page": float(score == best_of_page[number]),
                "page": likely[number],
                "page_rank": 1 / (1 + ranks[number]),
            }
    return [piece for piece in pieces.values() if piece.title]


def _with_attributes(terms: Sequence[str]) -> list[str]:
    """The terms of a claim, and what tables call that by which it compares."""
    return list(dict.fromkeys([*terms, *(other for term in terms for other in _ATTRIBUTES.get(term, ()))]))


def _by_words(
    query: ClaimQuery,
    sparse: SparseIndex,
    terms: Sequence[str],
    pages: Sequence[PageCandidate],
    fields: Mapping[str, float],
) -> dict[int, dict[LocalId, float]]:
    """How well the entries of some pages fit, the best of them 1, by page and place."""
    numbers = [page.number for page in pages]
    hits = sparse.search(terms, fields, _HITS, pages=numbers, boosts=query.boosts) if pages else []
    found: dict[int, dict[LocalId, float]] = {}
    for hit in hits:
        found.setdefault(hit.page, {})[hit.place] = hit.share_of(hits[0])
    return found


def _likelihoods(pages: Sequence[PageCandidate]) -> list[float]:
    """How likely each page is the right one, by its score."""
    if not pages:
        return []
    best = max(page.score for page in pages)
    parts = [exp(page.score - best) for page in pages]
    return [part / sum(parts) for part in parts]


def _texts(page: Page, found: Mapping[LocalId, float]) -> Iterator[tuple[LocalId, str, bool]]:
    """The texts of a page that share words with the claim, and its first one in any case."""
    first = True
    for block in page.blocks:
        if isinstance(block, Section):
            continue
        if isinstance(block, ListBlock):
            for position, item in enumerate(block.items):
                place = LocalId(Kind.ITEM, (block.number, position))
                if place in found:
                    yield place, item.text, False
        elif isinstance(block, TableBlock):
            place = LocalId(Kind.TABLE_CAPTION, (block.number,))
            if place in found:
                yield place, block.caption, False
        else:
            place = LocalId(Kind(type(block).__name__.lower()), (block.number,))
            if first or place in found:
                yield place, block.text, first
            first = False


class UnexplainedTerms:
    """What of a claim its page's title leaves to be said."""

    def __init__(self, query: ClaimQuery, title: str) -> None:
        self._weights = query.unexplained(title)
        self._total = sum(self._weights.values()) or 1.0
        self._names = {
            term
            for word in query.words[1:]
            if word.is_proper and word.lower not in STOP_WORDS
            for term in terms(word.lower)
            if term in self._weights
        }
        self._numbers = {term for term in self._weights if term.isdigit()}

    def share(self, said: Container[str]) -> float:
        """How much of it these terms say, by weight."""
        return sum(weight for term, weight in self._weights.items() if term in said) / self._total

    def features(self, text: str) -> FeatureValues:
        """How much of it a text says, its names and numbers apart too."""
        said = set(terms(text))
        names, numbers = self._names, self._numbers
        return {
            "rest": self.share(said),
            "rest_names": len(names & said) / len(names) if names else 0.0,
            "rest_numbers": len(numbers & said) / len(numbers) if numbers else 0.0,
            "length": log(1 + len(said)) / 5,
        }
