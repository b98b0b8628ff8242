"""The main command: claims are checked against a corpus and shown with their evidence."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from veritab.cli.answers import TEXT, write_verdicts
from veritab.cli.gate import GITHUB, FilePlace, Gate, write_annotations
from veritab.cli.options import Cluster, Config, Corpus, Model, Profile, read_settings
from veritab.cli.output import Json, answer, talk
from veritab.errors import InputError
from veritab.files import refuse_missing_folder
from veritab.render import FORMATS
from veritab.runs import CheckerFactory
from veritab.schema import refuse_long
from veritab.text import squeeze

Format = Enum("Format", {name: name for name in (TEXT, *FORMATS, GITHUB)})  # type: ignore[misc]  # reports know theirs


def check(
    claim: Annotated[
        str | None,
        typer.Argument(
            metavar="[CLAIM]", help="The claim to check; - or nothing reads claims from stdin.", show_default=False
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--file",
            metavar="FILE|DIR",
            help="Check the claims of a file, - for stdin: JSON lines, plain lines, CSV or Parquet; or of all files "
            "of a folder.",
            show_default=False,
        ),
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(
            "--text",
            metavar="FILE",
            help="Check the claims of a text, - for stdin: plain text, Markdown, HTML, DOCX or PDF.",
            show_default=False,
        ),
    ] = None,
    against: Annotated[
        list[Path] | None,
        typer.Option(
            "--against",
            metavar="FILE|DIR",
            help="Check against these documents instead of a corpus; give it once for each file or folder.",
            show_default=False,
        ),
    ] = None,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="With --against, keep nothing of the documents in the user's cache.")
    ] = False,
    corpus: Corpus = None,
    config: Config = None,
    profile: Profile = None,
    model: Model = None,
    pages: Annotated[
        int | None,
        typer.Option("--k", "-k", metavar="N", min=1, help="How many of the best pages are read.", show_default=False),
    ] = None,
    no_certificate: Annotated[
        bool, typer.Option("--no-certificate", help="Do not work out which evidence the verdict rests on: faster.")
    ] = False,
    format: Annotated[
        Format | None,
        typer.Option(
            "--format", help="How to write the answers; text on a terminal and jsonl elsewhere.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the answers to this file.", show_default=False),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="DIR",
            help="With --file, keep each answer in this folder as soon as it is there, with a record of the run.",
            show_default=False,
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="With --into, go on with a run that was stopped, where it was.")
    ] = False,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, max=64, help="With --file, processes that check claims.")
    ] = 1,
    cluster: Cluster = None,
    follow: Annotated[
        bool,
        typer.Option(
            "--follow",
            help="With a folder and --into, go on with files that come later, until Ctrl-C or a file named DONE.",
        ),
    ] = False,
    until_idle: Annotated[
        float | None,
        typer.Option(
            "--until-idle",
            metavar="SECONDS",
            min=0,
            help="With --follow, end once no file has come for so long.",
            show_default=False,
        ),
    ] = None,
    fail_on: Annotated[
        list[str] | None,
        typer.Option(
            "--fail-on",
            metavar="KINDS",
            help="Exit with 3 if a verdict is one of these: refutes, nei, supports, uncertain, with commas between.",
            show_default=False,
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="On a terminal, show all evidence and the whole certificate.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check claims against a corpus or documents, and show the evidence.

    One claim, a file of claims, or a whole text whose sentences are checked and marked. On a terminal the answer is
    drawn; elsewhere, and with --json, each is a line {"claim", "label", "scores", "evidence", "reasoning",
    "certificate", "corpus"}, with "id" for the claims of a file and "start", "end", "text" for those of a text.

    --against reads Markdown, HTML, text, CSV, XLSX, DOCX and PDF files and says on stderr what it found in them; they
    are read once and kept in the user's cache, for the owner alone, until others take their place.

    --fail-on makes a gate of it: where a verdict is of one of these kinds, the exit code is 3. --format github prints
    annotations for GitHub Actions, with the lines that claims stand on.

    A run --into a folder can be stopped at any moment, by whatever means, and --resume goes on with it: each claim is
    answered once. A claim that cannot be checked is named in failed.jsonl, the others are checked, and the exit code
    is 1; --resume tries it again.
    """
    with ExitStack() as stack:
        gate = Gate(fail_on or ())
        wanted = _choose_format(format.value if format else None, output, as_json=as_json)
        _refuse_several(claim, file, text)
        changes: dict[str, Any] = {"verify.model": model, "retrieve.pages": pages}
        changes |= {
            "check.certificate": False if no_certificate else None,
            # What is scored counts all that the official budgets have room for; what is kept may be exported for that.
            "check.evidence": "official" if into or wanted in ("fever", "feverous") else None,
        }
        settings = read_settings(config, profile, changes)
        piped = claim is None and text is None and sys.stdin is not None and not sys.stdin.isatty()
        source = file or (Path("-") if claim == "-" or piped else None)
        for_many = {
            "--into": into,
            "--resume": resume,
            "--workers": workers > 1,
            "--cluster": cluster,
            "--follow": follow,
            "--until-idle": until_idle is not None,
        }
        if source is None and (option := next((option for option, given in for_many.items() if given), None)):
            raise InputError(f"{option} is for many claims; give them with --file FILE")
        if source is None and text is None:
            claim = _require_claim(claim)
        opening = CheckerFactory(corpus, settings)
        if against:
            from veritab.cli.documents import prepared

            opening = stack.enter_context(prepared(against, corpus, settings, cache=not no_cache))
        elif no_cache:
            raise InputError("--no-cache is for documents; give them with --against FILE")
        if source is not None:
            from veritab.cli.many import Many, check_file

            asked = format.value if format else None
            many = Many(wanted, asked, output, into, resume, workers, cluster, follow, until_idle, as_json, gate)
            check_file(source, opening, many)
        elif text is not None:
            from veritab.cli.texts import check_text

            check_text(text, opening, wanted, output, gate)
        else:
            _check_one(claim or "", opening, wanted, output, gate, all=explain)
        gate.close(wanted)


