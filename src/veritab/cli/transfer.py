"""`veritab transfer`: train on one data set, then on another, test on others: a grid in three steps."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from veritab.cli.data import Data
from veritab.cli.output import Json, answer, counted, print_json, progress_bar, talk
from veritab.datasets import data_folder, find_data_folder
from veritab.errors import InputError, NotFound
from veritab.train import need
from veritab.train.transfer import STEPS
from veritab.train.transfer.grid import SETS, TransferGrid, TransferRun, make_grid, read_grid, split_names

if TYPE_CHECKING:
    from veritab.train.transfer.reporting import TransferReport

_MEASURE = "accuracy"


def transfer(
    grid: Annotated[
        Path | None,
        typer.Argument(metavar="[GRID]", help="A TOML file whose keys are the options below.", show_default=False),
    ] = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="RUN", help="The folder of the grid; steps go on from it.")
    ] = None,
    train: Annotated[
        list[str] | None,
        typer.Option(
            "--train",
            metavar="SET,...",
            help="Sets to train on: fever, vitaminc, fm2, infotabs, or files; 'A > B' is A, then B, 'A + B' both.",
            show_default=False,
        ),
    ] = None,
    then: Annotated[
        list[str] | None,
        typer.Option("--then", metavar="SET,...", help="Also go on from each with these sets.", show_default=False),
    ] = None,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="SET,...", help="Sets to test every model on.", show_default=False),
    ] = None,
    built: Annotated[
        list[str] | None,
        typer.Option(
            "--built",
            metavar="NAME=FILE",
            help="Built claims that every training is also done with; repeatable.",
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file", metavar="NAME=FILE", help="A file of claims to train or test on; repeatable.", show_default=False
        ),
    ] = None,
    added: Annotated[
        list[str] | None,
        typer.Option(
            "--added", metavar="WAY,...", help="Built claims come before the first stage or beside it: before, beside."
        ),
    ] = None,
    nei: Annotated[
        list[str] | None,
        typer.Option(
            "--nei", metavar="WAY,...", help="NOT ENOUGH INFO is kept, or merged into REFUTES; both by default."
        ),
    ] = None,
    seeds: Annotated[int | None, typer.Option("--seeds", metavar="N", help="Models of each kind (1).", min=1)] = None,
    at_most: Annotated[
        int | None, typer.Option("--at-most", metavar="N", help="Examples of each set (30,000).", min=1)
    ] = None,
    epochs: Annotated[float | None, typer.Option("--epochs", metavar="N", help="Epochs of each stage (3).")] = None,
    rate: Annotated[float | None, typer.Option("--rate", metavar="N", help="The learning rate (1e-4).")] = None,
    batch: Annotated[int | None, typer.Option("--batch", metavar="N", help="Examples of a step (64).", min=1)] = None,
    data: Data = None,
    corpus: Annotated[
        Path | None,
        typer.Option(
            "--corpus",
            "-c",
            metavar="DIR",
            help="The corpus with the text of evidence that files only name.",
            show_default=False,
        ),
    ] = None,
    base: Annotated[
        Path | None,
        typer.Option("--base", metavar="DIR", help="The encoder to start from: its folder, or one that holds it."),
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", metavar="STEP", help="One step alone: prepare, fit or report.")
    ] = None,
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="Fit on cpu or cuda; cuda where there is one.")
    ] = None,
    processes: Annotated[
        int, typer.Option("--processes", metavar="N", help="Models that are fitted side by side.", min=1, max=64)
    ] = 1,
    measure: Annotated[
        str,
        typer.Option(
            "--measure",
            metavar="NAME",
            help="What the table shows: accuracy, macro_f1, gamma, gamma_accuracy or gamma_macro_f1.",
        ),
    ] = _MEASURE,
    as_json: Json = False,
) -> None:
    """Train on one set, then on another, test on others, with and without built claims: one grid with intervals.

    RUN/prepared holds the sets as tokens: it and the encoder are all that fitting needs. RUN/answers has what the
    models say of the tested claims, RUN/report.json all scores. Pages that are tested are held out of all training.
    """
    given = {
        "train": split_names(train or ()),
        "then": split_names(then or ()),
        "test": split_names(test or ()),
        "built": _named_files(built or (), "--built"),
        "files": _named_files(file or (), "--file"),
        "added": split_names(added or ()),
        "nei": split_names(nei or ()),
        "seeds": seeds,
        "at_most": at_most,
        "epochs": epochs,
        "rate": rate,
        "batch": batch,
    }
    told = {name: value for name, value in given.items() if value not in (None, (), {})}
    if into is None:
        raise InputError("say which folder the grid goes into, with --into RUN")
    if only is not None and only not in STEPS:
        raise InputError(f"no step {only!r}; expected one of {', '.join(STEPS)}")
    if device not in (None, "cpu", "cuda"):
        raise InputError(f"no device {device!r}; expected cpu or cuda")
    if into.is_file():
        raise InputError(f"{str(into)!r} is a file; give a folder")
    steps = (only,) if only else STEPS
    if "prepare" not in steps and (told or grid):
        raise InputError(f"the grid in {str(into)!r} is prepared; to change it, prepare it again")
    _check_measure(measure)
    run = TransferRun(into)
    for step in steps:
        if step != "report":
            need(step)
    if "prepare" in steps:
        described = make_grid({**(read_grid(grid) if grid else {}), **told})
        missing = [path for path in described.named_files.values() if not Path(path).is_file()]
        if missing:
            raise NotFound(f"no file {missing[0]!r}; give a path that exists")
        named = any(name in SETS for name in (*described.trained_sets, *described.test))
        folder = data_folder(data) if named else find_data_folder(data)
        _prepare(described, run, folder, corpus, base, as_json=as_json)
    if "fit" in steps:
        _fit(run, base, device, processes, as_json=as_json)
    if "report" in steps:
        _report(run, measure, as_json=as_json)


def _named_files(values: Iterable[str], option: str) -> dict[str, str]:
    found = {}
    for value in values:
        name, equals, path = value.partition("=")
        if not (name and equals and path):
            raise InputError(f"{option} is {value!r}; expected NAME=FILE, e.g. {option} mutated=built.jsonl")
        found[name] = path
    return found


def _check_measure(measure: str) -> None:
    from veritab.train.transfer.reporting import MEASURES

    if measure not in MEASURES:
        raise InputError(f"no measure {measure!r}; expected one of {', '.join(MEASURES)}")


def _prepare(
    grid: TransferGrid, run: TransferRun, data: Path | None, corpus: Path | None, base: Path | None, *, as_json: bool
) -> None:
    from veritab.corpus import open_corpus
    from veritab.train.transfer.preparing import prepare_grid

    with ExitStack() as stack:
        store = open_corpus(corpus) if corpus else None
        if store:
            stack.callback(store.close)
        total = len(grid.trained_sets) + 2 * len(grid.test)
        bar, task = stack.enter_context(progress_bar("preparing", total=total))
        manifest = prepare_grid(
            grid,
            run,
            data=data,
            base=base,
            corpus=store,
            report=lambda name, count: bar.update(task, advance=1, note=f"{name}: {count:,}"),
        )
    models = len(list(grid.models()))
    if as_json:
        print_json({"event": "prepared", "models": models, **manifest})
        return
    for each in manifest["sources"].values():
        talk.print(Text(_told_set(each)), soft_wrap=True)
    talk.print(f"prepared {counted(models, 'model')} in {run.prepared}", markup=False, soft_wrap=True)


def _told_set(each: dict[str, Any]) -> str:
    labels = ", ".join(f"{count:,} {label}" for label, count in each["labels"].items() if count)
    why = "; ".join(f"{reason} {count:,}" for reason, count in each["left_out"].items())
    return f"  {each['source']}: {each['examples']:,} ({labels}){f'; left out: {why}' if why else ''}"


def _fit(run: TransferRun, base: Path | None, device: str | None, processes: int, *, as_json: bool) -> None:
    from veritab.train.transfer.fitting import fit_grid

    with progress_bar("fitting", total=None) as (bar, task):
        for event in fit_grid(run, base=base, device=device, processes=processes):
            if as_json:
                print_json(event)
            elif event["event"] == "start":
                bar.update(task, total=event["models"])
            else:
                bar.update(task, completed=event["done"], note=event["model"])
                talk.print(
                    f"{event['done']} of {event['of']}: {event['model']} ({event['seconds']} s)",
                    markup=False,
                    soft_wrap=True,
                )


def _report(run: TransferRun, measure: str, *, as_json: bool) -> None:
    from veritab.train.transfer.reporting import report_grid, write_report

    with talk.status("scoring"):
        report = report_grid(run)
    write_report(report, run.report)
    if as_json:
        print_json({"event": "report", **report.as_dict()})
        return
    _print_report(report, measure)


def _print_report(report: TransferReport, measure: str) -> None:
    from veritab.train.transfer.reporting import MEASURES, effect_rows, summary_lines, table_rows

    for nei in report.grid.nei:
        _print_rows(f"{MEASURES[measure]}, NEI {nei}", table_rows(report, nei, measure))
    answer.print("* trained on another part of the set; [95 % bootstrap interval over claims]", markup=False)
    told = [each for each in report.effects if each.outcome != "no difference"]
    if told:
        _print_rows("where built claims make a difference", effect_rows(told))
    for line in summary_lines(report):
        answer.print(line, markup=False, soft_wrap=True)


def _print_rows(title: str, rows: list[list[str]]) -> None:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for number, name in enumerate(rows[0]):
        table.add_column(Text(name), no_wrap=True, justify="left" if number == 0 else "right")
    for row in rows[1:]:
        table.add_row(*map(Text, row))
    answer.print(table, soft_wrap=True)
    answer.print()
