"""Work that can be cancelled: whoever has it done holds an event, and long loops ask whether to go on.

    called_off = threading.Event()
    with cancelled_by(called_off):
        checker.check(claim)        # raises Cancelled soon after somebody sets the event

A loop that may run for long, and the border between two stages, call `stop_if_cancelled`: it costs well under a
microsecond, and nothing where nobody can cancel.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

from veritab.errors import Cancelled

_called_off: ContextVar[Event | None] = ContextVar("called_off", default=None)


@contextmanager
def cancelled_by(called_off: Event) -> Iterator[None]:
    """Have the work inside end once the event is set."""
    before = _called_off.set(called_off)
    try:
        yield
    finally:
        _called_off.reset(before)


def stop_if_cancelled() -> None:
    """Go on, or raise `Cancelled` where nobody waits for the result any longer."""
    called_off = _called_off.get()
    if called_off is not None and called_off.is_set():
        raise Cancelled("the work was cancelled before it was done; ask again, or for less at a time")
