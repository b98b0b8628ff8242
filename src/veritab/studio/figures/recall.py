"""How much of the evidence annotators find: against super-annotators (FEVER, 3.4.2), and by capture and recapture."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from statistics import NormalDist
from typing import NamedTuple

from veritab.schema import EvidenceSet, Label
from veritab.studio.figures.overlap import GivenAnswer, Overlap
from veritab.studio.figures.values import Figure, mean_figure

# -- super-annotators --------------------------------------------------------------------------------------


class FoundEvidence(NamedTuple):
    """Precision and recall of evidence over so many answers; their n are the pieces chosen, and those to be found."""

    answers: int
    precision: Figure
    recall: Figure


class SuperAnnotation(NamedTuple):
    """Evidence of regular annotators against that of super-annotators, who had all the time they wanted.

    Pieces are pooled over answers. What any super-annotator chose for a claim was to be found.
    """

    overall: FoundEvidence
    by_annotator: Mapping[str, FoundEvidence]


def measure_super_annotation(overlap: Overlap) -> SuperAnnotation:
    """Compare all answers to claims that super-annotators answered too."""
    by_annotator: dict[str, list[tuple[GivenAnswer, EvidenceSet]]] = {}
    for answer, found in overlap.compared():
        by_annotator.setdefault(answer.annotator, []).append((answer, found))
    return SuperAnnotation(
        _found_evidence(overlap.compared()),
        {annotator: _found_evidence(by_annotator[annotator]) for annotator in sorted(by_annotator)},
    )


def _found_evidence(compared: Iterable[tuple[GivenAnswer, EvidenceSet]]) -> FoundEvidence:
    sums: Counter[str] = Counter()
    for answer, found in compared:
        sums["answers"] += 1
        sums["chosen"] += len(answer.pieces)
        sums["to be found"] += len(found)
        sums["both"] += len(answer.pieces & found)
    nothing = "answer with evidence to a claim that super-annotators answered"
    return FoundEvidence(
        sums["answers"],
        mean_figure(sums["both"], sums["chosen"], nothing),
        mean_figure(sums["both"], sums["to be found"], "evidence of super-annotators for a claim that others answered"),
    )


# -- capture and recapture ---------------------------------------------------------------------------------

ASSUMPTION = (
    "Two people look for evidence independently, every piece is as easy to find as any other, and what they choose is "
    "evidence. Where some pieces are easier to find, both find the same ones, and more is unfound than estimated."
)
_Z = NormalDist().inv_cdf(0.975)


class CaptureEstimate(NamedTuple):
    """Chapman's estimate of how many pieces of evidence there are, with its variance and 95 % interval.

    It is of claims which two people answered alike, SUPPORTS or REFUTES, with evidence; of more answers than two, the
    first two that are alike count. The interval is that of the unfound pieces as a log-normal number, so that it never
    goes below what was found. `recall` is the share of the estimate that one person finds on average.
    """

    claims: int
    first: int
    second: int
    both: int
    found: int
    """How many pieces at least one of the two found."""
    total: float
    variance: float
    low: float
    high: float
    recall: float
    recall_low: float
    recall_high: float


class UnfoundEvidence(NamedTuple):
    """An estimate with what it assumes; without one where no claim has two such answers, with the reason."""

    assumption: str
    estimate: CaptureEstimate | None
    reason: str = ""


def estimate_unfound(overlap: Overlap) -> UnfoundEvidence:
    """Estimate from the evidence of two people how much both overlooked."""
    claims = first = second = both = 0
    for answers in overlap.claims():
        pair = _first_alike(answers)
        if pair is not None:
            one, other = pair
            claims += 1
            first += len(one.pieces)
            second += len(other.pieces)
            both += len(one.pieces & other.pieces)
    if not claims:
        return UnfoundEvidence(ASSUMPTION, None, "no claim that two people answered alike, with evidence")
    return UnfoundEvidence(ASSUMPTION, chapman(claims, first, second, both))


def _first_alike(answers: Iterable[GivenAnswer]) -> tuple[GivenAnswer, GivenAnswer] | None:
    seen: dict[Label, GivenAnswer] = {}
    for answer in answers:
        if answer.pieces and answer.label is not Label.NOT_ENOUGH_INFO:
            if answer.label in seen:
                return seen[answer.label], answer
            seen[answer.label] = answer
    return None


def chapman(claims: int, first: int, second: int, both: int) -> CaptureEstimate:
    """Chapman's estimator, from how many pieces the one found, the other, and both."""
    found = first + second - both
    # What is left of (first + 1) (second + 1) / (both + 1) - 1 without what was found.
    unfound = (first - both) * (second - both) / (both + 1)
    variance = (first + 1) * (second + 1) * (first - both) * (second - both) / ((both + 1) ** 2 * (both + 2))
    spread = math.exp(_Z * math.sqrt(math.log1p(variance / unfound**2))) if unfound > 0 else 1.0
    low, high = found + unfound / spread, found + unfound * spread
    each = (first + second) / 2
    recall = each / (found + unfound)
    return CaptureEstimate(
        claims, first, second, both, found, found + unfound, variance, low, high, recall, each / high, each / low
    )
