"""How commands speak: answers on stdout, talk and progress on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, TaskID, TextColumn, TimeRemainingColumn

answer = Console(highlight=False)
talk = Console(stderr=True, highlight=False)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for other programs instead of text for people.")]


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the singular or the plural."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def print_json(value: Any) -> None:
    """One line of JSON on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


@contextmanager
def progress_bar(what: str, *, total: float | None) -> Iterator[tuple[Progress, TaskID]]:
    """A bar on a terminal, nothing elsewhere; it takes its own line away when the work ends."""
    columns: Iterable[str | ProgressColumn] = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}"),
    )
    with Progress(*columns, console=talk, transient=True, disable=not talk.is_terminal) as progress:
        yield progress, progress.add_task(what, total=total, note="")


def watched(what: str, batches: Iterable[list[bytes]], total: int, done: int) -> Iterator[list[bytes]]:
    """The same batches with a bar: how many, how fast, how long still."""
    started, now = time.monotonic(), 0
    with progress_bar(what, total=total) as (progress, task):
        progress.update(task, completed=done, note=f"{done:,} of {total:,}")
        for batch in batches:
            yield batch
            now += len(batch)
            rate = now / max(time.monotonic() - started, 1e-9)
            progress.update(task, completed=done + now, note=f"{done + now:,} of {total:,}, {rate:.1f} a second")
