"""Oracles: runs in which one stage is replaced by the gold answer, so that the difference shows what that stage costs.

    pages      elements are retrieved from the gold pages and nowhere else
    evidence   the verdict is reached on the first gold set, without retrieval
    labels     everything runs as usual, and the label is the gold one

Claims without annotated evidence are checked as usual under the oracles for pages and evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from veritab.errors import InputError, NotFound
from veritab.retrieve.entity_mentions import ClaimQuery
from veritab.retrieve.links import follow_links
from veritab.retrieve.pages import PageCandidate, rank_pages
from veritab.retrieve.retrievers import EvidenceRetriever, PageRetriever
from veritab.runs.stages import StageOutputs, with_stage_cache
from veritab.schema import CELLS, Claim, Decider, ElementId, Evidence, Example, Hit, Label, Reading, Retriever, Verdict

if TYPE_CHECKING:
    from veritab.corpus import Corpus
    from veritab.pipeline import Checker, Pipeline

GOLD = "gold"
"""The `by` of hits that an oracle provides."""


class Oracle(StrEnum):
    """Which stage is replaced by the gold answer."""

    PAGES = "pages"
    EVIDENCE = "evidence"
    LABELS = "labels"


def prepare_pipeline(
    checker: Checker, oracle: Oracle | None, examples: Iterable[Example], stages: StageOutputs | None = None
) -> Pipeline:
    """The pipeline of a checker with an oracle for these examples, matched by claim id, and cached stages."""
    gold = {str(example.claim.id): example for example in examples} if oracle else {}
    pipeline = checker.pipeline
    if oracle is Oracle.PAGES:
        pages = _pages(gold)
        limited = replace(pipeline, retrieve=GoldPages(_evidence_retriever(pipeline.retrieve), pages))
        return with_stage_cache(limited, stages, checker, pages) if stages else limited
    if stages:
        pipeline = with_stage_cache(pipeline, stages, checker)
    if oracle is Oracle.EVIDENCE:
        return replace(pipeline, retrieve=GoldEvidence(pipeline, _first_sets(gold), checker.store), select=())
    if oracle is Oracle.LABELS:
        return replace(pipeline, decide=GoldLabels(pipeline.decide, _labels(gold)), parts=False)
    return pipeline


def _evidence_retriever(retriever: Retriever) -> EvidenceRetriever:
    if isinstance(retriever, EvidenceRetriever):
        return retriever
    raise InputError(f"an oracle for pages needs an EvidenceRetriever, not a {type(retriever).__name__}")


def _is_annotated(example: Example) -> bool:
    return bool(example.evidence) and not example.silver


def _pages(gold: Mapping[str, Example]) -> dict[str, tuple[str, ...]]:
    return {
        id: tuple(sorted({piece.page for each in example.evidence for piece in each}))
        for id, example in gold.items()
        if _is_annotated(example)
    }


def _first_sets(gold: Mapping[str, Example]) -> dict[str, tuple[ElementId, ...]]:
    return {id: tuple(sorted(example.evidence[0])) for id, example in gold.items() if _is_annotated(example)}


def _labels(gold: Mapping[str, Example]) -> dict[str, Label]:
    return {id: example.label for id, example in gold.items() if example.label is not None}


# -- the stages --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GoldPages:
    """Retrieves elements from the gold pages of each claim."""

    retriever: EvidenceRetriever
    pages: Mapping[str, Sequence[str]]

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The best elements of the gold pages of each claim."""
        return [self._retrieve_one(claim, k) for claim in claims]

    def _retrieve_one(self, claim: Claim, k: int) -> list[Hit]:
        titles = self.pages.get(claim.id)
        if titles is None:
            return self.retriever.retrieve([claim], k)[0]
        pages = LimitedPages(self.retriever.pages.index, self.retriever.pages.followed, titles=titles)
        limited = replace(self.retriever, pages=pages, depth=len(titles))
        (hits,) = limited.retrieve([claim], k)
        # Dense retrieval searches every page.
        return [hit for hit in hits if hit.element.id.page in titles]


@dataclass(frozen=True)
class LimitedPages(PageRetriever):
    """Ranks some pages and no others."""

    titles: Sequence[str] = ()

    def find(self, query: ClaimQuery) -> list[PageCandidate]:
        """These pages, best first, with their features."""
        ranked = rank_pages(query, self.titles)
        followed = follow_links(query, ranked, self.followed) if self.followed else []
        every = {page.title: page for page in (*ranked, *followed)}
        return sorted(
            (every[title] for title in self.titles if title in every), key=lambda page: (-page.score, page.title)
        )


@dataclass(frozen=True)
class GoldEvidence:
    """Returns the first gold set of each claim; what the corpus does not have is left out."""

    pipeline: Pipeline
    sets: Mapping[str, Sequence[ElementId]]
    corpus: Corpus

    def retrieve(self, claims: Sequence[Claim], k: int) -> list[list[Hit]]:
        """The gold evidence of each claim; of one that has none, what is selected for it."""
        return [self._hits(claim) for claim in claims]

    def _hits(self, claim: Claim) -> list[Hit]:
        if claim.id not in self.sets:
            return list(self.pipeline.find([claim])[0].selected)
        return [hit for id in self.sets[claim.id] for hit in self._hit(id)]

    def _hit(self, id: ElementId) -> list[Hit]:
        try:
            element = self.corpus.element(id)
        except NotFound:
            return []
        # A verifier reads cells beside texts only where a cell fits best.
        return [Hit(element, 1.0 if id.kind in CELLS else 0.999, GOLD)]


@dataclass(frozen=True)
class GoldLabels:
    """Another decider with the gold labels."""

    decider: Decider
    labels: Mapping[str, Label]

    def decide(
        self, claims: Sequence[Claim], evidence: Sequence[Evidence], readings: Sequence[Reading]
    ) -> list[Verdict]:
        """Its verdicts with the gold labels."""
        return [self._correct(verdict) for verdict in self.decider.decide(claims, evidence, readings)]

    def _correct(self, verdict: Verdict) -> Verdict:
        label = self.labels.get(verdict.claim.id, verdict.label)
        scores = {each: float(each is label) for each in Label}
        certificate = replace(verdict.certificate, confidence=1.0, calibrated=False, computed=None, unsettled=None)
        return replace(verdict, label=label, scores=scores, certificate=certificate, uncertainty=None)
