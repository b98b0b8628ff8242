"""A scored run: the folder of a run over labelled claims, with its predictions and scores beside the verdicts.

RUN/run.json            settings, versions, hashes of models and corpus, and of the claims and their gold
RUN/results.jsonl       one verdict a line, as `veritab check --into` keeps them
RUN/predictions.jsonl   the same in the format of the task's own scorer; other systems have only this
RUN/scores.json         every metric with its confidence interval, in all and by slices
RUN/claims.jsonl        the outcome of each claim, and the stage at fault for a wrong one
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import orjson

from veritab.datasets import Task
from veritab.errors import FormatError, InputError, NotFound
from veritab.evaluate.attribution import Fault, SystemAnswer, attribute
from veritab.evaluate.metrics import Metric
from veritab.evaluate.predictions import Missing, Prediction, read_predictions
from veritab.evaluate.scores import ClaimScore, Metrics, score
from veritab.evaluate.slices import SLICINGS, TableRows, by_table_size
from veritab.files import replacing, write_whole
from veritab.render.json import verdict_from_json
from veritab.render.predictions import FeverousPredictions, FeverPredictions
from veritab.render.tables import table_finder
from veritab.runs.labelled import LabelledClaims, gold_ids, hashed_line
from veritab.runs.run import RECORD, RESULTS, read_record, read_results
from veritab.schema import ElementId, Example, Label, Verdict

if TYPE_CHECKING:
    from veritab.corpus import Corpus

PREDICTIONS = "predictions.jsonl"
SCORES = "scores.json"
CLAIMS = "claims.jsonl"

_REMEDY = "make them again with the command that made the run, and --resume"

Slices: TypeAlias = Mapping[str, Mapping[str, Metrics]]


# -- scoring -----------------------------------------------------------------------------------------------


class ClaimResult(NamedTuple):
    """The outcome of one claim in a run: its `ClaimScore`, and the stage at fault."""

    id: str
    claim: str
    gold: Label
    predicted: Label | None
    right: bool
    strict: bool
    precision: float | None
    recall: float | None
    complete: bool | None
    share: float | None
    named: float | None
    pages: bool | None
    fault: Fault
    missing: tuple[str, ...] = ()
    evidence: tuple[tuple[str, ...], ...] = ()
    challenge: str = ""

    @property
    def label_right(self) -> bool:
        return self.right


def write_predictions(folder: Path, task: Task) -> None:
    """Write the verdicts of a run in the format of a task's scorer."""
    to_prediction = _prediction_writer(task)
    with replacing(folder / PREDICTIONS) as file:
        for verdict in map(verdict_from_json, read_results(folder / RESULTS)):
            file.write(orjson.dumps(to_prediction(verdict)) + b"\n")


def _prediction_writer(task: Task) -> Callable[[Verdict], dict[str, Any]]:
    if task == "fever":
        return FeverPredictions().prediction
    if task == "feverous":
        return FeverousPredictions().prediction
    return lambda verdict: {"id": verdict.claim.id, "predicted_label": verdict.label.value}


