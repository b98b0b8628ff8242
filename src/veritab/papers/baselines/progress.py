"""What a fit says while it runs."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import NamedTuple, TypeVar

Made = TypeVar("Made")


class Progress(NamedTuple):
    """Where a fit stands: the step it has finished and the numbers of that step."""

    step: str
    values: Mapping[str, float]


def made(steps: Generator[Progress, None, Made]) -> Made:
    """What a fit makes, once all its steps are done."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Made = end.value
            return result
