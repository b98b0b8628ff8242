"""How commands speak: answers on stdout, talk and progress on stderr."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TaskID,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

answer = Console(highlight=False)
talk = Console(stderr=True, highlight=False)

Batch = TypeVar("Batch", bound=Sized)

Json = Annotated[bool, typer.Option("--json", help="Print JSON for other programs instead of text for people.")]


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the singular or the plural."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def print_json(value: Any) -> None:
    """One line of JSON on stdout."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")


class _Beside(ProgressColumn):
    def __init__(self, beside: Callable[[], str]) -> None:
        super().__init__()
        self._beside = beside

    def render(self, task: Task) -> Text:
        told = self._beside()
        return Text(f"· {told}" if told else "", no_wrap=True, overflow="ellipsis")


@contextmanager
def progress_bar(
    what: str, *, total: float | None, beside: Callable[[], str] = str
) -> Iterator[tuple[Progress, TaskID]]:
    """A bar on a terminal, nothing elsewhere; it takes its own line away when the work ends.

    What stands beside it is asked for at each drawing, and so is true while the work itself has nothing to report.
    """
    columns: Iterable[str | ProgressColumn] = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(compact=True),
        TextColumn("{task.fields[note]}"),
        _Beside(beside),
    )
    with Progress(*columns, console=talk, transient=True, disable=not talk.is_terminal) as progress:
        yield progress, progress.add_task(what, total=total, note="")


def watched(
    what: str, batches: Iterable[Batch], total: int | Sized, done: int, beside: Callable[[], str] = str
) -> Iterator[Batch]:
    """The same batches with a bar: how many, how fast, how long still, and what else there is to say.

    A total that grows is looked at again.
    """
    started, now = time.monotonic(), 0
    with progress_bar(what, total=None, beside=beside) as (progress, task):

        def show(more: str = "") -> None:
            most = total if isinstance(total, int) else len(total)
            progress.update(task, total=most, completed=done + now, note=f"{done + now:,} of {most:,}{more}")

        show()
        for batch in batches:
            yield batch
            now += len(batch)
            show(f", {now / max(time.monotonic() - started, 1e-9):.1f} a second")
