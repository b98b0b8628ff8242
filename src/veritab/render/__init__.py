"""Verdicts for other programs and for readers: lines, tables, linked data, and a page of HTML.

A format is a small frozen dataclass of its options with a method `write(verdicts, out)`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, TextIO

from veritab.errors import InputError
from veritab.files import replacing
from veritab.schema import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS = ("jsonl", "fever", "feverous", "claimreview", "annotations", "csv", "xlsx", "html")
"""The formats that verdicts can be written in."""
BINARY = frozenset({"xlsx"})
"""Those that are not text."""


class Writer(Protocol):
    """Writes verdicts in one format, text or bytes; an iterator of any length is written as it arrives."""

    def write(self, verdicts: Iterable[Verdict], out: Any) -> int: ...


def write(format: str, verdicts: Iterable[Verdict], out: TextIO | BinaryIO | Path | str, **options: Any) -> int:
    """Write verdicts in a format to a stream or a file, which appears whole or not at all; returns their number."""
    chosen = writer(format, **options)
    if isinstance(out, Path | str):
        with replacing(Path(out)) as file:
            return _write(chosen, format, verdicts, file)
    if format in BINARY and isinstance(out, io.TextIOBase):
        if out.isatty() or not hasattr(out, "buffer"):
            raise InputError(f"{format} is not text; give a file to write it to, with --output or by its name")
        out.flush()
        return chosen.write(verdicts, out.buffer)
    return chosen.write(verdicts, out) if isinstance(out, io.TextIOBase) else _write(chosen, format, verdicts, out)


def _write(chosen: Writer, format: str, verdicts: Iterable[Verdict], file: Any) -> int:
    """Write to a stream of bytes."""
    if format in BINARY:
        return chosen.write(verdicts, file)
    # JSON has the same escapes as Python for what no UTF-8 can hold.
    stream = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        return chosen.write(verdicts, stream)
    finally:
        stream.detach()


def writer(format: str, **options: Any) -> Writer:
    """What writes a format with these options."""
    made = _class_of(format)
    known = [field.name for field in fields(made)] if fields(made) else []  # type: ignore[arg-type]
    unknown = sorted(options.keys() - set(known))
    if unknown:
        has = f"its options are {', '.join(known)}" if known else "it has no options"
        raise InputError(f"{format!r} has no option {unknown[0]!r}; {has}")
    return made(**options)


def _class_of(format: str) -> Callable[..., Writer]:
    # One format is used at a time; the others need not be imported for it.
    match format:
        case "jsonl":
            from veritab.render.json import JsonLines

            return JsonLines
        case "fever":
            from veritab.render.predictions import FeverPredictions

            return FeverPredictions
        case "feverous":
            from veritab.render.predictions import FeverousPredictions

            return FeverousPredictions
        case "claimreview":
            from veritab.render.claimreview import ClaimReview

            return ClaimReview
        case "annotations":
            from veritab.render.annotations import WebAnnotations

            return WebAnnotations
        case "csv":
            from veritab.render.sheets import CsvTable

            return CsvTable
        case "xlsx":
            from veritab.render.sheets import Workbook

            return Workbook
        case "html":
            from veritab.render.html import HtmlReport

            return HtmlReport
    raise InputError(f"{format!r} is not a format for verdicts; expected one of {', '.join(FORMATS)}")
