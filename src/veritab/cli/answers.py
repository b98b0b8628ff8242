"""Where verdicts go: to the terminal, to stdout, or whole into a file, in the chosen format."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import orjson

from veritab import render
from veritab.cli.output import answer
from veritab.files import replacing
from veritab.render.json import verdict_from_json
from veritab.render.tables import TableFinder
from veritab.schema import Verdict

TEXT = "text"
"""The format for people at a terminal."""


def write_verdicts(
    verdicts: Iterable[Verdict], format: str, output: Path | None, tables: TableFinder | None = None
) -> None:
    """Verdicts in one of the formats of reports, on stdout or in a file."""
    options = {"tables": tables} if format == "html" else {}
    render.write(format, verdicts, sys.stdout if output is None else output, **options)


def write_lines(lines: Iterable[bytes], format: str, output: Path | None, tables: TableFinder | None = None) -> None:
    """Answers that are lines of JSON already, in any format; each is out as soon as it is there."""
    if format == TEXT:
        from veritab.render.terminal import WithoutControls, draw_verdict_line

        for line in lines:
            answer.print(WithoutControls(draw_verdict_line(verdict_of(line), answer)), soft_wrap=True)
    elif format != "jsonl":
        write_verdicts(map(verdict_of, lines), format, output, tables)
    elif output is None:
        for line in lines:
            sys.stdout.write(line.decode() + "\n")
            sys.stdout.flush()
    else:
        with replacing(output) as file:
            for line in lines:
                file.write(line + b"\n")


def verdict_of(line: bytes) -> Verdict:
    """The verdict in a line of JSON."""
    return verdict_from_json(orjson.loads(line))
