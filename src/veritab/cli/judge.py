"""The command that judges claims by evidence handed over: one claim at a terminal, or a stream of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple

import orjson
import typer

from veritab.cli.options import Config
from veritab.cli.output import Json, answer, print_json, talk
from veritab.cli.streams import STDIN, answer_lines, opened
from veritab.corpus.sources import read_source
from veritab.errors import FormatError, InputError
from veritab.render.json import judgement_to_json
from veritab.render.terminal import draw_verdict
from veritab.schema import Claim, Decider, Evidence, Page, Table, Verifier, refuse_long
from veritab.settings import FAST
from veritab.text import squeeze
from veritab.verify.evidence import parse_evidence
from veritab.verify.judge import ComputingVerifier, decider_for, judge_many

_EXAMPLE = '{"id": 1, "claim": "K2 is higher than Everest.", "evidence": ["K2 is 8,611 m high, Everest 8,849 m."]}'


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
    model: Annotated[
        str,
        typer.Option("--model", metavar="NAME|FOLDER|none", help="The verdict model; none leaves it to the reasoner."),
    ] = "verdict",
    ways: Annotated[
        int, typer.Option("--ways", metavar="2|3", help="How many labels: 2 knows SUPPORTS and REFUTES only.")
    ] = 3,
    nei: Annotated[
        str | None,
        typer.Option(
            "--nei",
            metavar="excluded|merged",
            help="With --ways 2, leave NOT ENOUGH INFO out or count it as REFUTES; the profile says it unless given.",
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="fast takes the smaller model; another name, the use that labels are calibrated for.",
        ),
    ] = None,
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="N", help="The threads the model takes; all cores unless said."),
    ] = None,
    config: Config = None,
    as_json: Json = False,
) -> None:
    """Judge claims by the evidence handed over, and show what was computed over which cells.

    On stdin or in a file, each line is {"id", "claim", "evidence": [TEXT, {"title", "text"}, {"table": {"header",
    "rows", "caption"}}]}, and for each a line {"id", "claim", "label", "scores", "evidence", "reasoning",
    "certificate", ...} is printed, as `veritab check` prints it; "cells" are what was computed with, "read" is what the
    model read.

    What can be computed decides, and a verdict model reads the rest. Without one, what can be computed decides alone:
    text is only read for numbers and dates, and where nothing can be computed, the label is NOT ENOUGH INFO.
    """
    is_single = claim is not None and claim != "-"
    if is_single and file:
        raise InputError(f"a claim and --file {str(file)!r} were given; give one of them")
    with talk.status("judging") if is_single else nullcontext():
        path = _open_path(model, config, ways=ways, nei=nei, profile=profile, threads=threads)
    if is_single:
        _judge_one(claim or "", list(_read_evidence(tables or (), documents or ())), path, as_json=as_json)
    elif tables or documents:
        raise InputError('--table and --document need a claim; try: veritab judge "CLAIM" --table FILE')
    elif file:
        with opened(file) as lines:
            _judge_lines(lines, str(file), path)
    else:
        _judge_lines(_open_stdin(claim), STDIN, path)


class _JudgePath(NamedTuple):
    """What reads and what decides."""

    verifier: Verifier
    decider: Decider


def _open_path(model: str, config: Path | None, *, ways: int, nei: str | None, **settings: Any) -> _JudgePath:
    if ways not in (2, 3):
        raise InputError(f"--ways {ways} is not known; expected 2 or 3")
    if nei is not None and ways == 3:
        raise InputError(f"--nei {nei} is for two labels; add --ways 2")
    given = {name: value for name, value in settings.items() if value is not None}
    if config:
        if model != "verdict" or given:
            raise InputError("--config says what reads the evidence; leave out --model, --profile and --threads")
        from veritab.pipeline import open_verifier
        from veritab.settings import Settings

        chosen = Settings.read(config)
        configured = open_verifier(chosen)
        return _JudgePath(configured, decider_for(configured, ways=ways, nei=nei, vote=chosen.verify.vote))
    if model == "none":
        if ways == 2 or given:
            raise InputError("--ways 2, --profile and --threads need a model; give --model NAME or FOLDER")
        return _JudgePath(ComputingVerifier(), decider_for(ComputingVerifier()))
    # Its many patterns take a while to compile.
    from veritab.verify.model import ModelVerifier

    if given.get("profile") == FAST and model == "verdict":
        model = FAST
        del given["profile"]
    verifier = ModelVerifier.open(model, **given)
    return _JudgePath(verifier, decider_for(verifier, ways=ways, nei=nei))


# -- a stream of claims ------------------------------------------------------------------------------------


class _JudgeRecord(NamedTuple):
    """A line of input: its number, its id, the claim and the evidence."""

    number: int
    id: Any
    claim: str
    evidence: Evidence


def _open_stdin(claim: str | None) -> BinaryIO:
    if sys.stdin is None:
        raise InputError('stdin is closed; try: veritab judge "CLAIM" --table FILE, or veritab judge < pairs.jsonl')
    if sys.stdin.isatty() and claim is None:
        raise InputError('no claim; try: veritab judge "CLAIM" --table FILE, or veritab judge < pairs.jsonl')
    return sys.stdin.buffer


def _judge_lines(lines: BinaryIO, name: str, path: _JudgePath) -> None:
    answered = answer_lines(
        lines, lambda line, number: _parse_record(line, number, name), lambda some: _answer_records(some, name, path)
    )
    if not answered and name == STDIN:
        raise InputError(f"stdin holds no claims; expected lines such as {_EXAMPLE}")


def _answer_records(records: Sequence[_JudgeRecord], name: str, path: _JudgePath) -> None:
    pairs = [(Claim("", record.claim), record.evidence) for record in records]
    verdicts = judge_many(pairs, verifier=path.verifier, decider=path.decider)
    for record, verdict in zip(records, verdicts, strict=True):
        try:
            print_json({"id": record.id, **judgement_to_json(verdict)})
        except RecursionError as error:
            raise _too_deep(record.number, name) from error
        sys.stdout.flush()


def _parse_record(line: bytes, number: int, name: str) -> _JudgeRecord:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{name}, line {number} is not JSON ({error}); expected e.g. {_EXAMPLE}") from error
    if not isinstance(record, dict) or not isinstance(record.get("claim"), str):
        raise InputError(f"{name}, line {number} has no claim; expected e.g. {_EXAMPLE}")
    if not record["claim"].strip():
        raise InputError(f"{name}, line {number}: {record['claim']!r} is not a claim; expected e.g. {_EXAMPLE}")
    refuse_long(f"{name}, line {number}: a claim", squeeze(record["claim"]))
    id, evidence = record.get("id"), record.get("evidence")
    try:
        pieces = parse_evidence([] if evidence is None else evidence)
    except InputError as error:
        raise InputError(f"{name}, line {number}: {error}") from error
    except RecursionError as error:
        raise _too_deep(number, name) from error
    return _JudgeRecord(number, number if id is None else id, record["claim"], pieces)


def _too_deep(number: int, name: str) -> InputError:
    return InputError(f"{name}, line {number} nests too deep; expected e.g. {_EXAMPLE}")


# -- one claim ---------------------------------------------------------------------------------------------


def _read_evidence(tables: Iterable[Path], documents: Iterable[Path]) -> Iterator[Page | Table]:
    for path in tables:
        of_file = [table for page in _read_pages(path, "--table") for table in page.tables]
        if not of_file:
            raise InputError(f"{str(path)!r} has no table; give a file that has one, or --document to read its text")
        yield from of_file
    for path in documents:
        yield from _read_pages(path, "--document")


def _read_pages(path: Path, option: str) -> list[Page]:
    """The pages of a file; a problem while reading is reported only where no page came of it."""
    if path.is_dir():
        raise InputError(f"{str(path)!r} is a folder; give {option} FILE, once for each file")
    try:
        found = list(read_source(path))
    except FormatError as error:
        # Its remedy names an option of `ingest`.
        what = str(error).partition(";")[0]
        raise InputError(f"{what}; give a CSV, TSV, XLSX, HTML, Markdown or text file") from error
    pages = [page for page in found if isinstance(page, Page)]
    if not pages:
        why = next((f": {each.what}" for each in found if not isinstance(each, Page) and hasattr(each, "what")), "")
        raise InputError(f"{str(path)!r} could not be read{why}; give a document with a table or text in it")
    return pages


def _judge_one(claim: str, evidence: list[Page | Table], path: _JudgePath, *, as_json: bool) -> None:
    if not claim.strip():
        raise InputError(f'{claim!r} is not a claim; try: veritab judge "K2 is higher than Everest." --table FILE')
    if not evidence:
        raise InputError("no evidence; give --table FILE or --document FILE, or look for it with: veritab check")
    pieces = parse_evidence(evidence)
    with talk.status("judging"):
        (verdict,) = judge_many([(claim, pieces)], verifier=path.verifier, decider=path.decider)
    if as_json:
        print_json(judgement_to_json(verdict))
        return
    tables = {table.id: table for table in pieces.tables}
    if not verdict.reasoning:
        verdict = replace(verdict, reasoning=("nothing could be computed from the evidence",))
    draw_verdict(verdict, answer, tables.get)
