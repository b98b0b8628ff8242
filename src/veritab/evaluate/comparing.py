"""Runs side by side: how sure it is that they differ, which claims changed, and what each stage costs.

Two runs answer the same claims, so each claim is compared with itself: shares by McNemar's test, worked out exactly,
means and macro F1 by swapping the two runs claim by claim (10,000 times). Where one run is compared with several, the
p values of a measure are Holm's, so that one comparison in twenty is not bound to look good.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple

from veritab.errors import InputError
from veritab.evaluate.figures import compare_values
from veritab.evaluate.oracle import Oracle
from veritab.evaluate.runs import EvaluatedRun, Result
from veritab.evaluate.significance import Labelled, holm, macro_f1_difference, mcnemar

SCORE = "score"
ACCURACY = "label_accuracy"
# What a claim has a number for, by the figure that is its mean.
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


def refuse_other_data(runs: Sequence[EvaluatedRun]) -> None:
    """Only answers to the same claims, scored by the same gold, can be compared."""
    first = runs[0]
    for other in runs[1:]:
        for what, key in (("claims", "claims_sha256"), ("gold", "gold_sha256")):
            if first.record[key] != other.record[key]:
                told = " and ".join(_data(run, key) for run in (first, other))
                raise InputError(
                    f"{first.name} and {other.name} cannot be compared: their {what} differ ({told}); "
                    "run both on the same claims"
                )
        if first.record["task"] != other.record["task"]:
            raise InputError(
                f"{first.name} and {other.name} cannot be compared: {first.name} was scored as {first.record['task']}, "
                f"{other.name} as {other.record['task']}; run both with the same --task"
            )


def _data(run: EvaluatedRun, key: str) -> str:
    record = run.record
    claims = "claim" if record["claims"] == 1 else "claims"
    return f"{run.name}: {record['claims']:,} {claims} of {record['dataset']}, sha256 {record[key][:12]}"


# -- what differs between runs -----------------------------------------------------------------------------

_TOLD = ("settings", "oracle", "models", "corpus", "veritab", "tags", "answers")


def differences(runs: Sequence[EvaluatedRun]) -> dict[str, tuple[str, ...]]:
    """The settings, models, corpora and so on in which runs differ, with the value that each has."""
    flat = [dict(_flat({key: run.record.get(key) for key in _TOLD})) for run in runs]
    names = dict.fromkeys(name for each in flat for name in each)
    told = {name: tuple(_shown(each.get(name)) for each in flat) for name in names}
    return {name: values for name, values in told.items() if len(set(values)) > 1}


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif name:
        yield name.removeprefix("settings."), value


def _shown(value: Any) -> str:
    shown = "–" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return shown[:12] if len(shown) == 64 else shown  # a sha256


# -- whether they differ -----------------------------------------------------------------------------------


class Tested(NamedTuple):
    """Two runs under one measure; differences are second minus first, better and worse from the second's side.

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


def compare(runs: Sequence[EvaluatedRun]) -> list[tuple[Tested, ...]]:
    """The first run against each of the others, measure by measure."""
    refuse_other_data(runs)
    first, *others = runs
    tested = [{test.measure: test for test in _tests(first, other)} for other in others]
    for measure in (*_FIELDS, MACRO_F1):
        having = [tests for tests in tested if measure in tests]
        for tests, p_value in zip(having, holm([tests[measure].p_value for tests in having]), strict=True):
            tests[measure] = tests[measure]._replace(adjusted=p_value)
    return [tuple(tests.values()) for tests in tested]


def _tests(first: EvaluatedRun, second: EvaluatedRun) -> Iterator[Tested]:
    for measure in _FIELDS:
        pairs = [
            (before, after)
            for one, other in zip(first.results, second.results, strict=True)
            if (before := value_of(one, measure)) is not None and (after := value_of(other, measure)) is not None
        ]
        if pairs:
            yield _tested(measure, *zip(*pairs, strict=True))
    yield _macro_f1(first.results, second.results)


