"""Retrieval metrics of rankings against gold evidence, with confidence intervals and comparisons.

Gold is what an `Example` holds: evidence sets, any one of which is enough. A `Level` says what is looked for (pages,
tables, sentences, cells, ...): gold and ranking are both brought to that level first, what does not belong there takes
no rank, and what is ranked twice counts once, where it is first. For one claim and its gold sets at that level:

    hit@k            1 if anything of any set is among the first k
    recall@k         the largest share of one set that is among the first k
    full_coverage@k  1 if some set lies wholly among the first k
    r_precision      KILT's: the largest, over the sets, of |first R and set| / R, where R is the size of that set
    RR, Rprec, P@k…  trec_eval's, by their ir-measures names; gold is the union of the sets (optional)

Unscored is not zero. A claim is left out, and counted as left out, when its evidence is silver, when it has none, or
when one of its sets asks for nothing at the level: then the claim can be settled without it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, islice
from typing import Any, NamedTuple

from veritab.engine import Engine, ThisProcess
from veritab.errors import InputError, MissingExtra, NotFound
from veritab.evaluate.levels import (
    Key,
    Level,
    RankedList,
    RankedLists,
    element_id,
    gold_sets,
    is_scored,
    project,
)
from veritab.evaluate.metrics import Metric, MetricComparison, compare_values, mean_metric
from veritab.schema import EvidenceSet, Example, Kind

__all__ = [
    "Level",
    "RetrievalScores",
    "as_table",
    "compare",
    "evaluate_budget",
    "evaluate_rankings",
    "evaluate_slices",
    "judge_rankings",
    "trec_measures",
]

# -- results -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """The retrieval metrics of one system at one level, overall and claim by claim.

    `claims` are the ids of the scored ones, in order; `values` holds one number for each of them under every metric.
    `silver` of the claims `left_out` were so because their evidence was found rather than annotated.
    """

    level: Level
    metrics: Mapping[str, Metric]
    left_out: int = 0
    silver: int = 0
    claims: tuple[str, ...] = field(default=(), repr=False)
    values: Mapping[str, tuple[float, ...]] = field(default_factory=dict, repr=False)

    def metric(self, name: str) -> Metric:
        """The metric of that name."""
        if name in self.metrics:
            return self.metrics[name]
        known = ", ".join(self.metrics) or f"none, for all {self.left_out} claims were left out"
        raise NotFound(f"there is no metric {name!r} here; the metrics are: {known}")

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON, without the claims one by one."""
        return {
            "level": str(self.level),
            "n": len(self.claims),
            "left_out": self.left_out,
            "silver": self.silver,
            "figures": {name: metric.value for name, metric in self.metrics.items()},
            "intervals": {name: metric.interval() for name, metric in self.metrics.items()},
        }


def as_table(columns: Mapping[str, RetrievalScores]) -> str:
    """Several results (systems, slices, levels) side by side, in Markdown; a dash where there is no metric."""
    names = dict.fromkeys(name for scores in columns.values() for name in scores.metrics)
    lines = [_row("metric", columns), _row("---", ["---"] * len(columns))]
    for name in names:
        lines.append(_row(name, (str(scores.metrics.get(name, "–")) for scores in columns.values())))
    lines.append(_row("claims scored", (str(len(scores.claims)) for scores in columns.values())))
    lines.append(_row("claims left out", (str(scores.left_out) for scores in columns.values())))
    return "\n".join(lines)


def _row(first: str, others: Iterable[str]) -> str:
    return f"| {' | '.join((first, *others))} |"


# -- evaluating --------------------------------------------------------------------------------------------


class _Judged(NamedTuple):
    """A claim's ranking beside its gold: for each gold set its size and, ascending, the ranks where it was found."""

    claim: str
    sizes: tuple[int, ...]
    ranks: tuple[tuple[int, ...], ...]
    gold: int
    depth: int

    def recall(self, k: int) -> float:
        return max(bisect_right(found, k) / size for size, found in zip(self.sizes, self.ranks, strict=True))

    def hit(self, k: int) -> float:
        return float(any(found and found[0] <= k for found in self.ranks))

    def full_coverage(self, k: int) -> float:
        return float(self.recall(k) == 1)

    def r_precision(self) -> float:
        return max(bisect_right(found, size) / size for size, found in zip(self.sizes, self.ranks, strict=True))


