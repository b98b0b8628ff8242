"""An evaluated run: a folder with what was asked and how, what was answered, and what the answers are worth.

    RUN/run.json            settings, versions, hashes of models and corpus, and of the claims and their gold
    RUN/results.jsonl       one verdict a line, as `veritab check --into` keeps them
    RUN/predictions.jsonl   the same as the task's own scorer reads them; of other systems this alone is there
    RUN/scores.json         every figure with its interval, in all and by slices
    RUN/claims.jsonl        what became of each claim, and where a wrong answer went wrong

The gold is hashed by what it says, not by its bytes: a file that was packed or written anew is the same data.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import orjson

from veritab.errors import FormatError, InputError, NotFound
from veritab.evaluate.attribution import Answer, Attribution, Fault, attribute
from veritab.evaluate.figures import Figure
from veritab.evaluate.predictions import Missing, Prediction, Task, read_predictions
from veritab.evaluate.scores import Figures, Row, score
from veritab.evaluate.slices import SLICINGS, TableRows, by_table_size
from veritab.files import replacing, write_whole
from veritab.render.json import verdict_from_json
from veritab.render.predictions import Fever, Feverous
from veritab.render.tables import tables_of
from veritab.runs import Asked, read_results
from veritab.runs.runs import RECORD, RESULTS, read_record
from veritab.schema import ElementId, Example, Label, Verdict

if TYPE_CHECKING:
    from veritab.corpus import Corpus
    from veritab.datasets import DataSet

PREDICTIONS = "predictions.jsonl"
SCORES = "scores.json"
CLAIMS = "claims.jsonl"

_AGAIN = "make them again with the command that made the run, and --resume"

Slices: TypeAlias = Mapping[str, Mapping[str, Figures]]


# -- what is asked -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Questions:
    """The claims of a data set that a run answers: all of them, or the first so many."""

    data: DataSet
    at_most: int | None = None

    def __iter__(self) -> Iterator[Example]:
        return islice(self.data, self.at_most)

    def asked(self) -> Iterator[Asked]:
        """The claims without their answers."""
        return (Asked(number, each.claim.id, each.claim.text) for number, each in enumerate(self, 1))

    @property
    def task(self) -> Task:
        """How answers are scored."""
        if self.data.task == "claims":
            raise InputError(
                f"{self.data.name} is of no known task; say how to score it, e.g. --task faviq where labels are all"
            )
        return self.data.task

    @cached_property
    def record(self) -> dict[str, Any]:
        """What tells these claims and their gold from others; claims without a label cannot be scored."""
        count, claims, gold = 0, hashlib.sha256(), hashlib.sha256()
        for example in self:
            count += 1
            if example.label is None:
                raise InputError(
                    f"{self.data.name}: claim {example.claim.id!r} has no label, so answers to it cannot be scored; "
                    "check the file with veritab check --file instead"
                )
            claims.update(_claim_line(example.claim.id, example.claim.text))
            gold.update(orjson.dumps([example.claim.id, example.label, example.silver, _sets(example)]) + b"\n")
        if not count:
            raise InputError(f"{self.data.name} holds no claims; name another data set")
        return {
            "dataset": self.data.name,
            "task": self.task,
            "claims": count,
            "claims_sha256": claims.hexdigest(),
            "gold_sha256": gold.hexdigest(),
            "data_sha256": self.data.sha256,
        }


def _claim_line(id: str, text: str) -> bytes:
    return orjson.dumps([id, text]) + b"\n"


def _sets(example: Example) -> list[list[str]]:
    return [sorted(map(str, each)) for each in example.evidence]


# -- scoring -----------------------------------------------------------------------------------------------


class Result(NamedTuple):
    """What became of one claim in a run: a `Row` of its scores, and where a wrong answer went wrong."""

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
    """Write the verdicts of a run as the scorer of a task reads them."""
    written = _writer(task)
    with replacing(folder / PREDICTIONS) as file:
        for verdict in _verdicts(folder):
            file.write(orjson.dumps(written(verdict)) + b"\n")


def _writer(task: Task) -> Callable[[Verdict], dict[str, Any]]:
    if task == "fever":
        return Fever().prediction
    if task == "feverous":
        return Feverous().prediction
    return lambda verdict: {"id": verdict.claim.id, "predicted_label": verdict.label.value}


def _verdicts(folder: Path) -> Iterator[Verdict]:
    return map(verdict_from_json, read_results(folder / RESULTS))


def score_run(
    folder: Path, questions: Questions, corpus: Corpus | None = None, missing: Missing = "fail"
) -> EvaluatedRun:
    """Score the predictions of a run, say of each claim what became of it, and keep both.

    A corpus knows the sizes of tables; `missing` says what claims without a prediction are.
    """
    examples = list(questions)
    ids = [example.claim.id for example in examples]
    predictions = read_predictions(folder / PREDICTIONS, questions.task, ids, missing=missing)
    slicings = (*SLICINGS, by_table_size(_table_rows(corpus))) if corpus is not None else SLICINGS
    scores = score(examples, predictions, questions.task, slicings=slicings)
    results = _results(examples, predictions, scores.rows, _read_pages(folder), questions.task)
    with replacing(folder / CLAIMS) as file:
        for result in results:
            file.write(orjson.dumps(result._asdict()) + b"\n")
    told = {"task": questions.task, "n": scores.n, "figures": _told(scores.figures), "slices": _slices(scores.slices)}
    write_whole(folder / SCORES, orjson.dumps(told, option=orjson.OPT_INDENT_2) + b"\n")
    return open_evaluated(folder)


def _table_rows(corpus: Corpus) -> TableRows:
    find = tables_of(corpus)

    def rows(id: ElementId) -> int | None:
        table = find(id)
        return None if table is None else len(table.rows)

    return rows


def _read_pages(folder: Path) -> dict[str, Sequence[str]]:
    """The pages that were read for each claim, where the verdicts tell them."""
    if not (folder / RESULTS).exists():
        return {}
    return {
        str(result["id"]): list(result.get("corpus", {}).get("read", ())) for result in read_results(folder / RESULTS)
    }


def _results(
    examples: Sequence[Example],
    predictions: Sequence[Prediction],
    rows: Sequence[Row],
    read: Mapping[str, Sequence[str]],
    task: Task,
) -> Iterator[Result]:
    for example, prediction, row in zip(examples, predictions, rows, strict=True):
        answer = Answer(prediction.label, prediction.evidence, read.get(example.claim.id, ()))
        yield _result(example, row, attribute(example, answer, task))


def _result(example: Example, row: Row, attribution: Attribution) -> Result:
    assert example.label is not None
    return Result(
        example.claim.id,
        example.claim.text,
        example.label,
        row.predicted,
        row.right,
        row.strict,
        row.precision,
        row.recall,
        row.complete,
        row.share,
        row.named,
        row.pages,
        attribution.fault,
        tuple(map(str, attribution.missing)),
        tuple(map(tuple, _sets(example))),
        example.challenge,
    )


def _told(figures: Figures) -> dict[str, Any]:
    return {name: figure._asdict() for name, figure in figures.items()}


def _slices(slices: Slices) -> dict[str, Any]:
    return {by: {value: _told(figures) for value, figures in some.items()} for by, some in slices.items()}


# -- reading a run -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EvaluatedRun:
    """A run that was scored; its name is that of its folder, or more of the path where two would have one name."""

    name: str
    folder: Path
    record: Mapping[str, Any]
    figures: Figures
    slices: Slices
    results: tuple[Result, ...]

    def verdicts(self, ids: Iterable[str]) -> dict[str, Verdict]:
        """The verdicts on some claims; none where the run is another system's."""
        wanted = set(ids)
        if not (self.folder / RESULTS).exists():
            return {}
        return {
            str(result["id"]): verdict_from_json(result)
            for result in read_results(self.folder / RESULTS)
            if str(result["id"]) in wanted
        }

    def predicted_evidence(self, ids: Iterable[str]) -> dict[str, tuple[ElementId, ...]]:
        """The evidence that was named for some claims."""
        wanted = set(ids)
        every = [each.id for each in self.results]
        read = read_predictions(self.folder / PREDICTIONS, self.record["task"], every, missing="wrong")
        return {each.id: each.evidence for each in read if each.id in wanted}


