"""The cycle collector while pages are read: they are trees without cycles, and it would only look on."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def tune_collector() -> None:
    """Keep the cycle collector from looking at pages, which reference counts free, for as long as the process lives."""
    gc.freeze()
    gc.set_threshold(200_000, 50, 1000)


@contextmanager
def calm_collector() -> Iterator[None]:
    """Keep the cycle collector from looking at pages while they are parsed and written."""
    before: tuple[Any, ...] = gc.get_threshold()
    tune_collector()
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
