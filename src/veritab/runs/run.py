"""A run on disk: the claims and settings it was started with, and its verdicts so far, in order, each written once.

    RUN/run.json        what a run needs to be repeated: claims, settings, models, corpus
    RUN/results.jsonl   one verdict a line, in the order of the claims

`veritab.evaluate` adds predictions.jsonl, scores.json and claims.jsonl to a run over labelled claims.

Verdicts are appended and synced batch by batch, so that a run killed at any moment has lost at most a torn last line,
which is cut off and checked again on resuming.
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
from veritab.runs.claims import ClaimRecord
from veritab.runs.comparing import flatten

RESULTS = "results.jsonl"
RECORD = "run.json"
_LOCK = "run.lock"
# What may change between start and resumption without changing a verdict.
_IGNORED = frozenset({"python", "digest", "file", "folder", "documents", "corpus.name"})
_MOST_LISTED = 3
_LONGEST_VALUE = 60
_SHA256_LENGTH = 64


class Run:
    """The verdicts of many claims, kept in a folder; `open_run` opens one."""

    def __init__(self, folder: Path, record: Mapping[str, Any]) -> None:
        self.folder, self.record = folder, record
        self.results = folder / RESULTS
        self.done = 0

    def resume(self, claims: Iterable[ClaimRecord]) -> None:
        """Count the verdicts that are there, each matching its claim, and cut off a torn last line."""
        if not self.results.exists():
            return
        complete, expected = 0, iter(claims)
        for result, end in _complete_lines(self.results):
            claim = next(expected, None)
            if claim is None or (result.get("id"), result.get("claim")) != (claim.id, claim.text):
                place = f"{str(self.results)!r}, line {self.done + 1}"
                raise FormatError(f"{place} is not the answer to that claim; begin again in another folder")
            self.done, complete = self.done + 1, end
        if complete < self.results.stat().st_size:
            with self.results.open("r+b") as file:
                file.truncate(complete)
                os.fsync(file.fileno())

    def append(self, lines: Iterable[bytes]) -> None:
        """Append verdicts; they are synced to disk when this returns."""
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
def open_run(folder: Path, record: Mapping[str, Any], claims: Iterable[ClaimRecord], *, resume: bool) -> Iterator[Run]:
    """A run in this folder, new or resumed, locked against other writers."""
    refuse_foreign(folder)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot write to {str(folder)!r}: {error.strerror}; name another folder for the run"
        ) from None
    with locked(folder):
        run = Run(folder, record)
        if not (folder / RECORD).exists():
            write_whole(folder / RECORD, orjson.dumps(dict(record), option=orjson.OPT_INDENT_2) + b"\n")
        elif resume:
            _refuse_changed_record(folder, read_record(folder), record)
            run.resume(claims)
        else:
            done = sum(1 for _ in _complete_lines(run.results)) if run.results.exists() else 0
            raise InputError(
                f"{str(folder)!r} holds a run already, with {done:,} of its claims checked; "
                "add --resume to go on with it, or name another folder"
            )
        yield run


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the run in this folder against other writers."""
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
    """Refuse a folder that holds other files than a run."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{str(folder)!r} is a file; name a folder for the run")
    if not folder.exists() or (folder / RECORD).exists():
        return
    # A run that was killed before it had started leaves its lock and a partial record.
    others = sorted(each.name for each in folder.iterdir() if not each.name.startswith((_LOCK, f".{RECORD}.")))
    if others:
        raise InputError(
            f"{str(folder)!r} holds {others[0]!r} but no run, which is kept in a folder of its own; name a new or an "
            "empty folder"
        )


def read_record(folder: Path) -> dict[str, Any]:
    """What a run was started with."""
    file = folder / RECORD
    if not file.is_file():
        raise NotFound(f"{str(folder)!r} holds no run; name a folder that veritab check --into made")
    try:
        record = orjson.loads(file.read_bytes())
    except orjson.JSONDecodeError as error:
        raise FormatError(f"{str(file)!r} is damaged ({error}); begin again in another folder") from error
    if not isinstance(record, dict):
        raise FormatError(f"{str(file)!r} is not the record of a run; begin again in another folder")
    return record


def _refuse_changed_record(folder: Path, old: Mapping[str, Any], record: Mapping[str, Any]) -> None:
    """Refuse to resume a run with other claims or settings: its verdicts would be of two systems."""
    new = orjson.loads(orjson.dumps(dict(record)))
    if old.get("claims_sha256") != new.get("claims_sha256"):
        was, now = old.get("file"), new.get("file")
        others = f"the claims of {now!r} changed since" if was == now else f"{was!r} was asked, not {now!r}"
        raise InputError(f"the run in {str(folder)!r} is of other claims ({others}); name another folder for these")
    before, after = dict(flatten(old)), dict(flatten(new))
    changed = [
        f"{key} was {_format_value(before.get(key))}, is {_format_value(after.get(key))}"
        for key in dict.fromkeys((*before, *after))
        if key not in _IGNORED and before.get(key) != after.get(key)
    ]
    if changed:
        listed = "; ".join(changed[:_MOST_LISTED]) + (" …" if len(changed) > _MOST_LISTED else "")
        raise InputError(
            f"the run in {str(folder)!r} was begun otherwise ({listed}); run it as it was begun, or name another folder"
        )


def _format_value(value: Any) -> str:
    if isinstance(value, str) and len(value) == _SHA256_LENGTH:
        return value[:12]
    text = orjson.dumps(value).decode()
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def read_results(file: Path) -> Iterator[dict[str, Any]]:
    """The verdicts of a file as JSON, in order; a torn last line is left out."""
    return (result for result, _ in _complete_lines(file))


def _complete_lines(file: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """Each verdict that was written completely, with the offset where its line ends."""
    end, torn = 0, 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if torn:
                raise FormatError(f"{str(file)!r}, line {torn} is damaged; begin again in another folder")
            try:
                result = orjson.loads(line) if line.endswith(b"\n") else None
            except orjson.JSONDecodeError:
                result = None
            if not isinstance(result, dict):
                torn = number
                continue
            end += len(line)
            yield result, end
