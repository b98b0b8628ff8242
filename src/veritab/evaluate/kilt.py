"""KILT's files scored: its own measures, with intervals and slices as for the other tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from veritab.errors import InputError, short_repr
from veritab.evaluate.issues import BadPredictions, LineIssue
from veritab.evaluate.json_records import JsonRecords, id_in
from veritab.evaluate.metrics import Metric, mean_metric
from veritab.evaluate.official_kilt import AT, EXAMPLE, KiltOutcome, kilt_means, kilt_outcomes
from veritab.evaluate.scores import PredictionScores
from veritab.evaluate.slices import SLICINGS, Slicing
from veritab.schema import Claim, ElementId, Example, Kind, Label


def score_kilt(
    guesses: JsonRecords,
    gold: JsonRecords,
    at: Sequence[int] = AT,
    *,
    name: str = "the predictions",
    slicings: Sequence[Slicing] = SLICINGS,
) -> PredictionScores:
    """Score a file of guesses against KILT's gold; the score is KILT-AC, an answer with all pages of one way to it."""
    records = list(_gold(gold))
    matched = _matched(guesses, [id_in(record) for record in records], name)
    outcomes = kilt_outcomes(matched, records, at)
    official = kilt_means(outcomes)
    metrics = _metrics(outcomes)
    names = {"score": "KILT-AC", "label_accuracy": "accuracy"}
    metrics = {key: each._replace(value=official[names.get(key, key)]) for key, each in metrics.items()}
    examples = list(map(_example, records))
    slices = {
        slicing.name: {group: _metrics(some) for group, some in groups.items()}
        for slicing in slicings
        if len(groups := slicing.groups(examples, outcomes)) > 1
    }
    return PredictionScores("kilt", len(outcomes), official, metrics, slices)


def _metrics(outcomes: Sequence[KiltOutcome]) -> dict[str, Metric]:
    columns = {
        "score": [float(each.kilt_right) for each in outcomes],
        "label_accuracy": [float(each.right) for each in outcomes],
        "Rprec": [each.r_precision for each in outcomes],
        **{name: [each.at[name] for each in outcomes] for name in outcomes[0].at},
    }
    return {name: mean_metric(values) for name, values in columns.items()}


def _gold(gold: JsonRecords) -> Iterator[Mapping[str, Any]]:
    if gold.faults or not gold.records:
        raise InputError(f"the gold cannot be scored against: {next(iter(gold.faults), 'it is empty')}")
    for line, record in gold.records:
        if not isinstance(record.get("output"), list) or not record["output"]:
            raise InputError(
                f"line {line} of the gold has no output, as files for blind tests have not; unscored is not zero: give "
                f"KILT's gold, e.g. {EXAMPLE}"
            )
        if not id_in(record):
            raise InputError(f"line {line} of the gold has no id; expected e.g. {EXAMPLE}")
        if not all(map(_is_output, record["output"])):
            raise InputError(f"line {line} of the gold has an output that cannot be read; expected e.g. {EXAMPLE}")
        yield record


def _matched(guesses: JsonRecords, ids: Sequence[str], name: str) -> list[Mapping[str, Any]]:
    """The guesses that can be scored, one for each id; every fault is reported."""
    faults, found = list(guesses.faults), dict[str, tuple[int, Mapping[str, Any]]]()
    known = set(ids)
    for line, record in guesses.records:
        id = id_in(record)
        fault = _fault(record, id, known)
        if id in found:
            fault = LineIssue("doubled", line, f"the id {id!r} was already on line {found[id][0]}; keep one of the two")
        if fault:
            faults.append(fault._replace(line=line))
        found.setdefault(id, (line, record))
    faults += (LineIssue("missing", 0, f"the claim {id!r} has no guess; add one") for id in ids if id not in found)
    if faults:
        raise BadPredictions(name, faults)
    return [found[id][1] for id in ids]


def _fault(record: Mapping[str, Any], id: str, known: set[str]) -> LineIssue | None:
    output = record.get("output")
    if "predicted_label" in record and output is None:
        what = "this is a prediction of FEVER's family; score it with --task fever, feverous, fm2 or faviq"
        return LineIssue("other task", 0, what)
    if not id:
        return LineIssue("no id", 0, f"no id; expected e.g. {EXAMPLE}")
    if id not in known:
        return LineIssue("unknown", 0, f"the gold has no claim {id!r}; take the line out, or give the gold that has it")
    if not isinstance(output, list) or len(output) != 1 or not isinstance(output[0], dict):
        return LineIssue("output", 0, f"the output is {short_repr(output)}; expected exactly one: {EXAMPLE}")
    if not _is_output(output[0]):
        what = f"the provenance is {short_repr(output[0]['provenance'])}; expected a list of pages: {EXAMPLE}"
        return LineIssue("provenance", 0, what)
    return None


def _is_output(output: Any) -> bool:
    """Whether something is an output, its pages, where it names some, a list of objects."""
    pages = output.get("provenance", []) if isinstance(output, dict) else None
    return isinstance(pages, list) and all(isinstance(each, dict) for each in pages)


def _example(record: Mapping[str, Any]) -> Example:
    """The claim of a record, for slices: each way to the answer is a set of pages."""
    answers = {str(output.get("answer", "")) for output in record["output"]}
    label = next((label for label in Label if str(label) in answers), None)
    titles = [{str(each.get("title") or "") for each in output.get("provenance") or ()} for output in record["output"]]
    sets = [frozenset(ElementId(title, Kind.TITLE) for title in some if title) for some in titles]
    return Example(Claim(id_in(record), str(record.get("input", ""))), label, tuple(filter(None, sets)))
