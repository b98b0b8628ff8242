"""`veritab evaluate`: what predictions are worth, officially and beyond, with intervals and by groups of claims."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.text import Text

from veritab.cli.cluster import cluster_over_corpus
from veritab.cli.data import open_data_set
from veritab.cli.options import Cluster
from veritab.cli.output import Json, answer, counted, print_json, talk
from veritab.datasets.reading import THE_REST
from veritab.errors import InputError, NotFound
from veritab.evaluate.issues import BadPredictions, LineIssue, summarise_issues
from veritab.evaluate.levels import Level
from veritab.files import refuse_missing_folder, replacing

if TYPE_CHECKING:
    from veritab.datasets import DataSet
    from veritab.engine import Engine
    from veritab.evaluate.json_records import JsonRecords
    from veritab.evaluate.retrieval import JudgedRankings, RetrievalScores
    from veritab.evaluate.scores import PredictionScores
    from veritab.evaluate.slices import Slicing
    from veritab.schema import Example

_STDIN = Path("-")
_GATE_FAILED = 3
_AT = "1,5,10"


class EvaluationTask(StrEnum):
    """What is scored, and how."""

    FEVER = "fever"
    FEVEROUS = "feverous"
    FM2 = "fm2"
    FAVIQ = "faviq"
    KILT = "kilt"
    RETRIEVAL = "retrieval"


class MissingPredictions(StrEnum):
    """What becomes of claims that have no prediction."""

    FAIL = "fail"
    WRONG = "wrong"
    SKIP = "skip"


class UnknownPredictions(StrEnum):
    """What becomes of predictions of claims that the gold does not have."""

    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True)
class _EvaluationRequest:
    """What the command was asked for."""

    predictions: Path
    gold: str
    data: Path | None
    by_line: bool
    missing: MissingPredictions
    unknown: UnknownPredictions
    claim_only: Path | None
    corpus: Path | None
    level: Level
    at: tuple[int, ...]
    cluster: str | None


def evaluate(
    predictions: Annotated[
        Path, typer.Argument(metavar="PREDICTIONS", help="The file of predictions; - reads stdin.", show_default=False)
    ],
    gold: Annotated[
        str,
        typer.Argument(metavar="GOLD", help="The gold: a file, or the name of a data set.", show_default=False),
    ],
    task: Annotated[
        EvaluationTask | None,
        typer.Option("--task", help="What is scored, and how; detected from the gold unless given."),
    ] = None,
    by_line: Annotated[
        bool, typer.Option("--by-line", help="Match predictions with the gold by their order, not by their ids.")
    ] = False,
    missing: Annotated[
        MissingPredictions,
        typer.Option("--missing", help="What claims without a prediction are: a fault, wrong, or left out."),
    ] = MissingPredictions.FAIL,
    unknown: Annotated[
        UnknownPredictions,
        typer.Option(
            "--unknown", help="What predictions of claims that the gold does not have are: a fault, or left out."
        ),
    ] = UnknownPredictions.FAIL,
    claim_only: Annotated[
        Path | None,
        typer.Option(
            "--claim-only",
            metavar="FILE",
            help="Predictions of a model that saw the claims alone, or EASY and HARD by id: the two are scored apart.",
        ),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", "-c", metavar="DIR", help="The corpus of the claims: groups them by table size, too."),
    ] = None,
    level: Annotated[Level, typer.Option("--level", help="For retrieval: what is looked for.")] = Level.PAGE,
    at: Annotated[str, typer.Option("--at", metavar="K,...", help="For retrieval and KILT: at which ranks.")] = _AT,
    claims: Annotated[
        Path | None,
        typer.Option("--claims", metavar="FILE", help="Also write what became of each claim, as JSON lines."),
    ] = None,
    faults: Annotated[
        Path | None,
        typer.Option(
            "--faults", metavar="FILE", help="Where predictions have faults, write all of them, as JSON lines."
        ),
    ] = None,
    fail_below: Annotated[
        float | None, typer.Option("--fail-below", metavar="SCORE", help="Exit with 3 when the score is below this.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="The folder of data sets; else the one that VERITAB_DATA names."),
    ] = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Score a file of predictions: the official numbers to the last digit, and ours beside them.

    Predictions are matched with the gold by id. What is wrong with them is reported line by line, and then nothing is
    scored; what is odd (another order, too much evidence) is reported on stderr. Unscored is not zero: gold without
    labels is an error, and a metric that the task does not have is null. Labels and evidence are scored here, which
    takes seconds; --cluster holds rankings against the gold, and looks up the tables of a --corpus.
    """
    for path in (claims, faults):
        refuse_missing_folder(path)
    if fail_below is not None and not 0 <= fail_below <= 1:
        raise InputError(f"--fail-below is {fail_below:g}; expected a score from 0 to 1, e.g. 0.3")
    request = _EvaluationRequest(
        predictions, gold, data, by_line, missing, unknown, claim_only, corpus, level, _ranks(at), cluster
    )
    with _writing_faults(faults), _without_garbage_collection():
        result = _evaluate(request, task, claims)
    for note in result["notes"]:
        talk.print(f"note: {note}", markup=False, soft_wrap=True)
    if as_json:
        print_json(result)
    else:
        _print_result(result)
    if fail_below is not None and result["score"] < fail_below:
        talk.print(f"the score {result['score']:.4f} is below {fail_below:g}", style="red", markup=False)
        raise typer.Exit(_GATE_FAILED)