def score_run(
    folder: Path, claims: LabelledClaims, corpus: Corpus | None = None, missing: Missing = "fail"
) -> ScoredRun:
    """Score the predictions of a run, attribute each error to a stage, and write both into its folder.

    A corpus is needed for slices by table size; `missing` says what claims without a prediction are.
    """
    examples = list(claims)
    ids = [example.claim.id for example in examples]
    predictions = read_predictions(folder / PREDICTIONS, claims.task, ids, missing=missing)
    slicings = (*SLICINGS, by_table_size(_table_rows(corpus))) if corpus is not None else SLICINGS
    scores = score(examples, predictions, claims.task, slicings=slicings)
    results = _results(examples, predictions, scores.claims, _read_pages(folder), claims.task)
    with replacing(folder / CLAIMS) as file:
        for result in results:
            file.write(orjson.dumps(result._asdict()) + b"\n")
    record = {
        "task": claims.task,
        "n": scores.n,
        "figures": _metrics_to_json(scores.metrics),
        "slices": {
            by: {value: _metrics_to_json(metrics) for value, metrics in groups.items()}
            for by, groups in scores.slices.items()
        },
    }
    write_whole(folder / SCORES, orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
    return open_scored_run(folder)


def _table_rows(corpus: Corpus) -> TableRows:
    find = table_finder(corpus)

    def rows(id: ElementId) -> int | None:
        table = find(id)
        return None if table is None else len(table.rows)

    return rows


def _read_pages(folder: Path) -> dict[str, Sequence[str]]:
    """The pages that were read for each claim, where the verdicts name them."""
    if not (folder / RESULTS).exists():
        return {}
    return {
        str(result["id"]): list(result.get("corpus", {}).get("read", ())) for result in read_results(folder / RESULTS)
    }


def _results(
    examples: Sequence[Example],
    predictions: Sequence[Prediction],
    scores: Sequence[ClaimScore],
    read: Mapping[str, Sequence[str]],
    task: Task,
) -> Iterator[ClaimResult]:
    for example, prediction, claim in zip(examples, predictions, scores, strict=True):
        answer = SystemAnswer(prediction.label, prediction.evidence, read.get(example.claim.id, ()))
        attribution = attribute(example, answer, task)
        yield ClaimResult(
            **claim._asdict(),
            claim=example.claim.text,
            fault=attribution.fault,
            missing=tuple(map(str, attribution.missing)),
            evidence=tuple(map(tuple, gold_ids(example))),
            challenge=example.challenge,
        )


def _metrics_to_json(metrics: Metrics) -> dict[str, Any]:
    return {name: metric._asdict() for name, metric in metrics.items()}


# -- reading a run -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScoredRun:
    """A run that was scored; its name is that of its folder, with parents where two would have the same."""

    name: str
    folder: Path
    record: Mapping[str, Any]
    metrics: Metrics
    slices: Slices
    results: tuple[ClaimResult, ...]

    def verdicts(self, ids: Iterable[str]) -> dict[str, Verdict]:
        """The verdicts on some claims; none where the predictions are another system's."""
        wanted = set(ids)
        if not (self.folder / RESULTS).exists():
            return {}
        return {
            str(result["id"]): verdict_from_json(result)
            for result in read_results(self.folder / RESULTS)
            if str(result["id"]) in wanted
        }

    def predicted_evidence(self, ids: Iterable[str]) -> dict[str, tuple[ElementId, ...]]:
        """The evidence that was predicted for some claims."""
        wanted = set(ids)
        every = [each.id for each in self.results]
        read = read_predictions(self.folder / PREDICTIONS, self.record["task"], every, missing="wrong")
        return {each.id: each.evidence for each in read if each.id in wanted}


def open_scored_run(folder: Path) -> ScoredRun:
    """Open the folder of a run that was scored."""
    record = _read_scored_record(folder)
    if not (folder / SCORES).is_file() or not (folder / CLAIMS).is_file():
        done = sum(1 for _ in read_results(folder / RESULTS)) if (folder / RESULTS).exists() else 0
        raise InputError(
            f"the run in {str(folder)!r} is not finished: {done:,} of its {record['claims']:,} claims are answered; "
            "give the command that began it again, with --resume"
        )
    scores = _parse_object(folder / SCORES, (folder / SCORES).read_bytes())
    try:
        metrics = _read_metrics(scores["figures"])
        slices = {
            by: {value: _read_metrics(each) for value, each in some.items()} for by, some in scores["slices"].items()
        }
        with (folder / CLAIMS).open("rb") as lines:
            results = tuple(_read_result(_parse_object(folder / CLAIMS, line)) for line in lines)
        if len(results) != record["claims"]:
            raise ValueError(f"{len(results):,} claims are there, and {record['claims']:,} were asked")
        claims = b"".join(hashed_line(result.id, result.claim) for result in results)
        if hashlib.sha256(claims).hexdigest() != record["claims_sha256"]:
            raise ValueError("they are of other claims than were asked")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(
            f"the scores in {str(folder)!r} cannot be read ({type(error).__name__}: {error}); {_REMEDY}"
        ) from None
    return ScoredRun(folder.resolve().name, folder, record, metrics, slices, results)


def open_scored_runs(folders: Sequence[Path]) -> list[ScoredRun]:
    """Open several, each under a name of its own."""
    runs = [open_scored_run(folder) for folder in folders]
    paths = [run.folder.resolve() for run in runs]
    for path in paths:
        if paths.count(path) > 1:
            raise InputError(f"{str(path)!r} was given twice; give each run once")
    parts = 1
    while len({path.parts[-parts:] for path in paths}) < len(paths):
        parts += 1
    return [replace(run, name="/".join(path.parts[-parts:])) for run, path in zip(runs, paths, strict=True)]


def _read_scored_record(folder: Path) -> dict[str, Any]:
    if not (folder / RECORD).is_file():
        raise NotFound(f"{str(folder)!r} holds no run; make one with: veritab run DATASET --into {folder}")
    record = read_record(folder)
    if "gold_sha256" not in record:
        raise InputError(
            f"the run in {str(folder)!r} has answers but no gold to score them by; score them with: "
            f"veritab run DATASET --answers {folder} --into ANOTHER"
        )
    return record


def _parse_object(file: Path, data: bytes) -> dict[str, Any]:
    try:
        read = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{str(file)!r} is damaged ({error}); {_REMEDY}") from None
    if not isinstance(read, dict):
        raise FormatError(f"{str(file)!r} is damaged; {_REMEDY}")
    return read


def _read_metrics(record: Mapping[str, Any]) -> dict[str, Metric]:
    return {name: Metric(**metric) for name, metric in record.items()}


def _read_result(record: dict[str, Any]) -> ClaimResult:
    predicted = record["predicted"]
    return ClaimResult(
        **{
            **{name: record[name] for name in ClaimResult._fields},
            "gold": Label(record["gold"]),
            "predicted": None if predicted is None else Label(predicted),
            "fault": Fault(record["fault"]),
            "missing": tuple(record["missing"]),
            "evidence": tuple(map(tuple, record["evidence"])),
        }
    )
