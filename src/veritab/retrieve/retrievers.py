"""The retrievers people use: claims find pages, and what stands on them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import tanh
from pathlib import Path

from veritab.errors import InputError, NotFound
from veritab.retrieve.elements import ElementCandidate, rank_tables, rank_texts
from veritab.retrieve.entity_mentions import ClaimQuery, Detector, link_names, longest_mentions
from veritab.retrieve.fuse import IN_CELLS, Scorer, fuse, rerank, sort_by_score
from veritab.retrieve.index import Index, open_index
from veritab.retrieve.links import follow_links
from veritab.retrieve.pages import PageCandidate, rank_pages
from veritab.schema import Claim, Element, ElementId, Hit, Kind, Retriever
from veritab.text import STOP_WORDS, word_spans, words

_FEWEST_OTHERS = 5


@dataclass(frozen=True)
class PageRetriever:
    """Claims find pages. The links of the best `followed` pages are followed; a `detector` may name more pages."""

    index: Index
    followed: int = 2
    detector: Detector | None = None

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The pages for each claim, best first, as hits on their titles."""
        _at_least("k", k, 1)
        return [[_page_hit(page) for page in self.find(ClaimQuery(claim.text, self.index))[:k]] for claim in claims]

    def find(self, query: ClaimQuery) -> list[PageCandidate]:
        """The pages for a claim, best first, with their features."""
        named = link_names(self.detector(query.text), self.index) if self.detector else ()
        ranked = rank_pages(query, named)
        return follow_links(query, ranked, self.followed) if self.followed else ranked


@dataclass(frozen=True)
class EvidenceRetriever:
    """Claims find sentences, items, captions, passages and tables, on one scale: how likely each is evidence.

    What `others` find, a dense retriever for instance, is fused in; a `scorer` of pairs, such as a cross-encoder, has
    the last word on the order. Scores are then theirs, brought between 0 and 1.
    """

    pages: PageRetriever
    depth: int = 8
    others: Retriever | None = None
    scorer: Scorer | None = None

    def __post_init__(self) -> None:
        _at_least("depth", self.depth, 0)

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The best elements for each claim; a table is one hit, which a selector may swap for its cells."""
        _at_least("k", k, 1)
        return [self._elements(claim, k)[:k] for claim in claims]

    def close(self) -> None:
        """Close the index and the corpus."""
        self.pages.index.close()
        self.pages.index.store.close()

    def _elements(self, claim: Claim, k: int) -> list[Hit]:
        query = ClaimQuery(claim.text, self.pages.index)
        pages = self.pages.find(query)[: self.depth]
        texts = rank_texts(query, pages)
        found = [
            *[piece for piece in texts if piece.place.kind not in IN_CELLS][:k],
            *[piece for piece in texts if piece.place.kind in IN_CELLS][:k],
            *rank_tables(query, pages)[:k],
        ]
        hits = sort_by_score(_hits(found, query))
        if self.others:
            (more,) = self.others.retrieve([replace(claim, text=query.text)], max(len(hits), _FEWEST_OTHERS))
            hits = fuse([hits, more])
        if self.scorer:
            # A scorer may give any number; cells are weighed by the score of their table, which must not be negative.
            ordered = rerank(claim, hits, self.scorer)
            hits = [replace(hit, score=round((1 + tanh(hit.score / 2)) / 2, 6)) for hit in ordered]
        return hits


def _hits(pieces: Iterable[ElementCandidate], query: ClaimQuery) -> Iterator[Hit]:
    """Pieces as hits; what the corpus no longer has, since the index was built, is passed over."""
    for piece in pieces:
        try:
            element = query.page(piece.title).element(ElementId(piece.title, piece.place.kind, piece.place.path))
        except NotFound:
            continue
        yield Hit(element, round(piece.score, 6), "tables" if element.kind is Kind.TABLE else "texts")


def _at_least(name: str, number: int, least: int) -> None:
    """Refuse a number that cannot be meant."""
    if number < least:
        raise InputError(f"{name} is {number}; it must be {least} or more")


def open_retriever(path: Path | str | None = None) -> EvidenceRetriever:
    """Retrieval over the corpus at a path, by its index; over the bundled almanac without one."""
    return EvidenceRetriever(PageRetriever(open_index(path)))


_SHORTEST_SUBJECT = 3


def named_pages(index: Index, claim: str) -> list[str]:
    """The pages a claim names, one for each of its longest names; the entity matcher of FEVEROUS's configuration."""
    return [mention.title for mention in longest_mentions(ClaimQuery(claim, index))]


def subject_pages(index: Index, claim: str) -> list[str]:
    """The pages a claim names, and those whose titles are plain words of it, as "copper" is: names need no capital."""
    spans = word_spans(claim)
    runs = [claim[start:end] for start, end in spans if end - start >= _SHORTEST_SUBJECT]
    runs += [claim[first[0] : second[1]] for first, second in pairwise(spans)]
    plain = [run[0].upper() + run[1:] for run in runs if not STOP_WORDS & set(words(run))]
    resolved = index.store.resolve_all(dict.fromkeys(plain))
    # A year alone is nobody's name, though links may call an event of that year by it.
    named = (
        mention for mention in longest_mentions(ClaimQuery(claim, index)) if any(map(str.isalpha, mention.span.key))
    )
    titles = [*(mention.title for mention in named), *(title for title in resolved.values() if title)]
    return list(dict.fromkeys(titles))


def _page_hit(page: PageCandidate) -> Hit:
    return Hit(Element(ElementId(page.title, Kind.TITLE), page.title), round(page.score, 6), "pages")
