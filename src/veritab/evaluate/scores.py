"""Scores of predictions: the official numbers with confidence intervals, and metrics of our own beside them.

Under the official names stand the official definitions, quirks included (`veritab.evaluate.official`):

    score               label right and, where the task asks for it, a whole evidence set named
    label_accuracy      evidence_precision      evidence_recall      evidence_f1

Ours are matched by id, know titles in whatever Unicode form, count a piece once, and never divide by zero:

    macro_f1, f1_...    of the labels: the mean over the classes that the gold has, and each
    evidence_share      the largest share of one gold set that was named
    named_precision     how much of what was named is gold, over the claims for which something was named
    page_recall         whether all pages of one gold set were named

Unscored is not zero: a figure that no claim of the gold asks for is not there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from veritab.corpus.fever import id_of
from veritab.datasets import Task
from veritab.errors import InputError
from veritab.evaluate.metrics import Metric, mean_metric, pooled_metric
from veritab.evaluate.official import (
    IN_CELL_BUDGET,
    MAX_EVIDENCE,
    MAX_EVIDENCE_CELL,
    NO_F1,
    Outcome,
    average_outcomes,
    fever_outcome,
    feverous_groups,
    feverous_outcome,
)
from veritab.evaluate.official_two_way import passage_shares
from veritab.evaluate.predictions import ADDRESSED, Prediction, official_record
from veritab.evaluate.slices import SLICINGS, Slicing
from veritab.schema import ElementId, EvidenceSet, Example, Label

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Metrics = Mapping[str, Metric]


class ClaimScore(NamedTuple):
    """The scores of one claim: its labels, its official outcome, and our metrics of its evidence.

    `strict`, `precision` and `recall` are official. `complete` (some gold set was named whole), `share`, `named` (how
    much of what was named is gold) and `pages` are ours. What concerns evidence is None where none is asked for.
    """

    id: str
    gold: Label
    predicted: Label | None
    right: bool
    complete: bool | None
    strict: bool
    precision: float | None
    recall: float | None
    share: float | None = None
    named: float | None = None
    pages: bool | None = None


@dataclass(frozen=True, slots=True)
class PredictionScores:
    """The scores of one file of predictions on n claims: overall, by slices and claim by claim."""

    task: str
    n: int
    official: Mapping[str, float | None]
    metrics: Metrics
    slices: Mapping[str, Mapping[str, Metrics]] = field(default_factory=dict, repr=False)
    claims: tuple[ClaimScore, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()

    def value(self, name: str) -> float | None:
        """The value of a metric; None where there is none."""
        return self.metrics[name].value if name in self.metrics else None

    def confusion(self) -> dict[str, dict[str, int]]:
        """How often each gold label was predicted as what; "none" where nothing was predicted."""
        counts = Counter((row.gold, row.predicted) for row in self.claims)
        golds = [label for label in Label if any(gold is label for gold, _ in counts)]
        return {
            str(gold): {str(said or "none"): counts[gold, said] for said in (*Label, None) if (gold, said) in counts}
            for gold in golds
        }

    def as_dict(self) -> dict[str, Any]:
        """The scores as JSON, without the claims one by one."""
        return {
            "task": self.task,
            "n": self.n,
            **{name: self.value(name) for name in HEADLINES},
            "figures": {name: metric.value for name, metric in self.metrics.items()},
            "intervals": {name: metric.interval() for name, metric in self.metrics.items()},
            "official": dict(self.official),
            "confusion": self.confusion(),
            "slices": {
                by: {name: _slice_dict(metrics) for name, metrics in groups.items()}
                for by, groups in self.slices.items()
            },
            "notes": list(self.notes),
        }


HEADLINES = ("score", "label_accuracy", "evidence_precision", "evidence_recall", "evidence_f1")
"""The metrics with official names."""


def _slice_dict(metrics: Metrics) -> dict[str, Any]:
    return {
        "n": metrics["label_accuracy"].n,
        **{name: metric.value for name, metric in metrics.items()},
        "intervals": {name: metric.interval() for name, metric in metrics.items()},
    }


# -- scoring -----------------------------------------------------------------------------------------------


class _Case(NamedTuple):
    """A claim with its prediction and scores."""

    example: Example
    prediction: Prediction
    row: ClaimScore


def score(
    examples: Iterable[Example],
    predictions: Sequence[Prediction],
    task: Task,
    *,
    by_line: bool = False,
    slicings: Sequence[Slicing] = SLICINGS,
) -> PredictionScores:
    """Score predictions of the claims of a data set, one for each, matched by id or, on request, by their order."""
    examples = list(examples)
    refuse_unlabelled(examples)
    pairs = _in_place(examples, predictions) if by_line else _matched(examples, predictions)
    outcomes = [_outcome(example, prediction, task) for example, prediction in pairs]
    cases = [
        _Case(example, prediction, _row(example, prediction, outcome, task))
        for (example, prediction), outcome in zip(pairs, outcomes, strict=True)
    ]
    rows = tuple(case.row for case in cases)
    passages = _passages(cases) if task == "fm2" else {}
    official: dict[str, float | None] = {}
    if task in ADDRESSED:
        official |= average_outcomes(outcomes)._asdict()
    elif task != "claims":
        official |= {"accuracy": sum(row.right for row in rows) / len(rows)}
        official |= {name: metric.value for name, metric in passages.items()}
    metrics = _with_official(_headlines(rows) | passages | _own(rows), official)
    notes = tuple(_notes(cases, task, official))
    return PredictionScores(task, len(rows), official, metrics, _slices(cases, slicings), rows, notes)


def _with_official(metrics: Mapping[str, Metric], official: Mapping[str, float | None]) -> dict[str, Metric]:
    """Figures with the official numbers: a mean that is taken more exactly differs in the last digit."""
    names = zip(HEADLINES, ("strict", "label_accuracy", "precision", "recall", "f1"), strict=True)
    known = {name: value for name, key in names if (value := official.get(key)) is not None}
    return {name: metric._replace(value=known.get(name, metric.value)) for name, metric in metrics.items()}


def refuse_unlabelled(examples: Sequence[Example]) -> None:
    """Refuse gold without claims or without labels."""
    if not examples:
        raise InputError("the gold holds no claims, so there is nothing to score; give a file that has some")
    bare = [example.claim.id for example in examples if example.label is None]
    if bare:
        raise InputError(
            f"{len(bare):,} of the {len(examples):,} claims of the gold have no label, the first is {bare[0]!r}; "
            "unscored is not zero: give a file that has labels, which those for blind tests have not"
        )


def _in_place(examples: Sequence[Example], predictions: Sequence[Prediction]) -> list[tuple[Example, Prediction]]:
    if len(examples) != len(predictions):
        raise InputError(f"{len(examples):,} claims need as many predictions, not {len(predictions):,}")
    return list(zip(examples, predictions, strict=True))


def _matched(examples: Sequence[Example], predictions: Sequence[Prediction]) -> list[tuple[Example, Prediction]]:
    by_id: dict[str, Prediction] = {}
    for prediction in predictions:
        if prediction.id in by_id:
            raise InputError(f"the claim {prediction.id!r} has two predictions; keep one of them")
        by_id[prediction.id] = prediction
    pairs = []
    for example in examples:
        if example.claim.id not in by_id:
            raise InputError(
                f"the claim {example.claim.id!r} has no prediction, or is twice in the gold; each needs one"
            )
        pairs.append((example, by_id.pop(example.claim.id)))
    if by_id:
        raise InputError(f"there is a prediction for {next(iter(by_id))!r}, which is not among the claims")
    return pairs


# -- the official numbers ----------------------------------------------------------------------------------


def _outcome(example: Example, prediction: Prediction, task: Task) -> Outcome:
    """What the official scorer makes of a claim; silver evidence is no gold, so there the label alone counts."""
    if task not in ADDRESSED or example.silver:
        right = prediction.label is example.label
        return Outcome(right, right, None, None)
    if task == "fever":
        return fever_outcome(official_record(prediction, task), _fever_gold(example))
    return feverous_outcome(official_record(prediction, task), _feverous_gold(example))


def _fever_gold(example: Example) -> dict[str, Any]:
    """The evidence as the record has it, where it is FEVER's; made from the addresses, where it has another form."""
    evidence = example.record.get("evidence")
    if not isinstance(evidence, list) or not all(map(_is_group, evidence)):
        evidence = [[[None, None, id_of(id.page), id.path[0]] for id in sorted(gold)] for gold in example.evidence]
    return {"label": str(example.label), "evidence": evidence}


