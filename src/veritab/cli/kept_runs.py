"""What commands that keep a run in a folder say of it where it does not end well."""

from __future__ import annotations

import shlex
import sys

from veritab.cli.output import counted, talk
from veritab.runs.run import FAILED, Run

_MOST_NAMED = 5


def print_how_to_resume(run: Run, total: int, done: str) -> None:
    """Say how far a run came and how to go on; `done` is what became of its claims, e.g. "checked"."""
    words = ["veritab", *sys.argv[1:], *(() if "--resume" in sys.argv else ("--resume",))]
    talk.print(
        f"stopped; {run.done:,} of {counted(total, 'claim')} are {done} and kept; go on with:\n  {shlex.join(words)}",
        markup=False,
        soft_wrap=True,
    )


def print_failed(run: Run) -> None:
    """Name the claims that failed, where there are any."""
    failed = run.failed
    if failed:
        ids = ", ".join(list(failed)[:_MOST_NAMED]) + (", …" if len(failed) > _MOST_NAMED else "")
        first = next(iter(failed.values()))
        talk.print(
            f"{counted(len(failed), 'claim')} failed: {'ids' if len(failed) > 1 else 'id'} {ids} (the first with "
            f"{first.error}); {run.folder / FAILED} names them all, and --resume tries them again",
            style="red",
            markup=False,
            soft_wrap=True,
        )
