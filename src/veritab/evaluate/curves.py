"""Learning curves: a metric of several runs against a number in which they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from veritab.errors import InputError, NotFound
from veritab.evaluate import plots
from veritab.evaluate.comparing import refuse_different_data
from veritab.evaluate.metrics import Metric
from veritab.evaluate.scored_runs import ScoredRun

METRICS = ("score", "label_accuracy", "macro_f1")
"""The metrics that are drawn; every run has them."""

CLAIMS = "claims"
"""How many claims were answered: along this, runs differ in their data."""


class CurvePoint(NamedTuple):
    """One run of a curve."""

    at: float
    run: str
    metric: Metric


def curve(runs: Sequence[ScoredRun], by: str, metric: str) -> tuple[CurvePoint, ...]:
    """A metric of runs in the order of a number: a tag ("trained_on"), a setting ("retrieve.pages") or "claims"."""
    if by != CLAIMS:
        refuse_different_data(runs)
    steps = [CurvePoint(number_of(run, by), run.name, _metric(run, metric)) for run in runs]
    return tuple(sorted(steps, key=lambda step: (step.at, step.run)))


def number_of(run: ScoredRun, by: str) -> float:
    """The number that a run has under a name."""
    value = _look_up(run.record, by)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if math.isfinite(number):
        return number
    what = f"{by} = {value!r}, which is not a number" if value is not None else f"no {by!r}"
    raise InputError(f"{run.name} has {what}; give a run its place with: veritab run … --tag {by}=1000")


def _look_up(record: Mapping[str, Any], by: str) -> Any:
    tags = record.get("tags") or {}
    if by in tags:
        return tags[by]
    place: Any = record if by in record else record.get("settings")
    for key in by.split("."):
        place = place.get(key) if isinstance(place, Mapping) else None
    return None if isinstance(place, bool) else place


def _metric(run: ScoredRun, name: str) -> Metric:
    if name in run.metrics:
        return run.metrics[name]
    raise NotFound(f"{run.name} has no metric {name!r}; the metrics are: {', '.join(run.metrics)}")


def draw_curves(curves: Mapping[str, Sequence[CurvePoint]], by: str) -> str:
    """Curves as one chart; numbers that span a wide range are drawn on a logarithmic axis."""
    points = [
        plots.ChartPoint(step.at, step.metric.value, step.metric.low, step.metric.high, name)
        for name, steps in curves.items()
        for step in steps
    ]
    places = [point.x for point in points]
    wide = bool(places) and min(places) > 0 and max(places) / min(places) >= _WIDE
    return plots.lines(points, title=f"Figures by {by}", x=by, format=".2f", logarithmic=wide)


_WIDE = 20