def _evaluate(request: _EvaluationRequest, task: EvaluationTask | None, claims: Path | None) -> dict[str, Any]:
    _refuse_unused(request, task, claims)
    if task is EvaluationTask.RETRIEVAL:
        return _score_rankings(request)
    scores = _score_kilt(request) if task is EvaluationTask.KILT else _score_labels(request, task)
    if claims:
        _write_lines(claims, (row._asdict() for row in scores.claims))
    return scores.as_dict()


def _refuse_unused(request: _EvaluationRequest, task: EvaluationTask | None, claims: Path | None) -> None:
    """An option that would change nothing is a misunderstanding."""
    kilt, ranked = task is EvaluationTask.KILT, task is EvaluationTask.RETRIEVAL
    given = {
        "--claims": (kilt or ranked) and claims is not None,
        "--claim-only": (kilt or ranked) and request.claim_only is not None,
        "--corpus": (kilt or ranked) and request.corpus is not None,
        "--by-line": (kilt or ranked) and request.by_line,
        "--missing": kilt and request.missing is not MissingPredictions.FAIL,
        "--unknown": kilt and request.unknown is not UnknownPredictions.FAIL,
        "--at": not (kilt or ranked) and request.at != _ranks(_AT),
        "--cluster": request.cluster is not None and (kilt or not (ranked or request.corpus)),
        "--level": not ranked and request.level is not Level.PAGE,
    }
    for option in (option for option, is_given in given.items() if is_given):
        raise InputError(f"{option} does nothing for {task or 'labels and evidence'}; leave it out")


def _ranks(at: str) -> tuple[int, ...]:
    try:
        ranks = tuple(sorted({int(each) for each in at.split(",")}))
    except ValueError:
        ranks = ()
    if not ranks or ranks[0] < 1:
        raise InputError(f"--at is {at!r}; expected ranks from 1 upwards, e.g. 1,5,10")
    return ranks


