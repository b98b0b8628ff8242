"""A run on disk: what was asked and how, and the answers so far, in order, each written once and for good.

    RUN/run.json        what a run needs to be repeated: claims, settings, models, corpus
    RUN/results.jsonl   one verdict a line, in the order of the claims

Answers are appended and synced batch by batch, so that a run killed at any moment has lost at most a torn last line,
which the next one takes off and does again.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson

from veritab.corpus.database import take_lock
from veritab.errors import DiskFull, FormatError, InputError, NotFound, StoreBusy
from veritab.files import write_whole
from veritab.runs.asked import Asked

RESULTS = "results.jsonl"
RECORD = "run.json"
_LOCK = "run.lock"
# What may differ between the beginning of a run and its end without changing an answer.
_FREE = frozenset({"python", "digest", "file", "folder", "corpus.name"})
_MOST_NAMED = 3


class Run:
    """The answers of a run; `open_run` opens one."""

    def __init__(self, folder: Path, record: Mapping[str, Any]) -> None:
        self.folder, self.record = folder, record
        self.results = folder / RESULTS
        self.done = 0

    def take_up(self, asked: Iterable[Asked]) -> None:
        """Count the answers that are there, each to its claim, and take off a torn last line."""
        whole = 0
        if self.results.exists():
            claims = iter(asked)
            for result, end in _whole_lines(self.results):
                claim = next(claims, None)
                if claim is None or (result.get("id"), result.get("claim")) != (claim.id, claim.text):
                    place = f"{str(self.results)!r}, line {self.done + 1}"
                    raise FormatError(f"{place} is not the answer to that claim; begin again in another folder")
                self.done, whole = self.done + 1, end
            if whole < self.results.stat().st_size:
                with self.results.open("r+b") as file:
                    file.truncate(whole)
                    os.fsync(file.fileno())

    def append(self, lines: Iterable[bytes]) -> None:
        """Write answers for good: they are on the disk when this returns."""
        written = list(lines)
        try:
            with self.results.open("ab") as file:
                file.write(b"".join(line + b"\n" for line in written))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            if error.errno != errno.ENOSPC:
                raise
            raise DiskFull(
                f"no room left to write {str(self.results)!r}; {self.done:,} answers are kept: make room, then --resume"
            ) from error
        self.done += len(written)


@contextmanager
def open_run(folder: Path, record: Mapping[str, Any], asked: Iterable[Asked], *, resume: bool) -> Iterator[Run]:
    """A run in this folder, new, or taken up where it was; nobody else may write to it meanwhile."""
    refuse_foreign(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write to {str(folder)!r}: {error.strerror}; name another folder for the run"
        ) from None
    with locked(folder):
        run = Run(folder, record)
        if not (folder / RECORD).exists():
            _begin(run)
        elif resume:
            _refuse_others(folder, read_record(folder), record)
            run.take_up(asked)
        else:
            done = sum(1 for _ in _whole_lines(run.results)) if run.results.exists() else 0
            raise InputError(
                f"{str(folder)!r} holds a run already, with {done:,} of its claims checked; "
                "add --resume to go on with it, or name another folder"
            )
        yield run


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """While this lasts, nobody else may write to the run in this folder."""
    try:
        lock = take_lock(folder / _LOCK)
    except sqlite3.OperationalError as error:
        raise InputError(f"cannot write to {str(folder)!r}: {error}; name another folder for the run") from None
    if lock is None:
        raise StoreBusy(f"another process is at work in {str(folder)!r}; wait for it, then run again")
    try:
        yield
    finally:
        lock.close()


def refuse_foreign(folder: Path) -> None:
    """A run is kept in a folder of its own, never among other files."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{str(folder)!r} is a file; name a folder for the run")
    if not folder.exists() or (folder / RECORD).exists():
        return
    others = sorted(each.name for each in folder.iterdir() if not _is_left_over(each))
    if others:
        raise InputError(
            f"{str(folder)!r} holds {others[0]!r} but no run, which is kept in a folder of its own; name a new or an "
            "empty folder"
        )


def _is_left_over(file: Path) -> bool:
    """Whether a run that was killed before it had begun left this."""
    return file.name.startswith((_LOCK, f".{RECORD}."))


def _begin(run: Run) -> None:
    write_whole(run.folder / RECORD, orjson.dumps(dict(run.record), option=orjson.OPT_INDENT_2) + b"\n")


def read_record(folder: Path) -> dict[str, Any]:
    """What a run was begun with."""
    file = folder / RECORD
    if not file.is_file():
        raise NotFound(f"{str(folder)!r} holds no run; name a folder that veritab check --into made")
    try:
        record = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{str(file)!r} is damaged ({error}); begin again in another folder") from error
    if not isinstance(record, dict):
        raise FormatError(f"{str(file)!r} is no record of a run; begin again in another folder")
    return record


def _refuse_others(folder: Path, known: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """A run goes on as it was begun: answers of two kinds in one file would be nobody's answers."""
    wanted = orjson.loads(orjson.dumps(dict(asked)))
    if known.get("claims_sha256") != wanted.get("claims_sha256"):
        was, now = known.get("file"), wanted.get("file")
        others = f"the claims of {now!r} changed since" if was == now else f"{was!r} was asked, not {now!r}"
        raise InputError(f"the run in {str(folder)!r} is of other claims ({others}); name another folder for these")
    differing = [f"{key} was {old}, is {new}" for key, old, new in _differences(known, wanted) if key not in _FREE]
    if differing:
        said = "; ".join(differing[:_MOST_NAMED]) + (" …" if len(differing) > _MOST_NAMED else "")
        raise InputError(
            f"the run in {str(folder)!r} was begun otherwise ({said}); run it as it was begun, or name another folder"
        )


def _differences(old: Any, new: Any, key: str = "") -> Iterator[tuple[str, str, str]]:
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for name in dict.fromkeys((*old, *new)):
            yield from _differences(old.get(name), new.get(name), f"{key}.{name}" if key else str(name))
    elif old != new:
        yield key, _short(old), _short(new)


def _short(value: Any) -> str:
    if isinstance(value, str) and len(value) == 64:  # a sha256
        return value[:12]
    shown = orjson.dumps(value).decode()
    return shown if len(shown) <= 60 else f"{shown[:59]}…"


def read_results(file: Path) -> Iterator[dict[str, Any]]:
    """The answers of a file, in order; a torn last line is left out."""
    return (result for result, _ in _whole_lines(file))


def _whole_lines(file: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Each answer that was written whole, with the place where its line ends."""
    end, torn = 0, 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if torn:
                raise FormatError(f"{str(file)!r}, line {torn} is damaged; begin again in another folder")
            result = _answer(line)
            if result is None:
                torn = number
                continue
            end += len(line)
            yield result, end


def _answer(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        result = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return result if isinstance(result, dict) else None
