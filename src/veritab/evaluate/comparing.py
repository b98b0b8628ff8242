"""Runs compared: paired significance tests, the claims that changed, and what each stage costs.

Two runs answer the same claims, so the tests are paired: McNemar's exact test for shares, a randomisation test that
swaps the two runs claim by claim (10,000 times) for means and macro F1. Where one run is compared with several, the p
values of a measure are adjusted by Holm's method.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple

from veritab.errors import InputError
from veritab.evaluate.metrics import compare_values
from veritab.evaluate.scored_runs import ClaimResult, ScoredRun
from veritab.evaluate.significance import PairedLabels, holm, macro_f1_difference, mcnemar
from veritab.runs.comparing import refuse_different_claims
from veritab.runs.oracle import Oracle

SCORE = "score"
ACCURACY = "label_accuracy"
# The field of a claim's result, by the metric that is its mean.
_FIELDS = {
    SCORE: "strict",
    ACCURACY: "right",
    "evidence_precision": "precision",
    "evidence_recall": "recall",
    "evidence_share": "share",
    "named_precision": "named",
    "page_recall": "pages",
}
MACRO_F1 = "macro_f1"
MCNEMAR = "exact McNemar"
RANDOMISATION = "randomisation"


def refuse_different_data(runs: Sequence[ScoredRun]) -> None:
    """Refuse to compare runs on other claims, with other gold, or scored as another task."""
    refuse_different_claims({run.name: run.record for run in runs})


# -- paired tests ------------------------------------------------------------------------------------------


class PairedTest(NamedTuple):
    """Two runs under one measure; `difference` is second minus first, `better` and `worse` count claims of the second.

    `p_value` is two-sided; `adjusted` is Holm's where the first run is compared with several.
    """

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p_value: float
    adjusted: float
    test: str
    better: int
    worse: int
    n: int


def compare_runs(runs: Sequence[ScoredRun]) -> list[tuple[PairedTest, ...]]:
    """The first run against each of the others, measure by measure."""
    refuse_different_data(runs)
    first, *others = runs
    tested = [{test.measure: test for test in _tests(first, other)} for other in others]
    for measure in (*_FIELDS, MACRO_F1):
        having = [tests for tests in tested if measure in tests]
        for tests, p_value in zip(having, holm([tests[measure].p_value for tests in having]), strict=True):
            tests[measure] = tests[measure]._replace(adjusted=p_value)
    return [tuple(tests.values()) for tests in tested]


def _tests(first: ScoredRun, second: ScoredRun) -> Iterator[PairedTest]:
    for measure in _FIELDS:
        pairs = [
            (before, after)
            for one, other in zip(first.results, second.results, strict=True)
            if (before := value_of(one, measure)) is not None and (after := value_of(other, measure)) is not None
        ]
        if pairs:
            yield _test_means(measure, *zip(*pairs, strict=True))
    yield _test_macro_f1(first.results, second.results)


def value_of(result: ClaimResult, measure: str) -> float | None:
    """The value of a measure for one claim; None where it does not apply."""
    if measure not in _FIELDS:
        raise InputError(f"{measure!r} is not a measure of claims; the measures are: {', '.join(_FIELDS)}")
    value = getattr(result, _FIELDS[measure])
    return None if value is None else float(value)


def _test_means(measure: str, first: Sequence[float], second: Sequence[float]) -> PairedTest:
    found = compare_values(first, second, measure)
    is_share = all(each in (0, 1) for each in (*first, *second))
    p_value = mcnemar(found.better, found.worse) if is_share else found.p_value
    test = MCNEMAR if is_share else RANDOMISATION
    values = found.first, found.second, found.difference, found.low, found.high, p_value, p_value
    return PairedTest(measure, *values, test, found.better, found.worse, len(first))


def _test_macro_f1(first: Sequence[ClaimResult], second: Sequence[ClaimResult]) -> PairedTest:
    pairs = list(zip(first, second, strict=True))
    found = macro_f1_difference([PairedLabels(one.gold, one.predicted, two.predicted) for one, two in pairs])
    better = sum(two.right > one.right for one, two in pairs)
    worse = sum(two.right < one.right for one, two in pairs)
    change = found.second - found.first
    p_value = found.p_value
    return PairedTest(
        MACRO_F1, *found[:2], change, found.low, found.high, p_value, p_value, RANDOMISATION, better, worse, len(pairs)
    )


# -- which claims changed ----------------------------------------------------------------------------------


class ChangeKind(StrEnum):
    """How a claim changed from one run to another."""

    MENDED = "mended"
    BROKEN = "broken"
    OTHERWISE_WRONG = "otherwise wrong"
    EVIDENCE_FOUND = "evidence found"
    EVIDENCE_LOST = "evidence lost"


class ClaimChange(NamedTuple):
    """A claim that two runs answer differently."""

    kind: ChangeKind
    before: ClaimResult
    after: ClaimResult


def changed_claims(first: ScoredRun, second: ScoredRun) -> tuple[ClaimChange, ...]:
    """The claims whose label or whose complete evidence changed, sorted by kind of change, then in their order."""
    found = [
        ClaimChange(kind, before, after)
        for before, after in zip(first.results, second.results, strict=True)
        if (kind := _change_kind(before, after)) is not None
    ]
    order = list(ChangeKind)
    return tuple(sorted(found, key=lambda change: order.index(change.kind)))


def _change_kind(before: ClaimResult, after: ClaimResult) -> ChangeKind | None:
    if before.right is not after.right:
        return ChangeKind.MENDED if after.right else ChangeKind.BROKEN
    if before.predicted is not after.predicted:
        return ChangeKind.OTHERWISE_WRONG
    if before.complete is not after.complete:
        return ChangeKind.EVIDENCE_FOUND if after.complete else ChangeKind.EVIDENCE_LOST
    return None


# -- what each stage costs ---------------------------------------------------------------------------------


class StageCost(NamedTuple):
    """What a run gains from an oracle for one stage."""

    run: str
    oracle: str
    score: float
    label_accuracy: float
    gained: float
    gained_accuracy: float


def stage_costs(runs: Sequence[ScoredRun]) -> tuple[StageCost, ...]:
    """The runs with an oracle against the first without one; empty where there are not both."""
    plain = next((run for run in runs if not run.record.get("oracle")), None)
    with_oracle = [run for oracle in Oracle for run in runs if run.record.get("oracle") == oracle]
    if plain is None or not with_oracle:
        return ()
    base_score, base_accuracy = _mean(plain, SCORE), _mean(plain, ACCURACY)
    costs = []
    for run in (plain, *with_oracle):
        score, accuracy = _mean(run, SCORE), _mean(run, ACCURACY)
        oracle = run.record.get("oracle") or "nothing"
        costs.append(StageCost(run.name, oracle, score, accuracy, score - base_score, accuracy - base_accuracy))
    return tuple(costs)


def _mean(run: ScoredRun, measure: str) -> float:
    values = [value for result in run.results if (value := value_of(result, measure)) is not None]
    return math.fsum(values) / len(values) if values else 0.0