@dataclass(frozen=True)
class JudgedRankings:
    """Rankings held against the gold, claim by claim: scores of all claims and of groups of them are taken from it."""

    examples: Sequence[Example]
    level: Level
    at: Sequence[int]
    trec: Sequence[str]
    judged: Sequence[_Judged | None]
    """For each example; None where it is left out."""

    def scores(self) -> RetrievalScores:
        """The metrics of all claims."""
        return self._scores_of(range(len(self.examples)))

    def slices(self, key: Callable[[Example], str]) -> dict[str, RetrievalScores]:
        """The same metrics for each group of examples that share a key, in the order of the keys."""
        groups: dict[str, list[int]] = {}
        for place, example in enumerate(self.examples):
            groups.setdefault(key(example), []).append(place)
        return {name: self._scores_of(groups[name]) for name in sorted(groups)}

    def _scores_of(self, places: Sequence[int]) -> RetrievalScores:
        judged = [each for place in places if (each := self.judged[place]) is not None]
        columns: dict[str, list[float]] = {}
        for k in self.at:
            columns[f"hit@{k}"] = [each.hit(k) for each in judged]
            columns[f"recall@{k}"] = [each.recall(k) for each in judged]
            columns[f"full_coverage@{k}"] = [each.full_coverage(k) for each in judged]
        columns["r_precision"] = [each.r_precision() for each in judged]
        columns |= _trec_columns(judged, self.trec)
        examples = [self.examples[place] for place in places]
        return _summary(self.level, examples, [each.claim for each in judged], columns)


_TOGETHER = 1000


def judge_rankings(
    examples: Sequence[Example],
    rankings: RankedLists,
    level: Level = Level.PAGE,
    at: Sequence[int] = (1, 5, 10),
    *,
    trec: Sequence[str] = (),
    engine: Engine | None = None,
) -> JudgedRankings:
    """Hold rankings against gold evidence at a level, here or by an engine; `trec` names further measures."""
    if any(k < 1 for k in at):
        raise InputError(f"metrics are taken at ranks from 1 upwards, not at {tuple(at)}")
    # Nothing behind the last cut-off and the largest set can matter, but to trec_eval.
    judge = partial(_judge_some, level=level, depth=None if trec else max(at, default=0))
    pairs = iter(list(_aligned(examples, rankings)))
    some = iter(lambda: [(_evidence_alone(each), tuple(found)) for each, found in islice(pairs, _TOGETHER)], [])
    judged = chain.from_iterable((engine or ThisProcess()).map(judge, some))
    return JudgedRankings(examples, level, at, trec, list(judged))


def _evidence_alone(example: Example) -> Example:
    """What judging needs of an example: its record would be most of what travels."""
    return replace(example, record={}) if example.record else example


def _judge_some(some: Sequence[tuple[Example, RankedList]], *, level: Level, depth: int | None) -> list[_Judged | None]:
    judged: list[_Judged | None] = []
    for example, ranking in some:
        sets = gold_sets(example, level)
        deepest = None if depth is None else max(depth, *map(len, sets), 0)
        judged.append(_judge(example, sets, _ranks(ranking, level, deepest)) if is_scored(example, sets) else None)
    return judged


def evaluate_rankings(
    examples: Sequence[Example],
    rankings: RankedLists,
    level: Level = Level.PAGE,
    at: Sequence[int] = (1, 5, 10),
    *,
    trec: Sequence[str] = (),
) -> RetrievalScores:
    """Score rankings against gold evidence at a level; `trec` names further measures, e.g. `trec_measures(at)`."""
    return judge_rankings(examples, rankings, level, at, trec=trec).scores()


def evaluate_slices(
    examples: Sequence[Example],
    rankings: RankedLists,
    key: Callable[[Example], str],
    level: Level = Level.PAGE,
    at: Sequence[int] = (1, 5, 10),
    *,
    trec: Sequence[str] = (),
) -> dict[str, RetrievalScores]:
    """The same metrics for each group of examples that share a key, in the order of the keys."""
    return judge_rankings(examples, rankings, level, at, trec=trec).slices(key)


# FEVEROUS counts these against one budget and everything else, known to it or not, against the other.
_CELL_BUDGET = frozenset({Kind.CELL, Kind.ITEM, Kind.TABLE_CAPTION, Kind.HEADER_CELL})


def evaluate_budget(
    examples: Sequence[Example], rankings: RankedLists, *, sentences: int = 5, cells: int = 25
) -> RetrievalScores:
    """Recall and full coverage by what fits FEVEROUS's budget: 5 sentences, and 25 cells, items and captions.

    On FEVEROUS data the full coverage is the official evidence recall. As there, repetitions use up the budget.
    """
    claims, recalls = [], []
    for example, ranking in _aligned(examples, rankings):
        if is_scored(example, gold_sets(example, Level.ELEMENT)):
            within = _within_budget(ranking, sentences, cells)
            claims.append(example.claim.id)
            recalls.append(max(len(gold & within) / len(gold) for gold in example.evidence))
    columns = {
        f"recall@{sentences}+{cells}": recalls,
        f"full_coverage@{sentences}+{cells}": [float(recall == 1) for recall in recalls],
    }
    return _summary(Level.ELEMENT, examples, claims, columns)