@contextmanager
def _writing_faults(path: Path | None) -> Iterator[None]:
    """The message of bad predictions names the first of each sort; all of them go to a file on request."""
    try:
        yield
    except BadPredictions as error:
        if path:
            _write_lines(path, (fault._asdict() for fault in error.faults))
        raise


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Records hold no cycles, and looking for some among hundreds of thousands of lists takes a quarter of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _write_lines(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
    with replacing(path) as file:
        for record in records:
            file.write(orjson.dumps(record) + b"\n")


@contextmanager
def _engine(request: _EvaluationRequest) -> Iterator[Engine | None]:
    """The workers of the cluster that was asked for."""
    if request.cluster is None:
        yield None
        return
    with cluster_over_corpus(request.cluster, request.corpus) as engine:
        yield engine


# -- labels and evidence -----------------------------------------------------------------------------------


def _score_labels(request: _EvaluationRequest, task: EvaluationTask | None) -> PredictionScores:
    from veritab.evaluate.predictions import match_predictions
    from veritab.evaluate.scores import refuse_unlabelled, score

    data = open_data_set(request.gold, request.data, task)
    examples = list(data)
    refuse_unlabelled(examples)
    ids = [example.claim.id for example in examples]
    matched = match_predictions(
        _read_records(request.predictions),
        data.task,
        ids,
        name=_display_name(request.predictions),
        by_line=request.by_line,
        missing=request.missing.value,
        unknown=request.unknown.value,
    )
    if request.missing is MissingPredictions.SKIP and not request.by_line:
        answered = {each.id for each in matched}
        examples = [example for example in examples if example.claim.id in answered]
    slicings = list(_slicings(request, examples))
    scores = score(examples, matched, data.task, by_line=request.by_line, slicings=slicings)
    return replace(scores, notes=(*_gold_notes(data), *summarise_issues(matched.notes), *scores.notes))


def _read_records(path: Path) -> JsonRecords:
    from veritab.evaluate.json_records import records_in

    return records_in(_read_bytes(path), _display_name(path))


def _read_bytes(path: Path) -> bytes:
    from veritab.evaluate.json_records import read_bytes

    if path != _STDIN:
        return read_bytes(path)
    if sys.stdin is None or sys.stdin.isatty():
        raise InputError("nothing to score on stdin; try: veritab evaluate - GOLD < PREDICTIONS")
    return sys.stdin.buffer.read()


def _display_name(path: Path) -> str:
    return "stdin" if path == _STDIN else str(path)


def _gold_notes(data: DataSet) -> list[str]:
    """What is wrong with the gold: records that could not be read are not scored, and that must be seen."""
    listed = [each for each in data.problems if each.where != THE_REST]
    lost = [LineIssue("lost", 0, f"{each.where}: {each.what}; not scored") for each in listed if each.lost]
    odd = [LineIssue("odd", 0, f"{each.where}: {each.what}") for each in listed if not each.lost]
    rest = [LineIssue("rest", 0, each.what) for each in data.problems if each.where == THE_REST]
    return [f"the gold: {line}" for line in summarise_issues([*lost, *odd, *rest])]


def _slicings(request: _EvaluationRequest, examples: Sequence[Example]) -> Iterator[Slicing]:
    from veritab.evaluate.slices import SLICINGS, by_claim_only, by_table_size, partition_of, table_rows

    yield from SLICINGS
    if request.corpus:
        with _engine(request) as engine:
            yield by_table_size(table_rows(examples, request.corpus, engine).get)
    recorded = _read_records(request.claim_only) if request.claim_only else None
    if recorded and recorded.faults:
        raise BadPredictions(str(request.claim_only), recorded.faults)
    partition = partition_of(examples, [record for _, record in recorded.records] if recorded else None)
    if partition:
        yield by_claim_only(partition)


# -- KILT and rankings -------------------------------------------------------------------------------------


def _score_kilt(request: _EvaluationRequest) -> PredictionScores:
    from veritab.evaluate.kilt import score_kilt

    gold = Path(request.gold)
    if gold != _STDIN and not gold.exists():
        raise NotFound(f"no file {request.gold!r}; for KILT give its gold as a file")
    return score_kilt(
        _read_records(request.predictions), _read_records(gold), request.at, name=_display_name(request.predictions)
    )


def _score_rankings(request: _EvaluationRequest) -> dict[str, Any]:
    from veritab.evaluate.rankings import rankings_in
    from veritab.evaluate.retrieval import judge_rankings

    data = open_data_set(request.gold, request.data, None)
    examples = list(data)
    ids = [example.claim.id for example in examples]
    read = rankings_in(
        _read_bytes(request.predictions),
        _display_name(request.predictions),
        ids,
        request.level,
        missing=request.missing.value,
        unknown=request.unknown.value,
        fever=data.task == "fever",
    )
    examples = [example for example in examples if example.claim.id in read.rankings]
    with _engine(request) as engine:
        judged = judge_rankings(examples, read.rankings, request.level, request.at, engine=engine)
    scores = judged.scores()
    if not scores.claims:
        raise InputError(
            f"none of the {len(examples):,} claims of the gold has annotated evidence at the level {request.level}, "
            "and unscored is not zero; choose another --level or another gold"
        )
    return {
        "task": "retrieval",
        **scores.as_dict(),
        "score": scores.metric("r_precision").value,
        **dict.fromkeys(("label_accuracy", "evidence_precision", "evidence_recall", "evidence_f1")),
        "slices": _ranking_slices(judged),
        "notes": [*_gold_notes(data), *read.notes, *_left_out(scores)],
    }


def _left_out(scores: RetrievalScores) -> Iterator[str]:
    if scores.left_out:
        yield f"{counted(scores.left_out, 'claim')} left out: without annotated evidence at the level {scores.level}"


def _ranking_slices(judged: JudgedRankings) -> dict[str, Any]:
    from veritab.evaluate.slices import SLICINGS

    slices: dict[str, Any] = {}
    for slicing in SLICINGS:
        groups = judged.slices(slicing.of)
        scored = {name: groups[name].as_dict() for name in slicing.in_order(groups) if groups[name].claims}
        if len(scored) > 1:
            slices[slicing.name] = {
                name: {"n": group_scores["n"], **group_scores["figures"], "intervals": group_scores["intervals"]}
                for name, group_scores in scored.items()
            }
    return slices


# -- showing -----------------------------------------------------------------------------------------------

_SHOWN_IN_SLICES = ("score", "label_accuracy", "macro_f1", "evidence_precision", "evidence_recall", "evidence_f1")


def _print_result(result: Mapping[str, Any]) -> None:
    level = f" ({result['level']})" if "level" in result else ""
    _print_line(f"{result['task']}{level}: {counted(result['n'], 'claim')}", "bold")
    rows = [("", "value", "95 % interval")]
    for name, value in result["figures"].items():
        interval = result["intervals"][name]
        rows.append((name, f"{value:.4f}", f"{interval['low']:.4f} to {interval['high']:.4f}"))
    _print_rows(rows)
    for by, groups in result["slices"].items():
        _print_line("")
        _print_line(f"by {by.replace('_', ' ')}", "bold")
        _print_rows(list(_slice_rows(groups)))


def _slice_rows(groups: Mapping[str, Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    first = next(iter(groups.values()))
    shown = [name for name in _SHOWN_IN_SLICES if any(name in group for group in groups.values())]
    shown = shown or [name for name in first if name not in ("n", "intervals")][-4:]
    yield ("", "claims", *shown)
    for name, group in groups.items():
        yield (name, f"{group['n']:,}", *(f"{group[key]:.4f}" if key in group else "-" for key in shown))


def _print_rows(rows: Sequence[Sequence[str]]) -> None:
    """Columns: the first to the left, the others to the right."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        _print_line("  ".join(cells).rstrip(), "dim" if number == 0 else "")


def _print_line(text: str, style: str = "") -> None:
    answer.print(Text(text, style=style), soft_wrap=True)
