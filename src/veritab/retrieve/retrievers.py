"""The retrievers people use: claims find pages, evidence, and evidence within the official budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from veritab.retrieve.cells import LexicalCells
from veritab.retrieve.elements import Piece, rank_tables, rank_texts
from veritab.retrieve.fuse import IN_CELLS, by_score, cut
from veritab.retrieve.index import Index, open_index
from veritab.retrieve.links import follow_links
from veritab.retrieve.mentions import Detector, Reading, detected, longest_mentions
from veritab.retrieve.pages import Candidate, rank
from veritab.schema import Claim, Element, ElementId, Hit, Kind, Page, Table


@dataclass(frozen=True)
class PageRetriever:
    """Claims find pages. `hops` is how many of the best pages have their links followed; `detector` may name more."""

    index: Index
    hops: int = 2
    detector: Detector | None = None

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The pages for each claim, best first, as hits on their titles."""
        return [[_page_hit(page) for page in self.find(Reading(claim.text, self.index))[:k]] for claim in claims]

    def find(self, reading: Reading) -> list[Candidate]:
        """The pages for a claim, best first, with what speaks for each."""
        named = detected(self.detector(reading.text), self.index) if self.detector else ()
        ranked = rank(reading, named)
        return follow_links(reading, ranked, self.hops) if self.hops else ranked


@dataclass(frozen=True)
class EvidenceRetriever:
    """Claims find sentences, items, captions, passages and tables, on one scale: how likely each is evidence."""

    pages: PageRetriever
    depth: int = 8
    sentences: int = 5
    items: int = 5
    tables: int = 3
    cells: int = 25

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The best elements for each claim; a table is one hit."""
        return [by_score(self._elements(claim, k, k, k))[:k] for claim in claims]

    def evidence(self, claims: Sequence[Claim]) -> list[list[Hit]]:
        """Evidence for each claim within the budgets: tables have become the cells that matter."""
        found = [self._elements(claim, self.sentences, self.items, self.tables) for claim in claims]
        chosen = LexicalCells(self.table, budget=self.cells).select(claims, found)
        return [cut(by_score(hits), sentences=self.sentences, cells=self.cells) for hits in chosen]

    def table(self, id: ElementId) -> Table:
        """The table with that address."""
        return self.pages.index.store.page(id.page).table(id.path[0])

    def close(self) -> None:
        """Close the index and the corpus."""
        self.pages.index.close()
        self.pages.index.store.close()

    def _elements(self, claim: Claim, sentences: int, items: int, tables: int) -> list[Hit]:
        reading = Reading(claim.text, self.pages.index)
        pages = self.pages.find(reading)[: self.depth]
        texts = rank_texts(reading, pages)
        found = [
            *[piece for piece in texts if piece.place.kind not in IN_CELLS][:sentences],
            *[piece for piece in texts if piece.place.kind in IN_CELLS][:items],
            *rank_tables(reading, pages)[:tables],
        ]
        known: dict[str, Page] = {}
        return [self._hit(piece, known) for piece in found]

    def _hit(self, piece: Piece, known: dict[str, Page]) -> Hit:
        if piece.title not in known:
            known[piece.title] = self.pages.index.store.page(piece.title)
        element = known[piece.title].element(ElementId(piece.title, piece.place.kind, piece.place.path))
        return Hit(element, round(piece.score, 6), "tables" if element.kind is Kind.TABLE else "texts")


def open_retriever(path: Path | str | None = None) -> EvidenceRetriever:
    """Retrieval over the corpus at a path, by its index; over the bundled almanac without one."""
    return EvidenceRetriever(PageRetriever(open_index(path)))


def named_pages(index: Index, claim: str) -> list[str]:
    """The pages a claim names, one for each of its longest names; the entity matcher of FEVEROUS's configuration."""
    return [mention.title for mention in longest_mentions(Reading(claim, index))]


def _page_hit(page: Candidate) -> Hit:
    return Hit(Element(ElementId(page.title, Kind.TITLE), page.title), round(page.score, 6), "pages")
