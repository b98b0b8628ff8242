"""A run on disk: the claims and settings it was started with, and its verdicts so far, in order, each written once.

    RUN/run.json        what a run needs to be repeated: claims, settings, models, corpus
    RUN/results.jsonl   one verdict a line, in the order of the claims
    RUN/failed.jsonl    the claims that could not be checked, where there are any: {"id", "claim", "error"}
    RUN/files.jsonl     of a folder of claims, the files that were taken up, in this order: {"file", "claims", "sha256"}

`veritab.evaluate` adds predictions.jsonl, scores.json and claims.jsonl to a run over labelled claims.

Verdicts are appended and synced batch by batch, so that a run killed at any moment has lost at most a torn last line,
which is cut off and checked again on resuming. A claim that failed has no line among the verdicts, so that nobody takes
it for one; it is tried again on resuming.
"""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from veritab.corpus.database import take_lock
from veritab.errors import DiskFull, FormatError, InputError, NotFound, StoreBusy
from veritab.files import replacing, write_whole
from veritab.runs.checking import AnswerLine, Failed
from veritab.runs.claims import ClaimRecord, ClaimsFile
from veritab.runs.comparing import flatten

RESULTS = "results.jsonl"
RECORD = "run.json"
FAILED = "failed.jsonl"
FILES = "files.jsonl"
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
        """How many claims were taken up to their end, well or badly."""
        self.failed: dict[str, Failed] = {}
        """The claims that could not be checked, by their ids."""

    def resume(self, claims: Iterable[ClaimRecord]) -> None:
        """Count the claims that are done, each matching its verdict or its failure, and cut off what is torn."""
        _cut_torn(self.folder / FILES)
        known = {str(each.id): each for each in map(_read_failure, _cut_torn(self.folder / FAILED))}
        complete, number = 0, 0
        verdicts = _complete_lines(self.results) if self.results.exists() else iter(())
        following = next(verdicts, None)
        for claim in claims:
            if following is not None and following.is_of(claim):
                complete, number = following.end, number + 1
                following = next(verdicts, None)
            elif (failed := known.get(str(claim.id))) and failed.claim == claim.text:
                self.failed[str(claim.id)] = failed
            else:
                break
            self.done += 1
        if following is not None:
            place = f"{str(self.results)!r}, line {number + 1}"
            raise FormatError(f"{place} is not the answer to that claim; begin again in another folder")
        if self.results.exists():
            _cut(self.results, complete)
        if len(self.failed) < len(known):  # the batch was not finished, and is done again
            self._write_failed()

    def append(self, answers: Iterable[AnswerLine]) -> None:
        """Append the answers to the next claims; they are synced to disk when this returns.

        Failures are written first: one whose batch did not follow is found to be ahead of the verdicts, and left out.
        """
        found = list(answers)
        failed = [each for each in found if isinstance(each, Failed)]
        lines = [each for each in found if not isinstance(each, Failed)]
        self._append(self.folder / FAILED, [each.line() for each in failed])
        self._append(self.results, lines)
        self.failed |= {str(each.id): each for each in failed}
        self.done += len(found)

    def note_files(self, files: Iterable[ClaimsFile]) -> None:
        """Append files of a folder of claims to those that were taken up."""
        taken = [{"file": file.source, "claims": len(file), "sha256": file.sha256} for file in files]
        self._append(self.folder / FILES, [orjson.dumps(each) for each in taken])

    def replace_failed(self, claims: Iterable[ClaimRecord], again: Iterable[tuple[ClaimRecord, AnswerLine]]) -> None:
        """Put the answers to claims that were checked again in their places; the old file stays until all are there.

        `again` has them in the order of the claims. A claim that had a verdict keeps it where it failed this time.
        """
        verdicts = _complete_lines(self.results) if self.results.exists() else iter(())
        following, changed = next(verdicts, None), iter(again)
        next_changed = next(changed, None)
        left = dict(self.failed)
        with self._refusing_full_disk(self.results), replacing(self.results) as file:
            for claim in claims:
                line = None
                if following is not None and following.is_of(claim):
                    line, following = following.data, next(verdicts, None)
                if next_changed is not None and next_changed[0].id == claim.id:
                    answer = next_changed[1]
                    next_changed = next(changed, None)
                    if not isinstance(answer, Failed):
                        line = answer
                        left.pop(str(claim.id), None)
                    elif line is None:
                        left[str(claim.id)] = answer
                if line is not None:
                    file.write(line + b"\n")
        # In this order: a verdict that is there counts more than a failure.
        self.failed = left
        self._write_failed()

    def _append(self, path: Path, lines: Iterable[bytes]) -> None:
        data = b"".join(line + b"\n" for line in lines)
        if not data:
            return
        with self._refusing_full_disk(path), path.open("ab") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())

    @contextmanager
    def _refusing_full_disk(self, path: Path) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            raise DiskFull(
                f"no room left to write {str(path)!r}; {self.done:,} answers are kept: make room, then --resume"
            ) from error

    def _write_failed(self) -> None:
        if self.failed:
            write_whole(self.folder / FAILED, b"".join(each.line() + b"\n" for each in self.failed.values()))
        else:
            (self.folder / FAILED).unlink(missing_ok=True)


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


def read_files(folder: Path) -> list[tuple[str, str]]:
    """The names and hashes of the files of claims that a run has taken up; a torn last line is left out."""
    file = folder / FILES
    return [(str(each.get("file")), str(each.get("sha256"))) for each in read_results(file)] if file.exists() else []


def read_results(file: Path) -> Iterator[dict[str, Any]]:
    """The verdicts of a file as JSON, in order; a torn last line is left out."""
    return (line.result for line in _complete_lines(file))


def _read_failure(record: Mapping[str, Any]) -> Failed:
    return Failed(record.get("id"), str(record.get("claim")), str(record.get("error")))


def _cut_torn(file: Path) -> list[dict[str, Any]]:
    """The lines of a small file as JSON, where there is one; a torn last line is cut off."""
    lines = list(_complete_lines(file)) if file.exists() else []
    if file.exists():
        _cut(file, lines[-1].end if lines else 0)
    return [line.result for line in lines]


def _cut(file: Path, end: int) -> None:
    if end < file.stat().st_size:
        with file.open("r+b") as opened:
            opened.truncate(end)
            os.fsync(opened.fileno())


class _Line(NamedTuple):
    """A line that was written completely, as JSON and as it stands, and the offset where it ends."""

    result: dict[str, Any]
    data: bytes
    end: int

    def is_of(self, claim: ClaimRecord) -> bool:
        return (self.result.get("id"), self.result.get("claim")) == (claim.id, claim.text)


def _complete_lines(file: Path) -> Iterator[_Line]:
    """Each line that was written completely."""
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
            yield _Line(result, line.removesuffix(b"\n"), end)