def _is_group(group: Any) -> bool:
    return isinstance(group, list) and all(isinstance(piece, list) and len(piece) == 4 for piece in group)


def _feverous_gold(example: Example) -> dict[str, Any]:
    evidence = example.record.get("evidence")
    if isinstance(evidence, list) and all(isinstance(group, dict) and "content" in group for group in evidence):
        groups = feverous_groups(example.record)
    else:
        groups = [[_triple(id) for id in sorted(gold)] for gold in example.evidence]
    return {"label": str(example.label), "evidence": groups}


def _triple(id: ElementId) -> list[str]:
    return [id.page, id.kind.value, "_".join(map(str, id.path))]


def _passages(cases: Sequence[_Case]) -> dict[str, Metric]:
    """Passages found, where the gold names passages: `gold_passages` in its records."""
    shares = [
        passage_shares(_ranked(case.prediction.record.get("predicted_evidence")), map(str, gold))
        for case in cases
        if (gold := case.example.record.get("gold_passages"))
    ]
    names = shares[0] if shares else ()
    return {name: mean_metric([each[name] for each in shares]) for name in names}


def _ranked(evidence: Any) -> list[str]:
    pieces = evidence if isinstance(evidence, list) else []
    return [str(piece.get("id") if isinstance(piece, dict) else piece) for piece in pieces]


