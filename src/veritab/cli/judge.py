"""The command that judges claims by evidence handed over: one claim at a terminal, or a stream of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import orjson
import typer
from rich.text import Text

from veritab.cli.output import Json, answer, print_json
from veritab.cli.rendering import render_marked
from veritab.corpus.sources import read
from veritab.errors import FormatError, InputError, NotFound
from veritab.judging import gathered
from veritab.judging import judge as judged
from veritab.schema import Claim, Element, ElementId, Label, Page, Table, Verdict

_STYLES = {Label.SUPPORTS: "bold green", Label.REFUTES: "bold red", Label.NOT_ENOUGH_INFO: "bold yellow"}
_MOST_FACTS = 10
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_EXAMPLE = '{"id": 1, "claim": "K2 is higher than Everest.", "evidence": ["K2 is 8,611 m high, Everest 8,849 m."]}'


def register(app: typer.Typer) -> None:
    """Add this command."""
    app.command()(judge)


def judge(
    claim: Annotated[
        str | None,
        typer.Argument(
            metavar="[CLAIM]", help="The claim to judge; - or nothing reads claims from stdin.", show_default=False
        ),
    ] = None,
    tables: Annotated[
        list[Path] | None,
        typer.Option(
            "--table", metavar="FILE", help="A CSV, TSV, XLSX, HTML or Markdown file: its tables are evidence."
        ),
    ] = None,
    documents: Annotated[
        list[Path] | None,
        typer.Option("--document", metavar="FILE", help="Any document: its tables, lists and sentences are evidence."),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Read claims with their evidence from this file, as from stdin."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge claims by the evidence handed over, and show what was computed over which cells.

    On stdin or in a file, each line is {"id", "claim", "evidence": [TEXT, {"title", "text"}, {"table": {"header",
    "rows", "caption"}}]}, and for each a line {"id", "label", "scores", "reasoning", "cells", "facts"} is printed.

    What can be computed decides. Text is only read for numbers and dates; reading it as a person would comes with the
    verdict model. Where nothing can be computed, the label is NOT ENOUGH INFO.
    """
    with _answering():
        if claim is not None and claim != "-":
            if file:
                raise InputError(f"a claim and --file {str(file)!r} were given; give one of them")
            _judge_one(claim, list(_evidence(tables or (), documents or ())), as_json=as_json)
        elif tables or documents:
            raise InputError('--table and --document need a claim; try: veritab judge "CLAIM" --table FILE')
        elif file:
            with _opened(file) as lines:
                _judge_lines(lines, str(file))
        else:
            _judge_lines(_stdin(claim), "stdin")


