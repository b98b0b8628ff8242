"""The command that answers the claims of a data set and scores the answers: a folder to be compared with others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from enum import Enum
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from veritab.cli.cluster import cluster_over_corpus, describe_workers
from veritab.cli.data import Data
from veritab.cli.evaluated import print_run, run_as_json
from veritab.cli.kept_runs import print_failed, print_how_to_resume
from veritab.cli.options import Cluster, Config, Corpus, Model, Profile, read_settings
from veritab.cli.output import Json, counted, print_json, talk, watched
from veritab.errors import InputError, VeritabError
from veritab.files import refuse_missing_folder
from veritab.runs import CheckerFactory, open_run
from veritab.runs.checking import AnswerLine, ClaimBatch, batches_with, remaining_batches
from veritab.runs.run import Run, refuse_foreign

if TYPE_CHECKING:
    from veritab.evaluate.scored_runs import ScoredRun
    from veritab.pipeline import Checker
    from veritab.runs.labelled import LabelledClaims
    from veritab.runs.stages import StageCache
    from veritab.scale.cluster import ClusterEngine
    from veritab.settings import Settings


class OracleChoice(Enum):
    """Which stage is replaced by the gold answer."""

    pages = "pages"
    evidence = "evidence"
    labels = "labels"


Task = Enum("Task", {name: name for name in ("fever", "feverous", "fm2", "faviq")})  # type: ignore[misc]


def run_dataset(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="A data set by name, or a file of claims with labels.")
    ],
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="The folder of the run.", show_default=False)],
    corpus: Corpus = None,
    config: Config = None,
    profile: Profile = None,
    model: Model = None,
    selector: Annotated[
        str | None,
        typer.Option(
            "--selector",
            metavar="NAME|FOLDER|none",
            help="The model that selects evidence; none selects by words and numbers.",
            show_default=False,
        ),
    ] = None,
    task: Annotated[
        Task | None, typer.Option("--task", help="How to score; detected from the data when not given.")
    ] = None,
    at_most: Annotated[
        int | None,
        typer.Option("--at-most", metavar="N", min=1, help="Only the first N claims.", show_default=False),
    ] = None,
    oracle: Annotated[
        OracleChoice | None,
        typer.Option("--oracle", help="Give one stage the gold answer, to see what it costs.", show_default=False),
    ] = None,
    answers: Annotated[
        Path | None,
        typer.Option(
            "--answers",
            metavar="DIR|FILE",
            help="Score existing answers: a run of check --into, or any system's file of predictions.",
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
            help="Where runs share cached stages; a folder named stages beside the run when not given.",
            show_default=False,
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Retrieve everything anew, and share nothing.")] = False,
    data: Data = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume a run that was stopped.")] = False,
    cluster: Cluster = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write a report with every error to it.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer the claims of a data set, score the answers, and keep both as a run.

    The folder has the settings, versions and hashes (run.json), the answers (results.jsonl, predictions.jsonl), the
    scores (scores.json), and the outcome of each claim with the stage at fault (claims.jsonl).
    `veritab compare` compares runs. A run can be stopped at any moment and resumed with --resume.
    A claim that cannot be answered is named in failed.jsonl, the others go on, and --resume tries it again; there are
    no scores until every claim has an answer.
    Certificates are left out, since nobody reads those of a whole data set; all evidence is named that the official
    scores count. With --cluster the claims are answered there; cached stages travel with them, and one process writes.
    """
    refuse_missing_folder(html)
    claims = _open_claims(dataset, data, task.value if task else None, at_most)
    tags_record = {"oracle": oracle.value if oracle else None, "tags": _tags(tag or [])}
    if answers is not None:
        if oracle:
            raise InputError("--answers scores existing answers; leave out --oracle")
        if cluster:
            raise InputError("--answers scores existing answers, which takes seconds; leave out --cluster")
        run = _import_answers(answers, into, claims, tags_record, "wrong" if missing_wrong else "fail", resume=resume)
    else:
        kept = None if fresh else stages or into.absolute().parent / "stages"
        changes = {
            "check.certificate": False,
            "check.evidence": "official",
            "verify.model": model,
            "select.model": selector,
        }
        settings = read_settings(config, profile, changes)
        run = _check_claims(_RunRequest(claims, into, corpus, settings, kept, tags_record, resume, cluster))
    if html is not None:
        _report(run, html, corpus)
    if as_json:
        print_json(run_as_json(run))
    else:
        print_run(run, html)


def _open_claims(dataset: str, folder: Path | None, task: Any, at_most: int | None) -> LabelledClaims:
    from veritab import datasets
    from veritab.runs.labelled import LabelledClaims

    data = datasets.load(dataset, data=folder, task=task)
    claims = LabelledClaims(data, at_most)
    with talk.status("reading the claims"):
        record = claims.record
    if at_most is None and data.problems:
        first = data.problems[0]
        talk.print(
            f"{counted(len(data.problems), 'problem')} in {first.page}, the first in {first.where}: {first.what}; "
            f"{record['claims']:,} claims are left",
            style="yellow",
            markup=False,
            soft_wrap=True,
        )
    return claims


