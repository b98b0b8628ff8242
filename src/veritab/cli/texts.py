"""A whole text: its sentences are checked, and it comes back with them marked."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from rich.padding import Padding
from rich.text import Text

from veritab.cli.answers import TEXT, line_with, write_lines, write_verdicts
from veritab.cli.output import answer, counted, progress_bar, talk
from veritab.cli.verdicts import SIGNS, STYLES, Harmless, label_of
from veritab.decompose import ExtractedClaim, RunningText, extract_claims, parse_document, read_document
from veritab.errors import InputError
from veritab.files import refuse_missing_folder, write_whole
from veritab.render.tables import tables_of
from veritab.render.view import stretches
from veritab.runs import CheckerFactory
from veritab.schema import CELLS, Claim, Element, Kind, Verdict

_STDIN = Path("-")
_INDENT = 6
_LONGEST = 240


def check_text(path: Path, opening: CheckerFactory, format: str, output: Path | None) -> None:
    """Check what a text says."""
    refuse_missing_folder(output)
    read = _read(path)
    found = extract_claims(read.body, title=read.title)
    name = "stdin" if path == _STDIN else str(path)
    if not read.body.strip():
        talk.print(f"{name} holds no text", markup=False, soft_wrap=True)
    elif not found:
        talk.print(f"no sentence of {name} is worth checking", markup=False, soft_wrap=True)
    with ExitStack() as stack:
        verdicts: list[Verdict] = []
        tables = None
        if found:
            with progress_bar("checking", total=len(found)) as (progress, task):
                checker = stack.enter_context(opening())
                tables = tables_of(checker.store)
                for verdict in checker.check_many(_asked(found)):
                    verdicts.append(verdict)
                    progress.update(task, completed=len(verdicts), note=f"{len(verdicts):,} of {len(found):,}")
        if format == TEXT:
            _render(read, found, verdicts)
        elif format == "jsonl":
            write_lines(_lines(found, verdicts), format, output)
        elif format == "html":
            from veritab.render.html import Html

            _write(
                Html(title=read.title or "A text checked", tables=tables).text_page(read.body, found, verdicts), output
            )
        else:
            write_verdicts(verdicts, format, output)


def _read(path: Path) -> RunningText:
    if path != _STDIN:
        return read_document(path)
    if sys.stdin is None:
        raise InputError("stdin is closed; give the text with --text FILE")
    return parse_document(sys.stdin.buffer.read(), "stdin")._replace(title="")


def _asked(found: Sequence[ExtractedClaim]) -> Iterator[Claim]:
    return (Claim(str(number), each.claim) for number, each in enumerate(found, 1))


def _lines(found: Sequence[ExtractedClaim], verdicts: Sequence[Verdict]) -> Iterator[bytes]:
    for each, verdict in zip(found, verdicts, strict=True):
        yield line_with(verdict, {"start": each.start, "end": each.end, "text": each.text})


def _write(page: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(page)
        return
    write_whole(output, page.encode(errors="backslashreplace"))


# -- for people --------------------------------------------------------------------------------------------


def _render(read: RunningText, found: Sequence[ExtractedClaim], verdicts: Sequence[Verdict]) -> None:
    marked = Text()
    for stretch in stretches(read.body, found):
        if stretch.number is None:
            marked.append(stretch.text)
            continue
        label = verdicts[stretch.number].label
        marked.append(stretch.text, f"{STYLES[label]} underline")
        marked.append(f" [{SIGNS[label]}{stretch.number + 1}]", f"bold {STYLES[label]}")
    answer.print(Harmless(marked))
    if not found:
        return
    answer.print()
    for number, (each, verdict) in enumerate(zip(found, verdicts, strict=True), 1):
        _render_note(number, each, verdict)
    talk.print(f"\n{counted(len(found), 'sentence')} checked", style="dim", markup=False)


def _render_note(number: int, found: ExtractedClaim, verdict: Verdict) -> None:
    answer.print(Text.assemble((f"{f'[{number}]':<{_INDENT}}", "bold"), label_of(verdict)), soft_wrap=True)
    best = verdict.evidence[0].element if verdict.evidence else None
    lines = [
        Text(verdict.claim.text if verdict.claim.text != found.text else "", "italic"),
        Text(_cut(verdict.reasoning[0]) if verdict.reasoning else ""),
        Text.assemble(_cut(_said(best)), (f"  {best.id}", "dim")) if best else Text("nothing was found"),
    ]
    for line in filter(None, lines):
        answer.print(Harmless(Padding(line, (0, 0, 0, _INDENT), expand=False)))


def _said(element: Element) -> str:
    """What a piece of evidence says; a cell says little without its headers."""
    headers = [near.text for near in element.context if near.id.kind is Kind.HEADER_CELL and near.text]
    return " · ".join((element.id.page, *headers[:2], element.text)) if element.kind in CELLS else element.text


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"