def value_of(result: Result, measure: str) -> float | None:
    """The number that a claim has under a measure; None where it has none."""
    if measure not in _FIELDS:
        raise InputError(f"{measure!r} is no measure of claims; the measures are: {', '.join(_FIELDS)}")
    value = getattr(result, _FIELDS[measure])
    return None if value is None else float(value)


def _tested(measure: str, first: Sequence[float], second: Sequence[float]) -> Tested:
    found = compare_values(first, second, measure)
    shares = all(each in (0, 1) for each in (*first, *second))
    p_value = mcnemar(found.better, found.worse) if shares else found.p_value
    return Tested(
        measure,
        found.first,
        found.second,
        found.difference,
        found.low,
        found.high,
        p_value,
        p_value,
        MCNEMAR if shares else RANDOMISATION,
        found.better,
        found.worse,
        len(first),
    )


def _macro_f1(first: Sequence[Result], second: Sequence[Result]) -> Tested:
    pairs = list(zip(first, second, strict=True))
    found = macro_f1_difference([Labelled(one.gold, one.predicted, two.predicted) for one, two in pairs])
    better = sum(two.right > one.right for one, two in pairs)
    worse = sum(two.right < one.right for one, two in pairs)
    change = found.second - found.first
    p_value = found.p_value
    return Tested(
        MACRO_F1, *found[:2], change, found.low, found.high, p_value, p_value, RANDOMISATION, better, worse, len(pairs)
    )


# -- which claims changed ----------------------------------------------------------------------------------


class Way(StrEnum):
    """Which way a claim changed from one run to another."""

    MENDED = "mended"
    BROKEN = "broken"
    OTHERWISE = "otherwise wrong"
    EVIDENCE_FOUND = "evidence found"
    EVIDENCE_LOST = "evidence lost"


class Change(NamedTuple):
    """A claim that two runs answer differently."""

    way: Way
    before: Result
    after: Result


def changes(first: EvaluatedRun, second: EvaluatedRun) -> tuple[Change, ...]:
    """The claims whose label or whose complete evidence changed, by the way they did, then in their order."""
    found = [
        Change(way, before, after)
        for before, after in zip(first.results, second.results, strict=True)
        if (way := _way(before, after)) is not None
    ]
    order = list(Way)
    return tuple(sorted(found, key=lambda change: order.index(change.way)))


def _way(before: Result, after: Result) -> Way | None:
    if before.right is not after.right:
        return Way.MENDED if after.right else Way.BROKEN
    if before.predicted is not after.predicted:
        return Way.OTHERWISE
    if before.complete is not after.complete:
        return Way.EVIDENCE_FOUND if after.complete else Way.EVIDENCE_LOST
    return None


# -- what each stage costs ---------------------------------------------------------------------------------


class Cost(NamedTuple):
    """What a run gains by being told the answer of a stage."""

    run: str
    oracle: str
    score: float
    label_accuracy: float
    gained: float
    gained_accuracy: float


def stage_costs(runs: Sequence[EvaluatedRun]) -> tuple[Cost, ...]:
    """The runs that were told something beside the first that was told nothing; none where there are not both."""
    plain = next((run for run in runs if not run.record.get("oracle")), None)
    told = [run for oracle in Oracle for run in runs if run.record.get("oracle") == oracle]
    if plain is None or not told:
        return ()
    base = _mean(plain, SCORE), _mean(plain, ACCURACY)
    return tuple(_cost(run, base) for run in (plain, *told))


def _cost(run: EvaluatedRun, base: tuple[float, float]) -> Cost:
    score, accuracy = _mean(run, SCORE), _mean(run, ACCURACY)
    oracle = run.record.get("oracle") or "nothing"
    return Cost(run.name, oracle, score, accuracy, score - base[0], accuracy - base[1])


def _mean(run: EvaluatedRun, measure: str) -> float:
    values = [value for result in run.results if (value := value_of(result, measure)) is not None]
    return math.fsum(values) / len(values) if values else 0.0
