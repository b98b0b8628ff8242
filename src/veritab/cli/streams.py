"""Lines in, answers out: commands that other programs talk to through pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from veritab.errors import InputError, NotFound

STDIN = "stdin"
"""What messages call the standard input."""
_STRETCH = 1 << 16
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOGETHER = 32

_Record = TypeVar("_Record")


@contextmanager
def open_until_broken() -> Iterator[None]:
    """Ends the program in peace when the reader of its answers has seen enough (`veritab show X | head`)."""
    try:
        try:
            yield
        finally:
            for stream in filter(None, (sys.stdout, sys.stderr)):
                stream.flush()
    except (BrokenPipeError, SystemExit) as error:
        # The console turns a broken pipe into an exit of its own, and so does what reads the options.
        if not isinstance(error, BrokenPipeError) and not isinstance(error.__context__, BrokenPipeError):
            raise
        for stream in filter(None, (sys.stdout, sys.stderr)):  # what is still to be written goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        sys.exit(0)


def refuse_closed_stdout() -> None:
    """Refuse to work for an answer that cannot be printed."""
    if sys.stdout is None:
        raise InputError("stdout is closed, so no answer can be printed; leave it open, or send it to a file")


def chunks(stream: BinaryIO, most: int) -> Iterator[list[bytes]]:
    """The lines that are there without waiting, at most that many at a time and at least one."""
    begun: list[bytes] = []
    while data := stream.read1(_STRETCH):  # type: ignore[attr-defined]
        if b"\n" not in data:
            begun.append(data)
            continue
        *lines, rest = b"".join([*begun, data]).split(b"\n")
        begun = [rest]
        for start in range(0, len(lines), most):
            yield lines[start : start + most]
    if any(begun):
        yield [b"".join(begun)]


def opened(file: Path) -> BinaryIO:
    """A file of JSON lines."""
    if not file.exists():
        raise NotFound(f"no file {str(file)!r}; give a path that exists")
    if file.is_dir():
        raise InputError(f"{str(file)!r} is a folder; give a file of JSON lines")
    return file.open("rb")


def answer_lines(
    stream: BinaryIO, read: Callable[[bytes, int], _Record], answer: Callable[[Sequence[_Record]], None]
) -> int:
    """Answer a few lines at a time, so that the model has full batches and a stream of any length needs little memory.

    Lines that wait are answered together; none waits for the next to be written. The lines above a bad one are answered
    before it is reported; blank lines are skipped. How many were answered is returned.
    """
    number = answered = 0
    for chunk in chunks(stream, _TOGETHER):
        records: list[_Record] = []
        problem: InputError | None = None
        for line in chunk:
            number += 1
            content = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
            try:
                records += [read(content, number)] if content.strip() else []
            except InputError as error:
                problem = error
                break
        answer(records)
        answered += len(records)
        if problem:
            raise problem
    return answered