@contextmanager
def _answering() -> Iterator[None]:
    """Ends the command in peace when the reader of its answers has seen enough (`veritab judge … | head`)."""
    if sys.stdout is None:
        raise InputError("stdout is closed, so no answer could be given; leave it open, or send it to a file")
    try:
        yield
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as error:
        # The console turns a broken pipe into an exit of its own.
        if not isinstance(error, BrokenPipeError) and not isinstance(error.__context__, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still to be written goes nowhere
        raise typer.Exit from error


# -- a stream of claims ------------------------------------------------------------------------------------


def _opened(file: Path) -> BinaryIO:
    if not file.exists():
        raise NotFound(f"no file {str(file)!r}; give a path that exists")
    if file.is_dir():
        raise InputError(f"{str(file)!r} is a folder; give a file of JSON lines")
    return file.open("rb")


def _stdin(claim: str | None) -> BinaryIO:
    if sys.stdin is None:
        raise InputError('stdin is closed; try: veritab judge "CLAIM" --table FILE, or veritab judge < pairs.jsonl')
    if sys.stdin.isatty() and claim is None:
        raise InputError('no claim; try: veritab judge "CLAIM" --table FILE, or veritab judge < pairs.jsonl')
    return sys.stdin.buffer


def _judge_lines(lines: Iterable[bytes], name: str) -> None:
    """Judge line by line, so that a stream of any length needs the memory of one line."""
    for number, record in _records(lines, name):
        try:
            evidence = record.get("evidence")
            verdict = judged(Claim("", record["claim"]), [] if evidence is None else evidence)
            id = record.get("id")
            print_json({"id": number if id is None else id, **_json(verdict)})
        except InputError as error:
            raise InputError(f"{name}, line {number}: {error}") from error
        except RecursionError as error:
            raise InputError(f"{name}, line {number} nests too deep; expected e.g. {_EXAMPLE}") from error
        sys.stdout.flush()


def _records(lines: Iterable[bytes], name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, given in enumerate(lines, 1):
        line = given.removeprefix(_BYTE_ORDER_MARK) if number == 1 else given
        if not line.strip():
            continue
        try:
            record = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            reason = f"is no JSON ({error}); expected e.g. {_EXAMPLE}"
            raise InputError(f"{name}, line {number} {reason}") from error
        if not isinstance(record, dict) or not isinstance(record.get("claim"), str):
            raise InputError(f"{name}, line {number} has no claim; expected e.g. {_EXAMPLE}")
        if not record["claim"].strip():
            raise InputError(f"{name}, line {number}: {record['claim']!r} is no claim; expected e.g. {_EXAMPLE}")
        yield number, record


def _json(verdict: Verdict) -> dict[str, Any]:
    return {
        "label": verdict.label.value,
        "scores": {label.value: round(score, 4) for label, score in verdict.scores.items()},
        "reasoning": list(verdict.reasoning),
        "cells": [str(hit.element.id) for hit in verdict.evidence],
        "facts": [fact["text"] for fact in verdict.certificate["facts"][:_MOST_FACTS]],
    }


# -- one claim ---------------------------------------------------------------------------------------------


def _evidence(tables: Iterable[Path], documents: Iterable[Path]) -> Iterator[Page | Table]:
    for path in tables:
        found = [table for page in _pages(path, "--table") for table in page.tables]
        if not found:
            raise InputError(f"{str(path)!r} holds no table; give a file that has one, or --document to read its text")
        yield from found
    for path in documents:
        yield from _pages(path, "--document")


def _pages(path: Path, option: str) -> list[Page]:
    """What a file holds; a problem on the way is told only where nothing else came of it."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give {option} FILE, once for each file")
    try:
        found = list(read(path))
    except FormatError as error:
        # Its remedy names an option of `ingest`.
        what = str(error).partition(";")[0]
        raise InputError(f"{what}; give a CSV, TSV, XLSX, HTML, Markdown or text file") from error
    pages = [page for page in found if isinstance(page, Page)]
    if not pages:
        why = next((f": {each.what}" for each in found if not isinstance(each, Page) and hasattr(each, "what")), "")
        raise InputError(f"{str(path)!r} could not be read{why}; give a document with a table or text in it")
    return pages


def _judge_one(claim: str, evidence: list[Page | Table], *, as_json: bool) -> None:
    if not claim.strip():
        raise InputError(f'{claim!r} is no claim; try: veritab judge "K2 is higher than Everest." --table FILE')
    pieces = gathered(evidence)
    verdict = judged(claim, pieces)
    if as_json:
        print_json({"claim": claim, **_json(verdict)})
        return
    score = verdict.scores[verdict.label]
    answer.print(Text.assemble((verdict.label.value, _STYLES[verdict.label]), f"  {score:.2f}"))
    for line in verdict.reasoning or ("nothing could be computed from the evidence",):
        answer.print(Text(line), soft_wrap=True)
    _render(verdict, [piece for piece in pieces if isinstance(piece, Table)])


def _render(verdict: Verdict, tables: Iterable[Table]) -> None:
    """The tables that hold evidence with their cells marked, then the sentences and items."""
    elements = {hit.element.id: hit.element for hit in verdict.evidence}
    shown: set[ElementId] = set()
    for table in tables:
        page, path = table.id.page, table.id.path
        cells = [id for id in elements if (id.page, id.path[:1]) == (page, path) and len(id.path) == 3]
        if cells:
            shown.update(cells)
            answer.print()
            render_marked(table, cells, answer)
    for element in elements.values():
        if element.id not in shown:
            _render_text(element)


def _render_text(element: Element) -> None:
    answer.print()
    answer.print(Text(element.text), soft_wrap=True)
    answer.print(Text(str(element.id), style="cyan"), soft_wrap=True)
