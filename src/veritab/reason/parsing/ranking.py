"""A log-linear ranker of candidate programs, and of what their truth says about the claim, learned from statements.

A candidate is chosen with a probability that grows with `program` weights; given the candidate, its truth makes the
claim true with a probability that `truth` weights give; the two together give the probability that the claim is true.
The weights were fitted by `python -m benchmarks.fit_reasoning` to statements whose truth is known and whose program is
not: what is rewarded is programs whose truth agrees with the label.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources

import orjson

from veritab.reason.parsing.candidates import generate_candidates
from veritab.reason.parsing.clauses import split_clauses
from veritab.reason.parsing.derived import source_cells
from veritab.reason.parsing.features import FeatureExtractor
from veritab.reason.parsing.linking import EntityLinks
from veritab.reason.programs.denotations import TruthDenotation
from veritab.reason.programs.programs import And
from veritab.reason.templates.grounding import ProgramCandidate

# The probability that a claim that can be split is meant as two clauses; higher if the second has its own comparison.
_AS_CLAUSES, _SURELY_CLAUSES = 0.6, 0.8


@dataclass(frozen=True)
class RankingWeights:
    """The weights of the features; `no_program_score` is the score of the claim meaning none of its candidates."""

    program: Mapping[str, float]
    truth: Mapping[str, float]
    no_program_score: float

    @cached_property
    def for_prose(self) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """Both sets of weights for edited prose, where a feature may count more or less."""
        return _add_prose(self.program), _add_prose(self.truth)


@dataclass(frozen=True)
class ScoredCandidate:
    """A candidate, the probability that the claim means it, and that the claim is true if it does."""

    candidate: ProgramCandidate
    probability: float
    truth_given_program: float


@dataclass(frozen=True)
class CandidateRanking:
    """The candidates of a claim, most probable first, and the probability that the claim is true."""

    candidates: tuple[ScoredCandidate, ...]
    true: float


PROSE = "prose|"
"""The prefix of the features whose weights are added in prose."""


def _add_prose(weights: Mapping[str, float]) -> Mapping[str, float]:
    added = {name.removeprefix(PROSE): weight for name, weight in weights.items() if name.startswith(PROSE)}
    return {name: weights.get(name, 0.0) + added.get(name, 0.0) for name in {**weights, **added}}


@cache
def load_weights() -> RankingWeights:
    """The weights that come with the package."""
    read = orjson.loads(resources.files(__package__).joinpath("weights.json").read_bytes())
    return RankingWeights(read["program"], read["truth"], read["nothing"])


def rank_candidates(links: EntityLinks, weights: RankingWeights | None = None) -> CandidateRanking:
    """Rank the programs that a claim may mean."""
    learned = weights or load_weights()
    whole = _score_candidates(links, learned)
    split = split_clauses(links)
    if not split:
        return whole
    parts = [_score_candidates(EntityLinks(part, links.executor), learned) for part in split.parts]
    return _combine_clauses(links, whole, parts, _SURELY_CLAUSES if split.surely else _AS_CLAUSES)


def _combine_clauses(
    links: EntityLinks, whole: CandidateRanking, parts: Sequence[CandidateRanking], share: float
) -> CandidateRanking:
    """The rankings of a claim as a whole and as two clauses together: it is as true as the less true clause."""
    if not all(part.candidates for part in parts):
        return whole
    one, other = (part.candidates[0].candidate for part in parts)
    program = And(one.program, other.program)
    holds, cells = links.executor.decide(program)
    if holds is None:
        return whole
    both = ProgramCandidate(
        program,
        "both",
        (*one.conditions, *other.conditions),
        (*one.columns, *other.columns),
        None,
        TruthDenotation(holds, source_cells(links.table, cells)),
    )
    least = min(part.true for part in parts)
    lessened = [replace(each, probability=each.probability * (1 - share)) for each in whole.candidates]
    ranked = sorted([*lessened, ScoredCandidate(both, share, least)], key=lambda each: -each.probability)
    return CandidateRanking(tuple(ranked), (1 - share) * whole.true + share * least)


def _score_candidates(links: EntityLinks, learned: RankingWeights) -> CandidateRanking:
    extractor = FeatureExtractor(links)
    found = generate_candidates(links)
    program, truth = learned.for_prose if extractor.is_prose else (learned.program, learned.truth)
    scores = [_score(extractor.program_features(candidate), program) for candidate in found]
    top = max([*scores, learned.no_program_score])
    shares = [math.exp(score - top) for score in scores]
    no_program_score = math.exp(learned.no_program_score - top)
    whole = math.fsum(shares) + no_program_score
    ranked = [
        ScoredCandidate(
            candidate,
            share / whole,
            _truth_given_program(candidate, _score(extractor.truth_features(candidate), truth)),
        )
        for candidate, share in zip(found, shares, strict=True)
    ]
    true = math.fsum(each.probability * each.truth_given_program for each in ranked) + 0.5 * no_program_score / whole
    ranked.sort(key=lambda each: -each.probability)
    return CandidateRanking(tuple(ranked), true)


def _score(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    return math.fsum(value * weights.get(name, 0.0) for name, value in features.items())


def _truth_given_program(candidate: ProgramCandidate, score: float) -> float:
    """The probability that a claim is true if it means a program; at least one half where the program holds."""
    return 0.5 + (0.5 if candidate.truth.holds else -0.5) * _logistic(score)


def _logistic(score: float) -> float:
    return 1 / (1 + math.exp(-max(min(score, 30.0), -30.0)))


def supporting_candidates(ranking: CandidateRanking, answer: bool) -> Sequence[ScoredCandidate]:
    """The candidates that agree with an answer, the one with the most weight first."""
    speaking = [each for each in ranking.candidates if (each.truth_given_program > 0.5) == answer]
    return sorted(speaking, key=lambda each: -each.probability * abs(each.truth_given_program - 0.5))