def _within_budget(ranking: RankedList, sentences: int, cells: int) -> EvidenceSet:
    within = set()
    for found in ranking:
        id = element_id(found)
        if id.kind in _CELL_BUDGET:
            cells -= 1
            fits = cells >= 0
        else:
            sentences -= 1
            fits = sentences >= 0
        if fits:
            within.add(id)
        elif cells <= 0 and sentences <= 0:
            break
    return frozenset(within)


def _aligned(examples: Sequence[Example], rankings: RankedLists) -> Iterator[tuple[Example, RankedList]]:
    if isinstance(rankings, Mapping):
        unknown = rankings.keys() - {example.claim.id for example in examples}
        if unknown:
            raise InputError(f"there is a ranking for claim {min(unknown)!r}, which is not among the examples")
        rankings = [rankings.get(example.claim.id, ()) for example in examples]
    if len(rankings) != len(examples):
        raise InputError(f"{len(examples)} examples need as many rankings, not {len(rankings)}")
    for example, ranking in zip(examples, rankings, strict=True):
        if isinstance(ranking, str):
            raise InputError(f"a ranking is a list, not a text: {ranking!r}")
        yield example, ranking


def _ranks(ranking: RankedList, level: Level, depth: int | None) -> dict[Key, int]:
    """The rank of everything that has a place at a level, down to a depth."""
    ranks: dict[Key, int] = {}
    for found in ranking:
        if len(ranks) == depth:
            break
        key = project(found, level)
        if key is not None:
            ranks.setdefault(key, len(ranks) + 1)
    return ranks


def _judge(example: Example, sets: Sequence[frozenset[Key]], ranks: Mapping[Key, int]) -> _Judged:
    found = tuple(tuple(sorted(ranks[key] for key in gold if key in ranks)) for gold in sets)
    return _Judged(example.claim.id, tuple(map(len, sets)), found, len(frozenset().union(*sets)), len(ranks))


def _summary(
    level: Level, examples: Sequence[Example], claims: Sequence[str], columns: Mapping[str, Sequence[float]]
) -> RetrievalScores:
    left_out = len(examples) - len(claims)
    silver = sum(example.silver for example in examples)
    if not claims:
        return RetrievalScores(level, {}, left_out, silver)
    metrics = {name: mean_metric(values) for name, values in columns.items()}
    kept = {name: tuple(values) for name, values in columns.items()}
    return RetrievalScores(level, metrics, left_out, silver, tuple(claims), kept)


# -- trec_eval ---------------------------------------------------------------------------------------------

# trec_eval ends the whole process on a cut-off of 0, so names are checked here.
_MEASURE = re.compile(r"RR|Rprec|AP|nDCG|(?:RR|P|R|AP|nDCG|Success)@[1-9][0-9]*")


def trec_measures(at: Iterable[int] = (1, 5, 10)) -> tuple[str, ...]:
    """The usual measures of trec_eval: RR (its mean is MRR), Rprec, and P and R at some ranks."""
    return ("RR", "Rprec", *(f"{name}@{k}" for k in at for name in "PR"))


def _trec_columns(judged: Sequence[_Judged], names: Sequence[str]) -> dict[str, list[float]]:
    for name in names:
        if not _MEASURE.fullmatch(name):
            raise InputError(f"{name!r} is not a measure; use RR, Rprec, AP, nDCG, or P, R, Success with a rank: 'P@5'")
    if not names:
        return {}
    try:
        import ir_measures
    except ImportError:
        raise MissingExtra("computing the measures of trec_eval", "evaluate") from None
    # Numbers stand for claims and ranks for documents: titles may hold what C cannot.
    gold = {str(number): _trec_gold(each) for number, each in enumerate(judged)}
    run = {
        str(number): {str(rank): float(-rank) for rank in range(1, each.depth + 1)}
        for number, each in enumerate(judged)
    }
    measures = [ir_measures.parse_measure(name) for name in names]
    columns = {name: [0.0] * len(judged) for name in names}
    for metric in ir_measures.iter_calc(measures, gold, run) if judged else ():
        columns[str(metric.measure)][int(metric.query_id)] = metric.value
    return columns


def _trec_gold(judged: _Judged) -> dict[str, int]:
    found = {rank for ranks in judged.ranks for rank in ranks}
    missed = range(judged.depth + 1, judged.depth + 1 + judged.gold - len(found))
    return {str(rank): 1 for rank in (*sorted(found), *missed)}


# -- comparing ---------------------------------------------------------------------------------------------


def compare(first: RetrievalScores, second: RetrievalScores, metric: str) -> MetricComparison:
    """Whether two systems differ on one metric, claim by claim; both must have been scored on the same claims."""
    if (first.level, first.claims) != (second.level, second.claims):
        raise InputError("only results for the same claims at the same level can be compared; score both in one run")
    for scores in (first, second):
        scores.metric(metric)  # raises an error that names the metric
    return compare_values(first.values[metric], second.values[metric], metric)
