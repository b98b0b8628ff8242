"""Work ends when whoever asked for it no longer waits."""

from __future__ import annotations

import threading

import pytest

from veritab.cancel import cancelled_by, stop_if_cancelled
from veritab.errors import Cancelled


def test_work_goes_on_until_it_is_called_off() -> None:
    called_off = threading.Event()
    stop_if_cancelled()
    with cancelled_by(called_off):
        stop_if_cancelled()
        called_off.set()
        with pytest.raises(Cancelled, match="ask again"):
            stop_if_cancelled()
    stop_if_cancelled()


def test_what_is_called_off_in_one_thread_goes_on_in_another() -> None:
    called_off, went_on = threading.Event(), threading.Event()
    called_off.set()

    def work() -> None:
        stop_if_cancelled()
        went_on.set()

    with cancelled_by(called_off):
        other = threading.Thread(target=work)
        other.start()
        other.join()
    assert went_on.is_set()


def test_work_inside_of_work_is_called_off_by_its_own_event() -> None:
    outer, inner = threading.Event(), threading.Event()
    with cancelled_by(outer):
        with cancelled_by(inner):
            outer.set()
            stop_if_cancelled()
        with pytest.raises(Cancelled):
            stop_if_cancelled()
