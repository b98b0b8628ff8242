"""`veritab data`: which data sets there are, which are on this machine, and whether their files are whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from veritab.cli.commands import Group
from veritab.cli.output import Json, answer, counted, print_json, progress_bar, talk
from veritab.datasets import REGISTRY, TASKS, DataSet, RegisteredDataSet, Task, find_data_folder, load
from veritab.datasets.file_check import GOOD, FileCheck, check_file
from veritab.datasets.registry import SET_DATA_FOLDER
from veritab.errors import InputError

Data = Annotated[
    Path | None,
    typer.Option(
        "--data",
        metavar="DIR",
        help="The folder of data sets; else the one that VERITAB_DATA names.",
    ),
]
Check = Annotated[
    bool, typer.Option("--check", help="Read every file here, compare it with what is known; exit 3 if one differs.")
]
_WIDE = 140
_MOST_LISTED = 10
_GATE_FAILED = 3

group = typer.Typer(
    name="data",
    cls=Group,
    help="List the data sets, read them, count them, split them and write them in other forms.",
    add_completion=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


@group.callback(invoke_without_command=True)
def _group(context: typer.Context, data: Data = None, check: Check = False, as_json: Json = False) -> None:
    """List the data sets, read them, count them, split them and write them in other forms.

    Without a command: which data sets have a name, which of them are on this machine, and where the rest comes from.
    """
    if context.invoked_subcommand is None:
        list_them(data, check, as_json)
    elif data is not None or check or as_json:
        raise InputError(f"write options after the command: veritab data {context.invoked_subcommand} ... --json")


# -- the list ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Row:
    """A data set of the list; `file_check` is what its file is worth, where that was asked."""

    known: RegisteredDataSet
    path: Path | None
    file_check: FileCheck | None = None


@group.command("list")
def list_them(data: Data = None, check: Check = False, as_json: Json = False) -> None:
    """Every data set that has a name: what is on this machine, where the rest comes from, under which licence."""
    rows = [_Row(known, known.find(data)) for known in REGISTRY.values()]
    if check:
        rows = list(_checked(rows))
    if as_json:
        for row in rows:
            print_json(_as_json(row))
    else:
        _show(rows, find_data_folder(data))
    if any(row.file_check and row.file_check.state not in GOOD for row in rows):
        raise typer.Exit(_GATE_FAILED)


def _checked(rows: Iterable[_Row]) -> Iterator[_Row]:
    there = [row for row in rows if row.path]
    with progress_bar("checking", total=len(there)) as (bar, task):
        for row in rows:
            if row.path:
                bar.update(task, note=row.known.name)
                yield _Row(row.known, row.path, check_file(row.known, row.path))
                bar.advance(task)
            else:
                yield row


def _as_json(row: _Row) -> dict[str, Any]:
    known, path = row.known, row.path
    return {
        "name": known.name,
        "task": known.task,
        "claims": known.claims,
        "sha256": known.sha256,
        "licence": known.licence,
        "home": known.home,
        "path": str(path) if path else None,
        "bytes": path.stat().st_size if path else None,
        "checked": asdict(row.file_check) if row.file_check else None,
    }


def _show(rows: list[_Row], folder: Path | None) -> None:
    console = answer if answer.is_terminal else Console(highlight=False, width=_WIDE)
    width = max(map(len, map(_claims, rows)))
    for (home, licence), some in _by_home(rows).items():
        console.print(Text.assemble((home, "bold"), f"  ({licence})"), soft_wrap=True)
        console.print(_table(some, width), crop=False)
        console.print()
    here = sum(row.path is not None for row in rows)
    summary = f"{here} of {counted(len(rows), 'data set')} on this machine"
    if folder is not None:
        summary += f", looked for in {folder}"
        summary += "; save others there under the names behind the arrows" if here < len(rows) else ""
    console.print(Text(summary), soft_wrap=True)
    if folder is None:
        talk.print(f"No folder of data sets is set: {SET_DATA_FOLDER}.", markup=False, soft_wrap=True)
    elif not folder.is_dir():
        talk.print(f"There is no such folder: make it, or {SET_DATA_FOLDER}.", markup=False, soft_wrap=True)


def _by_home(rows: Iterable[_Row]) -> dict[tuple[str, str], list[_Row]]:
    groups: dict[tuple[str, str], list[_Row]] = {}
    for row in rows:
        groups.setdefault((row.known.home, row.known.licence), []).append(row)
    return groups


def _table(rows: Iterable[_Row], width: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    table.add_column("here", no_wrap=True)
    table.add_column("name", no_wrap=True, min_width=len(max(REGISTRY, key=len)))
    table.add_column("claims", no_wrap=True, justify="right", min_width=width)
    table.add_column("file", overflow="fold")
    for row in rows:
        mark, style = _mark(row)
        table.add_row(Text(mark, style=style), Text(row.known.name), Text(_claims(row)), Text(_file(row), style=style))
    return table


def _mark(row: _Row) -> tuple[str, str]:
    if not row.path:
        return "·", "dim"
    return (
        ("✗", "red")
        if row.file_check and row.file_check.state not in GOOD
        else ("✓", "green" if row.file_check else "")
    )


def _claims(row: _Row) -> str:
    whole = "?" if row.known.claims is None else f"{row.known.claims:,}"
    if row.file_check and row.file_check.claims != row.known.claims:
        return f"{row.file_check.claims:,} of {whole}"
    return whole


def _file(row: _Row) -> str:
    if not row.path:
        return f"→ {row.known.files[0]}.jsonl"
    if row.file_check:
        return f"{row.file_check.state}: {row.file_check.what}" if row.file_check.what else row.file_check.state
    size = row.path.stat().st_size
    return f"{row.path.name}, " + (f"{size / 1e6:.1f} MB" if size >= 50_000 else f"{size / 1e3:.1f} kB")


# -- one data set ------------------------------------------------------------------------------------------

DataSetName = Annotated[
    str, typer.Argument(metavar="DATASET", help="The name of a data set, or the path of a file of claims.")
]
TaskOption = Annotated[
    str | None,
    typer.Option("--task", metavar="TASK", help=f"What the file holds: {', '.join(TASKS)}; detected unless given."),
]


def open_data_set(name: str, data: Path | None, task: str | None, *, strict: bool = False) -> DataSet:
    """The data set that was asked for on the command line."""
    if name == "-":
        raise InputError("a data set is read more than once, so it cannot come from stdin; save it to a file first")
    return load(name, data=data, task=task_of(task), strict=strict)


def task_of(given: str | None) -> Task | None:
    """The task of that name."""
    for task in TASKS:
        if given == task:
            return task
    if given is None:
        return None
    raise InputError(f"there is no task {given!r}; the tasks are: {', '.join(TASKS)}")


@group.command()
def read(
    dataset: DataSetName,
    data: Data = None,
    task: TaskOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Stop at the first problem, with exit code 2.")] = False,
    as_json: Json = False,
) -> None:
    """Read a data set through, and tell what it holds, what was put right and what is wrong with it, line by line."""
    opened = open_data_set(dataset, data, task, strict=strict)
    labels = Counter(str(example.label) if example.label else "unlabelled" for example in opened)
    _show_read(opened, labels, as_json=as_json)


def _show_read(opened: DataSet, labels: Mapping[str, int], *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "name": opened.name,
                "task": opened.task,
                "form": opened.format.name,
                "path": str(opened.path),
                "licence": opened.licence,
                "claims": len(opened),
                "labels": dict(sorted(labels.items())),
                "sha256": opened.sha256,
                "notes": [note._asdict() for note in opened.notes],
                "problems": [asdict(problem) for problem in opened.problems],
            }
        )
        return
    shares = ", ".join(f"{count:,} {label}" for label, count in sorted(labels.items())) or "none"
    _report(f"{opened.name}: {counted(len(opened), 'claim')} in the form of {opened.format.name} ({shares})")
    for note in opened.notes:
        _report(f"  put right: {note.what} ({counted(note.times, 'time')}, first in line {note.line})")
    # Those that cost a record before the others: a cut may be the last of thousands.
    worst = sorted(enumerate(opened.problems), key=lambda each: not each[1].lost)[:_MOST_LISTED]
    for _, problem in sorted(worst, key=lambda each: each[0]):
        _report(f"  {'lost' if problem.lost else 'wrong'}: {problem.where}: {problem.what}", "red")
    if len(opened.problems) > _MOST_LISTED:
        _report(f"  and {len(opened.problems) - _MOST_LISTED:,} more problems; --json tells them", "red")


def _report(line: str, style: str = "") -> None:
    answer.print(Text(line, style=style), soft_wrap=True)
