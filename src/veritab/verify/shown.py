"""What of its evidence a verdict shows: the pieces that bear on the claim, and not all that a budget has room for.

Retrieval fills 5 sentences and 25 cells, which the official scores allow and a verifier may need. A reader wants those
that count. How likely a piece is among them follows from its score and from the words of the claim that few others say;
`python -m benchmarks.evidence --fit` fits the weights.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from veritab.schema import CELLS, COMPUTED, Claim, Element, Hit, Kind, Label, Reason, Verdict
from veritab.text import STOP_TERMS, terms
from veritab.verify.compose import Piece, alternate
from veritab.verify.evidence import DESCRIPTION

UNREAD = frozenset(
    {
        Reason.EMPTY_CLAIM,
        Reason.NOT_A_STATEMENT,
        Reason.OTHER_SCRIPT,
        Reason.OTHER_LANGUAGE,
        Reason.NO_SCORES,
        Reason.UNPARSED_ANSWER,
    }
)
"""Why a claim was not read, so that nobody knows what the evidence says of it, and nothing is evidence."""
_SMALLEST = 1e-5
LEAST, SHARE = 0.05, 0.13
"""How likely a piece must be evidence to be shown: this likely, and this share of the likeliest; that one always is."""
_BESIDE_COMPUTED = 0.4
"""How likely it must be beside what decided by computing."""
_MOST_OF_A_PART = 3


class PieceFeatures(NamedTuple):
    """What tells whether a hit is shown; each is about as large as one."""

    score: float
    """The log odds by the selector."""
    is_cell: float
    own_words: float
    """The share of the claim's words that it says, those that others say too divided among them."""
    cell_words: float
    """The share of the claim's words that a cell says with its headers."""
    page: float
    """The logarithm of the best score on its page."""


_BIAS, _WEIGHTS = -0.99, PieceFeatures(0.402, -1.556, 5.219, 3.487, 0.391)


def cut_evidence(verdict: Verdict) -> Verdict:
    """A verdict that shows what was computed with, what it rests on and what bears on the claim, and nothing else."""
    certificate = verdict.certificate
    needed = {*(certificate.smallest or ()), *(flip.id for flip in certificate.flips or ()), *certificate.cited}
    needed.update(id for part in certificate.parts for id in part.evidence)
    if certificate.unsettled and certificate.unsettled.reason in UNREAD:
        return replace(verdict, evidence=())
    rated = dict(zip(verdict.evidence, rate_hits(claim_as_read(verdict).text, verdict.evidence), strict=True))
    # What a header says stands with the cells that it names.
    texts = {hit: likelihood for hit, likelihood in rated.items() if hit.element.kind is not Kind.HEADER_CELL} or rated
    most = max(texts.values(), default=0.0)
    least = _BESIDE_COMPUTED if certificate.computed else max(min(LEAST, most), SHARE * most)
    kept = (
        hit
        for hit in verdict.evidence
        if hit.by in (COMPUTED, DESCRIPTION) or hit.element.id in needed or texts.get(hit, 0.0) >= least
    )
    return replace(verdict, evidence=tuple(kept))


def claim_as_read(verdict: Verdict) -> Claim:
    """The claim of a verdict in the words in which it was judged."""
    claim = verdict.claim
    return replace(claim, text=verdict.certificate.read_as) if verdict.certificate.read_as else claim


def rank_pieces(claim: str, hits: Sequence[Hit]) -> list[Piece]:
    """The pieces of evidence, texts and rows by turns, the likeliest of each first; headers go with their cells."""
    rated = sorted(zip(rate_hits(claim, hits), hits, strict=True), key=lambda each: -each[0])
    elements = [hit.element for _, hit in rated]
    texts: list[Piece] = [(element,) for element in elements if element.kind not in CELLS]
    rows: dict[object, list[Element]] = {}
    for element in elements:
        if element.kind is Kind.CELL:
            rows.setdefault((element.id.page, element.id.path[:2]), []).append(element)
    cells: list[Piece] = [tuple(sorted(row, key=lambda element: element.id)) for row in rows.values()]
    is_text_first = bool(elements) and elements[0].kind not in CELLS
    ranked = list(alternate(texts, cells) if is_text_first else alternate(cells, texts))
    return ranked or [(element,) for element in elements]


def find_own_evidence(part: Verdict) -> tuple[Hit, ...]:
    """What settles one part of a claim: what was computed with for it, else the likeliest pieces; none where open."""
    if part.label is Label.NOT_ENOUGH_INFO:
        return ()
    computed = tuple(hit for hit in part.evidence if hit.by == COMPUTED)
    if computed or part.certificate.cited:
        cited = set(part.certificate.cited)
        return computed or tuple(hit for hit in part.evidence if hit.element.id in cited)
    chosen = {
        element.id for piece in rank_pieces(part.claim.text, part.evidence)[:_MOST_OF_A_PART] for element in piece
    }
    return tuple(hit for hit in part.evidence if hit.element.id in chosen)


# -- how likely a hit is evidence --------------------------------------------------------------------------


def rate_hits(claim: str, hits: Sequence[Hit]) -> list[float]:
    """How likely each hit is among the evidence that a careful reader would name."""
    logits = (
        _BIAS + sum(weight * value for weight, value in zip(_WEIGHTS, features, strict=True))
        for features in extract_piece_features(claim, hits)
    )
    return [1 / (1 + math.exp(-logit)) for logit in logits]


def extract_piece_features(claim: str, hits: Sequence[Hit]) -> list[PieceFeatures]:
    """The features of each hit beside the others."""
    wanted = set(terms(claim)) - STOP_TERMS
    said = [wanted.intersection(_terms_around(hit.element)) for hit in hits]
    times = Counter(term for each in said for term in each)
    pages: dict[str, float] = {}
    for hit in hits:
        pages[hit.element.id.page] = max(hit.score, pages.get(hit.element.id.page, _SMALLEST))
    count = max(1, len(wanted))
    return [
        PieceFeatures(
            score=_log_odds(hit.score),
            is_cell=float(hit.element.kind in CELLS),
            own_words=sum(1 / times[term] for term in own) / count,
            cell_words=len(own) / count if hit.element.kind in CELLS else 0.0,
            page=math.log(pages[hit.element.id.page]),
        )
        for hit, own in zip(hits, said, strict=True)
    ]


def _terms_around(element: Element) -> Iterable[str]:
    yield from terms(element.text)
    for near in element.context:
        yield from terms(near.text)


def _log_odds(probability: float) -> float:
    bounded = min(max(probability, _SMALLEST), 1 - _SMALLEST)
    return math.log(bounded / (1 - bounded))
