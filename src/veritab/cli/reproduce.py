"""`veritab reproduce`: a table of a paper, our numbers beside the published ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.status import Status

from veritab.cli.output import Json, answer, print_json, talk
from veritab.errors import InputError
from veritab.papers.tables import Number, ProgressStep, TableCell, TableConfig, TableInputs, TableNote, find, tables
from veritab.papers.tables import reproduce as reproduce_table


def reproduce(
    table: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="A table by its name, see --list.", show_default=False)
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="The folder of data sets; else the one that VERITAB_DATA names."),
    ] = None,
    corpus: Annotated[
        Path | None,
        typer.Option("--corpus", metavar="DIR", help="The corpus that replaces the paper's; else the almanac."),
    ] = None,
    at_most: Annotated[
        int, typer.Option("--at-most", metavar="N", help="Measure on at most N claims; 0 takes all.", min=0)
    ] = 0,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", metavar="DIR", help="Where fitted models and rankings are kept; else the user's cache."
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the tables, and leave.")] = False,
    as_json: Json = False,
) -> None:
    """Fill a table of the FEVER, FEVEROUS, Fool Me Twice or FaVIQ paper with numbers measured here.

    Every cell shows our number with its 95 % interval and how many claims it rests on, the published number, and what
    differs in the data; a cell that cannot be had says why. Baselines are fitted on first use, which takes minutes.
    """
    if listed:
        _list(as_json=as_json)
        return
    if table is None:
        raise InputError("which table? Name one that veritab reproduce --list shows, e.g.: veritab reproduce fever-2")
    config = find(table)
    cells, notes = _fill_table(config, TableInputs(data, corpus, cache, at_most))
    if as_json:
        event = {"table": config.name, "title": config.title, "unit": config.unit}
        print_json(
            {**event, "cells": [cell.as_dict(config.unit) for cell in cells], "notes": {n.name: n.text for n in notes}}
        )
        return
    _print_table(config, cells, notes)


def _list(*, as_json: bool) -> None:
    for config in tables().values():
        if as_json:
            print_json({"table": config.name, "title": config.title, "needs": list(config.needs)})
        else:
            answer.print(f"{config.name:16} {config.title}", markup=False, soft_wrap=True)


def _fill_table(config: TableConfig, inputs: TableInputs) -> tuple[list[TableCell], list[TableNote]]:
    cells: list[TableCell] = []
    notes: dict[str, TableNote] = {}
    with talk.status("beginning") as status:
        for event in reproduce_table(config.name, inputs):
            match event:
                case TableCell():
                    cells.append(event)
                case TableNote():
                    notes[event.name] = event
                case ProgressStep():
                    _update_status(status, event.what)
    return cells, list(notes.values())


def _update_status(status: Status, what: str) -> None:
    if talk.is_terminal:
        status.update(what)


def _print_table(config: TableConfig, cells: Sequence[TableCell], notes: Sequence[TableNote]) -> None:
    marks = {note.name: chr(ord("a") + place) for place, note in enumerate(notes)}
    answer.print(config.title, markup=False, soft_wrap=True)
    event = _format_texts(cells, marks) if config.unit == "words" else _format_numbers(config, cells, marks)
    answer.print(event, markup=False, soft_wrap=True)
    for note in notes:
        answer.print(f"{marks[note.name]}  {note.text}", markup=False, soft_wrap=True)
    for why, missing in groupby((cell for cell in cells if cell.why), key=lambda cell: cell.why):
        named = "; ".join(f"{cell.row}, {cell.column}" for cell in missing)
        answer.print(f"–  {named}: {why}", markup=False, soft_wrap=True)


def _format_texts(cells: Sequence[TableCell], marks: Mapping[str, str]) -> str:
    """Cells that hold words, one under the other."""
    lines = []
    for cell in cells:
        differs = " ".join(marks[name] for name in cell.notes)
        lines += [f"{cell.row}  {differs}".rstrip(), f"  ours       {cell.ours or '–'}"]
        lines.append(f"  published  {cell.published or '–'}")
    return "\n".join(lines)


def _format_numbers(config: TableConfig, cells: Sequence[TableCell], marks: Mapping[str, str]) -> str:
    """Cells that hold numbers, a line each."""
    lines = [["", "", "ours", "95 % interval", "n", "published", "differs"]]
    row = None
    for cell in cells:
        first = cell.row if cell.row != row else ""
        row = cell.row
        differs = " ".join(marks[name] for name in cell.notes)
        lines.append([first, cell.column, *_ours(cell, config.unit), _published(cell), differs])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
    return "\n".join(padded)


def _ours(cell: TableCell, unit: str) -> tuple[str, str, str]:
    if not isinstance(cell.ours, Number):
        return cell.ours or "–", "", ""
    shown = cell.ours.in_unit(unit)
    digits = 2 if unit == "percent" else 3
    interval = f"[{shown.low:.{digits}f}, {shown.high:.{digits}f}]"
    return f"{shown.value:.{digits}f}", interval, f"{shown.n:,}"


def _published(cell: TableCell) -> str:
    if cell.published is None:
        return "–"
    if isinstance(cell.published, str):
        return cell.published
    return f"{cell.published:.2f}"
