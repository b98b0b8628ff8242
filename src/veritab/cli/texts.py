"""A whole text: its sentences are checked, and it comes back with them marked."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import repeat
from pathlib import Path

import orjson

from veritab.cli.answers import TEXT, write_lines, write_verdicts
from veritab.cli.gate import GITHUB, FilePlace, Gate, find_places, write_annotations
from veritab.cli.output import answer, counted, progress_bar, talk
from veritab.cli.streams import STDIN
from veritab.decompose import (
    ExtractedClaim,
    RunningText,
    count_passed_over,
    extract_claims,
    number_claims,
    parse_document,
    read_document,
)
from veritab.errors import InputError
from veritab.files import refuse_missing_folder, write_whole
from veritab.render.json import text_verdict_to_json
from veritab.render.tables import table_finder
from veritab.render.terminal import draw_text
from veritab.runs import CheckerFactory
from veritab.schema import Verdict

_STDIN = Path("-")


def check_text(path: Path, opening: CheckerFactory, format: str, output: Path | None, gate: Gate) -> None:
    """Check the claims that a text makes."""
    refuse_missing_folder(output)
    text = _read_text(path)
    claims = extract_claims(text.body, title=text.title)
    name = STDIN if path == _STDIN else str(path)
    if not text.body.strip() and path == _STDIN:
        raise InputError("stdin holds no text; send some, or give a file with --text FILE")
    if not text.body.strip() and gate.is_set:
        raise InputError(f"{name} holds no text, so that --fail-on has nothing to judge; give a text with some")
    if not text.body.strip():
        talk.print(f"{name} holds no text", markup=False, soft_wrap=True)
    elif not claims:
        talk.print(f"no sentence of {name} makes a claim that can be checked", markup=False, soft_wrap=True)
    gate.passed_over = count_passed_over(text.body, claims)
    with ExitStack() as stack:
        verdicts: list[Verdict] = []
        tables = None
        if claims:
            with progress_bar("checking", total=len(claims)) as (progress, task):
                checker = stack.enter_context(opening())
                tables = table_finder(checker.store)
                for verdict in checker.check_many(number_claims(claims)):
                    verdicts.append(verdict)
                    gate.note(verdict.label.value, uncertain=verdict.uncertain)
                    progress.update(task, completed=len(verdicts), note=f"{len(verdicts):,} of {len(claims):,}")
        if format == TEXT:
            draw_text(text.body, claims, verdicts, answer)
            if claims:
                talk.print(f"\n{counted(len(claims), 'sentence')} checked", style="dim", markup=False)
        elif format == "jsonl":
            write_lines(_json_lines(claims, verdicts), format, output)
        elif format == GITHUB:
            found = find_places((each.text for each in claims), path, name) if path != _STDIN else repeat(FilePlace())
            write_annotations(verdicts, found, gate, output)
        elif format == "html":
            from veritab.render.html import HtmlReport

            _write(
                HtmlReport(title=text.title or "A text checked", tables=tables).text_page(text.body, claims, verdicts),
                output,
            )
        else:
            write_verdicts(verdicts, format, output)


def _read_text(path: Path) -> RunningText:
    if path != _STDIN:
        return read_document(path)
    if sys.stdin is None:
        raise InputError("stdin is closed; give the text with --text FILE")
    return parse_document(sys.stdin.buffer.read(), STDIN)._replace(title="")


def _json_lines(claims: Sequence[ExtractedClaim], verdicts: Sequence[Verdict]) -> Iterator[bytes]:
    for each, verdict in zip(claims, verdicts, strict=True):
        yield orjson.dumps(text_verdict_to_json(each, verdict))


def _write(page: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(page)
        return
    write_whole(output, page.encode(errors="backslashreplace"))