def open_evaluated(folder: Path) -> EvaluatedRun:
    """A run that was scored, as it lies in its folder."""
    record = _record(folder)
    if not (folder / SCORES).is_file() or not (folder / CLAIMS).is_file():
        done = sum(1 for _ in read_results(folder / RESULTS)) if (folder / RESULTS).exists() else 0
        raise InputError(
            f"the run in {str(folder)!r} is not finished: {done:,} of its {record['claims']:,} claims are answered; "
            "give the command that began it again, with --resume"
        )
    scores = _json(folder / SCORES, (folder / SCORES).read_bytes())
    try:
        figures = _read_figures(scores["figures"])
        slices = {
            by: {value: _read_figures(each) for value, each in some.items()} for by, some in scores["slices"].items()
        }
        with (folder / CLAIMS).open("rb") as lines:
            results = tuple(_read_result(_json(folder / CLAIMS, line)) for line in lines)
        if len(results) != record["claims"]:
            raise ValueError(f"{len(results):,} claims are there, and {record['claims']:,} were asked")
        claims = b"".join(_claim_line(result.id, result.claim) for result in results)
        if hashlib.sha256(claims).hexdigest() != record["claims_sha256"]:
            raise ValueError("they are of other claims than were asked")
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(
            f"the scores in {str(folder)!r} cannot be read ({type(error).__name__}: {error}); {_AGAIN}"
        ) from None
    return EvaluatedRun(folder.resolve().name, folder, record, figures, slices, results)