def _tags(given: Sequence[str]) -> dict[str, str]:
    tags = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise InputError(f"--tag {each!r} is not a tag; write it as NAME=VALUE, e.g. trained_on=1000")
        tags[name.strip()] = value.strip()
    return tags


# -- checking ----------------------------------------------------------------------------------------------


class _RunRequest(NamedTuple):
    """What to check, how, and where to keep it."""

    claims: LabelledClaims
    into: Path
    corpus: Path | None
    settings: Settings
    stages: Path | None
    tags_record: dict[str, Any]
    resume: bool
    cluster: str | None


def _check_claims(work: _RunRequest) -> ScoredRun:
    from veritab.evaluate.scored_runs import score_run, write_predictions
    from veritab.pipeline import Checker
    from veritab.runs.stages import open_stage_cache
    from veritab.settings import record

    refuse_foreign(work.into)
    with ExitStack() as stack:
        # The cluster comes first: where there is none, no run is begun.
        engine = stack.enter_context(cluster_over_corpus(work.cluster, work.corpus)) if work.cluster else None
        with talk.status("opening the corpus"):
            checker = stack.enter_context(Checker.open(work.corpus, work.settings))
            recorded = {**work.claims.record, **work.tags_record, **_paths(work), **record(checker)}
        kept = stack.enter_context(open_stage_cache(work.stages, checker.store)) if work.stages else None
        run = stack.enter_context(open_run(work.into, recorded, work.claims.claim_records(), resume=work.resume))
        _answer_claims(run, work, checker, kept, engine)
        with talk.status("scoring"):
            write_predictions(run.folder, work.claims.task)
            scored = score_run(run.folder, work.claims, checker.store)
        if kept and kept.hits and talk.is_terminal:
            talk.print(f"{kept.hits:,} of {kept.hits + kept.misses:,} stage outputs were cached by other runs")
        return scored


def _paths(work: _RunRequest) -> dict[str, str | None]:
    """Paths, for people: whether two runs can be compared is decided by hashes."""
    folder = str(work.corpus.absolute()) if work.corpus else None
    return {"file": str(work.claims.data.path.absolute()), "folder": folder}


def _answer_claims(
    run: Run, work: _RunRequest, checker: Checker, stages: StageCache | None, engine: ClusterEngine | None
) -> None:
    """Answer what is left, then once more what failed before; the run ends here where claims failed."""
    total, before, failed_before = work.claims.record["claims"], run.done, frozenset(run.failed)
    if before:
        failed = f"; {len(failed_before):,} of them failed and will be tried again" if failed_before else ""
        talk.print(f"{before:,} of {counted(total, 'claim')} were answered before{failed}", markup=False)
    records = work.claims.claim_records
    try:
        if before < total or failed_before:
            answer, beside = _answering(work, checker, stages, engine), partial(describe_workers, engine)
            for answers in watched("answering", answer(remaining_batches(records(), before)), total, before, beside):
                run.append(answers)
            if failed_before:
                again = batches_with(records(), failed_before)
                answered = watched("answering again", answer(map(ClaimBatch, again)), sum(map(len, again)), 0, beside)
                pairs = zip(chain.from_iterable(again), chain.from_iterable(answered), strict=True)
                run.replace_failed(records(), pairs)
    except (KeyboardInterrupt, VeritabError) as error:
        print_how_to_resume(run, total, "answered")
        if isinstance(error, KeyboardInterrupt):
            raise typer.Exit(130) from None
        raise
    if run.failed:
        print_failed(run)
        talk.print("the other answers are kept; there are no scores until every claim has one", soft_wrap=True)
        raise typer.Exit(1)


def _answering(
    work: _RunRequest, checker: Checker, stages: StageCache | None, engine: ClusterEngine | None
) -> Callable[[Iterable[ClaimBatch]], Iterator[list[AnswerLine]]]:
    """What answers batches: this process, or the workers of a cluster."""
    from veritab.runs.answering import answer_here, answer_on_engine
    from veritab.runs.oracle import Oracle

    oracle = Oracle(work.tags_record["oracle"]) if work.tags_record["oracle"] else None
    if engine is None:
        return lambda batches: answer_here(work.claims, batches, checker, oracle, stages)
    opening = CheckerFactory(work.corpus, work.settings).for_worker(engine.cores)
    return lambda batches: answer_on_engine(work.claims, batches, checker, opening, engine, oracle, stages)


# -- existing answers --------------------------------------------------------------------------------------


def _import_answers(
    answers: Path,
    into: Path,
    claims: LabelledClaims,
    tags_record: dict[str, Any],
    missing: Literal["fail", "wrong"],
    *,
    resume: bool,
) -> ScoredRun:
    from veritab.evaluate.importing import import_answers

    with talk.status("scoring"):
        return import_answers(answers, into, claims, tags_record, missing, resume=resume)


def _report(run: ScoredRun, html: Path, corpus: Path | None) -> None:
    from veritab.evaluate.report import write_report

    with talk.status("drawing the report"):
        write_report([run], html, corpus=corpus)
