"""What the tests have workers do."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from veritab.cancel import stop_if_cancelled
from veritab.errors import NotFound


def square(number: int) -> int:
    return number * number


def fail(number: int) -> int:
    if number == 3:
        raise ValueError("three is too many")
    return number


def fail_own(number: int) -> int:
    if number == 3:
        raise NotFound("no page three")
    return number


def die_at_seven(number: int) -> int:
    if number == 7:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.1)
    return number


def wait_longer_if_even(number: int) -> int:
    time.sleep(0.05 if number % 2 == 0 else 0)
    return number


def count(numbers: frozenset[int]) -> int:
    return len(numbers)


def same(data: bytes) -> bytes:
    return data


def leave(number: int) -> int:
    raise SystemExit(number)


def die_once_at_ten(item: tuple[Path, int]) -> int:
    folder, number = item
    if number == 10 and not (folder / "died").exists():
        (folder / "died").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def wait(number: int) -> int:
    time.sleep(0.05)
    return number


def wait_long(number: int) -> int:
    time.sleep(1)
    return number


def wait_until_called_off(begun: Path) -> None:
    begun.write_text(str(os.getpid()))
    try:
        while True:
            stop_if_cancelled()
            time.sleep(0.05)
    finally:
        begun.with_suffix(".off").touch()