# -- ours --------------------------------------------------------------------------------------------------


def _row(example: Example, prediction: Prediction, outcome: Outcome, task: Task) -> ClaimScore:
    gold = example.label
    assert gold is not None  # refused before
    right, strict, precision, recall = outcome
    sets = [each for each in example.evidence if each] if recall is not None else []
    if not sets:
        return ClaimScore(example.claim.id, gold, prediction.label, right, None, strict, precision, recall)
    named = within_budget(prediction.evidence, task)
    pages = _pages(named)
    share = max(len(each & named) / len(each) for each in sets)
    return ClaimScore(
        example.claim.id,
        gold,
        prediction.label,
        right,
        share == 1,
        strict,
        precision,
        recall,
        share,
        len(named & frozenset().union(*sets)) / len(named) if named else None,
        any(_pages(each) <= pages for each in sets),
    )


def within_budget(evidence: Sequence[ElementId], task: Task) -> EvidenceSet:
    """The evidence that the scorer of a task looks at: the first five, or the first 5 sentences and 25 cells."""
    if task != "feverous":
        return frozenset(evidence[:MAX_EVIDENCE])
    small = [id for id in evidence if id.kind in IN_CELL_BUDGET]
    large = [id for id in evidence if id.kind not in IN_CELL_BUDGET]
    return frozenset(large[:MAX_EVIDENCE]) | frozenset(small[:MAX_EVIDENCE_CELL])


def _pages(evidence: Iterable[ElementId]) -> frozenset[str]:
    return frozenset(id.page for id in evidence)


# -- figures -----------------------------------------------------------------------------------------------


def _headlines(rows: Sequence[ClaimScore]) -> dict[str, Metric]:
    """The figures with official names; those of evidence where the official scorer looks at some."""
    metrics = {
        "score": mean_metric([float(row.strict) for row in rows]),
        "label_accuracy": mean_metric([float(row.right) for row in rows]),
    }
    both = [(row.precision, row.recall) for row in rows if row.precision is not None and row.recall is not None]
    if both:
        metrics["evidence_precision"] = mean_metric([precision for precision, _ in both])
        metrics["evidence_recall"] = mean_metric([recall for _, recall in both])
        metrics["evidence_f1"] = pooled_metric([(*pair, 1.0) for pair in both], _harmonic)
    return metrics


