"""Model cards: `card.toml` beside a model's files, read strictly and written by the exporter.

A card says what the model does, what it was trained on and under which licences, how it is run, what was measured,
and the sha256 of each of its files, so that weights which are not those that were measured never answer anything.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple

from veritab.errors import FormatError, InputError, NotFound, nearest_name, short_repr
from veritab.schema import Label
from veritab.text import printable

FILE = "card.toml"
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
JOBS = ("verdict", "selector", "encoder")
LABELS = tuple(Label)
"""The order of a verdict's columns outside the model, whatever it is inside."""

_HELD = f"expected a folder with {MODEL}, {TOKENIZER} and {FILE}"
_TOO_DEEP = "lists or tables lie too deep in each other; copy it again"
_LEAST_LENGTH, _MOST_LENGTH = 8, 8192
_SHA256 = re.compile(r"[0-9a-f]{64}")
_BARE = re.compile(r"[A-Za-z0-9_-]+")


class TrainingData(NamedTuple):
    """A source of training data: its name, its licence and how many pairs of it were used."""

    name: str
    licence: str
    pairs: int


@dataclass(frozen=True)
class Card:
    """A model's card; `Card.read(folder)` reads one, `Card.of` makes one from plain values."""

    name: str
    job: str
    what: str
    base: str
    licence: str
    max_length: int
    files: Mapping[str, str]
    labels: tuple[Label, ...] = ()
    recipe: str = ""
    data: tuple[TrainingData, ...] = ()
    calibration: Mapping[str, Any] = field(default_factory=dict)
    combiner: Mapping[str, Any] = field(default_factory=dict)
    measured: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, values: Mapping[str, Any], where: str = "the card") -> Card:
        """A card from the values of its file; `where` names it in errors."""
        try:
            return _CardReader(values, where).card()
        except RecursionError:
            raise FormatError(f"in {where}: {_TOO_DEEP}") from None

    @classmethod
    def read(cls, folder: Path | str) -> Card:
        """The card of a model's folder; its files must exist, their contents are not checked."""
        path = Path(folder)
        if not path.is_dir():
            raise NotFound(f"no model in {str(path)!r}; {_HELD}")
        file = path / FILE
        if not file.is_file():
            raise NotFound(f"no {FILE} in {str(path)!r}; {_HELD}")
        try:
            values = tomllib.loads(file.read_text(encoding="utf-8"))
        except ValueError as error:
            raise FormatError(f"{str(file)!r} is not TOML; copy it again: {error}") from None
        except RecursionError:
            raise FormatError(f"in {str(file)!r}: {_TOO_DEEP}") from None
        card = cls.of(values, repr(str(file)))
        for name in card.files:
            if not (path / name).is_file():
                raise NotFound(f"{str(file)!r} names the file {name!r}, which is missing; copy it again")
        return card

    def write(self, folder: Path | str) -> None:
        """Write `card.toml`; a card that could not be read back is refused."""
        values = self._values()
        Card.of(values, "the card to be written")
        (Path(folder) / FILE).write_text("".join(_toml(values)), encoding="utf-8", newline="\n")

    def verify(self, folder: Path | str) -> None:
        """Compare the files with their hashes; an unchanged file is hashed once in a process."""
        for name, wanted in self.files.items():
            file = Path(folder) / name
            if not file.is_file():
                raise NotFound(f"the file {str(file)!r} is missing; copy it again")
            found = sha256_of(file)
            if found != wanted:
                raise FormatError(
                    f"{str(file)!r} is not the file its card describes: expected sha256 {wanted}, found {found}; "
                    "copy the model again, or export it again so that its card is written anew"
                )

    def _values(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        values["labels"] = [str(label) for label in self.labels]
        values["data"] = [source._asdict() for source in self.data]
        return {name: value for name, value in values.items() if value not in ([], {}, "") or name in _REQUIRED}


_known: dict[tuple[str, int, int], str] = {}


def sha256_of(file: Path) -> str:
    """The sha256 of a file in hex; cached until its size or time changes."""
    stat = file.stat()
    key = (str(file.resolve()), stat.st_size, stat.st_mtime_ns)
    if key not in _known:
        with file.open("rb") as stream:
            _known[key] = hashlib.file_digest(stream, "sha256").hexdigest()
    return _known[key]


# -- reading -----------------------------------------------------------------------------------------------

_REQUIRED = ("name", "job", "what", "base", "licence", "max_length", "files")
_KEYS = tuple(each.name for each in fields(Card))
_VERDICT_ONLY = ("labels", "calibration", "combiner")


class _CardReader:
    """The values of a card, checked one after the other."""

    def __init__(self, values: Mapping[str, Any], where: str) -> None:
        self._values = values
        self._where = where

    def card(self) -> Card:
        self._check_keys(self._values, _KEYS, _REQUIRED)
        job = self._job()
        for name in _VERDICT_ONLY:
            if job != "verdict" and self._values.get(name):
                raise self._wrong(f"{name!r} belongs to a verdict model, and this is a model for {job!r}; remove it")
        return Card(
            name=self._text("name"),
            job=job,
            what=self._text("what"),
            base=self._text("base"),
            licence=self._text("licence"),
            max_length=self._max_length(),
            files=self._files(),
            labels=self._labels() if job == "verdict" else (),
            recipe=self._text("recipe", needed=False),
            data=self._data(),
            calibration=self._finite_numbers("calibration"),
            combiner=self._finite_numbers("combiner"),
            measured=self._measured(),
        )

    def _wrong(self, what: str) -> FormatError:
        return FormatError(f"in {self._where}: {what}")

    def _check_keys(self, given: Mapping[str, Any], known: tuple[str, ...], needed: tuple[str, ...]) -> None:
        for key in given:
            if key not in known:
                near = nearest_name(str(key), known, 0.5)
                meant = f"did you mean {near!r}?" if near else f"known are {', '.join(known)}"
                raise self._wrong(f"unknown key {key!r}; {meant}")
        missing = [key for key in needed if key not in given]
        if missing:
            raise self._wrong(f"the key {missing[0]!r} is missing; expected {', '.join(needed)}")

    def _text(self, key: str, *, needed: bool = True) -> str:
        value = self._values.get(key, "")
        if not isinstance(value, str) or (needed and not value.strip()):
            raise self._wrong(f"{key!r} is {short_repr(value)}; expected a text")
        return value

    def _job(self) -> str:
        job = self._text("job")
        if job not in JOBS:
            raise self._wrong(f"the job is {job!r}; expected one of {', '.join(JOBS)}")
        return job

    def _max_length(self) -> int:
        value = self._values["max_length"]
        if type(value) is not int or not _LEAST_LENGTH <= value <= _MOST_LENGTH:
            raise self._wrong(
                f"'max_length' is {short_repr(value)}; expected a number of tokens, {_LEAST_LENGTH} to {_MOST_LENGTH}"
            )
        return value

    def _labels(self) -> tuple[Label, ...]:
        given = self._values.get("labels")
        expected = f"expected each of {', '.join(map(repr, map(str, LABELS)))} once, in the order of the model's logits"
        if not isinstance(given, list | tuple):
            raise self._wrong(f"'labels' is {short_repr(given)}; {expected}")
        unknown = [label for label in given if label not in LABELS]
        if unknown:
            raise self._wrong(f"unknown label {short_repr(unknown[0])}; {expected}")
        label, times = max(Counter(given).items(), key=lambda pair: pair[1], default=("", 0))
        if times > 1:
            raise self._wrong(f"the label {str(label)!r} comes {times} times; {expected}")
        if len(given) < len(LABELS):
            raise self._wrong(f"'labels' has {len(given)} of {len(LABELS)} labels; {expected}")
        return tuple(map(Label, given))

    def _files(self) -> dict[str, str]:
        given = self._table("files")
        for name, digest in given.items():
            if not name or Path(name).name != name or "\\" in name:
                raise self._wrong(f"the file {name!r} does not lie beside its card; expected a plain name")
            if not isinstance(digest, str) or not _SHA256.fullmatch(digest):
                raise self._wrong(
                    f"the sha256 of {name!r} is {short_repr(digest)}; expected 64 hex digits in lower case"
                )
        for name in (MODEL, TOKENIZER):
            if name not in given:
                raise self._wrong(f"'files' has no {name!r}; a model is {MODEL} and {TOKENIZER} at least")
        return dict(given)

    def _data(self) -> tuple[TrainingData, ...]:
        given = self._values.get("data", ())
        expected = "expected e.g. {name = 'fever', licence = 'CC BY-SA 3.0', pairs = 10000}"
        if not isinstance(given, list | tuple):
            raise self._wrong(f"'data' is {short_repr(given)}; {expected}")
        sources = []
        for one in given:
            values = one._asdict() if isinstance(one, TrainingData) else one
            if not isinstance(values, Mapping):
                raise self._wrong(f"'data' holds {short_repr(one)}; {expected}")
            self._check_keys(values, TrainingData._fields, TrainingData._fields)
            source = TrainingData(**values)
            if not (isinstance(source.name, str) and isinstance(source.licence, str) and type(source.pairs) is int):
                raise self._wrong(f"'data' holds {short_repr(values)}; {expected}")
            sources.append(source)
        return tuple(sources)

    def _finite_numbers(self, key: str) -> dict[str, Any]:
        given = self._table(key)
        for value in _numbers(given):
            if not _is_finite(value):
                raise self._wrong(f"{key!r} holds {short_repr(value)}; expected finite numbers")
        return dict(given)

    def _measured(self) -> dict[str, float]:
        given = self._table("measured")
        for what, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not _is_finite(value):
                raise self._wrong(f"{what!r} was measured as {short_repr(value)}; expected a number")
        return dict(given)

    def _table(self, key: str) -> Mapping[str, Any]:
        given = self._values.get(key, {})
        if not isinstance(given, Mapping):
            raise self._wrong(f"{key!r} is {short_repr(given)}; expected a table")
        return given


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _numbers(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _numbers(inner)
    elif isinstance(value, int | float):
        yield value


def _is_finite(value: float) -> bool:
    """Whether a number is one that a float can hold; TOML has whole numbers of any size."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


# -- writing -----------------------------------------------------------------------------------------------


def _toml(values: Mapping[str, Any]) -> Iterator[str]:
    """The values as TOML: plain ones first, then a section for each table and for each entry of a list of tables."""
    sections = {name: value for name, value in values.items() if name == "data" or isinstance(value, Mapping)}
    for name, value in values.items():
        if name not in sections:
            yield _line(name, value)
    for name, value in sections.items():
        heading, entries = (f"[[{name}]]", value) if name == "data" else (f"[{name}]", [value])
        for entry in entries:
            yield f"\n{heading}\n"
            yield from (_line(key, inner) for key, inner in entry.items())


def _line(name: str, value: Any) -> str:
    return f"{_key(name)} = {_value(value)}\n"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _string(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{_key(str(name))} = {_value(inner)}' for name, inner in value.items())}}}"
    raise InputError(f"a card cannot hold {short_repr(value)}; expected a text, a number, a list or a table")


def _string(text: str) -> str:
    return json.dumps(printable(text), ensure_ascii=False)
