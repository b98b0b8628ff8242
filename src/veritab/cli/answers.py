"""Where verdicts go: to the terminal, to stdout, or whole into a file, in the format that was asked for."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any, BinaryIO

import orjson

from veritab import reports
from veritab.cli.output import answer
from veritab.cli.verdicts import Harmless, line_of
from veritab.errors import InputError
from veritab.reports.excerpts import Tables
from veritab.schema import Verdict
from veritab.serial import from_json, to_json

TEXT = "text"
"""The format for people at a terminal."""


def write_verdicts(verdicts: Iterable[Verdict], format: str, output: Path | None, tables: Tables | None = None) -> None:
    """Verdicts in one of the formats of reports, on stdout or in a file."""
    options = {"tables": tables} if format == "html" else {}
    if output is None:
        reports.write(format, verdicts, sys.stdout, **options)
        return
    with replacing(output) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        reports.write(format, verdicts, text, **options)
        text.detach()


def write_lines(lines: Iterable[bytes], format: str, output: Path | None, tables: Tables | None = None) -> None:
    """Answers that are lines of JSON already, in any format; each is out as soon as it is there."""
    if format == TEXT:
        for line in lines:
            answer.print(Harmless(line_of(verdict_of(line), answer)), soft_wrap=True)
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
    return from_json(orjson.loads(line))


def line_with(verdict: Verdict, more: dict[str, Any]) -> bytes:
    """A verdict as a line of JSON with more fields before it."""
    return orjson.dumps({**more, **to_json(verdict)})


def refuse_missing_folder(output: Path | None) -> None:
    """A file that cannot be written is told before the work."""
    if output is None:
        return
    if output.is_dir():
        raise InputError(f"{str(output)!r} is a folder; name a file to write to")
    if not output.absolute().parent.is_dir():
        raise InputError(f"there is no folder {str(output.parent)!r} to write {output.name!r} into; make it first")


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of another when all is written, and not before; a device is written to."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as device:
            yield device
        return
    try:
        opened = NamedTemporaryFile("wb", dir=target.parent, prefix=f".{target.name[:100]}.", delete=False)  # noqa: SIM115
    except OSError as error:
        raise InputError(f"cannot write {str(path)!r}: {error.strerror}; name another file") from None
    with opened as file:
        new = Path(file.name)
        try:
            yield file  # type: ignore[misc]
            file.flush()
            new.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
            new.replace(target)
        except BaseException:
            new.unlink(missing_ok=True)
            raise
