"""Passages of 100 words as evidence: which hold gold sentences, retrieved by TF-IDF, reranked by our bi-encoder."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from veritab import datasets
from veritab.errors import NotFound
from veritab.papers.tables.cells import ProgressStep, TableNote
from veritab.papers.tables.corpora import TableCorpus, reachable
from veritab.papers.tables.inputs import ALMANAC
from veritab.schema import Claim, ElementId, Example, Hit, Kind, Label
from veritab.text import words

if TYPE_CHECKING:
    from veritab.schema import Page

DEPTH = 100
BI_ENCODER = "bi-encoder (ours) for DPR"
"""The row of our bi-encoder, beside the published number of DPR."""
BI_ENCODER_NOTE = TableNote(
    "dense",
    f"our bi-encoder reranks TF-IDF's first {DEPTH} passages; the published number is of DPR over all passages",
)
_LONGEST = 4
_LEAST = 0.5
"""The n-gram precision below which Fool Me Twice left an example out."""


def aligned(corpus: TableCorpus, name: str) -> tuple[list[Example], TableNote]:
    """The claims of a data set whose gold texts all lie in passages of the corpus, those passages as their evidence."""
    source = ALMANAC if corpus.is_almanac else name
    loaded = datasets.load(source, data=None if corpus.is_almanac else corpus.inputs.data_folder)
    asked = [example for example in loaded if example.label in (Label.SUPPORTS, Label.REFUTES)]
    found = []
    for example in asked:
        sets = tuple(gold for texts in _gold(corpus, example) if (gold := _passages(corpus, texts)))
        if sets:
            found.append(replace(example, evidence=sets))
    what = (
        f"{len(found):,} of the {len(asked):,} supported and refuted claims of {source} have their evidence in "
        "passages of the corpus (n-gram precision 0.5 or more, as in the paper)"
    )
    return found, TableNote(name, what)


def _gold(corpus: TableCorpus, example: Example) -> Iterator[list[tuple[str, str]]]:
    """The page and the text of every piece of each evidence set."""
    quoted = datasets.gold_texts(example)
    if quoted:
        yield [(each.page, each.text) for each in quoted]
        return
    kept = reachable(example, corpus.store)
    for evidence in kept.evidence if kept else ():
        if all(id.kind is Kind.SENTENCE for id in evidence):
            yield [(id.page, corpus.store.element(id).text) for id in sorted(evidence)]


def _passages(corpus: TableCorpus, texts: Sequence[tuple[str, str]]) -> frozenset[ElementId]:
    """The passages that hold some texts; none where one of them is not held."""
    found = set()
    for title, text in texts:
        page = _cut_page(corpus, title)
        held = [each for each in page.elements if each.kind is Kind.PASSAGE] if page else []
        best = max(((precision(text, each.text), -each.id.path[0], each.id) for each in held), default=None)
        if best is None or best[0] < _LEAST:
            return frozenset()
        found.add(best[2])
    return frozenset(found)


def _cut_page(corpus: TableCorpus, title: str) -> Page | None:
    from veritab.papers.retrieval.configurations import in_passages

    try:
        return in_passages(corpus.store.page(title))
    except NotFound:
        return None


def precision(text: str, other: str) -> float:
    """BLEU's modified n-gram precision of a text beside another, without its penalty for brevity."""
    own, there = words(text), words(other)
    longest = min(_LONGEST, len(own))
    logs = []
    for n in range(1, longest + 1):
        grams = Counter(zip(*(own[start:] for start in range(n)), strict=False))
        known = Counter(zip(*(there[start:] for start in range(n)), strict=False))
        shared = sum((grams & known).values())
        if not shared:
            return 0.0
        logs.append(math.log(shared / sum(grams.values())))
    return math.exp(sum(logs) / longest) if longest else 0.0


def rerank_by_encoder(corpus: TableCorpus, claims: Sequence[Claim]) -> Generator[ProgressStep, None, list[list[Hit]]]:
    """TF-IDF's first hundred passages, reranked by the shipped bi-encoder."""
    from veritab.models import open_encoder

    encoder = open_encoder()
    found = corpus.passages(claims, DEPTH)
    ordered = []
    for place, (claim, hits) in enumerate(zip(claims, found, strict=True)):
        yield ProgressStep(f"encoding passages: {place:,} of {len(claims):,}")
        texts = [f"{hit.element.id.page}. {hit.element.text}" for hit in hits]

        def compared(claim: Claim = claim, texts: list[str] = texts) -> list[float]:
            near: list[float] = (encoder.encode(texts) @ encoder.encode([claim.text], query=True)[0]).tolist()
            return near

        scores = corpus.inputs.cached("meaning", [encoder.fingerprint, claim.text, texts], compared) if texts else []
        again = [Hit(hit.element, score, "encoder") for hit, score in zip(hits, scores, strict=True)]
        ordered.append(sorted(again, key=lambda hit: (-hit.score, hit.element.id)))
    return ordered
