"""Verdicts for other programs and for readers: JSON lines, FEVER, FEVEROUS, ClaimReview, and a page of HTML.

A format is a small frozen dataclass of its options with a method `write(verdicts, out)`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from veritab.errors import InputError
from veritab.files import replacing
from veritab.schema import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

FORMATS = ("jsonl", "fever", "feverous", "claimreview", "html")
"""The formats that verdicts can be written in."""


class Writer(Protocol):
    """Writes verdicts in one format; an iterator of any length is written as it arrives."""

    def write(self, verdicts: Iterable[Verdict], out: TextIO) -> int: ...


def write(format: str, verdicts: Iterable[Verdict], out: TextIO | Path | str, **options: Any) -> int:
    """Write verdicts in a format to a stream or a file, which appears whole or not at all; returns their number."""
    chosen = writer(format, **options)
    if not isinstance(out, Path | str):
        return chosen.write(verdicts, out)
    with replacing(Path(out)) as file:
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
        case "html":
            from veritab.render.html import HtmlReport

            return HtmlReport
    raise InputError(f"{format!r} is not a format for verdicts; expected one of {', '.join(FORMATS)}")
