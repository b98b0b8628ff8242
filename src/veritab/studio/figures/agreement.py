"""How far annotators agree beyond chance (FEVEROUS, 3.2, 7.5.3 and figure 6; FEVER, 3.4.1).

Kappa over claims, which different people answered, is Fleiss'; over the claims that two certain people share, Cohen's.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from veritab.audit.agreement import (
    MOSTLY_SAME,
    Distance,
    cohen_kappa,
    fleiss_kappa,
    jaccard,
    krippendorff_alpha,
    masi,
    match_sets,
)
from veritab.schema import EvidenceSet, Label
from veritab.studio.figures.overlap import GivenAnswer, Overlap
from veritab.studio.figures.values import Figure, mean_figure

BINS = 10
MOST_WAYS = 5
"""Kappa is given for two to five answers, as in the papers, also where no claim has so many; for more where one has."""
FIRST = 100
"""The answers of an annotator that the calibration score is compared with, as in figure 6b."""

_LabelPair: TypeAlias = tuple[Label, Label]


class MatchBin(NamedTuple):
    """Pairs of answers whose evidence match is from `low` up to `high`: their share of all, and their kappa."""

    low: float
    high: float
    share: Figure
    kappa: Figure


class CalibrationBin(NamedTuple):
    """Annotators whose calibration score is from `low` up to `high`, and the kappa of pairs with an answer of theirs.

    `kappa_first` is that of pairs in which it is among the first hundred of its annotator.
    """

    low: float
    high: float
    annotators: int
    kappa_first: Figure
    kappa: Figure


class PairAgreement(NamedTuple):
    """The agreement of two annotators on the claims that both answered."""

    first: str
    second: str
    kappa: Figure
    same_label: Figure
    same_evidence: Figure


class AgreementFigures(NamedTuple):
    """The agreement on verdicts and on evidence.

    Evidence is all elements of an answer's sets; two answers without any cannot be compared by it. The bins go up to
    their upper end, which only the last one includes.
    """

    ways: Mapping[int, Figure]
    """Fleiss' kappa over the claims with exactly so many answers."""
    cohen: Figure
    """Cohen's kappa over claims with two answers, the earlier against the later."""
    alpha: Figure
    """Krippendorff's alpha on labels, over all claims with two answers or more."""
    evidence_jaccard: Figure
    evidence_masi: Figure
    same_evidence: Figure
    mostly_same_evidence: Figure
    kappa_same_evidence: Figure
    kappa_distinct_evidence: Figure
    by_match: tuple[MatchBin, ...]
    by_calibration: tuple[CalibrationBin, ...]
    pairs: tuple[PairAgreement, ...]


def measure_agreement(overlap: Overlap, calibration: Mapping[str, float]) -> AgreementFigures:
    """The agreement of all answers to the same claims; `calibration` has the verdict accuracy of annotators."""
    claims = list(overlap.claims())
    labels = [tuple(answer.label for answer in answers) for answers in claims]
    evidence = [tuple(answer.pieces for answer in answers if answer.pieces) for answers in claims]
    matches = [(match_sets(a.pieces, b.pieces), (a.label, b.label)) for a, b in overlap.pairs() if a.pieces or b.pieces]
    twice = [each for each in labels if len(each) == 2]
    most = max(map(len, labels), default=0)
    return AgreementFigures(
        ways={
            ways: _fleiss([each for each in labels if len(each) == ways], f"claim with {ways} answers")
            for ways in range(2, max(MOST_WAYS, most) + 1)
        },
        cohen=_beyond_chance(
            cohen_kappa([first for first, _ in twice], [second for _, second in twice]),
            len(twice),
            "claim with 2 answers",
        ),
        alpha=_beyond_chance(krippendorff_alpha(labels), len(labels), "claim with two answers or more"),
        evidence_jaccard=_evidence_alpha(evidence, jaccard),
        evidence_masi=_evidence_alpha(evidence, masi),
        same_evidence=mean_figure(sum(match == 1 for match, _ in matches), len(matches), _NO_PAIR),
        mostly_same_evidence=mean_figure(sum(match >= MOSTLY_SAME for match, _ in matches), len(matches), _NO_PAIR),
        kappa_same_evidence=_fleiss([pair for match, pair in matches if match == 1], "pair with the same evidence"),
        kappa_distinct_evidence=_fleiss([pair for match, pair in matches if match == 0], "pair with distinct evidence"),
        by_match=tuple(_by_match(matches)),
        by_calibration=tuple(_by_calibration(overlap, calibration)),
        pairs=tuple(_by_pair(overlap)),
    )