def _own(rows: Sequence[ClaimScore]) -> dict[str, Metric]:
    columns = {
        "evidence_share": [row.share for row in rows if row.share is not None],
        "named_precision": [row.named for row in rows if row.named is not None],
        "page_recall": [float(row.pages) for row in rows if row.pages is not None],
    }
    return _label_metrics(rows) | {name: mean_metric(values) for name, values in columns.items() if values}


def _label_metrics(rows: Sequence[ClaimScore], *, each: bool = True) -> dict[str, Metric]:
    """F1 over the classes that the gold has, and of each of them; of one class alone there is no mean."""
    classes = [label for label in Label if any(row.gold is label for row in rows)]
    if len(classes) < 2 and not each:
        return {}
    counted = {pair: _class_parts(*pair, classes) for pair in {(row.gold, row.predicted) for row in rows}}
    parts = [counted[row.gold, row.predicted] for row in rows]
    metrics = {"macro_f1": pooled_metric(parts, lambda sums: _f1s(sums).mean(axis=1))}
    for place, label in enumerate(classes if each else ()):
        metric = pooled_metric(parts, partial(_f1_of, place))
        metrics[f"f1_{label.lower().replace(' ', '_')}"] = metric._replace(n=sum(row.gold is label for row in rows))
    return metrics


def _class_parts(gold: Label, said: Label | None, classes: Sequence[Label]) -> tuple[float, ...]:
    """What a claim adds to each class: to twice its hits, and to its claims and predictions, which F1 divides by."""
    hits = [2.0 * (gold is label is said) for label in classes]
    wholes = [float(gold is label) + float(said is label) for label in classes]
    return tuple(chain.from_iterable(zip(hits, wholes, strict=True)))


def _f1s(sums: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """One F1 a class; a class that a draw does not have, and nothing says, is worth 0 there."""
    import numpy

    parts, wholes = sums[:, ::2], sums[:, 1::2]
    f1s: NDArray[numpy.float64] = numpy.divide(parts, wholes, out=numpy.zeros_like(parts), where=wholes > 0)
    return f1s


def _f1_of(place: int, sums: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    return _f1s(sums)[:, place]


def _harmonic(sums: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
    """F1 of two means, from their sums and the number of claims; 0 where both are 0."""
    import numpy

    precision, recall, n = sums.T
    products = 2 * precision * recall
    wholes = (precision + recall) * n
    f1: NDArray[numpy.float64] = numpy.divide(products, wholes, out=numpy.zeros_like(products), where=wholes > 0)
    return f1


def _slices(cases: Sequence[_Case], slicings: Sequence[Slicing]) -> dict[str, dict[str, Metrics]]:
    """The main figures for each group of claims; a slicing that puts all into one group says nothing."""
    found: dict[str, dict[str, Metrics]] = {}
    examples, rows = [case.example for case in cases], [case.row for case in cases]
    for slicing in slicings:
        groups = slicing.groups(examples, rows)
        if len(groups) > 1:
            found[slicing.name] = {
                name: _headlines(some) | _label_metrics(some, each=False) for name, some in groups.items()
            }
    return found


# -- what a reader should know -----------------------------------------------------------------------------


def _notes(cases: Sequence[_Case], task: Task, official: Mapping[str, float | None]) -> Iterator[str]:
    if task not in ADDRESSED:
        return
    rows = [case.row for case in cases]
    silver = sum(case.example.silver for case in cases)
    if silver:
        yield f"{silver:,} of the claims have evidence that was found, not annotated; only their labels were scored"
    if official["f1"] is None:
        yield f"{NO_F1}; the evidence_f1 of 0 is ours"
    if all(row.recall is None for row in rows):
        yield "no claim of the gold asks for evidence; the official precision of 1 and recall of 0 say nothing"
    bare = sum(row.recall is not None and row.complete is None for row in rows)
    if bare:
        yield f"{bare:,} of the claims have no evidence in the gold; officially that is a recall of 1 and a score of 0"
    spelled = sum(bool(row.complete) and row.recall == 0 for row in rows)
    if spelled:
        yield (
            f"{spelled:,} of the claims have a whole evidence set and officially none: page titles are written in "
            "another way than in the gold; write them as the gold does"
        )
