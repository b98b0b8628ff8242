"""Runs commands in this process, which takes milliseconds where a process of its own takes a second."""

from __future__ import annotations

import json
import logging
import os
import sys
from contextlib import ExitStack, chdir
from io import TextIOWrapper
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple
from unittest import mock

from veritab.cli import main


class Done(NamedTuple):
    """A finished command: its exit code and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


def veritab(*words: object, stdin: str | bytes = b"", cwd: Path | None = None) -> Done:
    """Run `veritab WORDS` as a program would: with its own standard streams, and as if nothing had run before it."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    with ExitStack() as stack:
        streams = [stack.enter_context(_stream()) for _ in range(3)]
        streams[0].buffer.write(stdin if isinstance(stdin, bytes) else stdin.encode())
        streams[0].seek(0)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            stack.enter_context(mock.patch.object(sys, name, stream))
        stack.enter_context(mock.patch.object(sys, "argv", ["veritab", *map(str, words)]))
        stack.enter_context(chdir(cwd or Path.cwd()))
        try:
            main()
            code = 0
        except SystemExit as left:
            code = int(left.code or 0)
        finally:
            root.handlers[:], root.level = handlers, level
        return Done(code, *(_written(stream) for stream in streams[1:]))


def _stream() -> TextIOWrapper:
    return TextIOWrapper(TemporaryFile("w+b"), encoding="utf-8", newline="")


def _written(stream: TextIOWrapper) -> str:
    stream.flush()
    return os.pread(stream.fileno(), os.fstat(stream.fileno()).st_size, 0).decode()
