"""Where long work is done: in this process by default, on a cluster where somebody asks for one.

Rooms that have long work cut it into items and hand them to an engine; none of them knows which. `scale` has the engine
that is a Dask cluster.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """Applies a function to items, by one worker or many."""

    @property
    def workers(self) -> int:
        """How many items are worked on at once."""
        ...

    @property
    def cores(self) -> int:
        """How many cores each of these has for itself."""
        ...

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """The results in the order of the items, which are taken as workers become free.

        The function and its items travel, so both can be pickled. It may be run again for an item whose worker died,
        and must leave the same behind. `lost` gives what stands for the result of an item that worker after worker died
        of, from the item and what happened; without it such an item ends the work with an error. Errors that the
        function raises are raised here.
        """
        ...


class ThisProcess:
    """One item after the other, here."""

    workers = 1

    @property
    def cores(self) -> int:
        return count_cores()

    def map(
        self,
        function: Callable[[Item], Result],
        items: Iterable[Item],
        lost: Callable[[Item, str], Result] | None = None,
    ) -> Iterator[Result]:
        """The results, each computed when it is asked for."""
        return map(function, items)


def count_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
