"""The command that answers the claims of a data set and scores the answers: a folder to be compared with others."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from veritab.cli.check import Config, Model
from veritab.cli.corpus import Corpus
from veritab.cli.data import Data
from veritab.cli.evaluated import print_run, run_as_json
from veritab.cli.output import Json, counted, print_json, talk, watched
from veritab.cli.streams import answering
from veritab.errors import InputError, VeritabError
from veritab.files import refuse_missing_folder
from veritab.runs import check_all, open_run
from veritab.runs.runs import Run, refuse_foreign

if TYPE_CHECKING:
    from veritab.evaluate.runs import EvaluatedRun, Questions
    from veritab.evaluate.stages import Stages
    from veritab.pipeline import Checker
    from veritab.settings import Settings


class Told(Enum):
    """Which stage is told the answer."""

    pages = "pages"
    evidence = "evidence"
    labels = "labels"


Task = Enum("Task", {name: name for name in ("fever", "feverous", "fm2", "faviq")})  # type: ignore[misc]


def run_dataset(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="A data set by name, or a file of claims with labels.")
    ],
    into: Annotated[
        Path, typer.Option("--into", metavar="DIR", help="The folder that becomes the run.", show_default=False)
    ],
    corpus: Corpus = None,
    config: Config = None,
    model: Model = None,
    selector: Annotated[
        str | None,
        typer.Option(
            "--selector",
            metavar="NAME|FOLDER|none",
            help="The model that selects evidence; none leaves it to words and numbers.",
            show_default=False,
        ),
    ] = None,
    task: Annotated[
        Task | None, typer.Option("--task", help="How to score; told from the data when not given.")
    ] = None,
    at_most: Annotated[
        int | None,
        typer.Option("--at-most", metavar="N", min=1, help="Only the first so many claims.", show_default=False),
    ] = None,
    oracle: Annotated[
        Told | None,
        typer.Option("--oracle", help="Tell one stage the answer, to see what it costs.", show_default=False),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            "--answers",
            metavar="DIR|FILE",
            help="Score answers that are there: a run of check --into, or any system's file of predictions.",
            show_default=False,
        ),
    ] = None,
    missing_wrong: Annotated[
        bool, typer.Option("--missing-wrong", help="With --answers, claims without one count as wrong.")
    ] = False,
    tag: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="NAME=VALUE", help="Note something about the run, e.g. trained_on=1000."),
    ] = None,
    stages: Annotated[
        Path | None,
        typer.Option(
            "--stages",
            metavar="DIR",
            help="Where runs share what was found; a folder named stages beside the run when not given.",
            show_default=False,
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Look for everything anew, and share nothing.")] = False,
    data: Data = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a run that was stopped, where it was.")] = False,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a report with every error to it.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer the claims of a data set, score the answers, and keep both as a run.

    The folder has the settings, versions and hashes (run.json), the answers (results.jsonl, predictions.jsonl), the
    scores (scores.json), and for each claim what became of it and where a wrong answer went wrong (claims.jsonl).
    `veritab compare` sets runs side by side. A run can be stopped at any moment, and --resume goes on with it.
    Certificates are not worked out, since nobody reads those of a whole data set.
    """
    with answering():
        refuse_missing_folder(html)
        questions = _questions(dataset, data, task.value if task else None, at_most)
        told = {"oracle": oracle.value if oracle else None, "tags": _tags(tag or [])}
        if answers is not None:
            if oracle:
                raise InputError("--answers scores what is there already; leave out --oracle")
            run = _take(answers, into, questions, told, "wrong" if missing_wrong else "fail", resume=resume)
        else:
            kept = None if fresh else stages or into.absolute().parent / "stages"
            run = _check(_Work(questions, into, corpus, _settings(config, model, selector), kept, told, resume))
        if html is not None:
            _report(run, html, corpus)
        if as_json:
            print_json(run_as_json(run))
        else:
            print_run(run, html)


