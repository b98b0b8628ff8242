"""Work on data sets: `veritab data stats`, `split` and `leaks`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from veritab.cli.data import Data, group, open_data_set
from veritab.cli.data_convert import convert
from veritab.cli.data_reading import Names, read_through
from veritab.cli.output import Json, answer, counted, print_json, talk
from veritab.datasets import DataSet
from veritab.datasets.example_rows import built_of, is_row
from veritab.datasets.splitting import NEAR_DUPLICATE, ORIGIN, PAGE, Leaks, Split, leaks, leaks_between, split
from veritab.datasets.statistics import Statistics, statistics
from veritab.datasets.summary import brief_rows, label_rows, length_rows, summary_rows
from veritab.datasets.writing.feverous import HEADER
from veritab.errors import InputError
from veritab.files import refuse_missing_folder, replacing, write_whole
from veritab.schema import Example

_GATE_FAILED = 3
_WIDE, _NARROW = 140, 80
_MOST_LISTED = 5

Threshold = Annotated[
    float, typer.Option("--threshold", min=0.01, max=1, help="From which similarity claims are near-duplicates.")
]


def _read_all(opened: DataSet) -> list[Example]:
    with read_through(opened) as examples:
        held = list(examples)
    if not held:
        raise InputError(f"{opened.name} holds no claims that could be split; veritab data read says why")
    return held


def _print_table(lines: Sequence[Sequence[str]], header: Sequence[str], width: int = _WIDE) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for place, name in enumerate(header):
        table.add_column(
            Text(name), justify="right" if place else "left", overflow="fold", no_wrap=width < _WIDE and place > 0
        )
    for line in lines:
        table.add_row(*map(Text, line))
    console = answer if answer.is_terminal else Console(highlight=False, width=width)
    console.print(table, crop=False)


# -- stats -------------------------------------------------------------------------------------------------


@group.command()
def stats(
    datasets: Names,
    data: Data = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Also write a page with tables and plots.")
    ] = None,
    brief: Annotated[
        bool,
        typer.Option("--brief", help="Claims by label, and their lengths: tables 1 and 2 of FaVIQ, a row each."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Count a data set, or several side by side: claims, labels, lengths, evidence by type, place and section.

    A share is of the claims, of the evidence sets, or of the pieces of evidence, whichever the row is about.
    """
    refuse_missing_folder(html)
    columns = [_count(open_data_set(name, data, None)) for name in datasets]
    if html is not None:
        from veritab.evaluate.data_page import data_page

        write_whole(html, data_page(columns).encode())
        talk.print(f"the page is in {html}", markup=False, soft_wrap=True)
    if as_json:
        for row in brief_rows(columns) if brief else [each.as_dict() for each in columns]:
            print_json(row)
    elif brief:
        for place, (header, *lines) in enumerate((label_rows(columns), length_rows(columns))):
            if place:
                answer.print()
            _print_table(lines, header, _NARROW)
    else:
        _print_table(summary_rows(columns), ("", *(each.name for each in columns)))


def _count(opened: DataSet) -> Statistics:
    with read_through(opened) as examples:
        return statistics(examples, opened.name)


# -- split -------------------------------------------------------------------------------------------------