_NO_PAIR = "pair of answers with evidence"


def _evidence_alpha(evidence: Sequence[Sequence[EvidenceSet]], distance: Distance) -> Figure:
    compared = sum(len(each) > 1 for each in evidence)
    alpha = krippendorff_alpha(evidence, distance)
    return _beyond_chance(alpha, compared, "claim with evidence of two people", "evidence set")


def _fleiss(units: Sequence[Sequence[Label]], things: str) -> Figure:
    return _beyond_chance(fleiss_kappa(units), len(units), things)


def _beyond_chance(value: float | None, n: int, things: str, used: str = "label") -> Figure:
    if value is None:
        return Figure(None, n, f"only one {used} was given, which chance explains" if n else f"no {things}")
    return Figure(value, n)


def _bin(score: float) -> int:
    return min(int(score * BINS), BINS - 1)


def _by_match(matches: Sequence[tuple[float, _LabelPair]]) -> Iterable[MatchBin]:
    bins: list[list[_LabelPair]] = [[] for _ in range(BINS)]
    for match, pair in matches:
        bins[_bin(match)].append(pair)
    for number, here in enumerate(bins):
        share = mean_figure(len(here), len(matches), _NO_PAIR)
        yield MatchBin(number / BINS, (number + 1) / BINS, share, _fleiss(here, "pair with such a match"))


def _by_calibration(overlap: Overlap, calibration: Mapping[str, float]) -> Iterable[CalibrationBin]:
    bin_of = {annotator: _bin(score) for annotator, score in calibration.items()}
    first: list[list[_LabelPair]] = [[] for _ in range(BINS)]
    every: list[list[_LabelPair]] = [[] for _ in range(BINS)]
    for pair in overlap.pairs():
        scored = [answer for answer in pair if answer.annotator in bin_of]
        labels = (pair[0].label, pair[1].label)
        # A pair of two people with such a score is still one pair.
        for number in {bin_of[answer.annotator] for answer in scored}:
            every[number].append(labels)
        for number in {bin_of[answer.annotator] for answer in scored if answer.number <= FIRST}:
            first[number].append(labels)
    things = "pair of answers by annotators with such a score"
    for number in range(BINS):
        yield CalibrationBin(
            number / BINS,
            (number + 1) / BINS,
            sum(each == number for each in bin_of.values()),
            _fleiss(first[number], things),
            _fleiss(every[number], things),
        )


def _by_pair(overlap: Overlap) -> Iterable[PairAgreement]:
    shared: defaultdict[tuple[str, str], list[tuple[GivenAnswer, GivenAnswer]]] = defaultdict(list)
    for pair in overlap.pairs():
        first, second = sorted(pair, key=lambda answer: answer.annotator)
        shared[first.annotator, second.annotator].append((first, second))
    for (one, other), pairs in sorted(shared.items()):
        here, there = [first.label for first, _ in pairs], [second.label for _, second in pairs]
        evident = [(a.pieces, b.pieces) for a, b in pairs if a.pieces or b.pieces]
        yield PairAgreement(
            one,
            other,
            _beyond_chance(cohen_kappa(here, there), len(pairs), "claim"),
            mean_figure(sum(a == b for a, b in zip(here, there, strict=True)), len(pairs), "claim"),
            mean_figure(sum(a == b for a, b in evident), len(evident), "claim with evidence"),
        )