def _questions(dataset: str, folder: Path | None, task: Any, at_most: int | None) -> Questions:
    from veritab import datasets
    from veritab.evaluate.runs import Questions

    data = datasets.load(dataset, data=folder, task=task)
    questions = Questions(data, at_most)
    with talk.status("reading the claims"):
        record = questions.record
    if at_most is None and data.problems:
        first = data.problems[0]
        talk.print(
            f"{counted(len(data.problems), 'problem')} in {first.page}, the first in {first.where}: {first.what}; "
            f"{record['claims']:,} claims are left",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
    return questions


def _tags(given: Sequence[str]) -> dict[str, str]:
    tags = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(f"--tag {each!r} is no note; write it as NAME=VALUE, e.g. trained_on=1000")
        tags[name.strip()] = value.strip()
    return tags


def _settings(config: Path | None, model: str | None, selector: str | None) -> Settings:
    from veritab.settings import Settings

    settings = Settings.read(config) if config else Settings()
    changes = {"check.certificate": False, "verify.model": model, "select.model": selector}
    return settings.replaced({name: value for name, value in changes.items() if value is not None})


# -- answering here ----------------------------------------------------------------------------------------


class _Work(NamedTuple):
    """What is to be answered, how, and where it is kept."""

    questions: Questions
    into: Path
    corpus: Path | None
    settings: Settings
    stages: Path | None
    told: dict[str, Any]
    resume: bool


def _check(work: _Work) -> EvaluatedRun:
    from veritab.evaluate.runs import score_run, write_predictions
    from veritab.pipeline import Checker
    from veritab.settings import record

    refuse_foreign(work.into)
    with ExitStack() as stack:
        with talk.status("opening the corpus"):
            checker = stack.enter_context(Checker.open(work.corpus, work.settings))
            recorded = {**work.questions.record, **work.told, **_places(work), **record(checker)}
        kept = _opened_stages(stack, work, checker)
        run = stack.enter_context(open_run(work.into, recorded, work.questions.asked(), resume=work.resume))
        _answer(run, work, checker)
        with talk.status("scoring"):
            write_predictions(run.folder, work.questions.task)
            scored = score_run(run.folder, work.questions, checker.store)
        if kept and kept.found and talk.is_terminal:
            talk.print(f"{kept.found:,} of {kept.found + kept.made:,} answers of stages were there from other runs")
        return scored


def _places(work: _Work) -> dict[str, str | None]:
    """Where things were, for people: whether two runs can be compared rests on hashes."""
    folder = str(work.corpus.absolute()) if work.corpus else None
    return {"file": str(work.questions.data.path.absolute()), "folder": folder}


def _opened_stages(stack: ExitStack, work: _Work, checker: Checker) -> Stages | None:
    from veritab.evaluate.oracle import Oracle, prepared
    from veritab.evaluate.stages import open_stages

    kept = stack.enter_context(open_stages(work.stages, checker.store)) if work.stages else None
    oracle = Oracle(work.told["oracle"]) if work.told["oracle"] else None
    checker.pipeline = prepared(checker, oracle, work.questions, kept)
    return kept


def _answer(run: Run, work: _Work, checker: Checker) -> None:
    total, before = work.questions.record["claims"], run.done
    if before:
        talk.print(f"{before:,} of {counted(total, 'claim')} were answered before", markup=False)
    batches = check_all(work.questions.asked(), checker, done=before) if before < total else ()
    try:
        for batch in watched("answering", batches, total, before):
            run.append(batch)
    except (KeyboardInterrupt, VeritabError) as error:
        _tell_how_to_go_on(run, total)
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(130) from None
        raise


def _tell_how_to_go_on(run: Run, total: int) -> None:
    words = ["veritab", *sys.argv[1:], *(() if "--resume" in sys.argv else ("--resume",))]
    talk.print(
        f"stopped; {run.done:,} of {counted(total, 'claim')} are answered and kept; go on with:\n  {shlex.join(words)}",
        markup=False,
        soft_wrap=True,
    )


# -- answers that are there --------------------------------------------------------------------------------


def _take(
    answers: Path,
    into: Path,
    questions: Questions,
    told: dict[str, Any],
    missing: Literal["fail", "wrong"],
    *,
    resume: bool,
) -> EvaluatedRun:
    from veritab.evaluate.taking import take_answers

    with talk.status("scoring"):
        return take_answers(answers, into, questions, told, missing, resume=resume)


def _report(run: EvaluatedRun, html: Path, corpus: Path | None) -> None:
    from veritab.evaluate.report import write_report

    with talk.status("drawing the report"):
        write_report([run], html, corpus=corpus)
