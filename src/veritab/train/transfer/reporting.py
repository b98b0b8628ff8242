"""The third step of a grid: what every model says of the tested claims is scored, and trainings are compared.

NOT ENOUGH INFO is `kept`, or `merged` into REFUTES: then a claim is supported or not. Gamma (FaVIQ, section 4.2) is
what SUPPORTS gets ahead of the other label where there are two; it is tuned on pages of the tested set that nothing
else is measured on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from veritab.errors import NotFound
from veritab.evaluate.metrics import RESAMPLES, SEED, Metric, MetricComparison, compare_values, pooled_metric
from veritab.evaluate.significance import holm
from veritab.train import tokens
from veritab.train.transfer.grid import MERGED, TEST, TUNE, GridModel, Training, TransferGrid, TransferRun
from veritab.verify.calibrate import Calibration
from veritab.verify.fit import fit_gamma, supports_share

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Places = NDArray[np.int64]

MAJORITY = "majority label"
SUPPORTS, REFUTES, NOT_ENOUGH = range(3)
_GAMMA_RESAMPLES = RESAMPLES // 5
LEVEL = 0.05
ACCURACY, GAMMA_ACCURACY = COMPARED = ("accuracy", "gamma_accuracy")
"""What trainings with built claims and without are compared by."""


class TransferScore(NamedTuple):
    """How well a training does on a tested set; over all seeds, where there are several.

    `gamma` and what is measured with it are None where there are three labels.
    """

    training: str
    nei: str
    test: str
    trained_on: bool
    """Whether the training has a part of the tested set: else the model has never seen its kind of claim."""
    accuracy: Metric
    macro_f1: Metric
    gamma: Metric | None = None
    gamma_accuracy: Metric | None = None
    gamma_macro_f1: Metric | None = None
    by_seed: tuple[float, ...] = ()
    """The accuracy of each seed."""

    def as_dict(self) -> dict[str, Any]:
        found = self._asdict()
        for name, value in found.items():
            if isinstance(value, Metric):
                found[name] = value._asdict()
        return found


class BuiltEffect(NamedTuple):
    """What adding built claims to a training changes on a tested set: the same claims, compared one by one."""

    built: str
    training: str
    with_built: str
    nei: str
    test: str
    measure: str
    """Accuracy, or accuracy with gamma: a change of the latter is not one in how far a model leans to one label."""
    trained_on: bool
    comparison: MetricComparison
    adjusted: float
    """The p value, adjusted by Holm's method for all comparisons of this built set by this measure."""

    @property
    def outcome(self) -> str:
        if self.adjusted >= LEVEL:
            return "no difference"
        return "helps" if self.comparison.difference > 0 else "harms"

    def as_dict(self) -> dict[str, Any]:
        compared = self.comparison
        own = {name: value for name, value in self._asdict().items() if name != "comparison"}
        changed = {
            name: getattr(compared, name) for name in ("first", "second", "difference", "low", "high", "p_value")
        }
        return {**own, **changed, "n": compared.better + compared.worse + compared.same, "outcome": self.outcome}