def _choose_format(format: str | None, output: Path | None, *, as_json: bool) -> str:
    if as_json and format not in (None, "jsonl"):
        raise InputError(f"--json and --format {format} were given; give one of them")
    if format == TEXT and output:
        raise InputError("--format text is for terminals; leave out --output, or give another format")
    return format or (TEXT if answer.is_terminal and not as_json and not output else "jsonl")


def _refuse_several(claim: str | None, file: Path | None, text: Path | None) -> None:
    sources = [name for name, value in (("a claim", claim), ("--file", file), ("--text", text)) if value is not None]
    if len(sources) > 1:
        raise InputError(f"{' and '.join(sources)} were given; give one of them")


def _require_claim(claim: str | None) -> str:
    if claim is None or not any(map(str.isalnum, claim)):
        what = "no claim" if claim is None else f"{claim[:80]!r} is not a claim"
        raise InputError(f'{what}; try: veritab check "Mount Everest is higher than K2."')
    refuse_long("a claim", squeeze(claim))
    return claim


def _check_one(claim: str, opening: CheckerFactory, wanted: str, output: Path | None, gate: Gate, *, all: bool) -> None:
    refuse_missing_folder(output)
    from veritab.render.tables import table_finder
    from veritab.render.terminal import draw_verdict

    with ExitStack() as stack:
        with talk.status("checking"):
            checker = stack.enter_context(opening())
            verdict = checker.check(claim)
        gate.note(verdict.label.value, uncertain=verdict.uncertain)
        if wanted == TEXT:
            draw_verdict(verdict, answer, table_finder(checker.store), all=all)
        elif wanted == GITHUB:
            write_annotations([verdict], [FilePlace()], gate, output)
        else:
            write_verdicts([verdict], wanted, output, table_finder(checker.store))
