"""Lines in, answers out: commands that other programs talk to through pipes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import typer

from veritab.errors import InputError

_STRETCH = 1 << 16


@contextmanager
def answering() -> Iterator[None]:
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


def chunks(stream: BinaryIO, most: int) -> Iterator[list[bytes]]:
    """The lines that can be had without waiting, so many at a time, and at least one."""
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
