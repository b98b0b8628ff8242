"""Files of claims become examples, one at a time; what cannot be read is reported by line, never dropped."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path

from veritab.corpus.streams import BROKEN_STREAM, describe_error, open_stream
from veritab.datasets.lines import RecordLine
from veritab.datasets.record_formats import detect_format
from veritab.datasets.records import (
    DUMMY,
    NO_DUMMY,
    DataNote,
    DataNotes,
    Record,
    RecordFormat,
    Task,
    claim_of,
    is_dummy,
    label_of,
)
from veritab.datasets.sources import files_of, records_of
from veritab.errors import FormatError
from veritab.schema import Example, Problem

MOST_PROBLEMS = 1000
"""So many problems of a file are kept one by one; the rest are counted."""
THE_REST = "the file"
"""Where those are that are only counted."""
_FIRST_LINES = 200
_FIRST_RECORDS = 20


@dataclass
class _Account:
    """What one reading of a file came to."""

    examples: int = 0
    problems: list[Problem] = field(default_factory=list)
    more: int = 0
    more_lost: bool = False
    notes: DataNotes = field(default_factory=DataNotes)
    labelled: bool | None = None
    ids: _Ids = field(default_factory=lambda: _Ids())


@dataclass(frozen=True)
class DataSet:
    """The examples of a file, in its order, read anew whenever they are asked for; nothing of them is held."""

    name: str
    task: Task
    path: Path
    licence: str
    format: RecordFormat = field(repr=False)
    strict: bool = False
    _read: list[_Account] = field(default_factory=list, repr=False, compare=False)

    def __iter__(self) -> Iterator[Example]:
        account = _Account()
        for number, line in enumerate(_without_dummy(records_of(self.path), self.format, account.notes)):
            example = self._example(line, number, account)
            if example is not None:
                account.examples += 1
                yield example
        self._read[:] = [account]

    def by_line(self) -> Iterator[tuple[str, Example | Problem]]:
        """Each example with the place where it stands, or what is wrong there: for whoever has to tell both at once."""
        notes = DataNotes()
        for number, line in enumerate(_without_dummy(records_of(self.path), self.format, notes)):
            if line.record is None:
                yield line.where, Problem(self.path.name, line.where, line.wrong, lost=True)
                continue
            try:
                yield line.where, _example(line.record, number, self.format, notes)
            except ValueError as error:
                yield line.where, Problem(self.path.name, line.where, str(error), lost=True)

    def __len__(self) -> int:
        return self._account.examples

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with the file when it was last read to its end; where it never was, it is read now."""
        account = self._account
        if not account.more:
            return tuple(account.problems)
        more = f"{account.more:,} more problems, not listed one by one"
        return (*account.problems, Problem(self.path.name, THE_REST, more, account.more_lost))

    @property
    def notes(self) -> tuple[DataNote, ...]:
        """What was put right in that reading."""
        return tuple(self._account.notes)

    @cached_property
    def sha256(self) -> str:
        """Of the file's bytes, unpacked: the same whether it is compressed or not."""
        return sha256_of(self.path)

    @property
    def _account(self) -> _Account:
        if not self._read:
            for _ in self:
                pass
        return self._read[0]

    def _example(self, line: RecordLine, number: int, account: _Account) -> Example | None:
        account.notes.line = line.number
        for note in line.notes:
            account.notes.add(note)
        if line.record is None:
            self._report(account, line, line.wrong, lost=True)
            return None
        try:
            example = _example(line.record, number, self.format, account.notes)
        except ValueError as error:
            self._report(account, line, str(error), lost=True)
            return None
        for what in _oddities(example, account):
            self._report(account, line, what)
        return example

    def _report(self, account: _Account, line: RecordLine, what: str, *, lost: bool = False) -> None:
        if self.strict:
            raise FormatError(f"{self.path}, {line.where}: {what}")
        if len(account.problems) < MOST_PROBLEMS:
            account.problems.append(Problem(self.path.name, line.where, what, lost))
        else:
            account.more += 1
            account.more_lost |= lost


def read_file(
    path: Path,
    *,
    name: str,
    task: Task | None,
    licence: str = "",
    strict: bool = False,
    otherwise: Task = "fever",
) -> DataSet:
    """The data set of a file; its first records are looked at to tell how it is written, and for which task.

    Where they do not tell, and no task is given, it is read as `otherwise` says.
    """
    lines = list(islice(records_of(path), _FIRST_LINES))
    first = [line.record for line in lines if line.record is not None][:_FIRST_RECORDS]
    if not first:
        wrong = next((f"{line.where}: {line.wrong}" for line in lines), "it is empty")
        raise FormatError(f"{str(path)!r} holds no record of a data set ({wrong}); expected JSON lines with claims")
    format = detect_format(first, repr(str(path)), task, otherwise)
    return DataSet(name, task or format.task, path, licence, format, strict)


def sha256_of(path: Path) -> str:
    """The SHA-256 of what a file holds, unpacked; of a folder, that of its files one after the other."""
    digest = hashlib.sha256()
    try:
        for file in files_of(path):
            with open_stream(file) as stream:
                while piece := stream.read(2**20):
                    digest.update(piece)
    except BROKEN_STREAM as error:
        raise FormatError(
            f"{str(path)!r} could not be read to its end ({describe_error(error)}); fetch it again"
        ) from error
    return digest.hexdigest()


def _without_dummy(lines: Iterator[RecordLine], format: RecordFormat, notes: DataNotes) -> Iterator[RecordLine]:
    first = next(lines, None)
    if first is None:
        return
    notes.line = first.number
    if first.record is not None and is_dummy(first.record):
        for note in (DUMMY, *first.notes):
            notes.add(note)
    else:
        if format.dummy:
            notes.add(NO_DUMMY)
        yield first
    yield from lines


def _example(record: Record, number: int, format: RecordFormat, notes: DataNotes) -> Example:
    claim = claim_of(record, format.claim, number)
    label = format.label(record, notes) if format.label else label_of(record.get("label"), notes)
    evidence = format.evidence(record, label, notes)
    challenge = record.get("challenge", "")
    silver = record.get("silver", format.silver) is True
    return Example(claim, label, evidence, challenge if isinstance(challenge, str) else "", silver, record)


def _oddities(example: Example, account: _Account) -> Iterator[str]:
    """What is wrong with an example beside the others of its file."""
    labelled = example.label is not None
    if account.labelled is None:
        account.labelled = labelled
    elif labelled is not account.labelled:
        yield "no label, though others have one" if account.labelled else "a label, though those before have none"
        account.labelled = True  # from here on those without one are reported
    if not account.ids.is_new(example.claim.id):
        yield f"the id {example.claim.id!r:.80} came before"


_MOST_BITS = 2**26
_MOST_REMEMBERED = 2_000_000


class _Ids:
    """The ids met so far, in little room; past two million texts, one that comes back is no longer noticed."""

    def __init__(self) -> None:
        self._numbers = bytearray()
        self._others: set[str] = set()

    def is_new(self, id: str) -> bool:
        """Whether an id was not met before; from now on it was."""
        number = int(id) if len(id) < 12 and id.isascii() and id.isdigit() else -1
        if 0 <= number < _MOST_BITS and str(number) == id:
            place, bit = number >> 3, 1 << (number & 7)
            if place >= len(self._numbers):
                self._numbers.extend(bytes(place + 4096 - len(self._numbers)))
            known = bool(self._numbers[place] & bit)
            self._numbers[place] |= bit
            return not known
        known = id in self._others
        if not known and len(self._others) < _MOST_REMEMBERED:
            self._others.add(id)
        return not known