@dataclass(frozen=True)
class TransferReport:
    """A scored grid."""

    grid: TransferGrid
    scores: tuple[TransferScore, ...]
    effects: tuple[BuiltEffect, ...]
    sets: Mapping[str, Any]
    """The prepared sets, with how many examples each has and what was left out."""
    seeds: int = 1
    """The models of each kind that were scored."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "trainings": [str(each) for each in self.grid.trainings],
            "test": list(self.grid.test),
            "seeds": self.seeds,
            "scores": [each.as_dict() for each in self.scores],
            "built": [each.as_dict() for each in self.effects],
            "summary": self.summary,
            "sets": dict(self.sets),
        }

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """What each built set changed, apart for tested sets that a training has a part of and for those it has not."""
        found = []
        kinds = product(self.grid.built, COMPARED, self.grid.nei, (False, True))
        for built, measure, nei, trained_on in kinds:
            own = [
                each
                for each in self.effects
                if (each.built, each.measure, each.nei, each.trained_on) == (built, measure, nei, trained_on)
            ]
            if own:
                outcomes = [each.outcome for each in own]
                found.append(
                    {
                        "built": built,
                        "measure": measure,
                        "nei": nei,
                        "trained_on": trained_on,
                        "comparisons": len(own),
                        "helps": outcomes.count("helps"),
                        "harms": outcomes.count("harms"),
                        "mean_difference": float(np.mean([each.comparison.difference for each in own])),
                    }
                )
        return found


# -- scoring -----------------------------------------------------------------------------------------------


class _Reading(NamedTuple):
    """What models of several seeds say of a tested set, at gamma 0 and at the gamma that was tuned for each of them."""

    gold: Places
    predicted: Places
    """A row for each seed."""
    tuned: Places | None
    gamma: Metric | None

    def right(self, measure: str) -> Numbers | None:
        """For each claim, the share of seeds that are right; None with gamma where there are three labels."""
        predicted = self.predicted if measure == ACCURACY else self.tuned
        return None if predicted is None else (predicted == self.gold).mean(axis=0)


def report_grid(run: TransferRun) -> TransferReport:
    """Score the models of a fitted grid: those of all seeds that are whole."""
    grid = run.read_grid()
    readings = _Readings(run, grid)
    scores = [_majority(readings, test, nei) for nei in grid.nei for test in grid.test]
    for training in grid.trainings:
        for nei in grid.nei:
            scores += [_score(readings.of(training, nei, test), training, nei, test) for test in grid.test]
    effects = [
        each for built in grid.built for measure in COMPARED for each in _effects(grid, readings, built, measure)
    ]
    sets = {each["source"]: each for each in run.read_manifest()["sources"].values()}
    return TransferReport(grid, tuple(scores), tuple(effects), sets, readings.seeds)


class _Readings:
    """The answers of all models, read as two labels or as three."""

    def __init__(self, run: TransferRun, grid: TransferGrid) -> None:
        self._run, self._grid = run, grid
        signatures = run.signatures(grid)
        missing = [model for model, own in signatures.items() if run.answers_signature(model) != own]
        self.seeds = min((model.seed for model in missing), default=grid.seeds)
        if not self.seeds:
            raise NotFound(
                f"{len(missing):,} of {len(signatures):,} models are not fitted, {missing[0].key!r} among them; "
                f"fit them with: veritab transfer --into {run.folder} --only fit"
            )
        self._labels = {
            (test, part): tokens.read(run.prepared / f"{grid.tested_use(test, part).key(0)}.npz").labels
            for test in grid.test
            for part in (TUNE, TEST)
        }
        self._known: dict[tuple[Training, str, str], _Reading] = {}

    def labels(self, test: str, part: str, nei: str) -> Places:
        """The labels of a part of a set; with NOT ENOUGH INFO as REFUTES where it is merged."""
        labels = self._labels[test, part]
        found: Places = np.minimum(labels, REFUTES) if nei == MERGED else labels
        return found

    def is_two_way(self, test: str, nei: str) -> bool:
        """Whether there are two labels: by merging, or as the set has no third."""
        return nei == MERGED or not (self._labels[test, TEST] == NOT_ENOUGH).any()

    def of(self, training: Training, nei: str, test: str) -> _Reading:
        key = (training, nei, test)
        if key not in self._known:
            self._known[key] = self._read(training, nei, test)
        return self._known[key]

    def _read(self, training: Training, nei: str, test: str) -> _Reading:
        gold = self.labels(test, TEST, nei)
        given = [self._logits(GridModel(training, nei, seed), test) for seed in range(self.seeds)]
        probabilities = [{part: Calibration().probabilities(own) for part, own in each.items()} for each in given]
        if not self.is_two_way(test, nei):
            return _Reading(gold, np.array([each[TEST].argmax(axis=1) for each in probabilities]), None, None)
        shares = [
            {part: supports_share(own, "merged" if nei == MERGED else "excluded") for part, own in each.items()}
            for each in probabilities
        ]
        tune = self.labels(test, TUNE, nei)
        counted = tune != NOT_ENOUGH
        gammas = [fit_gamma(each[TUNE][counted], tune[counted] == SUPPORTS) for each in shares]
        margins = np.array([2 * each[TEST] - 1 for each in shares])
        moved = margins + np.array(gammas)[:, None]
        interval = _gamma_interval([each[TUNE][counted] for each in shares], tune[counted] == SUPPORTS)
        gamma = Metric(float(np.mean(gammas)), *interval, "bootstrap", int(counted.sum()))
        return _Reading(gold, _two_labels(margins), _two_labels(moved), gamma)

    def _logits(self, model: GridModel, test: str) -> dict[str, Any]:
        with np.load(self._run.answers_of(model)) as answers:
            return {part: answers[f"{test}/{part}/logits"].astype(np.float64) for part in (TUNE, TEST)}


def _two_labels(margins: Numbers) -> Places:
    found: Places = np.where(margins > 0, SUPPORTS, REFUTES)
    return found


def _gamma_interval(shares: Sequence[Numbers], true: NDArray[np.bool_]) -> tuple[float, float]:
    """The 95 % bootstrap interval of the mean gamma: it is tuned anew on every resample of its claims."""
    random = np.random.default_rng(SEED)
    found = []
    for _ in range(_GAMMA_RESAMPLES):
        drawn = random.integers(len(true), size=len(true))
        found.append(np.mean([fit_gamma(each[drawn], true[drawn]) for each in shares]))
    low, high = np.quantile(found, (0.025, 0.975))
    return float(low), float(high)


def _score(reading: _Reading, training: Training, nei: str, test: str) -> TransferScore:
    by_seed = tuple(float(share) for share in (reading.predicted == reading.gold).mean(axis=1))
    accuracy, macro_f1 = _measure(reading.predicted, reading.gold)
    score = TransferScore(
        str(training), nei, test, test in training.sets, accuracy, macro_f1, reading.gamma, by_seed=by_seed
    )
    if reading.tuned is None:
        return score
    accuracy, macro_f1 = _measure(reading.tuned, reading.gold)
    return score._replace(gamma_accuracy=accuracy, gamma_macro_f1=macro_f1)


def _majority(readings: _Readings, test: str, nei: str) -> TransferScore:
    """The label that is commonest where gamma is tuned, said of every claim."""
    usual = np.bincount(readings.labels(test, TUNE, nei)).argmax()
    gold = readings.labels(test, TEST, nei)
    return TransferScore(MAJORITY, nei, test, False, *_measure(np.full((1, len(gold)), usual), gold))


def _measure(predicted: Places, gold: Places) -> tuple[Metric, Metric]:
    """Accuracy and macro F1 (the mean over the labels that the gold has), with bootstrap intervals over claims."""
    right = (predicted == gold).mean(axis=0)
    accuracy = pooled_metric([(float(each), 1.0) for each in right], lambda sums: sums[:, 0] / sums[:, 1])
    columns = []
    for label in np.unique(gold):
        columns += [
            ((predicted == label) & (gold == label)).mean(axis=0),
            (predicted == label).mean(axis=0),
            (gold == label).astype(float),
        ]
    rows = [tuple(row) for row in np.array(columns).T.tolist()]
    return accuracy, pooled_metric(rows, _macro_f1)


def _macro_f1(sums: Numbers) -> Numbers:
    hits, predicted, gold = sums[:, 0::3], sums[:, 1::3], sums[:, 2::3]
    found: Numbers = (2 * hits / np.maximum(predicted + gold, 1e-9)).mean(axis=1)
    return found


# -- does built data help? ---------------------------------------------------------------------------------


def _effects(grid: TransferGrid, readings: _Readings, built: str, measure: str) -> Iterator[BuiltEffect]:
    """Every training with a built set beside the same without it, on every tested set that has the measure."""
    pairs = [(each.without(built), each) for each in grid.trainings if built in each.sets]
    known = [(before, after) for before, after in pairs if before in grid.trainings]
    found = []
    for (before, after), nei, test in product(known, grid.nei, grid.test):
        first, second = (readings.of(each, nei, test).right(measure) for each in (before, after))
        if first is not None and second is not None:
            compared = compare_values(first.tolist(), second.tolist(), measure)
            found.append((before, after, nei, test, compared))
    adjusted = holm([compared.p_value for *_, compared in found])
    for (before, after, nei, test, compared), p_value in zip(found, adjusted, strict=True):
        trained_on = test in after.sets
        yield BuiltEffect(built, str(before), str(after), nei, test, measure, trained_on, compared, p_value)


# -- as tables ---------------------------------------------------------------------------------------------

MEASURES: Mapping[str, str] = {
    ACCURACY: "accuracy",
    "macro_f1": "macro F1",
    "gamma": "gamma",
    GAMMA_ACCURACY: "accuracy with gamma",
    "gamma_macro_f1": "macro F1 with gamma",
}
"""What a table may show, and its name for people."""


def table_rows(report: TransferReport, nei: str, measure: str) -> list[list[str]]:
    """One table: a row for each training, a column for each tested set; * where the set was trained on."""
    known = {(each.training, each.test): each for each in report.scores if each.nei == nei}
    names = dict.fromkeys(each.training for each in report.scores)
    rows = [["training", *report.grid.test]]
    for name in names:
        own = [known[name, test] for test in report.grid.test]
        shown = [_shown(getattr(each, measure), measure) + ("*" if each.trained_on else "") for each in own]
        if any(value.strip("-*") for value in shown):
            rows.append([name, *shown])
    return rows


def _shown(metric: Metric | None, measure: str) -> str:
    if metric is None:
        return "-"
    if measure == "gamma":
        return f"{metric.value:+.2f} [{metric.low:+.2f}, {metric.high:+.2f}]"
    return f"{100 * metric.value:.1f} [{100 * metric.low:.1f}, {100 * metric.high:.1f}]"


def effect_rows(effects: Iterable[BuiltEffect]) -> list[list[str]]:
    """A table of what built claims change, in points."""
    rows = [["training", "with built claims", "NEI", "tested on", "measure", "without", "with", "difference", "p", ""]]
    for each in effects:
        compared = each.comparison
        rows.append(
            [
                each.training,
                each.with_built,
                each.nei,
                each.test + ("*" if each.trained_on else ""),
                MEASURES[each.measure],
                f"{100 * compared.first:.1f}",
                f"{100 * compared.second:.1f}",
                f"{100 * compared.difference:+.1f} [{100 * compared.low:+.1f}, {100 * compared.high:+.1f}]",
                f"{each.adjusted:.3f}",
                "" if each.outcome == "no difference" else each.outcome,
            ]
        )
    return rows


def summary_lines(report: TransferReport) -> list[str]:
    """Does built data help? One sentence for each built set, measure, way with NEI, and kind of tested set."""
    lines = []
    for each in report.summary:
        where = "sets that were trained on" if each["trained_on"] else "sets that were not trained on"
        points = f"{100 * each['mean_difference']:+.1f} points of {MEASURES[each['measure']]}"
        lines.append(
            f"{each['built']}, NEI {each['nei']}, on {where}: helps in {each['helps']} of {each['comparisons']}, "
            f"harms in {each['harms']}, mean difference {points}"
        )
    return lines


def write_report(report: TransferReport, path: Path) -> None:
    """Keep a report as JSON beside its run."""
    import json

    from veritab.files import write_whole

    write_whole(path, (json.dumps(report.as_dict(), indent=1) + "\n").encode())