@group.command("split")
def split_them(
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="The name of a data set, or a path.")],
    into: Annotated[
        Path, typer.Option("--into", metavar="DIR", help="The folder to write the parts to.", show_default=False)
    ],
    parts: Annotated[
        str, typer.Option("--parts", metavar="NAME=SHARE,...", help="The parts and their shares of the claims.")
    ] = "train=.8,dev=.1,test=.1",
    by: Annotated[
        str | None,
        typer.Option(
            "--by",
            metavar="origin|page|FIELD",
            help="What keeps claims together: what they were built of, pages besides, or a field of records.",
            show_default="origin of built claims, page of others",
        ),
    ] = None,
    balance: Annotated[
        bool, typer.Option("--balance", help="As many claims of each label in all parts but the largest.")
    ] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold", min=0.01, max=1, help="Also keep near-duplicates together, from this similarity, e.g. 0.8."
        ),
    ] = None,
    near: Annotated[float | None, typer.Option("--near", hidden=True)] = None,
    seed: Annotated[
        int, typer.Option("--seed", help="The seed of the order in which groups of one size are dealt out.")
    ] = 0,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Cut a data set into parts that share no page, with labels in each as in the whole; leaks are reported.

    Claims whose evidence is from one page, and claims in the same words, come into one part. Built claims of one
    question or record always do, and they share pages unless --by page is given. Each part is a file of the records as
    they were, DIR/NAME.jsonl, and DIR/split.json says how they were made.
    """
    if near is not None:
        raise InputError(f"--near is now called --threshold; write --threshold {near:g}")
    shares = parse_shares(parts)
    files = {name: into / f"{name}.jsonl" for name in shares}
    for file in (*files.values(), into / "split.json"):
        if file.exists():
            raise InputError(f"{str(file)!r} is there already; name another folder")
    opened = open_data_set(dataset, data, None)
    examples = _read_all(opened)
    by = by or (ORIGIN if any(map(built_of, examples)) else PAGE)
    if by == ORIGIN:
        _refuse_unbuilt(opened, examples)
    with talk.status("splitting"):
        splits = split(examples, shares, by=by, balance=balance, near=threshold, seed=seed)
    empty = next((part.name for part in splits if not part.places), None)
    if empty is not None:
        raise InputError(
            f"nothing is left for {empty!r}: the claims of {opened.name} hang together; ask for fewer parts"
        )
    try:
        into.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot make the folder {str(into)!r}: {error.strerror}; name another") from None
    for part in splits:
        _write_records((examples[place] for place in part.places), files[part.name], opened.task)
    held = {part.name: [examples[place] for place in part.places] for part in splits}
    with talk.status("comparing the parts"):
        found = list(leaks_between(held))
    summary = _split_json(opened, splits, found, by=by, balance=balance, near=threshold, seed=seed)
    write_whole(into / "split.json", json.dumps(summary, ensure_ascii=False, indent=2).encode() + b"\n")
    if as_json:
        print_json(summary)
    else:
        _print_splits(splits, found)


def _refuse_unbuilt(opened: DataSet, examples: Sequence[Example]) -> None:
    """Refuse a file in which some claims do not say what they were built of, by line."""
    count = sum(not built_of(example) for example in examples)
    if not 0 < count < len(examples):
        return  # where none was built there is no line to name
    lines = (where for where, each in opened.by_line() if isinstance(each, Example) and not built_of(each))
    listed = ", ".join(islice(lines, _MOST_LISTED))
    raise InputError(
        f"{opened.name}: {counted(count, 'claim')} of {len(examples):,} {'has' if count == 1 else 'have'} no origin, "
        f"so nothing says what belongs with {'it' if count == 1 else 'them'} "
        f"({listed}{' and others' if count > _MOST_LISTED else ''}); take out what was not built, or split by --by page"
    )


def _print_splits(splits: Sequence[Split], found: Iterable[tuple[str, str, Leaks]]) -> None:
    labels = sorted({label for part in splits for label in part.labels})
    total = sum(map(len, splits))
    lines = [
        (part.name, f"{len(part):,}", f"{100 * len(part) / total:.1f} %", *_label_counts(part, labels))
        for part in splits
    ]
    _print_table(lines, ("part", "claims", "share", *labels))
    for one, other, each in found:
        answer.print(Text(f"{one} → {other}: {_describe_leaks(each)}"), soft_wrap=True)


def parse_shares(parts: str) -> dict[str, float]:
    """Parts by name with their shares, as people type them."""
    shares: dict[str, float] = {}
    for each in parts.split(","):
        name, _, share = each.partition("=")
        name = name.strip()
        if not name or Path(name).name != name or name in shares:
            raise InputError(f"{name!r} cannot name a part, or names two; expected e.g. train=.8,dev=.1,test=.1")
        try:
            shares[name] = float(share)
        except ValueError:
            raise InputError(f"{each.strip()!r} is not a part; expected e.g. train=.8,dev=.1,test=.1") from None
    return shares


def _label_counts(part: Split, labels: Sequence[str]) -> list[str]:
    return [f"{part.labels.get(label, 0):,} ({100 * part.labels.get(label, 0) / len(part):.0f} %)" for label in labels]


def _write_records(examples: Iterable[Example], file: Path, task: str) -> None:
    """Write records as they were, so that nothing of them is lost; a claim without an id keeps the number it had."""
    with replacing(file) as out:
        for number, example in enumerate(examples):
            record = dict(example.record)
            if number == 0 and task == "feverous" and not is_row(record):
                out.write(json.dumps(HEADER).encode() + b"\n")
            if record.get("id", record.get("unique_id")) in (None, ""):
                record["id"] = example.claim.id
            out.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")


def _split_json(
    opened: DataSet, splits: Sequence[Split], found: Iterable[tuple[str, str, Leaks]], **options: Any
) -> dict[str, Any]:
    return {
        "dataset": opened.name,
        "sha256": opened.sha256,
        "task": opened.task,
        **options,
        "parts": [
            {"name": part.name, "wanted": part.wanted, "claims": len(part), "labels": dict(part.labels)}
            for part in splits
        ],
        "leaks": [{"from": one, "to": other, **each.as_dict()} for one, other, each in found],
    }


# -- leaks -------------------------------------------------------------------------------------------------


@group.command("leaks")
def leaks_of(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="What one learns from, e.g. a training split.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="What one is measured on.")],
    threshold: Threshold = NEAR_DUPLICATE,
    fail_above: Annotated[
        float | None,
        typer.Option("--fail-above", metavar="SHARE", min=0, max=1, help="Exit 3 if more of SECOND is given away."),
    ] = None,
    data: Data = None,
    as_json: Json = False,
) -> None:
    """Say what one split gives away about another: shared pages, identical claims, and nearly identical ones."""
    opened = [open_data_set(name, data, None) for name in (first, second)]
    with read_through(opened[0]) as mine, read_through(opened[1]) as theirs:
        found = leaks(mine, theirs, threshold)
    for each in opened:
        if not len(each):
            raise InputError(f"{each.name} holds no claims that could be compared; veritab data read says why")
    if as_json:
        print_json(found.as_dict())
    else:
        _print_leaks(f"{opened[0].name} → {opened[1].name}", found)
    if fail_above is not None and found.share > fail_above:
        talk.print(
            f"{_percent(found.share)} is given away, more than {_percent(fail_above)}",
            style="red",
            markup=False,
            soft_wrap=True,
        )
        raise typer.Exit(_GATE_FAILED)


def _print_leaks(what: str, found: Leaks) -> None:
    answer.print(Text(f"{what}: {_describe_leaks(found)}"), soft_wrap=True)
    for page in found.pages[:_MOST_LISTED]:
        answer.print(Text(f"  page   {page}"), soft_wrap=True)
    for pair in sorted(found.alike, key=lambda pair: -pair.near)[:_MOST_LISTED]:
        answer.print(Text(f"  {pair.near:.2f}   {pair.one} ~ {pair.other}"), soft_wrap=True)
    if len(found.pages) > _MOST_LISTED or len(found.alike) > _MOST_LISTED:
        talk.print("  --json tells all", markup=False)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _describe_leaks(found: Leaks) -> str:
    near = len(found.alike) - len(found.identical)
    if not found.pages and not found.alike:
        return "nothing is shared"
    return (
        f"{counted(len(found.pages), 'shared page')} ({counted(len(found.by_page), 'claim')}), "
        f"{len(found.identical):,} identical and {near:,} nearly identical claims; {_percent(found.share)} given away"
    )


group.command()(convert)