def open_all(folders: Sequence[Path]) -> list[EvaluatedRun]:
    """Several runs, each under a name of its own."""
    runs = [open_evaluated(folder) for folder in folders]
    paths = [run.folder.resolve() for run in runs]
    for path in paths:
        if paths.count(path) > 1:
            raise InputError(f"{str(path)!r} was given twice; give each run once")
    parts = 1
    while len({path.parts[-parts:] for path in paths}) < len(paths):
        parts += 1
    return [replace(run, name="/".join(path.parts[-parts:])) for run, path in zip(runs, paths, strict=True)]


def _record(folder: Path) -> dict[str, Any]:
    if not (folder / RECORD).is_file():
        raise NotFound(f"{str(folder)!r} holds no run; make one with: veritab run DATASET --into {folder}")
    record = read_record(folder)
    if "gold_sha256" not in record:
        raise InputError(
            f"the run in {str(folder)!r} has answers but no gold to score them by; score them with: "
            f"veritab run DATASET --answers {folder} --into ANOTHER"
        )
    return record


def _json(file: Path, data: bytes) -> dict[str, Any]:
    try:
        read = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{str(file)!r} is damaged ({error}); {_AGAIN}") from None
    if not isinstance(read, dict):
        raise FormatError(f"{str(file)!r} is damaged; {_AGAIN}")
    return read


def _read_figures(told: Mapping[str, Any]) -> dict[str, Figure]:
    return {name: Figure(**figure) for name, figure in told.items()}


def _read_result(told: dict[str, Any]) -> Result:
    predicted = told["predicted"]
    return Result(
        **{
            **{name: told[name] for name in Result._fields},
            "gold": Label(told["gold"]),
            "predicted": None if predicted is None else Label(predicted),
            "fault": Fault(told["fault"]),
            "missing": tuple(told["missing"]),
            "evidence": tuple(map(tuple, told["evidence"])),
        }
    )
